//! Which section a symbol's definition goes to.
//!
//! Names, types and flags are ELF's (System V gABI, "Sections"; the GNU gABI extensions for `SHF_GNU_RETAIN`). The
//! object and the assembly text both use this file, so that they agree.

use std::borrow::Cow;

use object::elf;

use super::coff_section;
use super::spec::{A, AM, AMS, AW, AWT, AX, Group, SectionSpec, SectionType};
use super::{ObjectError, ObjectFormat, Result};
use crate::compiled::SplitStacks;
use crate::ir::{DataObject, Linkage, Module, Structor, SymbolId, SymbolKind};
use crate::names::bytes_of;
use crate::stack_map::section::NAME as STACK_MAPS;

/// The section of a kind of definition, and its name if the definition may be far away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Nature {
    name: &'static str,
    far_name: &'static str,
    flags: u32,
    ty: SectionType,
}

impl Nature {
    const READ_ONLY: Nature = Nature::new(".rodata", ".lrodata", A, SectionType::Bytes);
    const REL_RO: Nature = Nature::new(".data.rel.ro", ".ldata.rel.ro", AW, SectionType::Bytes);
    const DATA: Nature = Nature::new(".data", ".ldata", AW, SectionType::Bytes);
    const BSS: Nature = Nature::new(".bss", ".lbss", AW, SectionType::Zeros);
    const TLS_DATA: Nature = Nature::new(".tdata", ".tdata", AWT, SectionType::Bytes);
    const TLS_BSS: Nature = Nature::new(".tbss", ".tbss", AWT, SectionType::Zeros);

    const fn new(name: &'static str, far_name: &'static str, flags: u32, ty: SectionType) -> Nature {
        Nature { name, far_name, flags, ty }
    }
}

/// The section of a constant of the code, 1 to 16 bytes. Constants that linkers can merge go to mergeable sections.
pub(crate) fn constant_section(format: &ObjectFormat, size: u8) -> SectionSpec {
    if format.coff.is_some() {
        return coff_section::READ_ONLY;
    }
    shared_constant_section(size)
}

fn shared_constant_section(size: u8) -> SectionSpec {
    match size {
        4 => SectionSpec::new(".rodata.cst4", SectionType::Bytes, AM, 4),
        8 => SectionSpec::new(".rodata.cst8", SectionType::Bytes, AM, 8),
        16 => SectionSpec::new(".rodata.cst16", SectionType::Bytes, AM, 16),
        _ => SectionSpec::RODATA,
    }
}

/// The section of a function.
///
/// # Errors
/// A COMDAT group in COFF without a symbol of the same name.
pub(crate) fn function_section(
    format: &ObjectFormat,
    module: &Module,
    id: SymbolId,
    retain: bool,
) -> Result<SectionSpec> {
    if let Some(coff) = &format.coff {
        return coff_section::function(coff, module, id);
    }
    let symbol = module.symbol(id);
    Ok(named_section(
        module,
        id,
        ".text",
        (SectionType::Bytes, AX | format.code_section_flag),
        retain,
        symbol.align.into(),
    ))
}

/// The section of a function's jump tables, in the function's group: they are dropped with the function.
pub(crate) fn table_section(format: &ObjectFormat, module: &Module, function: SymbolId) -> SectionSpec {
    if format.coff.is_some() {
        return coff_section::associated(module, function, coff_section::READ_ONLY);
    }
    let symbol = module.symbol(function);
    match symbol.comdat {
        None if !symbol.own_section => SectionSpec::RODATA,
        _ => beside(module, function, ".rodata"),
    }
}

/// The section of tables of variables that other functions find by the frame.
pub(crate) fn escape_section(format: &ObjectFormat) -> SectionSpec {
    if format.coff.is_some() { coff_section::READ_ONLY } else { SectionSpec::RODATA }
}

/// The section of stack maps. In position-independent code the loader writes the addresses of functions to it.
pub(crate) fn stack_map_section(format: &ObjectFormat, pic: bool) -> SectionSpec {
    let flags = match format.coff {
        Some(_) => coff_section::READ,
        None if pic => AW,
        None => A,
    };
    SectionSpec::new(STACK_MAPS, SectionType::Bytes, flags, 0)
}

/// The section of a function's table of landing pads: in the function's group.
pub(crate) fn landing_section(format: &ObjectFormat, module: &Module, function: SymbolId) -> SectionSpec {
    let name = Cow::Borrowed(".gcc_except_table");
    if format.coff.is_some() {
        return SectionSpec { name, ..coff_section::READ_ONLY };
    }
    let symbol = module.symbol(function);
    match symbol.comdat {
        None if !symbol.own_section => SectionSpec { name, ..SectionSpec::RODATA },
        _ => beside(module, function, ".gcc_except_table"),
    }
}

/// The read-only section of one function alone, in the function's group.
fn beside(module: &Module, function: SymbolId, name: &'static str) -> SectionSpec {
    let symbol = module.symbol(function);
    let group = symbol.comdat.map(Group::Comdat);
    match module.plain_section_names {
        true => SectionSpec { name: name.into(), group, alone: Some(function), ..SectionSpec::RODATA },
        false => SectionSpec { name: format!("{name}.{}", symbol.name).into(), group, ..SectionSpec::RODATA },
    }
}

/// Sections of strings that a module has for linkers and readers, with their contents.
pub(crate) fn string_sections(module: &Module) -> impl Iterator<Item = (SectionSpec, Vec<u8>)> {
    let strings = elf::SHF_MERGE | elf::SHF_STRINGS;
    let options = SectionSpec::new(".linker-options", SectionType::LinkerOptions, elf::SHF_EXCLUDE, 0);
    let libraries = SectionSpec::new(".deplibs", SectionType::Libraries, strings, 1);
    let commands = SectionSpec::new(".GCC.command.line", SectionType::Bytes, strings, 1);
    let lists = [
        (options, &module.linker_options, false),
        (libraries, &module.dependent_libraries, false),
        (commands, &module.command_lines, true),
    ];
    lists.into_iter().filter(|(_, list, _)| !list.is_empty()).map(|(spec, list, after_zero)| {
        let mut bytes = vec![0; usize::from(after_zero)];
        for text in list {
            bytes.extend(bytes_of(text).iter().filter(|&&b| b != 0));
            bytes.push(0);
        }
        (spec, bytes)
    })
}

/// The contents of [`SectionSpec::PROPERTY`], if there are any (Linux Extensions to gABI, "Program Property").
pub(crate) fn property_note(format: &ObjectFormat, module: &Module) -> Option<Vec<u8>> {
    let (property, of) = format.features_property.filter(|_| format.coff.is_none())?;
    let has = [module.branch_protection, module.return_protection, module.guarded_control_stack];
    let bits = has.into_iter().zip(of).fold(0, |bits, (has, bit)| bits | if has { bit } else { 0 });
    if bits == 0 {
        return None;
    }
    let word = usize::from(format.pointer_bytes);
    let mut note = Vec::new();
    let name = format.endian().read_u32(*b"GNU\0");
    for number in [4, 8 + word as u32, elf::NT_GNU_PROPERTY_TYPE_0, name, property, 4, bits] {
        note.extend(format.endian().u32(number));
    }
    note.resize(note.len().next_multiple_of(word), 0);
    Some(note)
}

/// The sections whose presence tells linkers whether functions check for room on their stacks (GCC, "Split Stacks").
pub(crate) fn split_stack_notes(split: SplitStacks) -> impl Iterator<Item = SectionSpec> {
    let wanted = [(split.some, ".note.GNU-split-stack"), (split.some && split.not_all, ".note.GNU-no-split-stack")];
    wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, name)| SectionSpec::new(name, SectionType::Bytes, 0, 0))
}

/// The section of the address at which a function can be patched.
pub(crate) fn patch_section(module: &Module, function: SymbolId) -> SectionSpec {
    let group = module.symbol(function).comdat.map(Group::Comdat);
    let plain = SectionSpec::new("__patchable_function_entries", SectionType::Bytes, AW | elf::SHF_LINK_ORDER, 0);
    SectionSpec { group, linked: Some(function), ..plain }
}

/// The section of the distances to the places where a function's checks of types trap (Linux, `lib/report_kcfi`).
pub(crate) fn trap_section(module: &Module, function: SymbolId) -> SectionSpec {
    SectionSpec {
        group: module.symbol(function).comdat.map(Group::Comdat),
        linked: Some(function),
        ..SectionSpec::new(".kcfi_traps", SectionType::Bytes, A | elf::SHF_LINK_ORDER, 0)
    }
}

/// The sections that describe functions for tools: where their blocks are (LLVM Extensions, "`SHT_LLVM_BB_ADDR_MAP` Section"), and
/// how much stack they take (the same, "`.stack_sizes` Section").
pub(crate) fn block_map_section(module: &Module, function: SymbolId) -> SectionSpec {
    SectionSpec {
        ty: SectionType::BlockMap,
        flags: elf::SHF_LINK_ORDER,
        ..sled_section(module, function, ".llvm_bb_addr_map")
    }
}

/// See [`block_map_section`].
pub(crate) fn stack_size_section(module: &Module, function: SymbolId) -> SectionSpec {
    SectionSpec { flags: elf::SHF_LINK_ORDER, ..sled_section(module, function, ".stack_sizes") }
}

/// A section about the places of a function where tools can write calls (LLVM, "XRay Instrumentation").
pub(crate) fn sled_section(module: &Module, function: SymbolId, name: &'static str) -> SectionSpec {
    SectionSpec {
        group: module.symbol(function).comdat.map(Group::Comdat),
        linked: Some(function),
        ..SectionSpec::new(name, SectionType::Bytes, A | elf::SHF_LINK_ORDER, 0)
    }
}

/// The section of pointers to types that may be in other images.
pub(crate) const TYPE_CELLS: SectionSpec = SectionSpec::new(".data.rel.ro", SectionType::Bytes, AW, 0);

/// The section of the cell with a personality routine's address. Linkers keep one of several with the same name.
pub(crate) fn personality_section(module: &Module, routine: SymbolId) -> SectionSpec {
    let name = Cow::Owned(format!(".data.{}", personality_cell(module, routine)));
    SectionSpec { name, group: Some(Group::Cell(routine)), ..SectionSpec::new("", SectionType::Bytes, AW, 0) }
}

/// The name of that cell and of its group, on which compilers agree.
pub(crate) fn personality_cell(module: &Module, routine: SymbolId) -> String {
    format!("DW.ref.{}", module.symbol(routine).name)
}

/// The section of constructors or destructors of a priority. It is dropped with the symbol that they belong to.
pub(crate) fn init_section(format: &ObjectFormat, module: &Module, init: bool, s: &Structor) -> SectionSpec {
    let priority = s.priority;
    if let Some(coff) = &format.coff {
        let plain = coff_section::init(coff, init, priority);
        return match s.with {
            Some(with) => coff_section::associated(module, with, plain),
            None => plain,
        };
    }
    let (name, ty) = match (init, module.old_structors) {
        (true, false) => (".init_array", SectionType::Init),
        (false, false) => (".fini_array", SectionType::Fini),
        (true, true) => (".ctors", SectionType::Bytes),
        (false, true) => (".dtors", SectionType::Bytes),
    };
    let name = match (priority, module.old_structors) {
        (65535, _) => Cow::Borrowed(name),
        (_, false) => Cow::Owned(format!("{name}.{priority}")),
        // They run from the last to the first.
        (_, true) => Cow::Owned(format!("{name}.{:05}", 65535u32.saturating_sub(priority))),
    };
    let group = s.with.and_then(|with| module.symbol(with).comdat).map(Group::Comdat);
    SectionSpec { name, group, ..SectionSpec::new("", ty, AW, 0) }
}

/// Definitions with larger alignment get a section of their own, so that no padding for them is ever made.
const MAX_SHARED_ALIGN: u64 = 1 << 16;

/// A section by the symbol's own wishes; else one of its own, if its COMDAT group, its alignment or the need to be kept
/// asks for one; else `base`.
fn named_section(
    module: &Module,
    id: SymbolId,
    base: &'static str,
    (ty, mut flags): (SectionType, u32),
    retain: bool,
    align: u64,
) -> SectionSpec {
    let symbol = module.symbol(id);
    let linked = symbol.associated;
    let alone = symbol.comdat.is_some() || symbol.own_section || retain || align > MAX_SHARED_ALIGN || linked.is_some();
    if retain {
        flags |= elf::SHF_GNU_RETAIN;
    }
    if linked.is_some() {
        flags |= elf::SHF_LINK_ORDER;
    }
    // Names that are not in the symbol table have a prefix of their own.
    let private = if symbol.linkage == Linkage::Private { ".L" } else { "" };
    let alone = alone && symbol.section.is_none();
    let named = alone && !module.plain_section_names;
    let name = match (&symbol.section, &symbol.section_prefix) {
        (Some(name), _) => Cow::Owned(name.clone()),
        (None, Some(prefix)) if named => Cow::Owned(format!("{base}.{prefix}.{private}{}", symbol.name)),
        (None, Some(prefix)) => Cow::Owned(format!("{base}.{prefix}.")),
        (None, None) if named => Cow::Owned(format!("{base}.{private}{}", symbol.name)),
        (None, None) => Cow::Borrowed(base),
    };
    let group = symbol.comdat.map(Group::Comdat);
    SectionSpec { name, group, linked, alone: (alone && !named).then_some(id), ..SectionSpec::new("", ty, flags, 0) }
}

/// Whether all contents are zero.
fn is_zero(data: &DataObject) -> bool {
    data.relocs.is_empty() && data.bytes.is_zero()
}

/// The section of a data object. `pic`: addresses in it are known only when the program is loaded.
///
/// # Errors
/// Initialized data in a section without contents in the file.
pub(crate) fn data_section(
    format: &ObjectFormat,
    module: &Module,
    data: &DataObject,
    pic: bool,
    retain: bool,
) -> Result<SectionSpec> {
    if let Some(coff) = &format.coff {
        return coff_section::data(coff, module, data, is_zero(data));
    }
    let symbol = module.symbol(data.symbol);
    let tls = matches!(symbol.kind, SymbolKind::Tls(_));
    // In a section that was asked for, the bytes are written even if all are zero.
    let zero = !data.constant && !module.zeros_in_data && symbol.section.is_none() && is_zero(data);
    let nature = match (tls, zero, data.constant) {
        (true, true, _) => Nature::TLS_BSS,
        (true, false, _) => Nature::TLS_DATA,
        (_, true, _) => Nature::BSS,
        (_, _, false) => Nature::DATA,
        (_, _, true) if pic && !data.relocs.is_empty() => Nature::REL_RO,
        _ => Nature::READ_ONLY,
    };
    let far = if symbol.far { format.far_section_flag } else { 0 };
    if let Some(name) = &symbol.section {
        let mut spec = requested_section(module, name, nature, data, retain)?;
        spec.flags |= far;
        return Ok(spec);
    }
    if nature == Nature::READ_ONLY
        && data.mergeable
        && symbol.comdat.is_none()
        && symbol.associated.is_none()
        && !retain
        && let Some(spec) = merged_section(data)
    {
        if symbol.far {
            let name = Cow::Owned(spec.name.replacen(".rodata", ".lrodata", 1));
            return Ok(SectionSpec { name, flags: spec.flags | far, ..spec });
        }
        return Ok(spec);
    }
    let name = if symbol.far { nature.far_name } else { nature.name };
    let align = data.align.max(symbol.align.into());
    Ok(named_section(module, data.symbol, name, (nature.ty, nature.flags | far), retain, align))
}

/// A section by name; some names imply the section's type.
fn requested_section(
    module: &Module,
    name: &str,
    nature: Nature,
    data: &DataObject,
    retain: bool,
) -> Result<SectionSpec> {
    let symbol = module.symbol(data.symbol);
    let is = |stem: &str| name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let (ty, flags) = if is(".bss") || is(".tbss") || is(".lbss") {
        if !is_zero(data) {
            return Err(ObjectError::InitializedBss { symbol: symbol.name.clone(), section: name.to_string() });
        }
        (SectionType::Zeros, if is(".tbss") { AWT } else { AW })
    } else if is(".tdata") {
        (SectionType::Bytes, AWT)
    } else {
        let ty = match () {
            _ if name.starts_with(".note") => SectionType::Note,
            _ if is(".init_array") => SectionType::Init,
            _ if is(".fini_array") => SectionType::Fini,
            _ if is(".preinit_array") => SectionType::Preinit,
            _ => SectionType::Bytes,
        };
        (ty, nature.flags)
    };
    // The section is then no part of the program.
    let flags = if symbol.excluded { elf::SHF_EXCLUDE } else { flags };
    Ok(named_section(module, data.symbol, "", (ty, flags), retain, 1))
}

/// The mergeable section of a constant whose address does not matter, if there is one for its kind.
fn merged_section(data: &DataObject) -> Option<SectionSpec> {
    if !data.relocs.is_empty() || data.size == 0 {
        return None;
    }
    // A string's only zero is at its end; it may be one of those after `bytes`.
    let text = match data.size.saturating_sub(data.bytes.len()) {
        0 => data.bytes.first_zero() == Some(data.size - 1),
        1 => data.bytes.first_zero().is_none(),
        _ => false,
    };
    if text && data.align <= 16 {
        const NAMES: [&str; 5] =
            [".rodata.str1.1", ".rodata.str1.2", ".rodata.str1.4", ".rodata.str1.8", ".rodata.str1.16"];
        let name = NAMES[data.align.max(1).ilog2() as usize];
        return Some(SectionSpec::new(name, SectionType::Bytes, AMS, 1));
    }
    match data.size {
        size if data.align > size => None,
        size @ (4 | 8 | 16) => Some(shared_constant_section(size as u8)),
        32 => Some(SectionSpec::new(".rodata.cst32", SectionType::Bytes, AM, 32)),
        _ => None,
    }
}
