//! How LLVM's back end for AArch64 passes LLVM IR types on Linux, Apple's systems and Windows, so that objects mix with llc's.
//!
//! Source: LLVM LangRef, "Parameter Attributes" and "Calling Conventions", and what llc 19 was seen to do. Where that is of no
//! use, this file departs from it:
//!
//! | case | here | llc 19 |
//! |---|---|---|
//! | `nest` | x15, as LLVM 21 and later, or x18 by choice | x18 on Linux, an ordinary argument elsewhere |
//! | `va_arg` on Linux | finds what callers pass, by AAPCS64 | takes the `va_list` for a pointer into the stack |
//! | unnamed `half`, `bfloat`, `float` on Apple's systems | refused | converted to `double`, which `va_arg` takes back |
//! | unnamed `byval` on Apple's systems | refused | copied over the arguments that follow |
//! | `half` and `bfloat` in variadic functions on Windows | refused | fails |
//! | unnamed array on Windows of which some registers are left | in them and on the stack, where `va_arg` looks | on the stack |
//! | `va_arg` of vectors and `fp128` on Windows | refused: callers pass them in vector registers | finds something else |
//! | `coldcc` | as the C convention | fails |

use crate::chain::static_chain;
use crate::engine::{Banks, Engine};
use crate::families::aarch64::common::va_regs;
use crate::llvm::legalize::{Kind, Legal, Part, Registers, Splitter, llvm_types_only, memory, none_left, value_align};
use crate::prelude::*;
use crate::reg::aarch64::*;
use crate::walk::Argument;

const FLOATS: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7];
const BANKS: Banks = [&[0, 1, 2, 3, 4, 5, 6, 7], FLOATS, &[]];
/// `preserve_nonecc`: first the registers that C functions preserve. Windows allocates stack with x15.
const PRESERVE_NONE: Banks =
    [&[20, 21, 22, 23, 24, 25, 26, 27, 28, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 9, 15], FLOATS, &[]];
const PRESERVE_NONE_WINDOWS: Banks =
    [&[20, 21, 22, 23, 24, 25, 26, 27, 28, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 9], FLOATS, &[]];
/// `ghccc`: the general registers; of the others, two for vectors, four for `float` and four for `double`.
const GHC: Banks = [&[19, 20, 21, 22, 23, 24, 25, 26, 27, 28], &[4, 5, 8, 9, 10, 11, 12, 13, 14, 15], &[]];

/// The registers in which a convention passes arguments.
fn banks(call: &Call) -> Banks {
    match call.convention {
        Convention::PreserveNone if call.variadic => BANKS,
        Convention::PreserveNone if call.target.is_windows() => PRESERVE_NONE_WINDOWS,
        Convention::PreserveNone => PRESERVE_NONE,
        Convention::Ghc => GHC,
        _ => BANKS,
    }
}

/// Which of LLVM's calling convention descriptions an argument follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavor {
    /// AAPCS64, also on Windows.
    Standard,
    /// Packed stack arguments.
    Apple,
    /// Unnamed arguments on Apple's systems, which are all on the stack.
    AppleUnnamed,
    /// Variadic functions on Windows, without floating-point registers.
    WindowsVariadic,
    PreserveNone,
    Ghc,
}

/// AdvSIMD registers, for LLVM's type legalization.
struct Simd {
    /// There are registers for vectors, which the feature `neon` brings.
    vectors: bool,
    /// There are registers for numbers (`fp-armv8`).
    floats: bool,
}

impl Simd {
    fn new(target: &AbiTarget) -> Simd {
        Simd { vectors: target.features.vector_bytes >= 16, floats: target.features.hard_float }
    }
}

impl Registers for Simd {
    fn int_bits(&self) -> u32 {
        64
    }

    fn holds(&self, lane: LlvmScalar, lanes: u32) -> bool {
        use LlvmScalar::*;
        match lane {
            Int(8) => matches!(lanes, 8 | 16),
            Int(16) | Half | BFloat => matches!(lanes, 4 | 8),
            Int(32) | Float => matches!(lanes, 2 | 4),
            Int(64) | Double => matches!(lanes, 1 | 2),
            _ => false,
        }
    }

    fn special(&self, _lane: LlvmScalar, _lanes: u32) -> Option<Legal> {
        // Each lane is passed alone.
        (!self.vectors).then_some(Legal::Lanes)
    }

    fn float(&self, scalar: LlvmScalar) -> Result<Option<Kind>, AbiError> {
        if !self.floats && scalar != LlvmScalar::X86Fp80 {
            return Ok(None);
        }
        Ok(Some(match scalar {
            LlvmScalar::Half | LlvmScalar::BFloat => Kind::Half,
            LlvmScalar::Float => Kind::Float,
            LlvmScalar::Double => Kind::Double,
            LlvmScalar::Fp128 => Kind::Quad,
            _ => return Err(AbiError::ty("AArch64 has no x86_fp80")),
        }))
    }

    fn widens_single(&self, lane: LlvmScalar) -> bool {
        matches!(lane, LlvmScalar::Int(8 | 16 | 32) | LlvmScalar::Float)
    }
}

/// What a function or call implies for all its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) target: AbiTarget,
    pub(crate) convention: Convention,
    /// The signature has a `...`.
    pub(crate) variadic: bool,
}

impl Call {
    /// # Errors
    /// Fails for C types in a convention that only LLVM IR has.
    pub(crate) fn new(target: &AbiTarget, signature: &Signature) -> Result<Call, AbiError> {
        let convention = signature.convention;
        let own = matches!(
            convention,
            Convention::Swift | Convention::SwiftTail | Convention::PreserveNone | Convention::Ghc
        );
        if own {
            llvm_types_only(signature)?;
        }
        Ok(Call { target: *target, convention, variadic: signature.variadic.is_some() })
    }

    /// An engine with all registers free and stack slots of at least `slot` bytes.
    pub(crate) fn engine(&self, slot: u32) -> Engine {
        let [ints, floats, others] = banks(self);
        Engine::new([ints, if self.target.features.hard_float { floats } else { &[] }, others], slot, 16)
    }

    fn flavor(&self, named: bool) -> Flavor {
        let windows = self.target.is_windows() || self.convention == Convention::Win64;
        match self.convention {
            Convention::Ghc => Flavor::Ghc,
            Convention::PreserveNone if !self.variadic => Flavor::PreserveNone,
            // These follow AAPCS64 on every system.
            Convention::VectorPcs => Flavor::Standard,
            _ if windows && self.variadic => Flavor::WindowsVariadic,
            _ if windows || self.target.os != Os::Darwin => Flavor::Standard,
            _ if named => Flavor::Apple,
            _ => Flavor::AppleUnnamed,
        }
    }

    /// The place of an argument.
    pub(crate) fn argument(
        &self,
        ty: &LlvmType,
        attrs: &Attrs,
        argument: &Argument,
        engine: &mut Engine,
    ) -> Result<PassMode, AbiError> {
        let flavor = self.flavor(argument.named);
        if let Some(mode) = self.role(attrs, flavor, engine)? {
            return Ok(mode);
        }
        let (layout, simd) = (DataLayout::new(&self.target), Simd::new(&self.target));
        let splitter = Splitter::new(&simd, &layout, ty, attrs.widen)?;
        let parts = splitter.parts(ty)?;
        let split = flavor == Flavor::WindowsVariadic && !argument.named;
        if !split && let Some(align) = block_align(ty, &splitter, &parts, flavor)? {
            return block(&parts, (flavor, self.target.endian), attrs.stack_align.unwrap_or(align), engine);
        }
        let mut pieces = Pieces::new();
        // LLVM has the elements of an array at the start of their slots.
        let slot = if are_elements(ty, &splitter)? { 0 } else { 8 };
        for part in parts {
            pieces.push(place((flavor, self.target.endian, slot), ty, attrs.widen, part, engine)?);
        }
        Ok(PassMode::direct(pieces))
    }

    /// The place of a pointer with a role of its own; `None` for any other pointer.
    fn role(&self, attrs: &Attrs, flavor: Flavor, engine: &mut Engine) -> Result<Option<PassMode>, AbiError> {
        let in_register = |reg| Ok(Some(PassMode::pointer(8, reg)));
        match attrs.role {
            Role::InAlloca { .. } => return Err(AbiError::ty("AArch64 has no inalloca argument block")),
            Role::Preallocated { .. } => return Err(AbiError::ty("AArch64 has no preallocated arguments")),
            Role::Value => return Ok(None),
            _ => {}
        }
        match flavor {
            Flavor::AppleUnnamed => return Err(AbiError::ty("this attribute at an unnamed argument")),
            Flavor::PreserveNone | Flavor::Ghc if attrs.role == Role::StructReturn => return Ok(None),
            Flavor::PreserveNone | Flavor::Ghc => {
                return Err(AbiError::ty(alloc::format!("`{}` has no such parameter", self.convention.llvm_keyword())));
            }
            _ => {}
        }
        match attrs.role {
            Role::ByVal { size, align } => {
                let align = attrs.stack_align.unwrap_or(align).max(8);
                let room = size.max(1).checked_next_multiple_of(8).unwrap_or(u64::MAX);
                Ok(Some(PassMode::StackCopy { offset: engine.stack(room, align)?, size, align }))
            }
            // Microsoft's classes: the address is in x0, or after `this` in x1, and is returned in x0.
            Role::StructReturn if attrs.in_reg && flavor != Flavor::Apple => match engine.take(RegClass::Int, 2) {
                Some(reg) => in_register(reg),
                None => in_register(X8),
            },
            Role::StructReturn => in_register(X8),
            Role::Nest => in_register(static_chain(&self.target, self.convention)),
            Role::SwiftSelf => in_register(X20),
            Role::SwiftError => in_register(X21),
            Role::SwiftAsync => in_register(X22),
            _ => Ok(None),
        }
    }

    /// The places of a result: eight registers of each class, or memory whose address is in x8.
    pub(crate) fn result(&self, ty: &LlvmType, attrs: &Attrs, engine: &mut Engine) -> Result<PassMode, AbiError> {
        let layout = DataLayout::new(&self.target);
        let mut bank = Engine::new(BANKS, 8, 16);
        let mut pieces = Pieces::new();
        let mut fits = true;
        Splitter::new(&Simd::new(&self.target), &layout, ty, attrs.widen)?.split_all(ty, |part| {
            match bank.take(class(part.kind), usize::MAX) {
                Some(reg) if fits => pieces.push(part.piece(Place::Reg(reg))),
                _ => fits = false,
            }
            Ok(())
        })?;
        if fits {
            return Ok(PassMode::direct(pieces));
        }
        let hidden = match self.flavor(true) {
            Flavor::PreserveNone | Flavor::Ghc => engine.take(RegClass::Int, usize::MAX),
            _ => None,
        };
        Ok(PassMode::indirect(Piece::whole(8, Place::Reg(hidden.unwrap_or(X8))), memory(&layout, ty)?))
    }
}

fn class(kind: Kind) -> RegClass {
    if let Kind::Int(_) = kind { RegClass::Int } else { RegClass::Float }
}

/// Is it an array whose scalars or vectors are all of one type?
fn are_elements(ty: &LlvmType, splitter: &Splitter<'_, Simd>) -> Result<bool, AbiError> {
    let LlvmType::Array { .. } = ty else { return Ok(false) };
    let leaves = splitter.layout.leaves(ty)?;
    let kind = |leaf: &Leaf| (splitter.plain(leaf.lane), leaf.lanes);
    Ok(leaves.iter().all(|leaf| kind(leaf) == kind(&leaves[0])))
}

/// The alignment of the first part if all parts must stay together: those of an array of equal scalars or vectors, if
/// they fill general registers or go to vector registers. clang uses such arrays for values that AAPCS64 keeps
/// together.
fn block_align(
    ty: &LlvmType,
    splitter: &Splitter<'_, Simd>,
    parts: &[Part],
    flavor: Flavor,
) -> Result<Option<u32>, AbiError> {
    let Some(part) = parts.first().filter(|_| matches!(ty, LlvmType::Array { .. })) else { return Ok(None) };
    if !are_elements(ty, splitter)? {
        return Ok(None);
    }
    let leaves = splitter.layout.leaves(ty)?;
    let together = match (flavor, part.kind) {
        (Flavor::AppleUnnamed, _) => true,
        (Flavor::Ghc, _) => false,
        (_, Kind::Int(bits)) => bits == 64,
        (Flavor::WindowsVariadic, Kind::Float) => false,
        (_, Kind::Half) => leaves[0].lane != LlvmScalar::BFloat,
        _ => true,
    };
    together.then(|| value_align(splitter.layout, &leaves[0])).transpose()
}

/// Places all parts in consecutive registers, or all on the stack without gaps.
fn block(
    parts: &[Part],
    (flavor, endian): (Flavor, Endian),
    align: u32,
    engine: &mut Engine,
) -> Result<PassMode, AbiError> {
    let kind = in_variadic(flavor, parts[0].kind)?;
    let class = class(kind);
    // `preserve_nonecc` hands out its general registers one by one as long as there are some, and then keeps the rest
    // together.
    let alone = flavor == Flavor::PreserveNone && class == RegClass::Int;
    let fits = alone || flavor != Flavor::AppleUnnamed && parts.len() <= engine.free(class);
    let mut pieces = Pieces::new();
    let mut parts = parts.iter().peekable();
    while let Some(part) = parts.next_if(|_| fits && engine.free(class) > 0) {
        let Some(reg) = engine.take(class, usize::MAX) else { break };
        pieces.push(part.piece(Place::Reg(reg)));
    }
    let parts: Vec<&Part> = parts.collect();
    if parts.is_empty() {
        return Ok(PassMode::Direct(pieces));
    }
    let each = match (flavor, kind) {
        (Flavor::AppleUnnamed, _) => parts[0].kind.bytes(),
        _ => kind.bytes(),
    };
    let align = match flavor {
        Flavor::AppleUnnamed => 8,
        Flavor::Apple => align.min(16),
        _ => align.clamp(8, 16),
    };
    if flavor != Flavor::AppleUnnamed {
        engine.exhaust(class);
    }
    let start = engine.stack(u64::from(each) * parts.len() as u64, align)?;
    for (i, part) in parts.iter().enumerate() {
        // An integer of less than a word has the low bytes of its own.
        let low = if class == RegClass::Int { endian.place(0, part.size, each) } else { 0 };
        pieces.push(part.piece(Place::Stack { offset: start + each * i as u32 + low }));
    }
    Ok(PassMode::Direct(pieces))
}

/// The kind of a part in a variadic function.
fn in_variadic(flavor: Flavor, kind: Kind) -> Result<Kind, AbiError> {
    Ok(match (flavor, kind) {
        (Flavor::WindowsVariadic, Kind::Half) => {
            return Err(AbiError::ty("a 16-bit floating-point number in a variadic function"));
        }
        (Flavor::WindowsVariadic, Kind::Float) => Kind::Int(32),
        (Flavor::WindowsVariadic, Kind::Double) => Kind::Int(64),
        _ => kind,
    })
}

/// Is a part the first of several words? Among Apple's unnamed arguments every integer counts as one.
fn begins_pair(flavor: Flavor, part: &Part) -> bool {
    let word = match part.kind {
        Kind::Int(bits) => bits == 64 || flavor == Flavor::AppleUnnamed,
        _ => false,
    };
    word && part.is_first_of_several()
}

/// The place of a part that need not stay with others.
fn place(
    (flavor, endian, slot): (Flavor, Endian, u32),
    ty: &LlvmType,
    widen: Widen,
    part: Part,
    engine: &mut Engine,
) -> Result<Piece, AbiError> {
    let kind = in_variadic(flavor, part.kind)?;
    let mut part = Part { kind, ..part };
    let wide = begins_pair(flavor, &part);
    let reg = match (flavor, class(kind)) {
        (Flavor::AppleUnnamed, _) => {
            if let Kind::Half | Kind::Float = kind {
                return Err(AbiError::ty("an unnamed argument of a type smaller than double: pass it as double"));
            }
            None
        }
        (Flavor::Ghc, _) => Some(ghc(kind, engine)?),
        // The first of several general registers must be an even one and not the last alone. clang relies on it for
        // `i128`.
        (Flavor::Standard | Flavor::WindowsVariadic, RegClass::Int) if wide => {
            engine.align_to_pair(RegClass::Int);
            engine.take(RegClass::Int, usize::MAX)
        }
        (Flavor::Apple, RegClass::Int) if wide => {
            let reg = engine.take(RegClass::Int, 7);
            if reg.is_none() {
                engine.exhaust(RegClass::Int);
            }
            reg
        }
        // Integers smaller than a word only get x0 to x7, positions 9 to 16 of the bank.
        (Flavor::PreserveNone, RegClass::Int) if is_small(ty) => {
            (9..17).find_map(|at| engine.take_at(RegClass::Int, at))
        }
        (_, class) => engine.take(class, usize::MAX),
    };
    if let Flavor::AppleUnnamed | Flavor::Ghc = flavor {
        part.ext = to_64(ty, widen, part);
    }
    if let Some(reg) = reg {
        return Ok(part.piece(Place::Reg(reg)));
    }
    // Values smaller than a word are stored with their own size.
    let width = match (flavor, ty) {
        (Flavor::AppleUnnamed | Flavor::WindowsVariadic, _) => kind.bytes(),
        (_, LlvmType::Scalar(LlvmScalar::Int(1 | 8))) => 1,
        (_, LlvmType::Scalar(LlvmScalar::Int(16))) => 2,
        _ => kind.bytes(),
    };
    part.ext = if flavor == Flavor::AppleUnnamed { part.ext } else { within(part.ext, 8 * width) };
    let (size, align) = match flavor {
        _ if wide => (8, 16),
        Flavor::Apple => (width, width),
        _ => (width.max(8), width.max(8)),
    };
    let offset = engine.stack(size.into(), align)? + endian.place(0, part.size, kind.bytes().max(slot));
    Ok(part.piece(Place::Stack { offset }))
}

fn is_small(ty: &LlvmType) -> bool {
    matches!(ty, LlvmType::Scalar(LlvmScalar::Int(1 | 8 | 16)))
}

/// The place of a part in `ghccc`, which only has registers.
fn ghc(kind: Kind, engine: &mut Engine) -> Result<Reg, AbiError> {
    let positions = match kind {
        Kind::Int(_) => return engine.take(RegClass::Int, usize::MAX).ok_or_else(none_left),
        Kind::Vector(16) | Kind::Quad => 0..2,
        Kind::Float => 2..6,
        Kind::Double | Kind::Vector(8) => 6..10,
        _ => return Err(AbiError::ty("ghccc has no registers for this type")),
    };
    let mut free = positions.filter_map(|at| engine.take_at(RegClass::Float, at));
    free.next().ok_or_else(none_left)
}

/// The extension to the whole register, as the convention widens everything.
fn to_64(ty: &LlvmType, widen: Widen, part: Part) -> Extension {
    match ty {
        LlvmType::Scalar(LlvmScalar::Int(bits @ 1..=63)) if widen != Widen::None => {
            Extension::of(widen, *bits as u16, 64)
        }
        _ => part.ext,
    }
}

/// The part of an extension that fits a stack slot of this many bits.
fn within(ext: Extension, bits: u32) -> Extension {
    let bits = bits as u16;
    match ext {
        Extension::Zero { from, .. } | Extension::Sign { from, .. } if from >= bits => Extension::None,
        Extension::Zero { from, to } => Extension::Zero { from, to: to.min(bits) },
        Extension::Sign { from, to } => Extension::Sign { from, to: to.min(bits) },
        other => other,
    }
}

/// The steps that fetch an unnamed argument of this type: as [`Call::argument`] places its parts.
pub(crate) fn va_arg(target: &AbiTarget, convention: Convention, ty: &LlvmType) -> Result<Vec<VaArg>, AbiError> {
    let call = Call { target: *target, convention, variadic: true };
    let flavor = call.flavor(false);
    let (layout, simd) = (DataLayout::new(target), Simd::new(target));
    let splitter = Splitter::new(&simd, &layout, ty, Widen::None)?;
    let mut parts = Vec::new();
    splitter.split_all(ty, |part| {
        part.check_va_arg()?;
        let kind = in_variadic(flavor, part.kind)?;
        match (flavor, class(kind)) {
            (Flavor::WindowsVariadic, RegClass::Float) => {
                Err(AbiError::ty("va_arg of what callers on Windows pass in a vector register"))
            }
            _ => {
                parts.push(Part { kind, ..part });
                Ok(())
            }
        }
    })?;
    let align = if flavor == Flavor::WindowsVariadic { None } else { block_align(ty, &splitter, &parts, flavor)? };
    let Some(align) = align else {
        let smaller = |kind| flavor == Flavor::AppleUnnamed && matches!(kind, Kind::Half | Kind::Float);
        if parts.iter().any(|part| smaller(part.kind)) {
            return Err(AbiError::ty("va_arg of a type smaller than double, which callers convert"));
        }
        let slot = if are_elements(ty, &splitter)? { 0 } else { 8 };
        return Ok(parts.iter().map(|part| step(flavor, (target.endian, slot), &[*part])).collect());
    };
    let each = parts[0].kind.bytes();
    if parts.iter().enumerate().any(|(i, part)| part.offset != i as u32 * each) {
        return Err(AbiError::ty("va_arg of an array whose elements are in memory as they do not travel"));
    }
    let align = if flavor == Flavor::AppleUnnamed { 8 } else { align.clamp(8, 16) };
    Ok(alloc::vec![VaArg { overflow_align: align, ..step(flavor, (target.endian, 0), &parts) }])
}

/// The step for parts that stay together.
fn step(flavor: Flavor, (endian, slot): (Endian, u32), parts: &[Part]) -> VaArg {
    let first = parts[0];
    let class = class(first.kind);
    let wide = parts.len() == 1 && begins_pair(flavor, &first);
    let width = first.kind.bytes();
    let room = (width * parts.len() as u32).next_multiple_of(8);
    let align = if wide { 16 } else { width.max(8) };
    let regs = (flavor == Flavor::Standard)
        .then(|| va_regs(class, wide, endian, parts.iter().map(|part| (part.offset - first.offset, part.size))));
    let last = parts[parts.len() - 1];
    let size = (last.offset + last.size - first.offset).into();
    let on_stack = VaArg::in_slots(size, 8, align, room.into(), false);
    // Those that are together follow each other.
    let overflow_at = if parts.len() == 1 { endian.place(0, first.size, width.max(slot)) } else { 0 };
    VaArg { offset: first.offset.into(), regs, overflow_at, ..on_stack }
}
