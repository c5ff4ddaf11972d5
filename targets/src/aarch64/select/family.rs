//! What selection for both of Arm's families asks of this one.

use gusset_codegen::buffer::{CodeBuffer, Label};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Function, Inst, InstData, IntCc, Opcode, SymbolId, Type, Value, ValueDef};
use gusset_codegen::machine::{PReg, PartKind};

use super::branch::{self, Test, Tested};
use super::operand::*;
use super::{int, memory, operand, wide};
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP, logical_immediate};
use crate::aarch64::machine::{Aarch64, vreg, width};
use crate::aarch64::reg::{Cond, Fp, Gpr, Mem, Shift, Width, ZR};
use crate::shared::arm::family::Sum;
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

    fn compare_registers(&mut self, w: Width, x: Gpr, y: Gpr) {
        self.add_rr(SUBS, w, ZR, x, y);
    }

    fn compare_number(&mut self, w: Width, x: Gpr, n: i64) {
        branch::compare_number(self, w, x, n);
    }

    fn compare_upper(&mut self, w: Width, x: Gpr, y: Gpr, order: bool) {
        if order {
            self.rrr(SBCS, w, ZR, x, y);
        } else {
            self.cond_compare_rr(CCMP, w, x, y, (0, Cond::Eq));
        }
    }

    fn increase(&mut self, w: Width, d: Gpr, x: Gpr, n: i32) {
        self.add_number(w, d, x, n.into());
    }

    fn sum(&mut self, w: Width, what: Sum, d: Gpr, x: Gpr, y: Gpr) {
        match (what.adds, what.carries) {
            (adds, false) => self.add_rr(if adds { ADDS } else { SUBS }, w, d, x, y),
            (adds, true) => self.rrr(if adds { ADCS } else { SBCS }, w, d, x, y),
        }
    }

    fn exclusive_or(&mut self, w: Width, d: Gpr, x: Gpr, y: Gpr) {
        self.logic_rr(EOR, w, d, x, y);
    }

    fn shift(&mut self, shift: Shift, w: Width, d: Gpr, x: Gpr, n: u32) {
        self.shift_ri(shift, w, d, x, n);
    }

    fn bits_of_two(&mut self, w: Width, d: Gpr, (high, low): (Gpr, Gpr), from: u32) {
        self.extr(w, d, high, low, from);
    }

    fn set_bit(&mut self, w: Width, d: Gpr, x: Gpr, bit: u32) {
        if let Some(field) = logical_immediate(w, 1 << bit) {
            self.logic_ri(ORR, w, d, x, field);
        }
    }

    fn count_zeros(&mut self, w: Width, d: Gpr, x: Gpr, leading: bool) {
        if !leading {
            self.rr(RBIT, w, d, x);
        }
        self.rr(CLZ, w, d, if leading { x } else { d });
    }

    fn limit(&mut self, w: Width, op: Opcode, d: Gpr, high: Gpr) {
        match op {
            Opcode::UaddSat => self.choice(CSINV, w, d, (d, ZR), Cond::Lo),
            Opcode::UsubSat => self.choice(CSEL, w, d, (d, ZR), Cond::Hs),
            _ => {
                // After overflow the sign is the wrong one.
                self.shift_ri(Shift::Asr, w, TEMP, high, w.bits() - 1);
                if let Some(field) = logical_immediate(w, 1 << (w.bits() - 1)).filter(|_| d == high) {
                    self.logic_ri(EOR, w, TEMP, TEMP, field);
                }
                self.choice(CSEL, w, d, (TEMP, d), Cond::Vs);
            }
        }
    }
}

impl Family for Aarch64 {
    const NAME: &'static str = "AArch64";
    const WORD: Type = Type::I64;
    const TEMP: Gpr = TEMP;
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

    fn extend(&self, e: &mut Asm<'_>, w: Width, signed: bool, d: Gpr, x: Gpr, bits: u32) {
        e.extend(signed, w, d, x, bits);
    }

    fn compare_extension(&self, e: &mut Asm<'_>, x: Gpr, ty: Type, signed: bool) {
        e.add_extended(SUBS, Width::W, ZR, x, (x, extension(ty, signed), 0));
    }

    fn reverse(&self, e: &mut Asm<'_>, w: Width, bytes: bool, d: Gpr, x: Gpr) {
        e.rr(if bytes { REV } else { RBIT }, w, d, x);
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

    fn select_int(cx: &mut Cx<'_>, d: &Node) -> Done {
        int::select(cx, d)
    }

    fn select_wide(cx: &mut Cx<'_>, d: &Node) -> Done {
        wide::select(cx, d)
    }

    fn load_extended(cx: &mut Cx<'_>, d: &Node, load: &Node, signed: bool) -> Done {
        memory::load_extended(cx, d.r, load, signed, d.ty)
    }

    fn sum_with(cx: &mut Cx<'_>, (a, b): (Value, Value), adds: bool, signed: bool) -> Result<Gpr, CompileError> {
        let x = reg(cx, a)?;
        let y = match add_rhs(cx, b)? {
            // An immediate's opposite has other carries, and the same overflow.
            Rhs::Negative(_) if !signed => Rhs::Reg(reg(cx, b)?),
            y => y,
        };
        let (t, w) = (temp(cx)?, width(cx.ty(a)));
        add(cx, if adds { ADDS } else { SUBS }, w, t, x, y);
        Ok(t)
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
