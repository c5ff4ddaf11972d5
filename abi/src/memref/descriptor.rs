//! Descriptors: the representation of a memref in memory and as parameters.

use crate::error::AbiError;
use crate::layout::DataLayout;
use crate::measure::Layout;
use crate::types::{LlvmScalar, LlvmType};

/// The "allocated pointer" in the descriptor of a global, which must not be freed. A function in the convention of bare
/// pointers returns the aligned pointer of such a memref instead.
pub const GLOBAL_ALLOCATED: u64 = 0xdead_beef;

/// What a parameter, or a field of a descriptor, contains. An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A whole value that is not a memref.
    Value,
    /// The pointer to the buffer as it was allocated, which is freed.
    Allocated,
    /// The pointer to the buffer's aligned start, which all accesses are based on.
    Aligned,
    /// Number of elements between that start and the first element of the memref.
    Offset,
    /// Number of elements in the dimension with this number, from 0.
    Size(u32),
    /// Distance of neighbouring elements in the dimension with this number, from 0.
    Stride(u32),
    /// Rank of an unranked memref.
    Rank,
    /// Address of the descriptor, with that rank, that an unranked memref stands for.
    Descriptor,
}

/// A field of a descriptor. An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DescriptorField {
    /// What it contains.
    pub part: Part,
    /// Its LLVM type.
    pub ty: LlvmScalar,
    /// Its offset in bytes from the descriptor's start.
    pub offset: u64,
    /// Its index in LLVM's struct.
    pub index: u32,
    /// Its index in the array, if the field of LLVM's struct is an array.
    pub element: Option<u32>,
}

/// The descriptor of memrefs of one rank, or of unranked ones.
///
/// As LLVM's struct `{ ptr, ptr, index, [rank x index], [rank x index] }`, without the arrays for rank 0; unranked
/// `{ index, ptr }` ("LLVM IR Target", "Ranked MemRef Types", "Unranked MemRef Types"). In memory it is what C makes of
/// `struct { T *allocated, *aligned; intptr_t offset, sizes[rank], strides[rank]; }`.
///
/// An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Descriptor {
    /// `None`: it is unranked.
    rank: Option<u32>,
    pointer: Layout,
    index_bits: u32,
    index: Layout,
}

/// The size in bytes of the descriptor of an unranked memref, which depends on its rank: `base + rank * per_rank`.
///
/// It is `2 * pointer + (1 + 2 * rank) * index`, the pointer being the target's whatever the width of `index`.
///
/// An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CopySize {
    /// Bytes for rank 0.
    pub base: u64,
    /// Bytes more for each dimension.
    pub per_rank: u64,
}

impl CopySize {
    /// The size for `rank` dimensions.
    pub fn of(self, rank: u32) -> u64 {
        self.base + u64::from(rank) * self.per_rank
    }
}

impl Descriptor {
    pub(super) fn new(layout: &DataLayout, index_bits: u32, rank: Option<u32>) -> Descriptor {
        let (pointer, index) = (layout.target().pointer_bytes(), index_bits / 8);
        let align = if index == 8 { layout.align_of_64() } else { index };
        let (pointer, index) = (Layout::new(pointer.into(), pointer), Layout::new(index.into(), align));
        Descriptor { rank, pointer, index_bits, index }
    }

    /// The rank; `None` for an unranked memref.
    pub fn rank(&self) -> Option<u32> {
        self.rank
    }

    /// Number of fields, where each element of an array counts, and so of parameters: `3 + 2 * rank`, or 2.
    pub fn len(&self) -> u32 {
        self.rank.map_or(2, |rank| 3 + 2 * rank)
    }

    /// Never: every descriptor has fields.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The field with this number, in memory order, which is also the order of parameters.
    pub fn field(&self, number: u32) -> Option<DescriptorField> {
        let (index, element, part) = match (self.rank, number) {
            (None, 0) => (0, None, Part::Rank),
            (None, 1) => (1, None, Part::Descriptor),
            (Some(_), 0) => (0, None, Part::Allocated),
            (Some(_), 1) => (1, None, Part::Aligned),
            (Some(_), 2) => (2, None, Part::Offset),
            (Some(rank), n) if n < 3 + rank => (3, Some(n - 3), Part::Size(n - 3)),
            (Some(rank), n) if n < 3 + 2 * rank => (4, Some(n - 3 - rank), Part::Stride(n - 3 - rank)),
            _ => return None,
        };
        Some(DescriptorField { part, ty: self.scalar(part), offset: self.offset(number), index, element })
    }

    /// The fields in order.
    pub fn fields(&self) -> impl Iterator<Item = DescriptorField> + use<> {
        let descriptor = *self;
        (0..self.len()).filter_map(move |number| descriptor.field(number))
    }

    /// The number of the field that contains `part`.
    pub fn number(&self, part: Part) -> Option<u32> {
        match (self.rank, part) {
            (None, Part::Rank) | (Some(_), Part::Allocated) => Some(0),
            (None, Part::Descriptor) | (Some(_), Part::Aligned) => Some(1),
            (Some(_), Part::Offset) => Some(2),
            (Some(rank), Part::Size(k)) if k < rank => Some(3 + k),
            (Some(rank), Part::Stride(k)) if k < rank => Some(3 + rank + k),
            _ => None,
        }
    }

    /// Offset in bytes of the field with this number: pointers come before indices, or an index before a pointer.
    fn offset(&self, number: u32) -> u64 {
        let number = u64::from(number);
        match self.rank {
            None => number * self.index.size.next_multiple_of(self.pointer.align.into()),
            Some(_) if number < 2 => number * self.pointer.size,
            Some(_) => {
                (2 * self.pointer.size).next_multiple_of(self.index.align.into()) + (number - 2) * self.index.size
            }
        }
    }

    /// The LLVM type of a part.
    fn scalar(&self, part: Part) -> LlvmScalar {
        match part {
            Part::Allocated | Part::Aligned | Part::Descriptor => LlvmScalar::Ptr,
            _ => LlvmScalar::Int(self.index_bits),
        }
    }

    /// Size and alignment in memory, in bytes.
    pub fn layout(&self) -> Layout {
        let align = self.pointer.align.max(self.index.align);
        let last = if self.rank.is_some() { self.index.size } else { self.pointer.size };
        let end = self.offset(self.len() - 1) + last;
        Layout::new(end.next_multiple_of(align.into()), align)
    }

    /// The size of the copy that an unranked memref points to, and of any ranked descriptor without padding at its end.
    pub fn copy_size(&self) -> CopySize {
        CopySize { base: 2 * self.pointer.size + self.index.size, per_rank: 2 * self.index.size }
    }

    /// LLVM's struct.
    ///
    /// # Errors
    /// More than 2^31 bytes.
    pub fn ty(&self, layout: &DataLayout) -> Result<LlvmType, AbiError> {
        let index = LlvmType::int(self.index_bits);
        let Some(rank) = self.rank else {
            return Ok(LlvmType::structure(layout.llvm_struct([index, LlvmType::PTR], false)?));
        };
        let mut fields = alloc::vec![LlvmType::PTR, LlvmType::PTR, index.clone()];
        if rank > 0 {
            let array = LlvmType::array(index, rank.into());
            fields.extend([array.clone(), array]);
        }
        Ok(LlvmType::structure(layout.llvm_struct(fields, false)?))
    }
}
