//! Moves variables to a second stack (clang, "SafeStack"; LLVM, `SafeStack.cpp`): those that anything but loads and stores within them can
//! reach. What stays on the machine's stack, return addresses among it, cannot be overwritten through a pointer.
//!
//! The variable of the thread that points to the second stack is lowered when the function begins, and set back where it returns.
//! Where control comes back by another way, at landing pads and after calls that return twice, it is set to what the function needs.
//!
//! Arguments that are passed by a copy (`byval`) are copied once more if they are reached. A stack guard is above all of these: it is what the
//! frame's guard is, and comes back into that guard's place before it is checked.

use std::collections::HashMap;

use gusset_abi::Role;

use crate::ir::{
    Function, InstData, MemFlags, Opcode, Slot, SlotKind, StackProtector, SymbolId, TailKind, Type, Value, ValueDef,
};

/// The alignment of the second stack.
const ALIGN: u32 = 16;

/// Moves the variables of `f`. `pointer` is the variable that points to the second stack. Returns whether the function has a stack guard.
///
/// # Errors
/// The reason why it is not possible.
pub fn safe_stack(f: &mut Function, pointer: SymbolId, ptr: Type) -> Result<bool, &'static str> {
    let dynamic = f.layout.iter().any(|&b| f.block_insts(b).any(|i| f.inst(i).op == Opcode::StackAlloc));
    let (slots, copies) = reached_memory(f);
    if slots.is_empty() && copies.is_empty() && !dynamic {
        return Ok(false);
    }
    let twice = f.calls.iter().any(|call| call.returns_twice);
    let comes_back = twice || f.layout.iter().any(|&b| f.is_pad(b));
    let what = match () {
        () if f.exceptions.has_funclets() || !f.references.is_empty() => {
            "a function with `safestack` and funclets or references"
        }
        () if f.attrs.calls_returns_twice && !twice => "`llvm.eh.sjlj.setjmp` in a function with `safestack`",
        () if comes_back && dynamic => {
            "a variable of any size in a function with `safestack` that control may come back to"
        }
        () => "",
    };
    if !what.is_empty() {
        return Err(what);
    }
    let mut frame = SecondFrame { slots: Vec::new(), copies: Vec::new(), size: 0, align: ALIGN };
    for slot in slots {
        let data = f.slots[slot.index()];
        let at = frame.add(data.size, data.align)?;
        frame.slots.push((slot, at));
    }
    for copy in copies {
        let at = frame.add(copy.size.max(1), copy.align)?;
        frame.copies.push((copy, at));
    }
    let word = ptr.store_bytes();
    let guarded = f.attrs.stack_protector != StackProtector::None;
    if guarded {
        frame.add(word, word)?;
    }
    frame.size = frame.size.next_multiple_of(frame.align);
    let guard = guarded.then(|| {
        let slot = f.make_slot(word, word);
        f.slots[slot.index()].kind = SlotKind::Guard;
        slot
    });
    let mut mover = Mover { ptr, flags: MemFlags::new(word, false).0, dynamic, guard, own: None };
    let mut moved = Some(frame);
    f.rewrite(|f, _, d, first| {
        if let Some(frame) = moved.take() {
            mover.begin(f, pointer, frame);
        }
        mover.rewrite(f, d, first);
    });
    f.resolve_operands();
    Ok(guarded)
}

const TOO_LARGE: &str = "variables of 2 GB and more on the stack of `safestack`";

/// The memory of an argument that is passed by a copy.
struct Copied {
    /// The number of the parameter.
    param: usize,
    size: u32,
    align: u32,
}

/// What the function has on the second stack, with offsets from its lowest byte.
struct SecondFrame {
    slots: Vec<(Slot, u32)>,
    copies: Vec<(Copied, u32)>,
    /// In bytes, the guard's word at the end included.
    size: u32,
    align: u32,
}

impl SecondFrame {
    /// Makes room; returns where it is.
    fn add(&mut self, size: u32, align: u32) -> Result<u32, &'static str> {
        let at = self.size.checked_next_multiple_of(align).ok_or(TOO_LARGE)?;
        self.size = at.checked_add(size).filter(|&size| size < i32::MAX as u32).ok_or(TOO_LARGE)?;
        self.align = self.align.max(align);
        Ok(at)
    }
}

/// The slots, and the memory of arguments that are passed by a copy, that something may reach which is no load or store within them.
fn reached_memory(f: &Function) -> (Vec<Slot>, Vec<Copied>) {
    // Slots by their numbers, then what parameters point to.
    let mut sizes: Vec<u32> = f.slots.iter().map(|slot| slot.size).collect();
    let (mut copies, mut params) = (Vec::new(), HashMap::new());
    let entry = f.layout.first().map_or(&[][..], |&entry| f.params(entry));
    for (param, (of, &value)) in f.signature().source.params.iter().zip(entry).enumerate() {
        if let Role::ByVal { size, align } = of.attrs.role {
            params.insert(value, sizes.len());
            let size = u32::try_from(size).unwrap_or(u32::MAX);
            sizes.push(size);
            copies.push(Copied { param, size, align: align.max(1) });
        }
    }
    // Addresses at constant distances.
    let mut derived: HashMap<Value, (usize, i64)> = HashMap::new();
    let place = |derived: &HashMap<Value, (usize, i64)>, v: Value| {
        let v = f.resolve(v);
        match f.value_def(v) {
            ValueDef::Slot(slot) => Some((slot.index(), 0)),
            ValueDef::Param(_) => params.get(&v).map(|&at| (at, 0)),
            _ => derived.get(&v).copied(),
        }
    };
    let mut reached = vec![false; sizes.len()];
    for round in 0..2 {
        for &b in &f.layout {
            for i in f.block_insts(b) {
                let d = f.inst(i);
                if d.op == Opcode::Iadd
                    && let (Some((slot, at)), Some(by)) =
                        (place(&derived, Value(d.a)), f.int_constant_signed(f.resolve(Value(d.b))))
                {
                    if round == 0 {
                        derived.insert(f.result(i), (slot, at.wrapping_add(by)));
                    } else if !derived.contains_key(&f.result(i)) {
                        reached[slot] = true;
                    }
                    continue;
                }
                if round == 0 {
                    continue;
                }
                let (address, offset, rest) = match d.op {
                    Opcode::Load => (Some(Value(d.a)), d.b as i32, None),
                    Opcode::Store => (Some(Value(d.a)), d.c as i32, Some(Value(d.b))),
                    _ => (None, 0, None),
                };
                if let Some(address) = address {
                    if let Some((slot, at)) = place(&derived, address) {
                        let at = at.saturating_add(offset.into());
                        let end = at.saturating_add(d.ty.store_bytes().into());
                        reached[slot] |= at < 0 || end > sizes[slot].into();
                    }
                    if let Some((slot, _)) = rest.and_then(|v| place(&derived, v)) {
                        reached[slot] = true;
                    }
                    continue;
                }
                let mut used = |v: Value| {
                    if let Some((slot, _)) = place(&derived, v) {
                        reached[slot] = true;
                    }
                };
                f.for_each_operand(d, &mut used);
                if d.op.is_terminator() {
                    f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| used(v)));
                }
            }
        }
    }
    let slots = (0..f.slots.len()).filter(|&k| reached[k]).map(|k| Slot(k as u32)).collect();
    let mut of_copies = reached[f.slots.len()..].iter();
    copies.retain(|_| of_copies.next() == Some(&true));
    (slots, copies)
}

/// What the function knows of the second stack.
#[derive(Clone, Copy)]
struct Own {
    /// The address of the variable that points to it.
    place: Value,
    /// What the function found there.
    found: Value,
    /// What it is while the function runs, but for variables of any size.
    lowered: Value,
    /// Where its stack guard is.
    guard: Value,
}

struct Mover {
    ptr: Type,
    flags: u8,
    dynamic: bool,
    /// The guard of the frame, if the function has one.
    guard: Option<Slot>,
    own: Option<Own>,
}

impl Mover {
    /// Lowers the pointer, and gives the variables addresses.
    fn begin(&mut self, f: &mut Function, pointer: SymbolId, SecondFrame { slots, copies, size, align }: SecondFrame) {
        let ptr = self.ptr;
        let data = InstData { op: Opcode::TlsAddr, flags: 0, ty: ptr, a: pointer.0, b: 0, c: 0 };
        let place = f.push_one(data);
        let found = f.push_load(self.flags, ptr, place, 0);
        let mut lowered = found;
        if size > 0 {
            lowered = self.down(f, found, size.into(), align);
            f.push_store(self.flags, lowered, place, 0);
        }
        let address = |f: &mut Function, at: u32| {
            let by = f.make_int(ptr, at.into());
            f.push_op(Opcode::Iadd, 0, ptr, [lowered, by, Value(0)], ptr)
        };
        let mut guard = lowered;
        if let Some(own) = self.guard {
            guard = address(f, size - ptr.store_bytes());
            let own = f.slot_addr(own, ptr);
            self.carry_guard(f, own, guard);
        }
        self.own = Some(Own { place, found, lowered, guard });
        for (Copied { param, size, align }, at) in copies {
            let entry = f.layout[0];
            let old = f.params(entry)[param];
            let from = f.renew_param(entry, param);
            let new = address(f, at);
            let bytes = f.make_int(ptr, size.into());
            let flags = MemFlags::new(align, false).0;
            f.push_inst(InstData { op: Opcode::Memcpy, flags, ty: Type::VOID, a: new.0, b: from.0, c: bytes.0 }, &[]);
            f.alias(old, new);
        }
        for (slot, at) in slots {
            let new = address(f, at);
            let old = f.slot_addr(slot, ptr);
            f.alias(old, new);
            let data = &mut f.slots[slot.index()];
            (data.size, data.align) = (0, 1);
        }
    }

    /// Copies a stack guard.
    fn carry_guard(&self, f: &mut Function, from: Value, to: Value) {
        // The frame's guard is read where no instruction is.
        let flags = MemFlags::new(self.ptr.store_bytes(), true).0;
        let word = f.push_load(flags, self.ptr, from, 0);
        f.push_store(flags, word, to, 0);
    }

    /// Puts the guard back into the frame's, where it is checked.
    fn bring_guard_back(&self, f: &mut Function) {
        if let (Some(own), Some(slot)) = (self.own, self.guard) {
            let to = f.slot_addr(slot, self.ptr);
            self.carry_guard(f, own.guard, to);
        }
    }

    /// The address that is `size` bytes below another, aligned downwards.
    fn down(&self, f: &mut Function, from: Value, size: i128, align: u32) -> Value {
        let size = f.make_int(self.ptr, size);
        self.down_by(f, from, size, if align > ALIGN { align } else { 1 })
    }

    fn down_by(&self, f: &mut Function, from: Value, size: Value, align: u32) -> Value {
        let ptr = self.ptr;
        let lower = f.push_op(Opcode::Isub, 0, ptr, [from, size, Value(0)], ptr);
        if align <= 1 {
            return lower;
        }
        let mask = f.make_int(ptr, -i128::from(align));
        f.push_op(Opcode::And, 0, ptr, [lower, mask, Value(0)], ptr)
    }

    /// Sets the pointer.
    fn set(&self, f: &mut Function, to: impl Fn(Own) -> Value) {
        if let Some(own) = self.own {
            f.push_store(self.flags, to(own), own.place, 0);
        }
    }

    fn rewrite(&mut self, f: &mut Function, d: InstData, first: Value) {
        let Some(own) = self.own else { return };
        let must = |f: &Function, d: &InstData| d.op == Opcode::Call && f.calls[d.a as usize].tail == TailKind::Must;
        match d.op {
            Opcode::StackAlloc if self.dynamic => {
                let now = f.push_load(self.flags, self.ptr, own.place, 0);
                let new = self.down_by(f, now, Value(d.a), d.b.max(ALIGN));
                f.push_store(self.flags, new, own.place, 0);
                f.alias(first, new);
            }
            Opcode::StackSave if self.dynamic => {
                let now = f.push_load(self.flags, self.ptr, own.place, 0);
                f.alias(first, now);
            }
            Opcode::StackRestore if self.dynamic => f.push_store(self.flags, Value(d.a), own.place, 0),
            Opcode::Call => {
                if must(f, &d) {
                    self.bring_guard_back(f);
                    self.set(f, |own| own.found);
                } else {
                    // The pointer is set after the call.
                    f.calls[d.a as usize].tail = TailKind::None;
                }
                f.push_kept(d, first);
                if f.calls[d.a as usize].returns_twice {
                    self.set(f, |own| own.lowered);
                }
            }
            Opcode::LandingPad => {
                f.push_kept(d, first);
                self.set(f, |own| own.lowered);
            }
            Opcode::Return => {
                if !f.insts.last().is_some_and(|before| must(f, before)) {
                    self.bring_guard_back(f);
                    self.set(f, |own| own.found);
                }
                f.push_kept(d, first);
            }
            _ => {
                f.push_kept(d, first);
            }
        }
    }
}
