//! Choices for a compilation.

use std::ffi::c_int;

use gusset::{Emit, OptimizationLevel, Options, Relocation};

use crate::owned::free;

/// Choices: `gusset_options` of `gusset.h`.
#[derive(Clone, Debug, Default)]
pub struct COptions(pub(crate) Options);

/// The default choices.
#[unsafe(no_mangle)]
pub extern "C" fn gusset_options_new() -> *mut COptions {
    Box::into_raw(Box::default())
}

/// Changes the choices; unknown numbers are not taken.
unsafe fn change(options: *mut COptions, change: impl FnOnce(&mut Options) -> Option<()>) -> c_int {
    // SAFETY: C's word.
    let changed = unsafe { options.as_mut() }.and_then(|options| change(&mut options.0));
    c_int::from(changed.is_some())
}

/// Sets the form of the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_options_set_emit(options: *mut COptions, emit: c_int) -> c_int {
    let emit = match emit {
        0 => Some(Emit::Object),
        1 => Some(Emit::Assembly),
        2 => Some(Emit::Ir),
        _ => None,
    };
    // SAFETY: C's word.
    unsafe { change(options, |options| emit.map(|emit| options.emit = emit)) }
}

/// Sets the level of optimization.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_options_set_level(options: *mut COptions, level: c_int) -> c_int {
    let level = match level {
        0 => Some(OptimizationLevel::O0),
        1 => Some(OptimizationLevel::O1),
        2 => Some(OptimizationLevel::O2),
        3 => Some(OptimizationLevel::Os),
        _ => None,
    };
    // SAFETY: C's word.
    unsafe { change(options, |options| level.map(|level| options.level = level)) }
}

/// Sets where the code may be loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_options_set_relocation(options: *mut COptions, relocation: c_int) -> c_int {
    let relocation = match relocation {
        0 => Some(Relocation::Module),
        1 => Some(Relocation::Pic),
        2 => Some(Relocation::Static),
        _ => None,
    };
    // SAFETY: C's word.
    unsafe { change(options, |options| relocation.map(|relocation| options.relocation = relocation)) }
}

/// Sets how many threads compile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_options_set_threads(options: *mut COptions, threads: usize) -> c_int {
    // SAFETY: C's word.
    unsafe { change(options, |options| (threads > 0).then(|| options.threads = threads)) }
}

/// Sets whether the intermediate representation and the allocation of registers are checked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_options_set_verify(options: *mut COptions, verify: c_int) -> c_int {
    // SAFETY: C's word.
    unsafe {
        change(options, |options| {
            options.verify = verify != 0;
            Some(())
        })
    }
}

/// Sets whether the text's debug information is left out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_options_set_strip_debug(options: *mut COptions, strip: c_int) -> c_int {
    // SAFETY: C's word.
    unsafe {
        change(options, |options| {
            options.strip_debug = strip != 0;
            Some(())
        })
    }
}

/// Frees the choices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_options_free(options: *mut COptions) {
    // SAFETY: C's word.
    unsafe { free(options) };
}
