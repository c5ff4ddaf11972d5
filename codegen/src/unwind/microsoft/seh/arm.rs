//! Descriptions of frames for Windows' unwinders of ARM and AArch64 (Microsoft, "ARM exception handling", "ARM64 exception handling").
//!
//! Each instruction of a prologue or an epilogue has a code, so that the unwinder, which knows where it was
//! interrupted, can undo what was done. An epilogue that is the prologue backwards shares its codes. What the documents
//! leave open follows LLVM's assembler: the text gives the same bytes. The differences between the two architectures
//! are in their [`Form`].

use crate::buffer::{CfiOp, SehOp};
use crate::compiled::CompiledFunction;
use crate::unwind::microsoft::tables::Stretch;

/// The most units of a part of a function that one description covers; their number has 18 bits.
const MOST_UNITS: u32 = 0x3_ffff;
/// The most units of a function with a packed description.
const MOST_PACKED: u32 = 0x7ff;

/// The entry in the table of functions for a part of a function.
pub(super) enum Description {
    /// The whole description.
    Packed(u32),
    /// A description in `.xdata`, with these bytes.
    Info(Vec<u8>),
}

/// A step, and the length of its instruction in bytes.
pub(super) type Step = (SehOp, u8);

/// A code: a number of this many bytes, the highest first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Code(pub u32, pub u8);

impl Code {
    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_be_bytes()[4 - usize::from(self.1)..]);
    }
}

fn length(codes: &[Code]) -> u32 {
    codes.iter().map(|c| u32::from(c.1)).sum()
}

/// How a description says that its prologue is elsewhere.
#[derive(Clone, Copy)]
pub(super) enum Outside {
    /// By a code before the prologue's.
    Code(u8),
    /// By a bit of its first word.
    Bit(u32),
}

/// The format of descriptions.
pub(super) struct Form {
    /// Unit in which code is counted, bytes.
    pub unit: u32,
    /// Length in units of the instruction that leaves the function, if the steps of an epilogue do not include it.
    pub leaving: u32,
    /// Position in the first word of the number of epilogues, which has five bits; the number of words with codes comes
    /// after it.
    pub counts: u32,
    /// ...which is at most this.
    pub most_words: u32,
    /// The constant bits of an epilogue's word, and the position of the index of its codes.
    pub scope: (u32, u32),
    /// ...which is at most this.
    pub most_at: u32,
    /// The most bytes of codes with which a single epilogue, at the end, needs no word.
    pub most_codes: u32,
    pub outside: Outside,
    /// The byte that fills the last word of codes.
    pub filler: u8,
    /// The codes of the steps of a prologue, or of an epilogue if the flag is set, in the order of unwinding. `None` if
    /// there are none for a step.
    pub codes: fn(&[Step], bool) -> Option<Vec<Code>>,
    /// The packed description of a prologue with a single epilogue at the end, or none, without the function's length.
    pub packed: fn(&[Step], Option<&[Step]>) -> Option<u32>,
}

/// An epilogue: its start and end in units, and its codes in order.
struct Epilogue {
    start: u32,
    end: u32,
    codes: Vec<Code>,
}

/// The frame of a function.
struct Unwinding<'a> {
    form: &'a Form,
    /// The codes of the prologue, from the last step to the first.
    prologue: Vec<Code>,
    epilogues: Vec<Epilogue>,
    packed: Option<u32>,
}

/// The descriptions of a range's parts, each with its first byte; only a very long range has several. `None` if there
/// are no codes for the frame.
pub(super) fn describe(
    f: &CompiledFunction,
    stretch: Stretch,
    form: &Form,
    handled: bool,
) -> Option<Vec<(u32, Description)>> {
    let unwinding = Unwinding::of(f, stretch, form)?;
    let end = (stretch.end - stretch.start) / form.unit;
    if let Some(packed) = unwinding.packed.filter(|_| !handled && end <= MOST_PACKED) {
        return Some(vec![(stretch.start, Description::Packed(packed | end << 2))]);
    }
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < end || parts.is_empty() {
        let most = start.saturating_add(MOST_UNITS);
        // No epilogue is cut in two.
        let cut = |e: &&Epilogue| e.start < most && most < e.end;
        let stop = unwinding.epilogues.iter().find(cut).map_or(most, |e| e.start).min(end);
        parts.push((stretch.start + form.unit * start, Description::Info(unwinding.info(start, stop, handled)?)));
        start = stop;
    }
    // The tables of handlers describe the function as a whole.
    (parts.len() == 1 || !handled).then_some(parts)
}

impl Unwinding<'_> {
    fn of<'a>(f: &CompiledFunction, stretch: Stretch, form: &'a Form) -> Option<Unwinding<'a>> {
        let (mut prologue, mut epilogues, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for mark in stretch.marks(f) {
            let CfiOp::Seh { op, bytes } = mark.value else { continue };
            match op {
                SehOp::EndPrologue => prologue = std::mem::take(&mut steps),
                SehOp::BeginEpilogue => start = (mark.offset - stretch.start) / form.unit,
                SehOp::EndEpilogue => {
                    let steps: Vec<Step> = std::mem::take(&mut steps);
                    let bytes: u32 = steps.iter().map(|step| u32::from(step.1)).sum();
                    epilogues.push((start, start + bytes / form.unit + form.leaving, steps));
                }
                op => steps.push((op, bytes)),
            }
        }
        let packed = match &epilogues[..] {
            [] => (form.packed)(&prologue, None),
            [(_, end, steps)] if end * form.unit == stretch.end - stretch.start => {
                (form.packed)(&prologue, Some(steps))
            }
            _ => None,
        };
        let codes = |(start, end, steps): &(u32, u32, Vec<Step>)| {
            Some(Epilogue { start: *start, end: *end, codes: (form.codes)(steps, true)? })
        };
        Some(Unwinding {
            form,
            epilogues: epilogues.iter().map(codes).collect::<Option<_>>()?,
            prologue: (form.codes)(&prologue, false)?,
            packed,
        })
    }

    /// The index of an epilogue's codes among those of the prologue, if they are there. The first such epilogue decides
    /// about the prologue's last code.
    fn in_prologue(&self, epilogue: &Epilogue, last: Option<Code>) -> Option<u32> {
        let ((own, prologue), (other, codes)) = (self.prologue.split_last()?, epilogue.codes.split_last()?);
        let rest = prologue.strip_suffix(codes).filter(|_| last.is_none_or(|last| last == *other))?;
        (own.1 == other.1).then(|| length(rest))
    }

    /// The description of the units from `start` to `stop`. `None` if it has too many codes.
    fn info(&self, start: u32, stop: u32, handled: bool) -> Option<Vec<u8>> {
        let form = self.form;
        let epilogues: Vec<_> = self.epilogues.iter().filter(|e| (start..stop).contains(&e.start)).collect();
        let (outside, bit) = match form.outside {
            _ if start == 0 => (None, 0),
            Outside::Code(code) => (Some(code), 0),
            Outside::Bit(bit) => (None, 1 << bit),
        };
        let front = u32::from(outside.is_some());
        let own = length(&self.prologue);
        // A single epilogue at the end is found by the index of its codes.
        let at_end = match &epilogues[..] {
            [] => outside.map(|_| 0),
            [e] if e.end == stop => {
                let appended = (own <= 31 && own + length(&e.codes) <= form.most_codes).then_some(own);
                let shared = self.in_prologue(e, None).filter(|&at| at <= 31 && own <= form.most_codes);
                shared.or(appended).map(|at| at + front)
            }
            _ => None,
        };
        let (mut scopes, mut added): (Vec<u32>, Vec<(&[Code], u32)>) = (Vec::new(), Vec::new());
        let (mut bytes, mut last) = (own + front, None);
        for e in &epilogues {
            let at = if let Some(&(_, at)) = added.iter().find(|(codes, _)| *codes == e.codes) {
                at
            } else if let Some(at) = self.in_prologue(e, last) {
                last = e.codes.last().copied();
                at + front
            } else {
                added.push((&e.codes, bytes));
                bytes += length(&e.codes);
                bytes - length(&e.codes)
            };
            if at > form.most_at {
                return None;
            }
            scopes.push((e.start - start) | form.scope.0 | at << form.scope.1);
        }
        let words = bytes.div_ceil(4);
        let count = at_end.unwrap_or(scopes.len() as u32);
        let header = (stop - start) | u32::from(handled) << 20 | u32::from(at_end.is_some()) << 21 | bit;
        let mut info = Vec::new();
        let mut put = |word: u32| info.extend_from_slice(&word.to_le_bytes());
        if count <= 31 && words <= form.most_words {
            put(header | count << form.counts | words << (form.counts + 5));
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
        info.extend(outside);
        let (end, prologue) = self.prologue.split_last()?;
        let end = last.unwrap_or(*end);
        let all = prologue.iter().chain([&end]).chain(added.iter().flat_map(|(codes, _)| *codes));
        all.for_each(|code| code.put(&mut info));
        info.resize(start_of_codes + 4 * words as usize, form.filler);
        Some(info)
    }
}
