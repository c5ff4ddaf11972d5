//! Operations of the machine by the names of LLVM's intrinsics: what C's `__crc32…`, `vaes…` and `vsha…` become.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Opcode, Type};

use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::{gpr, vreg};
use crate::aarch64::reg::{Fp, Vreg, Width};
use crate::aarch64::registers::VTEMP;

/// What an operation is of: the first operand of those of vectors is changed, unless there is but one.
#[derive(Clone, Copy)]
enum Form {
    /// Two words, the last of which may be a double word.
    Crc(Crc),
    /// A vector of bytes.
    One(Cipher),
    /// Two.
    Two(Cipher),
    /// A word by way of a vector register.
    Word(Hash2),
    /// Two vectors of words.
    Words2(Hash2),
    /// Three.
    Words3(Hash3),
    /// The same with a word in the middle.
    WithWord(Hash3),
}

/// The operation of a name.
fn find(name: &str) -> Option<Form> {
    Some(match name.strip_prefix("aarch64.")? {
        "crc32b" => Form::Crc(CRC32B),
        "crc32h" => Form::Crc(CRC32H),
        "crc32w" => Form::Crc(CRC32W),
        "crc32x" => Form::Crc(CRC32X),
        "crc32cb" => Form::Crc(CRC32CB),
        "crc32ch" => Form::Crc(CRC32CH),
        "crc32cw" => Form::Crc(CRC32CW),
        "crc32cx" => Form::Crc(CRC32CX),
        "crypto.aese" => Form::Two(AESE),
        "crypto.aesd" => Form::Two(AESD),
        "crypto.aesmc" => Form::One(AESMC),
        "crypto.aesimc" => Form::One(AESIMC),
        "crypto.sha1h" => Form::Word(SHA1H),
        "crypto.sha1su1" => Form::Words2(SHA1SU1),
        "crypto.sha256su0" => Form::Words2(SHA256SU0),
        "crypto.sha1su0" => Form::Words3(SHA1SU0),
        "crypto.sha256h" => Form::Words3(SHA256H),
        "crypto.sha256h2" => Form::Words3(SHA256H2),
        "crypto.sha256su1" => Form::Words3(SHA256SU1),
        "crypto.sha1c" => Form::WithWord(SHA1C),
        "crypto.sha1p" => Form::WithWord(SHA1P),
        "crypto.sha1m" => Form::WithWord(SHA1M),
        _ => return None,
    })
}

impl Form {
    /// The types of its operands, as many as it has, and of its result.
    fn types(self) -> ([Option<Type>; 3], Option<Type>) {
        let (bytes, words) = (Type::vector(Type::I8, 16), Type::vector(Type::I32, 4));
        let word = Some(Type::I32);
        match self {
            Form::Crc(CRC32X | CRC32CX) => ([word, Some(Type::I64), None], word),
            Form::Crc(_) => ([word, word, None], word),
            Form::One(_) => ([bytes, None, None], bytes),
            Form::Two(_) => ([bytes, bytes, None], bytes),
            Form::Word(_) => ([word, None, None], word),
            Form::Words2(_) => ([words, words, None], words),
            Form::Words3(_) => ([words; 3], words),
            Form::WithWord(_) => ([words, word, words], words),
        }
    }
}

/// Emits the operation.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    let name = cx.module.machine_ops.get(d.flags as usize).map_or("", String::as_str);
    let refuse =
        |why: &str| Err(CompileError::at(cx.f, d.inst, format!("the intrinsic `llvm.{name}` is not supported: {why}")));
    let Some(form) = find(name) else { return refuse("it is not known on AArch64") };
    let (operands, result) = form.types();
    let fits = operands.iter().zip([d.a, d.b, d.c]).all(|(ty, v)| ty.is_none_or(|ty| cx.ty(v) == ty));
    if !fits || d.op != Opcode::Machine || result != Some(d.ty) {
        return refuse("its operands or its result are of other types");
    }
    let (w, t) = (Width::W, vreg(VTEMP));
    match form {
        Form::Crc(op) => {
            let (x, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
            define(cx, d.r, |cx, dst| asm(cx).crc(op, gpr(dst), x, y))
        }
        Form::One(op) => {
            let x = float(cx, d.a)?;
            define(cx, d.r, |cx, dst| asm(cx).cipher(op, vreg(dst), x))
        }
        Form::Two(op) => {
            let y = float(cx, d.b)?;
            change(cx, (d.r, d.a), |cx, dst| asm(cx).cipher(op, vreg(dst), y))
        }
        Form::Word(op) => {
            let x = reg(cx, d.a)?;
            define(cx, d.r, |cx, dst| {
                let mut e = asm(cx);
                e.from_int(FMOV_FROM_INT, w, Fp::S, t, x);
                e.hash2(op, t, t);
                e.to_int(FMOV_TO_INT, w, Fp::S, gpr(dst), t);
            })
        }
        Form::Words2(op) => {
            let y = float(cx, d.b)?;
            change(cx, (d.r, d.a), |cx, dst| asm(cx).hash2(op, vreg(dst), y))
        }
        Form::Words3(op) => {
            let (y, z): (Vreg, Vreg) = (float(cx, d.b)?, float(cx, d.c)?);
            change(cx, (d.r, d.a), |cx, dst| asm(cx).hash3(op, vreg(dst), y, z))
        }
        Form::WithWord(op) => {
            let (y, z) = (reg(cx, d.b)?, float(cx, d.c)?);
            change(cx, (d.r, d.a), |cx, dst| {
                let mut e = asm(cx);
                e.from_int(FMOV_FROM_INT, w, Fp::S, t, y);
                e.hash3(op, vreg(dst), t, z);
            })
        }
    }
}
