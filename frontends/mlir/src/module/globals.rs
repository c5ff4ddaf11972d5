//! Global variables: `llvm.mlir.global` and `memref.global`, whose initializers become bytes and relocations.

use gusset_codegen::ir::{DataObject, Function, SymbolId};
use gusset_codegen::sparse::{SparseBytes, reserve};
use gusset_lower::{FunctionLowering, ModuleLowering, NO_SYMBOL, Reach, put_vec, take_special};
use gusset_program::{Linkage, Sink, Symbol, SymbolKind, TypeId, TypeTable, UnnamedAddress};
use gusset_text::{Placed, Result, Source};

use crate::context::ModuleContext;
use crate::convert::body::BodyReader;
use crate::convert::reader::Reader;
use crate::syntax::attributes::{AttributeKind, AttributeRef};
use crate::syntax::generic::{Item, region_size};
use crate::syntax::lexer::unescape_into;
use crate::syntax::symbols::{Global, StandsFor};
use crate::syntax::types::{Ty, Types};

/// What is read when all names are known: a variable, an alias, or a function that runs before or after the program.
pub(crate) enum Pending<'s> {
    Variable { own: Box<Symbol>, symbol: Option<SymbolId>, global: Box<Global<'s>> },
    Structor { function: Vec<u8>, pos: usize, priority: u32, constructs: bool },
    Alias { symbol: SymbolId, stands_for: StandsFor },
}

/// Checks a variable that has been read: a memref becomes the array of its elements, and whether the variable
/// is defined here is decided.
pub(crate) fn check_variable(
    source: Source,
    (g, item): (&mut Global<'_>, &Item<'_>),
    types: &Types,
    llvm: &mut TypeTable,
) -> Result<()> {
    let (start, memref) = (item.pos, item.name != b"llvm.mlir.global");
    if let Some(why) = types.refusal(g.ty) {
        return Err(source.error(start, why));
    }
    if memref {
        let Some(m) = types.memref(g.ty) else {
            return Err(source.error(start, "a `memref.global` has the type of a ranked memref"));
        };
        let total = m.sizes.iter().try_fold(1u64, |n, &d| n.checked_mul(u64::try_from(d).ok()?));
        let why = match m.sizes.iter().any(|&n| n < 0) {
            true => "the shape of a global must be static",
            false => "a global has more than 2^64 elements",
        };
        total.ok_or_else(|| source.error(start, why))?;
        let mut array = types.whole(m.element);
        for &size in m.sizes.iter().rev() {
            array = llvm.array(array, size as u64).at(source, start)?;
        }
        (g.memref, g.ty) = (Some(g.ty), Ty::of(array));
    }
    let array = matches!(llvm.get(types.whole(g.ty)).kind, gusset_program::Kind::Array { .. });
    source.refuse_if(g.has_word("appending") && !array, start, "what is appended to a variable is an array")?;
    // A private memref without a value has undefined contents.
    g.words.iter_mut().filter(|word| memref && **word == b"nested").for_each(|word| *word = b"private");
    let (weak, private) = (g.has_word("extern_weak"), g.has_word("private"));
    let linkage = |word: &&[u8]| {
        std::str::from_utf8(word).is_ok_and(|word| !word.is_empty() && Linkage::from_name(word).is_some())
    };
    let external = weak || g.has_word("external") || !g.words.iter().any(linkage);
    g.defined = g.value.is_some() || g.region.is_some() || !memref && !external || memref && private;
    let wrong = "a variable that is `extern_weak` is not defined here: it has no value";
    source.refuse_if(weak && g.defined, start, wrong)
}

/// Gives a variable its contents; a variable without a symbol informs the compiler or linker.
pub(crate) fn define(
    tables: &ModuleContext<'_>,
    (bodies, func): (&mut BodyReader<'_>, &mut Function),
    (l, reach): (&mut ModuleLowering, Reach),
    (own, symbol): (&Symbol, Option<SymbolId>),
    g: &Global<'_>,
) -> Result<()> {
    let at = g.value.map(AttributeRef::pos).or(g.region).unwrap_or(0);
    let mut r = bodies.reader(at, func, g.region.map_or(0, |open| region_size(tables.source, open)));
    r.l.begin_constants();
    r.l.begin_contents();
    let ty = r.t.whole(g.ty);
    let constant = matches!(own.kind, SymbolKind::Variable { constant: true, .. });
    let size = r.l.types().get(ty).size;
    let mut data = DataObject::new(symbol.unwrap_or(NO_SYMBOL), SparseBytes::new(), size, 0);
    data.constant = constant;
    data.mergeable = constant && own.properties.unnamed == UnnamedAddress::Global;
    if let Some(open) = g.region {
        let val = r.region_value(open, ty)?;
        r.l.put_value(&mut data, 0, ty, val).at(r.src, open)?;
    } else if let Some(value) = g.value {
        r.elements = g.memref.and_then(|ty| tables.types.memref(ty)).map(|m| m.element);
        r.initializer(value.resolve(r.t), ty, &mut data)?;
    }
    data.relocs.sort_unstable_by_key(|r| r.offset);
    match symbol {
        Some(_) => l.define(own, data, (ty, r.l.types()), (reach, None)),
        None => {
            let name = own.name.as_deref().unwrap_or_default();
            take_special(&mut l.module, name, (ty, &data), (r.l.types(), l.facts.target.endian, false))
                .at(tables.source, at)?;
        }
    }
    Ok(())
}

impl<'r> Reader<'r, FunctionLowering<'r>> {
    /// Reads an initializer that is an attribute.
    fn initializer(&mut self, value: AttributeRef<'r>, ty: TypeId, data: &mut DataObject) -> Result<()> {
        let pos = value.pos();
        let nothing = [&b"zero"[..], b"undef", b"poison"];
        match value.kind() {
            AttributeKind::String => {
                let raw = value.quoted()?;
                let mut bytes = Vec::new();
                let more = raw.len().min(usize::try_from(data.size).unwrap_or(usize::MAX));
                reserve(&mut bytes, more).map_err(|e| self.src.error(pos, e.to_string()))?;
                unescape_into(&mut bytes, raw);
                let other = bytes.len() as u64 != data.size;
                self.src.refuse_if(other, pos, "the string has not as many bytes as the variable")?;
                put_vec(data, 0, bytes).at(self.src, pos)
            }
            AttributeKind::Dialect if nothing.contains(&value.opened("").0) => Ok(()),
            AttributeKind::Other if value.word() == b"uninitialized" => Ok(()),
            AttributeKind::Symbol => {
                let pointer = gusset_program::TypeTable::space(ty).is_some();
                self.src.refuse_if(!pointer, pos, "an address is no value of this type")?;
                let v = self.symbol(&value.symbol()?, pos)?;
                self.l.put_value(data, 0, ty, v).at(self.src, pos)
            }
            _ => {
                if let Some(dense) = value.dense()?
                    && let Some(bytes) = self.dense_bytes(dense, ty)?
                {
                    data.bytes = bytes;
                    return Ok(());
                }
                let v = self.constant(value, Some(Ty::of(ty)))?;
                let (_, val) = self.whole(v)?;
                self.l.put_value(data, 0, ty, val).at(self.src, pos)
            }
        }
    }
}
