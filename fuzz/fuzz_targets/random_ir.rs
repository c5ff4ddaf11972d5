//! Random modules: machine code does what the interpreter of the IR does.

#![no_main]

use std::sync::{Mutex, OnceLock};

use gusset_fuzz::case::{Judge, Task};
use gusset_fuzz::platform::{NATIVE, Platform};
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

/// One judge for each of Linux's platforms: each has a process that runs all of its modules.
fn judges() -> &'static Mutex<Vec<Judge>> {
    static JUDGES: OnceLock<Mutex<Vec<Judge>>> = OnceLock::new();
    JUDGES.get_or_init(|| Mutex::new(NATIVE.iter().map(|triple| Judge::new(Platform::of(triple).unwrap())).collect()))
}

fuzz_target!(|bytes: &[u8]| {
    let task = Task::of(bytes);
    if let Err(failure) = task.check(&mut judges().lock().unwrap()[task.platform]) {
        panic!("{failure}");
    }
});
