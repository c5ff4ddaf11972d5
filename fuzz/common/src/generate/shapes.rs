//! What optimizing passes look for: loops with induction variables, memory with several addresses, computations and loads that are
//! done again, branches on conditions that are known, blocks that are the same, values that are poison where nobody looks.

use gusset_codegen::ir::{Block, Format, IntCc, MemFlags, Opcode, Type, Value, ValueDef};

use super::body::{Area, Body};

/// Most rounds of a loop.
const ROUNDS: u32 = 8;

/// What a loop counts, and where it looks at memory.
struct Counter {
    ty: Type,
    /// The first number, if it is a constant: then all numbers are positive.
    first: Option<u32>,
    step: i32,
    rounds: u32,
    /// The memory that is accessed in every round, and how far one access is from the next; 0 if it is not accessed by an address
    /// that is counted, too.
    area: Area,
    stride: i32,
}

impl Counter {
    /// The largest number in a round.
    fn most(&self) -> Option<u32> {
        let first = self.first?;
        Some(if self.step > 0 { first + (self.rounds - 1) * self.step as u32 } else { first })
    }
}

impl Body<'_, '_, '_> {
    /// A loop that counts up or down, by any step, to a number or for a number of rounds, with accesses by what it counts.
    pub fn counted(&mut self) {
        let counter = self.counter();
        let ptr = self.shared.pointer();
        let (first, limit) = self.bounds(&counter);
        // The counted number, the counted address, two values that may change places, and others.
        let pair = self.shared.some_type();
        let mut types = vec![counter.ty, ptr, pair, pair];
        types.extend(self.some_types(2));
        let (head, params) = self.block_with(&types);
        let after_types = self.some_types(2);
        let (after, after_params) = self.block_with(&after_types);
        let back = if counter.stride < 0 { (counter.rounds as i32 - 1) * -counter.stride } else { 0 };
        let mut args = vec![first, self.moved(counter.area.base, back)];
        args.extend(self.arguments(&types[2..]));
        let top_tested = self.shared.src.chance(5);
        self.b.jump(head, &args);
        let (known, areas) = (self.pool.len(), self.areas.len());
        self.b.switch_to(head);
        params.iter().filter(|&&p| p != params[1]).for_each(|&v| self.keep(v));
        self.loops += 1;
        let cc = self.loop_condition(&counter);
        if top_tested {
            let more = self.b.icmp(cc, params[0], limit);
            self.leave_unless(more, after, &after_types);
        }
        // Accesses by the old number after the new one is there.
        let early = self.shared.src.chance(6).then(|| self.next(&counter, &params));
        self.accesses(&counter, &params);
        self.statements();
        if self.b.current_block().is_some() && self.shared.src.chance(5) {
            let more = self.condition();
            self.leave_unless(more, after, &after_types);
            self.accesses(&counter, &params);
        }
        if self.b.current_block().is_some() {
            let (next, next_address) = early.unwrap_or_else(|| self.next(&counter, &params));
            let mut args = vec![next, next_address];
            match self.shared.src.below(3) {
                0 => args.extend([params[3], params[2]]),
                1 => args.extend([params[3], self.value(pair)]),
                _ => args.extend(self.arguments(&types[2..4])),
            }
            args.extend(self.arguments(&types[4..]));
            if top_tested {
                self.b.jump(head, &args);
            } else {
                let more = self.b.icmp(cc, next, limit);
                let out = self.arguments(&after_types);
                self.b.br(more, head, &args, after, &out);
            }
        }
        self.end_loop(head, (known, areas));
        self.join(after, after_params);
    }

    fn counter(&mut self) -> Counter {
        let ptr = self.shared.pointer();
        let ty = self.shared.src.pick(&[ptr, Type::I32, ptr, Type::I64, Type::I8, Type::I16]);
        let step: i32 = self.shared.src.pick(&[1, 1, -1, 2, -2, 3, 4, -4, 7, -8]);
        let rounds = if self.loops > 1 { 2 } else { 1 + self.shared.src.below(ROUNDS) };
        let first = (!self.shared.src.chance(4)).then(|| {
            let least = if step < 0 { rounds * step.unsigned_abs() } else { 0 };
            least + self.shared.src.below(4)
        });
        let large: Vec<Area> = self.areas.iter().copied().filter(|area| area.size >= 32).collect();
        let area = self.shared.src.pick(&large);
        let stride = self.shared.src.pick(&[4, 8, 1, 2, -4, -8, 12, 16, 0]);
        let fits = rounds * i32::unsigned_abs(stride) + 16 <= area.size;
        Counter { ty, first, step, rounds, area, stride: if fits { stride } else { 0 } }
    }

    /// The first number and the one that ends the loop.
    fn bounds(&mut self, counter: &Counter) -> (Value, Value) {
        let distance = counter.rounds as i32 * counter.step;
        match counter.first {
            Some(first) => {
                let limit = self.b.iconst(counter.ty, (first as i32 + distance).into());
                (self.b.iconst(counter.ty, first.into()), limit)
            }
            None => {
                let (first, distance) = (self.operand(counter.ty), self.b.iconst(counter.ty, distance.into()));
                let first = self.b.unary(Opcode::Opaque, first);
                (first, self.b.binary(Opcode::Iadd, first, distance))
            }
        }
    }

    /// What holds of a number and the limit as long as the loop goes on.
    fn loop_condition(&mut self, counter: &Counter) -> IntCc {
        match (counter.first, counter.step > 0) {
            (None, _) => IntCc::Ne,
            (_, true) => self.shared.src.pick(&[IntCc::Slt, IntCc::Ult, IntCc::Ne]),
            (_, false) => self.shared.src.pick(&[IntCc::Sgt, IntCc::Ugt, IntCc::Ne]),
        }
    }

    /// Goes to `after` with any values, unless a condition holds.
    fn leave_unless(&mut self, more: Value, after: Block, types: &[Type]) {
        let args = self.arguments(types);
        let rest = self.b.create_block();
        self.b.br(more, rest, &[], after, &args);
        self.b.switch_to(rest);
        self.b.seal(rest);
    }

    /// The number and the address of the next round.
    fn next(&mut self, counter: &Counter, params: &[Value]) -> (Value, Value) {
        let n = self.shared.src.pick(&[counter.step, -counter.step]);
        let by = self.b.iconst(counter.ty, n.into());
        let op = if n == counter.step { Opcode::Iadd } else { Opcode::Isub };
        (self.b.binary(op, params[0], by), self.moved(params[1], counter.stride))
    }

    fn moved(&mut self, address: Value, by: i32) -> Value {
        if by == 0 {
            return address;
        }
        let n = self.b.ptr_const(by.into());
        self.b.binary(Opcode::Iadd, address, n)
    }

    /// Accesses by the number, as an index, and by the address of a round.
    fn accesses(&mut self, counter: &Counter, params: &[Value]) {
        for _ in 0..self.shared.src.below(4) {
            if self.shared.src.chance(8) {
                let offset = self.shared.src.pick(&[0, 4, 8, 1]);
                self.access(params[1], offset, 16 - offset as u32, counter.area.writable);
            } else if let Some(most) = counter.most() {
                let scale = self.shared.src.pick(&[4, 8, 1, 2, 12]);
                let Some(room) = counter.area.size.checked_sub(most * scale + 16) else { continue };
                let offset = self.shared.src.below(room.min(100) + 1);
                let index = self.resize_up(params[0]);
                let address = self.b.index(counter.area.base, index, scale as i32);
                self.access(address, offset as i32, 16, counter.area.writable);
            }
        }
    }

    /// A positive number as wide as an address.
    fn resize_up(&mut self, v: Value) -> Value {
        let (ty, ptr) = (self.b.func.value_type(v), self.shared.pointer());
        match ty.bits().cmp(&ptr.bits()) {
            std::cmp::Ordering::Less => {
                let op = self.shared.src.pick(&[Opcode::Zext, Opcode::Sext]);
                self.b.convert(op, v, ptr)
            }
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.b.convert(Opcode::Trunc, v, ptr),
        }
    }

    /// A load, a store, or both, of up to `room` bytes.
    fn access(&mut self, address: Value, offset: i32, room: u32, writable: bool) {
        let types = [Type::I32, Type::I64, Type::I8, Type::I16];
        let ty = self.shared.src.pick(&types);
        let ty = if ty.store_bytes() > room { Type::I8 } else { ty };
        let flags = MemFlags::new(1, false);
        if !writable || self.shared.src.chance(9) {
            let v = self.b.load(ty, address, offset, flags);
            self.keep(v);
            if matches!(ty, Type::I8 | Type::I16) && self.shared.src.chance(8) {
                self.extended(v, ty);
            }
        }
        if writable && self.shared.src.chance(9) {
            let v = self.value(ty);
            self.b.store(v, address, offset, flags);
        }
    }

    /// A number that is used as it is, and extended.
    fn extended(&mut self, v: Value, ty: Type) {
        let wide = self.shared.src.pick(&[Type::I32, Type::I64]);
        let extended = self.b.convert(Opcode::Zext, v, wide);
        self.keep(extended);
        let (cc, other) = (self.shared.src.pick(&[IntCc::Eq, IntCc::Ult, IntCc::Sgt]), self.value(ty));
        let compared = self.b.icmp(cc, v, other);
        self.keep(compared);
    }

    /// Another address of memory that has one: a part of it, by an offset, an index or a choice between two.
    pub fn alias(&mut self) {
        let area = self.shared.src.pick(&self.areas);
        let size = self.shared.src.pick(&[8, 16, 4, 32, 12]).min(area.size);
        let room = area.size - size;
        let at = self.shared.src.below(room.min(64) + 1);
        let base = match self.shared.src.below(3) {
            0 => self.moved(area.base, at as i32),
            1 => {
                let ptr = self.shared.pointer();
                let (i, scale) = (self.operand(ptr), self.shared.src.pick(&[1, 2, 4, 8]));
                let one = self.b.ptr_const(i64::from(room >= scale));
                let i = self.b.binary(Opcode::And, i, one);
                self.b.index(area.base, i, scale as i32)
            }
            _ => {
                let other = self.shared.src.pick(&self.areas);
                let fits = other.size >= size && other.writable == area.writable;
                let (cond, there) = (self.condition(), self.moved(area.base, at as i32));
                self.b.select(cond, if fits { other.base } else { area.base }, there)
            }
        };
        let base = if self.shared.src.chance(2) { self.b.unary(Opcode::Opaque, base) } else { base };
        self.areas.push(Area { base, size, align: 1, writable: area.writable });
    }

    /// A computation that was done before, perhaps with operands the other way round.
    pub fn again(&mut self) {
        let known: Vec<Value> = self.pool.iter().rev().map(|v| v.1).take(24).collect();
        if known.is_empty() {
            return;
        }
        let v = self.shared.src.pick(&known);
        let ValueDef::Inst(i) = self.b.func.value_def(v) else { return };
        let mut d = *self.b.func.inst(i);
        let format = d.op.format();
        let plain = matches!(format, Format::Unary | Format::Binary | Format::Ternary | Format::BinaryImm);
        if !plain || d.op.has_side_effect() || d.op.concerns_stack() || d.op.result_count() != Some(1) {
            return;
        }
        if self.shared.src.chance(6) {
            match IntCc::from_u8(d.flags).filter(|_| d.op == Opcode::Icmp) {
                Some(cc) => (d.flags, d.a, d.b) = (cc.swapped() as u8, d.b, d.a),
                None if d.op.is_commutative() => (d.a, d.b) = (d.b, d.a),
                None => {}
            }
        }
        let result = self.b.func.value_type(v);
        let again = self.b.push1(d.op, d.flags, d.ty, [d.a, d.b, d.c], result);
        self.keep(again);
    }

    /// Two accesses to the same bytes, or nearly the same, with something in between.
    pub fn reload(&mut self) {
        let area = self.shared.src.pick(&self.areas);
        let at = self.shared.src.below(area.size.min(64).saturating_sub(3)) as i32;
        let room = area.size - at as u32;
        self.access(area.base, at, room, area.writable);
        match self.shared.src.below(4) {
            0 => self.memory(),
            1 => self.call(),
            _ => {}
        }
        if self.b.current_block().is_none() {
            return;
        }
        let other = self.shared.src.below(3) as i32;
        let base = self.moved(area.base, other);
        self.access(base, at - other, room, area.writable);
    }

    /// Branches on one condition, or on the opposite, one after another.
    pub fn same_condition(&mut self) {
        let cond = self.condition();
        self.keep(cond);
        self.branch_on(cond);
        if self.b.current_block().is_none() {
            return;
        }
        for _ in 0..self.shared.src.below(3) {
            self.operation();
        }
        let again = match self.b.func.value_def(cond) {
            ValueDef::Inst(i) if self.b.func.inst(i).op == Opcode::Icmp && self.shared.src.chance(8) => {
                let d = *self.b.func.inst(i);
                let cc = IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq);
                let (cc, a, b) = self.shared.src.pick(&[(cc.inverse(), d.a, d.b), (cc.swapped(), d.b, d.a)]);
                self.b.icmp(cc, Value(a), Value(b))
            }
            _ => cond,
        };
        self.branch_on(again);
    }

    /// Two branches that do the same.
    pub fn twins(&mut self) {
        let types = self.some_types(2);
        let (join, params) = self.block_with(&types);
        let (cond, blocks) = (self.condition(), [(); 2].map(|()| self.b.create_block()));
        self.b.br(cond, blocks[0], &[], blocks[1], &[]);
        let start = self.shared.src.position();
        for block in blocks {
            self.shared.src.go_to(start);
            self.arm(block, join, &types);
        }
        self.join(join, params);
    }

    /// A value that is poison unless a condition holds, and is only looked at if it does.
    pub fn undefined(&mut self) {
        let ty = self.shared.some_type();
        let a = self.value(ty);
        let (cond, usual) = match self.shared.src.below(3) {
            0 if ty.is_int() && ty != Type::I1 => {
                // An amount that may be too large.
                let n = self.value(ty);
                let width = self.b.iconst(ty, ty.bits().into());
                let cond = self.b.icmp(IntCc::Ult, n, width);
                let op = self.shared.src.pick(&[Opcode::Shl, Opcode::Lshr, Opcode::Ashr]);
                (cond, self.b.binary(op, a, n))
            }
            _ => {
                let (cond, poison) = (self.condition(), self.b.poison(ty));
                (cond, self.b.select(cond, a, poison))
            }
        };
        let usual = if self.shared.src.chance(3) { self.b.unary(Opcode::Freeze, usual) } else { usual };
        let other = self.value(ty);
        let v = self.b.select(cond, usual, other);
        self.keep(v);
    }
}
