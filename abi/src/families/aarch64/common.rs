//! How values of C types are classified on AArch64, whatever the system, and the `va_list` of AAPCS64.
//!
//! Source: "Procedure Call Standard for the Arm 64-bit Architecture" ("AAPCS64" below, sections and rules named at each).
//! clang and GCC pass what the document leaves open as this file does; where they differ:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | result vector of 4 bytes or less | GCC: as an argument, in x0 | clang: its lanes widened, in v0 |
//! | vector of 4 bytes or less of one floating-point lane | clang: in a general register | GCC: on the stack, as a result in memory |
//! | empty C++ class of more than 8 bytes, by its alignment | GCC, AAPCS64: two registers, or by address | clang: one register |
//! | union of a floating-point type and an empty C++ class | clang: the class counts for nothing | GCC: not homogeneous |
//! | homogeneous record with a member array of no elements | clang: not homogeneous | GCC: the array counts for nothing |
//! | `_Float16` beside `__bf16` in one record | clang: homogeneous | GCC, AAPCS64: not |
//! | C record of unnamed bit-fields only | clang: it does not travel | GCC: a general register |
//! | empty C++ class of more than 8 bytes | GCC, later clang: as any other class | clang 19: as one byte |
//! | `_BitInt` of more than 64 and up to 128 bits | clang, AAPCS64: as `__int128` | GCC before 14 has none |
//! | copy of a value aligned to more than 16 bytes | clang: aligned as the type | GCC: aligned to 16 |
//! | packed record of one 16-byte vector or `long double`, on the stack | GCC, clang: aligned to 8 | clang without optimization: to 16 |
//! | static chain | LLVM 21 and later: x15 | LLVM before: x18; GCC: x18, on Windows x17, on Darwin x16 |

use crate::engine::{Banks, wanted};
use crate::homogeneous::{Homogeneity, Homogeneous};
use crate::prelude::*;
use crate::types::Flexible;

/// AAPCS64, "General-purpose Registers" and "SIMD and Floating-Point Registers": x0 to x7, v0 to v7.
pub(crate) const ARG_BANKS: Banks = [&[0, 1, 2, 3, 4, 5, 6, 7], &[0, 1, 2, 3, 4, 5, 6, 7], &[]];

/// AAPCS64, appendix "Variable argument lists": the areas for x0 to x7 and v0 to v7.
pub(crate) const SAVE_INT_BYTES: u32 = 64;
pub(crate) const SAVE_BYTES: u32 = 192;

/// `va_list`, AAPCS64, appendix "Variable argument lists": `__stack`, `__gr_top`, `__vr_top`, `__gr_offs`, `__vr_offs`.
pub(crate) const STACK: u32 = 0;
pub(crate) const GR_TOP: u32 = 8;
pub(crate) const VR_TOP: u32 = 16;
pub(crate) const GR_OFFS: u32 = 24;
pub(crate) const VR_OFFS: u32 = 28;

/// How a value is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Not at all.
    Nothing,
    /// In general registers, 8 bytes in each, the first an even one if `pair`.
    Int {
        /// The value is aligned to 16 bytes.
        pair: bool,
    },
    /// In vector registers, a member in each.
    Float(Homogeneous),
    /// By address.
    Address,
}

/// Classifies values by AAPCS64, "Parameter passing rules", stage B.
pub(crate) struct Classifier {
    pub(crate) target: AbiTarget,
    pub(crate) layout: DataLayout,
}

impl Classifier {
    pub(crate) fn new(target: &AbiTarget) -> Classifier {
        Classifier { target: *target, layout: DataLayout::new(target) }
    }

    /// How an argument is passed; also for a result, except for what [`Classifier::result`] says.
    pub(crate) fn argument(&self, ty: &CType, layout: Layout) -> Result<Shape, AbiError> {
        let shape = self.shape(ty, layout)?;
        if matches!(shape, Shape::Float(_)) && !self.target.features.hard_float {
            return Err(AbiError::ty("a number or vector in registers that are switched off (`-fp-armv8`)"));
        }
        Ok(shape)
    }

    fn shape(&self, ty: &CType, Layout { size, align }: Layout) -> Result<Shape, AbiError> {
        match ty {
            CType::Scalar(Scalar::Float(_)) => return Ok(Shape::Float(Homogeneous::one(size, false))),
            CType::Scalar(_) => return Ok(Shape::Int { pair: align >= 16 }),
            CType::Vector { .. } => {
                return Ok(match size {
                    0..=4 => Shape::Int { pair: false },
                    8 | 16 => Shape::Float(Homogeneous::one(size, true)),
                    _ => Shape::Address,
                });
            }
            CType::Record(record) => {
                // Itanium C++ ABI, section 3.1.2.3; Microsoft's ABI does the same here.
                if record.is_non_trivial() {
                    return Ok(Shape::Address);
                }
                // GNU C's empty records are not passed. In C++ they have a size, but Apple's rules ignore that (Apple,
                // "Writing ARM64 code for Apple platforms", "Pass arguments to functions correctly").
                let ignored = record.language() == Language::C || self.target.os == Os::Darwin;
                if size == 0 || ignored && Flexible::Empty.is_empty(record) {
                    return Ok(Shape::Nothing);
                }
            }
            _ => {}
        }
        if let Some(found) = self.homogeneous(ty)? {
            return Ok(Shape::Float(found));
        }
        // Rules B.4 and B.5.
        if size > 16 {
            return Ok(Shape::Address);
        }
        Ok(Shape::Int { pair: self.align(ty)? >= 16 })
    }

    /// How a result is returned. AAPCS64, "Result return": as an argument is passed; empty records are never returned.
    pub(crate) fn result(&self, ty: &CType, layout: Layout) -> Result<Shape, AbiError> {
        match ty {
            CType::Record(record) if !record.is_non_trivial() && Flexible::Empty.is_empty(record) => Ok(Shape::Nothing),
            _ => self.argument(ty, layout),
        }
    }

    /// Rule B.6: the alignment of an argument. Attributes of the record itself do not count with AAPCS64; with Apple's
    /// and Microsoft's rules they do (clang).
    pub(crate) fn align(&self, ty: &CType) -> Result<u32, AbiError> {
        match self.target.os {
            Os::Darwin | Os::Windows => Ok(self.layout.layout(ty)?.align),
            Os::Linux | Os::Bsd | Os::NetBsd | Os::None => self.layout.natural_align(ty),
        }
    }

    /// AAPCS64, "Homogeneous Aggregates".
    pub(crate) fn homogeneous(&self, ty: &CType) -> Result<Option<Homogeneous>, AbiError> {
        if !matches!(ty, CType::Record(_) | CType::Complex(_)) {
            return Ok(None);
        }
        Homogeneous::cached(&self.layout, ty, || {
            if self.target.is_msvc() && has_refused_class(ty) {
                return Ok(None);
            }
            Homogeneity { layout: &self.layout, is_base, zero_bit_fields: true }.of(ty)
        })
    }
}

/// AAPCS64, "Homogeneous Aggregates": the members' types.
pub(crate) fn is_base(ty: &CType, layout: Layout) -> bool {
    match ty {
        CType::Scalar(Scalar::Float(_)) => true,
        CType::Vector { .. } => matches!(layout.size, 8 | 16),
        _ => false,
    }
}

/// Does Microsoft's compiler refuse to take the aggregate as homogeneous, because it is or contains a certain class
/// (clang/lib/AST/MicrosoftCXXABI.cpp, `isPermittedToBeHomogeneousAggregate`; [`Record::never_homogeneous`])?
pub(crate) fn has_refused_class(ty: &CType) -> bool {
    match ty {
        CType::Array(array) => has_refused_class(array.element()),
        CType::Record(record) => {
            let refused = |field: &Field| field.is_base() || has_refused_class(&field.ty);
            record.is_never_homogeneous() || record.fields().iter().any(refused)
        }
        _ => false,
    }
}

/// Appends the pieces of a value that is passed in registers.
pub(crate) fn push_pieces(shape: Shape, size: u64, pieces: &mut Pieces) {
    // Words of 8 bytes, or the address.
    let (each, class) = match shape {
        Shape::Float(members) => (members.size, RegClass::Float),
        Shape::Nothing => return,
        Shape::Int { .. } | Shape::Address => (8, RegClass::Int),
    };
    let size = size as u32;
    let mut offset = 0;
    while offset < size {
        pieces.push(Piece { offset, ..Piece::whole(each.min(size - offset), wanted(class)) });
        offset += each;
    }
}

/// The register part of a step of `va_arg` of AAPCS64 for `pieces` in registers of a class; a `pair` begins at an even one.
/// `numbers` says how bytes are ordered in the registers' images if the pieces are numbers, as those in vector registers always are;
/// they have the registers' low bytes.
pub(crate) fn va_regs(
    class: RegClass,
    pair: bool,
    numbers: Endian,
    pieces: impl Iterator<Item = (u32, u32)>,
) -> VaRegs {
    let (field, base, each, align) = match class {
        RegClass::Int => (GR_OFFS, GR_TOP, 8, if pair { 16 } else { 1 }),
        _ => (VR_OFFS, VR_TOP, 16, 1),
    };
    let piece = |(i, (offset, size))| VaPiece { offset, size, counter: 0, at: each * i + numbers.place(0, size, each) };
    let pieces: InlineVec<VaPiece, 4> = (0..).zip(pieces).map(piece).collect();
    let counter = VaCounter { field, step: each * pieces.len() as u32, limit: 0, align, base };
    let first = pieces.iter().next().map_or(0, |p| p.at);
    let contiguous = pieces.iter().all(|p| p.at - first == p.offset);
    VaRegs { counters: InlineVec::one(counter), pieces, contiguous, exhausts: true }
}
