//! The text of types.

use super::text;
use crate::syntax::types::layout::Memref;
use crate::syntax::types::{DYNAMIC, Kind, Ty, Types};
use gusset_program::OpaquePart;

impl Types {
    /// The text of a type, in which LLVM's types are marked as such (MLIR, "'builtin' Dialect", "Types").
    pub fn spell(&self, ty: Ty, out: &mut Vec<OpaquePart>) {
        let Some(kind) = self.own(ty) else {
            return out.extend(ty.llvm().map(OpaquePart::Type));
        };
        match kind {
            Kind::Index => out.push(text("index")),
            Kind::None => out.push(text("none")),
            Kind::Integer { bits, signed } => out.push(text(format!("{}i{bits}", if *signed { "s" } else { "u" }))),
            Kind::Float8(format) => out.push(text(format.name())),
            Kind::Complex(lane) => self.spell_in("complex<", *lane, ">", out),
            Kind::Vector { dims, lane } => {
                let dims: String = dims.iter().map(|n| format!("{n}x")).collect();
                self.spell_in(&format!("vector<{dims}"), *lane, ">", out);
            }
            Kind::Memref(m) => {
                let sizes: String = m.sizes.iter().map(|&n| format!("{}x", number(n))).collect();
                self.spell_in(&format!("memref<{sizes}"), m.element, &format!("{}{}>", layout(m), space(m.space)), out);
            }
            Kind::Unranked { element, space: n } => {
                self.spell_in("memref<*x", *element, &format!("{}>", space(*n)), out);
            }
            Kind::Function { inputs, results } => {
                self.spell_list(inputs, out);
                out.push(text(" -> "));
                self.spell_list(results, out);
            }
            Kind::Custom { text: own, .. } | Kind::Foreign { text: own, .. } => out.push(text(own)),
        }
    }

    fn spell_in(&self, before: &str, ty: Ty, after: &str, out: &mut Vec<OpaquePart>) {
        out.push(text(before));
        self.spell(ty, out);
        out.push(text(after));
    }

    fn spell_list(&self, types: &[Ty], out: &mut Vec<OpaquePart>) {
        out.push(text("("));
        for (i, &ty) in types.iter().enumerate() {
            if i > 0 {
                out.push(text(", "));
            }
            self.spell(ty, out);
        }
        out.push(text(")"));
    }
}

fn number(n: i64) -> String {
    if n == DYNAMIC { "?".into() } else { n.to_string() }
}

fn layout(m: &Memref) -> String {
    if m.identity {
        return String::new();
    }
    let strides: Vec<String> = m.strides.iter().map(|&n| number(n)).collect();
    let offset = if m.offset == 0 { String::new() } else { format!(", offset: {}", number(m.offset)) };
    format!(", strided<[{}]{offset}>", strides.join(", "))
}

fn space(n: u32) -> String {
    if n == 0 { String::new() } else { format!(", {n}") }
}
