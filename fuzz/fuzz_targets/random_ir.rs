//! Random modules: machine code does what the interpreter of the IR does.

#![no_main]

use std::sync::{Mutex, OnceLock};

use gusset_fuzz::case::Judge;
use gusset_fuzz::generate;
use gusset_fuzz::platform::{PLATFORMS, Platform};
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

/// One judge for each of Linux's platforms: each has a process that runs all of its modules.
fn judges() -> &'static Mutex<Vec<Judge>> {
    static JUDGES: OnceLock<Mutex<Vec<Judge>>> = OnceLock::new();
    JUDGES.get_or_init(|| {
        Mutex::new(PLATFORMS[..2].iter().map(|triple| Judge::new(Platform::of(triple).unwrap())).collect())
    })
}

fuzz_target!(|bytes: &[u8]| {
    // The last byte says for which platform and setting, and what is looked at: the text form, the allocation or the code's
    // meaning. The rest is the module.
    let (way, bytes) = bytes.split_last().map_or((0, bytes), |(way, rest)| (*way as usize, rest));
    let mut judges = judges().lock().unwrap();
    let number = way % judges.len();
    let judge = &mut judges[number];
    let settings = judge.platform.settings();
    let setting = settings[way / 2 % settings.len()];
    let (module, functions) = generate::module(bytes, &judge.platform);
    let outcome = match way / 8 % 4 {
        0 => judge.check_text_form(&module, &functions).map(drop),
        1 => judge.check_allocation(&module, functions, &setting),
        _ => judge.check_meaning(&module, functions, &setting),
    };
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
});
