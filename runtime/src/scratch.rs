//! Trampolines in memory that the caller supplies and makes executable.

use crate::error::Error;
use crate::stub::{HOST, OPTIONS};
use gusset_abi::{AbiError, Convention, Subject, Trampoline, static_chain};
use std::sync::OnceLock;

/// The form of trampolines in place, made once.
fn form() -> Result<&'static Trampoline, Error> {
    static FORM: OnceLock<Result<Trampoline, AbiError>> = OnceLock::new();
    let form = FORM.get_or_init(|| Trampoline::new(&HOST, static_chain(&HOST, Convention::C), OPTIONS));
    form.as_ref().map_err(|source| Error::Scratch { source: source.clone() })
}

/// Writes a trampoline to `callee` with `chain` to `memory`.
///
/// # Errors
/// The memory is not aligned to a pointer's size.
///
/// # Safety
/// There are `GUSSET_TRAMPOLINE_BYTES` (32) writable bytes, which nobody else uses.
pub(crate) unsafe fn write(memory: *mut u8, callee: *const (), chain: *const ()) -> Result<(), Error> {
    let form = form()?;
    if !(memory as usize).is_multiple_of(size_of::<usize>()) {
        let reason = format!("memory for a trampoline is aligned to {} bytes", size_of::<usize>());
        return Err(Error::Scratch { source: AbiError { subject: Subject::Target, reason } });
    }
    // SAFETY: the caller's word.
    let bytes = unsafe { std::slice::from_raw_parts_mut(memory, form.code.len()) };
    let written = form.write(bytes, memory as u64, callee as u64, chain as u64);
    written.map_err(|source| Error::Scratch { source })
}
