//! MLIR, damaged or not: no text makes the reader or the compiler panic.

#![no_main]

use gusset_fuzz::text;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = text::try_mlir(bytes, |_| {}) {
        panic!("{why}");
    }
});
