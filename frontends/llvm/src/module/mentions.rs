//! Global names that need something before any body is read: undeclared intrinsics, functions with a block whose
//! address is taken, and functions whose frames others look into. All of them follow an `@`, so that one search for
//! this byte finds them.

use gusset_codegen::ir::{Linkage, Symbol, SymbolKind};
use gusset_codegen::names::text_of;

use gusset_program::Symbol as ProgramSymbol;

use super::compile::ModuleReader;
use super::{Rest, WALKED_BYTES, Walk};
use crate::attributes::named_trap;
use crate::lexer::{Cursor, Name, Tokens};
use crate::tables::block_key;
use gusset_text::Result;

/// The names that bodies and initializers mention, with their positions.
#[derive(Default)]
pub(super) struct Mentions {
    /// Functions with a block whose address is taken, and the position of the keyword.
    blocks: Vec<(usize, usize)>,
    /// Positions of intrinsics about variables that others find through the frame.
    frames: Vec<usize>,
    /// Functions that calls of `llvm.trap` and its like name themselves.
    traps: Vec<Vec<u8>>,
}

impl Walk<'_> {
    /// Collects what bodies and initializers mention. Intrinsics that are called without a declaration become known: as
    /// in LLVM, their names determine them.
    pub(super) fn mentions(&mut self, walked: &mut dyn FnMut(usize)) -> Result<Mentions> {
        let source = self.c.src;
        let mut found = Mentions::default();
        let mut told = 0;
        for at in memchr::memchr_iter(b'@', source) {
            if at - told >= WALKED_BYTES {
                walked(at);
                told = at;
            }
            if source[at + 1..].starts_with(b"llvm.") {
                if let Ok(name) = Cursor::new(source, at + 1).name()
                    && self.t.lookup(name).is_none()
                {
                    self.add(name, ProgramSymbol::default(), at, Rest::Undeclared)?;
                }
                let name = &source[at + 1 + "llvm.".len()..];
                if name.starts_with(b"local") || name.starts_with(b"eh.recoverfp") {
                    found.frames.push(at);
                } else if [&b"trap("[..], b"debugtrap(", b"ubsantrap("].iter().any(|trap| name.starts_with(trap)) {
                    found.traps.extend(named_trap(&self.t, at));
                }
            } else if let Some(word) = taken_block(&source[..at]) {
                found.blocks.push((word, at));
            }
        }
        Ok(found)
    }
}

impl<'s> ModuleReader<'s> {
    /// Gives symbols to blocks whose addresses are taken, and tables to functions whose frames others look into.
    pub(super) fn mentioned(&mut self, mentions: Mentions) {
        for (word, at) in mentions.blocks {
            self.block_address(word, at);
        }
        for at in mentions.frames {
            self.frame(at);
        }
        let traps = mentions.traps.into_iter().chain(self.walk.t.traps.values().cloned()).collect();
        self.l.name_traps(traps, |name| self.walk.t.symbol(name));
    }

    /// Gives a table to the function whose variables escape, or whose frame is looked into, by the intrinsic at `at`.
    fn frame(&mut self, at: usize) {
        let mut c = Cursor::new(self.walk.t.source, at + 1);
        let Ok(name) = c.name() else { return };
        let name = name.bytes();
        let host = match name.as_ref() {
            b"llvm.localescape" | b"llvm.localaddress" => {
                let after = self.bodies.partition_point(|body| body.range.start <= at);
                let body = after.checked_sub(1).map(|i| &self.bodies[i]);
                body.filter(|body| at < body.range.end).map(|body| body.symbol)
            }
            b"llvm.localrecover" | b"llvm.eh.recoverfp" => {
                let mut host = || {
                    c.expect(b'(').ok()?;
                    let operand = memchr::memchr2(b'@', b',', &c.src[c.pos..])?;
                    c.pos += operand + 1;
                    self.walk.t.lookup(c.name().ok()?)?.symbol
                };
                host().filter(|host| {
                    let symbol = &self.l.module.symbols[host.index()];
                    symbol.kind == SymbolKind::Function && symbol.is_defined()
                })
            }
            _ => None,
        };
        let Some(host) = host else { return };
        let count = if name.as_ref() == b"llvm.localescape" { operands(c) } else { 0 };
        self.l.facts.escape(&mut self.l.module, host, count);
    }

    /// Gives a symbol to a block whose address is taken, from the keyword and the function's name after it. A text that
    /// does not read as a block address (it may be in a string) is ignored here.
    fn block_address(&mut self, word: usize, at: usize) {
        let mut c = Cursor::new(self.walk.t.source, at + 1);
        let mut parse = || -> Option<(Name<'s>, Name<'s>)> {
            let function = c.name().ok()?;
            if !c.eat(b',') || c.peek() != b'%' {
                return None;
            }
            c.pos += 1;
            Some((function, c.name().ok()?))
        };
        let Some((function, block)) = parse() else { return };
        let Some(f) = self.walk.t.lookup(function).and_then(|i| i.symbol) else { return };
        let own = &self.l.module.symbols[f.index()];
        if own.kind != SymbolKind::Function || !own.is_defined() {
            return;
        }
        let key = (f.0, block_key(block));
        if self.walk.t.block_lookup.contains_key(&key) {
            return;
        }
        let name = format!("{}.{}", own.name, text_of(&block.bytes()));
        let symbol = self.l.module.add_symbol(Symbol::new(name, SymbolKind::Block(f), Linkage::Private));
        self.walk.t.block_lookup.insert(key, symbol);
        let name = match block {
            Name::Number(n) => Ok(n),
            _ => Err(block.bytes().into_owned()),
        };
        self.walk.t.block_symbols.entry(f.0).or_default().push((name, symbol, word));
    }
}

/// The number of operands of a call, from its parenthesis on: the commas outside of inner brackets, plus one.
fn operands(mut c: Cursor<'_>) -> u32 {
    let (start, mut end) = (c.pos, c);
    if end.skip_group().is_err() || !c.eat(b'(') || c.peek() == b')' {
        return 0;
    }
    let (mut depth, mut quoted, mut count) = (0, false, 1);
    for &b in &c.src[start..end.pos] {
        quoted ^= b == b'"';
        match b {
            _ if quoted => {}
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b',' if depth == 1 => count += 1,
            _ => {}
        }
    }
    count
}

/// The position of the keyword, if the text ends in `blockaddress(`.
fn taken_block(before: &[u8]) -> Option<usize> {
    let open = trim_end(before).strip_suffix(b"(")?;
    Some(trim_end(open).strip_suffix(b"blockaddress")?.len())
}

/// The text without white space and comments at its end.
fn trim_end(text: &[u8]) -> &[u8] {
    let mut text = text;
    loop {
        let trimmed = text.trim_ascii_end();
        if !text[trimmed.len()..].contains(&b'\n') {
            return trimmed;
        }
        // The line before may end in a comment.
        let line = memchr::memrchr(b'\n', trimmed).map_or(0, |newline| newline + 1);
        let mut quoted = false;
        let comment = memchr::memchr(b';', &trimmed[line..]).and_then(|_| {
            trimmed[line..].iter().position(|&b| {
                quoted ^= b == b'"';
                b == b';' && !quoted
            })
        });
        match comment {
            Some(at) => text = &trimmed[..line + at],
            None => return trimmed,
        }
    }
}
