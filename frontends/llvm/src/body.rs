//! Reads a function's body: the walk over its lines.

mod call_syntax;
mod calls;
mod control;
mod debug;
mod exceptions;
pub(crate) mod globals;
mod instructions;
mod locals;
mod memory;
mod metadata;
mod phis;
pub(crate) mod reader;
pub(crate) mod tables;
pub(crate) mod values;

use gusset_codegen::ir::{Block, Edge, Function};
use gusset_lower::{FunctionLowering, Lowering};
use gusset_program::{ENTRY, FunctionStart, PhiReader, Sink, VOID, Val};

use crate::attributes::parse_param;
use crate::lexer::{Cursor, Name, Tokens};
use crate::tables::{Body, ParsedModule, Tables};
use crate::types::TypeNames;
use gusset_text::{Placed, ReadError, Result};
use reader::Reader;
use tables::{BlockInfo, Local, LocalRef, NAMED, Scratch, State};

/// Size of a body's text, in bytes, from which on its tables are freed afterwards.
const LARGE: usize = 8 << 20;

/// Reads bodies, one after the other, into functions. Every thread has its own.
pub struct BodyReader<'p> {
    tables: &'p Tables<'p>,
    names: TypeNames,
    scratch: Scratch,
    lowering: Lowering<'p>,
    far: bool,
}

impl<'p> BodyReader<'p> {
    /// A reader of the bodies of `module`.
    pub fn new(module: &'p ParsedModule<'_>) -> BodyReader<'p> {
        BodyReader::over(&module.tables)
    }

    pub(crate) fn over(tables: &'p Tables<'p>) -> BodyReader<'p> {
        BodyReader {
            tables,
            names: tables.type_names.clone(),
            scratch: Scratch::default(),
            lowering: Lowering::new(&tables.facts, tables.types.clone()),
            far: false,
        }
    }

    /// Reads a body into `func`, which is cleared first.
    ///
    /// # Errors
    /// The text is not LLVM IR, or uses something that is not supported; `func` is then incomplete.
    pub fn read(&mut self, body: &Body, func: &mut Function) -> std::result::Result<(), ReadError> {
        let file = &self.tables.file;
        if let Some((pos, message)) = body.refused() {
            return Err(ReadError::new(self.tables.source, *pos, message.as_str()).in_file(file));
        }
        let source = &self.tables.source[..body.range.end];
        let mut reader = self.reader(Cursor::new(source, body.range.start), func, body.range.len());
        let done = reader.function(body).map_err(|e| e.in_file(file));
        self.far = reader.far || reader.l.is_scattered();
        done
    }

    /// For the function that was read last, pairs of a block that defines something and a block that uses it: they
    /// cover every operand and edge argument that is defined neither in the entry nor before its use in the same block.
    /// `None` if this is not known.
    pub fn far_uses(&self) -> Option<&[(Block, Block)]> {
        (!self.far).then_some(&self.scratch.locals.uses.far[..])
    }

    /// Frees the tables of the function that was read last if they are large: the next steps need as much memory again,
    /// and tables for a smaller function are made quickly.
    pub fn release(&mut self) {
        if self.scratch.bytes > LARGE {
            self.scratch = Scratch::default();
            self.lowering.release();
        }
    }

    /// A reader at a cursor for `bytes` bytes of text, which may be 0 for text without locals.
    pub(crate) fn reader<'r>(
        &'r mut self,
        c: Cursor<'r>,
        func: &'r mut Function,
        bytes: usize,
    ) -> Reader<'r, FunctionLowering<'r>> {
        let l = self.lowering.function(func);
        Reader::new(c, self.tables, l, &mut self.names, &mut self.scratch, bytes)
    }
}

impl<'r, E> Reader<'r, E> {
    /// A reader at a cursor for `bytes` bytes of text, which may be 0 for text without locals.
    pub(crate) fn new(
        c: Cursor<'r>,
        m: &'r Tables<'r>,
        l: E,
        names: &'r mut TypeNames,
        s: &'r mut Scratch,
        bytes: usize,
    ) -> Reader<'r, E> {
        s.bytes = bytes;
        s.locals.clear(bytes);
        s.phis.clear();
        s.blocks.clear();
        s.indices.clear();
        s.members.clear();
        s.debug.clear();
        Reader {
            c,
            m,
            l,
            names,
            s,
            next: 0,
            limit: bytes as u32,
            depth: 0,
            after_phis: false,
            block: ENTRY,
            far: false,
        }
    }
}

impl<'r, E: Sink> Reader<'r, E> {
    // Blocks.

    fn start_block(&mut self, r: LocalRef, pos: usize) -> Result<()> {
        self.c.refuse_if(self.l.current_block().is_some(), pos, "the block before this one has no terminator")?;
        self.take_number(r, pos)?;
        let block = self.block_of(r, pos)?;
        let known = &mut self.s.blocks[block.index()];
        let again = std::mem::replace(&mut known.begun, true);
        self.once(!again, r, pos)?;
        self.l.start_block(block);
        self.block = block;
        self.after_phis = false;
        Ok(())
    }

    // The function.

    pub(crate) fn function(&mut self, body: &Body) -> Result<()> {
        self.header(body)?;
        self.c.expect(b'{')?;
        let mut first = true;
        loop {
            let pos = self.c.pos;
            let b = self.c.peek();
            let (name, (mut key, mut len)) = if b == b'%' {
                self.open_block(&mut first, pos)?;
                let r = self.local_ref()?;
                self.c.expect(b'=')?;
                (Some(r), self.c.key_to_blank().unwrap_or_else(|| self.c.peek_key()))
            } else if b.is_ascii_lowercase() {
                let keyword = self.c.peek_key();
                if self.c.ahead(keyword.1) == b':' {
                    self.define_label(&mut first)?;
                    continue;
                }
                if b == b'u' && self.c.starts_with(b"uselistorder") {
                    self.c.skip_line();
                    self.c.ws();
                    continue;
                }
                self.open_block(&mut first, pos)?;
                (None, keyword)
            } else if self.other_line(&mut first, body)? {
                break;
            } else {
                continue;
            };
            let (ty, val) = loop {
                if let Some(done) = self.instruction(key, len) {
                    break done?;
                }
                // The text up to a space is no keyword; the word may be one.
                let known = key;
                (key, len) = self.c.peek_key();
                self.c.unexpected_if(key == known, self.c.pos, "an instruction")?;
            };
            self.attachments()?;
            if ty != VOID {
                self.define(name, ty, val, pos)?;
            } else {
                self.c.refuse_if(name.is_some(), pos, "this instruction has no result to be named")?;
            }
        }
        if self.l.current_block().is_some() || first {
            return Err(self.c.error_at(self.c.pos - 1, "the last block has no terminator"));
        }
        self.finish(body)
    }

    /// Reads a line that is no instruction: a label, a debug record, or the closing brace. Returns whether it was the brace.
    fn other_line(&mut self, first: &mut bool, body: &Body) -> Result<bool> {
        match self.c.peek() {
            b'}' => {
                self.c.pos += 1;
                // What follows was taken for a part of the body.
                if self.c.pos != body.range.end {
                    return Err(self.c.error("a body's closing brace must be the end of its line"));
                }
                return Ok(true);
            }
            b'#' if self.c.starts_with(b"#dbg_") => {
                if E::PRESERVES_METADATA {
                    self.c.pos += 5;
                    self.debug_record()?;
                    return Ok(false);
                }
                if self.m.keeps_debug_info {
                    self.c.pos += 5;
                    self.variable_record()?;
                    return Ok(false);
                }
                self.c.pos += 1;
                let len = self.c.word_len();
                self.c.bump(len);
                self.c.skip_group()?;
            }
            0 if self.c.at_end() => return Err(self.c.expected("`}`")),
            _ => self.define_label(first)?,
        }
        Ok(false)
    }

    /// Begins a block. The entry block exists already; its label, if any, comes first. Any other block without a label
    /// takes the next number.
    #[inline(always)]
    fn open_block(&mut self, first: &mut bool, pos: usize) -> Result<()> {
        if *first {
            *first = false;
            let r = LocalRef(self.next);
            self.next += 1;
            *self.local(r) = Local::block(ENTRY);
        } else if self.l.current_block().is_none() {
            self.start_block(LocalRef(self.next), pos)?;
        }
        Ok(())
    }

    fn define_label(&mut self, first: &mut bool) -> Result<()> {
        let pos = self.c.pos;
        let b = self.c.peek();
        let mut next = self.c;
        let short = next.short_number().filter(|&n| next.peek() == b':' && n <= self.limit);
        let r = if let Some(n) = short {
            self.c = next;
            LocalRef(n)
        } else if b.is_ascii_digit() && self.c.peek_word().iter().all(u8::is_ascii_digit) {
            self.long_number()?
        } else if b == b'"' {
            let name = self.c.name()?;
            self.name_ref(name)
        } else {
            let word = self.c.peek_word();
            self.c.unexpected_if(word.is_empty(), self.c.pos, "an instruction")?;
            self.c.bump(word.len());
            self.name_ref(Name::Text(word))
        };
        self.c.unexpected_if(self.c.peek() != b':', pos, "an instruction or a label")?;
        self.c.pos += 1;
        self.c.skip_label_end(pos);
        if !*first {
            return self.start_block(r, pos);
        }
        *first = false;
        self.take_number(r, pos)?;
        let unseen = self.local(r).state == State::Unseen;
        self.once(unseen, r, pos)?;
        *self.local(r) = Local::block(ENTRY);
        self.emit_block_name(r, ENTRY);
        Ok(())
    }

    /// Reads the header: convention, result and parameters.
    fn header(&mut self, body: &Body) -> Result<()> {
        let start = self.c.pos;
        let convention = self.convention()?;
        let ret_attrs = parse_param(&mut self.c, self.l.types_mut(), self.names)?;
        let pos = self.c.pos;
        let ret = self.ty()?;
        if ret != VOID {
            self.l.check_aggregate(ret).at(self.c.src, pos)?;
        }
        self.c.unexpected_if(self.c.peek() != b'@', self.c.pos, "the function's name")?;
        self.c.pos += 1;
        self.c.name()?;
        self.c.expect(b'(')?;
        self.s.call.begin(convention, ret, ret_attrs);
        let mut params = std::mem::take(&mut self.s.params);
        params.clear();
        let mut more = !self.c.eat(b')');
        while more {
            let pos = self.c.pos;
            if self.c.starts_with(b"...") {
                self.c.bump(3);
                self.s.call.take_more();
                self.c.expect(b')')?;
                break;
            }
            let ty = self.ty()?;
            let attrs = parse_param(&mut self.c, self.l.types_mut(), self.names)?;
            self.l.check_aggregate(ty).at(self.c.src, pos)?;
            self.s.call.push(ty, attrs, Val::default());
            let name = if self.c.peek() == b'%' { Some(self.local_ref()?) } else { None };
            params.push((name, pos, ty));
            more = self.c.more(b')')?;
        }
        let text = &self.c.src[body.open..body.range.end];
        let trampolines = match self.m.facts.trampolines {
            Some(_) => memchr::memmem::find_iter(text, b"@llvm.init.trampoline").count(),
            None => 0,
        };
        let (symbol, attrs, values) = (body.symbol, body.attrs, body.values.as_deref());
        let begin = FunctionStart { symbol, attrs, values, trampolines };
        let vals = self.l.begin(&begin, &mut self.s.call).at(self.c.src, start)?;
        self.s.blocks.push(BlockInfo { pos: start, begun: true });
        for (&(name, pos, ty), val) in params.iter().zip(vals) {
            self.define(name, ty, val, pos)?;
        }
        self.s.params = params;
        if self.m.keeps_debug_info {
            self.l.debug_location(None);
            if let Some(node) = self.m.debug_info_uses.subprogram(body.symbol) {
                self.l.debug_subprogram(node);
            }
        }
        // The module has read what follows the parameters.
        if let Some(personality) = body.personality {
            self.c.pos = personality;
            self.personality()?;
        }
        self.c.pos = body.open;
        Ok(())
    }

    // The end.

    fn finish(&mut self, body: &Body) -> Result<()> {
        self.l.close().at(self.c.src, self.c.pos)?;
        if self.m.keeps_debug_info {
            self.l.debug_location(None);
            self.finish_records();
        }
        if let Some(missing) = self.s.blocks.iter().find(|block| !block.begun) {
            return Err(self.c.error_at(missing.pos, "this block is not defined"));
        }
        self.check_locals()?;
        let found = self.l.edge_targets().position(|to| to == ENTRY);
        if let Some(e) = found {
            let from = self.l.edge_from(Edge::new(e)).index();
            return Err(self.c.error_at(self.block_pos(from), "the entry block has a predecessor"));
        }
        self.fill_phis()?;
        if let Err((block, why)) = self.l.finish() {
            return Err(why).at(self.c.src, self.block_pos(block.index()));
        }
        let Some(list) = self.m.block_symbols.get(&body.symbol.0) else { return Ok(()) };
        for (name, symbol, pos) in list {
            let r = match name {
                Ok(number) => LocalRef((*number).min(NAMED - 1)),
                Err(text) => self.name_ref(Name::Text(text)),
            };
            let known = if r.0 & NAMED == 0 { r.0 <= self.limit } else { true };
            match known.then(|| *self.local(r)) {
                Some(l) if l.state == State::Block && l.block == ENTRY => {
                    let message = "the address of a function's entry block cannot be taken";
                    return Err(ReadError::new(self.m.source, *pos, message));
                }
                Some(l) if l.state == State::Block => self.l.set_block_symbol(l.block, *symbol),
                _ => return Err(ReadError::new(self.m.source, *pos, "the function has no such block")),
            }
        }
        Ok(())
    }

    /// The position of a block's first mention; for one of the lowering's own that came last, the end of the text.
    fn block_pos(&self, i: usize) -> usize {
        self.s.blocks.get(i).map_or(self.c.pos, |block| block.pos)
    }
}
