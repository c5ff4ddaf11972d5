//! Emits the code of one function, in as many attempts as it takes.
//!
//! Some facts must be known before code is made and are found out only while it is made: how many bytes of the frame
//! hold spills, which registers have to be saved. An [`Attempt`] is what is assumed of them. If the code needs more,
//! the next attempt assumes that. Each attempt assumes more than the one before, so there is a last one.

use std::ops::Range;

use gusset_abi::features::Hardening;
use gusset_abi::{SaveArea, SaveAreaPlace};

use crate::alloc::{CurrentInst, Emitter, Event, FunctionState, IncomingPart, Limits, Places, RegisterState};
use crate::analysis::{Fold, Interval};
use crate::buffer::Label;
use crate::call;
use crate::compile::Compiler;
use crate::compiled::Patch;
use crate::debug::tracker::VariableTracker;
use crate::dump::Stage;
use crate::edges::{self, Edges};
use crate::error::{CompileError, Result};
use crate::frame::ops::emit_prologue;
use crate::frame::{Frame, FramePlace, natural_align};
use crate::ir::{
    Block, FramePointer, Function, Inst, Module, Opcode, ReturnSigning, SlotData, SlotKind, ZeroRegisters,
};
use crate::level::OptimizationLevel;
use crate::machine::{
    CodeMark, FLOATS, FrameBase, FrameOp, FrameRules, FuncletPlaces, PReg, Probe, Reserved, Signing, Unwinding,
};
use crate::passes::is_exit;
use crate::plan::Passed;
use crate::prelude;
use crate::select::Select;
use crate::split_stack;
use crate::stack_limit;
use crate::stack_map::record;
use crate::stack_protector;
use crate::unwind::itanium::landing_pad;
use crate::unwind::microsoft::registration::Record;
use crate::unwind::microsoft::{funclet_code, state_stores};
use crate::zero_call_used_regs;

/// First value of the host's word that the personality routine writes to.
const UNKNOWN_STATE: i32 = -2;
/// How often stretches of a function are given more temporaries.
const MOST_TIGHT: usize = 32;
/// How many of the bytes that a leaf function may use below the stack pointer are kept for spills.
const RED_ZONE_SPILLS: u32 = 32;

/// What an attempt assumes.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    /// How the frame is addressed.
    base: FrameBase,
    /// Bytes of the frame for spills that were not foreseen.
    room: u32,
    /// Registers that are no homes.
    reserved: Reserved,
    /// Registers that are saved although calls usually change them, because the convention has the function keep them.
    changed: u64,
    /// Registers that the function zeroes before it returns.
    zeros: u64,
}

/// How an attempt ended.
enum Outcome {
    Done(Option<Patch>),
    /// Spills took this many bytes.
    Room(u32),
    /// The code wants these registers to have their fixed contents.
    Fixed(u64),
    /// The encoder has taken the link register, which was a home.
    Link,
    /// The code changes registers that the convention has it keep, or has to zero others.
    Registers {
        changed: u64,
        zeros: u64,
    },
}

impl<T: Select> Compiler<'_, T> {
    /// Makes the code of a function, in as many attempts as it takes.
    pub(crate) fn emit(&mut self, module: &Module, f: &Function) -> Result<Option<Patch>> {
        let mut attempt = self.first_attempt(f, self.reserved(module, f));
        self.has_holes = self.is_optimized(f)
            && !f.attrs.calls_returns_twice
            && !f.exceptions.has_funclets()
            && self.intervals.compute(f, &self.cfg, &self.live);
        self.tight.clear();
        self.keeps_link = false;
        let plan = call::plan(self.target, f.signature());
        self.has_scratch_homes = self.has_holes
            && !self.has_stack_guard
            && !f.attrs.split_stack
            && f.stack_maps.is_empty()
            && plan.memory.iter().all(|(_, passed)| matches!(passed, Passed::Part(_)))
            && !f.signature().variadic;
        let mut allowed = self.give_homes(f, attempt.reserved);
        loop {
            self.scratch.starved = 0;
            (self.scratch.crowded, self.scratch.crowded_loop) = ([0; 2], [0; 2]);
            let before = attempt.reserved;
            if self.has_holes {
                self.intervals.set_own_ends(&mut self.live);
            }
            let outcome = self.attempt(module, f, &attempt, allowed);
            if self.has_holes {
                self.intervals.set_last_ends(&mut self.live);
            }
            match outcome {
                Ok(Outcome::Done(patch)) => return Ok(patch),
                Ok(Outcome::Room(bytes)) => {
                    let more = self.extra_scratch_for_pressure(f, before);
                    if more != 0 {
                        // They were nobody's home before and are none now.
                        attempt.reserved.extra_scratch |= more;
                        self.assign.used_saved |= more;
                        allowed |= more;
                        self.units.reset();
                        continue;
                    }
                    // The red zone aligns places differently.
                    let base = if attempt.base == FrameBase::RedZone { FrameBase::Sp } else { attempt.base };
                    if bytes <= attempt.room && base == attempt.base {
                        return Err(CompileError::frame_too_large(f));
                    }
                    attempt = Attempt { base, room: bytes, ..attempt };
                }
                Ok(Outcome::Link) => {
                    self.keeps_link = true;
                    attempt = self.first_attempt(f, before);
                    allowed = self.give_homes(f, before);
                    continue;
                }
                Ok(Outcome::Registers { changed, zeros }) => {
                    attempt.changed |= changed;
                    attempt.zeros |= zeros;
                }
                Ok(Outcome::Fixed(more)) => {
                    attempt = self.first_attempt(f, Reserved { fixed: before.fixed | more, ..before });
                }
                Err(e) if self.has_scratch_homes => {
                    match e.inst.filter(|_| self.tight.len() < MOST_TIGHT) {
                        Some(i) => self.leave_more_room(self.live.position[i.index()]),
                        None => self.has_scratch_homes = false,
                    }
                    attempt = self.first_attempt(f, before);
                    allowed = self.give_homes(f, before);
                    continue;
                }
                Err(e) => match self.one_more_extra_scratch(f, before) {
                    Some(reserved) => attempt = self.first_attempt(f, reserved),
                    None => return Err(e),
                },
            }
            if attempt.reserved == before {
                self.units.reset();
            } else {
                allowed = self.give_homes(f, attempt.reserved);
            }
        }
    }

    /// Leaves one more temporary to the instruction at a position, or to all of its block and twice as many blocks each time, if others have
    /// found none before: each time homes are given anew.
    fn leave_more_room(&mut self, position: u32) {
        let n = self.tight.len() as u32;
        if n == 0 {
            return self.tight.push(Interval { start: position, end: position + 1 });
        }
        let first = self.cfg.block_at(position);
        let behind = (first + (1 << (n - 1))).min(self.cfg.order.len());
        self.tight.push(Interval { start: self.cfg.start[first], end: self.cfg.start[behind] });
    }

    /// Registers that are not homes in the function.
    fn reserved(&self, module: &Module, f: &Function) -> Reserved {
        let mut reserved = self.target.reserved(module, f);
        if f.attrs.frame_pointer == FramePointer::Reserve {
            reserved.foreign |= self.target.facts().frame.frame_pointer.mask();
        }
        reserved
    }

    fn first_attempt(&self, f: &Function, reserved: Reserved) -> Attempt {
        let base = self.frame_base(f);
        Attempt { base, room: spills_foreseen(f), reserved, changed: 0, zeros: self.zeroed(f, 0) }
    }

    /// More registers for values of one block: as many preserved registers that nobody uses as blocks spilled. Outside
    /// of loops a register is only worth it if an instruction saves it that saves another anyway.
    fn extra_scratch_for_pressure(&self, f: &Function, reserved: Reserved) -> u64 {
        let facts = self.target.facts();
        let (file, base) = (&facts.registers, self.frame_base(f));
        let mut taken = reserved.fixed | reserved.foreign | self.assign.used_saved;
        if base.is_framed() {
            taken |= facts.frame.frame_pointer.mask();
        }
        let mut spare = 0;
        for (k, class) in [!FLOATS, file.floats()].into_iter().enumerate() {
            let saved = file.saved_order.iter().filter(|r| r.mask() & file.allocatable & class != 0);
            let free = saved.filter(|r| r.mask() & !taken != 0);
            let used = self.assign.used_saved & file.preserved & class;
            let with_others = |r: PReg| {
                let group = (facts.frame.next_push)(used | r.mask(), base);
                group & r.mask() != 0 && group & used != 0
            };
            let few = self.scratch.crowded_loop[k];
            let many = if used == 0 { few } else { self.scratch.crowded[k] };
            let worth = free.take(many as usize).enumerate().filter(|&(n, &r)| n < few as usize || with_others(r));
            spare |= worth.fold(0, |set, (_, r)| set | r.mask());
        }
        spare
    }

    /// The reserved registers with one more as extra scratch, from those that an instruction needed as a temporary and
    /// did not find; a preserved one if possible.
    fn one_more_extra_scratch(&self, f: &Function, reserved: Reserved) -> Option<Reserved> {
        let file = &self.target.facts().registers;
        let mut taken = reserved.fixed | reserved.extra_scratch | reserved.foreign;
        if self.frame_base(f).is_framed() {
            taken |= self.target.facts().frame.frame_pointer.mask();
        }
        let wanted = self.scratch.starved & !taken;
        let homes = file.home_order.iter().filter(|r| file.scratch & r.mask() == 0);
        let next = file.saved_order.iter().chain(homes).find(|r| wanted & r.mask() != 0)?;
        Some(Reserved { extra_scratch: reserved.extra_scratch | next.mask(), ..reserved })
    }

    /// Gives values homes. Returns the registers that may hold values at all.
    fn give_homes(&mut self, f: &Function, reserved: Reserved) -> u64 {
        self.units.begin(self.target, f);
        let file = &self.target.facts().registers;
        let mut allowed = file.allocatable & !reserved.fixed & !reserved.foreign;
        if self.frame_base(f).is_framed() {
            allowed &= !self.target.facts().frame.frame_pointer.mask();
        }
        // Pads find things in these.
        let landing =
            if f.exceptions.personality.is_some() { file.landing[0].mask() | file.landing[1].mask() } else { 0 };
        let (own, lost) = (call::plan(self.target, f.signature()), self.live.changed);
        let (base, link) = (self.frame_base(f), self.free_link_register(f));
        let limits = Limits {
            allowed,
            homes: allowed & !file.scratch & !reserved.extra_scratch & !landing,
            returns_twice: f.attrs.calls_returns_twice,
            lost,
            // What a callee does not keep for us we have to keep for our caller.
            saved: (lost.whole | lost.high & !own.changed.high) & file.preserved,
            scratch_homes: self.has_scratch_homes,
            link,
            saved_link: if self.live.has_calls { 0 } else { link },
            splits: self.is_optimized_more(f),
            tight: &self.tight,
            frame: (self.target.facts().frame, base, self.saved_with_others(base)),
        };
        let arrivals = &mut self.assign.arrivals;
        call::incoming_parameters(self.target, f, &self.cfg, &self.live, &self.units, arrivals);
        if self.has_holes {
            let known = (&self.cfg, &self.live, &self.intervals);
            self.assign.run_by_priority(self.target, f, known, &mut self.units, &limits);
        } else {
            self.assign.run(self.target, f, &self.cfg, &self.live, &mut self.units, &limits);
        }
        self.assign.used_saved |= (reserved.fixed | reserved.extra_scratch) & file.preserved;
        // A preserved register is only worth saving for a home.
        allowed & (!file.preserved | self.assign.used_saved)
    }

    /// Registers that frames save besides homes, if there are such.
    fn saved_with_others(&self, base: FrameBase) -> u64 {
        let rules = &self.target.facts().frame;
        let link = rules.link_register.map_or(0, PReg::mask);
        let record = if base.is_framed() { rules.frame_pointer.mask() | link } else { 0 };
        record | if self.live.has_calls { link } else { 0 }
    }

    /// The link register, if it holds nothing between prologue and epilogue that is not in the frame too. Where encoders take it for
    /// themselves they note that, and the next attempt leaves it to them.
    fn free_link_register(&self, f: &Function) -> u64 {
        let facts = self.target.facts();
        let is_noted = facts.frame.link_register.is_some_and(|link| facts.registers.noted & link.mask() != 0);
        let is_free = self.has_scratch_homes
            && (self.live.has_calls && !is_noted || is_noted && !self.keeps_link)
            && !self.live.needs_frame
            && !self.live.dynamic_stack
            && !self.stack_areas.known
            && !f.attrs.naked;
        facts.frame.link_register.filter(|_| is_free).map_or(0, PReg::mask)
    }

    /// Registers that the function has to keep for its caller although others need not. It saves those of them that its
    /// code changes.
    fn keeps_more(&self, f: &Function) -> u64 {
        let own = call::plan(self.target, f.signature());
        let facts = self.target.facts();
        // The link register is saved already if calls change it.
        let link = facts.frame.link_register.filter(|_| !self.live.has_calls).map_or(0, PReg::mask);
        let kept = own.preserved & !facts.registers.preserved | link & facts.registers.noted;
        kept & !call::tail_arguments(self.target, f)
    }

    /// The link register, if it is a home.
    fn link_home(&self) -> u64 {
        let link = self.target.facts().frame.link_register.map_or(0, PReg::mask);
        self.assign.used_saved & link
    }

    /// Registers that must be zero on return, if the code changes the registers in `changed`.
    fn zeroed(&self, f: &Function, changed: u64) -> u64 {
        if f.attrs.zero_registers == ZeroRegisters::None {
            0
        } else {
            zero_call_used_regs::registers(self.target, f, changed)
        }
    }

    fn frame_base(&self, f: &Function) -> FrameBase {
        if f.attrs.naked {
            return FrameBase::Sp;
        }
        let leaf = !self.live.has_calls
            && !f.attrs.realign_stack
            && !f.signature().variadic
            && !self.stack_areas.known
            && !self.has_stack_guard;
        // If unwinding only knows prologues, it expects the stack pointer where they leave it.
        let unwinding = self.target.facts().frame.unwinding;
        let prologues_only = unwinding.is_windows() || matches!(unwinding, Unwinding::Index(_));
        let moves = self.live.dynamic_stack || self.stack_areas.known && prologues_only;
        let asked = match f.attrs.frame_pointer {
            FramePointer::Omit | FramePointer::Reserve => false,
            FramePointer::Keep if self.target.facts().frame.leaf_frame_pointer => true,
            FramePointer::Keep | FramePointer::NonLeaf => self.live.has_calls || self.has_stack_guard,
        };
        // The guard may depend on the register that the frame is addressed from, which must then not move.
        let guarded = self.has_stack_guard && self.stack_areas.known;
        if moves || guarded || self.live.needs_frame || f.exceptions.has_funclets() {
            FrameBase::Fp
        } else if asked {
            if self.target.facts().frame.reaches_up { FrameBase::Walked } else { FrameBase::Fp }
        } else if leaf && !f.attrs.no_red_zone && f.signature().abi.red_zone >= 128 && spills_foreseen(f) == 0 {
            let bytes = f.slots.iter().fold(0u32, |bytes, s| bytes.saturating_add(s.size).saturating_add(s.align));
            if bytes <= 64 { FrameBase::RedZone } else { FrameBase::Sp }
        } else {
            FrameBase::Sp
        }
    }

    /// The registration record of a function with funclets, on targets where these have one.
    fn record(&self, f: &Function) -> Option<Record> {
        let by_record = self.target.facts().frame.funclets?.places == FuncletPlaces::Record;
        let symbol = f.exceptions.personality.filter(|_| by_record && f.exceptions.has_funclets())?;
        Some(Record::new(symbol, f.exceptions.routine))
    }

    /// Begins the frame: notes what the function, its calls and the attempt need.
    fn begin_frame(&mut self, f: &Function, a: &Attempt) {
        let (guarded, own) = (self.has_stack_guard, call::plan(self.target, f.signature()));
        let record = self.record(f);
        let has_link_home = self.link_home() != 0;
        let frame = &mut self.frame;
        let mut saved = self.assign.used_saved & own.preserved | a.changed;
        if record.is_some() && f.exceptions.has_handlers() {
            // When control comes back after a handler, nobody restores what others kept in these registers.
            saved |= self.target.facts().registers.preserved & self.target.facts().frame.pushed;
        }
        let landing = self.target.facts().registers.landing;
        let for_handlers = if f.attrs.returns_to_handler { landing[0].mask() | landing[1].mask() } else { 0 };
        saved |= for_handlers;
        if f.attrs.naked {
            saved = 0;
        }
        let kept_by_funclets = (saved | self.assign.used_saved) & self.target.facts().registers.preserved;
        let area = own_area(f).filter(|area| area.place == SaveAreaPlace::BelowStackArgs);
        let rules = self.target.facts().frame;
        // Pushes may save less of whole vector registers.
        let rules =
            if own.keeps_whole { FrameRules { pushed: rules.pushed & !FLOATS, vector: 16, ..rules } } else { rules };
        let calls = (self.live.has_calls || guarded || has_link_home) && !f.attrs.naked;
        frame.begin(rules, a.base, saved, calls, area.map_or(self.live.grown, |area| area.size), record);
        frame.natural = natural_align(f);
        let unit = if self.live.dynamic_stack { 16 } else { frame.natural };
        let outgoing = if guarded { self.target.facts().guard_stack_bytes } else { 0 };
        let jumps = if record.is_some() && f.attrs.calls_returns_twice { state_stores::SET_JUMP_BYTES } else { 0 };
        frame.outgoing = self.live.outgoing.max(outgoing).max(jumps).next_multiple_of(unit);
        frame.align = self.live.stack_align;
        let page = self.target.facts().frame.page;
        let bytes = if f.attrs.probe_bytes == 0 { page } else { f.attrs.probe_bytes };
        frame.probe = Probe {
            function: f.attrs.probe_function,
            live: own.entry | own.unnamed | a.reserved.foreign,
            ..Probe::new((!f.attrs.no_stack_probes).then_some(bytes), page)
        };
        (frame.fixed, frame.kept_by_funclets) = (a.reserved.fixed, kept_by_funclets);
        (frame.for_handlers, frame.to_handler) = (for_handlers, false);
        let signs = match f.attrs.return_signing {
            _ if rules.signing == Signing::None => false,
            ReturnSigning::None => false,
            ReturnSigning::NonLeaf => frame.keeps_return(),
            ReturnSigning::All => true,
        };
        frame.signed = signs.then_some(f.attrs.second_return_key);
        if let Some(signature) = rules.signing.register().filter(|_| signs) {
            frame.push_signature(signature);
        }
        let shadowed = f.attrs.shadow_call_stack && frame.keeps_return();
        frame.shadowed = if shadowed { self.target.shadow_call_stack(f) } else { None };
    }

    /// Gives places to everything that is known before code is made: the stack guard, slots other than argument blocks,
    /// saved registers, homes. Returns the guard's place. `None` beyond 2^31 bytes.
    fn lay_out(&mut self, f: &Function) -> Option<Option<FramePlace>> {
        let slots = &mut self.scratch.slots;
        slots.clear();
        // The slots of argument blocks come last and lie outside the frame's size.
        let own_count = f.slots.len() - self.stack_areas.slots.len();
        let mut guard = None;
        if self.has_stack_guard {
            slots.resize(own_count, FramePlace::default());
            guard = Some(stack_protector::place(f, &mut self.frame, self.target.facts().pointer.store_bytes(), slots)?);
        }
        let by_uses = self.is_optimized(f);
        if by_uses {
            self.place_homes(f)?;
        }
        self.scratch.slots.resize(own_count, FramePlace::default());
        let is_placed = |s: &SlotData| guard.is_some() && s.kind >= SlotKind::Taken;
        let mut place = |i: usize, s: &SlotData| {
            // A slot with more alignment than the stack gets room to be moved up.
            let size = s.size.saturating_add(self.frame.move_up(s.align));
            self.scratch.slots[i] = self.frame.add(size, s.align)?;
            Some(())
        };
        let mut own: Vec<(usize, &SlotData)> = Vec::new();
        for (i, s) in f.slots[..own_count].iter().enumerate().filter(|(_, s)| !is_placed(s)) {
            match by_uses {
                true => own.push((i, s)),
                false => place(i, s)?,
            }
        }
        own.sort_by_key(|(_, s)| s.size);
        own.into_iter().try_for_each(|(i, s)| place(i, s))?;
        self.frame.place_saved()?;
        if self.frame.record.is_some() {
            let given = self.target.facts().frame.funclets.map_or(self.frame.natural, |f| f.stack_align);
            let moves = self.live.dynamic_stack || self.frame.align > given;
            let funclets = if moves { self.cfg.funclets.len() as u32 } else { 0 };
            self.frame.place_record(funclets)?;
        } else if f.exceptions.has_funclets() {
            let word = self.target.facts().pointer.store_bytes();
            self.frame.unwind_help = Some(self.frame.add(word, word)?);
        }
        if !by_uses {
            self.place_homes(f)?;
        }
        Some(guard)
    }

    /// Gives places to parameters on the stack, and to homes in the frame.
    fn place_homes(&mut self, f: &Function) -> Option<()> {
        call::keep_stack_parameters(self.target, f, &self.live, &mut self.units);
        let how = Places { shared: !f.attrs.calls_returns_twice, by_uses: self.is_optimized(f) };
        self.assign.place_slots(&self.live, &mut self.units, &mut self.frame, how)
    }

    /// Empties the buffer for the code of a function.
    fn begin_code(&mut self, f: &Function) {
        self.buf.clear();
        self.buf.hardening = f.attrs.hardening;
        self.buf.combines = self.is_optimized(f);
        self.buf.tails.are_merged = self.merges_tails(f);
        self.buf.tails.for_size = f.attrs.optimize_size || self.level == OptimizationLevel::Os;
    }

    /// Emits the whole function.
    fn attempt(&mut self, module: &Module, f: &Function, a: &Attempt, allowed: u64) -> Result<Outcome> {
        self.begin_code(f);
        self.scratch.stack_depths.clear();
        self.scratch.stack_depths.extend_from_slice(self.stack_areas.at_start());
        self.scratch.landings.clear();
        self.begin_frame(f, a);
        let guard = self.lay_out(f).ok_or_else(|| CompileError::frame_too_large(f))?;
        let foreseen = self.frame.used();
        if a.base == FrameBase::RedZone && foreseen + self.frame.pushed() > 128 - RED_ZONE_SPILLS {
            return Ok(Outcome::Room(0));
        }
        let inside = |a: &SaveArea| if a.place == SaveAreaPlace::BelowStackArgs { 0 } else { a.size + 16 };
        let area = own_area(f).map_or(0, |a| inside(a) + call::forward::room(self.target, f));
        // Areas below the frame are aligned like the stack pointer.
        let aligned = (self.live.has_calls || self.has_stack_guard || self.stack_areas.known) && !f.attrs.naked;
        self.frame.fix_size(a.room.max(area), aligned);
        let changed = self.frame.lost_by_probe();
        if changed != 0 {
            return Ok(Outcome::Registers { changed, zeros: 0 });
        }
        for area in &self.stack_areas.slots {
            let size = f.slots[area.slot.index()].size;
            let place = if area.in_funclet { Frame::above_own_outgoing } else { Frame::above_outgoing };
            self.scratch.slots.push(place(&self.frame, area.depth, size));
        }
        self.scratch.begin();
        let function = FunctionState {
            first_label: self.buf.new_labels(self.cfg.order.len() as u32),
            extra_scratch: a.reserved.extra_scratch & !a.reserved.fixed,
            zeroed_on_return: a.zeros,
            layout: self.has_layout.then_some(&self.layout),
            ..FunctionState::default()
        };
        let mut cx = Emitter {
            target: self.target,
            select: T::select,
            module,
            f,
            cfg: &self.cfg,
            live: &mut self.live,
            intervals: self.has_holes.then_some(&self.intervals),
            splits: &self.assign.splits,
            units: &mut self.units,
            frame: &mut self.frame,
            buf: &mut self.buf,
            log: None,
            scratch: &mut self.scratch,
            regs: RegisterState::new(allowed),
            current: CurrentInst::default(),
            function,
        };
        if f.debug.subprogram.is_some() {
            let (plan, params) = (call::plan(self.target, f.signature()), f.params(f.layout[0]));
            let whole =
                plan.registers.iter().filter(|p| params.get(p.param as usize).is_some_and(|&v| cx.units.parts(v) == 1));
            let entry = whole.map(|p| (params[p.param as usize], p.reg));
            if VariableTracker::is_needed(f) {
                let mut tracker = self.tracker.take().unwrap_or_default();
                tracker.begin(&cx, entry);
                cx.function.variables = Some(tracker);
            }
        }
        state_stores::start(&mut cx, &self.states);
        let patch = prelude::emit(self.target, cx.buf, module, f, cx.frame.signed.is_some())?;
        let check = if f.attrs.split_stack { split_stack::check } else { stack_limit::check };
        let start = check(self.target, cx.buf, (module, f), cx.frame, cx.live.has_calls)?;
        emit_prologue(self.target, cx.buf, cx.frame, start);
        if f.debug.subprogram.is_some() {
            cx.buf.prologue_end = Some(cx.buf.new_label());
            cx.buf.prologue_end.into_iter().for_each(|label| cx.buf.bind(label));
        }
        let start = start as usize;
        if let Some(place) = cx.frame.unwind_help {
            let at = cx.frame.addr(place, 0);
            self.target.emit_frame_op(cx.buf, FrameOp::StoreState { at, state: UNKNOWN_STATE });
        }
        if let Some(place) = guard {
            stack_protector::set(&mut cx, place);
        }
        if self.check || self.dump.as_ref().is_some_and(|dump| dump.stage == Stage::Code) {
            cx.start_log();
            // Argument blocks share the memory below the frame.
            let blocks = self.stack_areas.slots.iter().filter(|area| !area.in_funclet).map(|area| area.depth).max();
            note_memory(&mut cx, f.slots.len() - self.stack_areas.slots.len(), blocks);
        }
        emit_body(&mut cx, &mut self.edges, &self.assign.arrivals)?;
        self.log = cx.log.take();
        self.tracker = cx.function.variables.take().or(self.tracker.take());
        if !cx.frame.fits() {
            return Ok(Outcome::Room(cx.frame.used() - foreseen));
        }
        self.keeps_promises(f)?;
        if let Some(wanted) = self.wanted(f, a, start) {
            return Ok(wanted);
        }
        if let Some(tracker) = self.tracker.as_mut().filter(|_| VariableTracker::is_needed(f) && !self.has_layout) {
            tracker.follow_unread(f, &self.cfg, &mut self.buf);
        }
        Ok(Outcome::Done(patch))
    }

    /// Are equal ends of the function's code merged? Not if it has calls that must not be merged, or if tables other than those for unwinding
    /// name places in the code.
    fn merges_tails(&self, f: &Function) -> bool {
        self.is_optimized_more(f)
            && !f.attrs.calls_returns_twice
            && !f.exceptions.asynchronous
            && !f.exceptions.has_funclets()
            && f.stack_maps.is_empty()
            && f.attrs.sleds == 0
            && f.attrs.hardening == Hardening::default()
            && !self.has_layout
            && !f.calls.iter().any(|call| call.no_merge)
    }

    /// What the finished code, whose body begins at `start`, wants of registers and the attempt did not give it.
    fn wanted(&self, f: &Function, a: &Attempt, start: usize) -> Option<Outcome> {
        let fixed = self.target.wants_fixed(&self.buf) & !a.reserved.fixed;
        if fixed != 0 {
            return Some(Outcome::Fixed(fixed));
        }
        if self.link_home() & self.buf.changed != 0 {
            return Some(Outcome::Link);
        }
        let (changed, zeros) = self.changes(f, start);
        (changed & !a.changed != 0 || zeros & !a.zeros != 0).then_some(Outcome::Registers { changed, zeros })
    }

    /// Checks that a function without a frame needs none, and that code that nobody reads holds no data.
    fn keeps_promises(&self, f: &Function) -> Result {
        let what = match () {
            () if f.attrs.naked
                && (!self.frame.is_nothing() || self.live.dynamic_stack || self.assign.used_saved != 0) =>
            {
                "a `naked` function that needs a frame or registers that it would have to save is not supported"
            }
            () if self.target.facts().execute_only && !(self.buf.data().is_empty() && self.buf.waiting.is_empty()) => {
                "this code would have data beside it, which `execute-only` forbids: that is not supported"
            }
            () => return Ok(()),
        };
        Err(CompileError::new(f, what))
    }

    /// Registers that the code from `start` on changes, as far as the target can tell.
    fn written(&self, start: usize) -> u64 {
        let (code, mut from, mut mask) = (self.buf.bytes(), start, 0);
        let end = code.len() as u32;
        for data in self.buf.data().iter().cloned().chain(std::iter::once(end..end)) {
            mask |= self.target.written_registers(&code[from..data.start as usize]);
            from = data.end as usize;
        }
        mask
    }

    /// Registers that must be saved because the code from `start` on changes them, and registers that must be zeroed.
    fn changes(&self, f: &Function, start: usize) -> (u64, u64) {
        if f.attrs.naked {
            return (0, 0);
        }
        let more = self.keeps_more(f);
        let wanted = if f.attrs.zero_registers.used_only() { !0 } else { more };
        if wanted == 0 {
            return (0, self.zeroed(f, !0));
        }
        let changed = match wanted & !self.target.facts().registers.noted {
            0 => self.buf.changed,
            // A target that cannot tell reports that nothing is changed, which is true of no function that returns.
            _ => Some(self.written(start)).filter(|&mask| mask != 0).unwrap_or(!0),
        };
        let called = if self.live.has_calls {
            self.live.changed.whole | self.target.facts().registers.library_clobbers
        } else {
            0
        };
        ((changed | called) & more, self.zeroed(f, changed))
    }
}

/// The area in which a variadic function saves registers.
fn own_area(f: &Function) -> Option<&SaveArea> {
    f.signature().abi.variadic.as_ref().and_then(|v| v.save_area.as_ref())
}

/// Bytes for spills that a function with very long blocks gets at once, because a second attempt would take longer than
/// all else. Shorter blocks hardly ever spill what was not foreseen.
fn spills_foreseen(f: &Function) -> u32 {
    const LONG: u32 = 4096;
    if f.insts.len() < LONG as usize {
        return 0;
    }
    let lengths = f.layout.iter().map(|b| f.blocks[b.index()].end - f.blocks[b.index()].first);
    // Measured with blocks of arithmetic: a word for every 200 to 400 instructions.
    lengths.max().filter(|&n| n >= LONG).map_or(0, |n| n / 24)
}

/// Tells the checker which memory of the frame is the program's: the first `own` slots, and `below` bytes below the
/// frame.
fn note_memory<T: Select>(cx: &mut Emitter<'_, T>, own: usize, below: Option<i32>) {
    for (s, slot) in cx.f.slots[..own].iter().enumerate() {
        let at = cx.frame.addr(cx.scratch.slots[s], 0);
        cx.note(Event::Memory(at.into(), slot.size));
    }
    if let Some(depth) = below {
        let at = cx.frame.addr(cx.frame.above_outgoing(depth, depth as u32), 0);
        cx.note(Event::Memory(at.into(), depth as u32));
    }
}

/// The most bytes of code that an instruction becomes, very long ones excepted. If the constants that earlier code
/// refers to would be out of reach after that, they are placed before it.
fn code_of<T: Select>(cx: &Emitter<'_, T>, inst: Inst) -> u32 {
    const MOST: u32 = 64;
    let d = cx.f.inst(inst);
    match d.op {
        Opcode::Call => {
            let call = &cx.f.calls[d.a as usize];
            let stack = call::plan(cx.target, &cx.f.sigs[call.sig.index()]).outgoing.min(256);
            MOST.saturating_add(16 * call.args_len).saturating_add(2 * stack)
        }
        Opcode::Memcpy | Opcode::Memmove | Opcode::Memset => 4 * MOST,
        op if op.is_terminator() => {
            let mut bytes = 0u32;
            cx.f.for_each_edge(d, |edge| bytes = bytes.saturating_add(edges::code_of(cx.f, edge)));
            (4 * MOST).saturating_add(bytes)
        }
        // A value in several registers is computed part by part.
        _ if d.ty.bits() > cx.target.facts().pointer.bits() => 4 * MOST,
        _ => MOST,
    }
}

/// Emits all code after the prologue.
fn emit_body<T: Select>(cx: &mut Emitter<'_, T>, edges: &mut Edges, arrivals: &[IncomingPart]) -> Result {
    cx.enter_splits(0);
    cx.make_mailboxes()?;
    edges.begin(cx);
    call::emit_entry(cx, &mut edges.moves, arrivals)?;
    if let Some(variables) = &mut cx.function.variables {
        variables.set_addresses(&cx.function.aggregates);
    }
    for index in 0..cx.cfg.order.len() {
        if edges.loop_layout.placed_after(index as u32).is_some() {
            // Nothing is emitted here; the block's parameters are in their homes all the same.
            let (log, variables) = (cx.log.take(), cx.function.variables.take());
            cx.begin_block(index, false);
            (cx.log, cx.function.variables) = (log, variables);
            continue;
        }
        let mut next = Some(index);
        while let Some(at) = next.take() {
            emit_block(cx, edges, arrivals, at)?;
            if at == index
                && let Some(first) = edges.loop_layout.followed_by(index as u32)
            {
                // Values that are live in the loop live to its end.
                cx.expire(cx.cfg.start[index + 1] - 1);
                next = Some(first as usize);
            }
        }
    }
    if cx.function.funclet.is_none() {
        stack_protector::fail(cx);
    }
    Ok(())
}

/// Emits the block at `index` of the order.
#[inline(always)]
fn emit_block<T: Select>(
    cx: &mut Emitter<'_, T>,
    edges: &mut Edges,
    arrivals: &[IncomingPart],
    index: usize,
) -> Result {
    // How many instructions may follow each other without a chance to place constants between them.
    let most = if cx.buf.has_islands() { 1 } else { u32::MAX };
    let block = cx.cfg.order[index];
    if let Some(spot) = cx.function.layout.and_then(|layout| layout.apart(index)) {
        cx.buf.begin_part(spot);
    }
    let keep = index > 0
        && cx.cfg.preds[index] == 1
        && cx.cfg.pred[index] == index as u32 - 1
        && edges.loop_layout.placed_after(index as u32 - 1).is_none();
    // No register holds anything at a pad or after a handler.
    let ends_handler = |b: Block| cx.f.inst(cx.f.terminator(b)).op == Opcode::CatchRet;
    let bare = cx.f.is_pad(block) || cx.f.exceptions.has_funclets() && keep && ends_handler(cx.cfg.order[index - 1]);
    edges.begin_block(cx, index as u32)?;
    cx.begin_block(index, keep && !bare);
    cx.make_island(|cx| code_of(cx, Inst(cx.f.blocks[block.index()].first)));
    let begins = cx.cfg.funclet_at(index).is_some();
    if begins && cx.function.funclet.is_none() {
        stack_protector::fail(cx);
    }
    cx.buf.bind(Label(cx.function.first_label.0 + index as u32));
    if cx.buf.tails.are_merged {
        note_block(cx, index);
    }
    if begins {
        funclet_code::begin(cx, index)?;
    }
    cx.set_stack_depth(cx.stack_depth_at(index));
    state_stores::begin_block(cx, index);
    // The return address of a call just before the block belongs to the state before.
    let faults = &cx.cfg.faults;
    if index > 0 && !begins && !faults.is_empty() && faults[index] != faults[index - 1] {
        cx.target.emit_mark(cx.buf, CodeMark::Between);
    }
    // Control may reach the block by an address that the jumping code does not contain.
    let is_indirect_target = || cx.f.is_pad(block) || cx.f.block_symbols.iter().any(|&(b, _)| b == block);
    if cx.marks_branch_targets() && is_indirect_target() {
        cx.target.emit_mark(cx.buf, CodeMark::BranchTarget);
    }
    if index == 0 {
        call::bind_params(cx, arrivals)?;
    } else if !cx.function.mailboxes.is_empty() {
        edges.open_mailboxes(cx, index)?;
    }
    let (first, end) = (cx.f.blocks[block.index()].first, cx.f.blocks[block.index()].end);
    let described = !cx.f.debug.locations.is_empty() || cx.function.variables.is_some();
    if described {
        begin_described_block(cx, index, Inst(first));
    }
    // On most machines the whole block is one run.
    let mut next = first;
    while next < end {
        let stop = end.min(next.saturating_add(most));
        if next > first {
            cx.make_island(|cx| code_of(cx, Inst(next)));
        }
        match described {
            true => emit_described_stretch(cx, edges, index, next..stop)?,
            false => emit_stretch::<T, false>(cx, edges, index, next..stop)?,
        }
        next = stop;
    }
    if described {
        cx.function.lines.end_block(cx.target, cx.f, block, cx.buf);
    }
    state_stores::end_block(cx, index);
    Ok(())
}

/// Notes a block for the merging of ends.
fn note_block<T: Select>(cx: &mut Emitter<'_, T>, index: usize) {
    cx.buf.note_block(cx.cfg.weight(index));
    if cx.f.block_symbols.iter().any(|&(b, _)| b == cx.cfg.order[index]) {
        cx.buf.pin(Label(cx.function.first_label.0 + index as u32));
    }
}

/// Lets the tracker of variables, if there is one, look at the emission.
fn with_variables<'a, T: Select>(
    cx: &mut Emitter<'a, T>,
    look: impl FnOnce(&mut VariableTracker, &mut Emitter<'a, T>),
) {
    if let Some(mut variables) = cx.function.variables.take() {
        look(&mut variables, cx);
        cx.function.variables = Some(variables);
    }
}

/// Begins a block of a function with debug information, with its first instruction.
#[inline(never)]
fn begin_described_block<T: Select>(cx: &mut Emitter<'_, T>, index: usize, first: Inst) {
    if !cx.f.debug.locations.is_empty() {
        cx.function.lines.begin_block(cx.target, &cx.f.debug, first, cx.buf);
    }
    with_variables(cx, |variables, cx| variables.begin_block(cx, index));
}

/// Emits a run of instructions of a function with debug information.
#[inline(never)]
fn emit_described_stretch<T: Select>(
    cx: &mut Emitter<'_, T>,
    edges: &mut Edges,
    index: usize,
    insts: Range<u32>,
) -> Result {
    emit_stretch::<T, true>(cx, edges, index, insts)
}

/// Emits a run of instructions of the block at `index` of the order. `DESCRIBED`: the function has debug information. This is known when
/// Gusset is compiled, since functions without debug information are not to pay for it.
#[inline(always)]
fn emit_stretch<T: Select, const DESCRIBED: bool>(
    cx: &mut Emitter<'_, T>,
    edges: &mut Edges,
    index: usize,
    insts: Range<u32>,
) -> Result {
    let f = cx.f;
    let first = f.blocks[cx.cfg.order[index].index()].first;
    let start = cx.cfg.start[index] + 1;
    let checks_guard_before_unwinding =
        cx.function.stack_guard.is_some() && cx.target.checks_guard_before_unwinding(cx.module);
    let has_locations = DESCRIBED && !f.debug.locations.is_empty();
    let has_variables = DESCRIBED && cx.function.variables.is_some();
    for i in insts {
        let inst = Inst(i);
        let fold = cx.live.fold[i as usize];
        if has_locations && (fold == Fold::No || f.debug.keeps_variables) {
            cx.function.lines.begin_inst(cx.target, &f.debug, (inst, fold == Fold::Dead), cx.buf);
        }
        if fold != Fold::No {
            continue;
        }
        if has_variables && cx.function.variables.as_ref().is_some_and(|variables| variables.has_records(f, inst)) {
            with_variables(cx, |variables, cx| variables.begin_inst(cx, inst));
        }
        cx.begin_inst(start + (i - first));
        cx.reserve_result_homes(inst);
        cx.note(Event::Inst(inst));
        let (d, at) = (f.inst(inst), cx.buf.offset());
        if checks_guard_before_unwinding && d.op != Opcode::Return && is_exit(f, inst) {
            stack_protector::check(cx)?;
        }
        let done = match d.op {
            Opcode::Call => call::call(cx, &mut edges.moves, inst),
            Opcode::StackMap => record::instruction(cx, inst),
            Opcode::VaStart => call::va_start(cx, inst),
            Opcode::StackLevel => call::stack_level(cx, inst),
            Opcode::StackAlloc | Opcode::StackRestore => T::select(cx, inst).map(|()| state_stores::keep_stack(cx)),
            Opcode::LandingPad => landing_pad::landing_pad(cx, inst, index),
            Opcode::CatchPad | Opcode::CleanupPad => funclet_code::pad(cx, inst, index),
            op if op.is_terminator() => edges.emit_terminator(cx, inst, index),
            _ => T::select(cx, inst),
        };
        if let Err(mut e) = done {
            e.inst.get_or_insert(inst);
            return Err(e);
        }
        cx.end_inst();
        if has_variables {
            with_variables(cx, |variables, cx| match d.op.is_terminator() {
                true => variables.end_terminator(cx, at),
                false => variables.end_inst(cx),
            });
        }
    }
    Ok(())
}
