//! IREE's type records: no text makes their reader panic, calls by random records give back what is given, and modules of functions
//! with such records are made or refused.

#![no_main]

use gusset_fuzz::iree;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = iree::try_any(bytes, |_| {}) {
        panic!("{why}");
    }
});
