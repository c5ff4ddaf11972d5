//! The builder called in random order: it makes an object or gives an error, and never panics.

#![no_main]

use gusset_fuzz::builder;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = builder::build(bytes) {
        panic!("{why}");
    }
});
