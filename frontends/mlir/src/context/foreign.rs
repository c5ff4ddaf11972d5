//! Registered dialects as the reader uses them: a table of their operations, and how their attributes change symbols.

use std::sync::OnceLock;

use gusset_abi::Arch;
use gusset_program::{FnAttrs, Values};
use gusset_text::ReadError;

use crate::context::op_kind::OpKind;
use crate::dialect::{Amendment, Dialect, Dialects, Operation};
use crate::syntax::attributes::{AttributeRef, NamedAttribute};
use crate::syntax::header::take_attribute;
use crate::syntax::op_table::{Row, Rows};
use crate::syntax::types::Types;

impl Amendment {
    /// Adds the attributes to those of a function.
    pub(crate) fn apply(
        &self,
        attrs: &mut FnAttrs,
        values: &mut Values,
        at: (AttributeRef, Arch),
    ) -> gusset_text::Result<()> {
        for (key, value) in &self.attributes {
            take_attribute(attrs, values, key.as_bytes(), value.as_bytes(), at)?;
        }
        Ok(())
    }
}

/// Dialects with the table of their operations, which is made when the first one is met.
pub(crate) struct Foreign {
    pub dialects: Dialects,
    rows: OnceLock<Rows<OpKind>>,
}

impl Foreign {
    pub fn new(dialects: Dialects) -> Foreign {
        Foreign { dialects, rows: OnceLock::new() }
    }

    /// Operations of all of them.
    pub fn rows(&self) -> &Rows<OpKind> {
        self.rows.get_or_init(|| {
            let row = |make| move |op: &Operation| Row { name: op.name, form: op.form, rule: op.rule, make };
            let of = |(d, dialect): (usize, &dyn Dialect)| -> Vec<Row<OpKind>> {
                dialect.operations().iter().map(row(OpKind::Foreign(d as u16))).collect()
            };
            let tables: Vec<Vec<Row<OpKind>>> = self.dialects.iter().enumerate().map(of).collect();
            let tables: Vec<&[Row<OpKind>]> = tables.iter().map(Vec::as_slice).collect();
            Rows::new(&tables)
        })
    }

    /// The dialect of a number.
    pub fn dialect(&self, number: u16) -> Option<&dyn Dialect> {
        self.dialects.iter().nth(number.into())
    }

    /// Whether some dialect acts on attributes.
    pub fn amends(&self) -> bool {
        self.dialects.iter().any(|d| !d.attributes().is_empty())
    }

    /// How dialects change a symbol that has these attributes.
    pub fn amendment(
        &self,
        types: &Types,
        (name, function): (&[u8], bool),
        attrs: &[NamedAttribute],
    ) -> std::result::Result<Option<Amendment>, ReadError> {
        if !self.amends() {
            return Ok(None);
        }
        let mut amendment = None;
        for &NamedAttribute { name: attribute, value } in attrs {
            let Some((dialect, attribute)) = self.dialects.of_attribute(attribute) else { continue };
            let fresh = || {
                let name = String::from_utf8_lossy(name).into_owned();
                Amendment { name, function, ..Amendment::default() }
            };
            let text = value.resolve(types).text_with_type()?;
            let amendment = amendment.get_or_insert_with(fresh);
            dialect.amend_symbol(attribute, text, amendment).map_err(|why| value.error(why))?;
            if amendment.align.is_some_and(|n| !n.is_power_of_two()) {
                return Err(value.error("an alignment is a power of two"));
            }
        }
        Ok(amendment)
    }
}
