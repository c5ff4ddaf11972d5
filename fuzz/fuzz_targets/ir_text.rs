//! The text form of the IR: no text makes its reader panic, and what is accepted prints and reads back to the same.

#![no_main]

use gusset_fuzz::text;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

fuzz_target!(|bytes: &[u8]| {
    // The last byte says what is looked at; it seldom matters for the text.
    let text = text::ir(bytes);
    let outcome = match bytes.last().copied().unwrap_or(0) % 4 {
        0 => text::compile_ir(&text),
        _ => text::read_ir_form(&text),
    };
    if let Err(why) = outcome {
        panic!("{why}");
    }
});
