//! C headers of MLIR's modules.

use gusset_abi::memref::{Allocation, Header, HeaderFunction};

use crate::{Error, Source};

/// Which functions of an MLIR module have wrappers for C, `_mlir_ciface_` and their name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wrappers {
    /// Those with the attribute `llvm.emit_c_interface`.
    #[default]
    Attribute,
    /// Those that the module defines.
    Defined,
    /// All.
    All,
}

/// What a header depends on beside the module and the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeaderOptions {
    /// Bits of `index`; else as the module says, else those of pointers.
    pub index_bits: Option<u32>,
    /// Which functions have wrappers.
    pub wrappers: Wrappers,
    /// Where the module's memory comes from.
    pub allocation: Allocation,
    /// Whether wrappers take complex numbers and vectors as C passes them; else as MLIR's own conversion has it.
    pub c_values: bool,
}

/// The C header of an MLIR module: the functions by which C calls it, and those that C is to define, with the structs of their
/// memrefs and who frees what. Functions that take pointers alone (`llvm.bareptr`) have no wrappers.
///
/// # Errors
/// The text is not MLIR, or a function has a type that cannot be converted.
pub fn mlir_header(source: Source<'_>, target: &gusset_abi::Target, options: &HeaderOptions) -> Result<String, Error> {
    let (converter, all) = gusset_mlir::declarations(source.text, source.name, target, options.index_bits)?;
    let wrapped = all.iter().filter(|function| {
        !function.bare_pointers
            && match options.wrappers {
                Wrappers::Attribute => function.c_interface,
                Wrappers::Defined => function.defined,
                Wrappers::All => true,
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
    let HeaderOptions { allocation, c_values, .. } = *options;
    Ok(Header { converter, allocation, c_values, functions: &functions }.to_string())
}
