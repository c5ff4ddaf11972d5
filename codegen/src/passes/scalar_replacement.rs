//! Scalar replacement of aggregates: a stack slot of a few words becomes a slot for each word.
//!
//! Front ends copy structs around: a result in two registers is stored to a slot and copied from there, an argument is
//! copied to a slot and loaded from it. A slot whose address is only used to access and copy whole words is replaced by
//! slots for its words, and copies from and to it become loads and stores, so that promotion makes values of the words.

mod debug;

use gusset_abi::Endian;

use crate::ir::{Function, InstData, MemFlags, Opcode, Slot, Type, Value};

const NONE: u32 = u32::MAX;
/// The most words of a slot.
const MOST: u32 = 4;
/// Number of low bits of an entry of [`ScalarReplacement::places`] that hold the distance from the slot's start.
const DISTANCE: u32 = 6;

/// What is known of a word of a slot.
#[derive(Clone, Copy)]
struct Word {
    /// The type of all accesses with the word's size, or [`Type::VOID`].
    whole: Type,
    /// The type of all smaller accesses, or [`Type::VOID`].
    part: Type,
    /// Accesses of the same size have different types.
    mixed: bool,
    /// The size of the stores to its low end only, or 0.
    part_stored: u32,
    /// The whole word is stored or copied to.
    filled: bool,
    /// It is copied from or to memory.
    copied: bool,
    /// The slot that it becomes, and the type of that.
    slot: u32,
    ty: Type,
}

const UNUSED: Word = Word {
    whole: Type::VOID,
    part: Type::VOID,
    mixed: false,
    part_stored: 0,
    filled: false,
    copied: false,
    slot: NONE,
    ty: Type::VOID,
};

/// The pass's tables.
#[derive(Default)]
pub struct ScalarReplacement {
    /// For each slot its first word; `NONE` if it stays as it is.
    first: Vec<u32>,
    words: Vec<Word>,
    /// For each value that is an address in a slot which may be replaced: the slot and the distance; otherwise `NONE`.
    places: Vec<u32>,
    /// The slots that are replaced, and the number of words of each.
    replaced: Vec<(u32, u32)>,
}

impl ScalarReplacement {
    /// Replaces slots. `ptr` is the type of a pointer and of a word.
    pub fn run(&mut self, f: &mut Function, ptr: Type, endian: Endian) {
        let word = ptr.store_bytes();
        let fits = |size: u32| size > word && size <= MOST * word && size.is_multiple_of(word);
        if f.attrs.calls_returns_twice || f.exceptions.asynchronous || !f.slots.iter().any(|s| fits(s.size)) {
            return;
        }
        self.words.clear();
        self.first.clear();
        for s in &f.slots {
            let fits = fits(s.size);
            self.first.push(if fits { self.words.len() as u32 } else { NONE });
            self.words.resize(self.words.len() + if fits { s.size / word } else { 0 } as usize, UNUSED);
        }
        for slot in f.kept_slots() {
            self.first[slot.index()] = NONE;
        }
        self.find_places(f, ptr);
        self.look(f, word);
        if endian.is_big() {
            self.keep_mixed(f, word);
        }
        if self.decide(f, ptr) {
            self.rewrite(f, ptr);
        }
    }

    /// The slot and the distance from its start, if the value is an address in a slot that may be replaced.
    #[inline]
    fn place(&self, v: u32) -> Option<(u32, u32)> {
        let place = *self.places.get(v as usize)?;
        if place == NONE || self.first[(place >> DISTANCE) as usize] == NONE {
            return None;
        }
        Some((place >> DISTANCE, place & ((1 << DISTANCE) - 1)))
    }

    /// Finds the addresses of slots, and sums of these and constants.
    fn find_places(&mut self, f: &mut Function, ptr: Type) {
        self.places.clear();
        self.places.resize(f.value_count(), NONE);
        for s in 0..self.first.len() {
            if self.first[s] != NONE {
                let v = f.slot_addr(Slot::new(s), ptr);
                if v.index() >= self.places.len() {
                    self.places.resize(v.index() + 1, NONE);
                }
                self.places[v.index()] = (s as u32) << DISTANCE;
            }
        }
        for &b in &f.layout {
            for i in f.block_insts(b) {
                let d = f.inst(i);
                if d.op == Opcode::Iadd
                    && let Some((slot, at)) = self.place(d.a)
                    && let Some(n) = f.int_constant_signed(Value(d.b))
                    && let Ok(at) = u32::try_from(at as i64 + n)
                    && at < f.slots[slot as usize].size
                {
                    self.places[f.result(i).index()] = slot << DISTANCE | at;
                }
            }
        }
    }

    /// Excludes the slot whose address the value is, if it is one.
    fn keep(&mut self, v: Value) {
        if let Some((slot, _)) = self.place(v.0) {
            self.first[slot as usize] = NONE;
        }
    }

    /// Looks at all uses of the addresses.
    fn look(&mut self, f: &Function, word: u32) {
        for &b in &f.layout {
            for i in f.block_insts(b) {
                let d = f.inst(i);
                match d.op {
                    Opcode::Load => self.access(f, d, d.b, word),
                    Opcode::Store => {
                        self.keep(Value(d.b));
                        self.access(f, d, d.c, word);
                    }
                    Opcode::Memcpy => self.copy(f, d, word),
                    // Its result is known.
                    Opcode::Iadd if self.places[f.result(i).index()] != NONE => {}
                    // The operands of calls are looked at below.
                    Opcode::Call => {}
                    _ => f.for_each_operand(d, |v| self.keep(v)),
                }
            }
        }
        f.for_each_passed(|v| self.keep(v));
    }

    /// Notes a load or store at a distance from its address.
    fn access(&mut self, f: &Function, d: &InstData, by: u32, word: u32) {
        let Some((slot, at)) = self.place(d.a) else { return };
        let at = at.wrapping_add(by);
        let first = self.first[slot as usize];
        let inside = at < f.slots[slot as usize].size;
        let size = d.ty.store_bytes();
        let plain = matches!(d.ty, Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64);
        if !plain || size > word || !at.is_multiple_of(word) || !inside || MemFlags(d.flags).is_volatile() {
            self.first[slot as usize] = NONE;
            return;
        }
        let w = &mut self.words[(first + at / word) as usize];
        let known = if size == word { &mut w.whole } else { &mut w.part };
        if *known == Type::VOID {
            *known = d.ty;
        }
        w.mixed |= *known != d.ty;
        if d.op != Opcode::Store {
            return;
        }
        if size == word {
            w.filled = true;
        } else if w.part_stored == 0 || w.part_stored == size {
            w.part_stored = size;
        } else {
            self.first[slot as usize] = NONE;
        }
    }

    fn copy(&mut self, f: &Function, d: &InstData, word: u32) {
        self.keep(Value(d.c));
        for (v, into) in [(d.a, true), (d.b, false)] {
            let Some((slot, at)) = self.place(v) else { continue };
            let size = f.int_constant(Value(d.c)).unwrap_or(0);
            let end = at as u128 + size;
            let whole = at.is_multiple_of(word) && size.is_multiple_of(word as u128);
            if size == 0 || !whole || end > f.slots[slot as usize].size as u128 || MemFlags(d.flags).is_volatile() {
                self.first[slot as usize] = NONE;
                continue;
            }
            let first = self.first[slot as usize];
            for w in &mut self.words[(first + at / word) as usize..(first + end as u32 / word) as usize] {
                w.copied = true;
                w.filled |= into;
            }
        }
    }

    /// Excludes slots with words of which a part is accessed and which are also accessed in other ways: in big-endian memory
    /// the part at the word's address is not its low end.
    fn keep_mixed(&mut self, f: &Function, word: u32) {
        for (first, slot) in self.first.iter_mut().zip(&f.slots) {
            if *first == NONE {
                continue;
            }
            let words = &self.words[*first as usize..][..(slot.size / word) as usize];
            if words.iter().any(|w| w.part != Type::VOID && (w.whole != Type::VOID || w.mixed || w.copied)) {
                *first = NONE;
            }
        }
    }

    /// Chooses the types of the slots; false if all stay as they are.
    fn decide(&mut self, f: &mut Function, ptr: Type) -> bool {
        let word = ptr.store_bytes();
        self.replaced.clear();
        for s in 0..self.first.len() {
            if self.first[s] == NONE {
                continue;
            }
            let first = self.first[s] as usize;
            let words = &mut self.words[first..first + (f.slots[s].size / word) as usize];
            // A narrow store would have to be combined with the rest of the word.
            if words.iter().any(|w| w.part_stored != 0 && w.filled) {
                self.first[s] = NONE;
                continue;
            }
            for w in words {
                w.ty = match (w.whole, w.part) {
                    (ty, Type::VOID) if ty != Type::VOID && !w.mixed => ty,
                    (Type::VOID, ty) if ty != Type::VOID && !w.mixed && !w.copied => ty,
                    _ => ptr,
                };
                w.slot = f.make_slot(w.ty.store_bytes(), w.ty.store_bytes()).0;
            }
            self.replaced.push((s as u32, f.slots[s].size / word));
            (f.slots[s].size, f.slots[s].align) = (0, 1);
        }
        !self.replaced.is_empty()
    }

    /// Replaces the accesses to old slots by accesses to the new ones.
    fn rewrite(&mut self, f: &mut Function, ptr: Type) {
        let word = ptr.store_bytes();
        if !f.debug.records.is_empty() {
            self.replace_records(f, word);
        }
        f.rewrite(|f, _, d, result| {
            match d.op {
                Opcode::Load => {
                    if let Some(w) = self.word_at(d.a, d.b, word) {
                        load(f, w, d.ty, result, ptr);
                        return;
                    }
                }
                Opcode::Store => {
                    if let Some(w) = self.word_at(d.a, d.c, word) {
                        let v = converted(f, Value(d.b), w.ty);
                        store_slot(f, w, v, ptr);
                        return;
                    }
                }
                Opcode::Memcpy if self.place(d.a).is_some() || self.place(d.b).is_some() => {
                    self.copy_words(f, &d, ptr);
                    return;
                }
                Opcode::Iadd if self.place(result.0).is_some() => {
                    // Nothing reads it any more.
                    f.alias(result, Value(d.a));
                    return;
                }
                _ => {}
            }
            f.push_kept(d, result);
        });
    }

    /// The word at a distance from an address, if its slot is replaced.
    fn word_at(&self, v: u32, by: u32, word: u32) -> Option<Word> {
        let (slot, at) = self.place(v)?;
        Some(self.words[(self.first[slot as usize] + at.wrapping_add(by) / word) as usize])
    }

    /// A copy from or to a slot that is replaced.
    fn copy_words(&self, f: &mut Function, d: &InstData, ptr: Type) {
        let word = ptr.store_bytes();
        let size = f.int_constant(Value(d.c)).unwrap_or(0) as u32;
        let flags = MemFlags::new(MemFlags(d.flags).align().min(word), false).0;
        for at in (0..size).step_by(word as usize) {
            let (to, from) = (self.word_at(d.a, at, word), self.word_at(d.b, at, word));
            let ty = from.or(to).map_or(ptr, |w| w.ty);
            let (flags, a, b) = match from {
                Some(w) => (slot_flags(w), f.slot_addr(Slot(w.slot), ptr), 0),
                None => (flags, Value(d.b), at),
            };
            let v = f.push_load(flags, ty, a, b);
            match to {
                Some(w) => {
                    let v = converted(f, v, w.ty);
                    store_slot(f, w, v, ptr);
                }
                None => {
                    let align = MemFlags(d.flags & 31).align().min(word);
                    f.push_store(MemFlags::new(align, false).0, v, Value(d.a), at);
                }
            }
        }
    }
}

fn slot_flags(w: Word) -> u8 {
    MemFlags::new(w.ty.store_bytes(), false).0
}

fn store_slot(f: &mut Function, w: Word, v: Value, ptr: Type) {
    let addr = f.slot_addr(Slot(w.slot), ptr);
    f.push_store(slot_flags(w), v, addr, 0);
}

/// Loads a word as a `ty`, which becomes the value `result`.
fn load(f: &mut Function, w: Word, ty: Type, result: Value, ptr: Type) {
    let addr = f.slot_addr(Slot(w.slot), ptr);
    let mut d = InstData { op: Opcode::Load, flags: slot_flags(w), ty: w.ty, a: addr.0, b: 0, c: 0 };
    for (op, to) in steps(w.ty, ty).into_iter().flatten() {
        d = InstData { op, flags: 0, ty: to, a: f.push_one(d).0, b: 0, c: 0 };
    }
    f.push_kept(d, result);
}

/// A value in another type: the same bits, or the low ones.
fn converted(f: &mut Function, mut v: Value, to: Type) -> Value {
    for (op, ty) in steps(f.value_type(v), to).into_iter().flatten() {
        v = f.push_one(InstData { op, flags: 0, ty, a: v.0, b: 0, c: 0 });
    }
    v
}

/// The conversions from one type to another: floats become integers, these are resized, and then get the type.
fn steps(from: Type, to: Type) -> [Option<(Opcode, Type)>; 3] {
    if from == to {
        return [None; 3];
    }
    let int = |ty: Type| if ty.bits() == 64 { Type::I64 } else { Type::I32 };
    let (a, b) = (if from.is_float() { int(from) } else { from }, if to.is_float() { int(to) } else { to });
    let resize = if b.bits() < a.bits() { Opcode::Trunc } else { Opcode::Zext };
    [
        (a != from).then_some((Opcode::Bitcast, a)),
        (a != b).then_some((resize, b)),
        (b != to).then_some((Opcode::Bitcast, to)),
    ]
}
