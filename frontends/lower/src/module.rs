//! Derives a module of the IR from a program's: symbols, COMDAT groups, properties of the object, and what functions
//! share.
//!
//! A reader adds the symbols in order, and later what it reads later: contents of variables, headers of functions,
//! metadata.

use std::collections::HashMap;

use gusset_abi::{AbiTarget, Arch, Convention, Isa};
use gusset_codegen::ir::{
    self, AliasData, CodeModel, Comdat, ComdatId, ComdatKind, DataObject, Seen, SymbolId, SymbolKind, Temperature,
    TlsModel,
};
use gusset_codegen::names::text_of;
use gusset_codegen::sparse::SparseBytes;
use gusset_program::{
    Constant, Def, FnAttrs, Function, Header, Intrinsic, Linkage, Metadata, Module, ParamAttrs, Preemption, Properties,
    Request, Result, Selection, Symbol, ThreadLocal, TypeId, TypeTable, Values, Visibility, refuse_if,
};

use crate::decoration::{ParameterBytes, decorated_name, shows_convention, with_convention};
use crate::facts::{Facts, Library, Passing, Trampolines};
use crate::module_flags::ModuleFlags;
use crate::names::find_intrinsic;
use crate::reach::Reach;
use crate::verify::check_parameters;

/// The meaning of a symbol's name.
#[derive(Clone, Copy, Debug)]
pub struct SymbolInfo {
    /// None for intrinsics and for the arrays that only inform the compiler.
    pub symbol: Option<SymbolId>,
    /// Each thread has its own.
    pub tls: bool,
    /// Attributes of a function.
    pub attrs: FnAttrs,
    /// The intrinsic of this name.
    pub intrinsic: Option<Intrinsic>,
    /// The C library's function that implements the intrinsic.
    pub libcall: Option<SymbolId>,
}

impl SymbolInfo {
    /// The information about a name that only has a symbol.
    pub fn of(symbol: Option<SymbolId>) -> SymbolInfo {
        SymbolInfo { symbol, tls: false, attrs: FnAttrs::default(), intrinsic: None, libcall: None }
    }
}

/// A module of the IR that is derived from a program's.
pub struct ModuleLowering {
    /// The module.
    pub module: ir::Module,
    /// What its functions share.
    pub facts: Facts,
    /// Its other flags.
    pub flags: ModuleFlags,
    trampolines: (Trampolines, Isa),
    comdats: HashMap<Vec<u8>, ComdatId>,
    /// Functions of the C library that intrinsics need, by name.
    library: HashMap<String, SymbolId>,
    /// What conventions add to the names of functions.
    affixes: HashMap<SymbolId, (Convention, String)>,
    /// Number of symbols without names so far.
    unnamed: usize,
}

impl ModuleLowering {
    /// Takes the constant of a function's metadata `kcfi_type`, if the module has such numbers. On x86 the place of the number has a
    /// name (LLVM, `X86AsmPrinter::emitKCFITypeId`).
    ///
    /// # Errors
    /// It is no number of 32 bits.
    pub fn type_id(&mut self, function: SymbolId, constant: &DataObject) -> Result<()> {
        if !self.flags.type_ids {
            return Ok(());
        }
        let bytes = constant.bytes.to_vec().unwrap_or_default();
        refuse_if(constant.size != 4 || !constant.relocs.is_empty(), "the metadata `kcfi_type` is no `i32`")?;
        let mut id = [0; 4];
        id[..bytes.len().min(4)].copy_from_slice(&bytes[..bytes.len().min(4)]);
        let named = matches!(self.facts.target.arch, Arch::X86 | Arch::X86_64);
        let place = named.then(|| {
            let own = self.module.symbol(function).clone();
            let symbol = ir::Symbol { name: format!("__cfi_{}", own.name), align: 0, ..own };
            self.module.add_symbol(symbol)
        });
        self.module.type_ids.push(ir::TypeId { function, place, id: self.facts.target.endian.read_u32(id) });
        Ok(())
    }

    /// A module of which only the source's name is known. The third argument says where trampolines are.
    pub fn new(target: AbiTarget, source_name: &str, trampolines: (Trampolines, Isa)) -> ModuleLowering {
        ModuleLowering {
            module: ir::Module { source_name: source_name.to_string(), ..ir::Module::default() },
            facts: Facts::new(target),
            flags: ModuleFlags::default(),
            trampolines,
            comdats: HashMap::new(),
            library: HashMap::new(),
            affixes: HashMap::new(),
            unnamed: 0,
        }
    }

    /// Takes what precedes the symbols: the name of the source, assembly, COMDAT groups.
    pub fn head(&mut self, m: &Module) {
        if let Some(name) = &m.source_name {
            self.module.source_name = text_of(name).into_owned();
        }
        for line in &m.assembly {
            self.module.module_asm.push_str(&text_of(line));
            self.module.module_asm.push('\n');
        }
        for (name, selection) in &m.comdats {
            let id = self.comdat(name);
            self.module.comdats[id.index()].kind = comdat_kind(*selection);
        }
    }

    /// Takes a node of the named metadata `list`, if it describes the object (LangRef, "Module Flags Metadata",
    /// "Automatic Linker Flags Named Metadata", "Dependent Libs Named Metadata").
    ///
    /// # Errors
    /// The metadata asks for something that is refused.
    pub fn metadata(
        &mut self,
        list: &[u8],
        node: &Metadata,
        (types, constants): (&TypeTable, &Function),
    ) -> std::result::Result<(), String> {
        let Metadata::Tuple(operands) = node else { return Ok(()) };
        let mut strings = operands.iter().filter_map(|operand| match operand {
            Metadata::String(text) => Some(text_of(text).into_owned()),
            _ => None,
        });
        let module = &mut self.module;
        match list {
            b"llvm.module.flags" => {
                let name = strings.next().unwrap_or_default();
                let text = strings.next().unwrap_or_default();
                let number = match operands.last() {
                    Some(&Metadata::Value(ty, val)) => integer(constants.value(val), types.bits(ty)),
                    _ => 0,
                };
                return self.flags.take(name.as_bytes(), (number, &text), module, &mut self.facts);
            }
            b"llvm.ident" => module.idents.push(strings.next().unwrap_or_default()),
            // Each string is an option or a part of one.
            b"llvm.linker.options" => module.linker_options.extend(strings),
            b"llvm.dependent-libraries" => module.dependent_libraries.extend(strings),
            b"llvm.commandline" => module.command_lines.extend(strings),
            _ => {}
        }
        Ok(())
    }

    /// The name of a symbol in the object.
    pub fn decorated(&self, name: &[u8]) -> String {
        decorated_name(&self.facts.target, name)
    }

    /// The COMDAT group with a name.
    pub fn comdat(&mut self, name: &[u8]) -> ComdatId {
        if let Some(&id) = self.comdats.get(name) {
            return id;
        }
        let id = ComdatId::new(self.module.comdats.len());
        self.module.comdats.push(Comdat { name: self.decorated(name), kind: ComdatKind::Any });
        self.comdats.insert(name.to_vec(), id);
        id
    }

    // Symbols.

    /// Makes the symbol of a variable, alias or function. What depends on its contents comes later.
    pub fn symbol(&mut self, symbol: &Symbol, attrs: FnAttrs) -> SymbolInfo {
        let p = &symbol.properties;
        let tls = tls_model(p.thread_local);
        let name = match &symbol.name {
            Some(name) => self.decorated(name),
            None => {
                self.unnamed += 1;
                self.decorated(format!("__unnamed_{}", self.unnamed).as_bytes())
            }
        };
        let own_name = symbol.name.as_deref().unwrap_or_default();
        let (kind, defined) = match &symbol.kind {
            gusset_program::SymbolKind::Unknown => return self.intrinsic(own_name),
            gusset_program::SymbolKind::Function(header) => {
                if own_name.starts_with(b"llvm.") {
                    return self.intrinsic(own_name);
                }
                let s = self.function(symbol, name, header.defined, attrs);
                return SymbolInfo { attrs, ..SymbolInfo::of(Some(self.module.add_symbol(s))) };
            }
            gusset_program::SymbolKind::Alias { ifunc, .. } => {
                (if *ifunc { SymbolKind::Ifunc } else { SymbolKind::Function }, true)
            }
            gusset_program::SymbolKind::Variable { .. } if crate::is_special(own_name) => {
                return SymbolInfo { tls: tls.is_some(), ..SymbolInfo::of(None) };
            }
            gusset_program::SymbolKind::Variable { .. } => (SymbolKind::Data, is_defined(p)),
        };
        let kind = tls.map_or(kind, SymbolKind::Tls);
        let read_only = matches!(symbol.kind, gusset_program::SymbolKind::Variable { constant: true, .. });
        let id = self.module.add_symbol(ir::Symbol { read_only, ..self::symbol(name, kind, p, defined) });
        SymbolInfo { tls: tls.is_some(), ..SymbolInfo::of(Some(id)) }
    }

    /// Makes the symbol of a function by its name in the object, which must be new.
    pub fn function(&mut self, symbol: &Symbol, name: String, defined: bool, attrs: FnAttrs) -> ir::Symbol {
        let mut s = self::symbol(name, SymbolKind::Function, &symbol.properties, defined);
        s.section = symbol.section.as_deref().map(|text| text_of(text).into_owned());
        s.align = symbol.align.map_or(0, |align| align as u32);
        s.comdat = symbol.comdat.as_ref().map(|name| self.comdat(name));
        s.no_plt = attrs.has(FnAttrs::NON_LAZY_BIND);
        s.temperature = match () {
            // It is not optimized, or elsewhere.
            () if !defined || attrs.has(FnAttrs::OPTNONE) => Temperature::Unknown,
            () if attrs.has(FnAttrs::HOT) => Temperature::Hot,
            () if attrs.has(FnAttrs::COLD) => Temperature::Cold,
            () => Temperature::Unknown,
        };
        for (kind, node) in &symbol.attached {
            match (&kind[..], node) {
                // Its address is a number that the linker knows.
                (b"absolute_symbol", _) => s.dso_local = false,
                // Calls by address read the hash as a word.
                (b"func_sanitize", _) => s.align = s.align.max(4),
                (b"section_prefix", Metadata::Tuple(operands)) => {
                    if let [_, Metadata::String(prefix)] = &operands[..] {
                        s.section_prefix = Some(text_of(prefix).into());
                    }
                }
                _ => {}
            }
        }
        s
    }

    /// The intrinsic of this name.
    fn intrinsic(&mut self, name: &[u8]) -> SymbolInfo {
        let target = self.facts.target;
        let name = name.strip_prefix(b"llvm.").unwrap_or(name);
        let (kind, function) = find_intrinsic(name, &target, |operation| self.module.machine_op(operation));
        let libcall = function.map(|name| self.library_function(name));
        if matches!(kind, Intrinsic::InitTrampoline | Intrinsic::AdjustTrampoline) && self.facts.trampolines.is_none() {
            let (place, isa) = self.trampolines;
            let library = Library::declare(place, isa, &target, |name| self.library_function(name.into()));
            self.facts.trampolines = Some(library);
        }
        SymbolInfo { intrinsic: Some(kind), libcall, ..SymbolInfo::of(None) }
    }

    /// The symbol of a C library function that an intrinsic needs.
    fn library_function(&mut self, name: String) -> SymbolId {
        if let Some(&known) = self.library.get(&name) {
            return known;
        }
        let id = self.import(name.as_bytes(), SymbolKind::Function);
        self.library.insert(name, id);
        id
    }

    /// Makes a symbol for something that another module defines.
    pub fn import(&mut self, name: &[u8], kind: SymbolKind) -> SymbolId {
        let name = self.decorated(name);
        self.module.add_symbol(ir::Symbol::new(name, kind, ir::Linkage::Import))
    }

    /// Lets the module's own functions, such as its own `sinf`, replace imports of the same names; returns each import
    /// with its replacement.
    pub fn own_library(&mut self, own: impl Fn(&[u8]) -> Option<SymbolId>) -> Vec<(SymbolId, SymbolId)> {
        let named = self.library.iter().filter_map(|(name, &imported)| Some((imported, own(name.as_bytes())?)));
        let replaced: Vec<_> = named.filter(|(imported, own)| imported != own).collect();
        for &(imported, own) in &replaced {
            if let Some(library) = &mut self.facts.trampolines {
                library.replace(imported, own);
            }
        }
        replaced
    }

    // What functions request.

    /// Gives a symbol to the variable with the stack guard, if the module can refer to it.
    pub fn guard_symbol(&mut self, known: impl Fn(&[u8]) -> Option<SymbolId>) {
        let target = self.facts.target;
        let gnu_windows = target.is_windows() && !target.has_microsoft_library();
        let Some(name) = self.flags.guard_symbol(&target, &self.module) else { return };
        let symbol = known(name.as_bytes()).unwrap_or_else(|| {
            let symbol = self.import(name.as_bytes(), SymbolKind::Data);
            // Code at a fixed address accesses other modules' data directly; the linker copies it.
            self.module.symbols[symbol.index()].dso_local = self.flags.pic_level == 0 && !gnu_windows;
            symbol
        });
        self.module.stack_guard.symbol = Some(symbol);
    }

    /// Gives symbols to the functions that attributes name, declared or not.
    ///
    /// # Errors
    /// One of them is unknown or not supported.
    pub fn name_functions(&mut self, values: &mut Values, known: impl Fn(&[u8]) -> Option<SymbolId>) -> Result<()> {
        let target = self.facts.target;
        values.name_functions(&target, |name| self.named(name, &known))?;
        if let Some(symbol) = values.unsafe_stack.map(|id| &mut self.module.symbols[id.index()])
            && symbol.kind == SymbolKind::Function
            && !symbol.is_defined()
        {
            symbol.kind = SymbolKind::Tls(TlsModel::InitialExec);
        }
        Ok(())
    }

    /// The symbol of a function that something other than a call names.
    fn named(&mut self, name: &[u8], known: impl Fn(&[u8]) -> Option<SymbolId>) -> SymbolId {
        let decorated = self.decorated(name);
        // An earlier name may have made the symbol.
        let made = || self.module.symbols.iter().rposition(|s| s.name == decorated).map(SymbolId::new);
        known(name).or_else(made).unwrap_or_else(|| self.import(name, SymbolKind::Function))
    }

    /// Makes the functions known that are called instead of traps.
    pub fn name_traps(&mut self, mut names: Vec<Vec<u8>>, known: impl Fn(&[u8]) -> Option<SymbolId>) {
        // The order is that of no reader.
        names.sort_unstable();
        names.dedup();
        for name in names {
            let symbol = self.named(&name, &known);
            self.facts.traps.push((name, symbol));
        }
    }

    /// Looks up the personality routines whose pads are funclets.
    pub fn find_personalities(&mut self, known: impl Fn(&[u8]) -> Option<SymbolId>) {
        for name in Facts::FUNCLET_PERSONALITIES {
            if let Some(symbol) = known(name.as_bytes()) {
                self.facts.personalities.push((symbol, ir::Personality::of_name(name)));
            }
        }
    }

    /// Records how a function with this convention and header is called. Its name may depend on it.
    ///
    /// # Errors
    /// The attributes of parameters contradict each other.
    pub fn passing(
        &mut self,
        function: (SymbolId, &[u8]),
        convention: Convention,
        header: &Header,
        types: &TypeTable,
    ) -> Result<()> {
        let mut params = Vec::with_capacity(header.params.len());
        for (ty, attrs) in &header.params {
            params.push((*ty, ParamAttrs::of(attrs, types)?));
        }
        let ret = Some((header.ret, ParamAttrs::of(&header.ret_attrs, types)?));
        let variadic = header.variadic.then_some(params.len());
        self.called_as(function, Request { convention, ret, params, variadic, ..Request::default() }, types)
    }

    /// The same of a function's type with its attributes.
    ///
    /// # Errors
    /// The attributes of parameters contradict each other.
    pub fn called_as(
        &mut self,
        (function, name): (SymbolId, &[u8]),
        request: Request,
        types: &TypeTable,
    ) -> Result<()> {
        let Request { convention, ret, params: all, variadic, .. } = request;
        check_parameters(&all, None, types)?;
        let said = all.iter().zip(0..).filter(|((_, attrs), _)| attrs.is_about_passing());
        let params = said.map(|((_, attrs), i)| (i, *attrs)).collect();
        let param_types = all.iter().map(|param| param.0).collect();
        let (ret, ret_attrs) = ret.unwrap_or_default();
        let types_said = Some((ret, param_types, variadic.is_some()));
        self.facts.passing.insert(function, Passing { convention, types: types_said, ret: ret_attrs, params });
        if shows_convention(&self.facts.target, convention, name) {
            self.decorate(function, (name, convention), (all.into_iter(), variadic.is_some()), types);
        }
        Ok(())
    }

    /// Gives a function the name that its convention [requires](shows_convention), and renames the COMDAT group of the
    /// same name, too (MS, "Decorated names"; LLVM's `Mangler` for the parameters that it counts).
    pub fn decorate(
        &mut self,
        function: SymbolId,
        (name, convention): (&[u8], Convention),
        (params, variadic): (impl Iterator<Item = (TypeId, ParamAttrs)>, bool),
        types: &TypeTable,
    ) {
        let mut bytes = ParameterBytes::default();
        params.for_each(|(ty, attrs)| bytes.take(&self.facts.target, types, ty, &attrs));
        let suffix = bytes.suffix(variadic);
        let decorated = with_convention(name, convention, &suffix);
        if let Some(id) = self.comdats.get(name) {
            self.module.comdats[id.index()].name.clone_from(&decorated);
        }
        self.module.symbols[function.index()].name = decorated;
        self.affixes.insert(function, (convention, suffix));
    }

    /// Renames aliases of such functions by the same rules. `named` are the symbols with their names in the program.
    pub fn decorate_aliases<'a>(&mut self, named: impl Iterator<Item = (SymbolId, &'a [u8])>) {
        if self.affixes.is_empty() {
            return;
        }
        // The writer of the object reports aliases that refer to each other.
        let Ok(aliases) = self.module.resolved_aliases() else { return };
        let names: HashMap<SymbolId, &[u8]> = named.collect();
        for (symbol, target, _) in aliases {
            let (Some((convention, suffix)), Some(name)) = (self.affixes.get(&target), names.get(&symbol)) else {
                continue;
            };
            if shows_convention(&self.facts.target, *convention, name) {
                self.module.symbols[symbol.index()].name = with_convention(name, *convention, suffix);
            }
        }
    }

    // Variables and aliases.

    /// How far apart code and data may be, and how large data that is near: as `chosen`, or else as the module's flags say.
    pub fn reach(&mut self, chosen: (Option<CodeModel>, Option<u64>)) -> Reach {
        self.module.code_model = chosen.0.or(self.flags.code_model).unwrap_or_default();
        Reach::of(self.module.code_model, chosen.1.or(self.flags.far_bytes))
    }

    /// Completes a variable that another module defines, with its size in bytes if that is known.
    pub fn declare(&mut self, id: SymbolId, symbol: &Symbol, size: Option<u64>, reach: Reach) {
        let s = &mut self.module.symbols[id.index()];
        s.far = reach.is_far(s, (far(symbol), section(symbol).as_deref()), size);
        // An absolute symbol may be out of reach of the code; the table of addresses contains it unchanged.
        s.dso_local &= !symbol.attached.iter().any(|(kind, _)| kind == b"absolute_symbol");
    }

    /// Defines a variable with the contents `data` of type `ty`; `associated` is the symbol with whose section its own
    /// is discarded.
    pub fn define(
        &mut self,
        symbol: &Symbol,
        mut data: DataObject,
        (ty, types): (TypeId, &TypeTable),
        (reach, associated): (Reach, Option<SymbolId>),
    ) {
        let section = section(symbol);
        let s = &mut self.module.symbols[data.symbol.index()];
        if section.as_deref() == Some("llvm.metadata") {
            // Notes to the compiler are no part of the program.
            s.linkage = ir::Linkage::Import;
            return;
        }
        s.far = reach.is_far(s, (far(symbol), section.as_deref()), Some(data.size));
        // A variable with a section of its own cannot be a common symbol.
        if section.is_some() && s.linkage == ir::Linkage::Common {
            s.linkage = ir::Linkage::Weak;
        }
        s.section = section;
        s.associated = associated;
        s.excluded = symbol.attached.iter().any(|(kind, _)| kind == b"exclude");
        // As in LLVM, the alignment is at least the type's, except in a section whose layout somebody else defines. A
        // variable without an alignment gets the preferred one, and if it is large the one for vectors
        // (`DataLayout::getPreferredAlign`).
        data.align = match symbol.align {
            None => u64::from(types.preferred_align(ty).max(if types.bits(ty) > 128 { 16 } else { 1 })),
            Some(align) if s.section.is_some() => align,
            Some(align) => align.max(types.get(ty).align.into()),
        };
        if let Some(group) = &symbol.comdat {
            let id = self.comdat(group);
            self.module.symbols[data.symbol.index()].comdat = Some(id);
        }
        trim(&mut data);
        self.module.add_data(data);
    }

    /// Makes a symbol refer to `offset` bytes after another one, or to what that one, a function, returns.
    ///
    /// # Errors
    /// Nothing is defined there.
    pub fn alias(&mut self, symbol: SymbolId, (target, offset): (SymbolId, i64), ifunc: bool) -> Result<()> {
        let known = &self.module.symbols[target.index()];
        refuse_if(!known.is_defined(), "an alias must stand for something defined in this module")?;
        let (kind, far) = (known.kind, known.far);
        let own = &mut self.module.symbols[symbol.index()];
        own.far = far;
        if !ifunc && own.kind == SymbolKind::Function {
            own.kind = kind;
        }
        self.module.aliases.push(AliasData { symbol, target, offset: offset as u64 });
        Ok(())
    }

    /// Makes aliases of ifuncs ifuncs, too.
    pub fn mark_ifuncs(&mut self) {
        let (aliases, symbols) = (&self.module.aliases, &mut self.module.symbols);
        let is_ifunc = |s: SymbolId| symbols[s.index()].kind == SymbolKind::Ifunc;
        let mut found: Vec<SymbolId> = aliases.iter().map(|a| a.symbol).filter(|&s| is_ifunc(s)).collect();
        if found.is_empty() {
            return;
        }
        let mut of: HashMap<SymbolId, Vec<SymbolId>> = HashMap::new();
        for a in aliases.iter().filter(|a| !is_ifunc(a.symbol)) {
            of.entry(a.target).or_default().push(a.symbol);
        }
        while let Some(ifunc) = found.pop() {
            for alias in of.remove(&ifunc).unwrap_or_default() {
                symbols[alias.index()].kind = SymbolKind::Ifunc;
                found.push(alias);
            }
        }
    }
}

/// Drops contents that are all zero, which then take no room in the object.
pub fn trim(data: &mut DataObject) {
    if data.relocs.is_empty() && data.bytes.is_zero() {
        data.bytes = SparseBytes::new();
    }
}

fn section(symbol: &Symbol) -> Option<String> {
    symbol.section.as_deref().map(|text| text_of(text).into_owned())
}

/// Whether a variable may be far away, by its code model.
fn far(symbol: &Symbol) -> Option<bool> {
    match &symbol.kind {
        gusset_program::SymbolKind::Variable { code_model: Some(model), .. } => match &model[..] {
            b"small" => Some(false),
            b"large" => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// The integer constant of `bits` bits, 0 if it is no such constant.
fn integer(value: &gusset_program::ValueData, bits: u64) -> i64 {
    match value.def {
        Def::Const(Constant::Integer(n)) if bits < 64 => (n as i64) << (64 - bits.max(1)) >> (64 - bits.max(1)),
        Def::Const(Constant::Integer(n)) => n as i64,
        _ => 0,
    }
}

/// Whether a variable with these properties is defined in its module.
pub fn is_defined(p: &Properties) -> bool {
    !matches!(p.linkage, Linkage::External | Linkage::ExternWeak | Linkage::AvailableExternally)
}

/// The linkage of a symbol, which is defined here or not.
pub fn linkage(linkage: Linkage, defined: bool) -> ir::Linkage {
    match linkage {
        Linkage::ExternWeak => ir::Linkage::ImportWeak,
        Linkage::AvailableExternally => ir::Linkage::Import,
        _ if !defined => ir::Linkage::Import,
        Linkage::Private => ir::Linkage::Private,
        Linkage::Internal => ir::Linkage::Local,
        Linkage::LinkOnce | Linkage::LinkOnceOdr | Linkage::Weak | Linkage::WeakOdr => ir::Linkage::Weak,
        Linkage::Common => ir::Linkage::Common,
        Linkage::Appending | Linkage::External | Linkage::Unsaid => ir::Linkage::Export,
    }
}

/// How the linker selects among groups of the same name.
pub fn comdat_kind(selection: Selection) -> ComdatKind {
    match selection {
        Selection::Any => ComdatKind::Any,
        Selection::ExactMatch => ComdatKind::ExactMatch,
        Selection::Largest => ComdatKind::Largest,
        Selection::NoDeduplicate => ComdatKind::NoDeduplicate,
        Selection::SameSize => ComdatKind::SameSize,
    }
}

/// The model of a thread-local symbol.
pub fn tls_model(thread_local: ThreadLocal) -> Option<TlsModel> {
    match thread_local {
        ThreadLocal::No => None,
        ThreadLocal::GeneralDynamic => Some(TlsModel::GeneralDynamic),
        ThreadLocal::LocalDynamic => Some(TlsModel::LocalDynamic),
        ThreadLocal::InitialExec => Some(TlsModel::InitialExec),
        ThreadLocal::LocalExec => Some(TlsModel::LocalExec),
    }
}

/// A symbol with these properties and this name in the object, which is defined here or not.
pub fn symbol(name: String, kind: SymbolKind, p: &Properties, defined: bool) -> ir::Symbol {
    let hidden = p.visibility != Visibility::Default && p.linkage != Linkage::ExternWeak;
    ir::Symbol {
        visibility: p.visibility,
        dso_local: p.preemption == Preemption::DsoLocal || hidden || is_local(p),
        dll: p.storage,
        ..ir::Symbol::new(name, kind, linkage(p.linkage, defined))
    }
}

fn is_local(p: &Properties) -> bool {
    matches!(p.linkage, Linkage::Private | Linkage::Internal)
}

/// Why LLVM's verifier rejects these properties of a function or variable, which is defined here or not, if it does.
pub fn contradiction(p: &Properties, function: bool, defined: bool) -> Option<&'static str> {
    let elsewhere = matches!(p.linkage, Linkage::Unsaid | Linkage::External | Linkage::ExternWeak);
    if function && !defined && !elsewhere {
        return Some("a declaration cannot have this linkage");
    }
    if function && defined && matches!(p.linkage, Linkage::ExternWeak | Linkage::Common | Linkage::Appending) {
        return Some("a function that is defined cannot have this linkage");
    }
    let seen = Seen { visibility: p.visibility, dll: p.storage, dso_local: p.preemption == Preemption::DsoLocal };
    // What is only there to be inlined is defined elsewhere.
    seen.contradiction(is_local(p), defined && p.linkage != Linkage::AvailableExternally)
}
