//! The reader of a body: its state, names of values, scopes, blocks.

use std::collections::HashMap;

use gusset_codegen::ir::{Block, Edge, SymbolId};
use gusset_program::{Arguments, Index, InstLocation, Known, Sink, TypeId, Val};
use gusset_text::{Placed, ReadError, Result, Source};

use crate::context::ModuleContext;
use crate::context::metadata_nodes::MetadataNodes;
use crate::context::op_kind::OpKind;
use crate::context::recovery::Recovery;
use crate::convert::build::Build;
use crate::convert::casts::Casts;
use crate::convert::debug_scratch::DebugScratch;
use crate::convert::region_stack::OnStack;
use crate::syntax::attributes::AttributeRef;
use crate::syntax::locations::LineCounter;
use crate::syntax::op::{LocalRef, NAMED, Op, POISONED, Value};
use crate::syntax::types::{INDEX, Kind, NONE, Ty, Types};
use crate::syntax::{Label, Names, Parser};

/// The function that converts an operation that has been read.
pub(crate) type Convert<'r, E> = fn(&mut Reader<'r, E>, OpKind, &mut Op<'r>) -> Result<()>;

/// What is known about a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unseen,
    /// Used before its definition: there is a stand-in.
    Forward,
    Defined,
    /// Several results: a run in the table of values.
    Group,
}

#[derive(Clone, Copy)]
struct Local {
    value: Value,
    count: u32,
    state: State,
    /// Position of its definition, or of its first use.
    pos: u32,
}

const UNSEEN: Local = Local { value: Value { ty: INDEX, at: 0 }, count: 0, state: State::Unseen, pos: 0 };

/// A block of the program.
#[derive(Clone, Copy)]
pub(crate) struct BlockInfo {
    pub block: Block,
    /// Position of its first mention.
    pos: usize,
    /// Its parameters, a run in the table of values, once their types are known.
    pub params: Option<(u32, u32)>,
    started: bool,
    /// Its region: the index in the log where the region's blocks begin.
    region: usize,
}

/// Tables of a body, used again for the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) names: Names,
    named: Vec<Local>,
    numbered: Vec<Local>,
    blocks: Vec<Option<BlockInfo>>,
    /// Values of groups, and of blocks' parameters.
    values: Vec<Value>,
    /// Parts of values.
    vals: Vec<Val>,
    /// By block, the positions of its parameters, part by part.
    positions: Vec<Vec<u32>>,
    /// Names that were defined, and blocks (in brackets of `u32::MAX`), in order.
    log: Vec<u32>,
    block_log: Vec<u32>,
    /// Blocks of outer regions whose names are used again.
    shadowed: Vec<(usize, BlockInfo)>,
    /// Uses before definitions.
    forward: Vec<(LocalRef, usize)>,
    /// Names that were handed over, by number.
    told: Vec<bool>,
    /// The call that is converted, or the function's header.
    pub(crate) call: Box<Arguments>,
    /// Metadata, which all bodies share.
    pub(crate) metadata: MetadataNodes,
    /// The scope of the current function: the number of its node.
    pub(crate) scope: Option<u32>,
    /// The lines of operations without a location.
    pub(crate) lines: LineCounter,
    /// Debug information of the body, for code.
    pub(crate) debug: DebugScratch,
    /// Addresses of thread-local variables, by the position of their parts: each use computes the address again,
    /// because another thread may run by then.
    thread_locals: HashMap<u32, SymbolId>,
    /// Integers that casts converted to another width, by the position of their parts, and the original values.
    recast: HashMap<u32, Value>,
}

/// What the terminator of a region does that is not a function's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// Its operands are the region's values, for the region's reader.
    Yield,
    /// Like `Yield`, at the end of a loop's body: what `memref.alloca` allocates there is released.
    Iterate,
    /// It jumps to a block with its operands.
    Leave(Block, Vec<Ty>),
}

/// The state of reading one body.
pub(crate) struct Reader<'r, E> {
    /// The module's text.
    pub src: Source<'r>,
    /// Where reading goes on in it.
    pub next: usize,
    pub m: &'r ModuleContext<'r>,
    /// The sink of the function.
    pub l: E,
    pub convert: Convert<'r, E>,
    pub t: &'r mut Types,
    pub(crate) s: &'r mut Scratch,
    /// Names of an operation's results.
    pub defined: Vec<(LocalRef, u32)>,
    /// Indices of a `getelementptr`.
    pub indices: Vec<Index>,
    /// Unused operations, which keep their memory because they are large.
    #[allow(clippy::vec_box)]
    pub ops: Vec<Box<Op<'r>>>,
    /// Where names and blocks of the current region begin in the logs.
    scope: (usize, usize),
    /// Nesting of regions.
    pub depth: u32,
    /// Values in the regions of the current operation have parts from here on; for those that may occur in affine maps:
    /// whether as symbols, too.
    pub regional: u32,
    pub affine_values: HashMap<u32, bool>,
    /// How the current region ends, and its result: the name of the terminator and the operands.
    pub ending: Ending,
    pub ended: Option<(&'static str, Vec<Value>)>,
    /// The symbol of the current function, and its blocks whose tags were met.
    pub own: Option<SymbolId>,
    pub tagged: Vec<SymbolId>,
    /// Memrefs of the current function are passed as bare pointers.
    pub bare: bool,
    /// The results of the current function.
    pub results: Vec<Ty>,
    /// The dialect whose operations need no prefix.
    pub dialect: &'static str,
    /// The text is the initializer of a variable, which returns its value.
    pub initializing: bool,
    /// The current operation builds an aggregate of its operands.
    pub assembles: bool,
    /// The elements of the `memref.global` whose value is read.
    pub elements: Option<Ty>,
    /// The values that the current `scf.parallel` carries, and how many of them have been reduced separately.
    pub reduced: Vec<Value>,
    pub reduced_count: usize,
    /// Number of loops around the current operation.
    pub loops: u32,
    /// The mask that the current operation has to use (`vector.mask`).
    pub mask: Option<Value>,
    /// All errors are collected, not only the first.
    pub recovery: Option<Box<Recovery>>,
    /// The stack memory of the current region; braces around `memref.alloca` in the loop that was searched last, and the
    /// loop's end.
    pub on_stack: OnStack,
    pub allocating: (Vec<usize>, usize),
    /// In a partial translation, the casts between opaque operations and the others.
    pub casts: Casts,
    /// Instructions have locations, and this is that of the current operation.
    pub locates: bool,
    pub place: Option<InstLocation>,
}

impl Scratch {
    pub fn clear(&mut self, bytes: usize) {
        self.names.clear(bytes);
        self.named.clear();
        self.numbered.clear();
        self.blocks.clear();
        self.values.clear();
        self.vals.clear();
        self.positions.clear();
        self.log.clear();
        self.block_log.clear();
        self.shadowed.clear();
        self.forward.clear();
        self.told.clear();
        self.recast.clear();
        self.thread_locals.clear();
    }
}

impl<'r, E: Sink> Reader<'r, E> {
    pub fn new(
        next: usize,
        m: &'r ModuleContext<'r>,
        (l, convert): (E, Convert<'r, E>),
        t: &'r mut Types,
        s: &'r mut Scratch,
        bytes: usize,
    ) -> Reader<'r, E> {
        s.clear(bytes);
        Reader {
            src: m.source,
            next,
            m,
            l,
            convert,
            t,
            s,
            defined: Vec::new(),
            indices: Vec::new(),
            ops: Vec::new(),
            scope: (0, 0),
            depth: 0,
            regional: 0,
            affine_values: HashMap::new(),
            ending: Ending::Yield,
            ended: None,
            own: None,
            tagged: Vec::new(),
            bare: false,
            results: Vec::new(),
            dialect: "func",
            reduced: Vec::new(),
            reduced_count: 0,
            initializing: false,
            assembles: false,
            elements: None,
            loops: 0,
            mask: None,
            recovery: None,
            on_stack: OnStack::default(),
            allocating: (Vec::new(), 0),
            casts: Casts::default(),
            locates: false,
            place: None,
        }
    }

    // Types.

    /// A type as a message names it.
    #[cold]
    pub fn type_text(&self, ty: Ty) -> String {
        if let Some(Kind::Function { inputs, results }) = self.t.own(ty) {
            let list = |all: &[Ty]| all.iter().map(|&ty| self.type_text(ty)).collect::<Vec<_>>().join(", ");
            return format!("({}) -> ({})", list(inputs), list(results));
        }
        match (self.t.foreign(ty), crate::syntax::types::builtin::builtin(self.t, self.l.types(), ty)) {
            (Some((_, text)), _) => String::from_utf8_lossy(text).into_owned(),
            (None, Ok(ty)) => ty.to_string(),
            (None, Err(_)) => "none".into(),
        }
    }

    /// Checks that values of a type can be converted.
    pub fn check(&self, ty: Ty, pos: usize) -> Result<()> {
        match self.t.refusal(ty) {
            Some(why) => Err(self.src.error(pos, why)),
            None => Ok(()),
        }
    }

    // Values.

    /// Part `i` of a value.
    #[inline]
    pub fn part(&self, v: Value, i: usize) -> Val {
        self.s.vals[v.at as usize + i]
    }

    /// The only part of a value.
    #[inline]
    pub fn one(&self, v: Value) -> Val {
        self.s.vals[v.at as usize]
    }

    /// A value of these parts.
    pub fn value(&mut self, ty: Ty, parts: &[Val]) -> Value {
        let at = self.s.vals.len() as u32;
        self.s.vals.extend_from_slice(parts);
        Value { ty, at }
    }

    /// Begins a value, whose parts are appended next; returns where they begin.
    #[inline]
    pub fn begin_value(&self) -> u32 {
        self.s.vals.len() as u32
    }

    /// Appends the next part of the current value.
    #[inline]
    pub fn push_part(&mut self, v: Val) {
        self.s.vals.push(v);
    }

    /// The parts of a value.
    pub fn parts(&self, v: Value) -> &[Val] {
        &self.s.vals[v.at as usize..v.at as usize + self.t.count(v.ty)]
    }

    /// The value as one LLVM value: a struct or array of its parts, unless there is one already.
    pub fn whole(&mut self, v: Value) -> Result<(TypeId, Val)> {
        let (ty, n) = (self.t.whole(v.ty), self.t.count(v.ty));
        if n == 1 && self.t.part(v.ty, 0) == ty {
            return Ok((ty, self.one(v)));
        }
        if E::PRESERVES_METADATA {
            return self.inserted(ty, v).map(|val| (ty, val));
        }
        self.aggregate_of(ty, v, &mut 0).map(|val| (ty, val))
    }

    /// An aggregate of the parts of a value from number `at` on.
    fn aggregate_of(&mut self, ty: TypeId, v: Value, at: &mut usize) -> Result<Val> {
        if *at < self.t.count(v.ty) && self.t.part(v.ty, *at) == ty {
            *at += 1;
            return Ok(self.part(v, *at - 1));
        }
        let mut members = Vec::new();
        while let Some((member, ..)) = self.l.types().element(ty, members.len() as u64) {
            members.push(self.aggregate_of(member, v, at)?);
        }
        self.l.aggregate(ty, &members).at(self.src, self.next)
    }

    /// Makes the aggregate by instructions.
    fn inserted(&mut self, ty: TypeId, v: Value) -> Result<Val> {
        let mut val = self.l.poison_value(ty).at(self.src, self.next)?;
        let mut path = Vec::new();
        for i in 0..self.t.count(v.ty) {
            self.path_of(v.ty, i, &mut path);
            let part = self.part(v, i);
            val = self.l.insert_value(ty, val, &path, part).at(self.src, self.next)?;
        }
        Ok(val)
    }

    /// Hands over the name of a value, if it has a name that no other value has.
    fn emit_value_name(&mut self, r: LocalRef, v: Value) {
        let id = (r.name & !NAMED) as usize;
        if r.name & NAMED == 0 || self.t.count(v.ty) != 1 || v.at >= POISONED {
            return;
        }
        if self.s.told.len() <= id {
            self.s.told.resize(id + 1, false);
        }
        if !std::mem::replace(&mut self.s.told[id], true) {
            let val = self.one(v);
            if self.l.known(val) == Known::Nothing {
                self.l.name_value(val, self.s.names.values.text(r.name & !NAMED));
            }
        }
    }

    /// Where part `i` is in the aggregate that a type is as a whole.
    fn path_of(&self, ty: Ty, i: usize, path: &mut Vec<u32>) {
        path.clear();
        match self.t.own(ty) {
            Some(Kind::Memref(m)) if i >= 3 => {
                let (k, rank) = (i - 3, m.rank());
                path.extend([3 + (k / rank) as u32, (k % rank) as u32]);
            }
            Some(Kind::Vector { dims, .. }) => {
                let dims = &dims[..dims.len().saturating_sub(1)];
                let (mut rows, mut rest) = (dims.iter().map(|&n| n as usize).product::<usize>(), i);
                for &n in dims {
                    rows /= n as usize;
                    path.push((rest / rows) as u32);
                    rest %= rows;
                }
            }
            _ => path.push(i as u32),
        }
    }

    /// A value whose parts are the members of an aggregate.
    pub fn unpack(&mut self, ty: Ty, whole: Val) -> Value {
        let (id, n) = (self.t.whole(ty), self.t.count(ty));
        if n == 1 && self.t.part(ty, 0) == id {
            return self.value(ty, &[whole]);
        }
        let at = self.s.vals.len() as u32;
        let mut path = Vec::new();
        for i in 0..n {
            self.path_of(ty, i, &mut path);
            if let Ok((_, val)) = self.l.extract_value(id, whole, &path) {
                self.s.vals.push(val);
            }
        }
        Value { ty, at }
    }

    /// A constant of `index` type.
    pub fn index(&mut self, n: i64) -> Val {
        self.l.integer(self.t.index, n.into())
    }

    /// Such a constant as a value.
    pub fn index_value(&mut self, n: i64) -> Value {
        let n = self.index(n);
        self.value(INDEX, &[n])
    }

    // Names.

    /// Reads what comes next; reading goes on after it even if that fails.
    #[inline(always)]
    pub fn parse<T>(&mut self, f: impl FnOnce(&mut Parser<'_, 'r>) -> T) -> T {
        let mut p = Parser::new((self.src, self.next), self.t, self.l.types_mut(), &mut self.s.names);
        let made = f(&mut p);
        self.next = p.pos();
        made
    }

    /// What comes next, as an attribute.
    pub fn here(&self) -> AttributeRef<'r> {
        AttributeRef::new(self.src.text, self.next)
    }

    /// Reads something at a position, which does not change where reading goes on.
    pub fn parse_at<T>(&mut self, pos: usize, f: impl FnOnce(&mut Parser<'_, 'r>) -> T) -> T {
        let next = std::mem::replace(&mut self.next, pos);
        let made = self.parse(f);
        self.next = next;
        made
    }

    #[inline(always)]
    fn local(&mut self, name: u32) -> &mut Local {
        let (table, i) = if name & NAMED != 0 {
            (&mut self.s.named, (name & !NAMED) as usize)
        } else {
            (&mut self.s.numbered, name as usize)
        };
        if i >= table.len() {
            table.resize(i + 1, UNSEEN);
        }
        &mut table[i]
    }

    fn spelled(&self, r: LocalRef) -> String {
        let name = match r.name & NAMED {
            0 => format!("%{}", r.name),
            _ => format!("%{}", String::from_utf8_lossy(self.s.names.values.text(r.name & !NAMED))),
        };
        if r.result == 0 { name } else { format!("{name}#{}", r.result) }
    }

    /// The value of a name, if it is defined already.
    #[inline(always)]
    fn known(&mut self, r: LocalRef) -> Option<Value> {
        let l = *self.local(r.name);
        match l.state {
            State::Defined | State::Forward if r.result == 0 => Some(l.value),
            State::Group if r.result < l.count => Some(self.s.values[(l.value.at + r.result) as usize]),
            _ => None,
        }
    }

    /// The value of a name whose definition has been read.
    pub fn read_already(&mut self, r: LocalRef) -> Option<Value> {
        let forward = self.local(r.name).state == State::Forward;
        self.known(r).filter(|v| !forward && v.at < POISONED)
    }

    /// The value of a name that is defined already, by any operation.
    pub fn defined_value(&mut self, r: LocalRef, pos: usize) -> Result<Value> {
        self.known(r).ok_or_else(|| {
            let name = self.spelled(r);
            self.src.error(pos, format!("`{name}` is not defined before its use"))
        })
    }

    /// The value of a name, which is used here with type `ty`, or with any type.
    pub fn use_as(&mut self, (r, pos): (LocalRef, usize), ty: Option<Ty>) -> Result<Value> {
        if let Some(v) = self.known(r) {
            if v.at >= POISONED {
                // An aggregate built of it is as large, and must not be used either.
                let m = "values of so many scalars are not supported";
                self.src.refuse_if(v.at == POISONED || !self.assembles || ty.is_some_and(|ty| ty != v.ty), pos, m)?;
                return Ok(v);
            }
            return match ty {
                Some(ty) if ty != v.ty => Err(self.wrong_type((r, pos), v.ty, ty)),
                _ if E::PRESERVES_METADATA => self.converted_form(v, pos),
                _ => self.address_now(v, pos),
            };
        }
        let l = *self.local(r.name);
        let name = self.spelled(r);
        match (ty, l.state) {
            (Some(ty), State::Unseen) if r.result == 0 && !self.is_lost() => {
                self.check(ty, pos)?;
                let v = self.stand_in(ty, pos)?;
                *self.local(r.name) = Local { value: v, count: 1, state: State::Forward, pos: pos as u32 };
                self.s.forward.push((r, pos));
                Ok(v)
            }
            (_, State::Unseen) => Err(self.src.error(pos, format!("`{name}` is not defined before its use"))),
            _ => Err(self.src.error(pos, format!("there is no result `{name}`"))),
        }
    }

    /// The error that a name's value has type `is`, not `wanted`.
    #[cold]
    pub fn wrong_type(&mut self, (r, pos): (LocalRef, usize), is: Ty, wanted: Ty) -> ReadError {
        let (name, local) = (self.spelled(r), *self.local(r.name));
        let [is, wanted] = [is, wanted].map(|ty| self.type_text(ty));
        let so = if local.state == State::Forward { "used so" } else { "defined" };
        let place = self.src.place(local.pos as usize);
        let message = format!("`{name}` is a value of another type: of `{is}`, not `{wanted}`, {so} at {place}");
        self.src.error(pos, message)
    }

    /// A stand-in for a value that is defined later.
    pub fn stand_in(&mut self, ty: Ty, pos: usize) -> Result<Value> {
        let mut parts = Vec::with_capacity(self.t.count(ty));
        for i in 0..self.t.count(ty) {
            let part = self.t.part(ty, i);
            parts.push(self.l.make_pending(part).at(self.src, pos)?);
        }
        Ok(self.value(ty, &parts))
    }

    /// Gives a name its value.
    pub fn define(&mut self, r: LocalRef, v: Value, pos: usize) -> Result<()> {
        let new = Local { value: v, count: 1, state: State::Defined, pos: pos as u32 };
        let old = std::mem::replace(self.local(r.name), new);
        self.s.log.push(r.name);
        if E::PRESERVES_METADATA {
            self.emit_value_name(r, v);
        }
        match old.state {
            State::Unseen => Ok(()),
            State::Forward if old.value.ty == v.ty => {
                let v = self.address_now(v, pos)?;
                self.meet(old.value, v);
                Ok(())
            }
            State::Forward => {
                let used = self.s.forward.iter().find(|f| f.0 == r).map_or(old.pos as usize, |f| f.1);
                Err(self.wrong_type((r, used), v.ty, old.value.ty))
            }
            _ => {
                let name = self.spelled(r);
                let error = self.src.error(pos, format!("`{name}` is defined twice"));
                Err(error.with_note(self.src.text, old.pos as usize, "first here"))
            }
        }
    }

    /// Records a value that is the address of a thread-local variable.
    pub fn note_thread_local(&mut self, v: Value, symbol: SymbolId) {
        self.s.thread_locals.insert(v.at, symbol);
    }

    /// The value here: the address of a thread-local variable is computed for the current thread.
    #[inline(always)]
    fn address_now(&mut self, v: Value, pos: usize) -> Result<Value> {
        if self.s.thread_locals.is_empty() {
            return Ok(v);
        }
        let Some(&symbol) = self.s.thread_locals.get(&v.at) else { return Ok(v) };
        let address = self.l.symbol_address(symbol, true).at(self.src, pos)?;
        Ok(self.value(v.ty, &[address]))
    }

    /// A stand-in meets its definition.
    fn meet(&mut self, old: Value, new: Value) {
        for i in 0..self.t.count(new.ty) {
            let (part, stand_in, val) = (self.t.part(new.ty, i), self.part(old, i), self.part(new, i));
            self.l.alias(part, stand_in, val);
        }
    }

    /// Sets the values of a name with several results.
    pub fn define_group(&mut self, name: u32, values: &[Value], pos: usize) -> Result<()> {
        let at = self.s.values.len() as u32;
        self.s.values.extend_from_slice(values);
        let value = Value { ty: INDEX, at };
        let new = Local { value, count: values.len() as u32, state: State::Group, pos: pos as u32 };
        let old = std::mem::replace(self.local(name), new);
        self.s.log.push(name);
        self.src.refuse_if(old.state != State::Unseen, pos, "the name is defined twice, or used before its definition")
    }

    /// Whether nothing is known of a name's value, because its operation could not be read. `unseen`: a name that was
    /// not met counts, too.
    pub fn is_poisoned(&mut self, r: LocalRef, unseen: bool) -> bool {
        match self.known(r) {
            Some(v) => v.at == POISONED,
            None => unseen,
        }
    }

    /// Sets a name to one or several unknown values.
    pub fn poison(&mut self, r: LocalRef, count: u32) {
        let value = Value { ty: NONE, at: POISONED };
        let local = if count == 1 {
            Local { value, count, state: State::Defined, pos: 0 }
        } else {
            let at = self.s.values.len() as u32;
            let count = count.min(crate::context::recovery::MOST_RESULTS);
            self.s.values.extend(std::iter::repeat_n(value, count as usize));
            Local { value: Value { ty: INDEX, at }, count, state: State::Group, pos: 0 }
        };
        *self.local(r.name) = local;
        self.s.log.push(r.name);
    }

    /// The current region, to return to it.
    pub fn scope(&self) -> (usize, usize) {
        self.scope
    }

    // Scopes: names and blocks that a region defines end with it.

    /// Begins a region.
    pub fn open_scope(&mut self) -> (usize, usize) {
        std::mem::replace(&mut self.scope, (self.s.log.len(), self.s.block_log.len()))
    }

    /// Ends a region.
    pub fn close_scope(&mut self, outer: (usize, usize)) -> Result<()> {
        let (names, blocks) = self.scope;
        for i in (names..self.s.log.len()).rev() {
            let name = self.s.log[i];
            *self.local(name) = UNSEEN;
        }
        self.s.log.truncate(names);
        for i in (blocks..self.s.block_log.len()).rev() {
            let name = self.s.block_log[i] as usize;
            if let Some(info) = self.s.blocks[name].take()
                && !info.started
            {
                return Err(self.src.error(info.pos, "this block is not defined"));
            }
        }
        self.s.block_log.truncate(blocks);
        while let Some(&(id, info)) = self.s.shadowed.last()
            && self.s.blocks[id].is_none()
        {
            self.s.blocks[id] = Some(info);
            self.s.shadowed.pop();
        }
        self.scope = outer;
        Ok(())
    }

    /// At the end of the body: checks that everything is defined.
    pub fn check_all_defined(&mut self) -> Result<()> {
        for i in 0..self.s.forward.len() {
            let (r, pos) = self.s.forward[i];
            let stand_in = self.local(r.name).state == State::Forward;
            if stand_in {
                let name = self.spelled(r);
                return Err(self.src.error(pos, format!("`{name}` is not defined")));
            }
        }
        Ok(())
    }

    // Blocks.

    /// Makes the block whose name has a number and is at a position, unless the region has it already.
    pub fn block_named(&mut self, id: usize, pos: usize) {
        if id >= self.s.blocks.len() {
            self.s.blocks.resize(id + 1, None);
        }
        let region = self.scope.1;
        if let Some(outer) = self.s.blocks[id].filter(|info| info.region != region) {
            self.s.shadowed.push((id, outer));
            self.s.blocks[id] = None;
        }
        if self.s.blocks[id].is_none() {
            let block = self.l.create_block();
            self.s.blocks[id] = Some(BlockInfo { block, pos, params: None, started: false, region });
            self.s.block_log.push(id as u32);
        }
    }

    pub fn block_info(&mut self, id: usize) -> &mut BlockInfo {
        let none = || unreachable!("blocks are made when they are named");
        self.s.blocks[id].as_mut().unwrap_or_else(none)
    }

    /// The parameters of a block, which have these types.
    pub fn block_params(&mut self, id: usize, types: &[Ty], pos: usize) -> Result<(u32, u32)> {
        let info = *self.block_info(id);
        if let Some((from, to)) = info.params {
            let known = self.s.values[from as usize..to as usize].iter().map(|v| v.ty);
            let same = known.eq(types.iter().copied());
            self.src.refuse_if(!same, pos, "the block's arguments have other types elsewhere")?;
            return Ok((from, to));
        }
        let mut values = Vec::with_capacity(types.len());
        for &ty in types {
            values.push(self.add_params(info.block, ty, pos)?);
        }
        let from = self.s.values.len() as u32;
        self.s.values.extend(values);
        let range = (from, self.s.values.len() as u32);
        self.block_info(id).params = Some(range);
        Ok(range)
    }

    /// Adds parameters for a value of type `ty` to a block.
    pub fn add_params(&mut self, block: Block, ty: Ty, pos: usize) -> Result<Value> {
        self.check(ty, pos)?;
        let mut parts = Vec::with_capacity(self.t.count(ty));
        for i in 0..self.t.count(ty) {
            let part = self.t.part(ty, i);
            self.l.check_aggregate(part).at(self.src, pos)?;
            if self.s.positions.len() <= block.index() {
                self.s.positions.resize(block.index() + 1, Vec::new());
            }
            let (position, val) = self.l.append_param(block, part);
            self.s.positions[block.index()].push(position);
            parts.push(val);
        }
        Ok(self.value(ty, &parts))
    }

    /// An edge to a block with these arguments.
    pub fn edge(&mut self, to: Block, args: &[Value]) -> Edge {
        let e = self.l.edge(to);
        let mut k = 0;
        for &v in args {
            for i in 0..self.t.count(v.ty) {
                let (position, part, val) = (self.s.positions[to.index()][k], self.t.part(v.ty, i), self.part(v, i));
                self.l.set_edge_arg(e, position, part, val);
                k += 1;
            }
        }
        e
    }

    /// MetadataNodes that a cast made an integer of another width of a value.
    pub fn note_cast(&mut self, given: Value, from: Value) {
        self.s.recast.insert(given.at, from);
    }

    /// The value of type `to` from which casts made this one: a cast back returns it.
    pub fn before_cast(&self, mut v: Value, to: Ty) -> Option<Value> {
        // Longer chains of casts do not occur after any pass.
        for _ in 0..16 {
            v = *self.s.recast.get(&v.at)?;
            if v.ty == to {
                return Some(v);
            }
        }
        None
    }

    /// The type of parameter `k` of a block, once it is known.
    pub fn param_type(&mut self, id: usize, k: usize) -> Option<Ty> {
        let (from, _) = self.block_info(id).params?;
        self.s.values.get(from as usize + k).map(|v| v.ty)
    }

    /// The edge to a successor of an operation.
    pub fn successor(&mut self, op: &Op, i: usize) -> Edge {
        let s = op.successors[i];
        let block = s.block.unwrap_or_else(|| unreachable!("successors are bound before conversion"));
        self.edge(block, &op.operands[s.args.0..s.args.1])
    }

    /// Reads a label, and begins its block. `entry`: it is the region's first block, which is the current one.
    pub fn start_block(&mut self, entry: Option<&[Value]>) -> Result<()> {
        let Label { id, pos, names, types } = self.parse(|p| p.label(true))?;
        self.block_named(id, pos);
        let info = self.block_info(id);
        let again = std::mem::replace(&mut info.started, true);
        self.src.refuse_if(again, pos, "the block is defined twice")?;
        if let Some(values) = entry {
            let block = self.l.current_block();
            let info = self.block_info(id);
            (info.block, info.params) = (block.unwrap_or(info.block), Some((0, 0)));
            // Names may be in the operation's header instead.
            let fits = types.is_empty() || values.iter().map(|v| v.ty).eq(types.iter().copied());
            self.src.refuse_if(!fits, pos, "the block's arguments are not those of the region")?;
            for (&(name, pos), &v) in names.iter().zip(values) {
                self.define(name, v, pos)?;
            }
            return Ok(());
        }
        self.src.refuse_if(self.l.current_block().is_some(), pos, "the block before this one has no terminator")?;
        let (from, _) = self.block_params(id, &types, pos)?;
        let block = self.block_info(id).block;
        self.l.start_block(block);
        for (i, &(name, pos)) in names.iter().enumerate() {
            let v = self.s.values[from as usize + i];
            self.define(name, v, pos)?;
        }
        Ok(())
    }
}
