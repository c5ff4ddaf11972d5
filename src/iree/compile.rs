//! An `.mlir` file's functions and what makes a module of them, in one object.

use gusset_codegen::ir::{Linkage, Module, Visibility};
use gusset_mlir::ReadError;

use super::source::IreeSource;
use crate::modules::{compile_mlir_with, mlir_choices};
use crate::{Compilation, Error, ObjectBuilder, Options, Relocation, Source, Target};

/// Compiles a file whose entries have been read, with what `define` makes of them in the same object. The C functions of entries
/// are there, and so are those that imports call, which `define` is to define. Nothing of the file is seen from outside
/// of what the object is linked to. If the condition of a `cf.assert` is false, its message goes to the function `failure`, which does
/// not return.
///
/// # Errors
/// There is nothing to export; the options make code that no module can have; as [`compile_mlir`](crate::compile_mlir).
pub(crate) fn compile_entries(
    (source, found): (Source<'_>, &IreeSource),
    target: &Target,
    options: &Options,
    failure: &str,
    define: &dyn Fn(&mut ObjectBuilder<'_>) -> Result<(), Error>,
    progress: &mut dyn FnMut(f64),
) -> Result<Compilation, Error> {
    if found.entries.is_empty() {
        let m = "there is nothing to export: functions of a module are public ones of `func` with a body";
        return Err(ReadError::new(source.text, 0, m).in_file(source.name).into());
    }
    if options.relocation == Relocation::Static {
        return Err(Error::Target("a module is loaded at any address: its code cannot be static".into()));
    }
    if options.bare_pointers {
        return Err(Error::Target("a module's functions take descriptors of memrefs, not bare pointers".into()));
    }
    // As the types of entries have it.
    let options = Options { relocation: Relocation::Pic, c_values: true, ..options.clone() };
    let mut choices = mlir_choices(target, &options)?;
    choices.wrapped = found.entries.iter().chain(&found.imports).map(|entry| entry.name.clone()).collect();
    choices.failure = Some(failure.into());
    let add = |mut module: Module, target: &Target| {
        hide(&mut module);
        let mut object = ObjectBuilder::on(module, target, &options);
        define(&mut object)?;
        Ok(object.into_parts())
    };
    compile_mlir_with(source, target, &options, (choices, Some(&add)), progress)
}

/// Makes what the module defines visible to what it is linked with alone.
fn hide(module: &mut Module) {
    let seen = |linkage| matches!(linkage, Linkage::Export | Linkage::Weak | Linkage::Common);
    for symbol in module.symbols.iter_mut().filter(|symbol| seen(symbol.linkage)) {
        symbol.visibility = Visibility::Hidden;
        symbol.dso_local = true;
    }
}
