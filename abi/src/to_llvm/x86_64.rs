//! System V x86-64 (clang/lib/CodeGen/Targets/X86.cpp, `X86_64ABIInfo`).

use super::facts::{is_aggregate, is_non_trivial, single_element};
use super::ir::IrType;
use super::records::Types;
use super::{Call, Found, How, pair};
use crate::conventions::sysv64::{Class, merge};
use crate::error::{AbiError, Subject};
use crate::target::Os;
use crate::types::{CType, FloatKind, LlvmScalar, Record, RecordKind, Scalar};

type Classes = [Class; 2];
const MEMORY: Classes = [Class::Memory, Class::None];

pub(super) fn lower(call: &Call) -> Result<Found, AbiError> {
    let rules = Rules { call, types: call.types };
    let mut ints = 6;
    let mut floats = 8;
    let ret = match call.cxx_result()? {
        Some(indirect) => How::Indirect(indirect),
        None => rules.result(call.ret).map_err(|e| e.at(Subject::Result))?,
    };
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
    Ok(Found::new(ret, args))
}

struct Rules<'a> {
    call: &'a Call<'a>,
    types: &'a Types,
}

impl Rules<'_> {
    fn vector_bytes(&self) -> u64 {
        self.call.target.features.vector_bytes.max(16).into()
    }

    /// Linux and NetBSD keep wide vectors of 128-bit integers in memory, as GCC does.
    fn wide_int_vectors_in_memory(&self) -> bool {
        matches!(self.call.target.os, Os::Linux | Os::NetBsd)
    }

    /// Darwin and FreeBSD pass `<1 x long long>` as an integer, as old versions of clang did.
    fn lone_long_is_integer(&self) -> bool {
        matches!(self.call.target.os, Os::Darwin | Os::Bsd)
    }

    /// psABI, section 3.2.3, "Classification", rule 5; Darwin keeps to an older revision.
    fn merge_whole(&self, [mut lo, mut hi]: Classes, size: u64) -> Classes {
        let darwin = self.call.target.os == Os::Darwin;
        if hi == Class::Memory
            || (hi == Class::X87Up && lo != Class::X87 && !darwin)
            || (size > 16 && (lo != Class::Sse || hi != Class::SseUp))
        {
            lo = Class::Memory;
        }
        if hi == Class::SseUp && lo != Class::Sse {
            hi = Class::Sse;
        }
        [lo, hi]
    }

    /// The classes of a value at `offset` bytes into the argument.
    fn classify(&self, ty: &CType, offset: u64, named: bool) -> Result<Classes, AbiError> {
        let at = |class| if offset < 8 { [class, Class::None] } else { [Class::None, class] };
        let size = if *ty == CType::Void { 0 } else { self.types.size(ty)? };
        // A value that crosses into the second eightbyte has its class there, too.
        let split = |class: Class, last: u64| {
            let classes = at(class);
            if offset / 8 != last / 8 { [classes[0], if offset < 8 { class } else { classes[1] }] } else { classes }
        };
        Ok(match ty {
            CType::Void => [Class::None; 2],
            CType::Scalar(scalar) => match scalar {
                Scalar::Int { bits: 128, .. } => [Class::Integer; 2],
                Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer => at(Class::Integer),
                Scalar::Float(kind) => match self.types.float(*kind)? {
                    LlvmScalar::Fp128 => [Class::Sse, Class::SseUp],
                    LlvmScalar::X86Fp80 => [Class::X87, Class::X87Up],
                    _ => at(Class::Sse),
                },
            },
            CType::BitInt { bits, .. } => match bits {
                ..=64 => at(Class::Integer),
                65..=128 => [Class::Integer; 2],
                _ => at(Class::Memory),
            },
            CType::Complex(part @ Scalar::Float(kind)) => {
                let half = self.types.layout.scalar(*part)?.size;
                match self.types.float(*kind)? {
                    LlvmScalar::Double => [Class::Sse; 2],
                    LlvmScalar::X86Fp80 => [Class::ComplexX87; 2],
                    LlvmScalar::Fp128 => split(Class::Memory, offset + half),
                    _ => split(Class::Sse, offset + half),
                }
            }
            CType::Complex(part) => match size {
                ..=8 => split(Class::Integer, offset + self.types.layout.scalar(*part)?.size),
                9..=16 => [Class::Integer; 2],
                _ => split(Class::Memory, offset + size / 2),
            },
            CType::Vector { lane, .. } => self.vector(*lane, size, offset, named, &at, &split),
            CType::Array(array) => self.array(array.element(), array.len(), size, offset, named)?,
            CType::Record(record) => self.record(ty, record, size, offset, named)?,
        })
    }

    fn vector(
        &self,
        lane: Scalar,
        size: u64,
        offset: u64,
        named: bool,
        at: &impl Fn(Class) -> Classes,
        split: &impl Fn(Class, u64) -> Classes,
    ) -> Classes {
        match size {
            1 | 2 | 4 => split(Class::Integer, offset + size - 1),
            8 if lane == Scalar::Float(FloatKind::F64) => at(Class::Memory),
            8 => {
                let lone = matches!(lane, Scalar::Int { bits: 64, .. }) && self.lone_long_is_integer();
                let class = if lone { Class::Integer } else { Class::Sse };
                if !offset.is_multiple_of(8) { split(class, offset + 7) } else { at(class) }
            }
            _ if size == 16 || (named && size <= self.vector_bytes()) => {
                let wide_int = matches!(lane, Scalar::Int { bits: 128, .. });
                if size != 16 && wide_int && self.wide_int_vectors_in_memory() {
                    return at(Class::Memory);
                }
                [Class::Sse, Class::SseUp]
            }
            _ => at(Class::Memory),
        }
    }

    fn array(&self, element: &CType, len: u64, size: u64, offset: u64, named: bool) -> Result<Classes, AbiError> {
        let memory = if offset < 8 { MEMORY } else { [Class::None, Class::Memory] };
        let each = self.types.layout.layout(element)?;
        let misaligned = !offset.is_multiple_of(each.align as u64);
        if size > 64 || misaligned {
            return Ok(memory);
        }
        if size > 16 && (size != each.size || size > self.vector_bytes()) {
            // Other members of a union decide, if there are any.
            return Ok([Class::None; 2]);
        }
        let mut classes = [Class::None; 2];
        // Elements without size are all at one place.
        for i in 0..if each.size == 0 { len.min(1) } else { len } {
            let [lo, hi] = self.classify(element, offset + i * each.size, named)?;
            classes = [merge(classes[0], lo), merge(classes[1], hi)];
            if classes.contains(&Class::Memory) {
                break;
            }
        }
        Ok(self.merge_whole(classes, size))
    }

    fn record(&self, ty: &CType, record: &Record, size: u64, offset: u64, named: bool) -> Result<Classes, AbiError> {
        let memory = if offset < 8 { MEMORY } else { [Class::None, Class::Memory] };
        if size > 64 || record.is_non_trivial() || ty.has_flexible_array() {
            return Ok(memory);
        }
        let offsets = self.types.layout.record(record)?.bit_offsets;
        let mut classes = [Class::None; 2];
        for (field, relative) in record.fields().iter().zip(offsets) {
            let bit_offset = 8 * offset + relative;
            if field.bits.is_some() && !field.named {
                continue;
            }
            let member = self.types.layout.layout(&field.ty)?;
            let fills = record.kind() == RecordKind::Union || member.size == size;
            let misaligned = field.bits.is_none() && !(bit_offset / 8).is_multiple_of(member.align as u64);
            if (size > 16 && (!fills || size > self.vector_bytes())) || misaligned {
                classes[0] = Class::Memory;
                break;
            }
            let [lo, hi] = match field.bits {
                Some(bits) => {
                    let (first, last) = (bit_offset / 64, (bit_offset + bits.max(1) as u64 - 1) / 64);
                    [
                        if first == 0 { Class::Integer } else { Class::None },
                        if last != 0 { Class::Integer } else { Class::None },
                    ]
                }
                None => self.classify(&field.ty, bit_offset / 8, named)?,
            };
            classes = [merge(classes[0], lo), merge(classes[1], hi)];
            if classes.contains(&Class::Memory) {
                break;
            }
        }
        Ok(self.merge_whole(classes, size))
    }

    /// A value that travels in memory.
    fn memory(&self, ty: &CType, free_ints: usize) -> Result<How, AbiError> {
        if !is_aggregate(ty) && !self.is_illegal_vector(ty)? && !matches!(ty, CType::BitInt { .. }) {
            return Ok(How::Direct(self.call.plain(ty, true)?));
        }
        if is_non_trivial(ty) {
            return self.call.natural(ty, false);
        }
        let layout = self.types.layout.layout(ty)?;
        let align = layout.align.max(8);
        // With no register left, an integer lands where the value has to be.
        if free_ints == 0 && align == 8 && layout.size <= 8 {
            return Ok(How::int(layout.size));
        }
        Ok(How::indirect(align, true))
    }

    fn is_illegal_vector(&self, ty: &CType) -> Result<bool, AbiError> {
        let CType::Vector { lane, .. } = ty else { return Ok(false) };
        let size = self.types.size(ty)?;
        let wide_int = matches!(lane, Scalar::Int { bits: 128, .. });
        Ok(size <= 8 || size > self.vector_bytes() || (wide_int && self.wide_int_vectors_in_memory()))
    }

    fn result(&self, ty: &CType) -> Result<How, AbiError> {
        let classes = self.classify(ty, 0, true)?;
        match classes {
            [Class::None, Class::None] => Ok(How::Ignore),
            [Class::Memory, _] if is_aggregate(ty) || matches!(ty, CType::BitInt { .. }) => {
                self.call.natural(ty, false)
            }
            [Class::Memory, _] => Ok(How::Direct(self.call.plain(ty, true)?)),
            [Class::X87, Class::X87Up | Class::None] => Ok(How::direct(IrType::Scalar(LlvmScalar::X86Fp80))),
            [Class::ComplexX87, _] => {
                let part = IrType::Scalar(LlvmScalar::X86Fp80);
                Ok(How::direct(pair(&self.types.layout, part.clone(), part)?))
            }
            _ => self.in_registers(ty, classes),
        }
    }

    /// An argument, with the integer and vector registers that it needs.
    fn argument(&self, ty: &CType, free_ints: usize, named: bool) -> Result<(How, usize, usize), AbiError> {
        let classes = self.classify(ty, 0, named)?;
        match classes {
            [Class::None, Class::None] => return Ok((How::Ignore, 0, 0)),
            [Class::Memory | Class::X87 | Class::ComplexX87, _] => {
                let ints = usize::from(is_non_trivial(ty));
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
                let is_int = matches!(low, IrType::Scalar(LlvmScalar::Int(_)));
                if hi == Class::None && is_int && super::facts::is_promotable(ty) {
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
                let mut direct = super::Direct::new(high);
                direct.offset = 8;
                How::Direct(direct)
            }
            (None, None) => How::Ignore,
        })
    }

    /// The struct of two eightbytes, the first widened so that the second starts at 8.
    fn two(&self, mut low: IrType, high: IrType) -> Result<IrType, AbiError> {
        let layout = &self.types.layout;
        let start = low.layout(layout)?.size.next_multiple_of(high.layout(layout)?.align.into());
        if start != 8 {
            low = match low {
                IrType::Scalar(LlvmScalar::Half | LlvmScalar::Float) => IrType::Scalar(LlvmScalar::Double),
                _ => IrType::int(64),
            };
        }
        pair(layout, low, high)
    }

    /// The vector type for a value that fills a vector register.
    fn vector_type(&self, ty: &CType) -> Result<IrType, AbiError> {
        let inner = single_element(self.types, ty)?.unwrap_or(ty);
        Ok(match self.types.value(inner)? {
            IrType::Vector { lane: LlvmScalar::Int(128), .. } if self.wide_int_vectors_in_memory() => {
                IrType::Vector { lane: LlvmScalar::Int(64), lanes: (self.types.size(inner)? / 8) as u32 }
            }
            vector @ IrType::Vector { .. } => vector,
            quad @ IrType::Scalar(LlvmScalar::Fp128) => quad,
            _ => IrType::Vector { lane: LlvmScalar::Double, lanes: (self.types.size(ty)? / 8) as u32 },
        })
    }

    /// The floating-point type in `ir` at `offset`.
    fn float_at(&self, ir: &IrType, offset: u64) -> Result<Option<LlvmScalar>, AbiError> {
        Ok(match ir {
            IrType::Scalar(LlvmScalar::Int(_) | LlvmScalar::Ptr) => None,
            IrType::Scalar(float) if offset == 0 => Some(*float),
            IrType::Struct(body) => match body.at(offset) {
                Some((start, ty)) => self.float_at(ty, offset - start)?,
                None => None,
            },
            IrType::Array { element, .. } => match element.layout(&self.types.layout)?.size {
                0 => None,
                size => self.float_at(element, offset % size)?,
            },
            _ => None,
        })
    }

    /// An IR type that travels in the low eight bytes of a vector register.
    fn sse_at(&self, ir: &IrType, offset: u64, whole: &CType, source: u64) -> Result<IrType, AbiError> {
        use LlvmScalar::{BFloat, Double, Float, Half};
        let is_half = |ty: LlvmScalar| matches!(ty, Half | BFloat);
        let double = IrType::Scalar(Double);
        let left = self.types.size(whole)? - source;
        let Some(first) = self.float_at(ir, offset)?.filter(|ty| *ty != Double) else { return Ok(double) };
        let size = self.types.layout.llvm_scalar(first)?.size;
        let mut second = if left > size { self.float_at(ir, offset + size)? } else { None };
        if second.is_none() && is_half(first) && left > 4 {
            // A half and a float, which its alignment puts at 4.
            second = self.float_at(ir, offset + 4)?;
        }
        let Some(second) = second else { return Ok(IrType::Scalar(first)) };
        let vector = |lane, lanes| IrType::Vector { lane, lanes };
        if first == Float && second == Float {
            return Ok(vector(Float, 2));
        }
        if is_half(first) && is_half(second) {
            let third = if left > 4 { self.float_at(ir, offset + 4)? } else { None };
            return Ok(vector(first, if third.is_some() { 4 } else { 2 }));
        }
        Ok(if is_half(first) || is_half(second) { vector(Half, 4) } else { double })
    }

    /// An IR type that travels in an integer register.
    fn int_at(&self, ir: &IrType, offset: u64, whole: &CType, source: u64) -> Result<IrType, AbiError> {
        if offset == 0 {
            match ir {
                IrType::Scalar(LlvmScalar::Ptr | LlvmScalar::Int(64)) => return Ok(ir.clone()),
                // Only if nothing but padding follows.
                IrType::Scalar(LlvmScalar::Int(bits @ (8 | 16 | 32)))
                    if self.no_data(whole, source * 8 + *bits as u64, source * 8 + 64)? =>
                {
                    return Ok(ir.clone());
                }
                _ => {}
            }
        }
        let left = self.types.size(whole)? - source;
        match ir {
            IrType::Struct(body) if offset < ir.layout(&self.types.layout)?.size => {
                if let Some((start, ty)) = body.at(offset) {
                    return self.int_at(ty, offset - start, whole, source);
                }
            }
            IrType::Array { element, .. } => {
                let size = element.layout(&self.types.layout)?.size;
                if size != 0 {
                    return self.int_at(element, offset % size, whole, source);
                }
            }
            _ => {}
        }
        Ok(IrType::int(8 * left.min(8) as u32))
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
