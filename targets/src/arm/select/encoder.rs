//! Instructions that both of Arm's families have, in this family's encoding.

use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::ir::Opcode;

use super::branch::Test;
use super::operand;
use super::operand::*;
use super::vector::{place, q};
use crate::arm::encode::neon::*;
use crate::arm::encode::ops::*;
use crate::arm::encode::{Asm, Isa};
use crate::arm::machine::Arm;
use crate::arm::reg::{Cond, Flags, Gpr, IP, Lane, Mem, SP, Shift, Vreg};
use crate::arm::registers::QTEMP;
use crate::shared::arm::family::{Compared, Exchange, Sum};

const KEEP: Flags = Flags::Keep;

impl Encoder<Arm> for Asm<'_> {
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

    fn test_number(&mut self, _: (), x: Gpr, n: u64, zero: bool) -> Option<Test> {
        let n = self.operand(n as u32);
        self.compare(TST, x, n);
        Some(Test::equal(zero))
    }

    fn test_both(&mut self, _: (), x: Gpr, y: Gpr) {
        self.compare(TST, x, y);
    }

    fn test_low(&mut self, x: Gpr, bits: u32) {
        self.unary(MOV, Flags::Set, IP, by(x, Shift::Lsl, 32 - bits));
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

    fn choose_both(&mut self, _: (), both: [(Gpr, (Gpr, Gpr)); 2], c: Cond) {
        let ends = both.map(|(d, (x, _))| d == x);
        if ends[0] != ends[1] {
            return both.into_iter().for_each(|(d, two)| self.choose((), d, two, c));
        }
        for (d, (x, y)) in both {
            if d != x && d != y {
                self.mov(d, y);
            }
        }
        let c = if ends[0] { c.negate() } else { c };
        self.conditionals(c, &[true, true], |e| {
            both.into_iter().for_each(|(d, (x, y))| e.mov(d, if ends[0] { y } else { x }));
        });
    }

    fn compare_registers(&mut self, _: (), x: Gpr, y: Gpr) {
        self.compare(CMP, x, y);
    }

    fn compare_number(&mut self, _: (), x: Gpr, n: i64) {
        operand::compare_number(self, x, n as u32);
    }

    fn set_borrow(&mut self, x: Gpr) {
        self.data(RSB, Flags::Set, IP, x, 0);
    }

    fn compare_second(&mut self, first: Cond, q: Compared<()>, both: bool) -> Test {
        let compare = |e: &mut Self| match q.y {
            Ok(y) => e.compare(CMP, q.x, y),
            Err(n) => operand::compare_number(e, q.x, n as u32),
        };
        if first == q.c {
            // It happens if the first comparison leaves the answer open; otherwise the flags give the answer.
            self.conditional(if both { first } else { first.negate() }, compare);
            return Test::Flags(q.c);
        }
        self.set_if(IP, first);
        compare(self);
        self.bit_if(IP, if both { q.c.negate() } else { q.c }, !both);
        Test::Zero(IP, false)
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

    fn bitwise(&mut self, op: Opcode, _: (), d: Gpr, x: Gpr, y: Gpr) {
        self.data(bits_op(op), KEEP, d, x, y);
    }

    fn invert(&mut self, _: (), d: Gpr, x: Gpr) {
        self.unary(MVN, KEEP, d, x);
    }

    fn shift_by(&mut self, shift: Shift, _: (), d: Gpr, x: Gpr, n: Gpr) {
        self.shift_rr(shift, KEEP, d, x, n);
    }

    fn shift(&mut self, shift: Shift, _: (), d: Gpr, x: Gpr, n: u32) {
        self.unary(MOV, KEEP, d, by(x, shift, n));
    }

    fn set_bit(&mut self, _: (), d: Gpr, x: Gpr, bit: u32) {
        let bit = self.isa.power(bit);
        self.data(ORR, KEEP, d, x, bit);
    }

    fn count_zeros(&mut self, _: (), d: Gpr, x: Gpr, leading: bool) {
        if leading {
            return self.leading_zeros(d, x);
        }
        if self.isa > Isa::OldA32 {
            self.rr(RBIT, d, x);
            return self.rr(CLZ, d, d);
        }
        // Isolates the lowest one bit. For zero there are 32 leading zeros, and the result has to be 32.
        self.data(RSB, KEEP, IP, x, 0);
        self.data(AND, KEEP, IP, IP, x);
        self.leading_zeros(d, IP);
        self.compare(CMP, d, 32);
        self.conditional(Cond::Ne, |e| e.data(RSB, KEEP, d, d, 31));
    }

    fn limit(&mut self, _: (), op: Opcode, d: Gpr, high: Gpr) {
        match op {
            Opcode::UaddSat => self.conditional(Cond::Hs, |e| e.mov_number(KEEP, d, !0)),
            Opcode::UsubSat => self.conditional(Cond::Lo, |e| e.mov_number(KEEP, d, 0)),
            _ => {
                // The sign is wrong.
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

    fn load_word(&mut self, d: Gpr, base: Gpr, disp: i32) {
        self.access(LDR, d, Mem::Base(base, disp));
    }

    fn store_word(&mut self, x: Gpr, base: Gpr, disp: i32) {
        self.access(STR, x, Mem::Base(base, disp));
    }

    fn move_pointer(&mut self, d: Gpr, x: Gpr) {
        self.mov(d, x);
    }

    fn below_stack(&mut self, d: Gpr, bytes: Gpr) {
        self.data(SUB, KEEP, d, SP, bytes);
    }

    fn align_down(&mut self, d: Gpr, x: Gpr, align: u32) {
        let bits = align.trailing_zeros();
        self.unary(MOV, KEEP, d, by(x, Shift::Lsr, bits));
        self.unary(MOV, KEEP, d, by(d, Shift::Lsl, bits));
    }

    fn stack_minus(&mut self, d: Gpr, x: Gpr) {
        self.data(SUB, Flags::Set, d, SP, x);
    }

    fn compare_stack(&mut self, x: Gpr) {
        self.compare(CMP, SP, x);
    }

    fn return_address(&mut self, frame: Gpr) {
        self.load_word(frame, frame, 4);
    }

    fn call_function(&mut self, function: RelocTarget) {
        self.call(function);
    }

    fn stop(&mut self, op: Opcode) {
        match op {
            Opcode::FailFast => self.trap(UDF, 251),
            Opcode::DebugTrap if self.isa >= Isa::OldA32 => self.trap(BKPT, 0),
            _ => self.trap(UDF, 254),
        }
    }

    fn load_exclusive(&mut self, bytes: u32, _: bool, old: (Gpr, Gpr), n: Gpr) {
        match bytes {
            1 => self.registers(LDREXB, [old.0, n]),
            2 => self.registers(LDREXH, [old.0, n]),
            4 => self.registers(LDREX, [old.0, n]),
            _ => self.ordered_pair(LDREXD, old, n),
        }
    }

    fn store_exclusive(&mut self, bytes: u32, _: bool, new: (Gpr, Gpr), n: Gpr, again: Label) {
        match bytes {
            1 => self.registers(STREXB, [IP, new.0, n]),
            2 => self.registers(STREXH, [IP, new.0, n]),
            4 => self.registers(STREX, [IP, new.0, n]),
            _ => self.conditional_pair(STREXD, IP, new, n),
        }
        // Afterwards the flags say that the status is zero.
        self.compare(CMP, IP, 0);
        self.b_if(Cond::Ne, again);
    }

    fn vector(&mut self, op: Vop, lane: u32, d: Vreg, x: Vreg, y: Vreg) {
        self.vector(op, Lane::of(lane), d, x, y);
    }

    fn bytes(&mut self, d: Vreg, byte: u8) {
        self.vmov_number(d, 14, false, byte);
    }

    fn sign_bits(&mut self, _: u32, d: Vreg) {
        self.vmov_number(d, 6, false, 0x80);
    }

    fn negate_lanes(&mut self, lane: u32, d: Vreg, x: Vreg) {
        if lane == 8 {
            self.bytes(d, 0);
            return self.vector(V_SUB, Lane::D, d, d, x);
        }
        self.vector(V_NEG, Lane::of(lane), d, x, x);
    }

    fn shift_lanes(&mut self, op: Opcode, lane: u32, d: Vreg, x: Vreg, n: u32) {
        let right = V_SHR.sign(op == Opcode::Lshr);
        self.vshift(if op == Opcode::Shl { V_SHL_N } else { right }, Lane::of(lane), d, x, n);
    }

    fn move_halves(&mut self, d: Vreg, two: [(Vreg, u32); 2]) -> bool {
        for (d, (x, k)) in d.halves().into_iter().zip(two) {
            self.frr(VMOV, d, x.halves()[k as usize]);
        }
        true
    }

    fn repeat_lane(&mut self, lane: u32, d: Vreg, (x, k): (Vreg, u32)) {
        let (x, k) = place(x, Lane::of(lane), k);
        self.dup_lane(Lane::of(lane), d, x, k);
    }

    fn exchange_lanes(&mut self, how: Exchange, second: bool, lane: u32, d: Vreg, (x, y): (Vreg, Vreg)) {
        // An exchange of lanes of two registers gives two results.
        let t = q(QTEMP);
        self.vmov(d, x);
        self.vmov(t, y);
        self.vector([V_ZIP, V_UZP, V_TRN][how as usize], Lane::of(lane), d, t, t);
        if second {
            self.vmov(d, t);
        }
    }

    fn bytes_of_two(&mut self, d: Vreg, x: Vreg, y: Vreg, from: u32) {
        self.vext(d, x, y, from);
    }

    fn table(&mut self, d: Vreg, x: Vreg, index: Vreg, adds: bool) {
        for (d, index) in d.halves().into_iter().zip(index.halves()) {
            self.vtable(if adds { V_TBX } else { V_TBL }, d, x.halves()[0], 2, index);
        }
    }
}

impl Asm<'_> {
    /// Counts leading zeros; before version 5 by halving what is searched.
    fn leading_zeros(&mut self, d: Gpr, x: Gpr) {
        if self.isa >= Isa::OldA32 {
            return self.rr(CLZ, d, x);
        }
        if x != IP {
            self.mov(IP, x);
        }
        self.mov_number(KEEP, d, 0);
        for by in [16u8, 8, 4, 2, 1] {
            let least = self.isa.power(32 - u32::from(by));
            self.compare(CMP, IP, least);
            self.conditionals(Cond::Lo, &[true, true], |e| {
                e.unary(MOV, KEEP, IP, super::operand::by(IP, Shift::Lsl, by.into()));
                e.add_number(KEEP, d, d, by.into());
            });
        }
        self.compare(CMP, IP, 0);
        self.conditional(Cond::Eq, |e| e.add_number(KEEP, d, d, 1));
    }
}
