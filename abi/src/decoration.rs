//! Names of C functions in object files.

use crate::prelude::*;

/// Decorated names of C functions (MS, "Decorated names"). On other systems they have an underscore or nothing.
#[inline]
pub(crate) fn of(target: &AbiTarget, signature: &Signature) -> Result<Decoration, AbiError> {
    // LLVM decorates these on every system (`Mangler::getNameWithPrefix`).
    if signature.convention == Convention::Vectorcall && !target.is_windows() {
        return bytes(target, signature).map(Decoration::Vectorcall);
    }
    if !target.is_windows() {
        return Ok(if target.os == Os::Darwin { Decoration::Underscore } else { Decoration::None });
    }
    if target.arch != Arch::X86 {
        let vectorcall = signature.convention == Convention::Vectorcall;
        return if vectorcall { bytes(target, signature).map(Decoration::Vectorcall) } else { Ok(Decoration::None) };
    }
    let convention = match signature.convention {
        // Variadic functions are ordinary ones.
        _ if signature.variadic.is_some() => Convention::C,
        convention => convention,
    };
    Ok(match convention {
        Convention::Stdcall => Decoration::Stdcall(bytes(target, signature)?),
        Convention::Fastcall => Decoration::Fastcall(bytes(target, signature)?),
        Convention::Vectorcall => Decoration::Vectorcall(bytes(target, signature)?),
        _ => Decoration::Underscore,
    })
}

/// The size of all parameters in bytes, with those in registers, each rounded up to whole slots, without the address of
/// the result (MS, "`__stdcall`", "`__vectorcall`"). For LLVM's parameters in memory, the size of what they point to
/// (LLVM, `Mangler`).
fn bytes(target: &AbiTarget, signature: &Signature) -> Result<u32, AbiError> {
    let layout = DataLayout::new(target);
    let mut sum = 0u64;
    for param in &signature.params {
        let size = match (&param.ty, param.attrs.role) {
            (AbiType::C(ty), _) => layout.layout(ty)?.size,
            (_, Role::StructReturn) => 0,
            (_, Role::ByVal { size, .. } | Role::InAlloca { size } | Role::Preallocated { size, .. }) => size,
            (AbiType::Llvm(ty), _) => layout.llvm(ty)?.size,
        };
        sum = sum.saturating_add(size.next_multiple_of(target.pointer_bytes().into()));
    }
    u32::try_from(sum).map_err(|_| AbiError::new(Subject::Signature, "the arguments are larger than 2^32 bytes"))
}
