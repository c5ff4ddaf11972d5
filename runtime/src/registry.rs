//! Where the pool's records are: what says of any address whether it is that of a record, without a look at what is there.
//!
//! A table of lists, by addresses without their lowest bits. Lists only grow, as blocks of the pool stay.

use crate::pool::Record;
use crate::stub::COUNT;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// Bytes of addresses that are in one list.
const GRANULE: usize = 64 << 10;
const LISTS: usize = 1024;
/// Bytes of a block's records.
const RECORDS: usize = COUNT * size_of::<Record>();
/// So many lists a block's records are in, at the most.
const PARTS: usize = RECORDS / GRANULE + 2;

/// A block, as a part of a list.
struct Part {
    /// The first record.
    records: usize,
    next: *mut Part,
}

/// Bytes that the registry keeps in a block.
pub(crate) const BYTES: usize = PARTS * size_of::<Part>();

static TABLE: [AtomicPtr<Part>; LISTS] = [const { AtomicPtr::new(ptr::null_mut()) }; LISTS];

fn list(address: usize) -> &'static AtomicPtr<Part> {
    // Systems give out neighbouring memory, which are neighbouring lists.
    &TABLE[address / GRANULE % LISTS]
}

/// Enters a block whose records begin there.
///
/// # Safety
/// At `room` there are [`BYTES`] that are nobody else's for ever, aligned as addresses are.
pub(crate) unsafe fn enter(records: *const Record, room: *mut u8) {
    let (first, room) = (records as usize, room.cast::<Part>());
    let parts = (first + RECORDS - 1) / GRANULE - first / GRANULE + 1;
    for k in 0..parts.min(PARTS) {
        let list = list(first + k * GRANULE);
        let mut next = list.load(Ordering::Relaxed);
        // SAFETY: within the room; the others see it when it is written.
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
        // SAFETY: parts are never changed once they are in a list, and stay.
        let Part { records, next } = unsafe { part.read() };
        let distance = address.wrapping_sub(records);
        if distance < RECORDS {
            return distance.is_multiple_of(size_of::<Record>());
        }
        part = next;
    }
    false
}
