//! The state before the operations of a module are read: its layout, types and aliases.

use std::collections::HashMap;
use std::sync::Arc;

use gusset_abi::AbiTarget;
use gusset_abi::memref::Allocation;
use gusset_lower::Facts;
use gusset_program::{DataLayout, TypeTable};
use gusset_text::{NameTable, Placed, Result, Source};

use crate::context::ModuleContext;
use crate::context::foreign::Foreign;
use crate::dialect::Dialects;
use crate::module::module_attributes::{self, Flag};
use crate::syntax::attributes::AttributeRef;
use crate::syntax::generic::Item;
use crate::syntax::module::{Extents, ModuleText};
use crate::syntax::types::Types;

/// The state before operations are read, and the module's operations.
pub(crate) fn begin<'s>(
    source: &'s [u8],
    name: &str,
    target: &AbiTarget,
    (index_bits, dialects): (Option<u32>, &Dialects),
    (purpose, extents): (Purpose, Extents),
) -> Result<(ModuleContext<'s>, Vec<Item<'s>>, Strings<'s>)> {
    gusset_text::refuse_binary(source)?;
    let source = Source::new(source);
    if purpose == Purpose::Code && target.endian.is_big() {
        return Err(source.error(0, "MLIR is compiled for little-endian machines only"));
    }
    let found = ModuleText::find(source, extents)?;
    let mut layout = DataLayout::of(target);
    let text = |name| found.attr(name).map(AttributeRef::bytes).transpose();
    let mut strings = Strings {
        layout: text("llvm.data_layout")?.filter(|text| !text.is_empty()),
        triple: text("llvm.target_triple")?.filter(|text| !text.is_empty()),
        ..Strings::default()
    };
    if let (Some(text), Some(at)) = (&strings.layout, found.attr("llvm.data_layout")) {
        let applied = layout.apply(&String::from_utf8_lossy(text));
        // The layout of a machine without a code generator is preserved.
        if purpose == Purpose::Code {
            applied.at(source, at.pos())?;
        }
    } else if purpose == Purpose::Anywhere {
        layout.apply(NO_LAYOUT).at(source, 0)?;
    }
    let mut llvm = TypeTable::new(layout);
    if purpose != Purpose::Code {
        llvm.carry();
    }
    llvm.complete().at(source, 0)?;
    let bits = match index_bits {
        Some(bits) => bits,
        None => found.index_bits(source)?.unwrap_or(llvm.layout.pointer_bytes * 8),
    };
    let index = llvm.integer(bits).at(source, 0)?;
    let mut types = Types::new(&mut llvm, index, Arc::new(dialects.clone())).at(source, 0)?;
    for alias in &found.aliases {
        types.alias(alias.name, alias.value.pos());
    }
    let value = |name| found.attr(name).map(|value| value.resolve(&types));
    strings.location = found.location;
    strings.source_name = found.location.and_then(|at| module_attributes::source_name(at, &types));
    strings.flags = value("llvm.module_flags").map(|value| module_attributes::flags(value, &types)).transpose()?;
    for (name, list) in [
        ("llvm.module_asm", &mut strings.assembly),
        ("llvm.ident", &mut strings.idents),
        ("llvm.commandline", &mut strings.command_lines),
        ("llvm.dependent_libraries", &mut strings.libraries),
    ] {
        *list = value(name).map(module_attributes::texts).transpose()?.unwrap_or_default();
    }
    let tables = ModuleContext {
        source,
        file: name.to_string(),
        facts: Facts::new(*target),
        llvm,
        types,
        rows: crate::convert::dialects::rows(),
        older: crate::convert::dialects::older_rows(),
        foreign: Foreign::new(dialects.clone()),
        machine_ops: Vec::new(),
        conflicts: Vec::new(),
        allocation: Allocation::default(),
        c_values: false,
        bare_pointers: false,
        only: None,
        names: NameTable::default(),
        symbols: Vec::new(),
        slots: Vec::new(),
        library_names: &crate::convert::dialects::library().1,
        library: Vec::new(),
        failure: None,
        no_library: false,
        resources: found.resources,
        block_tags: HashMap::new(),
        texts: HashMap::new(),
        debug_info: None,
    };
    Ok((tables, found.items, strings))
}

/// The layout of modules that give none, if the target is unknown (LLVM LangRef, "Data Layout").
const NO_LAYOUT: &str = "i64:32:64-i128:32:64-f80:128";

/// What a module is read for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    Code,
    /// Translation for a target.
    Target,
    /// Translation for none.
    Anywhere,
}

/// Texts of a module for LLVM.
#[derive(Default)]
pub(crate) struct Strings<'s> {
    pub triple: Option<Vec<u8>>,
    pub layout: Option<Vec<u8>>,
    pub assembly: Vec<Vec<u8>>,
    /// The source file of the module.
    pub source_name: Option<Vec<u8>>,
    /// The producers of the module, and their command lines.
    pub idents: Vec<Vec<u8>>,
    pub command_lines: Vec<Vec<u8>>,
    /// Libraries that linkers look into.
    pub libraries: Vec<Vec<u8>>,
    pub flags: Option<Vec<Flag>>,
    /// The location after the module.
    pub location: Option<AttributeRef<'s>>,
}
