//! Values of types that LLVM does not have, as the values of which they consist: descriptors of memrefs, complex
//! numbers.
//!
//! "LLVM IR Target", "Structure-type values", describes classes that build structs member by member: `StructBuilder`,
//! `MemRefDescriptor`, `UnrankedMemRefDescriptor`, `ComplexStructBuilder`. Here no struct is built: a descriptor is its
//! members, which are separate values, and reading or replacing one costs no instruction. Their order is that of
//! [`gusset_abi::memref::Descriptor`], which describes the descriptor in memory, and that of the parameters for an
//! argument.

use gusset_abi::memref::Part;

/// A ranked memref: the members of its descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemrefDescriptor<V> {
    /// The pointer that `malloc` returned, for `free`.
    pub allocated: V,
    /// The pointer relative to which elements are addressed.
    pub aligned: V,
    /// Distance from the aligned pointer to the first element, in elements.
    pub offset: V,
    /// Sizes in elements, beginning with the outermost dimension.
    pub sizes: Vec<V>,
    /// Distances of neighbouring elements of each dimension, in elements; as many as sizes.
    pub strides: Vec<V>,
}

impl<V: Copy> MemrefDescriptor<V> {
    /// Index of the aligned pointer among the members.
    pub const ALIGNED: usize = 1;
    /// Index of the offset among the members, after the two pointers.
    pub const OFFSET: usize = 2;

    /// Index of the size of dimension `k`.
    pub const fn size_member(k: usize) -> usize {
        Self::OFFSET + 1 + k
    }

    /// Index of the stride of dimension `k`, for a rank.
    pub const fn stride_member(rank: usize, k: usize) -> usize {
        Self::OFFSET + 1 + rank + k
    }

    /// A descriptor from its members in order, which are also the order of arguments. `None` if their number is not `3
    /// + 2·rank`.
    pub fn unpack(members: &[V]) -> Option<MemrefDescriptor<V>> {
        let (&[allocated, aligned, offset], lists) = members.split_first_chunk::<3>()?;
        if !lists.len().is_multiple_of(2) {
            return None;
        }
        let (sizes, strides) = lists.split_at(lists.len() / 2);
        Some(MemrefDescriptor { allocated, aligned, offset, sizes: sizes.into(), strides: strides.into() })
    }

    /// The members in order.
    pub fn pack(&self) -> Vec<V> {
        let mut members = Vec::with_capacity(3 + 2 * self.rank());
        members.extend([self.allocated, self.aligned, self.offset]);
        members.extend_from_slice(&self.sizes);
        members.extend_from_slice(&self.strides);
        members
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// The member `part`, if there is one.
    pub fn get(&self, part: Part) -> Option<V> {
        match part {
            Part::Allocated => Some(self.allocated),
            Part::Aligned => Some(self.aligned),
            Part::Offset => Some(self.offset),
            Part::Size(k) => self.sizes.get(k as usize).copied(),
            Part::Stride(k) => self.strides.get(k as usize).copied(),
            _ => None,
        }
    }
}

/// An unranked memref: its rank, and the address of the ranked one's descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnrankedDescriptor<V> {
    /// The number of dimensions, an index.
    pub rank: V,
    /// The address of the descriptor: on the stack, except that of a function's result, which is on the heap.
    pub descriptor: V,
}

/// A complex number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComplexParts<V> {
    /// The real part.
    pub re: V,
    /// The imaginary part.
    pub im: V,
}
