//! The System V calling conventions of 32-bit x86, those of the BSDs and of Apple's systems, and MinGW's: `cdecl` with `regparm`
//! and `sseregparm`, `stdcall`, `fastcall`, `thiscall`.
//!
//! Sources: System V Application Binary Interface, Intel386 Architecture Processor Supplement, version 1.1 ("psABI"); GCC manual,
//! "x86 Function Attributes". Where the document is silent, what GCC and clang agree on; where those differ, clang is followed,
//! with the exceptions below:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | record with a vector or `__float128` inside, on the stack | clang: aligned to 4 | GCC: as the member |
//! | `__float128` argument | GCC, LLVM 21 and later: aligned to 16 | clang 19: aligned to 4 |
//! | vector of 8 bytes (`__m64`) | clang: integer lanes on the stack, others in xmm; results in xmm0, of one integer lane in eax:edx | GCC, psABI: mm0 to mm2, result in mm0 |
//! | vector of 4 bytes or less | clang: xmm; of one lane as the lane | GCC: as an integer |
//! | vector wider than the enabled features | refused | GCC: on the stack, clang: in several registers |
//! | empty C++ class | clang: nothing, but a copy if it has a member | GCC 12: a slot |
//! | complex integers and `_Complex float` under `regparm` | clang: registers, as a record | GCC: stack |
//! | union of a `double` or `float` under `regparm` | clang: stack | GCC: registers |
//! | `long double`, `__float128` under `regparm` | clang: the registers left stay empty | GCC: they are used |
//! | `_Float16` under `regparm` | refused | GCC: stack, clang: xmm |
//! | `fastcall`: 64-bit integer | clang: on the stack, registers stay free | GCC: they stay empty |
//! | `fastcall`: address of a C result in memory | clang: stack | GCC: ecx |
//! | `fastcall`: record | on the stack; it uses up registers as if it were in them (GCC; clang, if its members fill words) | |
//! | `thiscall` whose first parameters are records or 64-bit integers | refused | LLVM puts a part of them into ecx |
//! | BSD, Apple, MinGW: small record with a nested record of 3, 5, 6 or 7 bytes | clang: in memory | GCC: in registers |
//! | BSD, Apple, MinGW: union of one floating-point number as a result | clang: st0, xmm0 | GCC: eax, edx |
//! | BSD, Apple, MinGW: record of a `long double` or of a vector as a result | clang: in memory | GCC: st0, xmm0 |
//! | `_BitInt` of more than 64 bits | clang: by address, in memory as result | GCC 12 has none |
//! | `va_arg` of vectors, `_BitInt` of more than 64 bits and C++ classes by address | as callers pass them | clang 19 reads elsewhere |
//! | vectors on the stack where the callee removes it | up to the end of the last argument (GCC, LLVM's callees) | LLVM's callers expect whole vectors' sizes |
//! | union whose members' sizes add up to its own | GCC: all of it | clang 19: its largest member |
//! | `_BitInt` of less than 32 bits in a register | extended to 32 bits | clang 19 -O0: to its bytes |
//! | record that ends in a flexible array, as an argument | as without it (GCC) | clang: on the stack, a copy even of nothing else |
//! | C++ class of size zero with a class as a member | nothing (GCC) | clang: 4 bytes |
//! | small integers | the caller extends to 32 bits, the callee relies on 8 bits of `_Bool` only | clang relies on 32 |

use crate::families::i386::call::{Call, VectorKind, in_register, int_result};
use crate::families::i386::vectorcall;
use crate::members::fills_words;
use crate::prelude::*;
use crate::types::Flexible;
use crate::walk::Argument;

/// Where an argument goes.
pub(crate) fn argument(call: &mut Call<'_>, ty: &CType, argument: &Argument) -> Result<PassMode, AbiError> {
    let layout = argument.layout;
    if ty.is_non_trivial() {
        // Itanium C++ ABI, section 3.1.2.3: the address of the object itself.
        return call.by_address(layout);
    }
    if let Some(found) = vectorcall::argument(call, ty, argument)? {
        return Ok(found);
    }
    match ty {
        CType::Record(_) | CType::Complex(_) => aggregate(call, ty, layout),
        CType::Vector { lane, lanes } => {
            let darwin = call.target.os == Os::Darwin;
            match call.vector_kind(*lane, *lanes, layout.size, true)? {
                // clang on Apple's systems: vectors that would fit into an integer register.
                VectorKind::Float(_) | VectorKind::Register if darwin && (layout.size < 8 || *lanes == 1) => {
                    call.vector(VectorKind::Int, layout.size)
                }
                kind => call.vector(kind, layout.size),
            }
        }
        _ => call.scalar(ty, layout),
    }
}

/// psABI, section 2.2.3: records are copied onto the stack; under `regparm` they fill registers like integers.
fn aggregate(call: &mut Call<'_>, ty: &CType, Layout { size, .. }: Layout) -> Result<PassMode, AbiError> {
    if size == 0 || matches!(ty, CType::Record(record) if Flexible::Empty.is_empty(record)) {
        return Ok(PassMode::Ignore);
    }
    let layout = call.layout;
    let float = matches!(
        Flexible::Empty.single_element(&layout, ty)?,
        Some(CType::Scalar(Scalar::Float(FloatKind::F32 | FloatKind::F64)))
    );
    if call.budget > 0 && !float && call.spend(size.div_ceil(4)) {
        if call.modifiers.regparm > 0 {
            let registers = (0..size.div_ceil(4) as u32).filter_map(|word| {
                let reg = call.engine.take(RegClass::Int, usize::MAX)?;
                Some(in_register(reg, 4 * word, size - 4 * u64::from(word)))
            });
            return Ok(PassMode::Direct(registers.collect()));
        }
        // `fastcall`: clang skips a register for records that it passes member by member.
        if size <= 4 && call.budget > 0 && fills_words(&layout, ty, size)? {
            call.engine.take(RegClass::Int, usize::MAX);
        }
    }
    // clang on Apple's systems: vectors are aligned wherever they are.
    let align = if call.target.os == Os::Darwin && has_vector(&layout, ty)? { 16 } else { 4 };
    call.copy(size, align)
}

/// Whether a record has a vector of 16 bytes or more inside, at its full alignment.
fn has_vector(layout: &DataLayout, ty: &CType) -> Result<bool, AbiError> {
    let Layout { size, align } = layout.layout(ty)?;
    if align < 16 {
        return Ok(false);
    }
    Ok(match ty {
        CType::Vector { .. } => size == 16,
        CType::Record(record) => {
            let mut found = false;
            for field in record.fields() {
                let ty = &field.ty;
                found |= matches!(ty, CType::Vector { .. } | CType::Record(_)) && has_vector(layout, ty)?;
            }
            found
        }
        _ => false,
    })
}

/// Where a result goes.
pub(crate) fn result(call: &mut Call<'_>, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
    match ty {
        // Itanium C++ ABI, section 3.1.3.1.
        _ if ty.is_non_trivial() => call.result_in_memory(layout, true),
        // psABI, section 2.2.3, "Functions Returning Structures or Unions".
        CType::Record(_) if !small_records_in_registers(call.target) => call.result_in_memory(layout, false),
        CType::Record(_) | CType::Complex(_) => small_aggregate(call, ty, layout),
        CType::Vector { lanes, .. } if call.target.os == Os::Darwin => match (layout.size, lanes) {
            (1 | 2 | 4, _) | (8, 1) => Ok(int_result(ty, layout.size, false)),
            (16, _) => call.scalar_result(ty, layout),
            _ => call.result_in_memory(layout, false),
        },
        _ => call.scalar_result(ty, layout),
    }
}

/// FreeBSD, OpenBSD, DragonFly, Apple and Windows return records of 1, 2, 4 and 8 bytes in registers (GCC manual,
/// `-freg-struct-return`; clang).
pub(crate) fn small_records_in_registers(target: &AbiTarget) -> bool {
    matches!(target.os, Os::Bsd | Os::Darwin | Os::Windows)
}

/// A record or complex number that may come back in registers.
pub(crate) fn small_aggregate(call: &mut Call<'_>, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
    if matches!(ty, CType::Record(record) if Flexible::Empty.is_empty(record)) {
        return Ok(PassMode::Ignore);
    }
    if let CType::Complex(Scalar::Float(FloatKind::F16)) = ty {
        return Ok(PassMode::piece(in_register(Reg::float(0), 0, layout.size)));
    }
    if ty.holds_flexible_array() || !Flexible::Empty.fits_registers(&call.layout, ty)? {
        return call.result_in_memory(layout, false);
    }
    // Microsoft's compiler treats a record of one `float` like a `float`.
    if !call.by_microsoft()
        && let Some(CType::Scalar(Scalar::Float(kind))) = Flexible::Empty.single_element(&call.layout, ty)?
    {
        return Ok(PassMode::piece(call.float_result(*kind, layout.size)));
    }
    Ok(int_result(ty, layout.size, false))
}
