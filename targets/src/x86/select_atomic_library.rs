//! Atomic accesses that are not aligned to their size, by the library's functions for objects of any size and alignment.
//!
//! Locked instructions would do them, too, but not as seen by others: the library guards such objects with locks of its own
//! ("Atomic Instructions and Concurrency Guide" of LLVM, section "Libcalls: `__atomic_*`"). Every operand goes through the
//! frame, since these functions take addresses.

use gusset_codegen::buffer::CodeBuffer;
use gusset_codegen::call;
use gusset_codegen::compile::CompileError;
use gusset_codegen::compiled::LibCall;
use gusset_codegen::ir::{AtomicInfo, CmpxchgInfo, Inst, InstData, Opcode, Ordering, RmwOp, Value};
use gusset_codegen::target::FrameAddr;

use super::encode::Asm;
use super::operand::*;
use super::reg::{Cond, Gpr, Mem, Size};
use super::registers::{RAX, RCX, RDI, RDX, RSI, RSP};
use super::select_atomic::step;
use super::select_atomic_wide::{combine, high, order_number};
use super::select_libcall::call_clobbers;
use super::select_memory::{load_from, store_to};
use super::target::{X86, frame_mem, gpr};

const R8: Gpr = Gpr(8);
const R9: Gpr = Gpr(9);

/// Is it an access that is not aligned to its size?
pub(super) fn is_loose(d: &InstData) -> bool {
    let align = match d.op {
        Opcode::AtomicLoad => AtomicInfo(d.b).align(),
        Opcode::AtomicStore | Opcode::AtomicRmw => AtomicInfo(d.c).align(),
        Opcode::Cmpxchg if !CmpxchgInfo(d.flags).is_aligned() => 0,
        _ => return false,
    };
    align < d.ty.store_bytes()
}

/// Where the library takes its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Convention {
    /// All of them on the stack.
    Stack,
    SystemV,
    /// The fifth and sixth on the stack, above the home space.
    Windows,
}

impl Convention {
    fn of(target: &X86) -> Convention {
        match target.has_function_tables() {
            true => Convention::Windows,
            false if target.is_32() => Convention::Stack,
            false => Convention::SystemV,
        }
    }
}

/// An argument other than the first two, which are the size and the object's address.
#[derive(Clone, Copy)]
enum Arg {
    Address(FrameAddr),
    Order(Ordering),
}

/// The arguments but the object's address, which is in `object`, and the call.
fn finish_call(e: &mut Asm<'_>, convention: Convention, lib: LibCall, bytes: u32, object: Gpr, rest: &[Arg]) {
    let w = e.word_size();
    // What no register is left for.
    let on_stack = |e: &mut Asm<'_>, k: u32, arg: Arg| match arg {
        Arg::Address(at) => {
            // What is in `rax` is not wanted any more.
            e.lea(w, gpr(RAX), frame_mem(at));
            e.mov_mr(w, Mem::at(gpr(RSP), (k * w.bytes()) as i32), gpr(RAX));
        }
        Arg::Order(o) => e.mov_mi(Size::B4, Mem::at(gpr(RSP), (k * w.bytes()) as i32), order_number(o) as i32),
    };
    let registers: &[Gpr] = match convention {
        Convention::Stack => {
            e.mov_mi(w, Mem::at(gpr(RSP), 0), bytes as i32);
            e.mov_mr(w, Mem::at(gpr(RSP), 4), object);
            &[]
        }
        Convention::SystemV => {
            e.mov_ri(Size::B4, gpr(RDI), bytes.into());
            &[gpr(RDX), gpr(RCX), R8, R9]
        }
        Convention::Windows => {
            if object != gpr(RDX) {
                e.mov_rr(w, gpr(RDX), object);
            }
            e.mov_ri(Size::B4, gpr(RCX), bytes.into());
            &[R8, R9]
        }
    };
    for (k, &arg) in rest.iter().enumerate() {
        match (registers.get(k), arg) {
            (Some(&to), Arg::Address(at)) => e.lea(w, to, frame_mem(at)),
            (Some(&to), Arg::Order(o)) => e.mov_ri(Size::B4, to, order_number(o)),
            (None, arg) => on_stack(e, k as u32 + 2, arg),
        }
    }
    e.call_library(lib);
}

fn library(cx: &mut Cx<'_>, lib: LibCall, d: &InstData, rest: &[Arg]) -> Done {
    let bytes = d.ty.store_bytes();
    let convention = Convention::of(cx.target);
    let object = match convention {
        Convention::Stack => RCX,
        Convention::SystemV => RSI,
        Convention::Windows => RDX,
    };
    let emit = |buf: &mut CodeBuffer| finish_call(&mut Asm::new(buf), convention, lib, bytes, gpr(object), rest);
    call::helper(cx, &[(object, Value(d.a), 0)], call_clobbers(cx.target), emit, None)
}

/// An operand in a place of its own.
fn put(cx: &mut Cx<'_>, v: Value) -> Result<FrameAddr, CompileError> {
    let at = cx.scratch_place(16)?;
    store_to(cx, v, cx.ty(v), frame_mem(at), 16)?;
    cx.unpin_all();
    Ok(at)
}

/// Emits such an access.
pub(super) fn select(cx: &mut Cx<'_>, i: Inst) -> Done {
    let d = *cx.f.inst(i);
    match d.op {
        Opcode::AtomicLoad => {
            let at = cx.scratch_place(16)?;
            library(cx, LibCall::AtomicLoad, &d, &[Arg::Address(at), Arg::Order(AtomicInfo(d.b).ordering())])?;
            load_from(cx, result(cx, i), d.ty, frame_mem(at), 16)
        }
        Opcode::AtomicStore => {
            let at = put(cx, Value(d.b))?;
            library(cx, LibCall::AtomicStore, &d, &[Arg::Address(at), Arg::Order(AtomicInfo(d.c).ordering())])
        }
        Opcode::Cmpxchg => {
            let info = CmpxchgInfo(d.flags);
            let (old, new) = (put(cx, Value(d.b))?, put(cx, Value(d.c))?);
            let (success, failure) = (Arg::Order(info.success()), Arg::Order(info.failure()));
            let args = [Arg::Address(old), Arg::Address(new), success, failure];
            library(cx, LibCall::AtomicCompareExchange, &d, &args)?;
            let r = result(cx, i);
            let flag = Value(r.0 + 1);
            cx.pin(RAX);
            if cx.live.count(flag) != 0 {
                cx.set(flag, 0, RAX)?;
            }
            load_from(cx, r, d.ty, frame_mem(old), 16)
        }
        _ => read_modify_write(cx, i, &d),
    }
}

fn read_modify_write(cx: &mut Cx<'_>, i: Inst, d: &InstData) -> Done {
    let (r, info) = (result(cx, i), AtomicInfo(d.c));
    let Some(op) = RmwOp::from_u8(d.flags) else { return super::select::not_yet(cx, i) };
    if d.ty.is_float() && op != RmwOp::Xchg {
        return super::select::not_yet(cx, i);
    }
    let operand = put(cx, Value(d.b))?;
    let old = cx.scratch_place(16)?;
    if op == RmwOp::Xchg {
        let args = [Arg::Address(operand), Arg::Address(old), Arg::Order(info.ordering())];
        library(cx, LibCall::AtomicExchange, d, &args)?;
        return load_from(cx, r, d.ty, frame_mem(old), 16);
    }
    // There is no function for the others: a loop around the comparison. Every round is a call.
    let (object, new) = (cx.scratch_place(8)?, cx.scratch_place(16)?);
    let w = cx.target.word_size();
    let x = cx.use_reg(Value(d.a))?;
    asm(cx).mov_mr(w, frame_mem(object), gpr(x));
    let (size, wide) = (exact_size(d.ty), op_size(d.ty));
    let pair = super::select_atomic_wide::is_pair(cx, d.ty);
    let (size, wide) = if pair { (w, w) } else { (size, wide) };
    let convention = Convention::of(cx.target);
    if convention != Convention::SystemV {
        // Not a scratch register there, but one that this function spares.
        cx.take(RSI)?;
    }
    let emit = |buf: &mut CodeBuffer| {
        let mut e = Asm::new(buf);
        let (a, b, c, si) = (gpr(RAX), gpr(RDX), gpr(RCX), gpr(RSI));
        let (old_mem, new_mem, operand) = (frame_mem(old), frame_mem(new), frame_mem(operand));
        // Torn reads do no harm: they are found out by the comparison.
        e.mov_rm(w, si, frame_mem(object));
        e.mov_rm(size, a, Mem::at(si, 0));
        e.mov_mr(size, old_mem, a);
        if pair {
            e.mov_rm(w, a, Mem::at(si, w.bytes() as i32));
            e.mov_mr(w, high(w, old_mem), a);
        }
        let top = e.buf.new_label();
        e.buf.bind(top);
        match size {
            Size::B1 | Size::B2 => e.movzx_rm(size, a, old_mem),
            _ => e.mov_rm(size, a, old_mem),
        }
        if pair {
            e.mov_rm(w, si, high(w, old_mem));
            combine(&mut e, op, (RAX, RSI), (RDX, RCX), operand);
            e.mov_mr(w, high(w, new_mem), c);
        } else {
            step(&mut e, op, (size, wide), (a, b), Src::Mem(operand));
        }
        e.mov_mr(size, new_mem, b);
        e.mov_rm(w, si, frame_mem(object));
        let success = info.ordering();
        let (success, failure) = (Arg::Order(success), Arg::Order(success.of_failure()));
        let args = [Arg::Address(old), Arg::Address(new), success, failure];
        finish_call(&mut e, convention, LibCall::AtomicCompareExchange, d.ty.store_bytes(), si, &args);
        e.test_rr(Size::B1, a, a);
        e.jcc(Cond::E, top);
    };
    call::helper(cx, &[], call_clobbers(cx.target), emit, None)?;
    load_from(cx, r, d.ty, frame_mem(old), 16)
}
