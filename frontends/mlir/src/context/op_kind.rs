//! What operations become: the kinds of conversions.

use gusset_codegen::ir::Opcode;
use gusset_program::Cast;

/// What becomes of an operation.
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
    /// One of the dialect `scf`.
    Scf(Scf),
    /// One of the dialect `func`.
    Func(Func),
    /// One of the dialect `affine`.
    Affine(Affine),
    /// One of the dialect `memref`.
    Memref(Memref),
    /// One of the dialect `ptr`.
    Ptr(Ptr),
    /// `cf.assert`.
    Assert,
    /// Values of one type seen as another.
    Unrealized,
    /// One of the dialect `vector`.
    Vector(Vector),
    /// One of the dialect `llvm`.
    Llvm(Llvm),
    /// The intrinsic of this name of LLVM's, whose operands are the operation's.
    Intrinsic(&'static str),
    /// The same, part by part.
    EachPart(&'static str),
    /// Integers as those of another width: cut, or extended by the sign or not.
    FitIntegers {
        signed: bool,
    },
    Divide(Division),
    /// One of the dialect `arith`.
    Arith(Arith),
    /// A function of C's library on numbers, lane by lane.
    Library(&'static str),
    /// One of the dialect `math`.
    Math(Math),
    /// One of the dialect `complex`.
    Complex(Complex),
    /// One of the dialect `index`.
    Index(Index),
    /// One of the registered dialect of this number.
    Foreign(u16),
}

impl OpKind {
    /// May the operation stand in a variable's initializer, where nothing has an effect and the linker knows all?
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

/// Operations of the dialect `llvm` that no other has.
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

/// Divisions of integers that round otherwise than to zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Division {
    CeilSigned,
    CeilUnsigned,
    FloorSigned,
}

/// Operations of the dialect `arith` that no other has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arith {
    Constant,
    /// A sum, and what is carried.
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
    /// What scalable vectors alone have.
    Scalable,
}

/// Operations of the dialect `math` that no other has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Math {
    /// One by the square root.
    ReciprocalRoot,
    /// The sine, and the cosine.
    SinCos,
    /// A power of integers.
    Power,
    /// Whether a number is of these classes, as `llvm.is.fpclass` numbers them.
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

/// Operations of the dialect `index` that no other has.
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
    /// A part: the real one, or the imaginary.
    Part(usize),
    Bitcast,
    /// A calculation, by the name that it has among those of the dialect.
    Calculate(&'static str),
}
