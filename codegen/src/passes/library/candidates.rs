//! Which instructions of a function may become calls of the library, found while the legalizer looks at each.

use crate::ir::{Block, Function, OPCODES, Opcode};
use crate::passes::quotients::is_division;

/// What an instruction may be: an operation that a library does; a division. The lower bits are the legalizer's, which
/// looks at each instruction first.
const CALL: u8 = 1 << 6;
pub(super) const DIVISION: u8 = 1 << 7;

/// For each opcode, which of these it is.
pub(in crate::passes) const MAY_BE: [u8; OPCODES.len()] = {
    let mut may = [0; OPCODES.len()];
    let mut k = 0;
    while k < OPCODES.len() {
        use Opcode::*;
        let calls = matches!(
            OPCODES[k],
            Udiv | Sdiv | Urem | Srem | Fadd | Fsub | Fmul | Fdiv | Frem | Fma | Fsqrt | Fminnum | Fmaxnum | Ffloor
        ) || matches!(
            OPCODES[k],
            Fceil | Ftrunc | Frint | Fnearbyint | Fround | Froundeven | Fcmp | Fpext | Fptrunc
        ) || matches!(
            OPCODES[k],
            Fptosi | Fptoui | Sitofp | Uitofp | AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg
        ) || matches!(OPCODES[k], Memcpy | Memmove | Memset | Resume | TlsAddr | Fence);
        may[k] = (calls as u8 * CALL) | (is_division(OPCODES[k]) as u8 * DIVISION);
        k += 1;
    }
    may
};

/// Blocks of a function with such instructions, which most blocks have not, and which kinds they have.
#[derive(Default)]
pub struct Candidates {
    pub(super) blocks: Vec<Block>,
    pub(super) what: u8,
}

impl Candidates {
    /// Forgets all.
    pub(in crate::passes) fn clear(&mut self) {
        self.blocks.clear();
        self.what = 0;
    }

    /// Notes what the opcodes of a block may be.
    #[inline]
    pub(in crate::passes) fn note(&mut self, block: Block, what: u8) {
        let what = what & (CALL | DIVISION);
        if what != 0 {
            self.what |= what;
            self.blocks.push(block);
        }
    }

    pub(super) fn find(&mut self, f: &Function) {
        self.clear();
        for &b in &f.layout {
            let block = f.blocks[b.index()];
            let insts = &f.insts[block.first as usize..block.end as usize];
            self.note(b, insts.iter().fold(0, |what, d| what | MAY_BE[d.op as usize]));
        }
    }
}
