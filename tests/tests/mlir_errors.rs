//! Errors of MLIR modules as the command says them: all at once, in the order of the text, with no output file. Where MLIR's own
//! tools refuse the same, so do they.

use gusset_tests::mlir::{LOWERING, opt, translate};
use gusset_tests::tools::{Failure, gusset, limited, run, work_folder};

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
