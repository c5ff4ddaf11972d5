//! Compiles Gusset's own IR as text to an object, to assembly text or to a stage.

use gusset_abi::classify;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{Function, parse, print};
use gusset_codegen::object::{ObjectImage, emulate_tls};
use gusset_codegen::passes::InlinableFunctions;

use crate::error::no_such_function;
use crate::options::choose_sections;
use crate::output::{Output, Sink};
use crate::{Emit, Error, OptimizationLevel, Options, Relocation, Target};

/// Compiles a module of Gusset's IR as text, which [`Emit::Ir`] writes; `name` is its name in messages. Of the options,
/// `emit`, `only`, `relocation` and `verify` are used.
///
/// # Errors
/// The text is no module, with line and column; a signature has no ABI on the target; the target or the object format
/// cannot express something.
pub fn compile_ir(name: &str, text: &str, target: &Target, options: &Options) -> Result<Vec<u8>, Error> {
    match compile(name, text, target, options)? {
        (bytes, None) => Ok(bytes),
        (_, Some(_)) => Err(Error::Target("an image has no bytes: `image_ir` makes it".into())),
    }
}

/// Like [`compile_ir`], for memory instead of a file.
///
/// # Errors
/// As [`compile_ir`].
pub fn image_ir(name: &str, text: &str, target: &Target, options: &Options) -> Result<ObjectImage, Error> {
    let options = Options { emit: Emit::Image, ..options.clone() };
    let (_, image) = compile(name, text, target, &options)?;
    image.ok_or_else(|| Error::Target("there is no image".into()))
}

/// The bytes of a file, or an image.
pub(crate) type Compiled = (Vec<u8>, Option<ObjectImage>);

pub(crate) fn compile(name: &str, text: &str, target: &Target, options: &Options) -> Result<Compiled, Error> {
    let parsed = parse(text, &mut |signature| classify(target.abi(), signature));
    let (mut module, mut functions) = parsed.map_err(|e| Error::Text { file: name.to_string(), error: e })?;
    if options.emulates_tls(target) {
        emulate_tls(target.object_format(), &mut module)
            .map_err(|error| Error::Object { file: Some(name.to_string()), error })?;
    }
    if options.emit == Emit::Image {
        module.generalize_tls();
    }
    choose_sections(&mut module, options)?;
    let asked = |f: &Function| options.only.as_ref().is_none_or(|only| *only == module.symbol(f.symbol).name);
    if let (Emit::Stage(_), Some(only)) = (options.emit, &options.only)
        && !functions.iter().any(asked)
    {
        return Err(no_such_function(name, only));
    }
    let target = &*target.with_code_model(module.code_model)?;
    let pic = options.relocation != Relocation::Static;
    let debug = options.debug_choices();
    let output = Output { target, module: &module, pic, debug, expected_code: 0, file: Some(name) };
    let inlines = options.level > OptimizationLevel::O1;
    let mut bodies = if inlines { InlinableFunctions::new(&module, &functions) } else { InlinableFunctions::default() };
    let mut compiler = target.compiler_with(pic, false, options.compiler());
    // Compiles all functions, or the one to show; `each` gets it with its text.
    let mut all = |each: &mut dyn FnMut(&CompiledFunction, &str) -> Result<(), Error>| {
        let mut compiled = CompiledFunction::default();
        for f in functions.iter_mut().filter(|f| !matches!(options.emit, Emit::Stage(_)) || asked(f)) {
            f.resolve_operands();
            compiler.inline(&module, f, &mut bodies);
            compiler.compile(&module, f, &mut compiled).map_err(|error| Error::Compile {
                file: Some(name.to_string()),
                function: module.symbol(f.symbol).name.clone(),
                message: error.to_string(),
            })?;
            each(&compiled, &compiler.dumped().unwrap_or_default().text(None))?;
        }
        Ok(())
    };
    let bytes = match options.emit {
        Emit::Object => output.whole(output.object(|sink: Sink<'_>| all(&mut |f, _| sink(f)), |_| None)?.result)?,
        Emit::Assembly => output.whole(output.assembly(|sink: Sink<'_>| all(&mut |f, _| sink(f)), |_| None)?.result)?,
        Emit::Image => {
            let image = output.image(|sink: Sink<'_>| all(&mut |f, _| sink(f)), |_| None)?.result;
            return Ok((Vec::new(), Some(image)));
        }
        Emit::Ir => print(&module, &functions).into_bytes(),
        Emit::Stage(_) => {
            let mut text = String::new();
            all(&mut |_, shown| {
                text.push_str(shown);
                Ok(())
            })?;
            text.into_bytes()
        }
    };
    Ok((bytes, None))
}

/// Is it a text of Gusset's IR rather than LLVM's? It begins with the module's name, after comments.
pub fn is_ir(text: &[u8]) -> bool {
    let mut lines = text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_start);
    lines.find(|line| !line.is_empty() && line[0] != b';').is_some_and(|line| line.starts_with(b"module \""))
}
