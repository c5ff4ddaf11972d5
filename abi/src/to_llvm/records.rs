//! The IR types that clang gives to C types, in registers and in memory.
//!
//! LLVM has neither unions nor bit-fields: a union becomes its most aligned member and padding, a run of bit-fields the
//! widest integers that can be loaded without touching other members (clang/lib/CodeGen/CGRecordLayoutBuilder.cpp).

use crate::FieldRole;
use crate::layout::ClassLayout;
use crate::layout::record::is_plain_data;
use crate::prelude::*;
use alloc::sync::Arc;

/// Turns C types into IR types.
pub(crate) struct Types {
    pub(crate) target: AbiTarget,
    pub(crate) layout: DataLayout,
}

impl Types {
    pub(crate) fn new(target: &AbiTarget) -> Types {
        Types { target: *target, layout: DataLayout::new(target) }
    }

    /// Size of a type in bytes.
    pub(crate) fn size(&self, ty: &CType) -> Result<u64, AbiError> {
        Ok(self.layout.layout(ty)?.size)
    }

    /// Alignment of a type in bytes.
    pub(crate) fn align(&self, ty: &CType) -> Result<u32, AbiError> {
        Ok(self.layout.layout(ty)?.align)
    }

    /// The IR type of a floating-point type.
    pub(crate) fn float(&self, kind: FloatKind) -> Result<LlvmScalar, AbiError> {
        Ok(match kind {
            FloatKind::F16 => LlvmScalar::Half,
            FloatKind::BF16 => LlvmScalar::BFloat,
            FloatKind::F32 => LlvmScalar::Float,
            FloatKind::F64 => LlvmScalar::Double,
            FloatKind::F128 => LlvmScalar::Fp128,
            FloatKind::Long => LlvmScalar::long_double(self.target.arch, self.layout.scalar(Scalar::Float(kind))?.size),
        })
    }

    fn scalar(&self, scalar: Scalar) -> Result<LlvmScalar, AbiError> {
        self.layout.scalar(scalar)?;
        Ok(match scalar {
            Scalar::Bool => LlvmScalar::Int(1),
            Scalar::Int { bits, .. } => LlvmScalar::Int(bits.into()),
            Scalar::Float(kind) => self.float(kind)?,
            Scalar::Pointer => LlvmScalar::Ptr,
        })
    }

    /// The IR type of a value.
    pub(crate) fn value(&self, ty: &CType) -> Result<LlvmType, AbiError> {
        Ok(match ty {
            CType::Void => LlvmType::Void,
            CType::Scalar(scalar) => LlvmType::Scalar(self.scalar(*scalar)?),
            CType::BitInt { bits, .. } => LlvmType::int(*bits),
            CType::Complex(part) => {
                let part = LlvmType::Scalar(match self.scalar(*part)? {
                    LlvmScalar::Int(1) => LlvmScalar::Int(8),
                    other => other,
                });
                self.structure([part.clone(), part])?
            }
            CType::Vector { lane, lanes } => LlvmType::Vector { lane: self.scalar(*lane)?, lanes: *lanes },
            CType::Array(array) => LlvmType::array(self.memory(array.element())?, array.len()),
            CType::Record(record) => LlvmType::structure(self.record(record)?),
        })
    }

    /// The IR type of a value in memory, which has the same size.
    pub(crate) fn memory(&self, ty: &CType) -> Result<LlvmType, AbiError> {
        match ty {
            CType::Scalar(Scalar::Bool) => Ok(LlvmType::int(8)),
            CType::BitInt { bits, .. } => {
                let size = self.size(ty)?;
                let same = self.layout.llvm_scalar(LlvmScalar::Int(*bits))?.size == size;
                Ok(if same { LlvmType::int(8 * size as u32) } else { LlvmType::array(LlvmType::int(8), size) })
            }
            _ => self.value(ty),
        }
    }

    /// The struct `{ fields… }`.
    pub(crate) fn structure(&self, fields: impl Into<Vec<LlvmType>>) -> Result<LlvmType, AbiError> {
        Ok(LlvmType::structure(self.layout.llvm_struct(fields, false)?))
    }

    fn record(&self, record: &Arc<Record>) -> Result<LlvmStruct, AbiError> {
        let body = match record.kind() {
            RecordKind::Struct => Lowering::new(self, record, true)?.structure()?,
            RecordKind::Union => self.union(record)?,
        };
        Ok(LlvmStruct { record: Some(record.clone()), ..body })
    }

    /// The IR type of a class as a base of another: without virtual bases, and without padding that the other uses.
    fn base(&self, record: &Arc<Record>, class: &ClassLayout) -> Result<LlvmType, AbiError> {
        if class.non_virtual_size == class.size {
            return Ok(LlvmType::structure(self.record(record)?));
        }
        Ok(LlvmType::structure(Lowering::new(self, record, false)?.structure()?))
    }

    /// Are bit-fields units of their declared type, as in Microsoft's rules?
    fn whole_units(&self) -> bool {
        self.target.env == Env::Msvc
    }

    fn union(&self, record: &Record) -> Result<LlvmStruct, AbiError> {
        let layout = self.layout.record(record)?;
        let size = layout.size;
        let data_size = self.data_size(record, size)?;
        let mut storage: Option<(LlvmType, Layout)> = None;
        for field in record.fields() {
            if field.bits == Some(0) {
                continue;
            }
            let mut ty = self.memory(&field.ty)?;
            if let (Some(bits), false) = (field.bits, self.ms_struct()) {
                ty = LlvmType::int(bits.next_multiple_of(8).min(8 * self.layout.llvm(&ty)?.size as u32));
            }
            let layout = self.layout.llvm(&ty)?;
            let better =
                |old: &Layout| layout.align > old.align || (layout.align == old.align && layout.size > old.size);
            if storage.as_ref().is_none_or(|(_, old)| better(old)) {
                storage = Some((ty, layout));
            }
        }
        let Some((mut ty, mut layout)) = storage else {
            let padding = if size == 0 { Vec::new() } else { alloc::vec![LlvmType::bytes(size)] };
            return self.layout.llvm_struct(padding, false);
        };
        if size < layout.size {
            ty = LlvmType::bytes(size);
            layout = Layout::new(size, 1);
        }
        // clang 19 forgets the second condition, so the IR type of a union of size zero is larger than the union.
        let packed = [data_size, size].iter().any(|size| !size.is_multiple_of(layout.align as u64));
        let mut fields = alloc::vec![ty];
        if size > layout.size {
            fields.push(LlvmType::bytes(size - layout.size));
        }
        self.layout.llvm_struct(fields, packed)
    }

    /// Do records follow `ms_struct`'s rules for bit-fields?
    fn ms_struct(&self) -> bool {
        self.whole_units() || self.target.is_mingw()
    }

    /// Has a member no storage in IR, because it contains nothing but empty records and bit-fields of width 0?
    fn has_no_storage(&self, field: &Field) -> bool {
        match (&field.ty, field.bits) {
            (_, Some(bits)) => bits == 0,
            (CType::Record(class), None)
                if field.role == FieldRole::NoUniqueAddress
                    && self.layout.class(class).is_ok_and(|layout| layout.is_empty) =>
            {
                true
            }
            (CType::Record(record), None) => {
                record.virtuals().is_none() && record.fields().iter().all(|inner| self.has_no_storage(inner))
            }
            _ => false,
        }
    }

    /// Size of a record without the padding at its end that other classes may use.
    fn data_size(&self, record: &Record, size: u64) -> Result<u64, AbiError> {
        // Itanium C++ ABI, section 2.2, "POD for the purpose of layout": nothing uses the padding of plain data.
        if record.language() == Language::C || (!self.whole_units() && is_plain_data(record)) {
            return Ok(size);
        }
        self.layout.data_size(record)
    }
}

/// clang's IR types for packed bit-fields of MinGW do not always fit together.
const OVERLAP: &str = "the IR types of two members overlap";

/// A member of the IR struct, with its offset in bytes.
type Member = (u64, LlvmType);

/// A struct while it becomes an IR struct.
struct Lowering<'a> {
    types: &'a Types,
    record: &'a Record,
    /// The layout, if it is one of a class.
    class: Option<ClassLayout>,
    /// Whether the object is complete, and no base.
    complete: bool,
    /// Offsets of the C members in bits.
    offsets: Vec<u64>,
    size: u64,
    /// Start of the padding at the end that another class may use.
    data_size: u64,
    members: Vec<Member>,
}

impl<'a> Lowering<'a> {
    fn new(types: &'a Types, record: &'a Record, complete: bool) -> Result<Lowering<'a>, AbiError> {
        if record.has_class_layout || !complete {
            let mut class = types.layout.class(record)?;
            let offsets = core::mem::take(&mut class.bit_offsets);
            let size = if complete { class.size } else { class.non_virtual_size };
            // Bit-fields stay out of the padding that virtual bases may use.
            let data_size = class.non_virtual_size;
            let members = Vec::new();
            return Ok(Lowering { types, record, class: Some(class), complete, offsets, size, data_size, members });
        }
        let layout = types.layout.record(record)?;
        let data_size = types.data_size(record, layout.size)?;
        let (offsets, size) = (layout.bit_offsets, layout.size);
        Ok(Lowering { types, record, class: None, complete, offsets, size, data_size, members: Vec::new() })
    }

    /// Adds the bases of a class, and its own pointers.
    fn inherited(&mut self) -> Result<(), AbiError> {
        let Some(class) = self.class.take() else { return Ok(()) };
        for (field, offset) in self.record.fields().iter().zip(&self.offsets) {
            if let (CType::Record(base), FieldRole::Base) = (&field.ty, field.role) {
                let layout = self.types.layout.class(base)?;
                if !layout.is_empty && layout.non_virtual_size != 0 {
                    self.members.push((offset / 8, self.types.base(base, &layout)?));
                }
            }
        }
        if let Some(base) = class.primary_virtual_base() {
            let layout = self.types.layout.class(&base.class)?;
            self.members.push((base.offset, self.types.base(&base.class, &layout)?));
        }
        self.members.extend(class.vptr.into_iter().chain(class.vbptr).map(|offset| (offset, LlvmType::PTR)));
        if self.complete {
            for base in &class.virtual_bases {
                let layout = self.types.layout.class(&base.class)?;
                // The primary virtual base of another base is a part of it.
                let inside = self.members.iter().any(|(at, ty)| {
                    let size = self.types.layout.llvm(ty).map_or(0, |layout| layout.size);
                    *at <= base.offset && base.offset < at + size
                });
                if base.vtordisp {
                    self.members.push((base.offset - 4, LlvmType::int(32)));
                }
                if !layout.is_empty && layout.non_virtual_size != 0 && !inside {
                    self.members.push((base.offset, self.types.base(&base.class, &layout)?));
                }
            }
        }
        Ok(())
    }

    fn structure(mut self) -> Result<LlvmStruct, AbiError> {
        let layout = &self.types.layout;
        let mut next = 0;
        while let Some(field) = self.record.fields().get(next) {
            if field.bits.is_some() {
                next = if self.types.ms_struct() { self.ms_run(next)? } else { self.run(next)? };
                continue;
            }
            if !field.is_base() && !self.types.has_no_storage(field) {
                let ty = match &field.ty {
                    CType::Record(class) if field.role == FieldRole::NoUniqueAddress => {
                        self.types.base(class, &self.types.layout.class(class)?)?
                    }
                    ty => self.types.memory(ty)?,
                };
                self.members.push((self.offsets[next] / 8, ty));
            }
            next += 1;
        }
        self.inherited()?;
        if self.members.is_empty() {
            let padding = if self.size == 0 { Vec::new() } else { alloc::vec![LlvmType::bytes(self.size)] };
            // Only C++ avoids an array of one byte here; C has no such records.
            return layout.llvm_struct(padding, false);
        }
        self.members.sort_by_key(|(offset, _)| *offset);
        let mut align = 1;
        let mut data_align = 1;
        let mut packed = false;
        for (offset, ty) in &self.members {
            let ty = layout.llvm(ty)?.align;
            packed |= !offset.is_multiple_of(ty as u64);
            align = align.max(ty);
            if *offset < self.data_size {
                data_align = data_align.max(ty);
            }
        }
        packed |= !self.size.is_multiple_of(align as u64);
        if self.record.language() == Language::Cxx {
            packed |= !self.data_size.is_multiple_of(data_align as u64);
        }
        let mut fields = Vec::with_capacity(self.members.len());
        let mut end = 0u64;
        for (offset, ty) in self.members {
            let Layout { size, align } = layout.llvm(&ty)?;
            if offset < end {
                return Err(AbiError::ty(OVERLAP));
            }
            if offset != end.next_multiple_of(if packed { 1 } else { align as u64 }) {
                fields.push(LlvmType::bytes(offset - end));
            }
            end = offset + size;
            fields.push(ty);
        }
        // The end is where an integer of that size would be; no vector's alignment reaches that far.
        let align = if packed { 1 } else { layout.llvm_scalar(LlvmScalar::Int(8 * align))?.align };
        if self.size < end {
            return Err(AbiError::ty(OVERLAP));
        }
        if self.size != end.next_multiple_of(align as u64) {
            fields.push(LlvmType::bytes(self.size - end));
        }
        layout.llvm_struct(fields, packed)
    }

    /// Bit-fields from `next` on, each run in a unit of its first member's type.
    fn ms_run(&mut self, mut next: usize) -> Result<usize, AbiError> {
        let mut tail = None;
        while let Some(Field { ty, bits: Some(bits), .. }) = self.record.fields().get(next) {
            let offset = self.offsets[next];
            if *bits == 0 {
                tail = None;
            } else if tail.is_none_or(|tail| offset >= tail) {
                let ty = self.types.memory(ty)?;
                tail = Some(offset + 8 * self.types.layout.llvm(&ty)?.size);
                self.members.push((offset / 8, ty));
            }
            next += 1;
        }
        Ok(next)
    }

    /// Bit-fields from `first` on, in units as wide as a register where nothing else is in the way.
    fn run(&mut self, first: usize) -> Result<usize, AbiError> {
        let fields = self.record.fields();
        let register = self.types.target.pointer_bytes() as u64;
        let mut next = first;
        // The unit that is being built: its first member and byte, its bits so far, and the best end so far.
        let mut begin: Option<(usize, u64, u64)> = None;
        let (mut best, mut best_end, mut clipped) = (first, 0, true);
        loop {
            let bit_field = fields.get(next).and_then(|field| field.bits);
            let mut at_boundary = false;
            let mut barrier = false;
            match (bit_field, begin) {
                (None, None) => return Ok(next),
                (None, Some(_)) => (at_boundary, barrier) = (true, true),
                (Some(_), None) => {
                    begin = Some((next, self.offsets[next] / 8, 0));
                    best = next;
                }
                (Some(bits), Some(_)) if self.offsets[next].is_multiple_of(8) => {
                    at_boundary = true;
                    barrier = bits == 0;
                }
                (Some(_), Some(_)) => {}
            }
            let (start, start_byte, mut gathered) = begin.expect("a unit was begun above");
            let mut install = false;
            if at_boundary {
                let access = gathered.div_ceil(8);
                if best == start {
                    (best, best_end, clipped) = (next, start_byte + access, true);
                    install = gathered == 0;
                } else {
                    install = access > register;
                }
                if !install {
                    let wide = self.types.layout.llvm_scalar(LlvmScalar::Int((8 * access) as u32))?.size;
                    let limit = (next..fields.len())
                        .find(|i| !self.types.has_no_storage(&fields[*i]))
                        .map_or(self.data_size, |i| self.offsets[i] / 8);
                    if start_byte + wide <= limit {
                        (best, best_end, clipped) = (next, start_byte + wide, false);
                    }
                    if barrier {
                        install = true;
                    } else {
                        gathered = 8 * (limit - start_byte);
                    }
                }
            }
            if install {
                let access = best_end - start_byte;
                if access != 0 {
                    let ty = if clipped { LlvmType::bytes(access) } else { LlvmType::int((8 * access) as u32) };
                    self.members.push((start_byte, ty));
                }
                next = best;
                begin = None;
            } else {
                let bits = bit_field.expect("a unit ends where the bit-fields do") as u64;
                begin = Some((start, start_byte, gathered + bits));
                next += 1;
            }
        }
    }
}
