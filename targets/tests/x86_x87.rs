//! Every operation on `long double` against GCC's.

#![cfg(feature = "x86")]

use gusset_codegen::ir::{Callee, ConstData, FloatCc, FunctionBuilder, IntCc, Opcode, TailKind, Type, Value};
use gusset_targets::x86::Features;

mod run;
use run::{Case, MIX, check, mix_signature};

const F80: (Type, &str) = (Type::F80, "f80");

fn case(
    name: impl Into<String>,
    operands: &[(Type, &'static str)],
    result: (Type, &'static str),
    c: impl Into<String>,
    build: impl Fn(&mut FunctionBuilder<'_>, &[Value]) -> Value + 'static,
) -> Case {
    let same = match result.0 {
        Type::F80 => "same_f80",
        Type::F32 => "same_f32",
        Type::F64 => "same_f64",
        _ => "same_bits",
    };
    let fill = if operands[0].0 == Type::F80 { "long_doubles" } else { "bits" };
    let operands = operands.to_vec();
    Case { name: name.into(), operands, result, build: Box::new(build), c: c.into(), same, fill }
}

fn arithmetic(cases: &mut Vec<Case>) {
    use Opcode::*;
    for (op, c) in [
        (Fadd, "r = a + b;"),
        (Fsub, "r = a - b;"),
        (Fmul, "r = a * b;"),
        (Fdiv, "r = a / b;"),
        (Frem, "r = fmodl(a, b);"),
        (Fcopysign, "r = copysignl(a, b);"),
    ] {
        cases.push(case(op.name(), &[F80, F80], F80, c, move |b, v| b.binary(op, v[0], v[1])));
        let c = format!("f80 b = a; {c}");
        cases.push(case(format!("{} same", op.name()), &[F80], F80, c, move |b, v| b.binary(op, v[0], v[0])));
    }
    for (op, c) in [(Fminnum, "r = b < a || a != a ? b : a;"), (Fmaxnum, "r = b > a || a != a ? b : a;")] {
        let mut c = case(op.name(), &[F80, F80], F80, c, move |b, v| b.binary(op, v[0], v[1]));
        // Zeros of either sign are the same here.
        c.c += " if (r == 0) r = 0;";
        c.build = Box::new(move |b, v| {
            let r = b.binary(op, v[0], v[1]);
            let zero = b.func.make_const(Type::F80, ConstData::Float(0));
            let is_zero = b.fcmp(FloatCc::Oeq, r, zero);
            b.select(is_zero, zero, r)
        });
        cases.push(c);
    }
    for (op, c) in [
        (Fneg, "-a"),
        (Fabs, "fabsl(a)"),
        (Fsqrt, "sqrtl(a)"),
        (Frint, "rintl(a)"),
        (Fnearbyint, "nearbyintl(a)"),
        (Ffloor, "floorl(a)"),
        (Fceil, "ceill(a)"),
        (Ftrunc, "truncl(a)"),
        (Fround, "roundl(a)"),
        (Froundeven, "rintl(a)"),
        (Freeze, "a"),
        (Opaque, "a"),
    ] {
        cases.push(case(op.name(), &[F80], F80, format!("r = {c};"), move |b, v| b.unary(op, v[0])));
    }
    cases.push(case("fma", &[F80, F80, F80], F80, "r = fmal(a, b, c);", |b, v| b.ternary(Fma, v[0], v[1], v[2])));
    // 1 and 2.5: one has an instruction, the other is in memory.
    for (n, bits) in
        [("1", 0x3fff_8000_0000_0000_0000u128), ("2.5L", 0x4000_a000_0000_0000_0000), ("-0.0L", 0x8000 << 64)]
    {
        cases.push(case(format!("constant {n}"), &[F80], F80, format!("r = copysignl(a, {n}) / {n};"), move |b, v| {
            let n = b.func.make_const(Type::F80, ConstData::Float(bits));
            let c = b.binary(Fcopysign, v[0], n);
            b.binary(Fdiv, c, n)
        }));
        cases.push(case(format!("only constant {n}"), &[F80], F80, format!("r = {n};"), move |b, _| {
            b.func.make_const(Type::F80, ConstData::Float(bits))
        }));
    }
    cases.push(case("a chain", &[F80, F80, F80], F80, "r = (a + b) * (b - c) / (a * c + b);", |b, v| {
        let (x, y) = (b.binary(Fadd, v[0], v[1]), b.binary(Fsub, v[1], v[2]));
        let p = b.binary(Fmul, v[0], v[2]);
        let (q, z) = (b.binary(Fmul, x, y), b.binary(Fadd, p, v[1]));
        b.binary(Fdiv, q, z)
    }));
    let operands = [F80, (Type::I32, "i32"), F80];
    let mut call = case("call", &operands, F80, "r = (c + b - a) * 2 - a;", |b, v| {
        let sig = b.import_signature(mix_signature());
        let i = b.call(Callee::Symbol(MIX), sig, &[v[0], v[1], v[2]], TailKind::None, false);
        let r = b.func.result(i);
        b.binary(Fsub, r, v[0])
    });
    call.fill = "long_doubles";
    cases.push(call);
}

fn comparisons(cases: &mut Vec<Case>) {
    for (cc, c) in [
        (FloatCc::False, "0"),
        (FloatCc::Oeq, "a == b"),
        (FloatCc::Ogt, "a > b"),
        (FloatCc::Oge, "a >= b"),
        (FloatCc::Olt, "a < b"),
        (FloatCc::Ole, "a <= b"),
        (FloatCc::One, "a < b || a > b"),
        (FloatCc::Ord, "a == a && b == b"),
        (FloatCc::Uno, "a != a || b != b"),
        (FloatCc::Ueq, "!(a < b || a > b)"),
        (FloatCc::Ugt, "!(a <= b)"),
        (FloatCc::Uge, "!(a < b)"),
        (FloatCc::Ult, "!(a >= b)"),
        (FloatCc::Ule, "!(a > b)"),
        (FloatCc::Une, "a != b"),
        (FloatCc::True, "1"),
    ] {
        let name = cc.name();
        cases.push(case(format!("fcmp {name}"), &[F80, F80], (Type::I32, "i32"), format!("r = {c};"), move |b, v| {
            let r = b.fcmp(cc, v[0], v[1]);
            b.convert(Opcode::Zext, r, Type::I32)
        }));
        cases.push(case(format!("select {name}"), &[F80, F80], F80, format!("r = ({c}) ? a : b;"), move |b, v| {
            let c = b.fcmp(cc, v[0], v[1]);
            b.select(c, v[0], v[1])
        }));
        let c = format!("r = ({c}) ? 5 : 7;");
        cases.push(case(
            format!("select of integers {name}"),
            &[F80, F80],
            (Type::I64, "i64"),
            c.clone(),
            move |b, v| {
                let c = b.fcmp(cc, v[0], v[1]);
                let (x, y) = (b.iconst(Type::I64, 5), b.iconst(Type::I64, 7));
                b.select(c, x, y)
            },
        ));
        cases.push(case(format!("branch {name}"), &[F80, F80], (Type::I64, "i64"), c, move |b, v| {
            let c = b.fcmp(cc, v[0], v[1]);
            let (then, other, end) = (b.create_block(), b.create_block(), b.create_block());
            let r = b.declare_var(Type::I64);
            b.br(c, then, &[], other, &[]);
            for (block, n) in [(then, 5), (other, 7)] {
                b.switch_to(block);
                b.seal(block);
                let n = b.iconst(Type::I64, n);
                b.def_var(r, n);
                b.jump(end, &[]);
            }
            b.switch_to(end);
            b.seal(end);
            b.use_var(r)
        }));
    }
    cases.push(case("select by an integer", &[F80, F80, (Type::I32, "i32")], F80, "r = c < 3 ? a : b;", |b, v| {
        let three = b.iconst(Type::I32, 3);
        let c = b.icmp(IntCc::Slt, v[2], three);
        b.select(c, v[0], v[1])
    }));
    cases.push(case("a loop", &[F80, F80], F80, "r = 0; for (int k = 0; k < 10; k++) r = r * a + b;", |b, v| {
        let (top, end) = (b.create_block(), b.create_block());
        let (sum, k) = (b.declare_var(Type::F80), b.declare_var(Type::I32));
        let (zero, n) = (b.func.make_const(Type::F80, ConstData::Float(0)), b.iconst(Type::I32, 0));
        b.def_var(sum, zero);
        b.def_var(k, n);
        b.jump(top, &[]);
        b.switch_to(top);
        let s = b.use_var(sum);
        let s = b.binary(Opcode::Fmul, s, v[0]);
        let s = b.binary(Opcode::Fadd, s, v[1]);
        b.def_var(sum, s);
        let (i, one, ten) = (b.use_var(k), b.iconst(Type::I32, 1), b.iconst(Type::I32, 10));
        let i = b.binary(Opcode::Iadd, i, one);
        b.def_var(k, i);
        let more = b.icmp(IntCc::Slt, i, ten);
        b.br(more, top, &[], end, &[]);
        b.seal(top);
        b.switch_to(end);
        b.seal(end);
        b.use_var(sum)
    }));
}

fn conversions(cases: &mut Vec<Case>) {
    use Opcode::*;
    let ints = [
        (Type::I8, "i8", "u8", ["for_i8", "for_u8"]),
        (Type::I16, "i16", "u16", ["for_i16", "for_u16"]),
        (Type::I32, "i32", "u32", ["for_i32", "for_u32"]),
        (Type::I64, "i64", "u64", ["for_i64", "for_u64"]),
    ];
    for (ty, s, u, fills) in ints {
        for (from, to, ct, fill) in [(Sitofp, Fptosi, s, fills[0]), (Uitofp, Fptoui, u, fills[1])] {
            cases.push(case(format!("from {ct}"), &[(ty, ct)], F80, "r = a;", move |b, v| {
                b.convert(from, v[0], Type::F80)
            }));
            let mut c = case(format!("to {ct}"), &[F80], (ty, ct), "r = a;", move |b, v| b.convert(to, v[0], ty));
            c.fill = fill;
            cases.push(c);
        }
    }
    for (ty, ct) in [(Type::F32, "f32"), (Type::F64, "f64")] {
        cases.push(case(format!("from {ct}"), &[(ty, ct)], F80, "r = a;", move |b, v| {
            b.convert(Fpext, v[0], Type::F80)
        }));
        cases.push(case(format!("to {ct}"), &[F80], (ty, ct), "r = a;", move |b, v| b.convert(Fptrunc, v[0], ty)));
    }
    let wide = (Type::I128, "i128");
    for (name, op, ct, least) in [("from i128", Sitofp, "i128", ""), ("from u128", Uitofp, "u128", "")] {
        let c = format!("r = a{least};");
        cases.push(case(name, &[(Type::I128, ct)], F80, c, move |b, v| b.convert(op, v[0], Type::F80)));
    }
    let mut c = case("to i128", &[F80], wide, "r = a;", |b, v| b.convert(Fptosi, v[0], Type::I128));
    c.fill = "for_i64";
    cases.push(c);
    let bits = "r = 0; memcpy(&r, &a, 10);";
    cases.push(case("bits", &[F80], wide, bits, |b, v| {
        let bits = b.convert(Bitcast, v[0], Type::I128);
        let n = b.iconst(Type::I128, 48);
        let up = b.binary(Shl, bits, n);
        b.binary(Lshr, up, n)
    }));
    let mut c =
        case("from bits", &[wide], F80, "r = 0; memcpy(&r, &a, 10);", |b, v| b.convert(Bitcast, v[0], Type::F80));
    c.fill = "long_doubles";
    cases.push(c);
}

#[test]
fn long_double() {
    let mut cases = Vec::new();
    arithmetic(&mut cases);
    comparisons(&mut cases);
    conversions(&mut cases);
    let none = Features::default();
    check("x86_x87", &cases, &[("sse2", none), ("sse3", Features { sse3: true, ..none })]);
}
