//! How LLVM's back end for 32-bit ARM passes LLVM IR types, in A32 and Thumb alike, so that objects mix with llc's.
//!
//! With LLVM's ABI `apcs` values have no alignment of eight bytes, in registers, on the stack or in memory.
//!
//! Source: LLVM LangRef, "Parameter Attributes" and "Calling Conventions", and what llc 19 was seen to do. Which vectors are
//! whole depends on [`AbiFeatures`](crate::AbiFeatures). Where llc is of no use, this file departs from it:
//!
//! | case | here | llc 19 |
//! |---|---|---|
//! | `nest` | r12 | the same with the base standard; an ordinary argument with the VFP variant |
//! | `byval` in core registers, the size not being whole words | the last bytes are in the next register | the caller writes them over its own frame |
//! | `tailcc` and `swifttailcc` with stack arguments | the callee pops them | so it does, but callers lose as much stack again |
//! | `coldcc` | as the C convention | fails |
//! | homogeneous aggregate of vectors which travel in parts of different kinds | refused | makes nonsense |
//! | `<1 x bfloat>`, and `<1 x half>` without vector registers | refused | fails, or passes another number |

use crate::engine::{Banks, Engine};
use crate::llvm::legalize::{Kind, Part, Registers, Splitter, llvm_types_only, memory, none_left, value_align};
use crate::prelude::*;
use crate::reg::arm::*;

const BANKS: Banks = [&[0, 1, 2, 3], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], &[]];
/// `ghccc`: r4 to r11, s16 to s23.
const GHC: Banks = [&[4, 5, 6, 7, 8, 9, 10, 11], &[16, 17, 18, 19, 20, 21, 22, 23], &[]];

/// Which of LLVM's calling convention descriptions a function follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavor {
    Base,
    Vfp,
    Ghc,
    Apcs,
    /// That of `fastcc` with the ABI APCS: numbers in floating-point registers.
    ApcsFast,
}

/// Registers, for LLVM's type legalization.
#[derive(Clone, Copy)]
struct Machine {
    /// There are VFP registers, even if arguments are not passed in them.
    vfp: bool,
    /// There are vector registers.
    neon: bool,
    /// They hold vectors of `half`, and of `bfloat`.
    halves: [bool; 2],
}

impl Registers for Machine {
    fn int_bits(&self) -> u32 {
        32
    }

    fn holds(&self, lane: LlvmScalar, lanes: u32) -> bool {
        use LlvmScalar::*;
        self.neon
            && match lane {
                Int(8) => matches!(lanes, 8 | 16),
                Int(16) => matches!(lanes, 4 | 8),
                Int(32) | Float => matches!(lanes, 2 | 4),
                Int(64) => matches!(lanes, 1 | 2),
                Double => lanes == 2,
                Half => self.halves[0] && matches!(lanes, 4 | 8),
                BFloat => self.halves[1] && matches!(lanes, 4 | 8),
                _ => false,
            }
    }

    fn float(&self, scalar: LlvmScalar) -> Result<Option<Kind>, AbiError> {
        Ok(match scalar {
            LlvmScalar::X86Fp80 => return Err(AbiError::ty("ARM has no x86_fp80")),
            LlvmScalar::Fp128 => None,
            _ if !self.vfp => None,
            LlvmScalar::Half | LlvmScalar::BFloat => Some(Kind::Half),
            LlvmScalar::Float => Some(Kind::Float),
            _ => Some(Kind::Double),
        })
    }
}

/// What a function or call implies for all its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    target: AbiTarget,
    convention: Convention,
    flavor: Flavor,
    machine: Machine,
}

impl Call {
    /// # Errors
    /// Fails for C types in a convention that only LLVM IR has.
    pub(crate) fn new(target: &AbiTarget, signature: &Signature) -> Result<Call, AbiError> {
        let convention = signature.convention;
        let plain = matches!(convention, Convention::C | Convention::AapcsBase | Convention::AapcsVfp);
        if !plain {
            llvm_types_only(signature)?;
        }
        let features = target.features;
        let machine = Machine {
            vfp: features.hard_float || features.vector_bytes >= 8,
            neon: features.vector_bytes >= 16,
            halves: [features.half_vectors, features.brain_vectors],
        };
        let flavor = match convention {
            Convention::Ghc => Flavor::Ghc,
            Convention::Apcs => Flavor::Apcs,
            Convention::Fast if features.apcs && machine.vfp && signature.variadic.is_none() => Flavor::ApcsFast,
            Convention::C | Convention::Fast | Convention::Tail | Convention::Cold if features.apcs => Flavor::Apcs,
            _ if signature.variadic.is_some() => Flavor::Base,
            Convention::C | Convention::Tail | Convention::Cold if features.hard_float => Flavor::Vfp,
            Convention::Fast if machine.vfp => Flavor::Vfp,
            Convention::AapcsVfp | Convention::Swift | Convention::SwiftTail => Flavor::Vfp,
            _ => Flavor::Base,
        };
        Ok(Call { target: *target, convention, flavor, machine })
    }

    /// An engine with all registers free.
    pub(crate) fn engine(&self) -> Engine {
        Engine::new(if self.flavor == Flavor::Ghc { GHC } else { BANKS }, 4, self.stack_align())
    }

    /// The alignment of the stack pointer at calls.
    pub(crate) fn stack_align(&self) -> u32 {
        if self.target.features.apcs { 4 } else { 8 }
    }

    /// Are numbers in floating-point registers?
    fn has_float_registers(&self) -> bool {
        matches!(self.flavor, Flavor::Vfp | Flavor::ApcsFast)
    }

    /// The place of an argument.
    pub(crate) fn argument(&self, ty: &LlvmType, attrs: &Attrs, engine: &mut Engine) -> Result<PassMode, AbiError> {
        if let Some(mode) = self.role(attrs, engine)? {
            return Ok(mode);
        }
        let layout = DataLayout::new(&self.target);
        let parts = self.parts(&layout, ty, attrs.widen)?;
        if parts.is_empty() {
            return Ok(PassMode::Ignore);
        }
        if self.flavor == Flavor::Vfp && is_block(&layout, ty)? {
            return self.block(&layout, ty, attrs, &parts, engine);
        }
        let mut pieces = Pieces::new();
        for (part, align) in parts {
            self.place(part, align, engine, &mut pieces)?;
        }
        Ok(PassMode::Direct(pieces))
    }

    /// The parts of a value, each with the alignment that LLVM gives its place. The first part of a scalar or vector
    /// has the alignment of its type.
    fn parts(&self, layout: &DataLayout, ty: &LlvmType, widen: Widen) -> Result<Vec<(Part, u32)>, AbiError> {
        if self.target.os == Os::Darwin {
            return Err(AbiError::ty("32-bit ARM conventions of Apple's systems are not supported"));
        }
        let splitter = Splitter::new(&self.machine, layout, ty, widen)?;
        let mut parts = Vec::new();
        layout.each_leaf(ty, &mut |index, value| {
            // Where it is no type of the processor's, one lane is converted to a `float`.
            let converted = match (value.lane, value.lanes) {
                (LlvmScalar::Half, Some(1)) if self.machine.neon => !self.machine.halves[0],
                (LlvmScalar::Half | LlvmScalar::BFloat, Some(1)) => {
                    return Err(AbiError::ty("a vector of one 16-bit floating-point lane, which llc converts"));
                }
                _ => false,
            };
            let align = travel_align(layout, &value)?;
            splitter.split(index, value, &mut |part| {
                // A 16-bit number is in the low half of the register of a `float`.
                let kind = if part.kind == Kind::Half { Kind::Float } else { part.kind };
                let ext = if converted { Extension::Lanes { from: 16, to: 32 } } else { part.ext };
                parts.push((Part { kind, ext, ..part }, if part.index == 0 { align } else { 1 }));
                Ok(())
            })
        })?;
        Ok(parts)
    }

    /// The place of a pointer with a role of its own; `None` for any other pointer.
    fn role(&self, attrs: &Attrs, engine: &mut Engine) -> Result<Option<PassMode>, AbiError> {
        let in_register = |reg| Ok(Some(PassMode::pointer(4, reg)));
        match attrs.role {
            Role::InAlloca { .. } => Err(AbiError::ty("ARM has no inalloca argument block")),
            Role::Preallocated { .. } => Err(AbiError::ty("ARM has no preallocated arguments")),
            Role::Value | Role::StructReturn | Role::SwiftAsync => Ok(None),
            _ if self.flavor == Flavor::Ghc => {
                Err(AbiError::ty(alloc::format!("`{}` has no such parameter", self.convention.llvm_keyword())))
            }
            Role::ByVal { size, align } => by_value(size, attrs.stack_align.unwrap_or(align), engine).map(Some),
            Role::Nest => in_register(R12),
            Role::SwiftSelf => in_register(R10),
            Role::SwiftError => in_register(R8),
        }
    }

    /// The place of a part that need not stay with others.
    fn place(&self, part: Part, align: u32, engine: &mut Engine, pieces: &mut Pieces) -> Result<(), AbiError> {
        if self.flavor == Flavor::Apcs || self.flavor == Flavor::ApcsFast && matches!(part.kind, Kind::Int(_)) {
            return word_by_word((part, self.target.endian), engine, pieces);
        }
        if self.flavor == Flavor::Base || matches!(part.kind, Kind::Int(_)) {
            return core((part, self.target.endian), align, engine, self.flavor == Flavor::Ghc, pieces);
        }
        let words = part.kind.bytes() / 4;
        let place = match engine.take_run(RegClass::Float, words, 1) {
            Some(reg) => Place::Reg(reg),
            None if self.flavor == Flavor::Ghc => return Err(none_left()),
            None => {
                engine.exhaust(RegClass::Float);
                let most = if self.flavor == Flavor::ApcsFast { 4 } else { 8 };
                let offset = engine.stack((4 * words).into(), most.min(4 * words))?;
                Place::Stack { offset: offset + low_bytes(self.target.endian, &part) }
            }
        };
        pieces.push(part.piece(place));
        Ok(())
    }

    /// Places all parts of a homogeneous aggregate in consecutive registers or on the stack; or an array of integers in
    /// core registers and on the stack, like a record in C.
    fn block(
        &self,
        layout: &DataLayout,
        ty: &LlvmType,
        attrs: &Attrs,
        parts: &[(Part, u32)],
        engine: &mut Engine,
    ) -> Result<PassMode, AbiError> {
        let (first, first_align) = parts[0];
        if parts.iter().any(|(part, _)| part.kind != first.kind) {
            return Err(AbiError::ty("a homogeneous aggregate of vectors, some in one register and some in several"));
        }
        let size = first.kind.bytes();
        let count = parts.len() as u32;
        let mut pieces = Pieces::new();
        let class = if let Kind::Int(_) = first.kind { RegClass::Int } else { RegClass::Float };
        let mut splits = false;
        if class == RegClass::Int {
            if first_align >= 8 {
                engine.align_to_pair(class);
            }
            // As nothing is on the stack yet, the rest may go there alone (AAPCS32, rule C.5).
            splits = parts.len() > engine.free(class) && engine.stack_bytes() == 0;
        }
        let fits = if class == RegClass::Int { parts.len() <= engine.free(class) } else { true };
        if class == RegClass::Int && (fits || splits) {
            for (part, _) in parts {
                let place = match engine.take(class, usize::MAX) {
                    Some(reg) => Place::Reg(reg),
                    None => Place::Stack { offset: engine.stack(4, 4)? + low_bytes(self.target.endian, part) },
                };
                pieces.push(part.piece(place));
            }
            return Ok(PassMode::Direct(pieces));
        }
        if class == RegClass::Float
            && let Some(reg) = engine.take_run(class, size / 4, count)
        {
            for (i, (part, _)) in parts.iter().enumerate() {
                let num = reg.num + i as u8 * (size / 4) as u8;
                pieces.push(part.piece(Place::Reg(Reg { class, num })));
            }
            return Ok(PassMode::Direct(pieces));
        }
        engine.exhaust(class);
        let last = layout.leaves(ty)?.last().map_or(Ok(1), |value| travel_align(layout, value))?;
        // `alignstack` only counts for LLVM's bare `eabi`.
        let align = match self.target.os {
            Os::None => attrs.stack_align.unwrap_or(last),
            _ => first_align,
        };
        let start = engine.stack((size * count).into(), align.clamp(4, 8))?;
        for (i, (part, _)) in parts.iter().enumerate() {
            let low = low_bytes(self.target.endian, part);
            pieces.push(part.piece(Place::Stack { offset: start + size * i as u32 + low }));
        }
        Ok(PassMode::Direct(pieces))
    }

    /// The places of a result: r0 to r3, s0 to s15, or memory whose address is a hidden first argument.
    pub(crate) fn result(&self, ty: &LlvmType, attrs: &Attrs, engine: &mut Engine) -> Result<PassMode, AbiError> {
        let layout = DataLayout::new(&self.target);
        let mut bank = Engine::new(BANKS, 4, 8);
        let mut pieces = Pieces::new();
        let mut fits = true;
        for (part, _) in self.parts(&layout, ty, attrs.widen)? {
            fits = fits && self.result_part(part, &mut bank, &mut pieces)?;
        }
        if fits {
            return Ok(PassMode::direct(pieces));
        }
        Ok(PassMode::indirect(engine.pointer(4)?, memory(&layout, ty)?))
    }

    /// Places a part of a result. False if there is no place.
    fn result_part(&self, part: Part, bank: &mut Engine, pieces: &mut Pieces) -> Result<bool, AbiError> {
        let words = part.kind.bytes() / 4;
        if words > 1 && !self.has_float_registers() {
            // Pairs begin at r0 or r2, even if r1 is free.
            for half in 0..words / 2 {
                let Some(low) = [0, 2].into_iter().find_map(|at| bank.take_at(RegClass::Int, at)) else {
                    return Ok(false);
                };
                let _ = bank.take_at(RegClass::Int, low.num as usize + 1);
                for (i, reg) in [low, Reg::int(low.num + 1)].into_iter().enumerate() {
                    pieces.push(word(part, 2 * half + i as u32, 1, Place::Reg(reg)));
                }
            }
            return Ok(true);
        }
        let in_core = !self.has_float_registers() || matches!(part.kind, Kind::Int(_));
        let reg = match in_core {
            true => bank.take(RegClass::Int, usize::MAX),
            false => bank.take_run(RegClass::Float, words, 1),
        };
        if let Some(reg) = reg {
            pieces.push(part.piece(Place::Reg(reg)));
        }
        Ok(reg.is_some())
    }
}

/// Alignment of a scalar or vector as an argument; LLVM aligns no vector to more than 8 bytes.
fn travel_align(layout: &DataLayout, value: &Leaf) -> Result<u32, AbiError> {
    let align = value_align(layout, value)?;
    Ok(if value.lanes.is_some() { align.min(8) } else { align })
}

/// `count` words of a part, from word `index` on, at `place`.
fn word(part: Part, index: u32, count: u32, place: Place) -> Piece {
    let bytes = |words: u32| match part.ext {
        // If a lane has two words, its first has four bytes.
        Extension::Lanes { from, to: 64 } => words / 2 * u32::from(from).div_ceil(8) + words % 2 * 4,
        // Lanes that are wider in registers: this many of them fill a word.
        Extension::Lanes { from, to } => 32 * words / u32::from(to) * u32::from(from).div_ceil(8),
        _ => 4 * words,
    };
    let start = bytes(index).min(part.size);
    let size = bytes(index + count).min(part.size) - start;
    Piece { offset: part.offset + start, size, ..part.piece(place) }
}

/// The offset of a number of less than a word in its slot, of which it has the low bytes.
fn low_bytes(endian: Endian, part: &Part) -> u32 {
    let whole = matches!(part.kind, Kind::Vector(_)) || matches!(part.ext, Extension::Lanes { .. });
    if whole { 0 } else { endian.place(0, part.size.min(4), 4) % 4 }
}

/// Core registers, then the stack.
fn core(
    (part, endian): (Part, Endian),
    align: u32,
    engine: &mut Engine,
    only: bool,
    pieces: &mut Pieces,
) -> Result<(), AbiError> {
    let words = part.kind.bytes() / 4;
    if words == 1 {
        // A value aligned to 8 bytes begins at an even register; `fp128`, aligned to 16, anywhere.
        if align == 8 {
            engine.align_to_pair(RegClass::Int);
        }
        let place = match engine.take(RegClass::Int, usize::MAX) {
            Some(reg) => Place::Reg(reg),
            None if only => return Err(none_left()),
            None => {
                let offset = engine.stack(4, if align == 8 { 8 } else { 4 })?;
                Place::Stack { offset: offset + low_bytes(endian, &part) }
            }
        };
        pieces.push(part.piece(place));
        return Ok(());
    }
    for half in 0..words / 2 {
        engine.align_to_pair(RegClass::Int);
        match (engine.take(RegClass::Int, usize::MAX), engine.take(RegClass::Int, usize::MAX)) {
            (Some(low), Some(high)) => {
                pieces.push(word(part, 2 * half, 1, Place::Reg(low)));
                pieces.push(word(part, 2 * half + 1, 1, Place::Reg(high)));
            }
            _ => {
                // The rest is one piece.
                let left = words - 2 * half;
                let offset = engine.stack((4 * left).into(), 8)?;
                let place = Place::Stack { offset };
                pieces.push(if half == 0 { part.piece(place) } else { word(part, 2 * half, left, place) });
                break;
            }
        }
    }
    Ok(())
}

/// Core registers, then the stack, without alignment: eight bytes may be in both.
fn word_by_word((part, endian): (Part, Endian), engine: &mut Engine, pieces: &mut Pieces) -> Result<(), AbiError> {
    let words = part.kind.bytes() / 4;
    let mut done = 0;
    while done < words {
        let (count, place) = match engine.take(RegClass::Int, usize::MAX) {
            Some(reg) => (1, Place::Reg(reg)),
            None => {
                // What completes eight bytes is a piece, and so is all that follows.
                let count = if done % 2 == 1 { 1 } else { words - done };
                (count, Place::Stack { offset: engine.stack((4 * count).into(), 4)? })
            }
        };
        pieces.push(match place {
            Place::Stack { offset } if words == 1 => {
                part.piece(Place::Stack { offset: offset + low_bytes(endian, &part) })
            }
            _ if count == words => part.piece(place),
            _ => word(part, done, count, place),
        });
        done += count;
    }
    Ok(())
}

/// Places the memory that a pointer points to in core registers and on the stack, like a record in C. The pieces are
/// those of this memory.
fn by_value(size: u64, align: u32, engine: &mut Engine) -> Result<PassMode, AbiError> {
    if size > i32::MAX as u64 {
        return Err(AbiError::ty("the value is larger than 2^31 bytes"));
    }
    let align = align.max(4);
    let bytes = size as u32;
    let words = bytes.div_ceil(4).max(1);
    // Registers are skipped until the number that is left, counted down from r4, is a multiple of the alignment.
    while !(engine.free(RegClass::Int) as u32).is_multiple_of(align / 4) {
        engine.take(RegClass::Int, usize::MAX);
    }
    let free = engine.free(RegClass::Int) as u32;
    if free == 0 || words > free && engine.stack_bytes() > 0 {
        engine.exhaust(RegClass::Int);
        let offset = engine.stack((4 * words).into(), align)?;
        return Ok(PassMode::StackCopy { offset, size, align });
    }
    let mut pieces = Pieces::new();
    for i in 0..words.min(free) {
        let Some(reg) = engine.take(RegClass::Int, usize::MAX) else { break };
        let size = (bytes - (4 * i).min(bytes)).min(4);
        if size > 0 {
            pieces.push(Piece { offset: 4 * i, ..Piece::whole(size, Place::Reg(reg)) });
        }
    }
    // The stack is aligned even if nothing is left for it.
    let rest = words - words.min(free);
    let offset = engine.stack((4 * rest).into(), align)?;
    if rest > 0 {
        pieces.push(Piece { offset: 4 * free, ..Piece::whole(bytes - 4 * free, Place::Stack { offset }) });
    }
    Ok(PassMode::direct(pieces))
}

/// Must all parts stay together under the VFP variant? So for homogeneous aggregates (every `float`, `double` and
/// vector is one by itself) and arrays of integers. clang uses such types for values that AAPCS32 keeps together.
fn is_block(layout: &DataLayout, ty: &LlvmType) -> Result<bool, AbiError> {
    let is_base = |lane: LlvmScalar, lanes: Option<u32>| match (lane, lanes) {
        (LlvmScalar::Float, None) => Some(4),
        (LlvmScalar::Double, None) => Some(8),
        (LlvmScalar::Ptr, _) | (_, None) => None,
        (lane, Some(lanes)) => match lane.bits(32).checked_mul(lanes) {
            Some(64) => Some(64),
            Some(128) => Some(128),
            _ => None,
        },
    };
    if let LlvmType::Array { element, len: 1.. } = ty
        && let LlvmType::Scalar(LlvmScalar::Int(_)) = **element
    {
        return Ok(true);
    }
    if ty.is_hollow() || !(1..=4).contains(&ty.count()) {
        return Ok(false);
    }
    let mut bases = layout.leaves(ty)?.into_iter().map(|leaf| is_base(leaf.lane, leaf.lanes));
    let first = bases.next().flatten();
    Ok(first.is_some() && bases.all(|base| base == first))
}

/// The steps that fetch an unnamed argument of this type: as [`Call::argument`] places its parts in a variadic function.
pub(crate) fn va_arg(target: &AbiTarget, ty: &LlvmType) -> Result<Vec<VaArg>, AbiError> {
    let signature = Signature::c(LlvmType::Void).ellipsis();
    let call = Call::new(target, &signature)?;
    let parts = call.parts(&DataLayout::new(target), ty, Widen::None)?;
    let step = |(part, align): (Part, u32)| {
        if let Extension::Lanes { .. } = part.ext {
            return Err(AbiError::ty("va_arg of a vector whose lanes travel wider than they are in memory"));
        }
        let width = part.kind.bytes();
        let align = if (width > 4 || align == 8) && !target.features.apcs { 8 } else { 4 };
        let step = VaArg::in_slots(part.size.into(), 4, align, width.into(), false).of_number(target.endian);
        Ok(VaArg { offset: part.offset.into(), ..step })
    };
    parts.into_iter().map(step).collect()
}
