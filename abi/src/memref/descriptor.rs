//! Descriptors: what a memref is, in memory and as parameters.

use crate::error::AbiError;
use crate::layout::DataLayout;
use crate::measure::Layout;
use crate::types::{LlvmScalar, LlvmType};

/// The "allocated pointer" in the descriptor of a global: nobody may free it. A function in the convention of bare pointers gives
/// back the aligned pointer of such a memref instead.
pub const GLOBAL_ALLOCATED: u64 = 0xdead_beef;

/// What a parameter, or a field of a descriptor, says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// All of a value that is no memref.
    Value,
    /// The pointer to the buffer as it was allocated: what is freed.
    Allocated,
    /// The pointer to the buffer's aligned start: what all accesses are based on.
    Aligned,
    /// Elements between that start and the first element of the memref.
    Offset,
    /// Elements in the dimension of this number, from 0.
    Size(u32),
    /// Elements from one to the next in the dimension of this number, from 0.
    Stride(u32),
    /// Rank of an unranked memref.
    Rank,
    /// Address of the descriptor, of that rank, that an unranked memref stands for.
    Descriptor,
}

/// A field of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DescriptorField {
    /// What it says.
    pub part: Part,
    /// Its LLVM type.
    pub ty: LlvmScalar,
    /// Its offset in bytes from the descriptor's start.
    pub offset: u64,
    /// Its index in LLVM's struct.
    pub index: u32,
    /// Its index in the array that this field of LLVM's struct is.
    pub element: Option<u32>,
}

/// The descriptor of memrefs of one rank, or of unranked ones.
///
/// As LLVM's struct `{ ptr, ptr, index, [rank x index], [rank x index] }`, without the arrays for rank 0; unranked
/// `{ index, ptr }` ("LLVM IR Target", "Ranked MemRef Types", "Unranked MemRef Types"). In memory it is what C makes of
/// `struct { T *allocated, *aligned; intptr_t offset, sizes[rank], strides[rank]; }`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Descriptor {
    /// Without one it is unranked.
    rank: Option<u32>,
    pointer: Layout,
    index_bits: u32,
    index: Layout,
}

/// The size in bytes of the descriptor of an unranked memref, which depends on its rank: `base + rank * per_rank`.
///
/// It is `2 * pointer + (1 + 2 * rank) * index`, the pointer being the target's whatever the width of `index`.
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

    /// The rank; of an unranked memref none.
    pub fn rank(&self) -> Option<u32> {
        self.rank
    }

    /// Number of fields, each element of an array being one, and so of parameters: `3 + 2 * rank`, or 2.
    pub fn len(&self) -> u32 {
        self.rank.map_or(2, |rank| 3 + 2 * rank)
    }

    /// Never: every descriptor has fields.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The field of this number, in the order of memory, which is that of parameters, too.
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

    /// The number of the field that says `part`.
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

    /// Offset in bytes of the field of this number: pointers before indices, or an index before a pointer.
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
