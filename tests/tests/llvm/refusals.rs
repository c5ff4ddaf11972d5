//! What is refused is named as LLVM names it, with its function and what would allow it, whichever reader reads it.

use std::path::Path;

use gusset_tests::tools::{Failure, gusset, limited, llvm_as, run, work_folder};

/// Targets, functions, and what messages say besides the function.
const REFUSED: &[(&str, &str, &[&str])] = &[
    (
        "aarch64-linux-gnu",
        "define i64 @f() {\n  %x = call i64 @llvm.aarch64.sme.cntsb()\n  ret i64 %x\n}\ndeclare i64 @llvm.aarch64.sme.cntsb()\n",
        &["`llvm.aarch64.sme.cntsb`", "the feature `sme`"],
    ),
    (
        "armv5te-linux-gnueabi",
        "define void @f() {\n  call void @llvm.arm.dmb(i32 15)\n  ret void\n}\ndeclare void @llvm.arm.dmb(i32)\n",
        &["`llvm.arm.dmb`", "`-mattr=+v7`"],
    ),
    (
        "armv4t-linux-gnueabi",
        "define i32 @f() {\n  %x = call i32 @llvm.arm.mrc2(i32 1, i32 2, i32 3, i32 4, i32 5)\n  ret i32 %x\n}\n\
         declare i32 @llvm.arm.mrc2(i32, i32, i32, i32, i32)\n",
        &["`llvm.arm.mrc2`", "`-mattr=+v5t`"],
    ),
    (
        "armv5te-linux-gnueabi",
        "define i32 @f() {\n  %x = call i32 @llvm.arm.get.fpscr()\n  ret i32 %x\n}\ndeclare i32 @llvm.arm.get.fpscr()\n",
        &["`llvm.arm.get.fpscr`", "`-mattr=+vfp2`"],
    ),
    (
        "x86_64-linux-gnu",
        "define <4 x float> @f(<4 x float> %x) #0 {\n  ret <4 x float> %x\n}\nattributes #0 = { \"target-features\"=\"-sse\" }\n",
        &["the feature `sse2`"],
    ),
    (
        "aarch64-linux-gnu",
        "define <4 x i32> @f(<4 x i32> %x) #0 {\n  ret <4 x i32> %x\n}\nattributes #0 = { \"target-features\"=\"-neon\" }\n",
        &["`target-features`", "`+neon`"],
    ),
];

/// Compiles a file, which must be refused; returns the messages.
fn refusal(triple: &str, input: &Path) -> Result<String, Failure> {
    let mut command = limited(20, gusset()?);
    command.args(["compile", "--target", triple]).arg(input).arg("-o").arg(input.with_extension("o"));
    let outcome = run(&mut command)?;
    if outcome.code == 1 { Ok(outcome.errors()) } else { Err(Failure::new(format!("{} is accepted", input.display()))) }
}

#[test]
fn refusals_name_what_would_allow_them() -> Result<(), Failure> {
    let folder = work_folder("refusals");
    for (number, (triple, text, said)) in REFUSED.iter().enumerate() {
        let [source, bitcode, mlir] = ["ll", "bc", "mlir"].map(|ending| folder.join(format!("{number}.{ending}")));
        std::fs::write(&source, text)?;
        let translated = run(limited(20, gusset()?).arg("translate").arg(&source).arg("-o").arg(&mlir))?;
        let assembled = run(limited(20, llvm_as()).arg(&source).arg("-o").arg(&bitcode))?;
        assert_eq!((translated.code, assembled.code), (0, 0), "{text}: {}{}", translated.errors(), assembled.errors());
        for input in [source, bitcode, mlir] {
            let told = refusal(triple, &input)?;
            let all = ["@f"].iter().chain(said.iter());
            let missing: Vec<_> = all.filter(|part| !told.contains(**part)).collect();
            assert!(missing.is_empty(), "{triple} {}: no {missing:?} in {told}", input.display());
        }
    }
    Ok(())
}
