//! Programs from one form to another, without code.

use gusset_codegen::ir::SymbolId;
use gusset_llvm::{BodyCarrier, Described, describe};
use gusset_lower::TypeTable;
use gusset_lower::model::{Function, Module};

use crate::{Error, Source};

/// A form of programs as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Form {
    /// LLVM IR, as LLVM 19 reads it.
    #[default]
    LlvmIr,
    /// MLIR's dialect `llvm`, as MLIR 19 reads it.
    #[cfg(feature = "mlir")]
    Mlir,
}

/// Choices for a translation.
#[derive(Clone, Debug, Default)]
pub struct TranslateOptions {
    /// The form of the result.
    pub form: Form,
}

/// Translates a module of LLVM IR, of any version that is read, to another form: with all that is not about code, such as metadata,
/// attributes, names.
///
/// # Errors
/// The text has something in it that is not supported, or that the other form has no words for.
pub fn translate(source: Source<'_>, options: &TranslateOptions) -> Result<Vec<u8>, Error> {
    let described = describe(source.text, source.name)?;
    let carrier = BodyCarrier::new(&described);
    write(&described.module, &mut LlvmBodies { described: &described, carrier, next: 0 }, options)
}

/// Where the bodies of a module's functions come from.
trait Bodies {
    /// The types, of which reading a body may make more.
    fn types(&self) -> &TypeTable;

    /// Reads the body of a symbol, if it has one. Symbols come in order, each once.
    fn read(&mut self, symbol: SymbolId, function: &mut Function) -> Result<bool, Error>;
}

/// Writes a module and what its bodies say.
fn write(module: &Module, bodies: &mut impl Bodies, options: &TranslateOptions) -> Result<Vec<u8>, Error> {
    match options.form {
        Form::LlvmIr => write_llvm(module, bodies),
        #[cfg(feature = "mlir")]
        Form::Mlir => Err(Error::Target("MLIR is not written yet".into())),
    }
}

fn write_llvm(module: &Module, bodies: &mut impl Bodies) -> Result<Vec<u8>, Error> {
    let mut writer = gusset_llvm::Writer::new(module);
    let mut function = Function::default();
    writer.head(bodies.types());
    for symbol in (0..module.symbols.len() as u32).map(SymbolId) {
        writer.symbol(bodies.types(), symbol);
        if bodies.read(symbol, &mut function)? {
            writer.body(bodies.types(), &function);
        }
    }
    Ok(writer.tail(bodies.types()))
}

/// Bodies of LLVM IR.
struct LlvmBodies<'d> {
    described: &'d Described<'d>,
    carrier: BodyCarrier<'d>,
    next: usize,
}

impl Bodies for LlvmBodies<'_> {
    fn types(&self) -> &TypeTable {
        &self.carrier.types
    }

    fn read(&mut self, symbol: SymbolId, function: &mut Function) -> Result<bool, Error> {
        let Some(body) = self.described.bodies.get(self.next).filter(|body| body.symbol == symbol) else {
            return Ok(false);
        };
        self.next += 1;
        self.carrier.read(body, function)?;
        Ok(true)
    }
}
