//! Rounding modes, exceptions and the environment of floating point as a whole: a program that sets, computes and reads
//! prints the same by llc and by gusset, on every machine.

use std::fmt::Write as _;
use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, same_lines, succeed, work_folder};

/// Operations in LLVM's names: the type of the result, the operands, the rest of the name.
struct Operation {
    name: &'static str,
    result: &'static str,
    operands: &'static [&'static str],
    mangled: &'static str,
    rounds: bool,
}

const fn op(
    name: &'static str,
    result: &'static str,
    operands: &'static [&'static str],
    mangled: &'static str,
    rounds: bool,
) -> Operation {
    Operation { name, result, operands, mangled, rounds }
}

const SINGLES: &str = "<4 x float>";
const DOUBLES: &str = "<2 x double>";
const THREE: &str = "<3 x double>";

const OPERATIONS: &[Operation] = &[
    op("fadd", "float", &["float"; 2], "f32", true),
    op("fsub", "float", &["float"; 2], "f32", true),
    op("fmul", "float", &["float"; 2], "f32", true),
    op("fdiv", "float", &["float"; 2], "f32", true),
    op("sqrt", "float", &["float"], "f32", true),
    op("fadd", "double", &["double"; 2], "f64", true),
    op("fsub", "double", &["double"; 2], "f64", true),
    op("fmul", "double", &["double"; 2], "f64", true),
    op("fdiv", "double", &["double"; 2], "f64", true),
    op("sqrt", "double", &["double"], "f64", true),
    op("fma", "double", &["double"; 3], "f64", true),
    op("rint", "double", &["double"], "f64", true),
    op("nearbyint", "double", &["double"], "f64", true),
    op("floor", "double", &["double"], "f64", false),
    op("trunc", "float", &["float"], "f32", false),
    op("lrint", "i32", &["double"], "i32.f64", true),
    op("fptosi", "i32", &["double"], "i32.f64", false),
    op("fptrunc", "float", &["double"], "f32.f64", true),
    op("fpext", "double", &["float"], "f64.f32", false),
    op("fadd", SINGLES, &[SINGLES; 2], "v4f32", true),
    op("fdiv", SINGLES, &[SINGLES; 2], "v4f32", true),
    op("sqrt", SINGLES, &[SINGLES], "v4f32", true),
    op("fmul", DOUBLES, &[DOUBLES; 2], "v2f64", true),
    op("fma", DOUBLES, &[DOUBLES; 3], "v2f64", true),
    op("rint", DOUBLES, &[DOUBLES], "v2f64", true),
    op("fsub", THREE, &[THREE; 2], "v3f64", true),
    op("fptrunc", "<2 x float>", &[DOUBLES], "v2f32.v2f64", true),
    op("fptosi", "<2 x i32>", &[DOUBLES], "v2i32.v2f64", false),
];

/// The functions on the environment, of integers of these types; the C library does what `library` says.
fn environment(environment: &str, modes: &str, library: bool) -> String {
    let mut text = String::from(
        "define i32 @get_rounding() strictfp {\n %r = call i32 @llvm.get.rounding() strictfp\n ret i32 %r\n}\n\
         define void @set_rounding(i32 %m) strictfp {\n call void @llvm.set.rounding(i32 %m) strictfp\n ret void\n}\n",
    );
    for (m, name) in ["zero", "near", "up", "down"].into_iter().enumerate() {
        let _ = writeln!(text, "define void @round_{name}() {{\n call void @llvm.set.rounding(i32 {m})\n ret void\n}}");
    }
    let mut all = vec![("fpenv", "env", environment)];
    if library {
        text += "define void @get_mode(ptr %p) {\n %r = call i32 @fegetmode(ptr %p)\n ret void\n}\n\
                 define void @set_mode(ptr %p) {\n %r = call i32 @fesetmode(ptr %p)\n ret void\n}\n\
                 define void @reset_mode() {\n %p = inttoptr i64 -1 to ptr\n %r = call i32 @fesetmode(ptr %p)\n ret void\n}\n\
                 declare i32 @fegetmode(ptr)\ndeclare i32 @fesetmode(ptr)\n";
    } else {
        all.push(("fpmode", "mode", modes));
    }
    for (intrinsic, name, ty) in all {
        let _ = write!(
            text,
            "define void @get_{name}(ptr %p) {{\n %v = call {ty} @llvm.get.{intrinsic}.{ty}()\n store {ty} %v, ptr %p, align 4\n ret void\n}}\n\
             define void @set_{name}(ptr %p) {{\n %v = load {ty}, ptr %p, align 4\n call void @llvm.set.{intrinsic}.{ty}({ty} %v)\n ret void\n}}\n\
             define void @reset_{name}() {{\n call void @llvm.reset.{intrinsic}()\n ret void\n}}\n"
        );
    }
    text
}

/// The operations as functions of addresses, and what calls them in C.
fn operations() -> (String, String) {
    let (mut ir, mut calls) = (String::new(), String::new());
    for (k, o) in OPERATIONS.iter().enumerate() {
        let _ = writeln!(ir, "define void @op{k}(ptr %a, ptr %b, ptr %c, ptr %o) strictfp {{");
        let mut operands = String::new();
        for (&ty, name) in o.operands.iter().zip(["a", "b", "c"]) {
            let _ = writeln!(ir, " %v{name} = load {ty}, ptr %{name}, align 4");
            let _ = write!(operands, "{ty} %v{name}, ");
        }
        let rounding = if o.rounds { "metadata !\"round.dynamic\", " } else { "" };
        let _ = write!(
            ir,
            " %r = call {0} @llvm.experimental.constrained.{1}.{2}({operands}{rounding}metadata !\"fpexcept.strict\") strictfp\n \
             store {0} %r, ptr %o, align 4\n ret void\n}}\n",
            o.result, o.name, o.mangled
        );
        let kind = if o.operands[0].contains("float") { "s" } else { "d" };
        let _ = writeln!(
            calls,
            "void op{k}(const void *, const void *, const void *, void *);\n\
             static void call{k}(int i, void *o) {{ op{k}({kind}[i], {kind}[i + 1], {kind}[i + 2], o); }}"
        );
    }
    let names: Vec<String> =
        OPERATIONS.iter().enumerate().map(|(k, o)| format!("{{ call{k}, \"{}.{}\" }}", o.name, o.mangled)).collect();
    let _ = writeln!(
        calls,
        "static const struct {{ void (*f)(int, void *); const char *name; }} ops[] = {{ {} }};",
        names.join(", ")
    );
    (ir, calls)
}

const OPERANDS: &str = r"
#include <fenv.h>
#include <float.h>
#include <stdio.h>
#include <string.h>
int get_rounding(void); void set_rounding(int);
void round_zero(void), round_near(void), round_up(void), round_down(void);
void get_env(void *), set_env(const void *), reset_env(void), get_mode(void *), set_mode(const void *), reset_mode(void);
static const float s[][4] = {
    { 1, 2.5f, -1, 0.1f }, { 3, 1e-8f, 7, -0.3f }, { FLT_MAX, FLT_MIN, -3.5f, 1 }, { 1e-3f, 1e30f, 0, -0.0f },
    { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { -1.5f, -2.5f, 1e-40f, 3 }, { 3, 3, 3, 3 }, { 7, 7, 7, 7 },
};
static const double d[][4] = {
    { 1, 2.5, -1, 0.1 }, { 3, 1e-18, 7, -0.3 }, { DBL_MAX, DBL_MIN, -3.5, 1 }, { 1e-3, 1e300, 0, -0.0 },
    { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { -1.5, -2.5, 1e-310, 3 }, { 3, 3, 3, 3 }, { 7, 7, 7, 7 },
};
";

const DRIVER: &str = r#"
static int exceptions(void) {
    int e = fetestexcept(FE_ALL_EXCEPT);
    return !!(e & FE_INVALID) | !!(e & FE_DIVBYZERO) << 1 | !!(e & FE_OVERFLOW) << 2 | !!(e & FE_UNDERFLOW) << 3
        | !!(e & FE_INEXACT) << 4;
}
static void compute(const char *when) {
    for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++) {
        for (int i = 0; i < 7; i++) {
            unsigned char out[32] = { 0 };
            feclearexcept(FE_ALL_EXCEPT);
            ops[k].f(i, out);
            int e = exceptions(), mode = get_rounding();
            set_rounding(1);
            // What such a conversion gives is not told.
            if (e & 1 && strstr(ops[k].name, "i32.")) memset(out, 0, 32);
            printf("%s %s %d: ", when, ops[k].name, i);
            for (int n = 31; n >= 0; n--) printf("%02x", out[n]);
            printf(" %x\n", e);
            set_rounding(mode);
        }
    }
}
static int number(void) {
    int r = fegetround();
    return r == FE_TOWARDZERO ? 0 : r == FE_TONEAREST ? 1 : r == FE_UPWARD ? 2 : 3;
}
int main(void) {
    static void (*const modes[])(void) = { round_zero, round_near, round_up, round_down };
    static const char *const names[] = { "zero", "near", "up", "down" };
    for (int m = 0; m < 4; m++) {
        set_rounding(m);
        int got = get_rounding(), library = number();
        compute(names[m]);
        set_rounding(1);
        modes[m]();
        int again = get_rounding(), there = number();
        set_rounding(1);
        printf("%d: %d %d %d %d\n", m, got, library, again, there);
    }
    unsigned char saved[64], mode[64];
    memset(saved, 0, 64);
    memset(mode, 0, 64);
    for (int m = 0; m < 4; m++) {
        feclearexcept(FE_ALL_EXCEPT);
        set_rounding(m);
        feraiseexcept(m & 1 ? FE_DIVBYZERO : FE_INVALID);
        get_env(saved);
        get_mode(mode);
        int before = get_rounding(), raised = exceptions();
        reset_env();
        int reset = get_rounding(), lowered = exceptions();
        set_rounding(3 - m);
        set_env(saved);
        int after = get_rounding(), back = exceptions();
        set_rounding(3 - m);
        feraiseexcept(FE_OVERFLOW);
        set_mode(mode);
        int moded = get_rounding(), kept = exceptions();
        reset_mode();
        int unmoded = get_rounding(), still = exceptions();
        printf("%d: %d %x, %d %x, %d %x, %d %x, %d %x\n", m, before, raised, reset, lowered, after, back, moded, kept, unmoded, still);
    }
}
"#;

fn object_of_llc(mode: Mode, source: &Path, object: &Path) -> Result<(), Failure> {
    let mut llc = limited(120, llc());
    llc.args(["-O1", "-filetype=obj", "-relocation-model=pic", "-mtriple", mode.triple()]);
    if mode == Mode::Bits32 {
        llc.arg("-mattr=+sse2");
    }
    succeed(llc.arg(source).arg("-o").arg(object)).map(drop)
}

fn check(mode: Mode, fpenv: &str, fpmode: &str) -> Result<(), Failure> {
    let folder = work_folder(&format!("float-environment/{mode:?}-{fpenv}"));
    let (ir, calls) = operations();
    let [ours, theirs, driver, support] =
        ["ours.ll", "theirs.ll", "driver.c", "driver.o"].map(|name| folder.join(name));
    let head = format!("target triple = \"{}\"\n", mode.triple());
    std::fs::write(&ours, head.clone() + &environment(fpenv, fpmode, false) + &ir)?;
    // llc 19 has no modes of 64 bits on machines of 32.
    std::fs::write(&theirs, head + &environment(fpenv, fpmode, mode.bits() == 32 && fpmode == "i64") + &ir)?;
    std::fs::write(&driver, [OPERANDS, &calls, DRIVER].concat())?;
    let flags = ["-w", "-O1", "-fPIC", "-frounding-math", "-c"];
    succeed(limited(120, clang()).args(mode.clang_flags()).args(flags).arg(&driver).arg("-o").arg(&support))?;
    let mut printed = Vec::new();
    for (name, source) in [("llc", &theirs), ("gusset", &ours)] {
        let (object, program) = (folder.join(format!("{name}.o")), folder.join(name));
        if name == "llc" {
            object_of_llc(mode, source, &object)?;
        } else {
            let mut command = limited(120, gusset()?);
            command.args(["compile", "--verify", "--pic"]).args(mode.gusset_flags());
            succeed(command.arg(source).arg("-o").arg(&object))?;
        }
        mode.link(&[object, support.clone()], &["-lm"], &program)?;
        printed.push(succeed(&mut mode.runner(120, &program))?.text());
    }
    assert!(printed[0].lines().count() > 4 * 7 * OPERATIONS.len(), "{}", printed[0]);
    same_lines(&printed[0], &printed[1])
}

macro_rules! modes {
    ($($name:ident $mode:ident $environment:literal $modes:literal;)*) => {$(
        #[test]
        fn $name() -> Result<(), Failure> {
            check(Mode::$mode, $environment, $modes)
        }
    )*};
}

modes! {
    x86_64 Bits64 "i256" "i64";
    i686 Bits32 "i256" "i64";
    x87 X87 "i256" "i64";
    aarch64 Aarch64 "i64" "i32";
    aarch64_by_library Aarch64 "i128" "i64";
    a32 A32 "i32" "i32";
    t32 T32 "i32" "i32";
    a32_by_library A32 "i64" "i64";
}
