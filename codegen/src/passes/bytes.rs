//! Combines accesses that read or write a number byte by byte into one access.
//!
//! [`fold_offsets`](super::fold_offsets) finds such accesses while it looks at every instruction. They are replaced
//! afterwards, because the replacement has more instructions than there is room for.

use gusset_abi::Endian;

use crate::ir::{ConstData, Function, Inst, InstData, MemFlags, Opcode, Type, Value, ValueDef};
use crate::machine::AccessAlignment;

/// The most instructions that are looked at to assemble one number, and the most links from a piece to its number.
const MOST_LOOKS: u32 = 48;
const MOST_LINKS: usize = 6;
/// The largest distance between the first and the last of the accesses, in instructions.
const MOST_APART: usize = 128;

/// Accesses of a function that become one.
#[derive(Default)]
pub struct Bytes {
    /// The replacement of each instruction that is replaced, in their order; for a number that is stored, of the last
    /// store only.
    found: Vec<(u32, Joined)>,
    /// Stores that become part of the last one, each with the instruction of that.
    dropped: Vec<(u32, u32)>,
    /// A bit for each instruction in `found` and `dropped`.
    marks: Vec<u64>,
    /// The order of a number's bytes in memory.
    endian: Endian,
}

/// One access in place of several.
#[derive(Clone, Copy)]
struct Joined {
    /// The access to the lowest address, which other steps may still change; the new access has its address and flags.
    at: u32,
    lowest: InstData,
    /// Its type.
    ty: Type,
    /// The bytes in memory are in the other order than the machine's.
    reversed: bool,
    /// The number that is stored, from this bit on.
    of: Value,
    from: u32,
}

/// The origin of a byte of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Zero,
    At(i64),
}

/// What all bytes of a number have in common.
struct Source {
    first: u32,
    looks: u32,
    /// The base that all addresses have in common.
    base: Option<Base>,
    /// The earliest of the loads.
    earliest: u32,
    loads: u32,
    /// The load from the lowest address: its distance and instruction.
    lowest: (i64, u32),
    endian: Endian,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Value(Value),
    Symbol(u32),
}

/// Base and distance of an access to ordinary memory that may be joined with others.
fn place(f: &Function, d: &InstData) -> Option<(Base, i64)> {
    let flags = MemFlags(d.flags);
    if flags.is_volatile() || flags.space() != 0 || number(d.ty).is_none() {
        return None;
    }
    let (at, offset) = (Value(d.a), if d.op == Opcode::Load { d.b } else { d.c });
    let offset = i64::from(offset as i32);
    Some(match f.constant(at) {
        Some(ConstData::Symbol(s, o)) => (Base::Symbol(s.0), o.checked_add(offset)?),
        _ => (Base::Value(at), offset),
    })
}

/// The number of bytes of an integer type that memory accesses support.
fn number(ty: Type) -> Option<u32> {
    [(Type::I8, 1), (Type::I16, 2), (Type::I32, 4), (Type::I64, 8)].iter().find(|n| n.0 == ty).map(|n| n.1)
}

/// The integer type of this many bytes.
fn integer(bytes: usize) -> Type {
    Type::int(8 * bytes as u32).unwrap_or(Type::I64)
}

/// The number of whole bytes that a constant shift shifts by.
fn whole_bytes(f: &Function, by: Value) -> Option<u32> {
    let n = f.int_constant(by)?;
    (n < 64 && n % 8 == 0).then_some(n as u32 / 8)
}

impl Source {
    /// The bytes of `v`, the lowest first; those beyond its type are zero.
    fn bytes(&mut self, f: &Function, v: Value) -> Option<[Byte; 8]> {
        self.looks = self.looks.checked_sub(1)?;
        let (ValueDef::Inst(i), size) = (f.value_def(v), number(f.value_type(v))? as usize) else { return None };
        if i.0 < self.first {
            return None;
        }
        let d = f.inst(i);
        let mut out = [Byte::Zero; 8];
        match d.op {
            Opcode::Load => {
                let offset = self.load(f, i, d)?;
                out[..size].iter_mut().zip(offset..).for_each(|(b, k)| *b = Byte::At(k));
                if self.endian.is_big() {
                    out[..size].reverse();
                }
            }
            Opcode::Or => {
                // Most candidates are given up here, after a look at one operand.
                if ![d.a, d.b].iter().all(|&v| op_of(f, Value(v), self.first).is_some_and(has_bytes)) {
                    return None;
                }
                let low = self.bytes(f, Value(d.b))?;
                let high = self.bytes(f, Value(d.a))?;
                for ((out, x), y) in out.iter_mut().zip(low).zip(high) {
                    *out = match (x, y) {
                        (Byte::Zero, b) | (b, Byte::Zero) => b,
                        (x, y) if x == y => x,
                        _ => return None,
                    };
                }
            }
            Opcode::Shl | Opcode::Lshr => {
                let n = whole_bytes(f, Value(d.b))? as usize;
                let x = self.bytes(f, Value(d.a))?;
                if n >= size {
                    return None;
                }
                let (from, to) = if d.op == Opcode::Shl { (0, n) } else { (n, 0) };
                out[to..to + size - n].copy_from_slice(&x[from..from + size - n]);
            }
            Opcode::And => {
                let mask = f.int_constant(Value(d.b))?;
                let x = self.bytes(f, Value(d.a))?;
                for (k, (out, x)) in out[..size].iter_mut().zip(x).enumerate() {
                    match (mask >> (8 * k)) as u8 {
                        0 => {}
                        0xff => *out = x,
                        _ => return None,
                    }
                }
            }
            Opcode::Zext | Opcode::Trunc => {
                let x = self.bytes(f, Value(d.a))?;
                out[..size].copy_from_slice(&x[..size]);
            }
            Opcode::Bswap => {
                let x = self.bytes(f, Value(d.a))?;
                (0..size).for_each(|k| out[k] = x[size - 1 - k]);
            }
            _ => return None,
        }
        Some(out)
    }

    /// Adds a load to the source. Returns its distance.
    fn load(&mut self, f: &Function, i: Inst, d: &InstData) -> Option<i64> {
        let (base, offset) = place(f, d)?;
        if *self.base.get_or_insert(base) != base {
            return None;
        }
        self.loads += 1;
        self.earliest = self.earliest.min(i.0);
        let known = |i: u32| MemFlags(f.insts[i as usize].flags).align();
        if self.loads == 1 || offset < self.lowest.0 || offset == self.lowest.0 && known(i.0) > known(self.lowest.1) {
            self.lowest = (offset, i.0);
        }
        Some(offset)
    }
}

impl Bytes {
    /// For a machine with this order of bytes.
    pub fn new(endian: Endian) -> Bytes {
        Bytes { endian, ..Bytes::default() }
    }

    /// Forgets what was found.
    pub fn clear(&mut self) {
        self.found.clear();
        self.dropped.clear();
    }

    /// Looks at the instruction `i`, which combines bits; its block begins at `first`.
    pub(super) fn look_at_or(&mut self, f: &Function, i: usize, first: u32, wanted: AccessAlignment) {
        let d = f.insts[i];
        if !matches!(d.ty, Type::I16 | Type::I32 | Type::I64) || f.constant(Value(d.b)).is_some() {
            return;
        }
        if let Some(joined) = loaded(f, i, first, self.endian)
            && joined.is_allowed(wanted)
        {
            self.found.push((i as u32, joined));
        }
    }

    /// Looks at the store `i`.
    pub(super) fn look_at_store(&mut self, f: &Function, i: usize, first: u32, wanted: AccessAlignment) {
        let d = f.insts[i];
        if !op_of(f, Value(d.b), 0).is_some_and(narrows) {
            return;
        }
        let Some(unit) = number(d.ty).filter(|&n| n < 8).map(|n| n as usize) else { return };
        let Some((of, from)) = piece(f, Value(d.b)) else { return };
        let Some((base, offset)) = place(f, &d) else { return };
        // The earlier stores of pieces near this one, `reach` pieces in either direction: how far away they are, and
        // their instructions.
        let mut near = [u32::MAX; 15];
        near[7] = i as u32;
        let mut up = None;
        let start = (first as usize).max(i.saturating_sub(MOST_APART));
        for k in (start..i).rev() {
            let e = &f.insts[k];
            if e.op == Opcode::Load || e.op.writes_memory() {
                let Some((apart, is_up)) = neighbour(f, e, (&d, of, from, base, offset), self.endian) else { break };
                let at = apart + 7;
                if !(0..15).contains(&at) || near[at as usize] != u32::MAX || *up.get_or_insert(is_up) != is_up {
                    break;
                }
                near[at as usize] = k as u32;
            }
        }
        let Some(up) = up else { return };
        let below = near[..7].iter().rev().take_while(|&&k| k != u32::MAX).count();
        let above = near[8..].iter().take_while(|&&k| k != u32::MAX).count();
        for count in [8, 4, 2] {
            if count * unit > 8 || count > below + above + 1 {
                continue;
            }
            for low in [count - 1, 0] {
                if low > below || count - 1 - low > above {
                    continue;
                }
                let members = &near[7 - low..7 - low + count];
                let back = low as u32 * unit as u32 * 8;
                let from = if up { from - back } else { from - (count - 1 - low) as u32 * unit as u32 * 8 };
                let (at, ty) = (members[0], integer(count * unit));
                let joined =
                    Joined { at, lowest: f.insts[at as usize], ty, reversed: up == self.endian.is_big(), of, from };
                if joined.is_allowed(wanted) && self.takes(i as u32, members) {
                    self.found.push((i as u32, joined));
                    return;
                }
            }
        }
    }

    /// Makes these stores part of the last of them, with all that were part of others. Fails if one is already part of
    /// a larger one.
    fn takes(&mut self, last: u32, members: &[u32]) -> bool {
        let is_member = |k: u32| members.contains(&k);
        // What is close was found last.
        let start = self.dropped.len().saturating_sub(MOST_APART);
        if self.dropped[start..].iter().any(|&(k, of)| is_member(k) != is_member(of)) {
            return false;
        }
        for at in (start..self.dropped.len()).rev() {
            if is_member(self.dropped[at].0) {
                self.dropped.swap_remove(at);
            }
        }
        for at in (self.found.len().saturating_sub(MOST_APART)..self.found.len()).rev() {
            if is_member(self.found[at].0) {
                self.found.remove(at);
            }
        }
        self.dropped.extend(members.iter().filter(|&&k| k != last).map(|&k| (k, last)));
        true
    }

    /// Replaces what was found; false if there was nothing.
    pub fn join(&mut self, f: &mut Function) -> bool {
        if self.found.is_empty() {
            return false;
        }
        self.found.sort_unstable_by_key(|found| found.0);
        for (_, joined) in &mut self.found {
            joined.lowest = f.insts[joined.at as usize];
        }
        self.dropped.sort_unstable();
        self.marks.clear();
        self.marks.resize(f.insts.len().div_ceil(64), 0);
        for i in self.found.iter().map(|found| found.0).chain(self.dropped.iter().map(|dropped| dropped.0)) {
            self.marks[i as usize / 64] |= 1 << (i % 64);
        }
        f.rewrite(|f, i, d, result| {
            if self.marks[i.index() / 64] >> (i.index() % 64) & 1 == 0 {
                f.push_kept(d, result);
            } else if let Ok(at) = self.found.binary_search_by_key(&i.0, |found| found.0) {
                self.found[at].1.emit(f, &d, result);
            } else if self.dropped.binary_search_by_key(&i.0, |dropped| dropped.0).is_err() {
                f.push_kept(d, result);
            }
        });
        self.clear();
        true
    }
}

/// Loads the whole number at the instruction `i`.
fn loaded(f: &Function, i: usize, first: u32, endian: Endian) -> Option<Joined> {
    let mut source =
        Source { first, looks: MOST_LOOKS, base: None, earliest: u32::MAX, loads: 0, lowest: (0, u32::MAX), endian };
    let bytes = source.bytes(f, f.result(Inst::new(i)))?;
    let count = bytes.iter().position(|&b| b == Byte::Zero).unwrap_or(8);
    if source.loads < 2 || !count.is_power_of_two() || bytes[count..].iter().any(|&b| b != Byte::Zero) {
        return None;
    }
    let low = source.lowest.0;
    // Does the lowest byte come first in memory, or last?
    let is_run = |last: bool| {
        (low..).zip(&bytes[..count]).all(|(at, _)| {
            let k = (at - low) as usize;
            bytes[if last { count - 1 - k } else { k }] == Byte::At(at)
        })
    };
    let last = !is_run(false);
    let reversed = last != endian.is_big();
    if last && !is_run(true) || i - source.earliest as usize > MOST_APART {
        return None;
    }
    // Memory still holds what the first load saw.
    if f.insts[source.earliest as usize..i].iter().any(|d| d.op.writes_memory()) {
        return None;
    }
    let at = source.lowest.1;
    Some(Joined { at, lowest: f.insts[at as usize], ty: integer(count), reversed, of: Value(0), from: 0 })
}

/// The opcode of the instruction that defines a value, if it is at `first` or later.
fn op_of(f: &Function, v: Value, first: u32) -> Option<Opcode> {
    match f.value_def(v) {
        ValueDef::Inst(i) if i.0 >= first => Some(f.inst(i).op),
        _ => None,
    }
}

/// Can the result of the instruction be a piece of its operand?
fn narrows(op: Opcode) -> bool {
    matches!(op, Opcode::Trunc | Opcode::Zext | Opcode::Lshr | Opcode::Ashr)
}

/// Can the bytes of the instruction's result be known?
fn has_bytes(op: Opcode) -> bool {
    use Opcode::*;
    matches!(op, Load | Or | Shl | Lshr | And | Zext | Trunc | Bswap)
}

/// The wider number that a value is a piece of, and the first bit of the piece.
fn piece(f: &Function, v: Value) -> Option<(Value, u32)> {
    let (mut v, mut from) = (v, 0);
    let bits = f.value_type(v).bits();
    let mut narrowed = None;
    for _ in 0..MOST_LINKS {
        let ValueDef::Inst(i) = f.value_def(v) else { break };
        let d = f.inst(i);
        // In other instructions, the first word may not be a value.
        if !narrows(d.op) {
            break;
        }
        let inner = f.value_type(Value(d.a)).bits();
        match d.op {
            Opcode::Trunc if inner <= 64 => {}
            Opcode::Zext if from + bits <= inner => {}
            Opcode::Lshr | Opcode::Ashr => match f.int_constant(Value(d.b)) {
                Some(n) if n % 8 == 0 && n + u128::from(from + bits) <= u128::from(inner) => from += n as u32,
                _ => break,
            },
            _ => break,
        }
        v = Value(d.a);
        narrowed = Some((v, from));
    }
    narrowed.filter(|&(v, _)| number(f.value_type(v)).is_some_and(|n| n * 8 > bits))
}

/// How many pieces higher in memory than `d` the store `e` puts another piece of the same number; and whether pieces
/// that are higher in the number are also higher in memory.
fn neighbour(f: &Function, e: &InstData, d: (&InstData, Value, u32, Base, i64), endian: Endian) -> Option<(i64, bool)> {
    let (d, of, from, base, offset) = d;
    if e.op != Opcode::Store || e.ty != d.ty {
        return None;
    }
    let (other, at) = place(f, e)?;
    let (whole, bit) = piece(f, Value(e.b))?;
    if other != base || whole != of {
        return None;
    }
    let (bytes, bits) = (at.checked_sub(offset)?, (i64::from(bit) - i64::from(from)) / 8);
    let unit = i64::from(d.ty.bits() / 8);
    let up = bytes == bits;
    let fits = bytes != 0 && bytes % unit == 0 && (up || bytes == -bits) && (up != endian.is_big() || unit == 1);
    fits.then_some((bytes / unit, up))
}

impl Joined {
    fn is_allowed(&self, wanted: AccessAlignment) -> bool {
        MemFlags(self.lowest.flags).align() >= (self.ty.bits() / 8).min(wanted.general)
    }

    /// Appends the replacement of the instruction `d`.
    fn emit(&self, f: &mut Function, d: &InstData, result: Value) {
        let one = |op, ty, a: Value, b: u32| InstData { op, flags: 0, ty, a: a.0, b, c: 0 };
        if d.op == Opcode::Store {
            let mut v = self.of;
            let ty = f.value_type(v);
            if self.from > 0 {
                let by = f.make_int(ty, self.from.into());
                v = f.push_one(one(Opcode::Lshr, ty, v, by.0));
            }
            if ty != self.ty {
                v = f.push_one(one(Opcode::Trunc, self.ty, v, 0));
            }
            if self.reversed {
                v = f.push_one(one(Opcode::Bswap, self.ty, v, 0));
            }
            f.push_kept(InstData { ty: self.ty, b: v.0, ..self.lowest }, result);
            return;
        }
        let mut last = InstData { ty: self.ty, ..self.lowest };
        if self.reversed {
            let v = f.push_one(last);
            last = one(Opcode::Bswap, self.ty, v, 0);
        }
        if d.ty != self.ty {
            let v = f.push_one(last);
            last = one(Opcode::Zext, d.ty, v, 0);
        }
        f.push_kept(last, result);
    }
}
