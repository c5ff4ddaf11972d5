//! What the conventions of AArch64 have in common: how values are classified, how groups of registers are handed out, which
//! registers are kept.
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

use crate::chain::static_chain;
use crate::engine::{Banks, Engine, Overflow, wanted};
use crate::error::AbiError;
use crate::family::unsupported;
use crate::fnabi::*;
use crate::homogeneous::{Homogeneity, Homogeneous};
use crate::inline::InlineVec;
use crate::layout::DataLayout;
use crate::measure::Layout;
use crate::members::Flexible;
use crate::reg::{Reg, RegClass, RegSet, aarch64::*};
use crate::signature::{Convention, Member, Role, Signature};
use crate::target::{Env, Os, Target};
use crate::types::{CType, Language, Scalar};
use crate::vararg::{VaArg, VaCounter, VaPiece, VaRegs};
use crate::walk::Walked;

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

/// How a value travels.
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
    pub(crate) target: Target,
    pub(crate) layout: DataLayout,
}

impl Classifier {
    pub(crate) fn new(target: &Target) -> Classifier {
        Classifier { target: *target, layout: DataLayout::new(target) }
    }

    pub(crate) fn is_msvc(&self) -> bool {
        self.target.is_windows() && self.target.env == Env::Msvc
    }

    /// How an argument travels; a result too, but for what [`Classifier::result`] says.
    pub(crate) fn argument(&self, ty: &CType, Layout { size, .. }: Layout) -> Result<Shape, AbiError> {
        match ty {
            CType::Scalar(Scalar::Float(_)) => return Ok(Shape::Float(Homogeneous::one(size, false))),
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
                // GNU C's empty records do not travel; in C++ they have a size, but Apple's rules do without it (Apple,
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

    /// AAPCS64, "Result return": as an argument; empty records are never returned.
    pub(crate) fn result(&self, ty: &CType, layout: Layout) -> Result<Shape, AbiError> {
        match ty {
            CType::Record(record) if !record.is_non_trivial() && Flexible::Empty.is_empty(record) => Ok(Shape::Nothing),
            _ => self.argument(ty, layout),
        }
    }

    /// Rule B.6: the alignment that an argument has as such. Attributes of the record itself do not count with AAPCS64; with
    /// Apple's and Microsoft's rules they do (clang).
    pub(crate) fn align(&self, ty: &CType) -> Result<u32, AbiError> {
        match self.target.os {
            Os::Darwin | Os::Windows => Ok(self.layout.layout(ty)?.align),
            Os::Linux | Os::Bsd | Os::NetBsd | Os::None => self.layout.natural_align(ty),
        }
    }

    /// AAPCS64, "Homogeneous Aggregates".
    fn homogeneous(&self, ty: &CType) -> Result<Option<Homogeneous>, AbiError> {
        if !matches!(ty, CType::Record(_) | CType::Complex(_)) {
            return Ok(None);
        }
        Homogeneous::kept(&self.layout, ty, || {
            if self.is_msvc() && has_refused_class(ty) {
                return Ok(None);
            }
            Homogeneity { layout: &self.layout, is_base, zero_bit_fields: true, most: 4 }.of(ty)
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

/// Whether Microsoft's compiler would not take the aggregate as homogeneous because of a class that it is or holds.
fn has_refused_class(ty: &CType) -> bool {
    match ty {
        CType::Array(array) => has_refused_class(array.element()),
        CType::Record(record) => {
            record.is_never_homogeneous() || record.fields().iter().any(|field| has_refused_class(&field.ty))
        }
        _ => false,
    }
}

/// The pieces of a value of `size` bytes in so many registers of 8 bytes.
pub(crate) fn int_pieces(size: u64) -> Pieces {
    let chunk = |offset: u32| Piece { offset, ..Piece::whole((size as u32 - offset).min(8), wanted(RegClass::Int)) };
    (0..size as u32).step_by(8).map(chunk).collect()
}

/// The pieces of a value that travels in registers.
pub(crate) fn pieces(shape: Shape, size: u64) -> Pieces {
    match shape {
        Shape::Int { .. } => int_pieces(size),
        Shape::Float(members) => members.pieces(),
        Shape::Nothing | Shape::Address => Pieces::new(),
    }
}

/// Gives a value registers, or memory of `stack` if there are not enough. AAPCS64, "Parameter passing rules", stage C.
pub(crate) fn place(
    engine: &mut Engine,
    ty: &CType,
    size: u64,
    shape: Shape,
    stack: Layout,
) -> Result<PassMode, AbiError> {
    if shape == Shape::Nothing {
        return Ok(PassMode::Ignore);
    }
    let mut pieces = pieces(shape, size);
    // Rule C.10.
    if shape == (Shape::Int { pair: true }) {
        engine.align_to_pair(RegClass::Int);
    }
    // Rules C.2 to C.4, C.12, C.13: what does not fit leaves no register of its class for others.
    if engine.group(&mut pieces, Overflow::Exhaust) {
        return Ok(PassMode::Direct(pieces));
    }
    on_stack(engine, ty, size, pieces, stack)
}

/// The mode of a value in memory of `stack` bytes among the stack arguments.
pub(crate) fn on_stack(
    engine: &mut Engine,
    ty: &CType,
    size: u64,
    mut pieces: Pieces,
    stack: Layout,
) -> Result<PassMode, AbiError> {
    let offset = engine.stack(stack.size, stack.align)?;
    if ty.is_by_address() {
        return Ok(PassMode::StackCopy { offset, size, align: stack.align });
    }
    for piece in pieces.iter_mut() {
        piece.place = Place::Stack { offset: offset + piece.offset };
    }
    Ok(PassMode::Direct(pieces))
}

/// AAPCS64, "Result return": x0, x1, or v0 to v3, or memory whose address is in x8.
pub(crate) fn result(classifier: &Classifier, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
    let shape = classifier.result(ty, layout)?;
    if shape == Shape::Address {
        return Ok(PassMode::indirect(Piece::whole(8, Place::Reg(X8)), layout));
    }
    let mut mode = place(&mut Engine::new(ARG_BANKS, 8, 16), ty, layout.size, shape, layout)?;
    extend(classifier, ty, &mut mode);
    Ok(mode)
}

/// Says how small integers are widened. AAPCS64, rule C.9 leaves the bits above unspecified, but the
/// data types make `_Bool` a byte that is 0 or 1; Apple, "Pass arguments to functions correctly": the caller widens to 32 bits.
pub(crate) fn extend(classifier: &Classifier, ty: &CType, mode: &mut PassMode) {
    let (PassMode::Direct(pieces), Some((signed, from))) = (mode, ty.small_int()) else { return };
    let piece = &mut pieces[0];
    // On the stack, Apple's compiler gives a `_BitInt` that is not as wide as a narrower type 32 bits.
    let odd = matches!(ty, CType::BitInt { bits, .. } if !matches!(bits, 8 | 16));
    let to = match (piece.place, classifier.target.os) {
        (Place::Reg(_), Os::Darwin) => 32,
        (_, Os::Darwin) if odd => 32,
        _ if *ty == CType::BOOL => 8,
        _ => return,
    };
    piece.ext = Extension::of_int(signed, from, to);
    piece.assume = piece.ext;
}

/// Whether a class is returned in memory whose address is passed as an argument: Microsoft's compiler does so for classes
/// that are not like C structs, vectors alone excepted, and for every class that a method returns (MS, "Overview of ARM64
/// ABI conventions", "Return values").
pub(crate) fn returned_as_microsoft_class(
    classifier: &Classifier,
    ty: &CType,
    member: Member,
) -> Result<bool, AbiError> {
    let CType::Record(record) = ty else { return Ok(false) };
    if !classifier.is_msvc() || record.language() == Language::C && member == Member::None {
        return Ok(false);
    }
    let vectors = || Ok(classifier.homogeneous(ty)?.is_some_and(|found| found.vector));
    Ok(member != Member::None || record.is_non_trivial() || !record.class().aggregate && !vectors()?)
}

/// AAPCS64, "Machine Registers": x19 to x29, and the low halves of v8 to v15.
const PRESERVED: RegSet = RegSet { int: 0x3ff8_0000, x87: 0, float: 0 };
const LOW_HALVES: u64 = 0xff00;

/// The registers that a callee keeps, and those of which it keeps the low 64 bits only.
fn preserved(target: &Target, convention: Convention) -> (RegSet, RegSet) {
    let mut kept = PRESERVED;
    let mut low = RegSet { float: LOW_HALVES, ..RegSet::EMPTY };
    match convention {
        // "Vector Function Application Binary Interface Specification for AArch64": v8 to v23 whole.
        Convention::VectorPcs => (kept.float, low) = (0x00ff_ff00, RegSet::EMPTY),
        // LangRef, "Calling Conventions", and as llc 19 saves them: x9 to x15.
        Convention::PreserveMost => kept.int |= 0xfe00,
        // And v8 to v31 whole.
        Convention::PreserveAll => {
            kept.int |= 0xfe00;
            (kept.float, low) = (0xffff_ff00, RegSet::EMPTY);
        }
        // As llc 19 saves them: only the frame pointer; all but where `self` and the context are; nothing.
        Convention::PreserveNone => (kept.int, low) = (1 << 29, RegSet::EMPTY),
        Convention::SwiftTail => kept.int &= !(1 << 20 | 1 << 22),
        Convention::Ghc => (kept.int, low) = (0, RegSet::EMPTY),
        _ => {}
    }
    // x18 belongs to the platform (Apple, "Respect the purpose of specific CPU registers"; MS, "Overview of ARM64 ABI
    // conventions", "Integer registers"), and functions that a Windows program may call keep it.
    if matches!(target.os, Os::Darwin | Os::Windows) || convention == Convention::Win64 {
        kept.insert(X18);
    }
    (kept, low)
}

/// Whether constructors and destructors return their object's address: Apple's variant of the Itanium C++ ABI; of
/// constructors only, Microsoft's.
fn returns_this(target: &Target, member: Member) -> bool {
    match member {
        Member::None | Member::Method => false,
        Member::Constructor => target.os == Os::Darwin || target.is_windows() && target.env == Env::Msvc,
        Member::Destructor => target.os == Os::Darwin,
    }
}

/// The whole, from what the walk found.
#[inline(always)]
pub(crate) fn finish(
    target: &Target,
    signature: &Signature,
    walked: Walked,
    engine: &Engine,
) -> Result<FnAbi, AbiError> {
    let convention = signature.convention;
    let (mut preserved, preserved_low64) = preserved(target, convention);
    // What comes back in `swifterror`'s register is not kept.
    if signature.params.iter().any(|param| param.attrs.role == Role::SwiftError) {
        preserved.remove(X21);
    }
    let all = RegSet { int: u32::MAX, x87: 0, float: 0xffff_ffff };
    // A result's address comes back only if it was an ordinary argument (MS, "Return values").
    let visible = |reg: &Reg| reg.num < 2;
    let by_param = walked.sret_param.filter(|_| target.is_windows()).map(|i| &walked.args[i as usize].mode);
    let sret_return_reg = match (&walked.ret.mode, by_param) {
        (PassMode::Indirect { pointer, .. }, _) => pointer.reg().filter(visible).map(|_| X0),
        (_, Some(mode)) => mode.pieces().iter().find_map(Piece::reg).filter(visible).map(|_| X0),
        _ => None,
    };
    Ok(FnAbi {
        // LLVM's `tailcc` and `swifttailcc`: the callee removes its arguments, in whole alignment units.
        callee_pop_bytes: match convention {
            Convention::Tail | Convention::SwiftTail if signature.variadic.is_none() => {
                engine.stack_bytes().next_multiple_of(16)
            }
            _ => 0,
        },
        sret_return_reg,
        returns_this: returns_this(target, signature.modifiers.member).then_some(X0),
        static_chain: Some(static_chain(target, convention)),
        preserved_low64,
        red_zone: match target.os {
            // Apple, "Respect the stack's red zone".
            Os::Darwin => 128,
            // MS, "Overview of ARM64 ABI conventions", "Red zone".
            Os::Windows => 16,
            Os::Linux | Os::Bsd | Os::NetBsd | Os::None => 0,
        },
        ..walked.finish(target, signature, engine, all.without(SP), preserved)?
    })
}

/// Refuses what no signature of AArch64 has.
pub(crate) fn check(target: &Target, signature: &Signature) -> Result<(), AbiError> {
    use Convention::*;
    match signature.convention {
        C | Fast | Cold | Tail | PreserveMost | PreserveAll | PreserveNone | VectorPcs | Swift | SwiftTail | Ghc => {
            Ok(())
        }
        Win64 if target.os != Os::Darwin => Ok(()),
        other => Err(unsupported(target, other)),
    }
}

/// The register part of a step of `va_arg` of AAPCS64 for `pieces` in registers of a class; a `pair` begins at an even one.
pub(crate) fn va_regs(class: RegClass, pair: bool, pieces: impl Iterator<Item = (u32, u32)>) -> VaRegs {
    let (field, base, each, align) = match class {
        RegClass::Int => (GR_OFFS, GR_TOP, 8, if pair { 16 } else { 1 }),
        _ => (VR_OFFS, VR_TOP, 16, 1),
    };
    let piece = |(i, (offset, size))| VaPiece { offset, size, counter: 0, at: each * i };
    let pieces: InlineVec<VaPiece, 4> = (0..).zip(pieces).map(piece).collect();
    let counter = VaCounter { field, step: each * pieces.len() as u32, limit: 0, align, base };
    let contiguous = pieces.iter().all(|p| p.at == p.offset);
    VaRegs { counters: InlineVec::one(counter), pieces, contiguous, exhausts: true }
}

/// A step of `va_arg` where a list is one pointer to slots of 8 bytes: how it fetches what has this shape.
pub(crate) fn va_slot(shape: Shape, size: u64, slot: Layout) -> VaArg {
    let slot = match shape {
        Shape::Nothing => Layout::NOTHING,
        Shape::Address => Layout { size: 8, align: 8 },
        Shape::Int { .. } | Shape::Float(_) => Layout { size: slot.size.next_multiple_of(8), ..slot },
    };
    VaArg::in_slots(size, 8, slot.align, slot.size, shape == Shape::Address)
}
