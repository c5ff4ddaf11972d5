//! How LLVM's back end for x86-64 System V passes LLVM IR types, so that objects mix with llc's.
//!
//! Source: LLVM LangRef, "Parameter Attributes" and "Calling Conventions", and what llc 19 was seen to do; `i128` and
//! the register that it leaves free are as in LLVM 20 and later, which follow the psABI there.

use crate::engine::{Banks, Engine, Overflow, wanted};
use crate::error::AbiError;
use crate::fnabi::{Extension, PassMode, Piece, Pieces, Place};
use crate::layout::{DataLayout, llvm_bits};
use crate::reg::{Reg, RegClass, x86};
use crate::signature::{Attrs, Role, Widen};
use crate::sysv64;
use crate::target::Target;
use crate::types::{LlvmScalar, LlvmType};
use crate::vararg::VaArg;
use alloc::vec::Vec;

/// Results: up to three integers, four vectors, two x87 values; of the four, two for `float`, `double`, `fp128`, and three
/// for `half`.
const RET_BANKS: Banks = [&[0, 2, 1], &[0, 1, 2, 3], &[0, 1]];
const RET_FLOATS: usize = 2;
const RET_HALVES: usize = 3;

/// What a register-sized part of a value is, for choosing its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    /// `half` and `bfloat`.
    Half,
    /// `float` and `double`.
    Float,
    Fp128,
    Fp80,
    /// A vector register of so many bytes.
    Vector(u32),
}

impl Kind {
    /// The class of registers for it, if there is one, and the size and alignment of its stack slot in bytes.
    fn place(self) -> (Option<RegClass>, u32) {
        match self {
            Kind::Int => (Some(RegClass::Int), 8),
            Kind::Half | Kind::Float => (Some(RegClass::Float), 8),
            Kind::Fp128 => (Some(RegClass::Float), 16),
            Kind::Fp80 => (None, 16),
            Kind::Vector(bytes) => (Some(RegClass::Float), bytes),
        }
    }

    /// The same in variadic functions: LLVM leaves the wide registers unused there, for named arguments too.
    fn variable_place(self) -> (Option<RegClass>, u32) {
        match self {
            Kind::Vector(bytes) if bytes > 16 => (None, bytes),
            _ => self.place(),
        }
    }
}

/// A part of a value: one register or stack slot.
struct Part {
    kind: Kind,
    /// Offset and size in the value's memory image, in bytes.
    offset: u32,
    size: u32,
    ext: Extension,
}

/// A value of the signature: a whole parameter, or one scalar of an aggregate.
#[derive(Clone, Copy)]
struct Value {
    lane: LlvmScalar,
    lanes: Option<u32>,
    offset: u64,
    index: u16,
}

fn values(ty: &LlvmType) -> Result<impl Iterator<Item = Value> + use<'_>, AbiError> {
    let (single, leaves) = match ty {
        LlvmType::Void => (None, &[][..]),
        LlvmType::Scalar(lane) => (Some((*lane, None)), &[][..]),
        LlvmType::Vector { lane, lanes } => (Some((*lane, Some(*lanes))), &[][..]),
        LlvmType::Aggregate(aggregate) => (None, &aggregate.leaves[..]),
    };
    if leaves.len() > u16::MAX as usize + 1 {
        return Err(AbiError::ty("a first-class aggregate of more than 65536 scalars"));
    }
    let single = single.into_iter().map(|(lane, lanes)| Value { lane, lanes, offset: 0, index: 0 });
    let many = leaves.iter().enumerate().map(|(i, leaf)| Value {
        lane: leaf.lane,
        lanes: leaf.lanes,
        offset: leaf.offset,
        index: i as u16,
    });
    Ok(single.chain(many))
}

struct Splitter {
    layout: DataLayout,
    vector_bytes: u32,
    widen: Widen,
    /// Results of 8 and 16 bits are not widened beyond their size.
    result: bool,
}

impl Splitter {
    fn new(target: &Target, widen: Widen, result: bool) -> Splitter {
        let vector_bytes = target.features.vector_bytes.max(16) as u32;
        Splitter { layout: DataLayout::new(target), vector_bytes, widen, result }
    }

    /// Calls `each` for the parts of `value` in order.
    fn split(&self, value: Value, each: &mut impl FnMut(Part) -> Result<(), AbiError>) -> Result<(), AbiError> {
        let offset = u32::try_from(value.offset).map_err(|_| AbiError::ty("an offset over 2^32"))?;
        match value.lanes {
            None => self.split_scalar(value.lane, offset, each),
            Some(lanes) => self.split_vector(value.lane, lanes, offset, each),
        }
    }

    fn split_scalar(
        &self,
        scalar: LlvmScalar,
        offset: u32,
        each: &mut impl FnMut(Part) -> Result<(), AbiError>,
    ) -> Result<(), AbiError> {
        self.layout.llvm_scalar(scalar)?;
        let part = |kind, size| Part { kind, offset, size, ext: Extension::None };
        match scalar {
            LlvmScalar::Ptr => each(part(Kind::Int, 8)),
            LlvmScalar::Half | LlvmScalar::BFloat => each(part(Kind::Half, 2)),
            LlvmScalar::Float => each(part(Kind::Float, 4)),
            LlvmScalar::Double => each(part(Kind::Float, 8)),
            LlvmScalar::Fp128 => each(part(Kind::Fp128, 16)),
            LlvmScalar::X86Fp80 => each(part(Kind::Fp80, 10)),
            LlvmScalar::Int(bits) => {
                let last = (bits - 1) / 64;
                (0..=last).try_for_each(|i| {
                    let left = bits - 64 * i;
                    let ext = if i == last { self.extension(left, bits) } else { Extension::None };
                    each(Part { kind: Kind::Int, offset: offset + 8 * i, size: left.div_ceil(8).min(8), ext })
                })
            }
        }
    }

    /// How the top part of an integer of `bits` bits, itself of `left` bits, is widened: to the register that LLVM
    /// promotes it to, which is at least 32 bits wide for arguments.
    fn extension(&self, left: u32, bits: u32) -> Extension {
        let to = match (self.result, bits) {
            (true, 1..=8) => 8,
            (true, 16) => 16,
            (_, 1..=32) => 32,
            _ => 64,
        };
        match self.widen {
            _ if left >= to => Extension::None,
            Widen::None => Extension::None,
            Widen::Zero => Extension::Zero { from: left as u16, to: to as u16 },
            Widen::Sign => Extension::Sign { from: left as u16, to: to as u16 },
        }
    }

    /// LLVM's type legalization of vectors on this target: narrow ones are widened into one register, wide ones split
    /// into registers when the number of lanes is a power of two, and taken apart into lanes otherwise.
    fn split_vector(
        &self,
        lane: LlvmScalar,
        lanes: u32,
        offset: u32,
        each: &mut impl FnMut(Part) -> Result<(), AbiError>,
    ) -> Result<(), AbiError> {
        let lane_bits = llvm_bits(lane, 8);
        if lanes == 0 || lanes > 1 << 16 {
            return Err(AbiError::ty(alloc::format!("a vector of {lanes} lanes")));
        }
        let register = |size, at| Part { kind: Kind::Vector(size), offset: at, size, ext: Extension::None };
        if lanes == 1 {
            return match lane {
                // Widened like longer ones, where other single lanes become scalars.
                LlvmScalar::Half | LlvmScalar::BFloat => each(Part { size: 2, ..register(16, offset) }),
                _ => self.split_scalar(lane, offset, each),
            };
        }
        if lane_bits == 1 {
            // A mask travels as a vector of as many lanes that fill an xmm register.
            return match lanes {
                2 | 4 | 8 | 16 => each(Part { size: 16, ..register(16, offset) }),
                _ => Err(AbiError::ty(alloc::format!("a mask of {lanes} lanes is not supported"))),
            };
        }
        let is_int = matches!(lane, LlvmScalar::Int(_));
        let fits_registers = matches!(lane_bits, 8 | 16 | 32 | 64);
        if !fits_registers && !matches!(lane_bits, 80 | 128) {
            return Err(AbiError::ty(alloc::format!("a vector of lanes of {lane_bits} bits is not supported")));
        }
        let bytes = lane_bits / 8;
        let widened = bytes * lanes.next_power_of_two();
        let one = if lanes.is_power_of_two() {
            widened <= self.vector_bytes
        } else {
            (16..=self.vector_bytes).contains(&widened) || (lanes == 3 && lane_bits == 16 && !is_int)
        };
        if fits_registers && one {
            return each(Part { kind: Kind::Vector(widened.max(16)), ..register(bytes * lanes, offset) });
        }
        if fits_registers && lanes.is_power_of_two() {
            return (0..widened / self.vector_bytes)
                .try_for_each(|i| each(register(self.vector_bytes, offset + i * self.vector_bytes)));
        }
        let stride = if lane_bits == 80 { 10 } else { bytes };
        (0..lanes).try_for_each(|i| self.split_scalar(lane, offset + i * stride, each))
    }
}

fn check_attrs(attrs: &Attrs) -> Result<(), AbiError> {
    if let Some(align) = attrs.stack_align
        && !align.is_power_of_two()
    {
        return Err(AbiError::ty(alloc::format!("alignstack({align}) is not a power of two")));
    }
    Ok(())
}

/// The register of a parameter with a role of its own.
fn role_register(role: Role) -> Option<Reg> {
    match role {
        Role::Nest => Some(x86::R10),
        Role::SwiftSelf => Some(x86::R13),
        Role::SwiftError => Some(x86::R12),
        Role::SwiftAsync => Some(x86::R14),
        _ => None,
    }
}

/// Where an argument goes.
pub(crate) fn argument(
    target: &Target,
    ty: &LlvmType,
    attrs: &Attrs,
    variadic: bool,
    engine: &mut Engine,
) -> Result<PassMode, AbiError> {
    check_attrs(attrs)?;
    match attrs.role {
        Role::Value => {}
        _ if *ty != LlvmType::PTR => return Err(AbiError::ty("this attribute needs a pointer")),
        Role::ByVal { size, align } => {
            if !align.is_power_of_two() {
                return Err(AbiError::ty(alloc::format!("alignment {align} is not a power of two")));
            }
            let align = align.max(8);
            // An empty type takes a slot too.
            return Ok(PassMode::StackCopy { offset: engine.stack(size.max(1), align)?, size, align });
        }
        Role::InAlloca { .. } => return Err(AbiError::ty("x86-64 has no inalloca argument block")),
        Role::Preallocated { .. } => return Err(AbiError::ty("x86-64 has no preallocated arguments")),
        _ => {}
    }
    if let Some(reg) = role_register(attrs.role) {
        return Ok(PassMode::Direct(Pieces::one(Piece { size: 8, place: Place::Reg(reg), ..Piece::default() })));
    }
    if *ty == LlvmType::Void {
        return Err(AbiError::ty("void is not a value"));
    }
    let mut pieces = Pieces::new();
    if *ty == LlvmType::int(128) {
        // psABI, section 3.2.3: both halves in registers, or both in memory aligned to 16.
        for offset in [0, 8] {
            pieces.push(Piece { offset, size: 8, place: wanted(RegClass::Int), ..Piece::default() });
        }
        if !engine.group(&mut pieces, Overflow::Revert) {
            let start = engine.stack(16, 16)?;
            for piece in pieces.iter_mut() {
                piece.place = Place::Stack { offset: start + piece.offset };
            }
        }
        return Ok(PassMode::Direct(pieces));
    }
    let splitter = Splitter::new(target, attrs.widen, false);
    for value in values(ty)? {
        splitter.split(value, &mut |part| {
            let place = argument_place(&part, attrs, variadic, engine)?;
            pieces.push(part.piece(place, value.index));
            Ok(())
        })?;
    }
    Ok(if pieces.is_empty() { PassMode::Ignore } else { PassMode::Direct(pieces) })
}

impl Part {
    fn piece(&self, place: Place, scalar: u16) -> Piece {
        Piece { offset: self.offset, size: self.size, place, scalar, ext: self.ext, assume: self.ext }
    }
}

fn argument_place(part: &Part, attrs: &Attrs, variadic: bool, engine: &mut Engine) -> Result<Place, AbiError> {
    let (class, slot) = if variadic { part.kind.variable_place() } else { part.kind.place() };
    if let Some(reg) = class.and_then(|class| engine.take(class, usize::MAX)) {
        return Ok(Place::Reg(reg));
    }
    let align = slot.max(attrs.stack_align.unwrap_or(1));
    Ok(Place::Stack { offset: engine.stack(slot.into(), align)? })
}

/// Where a result goes: into registers, or, if it has more parts than there are registers, into memory behind a hidden
/// first argument.
pub(crate) fn result(target: &Target, ty: &LlvmType, attrs: &Attrs, engine: &mut Engine) -> Result<PassMode, AbiError> {
    check_attrs(attrs)?;
    if attrs.role != Role::Value {
        return Err(AbiError::ty("a result has no such attribute"));
    }
    let mut bank = Engine::new(RET_BANKS, 8, 16);
    let mut pieces = Pieces::new();
    let mut fits = true;
    let splitter = Splitter::new(target, attrs.widen, true);
    for value in values(ty)? {
        splitter.split(value, &mut |part| {
            let reg = match part.kind {
                Kind::Int => bank.take(RegClass::Int, usize::MAX),
                Kind::Half => bank.take(RegClass::Float, RET_HALVES),
                Kind::Vector(_) => bank.take(RegClass::Float, usize::MAX),
                Kind::Fp128 => bank.take(RegClass::Float, RET_FLOATS),
                // A third float or double comes back on the x87 stack, in its format.
                Kind::Float => bank.take(RegClass::Float, RET_FLOATS).or_else(|| bank.take(RegClass::X87, usize::MAX)),
                Kind::Fp80 => bank.take(RegClass::X87, usize::MAX),
            };
            match reg {
                Some(reg) if fits => pieces.push(part.piece(Place::Reg(reg), value.index)),
                _ => fits = false,
            }
            Ok(())
        })?;
    }
    if !fits {
        let layout = DataLayout::new(target).llvm(ty)?;
        return Ok(PassMode::Indirect { pointer: sysv64::pointer(engine)?, size: layout.size, align: layout.align });
    }
    Ok(if pieces.is_empty() { PassMode::Ignore } else { PassMode::Direct(pieces) })
}

/// The steps that fetch an argument of this type: as [`argument`] places its parts.
pub(crate) fn va_arg(target: &Target, ty: &LlvmType) -> Result<Vec<VaArg>, AbiError> {
    if *ty == LlvmType::Void {
        return Err(AbiError::ty("void is not a value"));
    }
    if *ty == LlvmType::int(128) {
        let half = |offset| Piece { offset, size: 8, place: wanted(RegClass::Int), ..Piece::default() };
        return Ok(alloc::vec![sysv64::va_plan(&[half(0), half(8)].into_iter().collect(), 16, 16)]);
    }
    let splitter = Splitter::new(target, Widen::None, false);
    let mut steps = Vec::new();
    for value in values(ty)? {
        if value.lanes.is_some() && value.lane == LlvmScalar::Int(1) {
            return Err(AbiError::ty("va_arg of a vector of i1"));
        }
        splitter.split(value, &mut |part| {
            let (class, slot) = part.kind.variable_place();
            let piece = Piece { size: part.size, place: wanted(class.unwrap_or(RegClass::X87)), ..Piece::default() };
            let pieces = if class.is_some() { Pieces::one(piece) } else { Pieces::new() };
            let (offset, size) = (part.offset.into(), part.size.into());
            steps.push(VaArg { offset, size, ..sysv64::va_plan(&pieces, slot.into(), slot) });
            Ok(())
        })?;
    }
    Ok(steps)
}
