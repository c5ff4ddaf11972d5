//! Operations that become more than one call with the same operands.

use super::call::Cx;
use super::function;
use crate::error::{CompileError, Result};
use crate::ir::{FloatCc, InLlvm, InstData, IntCc, Opcode, Type, Value};
use crate::libcall::LibCall as L;
use crate::machine::{Machine, Unwinding};

impl<T: Machine> Cx<'_, T> {
    /// Appends instructions that do the operation, and makes `r`, its first result, an alias of their result. False if
    /// there is no function for it.
    pub fn expand(&mut self, d: &InstData, r: Value) -> Result<bool> {
        use Opcode::*;
        match d.op {
            AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg => return self.atomic(d, r),
            Resume => {
                if self.ends_cleanups() {
                    self.call(L::CxaEndCleanup, &[])?;
                } else {
                    self.call(L::UnwindResume, &[Value(d.a)])?;
                }
                self.f.push_inst(InstData { op: Unreachable, flags: 0, ty: Type::VOID, a: 0, b: 0, c: 0 }, &[]);
                return Ok(true);
            }
            _ => {}
        }
        // Instructions in loops around compare-exchanges are seen here for the first time.
        match self.in_steps(d)? {
            Some(v) => self.f.alias(r, v),
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Do landing pads of C++ end in a library function? It returns the exception to the unwinder of ARM's ABI.
    fn ends_cleanups(&self) -> bool {
        let cxx = |routine| self.module.symbol(routine).name == "__gxx_personality_v0";
        matches!(self.target.facts().frame.unwinding, Unwinding::Index(_))
            && self.f.exceptions.personality.is_some_and(cxx)
    }

    /// Appends instructions that do an operation which the machine lacks.
    pub(super) fn called(&mut self, d: &InstData) -> Result<Value> {
        match self.in_steps(d)? {
            Some(v) => Ok(v),
            None => Err(CompileError::new(self.f, format!("{} is not supported", InLlvm(d.op, d.ty)))),
        }
    }

    /// An operation as a call or as several operations; `None` if there is no way.
    fn in_steps(&mut self, d: &InstData) -> Result<Option<Value>> {
        let call = function::direct(self.f, d, self.target.divides_backwards());
        match call {
            Some((lib, args)) if self.has(lib) => self.compute(lib, &args[..d.op.arity()], d.ty).map(Some),
            _ => {
                let made = match self.convert(d)? {
                    None => self.rounding(d)?,
                    made => made,
                };
                match (made, call) {
                    (None, Some((lib, args))) => self.compute(lib, &args[..d.op.arity()], d.ty).map(Some),
                    _ => Ok(made),
                }
            }
        }
    }

    /// May the module call this function?
    pub(super) fn exists(&self, lib: L) -> bool {
        !self.module.no_library && self.target.library_has(lib)
    }

    /// May the module call this function, and is it not the current one? If the module defines it, roundings do not
    /// call it, since it may be made of them.
    pub(super) fn has(&mut self, lib: L) -> bool {
        if !self.exists(lib) {
            return false;
        }
        match lib {
            L::Memcpy | L::Memmove | L::Memset => self.module.symbol(self.f.symbol).name != lib.symbol(),
            _ if (L::Floorf..=L::Roundl).contains(&lib) => !self.library.defines(self.module, lib),
            _ => true,
        }
    }

    /// The error that the system's library lacks a function that would be called.
    pub(super) fn lacks(&self, lib: L) -> CompileError {
        let system = if self.module.no_library { "where there is no library" } else { "on this system" };
        let what = format!("this needs the function `{}`, which does not exist {system}", lib.symbol());
        CompileError::new(self.f, what)
    }

    /// Conversions in two steps, and comparisons.
    pub(super) fn convert(&mut self, d: &InstData) -> Result<Option<Value>> {
        use Opcode::*;
        let a = Value(d.a);
        let from = self.f.value_type(a);
        match d.op {
            Fcmp => self.compare(d),
            Udiv | Sdiv | Urem | Srem if d.ty.bits() < 32 => {
                let extend = if matches!(d.op, Sdiv | Srem) { Sext } else { Zext };
                let b = Value(d.b);
                let [x, y] = [a, b].map(|v| self.op(extend, 0, Type::I32, v, v, Type::I32));
                let Some(wide) = self.divide(d.op, Type::I32, x, y)? else { return Ok(None) };
                Ok(Some(self.op(Trunc, 0, d.ty, wide, wide, d.ty)))
            }
            Urem | Srem => self.divide(d.op, d.ty, a, Value(d.b)),
            // Through `f32`, which is exact.
            Fpext if from == Type::F16 => {
                let single = if self.has(L::Extendhfsf2) {
                    self.compute(L::Extendhfsf2, &[a], Type::F32)?
                } else {
                    self.half_to_single(a)
                };
                self.widen_single(single, d.ty).map(Some)
            }
            Fptrunc if matches!(d.ty, Type::F16 | Type::BF16) => {
                if from == Type::F32 {
                    return Ok(Some(self.single_to_narrow(a, d.ty)));
                }
                let single = self.odd_single(a)?;
                self.resized_float(Fptrunc, single, d.ty).map(Some)
            }
            Fpext if from == Type::BF16 => {
                let single = self.op(Fpext, 0, Type::F32, a, a, Type::F32);
                self.widen_single(single, d.ty).map(Some)
            }
            Sitofp | Uitofp if from.is_int() && from.bits() < 32 => {
                let signed = d.op == Sitofp;
                let wide = self.op(if signed { Sext } else { Zext }, 0, Type::I32, a, a, Type::I32);
                match function::from_int(32, d.ty, true) {
                    Some(lib) => self.compute(lib, &[wide], d.ty).map(Some),
                    None => Ok(None),
                }
            }
            Fptosi | Fptoui if d.ty.is_int() && d.ty.bits() < 32 => {
                let Some(lib) = function::to_int(from, 32, true) else { return Ok(None) };
                let wide = self.compute(lib, &[a], Type::I32)?;
                Ok(Some(self.op(Trunc, 0, d.ty, wide, wide, d.ty)))
            }
            _ => Ok(None),
        }
    }

    /// A quotient or a remainder.
    fn divide(&mut self, op: Opcode, ty: Type, x: Value, y: Value) -> Result<Option<Value>> {
        let backwards = self.target.divides_backwards();
        let quotient = match op {
            Opcode::Urem if backwards => Opcode::Udiv,
            Opcode::Srem if backwards => Opcode::Sdiv,
            _ => op,
        };
        let Some(lib) = function::divide(quotient, ty) else { return Ok(None) };
        let of = self.compute(lib, &if backwards { [y, x] } else { [x, y] }, ty)?;
        if quotient == op {
            return Ok(Some(of));
        }
        let product = self.op(Opcode::Imul, 0, ty, of, y, ty);
        Ok(Some(self.op(Opcode::Isub, 0, ty, x, product, ty)))
    }

    fn widen_single(&mut self, v: Value, to: Type) -> Result<Value> {
        match to {
            Type::F32 => Ok(v),
            Type::F128 => self.compute(L::Extendsftf2, &[v], to),
            _ => Ok(self.op(Opcode::Fpext, 0, to, v, v, to)),
        }
    }

    pub(super) fn compare(&mut self, d: &InstData) -> Result<Option<Value>> {
        let args = [Value(d.a), Value(d.b)];
        let Some(cc) = FloatCc::from_u8(d.flags) else { return Ok(None) };
        let Some((lib, test)) = function::comparison(cc, d.ty) else { return Ok(None) };
        // Ordered and not equal, or unordered or equal.
        let (other, join) = match cc {
            FloatCc::One => (FloatCc::Ord, Opcode::And),
            FloatCc::Ueq => (FloatCc::Uno, Opcode::Or),
            _ => {
                let v = self.compute(lib, &args, Type::I32)?;
                return Ok(Some(self.with_zero(v, test)));
            }
        };
        let Some((unordered, first)) = function::comparison(other, d.ty) else { return Ok(None) };
        let unordered = self.compute(unordered, &args, Type::I32)?;
        let different = self.compute(lib, &args, Type::I32)?;
        let (u, e) = (self.with_zero(unordered, first), self.with_zero(different, test));
        Ok(Some(self.op(join, 0, Type::I1, u, e, Type::I1)))
    }

    fn with_zero(&mut self, v: Value, cc: IntCc) -> Value {
        let zero = self.f.make_int(Type::I32, 0);
        self.op(Opcode::Icmp, cc as u8, Type::I32, v, zero, Type::I1)
    }

    /// Appends an operation on one value or two; missing operands equal the first.
    pub(super) fn op(&mut self, op: Opcode, flags: u8, ty: Type, a: Value, b: Value, result: Type) -> Value {
        let b = if op.arity() == 1 { Value(0) } else { b };
        self.f.push_op(op, flags, ty, [a, b, Value(0)], result)
    }
}
