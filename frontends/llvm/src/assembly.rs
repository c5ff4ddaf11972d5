//! Inline assembly without instructions, save ones that do nothing: barriers for the compiler, values made opaque to it, and
//! what comes of comments alone.
//!
//! LLVM LangRef, "Inline Assembler Expressions", `callbr`.

use gusset_codegen::ir::{MemFlags, Opcode, TailKind, Type, Value};

use crate::attributes::FnAttrs;
use crate::body::{Reader, Val};
use crate::calls::Bundles;
use crate::error::{ReadError, Result};
use crate::instructions::NOTHING;
use crate::types::{TypeId, VOID};

/// How many `nop` a template has, and nothing else but comments; none if there is more.
fn empty_template(template: &[u8]) -> Option<u32> {
    let (mut rest, mut nops) = (template, 0);
    let behind = |text: &[u8], end: &[u8]| memchr::memmem::find(text, end).map_or(text.len(), |at| at + end.len());
    loop {
        rest = rest.trim_ascii_start();
        rest = match rest {
            [] => return Some(nops),
            [b';', ..] => &rest[1..],
            [b'#', ..] | [b'/', b'/', ..] => &rest[behind(rest, b"\n")..],
            [b'/', b'*', ..] => &rest[2 + behind(&rest[2..], b"*/")..],
            [b'n' | b'N', b'o' | b'O', b'p' | b'P', tail @ ..] if !matches!(tail, [b'a'..=b'z' | b'A'..=b'Z', ..]) => {
                let blanks = tail.iter().take_while(|&&b| matches!(b, b' ' | b'\t' | b'\r')).count();
                let tail = &tail[blanks..];
                if !matches!(tail, [] | [b';' | b'\n' | b'#' | b'/', ..]) {
                    return None;
                }
                nops += 1;
                tail
            }
            _ => return None,
        };
    }
}

/// What a list of constraints says.
#[derive(Default)]
struct Constraints {
    /// Memory is read or written.
    memory: bool,
    /// Numbers of the constraints of results.
    results: Vec<usize>,
    /// Constraints of results in memory, and the arguments that are their addresses.
    places: Vec<(usize, usize)>,
    /// Constraints and the arguments that are tied to them.
    ties: Vec<(usize, usize)>,
    arguments: usize,
    /// Labels that it may jump to.
    labels: usize,
}

impl Constraints {
    fn parse(text: &str) -> Constraints {
        let mut all = Constraints::default();
        for (number, code) in text.split(',').enumerate().filter(|c| !c.1.is_empty()) {
            if let Some(clobber) = code.strip_prefix('~') {
                all.memory |= clobber == "{memory}";
            } else if code.starts_with('!') {
                all.labels += 1;
            } else if code.starts_with('=') && !code.contains('*') {
                all.results.push(number);
            } else {
                all.memory |= code.contains('*');
                if code.starts_with('=') {
                    all.places.push((number, all.arguments));
                }
                if let Ok(n) = code.parse::<usize>() {
                    all.ties.push((n, all.arguments));
                }
                all.arguments += 1;
            }
        }
        all
    }
}

impl<'r> Reader<'r> {
    /// Reads inline assembly behind `asm`, and how many labels it has.
    pub fn inline_asm(&mut self, ret: TypeId, pos: usize) -> Result<(TypeId, Val, usize)> {
        let mut side_effect = false;
        loop {
            if self.c.eat_word(b"sideeffect") {
                side_effect = true;
            } else if !(self.c.eat_word(b"alignstack")
                || self.c.eat_word(b"inteldialect")
                || self.c.eat_word(b"unwind"))
            {
                break;
            }
        }
        let template = crate::lexer::unescape(self.c.string()?);
        let Some(nops) = empty_template(&template) else {
            let m = "inline assembly with instructions is not supported yet";
            return Err(ReadError::new(self.c.src, pos, m));
        };
        self.c.expect(b',')?;
        let at = self.c.pos;
        let text = String::from_utf8_lossy(self.c.string()?).into_owned();
        self.s.request.params.clear();
        self.arguments(None)?;
        self.call_attributes(&mut FnAttrs::default(), Bundles::Refuse)?;
        let constraints = Constraints::parse(&text);
        let bad = |r: &Self, m: &str| Err(ReadError::new(r.c.src, at, format!("{m} in `{text}`")));
        if constraints.arguments != self.s.vals.len() {
            return bad(self, "the number of operands does not match");
        }
        let mut parts: Vec<Type> = Vec::new();
        match (constraints.results.len(), self.types.ir(ret) != Type::VOID) {
            (0, _) if ret == VOID => {}
            (1, true) => parts.push(self.types.ir(ret)),
            (n, false) if ret != VOID && n == self.scalars(ret) => {
                let mut leaves = Vec::new();
                self.types.flatten(ret, 0, &mut leaves);
                parts.extend(leaves.iter().map(|l| l.ir));
            }
            _ => return bad(self, "the result does not match the outputs"),
        }
        if side_effect || constraints.memory || nops > 0 {
            self.push0(Opcode::Barrier, 0, Type::VOID, [nops, 0, 0]);
        }
        for i in 0..self.s.vals.len() {
            let (ty, attrs) = self.s.request.params[i];
            let tied = constraints.ties.iter().any(|t| t.1 == i && constraints.results.contains(&t.0));
            if self.types.ir(ty) != Type::VOID && !tied && !attrs.element_type {
                self.b.unary(Opcode::Opaque, Value(self.s.vals[i]));
            }
        }
        // What an operand in memory begins with, it has afterwards.
        for &(constraint, place) in &constraints.places {
            let Some(&(_, i)) = constraints.ties.iter().find(|t| t.0 == constraint) else { continue };
            if self.types.ir(self.s.request.params[i].0) == Type::VOID {
                return bad(self, "the tied operands are of different types");
            }
            let v = self.b.unary(Opcode::Opaque, Value(self.s.vals[i]));
            self.b.store(v, Value(self.s.vals[place]), 0, MemFlags::new(1, false));
        }
        let start = self.s.aggregates.len();
        for (k, &ir) in parts.iter().enumerate() {
            let input = constraints.ties.iter().find(|t| t.0 == constraints.results[k]);
            let v = match input {
                Some(&(_, i)) => match self.tied_operand(i, ir) {
                    Some(v) => v,
                    None => return bad(self, "the tied operands are of different types"),
                },
                None => {
                    let v = self.b.poison(ir);
                    self.b.unary(Opcode::Freeze, v)
                }
            };
            let v = self.b.unary(Opcode::Opaque, v);
            self.s.aggregates.push(v);
        }
        let (ty, val) = match (ret == VOID, self.types.ir(ret) != Type::VOID) {
            (true, _) => NOTHING,
            (_, true) => (ret, self.s.aggregates[start].0),
            _ => (ret, start as Val),
        };
        Ok((ty, val, constraints.labels))
    }

    /// Argument `i` in the register of a result of type `ir`.
    fn tied_operand(&mut self, i: usize, ir: Type) -> Option<Value> {
        let v = Value(self.s.vals[i]);
        let from = self.types.ir(self.s.request.params[i].0);
        if from == ir {
            Some(v)
        } else if from.is_int() && ir.is_int() {
            let op = if from.bits() < ir.bits() { Opcode::Zext } else { Opcode::Trunc };
            Some(self.b.convert(op, v, ir))
        } else if from != Type::VOID && from.bits() == ir.bits() {
            Some(self.b.convert(Opcode::Bitcast, v, ir))
        } else {
            None
        }
    }

    /// Reads a `callbr` behind its keyword. Assembly without instructions goes on behind itself; its labels stay places that it
    /// might go to, as far as the rest of the function can tell.
    pub fn callbr(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        // Its results are not known everywhere behind it.
        self.far = true;
        self.labels = Some(0);
        let result = self.call(TailKind::None);
        let labels = self.labels.take();
        let result = result?;
        self.c.expect_word("to")?;
        let normal = self.label()?;
        self.c.expect(b'[')?;
        let mut blocks = Vec::new();
        while self.c.peek() != b']' {
            blocks.push(self.label()?);
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.expect(b']')?;
        if labels != Some(blocks.len()) {
            return Err(ReadError::new(self.c.src, pos, "the labels of a `callbr` do not match its constraints"));
        }
        let fallthrough = self.b.iconst(Type::I32, 0);
        let which = self.b.unary(Opcode::Opaque, fallthrough);
        let cases = blocks.iter().enumerate().map(|(i, &to)| (i as i128 + 1, to));
        let cases: Vec<_> = cases.map(|(n, to)| (self.b.iconst(Type::I32, n), self.edge(to))).collect();
        let normal = self.edge(normal);
        self.b.switch(which, &cases, normal);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_without_instructions() {
        let cases: [(&str, Option<u32>); 14] = [
            ("", Some(0)),
            (" \t\n;\n", Some(0)),
            ("# a comment; nop", Some(0)),
            ("# one\n\t# ${0:c}\n// two", Some(0)),
            ("/* ${0:c} */ /* nop */", Some(0)),
            ("/* open", Some(0)),
            ("nop", Some(1)),
            ("\tnop; NOP # nop\n nop\n", Some(3)),
            ("nop\nret", None),
            ("nopw %ax", None),
            ("nop %eax", None),
            ("# a comment\ncpuid", None),
            ("1:", None),
            (".byte 1", None),
        ];
        for (template, nops) in cases {
            assert_eq!(empty_template(template.as_bytes()), nops, "{template}");
        }
    }
}
