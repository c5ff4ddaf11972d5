//! Aliases, and functions that are resolved when a program is loaded: `llvm.mlir.alias`, `llvm.mlir.ifunc`.
//!
//! MLIR 21 and 22, "'llvm' Dialect".

use gusset_codegen::ir::{DataObject, Function, RelocBase, SymbolId, SymbolKind};
use gusset_codegen::sparse::SparseBytes;
use gusset_lower::ModuleLowering;
use gusset_program::{PTR, Sink, TypeId, TypeTable};
use gusset_text::Result;

use crate::context::ModuleContext;
use crate::convert::body::BodyReader;
use crate::module::linkage::symbol_words;
use crate::syntax::attributes::{NamedAttribute, dictionary, find, read_symbol};
use crate::syntax::generic::{generic_operation, no_types};
use crate::syntax::lexer::{Cursor, Tokens};
use crate::syntax::types::Types;

/// The content of the operation.
pub(crate) struct Alias<'s> {
    pub name: Vec<u8>,
    pub words: Vec<&'s [u8]>,
    pub attrs: Vec<NamedAttribute<'s>>,
    /// The type of its target, if types are preserved.
    pub ty: TypeId,
    pub stands_for: StandsFor,
}

/// Its target.
#[derive(Clone, Debug)]
pub(crate) enum StandsFor {
    /// The address that a region returns, whose brace is here.
    Region(usize),
    /// The result of the function with this name, which is here.
    Resolved(Vec<u8>, usize),
}

impl StandsFor {
    pub fn is_resolved(&self) -> bool {
        matches!(self, StandsFor::Resolved(..))
    }
}

/// Reads the operation of an alias, or of a resolved function.
pub(crate) fn parse<'s>(
    (mut c, end): (Cursor<'s>, usize),
    resolved: bool,
    types: &mut Types,
    llvm: &mut TypeTable,
) -> Result<Alias<'s>> {
    let start = c;
    let (mut attrs, mut words) = (Vec::new(), Vec::new());
    let (name, stands_for);
    let mut ty = PTR;
    if c.peek() == b'"' {
        let open = generic_operation(&mut c, &mut attrs)?;
        no_types(&mut c)?;
        words = symbol_words(&attrs)?;
        let attr = |name: &str| find(&attrs, name).ok_or_else(|| start.error(format!("`{name}` is missing")));
        name = attr("sym_name")?.bytes()?;
        if llvm.carries() {
            let value = attr(if resolved { "i_func_type" } else { "alias_type" })?;
            ty = aliased_type(&mut value.cursor(), types, llvm)?;
        }
        stands_for = if resolved {
            let resolver = attr("resolver")?;
            StandsFor::Resolved(resolver.symbol()?.into_owned(), resolver.pos())
        } else {
            StandsFor::Region(open.ok_or_else(|| start.error("the region is missing"))?)
        };
    } else {
        c.bump(c.word_len());
        while c.peek() != b'@' {
            let word = c.peek_word();
            c.unexpected_if(word.is_empty(), c.pos, "a name")?;
            c.bump(word.len());
            words.push(word);
        }
        name = read_symbol(&mut c)?.into_owned();
        dictionary(&mut c, &mut attrs)?;
        c.expect(b':')?;
        ty = aliased_type(&mut c, types, llvm)?;
        if resolved {
            c.expect(b',')?;
            types.parse(llvm, &mut c)?;
            let pos = c.pos;
            stands_for = StandsFor::Resolved(read_symbol(&mut c)?.into_owned(), pos);
            dictionary(&mut c, &mut attrs)?;
        } else {
            stands_for = StandsFor::Region(c.pos);
            c.unexpected_if(c.peek() != b'{', c.pos, "a region")?;
            c.skip_region()?;
        }
    }
    c.at_the_end(end)?;
    Ok(Alias { name, words, attrs, ty, stands_for })
}

/// Reads the type of an alias's target, which may be a function type.
fn aliased_type(c: &mut Cursor, types: &mut Types, llvm: &mut TypeTable) -> Result<TypeId> {
    if llvm.carries() && c.starts_with(b"!llvm.func<") {
        return types.function_type(llvm, c);
    }
    types.parse(llvm, c).map(|ty| types.whole(ty))
}

/// Defines an alias when all names are known.
pub(crate) fn define(
    tables: &ModuleContext<'_>,
    (bodies, func): (&mut BodyReader<'_>, &mut Function),
    l: &mut ModuleLowering,
    symbol: SymbolId,
    stands_for: &StandsFor,
) -> Result<()> {
    let (target, offset, pos) = match stands_for {
        StandsFor::Resolved(name, pos) => match tables.lookup(name) {
            Some(resolver) => (resolver.symbol, 0, *pos),
            None => return Err(Cursor::new(tables.source, *pos).error("the function is not defined")),
        },
        &StandsFor::Region(open) => {
            let mut end = Cursor::new(tables.source, open);
            end.skip_region()?;
            let mut r = bodies.reader(Cursor::new(tables.source, open), func, end.pos - open);
            r.l.begin_constants();
            let size = r.l.types().get(PTR).size;
            let mut data = DataObject {
                symbol,
                bytes: SparseBytes::new(),
                size,
                align: 1,
                constant: false,
                mergeable: false,
                relocs: Vec::new(),
            };
            r.initializer_region(PTR, &mut data)?;
            match &data.relocs[..] {
                [one] if matches!(one.base, RelocBase::Zero) => (one.symbol, one.addend, open),
                _ => {
                    let m = "an alias must stand for a symbol of this module";
                    return Err(Cursor::new(tables.source, open).error(m));
                }
            }
        }
    };
    let place = Cursor::new(tables.source, pos);
    l.alias(symbol, (target, offset), stands_for.is_resolved()).map_err(|why| place.error(why))?;
    let function = l.module.symbols[target.index()].kind == SymbolKind::Function;
    place.refuse_if(stands_for.is_resolved() && !function, pos, "what resolves a function is a function")
}
