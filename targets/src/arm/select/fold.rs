//! What an instruction may take over from the one that makes its operand.

use gusset_abi::Extension;
use gusset_codegen::ir::{Function, InstData, IntCc, Opcode, Type, Value, ValueDef};

use crate::arm::machine::Arm;

/// May `def` be left to `user`, its only user, which reads it as operand `arg`? `last` is what `user` was left to.
pub(crate) fn can_fold(
    target: &Arm,
    f: &Function,
    user: &InstData,
    arg: usize,
    def: &InstData,
    _last: Option<&InstData>,
) -> bool {
    use Opcode::*;
    let constant = |v: u32| f.int_constant(Value(v));
    let second = arg == 1 || user.op.is_commutative();
    let word = |ty: Type| ty == Type::I32;
    match def.op {
        Index => def.c.is_power_of_two() && is_address(user, arg),
        Iadd => {
            let small = f.int_constant_signed(Value(def.b)).is_some_and(|n| n.unsigned_abs() < 1 << 20);
            word(def.ty) && small && is_address(user, arg)
        }
        Load => {
            matches!(user.op, Sext | Zext)
                && matches!(def.ty, Type::I8 | Type::I16)
                && user.ty.bits() <= 32
                && user.ty.bits() > def.ty.bits()
        }
        Shl | Lshr | Ashr => {
            let compared = user.op == Icmp && arg == 1;
            word(def.ty)
                && constant(def.b).is_some()
                && (compared || second && matches!(user.op, Iadd | Isub | And | Or | Xor))
                && user.ty == def.ty
                && other_is_variable(f, user, arg)
        }
        // A product of two words.
        Zext | Sext => user.op == Imul && user.ty == Type::I64 && f.value_type(Value(def.a)).bits() <= 32,
        Imul => {
            let shifts = [def.a, def.b].iter().any(|&v| constant(v).is_some());
            // Before version 6 the sum is in another register than the first factor.
            word(def.ty)
                && !shifts
                && target.features.version >= 6
                && (user.op == Iadd || user.op == Isub && target.features.has_t2())
                && second
                && user.ty == def.ty
                && other_is_variable(f, user, arg)
        }
        Icmp => def.ty.is_int() && is_conditional(user, arg),
        Fcmp => {
            matches!(def.ty, Type::F32 | Type::F64)
                && super::float::is_here(target, def.ty)
                && is_conditional(user, arg)
        }
        And => {
            user.op == Icmp
                && arg == 0
                && matches!(def.ty, Type::I8 | Type::I16 | Type::I32)
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
        _ => false,
    }
}

fn other_is_variable(f: &Function, user: &InstData, arg: usize) -> bool {
    f.constant(Value(if arg == 0 { user.b } else { user.a })).is_none()
}

/// Reads `user` its operand number `arg` as an address it can compute itself?
fn is_address(user: &InstData, arg: usize) -> bool {
    arg == 0 && matches!(user.op, Opcode::Load | Opcode::Store)
}

/// Does `user` do something under a condition?
fn is_conditional(user: &InstData, arg: usize) -> bool {
    user.op == Opcode::Br || user.op == Opcode::Select && arg == 0
}

/// Does the register of `v` hold the extension `ext` already?
pub(crate) fn is_extended(f: &Function, v: Value, ext: Extension) -> bool {
    let Extension::Zero { to, .. } = ext else { return ext == Extension::None };
    if f.constant(v).is_some() {
        // Constants are made with zeros above their width.
        return true;
    }
    let ValueDef::Inst(i) = f.value_def(v) else { return false };
    let d = f.inst(i);
    let narrow = matches!(d.ty, Type::I1 | Type::I8 | Type::I16);
    to <= 32 && (d.op == Opcode::Load && narrow || matches!(d.op, Opcode::Icmp | Opcode::Fcmp))
}
