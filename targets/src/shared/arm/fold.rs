//! Which operands an instruction can take over from the instruction that defines them.

use gusset_abi::Extension;
use gusset_codegen::ir::{Function, InstData, IntCc, Opcode, Type, Value, ValueDef};
use gusset_codegen::machine::Candidate;

use super::family::Family;
use crate::shared::conditions::two_conditions;
use crate::shared::results::reads_pair;

/// May `def` be deferred to `user`, its only user, which reads it as operand `arg`? `last` is the instruction that
/// `user` is deferred to.
pub(crate) fn can_fold<T: Family>(target: &T, f: &Function, candidate: Candidate<'_>) -> bool {
    let Candidate { user, arg, def, last, .. } = candidate;
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
        }
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
        Trunc => {
            user.op == Store
                && arg == 1
                && def.ty.bits() >= 8
                && def.ty.bits().is_power_of_two()
                && f.value_type(Value(def.a)).bits() <= 64
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
