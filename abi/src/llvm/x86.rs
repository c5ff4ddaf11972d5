//! x86's registers, for LLVM's type legalization: each vector that fills a vector register is legal, and narrower ones are widened
//! to the narrowest register instead of getting wider lanes.

use crate::llvm::legalize::{Kind, Legal, Part, Registers, Splitter};
use crate::prelude::*;

/// Who widens small integers, and to what width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Least {
    /// Arguments that are widened to 32 bits at least.
    Word,
    /// Arguments that stay in the smallest register that holds them (Windows x64).
    Byte,
    /// Arguments that are widened to a whole register (`ghccc`).
    Register,
    /// Results: those of 8 and 16 bits stay as they are, except on Apple's systems.
    Result,
}

struct X86 {
    /// Bits of a general register.
    int_bits: u32,
    /// Bytes of the widest vector register.
    vector_bytes: u32,
    /// Are there vector registers for integers?
    integers: bool,
    /// Are floating-point numbers integers?
    soft_float: bool,
    least: Least,
    darwin: bool,
}

impl Registers for X86 {
    const WIDENS: bool = true;

    fn int_bits(&self) -> u32 {
        self.int_bits
    }

    fn holds(&self, lane: LlvmScalar, lanes: u32) -> bool {
        let bits = lane.bits(self.int_bits);
        let bytes = bits / 8 * lanes;
        matches!(bits, 8 | 16 | 32 | 64) && bytes.is_power_of_two() && (16..=self.vector_bytes).contains(&bytes)
    }

    fn float(&self, scalar: LlvmScalar) -> Result<Option<Kind>, AbiError> {
        Ok(match scalar {
            LlvmScalar::X86Fp80 if self.soft_float => {
                return Err(AbiError::ty("x86_fp80 without floating-point registers (`use-soft-float`)"));
            }
            _ if self.soft_float => None,
            LlvmScalar::Half | LlvmScalar::BFloat => Some(Kind::Half),
            LlvmScalar::Float => Some(Kind::Float),
            LlvmScalar::X86Fp80 => Some(Kind::Fp80),
            // If there are no registers for it, it is four integers.
            LlvmScalar::Fp128 => (self.int_bits == 64).then_some(Kind::Quad),
            _ => Some(Kind::Double),
        })
    }

    fn widens_single(&self, lane: LlvmScalar) -> bool {
        matches!(lane, LlvmScalar::Half | LlvmScalar::BFloat)
    }

    fn special(&self, lane: LlvmScalar, lanes: u32) -> Option<Legal> {
        match (lane, lanes) {
            _ if self.soft_float => Some(Legal::Lanes),
            (LlvmScalar::Int(_) | LlvmScalar::Ptr, _) if !self.integers => Some(Legal::Lanes),
            // A mask is passed as a vector with the same number of lanes that fills an xmm register; any other vector
            // of bits is passed bit by bit.
            (LlvmScalar::Int(1), 2 | 4 | 8 | 16) => Some(Legal::Mask),
            (LlvmScalar::Int(1), _) => Some(Legal::Lanes),
            (LlvmScalar::Half | LlvmScalar::BFloat, 3) => Some(Legal::Whole(lane, 8)),
            _ => None,
        }
    }

    fn promoted_bits(&self, bits: u32) -> u32 {
        match (self.least, bits) {
            (Least::Result, 1) => 8,
            (Least::Result, 8 | 16) if !self.darwin => bits,
            (Least::Register, _) => self.int_bits,
            (Least::Byte, 1..=8) => 8,
            (Least::Byte, 9..=16) => 16,
            (_, 1..=32) => 32,
            _ => self.int_bits,
        }
    }
}

/// The parts of all values of a type, in order.
pub(crate) fn parts(target: &AbiTarget, ty: &LlvmType, widen: Widen, least: Least) -> Result<Vec<Part>, AbiError> {
    let registers = X86 {
        int_bits: 8 * target.pointer_bytes(),
        vector_bytes: target.features.vector_bytes.max(16) as u32,
        integers: target.features.vector_bytes > 0,
        soft_float: !target.features.hard_float,
        least,
        darwin: target.os == Os::Darwin,
    };
    Splitter::new(&registers, &DataLayout::new(target), ty, widen)?.parts(ty)
}

/// The error for a value that `x86_regcallcc` passes in registers where nothing can be passed here.
pub(crate) const REG_CALL_LACKS: &str = "x86_regcallcc has no register here for this type";

/// The registers of arguments, where functions preserve others than their convention says, or those of `x86_regcallcc`: callees
/// may change them (LLVM, `shouldDisableArgRegFromCSR`).
pub(crate) fn changed_arguments(signature: &Signature, abi: &FnAbi) -> RegSet {
    let chosen = signature.modifiers.preserves == Preserves::All || signature.convention == Convention::RegCall;
    let pieces = abi.args.iter().flat_map(|arg| arg.mode.pieces().iter().filter_map(Piece::reg));
    if chosen { pieces.fold(RegSet::EMPTY, RegSet::with) } else { RegSet::EMPTY }
}

/// The size and alignment of a `byval` copy whose smallest slot is `slot` bytes: `alignstack` overrides `align`, and an
/// empty type takes a slot too.
pub(crate) fn by_value_slot(attrs: &Attrs, size: u64, align: u32, slot: u32) -> (u64, u32) {
    (size.max(1), attrs.stack_align.unwrap_or(align).max(slot))
}
