//! How functions of `func` are called: the default convention, bare pointers, and wrappers for C.
//!
//! "LLVM IR Target", "Calling Conventions", "C-compatible Wrapper Emission", "Bare Pointer Calling Convention for Ranked MemRef"; the same in
//! "Built-in Function and MemRef Calling Convention".

use gusset_abi::Convention;
use gusset_codegen::ir::{Callee, TailKind};
use gusset_lower::{CallSite, Element, Events, FnAttrs, I32, Kind as LlvmKind, PTR, ParamAttrs, TypeId, VOID, Val};
use gusset_text::{Placed, Result};

use crate::header::Header;
use crate::op::Value;
use crate::reader::Reader;
use crate::types::{Kind, Memref, Ty};

impl<'r, E: Events> Reader<'r, E> {
    /// Does a value of a type travel in parts: as the fields of a descriptor?
    fn is_descriptor(&self, ty: Ty) -> bool {
        matches!(self.t.own(ty), Some(Kind::Memref(_) | Kind::Unranked { .. }))
    }

    /// The types in which a value of a type travels.
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

    /// An error unless a memref may be a bare pointer: one whose shape and layout are known.
    fn check_bare(&self, ty: Ty, pos: usize) -> Result<()> {
        let known = self.t.memref(ty).is_some_and(Memref::is_static);
        let m = "a bare pointer says nothing of sizes and strides: this memref's are not all in its type";
        self.c.refuse_if(!known, pos, m)
    }

    /// The type of LLVM that a function with these results gives.
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
            _ => self.l.types_mut().structure(&members, false).at(self.c.src, pos),
        }
    }

    /// The values that a value travels as.
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

    /// The value that arrives as these, of which it takes the first.
    pub fn arrive(&mut self, ty: Ty, vals: &[Val], bare: bool, pos: usize) -> Result<(Value, usize)> {
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

    /// A memref whose type says all but where it is.
    fn bare_memref(&mut self, ty: Ty, pointer: Val, pos: usize) -> Result<Value> {
        let fields = self.static_fields(ty, [pointer; 2], pos)?;
        Ok(self.value(ty, &fields.pack()))
    }

    /// A result as it is returned: a bare pointer is the one that was allocated.
    pub fn give_back(&mut self, v: Value, bare: bool, pos: usize) -> Result<Val> {
        if bare && self.is_descriptor(v.ty) {
            self.check_bare(v.ty, pos)?;
            return Ok(self.part(v, 0));
        }
        Ok(self.whole(v)?.1)
    }

    /// The results of a call from what it gave.
    pub fn results_of(&mut self, types: &[Ty], ret: TypeId, val: Val, bare: bool, pos: usize) -> Result<Vec<Value>> {
        let mut all = Vec::with_capacity(types.len());
        for (i, &ty) in types.iter().enumerate() {
            let mut x = val;
            if types.len() > 1 {
                let element = Element::whole(ret).member(self.l.types(), i as u64);
                let element = element.ok_or_else(|| self.c.error_at(pos, "the call has no such result"))?;
                x = self.l.extract_value(ret, val, element);
            }
            all.push(if bare && self.is_descriptor(ty) { self.bare_memref(ty, x, pos)? } else { self.unpack(ty, x) });
        }
        Ok(all)
    }

    // Wrappers for C.

    /// The parameters of a wrapper, the result's pointer first where there is one; and whether there is.
    pub fn wrapper_types(&mut self, header: &Header<'r>, ret: TypeId, pos: usize) -> Result<(Vec<TypeId>, bool)> {
        let by_pointer = matches!(self.l.types().get(ret).kind, LlvmKind::Struct { .. });
        let mut types = if by_pointer { vec![PTR] } else { Vec::new() };
        for slot in &header.params {
            if self.is_descriptor(slot.ty) {
                types.push(PTR);
            } else {
                types.extend(self.travelling(slot.ty, false, pos)?);
            }
        }
        Ok((types, by_pointer))
    }

    pub fn call_symbol(&mut self, callee: Callee, ret: TypeId, args: &[(TypeId, Val)], pos: usize) -> Result<Val> {
        self.l.begin_call(Convention::C, ret, ParamAttrs::default());
        for &(ty, v) in args {
            self.l.argument(ty, ParamAttrs::default(), v).at(self.c.src, pos)?;
        }
        let (attrs, tail) = (FnAttrs::default(), TailKind::None);
        let site = CallSite { callee, attrs, tail, variadic: None, token: None, invoke: false, known: None };
        Ok(self.l.call(&site).at(self.c.src, pos)?.val)
    }

    /// `_mlir_ciface_f` of a function that is defined: it loads the descriptors that its arguments point to and calls `f`.
    pub fn wrapper(&mut self, header: &Header<'r>, symbol: gusset_codegen::ir::SymbolId, pos: usize) -> Result<()> {
        let results: Vec<Ty> = header.results.iter().map(|r| r.ty).collect();
        let ret = self.returned(&results, false, pos)?;
        let (types, by_pointer) = self.wrapper_types(header, ret, pos)?;
        let own = if by_pointer { VOID } else { ret };
        self.l.begin_header(Convention::C, own, ParamAttrs::default(), false);
        for &ty in &types {
            self.l.parameter(ty, ParamAttrs::default()).at(self.c.src, pos)?;
        }
        let vals = self.l.begin(symbol, FnAttrs::default(), None).at(self.c.src, pos)?;
        self.l.enter(None, 0).at(self.c.src, pos)?;
        let mut next = usize::from(by_pointer);
        let mut args = Vec::new();
        for slot in &header.params {
            let v = if self.is_descriptor(slot.ty) {
                next += 1;
                self.load_value(slot.ty, vals[next - 1], pos)?
            } else {
                let (v, n) = self.arrive(slot.ty, &vals[next..], false, pos)?;
                next += n;
                v
            };
            args.extend(self.set_out(v, false, pos)?);
        }
        let callee = self.callee(&header.name, pos)?.0;
        let val = self.call_symbol(callee, ret, &args, pos)?;
        if by_pointer {
            let align = self.l.types().get(ret).align;
            self.l.store(ret, val, vals[0], align, false, 0).at(self.c.src, pos)?;
        }
        let val = if own == VOID { Val(0) } else { val };
        self.l.ret(own, val).at(self.c.src, pos)
    }

    /// The body of a function that C defines as `_mlir_ciface_f`: it stores the descriptors and calls that with pointers.
    pub fn glue(&mut self, header: &Header<'r>, symbol: gusset_codegen::ir::SymbolId, pos: usize) -> Result<()> {
        let results: Vec<Ty> = header.results.iter().map(|r| r.ty).collect();
        let ret = self.returned(&results, false, pos)?;
        self.l.begin_header(Convention::C, ret, ParamAttrs::default(), false);
        for slot in &header.params {
            for ty in self.travelling(slot.ty, false, pos)? {
                self.l.parameter(ty, ParamAttrs::default()).at(self.c.src, pos)?;
            }
        }
        let vals = self.l.begin(symbol, FnAttrs::default(), None).at(self.c.src, pos)?;
        self.l.enter(None, 0).at(self.c.src, pos)?;
        let (_, by_pointer) = self.wrapper_types(header, ret, pos)?;
        let mut args = Vec::new();
        let mut place = None;
        if by_pointer {
            let p = self.place_for(ret, pos)?;
            place = Some(p);
            args.push((PTR, p));
        }
        let mut next = 0;
        for slot in &header.params {
            let (v, n) = self.arrive(slot.ty, &vals[next..], false, pos)?;
            next += n;
            if self.is_descriptor(slot.ty) {
                let p = self.place_for(self.t.whole(slot.ty), pos)?;
                self.store_value(v, p, pos)?;
                args.push((PTR, p));
            } else {
                args.extend(self.set_out(v, false, pos)?);
            }
        }
        let name = gusset_abi::memref::wrapper_name(&String::from_utf8_lossy(&header.name));
        let callee = self.callee(name.as_bytes(), pos)?.0;
        let own = if by_pointer { VOID } else { ret };
        let mut val = self.call_symbol(callee, own, &args, pos)?;
        if let Some(p) = place {
            let align = self.l.types().get(ret).align;
            val = self.l.load(ret, p, align, false, 0).at(self.c.src, pos)?;
        }
        self.l.ret(ret, val).at(self.c.src, pos)
    }

    /// Room on the stack for a value.
    fn place_for(&mut self, ty: TypeId, pos: usize) -> Result<Val> {
        let align = self.l.types().get(ty).align;
        let one = self.l.integer(I32, 1);
        self.l.alloca(ty, Some(one), align, false).at(self.c.src, pos)
    }
}
