//! The door to all conventions.

use crate::error::{AbiError, Subject};
use crate::fnabi::FnAbi;
use crate::signature::{Convention, Signature, Type};
use crate::sysv64;
use crate::target::{Arch, Target};
use crate::vararg::VaArg;
use alloc::vec::Vec;

/// Where every piece of every argument and of the result of `signature` lives on `target`.
///
/// # Errors
/// A type that the target lacks or that cannot be passed, attributes without meaning there, or a convention that is not
/// supported: the error says which argument and why.
pub fn classify(target: &Target, signature: &Signature) -> Result<FnAbi, AbiError> {
    if uses_sysv64(target, signature.convention) {
        return sysv64::classify(target, signature);
    }
    Err(AbiError::new(Subject::Signature, unsupported(target, signature.convention)))
}

/// How `va_arg` fetches a value of type `ty` in a variadic function of `convention`: the steps, in order. A C type takes
/// one. Of an LLVM type every part that LLVM passes by itself takes one, so that what a call passes as one argument is found.
///
/// # Errors
/// As [`classify`], and vectors of `i1`, whose lanes travel wider than they are in memory.
pub fn va_arg(target: &Target, convention: Convention, ty: &Type) -> Result<Vec<VaArg>, AbiError> {
    if uses_sysv64(target, convention) {
        return sysv64::va_arg(target, ty);
    }
    Err(AbiError::new(Subject::Signature, unsupported(target, convention)))
}

fn uses_sysv64(target: &Target, convention: Convention) -> bool {
    target.arch == Arch::X86_64 && (!target.is_windows() || convention == Convention::SysV64)
}

fn unsupported(target: &Target, convention: Convention) -> alloc::string::String {
    alloc::format!("the convention {convention:?} is not supported on {:?} {:?} yet", target.arch, target.os)
}
