//! From text to objects and assembly.

use std::ffi::c_char;

use gusset::memory::ObjectImage;
use gusset::{Compilation, Emit, Options, Source, Target, TextForm, compile_text};

use crate::buffer::Buffer;
use crate::error::{Failure, guard};
use crate::options::COptions;
use crate::target::CTarget;
use crate::{bytes, text, value};

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

    /// Compiles the text, of whichever form.
    fn compiled(&self, options: &Options) -> Result<Compilation, gusset::Error> {
        compile_text(self.source, TextForm::of(self.source.text), self.target, options, &mut |_| {})
    }

    /// The bytes that the choices ask for.
    fn file(self) -> Result<Vec<u8>, Failure> {
        let done = self.compiled(&self.options)?;
        done.bytes.into_vec().map_err(|_| Failure::usage("there is not enough memory for the result"))
    }

    /// What memory takes.
    pub fn image(self) -> Result<ObjectImage, Failure> {
        let options = self.options.clone().emit(Emit::Image);
        self.compiled(&options)?.image.ok_or_else(|| Failure::usage("the text makes no image"))
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
