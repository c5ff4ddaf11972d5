//! A function as data.

use gusset_codegen::ir::{Block, Callee, Edge, SymbolId, TailKind};

use crate::flags::Flags;
use crate::module::{Attribute, Metadata};
use crate::op::{Lists, Op, Owned};
use crate::types::TypeId;
use crate::value::Val;

/// A range in the names of a function.
pub type NameSpan = Option<(u32, u32)>;

/// A function, or the constants of a module.
#[derive(Default)]
pub struct Function {
    /// Its symbol.
    pub symbol: SymbolId,
    /// Values by [`Val`].
    pub values: Vec<ValueData>,
    /// Blocks by number.
    pub blocks: Vec<BlockData>,
    /// Blocks in the order in which they were begun; those on edges come last.
    pub order: Vec<Block>,
    /// Edges by number.
    pub edges: Vec<EdgeData>,
    /// Instructions, in an order without meaning.
    pub insts: Vec<Inst>,
    /// The parameters.
    pub params: Vec<Val>,
    /// Names, one after another.
    pub names: Vec<u8>,
}

impl Function {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.values.clear();
        self.blocks.clear();
        self.order.clear();
        self.edges.clear();
        self.insts.clear();
        self.params.clear();
        self.names.clear();
    }

    /// The text of a name.
    pub fn name(&self, span: NameSpan) -> Option<&[u8]> {
        span.map(|(start, end)| &self.names[start as usize..end as usize])
    }

    /// The value that a stand-in finally stands for.
    pub fn resolve(&self, mut val: Val) -> Val {
        while let Def::Alias(to) = self.values[val.0 as usize].def {
            val = to;
        }
        val
    }

    /// What is known about a value.
    pub fn value(&self, val: Val) -> &ValueData {
        &self.values[self.resolve(val).0 as usize]
    }
}

/// A value.
#[derive(Debug)]
pub struct ValueData {
    /// Its type.
    pub ty: TypeId,
    /// Its definition.
    pub def: Def,
    /// Its name.
    pub name: NameSpan,
}

/// The definition of a value.
#[derive(Debug)]
pub enum Def {
    /// A parameter of the function or a block.
    Param,
    /// An instruction.
    Inst(u32),
    /// The result of an opaque operation. Its type is `void` if it is not one of LLVM's.
    Opaque,
    /// A constant.
    Const(Constant),
    /// A stand-in for a value that is not defined yet.
    Pending,
    /// A stand-in for this value.
    Alias(Val),
}

/// A constant.
#[derive(Debug)]
pub enum Constant {
    /// An integer, truncated to its type.
    Integer(u128),
    /// An integer of more than 128 bits: 64-bit words, the lowest first, as many as the type has.
    Wide(Box<[u64]>),
    /// A floating-point number by its bits.
    Float(u128),
    /// An array of bytes.
    Bytes(Box<[u8]>),
    /// The null pointer.
    Null,
    /// `zeroinitializer`.
    Zero,
    /// `undef`.
    Undef,
    /// `poison`.
    Poison,
    /// `none`, the token.
    NoToken,
    /// The address of a symbol.
    Symbol(SymbolId),
    /// `dso_local_equivalent`.
    LocalEquivalent(SymbolId),
    /// `no_cfi`.
    NoCfi(SymbolId),
    /// `ptrauth`, with its operands.
    Signed(Box<[Val]>),
    /// The address of a block of a function, by its name, or by its number if it has none.
    BlockAddress(SymbolId, Result<u32, Box<[u8]>>),
    /// The same value in every lane.
    Splat(Val),
    /// A vector's lanes.
    Vector(Box<[Val]>),
    /// An aggregate's members.
    Aggregate(Vec<Val>),
    /// A constant expression.
    Expression(Box<Inst>),
}

/// A block.
#[derive(Default, Debug)]
pub struct BlockData {
    /// Its parameters.
    pub params: Vec<BlockParam>,
    /// Its instructions.
    pub insts: Vec<u32>,
    /// Its name.
    pub name: NameSpan,
    /// It was begun.
    pub begun: bool,
}

/// A parameter of a block.
#[derive(Debug)]
pub struct BlockParam {
    /// The value.
    pub val: Val,
    /// Flags of the phi.
    pub flags: Flags,
    /// Metadata attached to the phi.
    pub attached: Attachments,
}

/// An edge.
#[derive(Debug)]
pub struct EdgeData {
    /// The program's block that it leaves.
    pub from: Block,
    /// The block with the terminator; differs from `from` after `split_edge`.
    pub at: Block,
    /// The target block.
    pub to: Block,
    /// Arguments for the parameters of the target block.
    pub args: Vec<Val>,
}

/// Attached metadata: kinds with their nodes.
pub type Attachments = Vec<(Vec<u8>, Metadata)>;

/// An instruction, or constant expression.
#[derive(Debug)]
pub struct Inst {
    /// The operation.
    pub op: Op<Owned>,
    /// The type of its result, `void` if it has none.
    pub ty: TypeId,
    /// Its result.
    pub result: Option<Val>,
    /// Its flags.
    pub flags: Flags,
    /// Metadata attached to it.
    pub attached: Attachments,
}

impl Op<Owned> {
    /// Calls a function with each edge of a terminator, in order.
    pub fn each_edge(&self, mut f: impl FnMut(Edge)) {
        match self {
            Op::Jump(e) | Op::CatchRet { to: e, .. } | Op::CleanupRet { unwind: Some(e), .. } => f(*e),
            Op::Br { then, other, .. } => {
                f(*then);
                f(*other);
            }
            Op::Switch { cases, default, .. } => {
                f(*default);
                cases.iter().for_each(|c| f(c.1));
            }
            Op::IndirectBr { edges, .. } => edges.iter().for_each(|e| f(*e)),
            Op::CatchSwitch { handlers, unwind, .. } => {
                handlers.iter().for_each(|e| f(*e));
                unwind.iter().for_each(|e| f(*e));
            }
            Op::Call(call) => match &call.end {
                CallEnd::None => {}
                CallEnd::Invoke(a, b) => {
                    f(*a);
                    f(*b);
                }
                CallEnd::CallBr(a, labels) => {
                    f(*a);
                    labels.iter().for_each(|e| f(*e));
                }
            },
            _ => {}
        }
    }
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// What is called.
    pub target: Target,
    /// The calling convention's name in LLVM; empty for C's.
    pub convention: Box<str>,
    /// The type of the result.
    pub ret: TypeId,
    /// Attributes of the result.
    pub ret_attrs: Vec<Attribute>,
    /// The arguments.
    pub args: Vec<Argument>,
    /// Unnamed arguments of the function are passed on.
    pub forwards: bool,
    /// For a variadic function type, the number of named parameters.
    pub variadic: Option<usize>,
    /// Attributes of the call.
    pub attrs: Vec<Attribute>,
    /// Operand bundles.
    pub bundles: Vec<(Vec<u8>, Vec<Argument>)>,
    /// Whether it is a tail call.
    pub tail: TailKind,
    /// How a call that is a terminator ends its block.
    pub end: CallEnd<Owned>,
}

/// The target of a call.
#[derive(Debug)]
pub enum Target {
    /// A function by its symbol or address.
    Function(Callee),
    /// An intrinsic of LLVM for which the module has no symbol, by its full name.
    Intrinsic(Box<[u8]>),
    /// Inline assembly.
    Assembly {
        /// The template.
        template: Vec<u8>,
        /// The constraints.
        constraints: Vec<u8>,
        /// The words after `asm`.
        words: Vec<&'static str>,
    },
}

/// How a call ends.
#[derive(Clone, Copy, Debug)]
pub enum CallEnd<L: Lists> {
    /// It is not a terminator.
    None,
    /// `invoke`: where it continues, and where it unwinds to.
    Invoke(Edge, Edge),
    /// `callbr`: where it continues, and where it may jump to.
    CallBr(Edge, L::List<Edge>),
}

/// An argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A value with its attributes.
    Value(Val, Vec<Attribute>),
    /// Metadata.
    Metadata(Metadata),
}
