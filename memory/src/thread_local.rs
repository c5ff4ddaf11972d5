//! Thread-local data of modules: every thread gets a module's block when it first asks for an address in it.
//!
//! Code finds an address by two words, the module and the offset, as the psABIs' general-dynamic model does; what it calls is a
//! function of this file in place of the C library's. Emulated thread-local data has a control variable in place of the two words:
//! so has all code in memory on Windows, where the loader gives every thread its data and no function does.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::layout::Resolved;
use crate::process;

/// A module's thread-local data. Cells in its code contain the address of this.
#[derive(Debug)]
pub(crate) struct ThreadLocals {
    /// Index of the block among a thread's.
    slot: usize,
    /// Tells it from modules that had the slot before.
    generation: u64,
    layout: Layout,
    /// The initial contents, which are as large as the block.
    template: *const u8,
}

// SAFETY: the template is never written.
unsafe impl Send for ThreadLocals {}
// SAFETY: as above.
unsafe impl Sync for ThreadLocals {}

/// Slots that no module has.
static FREE_SLOTS: Mutex<(Vec<usize>, usize)> = Mutex::new((Vec::new(), 0));
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// A thread's copy of a module's data.
struct Block {
    generation: u64,
    layout: Layout,
    start: *mut u8,
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(self.start, self.layout) };
    }
}

thread_local! {
    static BLOCKS: RefCell<Vec<Option<Block>>> = const { RefCell::new(Vec::new()) };
    /// Copies of emulated variables, by the addresses of their control variables.
    static EMULATED: RefCell<HashMap<usize, Block>> = RefCell::default();
}

impl ThreadLocals {
    /// # Safety
    /// The template has `size` bytes, which stay as long as this is used.
    pub unsafe fn new(size: usize, align: usize, template: *const u8) -> Option<ThreadLocals> {
        let layout = Layout::from_size_align(size.max(1), align).ok()?;
        let mut free = FREE_SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = free.0.pop().unwrap_or_else(|| {
            free.1 += 1;
            free.1 - 1
        });
        Some(ThreadLocals { slot, generation: GENERATION.fetch_add(1, Ordering::Relaxed), layout, template })
    }

    /// The calling thread's copy.
    pub fn block(&self) -> *mut u8 {
        let find = |blocks: &RefCell<Vec<Option<Block>>>| {
            let mut blocks = blocks.borrow_mut();
            if blocks.len() <= self.slot {
                blocks.resize_with(self.slot + 1, || None);
            }
            match &blocks[self.slot] {
                Some(block) if block.generation == self.generation => block.start,
                _ => {
                    let (start, layout) = (self.allocate(), self.layout);
                    blocks[self.slot] = Some(Block { generation: self.generation, layout, start });
                    start
                }
            }
        };
        // A thread whose blocks are gone already gets one that stays.
        BLOCKS.try_with(find).unwrap_or_else(|_| self.allocate())
    }

    fn allocate(&self) -> *mut u8 {
        // SAFETY: the layout is not empty, and the template is as large.
        unsafe { allocate(self.layout, self.template) }
    }
}

/// A copy of a template, or zeros if there is none.
///
/// # Safety
/// The layout is not empty, and the template is as large, or null.
unsafe fn allocate(layout: Layout, template: *const u8) -> *mut u8 {
    // SAFETY: the caller's word.
    unsafe {
        let start = if template.is_null() { alloc_zeroed(layout) } else { alloc(layout) };
        if start.is_null() {
            handle_alloc_error(layout);
        }
        if !template.is_null() {
            start.copy_from_nonoverlapping(template, layout.size());
        }
        start
    }
}

impl Drop for ThreadLocals {
    fn drop(&mut self) {
        // The blocks of other threads go when another module gets the slot, or the threads end.
        let _ = BLOCKS.try_with(|blocks| {
            if let Ok(mut blocks) = blocks.try_borrow_mut()
                && let Some(block) = blocks.get_mut(self.slot)
            {
                *block = None;
            }
        });
        FREE_SLOTS.lock().unwrap_or_else(PoisonError::into_inner).0.push(self.slot);
    }
}

/// In the first word, tells numbers of the process's libraries from addresses of [`ThreadLocals`].
const IS_LIBRARY: usize = 1;

/// Data of one of the process's libraries.
pub(crate) fn of_library(name: &str) -> Option<Resolved> {
    let [number, offset] = process::find_thread_local(name)?;
    Some(Resolved::ThreadLocal { module: number << 1 | IS_LIBRARY as u64, offset })
}

/// The address of thread-local data: what `__tls_get_addr` is for code in memory.
///
/// # Safety
/// The two words of a cell that was linked here.
unsafe extern "C" fn address(index: *const [usize; 2]) -> *mut u8 {
    // SAFETY: the caller's word: the first word is the address of a module's data, which lives as long as its code, or the number of
    // a library.
    unsafe {
        let [module, offset] = *index;
        #[cfg(target_os = "linux")]
        if module & IS_LIBRARY != 0 {
            unsafe extern "C" {
                fn __tls_get_addr(index: *const [usize; 2]) -> *mut u8;
            }
            return __tls_get_addr(&[module >> 1, offset]);
        }
        (*(module as *const ThreadLocals)).block().wrapping_add(offset)
    }
}

/// i386's version takes its argument in `eax`.
#[cfg(target_arch = "x86")]
#[unsafe(naked)]
unsafe extern "C" fn address_in_register() {
    core::arch::naked_asm!("sub esp, 8", "push eax", "call {}", "add esp, 12", "ret", sym address)
}

/// AArch64's descriptors: gets the address of the descriptor in `x0` and returns the distance from the thread pointer there. All other
/// registers stay as they are.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn distance() {
    core::arch::naked_asm!(
        "stp x29, x30, [sp, #-16]!",
        "mov x29, sp",
        "sub sp, sp, #672",
        "stp x1, x2, [sp]",
        "stp x3, x4, [sp, #16]",
        "stp x5, x6, [sp, #32]",
        "stp x7, x8, [sp, #48]",
        "stp x9, x10, [sp, #64]",
        "stp x11, x12, [sp, #80]",
        "stp x13, x14, [sp, #96]",
        "stp x15, x16, [sp, #112]",
        "stp x17, x18, [sp, #128]",
        "stp q0, q1, [sp, #144]",
        "stp q2, q3, [sp, #176]",
        "stp q4, q5, [sp, #208]",
        "stp q6, q7, [sp, #240]",
        "stp q8, q9, [sp, #272]",
        "stp q10, q11, [sp, #304]",
        "stp q12, q13, [sp, #336]",
        "stp q14, q15, [sp, #368]",
        "stp q16, q17, [sp, #400]",
        "stp q18, q19, [sp, #432]",
        "stp q20, q21, [sp, #464]",
        "stp q22, q23, [sp, #496]",
        "stp q24, q25, [sp, #528]",
        "stp q26, q27, [sp, #560]",
        "stp q28, q29, [sp, #592]",
        "stp q30, q31, [sp, #624]",
        "ldr x0, [x0, #8]",
        "bl {}",
        "mrs x1, tpidr_el0",
        "sub x0, x0, x1",
        "ldp x1, x2, [sp]",
        "ldp x3, x4, [sp, #16]",
        "ldp x5, x6, [sp, #32]",
        "ldp x7, x8, [sp, #48]",
        "ldp x9, x10, [sp, #64]",
        "ldp x11, x12, [sp, #80]",
        "ldp x13, x14, [sp, #96]",
        "ldp x15, x16, [sp, #112]",
        "ldp x17, x18, [sp, #128]",
        "ldp q0, q1, [sp, #144]",
        "ldp q2, q3, [sp, #176]",
        "ldp q4, q5, [sp, #208]",
        "ldp q6, q7, [sp, #240]",
        "ldp q8, q9, [sp, #272]",
        "ldp q10, q11, [sp, #304]",
        "ldp q12, q13, [sp, #336]",
        "ldp q14, q15, [sp, #368]",
        "ldp q16, q17, [sp, #400]",
        "ldp q18, q19, [sp, #432]",
        "ldp q20, q21, [sp, #464]",
        "ldp q22, q23, [sp, #496]",
        "ldp q24, q25, [sp, #528]",
        "ldp q26, q27, [sp, #560]",
        "ldp q28, q29, [sp, #592]",
        "ldp q30, q31, [sp, #624]",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        "ret",
        sym address
    )
}

/// The control variable of an emulated thread-local variable, as compilers define it (libgcc's `emutls.c`).
#[repr(C)]
pub(crate) struct Control {
    size: usize,
    align: usize,
    /// Zero until the variable is used. It tells the variable from one that was at the same address before.
    number: AtomicUsize,
    /// The initial contents; null if these are zeros.
    template: *const u8,
}

/// The calling thread's copy of an emulated variable: what `__emutls_get_address` is for code in memory.
///
/// # Safety
/// A control variable, which stays as long as the variable is used.
pub(crate) unsafe extern "C" fn emulated(control: *const Control) -> *mut u8 {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    // SAFETY: the caller's word.
    let Control { size, align, number, template } = unsafe { &*control };
    if number.load(Ordering::Relaxed) == 0 {
        // Of two threads that are the first, one succeeds.
        let new = NEXT.fetch_add(1, Ordering::Relaxed);
        let _ = number.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed);
    }
    let generation = number.load(Ordering::Relaxed) as u64;
    let Ok(layout) = Layout::from_size_align((*size).max(1), (*align).max(1)) else { return std::ptr::null_mut() };
    // SAFETY: the template is as large as the variable.
    let new = || unsafe { allocate(layout, *template) };
    let find = |blocks: &RefCell<HashMap<usize, Block>>| {
        let mut blocks = blocks.borrow_mut();
        match blocks.get(&control.addr()) {
            Some(block) if block.generation == generation => block.start,
            _ => {
                let start = new();
                blocks.insert(control.addr(), Block { generation, layout, start });
                start
            }
        }
    };
    // A thread whose blocks are gone already gets one that stays.
    EMULATED.try_with(find).unwrap_or_else(|_| new())
}

/// The function of this file that code calls by a name.
pub(crate) fn function(name: &str) -> Option<u64> {
    let function: *const () = match name {
        "__tls_get_addr" => address as *const (),
        "__emutls_get_address" => emulated as *const (),
        #[cfg(all(windows, target_arch = "x86"))]
        "___emutls_get_address" => emulated as *const (),
        #[cfg(target_arch = "x86")]
        "___tls_get_addr" => address_in_register as *const (),
        _ => return None,
    };
    Some(function as usize as u64)
}

/// What descriptors call, where there are any.
pub(crate) fn descriptor() -> u64 {
    #[cfg(target_arch = "aarch64")]
    return distance as *const () as usize as u64;
    #[cfg(not(target_arch = "aarch64"))]
    0
}
