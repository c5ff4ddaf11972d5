//! LLVM 19's keywords for the contents of a module.

use gusset_codegen::ir::Opcode;

use super::{Attribute, AttributeValue};
use crate::operators::Cast;

/// Binary operators by their words.
const BINARY: [(Opcode, &str); 18] = [
    (Opcode::Iadd, "add"),
    (Opcode::Isub, "sub"),
    (Opcode::Imul, "mul"),
    (Opcode::Udiv, "udiv"),
    (Opcode::Sdiv, "sdiv"),
    (Opcode::Urem, "urem"),
    (Opcode::Srem, "srem"),
    (Opcode::And, "and"),
    (Opcode::Or, "or"),
    (Opcode::Xor, "xor"),
    (Opcode::Shl, "shl"),
    (Opcode::Lshr, "lshr"),
    (Opcode::Ashr, "ashr"),
    (Opcode::Fadd, "fadd"),
    (Opcode::Fsub, "fsub"),
    (Opcode::Fmul, "fmul"),
    (Opcode::Fdiv, "fdiv"),
    (Opcode::Frem, "frem"),
];

/// LLVM's keyword for a binary operator.
pub fn binary_word(op: Opcode) -> &'static str {
    BINARY.iter().find(|b| b.0 == op).map_or("", |b| b.1)
}

/// Conversions by their words.
const CASTS: [(Cast, &str); 13] = [
    (Cast::Trunc, "trunc"),
    (Cast::Zext, "zext"),
    (Cast::Sext, "sext"),
    (Cast::Fptrunc, "fptrunc"),
    (Cast::Fpext, "fpext"),
    (Cast::Fptoui, "fptoui"),
    (Cast::Fptosi, "fptosi"),
    (Cast::Uitofp, "uitofp"),
    (Cast::Sitofp, "sitofp"),
    (Cast::Ptrtoint, "ptrtoint"),
    (Cast::Inttoptr, "inttoptr"),
    (Cast::Bitcast, "bitcast"),
    (Cast::Addrspacecast, "addrspacecast"),
];

/// LLVM 19's keyword for a conversion.
pub fn cast_word(cast: Cast) -> &'static str {
    // LLVM 19 has no other for addresses.
    CASTS.iter().find(|c| c.0 == cast).map_or("ptrtoint", |c| c.1)
}

/// Attributes that LLVM 19 does not know. All of them only make promises, so a program without them does the same.
const LATER: [&str; 11] = [
    "captures",
    "coro_elide_safe",
    "dead_on_return",
    "nocreateundeforpoison",
    "nodivergencesource",
    "noext",
    "nooutline",
    "sanitize_alloc_token",
    "sanitize_realtime",
    "sanitize_realtime_blocking",
    "sanitize_type",
];

impl Attribute {
    /// The keyword of LLVM 19 for the attribute: the same, another one, or none.
    pub fn known_word(&self) -> Option<&[u8]> {
        let later = LATER.iter().any(|later| later.as_bytes() == self.name);
        match &self.value {
            AttributeValue::Words(words) if later && self.name == b"captures" && words == b"none" => Some(b"nocapture"),
            // Memory locations that may be written besides those that LLVM 19 distinguishes.
            AttributeValue::Words(words) if self.name == b"memory" => {
                let other = |word: &[u8]| memchr::memmem::find(words, word).is_some();
                (!other(b"errnomem") && !other(b"target_mem")).then_some(&self.name)
            }
            AttributeValue::Key | AttributeValue::String(_) => Some(&self.name),
            _ => (!later).then_some(&self.name),
        }
    }
}
