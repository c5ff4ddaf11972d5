//! What operations on integers are the same as, whatever their operands are. Nothing here depends on the machine; a result that takes the
//! place of another one is no less defined than that.

use crate::ir::{
    Function, InstData, IntCc, Opcode, Type, Value, ValueDef, fold_binary, fold_compare, fold_conversion, fold_unary,
    is_foldable,
};

/// A right operand that a rule is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Right {
    Zero,
    One,
    /// All bits set.
    Ones,
    /// The left operand.
    Left,
}

/// What the operation then gives.
#[derive(Clone, Copy)]
enum Gives {
    Left,
    Zero,
    Ones,
}

/// Operations with such a right operand.
const IDENTITIES: &[(Opcode, Right, Gives)] = &[
    (Opcode::Iadd, Right::Zero, Gives::Left),
    (Opcode::Isub, Right::Zero, Gives::Left),
    (Opcode::Isub, Right::Left, Gives::Zero),
    (Opcode::Imul, Right::One, Gives::Left),
    (Opcode::Imul, Right::Zero, Gives::Zero),
    (Opcode::Udiv, Right::One, Gives::Left),
    (Opcode::Sdiv, Right::One, Gives::Left),
    (Opcode::Urem, Right::One, Gives::Zero),
    (Opcode::Srem, Right::One, Gives::Zero),
    (Opcode::And, Right::Ones, Gives::Left),
    (Opcode::And, Right::Left, Gives::Left),
    (Opcode::And, Right::Zero, Gives::Zero),
    (Opcode::Or, Right::Zero, Gives::Left),
    (Opcode::Or, Right::Left, Gives::Left),
    (Opcode::Or, Right::Ones, Gives::Ones),
    (Opcode::Xor, Right::Zero, Gives::Left),
    (Opcode::Xor, Right::Left, Gives::Zero),
    (Opcode::Shl, Right::Zero, Gives::Left),
    (Opcode::Lshr, Right::Zero, Gives::Left),
    (Opcode::Ashr, Right::Zero, Gives::Left),
    (Opcode::Umin, Right::Left, Gives::Left),
    (Opcode::Umax, Right::Left, Gives::Left),
    (Opcode::Smin, Right::Left, Gives::Left),
    (Opcode::Smax, Right::Left, Gives::Left),
    (Opcode::Umax, Right::Zero, Gives::Left),
    (Opcode::Umin, Right::Zero, Gives::Zero),
    (Opcode::UaddSat, Right::Zero, Gives::Left),
    (Opcode::SaddSat, Right::Zero, Gives::Left),
    (Opcode::UsubSat, Right::Zero, Gives::Left),
    (Opcode::SsubSat, Right::Zero, Gives::Left),
];

/// What an extension or truncation of another one is: of the inner operation, the outer one, and the one in place of both where the
/// result is wider than the inner operand.
const CONVERSIONS: &[(Opcode, Opcode, Opcode)] = &[
    (Opcode::Zext, Opcode::Zext, Opcode::Zext),
    (Opcode::Sext, Opcode::Sext, Opcode::Sext),
    (Opcode::Zext, Opcode::Sext, Opcode::Zext),
    (Opcode::Zext, Opcode::Trunc, Opcode::Zext),
    (Opcode::Sext, Opcode::Trunc, Opcode::Sext),
    (Opcode::Trunc, Opcode::Trunc, Opcode::Trunc),
];

/// Brings an operation with one result into the form that equal ones have, and says which value its result is the same as, if it is.
/// Operands must not be aliases.
pub(super) fn simplified(f: &mut Function, d: &mut InstData) -> Option<Value> {
    match d.op {
        Opcode::Icmp => comparison(f, d),
        Opcode::Zext | Opcode::Sext | Opcode::Trunc => conversion(f, d),
        Opcode::Select => selection(f, d),
        Opcode::Bitcast | Opcode::Freeze if f.value_type(Value(d.a)) == d.ty && d.op == Opcode::Bitcast => {
            Some(Value(d.a))
        }
        Opcode::Freeze
        | Opcode::Ctlz
        | Opcode::Cttz
        | Opcode::Ctpop
        | Opcode::Bswap
        | Opcode::Bitreverse
        | Opcode::Iabs => {
            let n = constant(f, d.ty, d.a)?;
            let n = fold_unary(d.op, d.ty.bits(), n)?;
            Some(f.make_int(d.ty, n as i128))
        }
        Opcode::Index => index(f, d),
        _ => binary(f, d),
    }
}

/// The number that an operand is.
fn constant(f: &Function, ty: Type, v: u32) -> Option<u128> {
    if is_foldable(ty) { f.int_constant(Value(v)) } else { None }
}

fn binary(f: &mut Function, d: &mut InstData) -> Option<Value> {
    // A table of opcodes is not asked about what is no integer operation.
    if d.op.arity() != 2 || !is_foldable(d.ty) {
        return None;
    }
    let (mut x, mut y) = (constant(f, d.ty, d.a), constant(f, d.ty, d.b));
    if d.op.is_commutative() && x.is_some() && y.is_none() {
        (d.a, d.b) = (d.b, d.a);
        (x, y) = (y, x);
    }
    if d.op.result_count() != Some(1) || f.value_type(Value(d.b)) != d.ty {
        return None;
    }
    let bits = d.ty.bits();
    if let (Some(x), Some(y)) = (x, y)
        && let Some(n) = fold_binary(d.op, bits, x, y)
    {
        return Some(f.make_int(d.ty, n as i128));
    }
    let ones = u128::MAX >> (128 - bits);
    let is = |right: Right| match right {
        Right::Zero => y == Some(0),
        Right::One => y == Some(1),
        Right::Ones => y == Some(ones),
        Right::Left => d.a == d.b,
    };
    let &(_, _, gives) = IDENTITIES.iter().find(|&&(op, right, _)| op == d.op && is(right))?;
    Some(match gives {
        Gives::Left => Value(d.a),
        Gives::Zero => f.make_int(d.ty, 0),
        Gives::Ones => f.make_int(d.ty, -1),
    })
}

fn comparison(f: &mut Function, d: &mut InstData) -> Option<Value> {
    let mut cc = IntCc::from_u8(d.flags)?;
    if !is_foldable(d.ty) {
        return None;
    }
    let (mut x, mut y) = (constant(f, d.ty, d.a), constant(f, d.ty, d.b));
    if x.is_some() && y.is_none() {
        cc = cc.swapped();
        (d.flags, d.a, d.b) = (cc as u8, d.b, d.a);
        (x, y) = (y, x);
    }
    let bits = d.ty.bits();
    let holds = match (x, y) {
        _ if d.a == d.b => fold_compare(cc, bits, 0, 0),
        (Some(x), Some(y)) => fold_compare(cc, bits, x, y),
        (_, Some(0)) if cc == IntCc::Ult => false,
        (_, Some(0)) if cc == IntCc::Uge => true,
        _ => return None,
    };
    Some(f.make_int(Type::I1, holds.into()))
}

fn conversion(f: &mut Function, d: &mut InstData) -> Option<Value> {
    let from = f.value_type(Value(d.a));
    if let Some(n) = constant(f, from, d.a) {
        let n = fold_conversion(d.op, from, d.ty, n)?;
        return Some(f.make_int(d.ty, n as i128));
    }
    let ValueDef::Inst(i) = f.value_def(Value(d.a)) else { return None };
    let inner = *f.inst(i);
    let &(.., op) = CONVERSIONS.iter().find(|&&(first, second, _)| first == inner.op && second == d.op)?;
    let origin = f.value_type(Value(inner.a));
    if !origin.is_int() || !d.ty.is_int() {
        return None;
    }
    if origin == d.ty {
        return Some(Value(inner.a));
    }
    d.op = if origin.bits() < d.ty.bits() { op } else { Opcode::Trunc };
    d.a = inner.a;
    None
}

fn selection(f: &Function, d: &InstData) -> Option<Value> {
    if d.b == d.c {
        return Some(Value(d.b));
    }
    match constant(f, f.value_type(Value(d.a)), d.a)? {
        0 => Some(Value(d.c)),
        _ => Some(Value(d.b)),
    }
}

/// An address by a constant index is a sum.
fn index(f: &mut Function, d: &mut InstData) -> Option<Value> {
    let n = f.int_constant_signed(Value(d.b))?;
    let n = i128::from(n) * i128::from(d.c as i32);
    if n == 0 {
        return Some(Value(d.a));
    }
    let by = f.make_int(d.ty, n);
    (d.op, d.b, d.c) = (Opcode::Iadd, by.0, 0);
    None
}
