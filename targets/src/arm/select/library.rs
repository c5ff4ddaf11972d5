//! Which operations call the run-time library.

use gusset_abi::{Convention, Os};
use gusset_codegen::ir::{FloatCc, Function, InstData, Opcode, Type, Value};
use gusset_codegen::libcall::{LIBCALLS, LibCall};

use super::divide::is_by_constant;
use super::{atomic, memory};
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::Arm;
use crate::arm::reg::{Cond, Flags, Gpr, IP};
use crate::shared::arm::family::Family;
use crate::shared::library::{is_easy_division, long_double};

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
            let here = if d.ty.bits() > 32 { d.ty.bits() == 64 && is_easy_division(f, d) } else { features.divide };
            !here && !is_by_constant(f, d)
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

/// The library's name of a function, and its convention. The ABI's own functions, and GNU's for halves, take and return
/// numbers in core registers ("Run-time ABI for the Arm Architecture"). On Linux the kernel does what processors before
/// version 6 cannot, under older names. Windows has other names for some functions.
pub(crate) fn function(target: &Arm, lib: LibCall) -> (LibCall, Convention) {
    use LibCall as L;
    // Names of the ABI itself, and of Windows.
    const NAMES: &[(L, Option<L>, Option<L>)] = &[
        (L::Floatsisf, Some(L::AeabiI2f), None),
        (L::Floatsidf, Some(L::AeabiI2d), None),
        (L::Floatunsisf, Some(L::AeabiUi2f), None),
        (L::Floatunsidf, Some(L::AeabiUi2d), None),
        (L::Floatdisf, Some(L::AeabiL2f), Some(L::I64tos)),
        (L::Floatdidf, Some(L::AeabiL2d), Some(L::I64tod)),
        (L::Floatundisf, Some(L::AeabiUl2f), Some(L::U64tos)),
        (L::Floatundidf, Some(L::AeabiUl2d), Some(L::U64tod)),
        (L::Fixsfsi, Some(L::AeabiF2iz), None),
        (L::Fixdfsi, Some(L::AeabiD2iz), None),
        (L::Fixunssfsi, Some(L::AeabiF2uiz), None),
        (L::Fixunsdfsi, Some(L::AeabiD2uiz), None),
        (L::Fixsfdi, Some(L::AeabiF2lz), Some(L::Stoi64)),
        (L::Fixdfdi, Some(L::AeabiD2lz), Some(L::Dtoi64)),
        (L::Fixunssfdi, Some(L::AeabiF2ulz), Some(L::Stou64)),
        (L::Fixunsdfdi, Some(L::AeabiD2ulz), Some(L::Dtou64)),
        (L::Addsf3, Some(L::AeabiFadd), None),
        (L::Subsf3, Some(L::AeabiFsub), None),
        (L::Mulsf3, Some(L::AeabiFmul), None),
        (L::Divsf3, Some(L::AeabiFdiv), None),
        (L::Adddf3, Some(L::AeabiDadd), None),
        (L::Subdf3, Some(L::AeabiDsub), None),
        (L::Muldf3, Some(L::AeabiDmul), None),
        (L::Divdf3, Some(L::AeabiDdiv), None),
        (L::Extendsfdf2, Some(L::AeabiF2d), None),
        (L::Truncdfsf2, Some(L::AeabiD2f), None),
        (L::Extendhfsf2, Some(L::GnuH2f), None),
        (L::Truncsfhf2, Some(L::GnuF2h), None),
        (L::Truncdfhf2, Some(L::GnuD2h), None),
        // The quotient is in its usual place; the remainder follows it.
        (L::Divsi3, Some(L::AeabiIdiv), Some(L::RtSdiv)),
        (L::Udivsi3, Some(L::AeabiUidiv), Some(L::RtUdiv)),
        (L::Divdi3, Some(L::AeabiLdivmod), Some(L::RtSdiv64)),
        (L::Udivdi3, Some(L::AeabiUldivmod), Some(L::RtUdiv64)),
    ];
    let windows = target.windows.is_some();
    // The ABI's own functions are AAPCS32's.
    let old = target.facts.library.features.apcs;
    let by_kernel = target.facts.library.os == Os::Linux && target.features.version < 7;
    let row = NAMES.iter().find(|row| row.0 == lib);
    match row.filter(|_| !old).and_then(|row| if windows { row.2 } else { row.1 }) {
        Some(name) => (name, if windows { Convention::C } else { Convention::AapcsBase }),
        // GNU's comparisons take numbers like the others.
        None if !old && (L::Eqsf2..=L::Unorddf2).contains(&lib) => (lib, Convention::AapcsBase),
        None if by_kernel && (L::AtomicCompareExchange1..=L::AtomicCompareExchange8).contains(&lib) => {
            let size = lib as usize - L::AtomicCompareExchange1 as usize;
            (LIBCALLS[L::SyncCompareAndSwap1 as usize + size], Convention::C)
        }
        None => (long_double(lib), Convention::C),
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
    // Windows makes a special exception of this trap.
    e.trap(UDF, 249);
    e.buf.bind(fine);
}
