//! What selection for both of Arm's families asks of this one.

use gusset_codegen::buffer::{CodeBuffer, Label};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Function, Inst, InstData, IntCc, Opcode, SymbolId, Type, Value};
use gusset_codegen::machine::{PReg, PartKind};

use super::branch::{self, Test};
use super::operand::*;
use super::{operand, wide};
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::Arm;
use crate::arm::reg::{Cond, Flags, Gpr, Mem};

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

    fn compare_number(&mut self, _: (), x: Gpr, n: i64) {
        operand::compare_number(self, x, n as u32);
    }
}

impl Family for Arm {
    const NAME: &'static str = "ARM";
    const WORD: Type = Type::I32;
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

    fn extend(&self, e: &mut Asm<'_>, signed: bool, d: Gpr, x: Gpr, bits: u32) {
        extend_bits(self, e, signed, d, x, bits);
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
