//! Choices for a compilation.

use std::sync::Arc;

use gusset_codegen::dump::Stage;
#[cfg(feature = "llvm")]
use gusset_codegen::ir::{CodeModel, FramePointer};
use gusset_codegen::ir::{Linkage, Module, SymbolKind, Temperature};
use gusset_codegen::level::OptimizationLevel;
use gusset_codegen::passes::PassSet;
#[cfg(feature = "llvm")]
use gusset_llvm::Trampolines;
#[cfg(feature = "llvm")]
use gusset_lower::FunctionDefaults;
#[cfg(feature = "mlir")]
use gusset_mlir::{CWrappers, dialect};

use crate::{BlockList, Error, Target};

/// Methods by which options are chosen: `new`, and one with the name of each field that gives the options with another
/// value of it.
macro_rules! choices {
    ($options:ident: $($(#[$attribute:meta])* $field:ident: $value:ty;)*) => {
        impl $options {
            /// The default choices.
            pub fn new() -> $options {
                $options::default()
            }

            $($(#[$attribute])*
            #[doc = concat!("The same with another choice of `", stringify!($field), "`, which the field of this name explains.")]
            #[must_use]
            pub fn $field(mut self, $field: $value) -> Self {
                self.$field = $field;
                self
            })*
        }
    };
}

pub(crate) use choices;

/// The method that gives what of an object is for debuggers, of options that have the choices about that.
macro_rules! debug_choices {
    ($options:ident) => {
        impl $options {
            /// What of an object is for debuggers.
            pub(crate) fn debug_choices(&self) -> $crate::output::DebugChoices {
                $crate::output::DebugChoices {
                    frame: self.debug_frame,
                    aranges: self.debug_aranges,
                    #[cfg(feature = "compression")]
                    compressed: self.compress_debug_sections,
                }
            }
        }
    };
}

pub(crate) use debug_choices;

/// Gives definitions of a module that ask for no section by name sections of their own.
pub(crate) fn split_sections(module: &mut Module, functions: bool, data: bool) {
    if !functions && !data {
        return;
    }
    for symbol in module.symbols.iter_mut().filter(|symbol| symbol.is_defined() && symbol.section.is_none()) {
        symbol.own_section |= match symbol.kind {
            SymbolKind::Function => functions,
            SymbolKind::Data | SymbolKind::Tls(_) => data && symbol.linkage != Linkage::Common,
            _ => false,
        };
    }
}

/// Gives a module the choices about sections.
///
/// # Errors
/// The list of blocks is wrong.
pub(crate) fn choose_sections(module: &mut Module, options: &Options) -> Result<(), Error> {
    // Functions whose blocks lie apart are apart themselves.
    split_sections(module, options.function_sections || options.block_sections, options.data_sections);
    module.plain_section_names = !options.unique_section_names;
    module.old_structors = options.old_structors;
    module.zeros_in_data = options.zeros_in_data;
    let objects = matches!(options.emit, Emit::Object | Emit::Assembly);
    module.block_sections = options.block_sections && objects;
    module.named_block_sections = options.unique_block_section_names;
    (module.block_map, module.stack_sizes) = (options.block_map && objects, options.stack_sizes && objects);
    if objects && options.level > OptimizationLevel::O0 {
        // As LLVM's `CodeGenPrepare` chooses them.
        for symbol in &mut module.symbols {
            match symbol.temperature {
                Temperature::Unknown => {}
                Temperature::Hot => symbol.section_prefix = Some("hot".into()),
                Temperature::Cold => symbol.section_prefix = Some("unlikely".into()),
            }
        }
    }
    options.block_list.iter().filter(|_| objects).try_for_each(|list| list.apply(module, options.level))
}

/// The form of the result. An example is at [`Options`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Emit {
    /// An object file.
    #[default]
    Object,
    /// Assembly text that assembles to the same object.
    Assembly,
    /// Sections and symbols to be placed in memory (`Compilation::image`). The code may be anywhere
    /// unless `relocation` says otherwise.
    Image,
    /// Gusset's intermediate representation as text, before any pass.
    Ir,
    /// Functions as text at a stage on the way to machine code, for development of the code generator. The text's form
    /// may change.
    Stage(Stage),
}

/// Where the code may be loaded. An example is at [`BuilderOptions`](crate::BuilderOptions).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Relocation {
    /// As the module says, with LLVM's module flags `PIC Level` and `PIE Level`. A front end's own module runs
    /// anywhere.
    #[default]
    Module,
    /// Anywhere.
    Pic,
    /// Anywhere, but in an executable if the module's flag `PIE Level` says so (LLVM's `pic`).
    PicOrPie,
    /// At the address for which it is linked.
    Static,
}

/// Choices for the conversion of MLIR, for code, another program or a C header.
///
/// ```
/// use gusset_compiler::{CWrappers, MlirOptions, Options};
///
/// let mlir = MlirOptions::new().c_wrappers(CWrappers::Defined).index_bits(Some(32));
/// let options = Options::new().mlir(mlir);
/// assert_eq!(options.mlir.index_bits, Some(32));
/// ```
#[cfg(feature = "mlir")]
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MlirOptions {
    /// The functions that get wrappers for C, `_mlir_ciface_NAME`.
    pub c_wrappers: CWrappers,
    /// These wrappers take complex numbers and vectors as C passes them; otherwise as MLIR's own conversion does.
    pub c_values: bool,
    /// Memrefs are passed and returned as pointers alone: their shapes must be known.
    pub bare_pointers: bool,
    /// The functions that allocate memory for memrefs: by default `malloc` and `free`.
    pub allocation: gusset_abi::memref::Allocation,
    /// Bits of `index`: by default as the module's data layout says, else those of pointers.
    pub index_bits: Option<u32>,
    /// Dialects besides those that the reader knows: by default `x86vector` and `arm_neon`.
    pub dialects: dialect::Dialects,
}

#[cfg(feature = "mlir")]
choices! { MlirOptions:
    c_wrappers: CWrappers;
    c_values: bool;
    bare_pointers: bool;
    allocation: gusset_abi::memref::Allocation;
    index_bits: Option<u32>;
    dialects: dialect::Dialects;
}

#[cfg(feature = "mlir")]
impl MlirOptions {
    /// The reader's choices for these options.
    pub(crate) fn choices(&self) -> gusset_mlir::Choices {
        gusset_mlir::Choices {
            c_wrappers: self.c_wrappers,
            c_values: self.c_values,
            bare_pointers: self.bare_pointers,
            allocation: self.allocation,
            index_bits: self.index_bits,
            dialects: self.dialects.clone(),
            ..gusset_mlir::Choices::default()
        }
    }
}

/// Choices for compiling functions, whatever they come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CompilerOptions {
    /// The level of optimization.
    pub level: OptimizationLevel,
    /// The passes that optimized functions get.
    pub passes: PassSet,
    /// Checks the allocation of registers.
    pub verify: bool,
    /// The stage at which functions are shown.
    pub stage: Option<Stage>,
}

/// Choices for a compilation.
///
/// ```
/// use gusset_compiler::{Emit, Options};
///
/// let options = Options::new().emit(Emit::Assembly).threads(4);
/// assert_eq!((options.emit, options.threads), (Emit::Assembly, 4));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The form of the result.
    pub emit: Emit,
    /// With [`Emit::Stage`], the symbol of the only function to show.
    pub only: Option<String>,
    /// How much work is done for good code. Functions with `optnone` are not optimized.
    pub level: OptimizationLevel,
    /// The passes that optimized functions get, for development of the code generator: by default all of the level.
    pub passes: PassSet,
    /// Where the code may be loaded.
    pub relocation: Relocation,
    /// How far apart the code and data of LLVM IR may be: by default as the module's flags say.
    #[cfg(feature = "llvm")]
    pub code_model: Option<CodeModel>,
    /// Thread-local data of LLVM IR is left to the compiler's run-time library (`__emutls_get_address`), like with
    /// `clang -femulated-tls` and MinGW's GCC. On some systems it always is: OpenBSD, Android before version 29.
    #[cfg(feature = "llvm")]
    pub emulated_tls: bool,
    /// Number of bits of offsets from the thread pointer: 12, 24 (the default), 32 or 48, on AArch64 (ELF).
    #[cfg(feature = "llvm")]
    pub tls_bits: Option<u8>,
    /// The frame pointer of functions of LLVM IR and MLIR whose attributes do not say it (`frame-pointer`).
    #[cfg(feature = "llvm")]
    pub frame_pointers: FramePointer,
    /// Every function of LLVM IR and MLIR aligns the stack itself, whatever its caller does (`-mstackrealign`).
    #[cfg(feature = "llvm")]
    pub realign_stack: bool,
    /// No call is a jump, unless the program requires it (`-fno-optimize-sibling-calls`).
    #[cfg(feature = "llvm")]
    pub no_tail_calls: bool,
    /// The convention `fastcc` of LLVM IR is `tailcc`: marked calls before a `ret` are jumps, and functions remove their
    /// arguments from the stack (LLVM's `-tailcallopt`). On ARM it has no effect, as in LLVM.
    #[cfg(feature = "llvm")]
    pub guaranteed_tail_calls: bool,
    /// The function that `llvm.trap` and `llvm.debugtrap` of LLVM IR call instead (`-ftrap-function`), whatever they name themselves.
    #[cfg(feature = "llvm")]
    pub trap_function: Option<String>,
    /// Every function that asks for no section has one of its own, so that linkers can drop it alone
    /// (`-ffunction-sections`).
    pub function_sections: bool,
    /// The same for data (`-fdata-sections`).
    pub data_sections: bool,
    /// A section of one definition has a name of its own, that of the definition at its end; else the name of the section
    /// that many definitions share, as with `-fno-unique-section-names` (ELF).
    pub unique_section_names: bool,
    /// Constructors and destructors are in `.ctors` and `.dtors`, for old C libraries, as with `-fno-use-init-array` (ELF).
    pub old_structors: bool,
    /// Variables whose bytes are all zero are in `.data`, not in `.bss`, as with `-fno-zero-initialized-in-bss`.
    pub zeros_in_data: bool,
    /// Every basic block is in a section of its own (ELF on x86 and AArch64; `-fbasic-block-sections=all`).
    pub block_sections: bool,
    /// The functions of this list have the sections that it says for their basic blocks (ELF on x86 and AArch64;
    /// `-fbasic-block-sections=list=FILE`).
    pub block_list: Option<Arc<BlockList>>,
    /// These sections are named for their blocks, not only for their functions (`-funique-basic-block-section-names`).
    pub unique_block_section_names: bool,
    /// Objects say where the basic blocks of functions are (ELF; `-fbasic-block-address-map`).
    pub block_map: bool,
    /// Objects say how much stack functions take (ELF; `-fstack-size-section`).
    pub stack_sizes: bool,
    /// Functions of LLVM IR and other targets of jumps by address begin with a marker, whatever the module's flags say (x86).
    #[cfg(feature = "llvm")]
    pub mark_branch_targets: bool,
    /// In the medium and large code models, data of more bytes may be far away: by default as the module's flags say
    /// (`-mlarge-data-threshold`).
    #[cfg(feature = "llvm")]
    pub large_data_threshold: Option<u64>,
    /// The version of DWARF, 4 or 5, whatever the module's flags say.
    #[cfg(feature = "llvm")]
    pub dwarf_version: Option<u16>,
    /// Every function also has an entry in `.debug_frame`, the unwind tables for debuggers (ELF).
    pub debug_frame: bool,
    /// The input's debug information is left out.
    pub strip_debug: bool,
    /// Debug information has a table that tells which code belongs to which of its units (`.debug_aranges`).
    pub debug_aranges: bool,
    /// Sections of debug information are compressed with zlib, each if that makes it smaller (ELF objects).
    #[cfg(feature = "compression")]
    pub compress_debug_sections: bool,
    /// Number of threads that compile functions, at least 1. The result does not depend on it.
    pub threads: usize,
    /// Checks the intermediate representation before it is compiled, and the allocation of registers after it. A fault
    /// is an error that names the instruction.
    pub verify: bool,
    /// How MLIR is converted.
    #[cfg(feature = "mlir")]
    pub mlir: MlirOptions,
    /// Where LLVM IR's trampolines (`llvm.init.trampoline`) are put: by default in the pool of the runtime library, if
    /// it has one for the target, else in place.
    #[cfg(feature = "llvm")]
    pub trampolines: Option<Trampolines>,
}

choices! { Options:
    emit: Emit;
    only: Option<String>;
    level: OptimizationLevel;
    passes: PassSet;
    relocation: Relocation;
    #[cfg(feature = "llvm")]
    code_model: Option<CodeModel>;
    #[cfg(feature = "llvm")]
    emulated_tls: bool;
    #[cfg(feature = "llvm")]
    tls_bits: Option<u8>;
    #[cfg(feature = "llvm")]
    frame_pointers: FramePointer;
    #[cfg(feature = "llvm")]
    realign_stack: bool;
    #[cfg(feature = "llvm")]
    no_tail_calls: bool;
    #[cfg(feature = "llvm")]
    guaranteed_tail_calls: bool;
    #[cfg(feature = "llvm")]
    trap_function: Option<String>;
    function_sections: bool;
    data_sections: bool;
    unique_section_names: bool;
    old_structors: bool;
    zeros_in_data: bool;
    block_sections: bool;
    block_list: Option<Arc<BlockList>>;
    unique_block_section_names: bool;
    block_map: bool;
    stack_sizes: bool;
    #[cfg(feature = "llvm")]
    mark_branch_targets: bool;
    #[cfg(feature = "llvm")]
    large_data_threshold: Option<u64>;
    #[cfg(feature = "llvm")]
    dwarf_version: Option<u16>;
    debug_frame: bool;
    strip_debug: bool;
    debug_aranges: bool;
    #[cfg(feature = "compression")]
    compress_debug_sections: bool;
    threads: usize;
    verify: bool;
    #[cfg(feature = "mlir")]
    mlir: MlirOptions;
    #[cfg(feature = "llvm")]
    trampolines: Option<Trampolines>;
}

debug_choices!(Options);

impl Options {
    /// The choices for compiling functions.
    pub(crate) fn compiler(&self) -> CompilerOptions {
        let stage = if let Emit::Stage(stage) = self.emit { Some(stage) } else { None };
        CompilerOptions { level: self.level, passes: self.passes, verify: self.verify, stage }
    }

    /// What is asked of all functions for a target.
    #[cfg(feature = "llvm")]
    pub(crate) fn function_defaults(&self, target: &Target) -> FunctionDefaults {
        FunctionDefaults {
            hardening: target.machine.hardening(),
            frame_pointer: self.frame_pointers,
            realign_stack: self.realign_stack,
            no_tail_calls: self.no_tail_calls,
            guaranteed_tail_calls: self.guaranteed_tail_calls,
            trap: None,
        }
    }

    /// Does the form of the result ask for emulated thread-local data? On Windows the loader alone gives threads their data.
    pub(crate) fn emulates_tls(&self, target: &Target) -> bool {
        self.emit == Emit::Image && target.abi().is_windows()
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            emit: Emit::Object,
            only: None,
            level: OptimizationLevel::O0,
            passes: PassSet::default(),
            relocation: Relocation::Module,
            #[cfg(feature = "llvm")]
            code_model: None,
            #[cfg(feature = "llvm")]
            emulated_tls: false,
            #[cfg(feature = "llvm")]
            tls_bits: None,
            #[cfg(feature = "llvm")]
            frame_pointers: FramePointer::Omit,
            #[cfg(feature = "llvm")]
            realign_stack: false,
            #[cfg(feature = "llvm")]
            no_tail_calls: false,
            #[cfg(feature = "llvm")]
            guaranteed_tail_calls: false,
            #[cfg(feature = "llvm")]
            trap_function: None,
            function_sections: false,
            data_sections: false,
            unique_section_names: true,
            old_structors: false,
            zeros_in_data: false,
            block_sections: false,
            block_list: None,
            unique_block_section_names: false,
            block_map: false,
            stack_sizes: false,
            #[cfg(feature = "llvm")]
            mark_branch_targets: false,
            #[cfg(feature = "llvm")]
            large_data_threshold: None,
            #[cfg(feature = "llvm")]
            dwarf_version: None,
            debug_frame: false,
            strip_debug: false,
            debug_aranges: false,
            #[cfg(feature = "compression")]
            compress_debug_sections: false,
            threads: 1,
            verify: false,
            #[cfg(feature = "mlir")]
            mlir: MlirOptions::default(),
            #[cfg(feature = "llvm")]
            trampolines: None,
        }
    }
}
