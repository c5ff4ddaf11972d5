//! Exceptions, as a plain personality routine would have them.
//!
//! `fuzz_throw` makes an exception, whose first word is the address of its type's symbol, with a number behind it, which
//! `fuzz_caught` gives. A `catch` takes exceptions of its type, a `filter` those of no type of its list.

use gusset_codegen::ir::{Block, Clause, Edge, Function, Inst, Pad};

use super::{Interpreter, Stop};

impl Interpreter<'_> {
    /// What an exception that leaves the call `i` finds: the edge that it goes on by, and the selector. `None`: it passes.
    pub(super) fn landing(&mut self, f: &Function, i: Inst, exception: u64) -> Result<Option<(Edge, i32)>, Stop> {
        if f.calls[f.inst(i).a as usize].nounwind {
            return Err(Stop::Undefined("an exception leaves a call that is said not to unwind".into()));
        }
        let Some(edge) = f.unwind_edge(i) else { return Ok(None) };
        let bytes = self.memory.read(exception, u64::from(self.pointer_bytes))?;
        let ty = bytes.iter().rev().try_fold(0u64, |n, b| b.map(|b| n << 8 | u64::from(b)));
        let ty = ty.ok_or_else(|| Stop::Undefined("an exception without a type".into()))?;
        let all = &f.exceptions;
        let is = |n: u32| {
            let known = (n as usize).checked_sub(1).and_then(|n| all.types().get(n)).copied().flatten();
            known.is_none_or(|symbol| self.addresses[symbol.index()] == ty)
        };
        let pad = pad_of(f, f.edge_to(edge));
        for (k, &clause) in all.clauses(pad).iter().enumerate() {
            match clause {
                Clause::Catch(n) if is(n) => return Ok(Some((edge, n as i32))),
                Clause::Filter { start, len } if !all.filter(start, len).iter().any(|&n| is(n)) => {
                    return Ok(Some((edge, -(k as i32) - 1)));
                }
                _ => {}
            }
        }
        Ok(all.is_cleanup(pad).then_some((edge, 0)))
    }
}

fn pad_of(f: &Function, b: Block) -> Pad {
    Pad(f.inst(Inst(f.blocks[b.index()].first)).a)
}
