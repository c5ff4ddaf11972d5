//! What the run-time library does.

use gusset_abi::{Convention, Os};
use gusset_codegen::ir::{FloatCc, Function, InstData, Opcode, Type, Value};
use gusset_codegen::libcall::LibCall;

use super::{atomic, memory, wide};
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::Arm;
use crate::arm::reg::{Cond, Flags, Gpr, IP};
use crate::shared::arm::family::Family;

/// See [`calls_library`](gusset_codegen::machine::Machine::calls_library).
pub(crate) fn calls(target: &Arm, f: &Function, d: &InstData) -> bool {
    use Opcode::*;
    if d.ty.is_vector() {
        return false;
    }
    let features = target.features;
    let soft = |ty: Type| ty.is_float() && !target.has_floats(ty);
    let from = || f.value_type(Value(d.a));
    match d.op {
        Resume => true,
        Memcpy | Memmove | Memset => !memory::is_inline(target, f, d),
        AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg | Fence => {
            d.is_unaligned_atomic() || !atomic::is_here(target, d)
        }
        Udiv | Sdiv | Urem | Srem => {
            (d.ty.bits() > 32 || !features.divide) && !(wide::is_easy_division(f, d) && d.ty.bits() <= 64)
        }
        // From 64 bits to 16 there is an instruction since version 8.
        Fptrunc if d.ty == Type::F16 && from() == Type::F64 => soft(Type::F64) || soft(d.ty) || !features.rounding,
        Fpext | Fptrunc => soft(from()) || soft(d.ty),
        Fptosi | Fptoui => soft(from()) || d.ty.bits() > 32,
        Sitofp | Uitofp => soft(d.ty) || from().bits() > 32,
        Fcmp => {
            let known = matches!(FloatCc::from_u8(d.flags), Some(FloatCc::False | FloatCc::True) | None);
            soft(d.ty) && !known
        }
        Frem => true,
        Fma => soft(d.ty) || !features.fused,
        Fround | Froundeven | Ffloor | Fceil | Ftrunc | Frint | Fnearbyint | Fminnum | Fmaxnum => {
            soft(d.ty) || !features.rounding
        }
        Fadd | Fsub | Fmul | Fdiv | Fsqrt => soft(d.ty),
        _ => false,
    }
}

/// The library's name of a function, and its convention: those of the ABI itself and GNU's of halves take and give numbers in core registers
/// ("Run-time ABI for the Arm Architecture"). Linux has the kernel do what processors before version 6 cannot, by way of older names. Windows
/// has names of its own for a few.
pub(crate) fn function(target: &Arm, lib: LibCall) -> (LibCall, Convention) {
    use LibCall as L;
    const BY_KERNEL: &[(L, L)] = &[
        (L::AtomicCompareExchange1, L::SyncCompareAndSwap1),
        (L::AtomicCompareExchange2, L::SyncCompareAndSwap2),
        (L::AtomicCompareExchange4, L::SyncCompareAndSwap4),
        (L::AtomicCompareExchange8, L::SyncCompareAndSwap8),
    ];
    const WINDOWS: &[(L, L)] = &[
        (L::Divsi3, L::RtSdiv),
        (L::Udivsi3, L::RtUdiv),
        (L::Divdi3, L::RtSdiv64),
        (L::Udivdi3, L::RtUdiv64),
        (L::Floatdisf, L::I64tos),
        (L::Floatdidf, L::I64tod),
        (L::Floatundisf, L::U64tos),
        (L::Floatundidf, L::U64tod),
        (L::Fixsfdi, L::Stoi64),
        (L::Fixdfdi, L::Dtoi64),
        (L::Fixunssfdi, L::Stou64),
        (L::Fixunsdfdi, L::Dtou64),
    ];
    const NAMES: &[(L, L)] = &[
        (L::Floatsisf, L::AeabiI2f),
        (L::Floatsidf, L::AeabiI2d),
        (L::Floatunsisf, L::AeabiUi2f),
        (L::Floatunsidf, L::AeabiUi2d),
        (L::Floatdisf, L::AeabiL2f),
        (L::Floatdidf, L::AeabiL2d),
        (L::Floatundisf, L::AeabiUl2f),
        (L::Floatundidf, L::AeabiUl2d),
        (L::Fixsfsi, L::AeabiF2iz),
        (L::Fixdfsi, L::AeabiD2iz),
        (L::Fixunssfsi, L::AeabiF2uiz),
        (L::Fixunsdfsi, L::AeabiD2uiz),
        (L::Fixsfdi, L::AeabiF2lz),
        (L::Fixdfdi, L::AeabiD2lz),
        (L::Fixunssfdi, L::AeabiF2ulz),
        (L::Fixunsdfdi, L::AeabiD2ulz),
        (L::Addsf3, L::AeabiFadd),
        (L::Subsf3, L::AeabiFsub),
        (L::Mulsf3, L::AeabiFmul),
        (L::Divsf3, L::AeabiFdiv),
        (L::Adddf3, L::AeabiDadd),
        (L::Subdf3, L::AeabiDsub),
        (L::Muldf3, L::AeabiDmul),
        (L::Divdf3, L::AeabiDdiv),
        (L::Extendsfdf2, L::AeabiF2d),
        (L::Truncdfsf2, L::AeabiD2f),
        (L::Extendhfsf2, L::GnuH2f),
        (L::Truncsfhf2, L::GnuF2h),
        (L::Truncdfhf2, L::GnuD2h),
        // The quotient is where it would be; the remainder follows it.
        (L::Divsi3, L::AeabiIdiv),
        (L::Udivsi3, L::AeabiUidiv),
        (L::Divdi3, L::AeabiLdivmod),
        (L::Udivdi3, L::AeabiUldivmod),
    ];
    let others = match target.facts.library.os {
        Os::Linux if target.features.version < 7 => BY_KERNEL,
        Os::Windows => WINDOWS,
        _ => &[],
    };
    let find = |names: &[(L, L)]| names.iter().find(|names| names.0 == lib).map(|names| names.1);
    match find(NAMES).filter(|_| target.windows.is_none()) {
        Some(name) => (name, Convention::AapcsBase),
        // GNU's comparisons take numbers as the others do.
        None if (L::Eqsf2..=L::Unorddf2).contains(&lib) => (lib, Convention::AapcsBase),
        None => (find(others).unwrap_or(lib), Convention::C),
    }
}

/// Traps if a divisor is zero, which the library of Windows leaves to its callers.
pub(crate) fn check_divisor(e: &mut Asm<'_>, lib: LibCall) {
    let fine = e.buf.new_label();
    match lib {
        LibCall::RtSdiv | LibCall::RtUdiv => e.b_zero(false, Gpr(0), fine),
        LibCall::RtSdiv64 | LibCall::RtUdiv64 => {
            e.data(ORR, Flags::Set, IP, Gpr(0), Gpr(1));
            e.b_if(Cond::Ne, fine);
        }
        _ => return,
    }
    // Windows makes an exception of its own of this one.
    e.trap(UDF, 249);
    e.buf.bind(fine);
}
