//! Argument blocks: `alloca inalloca` and the calls that take one.
//!
//! LLVM LangRef, "Parameter Attributes", `inalloca`; "Design and Usage of the InAlloca Attribute".

use gusset_abi::Role;
use gusset_codegen::ir::{BlockPlace, Opcode, TailKind, Value, ValueDef};

use crate::attributes::ParamAttrs;
use crate::body::{Reader, Val};
use crate::error::{ReadError, Result};
use crate::types::{PTR, TypeId};

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
}
