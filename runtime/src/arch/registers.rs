//! The arguments of a call, where some of them are passed in registers of 64 bits.

use core::ffi::c_void;

/// Arguments are taken in order from a frame of words.
pub(crate) struct Arguments<P> {
    frame: *const u64,
    positions: P,
}

/// Where arguments are in the frame.
pub(crate) trait Positions: Default {
    /// The word of the next argument, which is a floating-point number or not.
    fn next(&mut self, float: bool) -> usize;
}

impl<P: Positions> Arguments<P> {
    pub(crate) fn new(frame: *const c_void) -> Self {
        Arguments { frame: frame.cast(), positions: P::default() }
    }

    /// # Safety
    /// The frame belongs to an adapter, and the next argument is a floating-point number or not.
    unsafe fn next(&mut self, float: bool) -> u64 {
        // SAFETY: the caller's word.
        unsafe { *self.frame.add(self.positions.next(float)) }
    }

    /// An integer or a pointer.
    ///
    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn word(&mut self) -> u64 {
        // SAFETY: the caller's word.
        unsafe { self.next(false) }
    }

    /// An integer of 64 bits.
    ///
    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn long(&mut self) -> u64 {
        // SAFETY: the caller's word.
        unsafe { self.next(false) }
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn single(&mut self) -> f32 {
        // SAFETY: the caller's word.
        f32::from_bits(unsafe { self.next(true) } as u32)
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn double(&mut self) -> f64 {
        // SAFETY: the caller's word.
        f64::from_bits(unsafe { self.next(true) })
    }
}

/// A frame of `INTS` integer registers, eight floating-point registers, and from word 16 on the arguments on the stack:
/// how many were taken of each.
#[cfg(not(all(target_arch = "x86_64", windows)))]
#[derive(Default)]
pub(crate) struct Registers<const INTS: usize> {
    words: usize,
    floats: usize,
    stack: usize,
}

#[cfg(not(all(target_arch = "x86_64", windows)))]
impl<const INTS: usize> Positions for Registers<INTS> {
    fn next(&mut self, float: bool) -> usize {
        let (taken, most, first) = if float { (&mut self.floats, 8, INTS) } else { (&mut self.words, INTS, 0) };
        if *taken < most {
            *taken += 1;
            return first + *taken - 1;
        }
        self.stack += 1;
        15 + self.stack
    }
}
