//! Nodes of metadata for translation, as LLVM's text has them.

use gusset_lower::debug_info::{DebugField, FieldValue, spelled};
use gusset_program::{Field, METADATA, Metadata, Node, ProgramBuilder, Refusal, Result, Special, VOID, refuse_if};

use crate::body::Reader;
use crate::codes::metadata as code;
use crate::debug_nodes::{has_string, is_distinct, written_fields};
use crate::expressions::expression;
use crate::metadata::STRING;

impl Reader<'_, ProgramBuilder<'_>> {
    /// The node of the module's or of a function's metadata with a number, unless it stands where it is used: strings, values and
    /// expressions have no numbers in LLVM's text.
    pub(crate) fn node(&mut self, number: u32) -> Result<Option<Node>> {
        let m = self.m;
        let Some((all, node, _)) = m.debug_node(number) else { return Ok(None) };
        let of = u64::from(node.code);
        if let (code::VALUE, &[ty, _]) = (of, all.fields(node))
            && self.is_of_no_value(ty)
        {
            return Ok(Some(Node { distinct: false, content: Metadata::Tuple(Vec::new()) }));
        }
        if node.code == STRING || matches!(of, code::VALUE | code::EXPRESSION | code::ARG_LIST) {
            return Ok(None);
        }
        let distinct = is_distinct(all, node);
        if of == code::NODE_OLD {
            let content = Metadata::Tuple(self.old_operands(all.fields(node))?);
            return Ok(Some(Node { distinct, content }));
        }
        let (kind, fields) = written_fields(m, number).map_err(Refusal::new)?;
        let content = match kind {
            b"" => {
                let operands = fields.iter().map(|field| self.operand_of(field));
                Metadata::Tuple(operands.collect::<Result<_>>()?)
            }
            _ => Metadata::Special(Special { name: kind.to_vec(), fields: self.special_fields(of, &fields)? }),
        };
        Ok(Some(Node { distinct, content }))
    }

    /// The operands of a node of before LLVM 3.6: pairs of a type and a value or other metadata.
    fn old_operands(&mut self, fields: &[u64]) -> Result<Vec<Metadata>> {
        let (pairs, rest) = fields.as_chunks::<2>();
        refuse_if(!rest.is_empty(), "a node has a type without a value")?;
        let mut all = Vec::new();
        for &[ty, value] in pairs {
            all.push(match self.m.table.get(ty)? {
                VOID => Metadata::Null,
                METADATA => self.metadata_operand(value)?,
                _ => self.metadata_value(ty, value)?,
            });
        }
        Ok(all)
    }

    /// Metadata by their number among all nodes.
    fn numbered(&mut self, number: u32) -> Result<Metadata> {
        match self.m.debug_node(number) {
            Some((_, node, Some(_))) if node.code != STRING && u64::from(node.code) != code::VALUE => {
                match node.code.into() {
                    code::EXPRESSION => self.expression_node(number),
                    _ => Ok(Metadata::Node(number)),
                }
            }
            // Values of a function's own metadata are constants of the module.
            Some((all, node, Some(_))) => match (all.string(node), all.fields(node)) {
                (Some(text), _) => Ok(Metadata::String(text.to_vec())),
                (None, &[ty, value]) => self.metadata_value(ty, value),
                _ => Err(Refusal::new("the metadata of a value have other fields than two")),
            },
            _ => self.metadata_operand(number.into()),
        }
    }

    fn expression_node(&mut self, number: u32) -> Result<Metadata> {
        let words = self.m.debug_node(number).map_or(&[] as &[u64], |(all, node, _)| all.fields(node));
        expression(words).map(Metadata::Special)
    }

    /// The number that metadata stand for, if they stand for a constant of the module.
    fn plain_number(&self, number: u32) -> Option<i64> {
        let m = self.m;
        let (all, node, _) = m.debug_node(number)?;
        let &[_, value] = all.fields(node) else { return None };
        let index = usize::try_from(value).ok()?.checked_sub(m.globals.len())?;
        let constant = *m.constants.list.get(index).filter(|_| u64::from(node.code) == code::VALUE)?;
        m.constants.number(constant)
    }

    fn operand_of(&mut self, field: &DebugField<'_>) -> Result<Metadata> {
        match &field.value {
            FieldValue::Node(number) => self.numbered(*number),
            FieldValue::Text(text) => Ok(Metadata::String(text.to_vec())),
            _ => Ok(Metadata::Null),
        }
    }

    fn special_fields(&mut self, of: u64, fields: &[DebugField<'_>]) -> Result<Vec<(Vec<u8>, Field)>> {
        let mut all: Vec<(Vec<u8>, Field)> = Vec::new();
        for field in fields {
            let name = std::str::from_utf8(field.name).unwrap_or_default();
            let value = match &field.value {
                FieldValue::Null => Field::Metadata(Metadata::Null),
                FieldValue::Text(_) if !has_string(of, name) => Field::Metadata(self.operand_of(field)?),
                FieldValue::Text(text) => Field::String(text.to_vec()),
                FieldValue::Words(words) if skipped(of, name, *words == b"false", *words == b"true") => continue,
                FieldValue::Words(words) => Field::Words(words.to_vec()),
                FieldValue::Integer { magnitude: 0, .. } if skipped(of, name, true, false) => continue,
                FieldValue::Integer { magnitude, negative } => {
                    let number = if *negative { None } else { u64::try_from(*magnitude).ok() };
                    let word = number.and_then(|number| spelled(name, number));
                    let sign = if *negative { "-" } else { "" };
                    Field::Words(word.unwrap_or_else(|| format!("{sign}{magnitude}")).into_bytes())
                }
                FieldValue::Node(number) => match self.plain_number(*number).filter(|_| has_number(of, name)) {
                    Some(number) => Field::Words(number.to_string().into_bytes()),
                    None => Field::Metadata(self.operand_of(field)?),
                },
                FieldValue::Constant(_) | FieldValue::Value => continue,
            };
            match (all.last_mut(), value) {
                // The operands of a `GenericDINode` are one list.
                (Some((known, Field::List(list))), Field::Metadata(operand)) if known == b"operands" => {
                    list.push(operand)
                }
                (_, Field::Metadata(operand)) if name == "operands" => {
                    all.push((field.name.to_vec(), Field::List(vec![operand])));
                }
                (_, value) => all.push((field.name.to_vec(), value)),
            }
        }
        Ok(all)
    }
}

/// Whether LLVM's text leaves out a field that is zero or false, or one that is true.
fn skipped(of: u64, name: &str, zero: bool, one: bool) -> bool {
    let always = matches!(
        (of, name),
        (code::ENUMERATOR, "value")
            | (code::LEXICAL_BLOCK_FILE, "discriminator")
            | (code::GLOBAL_VAR, "isLocal" | "isDefinition")
            | (code::SUBPROGRAM, "spFlags")
            | (code::COMPILE_UNIT, "isOptimized" | "runtimeVersion" | "emissionKind" | "language")
            | (code::LOCATION, "line")
            | (code::GENERIC_DEBUG, "tag")
            | (code::MACRO, "type")
            | (code::DERIVED_TYPE, "dwarfAddressSpace")
            | (code::GENERIC_SUBRANGE, _)
    );
    match name {
        "splitDebugInlining" => one,
        _ => zero && !always,
    }
}

/// Whether LLVM's text shows a constant in a field as a number alone.
fn has_number(of: u64, name: &str) -> bool {
    match of {
        code::SUBRANGE | code::GENERIC_SUBRANGE => true,
        _ => matches!(name, "size" | "offset"),
    }
}
