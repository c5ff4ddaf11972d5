//! Integer instructions.

use super::ops::{AluOp, BitOp, GprOp, MemOp, PlainOp, PrefetchHint, RegOp, ShiftOp, StringOp, UnaryOp};
use super::{Asm, Op};
use crate::x86::reg::{Cond, Gpr, Mem, RAX, Size};
use crate::x86::reloc;
use gusset_codegen::buffer::{Field, RelocKind, RelocTarget};

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

impl Asm<'_> {
    // ---- Moves ----

    /// `mov d, s`
    #[inline]
    pub fn mov_rr(&mut self, size: Size, d: Gpr, s: Gpr) {
        self.reg_rm(Op::int(0x88, size).byte_reg(size, d).byte_reg(size, s), s.0, d.0);
    }

    /// `mov d, [s]`
    #[inline]
    pub fn mov_rm(&mut self, size: Size, d: Gpr, s: Mem) {
        self.reg_mem(Op::int(0x8a, size).byte_reg(size, d).relaxable(size), d.0, &s);
    }

    /// `mov [d], s`
    #[inline]
    pub fn mov_mr(&mut self, size: Size, d: Mem, s: Gpr) {
        self.reg_mem(Op::int(0x88, size).byte_reg(size, s), s.0, &d);
    }

    /// `mov [d], imm`; for eight bytes the immediate is sign-extended.
    #[inline]
    pub fn mov_mi(&mut self, size: Size, d: Mem, imm: i32) {
        self.reg_mem_imm(Op::int(0xc6, size), 0, &d, imm as u32, imm_len(size));
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

    /// `mov d, target + addend`, where the address is an immediate: 4 bytes zero-extended (`ABS32`), 4 bytes sign-extended
    /// (`ABS32S`, `TPOFF32`, `DTPOFF32`) or 8 bytes (`ABS64`, `TPOFF64`, `DTPOFF64`).
    pub fn mov_ri_reloc(&mut self, d: Gpr, kind: RelocKind, target: RelocTarget, addend: i64) {
        match kind.field {
            Field::WORD8 => {
                self.plus_reg(Op::one(0xb8).wide(), d);
                let offset = self.buf.offset();
                self.buf.reloc(offset, kind, target, addend);
                self.buf.put_word(0, 8);
            }
            _ if kind == reloc::ABS32 => {
                self.plus_reg(Op::one(0xb8), d);
                self.field32(kind, target, addend);
            }
            _ => {
                self.reg_rm(Op::one(0xc7).wide(), 0, d.0);
                self.field32(kind, target, addend);
            }
        }
    }

    /// `mov qword [d], target + addend`, where the address is a sign-extended immediate (`ABS32S`).
    pub fn mov_mi_reloc(&mut self, d: Mem, kind: RelocKind, target: RelocTarget, addend: i64) {
        self.reg_mem_imm(Op::one(0xc7).wide(), 0, &d, 0, 4);
        let offset = self.buf.offset() - 4;
        self.buf.reloc(offset, kind, target, addend);
    }

    /// `movzx d, s`: zero-extends to eight bytes, from one, two or four (a plain `mov`).
    #[inline]
    pub fn movzx_rr(&mut self, from: Size, d: Gpr, s: Gpr) {
        match from {
            Size::B1 => self.reg_rm(Op::two(0, 0xb6).byte_reg(from, s), d.0, s.0),
            Size::B2 => self.reg_rm(Op::two(0, 0xb7), d.0, s.0),
            Size::B4 | Size::B8 => self.mov_rr(from, d, s),
        }
    }

    /// `movzx d, [s]`: zero-extends to eight bytes.
    #[inline]
    pub fn movzx_rm(&mut self, from: Size, d: Gpr, s: Mem) {
        match from {
            Size::B1 => self.reg_mem(Op::two(0, 0xb6), d.0, &s),
            Size::B2 => self.reg_mem(Op::two(0, 0xb7), d.0, &s),
            Size::B4 | Size::B8 => self.mov_rm(from, d, s),
        }
    }

    /// `movsx d, s` or `movsxd d, s`: sign-extends from `from` to `to`, which is larger than a byte.
    #[inline]
    pub fn movsx_rr(&mut self, to: Size, from: Size, d: Gpr, s: Gpr) {
        match from {
            Size::B1 => self.reg_rm(Op::two(0, 0xbe).sized(to).byte_reg(from, s), d.0, s.0),
            Size::B2 if to > from => self.reg_rm(Op::two(0, 0xbf).sized(to), d.0, s.0),
            Size::B4 if to > from => self.reg_rm(Op::one(0x63).wide(), d.0, s.0),
            _ => self.mov_rr(to, d, s),
        }
    }

    /// `movsx d, [s]` or `movsxd d, [s]`
    #[inline]
    pub fn movsx_rm(&mut self, to: Size, from: Size, d: Gpr, s: Mem) {
        match from {
            Size::B1 => self.reg_mem(Op::two(0, 0xbe).sized(to), d.0, &s),
            Size::B2 if to > from => self.reg_mem(Op::two(0, 0xbf).sized(to), d.0, &s),
            Size::B4 if to > from => self.reg_mem(Op::one(0x63).wide(), d.0, &s),
            _ => self.mov_rm(to, d, s),
        }
    }

    /// Extends a byte, of a register that may have none of its own in 32-bit mode; flags are lost then.
    pub fn extend_byte(&mut self, to: Size, d: Gpr, s: Gpr, signed: bool) {
        if !self.mode.is_32() || s.0 < 4 {
            if signed {
                self.movsx_rr(to, Size::B1, d, s)
            } else {
                self.movzx_rr(Size::B1, d, s)
            }
            return;
        }
        if d != s {
            self.mov_rr(Size::B4, d, s);
        }
        if signed {
            self.shift_ri(ShiftOp::Shl, Size::B4, d, 24);
            self.shift_ri(ShiftOp::Sar, Size::B4, d, 24);
        } else {
            self.alu_ri(AluOp::And, Size::B4, d, 0xff);
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

    /// `add d, s` and its like.
    #[inline]
    pub fn alu_rr(&mut self, op: AluOp, size: Size, d: Gpr, s: Gpr) {
        self.reg_rm(Op::int((op as u8) << 3, size).byte_reg(size, d).byte_reg(size, s), s.0, d.0);
    }

    /// `add d, [s]` and its like.
    #[inline]
    pub fn alu_rm(&mut self, op: AluOp, size: Size, d: Gpr, s: Mem) {
        self.reg_mem(Op::int((op as u8) << 3 | 2, size).byte_reg(size, d).relaxable(size), d.0, &s);
    }

    /// `add [d], s` and its like.
    #[inline]
    pub fn alu_mr(&mut self, op: AluOp, size: Size, d: Mem, s: Gpr) {
        self.reg_mem(Op::int((op as u8) << 3, size).byte_reg(size, s), s.0, &d);
    }

    /// `add d, imm` and its like; for eight bytes the immediate is sign-extended.
    #[inline]
    pub fn alu_ri(&mut self, op: AluOp, size: Size, d: Gpr, imm: i32) {
        let imm = signed(size, imm);
        if size != Size::B1 && fits_i8(imm) {
            self.reg_rm_imm(Op::one(0x83).sized(size), op as u8, d.0, imm as u32, 1);
            return;
        }
        let (imm, len) = (imm as u32, imm_len(size));
        if d == RAX {
            // The accumulator's own opcode has no ModRM.
            self.plus_reg_imm(Op::int((op as u8) << 3 | 4, size), RAX, imm, len);
        } else {
            self.reg_rm_imm(Op::int(0x80, size).byte_reg(size, d), op as u8, d.0, imm, len);
        }
    }

    /// `add [d], imm` and its like; for eight bytes the immediate is sign-extended.
    #[inline]
    pub fn alu_mi(&mut self, op: AluOp, size: Size, d: Mem, imm: i32) {
        let imm = signed(size, imm);
        if size != Size::B1 && fits_i8(imm) {
            self.reg_mem_imm(Op::one(0x83).sized(size), op as u8, &d, imm as u32, 1);
        } else {
            self.reg_mem_imm(Op::int(0x80, size), op as u8, &d, imm as u32, imm_len(size));
        }
    }

    /// `add d, target + addend` and its like, the address a four-byte immediate (`ABS32S`, `ABS32`, `TPOFF32`, `DTPOFF32`).
    pub fn alu_ri_reloc(&mut self, op: AluOp, size: Size, d: Gpr, kind: RelocKind, target: RelocTarget, addend: i64) {
        self.reg_rm(Op::int(0x80, size), op as u8, d.0);
        self.field32(kind, target, addend);
    }

    /// `cmp qword [d], target + addend` and its like, the address a four-byte immediate.
    pub fn alu_mi_reloc(&mut self, op: AluOp, size: Size, d: Mem, kind: RelocKind, target: RelocTarget, addend: i64) {
        self.reg_mem_imm(Op::int(0x80, size), op as u8, &d, 0, 4);
        let offset = self.buf.offset() - 4;
        self.buf.reloc(offset, kind, target, addend);
    }

    /// `test a, b`
    #[inline]
    pub fn test_rr(&mut self, size: Size, a: Gpr, b: Gpr) {
        self.reg_rm(Op::int(0x84, size).byte_reg(size, a).byte_reg(size, b), b.0, a.0);
    }

    /// `test [m], r`
    pub fn test_mr(&mut self, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(Op::int(0x84, size).byte_reg(size, r).relaxable(size), r.0, &m);
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

    /// `neg r` and its like.
    pub fn unary_r(&mut self, op: UnaryOp, size: Size, r: Gpr) {
        let (opcode, extension) = op.encoding();
        if self.mode.is_32() && size != Size::B1 && matches!(op, UnaryOp::Inc | UnaryOp::Dec) {
            // Opcodes that are REX prefixes in 64-bit mode.
            return self.plus_reg(Op::one(0x40 | extension << 3).sized(size), r);
        }
        self.reg_rm(Op::int(opcode, size).byte_reg(size, r), extension, r.0);
    }

    /// `neg [m]` and its like.
    pub fn unary_m(&mut self, op: UnaryOp, size: Size, m: Mem) {
        let (opcode, extension) = op.encoding();
        self.reg_mem(Op::int(opcode, size), extension, &m);
    }

    /// `imul d, s`, two to eight bytes.
    #[inline]
    pub fn imul_rr(&mut self, size: Size, d: Gpr, s: Gpr) {
        self.reg_rm(Op::two(0, 0xaf).sized(size), d.0, s.0);
    }

    /// `imul d, [s]`
    pub fn imul_rm(&mut self, size: Size, d: Gpr, s: Mem) {
        self.reg_mem(Op::two(0, 0xaf).sized(size), d.0, &s);
    }

    /// `imul d, s, imm`
    pub fn imul_rri(&mut self, size: Size, d: Gpr, s: Gpr, imm: i32) {
        let imm = signed(size, imm);
        if fits_i8(imm) {
            self.reg_rm_imm(Op::one(0x6b).sized(size), d.0, s.0, imm as u32, 1);
        } else {
            self.reg_rm_imm(Op::one(0x69).sized(size), d.0, s.0, imm as u32, imm_len(size));
        }
    }

    /// `imul d, [s], imm`
    pub fn imul_rmi(&mut self, size: Size, d: Gpr, s: Mem, imm: i32) {
        let imm = signed(size, imm);
        if fits_i8(imm) {
            self.reg_mem_imm(Op::one(0x6b).sized(size), d.0, &s, imm as u32, 1);
        } else {
            self.reg_mem_imm(Op::one(0x69).sized(size), d.0, &s, imm as u32, imm_len(size));
        }
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

    /// `shl [m], imm` and its like.
    pub fn shift_mi(&mut self, op: ShiftOp, size: Size, m: Mem, count: u8) {
        if count == 1 {
            self.reg_mem(Op::int(0xd0, size), op as u8, &m);
        } else {
            self.reg_mem_imm(Op::int(0xc0, size), op as u8, &m, u32::from(count), 1);
        }
    }

    /// `shl [m], cl` and its like.
    pub fn shift_mc(&mut self, op: ShiftOp, size: Size, m: Mem) {
        self.reg_mem(Op::int(0xd2, size), op as u8, &m);
    }

    /// `shld d, s, imm`: `d` moves left, the upper bits of `s` come in. Two to eight bytes.
    pub fn shld_rri(&mut self, size: Size, d: Gpr, s: Gpr, count: u8) {
        self.reg_rm_imm(Op::two(0, 0xa4).sized(size), s.0, d.0, u32::from(count), 1);
    }

    /// `shld d, s, cl`
    pub fn shld_rrc(&mut self, size: Size, d: Gpr, s: Gpr) {
        self.reg_rm(Op::two(0, 0xa5).sized(size), s.0, d.0);
    }

    /// `shrd d, s, imm`: `d` moves right, the lower bits of `s` come in. Two to eight bytes.
    pub fn shrd_rri(&mut self, size: Size, d: Gpr, s: Gpr, count: u8) {
        self.reg_rm_imm(Op::two(0, 0xac).sized(size), s.0, d.0, u32::from(count), 1);
    }

    /// `shrd d, s, cl`
    pub fn shrd_rrc(&mut self, size: Size, d: Gpr, s: Gpr) {
        self.reg_rm(Op::two(0, 0xad).sized(size), s.0, d.0);
    }

    /// `bt r, bit` and its like, the bit number in a register, taken modulo the size. Two to eight bytes.
    pub fn bit_rr(&mut self, op: BitOp, size: Size, r: Gpr, bit: Gpr) {
        self.reg_rm(Op::two(0, 0x83 | (op as u8) << 3).sized(size), bit.0, r.0);
    }

    /// `bt r, imm` and its like.
    pub fn bit_ri(&mut self, op: BitOp, size: Size, r: Gpr, bit: u8) {
        self.reg_rm_imm(Op::two(0, 0xba).sized(size), op as u8, r.0, u32::from(bit), 1);
    }

    /// `bt [m], imm` and its like.
    pub fn bit_mi(&mut self, op: BitOp, size: Size, m: Mem, bit: u8) {
        self.reg_mem_imm(Op::two(0, 0xba).sized(size), op as u8, &m, u32::from(bit), 1);
    }

    /// `bt [m], r` and its like: the bit number is not taken modulo the size but reaches into memory around `m`.
    pub fn bit_mr(&mut self, op: BitOp, size: Size, m: Mem, bit: Gpr) {
        self.reg_mem(Op::two(0, 0x83 | (op as u8) << 3).sized(size), bit.0, &m);
    }

    /// `popcnt d, s` and its like, two to eight bytes.
    pub fn gpr_rr(&mut self, op: GprOp, size: Size, d: Gpr, s: Gpr) {
        self.reg_rm(op.0.sized_first(size), d.0, s.0);
    }

    /// `popcnt d, [s]` and its like, two to eight bytes.
    pub fn gpr_rm(&mut self, op: GprOp, size: Size, d: Gpr, s: Mem) {
        self.reg_mem(op.0.sized_first(size), d.0, &s);
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

    /// `setcc r`: one byte.
    #[inline]
    pub fn setcc_r(&mut self, cond: Cond, r: Gpr) {
        self.reg_rm(Op::two(0, 0x90 | cond as u8).byte_reg(Size::B1, r), 0, r.0);
    }

    /// `setcc [m]`: one byte.
    pub fn setcc_m(&mut self, cond: Cond, m: Mem) {
        self.reg_mem(Op::two(0, 0x90 | cond as u8), 0, &m);
    }

    /// `cmovcc d, s`, two to eight bytes.
    #[inline]
    pub fn cmov_rr(&mut self, cond: Cond, size: Size, d: Gpr, s: Gpr) {
        self.reg_rm(Op::two(0, 0x40 | cond as u8).sized(size), d.0, s.0);
    }

    /// `cmovcc d, [s]`: the load happens whatever the condition.
    pub fn cmov_rm(&mut self, cond: Cond, size: Size, d: Gpr, s: Mem) {
        self.reg_mem(Op::two(0, 0x40 | cond as u8).sized(size), d.0, &s);
    }

    // ---- Atomics ----

    /// `lock cmpxchg [m], r`: if the accumulator equals `[m]`, stores `r`; else loads it.
    pub fn lock_cmpxchg_mr(&mut self, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(Op::int2(0xb0, size).byte_reg(size, r).locked(), r.0, &m);
    }

    /// `lock cmpxchg8b [m]`: compares `edx:eax`, stores `ecx:ebx`.
    pub fn lock_cmpxchg8b(&mut self, m: Mem) {
        self.reg_mem(Op::two(0, 0xc7).locked(), 1, &m);
    }

    /// `lock cmpxchg16b [m]`: compares `rdx:rax`, stores `rcx:rbx`; `m` is aligned to 16 bytes.
    pub fn lock_cmpxchg16b(&mut self, m: Mem) {
        self.reg_mem(Op::two(0, 0xc7).wide().locked(), 1, &m);
    }

    /// The one of both that exchanges two words in the mode of this code.
    pub fn lock_cmpxchg_pair(&mut self, m: Mem) {
        if self.word_size() == Size::B8 { self.lock_cmpxchg16b(m) } else { self.lock_cmpxchg8b(m) }
    }

    /// `lock xadd [m], r`: adds, and gives back the old value in `r`.
    pub fn lock_xadd_mr(&mut self, size: Size, m: Mem, r: Gpr) {
        self.reg_mem(Op::int2(0xc0, size).byte_reg(size, r).locked(), r.0, &m);
    }

    /// `lock add [d], s` and its like, without `cmp`.
    pub fn lock_alu_mr(&mut self, op: AluOp, size: Size, d: Mem, s: Gpr) {
        self.reg_mem(Op::int((op as u8) << 3, size).byte_reg(size, s).locked(), s.0, &d);
    }

    /// `lock add [d], imm` and its like, without `cmp`; for eight bytes the immediate is sign-extended.
    pub fn lock_alu_mi(&mut self, op: AluOp, size: Size, d: Mem, imm: i32) {
        let imm = signed(size, imm);
        if size != Size::B1 && fits_i8(imm) {
            self.reg_mem_imm(Op::one(0x83).sized(size).locked(), op as u8, &d, imm as u32, 1);
        } else {
            self.reg_mem_imm(Op::int(0x80, size).locked(), op as u8, &d, imm as u32, imm_len(size));
        }
    }

    /// `lock inc [m]`, `dec`, `not` or `neg`.
    pub fn lock_unary_m(&mut self, op: UnaryOp, size: Size, m: Mem) {
        let (opcode, extension) = op.encoding();
        self.reg_mem(Op::int(opcode, size).locked(), extension, &m);
    }

    /// `lock bts [m], imm`, `btr` or `btc`.
    pub fn lock_bit_mi(&mut self, op: BitOp, size: Size, m: Mem, bit: u8) {
        self.reg_mem_imm(Op::two(0, 0xba).sized(size).locked(), op as u8, &m, u32::from(bit), 1);
    }

    // ---- Stack ----

    /// `push r64`
    #[inline]
    pub fn push_r(&mut self, r: Gpr) {
        self.plus_reg(Op::one(0x50), r);
    }

    /// `push imm`, sign-extended to eight bytes.
    pub fn push_i(&mut self, imm: i32) {
        if fits_i8(imm) {
            self.buf.put_word(0x6a | u64::from(imm as u8) << 8, 2);
        } else {
            self.buf.put_word(0x68 | u64::from(imm as u32) << 8, 5);
        }
    }

    /// `push qword [m]`
    pub fn push_m(&mut self, m: Mem) {
        self.reg_mem(Op::one(0xff), 6, &m);
    }

    /// `pop r64`
    #[inline]
    pub fn pop_r(&mut self, r: Gpr) {
        self.plus_reg(Op::one(0x58), r);
    }

    /// `pop qword [m]`
    pub fn pop_m(&mut self, m: Mem) {
        self.reg_mem(Op::one(0x8f), 0, &m);
    }

    // ---- Others ----

    /// An instruction without operands.
    #[inline]
    pub fn plain(&mut self, op: PlainOp) {
        self.buf.put_word(u64::from(op.code), u32::from(op.len));
    }

    /// A string instruction, `size` bytes at a time, `rcx` times if `rep`: `rep movsb` and its like.
    pub fn string(&mut self, op: StringOp, size: Size, rep: bool) {
        let op = Op::int(op as u8, size);
        if rep {
            self.byte(0xf3);
        }
        self.plus_reg(op, RAX);
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
        let (opcode, extension) = hint.encoding();
        self.reg_mem(Op::two(0, opcode), extension, &m);
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
