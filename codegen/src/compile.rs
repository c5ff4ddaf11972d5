//! From a function's IR to its machine code: the order of the steps, blocks, edges, entry and exit.

use crate::alloc::check::{CheckError, check};
use crate::alloc::{Assign, Event, Limits, Log, Scratch, Stream, Units};
use crate::analysis::{Cfg, Fold, Live};
use crate::buffer::{BufferError, CodeBuffer, Label};
use crate::call;
use crate::compiled::{CompiledFunction, Patch};
use crate::edges::Edges;
pub use crate::error::CompileError;
use crate::frame::{Frame, FrameBase, FrameMachine, FramePlace};
use crate::guard::{self, Guard};
use crate::ir::{Block, FramePointer, Function, Inst, InstData, Module, Opcode, SlotKind, ZeroRegisters};
use crate::passes::{
    LegalizeError, Legalizer, Levels, Library, Promote, Records, fold_offsets, is_exit, protect, results_by_address,
    split_indirect, split_pads, thread_jumps,
};
use crate::prelude;
use crate::target::{PReg, Reserved, Target};
use crate::zero;

/// Compiles functions one after another, keeping its tables.
pub struct Compiler<'t, T: Target> {
    target: &'t T,
    cfg: Cfg,
    live: Live,
    units: Units,
    assign: Assign,
    frame: Frame,
    scratch: Scratch,
    records: Records,
    promote: Promote,
    levels: Levels,
    legalizer: Legalizer,
    library: Library,
    edges: Edges,
    buf: CodeBuffer,
    check: bool,
    log: Option<Box<Log>>,
    /// The function's convention has it keep more registers than usual...
    keeps_more: u64,
    /// Registers with fixed contents in the function being compiled, and preserved ones that are temporaries.
    fixed: u64,
    spared: u64,
    /// ...and its code changes these, if that is known.
    changed: Option<u64>,
    /// The function gets a stack guard.
    guarded: bool,
    /// Registers that it zeroes before it returns.
    zeros: u64,
    /// Bytes of data that it begins with, and where it can be patched.
    prelude: (u32, Option<Patch>),
}

/// Bytes that a leaf function may use below the stack pointer, and how many of them are kept for spills.
const RED_ZONE_SPILLS: u32 = 32;

/// Bytes of code that setting the guard takes at most.
const GUARD_ROOM: u32 = 40;

/// Bytes of code that saving a vector register in the prologue takes at most.
const VECTOR_SAVE_ROOM: u32 = 16;

impl<'t, T: Target> Compiler<'t, T> {
    /// A compiler for `target`.
    pub fn new(target: &'t T) -> Self {
        let mut buf = CodeBuffer::new(target.branch_forms());
        buf.encoding = target.encoding();
        Compiler {
            target,
            cfg: Cfg::default(),
            live: Live::default(),
            units: Units::default(),
            assign: Assign::default(),
            frame: Frame::default(),
            scratch: Scratch::default(),
            records: Records::default(),
            promote: Promote::default(),
            levels: Levels::default(),
            legalizer: Legalizer::new(),
            library: Library::default(),
            edges: Edges::default(),
            buf,
            check: false,
            log: None,
            keeps_more: 0,
            fixed: 0,
            spared: 0,
            changed: None,
            guarded: false,
            zeros: 0,
            prelude: (0, None),
        }
    }

    /// Whether every function's register allocation is checked, see [`alloc::check`](crate::alloc::check). A function that
    /// fails is an error. It costs several times the compilation.
    pub fn check_allocation(&mut self, on: bool) {
        self.check = on;
    }

    /// Checks other events than those that were recorded against the function that was compiled last, as it was left.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check_events(&self, f: &Function, events: &[Event]) -> Result<(), CheckError> {
        check(self.target, f, &self.cfg, &self.live, events)
    }

    /// What was recorded of the last function that was compiled and checked.
    pub fn log(&self) -> Option<&Log> {
        self.log.as_deref()
    }

    /// Compiles a function; its IR is rewritten on the way.
    ///
    /// # Errors
    /// Something the target cannot do, or code or frame beyond 32-bit displacements.
    pub fn compile(
        &mut self,
        module: &Module,
        f: &mut Function,
        out: &mut CompiledFunction,
    ) -> Result<(), CompileError> {
        out.clear();
        thread_jumps(f);
        split_pads(f, self.target.pointer());
        split_indirect(f);
        self.guarded = protect(f);
        self.records.run(f, self.target.pointer());
        self.cfg.compute(f);
        self.promote.run(f, &mut self.cfg);
        let legalized = self.legalizer.run(self.target, f);
        let legalized = legalized.map_err(|e| not_legal(module, f, e))?;
        let ptr = self.target.pointer();
        let library = self.library.run(self.target, module, f)?;
        if results_by_address(f, ptr) || library || legalized {
            self.cfg.compute(f);
        }
        self.levels.clear();
        if fold_offsets(f, ptr) {
            // Beyond the natural alignment the prologue aligns the stack pointer, at a distance that is not known.
            let align = natural_align(f);
            let fixed = f.calls.iter().all(|c| f.sigs[c.sig.index()].abi.stack_align <= align);
            let done = self.levels.run(f, &self.cfg, ptr, align, fixed);
            done.map_err(|(inst, why)| CompileError::at(f, inst, why))?;
            fold_offsets(f, ptr);
        }
        let f = &*f;
        self.live.compute(self.target, module, f, &self.cfg);
        // What the code wants beside scratch registers shows while it is made, at the latest.
        let mut reserved = self.target.reserved(module, f);
        loop {
            self.scratch.starved = false;
            match self.generate(module, f, reserved) {
                Ok(()) => {
                    let more = self.target.wants_fixed(&self.buf) & !reserved.fixed;
                    if more == 0 {
                        break;
                    }
                    reserved.fixed |= more;
                }
                Err(_) if self.scratch.starved && self.spare(f, &mut reserved) => {}
                Err(e) => return Err(e),
            }
        }
        if let Some(log) = &self.log {
            check(self.target, f, &self.cfg, &self.live, &log.events).map_err(|e| CompileError {
                function: f.symbol,
                inst: e.inst,
                message: e.to_string(),
            })?;
        }
        self.buf.finish().map_err(|e| buffer_error(f, e))?;
        out.fill_from(&self.buf);
        out.symbol = f.symbol;
        (out.data, out.patch) = self.prelude;
        out.align = 16;
        out.unwind = f.attrs.unwind_tables || f.exceptions.personality.is_some();
        if f.exceptions.personality.is_some() {
            out.exceptions.copy_from(&f.exceptions);
        }
        out.uses_float = f.value_types().any(|ty| ty.lane().is_float());
        for &(block, symbol) in &f.block_symbols {
            // A block that control never reaches still has an address: the function's.
            let index = self.cfg.index[block.index()];
            let at = if index == u32::MAX { Some(0) } else { self.buf.label_offset(Label(index)) };
            out.block_symbols.push((symbol, at.unwrap_or(0)));
        }
        Ok(())
    }

    /// Makes one more preserved register a temporary, if there is one.
    fn spare(&self, f: &Function, reserved: &mut Reserved) -> bool {
        let file = self.target.registers();
        let mut taken = reserved.fixed | reserved.spare;
        if self.frame_base(f) == FrameBase::Fp {
            taken |= file.frame_pointer.mask();
        }
        let next = file.saved_order.iter().find(|r| !r.is_float() && taken & r.mask() == 0);
        reserved.spare |= next.map_or(0, |r| r.mask());
        next.is_some()
    }

    /// Gives values homes and makes code.
    fn generate(&mut self, module: &Module, f: &Function, reserved: Reserved) -> Result<(), CompileError> {
        self.units.begin(self.target, f);
        let file = *self.target.registers();
        let base = self.frame_base(f);
        let mut allowed = file.allocatable & !reserved.fixed;
        if base == FrameBase::Fp {
            allowed &= !file.frame_pointer.mask();
        }
        self.fixed = reserved.fixed;
        self.spared = reserved.spare & !reserved.fixed;
        let returns_twice = f.attrs.calls_returns_twice;
        let lost = call::clobbered(f) & file.preserved;
        let limits = Limits { homes: allowed & !file.scratch & !reserved.spare, returns_twice, lost };
        self.assign.run(self.target, f, &self.cfg, &self.live, &mut self.units, &limits);
        self.assign.used_saved |= (reserved.fixed | reserved.spare) & file.preserved;
        // Registers that callees keep are worth saving for homes only.
        allowed &= !file.preserved | self.assign.used_saved;
        // A function whose convention has it keep fewer registers keeps those alone, one that has to keep more saves those
        // of them that its code turns out to change.
        let kept = call::preserved(f);
        let more = kept & !file.preserved & !call::tail_arguments(f);
        let mut extra = 0;
        self.keeps_more = more;
        self.zeros = self.zeroed(f, 0);
        self.save(self.assign.used_saved & kept);
        // The frame's size is fixed before code is made; spills that nobody foresaw ask for a second try, and for a third
        // if the first was in the red zone, where places are aligned otherwise.
        let mut base = base;
        let mut reserve = spills_foreseen(f);
        loop {
            if let Some(needed) = self.emit(module, f, base, allowed, reserve)? {
                if needed <= reserve && base != FrameBase::RedZone {
                    return Err(CompileError::frame_too_large(f));
                }
                reserve = needed;
                base = if base == FrameBase::RedZone { FrameBase::Sp } else { base };
            } else {
                let changed = if more == 0 { 0 } else { self.changed(f) & more };
                let zeros = self.zeroed(f, self.changed.unwrap_or(!0));
                if changed & !extra == 0 && zeros & !self.zeros == 0 {
                    break;
                }
                self.zeros |= zeros;
                extra |= changed;
                self.save(self.assign.used_saved & kept | extra);
            }
            self.units.reset();
        }
        Ok(())
    }

    /// Makes these the registers that the prologue saves.
    fn save(&mut self, mut registers: u64) {
        self.frame.saved.clear();
        self.frame.saved_vectors.clear();
        while registers != 0 {
            let r = PReg(registers.trailing_zeros() as u8);
            registers &= registers - 1;
            if r.is_float() {
                // Its place is found when the frame is laid out.
                self.frame.saved_vectors.push((r, FramePlace { offset: 0, size: 16, incoming: false, top: false }));
            } else {
                self.frame.saved.push(r);
            }
        }
    }

    /// Registers that are to be zero at the end, if the code changes these.
    fn zeroed(&self, f: &Function, changed: u64) -> u64 {
        if f.attrs.zero_registers == ZeroRegisters::None { 0 } else { zero::registers(self.target, f, changed) }
    }

    /// Registers that the code just made, or what it calls, may change.
    fn changed(&self, f: &Function) -> u64 {
        let called = if self.live.has_calls { call::clobbered(f) | self.target.helper_clobbers() } else { 0 };
        self.changed.unwrap_or(!0) | called
    }

    fn frame_base(&self, f: &Function) -> FrameBase {
        let leaf = !self.live.has_calls
            && !f.attrs.realign_stack
            && !f.signature().variadic
            && !self.levels.known
            && !self.guarded;
        // Where the frame pointer is low, unwinding knows the stack pointer only as the prologue leaves it.
        let moves = self.live.dynamic_stack || self.levels.known && self.target.has_low_frame_pointer();
        let asked = match f.attrs.frame_pointer {
            FramePointer::Omit => false,
            FramePointer::NonLeaf => self.live.has_calls || self.guarded,
            FramePointer::Keep => true,
        };
        // The guard may depend on the register that the frame is addressed from, which must then not move.
        let guarded = self.guarded && self.levels.known;
        if asked || moves || guarded || self.live.needs_frame {
            FrameBase::Fp
        } else if leaf && !f.attrs.no_red_zone && f.signature().abi.red_zone >= 128 && spills_foreseen(f) == 0 {
            let mut bytes = 0u32;
            for s in &f.slots {
                bytes = bytes.saturating_add(s.size).saturating_add(s.align);
            }
            if bytes <= 64 { FrameBase::RedZone } else { FrameBase::Sp }
        } else {
            FrameBase::Sp
        }
    }

    /// Gives the first `own` slots their places; that of the guard, if the function has one. `None` past 2^31 bytes.
    fn lay_out(&mut self, f: &Function, own: usize) -> Option<Option<FramePlace>> {
        let slots = &mut self.scratch.slots;
        slots.clear();
        let mut guard = None;
        if self.guarded {
            slots.resize(own, FramePlace::default());
            guard = Some(guard::place(f, &mut self.frame, self.target.pointer().store_bytes(), slots)?);
        }
        for (i, s) in f.slots[..own].iter().enumerate() {
            if guard.is_some() && s.kind >= SlotKind::Taken {
                continue;
            }
            // A slot that wants more alignment than the stack has room to be moved up.
            let place = self.frame.add(s.size.saturating_add(self.frame.move_up(s.align)), s.align)?;
            match slots.get_mut(i) {
                Some(slot) => *slot = place,
                None => slots.push(place),
            }
        }
        Some(guard)
    }

    /// Emits the whole function. If it used more of the frame than was foreseen plus `reserve`, gives how much more.
    fn emit(
        &mut self,
        module: &Module,
        f: &Function,
        base: FrameBase,
        allowed: u64,
        reserve: u32,
    ) -> Result<Option<u32>, CompileError> {
        let file = self.target.registers();
        let word = self.target.pointer().store_bytes();
        let ret = self.target.return_address_bytes();
        let sp = self.target.stack_pointer();
        self.buf.clear();
        self.buf.stack_height = 0;
        self.frame.begin(base, FrameMachine { word, return_address: ret, fp: file.frame_pointer, sp });
        self.frame.natural = natural_align(f);
        let unit = if self.live.dynamic_stack { 16 } else { self.frame.natural };
        let outgoing = if self.guarded { self.target.guard_stack_bytes() } else { 0 };
        self.frame.outgoing = self.live.outgoing.max(outgoing).next_multiple_of(unit);
        self.frame.align = self.live.stack_align;
        self.frame.probe_bytes = (!f.attrs.no_stack_probes).then_some(match f.attrs.probe_bytes {
            0 => STACK_PAGE,
            bytes => bytes,
        });
        self.frame.probe_function = f.attrs.probe_function;
        self.frame.dynamic = self.live.dynamic_stack;
        self.frame.fixed = self.fixed;
        self.frame.low_fp = self.target.has_low_frame_pointer();
        let area = f.signature().abi.variadic.as_ref().and_then(|v| v.save_area.as_ref());
        self.frame.keeps_accumulator = area.is_some_and(|a| a.float_guard.is_some());
        self.scratch.heights.clear();
        self.scratch.heights.extend_from_slice(self.levels.at_start());
        self.scratch.landings.clear();
        // Those of argument blocks, which come last, have places outside the frame's size.
        let own = f.slots.len() - self.levels.slots.len();
        let guard = self.lay_out(f, own).ok_or_else(|| CompileError::frame_too_large(f))?;
        for k in 0..self.frame.saved_vectors.len() {
            self.frame.saved_vectors[k].1 = self.frame.add(16, 16).ok_or_else(|| CompileError::frame_too_large(f))?;
        }
        call::stay(f, &self.live, &mut self.units);
        self.assign
            .place_slots(&self.live, &mut self.units, &mut self.frame, !f.attrs.calls_returns_twice)
            .ok_or_else(|| CompileError::frame_too_large(f))?;
        let foreseen = self.frame.used();
        if base == FrameBase::RedZone && foreseen + self.frame.pushed() > 128 - RED_ZONE_SPILLS {
            return Ok(Some(0));
        }
        let area = f
            .signature()
            .abi
            .variadic
            .as_ref()
            .and_then(|v| v.save_area.as_ref())
            .map_or(0, |a| a.size + 16 + call::forward::room(f));
        self.frame.fix_size(reserve.max(area), self.live.has_calls || self.guarded);
        for &(slot, height) in &self.levels.slots {
            let size = f.slots[slot.index()].size;
            self.scratch.slots.push(self.frame.pushed_area(height, size));
        }
        let mut cx = Stream::new(
            self.target,
            module,
            f,
            &self.cfg,
            &self.live,
            &mut self.units,
            &mut self.frame,
            &mut self.buf,
            &mut self.scratch,
            allowed,
        );
        cx.spare = self.spared;
        cx.zeros = self.zeros;
        cx.guard = guard.map(|place| Guard::new(&mut cx, place));
        let mut room = self.target.prologue_room() + VECTOR_SAVE_ROOM * cx.frame.saved_vectors.len() as u32;
        if guard.is_some() {
            room += GUARD_ROOM;
        }
        self.prelude = prelude::emit(self.target, cx.buf, module, f)?;
        let prologue = cx.buf.reserve_hole(room);
        let body = cx.buf.offset() as usize;
        if self.check {
            cx.start_log();
            for (s, slot) in f.slots[..own].iter().enumerate() {
                let at = cx.frame.addr(cx.slot_place(crate::ir::Slot::new(s)), 0);
                cx.note(Event::Memory(at.into(), slot.size));
            }
            // The others share what is below the frame.
            if let Some(&height) = self.levels.slots.iter().map(|(_, height)| height).max() {
                let at = cx.frame.addr(cx.frame.pushed_area(height, height as u32), 0);
                cx.note(Event::Memory(at.into(), height as u32));
            }
        }
        let indirect = f.insts.iter().any(|d| d.op == Opcode::IndirectBr);
        if indirect {
            cx.make_mailboxes()?;
        }
        call::enter(&mut cx, &mut self.edges.moves)?;
        let blocks = self.cfg.order.len();
        for index in 0..blocks {
            let keep = index > 0 && self.cfg.preds[index] == 1 && self.cfg.pred[index] == index as u32 - 1;
            let keep = keep && !f.is_pad(self.cfg.order[index]);
            cx.begin_block(index, keep);
            cx.buf.bind(Label(cx.first_label.0 + index as u32));
            cx.set_height(cx.height_at(index));
            if module.branch_protection && is_indirect_target(f, self.cfg.order[index]) {
                self.target.emit_branch_marker(cx.buf);
            }
            if index == 0 {
                call::bind_params(&mut cx)?;
            } else if indirect {
                self.edges.open_mailboxes(&mut cx, index)?;
            }
            let block = self.cfg.order[index];
            let (first, end) = (f.blocks[block.index()].first, f.blocks[block.index()].end);
            let start = self.cfg.start[index] + 1;
            for i in first..end {
                let inst = Inst(i);
                if self.live.fold[i as usize] != Fold::No {
                    continue;
                }
                cx.begin_inst(start + (i - first));
                cx.guard_results(inst);
                cx.note(Event::Inst(inst));
                let d = f.inst(inst);
                if self.guarded && d.op != Opcode::Return && is_exit(f, inst) && self.target.guards_unwinding(module) {
                    guard::check(&mut cx)?;
                }
                let done = match d.op {
                    Opcode::Call => call::call(&mut cx, &mut self.edges.moves, inst),
                    Opcode::VaStart => call::va_start(&mut cx, inst),
                    Opcode::StackLevel => call::stack_level(&mut cx, inst),
                    Opcode::LandingPad => call::landing_pad(&mut cx, inst, index),
                    op if op.is_terminator() => self.edges.leave_block(&mut cx, inst, index),
                    _ => T::select(&mut cx, inst),
                };
                if let Err(mut e) = done {
                    e.inst.get_or_insert(inst);
                    return Err(e);
                }
                cx.end_inst();
            }
        }
        guard::fail(&mut cx);
        self.log = cx.log.take();
        if !cx.frame.fits() {
            return Ok(Some(cx.frame.used() - foreseen));
        }
        self.frame.height = 0;
        self.buf.stack_height = 0;
        let fill = self.buf.begin_fill(prologue);
        let body_end = self.buf.offset() as usize;
        self.target.emit_prologue(&mut self.buf, &self.frame);
        if let Some(place) = guard {
            let at = self.frame.addr(place, 0);
            let free = guard::entry_register(self.target, f, &self.frame);
            self.target.emit_guard(&mut self.buf, module, &self.frame, at, free);
        }
        let wanted = if f.attrs.zero_registers.used_only() { !0 } else { self.keeps_more };
        if wanted != 0 {
            let bytes = self.buf.bytes();
            let written = |code: &[u8]| self.target.written_registers(code);
            self.changed = self.target.known_changes(&self.buf, wanted).or_else(|| {
                // A target that cannot tell says that nothing is changed, which is true of no function that returns.
                Some(written(&bytes[body..body_end]) | written(&bytes[body_end..])).filter(|&mask| mask != 0)
            });
        }
        self.buf.end_fill(fill);
        Ok(None)
    }
}

/// Bytes of the frame that a function with very long blocks is given for spills at once: to emit it a second time would take longer
/// than all else. Shorter blocks hardly ever spill what was not foreseen.
fn spills_foreseen(f: &Function) -> u32 {
    const LONG: u32 = 4096;
    if f.insts.len() < LONG as usize {
        return 0;
    }
    let lengths = f.layout.iter().map(|b| f.blocks[b.index()].end - f.blocks[b.index()].first);
    // Measured in blocks of arithmetic: a word for 200 to 400 instructions.
    lengths.max().filter(|&n| n >= LONG).map_or(0, |n| n / 24)
}

/// May control come to the block by an address that is not written in the code that it comes from?
fn is_indirect_target(f: &Function, block: Block) -> bool {
    f.is_pad(block) || f.block_symbols.iter().any(|&(b, _)| b == block)
}

/// Bytes by which the stack grows before it is touched, unless the function says something else.
const STACK_PAGE: u32 = 4096;

/// Alignment of the stack pointer that a function finds and keeps to, in bytes.
pub(crate) fn natural_align(f: &Function) -> u32 {
    let abi = &f.signature().abi;
    // Of a caller that aligns nothing we know no more than that it has pushed a return address.
    if f.attrs.realign_stack { abi.entry_bias } else { abi.stack_align.min(16) }
}

/// Says which of the machine's operations is meant, by LLVM's name of it.
fn not_legal(module: &Module, f: &Function, e: LegalizeError) -> CompileError {
    let of_machine = |d: &InstData| matches!(d.op, Opcode::Machine | Opcode::MachineEffect);
    let data = e.inst.map(|i| f.inst(i)).filter(|&d| of_machine(d));
    let message = match data.and_then(|d| module.machine_ops.get(d.flags as usize)) {
        Some(name) => format!("the intrinsic `llvm.{name}` is not supported: {}", e.reason),
        None => e.reason,
    };
    CompileError { function: f.symbol, inst: e.inst, message }
}

fn buffer_error(f: &Function, e: BufferError) -> CompileError {
    CompileError::new(f, e.to_string())
}
