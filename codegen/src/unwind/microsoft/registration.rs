//! The record by which a function of 32-bit Windows registers its handlers while it runs: below the word that the frame pointer points to.
//!
//! ```text
//!               C++                  __try
//!   end - 4     state                state
//!   end - 8     handler              scope table
//!   end - 12    next record          handler
//!   end - 16    stack pointer        next record
//!   end - 20                         exception pointers
//!   end - 24                         stack pointer
//! ```
//!
//! Funclets are called with the record's end as frame pointer. Control comes back to the function with it and with the
//! record's stack pointer, which is where the prologue leaves it. (`_except_handler3` and `__CxxFrameHandler3`; LLVM,
//! `WinEHPrepare` and `X86WinEHState.cpp`.)

use crate::frame::FramePlace;
use crate::ir::{Personality, SymbolId};

pub(super) const WORD: i32 = 4;
/// Offset of the state from the end.
pub(super) const STATE: i32 = -WORD;
/// Offset of the scope table's address.
pub(super) const TABLE: i32 = -2 * WORD;

/// A function's registration record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// The personality routine of `__try`. `None`: C++'s.
    pub(super) routine: Option<SymbolId>,
    /// The state outside of all.
    pub(super) outside: i32,
    /// `_except_handler4`: the address of the frame is stored, masked.
    pub(super) is_masked: bool,
    /// Where.
    pub guard: Option<FramePlace>,
    /// Words in which funclets save their stack pointers, by number, if these move by unknown distances.
    pub stacks: Option<FramePlace>,
}

impl Record {
    /// The record of a function with this personality routine.
    pub fn new(symbol: SymbolId, routine: Personality) -> Record {
        Record {
            routine: matches!(routine, Personality::TryLevels(_)).then_some(symbol),
            outside: routine.outside(),
            is_masked: routine == Personality::TryLevels(4),
            guard: None,
            stacks: None,
        }
    }

    /// Bytes.
    pub fn bytes(self) -> u32 {
        if self.routine.is_some() { 24 } else { 16 }
    }
}
