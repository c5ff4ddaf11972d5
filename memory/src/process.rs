//! Symbols of the process: of the program, its libraries, and what comes with this crate.

#[cfg(all(windows, target_env = "gnu"))]
mod mingw;

#[cfg(unix)]
mod system {
    use std::ffi::CString;

    /// The address of a function or variable that the process has, or that glibc's library of mathematical functions has: for
    /// programs it is part of C's library, and this process need not have it.
    pub(super) fn find(name: &str) -> Option<u64> {
        let name = CString::new(name).ok()?;
        // SAFETY: a name that ends with zero.
        let at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        if !at.is_null() || !cfg!(target_env = "gnu") {
            return (!at.is_null()).then_some(at as usize as u64);
        }
        // SAFETY: the library has no constructors that do anything; it stays loaded, however often this is asked.
        let at = unsafe {
            let library = libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
            if library.is_null() {
                return None;
            }
            libc::dlsym(library, name.as_ptr())
        };
        (!at.is_null()).then_some(at as usize as u64)
    }

    /// The number of the library that an address of the calling thread's data belongs to, and its offset in the library's block.
    #[cfg(target_os = "linux")]
    pub(super) fn thread_local(at: u64) -> Option<[u64; 2]> {
        unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, found: *mut libc::c_void) -> i32 {
            // SAFETY: the C library calls this with a description, and with the pointer that is given below.
            let (info, found) = unsafe { (&*info, &mut *found.cast::<(u64, Option<[u64; 2]>)>()) };
            // SAFETY: the description says how many headers there are.
            let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
            let size = headers.iter().find(|h| h.p_type == libc::PT_TLS).map_or(0, |h| h.p_memsz as usize);
            let offset = found.0.wrapping_sub(info.dlpi_tls_data as usize as u64);
            if info.dlpi_tls_data.is_null() || offset >= size as u64 {
                return 0;
            }
            found.1 = Some([info.dlpi_tls_modid as u64, offset]);
            1
        }
        let mut found = (at, None);
        // SAFETY: the function does what the C library expects of it.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
        found.1
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::{CString, c_char, c_void};

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetCurrentProcess() -> *mut c_void;
        fn GetProcAddress(module: *mut c_void, name: *const c_char) -> *const c_void;
        fn K32EnumProcessModules(process: *mut c_void, list: *mut *mut c_void, bytes: u32, wanted: *mut u32) -> i32;
    }

    /// The address of a function or variable that some module of the process has.
    pub(super) fn find(name: &str) -> Option<u64> {
        let mut modules = [std::ptr::null_mut::<c_void>(); 256];
        let mut wanted = 0;
        let bytes = std::mem::size_of_val(&modules) as u32;
        // SAFETY: the list has so many bytes.
        let listed = unsafe { K32EnumProcessModules(GetCurrentProcess(), modules.as_mut_ptr(), bytes, &mut wanted) };
        let count = if listed == 0 { 0 } else { wanted.min(bytes) as usize / size_of::<*mut c_void>() };
        let name = CString::new(name).ok()?;
        modules[..count].iter().find_map(|&module| {
            // SAFETY: a module of the process, and a name that ends with zero.
            let at = unsafe { GetProcAddress(module, name.as_ptr()) };
            (!at.is_null()).then_some(at as usize as u64)
        })
    }
}

/// A symbol by its name in objects.
pub(crate) fn find(name: &str) -> Option<u64> {
    own(name).or_else(|| system::find(name)).or_else(|| {
        // 32-bit Windows' names have an underscore, and may say how many bytes of arguments a function pops.
        let bare = name.strip_prefix('_').filter(|_| cfg!(all(windows, target_arch = "x86")))?;
        let bare = bare.split_once('@').map_or(bare, |(bare, _)| bare);
        own(bare).or_else(|| system::find(bare))
    })
}

/// A symbol that a library of the process shows.
#[cfg(all(windows, target_arch = "x86", target_env = "gnu"))]
pub(crate) fn exported(name: &str) -> Option<u64> {
    system::find(name)
}

/// Thread-local data of the process's libraries: the two words that the C library's `__tls_get_addr` takes.
#[cfg(target_os = "linux")]
pub(crate) fn find_thread_local(name: &str) -> Option<[u64; 2]> {
    // What is found is the calling thread's own.
    system::find(name).and_then(system::thread_local)
}

/// There is none elsewhere.
#[cfg(not(target_os = "linux"))]
pub(crate) fn find_thread_local(_: &str) -> Option<[u64; 2]> {
    None
}

/// Functions of Gusset's runtime, which are part of this program, and those that programs get from a static part of the C library.
fn own(name: &str) -> Option<u64> {
    #[cfg(unix)]
    if name == "atexit" {
        return Some(libc::atexit as *const () as usize as u64);
    }
    #[cfg(all(windows, target_env = "gnu"))]
    if let Some(function) = mingw::function(name) {
        return Some(function as usize as u64);
    }
    gusset_runtime::c::function(name).map(|function| function as usize as u64)
}
