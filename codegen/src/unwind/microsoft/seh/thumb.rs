//! Codes of Windows' unwinder of ARM (Microsoft, "ARM exception handling", "Unwind codes" and "Packed unwind data").

use super::arm::{Code, Form, Outside, Step};
use crate::buffer::SehOp;

const NOP: u8 = 0xfb;
const LINK: u32 = 1 << 14;
const FRAME_POINTER: u32 = 1 << 11;
/// Preserved registers without the frame pointer.
const SAVED: u32 = 0x7f0;

/// Its descriptions.
pub(super) const FORM: Form = Form {
    unit: 2,
    leaving: 0,
    counts: 23,
    most_words: 15,
    // Under all conditions.
    scope: (14 << 20, 24),
    most_at: 0xff,
    most_codes: 63,
    outside: Outside::Bit(22),
    filler: NOP,
    codes: |steps, epilogue| match steps.split_last() {
        // There is a code for the end together with the instruction that leaves the function, if there is one.
        Some((&(SehOp::Nop, bytes), steps)) if epilogue => {
            steps.iter().map(code).chain([Some(Code(if bytes == 4 { 0xfe } else { 0xfd }, 1))]).collect()
        }
        _ if epilogue => steps.iter().map(code).chain([Some(END)]).collect(),
        _ => steps.iter().rev().map(code).chain([Some(END)]).collect(),
    },
    packed,
};

const END: Code = Code(0xff, 1);

/// The code of a step, which includes the length of the instruction.
fn code(&(op, bytes): &Step) -> Option<Code> {
    let wide = bytes == 4;
    Some(match op {
        SehOp::Nop => Code(u32::from(NOP) + u32::from(wide), 1),
        SehOp::SetFrame { register, offset: 0 } => Code(0xc0 | u32::from(register), 1),
        SehOp::Allocate(bytes) => match (bytes / 4, wide) {
            (words @ 0..0x80, false) => Code(words, 1),
            (words @ 0..0x400, true) => Code(0xe800 | words, 2),
            (words @ 0..0x1_0000, _) => Code((0xf7 + 2 * u32::from(wide)) << 16 | words, 3),
            (words @ 0..0x100_0000, _) => Code((0xf8 + 2 * u32::from(wide)) << 24 | words, 4),
            _ => return None,
        },
        // Consecutive vector registers, with `d8` as bit 16.
        SehOp::SaveLowering { registers, vectors: true, .. } => {
            let (first, last) = (registers.trailing_zeros() / 2, (31 - registers.leading_zeros()) / 2);
            match first {
                8 => Code(0xe0 | (last - 8), 1),
                _ => Code(0xf500 | first << 4 | last, 2),
            }
        }
        SehOp::SaveLowering { registers, .. } => {
            let (others, link) = (registers & !LINK, u32::from(registers & LINK != 0));
            let count = others.count_ones();
            let in_a_row = others == ((1 << count) - 1) << 4;
            match (wide, count) {
                (false, 1..=4) if in_a_row => Code(0xd0 | link << 2 | (count - 1), 1),
                (true, 5..=8) if in_a_row => Code(0xd8 | link << 2 | (count - 5), 1),
                (false, _) => Code(0xec00 | link << 8 | others, 2),
                (true, _) => Code(0x8000 | link << 13 | others, 2),
            }
        }
        _ => return None,
    })
}

/// The packed description of a frame that begins with registers from `r4` on, perhaps with `r11` as the link of a chain
/// and the link register, or with vector registers from `d8` on.
fn packed(prologue: &[Step], epilogue: Option<&[Step]>) -> Option<u32> {
    let (mut ints, mut floats, mut chained, mut words) = (0, 0, false, 0);
    let mut rest = prologue;
    if let [(SehOp::SaveLowering { registers, vectors: false, .. }, _), tail @ ..] = rest {
        (ints, rest) = (*registers, tail);
    }
    let count = (ints & SAVED).count_ones();
    let alone = ints & FRAME_POINTER != 0;
    if ints & !(SAVED | FRAME_POINTER | LINK) != 0 || ints & SAVED != ((1 << count) - 1) << 4 {
        return None;
    }
    if let [(SehOp::Nop, bytes), tail @ ..] = rest
        && alone
        && (*bytes == 2) == (count == 0)
    {
        (chained, rest) = (true, tail);
    }
    if let [(SehOp::SaveLowering { registers, vectors: true, .. }, _), tail @ ..] = rest {
        (floats, rest) = (*registers, tail);
    }
    if let [(SehOp::Allocate(bytes), _)] = rest {
        (words, rest) = (bytes / 4, &[]);
    }
    let double_floats = (floats >> 16) & 0x5555;
    let float_count = double_floats.count_ones();
    let rows = double_floats == ((1u32 << (2 * float_count)) - 1) & 0x5555 && floats & 0xffff == 0;
    // Without a chain, the frame pointer counts as one of the others if it is the last of them.
    let count = if alone && !chained { if count == 7 { 8 } else { return None } } else { count };
    let link = ints & LINK != 0;
    if !rest.is_empty()
        || !rows
        || float_count == 8
        || float_count > 0 && count > 0
        || words >= 0x3f4
        || chained && !link
    {
        return None;
    }
    let end = match epilogue {
        None => 3,
        Some(steps) => {
            let (end, steps) = match steps.split_last() {
                Some((&(SehOp::Nop, bytes), steps)) => (u32::from(bytes) / 2, steps),
                _ => (0, steps),
            };
            // The frame pointer is restored together with the others.
            let made = prologue.iter().rev().map(|step| step.0).filter(|op| *op != SehOp::Nop);
            if !steps.iter().map(|step| step.0).eq(made) {
                return None;
            }
            end
        }
    };
    let (kind, number) = match (count, float_count) {
        (0, 0) => (1, 7),
        (0, n) => (1, n - 1),
        (n, _) => (0, n - 1),
    };
    let flags = kind << 19 | u32::from(link) << 20 | u32::from(chained) << 21;
    Some(1 | end << 13 | number << 16 | flags | words << 22)
}
