//! Which operands an instruction can take over from the instruction that defines them.

use gusset_abi::Extension;
use gusset_codegen::ir::{Function, InstData, IntCc, Opcode, Type, Value, ValueDef};
use gusset_codegen::machine::Candidate;

use super::family::Family;
use super::operand::has_zeros_above;
use crate::shared::conditions::two_conditions;
use crate::shared::results::reads_pair;

/// May `def` be deferred to `user`, its only user, which reads it as operand `arg`? `last` is the instruction that
/// `user` is deferred to.
pub(crate) fn can_fold<T: Family>(target: &T, f: &Function, candidate: Candidate<'_>) -> bool {
    let Candidate { user, arg, def, last, is_optimized } = candidate;
    use Opcode::*;
    let constant = |v: u32| f.int_constant(Value(v));
    // As wide as the registers that instructions name.
    let whole = def.ty == Type::I32 || def.ty == T::WORD;
    let second = (arg == 1 || user.op.is_commutative()) && user.ty == def.ty && other_is_variable(f, user, arg);
    match def.op {
        Index => def.c.is_power_of_two() && is_address(user, arg) && (user.ty.is_vector() || user.ty.bits() <= 64),
        Iadd => {
            let small = f.int_constant_signed(Value(def.b)).is_some_and(|n| n.unsigned_abs() < 1 << 20);
            def.ty == T::WORD && small && is_address(user, arg) || T::can_fold_more(f, candidate)
        }
        Load => {
            let narrow = matches!(def.ty, Type::I8 | Type::I16 | Type::I32) && def.ty != T::WORD;
            matches!(user.op, Sext | Zext) && narrow && (def.ty.bits() + 1..=T::WORD.bits()).contains(&user.ty.bits())
                || is_optimized && user.op == Trunc && user.ty == Type::I8 && (whole || def.ty == Type::I16)
                || is_optimized && user.op == And && (whole || def.ty == Type::I16) && low_byte_of(f, user, arg)
        }
        Lshr | Shl if is_optimized && whole && target.has_field(f, user, arg, def) => true,
        Shl | Lshr | Ashr => {
            let compared = user.op == Icmp && arg == 1 && user.ty == def.ty && other_is_variable(f, user, arg);
            let computed = second && matches!(user.op, Iadd | Isub | And | Or | Xor);
            whole && constant(def.b).is_some() && (compared || computed)
        }
        Imul => {
            // Such products are shifts and additions.
            let shift = |n: u128| n.is_power_of_two() || n.wrapping_sub(1).is_power_of_two();
            let shifts = [def.a, def.b].iter().any(|&v| constant(v).is_some_and(shift));
            whole && !shifts && second && target.has_product_sum(user)
        }
        // The second of two comparisons depends on the answer of the first.
        And | Or | Select if def.ty == Type::I1 => {
            let compared = |v: Value| match f.value_def(v) {
                ValueDef::Inst(i) => is_comparison::<T>(f.inst(i)),
                _ => false,
            };
            let two = two_conditions(f, def).is_some_and(|(x, y, _)| x != y && compared(x) && compared(y));
            two && is_conditional(user, arg)
        }
        Icmp if user.op == IcmpUpper => arg == 2,
        Iconcat => reads_pair(user.op),
        Icmp if last.is_some() => is_comparison::<T>(def) && user.ty == Type::I1 && two_conditions(f, user).is_some(),
        Icmp | IcmpUpper => def.ty.is_int() && is_conditional(user, arg),
        Fcmp => matches!(def.ty, Type::F32 | Type::F64) && target.has_floats(def.ty) && is_conditional(user, arg),
        And if user.op == Icmp => {
            arg == 0
                && (whole || matches!(def.ty, Type::I8 | Type::I16))
                && constant(user.b) == Some(0)
                && (user.flags == IntCc::Eq as u8 || user.flags == IntCc::Ne as u8)
        }
        Zext if is_optimized
            && whole
            && (reads_register::<T>(user) || user.op == Store && arg == 1)
            && has_zeros_above(f, Value(def.a), true) =>
        {
            true
        }
        Trunc => {
            let from = f.value_type(Value(def.a)).bits();
            (user.op == Store && arg == 1 || is_optimized && from <= T::WORD.bits() && reads_register::<T>(user))
                && def.ty.bits() >= 8
                && def.ty.bits().is_power_of_two()
                && from <= 64
        }
        _ => T::can_fold_more(f, candidate),
    }
}

/// Is it a comparison, two of which can form one condition?
fn is_comparison<T: Family>(d: &InstData) -> bool {
    d.op == Opcode::Icmp && d.ty.is_int() && d.ty.bits() <= T::WORD.bits()
}

pub(crate) fn other_is_variable(f: &Function, user: &InstData, arg: usize) -> bool {
    f.constant(Value(if arg == 0 { user.b } else { user.a })).is_none()
}

/// Does `user` read operand `arg` as an address that it can compute itself?
fn is_address(user: &InstData, arg: usize) -> bool {
    arg == 0 && matches!(user.op, Opcode::Load | Opcode::Store)
}

/// Does `user` read its operands from registers, whose bits above an operand's width it ignores?
fn reads_register<T: Family>(user: &InstData) -> bool {
    use Opcode::*;
    matches!(user.op, Iadd | Isub | And | Or | Xor | Imul | Shl | Lshr | Ashr | Icmp | Zext | Sext)
        && user.ty.is_int()
        && user.ty.bits() <= T::WORD.bits()
}

/// Does `user` take no other bits of operand `arg` than those of its lowest byte?
fn low_byte_of(f: &Function, user: &InstData, arg: usize) -> bool {
    f.int_constant(Value(if arg == 0 { user.b } else { user.a })).is_some_and(|mask| mask <= 0xff)
}

/// A field of the bits of a register: the number of its lowest bit, and how many bits it has.
pub(crate) type Field = (u32, u32);

/// The field that `and` takes from the operand of the shift to the right `def`, which is its operand `arg`.
pub(crate) fn masked_field(f: &Function, and: &InstData, arg: usize, def: &InstData) -> Option<Field> {
    if (and.op, def.op) != (Opcode::And, Opcode::Lshr) {
        return None;
    }
    let mask = f.int_constant(Value(if arg == 0 { and.b } else { and.a }))?;
    let from = f.int_constant(Value(def.b)).filter(|&n| n < def.ty.bits().into())? as u32;
    let bits = mask.trailing_ones();
    (bits > 0 && mask >> bits == 0 && from + bits <= def.ty.bits()).then_some((from, bits))
}

/// Can `user` be done under a condition?
fn is_conditional(user: &InstData, arg: usize) -> bool {
    user.op == Opcode::Br || user.op == Opcode::Select && arg == 0
}

/// Does the register of `v` hold the extension `ext` already?
pub(crate) fn is_extended(f: &Function, v: Value, ext: Extension) -> bool {
    let Extension::Zero { to, .. } = ext else { return ext == Extension::None };
    if f.constant(v).is_some() {
        // Constants have zeros above their width.
        return true;
    }
    let ValueDef::Inst(i) = f.value_def(v) else { return false };
    let d = f.inst(i);
    let narrow = matches!(d.ty, Type::I1 | Type::I8 | Type::I16);
    to <= 32 && (d.op == Opcode::Load && narrow || matches!(d.op, Opcode::Icmp | Opcode::Fcmp))
}
