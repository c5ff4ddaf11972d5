//! Which operations call the run-time library.

use gusset_abi::Convention;
use gusset_codegen::ir::{FloatCc, Function, InstData, Opcode, Type, Value};
use gusset_codegen::libcall::LibCall;

use super::machine::X86;
use super::select::domain::{Domain, domain};
use super::select::memory;
use crate::shared::library::{Libraries, computes, is_easy_division};

/// See [`Machine::calls_library`](gusset_codegen::machine::Machine::calls_library).
pub(super) fn calls(target: &X86, f: &Function, d: &InstData) -> bool {
    use Opcode::*;
    if d.ty.is_vector() {
        return false;
    }
    if f.attrs.soft_float && computes(d) {
        return true;
    }
    let here = domain(target, d.ty);
    match d.op {
        Resume => true,
        Memcpy | Memmove | Memset => !memory::is_inline(target, f, d),
        AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg => {
            let words = match target.is_32() {
                true => d.ty.bits() == 64 && target.features.no_cx8 || d.ty == Type::I128,
                false => d.ty == Type::I128 && !target.features.cx16,
            };
            d.is_unaligned_atomic() || words
        }
        Udiv | Sdiv | Urem | Srem => here == Domain::Wide && !is_easy_division(f, d),
        Fpext | Fptrunc | Fptosi | Fptoui | Sitofp | Uitofp => converts(target, f.value_type(Value(d.a)), d.ty),
        // Without SSE2 there are no registers for these formats.
        _ if here == Domain::Soft && !target.has_sse() => false,
        Fcmp => {
            let known = matches!(FloatCc::from_u8(d.flags), Some(FloatCc::False | FloatCc::True) | None);
            here == Domain::Soft && !known
        }
        Frem | Fround => true,
        Fma => !(here == Domain::Float && target.features.fma),
        Froundeven | Ffloor | Fceil | Ftrunc => !(here == Domain::Float && target.features.sse41),
        Frint => here == Domain::Soft || here == Domain::Float && !target.features.sse41,
        // The x87's instruction says that the result is inexact.
        Fnearbyint => !(here == Domain::Float && target.features.sse41),
        Fadd | Fsub | Fmul | Fdiv | Fsqrt | Fminnum | Fmaxnum => here == Domain::Soft,
        _ => false,
    }
}

/// Is it a conversion that the machine lacks?
fn converts(target: &X86, from: Type, to: Type) -> bool {
    let soft = |ty| domain(target, ty) == Domain::Soft;
    match (from, to) {
        (Type::I128, _) | (_, Type::I128) => true,
        _ if !target.has_sse() => {
            let narrow = |ty| matches!(ty, Type::F16 | Type::BF16);
            narrow(from) || narrow(to)
        }
        // A bfloat16 is the upper half of an `f32`.
        (Type::BF16, Type::F32 | Type::F64 | Type::F80) | (Type::F32 | Type::F64, Type::BF16) => false,
        _ => soft(from) || soft(to),
    }
}

/// The library's name of a function, and its convention. On 32-bit Windows, Microsoft's library has its own divisions.
pub(super) fn function(target: &X86, lib: LibCall) -> (LibCall, Convention) {
    if !target.has_microsoft_library() {
        return (lib, Convention::C);
    }
    let own = match lib {
        LibCall::Divdi3 => LibCall::Alldiv,
        LibCall::Udivdi3 => LibCall::Aulldiv,
        LibCall::Moddi3 => LibCall::Allrem,
        LibCall::Umoddi3 => LibCall::Aullrem,
        other => return (other, Convention::C),
    };
    (own, Convention::Stdcall)
}

/// The libraries of the target.
pub(super) fn libraries(target: &X86) -> Libraries {
    match Libraries::of(target.windows.then_some(target.env)) {
        Libraries::Microsoft if target.is_32() => Libraries::Microsoft32,
        // Functions that take or return halves do so in vector registers.
        Libraries::Unix if !target.has_sse() => Libraries::UnixWithoutHalves,
        libraries => libraries,
    }
}
