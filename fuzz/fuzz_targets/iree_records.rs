//! IREE's type records: no text makes their reader panic, and calls by random records give back what is given.

#![no_main]

use gusset_fuzz::iree;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

fuzz_target!(|bytes: &[u8]| {
    // The last byte says which of the two.
    let outcome = match bytes.last().copied().unwrap_or(0) % 2 {
        0 => iree::read(&iree::text(bytes)).map(drop),
        _ => iree::call(bytes),
    };
    if let Err(why) = outcome {
        panic!("{why}");
    }
});
