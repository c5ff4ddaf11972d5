//! The functions that allocate and free the memory of memrefs ("LLVM IR Target", "Generic allocation and deallocation
//! functions").

use super::convert::TypeConverter;
use crate::signature::{Param, Signature};
use crate::types::{CType, LlvmType};

/// Which functions allocate memory; by default `malloc` and `free`. An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Allocation {
    /// `aligned_alloc` is used instead of `malloc` with extra bytes in which an aligned address is chosen.
    pub aligned: bool,
    /// `_mlir_memref_to_llvm_alloc` and so on are used instead of C's functions; a run-time library has them.
    pub generic: bool,
}

/// A function of memory. An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Allocator {
    /// `void *(size)`.
    Alloc,
    /// `void *(alignment, size)`; the size is a multiple of the alignment.
    AlignedAlloc,
    /// `void (pointer)`, with the allocated pointer of a memref.
    Free,
}

impl Allocator {
    /// The signature that a converted module declares: sizes and alignments have type `index`. If `index` is not as
    /// wide as `size_t`, C's own function has another signature ([`Allocator::c_signature`]), and the number must be
    /// widened or truncated.
    pub fn signature(self, converter: &TypeConverter) -> Signature {
        let size = || Param::new(converter.index());
        self.of(LlvmType::PTR.into(), LlvmType::Void.into(), &size)
    }

    /// The function's signature in C: sizes and alignments are `size_t`, as wide as a pointer.
    pub fn c_signature(self, converter: &TypeConverter) -> Signature {
        let bits = 8 * converter.target().pointer_bytes() as u16;
        self.of(CType::PTR.into(), CType::Void.into(), &|| Param::new(CType::int(bits, false)))
    }

    fn of(self, pointer: Param, nothing: Param, size: &dyn Fn() -> Param) -> Signature {
        match self {
            Allocator::Alloc => Signature::c(pointer).param(size()),
            Allocator::AlignedAlloc => Signature::c(pointer).param(size()).param(size()),
            Allocator::Free => Signature::c(nothing).param(pointer),
        }
    }
}

impl Allocation {
    /// The function that gives memory.
    pub fn allocator(self) -> Allocator {
        if self.aligned { Allocator::AlignedAlloc } else { Allocator::Alloc }
    }

    /// The symbol of a function, as C spells it.
    pub fn name(self, function: Allocator) -> &'static str {
        match (function, self.generic) {
            (Allocator::Alloc, false) => "malloc",
            (Allocator::AlignedAlloc, false) => "aligned_alloc",
            (Allocator::Free, false) => "free",
            (Allocator::Alloc, true) => "_mlir_memref_to_llvm_alloc",
            (Allocator::AlignedAlloc, true) => "_mlir_memref_to_llvm_aligned_alloc",
            (Allocator::Free, true) => "_mlir_memref_to_llvm_free",
        }
    }

    /// The smallest alignment in bytes of memory from `aligned_alloc` for elements of this many bytes, if the operation
    /// gives none: 16, or the next power of two if an element is larger.
    pub fn default_align(element_bytes: u64) -> u64 {
        element_bytes.max(16).next_power_of_two()
    }
}
