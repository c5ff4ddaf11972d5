//! Exceptions, as personality routines have them: a plain one for landing pads, and that of Microsoft's C++ for funclets.
//!
//! `fuzz_throw` makes an exception, whose first word is the address of its type's symbol, with an object after it that holds a number:
//! twice, of which a handler's copy has as many bytes as the type. Of landing pads a `catch` takes exceptions of its type, a `filter`
//! those of no type of its list, and `fuzz_caught` gives the number and ends the exception. A handler that is a funclet takes those of its
//! type; they end when the last handler that has them does.

use gusset_codegen::ir::{
    Block, Clause, Edge, Function, Inst, InstData, Opcode, Pad, PadKind, Personality, SymbolId, Type, Value,
};

use super::{Frame, Interpreter, Stop, Val, address};

/// Descriptors of types that are thrown where handlers are funclets, and the bytes of such objects.
pub(crate) const THROWN: [(&str, u64); 3] = [("fuzz_type_int", 4), ("fuzz_type_char", 1), ("fuzz_type_double", 8)];
/// Bytes of an exception's object, whatever its type.
const OBJECT: usize = 8;
/// The adjective of handlers that get the object's address.
const BY_REFERENCE: u32 = 8;

fn undefined<T>(why: &str) -> Result<T, Stop> {
    Err(Stop::Undefined(why.into()))
}

impl<'a> Interpreter<'a> {
    /// Throws a number as an exception of a type.
    pub(super) fn throw(&mut self, ty: &Val, number: &Val) -> Result<Vec<Val>, Stop> {
        let (mut bytes, pointer) = (address(ty)?.to_le_bytes().to_vec(), self.pointer_bytes as usize);
        let Some(number) = number.bits() else {
            return Err(Stop::Unsupported("an exception of no definite value".into()));
        };
        bytes.truncate(pointer);
        let number = (number as u32).to_le_bytes();
        bytes.extend(number.iter().cycle().take(OBJECT));
        let at = self.memory.reserve(bytes.len() as u64, 16);
        self.memory.map(at, bytes, false);
        Err(Stop::Raised(at))
    }

    /// `_CxxThrowException`: throws the exception again whose handler runs.
    pub(super) fn throw_again(&mut self, object: &Val, info: &Val) -> Result<Vec<Val>, Stop> {
        if (address(object)?, address(info)?) != (0, 0) {
            return Err(Stop::Unsupported("a description of an exception".into()));
        }
        match self.handled.last() {
            Some(&exception) => Err(Stop::Raised(exception)),
            None => undefined("an exception is thrown again, and none is handled"),
        }
    }

    /// The object of an exception.
    pub(super) fn object(&self, exception: u64) -> u64 {
        exception + u64::from(self.pointer_bytes)
    }

    /// Is an exception of the type of this symbol?
    fn is_of(&mut self, exception: u64, symbol: SymbolId) -> Result<bool, Stop> {
        let bytes = self.memory.read(exception, u64::from(self.pointer_bytes))?;
        let ty = bytes.iter().rev().try_fold(0u64, |n, b| b.map(|b| n << 8 | u64::from(b)));
        match ty {
            Some(ty) => Ok(self.addresses[symbol.index()] == ty),
            None => undefined("an exception without a type"),
        }
    }

    /// What an exception that leaves the call `i` finds: the edge that it goes on by, and the selector. `None`: it passes.
    pub(super) fn landing(
        &mut self,
        frame: &mut Frame<'a>,
        i: Inst,
        exception: u64,
    ) -> Result<Option<(Edge, i32)>, Stop> {
        let f = frame.f;
        if f.calls[f.inst(i).a as usize].nounwind {
            return undefined("an exception leaves a call that is said not to unwind");
        }
        let edge = f.unwind_edge(i);
        if f.exceptions.has_funclets() {
            self.leave(frame, edge, exception)?;
            return Ok(edge.map(|edge| (edge, 0)));
        }
        let Some(edge) = edge else { return Ok(None) };
        let all = &f.exceptions;
        let pad = pad_of(f, edge)?;
        for (k, &clause) in all.clauses(pad).iter().enumerate() {
            match clause {
                Clause::Catch(n) if self.is_number(f, exception, n)? => return Ok(Some((edge, n as i32))),
                Clause::Filter { start, len } => {
                    let mut listed = false;
                    for &n in all.filter(start, len) {
                        listed |= self.is_number(f, exception, n)?;
                    }
                    if !listed {
                        return Ok(Some((edge, -(k as i32) - 1)));
                    }
                }
                Clause::Catch(_) => {}
            }
        }
        Ok(all.is_cleanup(pad).then_some((edge, 0)))
    }

    /// Is an exception of the type with this number?
    fn is_number(&mut self, f: &Function, exception: u64, n: u32) -> Result<bool, Stop> {
        let known = (n as usize).checked_sub(1).and_then(|n| f.exceptions.types().get(n)).copied().flatten();
        known.map_or(Ok(true), |symbol| self.is_of(exception, symbol))
    }

    /// A pad begins, to which an exception has come with a selector.
    pub(super) fn begin_pad(
        &mut self,
        frame: &mut Frame<'a>,
        (block, i): (Block, Inst),
        landed: Option<(u64, i32)>,
    ) -> Result<(), Stop> {
        let f = frame.f;
        let d = *f.inst(i);
        let Some((exception, selector)) = landed else { return undefined("a pad without an exception") };
        if d.op == Opcode::LandingPad {
            let v = f.result(i);
            frame.landed = exception;
            frame.set(v, Val::of(exception.into()));
            frame.set(Value(v.0 + 1), Val::of((selector as u32).into()));
            return Ok(());
        }
        let routine = f.exceptions.personality.map(|symbol| Personality::of_name(&self.module.symbol(symbol).name));
        if routine != Some(Personality::Cxx) {
            return Err(Stop::Unsupported("funclets that are not of Microsoft's C++".into()));
        }
        let Some(pad) = f.pad(block) else { return undefined("a pad is not the first of its block") };
        frame.funclets.push((pad, exception));
        let PadKind::Catch { what, adjectives, .. } = f.exceptions.kind(pad) else { return Ok(()) };
        self.handled.push(exception);
        // The code is for handlers of `__except`.
        frame.result(i, Val::any(Type::I32));
        let to = address(&self.operand(frame, d.a)?)?;
        let Some(what) = what.filter(|_| to != 0) else { return Ok(()) };
        let object = self.object(exception);
        let bytes = if adjectives & BY_REFERENCE != 0 {
            object.to_le_bytes()[..self.pointer_bytes as usize].iter().map(|&b| Some(b)).collect()
        } else {
            let name = &self.module.symbol(what).name;
            let known = THROWN.iter().find(|thrown| thrown.0 == name);
            let Some(&(_, size)) = known else { return Err(Stop::Unsupported(format!("objects of type `{name}`"))) };
            self.memory.read(object, size)?
        };
        self.memory.write(to, &bytes)
    }

    /// Where control goes on after a switch or the end of a funclet, and the exception that it goes on with.
    pub(super) fn between_funclets(
        &mut self,
        frame: &mut Frame<'a>,
        d: &InstData,
        landed: Option<(u64, i32)>,
    ) -> Result<(Edge, Option<u64>), Stop> {
        let f = frame.f;
        let mut edges: Vec<Edge> = f.pool_edges(d.b, d.c).collect();
        if d.op == Opcode::CatchSwitch {
            let Some((exception, _)) = landed else { return undefined("a switch without an exception") };
            let unwind = if d.flags & 1 == 1 { edges.pop() } else { None };
            for edge in edges {
                let PadKind::Catch { what, .. } = f.exceptions.kind(pad_of(f, edge)?) else { continue };
                if what.map_or(Ok(true), |what| self.is_of(exception, what))? {
                    return Ok((edge, Some(exception)));
                }
            }
            return self.go_on(frame, unwind, exception);
        }
        let Some((_, exception)) = frame.funclets.pop().filter(|&(pad, _)| pad == Pad(d.a)) else {
            return undefined("a funclet ends that is not the innermost");
        };
        if d.op == Opcode::CleanupRet {
            return self.go_on(frame, edges.pop(), exception);
        }
        self.end_handled(None);
        match edges.pop() {
            Some(edge) => Ok((edge, None)),
            None => undefined("a handler leads nowhere"),
        }
    }

    /// Unwinding goes on by this edge, or out of the function.
    fn go_on(
        &mut self,
        frame: &mut Frame<'a>,
        edge: Option<Edge>,
        exception: u64,
    ) -> Result<(Edge, Option<u64>), Stop> {
        self.leave(frame, edge, exception)?;
        edge.map(|edge| (edge, Some(exception))).ok_or(Stop::Raised(exception))
    }

    /// An exception leaves the funclets that its edge does not lead into; without one it leaves the function.
    fn leave(&mut self, frame: &mut Frame<'a>, edge: Option<Edge>, exception: u64) -> Result<(), Stop> {
        let f = frame.f;
        let to = edge.map(|edge| pad_of(f, edge)).transpose()?;
        let around = to.and_then(|to| f.exceptions.parent(to));
        while let Some(&(pad, _)) = frame.funclets.last().filter(|&&(pad, _)| Some(pad) != around) {
            let PadKind::Catch { switch, .. } = f.exceptions.kind(pad) else {
                return undefined("an exception leaves a cleanup");
            };
            if unwind_of_switch(f, switch) != to {
                return undefined("an exception leaves a handler by another way than its switch");
            }
            frame.funclets.pop();
            self.end_handled(Some(exception));
        }
        if frame.funclets.last().map(|&(pad, _)| pad) != around {
            return undefined("unwinding goes into a funclet");
        }
        Ok(())
    }

    /// The innermost handler ends, by this exception or by itself, and with the last handler of an exception that.
    fn end_handled(&mut self, by: Option<u64>) {
        let Some(exception) = self.handled.pop() else { return };
        if by != Some(exception) && !self.handled.contains(&exception) {
            self.memory.unmap(exception);
        }
    }
}

/// The pad that an edge of unwinding leads to.
fn pad_of(f: &Function, edge: Edge) -> Result<Pad, Stop> {
    f.pad(f.edge_to(edge)).map_or_else(|| undefined("an exception comes to no pad"), Ok)
}

/// Where exceptions go on that no handler of a switch takes, if that is a pad.
fn unwind_of_switch(f: &Function, switch: Pad) -> Option<Pad> {
    let block = f.layout.iter().copied().find(|&b| f.pad(b) == Some(switch))?;
    let d = f.inst(f.terminator(block));
    let edge = f.pool_edges(d.b, d.c).last().filter(|_| d.flags & 1 == 1)?;
    f.pad(f.edge_to(edge))
}
