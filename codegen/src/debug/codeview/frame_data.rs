//! Programs that find frames where calls move the stack pointer (`DEBUG_S_FRAMEDATA`; LLVM, `X86WinCOFFTargetStreamer`).
//!
//! A program is a text in postfix notation: `$T0` becomes the address just below that of the return address' caller, `$eip` and `$esp`
//! what they were in the caller. Where the frame is found by the stack pointer, debuggers search it by its sizes (`.raSearch`).

use std::fmt::Write;

use super::bytes::Output;
use super::files::Files;
use super::records::subsection;
use crate::buffer::CfiOp;
use crate::debug::DebugFunction;
use crate::debug::sections::DebugTarget;
use crate::object::MovingStack;

/// The function begins here.
const FUNCTION_START: u32 = 4;
/// Bytes of a return address, which lies just below the canonical frame address.
const RETURN_ADDRESS: i32 = 4;

/// Bytes of a register.
const WORD: u32 = 4;

/// What is known of a frame while it is made.
struct State {
    /// Bytes from the return address down to the stack pointer.
    depth: i32,
    /// The register by which the frame is found, and its distance from the return address, if it is not the stack pointer.
    frame: Option<(u16, i32)>,
    /// Saved registers, and how far below the return address they are.
    saved: Vec<(u16, i32)>,
}

/// Writes the programs of a function.
pub(super) fn write(out: &mut Output, files: &mut Files<'_>, facts: &MovingStack, function: &DebugFunction) {
    let prologue = function.debug.description.prologue_bytes;
    let mut data = Output::default();
    data.in_image(DebugTarget::Symbol(function.symbol));
    let mut state = State { depth: 0, frame: None, saved: Vec::new() };
    record(&mut data, files, facts, function, (&state, 0));
    let marks = &function.frame_rules[..function.frame_rules.partition_point(|mark| mark.offset <= prologue)];
    for marks in marks.chunk_by(|a, b| a.offset == b.offset) {
        let (before, had_frame) = (state.depth, state.frame.is_some());
        let count = state.saved.len();
        for mark in marks {
            match mark.value {
                CfiOp::DefCfaOffset(offset) if !had_frame => state.depth = offset - RETURN_ADDRESS,
                CfiOp::DefCfa { register, offset } => state.frame = Some((register, offset - RETURN_ADDRESS)),
                CfiOp::DefCfaRegister(register) => state.frame = Some((register, state.depth)),
                CfiOp::Offset { register, offset } => state.saved.push((register, -(offset + RETURN_ADDRESS))),
                _ => {}
            }
        }
        let changed = state.saved.len() != count || state.frame.is_some() != had_frame;
        // Room that a frame with a frame pointer gets does not change how it is found.
        if marks[0].offset != 0 && (changed || before != state.depth && !had_frame) {
            record(&mut data, files, facts, function, (&state, marks[0].offset));
        }
    }
    out.subsection(subsection::FRAME_DATA, data);
}

/// The program for the code from an offset on.
fn record(
    out: &mut Output,
    files: &mut Files<'_>,
    facts: &MovingStack,
    function: &DebugFunction,
    (state, offset): (&State, u32),
) {
    let name = |register: u16| (facts.name)(register).unwrap_or("$esp");
    let mut program = String::new();
    // Writing to a string cannot fail.
    let _ = match state.frame {
        Some((register, up)) => write!(program, "$T0 {} {up} + = ", name(register)),
        None => write!(program, "$T0 .raSearch = "),
    };
    program.push_str("$eip $T0 ^ = $esp $T0 4 + = ");
    for &(register, below) in &state.saved {
        let _ = write!(program, "{} $T0 {below} - ^ = ", name(register));
    }
    let program = files.string(program.as_bytes());
    let saved = WORD * state.saved.len() as u32;
    let locals = (state.depth.max(0) as u32).saturating_sub(saved);
    let words = [offset, function.len - offset, locals, function.debug.description.argument_bytes, 0, program];
    words.into_iter().for_each(|word| out.bytes.u32(word));
    out.bytes.u16(function.debug.description.prologue_bytes.saturating_sub(offset) as u16);
    out.bytes.u16(saved as u16);
    out.bytes.u32(if offset == 0 { FUNCTION_START } else { 0 });
}
