//! Signatures, and the values that cross them: calls, entry and return.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use gusset_abi::{ArgAbi, Extension, Layout, PassMode, Piece, Pieces, Place, Reg};

use super::*;
use crate::ir::{CallData, Callee, MemFlags, SigData, TailKind};

/// How a value is passed by a call.
enum Crossing {
    /// By itself, with this type.
    Plain(Type),
    /// In legal vectors of this type, in order.
    Vectors(Type),
    /// Each lane on its own.
    Lanes,
    /// Two registers as one value.
    Pair,
    /// Each limb on its own.
    Limbs,
    /// As bits in integers or floats of these types, in memory order.
    Chunks,
    /// One number of 16 bits as an `f32`.
    Number,
    /// With each lane widened to a lane of this vector type, in one piece or several.
    Promoted(Type),
}

impl Cx<'_> {
    fn crossing(&self, ty: Type, pieces: &[Piece]) -> Result<Crossing> {
        let shape = self.shape(ty);
        let count = pieces.len() as u32;
        if let [Piece { ext: Extension::Lanes { to: 32, .. }, .. }] = pieces
            && ty.lane() == Type::F16
            && ty.lanes() == 1
        {
            return Ok(Crossing::Number);
        }
        if let Some(promoted) = self.promoted_lanes(ty, pieces) {
            return Ok(promoted);
        }
        let whole = |p: &Piece| p.reg().map_or(p.size > 8, |r| self.legal.is_vector(r));
        let vectors = |n: u32| count == n && pieces.iter().all(whole);
        Ok(match shape {
            Shape::Same => Crossing::Plain(ty),
            Shape::Odd(wide) => Crossing::Plain(wide),
            Shape::Limbs if self.splits_pairs && self.limb_pieces(ty, pieces).is_none() => Crossing::Pair,
            Shape::Limbs => Crossing::Limbs,
            _ if self.limbs_of_lanes(ty).is_some() => Crossing::Limbs,
            Shape::Vector(_) | Shape::Mask if vectors(self.part_type(ty).1) => Crossing::Vectors(self.part_type(ty).0),
            Shape::List if ty.lane_bits() == 16 && vectors(ty.lanes().div_ceil(8)) => {
                Crossing::Vectors(self.full(Type::I16))
            }
            // Registers of floating-point numbers hold no integers.
            _ if count == ty.lanes() && !(ty.lane().is_int() && pieces.iter().any(in_vector)) => Crossing::Lanes,
            Shape::List if count.is_multiple_of(ty.lanes()) => Crossing::Lanes,
            Shape::Vector(_) if pieces.iter().all(|p| p.size <= 8 && (count == 1 || p.size.is_power_of_two())) => {
                Crossing::Chunks
            }
            Shape::List if !self.has_vectors => Crossing::Chunks,
            // A few halves on the stack are in the first eightbyte of their slot.
            Shape::List if ty.lane_bits() == 16 && count == 1 && ty.lanes() <= 4 => Crossing::Chunks,
            // Where such vectors are passed whole, in registers of eight bytes or by words.
            Shape::List if ty.lane_bits() == 16 && pieces.iter().all(|p| matches!(p.size, 4 | 8)) => Crossing::Chunks,
            _ => {
                return self.unsupported(format!(
                    "`{}` as an argument or a result, in {count} pieces, is not supported",
                    TypeInLlvm(ty)
                ));
            }
        })
    }

    /// A vector whose lanes are wider in registers than in its representation here.
    fn promoted_lanes(&self, ty: Type, pieces: &[Piece]) -> Option<Crossing> {
        let &[first @ Piece { ext: Extension::Lanes { to, .. }, .. }, ..] = pieces else { return None };
        // When pairs are split, lanes have been widened.
        if !self.has_vectors || self.splits_pairs {
            return None;
        }
        let vt = self.full(promoted(to.into()));
        // Most masks are represented in this way.
        let is_held = self.shape(ty) == Shape::Mask && self.part_type(ty).0 == vt;
        (!is_held || !first.reg().is_some_and(|r| self.legal.is_vector(r))).then_some(Crossing::Promoted(vt))
    }

    /// The types in which a value is passed, and its pieces distributed to them.
    fn cross_types(&self, ty: Type, pieces: &[Piece]) -> Result<Vec<(Type, Pieces)>> {
        let each = |t: Type| pieces.iter().map(|p| (t, Pieces::one(Piece { offset: 0, ..*p }))).collect();
        Ok(match self.crossing(ty, pieces)? {
            Crossing::Plain(t) => vec![(t, pieces.iter().copied().collect())],
            Crossing::Pair => vec![(ty, pieces.iter().copied().collect())],
            Crossing::Vectors(t) => each(t),
            Crossing::Limbs => {
                let Some(limbs) = self.limb_pieces(ty, pieces) else {
                    return self.unsupported(format!(
                        "`{}` as an argument or a result that does not travel by registers is not supported",
                        TypeInLlvm(ty)
                    ));
                };
                limbs
            }
            Crossing::Lanes => {
                let per = pieces.len() / ty.lanes() as usize;
                let of = |c: &[Piece]| {
                    let first = c[0].offset;
                    c.iter().map(|p| Piece { offset: p.offset - first, ..*p }).collect()
                };
                pieces.chunks(per).map(|c| (ty.lane(), of(c))).collect()
            }
            Crossing::Chunks => {
                pieces.iter().map(|p| (chunk_type(p), Pieces::one(Piece { offset: 0, ..*p }))).collect()
            }
            Crossing::Number => {
                let whole =
                    |p: &Piece| Piece { offset: 0, size: 4, ext: Extension::None, assume: Extension::None, ..*p };
                vec![(Type::F32, pieces.iter().map(whole).collect())]
            }
            Crossing::Promoted(vt) => {
                let plain = |p: &Piece| Piece { offset: 0, ext: Extension::None, assume: Extension::None, ..*p };
                let each = |p: &Piece| (if p.size == self.bytes { vt } else { chunk_type(p) }, Pieces::one(plain(p)));
                pieces.iter().map(each).collect()
            }
        })
    }

    /// The limbs of an integer as separate values, if each has a register or a place on the stack.
    fn limb_pieces(&self, ty: Type, pieces: &[Piece]) -> Option<Vec<(Type, Pieces)>> {
        let start = pieces.first()?.offset;
        let plain = |p: &Piece| p.ext == Extension::None && p.assume == Extension::None;
        if self.splits_pairs && !pieces.iter().all(plain) {
            return None;
        }
        let one = |(below, limb): (u32, Type)| {
            let size = limb.store_bytes();
            let offset = start + self.endian.place(below, size, ty.store_bytes());
            let p = pieces.iter().find(|p| p.offset <= offset && offset + size <= p.offset + p.size)?;
            let place = match p.place {
                Place::Stack { offset: o } => Place::Stack { offset: o + offset - p.offset },
                _ if (offset, size) == (p.offset, p.size) => p.place,
                _ => return None,
            };
            Some((promoted(limb.bits()), Pieces::one(Piece { offset: 0, size, place, ..*p })))
        };
        self.limb_types(ty).map(one).collect()
    }

    /// A signature in which everything is split into legal values.
    pub(super) fn signature(&mut self, sig: SigId) -> Result<SigId> {
        if let Some(s) = self.sigs[sig.index()] {
            return Ok(s);
        }
        let src = self.src;
        let old = &src.sigs[sig.index()];
        let new = if old.params.iter().chain(&old.results).all(|&t| self.is_plain(t)) {
            Arc::clone(old)
        } else {
            Arc::new(self.cut(old)?)
        };
        let id = SigId::new(self.out.sigs.len());
        self.out.sigs.push(new);
        self.sigs[sig.index()] = Some(id);
        Ok(id)
    }

    fn cut(&self, old: &SigData) -> Result<SigData> {
        let mut new = old.clone();
        new.params.clear();
        new.results.clear();
        new.abi.args.clear();
        new.source.params.clear();
        new.split = self.bytes;
        for (i, &ty) in old.params.iter().enumerate() {
            let parts = match old.abi.args.get(i) {
                Some(ArgAbi { mode: PassMode::Direct(_), .. }) if !old.param_is_aggregate(i) => self
                    .cross_types(ty, &self.arg_pieces(old, i))?
                    .into_iter()
                    .map(|(t, p)| (t, PassMode::Direct(p)))
                    .collect(),
                Some(ArgAbi { mode: PassMode::Parts(modes), .. }) => self.parts_by_address(ty, modes)?,
                Some(a) if self.is_plain(ty) => vec![(ty, a.mode.clone())],
                Some(a) if self.splits_pairs && matches!(a.mode, PassMode::Indirect { .. }) => {
                    vec![(ty, a.mode.clone())]
                }
                Some(ArgAbi { mode: PassMode::StackCopy { .. }, .. }) if self.shape(ty) == Shape::Limbs => {
                    let limbs = self.cross_types(ty, &self.arg_pieces(old, i))?;
                    limbs.into_iter().map(|(t, p)| (t, PassMode::Direct(p))).collect()
                }
                Some(a) if ty.is_vector() => {
                    let whole = self.cross_types(ty, &self.arg_pieces(old, i))?;
                    let [(t, _)] = whole[..] else {
                        return self.unsupported(format!(
                            "a parameter of type `{}` that is passed by several addresses is not supported",
                            TypeInLlvm(ty)
                        ));
                    };
                    vec![(t, a.mode.clone())]
                }
                Some(_) => {
                    return self.unsupported(format!(
                        "a parameter of type `{}` that is not passed by value is not supported",
                        TypeInLlvm(ty)
                    ));
                }
                None => {
                    new.params.push(ty);
                    continue;
                }
            };
            if new.abi.sret_param == Some(i as u32) {
                new.abi.sret_param = Some(new.params.len() as u32);
            }
            // Values in pieces have no address, so the layout of the whole is never asked for.
            let layout = old.abi.args.get(i).map_or(Layout::NOTHING, |a| a.layout);
            for (t, mode) in parts {
                new.params.push(t);
                new.abi.args.push(ArgAbi { mode, layout });
                if let Some(p) = old.source.params.get(i) {
                    new.source.params.push(p.clone());
                }
            }
        }
        let mut pieces = Pieces::new();
        for (i, &ty) in old.results.iter().enumerate() {
            for (t, p) in self.cross_types(ty, &self.result_pieces(old, i))? {
                let scalar = new.results.len() as u16;
                new.results.push(t);
                for piece in &p {
                    pieces.push(Piece { scalar, ..*piece });
                }
            }
        }
        if !old.results.is_empty() && matches!(old.abi.ret.mode, PassMode::Direct(_)) {
            new.abi.ret.mode = PassMode::Direct(pieces);
        }
        Ok(new)
    }

    /// A value in parts, some of which are passed by the address of a copy: each part is a parameter of its own.
    fn parts_by_address(&self, ty: Type, modes: &[PassMode]) -> Result<Vec<(Type, PassMode)>> {
        let crossed = self.cross_types(ty, &held_parts(modes))?;
        if crossed.len() != modes.len() {
            return self.unsupported(format!(
                "a parameter of type `{}` that is passed by several addresses is not supported",
                TypeInLlvm(ty)
            ));
        }
        let each = crossed.into_iter().zip(modes).map(|((t, pieces), mode)| match *mode {
            PassMode::Indirect { pointer, size, align } => {
                let pointer = Piece { offset: 0, ..pointer };
                (t, PassMode::Indirect { pointer, size, align })
            }
            _ => (t, PassMode::Direct(pieces)),
        });
        Ok(each.collect())
    }

    /// The values that pass a value of type `ty`.
    fn send(&mut self, v: Value, pieces: &[Piece]) -> Result<Parts> {
        let ty = self.src.value_type(v);
        Ok(match self.crossing(ty, pieces)? {
            Crossing::Plain(_) => self.get(v)?.0,
            Crossing::Pair => {
                let limbs = self.get(v)?.0;
                Parts::one(self.join_pair(&limbs))
            }
            Crossing::Vectors(vt) => {
                let parts = if self.shape(ty) == Shape::List { self.join_halves(v, vt)? } else { self.passed(v)? };
                self.register_order(ty, &parts, pieces)
            }
            Crossing::Lanes => self.lanes(v)?.into_iter().collect(),
            Crossing::Number => self.lanes(v)?.into_iter().map(|v| self.single(v)).collect(),
            Crossing::Limbs => {
                let limbs = self.get(v)?.0;
                let types = self.limb_types(ty);
                types.zip(&limbs).map(|((_, t), &v)| self.resize(v, promoted(t.bits()))).collect()
            }
            Crossing::Chunks if !self.has_vectors => {
                let (parts, width) = self.get(v)?;
                let at = self.crossing_place(ty);
                self.store_parts(&parts, width, ty, at, 0, MemFlags::new(8, false))?;
                let chunk = |(p, offset)| self.raw_load(chunk_type(p), at, offset as i32, MemFlags::new(4, false));
                from_the_first(pieces).map(chunk).collect()
            }
            Crossing::Chunks => {
                let parts = match self.shape(ty) {
                    Shape::List => self.join_halves(v, self.full(Type::I16))?,
                    _ => self.get(v)?.0,
                };
                self.chunks(&parts, pieces)
            }
            Crossing::Promoted(vt) => {
                let mut out = self.poison(vt);
                for (k, lane) in self.lanes(v)?.into_iter().enumerate() {
                    let lane = self.resize(lane, vt.lane());
                    out = self.insert(out, lane, k as u32);
                }
                if pieces[0].size == self.bytes {
                    self.register_order(ty, &[out], pieces)
                } else {
                    self.chunks(&[out], pieces)
                }
            }
        })
    }

    /// Pieces of a value that is in these vectors.
    fn chunks(&mut self, vectors: &[Value], pieces: &[Piece]) -> Parts {
        let chunk = |(p, offset): (&Piece, u32)| {
            self.chunk(vectors[(offset / self.bytes) as usize], offset % self.bytes, chunk_type(p))
        };
        from_the_first(pieces).map(chunk).collect()
    }

    /// Vectors of type `vt` made of pieces.
    fn join_chunks(&mut self, vt: Type, n: u32, pieces: &[Piece], values: &[Value]) -> Parts {
        let mut out: Parts = (0..n).map(|_| self.poison(vt)).collect();
        for ((p, offset), &x) in from_the_first(pieces).zip(values) {
            let at = (offset / self.bytes) as usize;
            debug_assert_eq!(self.out.value_type(x), chunk_type(p));
            out[at] = self.put_chunk(out[at], offset % self.bytes, x);
        }
        out
    }

    /// The value of type `ty` that was passed in `values`.
    fn receive(&mut self, ty: Type, pieces: &[Piece], values: &[Value]) -> Result<Held> {
        Ok(match self.crossing(ty, pieces)? {
            Crossing::Plain(_) => (values.iter().copied().collect(), 0),
            Crossing::Pair => (self.split_pair(values[0]).into_iter().collect(), 0),
            Crossing::Vectors(_) if self.shape(ty) == Shape::List => {
                let values = self.register_order(ty, values, pieces);
                (self.part_halves(ty, &values), 0)
            }
            Crossing::Vectors(vt) if self.shape(ty) == Shape::Mask => {
                // Only the lowest bit of a lane is guaranteed.
                let mut out = Parts::new();
                for &v in &self.register_order(ty, values, pieces) {
                    let low = self.bin_imm(Opcode::And, v, 1);
                    out.push(self.is_nonzero(low));
                }
                (out, vt.lane_bits() as u8)
            }
            Crossing::Vectors(_) => (self.register_order(ty, values, pieces), 0),
            Crossing::Lanes => self.from_lanes(values, ty),
            Crossing::Number => {
                let half = self.e1(Opcode::Fptrunc, Type::F16, [values[0].0, 0, 0]);
                self.from_lanes(&[half], ty)
            }
            Crossing::Limbs => (values.iter().map(|&v| self.resize(v, self.limb)).collect(), 0),
            Crossing::Chunks if !self.has_vectors => {
                let at = self.crossing_place(ty);
                for ((_, offset), &x) in from_the_first(pieces).zip(values) {
                    self.raw_store(x, at, offset as i32, MemFlags::new(4, false));
                }
                self.load_parts(ty, at, 0, MemFlags::new(8, false))?
            }
            Crossing::Chunks => {
                let list = self.shape(ty) == Shape::List;
                let vt = if list { self.full(Type::I16) } else { self.part_type(ty).0 };
                let n = if list { ty.store_bytes().div_ceil(self.bytes) } else { self.part_type(ty).1 };
                let out = self.join_chunks(vt, n, pieces, values);
                (if list { self.part_halves(ty, &out) } else { out }, 0)
            }
            Crossing::Promoted(vt) => {
                let whole = pieces[0].size == self.bytes;
                let from = if whole {
                    self.register_order(ty, values, pieces)[0]
                } else {
                    self.join_chunks(vt, 1, pieces, values)[0]
                };
                let held = promoted(ty.lane_bits());
                let narrow = |cx: &mut Self, k| {
                    let lane = cx.extract(from, k);
                    if ty.lane() == Type::I1 {
                        cx.e1(Opcode::Trunc, Type::I1, [lane.0, 0, 0])
                    } else {
                        cx.resize(lane, held)
                    }
                };
                let lanes: Vec<Value> = (0..ty.lanes()).map(|k| narrow(self, k)).collect();
                self.from_lanes(&lanes, ty)
            }
        })
    }

    /// Memory for a value that is in scalars here and is passed in other types.
    fn crossing_place(&mut self, ty: Type) -> Value {
        let slot = self.out.make_temporary(ty.store_bytes().next_multiple_of(16), 16);
        self.out.slot_addr(slot, self.ptr)
    }

    /// Halves in vectors of eight lanes, of type `vt`.
    fn join_halves(&mut self, v: Value, vt: Type) -> Result<Parts> {
        let lanes = self.get(v)?.0;
        let mut out = Parts::new();
        for chunk in lanes.chunks(8) {
            let mut part = self.poison(vt);
            for (k, &lane) in chunk.iter().enumerate() {
                let lane = self.cast(lane, Type::I16);
                part = self.insert(part, lane, k as u32);
            }
            out.push(part);
        }
        Ok(out)
    }

    /// The halves of a value of type `ty` from such vectors.
    fn part_halves(&mut self, ty: Type, vectors: &[Value]) -> Parts {
        let mut out = Parts::new();
        for k in 0..ty.lanes() {
            let x = self.extract(vectors[k as usize / 8], k % 8);
            out.push(self.cast(x, ty.lane()));
        }
        out
    }

    /// The pieces of an argument. What is passed by the address of a copy is copied from a vector register as a whole.
    fn arg_pieces<'s>(&self, sig: &'s SigData, i: usize) -> Cow<'s, [Piece]> {
        let whole = |place| vec![Piece { size: sig.params[i].store_bytes(), place, ..Piece::default() }];
        match sig.abi.args.get(i).map(|a| &a.mode) {
            Some(PassMode::Indirect { .. }) if sig.params[i].is_vector() => {
                Cow::Owned(whole(Place::Reg(Reg::float(0))))
            }
            Some(&PassMode::StackCopy { offset, .. }) if !sig.param_is_aggregate(i) => {
                Cow::Owned(whole(Place::Stack { offset }))
            }
            Some(PassMode::Parts(modes)) => Cow::Owned(held_parts(modes)),
            Some(mode) if sig.params[i].is_vector() => Cow::Owned(self.held_pieces(sig.params[i], mode.pieces())),
            Some(mode) => Cow::Borrowed(mode.pieces()),
            None => Cow::Borrowed(&[]),
        }
    }

    /// The pieces of result `i`.
    fn result_pieces(&self, sig: &SigData, i: usize) -> Pieces {
        let own = sig.abi.ret.mode.pieces().iter().filter(|p| p.scalar as usize == i).copied();
        match sig.results[i].is_vector() {
            true => self.held_pieces(sig.results[i], &own.collect::<Vec<_>>()).into_iter().collect(),
            false => own.collect(),
        }
    }

    /// Pieces of a vector as registers hold them. Pieces of widened lanes get the offsets of those. If not all of the
    /// vector is in vector registers or on the stack, each half of a piece of 16 bytes is a piece of its own.
    fn held_pieces(&self, ty: Type, pieces: &[Piece]) -> Vec<Piece> {
        let mut all = pieces.to_vec();
        let whole = |p: &Piece| p.reg().map_or(self.has_vectors, |r| self.legal.is_vector(r));
        if let (Some(&Piece { ext: Extension::Lanes { to, .. }, offset, .. }), true) = (all.first(), self.has_vectors) {
            let bytes = (u32::from(to) * ty.lanes().next_power_of_two()).div_ceil(64) * 8;
            let mut at = 0;
            for p in &mut all {
                let size = match p.reg() {
                    Some(reg) if self.legal.is_vector(reg) => self.bytes,
                    Some(_) if in_vector(p) => p.reg_bytes().unwrap_or(p.size),
                    Some(_) => self.limb.store_bytes(),
                    None => bytes - at,
                };
                (p.offset, p.size) = (offset + at, size);
                at += size;
            }
        }
        if all.iter().all(whole) {
            return all;
        }
        // The last piece may lie after the last lane.
        let filled = |p: &Piece| Piece { size: p.size.max(1).next_power_of_two(), ..*p };
        let halves = |p: &Piece| filled(p).halves().map_or_else(|| vec![filled(p)], Vec::from);
        all.iter().flat_map(halves).collect()
    }

    /// The entry block's parameters.
    pub(super) fn entry(&mut self, b: Block) -> Result<()> {
        let src = self.src;
        let types = Arc::clone(&self.out.sigs[self.out.sig.index()]);
        let values: Vec<Value> = types.params.iter().map(|&t| self.out.append_param(b, t)).collect();
        let old = src.signature();
        let fail = "the entry block's parameters do not match the signature";
        self.receive_all(src.params(b).iter().copied(), &values, |cx, i| cx.arg_pieces(old, i), fail)
    }

    /// Defines values by what arrives for them.
    fn receive_all<P: Deref<Target = [Piece]>>(
        &mut self,
        all: impl Iterator<Item = Value>,
        values: &[Value],
        pieces: impl Fn(&Self, usize) -> P,
        fail: &str,
    ) -> Result<()> {
        let mut at = 0;
        for (k, v) in all.enumerate() {
            let ty = self.src.value_type(v);
            let pieces = &*pieces(self, k);
            let n = if self.is_plain(ty) { 1 } else { self.cross_types(ty, pieces)?.len() };
            let Some(mine) = values.get(at..at + n) else { return self.unsupported(fail) };
            let (parts, width) =
                if self.is_plain(ty) { (Parts::one(mine[0]), 0) } else { self.receive(ty, pieces, mine)? };
            self.define(v, &parts, width);
            at += n;
        }
        Ok(())
    }

    pub(super) fn ret(&mut self, d: &InstData) -> Result<()> {
        let src = self.src;
        let mut words = Vec::new();
        for (i, &v) in src.pool_values(d.a, d.b).iter().enumerate() {
            let parts = self.send(v, &self.result_pieces(src.signature(), i))?;
            words.extend(parts.iter().map(|v| v.0));
        }
        let n = words.len() as u32;
        let start = self.out.push_words(words);
        self.push(InstData { a: start, b: n, ..*d }, &[]);
        Ok(())
    }

    pub(super) fn call(&mut self, i: Inst, d: &InstData) -> Result<()> {
        let src = self.src;
        let call = src.calls[d.a as usize];
        let old = &src.sigs[call.sig.index()];
        let sig = self.signature(call.sig)?;
        let callee = match call.callee {
            Callee::Value(v) => Callee::Value(self.one(v)?),

            symbol => symbol,
        };
        let mut words = Vec::new();
        for (k, &v) in src.pool_values(call.args_start, call.args_len).iter().enumerate() {
            if self.is_plain(src.value_type(v)) {
                words.push(self.one(v)?.0);
            } else {
                let parts = self.send(v, &self.arg_pieces(old, k))?;
                words.extend(parts.iter().map(|v| v.0));
            }
        }
        let args_len = words.len() as u32;
        let args_start = self.out.push_words(words);
        let types = Arc::clone(&self.out.sigs[sig.index()]);
        let results = types.results.len() as u32;
        let id = self.out.calls.len() as u32;
        self.out.calls.push(CallData { callee, sig, args_start, args_len, results, ..call });
        let made = self.push(InstData { a: id, ..*d }, &types.results);
        let values: Vec<Value> = self.out.results(made).collect();
        if call.tail == TailKind::Must {
            // The return after the call returns its results as they come; the source's return is dropped.
            let (a, b) = (self.out.push_words(values.iter().map(|v| v.0)), values.len() as u32);
            self.push(InstData { op: Opcode::Return, flags: 0, ty: Type::VOID, a, b, c: 0 }, &[]);
            return Ok(());
        }
        let fail = "the call's results do not match its signature";
        self.receive_all(src.results(i), &values, |cx, k| cx.result_pieces(old, k), fail)
    }
}

/// The pieces of a value in parts. What is passed by the address of a copy is copied from a vector register.
fn held_parts(modes: &[PassMode]) -> Vec<Piece> {
    let part = |mode: &PassMode| match *mode {
        PassMode::Indirect { pointer, size, .. } => {
            let copied = Piece { size: size as u32, place: Place::Reg(Reg::float(0)), ..pointer };
            vec![copied]
        }
        ref direct => direct.pieces().to_vec(),
    };
    modes.iter().flat_map(part).collect()
}

/// Is the piece held by a vector register?
fn in_vector(p: &Piece) -> bool {
    p.reg().is_some_and(|r| r.class == gusset_abi::RegClass::Float)
}

/// The scalar type of a piece that is neither a lane nor a whole vector.
fn chunk_type(p: &Piece) -> Type {
    match (in_vector(p), p.size) {
        (true, 4) => Type::F32,
        (true, 8) => Type::F64,
        (_, size) => promoted(8 * size),
    }
}

/// Pieces with offsets relative to their value, which may be one of several in an aggregate.
fn from_the_first(pieces: &[Piece]) -> impl Iterator<Item = (&Piece, u32)> {
    let start = pieces.first().map_or(0, |p| p.offset);
    pieces.iter().map(move |p| (p, p.offset - start))
}
