//! Translates programs from one form to another, without code.

use gusset_codegen::ir::SymbolId;
#[cfg(feature = "mlir")]
use gusset_program::Refusal;
use gusset_program::{Function, Late, Module, TypeTable};

use crate::options::choices;
use crate::{Error, Source};

/// A form of programs as text. An example is at [`TranslateOptions`].
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
///
/// ```
/// use gusset_compiler::{Form, Source, TranslateOptions, translate};
///
/// let source = Source { name: "f.ll", text: b"define i32 @f() {\n  ret i32 42\n}\n" };
/// let again = translate(source, &TranslateOptions::new().form(Form::LlvmIr))?;
/// assert!(String::from_utf8_lossy(&again.text).contains("ret i32 42"));
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TranslateOptions {
    /// The form of the result.
    pub form: Form,
    /// The target that MLIR is converted for, if its module does not name one. Without a target, LLVM's own rules for
    /// sizes and alignments apply, and pointers have 64 bits.
    #[cfg(feature = "mlir")]
    pub target: Option<crate::Target>,
    /// How MLIR is converted.
    #[cfg(feature = "mlir")]
    pub mlir: crate::MlirOptions,
    /// The dialects that are converted while others stay as they are, connected by
    /// `builtin.unrealized_conversion_cast`; empty: all are converted. Only for MLIR to MLIR.
    #[cfg(feature = "mlir")]
    pub only: Vec<String>,
}

choices! { TranslateOptions:
    form: Form;
    #[cfg(feature = "mlir")]
    target: Option<crate::Target>;
    #[cfg(feature = "mlir")]
    mlir: crate::MlirOptions;
    #[cfg(feature = "mlir")]
    only: Vec<String>;
}

/// A program in another form. An example is at [`TranslateOptions`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translation {
    /// Its text.
    pub text: Vec<u8>,
    /// What was left out because the other form has no place for it, without a change of the program's meaning: debug
    /// information and named metadata, by LLVM's names.
    pub left_out: Vec<String>,
}

impl Translation {
    /// A translation in which nothing was left out.
    fn whole(text: Vec<u8>) -> Translation {
        Translation { text, left_out: Vec::new() }
    }
}

/// Translates a module of LLVM IR, as text or bitcode of any version that is read, to another form, with everything that is not about
/// code, such as metadata, attributes and names.
///
/// # Errors
/// The text has something that is not supported, or that the other form cannot express.
pub fn translate(source: Source<'_>, options: &TranslateOptions) -> Result<Translation, Error> {
    #[cfg(feature = "mlir")]
    if !options.only.is_empty() {
        return Err(Error::Target("LLVM IR has no dialects of which only some could be converted".into()));
    }
    let bitcode = gusset_bitcode::is_bitcode(source.text);
    let done = if bitcode { write_bitcode(source, options) } else { write_text(source, options) };
    done.map_err(|error| match (error, bitcode) {
        // The first error ends reading; another pass finds those of all functions.
        (Error::Read(first), true) => {
            gusset_bitcode::all_translation_errors(source.text, source.name).unwrap_or(*first).into()
        }
        (Error::Read(first), false) => {
            gusset_llvm::all_translation_errors(source.text, source.name).unwrap_or(*first).into()
        }
        (error, _) => error,
    })
}

fn write_text(source: Source<'_>, options: &TranslateOptions) -> Result<Translation, Error> {
    let imported = gusset_llvm::import_module(source.text, source.name)?;
    let importer = gusset_llvm::BodyImporter::new(&imported);
    write(&imported.module, &mut LlvmBodies { imported: &imported, importer }, options)
}

fn write_bitcode(source: Source<'_>, options: &TranslateOptions) -> Result<Translation, Error> {
    let imported = gusset_bitcode::import_module(source.text, source.name)?;
    let importer = gusset_bitcode::BodyImporter::new(&imported);
    write(&imported.module, &mut BitcodeBodies { imported: &imported, importer }, options)
}

/// Translates a module of MLIR to another form: the dialect `llvm` with everything that is not about code, as metadata
/// and attributes; other dialects after conversion.
///
/// # Errors
/// The text is not MLIR, or has something that is not converted, or that the other form cannot express.
#[cfg(feature = "mlir")]
pub fn translate_mlir(source: Source<'_>, options: &TranslateOptions) -> Result<Translation, Error> {
    let own = gusset_mlir::target_triple(source.text);
    let own = own.and_then(|triple| crate::Target::from_triple(&triple, &crate::Features::default()).ok());
    let target = own.as_ref().or(options.target.as_ref()).map(crate::Target::abi);
    let choices = gusset_mlir::Choices { only: options.only.clone(), ..options.mlir.choices() };
    let in_part = !options.only.is_empty();
    if in_part && options.form != Form::Mlir {
        let m = "a program of which only some dialects are converted has no other form than MLIR";
        return Err(Error::Target(m.into()));
    }
    let done = match gusset_mlir::import_module(source.text, source.name, target, choices.clone()) {
        Ok(described) if in_part => gusset_mlir::write_in_part(&described).map(Translation::whole).map_err(Error::from),
        Ok(described) => {
            let carrier = gusset_mlir::BodyImporter::new(&described);
            write(&described.module, &mut MlirBodies { described: &described, carrier }, options)
        }
        Err(error) => Err(error.into()),
    };
    match done {
        // The first error ends reading; another pass finds all errors.
        Err(Error::Read(first)) => {
            let all = gusset_mlir::all_translation_errors(source.text, source.name, target, choices);
            Err(all.unwrap_or(*first).into())
        }
        done => done,
    }
}

/// The source of the bodies of a module's functions.
trait Bodies {
    /// The types, to which reading a body may add.
    fn types(&self) -> &TypeTable;

    /// The symbol of the body with a number, if there is one. Bodies are in the order of their symbols.
    fn symbol(&self, number: usize) -> Option<SymbolId>;

    /// Reads that body.
    fn read(&mut self, number: usize, function: &mut Function) -> Result<(), Error>;

    /// Is anything known only when all bodies have been read?
    #[cfg(feature = "mlir")]
    fn are_late(&self) -> bool {
        false
    }

    /// What is known only then.
    fn late(&mut self) -> Late {
        Late::default()
    }

    /// The error that the other form has no place for something in a symbol or in the module.
    #[cfg(feature = "mlir")]
    fn refused(&self, symbol: Option<SymbolId>, why: Refusal) -> Error;
}

/// Writes a module and its bodies.
fn write(module: &Module, bodies: &mut impl Bodies, options: &TranslateOptions) -> Result<Translation, Error> {
    match options.form {
        Form::LlvmIr => write_llvm(module, bodies),
        #[cfg(feature = "mlir")]
        Form::Mlir => write_mlir(module, bodies),
    }
}

fn write_llvm(module: &Module, bodies: &mut impl Bodies) -> Result<Translation, Error> {
    let mut writer = gusset_llvm::Writer::new(module);
    let (mut function, mut next) = (Function::default(), 0);
    writer.head(bodies.types());
    for symbol in (0..module.symbols.len() as u32).map(SymbolId) {
        writer.symbol(bodies.types(), symbol);
        if bodies.symbol(next) == Some(symbol) {
            bodies.read(next, &mut function)?;
            next += 1;
            writer.body(bodies.types(), &function);
        }
    }
    let late = bodies.late();
    Ok(Translation::whole(writer.tail_with(bodies.types(), &late)))
}

#[cfg(feature = "mlir")]
fn write_mlir(module: &Module, bodies: &mut impl Bodies) -> Result<Translation, Error> {
    // What is attached to instructions must be known when they are written.
    let mut read = Vec::new();
    while bodies.are_late() && bodies.symbol(read.len()).is_some() {
        let mut function = Function::default();
        bodies.read(read.len(), &mut function)?;
        read.push(function);
    }
    let late = bodies.late();
    let mut read = read.into_iter();
    let mut writer = gusset_mlir::Writer::new(module, &late);
    let (mut function, mut next) = (Function::default(), 0);
    writer.head();
    for symbol in (0..module.symbols.len() as u32).map(SymbolId) {
        writer.symbol(bodies.types(), symbol).map_err(|why| bodies.refused(Some(symbol), why))?;
        if bodies.symbol(next) == Some(symbol) {
            match read.next() {
                Some(known) => function = known,
                None => bodies.read(next, &mut function)?,
            }
            next += 1;
            writer.body(bodies.types(), &function).map_err(|why| bodies.refused(Some(symbol), why))?;
        }
    }
    let left_out = writer.left_out();
    let text = writer.tail(bodies.types()).map_err(|why| bodies.refused(None, why))?;
    Ok(Translation { text, left_out })
}

/// Declares the bodies of a module that a reader of LLVM IR has imported, with the methods that are not the same for all.
macro_rules! imported_bodies {
    ($(#[$doc:meta])* $name:ident, $krate:ident { $($own:item)* }) => {
        $(#[$doc])*
        struct $name<'d> {
            imported: &'d $krate::ImportedModule<'d>,
            importer: $krate::BodyImporter<'d>,
        }

        impl Bodies for $name<'_> {
            fn types(&self) -> &TypeTable {
                &self.importer.types
            }

            fn symbol(&self, number: usize) -> Option<SymbolId> {
                self.imported.bodies.get(number).map(|body| body.symbol)
            }

            fn read(&mut self, number: usize, function: &mut Function) -> Result<(), Error> {
                Ok(self.importer.read(&self.imported.bodies[number], function)?)
            }

            #[cfg(feature = "mlir")]
            fn refused(&self, symbol: Option<SymbolId>, why: Refusal) -> Error {
                self.imported.refused(symbol, why).into()
            }

            $($own)*
        }
    };
}

imported_bodies! {
    /// Bodies of LLVM IR as text.
    LlvmBodies, gusset_llvm {}
}

imported_bodies! {
    /// Bodies of bitcode.
    BitcodeBodies, gusset_bitcode {
        #[cfg(feature = "mlir")]
        fn are_late(&self) -> bool {
            true
        }

        fn late(&mut self) -> Late {
            self.importer.late()
        }
    }
}

/// Bodies of MLIR.
#[cfg(feature = "mlir")]
struct MlirBodies<'d> {
    described: &'d gusset_mlir::ImportedModule<'d>,
    carrier: gusset_mlir::BodyImporter<'d>,
}

#[cfg(feature = "mlir")]
impl Bodies for MlirBodies<'_> {
    fn types(&self) -> &TypeTable {
        &self.carrier.types
    }

    fn symbol(&self, number: usize) -> Option<SymbolId> {
        self.described.bodies.get(number).map(|body| body.symbol)
    }

    fn read(&mut self, number: usize, function: &mut Function) -> Result<(), Error> {
        Ok(self.carrier.read(&self.described.bodies[number], function)?)
    }

    fn are_late(&self) -> bool {
        true
    }

    fn late(&mut self) -> Late {
        self.carrier.late()
    }

    fn refused(&self, symbol: Option<SymbolId>, why: Refusal) -> Error {
        self.described.refused(symbol, why).into()
    }
}
