//! A module for code: its symbols and data in the IR, and what the readers of its bodies need to know.

use std::collections::{HashMap, HashSet};

use gusset_abi::{AbiTarget, Convention};
use gusset_codegen::ir::{Function, SymbolId, SymbolKind};
use gusset_lower::debug_info::DebugInfoUses;
use gusset_lower::{
    Choices, Facts, FunctionLowering, MAX_TYPE_HASH, ModuleLowering, NO_SYMBOL, Reach, append, shows_convention,
    take_special,
};
use gusset_program::{
    self as program, AttributeValue, DataLayout, FnAttrs, Linkage, Metadata, ParamAttrs, ProgramBuilder, Symbol,
    TypeTable, UnnamedAddress, Values, refusals,
};

use super::{FunctionRest, Rest, Walk};
use crate::attributes::parse_convention;
use crate::body::BodyReader;
use crate::body::reader::Reader;
use crate::body::tables::Scratch;
use crate::debug_nodes::node_number;
use crate::lexer::{Cursor, Tokens};
use crate::tables::{Body, ParsedModule, Tables};
use gusset_text::{Placed, ReadError, Result};

/// Named metadata that describes the object, or that is debug information.
const LISTS: [&[u8]; 5] =
    [b"llvm.ident", b"llvm.module.flags", b"llvm.linker.options", b"llvm.dependent-libraries", b"llvm.commandline"];
const DEBUG_INFO: &[u8] = b"llvm.dbg.cu";

/// Reads a module of textual LLVM IR, except the function bodies. `name` is for messages.
///
/// # Errors
/// The text is not LLVM IR, or uses something that is not supported.
pub fn read_module<'s>(
    source: &'s [u8],
    name: &str,
    target: &AbiTarget,
) -> std::result::Result<ParsedModule<'s>, ReadError> {
    read_module_with(source, name, target, Choices::default(), &mut |_| {})
}

/// [`read_module`] with options. `walked` is called from time to time with the number of bytes that a walk over the
/// text has passed; there are several walks, one after the other.
///
/// # Errors
/// As [`read_module`].
pub fn read_module_with<'s>(
    source: &'s [u8],
    name: &str,
    target: &AbiTarget,
    choices: Choices,
    walked: &mut dyn FnMut(usize),
) -> std::result::Result<ParsedModule<'s>, ReadError> {
    read(source, name, target, choices, walked).map_err(|e| e.in_file(name))
}

fn read<'s>(
    source: &'s [u8],
    name: &str,
    target: &AbiTarget,
    choices: Choices,
    walked: &mut dyn FnMut(usize),
) -> Result<ParsedModule<'s>> {
    gusset_text::refuse_binary(source)?;
    let mut walk = Walk::new(source, name, target, TypeTable::new(DataLayout::of(target)));
    walk.module_level(walked)?;
    let declared = walk.module.symbols.len();
    walk.complete()?;
    let l = ModuleLowering::new(*target, name, (choices.trampolines, choices.isa));
    let (group_values, bodies, called, ids) = (HashMap::new(), Vec::new(), Vec::new(), Vec::new());
    let (known, debug_info, uses) = ((0, 0), false, DebugInfoUses::default());
    let mut r = ModuleReader { walk, l, group_values, bodies, called, ids, known, debug_info, uses };
    r.l.module.symbols.reserve(declared);
    r.l.head(&r.walk.module);
    r.metadata_and_headers()?;
    // What has been read can leave memory now.
    let mentions = r.walk.mentions(walked)?;
    r.groups()?;
    (0..declared).try_for_each(|i| r.symbol(i))?;
    r.functions()?;
    (declared..r.walk.module.symbols.len()).try_for_each(|i| r.symbol(i))?;
    r.mentioned(mentions);
    r.l.facts.find_main(&r.l.module, r.bodies.iter().map(|b| b.symbol));
    r.l.find_personalities(|name| r.walk.t.symbol(name));
    for (imported, own) in r.l.own_library(|name| r.walk.t.symbol(name)) {
        r.walk.t.named.iter_mut().filter(|i| i.libcall == Some(imported)).for_each(|i| i.libcall = Some(own));
    }
    let reach = r.l.reach((choices.code_model, choices.far_bytes));
    r.walk.t.facts = std::mem::replace(&mut r.l.facts, Facts::new(*target));
    r.contents(reach)?;
    r.debug_info_uses()?;
    r.walk.t.keeps_debug_info = r.debug_info && !choices.strip_debug && r.uses.other_version.is_none();
    r.walk.t.branch_weights = choices.branch_weights;
    r.walk.t.debug_info_uses = std::mem::take(&mut r.uses);
    if !r.walk.t.keeps_debug_info {
        r.walk.check_references()?;
    }
    let names = r.walk.t.named.iter().enumerate();
    r.l.decorate_aliases(names.filter_map(|(id, info)| Some((info.symbol?, r.walk.t.names.text(id as u32)))));
    Ok(ParsedModule {
        module: r.l.module,
        bodies: r.bodies,
        pic_level: r.l.flags.pic_level,
        pie_level: r.l.flags.pie_level,
        tables: r.walk.t,
    })
}

/// A module after the walk.
pub(super) struct ModuleReader<'s> {
    pub walk: Walk<'s>,
    pub l: ModuleLowering,
    /// By number of a group of attributes.
    group_values: HashMap<u32, Values>,
    pub bodies: Vec<Body>,
    /// Functions whose headers were read, with their conventions.
    called: Vec<(usize, Convention)>,
    /// By symbol of the program.
    ids: Vec<Option<SymbolId>>,
    /// How many names and numbers have a meaning so far.
    known: (usize, usize),
    debug_info: bool,
    uses: DebugInfoUses,
}

impl<'s> ModuleReader<'s> {
    fn at(&self, pos: usize) -> Cursor<'s> {
        Cursor::new(self.walk.t.source, pos)
    }

    /// Reads the metadata that describes the object and functions, and the headers that determine how functions are
    /// called.
    fn metadata_and_headers(&mut self) -> Result<()> {
        let (mut types, mut names) = (self.walk.t.types.clone(), self.walk.t.type_names.clone());
        let (mut scratch, mut constants) = (Scratch::default(), program::Function::default());
        let l = ProgramBuilder::new(&mut types, &mut constants);
        let mut r = Reader::new(self.at(0), &self.walk.t, l, &mut names, &mut scratch, 0);
        for (list, start) in &self.walk.unread.lists {
            let known = LISTS.contains(&&list[..]);
            if !known && list != DEBUG_INFO {
                continue;
            }
            r.c.pos = *start;
            r.c.expect(b'!')?;
            let nodes = r.metadata_list()?;
            self.debug_info |= !known && !nodes.is_empty();
            if !known {
                let number = |node: &Metadata| match node {
                    Metadata::Node(number) => Some(*number),
                    _ => None,
                };
                self.uses.units.extend(nodes.iter().filter_map(number));
                continue;
            }
            let mut taken = HashSet::new();
            for node in nodes {
                let Metadata::Node(number) = node else { continue };
                if taken.insert(number) {
                    let node = r.node(number)?;
                    let at = self.walk.t.node(number.into()).unwrap_or(*start);
                    let done = self.l.metadata(list, &node.content, r.l.constants());
                    done.map_err(|why| Cursor::new(self.walk.t.source, at).error(why))?;
                }
            }
        }
        for (i, (symbol, place)) in self.walk.module.symbols.iter_mut().zip(&self.walk.unread.places).enumerate() {
            let Rest::Function(rest) = &place.rest else { continue };
            for &at in &rest.attached {
                r.c.pos = at;
                if !matches!(
                    r.c.attachment_name(),
                    b"absolute_symbol" | b"func_sanitize" | b"kcfi_type" | b"section_prefix"
                ) {
                    continue;
                }
                r.c.pos = at;
                let (kind, mut node) = r.attachment()?;
                if let (b"section_prefix", &Metadata::Node(number)) = (&kind[..], &node) {
                    node = r.node(number)?.content;
                }
                symbol.attached.push((kind, node));
            }
            let program::SymbolKind::Function(header) = &mut symbol.kind else { continue };
            if !rest.header_matters {
                continue;
            }
            let convention = parse_convention(&mut Cursor::new(self.walk.t.source, rest.convention));
            let name = symbol.name.as_deref().unwrap_or_default();
            match (convention, r.full_header(header, rest.convention)) {
                (Ok(convention), Ok(())) => self.called.push((i, convention)),
                (Ok(convention), Err(error)) if shows_convention(&self.walk.t.facts.target, convention, name) => {
                    return Err(error);
                }
                // What cannot be read is an error where it is used.
                _ => {}
            }
        }
        (self.walk.t.types, self.walk.t.type_names) = (types, names);
        Ok(())
    }

    /// Computes the meaning of groups of attributes.
    fn groups(&mut self) -> Result<()> {
        let arch = self.walk.t.facts.target.arch;
        for (list, (number, places)) in self.walk.module.groups.iter().zip(&self.walk.unread.groups) {
            let (mut attrs, mut values) = (FnAttrs::default(), Values::default());
            for (attribute, &place) in list.iter().zip(places) {
                let taken = attrs.take(attribute, &mut values, (place, arch));
                taken.map_err(|why| Cursor::new(self.walk.t.source, place).error(why))?;
                if attribute.name == b"preallocated" {
                    let attrs = ParamAttrs::of(std::slice::from_ref(attribute), &self.walk.t.types);
                    self.walk.t.preallocated.insert(*number, attrs.at(self.walk.t.source, place)?);
                }
            }
            if let Some(name) = &values.trap {
                self.walk.t.traps.insert(*number, name.clone());
            }
            if values.names_section {
                self.walk.t.naming_sections.insert(*number);
            }
            let n = *number as usize;
            if self.walk.t.groups.len() <= n {
                self.walk.t.groups.resize(n + 1, FnAttrs::default());
            }
            self.walk.t.groups[n] = attrs;
            if values != Values::default() {
                self.group_values.insert(*number as u32, values);
            }
        }
        Ok(())
    }

    /// The meaning of a function's attributes.
    fn attributes(&self, symbol: &Symbol, rest: &FunctionRest) -> Result<(FnAttrs, Values)> {
        let (mut attrs, mut values) = (FnAttrs::default(), Values::default());
        let arch = self.walk.t.facts.target.arch;
        let own = symbol.attrs.iter().filter(|attribute| !matches!(attribute.value, AttributeValue::Group(_)));
        for (attribute, &place) in own.zip(&rest.attributes) {
            let taken = attrs.take(attribute, &mut values, (place, arch));
            taken.map_err(|why| self.at(place).error(why))?;
        }
        for &at in &rest.attached {
            let kind = self.at(at).attachment_name();
            if refusals::attached(kind) {
                values.refused.get_or_insert_with(|| (at, refusals::metadata(kind)));
            }
        }
        for attribute in &symbol.attrs {
            if let AttributeValue::Group(number) = attribute.value {
                attrs.0 |= self.walk.t.group(number.into()).0;
                if let Some(more) = self.group_values.get(&number) {
                    values.add(more);
                }
            }
        }
        Ok((attrs, values))
    }

    /// Adds a symbol of the program.
    fn symbol(&mut self, i: usize) -> Result<()> {
        let (symbol, place) = (&self.walk.module.symbols[i], &self.walk.unread.places[i]);
        let (attrs, values) = match &place.rest {
            Rest::Function(rest) => self.attributes(symbol, rest)?,
            _ => Default::default(),
        };
        let info = self.l.symbol(symbol, attrs);
        self.ids.push(info.symbol);
        if let (Rest::Function(rest), Some(symbol)) = (&place.rest, info.symbol)
            && !rest.body.is_empty()
            && self.walk.module.symbols[i].properties.linkage != Linkage::AvailableExternally
        {
            let (range, open) = (rest.convention..rest.body.end, rest.body.start);
            let values = (values != Values::default()).then(|| Box::new(values));
            self.bodies.push(Body { symbol, range, open, personality: rest.personality, attrs, values });
        }
        // Names are numbered in the order of the symbols.
        let known = match symbol.name {
            Some(_) => (&mut self.walk.t.named, &mut self.known.0),
            None => (&mut self.walk.t.numbered, &mut self.known.1),
        };
        known.0[*known.1] = info;
        *known.1 += 1;
        Ok(())
    }

    /// Handles what functions request, and how they are called and named.
    fn functions(&mut self) -> Result<()> {
        let settled = self.l.facts.merge_requests(self.bodies.iter().map(|b| b.attrs));
        settled.map_err(|(number, why)| self.at(self.bodies[number].range.start).error(why))?;
        let protected = FnAttrs::SSP | FnAttrs::SSPSTRONG | FnAttrs::SSPREQ;
        if self.bodies.iter().any(|b| b.attrs.has(protected)) {
            self.l.guard_symbol(|name| self.walk.t.symbol(name));
        }
        for body in &mut self.bodies {
            if let Some(values) = &mut body.values {
                let named = self.l.name_functions(values, |name| self.walk.t.symbol(name));
                named.at(self.walk.t.source, body.range.start)?;
            }
        }
        for &(i, convention) in &self.called {
            let (symbol, types) = (&self.walk.module.symbols[i], &self.walk.t.types);
            let (program::SymbolKind::Function(header), Rest::Function(rest), Some(id)) =
                (&symbol.kind, &self.walk.unread.places[i].rest, self.ids[i])
            else {
                continue;
            };
            let name = symbol.name.as_deref().unwrap_or_default();
            self.l.passing((id, name), convention, header, types).at(self.walk.t.source, rest.params)?;
        }
        Ok(())
    }

    /// Finds where functions refer to debug information.
    fn debug_info_uses(&mut self) -> Result<()> {
        for (place, id) in self.walk.unread.places.iter().zip(&self.ids) {
            let (Rest::Function(rest), Some(id)) = (&place.rest, id) else { continue };
            for &at in &rest.attached {
                let mut c = self.at(at);
                if c.attachment_name() == b"dbg" {
                    self.uses.functions.push((*id, node_number(&mut c)?));
                }
            }
        }
        self.uses.take_flags(&self.l.flags);
        Ok(())
    }

    // Definitions.

    /// Reads the contents of variables, the data of functions, and the targets of aliases.
    fn contents(&mut self, reach: Reach) -> Result<()> {
        let ModuleReader { walk: Walk { t, module: program, unread, .. }, l, ids, uses, .. } = self;
        let (mut bodies, mut func) = (BodyReader::over(t), Function::new());
        let mut aliases = Vec::new();
        for ((symbol, place), &id) in program.symbols.iter_mut().zip(&unread.places).zip(&*ids) {
            match (&place.rest, &symbol.kind) {
                (Rest::Global(span), program::SymbolKind::Alias { ifunc, .. }) => aliases.push((id, span, *ifunc)),
                (Rest::Global(span), _) if gusset_lower::is_defined(&symbol.properties) => {
                    let r = bodies.reader(Cursor::new(t.source, span.start), &mut func, 0);
                    variable(r, l, symbol, (id, span.end), reach)?;
                    uses.variables.extend(attached_variables(symbol, id));
                }
                (Rest::Function(rest), _) if !rest.body.is_empty() => {
                    let Some(id) = id else { continue };
                    if symbol.properties.linkage != Linkage::AvailableExternally {
                        parts(t, (&mut bodies, &mut func), l, id, rest)?;
                    }
                }
                _ => {}
            }
        }
        // Assemblers need to know the section of an associated symbol first.
        let (symbols, data) = (&l.module.symbols, &mut l.module.data);
        if data.iter().any(|d| symbols[d.symbol.index()].associated.is_some()) {
            data.sort_by_key(|d| symbols[d.symbol.index()].associated.is_some());
        }
        for &(id, span, ifunc) in &aliases {
            let Some(id) = id else { continue };
            let mut r = bodies.reader(Cursor::new(t.source, span.start), &mut func, 0);
            let (target, pos) = r.alias(span.end)?;
            l.alias(id, target, ifunc).at(t.source, pos)?;
        }
        l.mark_ifuncs();
        for ((_, span, ifunc), data) in aliases.iter().zip(&l.module.aliases[l.module.aliases.len() - aliases.len()..])
        {
            let of_ifunc = l.module.symbols[data.target.index()].kind == SymbolKind::Ifunc;
            let c = Cursor::new(t.source, span.start);
            c.refuse_if(of_ifunc && *ifunc, c.pos, "the resolver of an ifunc must be a function")?;
            let message = "an alias of an ifunc cannot stand for a part of it";
            c.refuse_if(of_ifunc && data.offset != 0, c.pos, message)?;
        }
        for ((symbol, place), &id) in program.symbols.iter_mut().zip(&unread.places).zip(&*ids) {
            let (Rest::Global(span), program::SymbolKind::Variable { .. }, Some(id)) = (&place.rest, &symbol.kind, id)
            else {
                continue;
            };
            let p = &symbol.properties;
            if gusset_lower::is_defined(p) || p.linkage == Linkage::AvailableExternally {
                continue;
            }
            let mut r = bodies.reader(Cursor::new(t.source, span.start), &mut func, 0);
            let ty = r.ty()?;
            let size = r.l.types.is_sized(ty).then(|| r.l.types.get(ty).size);
            r.global_tail(symbol, span.end)?;
            uses.variables.extend(attached_variables(symbol, Some(id)));
            r.c.refuse_if(symbol.comdat.is_some(), span.start, "a declaration cannot be in a COMDAT")?;
            l.declare(id, symbol, size, reach);
        }
        reach.functions(&mut l.module);
        Ok(())
    }
}

/// The nodes of debug information that are attached to a variable.
fn attached_variables(symbol: &Symbol, id: Option<SymbolId>) -> impl Iterator<Item = (SymbolId, u32)> + '_ {
    symbol.attached.iter().filter_map(move |(kind, node)| match node {
        Metadata::Node(number) if kind == b"dbg" => Some((id?, *number)),
        _ => None,
    })
}

/// Reads the contents of a variable, from its type to the next definition at `end`, and defines it.
fn variable<'r>(
    mut r: Reader<'r, FunctionLowering<'r>>,
    l: &mut ModuleLowering,
    symbol: &mut Symbol,
    (id, end): (Option<SymbolId>, usize),
    reach: Reach,
) -> Result<()> {
    let program::SymbolKind::Variable { constant, .. } = symbol.kind else { return Ok(()) };
    let (start, mergeable) = (r.c.pos, symbol.properties.unnamed == UnnamedAddress::Global);
    r.l.begin_constants();
    let (ty, mut data) = r.variable(id.unwrap_or(NO_SYMBOL))?;
    (data.constant, data.mergeable) = (constant, mergeable && constant);
    let associated = r.global_tail(symbol, end)?;
    match id {
        Some(_) => l.define(symbol, data, (ty, r.l.types), (reach, associated)),
        None => {
            let name = symbol.name.as_deref().unwrap_or_default();
            take_special(&mut l.module, name, (ty, &data), (r.l.types, l.facts.target.endian, false))
                .at(r.c.src, start)?;
        }
    }
    Ok(())
}

/// Reads the data before a function and at its start.
fn parts<'t>(
    t: &'t Tables<'t>,
    (bodies, func): (&mut BodyReader<'t>, &mut Function),
    l: &mut ModuleLowering,
    id: SymbolId,
    rest: &FunctionRest,
) -> Result<()> {
    for (place, list) in [(rest.prefix, &mut l.module.prefixes), (rest.prologue, &mut l.module.prologues)] {
        let Some(start) = place else { continue };
        let mut r = bodies.reader(Cursor::new(t.source, start), func, 0);
        r.l.begin_constants();
        list.push(r.part(id)?);
    }
    // Two constants.
    for &at in &rest.attached {
        let mut c = Cursor::new(t.source, at);
        let name = c.attachment_name();
        if name == b"kcfi_type" {
            let c = t.operands(c)?;
            let mut r = bodies.reader(c, func, 0);
            r.l.begin_constants();
            let id_of_type = r.part(id)?;
            l.type_id(id, &id_of_type).at(t.source, at)?;
        }
        if name != b"func_sanitize" {
            continue;
        }
        let mut r = bodies.reader(t.operands(c)?, func, 0);
        r.l.begin_constants();
        let mut data = r.part(id)?;
        r.c.expect(b',')?;
        let more = r.variable(id)?.1;
        let large = data.size.max(more.size) > MAX_TYPE_HASH;
        let message = "more than 1 KiB of data that tells a function's type is not supported";
        r.c.refuse_if(large, r.c.pos, message)?;
        append(&mut data, more).map_err(|e| r.c.error(e.to_string()))?;
        l.module.type_hashes.push(data);
    }
    Ok(())
}
