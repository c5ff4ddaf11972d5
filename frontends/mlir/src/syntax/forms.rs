//! Hand-written forms: those of calls and of debug operations, whose parts have no separate tokens.

use gusset_program::PTR;
use gusset_text::Result;

use super::Parser;
use super::attributes::AttributeRef;
use super::lexer::Tokens;
use super::op::{Op, slot_of};
use super::op_table::Form;
use crate::syntax::types::Ty;

/// Intrinsics that only inform optimizers and debuggers.
const SILENT: &[&[u8]] =
    &[b"assume", b"dbg.declare", b"dbg.label", b"dbg.value", b"experimental.noalias.scope.decl", b"var.annotation"];

/// Reads what follows an operation's name.
pub(super) fn read<'r>(form: Form, p: &mut Parser<'_, 'r>, op: &mut Op<'r>) -> Result<()> {
    match form {
        Form::Call => p.call(op, false),
        Form::Invoke => p.call(op, true),
        Form::Intrinsic => p.intrinsic(op),
    }
}

/// Words of a call for the kind of tail call.
fn is_tail_kind(word: &[u8]) -> bool {
    matches!(word, b"tail" | b"musttail" | b"notail" | b"none")
}

impl<'r> Parser<'_, 'r> {
    /// `cconv tail @f(%a) to ^bb1 unwind ^bb2 ["tag"()] vararg(type) {…} : (types) -> type`. The attributes are named
    /// as in the generic form. A call without a callee has the function's address as its first operand.
    fn call(&mut self, op: &mut Op<'r>, invoke: bool) -> Result<()> {
        while self.c.peek().is_ascii_lowercase() {
            let word = self.c.peek_word();
            let name: &[u8] = if is_tail_kind(word) { b"TailCallKind" } else { b"CConv" };
            op.attribute(name, &self.c);
            self.c.bump(word.len());
        }
        let direct = self.c.peek() == b'@';
        if direct {
            op.attribute(b"callee", &self.c);
            super::attributes::read_symbol(&mut self.c)?;
        } else {
            self.operand(op)?;
        }
        self.bracketed(op)?;
        let plain = op.refs.len();
        if invoke {
            self.c.expect_word("to")?;
            self.successor(op)?;
            self.c.expect_word("unwind")?;
            self.successor(op)?;
        }
        if self.c.eat_word(b"vararg") {
            self.c.expect(b'(')?;
            op.attribute(b"vararg", &self.c);
            self.c.skip_untyped()?;
            self.c.expect(b')')?;
        }
        if self.c.peek() == b'[' {
            let pos = self.c.pos;
            self.c.bump(1);
            self.c.refuse_if(self.c.peek() != b']', pos, "operand bundles are not supported here")?;
            self.c.expect(b']')?;
        }
        self.dictionary(op)?;
        self.c.expect(b':')?;
        let from = op.types.len();
        if !direct && self.c.peek() == b'(' {
            // Typed pointers give the function type.
            op.types.push(Ty::of(PTR));
        } else if !direct {
            let ty = self.ty()?;
            op.types.push(ty);
            self.c.expect(b',')?;
        }
        let pos = self.c.pos;
        self.c.expect(b'(')?;
        let mut more = !self.c.eat(b')');
        while more {
            let ty = self.ty()?;
            op.types.push(ty);
            if self.c.peek() == b'{' {
                op.listed.push((op.types.len() - from - 1, AttributeRef::at(&self.c)));
                self.c.skip_group()?;
            }
            more = self.c.more(b')')?;
        }
        op.slots[slot_of(b'T')] = (from as u32, op.types.len() as u32);
        self.c.expect_arrow()?;
        self.call_results(op)?;
        self.c.refuse_if(op.types.len() - from != plain, pos, "there are not as many types as operands")
    }

    /// Reads the types of a call's results, or `(i8 {llvm.zeroext})`.
    fn call_results(&mut self, op: &mut Op<'r>) -> Result<()> {
        let before = self.c;
        let Err(error) = self.types.results(self.llvm, &mut self.c, &mut op.results) else { return Ok(()) };
        op.results.clear();
        self.c = before;
        self.c.expect(b'(')?;
        let ty = self.ty()?;
        if self.c.peek() != b'{' {
            return Err(error);
        }
        op.attribute(b"res_attrs", &self.c);
        self.c.skip_group()?;
        op.results.push(ty);
        self.c.expect(b')')
    }

    /// An operation `llvm.intr.NAME`: `(%a) {…} : (types) -> types`, or a debug operation.
    fn intrinsic(&mut self, op: &mut Op<'r>) -> Result<()> {
        let name = op.text.strip_prefix(b"llvm.intr.").unwrap_or(op.text);
        if self.c.peek() != b'(' && SILENT.contains(&name) {
            op.note = true;
            return self.note(op);
        }
        self.bracketed(op)?;
        self.dictionary(op)?;
        self.c.expect(b':')?;
        let (pos, from) = (self.c.pos, op.types.len());
        self.types.list(self.llvm, &mut self.c, &mut op.types)?;
        op.slots[slot_of(b'T')] = (from as u32, op.types.len() as u32);
        self.c.expect_arrow()?;
        self.types.results(self.llvm, &mut self.c, &mut op.results)?;
        self.c.refuse_if(op.types.len() - from != op.refs.len(), pos, "there are not as many types as operands")
    }

    /// Reads `#variable #expression = %v : type`, `#scope`, or `%c ["align"(%p : type)] : type`.
    fn note(&mut self, op: &mut Op<'r>) -> Result<()> {
        // Attributes may be printed without their names.
        for name in [&b"subject"[..], b"locationExpr", b"further"].into_iter().chain(std::iter::repeat(&b"further"[..]))
        {
            match self.c.peek() {
                b'<' | b'#' => op.attribute(name, &self.c),
                _ => break,
            }
            self.c.skip_untyped()?;
        }
        let named = self.c.peek() == b'%' && !crate::syntax::op_span::results_ahead(self.c);
        if self.c.eat(b'=') || named {
            self.operand(op)?;
            if self.c.peek() == b'[' {
                op.attribute(b"op_bundles", &self.c);
                self.c.skip_group()?;
            }
            self.dictionary(op)?;
            self.c.expect(b':')?;
            let ty = self.ty()?;
            op.slots[slot_of(b'T')] = (op.types.len() as u32, op.types.len() as u32 + 1);
            op.types.push(ty);
        }
        self.dictionary(op)
    }
}
