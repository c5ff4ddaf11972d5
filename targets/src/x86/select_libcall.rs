//! Calls of library functions: arguments in registers on x86-64, on the stack on i386.

use gusset_codegen::alloc::Where;
use gusset_codegen::call;
use gusset_codegen::compiled::LibCall;
use gusset_codegen::ir::{Function, InstData, Module, Opcode, Type, Value};
use gusset_codegen::target::{PReg, PartKind, Target};

use super::constant::{pool, scalar_bits};
use super::encode::Asm;
use super::encode_ops::*;
use super::encode_x87::X87Mem;
use super::operand::*;
use super::reg::{Gpr, Mem, Size};
use super::registers::{RAX, RCX, RDI, RDX, RSI, XMM15};
use super::target::{X86, frame_mem, gpr, xmm};
use super::{select_atomic_library, select_tls, windows};

/// Registers that a call changes: all but the ones that callees keep.
pub(super) fn call_clobbers(target: &X86) -> u64 {
    use gusset_codegen::target::Target;
    let spare = if target.has_function_tables() { XMM15.mask() } else { 0 };
    !(target.registers().preserved | spare)
}

/// Calls a library function whose operands are numbers.
pub(super) fn libcall(cx: &mut Cx<'_>, lib: LibCall, args: &[Value], r: Option<Value>) -> Done {
    libcall_after(cx, lib, args, r, |_| {})
}

/// The same; `prepare` emits what comes between the arguments' being in place and the call.
pub(super) fn libcall_after(
    cx: &mut Cx<'_>,
    lib: LibCall,
    args: &[Value],
    r: Option<Value>,
    prepare: impl FnOnce(&mut Asm<'_>),
) -> Done {
    libcall_around(cx, lib, args, r, prepare, |_| {})
}

/// The same; `finish` emits what comes after the call, its result being in its register.
pub(super) fn libcall_around(
    cx: &mut Cx<'_>,
    lib: LibCall,
    args: &[Value],
    r: Option<Value>,
    prepare: impl FnOnce(&mut Asm<'_>),
    finish: impl FnOnce(&mut Asm<'_>),
) -> Done {
    if cx.target.is_32() {
        let (lib, popped) = windows::division(cx.target, lib);
        return by_stack(cx, args, r, |e| {
            prepare(e);
            e.call_library(lib);
            if popped > 0 {
                e.alu_ri(AluOp::Sub, Size::B4, Gpr(4), popped);
            }
            finish(e);
        });
    }
    if cx.target.has_function_tables() {
        return windows::libcall(cx, lib, args, r, prepare, finish);
    }
    const INTS: [PReg; 6] = [RDI, RSI, RDX, RCX, PReg::int(8), PReg::int(9)];
    let mut list = [(RDI, Value(0), 0); 8];
    let (mut n, mut ints, mut floats, mut stack) = (0, 0, 0, 0);
    for &v in args {
        let (kind, parts) = cx.target_parts(cx.ty(v));
        if kind.is_memory() {
            // `long double` travels in memory.
            let from = match cx.whereabouts(v, 0) {
                Where::Const(_) => pool(cx.buf, scalar_bits(cx.f, v).unwrap_or(0), 16),
                _ => frame_mem(cx.memory_operand(v)),
            };
            let to = frame_mem(cx.frame.outgoing_addr(stack));
            asm(cx).sse_rm(MOVUPS, xmm(XMM15), from);
            asm(cx).sse_mr(MOVUPS_STORE, to, xmm(XMM15));
            stack += 16;
            continue;
        }
        for part in 0..parts {
            let reg = if kind.is_float() {
                floats += 1;
                PReg::float(floats - 1)
            } else {
                ints += 1;
                INTS[ints - 1]
            };
            list[n] = (reg, v, part);
            n += 1;
        }
    }
    let regs = match r.map(|r| cx.target_parts(cx.ty(r))) {
        None | Some((PartKind::Memory16, _)) => [].as_slice(),
        Some((kind, _)) if kind.is_float() => &[PReg::float(0)],
        Some((_, 2)) => &[RAX, RDX],
        Some(_) => &[RAX],
    };
    let clobbers = call_clobbers(cx.target);
    let emit = |buf: &mut gusset_codegen::buffer::CodeBuffer| {
        let mut e = Asm::new(buf);
        prepare(&mut e);
        e.call_library(lib);
        finish(&mut e);
    };
    match r {
        Some(r) if regs.is_empty() => {
            call::helper(cx, &list[..n], clobbers, emit, None)?;
            let at = frame_mem(cx.def_memory(r)?);
            asm(cx).x87_store_pop(X87Mem::F80, at);
            Ok(())
        }
        _ => call::helper(cx, &list[..n], clobbers, emit, r.map(|r| (r, regs))),
    }
}

/// Where arguments on the stack go on, and how many bytes one takes (psABI i386, section 2.2.4, and GCC for `_Float128`).
fn slot(at: u32, ty: Type) -> (u32, u32) {
    match ty {
        Type::F80 => (at, 12),
        Type::F128 => (at.next_multiple_of(16), 16),
        _ => (at, ty.store_bytes().next_multiple_of(4)),
    }
}

/// Puts arguments onto the stack from `at` on.
pub(super) fn push_arguments(cx: &mut Cx<'_>, args: &[Value], mut at: u32) -> Done {
    for &v in args {
        let ty = cx.ty(v);
        let (start, bytes) = slot(at, ty);
        let to = frame_mem(cx.frame.outgoing_addr(start as i32));
        at = start + bytes;
        store_argument(cx, v, ty, to)?;
        // There may be more arguments than registers.
        cx.unpin_all();
    }
    Ok(())
}

pub(super) fn store_argument(cx: &mut Cx<'_>, v: Value, ty: Type, to: Mem) -> Done {
    let after = |m: Mem, bytes: i32| m.offset(bytes).unwrap_or(m);
    let (kind, parts) = cx.target_parts(ty);
    match kind {
        PartKind::Memory16 if ty == Type::F80 => {
            super::select_x87::push(cx, v)?;
            asm(cx).x87_store_pop(X87Mem::F80, to);
        }
        PartKind::Memory4 | PartKind::Memory8 | PartKind::Memory16 => super::select_memory::store_to(cx, v, ty, to, 4)?,
        PartKind::I32 | PartKind::I64 => {
            for part in 0..parts {
                let to = after(to, 4 * i32::from(part));
                match super::select_wide::constant_part(cx, v, part).map(i32::try_from) {
                    Some(Ok(n)) => asm(cx).mov_mi(Size::B4, to, n),
                    _ => {
                        let x = cx.use_part(v, part)?;
                        asm(cx).mov_mr(Size::B4, to, gpr(x));
                        super::select_wide::done(cx, v, part);
                    }
                }
            }
        }
        PartKind::F32 | PartKind::F64 | PartKind::V128 => {
            let x = xmm(cx.use_reg(v)?);
            asm(cx).sse_mr([MOVSS_STORE, MOVSD_STORE, MOVUPS_STORE][kind as usize - PartKind::F32 as usize], to, x);
        }
    }
    Ok(())
}

/// A call by i386's conventions: `emit` appends it.
pub(super) fn by_stack(cx: &mut Cx<'_>, args: &[Value], r: Option<Value>, emit: impl FnOnce(&mut Asm<'_>)) -> Done {
    for &v in args {
        if let Some(i) = cx.deferred(v) {
            cx.emit_deferred(i)?;
        }
    }
    let ty = r.map(|r| cx.ty(r));
    push_arguments(cx, args, if ty == Some(Type::F128) { 4 } else { 0 })?;
    take_result(cx, r, result_place(ty), emit)
}

/// Where a library function leaves its result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// There is none.
    None,
    /// In `eax`, or in `edx:eax`.
    Ints,
    /// On the x87 stack.
    X87,
    /// In the vector register 0.
    Vector,
    /// At the address that is its first argument.
    Memory,
}

pub(super) fn result_place(ty: Option<Type>) -> Place {
    match ty {
        None => Place::None,
        Some(Type::F32 | Type::F64 | Type::F80) => Place::X87,
        Some(Type::F128) => Place::Memory,
        // psABI i386: `_Float16` comes back in a vector register; so does what GCC calls `__bf16`.
        Some(ty) if ty.is_float() => Place::Vector,
        Some(_) => Place::Ints,
    }
}

/// The call itself and what becomes of its result; arguments on the stack are in place but for the address of a result.
pub(super) fn take_result(cx: &mut Cx<'_>, r: Option<Value>, place: Place, emit: impl FnOnce(&mut Asm<'_>)) -> Done {
    let clobbers = call_clobbers(cx.target);
    match (r, place) {
        (Some(r), Place::Ints) => {
            let regs: &[PReg] = if cx.target_parts(cx.ty(r)).1 == 2 { &[RAX, RDX] } else { &[RAX] };
            call::helper(cx, &[], clobbers, |buf| emit(&mut Asm::new(buf)), Some((r, regs)))
        }
        (Some(r), Place::Vector) => {
            call::helper(cx, &[], clobbers, |buf| emit(&mut Asm::new(buf)), Some((r, &[PReg::float(0)])))
        }
        (Some(r), Place::X87) => {
            call::helper(cx, &[], clobbers, |buf| emit(&mut Asm::new(buf)), None)?;
            super::select_x87::pop(cx, r)
        }
        (Some(r), Place::Memory) => {
            let at = cx.scratch_place(16)?;
            let first = frame_mem(cx.frame.outgoing_addr(0));
            call::helper(
                cx,
                &[],
                clobbers,
                |buf| {
                    let mut e = Asm::new(buf);
                    e.lea(Size::B4, gpr(RAX), frame_mem(at));
                    e.mov_mr(Size::B4, first, gpr(RAX));
                    emit(&mut e);
                },
                None,
            )?;
            // The callee removes that address, but not on Windows.
            if !cx.target.windows {
                cx.target.emit_take_back(cx.buf, cx.frame, 4);
            }
            let dst = cx.def(r, 0)?;
            asm(cx).sse_rm(MOVUPS, xmm(dst), frame_mem(at));
            cx.set(r, 0, dst)
        }
        _ => call::helper(cx, &[], clobbers, |buf| emit(&mut Asm::new(buf)), None),
    }
}

/// Pops the x87 stack's top as an `f32` or `f64`.
pub(super) fn pop_float(cx: &mut Cx<'_>, r: Value, ty: Type) -> Done {
    let m = frame_mem(cx.scratch_place(8)?);
    let dst = cx.def(r, 0)?;
    let mut e = asm(cx);
    if ty == Type::F32 {
        e.x87_store_pop(X87Mem::F32, m);
        e.sse_rm(MOVSS, xmm(dst), m);
    } else {
        e.x87_store_pop(X87Mem::F64, m);
        e.sse_rm(MOVSD, xmm(dst), m);
    }
    cx.set(r, 0, dst)
}

/// Bytes of stack arguments that the expansion of such an instruction needs.
pub(super) fn helper_stack_bytes(target: &X86, module: &Module, f: &Function, d: &InstData) -> u32 {
    if target.has_function_tables() {
        // The comparison of objects of any size has two arguments more than registers.
        return if select_atomic_library::is_loose(d) { windows::HOME_SPACE + 16 } else { windows::HOME_SPACE };
    }
    let mut bytes = 0;
    if !target.is_32() {
        f.for_each_operand(d, |v| bytes += if f.value_type(v) == Type::F80 { 16 } else { 0 });
        return bytes;
    }
    use Opcode::*;
    // Sizes, addresses and orderings.
    if matches!(d.op, AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg) {
        return 24;
    }
    if d.op == TlsAddr {
        return if select_tls::is_emulated(module, d) { 4 } else { 0 };
    }
    // The address of a result goes first.
    let mut at = if d.ty == Type::F128 { 4 } else { 0 };
    let mut aligned = false;
    f.for_each_operand(d, |v| {
        let ty = f.value_type(v);
        aligned |= ty == Type::F128;
        let (start, bytes) = slot(at, ty);
        at = start + bytes;
    });
    // Conversions of two steps pass what the first has made.
    if aligned || d.ty == Type::F128 { at.max(32) } else { at }
}
