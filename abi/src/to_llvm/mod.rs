//! The LLVM IR signature that clang 19 gives a C or C++ function.
//!
//! clang's lowering first decides how a value is passed ([`How`](call::How)): each family does that in its own file
//! `clang.rs`. `spell` makes IR parameters from it. The rules are clang's (clang/lib/CodeGen/CGCall.cpp, ABIInfo.cpp
//! and Targets/*.cpp), including where it differs from a platform's document or from GCC, so that objects of a front
//! end that emits such signatures mix with clang's.
//!
//! What a [`Signature`] does not say follows clang's default: FreeBSD for [`Os::Bsd`], ARM code that may access memory
//! unaligned (ARMv7 and later), no half-precision arithmetic on ARM. Base classes count as members.
//!
//! So places are not always those that [`classify`](crate::classify) gives the C signature itself: where the tables of
//! the conventions name clang as the other, and in the first rows of this one. In the last rows clang is not followed.
//!
//! | case | followed | the other |
//! |---|---|---|
//! | record with a flexible array, x86-64 System V | clang: in memory | C signature: the array counts for nothing |
//! | empty C++ class of more than 8 bytes, AArch64 | clang: one byte in a register | C signature: as large as it is |
//! | homogeneous class that cannot be copied bitwise, `__vectorcall` on x86-64 | clang: in vector registers | C signature: by address |
//! | empty C record inside another, `sysv_abi` on MSVC targets | clang: may hide a `float` after it | C signature: counts for nothing |
//! | class that is not like a C struct as a result, `sysv_abi` on MSVC targets | clang: in memory | C signature: as on System V |
//! | packed bit-fields of MinGW whose IR types overlap | an error | clang 19: types that do not fit the record |
//! | C++ union of nothing but arrays without elements, Microsoft's rules | an IR type as large as the union | clang 19: a larger one |
//! | `thiscall` function with an argument block whose first parameter is no scalar | an error | clang 19 crashes |
//! | `regparm(0)` on MSVC targets | as without | clang: vectors lose their registers |

pub(crate) mod call;
pub(crate) mod facts;
pub(crate) mod records;
pub(crate) mod signature;
mod spell;

pub use signature::{
    Declaration, InAllocaField, IrAttrs, IrParam, IrPart, IrRole, LlvmSignature, Lowered, LoweredResult,
};

use crate::families::{aarch64, arm, i386, x86_64};
use crate::family::Family;
use crate::prelude::*;
use crate::walk;
use call::Call;
use records::Types;

/// The LLVM IR signature that clang 19 gives a function with this C or C++ signature, and how each C value is passed in
/// it.
///
/// Parameter and result attributes are those that change the ABI: `signext`, `zeroext`, `inreg`, `sret`, `byval`,
/// `inalloca`, `returned`, `align` beside `sret` and `byval`, and `alignstack`. Conventions without a C name, such as
/// `fastcc`, have the IR types of the C convention.
///
/// ```
/// use gusset_abi::{AbiTarget, CType, Signature, to_llvm};
///
/// // struct P { float x, y; };  short f(struct P, signed char);
/// let p = CType::structure([CType::F32, CType::F32]);
/// let lowered = to_llvm(&AbiTarget::X86_64_LINUX, &Signature::c(CType::I16).param(p).param(CType::I8))?;
/// assert_eq!(lowered.declare("f").to_string(), "declare signext i16 @f(<2 x float>, i8 signext)");
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
///
/// # Errors
/// As [`classify`](crate::classify); also types that are LLVM's already; Swift's conventions, for which clang has its
/// own rules; `sseregparm`, which clang does not know.
pub fn to_llvm(target: &AbiTarget, signature: &Signature) -> Result<LlvmSignature, AbiError> {
    walk::check(signature)?;
    if let Some(index) = signature.params.iter().position(|p| p.attrs.role == Role::Nest) {
        return Err(AbiError::new(Subject::Param(index), "clang's C has no static chains"));
    }
    let types = Types::new(target);
    let call = Call::new(&types, signature)?;
    let lowered = match call.family {
        Family::SysV64 => x86_64::clang::lower(&call)?,
        Family::Win64 => x86_64::clang_windows::lower(&call)?,
        Family::SysV32 | Family::Win32 => i386::clang::lower(&call)?,
        Family::Aapcs64 | Family::Apple64 | Family::WinArm64 => aarch64::clang::lower(&call)?,
        Family::Aapcs32 => arm::clang::lower(&call)?,
    };
    call.spell(lowered)
}
