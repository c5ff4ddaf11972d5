//! Loads, stores, block operations and dynamic stack.

use gusset_codegen::alloc::Where;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{ConstData, Function, InstData, MemFlags, Opcode, Type, Value};
use gusset_codegen::machine::{PReg, PartKind};

use super::fold::is_update;
use super::operand::*;
use super::pair::{store_pair, upper_half};
use crate::shared::block::pieces;
use crate::shared::constants::scalar_bits;
use crate::x86::encode::ops::*;
use crate::x86::encode::x87::X87Mem;
use crate::x86::machine::{X86, frame_mem, gpr, size_of, xmm};
use crate::x86::reg::{Gpr, Mem, Segment, Size};
use crate::x86::registers::XMM15;

/// A load.
pub(crate) fn load(cx: &mut Cx<'_>, d: &Node) -> Result {
    let m = address(cx, d.a, d.b.0 as i32)?;
    let m = in_space(cx, m, MemFlags(d.flags));
    load_from(cx, d.r, d.ty, m, MemFlags(d.flags).align())
}

/// Memory spaces are segments, in the order of LLVM's address spaces from 256 on.
fn in_space(cx: &Cx<'_>, m: Mem, flags: MemFlags) -> Mem {
    relative(cx, m, flags.space())
}

/// Memory in a space.
pub(super) fn relative(cx: &Cx<'_>, m: Mem, space: u8) -> Mem {
    match space {
        0 => m,
        1 => m.in_segment(Segment::Gs),
        2 => m.in_segment(Segment::Fs),
        _ if cx.target.is_32() => m.in_segment(Segment::Ss),
        // In 64-bit mode, the base of the others is always zero.
        _ => m,
    }
}

/// Loads the value `r` of type `ty` from memory.
pub(crate) fn load_from(cx: &mut Cx<'_>, r: Value, ty: Type, m: Mem, align: u32) -> Result {
    let w = cx.target.word_size();
    match cx.target_parts(ty) {
        (PartKind::Memory16, _) if ty == Type::F80 => {
            let at = frame_mem(cx.def_memory(r)?);
            asm(cx).x87_load(X87Mem::F80, m);
            asm(cx).x87_store_pop(X87Mem::F80, at);
            Ok(())
        }
        (PartKind::Memory4 | PartKind::Memory8 | PartKind::Memory16, _) => {
            crate::x86::x87::memory::load_from(cx, r, ty, m)
        }
        (_, 2) => {
            let upper = upper_half(cx, m)?;
            // The address is pinned, so neither part overwrites it.
            let low = cx.def(r, 0)?;
            asm(cx).mov(w, gpr(low), m);
            let high = cx.def(r, 1)?;
            asm(cx).mov(w, gpr(high), upper);
            set_pair(cx, r, low, high)
        }
        (kind, _) => {
            cx.release();
            let dst = cx.def(r, 0)?;
            let mut a = asm(cx);
            match kind {
                PartKind::I32 | PartKind::I64 => a.movzx(exact_size(ty), gpr(dst), m),
                PartKind::F32 if ty == Type::F32 => a.sse(MOVSS, xmm(dst), m),
                PartKind::F32 => {
                    // Half precision: the low 16 bits.
                    a.sse(PXOR, xmm(dst), xmm(dst));
                    a.insert(PINSRW, xmm(dst), m, 0);
                }
                PartKind::F64 => a.sse(MOVSD, xmm(dst), m),
                _ => a.sse(if align >= 16 { MOVAPS } else { MOVUPS }, xmm(dst), m),
            }
            cx.set(r, 0, dst)
        }
    }
}

/// A store.
pub(crate) fn store(cx: &mut Cx<'_>, d: &Node) -> Result {
    let ordinary = MemFlags(d.flags).space() == 0;
    if ordinary && !cx.target.has_sse() && d.ty.is_float() && crate::x86::x87::store_result(cx, d)? {
        return Ok(());
    }
    if update(cx, d)? {
        return Ok(());
    }
    let m = address(cx, d.a, d.c.0 as i32)?;
    let m = in_space(cx, m, MemFlags(d.flags));
    store_to(cx, d.b, d.ty, m, MemFlags(d.flags).align())
}

/// A store of the result of a deferred operation on the same memory: the operation is done in memory. `Ok(false)` if
/// the store is none of these.
fn update(cx: &mut Cx<'_>, store: &Node) -> Result<bool> {
    let Some(i) = cx.deferred(store.b) else { return Ok(false) };
    let d = Node::of(cx.f, i);
    let Some(op) = super::int::alu_op(d.op) else { return Ok(false) };
    let Node { a, b, .. } = d;
    let updates = |cx: &Cx<'_>, arg, v| {
        cx.deferred(v).is_some_and(|l| {
            is_update((cx.target, cx.f, cx.is_optimized()), cx.f.inst(store.inst), cx.f.inst(i), arg, cx.f.inst(l))
        })
    };
    let with = if updates(cx, 0, a) {
        b
    } else if updates(cx, 1, b) {
        a
    } else {
        return Ok(false);
    };
    let size = exact_size(d.ty);
    cx.nested(|cx| {
        let m = address(cx, store.a, store.c.0 as i32)?;
        let m = in_space(cx, m, MemFlags(store.flags));
        let with = reg_or_imm(cx, with, size)?;
        asm(cx).alu_m(op, size, m, with);
        Ok(true)
    })
}

/// Stores `v` of type `ty`.
pub(crate) fn store_to(cx: &mut Cx<'_>, v: Value, ty: Type, m: Mem, align: u32) -> Result {
    match cx.target_parts(ty) {
        (PartKind::Memory16, _) if ty == Type::F80 => {
            let from = match cx.whereabouts(v, 0) {
                Where::Const(c) => {
                    let bits = if let ConstData::Float(n) = c { n } else { 0 };
                    super::constant::pool(cx.buf, bits, 16)
                }
                _ => frame_mem(cx.memory_operand(v)),
            };
            asm(cx).x87_load(X87Mem::F80, from);
            asm(cx).x87_store_pop(X87Mem::F80, m);
        }
        (PartKind::Memory4 | PartKind::Memory8 | PartKind::Memory16, _) => {
            if !store_constant(cx, v, ty, m)? {
                crate::x86::x87::memory::store_to(cx, v, ty, m)?;
            }
        }
        (_, 2) => store_pair(cx, v, m)?,
        (PartKind::I32 | PartKind::I64, _) => store_int(cx, v, ty, m)?,
        (kind, _) => {
            if store_constant(cx, v, ty, m)? {
                return Ok(());
            }
            let x = xmm(cx.use_reg(v)?);
            match kind {
                PartKind::F32 if ty == Type::F32 => asm(cx).sse_mr(MOVSS_STORE, m, x),
                PartKind::F32 => {
                    let t = cx.temp(false, None)?;
                    asm(cx).mov_rx(Size::B4, gpr(t), x);
                    asm(cx).mov_m(Size::B2, m, gpr(t));
                }
                PartKind::F64 => asm(cx).sse_mr(MOVSD_STORE, m, x),
                _ => asm(cx).sse_mr(if align >= 16 { MOVAPS_STORE } else { MOVUPS_STORE }, m, x),
            }
        }
    }
    Ok(())
}

/// Stores a floating-point constant as immediates if possible; `Ok(false)` if not.
fn store_constant(cx: &mut Cx<'_>, v: Value, ty: Type, m: Mem) -> Result<bool> {
    let Some(bits) = scalar_bits(cx.f, v) else { return Ok(false) };
    match ty {
        Type::F64 if cx.target.is_32() => {
            let upper = upper_half(cx, m)?;
            asm(cx).mov_m(Size::B4, m, bits as i32);
            asm(cx).mov_m(Size::B4, upper, (bits >> 32) as i32);
        }
        Type::F64 if i32::try_from(bits as i64).is_ok() => asm(cx).mov_m(Size::B8, m, bits as i32),
        Type::F32 => asm(cx).mov_m(Size::B4, m, bits as i32),
        _ => return Ok(false),
    }
    Ok(true)
}

fn store_int(cx: &mut Cx<'_>, v: Value, ty: Type, m: Mem) -> Result {
    let size = exact_size(ty);
    // A deferred truncation: the low bytes of its operand are stored.
    if let Some(t) = cx.deferred(v) {
        let d = Node::of(cx.f, t);
        if d.op == Opcode::Trunc {
            let x = cx.nested(|cx| cx.use_reg(d.a))?;
            let x = sized_reg(cx, size, gpr(x))?;
            asm(cx).mov_m(size, m, x);
            return Ok(());
        }
    }
    let s = reg_or_imm(cx, v, size)?;
    asm(cx).mov_m(size, m, s);
    Ok(())
}

/// Block operations up to this many bytes are done in place.
const INLINE: u128 = 128;

/// Copies of up to this many bytes between addresses aligned to words go word by word: the source may have been stored
/// just before, and a load that gets its bytes from several stores waits until all of them have reached the cache.
/// Constant data of the program usually has been there for long.
const WORDWISE: u32 = 32;

/// Is the block operation done without a library call?
pub(crate) fn is_inline(target: &X86, f: &Function, d: &InstData) -> bool {
    let Some(n) = f.int_constant(Value(d.c)) else { return false };
    let whole = is_plain(target, f);
    match d.op {
        Opcode::Memcpy if whole => n <= 64,
        // The x87 is not to be used either.
        Opcode::Memmove if f.attrs.no_implicit_float => n == 0 || crate::x86::x87::memory::is_one_step(target, n),
        Opcode::Memmove => n <= 64,
        Opcode::Memset => n <= INLINE && (!whole || f.constant(Value(d.b)).is_some()),
        _ => n <= INLINE,
    }
}

/// Are block operations done by general registers?
fn is_plain(target: &X86, f: &Function) -> bool {
    !target.has_sse() || f.attrs.no_implicit_float
}

/// Has the block pieces of less than 16 bytes?
fn has_small_step(size: u32) -> bool {
    size < 16 || matches!(size % 16, 1 | 2 | 4 | 8)
}

/// Copies, moves and fills.
pub(crate) fn block(cx: &mut Cx<'_>, d: &Node) -> Result {
    let n = cx.f.int_constant(d.c).unwrap_or(0) as u32;
    if n == 0 {
        return Ok(());
    }
    if is_plain(cx.target, cx.f) {
        return crate::x86::x87::memory::block(cx, d, n);
    }
    let to = address(cx, d.a, 0)?;
    match d.op {
        Opcode::Memset if cx.f.constant(d.b).is_none() => fill_with(cx, to, d.b, n),
        Opcode::Memset => {
            let byte = cx.f.int_constant(d.b).unwrap_or(0) as u8;
            fill(cx, to, byte, n)
        }
        Opcode::Memcpy => copy_apart(cx, d, to, n),
        _ => {
            let from = address(cx, d.b, 0)?;
            copy_overlapping(cx, to, from, n)
        }
    }
}

/// Sets `n` bytes.
fn fill(cx: &mut Cx<'_>, to: Mem, byte: u8, n: u32) -> Result {
    // Eight bytes are more than a general-purpose register has.
    let narrow = cx.target.is_32();
    let vector = if n >= 16 {
        let t = cx.temp(true, None)?;
        let bits = u128::from_le_bytes([byte; 16]);
        if bits == 0 {
            asm(cx).sse(XORPS, xmm(t), xmm(t));
        } else {
            let m = super::constant::pool(cx.buf, bits, 16);
            asm(cx).sse(MOVAPS, xmm(t), m);
        }
        Some(t)
    } else {
        None
    };
    let word = u64::from_le_bytes([byte; 8]) as i64;
    let whole = if !narrow && (n % 16 == 8 || n < 16 && n > 8) && i32::try_from(word).is_err() {
        let t = cx.temp(false, None)?;
        asm(cx).mov_ri(Size::B8, gpr(t), word);
        Some(t)
    } else {
        None
    };
    pieces(n, 16, true, |k, step| {
        let m = byte_of(to, k);
        match (step, vector, whole) {
            (16, Some(t), _) => asm(cx).sse_mr(MOVUPS_STORE, m, xmm(t)),
            (8, _, Some(t)) => asm(cx).mov_m(Size::B8, m, gpr(t)),
            (8, Some(t), _) if narrow => asm(cx).sse_mr(MOVSD_STORE, m, xmm(t)),
            (8, _, _) if narrow => {
                for m in [m, byte_of(m, 4)] {
                    asm(cx).mov_m(Size::B4, m, word as i32);
                }
            }
            _ => asm(cx).mov_m(size_of(step), m, word as i32),
        }
    });
    Ok(())
}

/// Sets `n` bytes to a computed byte.
fn fill_with(cx: &mut Cx<'_>, to: Mem, byte: Value, n: u32) -> Result {
    let narrow = cx.target.is_32();
    let x = gpr(cx.use_reg(byte)?);
    let t = gpr(byte_temp(cx)?);
    asm(cx).extend_byte(Size::B4, t, x, false);
    if !narrow && (8..16).contains(&n) {
        let u = cx.temp(false, None)?;
        asm(cx).mov_ri(Size::B8, gpr(u), 0x0101_0101_0101_0101);
        asm(cx).imul(Size::B8, t, gpr(u));
    } else if n > 1 {
        asm(cx).imul_imm(Size::B4, t, t, 0x0101_0101);
    }
    let vector = if n >= 16 { Some(xmm(cx.temp(true, None)?)) } else { None };
    let mut e = asm(cx);
    if let Some(v) = vector {
        e.mov_xr(Size::B4, v, t);
        e.sse_imm(PSHUFD, v, v, 0);
    }
    pieces(n, 16, true, |k, step| {
        let m = byte_of(to, k);
        match (step, vector) {
            (16, Some(v)) => e.sse_mr(MOVUPS_STORE, m, v),
            (8, Some(v)) => e.sse_mr(MOVSD_STORE, m, v),
            (8, None) if narrow => [m, byte_of(m, 4)].into_iter().for_each(|m| e.mov_m(Size::B4, m, t)),
            _ => e.mov_m(size_of(step), m, t),
        }
    });
    Ok(())
}

/// Copies `n` bytes between blocks that do not overlap.
fn copy_apart(cx: &mut Cx<'_>, d: &Node, to: Mem, n: u32) -> Result {
    let narrow = cx.target.is_32();
    let from = address(cx, d.b, 0)?;
    let data = matches!(cx.f.constant(d.b), Some(ConstData::Symbol(..)));
    if n <= WORDWISE && n.is_multiple_of(8) && !narrow && !data && MemFlags(d.flags).align() >= 8 {
        let t = cx.temp(false, None)?;
        for k in (0..n).step_by(8) {
            copy_step(cx, byte_of(to, k), byte_of(from, k), 8, None, Some(t));
        }
        return Ok(());
    }
    let v = if n >= 16 || narrow && n >= 8 { Some(cx.temp(true, None)?) } else { None };
    let g = if has_small_step(n) { Some(byte_temp(cx)?) } else { None };
    pieces(n, 16, true, |k, step| copy_step(cx, byte_of(to, k), byte_of(from, k), step, v, g));
    Ok(())
}

/// Copies `n` bytes between blocks that may overlap: everything is read before anything is written, into up to four
/// vector registers, of which there are plenty.
fn copy_overlapping(cx: &mut Cx<'_>, to: Mem, from: Mem, n: u32) -> Result {
    let mut held = [(0, 0, XMM15); 4];
    let mut count = 0;
    pieces(n, 16, true, |k, step| {
        held[count & 3] = (k, step, XMM15);
        count += 1;
    });
    for (slot, piece) in held[..count].iter_mut().enumerate() {
        let (k, step, _) = *piece;
        let t = if slot == 3 { XMM15 } else { cx.temp(true, None)? };
        match step {
            16 => asm(cx).sse(MOVUPS, xmm(t), byte_of(from, k)),
            8 => asm(cx).sse(MOVSD, xmm(t), byte_of(from, k)),
            4 => asm(cx).sse(MOVSS, xmm(t), byte_of(from, k)),
            n => {
                let g = cx.temp(false, None)?;
                asm(cx).movzx(size_of(n), gpr(g), byte_of(from, k));
                asm(cx).mov_xr(Size::B4, xmm(t), gpr(g));
                cx.unpin(g);
            }
        }
        piece.2 = t;
    }
    for &(k, step, t) in &held[..count] {
        match step {
            16 => asm(cx).sse_mr(MOVUPS_STORE, byte_of(to, k), xmm(t)),
            8 => asm(cx).sse_mr(MOVSD_STORE, byte_of(to, k), xmm(t)),
            4 => asm(cx).sse_mr(MOVSS_STORE, byte_of(to, k), xmm(t)),
            n => {
                let g = byte_temp(cx)?;
                asm(cx).mov_rx(Size::B4, gpr(g), xmm(t));
                asm(cx).mov_m(size_of(n), byte_of(to, k), gpr(g));
                cx.unpin(g);
            }
        }
    }
    Ok(())
}

fn copy_step(cx: &mut Cx<'_>, to: Mem, from: Mem, step: u32, v: Option<PReg>, g: Option<PReg>) {
    let mut a = asm(cx);
    match (step, v, g) {
        (16, Some(t), _) => {
            a.sse(MOVUPS, xmm(t), from);
            a.sse_mr(MOVUPS_STORE, to, xmm(t));
        }
        (8, Some(t), _) if a.word_size() == Size::B4 => {
            a.sse(MOVSD, xmm(t), from);
            a.sse_mr(MOVSD_STORE, to, xmm(t));
        }
        (n, _, Some(t)) => {
            a.movzx(size_of(n), gpr(t), from);
            a.mov_m(size_of(n), to, gpr(t));
        }
        _ => {}
    }
}

/// Dynamic stack.
pub(crate) fn stack_alloc(cx: &mut Cx<'_>, d: &Node) -> Result {
    let w = cx.target.word_size();
    let align = (d.b.0 as i32).max(cx.frame.align as i32);
    let outgoing = cx.frame.outgoing as i32;
    let t = cx.temp(false, None)?;
    cx.copy_into(t, d.a, 0)?;
    let g = gpr(t);
    let sp = Gpr(4);
    let mut a = asm(cx);
    // t becomes the new stack pointer: below the old one by the size and the cost of alignment, aligned down.
    a.unary(NEG, w, g);
    a.lea(w, g, Mem::indexed(sp, g, 1, 0));
    a.alu(AluOp::And, w, g, -align);
    if cx.frame.probe.bytes.is_some() {
        touch(cx, g)?;
    }
    asm(cx).mov(w, sp, g);
    if outgoing > 0 {
        // The area starts above the outgoing arguments, which stay at the stack pointer. The space between the old
        // stack pointer and the area's end is the area's; lowering the stack pointer by the outgoing space once more
        // keeps both apart.
        asm(cx).alu(AluOp::Sub, w, sp, (outgoing + align - 1) / align * align);
    }
    cx.set(d.r, 0, t)
}

/// Lowers the stack pointer page by page, not below the register's value, and touches each page, so that the guard page
/// is not skipped.
fn touch(cx: &mut Cx<'_>, lowest: Gpr) -> Result {
    let (w, sp) = (cx.target.word_size(), Gpr(4));
    let step = cx.frame.probe.step as i32;
    let a = asm(cx);
    let (top, done) = (a.buf.new_label(), a.buf.new_label());
    a.buf.bind(top);
    let u = cx.temp(false, None)?;
    let mut a = asm(cx);
    a.lea(w, gpr(u), Mem::at(sp, -step));
    a.alu(AluOp::Cmp, w, gpr(u), lowest);
    a.jcc(crate::x86::reg::Cond::BE, done);
    a.mov(w, sp, gpr(u));
    a.alu_m(AluOp::Or, Size::B4, Mem::at(sp, 0), 0);
    a.jmp(top);
    a.buf.bind(done);
    cx.unpin(u);
    Ok(())
}

/// The stack pointer as a value, and the restoring of it.
pub(crate) fn stack_save(cx: &mut Cx<'_>, d: &Node) -> Result {
    let w = cx.target.word_size();
    let dst = cx.def(d.r, 0)?;
    asm(cx).mov(w, gpr(dst), Gpr(4));
    cx.set(d.r, 0, dst)
}

/// See [`stack_save`].
pub(crate) fn stack_restore(cx: &mut Cx<'_>, d: &Node) -> Result {
    let w = cx.target.word_size();
    let v = d.a;
    let x = cx.use_reg(v)?;
    asm(cx).mov(w, Gpr(4), gpr(x));
    Ok(())
}

/// A hint that memory will be accessed.
pub(crate) fn prefetch(cx: &mut Cx<'_>, d: &Node) -> Result {
    if !cx.target.has_sse() {
        // Its instructions came with SSE.
        return Ok(());
    }
    let m = address(cx, d.a, 0)?;
    // Whether it will be written makes no difference without an extension.
    let hint = match d.b.0 >> 1 & 3 {
        0 => PrefetchHint::Nta,
        1 => PrefetchHint::T2,
        2 => PrefetchHint::T1,
        _ => PrefetchHint::T0,
    };
    asm(cx).prefetch(hint, m);
    Ok(())
}

/// Copies a `va_list`: 24 bytes on x86-64 (System V psABI, figure 3.34), a pointer on i386 and on Windows.
pub(crate) fn va_copy(cx: &mut Cx<'_>, d: &Node) -> Result {
    let to = address(cx, d.a, 0)?;
    let from = address(cx, d.b, 0)?;
    let v = if is_plain(cx.target, cx.f) { None } else { Some(cx.temp(true, None)?) };
    let g = Some(cx.temp(false, None)?);
    let bytes = match (cx.target.is_32(), cx.target.windows) {
        (true, _) => 4,
        (false, true) => 8,
        (false, false) => 24,
    };
    pieces(bytes, 16, true, |k, step| copy_step(cx, byte_of(to, k), byte_of(from, k), step, v, g));
    Ok(())
}
