//! Messages before the end.

use crate::error::Error;
use crate::memory;
use crate::pool::Record;
use std::fmt::{self, Write as _};
use std::io::Write as _;

/// An address with what is known of it.
struct Address(*const ());

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0 as usize)?;
        match memory::locate(self.0 as usize) {
            Some((file, distance, Some(name))) => write!(f, " ({file}+{distance:#x}, {name})"),
            Some((file, distance, None)) => write!(f, " ({file}+{distance:#x})"),
            None => Ok(()),
        }
    }
}

fn end(message: &str) -> ! {
    // There is nobody left to tell if this fails.
    let _ = std::io::stderr().write_all(message.as_bytes());
    std::process::abort()
}

/// Where it was freed; `how` stands before that.
fn freed_at(message: &mut String, how: &str, record: &Record) {
    let _ = match record.site.is_null() {
        true => writeln!(message, "  it is not known where it was {how}"),
        false => writeln!(message, "  {how} by the call that returns to {}", Address(record.site)),
    };
}

/// Where calls through freed trampolines end.
pub(crate) extern "C" fn called_dead(record: &Record) -> ! {
    let mut message = format!(
        "gusset: call of the dead internal procedure {}\n  through the freed trampoline {}\n",
        Address(record.dead),
        Address(record.code())
    );
    freed_at(&mut message, "freed", record);
    end(&message)
}

/// A trampoline is freed that is free.
#[cold]
pub(crate) fn freed_twice(record: &Record, site: *const ()) -> ! {
    let mut message =
        format!("gusset: the trampoline {:#x} to {} is freed again", record.code() as usize, Address(record.dead));
    if !site.is_null() {
        let _ = write!(message, " by the call that returns to {}", Address(site));
    }
    message.push('\n');
    freed_at(&mut message, "first freed", record);
    end(&message)
}

/// There is no trampoline, and nobody to tell.
#[cold]
pub(crate) fn refused(callee: *const (), error: &Error) -> ! {
    end(&format!("gusset: no trampoline for the internal procedure {}: {error}\n", Address(callee)))
}
