//! The interface to Unix systems, through the C library.

use crate::error::Error;
use crate::thread;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_void};
use core::fmt;
use core::ptr::{self, NonNull};

/// Maps `bytes` of zeros, readable and writable.
pub(crate) fn map(bytes: usize) -> Result<NonNull<u8>, Error> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at a place of the system's choice touches nothing that exists.
    let at = unsafe { libc::mmap(ptr::null_mut(), bytes, access, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0) };
    match NonNull::new(at.cast::<u8>()) {
        Some(start) if at != libc::MAP_FAILED => Ok(start),
        _ => Err(Error::Map { bytes, code: last_error() }),
    }
}

/// Makes `bytes` at `at` executable and read-only.
///
/// # Safety
/// Whole pages of a mapping of [`map`], which nobody writes to from now on.
pub(crate) unsafe fn make_code(at: NonNull<u8>, bytes: usize) -> Result<(), Error> {
    // SAFETY: the caller's word.
    if unsafe { libc::mprotect(at.as_ptr().cast(), bytes, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
        return Err(Error::Protect { bytes, code: last_error() });
    }
    // SAFETY: these bytes can be read.
    unsafe { flush(at.as_ptr(), bytes) };
    Ok(())
}

/// Makes instruction caches see the code that was written to `bytes` at `at`; on x86 they always do.
///
/// # Safety
/// The bytes can be read.
pub unsafe fn flush(at: *const u8, bytes: usize) {
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    let _ = (at, bytes);
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the caller's word.
    unsafe {
        crate::arch::flush(at as usize, at as usize + bytes);
    }
    // `__ARM_NR_cacheflush`, which also takes the end; flags are not defined yet.
    #[cfg(target_arch = "arm")]
    // SAFETY: the caller's word.
    unsafe {
        libc::syscall(0x0f_0002, at, at.wrapping_add(bytes), 0);
    }
}

/// Unmaps a mapping of [`map`].
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

/// Memory of the C library, aligned to at least 16 bytes; null if there is none.
pub(crate) fn allocate(bytes: usize) -> *mut u8 {
    // SAFETY: any size will do.
    unsafe { libc::malloc(bytes) }.cast()
}

/// Gives back memory of [`allocate`].
///
/// # Safety
/// Such memory, which nothing refers to.
pub(crate) unsafe fn release(at: *mut u8) {
    // SAFETY: the caller's word.
    unsafe { libc::free(at.cast()) }
}

fn last_error() -> i32 {
    // SAFETY: the calling thread's own variable.
    unsafe { *libc::__errno_location() }
}

/// Sets `errno`.
pub(crate) fn set_last_error(code: i32) {
    // SAFETY: the calling thread's own variable.
    unsafe { *libc::__errno_location() = code };
}

/// Writes the meaning of a system error number.
pub(crate) fn explain(code: i32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = [0u8; 100];
    // SAFETY: writes to this buffer, whose last byte stays zero.
    let found = unsafe { libc::strerror_r(code, text.as_mut_ptr().cast(), text.len() - 1) } == 0;
    match CStr::from_bytes_until_nul(&text).map(CStr::to_str) {
        Ok(Ok(text)) if found => write!(f, "{text} (errno {code})"),
        _ => write!(f, "errno {code}"),
    }
}

/// Writes to standard error, if possible.
pub(crate) fn complain(mut text: &[u8]) {
    while !text.is_empty() {
        // SAFETY: these bytes can be read.
        match usize::try_from(unsafe { libc::write(2, text.as_ptr().cast(), text.len()) }) {
            Ok(written) if written > 0 => text = text.get(written..).unwrap_or_default(),
            // There is no other way to report it.
            _ => break,
        }
    }
}

/// Ends the process as a failure.
pub(crate) fn abort() -> ! {
    // SAFETY: may be called at any time.
    unsafe { libc::abort() }
}

/// A lock, to be held for a few instructions only.
pub(crate) struct Lock(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: this is what a mutex is for.
unsafe impl Sync for Lock {}

impl Lock {
    pub(crate) const fn new() -> Lock {
        Lock(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER))
    }

    pub(crate) fn lock(&self) {
        // SAFETY: an initialized mutex that never moves, being static. No thread locks it twice, so this cannot fail.
        unsafe { libc::pthread_mutex_lock(self.0.get()) };
    }

    /// # Safety
    /// This thread, or the one that it is a copy of since a fork, has the lock.
    pub(crate) unsafe fn unlock(&self) {
        // SAFETY: the caller's word.
        unsafe { libc::pthread_mutex_unlock(self.0.get()) };
    }
}

/// Makes `before` run before every `fork`, and `after` afterwards in both processes.
pub(crate) fn around_fork(before: extern "C" fn(), after: extern "C" fn()) -> Result<(), Error> {
    // SAFETY: both are functions without arguments that live as long as the library.
    match unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after)) } {
        0 => Ok(()),
        code => Err(Error::Start { code }),
    }
}

/// The key of a pointer that each thread has, null at first.
pub(crate) type Key = libc::pthread_key_t;

unsafe extern "C" fn end(pointer: *mut c_void) {
    // SAFETY: called at a thread's end with the thread's pointer.
    unsafe { thread::end(pointer) }
}

/// Makes such a key. At a thread's end [`thread::end`] gets the thread's pointer, if it is not null.
pub(crate) fn make_key() -> Result<Key, Error> {
    let mut key = 0;
    // SAFETY: the function lives as long as the library.
    match unsafe { libc::pthread_key_create(&mut key, Some(end)) } {
        0 => Ok(key),
        code => Err(Error::Start { code }),
    }
}

/// The calling thread's pointer.
///
/// # Safety
/// A key of [`make_key`].
#[inline]
pub(crate) unsafe fn thread_pointer(key: Key) -> *mut c_void {
    // SAFETY: the caller's word.
    unsafe { libc::pthread_getspecific(key) }
}

/// Sets the calling thread's pointer. Returns whether that was possible.
///
/// # Safety
/// A key of [`make_key`].
pub(crate) unsafe fn set_thread_pointer(key: Key, pointer: *mut c_void) -> bool {
    // SAFETY: the caller's word.
    unsafe { libc::pthread_setspecific(key, pointer) == 0 }
}

/// The calling thread's own stack: its lowest address, and the one after its highest; zeros if it is not known.
pub(crate) fn stack() -> (usize, usize) {
    let (mut low, mut bytes) = (ptr::null_mut(), 0);
    // SAFETY: the functions fill the records, and the attributes are only used if they are.
    unsafe {
        let mut attributes = core::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return (0, 0);
        }
        let known = libc::pthread_attr_getstack(&attributes, &mut low, &mut bytes) == 0;
        libc::pthread_attr_destroy(&mut attributes);
        if known { (low as usize, low as usize + bytes) } else { (0, 0) }
    }
}

/// The file that contains `address`, the offset in it, and the function that begins at or before it, if known.
pub(crate) fn locate(address: usize) -> Option<(&'static str, usize, Option<&'static str>)> {
    // SAFETY: a record of plain numbers and pointers.
    let mut found: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: the function looks any address up, and fills the record.
    if unsafe { libc::dladdr(address as *const _, &mut found) } == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: strings of the dynamic linker, which stay.
    let text = |string| unsafe { CStr::from_ptr(string) }.to_str().unwrap_or("?");
    let name = if found.dli_sname.is_null() { None } else { Some(text(found.dli_sname)) };
    Some((text(found.dli_fname), address.wrapping_sub(found.dli_fbase as usize), name))
}
