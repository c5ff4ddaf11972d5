//! All errors of a module at once: the first of each function. An error outside of functions is the only one.

use gusset_abi::AbiTarget;
use gusset_codegen::ir::Function;
use gusset_lower::Choices;
use gusset_text::{Errors, ReadError};

use crate::body::BodyReader;
use crate::module::compile::read_module;

/// All errors of a module to be compiled, as one error that the others follow; `None` if reading finds none. Arguments
/// are as for [`read_module`].
pub fn all_errors(source: &[u8], name: &str, target: &AbiTarget, choices: Choices) -> Option<ReadError> {
    let module = match read_module(source, name, target, choices) {
        Ok(module) => module,
        Err(error) => return Some(error),
    };
    let (mut reader, mut func, mut errors) = (BodyReader::new(&module), Function::new(), Errors::default());
    for body in &module.bodies {
        if let Err(error) = reader.read(body, &mut func) {
            errors.push(error);
            // An error may leave anything in the reader.
            reader = BodyReader::new(&module);
        }
    }
    errors.all(name)
}
