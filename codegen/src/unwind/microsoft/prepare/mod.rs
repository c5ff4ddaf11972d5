//! Prepares functions with funclets: afterwards every block belongs to one funclet, and no value comes to a pad by an edge.
//!
//! A funclet is separate code that only shares its host's frame: what both know is in the frame. Its blocks are those
//! that control reaches from its pad. A block of several funclets (optimizers join equal ones) is copied for each.
//! Parameters of pads, and values that a funclet computes for code outside of it, go to slots of the frame. (LLVM,
//! "Exception Handling in LLVM", "Funclet parent tokens", has the rules.)

mod colours;
mod demote;

use std::collections::HashMap;

use self::colours::Colours;
use self::demote::Demote;
use crate::ir::{
    Block, Callee, Edge, Function, Inst, InstData, Opcode, Pad, PadKind, Personality, SwitchId, Type, Value,
};

/// Prepares `f`, if it has funclets. `ptr` is the type of a pointer.
pub fn prepare_funclets(f: &mut Function, ptr: Type) {
    if !f.exceptions.has_funclets() {
        return;
    }
    f.resolve_operands();
    let mut colours = Colours::of(f);
    if drop_implausible(f, &colours) {
        colours = Colours::of(f);
    }
    // Unreachable blocks have no colour.
    f.layout.retain(|&b| colours.is_reached(b));
    if forget_pads(f, &f.layout.clone()) {
        return;
    }
    Demote::find(f, ptr, &colours).run(f);
    if !colours.others().is_empty() {
        clone_shared(f, &colours);
    }
}

/// Turns a function whose pads are no longer reached into one without funclets; `reached` are the blocks that control
/// reaches. Returns whether it did.
pub fn forget_pads(f: &mut Function, blocks: &[Block]) -> bool {
    let forgets = f.exceptions.has_funclets() && !blocks.iter().any(|&b| f.is_pad(b));
    if forgets {
        let mut reached = vec![false; f.blocks.len()];
        blocks.iter().for_each(|b| reached[b.index()] = true);
        // What is left of funclets belongs to none.
        f.layout.retain(|b| reached[b.index()]);
        f.calls.iter_mut().for_each(|call| call.within = None);
        f.attrs.unwind_tables = true;
        f.exceptions.clear();
    }
    forgets
}

/// Removes edges by which no exception leaves calls.
fn drop_implausible(f: &mut Function, colours: &Colours) -> bool {
    let mut any = false;
    for b in f.layout.clone() {
        if colours.is_reached(b) && !colours.is_shared(b) {
            any |= remove_edge_of_color(f, colours, b, colours.first(b));
        }
    }
    any
}

/// Copies blocks that several funclets share, so that each has its own. Their values must not be used in other blocks.
fn clone_shared(f: &mut Function, colours: &Colours) {
    let clones: Vec<(Block, u32, Block)> =
        colours.others().iter().map(|&(b, colour)| (b, colour, f.make_block())).collect();
    let clone_of = |b: Block, colour: u32| {
        let k = clones.binary_search_by_key(&(b, colour), |c| (c.0, c.1)).ok()?;
        Some(clones[k].2)
    };
    let originals = f.layout.clone();
    for &(b, colour, own) in &clones {
        copy_block(f, b, own);
        f.layout.push(own);
        remove_edge_of_color(f, colours, own, colour);
        redirect_edges(f, colours, own, colour, &clone_of);
    }
    for b in originals {
        let colour = colours.first(b);
        if colours.is_shared(b) {
            remove_edge_of_color(f, colours, b, colour);
        }
        redirect_edges(f, colours, b, colour, &clone_of);
    }
    f.resolve_operands();
}

/// Removes such an edge of one block of a colour. Returns whether there was one.
fn remove_edge_of_color(f: &mut Function, colours: &Colours, b: Block, colour: u32) -> bool {
    let last = f.terminator(b);
    let d = *f.inst(last);
    let implausible = match d.op {
        Opcode::Invoke => ends_here(f, colour) || throws_nothing(f, b) || is_elsewhere(f, colours, colour, Edge(d.b)),
        Opcode::ScopeBegin | Opcode::ScopeEnd => ends_here(f, colour),
        _ => false,
    };
    if implausible {
        f.insts[last.index()] = InstData { op: Opcode::Jump, b: 0, ..d };
    }
    implausible
}

/// The routine of C++ ends the program when an exception leaves a function that a cleanup calls.
fn ends_here(f: &Function, colour: u32) -> bool {
    let funclet = colour.checked_sub(1).map(|pad| f.exceptions.kind(Pad(pad)));
    f.exceptions.routine == Personality::Cxx && matches!(funclet, Some(PadKind::Cleanup { .. }))
}

/// Does no exception leave the call that a block ends in, because it throws none?
fn throws_nothing(f: &Function, b: Block) -> bool {
    let synchronous = f.exceptions.routine == Personality::Cxx && !f.exceptions.asynchronous;
    synchronous && f.invoked(b).is_some_and(|call| f.calls[f.inst(call).a as usize].nounwind)
}

/// Would an exception of a funclet reach a pad of another funclet by an edge? Then control does not reach the call
/// there: blocks of several funclets were joined.
fn is_elsewhere(f: &Function, colours: &Colours, colour: u32, e: Edge) -> bool {
    // Exceptions may reach pads in the funclet itself and in those around it.
    let leads_to = |pad| colours.is_within(f, colour, colours.number(f.exceptions.funclet_around(pad)));
    f.pad(f.edge_to(e)).is_some_and(|pad| !leads_to(pad))
}

/// Redirects the edges of a block of a colour to the blocks of the colours that they continue in.
fn redirect_edges(
    f: &mut Function,
    colours: &Colours,
    b: Block,
    colour: u32,
    clone_of: &impl Fn(Block, u32) -> Option<Block>,
) {
    let d = *f.inst(f.terminator(b));
    let mut edges = Vec::new();
    f.for_each_edge(&d, |e| edges.push(e));
    for e in edges {
        let to = f.edge_to(e);
        if let Some(own) = clone_of(to, colours.colour_after(f, &d, to, colour)) {
            let args = f.edge_args(e).to_vec();
            f.redirect(e, own);
            args.into_iter().for_each(|v| f.append_edge_arg(e, v));
        }
    }
}

/// Fills a new block with a copy of another one.
fn copy_block(f: &mut Function, from: Block, to: Block) {
    let mut renamed: HashMap<Value, Value> = HashMap::new();
    for p in f.params(from).to_vec() {
        let ty = f.value_type(p);
        renamed.insert(p, f.append_param(to, ty));
    }
    let first = f.insts.len() as u32;
    for i in f.block_insts(from) {
        let mut d = *f.inst(i);
        let new = |v: Value| renamed.get(&v).copied().unwrap_or(v);
        own_lists(f, &mut d, &new);
        let types: Vec<Type> = f.results(i).map(|v| f.value_type(v)).collect();
        let old: Vec<Value> = f.results(i).collect();
        f.debug.locate_like(Inst::new(f.insts.len()), i);
        let copy = f.push_inst(d, &types);
        renamed.extend(old.into_iter().zip(f.results(copy)));
    }
    (f.blocks[to.index()].first, f.blocks[to.index()].end) = (first, f.insts.len() as u32);
}

/// Gives an instruction lists, edges and a call of its own, with new operands.
fn own_lists(f: &mut Function, d: &mut InstData, new: &impl Fn(Value) -> Value) {
    let edge = |f: &mut Function, e: Edge| {
        let own = f.make_edge(f.edge_to(e));
        for v in f.edge_args(e).to_vec() {
            f.append_edge_arg(own, new(v));
        }
        own.0
    };
    match d.op {
        Opcode::Call => {
            let mut call = f.calls[d.a as usize];
            if let Callee::Value(v) = call.callee {
                call.callee = Callee::Value(new(v));
            }
            let args: Vec<u32> = f.pool_values(call.args_start, call.args_len).iter().map(|&v| new(v).0).collect();
            call.args_start = f.push_words(args);
            d.a = f.calls.len() as u32;
            f.calls.push(call);
        }
        Opcode::Return => {
            let values: Vec<u32> = f.pool_values(d.a, d.b).iter().map(|&v| new(v).0).collect();
            d.a = f.push_words(values);
        }
        Opcode::Jump => d.a = edge(f, Edge(d.a)),
        Opcode::Invoke => (d.a, d.b) = (edge(f, Edge(d.a)), edge(f, Edge(d.b))),
        Opcode::Br => (d.a, d.b, d.c) = (new(Value(d.a)).0, edge(f, Edge(d.b)), edge(f, Edge(d.c))),
        Opcode::Switch => {
            d.a = new(Value(d.a)).0;
            let mut data = f.switches[d.b as usize];
            let cases: Vec<(Value, Edge)> = f.switch_cases(SwitchId(d.b)).collect();
            let mut words = Vec::with_capacity(2 * cases.len());
            for (v, e) in cases {
                words.extend([v.0, edge(f, e)]);
            }
            data.default = Edge(edge(f, data.default));
            data.start = f.push_words(words);
            d.b = f.switches.len() as u32;
            f.switches.push(data);
        }
        Opcode::IndirectBr | Opcode::CatchSwitch | Opcode::CatchRet | Opcode::CleanupRet => {
            if d.op == Opcode::IndirectBr {
                d.a = new(Value(d.a)).0;
            }
            let edges: Vec<Edge> = f.pool_edges(d.b, d.c).collect();
            let words: Vec<u32> = edges.into_iter().map(|e| edge(f, e)).collect();
            d.b = f.push_words(words);
        }
        _ => d.operand_words().for_each(|word| *word = new(Value(*word)).0),
    }
}
