//! Which operands an instruction can take over from the instruction that defines them.

use gusset_abi::Extension;
use gusset_codegen::ir::{ConstData, Function, InstData, IntCc, MemFlags, Opcode, Type, Value, ValueDef};
use gusset_codegen::machine::Candidate;

use crate::shared::conditions::two_conditions;
use crate::shared::results::reads_pair;
use crate::x86::machine::X86;

/// May `def` be deferred to `user`, its only user, which reads it as operand `arg`? `last` is the instruction that
/// `user` is deferred to.
pub(crate) fn can_fold(target: &X86, f: &Function, candidate: Candidate<'_>) -> bool {
    let Candidate { user, arg, def, last, is_optimized } = candidate;
    use Opcode::*;
    let word = target.word_bits();
    let pair = if target.is_32() { Type::I64 } else { Type::I128 };
    let fits = |ty: Type| ty.is_int() && ty.bits() <= word;
    let chosen = |ty: Type| fits(ty) || target.has_sse() && is_number(ty);
    match def.op {
        Index => matches!(def.c, 1 | 2 | 4 | 8) && is_address(target, user, arg),
        // In memory, if an operand comes from there.
        Iadd | Isub | And | Or | Xor if user.op == Store && arg == 1 => {
            let from = |v: u32| match f.value_def(Value(v)) {
                ValueDef::Inst(i) => Some(f.inst(i)),
                _ => None,
            };
            [def.a, def.b]
                .into_iter()
                .enumerate()
                .any(|(k, v)| from(v).is_some_and(|d| is_update((target, f, is_optimized), user, def, k, d)))
        }
        Iadd => {
            if def.ty != target.facts.pointer || small_constant(f, Value(def.b)).is_none() {
                return false;
            }
            is_address(target, user, arg)
                || is_short_address(target, user, arg)
                || user.op == Index && arg == 0 && matches!(user.c, 1 | 2 | 4 | 8)
        }
        Load if !target.has_sse() && matches!(def.ty, Type::F32 | Type::F64) => pushes(f, user, arg),
        Load if last.is_some_and(|store| is_update((target, f, is_optimized), store, user, arg, def)) => true,
        Load => is_memory_operand(target, f, candidate),
        // From the x87 stack directly to where it is stored.
        _ if !target.has_sse() && user.op == Store && arg == 1 && is_number(def.ty) => {
            let of_numbers = |ty: Type| is_number(ty) || ty == Type::F80;
            matches!(def.op, Fadd | Fsub | Fmul | Fdiv | Fsqrt | Frint)
                || matches!(def.op, Fpext | Fptrunc) && of_numbers(f.value_type(Value(def.a)))
        }
        // Two jumps instead of two truth values. 32-bit mode has too few registers for the operands of both
        // comparisons.
        And | Or | Select if user.op == Br && def.ty == Type::I1 && !target.is_32() => {
            let compared = |v: Value| match f.value_def(v) {
                ValueDef::Inst(i) => is_comparison(target, f, f.inst(i)),
                _ => false,
            };
            two_conditions(f, def).is_some_and(|(x, y, _)| x != y && compared(x) && compared(y))
        }
        Icmp | Fcmp if !target.is_32() && last.is_some_and(|last| last.op == Br) => {
            is_comparison(target, f, def) && two_conditions(f, user).is_some()
        }
        Icmp if user.op == IcmpUpper => arg == 2,
        Icmp | IcmpUpper => user.op == Br || user.op == Select && arg == 0 && (chosen(user.ty) || user.ty == pair),
        Iconcat => reads_pair(user.op),
        Fcmp => {
            matches!(def.ty, Type::F32 | Type::F64 | Type::F80)
                && (user.op == Br || user.op == Select && arg == 0 && chosen(user.ty))
        }
        And | Zext | Trunc
            if is_optimized
                && arg == 1
                && matches!(user.op, Shl | Lshr | Ashr)
                && fits(def.ty)
                && fits(f.value_type(Value(def.a)))
                && whole_count(f, user, def).is_some() =>
        {
            true
        }
        And => {
            // `test` instead of `and` and a comparison with zero.
            user.op == Icmp
                && arg == 0
                && matches!(def.ty, Type::I8 | Type::I16 | Type::I32 | Type::I64)
                && f.int_constant(Value(user.b)) == Some(0)
                && (user.flags == IntCc::Eq as u8 || user.flags == IntCc::Ne as u8)
        }
        Shl | Lshr | Ctlz if counts_bits(target, f, candidate) => true,
        // Its register serves.
        Zext if is_optimized && arg == 1 && fits(def.ty) => user.op == Index && clears_upper(f, Value(def.a), true),
        // A test reads bits of what is extended only.
        Zext if is_optimized && arg == 0 && user.op == And && last.is_some_and(|last| last.op == Icmp) => {
            let from = f.value_type(Value(def.a));
            let of_test = small_constant(f, Value(user.b)).is_some_and(|n| n > 0 && i64::from(n) >> from.bits() == 0);
            of_test && matches!(from, Type::I8 | Type::I16 | Type::I32) && fits(def.ty)
        }
        Trunc => {
            let serves = match user.op {
                Icmp | Zext | Sext | Iadd | Isub | And | Or | Xor | Imul => true,
                // Shifts have their other operand in a certain register.
                Select => arg > 0 && fits(user.ty),
                _ => false,
            };
            (user.op == Store && arg == 1 || is_optimized && serves)
                && def.ty.bits() >= 8
                && def.ty.bits().is_power_of_two()
                && f.value_type(Value(def.a)).bits() <= word
        }
        _ => false,
    }
}

/// Is `def` deferred to `user` because that tests one bit by its number, or flips the count of zeros above the highest
/// one?
fn counts_bits(target: &X86, f: &Function, Candidate { user, arg, def, last, .. }: Candidate<'_>) -> bool {
    let fits = def.ty.is_int() && def.ty.bits() <= target.word_bits();
    if def.op == Opcode::Ctlz {
        let counts = fits && matches!(def.ty, Type::I32 | Type::I64) && def.flags != 0 && !target.features.lzcnt;
        let top = u128::from(def.ty.bits() - 1);
        return counts && user.op == Opcode::Xor && arg == 0 && f.int_constant(Value(user.b)) == Some(top);
    }
    if user.op != Opcode::And || last.is_none_or(|last| last.op != Opcode::Icmp) {
        return false;
    }
    let other = Value(if arg == 0 { user.b } else { user.a });
    one_bit(f, def).is_some_and(|(of, _)| of.is_none() || f.int_constant(other) == Some(1))
}

/// One bit of 32 or 64 with a variable number: a shift of 1 to that position, or of a value, which is returned, from
/// there to the lowest bit. The number is returned too.
pub(crate) fn one_bit(f: &Function, d: &InstData) -> Option<(Option<Value>, Value)> {
    let by = Value(d.b);
    // In other instructions, the word may not be a value.
    if !matches!(d.op, Opcode::Shl | Opcode::Lshr) || !matches!(d.ty, Type::I32 | Type::I64) || f.constant(by).is_some()
    {
        return None;
    }
    match d.op {
        Opcode::Shl if f.int_constant(Value(d.a)) == Some(1) => Some((None, by)),
        Opcode::Lshr if f.constant(Value(d.a)).is_none() => Some((Some(Value(d.a)), by)),
        _ => None,
    }
}

/// Can a load of this type be a memory operand of `user`?
fn is_memory_operand(target: &X86, f: &Function, candidate: Candidate<'_>) -> bool {
    let Candidate { user, arg, def, last, is_optimized } = candidate;
    use Opcode::*;
    let ty = def.ty;
    let fits = |ty: Type| ty.is_int() && ty.bits() <= target.word_bits();
    let whole = matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::I64) && fits(ty);
    let other = Value(if arg == 0 { user.b } else { user.a });
    match user.op {
        Iadd | Isub | And | Or | Xor | Imul | IaddCarry | IsubBorrow => {
            let second = arg == 1 && f.constant(other).is_none();
            // The operands change places, or the product of memory and a constant is made.
            let first = arg == 0
                && is_optimized
                && matches!(user.op, Iadd | And | Or | Xor | Imul)
                && (f.constant(other).is_none() || user.op == Imul && is_factor(f, other));
            matches!(ty, Type::I32 | Type::I64) && fits(ty) && (second || first)
        }
        // With the operands of two comparisons, there are registers for addresses of a few words only.
        // What is scaled by a shift is added to.
        Index if is_optimized => {
            arg == 0 && !matches!(user.c, 1 | 2 | 4 | 8) && user.c.is_power_of_two() && ty == target.facts.pointer
        }
        Icmp if last.is_some_and(|last| last.op != Br && last.ty == Type::I1) => {
            whole && small_constant(f, other).is_some()
        }
        Icmp => {
            whole && ((arg == 1 || is_optimized) && f.constant(other).is_none() || small_constant(f, other).is_some())
        }
        Fadd | Fsub | Fmul | Fdiv | Fcmp => arg == 1 && matches!(ty, Type::F32 | Type::F64),
        Zext | Sext => {
            fits(user.ty) && (matches!(ty, Type::I8 | Type::I16 | Type::I32) || ty == Type::I1 && user.op == Zext)
        }
        Fpext => ty == Type::F32 && user.ty == Type::F64,
        IndirectBr => is_optimized && ty == target.facts.pointer,
        _ => false,
    }
}

/// Is this a constant by which one instruction multiplies, and no shift?
fn is_factor(f: &Function, v: Value) -> bool {
    small_constant(f, v).is_some_and(|n| n <= 0 || !n.cast_unsigned().is_power_of_two() && !matches!(n, 3 | 5 | 9))
}

/// A comparison of which two can have their operands in registers at once.
pub(crate) fn is_comparison(target: &X86, f: &Function, d: &InstData) -> bool {
    match d.op {
        // Few registers have a byte form in 32-bit mode.
        Opcode::Icmp if target.is_32() && d.ty.bits() <= 8 => f.constant(Value(d.b)).is_some(),
        Opcode::Icmp => d.ty.is_int() && d.ty.bits() <= target.word_bits(),
        Opcode::Fcmp => target.has_sse() && is_number(d.ty),
        _ => false,
    }
}

/// Does `store` store the result of `op`, whose operand `arg` is the result of `load`, to where that came from?
pub(crate) fn is_update(
    (target, f, is_optimized): (&X86, &Function, bool),
    store: &InstData,
    op: &InstData,
    arg: usize,
    load: &InstData,
) -> bool {
    let same = |a: &InstData, b: &InstData| MemFlags(a.flags).space() == MemFlags(b.flags).space();
    store.op == Opcode::Store
        && load.op == Opcode::Load
        && (load.b, load.ty) == (store.c, store.ty)
        && (load.a == store.a || is_optimized && same_address(f, Value(load.a), Value(store.a)))
        && same(load, store)
        && !MemFlags(load.flags).is_volatile()
        && !MemFlags(store.flags).is_volatile()
        && matches!(load.ty, Type::I8 | Type::I16 | Type::I32 | Type::I64)
        && load.ty.bits() <= target.word_bits()
        && (arg == 0 || op.op != Opcode::Isub)
}

/// Are two values computed in the same way from the same values, as addresses are that each access has for its own?
fn same_address(f: &Function, a: Value, b: Value) -> bool {
    let (ValueDef::Inst(x), ValueDef::Inst(y)) = (f.value_def(a), f.value_def(b)) else { return false };
    let (x, y) = (f.inst(x), f.inst(y));
    matches!(x.op, Opcode::Index | Opcode::Iadd) && (x.op, x.a, x.b, x.c, x.ty) == (y.op, y.a, y.b, y.c, y.ty)
}

/// Does the instruction that defines a value leave zeros above its bits in the register?
pub(crate) fn clears_upper(f: &Function, v: Value, is_optimized: bool) -> bool {
    use Opcode::*;
    let ValueDef::Inst(i) = f.value_def(v) else { return false };
    let d = f.inst(i);
    if matches!(d.ty, Type::I8 | Type::I16) {
        return d.op == Load && is_optimized;
    }
    let computes = (Iadd..=Ashr).contains(&d.op) || matches!(d.op, Load | Zext | Sext | Bswap);
    d.ty == Type::I32 && computes
}

/// The value that has the lowest bits of a shift's count, if the instruction that gives the count changes no bit that the shift takes.
pub(crate) fn whole_count(f: &Function, shift: &InstData, mask: &InstData) -> Option<Value> {
    let used = match shift.ty {
        Type::I32 => 31,
        Type::I64 => 63,
        _ => return None,
    };
    let keeps = match mask.op {
        Opcode::And => f.int_constant(Value(mask.b)).is_some_and(|kept| kept & used == used),
        Opcode::Zext | Opcode::Trunc => f.value_type(Value(mask.a)).bits().min(mask.ty.bits()) >= 8,
        _ => false,
    };
    keeps.then_some(Value(mask.a))
}

fn is_number(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64)
}

/// Does `user` push the operand onto the x87 stack, or compute with it in memory? One of two operands may be deferred
/// to it.
fn pushes(f: &Function, user: &InstData, arg: usize) -> bool {
    use Opcode::*;
    let loads = |v: Value| matches!(f.value_def(v), ValueDef::Inst(i) if f.inst(i).op == Load);
    match user.op {
        Fadd | Fsub | Fmul | Fdiv | Fcmp => arg == 1 || !loads(Value(user.b)),
        Fneg | Fabs | Fsqrt | Frint => true,
        Fpext | Fptrunc => is_number(user.ty) || user.ty == Type::F80,
        _ => false,
    }
}

/// Does `user` read operand `arg` as an address that it can compute itself?
fn is_address(target: &X86, user: &InstData, arg: usize) -> bool {
    use Opcode::*;
    arg == 0 && matches!(user.op, Load | Store | AtomicLoad | AtomicStore) && plain_access(target, user.ty)
}

/// Has the address at most one register and a displacement? The loops of these accesses have no more to spare.
fn is_short_address(target: &X86, user: &InstData, arg: usize) -> bool {
    arg == 0 && matches!(user.op, Opcode::AtomicRmw | Opcode::Cmpxchg) && plain_access(target, user.ty)
}

/// Types that one instruction with an address accesses.
fn plain_access(target: &X86, ty: Type) -> bool {
    if ty.is_int() { ty.bits() <= target.word_bits() } else { matches!(ty, Type::F32 | Type::F64) || ty.is_vector() }
}

/// A constant that fits a sign-extended 32-bit immediate.
#[inline]
pub(crate) fn small_constant(f: &Function, v: Value) -> Option<i32> {
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
pub(crate) fn is_extended(f: &Function, v: Value, ext: Extension) -> bool {
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
