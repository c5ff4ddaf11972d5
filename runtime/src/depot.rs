//! Bundles of unused trampolines that no thread has.
//!
//! A lock is taken only where a bundle changes hands, which is once in hundreds of trampolines, and never across a
//! system call.

use crate::error::Error;
use crate::memory;
use crate::pool::Record;
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The first record of the first bundle. Bundles hang together by [`Record::bundle`].
struct Depot(*mut Record);

// SAFETY: whoever takes a bundle out is alone with it; the lock sees to that.
unsafe impl Send for Depot {}

static DEPOT: Mutex<Depot> = Mutex::new(Depot(ptr::null_mut()));

fn lock() -> MutexGuard<'static, Depot> {
    DEPOT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts a bundle in.
///
/// # Safety
/// `first` is the first record of a list, or of a run of unused records, of which `Record::run` says how many; the caller
/// gives all of them up.
pub(crate) unsafe fn put(first: *mut Record) {
    let mut depot = lock();
    // SAFETY: the record is the caller's until the lock is free again.
    unsafe { (*first).bundle = depot.0 };
    depot.0 = first;
}

/// Takes a bundle out; null if there is none.
pub(crate) fn get() -> *mut Record {
    let mut depot = lock();
    let first = depot.0;
    if !first.is_null() {
        // SAFETY: records stay mapped, and those in the depot change under its lock only.
        depot.0 = unsafe { (*first).bundle };
    }
    first
}

/// The lock while a thread forks.
struct Held(UnsafeCell<Option<MutexGuard<'static, Depot>>>);

// SAFETY: touched by the two functions below alone, by the thread that has the lock.
unsafe impl Sync for Held {}

static HELD: Held = Held(UnsafeCell::new(None));

/// A child of a fork has one thread, so the depot must not be locked by another then.
extern "C" fn before_fork() {
    let guard = lock();
    // SAFETY: this thread has the lock.
    unsafe { *HELD.0.get() = Some(guard) };
}

extern "C" fn after_fork() {
    // SAFETY: this thread, or the one it is a copy of, has the lock since `before_fork`.
    drop(unsafe { (*HELD.0.get()).take() });
}

/// Makes `fork` safe, once in a process.
///
/// # Errors
/// The system takes no handlers.
pub(crate) fn prepare() -> Result<(), Error> {
    static DONE: AtomicBool = AtomicBool::new(false);
    static ONCE: Mutex<()> = Mutex::new(());
    if !DONE.load(Ordering::Acquire) {
        let _one = ONCE.lock().unwrap_or_else(PoisonError::into_inner);
        if !DONE.load(Ordering::Acquire) {
            memory::around_fork(before_fork, after_fork)?;
            DONE.store(true, Ordering::Release);
        }
    }
    Ok(())
}
