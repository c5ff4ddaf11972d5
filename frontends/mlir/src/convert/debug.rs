//! Debug information of a body, for code: locations of operations, and records about variables.

use gusset_codegen::debug::DiLabelId;
use gusset_codegen::ir::DebugRecordKind;
use gusset_lower::debug_info::{DebugField, FieldValue, IN_PLACE, expression_of};
use gusset_program::{Field, InstLocation, Metadata, Sink, Special, TypeId, Val, VariableRecord};
use gusset_text::Result;

use crate::context::debug_info::Found;
use crate::context::metadata_nodes::Place;
use crate::context::{Body, BodyKind};
use crate::convert::reader::Reader;
use crate::metadata::debug::merged;
use crate::metadata::debug_values::words_value;
use crate::syntax::location_ahead;
use crate::syntax::locations::Location;
use crate::syntax::op::{Op, Value};

impl<'r, E: Sink> Reader<'r, E> {
    /// Begins the debug information of a function, if it has some.
    pub fn begin_debug_info(&mut self, body: &Body) {
        let Some(debug) = &self.m.debug_info else { return };
        self.s.debug.clear();
        let node = debug.uses.subprogram(body.symbol).filter(|_| body.kind == BodyKind::Operations);
        let Some(node) = node else { return };
        (self.locates, self.s.scope) = (true, Some(node & !IN_PLACE));
        self.l.debug_location(None);
        self.l.debug_subprogram(node);
    }

    /// At the end of the body: looks up values that were not defined yet.
    pub fn finish_debug_info(&mut self) {
        if !self.locates {
            return;
        }
        self.l.debug_location(None);
        for (index, name) in std::mem::take(&mut self.s.debug.later) {
            if let Some((ty, val)) = self.read_already(name).and_then(|v| self.record_operand(v)) {
                self.l.set_record_operand(index, ty, val);
            }
        }
    }

    /// Finds the location of an operation that has been read.
    pub fn locate(&mut self, op: &Op<'r>) {
        let after = self.here();
        let given = location_ahead(self.src, self.next);
        // Most locations are aliases.
        let name = given.then(|| Location::named(after, self.t)).flatten();
        if let Some(known) = name.and_then(|name| self.s.debug.known.get(&name)) {
            self.place = *known;
            return;
        }
        let plain = self.m.debug_info.as_ref().is_some_and(|debug| debug.plain.is_some());
        let mut chain = std::mem::take(&mut self.s.debug.chain);
        chain.clear();
        let place = self.with_nodes(op.pos, |r, found| {
            let place = match plain {
                true if !given => None,
                true => r.plain_location(&Location::read(after, r.t)?, found),
                false => r.op_location(op.pos, after)?,
            };
            Ok(place.map(|place| found.location(&place, &mut chain)))
        });
        self.place = place.flatten();
        for &InstLocation { node, inlined_at, .. } in &chain {
            if !self.s.debug.calls.insert(node) {
                break;
            }
            self.l.inlined_call(node, inlined_at);
        }
        self.s.debug.chain = chain;
        if let Some(name) = name {
            self.s.debug.known.insert(name, self.place);
        }
    }

    /// Runs `f` with the module's metadata. An error, which is that of the operation at `pos`, means that the module has no debug
    /// information.
    fn with_nodes<T>(&mut self, pos: usize, f: impl FnOnce(&mut Self, &mut Found) -> Result<T>) -> Option<T> {
        let m = self.m;
        let mut found = m.debug_info.as_ref()?.found();
        std::mem::swap(&mut found.nodes, &mut self.s.metadata);
        let made = f(self, &mut found);
        std::mem::swap(&mut found.nodes, &mut self.s.metadata);
        made.map_err(|error| found.fail(pos, error)).ok()
    }

    /// The place of a location in a module without attributes. Code of a call that was replaced has the callee's place.
    fn plain_location(&mut self, location: &Location<'r>, found: &mut Found) -> Option<Place> {
        let scope = self.s.scope?;
        match location {
            Location::Unknown => None,
            Location::File { name, line, column } => {
                let scope = self.scope_for_file(scope, name, found);
                Some(Place { line: *line, column: *column, scope, inlined_at: None })
            }
            Location::CallSite { callee, caller } => {
                self.plain_location(callee, found).or_else(|| self.plain_location(caller, found))
            }
            Location::Fused { parts, .. } => {
                let parts = parts.iter().map(|part| self.plain_location(part, found)).collect();
                merged(parts, Some(Place { line: 0, column: 0, scope, inlined_at: None }))
            }
        }
    }

    /// The scope for code of a file in a function, which may be of another file.
    fn scope_for_file(&mut self, function: u32, name: &[u8], found: &mut Found) -> u32 {
        let files = self.m.debug_info.as_ref().and_then(|debug| debug.plain.as_ref());
        let own = self.own.and_then(|symbol| files?.get(&symbol));
        if own.is_some_and(|own| own == name) {
            return function;
        }
        let key = (function, name.to_vec());
        if let Some(&known) = found.files.get(&key) {
            return known;
        }
        let file = self.s.metadata.file(name);
        let fields = [
            ("scope", Field::Metadata(Metadata::Node(function))),
            ("file", Field::Metadata(file)),
            ("discriminator", Field::Words(b"0".to_vec())),
        ];
        let number = self.s.metadata.reserve();
        self.s.metadata.fill(number, false, Metadata::Special(Special::new("DILexicalBlockFile", fields)));
        found.files.insert(key, number);
        number
    }

    // Records.

    /// Hands over the record that a debug operation is.
    pub fn record(&mut self, op: &Op<'r>) -> Result<()> {
        let label = match op.text.strip_prefix(b"llvm.intr.dbg.") {
            Some(b"label") => true,
            Some(b"value" | b"declare") => false,
            _ => return Ok(()),
        };
        // Without a location it has no meaning.
        let Some(place) = self.place else { return Ok(()) };
        let subject = if label { "label" } else { "varInfo" };
        let note = self.need(op, if op.generic { subject } else { "subject" })?;
        let expression = self.attr(op, "locationExpr");
        let read = self.with_nodes(op.pos, |r, _| {
            let node = r.metadata_node(note, "")?.node();
            let expression = match expression {
                Some(value) => r.metadata_node(value, "di_expression")?,
                None => Metadata::Null,
            };
            Ok(node.zip(Some(expression)))
        });
        let Some((node, expression)) = read.flatten() else { return Ok(()) };
        let words = match &expression {
            Metadata::Special(special) => expression_words(special),
            _ => Some(Box::default()),
        };
        let Some(words) = words else { return Ok(()) };
        let node = node | IN_PLACE;
        let (kind, name) = match (label, op.text.ends_with(b"declare")) {
            (true, _) => (DebugRecordKind::Label(DiLabelId(node)), None),
            (false, true) => (DebugRecordKind::Declare, op.refs.first()),
            (false, false) => (DebugRecordKind::Value, op.refs.first()),
        };
        let known = name.and_then(|name| self.read_already(name.0));
        let operand = known.and_then(|v| self.record_operand(v));
        let operands = [operand];
        let operands = if label { &[][..] } else { &operands };
        let record = VariableRecord { kind, variable: if label { 0 } else { node }, expression: &words, operands };
        let first = self.l.variable_record(&record);
        if let (Some(name), None) = (name, known) {
            self.s.debug.later.push((first, name.0));
        }
        if let Some(call) = place.inlined_at {
            self.l.set_inlined_at(call);
        }
        Ok(())
    }

    /// A value as the operand of a record; none if it has several parts.
    fn record_operand(&self, v: Value) -> Option<(TypeId, Val)> {
        let ty = self.t.whole(v.ty);
        (self.t.count(v.ty) == 1 && self.t.part(v.ty, 0) == ty).then(|| (ty, self.one(v)))
    }
}

/// The operations of an expression; none if LLVM would not take it.
fn expression_words(special: &Special) -> Option<Box<[u64]>> {
    let fields = special.fields.iter().map(|(name, field)| match field {
        Field::Words(words) => DebugField { name, value: words_value(words), place: 0 },
        _ => DebugField { name, value: FieldValue::Null, place: 0 },
    });
    let fields: Vec<_> = fields.collect();
    Some(expression_of(&fields).ok()??.0)
}
