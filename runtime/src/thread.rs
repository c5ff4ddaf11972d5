//! The data that each thread owns, and how it is accessed.

use crate::depot;
use crate::error::Error;
use crate::pool::{Lists, Record};
use crate::report::Line;
use crate::stub::{KINDS, kind_index};
use crate::system::{self, Key, Lock};
use core::cell::Cell;
use core::ffi::c_void;
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};

/// The part of the pool that a thread owns.
pub(crate) struct Local {
    lists: [Lists; KINDS],
    /// Trampolines whose hosts may be left without freeing them: the last one made.
    pub hosted: Cell<*mut Record>,
    /// Addresses of the thread's own stack, once they are needed.
    stack: Cell<Option<(usize, usize)>>,
    /// It is for one call only.
    temporary: bool,
    /// Why the last trampoline could not be made.
    pub last_error: Cell<Option<Line<200>>>,
}

/// The key of each thread's pointer to its own [`Local`]; above 32 bits as long as there is none.
static KEY: AtomicU64 = AtomicU64::new(u64::MAX);

/// Stands for a [`Local`]'s address: the thread ends, and has given back what it owned.
const ENDED: *mut c_void = ptr::without_provenance_mut(1);

/// Calls `what` with the calling thread's part of the pool.
///
/// # Errors
/// The system does not provide what is needed for it.
#[inline]
pub(crate) fn with<T>(what: impl FnOnce(&Local) -> T) -> Result<T, Error> {
    if let Ok(key) = Key::try_from(KEY.load(Ordering::Acquire)) {
        // SAFETY: a key that was made.
        let pointer = unsafe { system::thread_pointer(key) };
        if pointer == ENDED {
            return Ok(after_end(what));
        }
        // SAFETY: set by `make` for this thread, and valid until its end.
        if let Some(local) = unsafe { pointer.cast::<Local>().as_ref() } {
            return Ok(what(local));
        }
    }
    make().map(what)
}

/// Calls `what` with a part of the pool that is given back at once: the thread's destructors still run, but would not
/// be called for it any more.
#[cold]
fn after_end<T>(what: impl FnOnce(&Local) -> T) -> T {
    let local = Local::new(true);
    let result = what(&local);
    local.give_back();
    result
}

impl Local {
    fn new(temporary: bool) -> Local {
        Local {
            lists: [const { Lists::new() }; KINDS],
            hosted: Cell::new(ptr::null_mut()),
            stack: Cell::new(None),
            temporary,
            last_error: Cell::new(None),
        }
    }

    /// What it has of a kind.
    #[inline]
    pub(crate) fn lists(&self, kind: usize) -> &Lists {
        &self.lists[kind_index(kind)]
    }

    /// Is it given back after this call?
    pub(crate) fn is_temporary(&self) -> bool {
        self.temporary
    }

    /// The addresses of the thread's own stack; empty if they are not known.
    pub(crate) fn stack(&self) -> Range<usize> {
        let (low, high) = self.stack.get().unwrap_or_else(system::stack);
        self.stack.set(Some((low, high)));
        low..high
    }
}

#[cold]
fn make<'a>() -> Result<&'a Local, Error> {
    let key = key()?;
    let bytes = size_of::<Local>();
    let local: *mut Local = system::allocate(bytes).cast();
    if local.is_null() {
        return Err(Error::Map { bytes, code: 0 });
    }
    // SAFETY: memory of this size, which is nobody else's.
    unsafe {
        local.write(Local::new(false));
        if !system::set_thread_pointer(key, local.cast()) {
            system::release(local.cast());
            return Err(Error::Map { bytes, code: 0 });
        }
        Ok(&*local)
    }
}

/// Makes the key, and makes `fork` safe, once in a process.
fn key() -> Result<Key, Error> {
    static ONCE: Lock = Lock::new();
    ONCE.lock();
    let made = match Key::try_from(KEY.load(Ordering::Acquire)) {
        Ok(key) => Ok(key),
        Err(_) => start(),
    };
    // SAFETY: this thread has the lock.
    unsafe { ONCE.unlock() };
    made
}

fn start() -> Result<Key, Error> {
    // Without these, the child of a fork might wait for ever.
    system::around_fork(depot::before_fork, depot::after_fork)?;
    let key = system::make_key()?;
    KEY.store(key.into(), Ordering::Release);
    Ok(key)
}

/// Gives back what a thread owns when it ends.
///
/// # Safety
/// The pointer of a thread that ends.
pub(crate) unsafe fn end(pointer: *mut c_void) {
    if pointer != ENDED {
        // SAFETY: the thread's own, made by `make`; no reference is left.
        unsafe {
            (*pointer.cast::<Local>()).give_back();
            system::release(pointer.cast());
        }
    }
    // Some systems now call this again, but not for ever.
    if let Ok(key) = Key::try_from(KEY.load(Ordering::Acquire)) {
        // SAFETY: a key that was made. If it fails, the thread gets another part when it needs one.
        unsafe { system::set_thread_pointer(key, ENDED) };
    }
}
