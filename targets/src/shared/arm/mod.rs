//! What the instruction sets of Arm have in common, and the selection for both of their families.

pub(crate) mod atomic;
pub(crate) mod branch;
pub(crate) mod family;
pub(crate) mod fold;
pub(crate) mod frame;
pub(crate) mod int;
pub(crate) mod operand;
pub(crate) mod reloc;
pub(crate) mod select;
#[cfg_attr(not(feature = "asm"), expect(dead_code, reason = "some is of text alone"))]
pub(crate) mod template;
pub(crate) mod vector;

use gusset_codegen::ir::IntCc;
use gusset_codegen::machine::PReg;

/// A general-purpose register by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gpr(pub u8);

impl Gpr {
    /// Can short instructions of T32 name it?
    #[inline(always)]
    pub fn is_low(self) -> bool {
        self.0 < 8
    }

    #[inline(always)]
    pub(crate) fn number(self) -> u32 {
        self.0.into()
    }
}

/// The general-purpose register with an allocator's number; also the stack pointer.
#[inline]
pub(crate) fn gpr(r: PReg) -> Gpr {
    Gpr(r.num())
}

/// A condition on the flags.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Cond {
    Eq,
    Ne,
    Hs,
    Lo,
    Mi,
    Pl,
    Vs,
    Vc,
    Hi,
    Ls,
    Ge,
    Lt,
    Gt,
    Le,
}

impl Cond {
    /// All of them, by number.
    pub(crate) const ALL: [Cond; 14] = [
        Cond::Eq,
        Cond::Ne,
        Cond::Hs,
        Cond::Lo,
        Cond::Mi,
        Cond::Pl,
        Cond::Vs,
        Cond::Vc,
        Cond::Hi,
        Cond::Ls,
        Cond::Ge,
        Cond::Lt,
        Cond::Gt,
        Cond::Le,
    ];

    /// The condition for a comparison of integers.
    pub(crate) fn of(cc: IntCc) -> Cond {
        match cc {
            IntCc::Eq => Cond::Eq,
            IntCc::Ne => Cond::Ne,
            IntCc::Ult => Cond::Lo,
            IntCc::Ule => Cond::Ls,
            IntCc::Ugt => Cond::Hi,
            IntCc::Uge => Cond::Hs,
            IntCc::Slt => Cond::Lt,
            IntCc::Sle => Cond::Le,
            IntCc::Sgt => Cond::Gt,
            IntCc::Sge => Cond::Ge,
        }
    }

    /// The condition that holds when this one does not.
    #[inline]
    pub fn negate(self) -> Cond {
        Cond::ALL[self as usize ^ 1]
    }
}

/// A shift of the last operand.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    Lsl,
    Lsr,
    Asr,
    Ror,
}
