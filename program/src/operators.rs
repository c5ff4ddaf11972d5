//! The operations of conversions, comparisons and atomic accesses.

use gusset_codegen::ir::{FloatCc, IntCc, Ordering};

/// A conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cast {
    Trunc,
    Zext,
    Sext,
    Fptrunc,
    Fpext,
    Fptoui,
    Fptosi,
    Uitofp,
    Sitofp,
    Ptrtoint,
    Ptrtoaddr,
    Inttoptr,
    Bitcast,
    Addrspacecast,
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// `icmp`.
    Int(IntCc),
    /// `fcmp`.
    Float(FloatCc),
}

/// How memory is accessed atomically.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atomic {
    /// The ordering.
    pub ordering: Ordering,
    /// The alignment, if it is given.
    pub align: Option<u32>,
    /// The access is volatile.
    pub volatile: bool,
    /// What the address is relative to: 0 is memory itself, others are segment registers, as in plain accesses.
    pub space: u8,
}
