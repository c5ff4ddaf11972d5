//! Types.

use gusset_program::{Foreign, Kind, Module, TypeId, TypeTable};
use std::io::Write as _;

use super::Writer;

/// A type as a message names it.
#[cold]
pub(crate) fn type_text(types: &TypeTable, id: TypeId) -> String {
    let module = Module::default();
    let mut writer = Writer::new(&module);
    writer.ty(types, id);
    String::from_utf8_lossy(&writer.out).into_owned()
}

impl Writer<'_> {
    /// Writes a type.
    pub(super) fn ty(&mut self, types: &TypeTable, id: TypeId) {
        let i = id.0 as usize;
        if self.type_texts.len() <= i {
            self.type_texts.resize_with(i + 1, || None);
        }
        if self.type_texts[i].is_none() {
            let before = self.out.len();
            self.fresh_type(types, id);
            let text = self.out.split_off(before);
            self.type_texts[i] = Some(text.into());
        }
        if let Some(text) = &self.type_texts[i] {
            self.out.extend_from_slice(text);
        }
    }

    fn fresh_type(&mut self, types: &TypeTable, id: TypeId) {
        if let Some(word) = id.word() {
            return self.put(word);
        }
        if let Some(name) = types.name(id) {
            return self.type_name(name);
        }
        if let Some(foreign) = types.foreign(id) {
            return self.foreign_type(types, foreign);
        }
        match types.get(id).kind {
            Kind::Vector { lane, len } => self.sequence(types, "<", len.into(), lane, ">"),
            Kind::Array { element, len } => self.sequence(types, "[", len, element, "]"),
            Kind::Struct { .. } => self.members(types, id),
            // Nothing else is left.
            _ => {
                let bits = types.bits(id);
                let _ = write!(self.out, "i{bits}");
            }
        }
    }

    fn sequence(&mut self, types: &TypeTable, open: &str, len: u64, element: TypeId, close: &str) {
        let _ = write!(self.out, "{open}{len} x ");
        self.ty(types, element);
        self.put(close);
    }

    fn members(&mut self, types: &TypeTable, id: TypeId) {
        let Kind::Struct { start, len, packed } = types.get(id).kind else {
            return self.put("opaque");
        };
        self.put(if packed { "<{" } else { "{" });
        for (i, member) in types.members(start, len).iter().enumerate() {
            self.put(if i > 0 { ", " } else { " " });
            self.ty(types, member.ty);
        }
        self.put(if len > 0 { " }" } else { "}" });
        self.put(if packed { ">" } else { "" });
    }

    fn foreign_type(&mut self, types: &TypeTable, foreign: &Foreign) {
        match foreign {
            Foreign::Scalable { lane, len } => self.sequence(types, "<vscale x ", (*len).into(), *lane, ">"),
            Foreign::Pointer(space) => {
                let _ = write!(self.out, "ptr addrspace({space})");
            }
            Foreign::Integer(bits) => {
                let _ = write!(self.out, "i{bits}");
            }
            Foreign::Named(word) => self.put(word),
            Foreign::Target(text) => {
                self.put("target(");
                self.out.extend_from_slice(text);
                self.put(")");
            }
            Foreign::Function { ret, params, variadic } => {
                self.ty(types, *ret);
                self.put(" ");
                self.parameter_types(types, params.iter().copied(), *variadic);
            }
        }
    }

    /// Writes types of parameters in parentheses.
    pub(super) fn parameter_types(&mut self, types: &TypeTable, params: impl Iterator<Item = TypeId>, variadic: bool) {
        self.put("(");
        let mut count = 0;
        for ty in params {
            self.comma(count);
            self.ty(types, ty);
            count += 1;
        }
        if variadic {
            self.comma(count);
            self.put("...");
        }
        self.put(")");
    }

    fn type_name(&mut self, name: &[u8]) {
        self.put("%");
        match !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
            true => self.out.extend_from_slice(name),
            false => self.word(name),
        }
    }

    /// Writes the line that defines a named struct.
    pub(super) fn type_definition(&mut self, types: &TypeTable, id: TypeId) {
        self.ty(types, id);
        self.put(" = type ");
        self.members(types, id);
        self.put("\n");
    }
}
