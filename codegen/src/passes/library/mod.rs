//! Operations that the machine lacks become calls of the run-time library.
//!
//! The target says which ones ([`Machine::calls_library`]); what function does them, with which arguments, is the same
//! everywhere. The calls are calls like all others: the ABI layer says where arguments travel, as C types do in the target's
//! own convention. What becomes one call with the same operands is replaced in its place; for the rest the function is
//! rewritten. An operation without a function stays, and the selector says that there is none.

mod atomic;
mod blocks;
mod call;
mod expand;
mod function;
mod narrow;
mod rounding;

use super::quotients::{is_division, share_quotients};
use crate::error::CompileError;
use crate::ir::{ConstData, Function, Module, OPCODES, Opcode, SymbolId, SymbolKind};
use crate::libcall::LibCall;
use crate::machine::Machine;
use call::Cx;

pub use call::Library;

/// What an instruction may be: something that a library does, and a division.
const CALL: u8 = 1;
const DIVISION: u8 = 2;

/// For each opcode, which of these it is.
const MAY_BE: [u8; OPCODES.len()] = {
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

impl Library {
    /// Puts the calls into `f`, which has legal types alone. Gives whether blocks or instructions are others in number now.
    ///
    /// # Errors
    /// A function of the library that the target's convention has no places for.
    pub fn run<T: Machine>(&mut self, target: &T, module: &Module, f: &mut Function) -> Result<bool, CompileError> {
        self.used.clear();
        let shared = self.find_blocks(f) & DIVISION != 0 && share_quotients(f, target.facts().pointer, &self.blocks);
        if shared {
            self.find_blocks(f);
        }
        let (mut rewrite, mut loops, mut copies) = (false, false, false);
        for k in 0..self.blocks.len() {
            let block = f.blocks[self.blocks[k].index()];
            for i in block.first as usize..block.end as usize {
                let d = f.insts[i];
                if MAY_BE[d.op as usize] == 0 {
                    continue;
                }
                if d.op == Opcode::TlsAddr {
                    // The address that the library gives for the control variable.
                    let symbol = SymbolId(d.a);
                    if module.symbol(symbol).kind == SymbolKind::EmulatedTls {
                        let control = f.make_const(target.facts().pointer, ConstData::Symbol(symbol, 0));
                        let mut cx = Cx { library: self, target, module, f };
                        let call = cx.call_data(LibCall::EmutlsGetAddress, &[control], Some(d.ty))?;
                        cx.f.insts[i] = call;
                    }
                    continue;
                }
                if !target.calls_library(f, &d) {
                    continue;
                }
                let call = function::direct(f, &d, target.divides_backwards());
                let mut cx = Cx { library: self, target, module, f };
                if let Some((lib, args)) = call.filter(|call| cx.has(call.0)) {
                    let n = d.op.arity();
                    let result = (d.op.result_count() == Some(1)).then_some(d.ty);
                    let call = cx.call_data(lib, &args[..n], result)?;
                    cx.f.insts[i] = call;
                } else {
                    rewrite = true;
                    loops |= atomic::wants_loop(target, f, &d);
                    copies |= blocks::function(d.op).is_some();
                }
            }
        }
        if loops {
            atomic::make_loops(target, f);
        }
        if copies {
            let name = module.symbol(f.symbol).name.as_str();
            blocks::make_loops(target, f, |lib| !module.no_library && name != lib.symbol());
        }
        if rewrite {
            f.rewrite(|f, _, d, result| {
                let done = MAY_BE[d.op as usize] != 0
                    && target.calls_library(f, &d)
                    && Cx { library: self, target, module, f }.expand(&d, result)?;
                if !done {
                    f.push_kept(d, result);
                }
                Ok::<(), CompileError>(())
            })?;
            f.resolve_operands();
        }
        Ok(rewrite || shared)
    }

    /// Finds the blocks of `f` that have such instructions, as most have not. Gives what there is.
    fn find_blocks(&mut self, f: &Function) -> u8 {
        self.blocks.clear();
        let mut all = 0;
        for &b in &f.layout {
            let block = f.blocks[b.index()];
            let insts = &f.insts[block.first as usize..block.end as usize];
            let what = insts.iter().fold(0, |what, d| what | MAY_BE[d.op as usize]);
            all |= what;
            if what != 0 {
                self.blocks.push(b);
            }
        }
        all
    }
}
