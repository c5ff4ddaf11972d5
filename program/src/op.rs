//! Instructions: one vocabulary for readers, for the lowering and for stored programs.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Deref;

use gusset_codegen::ir::{Edge, Opcode, Ordering, RmwOp, Value};

use crate::function::{Argument, Call};
use crate::module::Metadata;
use crate::opaque::OpaqueOp;
use crate::operators::Atomic;
use crate::operators::{Cast, Compare};
use crate::types::TypeId;
use crate::value::Val;

/// How an [`Op`] stores operands that are lists.
pub trait Lists {
    /// A list.
    type List<T: Debug + 'static>: Deref<Target = [T]> + Debug;
    /// An index of a `getelementptr`.
    type Index: Copy + Debug + 'static;
    /// What only a stored program contains: calls, whose arguments are handed over separately, and what is not an
    /// instruction of LLVM's.
    type Whole<T: Debug + 'static>: Debug;
}

/// The lists belong to whoever hands the instruction over.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed<'a>(PhantomData<&'a ()>);

impl<'a> Lists for Borrowed<'a> {
    type List<T: Debug + 'static> = &'a [T];
    type Index = Index;
    type Whole<T: Debug + 'static> = Never;
}

/// Lists lie in the instruction.
#[derive(Debug)]
pub struct Owned;

impl Lists for Owned {
    type List<T: Debug + 'static> = Box<[T]>;
    type Index = Val;
    type Whole<T: Debug + 'static> = Box<T>;
}

/// A type without values.
#[derive(Clone, Copy, Debug)]
pub enum Never {}

/// An instruction as a reader hands it over.
pub type OpRef<'a> = Op<Borrowed<'a>>;

/// An instruction of LLVM (LLVM LangRef, "Instruction Reference").
///
/// An operand is accompanied by its type if the type is not implied. `ty` is the type of the result if there is one,
/// otherwise that of the stored value. Variants have the LangRef's names of instructions.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum Op<L: Lists> {
    /// An operator on two values of type `ty`.
    Binary {
        op: Opcode,
        ty: TypeId,
        a: Val,
        b: Val,
    },
    Fneg {
        ty: TypeId,
        val: Val,
    },
    Freeze {
        ty: TypeId,
        val: Val,
    },
    /// A conversion to type `ty`.
    Cast {
        cast: Cast,
        from: TypeId,
        val: Val,
        ty: TypeId,
    },
    /// `icmp` or `fcmp` of two values of type `of`.
    Compare {
        compare: Compare,
        of: TypeId,
        a: Val,
        b: Val,
    },
    Select {
        condition: (TypeId, Val),
        ty: TypeId,
        a: Val,
        b: Val,
    },
    /// The element at `path` of an aggregate of type `of`.
    ExtractValue {
        of: TypeId,
        val: Val,
        path: L::List<u32>,
    },
    /// An aggregate with `element` at `path`.
    InsertValue {
        ty: TypeId,
        val: Val,
        element: Val,
        path: L::List<u32>,
    },
    /// A lane of a vector of type `of`. A constant lane beyond the end gives poison.
    ExtractElement {
        of: TypeId,
        val: Val,
        index: (TypeId, Val),
    },
    /// A vector with `element` in a lane.
    InsertElement {
        ty: TypeId,
        val: Val,
        element: Val,
        index: (TypeId, Val),
    },
    /// Lanes of two vectors of type `of`; `u32::MAX` in the mask stands for poison.
    ShuffleVector {
        of: TypeId,
        a: Val,
        b: Val,
        mask: L::List<u32>,
    },
    /// Allocates `count` values of type `of`, one if there is no count; `in_block` if it is an `inalloca` one. `ty` is
    /// the pointer's type.
    Alloca {
        ty: TypeId,
        of: TypeId,
        count: Option<Val>,
        align: u32,
        in_block: bool,
    },
    /// `space` is 0, or that of a segment register.
    Load {
        ty: TypeId,
        addr: Val,
        align: u32,
        volatile: bool,
        space: u8,
    },
    Store {
        ty: TypeId,
        val: Val,
        addr: Val,
        align: u32,
        volatile: bool,
        space: u8,
    },
    AtomicLoad {
        ty: TypeId,
        addr: Val,
        access: Atomic,
        scope: Scope<L>,
    },
    AtomicStore {
        ty: TypeId,
        val: Val,
        addr: Val,
        access: Atomic,
        scope: Scope<L>,
    },
    Fence {
        ordering: Ordering,
        scope: Scope<L>,
    },
    /// The result is a pair of `of` and `i1`.
    CmpXchg {
        of: TypeId,
        addr: Val,
        expected: Val,
        new: Val,
        access: Atomic,
        failure: Ordering,
        scope: Scope<L>,
    },
    AtomicRmw {
        op: RmwOp,
        ty: TypeId,
        addr: Val,
        val: Val,
        access: Atomic,
        scope: Scope<L>,
    },
    /// The next argument, of type `ty`, of the list at an address.
    VaArg {
        ty: TypeId,
        list: Val,
    },
    /// The address that indexes select from a pointer, or vector of pointers, to values of type `of`. `in_range` is the
    /// first accessible byte and the end of the accessible bytes, relative to the address.
    GetElementPtr {
        of: TypeId,
        base: (TypeId, Val),
        indices: L::List<L::Index>,
        in_range: Option<L::List<i128>>,
    },
    Call(L::Whole<Call>),
    LandingPad {
        ty: TypeId,
        cleanup: bool,
        clauses: L::List<Clause>,
    },
    /// The parent is a token, as in the following ones.
    CatchPad {
        parent: Val,
        args: L::List<Argument>,
    },
    CleanupPad {
        parent: Val,
        args: L::List<Argument>,
    },
    /// A debug record: the letters after `#dbg_`, and operands.
    DebugRecord(L::Whole<(Vec<u8>, Vec<Metadata>)>),
    /// An operation that a partial translation leaves unchanged.
    Opaque(L::Whole<OpaqueOp>),

    // Terminators. Those without a value never fail.
    /// `br` without a condition.
    Jump(Edge),
    /// `br` on an `i1`.
    Br {
        condition: Val,
        then: Edge,
        other: Edge,
    },
    /// On an integer, by constants of its type.
    Switch {
        val: Val,
        cases: L::List<(Value, Edge)>,
        default: Edge,
    },
    IndirectBr {
        addr: Val,
        edges: L::List<Edge>,
    },
    /// Of a value of type `ty`, which is none if that is `void`.
    Ret {
        ty: TypeId,
        val: Val,
    },
    Unreachable,
    Resume {
        ty: TypeId,
        val: Val,
    },
    /// Unwinds to the caller if `unwind` is none.
    CatchSwitch {
        parent: Val,
        handlers: L::List<Edge>,
        unwind: Option<Edge>,
    },
    CatchRet {
        pad: Val,
        to: Edge,
    },
    /// Unwinds to the caller if `unwind` is none.
    CleanupRet {
        pad: Val,
        unwind: Option<Edge>,
    },
}

/// The scope of an atomic access, if it is not the whole system.
pub type Scope<L> = Option<<L as Lists>::List<u8>>;

/// An index of a `getelementptr` as a reader hands it over, with its type.
#[derive(Clone, Copy, Debug)]
pub enum Index {
    /// A constant, which needs no value.
    Number(TypeId, i64),
    /// A value, or a vector of them.
    Value(TypeId, Val),
}

/// A clause of a landing pad.
#[derive(Clone, Copy, Debug)]
pub enum Clause {
    /// A type that is caught.
    Catch(Val),
    /// An array, of this type, of the types that may pass.
    Filter(TypeId, Val),
}

impl<L: Lists> Op<L> {
    /// Whether it ends a block. A call may, too, according to its [end](Call::end).
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Op::Jump(_)
                | Op::Br { .. }
                | Op::Switch { .. }
                | Op::IndirectBr { .. }
                | Op::Ret { .. }
                | Op::Unreachable
                | Op::Resume { .. }
                | Op::CatchSwitch { .. }
                | Op::CatchRet { .. }
                | Op::CleanupRet { .. }
        )
    }
}

impl OpRef<'_> {
    /// The instruction with lists of its own. `constant` makes a value of an integer constant of a type.
    pub fn to_owned(&self, mut constant: impl FnMut(TypeId, i64) -> Val) -> Op<Owned> {
        match *self {
            Op::Binary { op, ty, a, b } => Op::Binary { op, ty, a, b },
            Op::Fneg { ty, val } => Op::Fneg { ty, val },
            Op::Freeze { ty, val } => Op::Freeze { ty, val },
            Op::Cast { cast, from, val, ty } => Op::Cast { cast, from, val, ty },
            Op::Compare { compare, of, a, b } => Op::Compare { compare, of, a, b },
            Op::Select { condition, ty, a, b } => Op::Select { condition, ty, a, b },
            Op::ExtractValue { of, val, path } => Op::ExtractValue { of, val, path: path.into() },
            Op::InsertValue { ty, val, element, path } => Op::InsertValue { ty, val, element, path: path.into() },
            Op::ExtractElement { of, val, index } => Op::ExtractElement { of, val, index },
            Op::InsertElement { ty, val, element, index } => Op::InsertElement { ty, val, element, index },
            Op::ShuffleVector { of, a, b, mask } => Op::ShuffleVector { of, a, b, mask: mask.into() },
            Op::Alloca { ty, of, count, align, in_block } => Op::Alloca { ty, of, count, align, in_block },
            Op::Load { ty, addr, align, volatile, space } => Op::Load { ty, addr, align, volatile, space },
            Op::Store { ty, val, addr, align, volatile, space } => Op::Store { ty, val, addr, align, volatile, space },
            Op::AtomicLoad { ty, addr, access, scope } => {
                Op::AtomicLoad { ty, addr, access, scope: scope.map(Into::into) }
            }
            Op::AtomicStore { ty, val, addr, access, scope } => {
                Op::AtomicStore { ty, val, addr, access, scope: scope.map(Into::into) }
            }
            Op::Fence { ordering, scope } => Op::Fence { ordering, scope: scope.map(Into::into) },
            Op::CmpXchg { of, addr, expected, new, access, failure, scope } => {
                Op::CmpXchg { of, addr, expected, new, access, failure, scope: scope.map(Into::into) }
            }
            Op::AtomicRmw { op, ty, addr, val, access, scope } => {
                Op::AtomicRmw { op, ty, addr, val, access, scope: scope.map(Into::into) }
            }
            Op::VaArg { ty, list } => Op::VaArg { ty, list },
            Op::GetElementPtr { of, base, indices, in_range } => {
                let index = |index: &Index| match *index {
                    Index::Number(ty, n) => constant(ty, n),
                    Index::Value(_, val) => val,
                };
                let indices = indices.iter().map(index).collect();
                Op::GetElementPtr { of, base, indices, in_range: in_range.map(Into::into) }
            }
            Op::Call(never) | Op::DebugRecord(never) | Op::Opaque(never) => match never {},
            Op::LandingPad { ty, cleanup, clauses } => Op::LandingPad { ty, cleanup, clauses: clauses.into() },
            Op::CatchPad { parent, args } => Op::CatchPad { parent, args: args.into() },
            Op::CleanupPad { parent, args } => Op::CleanupPad { parent, args: args.into() },
            Op::Jump(to) => Op::Jump(to),
            Op::Br { condition, then, other } => Op::Br { condition, then, other },
            Op::Switch { val, cases, default } => Op::Switch { val, cases: cases.into(), default },
            Op::IndirectBr { addr, edges } => Op::IndirectBr { addr, edges: edges.into() },
            Op::Ret { ty, val } => Op::Ret { ty, val },
            Op::Unreachable => Op::Unreachable,
            Op::Resume { ty, val } => Op::Resume { ty, val },
            Op::CatchSwitch { parent, handlers, unwind } => {
                Op::CatchSwitch { parent, handlers: handlers.into(), unwind }
            }
            Op::CatchRet { pad, to } => Op::CatchRet { pad, to },
            Op::CleanupRet { pad, unwind } => Op::CleanupRet { pad, unwind },
        }
    }
}
