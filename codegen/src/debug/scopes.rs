//! The scopes that a function's code is in: blocks and inlined calls, with their stretches of code, found by its lines.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::compiled::CompiledDebugInfo;
use super::ids::{DiLocationId, DiScope, DiSubprogramId};
use super::info::{DebugInfo, DiLexicalScopeKind};

/// Scopes deeper than this count as the one around them.
const MAX_DEPTH: u16 = 128;

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
    by_key: HashMap<(DiScope, Option<DiLocationId>), u32>,
    path: Vec<(DiScope, Option<DiLocationId>)>,
}

/// The stretches of code of all scopes.
#[derive(Default)]
struct Stretches {
    /// Scope by scope, in the order of the code.
    list: Vec<Range<u32>>,
    /// By scope, where its stretches end in the list.
    ends: Vec<u32>,
}

/// The stretches of code while they are found: in the order of the code.
#[derive(Default)]
struct FoundStretches {
    /// Each with the one of the same scope before it.
    list: Vec<(Range<u32>, u32)>,
    /// By scope, its last stretch and how many there are.
    scopes: Vec<(u32, u32)>,
}

impl FoundStretches {
    /// Adds a stretch of code to a scope and those around it.
    fn add(&mut self, nodes: &[ScopeNode], mut node: u32, code: Range<u32>) {
        if node == 0 || code.is_empty() {
            return;
        }
        if self.scopes.len() < nodes.len() {
            self.scopes.resize(nodes.len(), (0, 0));
        }
        while node != 0 {
            let (last, count) = &mut self.scopes[node as usize];
            match self.list.get_mut(*last as usize).filter(|_| *count != 0) {
                Some((known, _)) if known.end == code.start => known.end = code.end,
                _ => {
                    self.list.push((code.clone(), *last));
                    (*last, *count) = (self.list.len() as u32 - 1, *count + 1);
                }
            }
            node = nodes[node as usize].parent;
        }
    }

    /// Puts them in the order of the scopes. The function itself has all of its code.
    fn finish(self, scopes: usize, len: u32) -> Stretches {
        let mut out = Stretches { list: vec![0..len; self.list.len() + 1], ends: vec![1] };
        for node in 1..scopes {
            let (mut last, count) = self.scopes.get(node).copied().unwrap_or_default();
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

impl ScopeTree {
    /// The scopes of a function's lines.
    pub fn new(info: &DebugInfo, function: DiSubprogramId, debug: &CompiledDebugInfo, len: u32) -> ScopeTree {
        let scope = DiScope::Subprogram(function);
        let root = ScopeNode { scope, inlined_at: None, parent: 0, depth: 0 };
        let code = Stretches::default();
        let mut tree = ScopeTree { nodes: vec![root], code, by_key: HashMap::new(), path: Vec::new() };
        let mut code = FoundStretches::default();
        tree.by_key.insert((scope, None), 0);
        // The node of the last line, and where its stretch began.
        let (mut last, mut last_key, mut start) = (0, (scope, None), 0);
        for mark in &debug.lines {
            // Code without a location belongs to what is before it.
            let Some(location) = mark.value.location.map(|location| info.locations[location.index()]) else { continue };
            let Some(scope) = location.scope else { continue };
            let key = (scope, location.inlined_at);
            if key == last_key {
                continue;
            }
            last_key = key;
            let node = tree.node(info, key).unwrap_or(0);
            if node != last {
                code.add(&tree.nodes, last, start..mark.offset);
                (last, start) = (node, mark.offset);
            }
        }
        code.add(&tree.nodes, last, start..len);
        tree.code = code.finish(tree.nodes.len(), len);
        tree
    }

    /// The stretches of code of a scope, in order.
    pub fn code(&self, node: u32) -> &[Range<u32>] {
        let end = |node: u32| self.code.ends[node as usize] as usize;
        let start = node.checked_sub(1).map_or(0, end);
        &self.code.list[start..end(node)]
    }

    /// The node of a scope, if code is in it.
    pub fn find(&mut self, info: &DebugInfo, scope: DiScope, inlined_at: Option<DiLocationId>) -> Option<u32> {
        let scope = skip_parts(info, scope)?;
        self.by_key.get(&(scope, inlined_at)).copied()
    }

    /// The node of a scope, which is made if it is new. `None`: the scope does not lead to the function.
    fn node(&mut self, info: &DebugInfo, (scope, inlined_at): (DiScope, Option<DiLocationId>)) -> Option<u32> {
        let limit = info.scopes.len() + info.locations.len();
        self.path.clear();
        let (mut scope, mut inlined_at) = (scope, inlined_at);
        let mut node = loop {
            scope = skip_parts(info, scope)?;
            let key = (scope, inlined_at);
            if let Some(&known) = self.by_key.get(&key) {
                break known;
            }
            if self.path.len() > limit {
                // A damaged chain is a cycle.
                return None;
            }
            self.path.push(key);
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
        while let Some(key) = self.path.pop() {
            let depth = self.nodes[node as usize].depth + 1;
            if depth <= MAX_DEPTH {
                let (scope, inlined_at) = key;
                self.nodes.push(ScopeNode { scope, inlined_at, parent: node, depth });
                node = self.nodes.len() as u32 - 1;
            }
            self.by_key.insert(key, node);
        }
        Some(node)
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
