//! Sizes, alignments and offsets of LLVM's types.

use super::{DataLayout, MAX_INT_BITS};
use crate::error::AbiError;
use crate::measure::Layout;
use crate::target::{Arch, Env, Os};
use crate::types::{Leaf, LlvmScalar, LlvmStruct, LlvmType};
use alloc::vec::Vec;

/// No first-class aggregate has more scalars than this.
const MAX_LEAVES: u64 = 1 << 16;

impl DataLayout {
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
                    // ARM's data layout has no integers of more than 64 bits.
                    _ if self.target.arch == Arch::Arm => self.align_of_64(),
                    _ => 16,
                };
                Layout::new(bytes.next_multiple_of(align) as u64, align)
            }
            LlvmScalar::Half | LlvmScalar::BFloat => Layout::new(2, 2),
            LlvmScalar::Float => Layout::new(4, 4),
            LlvmScalar::Double => Layout::new(8, self.align_of_64()),
            LlvmScalar::X86Fp80 => match (self.target.arch, self.target.os, self.target.env) {
                (Arch::X86, Os::Linux | Os::Bsd | Os::NetBsd | Os::None, _)
                | (Arch::X86, Os::Windows, Env::Gnu | Env::Itanium | Env::Cygnus) => Layout::new(12, 4),
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
            LlvmType::Array { element, len } => {
                let Layout { size, align } = self.llvm(element)?;
                self.check(Layout::new(size.saturating_mul(*len), align))
            }
            LlvmType::Struct(body) => self.check(Layout::new(body.size, body.align)),
        }
    }

    /// The alignment that LLVM prefers for what it places itself: the second number of a specification in the target's
    /// string (LangRef, "Data Layout"). For aggregates, the one that the string gives, if their members need no more.
    ///
    /// # Errors
    /// As [`DataLayout::llvm`].
    pub fn llvm_preferred_align(&self, ty: &LlvmType) -> Result<u32, AbiError> {
        let (arch, os) = (self.target.arch, self.target.os);
        let plain_elf = !matches!(os, Os::Windows | Os::Darwin);
        let least =
            match ty {
                // `i8:8:32-i16:16:32`.
                LlvmType::Scalar(LlvmScalar::Int(8 | 16)) if arch == Arch::Aarch64 && plain_elf => 4,
                // `i64:32:64`, `f64:32:64`.
                LlvmType::Scalar(LlvmScalar::Int(64) | LlvmScalar::Double) => 8,
                // `v64:32:64`, which is the same elsewhere.
                LlvmType::Vector { lane, lanes } if lane.bits(8 * self.target.pointer_bytes()) * lanes == 64 => 8,
                // `v128:64:128`.
                LlvmType::Vector { lane, lanes } if lane.bits(8 * self.target.pointer_bytes()) * lanes == 128 => 16,
                // `a:0:32`, or `a:0:64` where the string has none.
                aggregate if aggregate.is_aggregate() => {
                    if arch == Arch::Arm || arch == Arch::X86 && os == Os::Windows { 4 } else { 8 }
                }
                _ => 1,
            };
        Ok(self.llvm(ty)?.align.max(least))
    }

    fn llvm_vector(&self, lane: LlvmScalar, lanes: u32) -> Result<Layout, AbiError> {
        if lanes == 0 || lanes > 1 << 16 {
            return Err(AbiError::ty(alloc::format!("a vector of {lanes} lanes")));
        }
        let bits = lane.bits(8 * self.target.pointer_bytes()) as u64 * lanes as u64;
        let bytes = bits.div_ceil(8);
        let align = bytes.next_power_of_two();
        // ARM's data layout says `v128:64:128`; with APCS, `v64:32:64-v128:32:128`.
        let align = match bits {
            64 | 128 if self.target.features.apcs => 4,
            128 if self.target.arch == Arch::Arm => 8,
            _ => align,
        };
        self.check(Layout::new(bytes.next_multiple_of(align), align.min(1 << 31) as u32))
    }

    /// The struct `{ fields… }`, or `<{ fields… }>` if `packed`.
    ///
    /// # Errors
    /// `void` among the fields, or a size over 2^31 bytes.
    pub fn llvm_struct(&self, fields: impl Into<Vec<LlvmType>>, packed: bool) -> Result<LlvmStruct, AbiError> {
        let fields = fields.into();
        let mut whole =
            LlvmStruct { fields: Vec::with_capacity(fields.len()), packed, size: 0, align: 1, record: None };
        for field in fields {
            let Layout { size, align } = self.llvm(&field)?;
            let align = if packed { 1 } else { align };
            let offset = whole.size.next_multiple_of(align as u64);
            whole.size = self.check(Layout::new(offset + size, 1))?.size;
            whole.align = whole.align.max(align);
            whole.fields.push((offset, field));
        }
        whole.size = whole.size.next_multiple_of(whole.align as u64);
        Ok(whole)
    }

    /// Calls `each` for the scalars and vectors of a type in order, with their numbers.
    pub(crate) fn each_leaf(
        &self,
        ty: &LlvmType,
        each: &mut dyn FnMut(u16, Leaf) -> Result<(), AbiError>,
    ) -> Result<(), AbiError> {
        if ty.is_aggregate() && ty.count() > MAX_LEAVES {
            return Err(AbiError::ty("a first-class aggregate of more than 65536 scalars"));
        }
        let mut index = 0u16;
        self.leaves_from(ty, 0, &mut |leaf| {
            each(index, leaf)?;
            index = index.wrapping_add(1);
            Ok(())
        })
    }

    fn leaves_from(
        &self,
        ty: &LlvmType,
        offset: u64,
        each: &mut dyn FnMut(Leaf) -> Result<(), AbiError>,
    ) -> Result<(), AbiError> {
        match ty {
            LlvmType::Void => Ok(()),
            LlvmType::Scalar(lane) => each(Leaf { lane: *lane, lanes: None, offset }),
            LlvmType::Vector { lane, lanes } => each(Leaf { lane: *lane, lanes: Some(*lanes), offset }),
            LlvmType::Array { element, .. } if element.count() == 0 => Ok(()),
            LlvmType::Array { element, len } => {
                let step = self.llvm(element)?.size;
                (0..*len)
                    .try_for_each(|i| self.leaves_from(element, offset.saturating_add(i.saturating_mul(step)), each))
            }
            LlvmType::Struct(body) => {
                body.fields.iter().try_for_each(|(start, ty)| self.leaves_from(ty, offset.saturating_add(*start), each))
            }
        }
    }

    /// The scalars and vectors of a type in order.
    pub(crate) fn leaves(&self, ty: &LlvmType) -> Result<Vec<Leaf>, AbiError> {
        let mut leaves = Vec::new();
        self.each_leaf(ty, &mut |_, leaf| {
            leaves.push(leaf);
            Ok(())
        })?;
        Ok(leaves)
    }

    /// The offsets of the scalars and vectors of a type in order.
    pub(crate) fn offsets(&self, ty: &LlvmType) -> Result<Vec<u32>, AbiError> {
        // Sizes are checked to be less than 2^31.
        Ok(self.leaves(ty)?.into_iter().map(|leaf| leaf.offset as u32).collect())
    }
}
