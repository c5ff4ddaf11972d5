//! Partial translation: operations of dialects that are not converted stay as they are, and casts connect them to the
//! others ("LLVM IR Target", "Conversion to the LLVM Dialect"; MLIR, "'builtin' Dialect",
//! `builtin.unrealized_conversion_cast`).
//!
//! An opaque operation is its text, in which values and the contents of its regions are replaced.

pub(crate) mod partial;

mod scan;
mod spell;

use gusset_abi::Convention;
use gusset_codegen::ir::SymbolId;
use gusset_program::{I1, OpaqueOp, OpaquePart, Sink, VOID, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::OpKind;
use crate::convert::reader::Reader;
use crate::syntax::header::Header;
use crate::syntax::lexer::Tokens;
use crate::syntax::op::{LocalRef, Op, Value};
use crate::syntax::op_table::{Form, Shape, Token};
use crate::syntax::types::{INDEX, Ty};

use scan::Scan;

/// The types of results in an operation's text, if its row does not give them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Results {
    None,
    /// The type that stands last.
    Last,
    /// The types after the arrow, if there is one.
    Arrow,
    /// The type after the colon.
    Colon,
    /// The element type of the last type.
    Element,
    /// A vector as long as the mask.
    Shuffle,
    /// A product of vectors.
    Outer,
}

/// Operations whose rows do not determine the results, neither by a rule nor by the letter `R`.
const RESULTS: [(&str, Results); 8] = [
    ("affine.load", Results::Element),
    ("arith.constant", Results::Last),
    ("memref.assume_alignment", Results::None),
    ("memref.extract_strided_metadata", Results::Arrow),
    ("scf.forall", Results::Arrow),
    ("vector.extract", Results::Colon),
    ("vector.outerproduct", Results::Outer),
    ("vector.shuffle", Results::Shuffle),
];

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

    /// Reads the operation whose name is at the cursor, if it stays.
    pub fn leaves_opaque(&mut self, op: &mut Op<'r>) -> Result<bool> {
        let quoted = self.c.peek() == b'"';
        let name = if quoted { self.c.clone().quoted()? } else { self.c.peek_word() };
        let shape = self.shape(name).or_else(|| self.short_named(name));
        let known = match shape {
            Some(shape) => shape.row.name.as_bytes(),
            // It has no dialect, which the generic form allows.
            None if quoted && !name.contains(&b'.') => b"none.unknown",
            None => name,
        };
        if !self.stays(known) {
            return Ok(false);
        }
        self.leave_opaque(shape, op)?;
        Ok(true)
    }

    /// Reads an operation that stays, in either form; the cursor is at its name.
    fn leave_opaque(&mut self, shape: Option<&'r Shape<OpKind>>, op: &mut Op<'r>) -> Result<()> {
        let start = self.c.pos;
        self.casts.asleep = true;
        let read = self.opaque_text(shape, op);
        self.casts.asleep = false;
        let (scan, results) = read?;
        let successors = !op.successors.is_empty();
        self.src.refuse_if(
            successors,
            start,
            "an operation that goes to blocks cannot stay: convert its dialect, too",
        )?;
        self.emit_opaque(start, &scan, &results, op)
    }

    /// Reads the text of an operation that stays, and the types of its results.
    fn opaque_text(&mut self, shape: Option<&'r Shape<OpKind>>, op: &mut Op<'r>) -> Result<(Scan, Vec<Ty>)> {
        let start = self.c.pos;
        if self.c.peek() == b'"' {
            self.c.quoted()?;
            self.parse(|p| p.generic(op))?;
            op.end = self.c.pos;
            self.find_inputs(op)?;
            let at = |&(_, pos): &(LocalRef, usize)| (pos, self.name_end(pos));
            let scan = Scan {
                uses: op.refs.iter().map(at).collect(),
                regions: std::mem::take(&mut op.regions),
                end: self.src.text[..op.end].trim_ascii_end().len(),
                ..Scan::default()
            };
            Ok((scan, std::mem::take(&mut op.results)))
        } else {
            let Some(shape) = shape else { return Err(self.needs_generic(start)) };
            let word = self.c.peek_word();
            self.c.bump(word.len());
            (op.name, op.text, op.rule) = (shape.row.name, word, shape.results.as_deref());
            self.opaque_custom(shape, op)
        }
    }

    #[cold]
    fn needs_generic(&self, pos: usize) -> gusset_text::ReadError {
        let m = "the custom form of this operation is not known: have it printed in the generic form \
                 (`mlir-opt --mlir-print-op-generic`)";
        self.src.error(pos, m)
    }

    /// The text of an operation in the custom form, after its name, and the types of its results.
    fn opaque_custom(&mut self, shape: &'r Shape<OpKind>, op: &mut Op<'r>) -> Result<(Scan, Vec<Ty>)> {
        let known = RESULTS.iter().find(|row| row.0 == shape.row.name).map(|row| row.1);
        self.parse(|p| p.custom(&shape.form, op))?;
        let end = Some(self.c.pos).filter(|_| shape.form[..] != [Token::Hand(Form::Unread)]);
        let scan = self.scan_text(op.pos, end)?;
        let types = match (known, &shape.results) {
            (Some(known), _) => self.results_as_said(known, &scan, op)?,
            (None, Some(results)) => {
                self.find_operands(shape, op)?;
                (0..results.len()).map(|i| self.result_type(op, i)).collect::<Result<_>>()?
            }
            (None, None) if op.results.is_empty() => op.slot_list(b'R').to_vec(),
            (None, None) => std::mem::take(&mut op.results),
        };
        Ok((scan, types))
    }

    fn types_at(&mut self, at: usize) -> Result<Vec<Ty>> {
        let before = std::mem::replace(&mut self.c.pos, at);
        let mut types = Vec::new();
        loop {
            types.extend(self.t.results(self.l.types_mut(), &mut self.c)?);
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.pos = before;
        Ok(types)
    }

    fn said_type(&mut self, at: Option<usize>, op: &Op<'r>) -> Result<Ty> {
        let at = at.ok_or_else(|| self.src.error(op.pos, "the type of the result is not known"))?;
        let before = std::mem::replace(&mut self.c.pos, at);
        let ty = self.ty();
        self.c.pos = before;
        ty
    }

    fn results_as_said(&mut self, results: Results, scan: &Scan, op: &Op<'r>) -> Result<Vec<Ty>> {
        Ok(match results {
            Results::None => Vec::new(),
            Results::Arrow => match scan.arrow {
                Some(at) => self.types_at(at)?,
                None => Vec::new(),
            },
            // `arith.constant true`.
            Results::Last if scan.last.is_none() && op.name == "arith.constant" => vec![Ty::of(I1)],
            Results::Last => vec![self.said_type(scan.last, op)?],
            Results::Colon => vec![self.said_type(scan.colon, op)?],
            Results::Element => {
                let ty = self.said_type(scan.last, op)?;
                vec![self.t.element(self.l.types(), ty).unwrap_or(ty)]
            }
            Results::Shuffle | Results::Outer => vec![self.product(results, scan, op)?],
        })
    }

    /// The vector that `vector.shuffle` or `vector.outerproduct` returns.
    fn product(&mut self, results: Results, scan: &Scan, op: &Op<'r>) -> Result<Ty> {
        let at = scan.colon.ok_or_else(|| self.src.error(op.pos, "the type of the result is not known"))?;
        let types = self.types_at(at)?;
        let unknown = || self.src.error(op.pos, "the type of the result is not known");
        let shape = |ty: &Ty| self.t.vector_of(self.l.types(), *ty);
        let (mut dims, lane) = types.first().and_then(shape).ok_or_else(unknown)?;
        match (results, types.get(1).and_then(shape)) {
            (Results::Shuffle, _) => {
                let mask = self.attr_ints(op, "mask")?.unwrap_or_default();
                // The first dimension may be missing if it is a single lane.
                dims.splice(..dims.len().min(1), [mask.len() as u32]);
            }
            (_, Some((more, _))) => dims.extend(more),
            (_, None) => {}
        }
        self.t.vector(self.l.types_mut(), &dims, lane).at(self.src, op.pos)
    }

    /// Hands over an operation that stays: its text, with its regions, and its results.
    fn emit_opaque(&mut self, start: usize, scan: &Scan, results: &[Ty], op: &mut Op<'r>) -> Result<()> {
        let mut inserts: Vec<((usize, usize), Insert)> = Vec::new();
        for &at in &scan.uses {
            let v = self.operand_at(at.0)?;
            inserts.push((at, Insert::Value(self.unconverted_form(v, at.0)?)));
        }
        let given = self.given_types(scan, results, op)?;
        let mut named = Vec::with_capacity(given.len());
        for (g, &ty) in scan.given.iter().zip(&given) {
            let val = self.l.opaque_value(ty.llvm().unwrap_or(VOID));
            inserts.push((g.at, Insert::Value(val)));
            named.push((g.at.0, ty, val));
        }
        inserts.extend(scan.regions.iter().map(|&open| ((open, open + 1), Insert::Region)));
        inserts.sort_by_key(|i| i.0);
        let vals: Vec<Val> = results.iter().map(|ty| self.l.opaque_value(ty.llvm().unwrap_or(VOID))).collect();
        let mut given_now = Some(vals.clone());
        let (mut parts, mut from, mut closes) = (Vec::new(), start, false);
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
                    self.c.pos = at;
                    from = self.opaque_region(&std::mem::take(&mut named))?;
                    closes = true;
                }
            }
        }
        parts.push(text(&self.src.text[from..scan.end.max(from)]));
        self.c.pos = scan.end.max(from);
        self.c.ws();
        // The last operation of a function's block ends the block, whatever it is.
        let ends = self.depth == 0 && matches!(self.c.peek(), b'}' | b'^');
        self.l.opaque(OpaqueOp { parts, results: given_now.unwrap_or_default(), closes, ends, ..OpaqueOp::default() });
        op.end = self.c.pos;
        for (&ty, &val) in results.iter().zip(&vals) {
            let v = self.given(ty, val);
            op.values.push(v);
        }
        Ok(())
    }

    /// The value of the name at a position.
    fn operand_at(&mut self, pos: usize) -> Result<Value> {
        let before = std::mem::replace(&mut self.c.pos, pos);
        let r = self.local_ref()?;
        self.c.pos = before;
        self.defined_value(r, pos)
    }

    /// The types of the names that an operation's header defines.
    fn given_types(&mut self, scan: &Scan, results: &[Ty], op: &Op<'r>) -> Result<Vec<Ty>> {
        let mut carried = results.to_vec();
        let mut counter = INDEX;
        match (op.name, scan.colon) {
            ("scf.while", Some(at)) => {
                let before = std::mem::replace(&mut self.c.pos, at);
                carried = self.t.list(self.l.types_mut(), &mut self.c)?;
                self.c.pos = before;
            }
            // The counter of a loop may be an integer.
            ("scf.for", Some(at)) => counter = self.said_type(Some(at), op)?,
            _ => {}
        }
        let mut carried = carried.into_iter();
        let unknown = "there are not as many types as values";
        scan.given
            .iter()
            .map(
                |g| {
                    if g.carried { carried.next().ok_or_else(|| self.src.error(g.at.0, unknown)) } else { Ok(counter) }
                },
            )
            .collect()
    }

    /// Reads a region of an operation that stays, which defines these names in it; the cursor is at its brace. Returns
    /// the position of its end.
    fn opaque_region(&mut self, names: &[(usize, Ty, Val)]) -> Result<usize> {
        let open = self.c.pos;
        self.src.refuse_if(self.depth >= gusset_program::MAX_DEPTH, open, "regions are nested too deeply")?;
        self.depth += 1;
        self.c.expect(b'{')?;
        let outer = self.open_scope();
        let known = self.casts.log.len();
        let around = std::mem::take(&mut self.on_stack);
        let block = self.l.current_block();
        for &(pos, ty, val) in names {
            self.name_opaque_value(pos, ty, val)?;
        }
        if self.c.peek() == b'^' {
            self.opaque_label()?;
        }
        loop {
            match self.c.peek() {
                b'}' => break,
                b'^' => {
                    let m = "a region of several blocks cannot stay: convert the dialect of its operation, too";
                    return Err(self.c.error(m));
                }
                0 if self.c.at_end() => return Err(self.c.expected("`}`")),
                _ => {
                    let pos = self.c.pos;
                    self.operation()?;
                    let m = "this operation becomes several blocks, which the region that it stands in cannot have: convert the \
                             dialect of the operation around it, too";
                    self.src.refuse_if(self.l.current_block() != block, pos, m)?;
                }
            }
        }
        let end = self.c.pos;
        self.c.bump(1);
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

    /// Binds the name at a position to a value that an operation which stays defines.
    fn name_opaque_value(&mut self, pos: usize, ty: Ty, val: Val) -> Result<()> {
        let v = self.given(ty, val);
        let before = std::mem::replace(&mut self.c.pos, pos);
        let name = self.local_ref()?;
        self.c.pos = before;
        self.define(name, v, pos)
    }

    /// Reads the label of a region's only block, with its arguments.
    fn opaque_label(&mut self) -> Result<()> {
        let mut from = self.c.pos;
        let (mut parts, mut named) = (Vec::new(), Vec::new());
        self.c.pos += 1;
        self.c.name()?;
        if self.c.eat(b'(') {
            let mut more = !self.c.eat(b')');
            while more {
                let pos = self.c.pos;
                self.local_ref()?;
                self.c.expect(b':')?;
                let ty = self.ty()?;
                self.c.skip_location()?;
                let val = self.l.opaque_value(ty.llvm().unwrap_or(VOID));
                parts.extend([text(&self.src.text[from..pos]), OpaquePart::Value(val)]);
                from = self.name_end(pos);
                named.push((pos, ty, val));
                more = self.c.more(b')')?;
            }
        }
        self.c.expect(b':')?;
        parts.push(text(self.src.text[from..self.c.pos].trim_ascii_end()));
        self.l.opaque(OpaqueOp { parts, ..OpaqueOp::default() });
        for (pos, ty, val) in named {
            self.name_opaque_value(pos, ty, val)?;
        }
        Ok(())
    }

    /// Reads a function that stays, whose name is at the cursor; returns the position of its closing brace.
    pub fn opaque_function(&mut self) -> Result<usize> {
        let start = self.c.pos;
        let header = Header::parse(&mut self.c, self.t, self.l.types_mut())?;
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
            from = self.name_end(pos);
            named.push((pos, ty, val));
        }
        parts.push(text(&self.src.text[from..=open]));
        self.l.opaque(OpaqueOp { parts, opens: true, ..OpaqueOp::default() });
        for (pos, ty, val) in named {
            self.name_opaque_value(pos, ty, val)?;
        }
        self.c.pos = open;
        self.c.bump(1);
        if self.c.peek() == b'^' {
            self.opaque_label()?;
        }
        self.operations(&[])?;
        self.src.refuse_if(self.l.current_block().is_some(), self.c.pos, "the last block has no terminator")?;
        let close = self.src.text[..self.c.pos].iter().rposition(|&b| b == b'}').unwrap_or(self.c.pos);
        self.settle()?;
        self.close_scope(outer)?;
        self.l.close().at(self.src, self.c.pos)?;
        self.l.finish().map_err(|(_, why)| self.c.error(why))?;
        Ok(close)
    }
}

fn text(bytes: impl AsRef<[u8]>) -> OpaquePart {
    OpaquePart::Text(bytes.as_ref().into())
}
