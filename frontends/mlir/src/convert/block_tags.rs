//! Addresses of blocks, which operations name by tags: `llvm.blockaddress`, `llvm.blocktag`, `llvm.indirectbr`.
//!
//! MLIR 20, "'llvm' Dialect".

use gusset_codegen::ir::{Linkage, Module, Symbol as IrSymbol, SymbolKind};
use gusset_program::{Const, LocalName, PTR};
use gusset_program::{Op as LlvmOp, Sink};
use gusset_text::{Placed, Result};

use crate::context::{BlockTags, ModuleContext};
use crate::convert::reader::Reader;
use crate::syntax::attributes::{read_int, read_symbol};
use crate::syntax::lexer::Cursor;
use crate::syntax::op::Op;
use crate::syntax::types::Ty;

const WORD: &[u8] = b"blockaddress";

/// Reads `<function = @f, tag = <id = 1>>`; returns the function and the tag.
fn read_address(c: &mut Cursor<'_>) -> Result<(Vec<u8>, u32)> {
    c.expect(b'<')?;
    c.expect_word("function")?;
    c.expect(b'=')?;
    let name = read_symbol(c)?.into_owned();
    c.expect(b',')?;
    c.expect_word("tag")?;
    c.expect(b'=')?;
    let tag = read_tag(c)?;
    c.expect(b'>')?;
    Ok((name, tag))
}

/// Reads `<id = 1>`, with or without the attribute's name before it.
fn read_tag(c: &mut Cursor<'_>) -> Result<u32> {
    if c.peek() == b'#' {
        c.pos += 1;
        c.bump(c.word_len());
    }
    c.expect(b'<')?;
    c.expect_word("id")?;
    c.expect(b'=')?;
    let pos = c.pos;
    let tag = u32::try_from(read_int(c)?).map_err(|_| c.error_at(pos, "the tag of a block is a number of 32 bits"))?;
    c.expect(b'>')?;
    Ok(tag)
}

/// The name in LLVM's text of a block with a tag. It contains a space, which no name of MLIR's does.
fn block_name(tag: u32) -> String {
    format!("block {tag}")
}

/// Gives symbols to the blocks whose addresses are taken. A text that does not read as an address is ignored here.
pub(crate) fn define(tables: &ModuleContext<'_>, module: &mut Module) -> BlockTags {
    let mut all = BlockTags::new();
    for at in memchr::memmem::find_iter(tables.source, WORD) {
        let mut c = Cursor::new(tables.source, at + WORD.len());
        c.ws();
        let Ok((name, tag)) = read_address(&mut c) else { continue };
        let Some(function) = tables.lookup(&name).map(|known| known.symbol) else { continue };
        let Some(own) = module.symbols.get(function.index()) else { continue };
        if own.kind != SymbolKind::Function || !own.is_defined() {
            continue;
        }
        let name = format!("{}.{tag}", own.name);
        all.entry((function, tag)).or_insert_with(|| {
            let symbol = IrSymbol::new(name, SymbolKind::Block(function), Linkage::Private);
            (module.add_symbol(symbol), at)
        });
    }
    all
}

impl<'r, E: Sink> Reader<'r, E> {
    /// The beginning of an attribute's angle brackets.
    fn angled(&self, op: &Op<'r>, name: &str) -> Result<Cursor<'r>> {
        let mut c = self.need(op, name)?.cursor();
        if c.peek() == b'#' {
            c.pos += 1;
            c.bump(c.word_len());
        }
        Ok(c)
    }

    /// `llvm.blockaddress <function = @f, tag = <id = 1>> : !llvm.ptr`.
    pub fn block_address(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut at = self.angled(op, "block_addr")?;
        let (name, tag) = read_address(&mut at)?;
        let pointer = self.result_type(op, 0)? == Ty::of(PTR);
        self.src.refuse_if(!pointer, op.pos, "the address of a block is a pointer")?;
        let m = self.m;
        let Some(function) = m.lookup(&name).map(|known| known.symbol) else {
            let name = String::from_utf8_lossy(&name);
            return Err(self.src.error(op.pos, format!("the function `@{name}` is not declared")));
        };
        if E::PRESERVES_METADATA {
            let name = block_name(tag);
            let v = self
                .l
                .constant(PTR, Const::BlockAddress { function, block: LocalName::Text(name.as_bytes()), symbol: None })
                .at(self.src, op.pos)?;
            self.give(op, Ty::of(PTR), &[v]);
            return Ok(());
        }
        let symbol = m.block_tags.get(&(function, tag)).map(|known| known.0);
        let v = self
            .l
            .constant(PTR, Const::BlockAddress { function, block: LocalName::Number(tag), symbol })
            .at(self.src, op.pos)?;
        self.give(op, Ty::of(PTR), &[v]);
        Ok(())
    }

    /// `llvm.blocktag <id = 1>`: tags the block that contains it.
    pub fn block_tag(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut at = self.angled(op, "tag")?;
        let tag = read_tag(&mut at)?;
        if let (true, Some(block)) = (E::PRESERVES_METADATA, self.l.current_block()) {
            self.l.name_block(block, block_name(tag).as_bytes());
        }
        let m = self.m;
        let known = self.own.and_then(|own| m.block_tags.get(&(own, tag)));
        if let (Some(&(symbol, _)), Some(block)) = (known, self.l.current_block()) {
            let again = self.tagged.contains(&symbol);
            self.src.refuse_if(again, op.pos, "another block of the function has this tag")?;
            self.tagged.push(symbol);
            self.l.set_block_symbol(block, symbol);
        }
        Ok(())
    }

    /// Checks that each tag of this function whose block's address is taken was met.
    pub fn tags_are_met(&self) -> Result<()> {
        let Some(own) = self.own.filter(|_| !self.m.block_tags.is_empty()) else { return Ok(()) };
        let mut missing = self.m.block_tags.iter().filter(|((function, _), _)| *function == own);
        match missing.find(|(_, (symbol, _))| !self.tagged.contains(symbol)) {
            Some((_, &(_, at))) => Err(self.src.error(at, "the function has no block with this tag")),
            None => Ok(()),
        }
    }

    /// `llvm.indirectbr %p : !llvm.ptr, [^a(%x : i32), ^b]`.
    pub fn indirect_branch(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.operands_are(op, 1)?;
        self.src.refuse_if(op.operands[0].ty != Ty::of(PTR), op.pos, "what is jumped to must be a pointer")?;
        let mut edges = Vec::with_capacity(op.successors.len());
        for i in 0..op.successors.len() {
            edges.push(self.successor(op, i));
        }
        let addr = self.one(op.operands[0]);
        self.l.op(LlvmOp::IndirectBr { addr, edges: &edges }).at(self.src, op.pos)?;
        Ok(())
    }
}
