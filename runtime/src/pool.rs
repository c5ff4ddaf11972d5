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
use crate::{arch, depot, memory, report, stub};
use std::cell::Cell;
use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

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
    /// The address to call.
    pub fn code(&self) -> *const () {
        self.slot.wrapping_byte_sub(UNIT).cast()
    }
}

/// So many others are freed, at least, before a freed trampoline is used again, unless there are none left.
const DELAY: usize = 64;
/// So many freed trampolines move between threads at once.
const BUNDLE: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// What the thread has will be given back at its end.
    Open,
    /// That has happened.
    Closed,
}

/// What a thread has.
struct Local {
    /// Freed trampolines to be used next.
    old: Cell<*mut Record>,
    /// Those freed later, in order.
    first: Cell<*mut Record>,
    last: Cell<*mut Record>,
    count: Cell<usize>,
    /// Trampolines that were never used: so many from this record on.
    run: Cell<*mut Record>,
    run_left: Cell<usize>,
    state: Cell<State>,
}

thread_local! {
    // Has no destructor, so that reaching it takes no check on most systems.
    static LOCAL: Local = const {
        Local {
            old: Cell::new(ptr::null_mut()),
            first: Cell::new(ptr::null_mut()),
            last: Cell::new(ptr::null_mut()),
            count: Cell::new(0),
            run: Cell::new(ptr::null_mut()),
            run_left: Cell::new(0),
            state: Cell::new(State::New),
        }
    };
    static END: End = const { End };
}

/// Gives back what a thread has when it ends.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        let _ = LOCAL.try_with(|local| {
            local.give_back();
            local.state.set(State::Closed);
        });
    }
}

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
    let taken = LOCAL.try_with(|local| {
        let record = local.old.get();
        if record.is_null() {
            return local.find();
        }
        // SAFETY: lists are made of records, and this thread's are nobody else's.
        local.old.set(unsafe { (*record).next });
        Ok(record)
    });
    let record = match taken {
        Ok(taken) => taken?,
        Err(_) => without_thread(Local::find)?,
    };
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
    if LOCAL.try_with(|local| local.append(record)).is_err() {
        without_thread(|local| local.append(record));
    }
}

/// For threads whose own storage is gone: does `what` with a thread's storage that is given back at once.
#[cold]
fn without_thread<T>(what: impl FnOnce(&Local) -> T) -> T {
    let null = || Cell::new(ptr::null_mut());
    let (count, run_left, state) = (Cell::new(0), Cell::new(0), Cell::new(State::Closed));
    let local = Local { old: null(), first: null(), last: null(), count, run: null(), run_left, state };
    let result = what(&local);
    local.give_back();
    result
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
        if count >= BUNDLE || self.state.get() != State::Open {
            self.appended();
        }
    }

    /// What is rarely to be done after a free.
    #[cold]
    fn appended(&self) {
        self.open();
        if self.count.get() >= BUNDLE {
            self.hand_over(self.old.get(), 0);
            self.turn();
        }
        if self.state.get() == State::Closed {
            self.give_back();
        }
    }

    /// A record, `old` being empty.
    #[cold]
    fn find(&self) -> Result<*mut Record, Error> {
        // Without handlers the child of a fork might wait for ever, so that this comes before anything that locks.
        depot::prepare()?;
        self.open();
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
        if self.state.get() == State::Closed {
            self.give_back();
        }
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

    /// Puts a list, or a run of records, into the depot.
    fn hand_over(&self, first: *mut Record, run: usize) {
        if !first.is_null() {
            // SAFETY: this thread's records, which it gives up.
            unsafe {
                (*first).run = run;
                depot::put(first);
            }
        }
    }

    /// Gives back everything.
    fn give_back(&self) {
        self.hand_over(self.old.get(), 0);
        self.turn();
        self.hand_over(self.old.replace(ptr::null_mut()), 0);
        if self.run_left.get() > 0 {
            self.hand_over(self.run.get(), self.run_left.replace(0));
        }
    }

    /// Sees to it that the thread's end gives everything back.
    fn open(&self) {
        if self.state.get() == State::New {
            let registered = END.try_with(|_| ()).is_ok();
            self.state.set(if registered { State::Open } else { State::Closed });
        }
    }
}

/// Maps a block; its first record stands for the run of all.
fn map_block() -> Result<*mut Record, Error> {
    if !UNIT.is_multiple_of(memory::page()) {
        let source = io::Error::other(format!("pages of {} bytes", memory::page()));
        return Err(Error::Protect { bytes: UNIT, source });
    }
    let bytes = 2 * UNIT + COUNT * size_of::<Record>();
    let block = memory::map(bytes)?;
    // SAFETY: fresh memory of this size, which is nobody else's yet. Slots and records lie behind the code, aligned
    // as pages are; zeros are valid for both.
    let made = unsafe {
        let code = std::slice::from_raw_parts_mut(block.as_ptr(), UNIT);
        match stub::fill(code, block.as_ptr() as usize) {
            Ok(()) => memory::make_code(block, UNIT),
            Err(source) => Err(Error::Scratch { source }),
        }
    };
    if let Err(error) = made {
        // SAFETY: nothing refers to the block.
        unsafe { memory::unmap(block, bytes) };
        return Err(error);
    }
    BLOCKS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: within the block, see above.
    unsafe {
        let record: *mut Record = block.as_ptr().add(2 * UNIT).cast();
        (*record).slot = block.as_ptr().add(UNIT).cast();
        Ok(record)
    }
}
