//! MLIR's types: read, interned, and converted to LLVM's.
//!
//! MLIR Language Reference, "Type System"; "LLVM IR Target", sections "Conversion to the LLVM Dialect" and "Memref Types".

use std::collections::HashMap;
use std::sync::Arc;

use gusset_abi::memref::Float8;
use gusset_program::{
    BF16, F16, F32, F64, F80, F128, Foreign, I8, Kind as LlvmKind, MAX_DEPTH, MAX_SCALARS, PTR, Refusal, TypeId,
    TypeTable, VOID,
};
use gusset_text::{Placed, Result};

use crate::syntax::lexer::{Cursor, NAMES, Tokens};
use crate::syntax::types::layout::Layout;
use crate::syntax::types::layout::{Memref, natural_strides};

pub(crate) mod affine;
pub(crate) mod builtin;
pub(crate) mod layout;
mod llvm;
mod quoted;
mod ty;

use ty::OWN;
pub(crate) use ty::{DYNAMIC, INDEX, NONE, Ty};

/// The kinds of types that LLVM does not have.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Index,
    None,
    /// An integer whose type is signed or unsigned.
    Integer {
        bits: u32,
        signed: bool,
    },
    /// A floating-point number of eight bits, on which no operation computes: the byte in which it is stored.
    Float8(Float8),
    Complex(Ty),
    /// A vector with several dimensions, or of indexes. No dimension means one lane.
    Vector {
        dims: Vec<u32>,
        lane: Ty,
    },
    Memref(Memref),
    Unranked {
        element: Ty,
        space: u32,
    },
    Function {
        inputs: Vec<Ty>,
        results: Vec<Ty>,
    },
    /// A type of a registered dialect: its text, and the type that the dialect gives it.
    Custom {
        text: Box<[u8]>,
        ty: TypeId,
    },
    /// A type that is not converted: the reason, and its text.
    Foreign {
        why: &'static str,
        text: Box<[u8]>,
    },
}

#[derive(Clone, Debug)]
struct Data {
    kind: Kind,
    /// The values of which it consists.
    parts: Vec<TypeId>,
    /// All of them as one LLVM type.
    whole: TypeId,
}

/// Longest chain of aliases that is followed.
const MAX_ALIASES: u32 = 64;

/// Number of slots for types by their spelling.
const SPELLED: usize = 256;

/// The spelling of a type that ends with an angle bracket, and the type.
#[derive(Clone, Copy, Debug, Default)]
struct Spelled {
    /// The address of the source.
    source: usize,
    start: usize,
    len: usize,
    ty: Ty,
    /// Whether a type of MLIR's own occurs in it.
    converted: bool,
}

impl Spelled {
    /// The slot for the type that begins here.
    fn place(src: &[u8], start: usize) -> usize {
        let first = &src[start..src.len().min(start + 32)];
        gusset_text::hash_bytes(first) as usize % SPELLED
    }

    /// Whether the same text is here. It is in brackets, so that it ends at the same byte.
    fn is_at(&self, src: &[u8], start: usize) -> bool {
        let own = src.get(self.start..self.start + self.len);
        self.len > 0 && self.source == src.as_ptr().addr() && own.is_some() && own == src.get(start..start + self.len)
    }
}

/// The types of a module, as spelled and as LLVM's.
#[derive(Clone)]
pub(crate) struct Types {
    /// The integer type of `index`.
    pub index: TypeId,
    data: Vec<Data>,
    known: HashMap<Kind, Ty>,
    /// Named structs.
    structs: HashMap<Vec<u8>, TypeId>,
    /// Structs, memrefs and vectors by a hash of their first bytes: position of the spelling, and type.
    spelled: Vec<Spelled>,
    /// Positions of the types and attributes of aliases.
    aliases: HashMap<Vec<u8>, usize>,
    /// The dialects with types of their own, and the conversion of these by their text.
    dialects: Arc<dyn ForeignTypes>,
    custom: HashMap<Box<[u8]>, Ty>,
    depth: u32,
    /// Whether a type of MLIR's own was read inside one of LLVM's since this was cleared.
    converted: bool,
    /// The pointee of the first typed pointer that was read since this was cleared.
    pub pointee: Option<Pointee>,
}

/// The types of registered dialects.
pub(crate) trait ForeignTypes: Send + Sync {
    /// Whether there is a dialect of this name.
    fn has_dialect(&self, name: &[u8]) -> bool;

    /// The LLVM type of a dialect's type: `names` are those of the dialect and of the type, `parameters` the positions of
    /// its parameters in the text.
    fn convert_type(
        &self,
        names: (&[u8], &str),
        src: &[u8],
        parameters: Vec<(usize, usize)>,
        types: (&mut Types, &mut TypeTable),
    ) -> gusset_program::Result<TypeId>;
}

/// Position of a pointee.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pointee {
    /// In MLIR's spelling, from here on.
    Spelled(usize),
    /// In LLVM's old spelling: the first byte and the end.
    Text(usize, usize),
}

const SPACE: &str = "its memory space is no number: convert that first";
const LAYOUT: &str = "its layout is no sum of strides and an offset (`normalize-memrefs` removes such layouts)";
const TENSOR: &str = "tensors have no memory of their own: bufferize first (`one-shot-bufferize`)";

impl Types {
    /// An empty table; `index` is an integer type.
    pub fn new(llvm: &mut TypeTable, index: TypeId, dialects: Arc<dyn ForeignTypes>) -> gusset_program::Result<Types> {
        let mut types = Types {
            index,
            data: Vec::new(),
            known: HashMap::new(),
            structs: HashMap::new(),
            spelled: vec![Spelled::default(); SPELLED],
            aliases: HashMap::new(),
            dialects,
            custom: HashMap::new(),
            depth: 0,
            converted: false,
            pointee: None,
        };
        types.intern(llvm, Kind::Index)?;
        types.intern(llvm, Kind::None)?;
        Ok(types)
    }

    /// Records the position of the type or attribute of an alias, whose name includes its sigil.
    pub fn alias(&mut self, name: &[u8], pos: usize) {
        self.aliases.insert(name.to_vec(), pos);
    }

    /// The position of the attribute of an alias; the cursor is at the alias's hash.
    pub fn attribute_alias(&self, c: &Cursor) -> Option<usize> {
        let len = Cursor::new(c.src, c.pos + 1).word_len();
        self.aliases.get(&c.src[c.pos..c.pos + 1 + len]).copied()
    }

    /// The cursor, or one at the attribute of the alias that is at the cursor.
    #[inline]
    pub fn resolve<'s>(&self, c: Cursor<'s>) -> Cursor<'s> {
        if c.peek() == b'#' { self.resolve_alias(c) } else { c }
    }

    fn resolve_alias<'s>(&self, mut c: Cursor<'s>) -> Cursor<'s> {
        for _ in 0..MAX_ALIASES {
            match (c.peek() == b'#').then(|| self.attribute_alias(&c)).flatten() {
                Some(pos) => c = Cursor::new(c.src, pos),
                None => break,
            }
        }
        c
    }

    /// The kind of a type of MLIR's own.
    pub fn own(&self, ty: Ty) -> Option<&Kind> {
        self.data.get((ty.0 ^ OWN) as usize).map(|d| &d.kind)
    }

    pub fn memref(&self, ty: Ty) -> Option<&Memref> {
        match self.own(ty)? {
            Kind::Memref(m) => Some(m),
            _ => None,
        }
    }

    /// The types of the values of which a value of a type consists.
    pub fn parts(&self, ty: Ty) -> &[TypeId] {
        match ty.llvm() {
            // A list of one: an LLVM type is its own only part.
            Some(_) => &[],
            None => &self.data[(ty.0 ^ OWN) as usize].parts,
        }
    }

    /// Their number.
    #[inline]
    pub fn count(&self, ty: Ty) -> usize {
        if ty.llvm().is_some() { 1 } else { self.parts(ty).len() }
    }

    /// The type of part `i`.
    #[inline]
    pub fn part(&self, ty: Ty, i: usize) -> TypeId {
        ty.llvm().unwrap_or_else(|| self.parts(ty)[i])
    }

    /// The LLVM type of a value as a whole.
    #[inline]
    pub fn whole(&self, ty: Ty) -> TypeId {
        ty.llvm().unwrap_or_else(|| self.data[(ty.0 ^ OWN) as usize].whole)
    }

    /// The message that values of a type cannot be converted, if they cannot.
    #[inline]
    pub fn refusal(&self, ty: Ty) -> Option<String> {
        if ty.llvm().is_some() { None } else { self.foreign_message(ty) }
    }

    fn foreign_message(&self, ty: Ty) -> Option<String> {
        let (why, text) = self.foreign(ty)?;
        Some(format!("the type `{}` is not converted: {why}", String::from_utf8_lossy(text)))
    }

    /// Why values of a type cannot be converted, if they cannot, and the spelling of the type that is the reason.
    pub fn foreign(&self, ty: Ty) -> Option<(&'static str, &[u8])> {
        match self.own(ty)? {
            Kind::Foreign { why, text } => Some((why, text)),
            Kind::Complex(lane) | Kind::Vector { lane, .. } => self.foreign(*lane),
            Kind::Memref(Memref { element, .. }) | Kind::Unranked { element, .. } => self.foreign(*element),
            _ => None,
        }
    }

    /// The type of the members of a struct that may be a complex number: it has two of one type.
    pub fn complex_lane(&self, llvm: &TypeTable, ty: TypeId) -> Option<TypeId> {
        let LlvmKind::Struct { start, len: 2, packed: false } = llvm.get(ty).kind else { return None };
        let members = llvm.members(start, 2);
        let lane = members[0].ty;
        (lane == members[1].ty && matches!(llvm.get(lane).kind, LlvmKind::Float | LlvmKind::Int)).then_some(lane)
    }

    /// The type of lanes or elements, if it has some.
    pub fn element(&self, llvm: &TypeTable, ty: Ty) -> Option<Ty> {
        match ty.llvm() {
            Some(id) => match llvm.get(id).kind {
                LlvmKind::Vector { lane, .. } => Some(Ty::of(lane)),
                _ => None,
            },
            None => match self.own(ty)? {
                Kind::Complex(t) | Kind::Vector { lane: t, .. } => Some(*t),
                Kind::Memref(m) => Some(m.element),
                Kind::Unranked { element, .. } => Some(*element),
                _ => None,
            },
        }
    }

    /// Dimensions and lanes of a vector.
    pub fn vector_of(&self, llvm: &TypeTable, ty: Ty) -> Option<(Vec<u32>, Ty)> {
        match ty.llvm() {
            Some(id) => match llvm.get(id).kind {
                // A scalable vector cannot be processed lane by lane.
                LlvmKind::Vector { .. } if llvm.foreign(id).is_some() => None,
                LlvmKind::Vector { lane, len } => Some((vec![len], Ty::of(lane))),
                _ => None,
            },
            None => match self.own(ty)? {
                Kind::Vector { dims, lane } => Some((dims.clone(), *lane)),
                _ => None,
            },
        }
    }

    // Making types.

    fn intern(&mut self, llvm: &mut TypeTable, kind: Kind) -> gusset_program::Result<Ty> {
        if let Some(&ty) = self.known.get(&kind) {
            return Ok(ty);
        }
        let index = self.index;
        let (parts, whole) = match &kind {
            Kind::Index => (vec![index], index),
            Kind::Integer { bits, .. } => {
                let ty = llvm.integer(*bits)?;
                (vec![ty], ty)
            }
            Kind::Float8(_) => (vec![I8], I8),
            Kind::None | Kind::Foreign { .. } => (Vec::new(), VOID),
            Kind::Function { .. } => (vec![PTR], PTR),
            Kind::Custom { ty, .. } => (vec![*ty], *ty),
            Kind::Complex(lane) => {
                let lane = self.whole(*lane);
                (vec![lane; 2], llvm.structure(&[lane; 2], false)?)
            }
            Kind::Unranked { .. } => (vec![index, PTR], llvm.structure(&[index, PTR], false)?),
            Kind::Memref(m) => {
                let rank = m.rank();
                let mut members = vec![PTR, PTR, index];
                if rank > 0 {
                    let array = llvm.array(index, rank as u64)?;
                    members.extend([array; 2]);
                }
                let whole = llvm.structure(&members, false)?;
                let parts = [PTR, PTR].into_iter().chain(std::iter::repeat_n(index, 1 + 2 * rank)).collect();
                (parts, whole)
            }
            Kind::Vector { dims, lane } => {
                let lane = self.whole(*lane);
                let mut whole = llvm.vector(lane, dims.last().copied().unwrap_or(1))?;
                let row = whole;
                let outer = &dims[..dims.len().saturating_sub(1)];
                for &n in outer.iter().rev() {
                    whole = llvm.array(whole, n.into())?;
                }
                let rows = outer.iter().try_fold(1usize, |n, &d| n.checked_mul(d as usize));
                let rows = rows.filter(|&n| n <= MAX_SCALARS as usize);
                let many = || Refusal::new(format!("vectors of more than {MAX_SCALARS} rows are not supported"));
                let rows = rows.ok_or_else(many)?;
                (vec![row; rows], whole)
            }
        };
        let ty = Ty(OWN | self.data.len() as u32);
        self.data.push(Data { kind: kind.clone(), parts, whole });
        self.known.insert(kind, ty);
        Ok(ty)
    }

    /// The vector type with these dimensions.
    pub fn vector(&mut self, llvm: &mut TypeTable, dims: &[u32], lane: Ty) -> gusset_program::Result<Ty> {
        if let (&[len], Some(lane)) = (dims, lane.llvm()) {
            return llvm.vector(lane, len).map(Ty::of);
        }
        self.intern(llvm, Kind::Vector { dims: dims.to_vec(), lane })
    }

    pub fn complex(&mut self, llvm: &mut TypeTable, lane: Ty) -> gusset_program::Result<Ty> {
        self.intern(llvm, Kind::Complex(lane))
    }

    pub fn ranked(&mut self, llvm: &mut TypeTable, memref: Memref) -> gusset_program::Result<Ty> {
        self.intern(llvm, Kind::Memref(memref))
    }

    pub fn function(&mut self, llvm: &mut TypeTable, inputs: Vec<Ty>, results: Vec<Ty>) -> gusset_program::Result<Ty> {
        self.intern(llvm, Kind::Function { inputs, results })
    }

    // Reading types.

    /// Reads a type.
    #[inline]
    pub fn parse(&mut self, llvm: &mut TypeTable, c: &mut Cursor) -> Result<Ty> {
        // Most types are pointers.
        if let Some(&[b'!', b'l', b'l', b'v', b'm', b'.', b'p', b't', b'r', next]) = c.chunk()
            && next != b'<'
            && !NAMES[next as usize]
        {
            c.pos += b"!llvm.ptr".len();
            c.ws_after_token();
            return Ok(Ty::of(PTR));
        }
        // Then come integers.
        if c.peek() == b'i' {
            let start = c.pos;
            match c.numbered(b'i', 128, &NAMES) {
                Some(bits @ 1..) => return Ok(Ty::of(TypeTable::int(bits))),
                _ => c.pos = start,
            }
        }
        self.parse_any(llvm, c)
    }

    fn parse_any(&mut self, llvm: &mut TypeTable, c: &mut Cursor) -> Result<Ty> {
        let (key, len) = c.peek_key();
        let pos = c.pos;
        if key != 0
            && let Some(ty) = self.simple(key as u64, len, c)
        {
            c.bump(len);
            return Ok(ty);
        }
        if self.depth >= MAX_DEPTH {
            return Err(c.error(format!("the type is nested deeper than {MAX_DEPTH}")));
        }
        self.depth += 1;
        let ty = self.other(llvm, c, pos);
        self.depth -= 1;
        ty
    }

    /// Reads a number type by its word.
    #[inline]
    fn simple(&mut self, key: u64, len: usize, c: &Cursor) -> Option<Ty> {
        const F: u64 = b'f' as u64;
        if key & 0xff == b'i' as u64 && len <= 4 {
            let digits = &c.src[c.pos + 1..c.pos + len];
            let bits = digits.iter().try_fold(0u32, |n, &b| b.is_ascii_digit().then(|| n * 10 + u32::from(b - b'0')));
            return bits.filter(|&n| (1..=128).contains(&n)).map(|n| Ty::of(TypeTable::int(n)));
        }
        if key & 0xff == F || len >= 4 {
            return match &c.src[c.pos..c.pos + len] {
                b"f16" => Some(Ty::of(F16)),
                b"f32" => Some(Ty::of(F32)),
                b"f64" => Some(Ty::of(F64)),
                b"f80" => Some(Ty::of(F80)),
                b"f128" => Some(Ty::of(F128)),
                b"bf16" => Some(Ty::of(BF16)),
                b"index" => Some(INDEX),
                b"none" => Some(NONE),
                _ => None,
            };
        }
        None
    }

    fn other(&mut self, llvm: &mut TypeTable, c: &mut Cursor, pos: usize) -> Result<Ty> {
        match c.peek() {
            b'!' => {
                c.pos += 1;
                self.dialect(llvm, c, pos)
            }
            // As the dialect `ptr` prints its own types.
            b'<' => self.pointer_type(llvm, c, pos),
            b'(' => {
                let (mut inputs, mut results) = (Vec::new(), Vec::new());
                self.list(llvm, c, &mut inputs)?;
                c.expect_arrow()?;
                self.results(llvm, c, &mut results)?;
                self.function(llvm, inputs, results).at(c.src, pos)
            }
            _ => {
                let word = c.peek_word();
                c.unexpected_if(word.is_empty(), pos, "a type")?;
                c.bump(word.len());
                self.named(llvm, word, c, pos)
            }
        }
    }

    /// Reads a type that ends with an angle bracket, and whose spelling begins at `start`, unless the same spelling was
    /// read before.
    fn spelled(
        &mut self,
        c: &mut Cursor,
        start: usize,
        read: impl FnOnce(&mut Self, &mut Cursor) -> Result<Ty>,
    ) -> Result<Ty> {
        let place = Spelled::place(c.src, start);
        let known = self.spelled[place];
        if known.is_at(c.src, start) {
            c.pos = start + known.len;
            c.ws();
            self.converted |= known.converted;
            return Ok(known.ty);
        }
        let around = std::mem::take(&mut self.converted);
        let ty = read(self, c)?;
        let converted = self.converted;
        self.converted |= around;
        // The white space after it is no part of it.
        let text = c.src[start..c.pos].trim_ascii_end();
        if text.ends_with(b">") {
            self.spelled[place] = Spelled { source: c.src.as_ptr().addr(), start, len: text.len(), ty, converted };
        }
        Ok(ty)
    }

    /// Reads types in parentheses, and appends them to `all`.
    pub fn list(&mut self, llvm: &mut TypeTable, c: &mut Cursor, all: &mut Vec<Ty>) -> Result<()> {
        c.expect_bracket(b'(')?;
        let mut more = !c.eat(b')');
        while more {
            all.push(self.parse(llvm, c)?);
            more = c.more(b')')?;
        }
        Ok(())
    }

    /// Reads the results of a function type, a list or one type, and appends them to `all`.
    pub fn results(&mut self, llvm: &mut TypeTable, c: &mut Cursor, all: &mut Vec<Ty>) -> Result<()> {
        if c.peek() == b'(' {
            return self.list(llvm, c, all);
        }
        all.push(self.parse(llvm, c)?);
        Ok(())
    }

    /// Reads a type of a dialect, or an alias, after the exclamation mark.
    fn dialect(&mut self, llvm: &mut TypeTable, c: &mut Cursor, pos: usize) -> Result<Ty> {
        let word = c.peek_word();
        c.bump(word.len());
        if let Some(name) = word.strip_prefix(b"llvm.") {
            return self.llvm_named(llvm, name, c, pos).map(Ty::of);
        }
        if word == b"llvm" && c.peek() == b'<' {
            // An old spelling, before MLIR had LLVM's types: `!llvm<"i8*">`.
            c.expect(b'<')?;
            let text = c.quoted()?;
            c.expect(b'>')?;
            return self.quoted(llvm, text, c, pos).map(Ty::of);
        }
        if let Some(&at) = self.aliases.get(&c.src[pos..pos + 1 + word.len()]) {
            let mut there = Cursor::new(c.src, at);
            return self.parse(llvm, &mut there);
        }
        if !word.contains(&b'.') && c.peek() != b'<' {
            let name = String::from_utf8_lossy(word);
            return Err(c.error_at(pos, format!("the type alias `!{name}` is not defined")));
        }
        if word == b"ptr.ptr" {
            return self.pointer_type(llvm, c, pos);
        }
        let open = c.pos;
        if c.peek() == b'<' {
            c.skip_group()?;
        }
        let prefix = word.split(|&b| b == b'.').next().unwrap_or(word);
        if self.dialects.has_dialect(prefix) {
            return self.custom_type(llvm, (prefix, &word[prefix.len()..]), c, (pos, open));
        }
        self.foreign_type(llvm, "it is a type of another dialect, which is not converted", c, pos)
    }

    /// Reads `<#ptr.generic_space>` after `!ptr.ptr`, or the number of an address space, or nothing.
    fn pointer_type(&mut self, llvm: &mut TypeTable, c: &mut Cursor, pos: usize) -> Result<Ty> {
        let mut space = Some(0);
        if c.eat(b'<') {
            space = self.memory_space(llvm, c)?;
            c.expect(b'>')?;
        }
        match space {
            Some(space) => llvm.pointer_into(space).map(Ty::of).at(c.src, pos),
            None => self.foreign_type(llvm, SPACE, c, pos),
        }
    }

    /// A type of a registered dialect at `pos`, with its parameters from `open` to the cursor.
    fn custom_type(
        &mut self,
        llvm: &mut TypeTable,
        (dialect, name): (&[u8], &[u8]),
        c: &Cursor,
        (pos, open): (usize, usize),
    ) -> Result<Ty> {
        let text = c.src[pos..c.pos].trim_ascii_end();
        if let Some(&ty) = self.custom.get(text) {
            return Ok(ty);
        }
        let name = name.strip_prefix(b".").unwrap_or(name);
        let name = std::str::from_utf8(name).map_err(|_| c.expected_at(pos, "a type"))?;
        let end = (pos + text.len()).max(open);
        let parameters = if end > open { parameters_between(c.src, open + 1, end - 1) } else { Vec::new() };
        let id =
            Arc::clone(&self.dialects).convert_type((dialect, name), c.src, parameters, (self, llvm)).at(c.src, pos)?;
        c.refuse_if(!llvm.is_sized(id), pos, "there are no values of this type: its dialect gives it no size")?;
        let ty = self.intern(llvm, Kind::Custom { text: text.into(), ty: id }).at(c.src, pos)?;
        self.custom.insert(text.into(), ty);
        Ok(ty)
    }

    /// Reads the type that is the whole text between two positions; none if more is there.
    pub fn parse_span(&mut self, llvm: &mut TypeTable, src: &[u8], (from, end): (usize, usize)) -> Result<Option<Ty>> {
        let mut c = Cursor::new(&src[..end], from);
        let ty = self.parse(llvm, &mut c)?;
        Ok(c.at_end().then_some(ty))
    }

    fn foreign_type(&mut self, llvm: &mut TypeTable, why: &'static str, c: &Cursor, pos: usize) -> Result<Ty> {
        let text = c.src[pos..c.pos].trim_ascii_end().into();
        self.intern(llvm, Kind::Foreign { why, text }).at(c.src, pos)
    }

    fn named(&mut self, llvm: &mut TypeTable, word: &[u8], c: &mut Cursor, pos: usize) -> Result<Ty> {
        match word {
            b"vector" => self.spelled(c, pos, |types, c| types.vector_type(llvm, c, pos)),
            b"memref" => self.spelled(c, pos, |types, c| types.memref_type(llvm, c, pos)),
            b"complex" => {
                c.expect(b'<')?;
                let lane = self.parse(llvm, c)?;
                c.expect(b'>')?;
                let number = match (self.own(lane), lane.llvm()) {
                    (Some(own), _) => matches!(own, Kind::Integer { .. } | Kind::Float8(_) | Kind::Foreign { .. }),
                    (None, Some(id)) => matches!(llvm.get(id).kind, LlvmKind::Int | LlvmKind::Float),
                    (None, None) => false,
                };
                c.refuse_if(!number, pos, "the parts of complex numbers are integers or floating-point numbers")?;
                self.complex(llvm, lane).at(c.src, pos)
            }
            b"tensor" => {
                c.skip_group()?;
                self.foreign_type(llvm, TENSOR, c, pos)
            }
            b"tuple" => {
                c.skip_group()?;
                self.foreign_type(llvm, "tuples are not converted", c, pos)
            }
            b"tf32" => self.foreign_type(llvm, "numbers of this format are not converted", c, pos),
            // These are represented by the bytes in which they are stored.
            _ if word.starts_with(b"f6E") || word.starts_with(b"f4E") => Ok(Ty::of(I8)),
            _ if word.starts_with(b"f8E") => {
                let format = std::str::from_utf8(word).ok().and_then(Float8::of);
                let format = format.ok_or_else(|| c.expected_at(pos, "a type"))?;
                self.intern(llvm, Kind::Float8(format)).at(c.src, pos)
            }
            _ => {
                let signed = word.strip_prefix(b"si").or_else(|| word.strip_prefix(b"ui"));
                let digits = signed.or_else(|| word.strip_prefix(b"i"));
                let bits = digits.and_then(|d| std::str::from_utf8(d).ok()?.parse::<u32>().ok());
                match bits {
                    Some(bits) if signed.is_some() => {
                        self.intern(llvm, Kind::Integer { bits, signed: word[0] == b's' }).at(c.src, pos)
                    }
                    Some(bits) => llvm.integer(bits).map(Ty::of).at(c.src, pos),
                    None => Err(c.expected_at(pos, "a type")),
                }
            }
        }
    }

    /// Reads dimensions up to the type of the elements: `4x?x`. `scalable` is set if some dimension is in brackets.
    pub fn dimensions(&mut self, c: &mut Cursor, scalable: &mut bool) -> Result<Vec<i64>> {
        let mut dims = Vec::new();
        loop {
            let start = c.pos;
            let bracket = c.peek() == b'[';
            *scalable |= bracket;
            c.pos += usize::from(bracket);
            let size = match c.peek() {
                b'?' => {
                    c.pos += 1;
                    DYNAMIC
                }
                b'0'..=b'9' => {
                    let mut n = 0i64;
                    while c.peek().is_ascii_digit() {
                        let digit = i64::from(c.peek() - b'0');
                        let wider = n.checked_mul(10).and_then(|n| n.checked_add(digit));
                        n = wider.ok_or_else(|| c.error_at(start, "the size does not fit 64 bits"))?;
                        c.pos += 1;
                    }
                    n
                }
                _ => {
                    c.pos = start;
                    return Ok(dims);
                }
            };
            if bracket {
                c.unexpected_if(c.peek() != b']', c.pos, "`]`")?;
                c.pos += 1;
            }
            c.ws();
            c.unexpected_if(c.peek() != b'x', c.pos, "`x`")?;
            c.pos += 1;
            c.ws();
            dims.push(size);
            c.refuse_if(dims.len() > MAX_DEPTH as usize, start, "types of so many dimensions are not supported")?;
        }
    }

    fn vector_type(&mut self, llvm: &mut TypeTable, c: &mut Cursor, pos: usize) -> Result<Ty> {
        c.expect(b'<')?;
        let mut scalable = false;
        let dims = self.dimensions(c, &mut scalable)?;
        let lane = self.parse(llvm, c)?;
        c.expect(b'>')?;
        if scalable {
            return self.scalable_vector(llvm, (&dims, lane), c, pos);
        }
        if self.foreign(lane).is_some() {
            return self.foreign_type(llvm, "its lanes have a type that is not converted", c, pos);
        }
        let dims: Option<Vec<u32>> = dims.iter().map(|&n| u32::try_from(n).ok().filter(|&n| n > 0)).collect();
        let dims = dims.ok_or_else(|| c.error_at(pos, "a vector has dimensions of constant sizes, each at least 1"))?;
        self.vector(llvm, &dims, lane).at(c.src, pos)
    }

    /// A scalable vector, which only translation accepts.
    fn scalable_vector(
        &mut self,
        llvm: &mut TypeTable,
        (dims, lane): (&[i64], Ty),
        c: &Cursor,
        pos: usize,
    ) -> Result<Ty> {
        let (&[len], Some(lane), true) = (dims, lane.llvm(), llvm.carries()) else {
            return self.foreign_type(llvm, gusset_program::refusals::SCALABLE, c, pos);
        };
        let len = u32::try_from(len).ok().filter(|&n| n > 0);
        let len = len.ok_or_else(|| c.error_at(pos, "a vector has dimensions of constant sizes, each at least 1"))?;
        llvm.foreign_type(Foreign::Scalable { lane, len }).map(Ty::of).at(c.src, pos)
    }

    fn memref_type(&mut self, llvm: &mut TypeTable, c: &mut Cursor, pos: usize) -> Result<Ty> {
        let open = *c;
        c.expect(b'<')?;
        if c.eat(b'*') {
            c.unexpected_if(c.peek() != b'x', c.pos, "`x`")?;
            c.bump(1);
            let element = self.parse(llvm, c)?;
            let space = if c.eat(b',') { self.memory_space(llvm, c)? } else { Some(0) };
            c.expect(b'>')?;
            let Some(space) = space else { return self.foreign_type(llvm, SPACE, c, pos) };
            return self.intern(llvm, Kind::Unranked { element, space }).at(c.src, pos);
        }
        let sizes = self.dimensions(c, &mut false)?;
        let element = self.parse(llvm, c)?;
        let mut memref =
            Memref { element, strides: natural_strides(&sizes), sizes, offset: 0, space: 0, identity: true };
        let mut spaces = false;
        while c.eat(b',') {
            c.refuse_if(spaces, c.pos, "the memory space stands last in the type of a memref")?;
            let alias = (c.peek() == b'#').then(|| self.attribute_alias(c)).flatten();
            let mut there = alias.map_or(*c, |at| Cursor::new(c.src, at));
            let foreign = match crate::syntax::types::layout::parse(&mut there, &mut memref)? {
                Layout::Linear => None,
                Layout::Other => Some(LAYOUT),
                Layout::Absent => match self.memory_space(llvm, &mut there)? {
                    Some(space) => {
                        spaces = true;
                        memref.space = space;
                        None
                    }
                    None => Some(SPACE),
                },
            };
            if let Some(why) = foreign {
                *c = open;
                c.skip_group()?;
                return self.foreign_type(llvm, why, c, pos);
            }
            match alias {
                Some(_) => c.skip_untyped()?,
                None => *c = there,
            }
        }
        c.expect(b'>')?;
        self.ranked(llvm, memref).at(c.src, pos)
    }

    /// Reads a memory space: a number; `None` if it is an attribute that does not correspond to one.
    fn memory_space(&mut self, llvm: &mut TypeTable, c: &mut Cursor) -> Result<Option<u32>> {
        if c.starts_with(b"#ptr.generic_space") {
            c.skip_value()?;
            return Ok(Some(0));
        }
        if c.starts_with(b"#llvm.address_space<") {
            c.bump(b"#llvm.address_space<".len());
            let space = c.number32()?;
            c.expect(b'>')?;
            return Ok(Some(space));
        }
        if !c.peek().is_ascii_digit() {
            c.skip_value()?;
            return Ok(None);
        }
        let space = c.number32()?;
        if c.eat(b':') {
            self.parse(llvm, c)?;
        }
        Ok(Some(space))
    }
}

/// The texts between commas that are outside of brackets and strings.
fn parameters_between(src: &[u8], start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let (mut from, mut depth, mut at) = (start, 0usize, start);
    while at < end {
        match src[at] {
            b'"' => {
                at += 1;
                while at < end && src[at] != b'"' {
                    at += 1 + usize::from(src[at] == b'\\');
                }
            }
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if src[at - 1] == b'-' => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                all.push((from, at));
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if !src[start..end].trim_ascii().is_empty() {
        all.push((from, end));
    }
    let trim = |&(from, to): &(usize, usize)| {
        let text = &src[from..to];
        let from = from + (text.len() - text.trim_ascii_start().len());
        (from, from + src[from..to].trim_ascii_end().len())
    };
    all.iter().map(trim).collect()
}
