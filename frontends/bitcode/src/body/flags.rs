//! Flags of instructions, for translation (`LLVMBitCodes.h`; `BitcodeWriter.cpp`, `getOptimizationFlags`).

use gusset_codegen::ir::Opcode;
use gusset_program::{Cast, Compare, Flags};

use crate::constants::signed;

/// Flags by their bits.
type Row = (u32, Flags);

fn of(number: u64, rows: &[Row]) -> Flags {
    let set = rows.iter().filter(|row| number >> row.0 & 1 == 1);
    set.fold(Flags::default(), |all, row| all.with(row.1))
}

/// Those of arithmetic with floating-point numbers. The first was all of them before LLVM 6.
pub(super) fn fast(number: u64) -> Flags {
    of(
        number,
        &[
            (0, Flags::FAST),
            (1, Flags::NNAN),
            (2, Flags::NINF),
            (3, Flags::NSZ),
            (4, Flags::ARCP),
            (5, Flags::CONTRACT),
            (6, Flags::AFN),
            (7, Flags::REASSOC),
        ],
    )
}

/// Those of a binary operator.
pub(super) fn binary(op: Opcode, number: u64) -> Flags {
    match op {
        Opcode::Iadd | Opcode::Isub | Opcode::Imul | Opcode::Shl => of(number, &[(0, Flags::NUW), (1, Flags::NSW)]),
        Opcode::Udiv | Opcode::Sdiv | Opcode::Lshr | Opcode::Ashr => of(number, &[(0, Flags::EXACT)]),
        Opcode::Or => of(number, &[(0, Flags::DISJOINT)]),
        Opcode::Fadd | Opcode::Fsub | Opcode::Fmul | Opcode::Fdiv | Opcode::Frem => fast(number),
        _ => Flags::default(),
    }
}

/// Those of a conversion.
pub(super) fn cast(cast: Cast, number: u64) -> Flags {
    match cast {
        Cast::Zext | Cast::Uitofp => of(number, &[(0, Flags::NNEG)]),
        Cast::Trunc => of(number, &[(0, Flags::NUW), (1, Flags::NSW)]),
        _ => fast(number),
    }
}

/// Those of a comparison.
pub(super) fn compare(compare: Compare, number: u64) -> Flags {
    match compare {
        Compare::Float(_) => fast(number),
        Compare::Int(_) => of(number, &[(0, Flags::SAMESIGN)]),
    }
}

/// Those of a `getelementptr`. Before LLVM 20 there was only the first.
pub(super) fn address(number: u64) -> Flags {
    of(number, &[(0, Flags::INBOUNDS), (1, Flags::NUSW), (2, Flags::NUW)])
}

/// The bounds of a range by its fields: the width, and the numbers; none if they have more than 64 bits.
pub(super) fn range(fields: &[u64]) -> Option<[i128; 2]> {
    match *fields {
        [..=64, low, high] => Some([signed(low).into(), signed(high).into()]),
        _ => None,
    }
}
