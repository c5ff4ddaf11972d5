//! Attributes of functions, parameters and results, and calling conventions.

use gusset_program::{Attribute, AttributeValue, Header, Preemption, Result, Symbol};

use super::pieces::Context;
use super::pieces::Piece::*;
use super::text::{list, quoted};
use super::{Writer, none};
use crate::syntax::header::{FLAGS, TEXTS, TRUTHS};

/// Attributes of parameters, known to the dialect or not, that affect how a value is passed; whether MLIR 19 has them
/// (`LLVMDialect.td`).
const PASSING: [(&str, bool); 14] = [
    ("alignstack", true),
    ("byref", true),
    ("byval", true),
    ("inalloca", true),
    ("inreg", true),
    ("nest", true),
    ("noext", false),
    ("preallocated", true),
    ("signext", true),
    ("sret", true),
    ("swiftasync", false),
    ("swifterror", false),
    ("swiftself", false),
    ("zeroext", true),
];

/// Other attributes of parameters that the dialect has.
const INFORMING: [&str; 14] = [
    "align",
    "allocalign",
    "allocptr",
    "dereferenceable",
    "dereferenceable_or_null",
    "noalias",
    "nocapture",
    "nofree",
    "nonnull",
    "noundef",
    "readnone",
    "readonly",
    "returned",
    "writeonly",
];

/// The word of a call attribute without a value, as later versions know it.
pub(super) fn call_flag(name: &[u8]) -> Option<&'static str> {
    flag(name).filter(|word| !matches!(*word, "always_inline" | "optimize_none"))
}

/// LLVM's words for conventions for which MLIR has another spelling than the word plus `cc`.
const CONVENTIONS: [(&str, &str); 8] = [
    ("ccc", ""),
    ("ghccc", "cc_10"),
    ("cc 0", ""),
    ("cc 8", "fastcc"),
    ("cc 9", "coldcc"),
    ("cc 10", "cc_10"),
    ("cc 11", "cc_11"),
    ("aarch64_vector_pcs", "aarch64_vectorcallcc"),
];

/// Conventions that MLIR 19 knows (`LLVMEnums.td`).
const KNOWN: [&str; 46] = [
    "fastcc",
    "coldcc",
    "anyregcc",
    "preserve_mostcc",
    "preserve_allcc",
    "swiftcc",
    "cxx_fast_tlscc",
    "tailcc",
    "cfguard_checkcc",
    "swifttailcc",
    "x86_stdcallcc",
    "x86_fastcallcc",
    "arm_apcscc",
    "arm_aapcscc",
    "arm_aapcs_vfpcc",
    "msp430_intrcc",
    "x86_thiscallcc",
    "ptx_kernelcc",
    "ptx_devicecc",
    "spir_funccc",
    "spir_kernelcc",
    "intel_ocl_bicc",
    "x86_64_sysvcc",
    "win64cc",
    "x86_vectorcallcc",
    "hhvmcc",
    "hhvm_ccc",
    "x86_intrcc",
    "avr_intrcc",
    "avr_signalcc",
    "avr_builtincc",
    "amdgpu_vscc",
    "amdgpu_gscc",
    "amdgpu_pscc",
    "amdgpu_cscc",
    "amdgpu_kernelcc",
    "x86_regcallcc",
    "amdgpu_hscc",
    "msp430_builtincc",
    "amdgpu_lscc",
    "amdgpu_escc",
    "aarch64_vectorcallcc",
    "aarch64_sve_vectorcallcc",
    "wasm_emscripten_invokecc",
    "amdgpu_gfxcc",
    "m68k_intrcc",
];

/// The keyword of a calling convention; empty for C's.
pub(super) fn keyword(convention: &str) -> Result<&'static str> {
    if convention.is_empty() {
        return Ok("");
    }
    if let Some((_, word)) = CONVENTIONS.iter().find(|c| c.0 == convention) {
        return Ok(word);
    }
    let of_pcs = convention.strip_suffix("_vector_pcs");
    let known = |known: &&&str| match of_pcs {
        Some(stem) => known.strip_prefix(stem) == Some("_vectorcallcc"),
        None => **known == convention || known.strip_suffix("cc") == Some(convention),
    };
    let found = KNOWN.iter().find(known);
    found.copied().ok_or_else(|| none(&format!("the calling convention `{convention}`")))
}

/// Whether it affects how a value is passed.
pub(super) fn is_about_passing(attribute: &Attribute) -> bool {
    let string = matches!(attribute.value, AttributeValue::Key | AttributeValue::String(_));
    !string && PASSING.iter().any(|row| row.0.as_bytes() == attribute.name)
}

/// The attribute of the operation that a function attribute without a value is.
fn flag(name: &[u8]) -> Option<&'static str> {
    FLAGS.iter().find(|row| row.0.as_bytes() == name).map(|row| row.1)
}

/// What `memory(…)`, and LLVM's earlier words for it, allow of arguments' memory, inaccessible and other memory: bit 0
/// for reading, bit 1 for writing.
#[derive(Clone, Copy)]
struct Effects([u8; 3]);

const EFFECTS: [&str; 4] = ["none", "read", "write", "readwrite"];

impl Effects {
    /// Removes what another word does not allow.
    fn restrict(&mut self, allowed: [u8; 3]) {
        for (of, allowed) in self.0.iter_mut().zip(allowed) {
            *of &= allowed;
        }
    }

    /// Reads `read, argmem: none`.
    fn words(words: &[u8]) -> Option<Effects> {
        let mut effects = Effects([0; 3]);
        for (i, part) in words.split(|&b| b == b',').map(<[u8]>::trim_ascii).enumerate() {
            let (place, what) = match part.iter().position(|&b| b == b':') {
                Some(at) => (part[..at].trim_ascii(), part[at + 1..].trim_ascii()),
                None => (&b""[..], part),
            };
            let what = EFFECTS.iter().position(|word| word.as_bytes() == what)? as u8;
            match place {
                b"" if i == 0 => effects.0 = [what; 3],
                b"argmem" => effects.0[0] = what,
                b"inaccessiblemem" => effects.0[1] = what,
                _ => return None,
            }
        }
        Some(effects)
    }
}

/// The number that encodes what is in the parentheses of a function's attribute.
fn encoded(name: &[u8], words: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(words).ok()?;
    match name {
        b"uwtable" => Some(if text == "sync" { 1 } else { 2 }),
        b"allocsize" => {
            let mut numbers = text.split(',').map(|part| part.trim().parse::<u32>());
            let size = numbers.next()?.ok()?;
            let count = numbers.next().map_or(Some(u32::MAX), |n| n.ok())?;
            Some(u64::from(size) << 32 | u64::from(count))
        }
        b"allockind" => {
            let kinds = ["alloc", "realloc", "free", "uninitialized", "zeroed", "aligned"];
            let mut all = 0;
            for word in text.trim_matches('"').split(',') {
                all |= 1 << kinds.iter().position(|kind| *kind == word.trim())?;
            }
            Some(all)
        }
        _ => None,
    }
}

impl Writer<'_> {
    /// Writes a space and the dictionary of a parameter or result, if it is not empty.
    pub(super) fn parameter_attributes(&mut self, c: Context<'_>, list: &[Attribute]) -> Result<()> {
        self.put(" {");
        for attribute in list {
            self.parameter_attribute(c, attribute)?;
        }
        self.end_dictionary([" {", "}"]);
        Ok(())
    }

    /// Writes an entry for an attribute; attributes that the dialect does not have are omitted if they only inform optimizers.
    pub(super) fn parameter_attribute(&mut self, c: Context<'_>, attribute: &Attribute) -> Result<()> {
        let string = matches!(attribute.value, AttributeValue::Key | AttributeValue::String(_));
        let Some(name) = attribute.known_word().filter(|_| !string) else { return Ok(()) };
        match PASSING.iter().find(|row| row.0.as_bytes() == name) {
            Some((name, false)) => return Err(none(&format!("`{name}`"))),
            None if !INFORMING.iter().any(|known| known.as_bytes() == name) => return Ok(()),
            _ => {}
        }
        self.entry("llvm.");
        self.out.extend_from_slice(name);
        match &attribute.value {
            AttributeValue::Number(n) => write!(self, " = {n} : i64"),
            AttributeValue::Type(ty) => return self.pieces(c, &[Text(" = "), Type(*ty)]),
            _ => {}
        }
        Ok(())
    }

    /// Writes ` attributes {…}` of a function, if it is not empty.
    pub(super) fn function_attributes(&mut self, symbol: &Symbol, header: &Header) -> Result<()> {
        let m = self.module;
        self.put(" attributes {");
        if let Some(align) = symbol.align {
            write!(self, "alignment = {align} : i64");
        }
        if symbol.properties.preemption == Preemption::DsoLocal {
            self.entry("dso_local");
        }
        for (name, text) in [("garbageCollector", &header.gc), ("section", &symbol.section)] {
            if let Some(text) = text {
                self.text_entry(name, text);
            }
        }
        if let Some(val) = header.personality {
            self.entry(&format!("personality = {}", self.function_reference(val, "a personality routine")?));
        }
        if let Some(count) = self.entry_count(&symbol.attached) {
            self.entry(&format!("function_entry_count = {count} : i64"));
        }
        let mut effects = Effects([3; 3]);
        let mut rest: Vec<&Attribute> = Vec::new();
        let mut seen: Vec<&[u8]> = Vec::new();
        for attribute in m.attributes(&symbol.attrs) {
            if seen.contains(&&attribute.name[..]) {
                continue;
            }
            seen.push(&attribute.name);
            self.function_attribute(attribute, &mut effects, &mut rest);
        }
        if effects.0 != [3; 3] {
            let [arg, inaccessible, other] = effects.0.map(|e| EFFECTS[usize::from(e)]);
            let hidden = format!("inaccessibleMem = {inaccessible}");
            self.entry(&format!("memory = #llvm.memory_effects<other = {other}, argMem = {arg}, {hidden}>"));
        }
        self.passthrough(&rest)?;
        self.end_dictionary([" attributes {", "}"]);
        Ok(())
    }

    pub(super) fn text_entry(&mut self, name: &str, text: &[u8]) {
        self.entry(&format!("{name} = {}", quoted(text)));
    }

    /// Writes an attribute that the operation has; the others are left for `passthrough`.
    fn function_attribute<'a>(
        &mut self,
        attribute: &'a Attribute,
        effects: &mut Effects,
        rest: &mut Vec<&'a Attribute>,
    ) {
        let name = &attribute.name[..];
        match &attribute.value {
            AttributeValue::Flag => match (flag(name), name) {
                (Some(word), _) => self.entry(word),
                // Until LLVM 16.
                (None, b"readnone") => effects.restrict([0; 3]),
                (None, b"readonly") => effects.restrict([1; 3]),
                (None, b"writeonly") => effects.restrict([2; 3]),
                (None, b"argmemonly") => effects.restrict([3, 0, 0]),
                (None, b"inaccessiblememonly") => effects.restrict([0, 3, 0]),
                (None, b"inaccessiblemem_or_argmemonly") => effects.restrict([3, 3, 0]),
                _ => rest.push(attribute),
            },
            // Alignments are the symbol's.
            AttributeValue::Number(_) if name == b"align" => {}
            AttributeValue::Words(words) if name == b"memory" => {
                // Kinds of memory that only later versions distinguish can only restrict it.
                if let Some(said) = Effects::words(words) {
                    effects.restrict(said.0);
                }
            }
            AttributeValue::Words(words) if name == b"vscale_range" => {
                let text = String::from_utf8_lossy(words);
                let (min, max) = text.split_once(',').unwrap_or((&text, &text));
                let (min, max) = (min.trim(), max.trim());
                let range = format!("minRange = {min} : i32, maxRange = {max} : i32");
                self.entry(&format!("vscale_range = #llvm.vscale_range<{range}>"));
            }
            AttributeValue::String(value) => self.string_attribute(attribute, value, rest),
            _ => rest.push(attribute),
        }
    }

    fn string_attribute<'a>(&mut self, attribute: &'a Attribute, value: &[u8], rest: &mut Vec<&'a Attribute>) {
        let name = &attribute.name[..];
        let features = || value.split(|&b| b == b',');
        let hyphens = !name.contains(&b'_');
        let word = if hyphens { String::from_utf8_lossy(name).replace('-', "_") } else { String::new() };
        if TEXTS.contains(&&*word) || matches!(name, b"target-cpu" | b"tune-cpu") {
            self.text_entry(&word, value);
        } else if TRUTHS.contains(&&*word) && matches!(value, b"true" | b"false") {
            self.entry(&format!("{word} = {}", value == b"true"));
        } else if name == b"target-features" && features().all(|f| f.starts_with(b"+") || f.starts_with(b"-")) {
            let features = list(features().map(quoted));
            self.entry(&format!("target_features = #llvm.target_features<{features}>"));
        } else if let (b"frame-pointer", b"all" | b"non-leaf" | b"none") = (name, value) {
            let kind = quoted(value);
            let kind = if value == b"non-leaf" { &kind } else { kind.trim_matches('"') };
            self.entry(&format!("frame_pointer = #llvm.framePointerKind<{kind}>"));
        } else {
            rest.push(attribute);
        }
    }

    /// Writes `passthrough = ["word", ["word", "value"]]`.
    fn passthrough(&mut self, rest: &[&Attribute]) -> Result<()> {
        let mut all = Vec::new();
        for attribute in rest.iter().filter(|a| a.known_word().is_some()) {
            let value = match &attribute.value {
                AttributeValue::Flag if attribute.name == b"uwtable" => Some("\"2\"".to_owned()),
                AttributeValue::Number(n) => Some(format!("\"{n}\"")),
                AttributeValue::String(value) => Some(quoted(value)),
                AttributeValue::Words(words) => {
                    let number = encoded(&attribute.name, words);
                    let name = String::from_utf8_lossy(&attribute.name);
                    Some(format!("\"{}\"", number.ok_or_else(|| none(&format!("`{name}(…)`")))?))
                }
                AttributeValue::Type(_) => return Err(none("a function's attribute with a type")),
                AttributeValue::Flag | AttributeValue::Key | AttributeValue::Group(_) => None,
            };
            let name = quoted(&attribute.name);
            all.push(match value {
                Some(value) => list([name, value]),
                None => name,
            });
        }
        if !all.is_empty() {
            self.entry(&format!("passthrough = {}", list(all)));
        }
        Ok(())
    }
}
