//! A module for translation: everything except the bodies of its functions as a [`Module`].

use gusset_abi::AbiTarget;
use gusset_codegen::ir::SymbolId;
use gusset_program::{DataLayout, FnAttrs, Function, Module, ProgramBuilder, Refusal, SymbolKind, TypeTable};

use super::{Rest, Walk};
use crate::attribute_list::resolve_groups;
use crate::body::reader::Reader;
use crate::body::tables::Scratch;
use crate::lexer::Cursor;
use crate::tables::{Body, Tables};
use crate::types::TypeNames;
use gusset_text::{ReadError, Result};

/// A module for translation whose function bodies are still text.
pub struct ImportedModule<'s> {
    /// Everything but the bodies.
    pub module: Module,
    /// The bodies in source order.
    pub bodies: Vec<Body>,
    pub(crate) tables: Tables<'s>,
    /// Position of each symbol.
    places: Vec<usize>,
}

impl ImportedModule<'_> {
    /// The error that part of a symbol, or of the module as a whole, is refused.
    #[cold]
    pub fn refused(&self, symbol: Option<SymbolId>, why: Refusal) -> ReadError {
        let pos = symbol.map_or(0, |symbol| self.places[symbol.index()]);
        ReadError::new(self.tables.source, pos, why).in_file(&self.tables.file)
    }
}

/// Reads a module of textual LLVM IR for translation. `name` is for messages.
///
/// # Errors
/// The text is not LLVM IR, or uses something that is not supported.
pub fn import_module<'s>(source: &'s [u8], name: &str) -> std::result::Result<ImportedModule<'s>, ReadError> {
    import(source, name).map_err(|e| e.in_file(name))
}

fn import<'s>(source: &'s [u8], name: &str) -> Result<ImportedModule<'s>> {
    gusset_text::refuse_binary(source)?;
    // Alignments that the text omits depend on its data layout.
    let target = AbiTarget::X86_64_LINUX;
    let mut types = TypeTable::new(DataLayout::of(&target));
    types.carry();
    let mut walk = Walk::new(source, name, &target, types);
    walk.module_level(&mut |_| {})?;
    // As in LLVM.
    walk.module.source_name.get_or_insert_with(|| name.into());
    walk.mentions(&mut |_| {})?;
    walk.complete()?;
    walk.check_references()?;
    let Walk { t: mut tables, mut module, unread, .. } = walk;
    let numbers = unread.groups.iter().map(|group| group.0).zip(0..);
    tables.group_indices = numbers.collect();
    module.symbols.iter_mut().for_each(|symbol| resolve_groups(&mut symbol.attrs, &tables.group_indices));
    let (mut types, mut names) = (tables.types.clone(), tables.type_names.clone());
    let (mut scratch, mut constants) = (Scratch::default(), Function::default());
    let mut bodies = Vec::new();
    let l = ProgramBuilder::new(&mut types, &mut constants);
    let mut r = Reader::new(Cursor::new(source, 0), &tables, l, &mut names, &mut scratch, 0);
    for (i, (symbol, place)) in module.symbols.iter_mut().zip(&unread.places).enumerate() {
        r.symbol_rest(symbol, place)?;
        if let (SymbolKind::Function(header), Rest::Function(rest)) = (&symbol.kind, &place.rest)
            && header.defined
        {
            let (range, open) = (rest.convention..rest.body.end, rest.body.start);
            let (symbol, attrs) = (SymbolId::new(i), FnAttrs::default());
            bodies.push(Body { symbol, range, open, personality: None, attrs, values: None });
        }
    }
    let mut nodes = tables.nodes.clone();
    nodes.sort_by_key(|node| node.1);
    for (number, start) in nodes {
        let number = u32::try_from(number).map_err(|_| r.c.error_at(start, "the number is too large"))?;
        module.nodes.push((number, r.node(number)?));
    }
    for (name, start) in unread.lists {
        r.c.pos = start;
        r.c.expect(b'!')?;
        module.named.push((name, r.metadata_list()?));
    }
    module.constants = constants;
    (tables.types, tables.type_names) = (types, names);
    Ok(ImportedModule { module, bodies, tables, places: unread.places.iter().map(|place| place.name).collect() })
}

/// Reads bodies for translation, one after the other.
pub struct BodyImporter<'p> {
    tables: &'p Tables<'p>,
    /// The module's types, and those that its bodies have named so far.
    pub types: TypeTable,
    names: TypeNames,
    scratch: Scratch,
}

impl<'p> BodyImporter<'p> {
    /// A reader of the bodies of a module.
    pub fn new(module: &'p ImportedModule<'_>) -> BodyImporter<'p> {
        let tables = &module.tables;
        let (types, names) = (tables.types.clone(), tables.type_names.clone());
        BodyImporter { tables, types, names, scratch: Scratch::default() }
    }

    /// Reads a body into `func`, which is cleared first.
    ///
    /// # Errors
    /// The text is not LLVM IR, or uses something that is not supported; `func` is then incomplete.
    pub fn read(&mut self, body: &Body, func: &mut Function) -> std::result::Result<(), ReadError> {
        let c = Cursor::new(&self.tables.source[..body.range.end], body.range.start);
        let l = ProgramBuilder::new(&mut self.types, func);
        let mut reader = Reader::new(c, self.tables, l, &mut self.names, &mut self.scratch, body.range.len());
        reader.function(body).map_err(|e| e.in_file(&self.tables.file))
    }
}
