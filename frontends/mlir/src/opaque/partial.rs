//! Partial translation: a module in which some dialects are converted to `llvm`, and everything else stays as it is.
//!
//! The text between the operations of the module is copied, so that aliases, resources and attributes of modules stay,
//! too.

use gusset_codegen::ir::SymbolId;
use gusset_program::{Function, Refusal};
use gusset_text::ReadError;

use crate::import::{Becomes, BodyImporter, Entry, ImportedModule};
use crate::writer::Writer;

/// Writes a module that was module for a translation in part (see [`Choices::only`](crate::Choices::only)).
///
/// # Errors
/// A function contains something that is not read, or that cannot be converted where it is.
pub fn write_in_part(module: &ImportedModule<'_>) -> Result<Vec<u8>, ReadError> {
    let mut importer = BodyImporter::new(module);
    // Metadata attached to instructions must be known when they are written.
    let read =
        module.entries.iter().map(|entry| bodies(module, &mut importer, entry)).collect::<Result<Vec<_>, _>>()?;
    let late = importer.late();
    let mut writer = Writer::in_part(&module.module, &late, module.converts("cf"));
    let (source, types, mut after) = (module.source(), &importer.types, 0);
    for (entry, bodies) in module.entries.iter().zip(&read) {
        writer.text(&source[after..entry.start]);
        after = entry.end;
        let refused = |why: Refusal| module.refused_at(entry.start, why);
        match entry.what {
            Becomes::Itself => {
                let indented = source[..entry.start].iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
                writer.text(&source[entry.start - indented..entry.end]);
            }
            Becomes::Function => {
                for (function, close) in bodies {
                    writer.opaque_function(types, function).map_err(refused)?;
                    writer.text(&source[*close..entry.end]);
                }
            }
            Becomes::Symbols(from, to) => {
                for symbol in (from..to).map(SymbolId) {
                    writer.symbol(types, symbol).map_err(refused)?;
                    if let Some((function, _)) = bodies.iter().find(|(function, _)| function.symbol == symbol) {
                        writer.body(types, function).map_err(refused)?;
                    }
                }
            }
        }
    }
    writer.tail_in_part(types, &source[after..]).map_err(|why| module.refused_at(after, why))
}

/// Reads the functions that an operation of the module becomes, with the positions of the closing braces of those that
/// stay.
fn bodies(
    module: &ImportedModule<'_>,
    importer: &mut BodyImporter<'_>,
    entry: &Entry,
) -> Result<Vec<(Function, usize)>, ReadError> {
    let mut all = Vec::new();
    match entry.what {
        Becomes::Itself => {}
        Becomes::Function => {
            let mut function = Function::default();
            let close = importer.read_opaque_function((entry.start, entry.end), &mut function)?;
            all.push((function, close));
        }
        Becomes::Symbols(from, to) => {
            let first = module.bodies.partition_point(|body| body.symbol.0 < from);
            for body in module.bodies[first..].iter().take_while(|body| body.symbol.0 < to) {
                let mut function = Function::default();
                importer.read(body, &mut function)?;
                all.push((function, 0));
            }
        }
    }
    Ok(all)
}
