//! The reader of a body: its state, and what all instructions share.

use gusset_codegen::ir::Block;
use gusset_program::{Cast, Kind, Op, PTR, Sink, TypeId, TypeTable, Val};

use super::tables::{BlockInfo, Local, LocalRef, Scratch, State};
use crate::lexer::Cursor;
use crate::tables::Tables;
use crate::types::TypeNames;
use gusset_text::{Placed, ReadError, Result};

/// The state of reading one body.
pub(crate) struct Reader<'r, E> {
    pub c: Cursor<'r>,
    pub m: &'r Tables<'r>,
    /// The sink of the function.
    pub l: E,
    pub names: &'r mut TypeNames,
    pub s: &'r mut Scratch,
    /// The number of the next unnamed local.
    pub next: u32,
    /// Bound on the numbers of locals, since each takes a few bytes of text.
    pub limit: u32,
    /// Nesting depth of the constant being read.
    pub depth: u32,
    /// The current block has instructions other than phis.
    pub after_phis: bool,
    /// The current block.
    pub block: Block,
    /// An operand is defined after its use in the same block, or it is not known where.
    pub far: bool,
}

impl<'r, E: Sink> Reader<'r, E> {
    // Blocks.

    /// Reads the name of a block; the cursor is at `%`.
    pub fn block_ref(&mut self) -> Result<Block> {
        let pos = self.c.pos;
        self.c.unexpected_if(self.c.peek() != b'%', self.c.pos, "a block's name")?;
        let r = self.local_ref()?;
        self.block_of(r, pos)
    }

    #[inline(always)]
    pub(super) fn block_of(&mut self, r: LocalRef, pos: usize) -> Result<Block> {
        let l = *self.local(r);
        match l.state {
            State::Block => Ok(l.block),
            State::Unseen => Ok(self.new_block(r, pos)),
            _ => Err(self.not_a_block(r, pos)),
        }
    }

    #[cold]
    fn not_a_block(&self, r: LocalRef, pos: usize) -> ReadError {
        self.c.error_at(pos, format!("`{}` is a value, not a block", self.local_name(r)))
    }

    /// A new block, first mentioned at `pos`. Blocks of the lowering's own get the position of the program's next one.
    #[inline(never)]
    pub(super) fn new_block(&mut self, r: LocalRef, pos: usize) -> Block {
        let block = self.l.create_block();
        if self.s.blocks.len() != block.index() {
            self.s.blocks.resize(block.index(), BlockInfo { pos, begun: true });
        }
        self.s.blocks.push(BlockInfo { pos, begun: false });
        *self.local(r) = Local::block(block);
        self.emit_block_name(r, block);
        block
    }

    /// Reads `label %name`.
    #[inline(always)]
    pub fn label(&mut self) -> Result<Block> {
        const PREFIX: u64 = u64::from_le_bytes(*b"label %\0");
        if self.c.eight().is_some_and(|text| text & 0xff_ffff_ffff_ffff == PREFIX) {
            self.c.pos += 6;
            return self.block_ref();
        }
        self.c.expect_word("label")?;
        self.block_ref()
    }

    // Types, and values of them.

    /// Reads a type.
    #[inline(always)]
    pub fn ty(&mut self) -> Result<TypeId> {
        self.names.parse(self.l.types_mut(), &mut self.c)
    }

    /// Checks that a value has a scalar or vector type.
    #[inline]
    pub fn scalar(&mut self, ty: TypeId) -> Result<Val> {
        self.l.types().check_scalar(ty).at(self.c.src, self.c.pos)?;
        self.value(ty)
    }

    /// Reads a type and a value of it, which must be a scalar or vector.
    #[inline]
    pub fn typed_scalar(&mut self) -> Result<(TypeId, Val)> {
        let ty = self.ty()?;
        let v = self.scalar(ty)?;
        Ok((ty, v))
    }

    /// Reads a type, which must be `ty`, and a value of it.
    pub fn same_type(&mut self, ty: TypeId) -> Result<Val> {
        let pos = self.c.pos;
        self.c.refuse_if(self.ty()? != ty, pos, "the operands are of different types")?;
        self.value(ty)
    }

    /// Reads `ptr value`.
    pub fn pointer(&mut self) -> Result<Val> {
        let pos = self.c.pos;
        match self.spaced_pointer()? {
            (v, 0) => Ok(v),
            _ => Err(self.c.error_at(pos, gusset_program::refusals::SEGMENT)),
        }
    }

    /// Reads a pointer with its type; returns its address space.
    #[inline(always)]
    pub fn spaced_pointer(&mut self) -> Result<(Val, u8)> {
        if let Some(v) = self.local_pointer()? {
            return Ok((v, 0));
        }
        self.other_pointer()
    }

    #[inline(never)]
    fn other_pointer(&mut self) -> Result<(Val, u8)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        if TypeTable::is_other_pointer(ty) {
            let val = self.value(ty)?;
            let cast = Op::Cast { cast: Cast::Addrspacecast, from: ty, val, ty: PTR };
            return self.l.op(cast).at(self.c.src, pos).map(|made| (made.1, 0));
        }
        let pointer = E::PRESERVES_METADATA && self.l.types().get(ty).kind == Kind::Ptr;
        let space = TypeTable::space(ty).or(pointer.then_some(0)).ok_or_else(|| self.c.expected_at(pos, "`ptr`"))?;
        self.value(ty).map(|v| (v, space))
    }

    /// Reads `ptr %value`, if that is next.
    #[inline(always)]
    pub fn local_pointer(&mut self) -> Result<Option<Val>> {
        const PREFIX: u64 = u64::from_le_bytes(*b"ptr %\0\0\0");
        if self.c.eight().is_none_or(|text| text & 0xff_ffff_ffff != PREFIX) {
            return Ok(None);
        }
        self.c.pos += 4;
        let pos = self.c.pos;
        let r = self.local_ref()?;
        self.use_local(r, PTR, pos).map(Some)
    }
}
