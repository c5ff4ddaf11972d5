//! Argument blocks: `alloca inalloca`, `llvm.call.preallocated`, and the calls that take one.
//!
//! A preallocated block is opened by `llvm.call.preallocated.setup`, and closed by its call or by the teardown. Its
//! size and the offsets in it are known when the call is read; until then they are open.
//!
//! LLVM LangRef, "Parameter Attributes", `inalloca` and `preallocated`; "Preallocated Operand Bundles"; "Design and Usage of the
//! InAlloca Attribute".

use gusset_abi::{ArgAbi, PassMode, Role};
use gusset_codegen::ir::{BlockPlace, InstData, Opcode, SigId, TailKind, ValueDef};
use gusset_program::{Intrinsic, PTR, ParamAttrs, Refusal, Result, TOKEN, TypeId, VOID, Val, refuse_if};

use crate::function::{FunctionLowering, Preallocated, Scratch};

impl FunctionLowering<'_> {
    /// Makes the block of an `alloca inalloca` with `count` elements of `size` bytes.
    pub(crate) fn argument_block(&mut self, count: Option<u128>, size: u64, align: u32) -> Result<Val> {
        let count = count.ok_or_else(|| Refusal::new("an argument block's size must be a constant"))?;
        let bytes = count.checked_mul(size as u128).and_then(|n| i32::try_from(n).ok());
        let bytes = bytes.ok_or_else(|| Refusal::new("argument blocks of 2 GB and more are not supported"))?;
        Ok(self.b.push1(Opcode::BlockOpen, 0, self.ptr, [bytes as u32, align, 0], self.ptr).into())
    }

    /// Checks that the `inalloca` argument of the current call is a block.
    pub(crate) fn check_block(&self, tail: TailKind) -> Result<()> {
        for (&(_, attrs), &val) in self.s.call.request.params.iter().zip(&self.s.call.vals) {
            if !matches!(attrs.role, Role::InAlloca { .. }) {
                continue;
            }
            let v = self.b.func.resolve(val.value());
            let wrong = match (self.b.func.block_place(v), tail) {
                (Some(BlockPlace::Opened(_, 0)), TailKind::Must) => {
                    "a `musttail` call forwards the caller's own `inalloca` parameter"
                }
                (Some(BlockPlace::Opened(_, 0)), _) | (Some(BlockPlace::Param(..)), TailKind::Must) => continue,
                (Some(BlockPlace::Opened(..)), _) => "the `inalloca` argument is not the start of its argument block",
                (Some(BlockPlace::Param(..)), _) => {
                    "an argument block that is a parameter can only be forwarded by a `musttail` call"
                }
                // It is defined later in the text; the code generator will check it.
                (None, _) if self.b.func.value_def(v) == ValueDef::Pending => continue,
                (None, _) => "the `inalloca` argument of a call must come from an `alloca inalloca`",
            };
            return Err(Refusal::new(wrong));
        }
        Ok(())
    }

    // Preallocated arguments.

    /// An intrinsic for preallocated arguments, whose own arguments have been taken; `attrs` are those of its result.
    pub(crate) fn preallocated(&mut self, intrinsic: Intrinsic, ret: TypeId, attrs: ParamAttrs) -> Result<Val> {
        let first = self.s.call.vals.first().copied().unwrap_or_default();
        let number = |l: &Self, i: usize| l.constant_operand(i).ok().and_then(|n| u32::try_from(n).ok());
        match intrinsic {
            Intrinsic::PreallocatedSetup => match number(self, 0) {
                Some(count) if ret == TOKEN => Ok(self.setup_preallocated(count)),
                _ => Err(Refusal::new("expected a constant number of arguments")),
            },
            Intrinsic::PreallocatedTeardown => {
                let token = self.s.block_of_token(first)?;
                self.close_preallocated(token);
                refuse_if(ret != VOID, "this intrinsic has no result").map(|()| Val::default())
            }
            _ => {
                let (token, number) = (self.s.block_of_token(first)?, number(self, 1));
                self.preallocated_argument(token, number.filter(|_| ret == PTR), attrs)
            }
        }
    }

    /// `llvm.call.preallocated.setup` of a call with `count` preallocated arguments; returns the token.
    fn setup_preallocated(&mut self, count: u32) -> Val {
        let saved = self.b.push1(Opcode::StackSave, 0, self.ptr, [0; 3], self.ptr);
        let align = self.ptr.store_bytes();
        let data = InstData { op: Opcode::BlockOpen, flags: 0, ty: self.ptr, a: 0, b: align, c: 0 };
        let open = self.b.push(data, &[self.ptr]);
        self.s.preallocated.push(Preallocated { saved, open, count, args: Vec::new(), called: false });
        Val(self.s.preallocated.len() as u32 - 1)
    }

    /// `llvm.call.preallocated.arg`: the address of an argument, whose attributes give its type.
    fn preallocated_argument(&mut self, token: usize, number: Option<u32>, attrs: ParamAttrs) -> Result<Val> {
        let Role::Preallocated { size, align } = attrs.role else {
            return Err(Refusal::new("the attribute `preallocated` has to say the argument's type here"));
        };
        let number = number
            .filter(|&n| n < self.s.preallocated[token].count)
            .ok_or_else(|| Refusal::new("the call has no argument of this number"))?;
        let (open, zero) = (self.b.func.result(self.s.preallocated[token].open), self.b.ptr_const(0));
        let data = InstData { op: Opcode::Iadd, flags: 0, ty: self.ptr, a: open.0, b: zero.0, c: 0 };
        let at = self.b.push(data, &[self.ptr]);
        self.s.preallocated[token].args.push((number, at, size, align));
        Ok(self.b.func.result(at).into())
    }

    /// `llvm.call.preallocated.teardown`.
    pub(crate) fn close_preallocated(&mut self, token: usize) {
        self.b.restore_stack(self.s.preallocated[token].saved);
    }

    /// A call with signature `sig` takes the block of `token`: this determines the block's size and its arguments'
    /// offsets.
    pub(crate) fn take_preallocated(&mut self, token: Option<usize>, sig: SigId, tail: TailKind) -> Result<()> {
        let abi = &self.b.func.sigs[sig.index()].abi;
        let roles = self.s.call.request.params.iter().map(|p| p.1.role);
        let count = roles.filter(|role| matches!(role, Role::Preallocated { .. })).count();
        let Some(token) = token else {
            return match count {
                0 => Ok(()),
                _ if tail == TailKind::Must => Ok(()),
                _ => Err(Refusal::new("a call with `preallocated` arguments needs the operand bundle `preallocated`")),
            };
        };
        refuse_if(tail == TailKind::Must, "a `musttail` call forwards the caller's own `preallocated` parameters")?;
        let p = &mut self.s.preallocated[token];
        if count != p.count as usize {
            return Err(Refusal::new(format!("the call has {count} `preallocated` arguments instead of {}", p.count)));
        }
        let offset = |a: &ArgAbi| if let PassMode::InBlock { offset, .. } = a.mode { Some(offset) } else { None };
        let offsets: Vec<u32> = abi.args.iter().filter_map(offset).collect();
        let (size, align) = (abi.stack_arg_bytes, abi.arg_block.map_or(1, |b| b.align));
        if p.called && (self.b.func.inst(p.open).a, self.b.func.inst(p.open).b) != (size, align) {
            return Err(Refusal::new("two calls with different arguments take the block of one token"));
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

    /// At the end of the function: blocks that no call has taken get a size, too, because the program writes to them.
    pub(crate) fn finish_preallocated(&mut self) {
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

impl Scratch {
    /// The index of the argument block of a token.
    pub(crate) fn block_of_token(&self, token: Val) -> Result<usize> {
        let number = token.0 as usize;
        let known = number < self.preallocated.len();
        if known { Ok(number) } else { Err(Refusal::new("expected the token of a `llvm.call.preallocated.setup`")) }
    }
}
