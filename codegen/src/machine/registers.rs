//! Registers as codegen knows them: their numbers, what they hold, what they are used for.

/// The floating-point and vector registers, as a set of [`PReg`] numbers.
pub const FLOATS: u64 = 0xffff_ffff_0000_0000;

/// A physical register: general-purpose ones are 0 to 31, floating-point and vector ones 32 to 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PReg(pub u8);

impl PReg {
    /// General-purpose register `n`.
    pub const fn int(n: u8) -> PReg {
        PReg(n)
    }
    /// Floating-point register `n`.
    pub const fn float(n: u8) -> PReg {
        PReg(32 + n)
    }
    /// The hardware number.
    #[inline]
    pub const fn num(self) -> u8 {
        self.0 & 31
    }
    /// Floating-point or vector?
    #[inline]
    pub const fn is_float(self) -> bool {
        self.0 >= 32
    }
    /// As a set.
    #[inline]
    pub const fn mask(self) -> u64 {
        1 << self.0
    }
}

/// The kind of a part of a value, for the allocator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PartKind {
    /// 32 bits in a general-purpose register.
    I32,
    /// 64 bits in a general-purpose register.
    I64,
    /// 32 bits in a floating-point register.
    F32,
    /// 64 bits in a floating-point register.
    F64,
    /// A whole vector register of 16 bytes.
    V128,
    /// Never in a register: 4 bytes of memory.
    Memory4,
    /// Never in a register: 8 bytes of memory.
    Memory8,
    /// Never in a register: 16 bytes of memory.
    Memory16,
}

impl PartKind {
    /// Bytes of a spill slot.
    #[inline]
    pub const fn bytes(self) -> u32 {
        match self {
            PartKind::I32 | PartKind::F32 | PartKind::Memory4 => 4,
            PartKind::I64 | PartKind::F64 | PartKind::Memory8 => 8,
            PartKind::V128 | PartKind::Memory16 => 16,
        }
    }
    /// In floating-point registers?
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self, PartKind::F32 | PartKind::F64 | PartKind::V128)
    }
    /// Never in a register?
    #[inline]
    pub const fn is_memory(self) -> bool {
        matches!(self, PartKind::Memory4 | PartKind::Memory8 | PartKind::Memory16)
    }
}

/// The parts of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Kind of every part.
    pub kind: PartKind,
    /// One, or two with the low part first.
    pub count: u8,
}

/// Registers as the allocator sees them; sets are masks over [`PReg`] numbers.
#[derive(Clone, Copy, Debug)]
pub struct RegisterFile {
    /// May hold values at all.
    pub allocatable: u64,
    /// Never a home: for fixed operands and temporaries of instructions.
    pub scratch: u64,
    /// Kept by callees.
    pub preserved: u64,
    /// Homes for values that live across no call, best first.
    pub home_order: &'static [PReg],
    /// Homes for values that live across calls, best first.
    pub saved_order: &'static [PReg],
    /// Registers for values of one block, best first.
    pub local_order: &'static [PReg],
    /// May be changed between blocks: some of `scratch`, and at least one floating-point register that is not
    /// allocatable.
    pub edge_scratch: u64,
    /// A general-purpose scratch register in which no argument is passed.
    pub entry_scratch: PReg,
    /// Holds an indirect callee's address; no argument and no static chain is passed in it.
    pub call_register: PReg,
    /// Where a landing pad finds the exception and the selector: general-purpose registers that are not homes in
    /// functions with pads.
    pub landing: [PReg; 2],
    /// Changed by calls of library functions.
    pub library_clobbers: u64,
    /// General-purpose registers whose lowest byte can be stored.
    pub byte: u64,
    /// Registers that can be zeroed before a return.
    pub zeroable: u64,
    /// Registers that the encoder notes when code changes them
    /// ([`CodeBuffer::changed`](crate::buffer::CodeBuffer::changed)).
    pub noted: u64,
    /// Upper halves of the registers with the next lower number. They are not allocatable: what is passed in them goes
    /// through memory.
    pub halves: u64,
    /// Registers that hold whole vectors and nothing else; 0 if floating-point numbers are in the same registers.
    pub vectors: u64,
}

impl RegisterFile {
    /// The registers of floating-point numbers.
    #[inline]
    pub fn floats(&self) -> u64 {
        FLOATS & !self.vectors
    }

    /// The registers for parts of a kind.
    #[inline]
    pub fn class(&self, kind: PartKind) -> u64 {
        match kind {
            PartKind::V128 if self.vectors != 0 => self.vectors,
            kind if kind.is_float() => self.floats(),
            _ => !FLOATS,
        }
    }

    /// The class of a register, as a set.
    #[inline]
    pub fn class_of(&self, r: PReg) -> u64 {
        [!FLOATS, self.floats(), self.vectors].into_iter().find(|class| class & r.mask() != 0).unwrap_or(0)
    }
}

/// Registers that are not homes in one function, though they are in others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reserved {
    /// They have fixed contents from the prologue on.
    pub fixed: u64,
    /// They serve as temporaries.
    pub extra_scratch: u64,
    /// They are not used in this function, and not saved.
    pub foreign: u64,
}

/// A place in the frame as a memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameAddr {
    /// Frame pointer or stack pointer.
    pub base: PReg,
    /// Bytes from it.
    pub disp: i32,
}

/// The registers of a set, by number.
#[inline]
pub fn each_register(mut set: u64) -> impl Iterator<Item = PReg> {
    std::iter::from_fn(move || {
        let r = (set != 0).then(|| PReg(set.trailing_zeros() as u8))?;
        set &= set - 1;
        Some(r)
    })
}
