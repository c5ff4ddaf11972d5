//! Debug information of an object.
//!
//! Nodes of files, types and data are made at once, in [`ObjectDebug`]; types are written where something refers to them, so that their
//! numbers do not show. What bodies say is kept with their functions by numbers of their own (`body`), and becomes nodes in the order of
//! functions when the object is complete (`complete`): threads do not show.

use std::collections::HashMap;
use std::sync::Mutex;

use gusset_abi::{AbiTarget, Env, Signature};
use gusset_codegen::debug::{
    DebugInfo, DiCompileUnit, DiCompileUnitId, DiExpression, DiFile, DiFileId, DiGlobalVariable,
    DiGlobalVariableExpression, DiGlobalVariableId, DiScope, DiTypeId,
};
use gusset_codegen::ir::{Function, Inst, Linkage, SymbolId};

use super::items::{Func, Global, ObjectId};
use super::{ObjectBuilder, lock, own};
use crate::Error;
use crate::error::BuildErrorKind::{Contents, Contradiction, Foreign, NotDefinable};
use crate::error::SourceLocation;

pub(super) mod body;
#[cfg(feature = "c")]
mod c;
pub(super) mod complete;
mod description;
mod types;

pub use body::DebugVariable;
pub use description::{DebugFile, DebugFunction, DebugOptions, DebugType, DebugTypeRef, SourceFile, SourceLanguage};
pub use types::DebugTypes;

use body::BodyDebug;
use types::{TypeMaker, TypeNodes};

/// The only unit.
const UNIT: DiCompileUnitId = DiCompileUnitId(0);

/// Nodes that may be made while bodies are open.
struct Nodes {
    info: DebugInfo,
    types: TypeNodes,
    /// What C's text says of functions, by their names, with their signatures.
    c_functions: HashMap<String, (Signature, DebugFunction)>,
}

/// The debug information of an object, without that of bodies.
pub(super) struct ObjectDebug {
    nodes: Mutex<Nodes>,
    main: DiFileId,
    functions: HashMap<SymbolId, DebugFunction>,
    keep_variables: bool,
    optimized: bool,
}

impl ObjectDebug {
    fn new(options: &DebugOptions, codeview: bool) -> ObjectDebug {
        // Microsoft's debuggers read no DWARF.
        let dwarf_version = if codeview { 0 } else { options.dwarf_version };
        let mut info = DebugInfo { dwarf_version, codeview, ..DebugInfo::default() };
        let main = add_file(&mut info, &options.file);
        let unit = DiCompileUnit {
            language: options.language.0,
            file: Some(main),
            producer: info.strings.intern(options.producer.as_bytes()),
            optimized: options.optimized,
            flags: info.strings.intern(options.flags.as_bytes()),
            split_debug_inlining: true,
            ..DiCompileUnit::default()
        };
        info.units.push(unit);
        let DebugOptions { keep_variables, optimized, .. } = *options;
        let nodes = Nodes { info, types: TypeNodes::default(), c_functions: HashMap::new() };
        ObjectDebug { nodes: Mutex::new(nodes), main, functions: HashMap::new(), keep_variables, optimized }
    }

    /// The nodes of an object that nobody else uses now.
    fn nodes_mut(&mut self) -> &mut Nodes {
        own(&mut self.nodes)
    }

    fn file_name(&self, file: DiFileId) -> String {
        let info = &lock(&self.nodes).info;
        String::from_utf8_lossy(info.strings.get(info.files[file.index()].name)).into_owned()
    }

    /// The place that a function is said to have.
    fn place_of(&self, function: SymbolId) -> Option<(DiFileId, u32)> {
        self.functions.get(&function)?.place.map(|(file, line)| (file.file, line))
    }
}

impl Nodes {
    /// What makes types.
    fn type_maker<'m>(&'m mut self, target: &'m AbiTarget) -> TypeMaker<'m> {
        TypeMaker { info: &mut self.info, nodes: &mut self.types, target }
    }
}

fn add_file(info: &mut DebugInfo, file: &DebugFile) -> DiFileId {
    let mut string = |text: &str| info.strings.intern(text.as_bytes());
    let node = DiFile {
        name: string(&file.name),
        directory: string(&file.directory),
        source: file.text.as_deref().map(string),
        checksum: file.checksum.clone(),
    };
    info.files.push(node);
    DiFileId::new(info.files.len() - 1)
}

/// The error for something that another object has.
fn foreign(what: &str) -> Error {
    Error::build(Foreign, "", format!("{what} of another object is used: make it with this one"))
}

impl SourceFile {
    fn own(self, object: ObjectId) -> Result<DiFileId, Error> {
        if self.object == object { Ok(self.file) } else { Err(foreign("a source file")) }
    }
}

impl DebugType {
    fn own(self, object: ObjectId) -> Result<Option<DiTypeId>, Error> {
        if self.object == object { Ok(self.ty) } else { Err(foreign("a debug type")) }
    }
}

impl DebugTypeRef {
    /// An error if it is a type of another object.
    fn check(&self, object: ObjectId) -> Result<(), Error> {
        match self {
            DebugTypeRef::Named(ty) => ty.own(object).map(drop),
            DebugTypeRef::C(_) => Ok(()),
        }
    }
}

impl ObjectBuilder<'_> {
    /// The place in the source program that an instruction was made of.
    pub(super) fn source_location(
        &self,
        function: &Function,
        body: Option<&BodyDebug>,
        inst: Inst,
    ) -> Option<SourceLocation> {
        let (file, line, column) = body?.place(function.debug.location(inst)?.id)?;
        Some(SourceLocation { file: self.debug.as_ref()?.file_name(file), line, column })
    }

    /// The file and line of a function, for messages.
    pub(super) fn source_of(&self, body: &BodyDebug) -> Option<String> {
        let debug = self.debug.as_ref()?;
        let (file, line) = debug.place_of(body.function).or_else(|| body.first_place())?;
        Some(format!("{}:{line}", debug.file_name(file)))
    }

    /// Turns debug information on: the object says of its functions how they are called, of code the file, line and column that it was
    /// made of ([`Body::set_location`](super::Body::set_location)), and of variables what they are and where. Gives the main file.
    ///
    /// Without it, everything about debug information is accepted and does nothing, so that a front end need not ask. The code is the
    /// same with and without, unless variables are [kept](DebugOptions::keep_variables).
    ///
    /// ```
    /// # use gusset_abi::{CType, Signature};
    /// # use gusset_compiler::{BuilderOptions, DebugFunction, DebugOptions, Features, Linkage, ObjectBuilder, Target};
    /// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
    /// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    /// let file = object.debug_info(&DebugOptions::new("numbers.tern").producer("tern 0.1"))?;
    /// let square = object.declare("square", Signature::c(CType::I32).param(CType::I32), Linkage::Export)?;
    /// object.describe(square, DebugFunction::new().at(file, 1).param("n"))?;
    /// object.define(square, |b| {
    ///     b.set_location(2, 5);
    ///     let n = b.param(0);
    ///     let result = b.imul(n, n);
    ///     let variable = b.debug_variable("result", &CType::I32);
    ///     b.debug_value(variable, result);
    ///     b.set_location(3, 5);
    ///     b.ret(Some(result));
    /// })?;
    /// # assert!(object.finish()?.windows(12).any(|bytes| bytes == b".debug_line\0"));
    /// # Ok::<(), gusset_compiler::Error>(())
    /// ```
    ///
    /// # Errors
    /// It is on already; the version is none that is written; the object adds to a module that was read from text.
    pub fn debug_info(&mut self, options: &DebugOptions) -> Result<SourceFile, Error> {
        let wrong = |reason: &str| Err(Error::build(Contradiction, "", reason));
        if self.debug.is_some() {
            return wrong("debug information is on already: it has one main file, and `source_file` adds others");
        }
        if !matches!(options.dwarf_version, 4 | 5) {
            return wrong("debug information is written as DWARF of version 4 or 5");
        }
        if lock(&self.declarations).adds() {
            return Err(Error::unsupported("", "functions that are added to a module have no debug information"));
        }
        let debug = ObjectDebug::new(options, self.target.abi().env == Env::Msvc);
        let file = SourceFile { file: debug.main, object: self.id };
        self.debug = Some(Box::new(debug));
        own(&mut self.declarations).keep_signatures();
        Ok(file)
    }

    /// Adds a file of the source program: a name, or more of a [`DebugFile`].
    pub fn source_file(&mut self, file: impl Into<DebugFile>) -> SourceFile {
        let added = self.debug.as_mut().map(|debug| add_file(&mut debug.nodes_mut().info, &file.into()));
        SourceFile { file: added.unwrap_or(DiFileId(0)), object: self.id }
    }

    /// Types of the source program, to be made. Bodies may be open.
    pub fn debug_types(&self) -> DebugTypes<'_> {
        DebugTypes::new(self.debug.as_deref(), self.target.abi(), self.id)
    }

    /// Says of a function what its declaration does not: names of parameters, types of the source program, its place.
    ///
    /// # Errors
    /// The function, a file or a type belongs to another object; there are parameters that the function does not have.
    pub fn describe(&mut self, func: Func, described: DebugFunction) -> Result<(), Error> {
        let symbol = self.id.own(func)?;
        if let Some((file, _)) = described.place {
            file.own(self.id)?;
        }
        described.types().try_for_each(|ty| ty.check(self.id))?;
        let declarations = lock(&self.declarations);
        let name = &declarations.module.symbol(symbol).name;
        let Some(signature) = declarations.signature(symbol) else {
            return Err(Error::build(NotDefinable, name, "it is not a function"));
        };
        let (has, says) = (signature.source.params.len(), described.params.len());
        if says > has {
            let message = format!("{says} parameters are described, and the function has {has}");
            return Err(Error::build(Contents, name, message));
        }
        drop(declarations);
        if let Some(debug) = &mut self.debug {
            debug.functions.insert(symbol, described);
        }
        Ok(())
    }

    /// Says that data is a variable of the source program, of a name, a type and a place.
    ///
    /// # Errors
    /// The data, the file or the type belongs to another object; the type has no layout on the target.
    pub fn describe_data(
        &mut self,
        data: Global,
        name: &str,
        ty: impl Into<DebugTypeRef>,
        file: SourceFile,
        line: u32,
    ) -> Result<(), Error> {
        let symbol = self.id.own(data)?;
        let (file, ty) = (file.own(self.id)?, ty.into());
        ty.check(self.id)?;
        let declarations = lock(&self.declarations);
        let known = declarations.module.symbol(symbol);
        let (definition, local) = (known.is_defined(), matches!(known.linkage, Linkage::Local | Linkage::Private));
        drop(declarations);
        let Some(debug) = self.debug.as_deref_mut() else { return Ok(()) };
        let nodes = debug.nodes_mut();
        let ty = nodes.type_maker(self.target.abi()).of(&ty)?;
        let info = &mut nodes.info;
        let scope = Some(DiScope::CompileUnit(UNIT));
        let name = info.strings.intern(name.as_bytes());
        let file = Some(file);
        info.globals.push(DiGlobalVariable { name, scope, file, line, ty, local, definition, ..Default::default() });
        let variable = DiGlobalVariableId::new(info.globals.len() - 1);
        let expression = DiExpression::default();
        let placed = DiGlobalVariableExpression { variable, expression, symbol: Some(symbol) };
        info.units[UNIT.index()].globals.push(placed);
        Ok(())
    }
}
