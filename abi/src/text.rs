//! The stable one-line text form of an [`FnAbi`], and types of LLVM IR as they are spelled.

use crate::fnabi::{Extension, FnAbi, PassMode, Piece, Place};
use crate::reg::{Reg, RegName};
use crate::target::Arch;
use crate::types::{LlvmScalar, LlvmStruct, LlvmType, Record};
use alloc::string::String;
use core::fmt::{self, Write};

/// `r: [0..4)@rax; a1: [0..8)@xmm0, [8..16)@rdi; a2: copy [0..24)@sp+0; pop 0`.
///
/// `-` is a value that is not passed, `&[0..24)@rdi` one at the address in rdi, `sp+n` a stack slot *n* bytes above the
/// stack pointer at the call; `sx8:32` and `zx8:32` say that the sender widens from 8 to 32 bits, `lanes8:16` that each
/// lane of a vector is in 16 bits. Then follow, if there are any: stack bytes, stack alignment beyond 16, the bound in
/// `al`, and the register in which `this` is returned.
impl fmt::Display for FnAbi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("r: ")?;
        write_mode(f, self.arch, &self.ret.mode)?;
        if let (PassMode::Indirect { .. }, Some(reg)) = (&self.ret.mode, self.sret_return_reg) {
            write!(f, " -> {}", name(self.arch, reg))?;
        }
        for (i, arg) in self.args.iter().enumerate() {
            write!(f, "; a{}: ", i + 1)?;
            write_mode(f, self.arch, &arg.mode)?;
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

fn write_mode(f: &mut fmt::Formatter<'_>, arch: Arch, mode: &PassMode) -> fmt::Result {
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
            range(f, pointer.offset.into(), *size)?;
            place(f, arch, pointer)
        }
        PassMode::Parts(parts) => parts.iter().enumerate().try_for_each(|(i, part)| {
            f.write_str(if i > 0 { ", " } else { "" })?;
            write_mode(f, arch, part)
        }),
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

/// The names for structs that are the bodies of C records; `None` spells such a struct in full.
pub(crate) type Names<'a> = dyn Fn(&Record) -> Option<String> + 'a;

impl LlvmType {
    /// Writes the type, with the names that `names` gives to structs of C records.
    pub(crate) fn write(&self, f: &mut dyn Write, names: &Names) -> fmt::Result {
        match self {
            LlvmType::Void => f.write_str("void"),
            LlvmType::Scalar(scalar) => write!(f, "{}", Spelled(*scalar)),
            LlvmType::Vector { lane, lanes } => write!(f, "<{lanes} x {}>", Spelled(*lane)),
            LlvmType::Array { element, len } => {
                write!(f, "[{len} x ")?;
                element.write(f, names)?;
                f.write_char(']')
            }
            LlvmType::Struct(body) => match body.record.as_ref().and_then(|record| names(record)) {
                Some(name) => write_name(f, '%', &name),
                None => body.write_body(f, names),
            },
        }
    }

    /// Calls `each` for every struct of a C record in the type, inner ones first.
    pub(crate) fn each_record(&self, each: &mut dyn FnMut(&LlvmStruct, &Record)) {
        match self {
            LlvmType::Array { element, .. } => element.each_record(each),
            LlvmType::Struct(body) => {
                body.fields.iter().for_each(|(_, ty)| ty.each_record(each));
                if let Some(record) = body.record.as_ref() {
                    each(body, record);
                }
            }
            _ => {}
        }
    }
}

impl LlvmStruct {
    pub(crate) fn write_body(&self, f: &mut dyn Write, names: &Names) -> fmt::Result {
        let (open, close) = if self.packed { ("<{", "}>") } else { ("{", "}") };
        f.write_str(open)?;
        for (i, (_, ty)) in self.fields.iter().enumerate() {
            f.write_str(if i == 0 { " " } else { ", " })?;
            ty.write(f, names)?;
        }
        f.write_str(if self.fields.is_empty() { "" } else { " " })?;
        f.write_str(close)
    }
}

/// Writes a name of LLVM IR with its sigil, quoted where it must be (LangRef, "Identifiers").
pub(crate) fn write_name(f: &mut dyn Write, sigil: char, name: &str) -> fmt::Result {
    f.write_char(sigil)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '$' | '.' | '_');
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return f.write_str(name);
    }
    f.write_char('"')?;
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => write!(f, "\\{byte:02X}")?,
            _ => f.write_char(byte as char)?,
        }
    }
    f.write_char('"')
}

struct Spelled(LlvmScalar);

impl fmt::Display for Spelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            LlvmScalar::Int(bits) => return write!(f, "i{bits}"),
            LlvmScalar::Half => "half",
            LlvmScalar::BFloat => "bfloat",
            LlvmScalar::Float => "float",
            LlvmScalar::Double => "double",
            LlvmScalar::X86Fp80 => "x86_fp80",
            LlvmScalar::Fp128 => "fp128",
            LlvmScalar::Ptr => "ptr",
        })
    }
}

impl fmt::Display for LlvmType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|_| None)
    }
}
