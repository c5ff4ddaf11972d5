//! The argument block of MSVC's 32-bit x86 conventions (`inalloca` in LLVM IR).
//!
//! The caller constructs a class that C++ cannot copy bitwise where the callee expects it. As soon as one argument is
//! such a class, all stack arguments are fields of one block, which the caller allocates before it evaluates the
//! arguments, and whose address is the stack pointer at the call instruction:
//!
//! - Fields are in the order of the stack arguments, each rounded up to 4 bytes: with `__thiscall` the result's
//!   address, then arguments; otherwise `this`, the result's address, then arguments. The block is aligned to 4 and
//!   contains nothing but fields.
//! - What is in registers stays there: `this` of `__thiscall`, integers of `__fastcall`, the first vectors.
//! - An over-aligned or surplus vector argument's field is the address of a copy.
//! - Small integers are not extended: the bytes after them in their field have no meaning.
//! - The unnamed arguments of a variadic function follow the block of the named parameters. They are part of no block.
//! - A call among the arguments of another begins below the block of the outer one; when it returns, the stack pointer has to
//!   be at the outer block again. A frame that makes such calls needs a frame pointer.
//! - The callee destroys the objects in the block. Conventions whose callee removes the arguments remove the block.
//!
//! Sources: LLVM LangRef, "Parameter Attributes", `inalloca`, and "Design and Usage of the InAlloca Attribute"; seen of clang 19.

use crate::fnabi::{ArgBlock, FnAbi, PassMode, Place};
use alloc::vec::Vec;

/// What a field of an argument block is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockItem {
    /// The address of the result's memory.
    Result,
    /// The parameter with this index.
    Param(u32),
}

/// A field of an argument block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlockField {
    /// What it is for.
    pub item: BlockItem,
    /// Its offset in the block in bytes.
    pub offset: u32,
    /// Bytes of it that have a meaning: the size of the value, or 4 for its address.
    pub size: u64,
    /// The field holds the value's address instead of the value.
    pub indirect: bool,
}

impl FnAbi {
    /// The fields of the argument block, in order of their offsets; empty if the function has no block. There are at
    /// most 3 bytes of padding between the end of a field and the next one, or the end of the block.
    pub fn block_fields(&self) -> Vec<BlockField> {
        let mut fields = Vec::new();
        if self.arg_block.is_none() {
            return fields;
        }
        if let PassMode::Indirect { pointer, .. } = &self.ret.mode
            && let Place::Stack { offset } = pointer.place
        {
            fields.push(BlockField { item: BlockItem::Result, offset, size: 4, indirect: true });
        }
        for (index, arg) in self.args.iter().enumerate() {
            if let PassMode::InBlock { offset, size, indirect } = arg.mode {
                let size = if indirect { 4 } else { size };
                fields.push(BlockField { item: BlockItem::Param(index as u32), offset, size, indirect });
            }
        }
        fields.sort_by_key(|field| field.offset);
        fields
    }
}

/// Turns the stack arguments among the first `named` into fields of a block, and returns the block.
pub(crate) fn build(named: usize, abi: &mut FnAbi) -> ArgBlock {
    let mut end = 0;
    if let PassMode::Indirect { pointer, .. } = &abi.ret.mode
        && let Place::Stack { offset } = pointer.place
    {
        end = offset + 4;
    }
    for arg in abi.args.iter_mut().take(named) {
        let field = match &arg.mode {
            PassMode::StackCopy { offset, size, .. } => Some((*offset, *size, false)),
            PassMode::Indirect { pointer, size, .. } => match pointer.place {
                Place::Stack { offset } => Some((offset, *size, true)),
                _ => None,
            },
            PassMode::Direct(pieces) => match pieces.first().map(|piece| piece.place) {
                Some(Place::Stack { offset }) => Some((offset, arg.layout.size, false)),
                _ => None,
            },
            PassMode::Ignore | PassMode::Parts(_) | PassMode::InBlock { .. } => None,
        };
        if let Some((offset, size, indirect)) = field {
            let bytes = if indirect { 4 } else { size.next_multiple_of(4) };
            end = end.max(offset + bytes as u32);
            arg.mode = PassMode::InBlock { offset, size, indirect };
        }
    }
    ArgBlock { size: end.into(), align: 4, param: None }
}
