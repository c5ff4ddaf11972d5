//! A module for code: its symbols and data in the IR, and what the readers of its bodies need to know.

use gusset_abi::{AbiTarget, Convention};
use gusset_codegen::ir::{Linkage, Symbol, SymbolId, SymbolKind};
use gusset_lower::{Choices, Facts, ModuleLowering, SymbolInfo, shows_convention};
use gusset_program::{
    self as program, Const, DataLayout, FnAttrs, Function, METADATA, Metadata as Node, PTR, ProgramBuilder, Request,
    Sink, TypeTable, Values, convention_of_number, refusals,
};
use gusset_text::{NameTable, Result};

use super::bodies::{Look, Wanted, look};
use super::prepare::Prepared;
use super::{FunctionParts, Global, Parts, Walk, of_module};
use crate::codes::metadata;
use crate::constants::Form;
use crate::metadata::Nodes;
use crate::tables::{Body, ParsedModule, Tables};

/// Named metadata that describes the object, or that is debug information.
const LISTS: [&[u8]; 5] =
    [b"llvm.ident", b"llvm.module.flags", b"llvm.linker.options", b"llvm.dependent-libraries", b"llvm.commandline"];
const DEBUG_INFO: &[u8] = b"llvm.dbg.cu";

/// Reads a module of bitcode, except the function bodies. `name` is for messages.
///
/// # Errors
/// The file is not bitcode, or uses something that is not supported.
pub fn read_module<'s>(source: &'s [u8], name: &str, target: &AbiTarget, choices: Choices) -> Result<ParsedModule<'s>> {
    read(source, name, target, choices).map_err(|error| error.in_file(name))
}

fn read<'s>(source: &'s [u8], name: &str, target: &AbiTarget, choices: Choices) -> Result<ParsedModule<'s>> {
    let walk = Walk::over(source, false)?;
    let l = ModuleLowering::new(*target, name, (choices.trampolines, choices.isa));
    let mut r = ModuleReader::new(walk, name, l)?;
    if choices.branch_weights {
        r.t.profile_kind = r.t.kinds.iter().position(|kind| kind == b"prof").map(|number| number as u64);
    }
    r.l.module.symbols.reserve(r.program.symbols.len());
    r.l.head(&r.program);
    r.flags()?;
    let mut looks = r.looks()?;
    r.debug_info(&mut looks, choices);
    r.attachments(&looks)?;
    let called = r.headers()?;
    (0..r.program.symbols.len()).try_for_each(|i| r.symbol(i))?;
    r.bodies()?;
    r.functions(&called)?;
    r.mentioned(&looks)?;
    r.l.facts.find_main(&r.l.module, r.bodies.iter().map(|b| b.symbol));
    let (names, ids) = (&r.names, &r.ids);
    let known = |name: &[u8]| names.get(name).and_then(|i| ids[r.named[i as usize]].symbol);
    r.l.find_personalities(known);
    let replaced = r.l.own_library(known);
    for (imported, own) in replaced {
        r.ids.iter_mut().filter(|i| i.libcall == Some(imported)).for_each(|i| i.libcall = Some(own));
    }
    let reach = r.l.reach((choices.code_model, choices.far_bytes));
    r.t.facts = std::mem::replace(&mut r.l.facts, Facts::new(*target));
    r.t.infos = r.t.globals.iter().map(|global| r.ids[global.symbol]).collect();
    super::contents::contents(&r.t, &mut r.l, &mut r.program, reach)?;
    r.debug_info_uses();
    let symbols = r.program.symbols.iter().zip(&r.ids);
    let named = symbols.filter_map(|(symbol, info)| Some((info.symbol?, symbol.name.as_deref()?)));
    r.l.decorate_aliases(named);
    let (pic_level, pie_level) = (r.l.flags.pic_level, r.l.flags.pie_level);
    Ok(ParsedModule { module: r.l.module, bodies: r.bodies, pic_level, pie_level, tables: r.t })
}

/// A module after the walk.
struct ModuleReader<'s> {
    t: Tables<'s>,
    program: program::Module,
    l: ModuleLowering,
    bodies: Vec<Body>,
    /// By symbol of the program.
    ids: Vec<SymbolInfo>,
    /// By symbol of the program, the number of its value.
    values: Vec<usize>,
    names: NameTable,
    /// By name, the symbol of the program.
    named: Vec<usize>,
    places: super::Places,
}

impl<'s> ModuleReader<'s> {
    /// Reads types, attributes, constants and metadata.
    fn new(walk: Walk<'s>, name: &str, l: ModuleLowering) -> Result<ModuleReader<'s>> {
        let table = TypeTable::new(DataLayout::of(&l.facts.target));
        let Prepared { t, module: program, places } = Prepared::of(walk, name, (&l.facts.target, table))?;
        let (mut names, mut named) = (NameTable::default(), Vec::new());
        for (i, symbol) in program.symbols.iter().enumerate() {
            let Some(name) = &symbol.name else { continue };
            if names.intern(name) as usize != named.len() {
                return Err(of_module(format!("the name `{}` is defined twice", String::from_utf8_lossy(name))));
            }
            named.push(i);
        }
        let mut values = vec![0; program.symbols.len()];
        t.globals.iter().enumerate().for_each(|(value, global)| values[global.symbol] = value);
        Ok(ModuleReader { t, program, l, bodies: Vec::new(), ids: Vec::new(), values, names, named, places })
    }

    /// Takes the metadata that describes the object.
    fn flags(&mut self) -> Result<()> {
        let (mut types, mut constants) = (self.t.types.clone(), Function::default());
        let mut builder = ProgramBuilder::new(&mut types, &mut constants);
        let all = Nodes { module: &self.t.metadata, own: None };
        for (list, nodes) in &self.t.metadata.named {
            if refusals::named_metadata(list) {
                return Err(of_module(refusals::metadata(list)));
            }
            if !LISTS.contains(&&list[..]) {
                continue;
            }
            let mut taken = std::collections::HashSet::new();
            for &number in nodes.iter().filter(|number| taken.insert(**number)) {
                let node = self.t.tuple(all, number, &mut builder)?;
                self.l.metadata(list, &node, builder.constants()).map_err(of_module)?;
            }
        }
        Ok(())
    }

    /// Looks at the blocks of functions.
    fn looks(&mut self) -> Result<Vec<Look>> {
        let names: [&[u8]; 5] = [
            b"llvm.localescape",
            b"llvm.localaddress",
            b"llvm.localrecover",
            b"llvm.eh.recoverfp",
            b"llvm.init.trampoline",
        ];
        let wanted = |name: &Option<Vec<u8>>| {
            name.as_deref().is_some_and(|name| names.iter().any(|wanted| name.starts_with(wanted)))
        };
        let symbols = self.program.symbols.iter().enumerate();
        let callees: Vec<u32> =
            symbols.filter(|(_, symbol)| wanted(&symbol.name)).map(|(i, _)| self.values[i] as u32).collect();
        let first = self.t.first_local();
        let defined = self.t.globals.iter().filter(|global| global.function().is_some_and(|f| f.defined));
        let (mut bits, mut all) = (self.t.bits.another(), Vec::new());
        let kind = |name: &[u8]| self.t.kinds.iter().position(|known| known == name).map(|number| number as u64);
        let mut wanted = Wanted {
            callees: &callees,
            attachments: false,
            metadata: &self.t.metadata,
            table: &self.t.types,
            refused_kind: kind(b"pcsections"),
            assignment_kind: kind(b"DIAssignID"),
            types: &self.t.table,
            old: self.t.is_old.then_some(&self.t),
            first,
        };
        let describes = self.t.metadata.named.iter().any(|(list, _)| list == DEBUG_INFO);
        wanted.attachments = describes || wanted.may_matter(None);
        for (global, &(head, _)) in defined.zip(&self.places.functions) {
            let ty = self.t.table.function(global.ty.into()).map_err(of_module)?;
            all.push(look(&mut bits, head, ty, wanted)?);
        }
        let defined: Vec<usize> = self.defined().collect();
        for (value, look) in defined.into_iter().zip(&all) {
            self.t.globals[value].name_personality(look.personality);
        }
        Ok(all)
    }

    /// The functions with bodies, by numbers of values, in order.
    fn defined(&self) -> impl Iterator<Item = usize> {
        self.t.globals.iter().enumerate().filter_map(|(value, global)| global.function()?.defined.then_some(value))
    }

    /// Keeps the nodes of functions, if debug information is to be written.
    fn debug_info(&mut self, looks: &mut [Look], choices: Choices) {
        let named = self.t.metadata.named.iter().filter(|(list, _)| list == DEBUG_INFO);
        let units: Vec<u32> = named.flat_map(|(_, nodes)| nodes).map(|&node| node as u32).collect();
        self.t.debug.keeps = !units.is_empty() && !choices.strip_debug;
        if !self.t.debug.keeps {
            return;
        }
        self.t.debug.uses.units = units;
        let defined: Vec<usize> = self.defined().collect();
        for (value, look) in defined.into_iter().zip(looks) {
            let assignments = std::mem::take(&mut look.assignments).into_iter().collect();
            self.t.debug.add_nodes(value as u32, look.metadata.clone(), assignments);
        }
        for global in self.t.globals.iter().filter(|global| global.function().is_some()) {
            let name = self.program.symbols[global.symbol].name.as_deref().unwrap_or_default();
            if let Some(kind) = name.strip_prefix(b"llvm.dbg.") {
                self.t.debug.intrinsics.insert(self.values[global.symbol] as u32, kind.to_vec());
            }
        }
        self.t.upgrade_debug_nodes();
    }

    /// Finds where symbols refer to debug information.
    fn debug_info_uses(&mut self) {
        if !self.t.debug.keeps {
            return;
        }
        let symbols = self.program.symbols.iter().zip(&self.ids).enumerate();
        let with_nodes = symbols.filter_map(|(i, (symbol, info))| Some((i, symbol, info.symbol?)));
        let with_nodes: Vec<_> = with_nodes.filter(|(_, symbol, _)| !symbol.attached.is_empty()).collect();
        let nodes = |symbol: &program::Symbol| -> Vec<u32> {
            let dbg = symbol.attached.iter().filter(|(kind, _)| kind == b"dbg");
            dbg.filter_map(|(_, node)| node.node()).collect()
        };
        for (i, symbol, id) in &with_nodes {
            if let program::SymbolKind::Function(_) = symbol.kind {
                let first = self.t.debug.of_function(self.values[*i] as u32).map(|own| own.first);
                let nodes = nodes(symbol).into_iter().map(|node| self.t.node_number(node.into(), first));
                let nodes: Vec<_> = nodes.map(|node| (*id, node)).collect();
                self.t.debug.uses.functions.extend(nodes);
            }
        }
        for defined in [true, false] {
            for (_, symbol, id) in &with_nodes {
                let p = &symbol.properties;
                let variable = matches!(symbol.kind, program::SymbolKind::Variable { .. });
                let elsewhere = !defined && p.linkage == program::Linkage::AvailableExternally;
                if variable && gusset_lower::is_defined(p) == defined && !elsewhere {
                    let variables = nodes(symbol).into_iter().map(|node| (*id, node));
                    self.t.debug.uses.variables.extend(variables);
                }
            }
        }
        for (value, node) in std::mem::take(&mut self.t.debug.upgraded) {
            let Some(global) = self.t.globals.get(value as usize) else { continue };
            let uses = &mut self.t.debug.uses;
            let of = if global.function().is_some() { &mut uses.functions } else { &mut uses.variables };
            of.extend(self.ids[global.symbol].symbol.map(|symbol| (symbol, node)));
        }
        self.t.debug.uses.take_flags(&self.l.flags);
        self.t.debug.keeps = self.t.debug.uses.other_version.is_none();
    }

    /// Takes what is attached to symbols.
    fn attachments(&mut self, looks: &[Look]) -> Result<()> {
        let own = self.defined().zip(looks).map(|(value, look)| (value, &look.attached, Some(&look.metadata)));
        let own: Vec<_> = own.collect();
        let declared = self.t.metadata.attached.iter().map(|(value, attached)| (*value as usize, attached, None));
        let all = declared.chain(own).filter(|(_, attached, _)| !attached.is_empty());
        let mut all = all.peekable();
        if all.peek().is_none() {
            return Ok(());
        }
        let (mut types, mut constants) = (self.t.types.clone(), Function::default());
        let mut builder = ProgramBuilder::new(&mut types, &mut constants);
        for (value, attached, own) in all {
            let global = self.t.globals.get(value);
            let global = global.ok_or_else(|| of_module("metadata are attached to no symbol"))?;
            let nodes = Nodes { module: &self.t.metadata, own };
            for &(kind, number) in attached {
                let name = usize::try_from(kind).ok().and_then(|kind| self.t.kinds.get(kind));
                let name = name.ok_or_else(|| of_module(format!("the kind {kind} of metadata has no name")))?;
                let node = match &name[..] {
                    b"section_prefix" => self.t.tuple(nodes, number, &mut builder)?,
                    _ => Node::Node(u32::try_from(number).unwrap_or(u32::MAX)),
                };
                if let b"associated" | b"func_sanitize" | b"kcfi_type" = &name[..] {
                    let values = nodes.operands(number).map(|all| all.map_while(|at| nodes.value(at?)));
                    let values = values.map_or(Vec::new(), |all| all.map(|(_, value)| value as u32).collect());
                    self.t.attached_values.insert((global.symbol, name.clone()), values);
                }
                self.program.symbols[global.symbol].attached.push((name.clone(), node));
            }
        }
        Ok(())
    }

    /// Reads the headers that determine how functions are called.
    fn headers(&mut self) -> Result<Vec<(usize, Convention)>> {
        let mut called = Vec::new();
        for global in &self.t.globals {
            let Parts::Function(parts) = &global.parts else { continue };
            let list = self.t.list(parts.attributes).map_err(of_module)?;
            let symbol = &mut self.program.symbols[global.symbol];
            let Ok(convention) = convention_of_number(parts.convention) else { continue };
            let name = symbol.name.as_deref().unwrap_or_default();
            if list.is_about_passing() || shows_convention(&self.t.facts.target, convention, name) {
                called.push((global.symbol, convention));
            }
        }
        Ok(called)
    }

    /// Adds a symbol of the program.
    fn symbol(&mut self, i: usize) -> Result<()> {
        let global = &self.t.globals[self.values[i]];
        let symbol = &self.program.symbols[i];
        let attrs = match &global.parts {
            Parts::Function(parts) => self.t.list(parts.attributes).map_err(of_module)?.function,
            _ => FnAttrs::default(),
        };
        if global.space != 0 && self.t.types.pointer_into(global.space) != Ok(PTR) {
            let message = "nothing can be placed in the address space of a segment register";
            return Err(self.t.bits.error_at(global.place, message));
        }
        let info = self.l.symbol(symbol, attrs);
        if let Some(program::Intrinsic::Unsupported) = info.intrinsic {
            let name = String::from_utf8_lossy(symbol.name.as_deref().unwrap_or_default());
            self.t.names.insert(self.values[i] as u32, name.into_owned());
        }
        self.ids.push(info);
        Ok(())
    }

    /// Makes the list of bodies.
    fn bodies(&mut self) -> Result<()> {
        let defined: Vec<usize> = self.defined().collect();
        if defined.len() != self.places.functions.len() {
            return Err(of_module("the number of functions with bodies is not that of bodies"));
        }
        for (value, &(head, end)) in defined.into_iter().zip(&self.places.functions) {
            let global = &self.t.globals[value];
            let Some(parts) = global.function() else { continue };
            let program = &self.program.symbols[global.symbol];
            if program.properties.linkage == program::Linkage::AvailableExternally {
                continue;
            }
            let Some(symbol) = self.ids[global.symbol].symbol else { continue };
            let list = self.t.list(parts.attributes).map_err(of_module)?;
            let mut values = list.values.clone();
            for (kind, _) in program.attached.iter().filter(|(kind, _)| refusals::attached(kind)) {
                let values: &mut Values = values.get_or_insert_default();
                values.refused.get_or_insert_with(|| (head, refusals::metadata(kind)));
            }
            let range = head / 8..end / 8;
            let (trampolines, value) = (0, value as u32);
            self.bodies.push(Body { symbol, range, head, value, attrs: list.function, values, trampolines });
        }
        Ok(())
    }

    /// Handles what functions request, and how they are called and named.
    fn functions(&mut self, called: &[(usize, Convention)]) -> Result<()> {
        let settled = self.l.facts.merge_requests(self.bodies.iter().map(|b| b.attrs));
        settled.map_err(|(number, why)| self.t.bits.error_at(self.bodies[number].head, why))?;
        let (names, ids, named) = (&self.names, &self.ids, &self.named);
        let known = |name: &[u8]| names.get(name).and_then(|i| ids[named[i as usize]].symbol);
        let protected = FnAttrs::SSP | FnAttrs::SSPSTRONG | FnAttrs::SSPREQ;
        if self.bodies.iter().any(|b| b.attrs.has(protected)) {
            self.l.guard_symbol(known);
        }
        for body in &mut self.bodies {
            if let Some(values) = &mut body.values {
                let named = self.l.name_functions(values, known);
                named.map_err(|why| self.t.bits.error_at(body.head, why))?;
            }
        }
        let values = self.t.lists.iter().filter_map(|list| list.values.as_ref());
        self.l.name_traps(values.filter_map(|values| values.trap.clone()).collect(), known);
        for &(i, convention) in called {
            let global = &self.t.globals[self.values[i]];
            let (Some(parts), Some(id)) = (global.function(), self.ids[i].symbol) else { continue };
            let name = self.program.symbols[i].name.as_deref().unwrap_or_default();
            let shown = shows_convention(&self.t.facts.target, convention, name);
            match self.t.request(global, parts, convention) {
                Ok(request) => {
                    let taken = self.l.called_as((id, name), request, &self.t.types);
                    taken.map_err(|why| self.t.bits.error_at(global.place, why))?;
                }
                Err(why) if shown => return Err(self.t.bits.error_at(global.place, why)),
                // What cannot be read is an error where it is used.
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Gives symbols to blocks whose addresses are taken, and tables to functions whose frames others look into.
    fn mentioned(&mut self, looks: &[Look]) -> Result<()> {
        let constants = &self.t.constants;
        let of_module = constants.list.iter().filter(|constant| constant.form == Form::BlockAddress);
        let mut blocks: Vec<(u64, u64)> =
            of_module.filter_map(|constant| constants.words(*constant).get(1..3).map(|w| (w[0], w[1]))).collect();
        blocks.extend(looks.iter().flat_map(|look| &look.blocks));
        for (function, number) in blocks {
            self.block_address(function, number)?;
        }
        let defined: Vec<usize> = self.defined().collect();
        for (value, look) in defined.into_iter().zip(looks) {
            let host = self.ids[self.t.globals[value].symbol].symbol;
            for (callee, args) in &look.calls {
                let name = self.program.symbols[self.t.globals[*callee as usize].symbol].name.as_deref();
                match name.unwrap_or_default() {
                    b"llvm.localescape" => self.escape(host, args.len() as u32),
                    b"llvm.localaddress" => self.escape(host, 0),
                    b"llvm.localrecover" | b"llvm.eh.recoverfp" => {
                        let of = args.first().and_then(|&arg| self.t.globals.get(arg as usize));
                        let host = of.and_then(|global| self.ids[global.symbol].symbol).filter(|host| {
                            let symbol = &self.l.module.symbols[host.index()];
                            symbol.kind == SymbolKind::Function && symbol.is_defined()
                        });
                        self.escape(host, 0);
                    }
                    _ => {
                        if let Some(body) = self.bodies.iter_mut().find(|body| body.value as usize == value) {
                            body.trampolines += usize::from(self.l.facts.trampolines.is_some());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn escape(&mut self, host: Option<SymbolId>, count: u32) {
        if let Some(host) = host {
            self.l.facts.escape(&mut self.l.module, host, count);
        }
    }

    /// Gives a symbol to a block of a function whose address is taken.
    fn block_address(&mut self, function: u64, number: u64) -> Result<()> {
        let global = usize::try_from(function).ok().and_then(|value| self.t.globals.get(value));
        let global = global.ok_or_else(|| of_module("the function of a block's address is not defined"))?;
        let Some(f) = self.ids[global.symbol].symbol else { return Ok(()) };
        let own = &self.l.module.symbols[f.index()];
        let known = self.t.block_lookup.contains_key(&(f.0, number));
        if known || own.kind != SymbolKind::Function || !own.is_defined() {
            return Ok(());
        }
        let name = format!("{}.{number}", own.name);
        let symbol = self.l.module.add_symbol(Symbol::new(name, SymbolKind::Block(f), Linkage::Private));
        self.t.block_lookup.insert((f.0, number), symbol);
        self.t.block_symbols.entry(f.0).or_default().push((number, symbol));
        Ok(())
    }
}

impl Global {
    /// Gives a function that has none the personality routine that its landing pads name.
    pub fn name_personality(&mut self, routine: Option<u32>) {
        if let (Parts::Function(parts), Some(routine)) = (&mut self.parts, routine) {
            parts.personality.get_or_insert(routine);
        }
    }

    /// The parts of a function.
    pub fn function(&self) -> Option<&FunctionParts> {
        match &self.parts {
            Parts::Function(parts) => Some(parts),
            _ => None,
        }
    }
}

impl Tables<'_> {
    /// The content of a tuple with strings and integers; `null` for anything else.
    fn tuple(&self, nodes: Nodes<'_>, number: u64, builder: &mut ProgramBuilder<'_>) -> Result<Node> {
        let undefined = |number: u64| of_module(format!("the metadata with the number {number} are not defined"));
        let (own, node) = nodes.get(number).ok_or_else(|| undefined(number))?;
        let mut all = Vec::new();
        if u64::from(node.code) == metadata::NODE_OLD {
            // Before LLVM 3.6 these were pairs of a type and a value or other metadata.
            for &[ty, value] in own.fields(node).as_chunks::<2>().0 {
                all.push(match (self.table.get(ty), nodes.string(value)) {
                    (Ok(METADATA), Some(text)) => Node::String(text.to_vec()),
                    (Ok(METADATA), None) => Node::Node(u32::try_from(value).unwrap_or(u32::MAX)),
                    _ => self.integer(ty, value, builder)?.unwrap_or(Node::Null),
                });
            }
            return Ok(Node::Tuple(all));
        }
        let Some(operands) = nodes.operands(number) else { return Ok(Node::Null) };
        for operand in operands {
            let Some(number) = operand else {
                all.push(Node::Null);
                continue;
            };
            nodes.get(number).ok_or_else(|| undefined(number))?;
            all.push(match (nodes.string(number), nodes.value(number)) {
                (Some(text), _) => Node::String(text.to_vec()),
                (None, Some((ty, value))) => self.integer(ty, value, builder)?.unwrap_or(Node::Node(number as u32)),
                (None, None) => Node::Node(number as u32),
            });
        }
        Ok(Node::Tuple(all))
    }

    /// The integer that a constant of the module is, if it is one.
    fn integer(&self, ty: u64, value: u64, builder: &mut ProgramBuilder<'_>) -> Result<Option<Node>> {
        let Ok(ty) = self.table.get(ty) else { return Ok(None) };
        let index = usize::try_from(value).ok().and_then(|value| value.checked_sub(self.globals.len()));
        let constant = index.and_then(|index| self.constants.list.get(index)).copied();
        let number = constant.filter(|_| self.types.ir(ty).is_int()).and_then(|known| self.constants.number(known));
        let Some(number) = number else { return Ok(None) };
        let made = builder.constant(ty, Const::Integer(number.into())).map_err(of_module)?;
        Ok(Some(Node::Value(ty, made)))
    }

    /// A function's type with its attributes.
    fn request(&self, global: &Global, parts: &FunctionParts, convention: Convention) -> program::Result<Request> {
        let (ty, list) = (self.table.function(global.ty.into())?, self.list(parts.attributes)?);
        let param = |(i, &ty): (usize, &u32)| Ok((self.table.get(ty.into())?, list.param(i)));
        let mut params: Vec<_> = ty.params.iter().enumerate().map(param).collect::<program::Result<_>>()?;
        list.complete(&mut params, ty, (&self.table, &self.types))?;
        let variadic = ty.variadic.then_some(params.len());
        Ok(Request {
            convention,
            ret: Some((self.table.get(ty.ret.into())?, list.ret)),
            params,
            variadic,
            ..Request::default()
        })
    }
}
