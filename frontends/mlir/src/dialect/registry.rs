//! The dialects that a reader is given.

use std::fmt;
use std::sync::Arc;

use gusset_program::{Refusal, Result, TypeId, TypeTable};

use crate::dialect::Dialect;
use crate::dialect::arm_neon::ArmNeon;
use crate::dialect::foreign_type::ForeignType;
use crate::dialect::x86vector::X86Vector;
use crate::syntax::types::{ForeignTypes, Types};

/// The dialects beside those that the reader knows, in the order of their registration. By default these are
/// `x86vector` and `arm_neon`.
#[derive(Clone)]
pub struct Dialects {
    pub(crate) all: Vec<Arc<dyn Dialect>>,
}

impl Default for Dialects {
    fn default() -> Dialects {
        Dialects { all: vec![Arc::new(X86Vector), Arc::new(ArmNeon)] }
    }
}

impl fmt::Debug for Dialects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|d| d.name())).finish()
    }
}

impl Dialects {
    /// None at all.
    pub fn none() -> Dialects {
        Dialects { all: Vec::new() }
    }

    /// The dialect of a name.
    pub(crate) fn of(&self, name: &[u8]) -> Option<&Arc<dyn Dialect>> {
        self.all.iter().find(|d| d.name().as_bytes() == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Dialect> {
        self.all.iter().map(|d| &**d)
    }

    /// The dialect that acts on an attribute, and its name.
    pub(crate) fn of_attribute(&self, name: &[u8]) -> Option<(&dyn Dialect, &'static str)> {
        let prefix = &name[..memchr::memchr(b'.', name)?];
        let dialect = &**self.of(prefix)?;
        let known = dialect.attributes().iter().find(|a| a.as_bytes() == name)?;
        Some((dialect, known))
    }
}

impl ForeignTypes for Dialects {
    fn has_dialect(&self, name: &[u8]) -> bool {
        self.of(name).is_some()
    }

    fn convert_type(
        &self,
        (dialect, name): (&[u8], &str),
        src: &[u8],
        parameters: Vec<(usize, usize)>,
        types: (&mut Types, &mut TypeTable),
    ) -> Result<TypeId> {
        let mut ty = ForeignType::new(name, src, parameters, types);
        match self.of(dialect) {
            Some(dialect) => dialect.convert_type(&mut ty),
            None => Err(Refusal::new("there is no dialect of this name")),
        }
    }
}
