//! How LLVM's type legalization splits a value into what registers hold. Each architecture says which vectors and which
//! floating-point types that is.
//!
//! Source: what llc 19 was seen to do; names are those of LLVM's legalization actions (LLVM, "The LLVM
//! Target-Independent Code Generator", "SelectionDAG LegalizeTypes Phase").

use crate::prelude::*;

/// The kind of a register's contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An integer or pointer of this many bits: 32, or 64 if general registers have that many.
    Int(u8),
    /// `half` and `bfloat`.
    Half,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `fp128`.
    Quad,
    /// `x86_fp80`.
    Fp80,
    /// A vector of this many bytes.
    Vector(u8),
}

impl Kind {
    /// Number of bytes of the register that are used.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Kind::Int(bits) => u32::from(bits) / 8,
            Kind::Half => 2,
            Kind::Float => 4,
            Kind::Double => 8,
            Kind::Fp80 => 10,
            Kind::Quad => 16,
            Kind::Vector(bytes) => bytes.into(),
        }
    }
}

/// A part of a value, for one register or stack slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    /// Offset and size in the value's memory image, in bytes.
    pub(crate) offset: u32,
    pub(crate) size: u32,
    /// The scalar that it belongs to, or for vectors the lane.
    pub(crate) lane: LlvmScalar,
    pub(crate) ext: Extension,
    /// The index of the scalar or vector of an aggregate that it belongs to.
    pub(crate) scalar: u16,
    /// The index among the parts of that scalar or vector, and their number.
    pub(crate) index: u32,
    pub(crate) count: u32,
}

impl Part {
    /// It is the first of several parts.
    pub(crate) fn is_first_of_several(&self) -> bool {
        self.index == 0 && self.count > 1
    }

    pub(crate) fn piece(&self, place: Place) -> Piece {
        let Part { offset, size, scalar, ext, .. } = *self;
        Piece { offset, size, place, scalar, ext, assume: ext }
    }

    /// For integers, the width in bits; that of a register if there are several parts.
    pub(crate) fn bits(&self) -> u32 {
        bits(self.lane).min(8 * self.kind.bytes())
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

/// The registers of a target, for type legalization.
pub(crate) trait Registers {
    /// Whether narrow vectors of whole bytes get more lanes instead of wider ones.
    const WIDENS: bool = false;

    /// Width of a general register in bits.
    fn int_bits(&self) -> u32;

    /// Does a register hold exactly this vector? Pointers count as integers here.
    fn holds(&self, lane: LlvmScalar, lanes: u32) -> bool;

    /// The kind of register for this floating-point type. `None`: it is passed like an integer of its size.
    ///
    /// # Errors
    /// The target lacks the type.
    fn float(&self, scalar: LlvmScalar) -> Result<Option<Kind>, AbiError>;

    /// Is a vector of one lane widened? In most cases LLVM makes it a scalar.
    fn widens_single(&self, _: LlvmScalar) -> bool {
        false
    }

    /// How a vector is legalized that is an exception.
    fn special(&self, _: LlvmScalar, _: u32) -> Option<Legal> {
        None
    }

    /// The width to which an integer of this width is widened.
    fn promoted_bits(&self, bits: u32) -> u32 {
        if bits <= 32 { 32 } else { self.int_bits() }
    }
}

/// How a vector is legalized.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Legal {
    /// One register holds it, with lanes of this width.
    Whole(LlvmScalar, u32),
    /// A mask: one register of 16 bytes.
    Mask,
    /// Each register holds this many lanes.
    Split(u32),
    /// Every lane is passed as a scalar.
    Lanes,
}

/// Takes values apart.
pub(crate) struct Splitter<'a, R> {
    registers: &'a R,
    pub(crate) layout: &'a DataLayout,
    widen: Widen,
}

impl<'a, R: Registers> Splitter<'a, R> {
    /// The splitter for a parameter or result of type `ty` with the attribute `widen`.
    ///
    /// # Errors
    /// The attribute is on a type that is not an integer.
    pub(crate) fn new(registers: &'a R, layout: &'a DataLayout, ty: &LlvmType, widen: Widen) -> Result<Self, AbiError> {
        if widen != Widen::None && !matches!(ty, LlvmType::Scalar(LlvmScalar::Int(_))) {
            return Err(AbiError::ty("zeroext and signext need an integer"));
        }
        Ok(Splitter { registers, layout, widen })
    }

    /// Calls `each` for the parts of all values of `ty`, in order.
    pub(crate) fn split_all(
        &self,
        ty: &LlvmType,
        mut each: impl FnMut(Part) -> Result<(), AbiError>,
    ) -> Result<(), AbiError> {
        self.layout.each_leaf(ty, &mut |index, value| self.split(index, value, &mut each))
    }

    /// The parts of all values of `ty`, in order.
    pub(crate) fn parts(&self, ty: &LlvmType) -> Result<Vec<Part>, AbiError> {
        let mut parts = Vec::new();
        self.split_all(ty, |part| {
            parts.push(part);
            Ok(())
        })?;
        Ok(parts)
    }

    /// Calls `each` for the parts of `value` in order.
    pub(crate) fn split(
        &self,
        index: u16,
        value: Leaf,
        each: &mut impl FnMut(Part) -> Result<(), AbiError>,
    ) -> Result<(), AbiError> {
        let offset = u32::try_from(value.offset).map_err(|_| AbiError::ty("an offset over 2^32"))?;
        self.layout.llvm_scalar(value.lane)?;
        let lane = self.plain(value.lane);
        let (kind, ext) = (Kind::Int(32), Extension::None);
        let part = Part { kind, offset, size: 0, lane, ext, scalar: index, index: 0, count: 1 };
        match value.lanes {
            None => self.split_scalar(lane, Part { count: self.scalar_parts(lane)?, ..part }, each),
            Some(lanes) => self.split_vector(lane, lanes, part, each),
        }
    }

    /// Pointers are integers.
    pub(crate) fn plain(&self, lane: LlvmScalar) -> LlvmScalar {
        if lane == LlvmScalar::Ptr { LlvmScalar::Int(self.registers.int_bits()) } else { lane }
    }

    /// The kind of a scalar that is not an integer, or of the integer that its bits are passed as.
    fn scalar_kind(&self, scalar: LlvmScalar) -> Result<Result<Kind, u32>, AbiError> {
        Ok(match scalar {
            LlvmScalar::Int(bits) => Err(bits),
            _ => self.registers.float(scalar)?.ok_or(bits(scalar)),
        })
    }

    fn scalar_parts(&self, scalar: LlvmScalar) -> Result<u32, AbiError> {
        Ok(self.scalar_kind(scalar)?.map_or_else(|bits| bits.div_ceil(self.registers.int_bits()), |_| 1))
    }

    /// `start` says where the scalar begins and the index of its first part.
    fn split_scalar(
        &self,
        scalar: LlvmScalar,
        start: Part,
        each: &mut impl FnMut(Part) -> Result<(), AbiError>,
    ) -> Result<(), AbiError> {
        let all = match self.scalar_kind(scalar)? {
            Ok(kind) => return each(Part { kind, size: bits(scalar) / 8, ..start }),
            Err(bits) => bits,
        };
        let word = self.registers.int_bits();
        let last = (all - 1) / word;
        let promoted = self.registers.promoted_bits(all) as u16;
        // They come in the order of memory.
        let endian = self.layout.endian();
        (0..=last).try_for_each(|i| {
            let part = if endian.is_big() { last - i } else { i };
            let left = all - word * part;
            let ext = if part == last { Extension::of(self.widen, left as u16, promoted) } else { Extension::None };
            let size = left.div_ceil(8).min(word / 8);
            each(Part {
                kind: Kind::Int(if all <= 32 { 32 } else { word as u8 }),
                offset: start.offset + endian.place(word / 8 * part, size, all.div_ceil(8)),
                size,
                ext,
                index: start.index + i,
                ..start
            })
        })
    }

    fn split_vector(
        &self,
        lane: LlvmScalar,
        lanes: u32,
        start: Part,
        each: &mut impl FnMut(Part) -> Result<(), AbiError>,
    ) -> Result<(), AbiError> {
        if lanes == 0 || lanes > 1 << 16 {
            return Err(AbiError::ty(alloc::format!("a vector of {lanes} lanes")));
        }
        let lane_bits = bits(lane);
        match self.legalize(lane, lanes) {
            Legal::Whole(wide, count) => {
                let to = bits(wide);
                let ext = if to == lane_bits {
                    Extension::None
                } else {
                    Extension::Lanes { from: lane_bits as u16, to: to as u16 }
                };
                let size = match ext {
                    Extension::Lanes { .. } => lane_bits.div_ceil(8) * lanes,
                    _ => (lane_bits * lanes).div_ceil(8),
                };
                each(Part { kind: Kind::Vector((to * count / 8) as u8), size, ext, ..start })
            }
            Legal::Mask => each(Part { kind: Kind::Vector(16), size: 16, ..start }),
            Legal::Split(of) => {
                let size = lane_bits * of / 8;
                let count = lanes / of;
                (0..count).try_for_each(|index| {
                    let offset = start.offset + index * size;
                    each(Part { kind: Kind::Vector(size as u8), offset, size, index, count, ..start })
                })
            }
            Legal::Lanes => {
                // The number of registers for a lane is a power of two: the last ones carry nothing.
                let carry = self.scalar_parts(lane)?;
                let parts = carry.next_power_of_two();
                let bytes = lane_bits.div_ceil(8);
                (0..lanes).try_for_each(|i| {
                    // A lane that is not a whole number of bytes counts as the next whole number.
                    let offset = start.offset + i * bytes;
                    let first = Part { offset, index: i * parts, count: lanes * parts, ..start };
                    self.split_scalar(lane, first, each)?;
                    let empty = Part {
                        kind: Kind::Int(self.registers.int_bits() as u8),
                        offset: offset + bytes,
                        size: 0,
                        ..first
                    };
                    (carry..parts).try_for_each(|k| each(Part { index: i * parts + k, ..empty }))
                })
            }
        }
    }

    /// LLVM's choice between promoting lanes, widening, splitting and scalarizing. It differs between vectors that are
    /// machine value types and all others.
    fn legalize(&self, lane: LlvmScalar, lanes: u32) -> Legal {
        let holds = |lane, lanes| self.registers.holds(lane, lanes);
        if let Some(special) = self.registers.special(lane, lanes) {
            return special;
        }
        if holds(lane, lanes) {
            return Legal::Whole(lane, lanes);
        }
        let found = if is_machine_type(lane, lanes) { self.machine(lane, lanes) } else { self.extended(lane, lanes) };
        if let Some(whole) = found {
            return whole;
        }
        let mut of = if lanes.is_power_of_two() { lanes } else { 1 };
        while of > 1 && !holds(lane, of) {
            of /= 2;
        }
        if holds(lane, of) { Legal::Split(of) } else { Legal::Lanes }
    }

    /// Legalizes a machine value type that no register holds as it is.
    fn machine(&self, lane: LlvmScalar, lanes: u32) -> Option<Legal> {
        let widens = self.registers.widens_single(lane);
        if lanes == 1 && !widens {
            return None;
        }
        if !lanes.is_power_of_two() {
            return self.whole(lane, lanes.next_power_of_two());
        }
        let promoted = || widths(lane).find_map(|wide| self.whole(wide, lanes));
        let widened = || (1..8).find_map(|shift| self.whole(lane, lanes << shift));
        if lanes == 1 || R::WIDENS { widened() } else { promoted().or_else(widened) }
    }

    /// Legalizes any other vector.
    fn extended(&self, lane: LlvmScalar, lanes: u32) -> Option<Legal> {
        if lanes == 1 && !self.registers.widens_single(lane) {
            return None;
        }
        if let LlvmScalar::Int(bits) = lane {
            if !lanes.is_power_of_two() {
                return self.whole(lane, lanes.next_power_of_two());
            }
            if bits > self.registers.int_bits() && bits.is_power_of_two() {
                return None;
            }
            if let Some(promoted) = widths(lane).find_map(|wide| self.whole(wide, lanes)) {
                return Some(promoted);
            }
        }
        let wider = lanes.next_power_of_two();
        let first = if wider == lanes { 2 * lanes } else { wider };
        (0..8).find_map(|shift| self.whole(lane, first << shift))
    }

    fn whole(&self, lane: LlvmScalar, lanes: u32) -> Option<Legal> {
        self.registers.holds(lane, lanes).then_some(Legal::Whole(lane, lanes))
    }
}

/// The memory of a result that is too large for registers; LLVM gives it its preferred alignment.
pub(crate) fn memory(layout: &DataLayout, ty: &LlvmType) -> Result<Layout, AbiError> {
    let whole = layout.llvm(ty)?;
    let align = match ty {
        _ if !ty.is_aggregate() => whole.align,
        LlvmType::Array { element, .. } if ty.count() > 0 && !ty.holds_struct() => match innermost(element) {
            vector @ LlvmType::Vector { .. } => layout.llvm_preferred_align(vector)?,
            _ => whole.align,
        },
        _ => layout.llvm_preferred_align(ty)?,
    };
    Ok(Layout { align: align.max(whole.align), ..whole })
}

/// The element type of arrays of arrays.
fn innermost(mut ty: &LlvmType) -> &LlvmType {
    while let LlvmType::Array { element, .. } = ty {
        ty = element;
    }
    ty
}

/// The wider integers to which a lane is promoted.
fn widths(lane: LlvmScalar) -> impl Iterator<Item = LlvmScalar> {
    let bits = if let LlvmScalar::Int(bits) = lane { bits } else { u32::MAX };
    [8, 16, 32, 64].into_iter().filter(move |wide| *wide > bits).map(LlvmScalar::Int)
}

/// Width in bits; pointers have been replaced by integers.
fn bits(scalar: LlvmScalar) -> u32 {
    scalar.bits(0)
}

/// Is the vector a machine value type ("MVT") of LLVM 19?
fn is_machine_type(lane: LlvmScalar, lanes: u32) -> bool {
    let power = |most: u32| lanes.is_power_of_two() && lanes <= most;
    match lane {
        LlvmScalar::Int(1) => power(2048) || lanes == 3,
        LlvmScalar::Int(8) => power(1024) || lanes == 3,
        LlvmScalar::Int(16) => power(512) || lanes == 3,
        LlvmScalar::Int(32) => power(2048) || lanes <= 12,
        LlvmScalar::Int(64) => power(256) || lanes == 3,
        LlvmScalar::Int(128) => lanes == 1,
        LlvmScalar::Half => power(512) || lanes == 3,
        LlvmScalar::BFloat => lanes != 1 && power(128) || lanes == 3,
        LlvmScalar::Float => power(2048) || lanes <= 12,
        LlvmScalar::Double => power(256) || lanes == 3,
        _ => false,
    }
}

/// Refuses C types in a convention that only LLVM IR has.
pub(crate) fn llvm_types_only(signature: &Signature) -> Result<(), AbiError> {
    let is_c = |ty: &AbiType| matches!(ty, AbiType::C(ty) if *ty != CType::Void);
    if signature.params.iter().chain([&signature.ret]).any(|p| is_c(&p.ty)) {
        let reason = alloc::format!("the convention `{}` takes LLVM types only", signature.convention.llvm_keyword());
        return Err(AbiError::new(Subject::Signature, reason));
    }
    Ok(())
}

/// The error of `ghccc` for an argument for which it has no register.
pub(crate) fn none_left() -> AbiError {
    AbiError::ty("ghccc has no register left, and no other place")
}

/// Alignment of a scalar or vector in memory.
pub(crate) fn value_align(layout: &DataLayout, value: &Leaf) -> Result<u32, AbiError> {
    Ok(match value.lanes {
        Some(lanes) => layout.llvm(&LlvmType::Vector { lane: value.lane, lanes })?.align,
        None => layout.llvm_scalar(value.lane)?.align,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reg::Reg;
    use crate::target::AbiTarget;

    /// The vectors of ARM's q and d registers.
    struct Neon;

    impl Registers for Neon {
        fn int_bits(&self) -> u32 {
            32
        }

        fn holds(&self, lane: LlvmScalar, lanes: u32) -> bool {
            matches!((lane, lanes), (LlvmScalar::Int(8 | 16 | 32 | 64), 1..)) && matches!(bits(lane) * lanes, 64 | 128)
        }

        fn float(&self, _: LlvmScalar) -> Result<Option<Kind>, AbiError> {
            Ok(None)
        }
    }

    #[test]
    fn a_piece_knows_the_bytes_of_its_register() {
        let layout = DataLayout::new(&AbiTarget::X86_64_LINUX);
        let mut widened = 0;
        for (lane, lanes) in (1..65).flat_map(|bits| (1..33).map(move |lanes| (LlvmScalar::Int(bits), lanes))) {
            let ty = LlvmType::Vector { lane, lanes };
            // Others are refused.
            let _ = Splitter::new(&Neon, &layout, &ty, Widen::None).unwrap().split_all(&ty, |part| {
                let piece = part.piece(Place::Reg(Reg::float(0)));
                if let Kind::Vector(bytes) = part.kind
                    && (piece.ext != Extension::None || piece.size.is_power_of_two())
                {
                    widened += u32::from(piece.ext != Extension::None);
                    assert_eq!(piece.reg_bytes(), Some(bytes.into()), "{ty:?}");
                }
                Ok(())
            });
        }
        assert!(widened > 100, "{widened}");
    }
}
