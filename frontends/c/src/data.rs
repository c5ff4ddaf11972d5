//! Sizes and signs of C's basic types.

use gusset_abi::{Arch, CType, Env, Os, Target};

/// What C leaves to the implementation, and the target determines.
#[derive(Clone, Copy)]
pub(crate) struct DataModel {
    target: Target,
}

impl DataModel {
    pub fn new(target: &Target) -> DataModel {
        DataModel { target: *target }
    }

    /// Bits of `long`: 32 on Windows except Cygwin, else those of a pointer.
    pub fn long_bits(&self) -> u16 {
        let windows = self.target.is_windows() && self.target.env != Env::Cygnus;
        if self.target.pointer_bytes() == 8 && !windows { 64 } else { 32 }
    }

    /// Whether plain `char` is signed (AAPCS: unsigned, but signed on Windows and Darwin).
    pub fn char_is_signed(&self) -> bool {
        let arm = matches!(self.target.arch, Arch::Arm | Arch::Aarch64);
        !arm || matches!(self.target.os, Os::Windows | Os::Darwin)
    }

    /// `wchar_t` (AAPCS: unsigned).
    pub fn wide_char(&self) -> CType {
        match (self.target.os, self.target.arch) {
            (Os::Windows, _) => CType::U16,
            (Os::Linux | Os::None, Arch::Arm | Arch::Aarch64) => CType::U32,
            _ => CType::I32,
        }
    }

    /// The alignment in bytes that `aligned` without a number means: the strictest of the basic types.
    pub fn biggest_align(&self) -> u32 {
        if self.target.arch == Arch::Arm { 8 } else { 16 }
    }
}
