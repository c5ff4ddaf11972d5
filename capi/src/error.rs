//! Errors as values of C.

use std::ffi::{CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::owned::free;

/// What kind of error it is; the numbers are those of `gusset.h`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub enum Kind {
    /// A function was called wrongly.
    Usage = 1,
    /// An unknown target, processor or feature.
    Target = 2,
    /// The text is wrong, or has something that is not supported.
    Text = 3,
    /// Code that the target cannot have, or an object that its format cannot express.
    Code = 4,
    /// Memory: a symbol that is defined nowhere, no executable memory.
    Memory = 5,
    /// A fault of the library.
    Internal = 6,
}

/// An error: `gusset_error` of `gusset.h`.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    message: CString,
    /// The whole report, as compilers print it.
    report: CString,
    file: CString,
    line: usize,
    column: usize,
}

/// A text of C's; what follows a zero byte is left out.
fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

impl Failure {
    fn new(kind: Kind, message: &str) -> Failure {
        let (report, empty) = (format!("error: {message}"), CString::default());
        Failure { kind, message: c_string(message), report: c_string(&report), file: empty, line: 0, column: 0 }
    }

    /// An error of the caller's.
    pub fn usage(message: impl AsRef<str>) -> Failure {
        Failure::new(Kind::Usage, message.as_ref())
    }

    fn at(self, file: &str, line: usize, column: usize) -> Failure {
        Failure { file: c_string(file), line, column, ..self }
    }
}

impl From<gusset::Error> for Failure {
    fn from(error: gusset::Error) -> Failure {
        let report = c_string(&error.to_string());
        let made = match &error {
            gusset::Error::Read(read) => {
                Failure::new(Kind::Text, read.message()).at(read.file(), read.line(), read.column())
            }
            gusset::Error::Text { file, error } => {
                Failure::new(Kind::Text, &error.reason).at(file, error.line as usize, error.column as usize)
            }
            gusset::Error::Target(message) => Failure::new(Kind::Target, message),
            _ => Failure::new(Kind::Code, &error.reason()),
        };
        Failure { report, ..made }
    }
}

impl From<gusset::explorer::Error> for Failure {
    fn from(error: gusset::explorer::Error) -> Failure {
        let (report, (line, column)) = (c_string(&error.to_string()), error.place().unwrap_or_default());
        Failure { report, line, column, ..Failure::new(Kind::Text, error.message()) }
    }
}

impl From<gusset::memory::MemoryError> for Failure {
    fn from(error: gusset::memory::MemoryError) -> Failure {
        Failure::new(Kind::Memory, &error.to_string())
    }
}

/// Runs the work of a function and gives its result to C: null, and an error at `error` unless that is null, if it fails or panics.
///
/// # Safety
/// `error` is null or leads to a place for a pointer.
pub unsafe fn guard<T>(error: *mut *mut Failure, work: impl FnOnce() -> Result<T, Failure>) -> *mut T {
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => return Box::into_raw(Box::new(value)),
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(Kind::Internal, "the library has a fault: please report what led to it"),
    };
    if !error.is_null() {
        // SAFETY: the caller's word.
        unsafe { error.write(Box::into_raw(Box::new(failure))) };
    }
    std::ptr::null_mut()
}

/// The kind of an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_error_kind(error: *const Failure) -> c_int {
    // SAFETY: C's word.
    unsafe { error.as_ref() }.map_or(0, |error| error.kind as c_int)
}

/// A text of an error; empty of none.
unsafe fn text_of(error: *const Failure, text: fn(&Failure) -> &CString) -> *const c_char {
    // SAFETY: C's word.
    unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| text(error).as_ptr())
}

/// What is wrong, in words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_error_message(error: *const Failure) -> *const c_char {
    // SAFETY: C's word.
    unsafe { text_of(error, |error| &error.message) }
}

/// The report with place and source line, as compilers print it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_error_report(error: *const Failure) -> *const c_char {
    // SAFETY: C's word.
    unsafe { text_of(error, |error| &error.report) }
}

/// The name of the text with the error; empty if it is in none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_error_file(error: *const Failure) -> *const c_char {
    // SAFETY: C's word.
    unsafe { text_of(error, |error| &error.file) }
}

/// The line, from 1; 0 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_error_line(error: *const Failure) -> usize {
    // SAFETY: C's word.
    unsafe { error.as_ref() }.map_or(0, |error| error.line)
}

/// The column in bytes, from 1; 0 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_error_column(error: *const Failure) -> usize {
    // SAFETY: C's word.
    unsafe { error.as_ref() }.map_or(0, |error| error.column)
}

/// Frees an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_error_free(error: *mut Failure) {
    // SAFETY: C's word.
    unsafe { free(error) };
}
