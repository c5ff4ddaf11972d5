//! Contents of variables in MLIR's dialect `llvm`, byte by byte, and names of symbols against those that LLVM makes of `mlir-translate`'s text.

use std::fmt::Write;
use std::path::Path;

use gusset_tests::mlir;
use gusset_tests::tools::{Failure, gusset, limited, llc, succeed, work_folder};

/// Machines on which alignments, and the sizes of floating-point numbers, differ.
const TARGETS: [&str; 3] = ["x86_64-linux-gnu", "i686-linux-gnu", "armv7-linux-gnueabihf"];

/// Variables that are not integers in lists.
const OTHERS: &str = r#"
llvm.mlir.global @x80(dense<"0x00000000000000C0FF3F00000000000000A00040"> : tensor<2xf80>) : !llvm.array<2 x f80>
llvm.mlir.global @flags(dense<[[true, false, true], [false, true, true]]> : vector<2x3xi1>) : !llvm.array<2 x vector<3xi1>>
llvm.mlir.global @bits(dense<"0x5A01"> : tensor<9xi1>) : !llvm.array<9 x i1>
llvm.mlir.global @rows(dense<[[1, 2, 3], [4, 5, 6]]> : vector<2x3xi32>) : !llvm.array<2 x vector<3xi32>>
llvm.mlir.global @row(dense<[1, 2, 3]> : vector<3xi16>) : vector<3xi16>
llvm.mlir.global @large() : !llvm.struct<(i32, array<5000 x i32>, i64)> {
  %0 = llvm.mlir.undef : !llvm.struct<(i32, array<5000 x i32>, i64)>
  %1 = llvm.mlir.constant(-9 : i64) : i64
  %2 = llvm.insertvalue %1, %0[2] : !llvm.struct<(i32, array<5000 x i32>, i64)>
  %3 = llvm.mlir.constant(7 : i32) : i32
  %4 = llvm.insertvalue %3, %2[1, 4321] : !llvm.struct<(i32, array<5000 x i32>, i64)>
  %5 = llvm.insertvalue %3, %4[1, 0] : !llvm.struct<(i32, array<5000 x i32>, i64)>
  %6 = llvm.extractvalue %5[1] : !llvm.struct<(i32, array<5000 x i32>, i64)>
  %7 = llvm.insertvalue %3, %6[4999] : !llvm.array<5000 x i32>
  %8 = llvm.insertvalue %7, %5[1] : !llvm.struct<(i32, array<5000 x i32>, i64)>
  llvm.return %8 : !llvm.struct<(i32, array<5000 x i32>, i64)>
}
llvm.mlir.global @zeros() : !llvm.array<5000 x i32> {
  %0 = llvm.mlir.zero : !llvm.array<5000 x i32>
  %1 = llvm.mlir.constant(dense<2> : tensor<5000xi32>) : !llvm.array<5000 x i32>
  %2 = llvm.extractvalue %1[4096] : !llvm.array<5000 x i32>
  %3 = llvm.insertvalue %2, %0[1] : !llvm.array<5000 x i32>
  llvm.return %3 : !llvm.array<5000 x i32>
}
llvm.mlir.global @text() : !llvm.struct<(array<0 x i64>, i8, array<3 x i8>, struct<()>)> {
  %0 = llvm.mlir.undef : !llvm.struct<(array<0 x i64>, i8, array<3 x i8>, struct<()>)>
  %1 = llvm.mlir.constant("abc") : !llvm.array<3 x i8>
  %2 = llvm.insertvalue %1, %0[2] : !llvm.struct<(array<0 x i64>, i8, array<3 x i8>, struct<()>)>
  %3 = llvm.extractvalue %2[2, 1] : !llvm.struct<(array<0 x i64>, i8, array<3 x i8>, struct<()>)>
  %4 = llvm.insertvalue %3, %2[1] : !llvm.struct<(array<0 x i64>, i8, array<3 x i8>, struct<()>)>
  %5 = llvm.mlir.zero : !llvm.struct<()>
  %6 = llvm.insertvalue %5, %4[3] : !llvm.struct<(array<0 x i64>, i8, array<3 x i8>, struct<()>)>
  llvm.return %6 : !llvm.struct<(array<0 x i64>, i8, array<3 x i8>, struct<()>)>
}
llvm.mlir.global @none(dense<0> : tensor<0xi32>) : !llvm.array<0 x i32>
"#;

/// Integers of widths that are bytes, and that are none, as numbers, lists, bytes and members.
fn module() -> String {
    let mut text = OTHERS.to_string();
    for float in ["f16", "bf16", "f32", "f64", "f80", "f128"] {
        let _ = writeln!(
            text,
            "llvm.mlir.global @{float}(dense<[1.5, -2.25]> : tensor<2x{float}>) : !llvm.array<2 x {float}>"
        );
        let _ = writeln!(text, "llvm.mlir.global @s{float}(dense<1.5> : tensor<3x{float}>) : !llvm.array<3 x {float}>");
    }
    for bits in [3, 8, 9, 17, 24, 31, 33, 48, 63, 65, 72, 96, 127, 128, 129, 160, 256, 1000] {
        let int = format!("i{bits}");
        let mut define = |name: &str, value: &str, ty: &str| {
            let _ = writeln!(text, "llvm.mlir.global @{name}{bits}{value} : {ty}");
        };
        define("list", &format!("(dense<[1, -1, -3]> : tensor<3x{int}>)"), &format!("!llvm.array<3 x {int}>"));
        let splat = format!("(dense<-3> : tensor<2x2x{int}>)");
        define("splat", &splat, &format!("!llvm.array<2 x array<2 x {int}>>"));
        define("number", &format!("(-4 : {int})"), &int);
        // Bits above the width are none of the number.
        let bytes: String = (0..2 * (bits as usize).div_ceil(8)).map(|i| format!("{:02X}", (i * 37 + 1) & 3)).collect();
        define("bytes", &format!("(dense<\"0x{bytes}\"> : tensor<2x{int}>)"), &format!("!llvm.array<2 x {int}>"));
        let st = format!("!llvm.struct<(i8, {int}, array<2 x {int}>)>");
        let region = format!(
            "() : {st} {{\n%0 = llvm.mlir.undef : {st}\n%1 = llvm.mlir.constant(-2 : {int}) : {int}\n\
             %2 = llvm.insertvalue %1, %0[1] : {st}\n\
             %3 = llvm.mlir.constant(dense<[2, -3]> : tensor<2x{int}>) : !llvm.array<2 x {int}>\n\
             %4 = llvm.insertvalue %3, %2[2] : {st}\n%5 = llvm.insertvalue %1, %4[2, 0] : {st}\nllvm.return %5 : {st}\n}}\n",
        );
        let _ = writeln!(text, "llvm.mlir.global @members{bits}{region}");
    }
    // 2^128, whatever other bits there are.
    text + "llvm.mlir.global @wide(340282366920938463463374607431768211456 : i256) : i256\n"
}

/// The symbols of an object, with the bytes of its data.
fn contents(object: &Path) -> Result<String, Failure> {
    let mut dump = limited(30, "llvm-objdump-19");
    let all = succeed(dump.args(["-s", "-j", ".data"]).arg(object))?.text();
    let bytes = all.split_once("section .data").map(|t| t.1).unwrap_or_default();
    let mut names = limited(30, "llvm-nm-19");
    let names = succeed(names.args(["-n", "-S"]).arg(object))?.text();
    Ok(format!("{names}{bytes}"))
}

#[test]
fn bytes() -> Result<(), Failure> {
    let folder = work_folder("mlir-contents");
    let input = folder.join("data.mlir");
    std::fs::write(&input, module())?;
    let ir = input.with_extension("ll");
    succeed(limited(60, mlir::translate()).arg("--mlir-to-llvmir").arg(&input).arg("-o").arg(&ir))?;
    for target in TARGETS {
        let (ours, theirs) = (folder.join(format!("{target}.o")), folder.join(format!("{target}.llc.o")));
        let target = format!("--target={target}");
        succeed(limited(60, gusset()?).args(["compile", &target]).arg(&input).arg("-o").arg(&ours))?;
        let triple = target.replace("--target", "-mtriple");
        succeed(limited(60, llc()).args([&triple, "-filetype=obj"]).arg(&ir).arg("-o").arg(&theirs))?;
        let (ours, theirs) = (contents(&ours)?, contents(&theirs)?);
        assert!(ours.len() > 10_000, "{target}: {ours}");
        let differs = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        assert!(ours == theirs, "{target}: {differs:?}");
    }
    Ok(())
}

/// Functions whose conventions show in their names, weak references, and variables that nobody else sees.
const SYMBOLS: &str = r#"
llvm.func x86_stdcallcc @a(i32, i64, f64)
llvm.func x86_fastcallcc @b(i32, i8)
llvm.func x86_vectorcallcc @c(%a: i32, %b: f64) {
  llvm.return
}
llvm.func x86_stdcallcc @d(%p: !llvm.ptr {llvm.byval = !llvm.struct<(i32, i32, i32)>}, %b: i32) {
  llvm.return
}
llvm.func x86_stdcallcc @"?e"(%a: i32) {
  llvm.return
}
llvm.func @f(%x: i32, %y: i64, %z: f64, %w: i8) -> !llvm.ptr {
  llvm.call x86_stdcallcc @a(%x, %y, %z) : (i32, i64, f64) -> ()
  llvm.call x86_fastcallcc @b(%x, %w) : (i32, i8) -> ()
  %0 = llvm.mlir.addressof @weak : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.mlir.global extern_weak @weak() : i32
"#;

#[test]
fn symbols() -> Result<(), Failure> {
    let folder = work_folder("mlir-contents");
    let input = folder.join("symbols.mlir");
    std::fs::write(&input, SYMBOLS)?;
    let ir = input.with_extension("ll");
    succeed(limited(60, mlir::translate()).arg("--mlir-to-llvmir").arg(&input).arg("-o").arg(&ir))?;
    let names = |object: &Path| -> Result<Vec<String>, Failure> {
        let text = succeed(limited(30, "llvm-nm-19").arg(object))?.text();
        // Without what positions of code and addresses are.
        let mut names: Vec<String> =
            text.lines().filter_map(|line| line.get(line.len().min(17)..)).map(str::to_string).collect();
        names.retain(|name| !name.is_empty() && !name.ends_with("_GLOBAL_OFFSET_TABLE_"));
        names.sort();
        Ok(names)
    };
    for target in ["i686-pc-windows-msvc", "x86_64-pc-windows-msvc", "i686-w64-mingw32"] {
        let (ours, theirs) = (folder.join(format!("{target}.names.o")), folder.join(format!("{target}.names.llc.o")));
        succeed(limited(60, gusset()?).args(["compile", "--target", target]).arg(&input).arg("-o").arg(&ours))?;
        let triple = format!("-mtriple={target}");
        succeed(limited(60, llc()).args([&triple, "-filetype=obj"]).arg(&ir).arg("-o").arg(&theirs))?;
        assert_eq!(names(&ours)?, names(&theirs)?, "{target}");
    }
    // A variable of MLIR's that is seen here alone is here.
    let memrefs = folder.join("memrefs.mlir");
    let words = [("private", "p"), ("nested", "n")];
    let globals = words.map(|(word, name)| {
        format!(
            "memref.global \"{word}\" @{name} : memref<4xi32>\nfunc.func @get_{name}() -> memref<4xi32> {{\n\
             %0 = memref.get_global @{name} : memref<4xi32>\nreturn %0 : memref<4xi32>\n}}\n",
        )
    });
    std::fs::write(&memrefs, globals.concat())?;
    let object = memrefs.with_extension("o");
    succeed(
        limited(60, gusset()?).args(["compile", "--target=x86_64-linux-gnu"]).arg(&memrefs).arg("-o").arg(&object),
    )?;
    let found: Vec<String> = names(&object)?.into_iter().filter(|name| !name.contains("get_")).collect();
    assert!(found.is_empty(), "{found:?}");
    Ok(())
}
