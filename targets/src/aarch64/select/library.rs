//! What the run-time library does.

use gusset_codegen::ir::{FloatCc, Function, InstData, Opcode, Type, Value};

use super::memory;
use crate::aarch64::machine::Aarch64;

/// See [`calls_library`](gusset_codegen::machine::Machine::calls_library).
pub(crate) fn calls(_target: &Aarch64, f: &Function, d: &InstData) -> bool {
    use Opcode::*;
    if d.ty.is_vector() {
        return false;
    }
    let soft = |ty: Type| matches!(ty, Type::F128 | Type::F80);
    match d.op {
        Resume => true,
        Memcpy | Memmove | Memset => !memory::is_inline(f, d),
        AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg => d.is_unaligned_atomic() || d.ty == Type::I128,
        Udiv | Sdiv | Urem | Srem => d.ty == Type::I128,
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
