//! What a module has besides function bodies: symbols, data, aliases, COMDATs, signatures.

use gusset_abi::{CType, FnAbi, PassMode, Piece, Pieces, Role, Signature};

use super::clusters::BlockClusters;
use super::types::Type;
use crate::plan::Planned;
use crate::sparse::SparseBytes;
use crate::{entity, words};

entity!(
    /// A symbol of the module.
    SymbolId, "s"
);
entity!(
    /// A COMDAT group.
    ComdatId, "comdat"
);

words! {
    /// How a symbol binds across objects. An example is at [`Symbol`].
    Linkage {
        /// Defined elsewhere.
        Import "import",
        /// Defined elsewhere, or nowhere: its address may be null.
        ImportWeak "import_weak",
        /// Defined here and visible to other objects.
        Export "export",
        /// Defined here; another definition may win.
        Weak "weak",
        /// Visible in this object only.
        Local "local",
        /// Local and without an entry in the symbol table where the format allows.
        Private "private",
        /// Tentative definition (C's `int x;` under `-fcommon`).
        Common "common",
    }
}

words! {
    /// Whether other components see a symbol. An example is at [`Symbol`].
    #[derive(Default)]
    Visibility {
        /// As the linkage says.
        #[default]
        Default "",
        /// Not seen outside the component.
        Hidden "hidden",
        /// Visible, and not to be replaced.
        Protected "protected",
    }
}

words! {
    /// How often a function runs, as far as the front end says. Optimized ones lie beside those of their kind.
    #[derive(Default)]
    Temperature {
        /// It does not say.
        #[default]
        Unknown "",
        /// Often (`hot`).
        Hot "hot",
        /// Hardly ever (`cold`).
        Cold "cold",
    }
}

words! {
    /// Models of thread-local storage, from the most general to the most restricted.
    ///
    /// ```
    /// use gusset_codegen::ir::{Linkage, Symbol, SymbolKind, TlsModel};
    ///
    /// let counter = Symbol::new("counter", SymbolKind::Tls(TlsModel::LocalExec), Linkage::Export);
    /// assert!(counter.is_tls() && counter.is_defined());
    /// ```
    #[derive(Default)]
    TlsModel {
        /// Any module.
        #[default]
        GeneralDynamic "general_dynamic",
        /// This module.
        LocalDynamic "local_dynamic",
        /// A module loaded at start.
        InitialExec "initial_exec",
        /// The executable.
        LocalExec "local_exec",
    }
}

words! {
    /// Whether a symbol is imported into or exported from a Windows image. An example is at [`Symbol`].
    #[derive(Default)]
    DllStorage {
        /// Neither.
        #[default]
        None "",
        /// It is in another image; its address is in the import table.
        Import "dllimport",
        /// Other images may import it.
        Export "dllexport",
    }
}

/// How far apart code and data may lie (psABI x86-64, section 3.5.1; LLVM LangRef, "Code Model").
///
/// ```
/// use gusset_codegen::ir::{CodeModel, Module};
///
/// let module = Module { code_model: CodeModel::Large, ..Module::default() };
/// assert_ne!(module.code_model, CodeModel::default());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CodeModel {
    /// All within 1 MiB.
    Tiny,
    /// All within the low 2 GiB, or within 2 GiB of each other.
    #[default]
    Small,
    /// All within the high 2 GiB.
    Kernel,
    /// Code and small data as in the small model, large data anywhere.
    Medium,
    /// Data, and the functions of other objects, anywhere.
    Large,
}

/// What a symbol names. An example is at [`Symbol`](crate::ir::Symbol).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// Code.
    Function,
    /// Data.
    Data,
    /// Thread-local data.
    Tls(TlsModel),
    /// The control variable of emulated thread-local data, of which a library makes copies (see
    /// [`crate::object::emulate_tls`]).
    EmulatedTls,
    /// A basic block of the function with that symbol; its address is taken.
    Block(SymbolId),
    /// A function that resolves to another at load time.
    Ifunc,
}

/// A symbol.
///
/// ```
/// use gusset_codegen::ir::{DllStorage, Linkage, Symbol, SymbolKind, Visibility};
///
/// let mut f = Symbol::new("f", SymbolKind::Function, Linkage::Export);
/// f.visibility = Visibility::Hidden;
/// assert!(f.contradiction().is_none());
/// f.dll = DllStorage::Export;
/// assert!(f.contradiction().is_some_and(|why| why.contains("cannot be hidden")));
/// ```
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Name in the object, without decoration that the object format adds.
    pub name: String,
    /// What it names.
    pub kind: SymbolKind,
    /// Binding.
    pub linkage: Linkage,
    /// Visibility.
    pub visibility: Visibility,
    /// Known to resolve within the linked component.
    pub dso_local: bool,
    /// A variable that nothing writes, even if another module defines it. Only code that finds what can be written by a register
    /// asks for it.
    pub read_only: bool,
    /// Calls should bind eagerly through the GOT (`nonlazybind`, `-fno-plt`).
    pub no_plt: bool,
    /// It may be anywhere in the address space, beyond the reach of ordinary code.
    pub far: bool,
    /// In COFF, whether it is imported or exported.
    pub dll: DllStorage,
    /// The section that was asked for.
    pub section: Option<String>,
    /// For a function: the suffix of the code section's name, such as `hot`, if no other section was asked for.
    pub section_prefix: Option<Box<str>>,
    /// For a function: how often it runs.
    pub temperature: Temperature,
    /// The alignment that was asked for, in bytes; 0: the target's own.
    pub align: u32,
    /// COMDAT group it belongs to.
    pub comdat: Option<ComdatId>,
    /// The symbol that it is associated with: in ELF, its section is dropped with that one's.
    pub associated: Option<SymbolId>,
    /// Linkers drop the section that was asked for.
    pub excluded: bool,
    /// Its section holds nothing else, so that linkers can drop it alone (`-ffunction-sections`, `-fdata-sections`).
    pub own_section: bool,
}

/// What decides who sees a symbol, besides its linkage. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Its visibility.
    pub visibility: Visibility,
    /// From or to another component.
    pub dll: DllStorage,
    /// It is known to resolve within the component.
    pub dso_local: bool,
}

impl Seen {
    /// Why these properties exclude each other in a symbol that is local or not, and defined in the module or not (LLVM's verifier).
    pub fn contradiction(self, local: bool, defined: bool) -> Option<&'static str> {
        let plain = self.visibility == Visibility::Default;
        match self.dll {
            _ if local && !plain => Some("a symbol with local linkage has no other visibility than the default one"),
            DllStorage::Import if !plain => {
                Some("a symbol that is imported has no other visibility than the default one")
            }
            DllStorage::Import if defined || local => Some("a symbol that is defined here cannot be imported"),
            DllStorage::Import if self.dso_local => Some("a symbol that is imported cannot be `dso_local`"),
            DllStorage::Export if self.visibility == Visibility::Hidden => {
                Some("a symbol that is exported cannot be hidden")
            }
            DllStorage::Export if local => Some("a symbol with local linkage cannot be exported"),
            _ => None,
        }
    }
}

impl Symbol {
    /// A symbol with default properties. One that other modules do not see is known to resolve within the component.
    pub fn new(name: impl Into<String>, kind: SymbolKind, linkage: Linkage) -> Symbol {
        Symbol {
            name: name.into(),
            kind,
            linkage,
            visibility: Visibility::Default,
            dso_local: matches!(linkage, Linkage::Local | Linkage::Private),
            read_only: false,
            no_plt: false,
            far: false,
            dll: DllStorage::default(),
            section: None,
            section_prefix: None,
            temperature: Temperature::Unknown,
            align: 0,
            comdat: None,
            associated: None,
            excluded: false,
            own_section: false,
        }
    }

    /// Why these properties exclude each other, if they do (LLVM's verifier).
    pub fn contradiction(&self) -> Option<&'static str> {
        let seen = Seen { visibility: self.visibility, dll: self.dll, dso_local: self.dso_local };
        seen.contradiction(matches!(self.linkage, Linkage::Local | Linkage::Private), self.is_defined())
    }

    /// Defined in this module?
    pub fn is_defined(&self) -> bool {
        !matches!(self.linkage, Linkage::Import | Linkage::ImportWeak)
    }
    /// Thread-local?
    pub fn is_tls(&self) -> bool {
        matches!(self.kind, SymbolKind::Tls(_))
    }
}

words! {
    /// How the linker picks among COMDAT groups of one name.
    ///
    /// ```
    /// use gusset_codegen::ir::{Comdat, ComdatKind};
    ///
    /// let group = Comdat { name: "f".into(), kind: ComdatKind::Any };
    /// assert_eq!((group.name.as_str(), group.kind), ("f", ComdatKind::Any));
    /// ```
    ComdatKind {
        /// Any.
        Any "any",
        /// All must be equal.
        ExactMatch "exact_match",
        /// The largest.
        Largest "largest",
        /// Not at all: the group is not deduplicated.
        NoDeduplicate "no_deduplicate",
        /// All must have one size.
        SameSize "same_size",
    }
}

/// A COMDAT group. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Debug)]
pub struct Comdat {
    /// Its name.
    pub name: String,
    /// Selection.
    pub kind: ComdatKind,
}

/// A function that runs before or after the program (LLVM LangRef, "The `llvm.global_ctors` Global Variable").
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Structor {
    /// Its priority: constructors with lower numbers run earlier. 65535 is the default.
    pub priority: u32,
    /// The function.
    pub function: SymbolId,
    /// The symbol that it initializes: it runs only if that is defined here, and linkers drop it with that symbol's
    /// COMDAT group.
    pub with: Option<SymbolId>,
}

/// What an address in data is relative to. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelocBase {
    /// Nothing: the address itself is stored.
    Zero,
    /// The field that the address is stored in.
    Field,
    /// Another symbol, defined in this module, in the section of the data or in that of the address.
    Symbol(SymbolId),
}

/// An address stored in data, or the distance of two addresses. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataReloc {
    /// Byte offset in the object.
    pub offset: u64,
    /// Width in bytes: 4 or 8.
    pub size: u8,
    /// Symbol whose address is stored.
    pub symbol: SymbolId,
    /// Added to the address.
    pub addend: i64,
    /// What is subtracted: `symbol + addend - base` is stored.
    pub base: RelocBase,
}

/// A defined data object. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Debug)]
pub struct DataObject {
    /// Its symbol.
    pub symbol: SymbolId,
    /// Initial contents; the rest up to `size` is zero.
    pub bytes: SparseBytes,
    /// Size, bytes.
    pub size: u64,
    /// Alignment, bytes, a power of two.
    pub align: u64,
    /// Never written after relocation.
    pub constant: bool,
    /// Its address is not significant, so equal ones may be merged.
    pub mergeable: bool,
    /// Addresses in it.
    pub relocs: Vec<DataReloc>,
}

impl DataObject {
    /// Data that may be written, without addresses in it.
    pub fn new(symbol: SymbolId, bytes: impl Into<SparseBytes>, size: u64, align: u64) -> DataObject {
        DataObject { symbol, bytes: bytes.into(), size, align, constant: false, mergeable: false, relocs: Vec::new() }
    }
}

/// Another name for a symbol (plus an offset). An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, Debug)]
pub struct AliasData {
    /// The alias (or ifunc).
    pub symbol: SymbolId,
    /// The symbol that it stands for; for an ifunc, the resolver.
    pub target: SymbolId,
    /// Byte offset.
    pub offset: u64,
}

/// The number of a function's type (kernel control-flow integrity). An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeId {
    /// The function.
    pub function: SymbolId,
    /// The symbol of the place of the number, where one is wanted.
    pub place: Option<SymbolId>,
    /// The number.
    pub id: u32,
}

/// A signature in the IR's terms: the types of the values a call takes and gives, and where they travel.
///
/// Parameter `i` of the IR is argument `i` of [`FnAbi`]; an aggregate is one value, its address. Result `i` of the IR
/// consists of the pieces of `FnAbi::ret` whose `scalar` is `i`. A C-level aggregate result is stored through an
/// address that the call takes as its last value (see `aggregate_result`). LLVM-level results that the convention
/// demotes to memory are made an `sret` parameter by whoever makes the signature.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Debug)]
pub struct SigData {
    /// Types of the argument values.
    pub params: Vec<Type>,
    /// Types of the result values.
    pub results: Vec<Type>,
    /// Variadic?
    pub variadic: bool,
    /// The result is an aggregate: the last value in `params` is the address that receives it. In the function itself,
    /// that value is the address to which it writes its result before it returns.
    pub aggregate_result: bool,
    /// Where arguments and results are.
    pub abi: FnAbi,
    /// The signature that `abi` was classified from; the text form prints it.
    pub source: Signature,
    /// 0 as classified. Otherwise the width in bytes of the vectors into which legalization has split the values; `abi`
    /// and the types follow it.
    pub split: u32,
    /// What both sides of a call do; made when it is first needed.
    pub plan: Planned,
}

impl SigData {
    /// A signature as classified, neither variadic nor with an aggregate result.
    pub fn new(params: Vec<Type>, results: Vec<Type>, abi: FnAbi, source: Signature) -> SigData {
        let plan = Planned::default();
        SigData { params, results, variadic: false, aggregate_result: false, abi, source, split: 0, plan }
    }

    /// The type of pointers.
    pub fn pointer(&self) -> Type {
        if self.abi.arch.pointer_bytes() == 4 { Type::I32 } else { Type::I64 }
    }

    /// The same with the meaning of Swift's parameters (LLVM LangRef, "Parameter Attributes"). Callees keep their
    /// registers, so the call itself changes them. A `swifterror` argument comes back as the last result, in the
    /// register in which it was passed.
    #[must_use]
    pub fn with_swift_parameters(mut self) -> SigData {
        for (param, arg) in self.source.params.iter().zip(&self.abi.args) {
            if matches!(param.attrs.role, Role::SwiftSelf | Role::SwiftError | Role::SwiftAsync) {
                arg.mode.pieces().iter().filter_map(Piece::reg).for_each(|r| self.abi.clobbers.insert(r));
            }
        }
        let at = self.source.params.iter().position(|p| p.attrs.role == Role::SwiftError);
        let Some(piece) = at.and_then(|at| self.abi.args[at].mode.pieces().first().copied()) else { return self };
        let mut pieces = match &self.abi.ret.mode {
            PassMode::Direct(pieces) => pieces.clone(),
            PassMode::Ignore => Pieces::new(),
            _ => return self,
        };
        pieces.push(Piece { scalar: self.results.len() as u16, ..piece });
        self.abi.ret.mode = PassMode::Direct(pieces);
        self.results.extend(at.map(|at| self.params[at]));
        self
    }

    /// Is parameter `i` a C-level aggregate, its value the address?
    pub fn param_is_aggregate(&self, i: usize) -> bool {
        match self.source.params.get(i).map(|p| &p.ty) {
            Some(gusset_abi::AbiType::C(ty)) => {
                matches!(ty, CType::Record(_) | CType::Complex(_) | CType::Array { .. })
            }
            _ => false,
        }
    }
}

/// Where the value of stack guards comes from, as far as the module says; the target chooses the rest.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StackGuard {
    /// It is a variable of the process rather than of the thread.
    pub global: bool,
    /// It is in the thread's block, even if it is a variable by default.
    pub of_thread: bool,
    /// The register that the thread's variables are counted from.
    pub register: Option<String>,
    /// Offset in bytes from there.
    pub offset: Option<i32>,
    /// The variable.
    pub symbol: Option<SymbolId>,
}

/// A bit of [`Module::coff_features`]: the object lists the functions whose addresses are taken (Microsoft, "PE Format").
pub const GUARD_CALLS: u32 = 0x800;

/// A bit of [`Module::coff_features`]: the object lists the places where control may continue after handlers.
pub const GUARD_EH_CONTINUATIONS: u32 = 0x4000;

/// The facts of a module that its functions share. Function bodies are separate: they are compiled as they come.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Source name, for the object's file symbol.
    pub source_name: String,
    /// Symbols.
    pub symbols: Vec<Symbol>,
    /// Defined data, in source order.
    pub data: Vec<DataObject>,
    /// Data before functions (prefix data), by the functions' symbols, in ascending order. Their alignment means
    /// nothing.
    pub prefixes: Vec<DataObject>,
    /// Data at the start of functions (prologue data), in the same way.
    pub prologues: Vec<DataObject>,
    /// Data right before functions that says their types to calls by address, in the same way.
    pub type_hashes: Vec<DataObject>,
    /// Numbers of functions' types, which stand before them, by their symbols; ascending. The second symbol, if there is one, names the
    /// place of the number.
    pub type_ids: Vec<TypeId>,
    /// Aliases and ifuncs.
    pub aliases: Vec<AliasData>,
    /// COMDAT groups.
    pub comdats: Vec<Comdat>,
    /// Constructors.
    pub ctors: Vec<Structor>,
    /// Destructors.
    pub dtors: Vec<Structor>,
    /// Symbols kept although nothing refers to them, by linkers too (`llvm.used`).
    pub used: Vec<SymbolId>,
    /// Symbols kept by the compiler only (`llvm.compiler.used`).
    pub compiler_used: Vec<SymbolId>,
    /// Assembly at module level.
    pub module_asm: String,
    /// Producer strings for `.comment`.
    pub idents: Vec<String>,
    /// How far apart code and data may lie.
    pub code_model: CodeModel,
    /// Further bits of `@feat.00`, by which COFF objects say what they support.
    pub coff_features: u32,
    /// Bytes of a wide character, and of the smallest enumerations, if the object says so.
    pub wide_char_bytes: Option<u8>,
    /// See there.
    pub least_enum_bytes: Option<u8>,
    /// The object asks for an executable stack, in formats that can say so. Set only by an explicit wish.
    pub executable_stack: bool,
    /// Indirect branches must go to markers, on processors that check it.
    pub branch_protection: bool,
    /// The module is linked with no library at all.
    pub no_library: bool,
    /// Returns may be checked against a shadow stack.
    pub return_protection: bool,
    /// Return addresses may be kept on a separate stack (AArch64, "Guarded Control Stack").
    pub guarded_control_stack: bool,
    /// Library functions are called through the global offset table.
    pub library_by_table: bool,
    /// How many registers hold arguments of library functions, on 32-bit x86 (clang's `-mregparm`).
    pub library_registers: u8,
    /// Sections of one definition have the name of the section that many share, in ELF.
    pub plain_section_names: bool,
    /// Constructors and destructors are in `.ctors` and `.dtors`, in ELF.
    pub old_structors: bool,
    /// Data whose bytes are all zero has contents in the file.
    pub zeros_in_data: bool,
    /// Every basic block is in a section of its own, in ELF.
    pub block_sections: bool,
    /// Which blocks of functions share sections, in ELF; sorted by function.
    pub block_clusters: Vec<(SymbolId, BlockClusters)>,
    /// These sections are named for their blocks.
    pub named_block_sections: bool,
    /// Objects say where the basic blocks of functions are, in ELF.
    pub block_map: bool,
    /// Objects say how much stack functions take, in ELF.
    pub stack_sizes: bool,
    /// Where stack guards come from.
    pub stack_guard: StackGuard,
    /// Options for the linker.
    pub linker_options: Vec<String>,
    /// Libraries for the linker to use, in ELF.
    pub dependent_libraries: Vec<String>,
    /// The command lines of the compiler, in ELF.
    pub command_lines: Vec<String>,
    /// Names of the machine operations in use, as in LLVM's intrinsics without `llvm.`: `x86.sse2.pavg.b`. At most 256.
    pub machine_ops: Vec<String>,
}

impl Module {
    /// Gives all thread-local data the model that any program can have at any time. What is loaded after the program has started has
    /// no place at a fixed distance from the thread pointer.
    pub fn generalize_tls(&mut self) {
        for symbol in &mut self.symbols {
            if let SymbolKind::Tls(model) = &mut symbol.kind {
                *model = TlsModel::GeneralDynamic;
            }
        }
    }

    /// Is a symbol seen in this module only?
    pub fn is_local(&self, id: SymbolId) -> bool {
        let symbol = self.symbol(id);
        matches!(symbol.linkage, Linkage::Local | Linkage::Private) || matches!(symbol.kind, SymbolKind::Block(_))
    }

    /// A symbol.
    #[inline]
    pub fn symbol(&self, s: SymbolId) -> &Symbol {
        &self.symbols[s.index()]
    }

    /// The number of a machine operation, which is added if needed; `None` if there are 256 others.
    pub fn machine_op(&mut self, name: &str) -> Option<u8> {
        let known = self.machine_ops.iter().position(|n| n == name);
        let at = u8::try_from(known.unwrap_or(self.machine_ops.len())).ok()?;
        if known.is_none() {
            self.machine_ops.push(name.to_string());
        }
        Some(at)
    }

    /// The data before a function.
    pub fn prefix(&self, function: SymbolId) -> Option<&DataObject> {
        attached(&self.prefixes, function)
    }

    /// The data at the start of a function.
    pub fn prologue(&self, function: SymbolId) -> Option<&DataObject> {
        attached(&self.prologues, function)
    }

    /// The data right before a function that says its type.
    pub fn type_hash(&self, function: SymbolId) -> Option<&DataObject> {
        attached(&self.type_hashes, function)
    }

    /// Which blocks of a function share sections, if that is said.
    pub fn block_clusters(&self, function: SymbolId) -> Option<&BlockClusters> {
        let at = self.block_clusters.binary_search_by_key(&function, |clusters| clusters.0).ok()?;
        Some(&self.block_clusters[at].1)
    }

    /// The number of a function's type.
    pub fn type_id(&self, function: SymbolId) -> Option<&TypeId> {
        let at = self.type_ids.binary_search_by_key(&function, |id| id.function).ok()?;
        Some(&self.type_ids[at])
    }

    /// What all functions of the module need to know but symbols: what is attached to symbols is missing.
    pub fn without_symbols(&self) -> Module {
        Module {
            code_model: self.code_model,
            branch_protection: self.branch_protection,
            no_library: self.no_library,
            return_protection: self.return_protection,
            guarded_control_stack: self.guarded_control_stack,
            library_by_table: self.library_by_table,
            library_registers: self.library_registers,
            plain_section_names: self.plain_section_names,
            old_structors: self.old_structors,
            zeros_in_data: self.zeros_in_data,
            block_sections: self.block_sections,
            named_block_sections: self.named_block_sections,
            block_map: self.block_map,
            stack_sizes: self.stack_sizes,
            stack_guard: self.stack_guard.clone(),
            coff_features: self.coff_features,
            machine_ops: self.machine_ops.clone(),
            ..Module::default()
        }
    }

    /// Puts the symbols in another order: `order` has each symbol once. Data follows its symbols. Gives the new numbers
    /// of the symbols by their old ones.
    pub fn reorder_symbols(&mut self, order: &[SymbolId]) -> Vec<SymbolId> {
        let mut old: Vec<Option<Symbol>> = std::mem::take(&mut self.symbols).into_iter().map(Some).collect();
        self.symbols = order.iter().filter_map(|symbol| old[symbol.index()].take()).collect();
        let mut new = vec![SymbolId(0); order.len()];
        for (number, symbol) in order.iter().enumerate() {
            new[symbol.index()] = SymbolId::new(number);
        }
        self.for_each_symbol(&mut |symbol| *symbol = new[symbol.index()]);
        for list in [&mut self.data, &mut self.prefixes, &mut self.prologues, &mut self.type_hashes] {
            list.sort_by_key(|data| data.symbol);
        }
        self.type_ids.sort_by_key(|id| id.function);
        self.block_clusters.sort_by_key(|clusters| clusters.0);
        new
    }

    /// Visits every mention of a symbol.
    fn for_each_symbol(&mut self, visit: &mut impl FnMut(&mut SymbolId)) {
        for symbol in &mut self.symbols {
            if let SymbolKind::Block(function) = &mut symbol.kind {
                visit(function);
            }
            symbol.associated.as_mut().map(&mut *visit);
        }
        self.block_clusters.iter_mut().for_each(|clusters| visit(&mut clusters.0));
        for data in
            [&mut self.data, &mut self.prefixes, &mut self.prologues, &mut self.type_hashes].into_iter().flatten()
        {
            visit(&mut data.symbol);
            for reloc in &mut data.relocs {
                visit(&mut reloc.symbol);
                if let RelocBase::Symbol(base) = &mut reloc.base {
                    visit(base);
                }
            }
        }
        for id in &mut self.type_ids {
            visit(&mut id.function);
            id.place.as_mut().map(&mut *visit);
        }
        for alias in &mut self.aliases {
            visit(&mut alias.symbol);
            visit(&mut alias.target);
        }
        for structor in self.ctors.iter_mut().chain(&mut self.dtors) {
            visit(&mut structor.function);
            structor.with.as_mut().map(&mut *visit);
        }
        self.used.iter_mut().chain(&mut self.compiler_used).for_each(&mut *visit);
        self.stack_guard.symbol.as_mut().map(visit);
    }

    /// Adds a symbol.
    pub fn add_symbol(&mut self, symbol: Symbol) -> SymbolId {
        let id = SymbolId::new(self.symbols.len());
        self.symbols.push(symbol);
        id
    }

    /// Adds data, and notes its alignment at its symbol: code may rely on it.
    pub fn add_data(&mut self, mut object: DataObject) {
        if object.relocs.is_empty() {
            object.bytes.share();
        }
        if let Some(symbol) = self.symbols.get_mut(object.symbol.index()) {
            symbol.align = symbol.align.max(u32::try_from(object.align).unwrap_or(0));
        }
        self.data.push(object);
    }

    /// Every alias with the symbol that it finally stands for and its offset from there. Aliases of ifuncs are ifuncs
    /// with the same resolver.
    ///
    /// # Errors
    /// An alias in a circle, or an alias of an ifunc that is none itself.
    pub fn resolved_aliases(&self) -> Result<Vec<(SymbolId, SymbolId, u64)>, SymbolId> {
        let mut by_symbol: Vec<Option<usize>> = vec![None; self.symbols.len()];
        for (n, alias) in self.aliases.iter().enumerate() {
            by_symbol[alias.symbol.index()] = Some(n);
        }
        // Each is resolved once, however long the chains are: from the end of its chain, or from what is known already.
        let mut resolved: Vec<Option<(SymbolId, u64)>> = vec![None; self.aliases.len()];
        let mut entered = vec![false; self.aliases.len()];
        let mut path = Vec::new();
        for first in 0..self.aliases.len() {
            let mut next = Some(first);
            while let Some(n) = next.filter(|&n| resolved[n].is_none()) {
                let AliasData { symbol, target, offset } = self.aliases[n];
                next = by_symbol[target.index()];
                // The address of an ifunc is not that of its resolver.
                let of_ifunc = next.is_some() && self.symbol(target).kind == SymbolKind::Ifunc;
                let own = self.symbol(symbol).kind == SymbolKind::Ifunc && offset == 0;
                if of_ifunc && !own || std::mem::replace(&mut entered[n], true) {
                    return Err(self.aliases[first].symbol);
                }
                path.push(n);
            }
            while let Some(n) = path.pop() {
                let AliasData { target, offset, .. } = self.aliases[n];
                let (base, beyond) = by_symbol[target.index()].and_then(|next| resolved[next]).unwrap_or((target, 0));
                resolved[n] = Some((base, offset.wrapping_add(beyond)));
            }
        }
        let all = self.aliases.iter().zip(resolved);
        Ok(all.filter_map(|(alias, known)| known.map(|(base, offset)| (alias.symbol, base, offset))).collect())
    }
}

fn attached(list: &[DataObject], function: SymbolId) -> Option<&DataObject> {
    list.binary_search_by_key(&function, |data| data.symbol).ok().map(|i| &list[i])
}
