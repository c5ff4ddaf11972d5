//! Addresses of blocks, which operations name by tags: `llvm.blockaddress`, `llvm.blocktag`, `llvm.indirectbr`.
//!
//! MLIR 20, "'llvm' Dialect".

use gusset_codegen::ir::{Linkage, Module, Symbol as IrSymbol, SymbolKind};
use gusset_program::{Const, LocalName, PTR};
use gusset_program::{Op as LlvmOp, Sink};
use gusset_text::{Placed, Result};

use crate::context::{BlockTags, ModuleContext};
use crate::convert::reader::Reader;
use crate::syntax::attributes::AttributeRef;
use crate::syntax::op::Op;
use crate::syntax::types::Ty;

const WORD: &[u8] = b"blockaddress";

/// Reads `<function = @f, tag = <id = 1>>`; returns the function and the tag.
fn read_address(value: AttributeRef) -> Result<(Vec<u8>, u32)> {
    let all = value.parameters()?;
    Ok((value.needed(&all, "function")?.symbol()?.into_owned(), read_tag(value.needed(&all, "tag")?)?))
}

/// Reads `<id = 1>`, with or without the attribute's name before it.
fn read_tag(value: AttributeRef) -> Result<u32> {
    let id = value.needed(&value.parameters()?, "id")?;
    u32::try_from(id.integer()?).map_err(|_| id.error("the tag of a block is a number of 32 bits"))
}

/// The name in LLVM's text of a block with a tag. It contains a space, which no name of MLIR's does.
fn block_name(tag: u32) -> String {
    format!("block {tag}")
}

/// Gives symbols to the blocks whose addresses are taken. A text that does not read as an address is ignored here.
pub(crate) fn define(tables: &ModuleContext<'_>, module: &mut Module) -> BlockTags {
    let mut all = BlockTags::new();
    for at in memchr::memmem::find_iter(tables.source.text, WORD) {
        let address = AttributeRef::after(tables.source, at + WORD.len());
        let Ok((name, tag)) = read_address(address) else { continue };
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
    /// `llvm.blockaddress <function = @f, tag = <id = 1>> : !llvm.ptr`.
    pub fn block_address(&mut self, op: &mut Op<'r>) -> Result<()> {
        let (name, tag) = read_address(self.need(op, "block_addr")?)?;
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
        let tag = read_tag(self.need(op, "tag")?)?;
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
