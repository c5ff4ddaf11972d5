//! Writes compiled functions and a module's data as an object or as assembly text.

#[cfg(feature = "asm")]
use std::borrow::Cow;
use std::time::{Duration, Instant};

#[cfg(feature = "asm")]
use gusset_codegen::asm::AsmWriter;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::debug::{CompiledDebugInfo, DebugInfo};
use gusset_codegen::ir::Module;
use gusset_codegen::object::{ObjectError, ObjectImage, ObjectOptions, ObjectWriter};
use gusset_codegen::sparse::{OutOfMemory, SparseBytes};

use crate::{Error, Target};

/// Takes a function. Functions come in the module's order.
pub(crate) type Sink<'s> = &'s mut dyn FnMut(&CompiledFunction) -> Result<(), Error>;

/// What is to be written.
pub(crate) struct Output<'o> {
    pub target: &'o Target,
    pub module: &'o Module,
    pub pic: bool,
    pub debug: DebugChoices,
    /// Expected number of bytes of code; it need not be exact.
    pub expected_code: usize,
    /// The source, for messages.
    pub file: Option<&'o str>,
}

/// What of an object is for debuggers, besides what the input's debug information asks for.
#[derive(Clone, Copy, Default)]
pub(crate) struct DebugChoices {
    pub frame: bool,
    pub aranges: bool,
    #[cfg(feature = "compression")]
    pub compressed: bool,
}

/// What became of the functions' debug information.
pub(crate) type CompiledDebug<'i, 'd> = &'i mut (dyn Iterator<Item = &'d mut CompiledDebugInfo> + 'i);

/// What was written.
#[cfg_attr(not(feature = "llvm"), expect(dead_code, reason = "only readers of text count"))]
pub(crate) struct Written<T> {
    pub result: T,
    /// Bytes of machine code in it.
    pub code: u64,
    /// How long writing took.
    pub time: Duration,
    /// Locations of variables that debug information cannot express.
    pub unexpressed: u32,
}

#[cfg(feature = "llvm")]
impl Written<SparseBytes> {
    /// A text that is no machine code.
    pub fn text(text: Vec<u8>) -> Self {
        Written { result: text.into(), code: 0, time: Duration::ZERO, unexpressed: 0 }
    }
}

/// Adds up what `f` takes.
fn timed<R>(total: &mut Duration, f: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = f();
    *total += start.elapsed();
    result
}

impl Output<'_> {
    fn error(&self, error: ObjectError) -> Error {
        Error::Object { file: self.file.map(str::to_string), error }
    }

    /// The bytes of a file in one vector.
    pub fn whole(&self, bytes: SparseBytes) -> Result<Vec<u8>, Error> {
        bytes.into_vec().map_err(|wanted: OutOfMemory| self.error(wanted.into()))
    }

    fn options(&self) -> Result<ObjectOptions, Error> {
        let windows = self.target.abi().is_windows();
        if self.debug.frame && windows {
            return Err(Error::Target("debuggers have no unwind tables of their own on Windows".into()));
        }
        #[cfg(feature = "compression")]
        if self.debug.compressed && windows {
            return Err(Error::Target("sections are compressed in ELF objects only".into()));
        }
        let (attributes, fpu) = self.target.machine.attributes(self.module, self.pic);
        Ok(ObjectOptions {
            pic: self.pic,
            debug_frame: self.debug.frame,
            debug_aranges: self.debug.aranges,
            #[cfg(feature = "compression")]
            compress_debug_sections: self.debug.compressed,
            attributes,
            fpu,
        })
    }

    /// An object file with the functions that `functions` passes to the sink; `describe` gives their debug information.
    pub fn object(
        &self,
        functions: impl FnOnce(Sink<'_>) -> Result<(), Error>,
        describe: impl FnOnce(CompiledDebug<'_, '_>) -> Option<DebugInfo>,
    ) -> Result<Written<SparseBytes>, Error> {
        self.written(functions, describe, |writer| writer.finish_sparse())
    }

    /// The same as an image for memory.
    pub fn image(
        &self,
        functions: impl FnOnce(Sink<'_>) -> Result<(), Error>,
        describe: impl FnOnce(CompiledDebug<'_, '_>) -> Option<DebugInfo>,
    ) -> Result<Written<ObjectImage>, Error> {
        self.written(functions, describe, |writer| writer.finish_image())
    }

    fn written<T>(
        &self,
        functions: impl FnOnce(Sink<'_>) -> Result<(), Error>,
        describe: impl FnOnce(CompiledDebug<'_, '_>) -> Option<DebugInfo>,
        finish: impl FnOnce(ObjectWriter<'_>) -> Result<T, ObjectError>,
    ) -> Result<Written<T>, Error> {
        let (mut time, mut unexpressed) = (Duration::ZERO, 0);
        let mut writer = ObjectWriter::new(self.target.machine.object_format(), self.module, self.options()?);
        writer.expect(self.expected_code);
        functions(&mut |f| timed(&mut time, || writer.function(f)).map_err(|e| self.error(e)))?;
        let code = writer.code_bytes();
        let result = timed(&mut time, || {
            let info = describe(&mut writer.compiled_debug_info());
            if let Some(info) = info {
                unexpressed = writer.debug_info(&info)?;
            }
            finish(writer)
        });
        Ok(Written { result: result.map_err(|e| self.error(e))?, code, time, unexpressed })
    }

    /// The same as assembly text.
    #[cfg(feature = "asm")]
    pub fn assembly(
        &self,
        functions: impl FnOnce(Sink<'_>) -> Result<(), Error>,
        describe: impl FnOnce(CompiledDebug<'_, '_>) -> Option<DebugInfo>,
    ) -> Result<Written<SparseBytes>, Error> {
        #[cfg(feature = "compression")]
        if self.debug.compressed {
            return Err(Error::Target(
                "assemblers compress sections themselves (`as --compress-debug-sections`)".into(),
            ));
        }
        let (mut time, mut code, mut unexpressed) = (Duration::ZERO, 0, 0);
        let machine = &self.target.machine;
        let mut writer = AsmWriter::new(machine.object_format(), self.module, self.options()?, machine.disassembler());
        functions(&mut |f| {
            code += f.code.len() as u64;
            timed(&mut time, || writer.function(f)).map_err(|e| self.error(e))
        })?;
        let text = timed(&mut time, || {
            let info = describe(&mut writer.compiled_debug_info());
            if let Some(info) = info {
                unexpressed = writer.debug_info(&info)?;
            }
            writer.finish()
        });
        let text = text.map_err(|e| self.error(e))?;
        // Names that are not UTF-8 become bytes again.
        let bytes = match gusset_codegen::names::bytes_of(&text) {
            Cow::Owned(bytes) => bytes,
            Cow::Borrowed(_) => text.into_bytes(),
        };
        Ok(Written { result: bytes.into(), code, time, unexpressed })
    }

    /// This build cannot.
    #[cfg(not(feature = "asm"))]
    pub fn assembly(
        &self,
        _: impl FnOnce(Sink<'_>) -> Result<(), Error>,
        _: impl FnOnce(CompiledDebug<'_, '_>) -> Option<DebugInfo>,
    ) -> Result<Written<SparseBytes>, Error> {
        Err(Error::Target("this build has no assembly text".into()))
    }
}
