//! Operations compiled one by one into functions, run beside the same in C, in several surroundings: alone, among many live
//! values, with operands that come from another block and are read again, and across a call.

use std::fmt::Write;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use gusset_abi::{AbiTarget, CType, LlvmScalar, LlvmType, Signature, classify};
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{
    Callee, Function, FunctionBuilder, Linkage, MemFlags, Module, Opcode, SigData, Symbol, SymbolId, SymbolKind,
    TailKind, Type, Value,
};
use gusset_codegen::object::{ObjectOptions, ObjectWriter};
use gusset_targets::x86::object::X86_64;
use gusset_targets::x86::{Features, X86};

/// Bytes between operands in memory.
const STEP: i32 = 16;
/// Where the live values around an operation are, from the start of the input.
const AROUND: i32 = 64;

/// What makes an operation's result from its operands.
pub type Build = Box<dyn Fn(&mut FunctionBuilder<'_>, &[Value]) -> Value>;

/// One operation.
pub struct Case {
    /// For messages.
    pub name: String,
    /// Types of the operands and their names in C.
    pub operands: Vec<(Type, &'static str)>,
    /// The result's type and its name in C.
    pub result: (Type, &'static str),
    /// The operation.
    pub build: Build,
    /// C statements that set `r` from `a`, `b`, `c`.
    pub c: String,
    /// C expression: does result `x` of ours agree with `y` of C's?
    pub same: &'static str,
    /// What the operands are filled with: the name of a C function `void (void *to, unsigned seed)`.
    pub fill: &'static str,
}

/// The values around an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Around {
    Nothing,
    Block,
    OtherBlock,
    Call,
}

const AROUNDS: [Around; 4] = [Around::Nothing, Around::Block, Around::OtherBlock, Around::Call];
const LIVE_VECTORS: i32 = 18;
const LIVE_INTS: i32 = 14;

fn symbol(module: &mut Module, name: &str, linkage: Linkage) -> SymbolId {
    module.add_symbol(Symbol::new(name, SymbolKind::Function, linkage))
}

/// A C function of the driver, `long double mix(long double, int, long double)`, that calls one compiled here.
pub const MIX: SymbolId = SymbolId(1);

/// `long double (long double, int, long double)`.
pub fn mix_signature() -> Arc<SigData> {
    let long = CType::Scalar(gusset_abi::Scalar::Float(gusset_abi::FloatKind::Long));
    let source = Signature::c(long.clone()).param(long.clone()).param(CType::I32).param(long);
    sig_data(source, vec![Type::F80, Type::I32, Type::F80], vec![Type::F80])
}

fn signature(pointers: usize) -> Arc<SigData> {
    let ptr = || LlvmType::Scalar(LlvmScalar::Ptr);
    let mut source = Signature::c(CType::Void);
    for _ in 0..pointers {
        source = source.param(gusset_abi::Param::llvm(ptr(), Default::default()));
    }
    sig_data(source, vec![Type::I64; pointers], Vec::new())
}

fn sig_data(source: Signature, params: Vec<Type>, results: Vec<Type>) -> Arc<SigData> {
    let abi = classify(&AbiTarget::X86_64_LINUX, &source).unwrap();
    Arc::new(SigData::new(params, results, abi, source))
}

fn function(case: &Case, around: Around, symbol: SymbolId, nothing: SymbolId) -> Function {
    let mut f = Function::new();
    let mut b = FunctionBuilder::new(&mut f, Type::I64);
    let entry = b.begin(symbol, signature(2));
    let (input, output) = (b.func.params(entry)[0], b.func.params(entry)[1]);
    let flags = MemFlags::new(1, false);
    let vector = Type::vector(Type::I64, 2).unwrap();
    let operands: Vec<Value> =
        case.operands.iter().enumerate().map(|(k, o)| b.load(o.0, input, k as i32 * STEP, flags)).collect();
    let mut live = Vec::new();
    if around != Around::Nothing {
        for k in 0..LIVE_VECTORS {
            live.push((b.load(vector, input, AROUND + k * 16, flags), AROUND + k * 16));
        }
        for k in 0..LIVE_INTS {
            let at = AROUND + LIVE_VECTORS * 16 + k * 8;
            live.push((b.load(Type::I64, input, at, flags), at));
        }
    }
    match around {
        Around::OtherBlock => {
            let next = b.create_block();
            b.jump(next, &[]);
            b.switch_to(next);
            b.seal(next);
        }
        Around::Call => {
            let sig = b.import_signature(signature(0));
            b.call(Callee::Symbol(nothing), sig, &[], TailKind::None, false);
        }
        _ => {}
    }
    let r = (case.build)(&mut b, &operands);
    b.store(r, output, 0, flags);
    for (v, at) in live {
        b.store(v, output, at, flags);
    }
    if around != Around::Nothing {
        for (k, &v) in operands.iter().enumerate() {
            b.store(v, output, STEP + k as i32 * STEP, flags);
        }
    }
    b.ret(&[]);
    f.resolve_operands();
    f
}

/// `a + b - c`.
fn mixed(symbol: SymbolId) -> Function {
    let mut f = Function::new();
    let mut b = FunctionBuilder::new(&mut f, Type::I64);
    let entry = b.begin(symbol, mix_signature());
    let v = b.func.params(entry).to_vec();
    let n = b.convert(Opcode::Sitofp, v[1], Type::F80);
    let sum = b.binary(Opcode::Fadd, v[0], n);
    let r = b.binary(Opcode::Fsub, sum, v[2]);
    b.ret(&[r]);
    f.resolve_operands();
    f
}

fn object(cases: &[Case], features: Features) -> Vec<u8> {
    let mut module = Module::default();
    let nothing = symbol(&mut module, "nothing", Linkage::Import);
    assert_eq!(symbol(&mut module, "mix", Linkage::Import), MIX);
    let called = symbol(&mut module, "mixed", Linkage::Export);
    let target = X86::new(features, true);
    let mut compiler = Compiler::new(&target);
    compiler.check_allocation(true);
    let mut compiled = Vec::new();
    let mut out = CompiledFunction::default();
    compiler.compile(&module, &mut mixed(called), &mut out).unwrap();
    compiled.push(out);
    for (k, case) in cases.iter().enumerate() {
        for around in AROUNDS {
            let s = symbol(&mut module, &format!("f{k}_{}", around as u32), Linkage::Export);
            let mut f = function(case, around, s, nothing);
            let mut out = CompiledFunction::default();
            if let Err(e) = compiler.compile(&module, &mut f, &mut out) {
                panic!("{} ({around:?}): {e}", case.name);
            }
            compiled.push(out);
        }
    }
    let mut w = ObjectWriter::new(&X86_64, &module, ObjectOptions { pic: true, ..ObjectOptions::default() });
    compiled.iter().for_each(|f| w.function(f).unwrap());
    w.finish().unwrap()
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <string.h>
#include <math.h>
typedef unsigned char u8; typedef signed char i8; typedef unsigned short u16; typedef short i16;
typedef unsigned u32; typedef int i32; typedef unsigned long u64; typedef long i64;
typedef __int128 i128; typedef unsigned __int128 u128; typedef long double f80; typedef float f32; typedef double f64;
#define V(T, N) typedef T T##x##N __attribute__((vector_size(16)));
V(u8, 16) V(i8, 16) V(u16, 8) V(i16, 8) V(u32, 4) V(i32, 4) V(u64, 2) V(i64, 2) V(f32, 4) V(f64, 2)
void nothing(void) {
    // What a call may change, changed.
    __asm__ volatile("pcmpeqd %%xmm0,%%xmm0;pcmpeqd %%xmm1,%%xmm1;pcmpeqd %%xmm2,%%xmm2;pcmpeqd %%xmm3,%%xmm3;"
        "pcmpeqd %%xmm4,%%xmm4;pcmpeqd %%xmm5,%%xmm5;pcmpeqd %%xmm6,%%xmm6;pcmpeqd %%xmm7,%%xmm7;pcmpeqd %%xmm8,%%xmm8;"
        "pcmpeqd %%xmm9,%%xmm9;pcmpeqd %%xmm10,%%xmm10;pcmpeqd %%xmm11,%%xmm11;pcmpeqd %%xmm12,%%xmm12;"
        "pcmpeqd %%xmm13,%%xmm13;pcmpeqd %%xmm14,%%xmm14;pcmpeqd %%xmm15,%%xmm15;mov $-7,%%rax;mov %%rax,%%rcx;"
        "mov %%rax,%%rdx;mov %%rax,%%rsi;mov %%rax,%%rdi;mov %%rax,%%r8;mov %%rax,%%r9;mov %%rax,%%r10;mov %%rax,%%r11"
        ::: "rax","rcx","rdx","rsi","rdi","r8","r9","r10","r11","xmm0","xmm1","xmm2","xmm3","xmm4","xmm5","xmm6","xmm7",
        "xmm8","xmm9","xmm10","xmm11","xmm12","xmm13","xmm14","xmm15");
}
f80 mixed(f80, int, f80);
f80 mix(f80 a, int b, f80 c) { return mixed(c, b, a) * 2; }
static u64 state;
static u32 rnd(void) { state = state * 6364136223846793005ul + 1442695040888963407ul; return state >> 33; }
static int same_bits(const void *x, const void *y, int n) { return !memcmp(x, y, n); }
static int same_f32(const f32 *x, const f32 *y, int n) {
    for (int k = 0; k < n / 4; k++) if (!(x[k] == y[k] || (x[k] != x[k] && y[k] != y[k]))) return 0;
    return 1;
}
static int same_f64(const f64 *x, const f64 *y, int n) {
    for (int k = 0; k < n / 8; k++) if (!(x[k] == y[k] || (x[k] != x[k] && y[k] != y[k]))) return 0;
    return 1;
}
static int same_f80(const void *x, const void *y, int n) {
    f80 p, q; memcpy(&p, x, 10); memcpy(&q, y, 10);
    return p != p ? q != q : p == q && !signbit(p) == !signbit(q);
}
static void bits(void *to) {
    static const u32 edges[] = {0, 1, 0xff, 0x7f, 0x80, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff, 0x80008000,
        0x80808080, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7ff00000, 0x3ff00000,
        0x00800000, 0x01010101, 0x4f000000, 0x41e00000, 0x7f7f7f7f};
    u32 w[4];
    for (int k = 0; k < 4; k++) w[k] = rnd() & 1 ? edges[rnd() % (sizeof edges / 4)] : rnd() << 1 | (rnd() & 1);
    if (!(rnd() & 7)) w[rnd() & 3] = w[0];
    memcpy(to, w, 16);
}
// Without signalling NaNs.
static void quiet_f32(void *to) { f32 v[4]; bits(to); memcpy(v, to, 16); for (int k = 0; k < 4; k++) if (v[k] != v[k]) ((u32 *)to)[k] |= 1u << 22; }
static void quiet_f64(void *to) { f64 v[2]; bits(to); memcpy(v, to, 16); for (int k = 0; k < 2; k++) if (v[k] != v[k]) ((u64 *)to)[k] |= 1ul << 51; }
// Numbers that convert to signed and to unsigned 32-bit integers.
static void small_f32(void *to) { f32 v[4]; for (int k = 0; k < 4; k++) v[k] = (rnd() % 2000000) / 3.f - 1e5f; memcpy(to, v, 16); }
static void small_u32(void *to) {
    f32 v[4];
    for (int k = 0; k < 4; k++) v[k] = rnd() & 1 ? rnd() * 1.9f : rnd() % 1000 / 7.f;
    memcpy(to, v, 16);
}
static void small_f64(void *to) { f64 v[2]; for (int k = 0; k < 2; k++) v[k] = ((i64)rnd() << (rnd() % 24) | rnd()) / 3.0 * (rnd() & 1 ? 1 : -1); memcpy(to, v, 16); }
static void long_doubles(void *to) {
    static const f80 edges[] = {0, -0.0L, 1, -1, 0.5L, 1.5L, 2.5L, -2.5L, 1e300L, -1e-300L, 1e4000L, 1e-4000L, INFINITY,
        -INFINITY, NAN, 2147483647.5L, 4294967296.0L, 9223372036854775807.0L, 9223372036854775808.0L, 3.25L, 1e18L};
    f80 v = rnd() & 1 ? edges[rnd() % (sizeof edges / sizeof *edges)]
        : ((i64)((u64)rnd() << 33 ^ (u64)rnd() << 2)) / (f80)(rnd() % 1000 + 1) * (rnd() & 1 ? 1 : 1e-10L);
    memset(to, 0, 16); memcpy(to, &v, 10);
}
static f80 bounded(f80 least, f80 most) {
    f80 v = (rnd() + rnd() / 2147483648.0L) / 2147483648.0L * (most - least) + least;
    if (!(rnd() & 7)) v = most; else if (!(rnd() & 7)) v = least; else if (rnd() & 1) v = rnd() % 100 / 8.L;
    return v < least ? least : v > most ? most : v;
}
static void for_i32(void *to) { f80 v = bounded(-2147483648.0L, 2147483647.0L); memset(to, 0, 16); memcpy(to, &v, 10); }
static void for_u32(void *to) { f80 v = bounded(0, 4294967295.0L); memset(to, 0, 16); memcpy(to, &v, 10); }
static void for_i64(void *to) { f80 v = bounded(-9223372036854775808.0L, 9223372036854775807.0L); memset(to, 0, 16); memcpy(to, &v, 10); }
static void for_u64(void *to) { f80 v = bounded(0, 18446744073709551615.0L); memset(to, 0, 16); memcpy(to, &v, 10); }
static void for_i8(void *to) { f80 v = bounded(-128, 127); memset(to, 0, 16); memcpy(to, &v, 10); }
static void for_u8(void *to) { f80 v = bounded(0, 255); memset(to, 0, 16); memcpy(to, &v, 10); }
static void for_i16(void *to) { f80 v = bounded(-32768, 32767); memset(to, 0, 16); memcpy(to, &v, 10); }
static void for_u16(void *to) { f80 v = bounded(0, 65535); memset(to, 0, 16); memcpy(to, &v, 10); }
static int failed;
typedef void F(const void *, void *);
static void run(const char *name, F *const *ours, F *c, void (*fill)(void *), int operands, const int *sizes, int size,
                int (*same)(const void *, const void *, int)) {
    static _Alignas(16) u8 in[1024], x[1024], y[1024];
    state = 12345;
    for (int round = 0; round < 60; round++) {
        for (int k = 0; k < 1024; k += 16) bits(in + k);
        for (int k = 0; k < operands; k++) fill(in + 16 * k);
        if (operands > 1 && round % 8 == 7) memcpy(in, in + 16, 16);
        memset(y, 0, sizeof y);
        c(in, y);
        for (int around = 0; around < 4; around++) {
            memset(x, 0, sizeof x);
            ours[around](in, x);
            int bad = !same(x, y, size);
            if (around) {
                bad |= 2 * !!memcmp(x + 64, in + 64, 18 * 16 + 14 * 8);
                for (int k = 0; k < operands; k++) bad |= 4 * !!memcmp(x + 16 + 16 * k, in + 16 * k, sizes[k]);
            }
            if (bad) {
                printf("%s: surroundings %d, round %d: %s%s%s\n", name, around, round, bad & 1 ? "wrong result" : "",
                       bad & 2 ? " a live value changed" : "", bad & 4 ? " an operand changed" : "");
                for (int k = 0; k < operands; k++) { printf("  operand "); for (int j = 0; j < 16; j++) printf("%02x", in[16 * k + j]); puts(""); }
                printf("  ours    "); for (int j = 0; j < 16; j++) printf("%02x", x[j]);
                printf("\n  C       "); for (int j = 0; j < 16; j++) printf("%02x", y[j]); puts("");
                failed++;
                return;
            }
        }
    }
}
"#;

fn bytes(ty: Type) -> u32 {
    ty.store_bytes()
}

fn driver(cases: &[Case]) -> String {
    let mut s = DRIVER.to_string();
    for (k, c) in cases.iter().enumerate() {
        let _ = writeln!(s, "F f{k}_0, f{k}_1, f{k}_2, f{k}_3;\nstatic void c{k}(const void *in, void *out) {{");
        for (n, o) in ["a", "b", "c"].iter().zip(&c.operands).enumerate().map(|(n, (v, o))| ((n, v), o)) {
            let _ = writeln!(s, "{} {}; memcpy(&{1}, (char *)in + {}, {});", o.1, n.1, n.0 * 16, bytes(o.0));
        }
        let _ = writeln!(s, "{} r; {} memcpy(out, &r, {});\n}}", c.result.1, c.c, bytes(c.result.0));
    }
    s.push_str("int main(void) {\n");
    for (k, c) in cases.iter().enumerate() {
        let sizes: Vec<String> = c.operands.iter().map(|o| bytes(o.0).to_string()).collect();
        let _ = writeln!(
            s,
            "run(\"{}\", (F *const[]){{f{k}_0, f{k}_1, f{k}_2, f{k}_3}}, c{k}, (void *){}, {}, (int[]){{{}}}, {}, (void *){});",
            c.name,
            c.fill,
            c.operands.len(),
            sizes.join(", "),
            bytes(c.result.0),
            c.same,
        );
    }
    s.push_str("return failed > 99 ? 99 : failed;\n}\n");
    s
}

fn execute(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout).lines().take(60).collect::<Vec<_>>().join("\n"),
        String::from_utf8_lossy(&output.stderr),
    );
}

/// Compiles, links and runs the cases, once for each set of features.
pub fn check(name: &str, cases: &[Case], sets: &[(&str, Features)]) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("driver.c"), driver(cases)).unwrap();
    let driver = dir.join("driver.o");
    execute(Command::new("cc").args(["-O1", "-w", "-fwrapv", "-c"]).arg(dir.join("driver.c")).arg("-o").arg(&driver));
    for (set, features) in sets {
        let ours = dir.join(format!("{set}.o"));
        std::fs::write(&ours, object(cases, *features)).unwrap();
        let program = dir.join(format!("{set}.exe"));
        execute(Command::new("cc").arg(&driver).arg(&ours).arg("-lm").arg("-o").arg(&program));
        if features.sse42 && !is_x86_feature_detected!("sse4.2") || features.ssse3 && !is_x86_feature_detected!("ssse3")
        {
            // Past the test harness, which hides what passing tests print.
            let _ = writeln!(std::io::stderr(), "left out, as this processor does not run it: {name} with {set}");
            continue;
        }
        execute(&mut Command::new(&program));
    }
}
