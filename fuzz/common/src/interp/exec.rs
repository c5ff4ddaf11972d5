//! Blocks, instructions and memory accesses.

use std::collections::BTreeSet;

use gusset_abi::PassMode;

use gusset_codegen::ir::{
    CallData, Callee, Edge, FloatCc, Function, Inst, InstData, IntCc, MemFlags, Opcode, RmwOp, Slot, StackMapEntry,
    StackMapId, SwitchId, TailKind, Type, Value,
};
use gusset_codegen::libcall::LibCall;

use super::{Frame, Interpreter, Stop, Val, address, scalar, soft, vector};

/// How far the runner's collector moves references.
const MOVE: u128 = 0x1010;

impl<'a> Interpreter<'a> {
    pub(super) fn blocks(&mut self, mut frame: Frame<'a>, args: Vec<Val>) -> Result<Vec<Val>, Stop> {
        let f = frame.f;
        let mut block = f.layout[0];
        let mut incoming = args;
        // The exception, and the selector, on the way to a pad.
        let mut landed = None;
        loop {
            for (&p, x) in f.params(block).iter().zip(incoming) {
                frame.set(p, x);
            }
            let edge = 'block: {
                for i in f.block_insts(block) {
                    self.steps = self.steps.checked_sub(1).ok_or(Stop::Limit)?;
                    let d = *f.inst(i);
                    match d.op {
                        Opcode::Return => {
                            return f.pool_values(d.a, d.b).iter().map(|&v| self.value(&frame, v)).collect();
                        }
                        Opcode::Unreachable => return Err(Stop::Undefined("`unreachable` is reached".into())),
                        Opcode::Resume => return Err(Stop::Raised(address(&self.operand(&frame, d.a)?)?)),
                        Opcode::CatchSwitch | Opcode::CatchRet | Opcode::CleanupRet => {
                            let (edge, exception) = self.between_funclets(&mut frame, &d, landed.take())?;
                            landed = exception.map(|exception| (exception, 0));
                            break 'block edge;
                        }
                        op if op.is_terminator() => break 'block self.branch(&frame, &d)?,
                        Opcode::Call => match self.call_site(&mut frame, i, &d) {
                            Err(Stop::Raised(exception)) => {
                                let Some((edge, selector)) = self.landing(&mut frame, i, exception)? else {
                                    return Err(Stop::Raised(exception));
                                };
                                landed = Some((exception, selector));
                                break 'block edge;
                            }
                            done => done?,
                        },
                        Opcode::LandingPad | Opcode::CatchPad | Opcode::CleanupPad => {
                            self.begin_pad(&mut frame, (block, i), landed.take())?;
                        }
                        _ => self.instruction(&mut frame, i, &d)?,
                    }
                }
                return Err(Stop::Undefined(format!("{block} has no terminator")));
            };
            incoming = f.edge_args(edge).iter().map(|&v| self.value(&frame, v)).collect::<Result<_, _>>()?;
            block = f.edge_to(edge);
        }
    }

    fn branch(&self, frame: &Frame<'_>, d: &InstData) -> Result<Edge, Stop> {
        let f = frame.f;
        if matches!(d.op, Opcode::Jump | Opcode::Invoke | Opcode::ScopeBegin | Opcode::ScopeEnd) {
            return Ok(Edge(d.a));
        }
        let Some(on) = self.operand(frame, d.a)?.bits() else {
            return Err(Stop::Undefined("a branch on no definite value".into()));
        };
        match d.op {
            Opcode::Br => Ok(Edge(if on != 0 { d.b } else { d.c })),
            Opcode::Switch => {
                let s = SwitchId(d.b);
                let found = f.switch_cases(s).find(|&(c, _)| f.int_constant(f.resolve(c)) == Some(on));
                Ok(found.map_or(f.switches[s.index()].default, |(_, e)| e))
            }
            _ => {
                let symbol = self.by_address.get(&(on as u64));
                let to = f.block_symbols.iter().find(|&(_, s)| Some(s) == symbol).map(|&(b, _)| b);
                let edge = f.pool_edges(d.b, d.c).find(|&e| Some(f.edge_to(e)) == to);
                edge.ok_or_else(|| Stop::Undefined("an indirect branch to no block of its list".into()))
            }
        }
    }

    fn instruction(&mut self, frame: &mut Frame<'a>, i: Inst, d: &InstData) -> Result<(), Stop> {
        use Opcode::*;
        let ty = d.ty;
        if matches!(d.op, Load | Store) && MemFlags(d.flags).space() != 0 {
            return Err(Stop::Unsupported("memory relative to a segment register".into()));
        }
        let result = match d.op {
            Nop | Fence | Prefetch | Barrier | DebugTrap | StackRestore | StackLevel => return Ok(()),
            EntrySp | FrameAddr | ReturnAddr | ReadCycles => Val::any(ty),
            Trap | FailFast => return Err(Stop::Undefined("`trap` is reached".into())),
            Load => {
                let at = address(&self.operand(frame, d.a)?)?.wrapping_add_signed(d.b as i32 as i64);
                self.load(ty, at)?
            }
            AtomicLoad => self.load(ty, address(&self.operand(frame, d.a)?)?)?,
            Store | AtomicStore => {
                let offset = if d.op == Store { d.c as i32 as i64 } else { 0 };
                let at = address(&self.operand(frame, d.a)?)?.wrapping_add_signed(offset);
                let x = self.operand(frame, d.b)?;
                return self.store(ty, at, &x);
            }
            AtomicRmw => {
                let at = address(&self.operand(frame, d.a)?)?;
                let old = self.load(ty, at)?;
                let new = match (old.bits(), self.operand(frame, d.b)?.bits()) {
                    (Some(a), Some(b)) => Val::of(rmw(d.flags, ty, a, b)?),
                    _ => Val::any(ty),
                };
                self.store(ty, at, &new)?;
                old
            }
            Cmpxchg => {
                let at = address(&self.operand(frame, d.a)?)?;
                let old = self.load(ty, at)?;
                let (Some(a), Some(b)) = (old.bits(), self.operand(frame, d.b)?.bits()) else {
                    return Err(Stop::Undefined("a comparison with no definite value decides on a store".into()));
                };
                if a == b {
                    let new = self.operand(frame, d.c)?;
                    self.store(ty, at, &new)?;
                }
                let v = frame.f.result(i);
                frame.set(Value(v.0 + 1), Val::of((a == b) as u128));
                old
            }
            Memcpy | Memmove => {
                let n = address(&self.operand(frame, d.c)?)?;
                let (to, from) = (address(&self.operand(frame, d.a)?)?, address(&self.operand(frame, d.b)?)?);
                if d.op == Memcpy && to != from && to < from.saturating_add(n) && from < to.saturating_add(n) {
                    return Err(Stop::Undefined("a copy to itself".into()));
                }
                let bytes = self.memory.read(from, n)?;
                return self.memory.write(to, &bytes);
            }
            Memset => {
                let (to, n) = (address(&self.operand(frame, d.a)?)?, address(&self.operand(frame, d.c)?)?);
                if n > 1 << 24 {
                    return Err(Stop::Limit);
                }
                let byte = self.operand(frame, d.b)?.bits().map(|b| b as u8);
                return self.memory.write(to, &vec![byte; n as usize]);
            }
            StackAlloc => {
                let n = address(&self.operand(frame, d.a)?)?;
                Val::of(self.memory.push(n, d.b as u64)? as u128)
            }
            BlockOpen => Val::of(self.memory.push(d.a as u64, d.b as u64)? as u128),
            StackSave => Val::any(ty),
            VaStart => {
                // What is in it is the target's: code that looks into it has no meaning here.
                let at = address(&self.operand(frame, d.a)?)?;
                let bytes = frame.f.signature().abi.variadic.as_ref().map_or(0, |v| v.va_list_size);
                return self.memory.write(at, &vec![None; bytes as usize]);
            }
            Index => {
                let (a, b) = (self.operand(frame, d.a)?.bits(), self.operand(frame, d.b)?.bits());
                let scaled = b.map(|b| b.wrapping_mul(d.c as i32 as i128 as u128));
                let sum = a.zip(scaled).map(|(a, b)| a.wrapping_add(b) & scalar::mask(ty.bits()));
                Val::Scalar(sum)
            }
            Freeze | Opaque => self.operand(frame, d.a)?,
            Select => self.select(frame, d)?,
            Bitcast => {
                let from = frame.ty(d.a);
                vector::bitcast(&self.operand(frame, d.a)?, from, ty)
            }
            UaddOv | SaddOv | UsubOv | SsubOv | UmulOv | SmulOv => {
                let (a, b) = (self.operand(frame, d.a)?, self.operand(frame, d.b)?);
                let (mut values, mut flags) = (Vec::new(), Vec::new());
                for (&a, &b) in a.lanes().iter().zip(b.lanes()) {
                    let r = match a.zip(b) {
                        Some((a, b)) => Some(scalar::overflow(d.op, ty.lane_bits(), a, b)?),
                        None => None,
                    };
                    values.push(r.map(|r| r.0));
                    flags.push(r.map(|r| r.1 as u128));
                }
                let v = frame.f.result(i);
                frame.set(Value(v.0 + 1), Val::from_lanes(ty, flags));
                Val::from_lanes(ty, values)
            }
            IaddCarry | IsubBorrow | IcmpUpper | UmulWide | SmulWide | Iconcat | Isplit => self.words(frame, i, d)?,
            ExtractLane | InsertLane | Shuffle | Splat | Reduce => {
                let a = self.operand(frame, d.a)?;
                match d.op {
                    Splat => Val::Vector(vec![a.bits(); ty.lanes() as usize]),
                    ExtractLane => vector::extract(&a, &self.operand(frame, d.b)?),
                    InsertLane => vector::insert(&a, &self.operand(frame, d.b)?, &self.operand(frame, d.c)?),
                    Shuffle => {
                        let mask = &frame.f.pool[d.c as usize..(d.c + ty.lanes()) as usize];
                        vector::shuffle(&a, &self.operand(frame, d.b)?, mask)
                    }
                    _ => vector::reduce(d.flags, ty, &a, &self.operand(frame, d.b)?)?,
                }
            }
            op if lanewise(op) => self.lanes(frame, i, d)?,
            op => return Err(Stop::Unsupported(op.name().into())),
        };
        frame.result(i, result);
        Ok(())
    }

    /// What is done with words of wider integers.
    fn words(&self, frame: &mut Frame<'_>, i: Inst, d: &InstData) -> Result<Val, Stop> {
        use Opcode::*;
        let mut words = [0; 3];
        for (word, &v) in words.iter_mut().zip(&[d.a, d.b, d.c][..d.op.arity()]) {
            let Some(bits) = self.operand(frame, v)?.bits() else {
                let second = Value(frame.f.result(i).0 + 1);
                if d.op.result_count() == Some(2) {
                    frame.set(second, Val::any(d.ty));
                }
                return Ok(Val::any(d.ty));
            };
            *word = bits;
        }
        let ([a, b, c], bits) = (words, d.ty.bits());
        let two = |n: u128| (n & scalar::mask(bits), n >> bits & scalar::mask(bits));
        let (low, high) = match d.op {
            IaddCarry => (a.wrapping_add(b).wrapping_add(c) & scalar::mask(bits), 0),
            IsubBorrow => (a.wrapping_sub(b).wrapping_sub(c) & scalar::mask(bits), 0),
            IcmpUpper if a == b => (c, 0),
            IcmpUpper => {
                let less =
                    if d.flags >= IntCc::Slt as u8 { scalar::signed(a, bits) < scalar::signed(b, bits) } else { a < b };
                let holds = match IntCc::from_u8(d.flags) {
                    Some(IntCc::Eq) => false,
                    Some(IntCc::Ne) => true,
                    Some(IntCc::Ult | IntCc::Slt) => less,
                    _ => !less,
                };
                (holds.into(), 0)
            }
            UmulWide => two(a.wrapping_mul(b)),
            SmulWide => two(scalar::signed(a, bits).wrapping_mul(scalar::signed(b, bits)) as u128),
            Iconcat => (a | b << (bits / 2), 0),
            _ => two(a),
        };
        if d.op.result_count() == Some(2) {
            frame.set(Value(frame.f.result(i).0 + 1), Val::of(high));
        }
        Ok(Val::of(low))
    }

    fn select(&self, frame: &Frame<'_>, d: &InstData) -> Result<Val, Stop> {
        let cond = self.operand(frame, d.a)?;
        let pick = |c: Option<u128>| c.map(|c| if c != 0 { d.b } else { d.c });
        match &cond {
            Val::Scalar(c) => pick(*c).map_or(Ok(Val::any(d.ty)), |w| self.operand(frame, w)),
            Val::Vector(cs) => {
                let (a, b) = (self.operand(frame, d.b)?, self.operand(frame, d.c)?);
                let lane = |(k, c): (usize, &Option<u128>)| c.and_then(|c| if c != 0 { &a } else { &b }.lanes()[k]);
                Ok(Val::Vector(cs.iter().enumerate().map(lane).collect()))
            }
        }
    }

    /// An operation done lane by lane, with one result.
    fn lanes(&self, frame: &Frame<'_>, i: Inst, d: &InstData) -> Result<Val, Stop> {
        use Opcode::*;
        let unary = matches!(d.op.format(), gusset_codegen::ir::Format::Unary);
        let ternary = matches!(d.op.format(), gusset_codegen::ir::Format::Ternary);
        let a = self.operand(frame, d.a)?;
        let b = if unary { a.clone() } else { self.operand(frame, d.b)? };
        let c = if ternary { self.operand(frame, d.c)? } else { a.clone() };
        let from = frame.ty(d.a).lane();
        let (lane, bits) = (d.ty.lane(), d.ty.lane_bits());
        let result = frame.f.value_type(frame.f.result(i));
        let mut out = Vec::with_capacity(a.lanes().len());
        for k in 0..a.lanes().len() {
            let (Some(a), Some(b), Some(c)) = (a.lanes()[k], b.lanes()[k], c.lanes()[k]) else {
                if matches!(d.op, Udiv | Sdiv | Urem | Srem) && b.lanes()[k].is_none() {
                    return Err(Stop::Undefined("a division by no definite value".into()));
                }
                out.push(None);
                continue;
            };
            // Comparisons of vectors may give whole lanes of ones.
            let truth = |x: bool| Some(if x { scalar::mask(result.lane_bits()) } else { 0 });
            out.push(match d.op {
                Icmp => match IntCc::from_u8(d.flags) {
                    Some(cc) => truth(scalar::compare(cc, bits, a, b)),
                    None => return Err(Stop::Unsupported("the condition".into())),
                },
                Fcmp => match FloatCc::from_u8(d.flags) {
                    Some(cc) => match soft::compare(cc, lane, a, b) {
                        Some(holds) => truth(holds),
                        None => return Err(Stop::Unsupported(format!("comparison of {lane}"))),
                    },
                    None => return Err(Stop::Unsupported("the condition".into())),
                },
                Fshl | Fshr => Some(scalar::funnel(d.op == Fshl, bits, a, b, c)),
                Ctlz | Cttz if d.flags != 0 && a & (u128::MAX >> (128 - bits)) == 0 => None,
                Ctlz | Cttz | Ctpop | Bswap | Bitreverse | Iabs => Some(scalar::unary(d.op, bits, a)?),
                op if (Trunc..=Uitofp).contains(&op) => scalar::convert(op, from, lane, a)?,
                op if (Fadd..=Froundeven).contains(&op) => Some(scalar::float_op(op, lane, a, b, c)?),
                op => scalar::binary(op, bits, a, b)?,
            });
        }
        Ok(Val::from_lanes(result, out))
    }

    fn call_site(&mut self, frame: &mut Frame<'a>, i: Inst, d: &InstData) -> Result<(), Stop> {
        let f: &'a Function = frame.f;
        let call = f.calls[d.a as usize];
        if f.exceptions.has_funclets() && call.within != frame.funclets.last().map(|&(pad, _)| pad) {
            return Err(Stop::Undefined("a call is in another funclet than it says".into()));
        }
        let symbol = match call.callee {
            Callee::Symbol(s) => s,
            Callee::Value(v) => match self.by_address.get(&address(&self.value(frame, v)?)?) {
                Some(&s) => s,
                None => return Err(Stop::Undefined("a call of an address where no function is".into())),
            },
            Callee::Library(lib) => {
                let args = f.pool_values(call.args_start, call.args_len);
                let args = args.iter().map(|&v| Ok((f.value_type(v), self.value(frame, v)?)));
                let mut args = args.collect::<Result<Vec<(Type, Val)>, Stop>>()?;
                let by_address = f.sigs[call.sig.index()].aggregate_result;
                let to = if by_address { args.pop().map(|arg| arg.1) } else { None };
                let types: Vec<Type> = f.results(i).map(|v| f.value_type(v)).collect();
                if lib == LibCall::CxaEndCleanup {
                    return Err(Stop::Raised(frame.landed));
                }
                let results = self.run_time(lib, &args, &types, to)?;
                f.results(i).zip(results).for_each(|(v, x)| frame.set(v, x));
                return Ok(());
            }
        };
        let args: Vec<Val> = f
            .pool_values(call.args_start, call.args_len)
            .iter()
            .map(|&v| self.value(frame, v))
            .collect::<Result<_, _>>()?;
        let results = self.call(symbol, &args)?;
        if call.stack_map.is_some() && self.is_collector(symbol) {
            self.collect(frame, call.stack_map)?;
        }
        if call.tail != TailKind::Must {
            self.forget_block(f, &call, &args)?;
        }
        for (v, x) in f.results(i).zip(results) {
            frame.set(v, x);
        }
        Ok(())
    }

    /// Moves the references of a function, as the runner's collector does. Those that do not live may be moved, too. Passes put those that
    /// live into slots, which the stack map lists then.
    fn collect(&mut self, frame: &mut Frame<'a>, map: Option<StackMapId>) -> Result<(), Stop> {
        let f = frame.f;
        let moved: BTreeSet<Value> = f.references.iter().map(|reference| f.resolve(reference.value)).collect();
        for v in moved {
            if let Some(Val::Scalar(Some(bits))) = &mut frame.values[v.index()] {
                *bits = bits.wrapping_add(MOVE) & scalar::mask(f.value_type(v).bits());
            }
        }
        let entries = map.map_or(&[][..], |map| &f.stack_maps[map.index()].entries);
        let slots = entries.iter().filter_map(|entry| match *entry {
            StackMapEntry::Contents { slot, .. } if f.references.is_empty() => Some(slot),
            _ => None,
        });
        let ty = f.signature().pointer();
        for slot in slots.collect::<BTreeSet<Slot>>() {
            let at = frame.slots[slot.index()];
            if let Some(bits) = self.load(ty, at)?.bits() {
                self.store(ty, at, &Val::of(bits.wrapping_add(MOVE) & scalar::mask(ty.bits())))?;
            }
        }
        Ok(())
    }

    /// What was in the argument block of a call has no meaning after it.
    fn forget_block(&mut self, f: &Function, call: &CallData, args: &[Val]) -> Result<(), Stop> {
        for (arg, v) in f.sigs[call.sig.index()].abi.args.iter().zip(args) {
            if let PassMode::InBlock { size, indirect, .. } = arg.mode {
                let size = if indirect { 4 } else { size };
                self.memory.write(address(v)?, &vec![None; size as usize])?;
            }
        }
        Ok(())
    }

    pub(super) fn load(&mut self, ty: Type, at: u64) -> Result<Val, Stop> {
        let bytes = self.memory.read(at, ty.store_bytes() as u64)?;
        Ok(vector::from_bytes(ty, &bytes))
    }

    pub(super) fn store(&mut self, ty: Type, at: u64, x: &Val) -> Result<(), Stop> {
        self.memory.write(at, &vector::to_bytes(ty, x))
    }
}

/// Is it done to each lane by itself?
fn lanewise(op: Opcode) -> bool {
    (Opcode::Iadd..=Opcode::Froundeven).contains(&op)
        || (Opcode::Fcmp..=Opcode::Uitofp).contains(&op)
        || op == Opcode::Icmp
}

fn rmw(flags: u8, ty: Type, a: u128, b: u128) -> Result<u128, Stop> {
    use Opcode::*;
    let int = |op| scalar::binary(op, ty.bits(), a, b).map(|r| r.unwrap_or(0));
    let float = |op| scalar::float_op(op, ty, a, b, 0);
    let Some(op) = RmwOp::from_u8(flags) else { return Err(Stop::Unsupported("the operation".into())) };
    match op {
        RmwOp::Xchg => Ok(b),
        RmwOp::Add => int(Iadd),
        RmwOp::Sub => int(Isub),
        RmwOp::And => int(And),
        RmwOp::Nand => Ok(!(a & b) & scalar::mask(ty.bits())),
        RmwOp::Or => int(Or),
        RmwOp::Xor => int(Xor),
        RmwOp::Max => int(Smax),
        RmwOp::Min => int(Smin),
        RmwOp::Umax => int(Umax),
        RmwOp::Umin => int(Umin),
        RmwOp::Fadd => float(Fadd),
        RmwOp::Fsub => float(Fsub),
        RmwOp::Fmax => float(Fmaxnum),
        RmwOp::Fmin => float(Fminnum),
        RmwOp::UincWrap => Ok(if a >= b { 0 } else { a + 1 }),
        RmwOp::UdecWrap => Ok(if a == 0 || a > b { b } else { a - 1 }),
    }
}
