//! Calls, entry and return, driven by the ABI layer's description alone.
//!
//! `entry` is what a definition does before its first block, `site` what a call does up to its instruction, `result`
//! how results come and go on both sides, `landing` where exceptions come to, `reference` arguments by the address of a copy, `memory` the loads, stores and copies that all of them use.

mod block;
mod entry;
pub(crate) mod forward;
mod landing;
mod memory;
mod reference;
mod result;
mod site;

pub use block::stack_level;
pub use entry::{bind_params, enter, stay, va_start};
pub use landing::landing_pad;
pub(crate) use reference::outgoing_bytes;
pub use result::leave;
pub use site::{call, helper};

use gusset_abi::{Extension, FnAbi, PassMode, Piece, Place, SaveAreaPlace, VarArea};

use crate::alloc::{Event, Loc, Name, Stream};
use crate::compiled::LibCall;
use crate::error::CompileError;
use crate::ir::{Function, Inst, SigData, TailKind, Value};
use crate::target::{FrameAddr, PReg, PartKind, Target};

fn shift(at: FrameAddr, bytes: i32) -> FrameAddr {
    FrameAddr { disp: at.disp.wrapping_add(bytes), ..at }
}

/// Is parameter `i` of the IR the address of an aggregate?
fn by_address(sig: &SigData, i: usize) -> bool {
    (sig.aggregate_result && i + 1 == sig.params.len()) || sig.param_is_aggregate(i)
}

/// The part of a parameter that a piece in a register fills.
fn part_of(kind: PartKind, piece: &Piece) -> u8 {
    (piece.offset / kind.bytes()) as u8
}

/// Bytes of the stack slots that a piece takes.
fn slot_bytes<T: Target>(cx: &Stream<'_, T>, piece: &Piece) -> u32 {
    piece.size.next_multiple_of(cx.target.word().bytes())
}

/// The parts of a parameter that begin in a piece on the stack, each with its offset from the piece. There may be several in
/// one, and one may reach over several pieces, which then follow each other.
fn parts_of(kind: PartKind, piece: &Piece) -> impl Iterator<Item = (u8, i32)> + use<> {
    let (bytes, start, end) = (kind.bytes(), piece.offset, piece.offset + piece.size);
    (start.div_ceil(bytes)..end.div_ceil(bytes)).map(move |part| (part as u8, (part * bytes - start) as i32))
}

fn set_of(abi: &FnAbi) -> u64 {
    abi.clobbers.int as u64 | (abi.clobbers.float as u32 as u64) << 32
}

/// Registers that some call in the function may change, by the conventions of the callees.
pub fn clobbered(f: &Function) -> u64 {
    f.calls.iter().fold(0, |mask, c| mask | set_of(&f.sigs[c.sig.index()].abi))
}

/// Registers that the function has to leave as they were.
pub fn preserved(f: &Function) -> u64 {
    let set = f.signature().abi.preserved;
    set.int as u64 | (set.float as u32 as u64) << 32
}

/// Registers in which arguments of calls travel that replace the function's own frame: they cannot be restored before.
pub fn tail_arguments(f: &Function) -> u64 {
    let must = f.calls.iter().filter(|c| c.tail == TailKind::Must);
    must.fold(0, |mask, c| mask | argument_registers(&f.sigs[c.sig.index()].abi))
}

/// The parameter that a function returns without being told to, and in which register: the address of a result in memory, and
/// the object of a constructor or destructor.
pub(crate) fn returned_param(abi: &FnAbi) -> Option<(u32, PReg)> {
    let this = abi.returns_this.map(|r| (0, r));
    let (param, reg) = this.or_else(|| abi.sret_param.zip(abi.sret_return_reg))?;
    Some((param, PReg::from_abi(reg)?))
}

/// The parameter that a return reads without naming it: one that is returned, or the address of a result that is an aggregate.
pub(crate) fn kept_param(sig: &SigData) -> Option<usize> {
    match sig.aggregate_result {
        true => sig.params.len().checked_sub(1),
        false => returned_param(&sig.abi).map(|(param, _)| param as usize),
    }
}

const FLOATS: u64 = 0xffff_ffff_0000_0000;

/// A register that carries what is in memory only: a floating-point one, where none holds values the one that moves have.
fn carrier<T: Target>(cx: &mut Stream<'_, T>) -> Result<PReg, CompileError> {
    let file = cx.target.registers();
    if file.allocatable & FLOATS != 0 {
        return cx.temp(true, None);
    }
    Ok(PReg((file.edge_scratch & FLOATS).trailing_zeros() as u8))
}

/// What calls here cannot do of an ABI.
fn unsupported<T: Target>(target: &T, abi: &FnAbi) -> Option<&'static str> {
    if target.registers().allocatable & FLOATS == 0 {
        let vector = |p: &Piece| p.reg().is_some_and(|r| r.class == gusset_abi::RegClass::Float);
        if abi.args.iter().map(|a| &a.mode).chain([&abi.ret.mode]).any(|mode| mode.pieces().iter().any(vector)) {
            return Some("an argument or a result is in a vector register, and the target has none");
        }
    }
    let below = |area: &VarArea| area.save_area.as_ref().is_some_and(|s| s.place == SaveAreaPlace::BelowStackArgs);
    if abi.variadic.as_ref().is_some_and(below) {
        return Some("register save areas below the stack arguments are not supported yet");
    }
    None
}

/// Registers in which arguments travel.
pub(crate) fn argument_registers(abi: &FnAbi) -> u64 {
    let pieces = abi.args.iter().flat_map(|a| match &a.mode {
        PassMode::Indirect { pointer, .. } => std::slice::from_ref(pointer),
        mode => mode.pieces(),
    });
    let registers = pieces.flat_map(|p| match p.place {
        Place::RegPlus { reg, also } => [Some(reg), Some(also)],
        _ => [p.reg(), None],
    });
    registers.flatten().filter_map(PReg::from_abi).fold(0, |mask, r| mask | r.mask())
}

/// Registers that bring something to a function: its arguments, and how many vectors a variadic one gets.
pub(crate) fn entry_registers(abi: &FnAbi) -> u64 {
    let area = abi.variadic.as_ref().and_then(|v| v.save_area.as_ref());
    let count = area.and_then(|a| a.float_guard).and_then(PReg::from_abi);
    argument_registers(abi) | count.map_or(0, PReg::mask)
}

/// Notes for the checker where a part of a parameter arrives.
fn arrives<T: Target>(cx: &mut Stream<'_, T>, value: Value, part: u8, at: impl Into<Loc>) {
    cx.note(Event::Bind(Name { value, part }, at.into()));
}

fn int_or_float<T: Target>(cx: &Stream<'_, T>, inst: Inst, r: gusset_abi::Reg) -> Result<PReg, CompileError> {
    PReg::from_abi(r).ok_or_else(|| CompileError::at(cx.f, inst, "an argument in an x87 register"))
}

fn apply<T: Target>(cx: &mut Stream<'_, T>, r: PReg, ext: Extension) {
    match ext {
        // Legalization makes the vectors that travel with wider lanes.
        Extension::None | Extension::Lanes { .. } => {}
        Extension::Zero { from, to } => cx.target.emit_extend(cx.buf, r, from, to, false),
        Extension::Sign { from, to } => cx.target.emit_extend(cx.buf, r, from, to, true),
    }
}

/// Which part of its scalar a result's piece is: pieces of one scalar follow each other.
fn scalar_part(pieces: &[Piece], p: &Piece) -> u8 {
    let first = pieces.iter().find(|q| q.scalar == p.scalar).map_or(0, |q| q.offset);
    u8::from(p.offset != first)
}

/// What a call goes to, as the target's emitter wants it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallTarget {
    /// A symbol of the module plus nothing.
    Symbol(crate::ir::SymbolId),
    /// A function of the run-time library.
    Library(LibCall),
    /// A register.
    Reg(PReg),
}
