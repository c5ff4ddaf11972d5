//! 32-bit x86: System V, Darwin, Win32 with MSVC and MinGW, and their conventions with registers
//! (clang/lib/CodeGen/Targets/X86.cpp, `X86_32ABIInfo`).

use crate::families::i386::sysv::small_records_in_registers;
use crate::families::x86_64::clang_windows::{in_vector_registers, is_single, vector_members};
use crate::layout::record::is_plain_data;
use crate::members::fills_words;
use crate::prelude::*;
use crate::to_llvm::call::{Call, Direct, Found, How, Indirect};
use crate::to_llvm::facts::{is_aggregate, is_empty_record};
use crate::to_llvm::signature::InAllocaField;
use crate::types::Flexible;

/// Registers that are still free, and facts about the convention.
struct Rules<'a> {
    call: &'a Call<'a>,
    ints: u64,
    vectors: u64,
    /// Records and vectors are passed as by Microsoft's compiler.
    microsoft: bool,
    darwin: bool,
    fastcall: bool,
    vectorcall: bool,
}

pub(crate) fn lower(call: &Call) -> Result<Found, AbiError> {
    let microsoft = call.target.has_microsoft_library();
    let (ints, vectors) = match call.convention {
        Convention::Fastcall => (2, 3),
        Convention::Vectorcall => (2, 6),
        _ if call.signature.modifiers.regparm > 0 => (call.signature.modifiers.regparm.into(), 0),
        // Microsoft, "argument passing": since Visual C++ 2015 the first three vectors are passed in registers.
        _ => (0, if microsoft { 3 } else { 0 }),
    };
    let mut rules = Rules {
        call,
        ints,
        vectors,
        microsoft,
        darwin: call.target.os == Os::Darwin,
        fastcall: call.convention == Convention::Fastcall,
        vectorcall: call.convention == Convention::Vectorcall,
    };
    let ret = match call.cxx_result()? {
        Some(indirect) => How::Indirect(Indirect { in_reg: rules.take_pointer(), ..indirect }),
        None => rules.result(call.ret).map_err(|e| e.at(Subject::Result))?,
    };
    let mut assigned: Vec<Option<How>> = call.params.iter().map(|_| None).collect();
    if rules.vectorcall {
        // The first pass gives vector registers to vectors and floating-point numbers.
        for (slot, ty) in assigned.iter_mut().zip(&call.params) {
            if is_single(ty) && !matches!(ty, CType::BitInt { .. }) && vector_members(call.types, ty)?.is_some() {
                *slot = rules.take_vector(1).then(|| call.plain(ty, false)).transpose()?.map(in_reg);
            }
        }
    }
    let args = call.each_param(|i, ty| match assigned[i].take() {
        Some(how) => Ok(how),
        None => rules.argument(i, ty),
    })?;
    let mut found = Found { ret, args, block: None };
    if found.args.iter().any(|how| matches!(how, How::InAlloca(_))) {
        into_block(call, &mut found)?;
    }
    Ok(found)
}

fn in_reg(direct: Direct) -> How {
    How::Direct(Direct { in_reg: true, ..direct })
}

impl Rules<'_> {
    /// Takes a register for a pointer that the convention adds.
    fn take_pointer(&mut self) -> bool {
        let free = self.ints > 0;
        self.ints = self.ints.saturating_sub(1);
        free
    }

    fn take_vector(&mut self, count: u64) -> bool {
        let free = self.vectors >= count;
        self.vectors -= if free { count } else { 0 };
        free
    }

    /// Takes integer registers for a value; if one does not fit, no later value gets any.
    fn take_ints(&mut self, ty: &CType) -> Result<bool, AbiError> {
        let inner = Flexible::Counts.single_element(&self.call.types.layout, ty)?.unwrap_or(ty);
        if matches!(inner, CType::Scalar(Scalar::Float(FloatKind::F32 | FloatKind::F64))) {
            return Ok(false);
        }
        let words = self.call.types.size(ty)?.div_ceil(4);
        if words == 0 {
            return Ok(false);
        }
        if words > self.ints {
            self.ints = 0;
            return Ok(false);
        }
        self.ints -= words;
        Ok(true)
    }

    fn indirect_result(&mut self, ty: &CType) -> Result<How, AbiError> {
        let in_reg = !self.fastcall && !self.vectorcall && self.take_pointer();
        let align = self.call.types.align(ty)?;
        Ok(How::Indirect(Indirect { align, by_val: false, in_reg, after_this: false }))
    }

    fn result(&mut self, ty: &CType) -> Result<How, AbiError> {
        if *ty == CType::Void {
            return Ok(How::Ignore);
        }
        let types = self.call.types;
        if self.vectorcall && vector_members(types, ty)?.is_some() {
            return Ok(How::Direct(self.call.plain(ty, false)?));
        }
        let size = types.size(ty)?;
        if let CType::Vector { lanes, .. } = ty {
            if !self.darwin {
                return Ok(How::Direct(self.call.plain(ty, false)?));
            }
            return Ok(match size {
                16 => How::direct(LlvmType::Vector { lane: LlvmScalar::Int(64), lanes: 2 }),
                1 | 2 | 4 => How::int(size),
                8 if *lanes == 1 => How::int(8),
                _ => self.indirect_result(ty)?,
            });
        }
        if !is_aggregate(ty) {
            return match ty {
                CType::BitInt { bits: 65.., .. } => self.indirect_result(ty),
                _ => Ok(How::Direct(self.call.plain(ty, true)?)),
            };
        }
        let complex = matches!(ty, CType::Complex(_));
        if ty.has_flexible_array() || (!small_records_in_registers(&self.call.target) && !complex) {
            return self.indirect_result(ty);
        }
        if is_empty_record(ty) {
            return Ok(How::Ignore);
        }
        if *ty == CType::complex(FloatKind::F16) {
            return Ok(How::direct(LlvmType::Vector { lane: LlvmScalar::Half, lanes: 2 }));
        }
        if !Flexible::Counts.fits_registers(&types.layout, ty)? {
            return self.indirect_result(ty);
        }
        if let Some(inner) = Flexible::Counts.single_element(&types.layout, ty)? {
            let float = matches!(inner, CType::Scalar(Scalar::Float(_)));
            if (float && !self.microsoft) || *inner == CType::PTR {
                return Ok(How::direct(types.value(inner)?));
            }
        }
        Ok(How::int(size))
    }

    /// An argument by address, in a register if one is free.
    fn by_pointer(&mut self, ty: &CType) -> Result<How, AbiError> {
        let align = self.call.types.align(ty)?;
        Ok(How::Indirect(Indirect { align, by_val: false, in_reg: self.take_pointer(), after_this: false }))
    }

    /// A copy on the stack.
    fn by_val(&self, ty: &CType) -> Result<How, AbiError> {
        Ok(How::indirect(self.stack_align(ty)?, true))
    }

    fn stack_align(&self, ty: &CType) -> Result<u32, AbiError> {
        let align = self.call.types.align(ty)?;
        let linux = self.call.target.os == Os::Linux || self.call.target.is_cygming();
        Ok(match ty {
            CType::Vector { .. } if linux && matches!(align, 16 | 32 | 64) => align,
            _ if self.darwin && align >= 16 && self.holds_vector(ty)? => 16,
            _ => 4,
        })
    }

    /// Whether the type is a vector of 16 bytes, or a record with one in it.
    fn holds_vector(&self, ty: &CType) -> Result<bool, AbiError> {
        Ok(match ty {
            CType::Vector { .. } => self.call.types.size(ty)? == 16,
            CType::Record(record) => {
                for field in record.fields() {
                    if self.holds_vector(&field.ty)? {
                        return Ok(true);
                    }
                }
                false
            }
            _ => false,
        })
    }

    fn argument(&mut self, index: usize, ty: &CType) -> Result<How, AbiError> {
        let types = self.call.types;
        if let CType::Record(record) = ty
            && record.language() == Language::Cxx
        {
            // Microsoft: classes that cannot be copied bitwise are constructed in place, unless they have an alignment
            // of their own.
            if self.call.target.env == Env::Msvc && record.is_non_trivial() && record.min_align().is_none() {
                return Ok(How::InAlloca(InAllocaField { index: 0, offset: 0, indirect: false }));
            }
            if record.is_non_trivial() {
                return self.by_pointer(ty);
            }
        }
        if self.vectorcall
            && let Some(members) = vector_members(types, ty)?
        {
            if self.take_vector(members.into()) {
                return in_vector_registers(self.call, ty);
            }
            return match ty {
                CType::Scalar(_) => Ok(How::Direct(self.call.plain(ty, false)?)),
                _ => self.by_pointer(ty),
            };
        }
        if is_aggregate(ty) {
            return self.aggregate(index, ty);
        }
        let size = types.size(ty)?;
        if let CType::Vector { lane, lanes } = ty {
            if self.microsoft {
                return if size <= 64 && self.take_vector(1) {
                    Ok(in_reg(self.call.plain(ty, false)?))
                } else {
                    self.by_pointer(ty)
                };
            }
            if self.darwin && (matches!(size, 1 | 2 | 4) || (size == 8 && *lanes == 1)) {
                return Ok(How::int(size));
            }
            let bytes = types.layout.scalar(*lane)?.size;
            // A vector that looks like an MMX vector is passed as an integer.
            let mmx = bytes * *lanes as u64 == 8 && matches!(lane, Scalar::Int { bits: ..64, .. });
            return Ok(if mmx { How::int(8) } else { How::Direct(self.call.plain(ty, false)?) });
        }
        let pointer_or_int = size <= 4 && !matches!(ty, CType::Scalar(Scalar::Float(_)));
        let in_reg = (pointer_or_int || !(self.fastcall || self.vectorcall)) && self.take_ints(ty)?;
        if let CType::BitInt { bits: 65.., .. } = ty {
            return self.by_pointer(ty);
        }
        Ok(How::Direct(Direct { in_reg, ..self.call.plain(ty, true)? }))
    }

    fn aggregate(&mut self, index: usize, ty: &CType) -> Result<How, AbiError> {
        let types = self.call.types;
        if ty.has_flexible_array() {
            return self.by_val(ty);
        }
        if !self.microsoft && is_empty_record(ty) {
            return Ok(How::Ignore);
        }
        let size = types.size(ty)?;
        let mut padding = false;
        // Microsoft passes no aggregates in registers.
        if !self.microsoft && self.take_ints(ty)? {
            if !self.fastcall && !self.vectorcall {
                let words = alloc::vec![LlvmType::int(32); size.div_ceil(4) as usize];
                return Ok(in_reg(Direct::new(types.structure(words)?)));
            }
            padding = size <= 4 && self.ints > 0;
        }
        if self.microsoft
            && self.call.is_named(index)
            && matches!(ty, CType::Record(_))
            && types.layout.measure(ty)?.required > 4
        {
            return self.by_pointer(ty);
        }
        if size <= 16 && self.can_expand(ty)? {
            return Ok(How::Expand { padding: padding && (self.fastcall || self.vectorcall) });
        }
        self.by_val(ty)
    }

    /// Do the members one by one occupy the stack as the record does?
    fn can_expand(&self, ty: &CType) -> Result<bool, AbiError> {
        let CType::Record(record) = ty else { return Ok(false) };
        let c_like = record.language() == Language::C || (record.class().c_like && is_plain_data(record));
        if !c_like && !self.microsoft {
            return Ok(false);
        }
        fills_words(&self.call.types.layout, ty, self.call.types.size(ty)?)
    }
}

/// Moves everything that is not in a register into the argument block (`rewriteWithInAlloca`).
fn into_block(call: &Call, found: &mut Found) -> Result<(), AbiError> {
    let types = call.types;
    let mut fields: Vec<LlvmType> = Vec::new();
    let mut offset = 0u64;
    let mut add = |how: &mut How, ty: &CType| -> Result<(), AbiError> {
        let indirect = matches!(how, How::Indirect(Indirect { by_val: false, .. }));
        *how = How::InAlloca(InAllocaField { index: fields.len() as u32, offset, indirect });
        let (ir, size) = if indirect { (LlvmType::PTR, 4) } else { (types.memory(ty)?, types.size(ty)?) };
        fields.push(ir);
        let end = offset + size;
        offset = end.next_multiple_of(4);
        if offset != end {
            fields.push(LlvmType::array(LlvmType::int(8), offset - end));
        }
        Ok(())
    };
    let in_block = |how: &How| match how {
        How::InAlloca(_) | How::Expand { .. } => true,
        How::Ignore => false,
        How::Direct(direct) => !direct.in_reg,
        How::Indirect(indirect) => !indirect.in_reg,
    };
    let thiscall = call.convention == Convention::Thiscall;
    let mut first = 0;
    if let How::Indirect(Indirect { in_reg, after_this, .. }) = found.ret {
        if after_this && !thiscall && found.args.first().is_some_and(in_block) {
            add(&mut found.args[0], call.params[0])?;
            first = 1;
        }
        if !in_reg {
            add(&mut found.ret, call.ret).map_err(|e| e.at(Subject::Result))?;
        }
    }
    // Under thiscall `this` is in ecx.
    if thiscall && found.args.first().is_some_and(|how| !matches!(how, How::Direct(_))) {
        let reason = "thiscall with an argument block wants a pointer in ecx";
        return Err(AbiError::new(Subject::Param(0), reason));
    }
    first += usize::from(thiscall);
    for (i, how) in found.args.iter_mut().enumerate().skip(first) {
        if in_block(how) {
            add(how, call.params[i]).map_err(|e| e.at(Subject::Param(i)))?;
        }
    }
    found.block = Some(LlvmType::structure(types.layout.llvm_struct(fields, true)?));
    Ok(())
}
