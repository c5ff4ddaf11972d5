//! Contents of variables, data of functions, and targets of aliases.

use gusset_codegen::ir::{Function, SymbolId, SymbolKind};
use gusset_lower::{ModuleLowering, NO_SYMBOL, Reach, append, take_special};
use gusset_program::{self as program, Linkage, Refusal, Symbol, UnnamedAddress, refusals, refuse_if};
use gusset_text::Result;

use super::{Global, Parts};
use crate::body::BodyReader;
use crate::tables::Tables;

/// Reads the contents of variables, the data of functions, and the targets of aliases.
pub(super) fn contents(
    t: &Tables<'_>,
    l: &mut ModuleLowering,
    program: &mut program::Module,
    reach: Reach,
) -> Result<()> {
    let mut by_symbol: Vec<usize> = (0..t.globals.len()).collect();
    by_symbol.sort_by_key(|&value| t.globals[value].symbol);
    let (mut bodies, mut func) = (BodyReader::over(t), Function::new());
    let mut aliases = Vec::new();
    for &value in &by_symbol {
        let (global, id) = (&t.globals[value], t.infos[value].symbol);
        let symbol = &program.symbols[global.symbol];
        let placed = |why: Refusal| t.bits.error_at(global.place, why);
        match (&global.parts, &symbol.kind) {
            (Parts::Alias { target }, program::SymbolKind::Alias { ifunc, .. }) => {
                aliases.push((global, id, *target, *ifunc));
            }
            (Parts::Variable { init: Some(init), attributes }, _) if gusset_lower::is_defined(&symbol.properties) => {
                check(t, symbol, *attributes).map_err(placed)?;
                variable((t, &mut bodies, &mut func), l, symbol, (global, id, *init), reach)?;
            }
            (Parts::Function(parts), _)
                if parts.defined && symbol.properties.linkage != Linkage::AvailableExternally =>
            {
                let Some(id) = id else { continue };
                for (place, list) in [(parts.prefix, &mut l.module.prefixes), (parts.prologue, &mut l.module.prologues)]
                {
                    let Some(constant) = place else { continue };
                    let mut r = bodies.reader(&mut func);
                    list.push(r.part(id, constant).map_err(placed)?);
                }
                type_hash((t, &mut bodies, &mut func), l, (global.symbol, id)).map_err(placed)?;
            }
            _ => {}
        }
    }
    // Assemblers need to know the section of an associated symbol first.
    let (symbols, data) = (&l.module.symbols, &mut l.module.data);
    if data.iter().any(|d| symbols[d.symbol.index()].associated.is_some()) {
        data.sort_by_key(|d| symbols[d.symbol.index()].associated.is_some());
    }
    for &(global, id, target, ifunc) in &aliases {
        let placed = |why: Refusal| t.bits.error_at(global.place, why);
        let Some(id) = id else { continue };
        let target = bodies.reader(&mut func).aliased(target).map_err(placed)?;
        l.alias(id, target, ifunc).map_err(placed)?;
    }
    l.mark_ifuncs();
    let made = &l.module.aliases[l.module.aliases.len() - aliases.len()..];
    for ((global, _, _, ifunc), data) in aliases.iter().zip(made) {
        let of_ifunc = l.module.symbols[data.target.index()].kind == SymbolKind::Ifunc;
        let done = refuse_if(of_ifunc && *ifunc, "the resolver of an ifunc must be a function").and_then(|()| {
            refuse_if(of_ifunc && data.offset != 0, "an alias of an ifunc cannot stand for a part of it")
        });
        done.map_err(|why| t.bits.error_at(global.place, why))?;
    }
    for &value in &by_symbol {
        let (global, id) = (&t.globals[value], t.infos[value].symbol);
        let symbol = &program.symbols[global.symbol];
        let (Parts::Variable { attributes, .. }, Some(id)) = (&global.parts, id) else { continue };
        let p = &symbol.properties;
        if gusset_lower::is_defined(p) || p.linkage == Linkage::AvailableExternally {
            continue;
        }
        let placed = |why: Refusal| t.bits.error_at(global.place, why);
        check(t, symbol, *attributes).map_err(placed)?;
        let ty = t.table.get(global.ty.into()).map_err(placed)?;
        let size = t.types.is_sized(ty).then(|| t.types.get(ty).size);
        l.declare(id, symbol, size, reach);
    }
    reach.functions(&mut l.module);
    Ok(())
}

/// Checks what is said of a variable.
fn check(t: &Tables<'_>, symbol: &Symbol, attributes: u32) -> program::Result<()> {
    let absolute = symbol.attached.iter().any(|(kind, _)| kind == b"absolute_symbol");
    if absolute && t.facts.target.is_windows() {
        return Err(Refusal::new(refusals::metadata(b"absolute_symbol")));
    }
    let names_section = t.list(attributes)?.values.as_ref().is_some_and(|values| values.names_section);
    refuse_if(names_section, refusals::NAMED_SECTION)
}

type Readers<'b, 't> = (&'t Tables<'t>, &'b mut BodyReader<'t>, &'b mut Function);

/// Reads the contents of a variable, and defines it.
fn variable<'t>(
    (t, bodies, func): Readers<'_, 't>,
    l: &mut ModuleLowering,
    symbol: &Symbol,
    (global, id, init): (&Global, Option<SymbolId>, u32),
    reach: Reach,
) -> Result<()> {
    let program::SymbolKind::Variable { constant, .. } = symbol.kind else { return Ok(()) };
    let placed = |why: Refusal| t.bits.error_at(global.place, why);
    let mergeable = symbol.properties.unnamed == UnnamedAddress::Global;
    let ty = t.table.get(global.ty.into()).map_err(placed)?;
    let mut r = bodies.reader(func);
    let mut data = r.variable(id.unwrap_or(NO_SYMBOL), ty, init).map_err(placed)?;
    (data.constant, data.mergeable) = (constant, mergeable && constant);
    let associated = associated(t, global.symbol).map_err(placed)?;
    match id {
        Some(_) => l.define(symbol, data, (ty, &t.types), (reach, associated)),
        None => {
            let name = symbol.name.as_deref().unwrap_or_default();
            take_special(&mut l.module, name, (ty, &data), (&t.types, l.facts.target.endian, true)).map_err(placed)?;
        }
    }
    Ok(())
}

/// The symbol with whose section a variable is discarded.
fn associated(t: &Tables<'_>, symbol: usize) -> program::Result<Option<SymbolId>> {
    let Some(values) = t.attached_values(symbol, b"associated") else { return Ok(None) };
    let symbol = values.first().and_then(|&value| t.infos.get(value as usize)?.symbol);
    symbol.map(Some).ok_or_else(|| Refusal::new("the metadata of `associated` names no symbol"))
}

/// Reads the constants before a function that identify its type.
fn type_hash<'t>(
    (t, bodies, func): Readers<'_, 't>,
    l: &mut ModuleLowering,
    (symbol, id): (usize, SymbolId),
) -> program::Result<()> {
    if let Some(&[value]) = t.attached_values(symbol, b"kcfi_type").map(Vec::as_slice) {
        let id_of_type = bodies.reader(func).part(id, value)?;
        l.type_id(id, &id_of_type)?;
    }
    let Some(values) = t.attached_values(symbol, b"func_sanitize") else { return Ok(()) };
    let [first, second] = values[..] else {
        return Err(Refusal::new("the metadata of `func_sanitize` are not two constants"));
    };
    let mut data = bodies.reader(func).part(id, first)?;
    let more = bodies.reader(func).whole(id, second)?;
    let large = data.size.max(more.size) > gusset_lower::MAX_TYPE_HASH;
    refuse_if(large, "more than 1 KiB of data that tells a function's type is not supported")?;
    append(&mut data, more)?;
    l.module.type_hashes.push(data);
    Ok(())
}
