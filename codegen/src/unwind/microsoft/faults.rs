//! The states of code that faults, where exceptions are caught that no call raises (`-EHa`): for each block the state
//! of its instructions.
//!
//! LLVM, `WinEHPrepare.cpp`, `calculateCXXStateForAsynchEH` and `calculateSEHStateForAsynchEH`.

use crate::analysis::Cfg;
use crate::error::{CompileError, Result};
use crate::ir::{Block, Edge, Function, InstData, Opcode, Pad, PadKind, Personality};
use crate::unwind::microsoft::states::{OUTSIDE, States};

/// How often the state of a block may be moved outwards. Control reaches a block in one state on all paths, unless
/// optimizers have joined different code.
const MOST: usize = 16;

/// What is known at the start of a block: the funclet it is in, and the state.
type Here = (Option<Pad>, i32);

/// For each block of the order, the state of its code; empty unless it matters.
///
/// # Errors
/// Control reaches a block in too many states.
pub fn fault_states(f: &Function, cfg: &Cfg, states: &States) -> Result<Vec<i32>> {
    if !f.exceptions.asynchronous || states.is_empty() {
        return Ok(Vec::new());
    }
    let walk = Walk { f, states, cxx: f.exceptions.routine == Personality::Cxx };
    let mut found = vec![i32::MAX; cfg.order.len()];
    let mut left = MOST.saturating_mul(found.len());
    let mut list: Vec<(Block, Here)> = cfg.order.first().map(|&entry| (entry, (None, OUTSIDE))).into_iter().collect();
    while let Some((b, here)) = list.pop() {
        let (within, state) = walk.begin(b, here);
        let known = &mut found[cfg.index[b.index()] as usize];
        if *known <= state {
            continue;
        }
        *known = state;
        left = left.checked_sub(1).ok_or_else(|| CompileError::new(f, "scopes of faults contradict each other"))?;
        let last = f.inst(f.terminator(b));
        let next = walk.state_after(last, (within, state));
        f.for_each_edge(last, |e| list.push((f.edge_to(e), next)));
    }
    let mut state = OUTSIDE;
    for (known, &b) in found.iter_mut().zip(&cfg.order) {
        // Code without a state is never run.
        if *known == i32::MAX || cannot_fault(f, b) {
            *known = state;
        }
        state = *known;
    }
    Ok(found)
}

/// Does a block only lead to others? Then it may be in any state, usually that of the block before it.
pub fn cannot_fault(f: &Function, b: Block) -> bool {
    let quiet = matches!(f.inst(f.terminator(b)).op, Opcode::Jump | Opcode::ScopeBegin | Opcode::ScopeEnd);
    quiet && f.block_insts(b).nth(1).is_none()
}

struct Walk<'a> {
    f: &'a Function,
    states: &'a States,
    cxx: bool,
}

impl Walk<'_> {
    fn around(&self, state: i32) -> i32 {
        usize::try_from(state).map_or(OUTSIDE, |state| self.states.list()[state].to)
    }

    /// The state of the code of a block that control reaches in a state.
    fn begin(&self, b: Block, here: Here) -> Here {
        let Some(pad) = self.f.pad(b) else { return here };
        let within = self.f.exceptions.funclet_of(pad);
        let state = match self.f.exceptions.kind(pad) {
            // A handler of `__except` runs after its scope has been left.
            PadKind::Catch { switch, .. } if !self.cxx => self.around(self.states.of_call(within, Some(switch))),
            _ => self.states.base(within),
        };
        (within, state)
    }

    /// The state after a terminator.
    fn state_after(&self, last: &InstData, (within, state): Here) -> Here {
        let f = self.f;
        let scope = || self.states.of_call(within, f.pad(f.edge_to(Edge(last.b))));
        match last.op {
            Opcode::ScopeBegin => (within, scope()),
            Opcode::ScopeEnd if self.cxx => (within, self.around(scope())),
            Opcode::ScopeEnd => (within, self.around(state)),
            Opcode::CatchRet if self.cxx => {
                let pad = Pad(last.a);
                (f.exceptions.funclet_around(pad), self.around(self.states.base(Some(pad))))
            }
            _ => (within, state),
        }
    }
}
