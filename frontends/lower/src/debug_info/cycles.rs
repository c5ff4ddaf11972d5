//! Damaged metadata may have cycles where programs have chains. They are cut, so that those who follow a chain need not care.

use gusset_codegen::debug::{DebugInfo, DiScope, DiTypeId, DiTypeKind};

/// Cuts cycles among `count` things, each of which leads to at most one other. Takes linear time. Returns whether there were any.
fn cut(count: usize, next: impl Fn(usize) -> Option<usize>, mut remove: impl FnMut(usize)) -> bool {
    // In which walk a thing was reached.
    let (mut reached, mut found) = (vec![0u32; count], false);
    for start in 0..count {
        let (walk, mut at) = (start as u32 + 1, start);
        while reached[at] == 0 {
            reached[at] = walk;
            match next(at) {
                Some(to) if reached[to] == walk => {
                    found = true;
                    remove(at);
                    break;
                }
                Some(to) => at = to,
                None => break,
            }
        }
    }
    found
}

/// The tags of types that mean the same as the type that they name.
fn is_alias(tag: u16) -> bool {
    // `typedef`, `const`, `packed`, `volatile`, `restrict`, `shared`, `atomic`, `immutable`.
    matches!(tag, 0x16 | 0x26 | 0x2d | 0x35 | 0x37 | 0x40 | 0x47 | 0x4b)
}

/// Cuts chains of scopes, of inlined calls, and of names of types. Returns whether there were cycles.
pub(super) fn cut_cycles(info: &mut DebugInfo) -> bool {
    let (scopes, types, subprograms) = (info.scopes.len(), info.types.len(), info.subprograms.len());
    let number = |scope: DiScope| match scope {
        DiScope::Lexical(id) => Some(id.index()),
        DiScope::Type(id) => Some(scopes + id.index()),
        DiScope::Subprogram(id) => Some(scopes + types + id.index()),
        DiScope::CompileUnit(_) | DiScope::File(_) => None,
    };
    let around: Vec<Option<DiScope>> = (info.scopes.iter().map(|s| s.scope))
        .chain(info.types.iter().map(|t| t.scope))
        .chain(info.subprograms.iter().map(|s| s.scope))
        .collect();
    let mut found = cut(
        scopes + types + subprograms,
        |n| around[n].and_then(number),
        |n| {
            if n < scopes {
                info.scopes[n].scope = None;
            } else if n < scopes + types {
                info.types[n - scopes].scope = None;
            } else {
                info.subprograms[n - scopes - types].scope = None;
            }
        },
    );
    let callers: Vec<_> = info.locations.iter().map(|location| location.inlined_at).collect();
    let caller = |n: usize| callers[n].map(|id: gusset_codegen::debug::DiLocationId| id.index());
    found |= cut(callers.len(), caller, |n| info.locations[n].inlined_at = None);
    let bases: Vec<Option<DiTypeId>> = (info.types.iter())
        .map(|ty| match &ty.kind {
            DiTypeKind::Derived(derived) if is_alias(ty.tag) => derived.base,
            _ => None,
        })
        .collect();
    found |= cut(
        types,
        |n| bases[n].map(|id| id.index()),
        |n| {
            if let DiTypeKind::Derived(derived) = &mut info.types[n].kind {
                derived.base = None;
            }
        },
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_cut_once() {
        // 0 -> 1 -> 2 -> 1, 3 -> 0, 4 -> 4, 5.
        let to = [Some(1), Some(2), Some(1), Some(0), Some(4), None];
        let mut removed = Vec::new();
        assert!(cut(6, |n| to[n], |n| removed.push(n)));
        assert_eq!(removed, [2, 4]);
        assert!(!cut(3, |n| n.checked_sub(1), |_| unreachable!()));
    }
}
