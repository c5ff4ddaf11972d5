//! Modules as Gusset's IR.

use gusset_codegen::ir::{Function, Printer};
use gusset_mlir::{BodyReader, ParsedModule, ReadError};

/// The module and all its functions.
pub fn ir(module: Result<ParsedModule, ReadError>) -> Result<String, String> {
    let module = module.map_err(|e| e.to_string())?;
    let printer = Printer::new(&module.module);
    let (mut text, mut reader, mut func) = (printer.module(), BodyReader::new(&module), Function::new());
    for body in &module.bodies {
        reader.read(body, &mut func).map_err(|e| e.to_string())?;
        text.push_str(&printer.function(&func));
    }
    Ok(text)
}
