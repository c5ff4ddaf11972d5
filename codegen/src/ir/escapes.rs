//! Variables of a function that other functions find by its frame: the filters of its handlers, and the blocks that its cleanups call
//! (LLVM LangRef, `llvm.localescape`, `llvm.localrecover`).

use super::entities::Slot;
use super::module::SymbolId;

/// Slots that other functions find by the address of one of them, the *anchor*. Where they are is known when the frame is; a table of the
/// object tells it to the others: words of four bytes, the first with the place of the anchor from what filters get to know of the frame,
/// then for each variable its distance from the anchor, and a mask: its address is the next one that has no bits but those of the mask. The
/// anchor has no more alignment than a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Escapes {
    /// The symbol of the table.
    pub table: SymbolId,
    /// Whose address `llvm.localaddress` gives.
    pub anchor: Slot,
    /// The variables by their numbers; of none there is no distance.
    pub slots: Vec<Option<Slot>>,
}

impl Escapes {
    /// All slots: they stay in memory, as they are.
    pub fn all(&self) -> impl Iterator<Item = Slot> + '_ {
        self.slots.iter().flatten().copied().chain([self.anchor])
    }
}
