//! The pool: blocks of stubs, and what each thread has of them.
//!
//! A block is one mapping: code that is written once and then executable for ever, slots that the stubs load from, and a
//! record for each slot. Blocks are mapped when nothing else is left, and stay.
//!
//! A freed trampoline is poisoned: its slot leads to a function that tells of the call and ends the program. Each thread
//! keeps what it frees in a queue, so that it is a while before a trampoline lives again, and hands over whole bundles
//! when there are too many. Nothing is locked but for that.

use crate::error::Error;
use crate::stub::{COUNT, STRIDE, Slot, UNIT};
use crate::thread::{self, Local};
use crate::{arch, depot, registry, report, stub, system};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicUsize, Ordering};

/// A trampoline as the pool sees it, whose address is its handle. Aligned, so that the lowest bit of a handle is free.
#[repr(C)]
#[cfg_attr(target_pointer_width = "64", repr(align(64)))]
#[cfg_attr(target_pointer_width = "32", repr(align(32)))]
pub(crate) struct Record {
    /// What the stub jumps by. Never changes once it is set.
    pub slot: *mut Slot,
    /// The next one in a list of freed trampolines.
    next: *mut Record,
    /// The procedure that it led to before it was freed.
    pub dead: *const (),
    /// The return address of the call that freed it.
    pub site: *const (),
    /// The first record of the next bundle in the depot.
    pub bundle: *mut Record,
    /// In the first record of a bundle: 0 for a list, else how many records from here on were never used.
    run: usize,
}

impl Record {
    /// The record that a handle is the address of, which some caller names: `None` if there is no trampoline.
    #[inline]
    pub fn of(handle: *const Record) -> Option<NonNull<Record>> {
        // SAFETY: it is a record of the pool's; one that was never used has no slot, or one that leads nowhere.
        let used = registry::has(handle) && unsafe { !(*handle).slot.is_null() && !(*(*handle).slot).callee.is_null() };
        NonNull::new(handle.cast_mut()).filter(|_| used)
    }

    /// The address to call.
    pub fn code(&self) -> *const () {
        self.slot.wrapping_byte_sub(UNIT).cast()
    }
}

/// So many others are freed, at least, before a freed trampoline is used again, unless there are none left.
const DELAY: usize = 64;
/// So many freed trampolines move between threads at once.
const BUNDLE: usize = 512;

static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// How many blocks of memory the pool has mapped in this process so far. For tests and for the curious.
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
        // SAFETY: lists are made of records, and this thread's are nobody else's.
        local.old.set(unsafe { (*record).next });
        Ok(record)
    })??;
    // SAFETY: a record that was taken is this thread's, and so is its slot.
    unsafe {
        let slot = (*record).slot;
        (*slot).chain = chain;
        (*slot).callee = callee;
        Ok(NonNull::new_unchecked(record))
    }
}

/// Gives a trampoline back; `site` is the return address of the call that does so, null if unknown.
///
/// # Safety
/// The record comes from [`take`] and is not used any more. A second time ends the program, with a message, unless
/// the trampoline lives again.
#[inline]
pub(crate) unsafe fn give(record: NonNull<Record>, site: *const ()) {
    let record = record.as_ptr();
    // SAFETY: the caller's word.
    unsafe {
        let slot = (*record).slot;
        let callee = (*slot).callee;
        if callee == arch::DEAD as *const () {
            report::freed_twice(&*record, site);
        }
        (*record).dead = callee;
        (*record).site = site;
        (*record).next = ptr::null_mut();
        (*slot).chain = record.cast_const().cast();
        (*slot).callee = arch::DEAD as *const ();
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

    /// Hands over what was freed first.
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
                // SAFETY: what comes out of the depot is this thread's.
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

    /// The next record of the run, of which there is at least one.
    fn next_of_run(&self) -> *mut Record {
        let (record, left) = (self.run.get(), self.run_left.get() - 1);
        self.run_left.set(left);
        if left > 0 {
            // SAFETY: the run goes on behind this record, and so do its block's slots.
            unsafe {
                let next = record.add(1);
                (*next).slot = (*record).slot.byte_add(STRIDE);
                self.run.set(next);
            }
        }
        record
    }

    /// The queue of freed trampolines becomes the list of those to be used.
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

/// Puts a list, or a run of so many records, into the depot; null is no list. The calling thread had them, and gives
/// them up.
fn hand_over(first: *mut Record, run: usize) {
    if !first.is_null() {
        // SAFETY: see above; called by the functions of this file alone.
        unsafe {
            (*first).run = run;
            depot::put(first);
        }
    }
}

/// Maps a block; its first record stands for the run of all.
fn map_block() -> Result<*mut Record, Error> {
    if !UNIT.is_multiple_of(system::page()) {
        return Err(Error::Page { bytes: system::page() });
    }
    let records = COUNT * size_of::<Record>();
    let bytes = 2 * UNIT + records + registry::BYTES;
    let block = system::map(bytes)?;
    // SAFETY: fresh memory of this size, which is nobody else's yet. Slots and records lie behind the code, aligned
    // as pages are; zeros are valid for both.
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
