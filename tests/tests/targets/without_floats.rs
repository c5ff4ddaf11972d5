//! AArch64 without vectors, or without floating-point registers, for kernels: LLVM's assembler takes the code, and a function's
//! attribute is the option for all. What travels is compared by `mixed`.

use gusset_tests::tools::{Failure, gusset, limited, same_lines, succeed, work_folder};

const MODULE: &str = r#"
define float @f1(float %a, double %b, half %h, fp128 %q, bfloat %z) {
  %x = fpext half %h to float
  %y = fadd float %a, %x
  %t = fptrunc double %b to float
  %s = fmul float %y, %t
  %u = fptrunc fp128 %q to float
  %r = fsub float %s, %u
  %zz = fpext bfloat %z to float
  %rr = fadd float %r, %zz
  ret float %rr
}
define <4 x i32> @v1(<4 x i32> %a, <4 x i32> %b) { %r = add <4 x i32> %a, %b ret <4 x i32> %r }
define <2 x double> @v2(<2 x double> %a, double %b) { %i = insertelement <2 x double> %a, double %b, i32 1 
 %r = fadd <2 x double> %i, %a
 ret <2 x double> %r }
define <8 x i8> @v3(<8 x i8> %a, <8 x i8> %b) { %r = xor <8 x i8> %a, %b ret <8 x i8> %r }
define {float, double} @st(double %d, float %f) { %i = insertvalue {float, double} poison, float %f, 0 %j = insertvalue {float, double} %i, double %d, 1 ret {float, double} %j }
define i64 @pop(i64 %x, i32 %y, i8 %z) { %a = call i64 @llvm.ctpop.i64(i64 %x) %b = call i32 @llvm.ctpop.i32(i32 %y)
 %bz = zext i32 %b to i64
 %c = call i8 @llvm.ctpop.i8(i8 %z)
 %cz = zext i8 %c to i64
 %s = add i64 %a, %bz
 %t = add i64 %s, %cz
 ret i64 %t }
define double @cs(double %a, double %b) { %r = call double @llvm.copysign.f64(double %a, double %b) ret double %r }
define float @cs2(float %a, float %b) { %r = call float @llvm.copysign.f32(float %a, float %b) ret float %r }
define fp128 @q(fp128 %a, fp128 %b, i1 %c) { %r = fneg fp128 %a
 %s = select i1 %c, fp128 %r, fp128 %b
 ret fp128 %s }
define void @cp(ptr %a, ptr %b, i8 %v) { call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 47, i1 false)
 %c = getelementptr i8, ptr %a, i64 64
 call void @llvm.memset.p0.i64(ptr %c, i8 %v, i64 30, i1 false)
 %d = getelementptr i8, ptr %a, i64 128
 call void @llvm.memset.p0.i64(ptr %d, i8 0, i64 30, i1 false)
 %e = getelementptr i8, ptr %a, i64 2
 call void @llvm.memmove.p0.p0.i64(ptr %e, ptr %a, i64 15, i1 false)
 ret void }
define double @va(i32 %n, ...) {
  %ap = alloca [32 x i8]
  call void @llvm.va_start.p0(ptr %ap)
  %a = va_arg ptr %ap, double
  %b = va_arg ptr %ap, double
  %r = fadd double %a, %b
  ret double %r
}
define double @ch(double %a, i64 %i, float %f) {
 %x = sitofp i64 %i to double
 %c = fcmp olt double %a, %x
 %s = select i1 %c, double %a, double 1.5
 %g = fpext float %f to double
 %m = call double @llvm.fabs.f64(double %g)
 %r = fadd double %s, %m
 %z = fadd double %r, 0.0
 %sq = call double @llvm.sqrt.f64(double %z)
 ret double %sq }
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.ctpop.i32(i32)
declare i8 @llvm.ctpop.i8(i8)
declare double @llvm.copysign.f64(double,double)
declare float @llvm.copysign.f32(float,float)
declare void @llvm.memcpy.p0.p0.i64(ptr,ptr,i64,i1)
declare void @llvm.memmove.p0.p0.i64(ptr,ptr,i64,i1)
declare void @llvm.memset.p0.i64(ptr,i8,i64,i1)
declare void @llvm.va_start.p0(ptr)
"#;

/// The text for these features.
fn compiled(name: &str, module: &str, features: &[&str]) -> Result<String, Failure> {
    let folder = work_folder("without_floats");
    let source = folder.join("module.ll");
    std::fs::write(&source, module)?;
    let text = folder.join(name);
    let mut compile = limited(60, gusset()?);
    compile.args(["compile", "--verify", "--emit", "asm", "--target", "aarch64-unknown-linux-gnu"]);
    succeed(compile.args(features).arg(&source).arg("-o").arg(&text))?;
    Ok(std::fs::read_to_string(text)?)
}

#[test]
fn nothing_is_in_registers_that_are_switched_off() -> Result<(), Failure> {
    let folder = work_folder("without_floats");
    for features in ["-neon", "-fp-armv8"] {
        let text = compiled("module.s", MODULE, &[&format!("--attr={features}")])?;
        let mut assemble = limited(60, "llvm-mc-19");
        assemble.args(["--triple=aarch64-linux-gnu", "--filetype=obj", &format!("--mattr={features}"), "-o"]);
        succeed(assemble.arg(folder.join("module.o")).arg(folder.join("module.s"))).map_err(|f| f.at(features))?;
        if features == "-neon" {
            assert!(text.contains("fcvt"), "numbers are computed with:\n{text}");
            continue;
        }
        // Functions that say it are as all are by the option.
        let attribute = " #0 {";
        let lines = MODULE.lines().map(|line| match line.strip_prefix("define").and_then(|l| l.rfind(") {")) {
            Some(at) => format!("{}{attribute}{}\n", &line[..at + 7], &line[at + 9..]),
            None => format!("{line}\n"),
        });
        let module = lines.collect::<String>() + "attributes #0 = { \"target-features\"=\"-fp-armv8,-neon\" }\n";
        assert_eq!(module.matches(attribute).count(), MODULE.matches("\ndefine").count());
        same_lines(&text, &compiled("functions.s", &module, &[])?)?;
    }
    Ok(())
}

/// `noimplicitfloat` keeps copies and counts of bits out of these registers, too.
#[test]
fn implicit_floats() -> Result<(), Failure> {
    let start = MODULE.find("define i64 @pop").unwrap_or(0);
    let end = MODULE.find("define double @cs(").unwrap_or(0);
    let copies = &MODULE[MODULE.find("define void @cp").unwrap_or(0)..MODULE.find("define double @va").unwrap_or(0)];
    let declarations = &MODULE[MODULE.find("declare i64").unwrap_or(0)..];
    let functions = format!("{}{copies}", &MODULE[start..end]);
    let module = format!("{}{declarations}", functions.replace(") {", ") noimplicitfloat {"));
    compiled("implicit.s", &module, &[])?;
    let folder = work_folder("without_floats");
    let mut assemble = limited(60, "llvm-mc-19");
    assemble.args(["--triple=aarch64-linux-gnu", "--filetype=obj", "--mattr=-fp-armv8", "-o"]);
    succeed(assemble.arg(folder.join("implicit.o")).arg(folder.join("implicit.s")))?;
    Ok(())
}
