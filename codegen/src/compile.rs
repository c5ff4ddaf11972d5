//! From a function's IR to its machine code: the order of the steps.

use std::sync::Arc;

use gusset_abi::features::Hardening;

use crate::alloc::check::{CheckError, check, locations};
use crate::alloc::{Assign, Event, Log, Scratch, Units};
use crate::analysis::{Cfg, Interval, Intervals, Live};
use crate::asm::Disassembler;
use crate::block_map;
use crate::block_sections::BlockLayout;
use crate::buffer::{CodeBuffer, Label};
use crate::compiled::{CompiledFunction, EscapeTable, Funclet, Funclets, PadPlace, Patch, SplitStacks};
use crate::debug::tracker::VariableTracker;
use crate::debug::variables::VariablePlaces;
use crate::debug::{CompiledDebugInfo, FunctionDescription};
use crate::dump::{self, CodeText, Dump, Dumped, Stage};
use crate::edges::Edges;
use crate::error::{CompileError, Result};
use crate::frame::{Frame, natural_align};
use crate::ir::{
    ConstData, Escapes, Function, GUARD_CALLS, Inst, InstData, Module, Opcode, Pad, PadKind, Personality, Slot,
    SymbolId, SymbolKind, Value, ValueDef, sleds,
};
use crate::level::OptimizationLevel;
use crate::machine::FuncletPlaces;
use crate::passes::{
    Bodies, Bytes, Gvn, Inline, LegalizeError, Legalizer, Library, PIPELINE, Pass, PassSet, Point, Promote,
    ScalarReplacement, Simplify, Sink, Soft, StackAreas, UseCounts, copy_folded_operands, find_extended_params,
    fold_offsets, hoist_addresses, jump_to_callees, merge_blocks, narrow_accesses, narrow_saturating,
    needs_stack_protector, place_increments, results_by_address, safe_stack, soften, spill_references,
    split_conditions, split_indirect, thread_jumps, unite_parameters, widen_loads,
};
use crate::select::Select;
use crate::stack_map::record;
use crate::unwind::itanium::split_pads::split_pads;
use crate::unwind::microsoft::faults::fault_states;
use crate::unwind::microsoft::prepare::{forget_pads, prepare_funclets};
use crate::unwind::microsoft::states::States;

/// Compiles functions one after another, and keeps its tables from one to the next.
pub struct Compiler<'t, T: Select> {
    pub(crate) target: &'t T,
    pub(crate) cfg: Cfg,
    pub(crate) live: Live,
    pub(crate) intervals: Intervals,
    pub(crate) units: Units,
    pub(crate) assign: Assign,
    pub(crate) frame: Frame,
    pub(crate) scratch: Scratch,
    scalar_replacement: ScalarReplacement,
    bytes: Bytes,
    promote: Promote,
    inline: Inline,
    gvn: Gvn,
    simplify: Simplify,
    use_counts: UseCounts,
    sink: Sink,
    pub(crate) stack_areas: StackAreas,
    pub(crate) states: States,
    legalizer: Legalizer,
    library: Library,
    pub(crate) edges: Edges,
    pub(crate) buf: CodeBuffer,
    /// Where the function's blocks go, if they are in several sections.
    pub(crate) layout: BlockLayout,
    pub(crate) has_layout: bool,
    pub(crate) level: OptimizationLevel,
    /// The passes that optimized functions get.
    passes: PassSet,
    /// The ranges of the function's values have holes.
    pub(crate) has_holes: bool,
    /// Scratch registers may be homes.
    pub(crate) has_scratch_homes: bool,
    /// The link register is no home, since the encoder takes it.
    pub(crate) keeps_link: bool,
    /// Stretches with instructions that did not find enough temporaries.
    pub(crate) tight: Vec<Interval>,
    pub(crate) check: bool,
    pub(crate) log: Option<Box<Log>>,
    pub(crate) dump: Option<Box<Dump>>,
    /// Does the function get a stack guard?
    pub(crate) has_stack_guard: bool,
    /// What followed the variables of a function, for the next one.
    pub(crate) tracker: Option<Box<VariableTracker>>,
}

impl<'t, T: Select> Compiler<'t, T> {
    /// A compiler for `target`.
    pub fn new(target: &'t T) -> Self {
        Compiler {
            target,
            cfg: Cfg::default(),
            live: Live::default(),
            intervals: Intervals::default(),
            units: Units::default(),
            assign: Assign::default(),
            frame: Frame::new(target.facts().frame),
            scratch: Scratch::default(),
            scalar_replacement: ScalarReplacement::default(),
            bytes: Bytes::new(target.facts().endian()),
            promote: Promote::default(),
            inline: Inline::default(),
            gvn: Gvn::default(),
            simplify: Simplify::default(),
            use_counts: UseCounts::default(),
            sink: Sink::default(),
            stack_areas: StackAreas::default(),
            states: States::default(),
            legalizer: Legalizer::new(),
            library: Library::default(),
            edges: Edges::default(),
            buf: CodeBuffer::new(target.facts().code),
            layout: BlockLayout::default(),
            has_layout: false,
            level: OptimizationLevel::O0,
            passes: PassSet::default(),
            has_holes: false,
            has_scratch_homes: false,
            keeps_link: false,
            tight: Vec::new(),
            check: false,
            log: None,
            dump: None,
            has_stack_guard: false,
            tracker: None,
        }
    }

    /// Sets the level of optimization.
    pub fn optimize(&mut self, level: OptimizationLevel) {
        self.level = level;
    }

    /// Sets which passes run on optimized functions; the order is that of [`PIPELINE`].
    pub fn choose_passes(&mut self, passes: PassSet) {
        self.passes = passes;
    }

    /// Sets whether every function's register allocation is checked, see [`alloc::check`](crate::alloc::check). A
    /// function that fails is an error. The check costs several times the compilation.
    pub fn check_allocation(&mut self, on: bool) {
        self.check = on;
    }

    /// Checks other events than the recorded ones against the function that was compiled last, as it is now.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check_events(&self, f: &Function, events: &[Event]) -> Result<(), CheckError> {
        check(self.target, f, &self.cfg, &self.live, events)
    }

    /// The log of the last function that was compiled and checked.
    pub fn log(&self) -> Option<&Log> {
        self.log.as_deref()
    }

    /// Makes [`Compiler::dumped`] show every function at a stage. Without a disassembler, machine code is shown as
    /// bytes.
    pub fn dump(&mut self, stage: Stage, disassembler: Option<Box<dyn Disassembler>>) {
        self.inline.remarks = (stage == Stage::Remarks).then(Vec::new);
        self.dump = Some(Box::new(Dump { stage, disassembler, text: Dumped::default() }));
    }

    /// The function that was compiled last, at the stage that [`Compiler::dump`] asked for. `None` if its compilation
    /// failed before that.
    pub fn dumped(&mut self) -> Option<Dumped> {
        self.dump.as_mut().map(|dump| std::mem::take(&mut dump.text))
    }

    /// Keeps a text of the function if this is the stage to show.
    fn show(&mut self, stage: Stage, text: impl FnOnce(&Self) -> Dumped) {
        if self.dump.as_ref().is_some_and(|dump| dump.stage == stage) {
            let text = text(self);
            if let Some(dump) = &mut self.dump {
                dump.text = text;
            }
        }
    }

    /// Inlines what a function calls that is to be compiled, if its level has that.
    pub fn inline(&mut self, module: &Module, f: &mut Function, bodies: &mut dyn Bodies) {
        self.inline.remarks.iter_mut().for_each(Vec::clear);
        let (level, small) = (self.level, f.attrs.optimize_size || self.level == OptimizationLevel::Os);
        if self.is_optimized(f) && self.passes.has(Pass::Inline) && PIPELINE.iter().any(|s| s.runs(Point::Read, level))
        {
            self.inline.run(module, f, bodies, small);
        }
        self.show(Stage::After(Pass::Inline), |_| dump::plain(module, f));
    }

    /// Compiles a function. Its IR is rewritten on the way.
    ///
    /// # Errors
    /// The target cannot do something, or the code or the frame is larger than 32-bit displacements reach.
    pub fn compile(&mut self, module: &Module, f: &mut Function, out: &mut CompiledFunction) -> Result {
        out.clear();
        // Inlining comes before.
        if let Some(dump) = self.dump.as_mut().filter(|dump| dump.stage != Stage::After(Pass::Inline)) {
            dump.text = Dumped::default();
        }
        self.rewrite(module, f)?;
        if f.attrs.sleds != 0 {
            crate::sled::decide(self.target, &self.cfg, f)?;
        }
        let f = &*f;
        self.states.compute(f, &self.cfg.order)?;
        self.cfg.faults = fault_states(f, &self.cfg, &self.states)?;
        self.live.compute(self.target, module, f, &self.cfg);
        self.has_layout = self.layout.find(module, f, &self.cfg);
        self.show(Stage::Live, |c| dump::lives(c.target, module, f, &c.cfg, &c.live));
        let patch = self.emit(module, f)?;
        self.show(Stage::Remarks, |c| {
            let calls = c.inline.remarks.as_deref().unwrap_or_default();
            dump::remarks(module, f, (&c.cfg.order, &c.live), &c.units, calls)
        });
        self.show(Stage::Homes, |c| dump::homes(c.target, module, f, &c.cfg, (&c.units, &c.assign.splits), &c.frame));
        if let Some(log) = &self.log {
            let checked = check(self.target, f, &self.cfg, &self.live, &log.events);
            checked.map_err(|e| CompileError { function: f.symbol, inst: e.inst, message: e.to_string() })?;
        }
        self.buf.merge_tails();
        if self.buf.combines {
            self.target.combine_accesses(&mut self.buf);
        }
        if let Some(log) = &mut self.log {
            std::mem::swap(&mut self.buf.watched, &mut log.offsets);
        }
        let finished = self.buf.finish();
        if let Some(log) = &mut self.log {
            std::mem::swap(&mut self.buf.watched, &mut log.offsets);
            log.end = self.buf.offset();
        }
        finished.map_err(|e| CompileError::new(f, e.to_string()))?;
        self.hand_over(module, f, patch, out)?;
        self.show_code(module, f, out);
        Ok(())
    }

    /// Runs the passes alone: what remains is what instructions are selected from.
    ///
    /// # Errors
    /// The target cannot do something.
    pub fn rewrite(&mut self, module: &Module, f: &mut Function) -> Result {
        if f.attrs.shadow_call_stack && self.target.shadow_call_stack(f).is_none() {
            let what = "the attribute `shadowcallstack` is not supported but on AArch64 with the feature `reserve-x18`";
            return Err(CompileError::new(f, what));
        }
        if f.exceptions.has_funclets() {
            self.check_funclets(module, f)?;
        }
        self.run_all_passes(module, f)
    }

    /// Is more than quick work done for the function's code?
    pub(crate) fn is_optimized_more(&self, f: &Function) -> bool {
        self.level > OptimizationLevel::O1 && self.is_optimized(f)
    }

    /// Is the function's code optimized?
    pub(crate) fn is_optimized(&self, f: &Function) -> bool {
        self.level > OptimizationLevel::O0 && !f.attrs.optimize_none && !f.debug.keeps_variables
    }

    /// Makes the thunk through which protected code makes indirect calls. `hardening` says which protections the code of the thunk has.
    ///
    /// # Errors
    /// As for [`compile`](Self::compile).
    pub fn call_thunk(&mut self, symbol: SymbolId, hardening: Hardening, out: &mut CompiledFunction) -> Result {
        out.clear();
        self.buf.clear();
        self.buf.hardening = hardening;
        self.target.emit_call_thunk(&mut self.buf);
        let finished = self.buf.finish();
        finished.map_err(|e| CompileError { function: symbol, inst: None, message: e.to_string() })?;
        out.fill_from(&self.buf);
        (out.symbol, out.align) = (symbol, self.target.facts().code.align);
        Ok(())
    }

    /// Finds out which personality routine calls the funclets of `f`, and whether the target supports it.
    fn check_funclets(&self, module: &Module, f: &mut Function) -> Result {
        let Some(personality) = f.exceptions.personality else {
            return Err(CompileError::new(f, "functions with funclets must have a personality routine"));
        };
        let name = &module.symbol(personality).name;
        f.exceptions.routine = Personality::of_name(name);
        if !f.exceptions.routine.has_funclets() {
            return Err(CompileError::new(f, format!("the personality routine `{name}` has no funclets")));
        }
        let Some(rules) = self.target.facts().frame.funclets else {
            return Err(CompileError::new(f, "functions with funclets are not supported on this target"));
        };
        let by_record = rules.places == FuncletPlaces::Record;
        if matches!(f.exceptions.routine, Personality::Scopes | Personality::TryLevels(_))
            && matches!(f.exceptions.routine, Personality::TryLevels(_)) != by_record
        {
            let message = format!("the personality routine `{name}` is not that of `__try` on this target");
            return Err(CompileError::new(f, message));
        }
        // With a registration record, alignment beyond two words is refused: Microsoft's compilers align nothing
        // further there.
        align_objects(f, by_record.then_some(8))
    }

    fn show_code(&mut self, module: &Module, f: &Function, compiled: &CompiledFunction) {
        let Some(mut dump) = self.dump.take_if(|dump| dump.stage == Stage::Code) else { return };
        if let Some(log) = &self.log {
            // The check has accepted the log.
            let locations = locations(self.target, f, &self.cfg, &self.live, log).unwrap_or_default();
            let (target, cfg) = (self.target, &self.cfg);
            let text = CodeText { target, module, f, cfg, compiled, log, locations: &locations };
            dump.text = text.write(dump.disassembler.as_deref_mut());
        }
        self.dump = Some(dump);
    }

    /// Runs the passes. What remains is what the target has, with addresses and offsets as it wants them.
    fn run_all_passes(&mut self, module: &Module, f: &mut Function) -> Result {
        let ptr = self.target.facts().pointer;
        if !f.references.is_empty() && f.exceptions.has_funclets() {
            return Err(CompileError::new(f, "references in functions with funclets are not supported"));
        }
        if self.target.facts().soft_float {
            let attrs = &mut f.attrs;
            (attrs.soft_float, attrs.no_vectors, attrs.no_implicit_float) = (true, true, true);
        }
        self.show(Stage::Read, |_| dump::plain(module, f));
        prepare_funclets(f, ptr);
        thread_jumps(f);
        split_pads(f, ptr);
        spill_references(f, ptr);
        split_indirect(f);
        self.has_stack_guard = needs_stack_protector(f);
        self.scalar_replacement.run(f, ptr, self.target.facts().endian());
        if let Some(pointer) = f.attrs.unsafe_stack {
            let guarded = safe_stack(f, pointer, ptr);
            // Functions without variables on the second stack have no guard.
            self.has_stack_guard = guarded.map_err(|what| CompileError::new(f, format!("{what} is not supported")))?;
        }
        self.cfg.compute(f);
        self.promote.run(f, &mut self.cfg);
        self.show(Stage::Promote, |_| dump::plain(module, f));
        if self.is_optimized(f) {
            self.run_passes(Point::Promoted, module, f);
        }
        let by_address = results_by_address(f, ptr);
        let legalized = self.legalizer.run(self.target, f, &mut self.library.candidates);
        let legalized = legalized.map_err(|e| not_legal(module, f, e))?;
        let library = self.library.run(self.target, module, f, legalized)?;
        let softened = self.soften(f).map_err(|e| not_legal(module, f, e))?;
        let by_address = results_by_address(f, ptr) || by_address;
        let narrowed = narrow_accesses(f, self.target.facts());
        let changed = library || softened || by_address || narrowed;
        let split = self.legalizer.split_pairs(self.target, f, changed).map_err(|e| not_legal(module, f, e))?;
        if narrowed || split || by_address || library || softened || legalized {
            self.cfg.compute(f);
        }
        forget_pads(f, &self.cfg.order);
        self.show(Stage::Legalize, |_| dump::plain(module, f));
        self.stack_areas.clear();
        let wanted = self.target.facts().wanted_alignment(f.attrs.strict_alignment);
        let moves_stack = fold_offsets(f, ptr, wanted, &mut self.bytes);
        let mut moved = self.bytes.join(f);
        if moves_stack {
            // Beyond the natural alignment the prologue aligns the stack pointer, by a distance that is not known.
            let align = natural_align(f);
            // After a handler the stack pointer is where the prologue leaves it, or as far below as it was at the call.
            let by_record = self.target.facts().frame.funclets.is_some_and(|f| f.places == FuncletPlaces::Record);
            let fixed = (by_record || !f.exceptions.has_funclets())
                && f.attrs.frame_align <= align
                && f.calls.iter().all(|c| f.sigs[c.sig.index()].abi.stack_align <= align);
            if !by_record {
                refuse_areas(f, &self.cfg)?;
            }
            if moved {
                self.cfg.place_again(f);
            }
            let done = self.stack_areas.run(f, &self.cfg, ptr, align, fixed);
            if done.map_err(|(inst, why)| CompileError::at(f, inst, why))? {
                self.cfg.compute(f);
            }
            fold_offsets(f, ptr, wanted, &mut self.bytes);
            moved = self.bytes.join(f);
        }
        if moved {
            self.cfg.place_again(f);
        }
        let lost = jump_to_callees(self.target, module, f);
        self.cfg.lose_edges(f, &lost);
        if self.is_optimized(f) {
            self.run_passes(Point::Legal, module, f);
            if !self.cfg.has_frequencies() {
                self.cfg.find_frequencies(f);
            }
            find_extended_params(self.target, f, &self.cfg);
        }
        self.show(Stage::Final, |_| dump::plain(module, f));
        Ok(())
    }

    /// Runs the passes of [`PIPELINE`] that are wanted at a point, on a function that is optimized.
    fn run_passes(&mut self, point: Point, module: &Module, f: &mut Function) {
        let level = self.level;
        let funclets = f.exceptions.has_funclets();
        for step in PIPELINE.iter().filter(|step| step.runs(point, level) && !(step.moves && funclets)) {
            if self.passes.has(step.pass) {
                self.run_pass(step.pass, f);
                self.show(Stage::After(step.pass), |_| dump::plain(module, f));
            }
        }
    }

    /// Runs a pass. The graph is known before and after it.
    fn run_pass(&mut self, pass: Pass, f: &mut Function) {
        match pass {
            // It runs where the other functions are at hand.
            Pass::Inline => {}
            Pass::Gvn => self.gvn.run(f, &mut self.cfg),
            Pass::Parameters => {
                self.use_counts.count(f, &self.cfg.order);
                if unite_parameters(f, &self.cfg, &self.use_counts) {
                    self.cfg.place_again(f);
                }
            }
            Pass::Saturate => {
                // Few functions have such operations.
                if f.insts.iter().any(|d| d.op == Opcode::UsubSat && d.ty.is_vector()) {
                    self.use_counts.count(f, &self.cfg.order);
                    if narrow_saturating(f, &self.use_counts) {
                        self.cfg.place_again(f);
                    }
                }
            }
            Pass::Merge => {
                if merge_blocks(f, &self.cfg) {
                    self.cfg.compute(f);
                    f.layout.retain(|b| self.cfg.index[b.index()] != u32::MAX);
                }
            }
            Pass::Thread => {
                thread_jumps(f);
                self.cfg.compute(f);
            }
            Pass::Simplify => self.simplify.run(f, &self.cfg),
            Pass::Widen => {
                self.use_counts.count(f, &self.cfg.order);
                if widen_loads(self.target, f, &self.use_counts) {
                    self.cfg.place_again(f);
                }
            }
            // Depths of the stack are known by the places of blocks in the order.
            Pass::Conditions if self.stack_areas.known => {}
            Pass::Conditions => {
                self.use_counts.count(f, &self.cfg.order);
                split_conditions(f, &self.cfg, &self.use_counts);
                self.cfg.compute(f);
            }
            Pass::Operands => {
                self.use_counts.count(f, &self.cfg.order);
                copy_folded_operands(self.target, f, &self.cfg, &self.use_counts);
                self.cfg.place_again(f);
            }
            Pass::Hoist => {
                if !self.cfg.loops.is_empty() {
                    self.use_counts.count(f, &self.cfg.order);
                    if !self.target.facts().indexes_with_offsets {
                        self.cfg.find_frequencies(f);
                    }
                    if hoist_addresses(self.target, f, &self.cfg, &self.use_counts) {
                        self.cfg.place_again(f);
                    }
                }
            }
            Pass::Sink => {
                self.cfg.find_frequencies(f);
                if self.sink.run(f, &self.cfg) {
                    self.cfg.place_again(f);
                }
            }
            Pass::Increments => {
                self.use_counts.count(f, &self.cfg.order);
                if place_increments(f, &self.cfg, &self.use_counts) {
                    self.cfg.place_again(f);
                }
            }
        }
    }

    /// Makes integers of the numbers that no registers hold, among them some of more than two registers. Returns whether there were any.
    fn soften(&mut self, f: &mut Function) -> std::result::Result<bool, LegalizeError> {
        let soft = match f.attrs.soft_float {
            true => Soft::All,
            false if self.target.facts().soft_quads => Soft::Quads,
            false => return Ok(false),
        };
        let softened = soften(f, soft).map_err(|(inst, reason)| LegalizeError { inst, reason })?;
        if softened && soft == Soft::All {
            results_by_address(f, self.target.facts().pointer);
            self.legalizer.run(self.target, f, &mut self.library.candidates)?;
        }
        Ok(softened)
    }

    /// Fills the result from the finished code.
    fn hand_over(&self, module: &Module, f: &Function, patch: Option<Patch>, out: &mut CompiledFunction) -> Result {
        out.fill_from(&self.buf);
        out.symbol = f.symbol;
        out.patch = patch;
        let checks = f.attrs.split_stack && (self.live.has_calls || !self.frame.is_nothing());
        out.split_stacks = SplitStacks { some: f.attrs.split_stack, not_all: !checks };
        out.always_sleds = f.attrs.sleds & sleds::ALWAYS != 0;
        out.align = self.target.facts().code.align;
        if module.coff_features & GUARD_CALLS != 0 {
            self.hand_over_guarded(module, f, out);
        }
        if !f.stack_maps.is_empty() {
            let moves = self.live.dynamic_stack || self.stack_areas.known || f.exceptions.has_funclets();
            out.frame_size = record::frame_size(&self.frame, moves);
        }
        if !out.parts.is_empty() {
            refuse_in_parts(f, out)?;
        }
        if module.stack_sizes && !self.live.dynamic_stack {
            out.stack_bytes = Some((self.frame.bytes_below_cfa() as u32 - self.frame.rules.link).into());
        }
        if module.block_map {
            block_map::places(f, &self.cfg, &self.buf, &mut out.blocks);
        }
        out.unwind = f.attrs.unwind_tables || f.exceptions.personality.is_some();
        if f.exceptions.personality.is_some() {
            out.exceptions.copy_from(&f.exceptions);
        }
        if f.exceptions.has_funclets() {
            out.states.copy_from(&self.states);
            self.hand_over_funclets(f, out);
        }
        if let Some(escapes) = &f.escapes {
            let words = self.escaped(f, escapes)?;
            out.escapes = Some(EscapeTable { symbol: escapes.table, words });
        }
        if f.debug.subprogram.is_some() {
            let facts = self.target.facts();
            let (frame, slots, code) = (&self.frame, &self.scratch.slots[..], out.code.len() as u32);
            let (dwarf_register, buffer) = (facts.dwarf_register, &self.buf);
            let tracker = self.tracker.as_deref().filter(|_| VariableTracker::is_needed(f));
            let places = VariablePlaces { f, frame, slots, dwarf_register, buffer, code, tracker };
            let mut debug = CompiledDebugInfo { description: self.describe(f), ..CompiledDebugInfo::default() };
            places.hand_over(&mut debug);
            out.debug = Some(Arc::new(debug));
        }
        out.uses_float = self.units.uses_float;
        for &(block, symbol) in &f.block_symbols {
            // A block that control never reaches still has an address: the function's.
            let index = self.cfg.index[block.index()];
            let at = if index == u32::MAX { Some(0) } else { self.buf.label_offset(Label(index)) };
            out.block_symbols.push((symbol, at.unwrap_or(0)));
        }
        Ok(())
    }

    /// What debuggers are told of the whole function.
    fn describe(&self, f: &Function) -> FunctionDescription {
        let (facts, frame, attrs) = (self.target.facts(), &self.frame, &f.attrs);
        let optimized = !attrs.optimize_size && !f.debug.keeps_variables;
        let prologue_end = self.buf.prologue_end.and_then(|label| self.buf.label_offset(label));
        FunctionDescription {
            prologue_bytes: prologue_end.unwrap_or(0),
            frame_bytes: frame.bytes_below_cfa() as u32 - facts.frame.link,
            pushed_bytes: frame.pushed(),
            frame_pointer: frame.base.is_framed().then(|| (facts.dwarf_register)(facts.frame.frame_pointer)),
            realigned: frame.align > frame.natural,
            takes_areas: self.live.dynamic_stack,
            calls_returns_twice: attrs.calls_returns_twice,
            guard: (attrs.stack_protector, self.has_stack_guard),
            noreturn: attrs.noreturn,
            fast: optimized,
            inlining: attrs.inlining,
            personality: f.exceptions.personality.map(|_| f.exceptions.routine),
            argument_bytes: f.signature().abi.stack_arg_bytes,
        }
    }

    /// The table of variables that others find by the frame.
    fn escaped(&self, f: &Function, escapes: &Escapes) -> Result<Vec<i32>> {
        let align = |slot: Slot| self.frame.move_up(f.slots[slot.index()].align);
        if align(escapes.anchor) > 0 {
            return Err(CompileError::new(f, "variables are found by one of more alignment than the stack has"));
        }
        let place = |slot: Slot| self.frame.place_for_filters(self.scratch.slots[slot.index()]);
        let anchor = place(escapes.anchor);
        let words = |slot: Slot| [place(slot) - anchor, -(align(slot).max(1) as i32)];
        let of_each = escapes.slots.iter().flat_map(|slot| slot.map_or([0; 2], words));
        Ok(std::iter::once(anchor).chain(of_each).collect())
    }
}

impl<T: Select> Compiler<'_, T> {
    /// Sets where funclets and pads are, and places of the frame that tables name.
    fn hand_over_funclets(&self, f: &Function, out: &mut CompiledFunction) {
        let start = |index: u32| self.buf.label_offset(Label(index)).unwrap_or(0);
        let ends = self.cfg.funclets.iter().skip(1).map(|&(_, first)| start(first));
        let ends = ends.chain([self.buf.offset()]);
        let list = self.cfg.funclets.iter().zip(ends);
        out.funclets.list.extend(list.map(|(&(pad, first), end)| Funclet { start: start(first), end, pad }));
        out.funclets.pads.resize(f.exceptions.pad_count(), PadPlace::default());
        for (index, &b) in self.cfg.order.iter().enumerate() {
            let Some(pad) = f.pad(b) else { continue };
            let d = f.inst(Inst(f.blocks[b.index()].first));
            if d.op != Opcode::CatchSwitch {
                out.funclets.pads[pad.index()].code = Some(start(index as u32));
            }
            // Other pads have a number there, and no object.
            let object = (d.op == Opcode::CatchPad).then(|| f.value_def(f.resolve(Value(d.a))));
            if let Some(ValueDef::Slot(slot)) = object {
                let place = self.scratch.slots[slot.index()];
                out.funclets.pads[pad.index()].object = Some(self.frame.place_for_tables(place));
            }
        }
        self.hand_over_continuations(f, &mut out.funclets);
        for (index, &state) in self.cfg.faults.iter().enumerate() {
            out.faults.push((start(index as u32), state));
        }
        out.funclets.unwind_help = self.frame.unwind_help.map_or(0, |place| self.frame.place_for_tables(place));
        out.funclets.record_guard = self.frame.record_guard();
        out.funclets.parent_frame = self.frame.of_funclet().map_or(0, |frame| frame.host_kept_at());
    }

    /// Notes what Control Flow Guard has objects list.
    #[cold]
    fn hand_over_guarded(&self, module: &Module, f: &Function, out: &mut CompiledFunction) {
        let functions = f.constants().iter().filter_map(|constant| match *constant {
            ConstData::Symbol(symbol, _) if module.symbol(symbol).kind == SymbolKind::Function => Some(symbol),
            _ => None,
        });
        out.taken.extend(functions);
        out.returns_twice.extend(self.buf.returns_twice.iter().filter_map(|&label| self.buf.label_offset(label)));
    }

    /// Sets where personality routines let control continue.
    fn hand_over_continuations(&self, f: &Function, out: &mut Funclets) {
        let Funclets { pads, continuations, .. } = out;
        continuations.extend(self.buf.continuations.iter().filter_map(|&label| self.buf.label_offset(label)));
        if f.exceptions.routine != Personality::Cxx {
            let is_handler = |pad: usize| matches!(f.exceptions.kind(Pad::new(pad)), PadKind::Catch { .. });
            let handlers = pads.iter().enumerate().filter(|&(pad, _)| is_handler(pad));
            continuations.extend(handlers.filter_map(|(_, place)| place.code));
        }
        continuations.sort_unstable();
        continuations.dedup();
    }
}

/// Refuses areas of the stack in funclets, which give back as much stack as their prologue has taken.
fn refuse_areas(f: &Function, cfg: &Cfg) -> Result {
    let first = cfg.funclets.first().map_or(cfg.order.len(), |funclet| funclet.1 as usize);
    for &b in &cfg.order[first..] {
        if let Some(i) = f.block_insts(b).find(|&i| matches!(f.inst(i).op, Opcode::StackAlloc | Opcode::BlockOpen)) {
            let message = "areas of the stack that a handler or a cleanup takes are not supported on this target";
            return Err(CompileError::at(f, i, message));
        }
    }
    Ok(())
}

/// Tables give the place of an exception's object as a distance from the frame, which is only as aligned as the stack,
/// and nobody rounds the address up. So the function may assume no more alignment than the stack's, as in LLVM. An
/// object that wants more than `most`, if that is given, is refused.
fn align_objects(f: &mut Function, most: Option<u32>) -> Result {
    let natural = natural_align(f);
    // No access wants more alignment than a vector has.
    let most = most.unwrap_or(if natural < 16 { natural } else { u32::MAX });
    for k in 0..f.insts.len() {
        let d = f.insts[k];
        if d.op != Opcode::CatchPad {
            continue;
        }
        let ValueDef::Slot(slot) = f.value_def(f.resolve(Value(d.a))) else { continue };
        let align = f.slots[slot.index()].align;
        if align > natural.max(most) {
            let message = format!("an object of an exception with alignment {align} is not supported on this target");
            return Err(CompileError::at(f, Inst::new(k), message));
        }
        f.slots[slot.index()].align = align.min(natural);
    }
    Ok(())
}

/// The error of an operation that legalization refused; machine operations are named by LLVM's intrinsic.
/// Refuses what can be said of code in one section only.
///
/// # Errors
/// There is such a thing.
fn refuse_in_parts(f: &Function, out: &CompiledFunction) -> Result {
    let refused = [
        (f.debug.subprogram.is_some(), "debug information"),
        (!f.stack_maps.is_empty(), "a stack map"),
        (!out.sleds.is_empty(), "XRay's sleds"),
        (!out.limit_call.is_empty(), "a limit of the stack"),
        (f.exceptions.has_funclets(), "funclets"),
        (!out.data.is_empty(), "data in code"),
    ];
    match refused.into_iter().find(|(has, _)| *has) {
        Some((_, what)) => {
            Err(CompileError::new(f, format!("{what} with basic blocks in sections of their own is not supported")))
        }
        None => Ok(()),
    }
}

fn not_legal(module: &Module, f: &Function, e: LegalizeError) -> CompileError {
    let of_machine = |d: &InstData| matches!(d.op, Opcode::Machine | Opcode::MachineEffect);
    let data = e.inst.map(|i| f.inst(i)).filter(|&d| of_machine(d));
    let message = match data.and_then(|d| module.machine_ops.get(d.flags as usize)) {
        Some(name) => format!("the intrinsic `llvm.{name}` is not supported: {}", e.reason),
        None => e.reason,
    };
    CompileError { function: f.symbol, inst: e.inst, message }
}
