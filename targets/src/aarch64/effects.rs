//! What machine code does to registers: for the checker of register allocation.

/// General-purpose and vector registers that a stretch of code may change, as the allocator numbers them; 0 if that is not known.
pub(super) fn written(_code: &[u8]) -> u64 {
    0
}
