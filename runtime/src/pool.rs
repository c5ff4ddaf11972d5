//! The pool: blocks of stubs, and the trampolines that each thread owns.
//!
//! A block is one mapping: code that is written once and executable from then on, slots that the stubs load from, and a
//! record for each slot. A block is mapped when no unused trampoline is left, and stays mapped.
//!
//! A freed trampoline is poisoned: its slot leads to a function that reports the call and ends the program. Each thread
//! keeps freed trampolines in a queue, so that it takes a while until one is used again, and hands over whole bundles
//! when there are too many. Only that takes a lock.

use crate::error::Error;
use crate::stub::{COUNT, KINDS, STRIDE, Slot, UNIT};
use crate::thread::{self, Local};
use crate::{arch, depot, registry, report, stub, system};
use core::cell::Cell;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicUsize, Ordering};

/// A trampoline in the pool; the record's address is its handle. Aligned, so that the lowest bit of a handle is free.
#[repr(C)]
#[cfg_attr(target_pointer_width = "64", repr(align(64)))]
#[cfg_attr(target_pointer_width = "32", repr(align(32)))]
pub(crate) struct Record {
    /// The slot of its stub. Never changes once it is set.
    pub slot: *mut Slot,
    /// The next record in a list of freed trampolines, or of trampolines with hosts.
    next: *mut Record,
    /// The procedure that it led to before it was freed.
    pub dead: *const (),
    /// The return address of the call that freed it; [`LEFT`] if its host was left instead.
    pub site: *const (),
    /// The first record of the next bundle in the depot.
    pub bundle: *mut Record,
    /// In the first record of a bundle: 0 for a list, else the number of records from here on that were never used.
    run: u16,
    /// Which register its stub sets: an index into [`stub::CHAINS`].
    kind: u16,
    /// The variable of the host that holds the handle as long as the host lives; null if it has no host.
    host: *const *const Record,
    /// The thread's part that has it in its list of trampolines with hosts.
    owner: *const Local,
}

/// Stands for the site of a trampoline whose host was left without freeing it.
pub(crate) const LEFT: *const () = ptr::without_provenance(1);

impl Record {
    /// The record with the address `handle`, which comes from a caller: `None` if that is no trampoline.
    #[inline]
    pub fn of(handle: *const Record) -> Option<NonNull<Record>> {
        // SAFETY: it is a record of the pool. A record that was never used has no slot, or one that leads nowhere.
        let used =
            registry::has(handle) && unsafe { !(*handle).slot.is_null() && !(*(*handle).slot).callee().is_null() };
        NonNull::new(handle.cast_mut()).filter(|_| used)
    }

    /// The address to call.
    pub fn code(&self) -> *const () {
        self.slot.wrapping_byte_sub(UNIT).cast()
    }

    /// Is it freed?
    ///
    /// # Safety
    /// It has been taken, so that it has a slot.
    unsafe fn is_freed(&self) -> bool {
        // SAFETY: the caller's word.
        unsafe { (*self.slot).callee() == arch::dead(self.kind) }
    }

    /// Makes its slot lead to a function that reports calls.
    ///
    /// # Safety
    /// The trampoline is the caller's, and no longer used.
    #[inline]
    unsafe fn poison(&mut self, site: *const ()) {
        // SAFETY: the caller's word.
        unsafe {
            self.dead = (*self.slot).callee();
            self.site = site;
            (*self.slot).chain = ptr::from_ref(self).cast();
            (*self.slot).lead_to(arch::dead(self.kind));
        }
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

/// A trampoline to `callee` with `chain` in the register of this kind.
///
/// # Errors
/// The system refuses memory.
#[inline]
pub(crate) fn take(kind: usize, callee: *const (), chain: *const ()) -> Result<NonNull<Record>, Error> {
    let record = thread::with(|local| local.lists(kind).take(kind))??;
    // SAFETY: a record that was taken belongs to this thread, and so does its slot.
    unsafe {
        (*record).host = ptr::null();
        (*(*record).slot).chain = chain;
        (*(*record).slot).lead_to(callee);
        Ok(NonNull::new_unchecked(record))
    }
}

/// The same for a host: a function that keeps the handle in the variable `host`, which is null before, and frees the
/// trampoline at its ends. If it is left in another way, as by `longjmp`, a later call on this thread takes it back.
///
/// # Errors
/// As for [`take`].
///
/// # Safety
/// `host` is a variable of the caller's frame.
pub(crate) unsafe fn take_for_host(
    kind: usize,
    host: *const *const Record,
    callee: *const (),
    chain: *const (),
) -> Result<NonNull<Record>, Error> {
    // Everything deeper in the stack is gone.
    let here = 0u8;
    thread::with(|local| local.leave_hosts(ptr::from_ref(&here) as usize))?;
    let record = take(kind, callee, chain)?;
    thread::with(|local| {
        if !local.is_temporary() {
            // SAFETY: the record is this thread's.
            let entered = unsafe { &mut *record.as_ptr() };
            (entered.host, entered.owner) = (host, local);
            entered.next = local.hosted.replace(record.as_ptr());
        }
    })?;
    Ok(record)
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
    let (kind, host) = unsafe {
        if (*record).is_freed() {
            report::freed_twice(&*record, site);
        }
        (*record).poison(site);
        ((*record).kind.into(), (*record).host)
    };
    let freed = thread::with(|local| match host.is_null() {
        true => local.lists(kind).append(record),
        // SAFETY: as above. The list of trampolines with hosts is its owner's, who looks which are freed.
        false if unsafe { (*record).owner } == local => local.collect_freed(),
        false => {}
    });
    if freed.is_err() && host.is_null() {
        hand_over(kind, record, 0);
    }
}

impl Local {
    /// Takes the trampolines that were made last off the list of those with hosts, as long as they are freed.
    fn collect_freed(&self) {
        while let Some(last) = NonNull::new(self.hosted.get()) {
            // SAFETY: records in the list are this thread's.
            let record = unsafe { last.as_ref() };
            // SAFETY: they were taken.
            if !unsafe { record.is_freed() } {
                return;
            }
            self.hosted.set(record.next);
            self.lists(record.kind.into()).append(last.as_ptr());
        }
    }

    /// Frees the trampolines whose hosts do not exist any more; the stack above the address `here` does.
    fn leave_hosts(&self, here: usize) {
        self.collect_freed();
        while let Some(mut last) = NonNull::new(self.hosted.get()) {
            // SAFETY: as above.
            unsafe {
                if !self.is_left(last.as_ref(), here) {
                    return;
                }
                last.as_mut().poison(LEFT);
            }
            self.collect_freed();
        }
    }

    /// Does the host of a trampoline not exist any more? Hosts on other stacks than the thread's own are not known.
    fn is_left(&self, record: &Record, here: usize) -> bool {
        let (host, stack) = (record.host as usize, self.stack());
        stack.contains(&here)
            && stack.contains(&host)
            // SAFETY: memory of this thread's stack, which is in use or has been. Others may use it for other things now.
            && (host < here || unsafe { record.host.read_volatile() } != ptr::from_ref(record))
    }

    /// Gives back everything.
    pub(crate) fn give_back(&self) {
        self.collect_freed();
        // The thread ends, and so have its hosts.
        while let Some(mut last) = NonNull::new(self.hosted.get()) {
            // SAFETY: as above.
            unsafe { last.as_mut().poison(LEFT) };
            self.collect_freed();
        }
        for kind in 0..KINDS {
            self.lists(kind).give_back(kind);
        }
    }
}

/// Trampolines of one kind that a thread owns and does not use.
pub(crate) struct Lists {
    /// Freed trampolines to be used next.
    old: Cell<*mut Record>,
    /// Trampolines freed later, in order.
    first: Cell<*mut Record>,
    last: Cell<*mut Record>,
    count: Cell<usize>,
    /// Trampolines that were never used: a run from this record on.
    run: Cell<*mut Record>,
    run_left: Cell<usize>,
}

impl Lists {
    pub(crate) const fn new() -> Lists {
        const fn null() -> Cell<*mut Record> {
            Cell::new(ptr::null_mut())
        }
        Lists { old: null(), first: null(), last: null(), count: Cell::new(0), run: null(), run_left: Cell::new(0) }
    }

    /// A trampoline to be used.
    #[inline]
    fn take(&self, kind: usize) -> Result<*mut Record, Error> {
        let record = self.old.get();
        if record.is_null() {
            return self.find(kind);
        }
        // SAFETY: lists consist of records, and this thread's belong to no other.
        self.old.set(unsafe { (*record).next });
        Ok(record)
    }

    /// Puts a freed record at the queue's end.
    #[inline]
    fn append(&self, record: *mut Record) {
        // SAFETY: the record is this thread's.
        unsafe { (*record).next = ptr::null_mut() };
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
            // SAFETY: as above.
            self.make_room(unsafe { (*record).kind }.into());
        }
    }

    /// Hands over the trampolines that were freed first.
    #[cold]
    fn make_room(&self, kind: usize) {
        hand_over(kind, self.old.get(), 0);
        self.turn();
    }

    /// A record, `old` being empty.
    #[cold]
    fn find(&self, kind: usize) -> Result<*mut Record, Error> {
        if self.count.get() > DELAY {
            self.turn();
        } else if self.run_left.get() == 0 {
            let bundle = depot::get(kind);
            if !bundle.is_null() {
                // SAFETY: what comes out of the depot belongs to this thread.
                match unsafe { (*bundle).run } {
                    0 => self.old.set(bundle),
                    left => {
                        self.run.set(bundle);
                        self.run_left.set(left.into());
                    }
                }
            } else if self.count.get() > 0 {
                self.turn();
            } else {
                self.run.set(map_block(kind)?);
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
                (*next).kind = (*record).kind;
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
    fn give_back(&self, kind: usize) {
        hand_over(kind, self.old.get(), 0);
        self.turn();
        hand_over(kind, self.old.replace(ptr::null_mut()), 0);
        if self.run_left.get() > 0 {
            hand_over(kind, self.run.get(), self.run_left.replace(0));
        }
    }
}

/// Puts a list, or a run of this many records, into the depot; null is no list. They belonged to the calling thread,
/// which gives them up.
fn hand_over(kind: usize, first: *mut Record, run: usize) {
    if !first.is_null() {
        // SAFETY: see above; only called by the functions of this file.
        unsafe {
            // A block has at most 4,096 of them.
            (*first).run = run as u16;
            depot::put(kind, first);
        }
    }
}

/// Maps a block. Its first record stands for the run of all.
fn map_block(kind: usize) -> Result<*mut Record, Error> {
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
        match stub::fill(kind, code, block.as_ptr() as usize) {
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
        (*record).kind = kind as u16;
        registry::enter(record, block.as_ptr().add(2 * UNIT + records));
        Ok(record)
    }
}
