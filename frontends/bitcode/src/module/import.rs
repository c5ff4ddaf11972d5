//! A module for translation: everything except the bodies of its functions as a [`Module`].

use std::collections::HashMap;

use gusset_abi::AbiTarget;
use gusset_codegen::ir::SymbolId;
use gusset_codegen::names::text_of;
use gusset_lower::SymbolInfo;
use gusset_program::{
    AttributeValue, Const, DataLayout, FnAttrs, Function, Kind, Late, Linkage, Metadata, Module, PTR, Preemption,
    ProgramBuilder, Refusal, Sink, SymbolKind, TypeId, TypeTable, Val, convention_word, upgraded_layout,
};
use gusset_text::{ReadError, Result};

use super::bodies::{Look, Wanted, block_numbers, look};
use super::prepare::Prepared;
use super::{Parts, Walk, of_module};
use crate::bits::Bits;
use crate::body::{Reader, Scratch};
use crate::constants::Form;
use crate::tables::{Body, Tables};

/// A module for translation whose function bodies are still bits.
pub struct ImportedModule<'s> {
    /// Everything but the bodies.
    pub module: Module,
    /// The bodies in the file's order.
    pub bodies: Vec<Body>,
    pub(crate) tables: Tables<'s>,
}

impl ImportedModule<'_> {
    /// The error that part of a symbol, or of the module as a whole, is refused.
    #[cold]
    pub fn refused(&self, symbol: Option<SymbolId>, why: Refusal) -> ReadError {
        let of = |symbol: SymbolId| self.tables.globals.iter().find(|global| global.symbol == symbol.index());
        let error = match symbol.and_then(of) {
            Some(global) => self.tables.bits.error_at(global.place, why),
            None => of_module(why.reason()),
        };
        error.in_file(&self.tables.file)
    }
}

/// Reads a module of bitcode for translation. `name` is for messages.
///
/// # Errors
/// The file is not bitcode, or uses something that is not supported.
pub fn import_module<'s>(source: &'s [u8], name: &str) -> std::result::Result<ImportedModule<'s>, ReadError> {
    import(source, name).map_err(|error| error.in_file(name))
}

fn import<'s>(source: &'s [u8], name: &str) -> Result<ImportedModule<'s>> {
    // The file gives each alignment.
    let target = AbiTarget::X86_64_LINUX;
    let mut table = TypeTable::new(DataLayout::of(&target));
    table.carry();
    let prepared = Prepared::of(Walk::over(source, true)?, name, (&target, table))?;
    let Prepared { mut t, mut module, places } = prepared;
    // As in LLVM.
    module.source_name.get_or_insert_with(|| name.into());
    for i in 0..t.globals.len() {
        t.globals[i].pointer = t.types.pointer_in(t.globals[i].space).map_err(of_module)?;
        let symbol = Some(SymbolId::new(t.globals[i].symbol));
        t.infos.push(SymbolInfo::of(symbol));
        let name = module.symbols[t.globals[i].symbol].name.as_deref().filter(|name| name.starts_with(b"llvm."));
        t.names.extend(name.map(|name| (i as u32, String::from_utf8_lossy(name).into_owned())));
    }
    if let Some(layout) = &mut module.layout {
        let triple = module.triple.as_deref().map(text_of).unwrap_or_default();
        *layout = upgraded_layout(&text_of(layout), &triple).into_bytes();
    }
    let layout = module.layout.as_deref().unwrap_or_default();
    let stack = layout.split(|&byte| byte == b'-').find_map(|spec| spec.strip_prefix(b"A"));
    let stack = stack.and_then(|number| std::str::from_utf8(number).ok()?.parse().ok()).unwrap_or(0);
    t.stack = t.types.pointer_in(stack).map_err(of_module)?;
    let defined: Vec<usize> = (0..t.globals.len()).filter(|&at| is_defined(&t, at)).collect();
    if defined.len() != places.functions.len() {
        return Err(of_module("the number of functions with bodies is not that of bodies"));
    }
    let mut importer =
        Importer { bits: t.bits.another(), bodies: Vec::new(), attached: Vec::new(), blocks: Vec::new() };
    for (&value, &place) in defined.iter().zip(&places.functions) {
        importer.function(&mut t, value, place)?;
    }
    importer.block_names(&mut t)?;
    t.upgrade_debug_nodes();
    let (mut types, mut constants, mut scratch) = (t.types.clone(), Function::default(), Scratch::default());
    let l = ProgramBuilder::new(&mut types, &mut constants);
    let mut r = Reader::new(&t, l, &mut scratch);
    for value in 0..t.globals.len() {
        symbol(&mut r, value, &mut module).map_err(|why| t.bits.error_at(t.globals[value].place, why))?;
    }
    let attached = importer.attached.into_iter();
    for (value, attached) in attached.chain(t.metadata.attached.iter().cloned()) {
        let global = usize::try_from(value).ok().and_then(|value| t.globals.get(value));
        let global = global.ok_or_else(|| of_module("metadata are attached to no symbol"))?;
        r.set_function(value as u32);
        for (kind, node) in attached {
            let name = usize::try_from(kind).ok().and_then(|kind| t.kinds.get(kind));
            let name = name.ok_or_else(|| of_module(format!("the kind {kind} of metadata has no name")))?;
            let node = r.metadata_operand(node).map_err(of_module)?;
            module.symbols[global.symbol].attached.push((name.clone(), node));
        }
    }
    r.set_function(u32::MAX);
    for &(value, node) in &t.debug.upgraded {
        let Some(global) = t.globals.get(value as usize) else { continue };
        let attached = &mut module.symbols[global.symbol].attached;
        let is_first = attached.iter().all(|(kind, _)| kind != b"dbg");
        if global.function().is_none_or(|function| function.defined && is_first) {
            attached.push((b"dbg".to_vec(), Metadata::Node(node)));
        }
    }
    for number in 0..t.debug.count {
        let node = r.node(number).map_err(|why| of_module(format!("{} (metadata {number})", why.reason())))?;
        module.nodes.extend(node.map(|node| (number, node)));
    }
    for (name, nodes) in &t.metadata.named {
        let nodes = nodes.iter().map(|&node| r.metadata_operand(node).map_err(of_module));
        module.named.push((name.clone(), nodes.collect::<Result<_>>()?));
    }
    module.constants = constants;
    t.types = types;
    Ok(ImportedModule { module, bodies: importer.bodies, tables: t })
}

fn is_defined(t: &Tables<'_>, value: usize) -> bool {
    t.globals[value].function().is_some_and(|function| function.defined)
}

/// What is found while the functions' blocks are looked at.
struct Importer<'s> {
    bits: Bits<'s>,
    bodies: Vec<Body>,
    attached: Vec<(u64, crate::metadata::Attached)>,
    /// Blocks whose address is taken.
    blocks: Vec<(u64, u64)>,
}

impl Importer<'_> {
    /// Looks at a function's block.
    fn function(&mut self, t: &mut Tables<'_>, value: usize, (head, end): (usize, usize)) -> Result<()> {
        let global = &t.globals[value];
        let wanted = Wanted {
            callees: &[],
            attachments: true,
            metadata: &t.metadata,
            table: &t.types,
            refused_kind: None,
            assignment_kind: None,
            types: &t.table,
            old: t.is_old.then_some(t),
            first: t.first_local(),
        };
        let ty = t.table.function(global.ty.into()).map_err(of_module)?;
        let Look { blocks, attached, metadata, personality, .. } = look(&mut self.bits, head, ty, wanted)?;
        let (symbol, range, number) = (SymbolId::new(global.symbol), head / 8..end / 8, value as u32);
        let attrs = FnAttrs::default();
        self.bodies.push(Body { symbol, range, head, value: number, attrs, values: None, trampolines: 0 });
        self.attached.push((value as u64, attached));
        self.blocks.extend(blocks);
        t.debug.add_nodes(number, metadata, HashMap::new());
        t.globals[value].name_personality(personality);
        Ok(())
    }

    /// Finds the names of blocks whose addresses are taken.
    fn block_names(&mut self, t: &mut Tables<'_>) -> Result<()> {
        let constants = &t.constants;
        let of_module = constants.list.iter().filter(|constant| constant.form == Form::BlockAddress);
        self.blocks.extend(of_module.filter_map(|constant| constants.words(*constant).get(1..3).map(|w| (w[0], w[1]))));
        self.blocks.sort_unstable();
        self.blocks.dedup();
        for of_function in self.blocks.chunk_by(|a, b| a.0 == b.0) {
            let function = of_function[0].0;
            let Some(body) = self.bodies.iter().find(|body| u64::from(body.value) == function) else { continue };
            let ty = t.table.function(t.globals[body.value as usize].ty.into()).map_err(super::of_module)?;
            let old = t.is_old.then_some(&*t);
            let all = block_numbers(&mut self.bits, body.head, (ty, &t.table), (t.first_local(), old))?;
            for &(_, number) in of_function {
                let name = usize::try_from(number).ok().and_then(|number| all.get(number)).cloned();
                t.block_names.extend(name.map(|name| ((function, number), name)));
            }
        }
        Ok(())
    }
}

/// Completes the symbol of the module whose value has a number.
fn symbol(r: &mut Reader<'_, ProgramBuilder<'_>>, value: usize, module: &mut Module) -> gusset_program::Result<()> {
    let t = r.m;
    let global = &t.globals[value];
    let symbol = &mut module.symbols[global.symbol];
    let p = &mut symbol.properties;
    // What cannot be preempted anyway is not said to be so.
    let local = matches!(p.linkage, Linkage::Internal | Linkage::Private);
    let hidden = p.visibility != gusset_codegen::ir::Visibility::Default && p.linkage != Linkage::ExternWeak;
    if local || hidden {
        p.preemption = Preemption::Unsaid;
    }
    let constant = |r: &mut Reader<'_, ProgramBuilder<'_>>, id: Option<u32>| {
        id.map(|id| r.type_of(id).and_then(|ty| r.value(id, ty))).transpose()
    };
    match (&global.parts, &mut symbol.kind) {
        (Parts::Variable { init, attributes }, SymbolKind::Variable { ty, init: contents, .. }) => {
            *ty = t.table.get(global.ty.into())?;
            *contents = match init {
                Some(init) => Some(r.value(*init, *ty)?),
                None => None,
            };
            symbol.attrs = t.list(*attributes)?.written_function();
            let structors = matches!(symbol.name.as_deref(), Some(b"llvm.global_ctors" | b"llvm.global_dtors"));
            if let (true, Some(init)) = (structors, *init) {
                (*ty, *contents) =
                    complete_structors(r, (*ty, init))?.map_or((*ty, *contents), |(ty, val)| (ty, Some(val)));
            }
        }
        (Parts::Alias { target }, SymbolKind::Alias { ty, target: of, .. }) => {
            *ty = t.table.function_id(global.ty.into())?;
            let own = r.type_of(*target)?;
            *of = r.value(*target, own)?;
        }
        (Parts::Function(parts), SymbolKind::Function(header)) => {
            let (list, function) = (t.list(parts.attributes)?, t.table.function(global.ty.into())?);
            header.convention = convention_word(parts.convention).into();
            header.ret = t.table.get(function.ret.into())?;
            let types = (&t.table, &t.types);
            header.ret_attrs = list.written_of(0, (function.ret, header.ret), types);
            for (i, &param) in function.params.iter().enumerate() {
                let ty = t.table.get(param.into())?;
                header.params.push((ty, list.written_of(i as u64 + 1, (param, ty), types)));
            }
            header.variadic = function.variadic;
            header.prefix = constant(r, parts.prefix)?;
            header.prologue = constant(r, parts.prologue)?;
            header.personality = constant(r, parts.personality)?;
            symbol.attrs = list.written_function();
            // Older files name the section like this.
            let named = symbol.attrs.iter().position(|attribute| attribute.name == b"implicit-section-name");
            if let Some(at) = named
                && let AttributeValue::String(name) = symbol.attrs.remove(at).value
            {
                symbol.section.get_or_insert(name);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Gives the entries of a list of constructors or destructors the associated data that they did not have before LLVM 3.5, as LLVM's reader
/// does it (`AutoUpgrade.cpp`, `UpgradeGlobalVariable`).
fn complete_structors(
    r: &mut Reader<'_, ProgramBuilder<'_>>,
    (ty, init): (TypeId, u32),
) -> gusset_program::Result<Option<(TypeId, Val)>> {
    let Kind::Array { element, len } = r.l.types().get(ty).kind else { return Ok(None) };
    let Kind::Struct { start, len: members, .. } = r.l.types().get(element).kind else { return Ok(None) };
    if members != 2 {
        return Ok(None);
    }
    let mut members: Vec<TypeId> = r.l.types().members(start, members).iter().map(|member| member.ty).collect();
    members.push(PTR);
    let now = r.l.types_mut().structure(&members, false)?;
    let array = r.l.types_mut().array(now, len)?;
    if r.members_of(init).is_empty() {
        return Ok(Some((array, r.l.constant(array, Const::Zero)?)));
    }
    let mut entries = Vec::new();
    for entry in r.members_of(init) {
        let mut all = Vec::new();
        for (number, &member) in r.members_of(entry).into_iter().zip(&members) {
            all.push(r.value(number, member)?);
        }
        if all.len() != 2 {
            return Ok(None);
        }
        all.push(r.l.constant(PTR, Const::Null)?);
        entries.push(r.l.constant(now, Const::Aggregate(&all))?);
    }
    if entries.len() as u64 != len {
        return Ok(None);
    }
    Ok(Some((array, r.l.constant(array, Const::Aggregate(&entries))?)))
}

/// Reads bodies for translation, one after the other.
pub struct BodyImporter<'p> {
    tables: &'p Tables<'p>,
    bits: Bits<'p>,
    /// The module's types, and those that its bodies have named so far.
    pub types: TypeTable,
    scratch: Scratch,
}

impl<'p> BodyImporter<'p> {
    /// A reader of the bodies of a module.
    pub fn new(module: &'p ImportedModule<'_>) -> BodyImporter<'p> {
        let tables = &module.tables;
        BodyImporter { tables, bits: tables.bits.another(), types: tables.types.clone(), scratch: Scratch::default() }
    }

    /// Reads a body into `func`, which is cleared first.
    ///
    /// # Errors
    /// The file is damaged, or uses something that is not supported; `func` is then incomplete.
    pub fn read(&mut self, body: &Body, func: &mut Function) -> std::result::Result<(), ReadError> {
        let l = ProgramBuilder::new(&mut self.types, func);
        let mut reader = Reader::new(self.tables, l, &mut self.scratch);
        reader.set_limit(body.range.len());
        reader.function(&mut self.bits, body).map_err(|error| error.in_file(&self.tables.file))
    }

    /// What is known when all bodies have been read: the locations of their instructions, which have no numbers in the file.
    pub fn late(&mut self) -> Late {
        Late { nodes: self.scratch.take_locations(), ..Late::default() }
    }
}
