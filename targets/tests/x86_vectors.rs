//! Every operation on 16-byte vectors, with SSE2 alone and with later extensions, against GCC's vectors.

#![cfg(feature = "x86")]

use gusset_abi::features::Hardening;
use gusset_codegen::ir::{FloatCc, FunctionBuilder, IntCc, Opcode, Type, Value};
use gusset_targets::x86::Features;

mod run;
use run::{Case, check};

const INTS: [(Type, &str, &str, &str); 4] = [
    (Type::I8, "i8x16", "u8x16", "i8"),
    (Type::I16, "i16x8", "u16x8", "i16"),
    (Type::I32, "i32x4", "u32x4", "i32"),
    (Type::I64, "i64x2", "u64x2", "i64"),
];
const FLOATS: [(Type, &str, &str, &str); 2] =
    [(Type::F32, "f32x4", "i32x4", "f32"), (Type::F64, "f64x2", "i64x2", "f64")];

fn full(lane: Type) -> Type {
    Type::vector(lane, 128 / lane.bits()).unwrap()
}

fn case(
    name: String,
    operands: &[(Type, &'static str)],
    result: (Type, &'static str),
    c: impl Into<String>,
    build: impl Fn(&mut FunctionBuilder<'_>, &[Value]) -> Value + 'static,
) -> Case {
    let same = match result.0.lane() {
        Type::F32 => "same_f32",
        Type::F64 => "same_f64",
        _ => "same_bits",
    };
    let (operands, build) = (operands.to_vec(), Box::new(build));
    Case { name, operands, result, build, c: c.into(), same, fill: "bits" }
}

fn splat(b: &mut FunctionBuilder<'_>, ty: Type, n: i128) -> Value {
    let lane = b.iconst(ty.lane(), n);
    b.func.make_vector(ty, &vec![lane; ty.lanes() as usize])
}

/// `name(a[k])` or the like in every lane.
fn each(expression: &str) -> String {
    format!("for (int k = 0; k < sizeof r / sizeof r[0]; k++) r[k] = {expression};")
}

fn integers(cases: &mut Vec<Case>, mut has: impl FnMut(Opcode, Type) -> bool) {
    use Opcode::*;
    for (lane, s, u, cs) in INTS {
        let ucs = &u[..u.find('x').unwrap()];
        let ty = full(lane);
        let bits = lane.bits();
        let (min, max) = (format!("((i128)-1 << {})", bits - 1), format!("(((i128)1 << {}) - 1)", bits - 1));
        let umax = format!("(((i128)1 << {bits}) - 1)");
        let clamp = |e: &str, lo: &str, hi: &str| each(&format!("({e}) < {lo} ? {lo} : ({e}) > {hi} ? {hi} : ({e})"));
        let list: [(Opcode, bool, String); 16] = [
            (Iadd, false, "r = a + b;".into()),
            (Isub, false, "r = a - b;".into()),
            (Imul, false, "r = a * b;".into()),
            (And, false, "r = a & b;".into()),
            (Or, false, "r = a | b;".into()),
            (Xor, false, "r = a ^ b;".into()),
            (Umin, false, each("a[k] < b[k] ? a[k] : b[k]")),
            (Umax, false, each("a[k] > b[k] ? a[k] : b[k]")),
            (Smin, true, each("a[k] < b[k] ? a[k] : b[k]")),
            (Smax, true, each("a[k] > b[k] ? a[k] : b[k]")),
            (UaddSat, false, clamp("(i128)a[k] + b[k]", "0", &umax)),
            (UsubSat, false, clamp("(i128)a[k] - b[k]", "0", &umax)),
            (SaddSat, true, clamp("(i128)a[k] + b[k]", &min, &max)),
            (SsubSat, true, clamp("(i128)a[k] - b[k]", &min, &max)),
            (Iabs, true, each("a[k] < 0 ? -(u64)a[k] : a[k]")),
            (Bswap, false, each(&format!("__builtin_bswap64(a[k]) >> {}", 64 - bits))),
        ];
        for (op, signed, c) in list {
            if !has(op, ty) {
                continue;
            }
            let ct = if signed { s } else { u };
            let unary = matches!(op, Iabs | Bswap);
            let operands = [(ty, ct), (ty, ct)];
            let operands = &operands[..if unary { 1 } else { 2 }];
            cases.push(case(format!("{} {s}", op.name()), operands, (ty, ct), c, move |b, v| {
                if unary { b.unary(op, v[0]) } else { b.binary(op, v[0], v[1]) }
            }));
            if !unary {
                // A constant operand, and twice the same.
                let c = if signed { format!("b = ({ct}){{}} + 5; ") } else { format!("b = ({ct}){{}} + 5u; ") };
                let c = c + &cases[cases.len() - 1].c;
                cases.push(case(
                    format!("{} {s} constant", op.name()),
                    &operands[..1],
                    (ty, ct),
                    format!("{ct} b; {c}"),
                    move |b, v| {
                        let five = splat(b, ty, 5);
                        b.binary(op, v[0], five)
                    },
                ));
                let c = format!("{ct} b = a; {}", cases[cases.len() - 2].c);
                cases.push(case(format!("{} {s} same", op.name()), &operands[..1], (ty, ct), c, move |b, v| {
                    b.binary(op, v[0], v[0])
                }));
            }
        }
        for (op, signed, sign) in [(Shl, false, "<<"), (Lshr, false, ">>"), (Ashr, true, ">>")] {
            for n in [0, 1, 3, bits / 2, bits - 1] {
                let ct = if signed { s } else { u };
                cases.push(case(
                    format!("{} {s} {n}", op.name()),
                    &[(ty, ct)],
                    (ty, ct),
                    format!("r = a {sign} {n};"),
                    move |b, v| {
                        let n = splat(b, ty, n as i128);
                        b.binary(op, v[0], n)
                    },
                ));
            }
        }
        for (op, signed, sign) in [(Shl, false, "<<"), (Lshr, false, ">>"), (Ashr, true, ">>")] {
            if lane == Type::I8 {
                continue;
            }
            let ct = if signed { s } else { u };
            let c = format!("r = a {sign} (b % {bits});");
            let operands = [(ty, ct), (lane, if signed { cs } else { ucs })];
            for shuffled in [false, true] {
                let c = if signed { c.replace("b %", &format!("({ucs})b %")) } else { c.clone() };
                cases.push(case(format!("{} {s} splat", op.name()), &operands, (ty, ct), c, move |b, v| {
                    let mask = b.iconst(lane, bits as i128 - 1);
                    let n = b.binary(And, v[1], mask);
                    let n = if shuffled {
                        let (p, at) = (b.poison(ty), b.iconst(Type::I32, 1));
                        let n = b.insert_lane(p, n, at);
                        b.shuffle(n, p, &vec![1; ty.lanes() as usize]).unwrap()
                    } else {
                        b.push1(Splat, 0, ty, [n.0, 0, 0], ty)
                    };
                    b.binary(op, v[0], n)
                }));
            }
        }
        for (cc, signed, sign) in [
            (IntCc::Eq, false, "=="),
            (IntCc::Ne, false, "!="),
            (IntCc::Ult, false, "<"),
            (IntCc::Ule, false, "<="),
            (IntCc::Ugt, false, ">"),
            (IntCc::Uge, false, ">="),
            (IntCc::Slt, true, "<"),
            (IntCc::Sle, true, "<="),
            (IntCc::Sgt, true, ">"),
            (IntCc::Sge, true, ">="),
        ] {
            let ct = if signed { s } else { u };
            cases.push(case(
                format!("icmp {} {s}", cc.name()),
                &[(ty, ct), (ty, ct)],
                (ty, s),
                format!("r = a {sign} b;"),
                move |b, v| b.push1(Icmp, cc as u8, ty, [v[0].0, v[1].0, 0], ty),
            ));
        }
        cases.push(case(
            format!("select {s}"),
            &[(ty, s), (ty, s), (ty, s)],
            (ty, s),
            each("b[k] > c[k] ? a[k] : b[k]"),
            move |b, v| {
                let m = b.push1(Icmp, IntCc::Sgt as u8, ty, [v[1].0, v[2].0, 0], ty);
                b.push1(Select, 0, ty, [m.0, v[0].0, v[1].0], ty)
            },
        ));
        cases.push(case(format!("select {s} same"), &[(ty, s), (ty, s)], (ty, s), "r = (a > b) & b;", move |b, v| {
            let m = b.push1(Icmp, IntCc::Sgt as u8, ty, [v[0].0, v[1].0, 0], ty);
            b.push1(Select, 0, ty, [m.0, v[1].0, m.0], ty)
        }));
    }
}

fn floats(cases: &mut Vec<Case>) {
    use Opcode::*;
    for (lane, ct, mask, _) in FLOATS {
        let ty = full(lane);
        let suffix = if lane == Type::F32 { "f" } else { "" };
        for (op, c) in [
            (Fadd, "r = a + b;".to_string()),
            (Fsub, "r = a - b;".into()),
            (Fmul, "r = a * b;".into()),
            (Fdiv, "r = a / b;".into()),
            (Fcopysign, each(&format!("copysign{suffix}(a[k], b[k])"))),
            (Fminnum, each(&format!("fmin{suffix}(a[k], b[k])"))),
            (Fmaxnum, each(&format!("fmax{suffix}(a[k], b[k])"))),
        ] {
            cases.push(case(format!("{} {ct}", op.name()), &[(ty, ct), (ty, ct)], (ty, ct), c.clone(), move |b, v| {
                b.binary(op, v[0], v[1])
            }));
            cases.push(case(
                format!("{} {ct} same", op.name()),
                &[(ty, ct)],
                (ty, ct),
                format!("{ct} b = a; {c}"),
                move |b, v| b.binary(op, v[0], v[0]),
            ));
            let n = cases.len();
            for c in &mut cases[n - 2..] {
                c.fill = if lane == Type::F32 { "quiet_f32" } else { "quiet_f64" };
                if op == Fcopysign {
                    c.same = "same_bits";
                }
            }
        }
        for (op, c) in
            [(Fneg, "-a[k]".to_string()), (Fabs, format!("fabs{suffix}(a[k])")), (Fsqrt, format!("sqrt{suffix}(a[k])"))]
        {
            let c = each(&c);
            let mut c = case(format!("{} {ct}", op.name()), &[(ty, ct)], (ty, ct), c, move |b, v| b.unary(op, v[0]));
            if op != Fsqrt {
                c.same = "same_bits";
            }
            cases.push(c);
        }
        let ity = full(if lane == Type::F32 { Type::I32 } else { Type::I64 });
        for (cc, c) in [
            (FloatCc::False, "0"),
            (FloatCc::Oeq, "a[k] == b[k]"),
            (FloatCc::Ogt, "a[k] > b[k]"),
            (FloatCc::Oge, "a[k] >= b[k]"),
            (FloatCc::Olt, "a[k] < b[k]"),
            (FloatCc::Ole, "a[k] <= b[k]"),
            (FloatCc::One, "a[k] < b[k] || a[k] > b[k]"),
            (FloatCc::Ord, "a[k] == a[k] && b[k] == b[k]"),
            (FloatCc::Uno, "a[k] != a[k] || b[k] != b[k]"),
            (FloatCc::Ueq, "!(a[k] < b[k] || a[k] > b[k])"),
            (FloatCc::Ugt, "!(a[k] <= b[k])"),
            (FloatCc::Uge, "!(a[k] < b[k])"),
            (FloatCc::Ult, "!(a[k] >= b[k])"),
            (FloatCc::Ule, "!(a[k] > b[k])"),
            (FloatCc::Une, "a[k] != b[k]"),
            (FloatCc::True, "1"),
        ] {
            let c = each(&format!("-({c})"));
            cases.push(case(format!("fcmp {} {ct}", cc.name()), &[(ty, ct), (ty, ct)], (ity, mask), c, move |b, v| {
                b.push1(Fcmp, cc as u8, ty, [v[0].0, v[1].0, 0], ity)
            }));
        }
        cases.push(case(
            format!("select {ct}"),
            &[(ty, ct), (ty, ct), (ty, ct)],
            (ty, ct),
            each("b[k] < c[k] ? a[k] : c[k]"),
            move |b, v| {
                let m = b.push1(Fcmp, FloatCc::Olt as u8, ty, [v[1].0, v[2].0, 0], ity);
                b.push1(Select, 0, ty, [m.0, v[0].0, v[2].0], ty)
            },
        ));
    }
    let (i, f) = (full(Type::I32), full(Type::F32));
    for (op, from, to, c, fill) in [
        (Sitofp, (i, "i32x4"), (f, "f32x4"), each("a[k]"), "bits"),
        (Uitofp, (i, "u32x4"), (f, "f32x4"), each("a[k]"), "bits"),
        (Fptosi, (f, "f32x4"), (i, "i32x4"), each("a[k]"), "small_f32"),
        (Fptoui, (f, "f32x4"), (i, "u32x4"), each("a[k]"), "small_u32"),
    ] {
        let mut c = case(op.name().to_string(), &[from], to, c, move |b, v| b.convert(op, v[0], to.0));
        c.fill = fill;
        cases.push(c);
    }
}

fn lanes(cases: &mut Vec<Case>) {
    for (lane, ct, _, cs) in INTS.into_iter().chain(FLOATS) {
        let ty = full(lane);
        let n = ty.lanes();
        for k in 0..n {
            cases.push(case(
                format!("extract {ct} {k}"),
                &[(ty, ct)],
                (lane, cs),
                format!("r = a[{k}];"),
                move |b, v| {
                    let k = b.iconst(Type::I32, k as i128);
                    b.extract_lane(v[0], k)
                },
            ));
            cases.push(case(
                format!("insert {ct} {k}"),
                &[(ty, ct), (lane, cs)],
                (ty, ct),
                format!("r = a; r[{k}] = b;"),
                move |b, v| {
                    let k = b.iconst(Type::I32, k as i128);
                    b.insert_lane(v[0], v[1], k)
                },
            ));
        }
        cases.push(case(
            format!("extract {ct} variable"),
            &[(ty, ct), (Type::I32, "u32")],
            (lane, cs),
            format!("r = a[b % {n}];"),
            move |b, v| {
                let mask = b.iconst(Type::I32, n as i128 - 1);
                let k = b.binary(Opcode::And, v[1], mask);
                b.extract_lane(v[0], k)
            },
        ));
        cases.push(case(
            format!("insert {ct} variable"),
            &[(ty, ct), (lane, cs), (Type::I32, "u32")],
            (ty, ct),
            format!("r = a; r[c % {n}] = b;"),
            move |b, v| {
                let mask = b.iconst(Type::I32, n as i128 - 1);
                let k = b.binary(Opcode::And, v[2], mask);
                b.insert_lane(v[0], v[1], k)
            },
        ));
        cases.push(case(format!("splat {ct}"), &[(lane, cs)], (ty, ct), each("a"), move |b, v| {
            b.push1(Opcode::Splat, 0, ty, [v[0].0, 0, 0], ty)
        }));
        // A vector made of scalars, upwards and downwards.
        for down in [false, true] {
            let c = each("k % 3 == 0 ? a : k % 3 == 1 ? b : c");
            cases.push(case(
                format!("build {ct} {down}"),
                &[(lane, cs), (lane, cs), (lane, cs)],
                (ty, ct),
                c,
                move |b, v| {
                    let mut all = b.poison(ty);
                    for k in 0..n {
                        let k = if down { n - 1 - k } else { k };
                        let at = b.iconst(Type::I32, k as i128);
                        all = b.insert_lane(all, v[k as usize % 3], at);
                    }
                    all
                },
            ));
        }
    }
    let (v2, v4) = (full(Type::I64), full(Type::F32));
    let operands = [(v4, "f32x4"), (v4, "f32x4"), (Type::I32, "i32")];
    cases.push(case("select by a truth value".into(), &operands, (v4, "f32x4"), "r = c < 3 ? a : b;", move |b, v| {
        let three = b.iconst(Type::I32, 3);
        let c = b.icmp(IntCc::Slt, v[2], three);
        b.select(c, v[0], v[1])
    }));
    cases.push(case("bitcast to i128".into(), &[(v2, "i64x2")], (Type::I128, "i128"), "r = (i128)a;", |b, v| {
        b.convert(Opcode::Bitcast, v[0], Type::I128)
    }));
    cases.push(case(
        "bitcast from i128".into(),
        &[(Type::I128, "i128")],
        (v2, "i64x2"),
        "r = (i64x2)a;",
        move |b, v| b.convert(Opcode::Bitcast, v[0], v2),
    ));
    cases.push(case("bitcast".into(), &[(v2, "i64x2")], (v4, "f32x4"), "r = (f32x4)a;", move |b, v| {
        b.convert(Opcode::Bitcast, v[0], v4)
    }));
}

struct Random(u64);

impl Random {
    fn next(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32 % n
    }
}

/// What is on the other side of a shuffle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    Vector,
    Same,
    Zero,
    Poison,
    Constant,
}

fn shuffle_case(
    lane: (Type, &'static str, &'static str, &'static str),
    mask: Vec<u32>,
    other: Other,
    swap: bool,
) -> Case {
    let (ct, ty) = (lane.1, full(lane.0));
    let n = ty.lanes();
    let mut c = match other {
        Other::Vector => String::new(),
        Other::Same => format!("{ct} b = a; "),
        Other::Zero | Other::Poison => format!("{ct} b = {{}}; "),
        Other::Constant => format!("{ct} b = {{}}; b += 3; "),
    };
    for (k, &l) in mask.iter().enumerate() {
        if l >= 2 * n {
            // Any value: as ours has it, which the comparison cannot tell.
            c += &format!("r[{k}] = 0; ");
            continue;
        }
        let (v, l) = (if (l >= n) != swap { "b" } else { "a" }, l % n);
        c += &format!("r[{k}] = {v}[{l}]; ");
    }
    let operands = [(ty, ct), (ty, ct)];
    let name = format!("shuffle {ct} {mask:?} {swap}");
    case(name, &operands[..if other == Other::Vector { 2 } else { 1 }], (ty, ct), c, move |b, v| {
        let mut y = match other {
            Other::Vector => v[1],
            Other::Same => v[0],
            Other::Poison => b.poison(ty),
            Other::Zero | Other::Constant => {
                let n = if other == Other::Zero { 0 } else { 3 };
                let lane = b.iconst(ty.lane(), n);
                b.func.make_vector(ty, &vec![lane; ty.lanes() as usize])
            }
        };
        let mut x = v[0];
        if swap {
            (x, y) = (y, x);
        }
        let r = b.shuffle(x, y, &mask).unwrap();
        // Lanes of any value become zero for the comparison.
        let keep: Vec<Value> = mask.iter().map(|&l| b.iconst(ty.lane(), if l < 2 * n { -1 } else { 0 })).collect();
        if mask.iter().all(|&l| l < 2 * n) {
            return r;
        }
        let keep = b.func.make_vector(ty, &keep);
        b.binary(Opcode::And, r, keep)
    })
}

fn shuffles(cases: &mut Vec<Case>) {
    let mut random = Random(7);
    for lane in INTS {
        let n = 128 / lane.0.bits();
        let mut masks: Vec<Vec<u32>> = vec![
            (0..n).collect(),
            (0..n).rev().collect(),
            (0..n).map(|k| 2 * k).collect(),
            (0..n).map(|k| 2 * k + 1).collect(),
            (0..n).map(|k| k / 2 + k % 2 * n).collect(),
            (0..n).map(|k| n / 2 + k / 2 + k % 2 * n).collect(),
            (0..n).map(|k| k + k % 2 * n).collect(),
            (0..n).map(|k| k + 1).collect(),
            (0..n).map(|k| k + n / 2).collect(),
            (0..n).map(|k| (k + 3) % n).collect(),
            (0..n).map(|k| k ^ 1).collect(),
            (0..n).map(|k| if k < n / 2 { 4 * k % (2 * n) } else { u32::MAX }).collect(),
            (0..n).map(|k| k / 2).collect(),
            (0..n).map(|k| n / 2 + k / 2).collect(),
            vec![n - 1; n as usize],
        ];
        for _ in 0..12 {
            let one = random.next(2) == 0;
            masks.push(
                (0..n)
                    .map(|_| if random.next(8) == 0 { u32::MAX } else { random.next(if one { n } else { 2 * n }) })
                    .collect(),
            );
        }
        if n == 4 {
            masks.extend((0..40).map(|_| (0..4).map(|_| random.next(8)).collect()));
        }
        for mask in masks {
            for other in [Other::Vector, Other::Zero, Other::Same, Other::Poison, Other::Constant] {
                if other == Other::Poison && mask.iter().any(|l| (n..2 * n).contains(l)) {
                    continue;
                }
                if other == Other::Vector || random.next(3) == 0 {
                    let swap = other != Other::Poison && random.next(2) == 0;
                    cases.push(shuffle_case(lane, mask.clone(), other, swap));
                }
            }
        }
    }
    let f = full(Type::F64);
    cases.push(case(
        "shuffle f64".into(),
        &[(f, "f64x2"), (f, "f64x2")],
        (f, "f64x2"),
        "r[0] = b[1]; r[1] = a[0];",
        |b, v| b.shuffle(v[0], v[1], &[3, 0]).unwrap(),
    ));
}

const SETS: [(&str, Features); 3] = [
    ("sse2", NONE),
    ("ssse3", Features { sse3: true, ssse3: true, ..NONE }),
    ("sse42", Features { sse3: true, ssse3: true, sse41: true, sse42: true, popcnt: true, ..NONE }),
];
const NONE: Features = Features {
    sse3: false,
    ssse3: false,
    sse41: false,
    sse42: false,
    popcnt: false,
    lzcnt: false,
    bmi1: false,
    bmi2: false,
    cx16: false,
    fma: false,
    tagged_globals: false,
    hardening: Hardening(0),
    no_cmov: false,
    no_cx8: false,
    x87_only: false,
};

#[test]
fn arithmetic() {
    let mut cases = Vec::new();
    // What every set of features has; 64-bit minima come with SSE4.2 and are in their own test.
    integers(&mut cases, |op, ty| {
        let lane = ty.lane();
        match op {
            Opcode::Umin | Opcode::Umax | Opcode::Smin | Opcode::Smax => lane != Type::I64,
            Opcode::UaddSat | Opcode::UsubSat | Opcode::SaddSat | Opcode::SsubSat => lane.bits() < 32,
            Opcode::Bswap => lane != Type::I8,
            _ => true,
        }
    });
    floats(&mut cases);
    check("x86_vectors_arithmetic", &cases, &SETS);
}

#[test]
fn later_extensions() {
    let mut cases = Vec::new();
    integers(&mut cases, |op, ty| {
        ty.lane() == Type::I64 && matches!(op, Opcode::Umin | Opcode::Umax | Opcode::Smin | Opcode::Smax)
    });
    cases.retain(|c| c.name.contains("min") || c.name.contains("max"));
    for (lane, ct, _, _) in FLOATS {
        let suffix = if lane == Type::F32 { "f" } else { "" };
        for (op, f) in [
            (Opcode::Ffloor, "floor"),
            (Opcode::Fceil, "ceil"),
            (Opcode::Ftrunc, "trunc"),
            (Opcode::Frint, "rint"),
            (Opcode::Fnearbyint, "nearbyint"),
            (Opcode::Froundeven, "rint"),
        ] {
            let c = each(&format!("{f}{suffix}(a[k])"));
            let ty = full(lane);
            cases.push(case(format!("{} {ct}", op.name()), &[(ty, ct)], (ty, ct), c, move |b, v| b.unary(op, v[0])));
        }
    }
    check("x86_vectors_later", &cases, &SETS[2..]);
}

#[test]
fn lanes_and_splats() {
    let mut cases = Vec::new();
    lanes(&mut cases);
    check("x86_vectors_lanes", &cases, &SETS);
}

#[test]
fn every_shuffle() {
    let mut cases = Vec::new();
    shuffles(&mut cases);
    check("x86_vectors_shuffles", &cases, &SETS);
}
