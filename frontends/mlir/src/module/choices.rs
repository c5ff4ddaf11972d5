//! What a caller chooses for a module.

use std::collections::HashSet;

use gusset_abi::Isa;
use gusset_abi::memref::Allocation;
use gusset_codegen::ir::CodeModel;

use crate::dialect::Dialects;
use crate::syntax::header::Header;

/// Which functions get wrappers for C, `_mlir_ciface_NAME`.
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

/// Choices that are not the module's.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Where trampolines are.
    pub trampolines: gusset_lower::Trampolines,
    /// The instruction set of those in place.
    pub isa: Isa,
    /// How far apart code and data may lie.
    pub code_model: Option<CodeModel>,
    /// Which functions get wrappers for C.
    pub c_wrappers: CWrappers,
    /// Functions that get them, too, by name.
    pub wrapped: HashSet<String>,
    /// The function `void(const char *message)` that a `cf.assert` calls whose condition is false, and that does not return; else
    /// the message is printed and the program ends.
    pub failure: Option<String>,
    /// The object is linked with no library: functions of C's that operations would call are errors.
    pub no_library: bool,
    /// Wrappers take complex numbers and vectors as C passes them; else as MLIR's own conversion has it.
    pub c_values: bool,
    /// Memrefs are passed as bare pointers.
    pub bare_pointers: bool,
    /// Where the memory of memrefs comes from.
    pub allocation: Allocation,
    /// Bits of `index`; else as the module's data layout says, else those of pointers.
    pub index_bits: Option<u32>,
    /// Dialects beside those that the reader knows.
    pub dialects: Dialects,
    /// In a translation in part ([`write_in_part`](crate::write_in_part)), the dialects that are converted; all if there are none.
    pub only: Vec<String>,
}

/// Is a function to have a wrapper for C?
pub(crate) fn wants_wrapper(choices: &Choices, h: &Header) -> bool {
    let chosen = match choices.c_wrappers {
        CWrappers::Attribute => false,
        CWrappers::Defined => h.region.is_some(),
        CWrappers::All => true,
    };
    let named = || std::str::from_utf8(&h.name).is_ok_and(|name| choices.wrapped.contains(name));
    chosen || h.attr("llvm.emit_c_interface").is_some() || named()
}
