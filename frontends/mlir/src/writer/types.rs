//! Types.

use gusset_program::{
    BF16, F16, F32, F64, F80, F128, Foreign, Kind, LABEL, METADATA, PTR, Result, TOKEN, TypeId, TypeTable, VOID,
};
use std::io::Write as _;

use super::{Writer, none, quote};

/// Types that have a word.
const WORDS: [(TypeId, &str); 11] = [
    (VOID, "!llvm.void"),
    (PTR, "!llvm.ptr"),
    (F16, "f16"),
    (BF16, "bf16"),
    (F32, "f32"),
    (F64, "f64"),
    (F80, "f80"),
    (F128, "f128"),
    (LABEL, "!llvm.label"),
    (METADATA, "!llvm.metadata"),
    (TOKEN, "!llvm.token"),
];

/// The prefix of the dialect's types, which is omitted inside their brackets.
const DIALECT: &[u8] = b"!llvm.";

/// A named struct whose text is longer gets an alias, so that no text grows without bounds.
const LONG: usize = 160;

impl Writer<'_> {
    /// Writes a type.
    pub(super) fn ty(&mut self, types: &TypeTable, id: TypeId) -> Result<()> {
        self.know_type(types, id)?;
        if let Some(Some(text)) = self.type_texts.get(id.0 as usize) {
            self.out.extend_from_slice(text);
        }
        Ok(())
    }

    /// Writes a type inside the brackets of a type of the dialect.
    pub(super) fn inner(&mut self, types: &TypeTable, id: TypeId) -> Result<()> {
        self.know_type(types, id)?;
        if let Some(Some(text)) = self.type_texts.get(id.0 as usize) {
            self.out.extend_from_slice(text.strip_prefix(DIALECT).unwrap_or(text));
        }
        Ok(())
    }

    fn know_type(&mut self, types: &TypeTable, id: TypeId) -> Result<()> {
        let i = id.0 as usize;
        if self.type_texts.len() <= i {
            self.type_texts.resize_with(i + 1, || None);
        }
        if self.type_texts[i].is_some() {
            return Ok(());
        }
        let before = self.out.len();
        self.fresh_type(types, id)?;
        let mut text = self.out.split_off(before);
        if self.has_front && text.len() > LONG && matches!(types.get(id).kind, Kind::Struct { .. }) {
            let alias = format!("!s{}", self.type_aliases);
            self.type_aliases += 1;
            let _ = write!(self.front, "{alias} = ");
            self.front.append(&mut text);
            self.front.push(b'\n');
            text = alias.into_bytes();
        }
        self.type_texts[i] = Some(text.into());
        Ok(())
    }

    fn fresh_type(&mut self, types: &TypeTable, id: TypeId) -> Result<()> {
        if let Some((_, word)) = WORDS.iter().find(|w| w.0 == id) {
            self.put(word);
            return Ok(());
        }
        if let Some(foreign) = types.foreign(id) {
            return self.foreign_type(types, foreign);
        }
        match types.get(id).kind {
            Kind::Vector { lane, len } => self.vector(types, lane, len, false),
            Kind::Array { element, len } => {
                let _ = write!(self.out, "!llvm.array<{len} x ");
                self.inner(types, element)?;
                self.put(">");
                Ok(())
            }
            Kind::Struct { .. } | Kind::Opaque => self.structure(types, id),
            // A pointer relative to a segment register.
            Kind::Ptr => {
                let space = TypeTable::space(id).map_or(0, u32::from);
                let _ = write!(self.out, "!llvm.ptr<{space}>");
                Ok(())
            }
            _ => {
                let bits = types.bits(id);
                let _ = write!(self.out, "i{bits}");
                Ok(())
            }
        }
    }

    fn structure(&mut self, types: &TypeTable, id: TypeId) -> Result<()> {
        self.put("!llvm.struct<");
        let name = types.name(id);
        if let Some(name) = name {
            quote(&mut self.out, name);
            self.put(", ");
        }
        if let Kind::Struct { start, len, packed } = types.get(id).kind {
            self.put(if packed { "packed (" } else { "(" });
            for (i, member) in types.members(start, len).iter().enumerate() {
                self.comma(i);
                self.inner(types, member.ty)?;
            }
            self.put(")>");
        } else {
            self.put("opaque>");
        }
        Ok(())
    }

    fn vector(&mut self, types: &TypeTable, lane: TypeId, len: u32, scalable: bool) -> Result<()> {
        let pointers = types.get(lane).kind == Kind::Ptr;
        let _ = match (pointers, scalable) {
            (false, false) => write!(self.out, "vector<{len}x"),
            (false, true) => write!(self.out, "vector<[{len}]x"),
            (true, false) => write!(self.out, "!llvm.vec<{len} x "),
            (true, true) => write!(self.out, "!llvm.vec<? x {len} x "),
        };
        if pointers {
            self.inner(types, lane)?;
        } else {
            self.ty(types, lane)?;
        }
        self.put(">");
        Ok(())
    }

    fn foreign_type(&mut self, types: &TypeTable, foreign: &Foreign) -> Result<()> {
        match foreign {
            Foreign::Scalable { lane, len } => self.vector(types, *lane, *len, true)?,
            Foreign::Pointer(space) => {
                let _ = write!(self.out, "!llvm.ptr<{space}>");
            }
            Foreign::Integer(bits) => {
                let _ = write!(self.out, "i{bits}");
            }
            Foreign::Named(word @ ("x86_mmx" | "ppc_fp128")) => {
                let _ = write!(self.out, "!llvm.{word}");
            }
            Foreign::Named(word) => return Err(none(&format!("`{word}`"))),
            Foreign::Target(text) => self.target_type(text)?,
            Foreign::Function { ret, params, variadic } => {
                self.function_type(types, *ret, params.iter().copied(), *variadic)?;
            }
        }
        Ok(())
    }

    /// Writes the type of functions.
    pub(super) fn function_type(
        &mut self,
        types: &TypeTable,
        ret: TypeId,
        params: impl Iterator<Item = TypeId>,
        variadic: bool,
    ) -> Result<()> {
        self.put("!llvm.func<");
        self.inner(types, ret)?;
        self.put(" (");
        let mut count = 0;
        for ty in params {
            self.comma(count);
            self.inner(types, ty)?;
            count += 1;
        }
        if variadic {
            self.comma(count);
            self.put("...");
        }
        self.put(")>");
        Ok(())
    }

    /// Writes a target type from LLVM's parts: its name, types and numbers.
    fn target_type(&mut self, text: &[u8]) -> Result<()> {
        self.put("!llvm.target<");
        for (i, part) in text.split(|&b| b == b',').map(<[u8]>::trim_ascii).enumerate() {
            self.comma(i);
            let known = [
                ("void", "!llvm.void"),
                ("ptr", "!llvm.ptr"),
                ("half", "f16"),
                ("bfloat", "bf16"),
                ("float", "f32"),
                ("double", "f64"),
            ];
            let is_int = |part: &[u8]| part.strip_prefix(b"i").unwrap_or(part).iter().all(u8::is_ascii_digit);
            match known.iter().find(|k| k.0.as_bytes() == part) {
                Some((_, word)) => self.put(word),
                None if part.starts_with(b"\"") || is_int(part) => self.out.extend_from_slice(part),
                None => return Err(none("this type of a target")),
            }
        }
        self.put(">");
        Ok(())
    }
}
