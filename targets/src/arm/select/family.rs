//! What selection for both of Arm's families asks of this one.

use gusset_codegen::buffer::{CodeBuffer, Label};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Function, Inst, InstData, IntCc, Opcode, SymbolId, Type, Value};
use gusset_codegen::machine::{PReg, PartKind};

use super::branch::{self, Test};
use super::operand::*;
use super::{int, memory, operand, wide};
use crate::arm::encode::ops::*;
use crate::arm::encode::{Asm, Isa};
use crate::arm::machine::Arm;
use crate::arm::reg::{Cond, Flags, Gpr, IP, Mem, Shift};
use crate::shared::arm::family::Sum;

const KEEP: Flags = Flags::Keep;

impl Encoder for Asm<'_> {
    type Width = ();
    type Tested = Gpr;

    fn buf(&mut self) -> &mut CodeBuffer {
        self.buf
    }

    fn jump(&mut self, to: Label) {
        self.b(to);
    }

    fn jump_if(&mut self, c: Cond, to: Label) {
        self.b_if(c, to);
    }

    fn jump_tested(&mut self, x: Gpr, zero: bool, to: Label) {
        self.b_zero(zero, x, to);
    }

    fn test(&mut self, x: Gpr) {
        self.compare(CMP, x, 0);
    }

    fn number(&mut self, _: (), d: Gpr, n: i64) {
        self.mov_number(KEEP, d, n as u32);
    }

    fn set_if(&mut self, d: Gpr, c: Cond) {
        self.conditionals(c, &[true, false], |e| {
            e.mov_number(KEEP, d, 1);
            e.mov_number(KEEP, d, 0);
        });
    }

    fn bit_if(&mut self, d: Gpr, c: Cond, one: bool) {
        self.conditional(c, |e| e.mov_number(KEEP, d, one.into()));
    }

    fn choose(&mut self, _: (), d: Gpr, (x, y): (Gpr, Gpr), c: Cond) {
        if d == x {
            return self.conditional(c.negate(), |e| e.mov(d, y));
        }
        if d != y {
            self.mov(d, y);
        }
        self.conditional(c, |e| e.mov(d, x));
    }

    fn compare_registers(&mut self, _: (), x: Gpr, y: Gpr) {
        self.compare(CMP, x, y);
    }

    fn compare_number(&mut self, _: (), x: Gpr, n: i64) {
        operand::compare_number(self, x, n as u32);
    }

    fn compare_upper(&mut self, _: (), x: Gpr, y: Gpr, order: bool) {
        if order {
            self.data(SBC, Flags::Set, IP, x, y);
        } else {
            self.conditional(Cond::Eq, |e| e.compare(CMP, x, y));
        }
    }

    fn increase(&mut self, _: (), d: Gpr, x: Gpr, n: i32) {
        self.add_number(KEEP, d, x, n);
    }

    fn sum(&mut self, _: (), what: Sum, d: Gpr, x: Gpr, y: Gpr) {
        let op = match (what.adds, what.carries) {
            (true, false) => ADD,
            (true, true) => ADC,
            (false, false) => SUB,
            (false, true) => SBC,
        };
        self.data(op, Flags::Set, d, x, y);
    }

    fn exclusive_or(&mut self, _: (), d: Gpr, x: Gpr, y: Gpr) {
        self.data(EOR, KEEP, d, x, y);
    }

    fn shift(&mut self, shift: Shift, _: (), d: Gpr, x: Gpr, n: u32) {
        self.unary(MOV, KEEP, d, by(x, shift, n));
    }

    fn bits_of_two(&mut self, _: (), d: Gpr, (high, low): (Gpr, Gpr), from: u32) {
        self.unary(MOV, KEEP, d, by(low, Shift::Lsr, from));
        self.data(ORR, KEEP, d, d, by(high, Shift::Lsl, 32 - from));
    }

    fn set_bit(&mut self, _: (), d: Gpr, x: Gpr, bit: u32) {
        let bit = self.isa.power(bit);
        self.data(ORR, KEEP, d, x, bit);
    }

    fn count_zeros(&mut self, _: (), d: Gpr, x: Gpr, leading: bool) {
        if leading {
            return self.rr(CLZ, d, x);
        }
        if self.isa != Isa::OldA32 {
            self.rr(RBIT, d, x);
            return self.rr(CLZ, d, d);
        }
        // The lowest bit alone; for zero there are 32 zeros above it, and the complement of that is what is to become 32.
        self.data(RSB, KEEP, IP, x, 0);
        self.data(AND, Flags::Set, IP, IP, x);
        self.rr(CLZ, d, IP);
        self.conditional(Cond::Ne, |e| e.data(RSB, KEEP, d, d, 31));
        self.conditional(Cond::Eq, |e| e.unary(MOV, KEEP, d, 32));
    }

    fn limit(&mut self, _: (), op: Opcode, d: Gpr, high: Gpr) {
        match op {
            Opcode::UaddSat => self.conditional(Cond::Hs, |e| e.mov_number(KEEP, d, !0)),
            Opcode::UsubSat => self.conditional(Cond::Lo, |e| e.mov_number(KEEP, d, 0)),
            _ => {
                // The sign is the wrong one.
                let (sign, count) = (self.isa.power(31), 1 + usize::from(d == high));
                self.conditionals(Cond::Vs, &[true, true][..count], |e| {
                    e.unary(MOV, KEEP, d, by(high, Shift::Asr, 31));
                    if d == high {
                        e.data(EOR, KEEP, d, d, sign);
                    }
                });
            }
        }
    }
}

impl Family for Arm {
    const NAME: &'static str = "ARM";
    const WORD: Type = Type::I32;
    const TEMP: Gpr = IP;
    type Width = ();
    type Tested = Gpr;
    type Asm<'b> = Asm<'b>;
    type Mem = Mem;
    type Reach = Reach;

    fn encoder<'b>(&self, buf: &'b mut CodeBuffer) -> Asm<'b> {
        self.asm(buf)
    }

    fn width(_: Type) {}

    fn whole(_: (), x: Gpr) -> Gpr {
        x
    }

    fn truth(x: Gpr) -> Gpr {
        x
    }

    fn extend(&self, e: &mut Asm<'_>, _: (), signed: bool, d: Gpr, x: Gpr, bits: u32) {
        if signed && bits == 1 {
            // Truth values are 0 or 1.
            return e.data(RSB, Flags::Free, d, x, 0);
        }
        extend_bits(self, e, signed, d, x, bits);
    }

    fn compare_extension(&self, e: &mut Asm<'_>, x: Gpr, ty: Type, signed: bool) {
        extend_bits(self, e, signed, IP, x, ty.bits());
        e.compare(CMP, x, IP);
    }

    fn reverse(&self, e: &mut Asm<'_>, _: (), bytes: bool, d: Gpr, x: Gpr) {
        if bytes { swap_bytes(self, e, d, x) } else { swap_bits(self, e, d, x) }
    }

    fn has_floats(&self, ty: Type) -> bool {
        match ty {
            Type::F32 => self.features.vfp,
            Type::F64 => self.features.double,
            Type::F16 => self.features.half,
            _ => false,
        }
    }

    fn has_product_sum(&self, user: &InstData) -> bool {
        // Before version 6 the sum is in another register than the first factor.
        match user.op {
            Opcode::Iadd => self.features.version >= 6,
            Opcode::Isub => self.features.has_t2(),
            _ => false,
        }
    }

    fn can_fold_more(f: &Function, user: &InstData, _: usize, def: &InstData, _: Option<&InstData>) -> bool {
        // A product of two words.
        matches!(def.op, Opcode::Zext | Opcode::Sext)
            && user.op == Opcode::Imul
            && user.ty == Type::I64
            && f.value_type(Value(def.a)).bits() <= 32
    }

    fn select_int(cx: &mut Cx<'_>, d: &Node) -> Done {
        int::select(cx, d)
    }

    fn select_wide(cx: &mut Cx<'_>, d: &Node) -> Done {
        wide::select(cx, d)
    }

    fn load_extended(cx: &mut Cx<'_>, d: &Node, load: &Node, signed: bool) -> Done {
        memory::load_extended(cx, d.r, load, signed)
    }

    fn sum_with(cx: &mut Cx<'_>, (a, b): (Value, Value), adds: bool, signed: bool) -> Result<Gpr, CompileError> {
        let op = if adds { ADD } else { SUB };
        let x = reg(cx, a)?;
        let y = match rhs(cx, op, b)? {
            // An immediate's opposite has other carries.
            Rhs::Negative(_) if !signed => Rhs::Op(reg(cx, b)?.into()),
            y => y,
        };
        let t = temp(cx)?;
        arith(cx, op, Flags::Set, t, x, y);
        Ok(t)
    }

    fn symbol_address(cx: &mut Cx<'_>, s: SymbolId, offset: i32, _: Reach) -> Result<Option<Mem>, CompileError> {
        operand::symbol_address(cx, s, offset)
    }

    fn indexed(cx: &mut Cx<'_>, d: &Node, offset: i32, reach: Reach) -> Result<Mem, CompileError> {
        operand::indexed(cx, d, offset, reach)
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

    fn deferred_condition(_: &mut Cx<'_>, _: Inst) -> Result<Option<Test>, CompileError> {
        Ok(None)
    }

    fn define_tested(cx: &mut Cx<'_>, r: Value, x: Gpr, zero: bool) -> Result<bool, CompileError> {
        branch::define_tested(cx, r, x, zero)
    }

    fn chosen_part(cx: &mut Cx<'_>, v: Value, part: u8) -> Result<Gpr, CompileError> {
        Ok(gpr(cx.use_part(v, part)?))
    }

    fn choose_float(cx: &mut Cx<'_>, kind: PartKind, d: PReg, (x, y): (PReg, PReg), c: Cond) {
        let (target, bytes) = (cx.target, kind.bytes());
        let moves = if bytes > 4 && !target.features.double { 2 } else { 1 };
        let mut e = asm(cx);
        if d != y {
            target.move_float(&mut e, d, y, bytes);
        }
        e.conditionals(c, &[true, true][..moves], |e| target.move_float(e, d, x, bytes));
    }

    fn jump_by_table(cx: &mut Cx<'_>, (_, x, t): ((), Gpr, Gpr), low: i64, labels: &[Label], default: Label) {
        branch::jump_by_table(cx, (x, t), low, labels, default);
    }
}
