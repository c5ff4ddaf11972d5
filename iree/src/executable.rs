//! The functions of an object that IREE's dispatches call.

use gusset_abi::CType;
use gusset_abi::memref::TypeConverter;
use gusset_codegen::ir::Value;
use gusset_compiler::{Error, Linkage, ObjectBuilder};

use super::dispatch::{Call, Dispatch, address};
use super::module::emit::{build_function, signature};
use super::wrapper::{Route, Wrapper, converter, no_wrapper, parameters};
use super::{library, plugin};

impl Wrapper<'_> {
    /// Defines what dispatches call in an object: for each entry, a function that calls the entry's. C functions that
    /// are not declared as defined in the object are imported.
    ///
    /// # Errors
    /// A function cannot be dispatched: it has arguments or results that are neither numbers nor arrays of numbers; it
    /// allocates an array whose sizes are not known before the call, or any array where there is no C library; or it
    /// has no results. The route is [`Route::Module`]. Two names are equal.
    pub fn define(&self, object: &mut ObjectBuilder<'_>) -> Result<(), Error> {
        let converter = converter(object.target(), self.index_bits)?;
        let dispatches = self.dispatches(&converter)?;
        match self.route {
            Route::Module => Err(no_wrapper()),
            Route::Executable => {
                for dispatch in &dispatches {
                    self.define_executable(object, &converter, dispatch)?;
                }
                Ok(())
            }
            Route::Library => library::define(self, object, &converter, &dispatches),
            Route::Plugin => plugin::define(self, object, &converter, &dispatches),
        }
    }

    /// Defines a C function of the constants, then, for each binding, of its address and an offset in bytes.
    fn define_executable(
        &self,
        object: &mut ObjectBuilder<'_>,
        converter: &TypeConverter,
        dispatch: &Dispatch<'_>,
    ) -> Result<(), Error> {
        let call = Call::new(self.allocation, object, converter, dispatch)?;
        let signature = signature(CType::Void, &parameters(dispatch));
        let func = object.declare(&self.symbol(dispatch), signature, Linkage::Export)?;
        build_function(object, func, |b, []| {
            let words: Vec<Value> = (0..dispatch.words.len()).map(|i| b.param(i)).collect();
            let binding = |i: usize| address(b, b.param(words.len() + 2 * i), b.param(words.len() + 2 * i + 1));
            let bindings: Vec<Value> = (0..dispatch.bindings.len()).map(binding).collect();
            call.make(b, &words, &bindings);
        })?;
        Ok(())
    }
}
