//! Sizes and signs of C's basic types.

use gusset_abi::{Arch, CType, Env, Os, Target};

/// Bits of `long`: 32 on Windows except Cygwin, else those of a pointer.
pub(crate) fn long_bits(target: &Target) -> u16 {
    let windows = target.is_windows() && target.env != Env::Cygnus;
    if target.pointer_bytes() == 8 && !windows { 64 } else { 32 }
}

/// Whether plain `char` is signed (AAPCS: unsigned, but signed on Windows and Darwin).
pub(crate) fn char_is_signed(target: &Target) -> bool {
    let arm = matches!(target.arch, Arch::Arm | Arch::Aarch64);
    !arm || matches!(target.os, Os::Windows | Os::Darwin)
}

/// `wchar_t` (AAPCS: unsigned).
pub(crate) fn wide_char(target: &Target) -> CType {
    match (target.os, target.arch) {
        (Os::Windows, _) => CType::U16,
        (Os::Linux | Os::None, Arch::Arm | Arch::Aarch64) => CType::U32,
        _ => CType::I32,
    }
}

/// The alignment in bytes that `aligned` without a number means: the strictest of the basic types.
pub(crate) fn biggest_align(target: &Target) -> u32 {
    if target.arch == Arch::Arm { 8 } else { 16 }
}
