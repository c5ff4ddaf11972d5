//! Windows' mappings.

use std::ffi::c_void;
use std::io;
use std::ptr;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualAlloc(at: *const c_void, bytes: usize, kind: u32, protection: u32) -> *mut c_void;
    fn VirtualFree(at: *mut c_void, bytes: usize, kind: u32) -> i32;
    fn VirtualProtect(at: *const c_void, bytes: usize, protection: u32, old: *mut u32) -> i32;
    fn CreateFileMappingW(
        file: isize,
        security: *const c_void,
        protection: u32,
        size_high: u32,
        size_low: u32,
        name: *const u16,
    ) -> *mut c_void;
    fn MapViewOfFileEx(
        file: *mut c_void,
        access: u32,
        offset_high: u32,
        offset_low: u32,
        bytes: usize,
        at: *mut c_void,
    ) -> *mut c_void;
    fn UnmapViewOfFile(at: *const c_void) -> i32;
    fn CloseHandle(handle: *mut c_void) -> i32;
    fn GetCurrentProcess() -> *mut c_void;
    fn FlushInstructionCache(process: *mut c_void, at: *const c_void, bytes: usize) -> i32;
}

/// In place of a file: the memory is the system's.
const NO_FILE: isize = -1;
const PAGE_NOACCESS: u32 = 1;
const PAGE_READWRITE: u32 = 4;
/// What views of a file may be together. Each of ours is less.
const PAGE_EXECUTE_READWRITE: u32 = 0x40;
const MEM_COMMIT: u32 = 0x1000;
const MEM_RESERVE: u32 = 0x2000;
const MEM_RELEASE: u32 = 0x8000;
const FILE_MAP_WRITE: u32 = 2;
const FILE_MAP_READ: u32 = 4;
const FILE_MAP_EXECUTE: u32 = 0x20;
/// How often a range of addresses is looked for: another thread may take it before it is mapped.
const ATTEMPTS: u32 = 8;

/// The unit of protection on all processors that Windows runs on.
pub(crate) fn page_size() -> usize {
    4096
}

/// Maps `size` bytes of code, with as many of data after them, and the code once more. Gives the addresses of the code where it
/// is run and where it is written; `None` if the system refuses.
pub(crate) fn map_twice(size: usize) -> Option<(*mut u8, *mut u8)> {
    // SAFETY: a file without a name and of the default security.
    let file = unsafe {
        CreateFileMappingW(NO_FILE, ptr::null(), PAGE_EXECUTE_READWRITE, 0, u32::try_from(size).ok()?, ptr::null())
    };
    if file.is_null() {
        return None;
    }
    let mapped = (0..ATTEMPTS).find_map(|_| map_file_twice(size, file));
    // SAFETY: the mappings keep the file.
    unsafe { CloseHandle(file) };
    mapped
}

fn map_file_twice(size: usize, file: *mut c_void) -> Option<(*mut u8, *mut u8)> {
    let view = |access: u32, at: *mut u8| {
        // SAFETY: the system maps the file where nothing is, or not at all.
        unsafe { MapViewOfFileEx(file, access, 0, 0, size, at.cast()) }.cast::<u8>()
    };
    let allocate = |at: *mut u8, size: usize, kind: u32, protection: u32| {
        // SAFETY: the system takes addresses where nothing is, or none.
        unsafe { VirtualAlloc(at.cast(), size, kind, protection) }.cast::<u8>()
    };
    let all = allocate(ptr::null_mut(), 2 * size, MEM_RESERVE, PAGE_NOACCESS);
    if all.is_null() {
        return None;
    }
    // SAFETY: it was reserved here and is used by nobody. A view cannot lie in a reservation.
    unsafe { VirtualFree(all.cast(), 0, MEM_RELEASE) };
    let code = view(FILE_MAP_READ | FILE_MAP_EXECUTE, all);
    let data = allocate(all.wrapping_add(size), size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    let alias = view(FILE_MAP_READ | FILE_MAP_WRITE, ptr::null_mut());
    if code.is_null() || data.is_null() || alias.is_null() {
        // SAFETY: nobody uses them yet.
        unsafe { unmap_parts(code, data, alias) };
        return None;
    }
    Some((code, alias))
}

/// Gives back what [`map_twice`] has mapped.
///
/// # Safety
/// Nobody uses it any more.
pub(crate) unsafe fn unmap_both(code: *mut u8, alias: *mut u8, size: usize) {
    // SAFETY: the caller's word.
    unsafe { unmap_parts(code, code.wrapping_add(size), alias) };
}

/// Gives back the parts that are there.
unsafe fn unmap_parts(code: *mut u8, data: *mut u8, alias: *mut u8) {
    // SAFETY: the caller's word: nobody uses them any more.
    unsafe {
        for view in [code, alias] {
            if !view.is_null() {
                UnmapViewOfFile(view.cast());
            }
        }
        if !data.is_null() {
            VirtualFree(data.cast(), 0, MEM_RELEASE);
        }
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
