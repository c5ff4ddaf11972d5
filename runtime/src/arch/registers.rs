//! The arguments of a call whose integers and floating-point values come in registers of their own.

use core::ffi::c_void;

/// Taken in order from a frame of words: `INTS` integer registers, eight floating-point registers, and from word 16 on the
/// arguments on the stack.
pub(crate) struct Arguments<const INTS: usize> {
    frame: *const u64,
    /// Words that were taken from registers.
    words: usize,
    /// Floating-point values that were taken from registers.
    floats: usize,
    /// Arguments that were taken from the stack.
    stack: usize,
}

impl<const INTS: usize> Arguments<INTS> {
    pub(crate) fn new(frame: *const c_void) -> Self {
        Arguments { frame: frame.cast(), words: 0, floats: 0, stack: 0 }
    }

    /// # Safety
    /// The frame is of an adapter, and the place is in it or is an argument's.
    unsafe fn at(&self, index: usize) -> u64 {
        // SAFETY: the caller's word.
        unsafe { *self.frame.add(index) }
    }

    /// An integer or a pointer.
    ///
    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn word(&mut self) -> u64 {
        let index = if self.words < INTS {
            self.words += 1;
            self.words - 1
        } else {
            self.stack += 1;
            15 + self.stack
        };
        // SAFETY: the caller's word.
        unsafe { self.at(index) }
    }

    /// The lowest 64 bits of a floating-point argument.
    ///
    /// # Safety
    /// The next argument is one.
    unsafe fn float(&mut self) -> u64 {
        let index = if self.floats < 8 {
            self.floats += 1;
            INTS - 1 + self.floats
        } else {
            self.stack += 1;
            15 + self.stack
        };
        // SAFETY: the caller's word.
        unsafe { self.at(index) }
    }

    /// An integer of 64 bits.
    ///
    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn long(&mut self) -> u64 {
        // SAFETY: the caller's word.
        unsafe { self.word() }
    }

    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn single(&mut self) -> f32 {
        // SAFETY: the caller's word.
        f32::from_bits(unsafe { self.float() } as u32)
    }

    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn double(&mut self) -> f64 {
        // SAFETY: the caller's word.
        f64::from_bits(unsafe { self.float() })
    }
}
