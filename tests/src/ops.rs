//! Single operations of LLVM IR, each in functions of its own, made by Gusset and by `llc`, run on the same operands.
//!
//! Every operation comes in several surroundings: alone; with its operands wanted afterwards and every register that can
//! be a value's home taken by something else; with that and more values of its own block alive.
//!
//! `GUSSET_OPS_ROUNDS=10000` tries more than the usual 150 sets of operands.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

pub use crate::build::Mode;
use crate::host;
use crate::tools::{Failure, clang, gusset, limited, run, succeed, work_folder};

/// An operation: text of LLVM IR that makes `%r0`, `%r1`, … of `%a0`, `%a1`, …. It may change the 64 bytes at `%m`.
#[derive(Clone, Debug)]
pub struct Op {
    /// Names the functions.
    pub name: String,
    /// Types of the operands, each with what it is filled with (see `fill` in the driver).
    pub operands: Vec<(&'static str, char)>,
    /// Types of the results.
    pub results: Vec<&'static str>,
    /// The instructions, one a line.
    pub body: String,
    /// The surroundings it comes in, by number.
    surroundings: &'static [usize],
}

impl Op {
    /// An operation that is one line.
    pub fn new(name: &str, operands: &[(&'static str, char)], results: &[&'static str], body: &str) -> Op {
        let name = name.replace(['.', '%', '-', ' '], "_");
        Op {
            name,
            operands: operands.to_vec(),
            results: results.to_vec(),
            body: body.into(),
            surroundings: &[0, 1, 2, 3],
        }
    }

    /// The same in half of the surroundings.
    pub fn in_few(mut self) -> Op {
        self.surroundings = &[0, 3];
        self
    }

    /// The same with operand `k` replaced by a constant or another operand, in half of the surroundings.
    pub fn with(&self, k: usize, by: &str) -> Op {
        let mut op = self.clone();
        op.surroundings = &[0, 3];
        op.body = op.body.replace(&format!("%a{k}"), by);
        op.name = format!("{}_{k}_{}", self.name, by.replace(['%', '-', '.'], "_"));
        op
    }
}

/// Values that live through the operation in the fuller surroundings: more than there are registers.
const INTS: usize = 14;
const FLOATS: usize = 18;

fn loads(op: &Op, out: &mut String) {
    for (k, (ty, _)) in op.operands.iter().enumerate() {
        let _ = writeln!(out, "  %p{k} = getelementptr i8, ptr %i, i64 {}", 16 * k);
        let _ = writeln!(out, "  %a{k} = load {ty}, ptr %p{k}, align 16");
    }
}

fn stores(types: &[&str], prefix: &str, from: usize, out: &mut String) {
    for (k, ty) in types.iter().enumerate() {
        let at = from + 16 * k;
        let _ = writeln!(out, "  %o{prefix}{k} = getelementptr i8, ptr %o, i64 {at}");
        if *ty == "i1" {
            let _ = writeln!(out, "  %z{prefix}{k} = zext i1 %{prefix}{k} to i8");
            let _ = writeln!(out, "  store i8 %z{prefix}{k}, ptr %o{prefix}{k}, align 16");
        } else {
            let _ = writeln!(out, "  store {ty} %{prefix}{k}, ptr %o{prefix}{k}, align 16");
        }
    }
}

fn many(prefix: &str, n: usize, ty: &str, from: usize, store: bool, out: &mut String) {
    for k in 0..n {
        let at = from + 8 * k;
        if store {
            let _ = writeln!(out, "  %{prefix}q{k} = getelementptr i8, ptr %o, i64 {at}");
            let _ = writeln!(out, "  store {ty} %{prefix}{k}, ptr %{prefix}q{k}, align 8");
        } else {
            let _ = writeln!(out, "  %{prefix}p{k} = getelementptr i8, ptr %i, i64 {at}");
            let _ = writeln!(out, "  %{prefix}{k} = load {ty}, ptr %{prefix}p{k}, align 8");
        }
    }
}

/// The IR of all functions of `ops`, their names beginning with `prefix`.
fn module(mode: Mode, ops: &[Op], prefix: &str, declarations: &str) -> String {
    let mut out = format!("target triple = \"{}\"\n", mode.triple());
    out.push_str(declarations);
    declare(ops, &mut out);
    for op in ops {
        let body: String = op.body.lines().map(|l| format!("  {}\n", l.trim())).collect();
        let m = "  %m = getelementptr i8, ptr %i, i64 960\n";
        // Alone (0).
        let _ = writeln!(out, "define void @{prefix}{}_0(ptr %o, ptr %i) {{", op.name);
        out.push_str(m);
        loads(op, &mut out);
        out.push_str(&body);
        stores(&op.results, "r", 0, &mut out);
        out.push_str("  ret void\n}\n");
        let operands: Vec<&str> = op.operands.iter().map(|o| o.0).collect();
        // Among many values; the operands come from another block and are wanted afterwards (1), or not (2),
        // or are the block's own, as are more values (3).
        for &surroundings in &op.surroundings[1..] {
            let _ = writeln!(out, "define void @{prefix}{}_{surroundings}(ptr %o, ptr %i) {{", op.name);
            out.push_str(m);
            if surroundings < 3 {
                loads(op, &mut out);
            }
            many("k", INTS, "i64", 256, false, &mut out);
            many("d", FLOATS, "double", 512, false, &mut out);
            out.push_str("  %never = icmp eq ptr %o, null\n  br i1 %never, label %out, label %body\nbody:\n");
            if surroundings == 3 {
                // Operands and others of the block's own.
                many("l", 6, "i64", 768, false, &mut out);
                loads(op, &mut out);
            }
            out.push_str(&body);
            stores(&op.results, "r", 0, &mut out);
            if surroundings != 2 {
                stores(&operands, "a", 128, &mut out);
            }
            if surroundings == 3 {
                many("l", 6, "i64", 768, true, &mut out);
            }
            out.push_str("  br label %out\nout:\n");
            many("k", INTS, "i64", 256, true, &mut out);
            many("d", FLOATS, "double", 512, true, &mut out);
            out.push_str("  ret void\n}\n");
        }
    }
    out
}

/// Declares the intrinsics that are called: `call RESULT @llvm.NAME(TYPE VALUE, …)`.
fn declare(ops: &[Op], out: &mut String) {
    let mut known = BTreeSet::new();
    for line in ops.iter().flat_map(|op| op.body.lines()) {
        let Some((before, after)) = line.split_once(" @llvm.") else { continue };
        let (Some((_, result)), Some((name, args))) = (before.split_once("call "), after.split_once('(')) else {
            continue;
        };
        let args = args.trim_end().trim_end_matches(')');
        let types: Vec<&str> = args.split(", ").map(|a| a.rsplit_once(' ').map_or(a, |(ty, _)| ty)).collect();
        known.insert(format!("declare {result} @llvm.{name}({})\n", types.join(", ")));
    }
    known.iter().for_each(|d| out.push_str(d));
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <stdint.h>
#include <string.h>
struct entry { const char *name, *kinds; void (*ours)(void *, void *), (*theirs)(void *, void *); };
static uint64_t state = 88172645463325252u;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state * 2685821657736338717u; }
static uint64_t word(void) {
    static const uint64_t edges[] = { 0, 1, 2, ~0ull, ~1ull, 1ull << 63, (1ull << 63) - 1, (1ull << 63) + 1, 1ull << 32, 0xffffffff,
        0x7fffffff, 0x80000000, 0x7fff, 0x8000, 0x7f, 0x80, 0xff, 0x100, 1ull << 62, 0x8080808080808080, 0x7f7f7f7f7f7f7f7f };
    switch (next() % 4) {
    case 0: return edges[next() % (sizeof edges / sizeof *edges)];
    case 1: return next() >> (next() % 64);
    case 2: return -(next() >> (next() % 64));
    default: return next();
    }
}
static float f32(void) {
    static const float edges[] = { 0, -0.0f, 1, -1, 0.5f, 1.5f, 2.5f, -2.5f, 1e10f, -1e10f, 1e38f, -1e38f, 1e-40f, 65504, 65519, 65520, 2e-8f,
        __builtin_inff(), -__builtin_inff(), 4294967296.0f, 2147483648.0f, -2147483648.0f, 9.3e18f, 1.8446744e19f, 16777216, 127.9f, -128.9f, 3.3895e38f };
    if (next() % 2) return edges[next() % (sizeof edges / sizeof *edges)];
    float x; uint32_t n;
    do { n = next(); memcpy(&x, &n, 4); } while (x != x);
    return next() % 2 ? x : (float)(int64_t)next() / (1ull << (next() % 64));
}
static double f64(void) {
    if (next() % 3 == 0) return f32();
    double x; uint64_t n;
    do { n = next(); memcpy(&x, &n, 8); } while (x != x);
    return next() % 2 ? x : (double)(int64_t)next() / (1ull << (next() % 64));
}
/* What an operand is filled with:
   i integer, n integer other than 0, S shift count below 128, s below 64, t below 32, u below 16, v below 8, b truth value,
   f d q x numbers of 4, 8, 16 bytes and of x87, F D Q X the same or a NaN, e r z y with magnitudes below 2^62, G H J K not
   negative and below 2^63, h half, B bfloat, neither a NaN, w any bits as a number
   of the x87 */
static void fill(unsigned char *p, char kind) {
    uint64_t w[2] = { word(), word() };
    if (next() % 4 == 0) w[1] = (int64_t)w[0] >> 63;
    if (next() % 4 == 0) w[1] = 0;
    if (kind == 'n' && !(uint8_t)w[0]) w[0] |= 3;
    if (kind == 'S') w[0] = next() % 128, w[1] = 0;
    if (kind == 's') w[0] = next() % 64, w[1] = 0;
    if (kind == 't') w[0] = next() % 32, w[1] = 0;
    if (kind == 'u') w[0] = next() % 16, w[1] = 0;
    if (kind == 'v') w[0] = next() % 8, w[1] = 0;
    if (kind == 'b') w[0] = next() % 2, w[1] = 0;
    if (kind == 'h' || kind == 'B') {
        w[0] = next();
        /* LLVM carries bfloats as f32 at times, which makes NaNs quiet. */
        if ((w[0] & 0x7c00) == 0x7c00) w[0] ^= 0x0400;
    }
    memcpy(p, w, 16);
    int nan = next() % 8 == 0;
    float f = f32(); double d = f64(); __float128 q = f64() * (__float128)1.0000001 + f32(); long double x = f64() * 1.0000001L;
    float fn = nan ? __builtin_nanf("") : f; double dn = nan ? __builtin_nan("") : d;
    __float128 qn = nan ? __builtin_nan("") : q; long double xn = nan ? __builtin_nan("") : x;
    double m = (double)((int64_t)next() >> (1 + next() % 60)) / (1ull << (next() % 20));
    double a = m < 0 ? -m : m;
    a *= 2;
    float fm = m, fa = a; __float128 qm = m, qa = a; long double xm = m, xa = a;
    switch (kind) {
    case 'f': memcpy(p, &f, 4); break;   case 'F': memcpy(p, &fn, 4); break;
    case 'd': memcpy(p, &d, 8); break;   case 'D': memcpy(p, &dn, 8); break;
    case 'q': memcpy(p, &q, 16); break;  case 'Q': memcpy(p, &qn, 16); break;
    case 'x': memcpy(p, &x, 10); break;  case 'X': memcpy(p, &xn, 10); break;
    case 'e': memcpy(p, &fm, 4); break;  case 'G': memcpy(p, &fa, 4); break;
    case 'r': memcpy(p, &m, 8); break;   case 'H': memcpy(p, &a, 8); break;
    case 'z': memcpy(p, &qm, 16); break; case 'J': memcpy(p, &qa, 16); break;
    case 'y': memcpy(p, &xm, 10); break; case 'K': memcpy(p, &xa, 10); break;
    case 'w': {
        static const uint64_t digits[] = { 0, 1, 0x3fffffffffffffff, 0x4000000000000000, 0x7fffffffffffffff, 0x8000000000000000,
            0x8000000000000001, 0xbfffffffffffffff, 0xc000000000000000, 0xffffffffffffffff };
        static const uint16_t exponents[] = { 0, 1, 0x3fff, 0x7ffe, 0x7fff };
        uint16_t exponent = exponents[next() % 5] | next() % 2 << 15;
        memcpy(p, &digits[next() % 10], 8);
        memcpy(p + 8, &exponent, 2);
    }
    }
}
/* What LLVM calls for bfloat; older libraries do not have it. */
__attribute__((weak)) __bf16 __truncsfbf2(float x) {
    uint32_t n; memcpy(&n, &x, 4);
    uint16_t h = x != x ? n >> 16 | 0x40 : (n + 0x7fff + (n >> 16 & 1)) >> 16;
    __bf16 r; memcpy(&r, &h, 2); return r;
}
__attribute__((weak)) __bf16 __truncdfbf2(double x) {
    float f = x; uint32_t n; memcpy(&n, &f, 4);
    if (f == f && (double)f != x) n = (n - (__builtin_fabs(f) > __builtin_fabs(x))) | 1;
    memcpy(&f, &n, 4); return __truncsfbf2(f);
}
static unsigned char in[1024] __attribute__((aligned(64))), i1[1024] __attribute__((aligned(64))), i2[1024] __attribute__((aligned(64)));
static unsigned char o1[1024] __attribute__((aligned(64))), o2[1024] __attribute__((aligned(64)));
static void show(const char *what, const unsigned char *p, int n) {
    printf("  %s", what);
    for (int k = 0; k < n; k++) {
        printf(" ");
        for (int j = 15; j >= 0; j--) printf("%02x%s", p[16 * k + j], j == 8 ? "_" : "");
    }
    printf("\n");
}
extern const struct entry table[];
int main(int argc, char **argv) {
    int failures = 0;
    for (const struct entry *e = table; e->name; e++) {
        if (argc > 1 && strcmp(argv[1], e->name)) continue;
        for (int round = 0; round < ROUNDS; round++) {
            for (int k = 0; k < 128; k++) { uint64_t w = next(); memcpy(in + 8 * k, &w, 8); }
            for (int k = 0; e->kinds[k]; k++) fill(in + 16 * k, e->kinds[k]);
            for (int k = 0; k < 18; k++) { double d = f64(); memcpy(in + 512 + 8 * k, &d, 8); }
            for (int k = 0; k < 4; k++) fill(in + 960 + 16 * k, 'i');
            if (e->kinds[0] && next() % 3 == 0) memcpy(in + 960, in, 16);
            memcpy(i1, in, 1024); memcpy(i2, in, 1024);
            memset(o1, 0xa5, 1024); memset(o2, 0xa5, 1024);
            e->theirs(o2, i2);
            e->ours(o1, i1);
            if (memcmp(o1, o2, 1024) || memcmp(i1, i2, 1024)) {
                printf("%s differs\n", e->name);
                show("operands:", in, (int)strlen(e->kinds));
                show("ours:    ", o1, 3);
                show("theirs:  ", o2, 3);
                for (int k = 0; k < 1024; k += 8) if (memcmp(o1 + k, o2 + k, 8) || memcmp(i1 + k, i2 + k, 8)) { printf("  first at byte %d\n", k); break; }
                failures++;
                break;
            }
        }
    }
    return failures > 0;
}
"#;

/// Compiles `ops` by both and compares what they do. `features` are LLVM's names of machine extensions.
pub fn check(name: &str, ops: &[Op], declarations: &str, features: &[&str]) -> Result<(), Failure> {
    check_in(Mode::Bits64, name, ops, declarations, features)
}

/// As [`check`], in a mode of the machine.
pub fn check_in(mode: Mode, name: &str, ops: &[Op], declarations: &str, features: &[&str]) -> Result<(), Failure> {
    let folder = work_folder(&format!("ops/{name}"));
    let runs = host::runs(features);
    let file = |n: &str| folder.join(n);
    std::fs::write(file("ours.ll"), module(mode, ops, "g_", declarations))?;
    std::fs::write(file("theirs.ll"), module(mode, ops, "l_", declarations))?;
    let rounds = std::env::var("GUSSET_OPS_ROUNDS").unwrap_or_else(|_| "150".into());
    let mut driver = format!("#define ROUNDS {rounds}\n");
    driver.push_str(DRIVER);
    let mut table = String::from("const struct entry table[] = {\n");
    for op in ops {
        let kinds: String = op.operands.iter().map(|o| o.1).collect();
        for k in op.surroundings {
            let f = format!("{}_{k}", op.name);
            let _ = writeln!(driver, "void g_{f}(void *, void *); void l_{f}(void *, void *);");
            let _ = writeln!(table, "{{ \"{f}\", \"{kinds}\", g_{f}, l_{f} }},");
        }
    }
    driver.push_str(&table);
    driver.push_str("{ 0, 0, 0, 0 } };\n");
    std::fs::write(file("driver.c"), driver)?;
    let mut compile = limited(120, gusset()?);
    compile.args(["compile", "--verify"]).args(mode.gusset_flags());
    compile.arg(file("ours.ll")).arg("-o").arg(file("ours.o"));
    if !features.is_empty() {
        compile.arg("--attr").arg(features.iter().map(|f| format!("+{f}")).collect::<Vec<_>>().join(","));
    }
    succeed(&mut compile)?;
    if mode == Mode::X87 {
        crate::baseline::runs_on_i686(&file("ours.o"))?;
    }
    let llc = std::env::var("LLC").unwrap_or_else(|_| "llc-19".into());
    let mut judge = limited(120, llc);
    judge
        .args(["-O1", "-filetype=obj", "-relocation-model=pic"])
        .arg(file("theirs.ll"))
        .arg("-o")
        .arg(file("theirs.o"));
    let features = features.iter().chain((mode == Mode::Bits32).then_some(&"sse2"));
    let features: Vec<String> = features.map(|f| format!("+{f}")).collect();
    if mode == Mode::X87 {
        judge.arg("-mcpu=i686");
    }
    if !features.is_empty() {
        judge.arg(format!("-mattr={}", features.join(",")));
    }
    succeed(&mut judge)?;
    let mut driver = limited(120, clang());
    driver.arg(format!("--target={}", mode.triple())).args(["-w", "-O1", "-msse2", "-c"]);
    succeed(driver.arg(file("driver.c")).arg("-o").arg(file("driver.o")))?;
    let program = file("program");
    // The module does not ask for code that runs anywhere, which in 32-bit mode is other code.
    let flags = if mode.bits() == 32 { &["-latomic", "-lm", "-static"][..] } else { &["-latomic", "-lm"] };
    mode.link(&["driver.o", "ours.o", "theirs.o"].map(file), flags, &program)?;
    if !runs {
        host::left_out(&format!("operations {name}"));
        return Ok(());
    }
    report(&program)
}

fn report(program: &Path) -> Result<(), Failure> {
    let outcome = run(&mut limited(120, program))?;
    if outcome.code == 0 {
        return Ok(());
    }
    let text = outcome.text();
    let shown: Vec<&str> = text.lines().take(40).collect();
    let failures = text.lines().filter(|l| l.ends_with("differs")).count();
    Err(Failure::new(format!(
        "exit code {}, {failures} functions differ; {}\n{}",
        outcome.code,
        program.display(),
        shown.join("\n")
    )))
}
