//! Bundles of unused trampolines that no thread has.
//!
//! A lock is taken only where a bundle changes hands, which is once in hundreds of trampolines, and never across a
//! system call.

use crate::pool::Record;
use crate::system::Lock;
use core::cell::UnsafeCell;
use core::ptr;

struct Depot {
    lock: Lock,
    /// The first record of the first bundle. Bundles hang together by [`Record::bundle`].
    first: UnsafeCell<*mut Record>,
}

// SAFETY: the lock sees to it that one thread at a time touches the list; whoever takes a bundle out is alone with it.
unsafe impl Sync for Depot {}

static DEPOT: Depot = Depot { lock: Lock::new(), first: UnsafeCell::new(ptr::null_mut()) };

/// Puts a bundle in.
///
/// # Safety
/// `first` is the first record of a list, or of a run of unused records, of which `Record::run` says how many; the caller
/// gives all of them up.
pub(crate) unsafe fn put(first: *mut Record) {
    DEPOT.lock.lock();
    // SAFETY: this thread has the lock; the record is the caller's until it is free again.
    unsafe {
        (*first).bundle = *DEPOT.first.get();
        *DEPOT.first.get() = first;
        DEPOT.lock.unlock();
    }
}

/// Takes a bundle out; null if there is none.
pub(crate) fn get() -> *mut Record {
    DEPOT.lock.lock();
    // SAFETY: this thread has the lock; records stay mapped, and those in the depot change under its lock only.
    unsafe {
        let first = *DEPOT.first.get();
        if !first.is_null() {
            *DEPOT.first.get() = (*first).bundle;
        }
        DEPOT.lock.unlock();
        first
    }
}

/// The child of a fork has one thread, so the depot must not be in another's hands then.
pub(crate) extern "C" fn before_fork() {
    DEPOT.lock.lock();
}

/// See [`before_fork`].
pub(crate) extern "C" fn after_fork() {
    // SAFETY: this thread, or the one it is a copy of, has the lock since `before_fork`.
    unsafe { DEPOT.lock.unlock() };
}
