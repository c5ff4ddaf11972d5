//! How LLVM's back end for x86-64 System V passes LLVM IR types, so that objects mix with llc's.
//!
//! Source: LLVM LangRef, "Parameter Attributes" and "Calling Conventions", X86CallingConv.td, and what llc 19 was seen to do;
//! `i128` and the register that it leaves free are as in LLVM 20 and later, which follow the psABI there.

use crate::engine::{Engine, Overflow, wanted};
use crate::families::x86_64::common::{PRESERVE_NONE_C, role_register, va_plan};
use crate::llvm::legalize::{Kind, Part};
use crate::llvm::result::{Returns, registers};
use crate::llvm::x86::{Least, REG_CALL_LACKS, by_value_slot, parts};
use crate::prelude::*;
use crate::reg::x86;

impl Kind {
    /// The class of registers for a value, if there is one, and the size and alignment of its stack slot in bytes.
    fn place(self) -> (Option<RegClass>, u32) {
        match self {
            Kind::Int(_) => (Some(RegClass::Int), 8),
            Kind::Half | Kind::Float | Kind::Double => (Some(RegClass::Float), 8),
            Kind::Quad => (Some(RegClass::Float), 16),
            Kind::Fp80 => (None, 16),
            Kind::Vector(bytes) => (Some(RegClass::Float), bytes.into()),
        }
    }

    /// The same in variadic functions, where LLVM leaves the wide registers unused even for named arguments.
    fn variable_place(self) -> (Option<RegClass>, u32) {
        match self {
            Kind::Vector(bytes) if bytes > 16 => (None, bytes.into()),
            _ => self.place(),
        }
    }
}

/// The place of an argument of `convention`.
pub(crate) fn argument(
    target: &AbiTarget,
    convention: Convention,
    ty: &LlvmType,
    attrs: &Attrs,
    variadic: bool,
    engine: &mut Engine,
) -> Result<PassMode, AbiError> {
    let ghc = convention == Convention::Ghc;
    let none = convention == Convention::PreserveNone;
    let reg_call = convention == Convention::RegCall;
    match attrs.role {
        Role::Value | Role::StructReturn => {}
        _ if reg_call && !matches!(attrs.role, Role::ByVal { .. }) => {
            return Err(AbiError::ty("x86_regcallcc has no such attribute"));
        }
        _ if ghc => return Err(AbiError::ty("ghccc has no such attribute")),
        // LLVM passes the address in a register and makes no copy.
        Role::ByVal { .. } if none => return Err(AbiError::ty("byval in preserve_nonecc")),
        Role::ByVal { size, align } => {
            let (bytes, align) = by_value_slot(attrs, size, align, 8);
            return Ok(PassMode::StackCopy { offset: engine.stack(bytes, align)?, size, align });
        }
        Role::InAlloca { .. } if none => return Err(AbiError::ty("inalloca in preserve_nonecc")),
        // LangRef, `inalloca`: the last parameter, and the only one in memory. No C++ of x86-64 has it; llc 19 does the same.
        Role::InAlloca { size } => {
            if engine.stack(size.max(1), 8)? != 0 {
                return Err(AbiError::ty("an inalloca argument has to be the only one in memory"));
            }
            return Ok(PassMode::InBlock { offset: 0, size, indirect: false });
        }
        Role::Preallocated { .. } => return Err(AbiError::ty("x86-64 has no preallocated arguments")),
        _ => {}
    }
    if let Some(reg) = role_register(attrs.role) {
        if none {
            return Err(AbiError::ty("preserve_nonecc has no registers set aside for nest and Swift's attributes"));
        }
        return Ok(PassMode::pointer(8, reg));
    }
    if attrs.role == Role::StructReturn && convention.is_swift() {
        return Ok(PassMode::pointer(8, x86::RAX));
    }
    let mut pieces = Pieces::new();
    if *ty == LlvmType::int(128) && !ghc && !none && !reg_call {
        // psABI, section 3.2.3: both halves in registers, or both in memory aligned to 16.
        for offset in [0, 8] {
            pieces.push(Piece { offset, ..Piece::whole(8, wanted(RegClass::Int)) });
        }
        if !engine.group(&mut pieces, Overflow::Revert) {
            let start = engine.stack(16, 16)?;
            for piece in pieces.iter_mut() {
                piece.place = Place::Stack { offset: start + piece.offset };
            }
        }
        return Ok(PassMode::Direct(pieces));
    }
    for part in parts(target, ty, attrs.widen, if ghc { Least::Register } else { Least::Word })? {
        if reg_call && matches!(part.kind, Kind::Fp80 | Kind::Half) {
            return Err(AbiError::ty(REG_CALL_LACKS));
        }
        let small = none && matches!(part.kind, Kind::Int(_)) && part.bits() <= 16;
        let place = match if small { engine.take_among(RegClass::Int, PRESERVE_NONE_C) } else { None } {
            Some(reg) => Place::Reg(reg),
            None if small => Place::Stack { offset: engine.stack(8, 8)? },
            None if ghc => ghc_place(&part, engine)?,
            None => argument_place(&part, variadic, engine)?,
        };
        pieces.push(part.piece(place));
    }
    Ok(PassMode::direct(pieces))
}

/// LLVM's `alignstack` moves no argument but `byval` ones on x86.
fn argument_place(part: &Part, variadic: bool, engine: &mut Engine) -> Result<Place, AbiError> {
    let (class, slot) = if variadic { part.kind.variable_place() } else { part.kind.place() };
    let reg = class.and_then(|class| engine.take(class, usize::MAX));
    engine.place(reg, slot.into(), slot)
}

/// LangRef, "Calling Conventions", `ghccc`: registers only, and only for the types that GHC has.
fn ghc_place(part: &Part, engine: &mut Engine) -> Result<Place, AbiError> {
    let class = match part.kind {
        Kind::Int(_) => RegClass::Int,
        Kind::Float | Kind::Double => RegClass::Float,
        Kind::Vector(_) if !matches!(part.lane, LlvmScalar::Half | LlvmScalar::BFloat) => RegClass::Float,
        _ => return Err(AbiError::ty("ghccc has no registers for this type")),
    };
    let reg = engine.take(class, usize::MAX).ok_or_else(|| AbiError::ty("ghccc has no register left"))?;
    Ok(Place::Reg(reg))
}

/// The places of a result: registers or, if it has more parts than there are registers, memory at a hidden first
/// argument.
pub(crate) fn result(
    target: &AbiTarget,
    convention: Convention,
    ty: &LlvmType,
    attrs: &Attrs,
    engine: &mut Engine,
) -> Result<PassMode, AbiError> {
    if let Some(mode) = registers(target, ty, attrs, &Returns::of_x86_64(target, convention, false))? {
        return Ok(mode);
    }
    let pointer = match convention.is_swift() {
        true => Piece::whole(8, Place::Reg(x86::RAX)),
        false => engine.pointer(8)?,
    };
    Ok(PassMode::indirect(pointer, DataLayout::new(target).llvm(ty)?))
}

/// The steps that fetch an argument of this type, as [`argument`] places its parts.
pub(crate) fn va_arg(target: &AbiTarget, ty: &LlvmType) -> Result<Vec<VaArg>, AbiError> {
    if *ty == LlvmType::int(128) {
        let half = |offset| Piece { offset, ..Piece::whole(8, wanted(RegClass::Int)) };
        return Ok(alloc::vec![va_plan(&[half(0), half(8)].into_iter().collect(), 16, 16)]);
    }
    let mut steps = Vec::new();
    for part in parts(target, ty, Widen::None, Least::Word)? {
        part.check_va_arg()?;
        let (class, slot) = part.kind.variable_place();
        let piece = Piece::whole(part.size, wanted(class.unwrap_or(RegClass::X87)));
        let pieces = if class.is_some() { Pieces::one(piece) } else { Pieces::new() };
        let (offset, size) = (part.offset.into(), part.size.into());
        steps.push(VaArg { offset, size, ..va_plan(&pieces, slot.into(), slot) });
    }
    Ok(steps)
}
