//! Calls, entry and return, driven by the ABI layer's description alone.

use gusset_abi::{Extension, FnAbi, InlineVec, Layout, PassMode, Piece, Place, SaveAreaPlace, VaInit, VarArea};

use crate::alloc::{Event, Loc, MoveDst, MoveSrc, Moves, Name, Stream, Where, source};
use crate::buffer::CodeBuffer;
use crate::compile::CompileError;
use crate::frame::FramePlace;
use crate::ir::{CallData, Callee, ConstData, Function, Inst, Opcode, SigData, TailKind, Value, ValueDef};
use crate::target::{FrameAddr, PReg, PartKind, Target};

fn shift(at: FrameAddr, bytes: i32) -> FrameAddr {
    FrameAddr { disp: at.disp.wrapping_add(bytes), ..at }
}

/// Is parameter `i` of the IR the address of an aggregate?
fn by_address(sig: &SigData, i: usize) -> bool {
    (sig.aggregate_result && i + 1 == sig.params.len()) || sig.param_is_aggregate(i)
}

/// Where the parts of a parameter come from, per piece; the kinds of parts that pieces fill.
fn part_of(kind: PartKind, piece: &Piece) -> u8 {
    (piece.offset / kind.bytes().max(8)) as u8
}

fn set_of(abi: &FnAbi) -> u64 {
    abi.clobbers.int as u64 | (abi.clobbers.float as u32 as u64) << 32
}

/// A place in the frame for a value of this layout, with the alignment that its address is still to be moved up to, or 0.
/// It has whole eightbytes, so that what is stored piece by piece fits, one even for a value without size.
fn room<T: Target>(cx: &mut Stream<'_, T>, layout: Layout) -> Result<(FramePlace, u32), CompileError> {
    let size = u32::try_from(layout.size.max(1).next_multiple_of(8)).unwrap_or(u32::MAX);
    let up = if layout.align > 16 { layout.align } else { 0 };
    let place = cx.frame.add(size.saturating_add(up), layout.align.max(8));
    Ok((place.ok_or_else(|| CompileError::frame_too_large(cx.f))?, up))
}

/// Registers that some call in the function may change, by the conventions of the callees.
pub fn clobbered(f: &Function) -> u64 {
    f.calls.iter().fold(0, |mask, c| mask | set_of(&f.sigs[c.sig.index()].abi))
}

/// Registers that the function has to leave as they were.
pub fn preserved(f: &Function) -> u64 {
    let set = f.signature().abi.preserved;
    set.int as u64 | (set.float as u32 as u64) << 32
}

/// Registers in which arguments of calls travel that replace the function's own frame: they cannot be restored before.
pub fn tail_arguments(f: &Function) -> u64 {
    let must = f.calls.iter().filter(|c| c.tail == TailKind::Must);
    must.fold(0, |mask, c| mask | argument_registers(&f.sigs[c.sig.index()].abi))
}

/// What calls here cannot do of an ABI.
fn unsupported(abi: &FnAbi) -> Option<&'static str> {
    let framed = |area: &VarArea| area.save_area.as_ref().is_none_or(|save| save.place == SaveAreaPlace::Frame);
    if abi.home_space > 0 {
        return Some("calling conventions with home space are not supported yet");
    }
    if abi.arg_block.is_some() {
        return Some("argument blocks are not supported yet");
    }
    if abi.returns_this.is_some() {
        return Some("constructors that return their object are not supported yet");
    }
    if !abi.variadic.as_ref().is_none_or(framed) {
        return Some("register save areas outside the frame are not supported yet");
    }
    None
}

/// Registers in which arguments travel.
fn argument_registers(abi: &FnAbi) -> u64 {
    let pieces = abi.args.iter().flat_map(|a| match &a.mode {
        PassMode::Indirect { pointer, .. } => std::slice::from_ref(pointer),
        mode => mode.pieces(),
    });
    pieces.filter_map(Piece::reg).filter_map(PReg::from_abi).fold(0, |mask, r| mask | r.mask())
}

/// Saves what a variadic function must save; to be followed by the first block and [`bind_params`].
pub fn enter<T: Target>(cx: &mut Stream<'_, T>, moves: &mut Moves) -> Result<(), CompileError> {
    let f = cx.f;
    let sig = f.signature();
    if let Some(what) = unsupported(&sig.abi) {
        return Err(CompileError::new(f, what));
    }
    if let Some(area) = sig.abi.variadic.as_ref().and_then(|v| v.save_area.as_ref()) {
        let place = cx.frame.add(area.size, area.align.max(16)).ok_or_else(|| CompileError::frame_too_large(f))?;
        let at = cx.frame.addr(place, 0);
        cx.save_area = Some(at);
        cx.note(Event::Memory(at.into(), area.size));
        cx.target.emit_save_area(cx.buf, area, at);
    }
    moves.clear();
    let Some(&entry) = f.layout.first() else { return Ok(()) };
    let params = f.params(entry);
    let mut arriving = 0u64;
    for (i, &v) in params.iter().enumerate() {
        if cx.live.count(v) == 0 && !(sig.aggregate_result && i + 1 == params.len()) {
            continue;
        }
        let (mode, layout) = match sig.abi.args.get(i) {
            Some(a) => (&a.mode, a.layout),
            None => (&sig.abi.ret.mode, sig.abi.ret.layout),
        };
        match *mode {
            PassMode::Direct(ref pieces) if !by_address(sig, i) => {
                let kind = cx.units.kind(v.0);
                for p in pieces {
                    let part = part_of(kind, p);
                    let dst = cx.home(v, part)?;
                    match p.place {
                        Place::Reg(r) | Place::RegPlus { reg: r, .. } => {
                            let r = PReg::from_abi(r)
                                .ok_or_else(|| CompileError::new(f, "an argument arrives in an x87 register"))?;
                            arriving |= r.mask();
                            arrives(cx, v, part, r);
                            moves.add(dst, MoveSrc::Reg(r), kind);
                        }
                        Place::Stack { offset } => {
                            let at = cx.frame.incoming(offset as i32);
                            arrives(cx, v, part, at);
                            moves.add(dst, MoveSrc::Memory(at), kind);
                        }
                    }
                }
            }
            PassMode::Direct(ref pieces) => {
                // The aggregate's pieces go to memory, whose address is the value.
                let (place, 0) = room(cx, layout)? else {
                    let what = format!("an argument aligned to {} bytes arrives in registers", layout.align);
                    return Err(CompileError::new(f, what));
                };
                let at = cx.frame.addr(place, 0);
                cx.note(Event::Memory(at.into(), place.size));
                cx.aggregates.push((v, at, 0));
                if sig.aggregate_result && i + 1 == params.len() {
                    continue;
                }
                for p in pieces {
                    match p.place {
                        Place::Reg(r) | Place::RegPlus { reg: r, .. } => {
                            if let Some(r) = PReg::from_abi(r) {
                                store_exactly(cx, r, shift(at, p.offset as i32), p.size);
                            }
                        }
                        Place::Stack { offset } => {
                            let t = cx.target.registers().entry_scratch;
                            let from = cx.frame.incoming(offset as i32);
                            cx.target.emit_frame_load(cx.buf, PartKind::I64, t, from);
                            store_exactly(cx, t, shift(at, p.offset as i32), p.size);
                        }
                    }
                }
            }
            PassMode::Indirect { pointer, .. } => {
                let dst = cx.home(v, 0)?;
                match pointer.place {
                    Place::Stack { offset } => {
                        let at = cx.frame.incoming(offset as i32);
                        arrives(cx, v, 0, at);
                        moves.add(dst, MoveSrc::Memory(at), cx.units.kind(v.0));
                    }
                    Place::Reg(r) | Place::RegPlus { reg: r, .. } => {
                        if let Some(r) = PReg::from_abi(r) {
                            arriving |= r.mask();
                            arrives(cx, v, 0, r);
                            moves.add(dst, MoveSrc::Reg(r), cx.units.kind(v.0));
                        }
                    }
                }
            }
            PassMode::StackCopy { offset, .. } => {
                let at = cx.frame.incoming(offset as i32);
                cx.aggregates.push((v, at, 0));
            }
            PassMode::Ignore => {
                let (place, up) = room(cx, layout)?;
                let at = cx.frame.addr(place, 0);
                cx.aggregates.push((v, at, up));
            }
            PassMode::InBlock { .. } => {
                return Err(CompileError::new(f, "argument blocks are not supported by this target"));
            }
        }
    }
    // The static chain register and the vector count are not arguments in `arriving`; neither is in the scratch set, whose
    // registers are nobody's home.
    let scratch = cx.target.registers().edge_scratch | cx.target.registers().entry_scratch.mask();
    moves.emit_with(cx, scratch & !arriving, scratch)
}

/// Notes for the checker where a part of a parameter arrives.
fn arrives<T: Target>(cx: &mut Stream<'_, T>, value: Value, part: u8, at: impl Into<Loc>) {
    cx.note(Event::Bind(Name { value, part }, at.into()));
}

/// Binds the entry block's parameters, which [`enter`] has put into their homes.
pub fn bind_params<T: Target>(cx: &mut Stream<'_, T>) -> Result<(), CompileError> {
    let f = cx.f;
    let sig = f.signature();
    for (v, at, up) in std::mem::take(&mut cx.aggregates) {
        if cx.live.count(v) == 0 && !sig.aggregate_result {
            continue;
        }
        // The address of a place in this frame is computed once.
        let dst = cx.home(v, 0)?;
        let r = match dst {
            MoveDst::Reg(r) => r,
            MoveDst::Place(..) => cx.target.registers().entry_scratch,
        };
        cx.target.emit_frame_address(cx.buf, r, at, up, false);
        arrives(cx, v, 0, r);
        if let MoveDst::Place(_, to) = dst {
            cx.store_to(cx.units.kind(v.0), r, to);
        }
    }
    let Some(&entry) = f.layout.first() else { return Ok(()) };
    for (i, &v) in f.params(entry).iter().enumerate() {
        if cx.live.count(v) == 0 || f.value_type(v) != crate::ir::Type::I1 {
            continue;
        }
        // Truth values are 0 or 1 in eight bits; who passed it may not have promised that.
        let assume = sig.abi.args.get(i).and_then(|a| a.mode.pieces().first()).map(|p| p.assume);
        if !matches!(assume, Some(Extension::Zero { .. })) {
            cx.begin_inst(cx.position());
            match cx.whereabouts(v, 0) {
                Where::Reg(r) => {
                    cx.target.emit_extend(cx.buf, r, 1, 8, false);
                    arrives(cx, v, 0, r);
                }
                Where::Frame(at) => {
                    let t = cx.target.registers().entry_scratch;
                    cx.target.emit_frame_load(cx.buf, PartKind::I32, t, at);
                    cx.target.emit_extend(cx.buf, t, 1, 8, false);
                    cx.target.emit_frame_store(cx.buf, PartKind::I32, t, at);
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Stores exactly `size` low bytes of a register, shifting it down as it goes where the size is no power of two.
fn store_exactly<T: Target>(cx: &mut Stream<'_, T>, r: PReg, at: FrameAddr, size: u32) {
    let mut done = 0;
    while done < size {
        let left = size - done;
        let step = 1 << left.min(if r.is_float() { 16 } else { 8 }).ilog2();
        cx.target.emit_store(cx.buf, r, at.base, at.disp + done as i32, step);
        done += step;
        if done < size {
            cx.target.emit_shift(cx.buf, r, step as u8 * 8, false);
        }
    }
}

/// Loads exactly `size` bytes into `r`; `t` is another register to use for odd sizes.
fn load_exactly<T: Target>(cx: &mut Stream<'_, T>, r: PReg, t: PReg, base: PReg, disp: i32, size: u32) {
    if size.is_power_of_two() {
        return cx.target.emit_load(cx.buf, r, base, disp, size);
    }
    // From the top down: each step shifts what is there and puts the next bytes below it.
    let mut at = size;
    let mut first = true;
    let mut steps = [0u32; 3];
    let mut n = 0;
    let mut left = size;
    while left > 0 {
        let step = 1 << left.min(8).ilog2();
        steps[n] = step;
        n += 1;
        left -= step;
    }
    for &step in steps[..n].iter().rev() {
        at -= step;
        if first {
            cx.target.emit_load(cx.buf, r, base, disp + at as i32, step);
            first = false;
        } else {
            cx.target.emit_shift(cx.buf, r, step as u8 * 8, true);
            cx.target.emit_load(cx.buf, t, base, disp + at as i32, step);
            cx.target.emit_or(cx.buf, r, t);
        }
    }
}

/// Copies bytes from `src + 0` to the outgoing arguments.
fn copy_out<T: Target>(
    cx: &mut Stream<'_, T>,
    src: (PReg, i32),
    to: FrameAddr,
    size: u64,
    i: Inst,
) -> Result<(), CompileError> {
    let Ok(size) = u32::try_from(size) else {
        return Err(CompileError::at(cx.f, i, "an argument is larger than 4 GiB"));
    };
    if size > 256 {
        return T::emit_block_copy(cx, src, to, size);
    }
    let t = cx.temp(false, None)?;
    let v = if size >= 16 { cx.temp(true, None).ok() } else { None };
    let mut done = 0;
    while done < size {
        let left = size - done;
        let (r, step) = match v {
            Some(v) if left >= 16 => (v, 16),
            _ => (t, 1 << left.min(8).ilog2()),
        };
        cx.target.emit_load(cx.buf, r, src.0, src.1 + done as i32, step);
        cx.target.emit_store(cx.buf, r, to.base, to.disp + done as i32, step);
        done += step;
    }
    cx.unpin(t);
    if let Some(v) = v {
        cx.unpin(v);
    }
    Ok(())
}

/// A base register and displacement for the memory that `v` is the address of.
fn address<T: Target>(cx: &mut Stream<'_, T>, v: Value) -> Result<(PReg, i32), CompileError> {
    if let ValueDef::Slot(s) = cx.f.value_def(v)
        && let Some(at) = cx.slot_addr(s, 0)
    {
        return Ok((at.base, at.disp));
    }
    Ok((cx.use_reg(v)?, 0))
}

/// Emits a call.
pub fn call<T: Target>(cx: &mut Stream<'_, T>, moves: &mut Moves, inst: Inst) -> Result<(), CompileError> {
    let f = cx.f;
    let call = f.calls[f.inst(inst).a as usize];
    let sig = &*f.sigs[call.sig.index()];
    let args = f.pool_values(call.args_start, call.args_len);
    if args.len() != sig.params.len() {
        return Err(CompileError::at(f, inst, "the call's arguments do not match its signature"));
    }
    let abi = &sig.abi;
    if let Some(what) = unsupported(abi) {
        return Err(CompileError::at(f, inst, what));
    }
    let must = call.tail == TailKind::Must;
    // First what may need registers of its own: stack arguments and aggregates, the latter by way of memory, since their
    // addresses may be in registers that the moves change.
    moves.clear();
    let mut receive = None;
    for (i, &v) in args.iter().enumerate() {
        let Some(arg) = abi.args.get(i) else {
            // The address that receives a C-level aggregate in pieces must outlive the call.
            if let PassMode::Direct(_) = abi.ret.mode {
                let at = cx.scratch_place(8)?;
                let r = cx.use_reg(v)?;
                cx.target.emit_frame_store(cx.buf, cx.units_kind(v), r, at);
                receive = Some(at);
            }
            continue;
        };
        pass_on_stack(cx, inst, sig, i, v, &arg.mode)?;
        if by_address(sig, i) {
            stage_aggregate(cx, moves, inst, v, arg.mode.pieces())?;
        }
        // There may be more addresses than registers.
        cx.unpin_all();
    }
    let mut extend: InlineVec<(PReg, Extension), 8> = InlineVec::new();
    for (i, &v) in args.iter().enumerate() {
        let pieces: &[Piece] = match abi.args.get(i).map(|a| &a.mode) {
            Some(PassMode::Direct(_)) if by_address(sig, i) => continue,
            Some(PassMode::Direct(p)) => p,
            Some(PassMode::Indirect { pointer, .. }) => std::slice::from_ref(pointer),
            Some(_) => continue,
            None => match &abi.ret.mode {
                PassMode::Indirect { pointer, .. } => std::slice::from_ref(pointer),
                _ => continue,
            },
        };
        for p in pieces {
            let Some(r) = p.reg() else { continue };
            let r = int_or_float(cx, inst, r)?;
            let kind = cx.units_kind(v);
            let part = part_of(kind, p);
            cx.expect(v, part, r);
            moves.add(MoveDst::Reg(r), source(cx, v, part), kind);
            if let Place::RegPlus { also, .. } = p.place {
                let also = int_or_float(cx, inst, also)?;
                cx.expect(v, part, also);
                moves.add(MoveDst::Reg(also), source(cx, v, part), kind);
            }
            if p.ext != Extension::None && !cx.target.is_extended(f, v, p.ext) {
                extend.push((r, p.ext));
            }
        }
    }
    // Where a callee keeps more than usual, argument registers among it, the moves to those change them all the same.
    let clobbers = set_of(abi) | !cx.target.registers().preserved;
    let callee = callee(cx, moves, &call, abi, clobbers)?;
    cx.save_across(clobbers)?;
    moves.emit(cx, 0)?;
    cx.note(Event::Met);
    for &(r, ext) in extend.iter() {
        apply(cx, r, ext);
    }
    if must {
        if abi.stack_arg_bytes > f.signature().abi.stack_arg_bytes
            || abi.callee_pop_bytes != f.signature().abi.callee_pop_bytes
        {
            return Err(CompileError::at(f, inst, "a musttail call needs more argument space than its caller has"));
        }
        // Arguments on the stack were put together in the outgoing area; they move up into our own.
        let mut done = 0;
        let t = cx.target.registers().entry_scratch;
        while done < abi.stack_arg_bytes {
            let from = cx.frame.outgoing_addr(done as i32);
            cx.target.emit_frame_load(cx.buf, PartKind::I64, t, from);
            let to = cx.frame.incoming(done as i32);
            cx.target.emit_frame_store(cx.buf, PartKind::I64, t, to);
            done += 8;
        }
        count_vectors(cx, abi);
        cx.emit_epilogue();
        let (buf, module) = (&mut *cx.buf, cx.module);
        cx.target.emit_call(buf, module, callee, true);
        return Ok(());
    }
    count_vectors(cx, abi);
    let (buf, module) = (&mut *cx.buf, cx.module);
    cx.target.emit_call(buf, module, callee, false);
    if abi.callee_pop_bytes > 0 {
        cx.target.emit_take_back(cx.buf, cx.frame, abi.callee_pop_bytes);
    }
    cx.note(Event::Clobber(clobbers));
    cx.forget_all(clobbers);
    cx.release();
    results(cx, moves, inst, sig, receive)
}

fn int_or_float<T: Target>(cx: &Stream<'_, T>, inst: Inst, r: gusset_abi::Reg) -> Result<PReg, CompileError> {
    PReg::from_abi(r).ok_or_else(|| CompileError::at(cx.f, inst, "an argument in an x87 register"))
}

/// Copies the pieces of the aggregate at `v` that travel in registers to places, from which `moves` take them.
fn stage_aggregate<T: Target>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    inst: Inst,
    v: Value,
    pieces: &[Piece],
) -> Result<(), CompileError> {
    for p in pieces {
        let Some(r) = p.reg() else { continue };
        let r = int_or_float(cx, inst, r)?;
        let (base, disp) = address(cx, v)?;
        let kind = match (r.is_float(), p.size > 8) {
            (true, true) => PartKind::V128,
            (true, false) => PartKind::F64,
            _ => PartKind::I64,
        };
        let at = cx.scratch_place(16)?;
        let (a, b) = (cx.temp(r.is_float(), None)?, cx.temp(false, None)?);
        load_exactly(cx, a, b, base, disp + p.offset as i32, p.size);
        cx.target.emit_frame_store(cx.buf, kind, a, at);
        cx.unpin(a);
        cx.unpin(b);
        moves.add(MoveDst::Reg(r), MoveSrc::Memory(at), kind);
    }
    Ok(())
}

fn count_vectors<T: Target>(cx: &mut Stream<'_, T>, abi: &FnAbi) {
    if let Some((r, n)) = abi.vector_count
        && let Some(r) = PReg::from_abi(r)
    {
        cx.target.emit_small(cx.buf, r, n as i32);
    }
}

fn apply<T: Target>(cx: &mut Stream<'_, T>, r: PReg, ext: Extension) {
    match ext {
        // Legalization makes the vectors that travel with wider lanes.
        Extension::None | Extension::Lanes { .. } => {}
        Extension::Zero { from, to } => cx.target.emit_extend(cx.buf, r, from, to, false),
        Extension::Sign { from, to } => cx.target.emit_extend(cx.buf, r, from, to, true),
    }
}

/// Puts the parts of an argument that travel on the stack into the outgoing area.
fn pass_on_stack<T: Target>(
    cx: &mut Stream<'_, T>,
    inst: Inst,
    sig: &SigData,
    i: usize,
    v: Value,
    mode: &PassMode,
) -> Result<(), CompileError> {
    match mode {
        PassMode::StackCopy { offset, size, .. } => {
            let src = address(cx, v)?;
            let to = cx.frame.outgoing_addr(*offset as i32);
            copy_out(cx, src, to, *size, inst)
        }
        PassMode::Direct(pieces) => {
            for p in pieces {
                let Place::Stack { offset } = p.place else { continue };
                let to = cx.frame.outgoing_addr(offset as i32);
                if by_address(sig, i) {
                    let (base, disp) = address(cx, v)?;
                    copy_out(cx, (base, disp + p.offset as i32), to, p.size as u64, inst)?;
                } else {
                    pass_scalar(cx, v, p, to)?;
                }
            }
            Ok(())
        }
        PassMode::Indirect { pointer: Piece { place: Place::Stack { offset }, .. }, .. } => {
            let r = cx.use_reg(v)?;
            let to = cx.frame.outgoing_addr(*offset as i32);
            cx.target.emit_frame_store(cx.buf, cx.units_kind(v), r, to);
            cx.unpin(r);
            Ok(())
        }
        PassMode::InBlock { .. } => {
            Err(CompileError::at(cx.f, inst, "argument blocks are not supported by this target"))
        }
        _ => Ok(()),
    }
}

fn pass_scalar<T: Target>(cx: &mut Stream<'_, T>, v: Value, p: &Piece, to: FrameAddr) -> Result<(), CompileError> {
    let kind = cx.units_kind(v);
    if kind == PartKind::Memory {
        let t = cx.temp(true, None)?;
        match cx.whereabouts(v, 0) {
            Where::Const(c) => cx.target.emit_memory_const(cx.buf, cx.f.value_type(v), c, t, to)?,
            _ => {
                let from = cx.memory_operand(v);
                cx.target.emit_frame_load(cx.buf, PartKind::V128, t, from);
                cx.target.emit_frame_store(cx.buf, PartKind::V128, t, to);
            }
        }
        cx.unpin(t);
        return Ok(());
    }
    let part = part_of(kind, p);
    let constant = matches!(cx.whereabouts(v, part), Where::Const(_) | Where::Slot(_));
    if (p.ext != Extension::None && !cx.target.is_extended(cx.f, v, p.ext)) || constant {
        let t = cx.temp(kind.is_float(), None)?;
        cx.copy_into(t, v, part)?;
        apply(cx, t, p.ext);
        cx.target.emit_frame_store(cx.buf, kind, t, to);
        cx.unpin(t);
    } else {
        // Many arguments may come by here: none keeps its register pinned.
        let r = cx.use_part(v, part)?;
        cx.target.emit_frame_store(cx.buf, kind, r, to);
        cx.unpin(r);
    }
    Ok(())
}

/// What a call goes to, as the target's emitter wants it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallTarget {
    /// A symbol of the module plus nothing.
    Symbol(crate::ir::SymbolId),
    /// A register.
    Reg(PReg),
}

fn callee<T: Target>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    call: &CallData,
    abi: &FnAbi,
    clobbers: u64,
) -> Result<CallTarget, CompileError> {
    let v = match call.callee {
        Callee::Symbol(s) => return Ok(CallTarget::Symbol(s)),
        Callee::Value(v) => v,
    };
    if let Some(ConstData::Symbol(s, 0)) = cx.f.constant(v) {
        return Ok(CallTarget::Symbol(s));
    }
    let src = source(cx, v, 0);
    if let MoveSrc::Reg(r) = src
        && clobbers & r.mask() == 0
        && call.tail != TailKind::Must
    {
        cx.expect(v, 0, r);
        return Ok(CallTarget::Reg(r));
    }
    let file = cx.target.registers();
    // Some conventions pass arguments in the register that is otherwise for this.
    let free = clobbers & !argument_registers(abi) & !file.frame_pointer.mask();
    let usual = Some(file.call_register).filter(|r| free & r.mask() != 0);
    let other = || file.local_order.iter().copied().find(|r| !r.is_float() && free & r.mask() != 0);
    let r = usual.or_else(other).ok_or_else(|| CompileError::out_of_registers(cx.f))?;
    cx.expect(v, 0, r);
    moves.add(MoveDst::Reg(r), src, cx.units_kind(v));
    Ok(CallTarget::Reg(r))
}

/// Binds the results of a call.
fn results<T: Target>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    inst: Inst,
    sig: &SigData,
    receive: Option<FrameAddr>,
) -> Result<(), CompileError> {
    let f = cx.f;
    let pieces = sig.abi.ret.mode.pieces();
    if let Some(at) = receive {
        let base = cx.target.registers().call_register;
        cx.target.emit_frame_load(cx.buf, PartKind::I64, base, at);
        for p in pieces {
            match p.reg() {
                Some(r) => match PReg::from_abi(r) {
                    Some(r) => {
                        let to = FrameAddr { base, disp: p.offset as i32 };
                        store_exactly(cx, r, to, p.size);
                    }
                    None => cx.target.emit_x87_store(cx.buf, FrameAddr { base, disp: p.offset as i32 }, p.size),
                },
                None => return Err(CompileError::at(f, inst, "a result on the stack")),
            }
        }
        return Ok(());
    }
    let first = f.result(inst);
    let n = f.result_count(inst);
    moves.clear();
    for p in pieces {
        if p.scalar as u32 >= n {
            continue;
        }
        let v = Value(first.0 + p.scalar as u32);
        let kind = cx.units_kind(v);
        let Some(r) = p.reg() else { return Err(CompileError::at(f, inst, "a result on the stack")) };
        let Some(r) = PReg::from_abi(r) else {
            // x87 results come off the stack in order, wanted or not. A `float` or `double` there (LLVM's third and fourth
            // of an aggregate) goes on through memory.
            if kind == PartKind::Memory {
                let at = cx.def_memory(v)?;
                cx.target.emit_x87_store(cx.buf, at, 16);
            } else {
                let at = cx.scratch_place(8)?;
                cx.target.emit_x87_store(cx.buf, at, kind.bytes());
                if cx.live.count(v) != 0 {
                    let dst = cx.home(v, 0)?;
                    arrives(cx, v, 0, at);
                    moves.add(dst, MoveSrc::Memory(at), kind);
                }
            }
            continue;
        };
        if cx.live.count(v) == 0 {
            continue;
        }
        if f.value_type(v) == crate::ir::Type::I1 && !matches!(p.assume, Extension::Zero { .. }) {
            cx.target.emit_extend(cx.buf, r, 1, 8, false);
        }
        let part = scalar_part(pieces, p);
        if n == 1 && pieces.len() == 1 {
            cx.pin(r);
            return cx.set(v, part, r);
        }
        let dst = cx.home(v, part)?;
        arrives(cx, v, part, r);
        moves.add(dst, MoveSrc::Reg(r), kind);
    }
    if moves.is_empty() && n == 0 {
        return Ok(());
    }
    // Only the vector register that is never allocated is free for sure: results may be in any other.
    let file = cx.target.registers();
    let scratch = file.edge_scratch & !file.allocatable;
    moves.emit(cx, scratch)?;
    for p in pieces {
        if p.scalar as u32 >= n {
            continue;
        }
        let v = Value(first.0 + p.scalar as u32);
        if cx.units_kind(v) != PartKind::Memory && cx.live.count(v) != 0 {
            cx.arrive(v, scalar_part(pieces, p));
        }
    }
    Ok(())
}

/// Which part of its scalar a result's piece is: pieces of one scalar follow each other.
fn scalar_part(pieces: &[Piece], p: &Piece) -> u8 {
    let first = pieces.iter().find(|q| q.scalar == p.scalar).map_or(0, |q| q.offset);
    u8::from(p.offset != first)
}

/// Emits a return.
pub fn leave<T: Target>(cx: &mut Stream<'_, T>, moves: &mut Moves, inst: Inst) -> Result<(), CompileError> {
    let f = cx.f;
    let d = *f.inst(inst);
    let sig = f.signature();
    let values = f.pool_values(d.a, d.b);
    if inst.0 > 0 && is_must_tail(cx, inst) {
        return Ok(());
    }
    moves.clear();
    let mut extend: InlineVec<(PReg, Extension), 4> = InlineVec::new();
    if sig.aggregate_result {
        let Some(&v) = f.layout.first().and_then(|&b| f.params(b).last()) else {
            return Err(CompileError::at(f, inst, "an aggregate result without its address"));
        };
        match &sig.abi.ret.mode {
            PassMode::Direct(pieces) => {
                // x87 results are pushed from the last to the first.
                for p in pieces.iter().rev().filter(|p| p.reg().and_then(PReg::from_abi).is_none()) {
                    let (base, disp) = address(cx, v)?;
                    cx.target.emit_x87_load(cx.buf, FrameAddr { base, disp: disp + p.offset as i32 }, p.size);
                }
                let mut rest = pieces.clone();
                rest.clear();
                pieces.iter().filter(|p| p.reg().and_then(PReg::from_abi).is_some()).for_each(|&p| rest.push(p));
                stage_aggregate(cx, moves, inst, v, &rest)?;
            }
            PassMode::Indirect { .. } => {
                if let Some(r) = sig.abi.sret_return_reg.and_then(PReg::from_abi) {
                    cx.expect(v, 0, r);
                    moves.add(MoveDst::Reg(r), source(cx, v, 0), cx.units_kind(v));
                }
            }
            _ => {}
        }
    }
    let pieces = sig.abi.ret.mode.pieces();
    if !sig.aggregate_result {
        // x87 results are pushed from the last to the first.
        for p in pieces.iter().rev() {
            let Some(&v) = values.get(p.scalar as usize) else { continue };
            match p.reg().and_then(PReg::from_abi) {
                Some(r) => {
                    let kind = cx.units_kind(v);
                    if let Some(i) = cx.deferred(v) {
                        cx.emit_deferred(i)?;
                    }
                    let part = scalar_part(pieces, p);
                    cx.expect(v, part, r);
                    moves.add(MoveDst::Reg(r), source(cx, v, part), kind);
                    if p.ext != Extension::None && !cx.target.is_extended(f, v, p.ext) {
                        extend.push((r, p.ext));
                    }
                }
                None if cx.units_kind(v) != PartKind::Memory => {
                    let kind = cx.units_kind(v);
                    let at = cx.scratch_place(8)?;
                    let r = cx.use_reg(v)?;
                    cx.target.emit_frame_store(cx.buf, kind, r, at);
                    cx.target.emit_x87_load(cx.buf, at, kind.bytes());
                }
                None => match cx.whereabouts(v, 0) {
                    Where::Const(c) => {
                        let at = cx.scratch_place(16)?;
                        let t = cx.temp(true, None)?;
                        cx.target.emit_memory_const(cx.buf, f.value_type(v), c, t, at)?;
                        cx.target.emit_x87_load(cx.buf, at, 16);
                    }
                    _ => {
                        let at = cx.memory_operand(v);
                        cx.target.emit_x87_load(cx.buf, at, 16);
                    }
                },
            }
        }
    }
    if let (Some(p), Some(r)) = (sig.abi.sret_param, sig.abi.sret_return_reg.and_then(PReg::from_abi)) {
        let v = f.layout.first().and_then(|&b| f.params(b).get(p as usize).copied());
        if let Some(v) = v {
            cx.expect(v, 0, r);
            moves.add(MoveDst::Reg(r), source(cx, v, 0), cx.units_kind(v));
        }
    }
    moves.emit(cx, 0)?;
    cx.note(Event::Met);
    for &(r, ext) in extend.iter() {
        apply(cx, r, ext);
    }
    cx.emit_epilogue();
    cx.target.emit_return(cx.buf, cx.frame, sig.abi.callee_pop_bytes);
    Ok(())
}

/// Does the return follow a call that has become a jump already?
fn is_must_tail<T: Target>(cx: &Stream<'_, T>, ret: Inst) -> bool {
    let prev = cx.f.inst(Inst(ret.0 - 1));
    prev.op == Opcode::Call && cx.f.calls[prev.a as usize].tail == TailKind::Must
}

/// Emits `va_start`.
pub fn va_start<T: Target>(cx: &mut Stream<'_, T>, inst: Inst) -> Result<(), CompileError> {
    let f = cx.f;
    let list = Value(f.inst(inst).a);
    let Some(area) = f.signature().abi.variadic.as_ref() else {
        return Err(CompileError::at(f, inst, "va_start in a function without variable arguments"));
    };
    let (base, disp) = address(cx, list)?;
    let t = cx.temp(false, None)?;
    for field in &area.fields {
        match field.init {
            VaInit::Const(n) => cx.target.emit_small(cx.buf, t, n),
            VaInit::StackArgs { offset } => {
                let at = cx.frame.incoming(offset as i32);
                cx.target.emit_frame_address(cx.buf, t, at, 0, false);
            }
            VaInit::SaveArea { offset } => {
                let Some(at) = cx.save_area else {
                    return Err(CompileError::at(f, inst, "va_start without a register save area"));
                };
                cx.target.emit_frame_address(cx.buf, t, shift(at, offset as i32), 0, false);
            }
        }
        cx.target.emit_store(cx.buf, t, base, disp + field.offset as i32, field.size);
    }
    Ok(())
}

/// Emits a call of a run-time helper whose operands travel in registers: parts of values in, parts of one result out.
/// `clobbers` are the registers it changes; `emit` appends the call instruction. Operands that were left to the current
/// instruction are emitted first.
pub fn helper<T: Target>(
    cx: &mut Stream<'_, T>,
    args: &[(PReg, Value, u8)],
    clobbers: u64,
    emit: impl FnOnce(&mut CodeBuffer),
    result: Option<(Value, &[PReg])>,
) -> Result<(), CompileError> {
    for &(_, v, _) in args {
        if let Some(i) = cx.deferred(v) {
            cx.emit_deferred(i)?;
        }
    }
    let mut moves = std::mem::take(&mut cx.scratch.helper_moves);
    moves.clear();
    for &(r, v, part) in args {
        let kind = cx.units_kind(v);
        cx.expect(v, part, r);
        moves.add(MoveDst::Reg(r), source(cx, v, part), kind);
    }
    cx.save_across(clobbers)?;
    moves.emit(cx, 0)?;
    cx.note(Event::Met);
    cx.scratch.helper_moves = moves;
    emit(cx.buf);
    cx.note(Event::Clobber(clobbers));
    cx.forget_all(clobbers);
    cx.release();
    let Some((v, regs)) = result else { return Ok(()) };
    regs.iter().for_each(|&r| cx.pin(r));
    for (part, &r) in regs.iter().enumerate() {
        cx.set(v, part as u8, r)?;
    }
    Ok(())
}
