//! The pool: blocks of stubs, and the trampolines that each thread owns.
//!
//! A block is one mapping: code that is written once and executable from then on, slots that the stubs load from, and a
//! record for each slot. A block is mapped when no unused trampoline is left, and stays mapped.
//!
//! A freed trampoline is poisoned: its slot leads to a function that reports the call and ends the program. Each thread
//! keeps freed trampolines in a queue, so that it takes a while until one is used again, and hands over whole bundles
//! when there are too many. Only that takes a lock.

use crate::error::Error;
use crate::stub::{COUNT, STRIDE, Slot, UNIT};
use crate::thread::{self, Local};
use crate::{arch, depot, registry, report, stub, system};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicUsize, Ordering};

/// A trampoline in the pool; the record's address is its handle. Aligned, so that the lowest bit of a handle is free.
#[repr(C)]
#[cfg_attr(target_pointer_width = "64", repr(align(64)))]
#[cfg_attr(target_pointer_width = "32", repr(align(32)))]
pub(crate) struct Record {
    /// The slot of its stub. Never changes once it is set.
    pub slot: *mut Slot,
    /// The next record in a list of freed trampolines.
    next: *mut Record,
    /// The procedure that it led to before it was freed.
    pub dead: *const (),
    /// The return address of the call that freed it.
    pub site: *const (),
    /// The first record of the next bundle in the depot.
    pub bundle: *mut Record,
    /// In the first record of a bundle: 0 for a list, else the number of records from here on that were never used.
    run: usize,
}

impl Record {
    /// The record with the address `handle`, which comes from a caller: `None` if that is no trampoline.
    #[inline]
    pub fn of(handle: *const Record) -> Option<NonNull<Record>> {
        // SAFETY: it is a record of the pool. A record that was never used has no slot, or one that leads nowhere.
        let used = registry::has(handle) && unsafe { !(*handle).slot.is_null() && !(*(*handle).slot).callee.is_null() };
        NonNull::new(handle.cast_mut()).filter(|_| used)
    }

    /// The address to call.
    pub fn code(&self) -> *const () {
        self.slot.wrapping_byte_sub(UNIT).cast()
    }
}

/// The least number of others that are freed before a freed trampoline is used again, unless none are left.
const DELAY: usize = 64;
/// The number of freed trampolines that move between threads at once.
const BUNDLE: usize = 512;

static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// How many blocks of memory the pool has mapped in this process so far; for tests and statistics.
pub fn mapped_blocks() -> usize {
    BLOCKS.load(Ordering::Relaxed)
}

/// A trampoline to `callee` with `chain`.
///
/// # Errors
/// The system refuses memory.
#[inline]
pub(crate) fn take(callee: *const (), chain: *const ()) -> Result<NonNull<Record>, Error> {
    let record = thread::with(|local| {
        let record = local.old.get();
        if record.is_null() {
            return local.find();
        }
        // SAFETY: lists consist of records, and this thread's belong to no other.
        local.old.set(unsafe { (*record).next });
        Ok(record)
    })??;
    // SAFETY: a record that was taken belongs to this thread, and so does its slot.
    unsafe {
        let slot = (*record).slot;
        (*slot).chain = chain;
        (*slot).callee = callee;
        Ok(NonNull::new_unchecked(record))
    }
}

/// Frees a trampoline; `site` is the return address of the freeing call, null if unknown.
///
/// # Safety
/// The record comes from [`take`] and is no longer used. Freeing it twice ends the program with a message, unless the
/// trampoline is in use again.
#[inline]
pub(crate) unsafe fn give(record: NonNull<Record>, site: *const ()) {
    let record = record.as_ptr();
    // SAFETY: the caller's word.
    unsafe {
        let slot = (*record).slot;
        let callee = (*slot).callee;
        if callee == arch::dead as *const () {
            report::freed_twice(&*record, site);
        }
        (*record).dead = callee;
        (*record).site = site;
        (*record).next = ptr::null_mut();
        (*slot).chain = record.cast_const().cast();
        (*slot).callee = arch::dead as *const ();
    }
    if thread::with(|local| local.append(record)).is_err() {
        hand_over(record, 0);
    }
}

impl Local {
    /// Puts a freed record at the queue's end.
    #[inline]
    fn append(&self, record: *mut Record) {
        let last = self.last.replace(record);
        if last.is_null() {
            self.first.set(record);
        } else {
            // SAFETY: a record in this thread's list.
            unsafe { (*last).next = record };
        }
        let count = self.count.get() + 1;
        self.count.set(count);
        if count >= BUNDLE {
            self.make_room();
        }
    }

    /// Hands over the trampolines that were freed first.
    #[cold]
    fn make_room(&self) {
        hand_over(self.old.get(), 0);
        self.turn();
    }

    /// A record, `old` being empty.
    #[cold]
    fn find(&self) -> Result<*mut Record, Error> {
        if self.count.get() > DELAY {
            self.turn();
        } else if self.run_left.get() == 0 {
            let bundle = depot::get();
            if !bundle.is_null() {
                // SAFETY: what comes out of the depot belongs to this thread.
                match unsafe { (*bundle).run } {
                    0 => self.old.set(bundle),
                    left => {
                        self.run.set(bundle);
                        self.run_left.set(left);
                    }
                }
            } else if self.count.get() > 0 {
                self.turn();
            } else {
                self.run.set(map_block()?);
                self.run_left.set(COUNT);
            }
        }
        let record = self.old.get();
        let record = if record.is_null() {
            self.next_of_run()
        } else {
            // SAFETY: this thread's list.
            self.old.set(unsafe { (*record).next });
            record
        };
        Ok(record)
    }

    /// The next record of the run, which must have one.
    fn next_of_run(&self) -> *mut Record {
        let (record, left) = (self.run.get(), self.run_left.get() - 1);
        self.run_left.set(left);
        if left > 0 {
            // SAFETY: the run continues after this record, and so do its block's slots.
            unsafe {
                let next = record.add(1);
                (*next).slot = (*record).slot.byte_add(STRIDE);
                self.run.set(next);
            }
        }
        record
    }

    /// Makes the queue of freed trampolines the list of those to be used.
    fn turn(&self) {
        self.old.set(self.first.replace(ptr::null_mut()));
        self.last.set(ptr::null_mut());
        self.count.set(0);
    }

    /// Gives back everything.
    pub(crate) fn give_back(&self) {
        hand_over(self.old.get(), 0);
        self.turn();
        hand_over(self.old.replace(ptr::null_mut()), 0);
        if self.run_left.get() > 0 {
            hand_over(self.run.get(), self.run_left.replace(0));
        }
    }
}

/// Puts a list, or a run of this many records, into the depot; null is no list. They belonged to the calling thread,
/// which gives them up.
fn hand_over(first: *mut Record, run: usize) {
    if !first.is_null() {
        // SAFETY: see above; only called by the functions of this file.
        unsafe {
            (*first).run = run;
            depot::put(first);
        }
    }
}

/// Maps a block. Its first record stands for the run of all.
fn map_block() -> Result<*mut Record, Error> {
    if !UNIT.is_multiple_of(system::page()) {
        return Err(Error::Page { bytes: system::page() });
    }
    let records = COUNT * size_of::<Record>();
    let bytes = 2 * UNIT + records + registry::BYTES;
    let block = system::map(bytes)?;
    // SAFETY: fresh memory of this size, which belongs to nobody else yet. Slots and records follow the code, aligned
    // like pages; zeros are valid for both.
    let made = unsafe {
        let code = core::slice::from_raw_parts_mut(block.as_ptr(), UNIT);
        match stub::fill(code, block.as_ptr() as usize) {
            Ok(()) => system::make_code(block, UNIT),
            Err(error) => Err(Error::Abi(error)),
        }
    };
    if let Err(error) = made {
        // SAFETY: nothing refers to the block.
        unsafe { system::unmap(block, bytes) };
        return Err(error);
    }
    BLOCKS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: within the block, see above.
    unsafe {
        let record: *mut Record = block.as_ptr().add(2 * UNIT).cast();
        (*record).slot = block.as_ptr().add(UNIT).cast();
        registry::enter(record, block.as_ptr().add(2 * UNIT + records));
        Ok(record)
    }
}
