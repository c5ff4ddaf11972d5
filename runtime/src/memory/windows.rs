//! Memory from the system: `VirtualAlloc`, `VirtualProtect`.

use crate::error::Error;
use core::ffi::c_void;
use std::io;
use std::ptr::{self, NonNull};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualAlloc(at: *mut c_void, bytes: usize, kind: u32, access: u32) -> *mut c_void;
    fn VirtualProtect(at: *mut c_void, bytes: usize, access: u32, old: *mut u32) -> i32;
    fn VirtualFree(at: *mut c_void, bytes: usize, kind: u32) -> i32;
    fn FlushInstructionCache(process: *mut c_void, at: *const c_void, bytes: usize) -> i32;
    fn GetCurrentProcess() -> *mut c_void;
    fn SetLastError(code: u32);
}

const MEM_COMMIT_RESERVE: u32 = 0x3000;
const MEM_RELEASE: u32 = 0x8000;
const PAGE_READWRITE: u32 = 4;
const PAGE_EXECUTE_READ: u32 = 0x20;

/// Maps `bytes` of zeros, readable and writable.
pub(crate) fn map(bytes: usize) -> Result<NonNull<u8>, Error> {
    // SAFETY: a new mapping at a place of the system's choice touches nothing that exists.
    let at = unsafe { VirtualAlloc(ptr::null_mut(), bytes, MEM_COMMIT_RESERVE, PAGE_READWRITE) };
    NonNull::new(at.cast()).ok_or_else(|| Error::Map { bytes, source: io::Error::last_os_error() })
}

/// Makes `bytes` at `at` executable, and not writable any more.
///
/// # Safety
/// Whole pages of a mapping of [`map`], which nobody writes to from now on.
pub(crate) unsafe fn make_code(at: NonNull<u8>, bytes: usize) -> Result<(), Error> {
    let mut old = 0;
    // SAFETY: the caller's word.
    let done = unsafe {
        VirtualProtect(at.as_ptr().cast(), bytes, PAGE_EXECUTE_READ, &mut old) != 0
            && FlushInstructionCache(GetCurrentProcess(), at.as_ptr().cast(), bytes) != 0
    };
    if done { Ok(()) } else { Err(Error::Protect { bytes, source: io::Error::last_os_error() }) }
}

/// Gives back a mapping of [`map`].
///
/// # Safety
/// The whole mapping, and nothing refers to it.
pub(crate) unsafe fn unmap(at: NonNull<u8>, _bytes: usize) {
    // SAFETY: the caller's word.
    unsafe { VirtualFree(at.as_ptr().cast(), 0, MEM_RELEASE) };
}

/// Bytes of a page: 4 KiB on every processor that Windows runs on.
pub(crate) fn page() -> usize {
    4096
}

/// Windows has no `fork`.
pub(crate) fn around_fork(_before: extern "C" fn(), _after: extern "C" fn()) -> Result<(), Error> {
    Ok(())
}

/// Sets what `GetLastError` returns.
pub(crate) fn set_last_error(code: i32) {
    // SAFETY: the calling thread's own variable.
    unsafe { SetLastError(code as u32) };
}

/// Nothing is known of an address's origin.
pub(crate) fn locate(_address: usize) -> Option<(String, usize, Option<String>)> {
    None
}
