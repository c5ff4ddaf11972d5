//! Targets.

use std::ffi::c_char;

use gusset::{Features, Target, host_triple};

use crate::error::{Failure, guard};
use crate::owned::free;
use crate::{optional_text, text};

/// A target: `gusset_target` of `gusset.h`.
#[derive(Debug)]
pub struct CTarget(pub(crate) Target);

/// The target of a triple, with a processor and features.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_target_new(
    triple: *const c_char,
    cpu: *const c_char,
    features: *const c_char,
    error: *mut *mut Failure,
) -> *mut CTarget {
    // SAFETY: C's word.
    unsafe {
        guard(error, || {
            let (triple, cpu) = (text(triple, "the triple")?, optional_text(cpu, "the processor")?);
            let wanted = cpu.map_or_else(Features::default, Features::cpu);
            let wanted = match optional_text(features, "the list of features")? {
                Some(list) => wanted.with(list),
                None => wanted,
            };
            Ok(CTarget(Target::from_triple(gusset::explorer::triple_of(triple), &wanted)?))
        })
    }
}

/// The target of the machine that runs this, with the features that all such machines have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_target_host(error: *mut *mut Failure) -> *mut CTarget {
    // SAFETY: C's word.
    unsafe { guard(error, || Ok(CTarget(Target::from_triple(&host_triple(), &Features::default())?))) }
}

/// Frees a target.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_target_free(target: *mut CTarget) {
    // SAFETY: C's word.
    unsafe { free(target) };
}
