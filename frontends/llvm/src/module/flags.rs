//! Metadata at module level, module flags above all (LangRef, "Module Flags Metadata").

use std::collections::HashSet;

use gusset_codegen::ir::{Linkage, Symbol, SymbolKind};
use gusset_codegen::names::text_of;
use gusset_lower::{FnAttrs, refusals};

use super::Scan;
use super::skip::skip_definition;
use crate::lexer::{Cursor, unescape};
use gusset_text::Result;

/// Named metadata that says something of the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum List {
    Idents,
    Flags,
    LinkerOptions,
    Libraries,
    CommandLines,
}

const LISTS: [(&[u8], List); 5] = [
    (b"llvm.ident", List::Idents),
    (b"llvm.module.flags", List::Flags),
    (b"llvm.linker.options", List::LinkerOptions),
    (b"llvm.dependent-libraries", List::Libraries),
    (b"llvm.commandline", List::CommandLines),
];

impl Scan<'_> {
    /// Reads a line of metadata: what is in one of the lists matters, the rest is skipped.
    pub(super) fn metadata(&mut self) -> Result<()> {
        let pos = self.c.pos;
        self.c.pos += 1;
        if self.c.peek().is_ascii_digit() {
            let number = self.c.number()?;
            if self.c.eat(b'=') {
                self.t.nodes.push((number, self.c.pos));
            }
        } else {
            let name = self.c.peek_word();
            if refusals::named_metadata(name) {
                return Err(self.c.error_at(pos, refusals::metadata(name)));
            }
            self.found.debug_info |= name == b"llvm.dbg.cu" && node_text(&self.c).iter().any(u8::is_ascii_digit);
            if let Some((_, list)) = LISTS.iter().find(|(known, _)| *known == name) {
                self.found.lists.push((*list, self.c.pos));
            }
        }
        skip_definition(&mut self.c);
        let largest = references(&self.c.src[pos + 1..self.c.pos]).map(|(number, at)| (number, pos + 1 + at)).max();
        self.found.largest_reference = self.found.largest_reference.max(largest);
        Ok(())
    }

    /// An error if a node or a list names a node that there is not.
    fn references_are_met(&self) -> Result<()> {
        let dense = u64::from(self.t.first_missing_node);
        let Some((largest, at)) = self.found.largest_reference.filter(|largest| largest.0 >= dense) else {
            return Ok(());
        };
        let missing = |number: u64, at: usize| self.c.error_at(at, format!("the metadata `!{number}` is not defined"));
        if self.t.node(largest).is_none() {
            return Err(missing(largest, at));
        }
        // The numbers have gaps.
        for &(_, start) in &self.t.nodes {
            for (number, at) in references(node_text(&Cursor::new(self.c.src, start))) {
                if self.t.node(number).is_none() {
                    return Err(missing(number, start + at));
                }
            }
        }
        Ok(())
    }

    /// Takes what the nodes in the lists say, now that all are known.
    pub(super) fn metadata_lists(&mut self) -> Result<()> {
        self.t.nodes.sort_by_key(|node| node.0);
        let dense = self.t.nodes.iter().zip(0..).take_while(|(node, n)| node.0 == *n).count();
        self.t.first_missing_node = dense.try_into().unwrap_or(u32::MAX);
        self.references_are_met()?;
        for (list, at) in std::mem::take(&mut self.found.lists) {
            let line = node_text(&Cursor::new(self.c.src, at));
            let number = |digits| std::str::from_utf8(digits).ok()?.parse::<u64>().ok();
            let mut taken = HashSet::new();
            for number in line.split(|b| !b.is_ascii_digit()).filter_map(number) {
                if taken.insert(number) {
                    let missing = || self.c.error_at(at, format!("the metadata `!{number}` is not defined"));
                    self.c.pos = self.t.node(number).ok_or_else(missing)?;
                    self.entry(list)?;
                }
            }
        }
        Ok(())
    }

    /// Takes what the node here says in a list.
    fn entry(&mut self, list: List) -> Result<()> {
        let line = node_text(&self.c);
        let mut strings = line.split(|&b| b == b'"').skip(1).step_by(2);
        let text = |s: &[u8]| text_of(&unescape(s)).into_owned();
        match list {
            List::Flags => {
                let name = strings.next().unwrap_or_default();
                return self.flag(name, line).map_err(|m| self.c.error_at(self.c.pos, m));
            }
            List::Idents => self.module.idents.push(strings.next().map(text).unwrap_or_default()),
            // Each string is an option or a part of one.
            List::LinkerOptions => self.module.linker_options.extend(strings.map(text)),
            List::Libraries => self.module.dependent_libraries.extend(strings.map(text)),
            List::CommandLines => self.module.command_lines.extend(strings.map(text)),
        }
        Ok(())
    }

    /// Takes the flag of a name from the line of its node. What is not known here means nothing to code, as LLVM has it; the error
    /// says what is refused.
    fn flag(&mut self, name: &[u8], line: &[u8]) -> std::result::Result<(), String> {
        let value = integer(line).unwrap_or(0);
        let text = || text_of(&unescape(line.split(|&b| b == b'"').nth(3).unwrap_or(b""))).into_owned();
        self.found.flags.take(name, (value, &text()), &mut self.module, &mut self.t.facts)
    }

    /// Gives a symbol to the variable that the value of stack guards comes from, if that is one that the module can see.
    pub(super) fn guard_symbol(&mut self) {
        let protected = FnAttrs::SSP | FnAttrs::SSPSTRONG | FnAttrs::SSPREQ;
        if !self.found.bodies.iter().any(|b| b.attrs.has(protected)) {
            return;
        }
        let target = &self.t.facts.target;
        let gnu_windows = target.is_windows() && !target.has_microsoft_library();
        let Some(name) = self.found.flags.guard_symbol(target, &self.module) else { return };
        let known = self.t.names.get(name.as_bytes()).and_then(|i| self.t.named[i as usize].symbol);
        let symbol = known.unwrap_or_else(|| {
            let name = self.t.decorated(name.as_bytes());
            let mut symbol = Symbol::new(name, SymbolKind::Data, Linkage::Import);
            // Code at a fixed address reaches the data of others, which the linker copies.
            symbol.dso_local = self.found.flags.pic_level == 0 && !gnu_windows;
            self.module.add_symbol(symbol)
        });
        self.module.stack_guard.symbol = Some(symbol);
    }
}

/// The number at the end of a flag's node.
fn integer(line: &[u8]) -> Option<i64> {
    let end = line.iter().rposition(|&b| b == b'}')?;
    let start = line[..end].iter().rposition(|b| !(b.is_ascii_digit() || *b == b'-'))? + 1;
    std::str::from_utf8(&line[start..end]).ok()?.parse().ok()
}

/// A node or list in the braces or parentheses that come next, which may go over several lines, and what stands before these.
fn node_text<'s>(c: &Cursor<'s>) -> &'s [u8] {
    let rest = &c.src[c.pos..];
    let (mut depth, mut at) = (0usize, 0);
    while let Some(&b) = rest.get(at) {
        at += 1;
        let skipped = match b {
            b'"' => memchr::memchr(b'"', &rest[at..]),
            b';' => memchr::memchr(b'\n', &rest[at..]),
            b'{' | b'(' => {
                depth += 1;
                continue;
            }
            b'}' | b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
                continue;
            }
            _ => continue,
        };
        at += skipped.map_or(rest.len() - at, |n| n + 1);
    }
    &rest[..at]
}

/// Nodes that a text of metadata names, and where: `!7` outside of strings and comments.
fn references(text: &[u8]) -> impl Iterator<Item = (u64, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(&sign) = text.get(at) {
            at += 1;
            let end = match sign {
                b'!' => 0,
                b'"' => b'"',
                b';' => b'\n',
                _ => continue,
            };
            if end != 0 {
                at += memchr::memchr(end, &text[at..])? + 1;
                continue;
            }
            let (mark, mut number) = (at - 1, 0u64);
            while let Some(digit) = text.get(at).filter(|b| b.is_ascii_digit()) {
                number = number.saturating_mul(10).saturating_add((digit - b'0').into());
                at += 1;
            }
            if at > mark + 1 {
                return Some((number, mark));
            }
        }
        None
    })
}
