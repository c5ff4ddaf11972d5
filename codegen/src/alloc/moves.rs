//! Parallel copies: a set of moves that take effect at once, put into an order that respects this.

use super::emitter::{Emitter, Where};
use super::log::{Event, Loc, Name, Transfer};
use crate::error::{CompileError, Result};
use crate::ir::{Type, Value, ValueDef};
use crate::machine::{FLOATS, FrameAddr, Machine, PReg, PartKind, RegisterFile};

/// Destination of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveDst {
    /// A register.
    Reg(PReg),
    /// A numbered place of the frame.
    Place(u32, FrameAddr),
}

/// Source of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveSrc {
    /// A register.
    Reg(PReg),
    /// A numbered place of the frame.
    Place(u32, FrameAddr),
    /// Memory that no move of the set writes.
    Memory(FrameAddr),
    /// A value that is in no register or place: a constant or an address.
    Value(Value, u8),
}

impl MoveSrc {
    /// Is the source the same location as the destination?
    pub fn is_at(self, dst: MoveDst) -> bool {
        match (dst, self) {
            (MoveDst::Reg(a), MoveSrc::Reg(b)) => a == b,
            (MoveDst::Place(a, _), MoveSrc::Place(b, _)) => a == b,
            _ => false,
        }
    }
}

#[derive(Clone, Copy)]
struct Move {
    dst: MoveDst,
    src: MoveSrc,
    kind: PartKind,
}

impl Move {
    fn is_wide(&self) -> bool {
        self.kind.bytes() == 16
    }
}

/// A set of moves under construction.
#[derive(Default)]
pub struct Moves {
    moves: Vec<Move>,
    late: Vec<Move>,
    ready: Vec<u32>,
    /// For each location (registers before places): how many moves still read it, and the exclusive or of their
    /// numbers, which is the number of the last one.
    readers: Vec<(u32, u32)>,
    /// For each location, the move that writes it.
    writer: Vec<u32>,
}

const NONE: u32 = u32::MAX;

fn dst_index(d: MoveDst) -> usize {
    match d {
        MoveDst::Reg(r) => r.0 as usize,
        MoveDst::Place(p, _) => 64 + p as usize,
    }
}

fn src_index(s: MoveSrc) -> Option<usize> {
    match s {
        MoveSrc::Reg(r) => Some(r.0 as usize),
        MoveSrc::Place(p, _) => Some(64 + p as usize),
        MoveSrc::Memory(_) | MoveSrc::Value(..) => None,
    }
}

/// Bytes of code that a move becomes at most.
const MOST_CODE: u32 = 64;

impl Moves {
    /// Removes all moves.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.late.clear();
    }

    /// Is there nothing to do?
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.late.is_empty()
    }

    /// Adds a move. No two may have the same destination.
    #[inline]
    pub fn add(&mut self, dst: MoveDst, src: MoveSrc, kind: PartKind) {
        let m = Move { dst, src, kind };
        match src {
            MoveSrc::Memory(_) | MoveSrc::Value(..) => self.late.push(m),
            // A move onto itself still reserves its destination against being written too early; it has no other reader.
            _ if src.is_at(dst) => {}
            _ => self.moves.push(m),
        }
    }

    /// Calls `f` with every move's destination and source.
    pub fn each(&self, mut f: impl FnMut(MoveDst, MoveSrc)) {
        self.moves.iter().chain(&self.late).for_each(|m| f(m.dst, m.src));
    }

    /// Makes moves read from `to` that were to read register `from`; both hold the same.
    pub fn replace_source(&mut self, from: PReg, to: MoveSrc) {
        self.moves.iter_mut().filter(|m| m.src == MoveSrc::Reg(from)).for_each(|m| m.src = to);
        self.moves.retain(|m| !matches!((m.dst, m.src), (MoveDst::Place(a, _), MoveSrc::Place(b, _)) if a == b));
    }

    /// Emits all moves. `scratch` holds registers that no move reads or writes and that may be changed: at least one
    /// general-purpose and, if floating-point memory is moved or exchanged, one floating-point register.
    pub fn emit<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, scratch: u64) -> Result {
        self.emit_with(cx, scratch, scratch)
    }

    /// Like [`emit`](Self::emit), where the registers `late` may be changed too once all moves between registers and
    /// places are done; they serve moves from memory and constants.
    pub fn emit_with<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, scratch: u64, late: u64) -> Result {
        cx.note(Event::Unpin(!0));
        if !self.moves.is_empty() {
            self.emit_parallel(cx, scratch)?;
        }
        for k in 0..self.late.len() {
            self.emit_late(cx, self.late[k], late)?;
        }
        self.late.clear();
        Ok(())
    }

    fn emit_parallel<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, scratch: u64) -> Result {
        if let [m] = self.moves[..] {
            return one(cx, m.dst, m.src, m.kind, scratch);
        }
        // The tables cover the whole frame; only the entries of the locations at hand are initialized.
        let n = 64 + cx.units.place_count();
        if self.readers.len() < n {
            self.readers.resize(n, (0, 0));
            self.writer.resize(n, NONE);
        }
        for m in &self.moves {
            for l in src_index(m.src).into_iter().chain([dst_index(m.dst)]) {
                self.readers[l] = (0, 0);
                self.writer[l] = NONE;
            }
        }
        for (k, m) in self.moves.iter().enumerate() {
            if let Some(s) = src_index(m.src) {
                self.readers[s].0 += 1;
                self.readers[s].1 ^= k as u32;
            }
            self.writer[dst_index(m.dst)] = k as u32;
        }
        self.ready.clear();
        for (k, m) in self.moves.iter().enumerate() {
            if self.readers[dst_index(m.dst)].0 == 0 {
                self.ready.push(k as u32);
            }
        }
        let mut done = 0;
        let mut cycle = 0;
        while done < self.moves.len() {
            while let Some(k) = self.ready.pop() {
                let m = self.moves[k as usize];
                one(cx, m.dst, m.src, m.kind, scratch)?;
                done += 1;
                self.writer[dst_index(m.dst)] = NONE;
                if let Some(s) = src_index(m.src) {
                    self.readers[s].0 -= 1;
                    self.readers[s].1 ^= k;
                    if self.readers[s].0 == 0 && self.writer[s] != NONE {
                        self.ready.push(self.writer[s]);
                    }
                }
            }
            if done == self.moves.len() {
                break;
            }
            // Only cycles are left, in which each location is read once and written once. Exchange the source and the
            // destination of one move; the move that reads the destination finds it in the source afterwards. Moves of
            // 16 bytes come first, then those of 8, each in a round of their own, so that a narrow exchange displaces
            // only narrow values.
            let n = self.moves.len();
            let mut k = cycle % n;
            while self.writer[dst_index(self.moves[k].dst)] != k as u32
                || self.moves[k].kind.bytes() < [16, 8, 0][(cycle / n).min(2)]
            {
                cycle += 1;
                k = cycle % n;
            }
            if let Some(free) = self.open_cycle(cx, k, scratch) {
                self.ready.push(free);
                continue;
            }
            let m = self.moves[k];
            exchange(cx, m, scratch)?;
            let (d, s) = (dst_index(m.dst), src_index(m.src).unwrap_or(0));
            done += 1;
            self.writer[d] = NONE;
            // The move that read `d` reads `s` instead; `s` is still written by the move that closes the cycle.
            if self.readers[d].0 == 1 {
                let o = self.readers[d].1 as usize;
                let o_dst = dst_index(self.moves[o].dst);
                if o_dst == s {
                    done += 1;
                    self.writer[s] = NONE;
                } else {
                    self.moves[o].src = m.src;
                    self.readers[s].1 ^= k as u32 ^ o as u32;
                }
            }
        }
        Ok(())
    }

    /// Opens the cycle of move `k` by copying what `k` overwrites to a scratch register, from which its reader then
    /// takes it. Only for cycles of three or more registers: one move for each and one more cost less than exchanges.
    /// Returns the move that is ready afterwards.
    fn open_cycle<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, k: usize, scratch: u64) -> Option<u32> {
        let (mut at, mut count) = (k, 0);
        let MoveDst::Reg(first) = self.moves[k].dst else { return None };
        // The next move of the cycle reads what this one writes.
        while let (MoveDst::Reg(d), MoveSrc::Reg(_)) = (self.moves[at].dst, self.moves[at].src) {
            count += 1;
            at = self.readers[d.0 as usize].1 as usize;
            if at == k {
                break;
            }
        }
        let reader = self.readers[first.0 as usize].1 as usize;
        let free = scratch & file(cx).class_of(first);
        if at != k || count < 3 || free == 0 {
            return None;
        }
        let to = PReg(free.trailing_zeros() as u8);
        cx.copy_reg(self.moves[reader].kind, to, first);
        self.moves[reader].src = MoveSrc::Reg(to);
        self.readers[first.0 as usize] = (0, 0);
        // Nobody writes the scratch register.
        self.readers[to.0 as usize] = (1, reader as u32);
        self.writer[to.0 as usize] = NONE;
        Some(k as u32)
    }

    fn emit_late<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, m: Move, scratch: u64) -> Result {
        // Each may be one more constant among the code, however many an edge passes.
        cx.make_island(|_| MOST_CODE);
        match m.src {
            MoveSrc::Value(v, _) if m.kind.is_memory() => {
                let (MoveDst::Place(_, at), Some(c)) = (m.dst, cx.f.constant(v)) else {
                    return Err(CompileError::new(cx.f, "a value without a place"));
                };
                let r = pick(scratch & FLOATS, cx)?;
                store_bits(cx, v, m.kind, c.bits(), Some(r), at);
                Ok(())
            }
            MoveSrc::Value(v, part) => match m.dst {
                MoveDst::Reg(r) => cx.put_into(r, v, part),
                MoveDst::Place(_, at) => {
                    if part == 0 && store_constant(cx, v, m.kind, at) {
                        return Ok(());
                    }
                    let r = pick(scratch & file(cx).class(m.kind), cx)?;
                    cx.put_into(r, v, part)?;
                    cx.store_to(m.kind, r, at);
                    Ok(())
                }
            },
            _ => one(cx, m.dst, m.src, m.kind, scratch),
        }
    }
}

/// Stores an integer constant of one part at once, if the machine can.
fn store_constant<T: Machine>(cx: &mut Emitter<'_, T>, v: Value, kind: PartKind, at: FrameAddr) -> bool {
    let Some(n) = cx.f.int_constant_signed(v) else { return false };
    let n = if cx.f.value_type(v) == Type::I1 { n & 1 } else { n };
    store_bits(cx, v, kind, n as u128, None, at)
}

fn store_bits<T: Machine>(
    cx: &mut Emitter<'_, T>,
    v: Value,
    kind: PartKind,
    bits: u128,
    via: Option<PReg>,
    at: FrameAddr,
) -> bool {
    let what = Transfer::Make { to: at.into(), name: Name { value: v, part: 0 } };
    cx.transfer(what, |target, buf| target.emit_store_const(buf, kind, bits, via, at))
}

fn file<'a, T: Machine>(cx: &Emitter<'a, T>) -> &'a RegisterFile {
    &cx.target.facts().registers
}

/// The first register of a set.
fn pick<T: Machine>(set: u64, cx: &Emitter<'_, T>) -> Result<PReg> {
    if set == 0 { Err(CompileError::out_of_registers(cx.f)) } else { Ok(PReg(set.trailing_zeros() as u8)) }
}

fn one<T: Machine>(cx: &mut Emitter<'_, T>, dst: MoveDst, src: MoveSrc, kind: PartKind, scratch: u64) -> Result {
    match (dst, src) {
        (MoveDst::Reg(d), MoveSrc::Reg(s)) => cx.copy_reg(kind, d, s),
        (MoveDst::Reg(d), MoveSrc::Place(_, at) | MoveSrc::Memory(at)) => {
            cx.load_from(kind, d, at);
        }
        (MoveDst::Place(_, at), MoveSrc::Reg(s)) => {
            cx.store_to(kind, s, at);
        }
        (MoveDst::Place(_, to), MoveSrc::Place(_, at) | MoveSrc::Memory(at)) => {
            let class = if kind.is_memory() { FLOATS } else { file(cx).class(kind) };
            let r = pick(scratch & class, cx)?;
            cx.load_from(kind, r, at);
            cx.store_to(kind, r, to);
        }
        (_, MoveSrc::Value(v, part)) => {
            if let MoveDst::Reg(r) = dst {
                cx.put_into(r, v, part)?;
            }
        }
    }
    Ok(())
}

fn exchange<T: Machine>(cx: &mut Emitter<'_, T>, m: Move, scratch: u64) -> Result {
    // What shares a cycle may be of several kinds: exchange all of a register, and of a place its 4, 8 or 16 bytes. General
    // registers narrower than 8 bytes are in narrow moves only.
    let wide = m.is_wide();
    let dst = if let MoveDst::Place(p, _) = m.dst { Some(p) } else { None };
    let src = if let MoveSrc::Place(p, _) = m.src { Some(p) } else { None };
    let narrow = dst.into_iter().chain(src).any(|p| cx.units.place_at(p).size < 8);
    let word = if narrow { PartKind::I32 } else { cx.target.facts().word() };
    let via = |float: bool| match (wide, float) {
        (true, _) => PartKind::V128,
        (false, true) if narrow => PartKind::F32,
        (false, true) => PartKind::F64,
        (false, false) => word,
    };
    match (m.dst, m.src) {
        (MoveDst::Reg(a), MoveSrc::Reg(b)) => {
            let via = if a.is_float() { PartKind::V128 } else { word };
            let what = Transfer::Swap { a: a.into(), b: b.into(), bytes: via.bytes() };
            cx.transfer(what, |target, buf| target.emit_swap(buf, via, a, b));
        }
        (MoveDst::Reg(r), MoveSrc::Place(_, at)) | (MoveDst::Place(_, at), MoveSrc::Reg(r)) => {
            let via = via(r.is_float());
            let t = pick(scratch & file(cx).class(via), cx)?;
            cx.copy_reg(via, t, r);
            cx.load_from(via, r, at);
            cx.store_to(via, t, at);
        }
        (MoveDst::Place(_, a), MoveSrc::Place(_, b)) => {
            // One half of the pair goes through a floating-point register where the machine has one as wide as a word.
            let u = pick(scratch & !FLOATS, cx)?;
            let (first, t) = match pick(scratch & FLOATS, cx) {
                Ok(t) if word == PartKind::I64 => (PartKind::F64, t),
                Ok(t) => (PartKind::F32, t),
                Err(_) => (word, pick(scratch & !FLOATS & !u.mask(), cx)?),
            };
            let bytes = match (wide, narrow) {
                (true, _) => 16,
                (false, true) => 4,
                (false, false) => 8,
            };
            let what = Transfer::Swap { a: Loc::from(a), b: Loc::from(b), bytes };
            cx.transfer(what, |target, buf| {
                for done in (0..bytes).step_by(word.bytes() as usize) {
                    let at = |base: FrameAddr| FrameAddr { disp: base.disp + done as i32, ..base };
                    target.emit_load(buf, t, at(a), first.bytes());
                    target.emit_load(buf, u, at(b), word.bytes());
                    target.emit_store(buf, t, at(b), first.bytes());
                    target.emit_store(buf, u, at(a), word.bytes());
                }
            });
        }
        _ => {}
    }
    Ok(())
}

/// Where a part of a value can be copied from now.
pub fn source<T: Machine>(cx: &Emitter<'_, T>, v: Value, part: u8) -> MoveSrc {
    if let ValueDef::Const = cx.f.value_def(v) {
        return MoveSrc::Value(v, part);
    }
    match cx.whereabouts(v, part) {
        Where::Reg(r) => MoveSrc::Reg(r),
        Where::Frame(at) => match cx.units.place_index(cx.units.unit(v, part)) {
            Some(p) => MoveSrc::Place(p, at),
            None => MoveSrc::Memory(at),
        },
        _ => match cx.halves(v) {
            Some(halves) => source(cx, halves[part as usize], 0),
            None => MoveSrc::Value(v, part),
        },
    }
}
