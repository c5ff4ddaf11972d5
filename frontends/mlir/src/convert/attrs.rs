//! Attributes: what their text says, read when somebody asks.
//!
//! MLIR Language Reference, "Attributes"; "Builtin Dialect", "Attributes".

use std::borrow::Cow;

use gusset_codegen::ir::Type;
use gusset_program::{I8, Kind as LlvmKind, TypeId, Val};

use gusset_lower::{Element, Sink};
use gusset_text::{Placed, Result};

use crate::convert::reader::Reader;
use crate::syntax::attributes::{
    hex, read_float, read_int, read_integer, read_ints, read_symbol, read_wide_words, resolve_map,
};
use crate::syntax::lexer::{Cursor, Tokens, unescape};
use crate::syntax::op::{Op, Value};
use crate::syntax::types::affine::Map;
use crate::syntax::types::{INDEX, Kind, Ty};

/// Elements of a constant for translation that all are one, and that is not zero.
const MAX_REPEATED: u32 = 1 << 24;

impl<'r, E: Sink> Reader<'r, E> {
    /// A cursor on the value of an attribute, aliases followed.
    pub fn attr(&self, op: &Op<'r>, name: &str) -> Option<Cursor<'r>> {
        op.attr_pos(name).map(|pos| self.resolve(Cursor::new(self.c.src, pos)))
    }

    /// The cursor, or one where the attribute stands whose alias is here.
    pub fn resolve(&self, c: Cursor<'r>) -> Cursor<'r> {
        self.t.resolve(c)
    }

    /// The error that an attribute is missing.
    #[cold]
    pub fn missing(&self, op: &Op<'r>, name: &str) -> gusset_text::ReadError {
        self.c.error_at(op.pos, format!("the attribute `{name}` of `{}` is missing", op.name))
    }

    /// An attribute that must be there.
    pub fn need(&self, op: &Op<'r>, name: &str) -> Result<Cursor<'r>> {
        self.attr(op, name).ok_or_else(|| self.missing(op, name))
    }

    /// A number, or a truth.
    pub fn attr_int(&self, op: &Op<'r>, name: &str) -> Result<Option<i64>> {
        self.attr(op, name).map(|mut c| read_int(&mut c)).transpose()
    }

    /// Numbers: `array<i64: 1, 2>`, `[1, 2]`, `dense<[1, 2]> : …`.
    pub fn attr_ints(&self, op: &Op<'r>, name: &str) -> Result<Option<Vec<i64>>> {
        self.attr(op, name).map(|mut c| read_ints(&mut c)).transpose()
    }

    /// The numbers of all attributes of this name: a form may have several.
    pub fn attrs_ints(&self, op: &Op<'r>, name: &str) -> Result<Vec<i64>> {
        let all = op.attrs.iter().filter(|a| a.0 == name.as_bytes());
        all.map(|a| read_int(&mut Cursor::new(self.c.src, a.1))).collect()
    }

    /// The text of a string, or a keyword.
    pub fn attr_word(&self, op: &Op<'r>, name: &str) -> Result<Option<&'r [u8]>> {
        let Some(mut c) = self.attr(op, name) else { return Ok(None) };
        if c.peek() == b'"' { c.quoted().map(Some) } else { Ok(Some(c.peek_word())) }
    }

    /// The name of a symbol: the last of a path.
    pub fn attr_symbol(&self, op: &Op<'r>, name: &str) -> Result<(Cow<'r, [u8]>, usize)> {
        let mut c = self.need(op, name)?;
        let pos = c.pos;
        read_symbol(&mut c).map(|symbol| (symbol, pos))
    }

    /// A type.
    pub fn attr_type(&mut self, op: &Op<'r>, name: &str) -> Result<Option<Ty>> {
        let Some(mut c) = self.attr(op, name) else { return Ok(None) };
        self.t.parse(self.l.types_mut(), &mut c).map(Some)
    }

    /// An affine map.
    pub fn attr_map(&self, op: &Op<'r>, name: &str) -> Result<Option<Map>> {
        op.attr_pos(name).map(|pos| resolve_map(self.t, Cursor::new(self.c.src, pos))).transpose()
    }

    /// Reads the members of an array attribute.
    pub fn attr_list<T>(
        &mut self,
        op: &Op<'r>,
        name: &str,
        mut f: impl FnMut(&mut Self, &mut Cursor<'r>) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        let Some(mut c) = self.attr(op, name) else { return Ok(None) };
        c.expect(b'[')?;
        let mut all = Vec::new();
        let mut more = !c.eat(b']');
        while more {
            let mut there = self.resolve(c);
            let aliased = there.pos != c.pos;
            all.push(f(self, &mut there)?);
            if aliased {
                c.skip_value()?;
            } else {
                c = there;
            }
            more = c.more(b']')?;
        }
        Ok(Some(all))
    }

    // Constants.

    /// Reads an attribute as a constant of a type; or of the type that it says itself.
    pub fn constant(&mut self, c: &mut Cursor<'r>, ty: Option<Ty>) -> Result<Value> {
        *c = self.resolve(*c);
        let pos = c.pos;
        if let Some(ty) = ty
            && let Some(v) = self.constant_bytes(c, ty)?
        {
            return Ok(v);
        }
        match c.peek() {
            b'd' if c.peek_word() == b"dense" => self.dense(c, ty),
            b's' if c.peek_word() == b"sparse" => self.dense(c, ty),
            b'd' if c.peek_word() == b"dense_resource" => self.resource(c, ty),
            b'"' => self.string(c, ty),
            b'[' => self.members(c, ty),
            b'u' if c.eat_word(b"unit") => Err(c.error_at(pos, "a unit is no value")),
            b'#' if E::PRESERVES_METADATA && c.starts_with(b"#llvm.zero") => {
                let ty = ty.ok_or_else(|| c.error_at(pos, "the constant's type is not said"))?;
                let whole = self.t.whole(ty);
                let val = self.l.zero_value(whole).at(c.src, pos)?;
                c.skip_untyped()?;
                Ok(self.unpack(ty, val))
            }
            _ => {
                let ty = match ty {
                    Some(ty) => ty,
                    None => self.own_type(*c)?,
                };
                let Some(id) = (self.t.count(ty) == 1).then(|| self.t.part(ty, 0)) else {
                    return Err(c.error_at(pos, "the constant is not a value of this type"));
                };
                let own = if id == I8 { self.own_type(*c)? } else { ty };
                let val = match self.float8(own).or(self.float8(ty)) {
                    Some(format) => self.number8(c, format)?,
                    None => self.number(c, id)?,
                };
                if c.eat(b':') {
                    let own = self.t.parse(self.l.types_mut(), c)?;
                    let float = self.l.types().get(id).kind == LlvmKind::Float;
                    let wrong = float && own != ty && self.t.element(self.l.types(), ty) != Some(own);
                    c.refuse_if(wrong, pos, "the number is of another type than the constant")?;
                }
                Ok(self.value(ty, &[val]))
            }
        }
    }

    /// Reads a dense constant of an array for the contents of a variable.
    fn constant_bytes(&mut self, c: &mut Cursor<'r>, ty: Ty) -> Result<Option<Value>> {
        let whole = self.t.whole(ty);
        let array = matches!(self.l.types().get(whole).kind, LlvmKind::Array { .. });
        if !array || !self.l.holds_contents() {
            return Ok(None);
        }
        let pos = c.pos;
        let Some(bytes) = self.dense_bytes(c, whole)? else { return Ok(None) };
        let val = self.l.contents(whole, &bytes).at(c.src, pos)?;
        Ok(Some(self.unpack(ty, val)))
    }

    /// The type that stands behind a number; `i64` or `f64` if none does.
    pub fn own_type(&mut self, mut c: Cursor<'r>) -> Result<Ty> {
        let truth = matches!(c.peek_word(), b"true" | b"false");
        let start = c.pos;
        c.skip_untyped()?;
        if c.eat(b':') {
            return self.t.parse(self.l.types_mut(), &mut c);
        }
        let float = c.src[start..c.pos].contains(&b'.');
        Ok(Ty::of(match (truth, float) {
            (true, _) => gusset_program::I1,
            (_, true) => gusset_program::F64,
            _ => gusset_program::I64,
        }))
    }

    /// Reads a number of a scalar type, or of every lane of a vector.
    fn number(&mut self, c: &mut Cursor<'r>, ty: TypeId) -> Result<Val> {
        let pos = c.pos;
        let ir = self.l.types().ir(ty);
        match self.l.types().get(ty).kind {
            LlvmKind::Int => {
                let bits = self.bits_of_number(*c, ir.bits())?;
                if bits.max(ir.bits()) > 128 {
                    let mut words = Vec::new();
                    let negative = read_wide_words(c, bits, &mut words)?;
                    return Ok(self.l.wide(ty, &words, negative));
                }
                let n = read_integer(c, bits)?;
                Ok(self.l.integer(ty, n))
            }
            LlvmKind::Float => {
                let bits = read_float(c, ir)?;
                Ok(self.l.float(ty, bits))
            }
            LlvmKind::Vector { lane, .. } => {
                let n = self.number(c, lane)?;
                self.l.splat(ty, lane, n).at(c.src, pos)
            }
            _ => Err(c.error_at(pos, "a number is not a value of this type")),
        }
    }

    /// The bits that the number has by the type that it says itself, if that is another one than is wanted.
    #[inline]
    fn bits_of_number(&mut self, mut c: Cursor<'r>, wanted: u32) -> Result<u32> {
        // Short numbers fit whatever it is.
        let digits = &c.src[c.pos + usize::from(c.peek() == b'-')..];
        if (32..=128).contains(&wanted) && !digits.iter().take(10).all(u8::is_ascii_alphanumeric) {
            return Ok(wanted);
        }
        c.skip_untyped()?;
        if c.peek() != b':' {
            return Ok(wanted);
        }
        c.bump(1);
        let own = self.t.parse(self.l.types_mut(), &mut c)?;
        if own == INDEX {
            return Ok(wanted.max(64));
        }
        let ir = own.llvm().map_or(Type::VOID, |id| self.l.types().ir(id));
        Ok(if ir.is_int() { ir.bits() } else { wanted })
    }

    /// Reads `dense<…> : type` or `sparse<…> : type`.
    fn dense(&mut self, c: &mut Cursor<'r>, wanted: Option<Ty>) -> Result<Value> {
        let pos = c.pos;
        let (elements, dims, element) = self.elements(c, wanted)?;
        let ty = match wanted {
            Some(ty) => ty,
            None => self.dense_type(&dims, element, pos)?,
        };
        self.of_elements(ty, (&elements, element), c, pos)
    }

    /// Reads `dense<…> : type`: the constants of its elements, one if all are equal, the dimensions and the elements' type. Of
    /// `sparse<…> : type` it is all elements.
    pub fn elements(&mut self, c: &mut Cursor<'r>, wanted: Option<Ty>) -> Result<(Vec<Val>, Vec<u64>, Ty)> {
        if c.peek_word() == b"sparse" {
            return self.sparse_elements(c, wanted);
        }
        c.expect_word("dense")?;
        let start = *c;
        c.skip_group()?;
        let (dims, element) = self.shape_behind(c, wanted)?;
        let count = dims.iter().try_fold(1u64, |n, &d| n.checked_mul(d)).unwrap_or(u64::MAX);
        let mut inner = start;
        inner.expect(b'<')?;
        let mut out = Vec::new();
        if inner.peek() == b'"' {
            let raw = inner.quoted()?;
            self.blob(raw, element, count, &mut out, start)?;
        } else if inner.peek() != b'>' {
            self.nested(&mut inner, element, &mut out, 0)?;
        }
        inner.expect(b'>')?;
        let parts = if self.t.own(element).is_some_and(|k| matches!(k, Kind::Complex(_))) { 2 } else { 1 };
        let n = out.len() as u64;
        if n != parts && n != count.saturating_mul(parts) {
            return Err(start.error("there are not as many elements as the type has"));
        }
        Ok((out, dims, element))
    }

    /// Reads `sparse<[[0, 1], [2, 3]], [4.0, 5.0]> : type`: places, and what is there. Others are zero.
    fn sparse_elements(&mut self, c: &mut Cursor<'r>, wanted: Option<Ty>) -> Result<(Vec<Val>, Vec<u64>, Ty)> {
        c.expect_word("sparse")?;
        let start = *c;
        c.skip_group()?;
        let (dims, element) = self.shape_behind(c, wanted)?;
        let count = dims.iter().try_fold(1u64, |n, &d| n.checked_mul(d)).unwrap_or(u64::MAX);
        let large = count > MAX_REPEATED.into();
        start.refuse_if(large, start.pos, "constants of so many elements are not supported")?;
        self.check(element, start.pos)?;
        let mut inner = start;
        inner.expect(b'<')?;
        let (mut places, mut given) = (Vec::new(), Vec::new());
        if inner.peek() != b'>' {
            places = read_ints(&mut inner)?;
            inner.expect(b',')?;
            self.nested(&mut inner, element, &mut given, 0)?;
        }
        inner.expect(b'>')?;
        let rank = dims.len().max(1);
        if places.len() == 1 {
            // One number stands for all dimensions.
            places = vec![places[0]; rank];
        }
        let each = if self.t.own(element).is_some_and(|k| matches!(k, Kind::Complex(_))) { 2 } else { 1 };
        let fits = given.len() == each || given.len() == places.len() / rank * each;
        let wrong = "there are not as many elements as places";
        start.refuse_if(!places.is_empty() && !fits || !places.len().is_multiple_of(rank), start.pos, wrong)?;
        let part = self.t.part(element, 0);
        let zero = self.l.zero_value(part).at(start.src, start.pos)?;
        let mut all = vec![zero; count as usize * each];
        for (i, at) in places.chunks(rank).enumerate() {
            let place = at.iter().zip(&dims).try_fold(0u64, |n, (&i, &d)| {
                let i = u64::try_from(i).ok().filter(|&i| i < d)?;
                n.checked_mul(d)?.checked_add(i)
            });
            let place = place.ok_or_else(|| start.error("an element is not in the shape"))? as usize * each;
            let from = if given.len() == each { 0 } else { i * each };
            all[place..place + each].copy_from_slice(&given[from..from + each]);
        }
        Ok((all, dims, element))
    }

    /// A type for constants of these dimensions.
    fn dense_type(&mut self, dims: &[u64], element: Ty, pos: usize) -> Result<Ty> {
        if dims.is_empty() {
            return Ok(element);
        }
        let narrow: Option<Vec<u32>> = dims.iter().map(|&n| u32::try_from(n).ok().filter(|&n| n > 0)).collect();
        match narrow {
            Some(dims) if self.l.types().get(self.t.whole(element)).scalars == 1 => {
                self.t.vector(self.l.types_mut(), &dims, element).at(self.c.src, pos)
            }
            _ => Ok(element),
        }
    }

    /// Reads `: type` behind a dense constant; where nothing stands, as in variables, the type that is wanted says the shape.
    fn shape_behind(&mut self, c: &mut Cursor<'r>, wanted: Option<Ty>) -> Result<(Vec<u64>, Ty)> {
        match wanted.and_then(|ty| ty.llvm()).filter(|_| c.peek() != b':') {
            Some(mut element) => {
                let mut dims = Vec::new();
                loop {
                    let (inner, len) = match self.l.types().get(element).kind {
                        LlvmKind::Array { element, len } => (element, len),
                        LlvmKind::Vector { lane, len } => (lane, len.into()),
                        _ => {
                            let lane = self.t.complex_lane(self.l.types(), element);
                            return match lane {
                                Some(lane) => self.t.complex(self.l.types_mut(), Ty::of(lane)).at(c.src, c.pos),
                                None => Ok(self
                                    .elements
                                    .filter(|&ty| self.t.whole(ty) == element)
                                    .unwrap_or(Ty::of(element))),
                            }
                            .map(|ty| (dims, ty));
                        }
                    };
                    dims.push(len);
                    element = inner;
                }
            }
            None => {
                c.expect(b':')?;
                let (dims, element) = self.shaped(c)?;
                // Indices become integers of the type that is wanted.
                let lane = wanted.and_then(|ty| ty.llvm()).filter(|_| element == INDEX).map(|ty| self.innermost(ty));
                Ok((dims, lane.map_or(element, Ty::of)))
            }
        }
    }

    /// The type of what arrays and vectors in each other have as elements.
    fn innermost(&self, mut ty: TypeId) -> TypeId {
        while let LlvmKind::Array { element: inner, .. } | LlvmKind::Vector { lane: inner, .. } =
            self.l.types().get(ty).kind
        {
            ty = inner;
        }
        ty
    }

    /// Reads the shaped type of a dense constant: a vector, tensor or memref.
    pub fn shaped(&mut self, c: &mut Cursor<'r>) -> Result<(Vec<u64>, Ty)> {
        let pos = c.pos;
        let word = c.peek_word();
        if !matches!(word, b"vector" | b"tensor" | b"memref") {
            return Err(c.expected("a type with a shape"));
        }
        c.bump(word.len());
        c.expect(b'<')?;
        let sizes = self.t.dimensions(c, &mut false)?;
        let element = self.t.parse(self.l.types_mut(), c)?;
        while c.eat(b',') {
            c.skip_value()?;
        }
        c.expect(b'>')?;
        let sizes: Option<Vec<u64>> = sizes.iter().map(|&n| u64::try_from(n).ok()).collect();
        let sizes = sizes.ok_or_else(|| c.error_at(pos, "the shape of a constant has no `?`"))?;
        Ok((sizes, element))
    }

    /// Reads a shaped type: its dimensions.
    pub fn shape_of(&mut self, c: &mut Cursor<'r>) -> Result<Vec<u64>> {
        self.shaped(c).map(|shape| shape.0)
    }

    fn nested(&mut self, c: &mut Cursor<'r>, element: Ty, out: &mut Vec<Val>, depth: u32) -> Result<()> {
        if c.peek() != b'[' {
            if c.peek() == b'(' {
                // Of a complex number.
                c.bump(1);
                let whole = self.t.part(element, 0);
                let member = Element::whole(whole).member(self.l.types(), 0).filter(|_| E::PRESERVES_METADATA);
                let part = member.map_or(whole, |m| m.ty);
                let re = self.number(c, part)?;
                c.expect(b',')?;
                let im = self.number(c, part)?;
                c.expect(b')')?;
                match member {
                    Some(_) => out.push(self.pair(whole, [re, im], c.pos)?),
                    None => out.extend([re, im]),
                }
                return Ok(());
            }
            self.check(element, c.pos)?;
            let part = self.t.whole(element);
            out.push(match self.float8(element) {
                Some(format) => self.number8(c, format)?,
                None => self.number(c, part)?,
            });
            return Ok(());
        }
        c.refuse_if(depth > gusset_program::MAX_DEPTH, c.pos, "the constant is nested too deeply")?;
        c.bump(1);
        let mut more = !c.eat(b']');
        while more {
            self.nested(c, element, out, depth + 1)?;
            more = c.more(b']')?;
        }
        Ok(())
    }

    /// Elements as their bytes in hexadecimal, or bytes themselves.
    fn blob(&mut self, raw: &[u8], element: Ty, count: u64, out: &mut Vec<Val>, at: Cursor<'r>) -> Result<()> {
        let bytes = match raw.strip_prefix(b"0x") {
            Some(digits) => {
                let wrong = || at.error("this is no hexadecimal number");
                hex(digits).map_err(|e| at.error(e.to_string()))?.ok_or_else(wrong)?
            }
            None => unescape(raw),
        };
        self.raw_elements(&bytes, element, count, out, at)
    }

    /// Elements from their bytes, the lowest first.
    fn raw_elements(
        &mut self,
        bytes: &[u8],
        element: Ty,
        count: u64,
        out: &mut Vec<Val>,
        at: Cursor<'r>,
    ) -> Result<()> {
        self.check(element, at.pos)?;
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
            at.refuse_if(bytes.len() < n.div_ceil(8), at.pos, "there are not as many bytes as the elements take")?;
            for i in 0..n {
                let v = self.l.integer(id, set(i).into());
                out.push(v);
            }
            return Ok(());
        }
        let width = bits.div_ceil(8) as usize;
        at.refuse_if(!bytes.len().is_multiple_of(width), at.pos, "there are not as many bytes as the elements take")?;
        let n = (bytes.len() / width) as u64;
        at.refuse_if(
            n != parts && n != count.saturating_mul(parts),
            at.pos,
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

    /// Reads `dense_resource<key> : type`, whose bytes stand at the file's end.
    fn resource(&mut self, c: &mut Cursor<'r>, wanted: Option<Ty>) -> Result<Value> {
        let pos = c.pos;
        c.bump(b"dense_resource".len());
        c.expect(b'<')?;
        let bytes = self.resource_bytes(c, pos)?;
        c.expect(b'>')?;
        let (dims, element) = self.shape_behind(c, wanted)?;
        let count = dims.iter().try_fold(1u64, |n, &d| n.checked_mul(d)).unwrap_or(u64::MAX);
        let mut out = Vec::new();
        self.raw_elements(&bytes, element, count, &mut out, *c)?;
        let ty = match wanted {
            Some(ty) => ty,
            None => self.dense_type(&dims, element, pos)?,
        };
        self.of_elements(ty, (&out, element), c, pos)
    }

    /// A constant struct of two.
    fn pair(&mut self, ty: TypeId, members: [Val; 2], pos: usize) -> Result<Val> {
        let aggregate = self.l.begin_aggregate(ty).at(self.c.src, pos)?;
        for (i, x) in members.into_iter().enumerate() {
            if let Some(member) = Element::whole(ty).member(self.l.types(), i as u64) {
                self.l.set_member(aggregate, member, x);
            }
        }
        Ok(aggregate)
    }

    /// A constant of a vector or array type from its elements, row by row.
    pub fn of_elements(
        &mut self,
        ty: Ty,
        (elements, element): (&[Val], Ty),
        c: &Cursor<'r>,
        pos: usize,
    ) -> Result<Value> {
        // A splat is repeated.
        let whole = self.t.whole(ty);
        let zero = elements.len() == 1 && self.l.int_constant(elements[0]) == Some(0);
        let large =
            E::PRESERVES_METADATA && elements.len() == 1 && !zero && self.l.types().get(whole).scalars > MAX_REPEATED;
        c.refuse_if(large, pos, "constants of so many elements are not supported")?;
        let complex = matches!(self.t.own(element), Some(Kind::Complex(_)));
        if E::PRESERVES_METADATA && complex && ty.llvm().is_some() {
            // There they are structs.
            let whole = self.t.whole(element);
            let pairs = elements.chunks_exact(2).map(|pair| self.pair(whole, [pair[0], pair[1]], pos));
            let pairs = pairs.collect::<Result<Vec<Val>>>()?;
            return self.of_elements(ty, (&pairs, Ty::of(whole)), c, pos);
        }
        let n = self.t.count(ty);
        // Complex numbers have two.
        let each = self.t.count(element).max(1);
        let element = self.t.part(element, 0);
        let mut at = 0;
        let mut parts = Vec::with_capacity(n);
        for i in 0..n {
            let part = self.t.part(ty, i);
            parts.push(self.filled(part, (elements, element), &mut at, c, pos)?);
        }
        c.refuse_if(elements.len() > each && at != elements.len(), pos, "the constant is not a value of this type")?;
        Ok(self.value(ty, &parts))
    }

    /// A constant of a type of LLVM from elements; `at` is the number of the next.
    fn filled(
        &mut self,
        ty: TypeId,
        (elements, own): (&[Val], TypeId),
        at: &mut usize,
        c: &Cursor<'r>,
        pos: usize,
    ) -> Result<Val> {
        let mut next = |n: usize| {
            let from = if elements.len() == 1 { 0 } else { *at };
            *at += n;
            if elements.len() == 1 { Some((from, true)) } else { (*at <= elements.len()).then_some((from, false)) }
        };
        let wrong = || c.error_at(pos, "the constant is not a value of this type");
        match self.l.types().get(ty).kind {
            LlvmKind::Vector { lane, len } => {
                let (from, splat) = next(len as usize).ok_or_else(wrong)?;
                c.refuse_if(own != lane, pos, "the constant is not a value of this type")?;
                if splat {
                    return self.l.splat(ty, lane, elements[0]).at(c.src, pos);
                }
                let lanes: Vec<_> = elements[from..from + len as usize].iter().map(|v| v.value()).collect();
                self.l.vector(ty, &lanes).at(c.src, pos)
            }
            LlvmKind::Array { .. }
                if E::PRESERVES_METADATA && elements.len() == 1 && self.l.int_constant(elements[0]) == Some(0) =>
            {
                self.l.zero_value(ty).at(c.src, pos)
            }
            LlvmKind::Array { element, len } => {
                let aggregate = self.l.begin_aggregate(ty).at(c.src, pos)?;
                for i in 0..len {
                    let x = self.filled(element, (elements, own), at, c, pos)?;
                    if let Some(member) = Element::whole(ty).member(self.l.types(), i) {
                        self.l.set_member(aggregate, member, x);
                    }
                }
                Ok(aggregate)
            }
            LlvmKind::Struct { .. } if self.t.complex_lane(self.l.types(), ty) == Some(own) => {
                let from = if elements.len() == 2 { 0 } else { *at };
                *at += 2;
                let pair = elements.get(from..from + 2).ok_or_else(wrong)?;
                let aggregate = self.l.begin_aggregate(ty).at(c.src, pos)?;
                for (i, &x) in pair.iter().enumerate() {
                    if let Some(member) = Element::whole(ty).member(self.l.types(), i as u64) {
                        self.l.set_member(aggregate, member, x);
                    }
                }
                Ok(aggregate)
            }
            _ => {
                let (from, _) = next(1).ok_or_else(wrong)?;
                c.refuse_if(own != ty, pos, "the constant is not a value of this type")?;
                Ok(elements[from])
            }
        }
    }

    /// Reads a string: an array of bytes.
    fn string(&mut self, c: &mut Cursor<'r>, wanted: Option<Ty>) -> Result<Value> {
        let pos = c.pos;
        let bytes = unescape(c.quoted()?);
        if c.eat(b':') {
            self.t.parse(self.l.types_mut(), c)?;
        }
        let ty = match wanted {
            Some(ty) => self.t.whole(ty),
            None => self.l.types_mut().array(gusset_program::I8, bytes.len() as u64).at(c.src, pos)?,
        };
        let fits = matches!(self.l.types().get(ty).kind, LlvmKind::Array { element: gusset_program::I8, len } if len == bytes.len() as u64);
        c.refuse_if(!fits, pos, "the string is not a value of this type")?;
        let val = self.l.string(ty, &bytes).at(c.src, pos)?;
        Ok(self.value(Ty::of(ty), &[val]))
    }

    /// Reads `[a, b]` as a struct, an array or a complex number.
    fn members(&mut self, c: &mut Cursor<'r>, wanted: Option<Ty>) -> Result<Value> {
        let pos = c.pos;
        let ty = wanted.ok_or_else(|| c.error_at(pos, "the constant's type is not said"))?;
        c.expect(b'[')?;
        let id = self.t.whole(ty);
        let aggregate = self.l.begin_aggregate(id).at(c.src, pos)?;
        let (mut i, mut more) = (0, !c.eat(b']'));
        while more {
            let Some(member) = Element::whole(id).member(self.l.types(), i) else {
                return Err(c.error_at(pos, "the constant has more members than its type"));
            };
            let here = *c;
            let v = self.constant(c, Some(Ty::of(member.ty)))?;
            let mut behind = here;
            behind.skip_value()?;
            *c = behind;
            self.l.set_member(aggregate, member, self.one(v));
            i += 1;
            more = c.more(b']')?;
        }
        let full = self.l.types().element(id, i).is_none();
        c.refuse_if(!full, pos, "the constant has fewer members than its type")?;
        Ok(self.unpack(ty, aggregate))
    }
}
