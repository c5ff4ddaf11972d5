//! Numbers that no floating-point register holds: all of functions without such registers, and `f128` on machines of 32 bits. When
//! functions of the run-time library compute with them, nothing is left but to move them and to change their signs: they become
//! the integers of their bits.

use std::sync::Arc;

use crate::ir::{ConstData, FloatCc, Function, InLlvm, Inst, InstData, Opcode, RmwOp, Type, Value};

/// Which numbers become integers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Soft {
    /// All of a function.
    All,
    /// Those of type `f128`.
    Quads,
}

impl Soft {
    fn includes(self, ty: Type) -> bool {
        if self == Soft::All { ty.is_float() } else { ty == Type::F128 }
    }

    /// The integer type of a number's width.
    fn integer(self, ty: Type) -> Type {
        if self.includes(ty) { Type::int(ty.bits()).unwrap_or(ty) } else { ty }
    }
}

/// Rewrites `f`, in which these numbers are scalars. Returns whether it has any.
///
/// # Errors
/// An operation that the library does not do, or a number of x87's format: the instruction, if it is one, and the reason.
pub fn soften(f: &mut Function, soft: Soft) -> Result<bool, (Option<Inst>, String)> {
    let signed = |f: &Function| f.sigs.iter().any(|s| s.params.iter().chain(&s.results).any(|ty| ty.is_float()));
    if !f.value_types().any(|ty| ty.is_float()) && !signed(f) {
        return Ok(false);
    }
    if soft == Soft::All && f.value_types().any(|ty| ty == Type::F80) {
        let reason = "x87's numbers in a function without floating-point registers (`use-soft-float`)";
        return Err((None, reason.into()));
    }
    if let Some((inst, d)) = f.insts.iter().enumerate().find(|(_, d)| stays(f, d, soft)) {
        let reason = format!("{} without floating-point registers is not supported", InLlvm(d.op, d.ty));
        return Err((Some(Inst::new(inst)), reason));
    }
    for sig in &mut f.sigs {
        if sig.params.iter().chain(&sig.results).any(|&ty| soft.includes(ty)) {
            let sig = Arc::make_mut(sig);
            sig.params.iter_mut().chain(&mut sig.results).for_each(|ty| *ty = soft.integer(*ty));
            sig.plan = Default::default();
        }
    }
    f.numbers_to_bits(|ty| soft.integer(ty));
    f.rewrite(|f, _, d, result| {
        if soft.includes(d.ty) || d.op == Opcode::Bitcast {
            instruction(f, InstData { ty: soft.integer(d.ty), ..d }, d.ty, result);
        } else {
            f.push_kept(d, result);
        }
    });
    f.resolve_operands();
    Ok(true)
}

/// Is it arithmetic, which only the library could have done?
fn stays(f: &Function, d: &InstData, soft: Soft) -> bool {
    use Opcode::*;
    let operand = |mut d: InstData| d.operand_words().any(|w| soft.includes(f.value_type(Value(*w))));
    match d.op {
        Fneg | Fabs | Fcopysign => false,
        Fcmp => soft.includes(d.ty) && constant_comparison(d).is_none(),
        Fpext | Fptrunc | Fptosi | Fptoui | Sitofp | Uitofp | Machine | MachineEffect => {
            soft.includes(d.ty) || operand(*d)
        }
        AtomicRmw => {
            let computes =
                matches!(RmwOp::from_u8(d.flags), Some(RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin));
            computes && soft.includes(d.ty)
        }
        op => soft.includes(d.ty) && (Fadd..=Froundeven).contains(&op),
    }
}

/// The result of a comparison that does not depend on its operands.
fn constant_comparison(d: &InstData) -> Option<bool> {
    match FloatCc::from_u8(d.flags) {
        Some(FloatCc::False) => Some(false),
        Some(FloatCc::True) => Some(true),
        _ => None,
    }
}

/// Appends the instruction on integers in the place of one on numbers of type `was`.
fn instruction(f: &mut Function, d: InstData, was: Type, result: Value) {
    let sign = 1u128 << (was.bits().max(1) - 1);
    let with = |f: &mut Function, op, a, bits| {
        let bits = f.make_const(d.ty, ConstData::Int(bits));
        InstData { op, a, b: bits.0, ..d }
    };
    let d = match d.op {
        Opcode::Fneg => with(f, Opcode::Xor, d.a, sign),
        Opcode::Fabs => with(f, Opcode::And, d.a, sign - 1),
        Opcode::Fcopysign => {
            let (size, sign) = (with(f, Opcode::And, d.a, sign - 1), with(f, Opcode::And, d.b, sign));
            let [size, sign] = [size, sign].map(|d| f.push_one(d));
            InstData { op: Opcode::Or, a: size.0, b: sign.0, ..d }
        }
        Opcode::Bitcast if f.value_type(Value(d.a)) == d.ty => return f.alias(result, Value(d.a)),
        Opcode::Fcmp => {
            let known = f.make_int(Type::I1, constant_comparison(&d).unwrap_or_default().into());
            return f.alias(result, known);
        }
        _ => d,
    };
    f.push_kept(d, result);
}
