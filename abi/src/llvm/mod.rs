//! What LLVM's back ends do with LLVM types, a file for each family of conventions. `split`, `legalize` and `result` are
//! how they take types apart.

pub(crate) mod aarch64;
pub(crate) mod arm;
pub(crate) mod legalize;
pub(crate) mod result;
pub(crate) mod split;
pub(crate) mod win64;
pub(crate) mod x86_32;
pub(crate) mod x86_64;
