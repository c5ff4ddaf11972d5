//! Bytes that the library hands over.

use std::ffi::c_char;

use crate::owned::free;

/// Bytes, followed by a zero byte: `gusset_buffer` of `gusset.h`.
#[derive(Debug)]
pub struct Buffer(Vec<u8>);

impl Buffer {
    /// The bytes for C, which may take them as a text.
    pub fn new(mut bytes: Vec<u8>) -> Buffer {
        bytes.push(0);
        Buffer(bytes)
    }
}

/// The first byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_buffer_data(buffer: *const Buffer) -> *const c_char {
    // SAFETY: C's word.
    unsafe { buffer.as_ref() }.map_or(std::ptr::null(), |buffer| buffer.0.as_ptr().cast())
}

/// The number of bytes, without the zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_buffer_size(buffer: *const Buffer) -> usize {
    // SAFETY: C's word.
    unsafe { buffer.as_ref() }.map_or(0, |buffer| buffer.0.len() - 1)
}

/// Frees the bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_buffer_free(buffer: *mut Buffer) {
    // SAFETY: C's word.
    unsafe { free(buffer) };
}
