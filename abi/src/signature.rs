//! Signatures: what a front end says about a function or a call.

use crate::types::{CType, LlvmType};
use alloc::vec::Vec;

/// A calling convention by name. An example is at [`Signature`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Convention {
    /// The target's C convention (LLVM `ccc`).
    #[default]
    C,
    /// System V x86-64 whatever the system (`sysv_abi`, LLVM `x86_64_sysvcc`).
    SysV64,
    /// LLVM `fastcc`.
    Fast,
    /// LLVM `coldcc`.
    Cold,
    /// LLVM `tailcc`: the callee pops its stack arguments, so that every call in tail position can be one.
    Tail,
    /// LLVM `preserve_mostcc`.
    PreserveMost,
    /// LLVM `preserve_allcc`.
    PreserveAll,
    /// LLVM `preserve_nonecc`.
    PreserveNone,
    /// Windows x64 whatever the system (`ms_abi`, LLVM `win64cc`).
    Win64,
    /// `__stdcall`.
    Stdcall,
    /// `__fastcall`.
    Fastcall,
    /// `__thiscall`.
    Thiscall,
    /// `__vectorcall`.
    Vectorcall,
    /// AArch64 vector PCS (`aarch64_vector_pcs`): the callee preserves more vector registers.
    VectorPcs,
    /// AAPCS32 base standard whatever the float ABI (`pcs("aapcs")`, LLVM `arm_aapcscc`): also that of the run-time
    /// helper functions (RTABI, "Calling conventions").
    AapcsBase,
    /// AAPCS32 VFP variant whatever the float ABI (`pcs("aapcs-vfp")`, LLVM `arm_aapcs_vfpcc`).
    AapcsVfp,
    /// LLVM `arm_apcscc`: no value has an alignment in registers or on the stack. For LLVM's types alone.
    Apcs,
    /// LLVM `swiftcc`.
    Swift,
    /// LLVM `swifttailcc`.
    SwiftTail,
    /// LLVM `ghccc`: all arguments in fixed registers, nothing preserved.
    Ghc,
    /// Intel's `__regcall`, LLVM `x86_regcallcc`: as many arguments and parts of the result in registers as there are.
    RegCall,
    /// LLVM `x86_intrcc`: the processor calls it and finds all registers as they were. It has no parameters here: what the
    /// processor pushes lies at the stack pointer.
    Interrupt,
    /// LLVM's attribute `"interrupt"` on 32-bit ARM: the processor calls the function and finds the general-purpose registers
    /// as they were.
    ArmInterrupt,
    /// The same with `"FIQ"`: of these registers, the processor has others in the place of r8 to r10 and r12.
    ArmFastInterrupt,
}

impl Convention {
    /// LLVM IR's keyword for it (LangRef, "Calling Conventions").
    pub const fn llvm_keyword(self) -> &'static str {
        match self {
            Convention::C => "ccc",
            Convention::SysV64 => "x86_64_sysvcc",
            Convention::Fast => "fastcc",
            Convention::Cold => "coldcc",
            Convention::Tail => "tailcc",
            Convention::PreserveMost => "preserve_mostcc",
            Convention::PreserveAll => "preserve_allcc",
            Convention::PreserveNone => "preserve_nonecc",
            Convention::Win64 => "win64cc",
            Convention::Stdcall => "x86_stdcallcc",
            Convention::Fastcall => "x86_fastcallcc",
            Convention::Thiscall => "x86_thiscallcc",
            Convention::Vectorcall => "x86_vectorcallcc",
            Convention::VectorPcs => "aarch64_vector_pcs",
            Convention::AapcsBase => "arm_aapcscc",
            Convention::AapcsVfp => "arm_aapcs_vfpcc",
            Convention::Apcs => "arm_apcscc",
            Convention::Swift => "swiftcc",
            Convention::SwiftTail => "swifttailcc",
            Convention::Ghc => "ghccc",
            Convention::RegCall => "x86_regcallcc",
            Convention::Interrupt => "x86_intrcc",
            Convention::ArmInterrupt => "\"interrupt\"",
            Convention::ArmFastInterrupt => "\"interrupt\"=\"FIQ\"",
        }
    }

    /// Do functions pop all their stack arguments, so that they can be replaced by others with stack arguments of any
    /// size (LLVM LangRef, "Calling Conventions")?
    pub fn replaces_arguments(self) -> bool {
        matches!(self, Convention::Tail | Convention::SwiftTail)
    }

    /// Whether it is one of Swift's.
    pub(crate) fn is_swift(self) -> bool {
        matches!(self, Convention::Swift | Convention::SwiftTail)
    }
}

/// The part that a function plays in a C++ class. An example is at [`Signature`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Member {
    /// None: a free function or static method.
    #[default]
    None,
    /// An instance method: parameter 0 is `this`.
    Method,
    /// A constructor: parameter 0 is `this`.
    Constructor,
    /// A destructor: parameter 0 is `this`.
    Destructor,
}

/// Which registers a function preserves for its caller. An example is at [`Signature`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Preserves {
    /// Those of its convention.
    #[default]
    Usual,
    /// All but those of its result (`no_caller_saved_registers`).
    All,
    /// None (`no_callee_saved_registers`).
    Nothing,
}

/// What changes a convention besides its name. An example is at [`Signature`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Modifiers {
    /// `regparm(n)` on 32-bit x86: the number of registers for arguments, 0 to 3.
    pub regparm: u8,
    /// `sseregparm` on 32-bit x86: `float` and `double` are passed in vector registers.
    pub sse_regparm: bool,
    /// The part that the function plays in a C++ class.
    pub member: Member,
    /// The registers that it preserves: on x86, of LLVM-level signatures, too.
    pub preserves: Preserves,
}

/// The type of a parameter or result, at either level. An example is at [`Signature`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AbiType {
    /// A C type: this crate decides how it is passed.
    C(CType),
    /// An LLVM type: the front end has lowered C's type already.
    Llvm(LlvmType),
}

impl From<CType> for AbiType {
    fn from(ty: CType) -> AbiType {
        AbiType::C(ty)
    }
}

impl From<LlvmType> for AbiType {
    fn from(ty: LlvmType) -> AbiType {
        AbiType::Llvm(ty)
    }
}

/// How small integers are widened (LangRef, "Parameter Attributes"). An example is at [`Signature`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Widen {
    /// Bits above the value are arbitrary.
    #[default]
    None,
    /// `zeroext`.
    Zero,
    /// `signext`.
    Sign,
}

/// What an LLVM-level pointer parameter stands for (LangRef, "Parameter Attributes"). An example is at [`Signature`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Role {
    /// An ordinary value.
    #[default]
    Value,
    /// `sret`: the address for the result.
    StructReturn,
    /// `byval`: the memory that the pointer points to is copied into the argument area.
    ByVal {
        /// Size of the type in bytes.
        size: u64,
        /// Alignment in bytes, a power of two (`align`, else the type's).
        align: u32,
    },
    /// `inalloca`: the pointer is the argument block itself.
    InAlloca {
        /// Size of the block in bytes.
        size: u64,
    },
    /// `preallocated`.
    Preallocated {
        /// Size of the type in bytes.
        size: u64,
        /// Alignment in bytes.
        align: u32,
    },
    /// `nest`: the static chain.
    Nest,
    /// `swiftself`.
    SwiftSelf,
    /// `swifterror`.
    SwiftError,
    /// `swiftasync`.
    SwiftAsync,
}

/// ABI-bearing attributes of a parameter or result. Only LLVM-level types may carry other than the default.
///
/// An example is at [`Signature`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Attrs {
    /// `zeroext` or `signext`.
    pub widen: Widen,
    /// `inreg`.
    pub in_reg: bool,
    /// What the parameter stands for.
    pub role: Role,
    /// `alignstack(n)` in bytes: least alignment of a stack slot.
    pub stack_align: Option<u32>,
}

impl Attrs {
    /// Are there no attributes?
    #[inline]
    pub(crate) fn is_default(&self) -> bool {
        matches!(self, Attrs { widen: Widen::None, in_reg: false, role: Role::Value, stack_align: None })
    }
}

/// A parameter or result. An example is at [`Signature`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Param {
    /// Its type.
    pub ty: AbiType,
    /// Its attributes.
    pub attrs: Attrs,
}

impl Param {
    /// A parameter without attributes.
    pub fn new(ty: impl Into<AbiType>) -> Param {
        Param { ty: ty.into(), attrs: Attrs::default() }
    }

    /// The static chain of a nested function in a C-level signature: a pointer in a register of its own, whatever its
    /// position among the parameters ([`FnAbi::static_chain`](crate::FnAbi::static_chain)).
    pub fn chain() -> Param {
        Param { ty: AbiType::C(CType::PTR), attrs: Attrs { role: Role::Nest, ..Attrs::default() } }
    }

    /// A parameter of an LLVM type with attributes.
    pub fn llvm(ty: LlvmType, attrs: Attrs) -> Param {
        Param { ty: AbiType::Llvm(ty), attrs }
    }
}

impl<T: Into<AbiType>> From<T> for Param {
    fn from(ty: T) -> Param {
        Param::new(ty)
    }
}

/// A function's signature, or a call's.
///
/// ```
/// use gusset_abi::{CType, Convention, Member, Signature};
///
/// let method = Signature::c(CType::I32).param(CType::PTR).with_convention(Convention::Thiscall).member(Member::Method);
/// assert_eq!((method.named(), method.convention.llvm_keyword()), (1, "x86_thiscallcc"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// The calling convention.
    pub convention: Convention,
    /// Parameters in order; for a variadic call also the unnamed arguments, already promoted.
    pub params: Vec<Param>,
    /// The result; `void` is a type.
    pub ret: Param,
    /// For a variadic function, the number of named parameters: those from this index on are unnamed.
    pub variadic: Option<usize>,
    /// What changes the convention. Only C-level signatures may have modifiers other than the default.
    pub modifiers: Modifiers,
}

impl Signature {
    /// A signature in the target's C convention without parameters.
    pub fn c(ret: impl Into<Param>) -> Signature {
        Signature {
            convention: Convention::C,
            params: Vec::new(),
            ret: ret.into(),
            variadic: None,
            modifiers: Modifiers::default(),
        }
    }

    /// This signature with one more parameter. After [`Signature::ellipsis`] it is an unnamed argument.
    pub fn param(mut self, param: impl Into<Param>) -> Signature {
        self.params.push(param.into());
        self
    }

    /// This signature, variadic after the parameters given so far.
    pub fn ellipsis(mut self) -> Signature {
        self.variadic = Some(self.params.len());
        self
    }

    /// This signature in another convention.
    pub fn with_convention(mut self, convention: Convention) -> Signature {
        self.convention = convention;
        self
    }

    /// This signature as that of a C++ member function; parameter 0 is `this`.
    pub fn member(mut self, member: Member) -> Signature {
        self.modifiers.member = member;
        self
    }

    /// This signature with `regparm(registers)`.
    pub fn regparm(mut self, registers: u8) -> Signature {
        self.modifiers.regparm = registers;
        self
    }

    /// Is a parameter `swifterror`? The error comes back in its register.
    pub(crate) fn takes_error(&self) -> bool {
        self.params.iter().any(|param| param.attrs.role == Role::SwiftError)
    }

    /// Number of named parameters.
    pub fn named(&self) -> usize {
        self.variadic.unwrap_or(self.params.len()).min(self.params.len())
    }
}
