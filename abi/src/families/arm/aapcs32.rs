//! The calling conventions of 32-bit ARM: the base standard and its VFP variant, on ELF systems and on Windows.
//!
//! Source: "Procedure Call Standard for the Arm Architecture" ("AAPCS32" below, sections and rules named at each place). What
//! the document leaves open is as clang and GCC do it; where they differ:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | empty C++ class | clang 19: it does not travel | GCC 12, AAPCS32, clang 20 and later: a core register or a stack slot |
//! | union of a floating-point type and an empty C++ class, VFP | clang: the class counts for nothing | GCC: not homogeneous |
//! | record of unnamed bit-fields only | clang: it does not travel | GCC: as any other |
//! | homogeneous record with a member array of no elements | clang: not homogeneous | GCC: the array counts for nothing |
//! | packed record with a bit-field of an 8-byte type, or a record aligned to 8 | clang: aligned to its members | GCC: aligned to 8 |
//! | record without members, aligned to 8 | clang: it leaves no trace | GCC: what follows begins at an even register |
//! | packed homogeneous record on the stack, VFP | GCC, AAPCS32: aligned to 4 | clang: as its members would be |
//! | result vector of 4 bytes or less | GCC: in r0 | clang: its lanes widened |
//! | vector of more than 16 bytes, VFP | clang: in parts of 16 bytes, each in a q register or on the stack | GCC: core registers and stack |
//! | 16-byte vectors, VFP, on a processor without NEON | as if it had NEON | clang: core registers |
//! | `_BitInt` of more than 64 bits | clang, AAPCS32: as a record | GCC has none |
//! | static chain | r12, also in the VFP variant, as GCC | LLVM has none in the VFP variant |

use crate::chain::static_chain;
use crate::engine::{Banks, Engine};
use crate::families::arm::llvm::Call;
use crate::homogeneous::{Homogeneity, Homogeneous};
use crate::prelude::*;
use crate::reg::arm::*;
use crate::types::Flexible;
use crate::walk::{Argument, Rules, returned_in_memory, tail_pop, walk};

/// AAPCS32, "Core registers" and "VFP register usage conventions": r0 to r3, s0 to s15.
const BANKS: Banks = [&[0, 1, 2, 3], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], &[]];

/// How a value is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// Not at all.
    Nothing,
    /// In core registers and on the stack, aligned to 8 bytes or to 4.
    Core { aligned: bool },
    /// In VFP registers, a member in each: a co-processor register candidate (CPRC).
    Vfp(Homogeneous),
    /// In q registers or stack slots of 16 bytes, each by itself.
    Quads,
    /// By address.
    Address,
}

struct Classifier {
    layout: DataLayout,
    /// The VFP variant.
    vfp: bool,
}

/// AAPCS32, "Homogeneous Aggregates": the members' types.
pub(crate) fn is_base(ty: &CType, layout: Layout) -> bool {
    match ty {
        CType::Scalar(Scalar::Float(kind)) => !matches!(kind, FloatKind::F16 | FloatKind::BF16),
        CType::Vector { .. } => matches!(layout.size, 8 | 16),
        _ => false,
    }
}

impl Classifier {
    /// AAPCS32, "Parameter Passing", stage B, and "VFP co-processor register candidates".
    fn argument(&self, ty: &CType, Layout { size, align }: Layout) -> Result<Shape, AbiError> {
        match ty {
            CType::Scalar(Scalar::Float(_)) if self.vfp => return Ok(Shape::Vfp(Homogeneous::one(size, false))),
            CType::Scalar(_) => return Ok(Shape::Core { aligned: align >= 8 }),
            CType::Vector { .. } if self.vfp && size > 4 => {
                return Ok(if size <= 16 { Shape::Vfp(Homogeneous::one(size, true)) } else { Shape::Quads });
            }
            CType::Record(record) => {
                // Itanium C++ ABI, section 3.1.2.3; Microsoft's ABI does the same here.
                if record.is_non_trivial() {
                    return Ok(Shape::Address);
                }
                if size == 0 || Flexible::Empty.is_empty(record) {
                    return Ok(Shape::Nothing);
                }
            }
            _ => {}
        }
        if self.vfp
            && let Some(found) = self.homogeneous(ty)?
        {
            return Ok(Shape::Vfp(found));
        }
        // Rule B.5: attributes of the record itself do not align it.
        Ok(Shape::Core { aligned: self.layout.natural_align(ty)? >= 8 })
    }

    /// AAPCS32, "Result Return", and the same of the VFP variant.
    fn result(&self, ty: &CType, layout: Layout) -> Result<Shape, AbiError> {
        let shape = self.argument(ty, layout)?;
        let Shape::Core { .. } = shape else {
            return Ok(if shape == Shape::Quads { Shape::Address } else { shape });
        };
        let most = match ty {
            CType::Record(_) | CType::Complex(_) => 4,
            CType::Vector { .. } => 16,
            _ => 8,
        };
        Ok(if layout.size > most { Shape::Address } else { shape })
    }

    /// AAPCS32, "Homogeneous Aggregates", and "VFP co-processor register candidates".
    fn homogeneous(&self, ty: &CType) -> Result<Option<Homogeneous>, AbiError> {
        match ty {
            CType::Record(_) | CType::Complex(_) => Homogeneous::cached(&self.layout, ty, || {
                Homogeneity { layout: &self.layout, is_base, zero_bit_fields: true }.of(ty)
            }),
            _ => Ok(None),
        }
    }
}

/// Says how small integers are widened. AAPCS32, rule B.2, and "Result Return": to a word.
fn extend(ty: &CType, mode: &mut PassMode) {
    if let (PassMode::Direct(pieces), Some((signed, from))) = (mode, ty.small_int()) {
        let ext = Extension::of_int(signed, from, 32);
        (pieces[0].ext, pieces[0].assume) = (ext, ext);
    }
}

struct Aapcs32<'a> {
    target: &'a AbiTarget,
    classifier: Classifier,
    engine: Engine,
    call: Call,
    member: Member,
}

impl Aapcs32<'_> {
    /// Rules C.3 to C.8.
    fn core(&mut self, ty: &CType, size: u64, aligned: bool, mode: &mut PassMode) -> Result<(), AbiError> {
        if aligned {
            self.engine.align_to_pair(RegClass::Int);
        }
        let size = u32::try_from(size).map_err(|_| AbiError::ty("the value is larger than 2^31 bytes"))?;
        let free = self.engine.free(RegClass::Int) as u32;
        // Rule C.5: a value may be split between registers and stack only while nothing is on the stack.
        if size.div_ceil(4) <= free || (free > 0 && self.engine.stack_bytes() == 0) {
            let pieces = mode.start_direct();
            let mut offset = 0;
            while offset < size {
                let (bytes, place) = match self.engine.take(RegClass::Int, usize::MAX) {
                    Some(reg) => ((size - offset).min(4), Place::Reg(reg)),
                    None => (size - offset, Place::Stack { offset: self.engine.stack((size - offset).into(), 4)? }),
                };
                pieces.push(Piece { offset, ..Piece::whole(bytes, place) });
                offset += bytes;
            }
            return Ok(());
        }
        self.engine.exhaust(RegClass::Int);
        self.on_stack(ty, size, if aligned { 8 } else { 4 }, mode)
    }

    /// Rules C.7 and C.8.
    fn on_stack(&mut self, ty: &CType, size: u32, align: u32, mode: &mut PassMode) -> Result<(), AbiError> {
        let offset = self.engine.stack(size.into(), align)?;
        if ty.is_by_address() {
            mode.set(PassMode::StackCopy { offset, size: size.into(), align });
        } else {
            // A number is in the low bytes of its word.
            let offset = offset + self.target.endian.place(0, size, size.next_multiple_of(4));
            mode.start_direct().push(Piece::whole(size, Place::Stack { offset }));
        }
        Ok(())
    }

    /// AAPCS32, VFP variant, rules C.1.vfp and C.2.vfp: the first free registers, even if later ones are taken.
    fn vfp(&mut self, ty: &CType, size: u64, members: Homogeneous, mode: &mut PassMode) -> Result<(), AbiError> {
        let width = members.size.div_ceil(4);
        if let Some(first) = self.engine.take_run(RegClass::Float, width, members.count) {
            let pieces = mode.start_direct();
            for i in 0..members.count {
                let place = Place::Reg(Reg::float(first.num + (i * width) as u8));
                pieces.push(Piece { offset: i * members.size, ..Piece::whole(members.size, place) });
            }
            return Ok(());
        }
        self.engine.exhaust(RegClass::Float);
        let align = if self.classifier.layout.natural_align(ty)? >= 8 { 8 } else { 4 };
        self.on_stack(ty, size as u32, align, mode)
    }

    /// Splits a wide vector as llc does.
    fn quads(&mut self, size: u64, mode: &mut PassMode) -> Result<(), AbiError> {
        let pieces = mode.start_direct();
        for offset in (0..size as u32).step_by(16) {
            let place = match self.engine.take_run(RegClass::Float, 4, 1) {
                Some(reg) => Place::Reg(reg),
                None => {
                    self.engine.exhaust(RegClass::Float);
                    Place::Stack { offset: self.engine.stack(16, 8)? }
                }
            };
            pieces.push(Piece { offset, ..Piece::whole(16, place) });
        }
        Ok(())
    }

    fn place(&mut self, ty: &CType, layout: Layout, shape: Shape, mode: &mut PassMode) -> Result<(), AbiError> {
        match shape {
            Shape::Nothing => {}
            Shape::Core { aligned } => self.core(ty, layout.size, aligned, mode)?,
            Shape::Vfp(members) => self.vfp(ty, layout.size, members, mode)?,
            Shape::Quads => self.quads(layout.size, mode)?,
            Shape::Address => mode.set(PassMode::indirect(self.engine.pointer(4)?, layout)),
        }
        extend(ty, mode);
        Ok(())
    }
}

impl Rules for Aapcs32<'_> {
    /// Microsoft's compiler passes `this` before the address of the result.
    fn this_first(&self) -> bool {
        self.target.is_msvc()
    }

    fn c_result(&mut self, ty: &CType, layout: Layout, mode: &mut PassMode) -> Result<(), AbiError> {
        let shape = match returned_in_memory(self.target, ty, self.member) {
            true => Shape::Address,
            false => self.classifier.result(ty, layout)?,
        };
        if shape == Shape::Address {
            // Rule A.4: the address is an argument before the others.
            return self.place(ty, layout, shape, mode);
        }
        let engine = core::mem::replace(&mut self.engine, Engine::new(BANKS, 4, 8));
        let placed = self.place(ty, layout, shape, mode);
        self.engine = engine;
        placed
    }

    fn c_argument(&mut self, ty: &CType, argument: &Argument, mode: &mut PassMode) -> Result<(), AbiError> {
        let shape = self.classifier.argument(ty, argument.layout)?;
        self.place(ty, argument.layout, shape, mode)
    }

    fn llvm_result(&mut self, ty: &LlvmType, attrs: &Attrs) -> Result<PassMode, AbiError> {
        self.call.result(ty, attrs, &mut self.engine)
    }

    fn llvm_argument(&mut self, ty: &LlvmType, attrs: &Attrs, _: &Argument) -> Result<PassMode, AbiError> {
        self.call.argument(ty, attrs, &mut self.engine)
    }

    /// AAPCS32, "Definition of va_list": a pointer into one array, whose first words the callee stores below
    /// the rest.
    fn var_area(&mut self) -> VarArea {
        self.engine.array_with_stack(4)
    }
}

/// AAPCS32, "Core registers" and "VFP register usage conventions": r4 to r11, s16 to s31 (d8 to d15).
const PRESERVED: RegSet = RegSet { int: 0x0ff0, x87: 0, float: 0xffff_0000 };
/// Everything but sp and pc.
const ALL: RegSet = RegSet { int: 0x5fff, x87: 0, float: u64::MAX };

/// The registers that a callee preserves; for LLVM's conventions, as llc 19 saves them.
fn preserved(signature: &Signature) -> RegSet {
    let mut kept = match signature.convention {
        Convention::Ghc => RegSet::EMPTY,
        Convention::SwiftTail => PRESERVED.without(R10),
        // `ARMCallingConv.td`, `CSR_GenericInt` and `CSR_FIQ`, and the registers of floating point that all functions keep.
        Convention::ArmInterrupt => RegSet { int: 0x1fff, ..PRESERVED },
        Convention::ArmFastInterrupt => RegSet { int: 0x08ff, ..PRESERVED },
        _ => PRESERVED,
    };
    // The register of `swifterror`, in which the error comes back, is not preserved.
    if signature.takes_error() {
        kept.remove(R8);
    }
    kept
}

/// The ABI of a function or call.
pub(crate) fn classify(target: &AbiTarget, signature: &Signature, abi: &mut FnAbi) -> Result<(), AbiError> {
    let vfp = match signature.convention {
        Convention::C => target.features.hard_float,
        Convention::AapcsVfp => true,
        _ => false,
    };
    let call = Call::new(target, signature)?;
    let stack_align = call.stack_align();
    let member = signature.modifiers.member;
    let mut rules = Aapcs32 {
        target,
        // AAPCS32, VFP variant, "Parameter Passing": variadic functions follow the base standard.
        classifier: Classifier { layout: DataLayout::new(target), vfp: vfp && signature.variadic.is_none() },
        engine: call.engine(),
        call,
        member,
    };
    walk(target, signature, &mut rules, abi)?;
    let preserved = preserved(signature);
    let returns_this = match member {
        Member::None | Member::Method => false,
        // "C++ ABI for the Arm Architecture", "Constructors and Destructors" (`this` return).
        Member::Constructor => true,
        Member::Destructor => !target.is_msvc(),
    };
    abi.finish(target, signature, &rules.engine, ALL, preserved)?;
    abi.callee_pop_bytes = tail_pop(signature, rules.engine.stack_bytes(), 0, stack_align);
    abi.returns_this = returns_this.then_some(R0);
    if let Convention::ArmInterrupt | Convention::ArmFastInterrupt = signature.convention {
        // What is interrupted has pushed any number of words.
        abi.entry_align = 4;
    }
    abi.static_chain = Some(static_chain(target, signature.convention));
    Ok(())
}

/// AAPCS32, "Definition of va_list".
pub(crate) fn va_arg(target: &AbiTarget, ty: &CType, layout: Layout) -> Result<VaArg, AbiError> {
    let shape = Classifier { layout: DataLayout::new(target), vfp: false }.argument(ty, layout)?;
    let (step, align) = match shape {
        Shape::Nothing => (0, 1),
        Shape::Address => (4, 4),
        Shape::Core { aligned: true } => (layout.size.next_multiple_of(4), 8),
        _ => (layout.size.next_multiple_of(4), 4),
    };
    let found = VaArg::in_slots(layout.size, 4, align, step, shape == Shape::Address);
    Ok(if ty.is_by_address() { found } else { found.of_number(target.endian) })
}

/// The registers that a call of a run-time helper function of 32-bit ARM may change ("Run-time ABI for the Arm
/// Architecture"). Helpers follow the base standard ([`Convention::AapcsBase`]) whatever the target's float ABI is.
/// Some promise to preserve more:
/// - `__aeabi_read_tp` only changes r0, ip, lr and the flags ("Thread-local storage");
/// - the comparisons that return their result in the flags (`__aeabi_cfcmpeq`, `__aeabi_cdcmple` and so on) only change
///   ip, lr and the flags ("The floating-point helper functions").
pub fn runtime_helper_clobbers(name: &str) -> RegSet {
    let scratch = RegSet::of(&[R12, LR]);
    match name {
        "__aeabi_read_tp" => scratch.with(R0),
        "__aeabi_cdcmpeq" | "__aeabi_cdcmple" | "__aeabi_cdrcmple" | "__aeabi_cfcmpeq" | "__aeabi_cfcmple"
        | "__aeabi_cfrcmple" => scratch,
        _ => ALL.difference(PRESERVED),
    }
}
