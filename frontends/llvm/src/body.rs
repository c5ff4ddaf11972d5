//! Reading a function's body: locals, blocks, phis, and the walk over its lines.

use std::collections::HashMap;
use std::ops::Range;

use gusset_abi::{Convention, Role};
use gusset_codegen::ir::{Block, ConstData, Edge, Function, FunctionBuilder, Slot, SlotKind, SymbolId, Type, Value};

use crate::attributes::{FnAttrs, Values, parse_convention, parse_param};
use crate::blocks::Preallocated;
use crate::error::{ReadError, Result};
use crate::lexer::{Cursor, Name};
use crate::locals::{Local, LocalRef, NAMED, State};
use crate::module::{ParsedModule, Tables};
use crate::names::NameTable;
use crate::notes::Notes;
use crate::phis::{Phi, PhiEntry};
use crate::profile::Profiler;
use crate::signatures::{Request, SigCache};
use crate::types::{Kind, LABEL, Leaf, PTR, TypeId, TypeTable, VOID};

/// A function body that has not been read yet.
#[derive(Clone, Debug)]
pub struct Body {
    /// The function's symbol in the module.
    pub symbol: SymbolId,
    /// Bytes of the source from behind `define` to the closing brace.
    pub range: Range<usize>,
    pub(crate) attrs: FnAttrs,
    pub(crate) values: Option<Box<Values>>,
}

/// What a value of the text is in the IR: a value if its type is a scalar or vector, otherwise the start of a run in the
/// table of aggregates.
pub(crate) type Val = u32;

/// Bytes of a body's text from which on its tables are not kept.
const LARGE: usize = 8 << 20;

/// Tables of a body, used again for the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Bytes of the body's text.
    bytes: usize,
    pub numbered: Vec<Local>,
    pub named: Vec<Local>,
    pub names: NameTable,
    pub aggregates: Vec<Value>,
    pub forward: Vec<(LocalRef, usize)>,
    /// Where each block was first mentioned.
    pub block_pos: Vec<usize>,
    /// The block of the text that each edge leaves; parallel to the function's edges.
    pub edge_from: Vec<Block>,
    pub phis: Vec<Phi>,
    pub entries: Vec<PhiEntry>,
    /// Blocks with phis of one incoming value.
    pub single: Vec<(Block, Block, usize)>,
    /// Blocks that define what others use, with those.
    pub far_uses: Vec<(Block, Block)>,
    /// Uses of locals that are defined later, with the blocks where they are.
    pub early_uses: Vec<(LocalRef, Block)>,
    pub marks: Vec<(u32, u32)>,
    pub incoming: Vec<u32>,
    pub incoming_start: Vec<u32>,
    pub leaves: Vec<Leaf>,
    pub args: Vec<Value>,
    pub request: Request,
    /// How calls are spelled.
    pub notes: Notes,
    /// Blocks of preallocated arguments, by their tokens.
    pub preallocated: Vec<Preallocated>,
    /// The signature of a call that the reader makes itself.
    pub own_request: Request,
    pub vals: Vec<Val>,
    /// Where the arguments that have been read end in `...`.
    pub forwards: Option<usize>,
    /// The argument of the call being read that is a `swifterror` one.
    pub error_argument: Option<usize>,
    pub cases: Vec<(Value, Edge)>,
    pub edges: Vec<Edge>,
    pub words: Vec<u32>,
    pub numbers: Vec<u128>,
    /// Slots for the handles of trampolines in the pool, and the variables that these belong to, as far as they are met.
    pub handles: Vec<Slot>,
    pub hosts: Vec<Slot>,
    /// What a stack protector thinks of structs, as far as that was asked.
    pub slot_kinds: HashMap<TypeId, SlotKind>,
}

/// Reads bodies, one after the other, into functions. Every thread has its own.
pub struct BodyReader<'p> {
    tables: &'p Tables<'p>,
    types: TypeTable,
    scratch: Scratch,
    sigs: SigCache,
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
            types: tables.types.clone(),
            scratch: Scratch::default(),
            sigs: SigCache::new(tables.target),
            far: false,
        }
    }

    /// Reads a body into `func`, which is cleared first.
    ///
    /// # Errors
    /// The text is not LLVM IR, or has something in it that is not supported; `func` is then incomplete.
    pub fn read(&mut self, body: &Body, func: &mut Function) -> std::result::Result<(), ReadError> {
        let source = &self.tables.source[..body.range.end];
        let file = &self.tables.file;
        let mut reader = self.reader(Cursor::new(source, body.range.start), func, body.range.len());
        let done = reader.function(body).map_err(|e| e.in_file(file));
        self.far = reader.far;
        done
    }

    /// Blocks that define what other blocks use, with these, of the function that was read last: every operand and every
    /// argument of an edge that is not defined in the entry, or before its use in the same block, belongs to one of these
    /// pairs. `None` if that is not known.
    pub fn far_uses(&self) -> Option<&[(Block, Block)]> {
        (!self.far).then_some(&self.scratch.far_uses)
    }

    /// Frees the tables of the function that was read last if they are large: what is done with it next needs as much memory
    /// again, and the tables of a smaller one are made in no time.
    pub fn release(&mut self) {
        if self.scratch.bytes > LARGE {
            self.scratch = Scratch::default();
        }
    }

    /// A reader of the `bytes` of text at a cursor; for text without locals their number may be 0.
    pub(crate) fn reader<'r>(&'r mut self, c: Cursor<'r>, func: &'r mut Function, bytes: usize) -> Reader<'r> {
        func.clear();
        let s = &mut self.scratch;
        s.bytes = bytes;
        s.numbered.clear();
        s.named.clear();
        s.names.clear(bytes);
        s.aggregates.clear();
        s.forward.clear();
        s.preallocated.clear();
        s.block_pos.clear();
        s.edge_from.clear();
        s.phis.clear();
        s.entries.clear();
        s.single.clear();
        s.far_uses.clear();
        s.early_uses.clear();
        s.slot_kinds.clear();
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
            results: None,
            block: Block(0),
            next: 0,
            limit: bytes as u32,
            frozen: true,
            refused: false,
            after_phis: false,
            depth: 0,
            aliased: false,
            guarded_array: 0,
            on_entry: None,
            on_exit: None,
            entry: Block(0),
            far: false,
            forwarded: false,
            unwinds: false,
            cleanup: None,
            passes: false,
            invoking: false,
            labels: None,
            error: None,
            error_passed: None,
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
    /// Where results of calls go that do not fit the registers.
    pub results: Option<Slot>,
    /// The block of the text that is being read.
    pub block: Block,
    /// The next number of an unnamed local.
    pub next: u32,
    /// Numbers of locals are below this: each takes a few bytes of text.
    pub limit: u32,
    /// No instruction may be made now: in operands of phis and initializers.
    pub frozen: bool,
    /// An instruction was wanted all the same.
    pub refused: bool,
    /// The block being read has instructions other than phis.
    pub after_phis: bool,
    /// Nesting of the constant being read.
    pub depth: u32,
    /// A stand-in has met its definition.
    pub aliased: bool,
    /// Bytes from which on an array asks for a stack guard.
    pub guarded_array: u32,
    /// What is called where the function begins, and where it returns.
    pub on_entry: Option<Profiler>,
    pub on_exit: Option<Profiler>,
    /// The block of the function's parameters.
    pub entry: Block,
    /// An operand is defined in its block after its use, or it is not known where.
    pub far: bool,
    /// A `musttail` call was read, and its `ret` not yet.
    pub forwarded: bool,
    /// There are instructions of exceptions.
    pub unwinds: bool,
    /// Where exceptions free trampolines on their way out of the function.
    pub cleanup: Option<Block>,
    /// The function says that it has no personality routine.
    pub passes: bool,
    /// The call being read is an `invoke`'s.
    pub invoking: bool,
    /// The call being read is a `callbr`'s; how many labels its assembly has.
    pub labels: Option<usize>,
    /// Where a function with a `swifterror` parameter has the error.
    pub error: Option<Value>,
    /// The error that a `musttail` call gives back, which its `ret` hands on.
    pub error_passed: Option<Value>,
}

impl<'r> Reader<'r> {
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
                *self.local(r) = Local { ty: LABEL, val: block.0, block, state: State::Block };
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
        const PREFIX: u64 = u64::from_le_bytes(*b"label %\0");
        if self.c.eight().is_some_and(|text| text & 0xff_ffff_ffff_ffff == PREFIX) {
            self.c.pos += 6;
            return self.block_ref();
        }
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
        self.after_phis = false;
        Ok(())
    }

    // The function.

    fn function(&mut self, body: &Body) -> Result<()> {
        self.frozen = false;
        self.header(body)?;
        self.c.expect(b'{')?;
        self.open_trampolines(body.range.end);
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
                // What would follow was taken for a part of the body.
                if self.c.pos != body.range.end {
                    return Err(self.c.error("a body's closing brace must be the end of its line"));
                }
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
            *self.local(r) = Local { ty: LABEL, val: self.block.0, block: self.block, state: State::Block };
        } else if self.b.current_block().is_none() {
            self.start_block(LocalRef(self.next), pos)?;
        }
        Ok(())
    }

    fn define_label(&mut self, first: &mut bool) -> Result<()> {
        let pos = self.c.pos;
        let b = self.c.peek();
        let mut next = self.c;
        let short = next.short_number().filter(|&n| next.peek() == b':' && n <= self.limit);
        let digits = if short.is_some() { 0 } else { self.digits() };
        let r = if let Some(n) = short {
            self.c = next;
            LocalRef(n)
        } else if digits > 0 && self.c.ahead(digits) == b':' {
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
        *self.local(r) = Local { ty: LABEL, val: self.block.0, block: self.block, state: State::Block };
        Ok(())
    }

    fn digits(&self) -> usize {
        let mut n = 0;
        while self.c.ahead(n).is_ascii_digit() {
            n += 1;
        }
        n
    }

    /// Reads the header from behind `define`: the module knows the name and what follows the parameters already.
    fn header(&mut self, body: &Body) -> Result<()> {
        self.sigs.avx = body.attrs.has(FnAttrs::AVX);
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
        let travels = self.travelling_type(self.ret);
        request.clear(convention, travels, ret_attrs);
        let mut names: Vec<(Option<LocalRef>, usize, TypeId)> = Vec::new();
        if !self.c.eat(b')') {
            loop {
                let pos = self.c.pos;
                if self.c.starts_with(b"...") {
                    self.c.bump(3);
                    // A method that only passes its arguments on (Microsoft's thunks of virtual functions); C++ has no other.
                    let thunk = convention == Convention::Thiscall && self.ptr == Type::I32;
                    request.variadic = Some(request.params.len()).filter(|_| !thunk);
                    break;
                }
                let ty = self.types.parse(&mut self.c)?;
                self.check_aggregate(ty, pos)?;
                let attrs = parse_param(&mut self.c, self.types)?;
                self.check_after_block(&request.params, pos)?;
                request.params.push((self.travelling_type(ty), attrs));
                let name = if self.c.peek() == b'%' { Some(self.local_ref()?) } else { None };
                names.push((name, pos, ty));
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
        self.entry = self.block;
        self.s.block_pos.push(start);
        let mut at = 0;
        if known.demoted {
            self.sret = Some(self.b.func.params(self.block)[0]);
            at = 1;
        }
        for (i, (name, pos, own)) in names.into_iter().enumerate() {
            let ty = request.params[i].0;
            let n = self.scalars(ty);
            let val = if request.params[i].1.role == Role::SwiftError {
                let value = self.b.func.params(self.block)[at];
                self.receive_error(value).0
            } else if self.types.ir(ty) != Type::VOID {
                self.b.func.params(self.block)[at].0
            } else {
                let start = self.s.aggregates.len();
                self.s.aggregates.extend_from_slice(&self.b.func.params(self.block)[at..at + n]);
                start as Val
            };
            at += n;
            let val = self.arrive(own, val);
            self.define(name, own, val, pos)?;
        }
        self.s.request = request;
        self.b.func.attrs = self.m.function_attrs(body);
        self.guarded_array = body.values.as_ref().and_then(|v| v.guarded_array).unwrap_or(8);
        self.skip_header_end()?;
        if let Some(values) = &body.values {
            (self.on_entry, self.on_exit) = (values.entry_profiler, values.exit_profiler);
            self.profile(self.on_entry)?;
        }
        Ok(())
    }

    /// Linkage, visibility and so on in front of a function's type.
    fn skip_properties(&mut self) -> Result<()> {
        crate::module::Properties::parse(&mut self.c).map(drop)
    }

    /// Moves over what stands between the parameters and the brace; its meaning was taken with the module.
    fn skip_header_end(&mut self) -> Result<()> {
        while self.c.peek() != b'{' {
            match self.c.peek() {
                b'!' => drop(self.c.skip_attachment()?),
                b'"' => drop(self.c.string()?),
                b'(' | b'[' | b'<' => self.c.skip_group()?,
                0 if self.c.at_end() => return Err(self.c.expected("`{`")),
                _ => {
                    let len = self.c.word_len().max(1);
                    // The constants behind these may have braces of their own.
                    match &self.c.src[self.c.pos..self.c.pos + len] {
                        b"prefix" | b"prologue" => {
                            self.c.bump(len);
                            self.types.parse(&mut self.c)?;
                            self.c.skip_constant()?;
                        }
                        b"personality" => {
                            self.c.bump(len);
                            self.personality()?;
                        }
                        _ => self.c.bump(len),
                    }
                }
            }
        }
        Ok(())
    }

    // The end.

    fn finish(&mut self, body: &Body) -> Result<()> {
        self.write_cleanup(self.c.pos)?;
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
        self.settle_early_uses();
        let entry = self.b.func.layout[0];
        if let Some(e) = self.b.func.edges.iter().position(|e| e.to == entry) {
            let from = self.s.edge_from.get(e).map_or(0, |b| b.index());
            return Err(ReadError::new(self.c.src, self.s.block_pos[from], "the entry block has a predecessor"));
        }
        self.settle_preallocated();
        if !self.s.phis.is_empty() || !self.s.single.is_empty() {
            self.fill_phis()?;
        }
        if self.aliased {
            self.b.func.resolve_operands();
        }
        self.settle_unwinding()?;
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

    // Small helpers for the other files.

    /// A value of a scalar or vector type.
    pub fn scalar(&mut self, ty: TypeId) -> Result<Value> {
        if self.types.ir(ty) == Type::VOID {
            return Err(self.not_a_scalar(ty));
        }
        self.value(ty).map(Value)
    }

    #[cold]
    fn not_a_scalar(&self, ty: TypeId) -> ReadError {
        let wide = match self.types.get(ty).kind {
            Kind::Wide { bits } => {
                format!("; `i{bits}`, of more than {} bits, is not supported", self.types.widest().bits())
            }
            _ => String::new(),
        };
        ReadError::new(self.c.src, self.c.pos, format!("a scalar or a vector must stand here{wide}"))
    }

    /// Reads a type and a value of it, which must be a scalar or vector.
    #[inline]
    pub fn typed_scalar(&mut self) -> Result<(TypeId, Value)> {
        let ty = self.types.parse(&mut self.c)?;
        let v = self.scalar(ty)?;
        Ok((ty, v))
    }

    /// Reads `ptr value`.
    pub fn pointer(&mut self) -> Result<Value> {
        let pos = self.c.pos;
        match self.spaced_pointer()? {
            (v, 0) => Ok(v),
            _ => Err(ReadError::new(self.c.src, pos, "this is not supported relative to a segment register")),
        }
    }

    /// Reads a pointer and its value; which memory space it points into.
    pub fn spaced_pointer(&mut self) -> Result<(Value, u8)> {
        if let Some(v) = self.local_pointer()? {
            return Ok((v, 0));
        }
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        let Some(space) = TypeTable::space(ty) else {
            return Err(ReadError::expected(self.c.src, pos, "`ptr`"));
        };
        self.value(ty).map(|v| (Value(v), space))
    }

    /// Reads `ptr %value`, if that is what stands here.
    #[inline(always)]
    pub fn local_pointer(&mut self) -> Result<Option<Value>> {
        const PREFIX: u64 = u64::from_le_bytes(*b"ptr %\0\0\0");
        if self.c.eight().is_none_or(|text| text & 0xff_ffff_ffff != PREFIX) {
            return Ok(None);
        }
        self.c.pos += 4;
        let pos = self.c.pos;
        let r = self.local_ref()?;
        self.use_local(r, PTR, pos).map(|v| Some(Value(v)))
    }

    /// An error unless an instruction may be made here.
    pub fn check_unfrozen(&mut self, pos: usize) -> Result<()> {
        if self.frozen {
            self.refused = true;
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
