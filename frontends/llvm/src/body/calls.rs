//! Reads calls of functions, intrinsics and inline assembly.

use gusset_abi::Convention;
use gusset_codegen::ir::{Callee, Edge, SymbolId, TailKind};
use gusset_program::{
    Argument, Borrowed, CallEnd, CallSite, CallTarget, EntryId, Flags, FnAttrs, I32, Intrinsic, METADATA, PTR,
    ParamAttrs, Sink, StackMapIntrinsic, TOKEN, TypeId, VOID, Val, Values, refusals,
};

use super::call_syntax::CallSyntax;
use super::reader::Reader;
use crate::attributes::{named_trap, parse_attribute, parse_param};
use crate::lexer::{Cursor, Tokens, unescape};
use crate::tables::SymbolInfo;
use crate::types::TypeNames;
use gusset_text::{Placed, Result};

/// What to do with the operand bundles after a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bundles {
    /// They have no effect here.
    Skip,
    /// They are an error, except one that names the funclet containing the call.
    Refuse,
    /// The caller reads them.
    Leave,
}

/// What precedes a call's arguments.
struct Head {
    /// The text from after the keyword, or the fast-math flags, to the callee's name.
    text: (usize, usize),
    convention: Convention,
    attrs: ParamAttrs,
    ret: TypeId,
    /// Number of named parameters, if the function type is variadic.
    variadic: Option<usize>,
    /// A fast-math flag allows reassociation.
    reassociates: bool,
}

/// Which instruction a call is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CallKind {
    Call(TailKind),
    Invoke,
    CallBr,
}

/// How a call with these targets ends.
#[inline]
fn call_end(targets: Option<(Edge, Option<Edge>)>, labels: &[Edge]) -> CallEnd<Borrowed<'_>> {
    match targets {
        None => CallEnd::None,
        Some((normal, Some(unwind))) => CallEnd::Invoke(normal, unwind),
        Some((normal, None)) => CallEnd::CallBr(normal, labels),
    }
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a call, after its keyword.
    pub(super) fn call(&mut self, kind: CallKind) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let head = self.call_head()?;
        let (ret, at) = (head.ret, self.c.pos);
        if kind == CallKind::CallBr && !self.c.starts_with(b"asm") {
            return Err(self.c.error("a `callbr` of what is no inline assembly is not supported"));
        }
        let mut attrs = FnAttrs::default();
        let callee = match self.c.peek() {
            b'@' => {
                let info = self.global()?;
                if let Some(intrinsic) = info.intrinsic {
                    return self.intrinsic_call((intrinsic, info.libcall), head, at, kind);
                }
                attrs = info.attrs.of_calls();
                self.named_callee(info, at)?
            }
            b'a' if self.c.eat_word(b"asm") => {
                if E::PRESERVES_METADATA && kind == CallKind::Call(TailKind::Tail) {
                    self.l.flags(Flags::TAIL);
                }
                return self.inline_assembly(head, at, kind);
            }
            _ => {
                let v = self.value(PTR)?;
                self.l.known(v).callee(v)
            }
        };
        self.c.refuse_if(ret == TOKEN && !E::PRESERVES_METADATA, at, "a call cannot have a result of this type")?;
        self.s.call.begin(head.convention, ret, head.attrs);
        let symbol = match callee {
            Callee::Symbol(symbol) if !E::PRESERVES_METADATA && self.c.src[at] == b'@' => Some(symbol),
            _ => None,
        };
        let first = symbol.and_then(|symbol| self.s.call_syntax.find(self.c.src, symbol, head.text));
        let known = self.arguments(first)?;
        let mut bundled = (None, None, None);
        if E::PRESERVES_METADATA {
            self.carry_call_tail()?;
        } else {
            self.call_attributes(&mut attrs, Bundles::Leave)?;
            if self.c.peek() == b'[' {
                bundled = self.bundles()?;
                self.call_attributes(&mut attrs, Bundles::Refuse)?;
            }
        }
        let (token, within, type_id) = bundled;
        let tail = if let CallKind::Call(tail) = kind { tail } else { TailKind::None };
        let (target, end) = (CallTarget::Function(callee), self.call_targets(kind)?);
        let end = call_end(end, &self.s.edges);
        let site =
            CallSite { target, attrs, tail, variadic: head.variadic, token, within, type_id, trap: None, known, end };
        let called = self.l.call(&site, &mut self.s.call).at(self.c.src, pos)?;
        if let (Some(symbol), Some(entry)) = (symbol, called.entry) {
            self.s.call_syntax.learn(self.c.src, symbol, head.text, &self.s.call.request, entry);
        }
        Ok((ret, called.val))
    }

    /// Reads the targets of a call that is a terminator: where it continues, and where exceptions go. The labels of a `callbr`
    /// are then in `edges`.
    #[inline]
    fn call_targets(&mut self, kind: CallKind) -> Result<Option<(Edge, Option<Edge>)>> {
        if let CallKind::Call(_) = kind {
            return Ok(None);
        }
        self.c.expect_word("to")?;
        let normal = self.label()?;
        if kind == CallKind::Invoke {
            self.c.expect_word("unwind")?;
            let unwind = self.label()?;
            return Ok(Some((self.l.edge(normal), Some(self.l.edge(unwind)))));
        }
        let normal = self.l.edge(normal);
        self.c.expect(b'[')?;
        self.s.edges.clear();
        let mut more = !self.c.eat(b']');
        while more {
            let block = self.label()?;
            self.s.edges.push(self.l.edge(block));
            more = self.c.more(b']')?;
        }
        Ok(Some((normal, None)))
    }

    /// Reads what is between a call's keyword and its callee.
    #[inline]
    fn call_head(&mut self) -> Result<Head> {
        let mut start = self.c.pos;
        let (mut convention, mut attrs, mut reassociates) = (Convention::C, ParamAttrs::default(), false);
        let (begin, mut flagged) = (start, false);
        if !TypeNames::common_ahead(&self.c) {
            reassociates = self.flags(false);
            start = self.c.pos;
            flagged = start != begin;
            convention = self.convention()?;
            let at = self.c;
            attrs = parse_param(&mut self.c, self.l.types_mut(), self.names)?;
            if E::PRESERVES_METADATA {
                self.s.call.metadata.ret_attrs = self.attributes_from(at, None)?;
            }
            if self.c.eat_word(b"addrspace") {
                let at = self.c.pos;
                let space = TypeNames::address_space(self.l.types_mut(), &mut self.c)?;
                self.c.refuse_if(
                    space != PTR && !E::PRESERVES_METADATA,
                    at,
                    "there are no functions relative to this segment register",
                )?;
            }
        }
        let at = self.c.pos;
        let ret = self.ty()?;
        if ret != VOID && ret != TOKEN && !E::PRESERVES_METADATA && !self.l.types().is_sized(ret) {
            return Err(self.c.error_at(at, "a call cannot have a result of this type"));
        }
        self.c.refuse_if(flagged && !self.l.types().is_floating(ret), begin, refusals::FAST_MATH)?;
        let variadic = if self.c.peek() == b'(' { self.function_type()? } else { None };
        Ok(Head { text: (start, self.c.pos), convention, attrs, ret, variadic, reassociates })
    }

    /// The function with a name at `at`.
    #[inline]
    fn named_callee(&mut self, info: &SymbolInfo, at: usize) -> Result<Callee> {
        match info.symbol {
            Some(symbol) if !info.tls => Ok(Callee::Symbol(symbol)),
            _ => Ok(Callee::Value(self.global_address(PTR, info, at)?.value())),
        }
    }

    /// Reads the parameter types of a function type; returns the number of named ones if it is variadic.
    fn function_type(&mut self) -> Result<Option<usize>> {
        self.c.expect_bracket(b'(')?;
        let (mut n, mut variadic) = (0, None);
        let mut more = !self.c.eat(b')');
        while more {
            if self.c.starts_with(b"...") {
                self.c.bump(3);
                variadic = Some(n);
                self.c.expect(b')')?;
                break;
            }
            self.ty()?;
            n += 1;
            more = self.c.more(b')')?;
        }
        Ok(variadic)
    }

    /// Reads the arguments in parentheses; returns the signature if they are passed as in the function's first call.
    fn arguments(&mut self, first: Option<CallSyntax>) -> Result<Option<EntryId>> {
        self.c.expect_bracket(b'(')?;
        self.s.call_syntax.spans.clear();
        let known = |count: usize, alike: bool| first.filter(|f| alike && f.count == count).map(|f| f.entry);
        if self.c.eat(b')') {
            return Ok(known(0, true));
        }
        let mut alike = true;
        loop {
            let pos = self.c.pos;
            let noted =
                first.and_then(|first| self.s.call_syntax.param(self.c.src, &first, self.s.call.vals.len(), pos));
            if let Some((ty, attrs, value)) = noted {
                self.c.pos = value;
                self.argument(ty, attrs, pos)?;
            } else {
                if self.c.starts_with(b"...") {
                    alike = false;
                    self.c.bump(3);
                    self.s.call.forwards = true;
                    break;
                }
                let ty = self.ty()?;
                if ty == METADATA {
                    alike = false;
                    self.metadata_argument()?;
                } else {
                    let at = self.c;
                    let attrs = parse_param(&mut self.c, self.l.types_mut(), self.names)?;
                    let i = self.s.call.vals.len();
                    alike &= first.is_some_and(|first| self.s.call_syntax.passes_like(&first, i, ty, &attrs));
                    if E::PRESERVES_METADATA {
                        let pointee = self.names.pointee(&at);
                        let carried = self.attributes_from(at, pointee)?;
                        let val = self.argument(ty, attrs, pos)?;
                        self.s.call.metadata.args.push(Argument::Value(val, carried));
                    } else {
                        self.argument(ty, attrs, pos)?;
                    }
                }
            }
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.expect_bracket(b')')?;
        Ok(known(self.s.call.vals.len(), alike))
    }

    /// Reads the value of an argument at `pos`, whose type and attributes have been read.
    #[inline(always)]
    fn argument(&mut self, ty: TypeId, attrs: ParamAttrs, pos: usize) -> Result<Val> {
        self.s.call_syntax.spans.push((pos, self.c.pos));
        self.l.check_aggregate(ty).at(self.c.src, pos)?;
        let val = self.value(ty)?;
        self.s.call.push(ty, attrs, val);
        Ok(val)
    }

    fn metadata_argument(&mut self) -> Result<()> {
        if E::PRESERVES_METADATA {
            let operand = self.metadata_operand()?;
            self.s.call.metadata.args.push(Argument::Metadata(operand));
            return Ok(());
        }
        let start = self.c.pos;
        if self.c.peek() == b'!' {
            self.c.skip_metadata()?;
        } else {
            let ty = self.ty()?;
            self.value(ty)?;
        }
        let string =
            self.c.src[start..self.c.pos].strip_prefix(b"!\"").and_then(|text| text.split(|&b| b == b'"').next());
        self.s.call.push_metadata(string.unwrap_or(b""));
        Ok(())
    }

    /// Reads attributes and operand bundles after a call's arguments; returns the pad of the funclet that a bundle gives.
    fn call_attributes(&mut self, attrs: &mut FnAttrs, bundles: Bundles) -> Result<Option<Val>> {
        let mut within = None;
        loop {
            match self.c.peek() {
                b'#' if self.c.ahead(1).is_ascii_digit() => {
                    self.c.pos += 1;
                    let number = self.c.number()?;
                    attrs.0 |= self.m.group(number).0;
                }
                b'[' => match bundles {
                    Bundles::Skip => self.c.skip_group()?,
                    Bundles::Leave => return Ok(within),
                    Bundles::Refuse => {
                        let at = self.c;
                        self.c.expect(b'[')?;
                        let name = self.c.text()?;
                        if name != "funclet" {
                            return Err(at.error(format!("the operand bundle `{name}` is not supported here")));
                        }
                        within = Some(self.within()?);
                        self.c.expect(b']')?;
                    }
                },
                b'a'..=b'z' => {
                    if !parse_attribute(attrs, &mut self.c, &mut Values::default(), self.m.facts.target.arch)? {
                        return Ok(within);
                    }
                }
                // A string may also be the label of the next block.
                b'"' => {
                    let mut next = self.c;
                    next.string()?;
                    if next.peek() == b':' {
                        return Ok(within);
                    }
                    parse_attribute(attrs, &mut self.c, &mut Values::default(), self.m.facts.target.arch)?;
                }
                _ => return Ok(within),
            }
        }
    }

    /// Reads the call of an intrinsic after its name, which is at `pos`.
    fn intrinsic_call(
        &mut self,
        (intrinsic, libcall): (Intrinsic, Option<SymbolId>),
        head: Head,
        pos: usize,
        kind: CallKind,
    ) -> Result<(TypeId, Val)> {
        let ret = head.ret;
        let mut attrs = FnAttrs::default();
        self.s.call.begin(head.convention, ret, head.attrs);
        let within = match intrinsic {
            Intrinsic::PreallocatedSetup | Intrinsic::PreallocatedArg | Intrinsic::PreallocatedTeardown => {
                self.preallocated(intrinsic)?;
                self.call_attributes(&mut attrs, Bundles::Refuse)?
            }
            Intrinsic::Unsupported => {
                let name = Cursor::new(self.c.src, pos + 1).peek_text();
                return Err(self.c.error_at(pos, format!("the intrinsic `{name}` is not supported yet")));
            }
            Intrinsic::ExceptionCode => {
                self.c.expect(b'(')?;
                let token = self.pad_token()?;
                self.s.call.push(TOKEN, ParamAttrs::default(), token);
                self.c.expect(b')')?;
                self.call_attributes(&mut attrs, Bundles::Refuse)?
            }
            Intrinsic::StackMap(StackMapIntrinsic::Result | StackMapIntrinsic::Relocate) => {
                self.c.expect(b'(')?;
                let token = self.token()?;
                self.s.call.push(TOKEN, ParamAttrs::default(), token);
                while self.c.eat(b',') {
                    self.number_argument()?;
                }
                self.c.expect(b')')?;
                self.call_attributes(&mut attrs, Bundles::Refuse)?
            }
            Intrinsic::NamedRegister { .. } => {
                let mut node = self.c;
                self.arguments(None)?;
                self.s.call.register = match node.eat(b'(') && node.eat_word(b"metadata") {
                    true => {
                        let mut operand = self.m.operands(node)?;
                        operand.expect(b'!')?;
                        unescape(operand.string()?)
                    }
                    false => Vec::new(),
                };
                self.call_attributes(&mut attrs, Bundles::Refuse)?
            }
            Intrinsic::StackMap(_) => {
                self.arguments(None)?;
                self.call_attributes(&mut attrs, Bundles::Leave)?;
                self.s.call.bundled = [0; 2];
                let within = if self.c.peek() == b'[' { self.statepoint_bundles()? } else { None };
                self.call_attributes(&mut attrs, Bundles::Refuse)?;
                within
            }
            Intrinsic::Nothing if self.m.keeps_debug_info && self.c.src[pos..].starts_with(b"@llvm.dbg.") => {
                let mut name = Cursor::new(self.c.src, pos + "@llvm.dbg.".len());
                let kind = name.peek_word();
                name.bump(kind.len());
                self.debug_intrinsic(kind)?;
                self.call_attributes(&mut attrs, Bundles::Skip)?
            }
            Intrinsic::Nothing | Intrinsic::Scope { .. } => {
                self.c.unexpected_if(self.c.peek() != b'(', self.c.pos, "`(`")?;
                self.c.skip_group()?;
                self.call_attributes(&mut attrs, Bundles::Skip)?
            }
            _ => {
                self.arguments(None)?;
                let within = self.call_attributes(&mut attrs, Bundles::Refuse)?;
                attrs.0 |= if head.reassociates { FnAttrs::REASSOCIATES } else { 0 };
                within
            }
        };
        let (target, end) = (CallTarget::Intrinsic(intrinsic, libcall), self.call_targets(kind)?);
        let end = call_end(end, &self.s.edges);
        let mut site = CallSite { attrs, within, end, ..CallSite::of(target) };
        let trap = attrs.has(FnAttrs::NAMES_TRAP).then(|| named_trap(self.m, pos)).flatten();
        site.trap = trap.as_deref();
        let called = self.l.call(&site, &mut self.s.call).at(self.c.src, pos)?;
        Ok((ret, called.val))
    }

    /// Reads inline assembly after `asm`; it is the callee of a call at `pos`.
    fn inline_assembly(&mut self, head: Head, pos: usize, kind: CallKind) -> Result<(TypeId, Val)> {
        let ret = head.ret;
        let mut words = Vec::new();
        let all = ["sideeffect", "alignstack", "inteldialect", "unwind"];
        while let Some(word) = all.into_iter().find(|word| self.c.eat_word(word.as_bytes())) {
            words.push(word);
        }
        let template = &unescape(self.c.string()?)[..];
        self.c.expect(b',')?;
        let constraints = &String::from_utf8_lossy(self.c.string()?)[..];
        self.s.call.begin(head.convention, ret, head.attrs);
        self.arguments(None)?;
        let mut within = None;
        if E::PRESERVES_METADATA {
            self.carry_call_tail()?;
        } else {
            within = self.call_attributes(&mut FnAttrs::default(), Bundles::Refuse)?;
        }
        let labels = constraints.split(',').filter(|c| c.starts_with('!')).count();
        self.c.refuse_if(labels > 0 && kind != CallKind::CallBr, pos, "only a `callbr` has labels")?;
        let end = self.call_targets(kind)?;
        let differ = kind == CallKind::CallBr && self.s.edges.len() != labels;
        self.c.refuse_if(differ, pos, "the labels of a `callbr` do not match its constraints")?;
        let end = call_end(end, &self.s.edges);
        let target = CallTarget::Assembly { template, constraints, words: &words };
        let site = CallSite { within, end, ..CallSite::of(target) };
        let called = self.l.call(&site, &mut self.s.call).at(self.c.src, pos)?;
        Ok((ret, called.val))
    }

    // Preallocated arguments.

    /// Reads the arguments of one of these intrinsics, up to the closing parenthesis.
    fn preallocated(&mut self, intrinsic: Intrinsic) -> Result<()> {
        self.c.expect(b'(')?;
        if let Intrinsic::PreallocatedSetup = intrinsic {
            self.number_argument()?;
            return self.c.expect(b')');
        }
        let token = self.token()?;
        self.s.call.push(TOKEN, ParamAttrs::default(), token);
        if let Intrinsic::PreallocatedTeardown = intrinsic {
            return self.c.expect(b')');
        }
        self.c.expect(b',')?;
        self.number_argument()?;
        self.c.expect(b')')?;
        let mut attrs = parse_param(&mut self.c, self.l.types_mut(), self.names)?;
        let mut next = self.c;
        if next.eat(b'#') {
            let group = self.m.preallocated.get(&next.number()?);
            attrs = group.copied().unwrap_or(attrs);
        }
        self.s.call.request.ret = Some((PTR, attrs));
        Ok(())
    }

    /// Reads an argument that is a constant `i32`.
    fn number_argument(&mut self) -> Result<()> {
        let at = self.c.pos;
        self.c.refuse_if(self.ty()? != I32, at, "expected a constant number of arguments")?;
        let number = self.constant(I32)?;
        self.s.call.push(I32, ParamAttrs::default(), number);
        Ok(())
    }

    /// Reads `token %t`.
    fn token(&mut self) -> Result<Val> {
        let at = self.c.pos;
        let ty = self.ty()?;
        if ty != TOKEN || self.c.peek() != b'%' {
            return Err(self.c.error_at(at, "expected a token"));
        }
        self.value(ty)
    }

    /// Reads the operand bundles of a statepoint: appends the operands of `deopt`, then those of `gc-live`. Those of
    /// `gc-transition` have no effect. Returns the pad of the funclet that contains the call.
    fn statepoint_bundles(&mut self) -> Result<Option<Val>> {
        let (mut live, mut within) = (Vec::new(), None);
        self.c.expect(b'[')?;
        loop {
            let at = self.c.pos;
            let name = self.c.string()?;
            if name == b"funclet" {
                within = Some(self.within()?);
            } else {
                self.c.expect(b'(')?;
                let mut more = !self.c.eat(b')');
                while more {
                    let (at, ty) = (self.c.pos, self.ty()?);
                    self.l.check_aggregate(ty).at(self.c.src, at)?;
                    let val = self.value(ty)?;
                    match name {
                        b"deopt" => {
                            self.s.call.push(ty, ParamAttrs::default(), val);
                            self.s.call.bundled[0] += 1;
                        }
                        b"gc-live" => live.push((ty, val)),
                        // Those of `gc-transition`, or of a bundle that is refused below.
                        _ => {}
                    }
                    more = self.c.more(b')')?;
                }
                if !matches!(name, b"deopt" | b"gc-live" | b"gc-transition") {
                    let name = String::from_utf8_lossy(name);
                    return Err(self.c.error_at(at, format!("the operand bundle `{name}` is not supported here")));
                }
            }
            if !self.c.more(b']')? {
                break;
            }
        }
        self.s.call.bundled[1] = live.len();
        for (ty, val) in live {
            self.s.call.push(ty, ParamAttrs::default(), val);
        }
        Ok(within)
    }

    /// Reads the operand bundles of a call; returns the token of `"preallocated"`, the pad of `"funclet"` and the number of `"kcfi"`.
    fn bundles(&mut self) -> Result<(Option<Val>, Option<Val>, Option<Val>)> {
        let (mut token, mut within, mut type_id) = (None, None, None);
        self.c.expect(b'[')?;
        loop {
            let at = self.c.pos;
            let name = self.c.string()?;
            if name == b"funclet" {
                let pad = self.within()?;
                self.c.refuse_if(within.replace(pad).is_some(), at, "a call has one `funclet` operand bundle")?;
            } else if name == b"preallocated" {
                self.c.expect(b'(')?;
                if token.replace(self.token()?).is_some() {
                    return Err(self.c.error_at(at, "a call has one `preallocated` operand bundle"));
                }
                self.c.expect(b')')?;
            } else if name == b"kcfi" {
                self.c.expect(b'(')?;
                self.c.expect_word("i32")?;
                if type_id.replace(self.value(I32)?).is_some() {
                    return Err(self.c.error_at(at, "a call has one `kcfi` operand bundle"));
                }
                self.c.expect(b')')?;
            } else {
                let message = format!("the operand bundle `{}` is not supported", String::from_utf8_lossy(name));
                return Err(self.c.error_at(at, message));
            }
            if !self.c.more(b']')? {
                return Ok((token, within, type_id));
            }
        }
    }
}
