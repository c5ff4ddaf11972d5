//! What bodies say of the source program: locations, blocks, inlined calls, variables.
//!
//! A function's own lists number all of these from 0. `complete` makes nodes of them.

use std::collections::HashMap;

use gusset_abi::PassMode;
use gusset_codegen::debug::{DiFileId, DiLocalVariableId, DiLocationId, DiSubprogramId};
use gusset_codegen::ir::{DebugLocation, DebugRecordKind, SourceVariable, SymbolId, Value, Variable};

use super::description::{DebugTypeRef, SourceFile};
use super::types::DebugTypes;
use crate::builder::{Body, Func};

/// DWARF's operation that reads an address from memory.
const DEREF: u64 = 0x06;

/// A scope in a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::builder) struct Scope {
    pub kind: ScopeKind,
    /// The scope around it; none of functions.
    pub around: Option<u32>,
    pub file: DiFileId,
    /// The call that was replaced by the inlined function that the scope is or is in.
    pub inlined_at: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::builder) enum ScopeKind {
    /// The function itself, or one that was inlined.
    Function(SymbolId),
    Block {
        line: u32,
        column: u32,
    },
    /// The part of the scope around it that is in another file.
    File,
}

/// A location in a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::builder) struct Location {
    pub line: u32,
    pub column: u32,
    pub scope: u32,
}

/// A variable in a body.
#[derive(Clone, Debug)]
pub(in crate::builder) struct LocalVariable {
    pub what: LocalKind,
    pub scope: u32,
    pub file: DiFileId,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub(in crate::builder) enum LocalKind {
    /// A parameter of the scope's function, from 0. The function's description has its name and type.
    Parameter(SymbolId, u16),
    Variable(String, DebugTypeRef),
}

/// What a body says.
pub(in crate::builder) struct BodyDebug {
    pub function: SymbolId,
    pub scopes: Vec<Scope>,
    pub locations: Vec<Location>,
    pub variables: Vec<LocalVariable>,
    known: HashMap<Location, u32>,
    /// Parts of scopes in other files.
    parts: HashMap<(u32, DiFileId), u32>,
    /// Parameters of functions by scope.
    parameters: HashMap<(u32, u16), u32>,
    /// Parameters of the function itself that were declared to lie somewhere.
    placed: Vec<u16>,
    /// Where code is now.
    at: At,
    /// Blocks and inlined calls that were begun, with where code was before.
    open: Vec<(u32, At)>,
}

#[derive(Clone, Copy)]
struct At {
    /// A function or block.
    scope: u32,
    file: DiFileId,
    line: u32,
    column: u32,
}

/// A variable of the source program in a body, see [`Body::debug_variable`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DebugVariable(u32);

impl BodyDebug {
    pub fn new(function: SymbolId, file: DiFileId) -> BodyDebug {
        let scope = Scope { kind: ScopeKind::Function(function), around: None, file, inlined_at: None };
        BodyDebug {
            function,
            scopes: vec![scope],
            locations: Vec::new(),
            variables: Vec::new(),
            known: HashMap::new(),
            parts: HashMap::new(),
            parameters: HashMap::new(),
            placed: Vec::new(),
            at: At { scope: 0, file, line: 0, column: 0 },
            open: Vec::new(),
        }
    }

    fn add_scope(&mut self, kind: ScopeKind, around: Option<u32>, file: DiFileId, inlined_at: Option<u32>) -> u32 {
        self.scopes.push(Scope { kind, around, file, inlined_at });
        self.scopes.len() as u32 - 1
    }

    /// The scope of code here, which is a part of the block at hand if that is in another file.
    fn scope_here(&mut self) -> u32 {
        let At { scope, file, .. } = self.at;
        let Scope { file: own, inlined_at, .. } = self.scopes[scope as usize];
        if own == file {
            return scope;
        }
        if let Some(&known) = self.parts.get(&(scope, file)) {
            return known;
        }
        let part = self.add_scope(ScopeKind::File, Some(scope), file, inlined_at);
        self.parts.insert((scope, file), part);
        part
    }

    /// The number of the location here.
    fn location(&mut self) -> u32 {
        let location = Location { line: self.at.line, column: self.at.column, scope: self.scope_here() };
        let next = self.locations.len() as u32;
        let known = *self.known.entry(location).or_insert(next);
        if known == next {
            self.locations.push(location);
        }
        known
    }

    /// The function that code is in here: its scope, and its symbol.
    fn function_here(&self) -> (u32, SymbolId) {
        let inlined = self.open.iter().rev().find_map(|&(scope, _)| match self.scopes[scope as usize].kind {
            ScopeKind::Function(symbol) => Some((scope, symbol)),
            _ => None,
        });
        inlined.unwrap_or((0, self.function))
    }

    /// The place of the first line in the function itself.
    pub fn first_place(&self) -> Option<(DiFileId, u32)> {
        let scope = |location: &Location| &self.scopes[location.scope as usize];
        let first = self.locations.iter().find(|at| at.line != 0 && scope(at).inlined_at.is_none())?;
        Some((scope(first).file, first.line))
    }

    fn parameter(&mut self, (scope, function): (u32, SymbolId), number: u16) -> u32 {
        let next = self.variables.len() as u32;
        let known = *self.parameters.entry((scope, number)).or_insert(next);
        if known == next {
            let file = self.scopes[scope as usize].file;
            self.variables.push(LocalVariable { what: LocalKind::Parameter(function, number), scope, file, line: 0 });
        }
        known
    }

    /// What the IR calls a variable.
    fn source(&self, variable: u32) -> SourceVariable {
        let scope = self.variables[variable as usize].scope;
        let inlined_at = self.scopes[scope as usize].inlined_at.map(DiLocationId);
        SourceVariable { variable: DiLocalVariableId(variable), inlined_at }
    }

    /// The place of an instruction's location: file, line and column.
    pub fn place(&self, location: DiLocationId) -> Option<(DiFileId, u32, u32)> {
        let Location { line, column, scope } = *self.locations.get(location.index())?;
        (line != 0).then(|| (self.scopes[scope as usize].file, line, column))
    }
}

/// Debug information: what code was made of, and where variables are. Without debug information
/// ([`ObjectBuilder::debug_info`](crate::ObjectBuilder::debug_info)) these methods do nothing.
impl Body<'_, '_> {
    /// Says that the instructions from here on are made of the source at a line and column, until the next call. Both count from 1. Line 0
    /// is of code that belongs to no line; column 0 is unknown.
    pub fn set_location(&mut self, line: u32, column: u32) {
        let Some(debug) = &mut self.debug else { return };
        (debug.at.line, debug.at.column) = (line, column);
        self.locate();
    }

    /// Gives the instructions from here on the location at hand.
    fn locate(&mut self) {
        let Some(debug) = &mut self.debug else { return };
        let id = DiLocationId(debug.location());
        let inlined_at = debug.scopes[debug.at.scope as usize].inlined_at.map(DiLocationId);
        self.builder.set_source_location(Some(DebugLocation { id, line: debug.at.line, inlined_at }));
    }

    /// Says which file lines are in from the next location on, up to the end of the block or inlined call at hand.
    pub fn set_file(&mut self, file: SourceFile) {
        if file.object != self.object.id {
            return self.mistake("a source file of another object is used: make it with this one");
        }
        if let Some(debug) = &mut self.debug {
            debug.at.file = file.file;
        }
    }

    /// Begins a block of the source program at a line and column: variables that are made until its end are in scope there only. Locations
    /// have to be set within it.
    pub fn begin_lexical_block(&mut self, line: u32, column: u32) {
        let Some(debug) = &mut self.debug else { return };
        let At { scope, file, .. } = debug.at;
        let inlined_at = debug.scopes[scope as usize].inlined_at;
        let block = debug.add_scope(ScopeKind::Block { line, column }, Some(scope), file, inlined_at);
        debug.open.push((block, debug.at));
        debug.at.scope = block;
    }

    /// Ends a block of the source program. The location is that before the block again, until the next.
    pub fn end_lexical_block(&mut self) {
        self.end_scope_of("end_lexical_block", "begin_lexical_block", |kind| matches!(kind, ScopeKind::Block { .. }));
    }

    /// Begins code of a function whose call here the front end has replaced by its body. Locations, blocks and variables are the function's
    /// until the end; [`debug_parameter`](Self::debug_parameter) is one of its parameters. The call is at the location at hand.
    pub fn begin_inlined_call(&mut self, function: Func) {
        let (Some(symbol), Some(debug)) = (self.own(function), &mut self.debug) else { return };
        let call = Location { line: debug.at.line, column: debug.at.column, scope: debug.scope_here() };
        // Not shared: it tells this call from others on the line.
        debug.locations.push(call);
        let call = debug.locations.len() as u32 - 1;
        let outer = debug.scopes[debug.at.scope as usize].inlined_at;
        self.builder.inlined_call(DiLocationId(call), outer.map(DiLocationId));
        let inlined_at = Some(call);
        let described = self.object.debug.as_ref().and_then(|object| object.place_of(symbol));
        let (file, line) = described.unwrap_or((debug.at.file, 0));
        let scope = debug.add_scope(ScopeKind::Function(symbol), None, file, inlined_at);
        debug.open.push((scope, debug.at));
        debug.at = At { scope, file, line, column: 0 };
        self.locate();
    }

    /// Ends the code of an inlined function. The location is that of the call again, until the next.
    pub fn end_inlined_call(&mut self) {
        self.end_scope_of("end_inlined_call", "begin_inlined_call", |kind| matches!(kind, ScopeKind::Function(_)));
    }

    fn end_scope_of(&mut self, end: &str, begin: &str, is: fn(ScopeKind) -> bool) {
        let Some(debug) = &mut self.debug else { return };
        match debug.open.last().copied().filter(|&(scope, _)| is(debug.scopes[scope as usize].kind)) {
            Some((_, before)) => {
                debug.open.pop();
                debug.at = before;
                self.locate();
            }
            None => self.mistake(format!("`{end}` without a `{begin}` that it could end")),
        }
    }

    /// Types of the source program, see [`ObjectBuilder::debug_types`](crate::ObjectBuilder::debug_types).
    pub fn debug_types(&self) -> DebugTypes<'_> {
        self.object.debug_types()
    }

    /// A new variable of the source program, in scope in the block at hand and declared at the line at hand. Debuggers show it where it is
    /// said to have a value.
    pub fn debug_variable(&mut self, name: &str, ty: impl Into<DebugTypeRef>) -> DebugVariable {
        let Some(debug) = &mut self.debug else { return DebugVariable(0) };
        let At { scope, file, line, .. } = debug.at;
        let ty = ty.into();
        let checked = match &ty {
            DebugTypeRef::C(ty) => self.object.layout(ty).map(drop),
            DebugTypeRef::Named(_) => ty.check(self.object.id),
        };
        debug.variables.push(LocalVariable { what: LocalKind::Variable(name.to_string(), ty), scope, file, line });
        let made = DebugVariable(debug.variables.len() as u32 - 1);
        if let Err(error) = checked {
            self.mistake(format!("the variable `{name}`: {}", error.reason()));
        }
        made
    }

    /// A parameter of the function, or of the inlined one at hand, by its number from 0. Those of the function itself have their values
    /// when it is called without anything being said.
    pub fn debug_parameter(&mut self, number: usize) -> DebugVariable {
        let Some(debug) = &mut self.debug else { return DebugVariable(0) };
        let function = debug.function_here();
        let signature = self.known.signature(function.1);
        let count = signature.map_or(0, |signature| signature.source.params.len());
        if let Some(number) = u16::try_from(number).ok().filter(|_| number < count) {
            return DebugVariable(debug.parameter(function, number));
        }
        self.mistake(format!("there is no parameter {number} to describe: the function has {count}"));
        DebugVariable(u32::MAX)
    }

    /// Says that a variable lies in memory at an address everywhere in its scope. The memory of [`local`](Self::local) becomes registers
    /// where that is better, and the variable follows.
    pub fn debug_declare(&mut self, variable: DebugVariable, address: Value) {
        if let Some(debug) = &mut self.debug
            && let Some(&LocalVariable { what: LocalKind::Parameter(_, number), scope: 0, .. }) =
                debug.variables.get(variable.0 as usize)
        {
            debug.placed.push(number);
        }
        self.record(DebugRecordKind::Declare, variable, Some(address));
    }

    /// Says that a variable has a value from here on.
    pub fn debug_value(&mut self, variable: DebugVariable, value: Value) {
        self.record(DebugRecordKind::Value, variable, Some(value));
    }

    /// Says that a variable lies in memory at an address from here on.
    pub fn debug_address(&mut self, variable: DebugVariable, address: Value) {
        self.record(DebugRecordKind::Address, variable, Some(address));
    }

    /// Says that a variable has no value from here on that anything knows.
    pub fn debug_unknown(&mut self, variable: DebugVariable) {
        self.record(DebugRecordKind::Value, variable, None);
    }

    /// Says that a [`Variable`] of the builder's is one of the source program: it has the value of each assignment
    /// ([`def_var`](gusset_codegen::ir::FunctionBuilder::def_var)), and where control comes together.
    pub fn debug_var(&mut self, variable: DebugVariable, var: Variable) {
        if let Some(of) = self.source_variable(variable) {
            self.builder.name_var(var, of);
        }
    }

    /// What the IR calls a variable; a mistake if there is no such one.
    fn source_variable(&mut self, variable: DebugVariable) -> Option<SourceVariable> {
        let debug = self.debug.as_ref()?;
        if variable.0 as usize >= debug.variables.len() {
            self.mistake("a debug variable of another body is used");
            return None;
        }
        Some(debug.source(variable.0))
    }

    fn record(&mut self, kind: DebugRecordKind, variable: DebugVariable, operand: Option<Value>) {
        if let Some(of) = self.source_variable(variable) {
            let operands = [operand];
            let known = if operand.is_some() { &operands[..] } else { &[] };
            self.builder.source_record(kind, of, &[], known);
        }
    }

    /// Begins debug information, if the object has it.
    pub(in crate::builder) fn begin_debug(&mut self, function: SymbolId) {
        let Some(object) = self.object.debug.as_deref() else { return };
        let file = object.place_of(function).map_or(object.main, |place| place.0);
        self.debug = Some(Box::new(BodyDebug::new(function, file)));
        self.builder.func.debug.subprogram = Some(DiSubprogramId(function.0));
        self.builder.func.debug.keeps_variables = object.keep_variables;
    }

    /// Ends debug information: parameters have values where the function begins.
    pub(in crate::builder) fn end_debug(&mut self) {
        let Some(debug) = &mut self.debug else { return };
        if let Some((scope, _)) = debug.open.last() {
            let what = match debug.scopes[*scope as usize].kind {
                ScopeKind::Function(_) => "an inlined call",
                _ => "a lexical block",
            };
            return self.builder.mistake(format!("{what} was begun and not ended"));
        }
        for number in 0..self.sig.source.params.len().min(u16::MAX.into()) {
            if debug.placed.contains(&(number as u16)) {
                continue;
            }
            let of = debug.parameter((0, debug.function), number as u16);
            let of = debug.source(of);
            let value = self.builder.func.params(self.entry)[number];
            let by_address = match &self.sig.source.params[number].ty {
                gusset_abi::AbiType::C(ty) => ty.is_by_address(),
                gusset_abi::AbiType::Llvm(_) => false,
            };
            let (kind, expression): (_, &[u64]) = match self.sig.abi.args[number].mode {
                PassMode::InBlock { indirect: true, .. } => (DebugRecordKind::Declare, &[DEREF]),
                PassMode::InBlock { .. } => (DebugRecordKind::Declare, &[]),
                _ if by_address => (DebugRecordKind::Declare, &[]),
                _ => (DebugRecordKind::Value, &[]),
            };
            self.builder.source_record_at_start(self.entry, kind, of, expression, value);
        }
    }
}
