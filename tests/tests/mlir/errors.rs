//! Errors of MLIR modules as the command says them: all at once, in the order of the text, with no output file. Where MLIR's own
//! tools refuse the same, so do they.

use gusset_tests::mlir::{LOWERING, opt, translate};
use gusset_tests::tools::{Failure, gusset, limited, run, succeed, work_folder};

const MODULE: &str = "module {
  func.func @one(%t: tensor<4xf32>, %n: index) -> f32 {
    %0 = tensor.extract %t[%n] : tensor<4xf32>
    %1 = \"tosa.add\"(%t, %t) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : f32
  }
  func.func @two(%x: i32) -> f32 {
    %0 = builtin.unrealized_conversion_cast %x : i32 to f32
    gpu.barrier
    return %0 : f32
  }
  func.func @three(%x: i32) -> i32 {
    return %x : i32
  }
}
";

/// Threads read functions in another order; nobody sees that.
#[test]
fn all_at_once() -> Result<(), Failure> {
    let folder = work_folder("mlir-errors");
    let (file, object) = (folder.join("m.mlir"), folder.join("m.o"));
    std::fs::write(&file, MODULE)?;
    let mut before = None;
    for threads in ["1", "2", "8"] {
        let mut command = limited(20, gusset()?);
        command.args(["compile", "--threads", threads]).arg(&file).arg("-o").arg(&object);
        let outcome = run(&mut command)?;
        let text = outcome.errors();
        assert_eq!(outcome.code, 1, "{text}");
        assert!(!object.exists());
        let places: Vec<&str> =
            text.lines().filter_map(|l| l.split_once("m.mlir:")?.1.split_once(": error: ").map(|p| p.0)).collect();
        assert_eq!(places, ["2:18", "3:10", "4:10", "8:10", "9:5"], "{text}");
        for part in [
            " 2 |   func.func @one(%t: tensor<4xf32>, %n: index) -> f32 {\n   |                  ^\n",
            "`tosa.add` of type `(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>` is not converted",
            "`builtin.unrealized_conversion_cast %x : i32 to f32`",
            "the operation `gpu.barrier` is not converted: operations for GPUs are not converted",
        ] {
            assert!(text.contains(part), "{part}\nis missing in\n{text}");
        }
        if let Some(before) = before.replace(text.clone()) {
            assert_eq!(before, text);
        }
    }
    Ok(())
}

/// Casts that cancel, or join a type with its conversion; the others are refused by MLIR's tools too.
#[test]
fn casts() -> Result<(), Failure> {
    let descriptor = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>";
    let pairs = [
        ("index", "i64", true),
        ("memref<?xf32>", descriptor, true),
        ("memref<*xf32>", "!llvm.struct<(i64, ptr)>", true),
        ("complex<f64>", "!llvm.struct<(f64, f64)>", true),
        ("vector<2x4xf32>", "!llvm.array<2 x vector<4xf32>>", true),
        ("i32", "f32", false),
        ("memref<?xf32>", "!llvm.ptr", false),
        ("memref<?xf32>", "!llvm.struct<(i64, ptr)>", false),
        ("complex<f64>", "!llvm.struct<(f32, f32)>", false),
    ];
    let folder = work_folder("mlir-casts");
    let [file, lowered, ir, object] = ["m.mlir", "lowered.mlir", "m.ll", "m.o"].map(|n| folder.join(n));
    for (from, to, cancels) in pairs {
        let cast = format!("%0 = builtin.unrealized_conversion_cast %x : {from} to {to}");
        let back = format!("%1 = builtin.unrealized_conversion_cast %0 : {to} to {from}");
        let text = if cancels {
            format!("func.func @f(%x: {from}) -> {from} {{\n{cast}\n{back}\nreturn %1 : {from}\n}}\n")
        } else {
            format!("func.func @f(%x: {from}) -> {to} {{\n{cast}\nreturn %0 : {to}\n}}\n")
        };
        std::fs::write(&file, &text)?;
        let theirs = run(limited(60, opt()).args(LOWERING).arg(&file).arg("-o").arg(&lowered))?.code == 0
            && run(limited(60, translate()).arg("--mlir-to-llvmir").arg(&lowered).arg("-o").arg(&ir))?.code == 0;
        assert_eq!(theirs, cancels, "{text}");
        let ours = run(limited(20, gusset()?).arg("compile").arg(&file).arg("-o").arg(&object))?;
        assert_eq!(ours.code == 0, cancels, "{text}{}", ours.errors());
        assert!(
            cancels || ours.errors().contains(&format!("from {from} to {to}")) || ours.errors().contains(&cast[5..])
        );
    }
    Ok(())
}

/// Functions that MLIR's verifier refuses: parameters, what is wrong, and what is said of it.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "affine.for %k = 0 to 9 {\n%j = memref.load %p[%c] : memref<1xindex>\n%v = affine.load %p[%j] : memref<1xindex>\n}",
        "an index of `affine.load`",
    ),
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "affine.for %k = 0 to 9 {\n%j = memref.load %p[%c] : memref<1xindex>\naffine.store %c, %p[%j] : memref<1xindex>\n}",
        "an index of `affine.store`",
    ),
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "affine.for %k = 0 to 9 {\n%j = arith.addi %k, %k : index\n%v = affine.load %p[%j] : memref<1xindex>\n}",
        "an index of `affine.load`",
    ),
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "scf.for %k = %c to %c step %c {\n%v = affine.load %p[%k] : memref<1xindex>\n}",
        "an index of `affine.load`",
    ),
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "scf.if %t {\n%j = arith.addi %c, %c : index\n%v = affine.load %p[%j] : memref<1xindex>\n}",
        "an index of `affine.load`",
    ),
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "affine.for %k = 0 to 9 {\n%j = memref.load %p[%c] : memref<1xindex>\naffine.if affine_set<(d0) : (d0 >= 0)>(%j) {\n}\n}",
        "an operand of `affine.if` cannot be used as a dimension",
    ),
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "affine.for %k = 0 to 9 {\naffine.if affine_set<()[s0] : (s0 >= 0)>()[%k] {\n}\n}",
        "cannot be used as a symbol",
    ),
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "affine.for %k = 0 to 9 {\n%j = memref.load %p[%c] : memref<1xindex>\naffine.for %q = 0 to %j {\n}\n}",
        "an operand of `affine.for` cannot be used as a symbol",
    ),
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "affine.for %k = 0 to 9 {\naffine.for %q = 0 to affine_map<()[s0] -> (s0)>()[%k] {\n}\n}",
        "cannot be used as a symbol",
    ),
    (
        "%p: memref<1xindex>, %c: index, %t: i1",
        "affine.for %k = 0 to 9 {\n%j = memref.load %p[%c] : memref<1xindex>\naffine.parallel (%z) = (0) to (%j) {\n}\n}",
        "an operand of `affine.parallel`",
    ),
    ("%a: i32, %b: i32", "%0 = llvm.intr.pow(%a, %b) : (i32, i32) -> i32", "`pow`"),
    ("%a: f32, %b: f64", "%0 = llvm.intr.powi(%a, %b) : (f32, f64) -> f32", "`llvm.intr.powi`"),
    (
        "%a: vector<4xf32>, %b: vector<4xi32>",
        "%0 = llvm.intr.powi(%a, %b) : (vector<4xf32>, vector<4xi32>) -> vector<4xf32>",
        "`llvm.intr.powi`",
    ),
    ("%a: f32", "\"llvm.intr.assume\"(%a) : (f32) -> ()", "`llvm.intr.assume` takes an `i1`"),
    (
        "%m: memref<8x16xf32>",
        "%0 = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32>",
        "strided<[16, 1]>",
    ),
    (
        "%m: memref<8x16xf32>",
        "%0 = memref.subview %m[0, 4] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1]>>",
        "offset: 4",
    ),
    (
        "%m: memref<8x16xf32>",
        "%0 = memref.subview %m[-1, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1], offset: ?>>",
        "not negative",
    ),
    ("%m: memref<2xf32>, %n: memref<3xf32>", "memref.copy %m, %n : memref<2xf32> to memref<3xf32>", "other shapes"),
    ("%m: memref<2xf32>", "%0 = memref.cast %m : memref<2xf32> to memref<3xf32>", "cannot be cast"),
    ("%m: memref<2xf32>", "%0 = memref.cast %m : memref<2xf32> to memref<*xi32>", "cannot be cast"),
    ("%m: memref<64xi8>, %i: index", "%0 = memref.view %m[%i][] : memref<64xi8> to memref<?xf32>", "as many sizes"),
    (
        "%m: memref<2x3xf32>",
        "%0 = memref.collapse_shape %m [[0, 1]] : memref<2x3xf32> into memref<5xf32>",
        "has not the size",
    ),
    (
        "%m: memref<3x4xf32, strided<[8, 1]>>",
        "%0 = memref.collapse_shape %m [[0, 1]] : memref<3x4xf32, strided<[8, 1]>> into memref<12xf32, strided<[1]>>",
        "gaps",
    ),
    (
        "%m: memref<6xf32>",
        "%0 = memref.expand_shape %m [[0, 1]] output_shape [2, 4] : memref<6xf32> into memref<2x4xf32>",
        "has not the size",
    ),
    (
        "%m: memref<2x3xf32>",
        "%0 = memref.transpose %m (i, j) -> (j, i) : memref<2x3xf32> to memref<3x2xf32>",
        "strided<[1, 3]>",
    ),
    (
        "%m: memref<8xf32>",
        "%0 = memref.reinterpret_cast %m to offset: [1], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>",
        "offset: 1",
    ),
    ("%i: index", "%0 = memref.alloc(%i, %i) : memref<?xf32>", "as many sizes"),
    ("%i: index", "%0 = memref.alloc()[%i] : memref<4xf32>", "as many values in brackets"),
    ("%m: memref<4xf32>", "memref.assume_alignment %m, 12 : memref<4xf32>", "power of two"),
    (
        "%i: index, %f: f32",
        "\"scf.for\"(%i, %i, %i, %f) ({\n^bb0(%k: index, %x: f32):\nscf.yield %x : f32\n}) : (index, index, index, f32) -> ()",
        "the results",
    ),
    (
        "%i: index",
        "%s = arith.constant -1 : index\nscf.parallel (%k) = (%i) to (%i) step (%s) {\n}",
        "a step is positive",
    ),
    (
        "%i: index, %f: f32",
        "%r = scf.parallel (%k) = (%i) to (%i) step (%i) init (%f) -> f32 {\n}",
        "as many reductions",
    ),
    ("%b: i1", "\"scf.if\"(%b) ({}, {}, {}) : (i1) -> ()", "as many regions"),
    ("%i: index", "scf.for %k = %i to %i step %i {\nfunc.return\n}", "does not return from the function"),
    (
        "%i: index",
        "%0 = \"affine.apply\"(%i) {map = affine_map<(d0) -> (d0)>} : (index) -> i32",
        "the result should have another type",
    ),
    ("%i: index, %j: index", "%0 = affine.apply affine_map<(d0, d1) -> (d0 * d1)>(%i, %j)", "not affine"),
    ("%i: index, %j: index", "%0 = affine.apply affine_map<(d0, d1) -> (d0 mod d1)>(%i, %j)", "not affine"),
    ("%i: index", "affine.for %k = affine_map<(d0) -> (d0, 4)>(%i) to 8 {\n}", "`max` or `min`"),
    ("%i: si32", "%0 = arith.addi %i, %i : si32", "is not for the type"),
    ("%i: index", "%0 = arith.extsi %i : index to i128", "is not for the type"),
    ("%i: index", "%0 = arith.index_cast %i : index to index", "has to be an index"),
    ("", "%0 = complex.constant [1.0 : f32, -1.0 : f32] : complex<f64>", "of another type"),
    (
        "%p: !llvm.ptr, %i: i32",
        "llvm.call %p(%i) vararg(!llvm.func<void (i64, ...)>) : !llvm.ptr, (i32) -> ()",
        "has not the arguments",
    ),
    ("%p: !llvm.ptr", "llvm.call %p() : !llvm.ptr, () -> (i32, i32)", "more than one result"),
    ("%v: vector<2x3xf32>", "%0 = llvm.bitcast %v : vector<2x3xf32> to vector<2x3xi32>", "is not for the type"),
    ("%a: i32 {llvm.noalias}", "", "is of what is no pointer"),
    ("%a: f32 {llvm.signext}", "", "is of what is no integer"),
    (
        "%m: memref<8x8xf32, strided<[16, 2]>>, %v: vector<4xf32>, %i: index",
        "vector.store %v, %m[%i, %i] : memref<8x8xf32, strided<[16, 2]>>, vector<4xf32>",
        "gaps",
    ),
];

/// What MLIR's verifier refuses is refused: each of the functions has an error of its own, by both.
#[test]
fn what_the_verifier_refuses() -> Result<(), Failure> {
    let folder = work_folder("mlir-refused");
    let (file, pieces, object) = (folder.join("m.mlir"), folder.join("pieces.mlir"), folder.join("m.o"));
    let functions: Vec<String> = REFUSED
        .iter()
        .enumerate()
        .map(|(i, (parameters, body, _))| format!("func.func @f{i}({parameters}) {{\n{body}\nreturn\n}}\n"))
        .collect();
    std::fs::write(&file, functions.concat())?;
    std::fs::write(&pieces, functions.join("// -----\n"))?;
    let ours = run(limited(20, gusset()?).arg("compile").arg(&file).arg("-o").arg(&object))?;
    assert_eq!(ours.code, 1);
    let theirs = run(limited(60, opt()).arg("--split-input-file").arg(&pieces).arg("-o").arg(&object))?;
    // Lines of errors, with what is said.
    let (ours, theirs) = (ours.errors(), theirs.errors());
    let place = |line: &str| -> Option<(usize, String)> {
        Some((line.split_once("m.mlir:")?.1.split(':').next()?.parse().ok()?, line.to_string()))
    };
    let ours: Vec<(usize, String)> = ours.lines().filter(|line| line.contains(": error: ")).filter_map(place).collect();
    // Pieces begin on the line before, but for the first.
    let (mut line, mut piece) = (1, 1);
    for (function, (_, body, part)) in functions.iter().zip(REFUSED) {
        let lines = function.lines().count();
        let own: Vec<&String> = ours.iter().filter(|e| (line..line + lines).contains(&e.0)).map(|e| &e.1).collect();
        assert!(own.len() == 1 && own[0].contains(part), "{body}\n{own:?}");
        assert!(theirs.contains(&format!("pieces.mlir:{piece} offset ")), "{body}\nMLIR takes it");
        piece += lines + usize::from(piece > 1);
        line += lines;
    }
    Ok(())
}

/// Notes are no errors, and are said on request alone.
#[test]
fn notes_on_signatures() -> Result<(), Failure> {
    let folder = work_folder("mlir-notes");
    let (file, object) = (folder.join("m.mlir"), folder.join("m.o"));
    std::fs::write(&file, "func.func @two(%a: f32) -> (f32, f32) {\n  return %a, %a : f32, f32\n}\n")?;
    for (flags, expected) in [(&[][..], ""), (&["--note-c-signatures"], "m.mlir:1:1: note: C cannot call `@two`: ")] {
        let mut command = limited(20, gusset()?);
        command.args(["compile", "--target", "x86_64-linux-gnu"]).args(flags).arg(&file).arg("-o").arg(&object);
        let outcome = run(&mut command)?;
        let said = outcome.errors();
        assert!(outcome.code == 0 && said.contains(expected) && said.is_empty() == expected.is_empty(), "{said}");
    }
    Ok(())
}

/// Bytecode is known by its first bytes, whatever the file's name, and how text is made of it is said.
#[test]
fn bytecode() -> Result<(), Failure> {
    let folder = work_folder("mlir-bytecode");
    let [file, code, text, object, again] =
        ["m.mlir", "m.mlirbc", "again.mlir", "m.o", "again.o"].map(|n| folder.join(n));
    std::fs::write(&file, "func.func @f(%x: i32) -> i32 {\n  return %x : i32\n}\n")?;
    // An earlier run may have left it.
    _ = std::fs::remove_file(&object);
    assert_eq!(run(limited(60, opt()).arg("--emit-bytecode").arg(&file).arg("-o").arg(&code))?.code, 0);
    let outcome = run(limited(20, gusset()?).arg("compile").arg(&code).arg("-o").arg(&object))?;
    let advice = "have it printed as text (`mlir-opt FILE -o FILE.mlir`)";
    assert!(outcome.code == 1 && outcome.errors().contains(advice) && !object.exists(), "{}", outcome.errors());
    assert_eq!(run(limited(60, opt()).arg(&code).arg("-o").arg(&text))?.code, 0);
    assert_eq!(run(limited(20, gusset()?).arg("compile").arg(&text).arg("-o").arg(&again))?.code, 0);
    Ok(())
}

/// What may stand in affine maps, though it is defined in a region.
#[test]
fn what_stands_in_affine_maps() -> Result<(), Failure> {
    let folder = work_folder("mlir-affine");
    let (file, object) = (folder.join("m.mlir"), folder.join("m.o"));
    let bodies = [
        "%j = affine.apply affine_map<(d0) -> (d0 + 1)>(%k)\n%v = affine.load %p[%j] : memref<1xindex>",
        "%j = arith.constant 3 : index\n%v = affine.load %p[%j] : memref<1xindex>",
        "%j = memref.dim %p, %c : memref<1xindex>\naffine.for %q = 0 to %j {\n}",
        "%v = affine.load %p[symbol(%k)] : memref<1xindex>",
        "%v = affine.load %p[%k + symbol(%c)] : memref<1xindex>",
        "%j = memref.load %p[%c] : memref<1xindex>\n%v = affine.apply affine_map<(d0) -> (d0 + 1)>(%j)",
        "affine.for %q = 0 to affine_map<(d0) -> (d0)>(%k) iter_args(%i = %c) -> (index) {\n\
         %v = affine.load %p[%i] : memref<1xindex>\naffine.yield %i : index\n}",
        "affine.parallel (%z) = (0) to (%k) {\n%v = affine.load %p[%z + %k] : memref<1xindex>\n}",
    ];
    let function = |(i, body): (usize, &&str)| {
        format!(
            "func.func @f{i}(%p: memref<1xindex>, %c: index) {{\naffine.for %k = 0 to 9 {{\n{body}\n}}\nreturn\n}}\n"
        )
    };
    std::fs::write(&file, bodies.iter().enumerate().map(function).collect::<String>())?;
    succeed(limited(20, gusset()?).arg("compile").arg(&file).arg("-o").arg(&object))?;
    succeed(limited(60, opt()).arg(&file).arg("-o").arg(&object)).map(drop)
}
