//! Alignments of C's basic types.

use gusset_abi::{AbiTarget, Arch};

/// The alignment in bytes that `aligned` without a number means: the strictest of the basic types.
pub(crate) fn biggest_align(target: &AbiTarget) -> u32 {
    if target.arch == Arch::Arm { 8 } else { 16 }
}
