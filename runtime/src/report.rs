//! Messages before the end.

use crate::error::Error;
use crate::pool::{LEFT, Record};
use crate::system;
use core::ffi::{CStr, c_char, c_void};
use core::fmt::{self, Write};

/// A text of less than `N` bytes, which zeros follow. It is built without allocating memory, since the process may be
/// in any state. What does not fit is left out.
pub(crate) struct Line<const N: usize = 1500> {
    pub text: [u8; N],
    len: usize,
}

impl<const N: usize> Line<N> {
    pub(crate) fn new() -> Self {
        Line { text: [0; N], len: 0 }
    }
}

impl Line {
    /// Writes the text to standard error, and ends the process.
    pub(crate) fn end(&self) -> ! {
        system::complain(self.text.get(..self.len).unwrap_or_default());
        system::abort()
    }
}

impl<const N: usize> Write for Line<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for (to, from) in self.text.iter_mut().take(N - 1).skip(self.len).zip(text.bytes()) {
            *to = from;
            self.len += 1;
        }
        Ok(())
    }
}

/// An address, with what is known about it.
struct Address(*const ());

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0 as usize)?;
        match system::locate(self.0 as usize) {
            Some((file, distance, Some(name))) => write!(f, " ({file}+{distance:#x}, {name})"),
            Some((file, distance, None)) => write!(f, " ({file}+{distance:#x})"),
            None => Ok(()),
        }
    }
}

/// Where it was freed, after the text `how`.
fn freed_at(line: &mut Line, how: &str, record: &Record) {
    let _ = match record.site {
        LEFT => line.write_str("  its host was left without freeing it, by longjmp for example\n"),
        site if site.is_null() => writeln!(line, "  it is not known where it was {how}"),
        _ => writeln!(line, "  {how} by the call that returns to {}", Address(record.site)),
    };
}

/// Reports a call through a freed trampoline.
pub(crate) extern "C" fn called_dead(record: &Record) -> ! {
    let mut line = Line::new();
    let _ = writeln!(line, "gusset: call of the dead internal procedure {}", Address(record.dead));
    let _ = writeln!(line, "  through the freed trampoline {:#x}", record.code() as usize);
    freed_at(&mut line, "freed", record);
    line.end()
}

/// Reports that a freed trampoline is freed again.
#[cold]
pub(crate) fn freed_twice(record: &Record, site: *const ()) -> ! {
    let mut line = Line::new();
    let _ =
        write!(line, "gusset: the trampoline {:#x} to {} is freed again", record.code() as usize, Address(record.dead));
    if !site.is_null() {
        let _ = write!(line, " by the call that returns to {}", Address(site));
    }
    let _ = line.write_str("\n");
    freed_at(&mut line, "first freed", record);
    line.end()
}

/// Reports that an address is not a trampoline's handle.
#[cold]
pub(crate) fn no_trampoline(what: &str, handle: *const c_void, site: *const ()) -> ! {
    let mut line = Line::new();
    let _ = write!(line, "gusset: {:#x} is {what} as a trampoline, and is none", handle as usize);
    if !site.is_null() {
        let _ = write!(line, ", by the call that returns to {}", Address(site));
    }
    let _ = line.write_str("\n");
    line.end()
}

/// Reports that an earlier failure was not checked.
#[cold]
pub(crate) fn without_handle(error: *const c_char) -> ! {
    let mut line = Line::new();
    // SAFETY: null, or a text of the interface's.
    let error = if error.is_null() { None } else { unsafe { CStr::from_ptr(error) }.to_str().ok() };
    let _ = writeln!(line, "gusset: no trampoline for an internal procedure: {}", error.unwrap_or("none was made"));
    line.end()
}

/// Reports that there is no trampoline, where the caller cannot be told.
#[cold]
pub(crate) fn refused(callee: *const (), error: &Error) -> ! {
    let mut line = Line::new();
    let _ = writeln!(line, "gusset: no trampoline for the internal procedure {}: {error}", Address(callee));
    line.end()
}
