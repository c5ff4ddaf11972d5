//! The encoder: an [`Asm`] appends instructions to a [`CodeBuffer`].
//!
//! Every instruction is written in its shortest form. Families of instructions share one method, with the opcode as a
//! parameter. Names end in the kinds of the operands, destination first: `r` register, `m` memory, `i` immediate, `c` the
//! count in `cl`. Source of all encodings: Intel SDM, volume 2.
//!
//! Integer instructions are in `encode_int`, vector and scalar floating-point ones in `encode_sse`, their opcodes in
//! [`encode_ops`](super::encode_ops), x87 in [`encode_x87`](super::encode_x87), VEX-encoded ones in
//! [`encode_vex`](super::encode_vex).

use super::reg::{Cond, Gpr, Mem, Segment, Size};
use gusset_codegen::buffer::{BranchForm, CodeBuffer, Label, RelocKind, RelocTarget};

/// The branch forms of x86: `jmp` and `jcc` to a label.
pub static BRANCH_FORMS: [BranchForm; 2] = [
    BranchForm {
        long_len: 5,
        short_len: 2,
        short_min: -128 + 2,
        short_max: 127 + 2,
        shorten: |insn| insn[0] = 0xeb,
        patch_long: |insn, displacement| insn[1..5].copy_from_slice(&(displacement - 5).to_le_bytes()),
        patch_short: |insn, displacement| insn[1] = (displacement - 2) as u8,
    },
    BranchForm {
        long_len: 6,
        short_len: 2,
        short_min: -128 + 2,
        short_max: 127 + 2,
        shorten: |insn| insn[0] = insn[1] - 0x10,
        patch_long: |insn, displacement| insn[2..6].copy_from_slice(&(displacement - 6).to_le_bytes()),
        patch_short: |insn, displacement| insn[1] = (displacement - 2) as u8,
    },
];

const JMP_FORM: u8 = 0;
const JCC_FORM: u8 = 1;

/// An opcode with its mandatory prefix and escape bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op {
    /// Escape bytes and opcode, first byte lowest.
    code: u32,
    /// Bits of `code` in use.
    bits: u8,
    /// 0x66, 0xf2, 0xf3 or nothing.
    prefix: u8,
    flags: u8,
}

impl Op {
    /// REX.W, at its place in the REX prefix.
    const W: u8 = 0x08;
    /// A REX prefix even if empty: byte registers 4 to 7 are `spl bpl sil dil` only with one.
    const REX: u8 = 0x40;
    /// The linker may relax a GOT load in this instruction.
    const RELAX: u8 = 0x01;
    /// A `lock` prefix.
    const LOCK: u8 = 0x02;

    /// A one-byte opcode.
    pub(super) const fn one(opcode: u8) -> Self {
        Self { code: opcode as u32, bits: 8, prefix: 0, flags: 0 }
    }

    /// An opcode of the map 0F.
    pub(super) const fn two(prefix: u8, opcode: u8) -> Self {
        Self { code: 0x0f | (opcode as u32) << 8, bits: 16, prefix, flags: 0 }
    }

    /// An opcode of the map 0F 38 or 0F 3A.
    pub(super) const fn three(prefix: u8, map: u8, opcode: u8) -> Self {
        Self { code: 0x0f | (map as u32) << 8 | (opcode as u32) << 16, bits: 24, prefix, flags: 0 }
    }

    /// With REX.W.
    pub(super) const fn wide(self) -> Self {
        Self { flags: self.flags | Self::W, ..self }
    }

    /// With the prefix or REX.W that the operand size asks for; no difference between one and four bytes.
    #[inline]
    pub(super) fn sized(self, size: Size) -> Self {
        match size {
            Size::B1 | Size::B4 => self,
            Size::B2 => Self { prefix: 0x66, ..self },
            Size::B8 => self.wide(),
        }
    }

    /// For opcodes that come in pairs, an even one for bytes and an odd one for all other sizes: `opcode` is the even one.
    #[inline]
    pub(super) fn int(opcode: u8, size: Size) -> Self {
        Self::one(opcode | (size != Size::B1) as u8).sized(size)
    }

    /// The same in the map 0F.
    #[inline]
    pub(super) fn int2(opcode: u8, size: Size) -> Self {
        Self::two(0, opcode | (size != Size::B1) as u8).sized(size)
    }

    /// With an empty REX prefix if a byte register asks for one.
    #[inline]
    pub(super) fn byte_reg(self, size: Size, reg: Gpr) -> Self {
        if size == Size::B1 && reg.0 >= 4 { Self { flags: self.flags | Self::REX, ..self } } else { self }
    }

    /// With a `lock` prefix.
    #[inline]
    pub(super) fn locked(self) -> Self {
        Self { flags: self.flags | Self::LOCK, ..self }
    }

    /// Marked as one in which the linker may relax a GOT load, if the operand size is four or eight bytes
    /// (psABI x86-64, section "Optimize GOTPCRELX relocations").
    #[inline]
    pub(super) fn relaxable(self, size: Size) -> Self {
        if size >= Size::B4 { Self { flags: self.flags | Self::RELAX, ..self } } else { self }
    }

    /// Whether REX.W is set.
    pub(super) const fn is_wide(self) -> bool {
        self.flags & Self::W != 0
    }

    /// The mandatory prefix as VEX writes it, the opcode map, and the last opcode byte.
    pub(super) fn vex_fields(self) -> (u8, u8, u8) {
        let pp = match self.prefix {
            0x66 => 1,
            0xf3 => 2,
            0xf2 => 3,
            _ => 0,
        };
        match self.bits {
            24 if self.code >> 8 & 0xff == 0x3a => (pp, 3, (self.code >> 16) as u8),
            24 => (pp, 2, (self.code >> 16) as u8),
            _ => (pp, 1, (self.code >> 8) as u8),
        }
    }
}

/// Writes x86 instructions into a buffer.
pub struct Asm<'a> {
    /// The buffer.
    pub buf: &'a mut CodeBuffer,
}

/// The bytes after prefixes and opcode that a memory operand needs.
pub(super) struct MemBytes {
    /// ModRM and, if there is one, SIB; the reg field is zero.
    pub(super) modrm: u32,
    /// Bits of `modrm` in use.
    pub(super) bits: u32,
    /// REX.X and REX.B.
    pub(super) rex: u8,
    /// Bytes of the displacement.
    pub(super) disp_len: u32,
}

impl MemBytes {
    #[inline]
    pub(super) fn new(mem: &Mem) -> Self {
        let disp_len = |base: u8| match (mem.reloc, mem.disp) {
            (None, 0) if base & 7 != 5 => (0x00, 0),
            (None, -128..=127) => (0x40, 1),
            _ => (0x80, 4),
        };
        if mem.base < Mem::NO_BASE {
            let (mode, disp_len) = disp_len(mem.base);
            let low = u32::from(mem.base & 7);
            if mem.index == Mem::NO_INDEX && low != 4 {
                return Self { modrm: mode | low, bits: 8, rex: mem.base >> 3, disp_len };
            }
            let sib = u32::from(mem.scale) << 6 | u32::from(mem.index & 7) << 3 | low;
            let rex = (mem.index >> 3) << 1 | mem.base >> 3;
            return Self { modrm: mode | 4 | sib << 8, bits: 16, rex, disp_len };
        }
        if mem.base == Mem::RIP {
            return Self { modrm: 5, bits: 8, rex: 0, disp_len: 4 };
        }
        let sib = u32::from(mem.scale) << 6 | u32::from(mem.index & 7) << 3 | 5;
        Self { modrm: 4 | sib << 8, bits: 16, rex: (mem.index >> 3) << 1, disp_len: 4 }
    }
}

impl<'a> Asm<'a> {
    /// An encoder that appends to `buf`.
    #[inline]
    pub fn new(buf: &'a mut CodeBuffer) -> Self {
        Self { buf }
    }

    // ---- The ways in which an instruction is written ----

    /// Opcode and ModRM with two registers.
    #[inline]
    pub(super) fn reg_rm(&mut self, op: Op, reg: u8, rm: u8) {
        let rex = (op.flags & (Op::W | Op::REX)) | (reg >> 3) << 2 | rm >> 3;
        let modrm = 0xc0 | (reg & 7) << 3 | rm & 7;
        let (mut word, mut bits) = prefixes(op, rex);
        word |= u64::from(op.code) << bits;
        bits += u32::from(op.bits);
        word |= u64::from(modrm) << bits;
        self.buf.put_word(word, bits / 8 + 1);
    }

    /// Opcode, ModRM with a register and memory, then an immediate of `imm_len` bytes.
    pub(super) fn reg_mem_imm(&mut self, op: Op, reg: u8, mem: &Mem, imm: u32, imm_len: u32) {
        self.segment(mem);
        let place = MemBytes::new(mem);
        let rex = (op.flags & (Op::W | Op::REX)) | (reg >> 3) << 2 | place.rex;
        let (mut word, mut bits) = prefixes(op, rex);
        word |= u64::from(op.code) << bits;
        bits += u32::from(op.bits);
        word |= u64::from(place.modrm | u32::from(reg & 7) << 3) << bits;
        bits += place.bits;
        self.buf.put_word(word, bits / 8);
        self.disp_imm(mem, place.disp_len, imm, imm_len, op.flags & Op::RELAX != 0, rex != 0);
    }

    /// Opcode and ModRM with a register and memory.
    #[inline]
    pub(super) fn reg_mem(&mut self, op: Op, reg: u8, mem: &Mem) {
        self.reg_mem_imm(op, reg, mem, 0, 0);
    }

    /// The opcode alone, with a register in its lowest three bits.
    #[inline]
    pub(super) fn plus_reg(&mut self, op: Op, reg: Gpr) {
        let rex = (op.flags & (Op::W | Op::REX)) | reg.0 >> 3;
        let (mut word, mut bits) = prefixes(op, rex);
        word |= u64::from(op.code + (u32::from(reg.0 & 7) << (op.bits - 8))) << bits;
        bits += u32::from(op.bits);
        self.buf.put_word(word, bits / 8);
    }

    /// The segment prefix of a memory operand.
    #[inline]
    pub(super) fn segment(&mut self, mem: &Mem) {
        match mem.segment {
            Segment::Flat => {}
            Segment::Fs => self.byte(0x64),
            Segment::Gs => self.byte(0x65),
        }
    }

    /// The displacement, with its relocation, and the immediate after it.
    #[inline]
    pub(super) fn disp_imm(&mut self, mem: &Mem, disp_len: u32, imm: u32, imm_len: u32, relax: bool, rex: bool) {
        let mut disp = mem.disp;
        if let Some((mut kind, target)) = mem.reloc {
            let mut addend = i64::from(mem.disp);
            disp = 0;
            if mem.base == Mem::RIP {
                addend -= 4 + i64::from(imm_len);
                if relax && kind == RelocKind::GotPcRel {
                    kind = if rex { RelocKind::RexGotPcRelX } else { RelocKind::GotPcRelX };
                }
            }
            let offset = self.buf.offset();
            self.buf.reloc(offset, kind, target, addend);
        }
        let len = disp_len + imm_len;
        if len != 0 {
            // With no displacement there is nothing to shift past, and `disp` is zero then.
            let word = u64::from(disp as u32) & ((1 << (8 * disp_len)) - 1) | u64::from(imm) << (8 * disp_len);
            self.buf.put_word(word, len);
        }
    }

    /// One byte.
    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        self.buf.put_word(u64::from(byte), 1);
    }

    /// An immediate of `len` bytes.
    #[inline]
    pub(super) fn imm(&mut self, imm: u32, len: u32) {
        self.buf.put_word(u64::from(imm), len);
    }

    /// A four-byte field for a relocation.
    pub(super) fn field32(&mut self, kind: RelocKind, target: RelocTarget, addend: i64) {
        let offset = self.buf.offset();
        self.buf.reloc(offset, kind, target, addend);
        self.buf.put_word(0, 4);
    }

    // ---- Control transfer ----

    /// `jmp label`
    #[inline]
    pub fn jmp(&mut self, label: Label) {
        self.buf.branch(JMP_FORM, 0xe9, label);
    }

    /// `jcc label`
    #[inline]
    pub fn jcc(&mut self, cond: Cond, label: Label) {
        self.buf.branch(JCC_FORM, 0x800f + ((cond as u64) << 8), label);
    }

    /// `jcc` by a distance in bytes from the end of this instruction, for loops inside a hole of the buffer.
    pub fn jcc_rel8(&mut self, cond: Cond, distance: i8) {
        self.buf.put_word(u64::from(0x70 + cond as u8) | u64::from(distance as u8) << 8, 2);
    }

    /// `jmp r64`
    pub fn jmp_r(&mut self, target: Gpr) {
        self.reg_rm(Op::one(0xff), 4, target.0);
    }

    /// `jmp m64`
    pub fn jmp_m(&mut self, target: Mem) {
        self.reg_mem(Op::one(0xff).relaxable(Size::B8), 4, &target);
    }

    /// `jmp symbol`: a tail call. The kind is `Plt32`, or `Pc32` where no stub may be used.
    pub fn jmp_symbol(&mut self, kind: RelocKind, symbol: u32) {
        self.byte(0xe9);
        self.field32(kind, RelocTarget::Symbol(symbol), -4);
    }

    /// `call symbol`. The kind is `Plt32`, or `Pc32` where no stub may be used.
    pub fn call_symbol(&mut self, kind: RelocKind, symbol: u32) {
        self.byte(0xe8);
        self.field32(kind, RelocTarget::Symbol(symbol), -4);
    }

    /// `call r64`
    pub fn call_r(&mut self, target: Gpr) {
        self.reg_rm(Op::one(0xff), 2, target.0);
    }

    /// `call m64`
    pub fn call_m(&mut self, target: Mem) {
        self.reg_mem(Op::one(0xff).relaxable(Size::B8), 2, &target);
    }

    /// `ret`
    pub fn ret(&mut self) {
        self.byte(0xc3);
    }

    /// `ret imm16`: also pops that many bytes of arguments.
    pub fn ret_pop(&mut self, bytes: u16) {
        self.buf.put_word(0xc2 | u64::from(bytes) << 8, 3);
    }

    /// The code sequence for the address of a thread-local under general-dynamic TLS, result in `rax`, with the padding
    /// prefixes that linkers rely on (ELF Handling for Thread-Local Storage, section 4.1.6; psABI x86-64). A call:
    /// everything caller-saved is lost. With `through_got` the function is called by its GOT slot (`-fno-plt`).
    pub fn tls_general_dynamic(&mut self, symbol: u32, tls_get_addr: u32, through_got: bool) {
        self.byte(0x66);
        self.lea(Size::B8, super::reg::RDI, Mem::rip(RelocKind::TlsGd, RelocTarget::Symbol(symbol), 0));
        if through_got {
            self.buf.put_word(0x15_ff_48_66, 4);
            self.field32(RelocKind::GotPcRelX, RelocTarget::Symbol(tls_get_addr), -4);
        } else {
            self.buf.put_word(0xe8_48_66_66, 4);
            self.field32(RelocKind::Plt32, RelocTarget::Symbol(tls_get_addr), -4);
        }
    }

    /// The code sequence for the base of the module's TLS block under local-dynamic TLS, result in `rax`. A call.
    pub fn tls_local_dynamic(&mut self, symbol: u32, tls_get_addr: u32, through_got: bool) {
        self.lea(Size::B8, super::reg::RDI, Mem::rip(RelocKind::TlsLd, RelocTarget::Symbol(symbol), 0));
        if through_got {
            self.call_m(Mem::got(tls_get_addr));
        } else {
            self.call_symbol(RelocKind::Plt32, tls_get_addr);
        }
    }
}

/// The prefixes other than that of the segment, and the bits they take. `rex` are the bits of the REX prefix in use, with
/// 0x40 if one is needed though empty.
#[inline(always)]
fn prefixes(op: Op, rex: u8) -> (u64, u32) {
    let mut word = u64::from(op.prefix);
    let mut bits = if op.prefix != 0 { 8 } else { 0 };
    if op.flags & Op::LOCK != 0 {
        word |= 0xf0 << bits;
        bits += 8;
    }
    if rex != 0 {
        word |= u64::from(0x40 | rex) << bits;
        bits += 8;
    }
    (word, bits)
}
