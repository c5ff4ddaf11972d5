//! Turns calls marked `tail` into jumps, where nothing of the frame is needed any more.
//!
//! With the mark a front end promises that the callee sees none of the caller's variables. The other conditions are
//! LLVM's for sibling calls (`TargetLowering::LowerCall` of its targets, "Sibling calls"): the return passes on the
//! call's results, both conventions keep the same registers and pop the same number of bytes, no argument is in the
//! frame, and none is on the stack, where it would have to be moved. The conventions `tailcc` and `swifttailcc`
//! guarantee jumps (LLVM LangRef, "Calling Conventions"): with them the stack may hold other arguments than the
//! function's own.

use crate::call::plan;
use crate::ir::{
    Block, CallData, Callee, ConstData, Edge, Function, Inst, InstData, Module, Opcode, TailKind, Type, Value,
};
use crate::machine::Machine;
use crate::plan::{Passed, ResultPart};

/// Makes calls replace the frame if they stand before a return of their results, or before a jump to a block that only
/// returns these. Returns the blocks that lost an edge by it, once for each edge.
pub fn jump_to_callees<T: Machine>(target: &T, module: &Module, f: &mut Function) -> Vec<Block> {
    let mut lost = Vec::new();
    let marked = |c: &CallData| c.tail == TailKind::Tail;
    let own = f.signature();
    if f.attrs.no_tail_calls
        || f.attrs.calls_returns_twice
        || f.exceptions.has_funclets()
        || own.abi.variadic.is_some()
        || own.abi.arg_block.is_some()
        || own.aggregate_result
        || !f.calls.iter().any(marked)
    {
        return lost;
    }
    for k in 0..f.layout.len() {
        let data = &f.blocks[f.layout[k].index()];
        // In a block with one instruction this is the last of the block before, if there is one.
        let Some(d) = f.insts.get(data.end.wrapping_sub(2) as usize) else { continue };
        if d.op != Opcode::Call || data.end - 2 < data.first || !marked(&f.calls[d.a as usize]) {
            continue;
        }
        let call = Inst(data.end - 2);
        let d = f.insts[call.index()];
        let last = call.index() + 1;
        match f.insts[last].op {
            Opcode::Return if returns(f, last, |v| f.resolve(v), call) && may_jump(target, module, f, call) => {}
            Opcode::Jump => {
                let e = Edge(f.insts[last].a);
                let left = f.edge_to(e);
                let (to, params) = (&f.blocks[left.index()], f.params(left));
                let passed = |v: Value| {
                    let at = params.iter().position(|&p| p == f.resolve(v));
                    at.and_then(|k| f.edge_args(e).get(k)).map_or(v, |&v| f.resolve(v))
                };
                if to.end.wrapping_sub(to.first) != 1
                    || f.insts[to.first as usize].op != Opcode::Return
                    || !returns(f, to.first as usize, passed, call)
                    || !may_jump(target, module, f, call)
                {
                    continue;
                }
                let returned: Vec<u32> = f.results(call).take(own_results(f)).map(|v| v.0).collect();
                let (a, b) = (f.push_words(returned.iter().copied()), returned.len() as u32);
                f.insts[last] = InstData { op: Opcode::Return, ty: Type::VOID, flags: 0, a, b, c: 0 };
                lost.push(left);
            }
            _ => continue,
        }
        f.calls[d.a as usize].tail = TailKind::Must;
    }
    lost
}

fn own_results(f: &Function) -> usize {
    f.signature().results.len()
}

/// Does a return pass on the results of a call, which `name` knows, or nothing?
fn returns(f: &Function, inst: usize, name: impl Fn(Value) -> Value, call: Inst) -> bool {
    let values = f.pool_values(f.insts[inst].a, f.insts[inst].b);
    values.is_empty() || values.iter().map(|&v| name(v)).eq(f.results(call))
}

/// Do the signatures let the callee find and leave everything as the caller's caller expects it?
fn may_jump<T: Machine>(target: &T, module: &Module, f: &Function, inst: Inst) -> bool {
    let call = &f.calls[f.inst(inst).a as usize];
    let sig = &f.sigs[call.sig.index()];
    let (new, own) = (plan(target, sig), plan(target, f.signature()));
    let near = match call.callee {
        Callee::Symbol(s) => !target.jumps_by_register(module, s),
        Callee::Value(v) => match f.constant(v) {
            Some(ConstData::Symbol(s, 0)) => !target.jumps_by_register(module, s),
            _ => new.callee_of_jump(target, f).is_some(),
        },
        Callee::Library(_) => false,
    };
    let alike = |a: &ResultPart, b: &ResultPart| {
        (a.value, a.part, a.kind, a.reg, a.ext, a.size) == (b.value, b.part, b.kind, b.reg, b.ext, b.size)
    };
    let results = own.results.is_empty() && new.stacked == 0
        || own.results.len() == new.results.len() && own.results.iter().zip(&new.results).all(|(a, b)| alike(a, b));
    let convention = sig.source.convention;
    let promised = convention.replaces_arguments() && convention == f.signature().source.convention;
    let by_address = new.memory.iter().any(|(_, passed)| matches!(passed, Passed::Reference(_)));
    near && results
        && !call.returns_twice
        && call.within.is_none()
        && sig.abi.variadic.is_none()
        && if promised { !by_address } else { new.memory.is_empty() }
        && new.addresses.is_empty()
        && !new.block
        && new.unsupported.is_none()
        && (new.changed, new.preserved, new.keeps_whole) == (own.changed, own.preserved, own.keeps_whole)
        && (promised || new.popped == own.popped && new.stack_bytes <= own.stack_bytes)
        && new.kept.is_none()
        && own.kept.is_none()
        && new.returned.is_none()
        && own.returned.is_none()
        && sig.abi.stack_align <= f.signature().abi.stack_align
}
