//! The conventions of C types, a file each. At the head of each stands what compilers and documents do differently;
//! `i386` and `a64` are what several of them share.

pub(crate) mod a64;
pub(crate) mod aapcs32;
pub(crate) mod aapcs64;
pub(crate) mod apple64;
pub(crate) mod argblock;
pub(crate) mod i386;
pub(crate) mod sysv32;
pub(crate) mod sysv64;
pub(crate) mod win32;
pub(crate) mod win64;
pub(crate) mod winarm64;
