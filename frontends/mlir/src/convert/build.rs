//! Instructions and constants by name, as methods of a sink.

use gusset_codegen::ir::{Edge, Opcode, SymbolId, Value};
use gusset_program::{Cast, Compare, Const, Index, Op, OpRef, PTR, Result, Sink, TypeId, Val};

/// The value of a result.
#[inline(always)]
fn value_of(result: (TypeId, Val)) -> Val {
    result.1
}

/// Instructions, each an [`Op`], and constants, each a [`Const`], as methods of any sink.
pub trait Build: Sink {
    // Constants.

    /// The value of an integer constant.
    #[inline]
    fn int_constant(&self, val: Val) -> Option<u128> {
        self.known(val).number()
    }
    /// A constant that never fails.
    #[inline]
    fn simple_constant(&mut self, ty: TypeId, constant: Const<'_>) -> Val {
        let made = self.constant(ty, constant);
        debug_assert!(made.is_ok(), "a constant that never fails");
        made.unwrap_or_default()
    }
    /// An integer of at most 128 bits, truncated to its type.
    #[inline]
    fn integer(&mut self, ty: TypeId, n: i128) -> Val {
        self.simple_constant(ty, Const::Integer(n))
    }
    /// An integer of any width: words of 64 bits, the lowest first; the bits above are zeros, or ones if it is negative.
    fn wide(&mut self, ty: TypeId, words: &[u64], negative: bool) -> Val {
        self.simple_constant(ty, Const::Wide { words, negative })
    }
    /// A floating-point number by its bits.
    fn float(&mut self, ty: TypeId, bits: u128) -> Val {
        self.simple_constant(ty, Const::Float(bits))
    }
    /// `zeroinitializer`.
    fn zero_value(&mut self, ty: TypeId) -> Result<Val> {
        self.constant(ty, Const::Zero)
    }
    /// `poison`.
    fn poison_value(&mut self, ty: TypeId) -> Result<Val> {
        self.constant(ty, Const::Poison)
    }
    /// The same value in every lane of a vector.
    fn splat(&mut self, ty: TypeId, lane_ty: TypeId, lane: Val) -> Result<Val> {
        self.constant(ty, Const::Splat(lane_ty, lane))
    }
    /// A vector of these lanes.
    fn vector(&mut self, ty: TypeId, lanes: &[Val]) -> Result<Val> {
        self.constant(ty, Const::Vector(lanes))
    }
    /// A struct or array of these members.
    fn aggregate(&mut self, ty: TypeId, members: &[Val]) -> Result<Val> {
        self.constant(ty, Const::Aggregate(members))
    }
    /// The address of a symbol; of a thread-local one, in the thread that runs.
    fn symbol_address(&mut self, symbol: SymbolId, tls: bool) -> Result<Val> {
        self.constant(PTR, Const::Symbol { symbol, tls })
    }

    // Operators.

    /// A binary operator on two values of a type.
    #[inline]
    fn binary(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Result<Val> {
        self.op(Op::Binary { op, ty, a, b }).map(value_of)
    }
    /// `fneg`.
    fn fneg(&mut self, ty: TypeId, val: Val) -> Result<Val> {
        self.op(Op::Fneg { ty, val }).map(value_of)
    }
    /// `freeze`.
    fn freeze(&mut self, ty: TypeId, val: Val) -> Result<Val> {
        self.op(Op::Freeze { ty, val }).map(value_of)
    }
    /// A conversion.
    #[inline]
    fn cast(&mut self, cast: Cast, from: TypeId, val: Val, ty: TypeId) -> Result<Val> {
        self.op(Op::Cast { cast, from, val, ty }).map(value_of)
    }
    /// A comparison of two values of a type; returns the type of the result and the result.
    #[inline]
    fn compare(&mut self, compare: Compare, of: TypeId, a: Val, b: Val) -> Result<(TypeId, Val)> {
        self.op(Op::Compare { compare, of, a, b })
    }
    /// `select`.
    #[inline]
    fn select(&mut self, condition: (TypeId, Val), ty: TypeId, a: Val, b: Val) -> Result<Val> {
        self.op(Op::Select { condition, ty, a, b }).map(value_of)
    }

    // Aggregates and vectors.

    /// `extractvalue`: the element at a path of an aggregate of type `of`.
    fn extract_value(&mut self, of: TypeId, val: Val, path: &[u32]) -> Result<(TypeId, Val)> {
        self.op(Op::ExtractValue { of, val, path })
    }
    /// `insertvalue`: an aggregate of type `ty` with `element` at a path.
    fn insert_value(&mut self, ty: TypeId, val: Val, path: &[u32], element: Val) -> Result<Val> {
        self.op(Op::InsertValue { ty, val, element, path }).map(value_of)
    }
    /// `extractelement` from a vector of type `of`.
    fn extract_element(&mut self, of: TypeId, val: Val, index: (TypeId, Val)) -> Result<Val> {
        self.op(Op::ExtractElement { of, val, index }).map(value_of)
    }
    /// `insertelement`.
    fn insert_element(&mut self, ty: TypeId, val: Val, element: Val, index: (TypeId, Val)) -> Result<Val> {
        self.op(Op::InsertElement { ty, val, element, index }).map(value_of)
    }
    /// `shufflevector` of two vectors of a type; returns the type of the result and the result. `u32::MAX` stands for any lane.
    fn shuffle(&mut self, of: TypeId, a: Val, b: Val, mask: &[u32]) -> Result<(TypeId, Val)> {
        self.op(Op::ShuffleVector { of, a, b, mask })
    }

    // Memory.

    /// An `alloca` of `count` elements of a type, one if there is no `count`; `in_block` if it is an `inalloca` one.
    fn alloca(&mut self, of: TypeId, count: Option<Val>, align: u32, in_block: bool) -> Result<Val> {
        self.op(Op::Alloca { ty: PTR, of, count, align, in_block }).map(value_of)
    }
    /// Loads a value from memory space `space`.
    #[inline]
    fn load(&mut self, ty: TypeId, addr: Val, align: u32, volatile: bool, space: u8) -> Result<Val> {
        self.op(Op::Load { ty, addr, align, volatile, space }).map(value_of)
    }
    /// Stores a value in memory space `space`.
    #[inline]
    fn store(&mut self, ty: TypeId, val: Val, addr: Val, align: u32, volatile: bool, space: u8) -> Result<()> {
        self.op(Op::Store { ty, val, addr, align, volatile, space }).map(|_| ())
    }
    /// `getelementptr` with one index; returns the type of the address and the address.
    fn element_address(&mut self, of: TypeId, base: (TypeId, Val), index: Index) -> Result<(TypeId, Val)> {
        self.op(Op::GetElementPtr { of, base, indices: &[index], in_range: None })
    }

    // Terminators.

    /// `br` without a condition.
    fn jump(&mut self, to: Edge) {
        self.terminate(Op::Jump(to));
    }
    /// `br` by an `i1`.
    fn br(&mut self, condition: Val, then: Edge, other: Edge) {
        self.terminate(Op::Br { condition, then, other });
    }
    /// `switch` on an integer, by constants of its type.
    fn switch(&mut self, val: Val, cases: &[(Value, Edge)], default: Edge) -> Result<()> {
        self.op(Op::Switch { val, cases, default }).map(|_| ())
    }
    /// `ret` of a value of the function's result type.
    fn ret(&mut self, ty: TypeId, val: Val) -> Result<()> {
        self.op(Op::Ret { ty, val }).map(|_| ())
    }
    /// `unreachable`.
    fn unreachable(&mut self) {
        self.terminate(Op::Unreachable);
    }
    /// A terminator that never fails.
    fn terminate(&mut self, op: OpRef<'_>) {
        let done = self.op(op);
        debug_assert!(done.is_ok(), "a terminator that never fails");
    }
}

impl<S: Sink> Build for S {}
