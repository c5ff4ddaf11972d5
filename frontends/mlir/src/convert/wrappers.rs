//! How functions of `func` are called: the default convention, bare pointers, and wrappers for C.
//!
//! "LLVM IR Target", "Calling Conventions", "C-compatible Wrapper Emission", "Bare Pointer Calling Convention for Ranked MemRef"; the same in
//! "Built-in Function and MemRef Calling Convention".

use gusset_abi::Convention;
use gusset_abi::memref::GLOBAL_ALLOCATED;
use gusset_codegen::ir::{Callee, IntCc};
use gusset_program::{
    CallSite, CallTarget, Cast, Compare, I1, I32, Kind as LlvmKind, PTR, ParamAttrs, Sink, TypeId, VOID, Val,
};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::header::Slot;
use crate::syntax::op::Value;
use crate::syntax::types::layout::Memref;
use crate::syntax::types::{Kind, Ty};

impl<'r, E: Sink> Reader<'r, E> {
    /// Whether a value of a type is passed in parts, as the fields of a descriptor.
    pub fn is_descriptor(&self, ty: Ty) -> bool {
        matches!(self.t.own(ty), Some(Kind::Memref(_) | Kind::Unranked { .. }))
    }

    /// The types as which a value of a type is passed.
    pub fn travelling(&self, ty: Ty, bare: bool, pos: usize) -> Result<Vec<TypeId>> {
        if !self.is_descriptor(ty) {
            let whole = self.t.whole(ty);
            return Ok(if whole == VOID { Vec::new() } else { vec![whole] });
        }
        if bare {
            self.check_bare(ty, pos)?;
            return Ok(vec![PTR]);
        }
        Ok(self.t.parts(ty).to_vec())
    }

    /// Checks that a memref can be a bare pointer: its shape and layout are known.
    fn check_bare(&self, ty: Ty, pos: usize) -> Result<()> {
        let known = self.t.memref(ty).is_some_and(Memref::is_static);
        let m = "a bare pointer says nothing of sizes and strides: this memref's are not all in its type";
        self.src.refuse_if(!known, pos, m)
    }

    /// The LLVM type that a function with these results returns.
    pub fn returned(&mut self, results: &[Ty], bare: bool, pos: usize) -> Result<TypeId> {
        let mut members = Vec::with_capacity(results.len());
        for &ty in results {
            members.push(if bare && self.is_descriptor(ty) {
                self.check_bare(ty, pos)?;
                PTR
            } else {
                self.t.whole(ty)
            });
        }
        match members[..] {
            [] => Ok(VOID),
            [one] => Ok(one),
            _ => self.l.types_mut().structure(&members, false).at(self.src, pos),
        }
    }

    /// The values as which a value is passed.
    pub fn set_out(&mut self, v: Value, bare: bool, pos: usize) -> Result<Vec<(TypeId, Val)>> {
        if !self.is_descriptor(v.ty) {
            return Ok(if self.t.whole(v.ty) == VOID { Vec::new() } else { vec![self.whole(v)?] });
        }
        if bare {
            self.check_bare(v.ty, pos)?;
            return Ok(vec![(PTR, self.part(v, 1))]);
        }
        Ok((0..self.t.count(v.ty)).map(|i| (self.t.part(v.ty, i), self.part(v, i))).collect())
    }

    /// The value that is passed as the first of these values.
    pub fn passed_value(&mut self, ty: Ty, vals: &[Val], bare: bool, pos: usize) -> Result<(Value, usize)> {
        if !self.is_descriptor(ty) {
            if self.t.whole(ty) == VOID {
                return Ok((self.value(ty, &[]), 0));
            }
            return Ok((self.unpack(ty, vals[0]), 1));
        }
        if bare {
            return Ok((self.bare_memref(ty, vals[0], pos)?, 1));
        }
        let n = self.t.count(ty);
        Ok((self.value(ty, &vals[..n]), n))
    }

    /// A memref whose type determines everything but its address.
    fn bare_memref(&mut self, ty: Ty, pointer: Val, pos: usize) -> Result<Value> {
        let fields = self.static_fields(ty, [pointer; 2], pos)?;
        Ok(self.value(ty, &fields.pack()))
    }

    /// A result as it is returned: a bare pointer is the allocated pointer, or the address of a global.
    pub fn give_back(&mut self, v: Value, bare: bool, pos: usize) -> Result<Val> {
        if bare && self.is_descriptor(v.ty) {
            self.check_bare(v.ty, pos)?;
            let (allocated, aligned, index) = (self.part(v, 0), self.part(v, 1), self.t.index);
            let nobody = self.index(GLOBAL_ALLOCATED as i64);
            let number = self.l.cast(Cast::Ptrtoint, PTR, allocated, index).at(self.src, pos)?;
            let (_, global) = self.l.compare(Compare::Int(IntCc::Eq), index, number, nobody).at(self.src, pos)?;
            return self.l.select((I1, global), PTR, aligned, allocated).at(self.src, pos);
        }
        Ok(self.whole(v)?.1)
    }

    /// The results of a call from the value that it returned.
    pub fn results_of(&mut self, types: &[Ty], ret: TypeId, val: Val, bare: bool, pos: usize) -> Result<Vec<Value>> {
        let mut all = Vec::with_capacity(types.len());
        for (i, &ty) in types.iter().enumerate() {
            let mut x = val;
            if types.len() > 1 {
                x = self.l.extract_value(ret, val, &[i as u32]).at(self.src, pos)?.1;
            }
            all.push(if bare && self.is_descriptor(ty) { self.bare_memref(ty, x, pos)? } else { self.unpack(ty, x) });
        }
        Ok(all)
    }

    // Wrappers for C.

    /// The parameters of a wrapper, which begin with the result's pointer if there is one; and whether there is.
    pub fn wrapper_types(&mut self, params: &[Slot<'r>], ret: TypeId, pos: usize) -> Result<(Vec<TypeId>, bool)> {
        let by_pointer = matches!(self.l.types().get(ret).kind, LlvmKind::Struct { .. });
        let mut types = if by_pointer { vec![PTR] } else { Vec::new() };
        for slot in params {
            if self.is_descriptor(slot.ty) {
                types.push(PTR);
            } else {
                types.extend(self.travelling(slot.ty, false, pos)?);
            }
        }
        Ok((types, by_pointer))
    }

    pub fn call_symbol(&mut self, callee: Callee, ret: TypeId, args: &[(TypeId, Val)], pos: usize) -> Result<Val> {
        self.s.call.begin(Convention::C, ret, ParamAttrs::default());
        for &(ty, v) in args {
            self.pass(ty, ParamAttrs::default(), v, Vec::new());
        }
        self.make_call(&CallSite::of(CallTarget::Function(callee)), pos)
    }

    /// Allocates stack memory for a value.
    pub fn place_for(&mut self, ty: TypeId, pos: usize) -> Result<Val> {
        let align = self.l.types().get(ty).align;
        let one = self.l.integer(I32, 1);
        self.l.alloca(ty, Some(one), align, false).at(self.src, pos)
    }
}
