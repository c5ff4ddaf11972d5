//! The encoder: an [`Asm`] appends instructions to a [`CodeBuffer`].
//!
//! Every instruction is written in its shortest form. Families of instructions share one method, with the opcode as a
//! parameter, and what may be a register or memory is an [`Rm`], or a [`Src`](crate::x86::reg::Src) where it may be an immediate
//! too. Where one method would not do, names end in the kinds of the operands, destination first: `r` register, `m` memory, `i`
//! immediate, `c` the count in `cl`. Source of all encodings: Intel SDM, volume 2.
//!
//! Integer instructions are in `int`, vector and scalar floating-point ones in `sse`, their opcodes in [`ops`], x87 in [`x87`],
//! VEX-encoded ones in [`vex`].

mod int;
pub mod ops;
mod sse;
pub mod vex;
pub mod x87;

#[cfg(test)]
mod tests;

use crate::x86::reg::{Cond, Gpr, Mem, Rm, Segment, Size};
use crate::x86::reloc;
use gusset_codegen::buffer::{BranchForm, CodeBuffer, CodeFacts, Label, ROOM, RelocKind, RelocTarget};
use gusset_codegen::libcall::LibCall;

/// What code buffers have to know of the code.
pub static CODE: CodeFacts = CodeFacts {
    branches: &[&[SHORT_JMP, LONG_JMP], &[SHORT_JCC, LONG_JCC]],
    reach: i32::MAX as u32,
    align: 16,
    island_reach: None,
    patch: reloc::patch,
};

const SHORT_JMP: BranchForm = BranchForm {
    len: 2,
    min: -128 + 2,
    max: 127 + 2,
    shorten: |insn| insn[0] = 0xeb,
    patch: |insn, displacement| insn[1] = (displacement - 2) as u8,
};
const SHORT_JCC: BranchForm = BranchForm { shorten: |insn| insn[0] = insn[1] - 0x10, ..SHORT_JMP };
const LONG_JMP: BranchForm = BranchForm {
    len: 5,
    min: i32::MIN,
    max: i32::MAX,
    shorten: |_| {},
    patch: |insn, displacement| insn[1..5].copy_from_slice(&(displacement - 5).to_le_bytes()),
};
const LONG_JCC: BranchForm = BranchForm {
    len: 6,
    patch: |insn, displacement| insn[2..6].copy_from_slice(&(displacement - 6).to_le_bytes()),
    ..LONG_JMP
};

/// Indices into the branches above.
const JMP: u8 = 0;
const JCC: u8 = 1;

/// An opcode with its prefixes and escape bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op {
    /// Escape bytes and opcode, first byte lowest.
    code: u32,
    /// Mandatory prefix or operand size prefix, then `lock`; first byte lowest.
    prefix: u16,
    /// Bytes of `code`.
    len: u8,
    flags: u8,
}

impl Op {
    /// REX.W, at its place in the REX prefix.
    const W: u8 = 0x08;
    /// A REX prefix even if empty: byte registers 4 to 7 are `spl bpl sil dil` only with one.
    const REX: u8 = 0x40;
    /// The linker may relax a GOT load in this instruction.
    const RELAX: u8 = 0x01;
    /// One byte of `prefix` is in use; twice this, two bytes.
    const PREFIX: u8 = 0x10;

    /// A one-byte opcode.
    pub(crate) const fn one(opcode: u8) -> Self {
        Self { code: opcode as u32, prefix: 0, len: 1, flags: 0 }
    }

    /// An opcode of the map 0F.
    pub(crate) const fn two(prefix: u8, opcode: u8) -> Self {
        Self { code: 0x0f | (opcode as u32) << 8, prefix: 0, len: 2, flags: 0 }.prefixed(prefix)
    }

    /// An opcode of the map 0F 38 or 0F 3A.
    pub(crate) const fn three(prefix: u8, map: u8, opcode: u8) -> Self {
        let code = 0x0f | (map as u32) << 8 | (opcode as u32) << 16;
        Self { code, prefix: 0, len: 3, flags: 0 }.prefixed(prefix)
    }

    /// With one more prefix, or none for zero.
    #[inline]
    const fn prefixed(self, prefix: u8) -> Self {
        if prefix == 0 {
            return self;
        }
        let shift = ((self.flags / Self::PREFIX) & 3) * 8;
        Self { prefix: self.prefix | (prefix as u16) << shift, flags: self.flags + Self::PREFIX, ..self }
    }

    /// With REX.W.
    pub(crate) const fn wide(self) -> Self {
        Self { flags: self.flags | Self::W, ..self }
    }

    /// With the prefix or REX.W that the operand size asks for; no difference between one and four bytes.
    #[inline]
    pub(crate) fn sized(self, size: Size) -> Self {
        match size {
            Size::B1 | Size::B4 => self,
            Size::B2 => self.prefixed(0x66),
            Size::B8 => self.wide(),
        }
    }

    /// The same for an opcode with a mandatory prefix of its own, which comes last.
    #[inline]
    pub(crate) fn sized_first(self, size: Size) -> Self {
        match size {
            Size::B1 | Size::B4 => self,
            Size::B2 => Self { prefix: self.prefix << 8 | 0x66, flags: self.flags + Self::PREFIX, ..self },
            Size::B8 => self.wide(),
        }
    }

    /// For opcodes that come in pairs, an even one for bytes and an odd one for all other sizes: `opcode` is the even one.
    #[inline]
    pub(crate) fn int(opcode: u8, size: Size) -> Self {
        Self::one(opcode | (size != Size::B1) as u8).sized(size)
    }

    /// The same in the map 0F.
    #[inline]
    pub(crate) fn int2(opcode: u8, size: Size) -> Self {
        Self::two(0, opcode | (size != Size::B1) as u8).sized(size)
    }

    /// With an empty REX prefix if a byte register asks for one.
    #[inline]
    pub(crate) fn byte_reg(self, size: Size, reg: Gpr) -> Self {
        if size == Size::B1 && reg.0 >= 4 { Self { flags: self.flags | Self::REX, ..self } } else { self }
    }

    /// The same for what may be memory.
    #[inline]
    pub(crate) fn byte_rm(self, size: Size, rm: Rm<Gpr>) -> Self {
        if let Rm::Reg(r) = rm { self.byte_reg(size, r) } else { self }
    }

    /// With a `lock` prefix.
    #[inline]
    pub(crate) fn locked(self) -> Self {
        self.prefixed(0xf0)
    }

    /// Marked as one in which the linker may relax a GOT load, if the operand size is four or eight bytes
    /// (psABI x86-64, section "Optimize GOTPCRELX relocations").
    #[inline]
    pub(crate) fn relaxable(self, size: Size) -> Self {
        if size >= Size::B4 { Self { flags: self.flags | Self::RELAX, ..self } } else { self }
    }

    /// Whether REX.W is set.
    pub(crate) const fn is_wide(self) -> bool {
        self.flags & Self::W != 0
    }

    /// The mandatory prefix as VEX writes it, and the last byte of an opcode in the map 0F 38.
    pub(crate) fn vex_fields(self) -> (u8, u8) {
        let prefix = match self.prefix {
            0x66 => 1,
            0xf3 => 2,
            0xf2 => 3,
            _ => 0,
        };
        (prefix, (self.code >> 16) as u8)
    }
}

/// What encoders have to know of the code: the mode of the machine, and how what it names is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeMode(u8);

impl CodeMode {
    /// The bits of REX prefixes, which 32-bit mode has not.
    const REX: u8 = 0x4f;
    const GOT_IN_EBX: u8 = 0x80;
    const FAR_LIBRARY: u8 = 0x10;
    const FIXED_TABLE: u8 = 0x20;

    /// 64-bit mode.
    pub const BITS_64: CodeMode = CodeMode(0);
    /// 32-bit mode.
    pub const BITS_32: CodeMode = CodeMode(CodeMode::REX);

    /// In 32-bit mode: what is near is found by the global offset table's address in `ebx` (position-independent code).
    pub const fn with_got_in_ebx(self) -> CodeMode {
        CodeMode(self.0 | CodeMode::GOT_IN_EBX)
    }

    /// The run-time library is called by way of the global offset table: it may be out of reach (large code model).
    pub const fn with_far_library(self) -> CodeMode {
        CodeMode(self.0 | CodeMode::FAR_LIBRARY)
    }

    /// In 64-bit mode: linkers leave what comes from the global offset table there.
    pub const fn with_fixed_table(self) -> CodeMode {
        CodeMode(self.0 | CodeMode::FIXED_TABLE)
    }

    #[inline(always)]
    pub(crate) const fn is_32(self) -> bool {
        self.0 & CodeMode::REX != 0
    }

    #[inline(always)]
    const fn has_got_in_ebx(self) -> bool {
        self.0 & CodeMode::GOT_IN_EBX != 0
    }
}

/// Writes x86 instructions into a buffer.
pub struct Asm<'a> {
    /// The buffer.
    pub buf: &'a mut CodeBuffer,
    mode: CodeMode,
}

/// An instruction being written: the room behind the code, and the bytes written so far.
pub(crate) struct Out<'b> {
    room: &'b mut [u8; ROOM],
    len: usize,
    mode: CodeMode,
}

impl<'b> Out<'b> {
    /// A byte that counts only if `present`: no branch, since this often depends on registers and is hard to predict.
    #[inline(always)]
    pub(crate) fn byte_if(&mut self, present: bool, byte: u8) {
        self.room[self.len & (ROOM - 1)] = byte;
        self.len += usize::from(present);
    }

    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.byte_if(true, byte);
    }

    /// The lowest `len` bytes of a word.
    #[inline(always)]
    pub(crate) fn word(&mut self, word: u32, len: u32) {
        if let Some(place) = self.room.get_mut(self.len..self.len + 4) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        self.len += len as usize;
    }

    /// The lowest `len` bytes of a double word.
    #[inline(always)]
    fn double_word(&mut self, word: u64, len: u32) {
        if let Some(place) = self.room.get_mut(self.len..self.len + 8) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        self.len += len as usize;
    }

    /// Prefixes other than the segment's, and the opcode. `rex` are the bits of the REX prefix in use, with 0x40 if one is
    /// needed though empty.
    #[inline(always)]
    fn opcode(&mut self, op: Op, rex: u8) {
        self.word(u32::from(op.prefix), u32::from((op.flags / Op::PREFIX) & 3));
        debug_assert!(
            !self.mode.is_32() || rex & (Op::W | Op::REX) == 0,
            "an operand size or byte register that 32-bit mode has not"
        );
        // What remains of the vector register 15, the spare one, is 7.
        let rex = rex & !self.mode.0;
        self.byte_if(rex != 0, 0x40 | rex);
        self.word(op.code, u32::from(op.len));
    }

    /// The segment prefix of a memory operand.
    #[inline(always)]
    pub(crate) fn segment(&mut self, mem: &Mem) {
        let segment = mem.segment();
        self.byte_if(segment != Segment::Flat, [0, 0x64, 0x65, 0x36][segment as usize]);
    }

    /// The length of the whole.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// In 32-bit mode the opcode, without ModRM, of a move between the accumulator and an absolute address.
    #[inline]
    fn absolute_move(&self, op: Op, reg: u8, mem: &Mem) -> Option<Op> {
        let absolute = if mem.is_rip() { !self.mode.has_got_in_ebx() } else { mem.base_number() == Mem::NO_BASE }
            && mem.index_number() == Mem::NO_INDEX;
        if !self.mode.is_32() || reg != 0 || !absolute || op.len != 1 || !matches!(op.code, 0x88..=0x8b) {
            return None;
        }
        Some(Op { code: 0xa0 | op.code & 1 | (op.code & 2 ^ 2), ..op })
    }

    /// ModRM and SIB for a memory operand; gives the bytes of the displacement that is to follow. REX.X and REX.B are
    /// [`mem_rex`]'s.
    #[inline(always)]
    pub(crate) fn modrm(&mut self, reg: u8, mem: &Mem) -> u32 {
        let reg = (reg & 7) << 3;
        let base = mem.base_number();
        if base >= Mem::NO_BASE {
            let got = mem.is_rip() && self.mode.has_got_in_ebx();
            if mem.is_rip() && mem.index_number() == Mem::NO_INDEX {
                self.byte(if got { reg | 0x83 } else { reg | 5 });
            } else if self.mode.is_32() && mem.index_number() == Mem::NO_INDEX {
                self.byte(reg | 5);
            } else {
                self.byte(if got { reg | 0x84 } else { reg | 4 });
                let base = if got { GLOBAL_TABLE } else { 5 };
                self.byte(mem.scale_log2() << 6 | (mem.index_number() & 7) << 3 | base);
            }
            return 4;
        }
        let low = base & 7;
        let (mode, disp_len) = if mem.has_reloc() { (0x80, 4) } else { mode(mem.disp(), low) };
        if mem.index_number() == Mem::NO_INDEX && low != 4 {
            self.byte(mode | reg | low);
        } else {
            // The number of the stack pointer announces a SIB byte.
            self.byte(mode | reg | 4);
            self.byte(mem.scale_log2() << 6 | (mem.index_number() & 7) << 3 | low);
        }
        disp_len
    }
}

/// The number of the register in which position-independent code of 32-bit mode has the global offset table.
const GLOBAL_TABLE: u8 = 3;

/// The number of the stack pointer.
const STACK_POINTER: u8 = 4;

/// ModRM's mode for a displacement, and the bytes of it. Mode 0 with the frame pointer's number means something else.
#[inline(always)]
fn mode(disp: i32, low: u8) -> (u8, u32) {
    if disp != i32::from(disp as i8) {
        (0x80, 4)
    } else if disp == 0 && low != 5 {
        (0x00, 0)
    } else {
        (0x40, 1)
    }
}

/// REX.X and REX.B for a memory operand.
#[inline(always)]
pub(crate) fn mem_rex(mem: &Mem) -> u8 {
    // The constants that stand for no base have bit 3 clear, and so has that for no index.
    (mem.index_number() >> 3 & 1) << 1 | mem.base_number() >> 3 & 1
}

impl<'a> Asm<'a> {
    /// An encoder that appends to `buf`.
    #[inline]
    pub fn new(buf: &'a mut CodeBuffer, mode: CodeMode) -> Self {
        Self { buf, mode }
    }

    /// Starts an instruction.
    #[inline(always)]
    pub(crate) fn out(&mut self) -> Out<'_> {
        Out { room: self.buf.room(), len: 0, mode: self.mode }
    }

    /// The operand size of general-purpose registers and addresses in the mode of this code.
    #[inline]
    pub fn word_size(&self) -> Size {
        if self.mode.is_32() { Size::B4 } else { Size::B8 }
    }

    // ---- The ways in which an instruction is written ----

    /// Opcode and ModRM with two registers.
    #[inline]
    pub(crate) fn reg_rm(&mut self, op: Op, reg: u8, rm: u8) {
        let mut out = self.out();
        out.opcode(op, (op.flags & (Op::W | Op::REX)) | (reg >> 3) << 2 | rm >> 3);
        out.byte(0xc0 | (reg & 7) << 3 | rm & 7);
        let len = out.len;
        self.buf.advance(len);
    }

    /// The same and an immediate of `imm_len` bytes.
    #[inline]
    pub(crate) fn reg_rm_imm(&mut self, op: Op, reg: u8, rm: u8, imm: u32, imm_len: u32) {
        let mut out = self.out();
        out.opcode(op, (op.flags & (Op::W | Op::REX)) | (reg >> 3) << 2 | rm >> 3);
        out.byte(0xc0 | (reg & 7) << 3 | rm & 7);
        out.word(imm, imm_len);
        let len = out.len;
        self.buf.advance(len);
    }

    /// Opcode, ModRM with a register and memory, then an immediate of `imm_len` bytes.
    pub(crate) fn reg_mem_imm(&mut self, op: Op, reg: u8, mem: &Mem, imm: u32, imm_len: u32) {
        if self.counts_elsewhere(mem) {
            return self.moved_to_top(mem, |a, mem| a.reg_mem_imm(op, reg, mem, imm, imm_len));
        }
        let rex = (op.flags & (Op::W | Op::REX)) | (reg >> 3) << 2 | mem_rex(mem);
        let mut out = self.out();
        out.segment(mem);
        // Linkers relax only what has a ModRM byte.
        let (disp_len, relax) = match out.absolute_move(op, reg, mem) {
            Some(op) => {
                out.opcode(op, rex);
                (4, false)
            }
            None => {
                out.opcode(op, rex);
                (out.modrm(reg, mem), op.flags & Op::RELAX != 0)
            }
        };
        let disp_at = out.len;
        out.word(mem.disp() as u32, disp_len);
        out.word(imm, imm_len);
        let len = out.len;
        if mem.has_reloc() {
            self.mem_reloc(mem, disp_at, imm_len, relax, rex != 0);
        }
        self.buf.advance(len);
    }

    /// Does the operand count from a place that the stack pointer has left?
    #[inline(always)]
    pub(crate) fn counts_elsewhere(&self, mem: &Mem) -> bool {
        mem.base_number() == STACK_POINTER && self.buf.stack_depth != 0
    }

    /// Encodes with the displacement from where the stack pointer is.
    #[cold]
    pub(crate) fn moved_to_top(&mut self, mem: &Mem, encode: impl FnOnce(&mut Self, &Mem)) {
        let depth = std::mem::take(&mut self.buf.stack_depth);
        encode(self, &mem.moved(depth));
        self.buf.stack_depth = depth;
    }

    /// Opcode and ModRM with a register and memory. Most operands are a base register and a displacement: for them all that
    /// follows the opcode is one store.
    pub(crate) fn reg_mem(&mut self, op: Op, reg: u8, mem: &Mem) {
        let Some(base) = mem.only_base() else {
            self.reg_mem_imm(op, reg, mem, 0, 0);
            return;
        };
        if base == STACK_POINTER && self.buf.stack_depth != 0 {
            return self.moved_to_top(mem, |a, mem| a.reg_mem(op, reg, mem));
        }
        let mut out = self.out();
        out.opcode(op, (op.flags & (Op::W | Op::REX)) | (reg >> 3) << 2 | base >> 3);
        let low = base & 7;
        let (mode, disp_len) = mode(mem.disp(), low);
        let modrm = u64::from(mode | (reg & 7) << 3 | low);
        // The number of the stack pointer announces a SIB byte.
        let (modrm, len) = if low == 4 { (modrm | 0x2400, 2) } else { (modrm, 1) };
        out.double_word(modrm | u64::from(mem.disp() as u32) << (8 * len), len + disp_len);
        let len = out.len;
        self.buf.advance(len);
    }

    /// Opcode and ModRM with a register and what may be memory.
    #[inline]
    pub(crate) fn rm<R: Into<u8>>(&mut self, op: Op, reg: u8, rm: Rm<R>) {
        match rm {
            Rm::Reg(r) => self.reg_rm(op, reg, r.into()),
            Rm::Mem(m) => self.reg_mem(op, reg, &m),
        }
    }

    /// The same and an immediate of `imm_len` bytes.
    #[inline]
    pub(crate) fn rm_imm<R: Into<u8>>(&mut self, op: Op, reg: u8, rm: Rm<R>, imm: u32, imm_len: u32) {
        match rm {
            Rm::Reg(r) => self.reg_rm_imm(op, reg, r.into(), imm, imm_len),
            Rm::Mem(m) => self.reg_mem_imm(op, reg, &m, imm, imm_len),
        }
    }

    /// The opcode alone, with a register in its lowest three bits.
    #[inline]
    pub(crate) fn plus_reg(&mut self, op: Op, reg: Gpr) {
        self.plus_reg_imm(op, reg, 0, 0);
    }

    /// The same and an immediate of `imm_len` bytes.
    #[inline]
    pub(crate) fn plus_reg_imm(&mut self, op: Op, reg: Gpr, imm: u32, imm_len: u32) {
        let op = Op { code: op.code + (u32::from(reg.0 & 7) << (8 * op.len - 8)), ..op };
        let mut out = self.out();
        out.opcode(op, (op.flags & (Op::W | Op::REX)) | reg.0 >> 3);
        out.word(imm, imm_len);
        let len = out.len;
        self.buf.advance(len);
    }

    /// Records the relocation of a memory operand whose displacement comes `disp_at` bytes after the end of the code.
    #[inline(never)]
    pub(crate) fn mem_reloc(&mut self, mem: &Mem, disp_at: usize, imm_len: u32, relax: bool, rex: bool) {
        let Some((mut kind, target)) = mem.reloc() else { return };
        let mut addend = i64::from(mem.disp());
        if mem.is_rip() && self.mode.is_32() {
            kind = reloc::near_in_32_bits(kind, relax, self.mode.has_got_in_ebx());
        } else if mem.is_rip() {
            addend -= 4 + i64::from(imm_len);
            if kind == reloc::GOTPCREL && relax {
                kind.field = match rex {
                    _ if self.mode.0 & CodeMode::FIXED_TABLE != 0 => reloc::FIXED,
                    true => reloc::RELAXABLE_REX,
                    false => reloc::RELAXABLE,
                };
            }
        }
        // The addend has it all: the field itself is zero.
        self.buf.room()[disp_at..disp_at + 4].fill(0);
        let offset = self.buf.offset() + disp_at as u32;
        self.buf.reloc(offset, kind, target, addend);
    }

    /// One byte.
    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.buf.put_word(u64::from(byte), 1);
    }

    /// A four-byte field for a relocation.
    pub(crate) fn field32(&mut self, kind: RelocKind, target: RelocTarget, addend: i64) {
        let offset = self.buf.offset();
        self.buf.reloc(offset, kind, target, addend);
        self.buf.put_word(0, 4);
    }

    // ---- Control transfer ----

    /// `jmp label`
    #[inline]
    pub fn jmp(&mut self, label: Label) {
        self.buf.branch(JMP, 0xe9, label);
    }

    /// `jcc label`
    #[inline]
    pub fn jcc(&mut self, cond: Cond, label: Label) {
        self.buf.branch(JCC, 0x800f + ((cond as u64) << 8), label);
    }

    /// `jmp target`, which a register holds or memory.
    pub fn jmp_to(&mut self, target: impl Into<Rm<Gpr>>) {
        self.rm(Op::one(0xff).relaxable(Size::B4), 4, target.into());
    }

    /// The same with a prefix that changes nothing (REX.W), by which Windows' unwinder tells jumps out of a function.
    pub fn jmp_r_leaving(&mut self, target: Gpr) {
        self.reg_rm(Op::one(0xff).wide(), 4, target.0);
    }

    /// `jmp symbol`: a tail call. The kind is `PLT32`, or `PC32` where no stub may be used.
    pub fn jmp_symbol(&mut self, kind: RelocKind, symbol: u32) {
        self.byte(0xe9);
        self.field32(kind, RelocTarget::Symbol(symbol), -4);
    }

    /// `call symbol`. The kind is `PLT32`, or `PC32` where no stub may be used.
    pub fn call_symbol(&mut self, kind: RelocKind, symbol: u32) {
        self.call_target(kind, RelocTarget::Symbol(symbol));
    }

    /// Calls whatever a relocation can name.
    pub fn call_target(&mut self, kind: RelocKind, target: RelocTarget) {
        self.byte(0xe8);
        self.field32(kind, target, -4);
    }

    /// The prefix `notrack`: the indirect call or jump that follows may go to what has no marker.
    pub fn untracked(&mut self) {
        self.byte(0x3e);
    }

    /// Calls a function of the run-time library.
    pub fn call_library(&mut self, lib: LibCall) {
        let lib = RelocTarget::LibCall(lib);
        if self.mode.0 & CodeMode::FAR_LIBRARY != 0 {
            return self.call_to(Mem::rip(reloc::GOTPCREL, lib, 0));
        }
        self.call_target(reloc::PLT32, lib);
    }

    /// `call target`, which a register holds or memory.
    pub fn call_to(&mut self, target: impl Into<Rm<Gpr>>) {
        self.rm(Op::one(0xff).relaxable(Size::B4), 2, target.into());
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
    /// everything caller-saved is lost.
    pub fn tls_general_dynamic(&mut self, symbol: u32, tls_get_addr: RelocTarget, by_table: bool) {
        self.byte(0x66);
        self.lea(Size::B8, crate::x86::reg::RDI, Mem::rip(reloc::TLSGD, RelocTarget::Symbol(symbol), 0));
        if by_table {
            // As long as the other form.
            self.buf.put_word(0x15_ff_48_66, 4);
            self.field32(reloc::GOTPCREL_CALL, tls_get_addr, -4);
        } else {
            self.buf.put_word(0xe8_48_66_66, 4);
            self.field32(reloc::PLT32, tls_get_addr, -4);
        }
    }

    /// The code sequence for the base of the module's TLS block under local-dynamic TLS, result in `rax`. A call.
    pub fn tls_local_dynamic(&mut self, symbol: u32, tls_get_addr: RelocTarget, by_table: bool) {
        self.lea(Size::B8, crate::x86::reg::RDI, Mem::rip(reloc::TLSLD, RelocTarget::Symbol(symbol), 0));
        if by_table {
            return self.call_to(Mem::rip(reloc::GOTPCREL, tls_get_addr, 0));
        }
        self.call_target(reloc::PLT32, tls_get_addr);
    }
}
