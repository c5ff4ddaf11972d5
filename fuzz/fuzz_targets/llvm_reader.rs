//! LLVM IR, damaged or not: no text makes the reader or the compiler panic.

#![no_main]

use gusset_fuzz::text;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

fuzz_target!(|bytes: &[u8]| {
    // The last byte says whether the allocation is checked; it seldom matters for the text.
    let verify = bytes.last().copied().unwrap_or(0) % 4 == 0;
    if let Err(why) = text::compile_llvm(&text::llvm(bytes), verify) {
        panic!("{why}");
    }
});
