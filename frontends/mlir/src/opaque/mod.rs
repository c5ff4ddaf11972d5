//! Partial translation: operations of dialects that are not converted stay as they are, and casts connect them to the
//! others ("LLVM IR Target", "Conversion to the LLVM Dialect"; MLIR, "'builtin' Dialect",
//! `builtin.unrealized_conversion_cast`).
//!
//! An opaque operation is its text, in which values and the contents of its regions are replaced.

pub(crate) mod partial;

mod spell;

use gusset_abi::Convention;
use gusset_codegen::ir::SymbolId;
use gusset_program::{I1, OpaqueOp, OpaquePart, Sink, VOID, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::OpKind;
use crate::convert::reader::Reader;
use crate::syntax::op::{LocalRef, Op, Value};
use crate::syntax::op_table::Shape;
use crate::syntax::types::{INDEX, Ty};
use crate::syntax::{Label, Next, name_end};

/// What is inserted into the text of an operation.
enum Insert {
    Value(Val),
    Region,
}

const CAST: &[u8] = b"builtin.unrealized_conversion_cast ";

impl<'r, E: Sink> Reader<'r, E> {
    /// Whether an operation of this name stays. Branches never do: they go between blocks, which all functions have,
    /// and the writer names them.
    #[inline]
    fn stays(&self, name: &[u8]) -> bool {
        let Some(only) = self.m.only.as_ref().filter(|_| E::PRESERVES_METADATA) else { return false };
        let branch = matches!(name, b"cf.br" | b"cf.cond_br" | b"cf.switch" | b"builtin.unrealized_conversion_cast");
        let (dialect, _) = name.split_at(name.iter().position(|&b| b == b'.').unwrap_or(0));
        // `return` and `call`.
        let dialect = if dialect.is_empty() { b"func" } else { dialect };
        !branch && dialect != b"llvm" && !only.iter().any(|d| d.as_bytes() == dialect)
    }

    /// The form of a value for operations that stay.
    fn unconverted_form(&mut self, v: Value, pos: usize) -> Result<Val> {
        let here = self.l.current_block();
        match self.casts.outsides.get(&(v.at, v.ty)) {
            Some(&(val, block)) if block.is_none() || block == here => return Ok(val),
            _ if v.ty.llvm().is_some() => return Ok(self.one(v)),
            _ => {}
        }
        self.check(v.ty, pos)?;
        let (ty, whole) = self.whole(v)?;
        let val = self.l.opaque_value(VOID);
        let mut parts = vec![text(CAST), OpaquePart::Value(whole), text(b" : "), OpaquePart::Type(ty), text(b" to ")];
        self.t.spell(v.ty, &mut parts);
        self.l.opaque(OpaqueOp { parts, results: vec![val], ..OpaqueOp::default() });
        self.casts.outsides.insert((v.at, v.ty), (val, here));
        self.casts.log.push((v.at, v.ty));
        Ok(val)
    }

    /// A value that an operation which stays defines.
    fn given(&mut self, ty: Ty, val: Val) -> Value {
        let n = self.t.count(ty).max(1);
        let v = self.value(ty, &vec![val; n]);
        if ty.llvm().is_none() {
            self.casts.outsides.insert((v.at, ty), (val, None));
        }
        v
    }

    /// The form of a value for operations that are converted.
    pub fn converted_form(&mut self, v: Value, pos: usize) -> Result<Value> {
        let Some(&(val, None)) = self.casts.outsides.get(&(v.at, v.ty)).filter(|_| !self.casts.asleep) else {
            return Ok(v);
        };
        self.check(v.ty, pos)?;
        let here = self.l.current_block();
        match self.casts.insides.get(&(v.at, v.ty)) {
            Some(&(known, block)) if block == here => return Ok(known),
            _ => {}
        }
        let id = self.t.whole(v.ty);
        let whole = self.l.opaque_value(id);
        let mut parts = vec![text(CAST), OpaquePart::Value(val), text(b" : ")];
        self.t.spell(v.ty, &mut parts);
        parts.extend([text(b" to "), OpaquePart::Type(id)]);
        self.l.opaque(OpaqueOp { parts, results: vec![whole], ..OpaqueOp::default() });
        let known = self.unpack(v.ty, whole);
        self.casts.insides.insert((v.at, v.ty), (known, here));
        self.casts.log.push((v.at, v.ty));
        Ok(known)
    }

    /// Reads the operation that comes next, if it stays.
    pub fn leaves_opaque(&mut self, op: &mut Op<'r>) -> Result<bool> {
        let (name, quoted) = self.parse(|p| p.peek_name())?;
        let m = self.m;
        let shape = m.named(name, self.dialect);
        let known = match shape {
            Some(shape) => shape.row.name.as_bytes(),
            // It has no dialect, which the generic form allows.
            None if quoted && !name.contains(&b'.') => b"none.unknown",
            None => name,
        };
        if !self.stays(known) {
            return Ok(false);
        }
        self.casts.asleep = true;
        let read = if quoted { self.opaque_generic(op) } else { self.opaque_custom(shape, op) };
        self.casts.asleep = false;
        let results = read?;
        let successors = !op.successors.is_empty();
        let m = "an operation that goes to blocks cannot stay: convert its dialect, too";
        self.src.refuse_if(successors, op.pos, m)?;
        self.emit_opaque(&results, op)?;
        Ok(true)
    }

    /// Reads an operation that stays, in the generic form; returns the types of its results.
    fn opaque_generic(&mut self, op: &mut Op<'r>) -> Result<Vec<Ty>> {
        self.parse(|p| p.generic_name().and_then(|_| p.generic(op)))?;
        self.find_inputs(op)?;
        Ok(std::mem::take(&mut op.results))
    }

    /// The same of an operation in the custom form.
    fn opaque_custom(&mut self, shape: Option<&'r Shape<OpKind>>, op: &mut Op<'r>) -> Result<Vec<Ty>> {
        let Some(shape) = shape else {
            let m = "the custom form of this operation is not known: have it printed in the generic form \
                     (`mlir-opt --mlir-print-op-generic`)";
            return Err(self.src.error(op.pos, m));
        };
        let (word, ()) = self.parse(|p| p.custom_name(|_| None, |_| Ok(())))?;
        (op.name, op.text, op.rule) = (shape.row.name, word, shape.results.as_deref());
        self.parse(|p| p.custom(&shape.form, op))?;
        if let Some(results) = &shape.results {
            self.find_operands(shape, op)?;
            return (0..results.len()).map(|i| self.result_type(op, i)).collect();
        }
        let unknown = || self.src.error(op.pos, "the type of the result is not known");
        let first = || op.slot(b'A').ok_or_else(unknown);
        // Rows that determine the results neither by a rule nor by the letter `R`.
        Ok(match op.name {
            "affine.load" => vec![first().map(|ty| self.t.element(self.l.types(), ty).unwrap_or(ty))?],
            "arith.constant" => {
                let own = self.need(op, "value")?.own_type(self.t, self.l.types_mut())?;
                vec![own.unwrap_or(Ty::of(I1))]
            }
            "memref.extract_strided_metadata" => op.slot(b'B').iter().chain(op.slot_list(b'T')).copied().collect(),
            "vector.extract" => vec![first()?],
            "vector.shuffle" | "vector.outerproduct" => {
                let shape = |ty: Option<Ty>| ty.and_then(|ty| self.t.vector_of(self.l.types(), ty));
                let (mut dims, lane) = shape(op.slot(b'A')).ok_or_else(unknown)?;
                if op.name == "vector.shuffle" {
                    // The first dimension may be missing if it is a single lane.
                    let mask = self.attr_ints(op, "mask")?.unwrap_or_default();
                    dims.splice(..dims.len().min(1), [mask.len() as u32]);
                } else if let Some((more, _)) = shape(op.slot(b'B')) {
                    dims.extend(more);
                }
                vec![self.t.vector(self.l.types_mut(), &dims, lane).at(self.src, op.pos)?]
            }
            "memref.assume_alignment" => Vec::new(),
            _ if op.results.is_empty() => op.slot_list(b'R').to_vec(),
            _ => std::mem::take(&mut op.results),
        })
    }

    /// Hands over an operation that stays: its text, with its regions, and its results.
    fn emit_opaque(&mut self, results: &[Ty], op: &mut Op<'r>) -> Result<()> {
        op.end = self.next;
        let end = self.src.text[..op.end].trim_ascii_end().len();
        let mut inserts: Vec<((usize, usize), Insert)> = Vec::new();
        op.refs.sort_by_key(|r| r.1);
        op.refs.dedup_by_key(|r| r.1);
        for &(r, pos) in &op.refs {
            let v = self.defined_value(r, pos)?;
            inserts.push(((pos, name_end(self.src, pos)), Insert::Value(self.unconverted_form(v, pos)?)));
        }
        let given = self.given_types(results, op)?;
        let mut named = Vec::with_capacity(given.len());
        for (&(r, pos), &ty) in op.arguments.iter().zip(&given) {
            let val = self.l.opaque_value(ty.llvm().unwrap_or(VOID));
            inserts.push(((pos, name_end(self.src, pos)), Insert::Value(val)));
            named.push((r, pos, ty, val));
        }
        inserts.extend(op.regions.iter().map(|&open| ((open, open + 1), Insert::Region)));
        inserts.sort_by_key(|i| i.0);
        let vals: Vec<Val> = results.iter().map(|ty| self.l.opaque_value(ty.llvm().unwrap_or(VOID))).collect();
        let mut given_now = Some(vals.clone());
        let (mut parts, mut from, mut closes) = (Vec::new(), op.pos, false);
        // Its dialect was implied there.
        if !op.generic && !op.text.contains(&b'.') {
            parts.push(text(b"func."));
        }
        for ((at, to), insert) in inserts {
            // Inside a region, this position is passed already.
            let Some(before) = self.src.text.get(from..at) else { continue };
            parts.push(text(before));
            from = to;
            match insert {
                Insert::Value(val) => parts.push(OpaquePart::Value(val)),
                Insert::Region => {
                    parts.push(text(b"{"));
                    let results = given_now.take().unwrap_or_default();
                    let parts = std::mem::take(&mut parts);
                    self.l.opaque(OpaqueOp { parts, results, opens: true, closes, ends: false });
                    from = self.opaque_region(at, &std::mem::take(&mut named))?;
                    closes = true;
                }
            }
        }
        parts.push(text(&self.src.text[from..end]));
        self.next = op.end;
        // The last operation of a function's block ends the block, whatever it is.
        let ends = self.depth == 0 && self.parse(|p| p.is_at_block_end());
        self.l.opaque(OpaqueOp { parts, results: given_now.unwrap_or_default(), closes, ends, ..OpaqueOp::default() });
        for (&ty, &val) in results.iter().zip(&vals) {
            let v = self.given(ty, val);
            op.values.push(v);
        }
        Ok(())
    }

    /// The types of the names that an operation's header defines.
    fn given_types(&mut self, results: &[Ty], op: &Op<'r>) -> Result<Vec<Ty>> {
        let counters = op.counters.min(op.arguments.len());
        // The counter of a loop may be an integer.
        let counter = if op.name == "scf.for" { op.slot(b'C').unwrap_or(INDEX) } else { INDEX };
        let carried = if op.name == "scf.while" { op.slot_list(b'T') } else { results };
        let rest = &op.arguments[counters..];
        if let Some(&(_, pos)) = rest.get(carried.len()) {
            return Err(self.src.error(pos, "there are not as many types as values"));
        }
        let mut types = vec![counter; counters];
        types.extend_from_slice(&carried[..rest.len()]);
        Ok(types)
    }

    /// Reads a region of an operation that stays, whose brace is at `open`, and which defines these names in it. Returns
    /// the position of its end.
    fn opaque_region(&mut self, open: usize, names: &[(LocalRef, usize, Ty, Val)]) -> Result<usize> {
        self.src.refuse_if(self.depth >= gusset_program::MAX_DEPTH, open, "regions are nested too deeply")?;
        self.depth += 1;
        self.next = open;
        self.parse(|p| p.enter_region())?;
        let outer = self.open_scope();
        let known = self.casts.log.len();
        let around = std::mem::take(&mut self.on_stack);
        let block = self.l.current_block();
        for &name in names {
            self.name_opaque_value(name)?;
        }
        self.opaque_label()?;
        let end = loop {
            let pos = self.next;
            match self.parse(|p| p.next_in_region())? {
                Next::End => break pos,
                Next::Label => {
                    let m = "a region of several blocks cannot stay: convert the dialect of its operation, too";
                    return Err(self.src.error(pos, m));
                }
                Next::Operation => {
                    self.operation()?;
                    let m = "this operation becomes several blocks, which the region that it stands in cannot have: convert the \
                             dialect of the operation around it, too";
                    self.src.refuse_if(self.l.current_block() != block, pos, m)?;
                }
            }
        };
        self.close_scope(outer)?;
        // Casts in the region are not available after it.
        for key in self.casts.log.drain(known..) {
            self.casts.insides.remove(&key);
            if self.casts.outsides.get(&key).is_some_and(|cast| cast.1.is_some()) {
                self.casts.outsides.remove(&key);
            }
        }
        self.on_stack = around;
        self.depth -= 1;
        Ok(end)
    }

    /// Binds a name to a value that an operation which stays defines.
    fn name_opaque_value(&mut self, (name, pos, ty, val): (LocalRef, usize, Ty, Val)) -> Result<()> {
        let v = self.given(ty, val);
        self.define(name, v, pos)
    }

    /// Reads the label of a region's only block, if it has one, with its arguments.
    fn opaque_label(&mut self) -> Result<()> {
        let mut from = self.next;
        if !self.parse(|p| p.is_at_label()) {
            return Ok(());
        }
        let Label { names, types, .. } = self.parse(|p| p.label(true))?;
        let (mut parts, mut named) = (Vec::new(), Vec::new());
        for (&(name, pos), &ty) in names.iter().zip(&types) {
            let val = self.l.opaque_value(ty.llvm().unwrap_or(VOID));
            parts.extend([text(&self.src.text[from..pos]), OpaquePart::Value(val)]);
            from = name_end(self.src, pos);
            named.push((name, pos, ty, val));
        }
        parts.push(text(self.src.text[from..self.next].trim_ascii_end()));
        self.l.opaque(OpaqueOp { parts, ..OpaqueOp::default() });
        named.into_iter().try_for_each(|name| self.name_opaque_value(name))
    }

    /// Reads a function that stays and comes next; returns the position of its closing brace.
    pub fn opaque_function(&mut self) -> Result<usize> {
        let start = self.next;
        let header = self.parse(|p| p.header())?;
        let Some(open) = header.region else { return Err(self.src.error(start, "the function has no body")) };
        self.dialect = if header.upper { "func" } else { "llvm" };
        self.results = header.results.iter().map(|r| r.ty).collect();
        self.s.call.begin(Convention::C, VOID, Default::default());
        self.begin_plain(SymbolId(0), start)?;
        let outer = self.open_scope();
        let (mut from, mut parts, mut named) = (start, Vec::new(), Vec::new());
        for (pos, ty) in header.params.iter().filter_map(|slot| slot.name.map(|pos| (pos, slot.ty))) {
            let val = self.l.opaque_value(ty.llvm().unwrap_or(VOID));
            parts.extend([text(&self.src.text[from..pos]), OpaquePart::Value(val)]);
            from = name_end(self.src, pos);
            named.push((self.parse_at(pos, |p| p.local_ref())?, pos, ty, val));
        }
        parts.push(text(&self.src.text[from..=open]));
        self.l.opaque(OpaqueOp { parts, opens: true, ..OpaqueOp::default() });
        named.into_iter().try_for_each(|name| self.name_opaque_value(name))?;
        self.next = open;
        self.parse(|p| p.enter_region())?;
        self.opaque_label()?;
        self.operations(&[])?;
        self.src.refuse_if(self.l.current_block().is_some(), self.next, "the last block has no terminator")?;
        let close = self.src.text[..self.next].iter().rposition(|&b| b == b'}').unwrap_or(self.next);
        self.check_all_defined()?;
        self.close_scope(outer)?;
        self.l.close().at(self.src, self.next)?;
        self.l.finish().map_err(|(_, why)| self.src.error(self.next, why))?;
        Ok(close)
    }
}

fn text(bytes: impl AsRef<[u8]>) -> OpaquePart {
    OpaquePart::Text(bytes.as_ref().into())
}
