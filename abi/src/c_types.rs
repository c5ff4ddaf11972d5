//! C's types by name, where the target chooses their sizes or signs.

use crate::target::{AbiTarget, Arch, Env, Os};
use crate::types::CType;

/// C's types whose size or sign the target chooses. Other types are constants of [`CType`]: `int` is [`CType::I32`].
///
/// ```
/// use gusset_abi::{AbiTarget, CTypes, Signature};
///
/// let c = CTypes::of(&AbiTarget::X86_64_LINUX);
/// // `long labs(long)`
/// let labs = Signature::c(c.long.clone()).param(c.long);
/// # let _ = labs;
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CTypes {
    /// `char`.
    pub char: CType,
    /// `long`.
    pub long: CType,
    /// `unsigned long`.
    pub ulong: CType,
    /// `size_t`.
    pub size_t: CType,
    /// `ptrdiff_t` and `ssize_t`.
    pub ptrdiff_t: CType,
    /// `intptr_t`.
    pub intptr_t: CType,
    /// `uintptr_t`.
    pub uintptr_t: CType,
    /// `wchar_t`.
    pub wchar_t: CType,
    /// `long double`.
    pub long_double: CType,
    /// `va_list` as the type of a parameter, where an array is a pointer.
    pub va_list: CType,
}

impl CTypes {
    /// The types of a target.
    pub fn of(target: &AbiTarget) -> CTypes {
        let word = 8 * target.pointer_bytes() as u16;
        let (long, (int, uint)) = (long_bits(target), (CType::int(word, true), CType::int(word, false)));
        CTypes {
            char: CType::int(8, char_is_signed(target)),
            long: CType::int(long, true),
            ulong: CType::int(long, false),
            size_t: uint.clone(),
            ptrdiff_t: int.clone(),
            intptr_t: int,
            uintptr_t: uint,
            wchar_t: wide_char(target),
            long_double: CType::LONG_DOUBLE,
            va_list: match va_list(target) {
                (list, false) => list,
                (_, true) => CType::PTR,
            },
        }
    }
}

/// Bits of `long`: 32 on Windows except Cygwin, else those of a pointer.
pub fn long_bits(target: &AbiTarget) -> u16 {
    let windows = target.is_windows() && target.env != Env::Cygnus;
    if target.pointer_bytes() == 8 && !windows { 64 } else { 32 }
}

/// Whether plain `char` is signed (AAPCS: unsigned, but signed on Windows and Darwin).
pub fn char_is_signed(target: &AbiTarget) -> bool {
    let arm = matches!(target.arch, Arch::Arm | Arch::Aarch64);
    !arm || matches!(target.os, Os::Windows | Os::Darwin)
}

/// `wchar_t` (AAPCS: unsigned).
pub fn wide_char(target: &AbiTarget) -> CType {
    match (target.os, target.arch) {
        (Os::Windows, _) => CType::U16,
        (Os::Linux | Os::None, Arch::Arm | Arch::Aarch64) => CType::U32,
        _ => CType::I32,
    }
}

/// `va_list`, and whether it is an array of one such element: psABI x86-64, figure 3.34; AAPCS64, "Definition of
/// va_list"; AAPCS32, "Additional types"; elsewhere a pointer.
pub fn va_list(target: &AbiTarget) -> (CType, bool) {
    match (target.arch, target.os) {
        (_, Os::Windows) | (Arch::Aarch64 | Arch::Arm, Os::Darwin) => (CType::PTR, false),
        (Arch::X86_64, _) => (CType::structure([CType::U32, CType::U32, CType::PTR, CType::PTR]), true),
        (Arch::Aarch64, _) => (CType::structure([CType::PTR, CType::PTR, CType::PTR, CType::I32, CType::I32]), false),
        (Arch::Arm, _) => (CType::structure([CType::PTR]), false),
        (Arch::X86, _) => (CType::PTR, false),
    }
}
