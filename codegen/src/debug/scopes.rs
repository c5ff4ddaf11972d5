//! The scopes that a function's code is in: blocks and inlined calls, with their stretches of code, found by its lines.

use std::ops::Range;

use super::compiled::CompiledDebugInfo;
use super::ids::{DiLocationId, DiScope, DiSubprogramId};
use super::info::{DebugInfo, DiLexicalScopeKind};

/// Scopes deeper than this count as the one around them.
const MAX_DEPTH: u16 = 128;

/// No scope.
const NONE: u32 = u32::MAX;

/// A scope of a function's code.
pub(crate) struct ScopeNode {
    /// A function or a block.
    pub scope: DiScope,
    /// The call that was replaced by the code of the scope.
    pub inlined_at: Option<DiLocationId>,
    /// The scope around it; the function itself is its own.
    pub parent: u32,
    depth: u16,
}

impl ScopeNode {
    /// The inlined function, if this is the call of one.
    pub fn inlined_function(&self) -> Option<DiSubprogramId> {
        match self.scope {
            DiScope::Subprogram(function) if self.inlined_at.is_some() => Some(function),
            _ => None,
        }
    }
}

/// The scopes of a function; the first is the function itself. Each comes after the one around it.
pub(crate) struct ScopeTree {
    pub nodes: Vec<ScopeNode>,
    code: Stretches,
}

/// Finds the scopes of functions, one after another.
pub(crate) struct ScopeTrees<'a> {
    info: &'a DebugInfo,
    known: KnownScopes,
    found: FoundStretches,
    /// The scopes around one that is new, from the inside.
    path: Vec<(DiScope, Option<DiLocationId>)>,
}

/// The scopes of a function that have nodes. Those of the same scope are in a list, and so are those of the same call: who searches goes
/// along both, so that it takes long only where many scopes are in many calls.
struct KnownScopes {
    /// By number of a scope, the last one in its list, or [`NONE`].
    by_scope: Vec<u32>,
    /// The number of the first function; those before are of blocks.
    functions: usize,
    /// By number of a location, the last one in the list of the call.
    by_call: Vec<u32>,
    list: Vec<KnownScope>,
}

/// A scope that has a node.
struct KnownScope {
    scope: usize,
    call: Option<DiLocationId>,
    node: u32,
    /// Those before it in its lists.
    before_in_scope: u32,
    before_in_call: u32,
}

impl KnownScopes {
    /// The number of a function or a block.
    fn number(&self, scope: DiScope) -> Option<usize> {
        match scope {
            DiScope::Subprogram(function) => Some(self.functions + function.index()),
            DiScope::Lexical(block) => Some(block.index()),
            DiScope::CompileUnit(_) | DiScope::File(_) | DiScope::Type(_) => None,
        }
    }

    fn get(&self, scope: DiScope, call: Option<DiLocationId>) -> Option<u32> {
        let scope = self.number(scope)?;
        let in_call = |call: DiLocationId| self.by_call.get(call.index()).copied().unwrap_or(NONE);
        let (mut at, mut other) = (*self.by_scope.get(scope)?, call.map_or(NONE, in_call));
        while let Some(known) = self.list.get(at as usize) {
            if known.call == call {
                return Some(known.node);
            }
            at = known.before_in_scope;
            if call.is_some() {
                let known = self.list.get(other as usize)?;
                if known.scope == scope {
                    return Some(known.node);
                }
                other = known.before_in_call;
            }
        }
        None
    }

    fn add(&mut self, scope: DiScope, call: Option<DiLocationId>, node: u32) {
        let Some(scope) = self.number(scope) else { return };
        let new = self.list.len() as u32;
        let before_in_scope = std::mem::replace(&mut self.by_scope[scope], new);
        let before_in_call = call.map_or(NONE, |call| std::mem::replace(&mut self.by_call[call.index()], new));
        self.list.push(KnownScope { scope, call, node, before_in_scope, before_in_call });
    }

    fn clear(&mut self) {
        for known in self.list.drain(..) {
            self.by_scope[known.scope] = NONE;
            if let Some(call) = known.call {
                self.by_call[call.index()] = NONE;
            }
        }
    }
}

/// The stretches of code of all scopes.
#[derive(Default)]
struct Stretches {
    /// Scope by scope, in the order of the code.
    list: Vec<Range<u32>>,
    /// By scope, where its stretches end in the list.
    ends: Vec<u32>,
}

/// The stretches of code while they are found: in the order of their ends.
#[derive(Default)]
struct FoundStretches {
    /// Each with the one of the same scope before it.
    list: Vec<(Range<u32>, u32)>,
    scopes: Vec<FoundScope>,
}

/// The stretches of a scope.
#[derive(Clone, Copy, Default)]
struct FoundScope {
    /// The index of the last one, and how many there are.
    last: u32,
    count: u32,
    /// Where the one that has not ended yet began.
    start: u32,
}

impl FoundStretches {
    fn clear(&mut self) {
        self.list.clear();
        self.scopes.clear();
    }

    /// Goes from the code of one scope to that of another: ends the stretches of scopes that the code is no longer in, and begins those of
    /// scopes that it was not in.
    fn change(&mut self, nodes: &[ScopeNode], mut from: u32, mut to: u32, at: u32) {
        if self.scopes.len() < nodes.len() {
            self.scopes.resize(nodes.len(), FoundScope::default());
        }
        while from != to {
            let (left, entered) = (&nodes[from as usize], &nodes[to as usize]);
            if left.depth >= entered.depth {
                self.end(from, at);
                from = left.parent;
            } else {
                self.scopes[to as usize].start = at;
                to = entered.parent;
            }
        }
    }

    fn end(&mut self, node: u32, at: u32) {
        let scope = &mut self.scopes[node as usize];
        if scope.start >= at {
            return;
        }
        match self.list.get_mut(scope.last as usize).filter(|_| scope.count != 0) {
            Some((known, _)) if known.end == scope.start => known.end = at,
            _ => {
                self.list.push((scope.start..at, scope.last));
                (scope.last, scope.count) = (self.list.len() as u32 - 1, scope.count + 1);
            }
        }
    }

    /// Puts them in the order of the scopes. The function itself has all of its code.
    fn finish(&self, scopes: usize, len: u32) -> Stretches {
        let mut out = Stretches { list: vec![0..len; self.list.len() + 1], ends: Vec::with_capacity(scopes) };
        out.ends.push(1);
        for node in 1..scopes {
            let FoundScope { mut last, count, .. } = self.scopes.get(node).copied().unwrap_or_default();
            let start = out.list_end();
            for at in (start..start + count).rev() {
                let (code, before) = &self.list[last as usize];
                out.list[at as usize] = code.clone();
                last = *before;
            }
            out.ends.push(start + count);
        }
        out
    }
}

impl Stretches {
    fn list_end(&self) -> u32 {
        self.ends.last().copied().unwrap_or(0)
    }
}

impl<'a> ScopeTrees<'a> {
    pub fn new(info: &'a DebugInfo) -> ScopeTrees<'a> {
        let known = KnownScopes {
            by_scope: vec![NONE; info.scopes.len() + info.subprograms.len()],
            functions: info.scopes.len(),
            by_call: vec![NONE; info.locations.len()],
            list: Vec::new(),
        };
        ScopeTrees { info, known, found: FoundStretches::default(), path: Vec::new() }
    }

    /// The scopes of a function's lines.
    pub fn tree(&mut self, function: DiSubprogramId, debug: &CompiledDebugInfo, len: u32) -> ScopeTree {
        let scope = DiScope::Subprogram(function);
        // As many as code with inlined calls most often has.
        let mut nodes = Vec::with_capacity(1 + debug.lines.len() / 4);
        nodes.push(ScopeNode { scope, inlined_at: None, parent: 0, depth: 0 });
        self.known.clear();
        self.known.add(scope, None, 0);
        self.found.clear();
        // The node of the last line.
        let (mut last, mut last_key) = (0, (scope, None));
        for mark in &debug.lines {
            // Code without a location belongs to what is before it.
            let Some(location) = mark.value.location.map(|location| self.info.locations[location.index()]) else {
                continue;
            };
            let Some(scope) = location.scope else { continue };
            let key = (scope, location.inlined_at);
            if key == last_key {
                continue;
            }
            last_key = key;
            let node = self.node(&mut nodes, key).unwrap_or(0);
            if node != last {
                self.found.change(&nodes, last, node, mark.offset);
                last = node;
            }
        }
        self.found.change(&nodes, last, 0, len);
        let code = self.found.finish(nodes.len(), len);
        ScopeTree { nodes, code }
    }

    /// The node of a scope in the tree that was made last, if code is in it.
    pub fn find(&self, scope: DiScope, inlined_at: Option<DiLocationId>) -> Option<u32> {
        self.known.get(skip_parts(self.info, scope)?, inlined_at)
    }

    /// The node of a scope, which is made if it is new. `None`: the scope does not lead to the function.
    fn node(
        &mut self,
        nodes: &mut Vec<ScopeNode>,
        (scope, inlined_at): (DiScope, Option<DiLocationId>),
    ) -> Option<u32> {
        let ScopeTrees { info, known, path, .. } = self;
        let limit = info.scopes.len() + info.locations.len();
        path.clear();
        let (mut scope, mut inlined_at) = (scope, inlined_at);
        let mut node = loop {
            scope = skip_parts(info, scope)?;
            if let Some(node) = known.get(scope, inlined_at) {
                break node;
            }
            if path.len() > limit {
                // A damaged chain is a cycle.
                return None;
            }
            path.push((scope, inlined_at));
            scope = match scope {
                DiScope::Lexical(block) => info.scopes[block.index()].scope?,
                DiScope::Subprogram(_) => {
                    let call = info.locations[inlined_at?.index()];
                    inlined_at = call.inlined_at;
                    call.scope?
                }
                _ => return None,
            };
        };
        while let Some((scope, inlined_at)) = path.pop() {
            let depth = nodes[node as usize].depth + 1;
            if depth <= MAX_DEPTH {
                nodes.push(ScopeNode { scope, inlined_at, parent: node, depth });
                node = nodes.len() as u32 - 1;
            }
            known.add(scope, inlined_at, node);
        }
        Some(node)
    }
}

impl ScopeTree {
    /// The stretches of code of a scope, in order.
    pub fn code(&self, node: u32) -> &[Range<u32>] {
        let end = |node: u32| self.code.ends[node as usize] as usize;
        let start = node.checked_sub(1).map_or(0, end);
        &self.code.list[start..end(node)]
    }
}

/// The scope without the parts of blocks that are in other files.
fn skip_parts(info: &DebugInfo, mut scope: DiScope) -> Option<DiScope> {
    for _ in 0..=info.scopes.len() {
        match scope {
            DiScope::Lexical(part) => match info.scopes[part.index()].kind {
                DiLexicalScopeKind::BlockFile { .. } => scope = info.scopes[part.index()].scope?,
                DiLexicalScopeKind::Block { .. } => return Some(scope),
                _ => return None,
            },
            DiScope::Subprogram(_) => return Some(scope),
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::{LineEntry, Mark};
    use crate::debug::{DiLexicalScope, DiLexicalScopeId, DiLocation, DiSubprogram};

    #[test]
    fn scopes_have_their_stretches_and_those_of_scopes_within_them() {
        let (function, block) = (DiScope::Subprogram(DiSubprogramId(0)), |n| DiScope::Lexical(DiLexicalScopeId(n)));
        let kind = DiLexicalScopeKind::Block { column: 0 };
        let scope = |around| DiLexicalScope { kind, scope: Some(around), ..DiLexicalScope::default() };
        // Block 1 is in block 0, and block 2 beside them.
        let scopes = vec![scope(function), scope(block(0)), scope(function)];
        let locations = [function, block(0), block(1), block(2)];
        let locations = locations.map(|scope| DiLocation { line: 1, scope: Some(scope), ..DiLocation::default() });
        let (locations, subprograms) = (locations.to_vec(), vec![DiSubprogram::default()]);
        let info = DebugInfo { scopes, locations, subprograms, ..DebugInfo::default() };
        let line = |(offset, location): (u32, u32)| Mark {
            offset,
            value: LineEntry { location: Some(DiLocationId(location)), epilogue_begin: false },
        };
        let lines = [(2, 2), (4, 1), (6, 0), (8, 1), (10, 2), (10, 3), (10, 2), (12, 3), (20, 2)].map(line).to_vec();
        let debug = CompiledDebugInfo { lines, ..CompiledDebugInfo::default() };
        let mut trees = ScopeTrees::new(&info);
        let tree = trees.tree(DiSubprogramId(0), &debug, 16);
        let code = |scope| {
            let node = trees.find(scope, None).unwrap();
            tree.code(node).iter().map(|code| (code.start, code.end)).collect::<Vec<_>>()
        };
        assert_eq!(code(function), [(0, 16)]);
        assert_eq!(code(block(0)), [(2, 6), (8, 12)]);
        assert_eq!(code(block(1)), [(2, 4), (10, 12)]);
        assert_eq!(code(block(2)), [(12, 20)]);
    }
}
