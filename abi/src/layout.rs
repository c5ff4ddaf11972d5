//! Sizes, alignments and member offsets per target.

use crate::error::AbiError;
use crate::measure::{Layout, MAX_SIZE, Measure, TargetKey};
use crate::target::{AbiTarget, Arch, Endian, Env, Os};
use crate::types::{CType, Field, FloatKind, Record, Scalar};
use alloc::vec::Vec;
pub use class::{ClassLayout, VirtualBase};
use class::{Classes, Layouts};
use record::Placer;

mod class;
mod empty;
mod itanium;
mod llvm;
mod microsoft;
pub(crate) mod record;

/// The layout of a record's members. An example is at [`DataLayout`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLayout {
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Required alignment in bytes, 1 if there is none: what `__declspec(align)` asks of the record or of anything in
    /// it, by Microsoft's rules. It decides whether an argument is passed by reference. Always 1 with other rules.
    pub required_align: u32,
    /// For each member, its offset in bits from the start of the record.
    pub bit_offsets: Vec<u64>,
}

/// The rules of a target for sizes, alignments and offsets.
///
/// ```
/// use gusset_abi::{AbiTarget, CType, DataLayout, Field, Record};
///
/// let record = Record::structure(vec![Field::new(CType::I8), Field::new(CType::I32)]);
/// let layout = DataLayout::new(&AbiTarget::X86_64_LINUX);
/// assert_eq!(layout.record(&record)?.bit_offsets, [0, 32]);
/// assert_eq!(layout.layout(&CType::record(record))?.size, 8);
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DataLayout {
    target: AbiTarget,
    key: TargetKey,
}

/// The largest width of a `_BitInt`, and of an integer of LLVM IR, in bits (LangRef, "Integer Type").
const MAX_INT_BITS: u32 = 1 << 23;

impl Layouts for DataLayout {
    fn target(&self) -> &AbiTarget {
        &self.target
    }

    fn measure(&self, ty: &CType) -> Result<Measure, AbiError> {
        DataLayout::measure(self, ty)
    }

    fn lay_out<'a>(&self, classes: &mut Classes<'a>, record: &'a Record) -> Result<ClassLayout, AbiError> {
        match self.target.env {
            Env::Msvc => microsoft::lay_out(classes, record),
            _ => itanium::lay_out(classes, record),
        }
    }
}

impl DataLayout {
    /// The order of bytes in memory.
    pub(crate) fn endian(&self) -> Endian {
        self.target.endian
    }

    /// The layout rules of `target`.
    pub fn new(target: &AbiTarget) -> DataLayout {
        DataLayout { target: *target, key: TargetKey::of(target) }
    }

    pub(crate) fn target(&self) -> &AbiTarget {
        &self.target
    }

    /// What records remember measures and classes by.
    pub(crate) fn key(&self) -> TargetKey {
        self.key
    }

    /// Size and alignment of a scalar.
    ///
    /// # Errors
    /// The target has no such type.
    pub fn scalar(&self, scalar: Scalar) -> Result<Layout, AbiError> {
        let t = &self.target;
        let pointer = t.pointer_bytes();
        Ok(match scalar {
            Scalar::Bool => Layout::new(1, 1),
            Scalar::Pointer => Layout::new(pointer as u64, pointer),
            Scalar::Int { bits: bits @ (8 | 16 | 32), .. } => Layout::new(bits as u64 / 8, bits as u32 / 8),
            Scalar::Int { bits: 64, .. } => Layout::new(8, self.align_of_64()),
            Scalar::Int { bits: 128, .. } if pointer == 8 => Layout::new(16, 16),
            Scalar::Int { bits, .. } => {
                return Err(AbiError::ty(alloc::format!("the target has no integer type of {bits} bits")));
            }
            Scalar::Float(FloatKind::F16 | FloatKind::BF16) => Layout::new(2, 2),
            Scalar::Float(FloatKind::F32) => Layout::new(4, 4),
            Scalar::Float(FloatKind::F64) => Layout::new(8, self.align_of_64()),
            Scalar::Float(FloatKind::F128) => match (t.arch, t.env) {
                (Arch::Arm, _) | (_, Env::Msvc | Env::Itanium | Env::Cygnus) => {
                    return Err(AbiError::ty("the target has no __float128"));
                }
                _ => Layout::new(16, 16),
            },
            Scalar::Float(FloatKind::Long) => match (t.arch, t.os, t.env) {
                (Arch::X86 | Arch::X86_64, _, Env::Msvc | Env::Itanium) => Layout::new(8, 8),
                (Arch::X86_64, ..) | (Arch::X86, Os::Darwin, _) => Layout::new(16, 16),
                // psABI i386, table 2.1.
                (Arch::X86, ..) => Layout::new(12, 4),
                (Arch::Aarch64, Os::Windows | Os::Darwin, _) | (Arch::Arm, ..) => Layout::new(8, 8),
                (Arch::Aarch64, ..) => Layout::new(16, 16),
            },
        })
    }

    // psABI i386, table 2.1: eight-byte scalars are aligned to 4 on System V; Windows aligns them to 8.
    pub(crate) fn align_of_64(&self) -> u32 {
        let narrow = self.target.arch == Arch::X86 && !self.target.is_windows() || self.target.features.apcs;
        if narrow { 4 } else { 8 }
    }

    /// Size and alignment of a C type.
    ///
    /// # Errors
    /// `void`, a type that the target lacks, or one larger than 2^31 bytes.
    #[inline]
    pub fn layout(&self, ty: &CType) -> Result<Layout, AbiError> {
        match ty {
            // Most types, whose measure has nothing else.
            CType::Scalar(scalar) => self.scalar(*scalar),
            CType::Record(record) => match record.memo().layout(self.key) {
                Some(known) => Ok(known),
                None => Ok(self.measure_record(record)?.layout),
            },
            _ => Ok(self.measure(ty)?.layout),
        }
    }

    pub(crate) fn measure(&self, ty: &CType) -> Result<Measure, AbiError> {
        let mut required = 0;
        let layout = match ty {
            CType::Void => return Err(AbiError::ty("void has no size")),
            CType::Scalar(scalar) => self.scalar(*scalar)?,
            CType::BitInt { bits, signed } => self.bit_int(*bits, *signed)?,
            CType::Complex(part) => {
                let part = self.scalar(*part)?;
                Layout::new(2 * part.size, part.align)
            }
            CType::Vector { lane, lanes } => self.vector(*lane, *lanes)?,
            CType::Array(array) => {
                let Measure { layout: element, required: inner, .. } = self.measure(array.element())?;
                required = inner;
                Layout::new(element.size.saturating_mul(array.len()), element.align)
            }
            CType::Record(record) => return self.measure_record(record),
        };
        Ok(Measure { layout: self.check(layout)?, required, natural: layout.align })
    }

    /// The alignment that is required of a record; see [`RecordLayout::required_align`].
    pub(crate) fn required_align(&self, record: &Record) -> Result<u32, AbiError> {
        match record.memo().required(self.key) {
            Some(known) => Ok(known),
            None => Ok(self.measure_record(record)?.required),
        }
    }

    fn measure_record(&self, record: &Record) -> Result<Measure, AbiError> {
        if let Some(known) = record.memo().get(self.key) {
            return Ok(known);
        }
        let measure = if record.has_class_layout {
            self.class(record)?.measure()
        } else {
            let mut members = self.members(record)?;
            members.by_ref().try_for_each(|member| member.map(|_| ()))?;
            members.placer.finish()
        };
        self.check(measure.layout)?;
        record.memo().set(self.key, &measure);
        Ok(measure)
    }

    /// Size, alignment and member offsets of a record.
    ///
    /// # Errors
    /// As [`DataLayout::layout`].
    pub fn record(&self, record: &Record) -> Result<RecordLayout, AbiError> {
        let (bit_offsets, Measure { layout, required, .. }) = if record.has_class_layout {
            let class = self.class(record)?;
            let measure = class.measure();
            (class.bit_offsets, measure)
        } else {
            let mut members = self.members(record)?;
            let offsets = members.by_ref().map(|member| Ok(member?.bit_offset)).collect::<Result<Vec<u64>, _>>()?;
            (offsets, members.placer.finish())
        };
        let Layout { size, align } = self.check(layout)?;
        Ok(RecordLayout { size, align, required_align: required.max(1), bit_offsets })
    }

    /// The layout of a C++ class, or of any other record as if it were one: also what a class derived from it sees.
    ///
    /// # Errors
    /// As [`DataLayout::layout`].
    pub fn class(&self, record: &Record) -> Result<ClassLayout, AbiError> {
        let layout = Classes::new(self).whole(record)?;
        self.check(Layout::new(layout.size, layout.align))?;
        Ok(layout)
    }

    /// The members and bases of a record with their offsets, in order.
    ///
    /// # Errors
    /// Alignments that are not powers of two; and for each member as [`DataLayout::layout`].
    pub(crate) fn members<'a>(&'a self, record: &'a Record) -> Result<Members<'a>, AbiError> {
        let offsets = if record.has_class_layout { self.class(record)?.bit_offsets } else { Vec::new() };
        let placer = Placer::new(&self.target, record)?;
        Ok(Members { layout: self, fields: record.fields().iter(), placer, offsets: offsets.into_iter() })
    }

    /// Size in bytes of a record before its own attributes are considered ([`Placer::data_size`]).
    pub(crate) fn data_size(&self, record: &Record) -> Result<u64, AbiError> {
        if record.has_class_layout {
            let class = self.class(record)?;
            return Ok(class.non_virtual_size);
        }
        let mut members = self.members(record)?;
        members.by_ref().try_for_each(|member| member.map(|_| ()))?;
        Ok(members.placer.data_size())
    }

    /// Alignment of a type in bytes without attributes of the record itself: the largest of its members' alignments.
    pub(crate) fn natural_align(&self, ty: &CType) -> Result<u32, AbiError> {
        match ty {
            CType::Scalar(scalar) => Ok(self.scalar(*scalar)?.align),
            CType::Record(record) => Ok(match record.memo().natural(self.key) {
                Some(known) => known,
                None => self.measure_record(record)?.natural,
            }),
            _ => Ok(self.measure(ty)?.natural),
        }
    }

    pub(crate) fn check(&self, layout: Layout) -> Result<Layout, AbiError> {
        if layout.size > MAX_SIZE {
            return Err(AbiError::ty("the type is larger than 2^31 bytes"));
        }
        Ok(layout)
    }

    /// psABI x86-64, section 3.1.2, `_BitInt`: up to 64 bits like the integer type that holds it, above that in chunks.
    /// The size of chunks differs (i386: 4 bytes, except on Windows, as in clang 19; AAPCS64: 16 bytes).
    fn bit_int(&self, bits: u32, signed: bool) -> Result<Layout, AbiError> {
        if bits == 0 || (signed && bits < 2) || bits > MAX_INT_BITS {
            return Err(AbiError::ty(alloc::format!("_BitInt({bits}) does not exist")));
        }
        let chunk = match self.target.arch {
            Arch::X86 if !self.target.is_windows() => 4,
            Arch::X86 | Arch::X86_64 | Arch::Arm => 8,
            Arch::Aarch64 => 16,
        };
        let bytes = bits.div_ceil(8);
        Ok(if bytes <= 8.min(chunk) {
            let size = bytes.next_power_of_two();
            Layout::new(size as u64, size)
        } else if bytes <= 8 {
            Layout::new(8, chunk.min(8))
        } else {
            Layout::new(bytes.next_multiple_of(chunk) as u64, chunk)
        })
    }

    fn vector(&self, lane: Scalar, lanes: u32) -> Result<Layout, AbiError> {
        let lane = self.scalar(lane)?;
        if lanes == 0 || lanes > 1 << 16 {
            return Err(AbiError::ty(alloc::format!("a vector of {lanes} lanes")));
        }
        let size = (lane.size * lanes as u64).next_power_of_two();
        let most = match (self.target.arch, self.target.os) {
            // clang 19: on Apple's systems no more than the registers have.
            (Arch::X86 | Arch::X86_64, Os::Darwin) => self.target.features.vector_bytes.max(16).into(),
            (Arch::X86 | Arch::X86_64, _) => u32::MAX,
            (Arch::Aarch64, _) => 16,
            (Arch::Arm, _) => 8,
        };
        Ok(Layout::new(size, most.min(size as u32)))
    }
}

/// A member of a record at its offset.
pub(crate) struct Placed<'a> {
    pub(crate) field: &'a Field,
    /// Its offset in bits.
    pub(crate) bit_offset: u64,
    /// Its type's size and alignment.
    pub(crate) layout: Layout,
}

/// Walks through the members of a record.
pub(crate) struct Members<'a> {
    layout: &'a DataLayout,
    fields: core::slice::Iter<'a, Field>,
    placer: Placer<'a>,
    /// The offsets of a record with the layout of classes; others are placed one by one.
    offsets: alloc::vec::IntoIter<u64>,
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Placed<'a>, AbiError>;

    fn next(&mut self) -> Option<Self::Item> {
        let field = self.fields.next()?;
        let known = self.offsets.next();
        Some(self.layout.measure(&field.ty).and_then(|ty| {
            let bit_offset = known.map_or_else(|| self.placer.place(field, ty), Ok)?;
            Ok(Placed { field, bit_offset, layout: ty.layout })
        }))
    }
}
