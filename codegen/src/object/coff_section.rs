//! Which section of a COFF file a definition goes to (Microsoft, "PE Format", "Section Flags" and "COMDAT Sections").
//!
//! Names and flags are clang's, for Microsoft's linker and for GNU's.

use std::borrow::Cow;

use object::pe;

use super::spec::{Key, SectionSpec, SectionType, Selection};
use super::{CoffFacts, ObjectError, Result};
use crate::ir::{ComdatKind, DataObject, Linkage, Module, Symbol, SymbolId};

pub(crate) const CODE: u32 = pe::IMAGE_SCN_CNT_CODE | pe::IMAGE_SCN_MEM_EXECUTE | pe::IMAGE_SCN_MEM_READ;
pub(crate) const READ: u32 = pe::IMAGE_SCN_CNT_INITIALIZED_DATA | pe::IMAGE_SCN_MEM_READ;
pub(crate) const WRITE: u32 = READ | pe::IMAGE_SCN_MEM_WRITE;
const ZEROS: u32 = pe::IMAGE_SCN_CNT_UNINITIALIZED_DATA | pe::IMAGE_SCN_MEM_READ | pe::IMAGE_SCN_MEM_WRITE;

/// Read-only data.
pub(crate) const READ_ONLY: SectionSpec = SectionSpec::new(".rdata", SectionType::Bytes, READ, 0);
/// Descriptions of frames.
pub(crate) const UNWIND_INFO: SectionSpec = SectionSpec::new(".xdata", SectionType::Bytes, READ, 0);
/// The table of functions, with references to their frames' descriptions.
pub(crate) const FUNCTION_TABLE: SectionSpec = SectionSpec::new(".pdata", SectionType::Bytes, READ, 0);
/// Directives to the linker.
pub(crate) const DIRECTIVES: SectionSpec =
    SectionSpec::new(".drectve", SectionType::Bytes, pe::IMAGE_SCN_LNK_INFO | pe::IMAGE_SCN_LNK_REMOVE, 0);

/// The numbers of the symbols of handlers that 32-bit Windows may call.
pub(crate) const SAFE_HANDLERS: SectionSpec =
    SectionSpec::new(".sxdata", SectionType::Bytes, pe::IMAGE_SCN_LNK_INFO, 0);
/// The numbers of the symbols where control may continue after handlers.
pub(crate) const CONTINUATIONS: SectionSpec = SectionSpec::new(".gehcont$y", SectionType::Bytes, READ, 0);

/// Control Flow Guard's lists of the numbers of symbols: functions whose addresses are taken, those of other images, and places to
/// which `longjmp` may return.
pub(crate) const GUARDED: SectionSpec = SectionSpec::new(".gfids$y", SectionType::Bytes, READ, 0);
/// See there.
pub(crate) const GUARDED_IMPORTS: SectionSpec = SectionSpec::new(".giats$y", SectionType::Bytes, READ, 0);
/// See there.
pub(crate) const GUARDED_RETURNS: SectionSpec = SectionSpec::new(".gljmp$y", SectionType::Bytes, READ, 0);

/// The section of a function.
pub(super) fn function(coff: &CoffFacts, module: &Module, id: SymbolId) -> Result<SectionSpec> {
    named(coff, module, id, SectionSpec::new(".text", SectionType::Bytes, CODE | coff.code_flags, 0))
}

/// The section of a data object. `zero`: all its bytes are zero.
pub(super) fn data(coff: &CoffFacts, module: &Module, data: &DataObject, zero: bool) -> Result<SectionSpec> {
    let symbol = module.symbol(data.symbol);
    let zero = zero && !data.constant && !module.zeros_in_data && symbol.section.is_none();
    let base = match () {
        () if symbol.is_tls() => SectionSpec::new(".tls$", SectionType::Bytes, WRITE, 0),
        () if zero => SectionSpec::new(".bss", SectionType::Zeros, ZEROS, 0),
        () if data.constant => READ_ONLY,
        () => SectionSpec::new(".data", SectionType::Bytes, WRITE, 0),
    };
    named(coff, module, data.symbol, base)
}

/// The cell for the address of a symbol that may be in another image or nowhere. Linkers keep one of several with the
/// same name.
pub(crate) fn cell(module: &Module, id: SymbolId) -> SectionSpec {
    let name = Cow::Owned(format!(".rdata${}", cell_name(module.symbol(id))));
    let selection = Selection { kind: pe::IMAGE_COMDAT_SELECT_ANY, key: Key::Cell(id) };
    SectionSpec { name, flags: READ | pe::IMAGE_SCN_LNK_COMDAT, selection: Some(selection), ..READ_ONLY }
}

/// The name of that cell.
pub(crate) fn cell_name(symbol: &Symbol) -> String {
    format!(".refptr.{}", symbol.name)
}

/// A section that is kept or dropped with a symbol's: the plain one, unless the symbol is in a COMDAT.
pub(crate) fn associated(module: &Module, with: SymbolId, base: SectionSpec) -> SectionSpec {
    let symbol = module.symbol(with);
    if symbol.comdat.is_none() && !is_alone(symbol) {
        return base;
    }
    let kind = pe::IMAGE_COMDAT_SELECT_ASSOCIATIVE;
    let selection = Selection { kind, key: Key::Symbol(with) };
    SectionSpec { flags: base.flags | pe::IMAGE_SCN_LNK_COMDAT, selection: Some(selection), ..base }
}

/// The section of constructors or destructors of a priority (65535 is the default). Microsoft's linker sorts sections
/// by name; the run-time library begins at `.CRT$XCA`, has its own up to `L`, and ends at `.CRT$XCZ`.
pub(super) fn init(coff: &CoffFacts, init: bool, priority: u32) -> SectionSpec {
    if coff.is_gnu() {
        let stem = if init { ".ctors" } else { ".dtors" };
        let name = match priority {
            65535 => Cow::Borrowed(stem),
            _ => Cow::Owned(format!("{stem}.{:05}", 65535u32.saturating_sub(priority))),
        };
        return SectionSpec { name, ..SectionSpec::new("", SectionType::Bytes, WRITE, 0) };
    }
    let list = if init { 'C' } else { 'T' };
    let name = match priority {
        65535 => format!(".CRT$X{list}{}", if init { 'U' } else { 'X' }),
        0..200 => format!(".CRT$X{list}A{priority:05}"),
        200 => format!(".CRT$X{list}C"),
        201..400 => format!(".CRT$X{list}C{priority:05}"),
        400 => format!(".CRT$X{list}L"),
        _ => format!(".CRT$X{list}T{priority:05}"),
    };
    SectionSpec { name: Cow::Owned(name), ..READ_ONLY }
}

/// A section by the symbol's own wishes and its COMDAT.
fn named(coff: &CoffFacts, module: &Module, id: SymbolId, base: SectionSpec) -> Result<SectionSpec> {
    let symbol = module.symbol(id);
    let mut spec = base;
    if let Some(name) = &symbol.section {
        spec.name = Cow::Owned(name.clone());
        if symbol.excluded {
            spec.flags = pe::IMAGE_SCN_LNK_REMOVE | pe::IMAGE_SCN_MEM_DISCARDABLE;
        }
    }
    let (key, kind) = match symbol.comdat {
        Some(comdat) => {
            let group = &module.comdats[comdat.index()];
            let leader = if symbol.name == group.name { Some((id, id)) } else { leader(module, &group.name) };
            let (key, contents) = leader.ok_or_else(|| ObjectError::ComdatLeader { comdat: group.name.clone() })?;
            (key, if contents == id { selection(group.kind) } else { pe::IMAGE_COMDAT_SELECT_ASSOCIATIVE })
        }
        // Sections of their own are COMDATs of which there is one, as with LLVM.
        None if is_alone(symbol) => (id, pe::IMAGE_COMDAT_SELECT_NODUPLICATES),
        None => return Ok(spec),
    };
    // Only sections without a requested name get the prefix.
    if let (None, Some(prefix)) = (&symbol.section, &symbol.section_prefix) {
        spec.name = Cow::Owned(format!("{}${prefix}", spec.name));
    }
    // GNU's linker identifies sections by name, and expects the symbol after the dollar sign, without 32-bit Windows'
    // prefix. LLVM does not write it for Cygwin.
    if coff.env == gusset_abi::Env::Gnu && symbol.section.is_none() {
        let name = &module.symbol(key).name;
        let bare = if coff.underscores { name.strip_prefix(['_', '@']) } else { None };
        spec.name = Cow::Owned(format!("{}${}", spec.name, bare.unwrap_or(name)));
    }
    spec.flags |= pe::IMAGE_SCN_LNK_COMDAT;
    spec.selection = Some(Selection { kind, key: Key::Symbol(key) });
    Ok(spec)
}

/// Does a section hold nothing but the symbol's definition? A symbol without a name in the object cannot name it.
pub(crate) fn is_alone(symbol: &Symbol) -> bool {
    symbol.own_section && symbol.linkage != Linkage::Private
}

fn selection(kind: ComdatKind) -> u8 {
    match kind {
        ComdatKind::Any => pe::IMAGE_COMDAT_SELECT_ANY,
        ComdatKind::ExactMatch => pe::IMAGE_COMDAT_SELECT_EXACT_MATCH,
        ComdatKind::Largest => pe::IMAGE_COMDAT_SELECT_LARGEST,
        ComdatKind::NoDeduplicate => pe::IMAGE_COMDAT_SELECT_NODUPLICATES,
        ComdatKind::SameSize => pe::IMAGE_COMDAT_SELECT_SAME_SIZE,
    }
}

/// The symbol by which a COMDAT is picked (the one with its name), and the symbol that is picked: itself, or the one
/// that it is an alias of.
fn leader(module: &Module, name: &str) -> Option<(SymbolId, SymbolId)> {
    let named = module.symbols.iter().position(|s| s.name == name && s.linkage != Linkage::Private);
    let id = SymbolId::new(named?);
    let aliased = module.aliases.iter().find(|a| a.symbol == id).map(|a| a.target);
    Some((id, aliased.unwrap_or(id))).filter(|&(_, contents)| module.symbol(contents).is_defined())
}
