//! The calling conventions of 32-bit Windows: `__cdecl`, `__stdcall`, `__fastcall`, `__thiscall` and `__vectorcall` of MSVC, which
//! windows-itanium shares but for what C++ asks of classes, and what MinGW, whose other rules are those of [`sysv32`](super::sysv), shares with it: names, `__vectorcall`.
//!
//! Sources: Microsoft, "Argument passing and naming conventions", "`__cdecl`", "`__stdcall`", "`__fastcall`", "`__thiscall`",
//! "`__vectorcall`" ("MS" below). Where they are silent, clang's MSVC target is followed:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | `this` and the address of the result | `this` first if the result is a class | MinGW, and other results: address first, with MinGW's `__thiscall` in ecx |
//! | class that C++ cannot copy | built in the argument block ([`argblock`](super::argblock)) | MinGW: by address |
//! | alignment over 4 that `align` asks for, before `...` | by address of an aligned copy | MinGW: on the stack, aligned to 4 |
//! | class that C++ cannot copy, with `align` of its own | by address, however little it asks for (clang) | |
//! | method, or class that is not like a C struct | result in memory whatever its size | MinGW: Itanium C++ ABI |
//! | record of one `float` or `double` | result in eax, edx | MinGW: st0 |
//! | record that ends in a flexible array, as an argument | as without it | clang: on the stack, whatever its alignment |
//! | empty class | takes a slot; nothing as a result | MinGW: nothing, but GCC's results of empty C structs are in memory |
//! | vector as the result of a method | in memory (MSVC; of more than 8 bytes in `__vectorcall`, xmm0) | clang: xmm0 |
//! | `__vectorcall`: homogeneous class with a constructor or private members, and any that a method returns | in vector registers (MSVC) | clang: in memory |
//! | vectors | the first three in xmm0 to xmm2, others by address; `__m64` too | MS: `__m64` in mm0 |
//! | vector of one integer lane | refused | clang: eax, edx in `__cdecl` |
//! | address of a class in memory as a result | `__fastcall`, `__vectorcall`: the next register (clang) | a C struct's: stack |
//! | `__vectorcall`: record of up to 16 bytes whose members fill words, not homogeneous | on the stack (MS) | clang: members that are `float` or `double` in vector registers |
//! | `__vectorcall`: record of 4 bytes or less | clang: on the stack | MS: in a register, as an integer |
//! | `__vectorcall`: `long double` of 80 bits, `__float128`, vectors of less than 16 bytes | refused | clang: registers that break the rest |
//! | decoration of an argument by address | the bytes of its type (clang) | unknown of MSVC |
//! | small integers | extended by the caller, but not in the argument block | |

use crate::families::i386::call::{Call, VectorKind};
use crate::families::i386::sysv::small_aggregate;
use crate::families::i386::vectorcall;
use crate::prelude::*;
use crate::walk::{Argument, returned_in_memory, vector_in_memory};

/// The place of an argument on systems with Microsoft's C library.
pub(crate) fn argument(call: &mut Call<'_>, ty: &CType, argument: &Argument) -> Result<PassMode, AbiError> {
    let Argument { layout, named, .. } = *argument;
    if let CType::Record(record) = ty
        && record.is_non_trivial()
    {
        return class(call, record, argument);
    }
    if call.vectorcall.is_some()
        && let Some(found) = vectorcall::argument(call, ty, argument)?
    {
        return Ok(found);
    }
    match ty {
        // MSVC 2015 and later.
        CType::Record(record) if named && call.layout.required_align(record)? > 4 => call.by_address(layout),
        // clang passes nothing for it; Microsoft's own empty records have bytes.
        CType::Record(record) if layout.size == 0 && record.fields().is_empty() => Ok(PassMode::Ignore),
        CType::Record(_) | CType::Complex(_) => call.copy(layout.size, 4),
        CType::Vector { lane, lanes } => {
            if call.vector_budget == 0 || layout.size > 64 {
                return call.by_address(layout);
            }
            call.vector_budget -= 1;
            if *lanes == 1 && matches!(lane, Scalar::Int { .. }) {
                return Err(AbiError::ty("a vector of one integer lane"));
            }
            call.vector_kind(*lane, *lanes, layout.size, false)?;
            call.vector(VectorKind::Register, layout.size)
        }
        _ => call.scalar(ty, layout),
    }
}

/// A class that cannot be copied bitwise: its object is constructed where the callee finds it, and the callee destroys
/// it.
fn class(call: &mut Call<'_>, record: &Record, argument: &Argument) -> Result<PassMode, AbiError> {
    if !argument.named {
        return Err(AbiError::ty("a class that cannot be copied bitwise cannot stand after `...`"));
    }
    if record.min_align().is_some() || !call.target.is_msvc() {
        return call.by_address(argument.layout);
    }
    call.block = true;
    call.copy(argument.layout.size, 4)
}

/// Where a result goes on MSVC's target (MS, "x64 calling convention", "Return values", which clang follows for x86 too).
pub(crate) fn result(call: &mut Call<'_>, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
    match ty {
        _ if returned_in_memory(call.target, ty, call.modifiers.member) => call.result_in_memory(layout, true),
        _ if vector_in_memory(call.target, ty, layout.size, call.modifiers.member, call.convention) => {
            call.result_in_memory(layout, true)
        }
        CType::Record(_) | CType::Complex(_) => small_aggregate(call, ty, layout),
        _ => call.scalar_result(ty, layout),
    }
}
