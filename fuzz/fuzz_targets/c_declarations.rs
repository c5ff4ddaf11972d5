//! C declarations, damaged or not: no text makes their reader or the classification of what it read panic.

#![no_main]

use gusset_fuzz::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = text::read_c(&text::c(bytes)) {
        panic!("{why}");
    }
});
