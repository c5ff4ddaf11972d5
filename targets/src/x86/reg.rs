//! Operands: registers, sizes, conditions, memory.

use super::reloc;
use gusset_codegen::buffer::{ConstantId, JumpTableId, RelocKind, RelocTarget};

/// A general-purpose register by its hardware number, 0 to 15; the operand size says how much of it is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Gpr(pub u8);

/// A vector register by its hardware number, 0 to 15.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Xmm(pub u8);

/// A position on the x87 stack, 0 (the top) to 7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct St(pub u8);

/// The register that short forms of integer instructions imply.
pub const RAX: Gpr = Gpr(0);
/// The register of the argument of `__tls_get_addr`.
pub const RDI: Gpr = Gpr(7);

/// The size of an integer operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Size {
    /// One byte.
    B1,
    /// Two bytes.
    B2,
    /// Four bytes; writing a register clears its upper half.
    B4,
    /// Eight bytes.
    B8,
}

impl Size {
    /// The size in bytes.
    #[inline]
    pub fn bytes(self) -> u32 {
        1 << self as u32
    }

    /// The size in bits.
    #[inline]
    pub fn bits(self) -> u32 {
        8 << self as u32
    }

    /// The size of that many bytes, if it is an operand size.
    #[inline]
    pub fn from_bytes(bytes: u32) -> Option<Self> {
        match bytes {
            1 => Some(Self::B1),
            2 => Some(Self::B2),
            4 => Some(Self::B4),
            8 => Some(Self::B8),
            _ => None,
        }
    }
}

/// A condition on the flags, numbered as in the instructions (Intel SDM volume 1, appendix B).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Cond {
    /// Overflow.
    O,
    /// No overflow.
    NO,
    /// Below, unsigned; carry.
    B,
    /// Above or equal, unsigned; no carry.
    AE,
    /// Equal; zero.
    E,
    /// Not equal; not zero.
    NE,
    /// Below or equal, unsigned.
    BE,
    /// Above, unsigned.
    A,
    /// Negative.
    S,
    /// Not negative.
    NS,
    /// Parity even; unordered after a floating-point comparison.
    P,
    /// Parity odd; ordered after a floating-point comparison.
    NP,
    /// Less, signed.
    L,
    /// Greater or equal, signed.
    GE,
    /// Less or equal, signed.
    LE,
    /// Greater, signed.
    G,
}

impl Cond {
    /// All conditions by number.
    pub const ALL: [Self; 16] = [
        Self::O,
        Self::NO,
        Self::B,
        Self::AE,
        Self::E,
        Self::NE,
        Self::BE,
        Self::A,
        Self::S,
        Self::NS,
        Self::P,
        Self::NP,
        Self::L,
        Self::GE,
        Self::LE,
        Self::G,
    ];

    /// The condition that holds exactly when this one does not.
    #[inline]
    pub fn negate(self) -> Self {
        Self::ALL[self as usize ^ 1]
    }
}

/// The segment whose base is added to an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Segment {
    /// None in 64-bit mode: the base is zero.
    Flat,
    /// `fs`: the thread pointer of ELF systems on x86-64.
    Fs,
    /// `gs`.
    Gs,
    /// `ss`.
    Ss,
}

/// An operand that is read or written: a register of one kind, or memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rm<R> {
    /// A register.
    Reg(R),
    /// Memory.
    Mem(Mem),
}

/// An operand that an integer instruction reads.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Src {
    /// A register.
    Reg(Gpr),
    /// Memory.
    Mem(Mem),
    /// An immediate.
    Imm(i32),
}

/// An operand that an integer instruction stores to memory, or combines with memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Ri {
    /// A register.
    Reg(Gpr),
    /// An immediate.
    Imm(i32),
}

macro_rules! from {
    ($($from:ty => $to:ty: $make:expr;)*) => {
        $(impl From<$from> for $to {
            #[inline]
            fn from(from: $from) -> $to {
                $make(from)
            }
        })*
    };
}

from! {
    Gpr => u8: |r: Gpr| r.0;
    Xmm => u8: |r: Xmm| r.0;
    Gpr => Rm<Gpr>: Rm::Reg;
    Xmm => Rm<Xmm>: Rm::Reg;
    Mem => Rm<Gpr>: Rm::Mem;
    Mem => Rm<Xmm>: Rm::Mem;
    Gpr => Ri: Ri::Reg;
    i32 => Ri: Ri::Imm;
    Gpr => Src: Src::Reg;
    Mem => Src: Src::Mem;
    i32 => Src: Src::Imm;
    Rm<Gpr> => Src: |rm| match rm {
        Rm::Reg(r) => Src::Reg(r),
        Rm::Mem(m) => Src::Mem(m),
    };
}

/// A memory operand: `segment:[base + index * scale + displacement + relocation]`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mem {
    /// Base, index, scale and segment, packed so that one comparison shows whether there is only a base: bits 0 to 7
    /// the base's number or one of the two constants below, 8 to 15 the index's number, 16 to 17 the binary logarithm
    /// of the scale, 24 to 25 the segment, 31 whether there is a relocation.
    shape: u32,
    /// Added to the address; if there is a relocation, it goes into the addend.
    disp: i32,
    /// The relocation of the displacement, in addition to `disp`.
    reloc: Option<(RelocKind, RelocTarget)>,
}

impl Mem {
    pub(super) const NO_BASE: u8 = 16;
    const RIP: u8 = 17;
    /// The stack pointer cannot be an index; its number stands for none, as in the encoding.
    pub(super) const NO_INDEX: u8 = 4;
    const RELOC: u32 = 1 << 31;

    #[inline]
    const fn new(base: u8, disp: i32) -> Self {
        Self { shape: base as u32 | (Self::NO_INDEX as u32) << 8, disp, reloc: None }
    }

    #[inline]
    const fn with_index(self, index: u8, scale: u8) -> Self {
        debug_assert!(index != Self::NO_INDEX && scale.is_power_of_two() && scale <= 8);
        Self { shape: self.shape & 0xff | (index as u32) << 8 | scale.trailing_zeros() << 16, ..self }
    }

    /// The base register, if the operand only has a base register and a displacement.
    #[inline]
    pub(super) const fn only_base(&self) -> Option<u8> {
        let base = self.shape ^ (Self::NO_INDEX as u32) << 8;
        if base < Self::NO_BASE as u32 { Some(base as u8) } else { None }
    }

    #[inline]
    pub(super) const fn base_number(&self) -> u8 {
        self.shape as u8
    }

    #[inline]
    pub(super) const fn index_number(&self) -> u8 {
        (self.shape >> 8) as u8
    }

    /// Binary logarithm of the scale.
    #[inline]
    pub(super) const fn scale_log2(&self) -> u8 {
        (self.shape >> 16) as u8 & 3
    }

    #[inline]
    pub(super) const fn has_reloc(&self) -> bool {
        self.shape & Self::RELOC != 0
    }

    /// Whether the operand is relative to the end of the instruction.
    #[inline]
    pub(crate) const fn is_rip(&self) -> bool {
        self.base_number() == Self::RIP
    }

    /// `[base + disp]`
    #[inline]
    pub const fn at(base: Gpr, disp: i32) -> Self {
        Self::new(base.0, disp)
    }

    /// `[base + index * scale + disp]`, where scale is 1, 2, 4 or 8. The stack pointer can be an index only unscaled.
    #[inline]
    pub const fn indexed(base: Gpr, index: Gpr, scale: u8, disp: i32) -> Self {
        let (base, index) = if index.0 == Self::NO_INDEX { (index, base) } else { (base, index) };
        Self::new(base.0, disp).with_index(index.0, scale)
    }

    /// `[index * 1]` without a base, in the long form: some sequences must be as long as linkers expect.
    #[inline]
    pub const fn index_alone(index: Gpr) -> Self {
        Self::new(Self::NO_BASE, 0).with_index(index.0, 1)
    }

    /// `[disp]`, an address in the lowest or highest 2 GiB.
    #[inline]
    pub const fn absolute(disp: i32) -> Self {
        Self::new(Self::NO_BASE, disp)
    }

    /// `[rip + target + addend]`, with a relocation of a position-relative kind.
    #[inline]
    pub const fn rip(kind: RelocKind, target: RelocTarget, addend: i32) -> Self {
        Self::new(Self::RIP, addend).with_reloc(kind, target)
    }

    /// `[rip + symbol + addend]`: the symbol's own address, for symbols known to be in the same module.
    #[inline]
    pub const fn symbol(symbol: u32, addend: i32) -> Self {
        Self::rip(reloc::PC32, RelocTarget::Symbol(symbol), addend)
    }

    /// `[rip + symbol@GOTPCREL]`: the slot of the global offset table with the symbol's address. If the linker can
    /// relax the instruction, the relocation's kind says so.
    #[inline]
    pub const fn got(symbol: u32) -> Self {
        Self::rip(reloc::GOTPCREL, RelocTarget::Symbol(symbol), 0)
    }

    /// `[rip + symbol@GOTTPOFF]`: the slot with a thread-local's offset from the thread pointer (initial-exec TLS).
    #[inline]
    pub const fn got_tpoff(symbol: u32) -> Self {
        Self::rip(reloc::GOTTPOFF, RelocTarget::Symbol(symbol), 0)
    }

    /// `[rip + constant]`
    #[inline]
    pub const fn constant(constant: ConstantId) -> Self {
        Self::rip(reloc::PC32, RelocTarget::Constant(constant), 0)
    }

    /// `[rip + table]`
    #[inline]
    pub const fn jump_table(table: JumpTableId) -> Self {
        Self::rip(reloc::PC32, RelocTarget::JumpTable(table), 0)
    }

    /// The same operand plus an address that is known only later, of a kind that is not position-relative (`ABS32S`,
    /// `TPOFF32`, `DTPOFF32`).
    #[inline]
    pub const fn with_reloc(self, kind: RelocKind, target: RelocTarget) -> Self {
        Self { shape: self.shape | Self::RELOC, reloc: Some((kind, target)), ..self }
    }

    /// The same operand relative to a segment's base.
    #[inline]
    pub const fn in_segment(self, segment: Segment) -> Self {
        Self { shape: self.shape & !(3 << 24) | (segment as u32) << 24, ..self }
    }

    /// In 32-bit mode, where addresses are not relative to an instruction: the same operand with an index. It must not
    /// have one yet.
    #[inline]
    pub const fn and_index(self, index: Gpr, scale: u8) -> Self {
        let shape = self.shape & !(0xff << 8) | (index.0 as u32) << 8 | scale.trailing_zeros() << 16;
        Self { shape, ..self }
    }

    /// The operand `bytes` further on, wrapping.
    #[inline]
    pub(super) const fn moved(self, bytes: i32) -> Self {
        Self { disp: self.disp.wrapping_add(bytes), ..self }
    }

    /// The operand `bytes` further on; `None` if the displacement does not fit.
    #[inline]
    pub const fn offset(self, bytes: i32) -> Option<Self> {
        match self.disp.checked_add(bytes) {
            Some(disp) => Some(Self { disp, ..self }),
            None => None,
        }
    }

    /// The base register, if there is one.
    #[inline]
    pub const fn base(&self) -> Option<Gpr> {
        let base = self.base_number();
        if base < Self::NO_BASE { Some(Gpr(base)) } else { None }
    }

    /// The index register, if there is one.
    #[inline]
    pub const fn index(&self) -> Option<Gpr> {
        let index = self.index_number();
        if index != Self::NO_INDEX { Some(Gpr(index)) } else { None }
    }

    /// The segment.
    #[inline]
    pub const fn segment(&self) -> Segment {
        match self.shape >> 24 & 3 {
            0 => Segment::Flat,
            1 => Segment::Fs,
            2 => Segment::Gs,
            _ => Segment::Ss,
        }
    }

    /// The displacement, or the relocation's addend.
    #[inline]
    pub const fn disp(&self) -> i32 {
        self.disp
    }

    /// The relocation of the displacement.
    #[inline]
    pub const fn reloc(&self) -> Option<(RelocKind, RelocTarget)> {
        self.reloc
    }
}
