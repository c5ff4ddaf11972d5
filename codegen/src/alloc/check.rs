//! A symbolic checker of register allocation, for tests and fuzzing.
//!
//! # What is proved
//!
//! A *name* is a part of an SSA value. A *state* says of each location, register or place in the frame, which names it
//! holds for certain. The checker walks the events of a [`Log`] and follows the states:
//!
//! - A copy from `s` to `d`: `d` holds what `s` held, of which only names that fit the copied width; whatever `d` held is
//!   gone. An exchange likewise. Making a constant: `d` holds its name alone.
//! - Code that changes a register, handing a register out, a call's clobbers: the register holds nothing. What code changes
//!   is found out by decoding it (`Machine::written_registers`), not by believing who emitted it.
//! - Binding a result to a location: the location holds that name alone, and no other location holds it (in a loop, what
//!   held the last round's value is stale). Only the instruction that defines a value may bind it.
//! - An edge with arguments `a...` to a block with parameters `p...`: a location holds `p` if it held `a`, and what held
//!   `p` before is stale. An argument that is poison is held everywhere.
//! - An exception leaves a call with the state after its clobbers, whatever follows in the block.
//! - At the start of a block a location holds what it holds at the end of every edge that leads there; states only lose
//!   names while the walk is repeated, up to the greatest fixed point.
//!
//! The allocation is right if at every event that says "this operand is in this location" the state says so too. Within an
//! instruction there is more to see to, as its code reads registers that were handed out earlier:
//!
//! - From the moment an operand's register is handed out to the moment the instruction gives it up, nothing may change it,
//!   save the instruction itself where the operand dies there and its register was handed out to be changed.
//! - No register is handed out twice at a time.
//! - When all operands are given up before the result is written, the allocator's own copies keep off their registers,
//!   which the code that follows still reads.
//! - A copy or a store of the allocator never stands where a branch within the instruction may jump over it.
//! - Places of the frame that belong to the program hold no part of a value.
//!
//! The allocator's tables (which register holds what, what is in memory, homes) are no premise. Live ranges are one in a
//! harmless way: names that a block is said not to need are dropped at its start, so that a range that is too short shows
//! as a value that is not where it should be.
//!
//! What it cannot see: whether an instruction's code reads the right one of the registers that it was given. Tests that
//! run code are for that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use super::log::{Event, Loc, Log, Name, Transfer};
use crate::analysis::{Cfg, Live};
use crate::ir::{Block, ConstData, Edge, Function, Inst, Opcode, Value, ValueDef};
use crate::machine::{Machine, PReg, PartKind, each_register};
use crate::plan::Clobbers;

/// A fault in the allocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckError {
    /// The block; `None` on entry to the function.
    pub block: Option<Block>,
    /// The instruction.
    pub inst: Option<Inst>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.block {
            Some(b) => write!(f, "register allocation is wrong in {b}: {}", self.message),
            None => write!(f, "register allocation is wrong on entry: {}", self.message),
        }
    }
}

impl std::error::Error for CheckError {}

/// What a check finds, or a mistake.
type Checked<T = ()> = Result<T, CheckError>;

/// Checks the events of one function. `cfg` and `live` are those that it was compiled with.
///
/// # Errors
/// The first thing that is wrong.
pub fn check<T: Machine>(target: &T, f: &Function, cfg: &Cfg, live: &Live, events: &[Event]) -> Checked {
    Proof::of(target, f, cfg, live, events).map(|_| ())
}

/// What the checker knows at the start of every block that is reached.
struct Proof<'a, T: Machine> {
    walk: Walk<'a, T>,
    /// For each block of the order, its events; the event that begins the block comes first.
    events: Vec<Range<usize>>,
    incoming: Vec<Option<State>>,
}

impl<'a, T: Machine> Proof<'a, T> {
    fn of(target: &'a T, f: &'a Function, cfg: &'a Cfg, live: &'a Live, events: &[Event]) -> Checked<Proof<'a, T>> {
        let mut ranges = vec![0..0; cfg.order.len()];
        let mut memory = Vec::new();
        let mut last = None;
        for (k, e) in events.iter().enumerate() {
            match *e {
                Event::Block(index) => {
                    // Blocks need not be emitted in their order.
                    if let Some(range) = last.replace(index).and_then(|last: u32| ranges.get_mut(last as usize)) {
                        range.end = k;
                    }
                    if let Some(range) = ranges.get_mut(index as usize) {
                        *range = k..events.len();
                    }
                }
                Event::Memory(Loc::Frame(base, disp), bytes) if bytes > 0 => memory.push((base, disp, bytes)),
                _ => {}
            }
        }
        memory.sort_unstable();
        let walk = Walk { target, f, cfg, live, memory, at: Instant::default(), block: None };
        walk.memory_is_disjoint()?;
        if ranges.iter().any(Range::is_empty) {
            return Err(walk.wrong("not every block was emitted"));
        }
        let rounds = Rounds::new(f, cfg, &ranges, events);
        let mut proof = Proof { walk, events: ranges, incoming: Vec::new() };
        proof.replay(events, Some(&rounds)).or_else(|_| proof.replay(events, None))?;
        Ok(proof)
    }

    /// Follows the states through all blocks until they no longer change.
    fn replay(&mut self, events: &[Event], rounds: Option<&Rounds>) -> Checked {
        (self.walk.at, self.walk.block) = (Instant::default(), None);
        let mut state = State::default();
        for &e in &events[..self.events.first().map_or(events.len(), |range| range.start)] {
            self.walk.step(&mut state, e)?;
        }
        self.incoming = vec![None; self.events.len()];
        let mut queue = BTreeSet::new();
        if let Some(first) = self.incoming.first_mut() {
            *first = Some(state);
            queue.insert(0);
        }
        while let Some(index) = queue.pop_first() {
            let Some(state) = self.incoming[index].clone() else { continue };
            let range = self.range(index);
            for (to, mut leaving) in self.walk.block(index, state, &events[range], &mut |_, _| {})? {
                let after = self.range(to);
                let changed = match &mut self.incoming[to] {
                    Some(known) => known.meet(&leaving),
                    none => {
                        if let Some(rounds) = rounds {
                            let own = ValueDef::Param(self.walk.cfg.order[to]);
                            let is_own = |n: Name| self.walk.f.value_def(n.value) == own;
                            rounds.forget(to, is_own, &events[after], &mut leaving);
                        }
                        *none = Some(leaving);
                        true
                    }
                };
                if changed {
                    queue.insert(to);
                }
            }
        }
        Ok(())
    }

    /// The events of a block after the one that begins it.
    fn range(&self, index: usize) -> Range<usize> {
        self.events[index].start + 1..self.events[index].end
    }
}

/// What the iterations of loops change. A location that is written in a loop does not hold in the next iteration what
/// it held on entry, and a parameter of the loop's first block is in one location, whatever else had the first
/// argument. Dropping all that at once saves a walk through the loop for each name and for each loop around it. If this
/// drops too much, because something is put back, the walk fails and is repeated without it.
struct Rounds {
    /// For each block, one past the index of the last block that leads back to it; 0 if none does.
    end: Vec<u32>,
    /// For each location, the blocks that write it, in order.
    writers: BTreeMap<Loc, Vec<u32>>,
}

impl Rounds {
    fn new(f: &Function, cfg: &Cfg, ranges: &[Range<usize>], events: &[Event]) -> Rounds {
        let mut end = vec![0; cfg.order.len()];
        let mut writers: BTreeMap<Loc, Vec<u32>> = BTreeMap::new();
        for (index, &b) in cfg.order.iter().enumerate() {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let to = cfg.index[f.edge_to(e).index()] as usize;
                if to <= index {
                    end[to] = index as u32 + 1;
                }
            });
            let mut registers = 0;
            for event in &events[ranges[index].clone()] {
                let (mask, places) = written(event);
                registers |= mask;
                for at in places.into_iter().flatten() {
                    match at {
                        Loc::Reg(r) => registers |= r.mask(),
                        Loc::Frame(..) => add_block(writers.entry(at).or_default(), index),
                    }
                }
            }
            each_register(registers).for_each(|r| add_block(writers.entry(Loc::Reg(r)).or_default(), index));
        }
        Rounds { end, writers }
    }

    /// Drops from a state on its way into the block at `index` what will not hold in the next iteration. `events` are
    /// those of the block; `is_own` says whether a name is one of the block's parameters.
    fn forget(&self, index: usize, is_own: impl Fn(Name) -> bool, events: &[Event], state: &mut State) {
        let end = self.end[index];
        if end == 0 {
            return;
        }
        let mut arriving = BTreeSet::new();
        for event in events {
            let &Event::Read(name, at) = event else { break };
            arriving.insert((at, name));
        }
        state.held.retain(|&at, held| {
            let writers = self.writers.get(&at).map_or(&[][..], Vec::as_slice);
            let next = writers.get(writers.partition_point(|&b| b < index as u32));
            let changes = next.is_some_and(|&b| b < end);
            held.names.retain(|&n| if is_own(n) { arriving.contains(&(at, n)) } else { !changes });
            !held.names.is_empty()
        });
    }
}

/// The registers that an event changes, and the other locations.
fn written(event: &Event) -> (u64, [Option<Loc>; 2]) {
    match *event {
        Event::Code(mask) | Event::Clobber(Clobbers { whole: mask, .. }) => (mask, [None; 2]),
        Event::Own { reg, .. } | Event::Change(reg) => (reg.mask(), [None; 2]),
        Event::Bind(_, at) | Event::Clear(at, _) => (0, [Some(at), None]),
        Event::Transfer(Transfer::Copy { to, .. } | Transfer::Make { to, .. }, mask) => (mask, [Some(to), None]),
        Event::Transfer(Transfer::Swap { a, b, .. }, mask) => (mask, [Some(a), Some(b)]),
        _ => (0, [None; 2]),
    }
}

fn add_block(blocks: &mut Vec<u32>, index: usize) {
    if blocks.last() != Some(&(index as u32)) {
        blocks.push(index as u32);
    }
}

/// A part of a value is in a location while control is in this range of the code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Location {
    /// Code offset, bytes.
    pub from: u32,
    /// Code offset of the range's end, bytes.
    pub to: u32,
    /// Which part of which value.
    pub name: Name,
    /// Where it is.
    pub at: Loc,
}

/// Where every part of a value is at every offset, from a log that the checker accepts. A value may be in several
/// locations, and counts as being in one for as long as nothing else is known to be there, even if it is not needed any
/// more.
///
/// # Errors
/// The first thing that is wrong.
pub fn locations<T: Machine>(target: &T, f: &Function, cfg: &Cfg, live: &Live, log: &Log) -> Checked<Vec<Location>> {
    let mut proof = Proof::of(target, f, cfg, live, &log.events)?;
    let mut out = Vec::new();
    let mut open: BTreeMap<(Loc, Name), u32> = BTreeMap::new();
    for index in 0..cfg.order.len() {
        let Some(state) = proof.incoming[index].take() else { continue };
        let range = proof.range(index);
        let offsets = &log.offsets[range.clone()];
        let mut see = |k: usize, state: &State| {
            let now = offsets[k];
            open.retain(|&(at, name), &mut from| {
                let stays = state.held.get(&at).is_some_and(|h| h.names.contains(&name));
                if !stays && from < now {
                    out.push(Location { from, to: now, name, at });
                }
                stays
            });
            for (&at, held) in &state.held {
                for &name in &held.names {
                    open.entry((at, name)).or_insert(now);
                }
            }
        };
        proof.walk.block(index, state, &log.events[range], &mut see)?;
    }
    let end = log.end;
    out.extend(open.into_iter().map(|((at, name), from)| Location { from, to: end, name, at }));
    out.sort_unstable();
    Ok(out)
}

/// What a location holds.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Held {
    bytes: u32,
    names: Vec<Name>,
}

#[derive(Clone, Default, Debug)]
struct State {
    held: BTreeMap<Loc, Held>,
    /// Names that every location holds (poison).
    anywhere: BTreeSet<Name>,
}

impl State {
    fn holds(&self, at: Loc, name: Name) -> bool {
        self.anywhere.contains(&name) || self.held.get(&at).is_some_and(|h| h.names.contains(&name))
    }

    /// From here on nothing is known of `bytes` bytes at a location.
    fn kill(&mut self, at: Loc, bytes: u32) {
        match at {
            Loc::Reg(_) => {
                self.held.remove(&at);
            }
            Loc::Frame(base, disp) => {
                let end = disp.saturating_add_unsigned(bytes);
                let near = self.held.range(Loc::Frame(base, disp.saturating_sub(16))..Loc::Frame(base, end));
                let over: Vec<Loc> = near.filter(|&(&l, h)| overlaps(l, h.bytes, at, bytes)).map(|(&l, _)| l).collect();
                for l in over {
                    self.held.remove(&l);
                }
            }
        }
    }

    fn kill_registers(&mut self, mask: u64) {
        for r in each_register(mask) {
            self.held.remove(&Loc::Reg(r));
        }
    }

    fn put(&mut self, at: Loc, bytes: u32, names: Vec<Name>) {
        self.kill(at, bytes);
        if !names.is_empty() {
            self.held.insert(at, Held { bytes, names });
        }
    }

    fn names(&self, at: Loc) -> Vec<Name> {
        self.held.get(&at).map_or_else(Vec::new, |h| h.names.clone())
    }

    /// Keeps what both states hold. True if something was lost.
    fn meet(&mut self, other: &State) -> bool {
        let mut changed = false;
        // A name that is held everywhere in one state is held wherever it is held in the other.
        let spread = |of: &State, among: &mut State| {
            let mine: Vec<(Loc, u32, Name)> = of
                .held
                .iter()
                .flat_map(|(&l, h)| h.names.iter().map(move |&n| (l, h.bytes, n)))
                .filter(|(_, _, n)| among.anywhere.contains(n))
                .collect();
            for (l, bytes, n) in mine {
                let h = among.held.entry(l).or_insert(Held { bytes, names: Vec::new() });
                if !h.names.contains(&n) {
                    h.names.push(n);
                }
            }
        };
        if !self.anywhere.is_empty() {
            spread(other, self);
        }
        self.held.retain(|&l, h| {
            let before = h.names.len();
            h.names.retain(|&n| other.holds(l, n));
            changed |= h.names.len() != before;
            !h.names.is_empty()
        });
        let before = self.anywhere.len();
        self.anywhere.retain(|n| other.anywhere.contains(n));
        changed | (self.anywhere.len() != before)
    }
}

fn overlaps(a: Loc, a_bytes: u32, b: Loc, b_bytes: u32) -> bool {
    match (a, b) {
        (Loc::Reg(a), Loc::Reg(b)) => a == b,
        (Loc::Frame(a, x), Loc::Frame(b, y)) => {
            let (x, y) = (i64::from(x), i64::from(y));
            a == b && x < y + i64::from(b_bytes) && y < x + i64::from(a_bytes)
        }
        _ => false,
    }
}

/// The state of the checker within an instruction.
#[derive(Default)]
struct Instant {
    /// The instruction, and the deferred ones that are being emitted inside it.
    insts: Vec<Inst>,
    operands: Vec<(Name, Loc)>,
    expected: Vec<(Name, PReg)>,
    lent: Vec<(PReg, Vec<Name>)>,
    /// Registers that the instruction may change.
    owned: u64,
    /// Those of `owned` that were handed out and not given back.
    handed: u64,
    /// Registers of operands that were released, though the code that follows may still read them.
    released: u64,
}

struct Walk<'a, T: Machine> {
    target: &'a T,
    f: &'a Function,
    cfg: &'a Cfg,
    live: &'a Live,
    /// Ranges of the frame that are the program's memory, sorted.
    memory: Vec<(PReg, i32, u32)>,
    at: Instant,
    block: Option<Block>,
}

impl<T: Machine> Walk<'_, T> {
    fn wrong(&self, message: impl Into<String>) -> CheckError {
        CheckError { block: self.block, inst: self.at.insts.first().copied(), message: message.into() }
    }

    fn show(&self, at: Loc) -> String {
        at.text(self.target)
    }

    fn kind(&self, v: Value) -> PartKind {
        self.target.parts(self.f.value_type(v)).kind
    }

    fn is_constant(&self, v: Value) -> bool {
        matches!(self.f.value_def(v), ValueDef::Const | ValueDef::Slot(_))
    }

    fn memory_is_disjoint(&self) -> Checked {
        for w in self.memory.windows(2) {
            if overlaps(Loc::Frame(w[0].0, w[0].1), w[0].2, Loc::Frame(w[1].0, w[1].1), w[1].2) {
                let (a, b) = (Loc::Frame(w[0].0, w[0].1), Loc::Frame(w[1].0, w[1].1));
                return Err(self.wrong(format!("the program's memory at {} and {}", self.show(a), self.show(b))));
            }
        }
        Ok(())
    }

    /// An error unless the allocator may write to the location.
    fn may_write(&self, at: Loc, bytes: u32) -> Checked {
        let Loc::Frame(base, disp) = at else { return Ok(()) };
        let k =
            self.memory.partition_point(|&(b, d, _)| (b, i64::from(d)) < (base, i64::from(disp) + i64::from(bytes)));
        match self.memory[..k].last() {
            Some(&(b, d, n)) if overlaps(Loc::Frame(b, d), n, at, bytes) => {
                Err(self.wrong(format!("{} is written, which is the program's memory", self.show(at))))
            }
            _ => Ok(()),
        }
    }

    fn must_hold(&self, state: &State, name: Name, at: Loc, what: &str) -> Checked {
        if state.holds(at, name) || self.f.constant(name.value) == Some(ConstData::Poison) {
            return Ok(());
        }
        let list = |names: &[Name]| names.iter().map(Name::to_string).collect::<Vec<_>>().join(", ");
        let found = state.held.get(&at).map_or("nothing known".to_string(), |h| list(&h.names));
        let places: Vec<String> =
            state.held.iter().filter(|(_, h)| h.names.contains(&name)).map(|(&l, _)| self.show(l)).collect();
        let places = if places.is_empty() { "nowhere".to_string() } else { format!("in {}", places.join(", ")) };
        let at = self.show(at);
        Err(self.wrong(format!("{what} {name} is to be in {at}, which holds {found}; it is {places}")))
    }

    /// Code changes these registers: an error if one of them holds an operand that is still needed.
    fn changed(&self, mask: u64) -> Checked {
        let mask = mask & !self.at.owned;
        match self.at.operands.iter().find(|(_, l)| matches!(l, Loc::Reg(r) if mask & r.mask() != 0)) {
            Some(&(n, l)) => {
                let at = self.show(l);
                Err(self.wrong(format!("{at}, which holds the operand {n}, is changed without having been handed out")))
            }
            None => Ok(()),
        }
    }

    fn step(&mut self, state: &mut State, event: Event) -> Checked {
        match event {
            Event::Block(_) | Event::Fork | Event::Unwind | Event::Edge(_) | Event::Memory(..) => {}
            Event::Inst(i) => self.at = Instant { insts: vec![i], ..Instant::default() },
            Event::Enter(i) => self.at.insts.push(i),
            Event::Leave => {
                self.at.insts.pop();
            }
            Event::Code(mask) => {
                self.changed(mask)?;
                state.kill_registers(mask);
            }
            Event::Transfer(what, mask) => self.transfer(state, what, mask)?,
            Event::Shuffle(r) => {
                if (self.at.released | self.at.handed) & r.mask() != 0
                    || self.at.operands.iter().any(|o| o.1 == Loc::Reg(r))
                {
                    let at = self.show(Loc::Reg(r));
                    return Err(self.wrong(format!("something is moved to {at}, which the instruction still needs")));
                }
            }
            Event::Own { reg, reuse } => {
                if reuse.is_none() && self.at.handed & reg.mask() != 0 {
                    let at = self.show(Loc::Reg(reg));
                    return Err(self.wrong(format!("{at} is handed out twice")));
                }
                self.at.handed |= reg.mask();
                self.own(state, reg, reuse)?;
            }
            Event::Change(reg) => self.own(state, reg, None)?,
            Event::Pin(r) => self.at.owned |= r.mask(),
            Event::Lend(r) => {
                self.at.lent.push((r, state.names(Loc::Reg(r))));
                self.at.owned |= r.mask();
            }
            Event::Restore(r) => {
                if let Some(k) = self.at.lent.iter().position(|l| l.0 == r) {
                    let (_, names) = self.at.lent.swap_remove(k);
                    state.put(Loc::Reg(r), 16, names);
                }
            }
            Event::Use(name, at) => {
                self.must_hold(state, name, at, "the operand")?;
                if let Loc::Reg(r) = at {
                    self.at.owned &= !r.mask();
                    self.at.handed &= !r.mask();
                }
                self.at.operands.push((name, at));
            }
            Event::Read(name, at) => self.must_hold(state, name, at, "the operand")?,
            Event::Expect(name, r) => self.at.expected.push((name, r)),
            Event::Met => {
                for (name, r) in std::mem::take(&mut self.at.expected) {
                    self.must_hold(state, name, Loc::Reg(r), "the argument")?;
                }
            }
            Event::Unpin(mask) => {
                let gone = |l: Loc| match l {
                    Loc::Reg(r) => mask & r.mask() != 0,
                    Loc::Frame(..) => mask == !0,
                };
                self.at.operands.retain(|o| !gone(o.1));
                self.at.handed &= !mask;
            }
            Event::Release => {
                self.at.handed = 0;
                for (_, l) in self.at.operands.drain(..) {
                    if let Loc::Reg(r) = l {
                        self.at.released |= r.mask();
                    }
                }
            }
            Event::Bind(name, at) => self.bind(state, name, at)?,
            Event::Clear(at, bytes) => {
                self.may_write(at, bytes)?;
                if self.at.operands.iter().any(|o| overlaps(o.1, 1, at, bytes)) {
                    let at = self.show(at);
                    return Err(self.wrong(format!("{at} is given away while it holds an operand")));
                }
                state.kill(at, bytes);
            }
            Event::Clobber(clobbers) => {
                let mask = clobbers.whole;
                state.kill_registers(mask);
                for r in each_register(clobbers.high) {
                    // An exchange of whole registers may have brought a name that is no wider than what is kept.
                    let at = Loc::Reg(r);
                    let names = state.names(at).into_iter().filter(|n| self.kind(n.value).bytes() <= 8);
                    state.put(at, 8, names.collect());
                }
                self.at.operands.clear();
                (self.at.released, self.at.handed) = (0, 0);
                self.at.owned |= mask;
            }
            Event::Skipped => {
                return Err(self.wrong("the allocator emits code where a branch of the instruction may jump over it"));
            }
        }
        Ok(())
    }

    /// The instruction gets a register to change.
    fn own(&mut self, state: &mut State, reg: PReg, reuse: Option<Name>) -> Checked {
        let at = Loc::Reg(reg);
        let lent = self.at.lent.iter().any(|l| l.0 == reg);
        if let Some(&(n, _)) = self.at.operands.iter().find(|o| o.1 == at && Some(o.0) != reuse && !lent) {
            let at = self.show(at);
            return Err(self.wrong(format!("{at} is handed out while it holds the operand {n}")));
        }
        self.at.operands.retain(|o| o.1 != at);
        self.at.owned |= reg.mask();
        state.kill(at, 0);
        Ok(())
    }

    fn transfer(&mut self, state: &mut State, what: Transfer, mask: u64) -> Checked {
        let fitting = |names: Vec<Name>, bytes: u32| -> Vec<Name> {
            names.into_iter().filter(|n| self.kind(n.value).bytes() <= bytes).collect()
        };
        match what {
            Transfer::Copy { to, from, bytes } => {
                self.may_write(to, bytes)?;
                let names = fitting(state.names(from), bytes);
                self.changed(if let Loc::Reg(r) = to { mask & !r.mask() } else { mask })?;
                state.kill_registers(mask);
                state.put(to, bytes, names);
            }
            Transfer::Swap { a, b, bytes } => {
                self.may_write(a, bytes)?;
                self.may_write(b, bytes)?;
                let (x, y) = (fitting(state.names(a), bytes), fitting(state.names(b), bytes));
                state.kill_registers(mask);
                state.put(a, bytes, y);
                state.put(b, bytes, x);
            }
            Transfer::Make { to, name } => {
                let bytes = self.kind(name.value).bytes();
                self.may_write(to, bytes)?;
                self.changed(if let Loc::Reg(r) = to { mask & !r.mask() } else { mask })?;
                state.kill_registers(mask);
                state.put(to, bytes, vec![name]);
            }
        }
        Ok(())
    }

    fn bind(&mut self, state: &mut State, name: Name, at: Loc) -> Checked {
        let here = match self.f.value_def(name.value) {
            ValueDef::Inst(i) => self.at.insts.contains(&i),
            ValueDef::Param(b) => self.at.insts.is_empty() && self.f.layout.first() == Some(&b),
            _ => false,
        };
        let bytes = self.kind(name.value).bytes();
        if !here {
            return Err(self.wrong(format!("{name} is bound, which is not defined here")));
        }
        self.may_write(at, bytes)?;
        state.anywhere.remove(&name);
        state.held.retain(|_, h| {
            h.names.retain(|&n| n != name);
            !h.names.is_empty()
        });
        state.put(at, bytes, vec![name]);
        Ok(())
    }

    /// Walks over a block and calls `see` with the state after each event. The result is the states that its edges
    /// bring to other blocks.
    fn block(
        &mut self,
        index: usize,
        mut state: State,
        events: &[Event],
        see: &mut dyn FnMut(usize, &State),
    ) -> Checked<Vec<(usize, State)>> {
        let block = self.cfg.order[index];
        self.block = Some(block);
        self.at = Instant::default();
        let mut leaving = Vec::new();
        let mut seen = BTreeSet::new();
        let mut fork: Option<State> = None;
        let mut unwound: Option<State> = None;
        let mut edge: Option<Edge> = None;
        for (k, &event) in events.iter().enumerate() {
            match event {
                Event::Fork => fork = Some(state.clone()),
                Event::Unwind => unwound = Some(state.clone()),
                Event::Edge(e) => {
                    let Some(at_fork) = &fork else { return Err(self.wrong("an edge leaves before the block's end")) };
                    let arrived = std::mem::replace(&mut state, at_fork.clone());
                    if let Some(before) = edge.replace(e) {
                        leaving.push(self.cross(before, &arrived));
                    }
                    seen.insert(e.index());
                }
                event => self.step(&mut state, event)?,
            }
            see(k, &state);
        }
        if let Some(before) = edge {
            leaving.push(self.cross(before, &state));
        }
        let mut rest = Vec::new();
        self.f.for_each_edge(self.f.inst(self.f.terminator(block)), |e| {
            if seen.insert(e.index()) {
                rest.push(e);
            }
        });
        if !rest.is_empty() && fork.is_none() {
            return Err(self.wrong("the block's edges were not emitted"));
        }
        let last = self.f.inst(self.f.terminator(block));
        let exceptional = (last.op == Opcode::Invoke).then_some(Edge(last.b));
        for e in rest {
            if Some(e) == exceptional {
                let Some(at_call) = &unwound else { return Err(self.wrong("no call unwinds to the block's pad")) };
                leaving.push(self.cross(e, at_call));
            } else if let Some(at_fork) = &fork {
                leaving.push(self.cross(e, at_fork));
            }
        }
        Ok(leaving)
    }

    /// The state after an edge: parameters take the place of arguments.
    fn cross(&self, e: Edge, state: &State) -> (usize, State) {
        let to = self.f.edge_to(e);
        let index = self.cfg.index[to.index()] as usize;
        let start = self.cfg.start[index];
        let (params, args) = (self.f.params(to), self.f.edge_args(e));
        let mut renamed: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
        let mut replaced = BTreeSet::new();
        let mut next = State::default();
        for (&p, &a) in params.iter().zip(args) {
            if p != a {
                replaced.insert(p);
                renamed.entry(a).or_default().push(p);
            }
            if self.f.constant(a) == Some(ConstData::Poison) {
                let parts = self.target.parts(self.f.value_type(p)).count;
                next.anywhere.extend((0..parts).map(|part| Name { value: p, part }));
            }
        }
        // At the start of a funclet, and after one has ended, only the frame holds anything.
        let last = self.block.map(|b| self.f.inst(self.f.terminator(b)).op);
        let bare = self.f.exceptions.has_funclets() && (self.f.is_pad(to) || last == Some(Opcode::CatchRet));
        let becomes = |names: &mut dyn Iterator<Item = Name>| {
            let mut out = Vec::new();
            for n in names {
                if let Some(to) = renamed.get(&n.value) {
                    out.extend(to.iter().map(|&value| Name { value, part: n.part }));
                }
                if !replaced.contains(&n.value) && !self.is_constant(n.value) && self.live.end(n.value) >= start {
                    out.push(n);
                }
            }
            out
        };
        next.anywhere.extend(becomes(&mut state.anywhere.iter().copied()));
        for (&l, h) in state.held.iter().filter(|(l, _)| !(bare && matches!(l, Loc::Reg(_)))) {
            let names = becomes(&mut h.names.iter().copied());
            if !names.is_empty() {
                next.held.insert(l, Held { bytes: h.bytes, names });
            }
        }
        (index, next)
    }
}
