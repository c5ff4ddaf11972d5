//! What only translation takes of a body: names, attachments, calls in full, metadata operands, debug records.
//!
//! Names and attachments come after the instructions that they belong to, so they are read ahead.

use gusset_abi::Convention;
use gusset_codegen::ir::{Block, Callee, TailKind};
use gusset_program::{
    Argument, CallEnd, CallSite, CallTarget, Field, Flags, METADATA, Metadata, ParamAttrs, Refusal, Result, Sink,
    Special, TypeId, VOID, Val, convention_word, refuse_if,
};
use gusset_text::ReadError;

use super::Reader;
use super::calls::{CallKind, Head, assembly_words, call_end, indirect_operands};
use super::fields::Fields;
use super::flags;
use crate::attributes::upgrade::element_type;
use crate::bits::{Bits, Entry};
use crate::codes::{block, function as code, metadata as node};
use crate::constants::Constant;
use crate::expressions::expression;
use crate::metadata::{Nodes, next_attached, pairs_of};
use crate::names::read_names;
use crate::tables::Body;

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads names and attachments.
    pub(super) fn read_ahead(&mut self, c: &mut Bits<'_>, body: &Body) -> std::result::Result<(), ReadError> {
        c.enter_at(body.head, block::FUNCTION)?;
        loop {
            match c.next_block()? {
                Entry::End => return Ok(()),
                Entry::Block(block::VALUE_SYMTAB) => {
                    read_names(c, |is_block, number, name| {
                        let names = if is_block { &mut self.s.written.blocks } else { &mut self.s.written.names };
                        names.insert(number, name);
                    })?;
                }
                Entry::Block(block::METADATA_ATTACHMENT) => self.read_attachments(c)?,
                _ => c.pass_over()?,
            }
        }
    }

    fn read_attachments(&mut self, c: &mut Bits<'_>) -> std::result::Result<(), ReadError> {
        c.enter(block::METADATA_ATTACHMENT)?;
        // Those of the function are the module's.
        while let Some(number) = next_attached(c)? {
            let pairs = pairs_of(c, &c.record()[1..])?;
            self.s.written.attached.entry(number).or_default().extend(pairs);
        }
        Ok(())
    }

    /// Hands over the names of the parameters and of the entry.
    pub(super) fn name_header(&mut self) {
        for at in 0..self.s.locals.len() {
            let val = self.s.locals[at].val;
            self.name_value(self.base + at as u32, val);
        }
        if self.l.current_block().is_some() {
            self.name_block(0, super::ENTRY);
        }
    }

    fn name_value(&mut self, number: u32, val: Val) {
        if let Some(name) = self.s.written.names.get(&number.into()) {
            self.l.name_value(val, name);
        }
    }

    /// Hands over the name of the block with a number.
    pub(super) fn name_block(&mut self, number: u32, block: Block) {
        if let Some(name) = self.s.written.blocks.get(&number.into()) {
            self.l.name_block(block, name);
        }
    }

    /// Takes a record.
    pub(super) fn written_record(&mut self, number: u64, record: &[u64]) -> Result<()> {
        match number {
            code::DEBUG_LOC => self.written_location(Fields::new(record))?,
            code::DEBUG_LOC_AGAIN => {}
            code::DEBUG_RECORD_VALUE..=code::DEBUG_RECORD_LABEL => {
                return self.written_debug_record(number, Fields::new(record));
            }
            code::BLOCKADDR_USERS => return Ok(()),
            _ => return self.written_instruction(number, record),
        }
        if let Some(location) = self.s.written.location {
            self.l.attach(b"dbg", Metadata::Node(location));
        }
        Ok(())
    }

    fn written_instruction(&mut self, number: u64, record: &[u64]) -> Result<()> {
        if self.l.current_block().is_none() {
            self.start_block()?;
        }
        if let code::OPERAND_BUNDLE = number {
            return self.bundle(Fields::new(record));
        }
        self.l.begin_instruction();
        let (ty, val) = self.instruction(number, record)?;
        if ty != VOID {
            let number = self.next;
            self.define(ty, val)?;
            self.name_value(number, val);
        }
        let attached = self.s.written.attached.remove(&self.s.written.count).unwrap_or_default();
        self.s.written.count += 1;
        for (kind, number) in attached {
            let name = usize::try_from(kind).ok().and_then(|kind| self.m.kinds.get(kind));
            let name = name.ok_or_else(|| Refusal::new(format!("the kind {kind} of metadata has no name")))?;
            // Before LLVM 3.6 values could be attached; LLVM's reader drops them.
            match self.metadata_operand(number)? {
                Metadata::Value(..) => {}
                node => self.l.attach(name, node),
            }
        }
        Ok(())
    }

    // Debug information.

    /// Makes a node of a location.
    fn written_location(&mut self, mut fields: Fields<'_>) -> Result<()> {
        let (line, column) = (fields.next()?, fields.next()?);
        let (scope, call) = (fields.next()?, fields.next()?);
        let implicit = fields.next_or_zero();
        let Some(scope) = scope.checked_sub(1) else {
            self.s.written.location = None;
            return Ok(());
        };
        let scope = self.node_number(scope);
        let call = call.checked_sub(1).map(|call| self.node_number(call));
        let key = [line, column, scope.into(), call.map_or(u64::MAX, u64::from), implicit];
        let number = match self.s.written.known.get(&key) {
            Some(&known) => known,
            None => {
                let words = |number: u64| Field::Words(number.to_string().into_bytes());
                let node = |number: u32| Field::Metadata(Metadata::Node(number));
                let mut all = vec![("line", words(line))];
                all.extend((column != 0).then(|| ("column", words(column))));
                all.push(("scope", node(scope)));
                all.extend(call.map(|call| ("inlinedAt", node(call))));
                all.extend((implicit != 0).then(|| ("isImplicitCode", Field::Words(b"true".to_vec()))));
                let number = self.m.debug.count + self.s.written.nodes.len() as u32;
                let content = Metadata::Special(Special::new("DILocation", all));
                self.s.written.nodes.push((number, gusset_program::Node { distinct: false, content }));
                self.s.written.known.insert(key, number);
                number
            }
        };
        self.s.written.location = Some(number);
        Ok(())
    }

    fn written_debug_record(&mut self, number: u64, mut fields: Fields<'_>) -> Result<()> {
        let location = self.metadata_operand(fields.next()?)?;
        let mut operands = Vec::new();
        let kind: &[u8] = match number {
            code::DEBUG_RECORD_LABEL => b"label",
            code::DEBUG_RECORD_DECLARE => b"declare",
            code::DEBUG_RECORD_ASSIGN => b"assign",
            _ => b"value",
        };
        let first = self.metadata_operand(fields.next()?)?;
        if number == code::DEBUG_RECORD_LABEL {
            operands.push(first);
        } else {
            let expression = self.metadata_operand(fields.next()?)?;
            let value = if number == code::DEBUG_RECORD_VALUE_SIMPLE {
                let (ty, val) = self.typed_value(&mut fields)?;
                Metadata::Value(ty, val)
            } else {
                self.metadata_operand(fields.next()?)?
            };
            operands.extend([value, first, expression]);
            if number == code::DEBUG_RECORD_ASSIGN {
                let (id, expression) = (fields.next()?, fields.next()?);
                let address = fields.next()?;
                operands.push(self.metadata_operand(id)?);
                operands.push(self.metadata_operand(address)?);
                operands.push(self.metadata_operand(expression)?);
            }
        }
        operands.push(location);
        self.l.debug_record(kind, operands);
        Ok(())
    }

    // Metadata.

    /// Sets the function to whose own metadata numbers may refer, by the number of its value.
    pub(crate) fn set_function(&mut self, value: u32) {
        self.own_nodes = self.m.debug.of_function(value);
        self.first_node = self.own_nodes.map(|own| own.first);
    }

    /// Whether metadata of a value of the type with this number stand for none: LLVM's reader makes an empty tuple of them
    /// (`MetadataLoader.cpp`, `METADATA_OLD_FN_NODE`).
    pub(crate) fn is_of_no_value(&self, ty: u64) -> bool {
        matches!(self.m.table.get(ty), Ok(VOID | METADATA))
    }

    /// Metadata that stand for a value, by the numbers of its type and of itself.
    pub(crate) fn metadata_value(&mut self, ty: u64, value: u64) -> Result<Metadata> {
        let ty = self.m.table.get(ty)?;
        let id = u32::try_from(value).map_err(|_| Refusal::new("the number of a value is too large"))?;
        Ok(Metadata::Value(ty, self.value(id, ty)?))
    }

    /// Metadata by their number in the function.
    pub(crate) fn metadata_operand(&mut self, number: u64) -> Result<Metadata> {
        let m = self.m;
        let own = self.own_nodes.map(|own| &own.metadata);
        let nodes = Nodes { module: &m.metadata, own };
        let Some((all, found)) = nodes.get(number) else {
            return Err(Refusal::new(format!("the metadata with the number {number} are not defined")));
        };
        if let Some(text) = all.string(found) {
            return Ok(Metadata::String(text.to_vec()));
        }
        let fields = all.fields(found);
        Ok(match (u64::from(found.code), fields) {
            (node::VALUE, &[ty, value]) if !self.is_of_no_value(ty) => self.metadata_value(ty, value)?,
            (node::ARG_LIST, list) => {
                let mut fields = Vec::new();
                for &number in list {
                    let inner = nodes.get(number).is_some_and(|(_, inner)| inner.code == found.code);
                    refuse_if(inner, "a list of values contains another")?;
                    fields.push((Vec::new(), Field::Metadata(self.metadata_operand(number)?)));
                }
                Metadata::Special(Special { name: b"DIArgList".to_vec(), fields })
            }
            (node::EXPRESSION, words) => Metadata::Special(expression(words)?),
            _ => Metadata::Node(self.node_number(number)),
        })
    }

    // Calls.

    /// Reads the rest of a call after the callee, which may be inline assembly.
    pub(super) fn written_call(
        &mut self,
        head: Head<'r>,
        (callee, of, assembly): (u32, TypeId, Option<Constant>),
        mut fields: Fields<'_>,
        labels: &[u64],
    ) -> Result<(TypeId, Val)> {
        let m = self.m;
        let mut assembly = assembly.map(|constant| {
            let bytes = self.constant_of(callee).map_or(Vec::new(), |(all, _)| all.bytes(constant).to_vec());
            Constant::assembly(&bytes).map(|(flags, template, constraints)| {
                (assembly_words(flags), template.to_vec(), String::from_utf8_lossy(constraints).into_owned())
            })
        });
        let mut left = usize::MAX;
        if let (CallKind::CallBr(_), Some(Some((_, _, constraints)))) = (head.kind, &mut assembly)
            && let Some((now, count)) = self.labelled(constraints, fields.rest(), labels)?
        {
            (*constraints, left) = (now, count);
        }
        let tail = if let CallKind::Call(tail) = head.kind { tail } else { TailKind::None };
        let target = match &assembly {
            Some(Some((words, template, constraints))) => {
                if tail == TailKind::Tail {
                    self.l.flags(Flags::TAIL);
                }
                CallTarget::Assembly { template, constraints, words }
            }
            Some(None) => return Err(Refusal::new("the assembly cannot be read")),
            None => CallTarget::Function(match m.infos.get(callee as usize).and_then(|info| info.symbol) {
                Some(symbol) => Callee::Symbol(symbol),
                None => {
                    let val = self.value(callee, of)?;
                    self.l.known(val).callee(val)
                }
            }),
        };
        self.s.call.begin(Convention::C, head.ret, ParamAttrs::default());
        self.s.call.metadata.convention = convention_word(head.convention).into_bytes();
        self.s.call.metadata.ret_attrs = head.list.written_of(0, (head.ty.ret, head.ret), (&m.table, self.l.types()));
        self.s.call.metadata.attrs = head.list.written_function();
        if !self.strict && !m.name(callee).starts_with("llvm.experimental.constrained.") {
            // As LLVM's reader of bitcode treats calls of functions without `strictfp` (`UpgradeFunctionAttributes`).
            for attribute in &mut self.s.call.metadata.attrs {
                if attribute.name == b"strictfp" {
                    attribute.name = b"nobuiltin".to_vec();
                }
            }
        }
        for (i, &param) in head.ty.params.iter().enumerate() {
            let (ty, id) = (m.table.get(param.into())?, self.id(&mut fields)?);
            self.written_argument(id, ty, (&head, i))?;
        }
        let indirect = match &assembly {
            Some(Some((_, _, constraints))) => indirect_operands(constraints),
            _ => typed_operand(m.name(callee)).into_iter().collect(),
        };
        for at in indirect {
            let arguments = &mut self.s.call.metadata.args;
            if let (Some(Argument::Value(_, list)), Some(&param)) = (arguments.get_mut(at), head.ty.params.get(at))
                && list.iter().all(|attribute| attribute.name != b"elementtype")
            {
                list.extend(element_type(param, &m.table));
            }
        }
        let mut i = head.ty.params.len();
        refuse_if(!head.ty.variadic && !fields.is_empty(), "the call has more arguments than its function type")?;
        while !fields.is_empty() {
            let (id, ty) = self.typed_id(&mut fields)?;
            self.written_argument(id, ty, (&head, i))?;
            i += 1;
        }
        self.s.call.metadata.args.truncate(left);
        self.written_bundles()?;
        self.s.call.forwards = tail == TailKind::Must && self.variadic;
        let mut more = flags::fast(head.flags);
        if head.no_tail {
            more = more.with(Flags::NOTAIL);
        }
        self.l.flags(more);
        let variadic = head.ty.variadic.then_some(head.ty.params.len());
        let end = self.end(head.kind, labels)?;
        let end: CallEnd<_> = call_end(end, &self.s.edges);
        let site = CallSite { tail, variadic, end, ..CallSite::of(target) };
        let called = self.l.call(&site, &mut self.s.call)?;
        Ok((head.ret, called.val))
    }

    fn written_argument(&mut self, id: u32, ty: TypeId, (head, i): (&Head<'r>, usize)) -> Result<()> {
        let argument = match ty {
            METADATA => Argument::Metadata(self.metadata_operand(id.into())?),
            _ => {
                let number = head.ty.params.get(i).copied().unwrap_or(u32::MAX);
                let list = head.list.written_of(i as u64 + 1, (number, ty), (&self.m.table, self.l.types()));
                Argument::Value(self.value(id, ty)?, list)
            }
        };
        self.s.call.metadata.args.push(argument);
        Ok(())
    }

    fn written_bundles(&mut self) -> Result<()> {
        for (tag, first, end) in std::mem::take(&mut self.s.bundles) {
            let mut operands = Vec::new();
            for at in first..end {
                let (id, ty) = self.s.bundled[at];
                operands.push(match ty {
                    METADATA => Argument::Metadata(self.metadata_operand(id.into())?),
                    _ => Argument::Value(self.value(id, ty)?, Vec::new()),
                });
            }
            let tag = self.tag(tag).to_vec();
            refuse_if(tag.is_empty(), "the tag of an operand bundle has no name")?;
            self.s.call.metadata.bundles.push((tag, operands));
        }
        self.forget_bundles();
        Ok(())
    }
}

/// The argument of an intrinsic that says which type its pointer points to.
fn typed_operand(name: &str) -> Option<usize> {
    const FIRST: [&str; 6] =
        ["preserve.array.access", "preserve.struct.access", "aarch64.ldaxr", "aarch64.ldxr", "arm.ldaex", "arm.ldrex"];
    const SECOND: [&str; 4] = ["aarch64.stlxr", "aarch64.stxr", "arm.stlex", "arm.strex"];
    let name = name.strip_prefix("llvm.")?;
    // Those of pairs have no such pointer.
    let of = |names: &[&str]| {
        names.iter().any(|known| name.starts_with(known) && !name[known.len()..].starts_with(['p', 'd']))
    };
    match (of(&FIRST), of(&SECOND)) {
        (true, _) => Some(0),
        (_, true) => Some(1),
        _ => None,
    }
}
