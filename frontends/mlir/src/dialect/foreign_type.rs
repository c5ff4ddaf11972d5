//! Types of foreign dialects.

use gusset_program::{Refusal, Result, TypeId, TypeTable};

use crate::syntax::types::Types;

/// A type of a dialect in its spelling: `!sat.fixed<8, i32>`.
pub struct ForeignType<'t> {
    name: &'t str,
    src: &'t [u8],
    /// Positions of the parameters.
    parameters: Vec<(usize, usize)>,
    types: &'t mut Types,
    llvm: &'t mut TypeTable,
}

impl<'t> ForeignType<'t> {
    /// The type whose parameters are at these positions of the text.
    pub(crate) fn new(
        name: &'t str,
        src: &'t [u8],
        parameters: Vec<(usize, usize)>,
        (types, llvm): (&'t mut Types, &'t mut TypeTable),
    ) -> ForeignType<'t> {
        ForeignType { name, src, parameters, types, llvm }
    }

    /// Its name without that of the dialect: `fixed`.
    pub fn name(&self) -> &str {
        self.name
    }

    /// The number of parameters.
    pub fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    /// The text of a parameter.
    pub fn parameter(&self, i: usize) -> Option<&'t str> {
        let &(start, end) = self.parameters.get(i)?;
        std::str::from_utf8(&self.src[start..end]).ok()
    }

    /// The LLVM type of a parameter that is a type.
    ///
    /// # Errors
    /// The parameter is no type, or one that is not converted.
    pub fn parameter_type(&mut self, i: usize) -> Result<TypeId> {
        let &span = self.parameters.get(i).ok_or_else(|| Refusal::new("a parameter of the type is missing"))?;
        let ty = self.types.parse_span(self.llvm, self.src, span).map_err(|e| Refusal::new(e.message()))?;
        let ty = ty.ok_or_else(|| Refusal::new("a parameter of the type is no type"))?;
        self.types.foreign(ty).map_or(Ok(self.types.whole(ty)), |(why, _)| Err(Refusal::new(why)))
    }

    /// LLVM's types, which may be extended.
    pub fn types(&mut self) -> &mut TypeTable {
        self.llvm
    }

    /// The integer type of `index`.
    pub fn index(&self) -> TypeId {
        self.types.index
    }
}
