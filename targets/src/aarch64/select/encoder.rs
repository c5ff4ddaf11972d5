//! Instructions that both of Arm's families have, in this family's encoding.

use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::ir::Opcode;

use super::branch::{self, Test, Tested};
use super::operand::*;
use super::vector::Form;
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP, logical_immediate};
use crate::aarch64::machine::Aarch64;
use crate::aarch64::reg::{Cond, Extend, Gpr, Lanes, Mem, SP, Shift, Vreg, Width, ZR};
use crate::aarch64::registers::{CALLEE, LINK};
use crate::shared::arm::family::{Compared, Exchange, Sum};

impl Encoder<Aarch64> for Asm<'_> {
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
            Tested::Bit(x, bit) => self.logic_number(ANDS, Width::X, ZR, x, 1 << bit),
        }
    }

    fn test_number(&mut self, w: Width, x: Gpr, n: u64, zero: bool) -> Option<Test> {
        if n.is_power_of_two() {
            return Some(Test::Zero(Tested::Bit(x, n.trailing_zeros()), zero));
        }
        self.logic_ri(ANDS, w, ZR, x, logical_immediate(w, n)?);
        Some(Test::equal(zero))
    }

    fn test_both(&mut self, w: Width, x: Gpr, y: Gpr) {
        self.logic_rr(ANDS, w, ZR, x, y);
    }

    fn test_low(&mut self, x: Gpr, bits: u32) {
        self.logic_number(ANDS, Width::W, ZR, x, (1 << bits) - 1);
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

    fn set_borrow(&mut self, x: Gpr) {
        self.add_rr(SUBS, Width::W, ZR, ZR, x);
    }

    fn compare_second(&mut self, first: Cond, q: Compared<Width>, both: bool) -> Test {
        // It happens if the first comparison leaves the answer open; otherwise the flags are set to give the answer.
        let (open, flags) = if both { (first, q.c.negate().flags()) } else { (first.negate(), q.c.flags()) };
        match q.y {
            Ok(y) => self.cond_compare_rr(CCMP, q.w, q.x, y, (flags, open)),
            Err(n) => {
                let op = if n < 0 { CCMN } else { CCMP };
                self.cond_compare_ri(op, q.w, q.x, n.unsigned_abs() as u32, (flags, open));
            }
        }
        Test::Flags(q.c)
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

    fn bitwise(&mut self, op: Opcode, w: Width, d: Gpr, x: Gpr, y: Gpr) {
        self.logic_rr(bits_op(op), w, d, x, y);
    }

    fn invert(&mut self, w: Width, d: Gpr, x: Gpr) {
        self.logic_rr(ORN, w, d, ZR, x);
    }

    fn shift_by(&mut self, shift: Shift, w: Width, d: Gpr, x: Gpr, n: Gpr) {
        self.rrr(shift_op(shift), w, d, x, n);
    }

    fn shift(&mut self, shift: Shift, w: Width, d: Gpr, x: Gpr, n: u32) {
        self.shift_ri(shift, w, d, x, n);
    }

    fn set_bit(&mut self, w: Width, d: Gpr, x: Gpr, bit: u32) {
        self.logic_number(ORR, w, d, x, 1 << bit);
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
                // After an overflow the sign is wrong.
                self.shift_ri(Shift::Asr, w, TEMP, high, w.bits() - 1);
                if d == high {
                    self.logic_number(EOR, w, TEMP, TEMP, 1 << (w.bits() - 1));
                }
                self.choice(CSEL, w, d, (TEMP, d), Cond::Vs);
            }
        }
    }

    fn load_word(&mut self, d: Gpr, base: Gpr, disp: i32) {
        self.access(LDR_X, d, Mem::Base(base, disp));
    }

    fn store_word(&mut self, x: Gpr, base: Gpr, disp: i32) {
        self.access(STR_X, x, Mem::Base(base, disp));
    }

    fn move_pointer(&mut self, d: Gpr, x: Gpr) {
        if d == SP || x == SP { self.mov_sp(d, x) } else { self.mov(Width::X, d, x) }
    }

    fn below_stack(&mut self, d: Gpr, bytes: Gpr) {
        self.add_extended(SUB, Width::X, d, SP, (bytes, Extend::Uxtx, 0));
    }

    fn align_down(&mut self, d: Gpr, x: Gpr, align: u32) {
        self.logic_number(AND, Width::X, d, x, i64::from(align).wrapping_neg() as u64);
    }

    fn stack_minus(&mut self, d: Gpr, x: Gpr) {
        self.add_extended(SUBS, Width::X, d, SP, (x, Extend::Uxtx, 0));
    }

    fn compare_stack(&mut self, x: Gpr) {
        self.add_extended(SUBS, Width::X, ZR, SP, (x, Extend::Uxtx, 0));
    }

    fn return_address(&mut self, frame: Gpr) {
        // It may be signed. The link register is in the frame, as in all functions that ask for it.
        self.load_word(gpr(LINK), frame, 8);
        self.plain(XPACLRI);
        self.mov(Width::X, frame, gpr(LINK));
    }

    fn call_function(&mut self, function: RelocTarget) {
        self.call(function);
    }

    fn stop(&mut self, op: Opcode) {
        let number = match op {
            Opcode::FailFast => 0xf003,
            Opcode::DebugTrap => 0xf000,
            _ => 1,
        };
        self.trap(BRK, number);
    }

    fn load_exclusive(&mut self, bytes: u32, acquire: bool, old: (Gpr, Gpr), n: Gpr) {
        match bytes {
            16 => self.ordered_pair(if acquire { LDAXP } else { LDXP }, Width::X, old, n),
            _ => self.ordered(if acquire { LDAXR } else { LDXR }, bytes.trailing_zeros(), old.0, n),
        }
    }

    fn store_exclusive(&mut self, bytes: u32, release: bool, new: (Gpr, Gpr), n: Gpr, again: Label) {
        let status = gpr(CALLEE);
        match bytes {
            16 => self.conditional_pair(if release { STLXP } else { STXP }, Width::X, status, new, n),
            _ => self.conditional(if release { STLXR } else { STXR }, bytes.trailing_zeros(), status, new.0, n),
        }
        self.cbz(Width::W, false, status, again);
    }

    fn vector(&mut self, op: Form, lane: u32, d: Vreg, x: Vreg, y: Vreg) {
        let l = Lanes::of(lane);
        match op {
            Form::Ints(op) => self.vrrr(op, l, d, x, y),
            Form::Bits(op) => self.vlogic(op, true, d, x, y),
            Form::Floats(op) => self.vfrrr(op, l, d, x, y),
            Form::Bytes(op) => self.vbytes(op, true, d, x),
            Form::Int(op) => self.vrr(op, l, d, x),
            Form::Pairs(op) => self.vadd_pairs(op, l, d, x),
            Form::Float(op) => self.vfrr(op, l, d, x),
        }
    }

    fn bytes(&mut self, d: Vreg, byte: u8) {
        self.movi(true, 0b01110, byte, d);
    }

    fn sign_bits(&mut self, lane: u32, d: Vreg) {
        self.bytes(d, 0);
        self.vfrr(V_FNEG, Lanes::of(lane), d, d);
    }

    fn negate_lanes(&mut self, lane: u32, d: Vreg, x: Vreg) {
        self.vrr(V_NEG, Lanes::of(lane), d, x);
    }

    fn shift_lanes(&mut self, op: Opcode, lane: u32, d: Vreg, x: Vreg, n: u32) {
        let op = match op {
            Opcode::Shl => V_SHL,
            Opcode::Lshr => V_USHR,
            _ => V_SSHR,
        };
        self.vshift(op, Lanes::of(lane), d, x, n);
    }

    fn move_halves(&mut self, _: Vreg, _: [(Vreg, u32); 2]) -> bool {
        false
    }

    fn repeat_lane(&mut self, lane: u32, d: Vreg, (x, k): (Vreg, u32)) {
        self.dup_lane(Lanes::of(lane), d, x, k);
    }

    fn exchange_lanes(&mut self, how: Exchange, second: bool, lane: u32, d: Vreg, (x, y): (Vreg, Vreg)) {
        let op = [[V_ZIP1, V_ZIP2], [V_UZP1, V_UZP2], [V_TRN1, V_TRN2]][how as usize][usize::from(second)];
        self.vrrr(op, Lanes::of(lane), d, x, y);
    }

    fn bytes_of_two(&mut self, d: Vreg, x: Vreg, y: Vreg, from: u32) {
        self.ext(true, d, x, y, from);
    }

    fn table(&mut self, d: Vreg, x: Vreg, index: Vreg, adds: bool) {
        if adds {
            self.tbl(true, index, x, 1, index);
            self.vlogic(V_ORR, true, d, d, index);
        } else {
            self.tbl(true, d, x, 1, index);
        }
    }
}
