//! Aliases, and functions that are resolved when a program is loaded: `llvm.mlir.alias`, `llvm.mlir.ifunc`.
//!
//! MLIR 21 and 22, "'llvm' Dialect".

use gusset_codegen::ir::{DataObject, Function, RelocBase, SymbolId, SymbolKind};
use gusset_codegen::sparse::SparseBytes;
use gusset_lower::ModuleLowering;
use gusset_program::{PTR, Sink};
use gusset_text::{Placed, Result};

use crate::context::ModuleContext;
use crate::convert::body::BodyReader;
use crate::syntax::generic::region_size;
use crate::syntax::symbols::StandsFor;

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
            None => return Err(tables.source.error(*pos, "the function is not defined")),
        },
        &StandsFor::Region(open) => {
            let mut r = bodies.reader(open, func, region_size(tables.source, open));
            r.l.begin_constants();
            let size = r.l.types().get(PTR).size;
            let mut data = DataObject::new(symbol, SparseBytes::new(), size, 1);
            let val = r.region_value(open, PTR)?;
            r.l.put_value(&mut data, 0, PTR, val).at(r.src, open)?;
            match &data.relocs[..] {
                [one] if matches!(one.base, RelocBase::Zero) => (one.symbol, one.addend, open),
                _ => return Err(tables.source.error(open, "an alias must stand for a symbol of this module")),
            }
        }
    };
    l.alias(symbol, (target, offset), stands_for.is_resolved()).at(tables.source, pos)?;
    let function = l.module.symbols[target.index()].kind == SymbolKind::Function;
    tables.source.refuse_if(stands_for.is_resolved() && !function, pos, "what resolves a function is a function")
}
