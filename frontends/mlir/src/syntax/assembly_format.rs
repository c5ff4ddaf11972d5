//! Reads operations: in the custom form by the tokens of their rows, and in the generic form.

use gusset_text::Result;

use super::attributes::resolve_map;
use super::lexer::{Cursor, Tokens};
use super::op::{Mixed, Op, Successor, slot_of};
use super::op_table::Token;
use super::{Parser, forms};
use crate::syntax::types::Ty;
use crate::syntax::types::affine::{Expr, Map};

impl<'r> Parser<'_, 'r> {
    // The custom form.

    /// Reads what follows an operation's name, by its form.
    pub fn custom(&mut self, form: &[Token], op: &mut Op<'r>) -> Result<()> {
        let mut i = 0;
        while let Some(&token) = form.get(i) {
            i += 1;
            match token {
                Token::Operand(None) => self.operand(op)?,
                Token::Operand(Some(n)) => self.operand_number(op, n as usize)?,
                Token::Operands => {
                    self.operands(op)?;
                    op.groups.push(op.refs.len());
                }
                Token::Maybe => {
                    if self.c.peek() == b'%' {
                        self.operand(op)?;
                    }
                    op.groups.push(op.refs.len());
                }
                Token::List(open) => self.mixed_list(op, open)?,
                Token::Dictionary => self.dictionary(op)?,
                Token::Flags => self.flags(op)?,
                Token::Attribute(name) => {
                    op.attribute(name.as_bytes(), &self.c);
                    self.c.skip_value()?;
                }
                Token::Untyped(name) => {
                    op.attribute(name.as_bytes(), &self.c);
                    self.c.skip_untyped()?;
                }
                Token::Keyword(name) => self.keyword(op, name)?,
                Token::Symbol(name) => {
                    self.c.unexpected_if(self.c.peek() != b'@', self.c.pos, "a symbol")?;
                    op.attribute(name.as_bytes(), &self.c);
                    self.c.skip_untyped()?;
                }
                Token::Flag(word) => {
                    let start = self.c;
                    if start.peek() == word.as_bytes()[0] && self.c.eat_word(word.as_bytes()) {
                        op.attribute(word.as_bytes(), &start);
                        // Later versions join flags: `inbounds|nuw`.
                        self.c.eat(b'|');
                    }
                }
                Token::Type(letter) => {
                    let from = op.types.len() as u32;
                    let ty = if self.c.peek() == b'(' { self.grouped_type()? } else { self.ty()? };
                    op.types.push(ty);
                    op.slots[slot_of(letter)] = (from, from + 1);
                }
                Token::Types(letter) => {
                    let from = op.types.len() as u32;
                    if !matches!(self.c.peek(), b')' | b'}' | b']') {
                        self.more_types(op)?;
                    }
                    op.slots[slot_of(letter)] = (from, op.types.len() as u32);
                }
                Token::Grouped(letter) | Token::Ungrouped(letter) => {
                    let from = op.types.len() as u32;
                    self.types.results(self.llvm, &mut self.c, &mut op.types)?;
                    if matches!(token, Token::Ungrouped(_)) && self.c.eat(b',') {
                        self.more_types(op)?;
                    }
                    op.slots[slot_of(letter)] = (from, op.types.len() as u32);
                }
                Token::Successor => self.successor(op)?,
                Token::Region => self.region(op)?,
                Token::Optional(end) | Token::Repeated(end) => {
                    if !self.is_ahead(form[i]) {
                        i = end as usize;
                    }
                }
                Token::Separated(end) => {
                    if matches!(self.c.peek(), b']' | b')' | b'}' | b'>') {
                        i = end as usize;
                    }
                }
                Token::Again(start) => i = start as usize,
                Token::More(start) => {
                    if self.c.eat(b',') {
                        i = start as usize;
                    }
                }
                Token::Words(end) => {
                    if !self.c.peek().is_ascii_alphabetic() {
                        i = end as usize;
                    }
                }
                Token::End => {}
                Token::Sign(b) => self.c.expect(b)?,
                Token::Literal(word) => self.literal(word)?,
                other => self.rare(other, op)?,
            }
        }
        Ok(())
    }

    /// Reads tokens that few rows have.
    #[inline(never)]
    fn rare(&mut self, token: Token, op: &mut Op<'r>) -> Result<()> {
        match token {
            Token::Argument => self.argument(op),
            Token::Arguments => self.arguments(op),
            Token::Initialized => self.initialized(op),
            Token::Indices => {
                let (map, places) = Map::parse_inline(&mut self.c)?;
                self.map_with(map, &places, op)
            }
            Token::MapOperands => self.map_operands(op),
            Token::Bound(word) => self.bound(word, op),
            Token::Bounds => {
                let (map, places, groups) = Map::parse_groups(&mut self.c)?;
                let from = op.mixed.len();
                op.mixed.extend(groups.into_iter().map(Mixed::Number));
                op.lists.push((from, op.mixed.len()));
                self.map_with(map, &places, op)
            }
            Token::NamedDictionary => self.named_dictionary(op),
            Token::Bracketed(name) => {
                self.c.unexpected_if(!matches!(self.c.peek(), b'<' | b'('), self.c.pos, "a bracket")?;
                op.attribute(name.as_bytes(), &self.c);
                self.c.skip_group()
            }
            Token::Another(letter) => {
                let ty = self.ty()?;
                let slot = &mut op.slots[slot_of(letter)];
                if slot.0 == slot.1 {
                    *slot = (op.types.len() as u32, op.types.len() as u32);
                }
                slot.1 += 1;
                op.types.push(ty);
                Ok(())
            }
            Token::OptionalType(letter) => {
                let (from, before) = (op.types.len() as u32, self.c);
                let ty = self.ty()?;
                if self.c.eat(b',') {
                    op.types.push(ty);
                    op.slots[slot_of(letter)] = (from, from + 1);
                } else {
                    self.c = before;
                }
                Ok(())
            }
            Token::Regions => {
                while self.c.peek() == b'{' {
                    self.region(op)?;
                    if !self.c.eat(b',') {
                        break;
                    }
                }
                Ok(())
            }
            Token::Hand(form) => forms::read(form, self, op),
            _ => Ok(()),
        }
    }

    /// Whether a part of a form that begins with this token is next.
    #[inline]
    fn is_ahead(&self, token: Token) -> bool {
        match token {
            Token::Sign(b) => self.c.peek() == b,
            Token::Literal(word) => self.literal_ahead(word),
            Token::Operand(_) => self.c.peek() == b'%' && !crate::syntax::op_span::results_ahead(self.c),
            Token::Initialized | Token::Untyped(_) => self.c.peek() == b'(',
            _ => false,
        }
    }

    /// Reads a type that may be in parentheses by itself.
    fn grouped_type(&mut self) -> Result<Ty> {
        let mut inner = self.c;
        inner.bump(1);
        if let Ok(ty) = self.types.parse(self.llvm, &mut inner)
            && inner.eat(b')')
            && !(inner.peek() == b'-' && inner.ahead(1) == b'>')
        {
            self.c = inner;
            return Ok(ty);
        }
        self.ty()
    }

    /// Reads types between commas.
    fn more_types(&mut self, op: &mut Op<'r>) -> Result<()> {
        loop {
            let ty = self.ty()?;
            op.types.push(ty);
            if !self.c.eat(b',') {
                return Ok(());
            }
        }
    }

    fn literal_ahead(&self, word: &str) -> bool {
        let next = self.c.ahead(word.len());
        let wordy = word.as_bytes()[0].is_ascii_alphabetic();
        // Most are one or two letters, or `->`.
        let found = word.bytes().enumerate().all(|(i, b)| self.c.ahead(i) == b);
        found && !(wordy && (next.is_ascii_alphanumeric() || next == b'_'))
    }

    #[inline]
    fn literal(&mut self, word: &'static str) -> Result<()> {
        if !self.literal_ahead(word) {
            return Err(self.c.expected(&format!("`{word}`")));
        }
        self.c.bump(word.len());
        Ok(())
    }

    /// Reads a word, or a string, as an attribute.
    fn keyword(&mut self, op: &mut Op<'r>, name: &'static str) -> Result<()> {
        op.attribute(name.as_bytes(), &self.c);
        let len = self.c.word_len();
        if self.c.peek() == b'"' {
            self.c.quoted()?;
        } else {
            self.c.unexpected_if(len == 0, self.c.pos, "a word")?;
            self.c.bump(len);
        }
        Ok(())
    }

    // Operands.

    /// Reads an operand.
    #[inline]
    pub fn operand(&mut self, op: &mut Op<'r>) -> Result<()> {
        let pos = self.c.pos;
        let r = self.local_ref()?;
        op.refs.push((r, pos));
        Ok(())
    }

    /// Reads the operand with this index.
    fn operand_number(&mut self, op: &mut Op<'r>, n: usize) -> Result<()> {
        let pos = self.c.pos;
        let r = (self.local_ref()?, pos);
        while op.refs.len() <= n {
            op.refs.push(r);
        }
        op.refs[n] = r;
        Ok(())
    }

    /// Reads operands between commas.
    pub fn operands(&mut self, op: &mut Op<'r>) -> Result<()> {
        while self.c.peek() == b'%' {
            self.operand(op)?;
            let mut next = self.c;
            if !(next.eat(b',') && next.peek() == b'%') {
                break;
            }
            self.c = next;
        }
        Ok(())
    }

    /// Reads operands in parentheses.
    pub fn bracketed(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.c.expect_bracket(b'(')?;
        self.operands(op)?;
        self.c.expect(b')')
    }

    /// Reads a list of numbers and operands in brackets or parentheses.
    fn mixed_list(&mut self, op: &mut Op<'r>, open: u8) -> Result<()> {
        let from = op.mixed.len();
        let close = if open == b'[' { b']' } else { b')' };
        self.c.expect(open)?;
        let mut more = !self.c.eat(close);
        while more {
            if self.c.peek() == b'%' {
                op.mixed.push(Mixed::Operand(op.refs.len()));
                self.operand(op)?;
            } else {
                let n = self.integer()?;
                op.mixed.push(Mixed::Number(n));
            }
            more = self.c.more(close)?;
        }
        op.lists.push((from, op.mixed.len()));
        op.groups.push(op.refs.len());
        Ok(())
    }

    /// Reads a number with its sign.
    pub fn integer(&mut self) -> Result<i64> {
        let pos = self.c.pos;
        let negative = self.c.peek() == b'-';
        self.c.pos += usize::from(negative);
        let n = self.c.number()?;
        let n = i128::from(n) * if negative { -1 } else { 1 };
        i64::try_from(n).map_err(|_| self.c.error_at(pos, "the number does not fit 64 bits"))
    }

    // Names of a region's arguments.

    fn argument(&mut self, op: &mut Op<'r>) -> Result<()> {
        let pos = self.c.pos;
        op.arguments.push((self.local_ref()?, pos));
        Ok(())
    }

    fn arguments(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.c.expect(b'(')?;
        let mut more = !self.c.eat(b')');
        while more {
            self.argument(op)?;
            more = self.c.more(b')')?;
        }
        Ok(())
    }

    /// Reads `(%a = %x, %b = %y)`: names, and the operands that are their initial values.
    fn initialized(&mut self, op: &mut Op<'r>) -> Result<()> {
        op.counters = op.arguments.len();
        self.c.expect(b'(')?;
        let mut more = !self.c.eat(b')');
        while more {
            self.argument(op)?;
            self.c.expect(b'=')?;
            self.operand(op)?;
            more = self.c.more(b')')?;
        }
        Ok(())
    }

    // Affine maps and their operands.

    /// Takes a map that was read with its operands, which are at these positions.
    fn map_with(&mut self, map: Map, places: &[usize], op: &mut Op<'r>) -> Result<()> {
        let after = self.c;
        for &pos in places {
            self.c.pos = pos;
            self.operand(op)?;
        }
        self.c = after;
        op.maps.push(map);
        op.groups.push(op.refs.len());
        Ok(())
    }

    /// Reads the operands of a map or set: dimensions in parentheses, symbols in brackets.
    fn map_operands(&mut self, op: &mut Op<'r>) -> Result<()> {
        for (open, close) in [(b'(', b')'), (b'[', b']')] {
            if !self.c.eat(open) {
                continue;
            }
            let mut more = !self.c.eat(close);
            while more {
                self.operand(op)?;
                more = self.c.more(close)?;
            }
        }
        op.groups.push(op.refs.len());
        Ok(())
    }

    /// Reads a bound of a loop: a number, an operand, or a map; `word` precedes a map of which one result is selected.
    fn bound(&mut self, word: &'static str, op: &mut Op<'r>) -> Result<()> {
        let pos = self.c.pos;
        let said = self.c.eat_word(word.as_bytes());
        let map = match self.c.peek() {
            b'%' => {
                self.operand(op)?;
                Map { dims: 0, symbols: 1, results: vec![Expr::Symbol(0)] }
            }
            b'#' | b'a' => {
                let map = resolve_map(self.types, self.c)?;
                self.c.skip_attribute()?;
                let one = said || map.results.len() == 1;
                self.map_operands(op)?;
                op.groups.pop();
                self.c.refuse_if(!one, pos, "a bound by a map of several results is their `max` or `min`")?;
                map
            }
            _ => Map { dims: 0, symbols: 0, results: vec![Expr::Constant(self.integer()?)] },
        };
        op.maps.push(map);
        op.groups.push(op.refs.len());
        Ok(())
    }

    // Attributes.

    /// Reads a dictionary of attributes, if one is next.
    pub fn dictionary(&mut self, op: &mut Op<'r>) -> Result<()> {
        if self.c.peek() == b'a' && self.c.peek_word() == b"attributes" {
            self.c.bump(b"attributes".len());
        }
        if self.c.peek() != b'{' {
            return Ok(());
        }
        let mut value = self.c;
        if self.c.skip_alignment() {
            value.pos += b"{alignment = ".len();
            op.attribute(b"alignment", &value);
            self.c.ws();
            return Ok(());
        }
        super::attributes::dictionary(&mut self.c, &mut op.attrs)
    }

    /// Reads a dictionary, or the alias of one.
    fn named_dictionary(&mut self, op: &mut Op<'r>) -> Result<()> {
        if self.c.peek() != b'#' {
            return self.dictionary(op);
        }
        let mut there: Cursor<'r> = self.types.resolve(self.c);
        self.c.skip_untyped()?;
        super::attributes::dictionary(&mut there, &mut op.attrs)
    }

    /// Reads words with their values in angle brackets, and words that are alone before an operand's type.
    fn flags(&mut self, op: &mut Op<'r>) -> Result<()> {
        while self.c.peek().is_ascii_lowercase() {
            let word = self.c.peek_word();
            let mut next = self.c;
            next.bump(word.len());
            if next.peek() != b'<' {
                break;
            }
            op.attribute(word, &next);
            next.skip_group()?;
            self.c = next;
        }
        Ok(())
    }

    // Blocks and regions.

    /// Reads a successor: a block, and its arguments with their types in parentheses.
    pub fn successor(&mut self, op: &mut Op<'r>) -> Result<()> {
        let (id, pos) = self.block_name()?;
        let (first, from) = (op.refs.len(), op.types.len());
        if self.c.eat(b'(') {
            self.operands(op)?;
            if op.refs.len() > first {
                self.c.expect(b':')?;
            }
            for k in first..op.refs.len() {
                if k > first {
                    self.c.expect(b',')?;
                }
                let ty = self.ty()?;
                op.types.push(ty);
            }
            self.c.expect(b')')?;
        }
        let (args, types) = ((first, op.refs.len()), (from, op.types.len()));
        op.successors.push(Successor { id, pos, args, types, block: None });
        Ok(())
    }

    /// Moves over a region, and records its position.
    pub fn region(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.c.unexpected_if(self.c.peek() != b'{', self.c.pos, "`{`")?;
        op.regions.push(self.c.pos);
        self.names.braces.skip_region(&mut self.c)
    }

    // The generic form.

    /// Reads what follows an operation's name in quotes.
    pub fn generic(&mut self, op: &mut Op<'r>) -> Result<()> {
        op.generic = true;
        self.bracketed(op)?;
        if self.c.eat(b'[') {
            let mut more = !self.c.eat(b']');
            while more {
                let (id, pos) = self.block_name()?;
                op.successors.push(Successor { id, pos, args: (0, 0), types: (0, 0), block: None });
                more = self.c.more(b']')?;
            }
        }
        if self.c.peek() == b'<' && self.c.ahead(1) == b'{' {
            self.c.pos += 1;
            self.dictionary(op)?;
            self.c.expect(b'>')?;
        }
        if self.c.eat(b'(') {
            let mut more = !self.c.eat(b')');
            while more {
                self.region(op)?;
                more = self.c.more(b')')?;
            }
        }
        self.dictionary(op)?;
        self.c.expect(b':')?;
        let pos = self.c.pos;
        self.types.list(self.llvm, &mut self.c, &mut op.inputs)?;
        self.c.expect_arrow()?;
        self.types.results(self.llvm, &mut self.c, &mut op.results)?;
        self.c.refuse_if(op.inputs.len() != op.refs.len(), pos, "there are not as many types as operands")
    }
}
