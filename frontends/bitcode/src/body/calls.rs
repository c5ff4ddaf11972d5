//! Reads calls of functions, intrinsics and inline assembly.

use gusset_codegen::ir::{Callee, Edge, SymbolId, TailKind};
use gusset_program::{
    Borrowed, CallEnd, CallSite, CallTarget, FnAttrs, I32, Intrinsic, METADATA, PTR, ParamAttrs, Refusal, Result, Sink,
    StackMapIntrinsic, TOKEN, TypeId, VOID, Val, convention_of_number, refusals, refuse_if,
};

use super::Reader;
use super::fields::Fields;
use super::tables::KnownCall;
use crate::attributes::AttributeList;
use crate::constants::{Constant, Form};
use crate::metadata::Nodes;
use crate::types::FunctionType;

/// What a call is besides its arguments.
#[derive(Clone, Copy)]
pub(super) struct Head<'r> {
    pub(super) list: &'r AttributeList,
    /// Number of the list.
    pub(super) number: u32,
    /// LLVM's number of the convention.
    pub(super) convention: u64,
    pub(super) ty: &'r FunctionType,
    /// Number of the type.
    pub(super) ty_number: u32,
    pub(super) ret: TypeId,
    pub(super) kind: CallKind,
    /// Flags of fast arithmetic.
    pub(super) flags: u64,
    /// It is said not to be a tail call.
    pub(super) no_tail: bool,
}

/// Which instruction a call is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CallKind {
    Call(TailKind),
    /// The blocks where it continues and where exceptions go.
    Invoke(u64, u64),
    /// The block where it continues; the others are in the list of its record.
    CallBr(u64),
}

/// The flags of fast arithmetic that allow reassociation; the first is that of all flags before LLVM 6.
const REASSOCIATES: u64 = 1 | 1 << 7;

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a `call`.
    pub(super) fn call(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (list, word) = (fields.next()?, fields.next()?);
        let flags = if word >> 17 & 1 == 1 { fields.next()? } else { 0 };
        if word >> 15 & 1 == 0 {
            return self.old_instruction();
        }
        let tail = match (word >> 14 & 1, word >> 16 & 1, word & 1) {
            (1, ..) => TailKind::Must,
            (_, 0, 1) => TailKind::Tail,
            _ => TailKind::None,
        };
        let head = self.head(list, (word & 0x7ff) >> 1, fields.next()?, CallKind::Call(tail))?;
        refuse_if(flags != 0 && !self.l.types().is_floating(head.ret), refusals::FAST_MATH)?;
        self.called(Head { flags, no_tail: word >> 16 & 1 == 1, ..head }, fields, &[])
    }

    pub(super) fn invoke(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (list, word) = (fields.next()?, fields.next()?);
        if word >> 13 & 1 == 0 {
            return self.old_instruction();
        }
        let kind = CallKind::Invoke(fields.next()?, fields.next()?);
        let head = self.head(list, word & 0x3ff, fields.next()?, kind)?;
        self.called(head, fields, &[])
    }

    pub(super) fn callbr(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (list, word) = (fields.next()?, fields.next()?);
        refuse_if(word >> 15 & 1 == 0, "calls without a type are not supported")?;
        let kind = CallKind::CallBr(fields.next()?);
        let count = usize::try_from(fields.next()?).unwrap_or(usize::MAX);
        let Some((labels, rest)) = fields.rest().split_at_checked(count) else {
            return Err(Refusal::new("the record has too few fields"));
        };
        let mut fields = Fields::new(rest);
        let head = self.head(list, (word & 0x7ff) >> 1, fields.next()?, kind)?;
        self.called(head, fields, labels)
    }

    /// What the first fields of a record say.
    #[inline]
    fn head(&self, list: u64, convention: u64, ty: u64, kind: CallKind) -> Result<Head<'r>> {
        let m = self.m;
        let number = u32::try_from(list).unwrap_or(u32::MAX);
        let (list, function) = (m.list(number)?, m.table.function(ty)?);
        let ret = m.table.get(function.ret.into())?;
        if ret != VOID && ret != TOKEN && !E::PRESERVES_METADATA && !self.l.types().is_sized(ret) {
            return Err(Refusal::new("a call cannot have a result of this type"));
        }
        let ty_number = ty as u32;
        Ok(Head { list, number, convention, ty: function, ty_number, ret, kind, flags: 0, no_tail: false })
    }

    /// Reads the rest of a call, from the callee on.
    fn called(&mut self, head: Head<'r>, mut fields: Fields<'_>, labels: &[u64]) -> Result<(TypeId, Val)> {
        let (callee, of) = self.typed_id(&mut fields)?;
        let assembly = self.constant_of(callee).map(|(_, constant)| constant).filter(|c| c.form == Form::Assembly);
        let branches = matches!(head.kind, CallKind::CallBr(_));
        refuse_if(branches && assembly.is_none(), "a `callbr` of what is no inline assembly is not supported")?;
        if E::PRESERVES_METADATA {
            return self.written_call(head, (callee, of, assembly), fields, labels);
        }
        if let Some(assembly) = assembly {
            return self.assembly(head, (callee, assembly), fields, labels);
        }
        let m = self.m;
        let mut attrs = FnAttrs::default();
        let mut symbol = None;
        let target = match m.infos.get(callee as usize) {
            Some(info) => {
                if let Some(intrinsic) = info.intrinsic {
                    return self.intrinsic_call((intrinsic, info.libcall), callee, head, fields);
                }
                attrs = info.attrs.of_calls();
                match info.symbol {
                    Some(known) if !info.tls => {
                        symbol = Some(callee as usize);
                        Callee::Symbol(known)
                    }
                    _ => Callee::Value(self.value(callee, PTR)?.value()),
                }
            }
            None => {
                refuse_if(of != PTR, "what is called is no function")?;
                let val = self.value(callee, PTR)?;
                self.l.known(val).callee(val)
            }
        };
        refuse_if(head.ret == TOKEN, "a call cannot have a result of this type")?;
        let convention = convention_of_number(head.convention).map_err(Refusal::new)?;
        self.s.call.begin(convention, head.ret, head.list.ret);
        self.arguments(head, fields)?;
        attrs.0 |= head.list.function.0;
        let (token, within, type_id) = self.bundles()?;
        let tail = if let CallKind::Call(tail) = head.kind { tail } else { TailKind::None };
        // As LLVM's text shows it.
        self.s.call.forwards = tail == TailKind::Must && self.variadic;
        let variadic = head.ty.variadic.then_some(head.ty.params.len());
        let known = symbol.and_then(|symbol| self.known(symbol, &head));
        let end = self.end(head.kind, labels)?;
        let end = call_end(end, &self.s.edges);
        let target = CallTarget::Function(target);
        let site = CallSite { target, attrs, tail, variadic, token, within, type_id, trap: None, known, end };
        let called = self.l.call(&site, &mut self.s.call)?;
        if let (Some(symbol), Some(entry), None, false) = (symbol, called.entry, known, head.ty.variadic) {
            self.learn(symbol, KnownCall { list: head.number, ty: head.ty_number, convention: head.convention, entry });
        }
        Ok((head.ret, called.val))
    }

    /// The signature of a function's first call, if this one is like it.
    #[inline]
    fn known(&self, symbol: usize, head: &Head<'r>) -> Option<gusset_program::EntryId> {
        let known = self.s.calls.get(symbol)?.as_ref()?;
        let alike = (known.list, known.ty, known.convention) == (head.number, head.ty_number, head.convention);
        (alike && !self.s.call.forwards).then_some(known.entry)
    }

    fn learn(&mut self, symbol: usize, call: KnownCall) {
        if self.s.calls.len() <= symbol {
            self.s.calls.resize(symbol + 1, None);
        }
        self.s.calls[symbol].get_or_insert(call);
    }

    /// Makes the edges of a call that is a terminator. Those to the labels of a `callbr` are then in `edges`.
    #[inline]
    pub(super) fn end(&mut self, kind: CallKind, labels: &[u64]) -> Result<Option<(Edge, Option<Edge>)>> {
        match kind {
            CallKind::Call(_) => Ok(None),
            CallKind::Invoke(normal, unwind) => {
                let (normal, unwind) = (self.label(normal)?, self.label(unwind)?);
                Ok(Some((self.l.edge(normal), Some(self.l.edge(unwind)))))
            }
            CallKind::CallBr(normal) => {
                let normal = self.label(normal)?;
                let normal = self.l.edge(normal);
                let mut edges = std::mem::take(&mut self.s.edges);
                let made = self.edges_to(labels, &mut edges);
                self.s.edges = edges;
                made.map(|()| Some((normal, None)))
            }
        }
    }

    /// Reads the arguments.
    #[inline]
    fn arguments(&mut self, head: Head<'r>, mut fields: Fields<'_>) -> Result<()> {
        for (i, &param) in head.ty.params.iter().enumerate() {
            let ty = self.m.table.get(param.into())?;
            let id = self.id(&mut fields)?;
            self.argument(id, ty, head.list.param(i))?;
        }
        head.list.complete(&mut self.s.call.request.params, head.ty, (&self.m.table, self.l.types()))?;
        let mut i = head.ty.params.len();
        refuse_if(!head.ty.variadic && !fields.is_empty(), "the call has more arguments than its function type")?;
        while !fields.is_empty() {
            let (id, ty) = self.typed_id(&mut fields)?;
            self.argument(id, ty, head.list.param(i))?;
            i += 1;
        }
        Ok(())
    }

    #[inline(always)]
    fn argument(&mut self, id: u32, ty: TypeId, attrs: ParamAttrs) -> Result<()> {
        if ty == METADATA {
            return self.metadata_argument(id);
        }
        self.l.check_aggregate(ty)?;
        let val = self.value(id, ty)?;
        self.s.call.push(ty, attrs, val);
        Ok(())
    }

    /// Takes metadata by number: a string is of interest.
    fn metadata_argument(&mut self, id: u32) -> Result<()> {
        let nodes = Nodes { module: &self.m.metadata, own: Some(&self.s.metadata) };
        let text = nodes.string(id.into()).unwrap_or_default();
        self.s.call.push_metadata(text);
        Ok(())
    }

    /// Reads the call of an intrinsic.
    fn intrinsic_call(
        &mut self,
        (intrinsic, libcall): (Intrinsic, Option<SymbolId>),
        callee: u32,
        head: Head<'r>,
        mut fields: Fields<'_>,
    ) -> Result<(TypeId, Val)> {
        let mut attrs = head.list.function;
        let convention = convention_of_number(head.convention).map_err(Refusal::new)?;
        self.s.call.begin(convention, head.ret, head.list.ret);
        let within = match intrinsic {
            Intrinsic::Unsupported => {
                let name = self.m.name(callee);
                return Err(Refusal::new(format!("the intrinsic `{name}` is not supported yet")));
            }
            Intrinsic::PreallocatedSetup | Intrinsic::PreallocatedArg | Intrinsic::PreallocatedTeardown => {
                self.plain_arguments(head, &mut fields)?;
                if let Intrinsic::PreallocatedArg = intrinsic {
                    self.s.call.request.ret = Some((PTR, head.list.preallocated));
                }
                self.only_funclet()?
            }
            Intrinsic::ExceptionCode | Intrinsic::StackMap(StackMapIntrinsic::Result | StackMapIntrinsic::Relocate) => {
                self.plain_arguments(head, &mut fields)?;
                self.only_funclet()?
            }
            Intrinsic::NamedRegister { .. } => {
                let mut first = fields;
                let node = self.id(&mut first)?;
                let nodes = Nodes { module: &self.m.metadata, own: Some(&self.s.metadata) };
                let operand = nodes.operands(node.into()).and_then(|mut all| all.next()?);
                let name = operand.and_then(|operand| nodes.string(operand)).unwrap_or_default().to_vec();
                self.arguments(head, fields)?;
                self.s.call.register = name;
                self.only_funclet()?
            }
            Intrinsic::StackMap(_) => {
                self.arguments(head, fields)?;
                self.statepoint_bundles()?
            }
            Intrinsic::Nothing | Intrinsic::Scope { .. } => {
                if let Some(kind) = self.m.debug.intrinsics.get(&callee).filter(|_| self.m.debug.keeps) {
                    self.debug_intrinsic(kind, fields.rest())?;
                }
                self.forget_bundles();
                None
            }
            _ => {
                self.arguments(head, fields)?;
                attrs.0 |= if head.flags & REASSOCIATES != 0 { FnAttrs::REASSOCIATES } else { 0 };
                self.only_funclet()?
            }
        };
        let end = self.end(head.kind, &[])?;
        let end = call_end(end, &self.s.edges);
        let target = CallTarget::Intrinsic(intrinsic, libcall);
        let mut site = CallSite { attrs, within, end, ..CallSite::of(target) };
        if attrs.has(FnAttrs::NAMES_TRAP) {
            site.trap = head.list.values.as_ref().and_then(|values| values.trap.as_deref());
        }
        let called = self.l.call(&site, &mut self.s.call)?;
        Ok((head.ret, called.val))
    }

    /// Reads arguments that are tokens and numbers, without attributes.
    fn plain_arguments(&mut self, head: Head<'r>, fields: &mut Fields<'_>) -> Result<()> {
        for &param in &head.ty.params {
            let ty = self.m.table.get(param.into())?;
            let id = self.id(fields)?;
            refuse_if(ty != TOKEN && ty != I32, "expected a token or a number")?;
            let val = self.value(id, ty)?;
            self.s.call.push(ty, ParamAttrs::default(), val);
        }
        Ok(())
    }

    /// Reads a call of inline assembly.
    fn assembly(
        &mut self,
        head: Head<'r>,
        (callee, constant): (u32, Constant),
        fields: Fields<'_>,
        labels: &[u64],
    ) -> Result<(TypeId, Val)> {
        let bytes = self.constant_of(callee).map_or(Vec::new(), |(all, _)| all.bytes(constant).to_vec());
        let Some((flags, template, constraints)) = Constant::assembly(&bytes) else {
            return Err(Refusal::new("the assembly cannot be read"));
        };
        let words = assembly_words(flags);
        let branches = matches!(head.kind, CallKind::CallBr(_));
        let mut constraints = String::from_utf8_lossy(constraints);
        let convention = convention_of_number(head.convention).map_err(Refusal::new)?;
        self.s.call.begin(convention, head.ret, head.list.ret);
        self.arguments(head, fields)?;
        if branches && let Some((now, left)) = self.labelled(&constraints, fields.rest(), labels)? {
            constraints = now.into();
            self.s.call.truncate(left);
        }
        let constraints = &constraints[..];
        // Before LLVM 14 the pointer's type said what the operand is.
        for at in indirect_operands(constraints) {
            let param = self.s.call.request.params.get_mut(at).map(|param| &mut param.1);
            if let (Some(attrs), Some(&number)) =
                (param.filter(|attrs| attrs.element_type == VOID), head.ty.params.get(at))
                && let Ok((pointee, _)) = self.m.table.pointed(number.into())
            {
                attrs.element_type = self.m.table.get(pointee).unwrap_or(VOID);
            }
        }
        let within = self.only_funclet()?;
        let wanted = constraints.split(',').filter(|c| c.starts_with('!')).count();
        refuse_if(wanted > 0 && !branches, "only a `callbr` has labels")?;
        let end = self.end(head.kind, labels)?;
        let differ = branches && labels.len() != wanted;
        refuse_if(differ, "the labels of a `callbr` do not match its constraints")?;
        let end = call_end(end, &self.s.edges);
        let target = CallTarget::Assembly { template, constraints, words: &words };
        let site = CallSite { within, end, ..CallSite::of(target) };
        let called = self.l.call(&site, &mut self.s.call)?;
        Ok((head.ret, called.val))
    }

    /// Before LLVM 15 the last arguments of a `callbr` were the addresses of its labels: the constraints as they are now, and how many
    /// arguments are left (`BitcodeReader.cpp`, `FUNC_CODE_INST_CALLBR`). `args` are the fields of the arguments.
    pub(super) fn labelled(&self, constraints: &str, args: &[u64], labels: &[u64]) -> Result<Option<(String, usize)>> {
        let all: Vec<&str> = constraints.split(',').collect();
        if labels.is_empty() || all.iter().any(|constraint| constraint.starts_with('!')) {
            return Ok(None);
        }
        let is_argument = |constraint: &str| {
            !constraint.starts_with('~') && (!constraint.starts_with('=') || constraint.starts_with("=*"))
        };
        let left = all.iter().filter(|constraint| is_argument(constraint)).count().checked_sub(labels.len());
        let addresses = args.len().checked_sub(labels.len()).map(|first| &args[first..]);
        let is_address = |(&arg, &label): (&u64, &u64)| {
            let known = self.constant_of(self.next.wrapping_sub(arg as u32));
            let known = known.filter(|(_, constant)| constant.form == Form::BlockAddress);
            known.is_some_and(|(all, constant)| {
                matches!(all.words(constant), &[_, function, number, ..]
                    if function == self.head.1.into() && number == label)
            })
        };
        let (Some(left), Some(addresses)) = (left, addresses) else {
            return Err(Refusal::new("the labels of a `callbr` do not match its constraints"));
        };
        let alike = addresses.iter().zip(labels).all(is_address);
        refuse_if(!alike, "the arguments of a `callbr` are not the addresses of its labels")?;
        let mut number = 0;
        let now = all.iter().map(|constraint| {
            number += usize::from(is_argument(constraint));
            if is_argument(constraint) && number > left { format!("!{constraint}") } else { constraint.to_string() }
        });
        Ok(Some((now.collect::<Vec<_>>().join(","), left)))
    }

    // Operand bundles.

    /// Takes an operand bundle of the next call.
    pub(super) fn bundle(&mut self, mut fields: Fields<'_>) -> Result<()> {
        let tag = fields.next()?;
        let first = self.s.bundled.len();
        while !fields.is_empty() {
            let operand = self.typed_id(&mut fields)?;
            self.s.bundled.push(operand);
        }
        self.s.bundles.push((tag, first, self.s.bundled.len()));
        Ok(())
    }

    pub(super) fn forget_bundles(&mut self) {
        self.s.bundles.clear();
        self.s.bundled.clear();
    }

    /// The name of a bundle's tag.
    pub(super) fn tag(&self, number: u64) -> &'r [u8] {
        let m = self.m;
        usize::try_from(number).ok().and_then(|number| m.bundles.get(number)).map_or(b"", |name| &name[..])
    }

    /// The token that is the only operand of a bundle.
    fn bundled_token(&mut self, first: usize, end: usize) -> Result<Val> {
        match self.s.bundled[first..end] {
            [(id, TOKEN)] => self.value(id, TOKEN),
            _ => Err(Refusal::new("expected a token")),
        }
    }

    /// Takes the operand bundles of a call; returns the token of `"preallocated"`, the pad of `"funclet"` and the number of `"kcfi"`.
    #[inline]
    fn bundles(&mut self) -> Result<(Option<Val>, Option<Val>, Option<Val>)> {
        if self.s.bundles.is_empty() {
            return Ok((None, None, None));
        }
        let (mut token, mut within, mut type_id) = (None, None, None);
        for (tag, first, end) in std::mem::take(&mut self.s.bundles) {
            match self.tag(tag) {
                b"funclet" => {
                    let pad = self.bundled_token(first, end)?;
                    refuse_if(within.replace(pad).is_some(), "a call has one `funclet` operand bundle")?;
                }
                b"preallocated" => {
                    let block = self.bundled_token(first, end)?;
                    refuse_if(token.replace(block).is_some(), "a call has one `preallocated` operand bundle")?;
                }
                b"kcfi" => {
                    let [(id, I32)] = self.s.bundled[first..end] else { return Err(Refusal::new("expected an `i32`")) };
                    let number = self.value(id, I32)?;
                    refuse_if(type_id.replace(number).is_some(), "a call has one `kcfi` operand bundle")?;
                }
                name => {
                    let name = String::from_utf8_lossy(name);
                    return Err(Refusal::new(format!("the operand bundle `{name}` is not supported")));
                }
            }
        }
        self.forget_bundles();
        Ok((token, within, type_id))
    }

    /// Takes the operand bundles of a call that can only have one that names the funclet.
    fn only_funclet(&mut self) -> Result<Option<Val>> {
        let mut within = None;
        for (tag, first, end) in std::mem::take(&mut self.s.bundles) {
            match self.tag(tag) {
                b"funclet" => within = Some(self.bundled_token(first, end)?),
                name => {
                    let name = String::from_utf8_lossy(name);
                    return Err(Refusal::new(format!("the operand bundle `{name}` is not supported here")));
                }
            }
        }
        self.forget_bundles();
        Ok(within)
    }

    /// Takes the operand bundles of a statepoint: appends the operands of `deopt`, then those of `gc-live`. Those of
    /// `gc-transition` have no effect. Returns the pad of the funclet that contains the call.
    fn statepoint_bundles(&mut self) -> Result<Option<Val>> {
        let (mut live, mut within) = (Vec::new(), None);
        self.s.call.bundled = [0; 2];
        for (tag, first, end) in std::mem::take(&mut self.s.bundles) {
            let name = self.tag(tag);
            if name == b"funclet" {
                within = Some(self.bundled_token(first, end)?);
                continue;
            }
            for at in first..end {
                let (id, ty) = self.s.bundled[at];
                self.l.check_aggregate(ty)?;
                let val = self.value(id, ty)?;
                match name {
                    b"deopt" => {
                        self.s.call.push(ty, ParamAttrs::default(), val);
                        self.s.call.bundled[0] += 1;
                    }
                    b"gc-live" => live.push((ty, val)),
                    // Those of `gc-transition`, or of a bundle that is refused below.
                    _ => {}
                }
            }
            if !matches!(name, b"deopt" | b"gc-live" | b"gc-transition") {
                let name = String::from_utf8_lossy(name);
                return Err(Refusal::new(format!("the operand bundle `{name}` is not supported here")));
            }
        }
        self.forget_bundles();
        self.s.call.bundled[1] = live.len();
        for (ty, val) in live {
            self.s.call.push(ty, ParamAttrs::default(), val);
        }
        Ok(within)
    }
}

/// The words after `asm` for these flags.
pub(super) fn assembly_words(flags: u8) -> Vec<&'static str> {
    let all = ["sideeffect", "alignstack", "inteldialect", "unwind"];
    (0..4).filter(|bit| flags >> bit & 1 == 1).map(|bit| all[bit]).collect()
}

/// The arguments of inline assembly that are addresses of its operands.
pub(super) fn indirect_operands(constraints: &str) -> Vec<usize> {
    let indirect = |constraint: &str| constraint.trim_start_matches(['=', '+', '&', '%']).starts_with('*');
    let is_argument = |constraint: &&str| {
        !constraint.starts_with(['~', '!']) && (!constraint.starts_with('=') || indirect(constraint))
    };
    let arguments = constraints.split(',').filter(is_argument).enumerate();
    arguments.filter(|(_, constraint)| indirect(constraint)).map(|(at, _)| at).collect()
}

/// How a call with these targets ends.
#[inline]
pub(super) fn call_end(targets: Option<(Edge, Option<Edge>)>, labels: &[Edge]) -> CallEnd<Borrowed<'_>> {
    match targets {
        None => CallEnd::None,
        Some((normal, Some(unwind))) => CallEnd::Invoke(normal, unwind),
        Some((normal, None)) => CallEnd::CallBr(normal, labels),
    }
}
