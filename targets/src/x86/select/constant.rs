//! Loading constants and addresses of symbols.

use gusset_codegen::buffer::CodeBuffer;
use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{CodeModel, ConstData, SymbolId, Type};
use gusset_codegen::machine::{ConstEmit, FrameAddr, Machine, PReg, PartKind};

use crate::shared::constants::{symbol_reach, vector_bits};
use crate::x86::encode::ops::*;
use crate::x86::machine::{X15, X86, frame_mem, gpr, symbol_target, xmm};
use crate::x86::reg::{Mem, Size};
use crate::x86::reloc;

/// Loads part `part` of a constant into `dst`.
pub(crate) fn load(target: &X86, cx: &mut ConstEmit<'_>, ty: Type, data: ConstData, part: u8, dst: PReg) -> Result {
    match data {
        // Any bits will do, but a register that was never written would make runs differ.
        ConstData::Poison => integer(target, cx, ty, 0, dst),
        ConstData::Int(n) => {
            let n = if target.parts(ty).count > 1 { word_of(target, n, part) as u64 } else { n as u64 };
            integer(target, cx, ty, n, dst);
        }
        ConstData::Float(n) => float(target, cx.buf, n, ty.bits().next_multiple_of(32) / 8, dst),
        ConstData::Symbol(s, offset) => return symbol(target, cx, s, offset, dst),
        ConstData::Vector { .. } => {
            let bits = vector_bits(cx.f, ty, data)
                .ok_or_else(|| CompileError::new(cx.f, "a vector constant with addresses in its lanes"))?;
            float(target, cx.buf, bits, 16, dst);
        }
    }
    Ok(())
}

/// A word of a constant of two words, as a signed number.
pub(crate) fn word_of(target: &X86, n: u128, part: u8) -> i64 {
    if target.is_32() { (n >> (32 * u32::from(part))) as i32 as i64 } else { (n >> (64 * u32::from(part))) as i64 }
}

fn integer(target: &X86, cx: &mut ConstEmit<'_>, ty: Type, n: u64, dst: PReg) {
    if dst.is_float() {
        return float(target, cx.buf, n as u128, 16, dst);
    }
    let mut a = target.asm(cx.buf);
    let bits = ty.bits();
    if n == 0 && !cx.keep_flags {
        a.alu(AluOp::Xor, Size::B4, gpr(dst), gpr(dst));
    } else if bits > 1 && bits < 32 {
        // Sign-extended, so that small negative numbers have short encodings elsewhere too.
        a.mov_ri(Size::B4, gpr(dst), n as u32 as i32 as i64);
    } else if bits <= 32 || target.is_32() {
        a.mov_ri(Size::B4, gpr(dst), n as i64);
    } else {
        a.mov_ri(Size::B8, gpr(dst), n as i64);
    }
}

/// Loads floating-point or vector bits: zero by an exclusive or, others from memory.
fn float(target: &X86, buf: &mut CodeBuffer, bits: u128, bytes: u32, dst: PReg) {
    if bits == 0 {
        return target.asm(buf).sse(XORPS, xmm(dst), xmm(dst));
    }
    let m = pool(buf, bits, bytes);
    let op = match bytes {
        4 => MOVSS,
        8 => MOVSD,
        _ => MOVAPS,
    };
    target.asm(buf).sse(op, xmm(dst), m);
}

/// A constant in memory that belongs to the function.
pub(crate) fn pool(buf: &mut CodeBuffer, bits: u128, bytes: u32) -> Mem {
    let id = buf.constant(&bits.to_le_bytes()[..bytes as usize]);
    Mem::constant(id)
}

pub(crate) fn symbol(target: &X86, cx: &mut ConstEmit<'_>, s: SymbolId, offset: i64, dst: PReg) -> Result {
    if cx.module.symbol(s).is_tls() {
        return Err(CompileError::new(cx.f, "the address of a thread-local symbol is not a constant"));
    }
    let near = target.is_near(cx.module, s);
    let d = gpr(dst);
    let within = symbol_reach(offset).filter(|_| near);
    if cx.module.symbol(s).far && !target.pic {
        target.asm(cx.buf).mov_ri_reloc(d, reloc::ABS64, symbol_target(s), offset);
        return Ok(());
    }
    let anywhere = target.is_32() && !target.windows;
    if !target.pic && target.code_model != CodeModel::Kernel && (within.is_some() || anywhere) {
        // Static code of x86-64 is in the low 2 GiB; for static code of i386, linkers copy data that it names.
        target.asm(cx.buf).mov_ri_reloc(d, reloc::ABS32, symbol_target(s), offset);
        return Ok(());
    }
    let w = target.word_size();
    let mut a = target.asm(cx.buf);
    if near {
        a.lea(w, d, Mem::symbol(s.0, within.unwrap_or(0)));
    } else {
        a.mov(w, d, Mem::got(s.0));
    }
    match i32::try_from(offset) {
        _ if within.is_some() || offset == 0 => {}
        Ok(o) => a.lea(w, d, Mem::at(d, o)),
        // Addresses of 32 bits wrap.
        Err(_) if target.is_32() => a.lea(w, d, Mem::at(d, offset as i32)),
        Err(_) => {
            // Through a vector register, since flags may be needed.
            let m = pool(cx.buf, offset as u64 as u128, 16);
            let mut a = target.asm(cx.buf);
            a.mov_xr(w, X15, d);
            a.sse(PADDQ, X15, m);
            a.mov_rx(w, d, X15);
        }
    }
    Ok(())
}

/// See [`Machine::emit_store_const`].
pub(crate) fn store(
    target: &X86,
    buf: &mut CodeBuffer,
    kind: PartKind,
    bits: u128,
    via: Option<PReg>,
    at: FrameAddr,
) -> bool {
    let n = bits as i64;
    match (kind, via) {
        (PartKind::I32, _) => target.asm(buf).mov_m(Size::B4, frame_mem(at), n as i32),
        // Eight bytes are an immediate that is extended with its sign.
        (PartKind::I64, _) if i32::try_from(n).is_ok() => target.asm(buf).mov_m(Size::B8, frame_mem(at), n as i32),
        (_, Some(via)) if kind.is_memory() && target.has_sse() => {
            float(target, buf, bits, 16, via);
            target.asm(buf).sse_mr(MOVUPS_STORE, frame_mem(at), xmm(via));
        }
        _ if kind.is_memory() => {
            let mut a = target.asm(buf);
            for word in 0..kind.bytes() / 4 {
                let m = frame_mem(FrameAddr { disp: at.disp + 4 * word as i32, ..at });
                a.mov_m(Size::B4, m, (bits >> (32 * word)) as i32);
            }
        }
        _ => return false,
    }
    true
}
