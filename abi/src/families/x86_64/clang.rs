//! System V x86-64 (clang/lib/CodeGen/Targets/X86.cpp, `X86_64ABIInfo`).

use crate::error::AbiError;
use crate::families::x86_64::classes::{Class, Classes, Classifier, Dialect};
use crate::to_llvm::call::{Call, Direct, Found, How};
use crate::to_llvm::facts::is_aggregate;
use crate::to_llvm::records::Types;
use crate::types::Flexible;
use crate::types::{CType, LlvmScalar, LlvmType};

pub(crate) fn lower(call: &Call) -> Result<Found, AbiError> {
    let rules = Rules { call, types: call.types };
    let mut ints = 6;
    let mut floats = 8;
    let ret = call.result(|ty| rules.result(ty))?;
    if let How::Indirect(_) = ret {
        ints -= 1;
    }
    let args = call.each_param(|i, ty| {
        let (how, need_ints, need_floats) = rules.argument(ty, ints, call.is_named(i))?;
        if need_ints <= ints && need_floats <= floats {
            ints -= need_ints;
            floats -= need_floats;
            return Ok(how);
        }
        rules.memory(ty, ints)
    })?;
    Ok(Found { ret, args, block: None })
}

struct Rules<'a> {
    call: &'a Call<'a>,
    types: &'a Types,
}

impl Rules<'_> {
    fn classifier(&self, named: bool) -> Classifier {
        let target = &self.call.target;
        Classifier::new(target, Dialect::clang(target.os), named)
    }

    fn classes(&self, ty: &CType, named: bool) -> Result<Classes, AbiError> {
        self.classifier(named).whole(ty, self.types.size(ty)?)
    }

    /// A value that is passed in memory.
    fn memory(&self, ty: &CType, free_ints: usize) -> Result<How, AbiError> {
        if !is_aggregate(ty) && !self.is_illegal_vector(ty)? && !matches!(ty, CType::BitInt { .. }) {
            return Ok(How::Direct(self.call.plain(ty, true)?));
        }
        if ty.is_non_trivial() {
            return self.call.natural(ty, false);
        }
        let layout = self.types.layout.layout(ty)?;
        let align = layout.align.max(8);
        // If no register is left, an integer is passed where the value must be.
        if free_ints == 0 && align == 8 && layout.size <= 8 {
            return Ok(How::int(layout.size));
        }
        Ok(How::indirect(align, true))
    }

    fn is_illegal_vector(&self, ty: &CType) -> Result<bool, AbiError> {
        let CType::Vector { lane, .. } = ty else { return Ok(false) };
        let classifier = self.classifier(true);
        let size = self.types.size(ty)?;
        Ok(size <= 8 || size > classifier.vector_bytes || classifier.wide_int_in_memory(*lane))
    }

    fn result(&self, ty: &CType) -> Result<How, AbiError> {
        let classes = self.classes(ty, true)?;
        match classes {
            [Class::None, Class::None] => Ok(How::Ignore),
            [Class::Memory, _] if is_aggregate(ty) || matches!(ty, CType::BitInt { .. }) => {
                self.call.natural(ty, false)
            }
            [Class::Memory, _] => Ok(How::Direct(self.call.plain(ty, true)?)),
            [Class::X87, Class::X87Up | Class::None] => Ok(How::direct(LlvmType::Scalar(LlvmScalar::X86Fp80))),
            [Class::ComplexX87, _] => {
                let part = LlvmType::Scalar(LlvmScalar::X86Fp80);
                Ok(How::direct(self.types.structure([part.clone(), part])?))
            }
            _ => self.in_registers(ty, classes),
        }
    }

    /// An argument, with the integer and vector registers that it needs.
    fn argument(&self, ty: &CType, free_ints: usize, named: bool) -> Result<(How, usize, usize), AbiError> {
        let classes = self.classes(ty, named)?;
        match classes {
            [Class::None, Class::None] => return Ok((How::Ignore, 0, 0)),
            [Class::Memory | Class::X87 | Class::ComplexX87, _] => {
                let ints = usize::from(ty.is_non_trivial());
                return Ok((self.memory(ty, free_ints)?, ints, 0));
            }
            _ => {}
        }
        let ints = classes.iter().filter(|class| **class == Class::Integer).count();
        let floats = classes.iter().filter(|class| matches!(class, Class::Sse | Class::X87Up)).count();
        Ok((self.in_registers(ty, classes)?, ints, floats))
    }

    fn in_registers(&self, ty: &CType, [lo, hi]: Classes) -> Result<How, AbiError> {
        let ir = self.types.value(ty)?;
        let low = match lo {
            Class::Integer => {
                let low = self.int_at(&ir, 0, ty, 0)?;
                let is_int = matches!(low, LlvmType::Scalar(LlvmScalar::Int(_)));
                if hi == Class::None && is_int && ty.small_int().is_some() {
                    return Ok(How::Direct(self.call.plain(ty, true)?));
                }
                Some(low)
            }
            Class::Sse if hi == Class::SseUp => return Ok(How::direct(self.vector_type(ty)?)),
            Class::Sse => Some(self.sse_at(&ir, 0, ty, 0)?),
            Class::None => None,
            _ => return Err(AbiError::ty("the classes of its eightbytes do not go together")),
        };
        let high = match hi {
            Class::None => None,
            Class::Integer => Some(self.int_at(&ir, 8, ty, 8)?),
            _ => Some(self.sse_at(&ir, 8, ty, 8)?),
        };
        Ok(match (low, high) {
            (Some(low), None) => How::direct(low),
            (Some(low), Some(high)) => How::direct(self.two(low, high)?),
            (None, Some(high)) => {
                let mut direct = Direct::new(high);
                direct.offset = 8;
                How::Direct(direct)
            }
            (None, None) => How::Ignore,
        })
    }

    /// The struct of two eightbytes, with the first widened so that the second starts at 8.
    fn two(&self, mut low: LlvmType, high: LlvmType) -> Result<LlvmType, AbiError> {
        let layout = &self.types.layout;
        let start = layout.llvm(&low)?.size.next_multiple_of(layout.llvm(&high)?.align.into());
        if start != 8 {
            low = match low {
                LlvmType::Scalar(LlvmScalar::Half | LlvmScalar::Float) => LlvmType::Scalar(LlvmScalar::Double),
                _ => LlvmType::int(64),
            };
        }
        self.types.structure([low, high])
    }

    /// The vector type for a value that fills a vector register.
    fn vector_type(&self, ty: &CType) -> Result<LlvmType, AbiError> {
        let inner = Flexible::Counts.single_element(&self.types.layout, ty)?.unwrap_or(ty);
        Ok(match self.types.value(inner)? {
            LlvmType::Vector { lane: LlvmScalar::Int(128), .. }
                if self.classifier(true).dialect.wide_int_vectors_in_memory =>
            {
                LlvmType::Vector { lane: LlvmScalar::Int(64), lanes: (self.types.size(inner)? / 8) as u32 }
            }
            vector @ LlvmType::Vector { .. } => vector,
            quad @ LlvmType::Scalar(LlvmScalar::Fp128) => quad,
            _ => LlvmType::Vector { lane: LlvmScalar::Double, lanes: (self.types.size(ty)? / 8) as u32 },
        })
    }

    /// The floating-point type in `ir` at `offset`.
    fn float_at(&self, ir: &LlvmType, offset: u64) -> Result<Option<LlvmScalar>, AbiError> {
        Ok(match ir {
            LlvmType::Scalar(LlvmScalar::Int(_) | LlvmScalar::Ptr) => None,
            LlvmType::Scalar(float) if offset == 0 => Some(*float),
            LlvmType::Struct(body) => match body.at(offset) {
                Some((start, ty)) => self.float_at(ty, offset - start)?,
                None => None,
            },
            LlvmType::Array { element, .. } => match self.types.layout.llvm(element)?.size {
                0 => None,
                size => self.float_at(element, offset % size)?,
            },
            _ => None,
        })
    }

    /// An IR type that is passed in the low eight bytes of a vector register.
    fn sse_at(&self, ir: &LlvmType, offset: u64, whole: &CType, source: u64) -> Result<LlvmType, AbiError> {
        use LlvmScalar::{BFloat, Double, Float, Half};
        let is_half = |ty: LlvmScalar| matches!(ty, Half | BFloat);
        let double = LlvmType::Scalar(Double);
        let left = self.types.size(whole)? - source;
        let Some(first) = self.float_at(ir, offset)?.filter(|ty| *ty != Double) else { return Ok(double) };
        let size = self.types.layout.llvm_scalar(first)?.size;
        let mut second = if left > size { self.float_at(ir, offset + size)? } else { None };
        if second.is_none() && is_half(first) && left > 4 {
            // A half and a float, which is at 4 because of its alignment.
            second = self.float_at(ir, offset + 4)?;
        }
        let Some(second) = second else { return Ok(LlvmType::Scalar(first)) };
        let vector = |lane, lanes| LlvmType::Vector { lane, lanes };
        if first == Float && second == Float {
            return Ok(vector(Float, 2));
        }
        if is_half(first) && is_half(second) {
            let third = if left > 4 { self.float_at(ir, offset + 4)? } else { None };
            return Ok(vector(first, if third.is_some() { 4 } else { 2 }));
        }
        Ok(if is_half(first) || is_half(second) { vector(Half, 4) } else { double })
    }

    /// An IR type that is passed in an integer register.
    fn int_at(&self, ir: &LlvmType, offset: u64, whole: &CType, source: u64) -> Result<LlvmType, AbiError> {
        if offset == 0 {
            match ir {
                LlvmType::Scalar(LlvmScalar::Ptr | LlvmScalar::Int(64)) => return Ok(ir.clone()),
                // Only if nothing but padding follows.
                LlvmType::Scalar(LlvmScalar::Int(bits @ (8 | 16 | 32)))
                    if self.no_data(whole, source * 8 + *bits as u64, source * 8 + 64)? =>
                {
                    return Ok(ir.clone());
                }
                _ => {}
            }
        }
        let left = self.types.size(whole)? - source;
        match ir {
            LlvmType::Struct(body) if offset < self.types.layout.llvm(ir)?.size => {
                if let Some((start, ty)) = body.at(offset) {
                    return self.int_at(ty, offset - start, whole, source);
                }
            }
            LlvmType::Array { element, .. } => {
                let size = self.types.layout.llvm(element)?.size;
                if size != 0 {
                    return self.int_at(element, offset % size, whole, source);
                }
            }
            _ => {}
        }
        Ok(LlvmType::int(8 * left.min(8) as u32))
    }

    /// Whether the bits from `start` to `end` hold no data.
    fn no_data(&self, ty: &CType, start: u64, end: u64) -> Result<bool, AbiError> {
        if 8 * self.types.size(ty)? <= start {
            return Ok(true);
        }
        match ty {
            CType::Array(array) => {
                let each = 8 * self.types.size(array.element())?;
                for i in 0..array.len() {
                    let at = i * each;
                    if at >= end || each == 0 {
                        break;
                    }
                    if !self.no_data(array.element(), start.saturating_sub(at), end - at)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            CType::Record(record) => {
                let offsets = self.types.layout.record(record)?.bit_offsets;
                for (field, at) in record.fields().iter().zip(offsets) {
                    if at >= end {
                        break;
                    }
                    if !self.no_data(&field.ty, start.saturating_sub(at), end - at)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
