//! MLIR: what its modules do, against MLIR's own passes and llc, and translation from and to LLVM IR.

mod allocation;
mod c_values;
mod calls;
mod contents;
mod conversion;
mod debug_info;
mod documents;
mod doors;
mod errors;
mod fortran;
mod from_llvm;
mod hardware;
mod memref_headers;
mod modules;
mod ops;
mod programs;
mod random;
mod round_trips;
mod signatures;
mod to_llvm;
mod vectors;
mod whole;
