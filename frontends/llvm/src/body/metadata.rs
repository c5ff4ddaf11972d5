//! What code generation ignores, for sinks that preserve it: flags, names, attributes in full, metadata.

use gusset_abi::Convention;
use gusset_codegen::ir::Block;
use gusset_program::{
    Argument, Attribute, BranchEdges, Const, Field, Flags, METADATA, Metadata, Sink, Special, TypeId, Val,
};
use gusset_text::{Placed, Result};

use super::reader::Reader;
use super::tables::{LocalRef, NAMED};
use crate::attribute_list::{Attributes, resolve_groups};
use crate::attributes::{convention_text, parse_convention, skip_flags};
use crate::lexer::{Cursor, Tokens, unescape};
use crate::tables::missing_node;

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads fast-math flags, and, if `all` are possible here, those of integers and their conversions.
    #[inline(always)]
    pub(super) fn flags(&mut self, all: bool) -> bool {
        if !E::PRESERVES_METADATA {
            return skip_flags(&mut self.c, all);
        }
        let (start, mut flags) = (self.c, Flags::default());
        let reassociates = skip_flags(&mut self.c, all);
        let mut c = start;
        while c.pos < self.c.pos {
            let word = c.peek_word();
            flags = flags.with(Flags::from_word(word).unwrap_or_default());
            c.bump(word.len().max(1));
        }
        self.l.flags(flags);
        reassociates
    }

    /// Takes a word that is a flag, if it is next.
    #[inline(always)]
    pub(super) fn flag(&mut self, word: &[u8]) -> bool {
        let found = self.c.eat_word(word);
        if E::PRESERVES_METADATA && found {
            self.l.flags(Flags::from_word(word).unwrap_or_default());
        }
        found
    }

    /// Reads a calling convention, if one is next.
    #[inline(always)]
    pub(super) fn convention(&mut self) -> Result<Convention> {
        if !E::PRESERVES_METADATA {
            return parse_convention(&mut self.c);
        }
        let name = convention_text(&mut self.c)?;
        if !name.is_empty() {
            self.s.call.metadata.convention = name;
        }
        Ok(Convention::C)
    }

    /// Hands over the name of a value.
    #[inline(always)]
    pub(super) fn emit_value_name(&mut self, r: LocalRef, val: Val) {
        if E::PRESERVES_METADATA && r.0 & NAMED != 0 {
            let name = self.s.locals.names.text(r.0 & !NAMED);
            self.l.name_value(val, name);
        }
    }

    /// Hands over the name of a block.
    #[inline(always)]
    pub(super) fn emit_block_name(&mut self, r: LocalRef, block: Block) {
        if E::PRESERVES_METADATA && r.0 & NAMED != 0 {
            let name = self.s.locals.names.text(r.0 & !NAMED);
            self.l.name_block(block, name);
        }
    }

    // Attributes.

    /// The attributes in the text from `start` to the cursor.
    pub(crate) fn attributes_from(&mut self, start: Cursor<'r>, pointee: Option<TypeId>) -> Result<Vec<Attribute>> {
        if start.pos == self.c.pos {
            return Ok(Vec::new());
        }
        let mut all = Attributes { types: self.l.types_mut(), names: self.names };
        all.list(start, self.c.pos, pointee)
    }

    /// Reads what follows a call's arguments: attributes and operand bundles.
    pub(crate) fn carry_call_tail(&mut self) -> Result<()> {
        let mut attrs = Vec::new();
        loop {
            let mut all = Attributes { types: self.l.types_mut(), names: self.names };
            all.of_function(&mut self.c, &mut attrs)?;
            if !self.c.eat(b'[') {
                break;
            }
            let mut more = true;
            while more {
                let tag = unescape(self.c.string()?);
                self.c.expect(b'(')?;
                let operands = self.operands_until(b')')?;
                self.s.call.metadata.bundles.push((tag, operands));
                more = self.c.more(b']')?;
            }
        }
        resolve_groups(&mut attrs, &self.m.group_indices);
        self.s.call.metadata.attrs = attrs;
        Ok(())
    }

    /// Reads operands with their types up to a closing bracket; they are scalars unless everything is preserved.
    pub(super) fn operands_until(&mut self, close: u8) -> Result<Vec<Argument>> {
        let mut operands = Vec::new();
        let mut more = !self.c.eat(close);
        while more {
            let pos = self.c.pos;
            let ty = self.ty()?;
            if !E::PRESERVES_METADATA {
                self.l.types().check_scalar(ty).at(self.c.src, pos)?;
            }
            operands.push(match ty {
                METADATA => Argument::Metadata(self.metadata_operand()?),
                _ => Argument::Value(self.value(ty)?, Vec::new()),
            });
            more = self.c.more(close)?;
        }
        Ok(operands)
    }

    /// Reads a signed pointer, after its keyword.
    pub(super) fn signed_pointer(&mut self, ty: TypeId) -> Result<Val> {
        let pos = self.c.pos;
        self.c.expect(b'(')?;
        let mut operands = Vec::new();
        let mut more = true;
        while more {
            let ty = self.ty()?;
            operands.push(self.value(ty)?);
            more = self.c.more(b')')?;
        }
        self.l.constant(ty, Const::Signed(&operands)).at(self.c.src, pos)
    }

    // Metadata.

    /// Reads all attachments `, !kind !node` that are next, and hands them over.
    #[inline(always)]
    pub(super) fn attachments(&mut self) -> Result<()> {
        if !E::PRESERVES_METADATA {
            if self.m.keeps_debug_info {
                return self.located_attachments();
            }
            let end = self.c.skip_attachments()?;
            return if end <= self.m.first_missing_node { Ok(()) } else { self.check_node(end - 1) };
        }
        self.carry_attachments()
    }

    /// Reads how often the edges of a branch are taken, if the metadata `prof` are attached to it. The cursor stays before these.
    #[cold]
    pub(super) fn branch_weights(&mut self, edges: BranchEdges) {
        let mut c = self.c;
        let mut weights = Vec::new();
        while c.eat(b',') && c.peek() == b'!' {
            let at = c;
            if c.attachment_name() == b"prof" {
                c.ws();
                if self.m.operands(c).and_then(|c| read_weights(c, &mut weights)).is_ok() {
                    self.l.set_branch_weights(edges, &weights);
                }
                return;
            }
            c = at;
            if c.skip_attachment().is_err() {
                return;
            }
        }
    }

    /// Checks that a metadata node is defined; it is attached to what has just been read.
    #[cold]
    fn check_node(&self, number: u32) -> Result<()> {
        match self.m.node(number.into()) {
            Some(_) => Ok(()),
            None => Err(self.c.error(missing_node(number.into()))),
        }
    }

    fn carry_attachments(&mut self) -> Result<()> {
        loop {
            let mut next = self.c;
            if !next.eat(b',') || next.peek() != b'!' {
                return Ok(());
            }
            self.c = next;
            let (kind, node) = self.attachment()?;
            self.l.attach(&kind, node);
        }
    }

    /// Reads `!kind !node`.
    pub(crate) fn attachment(&mut self) -> Result<(Vec<u8>, Metadata)> {
        let kind = unescape(self.c.attachment_name());
        Ok((kind, self.metadata_operand()?))
    }

    /// Reads metadata: a node, a string, or a value with its type.
    pub(crate) fn metadata_operand(&mut self) -> Result<Metadata> {
        self.nested(|r| r.metadata_at_depth())
    }

    fn metadata_at_depth(&mut self) -> Result<Metadata> {
        if self.c.peek() != b'!' {
            if self.c.eat_word(b"null") {
                return Ok(Metadata::Null);
            }
            let ty = self.ty()?;
            if ty == METADATA {
                // As LLVM wrote it before version 3.6.
                return self.metadata_operand();
            }
            return Ok(Metadata::Value(ty, self.value(ty)?));
        }
        let at = self.c.pos;
        self.c.bump(1);
        match self.c.peek() {
            b'"' => Ok(Metadata::String(unescape(self.c.string()?))),
            b'0'..=b'9' => {
                let number = self.c.number32()?;
                if self.m.node(number.into()).is_none() {
                    return Err(self.c.error_at(at, missing_node(number.into())));
                }
                Ok(Metadata::Node(number))
            }
            b'{' => Ok(Metadata::Tuple(self.metadata_list()?)),
            _ => Ok(Metadata::Special(self.special_node()?)),
        }
    }

    /// Reads metadata in braces.
    pub(crate) fn metadata_list(&mut self) -> Result<Vec<Metadata>> {
        self.c.expect(b'{')?;
        let mut list = Vec::new();
        let mut more = !self.c.eat(b'}');
        while more {
            list.push(self.metadata_operand()?);
            more = self.c.more(b'}')?;
        }
        Ok(list)
    }

    /// Reads a node of a named kind, after the `!`.
    fn special_node(&mut self) -> Result<Special> {
        let name = self.c.peek_word();
        self.c.unexpected_if(name.is_empty(), self.c.pos, "metadata")?;
        self.c.bump(name.len());
        self.c.expect(b'(')?;
        let mut fields = Vec::new();
        let mut more = !self.c.eat(b')');
        while more {
            let word = self.c.peek_word();
            let named = !word.is_empty() && {
                let mut next = self.c;
                next.bump(word.len());
                next.peek() == b':'
            };
            if named {
                self.c.bump(word.len());
                self.c.expect(b':')?;
            }
            let field = match self.c.peek() {
                b'!' => Field::Metadata(self.metadata_operand()?),
                b'"' => Field::String(unescape(self.c.string()?)),
                b'{' => Field::List(self.metadata_list()?),
                b'n' if self.c.eat_word(b"null") => Field::Metadata(Metadata::Null),
                _ if typed_field(self.c) => Field::Metadata(self.metadata_operand()?),
                _ => Field::Words(field_words(&mut self.c)?),
            };
            fields.push((if named { word.to_vec() } else { Vec::new() }, field));
            more = self.c.more(b')')?;
        }
        Ok(Special { name: name.to_vec(), fields })
    }

    /// Reads a debug record after `#dbg_`; the rest of its name is next.
    pub(super) fn debug_record(&mut self) -> Result<()> {
        let kind = self.c.peek_word();
        self.c.bump(kind.len());
        self.c.expect(b'(')?;
        let mut operands = Vec::new();
        let mut more = !self.c.eat(b')');
        while more {
            operands.push(self.metadata_operand()?);
            more = self.c.more(b')')?;
        }
        self.l.debug_record(kind, operands);
        Ok(())
    }
}

/// Reads a number, or names separated by bars.
fn field_words(c: &mut Cursor<'_>) -> Result<Vec<u8>> {
    let mut words = Vec::new();
    loop {
        let word = c.peek_word();
        c.unexpected_if(word.is_empty(), c.pos, "a field of metadata")?;
        words.extend_from_slice(word);
        c.bump(word.len());
        if !c.eat(b'|') {
            return Ok(words);
        }
        words.extend_from_slice(b" | ");
    }
}

/// Whether a type with a value is next. Numbers and names have no type.
fn typed_field(mut next: Cursor<'_>) -> bool {
    let word = next.peek_word();
    next.bump(word.len());
    match word {
        [] => matches!(next.peek(), b'[' | b'{' | b'<' | b'%'),
        _ => !matches!(next.peek(), b',' | b')' | b'|'),
    }
}

/// Reads weights of branches, which come after their name and, in some versions, where they come from. Other nodes have none.
fn read_weights(mut c: Cursor<'_>, weights: &mut Vec<u32>) -> Result<()> {
    let mut more = c.eat(b'!') && c.string()? == b"branch_weights" && c.more(b'}')?;
    while more {
        if c.eat(b'!') {
            c.string()?;
        } else {
            c.eat_word(b"i32");
            let negative = c.eat(b'-');
            let number = c.number32()?;
            weights.push(if negative { number.wrapping_neg() } else { number });
        }
        more = c.more(b'}')?;
    }
    Ok(())
}
