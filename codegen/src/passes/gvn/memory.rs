//! What is known of memory: the values of recent loads and stores, by address.
//!
//! An address is a root and a distance. Two addresses with the same root are compared by their distances; those with different roots may be
//! the same unless they are in objects that differ. A slot whose address is only used to access it is reached by nothing else: by no call
//! and no pointer.

use crate::ir::{Block, ConstData, Function, InstData, MemFlags, Opcode, Slot, SymbolId, Type, Value, ValueDef};

/// The most values that are known at a time; the oldest is forgotten first.
const MOST: usize = 32;
/// Longer chains of sums are not followed.
const CHAIN: usize = 16;
/// The most stores of a loop that are looked at one by one.
const MOST_WRITES: usize = 48;
const NONE: u32 = u32::MAX;

/// What an address is computed from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Value(Value),
    Slot(Slot),
    Symbol(SymbolId),
}

/// The object that an address is in, as far as that can be seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Unknown,
    Slot(Slot),
    Symbol,
}

/// A stretch of memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    root: Root,
    at: i64,
    object: Object,
    /// Number of bytes, if it is known.
    bytes: Option<u32>,
}

/// A value in memory.
#[derive(Clone, Copy)]
pub(super) struct Known {
    place: Place,
    ty: Type,
    value: Value,
}

/// What instructions do to memory.
#[derive(Clone, Copy)]
pub(super) enum Write {
    Nothing,
    /// They write here at most.
    Place(Place),
    /// They may write all that others know of.
    Shared,
}

/// What is known at a point, and at the ends of blocks.
#[derive(Default)]
pub(super) struct Memory {
    /// For each slot, whether it is reached otherwise than by its address here.
    escapes: Vec<bool>,
    /// For each value that is an address in a slot, the number of the slot, else `NONE`.
    slots: Vec<u32>,
    now: Vec<Known>,
    /// What is known at the ends of blocks, one block after another.
    ends: Vec<Known>,
    /// For each block of the order, its part of `ends`.
    end_of: Vec<(u32, u32)>,
    /// Writes of blocks before they were changed, one block after another.
    writes: Vec<Place>,
    /// For each block of the order, its part of `writes`, and whether it writes all that is shared.
    writes_of: Vec<(u32, u32, bool)>,
}

impl Memory {
    /// Finds which slots escape and what the blocks, in their order, write.
    pub fn begin(&mut self, f: &Function, blocks: &[Block]) {
        self.find_escapes(f, blocks);
        self.now.clear();
        self.ends.clear();
        self.end_of.clear();
        self.end_of.resize(blocks.len(), (0, 0));
        self.writes.clear();
        self.writes_of.clear();
        for &b in blocks {
            let (first, mut shared) = (self.writes.len() as u32, false);
            for d in f.insts_of(b) {
                match self.write(f, d) {
                    Write::Nothing => {}
                    Write::Place(place) => self.writes.push(place),
                    Write::Shared => shared = true,
                }
            }
            self.writes_of.push((first, self.writes.len() as u32, shared));
        }
    }

    fn find_escapes(&mut self, f: &Function, blocks: &[Block]) {
        self.escapes.clear();
        self.escapes.resize(f.slots.len(), false);
        self.slots.clear();
        for slot in f.kept_slots() {
            self.escapes[slot.index()] = true;
        }
        let Some((first, last)) = f.slot_addrs() else { return };
        self.slots.resize(f.value_count(), NONE);
        for v in (first.0..=last.0).map(Value) {
            if let ValueDef::Slot(slot) = f.value_def(v) {
                self.slots[v.index()] = slot.0;
            }
        }
        let (escapes, slots) = (&mut self.escapes, &mut self.slots);
        for &b in blocks {
            for i in f.block_insts(b) {
                let d = f.inst(i);
                if is_sum(f, d) {
                    slots[f.result(i).index()] = slots[f.resolve(Value(d.a)).index()];
                }
                let mut note = |v: Value| {
                    if let Some(escapes) = escapes.get_mut(slots[f.resolve(v).index()] as usize) {
                        *escapes = true;
                    }
                };
                match d.op {
                    Opcode::Load => {}
                    Opcode::Store => note(Value(d.b)),
                    Opcode::Memcpy | Opcode::Memmove | Opcode::Memset => note(Value(d.c)),
                    Opcode::Index => note(Value(d.b)),
                    Opcode::Iadd if is_sum(f, d) => {}
                    _ => f.for_each_operand(d, &mut note),
                }
                f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| note(v)));
            }
        }
    }

    /// The place of a load, a store or the destination of a block operation.
    fn place(&self, f: &Function, address: Value, by: i32, bytes: Option<u32>) -> Place {
        let (root, at) = root(f, address, i64::from(by));
        let object = match root {
            Root::Value(v) => self.object(f, v),
            Root::Slot(slot) => Object::Slot(slot),
            Root::Symbol(_) => Object::Symbol,
        };
        Place { root, at, object, bytes }
    }

    /// The object that an address is in.
    fn object(&self, f: &Function, v: Value) -> Object {
        if let Some(&slot) = self.slots.get(v.index())
            && slot != NONE
        {
            return Object::Slot(Slot(slot));
        }
        let base = |v: Value| match f.value_def(v) {
            ValueDef::Inst(i) if is_sum(f, f.inst(i)) => f.resolve(Value(f.inst(i).a)),
            _ => v,
        };
        match f.constant(base(base(v))) {
            Some(ConstData::Symbol(..)) => Object::Symbol,
            _ => Object::Unknown,
        }
    }

    /// What an instruction writes.
    pub fn write(&self, f: &Function, d: &InstData) -> Write {
        match d.op {
            Opcode::Store if MemFlags(d.flags).space() == 0 => {
                Write::Place(self.place(f, Value(d.a), d.c as i32, Some(d.ty.store_bytes())))
            }
            Opcode::Memcpy | Opcode::Memmove | Opcode::Memset if MemFlags(d.flags).space() == 0 => {
                let bytes = f.int_constant(f.resolve(Value(d.c))).and_then(|n| u32::try_from(n).ok());
                Write::Place(self.place(f, Value(d.a), 0, bytes))
            }
            op if op.writes_memory() => Write::Shared,
            _ => Write::Nothing,
        }
    }

    /// The value that a load gives, if it is known; else the load's own result is known from here on.
    pub fn load(&mut self, f: &Function, d: &InstData, result: Value) -> Option<Value> {
        let place = self.place(f, Value(d.a), d.b as i32, Some(d.ty.store_bytes()));
        let known = self.now.iter().find(|k| k.place.root == place.root && k.place.at == place.at && k.ty == d.ty);
        if let Some(known) = known {
            return Some(f.resolve(known.value));
        }
        self.add(Known { place, ty: d.ty, value: result });
        None
    }

    /// Notes a store. Returns whether it stores what is there.
    pub fn store(&mut self, f: &Function, d: &InstData) -> bool {
        let (place, value) = (self.place(f, Value(d.a), d.c as i32, Some(d.ty.store_bytes())), Value(d.b));
        let is_there = |k: &Known| {
            k.place.root == place.root && k.place.at == place.at && k.ty == d.ty && f.resolve(k.value) == value
        };
        if self.now.iter().any(is_there) {
            return true;
        }
        self.forget(&place);
        self.add(Known { place, ty: d.ty, value });
        false
    }

    fn add(&mut self, known: Known) {
        if self.now.len() == MOST {
            self.now.remove(0);
        }
        self.now.push(known);
    }

    /// Forgets what is in a place that is written.
    pub fn forget(&mut self, written: &Place) {
        let escapes = &self.escapes;
        self.now.retain(|known| !overlap(escapes, &known.place, written));
    }

    /// Forgets all that others may write.
    pub fn forget_shared(&mut self) {
        let escapes = &self.escapes;
        self.now.retain(|known| matches!(known.place.object, Object::Slot(slot) if !escapes[slot.index()]));
    }

    /// Nothing is known at the begin of a block.
    pub fn enter_unknown(&mut self) {
        self.now.clear();
    }

    /// What is known at the begin of a block: what is known at the ends of all these, by their indices.
    pub fn enter(&mut self, f: &Function, mut preds: impl Iterator<Item = usize>) {
        self.now.clear();
        let Some(first) = preds.next() else { return };
        let (start, end) = self.end_of[first];
        self.now.extend_from_slice(&self.ends[start as usize..end as usize]);
        for pred in preds {
            let (start, end) = self.end_of[pred];
            let other = &self.ends[start as usize..end as usize];
            let same = |a: &Known, b: &Known| {
                a.place.root == b.place.root
                    && a.place.at == b.place.at
                    && a.ty == b.ty
                    && f.resolve(a.value) == f.resolve(b.value)
            };
            self.now.retain(|known| other.iter().any(|b| same(known, b)));
        }
    }

    /// Forgets what blocks write, by their indices: those of a loop that begins here.
    pub fn forget_writes(&mut self, blocks: std::ops::Range<usize>) {
        let mut count = 0;
        for index in blocks {
            let (first, end, shared) = self.writes_of[index];
            count += (end - first) as usize;
            if self.now.is_empty() {
                return;
            }
            if count > MOST_WRITES {
                self.now.clear();
                return;
            }
            if shared {
                self.forget_shared();
            }
            for k in first..end {
                let written = self.writes[k as usize];
                self.forget(&written);
            }
        }
    }

    /// Notes what is known at the end of the block at an index.
    pub fn leave(&mut self, index: usize) {
        let start = self.ends.len() as u32;
        self.ends.extend_from_slice(&self.now);
        self.end_of[index] = (start, self.ends.len() as u32);
    }
}

/// The root of an address, and the distance from there.
fn root(f: &Function, address: Value, by: i64) -> (Root, i64) {
    let (mut v, mut at) = (f.resolve(address), by);
    let ptr = f.value_type(v).bits().clamp(1, 64);
    for _ in 0..CHAIN {
        match f.value_def(v) {
            ValueDef::Inst(i) => {
                let d = f.inst(i);
                if d.op != Opcode::Iadd {
                    break;
                }
                let Some(n) = f.int_constant_signed(f.resolve(Value(d.b))) else { break };
                at = at.wrapping_add(n);
                v = f.resolve(Value(d.a));
            }
            ValueDef::Slot(slot) => return (Root::Slot(slot), cut(at, ptr)),
            ValueDef::Const => match f.constant(v) {
                Some(ConstData::Symbol(symbol, n)) => return (Root::Symbol(symbol), cut(at.wrapping_add(n), ptr)),
                _ => break,
            },
            _ => break,
        }
    }
    (Root::Value(v), cut(at, ptr))
}

/// A distance as addresses of `bits` bits have it.
fn cut(at: i64, bits: u32) -> i64 {
    at << (64 - bits) >> (64 - bits)
}

/// Is it the sum of an address, its first operand, and a distance within the object that this is in?
fn is_sum(f: &Function, d: &InstData) -> bool {
    d.op == Opcode::Index || d.op == Opcode::Iadd && f.int_constant(f.resolve(Value(d.b))).is_some()
}

/// May two places have a byte in common?
fn overlap(escapes: &[bool], a: &Place, b: &Place) -> bool {
    if a.root == b.root {
        let ends = |p: &Place| p.bytes.map_or(i64::MAX, |n| p.at.saturating_add(n.into()));
        return a.at < ends(b) && b.at < ends(a);
    }
    match (a.object, b.object) {
        (Object::Slot(x), Object::Slot(y)) => x == y,
        (Object::Slot(slot), other) | (other, Object::Slot(slot)) => other == Object::Unknown && escapes[slot.index()],
        _ => true,
    }
}
