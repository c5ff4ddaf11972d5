//! Conversions of vectors: lane widths, masks, numbers, bit patterns.

use super::*;

/// What the upper half of a lane that becomes wider is: zeros, its sign, or for masks the lane once more.
#[derive(Clone, Copy)]
pub(super) enum Upper {
    Zeros,
    Sign,
    Copy,
}

impl Upper {
    pub(super) fn of(signed: bool) -> Upper {
        if signed { Upper::Sign } else { Upper::Zeros }
    }
}

impl Cx<'_> {
    pub(super) fn conversion(&mut self, d: &InstData) -> Result<Held> {
        use Opcode::*;
        let src = self.src;
        let (a, to) = (Value(d.a), d.ty);
        let from = src.value_type(a);
        let (lane, lane_to) = (from.lane(), to.lane());
        if self.shape(lane) == Shape::Limbs || self.shape(lane_to) == Shape::Limbs {
            let parts = self.lanes(a)?;
            let per = parts.len() / from.lanes() as usize;
            let lanes: Vec<Value> =
                parts.chunks(per).flat_map(|part| self.wide_conversion(d.op, lane, lane_to, part)).collect();
            return Ok(self.from_lanes(&lanes, to));
        }
        if !from.is_vector() {
            let v = self.one(a)?;
            let v = self.convert(d.op, from, to, v);
            return Ok((Parts::one(v), 0));
        }
        let n = from.lanes();
        let (fl, tl) = (from.lane_bits(), to.lane_bits());
        match (d.op, self.shape(from), self.shape(to)) {
            (Zext | Sext | Trunc, Shape::Vector(_), Shape::Vector(_)) => {
                let parts = self.get(a)?.0;
                let parts = self.resize_lanes(&parts, n, fl, tl, Upper::of(d.op == Sext));
                return Ok((parts, 0));
            }
            (Zext | Sext, Shape::Mask, Shape::Vector(_)) => {
                let mut parts = self.mask(a, tl as u8)?;
                if d.op == Zext {
                    parts = parts.iter().map(|&p| self.bin_imm(And, p, 1)).collect();
                }
                return Ok((parts, 0));
            }
            (Trunc, Shape::Vector(vt), Shape::Mask) if self.legal.has(Icmp, vt) => {
                let mut parts = Parts::new();
                for &p in &self.get(a)?.0 {
                    let low = self.bin_imm(And, p, 1);
                    parts.push(self.is_nonzero(low));
                }
                return Ok((parts, fl as u8));
            }
            (Sitofp | Uitofp, Shape::Vector(_), Shape::Vector(vt)) if fl <= tl => {
                // Narrower numbers are numbers of the full width with the same sign.
                let op = if fl < tl { Sitofp } else { d.op };
                if self.legal.has(op, vt) {
                    let parts = self.get(a)?.0;
                    let parts = self.resize_lanes(&parts, n, fl, tl, Upper::of(d.op == Sitofp));
                    let parts: Parts = parts.iter().map(|p| self.e1(op, vt, [p.0, 0, 0])).collect();
                    return Ok((parts, 0));
                }
            }
            (Fptosi | Fptoui, Shape::Vector(_), Shape::Vector(_)) if fl >= tl => {
                let it = self.mask_type(fl as u8);
                let op = if fl > tl { Fptosi } else { d.op };
                if self.legal.has(op, it) {
                    let parts = self.get(a)?.0;
                    let parts: Parts = parts.iter().map(|p| self.e1(op, it, [p.0, 0, 0])).collect();
                    let parts = self.resize_lanes(&parts, n, fl, tl, Upper::Zeros);
                    return Ok((parts, 0));
                }
            }
            _ => {}
        }
        let lanes = self.lanes(a)?;
        let lanes: Vec<Value> = lanes.iter().map(|&v| self.convert(d.op, from.lane(), to.lane(), v)).collect();
        Ok(self.from_lanes(&lanes, to))
    }

    /// A mask of the lanes that are not zero.
    pub(super) fn is_nonzero(&mut self, v: Value) -> Value {
        let vt = self.out.value_type(v);
        let zero = self.num(vt, 0);
        self.er(Opcode::Icmp, IntCc::Ne as u8, vt, [v.0, zero.0, 0], vt)
    }

    /// Converts `n` integer lanes to another width.
    pub(super) fn resize_lanes(&mut self, parts: &[Value], n: u32, from: u32, to: u32, upper: Upper) -> Parts {
        let mut parts: Parts = parts.iter().copied().collect();
        let mut width = from;
        while width < to {
            let it = self.mask_type(width as u8);
            let wide = self.mask_type(2 * width as u8);
            let per = it.lanes();
            let count = n.div_ceil(per / 2);
            let mut next = Parts::new();
            for &p in &parts {
                let upper = match upper {
                    Upper::Zeros => self.num(it, 0),
                    Upper::Sign => {
                        let zero = self.num(it, 0);
                        self.er(Opcode::Icmp, IntCc::Slt as u8, it, [p.0, zero.0, 0], it)
                    }
                    Upper::Copy => p,
                };
                for half in 0..2 {
                    if (next.len() as u32) < count {
                        let v = self.shuffle(p, upper, |k| {
                            let lane = half * per / 2 + k / 2;
                            Some(if k % 2 == 0 { lane } else { per + lane })
                        });
                        next.push(self.cast(v, wide));
                    }
                }
            }
            parts = next;
            width *= 2;
        }
        while width > to {
            width /= 2;
            parts = self.narrow(&parts, width);
        }
        parts
    }

    /// The low halves of all lanes, which have `2 * width` bits.
    fn narrow(&mut self, parts: &[Value], width: u32) -> Parts {
        let it = self.mask_type(width as u8);
        let per = it.lanes();
        let mut next = Parts::new();
        for pair in parts.chunks(2) {
            let a = self.cast(pair[0], it);
            let b = if pair.len() > 1 { self.cast(pair[1], it) } else { a };
            let v = if pair.len() > 1 {
                self.shuffle(a, b, |k| Some(2 * k))
            } else {
                self.shuffle(a, b, |k| (k < per / 2).then_some(2 * k))
            };
            next.push(v);
        }
        next
    }

    /// A mask of `n` lanes in another lane width.
    pub(super) fn mask_to(&mut self, parts: &[Value], n: u32, from: u8, to: u8) -> Parts {
        self.resize_lanes(parts, n, from.into(), to.into(), Upper::Copy)
    }

    /// The lanes of one part of a byte mask as the bits of an `i16`; bits beyond the mask are undefined.
    pub(super) fn pack_mask(&mut self, part: Value) -> Value {
        let words = self.cast(part, self.full(Type::I64));
        let mut out = None;
        for half in 0..2 {
            let x = self.extract(words, half);
            let x = self.bin_imm(Opcode::And, x, 0x8040_2010_0804_0201);
            let x = self.bin_imm(Opcode::Imul, x, 0x0101_0101_0101_0101);
            let x = self.bin_imm(Opcode::Lshr, x, 56);
            out = Some(self.or_above(out, x, 8));
        }
        // There were two halves.
        let x = out.unwrap_or(part);
        self.e1(Opcode::Trunc, Type::I16, [x.0, 0, 0])
    }

    /// The part of a byte mask for the bits of an `i16`.
    pub(super) fn unpack_mask(&mut self, bits: Value) -> Value {
        let bits = self.resize(bits, Type::I64);
        let mut v = self.poison(self.full(Type::I64));
        for half in 0..2 {
            let x = if half == 0 { bits } else { self.bin_imm(Opcode::Lshr, bits, 8) };
            let x = self.bin_imm(Opcode::And, x, 0xff);
            let x = self.bin_imm(Opcode::Imul, x, 0x0101_0101_0101_0101);
            let x = self.bin_imm(Opcode::And, x, 0x8040_2010_0804_0201);
            v = self.insert(v, x, half);
        }
        let v = self.cast(v, self.full(Type::I8));
        self.is_nonzero(v)
    }

    /// A mask of up to 128 lanes as an integer; the upper bits are undefined.
    pub(super) fn mask_to_int(&mut self, parts: &[Value], n: u32, width: u8) -> Value {
        let parts = self.mask_to(parts, n, width, 8);
        if n == 1 {
            return self.mask_lane(&parts, 0);
        }
        let ty = promoted(n);
        let mut out: Option<Value> = None;
        for (k, &p) in parts.iter().enumerate() {
            let x = self.pack_mask(p);
            let x = self.resize(x, ty);
            out = Some(self.or_above(out, x, 16 * k as u128));
        }
        out.unwrap_or(parts[0])
    }

    pub(super) fn int_to_mask(&mut self, v: Value, n: u32) -> Parts {
        (0..n.div_ceil(16))
            .map(|k| {
                let x = if k == 0 { v } else { self.bin_imm(Opcode::Lshr, v, 16 * k as u128) };
                self.unpack_mask(x)
            })
            .collect()
    }

    pub(super) fn bitcast(&mut self, d: &InstData) -> Result<Held> {
        let to = d.ty;
        let from = self.src.value_type(Value(d.a));
        let (parts, width) = self.get(Value(d.a))?;
        if from == to {
            return Ok((parts, width));
        }
        let bits = from.bits();
        let v = match (self.shape(from), self.shape(to)) {
            (Shape::Limbs, _) | (_, Shape::Limbs) if self.splits_pairs => {
                return Ok((self.pair_bitcast(&parts, to), 0));
            }
            (Shape::Same, Shape::Same) => self.cast(parts[0], to),
            (Shape::Vector(_), Shape::Vector(vt)) => {
                return Ok((parts.iter().map(|&p| self.cast_lanes(p, vt)).collect(), 0));
            }
            (Shape::Mask, Shape::Same | Shape::Odd(_)) if to.is_int() => {
                let bits = self.mask_to_int(&parts, from.lanes(), width);
                self.mask_bits_order(bits, from.lanes())
            }
            (Shape::Same | Shape::Odd(_), Shape::Mask) if from.is_int() => {
                let bits = self.mask_bits_order(parts[0], to.lanes());
                return Ok((self.int_to_mask(bits, to.lanes()), 8));
            }
            (Shape::Same | Shape::Odd(_), Shape::Vector(vt)) if from.is_int() => {
                let v = self.int_to_vector(parts[0]);
                let v = self.cast(v, vt);
                self.number_order(v, bits / 8)
            }
            (Shape::Same, Shape::Vector(vt)) if matches!(from, Type::F32 | Type::F64) => {
                let v = self.poison(self.full(from));
                let v = self.insert(v, parts[0], 0);
                let v = self.cast(v, vt);
                self.number_order(v, bits / 8)
            }
            (Shape::Vector(_), Shape::Same) if matches!(to, Type::F32 | Type::F64) => {
                let v = self.number_order(parts[0], bits / 8);
                let v = self.cast(v, self.full(to));
                self.extract(v, 0)
            }
            (Shape::Vector(_), Shape::Same | Shape::Odd(_)) if to.is_int() => {
                let v = self.number_order(parts[0], bits / 8);
                self.vector_to_int(v, promoted(bits))
            }
            _ => {
                // Through memory.
                let slot = self.out.make_temporary(bits.div_ceil(8).next_multiple_of(16) + 16, 16);
                let at = self.out.slot_addr(slot, self.ptr);
                self.store_parts(&parts, width, from, at, 0, crate::ir::MemFlags::new(16, false))?;
                return self.load_parts(to, at, 0, crate::ir::MemFlags::new(16, false));
            }
        };
        Ok((Parts::one(v), 0))
    }

    /// An integer in the low lanes of a vector.
    pub(super) fn int_to_vector(&mut self, v: Value) -> Value {
        let ty = self.out.value_type(v);
        if ty != Type::I128 {
            let p = self.poison(self.full(ty));
            return self.insert(p, v, 0);
        }
        let p = self.poison(self.full(Type::I64));
        let low = self.resize(v, Type::I64);
        let high = self.bin_imm(Opcode::Lshr, v, 64);
        let high = self.resize(high, Type::I64);
        let p = self.insert(p, low, 0);
        self.insert(p, high, 1)
    }

    /// The low lanes of a vector as an integer of type `ty`.
    pub(super) fn vector_to_int(&mut self, v: Value, ty: Type) -> Value {
        if ty != Type::I128 {
            let v = self.cast(v, self.full(ty));
            return self.extract(v, 0);
        }
        let v = self.cast(v, self.full(Type::I64));
        let (low, high) = (self.extract(v, 0), self.extract(v, 1));
        let (low, high) = (self.resize(low, ty), self.resize(high, ty));
        self.or_above(Some(low), high, 64)
    }
}
