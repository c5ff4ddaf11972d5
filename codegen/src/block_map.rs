//! Where the basic blocks of a function are, for tools that rearrange them by profiles (LLVM Extensions, "`SHT_LLVM_BB_ADDR_MAP`
//! Section").

use gimli::leb128::write as leb128;

use crate::analysis::Cfg;
use crate::buffer::{CodeBuffer, Label, Reloc, RelocTarget};
use crate::ir::{Block, Function, Inst, Opcode, TailKind};

/// The version of the table.
pub(crate) const VERSION: u8 = 2;

/// A basic block of finished code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockPlace {
    /// Its number: the place in the order of blocks before the code's own order is chosen. Lists of blocks name it so.
    pub id: u32,
    /// Offset of its first byte. It ends where the next block begins.
    pub start: u32,
    /// What it is, as bits of the table.
    pub properties: u8,
}

/// Bits of a block's properties (LLVM, `BBAddrMap::BBEntry::Metadata`).
mod property {
    pub const RETURNS: u8 = 1;
    pub const TAIL_CALL: u8 = 1 << 1;
    pub const PAD: u8 = 1 << 2;
    pub const FALLS_THROUGH: u8 = 1 << 3;
    pub const INDIRECT: u8 = 1 << 4;
}

/// Appends the blocks of finished code in the order of their places.
pub(crate) fn places(f: &Function, cfg: &Cfg, buffer: &CodeBuffer, out: &mut Vec<BlockPlace>) {
    let placed = (0..cfg.order.len() as u32).filter_map(|k| Some((buffer.label_offset(Label(k))?, k)));
    let mut placed: Vec<(u32, u32)> = placed.collect();
    placed.sort_unstable();
    for (i, &(start, k)) in placed.iter().enumerate() {
        let end = placed.get(i + 1).map(|next| next.0);
        let follows = |block: Block| end.is_some() && buffer.label_offset(Label(cfg.index[block.index()])) == end;
        let mut properties = properties(f, cfg.order[k as usize], follows);
        let table = |r: &Reloc| matches!(r.target, RelocTarget::JumpTable(_));
        let from = buffer.relocs().partition_point(|r| r.offset < start);
        if buffer.relocs()[from..].iter().take_while(|r| end.is_none_or(|end| r.offset < end)).any(table) {
            properties |= property::INDIRECT;
        }
        // The prologue belongs to the first block.
        out.push(BlockPlace { id: k, start: if i == 0 { 0 } else { start }, properties });
    }
}

/// What a block is, given what follows it.
fn properties(f: &Function, block: Block, follows: impl Fn(Block) -> bool) -> u8 {
    let last = f.terminator(block);
    let d = f.inst(last);
    let mut bits = match d.op {
        Opcode::Return => property::RETURNS,
        Opcode::IndirectBr => property::INDIRECT,
        _ => 0,
    };
    let first = f.inst(f.block_insts(block).next().unwrap_or(last));
    if matches!(first.op, Opcode::LandingPad | Opcode::CatchPad | Opcode::CleanupPad) {
        bits |= property::PAD;
    }
    let jumps = |i: Inst| f.inst(i).op == Opcode::Call && f.calls[f.inst(i).a as usize].tail == TailKind::Must;
    if d.op == Opcode::Return && f.block_insts(block).rev().nth(1).is_some_and(jumps) {
        bits |= property::TAIL_CALL;
    }
    if matches!(d.op, Opcode::Jump | Opcode::Br | Opcode::Invoke | Opcode::ScopeBegin | Opcode::ScopeEnd) {
        let mut falls = false;
        f.for_each_edge(d, |edge| falls |= follows(f.edge_to(edge)));
        bits |= if falls { property::FALLS_THROUGH } else { 0 };
    }
    bits
}

/// The table of a function of some bytes, after its address.
pub(crate) fn contents(blocks: &[BlockPlace], code: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    number(&mut bytes, blocks.len() as u64);
    for (i, block) in blocks.iter().enumerate() {
        let size = blocks.get(i + 1).map_or(code, |next| next.start) - block.start;
        // Nothing lies between it and the block before it.
        for n in [block.id.into(), 0, size.into(), block.properties.into()] {
            number(&mut bytes, n);
        }
    }
    bytes
}

/// Appends a number in groups of seven bits, lowest first.
pub(crate) fn number(bytes: &mut Vec<u8>, n: u64) {
    // Writing to memory cannot fail.
    let _ = leb128::unsigned(bytes, n);
}
