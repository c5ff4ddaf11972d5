//! C headers of MLIR's modules.

use gusset_abi::memref::{Header, HeaderFunction};

use crate::{CWrappers, Error, MlirOptions, Source};

/// The C header of an MLIR module: the functions by which C calls it, and those that C has to define, with the structs
/// of their memrefs and comments about who frees what. Functions that take pointers alone (`llvm.bareptr`) have no
/// wrappers.
///
/// # Errors
/// The text is not MLIR, or a function has a type that cannot be converted.
pub fn mlir_header(source: Source<'_>, target: &gusset_abi::AbiTarget, options: &MlirOptions) -> Result<String, Error> {
    let (converter, all) = gusset_mlir::declarations(source.text, source.name, target, options.index_bits)?;
    let wrapped = all.iter().filter(|function| {
        !function.bare_pointers
            && match options.c_wrappers {
                CWrappers::Attribute => function.c_interface,
                CWrappers::Defined => function.defined,
                CWrappers::All => true,
            }
    });
    let named: Vec<_> = wrapped.map(|function| (function, function.arg_names())).collect();
    let functions: Vec<HeaderFunction<'_>> = named
        .iter()
        .map(|(function, arg_names)| HeaderFunction {
            name: &function.name,
            ty: &function.ty,
            arg_names,
            defined: function.defined,
        })
        .collect();
    let MlirOptions { allocation, c_values, .. } = *options;
    Ok(Header { converter, allocation, c_values, functions: &functions }.to_string())
}
