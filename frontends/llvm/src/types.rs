//! Types: interned, laid out, and read from text.

use gusset_codegen::ir::Type;

use crate::error::{ReadError, Result};
use crate::layout::DataLayout;
use crate::lexer::{Cursor, Name};
use crate::names::{NameTable, hash_words};

/// Types, constants and expressions nested deeper than this are refused.
pub(crate) const MAX_DEPTH: u32 = 256;
/// First-class aggregates of more scalars than this are refused.
pub(crate) const MAX_SCALARS: u32 = 4096;
/// Wider integers are refused.
const MAX_BITS: u32 = 4096;

/// An interned type: equal types have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TypeId(pub u32);

macro_rules! fixed {
    ($($name:ident = $n:literal),*) => { $(pub(crate) const $name: TypeId = TypeId($n);)* };
}
fixed!(VOID = 0, PTR = 1, F16 = 2, BF16 = 3, F32 = 4, F64 = 5, F80 = 6, F128 = 7, LABEL = 8, METADATA = 9, TOKEN = 10);
// Pointers relative to a segment register: LLVM's address spaces 256 to 258.
fixed!(PTR_GS = 11, PTR_FS = 12, PTR_SS = 13);
/// `iN` is this number plus N.
const INT_BASE: u32 = 13;
pub(crate) const I1: TypeId = TypeId(INT_BASE + 1);
pub(crate) const I8: TypeId = TypeId(INT_BASE + 8);
pub(crate) const I32: TypeId = TypeId(INT_BASE + 32);

/// What a type is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Void,
    /// An integer that the IR has: of at most two registers.
    Int,
    /// A wider one, in limbs as wide as a register and the rest.
    Wide {
        bits: u32,
    },
    Float,
    Ptr,
    Vector {
        lane: TypeId,
        len: u32,
    },
    /// Members in the table of members.
    Struct {
        start: u32,
        len: u32,
        packed: bool,
    },
    Array {
        element: TypeId,
        len: u64,
    },
    /// A named struct without a body (yet).
    Opaque,
    /// `label`, `metadata`, `token`.
    Special,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeData {
    pub kind: Kind,
    /// The IR's type of a value; `void` for all but scalars and vectors.
    pub ir: Type,
    /// Distance of array elements, bytes.
    pub size: u64,
    pub align: u32,
    /// Scalars (and vectors) that a value dissolves into.
    pub scalars: u32,
    depth: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unknown,
    Active,
    Done,
}

/// A member of a struct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub ty: TypeId,
    /// Byte offset.
    pub offset: u64,
    /// Number of its first scalar among the struct's.
    pub scalar: u32,
}

/// A scalar of a dissolved aggregate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub ty: TypeId,
    pub ir: Type,
    pub offset: u64,
}

/// First bytes of what may make a typed pointer of the type before it.
static MAKES_POINTERS: [bool; 256] = {
    let mut t = [false; 256];
    t[b'*' as usize] = true;
    t[b'(' as usize] = true;
    // `addrspace`
    t[b'a' as usize] = true;
    t
};

/// Bytes of a name that [`Recent`] has room for, with `%` and the byte behind it.
const NAME: usize = 40;

/// A named type that was read: its name, and the byte behind that.
#[derive(Clone)]
struct Recent {
    text: [u8; NAME],
    /// 0 if there is none.
    len: u8,
    id: TypeId,
}

/// Every type of a module.
#[derive(Clone)]
pub(crate) struct TypeTable {
    data: Vec<TypeData>,
    members: Vec<Member>,
    names: NameTable,
    named: Vec<TypeId>,
    slots: Vec<u32>,
    structural: u32,
    pub layout: DataLayout,
    /// Once every name has its type, new types are laid out at once.
    complete: bool,
    /// Names of types that were read not long ago.
    recent: Vec<Recent>,
    /// What the typed pointer that was read last points to, and the position behind it.
    pointee: Option<(TypeId, usize)>,
}

impl TypeTable {
    pub fn new(layout: DataLayout) -> TypeTable {
        let mut t = TypeTable {
            data: Vec::with_capacity(512),
            members: Vec::new(),
            names: NameTable::default(),
            named: Vec::new(),
            slots: vec![0; 256],
            structural: 0,
            layout,
            complete: false,
            recent: Vec::new(),
            pointee: None,
        };
        t.add(Kind::Void);
        t.add(Kind::Ptr);
        for (kind, n) in [(Kind::Float, 6), (Kind::Special, 3), (Kind::Ptr, 3)] {
            (0..n).for_each(|_| {
                t.add(kind);
            });
        }
        for bits in 1..=128 {
            t.add(if bits <= 2 * t.layout.limb_bits { Kind::Int } else { Kind::Wide { bits } });
        }
        t
    }

    fn add(&mut self, kind: Kind) -> TypeId {
        let id = TypeId(self.data.len() as u32);
        let state = State::Unknown;
        self.data.push(TypeData { kind, ir: Type::VOID, size: 0, align: 1, scalars: 0, depth: 0, state });
        id
    }

    #[inline(always)]
    pub fn get(&self, id: TypeId) -> &TypeData {
        &self.data[id.0 as usize]
    }

    /// The IR's type of a scalar or vector, `void` for all else.
    #[inline(always)]
    pub fn ir(&self, id: TypeId) -> Type {
        self.data[id.0 as usize].ir
    }

    #[inline]
    pub fn members(&self, start: u32, len: u32) -> &[Member] {
        &self.members[start as usize..(start + len) as usize]
    }

    /// The IR's integer of pointer width.
    pub fn pointer(&self) -> Type {
        self.ir(PTR)
    }

    /// The limb of wide integers: as wide as a register.
    pub fn limb(&self) -> Type {
        if self.layout.limb_bits == 32 { Type::I32 } else { Type::I64 }
    }

    /// The widest integer of the IR.
    pub fn widest(&self) -> Type {
        if self.layout.limb_bits == 32 { Type::I64 } else { Type::I128 }
    }

    /// Is it a value type with a size?
    pub fn is_sized(&self, id: TypeId) -> bool {
        !matches!(self.get(id).kind, Kind::Void | Kind::Special | Kind::Opaque)
    }

    /// The integer type of `bits`, at most 128.
    pub fn int(bits: u32) -> TypeId {
        TypeId(INT_BASE + bits)
    }

    // Making types.

    fn key_of(&self, id: TypeId, words: &mut Vec<u64>) {
        words.clear();
        match self.get(id).kind {
            Kind::Vector { lane, len } => words.extend([1, lane.0 as u64, len as u64]),
            Kind::Array { element, len } => words.extend([2, element.0 as u64, len]),
            Kind::Wide { bits } => words.extend([5, bits as u64]),
            Kind::Struct { start, len, packed } => {
                words.push(3 + packed as u64);
                words.extend(self.members(start, len).iter().map(|m| m.ty.0 as u64));
            }
            _ => words.push(0),
        }
    }

    /// The type with this key and kind, an old one where there is one. Struct members are the key's words after the first.
    fn intern(&mut self, key: &[u64], kind: impl FnOnce(&mut Self) -> Kind) -> TypeId {
        let mut mask = self.slots.len() - 1;
        let hash = hash_words(key) as usize;
        let mut at = hash & mask;
        let mut words = Vec::new();
        while self.slots[at] != 0 {
            let id = TypeId(self.slots[at]);
            let same = match (self.get(id).kind, key) {
                (Kind::Vector { lane, len }, &[1, l, n]) => lane.0 as u64 == l && len as u64 == n,
                (Kind::Array { element, len }, &[2, e, n]) => element.0 as u64 == e && len == n,
                (Kind::Wide { bits }, &[5, n]) => bits as u64 == n,
                (Kind::Struct { len, .. }, _) if len as usize + 1 == key.len() => {
                    self.key_of(id, &mut words);
                    words == key
                }
                _ => false,
            };
            if same {
                return id;
            }
            at = (at + 1) & mask;
        }
        let kind = kind(self);
        let id = self.add(kind);
        self.slots[at] = id.0;
        self.structural += 1;
        if 2 * self.structural as usize > self.slots.len() {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![0; old.len() * 2];
            mask = self.slots.len() - 1;
            for id in old.into_iter().filter(|&id| id != 0) {
                self.key_of(TypeId(id), &mut words);
                let mut at = hash_words(&words) as usize & mask;
                while self.slots[at] != 0 {
                    at = (at + 1) & mask;
                }
                self.slots[at] = id;
            }
        }
        id
    }

    fn finish(&mut self, id: TypeId) -> std::result::Result<TypeId, String> {
        if self.complete && self.get(id).state == State::Unknown {
            self.lay_out(id, 0)?;
        }
        Ok(id)
    }

    /// `[len x element]`.
    pub fn array(&mut self, element: TypeId, len: u64) -> std::result::Result<TypeId, String> {
        let id = self.intern(&[2, element.0 as u64, len], |_| Kind::Array { element, len });
        self.finish(id)
    }

    /// The integer type of `bits`, more than 128.
    fn wide(&mut self, bits: u32) -> std::result::Result<TypeId, String> {
        let id = self.intern(&[5, bits as u64], |_| Kind::Wide { bits });
        self.finish(id)
    }

    /// `<len x lane>`.
    pub fn vector(&mut self, lane: TypeId, len: u32) -> std::result::Result<TypeId, String> {
        let id = self.intern(&[1, lane.0 as u64, len as u64], |_| Kind::Vector { lane, len });
        self.finish(id)
    }

    /// `{ members }`.
    pub fn structure(&mut self, members: &[TypeId], packed: bool) -> std::result::Result<TypeId, String> {
        let mut key = vec![3 + packed as u64];
        key.extend(members.iter().map(|m| m.0 as u64));
        let id = self.intern(&key, |t| t.add_members(members, packed));
        self.finish(id)
    }

    fn add_members(&mut self, members: &[TypeId], packed: bool) -> Kind {
        let start = self.members.len() as u32;
        self.members.extend(members.iter().map(|&ty| Member { ty, offset: 0, scalar: 0 }));
        Kind::Struct { start, len: members.len() as u32, packed }
    }

    fn by_name(&mut self, name: Name) -> Option<TypeId> {
        let bytes = name.bytes();
        if self.complete {
            return self.names.get(&bytes).map(|i| self.named[i as usize]);
        }
        let i = self.names.intern(&bytes) as usize;
        if i == self.named.len() {
            let id = self.add(Kind::Opaque);
            self.named.push(id);
        }
        Some(self.named[i])
    }

    // Layout.

    /// Lays out every type; from now on all names are known.
    pub fn complete(&mut self) -> std::result::Result<(), String> {
        for i in 0..self.data.len() {
            self.lay_out(TypeId(i as u32), 0)?;
        }
        self.complete = true;
        Ok(())
    }

    fn lay_out(&mut self, id: TypeId, nested: u32) -> std::result::Result<(), String> {
        let mut d = *self.get(id);
        match d.state {
            State::Done => return Ok(()),
            State::Active => return Err("a type contains itself".into()),
            State::Unknown if nested > MAX_DEPTH => return Err(format!("a type is nested deeper than {MAX_DEPTH}")),
            State::Unknown => self.data[id.0 as usize].state = State::Active,
        }
        let scalar = |d: &mut TypeData, ir: Type, align: u32| {
            d.ir = ir;
            d.align = align;
            d.size = (ir.bits() as u64).div_ceil(8).next_multiple_of(align as u64);
            d.scalars = 1;
        };
        match d.kind {
            Kind::Void | Kind::Special | Kind::Opaque => {}
            Kind::Ptr => {
                let bytes = self.layout.pointer_bytes;
                let align = self.layout.pointer_align().abi;
                scalar(&mut d, Type::int(bytes * 8).unwrap_or(Type::I64), align);
            }
            Kind::Int => {
                let bits = id.0 - INT_BASE;
                scalar(&mut d, Type::int(bits).unwrap_or(Type::VOID), self.layout.int_align(bits).abi);
            }
            Kind::Wide { bits } => {
                d.align = self.layout.int_align(bits).abi;
                d.size = (bits as u64).div_ceil(8).next_multiple_of(d.align as u64);
                d.scalars = bits.div_ceil(self.layout.limb_bits);
            }
            Kind::Float => {
                let all = [Type::F16, Type::BF16, Type::F32, Type::F64, Type::F80, Type::F128];
                let ir = all[(id.0 - F16.0) as usize];
                scalar(&mut d, ir, self.layout.float_align(ir.bits()).abi);
            }
            Kind::Vector { lane, len } => {
                self.lay_out(lane, nested + 1)?;
                let Some(ir) = Type::vector(self.ir(lane), len) else {
                    return Err("vectors of this lane type or length are not supported".into());
                };
                scalar(&mut d, ir, self.layout.vector_align(ir.bits()).abi);
                d.depth = 1;
            }
            Kind::Array { element, len } => {
                self.lay_out(element, nested + 1)?;
                let e = *self.get(element);
                if !self.is_sized(element) {
                    return Err("the element type of an array has no size".into());
                }
                d.size = e.size.saturating_mul(len);
                d.align = e.align;
                d.scalars = u32::try_from(len).unwrap_or(u32::MAX).saturating_mul(e.scalars);
                d.depth = e.depth + 1;
            }
            Kind::Struct { start, len, packed } => {
                let mut offset = 0u64;
                let mut scalars = 0u32;
                let mut align = if packed { 1 } else { self.layout.aggregate_align().abi };
                for k in start..start + len {
                    let ty = self.members[k as usize].ty;
                    self.lay_out(ty, nested + 1)?;
                    if !self.is_sized(ty) {
                        return Err("a member of a struct has no size".into());
                    }
                    let m = *self.get(ty);
                    if !packed {
                        offset = offset.checked_next_multiple_of(m.align as u64).unwrap_or(u64::MAX);
                        align = align.max(m.align);
                    }
                    self.members[k as usize].offset = offset;
                    self.members[k as usize].scalar = scalars;
                    offset = offset.saturating_add(m.size);
                    scalars = scalars.saturating_add(m.scalars);
                    d.depth = d.depth.max(m.depth + 1);
                }
                d.size = offset.checked_next_multiple_of(align as u64).unwrap_or(u64::MAX);
                d.align = align;
                d.scalars = scalars;
            }
        }
        if d.size > 1 << 60 {
            return Err("a type is larger than 2^60 bytes".into());
        }
        if d.depth > MAX_DEPTH {
            return Err(format!("a type is nested deeper than {MAX_DEPTH}"));
        }
        d.state = State::Done;
        self.data[id.0 as usize] = d;
        Ok(())
    }

    /// Width of a type; of scalars and vectors without the padding behind them.
    pub fn bits(&self, id: TypeId) -> u64 {
        let d = self.get(id);
        match d.kind {
            Kind::Wide { bits } => bits.into(),
            Kind::Int | Kind::Float | Kind::Vector { .. } => d.ir.bits().into(),
            _ => d.size.saturating_mul(8),
        }
    }

    /// The alignment that LLVM prefers for a place of this type (`DataLayout::getPrefTypeAlign`).
    pub fn preferred_align(&self, id: TypeId) -> u32 {
        let d = self.get(id);
        match d.kind {
            Kind::Void | Kind::Special | Kind::Opaque => d.align,
            Kind::Ptr => self.layout.pointer_align().preferred,
            Kind::Int => self.layout.int_align(id.0 - INT_BASE).preferred,
            Kind::Wide { bits } => self.layout.int_align(bits).preferred,
            Kind::Float => self.layout.float_align(d.ir.bits()).preferred,
            Kind::Vector { .. } => self.layout.vector_align(d.ir.bits()).preferred,
            Kind::Array { element, .. } => self.preferred_align(element),
            // What it prefers does not depend on the members' preferences.
            Kind::Struct { .. } => self.layout.aggregate_align().preferred.max(d.align),
        }
    }

    /// Appends the scalars of a type in order; at most [`MAX_SCALARS`] of them, as the caller has made sure.
    pub fn flatten(&self, id: TypeId, offset: u64, out: &mut Vec<Leaf>) {
        let d = self.get(id);
        match d.kind {
            Kind::Struct { start, len, .. } => {
                for m in self.members(start, len) {
                    self.flatten(m.ty, offset + m.offset, out);
                }
            }
            Kind::Array { element, len } if d.scalars > 0 => {
                let size = self.get(element).size;
                for i in 0..len {
                    self.flatten(element, offset + i * size, out);
                }
            }
            Kind::Void | Kind::Special | Kind::Opaque | Kind::Array { .. } => {}
            Kind::Wide { bits } => {
                let limb = self.layout.limb_bits;
                for i in 0..d.scalars {
                    let ty = Self::int((bits - limb * i).min(limb));
                    out.push(Leaf { ty, ir: self.ir(ty), offset: offset + (limb / 8 * i) as u64 });
                }
            }
            _ => out.push(Leaf { ty: id, ir: d.ir, offset }),
        }
    }

    /// The type at index `i` of an aggregate, with the number of its first scalar and its offset.
    pub fn element(&self, id: TypeId, i: u64) -> Option<(TypeId, u32, u64)> {
        match self.get(id).kind {
            Kind::Struct { start, len, .. } if i < len as u64 => {
                let m = self.members[start as usize + i as usize];
                Some((m.ty, m.scalar, m.offset))
            }
            Kind::Array { element, len } if i < len => {
                let e = self.get(element);
                let scalar = u32::try_from(i).unwrap_or(u32::MAX).saturating_mul(e.scalars);
                Some((element, scalar, i * e.size))
            }
            _ => None,
        }
    }

    // Reading.

    /// Reads a type, which may be `void` and the like.
    #[inline]
    pub fn parse(&mut self, c: &mut Cursor) -> Result<TypeId> {
        const fn word(text: &[u8; 4]) -> u32 {
            u32::from_le_bytes(*text)
        }
        const I32_: u32 = word(b"i32 ");
        const I64_: u32 = word(b"i64 ");
        const PTR_: u32 = word(b"ptr ");
        const PTR_END: u32 = word(b"ptr,");
        const I1_: u32 = word(b"i1 \0");
        const I8_: u32 = word(b"i8 \0");
        const I8_END: u32 = word(b"i8,\0");
        const I32_END: u32 = word(b"i32,");
        const I64_END: u32 = word(b"i64,");
        if let Some(bytes) = c.eight() {
            // The common ones, before a blank or a comma.
            let (id, len) = match bytes as u32 {
                I32_ | I32_END => (I32, 3),
                I64_ | I64_END => (Self::int(64), 3),
                PTR_END => (PTR, 3),
                PTR_ if bytes >> 32 & 0xffff != u16::from_le_bytes(*b"ad") as u64 => (PTR, 3),
                _ => match bytes as u32 & 0xff_ffff {
                    I1_ => (I1, 2),
                    I8_ | I8_END => (I8, 2),
                    _ => return self.parse_other(c),
                },
            };
            c.bump(len);
            return self.plain(c, id);
        }
        self.parse_other(c)
    }

    /// Does one of the types stand here that most functions give?
    #[inline]
    pub fn common_ahead(c: &Cursor) -> bool {
        const VOID: u64 = u64::from_le_bytes(*b"void \0\0\0");
        const I32: u32 = u32::from_le_bytes(*b"i32 ");
        const I64: u32 = u32::from_le_bytes(*b"i64 ");
        const PTR: u32 = u32::from_le_bytes(*b"ptr ");
        c.eight().is_some_and(|text| matches!(text as u32, I32 | I64 | PTR) || text & 0xff_ffff_ffff == VOID)
    }

    fn parse_other(&mut self, c: &mut Cursor) -> Result<TypeId> {
        if c.peek() == b'%' && self.complete {
            return self.parse_named(c);
        }
        if c.peek() == b'i' {
            let (mut len, mut bits) = (1, 0u32);
            loop {
                let d = c.ahead(len).wrapping_sub(b'0');
                if d > 9 || len > 8 {
                    break;
                }
                bits = bits * 10 + d as u32;
                len += 1;
            }
            if len > 1 && (1..=128).contains(&bits) {
                c.bump(len);
                return self.plain(c, Self::int(bits));
            }
        }
        self.parse_at(c, 0)
    }

    /// Reads a named type: most often one that was read not long ago, before the same byte.
    fn parse_named(&mut self, c: &mut Cursor) -> Result<TypeId> {
        let rest = c.src.get(c.pos..).unwrap_or(&[]);
        // Behind `%struct.`, where names begin to differ.
        let place = match rest.get(8..12) {
            Some(&[x, y, z, w]) => u32::from_le_bytes([x, y, z, w]).wrapping_mul(0x9e37_79b1) as usize >> 26,
            _ => return self.parse_at(c, 0),
        };
        if let Some(known) = self.recent.get(place)
            && known.len != 0
            && rest.starts_with(&known.text[..known.len as usize])
        {
            c.bump(known.len as usize - 1);
            return self.plain(c, known.id);
        }
        let start = c.pos;
        c.pos += 1;
        let quoted = c.peek() == b'"';
        let len = if quoted { 0 } else { 1 + c.word_len() + 1 };
        c.pos = start;
        let id = self.parse_at(c, 0)?;
        if len > 2 && len <= NAME && start + len <= c.src.len() && !matches!(c.src[start + len - 1], b'*' | b'(' | b' ')
        {
            let mut text = [0; NAME];
            text[..len].copy_from_slice(&c.src[start..start + len]);
            self.recent.resize(64, Recent { text: [0; NAME], len: 0, id: VOID });
            self.recent[place] = Recent { text, len: len as u8, id };
        }
        Ok(id)
    }

    /// The type itself, unless typed pointers are made of it.
    #[inline(always)]
    fn plain(&mut self, c: &mut Cursor, id: TypeId) -> Result<TypeId> {
        if MAKES_POINTERS[c.peek() as usize] { self.typed_pointer(c, id) } else { Ok(id) }
    }

    /// Reads what makes typed pointers of a type, as LLVM wrote them before version 15: `*`, `addrspace(0)*`, and `(…)*` of
    /// functions. Only the last one's pointee is kept, for attributes that say no type.
    #[cold]
    fn typed_pointer(&mut self, c: &mut Cursor, mut id: TypeId) -> Result<TypeId> {
        loop {
            let mut next = *c;
            let mut pointer = PTR;
            if next.eat_word(b"addrspace") {
                pointer = self.address_space(&mut next)?;
            } else if next.peek() == b'(' {
                next.skip_group()?;
                if next.peek() != b'*' {
                    // The function type of a call.
                    return Ok(id);
                }
                id = VOID;
            }
            if !next.eat(b'*') {
                return Ok(id);
            }
            *c = next;
            self.pointee = Some((id, c.pos));
            id = pointer;
        }
    }

    /// Reads the number of an address space behind the word; the type of pointers into it.
    pub fn address_space(&self, c: &mut Cursor) -> Result<TypeId> {
        c.expect(b'(')?;
        let at = c.pos;
        let space = c.number32()?;
        c.expect(b')')?;
        if self.layout.is_other_space(space) {
            let m = format!("pointers of address space {space}, of another width, are not supported");
            return Err(ReadError::new(c.src, at, m));
        }
        // All that are no segments are the same memory.
        Ok(self.layout.segment(space).map_or(PTR, |segment| TypeId(PTR_GS.0 - 1 + segment)))
    }

    /// The memory space of what a pointer type points into, as accesses count them; none if it is no type of pointers.
    pub fn space(id: TypeId) -> Option<u8> {
        match id {
            PTR => Some(0),
            PTR_GS | PTR_FS | PTR_SS => Some((id.0 - PTR_GS.0 + 1) as u8),
            _ => None,
        }
    }

    /// What the typed pointer that ends here points to.
    pub fn pointee(&self, c: &Cursor) -> Option<TypeId> {
        self.pointee.filter(|p| p.1 == c.pos).map(|p| p.0)
    }

    fn parse_at(&mut self, c: &mut Cursor, depth: u32) -> Result<TypeId> {
        if depth > MAX_DEPTH {
            return Err(c.error(format!("the type is nested deeper than {MAX_DEPTH}")));
        }
        let at = c.pos;
        let fail = |c: &Cursor, m: String| ReadError::new(c.src, at, m);
        let id = match c.peek() {
            b'%' => {
                c.pos += 1;
                let name = c.name()?;
                match self.by_name(name) {
                    Some(id) => id,
                    None => {
                        let name = String::from_utf8_lossy(&name.bytes()).into_owned();
                        return Err(fail(c, format!("the type `%{name}` is not defined")));
                    }
                }
            }
            b'[' => {
                c.bump(1);
                let len = c.number()?;
                c.expect_word("x")?;
                let element = self.parse_at(c, depth + 1)?;
                c.expect(b']')?;
                self.array(element, len).map_err(|m| fail(c, m))?
            }
            b'<' if c.ahead(1) == b'{' => {
                c.bump(2);
                let id = self.parse_members(c, depth, true)?;
                c.expect(b'>')?;
                id
            }
            b'<' => {
                c.bump(1);
                if c.starts_with(b"vscale") {
                    return Err(fail(c, "scalable vectors are not supported".into()));
                }
                let len = c.number32()?;
                c.expect_word("x")?;
                let lane = self.parse_at(c, depth + 1)?;
                if matches!(self.get(lane).kind, Kind::Wide { .. }) {
                    let most = self.widest().bits();
                    return Err(fail(c, format!("vectors of integers of more than {most} bits are not supported")));
                }
                if !matches!(self.get(lane).kind, Kind::Int | Kind::Float | Kind::Ptr) || len == 0 {
                    return Err(fail(c, "a vector has one or more integers, floats or pointers".into()));
                }
                c.expect(b'>')?;
                self.vector(lane, len).map_err(|m| fail(c, m))?
            }
            b'{' => {
                c.bump(1);
                self.parse_members(c, depth, false)?
            }
            _ => self.parse_word(c)?,
        };
        self.plain(c, id)
    }

    fn parse_members(&mut self, c: &mut Cursor, depth: u32, packed: bool) -> Result<TypeId> {
        let at = c.pos;
        let mut members = Vec::new();
        if !c.eat(b'}') {
            loop {
                members.push(self.parse_at(c, depth + 1)?);
                if !c.eat(b',') {
                    break;
                }
            }
            c.expect(b'}')?;
        }
        self.structure(&members, packed).map_err(|m| ReadError::new(c.src, at, m))
    }

    fn parse_word(&mut self, c: &mut Cursor) -> Result<TypeId> {
        let word = c.peek_word();
        let id = match word {
            b"ptr" => {
                c.bump(3);
                return if c.eat_word(b"addrspace") { self.address_space(c) } else { Ok(PTR) };
            }
            b"void" => VOID,
            b"half" => F16,
            b"bfloat" => BF16,
            b"float" => F32,
            b"double" => F64,
            b"x86_fp80" => F80,
            b"fp128" => F128,
            b"label" => LABEL,
            b"metadata" => METADATA,
            b"token" => TOKEN,
            // As LLVM 20 reads it.
            b"x86_mmx" => self.vector(Self::int(64), 1).map_err(|m| c.error(m))?,
            b"ppc_fp128" | b"x86_amx" | b"target" => {
                let name = String::from_utf8_lossy(word);
                return Err(c.error(format!("the type `{name}` is not supported")));
            }
            [b'i', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                match std::str::from_utf8(digits).ok().and_then(|d| d.parse::<u32>().ok()) {
                    Some(bits @ 1..=128) => Self::int(bits),
                    Some(bits @ 129..=MAX_BITS) => self.wide(bits).map_err(|m| c.error(m))?,
                    _ => return Err(c.error(format!("integers have 1 to {MAX_BITS} bits here"))),
                }
            }
            _ => return Err(c.expected("a type")),
        };
        c.bump(word.len());
        Ok(id)
    }

    /// Reads `%name = type …`; the cursor stands on `%`.
    pub fn parse_definition(&mut self, c: &mut Cursor) -> Result<()> {
        let at = c.pos;
        c.pos += 1;
        let name = c.name()?;
        c.expect(b'=')?;
        c.expect_word("type")?;
        let before = self.named.len();
        let Some(id) = self.by_name(name) else {
            return Err(c.expected("a type"));
        };
        if c.eat_word(b"opaque") {
            return Ok(());
        }
        let twice = || ReadError::new(c.src, at, "the type is defined twice");
        if self.get(id).kind != Kind::Opaque {
            return Err(twice());
        }
        let structure = c.peek() == b'{' || c.peek() == b'<' && c.ahead(1) == b'{';
        let mut body = self.parse_at(c, 0)?;
        if c.peek() == b'(' {
            // The type of functions, which only aliases name.
            c.skip_group()?;
            body = VOID;
        }
        match self.get(body).kind {
            Kind::Struct { start, len, packed } if structure => {
                let members: Vec<TypeId> = self.members(start, len).iter().map(|m| m.ty).collect();
                let kind = self.add_members(&members, packed);
                self.data[id.0 as usize].kind = kind;
            }
            // Another name of a type, which nothing before may have used.
            _ if before < self.named.len() => self.named[before] = body,
            _ => return Err(twice()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gusset_abi::Target;

    fn table() -> TypeTable {
        TypeTable::new(DataLayout::of(&Target::X86_64_LINUX))
    }

    fn parse(t: &mut TypeTable, text: &str) -> Result<TypeId> {
        t.parse(&mut Cursor::new(text.as_bytes(), 0))
    }

    #[test]
    fn equal_types_have_equal_numbers() {
        let mut t = table();
        t.complete().unwrap();
        for text in ["i32", "ptr", "{ i8, [4 x <2 x float>] }", "<{ i8, i64 }>", "[0 x i8]", "{}", "i168"] {
            assert_eq!(parse(&mut t, text).unwrap(), parse(&mut t, text).unwrap(), "{text}");
        }
        for i in 0..1000 {
            parse(&mut t, &format!("[{i} x i8]")).unwrap();
        }
        assert_eq!(parse(&mut t, "[7 x i8]").unwrap(), parse(&mut t, "[7 x i8]").unwrap());
        assert_ne!(parse(&mut t, "{ i8 }").unwrap(), parse(&mut t, "<{ i8 }>").unwrap());
    }

    #[test]
    fn layouts() {
        let mut t = table();
        t.parse_definition(&mut Cursor::new(b"%a = type { i8, %b, i8 }", 0)).unwrap();
        t.parse_definition(&mut Cursor::new(b"%b = type { i16, x86_fp80, [3 x i24] }", 0)).unwrap();
        t.complete().unwrap();
        let id = parse(&mut t, "%a").unwrap();
        let d = *t.get(id);
        assert_eq!((d.size, d.align, d.scalars), (80, 16, 7));
        let mut leaves = Vec::new();
        t.flatten(id, 0, &mut leaves);
        let offsets: Vec<u64> = leaves.iter().map(|l| l.offset).collect();
        assert_eq!(offsets, [0, 16, 32, 48, 52, 56, 64]);
        let sizes = [
            ("<8 x i1>", 1),
            ("<3 x float>", 16),
            ("i65", 16),
            ("<{ i8, i64 }>", 9),
            ("[3 x { i8, i32 }]", 24),
            ("i129", 32),
            ("i168", 32),
            ("i257", 48),
            ("<{ i8, i192 }>", 33),
        ];
        for (text, size) in sizes {
            let id = parse(&mut t, text).unwrap();
            assert_eq!(t.get(id).size, size, "{text}");
        }
    }

    #[test]
    fn registers_of_32_bits() {
        let target = Target::from_triple("i686-unknown-linux-gnu", gusset_abi::Features::default()).unwrap();
        let mut t = TypeTable::new(DataLayout::of(&target));
        t.complete().unwrap();
        let cases = [
            ("ptr", 4, 4, 1),
            ("i64", 8, 4, 1),
            ("double", 8, 4, 1),
            ("x86_fp80", 12, 4, 1),
            ("fp128", 16, 16, 1),
            ("i65", 16, 16, 3),
            ("i128", 16, 16, 4),
            ("i129", 32, 16, 5),
            ("{ i8, i64, x86_fp80, i96 }", 48, 16, 6),
            ("<2 x i64>", 16, 16, 1),
        ];
        for (text, size, align, scalars) in cases {
            let id = parse(&mut t, text).unwrap();
            let d = *t.get(id);
            assert_eq!((d.size, d.align, d.scalars), (size, align, scalars), "{text}");
        }
        let mut leaves = Vec::new();
        let id = parse(&mut t, "{ i8, i100 }").unwrap();
        t.flatten(id, 0, &mut leaves);
        let leaves: Vec<(u32, u64)> = leaves.iter().map(|l| (l.ir.bits(), l.offset)).collect();
        assert_eq!(leaves, [(8, 0), (32, 16), (32, 20), (32, 24), (4, 28)]);
        let e = parse(&mut t, "<2 x i128>").unwrap_err();
        assert!(e.message().contains("more than 64 bits"), "{e}");
    }

    #[test]
    fn refused() {
        let mut t = table();
        t.complete().unwrap();
        let deep = "[1 x ".repeat(100_000);
        let cases = [
            ("ptr addrspace(270)", "of another width"),
            ("i0", "1 to 4096"),
            ("i4097", "1 to 4096"),
            ("i99999999999", "1 to 4096"),
            ("<4 x i129>", "vectors of integers of more than"),
            ("<4 x i24>", "lane type"),
            ("<vscale x 4 x i32>", "scalable"),
            ("[18446744073709551615 x i64]", "2^60"),
            ("%nope", "not defined"),
            (deep.as_str(), "nested"),
            ("[4 x i8", "`]`"),
            ("", "a type"),
        ];
        for (text, part) in cases {
            let e = parse(&mut t, text).unwrap_err();
            assert!(e.message().contains(part), "{e}");
        }
        let mut t = table();
        t.parse_definition(&mut Cursor::new(b"%a = type { %b }", 0)).unwrap();
        t.parse_definition(&mut Cursor::new(b"%b = type { [2 x %a] }", 0)).unwrap();
        assert!(t.complete().unwrap_err().contains("contains itself"));
    }
}
