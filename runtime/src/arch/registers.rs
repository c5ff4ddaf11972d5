//! The arguments of a call, where integers and floating-point values are passed in registers of their own.

use core::ffi::c_void;

/// Arguments are taken in order from a frame of words: `INTS` integer registers, eight floating-point registers, and
/// from word 16 on the arguments on the stack.
pub(crate) struct Arguments<const INTS: usize> {
    frame: *const u64,
    /// Number of words taken from registers.
    words: usize,
    /// Number of floating-point values taken from registers.
    floats: usize,
    /// Number of arguments taken from the stack.
    stack: usize,
}

impl<const INTS: usize> Arguments<INTS> {
    pub(crate) fn new(frame: *const c_void) -> Self {
        Arguments { frame: frame.cast(), words: 0, floats: 0, stack: 0 }
    }

    /// # Safety
    /// The frame belongs to an adapter, and the word is in it or belongs to an argument.
    unsafe fn at(&self, index: usize) -> u64 {
        // SAFETY: the caller's word.
        unsafe { *self.frame.add(index) }
    }

    /// An integer or a pointer.
    ///
    /// # Safety
    /// The next argument has this type.
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
    /// The next argument has this type.
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
    /// The next argument has this type.
    pub(crate) unsafe fn long(&mut self) -> u64 {
        // SAFETY: the caller's word.
        unsafe { self.word() }
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn single(&mut self) -> f32 {
        // SAFETY: the caller's word.
        f32::from_bits(unsafe { self.float() } as u32)
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn double(&mut self) -> f64 {
        // SAFETY: the caller's word.
        f64::from_bits(unsafe { self.float() })
    }
}
