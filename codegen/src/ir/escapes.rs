//! Variables of a function that other functions find by its frame: filters of its handlers, and blocks that its
//! cleanups call (LLVM LangRef, `llvm.localescape`, `llvm.localrecover`).

use super::entities::Slot;
use super::module::SymbolId;

/// Slots that other functions find by the address of one of them, the *anchor*. Their places are known when the frame
/// is laid out; a table of the object passes them on, as words of four bytes: first the place of the anchor relative to
/// what filters know of the frame, then for each variable its distance from the anchor and a mask. The variable's
/// address is the next one at or after that distance which has no bits outside the mask. The anchor has no more
/// alignment than a pointer.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Escapes {
    /// The symbol of the table.
    pub table: SymbolId,
    /// Whose address `llvm.localaddress` gives.
    pub anchor: Slot,
    /// The variables by their numbers; `None` for numbers without a variable.
    pub slots: Vec<Option<Slot>>,
}

impl Escapes {
    /// All slots that must stay in memory as they are.
    pub fn all(&self) -> impl Iterator<Item = Slot> + '_ {
        self.slots.iter().flatten().copied().chain([self.anchor])
    }
}
