//! Attributes of an operation by their names, and attributes as constants.
//!
//! MLIR Language Reference, "Attributes"; "Builtin Dialect", "Attributes".

use std::borrow::Cow;

use gusset_abi::memref::Float8;
use gusset_codegen::ir::Type;
use gusset_program::{Const, I8, Kind as LlvmKind, Sink, TypeId, Val};

use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::attributes::{AttributeKind, AttributeRef};
use crate::syntax::dense::{DenseKind, DenseRef};
use crate::syntax::numbers::Scalars;
use crate::syntax::op::{Op, Value};
use crate::syntax::types::affine::Map;
use crate::syntax::types::{INDEX, Kind, Ty};

/// Most elements of a constant that a translation repeats, if all are the same value other than zero.
const MAX_REPEATED: u32 = 1 << 24;

impl<'r, E: Sink> Reader<'r, E> {
    /// The value of an attribute, with aliases resolved.
    #[inline(always)]
    pub fn attr(&self, op: &Op<'r>, name: &str) -> Option<AttributeRef<'r>> {
        op.attr(name).map(|value| value.resolve(self.t))
    }

    /// The error that an attribute is missing.
    #[cold]
    pub fn missing(&self, op: &Op<'r>, name: &str) -> gusset_text::ReadError {
        self.src.error(op.pos, format!("the attribute `{name}` of `{}` is missing", op.name))
    }

    /// An attribute that must be present.
    pub fn need(&self, op: &Op<'r>, name: &str) -> Result<AttributeRef<'r>> {
        self.attr(op, name).ok_or_else(|| self.missing(op, name))
    }

    /// A number, or a truth.
    pub fn attr_int(&self, op: &Op<'r>, name: &str) -> Result<Option<i64>> {
        self.attr(op, name).map(AttributeRef::integer).transpose()
    }

    /// Numbers: `array<i64: 1, 2>`, `[1, 2]`, `dense<[1, 2]> : …`.
    pub fn attr_ints(&self, op: &Op<'r>, name: &str) -> Result<Option<Vec<i64>>> {
        self.attr(op, name).map(AttributeRef::integers).transpose()
    }

    /// The numbers of all attributes with this name, since a form may have several.
    pub fn attrs_ints(&self, op: &Op<'r>, name: &str) -> Result<Vec<i64>> {
        op.attrs.iter().filter(|a| a.name == name.as_bytes()).map(|a| a.value.integer()).collect()
    }

    /// The text of a string, or a keyword.
    #[inline]
    pub fn attr_word(&self, op: &Op<'r>, name: &str) -> Result<Option<&'r [u8]>> {
        self.attr(op, name).map(AttributeRef::keyword).transpose()
    }

    /// The name of a symbol: the last one of a path.
    pub fn attr_symbol(&self, op: &Op<'r>, name: &str) -> Result<(Cow<'r, [u8]>, usize)> {
        let value = self.need(op, name)?;
        Ok((value.symbol()?, value.pos()))
    }

    /// A type.
    pub fn attr_type(&mut self, op: &Op<'r>, name: &str) -> Result<Option<Ty>> {
        self.attr(op, name).map(|value| value.ty(self.t, self.l.types_mut())).transpose()
    }

    /// An affine map.
    pub fn attr_map(&self, op: &Op<'r>, name: &str) -> Result<Option<Map>> {
        op.attr(name).map(|value| value.map(self.t)).transpose()
    }

    /// Reads the members of an array attribute.
    pub fn attr_list<T>(
        &self,
        op: &Op<'r>,
        name: &str,
        f: impl Fn(AttributeRef<'r>) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        let Some(list) = self.attr(op, name) else { return Ok(None) };
        list.array()?.map(|value| f(value?.resolve(self.t))).collect::<Result<_>>().map(Some)
    }

    // Constants.

    /// Reads an attribute as a constant of a type, or of the type that it gives itself.
    pub fn constant(&mut self, value: AttributeRef<'r>, ty: Option<Ty>) -> Result<Value> {
        let value = value.resolve(self.t);
        let pos = value.pos();
        if let Some(dense) = value.dense()? {
            return self.dense(dense, ty);
        }
        match value.kind() {
            AttributeKind::String => self.string(value, ty),
            AttributeKind::Array => self.members(value, ty),
            AttributeKind::Other if value.word() == b"unit" => Err(value.error("a unit is no value")),
            AttributeKind::Dialect if E::PRESERVES_METADATA && value.opened("").0 == b"zero" => {
                let ty = ty.ok_or_else(|| value.error("the constant's type is not said"))?;
                let whole = self.t.whole(ty);
                let val = self.l.zero_value(whole).at(self.src, pos)?;
                Ok(self.unpack(ty, val))
            }
            _ => {
                let mut number = value.scalar();
                let ty = match ty {
                    Some(ty) => ty,
                    None => number.own_type(self.t, self.l.types_mut())?,
                };
                let Some(id) = (self.t.count(ty) == 1).then(|| self.t.part(ty, 0)) else {
                    return Err(value.error("the constant is not a value of this type"));
                };
                let own = if id == I8 { number.own_type(self.t, self.l.types_mut())? } else { ty };
                let val = match self.float8(own).or(self.float8(ty)) {
                    Some(format) => self.number8(&mut number, format)?,
                    None => self.number(&mut number, id)?,
                };
                if let Some(own) = number.take_type(self.t, self.l.types_mut())? {
                    let float = self.l.types().get(id).kind == LlvmKind::Float;
                    let wrong = float && own != ty && self.t.element(self.l.types(), ty) != Some(own);
                    self.src.refuse_if(wrong, pos, "the number is of another type than the constant")?;
                }
                Ok(self.value(ty, &[val]))
            }
        }
    }

    /// The format of an 8-bit floating-point type.
    pub fn float8(&self, ty: Ty) -> Option<Float8> {
        match self.t.own(ty) {
            Some(Kind::Float8(format)) => Some(*format),
            _ => None,
        }
    }

    /// Reads a number of this format; returns its byte.
    fn number8(&mut self, c: &mut Scalars<'r>, format: Float8) -> Result<Val> {
        let byte = c.float8(format)?;
        Ok(self.l.integer(I8, byte.into()))
    }

    /// Reads a number of a scalar type, or of the lanes of a vector type.
    fn number(&mut self, c: &mut Scalars<'r>, ty: TypeId) -> Result<Val> {
        let pos = c.pos();
        let ir = self.l.types().ir(ty);
        match self.l.types().get(ty).kind {
            LlvmKind::Int => {
                let bits = self.bits_of_number(c, ir.bits())?;
                if bits.max(ir.bits()) > 128 {
                    let mut words = Vec::new();
                    let negative = c.wide_integer(bits, &mut words)?;
                    return Ok(self.l.wide(ty, &words, negative));
                }
                let n = c.integer(bits)?;
                Ok(self.l.integer(ty, n))
            }
            LlvmKind::WideInt { bits } => {
                let mut words = Vec::new();
                let negative = c.wide_integer(bits, &mut words)?;
                self.l.constant(ty, Const::Wide { words: &words, negative }).at(self.src, pos)
            }
            LlvmKind::Float => {
                let bits = c.float(ir)?;
                Ok(self.l.float(ty, bits))
            }
            LlvmKind::Vector { lane, .. } => {
                let n = self.number(c, lane)?;
                self.l.splat(ty, lane, n).at(self.src, pos)
            }
            _ => Err(c.error("a number is not a value of this type")),
        }
    }

    /// The bits of a number in the type that it gives itself, if that differs from the wanted type.
    #[inline]
    fn bits_of_number(&mut self, c: &Scalars<'r>, wanted: u32) -> Result<u32> {
        // Short numbers fit every type.
        if (32..=128).contains(&wanted) && c.is_short() {
            return Ok(wanted);
        }
        match c.type_behind(self.t, self.l.types_mut())? {
            None => Ok(wanted),
            Some(INDEX) => Ok(wanted.max(64)),
            Some(own) => {
                let ir = own.llvm().map_or(Type::VOID, |id| self.l.types().ir(id));
                Ok(if ir.is_int() { ir.bits() } else { wanted })
            }
        }
    }

    /// Reads a dense or sparse constant.
    fn dense(&mut self, dense: DenseRef<'r>, wanted: Option<Ty>) -> Result<Value> {
        let pos = dense.at.pos();
        // An array is the contents of a variable.
        if let Some(ty) = wanted.filter(|_| self.l.holds_contents()) {
            let whole = self.t.whole(ty);
            let array = matches!(self.l.types().get(whole).kind, LlvmKind::Array { .. });
            if let Some(bytes) = if array { self.dense_bytes(dense, whole)? } else { None } {
                let val = self.l.constant(whole, Const::Contents(&bytes)).at(self.src, pos)?;
                return Ok(self.unpack(ty, val));
            }
        }
        let (elements, dims, element) = self.elements(dense, wanted)?;
        let ty = match wanted {
            Some(ty) => ty,
            None => self.dense_type(&dims, element, pos)?,
        };
        self.of_elements(ty, (&elements, element), pos)
    }

    /// Reads a dense constant; returns the constants of its elements (one if all are equal), its dimensions and the
    /// element type. For a sparse constant it returns all elements.
    fn elements(&mut self, dense: DenseRef<'r>, wanted: Option<Ty>) -> Result<(Vec<Val>, Vec<u64>, Ty)> {
        let (dims, element) = self.shape_of(dense, wanted)?;
        let count = dims.iter().try_fold(1u64, |n, &d| n.checked_mul(d)).unwrap_or(u64::MAX);
        let parts = if matches!(self.t.own(element), Some(Kind::Complex(_))) { 2 } else { 1 };
        let mut out = Vec::new();
        let bytes = match dense.kind {
            DenseKind::Sparse => {
                let all = self.sparse_elements(dense, (&dims, count), element, parts)?;
                return Ok((all, dims, element));
            }
            DenseKind::Resource => Some(self.resource_bytes(dense)?),
            DenseKind::Dense => dense.bytes()?,
        };
        if let Some(bytes) = bytes {
            self.raw_elements(&bytes, element, count, &mut out, dense.at)?;
        } else {
            let mut c = dense.scalars();
            if !c.is_at_end() {
                c.each(&mut |c| self.element(c, element, &mut out))?;
            }
            c.close()?;
        }
        let n = out.len() as u64;
        if n != parts && n != count.saturating_mul(parts) {
            return Err(dense.at.error("there are not as many elements as the type has"));
        }
        Ok((out, dims, element))
    }

    /// Reads `sparse<[[0, 1], [2, 3]], [4.0, 5.0]> : type`: the positions of some elements, and these. The others are
    /// zero.
    fn sparse_elements(
        &mut self,
        dense: DenseRef<'r>,
        (dims, count): (&[u64], u64),
        element: Ty,
        parts: u64,
    ) -> Result<Vec<Val>> {
        let start = dense.at.pos();
        let large = count > MAX_REPEATED.into();
        self.src.refuse_if(large, start, "constants of so many elements are not supported")?;
        self.check(element, start)?;
        let (rank, each, mut given) = (dims.len().max(1), parts as usize, Vec::new());
        let (places, scalars) = dense.sparse(rank)?;
        if let Some(mut c) = scalars {
            c.each(&mut |c| self.element(c, element, &mut given))?;
            c.close()?;
        }
        let fits = given.len() == each || given.len() == places.len() / rank * each;
        let wrong = "there are not as many elements as places";
        self.src.refuse_if(!places.is_empty() && !fits || !places.len().is_multiple_of(rank), start, wrong)?;
        let part = self.t.part(element, 0);
        let zero = self.l.zero_value(part).at(self.src, start)?;
        let mut all = vec![zero; count as usize * each];
        for (i, at) in places.chunks(rank).enumerate() {
            let place = place_in(at, dims).ok_or_else(|| dense.at.error("an element is not in the shape"))?;
            let (place, from) = (place as usize * each, if given.len() == each { 0 } else { i * each });
            all[place..place + each].copy_from_slice(&given[from..from + each]);
        }
        Ok(all)
    }

    /// A type for constants with these dimensions.
    fn dense_type(&mut self, dims: &[u64], element: Ty, pos: usize) -> Result<Ty> {
        if dims.is_empty() {
            return Ok(element);
        }
        let narrow: Option<Vec<u32>> = dims.iter().map(|&n| u32::try_from(n).ok().filter(|&n| n > 0)).collect();
        match narrow {
            Some(dims) if self.l.types().get(self.t.whole(element)).scalars == 1 => {
                self.t.vector(self.l.types_mut(), &dims, element).at(self.src, pos)
            }
            _ => Ok(element),
        }
    }

    /// The dimensions and the element type of a dense constant; if it gives no type, as in variables, those of the
    /// wanted type.
    fn shape_of(&mut self, dense: DenseRef<'r>, wanted: Option<Ty>) -> Result<(Vec<u64>, Ty)> {
        let wanted = wanted.and_then(|ty| ty.llvm());
        if let Some((dims, element)) = dense.shape(self.t, self.l.types_mut())? {
            // Indexes become integers of the wanted type.
            let lane = wanted.filter(|_| element == INDEX).map(|ty| self.innermost(ty));
            return Ok((dims, lane.map_or(element, Ty::of)));
        }
        let (mut element, mut dims) = (wanted.ok_or_else(|| dense.untyped())?, Vec::new());
        loop {
            let (inner, len) = match self.l.types().get(element).kind {
                LlvmKind::Array { element, len } => (element, len),
                LlvmKind::Vector { lane, len } => (lane, len.into()),
                _ => {
                    let ty = match self.t.complex_lane(self.l.types(), element) {
                        Some(lane) => self.t.complex(self.l.types_mut(), Ty::of(lane)).at(self.src, dense.at.pos())?,
                        None => self.elements.filter(|&ty| self.t.whole(ty) == element).unwrap_or(Ty::of(element)),
                    };
                    return Ok((dims, ty));
                }
            };
            dims.push(len);
            element = inner;
        }
    }

    /// The innermost element type of nested arrays and vectors.
    fn innermost(&self, mut ty: TypeId) -> TypeId {
        while let LlvmKind::Array { element: inner, .. } | LlvmKind::Vector { lane: inner, .. } =
            self.l.types().get(ty).kind
        {
            ty = inner;
        }
        ty
    }

    /// Reads an element: a number, or the two of a complex number.
    fn element(&mut self, c: &mut Scalars<'r>, element: Ty, out: &mut Vec<Val>) -> Result<()> {
        if c.is_pair() {
            let whole = self.t.part(element, 0);
            let member = self.l.types().element(whole, 0).filter(|_| E::PRESERVES_METADATA);
            let part = member.map_or(whole, |m| m.0);
            let pair = c.pair(|c| self.number(c, part))?;
            match member {
                Some(_) => out.push(self.l.aggregate(whole, &pair).at(self.src, c.pos())?),
                None => out.extend(pair),
            }
            return Ok(());
        }
        self.check(element, c.pos())?;
        let part = self.t.whole(element);
        out.push(match self.float8(element) {
            Some(format) => self.number8(c, format)?,
            None => self.number(c, part)?,
        });
        Ok(())
    }

    /// Elements from their bytes, the lowest first.
    fn raw_elements(
        &mut self,
        bytes: &[u8],
        element: Ty,
        count: u64,
        out: &mut Vec<Val>,
        at: AttributeRef<'r>,
    ) -> Result<()> {
        let pos = at.pos();
        self.check(element, pos)?;
        let id = self.t.part(element, 0);
        let ir = self.l.types().ir(id);
        if !(ir.is_int() || ir.is_float()) {
            return Err(at.error("elements of this type cannot be given as bytes"));
        }
        let parts = self.t.count(element) as u64;
        let (bits, number) = (ir.bits(), |raw: &[u8]| raw.iter().rev().fold(0u128, |n, &b| n << 8 | u128::from(b)));
        if bits == 1 {
            let set = |i: usize| bytes[i / 8] >> (i % 8) & 1;
            let splat = bytes.len() == 1 && matches!(bytes[0], 0 | 0xff);
            let n = if splat { 1 } else { count as usize };
            self.src.refuse_if(bytes.len() < n.div_ceil(8), pos, "there are not as many bytes as the elements take")?;
            for i in 0..n {
                let v = self.l.integer(id, set(i).into());
                out.push(v);
            }
            return Ok(());
        }
        let width = bits.div_ceil(8) as usize;
        self.src.refuse_if(
            !bytes.len().is_multiple_of(width),
            pos,
            "there are not as many bytes as the elements take",
        )?;
        let n = (bytes.len() / width) as u64;
        self.src.refuse_if(
            n != parts && n != count.saturating_mul(parts),
            pos,
            "there are not as many bytes as the elements take",
        )?;
        for raw in bytes.chunks_exact(width) {
            if bits > 128 {
                let words: Vec<u64> = raw.chunks(8).map(|raw| number(raw) as u64).collect();
                out.push(self.l.wide(id, &words, false));
                continue;
            }
            out.push(match ir.is_float() {
                true => self.l.float(id, number(raw)),
                false => self.l.integer(id, number(raw) as i128),
            });
        }
        Ok(())
    }

    /// A constant of a vector or array type from its elements in row-major order.
    pub fn of_elements(&mut self, ty: Ty, (elements, element): (&[Val], Ty), pos: usize) -> Result<Value> {
        // A splat is repeated.
        let whole = self.t.whole(ty);
        let zero = elements.len() == 1 && self.l.int_constant(elements[0]) == Some(0);
        let large =
            E::PRESERVES_METADATA && elements.len() == 1 && !zero && self.l.types().get(whole).scalars > MAX_REPEATED;
        self.src.refuse_if(large, pos, "constants of so many elements are not supported")?;
        let complex = matches!(self.t.own(element), Some(Kind::Complex(_)));
        if E::PRESERVES_METADATA && complex && ty.llvm().is_some() {
            // There, complex numbers are structs.
            let whole = self.t.whole(element);
            let pairs = elements.chunks_exact(2).map(|pair| self.l.aggregate(whole, pair).at(self.src, pos));
            let pairs = pairs.collect::<Result<Vec<Val>>>()?;
            return self.of_elements(ty, (&pairs, Ty::of(whole)), pos);
        }
        let n = self.t.count(ty);
        // Complex numbers have two.
        let each = self.t.count(element).max(1);
        let element = self.t.part(element, 0);
        let mut at = 0;
        let mut parts = Vec::with_capacity(n);
        for i in 0..n {
            let part = self.t.part(ty, i);
            parts.push(self.filled(part, (elements, element), &mut at, pos)?);
        }
        self.src.refuse_if(
            elements.len() > each && at != elements.len(),
            pos,
            "the constant is not a value of this type",
        )?;
        Ok(self.value(ty, &parts))
    }

    /// A constant of an LLVM type from elements; `at` is the index of the next one.
    fn filled(&mut self, ty: TypeId, (elements, own): (&[Val], TypeId), at: &mut usize, pos: usize) -> Result<Val> {
        let mut next = |n: usize| {
            let from = if elements.len() == 1 { 0 } else { *at };
            *at += n;
            if elements.len() == 1 { Some((from, true)) } else { (*at <= elements.len()).then_some((from, false)) }
        };
        let wrong = || self.src.error(pos, "the constant is not a value of this type");
        match self.l.types().get(ty).kind {
            LlvmKind::Vector { lane, len } => {
                let (from, splat) = next(len as usize).ok_or_else(wrong)?;
                self.src.refuse_if(own != lane, pos, "the constant is not a value of this type")?;
                if splat {
                    return self.l.splat(ty, lane, elements[0]).at(self.src, pos);
                }
                self.l.vector(ty, &elements[from..from + len as usize]).at(self.src, pos)
            }
            LlvmKind::Array { .. }
                if E::PRESERVES_METADATA && elements.len() == 1 && self.l.int_constant(elements[0]) == Some(0) =>
            {
                self.l.zero_value(ty).at(self.src, pos)
            }
            LlvmKind::Array { element, len } => {
                self.l.check_aggregate(ty).at(self.src, pos)?;
                let members = (0..len).map(|_| self.filled(element, (elements, own), at, pos));
                let members = members.collect::<Result<Vec<Val>>>()?;
                self.l.aggregate(ty, &members).at(self.src, pos)
            }
            LlvmKind::Struct { .. } if self.t.complex_lane(self.l.types(), ty) == Some(own) => {
                let from = if elements.len() == 2 { 0 } else { *at };
                *at += 2;
                let pair = elements.get(from..from + 2).ok_or_else(wrong)?;
                self.l.aggregate(ty, pair).at(self.src, pos)
            }
            _ => {
                let (from, _) = next(1).ok_or_else(wrong)?;
                self.src.refuse_if(own != ty, pos, "the constant is not a value of this type")?;
                Ok(elements[from])
            }
        }
    }

    /// Reads a string as an array of bytes.
    fn string(&mut self, value: AttributeRef<'r>, wanted: Option<Ty>) -> Result<Value> {
        let (bytes, pos) = (value.bytes()?, value.pos());
        let ty = match wanted {
            Some(ty) => self.t.whole(ty),
            None => self.l.types_mut().array(I8, bytes.len() as u64).at(self.src, pos)?,
        };
        let fits = self.l.types().get(ty).kind == LlvmKind::Array { element: I8, len: bytes.len() as u64 };
        self.src.refuse_if(!fits, pos, "the string is not a value of this type")?;
        let val = self.l.constant(ty, Const::Bytes(&bytes)).at(self.src, pos)?;
        Ok(self.value(Ty::of(ty), &[val]))
    }

    /// Reads `[a, b]` as a struct, an array or a complex number.
    fn members(&mut self, value: AttributeRef<'r>, wanted: Option<Ty>) -> Result<Value> {
        let ty = wanted.ok_or_else(|| value.error("the constant's type is not said"))?;
        let id = self.t.whole(ty);
        self.l.check_aggregate(id).at(self.src, value.pos())?;
        let mut members = Vec::new();
        for own in value.array()? {
            let member = self.l.types().element(id, members.len() as u64);
            let (member, ..) = member.ok_or_else(|| value.error("the constant has more members than its type"))?;
            let v = self.constant(own?, Some(Ty::of(member)))?;
            members.push(self.one(v));
        }
        let full = self.l.types().element(id, members.len() as u64).is_none();
        self.src.refuse_if(!full, value.pos(), "the constant has fewer members than its type")?;
        let aggregate = self.l.aggregate(id, &members).at(self.src, value.pos())?;
        Ok(self.unpack(ty, aggregate))
    }
}

/// The index of the element at a position in a shape.
pub(super) fn place_in(place: &[i64], dims: &[u64]) -> Option<u64> {
    place.iter().zip(dims).try_fold(0u64, |n, (&i, &d)| {
        let i = u64::try_from(i).ok().filter(|&i| i < d)?;
        n.checked_mul(d)?.checked_add(i)
    })
}
