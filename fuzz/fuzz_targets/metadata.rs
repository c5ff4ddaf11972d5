//! LLVM IR with any debug information: none makes the reader, the compiler or the writers of DWARF and CodeView panic.

#![no_main]

use gusset_fuzz::text;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = text::try_metadata(bytes, |_| {}) {
        panic!("{why}");
    }
});
