//! Memory from the system: `mmap`, `mprotect`; and `fork`.

use crate::error::Error;
use std::io;
use std::ptr::{self, NonNull};

/// Maps `bytes` of zeros, readable and writable.
pub(crate) fn map(bytes: usize) -> Result<NonNull<u8>, Error> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at a place of the system's choice touches nothing that exists.
    let at = unsafe { libc::mmap(ptr::null_mut(), bytes, access, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0) };
    match NonNull::new(at.cast::<u8>()) {
        Some(start) if at != libc::MAP_FAILED => Ok(start),
        _ => Err(Error::Map { bytes, source: io::Error::last_os_error() }),
    }
}

/// Makes `bytes` at `at` executable, and not writable any more.
///
/// # Safety
/// Whole pages of a mapping of [`map`], which nobody writes to from now on.
pub(crate) unsafe fn make_code(at: NonNull<u8>, bytes: usize) -> Result<(), Error> {
    // SAFETY: the caller's word.
    match unsafe { libc::mprotect(at.as_ptr().cast(), bytes, libc::PROT_READ | libc::PROT_EXEC) } {
        0 => Ok(()),
        _ => Err(Error::Protect { bytes, source: io::Error::last_os_error() }),
    }
}

/// Gives back a mapping of [`map`].
///
/// # Safety
/// The whole mapping, and nothing refers to it.
pub(crate) unsafe fn unmap(at: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's word.
    unsafe { libc::munmap(at.as_ptr().cast(), bytes) };
}

/// Bytes of a page.
pub(crate) fn page() -> usize {
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(page).unwrap_or(usize::MAX)
}

/// Has `before` called before a `fork`, and `after` after it in both processes.
pub(crate) fn around_fork(before: extern "C" fn(), after: extern "C" fn()) -> Result<(), Error> {
    // SAFETY: both are functions without arguments that live as long as the library.
    match unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after)) } {
        0 => Ok(()),
        code => Err(Error::Fork { source: io::Error::from_raw_os_error(code) }),
    }
}

/// Sets `errno`.
pub(crate) fn set_last_error(code: i32) {
    // SAFETY: the calling thread's own variable.
    unsafe { *libc::__errno_location() = code };
}

/// The file that holds `address`, the distance from its beginning, and the function that begins at or before it, if known.
pub(crate) fn locate(address: usize) -> Option<(String, usize, Option<String>)> {
    // SAFETY: a record of plain numbers and pointers.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the function looks any address up, and fills the record.
    if unsafe { libc::dladdr(address as *const _, &mut found) } == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: strings of the dynamic linker, which stay.
    let text = |string| unsafe { std::ffi::CStr::from_ptr(string) }.to_string_lossy().into_owned();
    let name = if found.dli_sname.is_null() { None } else { Some(text(found.dli_sname)) };
    Some((text(found.dli_fname), address - found.dli_fbase as usize, name))
}
