//! Trampolines in memory that the caller supplies and makes executable.

use crate::error::Error;
use crate::stub::{HOST, OPTIONS, chain_register};
use crate::system;
use gusset_abi::Trampoline;

/// Writes a trampoline to `memory` that calls `callee` with `chain` in the register of this kind.
///
/// # Errors
/// The memory is not aligned to a pointer's size.
///
/// # Safety
/// There are `GUSSET_TRAMPOLINE_BYTES` (32) writable bytes, which nobody else uses.
pub(crate) unsafe fn write(kind: usize, memory: *mut u8, callee: *const (), chain: *const ()) -> Result<(), Error> {
    let form = Trampoline::new(&HOST, chain_register(kind), OPTIONS).map_err(Error::Abi)?;
    if !(memory as usize).is_multiple_of(size_of::<usize>()) {
        return Err(Error::Scratch { align: size_of::<usize>() });
    }
    // SAFETY: the caller's word.
    let bytes = unsafe { core::slice::from_raw_parts_mut(memory, form.code.len()) };
    form.write(bytes, memory as u64, callee as u64, chain as u64).map_err(Error::Abi)?;
    if !form.flush.is_empty() {
        // SAFETY: written just now.
        unsafe { system::flush(memory.wrapping_add(form.flush.start as usize), form.flush.len()) };
    }
    Ok(())
}
