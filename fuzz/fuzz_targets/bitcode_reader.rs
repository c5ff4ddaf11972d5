//! LLVM bitcode, damaged or not: no file makes the reader or the compiler panic.

#![no_main]

use gusset_fuzz::text;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = text::try_bitcode(bytes, |_| {}) {
        panic!("{why}");
    }
});
