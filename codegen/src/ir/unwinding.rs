//! Rules about exceptions (LLVM LangRef, `invoke`, `landingpad`, `resume`), for the verifier and for readers.

use super::attributes::SlotKind;
use super::dominators::Dominators;
use super::entities::{Block, Edge, Inst, Value};
use super::exceptions::{Pad, PadKind};
use super::function::{Callee, Function, TailKind, ValueDef};
use super::inst::{InstData, Opcode};

impl Function {
    /// The call that a block's `invoke` belongs to: its last call.
    pub fn invoked(&self, b: Block) -> Option<Inst> {
        let invokes = self.inst(self.terminator(b)).op == Opcode::Invoke;
        self.block_insts(b).rev().find(|&i| invokes && self.is_call_of_source(self.inst(i)))
    }

    /// Does the return follow a call that has to replace the frame?
    pub fn follows_tail_call(&self, ret: Inst) -> bool {
        let before = ret.index().checked_sub(1).map(|k| self.insts[k]);
        before.is_some_and(|d| d.op == Opcode::Call && self.calls[d.a as usize].tail == TailKind::Must)
    }

    /// The edge by which an exception leaves a call, if it stays in the function.
    pub fn unwind_edge(&self, call: Inst) -> Option<Edge> {
        let after = &self.insts[call.index() + 1..];
        let d = after.iter().find(|d| d.op.is_terminator() || self.is_call_of_source(d))?;
        (d.op == Opcode::Invoke).then_some(Edge(d.b))
    }

    /// Is it a call of the source program? What is made of an invoked call's results may contain calls that stand for
    /// an operation.
    fn is_call_of_source(&self, d: &InstData) -> bool {
        d.op == Opcode::Call && !matches!(self.calls[d.a as usize].callee, Callee::Library(_))
    }
}

/// Checks that exceptions go from calls to landing pads and nothing else does. The function must be well formed
/// otherwise.
///
/// # Errors
/// The block and the instruction at fault, and the reason.
pub fn check_unwinding(f: &Function) -> Result<(), (Block, Inst, String)> {
    pads_form_a_forest(f)?;
    let entry = f.layout.first().copied();
    for &b in &f.layout {
        let last = f.terminator(b);
        let fail = |i: Inst, why: &str| Err((b, i, why.to_string()));
        for i in f.block_insts(b) {
            let op = f.inst(i).op;
            use Opcode::{CatchPad, CatchRet, CatchSwitch, CleanupPad, CleanupRet, Invoke, LandingPad, Resume};
            use Opcode::{ScopeBegin, ScopeEnd};
            let funclet = matches!(op, CatchPad | CleanupPad | CatchSwitch | CatchRet | CleanupRet);
            if !funclet && !matches!(op, LandingPad | Invoke | Resume | ScopeBegin | ScopeEnd) {
                continue;
            }
            if f.exceptions.personality.is_none() {
                return fail(i, "the function has no personality routine");
            }
            let begins = matches!(op, LandingPad | CatchPad | CleanupPad | CatchSwitch);
            if begins && i.0 != f.blocks[b.index()].first {
                return fail(i, "it is not the first of its block");
            }
            if begins && entry == Some(b) {
                return fail(i, "exceptions come to the entry block");
            }
            if matches!(op, LandingPad | Resume) && f.exceptions.has_funclets() {
                return fail(i, "the function has both landing pads and pads of funclets");
            }
            if funclet {
                funclet_op(f, f.inst(i)).or_else(|why| fail(i, &why))?;
            }
        }
        let d = f.inst(last);
        if d.op == Opcode::Invoke {
            invoke(f, b, d).map_err(|why| (b, last, why))?;
        }
        if matches!(d.op, Opcode::ScopeBegin | Opcode::ScopeEnd) {
            scope(f, d).map_err(|why| (b, last, why))?;
        }
        let mut wrong = None;
        f.for_each_edge(d, |e| {
            let unwinds = match d.op {
                Opcode::Invoke | Opcode::ScopeBegin | Opcode::ScopeEnd => e == Edge(d.b),
                op => matches!(op, Opcode::CatchSwitch | Opcode::CleanupRet),
            };
            let to = f.edge_to(e);
            if !unwinds && f.blocks[to.index()].first != u32::MAX && f.is_pad(to) {
                wrong = Some(to);
            }
        });
        if let Some(to) = wrong {
            return Err((b, last, format!("it branches to {to}, where only exceptions come")));
        }
    }
    exits_agree(f)?;
    for &(b, _) in &f.block_symbols {
        let first = f.blocks[b.index()].first;
        if first != u32::MAX && f.is_pad(b) {
            return Err((b, Inst(first), "the address of a landing pad is taken".into()));
        }
    }
    Ok(())
}

fn invoke(f: &Function, b: Block, d: &InstData) -> Result<(), String> {
    let Some(call) = f.invoked(b) else { return Err("no call stands before it".into()) };
    let last = f.terminator(b);
    // Instructions that the code generator adds, such as stores to its own slots, mean nothing but values.
    let is_own = |d: &InstData| {
        d.op == Opcode::Store
            && matches!(f.value_def(f.resolve(Value(d.a))),
                ValueDef::Slot(slot) if f.slots[slot.index()].kind == SlotKind::Temporary)
    };
    let mut after = (call.0 + 1..last.0).map(|k| &f.insts[k as usize]);
    if let Some(d) = after.find(|d| d.op.has_side_effect() && !is_own(d)) {
        return Err(format!("`{}` stands between it and its call", d.op.name()));
    }
    if f.calls[f.inst(call).a as usize].tail == TailKind::Must {
        return Err("its call is a musttail call".into());
    }
    unwinds_to(f, Edge(d.b))?;
    for &v in f.edge_args(Edge(d.b)) {
        if matches!(f.value_def(f.resolve(v)), ValueDef::Inst(def) if def >= call && def < last) {
            return Err("the unwind edge has an argument that its call gives or that comes after it".into());
        }
    }
    Ok(())
}

/// Checks the beginning or the end of a scope.
fn scope(f: &Function, d: &InstData) -> Result<(), String> {
    if !f.exceptions.has_funclets() {
        return Err("a scope of exceptions that no call raises is for funclets alone".into());
    }
    unwinds_to(f, Edge(d.b))
}

/// Checks that unwinding may go where an edge leads: to any pad but a handler's.
fn unwinds_to(f: &Function, e: Edge) -> Result<(), String> {
    let to = f.edge_to(e);
    let first = f.blocks[to.index()].first;
    if first == u32::MAX || !f.is_pad(to) || f.inst(Inst(first)).op == Opcode::CatchPad {
        return Err(format!("the unwind edge leads to {to}, which does not begin with `landing_pad`"));
    }
    Ok(())
}

/// Checks an instruction of a funclet or a `catchswitch` by itself.
fn funclet_op(f: &Function, d: &InstData) -> Result<(), String> {
    let pad = Pad(if d.op == Opcode::CatchPad { d.b } else { d.a });
    let kind = f.exceptions.kind(pad);
    let fits = match d.op {
        Opcode::CatchPad | Opcode::CatchRet => matches!(kind, PadKind::Catch { .. }),
        Opcode::CatchSwitch => matches!(kind, PadKind::Switch { .. }),
        _ => matches!(kind, PadKind::Cleanup { .. }),
    };
    if !fits {
        return Err(format!("{pad} is none of its kind"));
    }
    let edges: Vec<Edge> = match d.op {
        Opcode::CatchPad => {
            let object = f.resolve(Value(d.a));
            return match f.value_def(object) {
                ValueDef::Slot(_) => Ok(()),
                _ if f.int_constant(object) == Some(0) => Ok(()),
                // Constructors run on the object at the place that tables name, which is an offset from the function's
                // frame. An object prepared in other memory, as in a coroutine's frame, would be a different one.
                _ => Err("the exception's object is in no slot: tables name a place in the function's frame, which memory after a \
                          pointer, such as a coroutine's frame, is not"
                    .into()),
            };
        }
        Opcode::CleanupPad => return Ok(()),
        _ => f.pool_edges(d.b, d.c).collect(),
    };
    let wanted = match d.op {
        Opcode::CatchRet => 1..=1,
        Opcode::CleanupRet => 0..=1,
        _ => 1 + usize::from(d.flags & 1)..=usize::MAX,
    };
    if !wanted.contains(&edges.len()) || d.op == Opcode::CleanupRet && edges.len() != usize::from(d.flags & 1) {
        return Err(format!("it has {} edges", edges.len()));
    }
    if d.op == Opcode::CatchRet {
        return Ok(());
    }
    let (handlers, unwind) = edges.split_at(edges.len() - usize::from(d.flags & 1));
    for &e in handlers {
        let to = f.edge_to(e);
        let first = f.blocks[to.index()].first;
        let handler = if first == u32::MAX { None } else { f.pad(to) };
        let own = matches!(handler.map(|p| f.exceptions.kind(p)), Some(PadKind::Catch { switch, .. }) if switch == pad);
        if !own {
            return Err(format!("{to} is no handler of {pad}"));
        }
    }
    unwind.iter().try_for_each(|&e| unwinds_to(f, e))
}

/// Checks that the parents of pads are funclets, that none is its own ancestor, and that each pad belongs to at most
/// one block.
fn pads_form_a_forest(f: &Function) -> Result<(), (Block, Inst, String)> {
    let all = &f.exceptions;
    if !all.has_funclets() {
        return Ok(());
    }
    let mut block_of = vec![None; all.pad_count()];
    for &b in &f.layout {
        let Some(pad) = f.pad(b) else { continue };
        if block_of[pad.index()].replace(b).is_some() {
            return Err((b, Inst(f.blocks[b.index()].first), format!("{pad} begins two blocks")));
        }
    }
    let Some(&entry) = f.layout.first() else { return Ok(()) };
    let at = |pad: Pad| {
        let b: Block = block_of[pad.index()].unwrap_or(entry);
        (b, Inst(f.blocks[b.index()].first))
    };
    let fail = |pad: Pad, why: &str| Err((at(pad).0, at(pad).1, format!("{pad} {why}")));
    // Pads whose chain of parents is known to end.
    let mut settled = vec![false; all.pad_count()];
    for pad in (0..all.pad_count()).map(Pad::new) {
        let (mut p, mut way) = (pad, Vec::new());
        while !settled[p.index()] {
            if way.len() > all.pad_count() {
                return fail(pad, "stands within itself");
            }
            way.push(p);
            let (within, handler) = match all.kind(p) {
                PadKind::Landing => return fail(p, "is a landing pad among funclets"),
                PadKind::Switch { parent } | PadKind::Cleanup { parent } => (parent, false),
                PadKind::Catch { switch, .. } => (Some(switch), true),
            };
            let Some(next) = within else { break };
            let known = next.index() < all.pad_count()
                && matches!(all.kind(next), PadKind::Switch { .. }) == handler
                && all.kind(next) != PadKind::Landing;
            if !known {
                return fail(p, "stands within what is no funclet");
            }
            p = next;
        }
        way.iter().for_each(|p| settled[p.index()] = true);
    }
    Ok(())
}

/// Checks that exceptions leave each funclet in one way: unwinding goes to pads of enclosing funclets, and everything
/// that leaves a funclet goes to the same pad (LangRef, "Funclet parent-child relationships"; "Well-formed EH
/// personality").
fn exits_agree(f: &Function) -> Result<(), (Block, Inst, String)> {
    let all = &f.exceptions;
    if !all.has_funclets() {
        return Ok(());
    }
    // For each pad, where unwinding out of it goes, if something is known to leave it.
    let mut exits: Vec<Option<Option<Pad>>> = vec![None; all.pad_count()];
    for &b in &f.layout {
        let last = f.terminator(b);
        let d = f.inst(last);
        let fail = |why: String| Err((b, last, why));
        let (from, edge) = match d.op {
            Opcode::Invoke => (f.invoked(b).and_then(|i| f.calls[f.inst(i).a as usize].within), Some(Edge(d.b))),
            Opcode::CatchSwitch | Opcode::CleanupRet => {
                let leads = d.flags & 1 != 0;
                (Some(Pad(d.a)), f.pool_edges(d.b, d.c).last().filter(|_| leads))
            }
            _ => continue,
        };
        let to = edge.and_then(|e| f.pad(f.edge_to(e)));
        let around = to.and_then(|to| all.parent(to));
        let mut at = from;
        let mut first = true;
        while at != around || first && d.op != Opcode::Invoke {
            let Some(pad) = at else {
                return fail("unwinding goes into a funclet that it does not begin in".into());
            };
            if to == Some(pad)
                || to.is_some() && matches!(all.kind(pad), PadKind::Catch { switch, .. } if Some(switch) == to)
            {
                return fail(format!("{pad} takes exceptions of its own"));
            }
            match exits[pad.index()] {
                Some(known) if known != to => {
                    let name = |to: Option<Pad>| to.map_or("the caller".to_string(), |p| p.to_string());
                    return fail(format!("unwinding leaves {pad} both to {} and to {}", name(known), name(to)));
                }
                // So are the pads around it.
                Some(_) => break,
                None => exits[pad.index()] = Some(to),
            }
            // Optimizers let a `catchswitch` that nothing leaves unwind to the caller, wherever it is (LLVM,
            // `removeUnwindEdge`).
            if d.op == Opcode::CatchSwitch && to.is_none() {
                break;
            }
            first = false;
            at = all.parent(pad);
        }
    }
    handlers_agree(f, &exits)
}

/// Checks that unwinding out of a handler goes where its `catchswitch` unwinds to.
fn handlers_agree(f: &Function, exits: &[Option<Option<Pad>>]) -> Result<(), (Block, Inst, String)> {
    for &b in &f.layout {
        let Some(pad) = f.pad(b) else { continue };
        let PadKind::Catch { switch, .. } = f.exceptions.kind(pad) else { continue };
        if let (Some(to), Some(around)) = (exits[pad.index()], exits[switch.index()])
            && to != around
        {
            let why = format!("unwinding leaves {pad} to another place than {switch}, whose handler it is");
            return Err((b, Inst(f.blocks[b.index()].first), why));
        }
    }
    Ok(())
}

/// Where values are known that blocks compute from their invoked calls on: only after the edges of normal returns.
pub(super) struct Returned {
    /// Edges of reachable blocks: where each leads, and from where.
    edges: Vec<(Block, Block)>,
}

impl Returned {
    /// For a function with landing pads; others need none.
    pub(super) fn new(f: &Function, tree: &Dominators) -> Option<Returned> {
        f.exceptions.personality?;
        let mut edges = Vec::new();
        for &b in f.layout.iter().filter(|&&b| tree.is_reachable(b)) {
            f.for_each_edge(f.inst(f.terminator(b)), |e| edges.push((f.edge_to(e), b)));
        }
        edges.sort_unstable();
        Some(Returned { edges })
    }

    /// Is a value that block `from`, which dominates `to`, defines by `def`, known in block `to`?
    pub(super) fn reaches(&self, f: &Function, tree: &Dominators, def: Inst, from: Block, to: Block) -> bool {
        if f.invoked(from).is_none_or(|call| def < call) {
            return true;
        }
        let normal = f.edge_to(Edge(f.inst(f.terminator(from)).a));
        let first = self.edges.partition_point(|&(b, _)| b < normal);
        let mut others = self.edges[first..].iter().take_while(|&&(b, _)| b == normal).filter(|&&(_, p)| p != from);
        tree.dominates(normal, to) && others.all(|&(_, p)| tree.dominates(normal, p))
    }
}
