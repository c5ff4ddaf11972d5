//! Terminators.

use std::collections::HashSet;

use gusset_codegen::ir::{Edge, Inst, IntCc, Opcode, Type, Value};
use gusset_program::{Refusal, Result, Sink, TypeId, VOID, Val, refuse_if};

use crate::function::FunctionLowering;
use crate::swift::promises_jumps;

const TWICE: &str = "two cases of the switch are equal";

impl FunctionLowering<'_> {
    /// `br` without a condition.
    #[inline(always)]
    pub fn jump(&mut self, to: Edge) {
        self.push0(Opcode::Jump, 0, Type::VOID, [to.0, 0, 0]);
    }

    /// `br` on an `i1`.
    #[inline(always)]
    pub fn br(&mut self, cond: Val, then: Edge, other: Edge) {
        self.push0(Opcode::Br, 0, Type::VOID, [cond.0, then.0, other.0]);
    }

    /// `switch` on an integer of the IR, by constants of its type.
    pub fn switch(&mut self, v: Val, cases: &[(Value, Edge)], default: Edge) -> Result<()> {
        if cases.iter().any(|c| self.b.func.int_constant(c.0).is_none()) {
            return self.wide_switch(v, cases, default);
        }
        let mut numbers = std::mem::take(&mut self.s.numbers);
        numbers.clear();
        numbers.extend(cases.iter().map(|c| self.b.func.int_constant(c.0).unwrap_or(0)));
        numbers.sort_unstable();
        let twice = numbers.windows(2).any(|p| p[0] == p[1]);
        self.s.numbers = numbers;
        refuse_if(twice, TWICE)?;
        self.b.switch(v.value(), cases, default);
        Ok(())
    }

    /// A switch with a case of more than 128 bits: a sequence of comparisons.
    fn wide_switch(&mut self, v: Val, cases: &[(Value, Edge)], default: Edge) -> Result<()> {
        let count = self.b.func.value_type(v.value()).bits().div_ceil(64);
        let words =
            |l: &Self, v: Value| -> Option<Vec<u64>> { (0..count).map(|i| l.b.func.constant_word(v, i)).collect() };
        let mut seen = HashSet::new();
        for &(case, edge) in cases {
            let number = words(self, case).ok_or_else(|| Refusal::new("a case of a switch must be a number"))?;
            refuse_if(!seen.insert(number), TWICE)?;
            let equal = self.b.icmp(IntCc::Eq, v.value(), case);
            let next = self.new_block();
            let other = self.edge(next);
            self.push0(Opcode::Br, 0, Type::VOID, [equal.0, edge.0, other.0]);
            self.b.switch_to(next);
        }
        self.jump(default);
        Ok(())
    }

    /// `ret` of a value of the function's result type.
    pub fn ret(&mut self, ty: TypeId, val: Val) -> Result<()> {
        refuse_if(ty != self.ret, "the value returned is not of the function's result type")?;
        let forwarded = self.returns_forwarded(ty, val)?;
        let val = forwarded.unwrap_or(val);
        if let Some(addr) = self.sret {
            self.store_parts(ty, val, addr, self.types.get(ty).align, false)?;
        }
        // A `musttail` call before it has ended the function already.
        if forwarded.is_none() {
            self.close_trampolines()?;
            self.profile(self.on_exit)?;
        }
        let error = self.returned_error();
        let jumps = promises_jumps(&self.b);
        if error.is_some() || jumps {
            let mut values = match self.types.ir(ty) {
                _ if ty == VOID || self.sret.is_some() => Vec::new(),
                Type::VOID => self.results_of(ty, val, forwarded.is_some()),
                _ => vec![val.value()],
            };
            values.extend(error);
            if jumps {
                self.form_tail_call(&values);
            }
            self.b.ret(&values);
        } else if ty == VOID || self.sret.is_some() {
            self.b.ret(&[]);
        } else if self.types.ir(ty) != Type::VOID {
            self.b.ret(&[val.value()]);
        } else {
            let values = self.results_of(ty, val, forwarded.is_some());
            self.b.ret(&values);
        }
        Ok(())
    }

    /// The values returned for a value of several scalars, which may be those of the `musttail` call before.
    fn results_of(&mut self, ty: TypeId, val: Val, forwarded: bool) -> Vec<Value> {
        if forwarded && self.types.dissolves() && self.has_lanes(ty) {
            let call = Inst::new(self.b.func.insts.len() - 1);
            return self.b.func.results(call).take(self.b.func.signature().results.len()).collect();
        }
        if !self.types.dissolves() {
            return self.s.aggregates[val.start()..val.start() + self.scalars(ty)].to_vec();
        }
        let types = self.b.func.signature().results.clone();
        let mut values = Vec::new();
        self.send_lanes(ty, val, &types, &mut values);
        values
    }
}
