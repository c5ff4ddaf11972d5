//! How LLVM's x86 back ends split values of LLVM types: the part of type legalization that calls show.
//!
//! Every value of a signature becomes a list of [`Part`]s, each for one register or stack slot; the conventions give
//! them places. Source: LLVM's SelectionDAG (`getCopyToParts`, `getVectorTypeBreakdown`) and what llc 19 was seen to
//! do.

use crate::prelude::*;

/// The kind of a register-sized part of a value, which decides about its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Int,
    /// `half` and `bfloat`.
    Half,
    /// `float` and `double`.
    Float,
    Fp128,
    Fp80,
    /// A vector register of this many bytes.
    Vector(u32),
}

/// The kind of a vector's lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lane {
    Int,
    /// 16-bit floating-point numbers.
    Half,
    /// Wider ones.
    Wide,
    /// Single bits, which take a byte or more each when they are passed.
    Bit,
}

/// A part of a value, for one register or stack slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    /// Offset and size in the value's memory image, in bytes.
    pub(crate) offset: u32,
    pub(crate) size: u32,
    /// For integers, the width in bits; that of a register if there are several parts.
    pub(crate) bits: u32,
    pub(crate) ext: Extension,
    /// The index of the scalar of the aggregate that it belongs to.
    pub(crate) scalar: u16,
    /// For vectors, the kind of their lanes; for others [`Lane::Wide`].
    pub(crate) lane: Lane,
}

impl Part {
    /// The piece at `place`.
    pub(crate) fn piece(&self, place: Place) -> Piece {
        let Part { offset, size, ext, scalar, .. } = *self;
        Piece { offset, size, place, scalar, ext, assume: ext }
    }

    /// Number of bytes of a copy whose address is passed. Lanes that are wider in registers are as wide in the copy.
    pub(crate) fn copied_bytes(&self) -> u64 {
        match (self.kind, self.ext) {
            (Kind::Vector(bytes), Extension::Lanes { .. }) => bytes.into(),
            _ => self.size.into(),
        }
    }

    /// An error if lanes are passed wider than they are in memory, where `va_arg` looks for them.
    pub(crate) fn check_va_arg(&self) -> Result<(), AbiError> {
        match self.ext {
            Extension::Lanes { .. } => {
                Err(AbiError::ty("va_arg of a vector whose lanes travel wider than they are in memory"))
            }
            _ => Ok(()),
        }
    }
}

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

/// Splits values for one argument or result.
pub(crate) struct Splitter {
    layout: DataLayout,
    /// Bytes of a general register.
    word: u32,
    /// Bytes of the widest vector register.
    vector_bytes: u32,
    widen: Widen,
    least: Least,
    darwin: bool,
}

type Each<'a> = dyn FnMut(Part) -> Result<(), AbiError> + 'a;

impl Splitter {
    pub(crate) fn new(target: &Target, widen: Widen, least: Least) -> Splitter {
        Splitter {
            layout: DataLayout::new(target),
            word: target.pointer_bytes(),
            vector_bytes: target.features.vector_bytes.max(16) as u32,
            widen,
            least,
            darwin: target.os == Os::Darwin,
        }
    }

    /// Calls `each` for the parts of all values of a type, in order.
    pub(crate) fn all(&self, ty: &LlvmType, each: &mut Each<'_>) -> Result<(), AbiError> {
        self.layout.each_leaf(ty, &mut |index, value| self.split(index, value, each))
    }

    /// The parts of all values of a type, in order.
    pub(crate) fn parts(&self, ty: &LlvmType) -> Result<Vec<Part>, AbiError> {
        let mut parts = Vec::new();
        self.all(ty, &mut |part| {
            parts.push(part);
            Ok(())
        })?;
        Ok(parts)
    }

    /// Calls `each` for the parts of `value` in order.
    fn split(&self, index: u16, value: Leaf, each: &mut Each<'_>) -> Result<(), AbiError> {
        let offset = u32::try_from(value.offset).map_err(|_| AbiError::ty("an offset over 2^32"))?;
        let mut each = |part: Part| each(Part { scalar: index, ..part });
        match value.lanes {
            None => self.split_scalar(value.lane, offset, &mut each),
            Some(lanes) => self.split_vector(value.lane, lanes, offset, &mut each),
        }
    }

    fn split_scalar(&self, scalar: LlvmScalar, offset: u32, each: &mut Each<'_>) -> Result<(), AbiError> {
        self.layout.llvm_scalar(scalar)?;
        match scalar {
            LlvmScalar::Ptr => each(part(Kind::Int, offset, self.word)),
            LlvmScalar::Half | LlvmScalar::BFloat => each(part(Kind::Half, offset, 2)),
            LlvmScalar::Float => each(part(Kind::Float, offset, 4)),
            LlvmScalar::Double => each(part(Kind::Float, offset, 8)),
            LlvmScalar::Fp128 if self.word == 8 => each(part(Kind::Fp128, offset, 16)),
            // If there are no registers for it, it is four integers.
            LlvmScalar::Fp128 => (0..4).try_for_each(|i| each(part(Kind::Int, offset + 4 * i, 4))),
            LlvmScalar::X86Fp80 => each(part(Kind::Fp80, offset, 10)),
            LlvmScalar::Int(bits) => {
                let width = 8 * self.word;
                let last = (bits - 1) / width;
                (0..=last).try_for_each(|i| {
                    let left = bits - width * i;
                    let size = left.div_ceil(8).min(self.word);
                    let ext = if i == last { self.extension(left, bits) } else { Extension::None };
                    each(Part {
                        bits: if last == 0 { bits } else { width },
                        ext,
                        ..part(Kind::Int, offset + self.word * i, size)
                    })
                })
            }
        }
    }

    /// How the top part of an integer of `bits` bits, with `left` bits of it, is widened: to the register that LLVM
    /// promotes it to.
    fn extension(&self, left: u32, bits: u32) -> Extension {
        let to = match (self.least, bits) {
            (Least::Result, 1) => 8,
            (Least::Result, 8 | 16) if !self.darwin => bits,
            (Least::Register, _) => 8 * self.word,
            (Least::Byte, 1..=8) => 8,
            (Least::Byte, 9..=16) => 16,
            (_, 1..=32) => 32,
            _ => 8 * self.word,
        };
        Extension::of(self.widen, left as u16, to as u16)
    }

    /// Narrow vectors are widened to one register. Wide ones are split into registers if the number of lanes is a power
    /// of two, and into lanes otherwise.
    fn split_vector(&self, lane: LlvmScalar, lanes: u32, offset: u32, each: &mut Each<'_>) -> Result<(), AbiError> {
        let lane_bits = lane.bits(8 * self.word);
        if lanes == 0 || lanes > 1 << 16 {
            return Err(AbiError::ty(alloc::format!("a vector of {lanes} lanes")));
        }
        let kind = match lane {
            LlvmScalar::Int(1) => Lane::Bit,
            LlvmScalar::Int(_) | LlvmScalar::Ptr => Lane::Int,
            LlvmScalar::Half | LlvmScalar::BFloat => Lane::Half,
            _ => Lane::Wide,
        };
        let mut each = |part: Part| each(Part { lane: kind, ..part });
        if lanes == 1 {
            return match lane {
                // It is widened like longer vectors; other single lanes become scalars.
                LlvmScalar::Half | LlvmScalar::BFloat => each(part(Kind::Vector(16), offset, 2)),
                _ => self.split_lane(lane, offset, &mut each),
            };
        }
        if lane_bits == 1 {
            // A mask is passed as a vector with the same number of lanes that fills an xmm register; any other vector
            // of bits is passed bit by bit.
            return match lanes {
                2 | 4 | 8 | 16 => each(part(Kind::Vector(16), offset, 16)),
                _ => (0..lanes).try_for_each(|i| self.split_scalar(lane, offset + i, &mut each)),
            };
        }
        let is_int = matches!(lane, LlvmScalar::Int(_));
        let fits_registers = matches!(lane_bits, 8 | 16 | 32 | 64);
        // A lane that is not a whole number of bytes counts as the next whole number.
        let bytes = lane_bits.div_ceil(8);
        if !fits_registers && let Some(to) = self.promoted(lane_bits, lanes).filter(|_| is_int) {
            let ext = Extension::Lanes { from: lane_bits as u16, to: to as u16 };
            return each(Part { ext, ..part(Kind::Vector(to * lanes / 8), offset, bytes * lanes) });
        }
        let widened = bytes * lanes.next_power_of_two();
        let one = if lanes.is_power_of_two() {
            widened <= self.vector_bytes
        } else {
            (16..=self.vector_bytes).contains(&widened) || (lanes == 3 && lane_bits == 16 && !is_int)
        };
        if fits_registers && one {
            return each(part(Kind::Vector(widened.max(16)), offset, bytes * lanes));
        }
        if fits_registers && lanes.is_power_of_two() {
            return (0..widened / self.vector_bytes).try_for_each(|i| {
                let at = offset + i * self.vector_bytes;
                each(part(Kind::Vector(self.vector_bytes), at, self.vector_bytes))
            });
        }
        (0..lanes).try_for_each(|i| self.split_lane(lane, offset + i * bytes, &mut each))
    }

    /// Splits a lane that is passed on its own. For an integer of several registers, their number is a power of two,
    /// and the last ones carry nothing.
    fn split_lane(&self, lane: LlvmScalar, offset: u32, each: &mut Each<'_>) -> Result<(), AbiError> {
        self.split_scalar(lane, offset, each)?;
        let LlvmScalar::Int(bits) = lane else { return Ok(()) };
        let words = bits.div_ceil(8 * self.word);
        let empty = Part { size: 0, ..part(Kind::Int, offset + bits.div_ceil(8), self.word) };
        (words..words.next_power_of_two()).try_for_each(|_| each(empty))
    }

    /// The width to which lanes that are no machine value type are promoted: the smallest with which a register holds
    /// the vector.
    fn promoted(&self, lane_bits: u32, lanes: u32) -> Option<u32> {
        let holds = |&to: &u32| to > lane_bits && (128..=8 * self.vector_bytes).contains(&(to * lanes));
        [8, 16, 32, 64].into_iter().find(holds).filter(|_| lanes.is_power_of_two())
    }
}

/// A part of a value outside of aggregates.
fn part(kind: Kind, offset: u32, size: u32) -> Part {
    Part { kind, offset, size, bits: 8 * size, ext: Extension::None, scalar: 0, lane: Lane::Wide }
}

/// The size and alignment of a `byval` copy whose smallest slot is `slot` bytes: `alignstack` overrides `align`, and an
/// empty type takes a slot too.
pub(crate) fn by_value_slot(attrs: &Attrs, size: u64, align: u32, slot: u32) -> (u64, u32) {
    (size.max(1), attrs.stack_align.unwrap_or(align).max(slot))
}
