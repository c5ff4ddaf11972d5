//! The door to all conventions.

use crate::conventions::aapcs32;
use crate::conventions::aapcs64;
use crate::conventions::apple64;
use crate::conventions::i386;
use crate::conventions::sysv64;
use crate::conventions::win64;
use crate::conventions::winarm64;
use crate::error::{AbiError, Subject};
use crate::fnabi::{FnAbi, PassMode, Piece, Pieces, Place};
use crate::signature::{Convention, Param, Role, Signature, Type};
use crate::target::{Arch, Os, Target};
use crate::vararg::VaArg;
use alloc::vec::Vec;

/// Where every piece of every argument and of the result of `signature` lives on `target`.
///
/// # Errors
/// A type that the target lacks or that cannot be passed, attributes without meaning there, or a convention that is not
/// supported: the error says which argument and why.
pub fn classify(target: &Target, signature: &Signature) -> Result<FnAbi, AbiError> {
    let mut abi = match Family::of(target, signature.convention)? {
        Family::SysV64 => sysv64::classify(target, signature),
        Family::SysV32 | Family::Win32 => i386::classify(target, signature),
        Family::Win64 => win64::classify(target, signature),
        Family::Aapcs64 => aapcs64::classify(target, signature),
        Family::Apple64 => apple64::classify(target, signature),
        Family::WinArm64 => winarm64::classify(target, signature),
        Family::Aapcs32 => aapcs32::classify(target, signature),
    }?;
    let is_chain = |param: &Param| matches!(param.ty, Type::C(_)) && param.attrs.role == Role::Nest;
    let mut chains = (0..signature.params.len()).filter(|index| is_chain(&signature.params[*index]));
    let Some(index) = chains.next() else { return Ok(abi) };
    if let Some(second) = chains.next() {
        return Err(AbiError::new(Subject::Param(second), "a second static chain"));
    }
    let Some(register) = abi.static_chain else {
        return Err(AbiError::new(Subject::Param(index), "the convention has no register left for a static chain"));
    };
    let piece = Piece { size: target.pointer_bytes(), place: Place::Reg(register), ..Piece::default() };
    abi.args[index].mode = PassMode::Direct(Pieces::one(piece));
    Ok(abi)
}

/// How `va_arg` fetches a value of type `ty` in a variadic function of `convention`: the steps, in order. A C type takes
/// one. Of an LLVM type every part that LLVM passes by itself takes one, so that what a call passes as one argument is found.
///
/// # Errors
/// As [`classify`], and vectors of `i1`, whose lanes travel wider than they are in memory.
pub fn va_arg(target: &Target, convention: Convention, ty: &Type) -> Result<Vec<VaArg>, AbiError> {
    match Family::of(target, convention)? {
        Family::SysV64 => sysv64::va_arg(target, ty),
        Family::SysV32 | Family::Win32 => i386::va_arg(target, ty),
        Family::Win64 => win64::va_arg(target, ty),
        Family::Aapcs64 => aapcs64::va_arg(target, convention, ty),
        Family::Apple64 => apple64::va_arg(target, convention, ty),
        Family::WinArm64 => winarm64::va_arg(target, convention, ty),
        Family::Aapcs32 => aapcs32::va_arg(target, ty),
    }
}

/// The families of conventions, one for each document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    SysV64,
    Win64,
    SysV32,
    Win32,
    Aapcs64,
    Apple64,
    WinArm64,
    Aapcs32,
}

impl Family {
    /// The family that a convention belongs to on `target`.
    pub(crate) fn of(target: &Target, convention: Convention) -> Result<Family, AbiError> {
        use Convention::*;
        let fits = match convention {
            C | Fast | Cold | Tail | PreserveMost | PreserveAll | PreserveNone | Swift | SwiftTail | Ghc => true,
            // MS, "x64 calling convention" and its siblings: accepted and without effect where there is one convention.
            Stdcall | Fastcall | Thiscall => target.arch != Arch::Arm && target.arch != Arch::Aarch64,
            Vectorcall => target.arch == Arch::X86 || target.arch == Arch::X86_64 && target.is_windows(),
            SysV64 => target.arch == Arch::X86_64,
            Win64 => matches!(target.arch, Arch::X86_64 | Arch::Aarch64),
            VectorPcs => target.arch == Arch::Aarch64,
            AapcsBase | AapcsVfp => target.arch == Arch::Arm,
        };
        if !fits {
            return Err(unsupported(target, convention));
        }
        Ok(match (target.arch, convention) {
            (Arch::X86_64, SysV64) => Family::SysV64,
            (Arch::X86_64, Win64 | Vectorcall) => Family::Win64,
            (Arch::X86_64, _) if target.is_windows() => Family::Win64,
            (Arch::X86_64, _) => Family::SysV64,
            (Arch::X86, _) if target.is_windows() => Family::Win32,
            (Arch::X86, _) => Family::SysV32,
            (Arch::Aarch64, Win64) => Family::WinArm64,
            (Arch::Aarch64, _) if target.is_windows() => Family::WinArm64,
            (Arch::Aarch64, _) if target.os == Os::Darwin => Family::Apple64,
            (Arch::Aarch64, _) => Family::Aapcs64,
            (Arch::Arm, _) => Family::Aapcs32,
        })
    }
}

/// The error for a convention that a target, or this layer, does not have.
pub(crate) fn unsupported(target: &Target, convention: Convention) -> AbiError {
    let reason = alloc::format!("the convention {convention:?} does not exist on {:?} {:?}", target.arch, target.os);
    AbiError::new(Subject::Signature, reason)
}
