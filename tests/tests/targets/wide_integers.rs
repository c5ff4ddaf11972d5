//! Integers of more than 4,096 bits, which are in memory, on every machine against C that computes bit by bit.

use std::fmt::Write as _;

use gusset_tests::build::Mode;
use gusset_tests::tools::Failure;

use super::none_wrong::none_wrong;

const WIDTHS: [usize; 2] = [4097, 4160];

/// Functions of the addresses of a result and two operands: the name, which ends in a type, and the instructions that make `%r` of `%a`
/// and `%b`. `T` is the type, `W` its width.
const OPERATIONS: &[(&str, &str)] = &[
    ("add", "%r = add T %a, %b"),
    ("sub", "%r = sub T %a, %b"),
    ("mul", "%r = mul T %a, %b"),
    ("and", "%r = and T %a, %b"),
    ("or", "%r = or T %a, %b"),
    ("xor", "%r = xor T %a, %b"),
    ("shl", "%n = urem T %b, W\n%r = shl T %a, %n"),
    ("lshr", "%n = urem T %b, W\n%r = lshr T %a, %n"),
    ("ashr", "%n = urem T %b, W\n%r = ashr T %a, %n"),
    ("udiv", "%n = or T %b, 1\n%r = udiv T %a, %n"),
    ("urem", "%n = or T %b, 1\n%r = urem T %a, %n"),
    ("sdiv", "%n = or T %b, 1\n%r = sdiv T %a, %n"),
    ("srem", "%n = or T %b, 1\n%r = srem T %a, %n"),
    ("eq", "%c = icmp eq T %a, %b\n%r = zext i1 %c to T"),
    ("ult", "%c = icmp ult T %a, %b\n%d = icmp ule T %a, %a\n%r = select i1 %c, T %a, T %b"),
    ("ugt", "%c = icmp uge T %a, %b\n%r = select i1 %c, T %a, T %b"),
    ("slt", "%c = icmp slt T %a, %b\n%r = select i1 %c, T %a, T %b"),
    ("sgt", "%c = icmp sgt T %a, %b\n%r = select i1 %c, T %a, T %b"),
    ("sext", "%t = trunc T %a to i100\n%r = sext i100 %t to T"),
    ("zext", "%t = trunc T %a to i1001\n%r = zext i1001 %t to T"),
    ("more", "%t = sext T %a to i5000\n%u = lshr i5000 %t, 300\n%r = trunc i5000 %u to T"),
    (
        "fp",
        "%t = trunc T %a to i52\n%f = uitofp i52 %t to double\n%g = fmul double %f, 2.0\n%r = fptosi double %g to T",
    ),
    ("tofp", "%t = ashr T %a, %W-50\n%f = sitofp T %t to double\n%r = fptosi double %f to T"),
    ("constant", "%x = xor T %a, -1\n%r = add T %x, 170141183460469231731687303715884105729"),
    (
        "fibonacci",
        "br label %h\nh:\n%x = phi T [%a, %0], [%y, %h]\n%y = phi T [%b, %0], [%s, %h]\n%n = phi i32 [0, %0], [%m, %h]\n\
         %s = add T %x, %y\n%m = add i32 %n, 1\n%e = icmp eq i32 %m, 7\nbr i1 %e, label %d, label %h\nd:\n%r = sub T %s, %x",
    ),
    (
        "swap",
        "br label %h\nh:\n%x = phi T [%a, %0], [%y, %h]\n%y = phi T [%b, %0], [%x, %h]\n%n = phi i32 [0, %0], [%m, %h]\n\
         %m = add i32 %n, 1\n%e = icmp eq i32 %m, 6\nbr i1 %e, label %d, label %h\nd:\n%r = sub T %x, %y",
    ),
    (
        "redefined",
        "br label %h\nh:\n%x = phi T [%a, %0], [%y, %h]\n%n = phi i32 [0, %0], [%m, %h]\n%y = zext i32 %n to T\n%m = add i32 %n, 1\n\
         %e = icmp eq i32 %m, 5\nbr i1 %e, label %d, label %h\nd:\n%r = sub T %x, %b",
    ),
    ("call", "%r = call T @passed_W(T %a, i32 77, T %b)"),
    ("global", "%g = load T, ptr @g_W\n%r = add T %a, %g"),
    (
        "pair",
        "%p = insertvalue {i64, T} {i64 1, T 5}, T %a, 1\nstore {i64, T} %p, ptr %po\n%q = load {i64, T}, ptr %po\n\
         %v = extractvalue {i64, T} %q, 1\n%r = sub T %v, %b",
    ),
];

/// What they compute, in C: `a`, `b` and `r` are numbers of `W` bits, one in each byte.
const JUDGES: &[(&str, &str)] = &[
    ("add", "add(r, a, b, 0)"),
    ("sub", "sub(r, a, b)"),
    ("mul", "mul(r, a, b)"),
    ("and", "EACH r[i] = a[i] & b[i]"),
    ("or", "EACH r[i] = a[i] | b[i]"),
    ("xor", "EACH r[i] = a[i] ^ b[i]"),
    ("shl", "int n = rest(b); EACH r[i] = i < n ? 0 : a[i - n]"),
    ("lshr", "int n = rest(b); EACH r[i] = i + n < W ? a[i + n] : 0"),
    ("ashr", "int n = rest(b); EACH r[i] = i + n < W ? a[i + n] : a[W - 1]"),
    ("udiv", "b[0] = 1; divide(r, x, a, b)"),
    ("urem", "b[0] = 1; divide(x, r, a, b)"),
    ("sdiv", "b[0] = 1; int s = a[W - 1] ^ b[W - 1]; magnitude(a); magnitude(b); divide(r, x, a, b); if (s) negate(r)"),
    ("srem", "b[0] = 1; int s = a[W - 1]; magnitude(a); magnitude(b); divide(x, r, a, b); if (s) negate(r)"),
    ("eq", "EACH r[i] = 0; r[0] = !memcmp(a, b, W)"),
    ("ult", "memcpy(r, less(a, b) ? a : b, W)"),
    ("ugt", "memcpy(r, less(a, b) ? b : a, W)"),
    ("slt", "int s = a[W - 1] != b[W - 1]; memcpy(r, less(a, b) ^ s ? a : b, W)"),
    ("sgt", "int s = a[W - 1] != b[W - 1]; memcpy(r, less(b, a) ^ s ? a : b, W)"),
    ("sext", "EACH r[i] = a[i < 100 ? i : 99]"),
    ("zext", "EACH r[i] = i < 1001 ? a[i] : 0"),
    ("more", "EACH r[i] = i + 300 < W ? a[i + 300] : a[W - 1]"),
    ("fp", "EACH r[i] = i && i <= 52 ? a[i - 1] : 0"),
    ("tofp", "EACH r[i] = i < 50 ? a[W - 50 + i] : a[W - 1]"),
    ("constant", "EACH x[i] = !a[i], b[i] = i == 0 || i == 127; add(r, x, b, 0)"),
    (
        "fibonacci",
        "for (int n = 0; n < 7; n++) { add(r, a, b, 0); memcpy(x, a, W); memcpy(a, b, W); memcpy(b, r, W); } sub(r, b, x)",
    ),
    ("swap", "sub(r, b, a)"),
    ("redefined", "EACH a[i] = i < 2; sub(r, a, b)"),
    ("call", "sub(x, a, b); EACH b[i] = i < 8 ? 77 >> i & 1 : 0; add(r, x, b, 0)"),
    ("global", "EACH b[i] = !(i < 64 ? 1234567890122ull >> i & 1 : 0); add(r, a, b, 0)"),
    ("pair", "sub(r, a, b)"),
];

const HEAD: &str = r#"
#include <stdio.h>
#include <string.h>
typedef unsigned char N[8192];
static int W, failures;
static unsigned state = 12345;
static unsigned next(void) { state = state * 1103515245 + 12345; return state >> 8; }
#define EACH for (int i = 0; i < W; i++)
static void add(unsigned char *r, unsigned char *a, unsigned char *b, int c) { EACH { int s = a[i] + b[i] + c; r[i] = s & 1; c = s >> 1; } }
static void sub(unsigned char *r, unsigned char *a, unsigned char *b) { N n; EACH n[i] = !b[i]; add(r, a, n, 1); }
static void negate(unsigned char *a) { N z = { 0 }; sub(a, z, a); }
static void magnitude(unsigned char *a) { if (a[W - 1]) negate(a); }
static int less(unsigned char *a, unsigned char *b) { for (int i = W; i-- > 0;) if (a[i] != b[i]) return a[i] < b[i]; return 0; }
static void mul(unsigned char *r, unsigned char *a, unsigned char *b) {
    static int sums[8192]; memset(sums, 0, sizeof sums);
    EACH if (a[i]) for (int j = 0; i + j < W; j++) sums[i + j] += b[j];
    int c = 0; EACH { c += sums[i]; r[i] = c & 1; c >>= 1; }
}
static void divide(unsigned char *q, unsigned char *r, unsigned char *a, unsigned char *b) {
    N t; memset(r, 0, W + 1); int highest = W; while (highest && !b[highest - 1]) highest--;
    for (int i = W; i-- > 0;) {
        memmove(r + 1, r, W); r[0] = a[i]; int over = r[W]; r[W] = 0;
        q[i] = over || !less(r, b); if (q[i]) { sub(t, r, b); memcpy(r, t, W); }
    }
}
static int rest(unsigned char *b) { int n = 0; for (int i = W; i-- > 0;) n = (2 * n + b[i]) % W; return n; }
static void fill(unsigned char *p) {
    int kind = next() % 5, from = next() % W;
    EACH p[i] = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? i < from && next() & 1 : kind == 3 ? i > from : next() & 1;
}
static void pack(unsigned char *to, unsigned char *bits) { memset(to, 0, 1024); EACH to[i / 8] |= bits[i] << i % 8; }
typedef void F(void *, void *, void *);
typedef void J(unsigned char *, unsigned char *, unsigned char *, unsigned char *);
static void check(const char *name, F *f, J *judge, int width) {
    W = width;
    for (int round = 0; round < 5; round++) {
        static N a, b, r, x; static unsigned char pa[1024], pb[1024], got[2048], want[1024];
        fill(a); fill(b); if (round == 4) memcpy(b, a, W);
        pack(pa, a); pack(pb, b); memset(got, 0, sizeof got);
        f(got, pa, pb); judge(r, a, b, x); pack(want, r);
        if (memcmp(got, want, (W + 7) / 8)) { failures++; printf("%s: width %d, round %d\n", name, W, round); break; }
    }
}
"#;

/// The module, and the program that calls it.
fn texts() -> (String, String) {
    let (mut ir, mut c, mut calls) = (String::new(), HEAD.to_string(), String::new());
    for (name, judge) in JUDGES {
        let _ = writeln!(
            c,
            "static void j_{name}(unsigned char *r, unsigned char *a, unsigned char *b, unsigned char *x) {{ {judge}; }}"
        );
    }
    for width in WIDTHS {
        let rounded = width.next_multiple_of(8);
        let _ = writeln!(
            ir,
            "@g_{width} = global i{width} -1234567890123\ndefine i{width} @passed_{width}(i{width} %x, i32 %n, i{width} %y) {{\n\
             %w = zext i32 %n to i{width}\n%s = sub i{width} %x, %y\n%r = add i{width} %s, %w\nret i{width} %r\n}}"
        );
        for (name, body) in OPERATIONS {
            let shift = (width - 50).to_string();
            let body = body.replace("%W-50", &shift).replace('W', &width.to_string());
            let body = body.replace('T', &format!("i{width}"));
            let load = |v: &str| match rounded == width {
                true => format!("%{v} = load i{width}, ptr %p{v}, align 1"),
                // Bits above the integer's in memory would be a mistake of the program's.
                false => {
                    format!("%{v}w = load i{rounded}, ptr %p{v}, align 1\n%{v} = trunc i{rounded} %{v}w to i{width}")
                }
            };
            let _ = writeln!(
                ir,
                "define void @{name}_{width}(ptr %po, ptr %pa, ptr %pb) {{\n{}\n{}\n{body}\n\
                 store i{width} %r, ptr %po, align 1\nret void\n}}",
                load("a"),
                load("b")
            );
            let _ = writeln!(c, "F {name}_{width};");
            let _ = writeln!(calls, "check(\"{name}\", {name}_{width}, j_{name}, {width});");
        }
    }
    let _ = writeln!(c, "int main(void) {{\n{calls}printf(\"%d wrong\\n\", failures);\n}}");
    (ir, c)
}

fn check(mode: Mode) -> Result<(), Failure> {
    let (ir, c) = texts();
    none_wrong(mode, "wide-integers", [&ir, &c], &["-O2"])
}

macro_rules! modes {
    ($($name:ident $mode:ident;)*) => {$(
        #[test]
        fn $name() -> Result<(), Failure> {
            check(Mode::$mode)
        }
    )*};
}

modes! {
    x86_64 Bits64;
    i686 Bits32;
    aarch64 Aarch64;
    a32 A32;
    t32 T32;
}
