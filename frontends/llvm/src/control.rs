//! Terminators.

use gusset_codegen::ir::{MemFlags, Opcode, SwitchData, SwitchId, Type, Value};

use crate::body::Reader;
use crate::error::{ReadError, Result};
use crate::instructions::NOTHING;
use crate::types::{I1, Kind, TypeId, VOID};

type Nothing = Result<(TypeId, u32)>;

impl<'r> Reader<'r> {
    /// Appends an instruction without result.
    #[inline]
    pub fn push0(&mut self, op: Opcode, flags: u8, ty: Type, words: [u32; 3]) {
        let [a, b, c] = words;
        self.b.push(gusset_codegen::ir::InstData { op, flags, ty, a, b, c }, &[]);
    }

    /// Reads a branch behind its keyword.
    pub fn br(&mut self) -> Nothing {
        if self.c.peek() == b'l' {
            let to = self.label()?;
            let e = self.edge(to);
            self.push0(Opcode::Jump, 0, Type::VOID, [e.0, 0, 0]);
            return Ok(NOTHING);
        }
        let pos = self.c.pos;
        let (ty, cond) = self.typed_scalar()?;
        if ty != I1 {
            return Err(ReadError::expected(self.c.src, pos, "`i1` or `label`"));
        }
        self.c.expect(b',')?;
        let then = self.label()?;
        self.c.expect(b',')?;
        let other = self.label()?;
        let (t, e) = (self.edge(then), self.edge(other));
        self.push0(Opcode::Br, 0, Type::VOID, [cond.0, t.0, e.0]);
        Ok(NOTHING)
    }

    /// Reads a `switch` behind its keyword.
    pub fn switch(&mut self) -> Nothing {
        let pos = self.c.pos;
        let (ty, v) = self.typed_scalar()?;
        if self.types.get(ty).kind != Kind::Int {
            return Err(ReadError::new(self.c.src, pos, "the value of a switch must be an integer"));
        }
        let ir = self.types.ir(ty);
        self.c.expect(b',')?;
        let default = self.label()?;
        self.c.expect(b'[')?;
        let mut cases = std::mem::take(&mut self.s.cases);
        let mut numbers = std::mem::take(&mut self.s.numbers);
        cases.clear();
        numbers.clear();
        while self.c.peek() != b']' {
            let at = self.c.pos;
            if self.types.parse(&mut self.c)? != ty {
                return Err(ReadError::new(self.c.src, at, "the case has another type than the switch"));
            }
            let at = self.c.pos;
            let case = self.scalar(ty)?;
            let Some(n) = self.b.func.int_constant(case) else {
                return Err(ReadError::expected(self.c.src, at, "an integer constant"));
            };
            self.c.expect(b',')?;
            let to = self.label()?;
            let e = self.edge(to);
            cases.push((case, e));
            numbers.push(n);
        }
        self.c.expect(b']')?;
        numbers.sort_unstable();
        if numbers.windows(2).any(|p| p[0] == p[1]) {
            return Err(ReadError::new(self.c.src, pos, "two cases of the switch are equal"));
        }
        let default = self.edge(default);
        let start = self.b.func.pool.len() as u32;
        for &(case, e) in &cases {
            self.b.func.pool.extend([case.0, e.0]);
        }
        let s = SwitchId::new(self.b.func.switches.len());
        self.b.func.switches.push(SwitchData { start, len: cases.len() as u32, default });
        self.push0(Opcode::Switch, 0, ir, [v.0, s.0, 0]);
        self.s.cases = cases;
        self.s.numbers = numbers;
        Ok(NOTHING)
    }

    /// Reads an `indirectbr` behind its keyword.
    pub fn indirect_br(&mut self) -> Nothing {
        let v = self.pointer()?;
        self.c.expect(b',')?;
        self.c.expect(b'[')?;
        let mut edges = std::mem::take(&mut self.s.edges);
        edges.clear();
        if self.c.peek() != b']' {
            loop {
                let to = self.label()?;
                edges.push(self.edge(to));
                if !self.c.eat(b',') {
                    break;
                }
            }
        }
        self.c.expect(b']')?;
        self.b.indirect_br(v, &edges);
        self.s.edges = edges;
        Ok(NOTHING)
    }

    /// Reads a `ret` behind its keyword.
    pub fn ret(&mut self) -> Nothing {
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        if ty != self.ret {
            return Err(ReadError::new(self.c.src, pos, "the value returned is not of the function's result type"));
        }
        let val = if ty == VOID { 0 } else { self.value(ty)? };
        let (ty, val) = match self.sret {
            Some(addr) => {
                self.store_parts(ty, val, addr, self.types.get(ty).align, false, pos)?;
                (ty, val)
            }
            None => self.set_out(ty, val),
        };
        // A `musttail` call in front of it is the end already.
        if !std::mem::take(&mut self.forwarded) {
            self.close_trampolines(pos)?;
            self.profile(self.on_exit)?;
        }
        let error = self.returned_error();
        let jumps = self.promises_jumps();
        if error.is_some() || jumps {
            let mut values = match self.types.ir(ty) {
                _ if ty == VOID || self.sret.is_some() => Vec::new(),
                Type::VOID => self.s.aggregates[val as usize..val as usize + self.scalars(ty)].to_vec(),
                _ => vec![Value(val)],
            };
            values.extend(error);
            if jumps {
                self.settle_tail_call(&values);
            }
            self.b.ret(&values);
        } else if ty == VOID || self.sret.is_some() {
            self.b.ret(&[]);
        } else if self.types.ir(ty) != Type::VOID {
            self.b.ret(&[Value(val)]);
        } else {
            let range = val as usize..val as usize + self.scalars(ty);
            self.b.ret(&self.s.aggregates[range]);
        }
        Ok(NOTHING)
    }

    /// Stores every scalar of a value.
    pub fn store_parts(
        &mut self,
        ty: TypeId,
        val: u32,
        addr: Value,
        align: u32,
        volatile: bool,
        pos: usize,
    ) -> Result<()> {
        if self.types.ir(ty) != Type::VOID {
            self.b.store(Value(val), addr, 0, MemFlags::new(align, volatile));
            return Ok(());
        }
        self.check_aggregate(ty, pos)?;
        let mut leaves = std::mem::take(&mut self.s.leaves);
        leaves.clear();
        self.types.flatten(ty, 0, &mut leaves);
        for (i, leaf) in leaves.iter().enumerate() {
            let v = self.s.aggregates[val as usize + i];
            let (addr, offset) = self.split_offset(addr, leaf.offset);
            let flags = MemFlags::new(align_at(align, leaf.offset), volatile);
            self.b.store(v, addr, offset, flags);
        }
        self.s.leaves = leaves;
        Ok(())
    }

    /// Loads every scalar of a value of type `ty`.
    pub fn load_parts(&mut self, ty: TypeId, addr: Value, align: u32, volatile: bool, pos: usize) -> Result<u32> {
        let ir = self.types.ir(ty);
        if ir != Type::VOID {
            return Ok(self.b.load(ir, addr, 0, MemFlags::new(align, volatile)).0);
        }
        self.check_aggregate(ty, pos)?;
        Ok(self.each_leaf(ty, |r, leaf| {
            let (addr, offset) = r.split_offset(addr, leaf.offset);
            r.b.load(leaf.ir, addr, offset, MemFlags::new(align_at(align, leaf.offset), volatile))
        }))
    }

    /// An offset that the instruction holds, or else one added to the address.
    fn split_offset(&mut self, addr: Value, offset: u64) -> (Value, i32) {
        match i32::try_from(offset) {
            Ok(offset) => (addr, offset),
            Err(_) => {
                let c = self.b.ptr_const(offset as i64);
                (self.b.binary(Opcode::Iadd, addr, c), 0)
            }
        }
    }
}

/// Alignment of what stands `offset` bytes behind an address aligned to `align`.
fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(31)) }
}
