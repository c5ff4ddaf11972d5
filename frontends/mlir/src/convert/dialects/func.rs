//! The dialect `func`, `cf.assert`, and casts between types before and after their conversion.
//!
//! MLIR, "'func' Dialect"; "LLVM IR Target", "Calling Conventions".

use gusset_abi::Convention;
use gusset_codegen::ir::Callee;
use gusset_program::{
    CallSite, CallTarget, Cast, Flags, FnAttrs, I1, I8, Index, PTR, ParamAttrs, Sink, TypeId, VOID, Val,
};
use gusset_text::{Placed, Result};

use crate::context::op_kind::{Func, OpKind};
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::dialect::UnrankedDescriptor;
use crate::syntax::op::{Op, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::{Kind, Ty};

use super::rows::row;

#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("func.call", "@callee ( %* ) {} : ( T* ) -> (R*)", "T* -> ...", OpKind::Func(Func::Call)),
    row("func.call_indirect", "% ( %* ) {} : ( T* ) -> (R*)", "f T* -> ...", OpKind::Func(Func::CallIndirect)),
    row("func.constant", "@value {} : A", "-> A", OpKind::Func(Func::Constant)),
    row("call", "@callee ( %* ) {} : ( T* ) -> (R*)", "T* -> ...", OpKind::Func(Func::Call)),
];

impl<'r, E: Sink> Reader<'r, E> {
    pub fn func(&mut self, kind: Func, op: &mut Op<'r>) -> Result<()> {
        match kind {
            Func::Call => self.func_call(op),
            Func::CallIndirect => self.call_indirect(op),
            Func::Constant => {
                let (name, pos) = self.attr_symbol(op, "value")?;
                let ty = self.result_type(op, 0)?;
                let pointer = self.t.count(ty) == 1 && self.t.part(ty, 0) == PTR;
                self.src.refuse_if(!pointer, op.pos, "the constant's type is not that of a function")?;
                if let Some(Kind::Function { inputs, results }) = self.t.own(ty).cloned() {
                    self.agrees((&name, pos), (&inputs, &results), (true, false))?;
                }
                let v = self.symbol(&name, pos)?;
                self.give(op, ty, &[v]);
                Ok(())
            }
        }
    }

    /// `@f(%a) : (type) -> type`.
    fn func_call(&mut self, op: &mut Op<'r>) -> Result<()> {
        let (name, pos) = self.attr_symbol(op, "callee")?;
        let (callee, attrs, variadic) = self.callee(&name, pos)?;
        let params: Vec<Ty> = op.operands.iter().map(|v| v.ty).collect();
        self.agrees((&name, pos), (&params, &op.results), (true, false))?;
        let bare = self.m.lookup(&name).is_some_and(|s| s.bare);
        self.upper_call((callee, attrs.0), (variadic, bare), 0, op)
    }

    /// `%f(%a) : (type) -> type`.
    fn call_indirect(&mut self, op: &mut Op<'r>) -> Result<()> {
        let (ty, v) = self.single(self.first_operand(op)?, op.pos)?;
        self.src.refuse_if(ty != PTR, op.pos, "what is called must be a function")?;
        let callee = self.l.known(v).callee(v);
        self.upper_call((callee, 0), (None, self.m.bare_pointers), 1, op)
    }

    /// Calls a function of this dialect.
    fn upper_call(
        &mut self,
        callee: (Callee, u64),
        (variadic, bare): (Option<usize>, bool),
        first: usize,
        op: &mut Op<'r>,
    ) -> Result<()> {
        let types = op.results.clone();
        for &ty in &types {
            self.check(ty, op.pos)?;
        }
        let mut args = Vec::with_capacity(op.operands.len());
        for k in first..op.operands.len() {
            args.extend(self.set_out(op.operands[k], bare, op.pos)?);
        }
        let ret = self.returned(&types, bare, op.pos)?;
        self.s.call.begin(Convention::C, ret, ParamAttrs::default());
        for (ty, v) in args {
            self.pass(ty, ParamAttrs::default(), v, Vec::new());
        }
        let (target, attrs) = (CallTarget::Function(callee.0), FnAttrs(callee.1));
        let val = self.make_call(&CallSite { attrs, variadic, ..CallSite::of(target) }, op.pos)?;
        for v in self.results_of(&types, ret, val, bare, op.pos)? {
            let v = self.adopt(v, op.pos)?;
            op.values.push(v);
        }
        Ok(())
    }

    /// The descriptor of an unranked memref that a function has returned is on the heap: it is copied to the stack, and
    /// the heap's is freed.
    fn adopt(&mut self, v: Value, pos: usize) -> Result<Value> {
        if !matches!(self.t.own(v.ty), Some(Kind::Unranked { .. })) {
            return Ok(v);
        }
        let UnrankedDescriptor { rank, descriptor: heap } = self.unranked_fields(v);
        let bytes = self.descriptor_bytes(rank, pos)?;
        self.enter_stack(pos)?;
        let place = self.l.alloca(I8, Some(bytes), 16, false).at(self.src, pos)?;
        self.copy_bytes(place, heap, bytes, pos)?;
        self.call_library("free", VOID, &[(PTR, heap)], pos)?;
        Ok(self.value(v.ty, &[rank, place]))
    }

    /// Prepares what a function returns: the descriptor of an unranked memref is copied to the heap, for each result
    /// separately.
    pub fn hand_over(&mut self, v: Value, pos: usize) -> Result<Value> {
        if !matches!(self.t.own(v.ty), Some(Kind::Unranked { .. })) {
            return Ok(v);
        }
        let UnrankedDescriptor { rank, descriptor: place } = self.unranked_fields(v);
        let bytes = self.descriptor_bytes(rank, pos)?;
        let size = self.as_size(bytes, pos)?;
        let heap = self.call_library("malloc", PTR, &[size], pos)?;
        self.copy_bytes(heap, place, bytes, pos)?;
        Ok(self.value(v.ty, &[rank, heap]))
    }

    /// A copy of memory.
    pub fn copy_bytes(&mut self, to: Val, from: Val, bytes: Val, pos: usize) -> Result<()> {
        let plain = self.l.integer(I1, 0);
        let args = [(PTR, to), (PTR, from), (self.t.index, bytes), (I1, plain)];
        self.call_intrinsic("memcpy", VOID, &args, pos).map(drop)
    }

    /// Calls a function of the C library.
    pub fn call_library(&mut self, name: &str, ret: TypeId, args: &[(TypeId, Val)], pos: usize) -> Result<Val> {
        if let Some(conflict) = self.m.conflicts.iter().find(|known| known.0 == name.as_bytes()) {
            let line = memchr::memchr_iter(b'\n', &self.src.text[..conflict.1]).count() + 1;
            let m = format!("memory comes from `{name}`, which the module has under another type in line {line}");
            return Err(self.src.error(pos, m));
        }
        let Some(symbol) = self.m.library_function(name) else {
            return Err(self.src.error(pos, format!("the function `{name}` is not known")));
        };
        self.call_symbol(Callee::Symbol(symbol), ret, args, pos)
    }

    /// `cf.assert`: if the condition is false, the program prints the message and ends, or calls the selected function.
    pub fn assert(&mut self, op: &mut Op<'r>) -> Result<()> {
        let c = self.one(self.first_operand(op)?);
        let (good, bad) = (self.l.create_block(), self.l.create_block());
        let (g, b) = (self.l.edge(good), self.l.edge(bad));
        self.l.br(c, g, b);
        self.l.start_block(bad);
        let mut text = self.need(op, "msg")?.bytes()?;
        text.push(0);
        let place = self.text_address(&text, op.pos)?;
        match self.m.failure {
            Some(failure) => {
                self.call_symbol(Callee::Symbol(failure), VOID, &[(PTR, place)], op.pos)?;
            }
            None => {
                self.call_library("puts", gusset_program::I32, &[(PTR, place)], op.pos)?;
                self.call_library("abort", VOID, &[], op.pos)?;
            }
        }
        self.l.unreachable();
        self.l.start_block(good);
        Ok(())
    }

    /// The address of a text: that of data, or if there is none, on the stack.
    pub fn text_address(&mut self, text: &[u8], pos: usize) -> Result<Val> {
        if let Some(&symbol) = self.m.texts.get(text) {
            return self.l.symbol_address(symbol, false).at(self.src, pos);
        }
        let array = self.l.types_mut().array(I8, text.len() as u64).at(self.src, pos)?;
        let one = self.l.integer(gusset_program::I32, 1);
        let place = self.l.alloca(array, Some(one), 16, false).at(self.src, pos)?;
        self.put_text(place, text, pos)?;
        Ok(place)
    }

    /// Stores bytes, eight at a time.
    fn put_text(&mut self, place: Val, text: &[u8], pos: usize) -> Result<()> {
        for (i, chunk) in text.chunks(8).enumerate() {
            let mut raw = [0; 8];
            raw[..chunk.len()].copy_from_slice(chunk);
            let bits = 8 * chunk.len() as u32;
            let ty = gusset_program::TypeTable::int(bits.next_power_of_two());
            let little = u64::from_le_bytes(raw);
            let v = self.l.integer(ty, little.into());
            let index = Index::Number(gusset_program::I64, 8 * i as i64);
            let (_, at) = self.l.element_address(I8, (PTR, place), index).at(self.src, pos)?;
            self.l.store(ty, v, at, 1, false, 0).at(self.src, pos)?;
        }
        Ok(())
    }

    /// Values regarded as values of other types: a value before its conversion is the same as after it.
    pub fn unrealized(&mut self, op: &mut Op<'r>) -> Result<()> {
        let results = if op.generic { op.results.clone() } else { op.slot_list(b'B').to_vec() };
        for &ty in &results {
            self.check(ty, op.pos)?;
        }
        // All operands as scalars and vectors, of which the results consist.
        let mut flat: Vec<(TypeId, Val)> = Vec::new();
        for k in 0..op.operands.len() {
            let v = op.operands[k];
            for i in 0..self.t.count(v.ty) {
                flat.push((self.t.part(v.ty, i), self.part(v, i)));
            }
        }
        if let (&[(from, val)], &[to]) = (&flat[..], &results[..])
            && self.t.whole(to) == from
        {
            let v = self.unpack(to, val);
            op.values.push(v);
            return Ok(());
        }
        if let (&[v], &[to]) = (&op.operands[..], &results[..]) {
            let (from, val) = self.whole(v)?;
            if self.t.whole(to) == from {
                let v = self.unpack(to, val);
                op.values.push(v);
                return Ok(());
            }
            if let (Some(a), Some(b)) = (self.integer_bits(v.ty), self.integer_bits(to)) {
                if let Some(first) = self.before_cast(v, to) {
                    op.values.push(first);
                    return Ok(());
                }
                // `index` regarded as an integer of another width.
                let cast = if a > b { Cast::Trunc } else { Cast::Zext };
                let given = self.cast_value((cast, Flags::default()), v, to, op.pos)?;
                self.note_cast(given, v);
                op.values.push(given);
                return Ok(());
            }
        }
        let mut next = flat.iter();
        for &ty in &results {
            let at = self.begin_value();
            for i in 0..self.t.count(ty) {
                match next.next() {
                    Some(&(own, v)) if own == self.t.part(ty, i) => self.push_part(v),
                    _ => return Err(self.src.error(op.pos, self.cast_message(op, &results))),
                }
            }
            op.values.push(Value { ty, at });
        }
        if next.next().is_some() {
            return Err(self.src.error(op.pos, self.cast_message(op, &results)));
        }
        Ok(())
    }

    fn integer_bits(&self, ty: Ty) -> Option<u32> {
        let part = (self.t.count(ty) == 1).then(|| self.t.part(ty, 0))?;
        let integer = matches!(self.l.types().get(part).kind, gusset_program::Kind::Int);
        integer.then(|| self.l.types().ir(part).bits())
    }

    #[cold]
    fn cast_message(&self, op: &Op<'r>, _results: &[Ty]) -> String {
        let end = self.src.text[op.pos..].iter().position(|&b| b == b'\n').map_or(self.src.text.len(), |n| op.pos + n);
        let text = String::from_utf8_lossy(&self.src.text[op.pos..end.min(op.pos + 200)]);
        format!(
            "this cast joins types that are not conversions of each other; a pass is missing in front of it: `{text}`"
        )
    }
}
