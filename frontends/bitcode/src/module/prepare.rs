//! What every reader of bodies needs to know about a module: its types, attributes, constants and metadata.

use std::collections::HashMap;
use std::sync::OnceLock;

use gusset_abi::AbiTarget;
use gusset_codegen::names::text_of;
use gusset_lower::Facts;
use gusset_program::{Module, PTR, TypeTable};
use gusset_text::Result;

use super::{Parts, Places, Walk, add_kind, of_module};
use crate::attributes::read_lists;
use crate::codes::block;
use crate::constants::Constants;
use crate::debug_tables::DebugTables;
use crate::metadata::Metadata;
use crate::tables::Tables;
use crate::types::Types;

/// A module after the walk, with its tables.
pub(super) struct Prepared<'s> {
    pub t: Tables<'s>,
    pub module: Module,
    pub places: Places,
}

impl<'s> Prepared<'s> {
    /// Reads the types, which are added to a table, attributes, constants and metadata.
    pub fn of(walk: Walk<'s>, name: &str, (target, mut table): (&AbiTarget, TypeTable)) -> Result<Prepared<'s>> {
        let Walk { mut bits, mut module, mut globals, places, mut kinds, bundles, scopes, is_old, .. } = walk;
        if let Some(layout) = &module.layout {
            // The layout of a machine that has no code generator can be translated.
            let applied = table.layout.apply(&text_of(layout)).map_err(of_module);
            applied.or_else(|error| if table.carries() { Ok(()) } else { Err(error) })?;
        }
        let mut types = Types::default();
        if let Some(head) = places.types {
            types.read(&mut bits, head, &mut table)?;
        }
        table.complete().map_err(of_module)?;
        for global in &mut globals {
            // Older files give the type of the address, those of functions even where they say that they do not.
            let of_function = matches!(global.parts, Parts::Function(_)) && types.function(global.ty.into()).is_err();
            if !global.typed || of_function {
                let (pointee, space) =
                    types.pointed(global.ty.into()).map_err(|why| bits.error_at(global.place, why))?;
                global.ty = pointee as u32;
                if global.space == 0 {
                    global.space = space;
                    module.symbols[global.symbol].space = space;
                }
            }
        }
        let lists = read_lists(&mut bits, (places.groups, places.lists), &types, (&table, target.arch))?;
        let mut constants = Constants::default();
        for &head in &places.constants {
            bits.enter_at(head, block::CONSTANTS)?;
            constants.read(&mut bits, &types)?;
        }
        let mut metadata = Metadata::default();
        for &head in &places.metadata {
            bits.enter_at(head, block::METADATA)?;
            metadata.read(&mut bits)?;
        }
        for (number, name) in &metadata.kinds {
            add_kind(&mut kinds, *number, name.clone()).map_err(of_module)?;
        }
        let debug = DebugTables::after(metadata.nodes.len());
        let t = Tables {
            bits,
            file: name.to_string(),
            facts: Facts::new(*target),
            types: table,
            table: types,
            places: (places.types, places.constants.clone()),
            old: OnceLock::new(),
            is_old,
            lists,
            globals,
            infos: Vec::new(),
            constants,
            metadata,
            debug,
            profile_kind: None,
            kinds,
            bundles,
            scopes,
            block_symbols: HashMap::new(),
            block_lookup: HashMap::new(),
            block_names: HashMap::new(),
            stack: PTR,
            names: HashMap::new(),
            attached_values: HashMap::new(),
        };
        Ok(Prepared { t, module, places })
    }
}
