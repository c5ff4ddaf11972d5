//! Single lanes and their rearrangement.

use super::*;
use crate::ir::MemFlags;

impl Cx<'_> {
    pub(super) fn lane_inst(&mut self, d: &InstData) -> Result<Held> {
        match d.op {
            Opcode::ExtractLane => self.extract_lane(d),
            Opcode::InsertLane => self.insert_lane(d),
            Opcode::Splat => {
                if self.limbs_of_lanes(d.ty).is_some() {
                    let limbs = self.get(Value(d.a))?.0;
                    let parts: Parts = (0..d.ty.lanes()).flat_map(|_| limbs.iter().copied()).collect();
                    return Ok((parts, 0));
                }
                let x = self.one(Value(d.a))?;
                let (vt, n, width) = self.part_type(d.ty);
                let part = match self.shape(d.ty) {
                    Shape::Mask => self.all_lanes(x, vt),
                    Shape::Vector(_) => self.splat(vt, x),
                    _ => x,
                };
                let parts: Parts = (0..n).map(|_| part).collect();
                Ok((parts, width))
            }
            _ => self.shuffle_inst(d),
        }
    }

    /// The lane number in an operand, if it is a constant.
    fn lane_number(&self, v: Value) -> Option<u128> {
        self.src.int_constant(self.src.resolve(v))
    }

    fn extract_lane(&mut self, d: &InstData) -> Result<Held> {
        let v = Value(d.a);
        let ty = self.src.value_type(v);
        let (parts, _) = self.get(v)?;
        if let Some(per) = self.limbs_of_lanes(ty) {
            let limbs: Parts = match self.lane_number(Value(d.b)) {
                Some(k) if k >= ty.lanes() as u128 => (0..per).map(|_| self.poison(self.limb)).collect(),
                Some(k) => parts[k as usize * per..][..per].iter().copied().collect(),
                None => {
                    let (_, lane) = self.lane_place(v, &parts, Value(d.b))?;
                    self.load_parts(ty.lane(), lane, 0, MemFlags::new(1, false))?.0
                }
            };
            return Ok((limbs, 0));
        }
        let x = match self.lane_number(Value(d.b)) {
            Some(k) if k >= ty.lanes() as u128 => self.poison(ty.lane()),
            Some(k) => {
                let k = k as u32;
                match self.shape(ty) {
                    Shape::Vector(vt) => self.extract(parts[(k / vt.lanes()) as usize], k % vt.lanes()),
                    Shape::Mask => self.mask_lane(&parts, k),
                    _ => parts[k as usize],
                }
            }
            None => {
                let (_, lane) = self.lane_place(v, &parts, Value(d.b))?;
                let memory = self.lane_memory_type(ty);
                let x = self.raw_load(memory, lane, 0, MemFlags::new(1, false));
                if ty.lane() == Type::I1 { self.e1(Opcode::Trunc, Type::I1, [x.0, 0, 0]) } else { x }
            }
        };
        Ok((Parts::one(x), 0))
    }

    fn insert_lane(&mut self, d: &InstData) -> Result<Held> {
        let v = Value(d.a);
        let (mut parts, width) = self.get(v)?;
        if let Some(per) = self.limbs_of_lanes(d.ty) {
            let limbs = self.get(Value(d.b))?.0;
            match self.lane_number(Value(d.c)) {
                Some(k) if k >= d.ty.lanes() as u128 => {}
                Some(k) => (0..per).for_each(|j| parts[k as usize * per + j] = limbs[j]),
                None => {
                    let (at, lane) = self.lane_place(v, &parts, Value(d.c))?;
                    self.store_parts(&limbs, 0, d.ty.lane(), lane, 0, MemFlags::new(1, false))?;
                    parts = self.load_parts(d.ty, at, 0, MemFlags::new(1, false))?.0;
                }
            }
            return Ok((parts, 0));
        }
        let x = self.one(Value(d.b))?;
        let shape = self.shape(d.ty);
        match self.lane_number(Value(d.c)) {
            Some(k) if k >= d.ty.lanes() as u128 => {}
            Some(k) => {
                let k = k as u32;
                if shape == Shape::List {
                    parts[k as usize] = x;
                } else {
                    let vt = self.out.value_type(parts[0]);
                    let x = if width > 0 { self.e1(Opcode::Sext, vt.lane(), [x.0, 0, 0]) } else { x };
                    let at = (k / vt.lanes()) as usize;
                    parts[at] = self.insert(parts[at], x, k % vt.lanes());
                }
            }
            None => {
                let (at, lane) = self.lane_place(v, &parts, Value(d.c))?;
                let x = if width > 0 { self.e1(Opcode::Sext, Type::I8, [x.0, 0, 0]) } else { x };
                self.raw_store(x, lane, 0, MemFlags::new(1, false));
                let (vt, n, _) = self.part_type(d.ty);
                let vt = if width > 0 { self.full(Type::I8) } else { vt };
                let n = if width > 0 { d.ty.lanes().div_ceil(vt.lanes()) } else { n };
                let step = if vt.is_vector() { self.bytes } else { lane_step(vt) };
                let load = |k| {
                    let v = self.raw_load(vt, at, (k * step) as i32, MemFlags::new(1, false));
                    if vt.is_vector() { self.memory_order(v, self.bytes) } else { v }
                };
                let parts: Parts = (0..n).map(load).collect();
                return Ok((parts, if width > 0 { 8 } else { 0 }));
            }
        }
        Ok((parts, width))
    }

    fn lane_memory_type(&self, ty: Type) -> Type {
        if ty.lane() == Type::I1 { Type::I8 } else { ty.lane() }
    }

    /// Stores a vector in memory, masks as byte lanes. Returns its address and that of the lane with the number
    /// `index`.
    fn lane_place(&mut self, v: Value, parts: &[Value], index: Value) -> Result<(Value, Value)> {
        let ty = self.src.value_type(v);
        let parts = if self.shape(ty) == Shape::Mask { self.mask(v, 8)? } else { parts.iter().copied().collect() };
        let stride = lane_step(self.lane_memory_type(ty));
        let lanes = ty.lanes().next_power_of_two();
        let slot = self.out.make_temporary((lanes * stride).next_multiple_of(16), 16);
        let at = self.out.slot_addr(slot, self.ptr);
        for (k, &p) in parts.iter().enumerate() {
            let held = self.out.value_type(p);
            let step = if held.is_vector() { self.bytes } else { lane_step(held) };
            let p = if held.is_vector() { self.memory_order(p, self.bytes) } else { p };
            self.raw_store(p, at, (k as u32 * step) as i32, MemFlags::new(1, false));
        }
        let bits = self.src.value_type(index).bits();
        let index = self.one(index)?;
        let index = self.zx(index, bits);
        let index = self.resize(index, self.ptr);
        // A number beyond the last lane gives poison; the access must stay in the slot.
        let index = self.bin_imm(Opcode::And, index, lanes as u128 - 1);
        let distance = self.bin_imm(Opcode::Imul, index, stride as u128);
        let lane = self.bin(Opcode::Iadd, at, distance);
        Ok((at, lane))
    }

    fn shuffle_inst(&mut self, d: &InstData) -> Result<Held> {
        let src = self.src;
        let (a, b) = (Value(d.a), Value(d.b));
        let n = src.value_type(a).lanes();
        let mask = &src.pool[d.c as usize..(d.c + d.ty.lanes()) as usize];
        let (mut from, width) = self.get(a)?;
        if self.shape(d.ty) == Shape::List {
            let second = self.get(b)?.0;
            let mut parts = Parts::new();
            let per = self.limbs_of_lanes(d.ty).unwrap_or(1);
            let part = self.part_type(d.ty).0;
            for (m, k) in mask.iter().flat_map(|&m| (0..per).map(move |k| (m, k))) {
                parts.push(match m {
                    m if m < n => from[m as usize * per + k],
                    m if m < 2 * n => second[(m - n) as usize * per + k],
                    _ => self.poison(part),
                });
            }
            return Ok((parts, 0));
        }
        let width = if width > 0 && src.constant(src.resolve(a)).is_some() { self.get(b)?.1 } else { width };
        if width > 0 {
            from = self.mask(a, width)?;
        }
        let second = if width > 0 { self.mask(b, width)? } else { self.get(b)?.0 };
        let count = from.len() as u32;
        let mut all = from;
        for &p in &second {
            all.push(p);
        }
        let vt = self.out.value_type(all[0]);
        let per = vt.lanes();
        // The part and the lane in it for a lane of the source.
        let place = |m: u32| match m {
            m if m < n => Some((m / per, m % per)),
            m if m < 2 * n => Some((count + (m - n) / per, (m - n) % per)),
            _ => None,
        };
        let mut parts = Parts::new();
        for chunk in mask.chunks(per as usize) {
            let lane = |k: u32| chunk.get(k as usize).and_then(|&m| place(m));
            let part = self.gather(vt, &all, lane);
            parts.push(part);
        }
        Ok((parts, width))
    }

    /// A legal vector whose lane `k` is the lane and part that `lane` gives for `k`.
    fn gather(&mut self, vt: Type, all: &[Value], lane: impl Fn(u32) -> Option<(u32, u32)>) -> Value {
        let per = vt.lanes();
        let mut used: Parts = Parts::new();
        for k in 0..per {
            if let Some((p, _)) = lane(k)
                && !used.contains(&all[p as usize])
            {
                used.push(all[p as usize]);
            }
        }
        let at = |k: u32, v: Value| lane(k).filter(|&(p, _)| all[p as usize] == v).map(|(_, l)| l);
        let Some(&first) = used.first() else { return self.poison(vt) };
        if used.len() == 1 {
            if (0..per).all(|k| at(k, first).is_none_or(|l| l == k)) {
                return first;
            }
            return self.shuffle(first, first, |k| at(k, first));
        }
        let second = used[1];
        let mut out = self.shuffle(first, second, |k| at(k, first).or(at(k, second).map(|l| per + l)));
        for (j, &next) in used.iter().enumerate().skip(2) {
            let seen: Parts = used[..j].iter().copied().collect();
            out = self.shuffle(out, next, |k| {
                at(k, next).map(|l| per + l).or_else(|| seen.iter().any(|&v| at(k, v).is_some()).then_some(k))
            });
        }
        out
    }
}

/// Distance of lanes in a slot of our own, bytes.
fn lane_step(ty: Type) -> u32 {
    ty.store_bytes().next_power_of_two()
}
