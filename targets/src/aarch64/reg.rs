//! Registers, conditions and operands of A64.

pub use crate::shared::arm::{Cond, Gpr, Shift};

use gusset_codegen::buffer::{RelocKind, RelocTarget};

/// The zero register. Number 31 is it or the stack pointer, as the instruction has it.
pub const ZR: Gpr = Gpr(31);
/// The stack pointer.
pub const SP: Gpr = Gpr(31);

/// A floating-point and vector register by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vreg(pub u8);

/// A register as a field of an instruction.
pub trait Field {
    /// Its number.
    fn number(self) -> u32;
}

impl Field for Gpr {
    #[inline(always)]
    fn number(self) -> u32 {
        self.0.into()
    }
}

impl Field for Vreg {
    #[inline(always)]
    fn number(self) -> u32 {
        self.0.into()
    }
}

/// How much of a general-purpose register an instruction works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 32 bits; the upper ones of a result are zero.
    W,
    /// 64 bits.
    X,
}

impl Width {
    /// The bit of instructions.
    #[inline(always)]
    pub(crate) fn sf(self) -> u32 {
        (self as u32) << 31
    }

    /// Bits.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        32 << self as u32
    }
}

impl Cond {
    /// Flags with which it holds: negative 8, zero 4, carry 2, overflow 1.
    pub(crate) fn flags(self) -> u32 {
        match self {
            Cond::Eq | Cond::Le => 4,
            Cond::Hs | Cond::Hi => 2,
            Cond::Mi | Cond::Lt => 8,
            Cond::Vs => 1,
            _ => 0,
        }
    }
}

/// An extension of the last operand: unsigned or signed, from a byte to a double word.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extend {
    Uxtb,
    Uxth,
    Uxtw,
    Uxtx,
    Sxtb,
    Sxth,
    Sxtw,
    Sxtx,
}

/// A scalar floating-point format.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fp {
    S = 0,
    D = 1,
    H = 3,
}

/// The lanes of a vector register: their number and size.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    B8,
    B16,
    H4,
    H8,
    S2,
    S4,
    D1,
    D2,
}

impl Lanes {
    /// All those of so many bytes.
    pub(crate) fn of(bytes: u32) -> Lanes {
        [Lanes::B16, Lanes::H8, Lanes::S4, Lanes::D2][bytes.ilog2() as usize & 3]
    }

    /// The size's logarithm in bytes.
    #[inline(always)]
    pub(crate) fn size(self) -> u32 {
        self as u32 >> 1
    }

    /// The bit for all 16 bytes.
    #[inline(always)]
    pub(crate) fn q(self) -> u32 {
        (self as u32 & 1) << 30
    }
}

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mem {
    /// A register and a displacement. From the stack pointer it counts from where the prologue leaves that.
    Base(Gpr, i32),
    /// A register and another, which is extended from 32 bits or not (`Uxtx`), and scaled by the access's size or not.
    Index(Gpr, Gpr, Extend, bool),
    /// The address that the register has before the displacement is added to it.
    Post(Gpr, i32),
    /// That which it has then.
    Pre(Gpr, i32),
    /// A register with an address's page, and the rest of the address, counted as the field of the relocation says.
    Page(Gpr, RelocKind, RelocTarget, i32),
}

impl From<(Gpr, i32)> for Mem {
    fn from((base, displacement): (Gpr, i32)) -> Mem {
        Mem::Base(base, displacement)
    }
}
