//! Dense constants as their bytes in memory.
//!
//! MLIR, "Builtin Dialect", "DenseIntOrFPElementsAttr", "SparseElementsAttr"; LLVM's lanes share bytes where they are
//! not whole bytes.

use gusset_abi::memref::Float8;
use gusset_codegen::sparse::{OutOfMemory, SparseBytes, reserve};
use gusset_lower::put_bits;
use gusset_program::{Kind as LlvmKind, Sink, TypeId, TypeTable};
use gusset_text::Result;

use crate::convert::attrs::place_in;
use crate::convert::reader::Reader;
use crate::syntax::attributes::{AttributeRef, hex};
use crate::syntax::dense::{DenseKind, DenseRef};
use crate::syntax::numbers::Scalars;
use crate::syntax::types::{INDEX, Ty};

/// Contents beyond this are refused.
const MOST_BYTES: u64 = 1 << 31;

const TOO_LARGE: &str = "initialized data of 2 GB and more are not supported";
const FEW: &str = "there are not as many elements as the type has";

/// The layout of the elements of an array type, or of an array of vectors.
struct Elements {
    count: u64,
    /// Number of lanes of the innermost vectors; 0 and 1 mean the same.
    lanes: u64,
    /// Distance of vectors in bytes.
    stride: u64,
    /// Distance of lanes in bits.
    lane_bits: u64,
    /// The numbers in an element, each with its bit offset and type: a complex number has two.
    parts: Vec<(u64, TypeId)>,
    /// The format of the bytes that are 8-bit floating-point numbers.
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

    /// Whether elements given as bytes have just these bytes in memory. `own` is the type of the given ones.
    fn are_bytes(&self, types: &TypeTable, own: Option<Ty>) -> bool {
        let whole = |ty: TypeId| u64::from(types.ir(ty).bits()) == 8 * self.stride;
        self.lanes == 1 && own != Some(INDEX) && matches!(self.parts[..], [(0, ty)] if whole(ty))
    }

    /// The first bit of an element.
    fn bit(&self, i: u64) -> u64 {
        8 * self.stride * (i / self.lanes) + self.lane_bits * (i % self.lanes)
    }

    /// The bytes of `count` elements, all of which have the bits of the first one.
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
    /// Reads a dense or sparse constant as the bytes of an LLVM type in memory, without zeros at the end. `None`: it is
    /// no type of numbers.
    pub fn dense_bytes(&mut self, dense: DenseRef<'r>, ty: TypeId) -> Result<Option<SparseBytes>> {
        let Some((mut elements, shape)) = Elements::of(self.l.types(), ty) else { return Ok(None) };
        let most = elements.stride.saturating_mul(elements.count / elements.lanes.max(1));
        let (large, start) = (most > MOST_BYTES, dense.at.pos());
        let (dims, own) = match dense.shape(self.t, self.l.types_mut())? {
            Some((dims, element)) => (dims, Some(element)),
            None => (shape, None),
        };
        elements.float8 = own.or(self.elements).and_then(|element| self.float8(element));
        let blob = match dense.kind {
            DenseKind::Sparse => {
                self.src.refuse_if(large, start, TOO_LARGE)?;
                return Ok(Some(self.sparse_bytes(dense, &mut elements, &dims)?.into()));
            }
            DenseKind::Resource => Some(self.resource_bytes(dense)?),
            DenseKind::Dense => dense.bytes()?,
        };
        let blob = match blob {
            Some(blob) if elements.are_bytes(self.l.types(), own) && blob.len() as u64 == most => {
                return Ok(Some(blob.into()));
            }
            blob => blob,
        };
        // If elements differ, each takes at least two digits, or a digit and a comma.
        let (written, mut bytes) = (elements.stride.saturating_mul(dense.len() as u64), Vec::new());
        reserve(&mut bytes, most.min(written) as usize).map_err(|e| dense.at.error(e.to_string()))?;
        let splat = match blob {
            Some(blob) => self.blob_bytes(&blob, &elements, own, &mut bytes, dense.inner)?,
            None => {
                let mut c = dense.scalars();
                let (empty, list) = (c.is_at_end(), c.is_list());
                if !empty {
                    let n = self.listed_bytes(&mut c, &mut elements, &mut bytes)?;
                    self.src.refuse_if(list && n != elements.count, start, FEW)?;
                }
                c.close()?;
                if empty { elements.count > 0 } else { !list && elements.count != 1 }
            }
        };
        if !splat {
            return Ok(Some(bytes.into()));
        }
        self.src.refuse_if(bytes.is_empty(), start, FEW)?;
        let zero = bytes.iter().all(|&b| b == 0);
        self.src.refuse_if(large && !zero, start, TOO_LARGE)?;
        Ok(Some(elements.repeated(&bytes).map_err(|e| dense.at.error(e.to_string()))?))
    }

    /// Reads nested lists of elements, or one element; returns their number, which is not checked against the type.
    fn listed_bytes(&mut self, c: &mut Scalars<'r>, elements: &mut Elements, bytes: &mut Vec<u8>) -> Result<u64> {
        let (alone, mut n) = (!c.is_list(), 0);
        c.each(&mut |c| {
            self.src.refuse_if(n >= elements.count && !alone, c.pos(), FEW)?;
            let at = if alone { 0 } else { elements.bit(n) };
            self.src.refuse_if(at / 8 > MOST_BYTES, c.pos(), TOO_LARGE)?;
            n += 1;
            self.element_bytes(c, elements, bytes, at)
        })?;
        Ok(n)
    }

    /// Reads a number, or a complex one as `(re, im)`, and stores it at a bit.
    fn element_bytes(
        &mut self,
        c: &mut Scalars<'r>,
        elements: &mut Elements,
        bytes: &mut Vec<u8>,
        at: u64,
    ) -> Result<()> {
        let Elements { parts, words, float8, .. } = elements;
        let mut next = parts.iter();
        let mut one = |c: &mut Scalars<'r>| {
            let Some(&(offset, ty)) = next.next() else { return Ok(()) };
            let ir = self.l.types().ir(ty);
            match float8 {
                Some(format) => *words = vec![c.float8(*format)?.into()],
                None => c.words(ir, words)?,
            }
            put_bits(bytes, at + offset, words, ir.bits().into());
            Ok(())
        };
        if parts.len() == 2 { c.pair(one).map(drop) } else { one(c) }
    }

    /// Takes elements that are given as bytes, each in as few bytes as hold it, the lowest first; single bits share
    /// bytes. Returns whether it is one for all elements.
    fn blob_bytes(
        &mut self,
        blob: &[u8],
        elements: &Elements,
        own: Option<Ty>,
        bytes: &mut Vec<u8>,
        at: AttributeRef<'r>,
    ) -> Result<bool> {
        let wrong = "there are not as many bytes as the elements take";
        let types = self.l.types();
        // Indexes have 64 bits there.
        let width = |ty: TypeId| match types.ir(ty).bits() {
            _ if own == Some(INDEX) => 64,
            1 => 1,
            bits => u64::from(bits).next_multiple_of(8),
        };
        let each: u64 = elements.parts.iter().map(|part| width(part.1)).sum();
        let (count, splat) = if each == 1 {
            let splat = blob.len() == 1 && matches!(blob[0], 0 | 0xff);
            self.src.refuse_if(!splat && blob.len() as u64 != elements.count.div_ceil(8), at.pos(), wrong)?;
            (if splat { 1 } else { elements.count }, splat && elements.count != 1)
        } else {
            let count = blob.len() as u64 / (each / 8);
            let fits = (blob.len() as u64).is_multiple_of(each / 8) && (count == elements.count || count == 1);
            self.src.refuse_if(!fits, at.pos(), wrong)?;
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

    /// The bytes of a resource.
    pub fn resource_bytes(&self, dense: DenseRef<'r>) -> Result<Vec<u8>> {
        let key = dense.key()?;
        let there = *self.m.resources.get(key).ok_or_else(|| dense.at.error("this resource is not in the file"))?;
        let digits = there.quoted()?.strip_prefix(b"0x");
        let bytes = digits.map_or(Ok(None), hex).map_err(|e| there.error(e.to_string()))?;
        // The alignment comes first.
        let mut bytes = bytes.filter(|b| b.len() >= 4).ok_or_else(|| there.error("this is no resource"))?;
        bytes.drain(..4);
        Ok(bytes)
    }

    /// Reads `[[0, 1], [2, 3]], [4.0, 5.0]`: the positions of elements, and these.
    fn sparse_bytes(&mut self, dense: DenseRef<'r>, elements: &mut Elements, dims: &[u64]) -> Result<Vec<u8>> {
        let (mut bytes, pos, rank) = (Vec::new(), dense.inner.pos(), dims.len().max(1));
        let (places, scalars) = dense.sparse(rank)?;
        let Some(mut c) = scalars else { return Ok(bytes) };
        let wrong = "there are not as many elements as places";
        self.src.refuse_if(!places.len().is_multiple_of(rank), pos, wrong)?;
        let at: Option<Vec<u64>> = places.chunks(rank).map(|place| place_in(place, dims)).collect();
        let at = at.filter(|all| all.iter().all(|&place| place < elements.count));
        let at = at.ok_or_else(|| dense.inner.error("an element is not in the shape"))?;
        if !c.is_list() {
            // One element for all positions.
            let mut end = c;
            for &place in &at {
                end = c;
                self.element_bytes(&mut end, elements, &mut bytes, elements.bit(place))?;
            }
            return end.close().map(|()| bytes);
        }
        let mut next = at.iter();
        c.each(&mut |c| {
            let place = elements.bit(*next.next().ok_or_else(|| c.error(wrong))?);
            self.element_bytes(c, elements, &mut bytes, place)
        })?;
        self.src.refuse_if(next.next().is_some(), c.pos(), wrong)?;
        c.close()?;
        Ok(bytes)
    }
}
