//! Which operations call the run-time library.

use gusset_codegen::ir::{AtomicInfo, CmpxchgInfo, FloatCc, Function, InstData, Opcode, RmwOp, Type, Value};
use gusset_codegen::libcall::{LIBCALLS, LibCall};
use gusset_codegen::machine::AtomicFunction;

use super::{atomic, memory};
use crate::aarch64::machine::Aarch64;
use crate::shared::arm::atomic::{order, order_of_exchange};
use crate::shared::library::{computes, is_easy_division};

/// See [`atomic_function`](gusset_codegen::machine::Machine::atomic_function): functions of libgcc's and compiler-rt's
/// `lse.S`.
pub(crate) fn atomic_function(target: &Aarch64, f: &Function, d: &InstData) -> Option<AtomicFunction> {
    let outline = target.features.outline_atomics || f.attrs.outline_atomics;
    if !outline || target.features.lse || !d.ty.is_int() || d.ty == Type::I1 {
        return None;
    }
    let size = d.ty.store_bytes().trailing_zeros() as usize;
    let (kind, operand, how) = if d.op == Opcode::Cmpxchg {
        (0, None, order_of_exchange(CmpxchgInfo(d.flags)))
    } else {
        let (kind, operand) = match RmwOp::from_u8(d.flags).filter(|_| d.op == Opcode::AtomicRmw && size < 4)? {
            RmwOp::Xchg => (0, None),
            RmwOp::Add => (1, None),
            RmwOp::Sub => (1, Some((Opcode::Isub, 0))),
            RmwOp::Or => (2, None),
            RmwOp::And => (3, Some((Opcode::Xor, -1))),
            RmwOp::Xor => (4, None),
            _ => return None,
        };
        (5 + 4 * kind, operand, order(AtomicInfo(d.c).ordering()))
    };
    let at = (kind + size) * 4 + usize::from(how.0) + 2 * usize::from(how.1);
    Some(AtomicFunction { lib: LIBCALLS[LibCall::Cas1 as usize + at], operand })
}

/// See [`calls_library`](gusset_codegen::machine::Machine::calls_library).
pub(crate) fn calls(target: &Aarch64, f: &Function, d: &InstData) -> bool {
    use Opcode::*;
    if d.ty.is_vector() {
        return false;
    }
    if f.attrs.soft_float && computes(d) {
        return true;
    }
    let soft = |ty: Type| matches!(ty, Type::F128 | Type::F80);
    match d.op {
        Resume => true,
        Memcpy | Memmove | Memset => !memory::is_inline(target, f, d),
        AtomicLoad | AtomicStore => d.is_unaligned_atomic(),
        AtomicRmw | Cmpxchg => {
            // A loop where no instruction does it, or no pair of instructions both halves.
            let here = match RmwOp::from_u8(d.flags).filter(|_| d.op == AtomicRmw) {
                Some(RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin) => d.ty.bits() < 32,
                Some(RmwOp::UincWrap | RmwOp::UdecWrap) => false,
                Some(_) => d.ty != Type::I128 || atomic::has(d.flags),
                None => true,
            };
            d.is_unaligned_atomic() || !here || atomic_function(target, f, d).is_some()
        }
        Udiv | Sdiv | Urem | Srem => d.ty == Type::I128 && !is_easy_division(f, d),
        Fpext | Fptrunc | Fptosi | Fptoui | Sitofp | Uitofp => {
            let from = f.value_type(Value(d.a));
            from == Type::I128 || d.ty == Type::I128 || soft(from) || soft(d.ty)
        }
        Fcmp => {
            let known = matches!(FloatCc::from_u8(d.flags), Some(FloatCc::False | FloatCc::True) | None);
            soft(d.ty) && !known
        }
        Frem => true,
        Fma | Fround | Froundeven | Ffloor | Fceil | Ftrunc | Frint | Fnearbyint | Fadd | Fsub | Fmul | Fdiv
        | Fsqrt | Fminnum | Fmaxnum => soft(d.ty),
        _ => false,
    }
}
