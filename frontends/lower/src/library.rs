//! Intrinsics that are functions of the C library.

use gusset_abi::{AbiTarget, Arch, Env, Os};
use gusset_codegen::ir::{FunctionBuilder, MemFlags, Opcode, SymbolId, Type, Value};
use gusset_program::{
    F32, F64, I32, Intrinsic, Kind, PTR, Refusal, Result, TypeId, VOID, Val, intrinsic_mismatch, mismatch_if,
};

use crate::constants::{fit, vector_of};
use crate::function::FunctionLowering;
use crate::masked::lane_of;

/// Whether the library lacks the function for `float`. The headers of Microsoft's C library define it by that for
/// `double`: most of them on i386, these two everywhere.
fn only_double(target: &AbiTarget, intrinsic: Intrinsic) -> bool {
    let nowhere = matches!(intrinsic, Intrinsic::Frexp | Intrinsic::Libm("ldexp"));
    target.has_microsoft_library() && (target.arch == Arch::X86 || nowhere)
}

/// Whether `llvm.powi` of `bits` bits becomes a call of `pow`. Only GCC's and LLVM's own libraries have a function for
/// integer exponents.
fn powi_by_pow(target: &AbiTarget, bits: u32) -> bool {
    target.os == Os::Windows && target.env != Env::Cygnus && bits <= 64
}

/// Whether `llvm.exp10` becomes a call of `pow`. C has no such function, nor have Windows' libraries.
fn exp10_by_pow(target: &AbiTarget, intrinsic: Intrinsic) -> bool {
    let cygwin = target.env == Env::Cygnus;
    target.os == Os::Windows && !cygwin && matches!(intrinsic, Intrinsic::Libm("exp10"))
}

/// Whether no library of the system has functions for this format. Windows' libraries have none for binary128, and
/// Microsoft's `long double` is `double`.
fn has_no_functions(target: &AbiTarget, ty: Type) -> bool {
    target.os == Os::Windows && ty == Type::F128 || target.has_microsoft_library() && ty == Type::F80
}

/// The function that implements an intrinsic of this full name, such as `sinf` for `llvm.sin.v4f32`.
pub(crate) fn function_name(intrinsic: Intrinsic, name: &str, target: &AbiTarget) -> Option<String> {
    let format = name.split('.').find_map(|part| {
        let head = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let float = head.ends_with('f') && (head.len() == 1 || head.starts_with('v') || head == "bf" || head == "ppcf");
        part[head.len()..].parse::<u32>().ok().filter(|_| float)
    })?;
    let base = match intrinsic {
        Intrinsic::Libm(_) if exp10_by_pow(target, intrinsic) => "pow",
        Intrinsic::Libm(base) => base,
        Intrinsic::Frexp => "frexp",
        Intrinsic::Modf => "modf",
        // An extension of GNU's library and others.
        Intrinsic::Sincos if !target.has_microsoft_library() => "sincos",
        Intrinsic::Powi if powi_by_pow(target, format) => "pow",
        // A function of libgcc and compiler-rt (GCC internals, "Routines for floating point emulation").
        Intrinsic::Powi => {
            return Some(match format {
                16 | 32 => "__powisf2".into(),
                64 => "__powidf2".into(),
                80 => "__powixf2".into(),
                _ => "__powitf2".into(),
            });
        }
        _ => return None,
    };
    let suffix = match format {
        16 | 32 if only_double(target, intrinsic) => "",
        16 | 32 => "f",
        64 => "",
        80 => "l",
        _ if name.ends_with("ppcf128") => "l",
        _ if target.arch == Arch::Aarch64 => "l",
        _ => "f128",
    };
    Some(format!("{base}{suffix}"))
}

impl FunctionLowering<'_> {
    /// Calls the C library, once per lane for vectors.
    pub(crate) fn library_call(&mut self, intrinsic: Intrinsic, symbol: SymbolId, ret: TypeId) -> Result<Val> {
        let two = matches!(intrinsic, Intrinsic::Frexp | Intrinsic::Modf | Intrinsic::Sincos);
        let mut args = Vec::new();
        for i in 0..self.s.call.vals.len() {
            args.push(self.operand(i)?);
        }
        let &(first, _) = args.first().ok_or_else(intrinsic_mismatch)?;
        mismatch_if(self.lane_kind(first) != Some(Kind::Float))?;
        let shape = self.types.ir(first);
        let is_vector = |l: &Self, ty: TypeId| l.types.ir(ty).is_vector();
        let alike =
            |l: &Self, ty: TypeId| is_vector(l, ty) == shape.is_vector() && l.types.ir(ty).lanes() == shape.lanes();
        // The results: one number, or the two of `frexp` and its kin.
        let rets: Vec<TypeId> = match self.pair_types(ret) {
            Some(pair) if two => pair.into(),
            None if !two => vec![ret],
            _ => return Err(intrinsic_mismatch()),
        };
        for &ty in &rets {
            mismatch_if(!matches!(self.lane_kind(ty), Some(Kind::Int | Kind::Float)) || !alike(self, ty))?;
        }
        let scalars: Vec<TypeId> = rets.iter().map(|&ty| self.lane_type(ty)).collect();
        let mut results = vec![Vec::new(); rets.len()];
        for k in 0..shape.lanes() {
            let mut passed = Vec::with_capacity(args.len());
            for &(ty, v) in &args {
                mismatch_if(is_vector(self, ty) && !alike(self, ty))?;
                let v = if is_vector(self, ty) { lane_of(&mut self.b, v, k) } else { v };
                passed.push((self.lane_type(ty), v));
            }
            let values = self.scalar_library_call(intrinsic, symbol, &scalars, &passed)?;
            results.iter_mut().zip(values).for_each(|(all, v)| all.push(v));
        }
        let whole = rets.iter().zip(&results).map(|(&ty, values)| match is_vector(self, ty) {
            true => vector_of(&mut self.b, self.types.ir(ty), values),
            false => values[0],
        });
        let whole: Vec<Value> = whole.collect();
        match whole[..] {
            [first, second] => Ok(self.pair(first, second)),
            _ => Ok(whole[0].into()),
        }
    }

    /// One call. Formats for which the library has no function are converted to the next wider one that it has.
    fn scalar_library_call(
        &mut self,
        intrinsic: Intrinsic,
        symbol: SymbolId,
        rets: &[TypeId],
        args: &[(TypeId, Value)],
    ) -> Result<Vec<Value>> {
        let first = args[0].0;
        let small = self.types.ir(first).bits() < 32 || first == F32;
        let called = match small {
            true if only_double(&self.m.target, intrinsic) => F64,
            true => F32,
            false => first,
        };
        let ir = self.types.ir(called);
        if has_no_functions(&self.m.target, ir) && !matches!(intrinsic, Intrinsic::Powi) {
            let name = match intrinsic {
                Intrinsic::Libm(name) => name,
                Intrinsic::Modf => "modf",
                Intrinsic::Sincos => "sincos",
                _ => "frexp",
            };
            let what = format!("a function like `{name}` of this format, which no library of this system has");
            return Err(Refusal::new(what));
        }
        let by_pow = matches!(intrinsic, Intrinsic::Powi) && powi_by_pow(&self.m.target, ir.bits());
        let mut passed = Vec::with_capacity(args.len() + 1);
        if exp10_by_pow(&self.m.target, intrinsic) {
            let ten = self.b.iconst(Type::I32, 10);
            passed.push((called, self.b.convert(Opcode::Sitofp, ten, ir)));
        }
        for &(ty, v) in args {
            passed.push(match self.types.get(ty).kind {
                Kind::Float if ty == first => (called, float_as(&mut self.b, v, ir)),
                Kind::Int if by_pow => (called, self.b.convert(Opcode::Sitofp, v, ir)),
                // An `int` argument.
                Kind::Int if ty == I32 => (ty, v),
                Kind::Int => {
                    let bits = self.types.ir(ty).bits();
                    let op = if bits < 32 { Opcode::Sext } else { Opcode::Trunc };
                    (I32, self.b.convert(op, v, Type::I32))
                }
                _ => return Err(intrinsic_mismatch()),
            });
        }
        // What the function stores at addresses, which come last.
        let stored: &[Type] = match intrinsic {
            Intrinsic::Frexp => &[Type::I32],
            Intrinsic::Modf => &[ir],
            Intrinsic::Sincos => &[ir, ir],
            _ => &[],
        };
        let places: Vec<Value> = stored
            .iter()
            .map(|_| {
                let slot = self.b.func.make_temporary(16, 16);
                self.b.slot_addr(slot)
            })
            .collect();
        passed.extend(places.iter().map(|&addr| (PTR, addr)));
        let mut values = Vec::new();
        if matches!(intrinsic, Intrinsic::Sincos) {
            self.libcall_inst(symbol, VOID, &passed)?;
        } else {
            let of_float = self.types.get(rets[0]).kind == Kind::Float;
            let v = self.libcall(symbol, if of_float { called } else { rets[0] }, &passed)?;
            values.push(if of_float { float_as(&mut self.b, v, self.types.ir(rets[0])) } else { v });
        }
        for (addr, &ty) in places.into_iter().zip(stored) {
            let number = self.b.load(ty, addr, 0, MemFlags::new(16, false));
            let to = self.types.ir(rets[values.len()]);
            mismatch_if(ty.is_int() != to.is_int())?;
            values.push(match ty.is_int() {
                true => fit(&mut self.b, number, to, true),
                false => float_as(&mut self.b, number, to),
            });
        }
        Ok(values)
    }
}

/// A number in another format.
fn float_as(b: &mut FunctionBuilder<'_>, v: Value, to: Type) -> Value {
    let from = b.func.value_type(v);
    match from.bits().cmp(&to.bits()) {
        std::cmp::Ordering::Less => b.convert(Opcode::Fpext, v, to),
        std::cmp::Ordering::Equal => v,
        std::cmp::Ordering::Greater => b.convert(Opcode::Fptrunc, v, to),
    }
}
