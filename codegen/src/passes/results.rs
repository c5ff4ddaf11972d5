//! Passes results through memory that are single values of the IR but are returned by address or in registers of
//! another kind, as those of 128 bits in some conventions. The function takes an address as its last parameter, as for
//! an aggregate.

use std::sync::Arc;

use gusset_abi::{PassMode, Piece, RegClass};

use crate::ir::{Function, Inst, InstData, MemFlags, Opcode, SigData, TailKind, Type, Value};

/// Rewrites `f` if there are such results. Returns whether there were any.
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
    f.rewrite(|f, _: Inst, d, result| match d.op {
        Opcode::Call if changed[f.calls[d.a as usize].sig.index()] => {
            jumped = f.calls[d.a as usize].tail == TailKind::Must;
            call(f, d, result, own, ptr);
        }
        Opcode::Return if own.is_some() => {
            if let (Some(at), false) = (own, jumped) {
                store(f, at, d);
            }
            f.push_inst(InstData { b: 0, ..d }, &[]);
        }
        _ => {
            jumped = false;
            f.push_kept(d, result);
        }
    });
    true
}

/// Appends the stores of a function's results.
fn store(f: &mut Function, at: Value, d: InstData) {
    // A caller's memory is aligned to a word at least, or to the result's type.
    let most = f.signature().abi.ret.layout.align.min(f.signature().abi.arch.pointer_bytes());
    for k in 0..d.b {
        let v = Value(f.pool[(d.a + k) as usize]);
        let offset = f.signature().abi.ret.offset(k);
        f.push_store(aligned(offset, most), v, at, offset);
    }
}

/// Appends the call with the address, and the loads of its results.
fn call(f: &mut Function, d: InstData, result: Value, own: Option<Value>, ptr: Type) {
    let c = f.calls[d.a as usize];
    let offset = |f: &Function, k: u32| f.sigs[c.sig.index()].abi.ret.offset(k);
    let types: Vec<Type> = (0..c.results).map(|k| f.value_type(Value(result.0 + k))).collect();
    // A call that replaces this function's frame returns its result where this function would.
    let forwarded = own.filter(|_| c.tail == TailKind::Must);
    let at = forwarded.unwrap_or_else(|| {
        let ends = types.iter().zip(0..).map(|(ty, k)| offset(f, k) + ty.store_bytes().next_power_of_two());
        let slot = f.make_temporary(ends.max().unwrap_or(0), 16);
        f.slot_addr(slot, ptr)
    });
    let start = f.pool.len() as u32;
    f.pool.extend_from_within(c.args_start as usize..(c.args_start + c.args_len) as usize);
    f.pool.push(at.0);
    let call = &mut f.calls[d.a as usize];
    (call.args_start, call.args_len, call.results) = (start, c.args_len + 1, 0);
    f.push_inst(d, &[]);
    if forwarded.is_none() {
        for (&ty, k) in types.iter().zip(0..) {
            let offset = offset(f, k);
            let flags = aligned(offset, 16);
            f.push_kept(InstData { op: Opcode::Load, flags, ty, a: at.0, b: offset, c: 0 }, Value(result.0 + k));
        }
    }
}

/// The flags of an access at an offset from an address of known alignment.
fn aligned(offset: u32, align: u32) -> u8 {
    MemFlags::new(1 << (offset | align).trailing_zeros(), false).0
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
