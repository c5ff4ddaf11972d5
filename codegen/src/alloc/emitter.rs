//! The emitter: it picks registers while the code of instructions is made (the streaming half of register allocation).
//!
//! A selector asks for its operands ([`Emitter::use_part`], [`Emitter::place`]), then for the result's register
//! ([`Emitter::def`], [`Emitter::def_reusing`]), emits, and binds the result ([`Emitter::set`]). Registers it was given stay
//! its own (*pinned*) until the instruction ends, or until it calls [`Emitter::release`] to say that every operand
//! has been read, after which the result may share a register with an operand that dies here.

use super::log::{Event, Log, Name, Transfer};
use super::splits::Splits;
use super::units::{UnitFlags, Units};
use crate::analysis::{Cfg, Fold, Hint, Intervals, Live};
use crate::buffer::{CodeBuffer, Label};
use crate::error::{CompileError, Result};
use crate::frame::{Frame, FramePlace};
use crate::ir::{Block, ConstData, Format, Function, Inst, IntCc, Module, Opcode, Slot, Type, Value, ValueDef};
use crate::machine::{BitsOp, ConstEmit, FLOATS, FrameAddr, Machine, PReg, PartKind, each_register};

mod bounds;
mod deferred;
mod notes;
mod places;
mod state;

pub(crate) use self::state::{CurrentInst, FunctionState, RegisterState, StackGuard};

/// Tables of the allocator that live on from function to function.
#[derive(Default)]
pub struct Scratch {
    touched: Vec<u32>,
    local_places: [Vec<u32>; 2],
    local_used: [Vec<u32>; 2],
    /// Places of the function's stack slots.
    pub slots: Vec<FramePlace>,
    /// For each index of the block order, the depth of the stack at the block's start, in bytes. Empty if depths are
    /// not known or all are 0.
    pub stack_depths: Vec<i32>,
    /// For each index of the block order that is a landing pad, the depth of the stack at the call that it belongs to.
    pub(crate) landings: Vec<i32>,
    /// An instruction needed one of these registers and found none.
    pub(crate) starved: u64,
    /// The largest number of general-purpose, and of floating-point, registers that a block stored because none was
    /// free.
    pub(crate) crowded: [u32; 2],
    /// The same for blocks in loops.
    pub(crate) crowded_loop: [u32; 2],
    /// The same for the current block.
    crowd: [u32; 2],
}

/// Where a part of a value is available without any code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// In a register.
    Reg(PReg),
    /// In the frame.
    Frame(FrameAddr),
    /// It is a constant.
    Const(ConstData),
    /// It is the address of a stack slot.
    Slot(Slot),
    /// Nowhere yet: its instruction was deferred to its user.
    Deferred(Inst),
}

/// The function that emits the code of an instruction: the architecture's selection, which the emitter itself does not
/// know.
pub type Selector<T> = for<'s, 'a> fn(&'s mut Emitter<'a, T>, Inst) -> Result;

/// Emits the code of a function. It has all that the function is made of, and the state of emission in three groups.
pub struct Emitter<'a, T: Machine> {
    /// Emits a deferred instruction.
    pub(crate) select: Selector<T>,
    /// The architecture.
    pub target: &'a T,
    /// The module.
    pub module: &'a Module,
    /// The function.
    pub f: &'a Function,
    /// Its block order and loops.
    pub cfg: &'a Cfg,
    /// Its live ranges.
    pub live: &'a mut Live,
    /// Their intervals, if ranges have holes: then every value's end is that in the block that is being emitted.
    pub(crate) intervals: Option<&'a Intervals>,
    /// Homes that differ from block to block.
    pub(crate) splits: &'a Splits,
    /// Its values' parts.
    pub units: &'a mut Units,
    /// Its frame.
    pub frame: &'a mut Frame,
    /// Its code.
    pub buf: &'a mut CodeBuffer,
    /// What is recorded for the checker, if anything is.
    pub log: Option<Box<Log>>,
    pub(crate) scratch: &'a mut Scratch,
    /// What registers hold.
    pub(crate) regs: RegisterState,
    /// The instruction that is being emitted.
    pub current: CurrentInst,
    /// What holds for the function as a whole.
    pub(crate) function: FunctionState<'a>,
}

impl Scratch {
    /// Clears what the emitter notes in it.
    pub fn begin(&mut self) {
        self.touched.clear();
        self.local_places.iter_mut().chain(&mut self.local_used).for_each(Vec::clear);
    }
}

impl<'a, T: Machine> Emitter<'a, T> {
    /// Do targets of indirect branches in the function have marks, where the machine has marks?
    pub fn marks_branch_targets(&self) -> bool {
        self.module.branch_protection || self.f.attrs.indirect_branch_marker
    }

    /// The label of a block.
    pub fn block_label(&self, b: Block) -> Label {
        Label(self.function.first_label.0 + self.cfg.index[b.index()])
    }

    /// Preserved registers that serve as scratch registers in this function.
    pub fn extra_scratch(&self) -> u64 {
        self.function.extra_scratch
    }

    /// Is the code optimized?
    #[inline]
    pub fn is_optimized(&self) -> bool {
        self.intervals.is_some()
    }

    /// The current position.
    pub fn position(&self) -> u32 {
        self.current.position
    }

    /// The position of the current block's terminator.
    pub(crate) fn block_end(&self) -> u32 {
        self.current.block_end
    }

    // Where values are.

    /// Where a value's part is now.
    #[inline]
    pub fn whereabouts(&self, v: Value, part: u8) -> Where {
        // Most values are in a register when they are asked for.
        match self.units.reg(v.0) {
            Some(r) if part == 0 => Where::Reg(r),
            _ => self.find(v, part),
        }
    }

    fn find(&self, v: Value, part: u8) -> Where {
        match self.f.value_def(v) {
            ValueDef::Const => Where::Const(self.f.constant(v).unwrap_or(ConstData::Poison)),
            ValueDef::Slot(s) => Where::Slot(s),
            ValueDef::Inst(i) => {
                let u = self.units.unit(v, part);
                match self.units.reg(u) {
                    Some(r) => Where::Reg(r),
                    None if self.live.fold[i.index()] == Fold::Deferred && !self.units.has(u, UnitFlags::IN_MEMORY) => {
                        Where::Deferred(i)
                    }
                    None => Where::Frame(self.unit_addr(u)),
                }
            }
            _ => {
                let u = self.units.unit(v, part);
                match self.units.reg(u) {
                    Some(r) => Where::Reg(r),
                    None => Where::Frame(self.unit_addr(u)),
                }
            }
        }
    }

    fn unit_addr(&self, u: u32) -> FrameAddr {
        // A unit that is in no register has a place: it was stored when it was defined or when it lost its register.
        match self.units.place(u) {
            Some(p) => self.frame.addr(p, 0),
            None => self.outgoing_addr(0),
        }
    }

    /// Is this the value's last use in the block?
    fn is_last_use(&self, v: Value) -> bool {
        self.live.end(v) <= self.current.position && (self.current.nesting == 0 || self.live.count(v) == 1)
    }

    /// Is this the value's last use, so that its register may be overwritten?
    pub fn dies(&self, v: Value) -> bool {
        // Values that a loop carries end at the end of its last block, although the next iteration reads them again.
        // Edges read the values that they pass after all instructions have run.
        self.is_last_use(v) && self.is_read(v)
    }

    // Registers.

    #[inline]
    fn busy_homes(&mut self) -> u64 {
        if self.regs.home_next < self.current.limit {
            let mut next = u32::MAX;
            for r in each_register(self.regs.homes) {
                let until = self.regs.home_until[r.0 as usize];
                if until < self.current.limit {
                    self.regs.homes &= !r.mask();
                } else {
                    next = next.min(until);
                }
            }
            self.regs.home_next = next;
        }
        self.regs.homes
    }

    /// Are `general` general-purpose and `floats` floating-point registers free?
    pub fn has_room(&mut self, general: u32, floats: u32) -> bool {
        let class = self.target.facts().registers.floats();
        self.free_registers(!FLOATS).count_ones() >= general
            && (floats == 0 || self.free_registers(class).count_ones() >= floats)
    }

    /// Registers that hold values.
    pub(crate) fn held_registers(&mut self) -> u64 {
        self.busy_homes() | self.regs.occupied
    }

    fn free_registers(&mut self, class: u64) -> u64 {
        self.regs.allowed & class & !self.regs.occupied & !self.regs.pinned & !self.regs.reserved & !self.busy_homes()
    }

    /// A general-purpose or floating-point register, pinned: `hint` if it is free, else another free one, else one that
    /// is taken from a value that is cheap to reload.
    pub fn temp(&mut self, float: bool, hint: Option<PReg>) -> Result<PReg> {
        let class = if float { self.target.facts().registers.floats() } else { !FLOATS };
        self.temp_in(class, hint)
    }

    /// Like [`temp`](Emitter::temp), for a part of a kind.
    pub fn temp_for(&mut self, kind: PartKind, hint: Option<PReg>) -> Result<PReg> {
        self.temp_in(self.target.facts().registers.class(kind), hint)
    }

    fn temp_in(&mut self, class: u64, hint: Option<PReg>) -> Result<PReg> {
        let mut free = self.free_registers(class);
        if self.is_optimized()
            && let Some(result) = self.current.result
        {
            // The result had best be made in its home.
            let home = self.units.home(result.0).map_or(0, PReg::mask);
            free = if free & !home != 0 { free & !home } else { free };
        }
        if let Some(h) = hint.filter(|h| self.is_optimized() && self.holds_spare_copy(*h, class)) {
            self.forget(h);
            free |= h.mask();
        }
        let r = match hint {
            Some(h) if free & h.mask() != 0 => h,
            _ if free != 0 => {
                let file = &self.target.facts().registers;
                file.local_order
                    .iter()
                    .copied()
                    .find(|r| free & r.mask() != 0)
                    .unwrap_or(PReg(free.trailing_zeros() as u8))
            }
            _ => self.steal_of(class)?,
        };
        self.regs.pinned |= r.mask();
        self.note(Event::Own { reg: r, reuse: None });
        Ok(r)
    }

    /// Does a register hold nothing but the copy of a value that is in memory, which may be given up?
    fn holds_spare_copy(&self, r: PReg, class: u64) -> bool {
        let taken = self.regs.pinned | self.regs.reserved;
        let held = self.regs.occupied & self.regs.allowed & class & !taken & r.mask();
        held != 0 && self.units.has(self.regs.holder[r.0 as usize], UnitFlags::IN_MEMORY)
    }

    /// Like [`temp`](Emitter::temp), from a set of registers: for instructions that only take some.
    pub fn temp_of(&mut self, set: u64) -> Result<PReg> {
        let free = self.free_registers(set);
        let r = if free != 0 { PReg(free.trailing_zeros() as u8) } else { self.steal_of(set)? };
        self.regs.pinned |= r.mask();
        self.note(Event::Own { reg: r, reuse: None });
        Ok(r)
    }

    fn steal_of(&mut self, class: u64) -> Result<PReg> {
        let set = self.regs.occupied & !self.regs.pinned & !self.regs.reserved & class & self.regs.allowed;
        let mut best: Option<(bool, u32, PReg)> = None;
        for r in each_register(set) {
            let u = self.regs.holder[r.0 as usize];
            let score = (self.units.has(u, UnitFlags::IN_MEMORY), self.live.end(self.units.value(u)), r);
            if best.is_none_or(|b| (score.0, score.1) > (b.0, b.1)) {
                best = Some(score);
            }
        }
        let Some((_, _, r)) = best else {
            // Making any general-purpose register scratch helps: values move there.
            self.scratch.starved |= if class & FLOATS == 0 { !FLOATS } else { class };
            return Err(CompileError::out_of_registers(self.f));
        };
        self.spill(r)?;
        Ok(r)
    }

    /// Empties `r`: stores what it holds, unless that is in memory already.
    fn spill(&mut self, r: PReg) -> Result {
        let u = self.regs.holder[r.0 as usize];
        if !self.units.has(u, UnitFlags::IN_MEMORY) {
            self.note_crowd(r);
            let at = self.own_place(u)?;
            self.store_to(self.units.kind(u), r, at);
            self.units.flag(u, UnitFlags::IN_MEMORY);
        }
        self.empty(r, u);
        Ok(())
    }

    /// Empties `r` by moving or storing what it holds. No operand of the current instruction may be in it.
    fn vacate(&mut self, r: PReg) -> Result {
        if self.regs.occupied & r.mask() == 0 {
            return Ok(());
        }
        let u = self.regs.holder[r.0 as usize];
        if self.live.end(self.units.value(u)) < self.current.position {
            // An edge or a call was the last to read it.
            self.forget(r);
            return Ok(());
        }
        if !self.units.has(u, UnitFlags::IN_MEMORY) {
            let class = self.target.facts().registers.class_of(r);
            let free = self.free_registers(class) & !r.mask() & !self.regs.released;
            if free != 0 {
                let file = &self.target.facts().registers;
                let to = file.local_order.iter().copied().find(|p| free & p.mask() != 0);
                let to = to.unwrap_or(PReg(free.trailing_zeros() as u8));
                self.note(Event::Shuffle(to));
                self.copy_reg(self.units.kind(u), to, r);
                self.regs.clear(r);
                self.regs.fill(to, u);
                self.units.set_reg(u, Some(to));
                if self.regs.pinned & r.mask() != 0 {
                    self.regs.pinned |= to.mask();
                }
                return Ok(());
            }
        }
        self.spill(r)
    }

    /// Takes a particular register for this instruction and empties it. What it held moves elsewhere, so operands must
    /// be asked for afterwards. Fails if the register is somebody's home; the next attempt then has it as no home.
    pub fn take(&mut self, r: PReg) -> Result {
        if self.busy_homes() & r.mask() != 0 {
            self.scratch.starved = r.mask();
            return Err(CompileError::out_of_registers(self.f));
        }
        self.regs.pinned &= !r.mask();
        self.vacate(r)?;
        self.regs.pinned |= r.mask();
        self.note(Event::Own { reg: r, reuse: None });
        Ok(())
    }

    /// Takes a general-purpose register that calls preserve and that is nobody's home, and empties it.
    pub fn take_extra_scratch(&mut self) -> Result<PReg> {
        let spare = self.function.extra_scratch & self.target.facts().registers.preserved & !FLOATS & !self.regs.pinned;
        if spare == 0 {
            self.scratch.starved = !FLOATS;
            return Err(CompileError::out_of_registers(self.f));
        }
        let r = PReg(spare.trailing_zeros() as u8);
        self.take(r)?;
        Ok(r)
    }

    /// Pins a register that the selector knows to be its own.
    pub fn pin(&mut self, r: PReg) {
        self.regs.pinned |= r.mask();
        self.note(Event::Pin(r));
    }

    /// Unpins a temporary or an operand before the instruction ends, unless it was pinned by an instruction that this
    /// one was deferred to.
    pub fn unpin(&mut self, r: PReg) {
        if self.regs.outer & r.mask() == 0 {
            self.regs.pinned &= !r.mask();
            self.note(Event::Unpin(r.mask()));
        }
    }

    /// Unpins everything: all operands asked for so far have been read, and no temporary is needed any more. Operands
    /// that are to be read again must be asked for again. Not to be used inside a deferred instruction.
    pub fn unpin_all(&mut self) {
        self.regs.pinned = 0;
        self.note(Event::Unpin(!0));
    }

    // Operands.

    /// A part of a value in a register, which may not be changed.
    pub fn use_part(&mut self, v: Value, part: u8) -> Result<PReg> {
        let Where::Reg(r) = self.whereabouts(v, part) else { return self.load_part(v, part) };
        self.regs.pinned |= r.mask();
        self.scratch.touched.push(self.units.unit(v, part));
        self.note(Event::Use(Name { value: v, part }, r.into()));
        Ok(r)
    }

    /// Like [`use_part`](Emitter::use_part), for a value that is in no register.
    #[inline(never)]
    fn load_part(&mut self, v: Value, part: u8) -> Result<PReg> {
        match self.find(v, part) {
            Where::Reg(_) => self.use_part(v, part),
            Where::Frame(at) => {
                let u = self.units.unit(v, part);
                let kind = self.units.kind(u);
                let r = self.temp_for(kind, None)?;
                self.load_from(kind, r, at);
                self.note(Event::Use(Name { value: v, part }, r.into()));
                self.regs.fill(r, u);
                self.units.set_reg(u, Some(r));
                self.scratch.touched.push(u);
                Ok(r)
            }
            Where::Const(_) | Where::Slot(_) => {
                let ty = self.f.value_type(v);
                let kind = self.target.parts(ty).kind;
                let r = self.temp_for(kind, None)?;
                self.put_into(r, v, part)?;
                self.note(Event::Use(Name { value: v, part }, r.into()));
                Ok(r)
            }
            Where::Deferred(i) => {
                if let Some(half) = self.half(v, part) {
                    return self.use_part(half, 0);
                }
                self.emit_deferred(i)?;
                self.use_part(v, part)
            }
        }
    }

    /// Tells the emitter that the moves at the instruction's end read this part from the register that it is in, so
    /// that the register becomes free if the value dies.
    #[inline]
    pub fn touch(&mut self, v: Value, part: u8) {
        self.scratch.touched.push(self.units.unit(v, part));
    }

    /// A value of one part in a register, which may not be changed.
    #[inline]
    pub fn use_reg(&mut self, v: Value) -> Result<PReg> {
        self.use_part(v, 0)
    }

    /// Does the branch at the end of the block ask whether a value is zero, in code that is optimized?
    pub fn is_tested_at_end(&self, v: Value) -> bool {
        if !self.is_optimized() {
            return false;
        }
        let block = self.cfg.order[self.cfg.block_at(self.current.position)];
        let last = self.f.inst(self.f.terminator(block));
        if last.op != Opcode::Br {
            return false;
        }
        let Some(i) = self.deferred(Value(last.a)) else { return false };
        let d = self.f.inst(i);
        let is_equality = matches!(IntCc::from_u8(d.flags), Some(IntCc::Eq | IntCc::Ne));
        d.op == Opcode::Icmp && is_equality && Value(d.a) == v && self.f.int_constant(Value(d.b)) == Some(0)
    }

    /// Notes that the condition flags say whether the value just made is zero. Moves leave flags alone.
    pub fn set_flags_of(&mut self, v: Value) {
        self.current.flags_of = Some((v, self.buf.offset()));
    }

    /// Emits a deferred instruction inside the current one. Of the registers that it pinned, only those of its results
    /// stay pinned.
    pub fn emit_deferred(&mut self, i: Inst) -> Result {
        let mut keep = self.regs.pinned;
        self.note(Event::Enter(i));
        self.nested(|cx| (cx.select)(cx, i))?;
        self.note(Event::Leave);
        for v in self.f.results(i) {
            for u in self.units.of(v) {
                keep |= self.units.reg(u).map_or(0, PReg::mask);
            }
        }
        self.note(Event::Unpin(self.regs.pinned & !keep));
        self.regs.pinned &= keep;
        Ok(())
    }

    /// Runs `f` as part of emitting a deferred instruction: no value dies in it that the current instruction may still
    /// need.
    pub fn nested<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.regs.outer, self.regs.pinned);
        self.current.nesting += 1;
        let r = f(self);
        self.current.nesting -= 1;
        self.regs.outer = outer;
        r
    }

    /// Copies a part of a value into `r`, which the caller has pinned. Condition flags stay as they are if `flags_live`
    /// is set, unless a deferred operand changes them.
    pub fn copy_into(&mut self, r: PReg, v: Value, part: u8) -> Result {
        if let Where::Deferred(_) = self.whereabouts(v, part)
            && let Some(half) = self.half(v, part)
        {
            return self.copy_into(r, half, 0);
        }
        self.put_into(r, v, part)?;
        self.note(Event::Read(Name { value: v, part }, r.into()));
        self.note(Event::Change(r));
        Ok(())
    }

    pub(super) fn put_into(&mut self, r: PReg, v: Value, part: u8) -> Result {
        let name = Name { value: v, part };
        match self.whereabouts(v, part) {
            Where::Reg(s) => {
                self.scratch.touched.push(self.units.unit(v, part));
                self.note(Event::Read(name, s.into()));
                if s != r {
                    let kind = self.units.kind(self.units.unit(v, part));
                    self.copy_reg(kind, r, s);
                }
            }
            Where::Frame(at) => {
                let u = self.units.unit(v, part);
                self.scratch.touched.push(u);
                self.note(Event::Read(name, at.into()));
                self.load_from(self.units.kind(u), r, at);
            }
            Where::Const(c) => {
                let ty = self.f.value_type(v);
                let (keep_flags, module, f) = (self.current.flags_live, self.module, self.f);
                self.transfer(Transfer::Make { to: r.into(), name }, |target, buf| {
                    target.emit_const(&mut ConstEmit { module, f, buf, keep_flags }, ty, c, part, r)
                })?;
            }
            Where::Slot(s) => {
                let place = self.scratch.slots[s.index()];
                let align = self.f.slots[s.index()].align;
                let at = self.frame.addr(place, 0);
                let align = self.frame.move_up(align);
                let keep_flags = self.current.flags_live;
                self.transfer(Transfer::Make { to: r.into(), name }, |t, buf| {
                    t.emit_frame_address(buf, r, at, align, keep_flags);
                });
            }
            Where::Deferred(i) => {
                if let Some(half) = self.half(v, part) {
                    return self.put_into(r, half, 0);
                }
                self.emit_deferred(i)?;
                return self.put_into(r, v, part);
            }
        }
        Ok(())
    }

    /// Puts a copy of a part into the particular register `r`, which the instruction may then change. To be called
    /// before other operands are asked for.
    pub fn take_copy(&mut self, r: PReg, v: Value, part: u8) -> Result {
        if let Where::Deferred(i) = self.whereabouts(v, part) {
            self.emit_deferred(i)?;
        }
        if self.whereabouts(v, part) == Where::Reg(r) && self.regs.occupied & r.mask() != 0 && self.dies(v) {
            self.empty(r, self.units.unit(v, part));
            self.regs.pinned |= r.mask();
            self.reuse(r, v, part);
            return Ok(());
        }
        self.take(r)?;
        self.copy_into(r, v, part)
    }

    /// Notes for the checker that the register of an operand that dies becomes the instruction's own.
    fn reuse(&mut self, r: PReg, value: Value, part: u8) {
        let name = Name { value, part };
        self.note(Event::Read(name, r.into()));
        self.note(Event::Own { reg: r, reuse: Some(name) });
    }

    // Results.

    /// A register for a part of a result, pinned: its home if possible.
    pub fn def(&mut self, v: Value, part: u8) -> Result<PReg> {
        let u = self.units.unit(v, part);
        let kind = self.units.kind(u);
        if let Some(h) = self.units.home(u) {
            if self.regs.pinned & h.mask() == 0 {
                self.vacate(h)?;
                self.regs.pinned |= h.mask();
                self.note(Event::Own { reg: h, reuse: None });
                return Ok(h);
            }
            return self.temp_for(kind, None);
        }
        let hint = match self.live.hint(v) {
            Hint::Reg(p) => Some(p),
            Hint::Value(p) => self.units.home(self.units.sibling(p, v, u)),
            Hint::None => self.preferred_register(v).or_else(|| self.preferred_half_register(v, part)),
        };
        self.temp_for(kind, hint)
    }

    /// Where a part had best be of a pair that is split into values.
    fn preferred_half_register(&self, v: Value, part: u8) -> Option<PReg> {
        let user = self.live.only_user(v)?;
        if self.f.inst(user).op != Opcode::Isplit {
            return None;
        }
        let half = Value(self.f.result(user).0 + u32::from(part));
        self.units.home(half.0).or(match self.live.hint(half) {
            Hint::Reg(p) => Some(p),
            Hint::Value(p) => self.units.home(p.0),
            Hint::None => self.preferred_register(half),
        })
    }

    /// Where a value had best be that is the first operand of an instruction that overwrites it: where the result will be.
    fn preferred_register(&self, mut v: Value) -> Option<PReg> {
        for _ in 0..4 {
            let d = self.f.inst(self.live.only_user(v)?);
            let gives = matches!(d.op.format(), Format::Binary | Format::Unary) && d.op.result_count() != Some(0);
            let gives = gives || d.op.overwrites_first();
            let reads = if d.op == Opcode::Index {
                Value(d.b) == v && d.c > 8 && self.is_optimized()
            } else {
                Value(d.a) == v && gives
            };
            if !reads {
                return None;
            }
            v = self.f.result(self.live.only_user(v)?);
            let home = self.units.home(v.0);
            if home.is_some() || self.units.has(v.0, UnitFlags::HOMED) {
                return home;
            }
            match self.live.hint(v) {
                Hint::Reg(p) => return Some(p),
                Hint::Value(p) => return self.units.home(p.0),
                Hint::None => {}
            }
        }
        None
    }

    /// A register for part `part` of `result` that holds the same part of `a`, for instructions that overwrite their
    /// first operand. All other operands must have been asked for before.
    #[inline]
    pub fn def_reusing(&mut self, result: Value, a: Value, part: u8) -> Result<PReg> {
        self.def_from(result, part, a, part)
    }

    /// Like [`Emitter::def_reusing`], where part `part` of the result starts as part `from` of the operand.
    pub fn def_from(&mut self, result: Value, part: u8, a: Value, from: u8) -> Result<PReg> {
        if let Where::Deferred(i) = self.whereabouts(a, from) {
            if let Some(half) = self.half(a, from) {
                if self.is_read_alone(a, half) {
                    return self.def_from(result, part, half, 0);
                }
                let d = self.def(result, part)?;
                self.copy_into(d, half, 0)?;
                return Ok(d);
            }
            self.emit_deferred(i)?;
        }
        if let Where::Reg(ra) = self.whereabouts(a, from) {
            let was = self.regs.pinned & ra.mask() != 0;
            self.regs.pinned |= ra.mask();
            let home = self.units.home(self.units.unit(result, part));
            let ua = self.units.unit(a, from);
            let ends = self.dies(a);
            if home == Some(ra) && (ends || self.shares_home_with_result(ua, ra)) {
                self.scratch.touched.push(ua);
                self.reuse(ra, a, from);
                return Ok(ra);
            }
            if ends {
                let local = self.regs.occupied & ra.mask() != 0;
                let other_home = self.regs.reserved & ra.mask() != 0;
                // Where the home is not free, the result moves there in the end.
                let home_taken = self.is_optimized() && home.is_some_and(|h| self.regs.pinned & h.mask() != 0);
                if (home.is_none() || home_taken) && !other_home && (local || self.units.home(ua) == Some(ra)) {
                    if local {
                        self.empty(ra, ua);
                    } else {
                        self.scratch.touched.push(ua);
                    }
                    self.reuse(ra, a, from);
                    return Ok(ra);
                }
            }
            let d = self.def(result, part)?;
            self.copy_into(d, a, from)?;
            if !was {
                self.regs.pinned &= !ra.mask();
            }
            return Ok(d);
        }
        let d = self.def(result, part)?;
        self.copy_into(d, a, from)?;
        Ok(d)
    }

    /// Does the operand `a` end here, with its part in the register that the same part of the result has as its home
    /// (or in no home, if the result has none)? `others` are the operands that are read after the part has been
    /// overwritten; none of them may be `a`.
    pub fn ends_in_place(&self, r: Value, a: Value, part: u8, others: &[Value]) -> bool {
        if others.contains(&a) {
            return false;
        }
        let (a, from) = match self.half(a, part) {
            Some(half) if self.is_read_alone(a, half) => (half, 0),
            Some(_) => return false,
            None => (a, part),
        };
        let Where::Reg(x) = self.whereabouts(a, from) else { return false };
        let unit = self.units.unit(a, from);
        match self.home_register(r, part) {
            Some(home) => home == x && (self.dies(a) || self.shares_home_with_result(unit, x)),
            None => self.dies(a) && self.units.home(unit).is_none(),
        }
    }

    /// Is the operand's register its home, and also the home of a part of the result? Values that share a home are
    /// never live at the same time, so the operand ends here, even if its range in block order goes on.
    fn shares_home_with_result(&self, unit: u32, r: PReg) -> bool {
        self.units.home(unit) == Some(r)
            && self.current.result.is_some_and(|v| self.units.of(v).any(|u| self.units.home(u) == Some(r)))
    }

    /// Extends a small integer in a register that the instruction may change.
    pub fn extend(&mut self, r: PReg, bits: u16, signed: bool) {
        let to = bits.next_power_of_two().max(32);
        self.target.emit_bits(self.buf, r, BitsOp::Extend { from: bits, to, signed });
    }

    /// Binds a result's part to the register that holds it.
    pub fn set(&mut self, v: Value, part: u8, r: PReg) -> Result {
        if self.live.count(v) == 0 {
            return Ok(());
        }
        let u = self.units.unit(v, part);
        self.note(Event::Bind(Name { value: v, part }, r.into()));
        if let Some(h) = self.units.home(u) {
            if h != r {
                self.vacate(h)?;
                self.copy_reg(self.units.kind(u), h, r);
            }
            self.bind_home(u, h, v);
            self.regs.pinned |= h.mask();
            return Ok(());
        }
        if self.units.has(u, UnitFlags::HOMED) {
            let at = self.unit_addr(u);
            self.store_to(self.units.kind(u), r, at);
            self.units.flag(u, UnitFlags::IN_MEMORY);
        }
        self.hold(u, r);
        Ok(())
    }

    fn hold(&mut self, u: u32, r: PReg) {
        self.regs.fill(r, u);
        self.regs.pinned |= r.mask();
        self.units.set_reg(u, Some(r));
        self.scratch.touched.push(u);
    }

    fn bind_home(&mut self, u: u32, h: PReg, v: Value) {
        let end = self.live.end(v);
        let end = if self.intervals.is_some() { end } else { self.units.home_end(v, end) };
        self.units.set_reg(u, Some(h));
        if let Some(variables) = &mut self.function.variables {
            variables.bind(h, u);
        }
        self.regs.home_until[h.0 as usize] = end;
        self.regs.homes |= h.mask();
        self.regs.home_next = self.regs.home_next.min(end);
    }

    /// The register that a value's part lives in, if it has one for its whole life.
    pub fn home_register(&self, v: Value, part: u8) -> Option<PReg> {
        self.units.home(self.units.unit(v, part))
    }

    // Instructions.

    /// Says that every operand of the current instruction has been read: registers of operands that die here may hold
    /// results. Does nothing inside a deferred instruction.
    pub fn release(&mut self) {
        if self.current.nesting > 0 {
            return;
        }
        self.note(Event::Release);
        let mut keep = 0;
        for k in 0..self.scratch.touched.len() {
            let u = self.scratch.touched[k];
            let Some(r) = self.units.reg(u) else { continue };
            let v = self.units.value(u);
            if self.live.end(v) <= self.current.position {
                if self.units.home(u).is_none() && self.is_read(v) {
                    self.empty(r, u);
                }
            } else if !self.shares_home_with_result(u, r) {
                keep |= r.mask();
            }
        }
        self.regs.released |= self.regs.pinned & !keep;
        self.regs.pinned = keep;
        self.current.limit = self.current.position + 1;
    }

    /// Has the value, which lives no longer than to the current instruction, been read for the last time? What edges
    /// pass on is still to be read.
    #[inline]
    fn is_read(&self, v: Value) -> bool {
        self.current.position < self.current.block_end || !self.live.leaves_block(v)
    }

    /// Takes the unit out of the register that it is in.
    #[inline]
    fn empty(&mut self, r: PReg, u: u32) {
        self.regs.clear(r);
        self.units.set_reg(u, None);
    }

    /// Runs `f`, which emits a deferred condition and leaves it in the flags. Afterwards the condition holds no
    /// registers: its operands have been read, and those that end here and are not among the instruction's `others` are
    /// freed.
    pub fn in_flags<R>(&mut self, others: [Value; 2], f: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        let (pinned, first) = (self.regs.pinned, self.scratch.touched.len());
        let [[a, b], [c, d]] = others.map(|v| self.halves(v).unwrap_or([v; 2]));
        let others = [a, b, c, d];
        let r = f(self)?;
        let mut free = self.regs.pinned & !pinned;
        for k in first..self.scratch.touched.len() {
            let u = self.scratch.touched[k];
            let v = self.units.value(u);
            if let Some(r) = self.units.reg(u)
                && self.units.home(u).is_none()
                && self.current.nesting == 0
                && self.live.end(v) <= self.current.position
                && self.is_read(v)
                && !others.contains(&v)
            {
                self.empty(r, u);
                free |= r.mask();
            }
        }
        self.regs.pinned &= !free;
        self.note(Event::Unpin(free));
        Ok(r)
    }

    /// Like [`release`](Emitter::release); operands that live on may lose their registers, too.
    pub fn release_all(&mut self) {
        self.release();
        if self.current.nesting == 0 {
            self.unpin_all();
        }
    }

    /// Starts the instruction at `position`.
    #[inline]
    pub fn begin_inst(&mut self, position: u32) {
        self.current.position = position;
        self.current.limit = position;
    }

    /// Reserves the homes of an instruction's results, if it has more than one part of results. To be called after
    /// [`begin_inst`](Emitter::begin_inst).
    #[inline(always)]
    pub fn reserve_result_homes(&mut self, i: Inst) {
        let n = self.f.result_count(i);
        if n == 0 {
            return;
        }
        let first = self.f.result(i);
        if n == 1 {
            self.current.result = Some(first);
            if self.units.parts(first) < 2 {
                return;
            }
        }
        if self.f.inst(i).op.overwrites_first() {
            self.current.result = Some(first);
        }
        for v in self.f.results(i) {
            for u in self.units.of(v) {
                self.regs.reserved |= self.units.home(u).map_or(0, PReg::mask);
            }
        }
    }

    /// Ends the current instruction.
    #[inline(always)]
    pub fn end_inst(&mut self) {
        self.note(Event::Release);
        // Values in their homes stay there, and nothing is read any more, so only this much of `release` is left to do.
        for k in 0..self.scratch.touched.len() {
            let u = self.scratch.touched[k];
            if self.units.home(u).is_none()
                && let Some(r) = self.units.reg(u)
            {
                let v = self.units.value(u);
                if self.live.end(v) <= self.current.position && self.is_read(v) {
                    self.empty(r, u);
                }
            }
        }
        self.current.limit = self.current.position + 1;
        self.current.flags_live = false;
        self.regs.released = 0;
        self.regs.reserved = 0;
        self.current.result = None;
        self.regs.pinned = 0;
        self.scratch.touched.clear();
    }

    /// Forgets the copy that a register holds, without saving it.
    pub fn forget(&mut self, r: PReg) {
        if self.regs.occupied & r.mask() != 0 {
            self.empty(r, self.regs.holder[r.0 as usize]);
        }
    }

    /// Forgets whatever is in the given registers.
    fn forget_all(&mut self, mask: u64) {
        for r in each_register(self.regs.occupied & mask) {
            self.forget(r);
        }
    }

    /// The kind of a value's parts; the value may be a constant.
    #[inline]
    pub fn units_kind(&self, v: Value) -> PartKind {
        self.units.kind(v.0)
    }

    /// The kind and number of the parts of a type.
    #[inline]
    pub fn target_parts(&self, ty: Type) -> (PartKind, u8) {
        let p = self.target.parts(ty);
        (p.kind, p.count)
    }

    /// Copies between registers.
    #[inline]
    pub fn target_move(&mut self, kind: PartKind, dst: PReg, src: PReg) {
        self.target.emit_move(self.buf, kind, dst, src);
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, v: Value) -> Type {
        self.f.value_type(v)
    }
}
