//! What an instruction may take over from the one that makes its operand.

use gusset_abi::Extension;
use gusset_codegen::ir::{ConstData, Function, InstData, IntCc, Opcode, Type, Value, ValueDef};

/// May `def` be left to `user`, its only user, which reads it as operand `arg`?
pub(super) fn can_fold(f: &Function, user: &InstData, arg: usize, def: &InstData) -> bool {
    use Opcode::*;
    match def.op {
        Index => matches!(def.c, 1 | 2 | 4 | 8) && is_address(user, arg),
        Iadd => {
            if def.ty != Type::I64 || small_constant(f, Value(def.b)).is_none() {
                return false;
            }
            is_address(user, arg)
                || is_short_address(user, arg)
                || user.op == Index && arg == 0 && matches!(user.c, 1 | 2 | 4 | 8)
        }
        Load => {
            let bits = def.ty;
            match user.op {
                Iadd | Isub | And | Or | Xor | Imul => {
                    arg == 1 && matches!(bits, Type::I32 | Type::I64) && f.constant(Value(user.a)).is_none()
                }
                Icmp => {
                    let other = Value(if arg == 0 { user.b } else { user.a });
                    matches!(bits, Type::I8 | Type::I16 | Type::I32 | Type::I64)
                        && (arg == 1 && f.constant(other).is_none() || small_constant(f, other).is_some())
                }
                Fadd | Fsub | Fmul | Fdiv => arg == 1 && matches!(bits, Type::F32 | Type::F64),
                Fcmp => arg == 1 && matches!(bits, Type::F32 | Type::F64),
                Zext | Sext => {
                    matches!(bits, Type::I8 | Type::I16 | Type::I32) && user.ty.is_int() && user.ty.bits() <= 64
                        || bits == Type::I1 && user.op == Zext && user.ty.bits() <= 64
                }
                Fpext => bits == Type::F32 && user.ty == Type::F64,
                _ => false,
            }
        }
        Icmp if def.ty == Type::I128 => user.op == Br,
        Icmp => is_scalar_compare(def) && (user.op == Br || user.op == Select && arg == 0 && selects(user.ty)),
        Fcmp => {
            matches!(def.ty, Type::F32 | Type::F64 | Type::F80)
                && (user.op == Br || user.op == Select && arg == 0 && selects(user.ty))
        }
        And => {
            // `test` instead of `and` and a comparison with zero.
            user.op == Icmp
                && arg == 0
                && matches!(def.ty, Type::I8 | Type::I16 | Type::I32 | Type::I64)
                && f.int_constant(Value(user.b)) == Some(0)
                && (user.flags == IntCc::Eq as u8 || user.flags == IntCc::Ne as u8)
        }
        // A 128-bit operand that is known to have no high part.
        Zext if def.ty == Type::I128 => {
            f.value_type(Value(def.a)) == Type::I64
                && user.ty == Type::I128
                && (user.op == Imul || arg == 1 && matches!(user.op, Iadd | Isub | Or | Xor))
        }
        // The high part of 128 bits.
        Lshr if def.ty == Type::I128 => user.op == Trunc && f.int_constant(Value(def.b)) == Some(64),
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

/// Reads `user` its operand number `arg` as an address it can compute itself?
fn is_address(user: &InstData, arg: usize) -> bool {
    use Opcode::*;
    arg == 0 && matches!(user.op, Load | Store | AtomicLoad | AtomicStore) && plain_access(user.ty)
}

/// Is it an address of one register and a displacement at the most? The loops of these have none to spare.
fn is_short_address(user: &InstData, arg: usize) -> bool {
    arg == 0 && matches!(user.op, Opcode::AtomicRmw | Opcode::Cmpxchg) && plain_access(user.ty)
}

/// Types whose accesses are one instruction with an address.
fn plain_access(ty: Type) -> bool {
    if ty.is_int() { ty.bits() <= 64 } else { matches!(ty, Type::F32 | Type::F64) || ty.is_vector() }
}

fn is_scalar_compare(d: &InstData) -> bool {
    d.ty.is_int() && d.ty.bits() <= 64
}

fn selects(ty: Type) -> bool {
    ty.is_int() && ty.bits() <= 64
}

/// A constant that fits a sign-extended 32-bit immediate.
#[inline]
pub(super) fn small_constant(f: &Function, v: Value) -> Option<i32> {
    if !f.value_type(v).is_int() {
        return None;
    }
    match f.constant(v)? {
        ConstData::Poison => Some(0),
        // A truth value is 0 or 1 in its register.
        ConstData::Int(_) if f.value_type(v) == Type::I1 => f.int_constant_signed(v).map(|n| n as i32 & 1),
        ConstData::Int(_) => f.int_constant_signed(v).and_then(|n| i32::try_from(n).ok()),
        _ => None,
    }
}

/// Does the register of `v` hold the extension `ext` already?
pub(super) fn is_extended(f: &Function, v: Value, ext: Extension) -> bool {
    if f.constant(v).is_some() {
        // Constants of less than 32 bits are loaded zero- or sign-extended as their extension asks for, see `constant`.
        return match (f.int_constant_signed(v), ext) {
            (Some(n), Extension::Zero { .. }) => n >= 0,
            (Some(_), Extension::Sign { .. }) => false,
            _ => false,
        };
    }
    let ValueDef::Inst(i) = f.value_def(v) else { return false };
    let d = f.inst(i);
    match ext {
        Extension::None => true,
        Extension::Zero { to, .. } => {
            to <= 32 && d.op == Opcode::Load && matches!(d.ty, Type::I1 | Type::I8 | Type::I16)
        }
        Extension::Sign { .. } | Extension::Lanes { .. } => false,
    }
}
