//! All errors of a module at once.
//!
//! Reading ends at the first error. To report all errors, the module is read again: the first error of each function is
//! found. An error outside of functions is the only one, because what comes after it may depend on it.

use gusset_abi::AbiTarget;
use gusset_codegen::ir::Function;
use gusset_lower::Choices;
use gusset_text::{Errors, ReadError};

use crate::body::BodyReader;
use crate::module::{BodyImporter, import_module, read_module_with};
use crate::tables::Body;

/// All errors of a module to be compiled, as one error that the others follow; `None` if reading finds none. Arguments
/// are as for [`read_module_with`].
pub fn all_errors(source: &[u8], name: &str, target: &AbiTarget, choices: Choices) -> Option<ReadError> {
    let module = match read_module_with(source, name, target, choices, &mut |_| {}) {
        Ok(module) => module,
        Err(error) => return Some(error),
    };
    let (mut reader, mut func) = (BodyReader::new(&module), Function::new());
    of_bodies(&module.bodies, name, |body| {
        let read = reader.read(body, &mut func);
        // An error may leave anything in the reader.
        read.inspect_err(|_| reader = BodyReader::new(&module))
    })
}

/// The same of a module that is to be translated. Arguments are as for [`import_module`].
pub fn all_translation_errors(source: &[u8], name: &str) -> Option<ReadError> {
    let module = match import_module(source, name) {
        Ok(module) => module,
        Err(error) => return Some(error),
    };
    let (mut importer, mut func) = (BodyImporter::new(&module), gusset_program::Function::default());
    of_bodies(&module.bodies, name, |body| {
        let read = importer.read(body, &mut func);
        read.inspect_err(|_| importer = BodyImporter::new(&module))
    })
}

/// The errors of reading these bodies.
fn of_bodies(bodies: &[Body], name: &str, mut read: impl FnMut(&Body) -> Result<(), ReadError>) -> Option<ReadError> {
    let mut errors = Errors::default();
    for body in bodies {
        if errors.has_ended() {
            break;
        }
        if let Err(error) = read(body) {
            errors.push(error);
            errors.add_work(body.range.end);
        }
    }
    errors.all(name)
}
