//! Which family a convention belongs to.

use crate::error::{AbiError, Subject};
use crate::signature::Convention;
use crate::target::{AbiTarget, Arch, Os};

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
    pub(crate) fn of(target: &AbiTarget, convention: Convention) -> Result<Family, AbiError> {
        use Convention::*;
        let fits = match convention {
            C | Fast | Cold | Tail | Swift | SwiftTail | Ghc => true,
            PreserveMost | PreserveAll => target.arch != Arch::X86,
            PreserveNone => matches!(target.arch, Arch::X86_64 | Arch::Aarch64),
            // MS, "x64 calling convention" and its siblings: accepted, and without effect where there is only one
            // convention.
            Stdcall | Fastcall | Thiscall => target.arch != Arch::Arm && target.arch != Arch::Aarch64,
            Vectorcall => matches!(target.arch, Arch::X86 | Arch::X86_64),
            SysV64 => target.arch == Arch::X86_64,
            Win64 => matches!(target.arch, Arch::X86_64 | Arch::Aarch64),
            VectorPcs => target.arch == Arch::Aarch64,
            AapcsBase | AapcsVfp | ArmInterrupt | ArmFastInterrupt => target.arch == Arch::Arm,
            Apcs => target.arch == Arch::Arm && !target.is_windows(),
            RegCall | Interrupt => matches!(target.arch, Arch::X86 | Arch::X86_64),
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
pub(crate) fn unsupported(target: &AbiTarget, convention: Convention) -> AbiError {
    let (name, arch, os) = (convention.llvm_keyword(), target.arch.name(), target.os.name());
    let reason = alloc::format!("the convention `{name}` does not exist on {arch} with {os}");
    AbiError::new(Subject::Signature, reason)
}
