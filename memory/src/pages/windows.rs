//! Windows' mappings. Every module has a buffer of its own.

use std::convert::Infallible;
use std::ffi::c_void;
use std::io;

/// There are none here.
#[derive(Debug)]
pub(crate) struct Chunk(Infallible);

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualProtect(at: *const c_void, bytes: usize, protection: u32, old: *mut u32) -> i32;
    fn GetCurrentProcess() -> *mut c_void;
    fn FlushInstructionCache(process: *mut c_void, at: *const c_void, bytes: usize) -> i32;
}

const PAGE_READWRITE: u32 = 4;

/// The unit of protection on all processors that Windows runs on.
pub(crate) fn page_size() -> usize {
    4096
}

impl Chunk {
    pub fn new(_: usize) -> Option<Chunk> {
        None
    }

    pub fn code(&self) -> *mut u8 {
        match self.0 {}
    }

    pub fn alias(&self) -> *mut u8 {
        match self.0 {}
    }

    pub fn data(&self) -> *mut u8 {
        match self.0 {}
    }
}

/// Makes whole pages writable, and no longer executable.
///
/// # Safety
/// They are mapped, and nothing runs there.
pub(crate) unsafe fn make_writable(at: *const u8, bytes: usize) -> io::Result<()> {
    let mut old = 0;
    // SAFETY: the caller's word.
    if bytes == 0 || unsafe { VirtualProtect(at.cast(), bytes, PAGE_READWRITE, &mut old) } != 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

/// Makes instruction caches see what was written.
///
/// # Safety
/// The bytes can be read.
pub(crate) unsafe fn flush(at: *const u8, bytes: usize) {
    // SAFETY: the caller's word.
    unsafe { FlushInstructionCache(GetCurrentProcess(), at.cast(), bytes) };
}
