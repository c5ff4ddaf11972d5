//! A module's properties: its source, flags, assembly, options for linkers.
//!
//! Later versions of MLIR have attributes of the module for some of these: `llvm.ident`, `llvm.commandline`,
//! `llvm.module_asm`, `llvm.dependent_libraries`. Flags, for which MLIR 21 has the operation `llvm.module_flags`, are
//! written as an attribute of that name, which all versions read: `[[1 : i32, "wchar_size", 4 : i32]]`.

use gusset_text::Result;

use crate::syntax::attributes::{AttributeKind, AttributeRef, read_int};
use crate::syntax::lexer::{Cursor, Tokens, unescape};
use crate::syntax::parameters::opened;
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
pub(crate) fn source_name(mut c: Cursor, types: &Types) -> Option<Vec<u8>> {
    if !c.eat_word(b"loc") || !c.eat(b'(') {
        return None;
    }
    c = types.resolve(c);
    // An alias is one of a location.
    if c.eat_word(b"loc") && !c.eat(b'(') || c.peek() != b'"' {
        return None;
    }
    let name = c.quoted().ok()?;
    let text = name.ends_with(b".mlir") || name.ends_with(b".mlirbc") || matches!(name, b"" | b"-" | b"<stdin>");
    (c.starts_with(b":0:0") && !text).then(|| unescape(name))
}

/// Reads a list of flags, of the attribute or of the operation.
pub(crate) fn flags(list: AttributeRef, types: &Types) -> Result<Vec<Flag>> {
    list.array()?.map(|value| value.and_then(|value| flag(value.resolve(types).cursor(), value.pos()))).collect()
}

/// `[1 : i32, "wchar_size", 4 : i32]`, or `#llvm.mlir.module_flag<error, "wchar_size", 4 : i32>`.
fn flag(mut c: Cursor, pos: usize) -> Result<Flag> {
    let behavior = if c.eat(b'[') {
        read_int(&mut c)?
    } else {
        c = opened(c, "").1;
        let word = c.peek_word();
        let known = BEHAVIORS.iter().position(|b| *b == word);
        c.bump(word.len());
        known.ok_or_else(|| c.error_at(pos, "this is not what a module's flag does"))? as i64 + 1
    };
    c.expect(b',')?;
    let key = unescape(c.quoted()?);
    c.expect(b',')?;
    let value = match c.peek() {
        b'"' => FlagValue::Text(unescape(c.quoted()?)),
        b'#' | b'[' => return Err(c.error("a module's flag of this kind is not supported")),
        _ => FlagValue::Number(read_int(&mut c)?),
    };
    Ok(Flag { behavior, key, value, pos })
}

/// Reads a string, or a list of them.
pub(crate) fn texts(value: AttributeRef) -> Result<Vec<Vec<u8>>> {
    match value.kind() {
        AttributeKind::String => Ok(vec![value.bytes()?]),
        _ => value.array()?.map(|text| text?.bytes()).collect(),
    }
}
