//! Debug information: LLVM's nodes as attributes `#llvm.di_…`, each with an alias before the module.
//!
//! MLIR's attributes are trees: a recursive type has a name in the tree, `recId`, by which its parts refer to it. An
//! attribute that refers to an unfinished type has a meaning only inside that type, so nodes inside such a type are
//! kept with it, and are made again elsewhere, as `mlir-translate` does.

use gusset_program::{Field, Metadata, Special};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use super::Writer;
use super::debug_fields::{argument_count, flags, is_default, text_of};
use super::places::text_in;
use super::state::Alias;
use super::text::quoted;
use crate::metadata::debug_forms::{As, FORMS, Form, Parameter};

/// Scopes, besides types and blocks.
const SCOPES: &[&str] = &["di_file", "di_compile_unit", "di_subprogram", "di_module", "di_namespace"];

/// Most nodes that are made in total, and per node: beyond it, types that refer to each other in all ways are written
/// without members.
const MAX_FRAMES: (usize, usize) = (1 << 19, 64);

/// A node at work.
struct Frame<'a> {
    number: Option<u32>,
    distinct: bool,
    special: &'a Special,
    form: &'static Form,
    /// Nodes inside it, by the parameter's name.
    parts: Vec<(&'static str, &'a Metadata)>,
    /// The aliases made for them.
    done: Vec<Option<Alias>>,
    /// Frames of unfinished types that it contains.
    needs: BTreeSet<usize>,
    /// Nodes that have a meaning only inside this one.
    holds: Vec<u32>,
}

/// The result of visiting a node.
enum Entered<'a> {
    Done(Option<Alias>),
    Frame(Frame<'a>),
}

/// The number of a node.
fn number_of(metadata: &Metadata) -> Option<u32> {
    match metadata {
        Metadata::Node(number) => Some(*number),
        _ => None,
    }
}

impl<'m> Writer<'m> {
    /// Records that something cannot be expressed.
    pub(super) fn leave_out(&mut self, what: &str) {
        if !self.debug.left_out.contains(what) {
            self.debug.left_out.insert(what.to_string());
        }
    }

    /// The alias of a text, `#word…`, which is written before the module if it is new.
    pub(super) fn alias(&mut self, word: &'static str, text: &str) -> Alias {
        if let Some(known) = self.debug.aliases.get(text) {
            return known.clone();
        }
        let count = self.debug.counts.entry(word).or_default();
        let alias: Alias = match *count {
            0 => format!("#{word}").into(),
            n => format!("#{word}{n}").into(),
        };
        *count += 1;
        self.front.extend_from_slice(format!("{alias} = {text}\n").as_bytes());
        self.debug.aliases.insert(text.into(), alias.clone());
        alias
    }

    /// The attribute of a node; none if it cannot be expressed.
    pub(super) fn debug_attribute<'a>(&mut self, root: &'a Metadata) -> Option<Alias>
    where
        'm: 'a,
    {
        let mut stack: Vec<Frame<'a>> = Vec::new();
        match self.enter(root, &mut stack) {
            Entered::Done(done) => return done,
            Entered::Frame(frame) => stack.push(frame),
        }
        loop {
            let top = stack.last()?;
            if let Some(&(_, part)) = top.parts.get(top.done.len()) {
                match self.enter(part, &mut stack) {
                    Entered::Done(done) => stack.last_mut()?.done.push(done),
                    Entered::Frame(frame) => stack.push(frame),
                }
                continue;
            }
            let at = stack.len() - 1;
            let mut frame = stack.pop()?;
            let repeated = frame.needs.remove(&at);
            let done = self.compose(&frame, repeated);
            self.finish(frame, &done, at, &mut stack);
            match stack.last_mut() {
                Some(outer) => outer.done.push(done),
                None => return done,
            }
        }
    }

    /// Stores the alias made for a node.
    fn finish<'a>(&mut self, frame: Frame<'a>, done: &Option<Alias>, at: usize, stack: &mut [Frame<'a>]) {
        let innermost = frame.needs.last().copied();
        if let Some(number) = frame.number {
            match innermost {
                None => _ = self.debug.closed.insert(number, done.clone()),
                Some(innermost) => {
                    self.debug.open.insert(number, (done.clone(), innermost));
                    stack[innermost].holds.push(number);
                }
            }
            if let Some(frames) = self.debug.active.get_mut(&number) {
                frames.retain(|&frame| frame != at);
                if frames.is_empty() {
                    self.debug.active.remove(&number);
                }
            }
        }
        if let Some(outer) = stack.last_mut() {
            let mut needs = frame.needs;
            if outer.needs.len() < needs.len() {
                std::mem::swap(&mut outer.needs, &mut needs);
            }
            outer.needs.extend(needs);
        }
        for number in frame.holds {
            self.debug.open.remove(&number);
        }
    }

    /// The alias of a node, or the frame in which it is made.
    fn enter<'a>(&mut self, metadata: &'a Metadata, stack: &mut [Frame<'a>]) -> Entered<'a>
    where
        'm: 'a,
    {
        let (number, distinct) = match metadata {
            Metadata::Node(number) => (Some(*number), self.nodes.get(number).is_some_and(|node| node.distinct)),
            _ => (None, false),
        };
        let mut again = false;
        if let Some(number) = number {
            if let Some(known) = self.debug.closed.get(&number) {
                return Entered::Done(known.clone());
            }
            if let (Some((known, innermost)), Some(top)) = (self.debug.open.get(&number), stack.last_mut()) {
                top.needs.insert(*innermost);
                return Entered::Done(known.clone());
            }
            again = self.debug.active.contains_key(&number);
        }
        let Some(special) = self.special_of(metadata) else { return Entered::Done(None) };
        if special.name == b"DIExpression" {
            return Entered::Done(None);
        }
        if special.name == b"DIFile" {
            let done = Some(self.file(special));
            if let Some(number) = number {
                self.debug.closed.insert(number, done.clone());
            }
            return Entered::Done(done);
        }
        let form = FORMS.iter().find(|f| f.name.as_bytes() == special.name && !f.newer);
        let Some(form) = form else {
            self.leave_out(&format!("`{}`", String::from_utf8_lossy(&special.name)));
            return Entered::Done(None);
        };
        if let (true, Some(number), Some(top)) = (again, number, stack.last_mut()) {
            let frames = self.debug.active.get(&number).cloned().unwrap_or_default();
            if let ("di_composite_type", Some(&frame)) = (form.word, frames.last()) {
                let id = self.id(number);
                top.needs.insert(frame);
                let text = format!("#llvm.di_composite_type<tag = DW_TAG_null, recId = distinct[{id}]<>>");
                let own = self.alias(form.word, &text);
                self.debug.open.insert(number, (Some(own.clone()), frame));
                stack[frame].holds.push(number);
                return Entered::Done(Some(own));
            }
            // The node is made again until a type is met again; there is one on every such path.
            if frames.len() > 1 {
                self.leave_out(&format!("a `{}` that leads to itself", form.name));
                return Entered::Done(None);
            }
        }
        self.debug.frames += 1;
        if let Some(number) = number {
            self.debug.active.entry(number).or_default().push(stack.len());
        }
        let parts = self.parts_of(form, special);
        Entered::Frame(Frame {
            number,
            distinct,
            special,
            form,
            done: Vec::with_capacity(parts.len()),
            parts,
            needs: BTreeSet::new(),
            holds: Vec::new(),
        })
    }

    fn file(&mut self, special: &Special) -> Alias {
        let [name, directory] = ["filename", "directory"].map(|part| quoted(text_in(special, part)));
        for (name, _) in special.fields.iter().filter(|f| f.0 != b"filename" && f.0 != b"directory") {
            self.leave_out(&format!("`{}` of `DIFile`", String::from_utf8_lossy(name)));
        }
        self.alias("di_file", &format!("#llvm.di_file<{name} in {directory}>"))
    }

    /// The nodes inside a node that become parts of its attribute.
    fn parts_of<'a>(&mut self, form: &'static Form, special: &'a Special) -> Vec<(&'static str, &'a Metadata)>
    where
        'm: 'a,
    {
        let mut parts = Vec::new();
        for (name, value) in &special.fields {
            if name == b"globals" && !self.all_described(value) {
                self.leave_out("`globals` of `DICompileUnit` without a variable in the program");
            }
            let parameter = form.parameters.iter().find(|p| p.field.as_bytes() == name && !p.newer);
            let Some(&Parameter { key, value: how, .. }) = parameter else {
                if !is_default(value) {
                    self.leave_out(&format!("`{}` of `{}`", String::from_utf8_lossy(name), form.name));
                }
                continue;
            };
            match (how, value) {
                (As::List, _) if self.debug.frames > MAX_FRAMES.0 + MAX_FRAMES.1 * self.nodes.len() => {
                    self.leave_out("members of types that lead to each other")
                }
                (As::List, Field::List(list)) => parts.extend(list.iter().map(|m| (key, m))),
                (As::List, Field::Metadata(m)) => {
                    parts.extend(self.operands_of(m).into_iter().flatten().map(|m| (key, m)));
                }
                (As::Node("di_expression"), _) => {}
                (As::Node(_) | As::Count, Field::Metadata(m)) => parts.push((key, m)),
                _ => {}
            }
        }
        parts
    }

    /// Whether the nodes of a list are those of the module's variables.
    fn all_described(&mut self, list: &Field) -> bool {
        let list = match list {
            Field::List(list) => &list[..],
            Field::Metadata(list) => self.operands_of(list).unwrap_or_default(),
            _ => return true,
        };
        let attached = self.module.symbols.iter().flat_map(|symbol| &symbol.attached);
        let attached: HashSet<u32> = attached.filter_map(|(_, node)| number_of(node)).collect();
        list.iter().filter_map(number_of).all(|number| attached.contains(&number))
    }

    /// The number that makes a node distinct.
    fn id(&mut self, node: u32) -> u32 {
        if let Some(&known) = self.debug.ids.get(&node) {
            return known;
        }
        let id = self.metadata.fresh_number();
        self.debug.ids.insert(node, id);
        id
    }

    /// The attribute of a node whose parts are known.
    fn compose(&mut self, frame: &Frame, repeated: bool) -> Option<Alias> {
        let form = frame.form;
        let mut text = format!("#llvm.{}<", form.word);
        let mut first = true;
        let mut entry = |text: &mut String, key: &str, value: &str| {
            let _ = write!(text, "{}{key} = {value}", if first { "" } else { ", " });
            first = false;
        };
        if form.word == "di_compile_unit" || form.word == "di_subprogram" && frame.distinct {
            let id = match frame.number {
                Some(number) => self.id(number),
                None => self.metadata.fresh_number(),
            };
            entry(&mut text, "id", &format!("distinct[{id}]<>"));
        }
        let mut has_count = false;
        // A list has no brackets: it must come last, or MLIR 19 reads the next parameter's name as a part of it.
        let all = form.parameters.iter().filter(|parameter| !parameter.key.is_empty());
        let (lists, others): (Vec<&Parameter>, Vec<&Parameter>) =
            all.partition(|parameter| parameter.value == As::List);
        for parameter in others.into_iter().chain(lists) {
            let key = parameter.key;
            let value = match parameter.value {
                As::Node(kind) if kind != "di_expression" => self.node_value(frame, parameter)?,
                As::Count if frame.parts.iter().any(|p| p.0 == key) => self.count_value(frame, key),
                As::List => self.list_value(frame, parameter)?,
                _ => self.plain_value(frame.special, form, parameter),
            };
            has_count |= matches!(key, "count" | "upperBound") && value.is_some();
            match (value, parameter.always) {
                (Some(value), _) => entry(&mut text, key, &value),
                (None, None) => {}
                (None, Some("")) => {
                    self.leave_out(&format!("a `{}` without `{}`", form.name, parameter.field));
                    return None;
                }
                (None, Some(default)) => entry(&mut text, key, default),
            }
            if let (true, "tag", Some(number)) = (repeated && form.word == "di_composite_type", key, frame.number) {
                let id = self.id(number);
                entry(&mut text, "recId", &format!("distinct[{id}]<>"));
            }
        }
        if form.word == "di_subrange" && !has_count {
            self.leave_out("a `DISubrange` without `count`");
            return None;
        }
        if is_array(frame.special) && frame.special.metadata("baseType").is_none() {
            self.leave_out("an array without `baseType`");
            return None;
        }
        text.push('>');
        Some(self.alias(form.word, &text))
    }

    /// The value of a part. The outer result is none if the attribute cannot exist without it.
    fn node_value(&mut self, frame: &Frame, parameter: &Parameter) -> Option<Option<String>> {
        let Some(i) = frame.parts.iter().position(|p| p.0 == parameter.key) else { return Some(None) };
        match frame.done[i].as_ref().filter(|alias| fits(alias, parameter)) {
            Some(alias) => Some(Some(alias.to_string())),
            None if *frame.parts[i].1 == Metadata::Null => Some(None),
            None => {
                self.leave_out(&format!("`{}` of some `{}`", parameter.field, frame.form.name));
                let needed = match (frame.form.word, parameter.key) {
                    ("di_derived_type", "baseType") | ("di_subprogram", "type") => true,
                    ("di_composite_type", "baseType") => is_array(frame.special),
                    _ => false,
                };
                (!needed).then_some(None)
            }
        }
    }

    fn count_value(&mut self, frame: &Frame, key: &str) -> Option<String> {
        let i = frame.parts.iter().position(|p| p.0 == key)?;
        match &frame.done[i] {
            Some(alias) => Some(alias.to_string()),
            None => self.expression(frame.parts[i].1).map(|text| format!("#llvm.di_expression{text}")),
        }
    }

    /// A list of nodes without brackets. The outer result is as that of [`node_value`](Writer::node_value).
    fn list_value(&mut self, frame: &Frame, parameter: &Parameter) -> Option<Option<String>> {
        let types = frame.form.word == "di_subroutine_type";
        let mut all: Vec<String> = Vec::new();
        for (i, part) in frame.parts.iter().enumerate().filter(|(_, p)| p.0 == parameter.key) {
            if !types && self.is_static_member(part.1) {
                self.leave_out("static members");
                continue;
            }
            all.push(match &frame.done[i] {
                Some(alias) => alias.to_string(),
                None if types && *part.1 == Metadata::Null => {
                    self.alias("di_null_type", "#llvm.di_null_type").to_string()
                }
                None => {
                    self.leave_out(&format!("`{}` of some `{}`", parameter.field, frame.form.name));
                    return if types { None } else { Some(None) };
                }
            });
        }
        Some((!all.is_empty()).then(|| all.join(", ")))
    }

    /// Whether it is a variable that is a member. LLVM refuses it without its flags, which cannot be expressed.
    fn is_static_member(&self, part: &Metadata) -> bool {
        let special = self.special_of(part).filter(|special| special.name == b"DIDerivedType");
        special.is_some_and(|special| has_words(special, "tag", "DW_TAG_variable"))
    }

    /// The value of a field that contains no nodes.
    fn plain_value(&mut self, special: &Special, form: &'static Form, parameter: &Parameter) -> Option<String> {
        let &Parameter { field: name, always, newer, .. } = parameter;
        if newer {
            return None;
        }
        let words = match (special.field(name), parameter.value) {
            // LLVM's default for this field.
            (None, _) if (form.word, name) == ("di_global_variable", "isDefinition") => return Some("true".into()),
            (None, As::Flags("DISPFlag", _)) => return older_flags(special),
            (Some(Field::Words(words)), _) => text_of(words),
            (Some(Field::String(text)), As::Text) => return (!text.is_empty()).then(|| quoted(text)),
            // A parameter that is only an expression.
            (Some(Field::Metadata(metadata)), As::Node(_)) => return self.expression(metadata),
            _ => return None,
        };
        match parameter.value {
            As::Flags(prefix, all) => {
                let said = flags(&words, prefix, all);
                if said.is_none() {
                    self.leave_out(&format!("some `{name}` of `{}`", form.name));
                }
                said.filter(|said| !said.is_empty())
            }
            As::Number => Some(words).filter(|words| words != "0"),
            As::Count => Some(format!("{words} : i64")),
            As::Case(names) => {
                let known = match words.parse::<usize>() {
                    Ok(number) => names.get(number),
                    Err(_) => names.iter().find(|name| name.0 == words),
                };
                let default = always.is_none() && known == names.first();
                (!default).then(|| known.map_or(words, |known| known.1.to_string()))
            }
            As::Plain => Some(words).filter(|words| words != "false" || always.is_some()),
            As::Word if words.starts_with(|c: char| c.is_ascii_digit()) => {
                if words != "0" {
                    self.leave_out(&format!("numbers for `{name}` of `{}`", form.name));
                }
                None
            }
            As::Word => Some(words),
            As::Text | As::Node(_) | As::List => None,
        }
    }

    /// `<[DW_OP_deref, …]>`, the form of a parameter; none if it is not a list of operations.
    pub(super) fn expression(&mut self, metadata: &Metadata) -> Option<String> {
        let special = self.special_of(metadata).filter(|special| special.name == b"DIExpression")?;
        let mut words = special.fields.iter().filter_map(|(_, field)| match field {
            Field::Words(words) => std::str::from_utf8(words).ok(),
            _ => None,
        });
        let mut text = String::new();
        while let Some(op) = words.next() {
            if !op.starts_with("DW_OP_") {
                return None;
            }
            let _ = write!(text, "{}{op}", if text.is_empty() { "" } else { ", " });
            for i in 0..argument_count(op) {
                let _ = write!(text, "{}{}", if i == 0 { "(" } else { ", " }, words.next()?);
            }
            text.push_str(if argument_count(op) > 0 { ")" } else { "" });
        }
        Some(if text.is_empty() { "<>".into() } else { format!("<[{text}]>") })
    }
}

/// Whether the field consists of these words.
fn has_words(special: &Special, name: &str, words: &str) -> bool {
    matches!(special.field(name), Some(Field::Words(own)) if own == words.as_bytes())
}

fn is_array(special: &Special) -> bool {
    has_words(special, "tag", "DW_TAG_array_type")
}

/// Whether a parameter accepts an alias of this kind.
fn fits(alias: &str, parameter: &Parameter) -> bool {
    let word = alias.trim_start_matches('#').trim_end_matches(|c: char| c.is_ascii_digit());
    let is_type = word.ends_with("_type");
    match (parameter.value, parameter.key) {
        (As::Node(""), "scope") => is_type || word.starts_with("di_lexical_block") || SCOPES.contains(&word),
        (As::Node(""), "type" | "baseType") => is_type,
        (As::Node(kind), _) => kind.is_empty() || kind == word,
        _ => true,
    }
}

/// The flags of a subprogram from the fields that LLVM had before version 8.
fn older_flags(special: &Special) -> Option<String> {
    let all = [
        (has_words(special, "virtuality", "DW_VIRTUALITY_virtual"), "Virtual"),
        (has_words(special, "virtuality", "DW_VIRTUALITY_pure_virtual"), "PureVirtual"),
        (has_words(special, "isLocal", "true"), "LocalToUnit"),
        (!has_words(special, "isDefinition", "false"), "Definition"),
        (has_words(special, "isOptimized", "true"), "Optimized"),
    ];
    let words: Vec<&str> = all.iter().filter(|(said, _)| *said).map(|(_, word)| *word).collect();
    (!words.is_empty()).then(|| format!("\"{}\"", words.join("|")))
}
