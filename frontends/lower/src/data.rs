//! Contents of variables: converts constants to bytes and relocations.

use std::ops::Range;

use gusset_abi::Endian;
use gusset_codegen::ir::{
    ConstData, DataObject, DataReloc, FunctionBuilder, Module, Opcode, RelocBase, Structor, SymbolId, Type, Value,
    ValueDef,
};
use gusset_codegen::sparse::{OutOfMemory, SparseBytes};
use gusset_program::{I32, Kind, MAX_DEPTH, PTR, Refusal, Result, Sink, TypeId, TypeTable, Val, refuse_if};

use crate::function::FunctionLowering;

/// Largest offset of contents, in bytes; data with more are refused.
const MAX_CONTENTS: u64 = 1 << 31;

/// The meaning of an expression to the linker.
#[derive(Clone, Copy, Debug)]
enum Link {
    Bits(u128),
    Address(SymbolId, i64),
    /// The lower 32 bits of an address.
    LowHalf(SymbolId, i64),
    /// The distance between two addresses.
    Distance(SymbolId, SymbolId, i64),
}

/// Most bytes of each of the constants before a function that identify its type.
pub const MAX_TYPE_HASH: u64 = 1 << 10;

/// Appends data to other data.
pub fn append(data: &mut DataObject, more: DataObject) -> std::result::Result<(), OutOfMemory> {
    data.bytes.fill_to(data.size)?;
    data.bytes.append(&more.bytes, 0..more.bytes.len())?;
    data.relocs.extend(more.relocs.iter().map(|r| DataReloc { offset: r.offset + data.size, ..*r }));
    data.size += more.size;
    Ok(())
}

/// Puts bytes into data.
pub fn put_bytes(data: &mut DataObject, offset: u64, bytes: &[u8]) -> Result<()> {
    check_contents(offset, bytes.len() as u64)?;
    Ok(data.bytes.put(offset, bytes)?)
}

/// Stores bytes into data; many bytes are not copied if the data ends before them.
pub fn put_vec(data: &mut DataObject, offset: u64, bytes: Vec<u8>) -> Result<()> {
    if offset < data.bytes.len() {
        return put_bytes(data, offset, &bytes);
    }
    check_contents(offset, bytes.len() as u64)?;
    data.bytes.fill_to(offset)?;
    Ok(data.bytes.extend_vec(bytes)?)
}

/// Stores a range of other bytes into data.
pub fn put_range(data: &mut DataObject, offset: u64, (bytes, range): (&SparseBytes, Range<u64>)) -> Result<()> {
    check_contents(offset, range.end - range.start)?;
    if offset < data.bytes.len() {
        let mut at = offset;
        return bytes.range(range).try_for_each(|piece| {
            piece.chunks(|chunk| {
                data.bytes.put(at, chunk)?;
                at += chunk.len() as u64;
                Ok(())
            })
        });
    }
    data.bytes.fill_to(offset)?;
    Ok(data.bytes.append(bytes, range)?)
}

fn check_contents(offset: u64, len: u64) -> Result<()> {
    refuse_if(offset + len > MAX_CONTENTS, "initialized data of 2 GB and more are not supported")
}

/// Stores the lowest `width` bits of a number, whose words begin with the lowest, into bytes from a bit on; the bits
/// must be zero there.
pub fn put_bits(bytes: &mut Vec<u8>, at: u64, words: &[u64], width: u64) {
    let end = (at + width).div_ceil(8) as usize;
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    let mut done = 0;
    while done < width {
        // As many bits as fit the byte, or as the word still has.
        let (to, from) = ((at + done) % 8, done % 64);
        let n = (8 - to).min(64 - from).min(width - done);
        let word = words.get((done / 64) as usize).copied().unwrap_or(0);
        let piece = word >> from & ((1 << n) - 1);
        bytes[((at + done) / 8) as usize] |= (piece << to) as u8;
        done += n;
    }
}

/// The symbol of a variable that has none, such as the special variables below.
pub const NO_SYMBOL: SymbolId = SymbolId(u32::MAX);

/// Whether a variable is special: it speaks to the compiler or linker (LangRef, "Intrinsic Global Variables").
pub fn is_special(name: &[u8]) -> bool {
    matches!(name, b"llvm.used" | b"llvm.compiler.used" | b"llvm.global_ctors" | b"llvm.global_dtors")
}

/// How many addresses an element of a special variable has if the type is that of one: an array of addresses, or of priorities, functions,
/// and associated data. What bitcode from before LLVM 3.5 says of functions has no associated data.
fn addresses_of_special(name: &[u8], ty: TypeId, types: &TypeTable) -> Option<u64> {
    let Kind::Array { element, .. } = types.get(ty).kind else { return None };
    let lists = matches!(name, b"llvm.used" | b"llvm.compiler.used");
    match types.get(element).kind {
        Kind::Ptr if lists => Some(1),
        Kind::Struct { start, len, .. } if !lists => {
            let members = || types.members(start, len).iter().map(|m| m.ty);
            if members().eq([I32, PTR, PTR]) { Some(2) } else { members().eq([I32, PTR]).then_some(1) }
        }
        _ => None,
    }
}

/// Takes the contents of a special variable of type `ty`. Those of `old` files may have no associated data.
///
/// # Errors
/// The variable's type is not the one that LLVM's language reference gives it, or an address in it is null.
pub fn take_special(
    module: &mut Module,
    name: &[u8],
    (ty, data): (TypeId, &DataObject),
    (types, endian, old): (&TypeTable, Endian, bool),
) -> Result<()> {
    let addresses = addresses_of_special(name, ty, types);
    let structors = matches!(name, b"llvm.global_ctors" | b"llvm.global_dtors");
    let addresses = addresses.filter(|&addresses| addresses == 2 || !structors || old);
    let addresses =
        addresses.ok_or_else(|| Refusal::new("the type is not the one that variables of this name have"))?;
    let symbols = data.relocs.iter().map(|r| r.symbol);
    match name {
        b"llvm.used" | b"llvm.compiler.used" if data.relocs.len() as u64 * types.get(PTR).size != data.size => {
            return Err(Refusal::new("an element is not the address of a function or variable"));
        }
        b"llvm.used" => module.used.extend(symbols),
        b"llvm.compiler.used" => module.compiler_used.extend(symbols),
        b"llvm.global_ctors" | b"llvm.global_dtors" => {
            let bytes = data.bytes.to_vec()?;
            let pointer = data.relocs.first().map_or(8, |r| r.size as u64);
            let stride = pointer * (1 + addresses);
            let entries = (0..data.size / stride).filter_map(|i| {
                let at = i * stride;
                let reloc = |at| data.relocs.binary_search_by_key(&at, |r| r.offset);
                let symbol = |at| Some(data.relocs[reloc(at).ok()?].symbol);
                let (function, with) =
                    (symbol(at + pointer)?, if addresses == 2 { symbol(at + 2 * pointer) } else { None });
                let mut raw = [0; 4];
                raw.copy_from_slice(bytes.get(at as usize..at as usize + 4)?);
                Some(Structor { priority: endian.read_u32(raw), function, with })
            });
            let list = if name == b"llvm.global_ctors" { &mut module.ctors } else { &mut module.dtors };
            list.extend(entries);
        }
        _ => {}
    }
    Ok(())
}

impl FunctionLowering<'_> {
    /// Begins expressions outside of functions: those that do not fold at once become instructions, and are then
    /// evaluated as a whole.
    pub fn begin_constants(&mut self) {
        let block = self.b.create_block();
        self.b.switch_to(block);
        self.set_frozen(false);
    }

    /// The order of bytes in memory.
    pub fn endian(&self) -> Endian {
        self.m.target.endian
    }

    /// Puts a number into data.
    pub fn put_number(&self, data: &mut DataObject, offset: u64, ty: TypeId, bits: u128) -> Result<()> {
        self.put_word(data, offset, self.types.ir(ty), bits)
    }

    /// Stores a constant of a type into data.
    pub fn put_value(&self, data: &mut DataObject, offset: u64, ty: TypeId, val: Val) -> Result<()> {
        let ir = self.types.ir(ty);
        if let Kind::Vector { lane, .. } = self.types.get(ty).kind {
            if ir == Type::VOID {
                let lanes = &self.s.aggregates[val.start()..][..self.scalars(ty)];
                return self.put_lanes(data, offset, self.types.ir(lane), lanes);
            }
            return self.put_vector(data, offset, ir, val.value());
        }
        if ir.is_int()
            && let Some(ConstData::Vector { start, len }) = self.b.func.constant(val.value())
        {
            let words = self.b.func.vector_lanes(start, len).filter_map(|w| self.b.func.int_constant(w));
            let mut bytes: Vec<u8> = words.flat_map(|w| (w as u64).to_le_bytes()).collect();
            bytes.truncate(ir.store_bytes() as usize);
            self.m.target.endian.order(&mut bytes);
            return put_bytes(data, offset, &bytes);
        }
        if ir != Type::VOID {
            let link = match self.thread_local(data, val.value()) {
                Some(symbol) => Link::Address(symbol, 0),
                None => link_value(&self.b, val.value())?,
            };
            return self.put_link(data, offset, ir, link);
        }
        if self.contents {
            return self.put_contents(data, offset, val);
        }
        let mut leaves = Vec::new();
        self.types.flatten(ty, 0, &mut leaves);
        let mut i = 0;
        while let Some(leaf) = leaves.get(i) {
            let at = offset + leaf.offset;
            if leaf.lanes > 0 {
                let lanes = &self.s.aggregates[val.start() + i..][..leaf.lanes as usize];
                self.put_lanes(data, at, leaf.ir, lanes)?;
                i += leaf.lanes as usize;
                continue;
            }
            let part = self.part(ty, val, i);
            i += 1;
            if leaf.ir.is_vector() {
                self.put_vector(data, at, leaf.ir, part)?;
                continue;
            }
            let link = link_value(&self.b, part)?;
            self.put_link(data, at, leaf.ir, link)?;
        }
        Ok(())
    }

    /// The thread-local variable that a special variable names. Other data cannot contain its address, except the
    /// address of its initial contents on Windows, which rustc stores into the variables for imports (`__imp_`), needed
    /// or not.
    fn thread_local(&self, data: &DataObject, v: Value) -> Option<SymbolId> {
        let f = &*self.b.func;
        let ValueDef::Inst(i) = f.value_def(v) else { return None };
        let d = f.inst(i);
        let there = data.symbol == NO_SYMBOL || self.m.target.is_windows();
        (d.op == Opcode::TlsAddr && there).then_some(SymbolId(d.a))
    }

    fn put_vector(&self, data: &mut DataObject, offset: u64, ir: Type, v: Value) -> Result<()> {
        let (start, len) = match self.b.func.constant(v) {
            Some(ConstData::Vector { start, len }) => (start, len),
            Some(ConstData::Poison) => return Ok(()),
            _ => return Err(Refusal::new("the initializer is not a constant")),
        };
        let lanes: Vec<Value> = self.b.func.vector_lanes(start, len).collect();
        self.put_lanes(data, offset, ir.lane(), &lanes)
    }

    /// Stores the lanes of a vector into data.
    fn put_lanes(&self, data: &mut DataObject, offset: u64, lane: Type, lanes: &[Value]) -> Result<()> {
        let (bits, big) = (u64::from(lane.bits()), self.m.target.endian.is_big());
        // Lanes that are not whole bytes share bytes. They are as those of a number, of which the first lane is the lowest
        // digit, or the highest in big-endian memory.
        let mut shared = Vec::new();
        for (i, &v) in lanes.iter().enumerate() {
            let at = i as u64 * bits;
            let digit = if big { (lanes.len() - 1 - i) as u64 * bits } else { at };
            if bits > 128 {
                let words: Option<Vec<u64>> =
                    (0..lane.bits().div_ceil(64)).map(|k| self.b.func.constant_word(v, k)).collect();
                let words = words.ok_or_else(|| Refusal::new("the initializer is not a constant"))?;
                put_bits(&mut shared, digit, &words, bits);
                continue;
            }
            match link_value(&self.b, v)? {
                Link::Bits(n) if !bits.is_multiple_of(8) => {
                    put_bits(&mut shared, digit, &[n as u64, (n >> 64) as u64], bits)
                }
                link => self.put_link(data, offset + at / 8, lane, link)?,
            }
        }
        self.m.target.endian.order(&mut shared);
        put_bytes(data, offset, &shared)
    }

    fn put_word(&self, data: &mut DataObject, offset: u64, ir: Type, bits: u128) -> Result<()> {
        let width = ir.bits();
        let bits = if width < 128 { bits & ((1 << width) - 1) } else { bits };
        let n = ir.store_bytes() as usize;
        if self.m.target.endian.is_big() {
            put_bytes(data, offset, &vec![0; n.saturating_sub(16)])?;
            return put_bytes(data, offset + n.saturating_sub(16) as u64, &bits.to_be_bytes()[16 - n.min(16)..]);
        }
        let bytes = bits.to_le_bytes();
        put_bytes(data, offset, &bytes[..n.min(16)])?;
        if n > 16 {
            put_bytes(data, offset + 16, &vec![0; n - 16])?;
        }
        Ok(())
    }

    fn put_link(&self, data: &mut DataObject, offset: u64, ir: Type, link: Link) -> Result<()> {
        let bytes = ir.store_bytes();
        let (symbol, addend, base) = match link {
            Link::Bits(n) => return self.put_word(data, offset, ir, n),
            Link::Address(s, addend) => {
                if bytes > self.ptr.store_bytes() {
                    self.put_word(data, offset, ir, 0)?;
                    let low = self.m.target.endian.place(0, self.ptr.store_bytes(), bytes);
                    return self.put_link(data, offset + u64::from(low), self.ptr, link);
                }
                refuse_if(bytes * 8 != self.ptr.bits(), "an address fits only what is as wide as a pointer")?;
                (s, addend, RelocBase::Zero)
            }
            // The linker checks that it fits.
            Link::LowHalf(s, addend) => (s, addend, RelocBase::Zero),
            // A distance from this object is relative to the relocation itself.
            Link::Distance(s, from, addend) if from == data.symbol => {
                (s, addend.wrapping_add(offset as i64), RelocBase::Field)
            }
            Link::Distance(s, from, addend) => (s, addend, RelocBase::Symbol(from)),
        };
        refuse_if(bytes != 4 && bytes != 8, "an address or distance has 4 or 8 bytes")?;
        put_bytes(data, offset, &[0; 8][..bytes as usize])?;
        data.relocs.push(DataReloc { offset, size: bytes as u8, symbol, addend, base });
        Ok(())
    }
}

fn link_value_at(b: &FunctionBuilder<'_>, v: Value, depth: u32) -> Option<Link> {
    let f = &*b.func;
    if depth > MAX_DEPTH {
        return None;
    }
    match f.value_def(v) {
        ValueDef::Const => match f.constant(v)? {
            ConstData::Int(n) | ConstData::Float(n) => Some(Link::Bits(n)),
            ConstData::Symbol(s, off) => Some(Link::Address(s, off)),
            ConstData::Poison => Some(Link::Bits(0)),
            ConstData::Vector { .. } => None,
        },
        ValueDef::Inst(i) => {
            let d = f.inst(i);
            let [x, y] = [d.a, d.b].map(|v| move || link_value_at(b, Value(v), depth + 1));
            // The lower halves of two addresses determine the lower half of their distance.
            let of_distance = |v: u32| link_value_at(b, whole_address(b, Value(v)), depth + 1);
            match d.op {
                Opcode::Isub => match (of_distance(d.a)?, of_distance(d.b)?) {
                    (Link::Address(s, x), Link::Address(t, y)) if s == t => Some(Link::Bits(x.wrapping_sub(y) as u128)),
                    (Link::Address(s, x), Link::Address(t, y)) => Some(Link::Distance(s, t, x.wrapping_sub(y))),
                    (Link::Distance(s, t, x), Link::Bits(n)) => Some(Link::Distance(s, t, x.wrapping_sub(n as i64))),
                    _ => None,
                },
                Opcode::Iadd => match (x()?, y()?) {
                    (Link::Distance(s, t, x), Link::Bits(n)) | (Link::Bits(n), Link::Distance(s, t, x)) => {
                        Some(Link::Distance(s, t, x.wrapping_add(n as i64)))
                    }
                    _ => None,
                },
                Opcode::Zext => x().filter(|link| matches!(link, Link::Address(..))),
                Opcode::Trunc if d.ty == Type::I32 => match x()? {
                    Link::Distance(s, t, x) => Some(Link::Distance(s, t, x)),
                    Link::Address(s, x) => Some(Link::LowHalf(s, x)),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// The value of which a 32-bit number is the truncation, or the number itself.
fn whole_address(b: &FunctionBuilder<'_>, v: Value) -> Value {
    let f = &*b.func;
    match f.value_def(v) {
        ValueDef::Inst(i) if f.inst(i).op == Opcode::Trunc && f.value_type(v) == Type::I32 => Value(f.inst(i).a),
        _ => v,
    }
}

/// The meaning of a value to the linker, including the instructions of its expression.
fn link_value(b: &FunctionBuilder<'_>, v: Value) -> Result<Link> {
    link_value_at(b, v, 0)
        .ok_or_else(|| Refusal::new("the initializer is not a number, an address or a distance of addresses"))
}
