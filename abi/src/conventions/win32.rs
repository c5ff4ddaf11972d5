//! The calling conventions of 32-bit Windows: `__cdecl`, `__stdcall`, `__fastcall`, `__thiscall` and `__vectorcall` of MSVC, which
//! windows-itanium shares but for what C++ asks of classes, and what MinGW, whose other rules are those of [`sysv32`](crate::conventions::sysv32), shares with it: names, `__vectorcall`.
//!
//! Sources: Microsoft, "Argument passing and naming conventions", "`__cdecl`", "`__stdcall`", "`__fastcall`", "`__thiscall`",
//! "`__vectorcall`" ("MS" below). Where they are silent, clang's MSVC target is followed:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | `this` and the address of the result | `this` first if the result is a class | MinGW, and other results: address first, with MinGW's `__thiscall` in ecx |
//! | class that C++ cannot copy | built in the argument block ([`argblock`](crate::conventions::argblock)) | MinGW: by address |
//! | alignment over 4 that `align` asks for, before `...` | by address of an aligned copy | MinGW: on the stack, aligned to 4 |
//! | class that C++ cannot copy, with `align` of its own | by address, however little it asks for (clang) | |
//! | method, or class that is not like a C struct | result in memory whatever its size | MinGW: Itanium C++ ABI |
//! | record of one `float` or `double` | result in eax, edx | MinGW: st0 |
//! | record that ends in a flexible array, as an argument | as without it | clang: on the stack, whatever its alignment |
//! | empty class | takes a slot; nothing as a result | MinGW: nothing, but GCC's results of empty C structs are in memory |
//! | vectors | the first three in xmm0 to xmm2, others by address; `__m64` too | MS: `__m64` in mm0 |
//! | vector of one integer lane | refused | clang: eax, edx in `__cdecl` |
//! | address of a class in memory as a result | `__fastcall`, `__vectorcall`: the next register (clang) | a C struct's: stack |
//! | `__vectorcall`: record of up to 16 bytes whose members fill words, not homogeneous | on the stack (MS) | clang: members that are `float` or `double` in vector registers |
//! | `__vectorcall`: record of 4 bytes or less | clang: on the stack | MS: in a register, as an integer |
//! | `__vectorcall`: `long double` of 80 bits, `__float128`, vectors of less than 16 bytes | refused | clang: registers that break the rest |
//! | decoration of an argument by address | the bytes of its type (clang) | unknown of MSVC |
//! | small integers | extended by the caller, but not in the argument block | |

use crate::conventions::i386::{Call, VectorKind, in_register};
use crate::conventions::sysv32::small_aggregate;
use crate::error::{AbiError, Subject};
use crate::fnabi::*;
use crate::homogeneous::{Homogeneity, Homogeneous};
use crate::layout::{DataLayout, Layout};
use crate::reg::RegClass;
use crate::signature::{Convention, Member, Role, Signature, Type};
use crate::target::{Os, Target};
use crate::types::{CType, FloatKind, Language, Record, Scalar};
use crate::walk::Argument;
use alloc::vec::Vec;

/// Where an argument goes where Microsoft's C library is.
pub(crate) fn argument(call: &mut Call<'_>, ty: &CType, argument: &Argument) -> Result<PassMode, AbiError> {
    let Argument { layout, named, .. } = *argument;
    if let CType::Record(record) = ty
        && record.is_non_trivial()
    {
        return class(call, record, argument);
    }
    if let Some(found) = vectorcall_argument(call, ty, argument)? {
        return Ok(found);
    }
    match ty {
        // MSVC 2015 and later.
        CType::Record(_) if named && call.layout.measure(ty)?.required > 4 => call.by_address(layout),
        // clang takes it apart into nothing; Microsoft's own have bytes.
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

/// A class that cannot be copied bitwise: its object is built where the callee finds it, and the callee destroys it.
fn class(call: &mut Call<'_>, record: &Record, argument: &Argument) -> Result<PassMode, AbiError> {
    if !argument.named {
        return Err(AbiError::ty("a class that cannot be copied bitwise cannot stand behind `...`"));
    }
    if record.min_align().is_some() || !call.msvc() {
        return call.by_address(argument.layout);
    }
    call.block = true;
    call.copy(argument.layout.size, 4)
}

/// Where a result goes on MSVC's target (MS, "x64 calling convention", "Return values", which clang follows for x86 too).
pub(crate) fn result(call: &mut Call<'_>, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
    match ty {
        CType::Record(record) => {
            let class = record.class();
            let microsoft = call.msvc() && (!class.aggregate || call.modifiers.member != Member::None);
            if class.non_trivial || microsoft {
                return call.result_in_memory(layout, true);
            }
            small_aggregate(call, ty, layout)
        }
        CType::Complex(_) => small_aggregate(call, ty, layout),
        _ => call.scalar_result(ty, layout),
    }
}

/// What `__vectorcall` knows beforehand of a signature: vectors choose registers before homogeneous aggregates do.
pub(crate) struct Vectorcall {
    /// Parameters that have a register of their own.
    vectors: Vec<bool>,
    /// Registers of these vectors.
    filled: u32,
    /// Homogeneous aggregates that will have the registers left, with their parameters' indices.
    waiting: Vec<(usize, Homogeneous)>,
}

impl Vectorcall {
    /// MS, "`__vectorcall`", "x86": the first pass over the parameters.
    pub(crate) fn new(call: &mut Call<'_>, signature: &Signature) -> Result<Vectorcall, AbiError> {
        let mut vectors = Vec::with_capacity(signature.params.len());
        for (index, param) in signature.params.iter().enumerate() {
            let Type::C(ty) = &param.ty else {
                vectors.push(false);
                continue;
            };
            let found = check(ty).and_then(|()| homogeneous(call, ty)).map_err(|e| e.at(Subject::Param(index)))?;
            let vector = found.is_some() && matches!(ty, CType::Scalar(_) | CType::Vector { .. });
            vectors.push(vector && call.vector_budget > 0);
            call.vector_budget -= u32::from(vector && call.vector_budget > 0);
        }
        Ok(Vectorcall { vectors, filled: 0, waiting: Vec::new() })
    }

    /// Gives the registers that are left to the homogeneous aggregates, in order.
    pub(crate) fn place_waiting(&self, args: &mut [ArgAbi]) {
        let mut free = (0..6).filter(|num| self.filled >> num & 1 == 0);
        for (index, found) in &self.waiting {
            let regs = free.by_ref().take(found.count as usize);
            args[*index].mode = PassMode::Direct(found.pieces(regs));
        }
    }
}

/// LLVM has no consistent places for these.
fn check(ty: &CType) -> Result<(), AbiError> {
    let bytes = |lane: &Scalar, lanes: &u32| match lane {
        Scalar::Int { bits, .. } => u32::from(*bits) / 8 * lanes,
        Scalar::Float(FloatKind::F16 | FloatKind::BF16) => 2 * lanes,
        Scalar::Float(FloatKind::F32) => 4 * lanes,
        _ => 8 * lanes,
    };
    match ty {
        CType::Scalar(Scalar::Float(FloatKind::F128)) => Err(AbiError::ty("__float128 in __vectorcall")),
        CType::Vector { lane, lanes } if bytes(lane, lanes) < 16 => {
            Err(AbiError::ty("a vector of less than 16 bytes in __vectorcall"))
        }
        _ => Ok(()),
    }
}

/// An argument of `__vectorcall` that is a vector or made of equal vectors; `None` if it travels as in `__fastcall`.
pub(crate) fn vectorcall_argument(
    call: &mut Call<'_>,
    ty: &CType,
    argument: &Argument,
) -> Result<Option<PassMode>, AbiError> {
    let Some(mut vectorcall) = call.vectorcall.take() else { return Ok(None) };
    let found = in_vectorcall(call, &mut vectorcall, ty, argument);
    call.vectorcall = Some(vectorcall);
    found
}

fn in_vectorcall(
    call: &mut Call<'_>,
    vectorcall: &mut Vectorcall,
    ty: &CType,
    argument: &Argument,
) -> Result<Option<PassMode>, AbiError> {
    let Layout { size, .. } = argument.layout;
    if vectorcall.vectors.get(argument.index) == Some(&true) {
        let Some(reg) = call.engine.take(RegClass::Float, usize::MAX) else { return Ok(None) };
        vectorcall.filled |= 1 << reg.num;
        return Ok(Some(PassMode::Direct(Pieces::one(in_register(reg, 0, size)))));
    }
    if let CType::Scalar(Scalar::Float(FloatKind::Long)) = ty
        && size > 8
    {
        return Err(AbiError::ty("an 80-bit long double in __vectorcall"));
    }
    let Some(found) = homogeneous(call, ty)? else { return Ok(None) };
    if call.vector_budget >= found.count {
        call.vector_budget -= found.count;
        vectorcall.waiting.push((argument.index, found));
        return Ok(Some(PassMode::Ignore));
    }
    match ty {
        // On the stack, like other floating-point numbers.
        CType::Scalar(_) => Ok(None),
        _ => call.by_address(argument.layout).map(Some),
    }
}

/// A homogeneous aggregate as the result of a `__vectorcall` function.
pub(crate) fn homogeneous_result(call: &Call<'_>, ty: &CType) -> Result<Option<PassMode>, AbiError> {
    let by_class = match ty {
        CType::Record(record) if call.msvc() => {
            record.is_non_trivial() || !record.class().aggregate || call.modifiers.member != Member::None
        }
        CType::Record(record) => record.is_non_trivial(),
        CType::Complex(_) => false,
        _ => return Ok(None),
    };
    if by_class {
        return Ok(None);
    }
    Ok(homogeneous(call, ty)?.map(|found| PassMode::Direct(found.pieces(0..4))))
}

/// MS, "`__vectorcall`", "Definitions": floating-point numbers, vectors, and aggregates of up to four equal ones.
fn homogeneous(call: &Call<'_>, ty: &CType) -> Result<Option<Homogeneous>, AbiError> {
    let is_base = |ty: &CType, layout: Layout| match ty {
        CType::Scalar(Scalar::Float(FloatKind::Long)) => layout.size == 8,
        CType::Scalar(Scalar::Float(FloatKind::F128)) => false,
        CType::Scalar(Scalar::Float(_)) => true,
        CType::Vector { .. } => matches!(layout.size, 16 | 32 | 64),
        _ => false,
    };
    // clang: in C++ they do not count.
    let zero_bit_fields = matches!(ty, CType::Record(record) if record.language() == Language::Cxx);
    let found = Homogeneity { layout: &call.layout, is_base, zero_bit_fields, most: 4 }.of(ty)?;
    if let Some(found) = found
        && found.size > u32::from(call.target.features.vector_bytes.max(16))
    {
        return Err(AbiError::ty(alloc::format!("a vector of {} bytes, wider than the enabled registers", found.size)));
    }
    Ok(found)
}

/// MS, "Decorated names": C functions' names. Those of other systems have an underscore or nothing.
pub(crate) fn decoration(target: &Target, signature: &Signature) -> Result<Decoration, AbiError> {
    if !target.is_windows() {
        return Ok(if target.os == Os::Darwin { Decoration::Underscore } else { Decoration::None });
    }
    let convention = match signature.convention {
        // Variadic functions are ordinary ones.
        _ if signature.variadic.is_some() => Convention::C,
        convention => convention,
    };
    Ok(match convention {
        Convention::Stdcall => Decoration::Stdcall(decoration_bytes(target, signature)?),
        Convention::Fastcall => Decoration::Fastcall(decoration_bytes(target, signature)?),
        Convention::Vectorcall => Decoration::Vectorcall(decoration_bytes(target, signature)?),
        _ => Decoration::Underscore,
    })
}

/// MS, "`__stdcall`", "`__vectorcall`": the bytes of all parameters, those in registers too, each in whole slots; not the address of
/// the result. Of LLVM's parameters in memory, what they point to (LLVM, `Mangler`).
pub(crate) fn decoration_bytes(target: &Target, signature: &Signature) -> Result<u32, AbiError> {
    let layout = DataLayout::new(target);
    let mut bytes = 0u64;
    for param in &signature.params {
        let size = match (&param.ty, param.attrs.role) {
            (Type::C(ty), _) => layout.layout(ty)?.size,
            (_, Role::StructReturn) => 0,
            (_, Role::ByVal { size, .. } | Role::InAlloca { size } | Role::Preallocated { size, .. }) => size,
            (Type::Llvm(ty), _) => layout.llvm(ty)?.size,
        };
        bytes = bytes.saturating_add(size.next_multiple_of(target.pointer_bytes().into()));
    }
    u32::try_from(bytes).map_err(|_| AbiError::new(Subject::Signature, "the arguments are larger than 2^32 bytes"))
}
