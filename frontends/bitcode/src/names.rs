//! Tables of names.

use gusset_text::Result;

use crate::bits::{Bits, Entry};
use crate::codes::block;

/// Reads a table of names; `take` gets whether a name is a block's, the number and the name.
pub fn read_names(c: &mut Bits<'_>, mut take: impl FnMut(bool, u64, Vec<u8>)) -> Result<()> {
    const ENTRY: u64 = 1;
    const BLOCK: u64 = 2;
    c.enter(block::VALUE_SYMTAB)?;
    loop {
        match c.next()? {
            Entry::End => return Ok(()),
            Entry::Record if matches!(c.code, ENTRY | BLOCK) => take(c.code == BLOCK, c.field(0), c.text(1)),
            Entry::Record => {}
            Entry::Block(_) => c.pass_over()?,
        }
    }
}
