//! The conversion: nodes that are asked for, and all that these refer to, once each.
//!
//! A node gets its place in the model when it is first referred to; it is filled later, from a list of what is to be done. So the
//! conversion takes linear time and no stack, however deep or cyclic the references are. Nodes without a place of their own in the
//! model (tuples, expressions, enumerators) are read where they are used.

use foldhash::{HashMap, HashMapExt};

use gusset_codegen::debug::{
    DebugInfo, DiCompileUnit, DiCompileUnitId, DiEntity, DiExpression, DiFile, DiFileId, DiGlobalVariable,
    DiGlobalVariableId, DiImportedEntity, DiImportedEntityId, DiLabel, DiLabelId, DiLexicalScope, DiLexicalScopeId,
    DiLocalVariable, DiLocalVariableId, DiLocation, DiLocationId, DiScope, DiSubprogram, DiSubprogramId, DiType,
    DiTypeId,
};
use gusset_codegen::ir::SymbolId;

use super::cycles::cut_cycles;
use super::fields::{Context, Form, Node};
use super::forms;
use super::names::KnownNames;
use super::nodes::{DebugField, DebugInfoError, DebugNodes, FieldValue, LocationFields};

pub(super) type Result<T> = std::result::Result<T, DebugInfoError>;

/// Most notes that are kept.
const MOST_NOTES: usize = 20;

/// Elements of lists for each node of the module: lists that several nodes share are read once for each of them.
const ELEMENTS_OF_NODE: usize = 64;

/// Something in the metadata that was left out, because it cannot be what it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DebugInfoNote {
    /// The place of its node, as [`DebugNodes`] gives it.
    pub place: usize,
    /// What is wrong, a phrase without a full stop.
    pub reason: &'static str,
}

/// What was left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugInfoNotes {
    /// The first notes.
    pub notes: Vec<DebugInfoNote>,
    /// How many more there were.
    pub more: usize,
}

/// Debug information that was read, with the first thing that was left out of it, as an error of the reader's text, and the number of
/// the others.
pub type DebugInfoWithLoss<E> = (DebugInfo, Option<(E, usize)>);

impl DebugInfoNotes {
    /// The first note as an error, and the number of the others.
    pub fn first(&self) -> Option<(DebugInfoError, usize)> {
        let first = self.notes.first()?;
        Some((DebugInfoError::new(first.place, first.reason), self.notes.len() - 1 + self.more))
    }
}

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Tuple,
    Location,
    File,
    CompileUnit,
    Subprogram,
    LexicalBlock,
    LexicalBlockFile,
    Namespace,
    Module,
    CommonBlock,
    BasicType,
    FixedPointType,
    DerivedType,
    CompositeType,
    SubroutineType,
    StringType,
    SubrangeType,
    Subrange,
    GenericSubrange,
    Enumerator,
    TemplateTypeParameter,
    TemplateValueParameter,
    GlobalVariable,
    GlobalVariableExpression,
    LocalVariable,
    Label,
    ImportedEntity,
    Expression,
    /// Of no use here.
    Property,
    Other,
}

impl Kind {
    fn of(name: &[u8]) -> Kind {
        // The first ones are the most frequent ones.
        match name {
            b"DILexicalBlock" => Kind::LexicalBlock,
            b"DILocalVariable" => Kind::LocalVariable,
            b"" => Kind::Tuple,
            b"DIDerivedType" => Kind::DerivedType,
            b"DISubprogram" => Kind::Subprogram,
            b"DISubroutineType" => Kind::SubroutineType,
            b"DICompositeType" => Kind::CompositeType,
            b"DILocation" => Kind::Location,
            b"DIFile" => Kind::File,
            b"DICompileUnit" => Kind::CompileUnit,
            b"DILexicalBlockFile" => Kind::LexicalBlockFile,
            b"DINamespace" => Kind::Namespace,
            b"DIModule" => Kind::Module,
            b"DICommonBlock" => Kind::CommonBlock,
            b"DIBasicType" => Kind::BasicType,
            b"DIFixedPointType" => Kind::FixedPointType,
            b"DIStringType" => Kind::StringType,
            b"DISubrangeType" => Kind::SubrangeType,
            b"DISubrange" => Kind::Subrange,
            b"DIGenericSubrange" => Kind::GenericSubrange,
            b"DIEnumerator" => Kind::Enumerator,
            b"DITemplateTypeParameter" => Kind::TemplateTypeParameter,
            b"DITemplateValueParameter" => Kind::TemplateValueParameter,
            b"DIGlobalVariable" => Kind::GlobalVariable,
            b"DIGlobalVariableExpression" => Kind::GlobalVariableExpression,
            b"DILabel" => Kind::Label,
            b"DIImportedEntity" => Kind::ImportedEntity,
            b"DIExpression" => Kind::Expression,
            b"DIObjCProperty" => Kind::Property,
            _ => Kind::Other,
        }
    }
}

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// Nothing has referred to it.
    Unseen,
    Location(DiLocationId),
    File(DiFileId),
    CompileUnit(DiCompileUnitId),
    Lexical(DiLexicalScopeId),
    Type(DiTypeId),
    Subprogram(DiSubprogramId),
    LocalVariable(DiLocalVariableId),
    Label(DiLabelId),
    GlobalVariable(DiGlobalVariableId),
    ImportedEntity(DiImportedEntityId),
    /// It has no place of its own in the model.
    Value(Kind),
}

macro_rules! is {
    ($($name:ident $known:ident $id:ident),*) => {$(
        pub fn $name(self) -> Option<$id> {
            match self {
                Known::$known(id) => Some(id),
                _ => None,
            }
        }
    )*};
}

impl Known {
    is!(
        location Location DiLocationId, file File DiFileId, compile_unit CompileUnit DiCompileUnitId, ty Type DiTypeId,
        subprogram Subprogram DiSubprogramId, local_variable LocalVariable DiLocalVariableId, label Label DiLabelId,
        global_variable GlobalVariable DiGlobalVariableId, imported_entity ImportedEntity DiImportedEntityId
    );

    pub fn scope(self) -> Option<DiScope> {
        match self {
            Known::File(id) => Some(DiScope::File(id)),
            Known::CompileUnit(id) => Some(DiScope::CompileUnit(id)),
            Known::Lexical(id) => Some(DiScope::Lexical(id)),
            Known::Type(id) => Some(DiScope::Type(id)),
            Known::Subprogram(id) => Some(DiScope::Subprogram(id)),
            _ => None,
        }
    }

    /// Something with a name.
    pub fn entity(self) -> Option<DiEntity> {
        match self {
            Known::LocalVariable(id) => Some(DiEntity::LocalVariable(id)),
            Known::GlobalVariable(id) => Some(DiEntity::GlobalVariable(id)),
            Known::Label(id) => Some(DiEntity::Label(id)),
            Known::ImportedEntity(id) => Some(DiEntity::ImportedEntity(id)),
            _ => self.scope().map(DiEntity::Scope),
        }
    }
}

/// Converts nodes of debug information. What is not asked for is not read.
///
/// A node that is not of the kind that is asked for, or that its user needs, is left out with a note.
pub struct DebugInfoReader<'a> {
    pub(super) source: Box<dyn DebugNodes<'a> + 'a>,
    pub(super) info: DebugInfo,
    /// By number, and of nodes with large numbers or none.
    numbered: Vec<Known>,
    others: HashMap<u32, Known>,
    /// Nodes that have a place in the model and are to be filled.
    work: Vec<(u32, Kind)>,
    /// The node that is being read, for notes.
    current: u32,
    names: KnownNames<'a>,
    /// Memory for fields.
    memory: Vec<Vec<DebugField<'a>>>,
    /// How many elements of lists may still be read.
    elements: usize,
    /// The variables that symbols have, with the way from the symbol to the variable; sorted when the first unit is filled.
    pub(super) attached: Vec<(DiGlobalVariableId, SymbolId, DiExpression)>,
    /// The functions of the module with their subprograms, sorted by symbol.
    functions: Vec<(SymbolId, u32)>,
    notes: DebugInfoNotes,
}

impl<'a> DebugInfoReader<'a> {
    /// A reader of a module's nodes, most of which have the numbers below `count`.
    pub fn new(source: impl DebugNodes<'a> + 'a, count: u32) -> DebugInfoReader<'a> {
        let (mut info, nodes) = (DebugInfo::default(), count as usize);
        // Most nodes are locations. Growing the longest lists would copy them again and again.
        info.locations.reserve(nodes / 2);
        info.scopes.reserve(nodes / 8);
        info.variables.reserve(nodes / 8);
        DebugInfoReader {
            source: Box::new(source),
            info,
            numbered: vec![Known::Unseen; count as usize],
            others: HashMap::new(),
            work: Vec::new(),
            current: 0,
            names: KnownNames::default(),
            memory: Vec::new(),
            elements: (count as usize + 1024) * ELEMENTS_OF_NODE,
            attached: Vec::new(),
            functions: Vec::new(),
            notes: DebugInfoNotes::default(),
        }
    }

    /// Takes the module's functions with the numbers of their subprograms, sorted by symbol, so that calls find them.
    pub(super) fn set_functions(&mut self, functions: &[(SymbolId, u32)]) {
        self.functions = functions.to_vec();
    }

    /// What has been converted so far.
    pub fn info(&mut self) -> &mut DebugInfo {
        &mut self.info
    }

    /// Everything that was converted, and what was left out.
    ///
    /// # Errors
    /// A node that was not converted refers to one that does not exist.
    pub fn finish(mut self) -> Result<(DebugInfo, DebugInfoNotes)> {
        self.source.check_unread()?;
        if cut_cycles(&mut self.info) {
            self.note("scopes, inlined calls or names of types lead to themselves");
        }
        Ok((self.info, self.notes))
    }

    // Requests.

    /// The location that a node is.
    ///
    /// # Errors
    /// LLVM's parser would refuse the text, here and in the following functions.
    #[inline]
    pub fn location(&mut self, node: u32) -> Result<Option<DiLocationId>> {
        match self.numbered.get(node as usize) {
            Some(&Known::Location(id)) => Ok(Some(id)),
            _ => self.new_location(node),
        }
    }

    #[inline(never)]
    fn new_location(&mut self, node: u32) -> Result<Option<DiLocationId>> {
        if let (Known::Unseen, Some(fields)) = (self.known(node), self.source.location(node)) {
            let id = DiLocationId::new(self.info.locations.len());
            self.info.locations.push(DiLocation::default());
            self.set(node, Known::Location(id));
            self.current = node;
            self.info.locations[id.index()] = self.location_of_fields(fields);
            self.fill_all()?;
            return Ok(Some(id));
        }
        let known = self.read(node)?.location();
        Ok(known.or_else(|| self.wrong("this must refer to a location")))
    }

    /// The subprogram that a node is.
    ///
    /// # Errors
    /// As above.
    pub fn subprogram(&mut self, node: u32) -> Result<Option<DiSubprogramId>> {
        let known = self.read(node)?.subprogram();
        Ok(known.or_else(|| self.wrong("this must refer to a subprogram")))
    }

    /// The subprogram of a function of the module.
    ///
    /// # Errors
    /// As above.
    pub fn callee(&mut self, function: SymbolId) -> Result<Option<DiSubprogramId>> {
        let Ok(at) = self.functions.binary_search_by_key(&function, |function| function.0) else { return Ok(None) };
        self.subprogram(self.functions[at].1)
    }

    /// The local variable that a node is.
    ///
    /// # Errors
    /// As above.
    pub fn local_variable(&mut self, node: u32) -> Result<Option<DiLocalVariableId>> {
        let known = self.read(node)?.local_variable();
        Ok(known.or_else(|| self.wrong("this must refer to a local variable")))
    }

    /// The label that a node is.
    ///
    /// # Errors
    /// As above.
    pub fn label(&mut self, node: u32) -> Result<Option<DiLabelId>> {
        let known = self.read(node)?.label();
        Ok(known.or_else(|| self.wrong("this must refer to a label")))
    }

    /// The compile unit that a node is. Its variables must have been attached to their symbols.
    ///
    /// # Errors
    /// As above.
    pub fn compile_unit(&mut self, node: u32) -> Result<Option<DiCompileUnitId>> {
        let known = self.read(node)?.compile_unit();
        Ok(known.or_else(|| self.wrong("this must refer to a compile unit")))
    }

    /// Attaches a node, a `DIGlobalVariableExpression`, to a symbol. All such nodes must be attached before anything else is asked
    /// for.
    ///
    /// # Errors
    /// As above.
    pub fn attach_variable(&mut self, symbol: SymbolId, node: u32) -> Result<()> {
        if let Some((variable, expression)) = self.global_variable_expression(node)? {
            self.attached.push((variable, symbol, expression));
        }
        Ok(())
    }

    /// Reads a node with all that it refers to.
    fn read(&mut self, node: u32) -> Result<Known> {
        self.current = node;
        let known = self.node(node);
        self.fill_all()?;
        self.current = node;
        Ok(known)
    }

    fn fill_all(&mut self) -> Result<()> {
        while let Some((node, kind)) = self.work.pop() {
            self.current = node;
            self.fill(node, kind)?;
        }
        Ok(())
    }

    // Nodes.

    fn known(&self, node: u32) -> Known {
        match self.numbered.get(node as usize) {
            Some(&known) => known,
            None => self.others.get(&node).copied().unwrap_or(Known::Unseen),
        }
    }

    fn set(&mut self, node: u32, known: Known) {
        match self.numbered.get_mut(node as usize) {
            Some(place) => *place = known,
            None => drop(self.others.insert(node, known)),
        }
    }

    /// What a node is. If it is new, it gets a place and will be filled.
    pub(super) fn node(&mut self, node: u32) -> Known {
        match self.known(node) {
            Known::Unseen => self.new_node(node),
            known => known,
        }
    }

    fn new_node(&mut self, node: u32) -> Known {
        macro_rules! place {
            ($known:ident, $id:ident, $list:ident, $ty:ident) => {{
                let id = $id::new(self.info.$list.len());
                self.info.$list.push($ty::default());
                Known::$known(id)
            }};
        }
        let kind = self.source.kind(node).map_or(Kind::Other, Kind::of);
        let known = match kind {
            Kind::Location => place!(Location, DiLocationId, locations, DiLocation),
            Kind::File => place!(File, DiFileId, files, DiFile),
            Kind::CompileUnit => place!(CompileUnit, DiCompileUnitId, units, DiCompileUnit),
            Kind::Subprogram => place!(Subprogram, DiSubprogramId, subprograms, DiSubprogram),
            Kind::LexicalBlock | Kind::LexicalBlockFile | Kind::Namespace | Kind::Module | Kind::CommonBlock => {
                place!(Lexical, DiLexicalScopeId, scopes, DiLexicalScope)
            }
            Kind::BasicType
            | Kind::FixedPointType
            | Kind::DerivedType
            | Kind::CompositeType
            | Kind::SubroutineType
            | Kind::StringType
            | Kind::SubrangeType => place!(Type, DiTypeId, types, DiType),
            Kind::GlobalVariable => place!(GlobalVariable, DiGlobalVariableId, globals, DiGlobalVariable),
            Kind::LocalVariable => place!(LocalVariable, DiLocalVariableId, variables, DiLocalVariable),
            Kind::Label => place!(Label, DiLabelId, labels, DiLabel),
            Kind::ImportedEntity => place!(ImportedEntity, DiImportedEntityId, imported, DiImportedEntity),
            _ => Known::Value(kind),
        };
        self.set(node, known);
        if !matches!(known, Known::Value(_)) {
            self.work.push((node, kind));
        }
        known
    }

    fn fill(&mut self, node: u32, kind: Kind) -> Result<()> {
        match self.known(node) {
            Known::Location(id) => {
                self.info.locations[id.index()] = match self.source.location(node) {
                    Some(fields) => self.location_of_fields(fields),
                    None => self.location_of(node)?,
                };
            }
            Known::File(id) => self.info.files[id.index()] = self.file_of(node)?,
            Known::CompileUnit(id) => self.info.units[id.index()] = self.compile_unit_of(node)?,
            Known::Subprogram(id) => self.info.subprograms[id.index()] = self.subprogram_of(node)?,
            Known::Lexical(id) => self.info.scopes[id.index()] = self.lexical_scope_of(node, kind)?,
            Known::Type(id) => self.info.types[id.index()] = self.type_of(node, kind)?,
            Known::GlobalVariable(id) => self.info.globals[id.index()] = self.global_variable_of(node)?,
            Known::LocalVariable(id) => self.info.variables[id.index()] = self.local_variable_of(node)?,
            Known::Label(id) => self.info.labels[id.index()] = self.label_of(node)?,
            Known::ImportedEntity(id) => self.info.imported[id.index()] = self.imported_entity_of(node)?,
            Known::Unseen | Known::Value(_) => {}
        }
        Ok(())
    }

    /// The fields of a node, or the elements of a tuple, in memory that is to be given back.
    pub(super) fn fields(&mut self, node: u32) -> Result<Vec<DebugField<'a>>> {
        let mut fields = self.memory.pop().unwrap_or_default();
        fields.clear();
        self.source.fields(node, &mut fields)?;
        Ok(fields)
    }

    pub(super) fn recycle(&mut self, fields: Vec<DebugField<'a>>) {
        self.memory.push(fields);
    }

    /// Reads a node whose kind is known.
    pub(super) fn form<F: Form>(&mut self, node: u32) -> Result<F> {
        let fields = self.fields(node)?;
        let mut context = Context { strings: &mut self.info.strings, names: &mut self.names };
        let form = F::read(&fields, || self.source.place(node), &mut context)?;
        self.recycle(fields);
        Ok(form)
    }

    /// The error that a node is not what LLVM's parser takes.
    pub(super) fn error(&self, node: u32, reason: &str) -> DebugInfoError {
        DebugInfoError::new(self.source.place(node), reason)
    }

    /// Notes that something of the current node is left out.
    #[cold]
    pub(super) fn note(&mut self, reason: &'static str) {
        if self.notes.notes.len() >= MOST_NOTES {
            self.notes.more += 1;
            return;
        }
        let note = DebugInfoNote { place: self.source.place(self.current), reason };
        if self.notes.notes.last() != Some(&note) {
            self.notes.notes.push(note);
        }
    }

    #[cold]
    pub(super) fn wrong<T>(&mut self, reason: &'static str) -> Option<T> {
        self.note(reason);
        None
    }

    // References.

    /// The elements of the tuple that a field refers to.
    pub(super) fn list(&mut self, list: Node) -> Result<Vec<Option<u32>>> {
        let node = match list {
            Node::None => return Ok(Vec::new()),
            Node::Number(node) if self.node(node) == Known::Value(Kind::Tuple) => node,
            _ => {
                self.note("this must refer to a list");
                return Ok(Vec::new());
            }
        };
        let fields = self.fields(node)?;
        let mut list = Vec::with_capacity(fields.len());
        match self.elements.checked_sub(fields.len()) {
            Some(rest) => self.elements = rest,
            None => {
                self.note("the lists are shared by too many nodes");
                return Ok(list);
            }
        }
        for field in &fields {
            match field.value {
                FieldValue::Node(node) => list.push(Some(node)),
                FieldValue::Null => list.push(None),
                _ => self.note("the elements of this list must be nodes"),
            }
        }
        self.recycle(fields);
        Ok(list)
    }

    /// The elements of a list that `take` makes something of; the others are noted.
    pub(super) fn list_of<T>(
        &mut self,
        list: Node,
        wrong: &'static str,
        take: impl Fn(Known) -> Option<T>,
    ) -> Result<Vec<T>> {
        let list = self.list(list)?;
        let element = |node: Option<u32>| self.reference(node.map_or(Node::Other, Node::Number), wrong, &take);
        Ok(list.into_iter().filter_map(element).collect())
    }

    /// What `take` makes of the node in a field; noted if that is nothing.
    pub(super) fn reference<T>(
        &mut self,
        field: Node,
        wrong: &'static str,
        take: impl FnOnce(Known) -> Option<T>,
    ) -> Option<T> {
        let known = match field {
            Node::None => return None,
            Node::Number(node) => self.node(node),
            Node::Other => Known::Value(Kind::Other),
        };
        take(known).or_else(|| self.wrong(wrong))
    }

    pub(super) fn file(&mut self, field: Node) -> Option<DiFileId> {
        self.reference(field, "`file` must refer to a file", Known::file)
    }

    pub(super) fn ty(&mut self, field: Node) -> Option<DiTypeId> {
        self.reference(field, "this must refer to a type", Known::ty)
    }

    pub(super) fn scope(&mut self, field: Node) -> Option<DiScope> {
        self.reference(field, "`scope` must refer to a scope", Known::scope)
    }

    // Locations.

    fn location_of(&mut self, node: u32) -> Result<DiLocation> {
        let form: forms::Location = self.form(node)?;
        if form.scope == Node::None {
            return Err(self.error(node, "the field `scope` of `DILocation` cannot be `null`"));
        }
        Ok(self.new_location_of(form.line, form.column, (form.scope, form.inlined_at)))
    }

    fn new_location_of(&mut self, line: u32, column: u16, (scope, inlined_at): (Node, Node)) -> DiLocation {
        let local = |known: Known| known.scope().filter(|s| matches!(s, DiScope::Subprogram(_) | DiScope::Lexical(_)));
        let scope = self.reference(scope, "the scope of a location must be a block or a function", local);
        let inlined_at = self.reference(inlined_at, "`inlinedAt` must refer to a location", Known::location);
        DiLocation { line, column: column.into(), scope, inlined_at }
    }

    /// The quick way to read a location.
    fn location_of_fields(&mut self, fields: LocationFields) -> DiLocation {
        let LocationFields { line, column, scope, inlined_at } = fields;
        let places = (Node::Number(scope), inlined_at.map_or(Node::None, Node::Number));
        self.new_location_of(line, column, places)
    }
}
