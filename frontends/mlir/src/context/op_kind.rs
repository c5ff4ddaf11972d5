//! The kinds of conversions of operations.

use gusset_codegen::ir::Opcode;
use gusset_program::Cast;

/// How an operation is converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpKind {
    /// An operator on two values of one type, lane by lane.
    Binary(Opcode),
    /// A conversion, lane by lane.
    Cast(Cast),
    Negate,
    CompareInts,
    CompareFloats,
    Select,
    Constant,
    Jump,
    Branch,
    Switch,
    Return,
    Poison,
    Undef,
    Zero,
    Unreachable,
    /// The end of a region, with its values.
    Yield,
    /// An operation of the dialect `scf`.
    Scf(Scf),
    /// An operation of the dialect `func`.
    Func(Func),
    /// An operation of the dialect `affine`.
    Affine(Affine),
    /// An operation of the dialect `memref`.
    Memref(Memref),
    /// An operation of the dialect `ptr`.
    Ptr(Ptr),
    /// `cf.assert`.
    Assert,
    /// Values of one type regarded as another type.
    Unrealized,
    /// An operation of the dialect `vector`.
    Vector(Vector),
    /// An operation of the dialect `llvm`.
    Llvm(Llvm),
    /// A call of LLVM's intrinsic of this name, with the operation's operands.
    Intrinsic(&'static str),
    /// A call of the intrinsic for each part of the operands.
    EachPart(&'static str),
    /// Integers converted to another width: truncated, or extended by the sign or by zeros.
    FitIntegers {
        signed: bool,
    },
    Divide(Division),
    /// An operation of the dialect `arith`.
    Arith(Arith),
    /// A function of C's library on numbers, lane by lane.
    Library(&'static str),
    /// An operation of the dialect `math`.
    Math(Math),
    /// An operation of the dialect `complex`.
    Complex(Complex),
    /// An operation of the dialect `index`.
    Index(Index),
    /// An operation of the registered dialect with this number.
    Foreign(u16),
}

impl OpKind {
    /// Whether the operation may occur in a variable's initializer, where nothing has an effect and the linker can
    /// compute everything.
    pub fn initializes(self) -> bool {
        match self {
            OpKind::Binary(_)
            | OpKind::Cast(_)
            | OpKind::Negate
            | OpKind::CompareInts
            | OpKind::CompareFloats
            | OpKind::Select => true,
            OpKind::Constant | OpKind::Poison | OpKind::Undef | OpKind::Zero | OpKind::Return | OpKind::Yield => true,
            OpKind::Unrealized | OpKind::FitIntegers { .. } | OpKind::Func(Func::Constant) => true,
            OpKind::Arith(Arith::Constant) | OpKind::Index(Index::Constant) => true,
            OpKind::Complex(Complex::Create | Complex::Part(_)) => true,
            OpKind::Llvm(kind) => matches!(
                kind,
                Llvm::Gep
                    | Llvm::AddressOf
                    | Llvm::ExtractValue
                    | Llvm::InsertValue
                    | Llvm::ExtractElement
                    | Llvm::InsertElement
                    | Llvm::Shuffle
                    | Llvm::Freeze
                    | Llvm::NoneToken
            ),
            // Its dialect's reader says why.
            OpKind::Foreign(_) => true,
            _ => false,
        }
    }
}

/// Operations of the dialect `scf`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scf {
    For,
    While,
    If,
    IndexSwitch,
    ExecuteRegion,
    Parallel,
    Forall,
    Reduce,
    InParallel,
}

/// Operations of the dialect `func`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Func {
    Call,
    CallIndirect,
    Constant,
}

/// Operations of the dialect `affine`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Affine {
    Apply,
    Delinearize,
    For,
    If,
    Linearize,
    Load,
    Max,
    Min,
    Parallel,
    Prefetch,
    Store,
    VectorLoad,
    VectorStore,
}

/// Operations of the dialect `memref`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memref {
    Alloc,
    Alloca,
    AllocaScope,
    AssumeAlignment,
    AtomicRmw,
    Cast,
    CollapseShape,
    Copy,
    Dealloc,
    Dim,
    DistinctObjects,
    ExpandShape,
    GenericAtomicRmw,
    GetGlobal,
    Load,
    Metadata,
    Pointer,
    Prefetch,
    Rank,
    Realloc,
    ReinterpretCast,
    Reshape,
    Store,
    Subview,
    Transpose,
    View,
}

/// Operations that only the dialect `llvm` has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Llvm {
    Alloca,
    Load,
    Store,
    Gep,
    AddressOf,
    BlockAddress,
    BlockTag,
    IndirectBranch,
    Call,
    Invoke,
    LandingPad,
    Resume,
    ExtractValue,
    InsertValue,
    ExtractElement,
    InsertElement,
    Shuffle,
    Freeze,
    Fence,
    AtomicRmw,
    Cmpxchg,
    VaArg,
    InlineAsm,
    CallIntrinsic,
    NoneToken,
    Intrinsic,
}

/// Divisions of integers that do not round to zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Division {
    CeilSigned,
    CeilUnsigned,
    FloorSigned,
}

/// Operations that only the dialect `arith` has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arith {
    Constant,
    /// A sum and its carry.
    AddExtended,
    /// Both halves of a product.
    MulExtended {
        signed: bool,
    },
}

/// Operations of the dialect `vector`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Vector {
    Print,
    Extract,
    Insert,
    ExtractElement,
    InsertElement,
    /// `splat` as well.
    Broadcast,
    Shuffle,
    InsertStrided,
    ExtractStrided,
    ShapeCast,
    Bitcast,
    Transpose,
    FlatTranspose,
    Interleave,
    Deinterleave,
    FromElements,
    ToElements,
    Step,
    ConstantMask,
    CreateMask,
    Mask,
    Fma,
    Reduction,
    MultiReduction,
    OuterProduct,
    Contract,
    MatrixMultiply,
    Scan,
    Load,
    Store,
    MaskedLoad,
    MaskedStore,
    Gather,
    Scatter,
    ExpandLoad,
    CompressStore,
    TransferRead,
    TransferWrite,
    TypeCast,
    /// An operation that only scalable vectors have.
    Scalable,
}

/// Operations that only the dialect `math` has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Math {
    /// One divided by the square root.
    ReciprocalRoot,
    /// The sine, and the cosine.
    SinCos,
    /// A power of integers.
    Power,
    /// Whether a number has one of these classes, as `llvm.is.fpclass` numbers them.
    IsClass(i64),
}

/// Operations of the dialect `ptr`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ptr {
    Add,
    Difference,
    Constant,
    TypeOffset,
    ToPointer,
    FromPointer,
    Metadata,
    Gather,
    Scatter,
    MaskedLoad,
    MaskedStore,
}

/// Operations that only the dialect `index` has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Index {
    Constant,
    Compare,
    /// The width of `index` in bits.
    SizeOf,
}

/// Operations of the dialect `complex`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Complex {
    Create,
    /// The real part (0) or the imaginary one (1).
    Part(usize),
    Bitcast,
    /// A calculation, by its name in the dialect.
    Calculate(&'static str),
}
