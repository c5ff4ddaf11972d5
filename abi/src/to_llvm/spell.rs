//! Makes IR parameters from how values are passed.

use super::call::{Call, Direct, Found, How, Indirect};
use super::signature::{IrAttrs, IrParam, IrPart, IrRole, LlvmSignature, Lowered, LoweredResult};
use crate::error::{AbiError, Subject};
use crate::types::{CType, LlvmType, RecordKind};
use alloc::vec::Vec;

impl Call<'_> {
    /// Counts and spells the IR parameters (CGCall.cpp, `ClangToLLVMArgMapping` and `ConstructAttributeList`).
    pub(crate) fn spell(&self, found: Found) -> Result<LlvmSignature, AbiError> {
        let mut spelled = LlvmSignature {
            convention: self.convention,
            keyword: self.keyword,
            ret: IrParam::new(LlvmType::Void),
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
            spelled.params.insert(at, IrParam { ty: LlvmType::PTR, attrs });
            if let Some(variadic) = &mut spelled.variadic {
                *variadic += 1;
            }
        }
        if self.is_variadic() && spelled.variadic.is_none() {
            spelled.variadic = Some(spelled.params.len());
        }
        if self.returns_this() {
            spelled.ret = IrParam::new(LlvmType::PTR);
            if let Some(this) = spelled.params.first_mut() {
                this.attrs.returned = true;
            }
        }
        Ok(spelled)
    }

    /// Makes the result; and the parameter for its address, if there is one, and whether it comes after `this`.
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
                return Ok(Some((IrParam { ty: LlvmType::PTR, attrs }, after_this)));
            }
            How::InAlloca(field) => {
                spelled.ret.ty = LlvmType::PTR;
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
                params.push(IrParam { ty: LlvmType::PTR, attrs });
                Lowered::Indirect { param: first, by_val, align }
            }
            How::Expand { padding } => {
                if padding {
                    let attrs = IrAttrs { in_reg: true, ..IrAttrs::default() };
                    params.push(IrParam { ty: LlvmType::int(32), attrs });
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

/// The IR values of a directly passed value; a struct's fields if `flatten`.
fn parts(direct: &Direct, flatten: bool) -> Vec<IrPart> {
    match &direct.ty {
        LlvmType::Struct(body) if flatten => {
            let part = |(offset, ty): &(u64, LlvmType)| IrPart { offset: direct.offset + offset, ty: ty.clone() };
            body.fields.iter().map(part).collect()
        }
        ty => alloc::vec![IrPart { offset: direct.offset, ty: ty.clone() }],
    }
}
