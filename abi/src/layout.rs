//! Sizes, alignments and member offsets per target.

use crate::error::AbiError;
use crate::target::{Arch, Env, Os, Target};
use crate::types::{
    Aggregate, CType, Field, FloatKind, Language, Leaf, LlvmScalar, LlvmType, Record, RecordKind, Scalar,
};
use alloc::vec::Vec;

/// Size and alignment of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// Size in bytes, a multiple of the alignment except for `x86_fp80` stores and packed records.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
}

impl Layout {
    /// That of `void`: no bytes, aligned to 1.
    pub const NOTHING: Layout = Layout::new(0, 1);

    const fn new(size: u64, align: u32) -> Layout {
        Layout { size, align }
    }
}

/// Where a record's members are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLayout {
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Per member, its offset in bits from the start of the record.
    pub bit_offsets: Vec<u64>,
}

/// The rules of a target for sizes, alignments and offsets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DataLayout {
    target: Target,
}

/// No object is larger than this, in bytes.
const MAX_SIZE: u64 = 1 << 31;
/// No first-class aggregate has more scalars than this.
const MAX_LEAVES: u64 = 1 << 16;
/// Widest `_BitInt`, and widest integer of LLVM IR, in bits (LangRef, "Integer Type").
const MAX_INT_BITS: u32 = 1 << 23;

impl DataLayout {
    /// The layout rules of `target`.
    pub fn new(target: &Target) -> DataLayout {
        DataLayout { target: *target }
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
                (Arch::Arm, _) | (_, Env::Msvc) => return Err(AbiError::ty("the target has no __float128")),
                _ => Layout::new(16, 16),
            },
            Scalar::Float(FloatKind::Long) => match (t.arch, t.os, t.env) {
                (Arch::X86 | Arch::X86_64, _, Env::Msvc) => Layout::new(8, 8),
                (Arch::X86_64, ..) | (Arch::X86, Os::Darwin, _) => Layout::new(16, 16),
                // psABI i386, table 2.1.
                (Arch::X86, ..) => Layout::new(12, 4),
                (Arch::Aarch64, Os::Windows | Os::Darwin, _) | (Arch::Arm, ..) => Layout::new(8, 8),
                (Arch::Aarch64, ..) => Layout::new(16, 16),
            },
        })
    }

    // psABI i386, table 2.1: eight-byte scalars are aligned to 4 on System V; Windows aligns them to 8.
    fn align_of_64(&self) -> u32 {
        if self.target.arch == Arch::X86 && !self.target.is_windows() { 4 } else { 8 }
    }

    /// Size and alignment of a C type.
    ///
    /// # Errors
    /// `void`, a type that the target lacks, or one larger than 2^31 bytes.
    pub fn layout(&self, ty: &CType) -> Result<Layout, AbiError> {
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
                let element = self.layout(array.element())?;
                Layout::new(element.size.saturating_mul(array.len()), element.align)
            }
            CType::Record(record) => {
                let mut placer = Placer::new(self, record)?;
                for field in record.fields() {
                    placer.place(field)?;
                }
                placer.finish()?
            }
        };
        self.check(layout)
    }

    /// Size, alignment and member offsets of a record.
    ///
    /// # Errors
    /// As [`DataLayout::layout`]; bit-fields on Windows, whose rules are not there yet.
    pub fn record(&self, record: &Record) -> Result<RecordLayout, AbiError> {
        let mut placer = Placer::new(self, record)?;
        let place = |f| placer.place(f).map(|(offset, _)| offset);
        let bit_offsets = record.fields().iter().map(place).collect::<Result<Vec<u64>, _>>()?;
        let Layout { size, align } = self.check(placer.finish()?)?;
        Ok(RecordLayout { size, align, bit_offsets })
    }

    fn check(&self, layout: Layout) -> Result<Layout, AbiError> {
        if layout.size > MAX_SIZE {
            return Err(AbiError::ty("the type is larger than 2^31 bytes"));
        }
        Ok(layout)
    }

    /// psABI x86-64, section 3.1.2, `_BitInt`: to 64 bits like the integer type that holds it, beyond in chunks. The other
    /// documents differ in the chunk (i386: 4 bytes; AAPCS64: 16 bytes).
    fn bit_int(&self, bits: u32, signed: bool) -> Result<Layout, AbiError> {
        if bits == 0 || (signed && bits < 2) || bits > MAX_INT_BITS {
            return Err(AbiError::ty(alloc::format!("_BitInt({bits}) does not exist")));
        }
        let chunk = match self.target.arch {
            Arch::X86 => 4,
            Arch::X86_64 | Arch::Arm => 8,
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
        let most = match self.target.arch {
            Arch::X86 | Arch::X86_64 => u32::MAX,
            Arch::Aarch64 => 16,
            Arch::Arm => 8,
        };
        Ok(Layout::new(size, most.min(size as u32)))
    }

    /// Allocation size and alignment of an LLVM scalar (LangRef, "Data Layout", and the target's own string).
    ///
    /// # Errors
    /// An integer of 0 or more than 2^23 bits.
    pub fn llvm_scalar(&self, scalar: LlvmScalar) -> Result<Layout, AbiError> {
        let pointer = self.target.pointer_bytes();
        Ok(match scalar {
            LlvmScalar::Int(bits) => {
                if bits == 0 || bits > MAX_INT_BITS {
                    return Err(AbiError::ty(alloc::format!("i{bits} does not exist")));
                }
                let bytes = bits.div_ceil(8);
                let align = match bytes.next_power_of_two() {
                    small @ 1..=4 => small,
                    8 => self.align_of_64(),
                    _ => 16,
                };
                Layout::new(bytes.next_multiple_of(align) as u64, align)
            }
            LlvmScalar::Half | LlvmScalar::BFloat => Layout::new(2, 2),
            LlvmScalar::Float => Layout::new(4, 4),
            LlvmScalar::Double => Layout::new(8, self.align_of_64()),
            LlvmScalar::X86Fp80 => match (self.target.arch, self.target.os, self.target.env) {
                (Arch::X86, Os::Linux | Os::Bsd | Os::None, _) | (Arch::X86, Os::Windows, Env::Gnu) => {
                    Layout::new(12, 4)
                }
                _ => Layout::new(16, 16),
            },
            LlvmScalar::Fp128 => Layout::new(16, 16),
            LlvmScalar::Ptr => Layout::new(pointer as u64, pointer),
        })
    }

    /// Allocation size and alignment of an LLVM type.
    ///
    /// # Errors
    /// `void`, impossible widths, or a size over 2^31 bytes.
    pub fn llvm(&self, ty: &LlvmType) -> Result<Layout, AbiError> {
        match ty {
            LlvmType::Void => Err(AbiError::ty("void has no size")),
            LlvmType::Scalar(scalar) => self.llvm_scalar(*scalar),
            LlvmType::Vector { lane, lanes } => self.llvm_vector(*lane, *lanes),
            LlvmType::Aggregate(aggregate) => self.check(Layout::new(aggregate.size, aggregate.align)),
        }
    }

    fn llvm_vector(&self, lane: LlvmScalar, lanes: u32) -> Result<Layout, AbiError> {
        if lanes == 0 || lanes > 1 << 16 {
            return Err(AbiError::ty(alloc::format!("a vector of {lanes} lanes")));
        }
        let bits = llvm_bits(lane, self.target.pointer_bytes()) as u64 * lanes as u64;
        let bytes = bits.div_ceil(8);
        let align = bytes.next_power_of_two();
        self.check(Layout::new(bytes.next_multiple_of(align), align.min(1 << 31) as u32))
    }

    /// The LLVM struct `{ members… }`, or `<{ members… }>` if `packed`, flattened.
    ///
    /// # Errors
    /// As [`DataLayout::llvm`], or more than 65536 scalars.
    pub fn llvm_struct(&self, members: &[LlvmType], packed: bool) -> Result<LlvmType, AbiError> {
        let mut whole = Aggregate { leaves: Vec::new(), size: 0, align: 1 };
        for member in members {
            let layout = self.llvm(member)?;
            let align = if packed { 1 } else { layout.align };
            let offset = whole.size.next_multiple_of(align as u64);
            push_leaves(&mut whole.leaves, member, offset)?;
            whole.size = self.check(Layout::new(offset + layout.size, 1))?.size;
            whole.align = whole.align.max(align);
        }
        whole.size = whole.size.next_multiple_of(whole.align as u64);
        Ok(LlvmType::Aggregate(alloc::sync::Arc::new(whole)))
    }

    /// The LLVM array `[len x element]`, flattened.
    ///
    /// # Errors
    /// As [`DataLayout::llvm`], or more than 65536 scalars.
    pub fn llvm_array(&self, element: &LlvmType, len: u64) -> Result<LlvmType, AbiError> {
        let layout = self.llvm(element)?;
        let size = self.check(Layout::new(layout.size.saturating_mul(len), layout.align))?.size;
        let mut whole = Aggregate { leaves: Vec::new(), size, align: layout.align };
        let empty = matches!(element, LlvmType::Aggregate(a) if a.leaves.is_empty());
        for i in 0..if empty { 0 } else { len } {
            push_leaves(&mut whole.leaves, element, i * layout.size)?;
        }
        Ok(LlvmType::Aggregate(alloc::sync::Arc::new(whole)))
    }
}

fn push_leaves(leaves: &mut Vec<Leaf>, ty: &LlvmType, offset: u64) -> Result<(), AbiError> {
    match ty {
        LlvmType::Void => {}
        LlvmType::Scalar(lane) => leaves.push(Leaf { lane: *lane, lanes: None, offset }),
        LlvmType::Vector { lane, lanes } => leaves.push(Leaf { lane: *lane, lanes: Some(*lanes), offset }),
        LlvmType::Aggregate(inner) => {
            leaves.extend(inner.leaves.iter().map(|leaf| Leaf { offset: offset + leaf.offset, ..*leaf }));
        }
    }
    if leaves.len() as u64 > MAX_LEAVES {
        return Err(AbiError::ty("a first-class aggregate of more than 65536 scalars"));
    }
    Ok(())
}

/// Width in bits of an LLVM scalar as a vector lane.
pub(crate) fn llvm_bits(scalar: LlvmScalar, pointer_bytes: u32) -> u32 {
    match scalar {
        LlvmScalar::Int(bits) => bits,
        LlvmScalar::Half | LlvmScalar::BFloat => 16,
        LlvmScalar::Float => 32,
        LlvmScalar::Double => 64,
        LlvmScalar::X86Fp80 => 80,
        LlvmScalar::Fp128 => 128,
        LlvmScalar::Ptr => 8 * pointer_bytes,
    }
}

/// Places a record's members one after the other.
pub(crate) struct Placer<'a> {
    layout: &'a DataLayout,
    record: &'a Record,
    /// End of the members so far, in bits.
    end: u64,
    /// Alignment so far, in bits.
    align: u64,
}

impl<'a> Placer<'a> {
    pub(crate) fn new(layout: &'a DataLayout, record: &'a Record) -> Result<Placer<'a>, AbiError> {
        if record.is_excessive() {
            return Err(AbiError::ty("the record is nested too deeply or has too many members"));
        }
        for (what, align) in [("aligned", record.min_align()), ("#pragma pack", record.max_field_align())] {
            check_align(what, align)?;
        }
        Ok(Placer { layout, record, end: 0, align: 8 })
    }

    /// The next member's offset in bits, and its type's layout.
    pub(crate) fn place(&mut self, field: &Field) -> Result<(u64, Layout), AbiError> {
        check_align("aligned", field.align)?;
        let ty = self.layout.layout(&field.ty)?;
        let offset = match field.bits {
            None => self.place_whole(field, ty),
            Some(bits) => self.place_bits(field, ty, bits)?,
        };
        if self.end > 8 * MAX_SIZE {
            return Err(AbiError::ty("the type is larger than 2^31 bytes"));
        }
        Ok((offset, ty))
    }

    fn start(&self) -> u64 {
        match self.record.kind() {
            RecordKind::Struct => self.end,
            RecordKind::Union => 0,
        }
    }

    fn pack_bits(&self) -> Option<u64> {
        self.record.max_field_align().map(|bytes| 8 * bytes as u64)
    }

    /// psABI x86-64, section 3.1.2 "Aggregates and Unions"; the attributes as GCC documents them.
    fn place_whole(&mut self, field: &Field, ty: Layout) -> u64 {
        let packed = field.packed || self.record.is_packed();
        let mut align = if packed { 8 } else { 8 * ty.align as u64 };
        align = align.max(8 * field.align.unwrap_or(1) as u64);
        align = align.min(self.pack_bits().unwrap_or(u64::MAX));
        let offset = self.start().next_multiple_of(8).next_multiple_of(align);
        self.end = self.end.max(offset + 8 * ty.size);
        self.align = self.align.max(align);
        offset
    }

    /// psABI x86-64, section 3.1.2 "Bit-Fields"; Itanium C++ ABI, section 2.4; AAPCS, "Bit-fields".
    fn place_bits(&mut self, field: &Field, ty: Layout, bits: u32) -> Result<u64, AbiError> {
        let target = &self.layout.target;
        if target.is_windows() {
            return Err(AbiError::ty("bit-fields of Windows records are not supported yet"));
        }
        let integral = matches!(field.ty, CType::Scalar(Scalar::Bool | Scalar::Int { .. }) | CType::BitInt { .. });
        let width = match field.ty {
            CType::Scalar(Scalar::Bool) => 1,
            CType::BitInt { bits, .. } => bits as u64,
            _ => 8 * ty.size,
        };
        if !integral || bits as u64 > width {
            return Err(AbiError::ty(alloc::format!("a bit-field of {bits} bits does not fit its type")));
        }
        if bits == 0 && field.named {
            return Err(AbiError::ty("a named bit-field of width 0"));
        }
        let packed = field.packed || self.record.is_packed();
        let (bits, unit) = (bits as u64, 8 * ty.size);
        let mut align = if packed && bits != 0 { 1 } else { 8 * ty.align as u64 };
        if let Some(least) = field.align {
            align = align.max(8 * least as u64);
        }
        let pack = self.pack_bits();
        if let (Some(most), true) = (pack, bits != 0) {
            align = align.min(most);
        }
        let mut offset = self.start();
        let straddles = pack.is_none() && (offset & (align - 1)) + bits > unit;
        let demanded = field.align.map(|a| 8 * a as u64).filter(|a| pack.is_none_or(|most| *a <= most));
        if bits == 0 || straddles {
            offset = offset.next_multiple_of(align);
        } else if let Some(demanded) = demanded {
            offset = offset.next_multiple_of(demanded);
        }
        // Only AAPCS counts the alignment of unnamed bit-fields.
        let aapcs = matches!(target.arch, Arch::Arm | Arch::Aarch64) && target.os != Os::Darwin;
        if field.named || aapcs {
            self.align = self.align.max(align);
        }
        self.end = self.end.max(offset + bits);
        Ok(offset)
    }

    /// Size and alignment of the whole.
    pub(crate) fn finish(&self) -> Result<Layout, AbiError> {
        let align = (self.align / 8).max(self.record.min_align().unwrap_or(1) as u64);
        let mut size = self.end.div_ceil(8);
        // C++, [class.mem]: complete objects have a size; GNU C leaves an empty struct at 0, and C++ one of empty arrays.
        let empty = self.record.fields().iter().all(|f| f.bits == Some(0));
        if size == 0 && empty && self.record.language() == Language::Cxx {
            size = 1;
        }
        Ok(Layout::new(size.next_multiple_of(align), align as u32))
    }
}

fn check_align(what: &str, align: Option<u32>) -> Result<(), AbiError> {
    match align {
        Some(bytes) if !bytes.is_power_of_two() || bytes > 1 << 28 => {
            Err(AbiError::ty(alloc::format!("{what}({bytes}) is not a power of two up to 2^28")))
        }
        _ => Ok(()),
    }
}
