//! Options for a module.

use std::collections::HashSet;

use gusset_abi::Isa;
use gusset_abi::memref::Allocation;
use gusset_codegen::ir::CodeModel;

use crate::dialect::Dialects;
use crate::syntax::header::Header;

/// Which functions get wrappers for C, `_mlir_ciface_NAME`.
///
/// ```
/// use gusset_mlir::{CWrappers, Choices};
///
/// let choices = Choices { c_wrappers: CWrappers::All, ..Choices::default() };
/// assert_eq!(CWrappers::default(), CWrappers::Attribute);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CWrappers {
    /// Those with the attribute `llvm.emit_c_interface`.
    #[default]
    Attribute,
    /// Those, and all that are defined.
    Defined,
    /// All.
    All,
}

/// Options that are not in the module.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Where trampolines are.
    pub trampolines: gusset_lower::Trampolines,
    /// The instruction set of trampolines in place.
    pub isa: Isa,
    /// How far apart code and data may be.
    pub code_model: Option<CodeModel>,
    /// Data of more bytes may be far away in the medium and large models.
    pub far_bytes: Option<u64>,
    /// Which functions get wrappers for C.
    pub c_wrappers: CWrappers,
    /// Names of further functions that get wrappers.
    pub wrapped: HashSet<String>,
    /// The function `void(const char *message)` that a `cf.assert` with a false condition calls, and that does not
    /// return; without it the message is printed and the program ends.
    pub failure: Option<String>,
    /// The object is linked with no library: calls of C's functions that operations need are errors.
    pub no_library: bool,
    /// Wrappers pass complex numbers and vectors as C does; otherwise as MLIR's own conversion does.
    pub c_values: bool,
    /// Memrefs are passed as bare pointers.
    pub bare_pointers: bool,
    /// The functions that allocate the memory of memrefs.
    pub allocation: Allocation,
    /// Bits of `index`; by default those of the module's data layout, or of pointers.
    pub index_bits: Option<u32>,
    /// Debug information is left out.
    pub strip_debug: bool,
    /// Dialects beside those that the reader knows.
    pub dialects: Dialects,
    /// In a partial translation ([`write_in_part`](crate::write_in_part)), the dialects that are converted; all if this
    /// is empty.
    pub only: Vec<String>,
}

/// Whether a function gets a wrapper for C.
pub(crate) fn wants_wrapper(choices: &Choices, h: &Header) -> bool {
    let chosen = match choices.c_wrappers {
        CWrappers::Attribute => false,
        CWrappers::Defined => h.region.is_some(),
        CWrappers::All => true,
    };
    let named = || std::str::from_utf8(&h.name).is_ok_and(|name| choices.wrapped.contains(name));
    chosen || h.attr("llvm.emit_c_interface").is_some() || named()
}
