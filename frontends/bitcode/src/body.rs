//! Reads a function's block: the walk over its records.

mod calls;
mod constants;
mod contents;
mod control;
mod debug;
mod fields;
mod flags;
mod instructions;
mod memory;
mod phis;
mod tables;
mod values;
mod weights;
mod written;

use gusset_abi::Convention;
use gusset_codegen::ir::{Block, Edge, Function};
use gusset_lower::{FunctionLowering, Lowering};
use gusset_program::{
    ENTRY, FunctionStart, PTR, PhiReader, Refusal, Result, Sink, TypeId, VOID, Val, convention_of_number, refuse_if,
};
use gusset_text::ReadError;

use crate::bits::{Bits, Entry};
use crate::codes::{block, function as code};
use crate::debug_tables::FunctionNodes;
use crate::tables::{Body, ParsedModule, Tables};
use fields::Fields;
pub(crate) use tables::Scratch;
use tables::{Local, State};

/// Size of a body's block, in bytes, from which on its tables are freed afterwards.
const LARGE: usize = 1 << 20;

/// Reads bodies, one after the other, into functions. Every thread has its own.
pub struct BodyReader<'p> {
    tables: &'p Tables<'p>,
    bits: Bits<'p>,
    scratch: Scratch,
    lowering: Lowering<'p>,
    far: bool,
    bytes: usize,
}

impl<'p> BodyReader<'p> {
    /// A reader of the bodies of `module`.
    pub fn new(module: &'p ParsedModule<'_>) -> BodyReader<'p> {
        BodyReader::over(&module.tables)
    }

    pub(crate) fn over(tables: &'p Tables<'p>) -> BodyReader<'p> {
        let lowering = Lowering::new(&tables.facts, tables.types.clone());
        let (bits, scratch) = (tables.bits.another(), Scratch::default());
        BodyReader { tables, bits, scratch, lowering, far: false, bytes: 0 }
    }

    /// Reads a body into `func`, which is cleared first.
    ///
    /// # Errors
    /// The file is damaged, or uses something that is not supported; `func` is then incomplete.
    pub fn read(&mut self, body: &Body, func: &mut Function) -> std::result::Result<(), ReadError> {
        self.bytes = body.range.len();
        let mut bits = std::mem::replace(&mut self.bits, Bits::new(&[]));
        let mut reader = self.reader(func);
        reader.set_limit(body.range.len());
        let done = reader.function(&mut bits, body);
        let far = reader.far || reader.l.is_scattered();
        (self.far, self.bits) = (far, bits);
        done.map_err(|error| error.in_file(&self.tables.file))
    }

    /// For the function that was read last, pairs of a block that defines something and a block that uses it: they
    /// cover every operand and edge argument that is defined neither in the entry nor before its use in the same block.
    /// `None` if this is not known.
    pub fn far_uses(&self) -> Option<&[(Block, Block)]> {
        (!self.far).then_some(&self.scratch.uses.far[..])
    }

    /// Frees the tables of the function that was read last if they are large.
    pub fn release(&mut self) {
        if self.bytes > LARGE {
            self.scratch = Scratch::default();
            self.lowering.release();
        }
    }

    /// A reader of constants.
    pub(crate) fn reader<'r>(&'r mut self, func: &'r mut Function) -> Reader<'r, FunctionLowering<'r>> {
        let l = self.lowering.function(func);
        Reader::new(self.tables, l, &mut self.scratch)
    }
}

/// The state of reading one body.
pub(crate) struct Reader<'r, E> {
    pub(crate) m: &'r Tables<'r>,
    /// The sink of the function.
    pub(crate) l: E,
    s: &'r mut Scratch,
    /// The number of the function's first own value.
    base: u32,
    /// The number of the next value.
    next: u32,
    /// Bound on the number of values that are not there yet.
    limit: u32,
    /// The current block, and its number.
    block: Block,
    number: u32,
    /// The number of instructions so far.
    instructions: u64,
    /// The current block has instructions other than phis.
    after_phis: bool,
    /// The function takes further arguments.
    variadic: bool,
    /// An operand is defined after its use in the same block, or it is not known where.
    far: bool,
    /// Nesting depth of the constant being made, and how many more constants it may consist of.
    depth: u32,
    budget: u32,
    /// Where the current record is, in bits.
    place: usize,
    /// The function's own metadata, and the number of the first node of these, if debug information is kept.
    own_nodes: Option<&'r FunctionNodes>,
    first_node: Option<u32>,
    /// For translation: the function has `strictfp`.
    strict: bool,
    /// The head of the function's block, and the number of the function's value.
    head: (usize, u32),
}

impl<'r, E> Reader<'r, E> {
    pub(crate) fn new(m: &'r Tables<'r>, l: E, s: &'r mut Scratch) -> Reader<'r, E> {
        s.clear();
        let base = m.first_local();
        Reader {
            m,
            l,
            s,
            base,
            next: base,
            limit: 0,
            block: ENTRY,
            number: 0,
            instructions: 0,
            after_phis: false,
            variadic: false,
            far: false,
            depth: 0,
            budget: 0,
            place: 0,
            own_nodes: None,
            first_node: None,
            strict: false,
            head: (0, 0),
        }
    }
}

impl<E: Sink> Reader<'_, E> {
    /// Sets how long the function's block is, in bytes.
    pub(crate) fn set_limit(&mut self, bytes: usize) {
        self.limit = bytes as u32;
    }

    /// Reads the block of a function.
    pub(crate) fn function(&mut self, c: &mut Bits<'_>, body: &Body) -> std::result::Result<(), ReadError> {
        if E::PRESERVES_METADATA {
            self.read_ahead(c, body)?;
        }
        self.head = (body.head, body.value);
        c.enter_at(body.head, block::FUNCTION)?;
        if let Some((place, message)) = body.refused() {
            return Err(c.error_at(*place, message.as_str()));
        }
        self.header(body).map_err(|why| c.error(why))?;
        loop {
            match c.next_of_body()? {
                Entry::Record => {
                    self.place = c.start;
                    self.record(c.code, c.record()).map_err(|why| c.error(why))?;
                }
                Entry::Block(block::CONSTANTS) => {
                    c.enter(block::CONSTANTS)?;
                    self.own_constants(c)?;
                }
                Entry::Block(block::METADATA) => {
                    c.enter(block::METADATA)?;
                    self.s.metadata.read(c)?;
                }
                Entry::Block(block::METADATA_ATTACHMENT) if self.m.profile_kind.is_some() => {
                    c.enter(block::METADATA_ATTACHMENT)?;
                    self.branch_weights(c)?;
                }
                // Names, what is attached to instructions, and the order of uses do not matter for code.
                Entry::Block(block::VALUE_SYMTAB | block::METADATA_ATTACHMENT | block::USELIST) => c.pass_over()?,
                Entry::Block(number) => return Err(c.error(format!("the block {number} of a function is not known"))),
                Entry::End => break,
            }
        }
        self.finish(body).map_err(|(place, why)| c.error_at(place, why))
    }

    /// Begins the function.
    fn header(&mut self, body: &Body) -> Result<()> {
        let m = self.m;
        let global = &m.globals[body.value as usize];
        let (ty, parts) = (m.table.function(global.ty.into())?, global.function());
        let Some(parts) = parts else { return Err(Refusal::new("a body belongs to no function")) };
        let convention = match E::PRESERVES_METADATA {
            // The header has the word.
            true => Convention::C,
            false => convention_of_number(parts.convention).map_err(Refusal::new)?,
        };
        let list = m.list(parts.attributes)?;
        let ret = m.table.get(ty.ret.into())?;
        if ret != VOID {
            self.l.check_aggregate(ret)?;
        }
        self.s.call.begin(convention, ret, list.ret);
        for (i, &param) in ty.params.iter().enumerate() {
            let param = m.table.get(param.into())?;
            self.l.check_aggregate(param)?;
            self.s.call.push(param, list.param(i), Val::default());
        }
        list.complete(&mut self.s.call.request.params, ty, (&m.table, self.l.types()))?;
        self.variadic = ty.variadic;
        if ty.variadic {
            self.s.call.take_more();
        }
        let (symbol, attrs, values) = (body.symbol, body.attrs, body.values.as_deref());
        let start = FunctionStart { symbol, attrs, values, trampolines: body.trampolines };
        let vals = self.l.begin(&start, &mut self.s.call)?;
        for (&param, val) in ty.params.iter().zip(vals) {
            let ty = m.table.get(param.into())?;
            self.s.locals.push(Local { ty, val, block: ENTRY, state: State::Defined });
        }
        self.next = self.base + self.s.locals.len() as u32;
        self.s.blocks.push(Some(ENTRY));
        if E::PRESERVES_METADATA {
            self.set_function(body.value);
            self.strict = list.written_function().iter().any(|attribute| attribute.name == b"strictfp");
            self.name_header();
            return Ok(());
        }
        if m.debug.keeps {
            self.l.debug_location(None);
            if let Some(node) = m.debug.uses.subprogram(body.symbol) {
                self.l.debug_subprogram(node);
            }
            self.own_nodes = m.debug.of_function(body.value);
            self.first_node = self.own_nodes.map(|own| own.first);
        }
        if let Some(personality) = parts.personality {
            refuse_if(self.type_of(personality)? != PTR, "expected `ptr`")?;
            let routine = self.value(personality, PTR)?;
            self.l.personality(routine)?;
        }
        Ok(())
    }

    /// Reads the function's constants.
    fn own_constants(&mut self, c: &mut Bits<'_>) -> std::result::Result<(), ReadError> {
        let first = self.s.constants.list.len();
        self.s.constants.read(c, &self.m.table)?;
        if self.s.locals.len() != (self.next - self.base) as usize {
            return Err(c.error("a block of constants stands after a use of them"));
        }
        for (i, constant) in self.s.constants.list.iter().enumerate().skip(first) {
            let (ty, val) = (constant.ty, Val(i as u32));
            self.s.locals.push(Local { ty, val, block: ENTRY, state: State::Constant });
        }
        self.next = self.base + self.s.locals.len() as u32;
        Ok(())
    }

    /// Takes a record.
    #[inline(always)]
    fn record(&mut self, code: u64, record: &[u64]) -> Result<()> {
        let keeps = self.m.debug.keeps;
        let is_other = !is_frequent(code) || E::PRESERVES_METADATA;
        if is_other && self.other_record(code, record)? {
            return Ok(());
        }
        if self.l.current_block().is_none() {
            self.start_block()?;
        }
        if is_other && code == code::OPERAND_BUNDLE {
            return self.bundle(Fields::new(record));
        }
        if keeps {
            self.begin_located();
        }
        let (ty, val) = self.instruction(code, record)?;
        self.instructions += 1;
        if ty != VOID {
            self.define(ty, val)?;
        }
        Ok(())
    }

    /// Takes a record that is no instruction, or of a body that is translated. Returns whether it was one.
    #[inline(never)]
    fn other_record(&mut self, code: u64, record: &[u64]) -> Result<bool> {
        match code {
            code::DECLAREBLOCKS => {
                let count = record.first().copied().unwrap_or(0);
                refuse_if(count == 0 || count > u64::from(self.limit), "the number of blocks is not possible")?;
                self.s.blocks.resize(count as usize, None);
                self.s.begun = 1;
            }
            _ if E::PRESERVES_METADATA => self.written_record(code, record)?,
            code::DEBUG_LOC | code::DEBUG_LOC_AGAIN if self.m.debug.keeps => {
                self.instruction_location(code, Fields::new(record))?;
            }
            code::DEBUG_RECORD_VALUE..=code::DEBUG_RECORD_LABEL if self.m.debug.keeps => {
                self.debug_record(code, Fields::new(record))?;
            }
            // Users of blocks' addresses are there for loading functions on demand.
            code::DEBUG_LOC
            | code::DEBUG_LOC_AGAIN
            | code::DEBUG_RECORD_VALUE..=code::DEBUG_RECORD_LABEL
            | code::BLOCKADDR_USERS => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    // Blocks.

    /// Begins the next block.
    fn start_block(&mut self) -> Result<()> {
        let number = self.number + 1;
        refuse_if(number as usize >= self.s.blocks.len(), "an instruction stands after the last block")?;
        let block = self.label(number.into())?;
        self.number = number;
        self.s.begun += 1;
        self.l.start_block(block);
        self.block = block;
        self.after_phis = false;
        if E::PRESERVES_METADATA {
            self.name_block(number, block);
        }
        Ok(())
    }

    /// The block with a number.
    #[inline]
    fn label(&mut self, number: u64) -> Result<Block> {
        match self.s.blocks.get_mut(number as usize) {
            Some(Some(block)) => Ok(*block),
            Some(place) => {
                let block = self.l.create_block();
                *place = Some(block);
                Ok(block)
            }
            None => Err(Refusal::new(format!("there is no block with the number {number}"))),
        }
    }

    // Values.

    /// Gives the next value its number.
    #[inline(always)]
    fn define(&mut self, ty: TypeId, val: Val) -> Result<()> {
        let new = Local { ty, val, block: self.block, state: State::Defined };
        let at = (self.next - self.base) as usize;
        let number = self.next;
        self.next += 1;
        match self.s.locals.get_mut(at) {
            None => self.s.locals.push(new),
            Some(local) => {
                let old = std::mem::replace(local, new);
                if old.state != State::Unseen {
                    return self.meet(number, old, ty, val);
                }
            }
        }
        Ok(())
    }

    /// A stand-in meets its definition.
    #[cold]
    fn meet(&mut self, number: u32, old: Local, ty: TypeId, val: Val) -> Result<()> {
        refuse_if(old.state != State::Forward || old.ty != ty, "a value has another type than at its first use")?;
        if old.val == val {
            self.s.uses.own_values.push((number, self.block, self.place));
        }
        self.l.alias(ty, old.val, val);
        Ok(())
    }

    // The end.

    fn finish(&mut self, body: &Body) -> std::result::Result<(), (usize, Refusal)> {
        let here = self.place;
        let at = move |why: Refusal| (here, why);
        let refuse = |is: bool, why: &'static str| refuse_if(is, why).map_err(at);
        refuse(self.s.begun == 0, "the function does not say how many blocks it has")?;
        refuse(self.l.current_block().is_some(), "the last block has no terminator")?;
        refuse(self.s.begun != self.s.blocks.len(), "a block has no instructions")?;
        self.l.close().map_err(at)?;
        if self.m.debug.keeps && !E::PRESERVES_METADATA {
            self.end_located();
            self.l.debug_location(None);
            let (locals, base) = (&self.s.locals, self.base);
            self.s.records.finish(&mut self.l, |number: u32| {
                let local = locals.get(number.checked_sub(base)? as usize)?;
                (local.state == State::Defined).then_some((local.ty, local.val))
            });
        }
        for &(number, place) in &self.s.forward {
            if self.s.locals[(number - self.base) as usize].state != State::Defined {
                return Err((place, Refusal::new("a value is used that is not defined")));
            }
        }
        if let Some((_, place)) = self.s.uses.reachable_own_value(&self.l) {
            return Err((place, Refusal::new("a value is used where its definition does not reach")));
        }
        let (locals, base) = (&self.s.locals, self.base);
        self.far |= self.s.uses.meet_early(|number| locals[(number - base) as usize].block);
        let found = self.l.edge_targets().position(|to| to == ENTRY);
        if let Some(edge) = found {
            let from = self.l.edge_from(Edge::new(edge)).index();
            return Err(at(Refusal::new(format!("the entry block has a predecessor, block {from}"))));
        }
        self.fill_phis()?;
        if let Err((block, why)) = self.l.finish() {
            return Err(at(Refusal::new(format!("in block {}: {}", block.index(), why.reason()))));
        }
        let Some(list) = self.m.block_symbols.get(&body.symbol.0) else { return Ok(()) };
        for &(number, symbol) in list {
            match self.s.blocks.get(number as usize) {
                Some(Some(ENTRY)) => {
                    return Err(at(Refusal::new("the address of a function's entry block cannot be taken")));
                }
                Some(&Some(block)) => self.l.set_block_symbol(block, symbol),
                _ => return Err(at(Refusal::new("a block whose address is taken does not exist"))),
            }
        }
        Ok(())
    }
}

/// Whether a record is one of the most frequent instructions.
#[inline(always)]
fn is_frequent(number: u64) -> bool {
    matches!(
        number,
        code::LOAD
            | code::STORE
            | code::BR
            | code::CALL
            | code::GEP
            | code::BINOP
            | code::CMP2
            | code::CMP
            | code::CAST
            | code::ALLOCA
    )
}
