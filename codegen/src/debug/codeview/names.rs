//! Names with the scopes around them, and paths of files.

use gimli::{DwTag, constants as dw};

use crate::debug::{
    DebugInfo, DiFileId, DiLexicalScopeKind, DiScope, DiString, DiSubprogramId, DiType, DiTypeId, DiTypeKind, to_zero,
};

/// The most scopes around a name that it mentions, the nearest ones: a damaged chain might be a cycle.
const MAX_SCOPES: usize = 64;

/// The scopes around something.
pub(super) struct Parents<'a> {
    /// Names, the nearest first.
    names: Vec<&'a [u8]>,
    /// The nearest function.
    pub function: Option<DiSubprogramId>,
    /// Classes, unions and enumerations.
    pub types: Vec<DiTypeId>,
}

impl Parents<'_> {
    /// A name in these scopes.
    pub fn qualified(&self, name: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        for part in self.names.iter().rev() {
            all.extend_from_slice(part);
            all.extend_from_slice(b"::");
        }
        all.extend_from_slice(name);
        all
    }
}

/// The scopes around something that is in `scope`.
pub(super) fn parents(info: &DebugInfo, scope: Option<DiScope>) -> Parents<'_> {
    let mut all = Parents { names: Vec::new(), function: None, types: Vec::new() };
    let mut at = scope;
    for _ in 0..MAX_SCOPES {
        let Some(scope) = at else { break };
        match scope {
            DiScope::Subprogram(function) => all.function = all.function.or(Some(function)),
            DiScope::Type(ty) if is_composite(&info.types[ty.index()]) => all.types.push(ty),
            _ => {}
        }
        let name = scope_name(info, scope);
        if !name.is_empty() {
            all.names.push(name);
        }
        at = around(info, scope);
    }
    all
}

/// The scope around a scope.
pub(super) fn around(info: &DebugInfo, scope: DiScope) -> Option<DiScope> {
    match scope {
        DiScope::File(_) | DiScope::CompileUnit(_) => None,
        DiScope::Type(ty) => info.types[ty.index()].scope,
        DiScope::Subprogram(function) => info.subprograms[function.index()].scope,
        DiScope::Lexical(inner) => info.scopes[inner.index()].scope,
    }
}

/// The name of a scope; those without one that other names mention have a substitute, as with Microsoft's compiler.
pub(super) fn scope_name(info: &DebugInfo, scope: DiScope) -> &[u8] {
    match scope {
        DiScope::File(_) | DiScope::CompileUnit(_) => &[],
        DiScope::Type(ty) => type_name(info, &info.types[ty.index()]),
        DiScope::Subprogram(function) => string(info, info.subprograms[function.index()].name),
        DiScope::Lexical(inner) => {
            let node = &info.scopes[inner.index()];
            match (string(info, node.name), node.kind) {
                ([], DiLexicalScopeKind::Namespace { .. }) => b"`anonymous namespace'",
                (name, _) => name,
            }
        }
    }
}

/// The name of a type, or a substitute.
pub(super) fn type_name<'a>(info: &'a DebugInfo, node: &DiType) -> &'a [u8] {
    let name = string(info, node.name);
    match DwTag(node.tag) {
        dw::DW_TAG_enumeration_type | dw::DW_TAG_class_type | dw::DW_TAG_structure_type | dw::DW_TAG_union_type
            if name.is_empty() =>
        {
            b"<unnamed-tag>"
        }
        _ => name,
    }
}

/// Is a type one of members or numbers?
pub(super) fn is_composite(node: &DiType) -> bool {
    matches!(node.kind, DiTypeKind::Composite(_))
}

/// Is a type a class, a struct or a union?
pub(super) fn is_class(node: &DiType) -> bool {
    matches!(DwTag(node.tag), dw::DW_TAG_class_type | dw::DW_TAG_structure_type | dw::DW_TAG_union_type)
        && matches!(node.kind, DiTypeKind::Composite(_))
}

/// A string, which ends at a zero.
pub(super) fn string(info: &DebugInfo, string: DiString) -> &[u8] {
    to_zero(info.strings.get(string))
}

/// A name without the arguments of a template at its end.
pub(super) fn without_arguments(name: &[u8]) -> &[u8] {
    if name.last() != Some(&b'>') {
        return name;
    }
    let mut open = 0usize;
    for (at, byte) in name.iter().enumerate().rev() {
        match byte {
            b'>' => open += 1,
            b'<' if open == 1 => return &name[..at],
            b'<' => open -= 1,
            _ => {}
        }
    }
    name
}

/// The path of a file. Those of Unix stay as they are, since links may be among the folders.
pub(super) fn full_path(info: &DebugInfo, file: DiFileId) -> Vec<u8> {
    let node = &info.files[file.index()];
    let (directory, name) = (string(info, node.directory), string(info, node.name));
    if name.starts_with(b"/") {
        return name.to_vec();
    }
    if directory.starts_with(b"/") {
        let slash = if directory.ends_with(b"/") { &b""[..] } else { b"/" };
        return [directory, slash, name].concat();
    }
    let joined = match name.get(1) {
        Some(b':') => name.to_vec(),
        _ if directory.is_empty() => name.to_vec(),
        _ => [directory, b"\\", name].concat(),
    };
    let mut out: Vec<&[u8]> = Vec::new();
    let mut parts = joined.split(|byte| matches!(byte, b'/' | b'\\'));
    let first = parts.next().unwrap_or_default();
    let last = parts.clone().count();
    for (number, part) in parts.enumerate() {
        let ends = number + 1 == last;
        match part {
            // What comes last is a name.
            b".." if !ends && out.last().is_some_and(|before| *before != b"..") => _ = out.pop(),
            b"" | b"." if !ends => {}
            _ => out.push(part),
        }
    }
    out.into_iter().fold(first.to_vec(), |path, part| [&path[..], b"\\", part].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::DiFile;

    #[test]
    fn paths_of_windows_are_made_plain() {
        let path = |directory: &str, name: &str| {
            let mut info = DebugInfo::default();
            let (directory, name) = (info.strings.intern(directory.as_bytes()), info.strings.intern(name.as_bytes()));
            info.files.push(DiFile { directory, name, ..DiFile::default() });
            String::from_utf8(full_path(&info, DiFileId::new(0))).unwrap_or_default()
        };
        assert_eq!(path("C:\\src", "./a/../b//c.c"), "C:\\src\\b\\c.c");
        assert_eq!(path("C:\\src", "D:/x.c"), "D:\\x.c");
        assert_eq!(path("/src", "../c.c"), "/src/../c.c");
        assert_eq!(path("", "c.c"), "c.c");
    }

    #[test]
    fn template_arguments_are_removed() {
        assert_eq!(without_arguments(b"f<a<b>, c>"), b"f");
        assert_eq!(without_arguments(b"operator>"), b"operator>");
        assert_eq!(without_arguments(b"f"), b"f");
    }
}
