//! Results that are values of the IR, but come back by address or in registers of another kind, as those of 128 bits do in some
//! conventions, go through memory: the function takes an address as its last parameter, as for an aggregate.

use std::convert::Infallible;
use std::sync::Arc;

use gusset_abi::{PassMode, Piece, RegClass};

use crate::ir::{Function, Inst, InstData, MemFlags, Opcode, SigData, TailKind, Type, Value};

/// Rewrites `f` if there are such results. Gives whether there were any.
pub fn results_by_address(f: &mut Function, ptr: Type) -> bool {
    if !f.sigs.iter().any(|sig| by_address(sig)) {
        return false;
    }
    let changed: Vec<bool> = f.sigs.iter().map(|sig| by_address(sig)).collect();
    for sig in f.sigs.iter_mut().filter(|sig| by_address(sig)) {
        let sig = Arc::make_mut(sig);
        sig.params.push(ptr);
        sig.results.clear();
        sig.aggregate_result = true;
    }
    let own = match f.layout.first() {
        Some(&entry) if changed[f.sig.index()] => Some(f.append_param(entry, ptr)),
        _ => None,
    };
    let mut jumped = false;
    let Ok(()) = f.rewrite(|f, _: Inst, d, result| {
        match d.op {
            Opcode::Call if changed[f.calls[d.a as usize].sig.index()] => {
                jumped = f.calls[d.a as usize].tail == TailKind::Must;
                call(f, d, result, own, ptr);
            }
            Opcode::Return if own.is_some() => {
                if let (Some(at), Some(&v), false) = (own, f.pool_values(d.a, d.b).first(), jumped) {
                    let (flags, ty) = (MemFlags::new(1, false).0, f.value_type(v));
                    f.push_inst(InstData { op: Opcode::Store, flags, ty, a: at.0, b: v.0, c: 0 }, &[]);
                }
                f.push_inst(InstData { b: 0, ..d }, &[]);
            }
            _ => {
                jumped = false;
                f.push_kept(d, result);
            }
        }
        Ok::<(), Infallible>(())
    });
    true
}

/// Appends the call with the address, and the load of its result.
fn call(f: &mut Function, d: InstData, result: Value, own: Option<Value>, ptr: Type) {
    let c = f.calls[d.a as usize];
    let ty = f.value_type(result);
    // A call that replaces this function's frame gives its result where this one would.
    let forwarded = own.filter(|_| c.tail == TailKind::Must);
    let at = forwarded.unwrap_or_else(|| {
        let slot = f.make_temporary(ty.store_bytes().next_power_of_two(), 16);
        f.slot_addr(slot, ptr)
    });
    let start = f.pool.len() as u32;
    f.pool.extend_from_within(c.args_start as usize..(c.args_start + c.args_len) as usize);
    f.pool.push(at.0);
    let call = &mut f.calls[d.a as usize];
    (call.args_start, call.args_len, call.results) = (start, c.args_len + 1, 0);
    f.push_inst(d, &[]);
    if forwarded.is_none() {
        let flags = MemFlags::new(16, false).0;
        f.push_kept(InstData { op: Opcode::Load, flags, ty, a: at.0, b: 0, c: 0 }, result);
    }
}

fn by_address(sig: &SigData) -> bool {
    if sig.aggregate_result || sig.results.is_empty() {
        return false;
    }
    match &sig.abi.ret.mode {
        PassMode::Indirect { .. } => true,
        PassMode::Direct(pieces) => {
            let wide = |p: &Piece| p.size == 16 && p.reg().is_some_and(|r| r.class == RegClass::Float);
            let integer = |p: &Piece| sig.results.get(p.scalar as usize).is_some_and(|ty| ty.is_int());
            pieces.iter().any(|p| wide(p) && integer(p))
        }
        _ => false,
    }
}
