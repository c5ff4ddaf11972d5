//! The LLVM IR signature that clang 19 gives a C or C++ function.
//!
//! What clang's lowering knows of a value is how it travels ([`How`]): each target family decides that in its own file, and
//! this one spells IR parameters from it. The rules are clang's (clang/lib/CodeGen/CGCall.cpp, ABIInfo.cpp and
//! Targets/*.cpp), including where it differs from a platform's document or from GCC, so that objects of a front end that
//! emits such signatures mix with clang's.
//!
//! What is not said by a [`Signature`] is taken as clang has it by default: FreeBSD for [`Os::Bsd`], ARM code that may access
//! memory unaligned (ARMv7 and later), no half-precision arithmetic on ARM. Base classes count as members.
//!
//! Places are therefore not always those that [`classify`](crate::classify) gives the C signature itself: where the tables of the
//! conventions name clang as the other, and in the first rows of this one. The last rows are what clang is not followed in.
//!
//! | case | followed | the other |
//! |---|---|---|
//! | record with a flexible array, x86-64 System V | clang: in memory | C signature: the array counts for nothing |
//! | empty C++ class of more than 8 bytes, AArch64 | clang: one byte in a register | C signature: as large as it is |
//! | homogeneous class that cannot be copied bitwise, `__vectorcall` on x86-64 | clang: in vector registers | C signature: by address |
//! | empty C record inside another, `sysv_abi` on MSVC targets | clang: may hide a `float` behind it | C signature: counts for nothing |
//! | class that is not like a C struct as a result, `sysv_abi` on MSVC targets | clang: in memory | C signature: as on System V |
//! | packed bit-fields of MinGW whose IR types overlap | an error | clang 19: types that do not fit the record |
//! | C++ union of nothing but arrays without elements, Microsoft's rules | an IR type as large as the union | clang 19: a larger one |
//! | `thiscall` function with an argument block whose first parameter is no scalar | an error | clang 19 crashes |
//! | `regparm(0)` on MSVC targets | as without | clang: vectors lose their registers |

mod aarch64;
mod arm;
mod facts;
mod ir;
mod records;
mod signature;
mod win64;
mod x86_32;
mod x86_64;

pub use ir::{IrStruct, IrType};
pub use signature::{
    Declaration, InAllocaField, IrAttrs, IrParam, IrPart, IrRole, LlvmSignature, Lowered, LoweredResult,
};

use crate::classify::Family;
use crate::error::{AbiError, Subject};
use crate::layout::DataLayout;
use crate::signature::{Convention, Member, Role, Signature, Type, Widen};
use crate::target::{Arch, Env, Os, Target};
use crate::types::{CType, RecordKind, Scalar};
use crate::walk;
use alloc::sync::Arc;
use alloc::vec::Vec;
use records::Types;

/// The LLVM IR signature that clang 19 gives a function of this C or C++ signature, and how each C value travels in it.
///
/// Parameter and result attributes are those that change the ABI: `signext`, `zeroext`, `inreg`, `sret`, `byval`,
/// `inalloca`, `returned`, `align` beside `sret` and `byval`, and `alignstack`. Conventions that C has no name for, such as
/// `fastcc`, have the IR types of the C convention.
///
/// ```
/// use gusset_abi::{CType, Signature, Target, to_llvm};
///
/// // struct P { float x, y; };  short f(struct P, signed char);
/// let p = CType::structure([CType::F32, CType::F32]);
/// let lowered = to_llvm(&Target::X86_64_LINUX, &Signature::c(CType::I16).param(p).param(CType::I8))?;
/// assert_eq!(lowered.declare("f").to_string(), "declare signext i16 @f(<2 x float>, i8 signext)");
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
///
/// # Errors
/// As [`classify`](crate::classify); types that are already LLVM's; Swift's conventions, for which clang has rules of
/// their own; `sseregparm`, which clang does not know.
pub fn to_llvm(target: &Target, signature: &Signature) -> Result<LlvmSignature, AbiError> {
    walk::check(signature)?;
    if let Some(index) = signature.params.iter().position(|p| p.attrs.role == Role::Nest) {
        return Err(AbiError::new(Subject::Param(index), "clang's C has no static chains"));
    }
    let types = Types::new(target);
    let call = Call::new(&types, signature)?;
    let lowered = match call.family {
        Family::SysV64 => x86_64::lower(&call)?,
        Family::Win64 => win64::lower(&call)?,
        Family::SysV32 | Family::Win32 => x86_32::lower(&call)?,
        Family::Aapcs64 | Family::Apple64 | Family::WinArm64 => aarch64::lower(&call)?,
        Family::Aapcs32 => arm::lower(&call)?,
    };
    call.spell(lowered)
}

/// How a value travels, before IR parameters are counted.
enum How {
    /// Not at all.
    Ignore,
    /// As one IR value, or as the fields of a struct.
    Direct(Direct),
    /// By address.
    Indirect(Indirect),
    /// As its scalar members; if `padding`, behind an IR parameter that only takes a register.
    Expand { padding: bool },
    /// In the argument block.
    InAlloca(InAllocaField),
}

struct Direct {
    ty: IrType,
    /// Offset of the IR value in the C value, in bytes.
    offset: u64,
    widen: Widen,
    in_reg: bool,
    /// Whether a struct becomes one IR parameter per field.
    flatten: bool,
    stack_align: Option<u32>,
}

struct Indirect {
    align: u32,
    by_val: bool,
    in_reg: bool,
    /// Of results: the address follows `this`.
    after_this: bool,
}

impl How {
    fn direct(ty: IrType) -> How {
        How::Direct(Direct::new(ty))
    }

    fn int(bytes: u64) -> How {
        How::direct(IrType::int(8 * bytes as u32))
    }

    fn indirect(align: u32, by_val: bool) -> How {
        How::Indirect(Indirect { align, by_val, in_reg: false, after_this: false })
    }
}

impl Direct {
    fn new(ty: IrType) -> Direct {
        Direct { ty, offset: 0, widen: Widen::None, in_reg: false, flatten: true, stack_align: None }
    }
}

/// What a target family finds out.
struct Found {
    ret: How,
    args: Vec<How>,
    /// The struct of the argument block, if there is one.
    block: Option<IrType>,
}

impl Found {
    fn new(ret: How, args: Vec<How>) -> Found {
        Found { ret, args, block: None }
    }
}

/// A signature with what all families ask.
struct Call<'a> {
    types: &'a Types,
    target: Target,
    family: Family,
    /// The convention as far as it is more than the target's C convention.
    convention: Convention,
    keyword: Option<&'static str>,
    signature: &'a Signature,
    ret: &'a CType,
    params: Vec<&'a CType>,
}

impl<'a> Call<'a> {
    fn new(types: &'a Types, signature: &'a Signature) -> Result<Call<'a>, AbiError> {
        let target = types.target;
        let family = Family::of(&target, signature.convention)?;
        let modifiers = &signature.modifiers;
        let wrong = |reason: &str| Err(AbiError::new(Subject::Signature, reason));
        if modifiers.sse_regparm {
            return wrong("clang does not know `sseregparm`");
        }
        if modifiers.regparm > 3 || (modifiers.regparm != 0 && target.arch != Arch::X86) {
            return wrong("`regparm` takes up to 3 registers, of 32-bit x86");
        }
        let (convention, keyword) = convention(&target, signature)?;
        let c_type = |ty: &'a Type, subject| match ty {
            Type::C(ty) => Ok(ty),
            Type::Llvm(_) => Err(AbiError::new(subject, "the type is LLVM's already")),
        };
        let ret = c_type(&signature.ret.ty, Subject::Result)?;
        if *ret != CType::Void {
            walk::value(&types.layout, ret).map_err(|e| e.at(Subject::Result))?;
        }
        let params = signature.params.iter().enumerate().map(|(i, param)| {
            let ty = c_type(&param.ty, Subject::Param(i))?;
            walk::value(&types.layout, ty).map_err(|e| e.at(Subject::Param(i)))?;
            Ok(ty)
        });
        let params = params.collect::<Result<Vec<_>, _>>()?;
        Ok(Call { types, target, family, convention, keyword, signature, ret, params })
    }

    /// Whether the parameter stands before `...`.
    fn is_named(&self, index: usize) -> bool {
        self.signature.variadic.is_none_or(|first| index < first)
    }

    fn is_variadic(&self) -> bool {
        self.signature.variadic.is_some()
    }

    fn is_method(&self) -> bool {
        self.signature.modifiers.member != Member::None
    }

    /// The result of a class that the C++ ABI, not the C convention, decides on: by address, or left to the convention.
    fn cxx_result(&self) -> Result<Option<Indirect>, AbiError> {
        let CType::Record(record) = self.ret else { return Ok(None) };
        if record.language() == crate::types::Language::C {
            return Ok(None);
        }
        let class = record.class();
        let by_address = match self.target.env {
            // MicrosoftCXXABI.cpp, classifyReturnType: methods return no classes in registers.
            Env::Msvc => class.non_trivial || !class.aggregate || self.is_method(),
            _ => class.non_trivial,
        };
        if !by_address {
            return Ok(None);
        }
        let msvc = self.target.env == Env::Msvc;
        Ok(Some(Indirect {
            align: self.types.align(self.ret)?,
            by_val: false,
            in_reg: msvc && self.target.arch == Arch::Aarch64,
            after_this: msvc && self.is_method(),
        }))
    }

    /// Whether the function returns its `this`.
    fn returns_this(&self) -> bool {
        let member = self.signature.modifiers.member;
        let structor = matches!(member, Member::Constructor | Member::Destructor);
        match (self.target.env, self.target.arch, self.target.os) {
            (Env::Msvc, ..) => member == Member::Constructor,
            // C++ ABI for the Arm architecture, section 3.1.5, which Apple follows on 64-bit ARM too.
            (_, Arch::Arm, _) | (_, Arch::Aarch64, Os::Darwin) => structor,
            _ => false,
        }
    }

    /// A scalar or vector as it is, small integers widened if `extend`.
    fn plain(&self, ty: &CType, extend: bool) -> Result<Direct, AbiError> {
        let mut direct = Direct::new(self.types.value(ty)?);
        if extend && facts::is_promotable(ty) {
            direct.widen = match ty {
                CType::Scalar(Scalar::Int { signed: true, .. }) | CType::BitInt { signed: true, .. } => Widen::Sign,
                _ => Widen::Zero,
            };
        }
        Ok(direct)
    }

    /// By address, aligned as the type.
    fn natural(&self, ty: &CType, by_val: bool) -> Result<How, AbiError> {
        Ok(How::indirect(self.types.align(ty)?, by_val))
    }

    /// Asks `each` for every parameter, naming it in errors.
    fn each_param(&self, mut each: impl FnMut(usize, &CType) -> Result<How, AbiError>) -> Result<Vec<How>, AbiError> {
        let how = |(i, ty): (usize, &&CType)| each(i, ty).map_err(|e| e.at(Subject::Param(i)));
        self.params.iter().enumerate().map(how).collect()
    }
}

/// The convention that IR names, and its keyword. Some are those of the target anyway, or ignored, with clang.
fn convention(target: &Target, signature: &Signature) -> Result<(Convention, Option<&'static str>), AbiError> {
    use Convention::*;
    let variadic = signature.variadic.is_some();
    let convention = match signature.convention {
        // Seen of clang 19: callee-popping conventions are ignored on variadic functions, or refused.
        Stdcall | Fastcall if variadic && target.arch == Arch::X86 => C,
        Thiscall | Vectorcall if variadic && target.arch == Arch::X86 => {
            return Err(AbiError::new(Subject::Signature, "the convention has no variadic functions"));
        }
        Stdcall | Fastcall | Thiscall if target.arch != Arch::X86 => C,
        SysV64 if !target.is_windows() => C,
        Win64 if target.is_windows() => C,
        Swift | SwiftTail => {
            let reason = "clang lowers C types for Swift's conventions by rules of their own, which are not supported";
            return Err(AbiError::new(Subject::Signature, reason));
        }
        other => other,
    };
    let keyword = match convention {
        // The `arm_apcscc` of LLVM is what triples without EABI mean; clang says what it wants instead.
        C if target.arch == Arch::Arm && target.is_windows() => Some("arm_aapcs_vfpcc"),
        C => None,
        SysV64 => Some("x86_64_sysvcc"),
        Fast => Some("fastcc"),
        Cold => Some("coldcc"),
        Tail => Some("tailcc"),
        PreserveMost => Some("preserve_mostcc"),
        PreserveAll => Some("preserve_allcc"),
        PreserveNone => Some("preserve_nonecc"),
        Win64 => Some("win64cc"),
        Stdcall => Some("x86_stdcallcc"),
        Fastcall => Some("x86_fastcallcc"),
        Thiscall => Some("x86_thiscallcc"),
        Vectorcall => Some("x86_vectorcallcc"),
        VectorPcs => Some("aarch64_vector_pcs"),
        AapcsBase => Some("arm_aapcscc"),
        AapcsVfp => Some("arm_aapcs_vfpcc"),
        Swift => Some("swiftcc"),
        SwiftTail => Some("swifttailcc"),
        Ghc => Some("ghccc"),
    };
    Ok((convention, keyword))
}

impl Call<'_> {
    /// Counts and spells the IR parameters (CGCall.cpp, `ClangToLLVMArgMapping` and `ConstructAttributeList`).
    fn spell(&self, found: Found) -> Result<LlvmSignature, AbiError> {
        let mut spelled = LlvmSignature {
            convention: self.convention,
            keyword: self.keyword,
            ret: IrParam::new(IrType::Void),
            params: Vec::with_capacity(self.params.len() + 1),
            variadic: None,
            result: LoweredResult::Ignore,
            args: Vec::with_capacity(self.params.len()),
        };
        let mut sret = self.spell_result(found.ret, &mut spelled).map_err(|e| e.at(Subject::Result))?;
        if sret.as_ref().is_some_and(|(_, after_this)| !after_this) {
            spelled.params.extend(sret.take().map(|(param, _)| param));
        }
        for (index, how) in found.args.into_iter().enumerate() {
            if self.signature.variadic == Some(index) {
                spelled.variadic = Some(spelled.params.len());
            }
            let arg = self.spell_argument(index, how, &mut spelled.params).map_err(|e| e.at(Subject::Param(index)))?;
            spelled.args.push(arg);
            if spelled.params.len() == 1
                && let Some((param, _)) = sret.take()
            {
                spelled.params.push(param);
            }
        }
        if let Some(block) = found.block {
            let attrs = IrAttrs { role: IrRole::InAlloca(block), ..IrAttrs::default() };
            let at = spelled.variadic.unwrap_or(spelled.params.len());
            spelled.params.insert(at, IrParam { ty: IrType::PTR, attrs });
            if let Some(variadic) = &mut spelled.variadic {
                *variadic += 1;
            }
        }
        if self.is_variadic() && spelled.variadic.is_none() {
            spelled.variadic = Some(spelled.params.len());
        }
        if self.returns_this() {
            spelled.ret = IrParam::new(IrType::PTR);
            if let Some(this) = spelled.params.first_mut() {
                this.attrs.returned = true;
            }
        }
        Ok(spelled)
    }

    /// Spells the result; the parameter for its address, if there is one, and whether it follows `this`.
    fn spell_result(&self, ret: How, spelled: &mut LlvmSignature) -> Result<Option<(IrParam, bool)>, AbiError> {
        match ret {
            How::Ignore => {}
            How::Direct(direct) => {
                spelled.ret.ty = direct.ty.clone();
                spelled.ret.attrs.widen = direct.widen;
                spelled.ret.attrs.in_reg = direct.in_reg;
                spelled.result = LoweredResult::Direct(parts(&direct, true));
            }
            How::Indirect(Indirect { align, in_reg, after_this, .. }) => {
                let role = IrRole::StructReturn(self.types.memory(self.ret)?);
                let attrs = IrAttrs { in_reg, role, align: Some(align), ..IrAttrs::default() };
                spelled.result = LoweredResult::Indirect { param: if after_this { 1 } else { 0 } };
                return Ok(Some((IrParam { ty: IrType::PTR, attrs }, after_this)));
            }
            How::InAlloca(field) => {
                spelled.ret.ty = IrType::PTR;
                spelled.result = LoweredResult::InAlloca(field);
            }
            How::Expand { .. } => return Err(AbiError::new(Subject::Result, "a result cannot be expanded")),
        }
        Ok(None)
    }

    fn spell_argument(&self, index: usize, how: How, params: &mut Vec<IrParam>) -> Result<Lowered, AbiError> {
        let first = params.len() as u32;
        Ok(match how {
            How::Ignore => Lowered::Ignore,
            How::Direct(direct) => {
                let parts = parts(&direct, direct.flatten);
                let Direct { widen, in_reg, stack_align, .. } = direct;
                params.extend(parts.iter().map(|part| IrParam {
                    ty: part.ty.clone(),
                    attrs: IrAttrs { widen, in_reg, stack_align, ..IrAttrs::default() },
                }));
                Lowered::Direct { first, parts }
            }
            How::Indirect(Indirect { align, by_val, in_reg, .. }) => {
                let mut attrs = IrAttrs { in_reg, ..IrAttrs::default() };
                if by_val {
                    attrs.role = IrRole::ByVal(self.types.memory(self.params[index])?);
                    attrs.align = Some(align);
                }
                params.push(IrParam { ty: IrType::PTR, attrs });
                Lowered::Indirect { param: first, by_val, align }
            }
            How::Expand { padding } => {
                if padding {
                    let attrs = IrAttrs { in_reg: true, ..IrAttrs::default() };
                    params.push(IrParam { ty: IrType::int(32), attrs });
                }
                let mut parts = Vec::new();
                self.expand(self.params[index], 0, &mut parts)?;
                let first = params.len() as u32;
                params.extend(parts.iter().map(|part| IrParam::new(part.ty.clone())));
                Lowered::Expand { first, padding: padding.then(|| first - 1), parts }
            }
            How::InAlloca(field) => Lowered::InAlloca(field),
        })
    }

    /// The scalar members of a type.
    fn expand(&self, ty: &CType, at: u64, parts: &mut Vec<IrPart>) -> Result<(), AbiError> {
        match ty {
            CType::Record(record) => {
                let offsets = self.types.layout.record(record)?.bit_offsets;
                let members = record.fields().iter().zip(offsets).filter(|(field, _)| field.bits != Some(0));
                if record.kind() == RecordKind::Union {
                    let mut largest: Option<(&CType, u64)> = None;
                    for (field, _) in members {
                        let size = self.types.size(&field.ty)?;
                        if largest.is_none_or(|(_, most)| size > most) {
                            largest = Some((&field.ty, size));
                        }
                    }
                    return largest.map_or(Ok(()), |(ty, _)| self.expand(ty, at, parts));
                }
                for (field, offset) in members {
                    self.expand(&field.ty, at + offset / 8, parts)?;
                }
                Ok(())
            }
            CType::Complex(part) => {
                let part = CType::Scalar(*part);
                let size = self.types.size(&part)?;
                self.expand(&part, at, parts)?;
                self.expand(&part, at + size, parts)
            }
            _ => {
                parts.push(IrPart { offset: at, ty: self.types.value(ty)? });
                Ok(())
            }
        }
    }
}

/// The IR values of a directly passed value, a struct's fields if `flatten`.
fn parts(direct: &Direct, flatten: bool) -> Vec<IrPart> {
    match &direct.ty {
        IrType::Struct(body) if flatten => {
            let part = |(offset, ty): &(u64, IrType)| IrPart { offset: direct.offset + offset, ty: ty.clone() };
            body.fields().iter().map(part).collect()
        }
        ty => alloc::vec![IrPart { offset: direct.offset, ty: ty.clone() }],
    }
}

/// The struct `{ a, b }` as an IR type.
fn pair(layout: &DataLayout, a: IrType, b: IrType) -> Result<IrType, AbiError> {
    IrType::structure(layout, [a, b])
}

/// The argument block's struct of these fields.
fn block(layout: &DataLayout, fields: Vec<IrType>) -> Result<IrType, AbiError> {
    Ok(IrType::Struct(Arc::new(IrStruct::new(layout, fields, true)?)))
}
