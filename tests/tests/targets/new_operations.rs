//! Operations that LLVM has of late, on every machine, against the same in C: predicated ones on vectors, lanes of
//! several vectors, partial sums, histograms, copies by atomic elements, atomic numbers of 16 bits and in vectors.

use std::fmt::Write as _;

use gusset_tests::build::Mode;
use gusset_tests::tools::Failure;

use super::none_wrong::none_wrong;

/// The name after `llvm.vp.`, the number of operands, other operands, and a lane of the result in C.
const INTEGERS: &[(&str, usize, &str, &str)] = &[
    ("add", 2, "", "(U)a + (U)b"),
    ("sub", 2, "", "(U)a - (U)b"),
    ("mul", 2, "", "(U)((unsigned)a * (unsigned)b)"),
    ("and", 2, "", "a & b"),
    ("or", 2, "", "a | b"),
    ("xor", 2, "", "a ^ b"),
    ("sdiv", 2, "", "a / b"),
    ("udiv", 2, "", "(U)a / (U)b"),
    ("srem", 2, "", "a % b"),
    ("urem", 2, "", "(U)a % (U)b"),
    ("smax", 2, "", "a > b ? a : b"),
    ("umin", 2, "", "(U)a < (U)b ? a : b"),
    ("abs", 1, ", i1 false", "a < 0 ? (U)0 - (U)a : a"),
    ("ctpop", 1, "", "__builtin_popcount((U)a)"),
];
const NUMBERS: &[(&str, usize, &str)] = &[
    ("fadd", 2, "a + b"),
    ("fsub", 2, "a - b"),
    ("fmul", 2, "a * b"),
    ("fdiv", 2, "a / b"),
    ("fneg", 1, "-a"),
    ("fabs", 1, "a < 0 ? -a : a"),
    ("minnum", 2, "a < b ? a : b"),
    ("floor", 1, "__builtin_floor(a)"),
];
/// Reductions with what they combine in C.
const REDUCTIONS: &[(&str, &str)] = &[
    ("add", "s + a"),
    ("mul", "(U)((unsigned)s * (unsigned)a)"),
    ("and", "s & a"),
    ("or", "s | a"),
    ("xor", "s ^ a"),
    ("smax", "s > a ? s : a"),
    ("smin", "s < a ? s : a"),
    ("umax", "(U)s > (U)a ? s : a"),
    ("umin", "(U)s < (U)a ? s : a"),
    ("fadd", "s + a"),
    ("fmul", "s * a"),
    ("fmax", "s > a ? s : a"),
    ("fmin", "s < a ? s : a"),
    ("fmaximum", "s > a ? s : a"),
    ("fminimum", "s < a ? s : a"),
];
/// A lane's type in LLVM and in C, its unsigned form, the lanes, and the name of the vector.
const SHAPES: &[(&str, &str, &str, usize, &str)] =
    &[("i32", "int", "unsigned", 4, "v4i32"), ("i16", "short", "unsigned short", 8, "v8i16")];
const NUMBER_SHAPES: &[(&str, &str, &str, usize, &str)] =
    &[("float", "float", "float", 4, "v4f32"), ("double", "double", "double", 3, "v3f64")];

#[derive(Default)]
struct Texts {
    ir: String,
    c: String,
    calls: String,
    count: usize,
}

impl Texts {
    /// A function of three vectors, a mask, a length and a place for the result, and its judge: a function of a number
    /// `i` of a lane, of the vectors `x`, `y` and `z` and of whether lanes are `on`. Lanes that are `kept` are compared.
    fn add(&mut self, shape: (&str, &str, &str, usize, &str), name: &str, body: &str, judge: &str, kept: &str) {
        let (k, (lane, c, unsigned, lanes, _)) = (self.count, shape);
        self.count += 1;
        let vector = format!("<{lanes} x {lane}>");
        let _ = write!(
            self.ir,
            "define void @f{k}(ptr %pa, ptr %pb, ptr %pc, i32 %bits, i32 %n, ptr %o) {{\n\
             %few = trunc i32 %bits to i{lanes}\n%m = bitcast i{lanes} %few to <{lanes} x i1>\n\
             %a = load {vector}, ptr %pa, align 1\n%b = load {vector}, ptr %pb, align 1\n%c = load {vector}, ptr %pc, align 1\n\
             {body}\nstore {vector} %r, ptr %o, align 1\nret void\n}}\n"
        );
        let _ = write!(
            self.c,
            "void f{k}(void *, void *, void *, int, int, void *);\n\
             static void t{k}(void) {{ typedef {c} T; typedef {unsigned} U; enum {{ N = {lanes} }};\n\
             for (int round = 0; round < 60; round++) {{\n\
             T x[N + 1], y[N + 1], z[N + 1], o[N + 1]; int bits = next() & 255, n = next() % (N + 1), on[N];\n\
             for (int i = 0; i <= N; i++) {{ x[i] = number(next()); y[i] = number(next()); z[i] = number(next()); if (!y[i]) y[i] = 3; o[i] = 77; }}\n\
             if (round & 1) bits = 255, n = N;\n\
             for (int i = 0; i < N; i++) on[i] = bits >> i & 1 && i < n;\n\
             f{k}(x, y, z, bits, n, o);\n\
             for (int i = 0; i < N; i++) {{ T a = x[i], b = y[i], c = z[i]; (void)a, (void)b, (void)c;\n\
             if ({kept}) {{ T want = {judge}; check(o[i] == want, \"{name} {c} {lanes}\", round, i); }} }}\n\
             check(o[N] == 77, \"{name}\", -1, N); }} }}\n"
        );
        let _ = writeln!(self.calls, "t{k}();");
    }
}

fn predicated(texts: &mut Texts) {
    let operands = |count: usize, vector: &str| {
        ["%a", "%b", "%c"][..count].iter().map(|name| format!("{vector} {name}")).collect::<Vec<_>>().join(", ")
    };
    let rows = INTEGERS.iter().map(|&(name, count, others, judge)| (SHAPES, name, count, others, judge));
    let numbers = NUMBERS.iter().map(|&(name, count, judge)| (NUMBER_SHAPES, name, count, "", judge));
    for (shapes, name, count, others, judge) in rows.chain(numbers) {
        for &shape in shapes {
            let (lanes, vector) = (shape.3, format!("<{} x {}>", shape.3, shape.0));
            let operands = operands(count, &vector);
            let body = format!(
                "%r = call {vector} @llvm.vp.{name}.{}({operands}{others}, <{lanes} x i1> %m, i32 %n)",
                shape.4
            );
            texts.add(shape, name, &body, judge, "on[i]");
        }
    }
    for &(name, judge) in REDUCTIONS {
        for &shape in if name.starts_with('f') { NUMBER_SHAPES } else { SHAPES } {
            let (lane, lanes, vector) = (shape.0, shape.3, format!("<{} x {}>", shape.3, shape.0));
            let body = format!(
                "%s = extractelement {vector} %b, i32 0\n\
                 %t = call {lane} @llvm.vp.reduce.{name}.{}({lane} %s, {vector} %a, <{lanes} x i1> %m, i32 %n)\n\
                 %r = insertelement {vector} zeroinitializer, {lane} %t, i32 0",
                shape.4
            );
            let judge =
                format!("({{ T s = y[0]; for (int j = 0; j < N; j++) if (on[j]) {{ T a = x[j]; s = {judge}; }} s; }})");
            texts.add(shape, &format!("reduce.{name}"), &body, &judge, "i == 0");
        }
    }
    for &shape in SHAPES.iter().chain(NUMBER_SHAPES) {
        memory(texts, shape);
    }
}

fn memory(texts: &mut Texts, shape: (&str, &str, &str, usize, &str)) {
    let (lane, lanes, name) = (shape.0, shape.3, shape.4);
    let (vector, mask) = (format!("<{lanes} x {lane}>"), format!("<{lanes} x i1>"));
    let load = format!("%r = call {vector} @llvm.vp.load.{name}.p0(ptr %pa, {mask} %m, i32 %n)");
    texts.add(shape, "load", &load, "a", "on[i]");
    let store = format!(
        "store {vector} %b, ptr %o, align 1\ncall void @llvm.vp.store.{name}.p0({vector} %a, ptr %o, {mask} %m, i32 %n)\n\
         %r = load {vector}, ptr %o, align 1"
    );
    texts.add(shape, "store", &store, "on[i] ? a : b", "1");
    let strided = format!(
        "%end = getelementptr {lane}, ptr %pa, i32 {}\n%size = sub i64 0, {}\n\
         %r = call {vector} @llvm.experimental.vp.strided.load.{name}.p0.i64(ptr %end, i64 %size, {mask} %m, i32 %n)",
        lanes - 1,
        match lane {
            "i16" => 2,
            "double" => 8,
            _ => 4,
        }
    );
    texts.add(shape, "strided.load", &strided, "x[N - 1 - i]", "on[i]");
    let compare = if lane.starts_with('i') { "icmp" } else { "fcmp" };
    let condition = if lane.starts_with('i') { "slt" } else { "olt" };
    let choose = |how: &str| {
        format!(
            "%k = call {mask} @llvm.vp.{compare}.{name}({vector} %a, {vector} %b, metadata !\"{condition}\", {mask} %m, i32 {lanes})\n\
             %r = call {vector} @llvm.vp.{how}.{name}({mask} %k, {vector} %b, {vector} %c, i32 %n)"
        )
    };
    texts.add(shape, "select", &choose("select"), "a < b ? b : c", "on[i]");
    texts.add(shape, "merge", &choose("merge"), "i < n && a < b ? b : c", "bits >> i & 1");
}

/// What is not predicated.
fn others(texts: &mut Texts) {
    let (ints, halves) = (SHAPES[0], SHAPES[1]);
    for (name, result) in [("minimumnum", "a < b ? a : b"), ("maximumnum", "a > b ? a : b")] {
        for &shape in NUMBER_SHAPES {
            let vector = format!("<{} x {}>", shape.3, shape.0);
            let body = format!("%r = call {vector} @llvm.{name}.{}({vector} %a, {vector} %b)", shape.4);
            texts.add(shape, name, &body, result, "1");
            // A NaN yields to a number, on either side.
            let nan = format!("{vector} splat ({} 0x7FF8000000000000)", shape.0);
            let body = format!(
                "%t = call {vector} @llvm.{name}.{0}({nan}, {vector} %b)\n%r = call {vector} @llvm.{name}.{0}({vector} %t, {nan})",
                shape.4
            );
            texts.add(shape, name, &body, "b", "1");
        }
    }
    for name in ["experimental.vector.partial.reduce.add", "vector.partial.reduce.add"] {
        let body = format!(
            "%w = shufflevector <4 x i32> %b, <4 x i32> %c, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>\n\
             %p = call <4 x i32> @llvm.{name}.v4i32.v8i32(<4 x i32> %a, <8 x i32> %w)\n\
             %t = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %p)\n\
             %r = insertelement <4 x i32> poison, i32 %t, i32 0"
        );
        let judge = "({ U s = 0; for (int j = 0; j < N; j++) s += (U)x[j] + (U)y[j] + (U)z[j]; (T)s; })";
        texts.add(ints, name, &body, judge, "i == 0");
    }
    let histogram = "store <8 x i16> %b, ptr %o, align 1\n\
         %j = and <8 x i16> %a, splat (i16 7)\n\
         %ps = getelementptr i16, ptr %o, <8 x i16> %j\n\
         call void @llvm.experimental.vector.histogram.add.v8p0.i16(<8 x ptr> %ps, i16 5, <8 x i1> %m)\n\
         %r = load <8 x i16>, ptr %o, align 1";
    let judge = "({ T s = b; for (int j = 0; j < N; j++) if (bits >> j & 1 && (x[j] & 7) == i) s += 5; s; })";
    texts.add(halves, "histogram", histogram, judge, "1");
    for count in [3, 4, 8] {
        let operands: Vec<String> = (0..count).map(|i| format!("<4 x i32> %{}", ["a", "b", "c"][i % 3])).collect();
        let parts: Vec<&str> = vec!["<4 x i32>"; count];
        let long = 4 * count;
        let mut body = format!(
            "%w = call <{long} x i32> @llvm.vector.interleave{count}.v{long}i32({})\n\
             %d = call {{ {} }} @llvm.vector.deinterleave{count}.v{long}i32(<{long} x i32> %w)\n",
            operands.join(", "),
            parts.join(", ")
        );
        // A lane from the middle of the long vector, and one from a part.
        let _ = write!(
            body,
            "%e = extractelement <{long} x i32> %w, i32 {}\n%p = extractvalue {{ {} }} %d, {}\n\
             %r = insertelement <4 x i32> %p, i32 %e, i32 0",
            count + 1,
            parts.join(", "),
            count - 1
        );
        let last = ["x", "y", "z"][(count - 1) % 3];
        texts.add(ints, &format!("interleave{count}"), &body, &format!("i ? {last}[i] : y[1]"), "1");
    }
    for (name, lanes, kind) in [("memcpy", 0, 0), ("memmove", 1, 1), ("memset", 0, 2)] {
        elements(texts, ints, name, lanes, kind);
    }
    let add = "store <4 x float> %a, ptr %o, align 1\n%al = alloca <2 x float>, align 8\n\
         %lo = shufflevector <4 x float> %a, <4 x float> poison, <2 x i32> <i32 0, i32 1>\n\
         %lb = shufflevector <4 x float> %b, <4 x float> poison, <2 x i32> <i32 0, i32 1>\n\
         store <2 x float> %lo, ptr %al, align 8\n\
         %old = atomicrmw fadd ptr %al, <2 x float> %lb seq_cst, align 8\n\
         %new = load <2 x float>, ptr %al, align 8\n\
         %r = shufflevector <2 x float> %old, <2 x float> %new, <4 x i32> <i32 0, i32 1, i32 2, i32 3>";
    texts.add(NUMBER_SHAPES[0], "atomic vector", add, "i < 2 ? x[i] : x[i - 2] + y[i - 2]", "1");
    for (ty, op, judge) in [("half", "fadd", "a + b"), ("bfloat", "fmax", "a > b ? a : b"), ("half", "fsub", "a - b")] {
        let body = format!(
            "%al = alloca {ty}, align 2\n%x = extractelement <4 x float> %a, i32 0\n%y = extractelement <4 x float> %b, i32 0\n\
             %hx = fptrunc float %x to {ty}\n%hy = fptrunc float %y to {ty}\nstore {ty} %hx, ptr %al, align 2\n\
             %old = atomicrmw {op} ptr %al, {ty} %hy acq_rel, align 2\n%new = load {ty}, ptr %al, align 2\n\
             %eo = fpext {ty} %old to float\n%en = fpext {ty} %new to float\n\
             %r0 = insertelement <4 x float> poison, float %eo, i32 0\n%r = insertelement <4 x float> %r0, float %en, i32 1"
        );
        let judge = format!("({{ T a = x[0], b = y[0]; i ? {judge} : a; }})");
        texts.add(NUMBER_SHAPES[0], &format!("atomic {op} {ty}"), &body, &judge, "i < 2");
    }
    let double = NUMBER_SHAPES[1];
    let modf = "%two = fmul <3 x double> %a, splat (double 2.5e-01)\n\
         %s = call { <3 x double>, <3 x double> } @llvm.modf.v3f64(<3 x double> %two)\n\
         %f = extractvalue { <3 x double>, <3 x double> } %s, 0\n%w = extractvalue { <3 x double>, <3 x double> } %s, 1\n\
         %k = fmul <3 x double> %w, splat (double 1.0e+03)\n%r = fadd <3 x double> %f, %k";
    texts.add(double, "modf", modf, "({ T w = __builtin_trunc(a * 0.25); w * 1000 + (a * 0.25 - w); })", "1");
    let sincos = "%v = extractelement <3 x double> %a, i32 0\n\
         %s = call { double, double } @llvm.sincos.f64(double %v)\n\
         %x = extractvalue { double, double } %s, 0\n%y = extractvalue { double, double } %s, 1\n\
         %r0 = insertelement <3 x double> poison, double %x, i32 0\n%r = insertelement <3 x double> %r0, double %y, i32 1";
    texts.add(double, "sincos", sincos, "i ? cos(x[0]) : sin(x[0])", "i < 2");
}

/// Copies by atomic elements of four bytes, and of others.
fn elements(texts: &mut Texts, shape: (&str, &str, &str, usize, &str), name: &str, from: usize, kind: usize) {
    let (source, judge) = match kind {
        0 => ("ptr %pa, ", "a"),
        1 => ("ptr %o, ", "i < 1 ? b : y[i - 1]"),
        _ => ("i8 -91, ", "(T)0xa5a5a5a5"),
    };
    let types = if kind == 2 { "p0.i32" } else { "p0.p0.i32" };
    for size in [1, 2, 4] {
        let (length, judge) = match kind {
            1 => (12, judge.to_string()),
            _ => (8, format!("i < 2 ? {judge} : b")),
        };
        let body = format!(
            "store <4 x i32> %b, ptr %o, align 4\n%to = getelementptr i32, ptr %o, i32 {from}\n\
             %some = and i32 %bits, 0\n%length = or i32 %some, {length}\n\
             call void @llvm.{name}.element.unordered.atomic.{types}(ptr align 4 %to, {source}i32 %length, i32 {size})\n\
             %r = load <4 x i32>, ptr %o, align 4"
        );
        let body =
            body.replace("ptr %pa,", "ptr align 4 %pa,").replace("ptr %o, i32 %length", "ptr align 4 %o, i32 %length");
        texts.add(shape, &format!("{name}{size}"), &body, &judge, "1");
    }
}

const HEAD: &str = r#"
#include <math.h>
#include <stdio.h>
static unsigned state = 12345;
static int failures;
static unsigned next(void) { state = state * 1103515245 + 12345; return state >> 8; }
static int number(unsigned n) { return (int)(n % 41) - 20; }
static void check(int ok, const char *what, int round, int i) {
    if (!ok && failures++ < 20) printf("%s: round %d lane %d\n", what, round, i);
}
"#;

fn check(mode: Mode) -> Result<(), Failure> {
    let mut texts = Texts::default();
    predicated(&mut texts);
    others(&mut texts);
    let main = format!("int main(void) {{\n{}printf(\"%d wrong\\n\", failures);\n}}\n", texts.calls);
    none_wrong(mode, "new-operations", [&texts.ir, &[HEAD, &texts.c, &main].concat()], &["-O1", "-ffp-contract=off"])
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
