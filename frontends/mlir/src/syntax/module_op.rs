//! The operations of modules; and, in both forms, those that are neither functions nor variables: constructors and
//! destructors, COMDAT groups, options for linkers.
//!
//! MLIR, "'llvm' Dialect", `llvm.mlir.global_ctors`, `llvm.comdat`, `llvm.linker_options`.

use gusset_program::{Selection, TypeTable};
use gusset_text::{Result, Source};

use super::attributes::{AttributeRef, dictionary, find, read_symbol};
use super::generic::{Item, generic_operation, no_types};
use super::header::Header;
use super::lexer::{Cursor, Tokens};
use super::symbols::{Alias, Global};
use super::types::Types;

/// Functions that run before or after a program: name, its position, and priority.
pub(crate) type Structors = Vec<(Vec<u8>, usize, u32)>;

/// An operation of a module.
pub(crate) enum ModuleOp<'s> {
    /// A function, up to its region.
    Function(Header<'s>),
    Global(Global<'s>),
    Alias(Alias<'s>),
    /// COMDAT groups: names, their positions, and selection kinds.
    Comdats(Vec<(Vec<u8>, usize, Selection)>),
    /// Constructors, if the flag is set, or destructors.
    Structors(Structors, bool),
    /// A list of options for linkers.
    LinkerOptions(AttributeRef<'s>),
    /// A list of the module's flags.
    Flags(AttributeRef<'s>),
    /// An operation that modules do not have.
    Unknown,
}

impl<'s> ModuleOp<'s> {
    /// Reads an operation.
    pub fn read(source: Source<'s>, item: &Item<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<ModuleOp<'s>> {
        let mut c = Cursor::new(source.text, item.pos);
        Ok(match item.name {
            b"func.func" | b"func" | b"llvm.func" | b"builtin.func" | b"std.func" | b"util.func" => {
                let header = Header::parse(&mut c, types, llvm)?;
                header.ends_at(c, item.end)?;
                ModuleOp::Function(header)
            }
            b"llvm.mlir.global" => ModuleOp::Global(Global::parse(source, item, false, types, llvm)?),
            b"memref.global" | b"global_memref" | b"std.global_memref" => {
                ModuleOp::Global(Global::parse(source, item, true, types, llvm)?)
            }
            b"llvm.mlir.alias" => ModuleOp::Alias(Alias::parse(source, item, false, types, llvm)?),
            b"llvm.mlir.ifunc" => ModuleOp::Alias(Alias::parse(source, item, true, types, llvm)?),
            b"llvm.comdat" => ModuleOp::Comdats(comdats(c)?),
            b"llvm.mlir.global_ctors" => ModuleOp::Structors(structors(c, "ctors")?, true),
            b"llvm.mlir.global_dtors" => ModuleOp::Structors(structors(c, "dtors")?, false),
            b"llvm.linker_options" => ModuleOp::LinkerOptions(list(c, "options")?),
            b"llvm.module_flags" => ModuleOp::Flags(list(c, "flags")?.resolve(types)),
            _ => ModuleOp::Unknown,
        })
    }
}

/// Reads `llvm.mlir.global_ctors {ctors = [@f], priorities = [0 : i32]}`; `list` is `ctors` or `dtors`.
fn structors(mut c: Cursor, list: &str) -> Result<Structors> {
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
fn comdats(mut c: Cursor) -> Result<Vec<(Vec<u8>, usize, Selection)>> {
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
fn list<'s>(mut c: Cursor<'s>, attribute: &str) -> Result<AttributeRef<'s>> {
    if c.peek() != b'"' {
        c.bump(c.word_len());
        return Ok(AttributeRef::at(&c));
    }
    let mut attrs = Vec::new();
    generic_operation(&mut c, &mut attrs)?;
    find(&attrs, attribute).ok_or_else(|| c.error("the list is missing"))
}
