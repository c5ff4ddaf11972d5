//! Types.

use gusset_program::{
    BF16, F16, F32, F64, F80, F128, Foreign, Kind, LABEL, METADATA, PTR, Result, TOKEN, TypeId, TypeTable, VOID,
};
use std::io::Write as _;

use super::pieces::Context;
use super::pieces::Piece::*;
use super::text::{dots, quoted};
use super::{Writer, none};

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

/// A named struct whose text is longer gets an alias, so that no text grows without bounds.
const LONG: usize = 160;

impl Writer<'_> {
    /// Writes a type.
    pub(super) fn ty(&mut self, c: Context<'_>, id: TypeId) -> Result<()> {
        self.type_without(c, id, b"")
    }

    /// Writes a type without a prefix.
    pub(super) fn type_without(&mut self, c: Context<'_>, id: TypeId, prefix: &[u8]) -> Result<()> {
        let i = id.0 as usize;
        if self.type_texts.len() <= i {
            self.type_texts.resize_with(i + 1, || None);
        }
        if self.type_texts[i].is_none() {
            let before = self.out.len();
            self.fresh_type(c, id)?;
            let mut text = self.out.split_off(before);
            if self.has_front && text.len() > LONG && matches!(c.types.get(id).kind, Kind::Struct { .. }) {
                let alias = format!("!s{}", self.type_aliases);
                self.type_aliases += 1;
                let _ = write!(self.front, "{alias} = ");
                self.front.append(&mut text);
                self.front.push(b'\n');
                text = alias.into_bytes();
            }
            self.type_texts[i] = Some(text.into());
        }
        let text = self.type_texts[i].as_deref().unwrap_or_default();
        self.out.extend_from_slice(text.strip_prefix(prefix).unwrap_or(text));
        Ok(())
    }

    fn fresh_type(&mut self, c: Context<'_>, id: TypeId) -> Result<()> {
        if let Some((_, word)) = WORDS.iter().find(|w| w.0 == id) {
            self.put(word);
            return Ok(());
        }
        match (c.types.foreign(id), c.types.get(id).kind) {
            (Some(Foreign::Scalable { lane, len }), _) => return self.vector(c, *lane, *len, true),
            (Some(Foreign::Pointer(space)), _) => write!(self, "!llvm.ptr<{space}>"),
            (Some(Foreign::Integer(bits)), _) => write!(self, "i{bits}"),
            (Some(Foreign::Named(word @ ("x86_mmx" | "ppc_fp128"))), _) => write!(self, "!llvm.{word}"),
            (Some(Foreign::Named(word)), _) => return Err(none(&format!("`{word}`"))),
            (Some(Foreign::Target(text)), _) => return self.target_type(text),
            (Some(Foreign::Function { ret, params, variadic }), _) => {
                return self.function_type(c, *ret, params, *variadic);
            }
            (None, Kind::Vector { lane, len }) => return self.vector(c, lane, len, false),
            (None, Kind::Array { element, len }) => {
                let start = format!("!llvm.array<{len} x ");
                return self.pieces(c, &[Text(&start), Inner(element), Text(">")]);
            }
            (None, Kind::Struct { .. } | Kind::Opaque) => return self.structure(c, id),
            // A pointer relative to a segment register.
            (None, Kind::Ptr) => write!(self, "!llvm.ptr<{}>", TypeTable::space(id).map_or(0, u32::from)),
            (None, _) => write!(self, "i{}", c.types.bits(id)),
        }
        Ok(())
    }

    fn structure(&mut self, c: Context<'_>, id: TypeId) -> Result<()> {
        self.put("!llvm.struct<");
        if let Some(name) = c.types.name(id) {
            write!(self, "{}, ", quoted(name));
        }
        if let Kind::Struct { start, len, packed } = c.types.get(id).kind {
            self.put(if packed { "packed (" } else { "(" });
            self.list(c.types.members(start, len), |w, member| w.pieces(c, &[Inner(member.ty)]))?;
            self.put(")>");
        } else {
            self.put("opaque>");
        }
        Ok(())
    }

    fn vector(&mut self, c: Context<'_>, lane: TypeId, len: u32, scalable: bool) -> Result<()> {
        let pointers = c.types.get(lane).kind == Kind::Ptr;
        let start = match (pointers, scalable) {
            (false, false) => format!("vector<{len}x"),
            (false, true) => format!("vector<[{len}]x"),
            (true, false) => format!("!llvm.vec<{len} x "),
            (true, true) => format!("!llvm.vec<? x {len} x "),
        };
        self.pieces(c, &[Text(&start), if pointers { Inner(lane) } else { Type(lane) }, Text(">")])
    }

    /// Writes the type of functions.
    pub(super) fn function_type(
        &mut self,
        c: Context<'_>,
        ret: TypeId,
        params: &[TypeId],
        variadic: bool,
    ) -> Result<()> {
        self.pieces(c, &[Text("!llvm.func<"), Inner(ret), Text(" (")])?;
        self.list(params, |w, &ty| w.pieces(c, &[Inner(ty)]))?;
        write!(self, "{})>", dots(variadic, params.is_empty()));
        Ok(())
    }

    /// Writes a target type from LLVM's parts: its name, types and numbers.
    fn target_type(&mut self, text: &[u8]) -> Result<()> {
        self.put("!llvm.target<");
        self.list(text.split(|&b| b == b',').map(<[u8]>::trim_ascii), |w, part| {
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
                Some((_, word)) => w.put(word),
                None if part.starts_with(b"\"") || is_int(part) => w.out.extend_from_slice(part),
                None => return Err(none("this type of a target")),
            }
            Ok(())
        })?;
        self.put(">");
        Ok(())
    }
}
