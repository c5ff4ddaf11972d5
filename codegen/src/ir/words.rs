//! The words of the text form, which printer and parser share, and what follows from them about operands.

use std::fmt;

use gusset_abi::{Convention, FloatKind, LlvmScalar, Member, Preserves, Role};

use super::inst::{Format, OPCODES, Opcode};

/// Something that the text of an instruction consists of after its name. Numbers are those of the instruction's words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    // First, without commas.
    /// The type.
    Type,
    /// A condition, an operation or a name instead of the flags.
    IntCc,
    FloatCc,
    ReduceOp,
    RmwOp,
    MachineOp,
    /// That the operand is not zero, if the flags say so.
    Nonzero,
    // Then what commas separate.
    Value(u8),
    /// A number with a sign.
    Number(u8),
    Symbol,
    Edge(u8),
    /// What memory is accessed, from the flags.
    Memory,
    /// Ordering and alignment.
    Atomic(u8),
    /// Both orderings of a compare and exchange.
    Orderings,
    /// The lanes of a shuffle.
    Mask,
    Call,
    /// Cases of a switch, and where all else goes.
    Cases,
    /// Targets of an indirect branch.
    Targets,
    /// The values of a return.
    Values,
    /// A stack map.
    StackMap,
    /// The clauses of a landing pad.
    Clauses,
    /// The pad of a funclet.
    Pad(u8),
    /// A pad, and where it is left to.
    PadEdges,
}

impl Item {
    /// Does it stand in front, where no commas are?
    pub(super) fn is_first(self) -> bool {
        use Item::*;
        matches!(self, Type | StackMap | IntCc | FloatCc | ReduceOp | RmwOp | MachineOp | Nonzero)
    }
}

/// What the text of an instruction consists of.
pub(super) const fn items(op: Opcode) -> &'static [Item] {
    use Item::*;
    const A: Item = Value(0);
    const B: Item = Value(1);
    const C: Item = Value(2);
    match op {
        Opcode::Icmp => &[IntCc, Type, A, B],
        Opcode::IcmpUpper => &[IntCc, Type, A, B, C],
        Opcode::Fcmp => &[FloatCc, Type, A, B],
        Opcode::Ctlz | Opcode::Cttz => &[Nonzero, A],
        Opcode::Reduce => &[ReduceOp, A, B],
        Opcode::Machine | Opcode::MachineEffect => &[MachineOp, Type, A, B, C],
        Opcode::Memcpy | Opcode::Memmove | Opcode::Memset => &[A, B, C, Memory],
        Opcode::AtomicRmw => &[RmwOp, A, B, Atomic(2)],
        _ => match op.format() {
            Format::Nullary => &[],
            Format::Unary => &[A],
            Format::Binary => &[A, B],
            Format::Ternary => &[A, B, C],
            Format::Load => &[A, Number(1), Memory],
            Format::Store => &[Type, B, A, Number(2), Memory],
            Format::BinaryImm => &[A, B, Number(2)],
            Format::Shuffle => &[A, B, Mask],
            Format::Rmw => &[Type, A, B, Atomic(2)],
            Format::AtomicLoad => &[A, Atomic(1)],
            Format::Cmpxchg => &[A, B, C, Orderings],
            Format::Symbol => &[Symbol],
            Format::UnaryImm => &[A, Number(1)],
            Format::Imm => &[Number(0)],
            Format::Imm2 => &[Number(0), Number(1)],
            Format::Call => &[Call],
            Format::Jump => &[Edge(0)],
            Format::Br => &[A, Edge(1), Edge(2)],
            Format::Switch => &[Type, A, Cases],
            Format::IndirectBr => &[A, Targets],
            Format::Return => &[Values],
            Format::StackMap => &[StackMap, Values],
            Format::Invoke => &[Edge(0), Edge(1)],
            Format::Pad => &[Clauses],
            Format::Funclet => &[Pad(0)],
            Format::Catch => &[Pad(1), A],
            Format::PadEdges => &[PadEdges],
        },
    }
}

/// For each opcode, which words are values: bit 0 `a`, bit 1 `b`, bit 2 `c`; or [`VALUE_LIST`].
const VALUE_WORDS: [u8; OPCODES.len()] = {
    let (mut words, mut k) = ([0; OPCODES.len()], 0);
    while k < OPCODES.len() {
        let (items, mut at) = (items(OPCODES[k]), 0);
        while at < items.len() {
            words[k] |= match items[at] {
                Item::Value(word) => 1 << word,
                Item::Call | Item::Values => VALUE_LIST,
                _ => 0,
            };
            at += 1;
        }
        k += 1;
    }
    words
};
/// The operands are a list in the pool.
pub(super) const VALUE_LIST: u8 = 8;

impl Opcode {
    /// Which words of an instruction are values, as bits; or [`VALUE_LIST`].
    #[inline]
    pub(crate) fn value_words(self) -> u8 {
        VALUE_WORDS[self as usize]
    }

    /// Number of operands that are values; 0 for formats with lists.
    #[inline]
    pub fn arity(self) -> usize {
        (self.value_words() & !VALUE_LIST).count_ones() as usize
    }
}

pub(super) fn name_of<T: PartialEq + Copy>(table: &[(T, &'static str)], x: T) -> &'static str {
    table.iter().find(|(t, _)| *t == x).map_or("?", |(_, n)| n)
}

/// Writes things with commas between them.
pub(super) fn joined<T>(
    out: &mut String,
    list: impl IntoIterator<Item = T>,
    mut one: impl FnMut(&mut String, T) -> fmt::Result,
) -> fmt::Result {
    for (k, x) in list.into_iter().enumerate() {
        out.push_str(if k > 0 { ", " } else { "" });
        one(out, x)?;
    }
    Ok(())
}

/// What a word stands for.
pub(super) fn by_name<T: Copy>(table: &[(T, &str)], name: &str) -> Option<T> {
    table.iter().find(|(_, n)| *n == name).map(|(t, _)| *t)
}

pub(super) const CONVENTIONS: &[(Convention, &str)] = &[
    (Convention::C, "c"),
    (Convention::SysV64, "sysv64"),
    (Convention::Fast, "fast"),
    (Convention::Cold, "cold"),
    (Convention::Tail, "tail"),
    (Convention::PreserveMost, "preserve_most"),
    (Convention::PreserveAll, "preserve_all"),
    (Convention::PreserveNone, "preserve_none"),
    (Convention::Win64, "win64"),
    (Convention::Stdcall, "stdcall"),
    (Convention::Fastcall, "fastcall"),
    (Convention::Thiscall, "thiscall"),
    (Convention::Vectorcall, "vectorcall"),
    (Convention::VectorPcs, "vector_pcs"),
    (Convention::AapcsBase, "aapcs"),
    (Convention::AapcsVfp, "aapcs_vfp"),
    (Convention::Apcs, "apcs"),
    (Convention::Swift, "swift"),
    (Convention::SwiftTail, "swift_tail"),
    (Convention::Ghc, "ghc"),
    (Convention::RegCall, "regcall"),
    (Convention::Interrupt, "interrupt"),
    (Convention::ArmInterrupt, "arm_interrupt"),
    (Convention::ArmFastInterrupt, "arm_fast_interrupt"),
];

pub(super) const LLVM_SCALARS: &[(LlvmScalar, &str)] = &[
    (LlvmScalar::Half, "half"),
    (LlvmScalar::BFloat, "bfloat"),
    (LlvmScalar::Float, "float"),
    (LlvmScalar::Double, "double"),
    (LlvmScalar::X86Fp80, "x86_fp80"),
    (LlvmScalar::Fp128, "fp128"),
    (LlvmScalar::Ptr, "ptr"),
];

pub(super) const C_FLOATS: &[(FloatKind, &str)] = &[
    (FloatKind::F16, "f16"),
    (FloatKind::BF16, "bf16"),
    (FloatKind::F32, "f32"),
    (FloatKind::F64, "f64"),
    (FloatKind::Long, "long_double"),
    (FloatKind::F128, "f128"),
];

/// Attributes without operands.
pub(super) const PLAIN_ROLES: &[(Role, &str)] = &[
    (Role::StructReturn, "sret"),
    (Role::Nest, "nest"),
    (Role::SwiftSelf, "swiftself"),
    (Role::SwiftError, "swifterror"),
    (Role::SwiftAsync, "swiftasync"),
];

pub(super) const MEMBERS: &[(Member, &str)] =
    &[(Member::Method, "method"), (Member::Constructor, "constructor"), (Member::Destructor, "destructor")];

/// The words of [`Preserves`] but for the usual.
pub(super) const PRESERVES: &[(Preserves, &str)] =
    &[(Preserves::All, "preserves_all"), (Preserves::Nothing, "preserves_nothing")];
