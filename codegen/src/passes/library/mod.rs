//! Operations that the machine lacks become calls of the run-time library.
//!
//! The target says which operations ([`Machine::calls_library`]). Which function does them, with which arguments, is
//! the same everywhere. The calls are like all others: the ABI layer says where arguments are passed, as C types in the
//! target's own convention. An operation that becomes one call with the same operands is replaced in place; for others
//! the function is rewritten. An operation without a function stays, and the selector reports that.

mod atomic;
mod blocks;
mod call;
mod candidates;
mod expand;
mod function;
mod narrow;
mod rounding;

use super::quotients::share_quotients;
use crate::error::Result;
use crate::ir::{ConstData, Function, InstData, Module, Opcode, SymbolId, SymbolKind};
use crate::libcall::LibCall;
use crate::machine::Machine;
use call::Cx;
use candidates::DIVISION;

pub use call::Library;
pub(super) use candidates::{Candidates, MAY_BE};

impl Library {
    /// Inserts the calls into `f`, which must only have legal types. Returns whether the number of blocks or
    /// instructions has changed. `is_new`: `f` is not the function whose candidates were noted.
    ///
    /// # Errors
    /// The target's convention has no places for the arguments of a library function.
    pub fn run<T: Machine>(&mut self, target: &T, module: &Module, f: &mut Function, is_new: bool) -> Result<bool> {
        self.used.clear();
        if is_new {
            self.candidates.find(f);
        }
        let Candidates { blocks, what } = &self.candidates;
        let shared = what & DIVISION != 0 && share_quotients(f, target.facts().pointer, blocks);
        if shared {
            self.candidates.find(f);
        }
        let (mut rewrite, mut loops, mut copies) = (false, false, false);
        for k in 0..self.candidates.blocks.len() {
            let block = f.blocks[self.candidates.blocks[k].index()];
            for i in block.first as usize..block.end as usize {
                let d = f.insts[i];
                if MAY_BE[d.op as usize] == 0 {
                    continue;
                }
                if d.op == Opcode::TlsAddr {
                    // The library returns the thread's address for the control variable.
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
            let wanted = |f: &_, d: &_| atomic::wants_loop(target, f, d) && target.calls_library(f, d);
            blocks::make_loops(f, wanted, atomic::make_loop);
        }
        if copies {
            let name = module.symbol(f.symbol).name.as_str();
            let called = |lib: LibCall| !module.no_library && name != lib.symbol();
            let wanted = |f: &_, d: &InstData| {
                blocks::function(d.op).is_some_and(|lib| !called(lib)) && target.calls_library(f, d)
            };
            blocks::make_loops(f, wanted, |f, i, new| blocks::make_loop(f, target.facts().pointer, i, new));
        }
        if rewrite {
            // The function is unfit for use after an error.
            let mut failed = None;
            f.rewrite(|f, _, d, result| {
                let called = MAY_BE[d.op as usize] != 0 && target.calls_library(f, &d);
                let done = called && failed.is_none() && {
                    let done = Cx { library: self, target, module, f }.expand(&d, result);
                    done.unwrap_or_else(|error| failed.replace(error).is_none())
                };
                if !done {
                    f.push_kept(d, result);
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            f.resolve_operands();
        }
        Ok(rewrite || shared)
    }
}
