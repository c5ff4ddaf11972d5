//! Memory: accesses within areas of known size, slots of one type, blocks, atomic accesses.

use gusset_codegen::ir::{AtomicInfo, MemFlags, Opcode, Ordering, RmwOp, Slot, Type, Value};

use super::body::{Area, Body};

impl Body<'_, '_, '_> {
    /// Has every pattern of bits in memory one meaning as this type? Others are loaded from slots of their own only.
    pub fn can_load(&self, ty: Type) -> bool {
        matches!(ty.lane_bits(), 8 | 16 | 32 | 64 | 128) && ty.store_bytes() <= 128
    }

    /// A load of a type that [`can_load`](Self::can_load), from memory that all types share.
    pub fn load(&mut self, ty: Type) -> Value {
        let table = self.shared.src.chance(2);
        let (at, offset, align) = self.place(ty.store_bytes(), !table);
        let volatile = self.shared.src.chance(1);
        self.b.load(ty, at, offset, MemFlags::new(align, volatile))
    }

    /// Stores a value of any type.
    pub fn store(&mut self, v: Value) {
        let v = self.canonical(v);
        let ty = self.b.func.value_type(v);
        if !self.can_load(ty) && ty.store_bytes() > 128 {
            return;
        }
        let (at, offset, align) = self.place(ty.store_bytes(), true);
        let volatile = self.shared.src.chance(1);
        self.b.store(v, at, offset, MemFlags::new(align, volatile));
    }

    /// An address of `size` bytes, an offset from there, and the alignment of their sum.
    fn place(&mut self, size: u32, writable: bool) -> (Value, i32, u32) {
        let areas: Vec<Area> =
            self.areas.iter().copied().filter(|a| a.size >= size && (a.writable || !writable)).collect();
        let area = self.shared.src.pick(&areas);
        let room = area.size - size;
        let natural = size.next_power_of_two().min(16);
        let mut at = self.shared.src.below(room + 1);
        if !self.shared.src.chance(4) {
            at -= at % natural;
        }
        let align = |at: u32| if at == 0 { area.align } else { area.align.min(1 << at.trailing_zeros()) };
        let base = area.base;
        let (v, offset, align) = match self.shared.src.below(8) {
            0..=3 => (base, at as i32, align(at)),
            4 => {
                let n = self.b.ptr_const(at as i64);
                (self.b.binary(Opcode::Iadd, base, n), 0, align(at))
            }
            5 => {
                // There and back.
                let back = self.shared.src.below(64) as i32;
                let n = self.b.ptr_const(at as i64 + back as i64);
                (self.b.binary(Opcode::Iadd, base, n), -back, align(at))
            }
            _ => {
                let scale = self.shared.src.pick(&[8, 4, 1, 2, 16, 12]);
                // As many bits of index as there is room for.
                let most = room / scale;
                let mask = (most + 1).next_power_of_two() / 2;
                let mask = if mask > most { mask / 2 } else { mask };
                let mask = mask.saturating_sub(1).min(most);
                let rest = room - mask * scale;
                let offset = self.shared.src.below(rest + 1);
                let i = self.index_value(mask);
                let p = if self.shared.src.chance(4) && scale.is_power_of_two() {
                    let n = self.b.ptr_const(scale.trailing_zeros() as i64);
                    let i = self.b.binary(Opcode::Shl, i, n);
                    self.b.binary(Opcode::Iadd, base, i)
                } else {
                    self.b.index(base, i, scale as i32)
                };
                (p, offset as i32, align(scale).min(align(offset)))
            }
        };
        let align = if self.shared.src.chance(3) { 1 } else { align };
        (v, offset, align)
    }

    /// A number of an address's width, of the bits of `mask` at most.
    fn index_value(&mut self, mask: u32) -> Value {
        match self.shared.src.below(3) {
            0 => {
                let i = self.operand(Type::I32);
                let mask = self.b.iconst(Type::I32, mask as i128);
                let i = self.b.binary(Opcode::And, i, mask);
                let op = self.shared.src.pick(&[Opcode::Zext, Opcode::Sext]);
                if self.shared.pointer() == Type::I32 { i } else { self.b.convert(op, i, Type::I64) }
            }
            _ => {
                let ptr = self.shared.pointer();
                let i = self.operand(ptr);
                let mask = self.b.iconst(ptr, mask as i128);
                self.b.binary(Opcode::And, i, mask)
            }
        }
    }

    /// Something that is done to memory.
    pub fn memory(&mut self) {
        match self.shared.src.below(16) {
            0..=4 => {
                let ty = self.shared.some_type();
                if self.can_load(ty) {
                    let v = self.load(ty);
                    self.keep(v);
                }
            }
            5..=8 => {
                let ty = self.shared.some_type();
                let v = self.value(ty);
                self.store(v);
            }
            9 | 10 => self.own_slot(),
            11 if self.shared.src.chance(8) => self.member(),
            11 => self.update(),
            12 | 13 => self.block(),
            _ => self.atomic(),
        }
    }

    /// An addition or the like to memory, which may be one instruction.
    fn update(&mut self) {
        let ty = self.shared.src.pick(&[Type::I32, Type::I64, Type::I8, Type::I16]);
        let (at, offset, align) = self.place(ty.store_bytes(), true);
        let flags = MemFlags::new(align, false);
        let old = self.b.load(ty, at, offset, flags);
        let x = self.operand(ty);
        let op = self.shared.src.pick(&[Opcode::Iadd, Opcode::Isub, Opcode::And, Opcode::Or, Opcode::Xor]);
        let new = self.b.binary(op, old, x);
        self.b.store(new, at, offset, flags);
    }

    /// A slot of a type, initialised.
    pub fn make_slot(&mut self, ty: Type) -> Slot {
        let align = self.shared.src.pick(&[1, 2, 4, 8, 16, 32]);
        let room = self.shared.src.pick(&[0, 0, 1, 16]);
        let slot = self.b.func.make_slot(ty.store_bytes() + room, align);
        let at = self.b.slot_addr(slot);
        let v = self.operand(ty);
        self.b.store(v, at, 0, MemFlags::new(1, false));
        self.typed.push((slot, ty));
        slot
    }

    /// An access to a slot that holds one type only, as front ends make them for variables.
    fn own_slot(&mut self) {
        if self.typed.is_empty() {
            return;
        }
        let (slot, ty) = self.shared.src.pick(&self.typed);
        let at = self.b.slot_addr(slot);
        let align = self.b.func.slots[slot.index()].align.min(16);
        let flags = MemFlags::new(self.shared.src.pick(&[1, align]), self.shared.src.chance(1));
        match self.shared.src.below(8) {
            0..=3 => {
                let v = self.b.load(ty, at, 0, flags);
                self.keep(v);
            }
            4..=6 => {
                let v = self.value(ty);
                self.b.store(v, at, 0, flags);
            }
            _ => {
                let others: Vec<Slot> = self.typed.iter().filter(|s| s.1 == ty).map(|s| s.0).collect();
                let other = self.shared.src.pick(&others);
                let (from, n) = (self.b.slot_addr(other), self.b.ptr_const(ty.store_bytes() as i64));
                let op = self.shared.src.pick(&[Opcode::Memmove, Opcode::Memcpy]);
                self.b.mem_op(op, at, from, n, MemFlags::new(1, false));
            }
        }
    }

    /// A block that is copied or filled.
    fn block(&mut self) {
        let size = match self.shared.src.below(4) {
            0 => self.shared.src.below(16),
            1 => self.shared.src.pick(&[16, 32, 8, 64, 128]),
            _ => self.shared.src.below(129),
        };
        let (to, offset, align) = self.place(size, true);
        let to = self.sum(to, offset);
        // The length is known, or not.
        let n = if self.shared.src.chance(11) {
            self.b.ptr_const(size as i64)
        } else {
            let ptr = self.shared.pointer();
            let n = self.operand(ptr);
            let limit = self.b.iconst(ptr, size as i128 + 1);
            self.b.binary(Opcode::Urem, n, limit)
        };
        match self.shared.src.below(3) {
            0 => {
                let byte = self.operand(Type::I8);
                self.b.mem_op(Opcode::Memset, to, byte, n, MemFlags::new(align, false));
            }
            1 => {
                let (from, offset, other) = self.place(size, false);
                let from = self.sum(from, offset);
                self.b.mem_op(Opcode::Memmove, to, from, n, MemFlags::new(align.min(other), false));
            }
            _ => {
                // Two blocks that do not overlap: one of them is in the table, which is not written.
                let table = self.b.symbol_addr(self.shared.table, 0);
                let at = self.shared.src.below(super::DATA - size);
                let from = self.sum(table, at as i32);
                self.b.mem_op(Opcode::Memcpy, to, from, n, MemFlags::new(1, false));
            }
        }
    }

    fn sum(&mut self, v: Value, offset: i32) -> Value {
        if offset == 0 {
            return v;
        }
        let n = self.b.ptr_const(offset as i64);
        self.b.binary(Opcode::Iadd, v, n)
    }

    fn atomic(&mut self) {
        let ty = self.shared.src.pick(&[Type::I32, Type::I64, Type::I8, Type::I16, Type::I128]);
        let wide = ty.bits() > self.shared.platform.widest() || !self.shared.types.contains(&ty);
        let ty = if ty == Type::I128 && wide { Type::I32 } else { ty };
        let size = ty.store_bytes();
        let areas: Vec<Area> = self.areas.iter().copied().filter(|a| a.writable && a.align >= 16).collect();
        let area = self.shared.src.pick(&areas);
        let at = self.shared.src.below(area.size / size) * size;
        let at = self.sum(area.base, at as i32);
        let orders = [Ordering::SeqCst, Ordering::Monotonic, Ordering::AcqRel];
        let info = AtomicInfo::new(self.shared.src.pick(&orders), size, false);
        match self.shared.src.below(10) {
            0 => {
                let order = self.shared.src.pick(&[Ordering::SeqCst, Ordering::Acquire, Ordering::Monotonic]);
                let v = self.b.atomic_load(ty, at, AtomicInfo::new(order, size, false));
                self.keep(v);
            }
            1 => {
                let v = self.value(ty);
                let order = self.shared.src.pick(&[Ordering::SeqCst, Ordering::Release, Ordering::Monotonic]);
                self.b.atomic_store(v, at, AtomicInfo::new(order, size, false));
            }
            2..=4 => {
                // Either what is there, so that it succeeds, or anything.
                let expected = if self.shared.src.chance(8) {
                    self.b.load(ty, at, 0, MemFlags::new(size, false))
                } else {
                    self.value(ty)
                };
                let new = self.value(ty);
                let (old, same) = self.b.cmpxchg(at, expected, new, Ordering::SeqCst, Ordering::Monotonic);
                if self.shared.src.chance(12) {
                    self.keep(old);
                }
                self.keep(same);
            }
            5 => {
                let fence = gusset_codegen::ir::InstData {
                    op: Opcode::Fence,
                    flags: 0,
                    ty: Type::VOID,
                    a: Ordering::SeqCst as u32 | (self.shared.src.below(2)) << 3,
                    b: 0,
                    c: 0,
                };
                self.b.push(fence, &[]);
            }
            _ => {
                use RmwOp::*;
                let op = self
                    .shared
                    .src
                    .pick(&[Add, Sub, Xchg, And, Nand, Or, Xor, Max, Min, Umax, Umin, UincWrap, UdecWrap]);
                let x = self.value(ty);
                let old = self.b.atomic_rmw(op, at, x, info);
                // Whether the old value is wanted decides about the code.
                if self.shared.src.chance(9) {
                    self.keep(old);
                }
            }
        }
    }
}
