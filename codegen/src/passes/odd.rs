//! Integers of widths that machines do not have.
//!
//! A value of such a width lives in the next wider type of 8, 16, 32, 64 or 128 bits, with upper bits of any kind. Where an
//! operation would see them, they are cleared or filled first. Memory is touched in exactly the bytes of the narrow type.

use crate::compile::CompileError;
use crate::ir::{ConstData, Format, Function, Inst, InstData, IntCc, Opcode, Type, Value};

/// Is this an integer of a width that no machine has?
fn is_odd(ty: Type) -> bool {
    ty.is_int() && !matches!(ty.bits(), 1 | 8 | 16 | 32 | 64 | 128)
}

/// The type in which a value of an odd width lives.
fn container(ty: Type) -> Type {
    match ty.bits() {
        0..=8 => Type::I8,
        9..=16 => Type::I16,
        17..=32 => Type::I32,
        33..=64 => Type::I64,
        _ => Type::I128,
    }
}

/// Widens integers of odd widths, in one walk; true if there were any. Blocks stay what they are but grow.
///
/// # Errors
/// An operation on an odd width that has no expansion.
pub fn widen_odd_integers(f: &mut Function) -> Result<bool, CompileError> {
    let values = f.value_count();
    if !(0..values).any(|k| is_odd(f.value_type(Value::new(k)))) {
        return Ok(false);
    }
    let types: Vec<Type> = (0..values).map(|k| f.value_type(Value::new(k))).collect();
    for (k, &ty) in types.iter().enumerate() {
        if is_odd(ty) {
            f.set_value_type(Value::new(k), container(ty));
        }
    }
    f.rewrite(|f, i, d, r| Widen { f, types: &types, inst: i }.inst(d, r))?;
    f.resolve_operands();
    Ok(true)
}

struct Widen<'a> {
    f: &'a mut Function,
    /// Types before widening.
    types: &'a [Type],
    inst: Inst,
}

impl Widen<'_> {
    fn old(&self, v: Value) -> Type {
        self.types.get(v.index()).copied().unwrap_or_else(|| self.f.value_type(v))
    }

    fn push(&mut self, op: Opcode, flags: u8, ty: Type, a: Value, b: u32, c: u32) -> Value {
        let i = self.f.push_inst(InstData { op, flags, ty, a: a.0, b, c }, &[ty]);
        self.f.result(i)
    }

    fn binary(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        let ty = self.f.value_type(a);
        self.push(op, 0, ty, a, b.0, 0)
    }

    fn by_constant(&mut self, op: Opcode, a: Value, n: i128) -> Value {
        let ty = self.f.value_type(a);
        let n = self.f.make_int(ty, n);
        self.binary(op, a, n)
    }

    /// The value with its upper bits cleared.
    fn zext(&mut self, v: Value) -> Value {
        let ty = self.old(v);
        if !is_odd(ty) || matches!(self.f.constant(v), Some(ConstData::Int(_))) {
            return v;
        }
        self.by_constant(Opcode::And, v, (1i128 << ty.bits()) - 1)
    }

    /// The value with its upper bits filled with its sign.
    fn sext(&mut self, v: Value) -> Value {
        let ty = self.old(v);
        if !is_odd(ty) {
            return v;
        }
        let gap = (self.f.value_type(v).bits() - ty.bits()) as i128;
        if let Some(ConstData::Int(n)) = self.f.constant(v) {
            let shift = 128 - ty.bits();
            let wide = self.f.value_type(v);
            return self.f.make_int(wide, (n << shift) as i128 >> shift);
        }
        let up = self.by_constant(Opcode::Shl, v, gap);
        self.by_constant(Opcode::Ashr, up, gap)
    }

    fn ext(&mut self, v: Value, signed: bool) -> Value {
        if signed { self.sext(v) } else { self.zext(v) }
    }

    /// `v` as a value of type `ty`, whose upper bits are as `v` has them.
    fn resize(&mut self, v: Value, ty: Type, signed: bool) -> Value {
        let from = self.f.value_type(v);
        if from == ty {
            v
        } else if from.bits() > ty.bits() {
            self.push(Opcode::Trunc, 0, ty, v, 0, 0)
        } else {
            self.push(if signed { Opcode::Sext } else { Opcode::Zext }, 0, ty, v, 0, 0)
        }
    }

    fn unsupported(&self, d: &InstData) -> CompileError {
        CompileError::at(self.f, self.inst, format!("`{}` on {} is not supported", d.op.name(), d.ty))
    }

    fn inst(mut self, mut d: InstData, r: Value) -> Result<(), CompileError> {
        use Opcode::*;
        let odd = is_odd(d.ty);
        let (a, b) = (Value(d.a), Value(d.b));
        match d.op {
            Zext | Sext => {
                let signed = d.op == Sext;
                let to = if odd { container(d.ty) } else { d.ty };
                let from = self.old(a);
                if !odd && !is_odd(from) {
                    self.f.push_kept(d, r);
                    return Ok(());
                }
                let x = self.ext(a, signed);
                let y = self.resize(x, to, signed);
                self.f.alias(r, y);
                return Ok(());
            }
            Trunc => {
                let to = if odd { container(d.ty) } else { d.ty };
                if !odd && !is_odd(self.old(a)) {
                    self.f.push_kept(d, r);
                    return Ok(());
                }
                let y = self.resize(a, to, false);
                self.f.alias(r, y);
                return Ok(());
            }
            Sitofp | Uitofp if is_odd(self.old(a)) => {
                d.a = self.ext(a, d.op == Sitofp).0;
                self.f.push_kept(d, r);
                return Ok(());
            }
            Icmp if odd => {
                let signed = IntCc::from_u8(d.flags).is_some_and(IntCc::is_signed);
                d.a = self.ext(a, signed).0;
                d.b = self.ext(b, signed).0;
            }
            Switch if odd => d.a = self.zext(a).0,
            Load if odd => {
                let v = self.load(&d);
                self.f.alias(r, v);
                return Ok(());
            }
            Store if odd => {
                self.store(&d);
                return Ok(());
            }
            _ if !odd || d.op == Nop => {
                self.f.push_kept(d, r);
                return Ok(());
            }
            Iadd | Isub | Imul | And | Or | Xor | Select | Freeze | Opaque | Fptosi | Fptoui => {}
            Shl => d.b = self.zext(b).0,
            Lshr | Udiv | Urem | Umin | Umax => {
                d.a = self.zext(a).0;
                d.b = self.zext(b).0;
            }
            Ashr => {
                d.a = self.sext(a).0;
                d.b = self.zext(b).0;
            }
            Sdiv | Srem | Smin | Smax => {
                d.a = self.sext(a).0;
                d.b = self.sext(b).0;
            }
            Iabs => d.a = self.sext(a).0,
            Ctpop => d.a = self.zext(a).0,
            Cttz => d.a = self.by_constant(Or, a, 1i128 << d.ty.bits()).0,
            Ctlz | Bswap | Bitreverse => {
                let gap = (container(d.ty).bits() - d.ty.bits()) as i128;
                let x = if d.op == Ctlz { self.zext(a) } else { a };
                let y = self.push(d.op, 0, container(d.ty), x, 0, 0);
                let z = self.by_constant(if d.op == Ctlz { Isub } else { Lshr }, y, gap);
                self.f.alias(r, z);
                return Ok(());
            }
            op if op.format() == Format::Call => {}
            _ => return Err(self.unsupported(&d)),
        }
        d.ty = container(d.ty);
        self.f.push_kept(d, r);
        Ok(())
    }

    /// The pieces in which memory is touched: offset and type.
    fn pieces(ty: Type) -> Vec<(u32, Type)> {
        let mut list = Vec::new();
        let (mut at, mut left) = (0, ty.store_bytes());
        while left > 0 {
            let step = 1 << left.min(8).ilog2();
            list.push((at, Type::int(step * 8).unwrap_or(Type::I8)));
            at += step;
            left -= step;
        }
        list
    }

    fn load(&mut self, d: &InstData) -> Value {
        let wide = container(d.ty);
        let mut sum = None;
        for (at, ty) in Self::pieces(d.ty) {
            let flags = if at == 0 { d.flags } else { d.flags & 0x80 };
            let x = self.push(Opcode::Load, flags, ty, Value(d.a), d.b.wrapping_add(at), 0);
            let mut x = self.resize(x, wide, false);
            if at > 0 {
                x = self.by_constant(Opcode::Shl, x, at as i128 * 8);
            }
            sum = Some(match sum {
                Some(s) => self.binary(Opcode::Or, s, x),
                None => x,
            });
        }
        sum.unwrap_or_else(|| self.f.make_int(wide, 0))
    }

    fn store(&mut self, d: &InstData) {
        let v = self.zext(Value(d.b));
        for (at, ty) in Self::pieces(d.ty) {
            let x = if at > 0 { self.by_constant(Opcode::Lshr, v, at as i128 * 8) } else { v };
            let x = self.resize(x, ty, false);
            let flags = if at == 0 { d.flags } else { d.flags & 0x80 };
            let data = InstData { op: Opcode::Store, flags, ty, a: d.a, b: x.0, c: d.c.wrapping_add(at) };
            self.f.push_inst(data, &[]);
        }
    }
}
