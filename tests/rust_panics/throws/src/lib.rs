//! What of the program panics, catches and is unwound in another crate.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Tells when it goes.
pub struct Loud(pub &'static str);

impl Drop for Loud {
    fn drop(&mut self) {
        let how = if std::thread::panicking() { "unwound" } else { "dropped" };
        println!("  {how} {}", self.0);
    }
}

/// What a panic says, if its payload is a text, else its size.
pub fn text(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        return format!("&str {text:?}");
    }
    if let Some(text) = payload.downcast_ref::<String>() {
        return format!("String {text:?}");
    }
    format!("{} bytes", size_of_val(payload))
}

/// Runs it and tells how it ends.
pub fn caught<T: std::fmt::Debug>(what: &str, run: impl FnOnce() -> T) -> Option<T> {
    let ended = catch_unwind(AssertUnwindSafe(run));
    match &ended {
        Ok(value) => println!("{what}: {value:?}"),
        Err(payload) => println!("{what}: panicked with {}", text(&**payload)),
    }
    ended.ok()
}

/// Panics when the two are the same.
#[inline(never)]
#[track_caller]
pub fn stop_at(stop: u32, here: u32) -> u32 {
    if stop == here {
        panic!("stopped at {here}");
    }
    here
}

/// Calls back with something to destroy on both sides.
pub fn apply<A, R>(name: &'static str, argument: A, call: impl FnOnce(A) -> R) -> R {
    let _outside = Loud(name);
    let result = call(argument);
    println!("  {name} came back");
    result
}

/// Visits and is visited.
pub trait Visitor {
    fn visit(&mut self, depth: u32, other: &mut dyn Visitor) -> u64;
}

/// Goes between the crates until it panics.
pub struct Bouncer {
    pub until: u32,
    pub seen: Vec<u32>,
}

impl Visitor for Bouncer {
    fn visit(&mut self, depth: u32, other: &mut dyn Visitor) -> u64 {
        let _loud = Loud("bouncer");
        self.seen.push(depth);
        if depth >= self.until {
            std::panic::panic_any(self.seen.clone());
        }
        other.visit(depth + 1, self).wrapping_mul(31) ^ u64::from(depth)
    }
}

/// Catches, adds to what the panic says and lets it go on.
pub fn annotate<R>(run: impl FnOnce() -> R) -> R {
    let _loud = Loud("annotation");
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => value,
        Err(payload) => resume_unwind(match payload.downcast::<String>() {
            Ok(text) => Box::new(format!("{text}, annotated")),
            Err(other) => other,
        }),
    }
}

/// Panics as functions of C may that are said to unwind.
///
/// # Safety
/// `call` is a function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn through_c(call: unsafe extern "C-unwind" fn(i32, f64, u64) -> f64, n: i32) -> f64 {
    let _loud = Loud("through C");
    // SAFETY: the caller promises.
    let first = unsafe { call(n, f64::from(n) / 4.0, u64::MAX - n as u64) };
    // SAFETY: as above.
    first + unsafe { call(n + 1, first, 7) }
}

/// A panic that no function of C lets out ends the program.
pub extern "C" fn never_unwinds(n: u32) -> u32 {
    let _loud = Loud("in a function that does not unwind");
    stop_at(n, 3)
}

thread_local! {
    /// What a thread has done; told when the thread ends.
    pub static DONE: RefCell<Done> = const { RefCell::new(Done(Vec::new())) };
}

pub struct Done(pub Vec<String>);

impl Drop for Done {
    fn drop(&mut self) {
        println!("  a thread ends after {:?}", self.0);
    }
}
