//! The families of conventions, a folder for each architecture. It has a file for each convention, one for what LLVM's
//! back end does with LLVM types, and one for the IR that clang makes of C types. The head of each file says what
//! compilers and documents do differently. What the files of a family share is in `common`, `call` and `classes`.

pub(crate) mod aarch64;
pub(crate) mod arm;
pub(crate) mod i386;
pub(crate) mod vectorcall;
pub(crate) mod x86_64;
