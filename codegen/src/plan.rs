//! The plan of a call: where every part of every value is passed, in the machine's registers and as flat lists.
//!
//! A signature's plan is made once, when the first function that has it or calls by it is compiled (`call::plan`). Call
//! sites, entries, returns and tail calls walk the same lists, each in its own direction.

use std::sync::OnceLock;

use gusset_abi::{Extension, Layout};

use crate::machine::{PReg, PartKind};

/// Where something is at the call instruction.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// In a register.
    Register(PReg),
    /// This many bytes into the stack arguments.
    Stack(u32),
}

/// A part of a parameter in a register.
#[derive(Clone, Copy, Debug)]
pub struct RegisterPart {
    /// The parameter's number.
    pub param: u32,
    /// The part's number.
    pub part: u8,
    /// Its kind.
    pub kind: PartKind,
    /// The register.
    pub reg: PReg,
    /// No other part of the parameter is passed.
    pub alone: bool,
    /// How the caller extends it.
    pub ext: Extension,
}

/// A part of a parameter among the stack arguments.
#[derive(Clone, Copy, Debug)]
pub struct StackPart {
    /// The part's number.
    pub part: u8,
    /// Its kind.
    pub kind: PartKind,
    /// Bytes from the start of the stack arguments.
    pub offset: u32,
    /// Bytes of its slot if that is smaller than the part, otherwise 0.
    pub narrow: u32,
    /// How the caller extends it.
    pub ext: Extension,
}

/// A piece of an aggregate that is passed in pieces.
#[derive(Clone, Copy, Debug)]
pub struct AggregatePiece {
    /// Its offset in the aggregate.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// The kind that moves use for its register.
    pub kind: PartKind,
    /// Where it is passed.
    pub at: At,
}

/// A copy that the caller makes above its stack arguments, and whose address is passed.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// Where the address is passed.
    pub pointer: At,
    /// Bytes from the start of the stack arguments to the copy.
    pub offset: u32,
    /// Alignment that the copy's address still has to be rounded up to, or 0.
    pub up: u32,
    /// Size in bytes.
    pub size: u64,
    /// The alignment of what is copied.
    pub align: u32,
    /// The parameter is the value to copy, not its address.
    pub value: bool,
}

/// How a parameter is passed that is partly in memory.
#[derive(Clone, Copy, Debug)]
pub enum Passed {
    /// One of its parts is on the stack.
    Part(StackPart),
    /// An aggregate in pieces: a range of [`CallPlan::pieces`].
    Pieces {
        /// The first one.
        first: u32,
        /// Their number.
        count: u32,
        /// The aggregate's layout.
        layout: Layout,
    },
    /// A floating-point number in several general-purpose registers, or in some and on the stack: a range of [`CallPlan::pieces`].
    Words {
        /// The first one.
        first: u32,
        /// Their number.
        count: u32,
    },
    /// A copy on the stack.
    Copy {
        /// Bytes from the start of the stack arguments.
        offset: u32,
        /// Size in bytes.
        size: u64,
        /// The alignment of what is copied.
        align: u32,
        /// The layout that the callee has to copy it to, if it is passed with less alignment than it needs.
        realigned: Option<Layout>,
    },
    /// The address of a copy.
    Reference(Reference),
    /// In the argument block, this many bytes from its start.
    InBlock(u32),
    /// Not at all, though the callee has an address for it.
    Nothing(Layout),
    /// Not at all: it is the address to which the caller stores a result that comes back in pieces.
    Result(Layout),
}

/// A piece of a result.
#[derive(Clone, Copy, Debug)]
pub struct ResultPart {
    /// The result's number; 0 for an aggregate.
    pub value: u32,
    /// The part's number.
    pub part: u8,
    /// Its kind.
    pub kind: PartKind,
    /// The register, or the top of the machine's stack of registers.
    pub reg: Option<PReg>,
    /// How the callee extends it.
    pub ext: Extension,
    /// It is a truth value with undefined upper bits.
    pub truth: bool,
    /// Its offset in the aggregate.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

impl ResultPart {
    /// Is it a word of a floating-point number that is returned in general-purpose registers?
    pub fn is_word(&self) -> bool {
        self.kind.is_float() && self.size < self.kind.bytes() && self.reg.is_some_and(|r| !r.is_float())
    }
}

/// Registers that something changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clobbers {
    /// Registers that are changed as a whole.
    pub whole: u64,
    /// Registers that are changed above their low 64 bits.
    pub high: u64,
}

impl Clobbers {
    /// Registers that lose any value.
    pub fn whole(whole: u64) -> Clobbers {
        Clobbers { whole, high: 0 }
    }

    /// Registers that lose a value of this kind.
    pub fn of(self, kind: PartKind) -> u64 {
        self.whole | if kind.bytes() > 8 { self.high } else { 0 }
    }
}

impl std::ops::BitOrAssign for Clobbers {
    fn bitor_assign(&mut self, other: Clobbers) {
        self.whole |= other.whole;
        self.high |= other.high;
    }
}

/// What both sides of a call agree on.
#[derive(Debug, Default)]
pub struct CallPlan {
    /// Parts of parameters in registers, in the parameters' order.
    pub registers: Vec<RegisterPart>,
    /// Some register part is to be extended.
    pub extends: bool,
    /// Parameters that are passed in other ways, by their numbers, in order.
    pub memory: Vec<(u32, Passed)>,
    /// Pieces of aggregates.
    pub pieces: Vec<AggregatePiece>,
    /// Registers that hold the same as another register.
    pub doubles: Vec<(PReg, PReg)>,
    /// Registers with the addresses of copies: the copy's offset from the start of the stack arguments, and the
    /// alignment that its address still has to be rounded up to, or 0.
    pub addresses: Vec<(PReg, u32, u32)>,
    /// Parameters that are truth values with undefined upper bits.
    pub truths: Vec<u32>,
    /// What comes back.
    pub results: Vec<ResultPart>,
    /// The alignment of an aggregate that is returned in pieces.
    pub result_align: u32,
    /// Results on the machine's stack of registers.
    pub stacked: u32,
    /// The parameter that a return reads without naming it: one that is returned, or the address of an aggregate
    /// result.
    pub kept: Option<u32>,
    /// The register in which that is returned.
    pub returned: Option<PReg>,
    /// The register that holds an upper bound of the vector registers used, and the bound.
    pub vector_count: Option<(PReg, u8)>,
    /// The register for the address of an indirect callee, if there is one that holds no argument and that calls may
    /// change.
    pub callee: Option<PReg>,
    /// Registers in which arguments are passed.
    pub arguments: u64,
    /// Registers that hold something at a function's entry: arguments, and the number of vectors that a variadic
    /// function gets.
    pub entry: u64,
    /// Registers of a variadic function that may hold unnamed arguments, or their number.
    pub unnamed: u64,
    /// Registers in which results come back.
    pub result_registers: u64,
    /// Registers that the callee has to preserve, even if only their low halves.
    pub preserved: u64,
    /// Registers that the callee may change.
    pub changed: Clobbers,
    /// Whole vector registers are kept that are usually kept in part.
    pub keeps_whole: bool,
    /// Registers that the callee or the call itself may change.
    pub clobbers: Clobbers,
    /// Bytes of stack arguments.
    pub stack_bytes: u32,
    /// Bytes at the start of the stack arguments that belong to the callee.
    pub home_space: u32,
    /// Bytes that a caller's frame has for stack arguments and copies.
    pub outgoing: u32,
    /// Bytes of stack arguments that the callee removes.
    pub popped: u32,
    /// There is an argument block.
    pub block: bool,
    /// What cannot be done on this machine.
    pub unsupported: Option<&'static str>,
}

/// A signature's plan, once there is one. Copies of a signature, which may be changed, start without.
#[derive(Debug, Default)]
pub struct Planned(OnceLock<CallPlan>);

impl Clone for Planned {
    fn clone(&self) -> Planned {
        Planned::default()
    }
}

impl Planned {
    /// The plan; `make` makes it if there is none yet.
    #[inline]
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> CallPlan) -> &CallPlan {
        self.0.get_or_init(make)
    }
}
