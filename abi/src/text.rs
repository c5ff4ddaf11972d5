//! The stable one-line text form of an [`FnAbi`].

use crate::fnabi::{Extension, FnAbi, PassMode, Piece, Place};
use crate::reg::{Reg, RegName};
use crate::target::Arch;
use core::fmt;

/// `r: [0..4)@rax; a1: [0..8)@xmm0, [8..16)@rdi; a2: copy [0..24)@sp+0; pop 0`.
///
/// `-` is a value that does not travel, `&[0..24)@rdi` one behind the address in rdi, `sp+n` a stack slot *n* bytes above
/// the stack pointer at the call; `sx8:32` and `zx8:32` say that the sender widens from 8 to 32 bits, `lanes8:16` that each
/// lane of a vector is in 16 bits. Stack bytes, stack alignment beyond 16, the bound in `al` and the register in which
/// `this` comes back follow when there are any.
impl fmt::Display for FnAbi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("r: ")?;
        mode(f, self.arch, &self.ret.mode)?;
        if let (PassMode::Indirect { .. }, Some(reg)) = (&self.ret.mode, self.sret_return_reg) {
            write!(f, " -> {}", name(self.arch, reg))?;
        }
        for (i, arg) in self.args.iter().enumerate() {
            write!(f, "; a{}: ", i + 1)?;
            mode(f, self.arch, &arg.mode)?;
            if let (true, Some(reg)) = (self.sret_param == Some(i as u32), self.sret_return_reg) {
                write!(f, " -> {}", name(self.arch, reg))?;
            }
        }
        if let Some(block) = self.arg_block {
            write!(f, "; block {} align {}", block.size, block.align)?;
        }
        if self.stack_arg_bytes > 0 {
            write!(f, "; stack {}", self.stack_arg_bytes)?;
        }
        if self.stack_align > 16 {
            write!(f, "; align {}", self.stack_align)?;
        }
        if let Some((reg, count)) = self.vector_count {
            write!(f, "; vectors {}={count}", name(self.arch, reg))?;
        }
        if let Some(reg) = self.returns_this {
            write!(f, "; this -> {}", name(self.arch, reg))?;
        }
        write!(f, "; pop {}", self.callee_pop_bytes)
    }
}

fn name(arch: Arch, reg: Reg) -> RegName {
    RegName { arch, reg, bytes: None }
}

fn mode(f: &mut fmt::Formatter<'_>, arch: Arch, mode: &PassMode) -> fmt::Result {
    match mode {
        PassMode::Ignore => f.write_str("-"),
        PassMode::Direct(pieces) => {
            for (i, piece) in pieces.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                range(f, piece.offset as u64, piece.size as u64)?;
                place(f, arch, piece)?;
            }
            Ok(())
        }
        PassMode::Indirect { pointer, size, .. } => {
            f.write_str("&")?;
            range(f, 0, *size)?;
            place(f, arch, pointer)
        }
        PassMode::StackCopy { offset, size, .. } => {
            f.write_str("copy ")?;
            range(f, 0, *size)?;
            write!(f, "@sp+{offset}")
        }
        PassMode::InBlock { offset, size, indirect } => {
            f.write_str(if *indirect { "block &" } else { "block " })?;
            range(f, 0, *size)?;
            write!(f, "@block+{offset}")
        }
    }
}

fn range(f: &mut fmt::Formatter<'_>, offset: u64, size: u64) -> fmt::Result {
    write!(f, "[{offset}..{})", offset + size)
}

fn place(f: &mut fmt::Formatter<'_>, arch: Arch, piece: &Piece) -> fmt::Result {
    match piece.place {
        Place::Reg(reg) => write!(f, "@{}", RegName { arch, reg, bytes: piece.reg_bytes() })?,
        Place::Stack { offset } => write!(f, "@sp+{offset}")?,
        Place::RegPlus { reg, also } => write!(f, "@{}+{}", name(arch, reg), name(arch, also))?,
    }
    match piece.ext {
        Extension::None => Ok(()),
        Extension::Zero { from, to } => write!(f, " zx{from}:{to}"),
        Extension::Sign { from, to } => write!(f, " sx{from}:{to}"),
        Extension::Lanes { from, to } => write!(f, " lanes{from}:{to}"),
    }
}
