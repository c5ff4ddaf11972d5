//! Results of LLVM types on x86: in which registers they are returned, and when they are demoted to memory.
//!
//! Source: X86CallingConv.td (`RetCC_X86`): a table without a free place for a value passes it on to more general ones,
//! which is how `float` results of x86-64 get onto the x87 stack.

use crate::engine::{Banks, Engine};
use crate::llvm::legalize::Kind;
use crate::llvm::x86::{Least, parts};
use crate::prelude::*;

/// General registers, vector registers, x87 registers.
const BANKS: Banks = [&[0, 2, 1], &[0, 1, 2, 3], &[0, 1]];
const SWIFT_BANKS: Banks = [&[0, 2, 1, 8], &[0, 1, 2, 3], &[0, 1]];

const REG_CALL_BANKS_64: Banks =
    [&[0, 1, 2, 7, 6, 8, 9, 12, 13, 14, 15], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], &[0, 1]];
const REG_CALL_BANKS_WINDOWS: Banks = [&[0, 1, 2, 7, 6, 8, 9, 10, 11, 12, 14, 15], REG_CALL_BANKS_64[1], &[0, 1]];
const REG_CALL_BANKS_32: Banks = [&[0, 1, 2, 7, 6], &[0, 1, 2, 3, 4, 5, 6, 7], &[0, 1]];

/// How many of the vector registers xmm0 to xmm3 each kind of value may use.
#[derive(Clone, Copy)]
pub(crate) struct Returns {
    banks: Banks,
    halves: usize,
    /// `float` and `double`. Those that get no vector register are returned on the x87 stack, in its format.
    floats: usize,
    /// None in Windows x64 conventions: it is in memory as in GCC and LLVM 21; llc 19 returns it in xmm0.
    fp128: usize,
    /// `x86_fp80` is returned on the x87 stack, otherwise in memory.
    fp80: bool,
}

impl Returns {
    /// x86-64 System V.
    const C64: Returns = Returns { banks: BANKS, halves: 3, floats: 2, fp128: 2, fp80: true };
    /// `fastcc` and `tailcc` of x86-64.
    const FAST64: Returns = Returns { floats: 3, ..Returns::C64 };
    /// `swiftcc` and `swifttailcc` of x86-64.
    const SWIFT64: Returns = Returns { banks: SWIFT_BANKS, floats: 4, fp128: 4, ..Returns::C64 };
    /// `__vectorcall` of x86-64.
    const VECTORCALL64: Returns = Returns { floats: 4, fp128: 4, ..Returns::C64 };
    /// `x86_regcallcc` of x86-64.
    const REG_CALL64: Returns = Returns { banks: REG_CALL_BANKS_64, halves: 16, floats: 16, fp128: 16, fp80: true };
    /// 32-bit x86 `x86_regcallcc`.
    pub(crate) const REG_CALL32: Returns =
        Returns { banks: REG_CALL_BANKS_32, halves: 8, floats: 8, fp128: 8, fp80: true };
    /// 32-bit x86.
    pub(crate) const C32: Returns = Returns { floats: 0, ..Returns::C64 };
    /// 32-bit x86 `fastcc` and `tailcc`.
    pub(crate) const FAST32: Returns = Returns { floats: 3, ..Returns::C64 };
    /// 32-bit x86 `__vectorcall`.
    pub(crate) const VECTORCALL32: Returns = Returns { floats: 4, ..Returns::C64 };

    /// For a convention of x86-64; `windows` says whether it is one of Windows. The system itself decides about
    /// `x86_fp80`.
    pub(crate) fn of_x86_64(target: &AbiTarget, convention: Convention, windows: bool) -> Returns {
        let returns = match convention {
            Convention::Vectorcall => Returns::VECTORCALL64,
            Convention::Swift | Convention::SwiftTail => Returns::SWIFT64,
            Convention::Fast | Convention::Tail => Returns::FAST64,
            Convention::RegCall if target.is_windows() => {
                Returns { banks: REG_CALL_BANKS_WINDOWS, ..Returns::REG_CALL64 }
            }
            Convention::RegCall => Returns::REG_CALL64,
            _ => Returns::C64,
        };
        let in_memory = windows && convention != Convention::Vectorcall;
        Returns { fp80: !target.is_windows(), fp128: if in_memory { 0 } else { returns.fp128 }, ..returns }
    }
}

/// The registers of a result. `None` if it has more parts than there are registers: then it is demoted to memory whose
/// address is a hidden first argument with `sret`.
pub(crate) fn registers(
    target: &AbiTarget,
    ty: &LlvmType,
    attrs: &Attrs,
    returns: &Returns,
) -> Result<Option<PassMode>, AbiError> {
    let mut bank = Engine::new(returns.banks, 8, 16);
    let mut pieces = Pieces::new();
    let mut fits = true;
    // The last table, that of 32-bit x86, to which all others pass values on, has three vector registers for these.
    let floats = match target.arch {
        Arch::X86 if target.features.vector_bytes == 0 => 0,
        _ if attrs.in_reg => returns.floats.max(3),
        _ => returns.floats,
    };
    for part in parts(target, ty, attrs.widen, Least::Result)? {
        let mut float = |limit| bank.take(RegClass::Float, limit);
        let reg = match part.kind {
            Kind::Int(_) => bank.take(RegClass::Int, usize::MAX),
            Kind::Half => float(returns.halves),
            Kind::Vector(_) => float(usize::MAX),
            Kind::Quad => float(returns.fp128),
            Kind::Float | Kind::Double => float(floats).or_else(|| bank.take(RegClass::X87, usize::MAX)),
            Kind::Fp80 if returns.fp80 => bank.take(RegClass::X87, usize::MAX),
            Kind::Fp80 => None,
        };
        match reg {
            Some(reg) if fits => pieces.push(part.piece(Place::Reg(reg))),
            _ => fits = false,
        }
    }
    Ok(fits.then(|| PassMode::direct(pieces)))
}
