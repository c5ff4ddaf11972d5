//! The text form of the IR: no text makes its reader panic, and what is accepted prints and reads back to the same.

#![no_main]

use gusset_fuzz::text;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = text::try_ir(bytes, |_| {}) {
        panic!("{why}");
    }
});
