//! Choices for functions that a builder makes.

use gusset_codegen::dump::Stage;
use gusset_codegen::level::OptimizationLevel;
use gusset_codegen::passes::PassSet;

use crate::options::{CompilerOptions, Relocation, choices, debug_choices};

/// Choices for an [`ObjectBuilder`](crate::ObjectBuilder).
///
/// ```
/// use gusset_compiler::{BuilderOptions, Relocation};
///
/// let options = BuilderOptions::new().relocation(Relocation::Static).function_sections(true);
/// assert!(options.function_sections && !options.data_sections);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BuilderOptions {
    /// How much work is done for good code.
    pub level: OptimizationLevel,
    /// Where the code may be loaded: by default anywhere.
    pub relocation: Relocation,
    /// Every function also has an entry in `.debug_frame`, the unwind tables for debuggers (ELF).
    pub debug_frame: bool,
    /// Debug information has a table that tells which code belongs to which of its units (`.debug_aranges`).
    pub debug_aranges: bool,
    /// Sections of debug information are compressed with zlib, each if that makes it smaller (ELF objects).
    #[cfg(feature = "compression")]
    pub compress_debug_sections: bool,
    /// Checks the allocation of registers. Bodies are verified in any case. A fault is an error that names the
    /// instruction. The check costs several times the compilation.
    pub verify: bool,
    /// A stage at which functions are kept as text, for [`finish_stage`](crate::ObjectBuilder::finish_stage).
    pub stage: Option<Stage>,
    /// Functions are kept as Gusset's IR, for [`finish_ir`](crate::ObjectBuilder::finish_ir).
    pub keep_ir: bool,
    /// Every function keeps a frame pointer, by which profilers and collectors go from frame to frame (`-fno-omit-frame-pointer`).
    pub frame_pointers: bool,
    /// Every function has a section of its own, so that linkers can drop it alone (`-ffunction-sections`).
    pub function_sections: bool,
    /// Every data object has a section of its own (`-fdata-sections`).
    pub data_sections: bool,
    /// Thread-local data is left to the compiler's run-time library (`__emutls_get_address`). Code in memory has no other on Windows,
    /// OpenBSD and Android before version 29 have no other at all.
    pub emulated_tls: bool,
}

choices! { BuilderOptions:
    level: OptimizationLevel;
    relocation: Relocation;
    debug_frame: bool;
    debug_aranges: bool;
    #[cfg(feature = "compression")]
    compress_debug_sections: bool;
    verify: bool;
    stage: Option<Stage>;
    keep_ir: bool;
    frame_pointers: bool;
    function_sections: bool;
    data_sections: bool;
    emulated_tls: bool;
}

debug_choices!(BuilderOptions);

impl BuilderOptions {
    pub(crate) fn pic(&self) -> bool {
        self.relocation != Relocation::Static
    }

    pub(crate) fn compiler(&self) -> CompilerOptions {
        CompilerOptions { level: self.level, passes: PassSet::default(), verify: self.verify, stage: self.stage }
    }
}
