//! What the module contains beside its symbols, and what of a program is left out.
//!
//! What MLIR 19 can express neither by operations nor by attributes is written as attributes of the module that it
//! ignores: those of later versions, and flags as `llvm.module_flags` (see [`crate::module::module_attributes`]).

use gusset_program::{Attachments, Attribute, Flags, Inst, Metadata, Symbol};
use std::collections::BTreeSet;

use super::Writer;
use super::layout::specification;
use super::text::{list, quoted};

/// Named metadata with a text in each node, and the attribute for it.
const TEXTS: [(&[u8], &str); 3] = [
    (b"llvm.ident", "llvm.ident"),
    (b"llvm.commandline", "llvm.commandline"),
    (b"llvm.dependent-libraries", "llvm.dependent_libraries"),
];

const FLAGS: &[u8] = b"llvm.module.flags";

/// Metadata of instructions that can be expressed, and that of debugging.
const PRESERVED: [&[u8]; 9] = [
    b"alias.scope",
    b"dbg",
    b"invariant.load",
    b"llvm.access.group",
    b"llvm.loop",
    b"noalias",
    b"nontemporal",
    b"prof",
    b"tbaa",
];

impl<'m> Writer<'m> {
    /// Writes ` attributes {…}` of the module, if it is not empty.
    pub(super) fn module_attributes(&mut self) {
        let m = self.module;
        self.put(" attributes {");
        if let Some(layout) = &m.layout {
            self.entry(&format!("dlti.dl_spec = {}", specification(&String::from_utf8_lossy(layout))));
        }
        for (name, text) in [("llvm.data_layout", &m.layout), ("llvm.target_triple", &m.triple)] {
            if let Some(text) = text {
                self.text_entry(name, text);
            }
        }
        if !m.assembly.is_empty() {
            self.entry(&format!("llvm.module_asm = {}", list(m.assembly.iter().map(|line| quoted(line)))));
        }
        for (kind, name) in TEXTS {
            let texts = self.texts_of(kind);
            match &texts[..] {
                [] => {}
                // As in later versions.
                [text] if name != "llvm.dependent_libraries" => self.entry(&format!("{name} = {text}")),
                _ => self.entry(&format!("{name} = {}", list(texts))),
            }
        }
        self.flag_list();
        self.end_dictionary([" attributes {", "}"]);
    }

    /// The operands of named metadata.
    pub(super) fn named(&self, kind: &[u8]) -> Vec<&'m Metadata> {
        let all = self.module.named.iter().chain(&self.late.named).filter(|(name, _)| name == kind);
        all.flat_map(|(_, operands)| operands).collect()
    }

    /// The first texts of the nodes of named metadata, in quotes.
    fn texts_of(&self, kind: &[u8]) -> Vec<String> {
        let text = |node: &&Metadata| match self.operands_of(node)? {
            [Metadata::String(text), ..] => Some(quoted(text)),
            _ => None,
        };
        self.named(kind).iter().filter_map(text).collect()
    }

    /// Writes the flags of the module.
    fn flag_list(&mut self) {
        let mut flags = Vec::new();
        for node in self.named(FLAGS) {
            let Some([behavior, Metadata::String(key), value]) = self.operands_of(node) else { continue };
            let (Some(behavior), value) = (self.number_in(behavior), value) else { continue };
            let number = self.number_in(value);
            match (&key[..], number) {
                // Translation back to LLVM IR adds these in any case.
                (b"Debug Info Version", Some(3)) | (b"CodeView", Some(1)) => continue,
                _ => {}
            }
            let value = match (value, number) {
                (Metadata::String(value), _) => quoted(value),
                (_, Some(n)) => format!("{} : i32", n as i32),
                _ => {
                    self.left_out.module.insert(format!("the module flag `{}`", String::from_utf8_lossy(key)));
                    continue;
                }
            };
            flags.push(list([format!("{behavior} : i32"), quoted(key), value]));
        }
        if !flags.is_empty() {
            self.entry(&format!("llvm.module_flags = {}", list(flags)));
        }
    }

    // Omissions.

    /// Records the attachments of an instruction that cannot be expressed.
    #[inline]
    pub(super) fn note_instruction(&mut self, inst: &Inst) {
        self.left_out.flags = self.left_out.flags.with(inst.flags);
        if !inst.attached.is_empty() {
            add_unwritten_kinds(&mut self.left_out.instructions, &inst.attached);
        }
    }

    /// Records attributes of a call, of its result or of an argument that cannot be expressed.
    pub(super) fn note_of_call(&mut self, attribute: &Attribute) {
        if !self.left_out.calls.contains(&attribute.name) {
            self.left_out.calls.insert(attribute.name.clone());
        }
    }

    /// Records properties of a symbol that cannot be expressed.
    pub(super) fn note_symbol(&mut self, symbol: &Symbol) {
        add_unwritten_kinds(&mut self.left_out.symbols, &symbol.attached);
    }

    /// A description of what the text does not contain of the program, none of which affects its behaviour. To be
    /// called when everything has been written.
    pub fn left_out(&mut self) -> Vec<String> {
        let mut all: Vec<String> = self.debug.left_out.iter().cloned().collect();
        all.extend(std::mem::take(&mut self.left_out.module));
        let handled = |name: &[u8]| {
            TEXTS.iter().any(|text| text.0 == name) || matches!(name, FLAGS | b"llvm.linker.options" | b"llvm.dbg.cu")
        };
        for (name, _) in self.module.named.iter().chain(&self.late.named).filter(|named| !handled(&named.0)) {
            all.push(format!("`!{}`", String::from_utf8_lossy(name).escape_debug()));
        }
        for (of, kinds) in [("symbols", &self.left_out.symbols), ("instructions", &self.left_out.instructions)] {
            let kinds: Vec<String> = kinds.iter().map(|kind| format!("`!{}`", String::from_utf8_lossy(kind))).collect();
            if !kinds.is_empty() {
                all.push(format!("the metadata {} of {of}", kinds.join(", ")));
            }
        }
        let dropped = [Flags::NUSW, Flags::EXACT, Flags::DISJOINT, Flags::NNEG, Flags::SAMESIGN];
        let words = Flags::WORDS.iter().filter(|(flag, _)| dropped.contains(flag) && self.left_out.flags.has(*flag));
        let words: Vec<String> = words.map(|(_, word)| format!("`{word}`")).collect();
        if !words.is_empty() {
            all.push(format!("the flags {}", words.join(", ")));
        }
        let calls = self.left_out.calls.iter();
        let calls: Vec<String> =
            calls.map(|name| format!("`{}`", String::from_utf8_lossy(name).escape_debug())).collect();
        if !calls.is_empty() {
            all.push(format!("the attributes {} of calls", calls.join(", ")));
        }
        if self.left_out.models {
            all.push("the models of thread-local variables, which are general ones".into());
        }
        if self.left_out.bundles {
            all.push("operand bundles of `llvm.assume`".into());
        }
        all
    }
}

/// Adds kinds of metadata that are not written.
fn add_unwritten_kinds(kinds: &mut BTreeSet<Vec<u8>>, attached: &Attachments) {
    for (kind, _) in attached {
        if !PRESERVED.contains(&&kind[..]) && !kinds.contains(kind) {
            kinds.insert(kind.clone());
        }
    }
}
