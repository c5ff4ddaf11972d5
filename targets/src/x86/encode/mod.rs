//! The encoder: an [`Asm`] appends instructions to a [`CodeBuffer`].
//!
//! Every instruction is written in its shortest form. Families of instructions share one method with the opcode as a
//! parameter. An operand that may be a register or memory is an [`Rm`], or a [`Src`](crate::x86::reg::Src) if it may be
//! an immediate too. Where one method would not do, names end in the kinds of the operands, destination first: `r`
//! register, `m` memory, `i` immediate, `c` the count in `cl`. Source of all encodings: Intel SDM, volume 2.
//!
//! Integer instructions are in `int`, vector and scalar floating-point ones in `sse`, their opcodes in [`ops`], x87 in [`x87`],
//! VEX-encoded ones in [`vex`].

pub(crate) mod forms;
mod int;
mod opcode;
pub mod ops;
mod sse;
pub mod vex;
pub mod x87;

#[cfg(test)]
mod tests;

pub use opcode::Op;
use ops::{CALL, CALL_TO, JCC_NEAR, JMP_NEAR, JMP_TO, MOV_ABSOLUTE, RET, RET_POP};

use crate::x86::reg::{Cond, Gpr, Mem, Rm, Segment, Size};
use crate::x86::reloc;
use gusset_codegen::buffer::{CodeBuffer, Label, ROOM, RelocKind, RelocTarget};
use gusset_codegen::libcall::LibCall;

/// Kinds of branches, by which code buffers know their forms.
pub(super) const JMP: u8 = 0;
pub(super) const JCC: u8 = 1;

/// What encoders have to know about the code: the mode of the machine, and how symbols are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeMode(u16);

impl CodeMode {
    /// The bits of REX prefixes, which do not exist in 32-bit mode.
    const REX: u16 = 0x4f;
    const GOT_IN_EBX: u16 = 0x80;
    const FAR_LIBRARY: u16 = 0x10;
    const FIXED_TABLE: u16 = 0x20;
    const NO_CMOV: u16 = 0x100;

    /// 64-bit mode.
    pub const BITS_64: CodeMode = CodeMode(0);
    /// 32-bit mode.
    pub const BITS_32: CodeMode = CodeMode(CodeMode::REX);

    /// In 32-bit mode: near symbols are accessed relative to the global offset table's address in `ebx`
    /// (position-independent code).
    pub const fn with_got_in_ebx(self) -> CodeMode {
        CodeMode(self.0 | CodeMode::GOT_IN_EBX)
    }

    /// The run-time library is called through the global offset table: it may be out of reach (large code model).
    pub const fn with_far_library(self) -> CodeMode {
        CodeMode(self.0 | CodeMode::FAR_LIBRARY)
    }

    /// In 64-bit mode: linkers must not relax loads from the global offset table.
    pub const fn with_fixed_table(self) -> CodeMode {
        CodeMode(self.0 | CodeMode::FIXED_TABLE)
    }

    /// In 32-bit mode: processors before the Pentium Pro, without conditional moves and comparisons that set the flags.
    pub const fn without_cmov(self) -> CodeMode {
        CodeMode(self.0 | CodeMode::NO_CMOV)
    }

    #[inline(always)]
    pub(crate) const fn has_cmov(self) -> bool {
        self.0 & CodeMode::NO_CMOV == 0
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

/// An instruction that is being written: the room after the code, and the number of bytes so far.
pub(crate) struct Out<'b> {
    room: &'b mut [u8; ROOM],
    len: usize,
    mode: CodeMode,
}

impl<'b> Out<'b> {
    /// Writes a byte that only counts if `present`: there is no branch, since this often depends on registers and is
    /// hard to predict.
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

    /// Writes prefixes other than the segment's, and the opcode. `rex` has the bits of the REX prefix, with 0x40 if one
    /// is needed although it is empty.
    #[inline(always)]
    fn opcode(&mut self, op: Op, rex: u8) {
        self.word(u32::from(op.prefix), u32::from((op.flags / Op::PREFIX) & 3));
        debug_assert!(
            !self.mode.is_32() || rex & (Op::W | Op::REX) == 0,
            "an operand size or byte register that 32-bit mode has not"
        );
        // What remains of the number 15 of the spare vector register is 7.
        let rex = rex & !(self.mode.0 as u8);
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

    /// In 32-bit mode: the opcode without ModRM of a move between the accumulator and an absolute address.
    #[inline]
    fn absolute_move(&self, op: Op, reg: u8, mem: &Mem) -> Option<Op> {
        let absolute = if mem.is_rip() { !self.mode.has_got_in_ebx() } else { mem.base_number() == Mem::NO_BASE }
            && mem.index_number() == Mem::NO_INDEX;
        if !self.mode.is_32() || reg != 0 || !absolute || op.len != 1 || !matches!(op.code, 0x88..=0x8b) {
            return None;
        }
        Some(Op { code: MOV_ABSOLUTE.code | op.code & 1 | (op.code & 2 ^ 2), ..op })
    }

    /// Writes ModRM and SIB for a memory operand; returns the number of bytes of the displacement that has to follow.
    /// REX.X and REX.B are the caller's.
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
            // The stack pointer's number announces a SIB byte.
            self.byte(mode | reg | 4);
            self.byte(mem.scale_log2() << 6 | (mem.index_number() & 7) << 3 | low);
        }
        disp_len
    }
}

/// The number of the register that holds the global offset table in position-independent code of 32-bit mode.
const GLOBAL_TABLE: u8 = 3;

/// The number of the stack pointer.
const STACK_POINTER: u8 = 4;

/// ModRM's mode for a displacement, and the displacement's number of bytes. Mode 0 with the frame pointer's number
/// means something else.
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

    /// The operand size of general-purpose registers and addresses in this code's mode.
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
        // It may be relative to a place that the stack pointer has left.
        if mem.base_number() == STACK_POINTER && self.buf.stack_depth != 0 {
            return self.moved_to_top(mem, |a, mem| a.reg_mem_imm(op, reg, mem, imm, imm_len));
        }
        // The constants for no base have bit 3 clear, and so has the constant for no index.
        let mem_rex = (mem.index_number() >> 3 & 1) << 1 | mem.base_number() >> 3 & 1;
        let rex = (op.flags & (Op::W | Op::REX)) | (reg >> 3) << 2 | mem_rex;
        let mut out = self.out();
        out.segment(mem);
        // Linkers only relax instructions with a ModRM byte.
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

    /// Encodes with the displacement relative to the current stack pointer.
    #[cold]
    pub(crate) fn moved_to_top(&mut self, mem: &Mem, encode: impl FnOnce(&mut Self, &Mem)) {
        let depth = std::mem::take(&mut self.buf.stack_depth);
        encode(self, &mem.moved(depth));
        self.buf.stack_depth = depth;
    }

    /// Opcode and ModRM with a register and memory. Most operands are a base register and a displacement: for them
    /// everything after the opcode is one store.
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
        // The stack pointer's number announces a SIB byte.
        let (modrm, len) = if low == 4 { (modrm | 0x2400, 2) } else { (modrm, 1) };
        out.double_word(modrm | u64::from(mem.disp() as u32) << (8 * len), len + disp_len);
        let len = out.len;
        self.buf.advance(len);
    }

    /// Opcode and ModRM with a register and what may be memory.
    #[inline(always)]
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

    /// Only the opcode, with a register in its lowest three bits.
    #[inline]
    pub(crate) fn plus_reg(&mut self, op: Op, reg: Gpr) {
        self.plus_reg_imm(op, reg, 0, 0);
    }

    /// The same and an immediate of `imm_len` bytes.
    #[inline]
    pub(crate) fn plus_reg_imm(&mut self, op: Op, reg: Gpr, imm: u32, imm_len: u32) {
        let mut out = self.out();
        out.opcode(op.plus(reg.0 & 7), (op.flags & (Op::W | Op::REX)) | reg.0 >> 3);
        out.word(imm, imm_len);
        let len = out.len;
        self.buf.advance(len);
    }

    /// Records the relocation of a memory operand whose displacement is `disp_at` bytes after the end of the code.
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
        // The addend contains everything; the field itself is zero.
        self.buf.room()[disp_at..disp_at + 4].fill(0);
        let offset = self.buf.offset() + disp_at as u32;
        self.buf.reloc(offset, kind, target, addend);
    }

    /// An opcode without operands.
    #[inline]
    pub(crate) fn op(&mut self, op: Op) {
        let mut out = self.out();
        out.opcode(op, op.flags & Op::W);
        let len = out.len;
        self.buf.advance(len);
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
        self.buf.branch(JMP, JMP_NEAR.code.into(), label);
    }

    /// `jcc label`
    #[inline]
    pub fn jcc(&mut self, cond: Cond, label: Label) {
        self.buf.branch(JCC, JCC_NEAR.plus(cond as u8).code.into(), label);
    }

    /// `jmp target`, in a register or in memory.
    pub fn jmp_to(&mut self, target: impl Into<Rm<Gpr>>) {
        self.rm(JMP_TO.relaxable(Size::B4), 4, target.into());
    }

    /// The same with a prefix without effect (REX.W), by which Windows' unwinder recognizes jumps out of a function.
    pub fn jmp_leaving(&mut self, target: impl Into<Rm<Gpr>>) {
        self.rm(JMP_TO.wide(), 4, target.into());
    }

    /// `jmp symbol`: a tail call. The kind is `PLT32`, or `PC32` where no stub may be used.
    pub fn jmp_symbol(&mut self, kind: RelocKind, symbol: u32) {
        self.jmp_target(kind, RelocTarget::Symbol(symbol));
    }

    /// `call symbol`. The kind is `PLT32`, or `PC32` where no stub may be used.
    pub fn call_symbol(&mut self, kind: RelocKind, symbol: u32) {
        self.call_target(kind, RelocTarget::Symbol(symbol));
    }

    /// Jumps to a relocation's target.
    pub fn jmp_target(&mut self, kind: RelocKind, target: RelocTarget) {
        self.op(JMP_NEAR);
        self.field32(kind, target, -4);
    }

    /// Calls a relocation's target.
    pub fn call_target(&mut self, kind: RelocKind, target: RelocTarget) {
        self.op(CALL);
        self.field32(kind, target, -4);
    }

    /// The prefix `notrack`: the following indirect call or jump may go to code without a marker.
    pub fn untracked(&mut self) {
        self.byte(0x3e);
    }

    /// Are functions of the run-time library called through the global offset table?
    pub fn calls_library_by_table(&self) -> bool {
        self.mode.0 & CodeMode::FAR_LIBRARY != 0
    }

    /// Calls a function of the run-time library.
    pub fn call_library(&mut self, lib: LibCall) {
        let lib = RelocTarget::LibCall(lib);
        if self.calls_library_by_table() {
            return self.call_to(Mem::rip(reloc::GOTPCREL, lib, 0));
        }
        self.call_target(reloc::PLT32, lib);
    }

    /// `call target`, in a register or in memory.
    pub fn call_to(&mut self, target: impl Into<Rm<Gpr>>) {
        self.rm(CALL_TO.relaxable(Size::B4), 2, target.into());
    }

    /// `ret`
    pub fn ret(&mut self) {
        self.op(RET);
    }

    /// `ret imm16`: also pops that many bytes of arguments.
    pub fn ret_pop(&mut self, bytes: u16) {
        self.op(RET_POP);
        self.buf.put_word(bytes.into(), 2);
    }

    /// The code sequence for the address of a thread-local under general-dynamic TLS, with the result in `rax` and with
    /// the padding prefixes that linkers rely on (ELF Handling for Thread-Local Storage, section 4.1.6; psABI x86-64).
    /// It is a call: all caller-saved registers are changed.
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

    /// The code sequence for the base of the module's TLS block under local-dynamic TLS, with the result in `rax`. It
    /// is a call.
    pub fn tls_local_dynamic(&mut self, symbol: u32, tls_get_addr: RelocTarget, by_table: bool) {
        self.lea(Size::B8, crate::x86::reg::RDI, Mem::rip(reloc::TLSLD, RelocTarget::Symbol(symbol), 0));
        if by_table {
            return self.call_to(Mem::rip(reloc::GOTPCREL, tls_get_addr, 0));
        }
        self.call_target(reloc::PLT32, tls_get_addr);
    }
}
