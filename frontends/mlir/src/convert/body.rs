//! Reading a function's body.

use gusset_codegen::ir::{Block, Function, SymbolId};
use gusset_lower::{FunctionLowering, Lowering};
use gusset_program::{Const, ENTRY, FunctionStart, Known, PTR, ParamAttrs, Sink, TypeId, VOID, Val};
use gusset_text::{Placed, ReadError, Result};

use crate::context::{Body, BodyKind, Declared, ModuleContext, ParsedModule};
use crate::convert::build::Build;
use crate::convert::dialects;
use crate::convert::reader::{Reader, Scratch};
use crate::syntax::attributes::AttributeRef;
use crate::syntax::op::{Op, Value};
use crate::syntax::types::Types;

/// Size of a body's text, in bytes, from which on its tables are freed afterwards.
const LARGE: usize = 8 << 20;

/// Reads bodies, one after the other, into functions. Every thread has its own.
pub struct BodyReader<'p> {
    tables: &'p ModuleContext<'p>,
    types: Types,
    scratch: Scratch,
    lowering: Lowering<'p>,
    bytes: usize,
}

impl<'p> BodyReader<'p> {
    /// A reader of the bodies of `module`.
    pub fn new(module: &'p ParsedModule<'_>) -> BodyReader<'p> {
        BodyReader::over(&module.tables)
    }

    pub(crate) fn over(tables: &'p ModuleContext<'p>) -> BodyReader<'p> {
        BodyReader {
            tables,
            types: tables.types.clone(),
            scratch: Scratch::default(),
            lowering: Lowering::new(&tables.facts, tables.llvm.clone()),
            bytes: 0,
        }
    }

    /// Reads a body into `func`, which is cleared first.
    ///
    /// # Errors
    /// The text is not MLIR, or contains something that is not converted; `func` is then incomplete.
    pub fn read(&mut self, body: &Body, func: &mut Function) -> std::result::Result<(), ReadError> {
        let file = &self.tables.file;
        self.bytes = body.range.len();
        let mut reader = self.reader(body.range.start, func, body.range.len());
        reader.whole_function(body).map_err(|e| e.in_file(file))
    }

    /// Pairs of a block that defines something and a block that uses it, as from the reader of LLVM's text. `None`:
    /// they are not known.
    pub fn far_uses(&self) -> Option<&[(Block, Block)]> {
        None
    }

    /// Frees the tables of the function that was read last if they are large.
    pub fn release(&mut self) {
        if self.bytes > LARGE {
            self.scratch = Scratch::default();
            self.lowering.release();
        }
    }

    /// A reader at a position for `bytes` bytes of text.
    pub(crate) fn reader<'r>(
        &'r mut self,
        pos: usize,
        func: &'r mut Function,
        bytes: usize,
    ) -> Reader<'r, FunctionLowering<'r>> {
        let lowering = (self.lowering.function(func), dialects::converter(self.tables));
        Reader::new(pos, self.tables, lowering, &mut self.types, &mut self.scratch, bytes)
    }
}

impl<'r, E: Sink> Reader<'r, E> {
    pub(crate) fn whole_function(&mut self, body: &Body) -> Result<()> {
        let (f, start) = (self.declared(body), body.range.start);
        match body.kind {
            BodyKind::Operations => {}
            BodyKind::Wrapper => {
                self.wrapper(f, body.symbol, start)?;
                return self.finish();
            }
            kind @ (BodyKind::Glue | BodyKind::Library) => {
                self.glue(f, body.symbol, kind == BodyKind::Library, start)?;
                return self.finish();
            }
        }
        let entry = self.begin(f, body, start)?;
        self.begin_debug_info(body);
        self.name_parameters(f, &entry)?;
        let Some(open) = body.open else {
            return Err(self.src.error(start, "the function has no body"));
        };
        self.own = Some(body.symbol);
        let outer = self.enter_region(open)?;
        let named = f.params.iter().any(|slot| slot.name.is_some());
        self.parse(|p| p.no_label_if(named))?;
        self.operations(&entry)?;
        self.src.refuse_if(self.l.current_block().is_some(), self.next, "the last block has no terminator")?;
        self.check_all_defined()?;
        self.tags_are_met()?;
        self.finish_debug_info();
        self.close_scope(outer)?;
        if !f.signature.generic {
            self.parse(|p| p.at_the_end(body.range.end))?;
        }
        self.finish()
    }

    /// Reads a region, whose brace is at `open`, for the constant of type `ty` that it returns: an initializer.
    pub fn region_value(&mut self, open: usize, ty: TypeId) -> Result<Val> {
        (self.dialect, self.initializing) = ("llvm", true);
        if E::PRESERVES_METADATA {
            self.l.set_frozen(true);
            self.l.begin_expression(true).at(self.src, open)?;
        }
        let outer = self.enter_region(open)?;
        let done = self.operations(&[]).and_then(|()| self.check_all_defined()).and_then(|()| self.close_scope(outer));
        self.l.end_expression();
        self.initializing = false;
        done?;
        let Some((_, values)) = self.ended.take() else {
            return Err(self.src.error(open, "the initializer returns nothing"));
        };
        let &[v] = &values[..] else {
            return Err(self.src.error(open, "the initializer returns one value"));
        };
        let (own, val) = self.whole(v)?;
        self.src.refuse_if(own != ty, open, "the initializer is not of the variable's type")?;
        let unknown = E::PRESERVES_METADATA && self.l.known(val) == Known::Nothing;
        self.src.refuse_if(unknown, open, "the initializer is no constant")?;
        Ok(val)
    }

    /// The function of a body, which is read now.
    pub fn declared(&mut self, body: &Body) -> Declared<'r> {
        let m = self.m;
        let f = m.declared(body.function);
        self.dialect = if f.signature.upper { "func" } else { "llvm" };
        self.bare = f.bare && body.kind == BodyKind::Operations;
        f
    }

    /// Sets the values of the names in a header.
    pub fn name_parameters(&mut self, f: Declared<'r>, entry: &[Value]) -> Result<()> {
        for (slot, &v) in f.params.iter().zip(entry) {
            if let Some(pos) = slot.name {
                let name = self.parse_at(pos, |p| p.local_ref())?;
                self.define(name, v, pos)?;
            }
        }
        Ok(())
    }

    /// Begins the function; its parameters.
    pub fn begin(&mut self, f: Declared<'r>, body: &Body, start: usize) -> Result<Vec<Value>> {
        self.results = f.results.iter().map(|r| r.ty).collect();
        for slot in f.results.iter().chain(f.params) {
            self.check(slot.ty, slot.pos)?;
        }
        let results = self.results.clone();
        let ret = self.returned(&results, self.bare, start)?;
        if ret != VOID {
            self.l.check_aggregate(ret).at(self.src, start)?;
        }
        let ret_attrs = f.results.first().map_or_else(Default::default, |result| result.means);
        self.s.call.begin(f.signature.convention, ret, ret_attrs);
        for slot in f.params {
            // The memref's attributes do not apply to its parts.
            let whole = slot.ty.llvm().is_some() || self.bare;
            let attrs = if whole { slot.means } else { Default::default() };
            for ty in self.travelling(slot.ty, self.bare, slot.pos)? {
                self.parameter(ty, attrs, slot.pos)?;
            }
        }
        if f.signature.variadic {
            self.s.call.take_more();
        }
        let text = &self.src.text[start..body.range.end];
        let trampolines = match self.m.facts.trampolines {
            Some(_) => memchr::memmem::find_iter(text, b"init.trampoline").count(),
            None => 0,
        };
        let (symbol, attrs, values) = (body.symbol, body.attrs, body.values.as_deref());
        let begin = FunctionStart { symbol, attrs, values, trampolines };
        let vals = self.l.begin(&begin, &mut self.s.call).at(self.src, start)?;
        if let Some(at) = body.personality {
            let name = AttributeRef::new(self.src.text, at).symbol()?;
            let v = self.symbol(&name, at)?;
            self.l.personality(v).at(self.src, at)?;
        }
        let mut at = 0;
        let mut entry = Vec::with_capacity(f.params.len());
        for slot in f.params {
            let (v, n) = self.passed_value(slot.ty, &vals[at..], self.bare, slot.pos)?;
            entry.push(v);
            at += n;
        }
        Ok(entry)
    }

    /// Appends a parameter to the current function.
    pub fn parameter(&mut self, ty: TypeId, attrs: ParamAttrs, pos: usize) -> Result<()> {
        self.l.check_aggregate(ty).at(self.src, pos)?;
        self.s.call.push(ty, attrs, Val::default());
        Ok(())
    }

    /// Begins a function without attributes, whose parameters have been appended; returns their values.
    pub fn begin_plain(&mut self, symbol: SymbolId, pos: usize) -> Result<Vec<Val>> {
        let start = FunctionStart { symbol, ..FunctionStart::default() };
        self.l.begin(&start, &mut self.s.call).at(self.src, pos)
    }

    pub fn finish(&mut self) -> Result<()> {
        self.l.close().at(self.src, self.next)?;
        if self.l.edge_targets().any(|to| to == ENTRY) {
            return Err(self.src.error(self.next, "the entry block has a predecessor"));
        }
        self.l.finish().map_err(|(_, why)| self.src.error(self.next, why))
    }

    /// The address of a symbol.
    pub fn symbol(&mut self, name: &[u8], pos: usize) -> Result<Val> {
        self.symbol_as(PTR, name, pos)
    }

    /// The address of a symbol as a pointer of a type.
    pub fn symbol_as(&mut self, ty: TypeId, name: &[u8], pos: usize) -> Result<Val> {
        let m = self.m;
        match m.lookup(name) {
            Some(s) => self.l.constant(ty, Const::Symbol { symbol: s.symbol, tls: s.tls }).at(self.src, pos),
            None => {
                let name = String::from_utf8_lossy(name);
                Err(self.src.error(pos, format!("the symbol `@{name}` is not defined")))
            }
        }
    }

    /// Returns from the function with these values.
    pub fn emit_return(&mut self, op: &Op<'r>) -> Result<()> {
        let same = op.operands.iter().map(|v| v.ty).eq(self.results.iter().copied());
        self.src.refuse_if(!same, op.pos, "the values returned are not of the function's result types")?;
        if self.is_headless() {
            self.l.unreachable();
            return Ok(());
        }
        let (results, bare) = (std::mem::take(&mut self.results), self.bare);
        let ret = self.returned(&results, bare, op.pos)?;
        self.results = results;
        let mut values = op.operands.clone();
        if self.dialect == "func" {
            for v in &mut values {
                *v = self.hand_over(*v, op.pos)?;
            }
        }
        let val = match &values[..] {
            [] => Val(0),
            &[v] => self.give_back(v, bare, op.pos)?,
            all => {
                let (mut members, mut whole) = (Vec::with_capacity(all.len()), Val::default());
                if E::PRESERVES_METADATA {
                    whole = self.l.poison_value(ret).at(self.src, op.pos)?;
                }
                for (i, &v) in all.iter().enumerate() {
                    let x = self.give_back(v, bare, op.pos)?;
                    if E::PRESERVES_METADATA {
                        whole = self.l.insert_value(ret, whole, &[i as u32], x).at(self.src, op.pos)?;
                    } else {
                        members.push(x);
                    }
                }
                match E::PRESERVES_METADATA {
                    true => whole,
                    false => self.l.aggregate(ret, &members).at(self.src, op.pos)?,
                }
            }
        };
        self.l.ret(ret, val).at(self.src, op.pos)
    }
}
