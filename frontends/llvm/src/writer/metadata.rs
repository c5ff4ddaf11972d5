//! Metadata.

use gusset_program::{Field, Function, Metadata, Node, Special, TypeTable};
use std::io::Write as _;

use super::Writer;

impl Writer<'_> {
    /// Writes named metadata and nodes.
    pub(super) fn all_metadata(&mut self, types: &TypeTable) {
        let m = self.module;
        self.nodes(types, &m.constants, &m.named, &m.nodes);
    }

    /// Writes named metadata, and numbered nodes, in which `constants` are used.
    pub(super) fn nodes(
        &mut self,
        types: &TypeTable,
        constants: &Function,
        named: &[(Vec<u8>, Vec<Metadata>)],
        nodes: &[(u32, Node)],
    ) {
        for (name, operands) in named {
            self.metadata_name(name);
            self.put(" = ");
            self.put("!{");
            self.metadata_list(types, constants, operands);
            self.put("}\n");
        }
        for (number, node) in nodes {
            let _ = write!(self.out, "!{number} = ");
            self.put(if node.distinct { "distinct " } else { "" });
            self.metadata(types, constants, &node.content);
            self.put("\n");
        }
    }

    /// Writes `!` and a name, in which every byte but letters is escaped.
    fn metadata_name(&mut self, name: &[u8]) {
        self.put("!");
        for (i, &b) in name.iter().enumerate() {
            if b.is_ascii_alphabetic() || b"-$._".contains(&b) || i > 0 && b.is_ascii_digit() {
                self.out.push(b);
            } else {
                let _ = write!(self.out, "\\{b:02X}");
            }
        }
    }

    /// Writes `!kind !node` after separators.
    pub(super) fn attachments(
        &mut self,
        types: &TypeTable,
        f: &Function,
        separator: &str,
        attached: &[(Vec<u8>, Metadata)],
    ) {
        for (kind, node) in attached {
            self.put(separator);
            self.metadata_name(kind);
            self.put(" ");
            self.metadata(types, f, node);
        }
    }

    /// Writes metadata as an operand.
    pub(super) fn metadata(&mut self, types: &TypeTable, f: &Function, metadata: &Metadata) {
        match metadata {
            Metadata::Null => self.put("null"),
            Metadata::Node(number) => {
                let _ = write!(self.out, "!{number}");
            }
            Metadata::String(text) => {
                self.put("!");
                self.quoted(text);
            }
            Metadata::Value(_, val) => self.typed(types, f, *val),
            Metadata::Tuple(operands) => {
                self.put("!{");
                self.metadata_list(types, f, operands);
                self.put("}");
            }
            Metadata::Special(special) => self.special(types, f, special),
        }
    }

    pub(super) fn metadata_list(&mut self, types: &TypeTable, f: &Function, list: &[Metadata]) {
        for (i, operand) in list.iter().enumerate() {
            self.comma(i);
            self.metadata(types, f, operand);
        }
    }

    fn special(&mut self, types: &TypeTable, f: &Function, special: &Special) {
        self.put("!");
        self.out.extend_from_slice(&special.name);
        self.put("(");
        for (i, (name, field)) in special.fields.iter().enumerate() {
            self.comma(i);
            if !name.is_empty() {
                self.out.extend_from_slice(name);
                self.put(": ");
            }
            match field {
                Field::Words(words) => self.out.extend_from_slice(words),
                Field::String(text) => self.quoted(text),
                Field::Metadata(metadata) => self.metadata(types, f, metadata),
                Field::List(list) => {
                    self.put("{");
                    self.metadata_list(types, f, list);
                    self.put("}");
                }
            }
        }
        self.put(")");
    }
}
