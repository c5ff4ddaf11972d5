//! `va_arg` as data: how to fetch one argument, without knowledge of the target.
//!
//! An argument of a C type is fetched in one step; one of an LLVM type in a step for each part that is passed
//! separately.

use crate::inline::InlineVec;
use crate::target::Endian;

/// A step of `va_arg`, which fetches a whole value or a part of it.
///
/// With `list` the address of the `va_list`:
/// 1. If `regs` is set, load every counter and round it up to `align`; if `counter + step <= limit` holds for all of them
///    (signed), the value is in the save area: each of its pieces is at `load(list + base) + counter + at`. Then add `step`
///    to every counter, or, if `exhausts`, add it whether there was room or not.
/// 2. Otherwise take `p = load(list + overflow_field)`, round it up to `overflow_align`, and store
///    `p + overflow_step` back; the value is at `p + overflow_at`, or, if `indirect`, at the address stored there.
///
/// A type that is not passed has no `regs` and an `overflow_step` of 0: nothing is read.
///
/// If `contiguous`, the pieces of step 1 are adjacent in memory in the value's own order, so that the address of the
/// first is the value's address. It is only a multiple of the slot size, whatever the type's alignment is.
///
/// ```
/// use gusset_abi::{AbiTarget, CType, Convention, va_arg};
///
/// let steps = va_arg(&AbiTarget::X86_64_LINUX, Convention::C, &CType::F64.into())?;
/// assert!(steps.len() == 1 && steps[0].regs.is_some());
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VaArg {
    /// Where the bytes belong in the argument's memory image, in bytes from its start; 0 unless it is fetched in parts.
    pub offset: u64,
    /// Bytes fetched. "The value" means these bytes everywhere here.
    pub size: u64,
    /// The register part, if the type may come in registers.
    pub regs: Option<VaRegs>,
    /// Offset in the `va_list` of the pointer into the stack arguments.
    pub overflow_field: u32,
    /// Alignment of the value there, in bytes; at most the slot size means that no rounding is needed.
    pub overflow_align: u32,
    /// Bytes that the value takes there.
    pub overflow_step: u64,
    /// Bytes of them that come before the value: a number is at the high end of its slots on big-endian machines.
    pub overflow_at: u32,
    /// Slot size: the pointer is always a multiple of this.
    pub slot: u32,
    /// The argument area holds the value's address.
    pub indirect: bool,
}

impl VaArg {
    /// A step for a value of `size` bytes, or its address, in a list that is one pointer to slots of `slot` bytes. The
    /// value is aligned to `align` and takes `step` bytes.
    pub(crate) fn in_slots(size: u64, slot: u32, align: u32, step: u64, indirect: bool) -> VaArg {
        VaArg {
            offset: 0,
            size,
            regs: None,
            overflow_field: 0,
            overflow_align: align,
            overflow_step: step,
            overflow_at: 0,
            slot,
            indirect,
        }
    }

    /// The same for a number, if its bytes are in this order.
    pub(crate) fn of_number(self, endian: Endian) -> VaArg {
        let overflow_at = if endian.is_big() { self.overflow_step.saturating_sub(self.size) as u32 } else { 0 };
        VaArg { overflow_at, ..self }
    }
}

/// The register part of a [`VaArg`]. An example is at [`VaArg`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VaRegs {
    /// The counters that must all have room.
    pub counters: InlineVec<VaCounter, 2>,
    /// Where the value's parts are.
    pub pieces: InlineVec<VaPiece, 4>,
    /// The parts are adjacent in the save area, in the value's own order.
    pub contiguous: bool,
    /// The counters advance even if there is no room, so that all later arguments of their class are on the stack
    /// (AAPCS64).
    pub exhausts: bool,
}

/// A 32-bit counter in a `va_list`. An example is at [`VaArg`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct VaCounter {
    /// Its offset in the `va_list` in bytes.
    pub field: u32,
    /// Bytes that this value takes.
    pub step: u32,
    /// There is room if `counter + step <= limit`, signed.
    pub limit: i32,
    /// The counter is first rounded up to a multiple of this.
    pub align: u32,
    /// Offset in the `va_list` of the pointer to which the counter is added.
    pub base: u32,
}

/// Part of a value in the register save area. An example is at [`VaArg`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct VaPiece {
    /// Offset in the value in bytes.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Index of the counter.
    pub counter: u8,
    /// Bytes beyond the counter's position.
    pub at: u32,
}
