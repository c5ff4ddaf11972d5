//! All errors of a module that is translated at once.
//!
//! Reading ends at the first error. To report all errors, the module is read again: the first error of each function is
//! found. An error outside of functions is the only one, because what comes after it may depend on it.

use gusset_program::Function;
use gusset_text::{Errors, ReadError};

use crate::module::{BodyImporter, import_module};

/// All errors of a module to be translated, as one error that the others follow; `None` if reading finds none. Arguments are
/// as for [`import_module`].
pub fn all_translation_errors(source: &[u8], name: &str) -> Option<ReadError> {
    let module = match import_module(source, name) {
        Ok(module) => module,
        Err(error) => return Some(error),
    };
    let (mut importer, mut func) = (BodyImporter::new(&module), Function::default());
    let mut errors = Errors::default();
    for body in &module.bodies {
        if errors.has_ended() {
            break;
        }
        if let Err(error) = importer.read(body, &mut func) {
            errors.push(error);
            errors.add_work(body.range.end);
            // An error may leave anything in the reader.
            importer = BodyImporter::new(&module);
        }
    }
    errors.all(name)
}
