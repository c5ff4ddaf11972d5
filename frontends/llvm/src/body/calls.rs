//! Reads calls of functions, intrinsics and inline assembly.

use gusset_abi::Convention;
use gusset_codegen::ir::{Callee, Pad, SymbolId, TailKind};
use gusset_lower::{
    Assembly, CallSite, EntryId, FnAttrs, Intrinsic, NO_RESULT, ParamAttrs, Sink, Values, check_template,
};
use gusset_program::{Flags, I32, METADATA, PTR, TOKEN, TypeId, VOID, Val};

use super::call_syntax::CallSyntax;
use super::reader::Reader;
use crate::attributes::{parse_attribute, parse_param};
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

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a call, after its keyword.
    pub(super) fn call(&mut self, tail: TailKind) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let head = self.call_head()?;
        let (ret, at) = (head.ret, self.c.pos);
        if self.labels.is_some() && !self.c.starts_with(b"asm") {
            return Err(self.c.error("a `callbr` of what is no inline assembly is not supported"));
        }
        let mut attrs = FnAttrs::default();
        let callee = match self.c.peek() {
            b'@' => {
                let info = self.global()?;
                if let Some(intrinsic) = info.intrinsic {
                    let invoked = std::mem::take(&mut self.invoking);
                    return self.intrinsic_call(intrinsic, info.libcall, ret, (at, invoked, head.reassociates));
                }
                attrs = info.attrs;
                self.named_callee(info, at)?
            }
            b'a' if self.c.eat_word(b"asm") => {
                self.invoking = false;
                if E::PRESERVES_METADATA && tail == TailKind::Tail {
                    self.l.flags(Flags::TAIL);
                }
                return self.inline_assembly(head, at);
            }
            _ => {
                let v = self.value(PTR)?;
                self.l.callee(v)
            }
        };
        self.c.refuse_if(ret == TOKEN && !E::PRESERVES_METADATA, at, "a call cannot have a result of this type")?;
        self.l.begin_call(head.convention, ret, head.attrs);
        let symbol = match callee {
            Callee::Symbol(symbol) if !E::PRESERVES_METADATA && self.c.src[at] == b'@' => Some(symbol),
            _ => None,
        };
        let first = symbol.and_then(|symbol| self.s.call_syntax.find(self.c.src, symbol, head.text));
        let known = self.arguments(first)?;
        let mut bundled = (None, None);
        if E::PRESERVES_METADATA {
            self.carry_call_tail()?;
        } else {
            self.call_attributes(&mut attrs, Bundles::Leave)?;
            if self.c.peek() == b'[' {
                bundled = self.bundles()?;
                self.call_attributes(&mut attrs, Bundles::Refuse)?;
            }
        }
        let ((token, within), invoke) = (bundled, self.invoking);
        let site = CallSite { callee, attrs, tail, variadic: head.variadic, token, within, invoke, known };
        let called = self.l.call(&site).at(self.c.src, pos)?;
        if let (Some(symbol), Some(entry)) = (symbol, called.entry) {
            self.s.call_syntax.learn(self.c.src, symbol, head.text, self.l.request(), entry);
        }
        Ok((ret, called.val))
    }

    /// Reads what is between a call's keyword and its callee.
    #[inline]
    fn call_head(&mut self) -> Result<Head> {
        let mut start = self.c.pos;
        let (mut convention, mut attrs, mut reassociates) = (Convention::C, ParamAttrs::default(), false);
        if !TypeNames::common_ahead(&self.c) {
            reassociates = self.flags(false);
            start = self.c.pos;
            convention = self.convention()?;
            let at = self.c;
            attrs = parse_param(&mut self.c, self.l.types_mut(), self.names)?;
            if E::PRESERVES_METADATA {
                // They are kept until the call begins.
                let carried = self.attributes_from(at, None)?;
                self.l.attributes(carried);
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
        let variadic = if self.c.peek() == b'(' { self.function_type()? } else { None };
        Ok(Head { text: (start, self.c.pos), convention, attrs, ret, variadic, reassociates })
    }

    /// The function with a name at `at`.
    #[inline]
    fn named_callee(&mut self, info: &SymbolInfo, at: usize) -> Result<Callee> {
        match info.symbol {
            Some(symbol) if !info.tls => Ok(Callee::Symbol(symbol)),
            _ => Ok(Callee::Value(self.global_address(info, at)?.value())),
        }
    }

    /// Reads the parameter types of a function type; returns the number of named ones if it is variadic.
    fn function_type(&mut self) -> Result<Option<usize>> {
        self.c.expect(b'(')?;
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
        self.c.expect(b'(')?;
        self.s.call_syntax.spans.clear();
        let known = |count: usize, alike: bool| first.filter(|f| alike && f.count == count).map(|f| f.entry);
        if self.c.eat(b')') {
            return Ok(known(0, true));
        }
        let mut alike = true;
        loop {
            let pos = self.c.pos;
            let noted = first.and_then(|first| self.s.call_syntax.param(self.c.src, &first, self.l.arguments(), pos));
            if let Some((ty, attrs, value)) = noted {
                self.c.pos = value;
                self.argument(ty, attrs, pos)?;
            } else {
                if self.c.starts_with(b"...") {
                    alike = false;
                    self.c.bump(3);
                    self.l.forward_unnamed();
                    break;
                }
                let ty = self.ty()?;
                if ty == METADATA {
                    alike = false;
                    self.metadata_argument()?;
                } else {
                    let at = self.c;
                    let attrs = parse_param(&mut self.c, self.l.types_mut(), self.names)?;
                    if E::PRESERVES_METADATA {
                        let pointee = self.names.pointee(&at);
                        let carried = self.attributes_from(at, pointee)?;
                        self.l.attributes(carried);
                    }
                    let i = self.l.arguments();
                    alike &= first.is_some_and(|first| self.s.call_syntax.passes_like(&first, i, ty, &attrs));
                    self.argument(ty, attrs, pos)?;
                }
            }
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.expect(b')')?;
        Ok(known(self.l.arguments(), alike))
    }

    /// Reads the value of an argument at `pos`, whose type and attributes have been read.
    #[inline(always)]
    fn argument(&mut self, ty: TypeId, attrs: ParamAttrs, pos: usize) -> Result<()> {
        self.s.call_syntax.spans.push((pos, self.c.pos));
        self.l.check_aggregate(ty).at(self.c.src, pos)?;
        let val = self.value(ty)?;
        self.l.argument(ty, attrs, val).at(self.c.src, pos)
    }

    fn metadata_argument(&mut self) -> Result<()> {
        if E::PRESERVES_METADATA {
            let operand = self.metadata_operand()?;
            self.l.metadata(operand);
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
        self.l.metadata_argument(string.unwrap_or(b""));
        Ok(())
    }

    /// Reads attributes and operand bundles after a call's arguments.
    fn call_attributes(&mut self, attrs: &mut FnAttrs, bundles: Bundles) -> Result<()> {
        loop {
            match self.c.peek() {
                b'#' if self.c.ahead(1).is_ascii_digit() => {
                    self.c.pos += 1;
                    let number = self.c.number()?;
                    attrs.0 |= self.m.group(number).0;
                }
                b'[' => match bundles {
                    Bundles::Skip => self.c.skip_group()?,
                    Bundles::Leave => return Ok(()),
                    Bundles::Refuse => {
                        let at = self.c;
                        self.c.expect(b'[')?;
                        let name = self.c.text()?;
                        if name != "funclet" {
                            return Err(at.error(format!("the operand bundle `{name}` is not supported here")));
                        }
                        // A call that no exception leaves may be in any funclet.
                        self.within()?;
                        self.c.expect(b']')?;
                    }
                },
                b'a'..=b'z' => {
                    if !parse_attribute(attrs, &mut self.c, &mut Values::default(), self.m.facts.target.arch)? {
                        return Ok(());
                    }
                }
                // A string may also be the label of the next block.
                b'"' => {
                    let mut next = self.c;
                    next.string()?;
                    if next.peek() == b':' {
                        return Ok(());
                    }
                    parse_attribute(attrs, &mut self.c, &mut Values::default(), self.m.facts.target.arch)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Reads the call of an intrinsic after its name, which is at `pos`. The flags say whether the call is an
    /// `invoke`'s, and whether its operations may be reassociated.
    fn intrinsic_call(
        &mut self,
        intrinsic: Intrinsic,
        libcall: Option<SymbolId>,
        ret: TypeId,
        (pos, invoked, reassociates): (usize, bool, bool),
    ) -> Result<(TypeId, Val)> {
        let mut attrs = FnAttrs::default();
        let val = match intrinsic {
            Intrinsic::PreallocatedSetup | Intrinsic::PreallocatedArg | Intrinsic::PreallocatedTeardown => {
                return self.preallocated(intrinsic, ret, pos);
            }
            Intrinsic::Unsupported => {
                let name = Cursor::new(self.c.src, pos + 1).peek_text();
                return Err(self.c.error_at(pos, format!("the intrinsic `{name}` is not supported yet")));
            }
            Intrinsic::ExceptionCode => {
                self.c.expect(b'(')?;
                let token = self.pad_token()?;
                self.c.expect(b')')?;
                self.call_attributes(&mut attrs, Bundles::Refuse)?;
                self.c.refuse_if(ret != I32, pos, "this intrinsic gives an `i32`")?;
                self.l.exception_code(token)
            }
            Intrinsic::Nothing | Intrinsic::Scope { .. } => {
                if let (Intrinsic::Scope { begins, of_try }, true) = (intrinsic, invoked) {
                    self.scope = Some((begins, of_try));
                }
                self.c.unexpected_if(self.c.peek() != b'(', self.c.pos, "`(`")?;
                self.c.skip_group()?;
                self.call_attributes(&mut attrs, Bundles::Skip)?;
                self.l.nothing(ret)
            }
            _ => {
                self.l.begin_operation();
                self.arguments(None)?;
                self.call_attributes(&mut attrs, Bundles::Refuse)?;
                attrs.0 |= if reassociates { FnAttrs::REASSOCIATES } else { 0 };
                self.l.intrinsic(intrinsic, libcall, ret, attrs)
            }
        };
        Ok((ret, val.at(self.c.src, pos)?))
    }

    /// Reads inline assembly after `asm`; it is the callee of a call at `pos`.
    fn inline_assembly(&mut self, head: Head, pos: usize) -> Result<(TypeId, Val)> {
        let ret = head.ret;
        let side_effect = self.c.eat_word(b"sideeffect");
        let mut words = if side_effect { vec!["sideeffect"] } else { Vec::new() };
        let others = ["alignstack", "inteldialect", "unwind"];
        while let Some(word) = others.into_iter().find(|word| self.c.eat_word(word.as_bytes())) {
            words.push(word);
        }
        let template = unescape(self.c.string()?);
        let does =
            if E::PRESERVES_METADATA { Assembly::Nothing(0) } else { check_template(&template).at(self.c.src, pos)? };
        self.c.expect(b',')?;
        let at = self.c.pos;
        let constraints = String::from_utf8_lossy(self.c.string()?).into_owned();
        if E::PRESERVES_METADATA {
            self.l.begin_call(head.convention, ret, head.attrs);
        } else {
            self.l.begin_operation();
        }
        self.arguments(None)?;
        if E::PRESERVES_METADATA {
            self.carry_call_tail()?;
            self.l.assembly(&template, &words);
        } else {
            self.call_attributes(&mut FnAttrs::default(), Bundles::Refuse)?;
        }
        let result = self.l.inline_assembly(ret, does, side_effect, &constraints);
        let (val, labels) = result.at(self.c.src, at)?;
        self.c.refuse_if(labels > 0 && self.labels.is_none(), pos, "only a `callbr` has labels")?;
        self.labels = self.labels.and(Some(labels));
        Ok((ret, val))
    }

    // Preallocated arguments.

    /// Reads a call of one of these intrinsics, after its name.
    fn preallocated(&mut self, intrinsic: Intrinsic, ret: TypeId, pos: usize) -> Result<(TypeId, Val)> {
        self.c.expect(b'(')?;
        if let Intrinsic::PreallocatedSetup = intrinsic {
            let ty = self.ty()?;
            let at = self.c.pos;
            let (I32, TOKEN, Some(count)) = (ty, ret, self.constant_number()?) else {
                return Err(self.c.error_at(at, "expected a constant number of arguments"));
            };
            self.c.expect(b')')?;
            self.call_attributes(&mut FnAttrs::default(), Bundles::Refuse)?;
            return Ok((TOKEN, self.l.setup_preallocated(count)));
        }
        let token = self.token()?;
        if let Intrinsic::PreallocatedTeardown = intrinsic {
            self.c.expect(b')')?;
            self.call_attributes(&mut FnAttrs::default(), Bundles::Refuse)?;
            self.l.close_preallocated(token);
            return match ret {
                VOID => Ok(NO_RESULT),
                _ => Err(self.c.error_at(pos, "this intrinsic has no result")),
            };
        }
        self.c.expect(b',')?;
        self.ty()?;
        let number = self.constant_number()?;
        self.c.expect(b')')?;
        let attrs = parse_param(&mut self.c, self.l.types_mut(), self.names)?;
        self.call_attributes(&mut FnAttrs::default(), Bundles::Refuse)?;
        Ok((PTR, self.l.preallocated_argument(token, number.filter(|_| ret == PTR), attrs).at(self.c.src, pos)?))
    }

    /// Reads a constant `i32`, if one follows its type.
    fn constant_number(&mut self) -> Result<Option<u32>> {
        let v = self.constant(I32)?;
        Ok(self.l.int_constant(v).and_then(|n| u32::try_from(n).ok()))
    }

    /// Reads `token %t`.
    fn token(&mut self) -> Result<usize> {
        let at = self.c.pos;
        let ty = self.ty()?;
        if ty != TOKEN || self.c.peek() != b'%' {
            return Err(self.c.error_at(at, "expected the token of a `llvm.call.preallocated.setup`"));
        }
        let token = self.value(ty)?;
        self.l.block_of_token(token).at(self.c.src, at)
    }

    /// Reads the operand bundles of a call; returns the token of `"preallocated"` and the pad of `"funclet"`.
    fn bundles(&mut self) -> Result<(Option<usize>, Option<Pad>)> {
        let (mut token, mut within) = (None, None);
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
            } else {
                let message = format!("the operand bundle `{}` is not supported", String::from_utf8_lossy(name));
                return Err(self.c.error_at(at, message));
            }
            if !self.c.more(b']')? {
                return Ok((token, within));
            }
        }
    }
}
