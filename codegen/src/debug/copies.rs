//! The copies of variables that a function's code has, and which parts of them are known where.

use std::ops::Range;

use super::compiled::VariableRange;
use super::function::DebugFunction;
use super::ids::{DiEntity, DiLocalVariableId, DiLocationId};
use super::info::DebugInfo;
use super::operations::Fragment;
use super::scopes::{ScopeTree, ScopeTrees};

/// A copy of a local variable in a function's code.
#[derive(Clone)]
pub(crate) struct VariableCopy {
    /// The number of its scope in the function.
    pub scope: u32,
    pub variable: DiLocalVariableId,
    /// Where it is, among the function's ranges.
    pub ranges: Range<usize>,
}

/// The copies of variables in a function's code, by scope, parameters first. A variable is left out if no code is in its scope.
/// `further` are ones without a place. The tree is the last one of `trees`.
pub(crate) fn variable_copies(
    info: &DebugInfo,
    function: &DebugFunction,
    (trees, tree): (&ScopeTrees<'_>, &ScopeTree),
    further: &[(DiLocalVariableId, Option<DiLocationId>)],
) -> Vec<VariableCopy> {
    let debug = &function.debug;
    let mut list = Vec::with_capacity(debug.variables.len() / 2);
    let mut add = |variable: DiLocalVariableId, inlined_at: Option<DiLocationId>, ranges: Range<usize>| {
        let node = &info.variables[variable.index()];
        if let Some(scope) = node.scope.and_then(|scope| trees.find(scope, inlined_at))
            && !tree.code(scope).is_empty()
        {
            list.push((argument_order(node.argument), VariableCopy { scope, variable, ranges }));
        }
    };
    let mut start = 0;
    for copy in debug.variables.chunk_by(|a, b| (a.variable, a.inlined_at) == (b.variable, b.inlined_at)) {
        add(copy[0].variable, copy[0].inlined_at, start..start + copy.len());
        start += copy.len();
    }
    for &(variable, inlined_at) in debug.lost.iter().chain(further) {
        add(variable, inlined_at, 0..0);
    }
    for entity in debug.subprogram.into_iter().flat_map(|function| &info.subprograms[function.index()].retained) {
        if let &DiEntity::LocalVariable(variable) = entity {
            add(variable, None, 0..0);
        }
    }
    let mut sorted = by_scope(&list, tree.nodes.len());
    for of_scope in sorted.chunk_by_mut(|&a, &b| list[a as usize].1.scope == list[b as usize].1.scope) {
        // Of entries for the same copy, that with places comes first.
        let key = |&at: &u32| {
            let (order, copy) = &list[at as usize];
            (*order, copy.variable, copy.ranges.is_empty())
        };
        if !of_scope.is_sorted_by_key(key) {
            of_scope.sort_by_key(key);
        }
    }
    let mut copies: Vec<VariableCopy> = sorted.into_iter().map(|at| list[at as usize].1.clone()).collect();
    copies.dedup_by_key(|copy| (copy.scope, copy.variable));
    copies
}

/// The indices of copies by their scopes, of which there are as many as said; those of a scope in order.
fn by_scope(list: &[(u32, VariableCopy)], scopes: usize) -> Vec<u32> {
    let mut next = vec![0; scopes + 1];
    list.iter().for_each(|(_, copy)| next[copy.scope as usize + 1] += 1);
    (1..next.len()).for_each(|scope| next[scope] += next[scope - 1]);
    let mut sorted = vec![0; list.len()];
    for ((_, copy), at) in list.iter().zip(0..) {
        let next: &mut u32 = &mut next[copy.scope as usize];
        sorted[*next as usize] = at;
        *next += 1;
    }
    sorted
}

/// Parameters come first, in their order.
pub(crate) fn argument_order(argument: u16) -> u32 {
    if argument == 0 { u32::MAX } else { argument.into() }
}

impl DebugFunction {
    /// Passes on stretches of the code, which do not overlap, each with the parts of a variable that are known there, in order.
    /// `ranges` are those of the variable.
    pub fn stretches(
        &self,
        ranges: &[VariableRange],
        mut take: impl FnMut(Range<u32>, &[(&VariableRange, Option<Fragment>)]),
    ) {
        let part = |range: &VariableRange| self.debug.expressions[range.expression as usize].fragment();
        if ranges.is_sorted_by(|a, b| a.code.end <= b.code.start) {
            for range in ranges {
                take(range.code.start..range.code.end.min(self.len), &[(range, part(range))]);
            }
            return;
        }
        let mut active: Vec<(&VariableRange, Option<Fragment>)> = Vec::new();
        let mut ends: Vec<u32> =
            ranges.iter().flat_map(|range| [range.code.start, range.code.end.min(self.len)]).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut ranges: Vec<&VariableRange> = ranges.iter().collect();
        ranges.sort_by_key(|range| range.code.start);
        let mut next = 0;
        for code in ends.windows(2).map(|ends| ends[0]..ends[1]) {
            active.retain(|(range, _)| range.code.end > code.start);
            while let Some(range) = ranges.get(next).filter(|range| range.code.start <= code.start) {
                next += 1;
                let part = part(range);
                // What is known last of a part counts.
                active.retain(|&(_, known)| !Fragment::overlap(known, part));
                if range.code.end > code.start {
                    active.push((range, part));
                }
            }
            active.sort_by_key(|(_, part)| part.map_or(0, |part| part.offset));
            take(code, &active);
        }
    }
}
