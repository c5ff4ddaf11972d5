//! How operations are read: in the custom form by the rows' language, in the generic form, and what types their operands have.

use gusset_lower::{Events, I1, Kind as LlvmKind, PTR, VOID, Val};
use gusset_text::{Placed, ReadError, Result};

use crate::lexer::{Cursor, Tokens};
use crate::op::{LocalRef, Mixed, Op, Successor, Value, slot_of};
use crate::reader::Reader;
use crate::rows::{Class, Shape, Token, Want, Wanted};
use crate::types::{DYNAMIC, INDEX, Kind, Ty};
use crate::what::{Llvm, What};

/// Does the operation put a value together of others?
fn assembles(what: What) -> bool {
    matches!(what, What::Llvm(Llvm::InsertValue))
}

/// How many regions operations have. Others have none, or any number.
const REGIONS: [(&str, usize); 12] = [
    ("affine.for", 1),
    ("affine.if", 2),
    ("affine.parallel", 1),
    ("memref.alloca_scope", 1),
    ("memref.generic_atomic_rmw", 1),
    ("scf.execute_region", 1),
    ("scf.for", 1),
    ("scf.forall", 1),
    ("scf.if", 2),
    ("scf.parallel", 1),
    ("scf.while", 2),
    ("vector.mask", 1),
];

impl<'r, E: Events> Reader<'r, E> {
    /// Reads a region's operations up to its closing brace, which is taken. `entry`: the values of its first block.
    pub fn operations(&mut self, entry: &[Value]) -> Result<()> {
        if self.survey.is_some() {
            return self.survey_operations(entry);
        }
        let mut first = true;
        loop {
            match self.c.peek() {
                b'^' => {
                    self.start_block(first.then_some(entry))?;
                }
                b'}' => {
                    self.c.bump(1);
                    return Ok(());
                }
                0 if self.c.at_end() => return Err(self.c.expected("`}`")),
                _ => self.operation()?,
            }
            first = false;
        }
    }

    /// Reads an operation.
    pub fn operation(&mut self) -> Result<()> {
        let start = self.c.pos;
        let mut names = std::mem::take(&mut self.defined);
        names.clear();
        if self.c.peek() == b'%' {
            self.result_names(&mut names)?;
        }
        let constants = E::CARRIES && self.initializing;
        let over = self.l.current_block().is_none() && !constants || self.ended.is_some();
        self.c.refuse_if(over, start, "an operation stands behind a terminator")?;
        let mut op = self.ops.pop().unwrap_or_default();
        op.clear();
        let first = if E::CARRIES { self.l.instructions() } else { 0 };
        self.read(&mut op)?;
        if E::CARRIES {
            self.carry_notes(&op, first)?;
        } else {
            self.c.skip_location()?;
        }
        if let (&[(r, 1)], &[v]) = (&names[..], &op.values[..]) {
            self.ops.push(op);
            self.defined = names;
            return self.define(r, v, start);
        }
        let total: usize = names.iter().map(|n| n.1 as usize).sum();
        if total != op.values.len() && !names.is_empty() {
            let m = format!("the operation has {} results, not {total}", op.values.len());
            return Err(self.c.error_at(start, m));
        }
        let mut at = 0;
        for &(r, count) in &names {
            let values = &op.values[at..at + count as usize];
            match values {
                &[v] if count == 1 => self.define(r, v, start)?,
                _ => self.define_group(r.name, values, start)?,
            }
            at += count as usize;
        }
        self.ops.push(op);
        self.defined = names;
        Ok(())
    }

    /// Reads the names of results, and how many each stands for, up to the operation's name.
    #[inline]
    pub fn result_names(&mut self, names: &mut Vec<(LocalRef, u32)>) -> Result<()> {
        loop {
            let r = self.local_ref()?;
            let count = if self.c.eat(b':') { self.c.number32()? } else { 1 };
            names.push((r, count));
            if !self.c.eat(b',') {
                return self.c.expect(b'=');
            }
        }
    }

    /// What the operation gave that was read last.
    pub fn last_results(&self) -> &[Value] {
        self.ops.last().map_or(&[], |op| &op.values)
    }

    /// Reads an operation behind the names of its results, and converts it.
    fn read(&mut self, op: &mut Op<'r>) -> Result<()> {
        op.pos = self.c.pos;
        if E::CARRIES && self.m.only.is_some() && self.keeps(op)? {
            return Ok(());
        }
        if self.c.peek() == b'"' {
            let name = self.c.quoted()?;
            let shape = self.shape(name).or_else(|| self.formerly(name)).ok_or_else(|| self.unknown(name, op.pos))?;
            (op.name, op.text, op.rule) = (shape.row.name, name, shape.results.as_deref());
            self.assembles = assembles(shape.row.make);
            self.generic(op)?;
            self.type_generic(shape, op)?;
            self.check_classes(shape, op)?;
            self.regions_are(shape, op)?;
            (self.convert)(self, shape.row.make, op)?;
            self.c.pos = op.end;
            return self.results_are(op);
        }
        let m = self.m;
        let (word, mut shape) = match self.c.peek_to_blank().and_then(|word| Some((word, m.rows.find(word)?))) {
            Some(known) => known,
            None => self.other_word(op.pos)?,
        };
        self.c.bump(word.len());
        (op.name, op.text, op.rule) = (shape.row.name, word, shape.results.as_deref());
        self.assembles = assembles(shape.row.make);
        if shape.row.form != "..." {
            let behind = self.c;
            if let Err(error) = self.custom(&shape.form, op) {
                shape = self.older_form(op, behind, error)?;
            }
            self.type_custom(shape, op)?;
            self.check_classes(shape, op)?;
        }
        (self.convert)(self, shape.row.make, op)
    }

    /// An error unless an operation in the generic form has as many regions as its custom form reads.
    fn regions_are(&self, shape: &Shape<What>, op: &Op<'r>) -> Result<()> {
        let own = REGIONS.iter().find(|row| row.0 == op.name).map(|row| row.1);
        let fits = match (own, shape.row.make) {
            (Some(wanted), _) => op.regions.len() == wanted,
            (None, What::Scf(_) | What::Foreign(_)) => true,
            (None, _) => op.regions.is_empty(),
        };
        self.c.refuse_if(!fits, op.pos, "the operation has not as many regions as it should have")
    }

    /// An error unless what an operation gives is of the types that its generic form says.
    fn results_are(&self, op: &Op<'r>) -> Result<()> {
        let void = |ty: &&Ty| **ty != Ty::of(VOID);
        let same = op.values.iter().map(|v| v.ty).eq(op.results.iter().filter(void).copied());
        self.c.refuse_if(!same, op.pos, "the operation has not the results that it should have")
    }

    /// An operation's name that is not followed by a blank, or is not known by itself, and its row.
    #[inline(never)]
    fn other_word(&self, pos: usize) -> Result<(&'r [u8], &'r Shape<What>)> {
        let word = self.c.peek_word();
        self.c.unexpected_if(word.is_empty(), pos, "an operation")?;
        match self.shape(word).or_else(|| self.short_named(word)) {
            Some(shape) => Ok((word, shape)),
            None => Err(self.unknown(word, pos)),
        }
    }

    /// The row of an operation whose dialect goes without saying, or that has another name now.
    pub fn short_named(&self, word: &[u8]) -> Option<&'r Shape<What>> {
        let full = format!("{}.{}", self.dialect, String::from_utf8_lossy(word));
        let m = self.m;
        m.rows.find(full.as_bytes()).or_else(|| self.formerly(word))
    }

    /// The row of an operation by the name that it once had.
    fn formerly(&self, name: &[u8]) -> Option<&'r Shape<What>> {
        let m = self.m;
        m.rows.find(crate::dialects::present_name(name)?.as_bytes())
    }

    /// Reads an operation, behind its name, in the form that it once had, if it has one; else the error is as it was.
    #[cold]
    fn older_form(&mut self, op: &mut Op<'r>, behind: Cursor<'r>, error: ReadError) -> Result<&'r Shape<What>> {
        let m = self.m;
        let Some(older) = m.older.find(op.name.as_bytes()).filter(|_| error.is_syntax()) else { return Err(error) };
        op.clear();
        op.rule = older.results.as_deref();
        self.c = behind;
        self.t.pointee = None;
        if self.custom(&older.form, op).is_err() {
            return Err(error);
        }
        if let Some(pointee) = self.t.pointee.take() {
            let ty = self.t.pointed_to(self.l.types_mut(), self.c.src, pointee)?;
            self.bind(op, b'A', ty);
        } else if matches!(op.name, "llvm.load" | "llvm.store" | "llvm.getelementptr") {
            return Err(error);
        }
        Ok(older)
    }

    /// The row of an operation. Intrinsics that have none of their own have one together.
    #[inline(always)]
    pub fn shape(&self, name: &[u8]) -> Option<&'r Shape<What>> {
        let m = self.m;
        m.rows.find(name).or_else(|| self.other_shape(name))
    }

    /// The row of an operation that has none of its own name among the known ones.
    #[inline(never)]
    fn other_shape(&self, name: &[u8]) -> Option<&'r Shape<What>> {
        let m = self.m;
        if name.starts_with(b"llvm.intr.") {
            return m.rows.find(b"llvm.intr.*");
        }
        name.contains(&b'.').then(|| m.foreign.rows().find(name)).flatten()
    }

    #[cold]
    pub fn unknown(&self, name: &[u8], pos: usize) -> gusset_text::ReadError {
        self.c.error_at(pos, crate::advice::unknown(name, ""))
    }

    // The custom form.

    /// Reads what stands behind an operation's name by its form.
    pub fn custom(&mut self, form: &[Token], op: &mut Op<'r>) -> Result<()> {
        let mut i = 0;
        while let Some(&token) = form.get(i) {
            i += 1;
            match token {
                Token::Operand(None) => self.operand(op)?,
                Token::Operand(Some(n)) => {
                    self.operand(op)?;
                    let r = op.refs.pop().unwrap_or_else(|| unreachable!("an operand was just read"));
                    let n = n as usize;
                    while op.refs.len() <= n {
                        op.refs.push(r);
                    }
                    op.refs[n] = r;
                }
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
                Token::List => self.mixed_list(op)?,
                Token::Dictionary => self.dictionary(op)?,
                Token::Flags => self.flags(op)?,
                Token::Attribute(name) => {
                    op.attrs.push((name.as_bytes(), self.c.pos));
                    self.c.skip_value()?;
                }
                Token::Untyped(name) => {
                    op.attrs.push((name.as_bytes(), self.c.pos));
                    self.c.skip_untyped()?;
                }
                Token::Keyword(name) => {
                    let pos = self.c.pos;
                    let len = self.c.word_len();
                    if self.c.peek() == b'"' {
                        self.c.quoted()?;
                    } else {
                        self.c.unexpected_if(len == 0, pos, "a word")?;
                        self.c.bump(len);
                    }
                    op.attrs.push((name.as_bytes(), pos));
                }
                Token::Symbol(name) => {
                    self.c.unexpected_if(self.c.peek() != b'@', self.c.pos, "a symbol")?;
                    op.attrs.push((name.as_bytes(), self.c.pos));
                    self.c.skip_untyped()?;
                }
                Token::Flag(word) => {
                    let pos = self.c.pos;
                    if self.c.eat_word(word.as_bytes()) {
                        op.attrs.push((word.as_bytes(), pos));
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
                        loop {
                            let ty = self.ty()?;
                            op.types.push(ty);
                            if !self.c.eat(b',') {
                                break;
                            }
                        }
                    }
                    op.slots[slot_of(letter)] = (from, op.types.len() as u32);
                }
                Token::Grouped(letter) => {
                    let from = op.types.len() as u32;
                    let types = self.t.results(self.l.types_mut(), &mut self.c)?;
                    op.types.extend(types);
                    op.slots[slot_of(letter)] = (from, op.types.len() as u32);
                }
                Token::Successor => self.read_successor(op)?,
                Token::Region => {
                    op.regions.push(self.c.pos);
                    self.c.skip_region()?;
                }
                Token::Optional(end) => {
                    let there = match form[i] {
                        Token::Sign(b) => self.c.peek() == b,
                        Token::Literal(word) => self.literal_ahead(word),
                        Token::Operand(_) => self.c.peek() == b'%' && !crate::extent::results_ahead(self.c),
                        _ => false,
                    };
                    if !there {
                        i = end as usize;
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
            }
        }
        Ok(())
    }

    /// Reads a type that may stand in parentheses by itself.
    fn grouped_type(&mut self) -> Result<Ty> {
        let mut inner = self.c;
        inner.bump(1);
        if let Ok(ty) = self.t.parse(self.l.types_mut(), &mut inner)
            && inner.eat(b')')
            && !(inner.peek() == b'-' && inner.ahead(1) == b'>')
        {
            self.c = inner;
            return Ok(ty);
        }
        self.ty()
    }

    fn literal_ahead(&self, word: &str) -> bool {
        let next = self.c.ahead(word.len());
        let wordy = word.as_bytes()[0].is_ascii_alphabetic();
        self.c.starts_with(word.as_bytes()) && !(wordy && (next.is_ascii_alphanumeric() || next == b'_'))
    }

    #[inline]
    fn literal(&mut self, word: &'static str) -> Result<()> {
        if !self.literal_ahead(word) {
            return Err(self.c.expected(&format!("`{word}`")));
        }
        self.c.bump(word.len());
        Ok(())
    }

    /// Reads an operand.
    #[inline]
    pub fn operand(&mut self, op: &mut Op<'r>) -> Result<()> {
        let pos = self.c.pos;
        let r = self.local_ref()?;
        op.refs.push((r, pos));
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

    /// Reads a list of numbers and operands in brackets.
    fn mixed_list(&mut self, op: &mut Op<'r>) -> Result<()> {
        let from = op.mixed.len();
        self.c.expect(b'[')?;
        let mut more = !self.c.eat(b']');
        while more {
            if self.c.peek() == b'%' {
                op.mixed.push(Mixed::Operand(op.refs.len()));
                self.operand(op)?;
            } else {
                let n = self.integer()?;
                op.mixed.push(Mixed::Number(n));
            }
            more = self.c.more(b']')?;
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

    /// Reads a dictionary of attributes, if one stands here.
    pub fn dictionary(&mut self, op: &mut Op<'r>) -> Result<()> {
        if self.c.peek() == b'a' && self.c.peek_word() == b"attributes" {
            self.c.bump(b"attributes".len());
        }
        if self.c.peek() != b'{' {
            return Ok(());
        }
        let start = self.c.pos;
        if self.c.skip_alignment() {
            op.attrs.push((b"alignment", start + b"{alignment = ".len()));
            self.c.ws();
            return Ok(());
        }
        self.c.bump(1);
        let mut more = !self.c.eat(b'}');
        while more {
            let name = if self.c.peek() == b'"' {
                self.c.quoted()?
            } else {
                let word = self.c.peek_word();
                self.c.unexpected_if(word.is_empty(), self.c.pos, "an attribute's name")?;
                self.c.bump(word.len());
                word
            };
            // A unit attribute has no value: what stands there is its end.
            if self.c.eat(b'=') {
                op.attrs.push((name, self.c.pos));
                self.c.skip_value()?;
            } else {
                op.attrs.push((name, self.c.pos));
            }
            more = self.c.more(b'}')?;
        }
        Ok(())
    }

    /// Reads words with their values in angle brackets, and words that stand alone before an operand's type.
    pub fn flags(&mut self, op: &mut Op<'r>) -> Result<()> {
        while self.c.peek().is_ascii_lowercase() {
            let word = self.c.peek_word();
            let mut next = self.c;
            next.bump(word.len());
            if next.peek() != b'<' {
                break;
            }
            op.attrs.push((word, next.pos));
            next.skip_group()?;
            self.c = next;
        }
        Ok(())
    }

    /// Reads a successor: a block, and its arguments with their types in parentheses.
    pub fn read_successor(&mut self, op: &mut Op<'r>) -> Result<()> {
        let (id, pos) = self.block_name()?;
        let first = op.refs.len();
        let mut types = Vec::new();
        if self.c.eat(b'(') {
            self.operands(op)?;
            if op.refs.len() > first {
                self.c.expect(b':')?;
            }
            while types.len() < op.refs.len() - first {
                if !types.is_empty() {
                    self.c.expect(b',')?;
                }
                types.push(self.ty()?);
            }
            self.c.expect(b')')?;
        }
        self.block_params(id, &types, pos)?;
        let block = self.block_info(id).block;
        op.successors.push(Successor { block, id, args: (first, op.refs.len()) });
        op.types.extend(types);
        Ok(())
    }

    // Types of operands.

    /// The operands of the custom form, by the rule.
    pub fn type_custom(&mut self, shape: &Shape<What>, op: &mut Op<'r>) -> Result<()> {
        let plain = op.successors.first().map_or(op.refs.len(), |s| s.args.0);
        if shape.fixed && plain == shape.least {
            for (k, &(want, _)) in shape.operands.iter().enumerate() {
                let ty = self.wanted(want, op)?;
                let v = self.use_as(op.refs[k], ty)?;
                op.operands.push(v);
            }
            return self.type_successors(op);
        }
        let mut wanted = shape.operands.iter();
        let mut current: Option<Wanted> = wanted.next().copied();
        let mut nth = 0;
        for k in 0..plain {
            // No operand is left for a word for any number.
            while let Some((_, true)) = current
                && plain - k <= wanted.len()
            {
                current = wanted.next().copied();
                nth = 0;
            }
            let (want, many) = current.unwrap_or((Want::Any, true));
            let remaining = wanted.len();
            let ty = match want {
                Want::Slot(letter) if many => op.slot_list(letter).get(nth).copied(),
                Want::Slot(letter) => op.slot(letter),
                _ => self.wanted(want, op)?,
            };
            let v = self.use_as(op.refs[k], ty)?;
            op.operands.push(v);
            nth += 1;
            // A word for any number goes on while there are more operands than words.
            if !many || plain - k - 1 <= remaining {
                current = wanted.next().copied();
                nth = 0;
            }
        }
        if plain < shape.least {
            return Err(self.c.error_at(op.pos, "an operand is missing"));
        }
        self.type_successors(op)
    }

    /// An error unless the types of letters are what the rule says.
    #[inline]
    fn check_classes(&self, shape: &Shape<What>, op: &Op<'r>) -> Result<()> {
        for &(letter, class) in &shape.classes {
            if let Some(ty) = op.slot(letter)
                && !self.is_of(ty, class)
            {
                let (is, wanted) = (self.type_text(ty), class.text());
                return Err(self
                    .c
                    .error_at(op.pos, format!("`{}` is not for the type `{is}`: it wants {wanted}", op.name)));
            }
        }
        Ok(())
    }

    /// Is a type, or that of its lanes, of this class?
    fn is_of(&self, ty: Ty, class: Class) -> bool {
        let (ty, kind) = match (ty.llvm(), class) {
            (Some(_), Class::Llvm) => return true,
            (Some(id), _) => match self.l.types().get(id).kind {
                LlvmKind::Vector { lane, .. } => (Ty::of(lane), Some(self.l.types().get(lane).kind)),
                kind => (ty, Some(kind)),
            },
            (None, _) => match self.t.own(ty) {
                Some(Kind::Vector { lane, .. }) if class != Class::Llvm => {
                    (*lane, lane.llvm().map(|id| self.l.types().get(id).kind))
                }
                _ => (ty, None),
            },
        };
        let own = self.t.own(ty);
        // What is not converted, or not by this crate, has an error of its own or none.
        let foreign = matches!(own, Some(Kind::Custom { .. } | Kind::Foreign { .. }));
        foreign
            || match class {
                Class::Signless => ty == INDEX || kind == Some(LlvmKind::Int),
                Class::Fixed => kind == Some(LlvmKind::Int),
                Class::Float => kind == Some(LlvmKind::Float) || matches!(own, Some(Kind::Float8(_))),
                Class::Complex => match own {
                    Some(Kind::Complex(part)) => self.is_of(*part, Class::Float),
                    _ => false,
                },
                Class::Llvm => false,
            }
    }

    /// The arguments of blocks, which the text gives types.
    pub fn type_successors(&mut self, op: &mut Op<'r>) -> Result<()> {
        for i in 0..op.successors.len() {
            let s = op.successors[i];
            for k in s.args.0..s.args.1 {
                let ty = self.param_type(s.id, k - s.args.0);
                let v = self.use_as(op.refs[k], ty)?;
                op.operands.push(v);
            }
        }
        Ok(())
    }

    /// What a word of a rule means, if it can be said.
    fn wanted(&mut self, want: Want, op: &Op<'r>) -> Result<Option<Ty>> {
        let slot = |letter: u8| op.slot(letter);
        Ok(match want {
            Want::Slot(letter) => slot(letter),
            Want::Element(letter) => slot(letter).and_then(|ty| self.t.element(self.l.types(), ty).or(Some(ty))),
            Want::Flags(letter) => match slot(letter) {
                Some(ty) => Some(self.flags_of(ty, op.pos)?),
                None => None,
            },
            Want::Index => Some(INDEX),
            Want::Bit => Some(Ty::of(I1)),
            Want::Pointer => Some(Ty::of(PTR)),
            Want::Any => None,
        })
    }

    /// `i1`, or a vector of it, in the shape of a type.
    pub fn flags_of(&mut self, ty: Ty, pos: usize) -> Result<Ty> {
        let bit = Ty::of(I1);
        match self.t.vector_of(self.l.types(), ty) {
            Some((dims, _)) => self.t.vector(self.l.types_mut(), &dims, bit).at(self.c.src, pos),
            None => match ty
                .llvm()
                .filter(|&id| E::CARRIES && matches!(self.l.types().get(id).kind, LlvmKind::Vector { .. }))
            {
                Some(id) => self.l.types_mut().as_long_as(id, I1).map(Ty::of).at(self.c.src, pos),
                None => Ok(bit),
            },
        }
    }

    /// The type of result `i`, by the rule or as the text says.
    pub fn result_type(&mut self, op: &Op<'r>, i: usize) -> Result<Ty> {
        if let Some(&ty) = op.results.get(i) {
            return Ok(ty);
        }
        let want = op.rule.and_then(|rule| rule.get(i).copied());
        let ty = match want {
            Some((Want::Slot(letter), _)) => op.slot(letter),
            Some((want, _)) => self.wanted(want, op)?,
            None => None,
        };
        ty.ok_or_else(|| self.c.error_at(op.pos, "the type of the result is not known"))
    }

    /// Gives the operation its only result.
    pub fn give(&mut self, op: &mut Op<'r>, ty: Ty, parts: &[Val]) {
        let v = self.value(ty, parts);
        op.values.push(v);
    }

    // The generic form.

    /// Reads what stands behind an operation's name in quotes.
    pub fn generic(&mut self, op: &mut Op<'r>) -> Result<()> {
        op.generic = true;
        self.c.expect(b'(')?;
        self.operands(op)?;
        self.c.expect(b')')?;
        let mut successors = Vec::new();
        if self.c.eat(b'[') {
            let mut more = !self.c.eat(b']');
            while more {
                successors.push(self.block_name()?);
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
                op.regions.push(self.c.pos);
                self.c.unexpected_if(self.c.peek() != b'{', self.c.pos, "`{`")?;
                self.c.skip_region()?;
                more = self.c.more(b')')?;
            }
        }
        self.dictionary(op)?;
        self.c.expect(b':')?;
        let pos = self.c.pos;
        let inputs = self.t.list(self.l.types_mut(), &mut self.c)?;
        self.c.expect_arrow()?;
        op.results = self.t.results(self.l.types_mut(), &mut self.c)?;
        self.c.refuse_if(inputs.len() != op.refs.len(), pos, "there are not as many types as operands")?;
        // Who carries reads it later.
        if !E::CARRIES {
            self.c.skip_location()?;
        }
        op.end = self.c.pos;
        for (k, &ty) in inputs.iter().enumerate() {
            let v = self.use_as(op.refs[k], Some(ty))?;
            op.operands.push(v);
        }
        self.generic_successors(op, &successors)
    }

    /// Divides the operands behind the first ones among the successors.
    fn generic_successors(&mut self, op: &mut Op<'r>, blocks: &[(usize, usize)]) -> Result<()> {
        if blocks.is_empty() {
            return Ok(());
        }
        let counts = match self.segments(op)? {
            Some(counts) if counts.len() >= blocks.len() => counts[counts.len() - blocks.len()..].to_vec(),
            _ if op.has("indbr_operand_segments") => {
                let counts = self.attr_ints(op, "indbr_operand_segments")?.unwrap_or_default();
                counts.into_iter().map(|n| n.max(0) as usize).collect()
            }
            _ if blocks.len() == 1 => vec![op.operands.len()],
            _ => vec![0; blocks.len()],
        };
        let counts = match self.attr_ints(op, "case_operand_segments")? {
            // A switch: the operands of the default, then those of each case.
            Some(cases) if cases.len() + 1 == blocks.len() => {
                let default = self.segments(op)?.and_then(|s| s.get(1).copied()).unwrap_or(0);
                std::iter::once(default).chain(cases.iter().map(|&n| n.max(0) as usize)).collect()
            }
            _ => counts,
        };
        let total: usize = counts.iter().sum();
        let Some(mut at) = op.operands.len().checked_sub(total) else {
            return Err(self.c.error_at(op.pos, "the operation has too few operands for its blocks"));
        };
        for (&(id, pos), &n) in blocks.iter().zip(&counts) {
            let types: Vec<Ty> = op.operands[at..at + n].iter().map(|v| v.ty).collect();
            self.block_params(id, &types, pos)?;
            let block = self.block_info(id).block;
            op.successors.push(Successor { block, id, args: (at, at + n) });
            at += n;
        }
        Ok(())
    }

    /// The numbers of operands in each group.
    pub fn segments(&mut self, op: &Op<'r>) -> Result<Option<Vec<usize>>> {
        let name = if op.has("operandSegmentSizes") { "operandSegmentSizes" } else { "operand_segment_sizes" };
        let sizes = self.attr_ints(op, name)?;
        Ok(sizes.map(|sizes| sizes.into_iter().map(|n| usize::try_from(n).unwrap_or(0)).collect()))
    }

    /// Binds the letters of the rule to the operands' types, and checks what the rule says of them.
    fn type_generic(&mut self, shape: &Shape<What>, op: &mut Op<'r>) -> Result<()> {
        if let Some(sizes) = self.segments(op)? {
            let mut end = 0;
            for n in sizes {
                end = usize::min(end + n, op.operands.len());
                op.groups.push(end);
            }
        }
        let plain = op.successors.first().map_or(op.operands.len(), |s| s.args.0);
        let (least, most) = (shape.operands.iter().filter(|w| !w.1).count(), shape.operands.iter().any(|w| w.1));
        let fits = plain >= least && (most || plain == least);
        let listed = shape.row.form == "...";
        self.c.refuse_if(!fits && !listed, op.pos, "the operation has not the operands that it should have")?;
        if listed {
            return Ok(());
        }
        let many = plain - least;
        let words: Vec<Want> = shape
            .operands
            .iter()
            .flat_map(|&(want, list)| std::iter::repeat_n(want, if list { many } else { 1 }))
            .collect();
        if let Some(results) = &shape.results {
            for (i, &(want, _)) in results.iter().enumerate() {
                if let (Want::Slot(letter), Some(&ty)) = (want, op.results.get(i)) {
                    self.bind(op, letter, ty);
                }
            }
        }
        for (k, &want) in words.iter().enumerate() {
            if let Want::Slot(letter) = want {
                let ty = op.operands[k].ty;
                if shape.operands.iter().all(|&(w, list)| !list || w != want) {
                    self.bind(op, letter, ty);
                }
            }
        }
        for (k, &want) in words.iter().enumerate() {
            let list = shape.operands.iter().any(|&(w, list)| list && w == want);
            if list && matches!(want, Want::Slot(_)) {
                continue;
            }
            let ty = self.wanted(want, op)?;
            if let Some(ty) = ty.filter(|&ty| ty != op.operands[k].ty) {
                return Err(self.wrong_type(op.refs[k], op.operands[k].ty, ty));
            }
        }
        if let Some(results) = &shape.results {
            let fits = results.len() == op.results.len() || results.iter().any(|r| r.1);
            self.c.refuse_if(!fits, op.pos, "the operation has not the results that it should have")?;
            for (i, &(want, many)) in results.iter().enumerate() {
                let ty = self.wanted(want, op)?;
                if !many && ty.is_some_and(|ty| Some(&ty) != op.results.get(i)) {
                    return Err(self.c.error_at(op.pos, "the result should have another type"));
                }
            }
        }
        // Numbers of the text among the operands.
        self.generic_lists(op)
    }

    fn bind(&mut self, op: &mut Op<'r>, letter: u8, ty: Ty) {
        let slot = &mut op.slots[slot_of(letter)];
        if slot.0 == slot.1 {
            *slot = (op.types.len() as u32, op.types.len() as u32 + 1);
            op.types.push(ty);
        }
    }

    /// Lists of numbers and operands: the numbers are an attribute, in which a place for an operand has a number of its own.
    fn generic_lists(&mut self, op: &mut Op<'r>) -> Result<()> {
        let lists: &[&str] = match op.name {
            "memref.subview" | "memref.reinterpret_cast" => &["static_offsets", "static_sizes", "static_strides"],
            "memref.expand_shape" => &["static_output_shape"],
            "vector.extract" | "vector.insert" => &["static_position"],
            "llvm.getelementptr" => &["rawConstantIndices"],
            _ => return Ok(()),
        };
        // The operands of lists follow the others, list by list.
        let mut next = match op.name {
            "vector.insert" => 2,
            _ => 1,
        };
        for name in lists {
            let from = op.mixed.len();
            let place = if op.name == "llvm.getelementptr" { i64::from(i32::MIN) } else { DYNAMIC };
            let Some(numbers) = self.attr_ints(op, name)? else {
                return Err(self.c.error_at(op.pos, format!("the attribute `{name}` is missing")));
            };
            for n in numbers {
                if n == place {
                    self.c.refuse_if(next >= op.operands.len(), op.pos, "an operand is missing")?;
                    op.mixed.push(Mixed::Operand(next));
                    next += 1;
                } else {
                    op.mixed.push(Mixed::Number(n));
                }
            }
            op.lists.push((from, op.mixed.len()));
        }
        Ok(())
    }
}
