//! Bundles of unused trampolines that belong to no thread.
//!
//! A lock is only taken where a bundle changes hands, once in hundreds of trampolines, and never across a system call.

use crate::pool::Record;
use crate::stub::{KINDS, kind_index};
use crate::system::Lock;
use core::cell::UnsafeCell;
use core::ptr;

struct Depot {
    lock: Lock,
    /// The first record of the first bundle of each kind. [`Record::bundle`] links bundles.
    first: UnsafeCell<[*mut Record; KINDS]>,
}

// SAFETY: because of the lock, only one thread at a time accesses the list; whoever takes a bundle out owns it.
unsafe impl Sync for Depot {}

static DEPOT: Depot = Depot { lock: Lock::new(), first: UnsafeCell::new([ptr::null_mut(); KINDS]) };

/// The list of a kind.
fn list(kind: usize) -> *mut *mut Record {
    DEPOT.first.get().cast::<*mut Record>().wrapping_add(kind_index(kind))
}

/// Puts a bundle in.
///
/// # Safety
/// `first` is the first record of a list, or of a run of unused records with the length `Record::run`. The caller gives
/// up all of them.
pub(crate) unsafe fn put(kind: usize, first: *mut Record) {
    DEPOT.lock.lock();
    // SAFETY: this thread has the lock; the record is the caller's until the lock is released.
    unsafe {
        (*first).bundle = list(kind).replace(first);
        DEPOT.lock.unlock();
    }
}

/// Takes a bundle out; null if there is none.
pub(crate) fn get(kind: usize) -> *mut Record {
    DEPOT.lock.lock();
    // SAFETY: this thread has the lock; records stay mapped, and those in the depot only change under its lock.
    unsafe {
        let first = *list(kind);
        if !first.is_null() {
            *list(kind) = (*first).bundle;
        }
        DEPOT.lock.unlock();
        first
    }
}

/// The child of a fork has one thread, so no other thread may hold the depot's lock at the fork.
pub(crate) extern "C" fn before_fork() {
    DEPOT.lock.lock();
}

/// See [`before_fork`].
pub(crate) extern "C" fn after_fork() {
    // SAFETY: this thread, or the one it is a copy of, has had the lock since `before_fork`.
    unsafe { DEPOT.lock.unlock() };
}
