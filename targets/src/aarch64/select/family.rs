//! What selection for both of Arm's families asks of this one.

use gusset_codegen::buffer::{CodeBuffer, Label};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Function, Inst, InstData, IntCc, Opcode, SymbolId, Type, Value, ValueDef};
use gusset_codegen::machine::{PReg, PartKind};

use super::branch::{self, Test, Tested};
use super::operand::*;
use super::{operand, wide};
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, logical_immediate};
use crate::aarch64::machine::{Aarch64, vreg, width};
use crate::aarch64::reg::{Cond, Fp, Gpr, Mem, Width, ZR};
use crate::shared::arm::fold::{is_conditional, other_is_variable};
use crate::shared::conditions::two_conditions;

impl Encoder for Asm<'_> {
    type Width = Width;
    type Tested = Tested;

    fn buf(&mut self) -> &mut CodeBuffer {
        self.buf
    }

    fn jump(&mut self, to: Label) {
        self.b(to);
    }

    fn jump_if(&mut self, c: Cond, to: Label) {
        self.b_if(c, to);
    }

    fn jump_tested(&mut self, tested: Tested, zero: bool, to: Label) {
        match tested {
            Tested::Whole(w, x) => self.cbz(w, zero, x, to),
            Tested::Bit(x, bit) => self.tbz(zero, x, bit, to),
        }
    }

    fn test(&mut self, tested: Tested) {
        match tested {
            Tested::Whole(w, x) => self.add_ri(SUBS, w, ZR, x, 0),
            Tested::Bit(x, bit) => {
                if let Some(field) = logical_immediate(Width::X, 1 << bit) {
                    self.logic_ri(ANDS, Width::X, ZR, x, field);
                }
            }
        }
    }

    fn number(&mut self, w: Width, d: Gpr, n: i64) {
        self.mov_number(w, d, n as u64);
    }

    fn set_if(&mut self, d: Gpr, c: Cond) {
        self.cset(d, c);
    }

    fn bit_if(&mut self, d: Gpr, c: Cond, one: bool) {
        self.choice(if one { CSINC } else { CSEL }, Width::W, d, (d, ZR), c.negate());
    }

    fn choose(&mut self, w: Width, d: Gpr, two: (Gpr, Gpr), c: Cond) {
        self.choice(CSEL, w, d, two, c);
    }

    fn compare_number(&mut self, w: Width, x: Gpr, n: i64) {
        branch::compare_number(self, w, x, n);
    }
}

impl Family for Aarch64 {
    const NAME: &'static str = "AArch64";
    const WORD: Type = Type::I64;
    type Width = Width;
    type Tested = Tested;
    type Asm<'b> = Asm<'b>;
    type Mem = Mem;
    /// Bytes that are accessed at once, or 0.
    type Reach = u32;

    fn encoder<'b>(&self, buf: &'b mut CodeBuffer) -> Asm<'b> {
        Asm::new(buf)
    }

    fn width(ty: Type) -> Width {
        width(ty)
    }

    fn whole(w: Width, x: Gpr) -> Tested {
        Tested::Whole(w, x)
    }

    fn truth(x: Gpr) -> Tested {
        Tested::Bit(x, 0)
    }

    fn extend(&self, e: &mut Asm<'_>, signed: bool, d: Gpr, x: Gpr, bits: u32) {
        e.extend(signed, Width::W, d, x, bits);
    }

    fn has_floats(&self, _: Type) -> bool {
        true
    }

    fn has_product_sum(&self, user: &InstData) -> bool {
        matches!(user.op, Opcode::Iadd | Opcode::Isub)
    }

    fn can_fold_more(f: &Function, user: &InstData, arg: usize, def: &InstData, last: Option<&InstData>) -> bool {
        use Opcode::*;
        match def.op {
            Sext | Zext => {
                let from = f.value_type(Value(def.a));
                let extends =
                    matches!(from, Type::I8 | Type::I16 | Type::I32) && matches!(def.ty, Type::I32 | Type::I64);
                let second = arg == 1 || user.op.is_commutative();
                let added =
                    matches!(user.op, Iadd | Isub) && second && user.ty == def.ty && other_is_variable(f, user, arg);
                extends && (added || user.op == Index && arg == 1 && from == Type::I32 && user.c.is_power_of_two())
            }
            // The second of two comparisons depends on what the first says.
            And | Or | Select if def.ty == Type::I1 => {
                let compared = |v: Value| match f.value_def(v) {
                    ValueDef::Inst(i) => is_comparison(f.inst(i)),
                    _ => false,
                };
                let two = two_conditions(f, def).is_some_and(|(x, y, _)| x != y && compared(x) && compared(y));
                two && is_conditional(user, arg)
            }
            Icmp if last.is_some() => is_comparison(def) && user.ty == Type::I1 && two_conditions(f, user).is_some(),
            _ => false,
        }
    }

    fn symbol_address(cx: &mut Cx<'_>, s: SymbolId, offset: i32, bytes: u32) -> Result<Option<Mem>, CompileError> {
        operand::symbol_address(cx, s, offset, bytes)
    }

    fn indexed(cx: &mut Cx<'_>, d: &Node, offset: i32, bytes: u32) -> Result<Mem, CompileError> {
        operand::indexed(cx, d, offset, bytes)
    }

    fn compare_ints(
        cx: &mut Cx<'_>,
        operands: (Value, Value),
        cc: IntCc,
        n: Option<i64>,
    ) -> Result<Test, CompileError> {
        branch::compare_ints(cx, operands, cc, n)
    }

    fn compare_wide(cx: &mut Cx<'_>, operands: (Value, Value), cc: IntCc) -> Result<Cond, CompileError> {
        wide::compare(cx, operands, cc)
    }

    fn compare_floats(cx: &mut Cx<'_>, d: &Node) -> Done {
        branch::compare_floats(cx, d)
    }

    fn deferred_condition(cx: &mut Cx<'_>, i: Inst) -> Result<Option<Test>, CompileError> {
        branch::deferred_condition(cx, i)
    }

    fn define_tested(cx: &mut Cx<'_>, r: Value, tested: Tested, zero: bool) -> Result<bool, CompileError> {
        branch::define_tested(cx, r, tested, zero)
    }

    fn chosen_part(cx: &mut Cx<'_>, v: Value, part: u8) -> Result<Gpr, CompileError> {
        if is_zero(cx, v) { Ok(ZR) } else { Ok(gpr(cx.use_part(v, part)?)) }
    }

    fn choose_float(cx: &mut Cx<'_>, kind: PartKind, d: PReg, (x, y): (PReg, PReg), c: Cond) {
        let ty = if kind == PartKind::F64 { Fp::D } else { Fp::S };
        asm(cx).fchoice(ty, vreg(d), (vreg(x), vreg(y)), c);
    }

    fn jump_by_table(cx: &mut Cx<'_>, value: (Width, Gpr, Gpr), low: i64, labels: &[Label], default: Label) {
        branch::jump_by_table(cx, value, low, labels, default);
    }
}

/// Is it a comparison of which two can be one condition?
fn is_comparison(d: &InstData) -> bool {
    d.op == Opcode::Icmp && d.ty.is_int() && d.ty.bits() <= 64
}
