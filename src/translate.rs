//! Programs from one form to another, without code.

use gusset_llvm::{BodyCarrier, Writer, describe};
use gusset_lower::model::Function;

use crate::{Error, Source};

/// Translates a module of LLVM IR, of any version that is read, to the text that LLVM 19 reads: with all that is not about code,
/// such as metadata, attributes, names.
///
/// # Errors
/// The text is not LLVM IR or has something in it that is not supported.
pub fn translate_llvm(source: Source<'_>) -> Result<Vec<u8>, Error> {
    let described = describe(source.text, source.name)?;
    let mut bodies = BodyCarrier::new(&described);
    let mut writer = Writer::new(&described.module);
    let mut function = Function::default();
    writer.head(&bodies.types);
    let mut next = described.bodies.iter().peekable();
    for symbol in described.symbols() {
        writer.symbol(&bodies.types, symbol);
        if let Some(body) = next.next_if(|body| body.symbol == symbol) {
            bodies.read(body, &mut function)?;
            writer.body(&bodies.types, &function);
        }
    }
    Ok(writer.tail(&bodies.types))
}
