//! All errors of a module that is translated at once: the first of each function. An error outside of functions is the only one.

use gusset_program::Function;
use gusset_text::{Errors, ReadError};

use crate::module::import::{BodyImporter, import_module};

/// All errors of a module to be translated, as one error that the others follow; `None` if reading finds none. Arguments are as for
/// [`import_module`].
pub fn all_translation_errors(source: &[u8], name: &str) -> Option<ReadError> {
    let module = match import_module(source, name) {
        Ok(module) => module,
        Err(error) => return Some(error),
    };
    let (mut importer, mut func, mut errors) = (BodyImporter::new(&module), Function::default(), Errors::default());
    for body in &module.bodies {
        if errors.has_ended() {
            break;
        }
        if let Err(error) = importer.read(body, &mut func) {
            errors.push(error);
            errors.add_work(body.range.len());
            // An error may leave anything in the reader.
            importer = BodyImporter::new(&module);
        }
    }
    errors.all(name)
}
