//! Dialects that users register: what is refused when they are, what they see, what they build, and what is wrong in texts that use them.

use gusset_abi::memref::BuiltinType;
use gusset_abi::{AbiFeatures, AbiTarget};
use gusset_codegen::ir::{Function, IntCc, Opcode, Printer, Visibility};
use gusset_lower::llvm_type;
use gusset_mlir::dialect::{
    Amendment, Cast, Compare, Conversion, Dialect, Dialects, F32, ForeignType, I8, I32, MemrefDescriptor, Operation,
    Part, Pointers, Refusal, Result, TypeId, VOID,
};
use gusset_mlir::{BodyReader, Choices, declarations, import_module, read_module};

/// A dialect for tests.
struct My;

impl Dialect for My {
    fn name(&self) -> &'static str {
        "my"
    }

    fn operations(&self) -> &'static [Operation] {
        const fn row(name: &'static str, form: &'static str, rule: &'static str) -> Operation {
            Operation { name, form, rule }
        }
        const ALL: &[Operation] = &[
            row("my.twice", "% {} : A", "A -> A"),
            row("my.pair", "% , % {} : A -> (B*)", "A A -> B*"),
            row("my.norm", "% {} : A -> B", "A -> B"),
            row("my.first", "?checked % {} : A", "A -> eA"),
            row("my.log", "%* {} : A*", "A* ->"),
            row("my.over", "%1 over %0 {} : A", "A A -> A"),
            row("my.make", "{} : A", "-> A"),
            row("my.free", "% {} : A", "A ->"),
            row("my.bad", "$what % {} : A", "A -> A"),
        ];
        ALL
    }

    fn attributes(&self) -> &'static [&'static str] {
        &["my.plus", "my.place"]
    }

    fn functions(&self) -> &'static [&'static str] {
        &["my_log"]
    }

    fn convert_type(&self, ty: &mut ForeignType<'_>) -> Result<TypeId> {
        match ty.name() {
            "box" => ty.parameter_type(0),
            "pair" => {
                let members = [ty.parameter_type(0)?, ty.parameter_type(1)?];
                ty.types().structure(&members, false)
            }
            "void" => Ok(VOID),
            _ => Err(Refusal::new(format!("`{}` is unknown to it", ty.name()))),
        }
    }

    fn convert(&self, op: &mut dyn Conversion) -> Result<()> {
        match op.name() {
            "my.twice" => {
                let a = op.operand(0)?;
                let v = op.binary(Opcode::Iadd, a, a)?;
                op.give(0, v)
            }
            "my.pair" => {
                let (a, b) = (op.operand(0)?, op.operand(1)?);
                op.give(0, b)?;
                op.give(1, a)
            }
            "my.norm" => {
                let c = op.complex(0)?;
                let (x, y) = (op.binary(Opcode::Fmul, c.re, c.re)?, op.binary(Opcode::Fmul, c.im, c.im)?);
                let v = op.binary(Opcode::Fadd, x, y)?;
                op.give(0, v)
            }
            "my.first" => {
                let BuiltinType::Memref(ty) = op.operand_type(0)? else { return Err(Refusal::new("no memref")) };
                let (index, rank) = (op.index(), ty.rank());
                let zero = op.integer(index, 0)?;
                if op.attribute("checked").is_some() {
                    let size = op.memref(0)?.sizes[0];
                    let empty = op.compare(Compare::Int(IntCc::Eq), size, zero)?;
                    let ((trap, _), (on, _)) = (op.block(&[])?, op.block(&[])?);
                    op.branch(empty, trap, on)?;
                    op.start(trap)?;
                    op.intrinsic("trap", VOID, &[])?;
                    op.jump(on, &[])?;
                    op.start(on)?;
                }
                let at = op.element_address(0, &vec![zero; rank as usize])?;
                let ty = op.result_type(0)?;
                let v = op.load(ty, at)?;
                op.give(0, v)
            }
            "my.log" => {
                let all = (0..op.operand_count()).map(|i| op.operand(i)).collect::<Result<Vec<_>>>()?;
                op.call("my_log", VOID, &all).map(drop)
            }
            // A memref of its own: allocated, described by its type, given by parts.
            "my.make" => {
                let (index, ty) = (op.index(), op.types_mut().vector(F32, 8)?);
                let count = op.integer(index, 6)?;
                let [allocated, aligned] = op.allocate(ty, count, 64)?;
                let made = op.static_memref(0, allocated, aligned)?;
                assert_eq!(MemrefDescriptor::unpack(&made.pack()), Some(made.clone()));
                assert_eq!(made.get(Part::Stride(1)), made.strides.get(1).copied());
                assert_eq!((made.rank(), made.get(Part::Size(2))), (2, None));
                assert_eq!(op.converter()?.ranked(2).map(|d| d.len()), Ok(made.pack().len() as u32));
                op.give_parts(0, &made.pack())
            }
            "my.free" => {
                let allocated = op.memref(0)?.allocated;
                op.deallocate(allocated)
            }
            "my.over" => {
                let (a, b) = (op.operand(0)?, op.operand(1)?);
                let v = op.binary(Opcode::Sdiv, a, b)?;
                op.give(0, v)
            }
            _ => {
                let (v, what) = (op.operand(0)?, op.attribute("what").unwrap_or_default().to_string());
                match what.as_str() {
                    "type" => {
                        let v = op.cast(Cast::Trunc, v, I8)?;
                        op.give(0, v)
                    }
                    "nothing" => Ok(()),
                    "order" => op.give(1, v),
                    "operator" => op.binary(Opcode::Load, v, v).map(drop),
                    "mixed" => {
                        let f = op.float(F32, 1.0)?;
                        op.binary(Opcode::Fadd, f, v).map(drop)
                    }
                    "block" => {
                        let (block, _) = op.block(&[I32])?;
                        op.jump(block, &[])
                    }
                    "open" => {
                        let (block, _) = op.block(&[])?;
                        op.give(0, v)?;
                        op.jump(block, &[])
                    }
                    "after" => {
                        let (block, _) = op.block(&[])?;
                        op.jump(block, &[])?;
                        op.integer(I32, 1).map(drop)
                    }
                    "callee" => op.call("nobody", VOID, &[]).map(drop),
                    _ => Err(Refusal::new("this is not wanted")),
                }
            }
        }
    }

    fn amend(&self, attribute: &str, op: &mut dyn Conversion) -> Result<()> {
        let (v, n) = (op.result(0)?, op.integer_attribute(attribute)?.unwrap_or(1));
        let n = op.integer(v.ty(), n.into())?;
        let v = op.binary(Opcode::Iadd, v, n)?;
        op.give(0, v)
    }

    fn amend_symbol(&self, attribute: &str, value: &str, symbol: &mut Amendment) -> Result<()> {
        if attribute != "my.place" {
            return Err(Refusal::new("it is for operations"));
        }
        let place = value.trim_matches('"');
        symbol.section = Some(format!("{place}.{}", if symbol.function { "code" } else { "data" }));
        symbol.align = Some(if place == "odd" { 48 } else { 64 });
        symbol.visibility = Some(Visibility::Hidden);
        symbol.attributes.push(("noredzone".into(), String::new()));
        Ok(())
    }
}

fn choices() -> Choices {
    let mut dialects = Dialects::default();
    dialects.add(My).unwrap();
    Choices { dialects, ..Choices::default() }
}

/// A module's functions as IR, or what is wrong.
fn read(source: &str) -> std::result::Result<String, String> {
    let module =
        read_module(source.as_bytes(), "t.mlir", &AbiTarget::X86_64_LINUX, choices()).map_err(|e| e.to_string())?;
    let (printer, mut reader, mut text) = (Printer::new(&module.module), BodyReader::new(&module), String::new());
    for body in &module.bodies {
        let mut f = Function::default();
        reader.read(body, &mut f).map_err(|e| e.to_string())?;
        text += &printer.function(&f);
    }
    Ok(text)
}

fn body(parameters: &str, body: &str) -> std::result::Result<String, String> {
    read(&format!("func.func @f({parameters}) {{\n{body}\nreturn\n}}\n"))
}

#[test]
fn both_forms_are_read() {
    let custom = body(
        "%a: i32, %b: i32",
        "%0 = my.twice %a : i32\n%1:2 = my.pair %0, %b : i32 -> (i32, i32)\nmy.log %1#0, %1#1 : i32, i32",
    );
    let generic = body(
        "%a: i32, %b: i32",
        "%0 = \"my.twice\"(%a) : (i32) -> i32\n%1:2 = \"my.pair\"(%0, %b) : (i32, i32) -> (i32, i32)\n\"my.log\"(%1#0, %1#1) : (i32, i32) -> ()",
    );
    assert_eq!(custom, generic);
    let text = custom.unwrap();
    assert!(text.contains("iadd") && text.contains("my_log"), "{text}");
    // The text has the operands in another order than the generic form.
    let over = body("%a: i32, %b: i32", "%0 = my.over %a over %b : i32\nmy.log %0 : i32");
    assert_eq!(over, body("%a: i32, %b: i32", "%0 = \"my.over\"(%b, %a) : (i32, i32) -> i32\nmy.log %0 : i32"));
}

#[test]
fn values_of_every_type_are_seen() {
    let norm = body("%c: complex<f32>", "%0 = my.norm %c : complex<f32> -> f32\nmy.log %0 : f32").unwrap();
    assert_eq!(norm.matches("fmul").count(), 2, "{norm}");
    let first = body(
        "%m: memref<?x4xf32, strided<[?, 1], offset: ?>>",
        "%0 = my.first checked %m : memref<?x4xf32, strided<[?, 1], offset: ?>>\nmy.log %0 : f32",
    );
    let first = first.unwrap();
    assert!(first.contains("trap") && first.contains("load"), "{first}");
    let free = body("%m: memref<?xf32>", "%0 = my.first %m : memref<?xf32>\nmy.log %0 : f32").unwrap();
    assert!(!free.contains("trap"), "{free}");
}

#[test]
fn types_are_those_of_the_dialect() {
    let boxed = "%a: !my.box<i32>, %b: !my.pair<!my.box<f64>, vector<4xf32>>";
    let text = body(
        boxed,
        "%0 = my.twice %a : !my.box<i32>\nmy.log %0, %b : !my.box<i32>, !my.pair<!my.box<f64>, vector<4xf32>>",
    );
    assert!(text.as_ref().is_ok_and(|t| t.contains("iadd")), "{text:?}");
    // A box of an integer is not the integer, but is cast to it.
    let cast = body(
        "%a: !my.box<i32>",
        "%0 = builtin.unrealized_conversion_cast %a : !my.box<i32> to i32\n%1 = my.twice %0 : i32\nmy.log %1 : i32",
    );
    assert!(cast.is_ok(), "{cast:?}");
    for (parameters, line, why) in [
        ("%a: !my.box<i32>", "%0 = my.twice %a : i32", "value of another type"),
        ("%a: !my.crate<i32>", "", "`crate` is unknown to it"),
        ("%a: !my.box<tensor<4xi32>>", "", "bufferize first"),
        ("%a: !my.box", "", "a parameter of the type is missing"),
        ("%a: !my.box<i32 i8>", "", "is no type"),
        ("%a: !my.void", "", "gives it no size"),
        ("%a: !your.box<i32>", "my.log %a : !your.box<i32>", "a type of another dialect"),
    ] {
        let e = body(parameters, line).expect_err(parameters);
        assert!(e.contains(why), "{parameters}: {e}");
    }
}

#[test]
fn attributes_amend_operations_and_symbols() {
    let plain = body("%a: i32", "%0 = arith.muli %a, %a : i32\nmy.log %0 : i32").unwrap();
    let unknown = body("%a: i32", "%0 = arith.muli %a, %a {my.other, your.plus = 3} : i32\nmy.log %0 : i32").unwrap();
    assert_eq!(plain, unknown);
    let more = body("%a: i32", "%0 = arith.muli %a, %a {my.plus = 5 : i32} : i32\nmy.log %0 : i32").unwrap();
    assert!(more.contains("iadd") && more.contains('5') && !plain.contains("iadd"), "{more}");
    // Also after a region, and on an operation of the dialect.
    let looped = body(
        "%a: i32, %n: index",
        "%0 = scf.for %i = %n to %n step %n iter_args(%x = %a) -> (i32) {\nscf.yield %x : i32\n} {my.plus = 7 : i32}\n%1 = my.twice %0 {my.plus} : i32\nmy.log %1 : i32",
    );
    assert_eq!(looped.unwrap().matches("iadd").count(), 4);
    let none = body("%a: i32", "my.log %a {my.plus} : i32").unwrap_err();
    assert!(none.contains("t.mlir:2:") && none.contains("no such result"), "{none}");

    let source = "#where = \"hot\"\nfunc.func @f() attributes {my.place = #where} {\n return\n}\nmemref.global @g : memref<4xi32> = dense<1> {my.place = \"cold\"}\n";
    let module = read_module(source.as_bytes(), "t.mlir", &AbiTarget::X86_64_LINUX, choices()).unwrap();
    let symbol = |name: &str| module.module.symbols.iter().find(|s| s.name == name).unwrap();
    for (name, section) in [("f", "hot.code"), ("g", "cold.data")] {
        let s = symbol(name);
        assert_eq!((s.section.as_deref(), s.align, s.visibility), (Some(section), 64, Visibility::Hidden));
    }
    let imported = import_module(source.as_bytes(), "t.mlir", None, choices()).unwrap();
    let symbols = &imported.module.symbols;
    assert_eq!([0, 1].map(|i| symbols[i].attrs.iter().filter(|a| a.name == b"noredzone").count()), [1, 0]);
    assert_eq!([0, 1].map(|i| symbols[i].section.as_deref()), [Some(&b"hot.code"[..]), Some(&b"cold.data"[..])]);
    for (value, why) in [("my.place = \"odd\"", "a power of two"), ("my.plus", "it is for operations")] {
        let source = format!("func.func @f() attributes {{{value}}} {{\n return\n}}\n");
        let e = read(&source).unwrap_err();
        assert!(e.contains("t.mlir:1:") && e.contains(why), "{e}");
    }
}

#[test]
fn what_a_dialect_does_wrong_is_said() {
    for (what, why) in [
        ("type", "of another type than the result has"),
        ("nothing", "gave 0 of the operation's 1 results"),
        ("order", "no such result"),
        ("operator", "no binary operator"),
        ("mixed", "other types than it takes"),
        ("block", "arguments are not those of the block"),
        ("open", "never began it"),
        ("after", "after the terminator"),
        ("callee", "`@nobody` is not declared"),
        ("else", "this is not wanted"),
    ] {
        let e = body("%a: i32", &format!("%0 = my.bad {what} %a : i32")).expect_err(what);
        assert!(e.contains(why) && e.contains("t.mlir:2:6"), "{what}: {e}");
    }
}

#[test]
fn operations_that_are_wrong_are_refused() {
    for (line, why) in [
        ("%0 = my.twice %a, %a : i32", "expected `:`"),
        ("%0 = my.over %a over %b : i32", "value of another type"),
        ("%0 = \"my.twice\"(%a, %a) : (i32, i32) -> i32", "not the operands"),
        ("%0 = \"my.twice\"(%a) : (i32) -> i64", "of `i32`, not `i64`"),
        ("%0 = \"my.twice\"(%a) ({\n}) : (i32) -> i32", "with regions or successors"),
        ("%0 = my.thrice %a : i32", "`my.thrice` is not converted"),
        ("%0:2 = my.twice %a : i32", "1 results, not 2"),
    ] {
        let e = body("%a: i32, %b: i64", line).expect_err(line);
        assert!(e.contains(why) && e.contains("t.mlir:2:"), "{line}: {e}");
    }
    let e = read(
        "llvm.mlir.global @g() : i32 {\n%0 = llvm.mlir.constant(1 : i32) : i32\n%1 = my.twice %0 : i32\nllvm.return %1 : i32\n}\n",
    );
    assert!(e.as_ref().is_err_and(|e| e.contains("in initializers")), "{e:?}");
}

#[test]
fn registration_checks_what_is_said() {
    struct Other(&'static str, Operation, &'static [&'static str]);
    impl Dialect for Other {
        fn name(&self) -> &'static str {
            self.0
        }
        fn operations(&self) -> &'static [Operation] {
            Box::leak(Box::new([self.1]))
        }
        fn attributes(&self) -> &'static [&'static str] {
            self.2
        }
    }
    let add = |name, op, form, rule, attributes| {
        let mut dialects = Dialects::default();
        dialects.add(Other(name, Operation { name: op, form, rule }, attributes)).map_err(Refusal::reason)
    };
    assert_eq!(add("d", "d.op", "% [? , % ?] {} : A", "A A* -> A", &["d.x"]), Ok(()));
    for (name, op, form, rule, attributes) in [
        ("d.e", "d.e.op", "%", "_ ->", &[][..]),
        ("x86vector", "x86vector.op", "%", "_ ->", &[]),
        ("llvm", "llvm.op", "%", "_ ->", &[]),
        ("arith", "arith.addi", "% {} : A", "A -> A", &[]),
        ("d", "e.op", "%", "_ ->", &[]),
        ("d", "d.op", "%x", "_ ->", &[]),
        ("d", "d.op", "%1", "_ ->", &[]),
        ("d", "d.op", "!", "->", &[]),
        ("d", "d.op", "% ^", "_ ->", &[]),
        ("d", "d.op", "...", "_ ->", &[]),
        ("d", "d.op", "[? % : A", "A ->", &[]),
        ("d", "d.op", "[? {} ?] : A", "A ->", &[]),
        ("d", "d.op", "% : D", "D ->", &[]),
        ("d", "d.op", "% : A", "A", &[]),
        ("d", "d.op", "% : A", "B ->", &[]),
        ("d", "d.op", "% : A", "A -> _", &[]),
        ("d", "d.op", "% : A", "A -> ...", &[]),
        ("d", "d.op", "%", "_ ->", &["e.x"]),
    ] {
        assert!(add(name, op, form, rule, attributes).is_err(), "{name} {op} {form} {rule}");
    }
    let mut dialects = Dialects::none();
    dialects.add(My).unwrap();
    assert!(dialects.add(My).is_err());
    assert_eq!(format!("{dialects:?}"), "[\"my\"]");
}

#[test]
fn operations_of_machines_are_for_them_alone() {
    let arm = AbiTarget::from_triple("aarch64-linux-gnu", AbiFeatures::default()).unwrap();
    let compile = |source: &str, target: &AbiTarget| {
        let module = read_module(source.as_bytes(), "t.mlir", target, Choices::default()).unwrap();
        BodyReader::new(&module).read(&module.bodies[0], &mut Function::default()).map_err(|e| e.to_string())
    };
    let rsqrt = "func.func @f(%a: vector<8xf32>) {\n%0 = x86vector.avx.rsqrt %a : vector<8xf32>\nreturn\n}\n";
    assert_eq!(compile(rsqrt, &AbiTarget::X86_64_LINUX), Ok(()));
    assert!(compile(rsqrt, &arm).is_err_and(|e| e.contains("an operation of x86")));
    let compress = "func.func @f(%k: vector<16xi1>, %a: vector<16xf32>) {\n%0 = x86vector.avx512.mask.compress %k, %a, %a : vector<16xf32>, vector<16xf32>\nreturn\n}\n";
    assert!(compile(compress, &AbiTarget::X86_64_LINUX).is_err_and(|e| e.contains("AVX-512")));
    let smull = "func.func @f(%a: vector<8xi8>) {\n%0 = arm_neon.intr.smull %a, %a : vector<8xi8> to vector<8xi16>\nreturn\n}\n";
    assert_eq!(compile(smull, &arm), Ok(()));
    assert!(compile(smull, &AbiTarget::X86_64_LINUX).is_err_and(|e| e.contains("an operation of AArch64")));
    let bare = Choices { dialects: Dialects::none(), ..Choices::default() };
    let module = read_module(smull.as_bytes(), "t.mlir", &arm, bare).unwrap();
    let e = BodyReader::new(&module).read(&module.bodies[0], &mut Function::default()).unwrap_err();
    assert!(e.message().contains("is not converted"), "{e}");
}

#[test]
fn descriptors_are_built_and_taken_apart() {
    let text = body("", "%0 = my.make : memref<2x3xvector<8xf32>>\n%1 = my.make : memref<3x2xvector<8xf32>, strided<[1, 3], offset: 2>>\nmy.free %0 : memref<2x3xvector<8xf32>>\nmy.log %1 : memref<3x2xvector<8xf32>, strided<[1, 3], offset: 2>>").unwrap();
    assert_eq!((text.matches("malloc").count(), text.matches("free").count()), (2, 1), "{text}");
    let e = body("", "%0 = my.make : memref<?x3xf32>").unwrap_err();
    assert!(e.contains("not all in its type"), "{e}");
    let e = body("", "%0 = my.make : f32").unwrap_err();
    assert!(e.contains("not all in its type"), "{e}");
}

/// The reader's own types are those that the conversion in the ABI layer has: as arguments, as results, as elements.
#[test]
fn one_conversion_of_types() {
    let types = [
        "i1",
        "i7",
        "index",
        "f16",
        "bf16",
        "!llvm.ptr",
        "vector<3xf32>",
        "vector<2x3x4xi8>",
        "vector<f64>",
        "vector<2xindex>",
        "complex<f64>",
        "memref<f32>",
        "memref<?x4xf32>",
        "memref<2x?x3xcomplex<f32>, strided<[?, ?, 1], offset: 3>>",
        "memref<*xi8>",
        "(i32) -> memref<2xf32>",
        "!llvm.struct<(i8, array<3 x i16>)>",
        "si16",
        "ui8",
    ];
    for target in
        ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf", "x86_64-pc-windows-gnu"]
    {
        let target = AbiTarget::from_triple(target, AbiFeatures::default()).unwrap();
        for index_bits in [None, Some(32), Some(64)] {
            for ty in types {
                let source = format!("func.func private @f({ty}, memref<2x{ty}>) -> ({ty}, index)\n");
                let source = if ty.starts_with('(') || ty == "memref<*xi8>" {
                    format!("func.func private @f({ty}) -> ({ty}, index)\n")
                } else {
                    source
                };
                let (converter, found) = declarations(source.as_bytes(), "t.mlir", &target, index_bits).unwrap();
                let f = &found[0].ty;
                let expected = converter.function(f, Pointers::Expanded).unwrap();
                let caller = format!("{source}func.func @g(%a: {ty}) {{\n%0 = my.same %a : {ty}\nreturn\n}}\n");
                let mut dialects = Dialects::none();
                dialects
                    .add(Same(
                        expected.params_of(0).map(|p| expected.params[p].ty.to_string()).collect(),
                        converter.convert(&f.args[0]).unwrap().to_string(),
                    ))
                    .unwrap();
                let choices = Choices { dialects, index_bits, ..Choices::default() };
                let module = read_module(caller.as_bytes(), "t.mlir", &target, choices).unwrap();
                let read = BodyReader::new(&module).read(&module.bodies[0], &mut Function::default());
                assert_eq!(read.map_err(|e| e.to_string()), Ok(()), "{ty} {target:?}");
            }
        }
    }
}

/// Compares what the reader has with what it should have.
struct Same(Vec<String>, String);

impl Dialect for Same {
    fn name(&self) -> &'static str {
        "my"
    }

    fn operations(&self) -> &'static [Operation] {
        &[Operation { name: "my.same", form: "% {} : A", rule: "A -> A" }]
    }

    fn convert(&self, op: &mut dyn Conversion) -> Result<()> {
        let whole = op.operand(0)?;
        let parts = op.operand_parts(0)?;
        let shown = |ty| llvm_type(op.types(), ty).to_string();
        assert_eq!(shown(whole.ty()), self.1);
        // A descriptor's members are parameters each; all else travels as it is.
        match &self.0[..] {
            [one] => assert_eq!(one, &self.1),
            all => assert_eq!(all, parts.iter().map(|p| shown(p.ty())).collect::<Vec<_>>()),
        }
        op.give(0, whole)
    }
}
