//! Debug information of a body, for sinks that make code: locations of instructions, and records about variables.
//!
//! Nodes stay numbers here: [`node_number`] says which number a node has that stands in place. Records never change the code, so that a value
//! that is defined later is looked up at the end of the body instead of being used.

use gusset_codegen::debug::DiLabelId;
use gusset_codegen::ir::DebugRecordKind;
use gusset_lower::debug_info::IN_PLACE;
use gusset_program::{InstLocation, METADATA, Sink, VariableRecord, refusals};
use gusset_text::Result;

use super::reader::Reader;
use crate::debug_nodes::node_number;
use crate::lexer::{Cursor, Tokens};
use crate::tables::missing_node;

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads the attachments of an instruction, and hands over its location.
    #[inline(never)]
    pub(super) fn located_attachments(&mut self) -> Result<()> {
        let location = self.attached_location();
        let location = if self.c.peek() == b',' { self.other_attachments(location)? } else { location };
        let location = location.map(|node| self.location(node));
        self.s.debug.located(&mut self.l, location);
        Ok(())
    }

    /// Reads the attachments that are left, and returns the location among them, or the one that is known.
    #[inline(never)]
    fn other_attachments(&mut self, mut location: Option<u32>) -> Result<Option<u32>> {
        while self.c.peek() == b',' && (self.c.ahead(1) == b'!' || self.c.ahead(1) == b' ' && self.c.ahead(2) == b'!') {
            if let Some(b", !tbaa !") = self.c.chunk()
                && self.c.skip_printed_attachment().is_some()
            {
                continue;
            }
            self.c.bump(1);
            let at = self.c;
            match self.c.attachment_name() {
                b"dbg" => location = Some(self.node_number()?),
                b"DIAssignID" => {
                    let node = self.node_number()?;
                    self.s.debug.assigned.insert(node);
                }
                b"pcsections" => return Err(at.error(refusals::metadata(b"pcsections"))),
                _ => self.c.skip_metadata()?,
            }
        }
        Ok(location)
    }

    /// Takes the attached location, if it is next and as LLVM prints it.
    #[inline(always)]
    fn attached_location(&mut self) -> Option<u32> {
        if self.c.chunk() != Some(b", !dbg !") {
            return None;
        }
        let mut c = self.c;
        c.pos += 8;
        let node = c.short_number().filter(|&node| node < self.m.first_missing_node)?;
        match c.peek() {
            b',' => {}
            b'\n' => c.ws_after_token(),
            _ => return None,
        }
        self.c = c;
        Some(node)
    }

    /// Reads the number of a node, which must be defined if it does not stand in place.
    fn node_number(&mut self) -> Result<u32> {
        let at = self.c;
        let number = node_number(&mut self.c)?;
        let missing = number & IN_PLACE == 0 && number >= self.m.first_missing_node;
        if missing && self.m.node(number.into()).is_none() {
            return Err(at.error(missing_node(number.into())));
        }
        Ok(number)
    }

    /// Reads a debug record after `#dbg_`; the rest of its name is next.
    pub(super) fn variable_record(&mut self) -> Result<()> {
        // As printed.
        if self.c.chunk() == Some(b"value(") {
            self.c.bump(6);
            self.record_operands()?;
            if self.printed_value() {
                return Ok(());
            }
            self.record_of_operands(b"value", false)?;
        } else {
            let kind = self.c.peek_word();
            self.c.bump(kind.len());
            self.c.expect_bracket(b'(')?;
            self.record(kind, false)?;
        }
        self.c.expect(b',')?;
        let location = self.node_number()?;
        self.set_inlined_at(location);
        self.c.expect_bracket(b')')
    }

    /// Reads what comes after the operands of most values' records, as LLVM prints it, and hands the record over. If the text is another one,
    /// nothing is read.
    fn printed_value(&mut self) -> bool {
        let mut c = self.c;
        if c.chunk() != Some(b", !") {
            return false;
        }
        c.pos += 3;
        let variable = c.short_number();
        let expression = b", !DIExpression(), !";
        if c.chunk() != Some(expression) {
            return false;
        }
        c.pos += expression.len();
        let (Some(variable), Some(location), b')') = (variable, c.short_number(), c.peek()) else { return false };
        if variable.max(location) >= self.m.first_missing_node {
            return false;
        }
        c.pos += 1;
        c.ws_after_token();
        self.c = c;
        self.s.debug.expression.clear();
        self.hand_over(DebugRecordKind::Value, variable, false);
        self.set_inlined_at(location);
        true
    }

    /// Reads the arguments of an intrinsic about debug information; `kind` is the rest of its name.
    pub(super) fn debug_intrinsic(&mut self, kind: &[u8]) -> Result<()> {
        self.c.expect(b'(')?;
        self.record(kind, true)?;
        self.c.expect_bracket(b')')?;
        self.s.debug.waits_for_location = true;
        Ok(())
    }

    /// Reads the operands of a record of a kind up to the location, and hands it over.
    fn record(&mut self, kind: &[u8], of_intrinsic: bool) -> Result<()> {
        if of_intrinsic {
            self.c.expect_word("metadata")?;
        }
        if kind == b"label" {
            let label = DiLabelId(self.node_number()?);
            let kind = DebugRecordKind::Label(label);
            self.l.variable_record(&VariableRecord { kind, variable: 0, expression: &[], operands: &[] });
            return Ok(());
        }
        self.record_operands()?;
        self.record_of_operands(kind, of_intrinsic)
    }

    /// Reads a record of which the operands have been read, up to the location, and hands it over.
    fn record_of_operands(&mut self, kind: &[u8], of_intrinsic: bool) -> Result<()> {
        if of_intrinsic {
            self.old_offset()?;
        }
        let variable = self.next_operand(of_intrinsic, Self::node_number)?;
        self.s.debug.expression.clear();
        self.next_operand(of_intrinsic, |r| r.record_expression(false))?;
        let kind = match kind {
            b"declare" => DebugRecordKind::Declare,
            b"assign" => return self.assignment(variable, of_intrinsic),
            b"addr" => DebugRecordKind::Address,
            _ => DebugRecordKind::Value,
        };
        self.hand_over(kind, variable, false);
        Ok(())
    }

    /// Reads the offset that LLVM had before version 6. Of a value at another offset than 0 nothing is known.
    fn old_offset(&mut self) -> Result<()> {
        let mut next = self.c;
        if !next.eat(b',') || !next.eat_word(b"i64") {
            return Ok(());
        }
        if next.number()? != 0 {
            self.s.debug.operands.fill(None);
            self.s.debug.locals.fill(None);
        }
        self.c = next;
        Ok(())
    }

    fn next_operand<R>(&mut self, of_intrinsic: bool, read: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        self.c.expect(b',')?;
        if of_intrinsic {
            self.c.expect_word("metadata")?;
        }
        read(self)
    }

    /// Reads the rest of an assignment. If its store has been read, the variable lies in memory from here on; if the store has been
    /// removed, the variable has the value.
    fn assignment(&mut self, variable: u32, of_intrinsic: bool) -> Result<()> {
        let id = self.next_operand(of_intrinsic, Self::node_number)?;
        let stored = self.s.debug.assigned.contains(&id);
        if !stored {
            self.hand_over(DebugRecordKind::Value, variable, false);
        }
        self.next_operand(of_intrinsic, Self::record_operands)?;
        self.s.debug.address_expression.clear();
        self.next_operand(of_intrinsic, |r| r.record_expression(true))?;
        if stored {
            self.hand_over(DebugRecordKind::Address, variable, true);
        }
        Ok(())
    }

    fn hand_over(&mut self, kind: DebugRecordKind, variable: u32, by_address: bool) {
        self.s.debug.hand_over(&mut self.l, kind, variable, by_address);
    }

    /// Tells the sink in which copy of an inlined function the last record is, by its location.
    fn set_inlined_at(&mut self, location: u32) {
        if let Some(node) = self.location(location).inlined_at {
            self.l.set_inlined_at(node);
        }
    }

    /// A location, whose calls the sink gets to know.
    fn location(&mut self, node: u32) -> InstLocation {
        let m = self.m;
        self.s.debug.location(&mut self.l, node, |node| m.line_and_call(node))
    }

    /// Reads the operands of a record: a value with its type, a list of values, or metadata that stands for no value.
    fn record_operands(&mut self) -> Result<()> {
        self.s.debug.operands.clear();
        self.s.debug.locals.clear();
        if self.c.peek() != b'!' {
            return self.record_operand();
        }
        if !self.c.starts_with(b"!DIArgList") {
            return self.c.skip_metadata();
        }
        self.c.pos += 1;
        let word = self.c.word_len();
        self.c.bump(word);
        self.c.expect(b'(')?;
        let mut more = !self.c.eat(b')');
        while more {
            self.record_operand()?;
            more = self.c.more(b')')?;
        }
        Ok(())
    }

    fn record_operand(&mut self) -> Result<()> {
        let ty = self.ty()?;
        let (mut operand, mut local) = (None, None);
        if ty == METADATA {
            self.c.skip_metadata()?;
        } else if self.c.peek() == b'%' {
            let r = self.local_ref()?;
            match self.s.locals.known(r) {
                Some(known) => operand = Some((ty, known.val)).filter(|_| known.ty == ty),
                None => local = Some((r, ty)),
            }
        } else {
            // What would take instructions is no constant here.
            let at = self.c;
            self.l.set_frozen(true);
            self.l.set_debug_constants(true);
            let val = self.value(ty);
            self.l.set_debug_constants(false);
            let refused = self.l.set_frozen(false);
            match val {
                Ok(val) if !refused => operand = Some((ty, val)),
                _ => {
                    self.c = at;
                    self.c.skip_constant()?;
                }
            }
        }
        self.s.debug.operands.push(operand);
        self.s.debug.locals.push(local);
        Ok(())
    }

    /// Reads an expression, in place or by number.
    fn record_expression(&mut self, of_address: bool) -> Result<()> {
        let s = &mut self.s.debug;
        let words = if of_address { &mut s.address_expression } else { &mut s.expression };
        if !self.c.ahead(1).is_ascii_digit() {
            return read_expression(&mut self.c, words);
        }
        self.c.pos += 1;
        let number = self.c.number()?;
        match self.m.node(number) {
            Some(at) => read_expression(&mut Cursor::new(self.m.source, at), words),
            None => Err(self.c.error(missing_node(number))),
        }
    }

    /// At the end of the body: looks up values that were not defined yet.
    pub(super) fn finish_records(&mut self) {
        let locals = &self.s.locals;
        self.s.debug.finish(&mut self.l, |local| locals.known(local).map(|known| (known.ty, known.val)));
    }
}

/// Reads `!DIExpression(…)`.
fn read_expression(c: &mut Cursor<'_>, words: &mut Vec<u64>) -> Result<()> {
    // Nearly all are empty.
    const EMPTY: &[u8; 15] = b"!DIExpression()";
    if c.chunk() == Some(EMPTY) {
        c.pos += EMPTY.len();
        c.ws_after_token();
        return Ok(());
    }
    c.unexpected_if(!c.starts_with(b"!DIExpression"), c.pos, "`!DIExpression`")?;
    c.pos += 1;
    let word = c.word_len();
    c.bump(word);
    c.expect(b'(')?;
    let mut more = !c.eat(b')');
    while more {
        words.push(expression_word(c)?);
        more = c.more(b')')?;
    }
    Ok(())
}

/// Reads a word of an expression: a number, or the name of an operation or of an encoding.
fn expression_word(c: &mut Cursor<'_>) -> Result<u64> {
    let at = *c;
    let text = c.peek_text();
    c.bump(text.len());
    let known = match text.as_bytes() {
        [b'0'..=b'9', ..] => text.parse().ok(),
        [b'-', ..] => text.parse().ok().map(i64::cast_unsigned),
        _ => gusset_codegen::debug::expression_word(text),
    };
    known.ok_or_else(|| at.error(format!("`{text}` is no operation of an expression")))
}
