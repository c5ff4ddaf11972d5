//! clang's lowering of a signature and its values, before IR parameters are counted.

use super::records::Types;
use super::signature::InAllocaField;
use crate::family::Family;
use crate::prelude::*;
use crate::walk;

/// How a value is passed, before IR parameters are counted.
pub(crate) enum How {
    /// Not at all.
    Ignore,
    /// As one IR value, or as the fields of a struct.
    Direct(Direct),
    /// By address.
    Indirect(Indirect),
    /// As its scalar members; if `padding`, after an IR parameter that only uses up a register.
    Expand { padding: bool },
    /// In the argument block.
    InAlloca(InAllocaField),
}

pub(crate) struct Direct {
    pub(crate) ty: LlvmType,
    /// Offset of the IR value in the C value, in bytes.
    pub(crate) offset: u64,
    pub(crate) widen: Widen,
    pub(crate) in_reg: bool,
    /// Does a struct become one IR parameter for each field?
    pub(crate) flatten: bool,
    pub(crate) stack_align: Option<u32>,
}

pub(crate) struct Indirect {
    pub(crate) align: u32,
    pub(crate) by_val: bool,
    pub(crate) in_reg: bool,
    /// For results: the address comes after `this`.
    pub(crate) after_this: bool,
}

impl How {
    pub(crate) fn direct(ty: LlvmType) -> How {
        How::Direct(Direct::new(ty))
    }

    pub(crate) fn int(bytes: u64) -> How {
        How::direct(LlvmType::int(8 * bytes as u32))
    }

    pub(crate) fn indirect(align: u32, by_val: bool) -> How {
        How::Indirect(Indirect { align, by_val, in_reg: false, after_this: false })
    }
}

impl Direct {
    pub(crate) fn new(ty: LlvmType) -> Direct {
        Direct { ty, offset: 0, widen: Widen::None, in_reg: false, flatten: true, stack_align: None }
    }
}

/// What a target family has decided.
pub(crate) struct Found {
    pub(crate) ret: How,
    pub(crate) args: Vec<How>,
    /// The struct of the argument block, if there is one.
    pub(crate) block: Option<LlvmType>,
}

/// A signature with what all families need to know.
pub(crate) struct Call<'a> {
    pub(crate) types: &'a Types,
    pub(crate) target: AbiTarget,
    pub(crate) family: Family,
    /// The convention, if it is more than the target's C convention.
    pub(crate) convention: Convention,
    pub(crate) keyword: Option<&'static str>,
    pub(crate) signature: &'a Signature,
    pub(crate) ret: &'a CType,
    pub(crate) params: Vec<&'a CType>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(types: &'a Types, signature: &'a Signature) -> Result<Call<'a>, AbiError> {
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
        let c_type = |ty: &'a AbiType, subject| match ty {
            AbiType::C(ty) => Ok(ty),
            AbiType::Llvm(_) => Err(AbiError::new(subject, "the type is LLVM's already")),
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
    pub(crate) fn is_named(&self, index: usize) -> bool {
        self.signature.variadic.is_none_or(|first| index < first)
    }

    pub(crate) fn is_variadic(&self) -> bool {
        self.signature.variadic.is_some()
    }

    pub(crate) fn is_method(&self) -> bool {
        self.signature.modifiers.member != Member::None
    }

    /// The result of a class about which the C++ ABI decides rather than the C convention: by address, or left to the
    /// convention.
    pub(crate) fn cxx_result(&self) -> Result<Option<Indirect>, AbiError> {
        let CType::Record(record) = self.ret else { return Ok(None) };
        if record.language() == Language::C {
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

    /// How the result is passed: by C++'s rules, otherwise as `convention` says.
    pub(crate) fn result(&self, convention: impl FnOnce(&CType) -> Result<How, AbiError>) -> Result<How, AbiError> {
        match self.cxx_result()? {
            Some(indirect) => Ok(How::Indirect(indirect)),
            None if *self.ret == CType::Void => Ok(How::Ignore),
            None => convention(self.ret).map_err(|e| e.at(Subject::Result)),
        }
    }

    /// Whether the function returns its `this`.
    pub(crate) fn returns_this(&self) -> bool {
        let member = self.signature.modifiers.member;
        let structor = matches!(member, Member::Constructor | Member::Destructor);
        match (self.target.env, self.target.arch, self.target.os) {
            (Env::Msvc, ..) => member == Member::Constructor,
            // C++ ABI for the Arm architecture, section 3.1.5, which Apple follows on 64-bit ARM too.
            (_, Arch::Arm, _) | (_, Arch::Aarch64, Os::Darwin) => structor,
            _ => false,
        }
    }

    /// A scalar or vector as it is; small integers are widened if `extend`.
    pub(crate) fn plain(&self, ty: &CType, extend: bool) -> Result<Direct, AbiError> {
        let mut direct = Direct::new(self.types.value(ty)?);
        if extend && ty.small_int().is_some() {
            direct.widen = match ty {
                CType::Scalar(Scalar::Int { signed: true, .. }) | CType::BitInt { signed: true, .. } => Widen::Sign,
                _ => Widen::Zero,
            };
        }
        Ok(direct)
    }

    /// By address, aligned as the type.
    pub(crate) fn natural(&self, ty: &CType, by_val: bool) -> Result<How, AbiError> {
        Ok(How::indirect(self.types.align(ty)?, by_val))
    }

    /// Passes vectors that are no machine values, on AArch64 and ARM.
    pub(crate) fn illegal_vector(&self, ty: &CType, size: u64) -> Result<How, AbiError> {
        let words = |lanes| LlvmType::Vector { lane: LlvmScalar::Int(32), lanes };
        Ok(match size {
            ..=4 => How::int(4),
            8 => How::direct(words(2)),
            16 => How::direct(words(4)),
            _ => self.natural(ty, false)?,
        })
    }

    /// Calls `each` for every parameter, and names the parameter in errors.
    pub(crate) fn each_param(
        &self,
        mut each: impl FnMut(usize, &CType) -> Result<How, AbiError>,
    ) -> Result<Vec<How>, AbiError> {
        let how = |(i, ty): (usize, &&CType)| each(i, ty).map_err(|e| e.at(Subject::Param(i)));
        self.params.iter().enumerate().map(how).collect()
    }
}

/// The convention in IR, and its keyword. Some conventions are the target's default, or clang ignores them.
fn convention(target: &AbiTarget, signature: &Signature) -> Result<(Convention, Option<&'static str>), AbiError> {
    use Convention::*;
    let variadic = signature.variadic.is_some();
    let convention = match signature.convention {
        // Seen in clang 19: conventions with callee pop are ignored on variadic functions, or refused.
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
        // LLVM's `arm_apcscc` is the meaning of triples without EABI; clang names the convention that it wants instead.
        C if target.arch == Arch::Arm && target.is_windows() => Some("arm_aapcs_vfpcc"),
        C => None,
        other => Some(other.llvm_keyword()),
    };
    Ok((convention, keyword))
}
