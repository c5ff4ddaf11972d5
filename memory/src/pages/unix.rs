//! Unix's mappings.

use std::io;
use std::ptr;

/// Code that is mapped twice, and data after it.
#[derive(Debug)]
pub(crate) struct Chunk {
    code: *mut u8,
    alias: *mut u8,
    size: usize,
}

// SAFETY: the mappings belong to the chunk. Who writes where is decided by the lists of free room.
unsafe impl Send for Chunk {}
// SAFETY: as above.
unsafe impl Sync for Chunk {}

pub(crate) fn page_size() -> usize {
    // SAFETY: it only asks.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

fn map(at: *mut u8, size: usize, protection: i32, flags: i32, file: i32) -> Option<*mut u8> {
    // SAFETY: without a place the system chooses one where nothing is; with one, it lies in a reservation of the caller's.
    let at = unsafe { libc::mmap(at.cast(), size, protection, flags, file, 0) };
    (at != libc::MAP_FAILED).then_some(at.cast())
}

impl Chunk {
    /// Maps `size` bytes of code, and as many of data. `None` if the system refuses.
    pub fn new(size: usize) -> Option<Chunk> {
        let file = anonymous_file(size)?;
        let chunk = Chunk::of_file(size, file);
        // SAFETY: the mappings keep the file.
        unsafe { libc::close(file) };
        chunk
    }

    fn of_file(size: usize, file: i32) -> Option<Chunk> {
        let (read, write, execute) = (libc::PROT_READ, libc::PROT_WRITE, libc::PROT_EXEC);
        let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let all = map(ptr::null_mut(), 2 * size, libc::PROT_NONE, private, -1)?;
        let code = map(all, size, read | execute, libc::MAP_SHARED | libc::MAP_FIXED, file);
        let data = map(all.wrapping_add(size), size, read | write, private | libc::MAP_FIXED, -1);
        let alias = map(ptr::null_mut(), size, read | write, libc::MAP_SHARED, file);
        match (code, data, alias) {
            (Some(code), Some(_), Some(alias)) => Some(Chunk { code, alias, size }),
            (_, _, alias) => {
                // SAFETY: both were mapped here and are used by nobody.
                unsafe {
                    libc::munmap(all.cast(), 2 * size);
                    if let Some(alias) = alias {
                        libc::munmap(alias.cast(), size);
                    }
                }
                None
            }
        }
    }

    /// Where code is run.
    pub fn code(&self) -> *mut u8 {
        self.code
    }

    /// Where it is written.
    pub fn alias(&self) -> *mut u8 {
        self.alias
    }

    /// Where data is.
    pub fn data(&self) -> *mut u8 {
        self.code.wrapping_add(self.size)
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: both mappings are the chunk's own, and the modules in it are gone.
        unsafe {
            libc::munmap(self.code.cast(), 2 * self.size);
            libc::munmap(self.alias.cast(), self.size);
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
