//! Debug information of objects that the library's builder makes: gdb steps through the program and shows its variables, the code is that
//! of the object without, and `llvm-dwarfdump` finds nothing wrong on any machine.

use std::path::Path;

use gusset::abi::{CType, Scalar, Signature};
use gusset::debug::{DiScope, DiType, DiTypeId, DiTypeKind};
use gusset::ir::{IntCc, Type, Value};
use gusset::{
    Body, BuilderOptions, Data, DebugFile, DebugFunction, DebugOptions, DebugType, DebugTypeRef, Error, Features, Func,
    Global, Linkage, ObjectBuilder, SourceFile, Target,
};
use gusset_tests::tools::{self, Failure, limited, succeed, work_folder};
use gusset_tests::{objects, parallel};
use object::{Object, ObjectSection};

/// What the functions are made of. Nobody parses it.
const SOURCE: &str = "\
struct point { x: int, y: int, next: *point }
fn scale(p: point, by: int) -> int {
    let sum = p.x + p.y;
    if sum < by {
        let twice = sum * 2;
        sum = twice + 1;
    }
    return sum * by;
}
fn square(n: int) -> int {
    let s = n * n;
    return s + n;
}
fn main() -> int {
    let p = point(3, 4, null);
    let r = scale(p, 10);
    let q = square(r);
    let i = 0;
    while i < 3 {
        q = q + i;
        i = i + 1;
    }
    counter = counter + q;
    print(q);
    return square(0);
}
";

/// The types of the source program.
struct Types {
    int: DebugType,
    /// As C has a point, and under its name.
    c: CType,
    point: DebugType,
}

fn types(object: &ObjectBuilder<'_>, file: SourceFile) -> Result<Types, Error> {
    let c = CType::structure([CType::I32, CType::I32, CType::PTR]);
    let types = object.debug_types().at(file, 1)?;
    let int = types.base("int", &CType::I32)?;
    let point = types.declare_record("point", gusset::abi::RecordKind::Struct);
    let next = types.pointer(point)?;
    types.define_record(point, &c, &[("x", Some(int)), ("y", Some(int)), ("next", Some(next))])?;
    Ok(Types { int, c, point })
}

fn define_scale(object: &ObjectBuilder<'_>, scale: Func, types: &Types) -> Result<(), Error> {
    object.define(scale, |b| {
        b.set_location(3, 15);
        let (p, by) = (b.param(0), b.param(1));
        let sum = b.declare_var(Type::I32);
        let variable = b.debug_variable("sum", types.int);
        b.debug_var(variable, sum);
        let (x, y) = (b.load_i32(p, 0), b.load_i32(p, 4));
        let added = b.iadd(x, y);
        b.def_var(sum, added);
        b.set_location(4, 8);
        let (inside, end) = (b.create_block(), b.create_block());
        let now = b.use_var(sum);
        let less = b.icmp(IntCc::Slt, now, by);
        b.br(less, inside, &[], end, &[]);
        b.seal(inside);
        b.switch_to(inside);
        b.begin_lexical_block(4, 17);
        b.set_location(5, 21);
        let (now, two) = (b.use_var(sum), b.i32_const(2));
        let twice = b.imul(now, two);
        let types = b.debug_types();
        let named = types.typedef("doubled", types.c(&CType::I32)?)?;
        let variable = b.debug_variable("twice", named);
        b.debug_value(variable, twice);
        b.set_location(6, 15);
        let one = b.i32_const(1);
        let next = b.iadd(twice, one);
        b.def_var(sum, next);
        b.end_lexical_block();
        b.jump(end, &[]);
        b.seal(end);
        b.switch_to(end);
        b.set_location(8, 5);
        let now = b.use_var(sum);
        let result = b.imul(now, by);
        b.ret(Some(result));
        Ok(())
    })
}

/// The body of `square` for a value.
fn square(b: &mut Body<'_, '_>, n: Value) -> Value {
    b.set_location(11, 13);
    let squared = b.imul(n, n);
    // Made by whichever thread comes first.
    let ty = b.debug_types().c(&CType::array(CType::I16, 2));
    let s = b.debug_variable("halves", ty.expect("an array has a layout"));
    b.debug_value(s, squared);
    let s = b.debug_variable("s", &CType::I32);
    b.debug_value(s, squared);
    b.set_location(12, 5);
    b.iadd(squared, n)
}

fn define_main(
    object: &ObjectBuilder<'_>,
    [main, scale, inlined, print]: [Func; 4],
    counter: Global,
    types: &Types,
) -> Result<(), Error> {
    object.define(main, |b| {
        b.set_location(15, 9);
        let p = b.local(&types.c);
        let variable = b.debug_variable("p", &types.c);
        b.debug_declare(variable, p);
        let (three, four, null) = (b.i32_const(3), b.i32_const(4), b.ptr_const(0));
        b.store(three, p, 0);
        b.store(four, p, 4);
        b.store(null, p, 8);
        b.set_location(16, 13);
        let variable = b.debug_variable("r", types.int);
        let ten = b.i32_const(10);
        let r = b.call_value(scale, &[p, ten]);
        b.debug_value(variable, r);
        b.set_location(17, 13);
        let q = b.declare_var(Type::I32);
        let variable = b.debug_variable("q", types.int);
        b.debug_var(variable, q);
        b.begin_inlined_call(inlined);
        let parameter = b.debug_parameter(0);
        b.debug_value(parameter, r);
        let squared = square(b, r);
        b.end_inlined_call();
        b.def_var(q, squared);
        b.set_location(18, 9);
        let i = b.declare_var(Type::I32);
        let variable = b.debug_variable("i", types.int);
        b.debug_var(variable, i);
        let zero = b.i32_const(0);
        b.def_var(i, zero);
        let (head, inside, end) = (b.create_block(), b.create_block(), b.create_block());
        b.jump(head, &[]);
        b.switch_to(head);
        b.set_location(19, 11);
        let (now, three) = (b.use_var(i), b.i32_const(3));
        let less = b.icmp(IntCc::Slt, now, three);
        b.br(less, inside, &[], end, &[]);
        b.seal(inside);
        b.seal(end);
        b.switch_to(inside);
        b.set_location(20, 13);
        let (so_far, n) = (b.use_var(q), b.use_var(i));
        let sum = b.iadd(so_far, n);
        b.def_var(q, sum);
        b.set_location(21, 13);
        let (n, one) = (b.use_var(i), b.i32_const(1));
        let next = b.iadd(n, one);
        b.def_var(i, next);
        b.jump(head, &[]);
        b.seal(head);
        b.switch_to(end);
        b.set_location(23, 5);
        let (address, q) = (b.address(counter), b.use_var(q));
        let count = b.load_i32(address, 0);
        let count = b.iadd(count, q);
        b.store(count, address, 0);
        b.set_location(24, 5);
        let format = b.text(b"%d\n\0");
        b.call_variadic(print, &[format], &[(CType::I32, q)]);
        b.set_location(25, 5);
        let result = b.call(inlined, &[zero]);
        b.ret(result);
    })
}

/// The program, with debug information of a version of DWARF or without. `threads`: functions are defined by as many.
fn program(triple: &str, version: Option<u16>, threads: bool) -> Result<Vec<u8>, Error> {
    program_as(triple, version, threads, |object| object.finish())
}

/// The same in a form.
fn program_as(
    triple: &str,
    version: Option<u16>,
    threads: bool,
    form: fn(ObjectBuilder<'_>) -> Result<Vec<u8>, Error>,
) -> Result<Vec<u8>, Error> {
    let target = Target::from_triple(triple, &Features::default())?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().debug_frame(!triple.contains("windows")));
    let folder = work_folder("debug_builder");
    let file = DebugFile::new("program.tern").directory(folder.to_string_lossy());
    if let Some(version) = version {
        object.debug_info(&DebugOptions::new(file.clone()).producer("tern 0.1").dwarf_version(version))?;
    }
    let file = object.source_file(file);
    let types = types(&object, file)?;
    let int = Signature::c(CType::I32);
    let scale = object.declare("scale", int.clone().param(types.c.clone()).param(CType::I32), Linkage::Export)?;
    object.describe(scale, DebugFunction::new().at(file, 2).typed_param("p", types.point).param("by"))?;
    let inlined = object.declare("square", int.clone().param(CType::I32), Linkage::Export)?;
    object.describe(inlined, DebugFunction::new().at(file, 10).param("n"))?;
    let main = object.declare("main", int.clone(), Linkage::Export)?;
    object.describe(main, DebugFunction::new().at(file, 14))?;
    let print = object.declare("printf", int.param(CType::PTR).ellipsis(), Linkage::Import)?;
    let counter = object.data("counter", Linkage::Local, Data::writable(7_i32.to_le_bytes()).aligned(4))?;
    object.describe_data(counter, "counter", types.int, file, 22)?;
    let define = |which: usize| match which {
        0 => define_main(&object, [main, scale, inlined, print], counter, &types),
        1 => object.define(inlined, |b| {
            let n = b.param(0);
            let result = square(b, n);
            b.ret(Some(result));
        }),
        _ => define_scale(&object, scale, &types),
    };
    match threads {
        true => parallel::map(3, define).into_iter().collect::<Result<(), Error>>()?,
        false => (0..3).rev().try_for_each(define)?,
    }
    form(object)
}

/// The sections of an object that have nothing to do with debug information or with names.
fn code(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let parsed = object::File::parse(bytes).expect("an object");
    let sections = parsed
        .sections()
        .map(|section| (section.name().unwrap_or_default().to_string(), section.data().unwrap_or_default().to_vec()));
    let other = [".debug", ".rel", ".symtab", ".strtab", ".shstrtab"];
    sections.filter(|(name, _)| !other.iter().any(|other| name.starts_with(other))).collect()
}

const TARGETS: [&str; 9] = [
    "x86_64-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "armv7-unknown-linux-gnueabihf",
    "x86_64-pc-windows-gnu",
    "i686-pc-windows-gnu",
    // These have CodeView.
    "x86_64-pc-windows-msvc",
    "i686-pc-windows-msvc",
    "aarch64-pc-windows-msvc",
];

fn verified(object: &Path) -> Result<(), Failure> {
    succeed(limited(60, "llvm-dwarfdump-19").args(["--verify", "--quiet"]).arg(object)).map(drop)
}

#[test]
fn code_is_that_of_objects_without() -> Result<(), Failure> {
    let failed = |error: Error| Failure::new(error.to_string());
    let folder = work_folder("debug_builder");
    for triple in TARGETS {
        let without = program(triple, None, false).map_err(failed)?;
        for version in [4, 5] {
            let with = program(triple, Some(version), false).map_err(failed)?;
            assert!(with.len() > without.len() + 1000, "{triple}");
            assert_eq!(code(&with), code(&without), "{triple}, DWARF {version}");
            for _ in 0..10 {
                assert!(with == program(triple, Some(version), true).map_err(failed)?, "{triple}: threads show");
            }
            let file = folder.join(format!("{triple}-{version}.o"));
            std::fs::write(&file, with)?;
            if triple.ends_with("msvc") {
                let shown = succeed(limited(60, "llvm-readobj-19").arg("--codeview").arg(&file))?.text();
                let names =
                    ["Name: point", "DisplayName: scale", "Inlinee: square", "VarName: sum", "DisplayName: counter"];
                assert!(names.iter().all(|name| shown.contains(name)), "{triple}: {shown}");
                continue;
            }
            verified(&file).map_err(|failure| failure.at(format!("{triple}, DWARF {version}")))?;
            let text = program_as(triple, Some(version), false, |object| object.finish_assembly()).map_err(failed)?;
            std::fs::write(&file, objects::assemble(triple, &String::from_utf8_lossy(&text))?)?;
            verified(&file).map_err(|failure| failure.at(format!("{triple}, DWARF {version}, assembled")))?;
            let lines =
                succeed(limited(60, "llvm-dwarfdump-19").args(["--debug-line", "--debug-info"]).arg(&file))?.text();
            assert!(lines.contains("     21     13") && lines.contains("\"twice\""), "{triple}: {lines}");
        }
    }
    Ok(())
}

const SETTINGS: &str = "\
set pagination off
set confirm off
set debuginfod enabled off
set startup-with-shell off
";

const COMMANDS: &str = "\
break scale
run
info args
next
print sum
break program.tern:6
continue
info locals
backtrace
up
print p
ptype p
break square
continue
backtrace
print n
next
print s
break program.tern:24
continue
print counter
print q
whatis scale
continue
info args
continue
";

const EXPECTED: &str = "
Breakpoint 1, scale (p=..., by=10) at program.tern:3
3\t    let sum = p.x + p.y;
p = {x = 3, y = 4, next = 0x0}
by = 10
4\t    if sum < by {
$1 = 7
Breakpoint 2, scale (p=..., by=10) at program.tern:6
6\t        sum = twice + 1;
twice = 14
sum = <optimized out>
#0  scale (p=..., by=10) at program.tern:6
16\t    let r = scale(p, 10);
$2 = {x = 3, y = 4, next = 0x0}
type = struct point {
    int x;
    int y;
    struct point *next;
}
Breakpoint 3.2, square (n=150) at program.tern:11
11\t    let s = n * n;
#0  square (n=150) at program.tern:11
#1  main () at program.tern:17
$3 = 150
12\t    return s + n;
$4 = 22500
Breakpoint 4, main () at program.tern:24
24\t    print(q);
$5 = 22660
$6 = 22653
type = int (struct point, int)
Breakpoint 3.1, square (n=0) at program.tern:11
11\t    let s = n * n;
n = 0
22653
";

/// Makes a program of an object, and has gdb run it. Gives what it says without lines that have addresses.
fn gdb(name: &str, triple: &str, object: Result<Vec<u8>, Error>, commands: &str) -> Result<String, Failure> {
    let folder = work_folder("debug_builder");
    let [script, file, exe] = ["commands", "o", "exe"].map(|ending| folder.join(format!("{name}-{triple}.{ending}")));
    std::fs::write(&script, format!("{SETTINGS}{commands}"))?;
    std::fs::write(&file, object.map_err(|error| Failure::new(error.to_string()))?)?;
    let cc = if triple.starts_with("i686") { tools::cc_32() } else { tools::cc() };
    succeed(limited(60, cc).arg(&file).arg("-o").arg(&exe))?;
    let mut gdb = limited(60, "gdb");
    gdb.args(["-nx", "-batch", "-x"]).arg(&script).arg(&exe).env("LC_ALL", "C").current_dir(&folder);
    let said = succeed(&mut gdb)?.text();
    let kept = |line: &&str| {
        !line.is_empty()
            && !["0x0000", "0x5", "0x8", " at 0x", "libthread", "process"].iter().any(|no| line.contains(no))
    };
    Ok(said.lines().filter(kept).collect::<Vec<_>>().join("\n"))
}

const NATIVE: [&str; 2] = ["x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu"];

#[test]
fn gdb_steps_and_shows_variables() -> Result<(), Failure> {
    std::fs::write(work_folder("debug_builder").join("program.tern"), SOURCE)?;
    for (triple, version) in [(NATIVE[0], 4), (NATIVE[0], 5), (NATIVE[1], 5)] {
        let said = gdb("steps", triple, program(triple, Some(version), false), COMMANDS)?;
        let place = format!("{triple}, DWARF {version}");
        tools::same_lines(EXPECTED.trim(), &said).map_err(|failure| failure.at(place))?;
    }
    Ok(())
}

/// Types of every form, other files, memory that a variable is in for a time, and variables that are kept.
fn forms(triple: &str) -> Result<Vec<u8>, Error> {
    let target = Target::from_triple(triple, &Features::default())?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let main_file = object.debug_info(&DebugOptions::new("main.tern").keep_variables(true))?;
    let other = object.source_file(DebugFile::new("macros.tern").directory("/nowhere"));
    let types = object.debug_types().at(main_file, 1)?;
    let (int, void) = (types.base("number", &CType::I32)?, types.void());
    let color = types.enumeration("color", &CType::U8, &[("red", 0), ("green", 200)])?;
    let shade = types.typedef("shade", color)?;
    let row = types.array(int, Some(3))?;
    let grid = types.array(row, Some(2))?;
    let both = CType::union([CType::I32, CType::F32]);
    let union = types.record("both", &both, &[("i", None), ("f", None)])?;
    let callback = types.function(int, &[types.pointer(void)?, shade], true)?;
    let callback = types.pointer(types.constant(callback)?)?;
    let fixed = types.volatile(types.reference(int)?)?;
    let name = types.string("digit");
    let kind = DiTypeKind::Basic { encoding: types.nodes(|_| 8).unwrap_or(0) };
    let digit = types.node(DiType { tag: 0x24, name, size_bits: 8, kind, ..DiType::default() })?;
    let wrong = DiType { scope: Some(DiScope::Type(DiTypeId(999))), ..DiType::default() };
    assert!(types.node(wrong).is_err());
    let [thread, lines] = [true, false].map(|on| {
        let name = if on { "thread" } else { "lines" };
        object.data(
            name,
            Linkage::Export,
            Data::writable([1, 0, 0, 0, 2, 0, 0, 0]).sized(24).aligned(8).thread_local(on),
        )
    });
    let (thread, lines) = (thread?, lines?);
    object.describe_data(thread, "thread", row, main_file, 1)?;
    object.describe_data(lines, "lines", grid, main_file, 2)?;
    let main = object.declare("main", Signature::c(CType::I32), Linkage::Export)?;
    object.define(main, |b| {
        b.set_location(3, 1);
        let mut variable = |name: &str, ty: DebugTypeRef, value: i128| {
            let variable = b.debug_variable(name, ty);
            let place = b.local(&CType::I64);
            b.debug_declare(variable, place);
            let value = b.iconst(Type::I64, value);
            b.store(value, place, 0);
        };
        let named: [(&str, DebugTypeRef, i128); 9] = [
            ("shade", shade.into(), 200),
            ("union", union.into(), 0x3fc0_0000),
            ("same", (&both).into(), 0x3fc0_0000),
            ("callback", callback.into(), 0),
            ("digit", digit.into(), 0x37),
            ("fixed", fixed.into(), 0),
            ("truth", CType::BOOL.into(), 1),
            (
                "vector",
                CType::Vector { lane: Scalar::Int { bits: 16, signed: true }, lanes: 4 }.into(),
                0x0004_0003_0002_0001,
            ),
            ("pair", CType::structure([CType::I32, CType::array(CType::U16, 2)]).into(), 0x0003_0002_0000_0001),
        ];
        named.into_iter().for_each(|(name, ty, value)| variable(name, ty, value));
        // In memory for a time, then a value, then nothing.
        let (address, seven) = (b.address(lines), b.i32_const(7));
        let moving = b.debug_variable("moving", int);
        b.debug_address(moving, address);
        b.set_location(4, 1);
        b.store(seven, address, 4);
        b.set_file(other);
        b.set_location(40, 1);
        b.debug_value(moving, seven);
        b.store(seven, address, 8);
        b.set_file(main_file);
        b.set_location(5, 1);
        b.debug_unknown(moving);
        b.store(seven, address, 12);
        b.set_location(6, 1);
        let zero = b.i32_const(0);
        b.ret(Some(zero));
    })?;
    object.finish()
}

#[test]
fn gdb_shows_types_of_every_form() -> Result<(), Failure> {
    const COMMANDS: &str = "\
break main.tern:4
run
info locals
ptype shade
whatis shade
ptype callback
whatis fixed
whatis same
ptype pair
print lines
ptype lines
ptype thread
next
frame
print moving
next
print moving
info line main.tern:6
";
    for triple in NATIVE {
        let said = gdb("forms", triple, forms(triple), COMMANDS)?;
        tools::same_lines(FORMS.trim(), &said).map_err(|failure| failure.at(format!("{triple}: {said}")))?;
    }
    Ok(())
}

const FORMS: &str = "
Breakpoint 1, main () at ./main.tern:4
shade = green
union = {i = 1069547520, f = 1.5}
same = {i = 1069547520, f = 1.5}
callback = 0x0
digit = 55 '7'
fixed = <error reading variable: Cannot access memory at address 0x0>
truth = true
vector = {1, 2, 3, 4}
pair = {_0 = 1, _1 = {2, 3}}
moving = 1
type = enum color {red, green = 200}
type = shade
type = number (*)(void *, shade, ...)
type = number & volatile
type = union both
type = struct {
    int _0;
    unsigned short _1[2];
}
$1 = {{1, 2, 0}, {0, 0, 0}}
type = number [2][3]
type = number [3]
#0  main () at /nowhere/macros.tern:40
40\tin /nowhere/macros.tern
$2 = 7
$3 = <optimized out>
";

/// What a body says wrongly is the error of its definition, with the place in the source.
#[test]
fn misuse_is_an_error_with_a_place() -> Result<(), Error> {
    type Wrong = fn(&mut Body<'_, '_>, DebugType, SourceFile);
    let rows: &[(&str, Wrong)] = &[
        ("`end_lexical_block` without a `begin_lexical_block` that it could end", |b, _, _| b.end_lexical_block()),
        ("`end_inlined_call` without a `begin_inlined_call` that it could end", |b, _, _| {
            b.begin_lexical_block(1, 1);
            b.end_inlined_call();
        }),
        ("a lexical block was begun and not ended", |b, _, _| b.begin_lexical_block(1, 1)),
        ("a source file of another object is used: make it with this one", |b, _, file| b.set_file(file)),
        ("the variable `v`: a debug type of another object is used: make it with this one", |b, ty, _| {
            b.debug_variable("v", ty);
        }),
        ("the variable `v`: type: _BitInt(0) does not exist", |b, _, _| {
            _ = b.debug_variable("v", CType::BitInt { bits: 0, signed: false })
        }),
        ("there is no parameter 2 to describe: the function has 1", |b, _, _| {
            let parameter = b.debug_parameter(2);
            let n = b.param(0);
            b.debug_value(parameter, n);
        }),
        ("there is no value v99 in this function", |b, _, _| {
            let variable = b.debug_variable("v", CType::I32);
            b.debug_value(variable, Value(99));
        }),
    ];
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
    let mut other = ObjectBuilder::new(&target, &BuilderOptions::new());
    let file = other.debug_info(&DebugOptions::new("other.tern"))?;
    let ty = other.debug_types().c(&CType::I32)?;
    for (message, wrong) in rows {
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
        object.debug_info(&DebugOptions::new("wrong.tern"))?;
        assert!(object.debug_info(&DebugOptions::new("twice.tern")).is_err());
        let f = object.declare("f", Signature::c(CType::I32).param(CType::I32), Linkage::Export)?;
        let outcome = object.define(f, |b| {
            b.set_location(7, 3);
            wrong(b, ty, file);
            let n = b.param(0);
            b.ret(Some(n));
        });
        let said = outcome.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(
            said.contains(message) && said.starts_with("wrong.tern:7:3: error: in function `f`: "),
            "{message}: {said}"
        );
    }
    // The verifier's errors, too.
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    object.debug_info(&DebugOptions::new("wrong.tern"))?;
    let f = object.declare("f", Signature::c(CType::I64).param(CType::I32), Linkage::Export)?;
    let outcome = object.define(f, |b| {
        b.set_location(7, 3);
        let (n, one) = (b.param(0), b.i64_const(1));
        b.set_location(8, 5);
        let sum = b.iadd(n, one);
        b.set_location(9, 5);
        b.ret(Some(sum));
    });
    let said = outcome.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(said.starts_with("wrong.tern:8:5: error: in function `f`: block b0, `"), "{said}");
    Ok(())
}

/// What C's text declares, as clang's debug information has it: types by name, members, bit-fields, signatures.
const DECLARATIONS: &str = "\
typedef unsigned long word;
enum color { RED, GREEN = 5, BLUE = -1 };
union both { float f; int i; };
struct list;
typedef struct { short left, right; } pair;
struct all {
  char c; signed char s; unsigned char u; _Bool b; long l; long long ll; word w;
  double d[2][3]; long double x; _Complex float z;
  enum color color; union both both; pair pair; struct list *list; const char *name;
  int (*compare)(const void *, const void *);
  unsigned bits : 3; signed more : 5; long long most : 33;
  struct { int inner; };
  volatile int v; int tail[];
};
";

const FUNCTION: &str = "word use(struct all *all, enum color color, pair by_value, const char *const name, ...)";

#[test]
fn types_of_c_text_are_those_of_clang() -> Result<(), Failure> {
    let failed = |error: Error| Failure::new(error.to_string());
    let folder = work_folder("debug_builder/c");
    let source = folder.join("types.c");
    std::fs::write(&source, format!("{DECLARATIONS}\n{FUNCTION} {{ return all->w; }}\n"))?;
    let questions = [
        "ptype/o struct all",
        "ptype union both",
        "ptype enum color",
        "ptype pair",
        "whatis word",
        "ptype use",
        "whatis use",
        "whatis ((struct all *)0)->compare",
        "print sizeof(struct all)",
        "print (enum color)5",
        "whatis ((struct all *)0)->list",
        "print &((struct all *)0)->z",
        "whatis ((struct all *)0)->name",
    ];
    for triple in ["x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu"] {
        let (judge, own) = (folder.join("judge.o"), folder.join("own.o"));
        let target = format!("--target={triple}");
        succeed(limited(60, tools::clang()).args([&target, "-g", "-O1", "-c"]).arg(&source).arg("-o").arg(&judge))?;
        let target = Target::from_triple(triple, &Features::default()).map_err(failed)?;
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
        let build = |object: &mut ObjectBuilder<'_>| {
            object.debug_info(&DebugOptions::new(DebugFile::new("types.c").directory(folder.to_string_lossy())))?;
            let signature = object.c_signature(&format!("{DECLARATIONS}{FUNCTION};"))?;
            let function = object.declare("use", signature, Linkage::Export)?;
            let word = object.value_type(&object.c_types().ulong)?;
            object.define(function, |b| {
                b.set_location(22, 5);
                let all = b.param(0);
                let result = b.load(word.unwrap_or(Type::I32), all, 0);
                b.ret(Some(result));
            })
        };
        build(&mut object).map_err(failed)?;
        std::fs::write(&own, object.finish().map_err(failed)?)?;
        verified(&own)?;
        let mut said = Vec::new();
        for object in [&judge, &own] {
            let mut gdb = limited(60, "gdb");
            gdb.args(["-nx", "-batch"]).env("LC_ALL", "C");
            questions.iter().for_each(|question| _ = gdb.args(["-ex", question]));
            // clang's name of all complex numbers.
            let text = succeed(gdb.arg(object))?.text().replace("_Complex float", "complex");
            said.push(text.lines().filter(|line| !line.contains("0x")).collect::<Vec<_>>().join("\n"));
        }
        assert!(said[0].contains("struct list *list;") && said[0].contains("GREEN = 5"), "{}", said[0]);
        tools::same_lines(&said[0], &said[1]).map_err(|failure| failure.at(triple))?;
        let names =
            succeed(limited(60, "llvm-dwarfdump-19").args(["--name=by_value", "--name=color"]).arg(&own))?.text();
        assert_eq!(names.matches("DW_TAG_formal_parameter").count(), 2, "{names}");
    }
    Ok(())
}
