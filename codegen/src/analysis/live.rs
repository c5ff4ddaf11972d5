//! Uses and live ranges, found in one walk backwards, which also decides which instructions are deferred to their only
//! user.

use super::cfg::Cfg;
use crate::call::plan;
use crate::ir::{
    Callee, Format, Function, Inst, InstData, MemFlags, Module, Opcode, SymbolId, TailKind, Value, ValueDef,
};
use crate::machine::{Candidate, Machine, PReg};
use crate::plan::Clobbers;

/// What selection does with an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Fold {
    /// Emits it in its place.
    No,
    /// Emits nothing: its results are unused and it has no side effect.
    Dead,
    /// Emits it as part of its only user, at whose position it reads its operands.
    Deferred,
}

/// Is the user of an instruction on another line? Where every line has code, what faults has its own.
#[cold]
fn leaves_line(f: &Function, inst: Inst, user: Inst) -> bool {
    match (f.debug.location(inst), f.debug.location(user)) {
        (Some(own), Some(other)) => own.line != other.line,
        _ => false,
    }
}

/// The register that would be best for a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    /// None.
    None,
    /// This register: the value's last user wants it there.
    Reg(PReg),
    /// The register of this block parameter, which the value is passed to.
    Value(Value),
}

/// One value's uses.
#[derive(Clone, Copy, Debug)]
struct Uses {
    end: u32,
    user: u32,
    weight: f32,
    hint: u32,
    count: u16,
    arg: u8,
    flags: u8,
}

const CROSS: u8 = 1;
const EDGE: u8 = 2;
const RETURNED: u8 = 4;
const NO_USER: u32 = u32::MAX;
const NO_HINT: u32 = u32::MAX;
const HINT_VALUE: u32 = 1 << 31;

impl Uses {
    const NONE: Uses = Uses { end: 0, user: NO_USER, weight: 0.0, hint: NO_HINT, count: 0, arg: 0, flags: 0 };
}

/// Uses and live ranges of a function's values.
#[derive(Default)]
pub struct Live {
    uses: Vec<Uses>,
    /// Uses of values outside the block that defines them, with their positions; those in later blocks come first.
    pub far_uses: Vec<(Value, u32)>,
    /// For each instruction, the position at which it reads its operands.
    pub position: Vec<u32>,
    /// For each instruction, what selection does with it.
    pub fold: Vec<Fold>,
    /// For each position, how many positions from there on clobber like a call.
    calls_from: Vec<u32>,
    /// How many of these the walk has counted so far.
    calls: u32,
    /// Does anything clobber like a call?
    pub has_calls: bool,
    /// Positions of blocks at whose start no register holds anything, sorted: exceptions arrive there, or control from
    /// a funclet.
    bare: Vec<u32>,
    /// Parts of parameters of blocks that do nothing but return them, with the registers that they are returned in; in
    /// the order of values.
    returned: Vec<(Value, u8, PReg)>,
    /// Registers that some callee may change.
    pub changed: Clobbers,
    /// The largest number of bytes of outgoing stack arguments.
    pub outgoing: u32,
    /// The largest number of bytes by which the stack arguments of a call that replaces the frame exceed the function's
    /// own.
    pub grown: u32,
    /// The largest alignment of the stack pointer that a call asks for, in bytes; at least that on entry. If it is
    /// more, the function needs a frame pointer, since the distance between the two is not known.
    pub stack_align: u32,
    /// May a callee that is unwound have replaced itself by a function with other stack arguments? The stack pointer
    /// that unwinding finds is then not that of the call.
    pub replaced_callee: bool,
    /// Does the function move the stack pointer itself?
    pub dynamic_stack: bool,
    /// Does it ask for its own frame address or return address?
    pub needs_frame: bool,
}

/// The part of the walk's state that a use needs.
struct At<'f> {
    f: &'f Function,
    cfg: &'f Cfg,
    block_start: u32,
    innermost: u32,
    weight: f32,
}

/// The most registers that deferred instructions may hold while one more of them is emitted. Every machine has more
/// scratch registers than these, so that some are left for the innermost instruction.
const MOST_HELD: u32 = 2;

/// The weight of a use at a loop depth.
pub(super) fn loop_weight(depth: u32) -> f32 {
    (1u32 << (3 * depth.min(6))) as f32
}

/// The operand number of all operands late in long lists.
const FAR: u8 = u8::MAX;

impl Live {
    /// Computes everything for `f` in the order of `cfg`.
    pub fn compute<T: Machine>(&mut self, target: &T, module: &Module, f: &Function, cfg: &Cfg) {
        self.number(f, cfg);
        (self.outgoing, self.grown, self.stack_align) = (0, 0, crate::frame::natural_align(f));
        (self.dynamic_stack, self.needs_frame, self.replaced_callee) = (false, false, false);
        self.changed = Clobbers::default();
        self.calls = 0;
        self.calls_from.resize(cfg.positions as usize + 1, 0);
        self.calls_from[cfg.positions as usize] = 0;
        self.uses.clear();
        self.far_uses.clear();
        self.returned.clear();
        self.uses.resize(f.value_count(), Uses::NONE);
        self.fold.clear();
        self.fold.resize(f.insts.len(), Fold::No);
        let kept = plan(target, f.signature()).kept;
        let kept = f.layout.first().zip(kept).and_then(|(&b, i)| f.params(b).get(i as usize).copied());
        for index in (0..cfg.order.len()).rev() {
            self.walk_block(target, module, f, cfg, index, kept);
        }
        self.returned.sort_unstable_by_key(|r| (r.0, r.1));
        self.has_calls = self.calls > 0;
        if self.has_calls && f.attrs.frame_align > self.stack_align {
            (self.stack_align, self.needs_frame) = (f.attrs.frame_align, true);
        }
        self.bare.clear();
        if f.exceptions.has_funclets() {
            self.find_bare(f, cfg);
        }
    }

    fn find_bare(&mut self, f: &Function, cfg: &Cfg) {
        for (index, &b) in cfg.order.iter().enumerate() {
            if f.is_pad(b) {
                self.bare.push(cfg.start[index]);
            }
            let last = f.inst(f.terminator(b));
            if last.op == Opcode::CatchRet {
                f.for_each_edge(last, |e| self.bare.push(cfg.start[cfg.index[f.edge_to(e).index()] as usize]));
            }
        }
        self.bare.sort_unstable();
    }

    /// Is there a block among these positions at whose start no register holds anything?
    #[inline]
    pub fn meets_bare(&self, start: u32, end: u32) -> bool {
        !self.bare.is_empty() && self.bare.get(self.bare.partition_point(|&p| p < start)).is_some_and(|&p| p <= end)
    }

    /// Numbers the instructions.
    fn number(&mut self, f: &Function, cfg: &Cfg) {
        // An instruction that no block holds any more has no position.
        self.position.resize(f.insts.len(), u32::MAX);
        for (&b, start) in cfg.order.iter().zip(&cfg.start) {
            let data = &f.blocks[b.index()];
            for (p, here) in (start + 1..).zip(&mut self.position[data.first as usize..data.end as usize]) {
                *here = p;
            }
        }
    }

    /// Notes what an instruction asks of the stack. Does it clobber like a call?
    fn concern_stack<T: Machine>(&mut self, target: &T, module: &Module, f: &Function, d: &InstData) -> bool {
        match d.op {
            Opcode::Call => {
                let call = &f.calls[d.a as usize];
                let sig = &f.sigs[call.sig.index()];
                let (plan, align) = (plan(target, sig), sig.abi.stack_align);
                if call.tail == TailKind::Must {
                    let own = crate::call::plan(target, f.signature()).popped;
                    self.grown = self.grown.max(plan.popped.saturating_sub(own));
                }
                let unwound = f.attrs.unwind_tables || f.exceptions.personality.is_some();
                if unwound
                    && call.tail != TailKind::Must
                    && !call.nounwind
                    && sig.source.convention.replaces_arguments()
                {
                    (self.needs_frame, self.replaced_callee) = (true, true);
                }
                // A jump with all its arguments in registers leaves the frame as it is.
                let in_registers = plan.block || plan.stack_bytes <= plan.home_space;
                if call.tail == TailKind::Must && in_registers && plan.memory.is_empty() {
                    self.changed |= plan.changed;
                    return false;
                }
                self.outgoing = self.outgoing.max(plan.outgoing);
                self.changed |= plan.changed;
                self.stack_align = self.stack_align.max(align);
                self.needs_frame |= align > crate::frame::natural_align(f);
                return true;
            }
            Opcode::TlsAddr => return target.tls_address_calls(module, SymbolId(d.a)),
            Opcode::Machine => {
                return module.machine_ops.get(d.flags as usize).is_some_and(|name| target.machine_op_calls(name));
            }
            Opcode::StackAlloc | Opcode::StackRestore => self.dynamic_stack = true,
            Opcode::FrameAddr | Opcode::ReturnAddr => self.needs_frame = true,
            _ => {}
        }
        false
    }

    fn walk_block<T: Machine>(
        &mut self,
        target: &T,
        module: &Module,
        f: &Function,
        cfg: &Cfg,
        index: usize,
        kept: Option<Value>,
    ) {
        let block = cfg.order[index];
        let at = At { f, cfg, block_start: cfg.start[index], innermost: cfg.loop_of[index], weight: cfg.weight(index) };
        let is_optimized = cfg.has_frequencies();
        let mut next_write = u32::MAX;
        let mut next_call = u32::MAX;
        for i in f.block_insts(block).rev() {
            let d = f.inst(i);
            let here = self.position[i.index()];
            let mut p = here;
            let calls = d.op.concerns_stack() && self.concern_stack(target, module, f, d);
            self.calls += u32::from(calls);
            self.calls_from[here as usize] = self.calls;
            if d.op.is_terminator() {
                f.for_each_edge(d, |e| {
                    let params = f.params(f.edge_to(e));
                    for (k, &v) in f.edge_args(e).iter().enumerate() {
                        self.touch(&at, v, here, NO_USER, 0);
                        let u = &mut self.uses[v.index()];
                        u.flags |= EDGE;
                        if params[k] == v {
                            // The argument is in the parameter's place already.
                            u.weight -= at.weight;
                        }
                        if u.hint == NO_HINT {
                            u.hint = HINT_VALUE | params[k].0;
                        }
                    }
                });
                if let (Opcode::Return, Some(v)) = (d.op, kept) {
                    self.touch(&at, v, here, NO_USER, 0);
                }
            } else if !d.op.has_side_effect() {
                let first = f.result(i).index();
                let results = &self.uses[first..first + d.op.result_count().unwrap_or(0) as usize];
                let volatile = d.op == Opcode::Load && MemFlags(d.flags).is_volatile();
                if !volatile && results.iter().all(|u| u.count == 0) {
                    self.fold[i.index()] = Fold::Dead;
                    continue;
                }
                if let [u] = *results
                    && u.count == 1
                    && u.arg != FAR
                    && u.user != NO_USER
                    && u.flags & (CROSS | EDGE) == 0
                {
                    let eff = self.position[u.user as usize];
                    let movable = eff <= next_call
                        && !volatile
                        && (d.op != Opcode::Load || eff <= next_write)
                        && !(f.debug.keeps_variables && leaves_line(f, i, Inst(u.user)));
                    let last = if movable { self.left_to(f, u.user) } else { None };
                    let candidate =
                        Candidate { def: d, user: f.inst(Inst(u.user)), arg: u.arg as usize, last, is_optimized };
                    if movable
                        && target.can_fold(f, candidate)
                        && (last.is_none() || self.holds_few(target, f, Inst(u.user), u.arg))
                    {
                        self.fold[i.index()] = Fold::Deferred;
                        p = eff;
                        self.position[i.index()] = p;
                    }
                }
            }
            let mut arg = 0;
            f.for_each_operand(d, |v| {
                self.touch(&at, v, p, i.0, arg);
                arg = arg.saturating_add(1);
            });
            match d.op {
                Opcode::Call => self.hint_call(target, f, (i, here), cfg.has_frequencies()),
                Opcode::Return => self.hint_return(target, f, i, index > 0 && here == cfg.start[index] + 1),
                _ => {}
            }
            if d.op.writes_memory() {
                next_write = here;
            }
            if calls {
                next_call = here;
            }
        }
        self.calls_from[cfg.start[index] as usize] = self.calls;
    }

    /// The instruction that a deferred user was deferred to.
    fn left_to<'f>(&self, f: &'f Function, user: u32) -> Option<&'f InstData> {
        if self.fold[user as usize] != Fold::Deferred {
            return None;
        }
        self.only_user(f.result(Inst(user))).map(|i| f.inst(i))
    }

    /// Do the deferred instructions from `user` outwards hold few registers while an instruction is emitted that is
    /// deferred to `user` as operand `arg`? Each of them holds its other operands. Held registers cannot be stored, and
    /// selection recurses as deeply as instructions are deferred to each other.
    #[inline(never)]
    fn holds_few<T: Machine>(&self, target: &T, f: &Function, mut user: Inst, mut arg: u8) -> bool {
        // Each of these has at most one other operand besides `arg`, of two parts.
        let outer = self.only_user(f.result(user));
        if matches!(f.inst(user).op.format(), Format::Load | Format::Unary | Format::Binary | Format::BinaryImm)
            && outer.is_none_or(|i| self.fold[i.index()] != Fold::Deferred)
        {
            return true;
        }
        let mut held = 0;
        while self.fold[user.index()] == Fold::Deferred {
            let mut at = 0;
            f.for_each_operand(f.inst(user), |v| {
                // Most constants are part of the instruction.
                if at != arg && f.int_constant(v).is_none() {
                    held += u32::from(target.parts(f.value_type(v)).count);
                }
                at += 1;
            });
            if held > MOST_HELD {
                return false;
            }
            let Some(outer) = self.only_user(f.result(user)) else { break };
            arg = self.uses[f.result(user).index()].arg;
            user = outer;
        }
        true
    }

    /// Notes a use: its position, the instruction (or `NO_USER`), and the number of the operand.
    fn touch(&mut self, at: &At, v: Value, position: u32, user: u32, arg: u8) {
        let Some(def) = self.definition(at, v) else { return };
        // Most uses are in the block of the definition. The rest is out of line, since it would have registers saved
        // for these, too.
        if def < at.block_start {
            return self.touch_far(at, v, position, user, arg);
        }
        self.count_use(at, v, position, user, arg);
    }

    /// Like [`touch`](Self::touch), for a value that an earlier block defines.
    #[inline(never)]
    fn touch_far(&mut self, at: &At, v: Value, position: u32, user: u32, arg: u8) {
        let Some(def) = self.definition(at, v) else { return };
        self.uses[v.index()].flags |= CROSS;
        self.far_uses.push((v, position));
        let around = at.cfg.loops_entered(at.innermost, |l| l.start > def);
        self.count_use(at, v, around.map_or(position, |l| l.end), user, arg);
    }

    /// The position at which a value is defined. `None` for values that are neither results nor parameters.
    #[inline(always)]
    fn definition(&self, at: &At, v: Value) -> Option<u32> {
        match at.f.value_def(v) {
            ValueDef::Inst(i) => Some(self.position[i.index()]),
            ValueDef::Param(b) => Some(at.cfg.start[at.cfg.index[b.index()] as usize]),
            _ => None,
        }
    }

    /// Counts a use; the value lives to `end` at least.
    #[inline(always)]
    fn count_use(&mut self, at: &At, v: Value, end: u32, user: u32, arg: u8) {
        let u = &mut self.uses[v.index()];
        u.end = u.end.max(end);
        u.count = u.count.saturating_add(1);
        u.user = user;
        u.arg = arg;
        u.weight += at.weight;
    }

    fn hint_call<T: Machine>(&mut self, target: &T, f: &Function, (i, here): (Inst, u32), is_optimized: bool) {
        let call = &f.calls[f.inst(i).a as usize];
        let args = f.pool_values(call.args_start, call.args_len);
        let plan = plan(target, &f.sigs[call.sig.index()]);
        if let (Callee::Value(v), Some(r), true) = (call.callee, plan.callee, is_optimized) {
            let u = &mut self.uses[v.index()];
            if u.end == here && u.hint == NO_HINT {
                u.hint = r.0.into();
            }
        }
        for p in &plan.registers {
            let Some(v) = args.get(p.param as usize) else { continue };
            let u = &mut self.uses[v.index()];
            if p.alone && u.end == here && u.hint == NO_HINT {
                u.hint = p.reg.0.into();
            }
        }
    }

    /// `alone`: the block holds nothing but the return. Where handlers come back to such a block, no register holds
    /// anything.
    #[inline(never)]
    fn hint_return<T: Machine>(&mut self, target: &T, f: &Function, i: Inst, alone: bool) {
        let d = f.inst(i);
        let values = f.pool_values(d.a, d.b);
        let file = &target.facts().registers;
        let alone = alone && !f.exceptions.has_funclets();
        for p in &plan(target, f.signature()).results {
            let (Some(&v), Some(r)) = (values.get(p.value as usize), p.reg) else { continue };
            let u = &mut self.uses[v.index()];
            if (p.part, u.hint) == (0, NO_HINT) {
                u.hint = r.0.into();
            }
            let fits = file.class(p.kind) & file.allocatable & !file.preserved & r.mask() != 0;
            if alone && fits && matches!(f.value_def(v), ValueDef::Param(_)) && u.flags & CROSS == 0 {
                u.flags |= RETURNED;
                self.returned.push((v, p.part, r));
            }
        }
    }

    /// Is the value a parameter of a block that does nothing but return it?
    #[inline]
    pub fn is_returned(&self, v: Value) -> bool {
        self.uses[v.index()].flags & RETURNED != 0
    }

    /// The register in which a part of such a parameter is returned.
    pub fn returned_in(&self, v: Value, part: u8) -> Option<PReg> {
        let at = self.returned.binary_search_by_key(&(v, part), |r| (r.0, r.1)).ok()?;
        Some(self.returned[at].2)
    }

    /// Last position of a value's live range; 0 if it is never used.
    #[inline]
    pub fn end(&self, v: Value) -> u32 {
        self.uses[v.index()].end
    }

    /// Sets where a value's live range ends.
    pub(crate) fn set_end(&mut self, v: Value, end: u32) {
        self.uses[v.index()].end = end;
    }

    /// Number of uses, saturating.
    #[inline]
    pub fn count(&self, v: Value) -> u32 {
        self.uses[v.index()].count as u32
    }

    /// The only user of a value, if the value has one use and that is an operand.
    #[inline]
    pub fn only_user(&self, v: Value) -> Option<Inst> {
        let u = &self.uses[v.index()];
        if u.count == 1 && u.user != NO_USER { Some(Inst(u.user)) } else { None }
    }

    /// Uses weighted by loop depth.
    #[inline]
    pub fn weight(&self, v: Value) -> f32 {
        self.uses[v.index()].weight
    }

    /// Is the value used in other blocks or passed by an edge?
    #[inline]
    pub fn leaves_block(&self, v: Value) -> bool {
        self.uses[v.index()].flags & (CROSS | EDGE) != 0
    }

    /// Is the value an operand in other blocks than its own?
    #[inline]
    pub fn crosses_block(&self, v: Value) -> bool {
        self.uses[v.index()].flags & CROSS != 0
    }

    /// Where the value should be.
    #[inline]
    pub fn hint(&self, v: Value) -> Hint {
        match self.uses[v.index()].hint {
            NO_HINT => Hint::None,
            h if h & HINT_VALUE != 0 => Hint::Value(Value(h & !HINT_VALUE)),
            h => Hint::Reg(PReg(h as u8)),
        }
    }

    /// Does something at a position clobber like a call?
    pub fn calls_at(&self, position: u32) -> bool {
        self.calls_from[position as usize] != self.calls_from[position as usize + 1]
    }

    /// Does something that clobbers like a call stand strictly between the two positions?
    #[inline]
    pub fn crosses_call(&self, start: u32, end: u32) -> bool {
        self.has_calls && end > start && self.calls_from[end as usize] != self.calls_from[start as usize + 1]
    }
}
