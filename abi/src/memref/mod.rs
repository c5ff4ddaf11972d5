//! MLIR's calling conventions for functions with memrefs, as data.
//!
//! MLIR's functions have arguments and results that neither C nor LLVM has: memrefs, `index`, complex numbers, vectors
//! of several dimensions. How they are passed is a convention like others ("Built-in Function and MemRef Calling
//! Convention", "LLVM IR Target"), which is here without any IR:
//!
//! | question | answer |
//! |---|---|
//! | what a memref is in memory and as LLVM's struct | [`Descriptor`], from [`TypeConverter::ranked`] and [`TypeConverter::unranked`] |
//! | which LLVM type a built-in type becomes | [`TypeConverter::convert`] |
//! | which parameters an argument becomes, what comes back | [`Converted`], from [`TypeConverter::function`]; [`Pointers`] says in which of two conventions |
//! | what the function for C is like | [`Wrapper`], from [`TypeConverter::wrapper`]; as C declares it [`TypeConverter::c_interface`] |
//! | whether C can call it | [`TypeConverter::function_in_c`], [`TypeConverter::wrapper_in_c`] |
//! | which functions give and take back memory | [`Allocator`] |
//! | a C header of all that | [`Header`] |
//!
//! The width of `index`, of pointers and of `size_t` is the target's. A different width of `index` may be asked for.
//!
//! ```
//! use gusset_abi::memref::{BuiltinType, FunctionType, Memref, Pointers, TypeConverter};
//! use gusset_abi::{AbiTarget, LlvmScalar, classify};
//!
//! // func.func @f(memref<?xf32>, f32)
//! let float = BuiltinType::scalar(LlvmScalar::Float);
//! let vector = BuiltinType::memref(Memref::identity(float.clone(), vec![None]));
//! let f = FunctionType { args: vec![vector, float], results: vec![], variadic: false };
//!
//! let target = AbiTarget::X86_64_LINUX;
//! let converted = TypeConverter::new(&target).function(&f, Pointers::Expanded)?;
//! assert_eq!(converted.to_string(), "void (ptr, ptr, i64, i64, i64, float)");
//! assert_eq!(
//!     classify(&target, &converted.signature())?.to_string(),
//!     "r: -; a1: [0..8)@rdi; a2: [0..8)@rsi; a3: [0..8)@rdx; a4: [0..8)@rcx; a5: [0..8)@r8; a6: [0..4)@xmm0; pop 0"
//! );
//! # Ok::<(), gusset_abi::AbiError>(())
//! ```
//!
//! Documents, MLIR's own conversion and C differ:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | memref, or several results, as result | MLIR: LLVM's struct, in registers while there are enough | C: a record, in memory beyond two registers |
//! | complex number, argument of a wrapper too | MLIR: `{ T, T }`, a register for each part; C's by choice | C: often both parts in one register |
//! | vector of several dimensions | MLIR: an array of vectors, a register for each; in C a record by choice | C has no such type |
//! | small integer in a wrapper | C: widened where clang does so; as it is by choice | MLIR: as it is |
//! | size of the descriptor of an unranked memref | the target's pointers | MLIR 19: pointers of 8 bytes unless the data layout says otherwise |
//! | bare pointer to a memref with static strides and offset | MLIR: as the document's default layout | the document: refused |
//! | bare pointer to a memref whose shape is dynamic | an error that names the argument | MLIR 19: the function stays unconverted |
//! | result as bare pointer of a memref that is a global | the aligned pointer | MLIR 19: the number 0xDEADBEEF |
//! | wrapper of a variadic function | it takes a `va_list` | MLIR 19: an error |

mod allocation;
mod callable;
mod convert;
mod ctypes;
mod descriptor;
mod header;
mod spelling;
mod text;
mod types;
mod wrapper;

pub use allocation::{Allocation, Allocator};
pub use convert::{Converted, ConvertedParam, Form, Pointers, TypeConverter};
pub use descriptor::{CopySize, Descriptor, DescriptorField, GLOBAL_ALLOCATED, Part};
pub use header::{CPrototype, Header, HeaderFunction};
pub use types::{BuiltinType, Float8, FunctionType, Lane, Memref};
pub use wrapper::{Source, WRAPPER_PREFIX, Wrapper, WrapperParam, wrapper_name};
