//! Vector and scalar floating-point instructions, SSE to SSE4.2.

use super::ops::*;
use super::{Asm, Op};
use crate::x86::reg::{Gpr, Mem, Rm, Size, Xmm};
use crate::x86::registers::XMM15;

/// REX.W for a general register of eight bytes.
#[inline]
fn wide_if(op: Op, size: Size) -> Op {
    if size == Size::B8 { op.wide() } else { op }
}

impl Asm<'_> {
    /// Notes a change of the spare register: where conventions preserve it, functions that change it must save it.
    #[inline]
    pub(super) fn note(&mut self, d: Xmm) {
        self.buf.changed |= u64::from(d == Xmm(15)) << XMM15.0;
    }

    /// `addsd d, s` and the like, including moves; whole registers are best moved by `MOVAPS`. Packed operands in
    /// memory must be aligned to 16 bytes, except in unaligned moves.
    #[inline]
    pub fn sse(&mut self, op: SseOp, d: Xmm, s: impl Into<Rm<Xmm>>) {
        self.note(d);
        self.rm(op.0, d.0, s.into());
    }

    /// `movsd [d], s` and its like.
    #[inline]
    pub fn sse_mr(&mut self, op: SseStoreOp, d: Mem, s: Xmm) {
        self.reg_mem(op.0, s.0, &d);
    }

    /// `pshufd d, s, imm` and its like.
    pub fn sse_imm(&mut self, op: SseImmOp, d: Xmm, s: impl Into<Rm<Xmm>>, imm: u8) {
        self.note(d);
        self.rm_imm(op.0, d.0, s.into(), u32::from(imm), 1);
    }

    /// `pslld d, imm` and its like; the immediate of `PSLLDQ_IMM` and `PSRLDQ_IMM` counts bytes.
    pub fn sse_shift_ri(&mut self, op: SseShiftOp, d: Xmm, imm: u8) {
        self.note(d);
        self.reg_rm_imm(op.0, op.1, d.0, u32::from(imm), 1);
    }

    /// `extrq d, length, index` and `insertq d, s, length, index`; the length is the lower byte of `imm`.
    pub fn bit_field(&mut self, op: BitFieldOp, d: Xmm, s: Option<Xmm>, imm: u16) {
        self.note(d);
        let (reg, rm) = s.map_or((0, d.0), |s| (d.0, s.0));
        self.reg_rm_imm(op.0, reg, rm, imm.into(), 2);
    }

    /// `cvttsd2si d, s` and its like; `size` is the integer's, four or eight bytes.
    #[inline]
    pub fn sse_to_gpr(&mut self, op: SseToGprOp, size: Size, d: Gpr, s: impl Into<Rm<Xmm>>) {
        self.rm(wide_if(op.0, size), d.0, s.into());
    }

    /// `cvtsi2sd d, s` and the like; `size` is the integer's, four or eight bytes. The upper part of `d` is kept, so
    /// there is a dependency on its old value.
    #[inline]
    pub fn gpr_to_sse(&mut self, op: GprToSseOp, size: Size, d: Xmm, s: Gpr) {
        self.note(d);
        self.reg_rm(wide_if(op.0, size), d.0, s.0);
    }

    /// `movd d, s` or `movq d, s`: four or eight bytes from a general register; the rest of `d` becomes zero.
    #[inline]
    pub fn mov_xr(&mut self, size: Size, d: Xmm, s: Gpr) {
        self.note(d);
        self.reg_rm(wide_if(MOVD_TO_VECTOR, size), d.0, s.0);
    }

    /// `movd d, s` or `movq d, s`: four or eight bytes to a general register.
    #[inline]
    pub fn mov_rx(&mut self, size: Size, d: Gpr, s: Xmm) {
        self.reg_rm(wide_if(MOVD_FROM_VECTOR, size), s.0, d.0);
    }

    /// `movmskpd d, s`: the mask, zero-extended to eight bytes.
    pub fn movmskpd(&mut self, d: Gpr, s: Xmm) {
        self.reg_rm(MOVMSKPD, d.0, s.0);
    }

    /// `pextrw d, s, lane`, zero-extended to eight bytes.
    pub fn pextrw(&mut self, d: Gpr, s: Xmm, lane: u8) {
        self.reg_rm_imm(PEXTRW, d.0, s.0, u32::from(lane), 1);
    }

    /// `pextrd d, s, lane` and its like, zero-extended to eight bytes.
    pub fn extract(&mut self, op: ExtractOp, d: Gpr, s: Xmm, lane: u8) {
        self.reg_rm_imm(op.0, s.0, d.0, u32::from(lane), 1);
    }

    /// `pinsrd d, s, lane` and its like.
    pub fn insert(&mut self, op: InsertOp, d: Xmm, s: impl Into<Rm<Gpr>>, lane: u8) {
        self.note(d);
        self.rm_imm(op.0, d.0, s.into(), u32::from(lane), 1);
    }
}
