//! What is near on Arm's machines: functions longer than branches go, frames beyond every displacement, a million instructions in one
//! function, a call with more constants than one place holds that the code reaches. And on every machine: expressions deeper than there
//! are registers.

use std::fmt::Write as _;

use fastrand::Rng;
use gusset_tests::build::{Level, Mode, Unit, by_clang, compile_in, ir};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, limited, run, work_folder};

/// Compiles IR by Gusset, links it to a driver in C and runs that, which ends with 0 if all is well.
fn judge_in(mode: Mode, name: &str, ir: &str, driver: &str) -> Result<(), Failure> {
    let folder = work_folder(&format!("far/{mode:?}"));
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let triple = format!("target triple = \"{}\"\n", mode.triple());
    let triple = if ir.contains("target triple") { "" } else { triple.as_str() };
    std::fs::write(file("ll"), format!("{triple}{ir}"))?;
    std::fs::write(file("c"), driver)?;
    compile_in(mode, &file("ll"), &file("o"))?;
    let flags = [mode.clang_flags(), &["-O1"]].concat();
    let driver = by_clang(&Unit { source: file("c"), flags: Vec::new() }, &flags)?;
    mode.link(&[driver, file("o")], &[], &file("elf"))?;
    // A stack of the largest frame's size.
    let mut command = limited(60, mode.emulator().unwrap_or("env"));
    if mode.emulator().is_some() {
        command.args(["-s", "150000000"]);
    }
    let outcome = run(command.arg(file("elf")))?;
    let why = || Failure::new(format!("{name} on {mode:?}: {} {}", outcome.code, outcome.text()));
    if outcome.code == 0 { Ok(()) } else { Err(why()) }
}

/// The same on several machines.
fn judge(modes: &[Mode], name: &str, ir: &str, driver: &str) -> Result<(), Failure> {
    parallel::map(modes.len(), |i| judge_in(modes[i], name, ir, driver)).into_iter().collect()
}

/// Instructions that count: each adds one to what `p` points to.
fn counting(out: &mut String, prefix: &str, count: usize) {
    for k in 0..count {
        let _ = writeln!(out, " %{prefix}l{k} = load volatile i32, ptr %p\n %{prefix}a{k} = add i32 %{prefix}l{k}, 1");
        let _ = writeln!(out, " store volatile i32 %{prefix}a{k}, ptr %p");
    }
}

/// Branches of every kind past as many bytes as they cannot reach: on a bit 32 KiB, on a comparison or zero 1 MiB.
#[test]
fn branches() -> Result<(), Failure> {
    let (mut ir, mut calls) = (String::new(), String::new());
    for (name, condition, steps) in [
        ("bit", "%b = and i64 %n, 32\n %c = icmp ne i64 %b, 0", 3_000),
        ("sign", "%c = icmp slt i64 %n, 0", 3_000),
        ("zero", "%c = icmp eq i64 %n, 0", 90_000),
        ("less", "%c = icmp ult i64 %n, 7", 90_000),
    ] {
        let _ = writeln!(
            ir,
            "define i32 @{name}(i64 %n, ptr %p) {{\n {condition}\n br i1 %c, label %far, label %near\nnear:"
        );
        counting(&mut ir, "n", steps);
        let _ = writeln!(ir, " %again = load volatile i32, ptr %p\n %more = icmp slt i32 %again, 0");
        // Backwards, too.
        let _ = writeln!(
            ir,
            " br i1 %more, label %near, label %far\nfar:\n %r = load volatile i32, ptr %p\n ret i32 %r\n}}"
        );
        let _ = writeln!(calls, "int {name}(long long, int *);");
        let _ = writeln!(calls, "static int of_{name}(void) {{ int t = 0, u = 0, v = -{steps} - 1;");
        let (taken, not) = match name {
            "bit" => ("32", "31"),
            "sign" => ("-5", "5"),
            "zero" => ("0", "1"),
            _ => ("6", "7"),
        };
        let _ = writeln!(
            calls,
            "return {name}({taken}, &t) != 0 || {name}({not}, &u) != {steps} || {name}({not}, &v) != {steps} - 1; }}"
        );
    }
    calls.push_str("int main(void) { return of_bit() | of_sign() << 1 | of_zero() << 2 | of_less() << 3; }\n");
    judge(&[Mode::Aarch64, Mode::T32], "branches", &ir, &calls)
}

/// Frames of 5 KB, 40 KB and 100 MB, at both of whose ends something is kept.
#[test]
fn frames() -> Result<(), Failure> {
    let (mut ir, mut calls) = (String::from("declare void @see(ptr, ptr, ptr)\n"), String::new());
    calls.push_str("void see(int *a, char *b, int *c) { *a += 3; b[0] += 1; *c += 5; }\n");
    let mut main = String::new();
    for size in [5_000, 40_000, 100_000_000] {
        let _ = writeln!(
            ir,
            "define i32 @frame_{size}(i32 %n) {{\n %a = alloca i32\n %b = alloca [{size} x i8]\n %c = alloca i32\n\
             %last = getelementptr i8, ptr %b, i64 {}\n store volatile i32 %n, ptr %a\n store volatile i8 1, ptr %b\n\
             store volatile i8 2, ptr %last\n store volatile i32 7, ptr %c\n\
             call void @see(ptr %a, ptr %b, ptr %c)\n call void @see(ptr %c, ptr %last, ptr %a)\n\
             %x = load volatile i32, ptr %a\n %y = load volatile i32, ptr %c\n %z = load volatile i8, ptr %b\n\
             %w = load volatile i8, ptr %last\n %s = add i32 %x, %y\n %u = zext i8 %z to i32\n %v = zext i8 %w to i32\n\
             %t = add i32 %s, %u\n %r = add i32 %t, %v\n ret i32 %r\n}}",
            size - 1
        );
        let _ = writeln!(calls, "int frame_{size}(int);");
        let _ = write!(main, "if (frame_{size}(100) != 100 + 7 + 16 + 2 + 3) return 1; ");
    }
    let _ = writeln!(calls, "int main(void) {{ {main}return 0; }}");
    judge(&[Mode::Aarch64, Mode::A32, Mode::T32], "frames", &ir, &calls)
}

#[test]
fn a_million_instructions() -> Result<(), Failure> {
    let steps = 330_000;
    let mut ir = String::from("define i32 @long(ptr %p) {\n");
    counting(&mut ir, "n", steps);
    ir.push_str(" %r = load volatile i32, ptr %p\n ret i32 %r\n}\n");
    let driver = format!("int f(int *) __asm__(\"long\"); int main(void) {{ int n = 0; return f(&n) != {steps}; }}\n");
    judge(&[Mode::Aarch64, Mode::T32], "long", &ir, &driver)
}

/// Loads of floating-point constants reach a kilobyte on ARM, and what puts them on the stack alone is longer.
#[test]
fn hundreds_of_constants_in_one_call() -> Result<(), Failure> {
    let count = 600;
    let constants = (0..count).map(|k| format!("double {k}.5")).collect::<Vec<_>>().join(", ");
    let ir = format!(
        "declare double @sum(i32, ...)\ndefine double @all() {{\n %r = call double (i32, ...) @sum(i32 {count}, {constants})\n \
         ret double %r\n}}\n"
    );
    let driver = format!(
        "#include <stdarg.h>\ndouble sum(int n, ...) {{ va_list l; va_start(l, n); double s = 0;\n\
         for (int i = 0; i < n; i++) s += va_arg(l, double) * (i % 7 + 1);\nva_end(l); return s; }}\n\
         double all(void);\nint main(void) {{ double s = 0; for (int i = 0; i < {count}; i++) s += (i + 0.5) * (i % 7 + 1);\n\
         return all() != s; }}\n"
    );
    judge(&[Mode::A32, Mode::T32], "constants", &ir, &driver)
}

/// Every parameter of a loop's header becomes its neighbour's: what may share a home is found in linear time.
#[test]
fn a_cycle_of_parameters() -> Result<(), Failure> {
    let count = 200_000;
    let mut ir = String::from("define i32 @turn(i32 %n) {\nentry:\n br label %loop\nloop:\n");
    for k in 0..count {
        let _ = writeln!(ir, " %p{k} = phi i32 [ {k}, %entry ], [ %p{}, %loop ]", (k + 1) % count);
    }
    ir.push_str(" %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n %j = add i32 %i, 1\n %more = icmp slt i32 %j, %n\n");
    ir.push_str(" br i1 %more, label %loop, label %end\nend:\n ret i32 %p0\n}\n");
    judge(&[Mode::Bits64], "cycle", &ir, "int turn(int); int main(void) { return turn(1) != 0 || turn(8) != 7; }\n")
}

/// A subscript that depends on what is read at others, `depth` deep, with sums, shifts, comparisons and conversions on the way.
fn subscript(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 {
        return rng.choice(["x", "y", "7"]).unwrap_or("x").to_owned();
    }
    let inner = subscript(rng, depth - 1);
    let array = rng.choice(["a8", "a16", "a32", "a64", "p32"]).unwrap_or("a32");
    let other = if depth > 1 && rng.u8(..8) == 0 { subscript(rng, depth / 2) } else { "y".to_owned() };
    match rng.u8(..16) {
        0 => format!("(({inner} ^ {other}) & 63)"),
        1 => format!("{array}[{inner} * 4 + 3 & 63]"),
        2 => format!("{array}[({inner} >> 1) + 5]"),
        3 => format!("({array}[{inner}] < {other} && a16[{other}] > 3 ? {array}[{other}] : 5)"),
        4 => format!("{array}[(unsigned char)({inner} - {other}) & 63]"),
        5 => format!("(long long){array}[{inner}]"),
        _ => format!("{array}[{inner}]"),
    }
}

/// Addresses that are computed where they are accessed, in each other: none of them runs out of registers.
#[test]
fn nested_subscripts() -> Result<(), Failure> {
    const COUNT: u64 = 24;
    let mut functions = String::from(
        "extern signed char a8[64]; extern short a16[64]; extern int a32[64]; extern long long a64[64];\n",
    );
    for k in 0..COUNT {
        let depth = if k == 0 { 16 } else { Rng::with_seed(k).u32(2..40) };
        let value = match k {
            0 => format!("{}x{}", "a32[".repeat(16), "]".repeat(16)),
            _ => subscript(&mut Rng::with_seed(k), depth),
        };
        let _ = match k % 3 {
            0 => writeln!(functions, "long long F({k})(long long x, int y, int *p32) {{ return {value}; }}"),
            1 => writeln!(
                functions,
                "long long F({k})(int x, int y, int *p32) {{ a64[{value}] = a32[{value}] ^ 1; return a64[y]; }}"
            ),
            _ => writeln!(
                functions,
                "long long F({k})(short x, int y, int *p32) {{ if ({value} > 9 && a8[{value}] < 40) return 1; return 2; }}"
            ),
        };
    }
    let folder = work_folder("far/subscripts");
    std::fs::write(folder.join("functions.c"), format!("#define F(k) f##k\n{functions}"))?;
    let mut driver = format!("#define F(k) static own##k\n{functions}");
    driver.push_str(
        "signed char a8[64]; short a16[64]; int a32[64]; long long a64[64];\nstatic void fill(void) { for (int i = 0; i < 64; i++) {\n\
         a8[i] = (i * 37 + 11) % 64; a16[i] = (i * 29 + 5) % 64; a32[i] = (i * 23 + 3) % 64; a64[i] = (i * 19 + 7) % 64; } }\n",
    );
    let mut main = String::new();
    for k in 0..COUNT {
        let first = ["long long", "int", "short"][k as usize % 3];
        let _ = writeln!(driver, "long long f{k}({first}, int, int *);");
        let _ = writeln!(
            main,
            "for (int x = 0; x < 64; x += 9) {{ fill(); long long r = own{k}(x, 63 - x, a32); fill(); \
             if (f{k}(x, 63 - x, a32) != r) return {k} + 1; }}"
        );
    }
    let _ = writeln!(driver, "int main(void) {{ {main}return 0; }}");
    let source = Unit { source: folder.join("functions.c"), flags: Vec::new() };
    let modes = [Mode::Bits64, Mode::Bits32, Mode::X87, Mode::Aarch64, Mode::A32, Mode::T32, Mode::Soft, Mode::V5];
    let judged = parallel::map(modes.len(), |i| {
        let text = std::fs::read_to_string(ir(&source, Level::O0, modes[i].clang_flags())?)?;
        judge_in(modes[i], "subscripts", &text, &driver)
    });
    judged.into_iter().collect()
}
