//! Programs as text of whichever form: what they compile to, and how their functions are called.

#[cfg(feature = "mlir")]
use gusset_abi::memref::FunctionType;
use gusset_abi::{Signature, classify};
use gusset_codegen::ir::{Function, ParseError, parse};
use gusset_codegen::object::ObjectFormat;

#[cfg(feature = "mlir")]
use crate::modules::compile_mlir;
use crate::modules::{FunctionReader, TextModule, compile_llvm};
use crate::{Compilation, Error, Options, Progress, Source, Statistics, Target, ir_text, is_ir};

/// The form of a program's text.
///
/// ```
/// use gusset_compiler::TextForm;
///
/// assert_eq!(TextForm::of(b"define i32 @one() { ret i32 1 }"), TextForm::LlvmIr);
/// assert_eq!(TextForm::of(b"module \"one\" {\n}\n"), TextForm::GussetIr);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TextForm {
    /// LLVM IR, as text or as bitcode.
    LlvmIr,
    /// MLIR.
    #[cfg(feature = "mlir")]
    Mlir,
    /// Gusset's own IR.
    GussetIr,
}

impl TextForm {
    /// The form that a text has by its beginning.
    pub fn of(text: &[u8]) -> TextForm {
        match () {
            () if is_ir(text) => TextForm::GussetIr,
            #[cfg(feature = "mlir")]
            () if crate::is_mlir(text) => TextForm::Mlir,
            () => TextForm::LlvmIr,
        }
    }
}

/// Compiles a program of a form. `progress` is as for [`compile_llvm`]; of Gusset's IR there are no statistics.
///
/// # Errors
/// As [`compile_llvm`], [`compile_mlir`](crate::compile_mlir) and [`compile_ir`](crate::compile_ir).
pub fn compile_text(
    source: Source<'_>,
    form: TextForm,
    target: &Target,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Compilation, Error> {
    match form {
        TextForm::LlvmIr => compile_llvm(source, target, options, progress),
        #[cfg(feature = "mlir")]
        TextForm::Mlir => compile_mlir(source, target, options, progress),
        TextForm::GussetIr => {
            let (bytes, image) = ir_text::compile(source.name, unicode(source)?, target, options)?;
            let statistics = Statistics::default();
            Ok(Compilation { bytes: bytes.into(), statistics, image, debug_info_loss: None })
        }
    }
}

/// How a function that a program defines is called. An example is at [`function_signature`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FunctionSignature {
    /// The symbol of the function's name is called so.
    Symbol(Signature),
    /// C calls the wrapper `_mlir_ciface_NAME`, if there is one ([`CWrappers`](crate::CWrappers)): `gusset_abi::memref` says
    /// how that takes and returns these types.
    #[cfg(feature = "mlir")]
    Mlir(FunctionType),
}

/// How a function is called that a program of a form defines, by the function's name in the program; `None` if it defines none of
/// that name.
///
/// ```
/// use gusset_compiler::{Features, FunctionSignature, Source, Target, TextForm, function_signature};
///
/// let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// let source = Source { name: "one.ll", text: b"define double @one() { ret double 1.0 }" };
/// let signature = function_signature(source, TextForm::LlvmIr, &target, "one")?;
/// assert!(matches!(signature, Some(FunctionSignature::Symbol(signature)) if signature.params.is_empty()));
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
///
/// # Errors
/// The text is not of the form, or has something that is not supported.
pub fn function_signature(
    source: Source<'_>,
    form: TextForm,
    target: &Target,
    name: &str,
) -> Result<Option<FunctionSignature>, Error> {
    let Source { name: file, text } = source;
    let (abi, format) = (target.abi(), target.object_format());
    let found = match form {
        TextForm::LlvmIr if gusset_bitcode::is_bitcode(text) => {
            let choices = gusset_llvm::Choices { strip_debug: true, ..Default::default() };
            defined(&gusset_bitcode::read_module(text, file, abi, choices)?, format, name)?
        }
        TextForm::LlvmIr => defined(&gusset_llvm::read_module(text, file, abi)?, format, name)?,
        #[cfg(feature = "mlir")]
        TextForm::Mlir => {
            let (_, all) = gusset_mlir::declarations(text, file, abi, None)?;
            if let Some(function) = all.into_iter().find(|function| function.defined && function.name == name) {
                return Ok(Some(FunctionSignature::Mlir(function.ty)));
            }
            let choices = crate::modules::mlir_choices(target, &Options::new())?;
            defined(&gusset_mlir::read_module(text, file, abi, choices)?, format, name)?
        }
        TextForm::GussetIr => {
            let parsed = parse(unicode(source)?, &mut |signature| classify(abi, signature));
            let (module, functions) = parsed.map_err(|error| Error::Text { file: file.to_string(), error })?;
            let of = |function: &&Function| is_named(&module.symbol(function.symbol).name, format, name);
            functions.iter().find(of).map(|function| function.signature().source.clone())
        }
    };
    Ok(found.map(FunctionSignature::Symbol))
}

/// The signature of a function that a module defines.
fn defined<M: TextModule>(module: &M, format: &ObjectFormat, name: &str) -> Result<Option<Signature>, Error> {
    let mut bodies = module.bodies();
    let Some(number) = bodies.position(|(symbol, _)| is_named(&module.module().symbol(symbol).name, format, name))
    else {
        return Ok(None);
    };
    let mut function = Function::new();
    module.reader().read(number, &mut function)?;
    Ok(Some(function.signature().source.clone()))
}

/// Is it the symbol of a function with this name?
fn is_named(symbol: &str, format: &ObjectFormat, name: &str) -> bool {
    let has_underscore = format.coff.as_ref().is_some_and(|coff| coff.underscores);
    symbol == name || has_underscore && symbol.strip_prefix('_') == Some(name)
}

/// Gusset's IR, which is UTF-8.
fn unicode<'s>(source: Source<'s>) -> Result<&'s str, Error> {
    std::str::from_utf8(source.text).map_err(|error| {
        let before = &source.text[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() as u32 + 1;
        let reason = "the text is not UTF-8".to_string();
        Error::Text { file: source.name.to_string(), error: ParseError { line, column, reason } }
    })
}
