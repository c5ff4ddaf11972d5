//! Decides which functions get a stack guard, by LLVM's rules ("Stack Protector" in its sources), before promotion
//! removes variables.

use crate::ir::{Function, Inst, Opcode, Slot, SlotKind, StackProtector, Value, ValueDef};

/// Does the function get a guard? Also marks slots whose addresses escape.
pub fn needs_stack_protector(f: &mut Function) -> bool {
    let level = f.attrs.stack_protector;
    if level == StackProtector::None || !(0..f.insts.len()).any(|i| is_exit(f, Inst(i as u32))) {
        return false;
    }
    let mut needed = level == StackProtector::Always;
    if level >= StackProtector::Strong {
        let users = Users::of(f);
        let mut met = vec![u32::MAX; f.value_count()];
        for v in (0..f.value_count()).map(Value::new) {
            if let ValueDef::Slot(s) = f.value_def(v)
                && f.slots[s.index()].kind == SlotKind::Variable
                && users.take(f, v, f.slots[s.index()].size, &mut met)
            {
                f.slots[s.index()].kind = SlotKind::Taken;
            }
        }
        let escaped: Vec<Slot> = f.escaped_slots().collect();
        for slot in escaped {
            let kind = &mut f.slots[slot.index()].kind;
            *kind = if *kind == SlotKind::Variable { SlotKind::Taken } else { *kind };
        }
        needed |= f.slots.iter().any(|s| s.kind >= SlotKind::Taken);
    }
    // Argument blocks are passed to a call by their address.
    let moves = |op: Opcode| op == Opcode::StackAlloc || op == Opcode::BlockOpen && level >= StackProtector::Strong;
    needed || f.slots.iter().any(|s| s.kind == SlotKind::LargeArray) || f.insts.iter().any(|d| moves(d.op))
}

/// Does control leave the function here, by a return or by an exception from a call that does not return?
pub(crate) fn is_exit(f: &Function, inst: Inst) -> bool {
    let d = f.inst(inst);
    match d.op {
        Opcode::Return | Opcode::Resume => true,
        Opcode::Call => !f.calls[d.a as usize].nounwind && never_returns(f, inst),
        _ => false,
    }
}

/// Is what follows a call never reached?
fn never_returns(f: &Function, call: Inst) -> bool {
    let Some(next) = f.insts.get(call.index() + 1) else { return false };
    match next.op {
        Opcode::Unreachable => true,
        Opcode::Invoke => {
            let to = &f.blocks[f.edge_to(crate::ir::Edge(next.a)).index()];
            f.insts.get(to.first as usize).is_some_and(|d| d.op == Opcode::Unreachable)
        }
        _ => false,
    }
}

/// Who uses each value.
struct Users {
    /// For each value, the end of its users in the list.
    ends: Vec<u32>,
    list: Vec<Inst>,
}

impl Users {
    fn of(f: &Function) -> Users {
        let mut ends = vec![0u32; f.value_count() + 1];
        let each = |visit: &mut dyn FnMut(Value, Inst)| {
            for (i, d) in f.insts.iter().enumerate() {
                let inst = Inst(i as u32);
                f.for_each_operand(d, |v| visit(f.resolve(v), inst));
                f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| visit(f.resolve(v), inst)));
            }
        };
        each(&mut |v, _| ends[v.index() + 1] += 1);
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut list = vec![Inst(0); ends.last().map_or(0, |&n| n as usize)];
        // Filling moves each value's start up to its end, which is the next one's start.
        each(&mut |v, inst| {
            list[ends[v.index()] as usize] = inst;
            ends[v.index()] += 1;
        });
        Users { ends, list }
    }

    fn users(&self, v: Value) -> &[Inst] {
        let start = if v.index() == 0 { 0 } else { self.ends[v.index() - 1] };
        &self.list[start as usize..self.ends[v.index()] as usize]
    }

    /// Does the address of a variable of `size` bytes escape: is it stored, passed on, compared, or used for memory
    /// that may lie outside? `met` has for each value the last address that reached it as a parameter.
    fn take(&self, f: &Function, address: Value, size: u32, met: &mut [u32]) -> bool {
        let mut list = vec![(address, i64::from(size))];
        while let Some((v, left)) = list.pop() {
            for &inst in self.users(v) {
                match use_of(f, v, left, inst) {
                    Use::Taken => return true,
                    Use::Harmless => {}
                    Use::Address(at) => list.push((f.result(inst), at)),
                    Use::Passes => {
                        f.for_each_edge(f.inst(inst), |e| {
                            for (&arg, &p) in f.edge_args(e).iter().zip(f.params(f.edge_to(e))) {
                                if f.resolve(arg) == v && met[p.index()] != address.0 {
                                    met[p.index()] = address.0;
                                    list.push((p, left));
                                }
                            }
                        });
                    }
                }
            }
        }
        false
    }
}

/// What an instruction does with an address that has this many bytes of the variable after it.
enum Use {
    Harmless,
    Taken,
    /// Its result is an address in the same variable, with this many bytes after it.
    Address(i64),
    /// It is passed to parameters of blocks.
    Passes,
}

fn use_of(f: &Function, v: Value, left: i64, inst: Inst) -> Use {
    let d = f.inst(inst);
    let is = |word: u32| f.resolve(Value(word)) == v;
    let within = |offset: i32| match i64::from(offset) + i64::from(d.ty.store_bytes()) {
        end if offset >= 0 && end <= left => Use::Harmless,
        _ => Use::Taken,
    };
    match d.op {
        Opcode::Load => within(d.b as i32),
        Opcode::AtomicLoad => within(0),
        Opcode::Store if !is(d.b) => within(d.c as i32),
        Opcode::AtomicStore | Opcode::AtomicRmw if !is(d.b) => within(0),
        Opcode::Cmpxchg if !is(d.b) && !is(d.c) => within(0),
        Opcode::Iadd => {
            let other = if is(d.a) { d.b } else { d.a };
            match f.int_constant_signed(f.resolve(Value(other))) {
                Some(n) if (0..left).contains(&n) => Use::Address(left - n),
                _ => Use::Taken,
            }
        }
        Opcode::Bitcast => Use::Address(left),
        Opcode::Select if !is(d.a) => Use::Address(left),
        Opcode::Return | Opcode::StackMap => Use::Harmless,
        op if op.is_terminator() => Use::Passes,
        _ => Use::Taken,
    }
}
