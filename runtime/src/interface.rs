//! The C interface, as `gusset_runtime.h` declares it (`compiler/src/runtime`), and the names that Fortran compilers call.

use crate::arch;
use crate::error::Error;
use crate::pool::{self, Record};
use crate::report::{self, Line};
use crate::{scratch, system, thread};
use core::arch::naked_asm;
use core::ffi::{c_char, c_void};
use core::fmt::Write;
use core::ptr;

/// Is or'ed to the handle of a trampoline in the caller's memory.
const IN_PLACE: usize = 1;

/// Is it the handle of a trampoline in the caller's memory, which is aligned?
fn is_in_place(handle: *const c_void) -> bool {
    handle as usize & (size_of::<usize>() - 1) == IN_PLACE
}

/// # Safety
/// As [`gusset_trampoline_init`].
#[inline]
unsafe fn init(
    kind: usize,
    scratch: *mut c_void,
    callee: *const c_void,
    chain: *const c_void,
) -> Result<*mut c_void, Error> {
    if scratch.is_null() {
        return Ok(pool::take(kind, callee.cast(), chain.cast())?.as_ptr().cast());
    }
    // SAFETY: the caller's word.
    unsafe { scratch::write(kind, scratch.cast(), callee.cast(), chain.cast())? };
    Ok(scratch.wrapping_byte_add(IN_PLACE))
}

/// Makes a trampoline that calls `callee` with `chain` in the static chain register of C functions. Returns its handle,
/// or null with `errno` (`GetLastError`) set and a text in [`gusset_trampoline_error`].
///
/// # Safety
/// `scratch` is null, or points to 32 bytes that are writable now, aligned like pointers, and executable when the
/// trampoline is called; the trampoline then is made there instead of in the pool. Not to be called by signal handlers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_trampoline_init(
    scratch: *mut c_void,
    callee: *const c_void,
    chain: *const c_void,
) -> *mut c_void {
    // SAFETY: the caller's word.
    unsafe { init(0, scratch, callee, chain) }.unwrap_or_else(|error| remember(&error))
}

/// The same for functions of 32-bit x86 whose static chain is in eax: those of `fastcall` and `thiscall`.
///
/// # Safety
/// As [`gusset_trampoline_init`].
#[cfg(target_arch = "x86")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_trampoline_init_eax(
    scratch: *mut c_void,
    callee: *const c_void,
    chain: *const c_void,
) -> *mut c_void {
    // SAFETY: the caller's word.
    unsafe { init(1, scratch, callee, chain) }.unwrap_or_else(|error| remember(&error))
}

/// What compiled hosts call, under a name that says to whoever reads a linker's message what is missing. `host` is the
/// host's variable for the handle: null now, and the handle from then on until the host ends. If the host is left
/// without freeing the trampoline, as by `longjmp`, a later call on the thread takes it back.
///
/// # Safety
/// As [`gusset_trampoline_init`]; `host` is a variable of the caller's frame.
#[unsafe(export_name = "gusset_host_trampoline_init__link_with_libgusset_runtime")]
pub unsafe extern "C" fn host_init(
    host: *const *const c_void,
    callee: *const c_void,
    chain: *const c_void,
) -> *mut c_void {
    // SAFETY: the caller's word.
    unsafe { init_for_host(0, host, callee, chain) }
}

/// The same for functions of 32-bit x86 whose static chain is in eax.
///
/// # Safety
/// As [`host_init`].
#[cfg(target_arch = "x86")]
#[unsafe(export_name = "gusset_host_trampoline_init_eax__link_with_libgusset_runtime")]
pub unsafe extern "C" fn host_init_eax(
    host: *const *const c_void,
    callee: *const c_void,
    chain: *const c_void,
) -> *mut c_void {
    // SAFETY: the caller's word.
    unsafe { init_for_host(1, host, callee, chain) }
}

/// # Safety
/// As [`host_init`].
#[inline]
unsafe fn init_for_host(
    kind: usize,
    host: *const *const c_void,
    callee: *const c_void,
    chain: *const c_void,
) -> *mut c_void {
    // SAFETY: the caller's word.
    match unsafe { pool::take_for_host(kind, host.cast(), callee.cast(), chain.cast()) } {
        Ok(record) => record.as_ptr().cast(),
        Err(error) => remember(&error),
    }
}

#[cold]
fn remember(error: &Error) -> *mut c_void {
    let mut text = Line::new();
    let _ = write!(text, "{error}");
    let _ = thread::with(|local| local.last_error.set(Some(text)));
    // Last, since anything before may change it.
    system::set_last_error(error.code());
    ptr::null_mut()
}

/// Why the last [`gusset_trampoline_init`] of this thread that failed did so: a text that stays until the next failure;
/// null if there was none.
#[unsafe(no_mangle)]
pub extern "C" fn gusset_trampoline_error() -> *const c_char {
    // SAFETY: only this thread accesses it, and no reference is kept.
    let text = thread::with(|local| unsafe { (*local.last_error.as_ptr()).as_ref() }.map(|line| line.text.as_ptr()));
    match text {
        Ok(text) => text.unwrap_or(ptr::null()).cast(),
        Err(_) => c"no memory for what the thread needs".as_ptr(),
    }
}

/// The address to call: a function pointer. For null, the handle of a failed call, it ends the program with a message,
/// so that callers need not check every handle.
///
/// # Safety
/// The handle of a trampoline that is not freed, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_trampoline_adjust(handle: *const c_void) -> *mut c_void {
    if handle.is_null() {
        report::without_handle(gusset_trampoline_error());
    }
    if is_in_place(handle) {
        return handle.wrapping_byte_sub(IN_PLACE).cast_mut();
    }
    match Record::of(handle.cast()) {
        // SAFETY: it is a trampoline's.
        Some(record) => unsafe { record.as_ref() }.code() as *mut c_void,
        None => report::no_trampoline("called", handle, ptr::null()),
    }
}

/// Implements [`gusset_trampoline_free`], which adds its return address.
///
/// # Safety
/// Null, or the handle of a trampoline that is no longer used.
pub(crate) unsafe extern "C" fn free(handle: *mut c_void, site: *const ()) {
    if handle.is_null() || is_in_place(handle) {
        return;
    }
    match Record::of(handle.cast()) {
        // SAFETY: it is a trampoline's record, and the caller guarantees that it is no longer used.
        Some(record) => unsafe { pool::give(record, site) },
        None => report::no_trampoline("freed", handle, site),
    }
}

/// Defines functions that free a trampoline.
macro_rules! frees {
    ($($(#[$doc:meta])* $name:ident = $symbol:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Null, or the handle of a trampoline that is no longer used.
        #[unsafe(naked)]
        #[unsafe(export_name = $symbol)]
        pub unsafe extern "C" fn $name(handle: *mut c_void) {
            naked_asm!(arch::free_code!(), sym arch::free)
        }
    )*};
}

frees! {
    /// Frees a trampoline; null has no effect. A later call through it, as long as it is not in use again, ends the
    /// program with a message, and so does a second `free`.
    gusset_trampoline_free = "gusset_trampoline_free";
    /// [`gusset_trampoline_free`] as Fortran compilers call it.
    fortran_free = "_FortranATrampolineFree";
    /// The documented name for [`fortran_free`].
    fortran_free_as_documented = "_FortranAFreeTrampoline";
}

/// [`gusset_trampoline_init`] as Fortran compilers call it (flang/include/flang/Runtime/trampoline.h). Where that
/// returns null, this ends the program with a message.
///
/// # Safety
/// As [`gusset_trampoline_init`].
#[unsafe(export_name = "_FortranATrampolineInit")]
pub unsafe extern "C" fn fortran_init(
    scratch: *mut c_void,
    callee: *const c_void,
    chain: *const c_void,
) -> *mut c_void {
    // SAFETY: the caller's word.
    match unsafe { init(0, scratch, callee, chain) } {
        Ok(handle) => handle,
        Err(error) => report::refused(callee.cast(), &error),
    }
}

/// The name in flang/docs/InternalProcedureTrampolines.md for [`fortran_init`].
///
/// # Safety
/// As [`gusset_trampoline_init`].
#[unsafe(export_name = "_FortranAInitTrampoline")]
pub unsafe extern "C" fn fortran_init_as_documented(
    scratch: *mut c_void,
    callee: *const c_void,
    chain: *const c_void,
) -> *mut c_void {
    // SAFETY: the caller's word.
    unsafe { fortran_init(scratch, callee, chain) }
}

/// [`gusset_trampoline_adjust`] as Fortran compilers call it.
///
/// # Safety
/// As [`gusset_trampoline_adjust`].
#[unsafe(export_name = "_FortranATrampolineAdjust")]
pub unsafe extern "C" fn fortran_adjust(handle: *const c_void) -> *mut c_void {
    // SAFETY: the caller's word.
    unsafe { gusset_trampoline_adjust(handle) }
}

/// The documented name for [`fortran_adjust`].
///
/// # Safety
/// As [`gusset_trampoline_adjust`].
#[unsafe(export_name = "_FortranAAdjustTrampoline")]
pub unsafe extern "C" fn fortran_adjust_as_documented(handle: *const c_void) -> *mut c_void {
    // SAFETY: the caller's word.
    unsafe { gusset_trampoline_adjust(handle) }
}

/// The address of the function of the library that compiled code calls by this name.
pub fn function(name: &str) -> Option<*const ()> {
    Some(match name {
        "gusset_trampoline_init" => gusset_trampoline_init as *const (),
        #[cfg(target_arch = "x86")]
        "gusset_trampoline_init_eax" => gusset_trampoline_init_eax as *const (),
        "gusset_host_trampoline_init__link_with_libgusset_runtime" => host_init as *const (),
        #[cfg(target_arch = "x86")]
        "gusset_host_trampoline_init_eax__link_with_libgusset_runtime" => host_init_eax as *const (),
        "gusset_trampoline_adjust" | "_FortranATrampolineAdjust" | "_FortranAAdjustTrampoline" => {
            gusset_trampoline_adjust as *const ()
        }
        "gusset_trampoline_free" | "_FortranATrampolineFree" | "_FortranAFreeTrampoline" => {
            gusset_trampoline_free as *const ()
        }
        "_FortranATrampolineInit" | "_FortranAInitTrampoline" => fortran_init as *const (),
        "gusset_trampoline_error" => gusset_trampoline_error as *const (),
        _ => return None,
    })
}
