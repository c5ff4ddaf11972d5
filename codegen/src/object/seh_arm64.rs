//! Descriptions of frames for Windows' unwinder of AArch64 (Microsoft, "ARM64 exception handling").
//!
//! Each instruction of a prologue or an epilogue has a code, so that the unwinder, which knows where it was interrupted, takes back what
//! was done. An epilogue that is the prologue backwards shares its codes. What the document leaves open is as LLVM's assembler
//! does it: the text gives the same bytes.

use crate::buffer::{CfiOp, SehOp};
use crate::compiled::CompiledFunction;

/// Instructions of a part of a function that one description is about, at most; 18 bits hold their number.
const MOST_INSTRUCTIONS: u32 = 0x3_ffff;
/// Instructions of a function with a packed description, at most.
const MOST_PACKED: u32 = 0x7ff;
/// The code behind the last one of an epilogue, for the instruction that leaves the function...
const END: Code = Code(0xe4, 1);
/// ...and in front of those of a prologue that is elsewhere.
const END_OF_PART: u8 = 0xe5;
const NOP: u8 = 0xe3;
const SET_FP: u32 = 0xe1;
const SIGN_RETURN: u32 = 0xfc;
const SAVE_NEXT: Code = Code(0xe6, 1);

/// What the table of functions says of a part of a function.
pub(super) enum Description {
    /// All of it.
    Packed(u32),
    /// Where this is.
    Info(Vec<u8>),
}

/// A code: a number of so many bytes, of which the highest is the first.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Code(u32, u8);

impl Code {
    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_be_bytes()[4 - usize::from(self.1)..]);
    }
}

fn length(codes: &[Code]) -> u32 {
    codes.iter().map(|c| u32::from(c.1)).sum()
}

/// An epilogue: where it begins, in instructions, and its codes in order.
struct Epilogue {
    start: u32,
    codes: Vec<Code>,
}

/// The frame of a function.
struct Unwinding {
    /// The codes of the prologue, from the last step to the first.
    prologue: Vec<Code>,
    epilogues: Vec<Epilogue>,
    packed: Option<u32>,
}

/// The descriptions of a function's parts, each with its first byte; functions of up to a megabyte have one. `None` where there are no
/// codes for the frame.
pub(super) fn describe(f: &CompiledFunction, handled: bool) -> Option<Vec<(u32, Description)>> {
    let unwinding = Unwinding::of(f)?;
    let end = f.code.len() as u32 / 4;
    if let Some(packed) = unwinding.packed.filter(|_| !handled && end <= MOST_PACKED) {
        return Some(vec![(0, Description::Packed(packed | end << 2))]);
    }
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < end || parts.is_empty() {
        let most = start.saturating_add(MOST_INSTRUCTIONS);
        // No epilogue is cut in two.
        let cut = |e: &&Epilogue| e.start < most && most < e.start + e.codes.len() as u32;
        let stop = unwinding.epilogues.iter().find(cut).map_or(most, |e| e.start).min(end);
        parts.push((4 * start, Description::Info(unwinding.info(start, stop, handled)?)));
        start = stop;
    }
    // The table of landing pads counts from the start of the function.
    (parts.len() == 1 || !handled).then_some(parts)
}

impl Unwinding {
    fn of(f: &CompiledFunction) -> Option<Unwinding> {
        let (mut prologue, mut epilogues, mut ops) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for mark in &f.cfi {
            let CfiOp::Seh(op) = mark.value else { continue };
            match op {
                SehOp::EndPrologue => prologue = std::mem::take(&mut ops),
                SehOp::BeginEpilogue => start = mark.offset / 4,
                SehOp::EndEpilogue => {
                    let steps = std::mem::take(&mut ops);
                    epilogues.push((start, steps));
                }
                op => ops.push(op),
            }
        }
        // What takes a frame away is encoded as what makes it, backwards.
        let whole = |codes: Option<Vec<Code>>| Some(codes?.into_iter().rev().chain([END]).collect::<Vec<_>>());
        let packed = match &epilogues[..] {
            [(start, steps)] if start + steps.len() as u32 + 1 == f.code.len() as u32 / 4 => packed(&prologue, steps),
            _ => None,
        };
        let codes = |(start, steps): &(u32, Vec<SehOp>)| {
            Some(Epilogue { start: *start, codes: whole(encode(steps.iter().rev()))? })
        };
        Some(Unwinding {
            epilogues: epilogues.iter().map(codes).collect::<Option<_>>()?,
            prologue: whole(encode(prologue.iter()))?,
            packed,
        })
    }

    /// Where the codes of an epilogue are among those of the prologue, if they are there.
    fn in_prologue(&self, epilogue: &Epilogue) -> Option<u32> {
        let rest = self.prologue.strip_suffix(&epilogue.codes[..])?;
        Some(length(rest))
    }

    /// The description of the instructions from `start` to `stop`. `None` if its codes are too many.
    fn info(&self, start: u32, stop: u32, handled: bool) -> Option<Vec<u8>> {
        let epilogues: Vec<_> = self.epilogues.iter().filter(|e| (start..stop).contains(&e.start)).collect();
        let outside = u32::from(start > 0);
        let own = length(&self.prologue);
        // The only epilogue, at the end, is found by where its codes are.
        let at_end = match &epilogues[..] {
            [] => (start > 0).then_some(0),
            [e] if e.start + e.codes.len() as u32 == stop => {
                let behind = (own <= 31 && own + length(&e.codes) <= 124).then_some(own);
                self.in_prologue(e).filter(|&at| at <= 31 && own <= 124).or(behind).map(|at| at + outside)
            }
            _ => None,
        };
        let (mut scopes, mut added): (Vec<u32>, Vec<(&[Code], u32)>) = (Vec::new(), Vec::new());
        let mut bytes = own + outside;
        for e in &epilogues {
            let known = added.iter().find(|(codes, _)| *codes == e.codes).map(|(_, at)| *at);
            let at = known.or_else(|| self.in_prologue(e).map(|at| at + outside)).unwrap_or_else(|| {
                added.push((&e.codes, bytes));
                bytes += length(&e.codes);
                bytes - length(&e.codes)
            });
            if at > 0x3ff {
                return None;
            }
            scopes.push((e.start - start) | at << 22);
        }
        let words = bytes.div_ceil(4);
        let count = at_end.unwrap_or(scopes.len() as u32);
        let header = (stop - start) | u32::from(handled) << 20 | u32::from(at_end.is_some()) << 21;
        let mut info = Vec::new();
        let mut put = |word: u32| info.extend_from_slice(&word.to_le_bytes());
        if count <= 31 && words <= 31 {
            put(header | count << 22 | words << 27);
        } else if count <= 0xffff && words <= 0xff {
            put(header);
            put(count | words << 16);
        } else {
            return None;
        }
        if at_end.is_none() {
            scopes.into_iter().for_each(put);
        }
        let start_of_codes = info.len();
        info.extend((0..outside).map(|_| END_OF_PART));
        let all = std::iter::once(&self.prologue[..]).chain(added.iter().map(|(codes, _)| *codes));
        all.flatten().for_each(|code| code.put(&mut info));
        info.resize(start_of_codes + 4 * words as usize, NOP);
        Some(info)
    }
}

/// The codes of steps that make a frame, in their order.
fn encode<'a>(steps: impl Iterator<Item = &'a SehOp>) -> Option<Vec<Code>> {
    // The pair of general-purpose registers before, and its offset: of vector registers Windows misreads the code of the next pair.
    let mut before = None;
    let code = |&op: &SehOp| {
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
            SehOp::SaveLowering { first, last, bytes } => {
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

/// The first registers that callees keep, and those of the frame record.
const SAVED: u8 = 19;
const FRAME_POINTER: u8 = 29;
const LINK: u8 = 30;
const SAVED_VECTOR: u8 = 32 + 8;

/// Registers are stored above the stack pointer.
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

/// Registers are stored where the stack pointer is then.
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

/// The packed description of a frame with its only epilogue at the end, without the function's length: of registers kept, the first ones,
/// then locals or a frame record.
fn packed(prologue: &[SehOp], epilogue: &[SehOp]) -> Option<u32> {
    let signed = prologue.first() == Some(&SehOp::SignReturn);
    let (mut saved, mut rest) = (Vec::new(), &prologue[usize::from(signed)..]);
    let mut bytes = 0;
    while let [SehOp::SaveLowering { first, last, .. } | SehOp::Save { first, last, .. }, tail @ ..] = rest
        && *first != FRAME_POINTER
    {
        if let (SehOp::SaveLowering { bytes: by, .. }, true) = (rest[0], saved.is_empty()) {
            bytes = by;
        }
        saved.push(*first);
        saved.extend(Some(*last).filter(|last| last != first));
        rest = tail;
    }
    let link = saved.contains(&LINK);
    let ints = saved.iter().filter(|&&r| r < LINK).count() as u8;
    let floats = saved.iter().filter(|&&r| r >= SAVED_VECTOR).count() as u8;
    let usual = (SAVED..SAVED + ints).chain(link.then_some(LINK)).chain(SAVED_VECTOR..SAVED_VECTOR + floats);
    // Of a first register and the link register the document has another order.
    if !saved.iter().copied().eq(usual) || floats == 1 || ints == 1 && link {
        return None;
    }
    let (record, locals) = match rest {
        [] => (false, 0),
        [SehOp::Allocate(locals @ ..=4080)] => (false, *locals),
        [SehOp::SaveLowering { bytes: 16, .. }, SehOp::SetFrame { offset: 0, .. }] if !link => (true, 16),
        _ => return None,
    };
    let moves = |op: &&SehOp| !matches!(op, SehOp::SetFrame { .. });
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
