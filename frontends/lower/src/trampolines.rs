//! Static chains and trampolines: which functions take a chain, and the lowering of `llvm.init.trampoline`.
//!
//! With a pool, a trampoline's memory holds only its handle. The host frees it wherever it ends: each `init.trampoline`
//! in its text has a slot for a handle, null at first, and every end frees all of them. An exception that leaves the
//! host is an end, too: calls unwind to a cleanup, which is a funclet if the system's exceptions are Microsoft's. The
//! pool knows the slot, and takes the trampoline back if the slot does not exist any more, after a `longjmp`.

use gusset_abi::x86::RAX;
use gusset_abi::{Convention, Isa, Reg, Trampoline, TrampolineOptions, static_chain};
use gusset_codegen::ir::{
    ConstData, FunctionBuilder, InstData, MemFlags, Opcode, Pad, PadKind, Slot, SymbolId, Value, ValueDef,
};
use gusset_program::{PTR, Refusal, Result, Sink, VOID, intrinsic_mismatch, mismatch_if};

use crate::expand::{room_after, slot_of};
use crate::facts::{Library, library_personality};
use crate::function::{FunctionLowering, Scratch};

impl FunctionLowering<'_> {
    /// Makes a slot for every trampoline that the body may create in the pool, in the entry block.
    pub(crate) fn open_trampolines(&mut self, count: usize) {
        self.s.handles.clear();
        self.s.hosts.clear();
        let Some(Library::Pool { .. }) = self.m.trampolines else { return };
        if count == 0 {
            return;
        }
        let bytes = self.ptr.store_bytes();
        let null = self.b.ptr_const(0);
        for _ in 0..count {
            let slot = self.b.func.make_temporary(bytes, bytes);
            let addr = self.b.slot_addr(slot);
            self.b.store(null, addr, 0, MemFlags::new(bytes, false));
            self.s.handles.push(slot);
        }
    }

    /// Frees what the function has created in the pool, at one of its ends.
    pub(crate) fn close_trampolines(&mut self) -> Result<()> {
        for i in 0..self.s.handles.len() {
            self.free_trampoline(self.s.handles[i])?;
        }
        Ok(())
    }

    /// After a call that an exception may leave: makes it unwind to the host's cleanup. A call in a funclet unwinds to
    /// where the funclet does.
    pub(crate) fn clean_up_behind_call(&mut self, within: Option<Pad>) {
        let Some(Library::Pool { personality: Some(_), .. }) = self.m.trampolines else { return };
        if self.s.handles.is_empty() || within.is_some() {
            return;
        }
        let cleanup = match self.cleanup {
            Some(block) => block,
            None => self.new_block(),
        };
        self.cleanup = Some(cleanup);
        // Its results are not defined in the cleanup.
        self.scattered = true;
        let next = self.new_block();
        let (n, u) = (self.edge(next), self.edge(cleanup));
        self.b.end_invoke(n, u);
        self.b.switch_to(next);
    }

    /// Makes the cleanup, and the cleanups of the program's own landing pads that exceptions would pass.
    pub(crate) fn write_cleanup(&mut self) -> Result<()> {
        let Some(Library::Pool { personality: Some(routine), .. }) = self.m.trampolines else { return Ok(()) };
        if self.s.handles.is_empty() {
            return Ok(());
        }
        let own = self.b.func.exceptions.personality.is_some();
        if if own { self.personality } else { library_personality(&self.m.target) }.has_funclets() {
            return self.write_funclet(routine);
        }
        // As LLVM does when it inlines a function into one with cleanups: such a pad resumes exceptions that it does
        // not catch.
        self.b.func.exceptions.make_cleanups();
        let Some(block) = self.cleanup.take() else { return Ok(()) };
        self.unwinds = true;
        self.b.func.exceptions.personality.get_or_insert(routine);
        let pad = self.b.func.exceptions.make_pad(true);
        self.b.switch_to(block);
        let (exception, _) = self.b.landing_pad(pad);
        self.close_trampolines()?;
        self.b.resume(exception);
        Ok(())
    }

    /// Makes the cleanup as a funclet.
    fn write_funclet(&mut self, routine: SymbolId) -> Result<()> {
        let leaving = self.leaving_pads();
        let block = match self.cleanup.take() {
            Some(block) => block,
            None if leaving.is_empty() => return Ok(()),
            None => self.new_block(),
        };
        let f = &mut *self.b.func;
        for k in leaving {
            let edge = f.make_edge(block);
            let start = f.pool.len() as u32;
            let d = f.insts[k];
            f.pool.extend_from_within(d.b as usize..(d.b + d.c) as usize);
            f.pool.push(edge.0);
            f.insts[k] = InstData { flags: d.flags | 1, b: start, c: d.c + 1, ..d };
        }
        f.exceptions.personality.get_or_insert(routine);
        self.unwinds = true;
        let pad = self.b.func.exceptions.make_funclet_pad(PadKind::Cleanup { parent: None });
        self.b.switch_to(block);
        self.b.cleanup_pad(pad);
        for i in 0..self.s.handles.len() {
            self.free_trampoline(self.s.handles[i])?;
            self.b.within(pad);
        }
        self.b.cleanup_ret(pad, None);
        Ok(())
    }

    /// Indexes of the instructions by which exceptions leave the function from a switch or a cleanup. In other cleanups
    /// they end the program.
    fn leaving_pads(&self) -> Vec<usize> {
        let f = &*self.b.func;
        // A pad may still be a stand-in for another.
        let around = |pad: Pad| match f.exceptions.kind(pad) {
            PadKind::Switch { parent } | PadKind::Cleanup { parent } => parent,
            PadKind::Catch { switch, .. } => Some(switch),
            PadKind::Landing => None,
        };
        let in_cleanup = |pad: Pad| {
            let pads = std::iter::successors(Some(pad), |&pad| around(pad).and_then(|pad| self.s.renamed(pad)));
            // The bound is for programs that are not well-formed.
            let is_cleanup = |pad| matches!(f.exceptions.kind(pad), PadKind::Cleanup { .. });
            pads.skip(1).take(f.exceptions.pad_count()).any(is_cleanup)
        };
        let leaves = |&k: &usize| {
            let d = &f.insts[k];
            let ends = matches!(d.op, Opcode::CatchSwitch | Opcode::CleanupRet) && d.flags & 1 == 0;
            ends && self.s.renamed(Pad(d.a)).is_some_and(|pad| !in_cleanup(pad))
        };
        (0..f.insts.len()).filter(leaves).collect()
    }

    fn free_trampoline(&mut self, slot: Slot) -> Result<()> {
        let Some(Library::Pool { free, .. }) = self.m.trampolines else { return Ok(()) };
        let addr = self.b.slot_addr(slot);
        let handle = self.b.load(self.ptr, addr, 0, MemFlags::new(self.ptr.store_bytes(), false));
        self.libcall_inst(free, VOID, &[(PTR, handle)]).map(drop)
    }

    /// The register for the static chain that the convention of `callee` has, as far as that is known.
    fn trampoline_chain(&self, callee: Value) -> Reg {
        let nest = match self.b.func.constant(callee) {
            Some(ConstData::Symbol(symbol, 0)) => self.m.passing.get(symbol).filter(|passing| passing.has_chain()),
            _ => None,
        };
        static_chain(&self.m.target, nest.map_or(Convention::C, |nest| nest.convention))
    }

    /// A trampoline in place that sets this register.
    fn trampoline_form(&self, chain: Reg) -> Result<Trampoline> {
        let isa = match self.m.trampolines {
            Some(Library::InPlace { isa, .. }) => isa,
            _ => Isa::default(),
        };
        let options = TrampolineOptions { landing_pad: self.m.branch_markers, isa };
        Trampoline::new(&self.m.target, chain, options).map_err(|e| Refusal::new(e.to_string()))
    }

    /// `llvm.init.trampoline`, whose arguments have been read.
    pub(crate) fn init_trampoline(&mut self) -> Result<()> {
        let [memory, callee, chain] = [0, 1, 2].map(|i| self.operand(i));
        let [memory, callee, chain] = [memory?, callee?, chain?];
        mismatch_if([memory.0, callee.0, chain.0] != [PTR; 3])?;
        let (memory, callee, chain) = (memory.1, callee.1, chain.1);
        let register = self.trampoline_chain(callee);
        let form = self.trampoline_form(register)?;
        let room = room_after(&self.b, memory);
        let refused = |m: String| Err(Refusal::new(m));
        match self.m.trampolines {
            Some(Library::Pool { init, init_eax, .. }) => {
                let ValueDef::Slot(memory_slot) = self.b.func.value_def(memory) else {
                    let m = "a trampoline in memory that is not a variable of the function cannot be in the pool, as it is \
                             not known when to free it";
                    return refused(m.into());
                };
                if room.is_some_and(|room| room < self.ptr.store_bytes().into()) {
                    return refused("the memory has no room for a trampoline's handle".into());
                }
                let Some(slot) = self.s.handle_slot(memory_slot) else { return Err(intrinsic_mismatch()) };
                // A trampoline made earlier in the same memory is replaced, and freed.
                if self.block != self.entry {
                    self.free_trampoline(slot)?;
                }
                let addr = self.b.slot_addr(slot);
                let arguments = [(PTR, addr), (PTR, callee), (PTR, chain)];
                let init = init_eax.filter(|_| register == RAX).unwrap_or(init);
                let handle = self.libcall(init, PTR, &arguments)?;
                let addr = self.b.slot_addr(slot);
                self.b.store(handle, addr, 0, MemFlags::new(self.ptr.store_bytes(), false));
                self.b.store(handle, memory, 0, MemFlags::new(1, false));
            }
            Some(Library::InPlace { clear_cache, .. }) => {
                if let Some(room) = room
                    && room < form.code.len() as u64
                {
                    let m = format!("a trampoline takes {} bytes here, and the memory has {room}", form.code.len());
                    return refused(m);
                }
                align_trampoline(&mut self.b, &form, memory)?;
                self.b.init_trampoline(&form, memory, callee, chain);
                if let Some(symbol) = clear_cache
                    && !form.flush.is_empty()
                {
                    use gusset_codegen::ir::Opcode;
                    let [from, to] = [form.flush.start, form.flush.end].map(|at| {
                        let offset = self.b.ptr_const(at.into());
                        self.b.binary(Opcode::Iadd, memory, offset)
                    });
                    self.libcall_inst(symbol, VOID, &[(PTR, from), (PTR, to)])?;
                }
            }
            None => return Err(intrinsic_mismatch()),
        }
        Ok(())
    }

    /// `llvm.adjust.trampoline`, whose argument has been read.
    pub(crate) fn adjust_trampoline(&mut self) -> Result<Value> {
        let (ty, memory) = self.operand(0)?;
        mismatch_if(ty != PTR)?;
        match self.m.trampolines {
            Some(Library::Pool { adjust, .. }) => {
                let handle = self.b.load(self.ptr, memory, 0, MemFlags::new(1, false));
                self.libcall(adjust, PTR, &[(PTR, handle)])
            }
            _ => {
                let form = self.trampoline_form(static_chain(&self.m.target, Convention::C))?;
                Ok(self.b.adjust_trampoline(&form, memory))
            }
        }
    }
}

impl Scratch {
    /// The slot for the handle of the trampoline in a variable.
    fn handle_slot(&mut self, memory: Slot) -> Option<Slot> {
        if let Some(at) = self.hosts.iter().position(|known| *known == memory) {
            return self.handles.get(at).copied();
        }
        self.hosts.push(memory);
        self.handles.get(self.hosts.len() - 1).copied()
    }
}

/// Aligns the memory of a trampoline: some machines need aligned code, but flang's variables are not aligned.
fn align_trampoline(b: &mut FunctionBuilder<'_>, form: &Trampoline, memory: Value) -> Result<()> {
    let Some((slot, offset)) = slot_of(b, memory) else { return Ok(()) };
    if !offset.is_multiple_of(form.align.into()) {
        return Err(Refusal::new(format!("a trampoline is aligned to {} bytes here", form.align)));
    }
    let slot = &mut b.func.slots[slot.index()];
    slot.align = slot.align.max(form.align);
    Ok(())
}
