//! Loads and stores of exactly the bytes of a type.

use super::*;
use crate::ir::MemFlags;

/// The flags of an access `offset` bytes further on.
fn at_offset(flags: MemFlags, offset: u32) -> MemFlags {
    let align = if offset == 0 { flags.align() } else { flags.align().min(1 << offset.trailing_zeros()) };
    MemFlags::new(align, flags.is_volatile()).in_space(flags.space())
}

/// Splits `bytes` into powers of two of at most 8, the largest first: offset and size.
pub(super) fn pieces(bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let left = bytes - at;
        if left == 0 {
            return None;
        }
        let size = 1 << left.min(8).ilog2();
        at += size;
        Some((at - size, size))
    })
}

impl Cx<'_> {
    pub(super) fn load(&mut self, d: &InstData) -> Result<Held> {
        let addr = self.one(Value(d.a))?;
        self.load_parts(d.ty, addr, d.b as i32, MemFlags(d.flags))
    }

    pub(super) fn store(&mut self, d: &InstData) -> Result<()> {
        let addr = self.one(Value(d.a))?;
        let (parts, width) = self.get(Value(d.b))?;
        self.store_parts(&parts, width, d.ty, addr, d.c as i32, MemFlags(d.flags))
    }

    /// An address and offset such that adding `bytes` to the offset does not overflow.
    fn reach(&mut self, addr: Value, offset: i32, bytes: u32) -> (Value, i32) {
        if offset.checked_add(bytes as i32).is_some() {
            return (addr, offset);
        }
        (self.bin_imm(Opcode::Iadd, addr, offset as i128 as u128), 0)
    }

    pub(super) fn load_parts(&mut self, ty: Type, addr: Value, offset: i32, flags: MemFlags) -> Result<Held> {
        let shape = self.shape(ty);
        if shape == Shape::Same {
            return Ok((Parts::one(self.raw_load(ty, addr, offset, flags)), 0));
        }
        let (addr, offset) = self.reach(addr, offset, ty.store_bytes());
        let mut parts = Parts::new();
        let mut width = 0;
        match shape {
            Shape::Same => {}
            Shape::Odd(wide) => {
                let mut out: Option<Value> = None;
                for (at, size) in pieces(ty.store_bytes()) {
                    let x = self.raw_load(promoted(8 * size), addr, offset + at as i32, at_offset(flags, at));
                    let x = self.resize(x, wide);
                    let below = self.endian.place(at, size, ty.store_bytes());
                    let x = if below > 0 { self.bin_imm(Opcode::Shl, x, 8 * u128::from(below)) } else { x };
                    out = Some(out.map_or(x, |others| self.bin(Opcode::Or, others, x)));
                }
                out.into_iter().for_each(|v| parts.push(v));
            }
            Shape::Limbs => {
                for (below, limb) in self.limb_types(ty) {
                    let at = self.endian.place(below, limb.store_bytes(), ty.store_bytes());
                    let v = self.load_parts(limb, addr, offset + at as i32, at_offset(flags, at))?.0[0];
                    parts.push(self.resize(v, self.limb));
                }
            }
            Shape::Vector(vt) => {
                let bytes = ty.store_bytes();
                for start in (0..bytes).step_by(self.bytes as usize) {
                    let left = bytes - start;
                    let (at, f) = (offset + start as i32, at_offset(flags, start));
                    if left >= self.bytes {
                        let v = self.raw_load(vt, addr, at, f);
                        parts.push(self.memory_order(v, left));
                        continue;
                    }
                    let mut v = self.poison(vt);
                    for (o, size) in pieces(left) {
                        let x = self.raw_load(promoted(8 * size), addr, at + o as i32, at_offset(f, o));
                        let in_lanes = self.full(promoted(8 * size));
                        v = if o == 0 { self.poison(in_lanes) } else { self.cast(v, in_lanes) };
                        v = self.insert(v, x, o / size);
                    }
                    let v = self.cast(v, vt);
                    parts.push(self.memory_order(v, left));
                }
            }
            Shape::Mask if self.is_one_number(ty) => {
                width = 8;
                let bits = self.load_parts(self.mask_number(ty)?, addr, offset, flags)?.0[0];
                let bits = self.mask_bits_order(bits, ty.lanes());
                parts = self.int_to_mask(bits, ty.lanes());
            }
            Shape::Mask => {
                width = 8;
                for first in (0..ty.lanes()).step_by(16) {
                    let size = if ty.lanes() - first > 8 { Type::I16 } else { Type::I8 };
                    let at = first / 8;
                    let bits = self.raw_load(size, addr, offset + at as i32, at_offset(flags, at));
                    let bits = self.mask_bits_order(bits, size.bits());
                    parts.push(self.unpack_mask(bits));
                }
            }
            Shape::List if ty.lane() == Type::I1 => {
                for k in 0..ty.lanes() {
                    let (at, by) = self.bit_place(k, ty.lanes());
                    let byte = self.raw_load(Type::I8, addr, offset + at as i32, at_offset(flags, at));
                    let bit = self.bin_imm(Opcode::Lshr, byte, by.into());
                    parts.push(self.e1(Opcode::Trunc, Type::I1, [bit.0, 0, 0]));
                }
            }
            Shape::List => {
                let step = ty.lane_bits() / 8;
                for k in 0..ty.lanes() {
                    let at = k * step;
                    let (at, flags) = (offset + at as i32, at_offset(flags, at));
                    if self.limbs_of_lanes(ty).is_some() {
                        let limbs = self.load_parts(ty.lane(), addr, at, flags)?.0;
                        limbs.iter().for_each(|&limb| parts.push(limb));
                    } else {
                        parts.push(self.raw_load(ty.lane(), addr, at, flags));
                    }
                }
            }
        }
        Ok((parts, width))
    }

    pub(super) fn store_parts(
        &mut self,
        parts: &[Value],
        width: u8,
        ty: Type,
        addr: Value,
        offset: i32,
        flags: MemFlags,
    ) -> Result<()> {
        let shape = self.shape(ty);
        if shape == Shape::Same {
            self.raw_store(parts[0], addr, offset, flags);
            return Ok(());
        }
        let (addr, offset) = self.reach(addr, offset, ty.store_bytes());
        match shape {
            Shape::Same => {}
            Shape::Odd(_) => {
                let v = if ty.bits().is_multiple_of(8) { parts[0] } else { self.zx(parts[0], ty.bits()) };
                for (at, size) in pieces(ty.store_bytes()) {
                    let below = self.endian.place(at, size, ty.store_bytes());
                    let x = if below == 0 { v } else { self.bin_imm(Opcode::Lshr, v, 8 * u128::from(below)) };
                    let x = self.resize(x, promoted(8 * size));
                    self.raw_store(x, addr, offset + at as i32, at_offset(flags, at));
                }
            }
            Shape::Limbs => {
                for ((below, limb), &v) in self.limb_types(ty).zip(parts) {
                    let at = self.endian.place(below, limb.store_bytes(), ty.store_bytes());
                    let v = self.resize(v, self.part_type(limb).0);
                    self.store_parts(&[v], 0, limb, addr, offset + at as i32, at_offset(flags, at))?;
                }
            }
            Shape::Vector(_) => {
                let bytes = ty.store_bytes();
                for (k, &p) in parts.iter().enumerate() {
                    let start = k as u32 * self.bytes;
                    let left = bytes - start;
                    let (at, f) = (offset + start as i32, at_offset(flags, start));
                    let p = self.memory_order(p, left);
                    if left >= self.bytes {
                        self.raw_store(p, addr, at, f);
                        continue;
                    }
                    for (o, size) in pieces(left) {
                        let v = self.cast(p, self.full(promoted(8 * size)));
                        let x = self.extract(v, o / size);
                        self.raw_store(x, addr, at + o as i32, at_offset(f, o));
                    }
                }
            }
            Shape::Mask if self.is_one_number(ty) => {
                let number = self.mask_number(ty)?;
                let bits = self.mask_to_int(parts, ty.lanes(), width);
                let bits = self.mask_bits_order(bits, ty.lanes());
                self.store_parts(&[bits], 0, number, addr, offset, flags)?;
            }
            Shape::Mask => {
                let parts = self.mask_to(parts, ty.lanes(), width, 8);
                for (k, &p) in parts.iter().enumerate() {
                    let left = ty.lanes() - 16 * k as u32;
                    let size = if left > 8 { Type::I16 } else { Type::I8 };
                    let bits = self.pack_mask(p);
                    let bits = self.zx(bits, left);
                    let bits = self.resize(bits, size);
                    let bits = self.mask_bits_order(bits, size.bits());
                    let at = 2 * k as u32;
                    self.raw_store(bits, addr, offset + at as i32, at_offset(flags, at));
                }
            }
            Shape::List if ty.lane() == Type::I1 => {
                let mut bytes: Vec<Option<Value>> = vec![None; ty.lanes().div_ceil(8) as usize];
                for (k, bit) in (0..).zip(parts) {
                    let (at, by) = self.bit_place(k, ty.lanes());
                    let bit = self.e1(Opcode::Zext, Type::I8, [bit.0, 0, 0]);
                    let bit = self.bin_imm(Opcode::Shl, bit, by.into());
                    let byte = match bytes[at as usize] {
                        Some(byte) => byte,
                        None => self.num(Type::I8, 0),
                    };
                    bytes[at as usize] = Some(self.bin(Opcode::Or, byte, bit));
                }
                for (at, byte) in (0..).zip(bytes) {
                    let Some(byte) = byte else { continue };
                    self.raw_store(byte, addr, offset + at as i32, at_offset(flags, at));
                }
            }
            Shape::List => {
                let step = ty.lane_bits() / 8;
                for (k, lane) in (0..).zip(parts.chunks(self.limbs_of_lanes(ty).unwrap_or(1))) {
                    let at = k * step;
                    let (at, flags) = (offset + at as i32, at_offset(flags, at));
                    if lane.len() > 1 {
                        self.store_parts(lane, 0, ty.lane(), addr, at, flags)?;
                    } else {
                        self.raw_store(lane[0], addr, at, flags);
                    }
                }
            }
        }
        Ok(())
    }
}
