//! Functions of libraries that code calls: every one is there, by the linkers and libraries of each system, or is done without, or refused by
//! its name. What a module defines itself does not call itself.

use std::fmt::Write as _;
use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, gusset, limited, run, succeed, work_folder};

/// Instructions and intrinsics on numbers of one type.
const ARITHMETIC: [&str; 5] = ["fadd", "fsub", "fmul", "fdiv", "frem"];
const ONE: [&str; 21] = [
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "round",
    "roundeven",
    "sin",
    "cos",
    "tan",
    "asin",
    "atan",
    "sinh",
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "canonicalize",
];
const TWO: [&str; 5] = ["minnum", "maxnum", "pow", "atan2", "copysign"];

/// Of those, what is no function of C's library for binary128 and `long double` but arithmetic.
const PLAIN: [&str; 2] = ["copysign", "canonicalize"];

/// A type of numbers with a point, and its name in those of intrinsics.
type Format = (&'static str, &'static str);
/// Of a type, is the operation left out?
type LeftOut = fn(&str, &str) -> bool;
/// A machine, options, types of numbers, and types of atomic accesses.
type Row<'r> = (Mode, &'r [&'r str], &'r [Format], &'r [&'r str]);

const FLOATS: [Format; 6] =
    [("half", "f16"), ("bfloat", "bf16"), ("float", "f32"), ("double", "f64"), ("x86_fp80", "f80"), ("fp128", "f128")];

/// Functions that do an operation on what is at an address.
struct Module {
    text: String,
    count: u32,
}

impl Module {
    fn function(&mut self, operands: &[&str], result: &str, body: &str) {
        let k = self.count;
        self.count += 1;
        let _ = writeln!(self.text, "define void @f{k}(ptr %p) {{");
        for (n, ty) in operands.iter().enumerate() {
            let _ = writeln!(self.text, "  %a{n} = load {ty}, ptr %p");
        }
        let _ = writeln!(self.text, "  %r = {body}\n  store {result} %r, ptr %p\n  ret void\n}}");
        if let Some((_, name)) = body.split_once(" @llvm.") {
            let name = name.split('(').next().unwrap_or_default();
            let declaration = format!("declare {result} @llvm.{name}({})\n", operands.join(", "));
            if !self.text.contains(&declaration) {
                self.text += &declaration;
            }
        }
    }

    /// Everything on a type of numbers with a point.
    fn arithmetic(&mut self, ty: &str, suffix: &str, is_left_out: impl Fn(&str) -> bool) {
        for name in ARITHMETIC.into_iter().filter(|name| !is_left_out(name)) {
            self.function(&[ty, ty], ty, &format!("{name} {ty} %a0, %a1"));
        }
        for name in ONE.into_iter().filter(|name| !is_left_out(name)) {
            self.function(&[ty], ty, &format!("call {ty} @llvm.{name}.{suffix}({ty} %a0)"));
        }
        for name in TWO.into_iter().filter(|name| !is_left_out(name)) {
            self.function(&[ty, ty], ty, &format!("call {ty} @llvm.{name}.{suffix}({ty} %a0, {ty} %a1)"));
        }
        if !is_left_out("fma") {
            let body = format!("call {ty} @llvm.fma.{suffix}({ty} %a0, {ty} %a1, {ty} %a2)");
            self.function(&[ty, ty, ty], ty, &body);
        }
        if !is_left_out("ldexp") {
            let body = format!("call {ty} @llvm.ldexp.{suffix}.i32({ty} %a0, i32 %a1)");
            self.function(&[ty, "i32"], ty, &body);
        }
        self.function(&[ty, "i32"], ty, &format!("call {ty} @llvm.powi.{suffix}.i32({ty} %a0, i32 %a1)"));
        for cc in ["oeq", "one", "olt", "ole", "ogt", "oge", "uno", "ueq", "ult"] {
            self.function(&[ty, ty], "i1", &format!("fcmp {cc} {ty} %a0, %a1"));
        }
        for int in ["i8", "i32", "i64", "i128", "i200"] {
            for letter in ["s", "u"] {
                self.function(&[int], ty, &format!("{letter}itofp {int} %a0 to {ty}"));
                self.function(&[ty], int, &format!("fpto{letter}i {ty} %a0 to {int}"));
            }
        }
    }

    fn conversions(&mut self, floats: &[Format]) {
        for (k, (narrow, _)) in floats.iter().enumerate() {
            for (wide, _) in floats.iter().skip(k + 1).filter(|wide| *narrow != "half" || wide.0 != "bfloat") {
                self.function(&[narrow], wide, &format!("fpext {narrow} %a0 to {wide}"));
                self.function(&[wide], narrow, &format!("fptrunc {wide} %a0 to {narrow}"));
            }
        }
    }

    fn integers(&mut self, atomics: &[&str]) {
        for ty in ["i8", "i32", "i64", "i128"] {
            for name in ["sdiv", "udiv", "srem", "urem", "mul"] {
                self.function(&[ty, ty], ty, &format!("{name} {ty} %a0, %a1"));
            }
        }
        for ty in atomics {
            self.function(&["ptr", ty], ty, &format!("atomicrmw add ptr %a0, {ty} %a1 seq_cst"));
            self.function(&["ptr", ty], ty, &format!("atomicrmw umax ptr %a0, {ty} %a1 seq_cst"));
        }
        self.text += "declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)\ndeclare void @llvm.memset.p0.i32(ptr, i8, i32, i1)\n\
                      declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)\n\
                      define void @blocks(ptr %p, ptr %q, i32 %n) {\n\
                      call void @llvm.memcpy.p0.p0.i32(ptr %p, ptr %q, i32 %n, i1 false)\n\
                      call void @llvm.memmove.p0.p0.i32(ptr %p, ptr %q, i32 %n, i1 false)\n\
                      call void @llvm.memset.p0.i32(ptr %p, i8 1, i32 %n, i1 false)\nret void\n}\n";
    }
}

fn compile(target: &str, flags: &[&str], source: &Path, object: &Path) -> Result<(), Failure> {
    let mut command = limited(60, gusset()?);
    command.args(["compile", "--verify", "--target", target]).args(flags);
    succeed(command.arg(source).arg("-o").arg(object)).map(drop)
}

/// A module with everything is linked to a program.
fn links(
    name: &str,
    (target, flags): (&str, &[&str]),
    (floats, is_left_out): (&[Format], LeftOut),
    atomics: &[&str],
    link: impl Fn(&Path, &Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let folder = work_folder(&format!("libraries/{name}"));
    let [source, object, program] = ["all.ll", "all.o", "all.exe"].map(|file| folder.join(file));
    let mut module = Module { text: String::new(), count: 0 };
    floats.iter().for_each(|(ty, suffix)| module.arithmetic(ty, suffix, |op| is_left_out(ty, op)));
    module.conversions(floats);
    module.integers(atomics);
    module.text += "define i32 @main() {\nret i32 0\n}\n";
    std::fs::write(&source, &module.text)?;
    compile(target, flags, &source, &object)?;
    link(&object, &program)?;
    // What is left out is refused, by its name.
    for (ty, suffix) in floats {
        for op in ONE.iter().chain(&TWO).chain(&["frem", "fma"]).filter(|op| is_left_out(ty, op)) {
            let mut module = Module { text: String::new(), count: 0 };
            module.arithmetic(ty, suffix, |other| other != *op);
            std::fs::write(&source, &module.text)?;
            let mut command = limited(60, gusset()?);
            let outcome = run(command.args(["compile", "--target", target]).arg(&source).arg("-o").arg(&object))?;
            let said = outcome.errors();
            let function = op.trim_start_matches("frem").trim_end_matches("num");
            let named =
                said.contains(function) && said.contains("of this system has") || said.contains("does not exist");
            assert!(outcome.code == 1 && named, "{op} of {ty}: {said}");
        }
    }
    Ok(())
}

fn none(_: &str, _: &str) -> bool {
    false
}

/// What is a function of C's library, or is made of such.
fn functions_of_quad(ty: &str, op: &str) -> bool {
    let arithmetic = ARITHMETIC.contains(&op) && op != "frem";
    ty == "fp128" && !arithmetic && !PLAIN.contains(&op)
}

#[test]
fn on_linux() -> Result<(), Failure> {
    let wide = &["i8", "i16", "i32", "i64", "i128", "i256"][..];
    let quad = [&FLOATS[..4], &FLOATS[5..]].concat();
    let rows: [Row; 7] = [
        (Mode::Bits64, &[], &FLOATS, wide),
        (Mode::Bits32, &["--pic"], &FLOATS, wide),
        (Mode::Aarch64, &[], &quad, wide),
        (Mode::A32, &[], &FLOATS[..4], wide),
        (Mode::T32, &[], &FLOATS[..4], wide),
        (Mode::Soft, &[], &FLOATS[..4], wide),
        (Mode::V5, &[], &FLOATS[..4], wide),
    ];
    for (mode, flags, floats, atomics) in rows {
        let flags = [flags, mode.gusset_flags()].concat();
        links(&format!("{mode:?}"), (mode.triple(), &flags), (floats, none), atomics, |object, program| {
            mode.link(&[object.to_path_buf()], &["-lm", "-latomic"], program)
        })?;
    }
    Ok(())
}

#[test]
fn with_mingw() -> Result<(), Failure> {
    let atomics = &["i8", "i16", "i32", "i64"];
    for name in ["x86_64-w64-mingw32", "i686-w64-mingw32"] {
        links(name, (name, &[]), (&FLOATS, functions_of_quad), atomics, |object, program| {
            succeed(limited(60, format!("{name}-gcc")).arg(object).arg("-o").arg(program)).map(drop)
        })?;
    }
    Ok(())
}

/// Microsoft's libraries, which are not here, have no function by any of these names; those for i386 none of the last.
#[test]
fn of_microsoft() -> Result<(), Failure> {
    let missing = ["hfsf2", "sfhf2", "dfhf2", "xfhf2", "tfhf2", "roundeven", "f128", "exp10"];
    let (single, extended) =
        (["fmodf", "floorf", "ceilf", "sqrtf", "sinf", "powf"], ["fmodl", "fmal", "floorl", "sinl"]);
    for triple in
        ["x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "aarch64-pc-windows-msvc", "thumbv7-pc-windows-msvc"]
    {
        let is_x86 = triple.contains("86");
        let floats = if is_x86 { &FLOATS[..] } else { &FLOATS[..4] };
        let left_out = |ty: &str, op: &str| {
            functions_of_quad(ty, op)
                || ty == "x86_fp80"
                    && functions_of_quad("fp128", op)
                    && op != "sqrt"
                    && op != "rint"
                    && !op.starts_with("min")
                    && !op.starts_with("max")
                    && !["nearbyint", "roundeven", "trunc", "floor", "ceil", "round"].contains(&op)
        };
        links(triple, (triple, &[]), (floats, left_out), &[], |object, _| {
            let symbols = succeed(limited(20, "llvm-nm-19").args(["-u", "--no-demangle"]).arg(object))?.text();
            for name in symbols.split_whitespace().filter(|word| *word != "U") {
                let plain = name.strip_prefix('_').filter(|_| triple.starts_with("i686")).unwrap_or(name);
                let none = missing.iter().any(|part| plain.contains(part)) || extended.contains(&plain);
                let none = none || triple.starts_with("i686") && single.contains(&plain);
                assert!(!none, "{triple} has no function `{name}`");
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// A library's functions, made of the very operations that would call them, in both languages.
#[test]
fn what_is_defined_is_not_called() -> Result<(), Failure> {
    let folder = work_folder("libraries/own");
    let mut text = String::new();
    let mut mlir = String::new();
    let mut checks = String::new();
    for name in ["floor", "ceil", "trunc", "rint", "nearbyint", "round"] {
        for (ty, suffix, letter, short) in
            [("float", "f", "f32", "f32"), ("double", "", "f64", "f64"), ("x86_fp80", "l", "f80", "")]
        {
            let _ = writeln!(
                text,
                "declare {ty} @llvm.{name}.{letter}({ty})\ndefine {ty} @{name}{suffix}({ty} %x) {{\n  \
                 %r = call {ty} @llvm.{name}.{letter}({ty} %x)\n  ret {ty} %r\n}}"
            );
            if !short.is_empty() && !["rint", "nearbyint"].contains(&name) {
                let _ = writeln!(
                    mlir,
                    "func.func @{name}{suffix}(%x: {short}) -> {short} {{\n  %r = math.{name} %x : {short}\n  return %r : {short}\n}}"
                );
            }
            let c = if suffix == "f" {
                "float"
            } else if suffix == "l" {
                "long double"
            } else {
                "double"
            };
            let away = name == "round";
            let expected = match name {
                "floor" => "{ -3, -3, -1, -0.0, 0, 0, 1, 2, 3e30 }",
                "ceil" => "{ -2, -2, -0.0, -0.0, 0, 1, 2, 3, 3e30 }",
                "trunc" => "{ -2, -2, -0.0, -0.0, 0, 0, 1, 2, 3e30 }",
                _ if away => "{ -3, -3, -1, -0.0, 0, 1, 2, 3, 3e30 }",
                _ => "{ -3, -2, -0.0, -0.0, 0, 0, 2, 2, 3e30 }",
            };
            let inputs = "{ -2.75, -2.5, -0.5, -0.0, 0, 0.5, 1.5, 2.5, 3e30 }";
            let _ = writeln!(
                checks,
                "{{ {c} {name}{suffix}({c}), in[] = {inputs}, out[] = {expected}; for (int k = 0; k < 9; k++) {{ \
                 {c} r = {name}{suffix}(in[k]); if (r != out[k] || __builtin_signbit(r) != __builtin_signbit(out[k])) \
                 printf(\"{name}{suffix}(%g) is %g\\n\", (double)in[k], (double)r); }} }}"
            );
        }
    }
    text += "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n\
             declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n\
             define ptr @memcpy(ptr %p, ptr %q, i64 %n) {\n call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)\n ret ptr %p\n}\n\
             define ptr @memmove(ptr %p, ptr %q, i64 %n) {\n call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)\n ret ptr %p\n}\n\
             define ptr @memset(ptr %p, i32 %c, i64 %n) {\n %b = trunc i32 %c to i8\n \
             call void @llvm.memset.p0.i64(ptr %p, i8 %b, i64 %n, i1 false)\n ret ptr %p\n}\n";
    let [source, upper, main, object, program] =
        ["own.ll", "own.mlir", "main.c", "own.o", "own"].map(|name| folder.join(name));
    std::fs::write(&source, text)?;
    std::fs::write(&upper, mlir)?;
    let driver = format!(
        "#include <stdio.h>\n#include <string.h>\nint main(void) {{\n{checks}\nchar a[16] = \"0123456789\", b[16]; volatile long n = 9; \
         memmove(a + 1, a, n); memset(b, 'x', n + 2); memcpy(b, a, n); memmove(b + 2, b + 4, n - 5); b[11] = 0; \
         puts(a); puts(b); }}\n"
    );
    std::fs::write(&main, driver)?;
    compile(Mode::Bits64.triple(), &[], &source, &object)?;
    let mut judge = limited(60, "gcc");
    succeed(judge.args(["-w", "-O0", "-fno-builtin"]).arg(&main).arg(&object).arg("-o").arg(&program))?;
    assert_eq!(succeed(&mut limited(20, &program))?.text(), "0012345678\n003456567xx\n");
    compile(Mode::Bits64.triple(), &[], &upper, &object)?;
    let undefined = succeed(limited(20, "llvm-nm-19").arg("-u").arg(&object))?.text();
    assert_eq!(undefined.trim(), "");
    Ok(())
}
