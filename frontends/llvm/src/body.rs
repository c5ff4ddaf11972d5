//! Reading a function's body: locals, blocks, phis, and the walk over its lines.

use std::ops::Range;

use gusset_codegen::ir::{Block, ConstData, Edge, Function, FunctionBuilder, SymbolId, Type, Value};

use crate::attributes::{FnAttrs, parse_convention, parse_param};
use crate::error::{ReadError, Result};
use crate::lexer::{Cursor, Name};
use crate::module::{ParsedModule, Tables};
use crate::names::NameTable;
use crate::signatures::{Request, SigCache};
use crate::types::{LABEL, Leaf, MAX_SCALARS, PTR, TypeId, TypeTable, VOID};

/// A function body that has not been read yet.
#[derive(Clone, Debug)]
pub struct Body {
    /// The function's symbol in the module.
    pub symbol: SymbolId,
    /// Bytes of the source from behind `define` to the closing brace.
    pub range: Range<usize>,
    pub(crate) attrs: FnAttrs,
}

/// What a value of the text is in the IR: a value if its type is a scalar or vector, otherwise the start of a run in the
/// table of aggregates.
pub(crate) type Val = u32;

/// A local name: the number of `%12`, or the number of the name `%x` with [`NAMED`] set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalRef(u32);

const NAMED: u32 = 1 << 31;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    /// Used before its definition: a stand-in exists.
    Forward,
    Defined,
    Block,
}

#[derive(Clone, Copy)]
struct Local {
    ty: TypeId,
    val: Val,
    state: State,
}

const UNSEEN: Local = Local { ty: VOID, val: 0, state: State::Unseen };

/// A phi of several incoming values.
struct Phi {
    block: Block,
    /// Position of its first parameter.
    param: u32,
    ty: TypeId,
    entries: Range<usize>,
    pos: usize,
}

struct PhiEntry {
    from: Block,
    /// A value, or a local that is not defined yet.
    val: std::result::Result<Val, LocalRef>,
    pos: usize,
}

/// Tables of a body, used again for the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    numbered: Vec<Local>,
    named: Vec<Local>,
    names: NameTable,
    pub aggregates: Vec<Value>,
    forward: Vec<(LocalRef, usize)>,
    /// Where each block was first mentioned.
    block_pos: Vec<usize>,
    /// The block of the text that each edge leaves; parallel to the function's edges.
    edge_from: Vec<Block>,
    phis: Vec<Phi>,
    entries: Vec<PhiEntry>,
    /// Blocks with phis of one incoming value.
    single: Vec<(Block, Block, usize)>,
    marks: Vec<(u32, u32)>,
    incoming: Vec<u32>,
    incoming_start: Vec<u32>,
    pub leaves: Vec<Leaf>,
    pub args: Vec<Value>,
    pub request: Request,
    /// The signature of a call that the reader makes itself.
    pub own_request: Request,
    pub vals: Vec<Val>,
    pub cases: Vec<(Value, Edge)>,
    pub edges: Vec<Edge>,
    pub words: Vec<u32>,
    pub numbers: Vec<u128>,
}

/// Reads bodies, one after the other, into functions. Every thread has its own.
pub struct BodyReader<'p> {
    tables: &'p Tables<'p>,
    types: TypeTable,
    scratch: Scratch,
    sigs: SigCache,
}

impl<'p> BodyReader<'p> {
    /// A reader of the bodies of `module`.
    pub fn new(module: &'p ParsedModule<'_>) -> BodyReader<'p> {
        BodyReader::over(&module.tables)
    }

    pub(crate) fn over(tables: &'p Tables<'p>) -> BodyReader<'p> {
        BodyReader {
            tables,
            types: tables.types.clone(),
            scratch: Scratch::default(),
            sigs: SigCache::new(tables.target),
        }
    }

    /// Reads a body into `func`, which is cleared first.
    ///
    /// # Errors
    /// The text is not LLVM IR, or has something in it that is not supported; `func` is then incomplete.
    pub fn read(&mut self, body: &Body, func: &mut Function) -> std::result::Result<(), ReadError> {
        let source = &self.tables.source[..body.range.end];
        let file = &self.tables.file;
        let mut reader = self.reader(Cursor::new(source, body.range.start), func);
        reader.function(body).map_err(|e| e.in_file(file))
    }

    /// A reader of what stands at a cursor.
    pub(crate) fn reader<'r>(&'r mut self, c: Cursor<'r>, func: &'r mut Function) -> Reader<'r> {
        func.clear();
        let s = &mut self.scratch;
        s.numbered.clear();
        s.named.clear();
        s.names.clear();
        s.aggregates.clear();
        s.forward.clear();
        s.block_pos.clear();
        s.edge_from.clear();
        s.phis.clear();
        s.entries.clear();
        s.single.clear();
        self.sigs.begin_function();
        let ptr = self.types.pointer();
        Reader {
            c,
            m: self.tables,
            b: FunctionBuilder::new(func, ptr),
            s,
            sigs: &mut self.sigs,
            ptr,
            types: &mut self.types,
            ret: VOID,
            sret: None,
            block: Block(0),
            next: 0,
            limit: (c.src.len() - c.pos.min(c.src.len())) as u32,
            frozen: true,
            depth: 0,
            aliased: false,
        }
    }
}

/// The state of reading one body.
pub(crate) struct Reader<'r> {
    pub c: Cursor<'r>,
    pub m: &'r Tables<'r>,
    pub b: FunctionBuilder<'r>,
    pub s: &'r mut Scratch,
    pub sigs: &'r mut SigCache,
    pub types: &'r mut TypeTable,
    /// The IR's type of a pointer.
    pub ptr: Type,
    /// The function's result type.
    pub ret: TypeId,
    /// Where a result goes that does not fit the registers.
    pub sret: Option<Value>,
    /// The block of the text that is being read.
    pub block: Block,
    /// The next number of an unnamed local.
    next: u32,
    /// Numbers of locals are below this: each takes a few bytes of text.
    limit: u32,
    /// No instruction may be made now: in operands of phis and initializers.
    pub frozen: bool,
    /// Nesting of the constant being read.
    pub depth: u32,
    aliased: bool,
}

impl<'r> Reader<'r> {
    // Locals.

    /// Reads a local's name; the cursor stands on `%`.
    #[inline(always)]
    pub fn local_ref(&mut self) -> Result<LocalRef> {
        self.c.pos += 1;
        let first = self.c.peek().wrapping_sub(b'0');
        if first <= 9 {
            let start = self.c.pos;
            let mut n = first as u32;
            self.c.pos += 1;
            loop {
                let d = self.c.peek().wrapping_sub(b'0');
                if d > 9 {
                    break;
                }
                n = n.saturating_mul(10).saturating_add(d as u32);
                self.c.pos += 1;
            }
            if n > self.limit || n >= NAMED {
                return Err(ReadError::new(self.c.src, start, "the number is larger than the function has locals"));
            }
            self.c.ws();
            return Ok(LocalRef(n));
        }
        let name = self.c.name()?;
        Ok(self.name_ref(name))
    }

    fn name_ref(&mut self, name: Name) -> LocalRef {
        match name {
            Name::Number(n) => LocalRef(n.min(NAMED - 1)),
            Name::Text(t) => LocalRef(self.s.names.intern(t) | NAMED),
            Name::Escaped(_) => LocalRef(self.s.names.intern(&name.bytes()) | NAMED),
        }
    }

    #[inline(always)]
    fn local(&mut self, r: LocalRef) -> &mut Local {
        let (table, i) = if r.0 & NAMED != 0 {
            (&mut self.s.named, (r.0 & !NAMED) as usize)
        } else {
            (&mut self.s.numbered, r.0 as usize)
        };
        if i >= table.len() {
            table.resize(i + 1, UNSEEN);
        }
        &mut table[i]
    }

    fn local_name(&self, r: LocalRef) -> String {
        if r.0 & NAMED == 0 {
            return format!("%{}", r.0);
        }
        format!("%{}", String::from_utf8_lossy(self.s.names.text(r.0 & !NAMED)))
    }

    /// A use of a local as a `ty`.
    #[inline(always)]
    pub fn use_local(&mut self, r: LocalRef, ty: TypeId, pos: usize) -> Result<Val> {
        let l = *self.local(r);
        match l.state {
            State::Defined | State::Forward if l.ty == ty => Ok(l.val),
            State::Unseen => self.forward(r, ty, pos),
            _ => Err(self.wrong_type(r, pos)),
        }
    }

    #[cold]
    fn wrong_type(&mut self, r: LocalRef, pos: usize) -> ReadError {
        let name = self.local_name(r);
        let what = match self.local(r).state {
            State::Block => "is a block, not a value",
            _ => "is a value of another type",
        };
        ReadError::new(self.c.src, pos, format!("`{name}` {what}"))
    }

    /// A stand-in for a local that is defined later.
    #[cold]
    fn forward(&mut self, r: LocalRef, ty: TypeId, pos: usize) -> Result<Val> {
        let ir = self.types.ir(ty);
        let val = if ir != Type::VOID {
            self.b.poison(ir).0
        } else {
            self.check_aggregate(ty, pos)?;
            self.each_leaf(ty, |r, leaf| r.b.poison(leaf.ir))
        };
        *self.local(r) = Local { ty, val, state: State::Forward };
        self.s.forward.push((r, pos));
        Ok(val)
    }

    /// Makes one value for every scalar of an aggregate type.
    pub fn each_leaf(&mut self, ty: TypeId, mut f: impl FnMut(&mut Self, Leaf) -> Value) -> Val {
        let mut leaves = std::mem::take(&mut self.s.leaves);
        leaves.clear();
        self.types.flatten(ty, 0, &mut leaves);
        let start = self.s.aggregates.len();
        self.s.aggregates.resize(start + leaves.len(), Value(0));
        for (i, leaf) in leaves.iter().enumerate() {
            self.s.aggregates[start + i] = f(self, *leaf);
        }
        self.s.leaves = leaves;
        start as Val
    }

    /// An error unless `ty` is a first-class aggregate of bounded size.
    pub fn check_aggregate(&self, ty: TypeId, pos: usize) -> Result<()> {
        if !self.types.is_sized(ty) {
            return Err(ReadError::new(self.c.src, pos, "a value of this type is not possible here"));
        }
        if self.types.get(ty).scalars > MAX_SCALARS {
            let m = format!("values of more than {MAX_SCALARS} scalars are not supported");
            return Err(ReadError::new(self.c.src, pos, m));
        }
        Ok(())
    }

    /// Number of scalars of a type.
    pub fn scalars(&self, ty: TypeId) -> usize {
        self.types.get(ty).scalars as usize
    }

    /// Scalar `i` of a value.
    #[inline]
    pub fn part(&self, ty: TypeId, val: Val, i: usize) -> Value {
        if self.types.ir(ty) != Type::VOID { Value(val) } else { self.s.aggregates[val as usize + i] }
    }

    /// Gives a local its value; without a name it gets the next number.
    #[inline(always)]
    fn define(&mut self, r: Option<LocalRef>, ty: TypeId, val: Val, pos: usize) -> Result<()> {
        let r = match r {
            Some(r) if r.0 & NAMED != 0 => r,
            Some(r) => {
                if r.0 < self.next {
                    return Err(self.defined_twice(r, pos));
                }
                self.next = r.0 + 1;
                r
            }
            None => {
                self.next += 1;
                LocalRef(self.next - 1)
            }
        };
        let old = *self.local(r);
        if old.state != State::Unseen {
            self.meet(r, old, ty, val, pos)?;
        }
        *self.local(r) = Local { ty, val, state: State::Defined };
        Ok(())
    }

    #[cold]
    fn defined_twice(&mut self, r: LocalRef, pos: usize) -> ReadError {
        let name = self.local_name(r);
        ReadError::new(self.c.src, pos, format!("`{name}` is defined twice, or its number is out of order"))
    }

    /// A stand-in meets its definition.
    #[cold]
    fn meet(&mut self, r: LocalRef, old: Local, ty: TypeId, val: Val, pos: usize) -> Result<()> {
        if old.state != State::Forward {
            return Err(self.defined_twice(r, pos));
        }
        if old.ty != ty {
            let name = self.local_name(r);
            let at = self.s.forward.iter().find(|f| f.0 == r).map_or(pos, |f| f.1);
            return Err(ReadError::new(self.c.src, at, format!("`{name}` is a value of another type")));
        }
        for i in 0..self.scalars(ty) {
            let (stand_in, value) = (self.part(ty, old.val, i), self.part(ty, val, i));
            // Phis that feed only each other, in unreachable code, leave the stand-in itself: any value.
            if self.b.func.resolve(value) != stand_in {
                self.b.func.alias(stand_in, value);
                self.aliased = true;
            }
        }
        Ok(())
    }

    // Blocks.

    /// Reads the name of a block; the cursor stands on `%`.
    pub fn block_ref(&mut self) -> Result<Block> {
        let pos = self.c.pos;
        if self.c.peek() != b'%' {
            return Err(self.c.expected("a block's name"));
        }
        let r = self.local_ref()?;
        self.block_of(r, pos)
    }

    fn block_of(&mut self, r: LocalRef, pos: usize) -> Result<Block> {
        let l = *self.local(r);
        match l.state {
            State::Block => Ok(Block(l.val)),
            State::Unseen => {
                let block = self.new_block(pos);
                *self.local(r) = Local { ty: LABEL, val: block.0, state: State::Block };
                Ok(block)
            }
            _ => {
                let name = self.local_name(r);
                Err(ReadError::new(self.c.src, pos, format!("`{name}` is a value, not a block")))
            }
        }
    }

    /// A new block, first mentioned at `pos`.
    pub fn new_block(&mut self, pos: usize) -> Block {
        self.s.block_pos.push(pos);
        self.b.create_block()
    }

    /// Reads `label %name`.
    pub fn label(&mut self) -> Result<Block> {
        self.c.expect_word("label")?;
        self.block_ref()
    }

    /// An edge to a block from the one being read.
    #[inline]
    pub fn edge(&mut self, to: Block) -> Edge {
        self.s.edge_from.push(self.block);
        self.b.func.make_edge(to)
    }

    fn start_block(&mut self, r: LocalRef, pos: usize) -> Result<()> {
        if self.b.current_block().is_some() {
            return Err(ReadError::new(self.c.src, pos, "the block before this one has no terminator"));
        }
        if r.0 & NAMED == 0 {
            if r.0 < self.next {
                return Err(self.defined_twice(r, pos));
            }
            self.next = r.0 + 1;
        }
        let block = self.block_of(r, pos)?;
        if self.b.func.blocks[block.index()].first != u32::MAX {
            return Err(self.defined_twice(r, pos));
        }
        self.b.switch_to(block);
        self.block = block;
        Ok(())
    }

    // The function.

    fn function(&mut self, body: &Body) -> Result<()> {
        self.frozen = false;
        self.header(body)?;
        self.c.expect(b'{')?;
        let mut first = true;
        loop {
            let pos = self.c.pos;
            let b = self.c.peek();
            if b == b'%' {
                self.open_block(&mut first, pos)?;
                let r = self.local_ref()?;
                self.c.expect(b'=')?;
                let (key, len) = self.c.peek_key();
                let (ty, val) = self.instruction(key, len)?;
                self.c.skip_attachments()?;
                if ty == VOID {
                    return Err(ReadError::new(self.c.src, pos, "this instruction has no result to be named"));
                }
                self.define(Some(r), ty, val, pos)?;
            } else if b.is_ascii_lowercase() {
                let (key, len) = self.c.peek_key();
                if self.c.ahead(len) == b':' {
                    self.define_label(&mut first)?;
                    continue;
                }
                if b == b'u' && self.c.starts_with(b"uselistorder") {
                    self.c.skip_line();
                    self.c.ws();
                    continue;
                }
                self.open_block(&mut first, pos)?;
                let (ty, val) = self.instruction(key, len)?;
                self.c.skip_attachments()?;
                if ty != VOID {
                    self.define(None, ty, val, pos)?;
                }
            } else if b == b'}' {
                self.c.pos += 1;
                break;
            } else if b == b'#' && self.c.starts_with(b"#dbg_") {
                self.c.pos += 1;
                let len = self.c.word_len();
                self.c.bump(len);
                self.c.skip_group()?;
            } else if b == 0 && self.c.at_end() {
                return Err(self.c.expected("`}`"));
            } else {
                self.define_label(&mut first)?;
            }
        }
        if self.b.current_block().is_some() || first {
            return Err(ReadError::new(self.c.src, self.c.pos - 1, "the last block has no terminator"));
        }
        self.finish(body)
    }

    /// The entry block exists from the start; its label, if any, comes first. Elsewhere a block without a label takes the
    /// next number.
    #[inline(always)]
    fn open_block(&mut self, first: &mut bool, pos: usize) -> Result<()> {
        if *first {
            *first = false;
            let r = LocalRef(self.next);
            self.next += 1;
            *self.local(r) = Local { ty: LABEL, val: self.block.0, state: State::Block };
        } else if self.b.current_block().is_none() {
            self.start_block(LocalRef(self.next), pos)?;
        }
        Ok(())
    }

    fn define_label(&mut self, first: &mut bool) -> Result<()> {
        let pos = self.c.pos;
        let b = self.c.peek();
        let r = if b.is_ascii_digit() && self.c.word_len() == self.digits() {
            let n = self.c.number32()?;
            if n > self.limit || n >= NAMED {
                return Err(ReadError::new(self.c.src, pos, "the number is larger than the function has locals"));
            }
            LocalRef(n)
        } else if b == b'"' {
            let name = self.c.name()?;
            self.name_ref(name)
        } else {
            let word = self.c.peek_word();
            if word.is_empty() {
                return Err(self.c.expected("an instruction"));
            }
            self.c.bump(word.len());
            self.name_ref(Name::Text(word))
        };
        if self.c.peek() != b':' {
            return Err(ReadError::expected(self.c.src, pos, "an instruction or a label"));
        }
        self.c.bump(1);
        if !*first {
            return self.start_block(r, pos);
        }
        *first = false;
        if r.0 & NAMED == 0 {
            if r.0 < self.next {
                return Err(self.defined_twice(r, pos));
            }
            self.next = r.0 + 1;
        }
        if self.local(r).state != State::Unseen {
            return Err(self.defined_twice(r, pos));
        }
        *self.local(r) = Local { ty: LABEL, val: self.block.0, state: State::Block };
        Ok(())
    }

    fn digits(&self) -> usize {
        let rest = &self.c.src[self.c.pos..];
        rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len())
    }

    /// Reads the header from behind `define`: the module knows the name and what follows the parameters already.
    fn header(&mut self, body: &Body) -> Result<()> {
        let start = self.c.pos;
        self.skip_properties()?;
        let convention = parse_convention(&mut self.c)?;
        let ret_attrs = parse_param(&mut self.c, self.types)?;
        let pos = self.c.pos;
        self.ret = self.types.parse(&mut self.c)?;
        if self.ret != VOID {
            self.check_aggregate(self.ret, pos)?;
        }
        if self.c.peek() != b'@' {
            return Err(self.c.expected("the function's name"));
        }
        self.c.pos += 1;
        self.c.name()?;
        self.c.expect(b'(')?;
        let mut request = std::mem::take(&mut self.s.request);
        request.clear(convention, self.ret, ret_attrs);
        let mut names: Vec<(Option<LocalRef>, usize)> = Vec::new();
        if !self.c.eat(b')') {
            loop {
                let pos = self.c.pos;
                if self.c.starts_with(b"...") {
                    self.c.bump(3);
                    request.variadic = Some(request.params.len());
                    break;
                }
                let ty = self.types.parse(&mut self.c)?;
                self.check_aggregate(ty, pos)?;
                let attrs = parse_param(&mut self.c, self.types)?;
                request.params.push((ty, attrs));
                let name = if self.c.peek() == b'%' { Some(self.local_ref()?) } else { None };
                names.push((name, pos));
                if !self.c.eat(b',') {
                    break;
                }
            }
            self.c.expect(b')')?;
        }
        let known = self.sigs.import(&request, self.types, self.b.func);
        let known = known.map_err(|m| ReadError::new(self.c.src, start, m))?;
        let data = self.b.func.sigs[known.sig.index()].clone();
        self.block = self.b.begin(body.symbol, data);
        self.s.block_pos.push(start);
        let mut at = 0;
        if known.demoted {
            self.sret = Some(self.b.func.params(self.block)[0]);
            at = 1;
        }
        for (i, (name, pos)) in names.into_iter().enumerate() {
            let ty = request.params[i].0;
            let n = self.scalars(ty);
            let val = if self.types.ir(ty) != Type::VOID {
                self.b.func.params(self.block)[at].0
            } else {
                let start = self.s.aggregates.len();
                self.s.aggregates.extend_from_slice(&self.b.func.params(self.block)[at..at + n]);
                start as Val
            };
            at += n;
            self.define(name, ty, val, pos)?;
        }
        self.s.request = request;
        self.b.func.attrs = self.m.function_attrs(body.attrs);
        self.skip_header_end()
    }

    /// Linkage, visibility and so on in front of a function's type.
    fn skip_properties(&mut self) -> Result<()> {
        crate::module::Properties::parse(&mut self.c).map(drop)
    }

    /// Moves over what stands between the parameters and the brace; its meaning was taken with the module.
    fn skip_header_end(&mut self) -> Result<()> {
        while self.c.peek() != b'{' {
            match self.c.peek() {
                b'!' => self.c.skip_attachment()?,
                b'"' => drop(self.c.string()?),
                b'(' | b'[' | b'<' => self.c.skip_group()?,
                0 if self.c.at_end() => return Err(self.c.expected("`{`")),
                _ => {
                    let len = self.c.word_len().max(1);
                    // The constants behind these may have braces of their own.
                    if matches!(&self.c.src[self.c.pos..self.c.pos + len], b"prefix" | b"prologue") {
                        return Err(self.c.error("prefix and prologue data are not supported yet"));
                    }
                    self.c.bump(len);
                }
            }
        }
        Ok(())
    }

    // Phis.

    /// Reads a phi behind its keyword.
    pub fn phi(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        crate::attributes::skip_fast_math(&mut self.c);
        let ty = self.types.parse(&mut self.c)?;
        let ir = self.types.ir(ty);
        if ir == Type::VOID {
            self.check_aggregate(ty, pos)?;
        }
        if self.b.func.blocks[self.block.index()].first as usize != self.b.func.insts.len() {
            return Err(ReadError::new(self.c.src, pos, "a phi stands behind other instructions"));
        }
        let first = self.s.entries.len();
        loop {
            self.c.expect(b'[')?;
            let pos = self.c.pos;
            let val = if self.c.peek() == b'%' {
                let r = self.local_ref()?;
                let l = *self.local(r);
                match l.state {
                    State::Defined if l.ty == ty => Ok(l.val),
                    State::Defined | State::Block => return Err(self.wrong_type(r, pos)),
                    _ => Err(r),
                }
            } else {
                self.frozen = true;
                let val = self.value(ty);
                self.frozen = false;
                Ok(val?)
            };
            self.c.expect(b',')?;
            let from = self.block_ref()?;
            self.c.expect(b']')?;
            self.s.entries.push(PhiEntry { from, val, pos });
            let mut next = self.c;
            if !next.eat(b',') || next.peek() != b'[' {
                break;
            }
            self.c = next;
        }
        let entries = first..self.s.entries.len();
        if entries.len() == 1
            && let Some(PhiEntry { from, val, pos }) = self.s.entries.pop()
        {
            self.s.single.push((self.block, from, pos));
            let val = match val {
                Ok(val) => val,
                Err(r) => self.use_local(r, ty, pos)?,
            };
            return Ok((ty, val));
        }
        let block = self.block;
        let param = self.b.func.params(block).len() as u32;
        let val = if ir != Type::VOID {
            self.b.func.append_param(block, ir).0
        } else {
            self.each_leaf(ty, |r, leaf| r.b.func.append_param(block, leaf.ir))
        };
        self.s.phis.push(Phi { block, param, ty, entries, pos });
        Ok((ty, val))
    }

    // The end.

    fn finish(&mut self, body: &Body) -> Result<()> {
        for (i, b) in self.b.func.blocks.iter().enumerate() {
            if b.first == u32::MAX {
                return Err(ReadError::new(self.c.src, self.s.block_pos[i], "this block is not defined"));
            }
        }
        for i in 0..self.s.forward.len() {
            let (r, pos) = self.s.forward[i];
            if self.local(r).state != State::Defined {
                let name = self.local_name(r);
                return Err(ReadError::new(self.c.src, pos, format!("`{name}` is not defined")));
            }
        }
        let entry = self.b.func.layout[0];
        if let Some(e) = self.b.func.edges.iter().position(|e| e.to == entry) {
            let from = self.s.edge_from.get(e).map_or(0, |b| b.index());
            return Err(ReadError::new(self.c.src, self.s.block_pos[from], "the entry block has a predecessor"));
        }
        if !self.s.phis.is_empty() || !self.s.single.is_empty() {
            self.fill_phis()?;
        }
        if self.aliased {
            self.b.func.resolve_operands();
        }
        if let Some(list) = self.m.block_symbols.get(&body.symbol.0) {
            for (name, symbol, pos) in list {
                let r = match name {
                    Ok(number) => LocalRef((*number).min(NAMED - 1)),
                    Err(text) => LocalRef(self.s.names.intern(text) | NAMED),
                };
                let known = if r.0 & NAMED == 0 { r.0 <= self.limit } else { true };
                match known.then(|| *self.local(r)) {
                    Some(l) if l.state == State::Block => self.b.func.block_symbols.push((Block(l.val), *symbol)),
                    _ => return Err(ReadError::new(self.m.source, *pos, "the function has no such block")),
                }
            }
        }
        Ok(())
    }

    /// Gives every edge to a block with phis its arguments. Linear in edges and incoming values.
    fn fill_phis(&mut self) -> Result<()> {
        let func = &mut *self.b.func;
        let s = &mut *self.s;
        let blocks = func.blocks.len();
        // Edges sorted by the block they lead to.
        s.incoming_start.clear();
        s.incoming_start.resize(blocks + 1, 0);
        for e in &func.edges {
            s.incoming_start[e.to.index() + 1] += 1;
        }
        for i in 0..blocks {
            s.incoming_start[i + 1] += s.incoming_start[i];
        }
        s.incoming.clear();
        s.incoming.resize(func.edges.len(), 0);
        for (e, data) in func.edges.iter().enumerate().rev() {
            // Each start moves down from the end of its range.
            let at = &mut s.incoming_start[data.to.index() + 1];
            *at -= 1;
            s.incoming[*at as usize] = e as u32;
        }
        let count = func.edges.len() as u32;
        // Now entry i + 1 is the start of block i, and the end of block i is the start of the next.
        let range = |s: &Scratch, b: Block| {
            let i = b.index();
            let end = s.incoming_start.get(i + 2).copied().unwrap_or(count);
            s.incoming_start[i + 1] as usize..end as usize
        };
        for &(block, from, pos) in &s.single {
            let r = range(s, block);
            if r.len() != 1 || s.edge_from[s.incoming[r.start] as usize] != from {
                return Err(ReadError::new(self.c.src, pos, "the phi does not match the block's predecessors"));
            }
        }
        s.marks.clear();
        s.marks.resize(blocks, (u32::MAX, 0));
        for p in 0..s.phis.len() {
            let (block, ty, pos) = (s.phis[p].block, s.phis[p].ty, s.phis[p].pos);
            let r = range(s, block);
            let entries = s.phis[p].entries.clone();
            if r.len() != entries.len() {
                let m = format!("the phi has {} values, its block {} predecessors", entries.len(), r.len());
                return Err(ReadError::new(self.c.src, pos, m));
            }
            for i in entries {
                s.marks[s.entries[i].from.index()] = (p as u32, i as u32);
            }
            let scalars = self.types.get(ty).scalars as usize;
            let single = self.types.ir(ty) != Type::VOID;
            for k in r {
                let e = s.incoming[k] as usize;
                let (phi, entry) = s.marks[s.edge_from[e].index()];
                if phi != p as u32 {
                    return Err(ReadError::new(self.c.src, pos, "the phi lacks a value for a predecessor"));
                }
                let entry = &s.entries[entry as usize];
                let val = match entry.val {
                    Ok(val) => val,
                    Err(r) => {
                        let table = if r.0 & NAMED != 0 { &s.named } else { &s.numbered };
                        let l = table[(r.0 & !NAMED) as usize];
                        if l.state != State::Defined || l.ty != ty {
                            let what = if l.state == State::Unseen { "is not defined" } else { "has another type" };
                            return Err(ReadError::new(self.c.src, entry.pos, format!("this value {what}")));
                        }
                        l.val
                    }
                };
                for i in 0..scalars {
                    let v = if single { Value(val) } else { s.aggregates[val as usize + i] };
                    func.set_edge_arg(Edge(e as u32), s.phis[p].param as usize + i, v);
                }
            }
        }
        Ok(())
    }

    // Small helpers for the other files.

    /// A value of a scalar or vector type.
    pub fn scalar(&mut self, ty: TypeId) -> Result<Value> {
        let pos = self.c.pos;
        if self.types.ir(ty) == Type::VOID {
            return Err(ReadError::new(self.c.src, pos, "a scalar or a vector must stand here"));
        }
        self.value(ty).map(Value)
    }

    /// Reads a type and a value of it, which must be a scalar or vector.
    #[inline]
    pub fn typed_scalar(&mut self) -> Result<(TypeId, Value)> {
        let ty = self.types.parse(&mut self.c)?;
        let v = self.scalar(ty)?;
        Ok((ty, v))
    }

    /// Reads `ptr value`.
    #[inline]
    pub fn pointer(&mut self) -> Result<Value> {
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        if ty != PTR {
            return Err(ReadError::expected(self.c.src, pos, "`ptr`"));
        }
        self.value(PTR).map(Value)
    }

    /// An error unless an instruction may be made here.
    pub fn check_unfrozen(&self, pos: usize) -> Result<()> {
        if self.frozen {
            return Err(ReadError::new(self.c.src, pos, "this constant expression is not supported here"));
        }
        Ok(())
    }

    /// `v` as an integer of pointer width: sign-extended or cut.
    pub fn at_pointer_width(&mut self, v: Value, pos: usize) -> Result<Value> {
        use gusset_codegen::ir::Opcode;
        let (from, to) = (self.b.func.value_type(v).bits(), self.ptr.bits());
        if from == to {
            return Ok(v);
        }
        if let Some(ConstData::Int(n)) = self.b.func.constant(v) {
            let n = if from < 128 { (n << (128 - from)) as i128 >> (128 - from) } else { n as i128 };
            return Ok(self.b.iconst(self.ptr, n));
        }
        self.check_unfrozen(pos)?;
        let op = if from < to { Opcode::Sext } else { Opcode::Trunc };
        Ok(self.b.convert(op, v, self.ptr))
    }
}
