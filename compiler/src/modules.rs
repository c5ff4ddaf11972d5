//! Compiles modules as text, LLVM IR or MLIR, to an object, assembly text or Gusset's IR.

#[cfg(feature = "mlir")]
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gusset_abi::Arch;
use gusset_abi::features::{CodeRequests, Hardening};
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::debug::{CompiledDebugInfo, DebugInfo};
use gusset_codegen::ir::{
    Block, Comdat, ComdatId, ComdatKind, DominanceCheck, Function, Linkage, Module, Printer, Symbol, SymbolId,
    SymbolKind, Visibility, verify,
};
use gusset_codegen::object::{ObjectImage, emulate_tls};
use gusset_codegen::passes::{Bodies, Inlinable};
use gusset_codegen::sparse::SparseBytes;
use gusset_llvm::{Choices, ReadError, Trampolines, read_module_with};
use gusset_lower::debug_info::DebugInfoWithLoss;
use gusset_lower::{Facts, decorated_name};
use gusset_text::Errors;

use crate::builder::Added;
#[cfg(feature = "mlir")]
use crate::builder::ObjectBuilder;
#[cfg(feature = "mlir")]
use crate::builder_options::BuilderOptions;
use crate::error::no_such_function;
#[cfg(feature = "mlir")]
use crate::options::CompilerOptions;
use crate::options::choose_sections;
use crate::output::{CompiledDebug, Output, Sink, Written};
use crate::{Emit, Error, OptimizationLevel, Options, Pass, Relocation, Target, pipeline};

/// The text of a module, or the contents of a file of LLVM bitcode, with the name that messages show.
///
/// ```
/// # #[cfg(feature = "x86")] {
/// use gusset_compiler::{Features, Options, Source, Target, compile_llvm};
///
/// let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// let source = Source { name: "f.ll", text: b"define i32 @f() {\n  ret i32 42\n}\n" };
/// let compiled = compile_llvm(source, &target, &Options::new(), &mut |_| {})?;
/// assert_eq!(compiled.statistics.functions, 1);
/// # }
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// Name of the file.
    pub name: &'s str,
    /// The text, or LLVM bitcode.
    pub text: &'s [u8],
}

/// The triple that a module of LLVM IR names, as text or bitcode; a text only before its first global or function.
pub fn target_triple(source: &[u8]) -> Option<String> {
    match gusset_bitcode::is_bitcode(source) {
        true => gusset_bitcode::target_triple(source),
        false => gusset_llvm::target_triple(source),
    }
}

/// The modules of a file with LLVM bitcode, each as a file of its own, in order: of a bitcode file, or of the bitcode in an object file
/// (`-fembed-bitcode`, `-ffat-lto-objects`). Linkers put files with several modules together, and clang does so for ThinLTO with
/// `-fsplit-lto-unit`.
///
/// ```
/// assert!(gusset_compiler::bitcode_modules(b"define void @f()").is_err());
/// ```
///
/// # Errors
/// The file has no bitcode, or it is damaged.
pub fn bitcode_modules(source: &[u8]) -> Result<Vec<std::borrow::Cow<'_, [u8]>>, Error> {
    Ok(gusset_bitcode::modules(source)?)
}

/// A result, with facts about how it was made. An example is at [`Source`].
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The object file or the text; repetitions in it take no memory.
    pub bytes: SparseBytes,
    /// What was done.
    pub statistics: Statistics,
    /// With [`Emit::Image`], what is to be placed in memory; then there are no bytes.
    pub image: Option<ObjectImage>,
    /// What was left out of the input's debug information, if something was.
    pub debug_info_loss: Option<DebugInfoLoss>,
}

/// Debug information of the input that was left out.
#[derive(Clone, Debug)]
pub struct DebugInfoLoss {
    /// The first reason, with its place.
    pub first: Box<ReadError>,
    /// How many others there are.
    pub more: usize,
    /// All debug information was left out, since it cannot be read: its metadata is damaged, or of an old version of LLVM.
    pub is_all: bool,
}

/// Counts and times of a compilation. Times are sums over all threads. An example is at [`Source`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Functions with a body.
    pub functions: u64,
    /// Instructions of Gusset's IR that the reader made.
    pub instructions: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Reading.
    pub parse: Duration,
    /// The time from IR to machine code.
    pub compile: Duration,
    /// The time for laying out and writing the result.
    pub write: Duration,
    /// Locations of variables and bounds of arrays that debug information cannot express.
    pub unexpressed_locations: u32,
}

/// The usual minimum of text bytes of a function for each byte of its code.
const TEXT_OF_CODE: usize = 12;

/// Text bytes of a function for each of its instructions.
const TEXT_OF_INST: usize = 48;

/// Number of text bytes of the functions that a thread takes at a time.
const RUN_BYTES: usize = 64 << 10;

/// How far a compilation has come, in bytes of the text. The text is read for the module's contents, perhaps more than
/// once, and then for its functions.
///
/// ```
/// # #[cfg(feature = "x86")] {
/// use gusset_compiler::{Features, Options, Progress, Source, Target, compile_llvm};
///
/// let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// let source = Source { name: "f.ll", text: b"define void @f() {\n  ret void\n}\n" };
/// let mut read = 0;
/// compile_llvm(source, &target, &Options::new(), &mut |progress| {
///     if let Progress::LookedOver(bytes) = progress {
///         read = bytes;
///     }
/// })?;
/// assert_eq!(read, source.text.len());
/// # }
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Progress {
    /// This many bytes have been read for the module's contents.
    LookedOver(usize),
    /// All functions in this many bytes have been compiled.
    Compiled(usize),
}

/// Compiles a module of LLVM IR, as text or as bitcode. `progress` is called from time to time, and once in any case after the whole text has
/// been read for the module's contents.
///
/// # Errors
/// The text is not LLVM IR or has something that is not supported; the target or the object format cannot express it.
pub fn compile_llvm(
    source: Source<'_>,
    target: &Target,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Compilation, Error> {
    let start = Instant::now();
    let choices = Choices {
        trampolines: trampolines(target, options)?,
        isa: target.machine.trampoline_isa(),
        code_model: target.chosen_code_model(options.code_model),
        far_bytes: options.large_data_threshold,
        strip_debug: options.strip_debug || !writes_debug_info(target, options),
        branch_weights: options.level > OptimizationLevel::O0,
    };
    if gusset_bitcode::is_bitcode(source.text) {
        return compile_bitcode(source, target, options, choices, (start, progress));
    }
    let walked = &mut |bytes| progress(Progress::LookedOver(bytes));
    let mut parsed = read_module_with(source.text, source.name, target.abi(), choices, walked)?;
    let (pic, pie) = (parsed.pic_level != 0, parsed.pie_level != 0);
    compile_module(&mut parsed, source, target, options, ((pic, pie), None), (start, progress))
}

/// [`compile_llvm`] of bitcode.
fn compile_bitcode(
    source: Source<'_>,
    target: &Target,
    options: &Options,
    choices: Choices,
    progress: (Instant, &mut dyn FnMut(Progress)),
) -> Result<Compilation, Error> {
    let mut parsed = gusset_bitcode::read_module(source.text, source.name, target.abi(), choices)?;
    let levels = (parsed.pic_level != 0, parsed.pie_level != 0);
    compile_module(&mut parsed, source, target, options, (levels, None), progress)
}

/// Is debug information written in this form?
fn writes_debug_info(target: &Target, options: &Options) -> bool {
    match options.emit {
        Emit::Object | Emit::Assembly | Emit::Stage(_) => true,
        Emit::Image => target.describes_images(),
        Emit::Ir => false,
    }
}

/// Compiles a module of MLIR: of the dialect `llvm`, or of upper dialects, which are converted. `progress` is as for
/// [`compile_llvm`].
///
/// # Errors
/// The text is not MLIR or has something that is not converted; the target or the object format cannot express it.
#[cfg(feature = "mlir")]
pub fn compile_mlir(
    source: Source<'_>,
    target: &Target,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Compilation, Error> {
    compile_mlir_with(source, target, options, (mlir_choices(target, options)?, None), progress)
}

/// Functions of MLIR as a part of something larger, such as a module for another runtime: with wrappers for C that the
/// MLIR does not ask for, and functions and data that a builder adds in the same object. This is for Gusset's own
/// crates.
#[cfg(feature = "mlir")]
pub struct EmbeddedMlir<'a> {
    /// Names of functions that get wrappers for C, whatever the options say.
    pub wrapped: HashSet<String>,
    /// The function `void(const char *message)` that a failing `cf.assert` calls, and that does not return. `None`: the
    /// message is printed and the program ends.
    pub failure: Option<String>,
    /// The object is linked with no library: operations that would call C's functions are errors.
    pub no_library: bool,
    /// Defines what is added. Symbols of the MLIR are known by their names; none of them is visible outside of what the
    /// object is linked to.
    pub define: &'a dyn Fn(&mut ObjectBuilder<'_>) -> Result<(), Error>,
}

#[cfg(feature = "mlir")]
impl EmbeddedMlir<'_> {
    /// Compiles the MLIR and what is added. `progress` is as with [`compile_mlir`].
    ///
    /// # Errors
    /// As for [`compile_mlir`], and the errors of `define`.
    pub fn compile(
        self,
        source: Source<'_>,
        target: &Target,
        options: &Options,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Compilation, Error> {
        let EmbeddedMlir { wrapped, failure, no_library, define } = self;
        let choices = gusset_mlir::Choices { wrapped, failure, no_library, ..mlir_choices(target, options)? };
        let add = |mut module: Module, target: &Target| {
            let is_seen = |linkage| matches!(linkage, Linkage::Export | Linkage::Weak | Linkage::Common);
            for symbol in module.symbols.iter_mut().filter(|symbol| is_seen(symbol.linkage)) {
                symbol.visibility = Visibility::Hidden;
                symbol.dso_local = true;
            }
            module.no_library = no_library;
            let CompilerOptions { level, verify, stage, .. } = options.compiler();
            let chosen =
                BuilderOptions { level, verify, stage, relocation: options.relocation, ..BuilderOptions::new() };
            let mut object = ObjectBuilder::on(module, target, &chosen);
            define(&mut object)?;
            Ok(object.into_parts())
        };
        compile_mlir_with(source, target, options, (choices, Some(&add)), progress)
    }
}

/// Adds to a module whose head has been read, for the target as the module wants it.
pub(crate) type Addition<'a> = &'a dyn Fn(Module, &Target) -> Result<Added, Error>;

/// The same with these choices and an addition.
#[cfg(feature = "mlir")]
pub(crate) fn compile_mlir_with(
    source: Source<'_>,
    target: &Target,
    options: &Options,
    (choices, addition): (gusset_mlir::Choices, Option<Addition<'_>>),
    progress: &mut dyn FnMut(Progress),
) -> Result<Compilation, Error> {
    let start = Instant::now();
    let mut compile = |parsed: Result<gusset_mlir::ParsedModule, ReadError>| match parsed {
        Ok(mut parsed) => {
            // Modules without flags do not say whether they may be loaded anywhere; tools make them so.
            let levels = parsed.levels.map_or((true, false), |(pic, pie)| (pic != 0, pie != 0));
            compile_module(&mut parsed, source, target, options, (levels, addition), (start, &mut *progress))
        }
        Err(error) => Err(error.into()),
    };
    let (text, name, abi) = (source.text, source.name, target.abi());
    match compile(gusset_mlir::read_printed_module(text, name, abi, choices.clone())) {
        // The first error ends reading; another pass finds all errors. If that finds none, the text is not laid out as
        // MLIR prints it.
        Err(Error::Read(_)) => match gusset_mlir::all_errors(text, name, abi, choices.clone()) {
            Some(all) => Err(all.into()),
            None => compile(gusset_mlir::read_module(text, name, abi, choices)),
        },
        done => done,
    }
}

/// Notes on the functions of an MLIR module that C cannot call when it is compiled in this way: the place, the reason,
/// and what C can call instead.
///
/// # Errors
/// The text is not MLIR, or a function has a type that cannot be converted.
#[cfg(feature = "mlir")]
pub fn mlir_c_notes(source: Source<'_>, target: &Target, options: &Options) -> Result<Vec<gusset_mlir::Note>, Error> {
    let choices = mlir_choices(target, options)?;
    Ok(gusset_mlir::c_signature_notes(source.text, source.name, target.abi(), &choices)?)
}

/// The reader's choices for the options.
#[cfg(feature = "mlir")]
pub(crate) fn mlir_choices(target: &Target, options: &Options) -> Result<gusset_mlir::Choices, Error> {
    Ok(gusset_mlir::Choices {
        trampolines: trampolines(target, options)?,
        isa: target.machine.trampoline_isa(),
        code_model: target.chosen_code_model(options.code_model),
        far_bytes: options.large_data_threshold,
        strip_debug: options.strip_debug || !writes_debug_info(target, options),
        ..options.mlir.choices()
    })
}

/// Refuses sections of basic blocks where there are none.
fn refuse_block_sections(target: &Target, options: &Options) -> Result<(), Error> {
    let format = target.machine.object_format();
    if format.coff.is_some() || format.code.far_branch.is_none() {
        return Err(Error::Target(format!(
            "basic blocks in sections of their own are not supported on {}",
            target.triple
        )));
    }
    match options.block_map {
        true => Err(Error::Target("a map of basic blocks that are in sections of their own is not supported".into())),
        false => Ok(()),
    }
}

/// Where trampolines are put.
fn trampolines(target: &Target, options: &Options) -> Result<Trampolines, Error> {
    match options.trampolines {
        Some(Trampolines::Pool) if !Trampolines::pool_supports(target.abi()) => {
            Err(Error::Target("the runtime library has no trampolines for this target: have them in place".into()))
        }
        Some(chosen) => Ok(chosen),
        None if Trampolines::pool_supports(target.abi()) => Ok(Trampolines::Pool),
        None => Ok(Trampolines::InPlace),
    }
}

/// A module whose functions are still text.
pub(crate) trait TextModule: Sync {
    /// The requests of its functions about all code.
    fn requests(&self) -> CodeRequests;
    /// Bytes of text for each byte of a body, and whether bodies have lines.
    const FORM: (usize, bool);
    /// Whether errors of reading are found by a recovery of the reader's own.
    const RECOVERS: bool;
    /// The reader of its functions.
    type Reader<'t>: FunctionReader
    where
        Self: 't;

    fn module(&self) -> &Module;
    fn module_mut(&mut self) -> &mut Module;
    /// What its functions share.
    fn facts_mut(&mut self) -> &mut Facts;
    /// The functions in the source's order: their symbols, and the ranges of their text.
    fn bodies(&self) -> impl ExactSizeIterator<Item = (SymbolId, Range<usize>)>;
    fn reader(&self) -> Self::Reader<'_>;
    /// Gives the nodes of debug information in compiled functions their final numbers, and returns the nodes; `None` if there is no
    /// debug information.
    fn debug_info(
        &self,
        compiled: &mut dyn Iterator<Item = &mut CompiledDebugInfo>,
    ) -> Result<Option<DebugInfoWithLoss<ReadError>>, ReadError>;
}

/// Reads functions of a module, one after another. Every thread has its own reader.
pub(crate) trait FunctionReader {
    /// Reads the function with a number.
    fn read(&mut self, number: usize, func: &mut Function) -> Result<(), ReadError>;
    /// Pairs of blocks (definition, use) for the check of dominance, if they are known.
    fn far_uses(&self) -> Option<&[(Block, Block)]>;
    fn release(&mut self);
}

/// Implements the traits for a module and a reader of its bodies.
macro_rules! text_module {
    ($reader:ident, $krate:ident, ($form:expr, $recovers:expr), $debug_info:expr) => {
        impl TextModule for $krate::ParsedModule<'_> {
            const FORM: (usize, bool) = $form;
            const RECOVERS: bool = $recovers;
            type Reader<'t>
                = $reader<'t>
            where
                Self: 't;

            fn requests(&self) -> CodeRequests {
                self.requests()
            }

            fn module(&self) -> &Module {
                &self.module
            }

            fn module_mut(&mut self) -> &mut Module {
                &mut self.module
            }

            fn facts_mut(&mut self) -> &mut Facts {
                self.facts_mut()
            }

            fn bodies(&self) -> impl ExactSizeIterator<Item = (SymbolId, Range<usize>)> {
                self.bodies.iter().map(|b| (b.symbol, b.range.clone()))
            }

            fn reader(&self) -> $reader<'_> {
                $reader { reader: $krate::BodyReader::new(self), bodies: &self.bodies }
            }

            fn debug_info(
                &self,
                compiled: &mut dyn Iterator<Item = &mut CompiledDebugInfo>,
            ) -> Result<Option<DebugInfoWithLoss<ReadError>>, ReadError> {
                $debug_info(self, compiled)
            }
        }

        /// Reads functions by their numbers.
        pub(crate) struct $reader<'t> {
            reader: $krate::BodyReader<'t>,
            bodies: &'t [$krate::Body],
        }

        impl FunctionReader for $reader<'_> {
            fn read(&mut self, number: usize, func: &mut Function) -> Result<(), ReadError> {
                self.reader.read(&self.bodies[number], func)
            }

            fn far_uses(&self) -> Option<&[(Block, Block)]> {
                self.reader.far_uses()
            }

            fn release(&mut self) {
                self.reader.release();
            }
        }
    };
}

text_module!(LlvmReader, gusset_llvm, ((1, true), false), llvm_debug_info);
text_module!(BitcodeReader, gusset_bitcode, ((6, false), false), bitcode_debug_info);
#[cfg(feature = "mlir")]
text_module!(MlirReader, gusset_mlir, ((1, true), true), gusset_mlir::ParsedModule::debug_info);

/// Defines the function that gives the debug information of LLVM's metadata in a crate's form.
macro_rules! llvm_debug_info {
    ($name:ident, $krate:ident) => {
        fn $name(
            module: &$krate::ParsedModule<'_>,
            compiled: &mut dyn Iterator<Item = &mut CompiledDebugInfo>,
        ) -> Result<Option<DebugInfoWithLoss<ReadError>>, ReadError> {
            if !module.keeps_debug_info() {
                return Ok(None);
            }
            let mut reader = module.debug_info_reader()?;
            for function in compiled {
                reader.renumber(function).map_err(|error| module.debug_info_error(&error))?;
            }
            let (info, notes) = reader.finish().map_err(|error| module.debug_info_error(&error))?;
            Ok(Some((info, notes.first().map(|(first, more)| (module.debug_info_error(&first), more)))))
        }
    };
}
llvm_debug_info!(llvm_debug_info, gusset_llvm);
llvm_debug_info!(bitcode_debug_info, gusset_bitcode);

/// The symbol of a function by its name in the object, which is declared if the module has none.
fn imported(module: &mut Module, name: &str) -> SymbolId {
    let known = module.symbols.iter().position(|symbol| symbol.name == name).map(SymbolId::new);
    known.unwrap_or_else(|| module.add_symbol(Symbol::new(name, SymbolKind::Function, Linkage::Import)))
}

/// Declares the thunk by which the module's functions call by address with these protections, if the object is to define it.
fn call_thunk(module: &mut Module, target: &Target, hardening: Hardening) -> Option<SymbolId> {
    let name = target.machine.call_thunk(hardening)?;
    if module.symbols.iter().any(|symbol| symbol.name == name) {
        // The program has its own.
        return None;
    }
    let comdat = ComdatId::new(module.comdats.len());
    module.comdats.push(Comdat { name: name.to_string(), kind: ComdatKind::Any });
    let mut symbol = Symbol::new(name, SymbolKind::Function, Linkage::Weak);
    (symbol.visibility, symbol.dso_local, symbol.comdat) = (Visibility::Hidden, true, Some(comdat));
    Some(module.add_symbol(symbol))
}

/// Compiles a module whose head has been read; `(pic, pie)` says where it may be loaded. Additions come after the
/// module's own functions.
fn compile_module<M: TextModule>(
    parsed: &mut M,
    source: Source<'_>,
    target: &Target,
    options: &Options,
    ((pic, pie), addition): ((bool, bool), Option<Addition<'_>>),
    (start, progress): (Instant, &mut dyn FnMut(Progress)),
) -> Result<Compilation, Error> {
    let unsafe_stack = |symbol: &Symbol| symbol.is_tls() && symbol.name == "__safestack_unsafe_stack_ptr";
    if target.triple().contains("android") && parsed.module().symbols.iter().any(unsafe_stack) {
        return Err(Error::Target("the attribute `safestack` is not supported on Android".into()));
    }
    if target.emulated_tls || options.emulated_tls || options.emulates_tls(target) {
        emulate_tls(target.machine.object_format(), parsed.module_mut())
            .map_err(|error| Error::Object { file: Some(source.name.to_string()), error })?;
    }
    if options.emit == Emit::Image {
        parsed.module_mut().generalize_tls();
    }
    parsed.facts_mut().defaults = options.function_defaults(target);
    parsed.facts_mut().branch_markers |=
        options.mark_branch_targets && matches!(target.abi().arch, Arch::X86 | Arch::X86_64);
    if let Some(name) = &options.trap_function {
        let trap = imported(parsed.module_mut(), &decorated_name(target.abi(), name.as_bytes()));
        parsed.facts_mut().defaults.trap = Some(trap);
    }
    choose_sections(parsed.module_mut(), options)?;
    if options.block_sections || options.block_list.is_some() {
        refuse_block_sections(target, options)?;
    }
    let target = &*target.with_requests(parsed.requests(), parsed.module())?;
    let target = &*target.with_tls_size(options.tls_bits)?;
    let target = &*target.with_code_model(parsed.module().code_model)?;
    if parsed.facts_mut().guards_calls {
        let guard_check = Facts::declare_guard(parsed.module_mut(), target.abi().arch);
        parsed.facts_mut().guard_check = guard_check;
    }
    let hardening = target.machine.hardening().and(parsed.requests().hardening);
    let call_thunk = call_thunk(parsed.module_mut(), target, hardening);
    let (parse, adding) = (start.elapsed(), Instant::now());
    let added = match addition {
        Some(_) if options.emit == Emit::Ir => {
            return Err(Error::Target("what is added to the module is not there as IR: ask for another form".into()));
        }
        Some(add) => {
            let Added { module, functions, text } = add(std::mem::take(parsed.module_mut()), target)?;
            *parsed.module_mut() = module;
            (functions, text)
        }
        None => Default::default(),
    };
    let parsed = &*parsed;
    let (mut inlinables, mut numbers) = (Inlinables::new(), Vec::new());
    if options.level > OptimizationLevel::O1 && options.passes.has(Pass::Inline) && options.emit != Emit::Ir {
        inlinables.resize_with(parsed.bodies().len(), OnceLock::new);
        numbers.resize(parsed.module().symbols.len(), u32::MAX);
        parsed.bodies().zip(0..).for_each(|((symbol, _), number)| numbers[symbol.index()] = number);
    }
    let work = Work {
        target,
        options,
        parsed,
        file: source.name,
        source: source.text,
        pic: match options.relocation {
            Relocation::Module => pic || options.emit == Emit::Image,
            Relocation::Pic | Relocation::PicOrPie => true,
            Relocation::Static => false,
        },
        pie: matches!(options.relocation, Relocation::Module | Relocation::PicOrPie)
            && pie
            && options.emit != Emit::Image,
        inlinables,
        numbers,
        parse: AtomicU64::new(parse.as_nanos() as u64),
        compile: AtomicU64::new(adding.elapsed().as_nanos() as u64),
        instructions: AtomicU64::new(0),
    };
    let debug = options.debug_choices();
    let expected_code = parsed.bodies().map(|(_, range)| range.len()).sum::<usize>() * M::FORM.0 / TEXT_OF_CODE;
    let (module, pic, file) = (parsed.module(), work.pic, Some(source.name));
    let output = Output { target, module, pic, debug, expected_code, file };
    let (mut image, mut debug_info_loss) = (None, None);
    let functions = |sink: Sink<'_>| work.all_functions((&added.0, call_thunk), progress, sink);
    let versioned = |info: DebugInfo| match options.dwarf_version {
        // Beside CodeView there is DWARF only if the module asks for it.
        Some(dwarf_version) if !info.codeview || info.dwarf_version != 0 => DebugInfo { dwarf_version, ..info },
        _ => info,
    };
    // The code is the same without.
    let describe = |compiled: CompiledDebug<'_, '_>| {
        let (info, first, more, is_all) = match parsed.debug_info(compiled) {
            Ok(None) => return None,
            Ok(Some((info, None))) => return Some(versioned(info)),
            Ok(Some((info, Some((first, more))))) => (Some(versioned(info)), first, more, false),
            Err(error) => (None, error, 0, true),
        };
        debug_info_loss = Some(DebugInfoLoss { first: Box::new(first), more, is_all });
        info
    };
    let written = match options.emit {
        Emit::Image => output.image(functions, describe).map(|Written { result, code, time, unexpressed }| {
            image = Some(result);
            Written { result: SparseBytes::new(), code, time, unexpressed }
        }),
        Emit::Object => output.object(functions, describe),
        Emit::Assembly => output.assembly(functions, describe),
        Emit::Ir => work.ir().map(Written::text),
        Emit::Stage(_) => work.stage(&added.1).map(Written::text),
    };
    let Written { result: bytes, code, time, unexpressed } = written.map_err(|error| work.all_errors(error))?;
    let statistics = Statistics {
        functions: (parsed.bodies().len() + added.0.len()) as u64,
        instructions: work.instructions.into_inner(),
        code_bytes: code,
        parse: Duration::from_nanos(work.parse.into_inner()),
        compile: Duration::from_nanos(work.compile.into_inner()),
        write: time,
        unexpressed_locations: unexpressed,
    };
    Ok(Compilation { bytes, statistics, image, debug_info_loss })
}

/// The functions of a module that others may get copies of, by their numbers; each is read when it is first asked for.
type Inlinables = Vec<OnceLock<Option<Arc<Inlinable>>>>;

/// Reads the bodies of functions that are called.
struct CalledBodies<'a, 'w, 's, M: TextModule> {
    work: &'a Work<'w, 's, M>,
    reader: &'a mut M::Reader<'w>,
    dominance: &'a mut DominanceCheck,
}

impl<M: TextModule> Bodies for CalledBodies<'_, '_, '_, M> {
    fn body(&mut self, symbol: SymbolId) -> Option<Arc<Inlinable>> {
        let number = *self.work.numbers.get(symbol.index()).filter(|&&number| number != u32::MAX)? as usize;
        let read = || {
            let mut f = Function::new();
            // What is wrong with it is an error when it is compiled itself.
            self.reader.read(number, &mut f).ok()?;
            let checked = self.dominance.run(&f, self.reader.far_uses());
            self.reader.release();
            checked.ok()?;
            Inlinable::new(self.work.module(), f).map(Arc::new)
        };
        self.work.inlinables[number].get_or_init(read).clone()
    }
}

struct Work<'w, 's, M> {
    target: &'w Target,
    options: &'w Options,
    parsed: &'w M,
    file: &'w str,
    source: &'s [u8],
    pic: bool,
    pie: bool,
    /// Empty if nothing is inlined.
    inlinables: Inlinables,
    /// For each symbol the number of the function; `u32::MAX` if the module defines none. Empty if nothing is inlined.
    numbers: Vec<u32>,
    /// Nanoseconds.
    parse: AtomicU64,
    /// Nanoseconds.
    compile: AtomicU64,
    instructions: AtomicU64,
}

impl<M: TextModule> Work<'_, '_, M> {
    fn module(&self) -> &Module {
        self.parsed.module()
    }

    /// The module as Gusset's IR in text, with one function in memory at a time.
    fn ir(&self) -> Result<Vec<u8>, Error> {
        let printer = Printer::new(self.module());
        let mut text = printer.module();
        let (mut reader, mut f) = (self.parsed.reader(), Function::new());
        for number in 0..self.parsed.bodies().len() {
            reader.read(number, &mut f)?;
            text.push_str(&printer.function(&f));
        }
        Ok(text.into_bytes())
    }

    /// Functions at the stage that was asked for; `added` is the text of the added functions.
    fn stage(&self, added: &str) -> Result<Vec<u8>, Error> {
        let mut worker = Worker::new(self);
        let mut compiled = CompiledFunction::default();
        let mut text = Vec::new();
        let name = |symbol: SymbolId| self.module().symbol(symbol).name.as_str();
        for (number, (symbol, _)) in self.parsed.bodies().enumerate() {
            if self.options.only.as_ref().is_none_or(|only| only == name(symbol)) {
                worker.function((number, symbol), &mut compiled)?;
                let mut dumped = worker.compiler.dumped().unwrap_or_default();
                // Metadata that cannot be read are left out, as of objects.
                let info = self.parsed.debug_info(&mut std::iter::once(dumped.nodes())).ok().flatten();
                text.extend_from_slice(dumped.text(info.as_ref().map(|known| &known.0)).as_bytes());
            }
        }
        text.extend_from_slice(added.as_bytes());
        match &self.options.only {
            Some(only) if text.is_empty() && !self.parsed.bodies().any(|(symbol, _)| name(symbol) == only) => {
                Err(no_such_function(self.file, only))
            }
            _ => Ok(text),
        }
    }

    /// The errors of all functions, if this one is a function's: the first of each, by another pass over all of them. Where
    /// the reader has a recovery, that is to find its errors.
    #[cold]
    fn all_errors(&self, first: Error) -> Error {
        let is_pass = match first {
            Error::Read(_) => !M::RECOVERS,
            Error::Compile { .. } => true,
            _ => false,
        };
        if !is_pass || self.options.only.is_some() {
            return first;
        }
        let mut errors = Errors::default();
        let (mut worker, mut compiled) = (Worker::new(self), CompiledFunction::default());
        for (number, (symbol, range)) in self.parsed.bodies().enumerate() {
            let error = match worker.function((number, symbol), &mut compiled) {
                Err(Error::Read(error)) => *error,
                Err(Error::Compile { message, .. }) if M::FORM.1 => ReadError::new(self.source, range.start, message),
                Err(Error::Compile { message, .. }) => ReadError::of_file(&message),
                Err(error) => return error,
                Ok(()) => continue,
            };
            errors.push(error.in_function(&self.module().symbol(symbol).name));
            errors.add_work(range.end);
            if errors.has_ended() {
                break;
            }
            // An error may leave anything in the reader.
            worker = Worker::new(self);
        }
        errors.all(self.file).map_or(first, Error::from)
    }

    /// Passes every function to `sink`; the added ones come last, and then the thunk of calls.
    fn all_functions(
        &self,
        (added, call_thunk): (&[CompiledFunction], Option<SymbolId>),
        progress: &mut dyn FnMut(Progress),
        sink: Sink<'_>,
    ) -> Result<(), Error> {
        self.functions(progress, sink)?;
        added.iter().try_for_each(&mut *sink)?;
        if let Some(symbol) = call_thunk {
            let (mut compiled, hardening) = (CompiledFunction::default(), self.target.machine.hardening());
            let made = Worker::new(self).compiler.call_thunk(symbol, hardening, &mut compiled);
            made.map_err(|error| self.error(symbol, error.to_string()))?;
            sink(&compiled)?;
        }
        Ok(())
    }

    /// An error about the code of a function.
    fn error(&self, function: SymbolId, message: String) -> Error {
        let function = self.module().symbol(function).name.clone();
        Error::Compile { file: Some(self.file.to_string()), function, message }
    }

    /// Reads and compiles every function and passes them to `sink` in the source's order.
    fn functions(&self, progress: &mut dyn FnMut(Progress), sink: Sink<'_>) -> Result<(), Error> {
        let bodies: Vec<_> = self.parsed.bodies().enumerate().map(|(n, (symbol, range))| (n, symbol, range)).collect();
        progress(Progress::LookedOver(self.source.len()));
        if self.options.threads <= 1 {
            // One function in memory, whose tables are used again for the next.
            let mut worker = Worker::new(self);
            let mut compiled = CompiledFunction::default();
            for body in &bodies {
                worker.function((body.0, body.1), &mut compiled)?;
                sink(&compiled)?;
                progress(Progress::Compiled(body.2.end));
            }
            return Ok(());
        }
        let runs = pipeline::runs(bodies.iter().map(|b| b.2.len() * M::FORM.0), RUN_BYTES);
        let mut done = 0;
        let worker = || {
            let mut worker = Worker::new(self);
            let bodies = &bodies;
            move |run: Range<usize>, compiled: &mut CompiledRun| {
                compiled.len = run.len();
                if compiled.functions.len() < run.len() {
                    compiled.functions.resize_with(run.len(), CompiledFunction::default);
                }
                for (body, f) in bodies[run].iter().zip(&mut compiled.functions) {
                    worker.function((body.0, body.1), f)?;
                }
                Ok::<_, Error>(())
            }
        };
        pipeline::in_order(&runs, self.options.threads, worker, |compiled: &CompiledRun| {
            done += compiled.len;
            progress(Progress::Compiled(bodies[..done].last().map_or(0, |body| body.2.end)));
            compiled.functions[..compiled.len].iter().try_for_each(&mut *sink)
        })
    }
}

/// The functions of a run, whose tables are used again for others.
#[derive(Default)]
struct CompiledRun {
    functions: Vec<CompiledFunction>,
    /// How many of these are of the run.
    len: usize,
}

/// What a thread needs to compile functions.
struct Worker<'w, 's, M: TextModule> {
    work: &'w Work<'w, 's, M>,
    reader: M::Reader<'w>,
    compiler: Box<dyn gusset_targets::FunctionCompiler + 'w>,
    function: Function,
    dominance: DominanceCheck,
}

impl<'w, 's, M: TextModule> Worker<'w, 's, M> {
    fn new(work: &'w Work<'w, 's, M>) -> Self {
        // Tables that grow are copied.
        let mut function = Function::new();
        let largest = work.parsed.bodies().map(|(_, range)| range.len()).max();
        function.reserve(largest.unwrap_or(0) * M::FORM.0 / TEXT_OF_INST);
        Worker {
            work,
            reader: work.parsed.reader(),
            compiler: work.target.compiler_with(work.pic, work.pie, work.options.compiler()),
            function,
            dominance: DominanceCheck::default(),
        }
    }

    /// Compiles the function with a number, which has this symbol.
    fn function(&mut self, (number, symbol): (usize, SymbolId), out: &mut CompiledFunction) -> Result<(), Error> {
        let (work, f) = (self.work, &mut self.function);
        let start = Instant::now();
        self.reader.read(number, f)?;
        let read = Instant::now();
        let add = |total: &AtomicU64, n: u64| total.fetch_add(n, Ordering::Relaxed);
        add(&work.parse, (read - start).as_nanos() as u64);
        add(&work.instructions, f.insts.len() as u64);
        let checked = self.dominance.run(f, self.reader.far_uses());
        self.reader.release();
        let wrong = |message: String| work.error(symbol, message);
        if let Err(use_) = checked {
            let text = Printer::new(work.module()).inst(f, use_.user);
            return Err(wrong(format!("a value is used that its definition does not reach: `{text}`")));
        }
        if work.options.verify
            && let Err(error) = verify(work.module(), f)
        {
            return Err(wrong(error.message()));
        }
        if !work.inlinables.is_empty() {
            let mut bodies = CalledBodies { work, reader: &mut self.reader, dominance: &mut self.dominance };
            self.compiler.inline(work.module(), f, &mut bodies);
            if work.options.verify
                && let Err(error) = verify(work.module(), f)
            {
                return Err(wrong(error.message()));
            }
        }
        self.compiler.compile(work.module(), f, out).map_err(|error| wrong(error.to_string()))?;
        add(&work.compile, read.elapsed().as_nanos() as u64);
        Ok(())
    }
}
