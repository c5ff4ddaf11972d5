//! The interface to Windows, through `kernel32.dll`.

use crate::error::Error;
use crate::thread;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::fmt;
use core::ptr::{self, NonNull};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualAlloc(at: *mut c_void, bytes: usize, kind: u32, access: u32) -> *mut c_void;
    fn VirtualProtect(at: *mut c_void, bytes: usize, access: u32, old: *mut u32) -> i32;
    fn VirtualFree(at: *mut c_void, bytes: usize, kind: u32) -> i32;
    fn FlushInstructionCache(process: *mut c_void, at: *const c_void, bytes: usize) -> i32;
    fn GetCurrentProcess() -> *mut c_void;
    fn GetProcessHeap() -> *mut c_void;
    fn HeapAlloc(heap: *mut c_void, flags: u32, bytes: usize) -> *mut c_void;
    fn HeapFree(heap: *mut c_void, flags: u32, at: *mut c_void) -> i32;
    fn GetLastError() -> u32;
    fn SetLastError(code: u32);
    fn GetStdHandle(which: u32) -> *mut c_void;
    fn WriteFile(file: *mut c_void, bytes: *const u8, count: u32, written: *mut u32, overlapped: *mut c_void) -> i32;
    fn AcquireSRWLockExclusive(lock: *mut *mut c_void);
    fn ReleaseSRWLockExclusive(lock: *mut *mut c_void);
    fn GetCurrentThreadStackLimits(low: *mut usize, high: *mut usize);
    fn FlsAlloc(end: Option<unsafe extern "system" fn(*mut c_void)>) -> u32;
    fn FlsGetValue(key: u32) -> *mut c_void;
    fn FlsSetValue(key: u32, pointer: *mut c_void) -> i32;
}

const MEM_COMMIT_RESERVE: u32 = 0x3000;
const MEM_RELEASE: u32 = 0x8000;
const PAGE_READWRITE: u32 = 4;
const PAGE_EXECUTE_READ: u32 = 0x20;
const STD_ERROR_HANDLE: u32 = -12i32 as u32;
const FLS_OUT_OF_INDEXES: u32 = u32::MAX;

/// Maps `bytes` of zeros, readable and writable.
pub(crate) fn map(bytes: usize) -> Result<NonNull<u8>, Error> {
    // SAFETY: a new mapping at a place of the system's choice touches nothing that exists.
    let at = unsafe { VirtualAlloc(ptr::null_mut(), bytes, MEM_COMMIT_RESERVE, PAGE_READWRITE) };
    NonNull::new(at.cast()).ok_or_else(|| Error::Map { bytes, code: last_error() })
}

/// Makes `bytes` at `at` executable and read-only.
///
/// # Safety
/// Whole pages of a mapping of [`map`], which nobody writes to from now on.
pub(crate) unsafe fn make_code(at: NonNull<u8>, bytes: usize) -> Result<(), Error> {
    let mut old = 0;
    // SAFETY: the caller's word.
    let done = unsafe {
        VirtualProtect(at.as_ptr().cast(), bytes, PAGE_EXECUTE_READ, &mut old) != 0 && flush(at.as_ptr(), bytes)
    };
    if done { Ok(()) } else { Err(Error::Protect { bytes, code: last_error() }) }
}

/// Makes instruction caches see the code that was written to `bytes` at `at`. Returns whether that was possible.
///
/// # Safety
/// The bytes can be read.
pub(crate) unsafe fn flush(at: *const u8, bytes: usize) -> bool {
    // SAFETY: the caller's word.
    unsafe { FlushInstructionCache(GetCurrentProcess(), at.cast(), bytes) != 0 }
}

/// Unmaps a mapping of [`map`].
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

/// Memory of the process's heap, aligned to at least 8 bytes; null if there is none.
pub(crate) fn allocate(bytes: usize) -> *mut u8 {
    // SAFETY: any size will do.
    unsafe { HeapAlloc(GetProcessHeap(), 0, bytes) }.cast()
}

/// Gives back memory of [`allocate`].
///
/// # Safety
/// Such memory, which nothing refers to.
pub(crate) unsafe fn release(at: *mut u8) {
    // SAFETY: the caller's word.
    unsafe { HeapFree(GetProcessHeap(), 0, at.cast()) };
}

fn last_error() -> i32 {
    // SAFETY: the calling thread's own variable.
    unsafe { GetLastError() as i32 }
}

/// Sets what `GetLastError` returns.
pub(crate) fn set_last_error(code: i32) {
    // SAFETY: the calling thread's own variable.
    unsafe { SetLastError(code as u32) };
}

/// Writes the meaning of a system error number.
pub(crate) fn explain(code: i32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "system error {code}")
}

/// Writes to standard error, if possible.
pub(crate) fn complain(text: &[u8]) {
    let mut written = 0;
    // SAFETY: these bytes can be read. There is no other way to report a failure.
    unsafe {
        WriteFile(GetStdHandle(STD_ERROR_HANDLE), text.as_ptr(), text.len() as u32, &mut written, ptr::null_mut());
    }
}

/// Ends the process as a failure.
pub(crate) fn abort() -> ! {
    // `__fastfail` with FAST_FAIL_FATAL_APP_EXIT, which no handler can catch.
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    // SAFETY: may be done at any time.
    unsafe {
        core::arch::asm!("int 0x29", in("ecx") 7, options(noreturn, nostack))
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!("brk 0xf003", in("x0") 7, options(noreturn, nostack))
    }
}

/// A lock, to be held for a few instructions only.
pub(crate) struct Lock(UnsafeCell<*mut c_void>);

// SAFETY: this is what the lock is for.
unsafe impl Sync for Lock {}

impl Lock {
    pub(crate) const fn new() -> Lock {
        Lock(UnsafeCell::new(ptr::null_mut()))
    }

    pub(crate) fn lock(&self) {
        // SAFETY: an initialized lock that never moves, being static. No thread locks it twice.
        unsafe { AcquireSRWLockExclusive(self.0.get()) };
    }

    /// # Safety
    /// This thread has the lock.
    pub(crate) unsafe fn unlock(&self) {
        // SAFETY: the caller's word.
        unsafe { ReleaseSRWLockExclusive(self.0.get()) };
    }
}

/// Windows has no `fork`.
pub(crate) fn around_fork(_before: extern "C" fn(), _after: extern "C" fn()) -> Result<(), Error> {
    Ok(())
}

/// The key of a pointer that each thread has, null at first.
pub(crate) type Key = u32;

unsafe extern "system" fn end(pointer: *mut c_void) {
    // SAFETY: called at a thread's end with the thread's pointer.
    unsafe { thread::end(pointer) }
}

/// Makes such a key. At a thread's end [`thread::end`] gets the thread's pointer, if it is not null.
pub(crate) fn make_key() -> Result<Key, Error> {
    // SAFETY: the function lives as long as the library.
    match unsafe { FlsAlloc(Some(end)) } {
        FLS_OUT_OF_INDEXES => Err(Error::Start { code: last_error() }),
        key => Ok(key),
    }
}

/// The calling thread's pointer.
///
/// # Safety
/// A key of [`make_key`].
#[inline]
pub(crate) unsafe fn thread_pointer(key: Key) -> *mut c_void {
    // SAFETY: the caller's word.
    unsafe { FlsGetValue(key) }
}

/// Sets the calling thread's pointer. Returns whether that was possible.
///
/// # Safety
/// A key of [`make_key`].
pub(crate) unsafe fn set_thread_pointer(key: Key, pointer: *mut c_void) -> bool {
    // SAFETY: the caller's word.
    unsafe { FlsSetValue(key, pointer) != 0 }
}

/// The calling thread's own stack: its lowest address, and the one after its highest.
pub(crate) fn stack() -> (usize, usize) {
    let (mut low, mut high) = (0, 0);
    // SAFETY: fills both.
    unsafe { GetCurrentThreadStackLimits(&mut low, &mut high) };
    (low, high)
}

/// Nothing is known about an address here.
pub(crate) fn locate(_address: usize) -> Option<(&'static str, usize, Option<&'static str>)> {
    None
}
