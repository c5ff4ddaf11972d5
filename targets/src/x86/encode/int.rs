//! Integer instructions.

use super::ops::{AluOp, GprOp, MemOp, PlainOp, PrefetchHint, RegOp, ShiftOp, UnaryOp};
use super::{Asm, Op};
use crate::x86::reg::{Cond, Gpr, Mem, RAX, Ri, Rm, Size, Src};
use crate::x86::reloc;
use gusset_codegen::buffer::{RelocKind, RelocTarget};

/// Whether an immediate fits a sign-extended byte.
#[inline]
fn fits_i8(imm: i32) -> bool {
    imm == i32::from(imm as i8)
}

/// Bytes of an immediate of full size: there are none of eight.
#[inline]
fn imm_len(size: Size) -> u32 {
    size.bytes().min(4)
}

/// An immediate as the operand size sees it: what was given zero-extended counts as its signed value.
#[inline]
fn signed(size: Size, imm: i32) -> i32 {
    match size {
        Size::B1 => i32::from(imm as i8),
        Size::B2 => i32::from(imm as i16),
        Size::B4 | Size::B8 => imm,
    }
}

/// Whether an immediate of arithmetic is written as a sign-extended byte where the operand is larger.
#[inline]
fn is_short(size: Size, imm: i32) -> bool {
    size != Size::B1 && fits_i8(signed(size, imm))
}

/// Opcode, its extension in ModRM, and the immediate with its length, of `add` with an immediate and its like.
#[inline]
fn alu_imm(op: AluOp, size: Size, imm: i32) -> (Op, u8, u32, u32) {
    let (code, len) = if is_short(size, imm) { (0x83, 1) } else { (0x80, imm_len(size)) };
    (Op::int(code, size), op as u8, signed(size, imm) as u32, len)
}

impl Asm<'_> {
    // ---- Moves ----

    /// `mov d, s`
    #[inline]
    pub fn mov(&mut self, size: Size, d: Gpr, s: impl Into<Rm<Gpr>>) {
        match s.into() {
            Rm::Reg(s) => self.reg_rm(Op::int(0x88, size).byte_reg(size, d).byte_reg(size, s), s.0, d.0),
            Rm::Mem(m) => self.reg_mem(Op::int(0x8a, size).byte_reg(size, d).relaxable(size), d.0, &m),
        }
    }

    /// `mov [d], s`; for eight bytes an immediate is sign-extended.
    #[inline]
    pub fn mov_m(&mut self, size: Size, d: Mem, s: impl Into<Ri>) {
        match s.into() {
            Ri::Reg(s) => self.reg_mem(Op::int(0x88, size).byte_reg(size, s), s.0, &d),
            Ri::Imm(n) => self.reg_mem_imm(Op::int(0xc6, size), 0, &d, n as u32, imm_len(size)),
        }
    }

    /// `mov d, imm` in the shortest form that leaves this value in the operand: for eight bytes five, seven or ten bytes
    /// of code. Flags are not touched.
    #[inline]
    pub fn mov_ri(&mut self, size: Size, d: Gpr, imm: i64) {
        match size {
            Size::B1 => {
                self.plus_reg_imm(Op::one(0xb0).byte_reg(size, d), d, imm as u32, 1);
            }
            Size::B8 if imm != i64::from(imm as u32) => {
                if imm == i64::from(imm as i32) {
                    self.reg_rm_imm(Op::one(0xc7).wide(), 0, d.0, imm as u32, 4);
                } else {
                    self.plus_reg(Op::one(0xb8).wide(), d);
                    self.buf.put_word(imm as u64, 8);
                }
            }
            Size::B2 => {
                self.plus_reg_imm(Op::one(0xb8).sized(size), d, imm as u32, 2);
            }
            Size::B4 | Size::B8 => {
                self.plus_reg_imm(Op::one(0xb8), d, imm as u32, 4);
            }
        }
    }

    /// `mov d, target + addend`, where the address is an immediate of 4 bytes zero-extended (`ABS32`), or 8 bytes (`ABS64`).
    pub fn mov_ri_reloc(&mut self, d: Gpr, kind: RelocKind, target: RelocTarget, addend: i64) {
        let (op, bytes) = if kind == reloc::ABS64 { (Op::one(0xb8).wide(), 8) } else { (Op::one(0xb8), 4) };
        self.plus_reg(op, d);
        let offset = self.buf.offset();
        self.buf.reloc(offset, kind, target, addend);
        self.buf.put_word(0, bytes);
    }

    /// `movzx d, s`: zero-extends to eight bytes, from one, two or four (a plain `mov`).
    #[inline]
    pub fn movzx(&mut self, from: Size, d: Gpr, s: impl Into<Rm<Gpr>>) {
        let s = s.into();
        match from {
            Size::B1 => self.rm(Op::two(0, 0xb6).byte_rm(from, s), d.0, s),
            Size::B2 => self.rm(Op::two(0, 0xb7), d.0, s),
            Size::B4 | Size::B8 => self.mov(from, d, s),
        }
    }

    /// `movsx d, s` or `movsxd d, s`: sign-extends from `from` to `to`, which is larger than a byte.
    #[inline]
    pub fn movsx(&mut self, to: Size, from: Size, d: Gpr, s: impl Into<Rm<Gpr>>) {
        let s = s.into();
        match from {
            Size::B1 => self.rm(Op::two(0, 0xbe).sized(to).byte_rm(from, s), d.0, s),
            Size::B2 if to > from => self.rm(Op::two(0, 0xbf).sized(to), d.0, s),
            Size::B4 if to > from => self.rm(Op::one(0x63).wide(), d.0, s),
            _ => self.mov(to, d, s),
        }
    }

    /// Extends a byte, of a register that may have none of its own in 32-bit mode; flags are lost then.
    pub fn extend_byte(&mut self, to: Size, d: Gpr, s: Gpr, signed: bool) {
        if !self.mode.is_32() || s.0 < 4 {
            if signed {
                self.movsx(to, Size::B1, d, s)
            } else {
                self.movzx(Size::B1, d, s)
            }
            return;
        }
        if d != s {
            self.mov(Size::B4, d, s);
        }
        if signed {
            self.shift_ri(ShiftOp::Shl, Size::B4, d, 24);
            self.shift_ri(ShiftOp::Sar, Size::B4, d, 24);
        } else {
            self.alu(AluOp::And, Size::B4, d, 0xff);
        }
    }

    /// `lea d, [s]`, four or eight bytes.
    #[inline]
    pub fn lea(&mut self, size: Size, d: Gpr, s: Mem) {
        self.reg_mem(Op::one(0x8d).sized(size), d.0, &s);
    }

    /// `xchg a, b`
    pub fn xchg_rr(&mut self, size: Size, a: Gpr, b: Gpr) {
        match (a, b) {
            // The short form of `xchg eax, eax` is `nop`, which does not clear the upper half.
            (RAX, RAX) if size == Size::B4 && !self.mode.is_32() => self.reg_rm(Op::one(0x87), 0, 0),
            (RAX, RAX) if size == Size::B8 => self.byte(0x90),
            (RAX, other) | (other, RAX) if size != Size::B1 => self.plus_reg(Op::one(0x90).sized(size), other),
            _ => self.reg_rm(Op::int(0x86, size).byte_reg(size, a).byte_reg(size, b), b.0, a.0),
        }
    }

    /// `xchg [m], r`: atomic without a prefix.
    pub fn xchg_mr(&mut self, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(Op::int(0x86, size).byte_reg(size, r), r.0, &m);
    }

    // ---- Arithmetic ----

    /// `add d, s` and its like; for eight bytes an immediate is sign-extended.
    #[inline]
    pub fn alu(&mut self, op: AluOp, size: Size, d: Gpr, s: impl Into<Src>) {
        let code = (op as u8) << 3;
        match s.into() {
            Src::Reg(s) => self.reg_rm(Op::int(code, size).byte_reg(size, d).byte_reg(size, s), s.0, d.0),
            Src::Mem(m) => self.reg_mem(Op::int(code | 2, size).byte_reg(size, d).relaxable(size), d.0, &m),
            Src::Imm(n) if d == RAX && !is_short(size, n) => {
                // The accumulator's own opcode has no ModRM.
                self.plus_reg_imm(Op::int(code | 4, size), RAX, signed(size, n) as u32, imm_len(size));
            }
            Src::Imm(n) => {
                let (op, reg, imm, len) = alu_imm(op, size, n);
                self.reg_rm_imm(op.byte_reg(size, d), reg, d.0, imm, len);
            }
        }
    }

    /// `add [d], s` and its like; for eight bytes an immediate is sign-extended.
    #[inline]
    pub fn alu_m(&mut self, op: AluOp, size: Size, d: Mem, s: impl Into<Ri>) {
        self.alu_to(|op| op, op, size, d, s.into());
    }

    #[inline]
    fn alu_to(&mut self, with: impl Fn(Op) -> Op, op: AluOp, size: Size, d: Mem, s: Ri) {
        match s {
            Ri::Reg(s) => self.reg_mem(with(Op::int((op as u8) << 3, size).byte_reg(size, s)), s.0, &d),
            Ri::Imm(n) => {
                let (op, reg, imm, len) = alu_imm(op, size, n);
                self.reg_mem_imm(with(op), reg, &d, imm, len);
            }
        }
    }

    /// `add d, target + addend` and its like, the address a four-byte immediate.
    pub fn alu_ri_reloc(&mut self, op: AluOp, size: Size, d: Gpr, kind: RelocKind, target: RelocTarget, addend: i64) {
        self.reg_rm(Op::int(0x80, size), op as u8, d.0);
        self.field32(kind, target, addend);
    }

    /// `test a, b`
    #[inline]
    pub fn test_rr(&mut self, size: Size, a: Gpr, b: Gpr) {
        self.reg_rm(Op::int(0x84, size).byte_reg(size, a).byte_reg(size, b), b.0, a.0);
    }

    /// `test r, imm`; for eight bytes the immediate is sign-extended.
    pub fn test_ri(&mut self, size: Size, r: Gpr, imm: i32) {
        let (imm, len) = (imm as u32, imm_len(size));
        if r == RAX {
            self.plus_reg_imm(Op::int(0xa8, size), RAX, imm, len);
        } else {
            self.reg_rm_imm(Op::int(0xf6, size).byte_reg(size, r), 0, r.0, imm, len);
        }
    }

    /// `test [m], imm`; for eight bytes the immediate is sign-extended.
    pub fn test_mi(&mut self, size: Size, m: Mem, imm: i32) {
        self.reg_mem_imm(Op::int(0xf6, size), 0, &m, imm as u32, imm_len(size));
    }

    /// `neg r` and its like, also of memory.
    pub fn unary(&mut self, op: UnaryOp, size: Size, r: impl Into<Rm<Gpr>>) {
        let r = r.into();
        self.rm(Op::int(0xf6, size).byte_rm(size, r), op as u8, r);
    }

    /// `imul d, s`, two to eight bytes.
    #[inline]
    pub fn imul(&mut self, size: Size, d: Gpr, s: impl Into<Src>) {
        match s.into() {
            Src::Reg(s) => self.reg_rm(Op::two(0, 0xaf).sized(size), d.0, s.0),
            Src::Mem(m) => self.reg_mem(Op::two(0, 0xaf).sized(size), d.0, &m),
            Src::Imm(n) => self.imul_imm(size, d, d, n),
        }
    }

    /// `imul d, s, imm`
    pub fn imul_imm(&mut self, size: Size, d: Gpr, s: impl Into<Rm<Gpr>>, imm: i32) {
        let imm = signed(size, imm);
        let (code, len) = if fits_i8(imm) { (0x6b, 1) } else { (0x69, imm_len(size)) };
        self.rm_imm(Op::one(code).sized(size), d.0, s.into(), imm as u32, len);
    }

    /// Spreads the sign of the accumulator over `(r)dx`: `cwd`, `cdq` or `cqo`. For one byte `ax` takes `al`: `cbw`.
    pub fn sign_to_dx(&mut self, size: Size) {
        match size {
            Size::B1 => self.buf.put_word(0x98_66, 2),
            Size::B2 => self.buf.put_word(0x99_66, 2),
            Size::B4 => self.byte(0x99),
            Size::B8 => self.buf.put_word(0x99_48, 2),
        }
    }

    // ---- Shifts and bits ----

    /// `shl r, imm` and its like.
    #[inline]
    pub fn shift_ri(&mut self, op: ShiftOp, size: Size, r: Gpr, count: u8) {
        if count == 1 {
            self.reg_rm(Op::int(0xd0, size).byte_reg(size, r), op as u8, r.0);
        } else {
            self.reg_rm_imm(Op::int(0xc0, size).byte_reg(size, r), op as u8, r.0, u32::from(count), 1);
        }
    }

    /// `shl r, cl` and its like.
    #[inline]
    pub fn shift_rc(&mut self, op: ShiftOp, size: Size, r: Gpr) {
        self.reg_rm(Op::int(0xd2, size).byte_reg(size, r), op as u8, r.0);
    }

    /// `shld d, s, count` if `left`: `d` moves left, and the upper bits of `s` come in; else `shrd`, by which it moves right and
    /// the lower bits of `s` come in. Without a count it is in `cl`. Two to eight bytes.
    pub fn double_shift(&mut self, left: bool, size: Size, d: Gpr, s: Gpr, count: Option<u8>) {
        let op = |opcode| Op::two(0, if left { opcode } else { opcode + 8 }).sized(size);
        match count {
            Some(n) => self.reg_rm_imm(op(0xa4), s.0, d.0, u32::from(n), 1),
            None => self.reg_rm(op(0xa5), s.0, d.0),
        }
    }

    /// `bt r, imm`: the carry flag is a bit. Two to eight bytes.
    pub fn bt_ri(&mut self, size: Size, r: Gpr, bit: u8) {
        self.reg_rm_imm(Op::two(0, 0xba).sized(size), 4, r.0, u32::from(bit), 1);
    }

    /// `bt r, n`: the same of a variable number, modulo the width.
    pub fn bt_rr(&mut self, size: Size, r: Gpr, n: Gpr) {
        self.reg_rm(Op::two(0, 0xa3).sized(size), n.0, r.0);
    }

    /// `btc r, imm`: flips a bit. Two to eight bytes.
    pub fn btc_ri(&mut self, size: Size, r: Gpr, bit: u8) {
        self.reg_rm_imm(Op::two(0, 0xba).sized(size), 7, r.0, u32::from(bit), 1);
    }

    /// `popcnt d, s` and its like, two to eight bytes.
    pub fn gpr_op(&mut self, op: GprOp, size: Size, d: Gpr, s: impl Into<Rm<Gpr>>) {
        self.rm(op.0.sized_first(size), d.0, s.into());
    }

    /// `crc32 d, s`: takes `size` bytes of `s` into the CRC-32C in `d`.
    pub fn crc32_rr(&mut self, size: Size, d: Gpr, s: Gpr) {
        let op = Op::three(0xf2, 0x38, 0xf0 | (size != Size::B1) as u8).byte_reg(size, s);
        self.reg_rm(op.sized_first(size), d.0, s.0);
    }

    /// `bswap r`, four or eight bytes.
    pub fn bswap(&mut self, size: Size, r: Gpr) {
        self.plus_reg(Op::two(0, 0xc8).sized(size), r);
    }

    /// `setcc r`: one byte, also of memory.
    #[inline]
    pub fn setcc(&mut self, cond: Cond, r: impl Into<Rm<Gpr>>) {
        let r = r.into();
        self.rm(Op::two(0, 0x90 | cond as u8).byte_rm(Size::B1, r), 0, r);
    }

    /// `cmovcc d, s`, two to eight bytes; a load happens whatever the condition.
    #[inline]
    pub fn cmov(&mut self, cond: Cond, size: Size, d: Gpr, s: impl Into<Rm<Gpr>>) {
        self.rm(Op::two(0, 0x40 | cond as u8).sized(size), d.0, s.into());
    }

    // ---- Atomics ----

    /// `lock cmpxchg [m], r`: if the accumulator equals `[m]`, stores `r`; else loads it.
    pub fn lock_cmpxchg_mr(&mut self, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(Op::int2(0xb0, size).byte_reg(size, r).locked(), r.0, &m);
    }

    /// Compares two words in the accumulator and the data register with `[m]`, and stores `(r)cx:(r)bx` there:
    /// `lock cmpxchg16b`, whose `m` is aligned to 16 bytes, or `lock cmpxchg8b`, as the mode of this code has it.
    pub fn lock_cmpxchg_pair(&mut self, m: Mem) {
        self.reg_mem(Op::two(0, 0xc7).sized(self.word_size()).locked(), 1, &m);
    }

    /// `lock xadd [m], r`: adds, and gives back the old value in `r`.
    pub fn lock_xadd_mr(&mut self, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(Op::int2(0xc0, size).byte_reg(size, r).locked(), r.0, &m);
    }

    /// `lock add [d], s` and its like, without `cmp`; for eight bytes an immediate is sign-extended.
    pub fn lock_alu_m(&mut self, op: AluOp, size: Size, d: Mem, s: impl Into<Ri>) {
        self.alu_to(Op::locked, op, size, d, s.into());
    }

    // ---- Stack ----

    /// `push r64`
    #[inline]
    pub fn push_r(&mut self, r: Gpr) {
        self.plus_reg(Op::one(0x50), r);
    }

    /// `pop r64`
    #[inline]
    pub fn pop_r(&mut self, r: Gpr) {
        self.plus_reg(Op::one(0x58), r);
    }

    /// `push imm`, sign-extended to a word.
    pub fn push_ri(&mut self, imm: i32) {
        let short = i8::try_from(imm).is_ok();
        self.buf.put_word(if short { 0x6a } else { 0x68 }, 1);
        self.buf.put_word(imm as u32 as u64, if short { 1 } else { 4 });
    }

    /// `push target`, an address of 4 bytes.
    pub fn push_reloc(&mut self, kind: RelocKind, target: RelocTarget) {
        self.buf.put_word(0x68, 1);
        self.field32(kind, target, 0);
    }

    /// `push [m]`, of a word.
    pub fn push_m(&mut self, m: Mem) {
        self.reg_mem(Op::one(0xff), 6, &m);
    }

    /// `pop [m]`, of a word.
    pub fn pop_m(&mut self, m: Mem) {
        self.reg_mem(Op::one(0x8f), 0, &m);
    }

    // ---- Others ----

    /// An instruction without operands.
    #[inline]
    pub fn plain(&mut self, op: PlainOp) {
        self.buf.put_word(u64::from(op.code), u32::from(op.len));
    }

    /// `int n`.
    pub fn int(&mut self, n: u8) {
        self.buf.put_word(0xcd | u64::from(n) << 8, 2);
    }

    /// `ldmxcsr [m]` and its like.
    pub fn memory(&mut self, op: MemOp, m: Mem) {
        self.reg_mem(op.0, op.1, &m);
    }

    /// `rdrand r` and its like, two to eight bytes as far as the instruction has them.
    pub fn register(&mut self, op: RegOp, size: Size, r: Gpr) {
        self.reg_rm(op.0.sized_first(size), op.1, r.0);
    }

    /// `prefetcht0 [m]` and its like.
    pub fn prefetch(&mut self, hint: PrefetchHint, m: Mem) {
        self.reg_mem(Op::two(0, 0x18), hint as u8, &m);
    }

    /// `len` bytes of instructions that do nothing, as few as possible.
    pub fn nop(&mut self, len: u32) {
        // Intel SDM volume 2, NOP, "Recommended Multi-Byte Sequence of NOP Instruction", with displacements that are not zero, as
        // LLVM has them: an assembler leaves out those that are.
        const NOPS: [[u8; 9]; 9] = [
            [0x90, 0, 0, 0, 0, 0, 0, 0, 0],
            [0x66, 0x90, 0, 0, 0, 0, 0, 0, 0],
            [0x0f, 0x1f, 0x00, 0, 0, 0, 0, 0, 0],
            [0x0f, 0x1f, 0x40, 8, 0, 0, 0, 0, 0],
            [0x0f, 0x1f, 0x44, 0, 8, 0, 0, 0, 0],
            [0x66, 0x0f, 0x1f, 0x44, 0, 8, 0, 0, 0],
            [0x0f, 0x1f, 0x80, 0, 2, 0, 0, 0, 0],
            [0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0, 0],
            [0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0],
        ];
        let mut left = len as usize;
        while left > 0 {
            let len = left.min(9);
            self.buf.room()[..9].copy_from_slice(&NOPS[len - 1]);
            self.buf.advance(len);
            left -= len;
        }
    }
}
