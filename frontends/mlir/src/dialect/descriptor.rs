//! Values of types that LLVM does not have as the values that they dissolve into: descriptors of memrefs, complex numbers.
//!
//! "LLVM IR Target", "Structure-type values", has classes that build structs member by member: `StructBuilder`,
//! `MemRefDescriptor`, `UnrankedMemRefDescriptor`, `ComplexStructBuilder`. Here nothing is built: a descriptor is its members,
//! each a value by itself, and to take one or to put one in its place costs no instruction. The order is that of
//! [`gusset_abi::memref::Descriptor`], which says what a descriptor is in memory, and of the parameters that an argument becomes.

use gusset_abi::memref::Part;

/// A ranked memref: the members of its descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemrefDescriptor<V> {
    /// The pointer that `malloc` gave, for `free`.
    pub allocated: V,
    /// The pointer from which elements are counted.
    pub aligned: V,
    /// Elements between the aligned pointer and the first one.
    pub offset: V,
    /// Sizes in elements, from the outermost dimension on.
    pub sizes: Vec<V>,
    /// Distances in elements between neighbours of each dimension; as many as sizes.
    pub strides: Vec<V>,
}

impl<V: Copy> MemrefDescriptor<V> {
    /// Number of the member that is the aligned pointer.
    pub const ALIGNED: usize = 1;
    /// Number of the member that is the offset: behind the two pointers.
    pub const OFFSET: usize = 2;

    /// Number of the member that is the size of dimension `k`.
    pub const fn size_member(k: usize) -> usize {
        Self::OFFSET + 1 + k
    }

    /// Number of the member that is the stride of dimension `k` of so many.
    pub const fn stride_member(rank: usize, k: usize) -> usize {
        Self::OFFSET + 1 + rank + k
    }

    /// A descriptor from its members in order: as arguments of functions, as values that a memref dissolves into. `None` if their
    /// number is not `3 + 2·rank`.
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

    /// The member that says `part`, if there is one.
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

/// An unranked memref: its rank, and where the descriptor of the ranked one is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnrankedDescriptor<V> {
    /// The number of dimensions, an index.
    pub rank: V,
    /// The address of the descriptor: on the stack, but of what a function returns on the heap.
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
