//! Stack memory of regions, and when it is released.
//!
//! MLIR, "'memref' Dialect", `memref.alloca`: the memory is released when control leaves the region of the closest
//! surrounding operation with the trait `AutomaticAllocationScope`. Those are functions, `memref.alloca_scope`,
//! `scf.for`, `scf.forall`, `scf.parallel`, `affine.for` and `affine.parallel`; `scf.while` is not one.

use gusset_program::{Kind as LlvmKind, PTR, Sink, VOID};
use gusset_text::Result;

use crate::convert::reader::{Ending, Reader};
use crate::convert::region_stack::OnStack;
use crate::syntax::op::Value;
use crate::syntax::types::Kind;

impl<'r, E: Sink> Reader<'r, E> {
    /// Begins a region whose brace is at `open`; returns the state of the surrounding region.
    pub fn begin_stack_scope(&mut self, open: usize, ending: &Ending, pos: usize) -> Result<OnStack> {
        let (scope, first) = (matches!(ending, Ending::Iterate), self.begin_value());
        let ends = scope || matches!(ending, Ending::Yield);
        let own = OnStack { ends, scope, first, ..OnStack::default() };
        let around = std::mem::replace(&mut self.on_stack, own);
        if scope && self.allocates(open) {
            self.save_stack(pos)?;
        }
        Ok(around)
    }

    /// Whether `memref.alloca` is in the region whose brace is at `open`. The text of the outermost such region is
    /// searched once.
    fn allocates(&mut self, open: usize) -> bool {
        if open >= self.allocating.1 {
            self.allocating = self.s.names.braces.around_operations(self.src.text, open, b"memref.alloca");
        }
        self.allocating.0.binary_search(&open).is_ok()
    }

    /// At the end of a region: releases its stack memory, unless a value that it yields may point there. `around`: the
    /// state of the surrounding region.
    pub fn end_stack_scope(&mut self, around: OnStack, pos: usize) -> Result<()> {
        let own = std::mem::replace(&mut self.on_stack, around);
        let leads_there = |v: &Value| {
            let pointer = v.ty.llvm().is_some_and(|ty| matches!(self.l.types().get(ty).kind, LlvmKind::Ptr));
            let described =
                matches!(self.t.own(v.ty), Some(Kind::Memref(_) | Kind::Unranked { .. } | Kind::Function { .. }));
            v.at >= own.first && (pointer || described)
        };
        let yields = self.ended.as_ref().is_some_and(|(_, values)| values.iter().any(leads_there));
        self.on_stack.stays |= own.stays;
        let releases = if own.allocated { own.scope } else { own.ends && own.described };
        match own.top {
            Some(top) if releases && !own.stays && !yields && self.l.current_block().is_some() => {
                self.call_intrinsic("stackrestore", VOID, &[(PTR, top)], pos).map(drop)
            }
            _ => {
                self.on_stack.allocated |= own.allocated;
                Ok(())
            }
        }
    }

    /// Notes that a descriptor is put on the stack that is needed only inside the current region.
    pub fn enter_stack(&mut self, pos: usize) -> Result<()> {
        self.on_stack.described = true;
        self.save_stack(pos)
    }

    fn save_stack(&mut self, pos: usize) -> Result<()> {
        if self.on_stack.ends && self.on_stack.top.is_none() {
            self.on_stack.top = Some(self.call_intrinsic("stacksave", PTR, &[], pos)?);
        }
        Ok(())
    }

    /// Notes that something is put on the stack that a surrounding scope releases.
    pub fn allocate_on_stack(&mut self) {
        self.on_stack.allocated = true;
    }

    /// After a region whose operation has released what `memref.alloca` allocated there; `before`: whether something
    /// was allocated before it.
    pub fn released_stack(&mut self, before: OnStack) {
        self.on_stack.allocated = before.allocated;
    }
}
