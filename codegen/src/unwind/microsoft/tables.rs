//! The tables of Microsoft's personality routines for a function with funclets: made once as data, and written as bytes
//! and as directives.
//!
//! They consist of words of four bytes. C++'s routine gets the function information and its maps; that of `__try` gets
//! a table of scopes. The head of `tests/src/msvc_tables.rs` says what each word means; the formats are Microsoft's
//! `ehdata.h`, as LLVM's `WinException.cpp` writes them.

use std::cmp::Reverse;

use crate::buffer::{CfiOp, Mark};
use crate::compiled::{CallSite, CompiledFunction, Funclet};
use crate::ir::{GUARD_EH_CONTINUATIONS, Module, Pad, PadKind, Personality, SymbolId};
use crate::object::{Finding, ObjectError, ObjectFormat, Result};
use crate::unwind::microsoft::states::{OUTSIDE, TryBlock};

/// The version of the function information: the one with flags.
const MAGIC: u32 = 0x1993_0522;
/// The flag of functions whose handlers only take C++'s own exceptions.
const SYNCHRONOUS: u32 = 1;
/// The filter of handlers of `__except` that take everything.
const EVERYTHING: u32 = 1;
/// Place of the frame's guard in functions without one (`_except_handler4`).
const NO_GUARD: i32 = -2;

/// Four bytes of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    Number(u32),
    /// The address of code: an offset, to which `addend` is added.
    Code {
        at: u32,
        addend: u32,
    },
    /// The address of a symbol.
    Symbol(SymbolId),
    /// The address of another part.
    Part(u32),
}

/// The tables of a personality routine.
#[derive(Debug)]
pub(crate) struct HandlerData {
    /// The routine.
    pub routine: SymbolId,
    /// The routine gets the first part itself, after its own address, rather than the part's address.
    pub inline: bool,
    /// The parts by number, which follow one another.
    pub parts: Vec<Vec<Word>>,
}

/// A range of code with its own unwinding: a function without its funclets, a funclet, or a call before the prologue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stretch {
    pub start: u32,
    pub end: u32,
    /// The pad of the funclet.
    pub pad: Option<Pad>,
    /// The personality routine is asked about exceptions that pass.
    pub handled: bool,
}

/// The ranges of a function, in order. Code before the first one leaves the stack pointer alone and calls nothing.
pub(crate) fn stretches(f: &CompiledFunction) -> impl Iterator<Item = Stretch> + '_ {
    let limit_call = Stretch { start: f.limit_call.start, end: f.limit_call.end, pad: None, handled: false };
    let funclet = |funclet: &Funclet| Stretch {
        start: funclet.start,
        end: funclet.end,
        pad: Some(funclet.pad),
        // Nothing is caught in cleanups: the states do not cover them.
        handled: matches!(f.exceptions.kind(funclet.pad), PadKind::Catch { .. }),
    };
    let first = (!f.limit_call.is_empty()).then_some(limit_call);
    first.into_iter().chain([host(f)]).chain(f.funclets.list.iter().map(funclet))
}

/// The range of a function without its funclets.
pub(crate) fn host(f: &CompiledFunction) -> Stretch {
    let end = f.funclets.list.first().map_or(f.code.len() as u32, |first| first.start);
    Stretch { start: f.limit_call.end, end, pad: None, handled: !f.states.is_empty() }
}

impl Stretch {
    /// The marks of the frame in a range: each stands after its instruction, or at the start of an epilogue.
    pub fn marks<'a>(&self, f: &'a CompiledFunction) -> &'a [Mark<CfiOp>] {
        let before = |end: u32| f.cfi.partition_point(|mark| mark.offset <= end);
        &f.cfi[if self.start == 0 { 0 } else { before(self.start) }..before(self.end)]
    }
}

/// The name of a funclet, by its pad, as in LLVM.
pub(crate) fn funclet_name(module: &Module, f: &CompiledFunction, pad: Pad) -> String {
    let kind = if matches!(f.exceptions.kind(pad), PadKind::Catch { .. }) { "catch" } else { "dtor" };
    format!("?{kind}${}@?0?{}@4HA", pad.index(), module.symbol(f.symbol).name)
}

/// The places of a function where control may continue after handlers, if the object lists such places.
pub(crate) fn listed_continuations<'a>(module: &Module, f: &'a CompiledFunction) -> &'a [u32] {
    if module.coff_features & GUARD_EH_CONTINUATIONS != 0 { &f.funclets.continuations } else { &[] }
}

/// The name of such a place, by its number in the list, as in LLVM.
pub(crate) fn continuation_name(number: usize) -> String {
    format!("$ehgcr_{number}")
}

/// The tables of a function with funclets. Refuses landing pads where the machine's unwinder has no table for them.
///
/// # Errors
/// The function has landing pads, and the object is for Microsoft's tools; or it has funclets, and the object is for
/// other tools, or for another machine than the personality routine.
pub(crate) fn handler_data(
    format: &ObjectFormat,
    module: &Module,
    f: &CompiledFunction,
) -> Result<Option<HandlerData>> {
    let without = format.coff.as_ref().is_some_and(|coff| !coff.has_landing_pads());
    if without && f.has_landing_pads() {
        return Err(ObjectError::LandingPads { function: module.symbol(f.symbol).name.clone() });
    }
    if f.states.is_empty() {
        return Ok(None);
    }
    let data = format.finding().and_then(|finding| HandlerData::of(f, finding));
    let missing = || ObjectError::Funclets { function: module.symbol(f.symbol).name.clone() };
    Ok(Some(data.ok_or_else(missing)?))
}

/// Makes the words of a function's tables.
struct Maker<'a> {
    f: &'a CompiledFunction,
    finding: Finding,
    parts: Vec<Vec<Word>>,
}

fn number(n: impl Into<i64>) -> Word {
    Word::Number(n.into() as u32)
}

impl HandlerData {
    /// The tables of a function. `None` if the function has no handlers or cleanups, if some of them have no code, or
    /// if code finds its state otherwise than the routine does.
    pub fn of(f: &CompiledFunction, finding: Finding) -> Option<HandlerData> {
        let personality = f.exceptions.personality.filter(|_| !f.states.is_empty())?;
        let mut maker = Maker { f, finding, parts: Vec::new() };
        match f.exceptions.routine {
            Personality::Landing => return None,
            Personality::Cxx => maker.function_information()?,
            Personality::Scopes => maker.scopes()?,
            Personality::TryLevels(_) if finding != Finding::Stored => return None,
            Personality::TryLevels(version) => maker.levels(version)?,
        }
        Some(HandlerData {
            routine: personality,
            inline: f.exceptions.routine == Personality::Scopes,
            parts: maker.parts,
        })
    }

    /// The code that the tables refer to.
    pub fn code(&self) -> impl Iterator<Item = u32> + '_ {
        let at = |word: &Word| if let Word::Code { at, .. } = word { Some(*at) } else { None };
        self.parts.iter().flatten().filter_map(at)
    }
}

impl Maker<'_> {
    /// Adds a part. Returns its address, or zero if the part is empty.
    fn part(&mut self, words: Vec<Word>) -> Word {
        if words.is_empty() {
            return Word::Number(0);
        }
        self.parts.push(words);
        Word::Part(self.parts.len() as u32 - 1)
    }

    fn code_of(&self, pad: Pad) -> Option<Word> {
        let place = self.f.funclets.pads.get(pad.index())?;
        place.code.map(|at| Word::Code { at, addend: 0 })
    }

    fn function_information(&mut self) -> Option<()> {
        let (f, states) = (self.f, &self.f.states);
        let mut tries: Vec<&TryBlock> = states.tries().iter().collect();
        if self.finding == Finding::Stored {
            // A block in a handler comes before the block of the handler.
            tries.sort_by_key(|t| (t.catch_high, Reverse(t.low)));
        }
        // Its place is the first.
        self.parts.push(Vec::new());
        let mut unwind = Vec::new();
        for state in states.list() {
            unwind.push(number(state.to));
            unwind.push(state.pad.map_or(Some(Word::Number(0)), |pad| self.code_of(pad))?);
        }
        let unwind = self.part(unwind);
        let mut blocks = Vec::new();
        for t in &tries {
            let handlers = self.handlers(t)?;
            blocks.extend([number(t.low), number(t.high), number(t.catch_high)]);
            blocks.push(number(states.handlers(t).len() as u32));
            blocks.push(self.part(handlers));
        }
        let blocks = self.part(blocks);
        let positions = match self.finding {
            Finding::Address { addend } => self.positions(addend),
            Finding::Stored => Vec::new(),
        };
        let position_count = positions.len() as u32 / 2;
        let positions = self.part(positions);
        let mut info = vec![Word::Number(MAGIC), number(states.list().len() as u32), unwind];
        info.extend([number(tries.len() as u32), blocks, number(position_count), positions]);
        if self.finding != Finding::Stored {
            info.push(number(f.funclets.unwind_help));
        }
        // No exception specification.
        info.extend([0, if f.exceptions.asynchronous { 0 } else { SYNCHRONOUS }].map(Word::Number));
        self.parts[0] = info;
        Some(())
    }

    fn handlers(&self, block: &TryBlock) -> Option<Vec<Word>> {
        let f = self.f;
        let mut words = Vec::new();
        for &pad in f.states.handlers(block) {
            let PadKind::Catch { what, adjectives, .. } = f.exceptions.kind(pad) else { return None };
            let object = f.funclets.pads.get(pad.index())?.object.unwrap_or(0);
            let what = what.map_or(Word::Number(0), Word::Symbol);
            words.extend([number(adjectives), what, number(object), self.code_of(pad)?]);
            if self.finding != Finding::Stored {
                words.push(number(f.funclets.parent_frame));
            }
        }
        Some(words)
    }

    /// The positions from which on code is in another state. A cleanup's code is in none.
    fn positions(&self, addend: u32) -> Vec<Word> {
        let f = self.f;
        let mut words = Vec::new();
        let mut sites = &f.call_sites[..];
        for stretch in stretches(f) {
            let (own, rest) = sites.split_at(sites.partition_point(|s| s.start < stretch.end));
            sites = rest;
            if !stretch.handled {
                continue;
            }
            let base = f.states.base(stretch.pad);
            words.extend([Word::Code { at: stretch.start, addend: 0 }, number(base)]);
            if !f.faults.is_empty() {
                let mut state = base;
                for (at, _, next) in self.pieces(&stretch, own) {
                    if next != state {
                        words.extend([Word::Code { at, addend }, number(next)]);
                    }
                    state = next;
                }
                continue;
            }
            // The state, and the end of the last call in it.
            let (mut state, mut end) = (base, stretch.start);
            for site in own {
                let next = f.states.of_call(stretch.pad, site.landing.map(|(_, pad)| pad));
                if next != state {
                    // The base state need not begin at the call: no exception leaves the code before it.
                    let at = if next == base { end } else { site.start };
                    words.extend([Word::Code { at, addend }, number(next)]);
                }
                (state, end) = (next, site.end);
            }
            if state != base {
                words.extend([Word::Code { at: end, addend }, number(base)]);
            }
        }
        words
    }

    /// Ranges of the host's calls in the same state, with the state.
    fn ranges(&self, host: &Stretch) -> Vec<(u32, u32, i32)> {
        let f = self.f;
        let own = &f.call_sites[..f.call_sites.partition_point(|s| s.start < host.end)];
        if !f.faults.is_empty() {
            return self.pieces(host, own);
        }
        let state = |site: &CallSite| f.states.of_call(None, site.landing.map(|(_, pad)| pad));
        let alike = own.chunk_by(|a, b| state(a) == state(b));
        alike.map(|sites| (sites[0].start, sites[sites.len() - 1].end, state(&sites[0]))).collect()
    }

    /// Parts of a range whose code is in the same state, whether it calls or faults; `own` are its calls.
    fn pieces(&self, stretch: &Stretch, own: &[CallSite]) -> Vec<(u32, u32, i32)> {
        let f = self.f;
        let mut pieces: Vec<(u32, u32, i32)> = Vec::new();
        let mut add = |start: u32, end: u32, state: i32| match pieces.last_mut() {
            _ if start >= end => {}
            Some(last) if last.2 == state => last.1 = end,
            _ => pieces.push((start, end, state)),
        };
        let first = f.faults.partition_point(|&(at, _)| at < stretch.start);
        let mut sites = own.iter().filter(|site| site.landing.is_some()).peekable();
        for k in first..f.faults.len() {
            let (mut at, state) = f.faults[k];
            if at >= stretch.end {
                break;
            }
            let end = f.faults.get(k + 1).map_or(stretch.end, |next| next.0.min(stretch.end));
            while let Some(site) = sites.next_if(|site| site.start < end) {
                add(at, site.start, state);
                add(site.start, site.end, f.states.of_call(stretch.pad, site.landing.map(|(_, pad)| pad)));
                at = site.end;
            }
            add(at, end, state);
        }
        pieces
    }

    /// The scopes of a function with `__try`: for each range of calls in one state all scopes around it, from the
    /// inside out.
    fn scopes(&mut self) -> Option<()> {
        let Finding::Address { addend } = self.finding else { return None };
        let (f, mut words) = (self.f, vec![Word::Number(0)]);
        let host = host(f);
        for (start, end, mut around) in self.ranges(&host) {
            while around != OUTSIDE {
                let s = f.states.list()[around as usize];
                let pad = s.pad?;
                words.extend([Word::Code { at: start, addend }, Word::Code { at: end, addend }]);
                words.extend(match f.exceptions.kind(pad) {
                    PadKind::Catch { what, .. } => {
                        [what.map_or(Word::Number(EVERYTHING), Word::Symbol), self.code_of(pad)?]
                    }
                    _ => [self.code_of(pad)?, Word::Number(0)],
                });
                around = s.to;
            }
        }
        words[0] = number((words.len() / 4) as u32);
        self.parts.push(words);
        Some(())
    }

    /// The scopes where code stores which one it is in; with a head if the routine checks guards.
    fn levels(&mut self, version: u8) -> Option<()> {
        let f = self.f;
        let (mut words, outside) = (Vec::new(), Personality::TryLevels(version).outside());
        if version == 4 {
            let (guard, record) = (f.funclets.guard.unwrap_or(NO_GUARD), f.funclets.record_guard);
            words.extend([number(guard), Word::Number(0), number(record), Word::Number(0)]);
        }
        for state in f.states.list() {
            let pad = state.pad?;
            words.push(number(if state.to == OUTSIDE { outside } else { state.to }));
            words.push(match f.exceptions.kind(pad) {
                PadKind::Catch { what, .. } => Word::Symbol(what?),
                _ => Word::Number(0),
            });
            words.push(self.code_of(pad)?);
        }
        self.parts.push(words);
        Some(())
    }
}
