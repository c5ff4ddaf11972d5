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

/// The text, if it is Gusset's IR.
fn ir(text: &[u8]) -> Result<Option<&str>, Failure> {
    if !is_ir(text) {
        return Ok(None);
    }
    std::str::from_utf8(text).map(Some).map_err(|_| Failure::usage("Gusset's IR is text in UTF-8"))
}

/// Compiles MLIR or LLVM IR.
fn compiled(source: Source<'_>, target: &Target, options: &Options) -> Result<Compilation, gusset::Error> {
    match is_mlir(source.text) {
        true => compile_mlir(source, target, options, &mut |_| {}),
        false => compile_llvm(source, target, options, &mut |_| {}),
    }
}

/// What C asks to be compiled.
pub(crate) struct Request<'r> {
    source: Source<'r>,
    target: &'r Target,
    options: Options,
}

impl<'r> Request<'r> {
    /// The arguments of C's functions.
    ///
    /// # Safety
    /// The pointers are what `gusset.h` says, and lead to what lives as long as `'r`.
    pub unsafe fn new(
        target: *const CTarget,
        options: *const COptions,
        name: *const c_char,
        source: *const c_char,
        size: usize,
    ) -> Result<Request<'r>, Failure> {
        // SAFETY: the caller's word.
        unsafe {
            let target = &value(target, "the target")?.0;
            let options = options.as_ref().cloned().unwrap_or_default().0;
            let source = Source { name: text(name, "the name")?, text: bytes(source, size)? };
            Ok(Request { source, target, options })
        }
    }

    /// The bytes that the choices ask for.
    fn file(self) -> Result<Vec<u8>, Failure> {
        let Request { source, target, options } = self;
        if let Some(text) = ir(source.text)? {
            return Ok(compile_ir(source.name, text, target, &options)?);
        }
        let done = compiled(source, target, &options)?;
        done.bytes.into_vec().map_err(|_| Failure::usage("there is not enough memory for the result"))
    }

    /// What memory takes.
    pub fn image(self) -> Result<ObjectImage, Failure> {
        let (source, target, options) = (self.source, self.target, self.options.emit(Emit::Image));
        if let Some(text) = ir(source.text)? {
            return Ok(image_ir(source.name, text, target, &options)?);
        }
        compiled(source, target, &options)?.image.ok_or_else(|| Failure::usage("the text makes no image"))
    }
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
    unsafe { guard(error, || Request::new(target, options, name, source, size)?.file().map(Buffer::new)) }
}
