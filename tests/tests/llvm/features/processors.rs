//! LLVM's processors (`llc -mcpu=help`): each is known by its name, or refused by it, and has what llc's code for it shows of what code is
//! chosen by.

use std::fmt::Write as _;
use std::path::Path;

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, llc, run, succeed, work_folder};

/// Triples with what is said of processors that are not taken.
const MACHINES: &[(&str, &[&str])] = &[
    ("x86_64-linux-gnu", &["is not of 64 bits"]),
    ("i686-linux-gnu", &[]),
    ("aarch64-linux-gnu", &[]),
    ("arm-linux-gnueabi", &["it is of a version before those", "T32"]),
    ("thumbv7em-none-eabi", &["it is of a version before those", "T32", "version or profile"]),
];

fn names(triple: &str) -> Result<Vec<String>, Failure> {
    let mut judge = limited(20, llc());
    judge.args([&format!("-mtriple={triple}"), "-mcpu=help", "-o", "-", "/dev/null"]);
    let help = run(&mut judge)?.errors();
    let (_, list) = help.split_once("Available CPUs").ok_or_else(|| Failure::new(&help))?;
    let (list, _) = list.split_once("Available features").unwrap_or((list, ""));
    let first = list.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    Ok(first.map(str::to_string).collect())
}

#[test]
fn all_of_llvm_are_known() -> Result<(), Failure> {
    let folder = work_folder("features/processors");
    let input = folder.join("f.ll");
    std::fs::write(&input, "define void @f() {\n  ret void\n}\n")?;
    let mut all = Vec::new();
    for &(triple, refusals) in MACHINES {
        let names = names(triple)?;
        assert!(names.len() > 50, "{triple}: {names:?}");
        all.extend(names.into_iter().map(|name| (triple, refusals, name)));
    }
    let results = parallel::map(all.len(), |i| -> Result<String, Failure> {
        let (triple, refusals, name) = &all[i];
        let mut ours = limited(20, gusset()?);
        let outcome = run(ours.args(["compile", "--target", triple, "--cpu", name, "-o", "/dev/null"]).arg(&input))?;
        let errors = outcome.errors();
        let named = errors.contains(&format!("`{name}`")) || errors.contains("T32");
        let as_said = outcome.code == 0 || named && refusals.iter().any(|r| errors.contains(r));
        Ok(if as_said { String::new() } else { format!("{triple} {name}: {errors}") })
    });
    let problems = results.into_iter().collect::<Result<String, Failure>>()?;
    assert!(problems.is_empty(), "{problems}");
    Ok(())
}

/// What shows a feature of x86, by the instruction of each.
const SIGNS: [&str; 7] = ["popcnt", "lzcnt", "vfmadd", "ptest", "pcmpgtq", "pabsd", "cmpxchg16b"];

const PROBES: &str = "define i32 @popcnt(i32 %x) {
  %r = call i32 @llvm.ctpop.i32(i32 %x)
  ret i32 %r
}
define i32 @lzcnt(i32 %x) {
  %r = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
  ret i32 %r
}
define float @fma(float %a, float %b, float %c) {
  %r = call float @llvm.fma.f32(float %a, float %b, float %c)
  ret float %r
}
define <4 x float> @fmas(<4 x float> %a, <4 x float> %b, <4 x float> %c) {
  %r = call <4 x float> @llvm.fma.v4f32(<4 x float> %a, <4 x float> %b, <4 x float> %c)
  ret <4 x float> %r
}
define <4 x i32> @pabsd(<4 x i32> %a) {
  %r = call <4 x i32> @llvm.abs.v4i32(<4 x i32> %a, i1 false)
  ret <4 x i32> %r
}
define <2 x i1> @pcmpgtq(<2 x i64> %a, <2 x i64> %b) {
  %r = icmp sgt <2 x i64> %a, %b
  ret <2 x i1> %r
}
";
const PROBE_64: &str = "define i128 @cx16(ptr %p, i128 %a, i128 %b) {
  %r = cmpxchg ptr %p, i128 %a, i128 %b seq_cst seq_cst
  %v = extractvalue { i128, i1 } %r, 0
  ret i128 %v
}
";

/// Processors of all kinds, and a triple that they are of.
const SEEN: &[(&str, &str)] = &[
    (
        "x86_64-linux-gnu",
        "x86-64 nocona core2 penryn barcelona btver1 corei7 sandybridge btver2 haswell znver3 x86-64-v3",
    ),
    ("i686-linux-gnu", "pentium4 yonah atom penryn nehalem haswell"),
];

fn signs(text: &str) -> Vec<&'static str> {
    SIGNS.into_iter().filter(|sign| text.contains(sign)).collect()
}

#[test]
fn processors_have_what_llc_uses() -> Result<(), Failure> {
    let folder = work_folder("features/processors");
    let all: Vec<(&str, &str)> =
        SEEN.iter().flat_map(|(triple, names)| names.split_whitespace().map(move |name| (*triple, name))).collect();
    let results = parallel::map(all.len(), |i| -> Result<String, Failure> {
        let (triple, cpu) = all[i];
        let path = folder.join(format!("{i}.ll"));
        let wide = if triple.starts_with("x86_64") { PROBE_64 } else { "" };
        std::fs::write(&path, format!("{PROBES}{wide}"))?;
        let (ours, theirs) = (by_gusset(triple, cpu, &path)?, by_llc(triple, cpu, &path)?);
        let mut problems = String::new();
        if signs(&ours) != signs(&theirs) {
            let _ = writeln!(problems, "{triple} {cpu}: {:?} and llc's {:?}", signs(&ours), signs(&theirs));
        }
        Ok(problems)
    });
    let problems = results.into_iter().collect::<Result<String, Failure>>()?;
    assert!(problems.is_empty(), "{problems}");
    Ok(())
}

fn by_gusset(triple: &str, cpu: &str, path: &Path) -> Result<String, Failure> {
    let mut ours = limited(20, gusset()?);
    ours.args(["compile", "--target", triple, "--cpu", cpu, "--emit", "asm", "-o", "-"]);
    Ok(succeed(ours.arg(path))?.text())
}

fn by_llc(triple: &str, cpu: &str, path: &Path) -> Result<String, Failure> {
    let mut judge = limited(20, llc());
    judge.args([&format!("-mtriple={triple}"), &format!("-mcpu={cpu}"), "-o", "-"]);
    Ok(succeed(judge.arg(path))?.text())
}

/// What this machine has is said in a line, and is no other machine's.
#[test]
fn native_is_this_machine() -> Result<(), Failure> {
    let folder = work_folder("features/native");
    let inputs = ["one.ll", "two.ll"].map(|name| folder.join(name));
    for input in &inputs {
        std::fs::write(input, "define void @f() {\n  ret void\n}\n")?;
    }
    let native = |triple: Option<&str>| -> Result<_, Failure> {
        let mut command = limited(20, gusset()?);
        command.current_dir(&folder).args(["compile", "--cpu", "native"]).args(&inputs);
        run(command.args(triple.map(|triple| format!("--target={triple}"))))
    };
    let here = native(None)?;
    assert_eq!((here.code, here.errors().lines().count()), (0, 1), "{}", here.errors());
    assert!(here.errors().starts_with("note: processor `native`: "), "{}", here.errors());
    let other = native(Some(if cfg!(target_arch = "aarch64") { "x86_64-linux-gnu" } else { "aarch64-linux-gnu" }))?;
    assert!(other.code == 1 && other.errors().contains("`native`"), "{}", other.errors());
    Ok(())
}

/// Products and sums that are rounded once are, in one instruction, from a header's function too.
#[test]
fn products_and_sums_are_rounded_once() -> Result<(), Failure> {
    const SOURCE: &str = r#"
#include <stdio.h>
#include <immintrin.h>
__attribute__((noinline)) __m128 a(__m128 x, __m128 y, __m128 z) { return _mm_fmadd_ps(x, y, z); }
__attribute__((noinline)) __m128d b(__m128d x, __m128d y, __m128d z) { return _mm_fmsub_pd(x, y, z); }
__attribute__((noinline)) __m128 c(__m128 x, __m128 y, __m128 z) { return _mm_fnmadd_ss(x, y, z); }
__attribute__((noinline)) double d(double x, double y, double *z) { return __builtin_fma(x, x, *z) + __builtin_fma(*z, y, *z); }
__attribute__((noinline)) float e(float *x, float *y, float z) { return __builtin_fmaf(*x, *y, __builtin_fmaf(z, z, *x)); }
int main(void) {
    if (!__builtin_cpu_supports("fma")) return puts("none") < 0;
    float x[4] = { 1.0000001f, 3, -5, 1e-30f }, y[4] = { 1.0000001f, 7, 1e10f, 1e-20f }, z[4] = { -1, 9, 1, 1e-38f }, r[8];
    _mm_storeu_ps(r, a(_mm_loadu_ps(x), _mm_loadu_ps(y), _mm_loadu_ps(z)));
    _mm_storeu_ps(r + 4, c(_mm_loadu_ps(x), _mm_loadu_ps(y), _mm_loadu_ps(z)));
    for (int i = 0; i < 8; i++) printf("%a ", r[i]);
    __m128d p = b(_mm_set_pd(1.0000000001, 3), _mm_set_pd(1.0000000001, 0.1), _mm_set_pd(1, 0.3));
    double m = -1.0000000002;
    printf("%a %a %a %a\n", p[0], p[1], d(1.0000000001, 2, &m), e(x, y, z[0]));
}
"#;
    let folder = work_folder("features/fused");
    let path = |name: &str| folder.join(name);
    std::fs::write(path("f.c"), SOURCE)?;
    let mut clang = limited(60, gusset_tests::tools::clang());
    succeed(
        clang.args(["-O1", "-mfma", "-ffp-contract=off", "-S", "-emit-llvm", "-o"]).args([path("f.ll"), path("f.c")]),
    )?;
    let text = by_gusset("x86_64-linux-gnu", "haswell", &path("f.ll"))?;
    assert_eq!((text.matches("vfmadd231").count(), text.contains("fmaf")), (7, false), "{text}");
    let mut ours = limited(20, gusset()?);
    succeed(ours.args(["compile", "--attr=+fma", "-o"]).args([path("f.o"), path("f.ll")]))?;
    let link = |from: &str, to: &str| {
        let mut clang = limited(60, gusset_tests::tools::clang());
        succeed(clang.args([path(from)]).arg("-lm").arg("-o").arg(path(to)))?;
        succeed(&mut limited(10, path(to))).map(|outcome| outcome.text())
    };
    assert_eq!(link("f.o", "ours")?, link("f.ll", "theirs")?);
    Ok(())
}
