//! Registers, conditions and operands of A32 and T32.

pub use crate::shared::arm::{Cond, Gpr, Shift};

/// The register that linkers' stubs change.
pub const IP: Gpr = Gpr(12);
/// The stack pointer.
pub const SP: Gpr = Gpr(13);
/// The link register.
pub const LR: Gpr = Gpr(14);
/// The program counter.
pub const PC: Gpr = Gpr(15);

/// A floating-point or vector register of 32, 64 or 128 bits. `d1` is `s2` and `s3`, `q1` is `d2` and `d3`.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vreg {
    S(u8),
    D(u8),
    Q(u8),
}

impl Vreg {
    /// Have they the same size?
    pub(crate) fn same(registers: &[Vreg]) -> bool {
        registers.windows(2).all(|w| std::mem::discriminant(&w[0]) == std::mem::discriminant(&w[1]))
    }

    /// Its number in fields: four bits, and one in another position.
    #[inline(always)]
    fn field(self) -> (u32, u32) {
        debug_assert!(matches!(self, Vreg::S(0..32) | Vreg::D(0..32) | Vreg::Q(0..16)), "{self:?}");
        match self {
            Vreg::S(n) => (u32::from(n >> 1), u32::from(n & 1)),
            Vreg::D(n) => (u32::from(n & 15), u32::from(n >> 4)),
            Vreg::Q(n) => (u32::from(n & 7) << 1, u32::from(n >> 3)),
        }
    }

    /// As the destination.
    #[inline(always)]
    pub(crate) fn d(self) -> u32 {
        let (number, bit) = self.field();
        number << 12 | bit << 22
    }

    /// As the first operand.
    #[inline(always)]
    pub(crate) fn n(self) -> u32 {
        let (number, bit) = self.field();
        number << 16 | bit << 7
    }

    /// As the last operand.
    #[inline(always)]
    pub(crate) fn m(self) -> u32 {
        let (number, bit) = self.field();
        number | bit << 5
    }

    /// The bit of scalar instructions that selects 64 bits.
    #[inline(always)]
    pub(crate) fn double(self) -> u32 {
        u32::from(matches!(self, Vreg::D(_))) << 8
    }

    /// The bit of vector instructions that selects 128 bits.
    #[inline(always)]
    pub(crate) fn whole(self) -> u32 {
        u32::from(matches!(self, Vreg::Q(_))) << 6
    }

    /// The halves of a vector register.
    pub fn halves(self) -> [Vreg; 2] {
        match self {
            Vreg::Q(n) => [Vreg::D(2 * n), Vreg::D(2 * n + 1)],
            d => [d; 2],
        }
    }
}

/// The size of a vector's lanes.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    B,
    H,
    S,
    D,
}

impl Lane {
    /// All of them, by the logarithm of their bytes.
    pub const ALL: [Lane; 4] = [Lane::B, Lane::H, Lane::S, Lane::D];

    /// Lanes of this many bytes.
    pub(crate) fn of(bytes: u32) -> Lane {
        Lane::ALL[bytes.ilog2() as usize & 3]
    }

    /// Bits.
    pub fn bits(self) -> u32 {
        8 << self as u32
    }
}

/// What an instruction may do to the flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flags {
    /// They stay.
    Keep,
    /// They are set.
    Set,
    /// It may set them: nobody reads them. T32's short instructions often do.
    Free,
}

/// The last operand of data processing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A register.
    Reg(Gpr),
    /// A register shifted by a number: 0 to 31 left, 1 to 32 right, rotated by 1 to 31, or by 0, which is by one bit
    /// through the carry.
    Shifted(Gpr, Shift, u8),
    /// A register shifted by another. Only in A32.
    By(Gpr, Shift, Gpr),
    /// A number that the instruction set can encode there.
    Number(Immediate),
}

impl From<Gpr> for Operand {
    fn from(r: Gpr) -> Operand {
        Operand::Reg(r)
    }
}

impl From<Immediate> for Operand {
    fn from(n: Immediate) -> Operand {
        Operand::Number(n)
    }
}

impl From<u8> for Immediate {
    /// Every instruction set can encode these as they are.
    fn from(n: u8) -> Immediate {
        Immediate { number: n.into(), field: n.into() }
    }
}

impl From<u8> for Operand {
    fn from(n: u8) -> Operand {
        Operand::Number(n.into())
    }
}

/// A number as an instruction set encodes it; [`Isa::immediate`](super::encode::Isa::immediate) makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Immediate {
    pub(crate) number: u32,
    /// The field of twelve bits.
    pub(crate) field: u16,
}

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mem {
    /// A register and a displacement. A displacement from the stack pointer counts from where the prologue leaves it.
    Base(Gpr, i32),
    /// A register and an index register, shifted left by 0 to 3.
    Index(Gpr, Gpr, u8),
    /// The register's old value; afterwards the displacement is added to it.
    Post(Gpr, i32),
    /// The register's value after the displacement has been added to it.
    Pre(Gpr, i32),
}

impl From<(Gpr, i32)> for Mem {
    fn from((base, disp): (Gpr, i32)) -> Mem {
        Mem::Base(base, disp)
    }
}
