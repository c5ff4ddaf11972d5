//! The addresses of the pool's records: decides whether an address is that of a record without reading from it.
//!
//! A table of lists, by addresses without their lowest bits. Lists only grow, since blocks of the pool stay.

use crate::pool::Record;
use crate::stub::COUNT;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// Number of bytes whose addresses share a list.
const GRANULE: usize = 64 << 10;
const LISTS: usize = 1024;
/// Bytes of a block's records.
const RECORDS: usize = COUNT * size_of::<Record>();
/// The largest number of lists with a block's records.
const PARTS: usize = RECORDS / GRANULE + 2;

/// A block, as an element of a list.
struct Part {
    /// The first record.
    records: usize,
    next: *mut Part,
}

/// Number of bytes that the registry uses in a block.
pub(crate) const BYTES: usize = PARTS * size_of::<Part>();

static TABLE: [AtomicPtr<Part>; LISTS] = [const { AtomicPtr::new(ptr::null_mut()) }; LISTS];

fn list(address: usize) -> &'static AtomicPtr<Part> {
    // Systems allocate adjacent memory, which is in adjacent lists.
    &TABLE[address / GRANULE % LISTS]
}

/// Adds a block whose records begin there.
///
/// # Safety
/// `room` has [`BYTES`] bytes that belong to nobody else for ever, aligned like addresses.
pub(crate) unsafe fn enter(records: *const Record, room: *mut u8) {
    let (first, room) = (records as usize, room.cast::<Part>());
    let parts = (first + RECORDS - 1) / GRANULE - first / GRANULE + 1;
    for k in 0..parts.min(PARTS) {
        let list = list(first + k * GRANULE);
        let mut next = list.load(Ordering::Relaxed);
        // SAFETY: within the room; other threads see it once it is written.
        unsafe {
            let part = room.add(k);
            loop {
                part.write(Part { records: first, next });
                match list.compare_exchange_weak(next, part, Ordering::Release, Ordering::Relaxed) {
                    Ok(_) => break,
                    Err(other) => next = other,
                }
            }
        }
    }
}

/// Is a record at this address?
#[inline]
pub(crate) fn has(record: *const Record) -> bool {
    let address = record as usize;
    let mut part = list(address).load(Ordering::Acquire);
    while !part.is_null() {
        // SAFETY: elements never change once they are in a list, and stay.
        let Part { records, next } = unsafe { part.read() };
        let distance = address.wrapping_sub(records);
        if distance < RECORDS {
            return distance.is_multiple_of(size_of::<Record>());
        }
        part = next;
    }
    false
}
