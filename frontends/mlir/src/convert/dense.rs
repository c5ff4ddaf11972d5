//! Dense constants as the bytes that they are in memory.
//!
//! MLIR, "Builtin Dialect", "DenseIntOrFPElementsAttr", "SparseElementsAttr"; LLVM's lanes share bytes where they are none.

use gusset_abi::memref::Float8;
use gusset_codegen::sparse::{OutOfMemory, SparseBytes, reserve};
use gusset_lower::{Sink, put_bits};
use gusset_program::{Kind as LlvmKind, MAX_DEPTH, TypeId, TypeTable};
use gusset_text::Result;

use crate::convert::float8::read_byte;
use crate::convert::reader::Reader;
use crate::syntax::attributes::{hex, read_ints, read_words};
use crate::syntax::lexer::{Cursor, Tokens, unescape};
use crate::syntax::types::{INDEX, Ty};

/// Contents beyond this are refused.
const MOST_BYTES: u64 = 1 << 31;

const FEW: &str = "there are not as many elements as the type has";

/// Where the elements of a type of arrays, or of arrays of vectors, are.
struct Elements {
    count: u64,
    /// Lanes of the innermost vectors; none of which is the same as one.
    lanes: u64,
    /// Bytes from one vector to the next.
    stride: u64,
    /// Bits from one lane to the next.
    lane_bits: u64,
    /// Bits at which an element's numbers begin in it, and their types: a complex number has two.
    parts: Vec<(u64, TypeId)>,
    /// What the bytes are that say a number of eight bits.
    float8: Option<Float8>,
    /// The number at hand.
    words: Vec<u64>,
}

impl Elements {
    fn of(types: &TypeTable, mut ty: TypeId) -> Option<(Elements, Vec<u64>)> {
        let (mut count, mut lanes, mut lane_bits, mut shape) = (1u64, 1, 0, Vec::new());
        while let LlvmKind::Array { element, len } = types.get(ty).kind {
            count = count.saturating_mul(len);
            shape.push(len);
            ty = element;
        }
        let stride = types.get(ty).size;
        if let LlvmKind::Vector { lane, len } = types.get(ty).kind {
            (lanes, lane_bits) = (u64::from(len), types.ir(lane).bits().into());
            count = count.saturating_mul(lanes);
            shape.push(lanes);
            ty = lane;
        }
        let number = |ty| matches!(types.get(ty).kind, LlvmKind::Int | LlvmKind::Float);
        let parts = match types.get(ty).kind {
            LlvmKind::Struct { start, len: 2, .. } => {
                types.members(start, 2).iter().map(|m| (8 * m.offset, m.ty)).collect()
            }
            _ => vec![(0, ty)],
        };
        let known = parts.iter().all(|part: &(u64, TypeId)| number(part.1));
        known.then_some((Elements { count, lanes, stride, lane_bits, parts, float8: None, words: Vec::new() }, shape))
    }

    /// Are elements that are given as bytes just these in memory? Of `own` type are those that are given.
    fn are_bytes(&self, types: &TypeTable, own: Option<Ty>) -> bool {
        let whole = |ty: TypeId| u64::from(types.ir(ty).bits()) == 8 * self.stride;
        self.lanes == 1 && own != Some(INDEX) && matches!(self.parts[..], [(0, ty)] if whole(ty))
    }

    /// The bit at which an element begins.
    fn bit(&self, i: u64) -> u64 {
        8 * self.stride * (i / self.lanes) + self.lane_bits * (i % self.lanes)
    }

    /// The bytes of as many elements, all of which have the bits of the first one.
    fn repeated(&self, first: &[u8]) -> std::result::Result<SparseBytes, OutOfMemory> {
        let mut all = SparseBytes::new();
        if first.iter().all(|&b| b == 0) {
            return Ok(all);
        }
        let words: Vec<u64> =
            first.chunks(8).map(|chunk| chunk.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))).collect();
        let mut row = Vec::new();
        for i in 0..self.lanes {
            put_bits(
                &mut row,
                self.bit(i),
                &words,
                if self.lanes > 1 { self.lane_bits } else { 8 * first.len() as u64 },
            );
        }
        row.resize(self.stride as usize, 0);
        all.fill(self.stride * (self.count / self.lanes), &row)?;
        Ok(all)
    }
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads `dense<…>` or `sparse<…>`, and a type that may stand behind it, as the bytes that a type of LLVM has in memory; what is
    /// missing at the end is zero. `None`: it is no type of numbers, or no such constant.
    pub fn dense_bytes(&mut self, c: &mut Cursor<'r>, ty: TypeId) -> Result<Option<SparseBytes>> {
        let word = c.peek_word();
        let Some((mut elements, shape)) = Elements::of(self.l.types(), ty) else { return Ok(None) };
        if !matches!(word, b"dense" | b"sparse" | b"dense_resource") {
            return Ok(None);
        }
        let large = elements.stride.saturating_mul(elements.count / elements.lanes.max(1)) > MOST_BYTES;
        let start = c.pos;
        c.bump(word.len());
        let mut inner = *c;
        c.skip_group()?;
        inner.expect(b'<')?;
        let (mut dims, mut own) = (shape, None);
        elements.float8 = self.elements.and_then(|element| self.float8(element));
        if c.peek() == b':' {
            c.bump(1);
            let (said, element) = self.shaped(c)?;
            (dims, own) = (said, Some(element));
            elements.float8 = self.float8(element);
        }
        let first = inner;
        if word == b"sparse" {
            c.refuse_if(large, start, "initialized data of 2 GB and more are not supported")?;
            return Ok(Some(self.sparse_bytes(&mut inner, &mut elements, &dims)?.into()));
        }
        // Each element that is not the same as the others has two digits, or a digit and a comma.
        let most = elements.stride.saturating_mul(elements.count / elements.lanes.max(1));
        let written = elements.stride.saturating_mul((c.pos - start) as u64);
        let mut bytes = Vec::new();
        let blob = match word {
            b"dense_resource" => Some(self.resource_bytes(&mut inner, start)?),
            _ if inner.peek() == b'"' => {
                let raw = inner.quoted()?;
                Some(match raw.strip_prefix(b"0x") {
                    Some(digits) => {
                        let wrong = || c.error_at(start, "this is no hexadecimal number");
                        hex(digits).map_err(|e| c.error_at(start, e.to_string()))?.ok_or_else(wrong)?
                    }
                    None => unescape(raw),
                })
            }
            _ => None,
        };
        let blob = match blob {
            Some(blob) if elements.are_bytes(self.l.types(), own) && blob.len() as u64 == most => {
                inner.expect(b'>')?;
                return Ok(Some(blob.into()));
            }
            blob => blob,
        };
        reserve(&mut bytes, most.min(written) as usize).map_err(|e| c.error_at(start, e.to_string()))?;
        let splat = match blob {
            Some(blob) => self.blob_bytes(&blob, &elements, own, &mut bytes, first)?,
            None if inner.peek() == b'>' => elements.count > 0,
            None => {
                let list = inner.peek() == b'[';
                let mut n = 0;
                self.listed_bytes(&mut inner, &mut elements, &mut bytes, (&mut n, !list), 0)?;
                c.refuse_if(list && n != elements.count, start, FEW)?;
                !list && elements.count != 1
            }
        };
        inner.expect(b'>')?;
        if !splat {
            return Ok(Some(bytes.into()));
        }
        c.refuse_if(bytes.is_empty(), start, FEW)?;
        let zero = bytes.iter().all(|&b| b == 0);
        c.refuse_if(large && !zero, start, "initialized data of 2 GB and more are not supported")?;
        Ok(Some(elements.repeated(&bytes).map_err(|e| c.error_at(start, e.to_string()))?))
    }

    /// Reads nested lists of elements, or one element of which `n` may be one whatever the type's number is.
    fn listed_bytes(
        &mut self,
        c: &mut Cursor<'r>,
        elements: &mut Elements,
        bytes: &mut Vec<u8>,
        (n, alone): (&mut u64, bool),
        depth: u32,
    ) -> Result<()> {
        if c.peek() != b'[' {
            c.refuse_if(*n >= elements.count && !alone, c.pos, FEW)?;
            let at = if alone { 0 } else { elements.bit(*n) };
            c.refuse_if(at / 8 > MOST_BYTES, c.pos, "initialized data of 2 GB and more are not supported")?;
            *n += 1;
            return self.element_bytes(c, elements, bytes, at);
        }
        c.refuse_if(depth > MAX_DEPTH, c.pos, "the constant is nested too deeply")?;
        c.bump(1);
        let mut more = !c.eat(b']');
        while more {
            self.listed_bytes(c, elements, bytes, (n, false), depth + 1)?;
            more = c.more(b']')?;
        }
        Ok(())
    }

    /// Reads a number, or a complex one as `(re, im)`, and puts it at a bit.
    fn element_bytes(
        &mut self,
        c: &mut Cursor<'r>,
        elements: &mut Elements,
        bytes: &mut Vec<u8>,
        at: u64,
    ) -> Result<()> {
        let pair = elements.parts.len() == 2;
        if pair {
            c.expect(b'(')?;
        }
        let Elements { parts, words, float8, .. } = elements;
        for (i, &(offset, ty)) in parts.iter().enumerate() {
            if i > 0 {
                c.expect(b',')?;
            }
            let ir = self.l.types().ir(ty);
            match float8 {
                Some(format) => *words = vec![read_byte(c, *format)?.into()],
                None => read_words(c, ir, words)?,
            }
            put_bits(bytes, at + offset, words, ir.bits().into());
        }
        if pair { c.expect(b')') } else { Ok(()) }
    }

    /// Takes elements that are given as bytes, each in as few as hold it, lowest first; flags share them. Is it one for all of them?
    fn blob_bytes(
        &mut self,
        blob: &[u8],
        elements: &Elements,
        own: Option<Ty>,
        bytes: &mut Vec<u8>,
        at: Cursor<'r>,
    ) -> Result<bool> {
        let wrong = "there are not as many bytes as the elements take";
        let types = self.l.types();
        // Indices have 64 bits there.
        let width = |ty: TypeId| match types.ir(ty).bits() {
            _ if own == Some(INDEX) => 64,
            1 => 1,
            bits => u64::from(bits).next_multiple_of(8),
        };
        let each: u64 = elements.parts.iter().map(|part| width(part.1)).sum();
        let (count, splat) = if each == 1 {
            let splat = blob.len() == 1 && matches!(blob[0], 0 | 0xff);
            at.refuse_if(!splat && blob.len() as u64 != elements.count.div_ceil(8), at.pos, wrong)?;
            (if splat { 1 } else { elements.count }, splat && elements.count != 1)
        } else {
            let count = blob.len() as u64 / (each / 8);
            let fits = (blob.len() as u64).is_multiple_of(each / 8) && (count == elements.count || count == 1);
            at.refuse_if(!fits, at.pos, wrong)?;
            (count, count != elements.count)
        };
        let mut from = 0;
        for i in 0..count {
            for &(offset, ty) in &elements.parts {
                let bits = u64::from(types.ir(ty).bits());
                let words: Vec<u64> = if each == 1 {
                    vec![u64::from(blob[(i / 8) as usize] >> (i % 8) & 1)]
                } else {
                    let raw = &blob[from..from + (width(ty) / 8) as usize];
                    from += raw.len();
                    raw.chunks(8).map(|raw| raw.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))).collect()
                };
                let place = if splat { 0 } else { elements.bit(i) };
                put_bits(bytes, place + offset, &words, bits);
            }
        }
        Ok(splat)
    }

    /// The bytes of the resource whose key stands here.
    pub fn resource_bytes(&self, c: &mut Cursor<'r>, pos: usize) -> Result<Vec<u8>> {
        let key = c.name()?;
        let Some(at) = self.m.resources.get(key) else {
            return Err(c.error_at(pos, "this resource is not in the file"));
        };
        let mut there = Cursor::new(c.src, *at);
        let digits = there.quoted()?.strip_prefix(b"0x");
        let bytes = digits.map_or(Ok(None), hex).map_err(|e| there.error(e.to_string()))?;
        // The alignment comes first.
        let mut bytes = bytes.filter(|b| b.len() >= 4).ok_or_else(|| there.error("this is no resource"))?;
        bytes.drain(..4);
        Ok(bytes)
    }

    /// Reads `[[0, 1], [2, 3]], [4.0, 5.0]`: places, and what is there.
    fn sparse_bytes(&mut self, c: &mut Cursor<'r>, elements: &mut Elements, dims: &[u64]) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if c.peek() == b'>' {
            return Ok(bytes);
        }
        let pos = c.pos;
        let mut places = read_ints(c)?;
        c.expect(b',')?;
        let rank = dims.len().max(1);
        if places.len() == 1 {
            // One number stands for all dimensions.
            places = vec![places[0]; rank];
        }
        let wrong = "there are not as many elements as places";
        c.refuse_if(!places.len().is_multiple_of(rank), pos, wrong)?;
        let list = c.eat(b'[');
        for (i, at) in places.chunks(rank).enumerate() {
            let place = at.iter().zip(dims).try_fold(0u64, |n, (&i, &d)| {
                let i = u64::try_from(i).ok().filter(|&i| i < d)?;
                n.checked_mul(d)?.checked_add(i)
            });
            let place = place.filter(|&p| p < elements.count);
            let place = place.ok_or_else(|| c.error_at(pos, "an element is not in the shape"))?;
            if list && i > 0 {
                c.unexpected_if(!c.eat(b','), c.pos, "another element")?;
            }
            let here = *c;
            self.element_bytes(c, elements, &mut bytes, elements.bit(place))?;
            if !list && i + 1 < places.len() / rank {
                *c = here;
            }
        }
        if list {
            c.expect(b']')?
        }
        c.expect(b'>')?;
        Ok(bytes)
    }
}
