//! VEX-encoded instructions: BMI, FMA, and the AVX forms of the SSE instructions.

use super::ops::{SseOp, SseStoreOp};
use super::{Asm, Op, Out, mem_rex};
use crate::x86::reg::{Gpr, Mem, Size, Xmm};

/// Two general registers in, one out: `andn d, s1, s2/m`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BmiOp(Op);

/// A general register or memory in, one out, the shift count or mask in another: `shlx d, s/m, count`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BmiShiftOp(Op);

/// One general register or memory in, one out: `blsr d, s/m`. The number extends the opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlsOp(u8);

/// Fused multiplication and addition: three vector registers, the last may be memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FmaOp(Op);

macro_rules! family {
    ($type:ident $table:ident: $($name:ident = $value:expr;)*) => {
        $(#[doc = concat!("`", stringify!($name), "`, Intel SDM volume 2.")] pub const $name: $type = $value;)*
        #[cfg(test)]
        pub(crate) const $table: &[(&str, $type)] = &[$((stringify!($name), $name)),*];
    };
}

family! { BmiOp BMI_OPS:
    ANDN = BmiOp(Op::three(0, 0x38, 0xf2));
    MULX = BmiOp(Op::three(0xf2, 0x38, 0xf6));
    PDEP = BmiOp(Op::three(0xf2, 0x38, 0xf5));
    PEXT = BmiOp(Op::three(0xf3, 0x38, 0xf5));
}

family! { BmiShiftOp BMI_SHIFT_OPS:
    BEXTR = BmiShiftOp(Op::three(0, 0x38, 0xf7));
    SHLX = BmiShiftOp(Op::three(0x66, 0x38, 0xf7));
    SARX = BmiShiftOp(Op::three(0xf3, 0x38, 0xf7));
    SHRX = BmiShiftOp(Op::three(0xf2, 0x38, 0xf7));
    BZHI = BmiShiftOp(Op::three(0, 0x38, 0xf5));
}

family! { BlsOp BLS_OPS:
    BLSR = BlsOp(1);
    BLSMSK = BlsOp(2);
    BLSI = BlsOp(3);
}

const fn fma(opcode: u8) -> FmaOp {
    FmaOp(Op::three(0x66, 0x38, opcode))
}

const fn fma_wide(opcode: u8) -> FmaOp {
    FmaOp(Op::three(0x66, 0x38, opcode).wide())
}

family! { FmaOp FMA_OPS:
    VFMADD132SS = fma(0x99);
    VFMADD213SS = fma(0xa9);
    VFMADD231SS = fma(0xb9);
    VFMADD132SD = fma_wide(0x99);
    VFMADD213SD = fma_wide(0xa9);
    VFMADD231SD = fma_wide(0xb9);
    VFMADD132PS = fma(0x98);
    VFMADD213PS = fma(0xa8);
    VFMADD231PS = fma(0xb8);
    VFMADD132PD = fma_wide(0x98);
    VFMADD213PD = fma_wide(0xa8);
    VFMADD231PD = fma_wide(0xb8);
    VFMADDSUB213PS = fma(0xa6);
    VFMADDSUB213PD = fma_wide(0xa6);
    VFNMADD213SS = fma(0xad);
    VFNMADD213SD = fma_wide(0xad);
    VFMSUB213SS = fma(0xab);
    VFMSUB213SD = fma_wide(0xab);
}

/// What a VEX prefix says beside the registers.
#[derive(Clone, Copy)]
struct Vex {
    /// Mandatory prefix, 0 to 3.
    pp: u8,
    /// Opcode map, 1 to 3.
    map: u8,
    /// VEX.W.
    wide: bool,
    /// VEX.L: 256 bits.
    long: bool,
    opcode: u8,
}

impl Vex {
    fn new(op: Op, long: bool) -> Self {
        let (pp, map, opcode) = op.vex_fields();
        Self { pp, map, wide: op.is_wide(), long, opcode }
    }

    fn sized(op: Op, size: Size) -> Self {
        Self { wide: size == Size::B8, ..Self::new(op, false) }
    }
}

impl Asm<'_> {
    // ---- BMI ----

    /// `andn d, s1, s2` and its like, four or eight bytes. `mulx` multiplies `edx` or `rdx` by `s2`: the upper half goes
    /// to `d`, the lower to `s1`.
    pub fn bmi_rrr(&mut self, op: BmiOp, size: Size, d: Gpr, s1: Gpr, s2: Gpr) {
        self.vex_rr(Vex::sized(op.0, size), d.0, s1.0, s2.0);
    }

    /// `andn d, s1, [s2]` and its like.
    pub fn bmi_rrm(&mut self, op: BmiOp, size: Size, d: Gpr, s1: Gpr, s2: Mem) {
        self.vex_rm(Vex::sized(op.0, size), d.0, s1.0, &s2, 0, 0);
    }

    /// `shlx d, s, count` and its like, four or eight bytes.
    pub fn bmi_shift_rrr(&mut self, op: BmiShiftOp, size: Size, d: Gpr, s: Gpr, count: Gpr) {
        self.vex_rr(Vex::sized(op.0, size), d.0, count.0, s.0);
    }

    /// `shlx d, [s], count` and its like.
    pub fn bmi_shift_rmr(&mut self, op: BmiShiftOp, size: Size, d: Gpr, s: Mem, count: Gpr) {
        self.vex_rm(Vex::sized(op.0, size), d.0, count.0, &s, 0, 0);
    }

    /// `blsr d, s` and its like, four or eight bytes.
    pub fn bls_rr(&mut self, op: BlsOp, size: Size, d: Gpr, s: Gpr) {
        self.vex_rr(Vex::sized(Op::three(0, 0x38, 0xf3), size), op.0, d.0, s.0);
    }

    /// `blsr d, [s]` and its like.
    pub fn bls_rm(&mut self, op: BlsOp, size: Size, d: Gpr, s: Mem) {
        self.vex_rm(Vex::sized(Op::three(0, 0x38, 0xf3), size), op.0, d.0, &s, 0, 0);
    }

    /// `rorx d, s, imm`, four or eight bytes.
    pub fn rorx_rri(&mut self, size: Size, d: Gpr, s: Gpr, count: u8) {
        self.vex_rr(Vex::sized(Op::three(0xf2, 0x3a, 0xf0), size), d.0, 0, s.0);
        self.byte(count);
    }

    /// `rorx d, [s], imm`
    pub fn rorx_rmi(&mut self, size: Size, d: Gpr, s: Mem, count: u8) {
        self.vex_rm(Vex::sized(Op::three(0xf2, 0x3a, 0xf0), size), d.0, 0, &s, u32::from(count), 1);
    }

    // ---- FMA and AVX ----

    /// `vfmadd213sd d, s1, s2` and its like; `long` for 256-bit vectors.
    pub fn fma_rrr(&mut self, op: FmaOp, long: bool, d: Xmm, s1: Xmm, s2: Xmm) {
        self.note(d);
        self.vex_rr(Vex::new(op.0, long), d.0, s1.0, s2.0);
    }

    /// `vfmadd213sd d, s1, [s2]` and its like.
    pub fn fma_rrm(&mut self, op: FmaOp, long: bool, d: Xmm, s1: Xmm, s2: Mem) {
        self.note(d);
        self.vex_rm(Vex::new(op.0, long), d.0, s1.0, &s2, 0, 0);
    }

    /// The AVX form of an SSE instruction with two sources: `vaddsd d, s1, s2`; `long` for 256-bit vectors.
    pub fn avx_rrr(&mut self, op: SseOp, long: bool, d: Xmm, s1: Xmm, s2: Xmm) {
        self.note(d);
        self.vex_rr(Vex::new(op.0, long), d.0, s1.0, s2.0);
    }

    /// The same with memory: `vaddsd d, s1, [s2]`.
    pub fn avx_rrm(&mut self, op: SseOp, long: bool, d: Xmm, s1: Xmm, s2: Mem) {
        self.note(d);
        self.vex_rm(Vex::new(op.0, long), d.0, s1.0, &s2, 0, 0);
    }

    /// The AVX form of an SSE move, load or one-source instruction between registers: `vmovaps d, s`.
    pub fn avx_rr(&mut self, op: SseOp, long: bool, d: Xmm, s: Xmm) {
        self.note(d);
        self.vex_rr(Vex::new(op.0, long), d.0, 0, s.0);
    }

    /// The same from memory: `vmovups d, [s]`.
    pub fn avx_rm(&mut self, op: SseOp, long: bool, d: Xmm, s: Mem) {
        self.note(d);
        self.vex_rm(Vex::new(op.0, long), d.0, 0, &s, 0, 0);
    }

    /// The AVX form of a store: `vmovups [d], s`.
    pub fn avx_mr(&mut self, op: SseStoreOp, long: bool, d: Mem, s: Xmm) {
        self.vex_rm(Vex::new(op.0, long), s.0, 0, &d, 0, 0);
    }

    /// `vzeroupper`
    pub fn vzeroupper(&mut self) {
        self.buf.put_word(0x77_f8_c5, 3);
    }

    // ---- Encoding ----

    fn vex_rr(&mut self, vex: Vex, reg: u8, v: u8, rm: u8) {
        let mut out = self.out();
        vex_prefix(&mut out, vex, reg, v, rm >> 3);
        out.byte(0xc0 | (reg & 7) << 3 | rm & 7);
        let len = out.len();
        self.buf.advance(len);
    }

    fn vex_rm(&mut self, vex: Vex, reg: u8, v: u8, mem: &Mem, imm: u32, imm_len: u32) {
        if self.counts_elsewhere(mem) {
            return self.moved_to_top(mem, |a, mem| a.vex_rm(vex, reg, v, mem, imm, imm_len));
        }
        let mut out = self.out();
        out.segment(mem);
        vex_prefix(&mut out, vex, reg, v, mem_rex(mem));
        let disp_len = out.modrm(reg, mem);
        let disp_at = out.len();
        out.word(mem.disp() as u32, disp_len);
        out.word(imm, imm_len);
        let len = out.len();
        if mem.has_reloc() {
            self.mem_reloc(mem, disp_at, imm_len, false, false);
        }
        self.buf.advance(len);
    }
}

/// The VEX prefix and the opcode; `xb` are the bits X and B as in a REX prefix.
fn vex_prefix(out: &mut Out, vex: Vex, reg: u8, v: u8, xb: u8) {
    // In 32-bit mode these bits say that it is such a prefix at all.
    let (reg, v, xb) = if out.mode.is_32() { (reg & 7, v & 7, 0) } else { (reg, v, xb) };
    let last = (!v & 15) << 3 | (vex.long as u8) << 2 | vex.pp;
    let r = !(reg >> 3) & 1;
    if vex.map == 1 && !vex.wide && xb == 0 {
        out.byte(0xc5);
        out.byte(r << 7 | last);
    } else {
        out.byte(0xc4);
        out.byte(r << 7 | (!xb & 3) << 5 | vex.map);
        out.byte((vex.wide as u8) << 7 | last);
    }
    out.byte(vex.opcode);
}
