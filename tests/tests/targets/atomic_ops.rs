//! Every atomic operation of LLVM IR at every width up to 64 bits, against the same in C, in one thread and in four.

use std::fmt::Write as _;

use gusset_tests::build::{Mode, compile_in};
use gusset_tests::tools::{Failure, cc, gusset, limited, succeed, work_folder};

/// Operations with what they are in C, of the old value `o` and the operand `v` of a type `T`, whose signed form is `S`.
const OPS: [(&str, &str); 13] = [
    ("xchg", "v"),
    ("add", "o + v"),
    ("sub", "o - v"),
    ("and", "o & v"),
    ("nand", "~(o & v)"),
    ("or", "o | v"),
    ("xor", "o ^ v"),
    ("max", "(S)o > (S)v ? o : v"),
    ("min", "(S)o < (S)v ? o : v"),
    ("umax", "o > v ? o : v"),
    ("umin", "o < v ? o : v"),
    ("uinc_wrap", "o >= v ? 0 : o + 1"),
    ("udec_wrap", "o == 0 || o > v ? v : o - 1"),
];
const FLOAT_OPS: [(&str, &str); 4] =
    [("fadd", "o + v"), ("fsub", "o - v"), ("fmax", "o > v ? o : v"), ("fmin", "o < v ? o : v")];
/// Orders, which take turns.
const ORDERS: [&str; 5] = ["monotonic", "acquire", "release", "acq_rel", "seq_cst"];

/// The module, and the program that judges it.
fn texts(triple: &str) -> (String, String) {
    let mut ir = format!("target triple = \"{triple}\"\n");
    let mut c = String::from(
        "#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\
         static int wrong;\n\
         static void check(int ok, const char *what) { if (!ok) { wrong = 1; puts(what); } }\n",
    );
    let mut body = String::new();
    for bits in [8, 16, 32, 64] {
        let ext = if bits < 32 { " zeroext" } else { "" };
        let (bytes, t) = (bits / 8, format!("uint{bits}_t"));
        let _ = writeln!(
            c,
            "static const {t} values{bits}[] = {{ 0, 1, 2, 5, 100, 127, 128, 200, 255, ({t})-1, ({t})-2,\
             ({t})1 << {}, ({t})(({t})1 << {}) - 1, ({t})0x0123456789abcdef }};",
            bits - 1,
            bits - 1
        );
        for (k, (op, how)) in OPS.into_iter().enumerate() {
            let order = ORDERS[(k + bits) % 5];
            let _ = writeln!(
                ir,
                "define{ext} i{bits} @{op}{bits}(ptr %p, i{bits}{ext} %v) {{\n \
                 %r = atomicrmw {op} ptr %p, i{bits} %v {order}\n ret i{bits} %r\n}}"
            );
            let _ = writeln!(
                c,
                "{t} {op}{bits}({t} *, {t});\nstatic void test_{op}{bits}(void) {{ typedef {t} T; typedef int{bits}_t S;\n\
                 for (int i = 0; i < 14; i++) for (int j = 0; j < 14; j++) {{\n\
                 T o = values{bits}[i], v = values{bits}[j], m[3] = {{ 7, o, 9 }}; T r = {op}{bits}(m + 1, v);\n\
                 check(r == o && m[1] == (T)({how}) && m[0] == 7 && m[2] == 9, \"{op}{bits}\"); }} }}"
            );
            let _ = writeln!(body, "test_{op}{bits}();");
        }
        for (k, weak) in ["", "weak "].into_iter().enumerate() {
            let _ = writeln!(
                ir,
                "define{ext} i{bits} @cas{k}_{bits}(ptr %p, i{bits}{ext} %a, i{bits}{ext} %b, ptr %ok) {{\n \
                 %r = cmpxchg {weak}ptr %p, i{bits} %a, i{bits} %b seq_cst acquire\n %o = extractvalue {{ i{bits}, i1 }} %r, 0\n \
                 %k = extractvalue {{ i{bits}, i1 }} %r, 1\n %z = zext i1 %k to i32\n store i32 %z, ptr %ok\n ret i{bits} %o\n}}"
            );
            let _ = writeln!(
                c,
                "{t} cas{k}_{bits}({t} *, {t}, {t}, int *);\nstatic void test_cas{k}_{bits}(void) {{ typedef {t} T;\n\
                 for (int i = 0; i < 14; i++) for (int j = 0; j < 14; j++) {{\n\
                 T o = values{bits}[i], a = values{bits}[j], m = o; int ok; T r = cas{k}_{bits}(&m, a, 77, &ok);\n\
                 check(r == o && ok == (o == a) && m == (T)(ok ? 77 : o), \"cas{k}_{bits}\"); }} }}"
            );
            let _ = writeln!(body, "test_cas{k}_{bits}();");
        }
        for (k, order) in ["monotonic", "acquire", "seq_cst"].into_iter().enumerate() {
            let stored = order.replace("acquire", "release");
            let _ = writeln!(
                ir,
                "define void @copy{k}_{bits}(ptr %p, ptr %q) {{\n %v = load atomic i{bits}, ptr %p {order}, align {bytes}\n \
                 store atomic i{bits} %v, ptr %q {stored}, align {bytes}\n fence {}\n ret void\n}}",
                if k == 0 { "syncscope(\"singlethread\") seq_cst" } else { order }
            );
            let _ = writeln!(
                c,
                "void copy{k}_{bits}({t} *, {t} *);\nstatic void test_copy{k}_{bits}(void) {{\n\
                 for (int i = 0; i < 14; i++) {{ {t} a = values{bits}[i], m[3] = {{ 1, 2, 3 }}; copy{k}_{bits}(&a, m + 1);\n\
                 check(m[0] == 1 && m[1] == a && m[2] == 3, \"copy{k}_{bits}\"); }} }}"
            );
            let _ = writeln!(body, "test_copy{k}_{bits}();");
        }
    }
    for (ir_type, t, bytes) in [("float", "float", 4), ("double", "double", 8)] {
        for (op, how) in FLOAT_OPS {
            let _ = writeln!(
                ir,
                "define {ir_type} @{op}_{t}(ptr %p, {ir_type} %v) {{\n \
                 %r = atomicrmw {op} ptr %p, {ir_type} %v seq_cst\n ret {ir_type} %r\n}}"
            );
            let _ = writeln!(
                c,
                "{t} {op}_{t}({t} *, {t});\nstatic void test_{op}_{t}(void) {{ static const {t} values[] = {{ 0.5, -3.25, 1e9, 7 }};\n\
                 for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) {{\n\
                 {t} o = values[i], v = values[j], m = o, r = {op}_{t}(&m, v); check(r == o && m == ({t})({how}), \"{op}_{t}\"); }} }}"
            );
            let _ = writeln!(body, "test_{op}_{t}();");
        }
        let _ = writeln!(
            ir,
            "define {ir_type} @turn_{t}(ptr %p, {ir_type} %v) {{\n %o = load atomic {ir_type}, ptr %p acquire, align {bytes}\n \
             store atomic {ir_type} %v, ptr %p release, align {bytes}\n %r = atomicrmw xchg ptr %p, {ir_type} %o seq_cst\n ret {ir_type} %r\n}}"
        );
        let _ = writeln!(c, "{t} turn_{t}({t} *, {t});");
        let _ =
            writeln!(body, "{{ {t} m = 2.5, r = turn_{t}(&m, -1.5); check(m == 2.5 && r == -1.5, \"turn_{t}\"); }}");
    }
    c.push_str(
        "static uint8_t s8; static uint16_t s16; static uint32_t s32; static uint64_t s64, most; static double sum;\n\
         static void *work(void *arg) { for (int i = 0; i < 3000; i++) {\n\
         add8(&s8, 1); add16(&s16, 3); add32(&s32, 5); add64(&s64, 0x100000001ull); fadd_double(&sum, 1.0);\n\
         umax64(&most, 4 * (uint64_t)i + (uintptr_t)arg); } return arg; }\n",
    );
    let _ = writeln!(
        c,
        "int main(void) {{\n{body}pthread_t t[4]; for (size_t k = 0; k < 4; k++) pthread_create(t + k, 0, work, (void *)k);\n\
         for (int k = 0; k < 4; k++) pthread_join(t[k], 0);\n\
         check(s8 == (uint8_t)12000 && s16 == 36000 && s32 == 60000, \"threads\");\n\
         check(s64 == 12000 * 0x100000001ull && sum == 12000 && most == 4 * 2999 + 3, \"threads, 64 bits\"); return wrong; }}"
    );
    (ir, c)
}

fn run(mode: Mode) -> Result<(), Failure> {
    let folder = work_folder(&format!("atomic_ops/{mode:?}"));
    let path = |name: &str| folder.join(name);
    let (ir, c) = texts(mode.triple());
    std::fs::write(path("all.ll"), ir)?;
    std::fs::write(path("main.c"), c)?;
    compile_in(mode, &path("all.ll"), &path("all.o"))?;
    let gcc = mode.gcc();
    let mut command = limited(60, &gcc[0]);
    succeed(command.args(&gcc[1..]).args(["-O1", "-w", "-c"]).arg(path("main.c")).arg("-o").arg(path("main.o")))?;
    mode.link(&[path("all.o"), path("main.o")], &["-lpthread", "-lm"], &path("program"))?;
    succeed(&mut mode.runner(60, &path("program"))).map(drop)
}

#[test]
fn on_x86() -> Result<(), Failure> {
    run(Mode::Bits64)?;
    run(Mode::Bits32)
}

#[test]
fn on_aarch64() -> Result<(), Failure> {
    run(Mode::Aarch64)
}

#[test]
fn on_arm() -> Result<(), Failure> {
    run(Mode::A32)?;
    run(Mode::T32)?;
    run(Mode::Soft)
}

/// Where the kernel does them.
#[test]
fn on_older_arm() -> Result<(), Failure> {
    run(Mode::V5)
}

/// The same operations relative to gs, whose base is the variable's address less 64.
#[test]
fn relative_to_a_segment() -> Result<(), Failure> {
    let folder = work_folder("atomic-segment");
    let mut ir = String::from("target triple = \"x86_64-linux-gnu\"\n");
    let mut c = String::from(
        "#include <stdint.h>\n#include <stdio.h>\n#include <sys/syscall.h>\n#include <unistd.h>\nstatic int wrong;\n\
         static union { uint8_t a8; uint16_t a16; uint32_t a32; uint64_t a64; float f; } at;\n",
    );
    let mut body = String::from("syscall(SYS_arch_prctl, 0x1001, (char *)&at - 64);\n");
    for bits in [8, 16, 32, 64] {
        let t = format!("uint{bits}_t");
        for (op, result) in OPS {
            let name = format!("{op}_{bits}");
            let _ = writeln!(
                ir,
                "define zeroext i{bits} @{name}(ptr addrspace(256) %p, i{bits} %v) {{\n\
                 %r = atomicrmw {op} ptr addrspace(256) %p, i{bits} %v seq_cst\nret i{bits} %r\n}}"
            );
            let _ = writeln!(
                c,
                "{t} {name}(long, {t});\nstatic void t_{name}({t} o, {t} v) {{ typedef {t} T; typedef int{bits}_t S; (void)(S)0;\n\
                 at.a{bits} = o; T old = {name}(64, v); if (old != o || at.a{bits} != (T)({result})) wrong = 1, puts(\"{name}\"); }}"
            );
            let _ = writeln!(body, "t_{name}(0, 5); t_{name}(200, 7); t_{name}(7, 200); t_{name}(-1, 3);");
        }
        let _ = writeln!(
            ir,
            "define zeroext i1 @cas_{bits}(ptr addrspace(256) %p, i{bits} %v, i{bits} %w) {{\n\
             %r = cmpxchg ptr addrspace(256) %p, i{bits} %v, i{bits} %w acq_rel monotonic\n%f = extractvalue {{ i{bits}, i1 }} %r, 1\nret i1 %f\n}}\n\
             define void @copy_{bits}(ptr addrspace(256) %p) {{\n%v = load atomic i{bits}, ptr addrspace(256) %p acquire, align {0}\n\
             %w = add i{bits} %v, 1\nstore atomic i{bits} %w, ptr addrspace(256) %p seq_cst, align {0}\nret void\n}}",
            bits / 8
        );
        let _ = writeln!(c, "_Bool cas_{bits}(long, {t}, {t});\nvoid copy_{bits}(long);");
        let _ = writeln!(
            body,
            "at.a{bits} = 9; if (cas_{bits}(64, 8, 1) || at.a{bits} != 9 || !cas_{bits}(64, 9, 1) || at.a{bits} != 1) wrong = 1, puts(\"cas\");\n\
             copy_{bits}(64); if (at.a{bits} != 2) wrong = 1, puts(\"copy\");"
        );
    }
    for (op, result) in FLOAT_OPS {
        let _ = writeln!(
            ir,
            "define float @{op}(ptr addrspace(256) %p, float %v) {{\n%r = atomicrmw {op} ptr addrspace(256) %p, float %v seq_cst\nret float %r\n}}"
        );
        let _ = writeln!(
            c,
            "float {op}(long, float);\nstatic void t_{op}(float o, float v) {{ at.f = o; if ({op}(64, v) != o || at.f != ({result})) wrong = 1, puts(\"{op}\"); }}"
        );
        let _ = writeln!(body, "t_{op}(1.5f, 2.25f); t_{op}(3, -1);");
    }
    let [source, driver, object, program] =
        ["module.ll", "driver.c", "module.o", "program"].map(|name| folder.join(name));
    std::fs::write(&source, ir)?;
    std::fs::write(&driver, format!("{c}int main(void) {{\n{body}return wrong;\n}}\n"))?;
    succeed(limited(60, gusset()?).args(["compile", "--verify", "--pic"]).arg(&source).arg("-o").arg(&object))?;
    succeed(limited(60, cc()).args(["-w", "-O1"]).arg(&driver).arg(&object).arg("-o").arg(&program))?;
    succeed(&mut limited(20, &program)).map(drop)
}
