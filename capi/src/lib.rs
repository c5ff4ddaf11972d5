#![doc = include_str!("../README.md")]
//!
//! # How the functions are made
//!
//! Each function is documented in `include/gusset.h`, for its callers; here is what the next person needs who changes it. Every value
//! that C gets is a box of a type of this crate, and has one function that frees it. A function that can fail takes a place for an
//! error and gives null then. Panics do not cross into C: they become errors ([`error::guard`]).
#![deny(missing_docs)]
// Pointers come from C.
#![expect(clippy::missing_safety_doc, reason = "what callers promise is in gusset.h")]

pub mod abi;
pub mod buffer;
pub mod compile;
pub mod error;
pub mod memory;
pub mod options;
mod owned;
pub mod target;

use std::ffi::{CStr, c_char};

use error::Failure;

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn gusset_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// The text that C hands over, which ends with a zero byte.
///
/// # Safety
/// The pointer is null or leads to a text that ends with a zero byte and lives as long as `'a`.
unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(Failure::usage(format!("{what} is null")));
    }
    // SAFETY: the caller's word.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::usage(format!("{what} is not UTF-8")))
}

/// The same, where null means none.
///
/// # Safety
/// As for [`text`].
unsafe fn optional_text<'a>(pointer: *const c_char, what: &str) -> Result<Option<&'a str>, Failure> {
    // SAFETY: the caller's word.
    if pointer.is_null() { Ok(None) } else { unsafe { text(pointer, what) }.map(Some) }
}

/// The bytes that C hands over.
///
/// # Safety
/// The pointer leads to as many bytes, which live as long as `'a`; it may be null if there are none.
unsafe fn bytes<'a>(pointer: *const c_char, size: usize) -> Result<&'a [u8], Failure> {
    match (pointer.is_null(), size) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Failure::usage("the text is null")),
        // SAFETY: the caller's word.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), size) }),
    }
}

/// The value that a pointer of C's leads to.
///
/// # Safety
/// The pointer is null or was given by this library and not freed.
unsafe fn value<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's word.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::usage(format!("{what} is null")))
}
