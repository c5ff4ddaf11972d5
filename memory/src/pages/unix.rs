//! Unix's mappings.

use std::io;
use std::ptr;

/// The unit of protection.
pub(crate) fn page_size() -> usize {
    // SAFETY: it only asks.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

fn map(at: *mut u8, size: usize, protection: i32, flags: i32, file: i32) -> Option<*mut u8> {
    // SAFETY: without a place the system chooses one where nothing is; with one, it lies in a reservation of the caller's.
    let at = unsafe { libc::mmap(at.cast(), size, protection, flags, file, 0) };
    (at != libc::MAP_FAILED).then_some(at.cast())
}

/// Maps `size` bytes of code, with as many of data after them, and the code once more. Gives the addresses of the code where it
/// is run and where it is written; `None` if the system refuses.
pub(crate) fn map_twice(size: usize) -> Option<(*mut u8, *mut u8)> {
    let file = anonymous_file(size)?;
    let mapped = map_file_twice(size, file);
    // SAFETY: the mappings keep the file.
    unsafe { libc::close(file) };
    mapped
}

fn map_file_twice(size: usize, file: i32) -> Option<(*mut u8, *mut u8)> {
    let (read, write, execute) = (libc::PROT_READ, libc::PROT_WRITE, libc::PROT_EXEC);
    let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let all = map(ptr::null_mut(), 2 * size, libc::PROT_NONE, private, -1)?;
    let code = map(all, size, read | execute, libc::MAP_SHARED | libc::MAP_FIXED, file);
    let data = map(all.wrapping_add(size), size, read | write, private | libc::MAP_FIXED, -1);
    let alias = map(ptr::null_mut(), size, read | write, libc::MAP_SHARED, file);
    match (code, data, alias) {
        (Some(code), Some(_), Some(alias)) => Some((code, alias)),
        (_, _, alias) => {
            // SAFETY: both were mapped here and are used by nobody.
            unsafe { unmap_both(all, alias.unwrap_or(ptr::null_mut()), size) };
            None
        }
    }
}

/// Gives back what [`map_twice`] has mapped. `alias` may be null.
///
/// # Safety
/// Nobody uses it any more.
pub(crate) unsafe fn unmap_both(code: *mut u8, alias: *mut u8, size: usize) {
    // SAFETY: the caller's word.
    unsafe {
        libc::munmap(code.cast(), 2 * size);
        if !alias.is_null() {
            libc::munmap(alias.cast(), size);
        }
    }
}

/// A file of that many zeros, without a name.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn anonymous_file(size: usize) -> Option<i32> {
    // SAFETY: a name that ends with zero.
    let file = unsafe { libc::memfd_create(c"gusset-code".as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return None;
    }
    // SAFETY: an open file.
    if unsafe { libc::ftruncate(file, size as libc::off_t) } != 0 {
        // SAFETY: as above.
        unsafe { libc::close(file) };
        return None;
    }
    Some(file)
}

/// Other systems have no such files.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
fn anonymous_file(_: usize) -> Option<i32> {
    None
}

/// Makes whole pages writable, and no longer executable.
///
/// # Safety
/// They are mapped, and nothing runs there.
pub(crate) unsafe fn make_writable(at: *const u8, bytes: usize) -> io::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: the caller's word.
    match unsafe { libc::mprotect(at.cast_mut().cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Makes instruction caches, and other threads, see what was written, by whichever mapping. On x86 they always do.
///
/// # Safety
/// The bytes can be read.
pub(crate) unsafe fn flush(at: *const u8, bytes: usize) {
    // SAFETY: the caller's word.
    unsafe { gusset_runtime::flush_instruction_caches(at, bytes) };
    #[cfg(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "x86"))))]
    synchronize_cores();
}

/// Makes all processors that run this program fetch again what they have fetched before (`membarrier`).
#[cfg(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "x86"))))]
fn synchronize_cores() {
    const SYNC_CORE: i32 = 1 << 5;
    const REGISTER_SYNC_CORE: i32 = 1 << 6;
    // SAFETY: a system call without pointers. Old kernels do not have it and refuse; then there is no other way.
    unsafe {
        if libc::syscall(libc::SYS_membarrier, SYNC_CORE, 0, 0) != 0 {
            libc::syscall(libc::SYS_membarrier, REGISTER_SYNC_CORE, 0, 0);
            libc::syscall(libc::SYS_membarrier, SYNC_CORE, 0, 0);
        }
    }
}
