//! From text to objects and assembly.

use std::ffi::c_char;

use gusset::memory::ObjectImage;
use gusset::{
    Compilation, Emit, Options, Source, Target, compile_ir, compile_llvm, compile_mlir, image_ir, is_ir, is_mlir,
};

use crate::buffer::Buffer;
use crate::error::{Failure, guard};
use crate::options::COptions;
use crate::target::CTarget;
use crate::{bytes, text, value};

/// What kind of text it is.
enum Input<'t> {
    Llvm(Source<'t>),
    Mlir(Source<'t>),
    Ir(&'t str),
}

fn input<'t>(name: &'t str, text: &'t [u8]) -> Result<Input<'t>, Failure> {
    let source = Source { name, text };
    Ok(match () {
        () if is_ir(text) => {
            Input::Ir(std::str::from_utf8(text).map_err(|_| Failure::usage("Gusset's IR is text in UTF-8"))?)
        }
        () if is_mlir(text) => Input::Mlir(source),
        () => Input::Llvm(source),
    })
}

fn compiled(source: &Input<'_>, target: &Target, options: &Options) -> Result<Compilation, gusset::Error> {
    match source {
        Input::Mlir(source) => compile_mlir(*source, target, options, &mut |_| {}),
        Input::Llvm(source) => compile_llvm(*source, target, options, &mut |_| {}),
        Input::Ir(_) => unreachable!("the callers compile it by itself"),
    }
}

/// The bytes that the choices ask for.
fn file(name: &str, text: &[u8], target: &Target, options: &Options) -> Result<Vec<u8>, Failure> {
    let input = input(name, text)?;
    if let Input::Ir(text) = input {
        return Ok(compile_ir(name, text, target, options)?);
    }
    let done = compiled(&input, target, options)?;
    done.bytes.into_vec().map_err(|_| Failure::usage("there is not enough memory for the result"))
}

/// What memory takes.
pub(crate) fn image(name: &str, text: &[u8], target: &Target, options: &Options) -> Result<ObjectImage, Failure> {
    let (input, options) = (input(name, text)?, options.clone().emit(Emit::Image));
    if let Input::Ir(text) = input {
        return Ok(image_ir(name, text, target, &options)?);
    }
    compiled(&input, target, &options)?.image.ok_or_else(|| Failure::usage("the text makes no image"))
}

/// Compiles a text in memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_compile(
    target: *const CTarget,
    options: *const COptions,
    name: *const c_char,
    source: *const c_char,
    size: usize,
    error: *mut *mut Failure,
) -> *mut Buffer {
    // SAFETY: C's word.
    unsafe {
        guard(error, || {
            let target = value(target, "the target")?;
            let options = options.as_ref().cloned().unwrap_or_default();
            let (name, source) = (text(name, "the name")?, bytes(source, size)?);
            file(name, source, &target.0, &options.0).map(Buffer::new)
        })
    }
}
