//! A module's properties: its source, flags, assembly, options for linkers.
//!
//! Later versions of MLIR have attributes of the module for some of these: `llvm.ident`, `llvm.commandline`,
//! `llvm.module_asm`, `llvm.dependent_libraries`. Flags, for which MLIR 21 has the operation `llvm.module_flags`, are
//! written as an attribute of that name, which all versions read: `[[1 : i32, "wchar_size", 4 : i32]]`.

use gusset_text::Result;

use crate::syntax::attributes::{AttributeKind, AttributeRef};
use crate::syntax::lexer::unescape;
use crate::syntax::locations::Location;
use crate::syntax::types::Types;

/// A module's flag (LLVM LangRef, "Module Flags Metadata").
pub(crate) struct Flag {
    /// What linking does with it: LLVM's number.
    pub behavior: i64,
    pub key: Vec<u8>,
    pub value: FlagValue,
    /// Its position.
    pub pos: usize,
}

pub(crate) enum FlagValue {
    Number(i64),
    Text(Vec<u8>),
}

/// What linking does, in the order of LLVM's numbers, which begin at 1.
const BEHAVIORS: [&[u8]; 8] =
    [b"error", b"warning", b"require", b"override", b"append", b"append_unique", b"max", b"min"];

/// The source file of a module: the file in the location after it, if that is no position in the text (`"f.c":0:0`).
/// MLIR's tools give modules without a location the position of their own text, which is not the source file.
pub(crate) fn source_name(location: AttributeRef, types: &Types) -> Option<Vec<u8>> {
    let Ok(Location::File { name, line: 0, column: 0 }) = Location::read(location, types) else { return None };
    let text = name.ends_with(b".mlir") || name.ends_with(b".mlirbc") || matches!(name, b"" | b"-" | b"<stdin>");
    (!text).then(|| unescape(name))
}

/// Reads a list of flags, of the attribute or of the operation.
pub(crate) fn flags(list: AttributeRef, types: &Types) -> Result<Vec<Flag>> {
    list.array()?.map(|value| value.and_then(|value| flag(value.resolve(types), value.pos()))).collect()
}

/// `[1 : i32, "wchar_size", 4 : i32]`, or `#llvm.mlir.module_flag<error, "wchar_size", 4 : i32>`.
fn flag(flag: AttributeRef, pos: usize) -> Result<Flag> {
    let all: Vec<AttributeRef> = match flag.kind() {
        AttributeKind::Array => flag.values()?,
        _ => flag.parameters()?.iter().map(|parameter| parameter.value).collect(),
    };
    let [behavior, key, value] = all[..] else { return Err(flag.expected("a module's flag")) };
    let behavior = match behavior.kind() {
        AttributeKind::Number => behavior.integer()?,
        _ => {
            let known = BEHAVIORS.iter().position(|known| *known == behavior.word());
            known.ok_or_else(|| behavior.error("this is not what a module's flag does"))? as i64 + 1
        }
    };
    let key = key.bytes()?;
    let value = match value.kind() {
        AttributeKind::String => FlagValue::Text(value.bytes()?),
        AttributeKind::Dialect | AttributeKind::Array => {
            return Err(value.error("a module's flag of this kind is not supported"));
        }
        _ => FlagValue::Number(value.integer()?),
    };
    Ok(Flag { behavior, key, value, pos })
}

/// Reads a string, or a list of them.
pub(crate) fn texts(value: AttributeRef) -> Result<Vec<Vec<u8>>> {
    value.values()?.into_iter().map(AttributeRef::bytes).collect()
}
