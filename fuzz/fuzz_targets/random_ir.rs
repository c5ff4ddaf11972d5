//! Random modules: machine code does what the interpreter of the IR does.

#![no_main]

use gusset_fuzz::{case, generate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (module, functions) = generate::module(bytes);
    if let Err(failure) = case::check(&module, &functions) {
        panic!("{failure}");
    }
});
