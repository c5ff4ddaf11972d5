//! Vector and scalar floating-point instructions, SSE to SSE4.2.

use super::ops::{ExtractOp, GprToSseOp, InsertOp, SseImmOp, SseMaskOp, SseOp, SseShiftOp, SseStoreOp, SseToGprOp};
use super::{Asm, Op};
use crate::x86::reg::{Gpr, Mem, Size, Xmm};
use crate::x86::registers::XMM15;

/// REX.W for a general register of eight bytes.
#[inline]
fn wide_if(op: Op, size: Size) -> Op {
    if size == Size::B8 { op.wide() } else { op }
}

impl Asm<'_> {
    /// Notes a change of the spare register: where conventions preserve it, functions that change it have to save it.
    #[inline]
    pub(super) fn note(&mut self, d: Xmm) {
        self.buf.changed |= u64::from(d == Xmm(15)) << XMM15.0;
    }

    /// `addsd d, s` and its like; with the moves among them, whole registers are best moved by `MOVAPS`.
    #[inline]
    pub fn sse_rr(&mut self, op: SseOp, d: Xmm, s: Xmm) {
        self.note(d);
        self.reg_rm(op.0, d.0, s.0);
    }

    /// `addsd d, [s]` and its like. Packed operands other than those of unaligned moves are aligned to 16 bytes.
    #[inline]
    pub fn sse_rm(&mut self, op: SseOp, d: Xmm, s: Mem) {
        self.note(d);
        self.reg_mem(op.0, d.0, &s);
    }

    /// `movsd [d], s` and its like.
    #[inline]
    pub fn sse_mr(&mut self, op: SseStoreOp, d: Mem, s: Xmm) {
        self.reg_mem(op.0, s.0, &d);
    }

    /// `pshufd d, s, imm` and its like.
    pub fn sse_rri(&mut self, op: SseImmOp, d: Xmm, s: Xmm, imm: u8) {
        self.note(d);
        self.reg_rm_imm(op.0, d.0, s.0, u32::from(imm), 1);
    }

    /// `pshufd d, [s], imm` and its like.
    pub fn sse_rmi(&mut self, op: SseImmOp, d: Xmm, s: Mem, imm: u8) {
        self.note(d);
        self.reg_mem_imm(op.0, d.0, &s, u32::from(imm), 1);
    }

    /// `pslld d, imm` and its like; the immediate of `PSLLDQ_IMM` and `PSRLDQ_IMM` counts bytes.
    pub fn sse_shift_ri(&mut self, op: SseShiftOp, d: Xmm, imm: u8) {
        self.note(d);
        self.reg_rm_imm(op.0, op.1, d.0, u32::from(imm), 1);
    }

    /// `cvttsd2si d, s` and its like; `size` is the integer's, four or eight bytes.
    #[inline]
    pub fn sse_to_gpr_rr(&mut self, op: SseToGprOp, size: Size, d: Gpr, s: Xmm) {
        self.reg_rm(wide_if(op.0, size), d.0, s.0);
    }

    /// `cvttsd2si d, [s]` and its like.
    pub fn sse_to_gpr_rm(&mut self, op: SseToGprOp, size: Size, d: Gpr, s: Mem) {
        self.reg_mem(wide_if(op.0, size), d.0, &s);
    }

    /// `cvtsi2sd d, s` and its like; `size` is the integer's, four or eight bytes. The upper part of `d` stays, so that
    /// there is a dependency on its old value.
    #[inline]
    pub fn gpr_to_sse_rr(&mut self, op: GprToSseOp, size: Size, d: Xmm, s: Gpr) {
        self.note(d);
        self.reg_rm(wide_if(op.0, size), d.0, s.0);
    }

    /// `cvtsi2sd d, [s]` and its like.
    pub fn gpr_to_sse_rm(&mut self, op: GprToSseOp, size: Size, d: Xmm, s: Mem) {
        self.note(d);
        self.reg_mem(wide_if(op.0, size), d.0, &s);
    }

    /// `movd d, s` or `movq d, s`: four or eight bytes from a general register; the rest of `d` becomes zero.
    #[inline]
    pub fn mov_xr(&mut self, size: Size, d: Xmm, s: Gpr) {
        self.note(d);
        self.reg_rm(wide_if(Op::two(0x66, 0x6e), size), d.0, s.0);
    }

    /// `movd d, s` or `movq d, s`: four or eight bytes to a general register.
    #[inline]
    pub fn mov_rx(&mut self, size: Size, d: Gpr, s: Xmm) {
        self.reg_rm(wide_if(Op::two(0x66, 0x7e), size), s.0, d.0);
    }

    /// `movd d, [s]`: four bytes; the rest of `d` becomes zero. For eight there is `MOVQ`.
    pub fn movd_xm(&mut self, d: Xmm, s: Mem) {
        self.note(d);
        self.reg_mem(Op::two(0x66, 0x6e), d.0, &s);
    }

    /// `movmskpd d, s` and its like: the mask, zero-extended to eight bytes.
    pub fn sse_mask(&mut self, op: SseMaskOp, d: Gpr, s: Xmm) {
        self.reg_rm(op.0, d.0, s.0);
    }

    /// `pextrw d, s, lane`, zero-extended to eight bytes.
    pub fn pextrw_rri(&mut self, d: Gpr, s: Xmm, lane: u8) {
        self.reg_rm_imm(Op::two(0x66, 0xc5), d.0, s.0, u32::from(lane), 1);
    }

    /// `pextrw [d], s, lane` (SSE4.1)
    pub fn pextrw_mri(&mut self, d: Mem, s: Xmm, lane: u8) {
        self.reg_mem_imm(Op::three(0x66, 0x3a, 0x15), s.0, &d, u32::from(lane), 1);
    }

    /// `pextrd d, s, lane` and its like, zero-extended to eight bytes.
    pub fn extract_rri(&mut self, op: ExtractOp, d: Gpr, s: Xmm, lane: u8) {
        self.reg_rm_imm(op.0, s.0, d.0, u32::from(lane), 1);
    }

    /// `pextrd [d], s, lane` and its like.
    pub fn extract_mri(&mut self, op: ExtractOp, d: Mem, s: Xmm, lane: u8) {
        self.reg_mem_imm(op.0, s.0, &d, u32::from(lane), 1);
    }

    /// `pinsrd d, s, lane` and its like.
    pub fn insert_rri(&mut self, op: InsertOp, d: Xmm, s: Gpr, lane: u8) {
        self.note(d);
        self.reg_rm_imm(op.0, d.0, s.0, u32::from(lane), 1);
    }

    /// `pinsrd d, [s], lane` and its like.
    pub fn insert_rmi(&mut self, op: InsertOp, d: Xmm, s: Mem, lane: u8) {
        self.note(d);
        self.reg_mem_imm(op.0, d.0, &s, u32::from(lane), 1);
    }
}
