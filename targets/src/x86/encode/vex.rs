//! VEX-encoded instructions: BMI, and fused multiplication and addition.

use super::forms::{Forms, Row};
use super::{Asm, Op, Out};
use crate::x86::reg::{Gpr, Size, Xmm};

/// Two general registers in, one out: `pdep d, s, mask` or `shlx d, s, count`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BmiOp(Op);

/// Fused multiplication and addition on three vector registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FmaOp(Op);

macro_rules! families {
    ($($type:ident $table:ident $template:literal { $($name:ident = $op:expr;)* })*) => {
        $($(
            #[doc = concat!("`", stringify!($name), "`, Intel SDM volume 2.")]
            pub const $name: $type = $type($op);
        )*)*
        $(#[cfg(test)]
        pub(crate) const $table: &[(&str, $type)] = &[$((stringify!($name), $name)),*];)*
        pub(crate) const VEX_FORMS: &[Forms] =
            &[$(Forms::vex($template, &[$(Row::new($template, $op, None, stringify!($name))),*])),*];
    };
}

families! {
    BmiOp BMI_OPS "{y} Ry By =Gy" {
        PDEP = Op::three(0xf2, 0x38, 0xf5);
        PEXT = Op::three(0xf3, 0x38, 0xf5);
    }
    BmiOp BMI_SHIFT_OPS "{y} By Ry =Gy" {
        BEXTR = Op::three(0, 0x38, 0xf7);
        SHLX = Op::three(0x66, 0x38, 0xf7);
        SARX = Op::three(0xf3, 0x38, 0xf7);
        SHRX = Op::three(0xf2, 0x38, 0xf7);
        BZHI = Op::three(0, 0x38, 0xf5);
    }
    FmaOp FMA_OPS " Ux Hx =Vx" {
        VFMADDSUB213PS = Op::three(0x66, 0x38, 0xa6);
        VFMADDSUB213PD = Op::three(0x66, 0x38, 0xa6).wide();
        VFMADD231PS = Op::three(0x66, 0x38, 0xb8);
        VFMADD231PD = Op::three(0x66, 0x38, 0xb8).wide();
        VFMADD231SS = Op::three(0x66, 0x38, 0xb9);
        VFMADD231SD = Op::three(0x66, 0x38, 0xb9).wide();
    }
}

impl Asm<'_> {
    /// `pdep d, v, rm` and the like, four or eight bytes. For shifts and extractions `v` is the count or mask, which
    /// comes last in text.
    pub fn bmi(&mut self, op: BmiOp, size: Size, d: Gpr, v: Gpr, rm: Gpr) {
        self.vex(if size == Size::B8 { op.0.wide() } else { op.0 }, d.0, v.0, rm.0);
    }

    /// `vfmaddsub213pd d, s1, s2` and its like.
    pub fn fma(&mut self, op: FmaOp, d: Xmm, s1: Xmm, s2: Xmm) {
        self.note(d);
        self.vex(op.0, d.0, s1.0, s2.0);
    }

    fn vex(&mut self, op: Op, reg: u8, v: u8, rm: u8) {
        let mut out = self.out();
        vex_prefix(&mut out, op, reg, v, rm >> 3);
        out.byte(0xc0 | (reg & 7) << 3 | rm & 7);
        let len = out.len();
        self.buf.advance(len);
    }
}

/// Writes the three-byte VEX prefix, which the map 0F 38 needs, and the opcode; `b` is the bit B as in a REX prefix.
fn vex_prefix(out: &mut Out, op: Op, reg: u8, v: u8, b: u8) {
    // In 32-bit mode these bits say that it is such a prefix at all.
    let (reg, v, b) = if out.mode.is_32() { (reg & 7, v & 7, 0) } else { (reg, v, b) };
    let (prefix, opcode) = op.vex_fields();
    out.byte(0xc4);
    out.byte((!(reg >> 3) & 1) << 7 | 0x40 | (!b & 1) << 5 | 2);
    out.byte((op.is_wide() as u8) << 7 | (!v & 15) << 3 | prefix);
    out.byte(opcode);
}
