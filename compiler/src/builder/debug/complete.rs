//! Nodes of what bodies say, in the order of functions.
//!
//! Blocks and variables of a function are the same nodes wherever it was inlined: they are told apart by their place, their name, and by
//! how many such there were before in the same copy.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::Arc;

use gusset_abi::{AbiType, Decoration};
use gusset_codegen::debug::{
    DebugInfo, DiEntity, DiFileId, DiLabelId, DiLexicalScope, DiLexicalScopeId, DiLexicalScopeKind, DiLocalVariable,
    DiLocalVariableId, DiLocation, DiLocationId, DiScope, DiString, DiSubprogram, DiSubprogramId, DiTypeId, DiTypeKind,
    NodeNumbers, di_flags, di_subprogram_flags,
};
use gusset_codegen::ir::{Linkage, SymbolId};

use super::body::{BodyDebug, LocalKind, ScopeKind};
use super::description::{DebugFunction, DebugTypeRef};
use super::{ObjectDebug, UNIT};
use crate::builder::declarations::Declarations;
use crate::builder::definer::Defined;
use crate::{Error, Target};

/// Makes nodes of bodies.
struct Completion<'c, 't> {
    debug: &'c mut ObjectDebug,
    /// What is said of functions so far.
    described: HashMap<SymbolId, DebugFunction>,
    declarations: &'c Declarations<'t>,
    target: &'c Target,
    subprograms: HashMap<SymbolId, DiSubprogramId>,
    blocks: HashMap<(BlockKey, u32), DiLexicalScopeId>,
    variables: HashMap<(VariableKey, u32), DiLocalVariableId>,
}

/// A block within another scope; the place is none if it is a part in another file.
type BlockKey = (DiScope, Option<(u32, u32)>, DiFileId);
/// Scope, name, argument, file, line and type.
type VariableKey = (DiScope, DiString, u16, DiFileId, u32, Option<DiTypeId>);

/// The nodes that a function's own numbers stand for.
struct FunctionNumbers {
    subprogram: DiSubprogramId,
    /// The first of its locations, and how many there are.
    locations: (usize, usize),
    variables: Vec<DiLocalVariableId>,
}

impl NodeNumbers for FunctionNumbers {
    type Error = Infallible;

    fn subprogram(&mut self, _: DiSubprogramId) -> Result<Option<DiSubprogramId>, Infallible> {
        Ok(Some(self.subprogram))
    }

    fn callee(&mut self, _: SymbolId) -> Result<Option<DiSubprogramId>, Infallible> {
        // The builder's functions do not say that all they call is described.
        Ok(None)
    }

    fn location(&mut self, node: DiLocationId) -> Result<Option<DiLocationId>, Infallible> {
        let (first, count) = self.locations;
        Ok((node.index() < count).then(|| DiLocationId::new(first + node.index())))
    }

    fn local_variable(&mut self, node: DiLocalVariableId) -> Result<Option<DiLocalVariableId>, Infallible> {
        Ok(self.variables.get(node.index()).copied())
    }

    /// Bodies make no labels.
    fn label(&mut self, _: DiLabelId) -> Result<Option<DiLabelId>, Infallible> {
        Ok(None)
    }
}

/// Makes nodes of what bodies say, and gives compiled functions their numbers. The functions are in their order.
pub(in crate::builder) fn complete(
    mut debug: Box<ObjectDebug>,
    declarations: &Declarations<'_>,
    target: &Target,
    defined: &mut [Defined],
) -> Result<DebugInfo, Error> {
    let (subprograms, blocks, variables, described) = Default::default();
    let mut completion =
        Completion { debug: &mut debug, described, declarations, target, subprograms, blocks, variables };
    // Functions that were inlined before their own turn have their places by then.
    for function in &*defined {
        if let Some(body) = &function.debug {
            completion.subprogram(function.compiled.symbol, Some(body))?;
        }
    }
    for function in defined {
        if let Some(body) = function.debug.take() {
            let mut numbers = completion.body(function.compiled.symbol, &body)?;
            let text = function.text.as_mut().map(|text| text.nodes());
            for nodes in function.compiled.debug.as_mut().map(Arc::make_mut).into_iter().chain(text) {
                let Ok(()) = nodes.renumber(&mut numbers);
            }
        }
    }
    Ok(std::mem::take(&mut debug.nodes_mut().info))
}

/// How many equal keys there were before.
fn count<K: Eq + Hash + Clone>(counts: &mut HashMap<K, u32>, key: &K) -> u32 {
    let count = counts.entry(key.clone()).or_insert(0);
    *count += 1;
    *count - 1
}

/// A function's name in C.
fn undecorated(symbol: &str, decoration: Decoration) -> &str {
    let inner = match decoration {
        Decoration::None => Some(symbol),
        Decoration::Underscore => symbol.strip_prefix('_'),
        Decoration::Stdcall(bytes) => {
            symbol.strip_prefix('_').and_then(|name| name.strip_suffix(&bytes.to_string())?.strip_suffix('@'))
        }
        Decoration::Fastcall(bytes) => {
            symbol.strip_prefix('@').and_then(|name| name.strip_suffix(&bytes.to_string())?.strip_suffix('@'))
        }
        Decoration::Vectorcall(bytes) => {
            symbol.strip_suffix(&bytes.to_string()).and_then(|name| name.strip_suffix("@@"))
        }
    };
    inner.filter(|name| !name.is_empty()).unwrap_or(symbol)
}

impl Completion<'_, '_> {
    /// The node of a type.
    fn ty(&mut self, ty: &DebugTypeRef) -> Result<Option<DiTypeId>, Error> {
        self.debug.nodes_mut().type_maker(self.target.abi()).of(ty)
    }

    /// What is said of a function, by the front end or C's text. Its own name is its declaration's.
    fn description(&mut self, symbol: SymbolId, own_name: &str) -> DebugFunction {
        let mut described = self.debug.functions.remove(&symbol).unwrap_or_default();
        let signature = self.declarations.signature(symbol);
        let of_text = self.debug.nodes_mut().c_functions.get(own_name);
        if let Some((_, text)) = of_text.filter(|text| signature.is_some_and(|signature| signature.source == text.0)) {
            if described.params.is_empty() {
                described.params.clone_from(&text.params);
            }
            described.result = described.result.or_else(|| text.result.clone());
        }
        described
    }

    /// The node of a function. `body`: what is said in it.
    fn subprogram(&mut self, symbol: SymbolId, body: Option<&BodyDebug>) -> Result<DiSubprogramId, Error> {
        if let Some(&known) = self.subprograms.get(&symbol) {
            return Ok(known);
        }
        let symbol_data = self.declarations.module.symbol(symbol);
        let decoration = self.declarations.signature(symbol).map_or(Decoration::None, |known| known.abi.decoration);
        let own_name = undecorated(&symbol_data.name, decoration);
        let described = self.description(symbol, own_name);
        let ty = self.signature(symbol, &described)?;
        let strings = &mut self.debug.nodes_mut().info.strings;
        let name = strings.intern(described.name.as_deref().unwrap_or(own_name).as_bytes());
        let linkage_name = match &described.name {
            Some(name) if name != own_name => strings.intern(symbol_data.name.as_bytes()),
            _ => DiString(0),
        };
        let place = described.place.map(|(file, line)| (file.file, line)).or_else(|| body?.first_place());
        let (file, line) = place.unwrap_or((self.debug.main, 0));
        let local = matches!(symbol_data.linkage, Linkage::Local | Linkage::Private);
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        let node = DiSubprogram {
            scope: Some(DiScope::File(file)),
            name,
            linkage_name,
            file: Some(file),
            line,
            scope_line: line,
            ty: Some(ty),
            flags: di_flags::PROTOTYPED | flag(described.artificial, di_flags::ARTIFICIAL),
            subprogram_flags: di_subprogram_flags::DEFINITION
                | flag(local, di_subprogram_flags::LOCAL_TO_UNIT)
                | flag(self.debug.optimized, di_subprogram_flags::OPTIMIZED),
            unit: Some(UNIT),
            ..DiSubprogram::default()
        };
        let info = &mut self.debug.nodes_mut().info;
        info.subprograms.push(node);
        let made = DiSubprogramId::new(info.subprograms.len() - 1);
        self.subprograms.insert(symbol, made);
        self.described.insert(symbol, described);
        Ok(made)
    }

    /// The type of a function.
    fn signature(&mut self, symbol: SymbolId, described: &DebugFunction) -> Result<DiTypeId, Error> {
        let mut types = Vec::new();
        let Some(signature) = self.declarations.signature(symbol) else {
            return Ok(self.debug.nodes_mut().type_maker(self.target.abi()).function(vec![None], false));
        };
        let source = self.declarations.given_signature(symbol).unwrap_or(&signature.source);
        let given = std::iter::once(described.result.as_ref());
        let given = given.chain(described.params.iter().map(|param| param.1.as_ref())).chain(std::iter::repeat(None));
        let c = std::iter::once(&source.ret.ty).chain(source.params.iter().map(|param| &param.ty));
        for (given, c) in given.zip(c) {
            types.push(match (given, c) {
                (Some(given), _) => self.ty(given)?,
                (None, AbiType::C(c)) => self.ty(&c.into())?,
                (None, AbiType::Llvm(_)) => None,
            });
        }
        let variadic = source.variadic.is_some();
        Ok(self.debug.nodes_mut().type_maker(self.target.abi()).function(types, variadic))
    }

    /// Makes nodes of all that a body says.
    fn body(&mut self, function: SymbolId, body: &BodyDebug) -> Result<FunctionNumbers, Error> {
        let subprogram = self.subprogram(function, Some(body))?;
        let first = self.debug.nodes_mut().info.locations.len();
        let scopes = self.scopes(body)?;
        for location in &body.locations {
            let inlined_at = body.scopes[location.scope as usize].inlined_at;
            self.debug.nodes_mut().info.locations.push(DiLocation {
                line: location.line,
                column: location.column,
                scope: Some(scopes[location.scope as usize]),
                inlined_at: inlined_at.map(|call| DiLocationId::new(first + call as usize)),
            });
        }
        let variables = self.variables(body, &scopes)?;
        Ok(FunctionNumbers { subprogram, locations: (first, body.locations.len()), variables })
    }

    fn scopes(&mut self, body: &BodyDebug) -> Result<Vec<DiScope>, Error> {
        let mut scopes: Vec<DiScope> = Vec::with_capacity(body.scopes.len());
        let mut counts = HashMap::new();
        for scope in &body.scopes {
            let around = scope.around.map(|around| scopes[around as usize]);
            let (key, kind, line) = match (scope.kind, around) {
                (ScopeKind::Function(symbol), _) => {
                    let node = self.subprogram(symbol, None)?;
                    scopes.push(DiScope::Subprogram(node));
                    continue;
                }
                (ScopeKind::Block { line, column }, around) => {
                    ((around, Some((line, column)), scope.file), DiLexicalScopeKind::Block { column }, line)
                }
                (ScopeKind::File, around) => {
                    ((around, None, scope.file), DiLexicalScopeKind::BlockFile { discriminator: 0 }, 0)
                }
            };
            let key: BlockKey = (key.0.unwrap_or(DiScope::CompileUnit(UNIT)), key.1, key.2);
            // Within one copy of the function.
            let before = count(&mut counts, &(key, scope.inlined_at));
            let info = &mut self.debug.nodes_mut().info;
            let block = *self.blocks.entry((key, before)).or_insert_with(|| {
                let (scope, file) = (Some(key.0), Some(key.2));
                info.scopes.push(DiLexicalScope { kind, scope, file, line, name: DiString(0) });
                DiLexicalScopeId::new(info.scopes.len() - 1)
            });
            scopes.push(DiScope::Lexical(block));
        }
        Ok(scopes)
    }

    fn variables(&mut self, body: &BodyDebug, scopes: &[DiScope]) -> Result<Vec<DiLocalVariableId>, Error> {
        let mut nodes = Vec::with_capacity(body.variables.len());
        let mut counts = HashMap::new();
        for variable in &body.variables {
            let scope = scopes[variable.scope as usize];
            let (name, argument, ty, file, line) = match &variable.what {
                LocalKind::Variable(name, ty) => {
                    let ty = self.ty(ty)?;
                    (self.debug.nodes_mut().info.strings.intern(name.as_bytes()), 0, ty, variable.file, variable.line)
                }
                &LocalKind::Parameter(symbol, number) => {
                    let function = self.subprogram(symbol, None)?;
                    let described = self.described.get(&symbol);
                    let name = described.and_then(|f| f.params.get(usize::from(number))).map_or("", |param| &param.0);
                    let info = &mut self.debug.nodes_mut().info;
                    let name = info.strings.intern(name.as_bytes());
                    let node = &info.subprograms[function.index()];
                    let (line, file) = (node.line, node.file.unwrap_or(variable.file));
                    let ty = match node.ty.map(|ty| &info.types[ty.index()].kind) {
                        Some(DiTypeKind::Subroutine(signature)) => {
                            signature.types.get(1 + usize::from(number)).copied().flatten()
                        }
                        _ => None,
                    };
                    (name, number + 1, ty, file, line)
                }
            };
            let key: VariableKey = (scope, name, argument, file, line, ty);
            let before = count(&mut counts, &(key, body.scopes[variable.scope as usize].inlined_at));
            let next = DiLocalVariableId::new(self.debug.nodes_mut().info.variables.len());
            let node = *self.variables.entry((key, before)).or_insert(next);
            if node == next {
                let info = &mut self.debug.nodes_mut().info;
                let (scope, file) = (Some(scope), Some(file));
                info.variables.push(DiLocalVariable { name, argument, scope, file, line, ty, flags: 0, align_bits: 0 });
                if let Some(function) = scope.and_then(|scope| info.subprogram_of(scope)) {
                    info.subprograms[function.index()].retained.push(DiEntity::LocalVariable(node));
                }
            }
            nodes.push(node);
        }
        Ok(nodes)
    }
}
