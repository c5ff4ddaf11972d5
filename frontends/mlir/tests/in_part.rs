//! Translation in part: what is converted, what stays, and what joins the two.

use gusset_abi::AbiTarget;
use gusset_mlir::{Choices, import_module, write_in_part};

fn translated(source: &str, only: &str) -> Result<String, String> {
    let only = only.split(',').map(String::from).collect();
    let choices = Choices { only, ..Choices::default() };
    let described = import_module(source.as_bytes(), "t.mlir", Some(&AbiTarget::X86_64_LINUX), choices);
    let text = described.and_then(|d| write_in_part(&d)).map_err(|e| e.to_string())?;
    String::from_utf8(text).map_err(|e| e.to_string())
}

/// Lines of a text without blanks around them, and without those that make constants, which come first.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.contains("llvm.mlir.constant")).collect()
}

#[track_caller]
fn becomes(source: &str, only: &str, expected: &str) {
    let text = translated(source, only).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(lines(&text), lines(expected), "{text}");
}

#[test]
fn nothing_of_other_dialects_changes_but_names() {
    let source = "
#map = affine_map<(d0) -> (d0 * 2)>
module @m attributes {my.note = {a = [1, 2]}} {
  // A comment.
  memref.global \"private\" @g : memref<2xf32> = dense<0.0>
  func.func @f(%a: f32, %n: index) -> f32 {
    %t = affine.apply #map(%n)
    %r = scf.for %i = %n to %t step %n iter_args(%s = %a) -> (f32) {
      %x = arith.addf %s, %a {my.flag} : f32
      scf.yield %x : f32
    } {my.loop = \"x // y\"}
    return %r : f32
  }
}
";
    becomes(
        source,
        "complex",
        "
#map = affine_map<(d0) -> (d0 * 2)>
module @m attributes {my.note = {a = [1, 2]}} {
  // A comment.
  memref.global \"private\" @g : memref<2xf32> = dense<0.0>
  func.func @f(%0: f32, %1: index) -> f32 {
    %2 = affine.apply #map(%1)
    %3 = scf.for %4 = %1 to %2 step %1 iter_args(%5 = %0) -> (f32) {
      %6 = arith.addf %5, %0 {my.flag} : f32
      scf.yield %6 : f32
    } {my.loop = \"x // y\"}
    func.return %3 : f32
  }
}
",
    );
}

#[test]
fn casts_join_what_is_converted() {
    let source = "
func.func @f(%c: complex<f32>, %k: i1) -> f32 {
  %r = scf.if %k -> (complex<f32>) {
    %d = complex.add %c, %c : complex<f32>
    scf.yield %d : complex<f32>
  } else {
    scf.yield %c : complex<f32>
  }
  %x = complex.re %r : complex<f32>
  return %x : f32
}
";
    becomes(
        source,
        "complex",
        "
func.func @f(%0: complex<f32>, %1: i1) -> f32 {
  %9 = llvm.mlir.poison : !llvm.struct<(f32, f32)>
  %2 = scf.if %1 -> (complex<f32>) {
    %3 = builtin.unrealized_conversion_cast %0 : complex<f32> to !llvm.struct<(f32, f32)>
    %4 = llvm.extractvalue %3[0] : !llvm.struct<(f32, f32)>
    %5 = llvm.extractvalue %3[1] : !llvm.struct<(f32, f32)>
    %6 = llvm.fadd %4, %4 : f32
    %7 = llvm.fadd %5, %5 : f32
    %8 = llvm.insertvalue %6, %9[0] : !llvm.struct<(f32, f32)>
    %10 = llvm.insertvalue %7, %8[1] : !llvm.struct<(f32, f32)>
    %11 = builtin.unrealized_conversion_cast %10 : !llvm.struct<(f32, f32)> to complex<f32>
    scf.yield %11 : complex<f32>
  } else {
    scf.yield %0 : complex<f32>
  }
  %12 = builtin.unrealized_conversion_cast %2 : complex<f32> to !llvm.struct<(f32, f32)>
  %x = llvm.extractvalue %12[0] : !llvm.struct<(f32, f32)>
  %13 = llvm.extractvalue %12[1] : !llvm.struct<(f32, f32)>
  func.return %x : f32
}
",
    );
}

#[test]
fn operations_that_nobody_knows_stay_in_the_generic_form() {
    let source = "
func.func @f(%m: memref<?xf32>) {
  \"my.each\"(%m) ({
  ^bb0(%i: index, %t: tensor<4xf32>):
    %x = memref.load %m[%i] : memref<?xf32>
    %u = \"my.use\"(%t, %x) : (tensor<4xf32>, f32) -> tensor<4xf32>
    \"my.end\"(%u) : (tensor<4xf32>) -> ()
  }) {k} : (memref<?xf32>) -> ()
  return
}
";
    let text = translated(source, "func,memref").unwrap_or_else(|e| panic!("{e}"));
    for wanted in [
        "llvm.func @f(",
        "\"my.each\"(",
        "^bb0(",
        ": tensor<4xf32>):",
        "llvm.load",
        "\"my.use\"(",
        "}) {k} : (memref<?xf32>) -> ()",
    ] {
        assert!(text.contains(wanted), "`{wanted}` is not in {text}");
    }
    assert!(!text.contains("memref.load") && !text.contains("func.func"), "{text}");
}

/// Several results are members of a struct; who uses them, even if nobody knows it, has them as they were.
#[test]
fn results_are_packed_for_nobody_to_see() {
    let source = "
func.func private @f(i32) -> (i32, memref<?xf32>, i64)
func.func @g(%x: i32) -> i64 {
  %0:3 = call @f(%x) : (i32) -> (i32, memref<?xf32>, i64)
  \"use_i32\"(%0#0) : (i32) -> ()
  \"my.use\"(%0#1) : (memref<?xf32>) -> ()
  %1 = \"use_i64\"(%0#2) : (i64) -> i64
  return %1 : i64
}
";
    let text = translated(source, "func").unwrap_or_else(|e| panic!("{e}"));
    for wanted in [
        "@f(i32) -> !llvm.struct<(i32, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, i64)>",
        "%1 = llvm.extractvalue %0[0] :",
        "\"use_i32\"(%1) : (i32) -> ()",
        "builtin.unrealized_conversion_cast",
        ") : (memref<?xf32>) -> ()",
        "%8 = llvm.extractvalue %0[2] :",
        "\"use_i64\"(%8) : (i64) -> i64",
    ] {
        assert!(text.contains(wanted), "`{wanted}` is not in {text}");
    }
}

#[test]
fn branches_stay_unless_they_are_converted() {
    let source = "
func.func @f(%n: index, %k: i1) -> index {
  cf.cond_br %k, ^a(%n : index), ^b
^a(%x: index):
  %y = index.add %x, %n
  cf.br ^c(%y : index)
^b:
  cf.switch %n_flag : i32, [ default: ^d, 3: ^c(%n : index) ]
^c(%r: index):
  return %r : index
^d:
  return %n : index
}
"
    .replace("%n_flag : i32", "%f : i32")
    .replace("%k: i1)", "%k: i1, %f: i32)");
    let text = translated(&source, "func").unwrap_or_else(|e| panic!("{e}"));
    for wanted in
        ["cf.cond_br %", "cf.br ^", "cf.switch %f : i32, [", "default: ^", "3: ^", "index.add %", "llvm.return %"]
    {
        assert!(text.contains(wanted), "`{wanted}` is not in {text}");
    }
    let text = translated(&source, "func,cf").unwrap_or_else(|e| panic!("{e}"));
    assert!(text.contains("llvm.cond_br") && text.contains("llvm.switch") && !text.contains("cf."), "{text}");
}

#[test]
fn what_cannot_be() {
    let cases = [
        (
            "func.func @f() {\n  my.op %x\n  return\n}",
            "func",
            "2:3: error: the custom form of this operation is not known",
        ),
        (
            "func.func @f(%n: index, %k: i1) {\n  affine.for %i = 0 to 4 {\n    scf.if %k {\n      \"my.op\"() : () -> ()\n    }\n  }\n  return\n}",
            "scf",
            "3:5: error: this operation becomes several blocks",
        ),
        (
            "func.func @f() {\n  \"my.br\"()[^a] : () -> ()\n^a:\n  return\n}",
            "func",
            "2:3: error: an operation that goes to blocks",
        ),
        (
            "func.func @f(%t: tensor<4xf32>) {\n  return\n}",
            "func",
            "1:14: error: the type `tensor<4xf32>` is not converted",
        ),
        ("func.func @f(%t: tensor<4xf32>) {\n  %0 = arith.negf %t : tensor<4xf32>\n  return\n}", "arith", "2:"),
        ("func.func @f() {\n  return\n}", "func,linalg", "error: no dialect `linalg` is converted here"),
    ];
    for (source, only, wanted) in cases {
        match translated(source, only) {
            Err(error) => assert!(error.contains(wanted), "{error}\nnot {wanted}"),
            Ok(text) => panic!("{source}\nis taken: {text}"),
        }
    }
}
