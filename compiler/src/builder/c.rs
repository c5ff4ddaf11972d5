//! Declarations of C as text: functions to call, and types.

use gusset_abi::{CType, Language, Signature};
use gusset_c::Prototype;
use gusset_codegen::ir::Linkage;

use super::{Func, ObjectBuilder};
use crate::Error;

/// The name of the text in messages.
pub(super) const NAME: &str = "<C>";

impl ObjectBuilder<'_> {
    /// Declares the function of a C declaration, which others define: `double hypot(double, double);`. Structs and
    /// typedefs may come before it. Of several functions it is the last.
    ///
    /// ```
    /// use gusset_compiler::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
    ///
    /// let target = Target::from_triple("aarch64-linux-gnu", &Features::default())?;
    /// let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    /// let puts = object.declare_c("int puts(const char *);")?;
    /// let main = object.c_signature("int main(void);")?;
    /// let main = object.declare("main", main, Linkage::Export)?;
    /// object.define(main, |b| {
    ///     let text = b.text(b"hello\0");
    ///     let result = b.call(puts, &[text]);
    ///     b.ret(result);
    /// })?;
    /// # Ok::<(), gusset_compiler::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text is not C or declares no function, with the place; as for [`declare`](Self::declare).
    pub fn declare_c(&mut self, declaration: &str) -> Result<Func, Error> {
        let found = self.prototype(declaration)?;
        self.declare_prototype(found)
    }

    /// Declares all functions of a C header that has been preprocessed; others define them. Gives them with their names
    /// in C.
    ///
    /// # Errors
    /// As for [`declare_c`](Self::declare_c).
    pub fn declare_c_header(&mut self, header: &str) -> Result<Vec<(String, Func)>, Error> {
        let found = self.prototypes(header)?;
        found.into_iter().map(|found| Ok((found.name.clone(), self.declare_prototype(found)?))).collect()
    }

    /// The signature of the function that a C declaration ends with, to declare a function of one's own with it, or to
    /// call an address. If the object has debug information, a function that is declared with this name and signature has
    /// the names of the text: of parameters, of types, of what pointers lead to.
    ///
    /// # Errors
    /// The text is not C or declares no function, with the place.
    pub fn c_signature(&self, declaration: &str) -> Result<Signature, Error> {
        Ok(self.prototype(declaration)?.signature)
    }

    /// A type that C text declares, by its name (`point_t`, `struct point`); without a name, the last one. The text may
    /// be a type alone: `unsigned long`. The type has the sizes of the target. If
    /// the object has debug information, records keep their names and those of their members there.
    ///
    /// # Errors
    /// The text is not C or has no such type, with the place.
    pub fn c_type(&self, source: &str, name: Option<&str>) -> Result<CType, Error> {
        let target = self.target.abi();
        let Some(debug) = &self.debug else {
            let layout = gusset_c::layout_in(Language::C, source, target, name);
            return Ok(layout.map_err(|error| error.in_file(NAME))?.ctype);
        };
        let named = gusset_c::layout_with_types(source, target, name).map_err(|error| error.in_file(NAME))?;
        debug.name_c_type(self.target, &named)?;
        Ok(named.found.ctype)
    }

    /// The last function of a text.
    fn prototype(&self, declaration: &str) -> Result<Prototype, Error> {
        if self.debug.is_some()
            && let Some(found) = self.prototypes(declaration)?.pop()
        {
            return Ok(found);
        }
        Ok(gusset_c::prototype(declaration, self.target.abi(), None).map_err(|error| error.in_file(NAME))?)
    }

    /// All functions of a text. Debug information takes their names.
    fn prototypes(&self, text: &str) -> Result<Vec<Prototype>, Error> {
        let target = self.target.abi();
        let Some(debug) = &self.debug else {
            return Ok(gusset_c::prototypes(text, target).map_err(|error| error.in_file(NAME))?);
        };
        let named = gusset_c::prototypes_with_types(text, target).map_err(|error| error.in_file(NAME))?;
        debug.name_c_functions(self.target, self.id, &named)?;
        Ok(named.found)
    }

    fn declare_prototype(&mut self, found: Prototype) -> Result<Func, Error> {
        // An `asm` label is the symbol's name as it is.
        let name = found.symbol.map_or(found.name, |symbol| format!("\u{1}{symbol}"));
        self.declare(&name, found.signature, Linkage::Import)
    }
}
