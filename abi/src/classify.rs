//! The door to all conventions.

use crate::families::{aarch64, arm, i386, x86_64};
use crate::family::Family;
use crate::prelude::*;
use crate::walk::{check_value, value};

/// Computes where every piece of every argument and of the result of `signature` is on `target`.
///
/// # Errors
/// A type that the target lacks or that cannot be passed, attributes without meaning on the target, or a convention
/// that is not supported. The error says which argument and why.
pub fn classify(target: &AbiTarget, signature: &Signature) -> Result<FnAbi, AbiError> {
    // An ABI is large: it is filled in where the caller gets it.
    let mut result = Ok(FnAbi::start(target, signature));
    if let Ok(abi) = &mut result
        && let Err(error) = fill(target, signature, abi)
    {
        result = Err(error);
    }
    result
}

fn fill(target: &AbiTarget, signature: &Signature, abi: &mut FnAbi) -> Result<(), AbiError> {
    let family = Family::of(target, signature.convention)?;
    let modifiers = &signature.modifiers;
    if target.arch != Arch::X86 && (modifiers.regparm > 0 || modifiers.sse_regparm) {
        return Err(AbiError::new(Subject::Signature, "regparm and sseregparm belong to 32-bit x86"));
    }
    if target.is_soft() && signature.params.iter().chain([&signature.ret]).any(|p| !is_simple(&p.ty)) {
        let what = "only integers and pointers among C's types are passed without floating-point registers";
        return Err(AbiError::new(Subject::Signature, what));
    }
    match family {
        Family::SysV64 => x86_64::sysv::classify(target, signature, abi),
        Family::Win64 => x86_64::windows::classify(target, signature, abi),
        Family::SysV32 | Family::Win32 => i386::rules::classify(target, signature, abi),
        Family::Aapcs64 | Family::Apple64 | Family::WinArm64 => {
            aarch64::aapcs64::classify(target, family, signature, abi)
        }
        Family::Aapcs32 => arm::aapcs32::classify(target, signature, abi),
    }?;
    let is_chain = |param: &Param| matches!(param.attrs.role, Role::Nest) && matches!(param.ty, AbiType::C(_));
    let mut chains = (0..signature.params.len()).filter(|index| is_chain(&signature.params[*index]));
    let Some(index) = chains.next() else { return Ok(()) };
    if let Some(second) = chains.next() {
        return Err(AbiError::new(Subject::Param(second), "a second static chain"));
    }
    let Some(register) = abi.static_chain else {
        return Err(AbiError::new(Subject::Param(index), "the convention has no register left for a static chain"));
    };
    abi.args[index].mode = PassMode::pointer(target.pointer_bytes(), register);
    Ok(())
}

/// Is it an LLVM type, or a type of C without numbers and members?
fn is_simple(ty: &AbiType) -> bool {
    match ty {
        AbiType::Llvm(_) | AbiType::C(CType::Void) => true,
        AbiType::C(CType::Scalar(scalar)) => !matches!(scalar, Scalar::Float(_)),
        AbiType::C(_) => false,
    }
}

/// The steps by which `va_arg` fetches a value of type `ty` in a variadic function of `convention`, in order. A C type
/// takes one step. An LLVM type takes one step for each part that LLVM passes separately, so that the steps find what a
/// call passes as one argument.
///
/// # Errors
/// As for [`classify`]; also vectors of `i1`, whose lanes are passed wider than they are in memory.
pub fn va_arg(target: &AbiTarget, convention: Convention, ty: &AbiType) -> Result<Vec<VaArg>, AbiError> {
    let family = Family::of(target, convention)?;
    let ty = match ty {
        AbiType::Llvm(ty) => {
            check_value(ty)?;
            // In memory their lanes share bytes; when they are passed they do not.
            DataLayout::new(target).each_leaf(ty, &mut |_, leaf| match (leaf.lane, leaf.lanes) {
                (LlvmScalar::Int(bits), Some(2..)) if !bits.is_multiple_of(8) => {
                    Err(AbiError::ty(alloc::format!("va_arg of a vector of i{bits}")))
                }
                _ => Ok(()),
            })?;
            return match family {
                Family::SysV64 => x86_64::llvm::va_arg(target, ty),
                Family::Win64 => x86_64::llvm_windows::va_arg(target, ty),
                Family::SysV32 | Family::Win32 => i386::llvm::va_arg(target, ty),
                Family::Aapcs64 | Family::Apple64 | Family::WinArm64 => aarch64::llvm::va_arg(target, convention, ty),
                Family::Aapcs32 => arm::llvm::va_arg(target, ty),
            };
        }
        AbiType::C(ty) => ty,
    };
    let layout = value(&DataLayout::new(target), ty)?;
    let step = match family {
        Family::SysV64 => x86_64::sysv::va_arg(target, ty, layout),
        Family::Win64 => x86_64::windows::va_arg(target, ty, layout),
        Family::SysV32 | Family::Win32 => i386::rules::va_arg(target, ty, layout),
        Family::Aapcs64 | Family::Apple64 | Family::WinArm64 => aarch64::aapcs64::va_arg(target, family, ty, layout),
        Family::Aapcs32 => arm::aapcs32::va_arg(target, ty, layout),
    };
    Ok(alloc::vec![step?])
}
