//! Base classes, and the virtual functions that a class declares and inherits.

use std::collections::BTreeSet;

use gusset_abi::{Arch, Os, Virtuals};

use crate::fault::{Checked, Fault};
use crate::lex::Kind;
use crate::rewrite::Rewriter;

/// A base in the head of a class.
pub(crate) struct Base<'a> {
    name: &'a str,
    is_virtual: bool,
    at: usize,
}

/// What is known of a complete class.
pub(crate) struct Known {
    /// Its number: that of its [`gusset_abi::Record::numbered`].
    number: u32,
    /// The virtual functions, of its own and inherited.
    functions: Vec<VirtualFunction>,
    /// There are virtual bases, of its own or inherited.
    virtual_bases: bool,
    /// Neither it nor any of its bases has several bases or virtual ones, and none but the first has virtual functions
    /// of its own: the pointers to its members are the smallest of Microsoft's.
    pub single: bool,
    /// The first base has virtual functions.
    polymorphic_base: bool,
    /// The virtual functions that it declares itself.
    pub declared: Option<Virtuals>,
}

/// A virtual function.
#[derive(Clone)]
struct VirtualFunction {
    /// Its name, the types of its parameters, and its qualifiers.
    key: String,
    /// The numbers of the classes that introduced it.
    introduced: BTreeSet<u32>,
}

/// The name of all destructors: one overrides that of a base.
const DESTRUCTOR: &str = "~";

impl Known {
    /// Whether objects have a pointer to a table.
    pub fn is_dynamic(&self) -> bool {
        self.virtual_bases || !self.functions.is_empty()
    }

    /// Takes note of a function of the class.
    pub fn declare(&mut self, key: String, is_virtual: bool, overrides: bool, pure: bool) {
        let overridden: BTreeSet<u32> = self
            .functions
            .iter()
            .filter(|function| function.key == key)
            .flat_map(|function| function.introduced.iter().copied())
            .collect();
        if !is_virtual && !overrides && overridden.is_empty() {
            return;
        }
        let declared = self.declared.get_or_insert_with(Virtuals::default);
        declared.introduces |= overridden.is_empty() && !overrides;
        if key != DESTRUCTOR && !pure {
            declared.overridden.extend(&overridden);
            declared.overridden.sort_unstable();
            declared.overridden.dedup();
        }
        let introduced = if overridden.is_empty() { BTreeSet::from([self.number]) } else { overridden };
        self.functions.retain(|function| function.key != key);
        self.functions.push(VirtualFunction { key, introduced });
    }

    /// Ends the class, which has this many direct bases.
    pub fn finish(&mut self, bases: usize) {
        // A pointer to virtual functions in front of a base without one displaces the base.
        self.single &= bases == 0 || self.functions.is_empty() || self.polymorphic_base;
    }
}

impl<'a> Rewriter<'a> {
    /// Reads the bases of a class from token `i` to the brace at `end`.
    pub(crate) fn bases(&mut self, mut i: usize, end: usize) -> Checked<Vec<Base<'a>>> {
        let mut bases = Vec::new();
        while i < end {
            let next = self.end_of(i, end, &[","]).min(end);
            let mut is_virtual = false;
            let mut name = None;
            for token in &self.tokens[i..next] {
                match token.text {
                    "virtual" => is_virtual = true,
                    "public" | "protected" | "private" | "::" => {}
                    "<" => return Err(Fault::new(token.at, "templates are not supported")),
                    _ if token.kind == Kind::Word && self.cxx.namespaces.contains(token.text) => {}
                    _ if token.kind == Kind::Word && name.is_none() => name = Some(*token),
                    _ => return Err(Fault::new(token.at, format!("`{}` is not expected in a base", token.text))),
                }
            }
            let at = self.tokens[i].at;
            let name = name.ok_or_else(|| Fault::new(at, "the name of a base is expected here"))?;
            if !self.cxx.complete.contains_key(name.text) {
                return Err(Fault::new(name.at, format!("the base `{}` is not a complete class here", name.text)));
            }
            // Its rules for padding differ (C++11's plain old data instead of C++98's).
            if self.target.arch == Arch::Aarch64 && self.target.os == Os::Darwin {
                return Err(Fault::new(name.at, "base classes are not supported on Apple's 64-bit ARM"));
            }
            bases.push(Base { name: name.text, is_virtual, at: name.at });
            i = next + 1;
        }
        Ok(bases)
    }

    /// What the bases say about the class of this number.
    pub(crate) fn known(&self, number: usize, bases: &[Base<'a>]) -> Known {
        let of = |base: &Base<'a>| self.cxx.complete.get(base.name);
        let known = bases.iter().filter_map(of);
        let functions = known.clone().flat_map(|base| base.functions.iter().cloned()).collect();
        let mut known = known.peekable();
        let polymorphic_base = known.peek().is_some_and(|base| !base.functions.is_empty());
        let single = bases.len() <= 1 && bases.iter().all(|base| !base.is_virtual);
        Known {
            number: number as u32 + 1,
            functions,
            virtual_bases: bases
                .iter()
                .any(|base| base.is_virtual || of(base).is_some_and(|known| known.virtual_bases)),
            single: single && known.all(|base| base.single),
            polymorphic_base,
            declared: None,
        }
    }

    /// Emits a base as a member.
    pub(crate) fn emit_base(&mut self, base: &Base<'a>) {
        let role = if base.is_virtual { "gusset_virtual_base" } else { "gusset_base" };
        self.emit(base.name, base.at);
        self.emit_all(&format!("__gusset_base __attribute__ (( {role} )) ;"), base.at);
    }

    /// What identifies a function among those of the bases: its name at token `name`, the types of its parameters after
    /// the bracket at `open`, and its qualifiers.
    pub(crate) fn key(&self, name: usize, open: usize) -> String {
        if self.is(name, DESTRUCTOR) {
            return DESTRUCTOR.into();
        }
        let close = self.tokens[open].partner;
        let mut key = self.joined(name, open);
        let mut i = open + 1;
        while i < close {
            let end = self.end_of(i, close, &[","]).min(close);
            let value = self.end_of(i, end, &["="]).min(end);
            let mut param = self.joined(i, value);
            if self.is_named_parameter(i, value) {
                param = self.joined(i, value - 1);
            }
            key.push_str(if i == open + 1 { "(" } else { "," });
            key.push_str(if param == "void" { "" } else { &param });
            i = end + 1;
        }
        let qualifiers = (close + 1..self.tokens.len()).map_while(|i| match self.tokens[i].text {
            text @ ("const" | "volatile" | "&" | "&&") => Some(text),
            _ => None,
        });
        for qualifier in qualifiers {
            key.push(' ');
            key.push_str(qualifier);
        }
        key
    }

    /// Whether the last token of a parameter is its name, rather than its type or a part of it.
    fn is_named_parameter(&self, from: usize, to: usize) -> bool {
        const WORDS: [&str; 12] = [
            "char", "short", "int", "long", "float", "double", "bool", "void", "signed", "unsigned", "const",
            "volatile",
        ];
        let is_type =
            |i: usize| !matches!(self.tokens[i].text, "const" | "volatile" | "struct" | "class" | "enum" | "::");
        let Some(last) = to.checked_sub(1).filter(|last| *last > from) else { return false };
        let token = self.tokens[last];
        token.kind == Kind::Word
            && !WORDS.contains(&token.text)
            && !self.cxx.classes.contains(token.text)
            && (from..last).any(is_type)
    }
}
