//! Registers, conditions and operands of A64.

pub use crate::shared::arm::{Cond, Gpr, Shift};

use gusset_codegen::buffer::{RelocKind, RelocTarget};

/// The zero register. Number 31 is the zero register or the stack pointer, depending on the instruction.
pub const ZR: Gpr = Gpr(31);
/// The stack pointer.
pub const SP: Gpr = Gpr(31);

/// A floating-point and vector register by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vreg(pub u8);

/// A register that can be a field of an instruction.
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

/// How much of a general-purpose register an instruction uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 32 bits; the upper bits of a result are zero.
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
    /// Flags with which the condition holds: negative 8, zero 4, carry 2, overflow 1.
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

/// An extension of the last operand: unsigned or signed, from a byte up to a double word.
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
    /// All lanes of this many bytes.
    pub(crate) fn of(bytes: u32) -> Lanes {
        [Lanes::B16, Lanes::H8, Lanes::S4, Lanes::D2][bytes.ilog2() as usize & 3]
    }

    /// The size's logarithm in bytes.
    #[inline(always)]
    pub(crate) fn size(self) -> u32 {
        self as u32 >> 1
    }

    /// The bit that selects all 16 bytes.
    #[inline(always)]
    pub(crate) fn q(self) -> u32 {
        (self as u32 & 1) << 30
    }
}

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mem {
    /// A register and a displacement. A displacement from the stack pointer counts from where the prologue leaves it.
    Base(Gpr, i32),
    /// A register and an index register, which is extended from 32 bits or not (`Uxtx`), and scaled by the access size
    /// or not.
    Index(Gpr, Gpr, Extend, bool),
    /// The register's old value; afterwards the displacement is added to it.
    Post(Gpr, i32),
    /// The register's value after the displacement has been added to it.
    Pre(Gpr, i32),
    /// A register with the page of an address, and the rest of the address in the form that the relocation's field has.
    Page(Gpr, RelocKind, RelocTarget, i32),
}

impl From<(Gpr, i32)> for Mem {
    fn from((base, displacement): (Gpr, i32)) -> Mem {
        Mem::Base(base, displacement)
    }
}
