//! Calls.

use gusset_abi::{Convention, Role};
use gusset_codegen::ir::{Callee, ConstData, Inst, InstData, MemFlags, Opcode, SymbolId, TailKind, Type, Value};

use crate::attributes::{FnAttrs, ParamAttrs, Values, parse_convention, parse_param, skip_fast_math};
use crate::body::{Reader, Val};
use crate::error::{ReadError, Result};
use crate::instructions::NOTHING;
use crate::intrinsics::Intrinsic;
use crate::notes::Note;
use crate::refusals;
use crate::signatures::EntryId;
use crate::types::{METADATA, PTR, TOKEN, TypeId, TypeTable, VOID};

/// What is done with operand bundles behind a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bundles {
    /// They have no meaning here.
    Skip,
    /// They are an error.
    Refuse,
    /// The caller reads them.
    Leave,
}

impl<'r> Reader<'r> {
    /// Reads a call behind its keyword.
    pub fn call(&mut self, tail: TailKind) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let (mut head, mut convention, mut ret_attrs) = (pos, Convention::C, ParamAttrs::default());
        if !TypeTable::common_ahead(&self.c) {
            skip_fast_math(&mut self.c);
            head = self.c.pos;
            convention = parse_convention(&mut self.c)?;
            ret_attrs = parse_param(&mut self.c, self.types)?;
            if self.c.eat_word(b"addrspace") {
                let at = self.c.pos;
                if self.types.address_space(&mut self.c)? != PTR {
                    let message = "there are no functions relative to this segment register";
                    return Err(ReadError::new(self.c.src, at, message));
                }
            }
        }
        let at = self.c.pos;
        let ret = self.types.parse(&mut self.c)?;
        if ret != VOID && ret != TOKEN && !self.types.is_sized(ret) {
            return Err(ReadError::new(self.c.src, at, "a call cannot have a result of this type"));
        }
        let variadic = if self.c.peek() == b'(' { self.function_type()? } else { None };
        let at = self.c.pos;
        let mut fn_attrs = FnAttrs::default();
        if self.labels.is_some() && !self.c.starts_with(b"asm") {
            return Err(ReadError::new(self.c.src, at, "a `callbr` of what is no inline assembly is not supported"));
        }
        let callee = match self.c.peek() {
            b'@' => {
                let info = self.global()?;
                if let Some(intrinsic) = info.intrinsic {
                    self.invoking = false;
                    return self.intrinsic_call(intrinsic, info.libcall, ret, at);
                }
                if ret == TOKEN {
                    return Err(ReadError::new(self.c.src, at, "a call cannot have a result of this type"));
                }
                fn_attrs = info.attrs;
                match info.symbol {
                    Some(symbol) if !info.tls => Callee::Symbol(symbol),
                    _ => Callee::Value(Value(self.global_address(info, at)?)),
                }
            }
            b'a' if self.c.eat_word(b"asm") => {
                self.invoking = false;
                let (ty, val, labels) = self.inline_asm(ret, at)?;
                if labels > 0 && self.labels.is_none() {
                    return Err(ReadError::new(self.c.src, at, "only a `callbr` has labels"));
                }
                self.labels = self.labels.and(Some(labels));
                return Ok((ty, val));
            }
            _ if ret == TOKEN => {
                return Err(ReadError::new(self.c.src, at, "a call cannot have a result of this type"));
            }
            _ => {
                let v = Value(self.value(PTR)?);
                match self.b.func.constant(v) {
                    Some(ConstData::Symbol(symbol, 0)) => Callee::Symbol(symbol),
                    _ => Callee::Value(v),
                }
            }
        };
        let travels = self.travelling_type(ret);
        let mut request = std::mem::take(&mut self.s.request);
        request.clear(convention, travels, ret_attrs);
        self.s.request = request;
        let symbol = match callee {
            // What the callee says of its parameters is no part of the text.
            Callee::Symbol(symbol) if self.m.nests.is_empty() && self.c.src[at] == b'@' => Some(symbol),
            _ => None,
        };
        let note = symbol.and_then(|symbol| self.s.notes.find(self.c.src, symbol, (head, at)));
        let alike = self.arguments(note)?;
        self.s.request.variadic = variadic;
        if let Some(pos) = self.s.forwards {
            self.forward_unnamed(tail, pos)?;
        }
        self.call_attributes(&mut fn_attrs, Bundles::Leave)?;
        if fn_attrs.has(FnAttrs::NO_CALLS) {
            return Err(ReadError::new(
                self.c.src,
                at,
                "a call of a function whose calls are errors (`dontcall-error`)",
            ));
        }
        let mut token = None;
        if self.c.peek() == b'[' {
            token = self.bundles()?;
            self.call_attributes(&mut fn_attrs, Bundles::Refuse)?;
        }
        // The callee's word counts where the call says nothing (flang calls internal procedures so).
        if !self.m.nests.is_empty()
            && let Callee::Symbol(symbol) = callee
            && let Some(nest) = self.m.nests.get(&symbol.0)
            && let Some((_, attrs)) = self.s.request.params.get_mut(nest.param as usize)
            && attrs.role == Role::Value
        {
            attrs.role = Role::Nest;
        }
        if tail == TailKind::Must {
            self.close_trampolines(pos)?;
            self.profile(self.on_exit)?;
            self.forwarded = true;
        }

        // How vectors travel depends on the function that calls.
        let mut plain = travels == ret && !self.types.ir(ret).is_vector();
        for i in 0..self.s.vals.len() {
            let ty = self.s.request.params[i].0;
            if self.types.ir(ty).is_vector() {
                plain = false;
                (self.s.request.params[i].0, self.s.vals[i]) = self.set_out(ty, self.s.vals[i]);
            }
        }
        let alike = alike.filter(|_| plain);
        let known = match alike {
            Some(entry) => self.sigs.import_known(entry, self.b.func),
            None => self.sigs.import(&self.s.request, self.types, self.b.func),
        };
        let known = known.map_err(|m| ReadError::new(self.c.src, pos, m))?;
        if let Some(symbol) = symbol.filter(|_| plain && alike.is_none() && self.s.forwards.is_none()) {
            let s = &mut *self.s;
            s.notes.learn(symbol, (head, at), &s.request, known.entry);
        }
        let error = match self.s.error_argument {
            Some(i) => Some(self.pass_error(i, pos)?),
            None => None,
        };
        self.s.args.clear();
        let memory = if known.demoted {
            if tail == TailKind::Must {
                let m = "a `musttail` call with a result in memory is not supported";
                return Err(ReadError::new(self.c.src, pos, m));
            }
            let addr = self.result_slot(ret);
            self.s.args.push(addr);
            Some(addr)
        } else {
            None
        };
        for i in 0..self.s.vals.len() {
            let (ty, val) = (self.s.request.params[i].0, self.s.vals[i]);
            if self.types.ir(ty) != Type::VOID {
                self.s.args.push(Value(val));
            } else {
                let n = self.scalars(ty);
                let s = &mut *self.s;
                s.args.extend_from_slice(&s.aggregates[val as usize..val as usize + n]);
            }
        }
        if self.b.func.sigs[known.sig.index()].abi.arg_block.is_some() {
            self.check_block(tail, at)?;
            self.take_preallocated(token, known.sig, tail, at)?;
        } else if token.is_some() {
            return Err(ReadError::new(self.c.src, at, "the call has no `preallocated` argument"));
        }
        let twice = fn_attrs.has(FnAttrs::RETURNS_TWICE);
        let tail = if memory.is_some() { TailKind::None } else { tail };
        let inst = self.b.call(callee, known.sig, &self.s.args, tail, twice);
        if fn_attrs.has(FnAttrs::NOUNWIND) {
            self.b.nounwind();
        }
        if fn_attrs.has(FnAttrs::NO_CF_CHECK) {
            self.b.untracked();
        }
        if token.is_some() && self.invoking {
            let m = "an `invoke` with `preallocated` arguments is not supported";
            return Err(ReadError::new(self.c.src, at, m));
        }
        if !fn_attrs.has(FnAttrs::NOUNWIND) && tail != TailKind::Must {
            self.clean_up_behind_call(pos);
        }
        self.after_preallocated(token);
        if let Some(address) = error {
            self.take_error(inst, address, tail);
        }
        if ret == VOID {
            return Ok(NOTHING);
        }
        if let Some(addr) = memory {
            let align = self.types.get(ret).align;
            return Ok((ret, self.load_parts(ret, addr, align, false, pos)?));
        }
        if self.types.ir(travels) != Type::VOID {
            return Ok((ret, self.b.func.result(inst).0));
        }
        let start = self.s.aggregates.len();
        // Behind them there may be an error.
        let n = self.scalars(travels);
        self.s.aggregates.extend(self.b.func.results(inst).take(n));
        Ok((ret, self.arrive(ret, start as Val)))
    }

    /// The address of the slot for results in memory. They are loaded at once, so that one slot serves all calls.
    pub fn result_slot(&mut self, ty: TypeId) -> Value {
        let d = *self.types.get(ty);
        let slot = match self.results {
            Some(slot) => slot,
            None => self.b.func.make_temporary(0, 1),
        };
        self.results = Some(slot);
        let known = &mut self.b.func.slots[slot.index()];
        // At most as many scalars as a value may have: far below 4 GB.
        known.size = known.size.max(d.size as u32);
        known.align = known.align.max(d.align);
        self.b.slot_addr(slot)
    }

    /// Reads the parameter types of a function type; the number of named ones if it is variadic.
    fn function_type(&mut self) -> Result<Option<usize>> {
        self.c.expect(b'(')?;
        let mut n = 0;
        if self.c.eat(b')') {
            return Ok(None);
        }
        loop {
            if self.c.starts_with(b"...") {
                self.c.bump(3);
                self.c.expect(b')')?;
                return Ok(Some(n));
            }
            self.types.parse(&mut self.c)?;
            n += 1;
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.expect(b')')?;
        Ok(None)
    }

    /// Reads the arguments in parentheses into the request's parameters and the table of values. Gives the signature if the
    /// call is spelled as the note says.
    pub fn arguments(&mut self, note: Option<Note>) -> Result<Option<EntryId>> {
        self.c.expect(b'(')?;
        self.s.vals.clear();
        self.s.forwards = None;
        self.s.error_argument = None;
        self.s.notes.spans.clear();
        let known = |count: usize, alike: bool| note.filter(|n| alike && n.count == count).map(|n| n.entry);
        if self.c.eat(b')') {
            return Ok(known(0, true));
        }
        let mut alike = true;
        loop {
            let pos = self.c.pos;
            let i = self.s.vals.len();
            let noted = note.and_then(|note| self.s.notes.param(self.c.src, &note, i, pos));
            if let Some((ty, attrs, value)) = noted {
                self.c.pos = value;
                self.argument(ty, attrs, pos)?;
                if !self.c.eat(b',') {
                    break;
                }
                continue;
            }
            alike = false;
            if self.c.starts_with(b"...") {
                self.c.bump(3);
                self.s.forwards = Some(pos);
                break;
            }
            let ty = self.types.parse(&mut self.c)?;
            if ty == METADATA {
                // Its place, for who wants to read it.
                self.s.vals.push(self.c.pos as Val);
                self.metadata_argument()?;
                self.s.request.params.push((METADATA, Default::default()));
            } else {
                let attrs = parse_param(&mut self.c, self.types)?;
                self.argument(ty, attrs, pos)?;
            }
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.expect(b')')?;
        Ok(known(self.s.vals.len(), alike))
    }

    /// Reads the value of an argument at `pos` whose type and attributes have been read.
    #[inline(always)]
    fn argument(&mut self, ty: TypeId, attrs: ParamAttrs, pos: usize) -> Result<()> {
        self.s.notes.spans.push((pos, self.c.pos));
        if self.types.ir(ty) == Type::VOID {
            self.check_aggregate(ty, pos)?;
        }
        let val = self.value(ty)?;
        self.check_after_block(&self.s.request.params, pos)?;
        if attrs.role == Role::SwiftError {
            self.s.error_argument = Some(self.s.vals.len());
        }
        self.s.request.params.push((ty, attrs));
        self.s.vals.push(val);
        Ok(())
    }

    /// A call passes on the unnamed arguments of its function (`...` at `pos`). Those on the stack are in their places
    /// already; those in registers are the call's affair.
    fn forward_unnamed(&mut self, tail: TailKind, pos: usize) -> Result<()> {
        let fail = |m: &str| Err(ReadError::new(self.c.src, pos, m));
        if tail != TailKind::Must || self.s.request.variadic != Some(self.s.vals.len()) {
            return fail("only a `musttail` call of a variadic function passes unnamed arguments on");
        }
        if self.s.request.convention == Convention::Thiscall {
            self.s.request.variadic = None;
        }
        Ok(())
    }

    fn metadata_argument(&mut self) -> Result<()> {
        if self.c.peek() == b'!' {
            return self.c.skip_metadata();
        }
        let ty = self.types.parse(&mut self.c)?;
        self.value(ty).map(drop)
    }

    /// Reads attributes and operand bundles behind a call's arguments.
    pub fn call_attributes(&mut self, attrs: &mut FnAttrs, bundles: Bundles) -> Result<()> {
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
                        return Err(at.error(format!("the operand bundle `{name}` is not supported here")));
                    }
                },
                b'a'..=b'z' => {
                    if !attrs.parse_one(&mut self.c, &mut Values::default())? {
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
                    attrs.parse_one(&mut self.c, &mut Values::default())?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// A call of a C function that the reader makes itself; its result.
    pub fn libcall(&mut self, symbol: SymbolId, ret: TypeId, args: &[(TypeId, Value)], pos: usize) -> Result<Value> {
        let (inst, memory) = self.libcall_inst(symbol, ret, args, pos)?;
        let Some(addr) = memory else {
            return Ok(self.b.func.result(inst));
        };
        let d = *self.types.get(ret);
        Ok(self.b.load(d.ir, addr, 0, MemFlags::new(d.align, false)))
    }

    /// A call of a C function that the reader makes itself, and where its result is if that comes back in memory.
    pub fn libcall_inst(
        &mut self,
        symbol: SymbolId,
        ret: TypeId,
        args: &[(TypeId, Value)],
        pos: usize,
    ) -> Result<(Inst, Option<Value>)> {
        let mut request = std::mem::take(&mut self.s.own_request);
        request.clear(Default::default(), ret, Default::default());
        request.params.extend(args.iter().map(|a| (a.0, Default::default())));
        let known = self.sigs.import(&request, self.types, self.b.func);
        self.s.own_request = request;
        let known = known.map_err(|m| ReadError::new(self.c.src, pos, m))?;
        let memory = known.demoted.then(|| self.result_slot(ret));
        self.s.args.clear();
        self.s.args.extend(memory);
        self.s.args.extend(args.iter().map(|a| a.1));
        let inst = self.b.call(Callee::Symbol(symbol), known.sig, &self.s.args, TailKind::None, false);
        self.b.nounwind();
        Ok((inst, memory))
    }

    fn intrinsic_call(
        &mut self,
        intrinsic: Intrinsic,
        libcall: Option<SymbolId>,
        ret: TypeId,
        pos: usize,
    ) -> Result<(TypeId, Val)> {
        let mut attrs = FnAttrs::default();
        if let Intrinsic::PreallocatedSetup | Intrinsic::PreallocatedArg | Intrinsic::PreallocatedTeardown = intrinsic {
            return self.preallocated(intrinsic, ret, pos);
        }
        if intrinsic == Intrinsic::Nothing {
            if self.c.peek() != b'(' {
                return Err(self.c.expected("`(`"));
            }
            self.c.skip_group()?;
            self.call_attributes(&mut attrs, Bundles::Skip)?;
            return match ret {
                VOID => Ok(NOTHING),
                // A token that only its counterpart reads.
                PTR => Ok((PTR, self.b.ptr_const(0).0)),
                _ => Err(ReadError::new(self.c.src, pos, "this intrinsic has no result of this type")),
            };
        }
        self.s.request.params.clear();
        self.arguments(None)?;
        self.call_attributes(&mut attrs, Bundles::Refuse)?;
        if attrs.has(FnAttrs::NAMES_TRAP) && matches!(intrinsic, Intrinsic::Trap | Intrinsic::DebugTrap) {
            return Err(ReadError::new(self.c.src, pos, refusals::unsupported(b"trap-func-name")));
        }
        let state = self.take_float_state();
        let val = self.expand(intrinsic, libcall, ret, state.condition, pos)?;
        let Some(val) = val else {
            return if ret == VOID { Ok(NOTHING) } else { Err(self.intrinsic_mismatch(pos)) };
        };
        // What an intrinsic gives must be of the type that the call says.
        let ir = self.types.ir(ret);
        if ret == VOID || (ir != Type::VOID && self.b.func.value_type(Value(val)) != ir) {
            return Err(self.intrinsic_mismatch(pos));
        }
        Ok((ret, if state.strict { self.opaque(ret, val) } else { val }))
    }

    #[cold]
    pub fn intrinsic_mismatch(&self, pos: usize) -> ReadError {
        ReadError::new(self.c.src, pos, "the intrinsic does not take or give values of these types")
    }

    /// `op` on memory: copies and fills. `len` is an unsigned number of bytes.
    pub fn block_op(&mut self, op: Opcode, pos: usize) -> Result<()> {
        let (dst_ty, dst) = self.operand(0, pos)?;
        let (src_ty, src) = self.operand(1, pos)?;
        let (_, len) = self.operand(2, pos)?;
        let fill = op == Opcode::Memset;
        let src_ir = self.types.ir(src_ty);
        if dst_ty != PTR || (!fill && src_ty != PTR) || (fill && src_ir != Type::int(8).unwrap_or(Type::VOID)) {
            return Err(self.intrinsic_mismatch(pos));
        }
        let volatile = match self.operand(3, pos) {
            Ok((_, v)) => self.b.func.int_constant(v) != Some(0),
            Err(_) => false,
        };
        let from = self.b.func.value_type(len);
        if !from.is_int() {
            return Err(self.intrinsic_mismatch(pos));
        }
        let len = match self.b.func.int_constant(len) {
            Some(n) => self.b.iconst(self.ptr, n as i128),
            None if from.bits() < self.ptr.bits() => self.b.convert(Opcode::Zext, len, self.ptr),
            None => self.at_pointer_width(len, pos)?,
        };
        let align = |i: usize| self.s.request.params[i].1.align.max(1);
        let align = if fill { align(0) } else { align(0).min(align(1)) };
        let flags = MemFlags::new(align, volatile).0;
        self.b.push(InstData { op, flags, ty: Type::VOID, a: dst.0, b: src.0, c: len.0 }, &[]);
        Ok(())
    }
}
