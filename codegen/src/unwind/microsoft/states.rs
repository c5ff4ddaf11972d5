//! States of a function with funclets: numbers that say, for each call, which handlers an exception of it meets and
//! which cleanups run when it leaves them. Microsoft's personality routines see a function as these states
//! (`docs/microsoft-exceptions.md`).
//!
//! Every cleanup is a state. Every `try` block of C++ is two states: one for its own part, and one for all its
//! handlers. A state leads to the state around it, which has a smaller number, so that the states of a block and of
//! everything in it are an interval. With `__try`, whose handlers are no funclets, every block is one state.
//!
//! The numbers only depend on the pads: the walk goes from the pads that unwind out of the function to those that
//! unwind to them, and into handlers. LLVM's numbers (`WinEHPrepare.cpp`) are the same except for the order of
//! neighbours.

use crate::error::{CompileError, Result};
use crate::ir::{Block, Edge, Function, Inst, Opcode, Pad, PadKind, Personality};

/// No state: outside of all.
pub const OUTSIDE: i32 = -1;
/// State of a pad that control never reaches.
const UNKNOWN: i32 = i32::MIN;

/// A state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// The state around this one, which has a smaller number; [`OUTSIDE`]: out of the function.
    pub to: i32,
    /// The cleanup that runs when the state is left; with `__try`, where each state has a pad, the cleanup or the
    /// handler.
    pub pad: Option<Pad>,
}

/// A `try` block of C++.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TryBlock {
    /// Its first state...
    pub low: i32,
    /// ...and its last.
    pub high: i32,
    /// The last state of its handlers; the first is the one after `high`.
    pub catch_high: i32,
    handlers: u32,
    count: u32,
}

/// Where an exception goes that leaves a funclet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Unknown: the code of the funclet never ends that way.
    Unsaid,
    Caller,
    To(Pad),
}

/// The states of a function. Empty for one without funclets.
#[derive(Clone, Debug, Default)]
pub struct States {
    list: Vec<State>,
    tries: Vec<TryBlock>,
    handlers: Vec<Pad>,
    /// For each `catchswitch` or cleanup: the state of a call whose exceptions come to it.
    pads: Vec<i32>,
    /// For each pad: the state of its funclet's own code; for a handler, that of all handlers of the block.
    bases: Vec<i32>,
    /// For each pad: the pad that exceptions leaving its funclet go to, if there is one.
    ways: Vec<Option<Pad>>,
}

impl States {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.tries.clear();
        self.handlers.clear();
        self.pads.clear();
        self.bases.clear();
        self.ways.clear();
    }

    /// Becomes a copy of another, keeping its memory.
    pub fn copy_from(&mut self, other: &States) {
        self.list.clone_from(&other.list);
        self.tries.clone_from(&other.tries);
        self.handlers.clone_from(&other.handlers);
        self.pads.clone_from(&other.pads);
        self.bases.clone_from(&other.bases);
        self.ways.clone_from(&other.ways);
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The states by number.
    pub fn list(&self) -> &[State] {
        &self.list
    }

    /// The `try` blocks of C++. Those in the `try` part of another come before it, those in a handler after it.
    pub fn tries(&self) -> &[TryBlock] {
        &self.tries
    }

    /// The handlers of a `try` block, in the order in which they are tried.
    pub fn handlers(&self, block: &TryBlock) -> &[Pad] {
        &self.handlers[block.handlers as usize..(block.handlers + block.count) as usize]
    }

    /// The state of code, in the funclet with the pad `within` or in the function, that calls nothing with handlers of
    /// its own.
    pub fn base(&self, within: Option<Pad>) -> i32 {
        within.map_or(OUTSIDE, |pad| self.bases[pad.index()])
    }

    /// The state of a call in that code whose exceptions come to the pad `to`, or leave the function.
    pub fn of_call(&self, within: Option<Pad>, to: Option<Pad>) -> i32 {
        let Some(to) = to else { return self.base(within) };
        match within {
            // They leave the funclet, like those of all its code.
            Some(pad) if self.ways[pad.index()] == Some(to) && self.base(within) != OUTSIDE => self.base(within),
            _ => self.pads[to.index()],
        }
    }

    /// Finds the states of a function with these reachable blocks. The kind of its personality routine must be known.
    ///
    /// # Errors
    /// Pads that numbers cannot express: a cleanup that catches, exceptions that leave a funclet in two ways or come
    /// back to where they were, a `__try` without exactly one handler.
    pub fn compute(&mut self, f: &Function, blocks: &[Block]) -> Result {
        self.clear();
        if f.exceptions.has_funclets() {
            let pads = Pads::find(f, blocks)?;
            Walk { states: self, f, pads: &pads, routine: f.exceptions.routine, tasks: Vec::new() }.run()?;
        }
        Ok(())
    }
}

/// What is known of the pads before they have numbers.
struct Pads {
    /// Reachable pads, in the order of their blocks.
    order: Vec<Pad>,
    /// For each pad, the instruction that begins its block.
    begins: Vec<Option<Inst>>,
    /// For each pad, where exceptions go that leave its funclet, or that none of its handlers takes.
    ways: Vec<Way>,
    /// Pads whose exceptions continue at a neighbouring pad, as pairs (that pad, this pad), sorted.
    sources: Vec<(Pad, Pad)>,
    /// Pads that are in a funclet, as pairs (the funclet's pad, this pad), sorted.
    inner: Vec<(Pad, Pad)>,
}

/// The second elements of the pairs with this first one. The pairs are sorted.
fn of(pairs: &[(Pad, Pad)], pad: Pad) -> impl DoubleEndedIterator<Item = Pad> + '_ {
    let start = pairs.partition_point(|pair| pair.0 < pad);
    let end = start + pairs[start..].partition_point(|pair| pair.0 == pad);
    pairs[start..end].iter().map(|pair| pair.1)
}

fn is_handler(f: &Function, pad: Pad) -> bool {
    matches!(f.exceptions.kind(pad), PadKind::Catch { .. })
}

impl Pads {
    fn find(f: &Function, blocks: &[Block]) -> Result<Pads> {
        let count = f.exceptions.pad_count();
        let mut pads = Pads {
            order: Vec::new(),
            begins: vec![None; count],
            ways: vec![Way::Unsaid; count],
            sources: Vec::new(),
            inner: Vec::new(),
        };
        for &b in blocks {
            if let Some(pad) = f.pad(b) {
                pads.order.push(pad);
                pads.begins[pad.index()] = Some(Inst(f.blocks[b.index()].first));
            }
            let last = f.terminator(b);
            let d = f.inst(last);
            if !matches!(d.op, Opcode::CatchSwitch | Opcode::CleanupRet) {
                continue;
            }
            let unwind = (d.flags & 1 == 1).then(|| f.pool_edges(d.b, d.c).last()).flatten();
            let way = unwind.map_or(Way::Caller, |e| f.pad(f.edge_to(e)).map_or(Way::Unsaid, Way::To));
            let known = &mut pads.ways[Pad(d.a).index()];
            if !matches!(*known, Way::Unsaid) && *known != way {
                return Err(CompileError::at(f, last, "exceptions leave a cleanup in two ways"));
            }
            *known = way;
        }
        for &pad in &pads.order {
            let parent = f.exceptions.parent(pad);
            match f.exceptions.kind(pad) {
                PadKind::Catch { switch, .. } => pads.ways[pad.index()] = pads.ways[switch.index()],
                _ => pads.inner.extend(parent.map(|parent| (parent, pad))),
            }
            if let (Way::To(to), false) = (pads.ways[pad.index()], is_handler(f, pad))
                && f.exceptions.parent(to) == parent
            {
                pads.sources.push((to, pad));
            }
        }
        pads.sources.sort_by_key(|pair| pair.0);
        pads.inner.sort_by_key(|pair| pair.0);
        Ok(pads)
    }

    fn error(&self, f: &Function, pad: Pad, why: &str) -> CompileError {
        let message = format!("{pad} {why}");
        match self.begins[pad.index()] {
            Some(inst) => CompileError::at(f, inst, message),
            None => CompileError::new(f, message),
        }
    }
}

/// Work that remains; the last entry is done first.
enum Task {
    /// Number a `catchswitch` or a cleanup; with the state around it.
    Number(Pad, i32),
    /// Number the handlers of a `catchswitch`; with the state around it, and its first state.
    Handlers(Pad, i32, i32),
    /// A `try` block has all its numbers.
    Close(usize),
}

struct Walk<'a> {
    states: &'a mut States,
    f: &'a Function,
    pads: &'a Pads,
    routine: Personality,
    tasks: Vec<Task>,
}

impl Walk<'_> {
    fn run(&mut self) -> Result {
        let (f, pads) = (self.f, self.pads);
        let count = f.exceptions.pad_count();
        self.states.pads.resize(count, UNKNOWN);
        self.states.bases.resize(count, OUTSIDE);
        let to = |way: &Way| if let Way::To(pad) = way { Some(*pad) } else { None };
        self.states.ways.extend(pads.ways.iter().map(to));
        for &pad in &pads.order {
            let leaves = !matches!(pads.ways[pad.index()], Way::To(_));
            if leaves && f.exceptions.parent(pad).is_none() && !is_handler(f, pad) {
                self.tasks.push(Task::Number(pad, OUTSIDE));
            }
            while let Some(task) = self.tasks.pop() {
                match task {
                    Task::Number(pad, around) => self.number(pad, around)?,
                    Task::Handlers(pad, around, low) => self.handlers(pad, around, low),
                    Task::Close(block) => self.states.tries[block].catch_high = self.states.list.len() as i32 - 1,
                }
            }
        }
        for &pad in pads.order.iter().filter(|&&pad| !is_handler(f, pad)) {
            if self.states.pads[pad.index()] == UNKNOWN {
                return Err(pads.error(
                    f,
                    pad,
                    "is in no state: its exceptions go on at a pad that is neither beside nor around it",
                ));
            }
        }
        Ok(())
    }

    fn push(&mut self, to: i32, pad: Option<Pad>) -> i32 {
        self.states.list.push(State { to, pad });
        self.states.list.len() as i32 - 1
    }

    fn number(&mut self, pad: Pad, around: i32) -> Result {
        if self.states.pads[pad.index()] != UNKNOWN {
            return Ok(());
        }
        let own = match self.f.exceptions.kind(pad) {
            PadKind::Cleanup { .. } => {
                if let Some(inner) = of(&self.pads.inner, pad).next() {
                    return Err(self.pads.error(
                        self.f,
                        inner,
                        "stands in a cleanup, whose exceptions Microsoft's tables have no states for",
                    ));
                }
                self.push(around, Some(pad))
            }
            _ if self.routine == Personality::Cxx => {
                let low = self.push(around, None);
                self.tasks.push(Task::Handlers(pad, around, low));
                low
            }
            _ => {
                let handler = self.only_handler(pad)?;
                self.inside(pad, handler, around);
                self.push(around, Some(handler))
            }
        };
        self.states.pads[pad.index()] = own;
        self.tasks.extend(of(&self.pads.sources, pad).rev().map(|source| Task::Number(source, own)));
        Ok(())
    }

    /// The handlers of a switch.
    fn of_switch(&self, pad: Pad) -> impl Iterator<Item = Pad> + use<'_> {
        let f = self.f;
        let switch = self.pads.begins[pad.index()].map(|i| f.inst(i)).filter(|d| d.op == Opcode::CatchSwitch);
        let edges = switch.map(|d| f.pool_edges(d.b, d.c - u32::from(d.flags & 1)));
        edges.into_iter().flatten().filter_map(|e: Edge| f.pad(f.edge_to(e)))
    }

    fn only_handler(&self, pad: Pad) -> Result<Pad> {
        let mut handlers = self.of_switch(pad);
        let (Some(handler), None) = (handlers.next(), handlers.next()) else {
            return Err(self.pads.error(self.f, pad, "is of a `__try` with other than one handler"));
        };
        if let (Personality::TryLevels(_), PadKind::Catch { what: None, .. }) =
            (self.routine, self.f.exceptions.kind(handler))
        {
            return Err(self.pads.error(
                self.f,
                handler,
                "has no filter, without which 32-bit Windows takes it for a cleanup",
            ));
        }
        Ok(handler)
    }

    /// Numbers, later, what is in a handler and unwinds out of it, with the state around it.
    fn inside(&mut self, switch: Pad, handler: Pad, around: i32) {
        let ways = &self.pads.ways;
        let leaves = |inner: &Pad| match ways[inner.index()] {
            // It ends in another way if exceptions of the handler do not leave the function.
            Way::Caller | Way::Unsaid => true,
            way => way == ways[switch.index()],
        };
        let inner = of(&self.pads.inner, handler).filter(leaves);
        self.tasks.extend(inner.rev().map(|pad| Task::Number(pad, around)));
    }

    fn handlers(&mut self, pad: Pad, around: i32, low: i32) {
        let caught = self.push(around, None);
        let handlers: Vec<Pad> = self.of_switch(pad).collect();
        let (first, count) = (self.states.handlers.len() as u32, handlers.len() as u32);
        self.tasks.push(Task::Close(self.states.tries.len()));
        self.states.tries.push(TryBlock { low, high: caught - 1, catch_high: caught, handlers: first, count });
        for &handler in handlers.iter().rev() {
            self.states.bases[handler.index()] = caught;
            self.inside(pad, handler, caught);
        }
        self.states.handlers.extend(handlers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::tests::read;

    const HEAD: &str = "module \"t\"
s0 = export function @f
s1 = import function @g
s2 = import function @\"__CxxFrameHandler3\"
s3 = import data @type
function @f sig0 {
  personality @\"__CxxFrameHandler3\"
";

    /// The states of a function by its pads and blocks, all of which are reachable.
    fn states(pads: &str, blocks: &str, routine: Personality) -> Result<States> {
        let text = format!("{HEAD}{pads}\n  sig0 = () -> () = c () -> void\n  ss0 = 8 align 8\n{blocks}\n}}\n");
        let (_, mut functions) = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut states = States::default();
        let f = &mut functions[0];
        f.exceptions.routine = routine;
        states.compute(f, &f.layout)?;
        Ok(states)
    }

    /// `(to, pad)` of each state.
    fn list(states: &States) -> Vec<(i32, Option<u32>)> {
        states.list().iter().map(|s| (s.to, s.pad.map(|p| p.0))).collect()
    }

    /// `(low, high, catch_high)` of each `try` block.
    fn tries(states: &States) -> Vec<(i32, i32, i32)> {
        states.tries().iter().map(|t| (t.low, t.high, t.catch_high)).collect()
    }

    const PADS: &str = "  pad0 = switch
  pad1 = catch pad0, @type, 8
  pad2 = catch pad0, any, 64
  pad3 = cleanup pad1
  pad4 = cleanup
  pad5 = switch pad2
  pad6 = catch pad5, any, 64";

    /// A block with a destructor in it; in its first handler a destructor, in its second one another block.
    const BLOCKS: &str = "b0:
  call @g sig0()
  invoke b1, b7
b1:
  return
b2:
  catch_switch pad0, [b3, b4]
b3:
  v0: i32 = catch_pad pad1, ss0
  call @g sig0() within pad1
  invoke b5, b6
b4:
  v1: i32 = catch_pad pad2, 0:i64
  call @g sig0() within pad2
  invoke b8, b9
b5:
  catch_ret pad1, b1
b6:
  cleanup_pad pad3
  cleanup_ret pad3
b7:
  cleanup_pad pad4
  cleanup_ret pad4, b2
b8:
  catch_ret pad2, b1
b9:
  catch_switch pad5, [b10]
b10:
  v2: i32 = catch_pad pad6, 0:i64
  catch_ret pad6, b8";

    #[test]
    fn blocks_and_handlers_are_intervals() {
        let s = states(PADS, BLOCKS, Personality::Cxx).unwrap();
        let expected = [(-1, None), (0, Some(4)), (-1, None), (2, Some(3)), (2, None), (2, None)];
        assert_eq!(list(&s), expected);
        assert_eq!(tries(&s), [(0, 1, 5), (4, 4, 5)], "a block in a handler is after its outer one");
        let handlers: Vec<_> = s.tries().iter().map(|t| s.handlers(t).to_vec()).collect();
        assert_eq!(handlers, [vec![Pad(1), Pad(2)], vec![Pad(6)]]);
        assert_eq!(
            [None, Some(Pad(1)), Some(Pad(2)), Some(Pad(6)), Some(Pad(3))].map(|p| s.base(p)),
            [-1, 2, 2, 5, -1]
        );
        assert_eq!(s.of_call(None, Some(Pad(4))), 1);
        assert_eq!(s.of_call(Some(Pad(1)), Some(Pad(3))), 3);
        assert_eq!(s.of_call(Some(Pad(2)), None), 2);
        assert_eq!(s.of_call(None, None), OUTSIDE);
        let mut copy = States::default();
        copy.copy_from(&s);
        assert_eq!((list(&copy), tries(&copy)), (list(&s), tries(&s)));
        copy.clear();
        assert!(copy.is_empty() && !s.is_empty());
    }

    #[test]
    fn what_leaves_a_handler_is_in_the_state_of_its_code() {
        let pads = "  pad0 = switch\n  pad1 = catch pad0, any, 64\n  pad2 = cleanup\n  pad3 = cleanup pad1";
        let blocks = "b0:
  call @g sig0()
  invoke b1, b2
b1:
  return
b2:
  catch_switch pad0, [b3], b4
b3:
  v0: i32 = catch_pad pad1, 0:i64
  call @g sig0() within pad1
  invoke b5, b4
b4:
  cleanup_pad pad2
  cleanup_ret pad2
b5:
  call @g sig0() within pad1
  invoke b6, b7
b6:
  catch_ret pad1, b1
b7:
  cleanup_pad pad3
  cleanup_ret pad3, b4";
        let s = states(pads, blocks, Personality::Cxx).unwrap();
        assert_eq!(list(&s), [(-1, Some(2)), (0, None), (0, None), (2, Some(3))]);
        assert_eq!(s.of_call(Some(Pad(1)), Some(Pad(2))), 2, "not that of the cleanup");
        assert_eq!(s.of_call(None, Some(Pad(2))), 0);
        assert_eq!(s.of_call(Some(Pad(1)), Some(Pad(3))), 3);
        // Of `__except` the handler's code is as if outside.
        let s = states(pads, blocks, Personality::Scopes).unwrap();
        assert_eq!(list(&s), [(-1, Some(2)), (0, Some(1)), (0, Some(3))]);
        assert_eq!(s.of_call(Some(Pad(1)), Some(Pad(2))), 0);
        assert_eq!((s.base(Some(Pad(1))), tries(&s)), (OUTSIDE, vec![]));
    }

    #[test]
    fn pads_without_numbers_are_errors() {
        let s = |pads: &str, blocks: &str, routine| states(pads, blocks, routine).unwrap_err();
        let head = "b0:\n  call @g sig0()\n  invoke b1, b2\nb1:\n  return\n";
        let nested =
            "b2:\n  cleanup_pad pad0\n  call @g sig0() within pad0\n  invoke b3, b4\nb3:\n  cleanup_ret pad0\n";
        let nested = format!("{head}{nested}b4:\n  cleanup_pad pad1\n  cleanup_ret pad1");
        let e = s("  pad0 = cleanup\n  pad1 = cleanup pad0", &nested, Personality::Cxx);
        assert!(e.inst.is_some() && e.message.contains("pad1 stands in a cleanup"), "{e}");
        let round = "b2:\n  cleanup_pad pad0\n  cleanup_ret pad0, b3\nb3:\n  cleanup_pad pad1\n  cleanup_ret pad1, b2";
        let e = s("  pad0 = cleanup\n  pad1 = cleanup", &format!("{head}{round}"), Personality::Cxx);
        assert!(e.inst.is_some() && e.message.contains("pad0 is in no state"), "{e}");
        let e = s(PADS, BLOCKS, Personality::Scopes);
        assert!(e.inst.is_some() && e.message.contains("other than one handler"), "{e}");
        let one = "  pad0 = switch\n  pad1 = catch pad0, any, 0";
        let blocks = format!(
            "{head}b2:\n  catch_switch pad0, [b3]\nb3:\n  v0: i32 = catch_pad pad1, 0:i64\n  catch_ret pad1, b1"
        );
        assert!(states(one, &blocks, Personality::Scopes).is_ok());
        assert!(s(one, &blocks, Personality::TryLevels(3)).message.contains("no filter"));
    }

    /// The walk has no recursion, and is not quadratic.
    #[test]
    fn many_pads_within_each_other() {
        let count = 20_000;
        let (mut pads, mut blocks) =
            (String::new(), String::from("b0:\n  call @g sig0()\n  invoke b1, b2\nb1:\n  return\n"));
        for i in 0..count {
            pads += &format!("  pad{i} = cleanup\n");
            let to = if i + 1 == count { String::new() } else { format!(", b{}", i + 3) };
            blocks += &format!("b{}:\n  cleanup_pad pad{i}\n  cleanup_ret pad{i}{to}\n", i + 2);
        }
        let s = states(pads.trim_end(), blocks.trim_end(), Personality::Cxx).unwrap();
        assert_eq!(s.list().len(), count);
        assert!(s.list().iter().zip(-1..).all(|(state, to)| state.to == to));
    }
}
