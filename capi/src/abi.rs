//! How functions are called, as JSON.

use std::ffi::{c_char, c_int};

use gusset::explorer::{Language, NamedTarget, Query, json, views};

use crate::buffer::Buffer;
use crate::error::{Failure, guard};
use crate::text;

/// Says how a declaration's function is called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_classify(
    triple: *const c_char,
    language: c_int,
    declaration: *const c_char,
    error: *mut *mut Failure,
) -> *mut Buffer {
    // SAFETY: C's word.
    unsafe {
        guard(error, || {
            let language = match language {
                0 => Language::C,
                1 => Language::Cxx,
                2 => Language::Llvm,
                3 => Language::Mlir,
                _ => return Err(Failure::usage(format!("there is no language {language}"))),
            };
            let target = NamedTarget::new(text(triple, "the triple")?)?;
            let views = views(&Query::new(language, text(declaration, "the declaration")?), &target)?;
            Ok(Buffer::new(json(&views).into_bytes()))
        })
    }
}
