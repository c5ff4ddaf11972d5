//! Functions for C: `_mlir_ciface_` plus the function's name, and functions that C defines under such a name.
//!
//! "Built-in Function and MemRef Calling Convention", "C-compatible wrapper emission". The ABI layer determines how C's
//! values are passed: as by MLIR's conversion ([`gusset_abi::memref::Wrapper`]), or optionally as by C compilers
//! ([`gusset_abi::memref::TypeConverter::c_interface`]).

use gusset_abi::memref::{FunctionType, TypeConverter, Wrapper};
use gusset_abi::{
    AbiError, Convention, IrAttrs, IrPart, IrRole, LlvmScalar, LlvmType, Lowered, LoweredResult, Signature, Widen,
    to_llvm,
};
use gusset_codegen::ir::{Callee, SymbolId};
use gusset_codegen::names::{bytes_of, text_of};
use gusset_program::{
    BF16, CallSite, CallTarget, F16, F32, F64, F80, F128, I8, I32, I64, Index, Kind as LlvmKind, MemoryAttr, PTR,
    ParamAttrs, Sink, TypeId, TypeTable, VOID, Val,
};
use gusset_text::{Placed, Result};

use crate::context::Declared;
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::types::Ty;
use crate::syntax::types::builtin::builtin;

/// How a value is passed between C and a function.
#[derive(Clone, Debug)]
enum Passing {
    /// Not at all.
    Nothing,
    /// As parts of its bytes in memory, at these offsets, beginning with parameter `first`; several parts of a result
    /// are in a struct.
    Parts { first: usize, parts: Vec<(u64, TypeId)> },
    /// In memory whose address is a parameter.
    Memory { param: usize, align: u32 },
}

/// A signature in C's convention, in LLVM's types.
#[derive(Clone, Debug)]
struct Interface {
    convention: Convention,
    ret: (TypeId, ParamAttrs),
    params: Vec<(TypeId, ParamAttrs)>,
    /// The first argument is the address of memory for the result.
    stored: bool,
    /// How the arguments travel.
    args: Vec<Passing>,
    result: Passing,
}

/// A type in the reader's table.
fn type_of(types: &mut TypeTable, ty: &LlvmType) -> gusset_program::Result<TypeId> {
    let scalar = |types: &mut TypeTable, scalar: LlvmScalar| match scalar {
        LlvmScalar::Ptr => Ok(PTR),
        LlvmScalar::Half => Ok(F16),
        LlvmScalar::BFloat => Ok(BF16),
        LlvmScalar::Float => Ok(F32),
        LlvmScalar::Double => Ok(F64),
        LlvmScalar::X86Fp80 => Ok(F80),
        LlvmScalar::Fp128 => Ok(F128),
        LlvmScalar::Int(bits) => types.integer(bits),
    };
    match ty {
        LlvmType::Void => Ok(VOID),
        LlvmType::Scalar(s) => scalar(types, *s),
        LlvmType::Vector { lane, lanes } => {
            let lane = scalar(types, *lane)?;
            types.vector(lane, *lanes)
        }
        LlvmType::Array { element, len } => {
            let element = type_of(types, element)?;
            types.array(element, *len)
        }
        LlvmType::Struct(s) => {
            let members: Vec<TypeId> =
                s.fields.iter().map(|f| type_of(types, &f.1)).collect::<gusset_program::Result<_>>()?;
            types.structure(&members, s.packed)
        }
    }
}

fn param_attrs(types: &mut TypeTable, attrs: &IrAttrs) -> gusset_program::Result<ParamAttrs> {
    let IrAttrs { widen, in_reg, stack_align, .. } = *attrs;
    let mut out = ParamAttrs { widen, in_reg, stack_align, align: attrs.align.unwrap_or(0), ..ParamAttrs::default() };
    let role = match &attrs.role {
        IrRole::Value => return Ok(out),
        IrRole::StructReturn(ty) => (MemoryAttr::StructReturn, ty),
        IrRole::ByVal(ty) => (MemoryAttr::ByVal, ty),
        IrRole::InAlloca(ty) => (MemoryAttr::InAlloca, ty),
    };
    let ty = type_of(types, role.1)?;
    out.take_role(role.0.role(ty, types)?)?;
    out.complete(false)?;
    Ok(out)
}

/// The key, in the module's tables, of a function of C's library; the module calls a function of that name.
pub(crate) fn library_key(name: &[u8]) -> Vec<u8> {
    [b"_mlir_libm_", name].concat()
}

/// A function of C's library on numbers.
fn library_signature(converter: &TypeConverter, f: &FunctionType) -> std::result::Result<Signature, AbiError> {
    let none = Signature::c(converter.c_result(f)?);
    f.args.iter().try_fold(none, |c, arg| Ok(c.param(converter.c_type(arg)?)))
}

fn widened(widen: Widen) -> ParamAttrs {
    ParamAttrs { widen, ..ParamAttrs::default() }
}

impl<'r, E: Sink> Reader<'r, E> {
    /// The function's type in the ABI layer's terms, and its conversion.
    fn abi_type(&self, f: Declared<'r>, pos: usize) -> Result<(TypeConverter, FunctionType)> {
        let bits = self.l.types().ir(self.t.index).bits();
        let converter = TypeConverter::with_index_bits(&self.m.facts.target, bits);
        let converter = converter.map_err(|e| self.src.error(pos, e.to_string()))?;
        let of = |slot: &crate::syntax::header::Slot| {
            builtin(self.t, self.l.types(), slot.ty).map_err(|why| self.src.error(slot.pos, why))
        };
        let args = f.params.iter().map(of).collect::<Result<_>>()?;
        let results = f.results.iter().map(of).collect::<Result<_>>()?;
        Ok((converter, FunctionType { args, results, variadic: false }))
    }

    /// How C calls the wrapper of a header's function, or, if that is a function of C's library whose result has type
    /// `ret`, the function itself.
    fn interface(&mut self, f: Declared<'r>, ret: TypeId, library: bool, pos: usize) -> Result<Interface> {
        if library || self.m.c_values {
            self.interface_of_c(f, ret, library, pos)
        } else {
            self.interface_of_mlir(f, ret, pos)
        }
    }

    /// As by MLIR's conversion, except that small integers are extended where C compilers do so; translations get them
    /// as in MLIR.
    fn interface_of_mlir(&mut self, f: Declared<'r>, ret: TypeId, pos: usize) -> Result<Interface> {
        let (types, stored) = self.wrapper_types(f.params, ret, pos)?;
        let known: Option<Wrapper> = match E::PRESERVES_METADATA {
            true => None,
            false => self.abi_type(f, pos).ok().and_then(|(converter, ty)| converter.wrapper(&ty).ok()),
        };
        let known = known.filter(|w| w.params.len() == types.len());
        let widen = |k: usize| known.as_ref().map_or(Widen::None, |w| w.params[k].widen);
        let params: Vec<_> = types.iter().enumerate().map(|(k, &ty)| (ty, widened(widen(k)))).collect();
        let mut next = 0;
        let mut one = |ty: TypeId| {
            next += 1;
            Passing::Parts { first: next - 1, parts: vec![(0, ty)] }
        };
        let mut args = Vec::with_capacity(f.params.len() + 1);
        if stored {
            args.push(one(PTR));
        }
        for slot in f.params {
            args.push(match self.t.whole(slot.ty) {
                _ if self.is_descriptor(slot.ty) => one(PTR),
                VOID => Passing::Nothing,
                ty => one(ty),
            });
        }
        let own = if stored { VOID } else { ret };
        let result = if own == VOID { Passing::Nothing } else { Passing::Parts { first: 0, parts: vec![(0, own)] } };
        let ret_attrs = widened(known.map_or(Widen::None, |w| w.ret_widen));
        Ok(Interface { convention: Convention::C, ret: (own, ret_attrs), params, stored, args, result })
    }

    /// As by C compilers.
    fn interface_of_c(&mut self, f: Declared<'r>, ret: TypeId, library: bool, pos: usize) -> Result<Interface> {
        let (converter, ty) = self.abi_type(f, pos)?;
        let target = self.m.facts.target;
        let c = if library { library_signature(&converter, &ty) } else { converter.c_interface(&ty) };
        let lowered = c.and_then(|c| to_llvm(&target, &c));
        let refused = |e: AbiError| format!("C cannot call this function: {e}");
        let lowered = lowered.map_err(|e| self.src.error(pos, refused(e)))?;
        let types = self.l.types_mut();
        let mut made = || -> gusset_program::Result<Interface> {
            let parts = |types: &mut TypeTable, parts: &[IrPart]| -> gusset_program::Result<Vec<(u64, TypeId)>> {
                parts.iter().map(|p| Ok((p.offset, type_of(types, &p.ty)?))).collect()
            };
            let block = || gusset_program::Refusal::new("functions with an argument block have no wrappers");
            let mut args = Vec::with_capacity(lowered.args.len());
            for arg in &lowered.args {
                args.push(match arg {
                    Lowered::Ignore => Passing::Nothing,
                    Lowered::Direct { first, parts: p } | Lowered::Expand { first, parts: p, .. } => {
                        Passing::Parts { first: *first as usize, parts: parts(types, p)? }
                    }
                    Lowered::Indirect { param, align, .. } => Passing::Memory { param: *param as usize, align: *align },
                    Lowered::InAlloca(_) => return Err(block()),
                });
            }
            let result = match &lowered.result {
                LoweredResult::Ignore => Passing::Nothing,
                LoweredResult::Direct(p) => Passing::Parts { first: 0, parts: parts(types, p)? },
                LoweredResult::Indirect { param } => Passing::Memory { param: *param as usize, align: 1 },
                LoweredResult::InAlloca(_) => return Err(block()),
            };
            let mut param = |p: &gusset_abi::IrParam| Ok((type_of(types, &p.ty)?, param_attrs(types, &p.attrs)?));
            let params = lowered.params.iter().map(&mut param).collect::<gusset_program::Result<_>>()?;
            let (ret, stored) = (param(&lowered.ret)?, false);
            Ok(Interface { convention: lowered.convention, ret, params, stored, args, result })
        };
        let mut interface = made().at(self.src, pos)?;
        interface.stored = !library && matches!(self.l.types().get(ret).kind, LlvmKind::Struct { .. });
        Ok(interface)
    }

    /// Allocates memory for a value's bytes, and for parts that extend beyond its end.
    fn image(&mut self, whole: TypeId, parts: &[(u64, TypeId)], pos: usize) -> Result<Val> {
        let own = self.l.types().get(whole).size;
        let size = parts.iter().map(|p| p.0 + self.l.types().get(p.1).size).fold(own, u64::max);
        let bytes = self.l.types_mut().array(I8, size).at(self.src, pos)?;
        let align = self.l.types().get(whole).align.max(16);
        let one = self.l.integer(I32, 1);
        self.l.alloca(bytes, Some(one), align, false).at(self.src, pos)
    }

    /// The address of a part of a value in memory, and the part's alignment.
    fn part_of(&mut self, image: Val, offset: u64, pos: usize) -> Result<(Val, u32)> {
        let align = 1 << (offset | 16).trailing_zeros();
        if offset == 0 {
            return Ok((image, align));
        }
        let index = Index::Number(I64, offset as i64);
        Ok((self.l.element_address(I8, (PTR, image), index).at(self.src, pos)?.1, align))
    }

    /// A value of type `whole` from its parts.
    fn gathered(&mut self, whole: TypeId, parts: &[(u64, TypeId)], vals: &[Val], pos: usize) -> Result<Val> {
        if let (&[(0, ty)], &[val, ..]) = (parts, vals)
            && ty == whole
        {
            return Ok(val);
        }
        let image = self.image(whole, parts, pos)?;
        for (&(offset, ty), &val) in parts.iter().zip(vals) {
            let (at, align) = self.part_of(image, offset, pos)?;
            self.l.store(ty, val, at, align, false, 0).at(self.src, pos)?;
        }
        self.load_at(whole, image, pos)
    }

    /// The parts of a value of type `whole`.
    fn in_parts(&mut self, whole: TypeId, val: Val, parts: &[(u64, TypeId)], pos: usize) -> Result<Vec<Val>> {
        if let &[(0, ty)] = parts
            && ty == whole
        {
            return Ok(vec![val]);
        }
        let image = self.image(whole, parts, pos)?;
        self.store_at(whole, val, image, pos)?;
        let mut vals = Vec::with_capacity(parts.len());
        for &(offset, ty) in parts {
            let (at, align) = self.part_of(image, offset, pos)?;
            vals.push(self.l.load(ty, at, align, false, 0).at(self.src, pos)?);
        }
        Ok(vals)
    }

    /// An argument that has arrived.
    fn taken(&mut self, whole: TypeId, passing: &Passing, vals: &[Val], pos: usize) -> Result<Val> {
        match passing {
            Passing::Nothing => self.l.poison_value(whole).at(self.src, pos),
            Passing::Parts { first, parts } => self.gathered(whole, parts, &vals[*first..], pos),
            Passing::Memory { param, align } => {
                let align = self.l.types().get(whole).align.min(*align).max(1);
                self.l.load(whole, vals[*param], align, false, 0).at(self.src, pos)
            }
        }
    }

    /// Adds an argument to those of a call.
    fn put(
        &mut self,
        (whole, val): (TypeId, Val),
        passing: &Passing,
        args: &mut [Option<Val>],
        pos: usize,
    ) -> Result<()> {
        match passing {
            Passing::Nothing => {}
            Passing::Parts { first, parts } => {
                for (k, part) in self.in_parts(whole, val, parts, pos)?.into_iter().enumerate() {
                    args[first + k] = Some(part);
                }
            }
            Passing::Memory { param, .. } => {
                let image = self.image(whole, &[], pos)?;
                self.store_at(whole, val, image, pos)?;
                args[*param] = Some(image);
            }
        }
        Ok(())
    }

    /// `_mlir_ciface_f` of a defined function: loads the descriptors to which its arguments point, and calls `f`.
    pub fn wrapper(&mut self, f: Declared<'r>, symbol: SymbolId, pos: usize) -> Result<()> {
        let results: Vec<Ty> = f.results.iter().map(|r| r.ty).collect();
        let ret = self.returned(&results, false, pos)?;
        let c = self.interface(f, ret, false, pos)?;
        self.s.call.begin(c.convention, c.ret.0, c.ret.1);
        for &(ty, attrs) in &c.params {
            self.parameter(ty, attrs, pos)?;
        }
        let vals = self.begin_plain(symbol, pos)?;
        let mut passed = c.args.iter();
        let place = match passed.as_slice() {
            [place, ..] if c.stored => {
                passed.next();
                Some(self.taken(PTR, place, &vals, pos)?)
            }
            _ => None,
        };
        let mut args = Vec::new();
        for (slot, passing) in f.params.iter().zip(passed) {
            let v = if self.is_descriptor(slot.ty) {
                let at = self.taken(PTR, passing, &vals, pos)?;
                self.load_value(slot.ty, at, pos)?
            } else if matches!(passing, Passing::Nothing) {
                continue;
            } else {
                let val = self.taken(self.t.whole(slot.ty), passing, &vals, pos)?;
                self.unpack(slot.ty, val)
            };
            args.extend(self.set_out(v, false, pos)?);
        }
        let callee = self.callee(f.name, pos)?.0;
        let val = self.call_symbol(callee, ret, &args, pos)?;
        if let Some(place) = place {
            self.store_at(ret, val, place, pos)?;
            return self.l.ret(VOID, Val(0)).at(self.src, pos);
        }
        match &c.result {
            Passing::Nothing => self.l.ret(VOID, Val(0)).at(self.src, pos),
            Passing::Memory { param, .. } => {
                self.l.store(ret, val, vals[*param], 1, false, 0).at(self.src, pos)?;
                self.l.ret(VOID, Val(0)).at(self.src, pos)
            }
            Passing::Parts { parts, .. } => {
                let vals = self.in_parts(ret, val, parts, pos)?;
                let val = self.joined(c.ret.0, &vals, pos)?;
                self.l.ret(c.ret.0, val).at(self.src, pos)
            }
        }
    }

    /// One value, or a struct of several.
    fn joined(&mut self, ty: TypeId, vals: &[Val], pos: usize) -> Result<Val> {
        if let &[val] = vals {
            return Ok(val);
        }
        let fits = vals.is_empty() || self.l.types().element(ty, vals.len() as u64 - 1).is_some();
        self.src.refuse_if(!fits, pos, "the result has not the parts that it should have")?;
        self.l.aggregate(ty, vals).at(self.src, pos)
    }

    /// The body of a function that C defines as `_mlir_ciface_f`: stores the descriptors and calls that function with
    /// pointers. Or, without descriptors, of a function of C's library.
    pub fn glue(&mut self, f: Declared<'r>, symbol: SymbolId, library: bool, pos: usize) -> Result<()> {
        let results: Vec<Ty> = f.results.iter().map(|r| r.ty).collect();
        let ret = self.returned(&results, false, pos)?;
        self.s.call.begin(Convention::C, ret, ParamAttrs::default());
        for slot in f.params {
            for ty in self.travelling(slot.ty, false, pos)? {
                self.parameter(ty, ParamAttrs::default(), pos)?;
            }
        }
        let vals = self.begin_plain(symbol, pos)?;
        let c = self.interface(f, ret, library, pos)?;
        let mut args: Vec<Option<Val>> = vec![None; c.params.len()];
        let mut passed = c.args.iter();
        let by_address = matches!(c.result, Passing::Memory { .. });
        let place = if c.stored || by_address { Some(self.place_for(ret, pos)?) } else { None };
        match (&c.result, place, passed.as_slice()) {
            (Passing::Memory { param, .. }, Some(place), _) => args[*param] = Some(place),
            (_, Some(place), [first, ..]) => {
                passed.next();
                self.put((PTR, place), first, &mut args, pos)?;
            }
            _ => {}
        }
        let mut next = 0;
        for (slot, passing) in f.params.iter().zip(passed) {
            let (v, n) = self.passed_value(slot.ty, &vals[next..], false, pos)?;
            next += n;
            if self.is_descriptor(slot.ty) {
                let p = self.place_for(self.t.whole(slot.ty), pos)?;
                self.store_value(v, p, pos)?;
                self.put((PTR, p), passing, &mut args, pos)?;
            } else if !matches!(passing, Passing::Nothing) {
                let v = self.whole(v)?;
                self.put(v, passing, &mut args, pos)?;
            }
        }
        let name = match library {
            true => library_key(f.name),
            false => bytes_of(&gusset_abi::memref::wrapper_name(&text_of(f.name))).into_owned(),
        };
        let callee = self.callee(&name, pos)?.0;
        let val = self.call_c(callee, &c, &args, pos)?;
        let val = match (&c.result, place) {
            (_, Some(place)) => self.load_at(ret, place, pos)?,
            (Passing::Parts { parts, .. }, _) => {
                let vals = self.taken_apart(c.ret.0, val, parts.len(), pos)?;
                self.gathered(ret, parts, &vals, pos)?
            }
            _ => val,
        };
        self.l.ret(ret, val).at(self.src, pos)
    }

    /// The members of a struct of several, or the value itself.
    fn taken_apart(&mut self, ty: TypeId, val: Val, count: usize, pos: usize) -> Result<Vec<Val>> {
        if count == 1 {
            return Ok(vec![val]);
        }
        let mut vals = Vec::with_capacity(count);
        for i in 0..count {
            vals.push(self.l.extract_value(ty, val, &[i as u32]).at(self.src, pos)?.1);
        }
        Ok(vals)
    }

    /// A call of C's function.
    fn call_c(&mut self, callee: Callee, c: &Interface, args: &[Option<Val>], pos: usize) -> Result<Val> {
        self.s.call.begin(c.convention, c.ret.0, c.ret.1);
        for (&(ty, attrs), arg) in c.params.iter().zip(args) {
            // A padding argument, which only takes a register, has no value.
            let val = match arg {
                Some(val) => *val,
                None => self.l.poison_value(ty).at(self.src, pos)?,
            };
            self.pass(ty, attrs, val, Vec::new());
        }
        self.make_call(&CallSite::of(CallTarget::Function(callee)), pos)
    }
}
