//! Argument blocks: `alloca inalloca`, `llvm.call.preallocated`, and the calls that take one.
//!
//! A preallocated block is one that `llvm.call.preallocated.setup` opens, and that its call or the teardown closes. Its size
//! and the places in it are known when the call is read; until then they are left open.
//!
//! LLVM LangRef, "Parameter Attributes", `inalloca` and `preallocated`; "Preallocated Operand Bundles"; "Design and Usage of the
//! InAlloca Attribute".

use gusset_abi::{PassMode, Role};
use gusset_codegen::ir::{BlockPlace, Inst, InstData, Opcode, SigId, TailKind, Type, Value, ValueDef};

use crate::attributes::{FnAttrs, ParamAttrs, parse_param};
use crate::body::{Reader, Val};
use crate::calls::Bundles;
use crate::error::{ReadError, Result};
use crate::intrinsics::Intrinsic;
use crate::types::{I32, PTR, TOKEN, TypeId, VOID};

/// The block of a `llvm.call.preallocated.setup`.
pub(crate) struct Preallocated {
    /// The stack pointer from before.
    saved: Value,
    open: Inst,
    /// Arguments that the call will have.
    count: u32,
    /// Addresses of arguments: the number, the addition that gives it, size and alignment.
    args: Vec<(u32, Inst, u64, u32)>,
    /// The call has been read.
    called: bool,
}

impl Reader<'_> {
    /// Makes the block of an `alloca inalloca`, of `count` elements of `size` bytes; `pos` is the type's place.
    pub fn argument_block(&mut self, count: Option<u128>, size: u64, align: u32, pos: usize) -> Result<(TypeId, Val)> {
        let fail = |m: &str| Err(ReadError::new(self.c.src, pos, m));
        let Some(count) = count else {
            return fail("an argument block's size must be a constant");
        };
        let Some(bytes) = count.checked_mul(size as u128).and_then(|n| i32::try_from(n).ok()) else {
            return fail("argument blocks of 2 GB and more are not supported");
        };
        Ok((PTR, self.b.push1(Opcode::BlockOpen, 0, self.ptr, [bytes as u32, align, 0], self.ptr).0))
    }

    /// Nothing may follow an `inalloca` among the parameters or arguments before it, the unnamed ones included.
    pub fn check_after_block(&self, before: &[(TypeId, ParamAttrs)], pos: usize) -> Result<()> {
        match before.last() {
            Some((_, ParamAttrs { role: Role::InAlloca { .. }, .. })) => {
                Err(ReadError::new(self.c.src, pos, "an `inalloca` argument must be the last, and this follows one"))
            }
            _ => Ok(()),
        }
    }

    /// The `inalloca` arguments of the call at `pos`, which have been read, come from where they may come.
    pub fn check_block(&self, tail: TailKind, pos: usize) -> Result<()> {
        for (&(_, attrs), &val) in self.s.request.params.iter().zip(&self.s.vals) {
            if !matches!(attrs.role, Role::InAlloca { .. }) {
                continue;
            }
            let fail = |m: &str| Err(ReadError::new(self.c.src, pos, m));
            let v = self.b.func.resolve(Value(val));
            match self.b.func.block_place(v) {
                Some(BlockPlace::Opened(_, 0)) if tail != TailKind::Must => {}
                Some(BlockPlace::Opened(_, 0)) => {
                    return fail("a `musttail` call forwards the caller's own `inalloca` parameter");
                }
                Some(BlockPlace::Opened(..)) => {
                    return fail("the `inalloca` argument is not the start of its argument block");
                }
                Some(BlockPlace::Param(..)) if tail == TailKind::Must => {}
                Some(BlockPlace::Param(..)) => {
                    return fail("an argument block that is a parameter can only be forwarded by a `musttail` call");
                }
                // Defined later in the text; the code generator will see.
                None if self.b.func.value_def(v) == ValueDef::Pending => {}
                None => return fail("the `inalloca` argument of a call must come from an `alloca inalloca`"),
            }
        }
        Ok(())
    }

    // Preallocated arguments.

    /// Reads a call of one of the intrinsics behind its name.
    pub fn preallocated(&mut self, intrinsic: Intrinsic, ret: TypeId, pos: usize) -> Result<(TypeId, Val)> {
        let fail = |r: &Self, m: &str| Err(ReadError::new(r.c.src, pos, m));
        self.c.expect(b'(')?;
        if intrinsic == Intrinsic::PreallocatedSetup {
            let ty = self.types.parse(&mut self.c)?;
            let at = self.c.pos;
            let count = self.constant(ty)?;
            let count = self.b.func.int_constant(Value(count)).and_then(|n| u32::try_from(n).ok());
            let (I32, TOKEN, Some(count)) = (ty, ret, count) else {
                return Err(ReadError::new(self.c.src, at, "expected a constant number of arguments"));
            };
            self.c.expect(b')')?;
            self.call_attributes(&mut FnAttrs::default(), Bundles::Refuse)?;
            let saved = self.b.push1(Opcode::StackSave, 0, self.ptr, [0; 3], self.ptr);
            let align = self.ptr.store_bytes();
            let data = InstData { op: Opcode::BlockOpen, flags: 0, ty: self.ptr, a: 0, b: align, c: 0 };
            let open = self.b.push(data, &[self.ptr]);
            self.s.preallocated.push(Preallocated { saved, open, count, args: Vec::new(), called: false });
            return Ok((TOKEN, self.s.preallocated.len() as Val - 1));
        }
        let token = self.token()?;
        if intrinsic == Intrinsic::PreallocatedTeardown {
            self.c.expect(b')')?;
            self.call_attributes(&mut FnAttrs::default(), Bundles::Refuse)?;
            self.close_preallocated(token);
            return if ret == VOID { Ok((VOID, 0)) } else { fail(self, "this intrinsic has no result") };
        }
        self.c.expect(b',')?;
        let ty = self.types.parse(&mut self.c)?;
        let number = self.constant(ty)?;
        let number = self.b.func.int_constant(Value(number)).and_then(|n| u32::try_from(n).ok());
        self.c.expect(b')')?;
        let attrs = parse_param(&mut self.c, self.types)?;
        self.call_attributes(&mut FnAttrs::default(), Bundles::Refuse)?;
        let Role::Preallocated { size, align } = attrs.role else {
            return fail(self, "the attribute `preallocated` has to say the argument's type here");
        };
        let (Some(number), PTR) = (number.filter(|&n| n < self.s.preallocated[token].count), ret) else {
            return fail(self, "the call has no argument of this number");
        };
        let (open, zero) = (self.b.func.result(self.s.preallocated[token].open), self.b.ptr_const(0));
        let data = InstData { op: Opcode::Iadd, flags: 0, ty: self.ptr, a: open.0, b: zero.0, c: 0 };
        let at = self.b.push(data, &[self.ptr]);
        self.s.preallocated[token].args.push((number, at, size, align));
        Ok((PTR, self.b.func.result(at).0))
    }

    /// Reads `token %t`.
    fn token(&mut self) -> Result<usize> {
        let at = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        if ty != TOKEN || self.c.peek() != b'%' {
            return Err(ReadError::new(self.c.src, at, "expected the token of a `llvm.call.preallocated.setup`"));
        }
        Ok(self.value(ty)? as usize)
    }

    fn close_preallocated(&mut self, token: usize) {
        let saved = self.s.preallocated[token].saved;
        self.b.push(InstData { op: Opcode::StackRestore, flags: 0, ty: Type::VOID, a: saved.0, b: 0, c: 0 }, &[]);
    }

    /// Reads the operand bundles of a call; gives the token of `"preallocated"`.
    pub fn bundles(&mut self) -> Result<Option<usize>> {
        let mut token = None;
        self.c.expect(b'[')?;
        loop {
            let at = self.c.pos;
            let name = self.c.string()?;
            if name != b"preallocated" {
                let message = format!("the operand bundle `{}` is not supported", String::from_utf8_lossy(name));
                return Err(ReadError::new(self.c.src, at, message));
            }
            self.c.expect(b'(')?;
            if token.replace(self.token()?).is_some() {
                return Err(ReadError::new(self.c.src, at, "a call has one `preallocated` operand bundle"));
            }
            self.c.expect(b')')?;
            if !self.c.eat(b',') {
                break;
            }
        }
        self.c.expect(b']')?;
        Ok(token)
    }

    /// A call of signature `sig` takes the block of `token`: now the block's size and its arguments' places are known.
    pub fn take_preallocated(&mut self, token: Option<usize>, sig: SigId, tail: TailKind, pos: usize) -> Result<()> {
        let fail = |m: &str| Err(ReadError::new(self.c.src, pos, m));
        let abi = &self.b.func.sigs[sig.index()].abi;
        let roles = self.s.request.params.iter().map(|p| p.1.role);
        let count = roles.filter(|role| matches!(role, Role::Preallocated { .. })).count();
        let Some(token) = token else {
            return match count {
                0 => Ok(()),
                _ if tail == TailKind::Must => Ok(()),
                _ => fail("a call with `preallocated` arguments needs the operand bundle `preallocated`"),
            };
        };
        if tail == TailKind::Must {
            return fail("a `musttail` call forwards the caller's own `preallocated` parameters");
        }
        let p = &mut self.s.preallocated[token];
        if count != p.count as usize {
            return Err(ReadError::new(
                self.c.src,
                pos,
                format!("the call has {count} `preallocated` arguments instead of {}", p.count),
            ));
        }
        let offsets = abi.args.iter().filter_map(|a| match a.mode {
            PassMode::InBlock { offset, .. } => Some(offset),
            _ => None,
        });
        let offsets: Vec<u32> = offsets.collect();
        let (size, align) = (abi.stack_arg_bytes, abi.arg_block.map_or(1, |b| b.align));
        if p.called && (self.b.func.inst(p.open).a, self.b.func.inst(p.open).b) != (size, align) {
            return Err(ReadError::new(
                self.c.src,
                pos,
                "two calls with different arguments take the block of one token",
            ));
        }
        p.called = true;
        let data = &mut self.b.func.insts[p.open.index()];
        (data.a, data.b) = (size, align);
        for k in 0..p.args.len() {
            let (number, at, ..) = p.args[k];
            let offset = self.b.func.make_int(self.ptr, offsets[number as usize].into());
            self.b.func.insts[at.index()].b = offset.0;
        }
        Ok(())
    }

    /// After the call: the block is gone.
    pub fn after_preallocated(&mut self, token: Option<usize>) {
        if let Some(token) = token {
            self.close_preallocated(token);
        }
    }

    /// At the function's end: blocks that no call has taken get a size all the same, since the program fills them.
    pub fn settle_preallocated(&mut self) {
        for p in std::mem::take(&mut self.s.preallocated) {
            if p.called {
                continue;
            }
            let word = self.ptr.store_bytes() as u64;
            let mut sizes = vec![0; p.args.iter().map(|a| a.0 as usize + 1).max().unwrap_or(0)];
            for &(number, _, size, _) in &p.args {
                sizes[number as usize] = size.next_multiple_of(word);
            }
            let start = |n: u32| sizes[..n as usize].iter().sum::<u64>();
            self.b.func.insts[p.open.index()].a = u32::try_from(start(sizes.len() as u32)).unwrap_or(i32::MAX as u32);
            for &(number, at, ..) in &p.args {
                let offset = self.b.func.make_int(self.ptr, start(number).into());
                self.b.func.insts[at.index()].b = offset.0;
            }
        }
    }
}
