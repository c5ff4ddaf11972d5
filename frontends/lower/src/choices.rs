//! Choices of whoever compiles a program of LLVM.

use gusset_abi::Isa;
use gusset_codegen::ir::CodeModel;

use crate::facts::Trampolines;

/// Options that are not in the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// Where trampolines are.
    pub trampolines: Trampolines,
    /// The instruction set of trampolines in place.
    pub isa: Isa,
    /// How far apart code and data may be, whatever the module's flags say.
    pub code_model: Option<CodeModel>,
    /// Data of more bytes may be far away in the medium and large models, whatever the module's flags say.
    pub far_bytes: Option<u64>,
    /// Debug information is left out.
    pub strip_debug: bool,
    /// What is known of how often branches are taken is read.
    pub branch_weights: bool,
}
