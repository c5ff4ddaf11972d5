//! Codes of Windows' unwinder of AArch64 (Microsoft, "ARM64 exception handling", "Unwind codes" and "Packed unwind
//! data").

use super::arm::{Code, Form, Outside, Step};
use crate::buffer::SehOp;

const NOP: u8 = 0xe3;
const SET_FP: u32 = 0xe1;
const SIGN_RETURN: u32 = 0xfc;
const SAVE_NEXT: Code = Code(0xe6, 1);

/// Its descriptions.
pub(super) const FORM: Form = Form {
    unit: 4,
    leaving: 1,
    counts: 22,
    most_words: 31,
    scope: (0, 22),
    most_at: 0x3ff,
    most_codes: 124,
    outside: Outside::Code(0xe5),
    filler: NOP,
    // The code after the last one of an epilogue stands for the instruction that leaves the function.
    codes: |steps, epilogue| {
        let codes = if epilogue { encode(steps.iter().rev()) } else { encode(steps.iter()) };
        Some(codes?.into_iter().rev().chain([Code(0xe4, 1)]).collect())
    },
    packed: |prologue, epilogue| packed(prologue, epilogue?),
};

/// The codes of the steps that make a frame, in their order.
fn encode<'a>(steps: impl Iterator<Item = &'a Step>) -> Option<Vec<Code>> {
    // The previous pair of general-purpose registers, and its offset. For vector registers Windows misreads the code of
    // the next pair.
    let mut before = None;
    let code = |&(op, _): &Step| {
        let (mut code, mut stored) = (Code(NOP.into(), 1), None);
        match op {
            SehOp::Allocate(bytes @ 0..0x200) => code = Code(bytes / 16, 1),
            SehOp::Allocate(bytes @ 0..0x4000) => code = Code(0xc000 | (bytes / 16), 2),
            SehOp::Allocate(bytes @ 0..0x1000_0000) => code = Code(0xe000_0000 | (bytes / 16), 4),
            SehOp::SetFrame { offset: 0, .. } => code = Code(SET_FP, 1),
            SehOp::SetFrame { offset: bytes @ 0..0x800, .. } => code = Code(0xe200 | (bytes / 8), 2),
            SehOp::Save { first, last, offset } => {
                let next = last == first + 1 && before == Some((first - 2, offset.wrapping_sub(16)));
                code = if next { SAVE_NEXT } else { save(first, last, offset)? };
                stored = Some((first, last, offset));
            }
            SehOp::SaveLowering { bytes, .. } => {
                let (first, last) = stored_by(op)?;
                code = save_lowering(first, last, bytes)?;
                stored = Some((first, last, 0));
            }
            SehOp::SignReturn => code = Code(SIGN_RETURN, 1),
            SehOp::Nop => {}
            _ => return None,
        }
        before = stored.filter(|s| s.1 == s.0 + 1 && s.1 < FRAME_POINTER).map(|s| (s.0, s.2));
        Some(code)
    };
    steps.map(code).collect()
}

/// The first preserved register, and those of the frame record.
const SAVED: u8 = 19;
const FRAME_POINTER: u8 = 29;
const LINK: u8 = 30;
const SAVED_VECTOR: u8 = 32 + 8;

/// The first and the last register that a step stores.
fn stored_by(op: SehOp) -> Option<(u8, u8)> {
    match op {
        SehOp::Save { first, last, .. } => Some((first, last)),
        SehOp::SaveLowering { registers, vectors, .. } => {
            let base = if vectors { 32 } else { 0 };
            Some((base + registers.trailing_zeros() as u8, base + 31 - registers.leading_zeros() as u8))
        }
        _ => None,
    }
}

/// The code for registers that are stored above the stack pointer.
fn save(first: u8, last: u8, offset: u32) -> Option<Code> {
    let z = Some(offset / 8).filter(|&z| z < 64)?;
    if (first, last) == (FRAME_POINTER, LINK) {
        return Some(Code(0x40 | z, 1));
    }
    let code = |base: u32, register: u8| Some(Code(base | u32::from(register) << 6 | z, 2));
    match (first.checked_sub(SAVED_VECTOR), last - first) {
        (Some(d), 0) => code(0xdc00, d),
        (Some(d), _) => code(0xd800, d),
        (None, 0) => code(0xd000, first - SAVED),
        (None, 1) => code(0xc800, first - SAVED),
        (None, _) => code(0xd600, (first - SAVED) / 2),
    }
}

/// The code for registers that are stored where the stack pointer is then.
fn save_lowering(first: u8, last: u8, bytes: u32) -> Option<Code> {
    let z = (bytes / 8).checked_sub(1).filter(|&z| z < 64)?;
    match (first, last) {
        (FRAME_POINTER, LINK) => return Some(Code(0x80 | z, 1)),
        (SAVED, _) if last == SAVED + 1 && z < 31 => return Some(Code(0x20 | (z + 1), 1)),
        _ => {}
    }
    let pair = |base: u32, register: u8| Some(Code(base | u32::from(register) << 6 | z, 2));
    let one = |base: u32, register: u8| (z < 32).then_some(Code(base | u32::from(register) << 5 | z, 2));
    match (first.checked_sub(SAVED_VECTOR), last - first) {
        (Some(d), 0) => one(0xde00, d),
        (Some(d), _) => pair(0xda00, d),
        (None, 0) => one(0xd400, first - SAVED),
        (None, 1) => pair(0xcc00, first - SAVED),
        (None, _) => None,
    }
}

/// The packed description of a frame with its only epilogue at the end, without the function's length. It covers the
/// first preserved registers, then locals or a frame record.
fn packed(prologue: &[Step], epilogue: &[Step]) -> Option<u32> {
    let signed = prologue.first().is_some_and(|step| step.0 == SehOp::SignReturn);
    let (mut saved, mut rest) = (Vec::new(), &prologue[usize::from(signed)..]);
    let mut bytes = 0;
    while let [(op, _), tail @ ..] = rest
        && let Some((first, last)) = stored_by(*op)
        && first != FRAME_POINTER
    {
        if let (SehOp::SaveLowering { bytes: by, .. }, true) = (*op, saved.is_empty()) {
            bytes = by;
        }
        saved.push(first);
        saved.extend(Some(last).filter(|&last| last != first));
        rest = tail;
    }
    let link = saved.contains(&LINK);
    let ints = saved.iter().filter(|&&r| r < LINK).count() as u8;
    let floats = saved.iter().filter(|&&r| r >= SAVED_VECTOR).count() as u8;
    let usual = (SAVED..SAVED + ints).chain(link.then_some(LINK)).chain(SAVED_VECTOR..SAVED_VECTOR + floats);
    // With the first register and the link register alone, the document has another order.
    if !saved.iter().copied().eq(usual) || floats == 1 || ints == 1 && link {
        return None;
    }
    let (record, locals) = match rest {
        [] => (false, 0),
        [(SehOp::Allocate(locals @ ..=4080), _)] => (false, *locals),
        [(SehOp::SaveLowering { bytes: 16, .. }, _), (SehOp::SetFrame { offset: 0, .. }, _)] if !link => (true, 16),
        _ => return None,
    };
    let moves = |step: &&Step| !matches!(step.0, SehOp::SetFrame { .. });
    if !epilogue.iter().filter(moves).eq(prologue.iter().filter(moves).rev()) {
        return None;
    }
    let size = Some((bytes + locals) / 16).filter(|&size| size <= 0x1ff)?;
    let (ints, floats) = (u32::from(ints), u32::from(floats.saturating_sub(1)));
    let chain = match (record, signed) {
        (true, true) => 2,
        (true, false) => 3,
        (false, true) => return None,
        (false, false) => u32::from(link),
    };
    Some(1 | floats << 13 | ints << 16 | chain << 21 | size << 23)
}
