//! Checks signatures. A signature says twice what crosses a call: in the IR's types, and in the source types that the ABI layer classified.
//! Both must mean the same.

use gusset_abi::{AbiType, CType, FloatKind, LlvmScalar, LlvmType, PassMode, Role, Scalar};

use super::module::SigData;
use super::types::Type;

impl SigData {
    /// Checks that values of the IR's types hold what the signature that was classified passes. Integers may have another width
    /// if they take as many registers.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check(&self) -> Result<(), String> {
        // What legalization has cut follows the places instead.
        if self.split != 0 {
            return Ok(());
        }
        let (params, ret) = (&self.source.params, &self.source.ret.ty);
        let wanted = params.len() + usize::from(self.aggregate_result);
        if self.params.len() != wanted {
            return Err(format!("{} parameters instead of {wanted}", self.params.len()));
        }
        for (k, (param, &ty)) in params.iter().zip(&self.params).enumerate() {
            let arg = self.abi.args.get(k);
            let in_block = || arg.is_some_and(|arg| matches!(arg.mode, PassMode::InBlock { .. }));
            let by_address = match &param.ty {
                AbiType::C(c) => c.is_by_address() || in_block(),
                AbiType::Llvm(_) => false,
            };
            let size = arg.map_or(0, |arg| arg.layout.size);
            let fits = if by_address { ty == self.pointer() } else { self.holds(ty, &param.ty, size) };
            if !fits {
                return Err(self.misfit("parameter", ty));
            }
        }
        if self.aggregate_result {
            let nothing = matches!(ret, AbiType::C(CType::Void) | AbiType::Llvm(LlvmType::Void));
            let address = self.params.last().is_some_and(|&ty| ty == self.pointer());
            return match self.results.is_empty() && address && !nothing {
                true => Ok(()),
                false => Err("a result that is an aggregate has nothing but its address, the last parameter".into()),
            };
        }
        let mut results = self.results.iter();
        match ret {
            AbiType::C(CType::Void) => {}
            AbiType::C(c) if c.is_by_address() => return Err("the result is an `aggregate`".into()),
            AbiType::C(_) => self.result(&mut results, |ty| self.holds(ty, ret, self.abi.ret.layout.size))?,
            AbiType::Llvm(llvm) => self.llvm_results(&mut results, llvm)?,
        }
        // An error comes back after the others.
        let errors = params.iter().filter(|p| p.attrs.role == Role::SwiftError).count();
        match results.len() > errors {
            true => Err("more results than are passed".into()),
            false => Ok(()),
        }
    }

    fn misfit(&self, what: &str, ty: Type) -> String {
        format!("a {what} of type {ty} does not hold what the signature after `=` passes")
    }

    /// Takes the next result.
    fn result(&self, values: &mut std::slice::Iter<'_, Type>, holds: impl FnOnce(Type) -> bool) -> Result<(), String> {
        match values.next() {
            Some(&ty) if holds(ty) => Ok(()),
            Some(&ty) => Err(self.misfit("result", ty)),
            None => Err("fewer results than are passed".into()),
        }
    }

    /// Takes a result for each scalar of a type.
    fn llvm_results(&self, values: &mut std::slice::Iter<'_, Type>, ty: &LlvmType) -> Result<(), String> {
        match ty {
            LlvmType::Void => Ok(()),
            LlvmType::Scalar(_) | LlvmType::Vector { .. } => self.result(values, |value| self.holds_llvm(value, ty)),
            LlvmType::Array { element, len } => {
                for _ in 0..*len {
                    let left = values.len();
                    self.llvm_results(values, element)?;
                    if values.len() == left {
                        // There may be a great many of nothing.
                        break;
                    }
                }
                Ok(())
            }
            LlvmType::Struct(s) => s.fields.iter().try_for_each(|(_, field)| self.llvm_results(values, field)),
        }
    }

    /// Does a value of type `ty` hold one of the signature's type, which has so many bytes in memory?
    fn holds(&self, ty: Type, source: &AbiType, size: u64) -> bool {
        match source {
            AbiType::Llvm(llvm) => self.holds_llvm(ty, llvm),
            AbiType::C(CType::Scalar(Scalar::Float(FloatKind::Long))) => {
                self.holds_scalar(ty, LlvmScalar::long_double(self.abi.arch, size))
            }
            AbiType::C(CType::Scalar(scalar)) => as_llvm(*scalar).is_some_and(|s| self.holds_scalar(ty, s)),
            AbiType::C(CType::BitInt { bits, .. }) => self.holds_scalar(ty, LlvmScalar::Int(*bits)),
            AbiType::C(CType::Vector { lane, lanes }) => {
                as_llvm(*lane).is_some_and(|lane| self.is_vector(ty, lane, *lanes))
            }
            AbiType::C(_) => false,
        }
    }

    fn holds_llvm(&self, ty: Type, source: &LlvmType) -> bool {
        match source {
            LlvmType::Scalar(scalar) => self.holds_scalar(ty, *scalar),
            LlvmType::Vector { lane, lanes } => self.is_vector(ty, *lane, *lanes),
            // Where it matters that a scalar is a member.
            LlvmType::Array { element, len: 1 } => {
                matches!(**element, LlvmType::Scalar(_)) && self.holds_llvm(ty, element)
            }
            _ => false,
        }
    }

    fn is_vector(&self, ty: Type, lane: LlvmScalar, lanes: u32) -> bool {
        let lane = match lane {
            LlvmScalar::Int(bits) => Type::int(bits),
            _ => Some(ty.lane()).filter(|&ty| self.holds_scalar(ty, lane)),
        };
        ty.is_vector() && lane.and_then(|lane| Type::vector(lane, lanes)) == Some(ty)
    }

    fn holds_scalar(&self, ty: Type, scalar: LlvmScalar) -> bool {
        let word = self.pointer().bits();
        match scalar {
            LlvmScalar::Int(bits) => ty.is_int() && ty.bits().div_ceil(word) == bits.div_ceil(word),
            LlvmScalar::Ptr => ty == self.pointer(),
            LlvmScalar::Half => ty == Type::F16,
            LlvmScalar::BFloat => ty == Type::BF16,
            LlvmScalar::Float => ty == Type::F32,
            LlvmScalar::Double => ty == Type::F64,
            LlvmScalar::X86Fp80 => ty == Type::F80,
            LlvmScalar::Fp128 => ty == Type::F128,
        }
    }
}

/// LLVM's type for a scalar of C; none for one whose format is the target's.
fn as_llvm(scalar: Scalar) -> Option<LlvmScalar> {
    Some(match scalar {
        Scalar::Bool => LlvmScalar::Int(8),
        Scalar::Int { bits, .. } => LlvmScalar::Int(bits.into()),
        Scalar::Pointer => LlvmScalar::Ptr,
        Scalar::Float(FloatKind::F16) => LlvmScalar::Half,
        Scalar::Float(FloatKind::BF16) => LlvmScalar::BFloat,
        Scalar::Float(FloatKind::F32) => LlvmScalar::Float,
        Scalar::Float(FloatKind::F64) => LlvmScalar::Double,
        Scalar::Float(FloatKind::F128) => LlvmScalar::Fp128,
        Scalar::Float(FloatKind::Long) => return None,
    })
}
