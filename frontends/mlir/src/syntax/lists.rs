//! Operations of modules that are neither functions nor variables, in both forms: constructors and destructors, COMDAT
//! groups, options for linkers.
//!
//! MLIR, "'llvm' Dialect", `llvm.mlir.global_ctors`, `llvm.comdat`, `llvm.linker_options`.

use gusset_program::Selection;
use gusset_text::Result;

use crate::syntax::attributes::{AttributeRef, dictionary, find, read_symbol};
use crate::syntax::generic::{generic_operation, no_types};
use crate::syntax::lexer::{Cursor, Tokens};

/// Functions that run before or after a program: name, its position, and priority.
pub(crate) type Structors = Vec<(Vec<u8>, usize, u32)>;

/// Reads `llvm.mlir.global_ctors {ctors = [@f], priorities = [0 : i32]}`; `list` is `ctors` or `dtors`.
pub(crate) fn structors(mut c: Cursor, list: &str) -> Result<Structors> {
    let mut attrs = Vec::new();
    if c.peek() == b'"' {
        generic_operation(&mut c, &mut attrs)?;
    } else {
        c.bump(c.word_len());
        dictionary(&mut c, &mut attrs)?;
    }
    let (Some(functions), Some(priorities)) = (find(&attrs, list), find(&attrs, "priorities")) else {
        return Err(c.error("the lists of functions and priorities are missing"));
    };
    let priorities = priorities.integers()?;
    let all = functions.array()?.collect::<Result<Vec<_>>>()?;
    if all.len() != priorities.len() {
        return Err(functions.error("there are not as many priorities as functions"));
    }
    let one = |(name, n): (AttributeRef, i64)| Ok((name.symbol()?.into_owned(), name.pos(), n as u32));
    all.into_iter().zip(priorities).map(one).collect()
}

/// Reads `llvm.comdat @name { llvm.comdat_selector @group any … }`: the groups, each with its position and selection
/// kind.
pub(crate) fn comdats(mut c: Cursor) -> Result<Vec<(Vec<u8>, usize, Selection)>> {
    let mut attrs = Vec::new();
    if c.peek() == b'"' {
        let region = generic_operation(&mut c, &mut attrs)?;
        c.pos = region.ok_or_else(|| c.error("the region is missing"))?;
    } else {
        c.bump(c.word_len());
        read_symbol(&mut c)?;
    }
    c.expect(b'{')?;
    let mut all = Vec::new();
    while !c.eat(b'}') {
        let start = c;
        let (name, kind);
        if c.peek() == b'"' {
            c.unexpected_if(c.quoted()? != b"llvm.comdat_selector", start.pos, "`llvm.comdat_selector`")?;
            c = start;
            attrs.clear();
            generic_operation(&mut c, &mut attrs)?;
            let (Some(named), Some(said)) = (find(&attrs, "sym_name"), find(&attrs, "comdat")) else {
                return Err(start.error("the name and the kind of the group are missing"));
            };
            name = named.bytes()?;
            kind = u8::try_from(said.integer()?).ok().and_then(Selection::from_u8);
            no_types(&mut c)?;
        } else {
            c.expect_word("llvm.comdat_selector")?;
            name = read_symbol(&mut c)?.into_owned();
            let word = c.peek_text();
            kind = Selection::from_name(word);
            if kind.is_some() {
                c.bump(word.len());
            }
        }
        let kind = kind.ok_or_else(|| c.expected("a kind of COMDAT group"))?;
        all.push((name, start.pos, kind));
        c.skip_location()?;
    }
    Ok(all)
}

/// The list of `llvm.linker_options [...]`, which in the generic form is an attribute.
pub(crate) fn list<'s>(mut c: Cursor<'s>, attribute: &str) -> Result<AttributeRef<'s>> {
    if c.peek() != b'"' {
        c.bump(c.word_len());
        return Ok(AttributeRef::at(&c));
    }
    let mut attrs = Vec::new();
    generic_operation(&mut c, &mut attrs)?;
    find(&attrs, attribute).ok_or_else(|| c.error("the list is missing"))
}
