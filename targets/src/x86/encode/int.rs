//! Integer instructions.

use super::ops::*;
use super::{Asm, Op};
use crate::x86::reg::{Cond, Gpr, Mem, RAX, Ri, Rm, Size, Src};
use crate::x86::reloc;
use gusset_codegen::buffer::{RelocKind, RelocTarget};

/// Does an immediate fit a sign-extended byte?
#[inline]
fn fits_i8(imm: i32) -> bool {
    imm == i32::from(imm as i8)
}

/// Number of bytes of a full-size immediate; never eight.
#[inline]
fn imm_len(size: Size) -> u32 {
    size.bytes().min(4)
}

/// An immediate in the operand size: a zero-extended number is converted to its signed value.
#[inline]
fn signed(size: Size, imm: i32) -> i32 {
    match size {
        Size::B1 => i32::from(imm as i8),
        Size::B2 => i32::from(imm as i16),
        Size::B4 | Size::B8 => imm,
    }
}

/// Is an immediate of arithmetic encoded as a sign-extended byte although the operand is larger?
#[inline]
fn is_short(size: Size, imm: i32) -> bool {
    size != Size::B1 && fits_i8(signed(size, imm))
}

/// Opcode, opcode extension in ModRM, and the immediate with its length, for `add` with an immediate and the like.
#[inline]
fn alu_imm(op: AluOp, size: Size, imm: i32) -> (Op, u8, u32, u32) {
    let (form, len) =
        if is_short(size, imm) { (ALU_IMM8.sized(size), 1) } else { (ALU_IMM.paired(size), imm_len(size)) };
    (form, op as u8, signed(size, imm) as u32, len)
}

impl Asm<'_> {
    // ---- Moves ----

    /// `mov d, s`
    #[inline]
    pub fn mov(&mut self, size: Size, d: Gpr, s: impl Into<Rm<Gpr>>) {
        match s.into() {
            Rm::Reg(s) => self.reg_rm(MOV.paired(size).byte_reg(size, d).byte_reg(size, s), s.0, d.0),
            Rm::Mem(m) => self.reg_mem(MOV_LOAD.paired(size).byte_reg(size, d).relaxable(size), d.0, &m),
        }
    }

    /// `mov [d], s`; for eight bytes an immediate is sign-extended.
    #[inline]
    pub fn mov_m(&mut self, size: Size, d: Mem, s: impl Into<Ri>) {
        match s.into() {
            Ri::Reg(s) => self.reg_mem(MOV.paired(size).byte_reg(size, s), s.0, &d),
            Ri::Imm(n) => self.reg_mem_imm(MOV_IMM.paired(size), 0, &d, n as u32, imm_len(size)),
        }
    }

    /// `mov d, imm` in the shortest form with this value: for eight bytes five, seven or ten bytes of code. Flags are
    /// not changed.
    #[inline]
    pub fn mov_ri(&mut self, size: Size, d: Gpr, imm: i64) {
        match size {
            Size::B1 => {
                self.plus_reg_imm(MOV_REG_IMM8.byte_reg(size, d), d, imm as u32, 1);
            }
            Size::B8 if imm != i64::from(imm as u32) => {
                if imm == i64::from(imm as i32) {
                    self.reg_rm_imm(MOV_IMM.paired(size), 0, d.0, imm as u32, 4);
                } else {
                    self.plus_reg(MOV_REG_IMM64, d);
                    self.buf.put_word(imm as u64, 8);
                }
            }
            Size::B2 => {
                self.plus_reg_imm(MOV_REG_IMM.sized(size), d, imm as u32, 2);
            }
            Size::B4 | Size::B8 => {
                self.plus_reg_imm(MOV_REG_IMM, d, imm as u32, 4);
            }
        }
    }

    /// `mov d, target + addend`; the address is an immediate of 4 bytes, zero-extended (`ABS32`), or of 8 bytes
    /// (`ABS64`).
    pub fn mov_ri_reloc(&mut self, d: Gpr, kind: RelocKind, target: RelocTarget, addend: i64) {
        let (op, bytes) = if kind == reloc::ABS64 { (MOV_REG_IMM64, 8) } else { (MOV_REG_IMM, 4) };
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
            Size::B1 => self.rm(MOVZX8.byte_rm(from, s), d.0, s),
            Size::B2 => self.rm(MOVZX16, d.0, s),
            Size::B4 | Size::B8 => self.mov(from, d, s),
        }
    }

    /// `movsx d, s` or `movsxd d, s`: sign-extends from `from` to `to`, which is larger than a byte.
    #[inline]
    pub fn movsx(&mut self, to: Size, from: Size, d: Gpr, s: impl Into<Rm<Gpr>>) {
        let s = s.into();
        match from {
            Size::B1 => self.rm(MOVSX8.sized(to).byte_rm(from, s), d.0, s),
            Size::B2 if to > from => self.rm(MOVSX16.sized(to), d.0, s),
            Size::B4 if to > from => self.rm(MOVSX32, d.0, s),
            _ => self.mov(to, d, s),
        }
    }

    /// Extends a byte of a register that may have no byte form in 32-bit mode; in that case flags are changed.
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
        self.reg_mem(LEA.sized(size), d.0, &s);
    }

    /// `xchg a, b`
    pub fn xchg_rr(&mut self, size: Size, a: Gpr, b: Gpr) {
        match (a, b) {
            // The short form of `xchg eax, eax` is `nop`, which does not clear the upper half.
            (RAX, RAX) if size == Size::B4 && !self.mode.is_32() => self.reg_rm(XCHG.paired(size), 0, 0),
            (RAX, RAX) if size == Size::B8 => self.op(NOP),
            (RAX, other) | (other, RAX) if size != Size::B1 => self.plus_reg(XCHG_ACCUMULATOR.sized(size), other),
            _ => self.reg_rm(XCHG.paired(size).byte_reg(size, a).byte_reg(size, b), b.0, a.0),
        }
    }

    /// `xchg [m], r`: atomic without a prefix.
    pub fn xchg_mr(&mut self, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(XCHG.paired(size).byte_reg(size, r), r.0, &m);
    }

    // ---- Arithmetic ----

    /// `add d, s` and the like; for eight bytes an immediate is sign-extended.
    #[inline]
    pub fn alu(&mut self, op: AluOp, size: Size, d: Gpr, s: impl Into<Src>) {
        let code = (op as u8) << 3;
        match s.into() {
            Src::Reg(s) => self.reg_rm(ALU.plus(code).paired(size).byte_reg(size, d).byte_reg(size, s), s.0, d.0),
            Src::Mem(m) => self.reg_mem(ALU_LOAD.plus(code).paired(size).byte_reg(size, d).relaxable(size), d.0, &m),
            Src::Imm(n) if d == RAX && !is_short(size, n) => {
                // The accumulator's own opcode has no ModRM.
                self.plus_reg_imm(ALU_ACCUMULATOR.plus(code).paired(size), RAX, signed(size, n) as u32, imm_len(size));
            }
            Src::Imm(n) => {
                let (op, reg, imm, len) = alu_imm(op, size, n);
                self.reg_rm_imm(op.byte_reg(size, d), reg, d.0, imm, len);
            }
        }
    }

    /// `add [d], s` and the like; for eight bytes an immediate is sign-extended.
    #[inline]
    pub fn alu_m(&mut self, op: AluOp, size: Size, d: Mem, s: impl Into<Ri>) {
        self.alu_to(|op| op, op, size, d, s.into());
    }

    #[inline]
    fn alu_to(&mut self, with: impl Fn(Op) -> Op, op: AluOp, size: Size, d: Mem, s: Ri) {
        match s {
            Ri::Reg(s) => self.reg_mem(with(ALU.plus((op as u8) << 3).paired(size).byte_reg(size, s)), s.0, &d),
            Ri::Imm(n) => {
                let (op, reg, imm, len) = alu_imm(op, size, n);
                self.reg_mem_imm(with(op), reg, &d, imm, len);
            }
        }
    }

    /// `add d, target + addend` and the like; the address is a four-byte immediate.
    pub fn alu_ri_reloc(&mut self, op: AluOp, size: Size, d: Gpr, kind: RelocKind, target: RelocTarget, addend: i64) {
        self.reg_rm(ALU_IMM.paired(size), op as u8, d.0);
        self.field32(kind, target, addend);
    }

    /// `test a, b`
    #[inline]
    pub fn test_rr(&mut self, size: Size, a: Gpr, b: Gpr) {
        self.reg_rm(TEST.paired(size).byte_reg(size, a).byte_reg(size, b), b.0, a.0);
    }

    /// `test r, imm`; for eight bytes the immediate is sign-extended.
    pub fn test_ri(&mut self, size: Size, r: Gpr, imm: i32) {
        let (imm, len) = (imm as u32, imm_len(size));
        if r == RAX {
            self.plus_reg_imm(TEST_ACCUMULATOR.paired(size), RAX, imm, len);
        } else {
            self.reg_rm_imm(TEST_IMM.paired(size).byte_reg(size, r), 0, r.0, imm, len);
        }
    }

    /// `test [m], imm`; for eight bytes the immediate is sign-extended.
    pub fn test_mi(&mut self, size: Size, m: Mem, imm: i32) {
        self.reg_mem_imm(TEST_IMM.paired(size), 0, &m, imm as u32, imm_len(size));
    }

    /// `neg r` and the like, also on memory.
    pub fn unary(&mut self, op: UnaryOp, size: Size, r: impl Into<Rm<Gpr>>) {
        let r = r.into();
        self.rm(op.0.paired(size).byte_rm(size, r), op.1, r);
    }

    /// `imul d, s`, two to eight bytes.
    #[inline]
    pub fn imul(&mut self, size: Size, d: Gpr, s: impl Into<Src>) {
        match s.into() {
            Src::Reg(s) => self.reg_rm(IMUL_TO.sized(size), d.0, s.0),
            Src::Mem(m) => self.reg_mem(IMUL_TO.sized(size), d.0, &m),
            Src::Imm(n) => self.imul_imm(size, d, d, n),
        }
    }

    /// `imul d, s, imm`
    pub fn imul_imm(&mut self, size: Size, d: Gpr, s: impl Into<Rm<Gpr>>, imm: i32) {
        let imm = signed(size, imm);
        let (op, len) = if fits_i8(imm) { (IMUL_IMM8, 1) } else { (IMUL_IMM, imm_len(size)) };
        self.rm_imm(op.sized(size), d.0, s.into(), imm as u32, len);
    }

    /// Spreads the sign of the accumulator over `(r)dx`: `cwd`, `cdq` or `cqo`. For one byte, `cbw` extends `al` to
    /// `ax`.
    pub fn sign_to_dx(&mut self, size: Size) {
        self.op(match size {
            Size::B1 => CBW,
            Size::B2 => CWD,
            Size::B4 => CDQ,
            Size::B8 => CQO,
        });
    }

    /// `iretd` or `iretq`, whichever the mode's interrupts need.
    pub fn iret(&mut self) {
        self.op(if self.mode.is_32() { IRETD } else { IRETQ });
    }

    // ---- Shifts and bits ----

    /// `shl r, imm` and the like.
    #[inline]
    pub fn shift_ri(&mut self, op: ShiftOp, size: Size, r: Gpr, count: u8) {
        if count == 1 {
            self.reg_rm(SHIFT_ONE.paired(size).byte_reg(size, r), op as u8, r.0);
        } else {
            self.reg_rm_imm(SHIFT_IMM.paired(size).byte_reg(size, r), op as u8, r.0, u32::from(count), 1);
        }
    }

    /// `shl r, cl` and the like.
    #[inline]
    pub fn shift_rc(&mut self, op: ShiftOp, size: Size, r: Gpr) {
        self.reg_rm(SHIFT_COUNT.paired(size).byte_reg(size, r), op as u8, r.0);
    }

    /// `shld d, s, count` if `left`: `d` is shifted left, and the upper bits of `s` come in; else `shrd`: `d` is
    /// shifted right, and the lower bits of `s` come in. Without a count it is in `cl`. Two to eight bytes.
    pub fn double_shift(&mut self, left: bool, size: Size, d: Gpr, s: Gpr, count: Option<u8>) {
        let (by_imm, by_count) = if left { (SHLD_IMM, SHLD_COUNT) } else { (SHRD_IMM, SHRD_COUNT) };
        match count {
            Some(n) => self.reg_rm_imm(by_imm.sized(size), s.0, d.0, u32::from(n), 1),
            None => self.reg_rm(by_count.sized(size), s.0, d.0),
        }
    }

    /// `bt r, imm`: copies a bit to the carry flag. Two to eight bytes.
    pub fn bt_ri(&mut self, size: Size, r: Gpr, bit: u8) {
        self.reg_rm_imm(BT_IMM.sized(size), 4, r.0, u32::from(bit), 1);
    }

    /// `bt r, n`: the same for a variable number, modulo the width.
    pub fn bt_rr(&mut self, size: Size, r: Gpr, n: Gpr) {
        self.reg_rm(BT.sized(size), n.0, r.0);
    }

    /// `popcnt d, s` and the like, two to eight bytes.
    pub fn gpr_op(&mut self, op: GprOp, size: Size, d: Gpr, s: impl Into<Rm<Gpr>>) {
        self.rm(op.0.sized_first(size), d.0, s.into());
    }

    /// `crc32 d, s`: adds `size` bytes of `s` to the CRC-32C in `d`.
    pub fn crc32_rr(&mut self, size: Size, d: Gpr, s: Gpr) {
        let op = CRC32.plus((size != Size::B1) as u8).byte_reg(size, s);
        self.reg_rm(op.sized_first(size), d.0, s.0);
    }

    /// `bswap r`, four or eight bytes.
    pub fn bswap(&mut self, size: Size, r: Gpr) {
        self.plus_reg(BSWAP.sized(size), r);
    }

    /// `setcc r`: one byte, also in memory.
    #[inline]
    pub fn setcc(&mut self, cond: Cond, r: impl Into<Rm<Gpr>>) {
        let r = r.into();
        self.rm(SETCC.plus(cond as u8).byte_rm(Size::B1, r), 0, r);
    }

    /// `cmovcc d, s`, two to eight bytes; a load happens whatever the condition.
    #[inline]
    pub fn cmov(&mut self, cond: Cond, size: Size, d: Gpr, s: impl Into<Rm<Gpr>>) {
        if !self.mode.has_cmov() {
            return self.skipped_mov(cond, size, d, s.into());
        }
        self.rm(CMOV.plus(cond as u8).sized(size), d.0, s.into());
    }

    /// The same by a jump.
    #[cold]
    fn skipped_mov(&mut self, cond: Cond, size: Size, d: Gpr, s: Rm<Gpr>) {
        let skip = self.buf.new_label();
        self.jcc(cond.negate(), skip);
        self.mov(size, d, s);
        self.buf.bind(skip);
    }

    // ---- Atomics ----

    /// `lock cmpxchg [m], r`: if the accumulator equals `[m]`, stores `r`; else loads it.
    pub fn lock_cmpxchg_mr(&mut self, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(CMPXCHG.paired(size).byte_reg(size, r).locked(), r.0, &m);
    }

    /// Compares the two words in the accumulator and the data register with `[m]`, and if they are equal stores
    /// `(r)cx:(r)bx` there: `lock cmpxchg16b`, whose `m` is aligned to 16 bytes, or `lock cmpxchg8b`, depending on the
    /// mode.
    pub fn lock_cmpxchg_pair(&mut self, m: Mem) {
        self.reg_mem(CMPXCHG8B.sized(self.word_size()).locked(), 1, &m);
    }

    /// `lock xadd [m], r`: adds, and returns the old value in `r`.
    pub fn lock_xadd_mr(&mut self, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(XADD.paired(size).byte_reg(size, r).locked(), r.0, &m);
    }

    /// `lock add [d], s` and the like, without `cmp`; for eight bytes an immediate is sign-extended.
    pub fn lock_alu_m(&mut self, op: AluOp, size: Size, d: Mem, s: impl Into<Ri>) {
        self.alu_to(Op::locked, op, size, d, s.into());
    }

    // ---- Stack ----

    /// `push r64`
    #[inline]
    pub fn push_r(&mut self, r: Gpr) {
        self.plus_reg(PUSH, r);
    }

    /// `pop r64`
    #[inline]
    pub fn pop_r(&mut self, r: Gpr) {
        self.plus_reg(POP, r);
    }

    /// `push imm`, sign-extended to a word.
    pub fn push_ri(&mut self, imm: i32) {
        let short = i8::try_from(imm).is_ok();
        self.op(if short { PUSH_IMM8 } else { PUSH_IMM });
        self.buf.put_word(imm as u32 as u64, if short { 1 } else { 4 });
    }

    /// `push target`, an address of 4 bytes.
    pub fn push_reloc(&mut self, kind: RelocKind, target: RelocTarget) {
        self.op(PUSH_IMM);
        self.field32(kind, target, 0);
    }

    /// `push [m]`, of a word.
    pub fn push_m(&mut self, m: Mem) {
        self.reg_mem(PUSH_MEMORY, 6, &m);
    }

    /// `pop [m]`, of a word.
    pub fn pop_m(&mut self, m: Mem) {
        self.reg_mem(POP_MEMORY, 0, &m);
    }

    // ---- Others ----

    /// An instruction without operands.
    #[inline]
    pub fn plain(&mut self, op: PlainOp) {
        self.op(op.0);
    }

    /// `int n`.
    pub fn int(&mut self, n: u8) {
        self.op(INT);
        self.byte(n);
    }

    /// `ldmxcsr [m]` and its like.
    pub fn memory(&mut self, op: MemOp, m: Mem) {
        self.reg_mem(op.0, op.1, &m);
    }

    /// `rdrand r` and the like, two to eight bytes as far as the instruction supports them.
    pub fn register(&mut self, op: RegOp, size: Size, r: Gpr) {
        self.reg_rm(op.0.sized_first(size), op.1, r.0);
    }

    /// `movdiri [m], r` and its like, four or eight bytes.
    pub fn gpr_store(&mut self, op: GprStoreOp, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(op.0.sized_first(size), r.0, &m);
    }

    /// `movdir64b r, [m]` and its like.
    pub fn gpr_memory(&mut self, op: GprMemoryOp, r: Gpr, m: Mem) {
        self.reg_mem(op.0, r.0, &m);
    }

    /// `xbegin` of the next instruction.
    pub fn xbegin(&mut self) {
        self.op(XBEGIN);
        self.buf.put_word(0, 4);
    }

    /// `xabort n`.
    pub fn xabort(&mut self, n: u8) {
        self.op(XABORT);
        self.byte(n);
    }

    /// `prefetcht0 [m]` and its like.
    pub fn prefetch(&mut self, hint: PrefetchHint, m: Mem) {
        self.reg_mem(PREFETCH, hint as u8, &m);
    }

    /// `len` bytes of instructions without effect, as few as possible.
    pub fn nop(&mut self, len: u32) {
        // Intel SDM volume 2, NOP, "Recommended Multi-Byte Sequence of NOP Instruction", with displacements that are
        // not zero, as in LLVM: an assembler would leave out zero displacements.
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
