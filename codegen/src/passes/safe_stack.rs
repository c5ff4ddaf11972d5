//! Moves variables to a second stack (clang, "SafeStack"; LLVM, `SafeStack.cpp`): those that anything but loads and stores within them can
//! reach. What stays on the machine's stack, return addresses among it, cannot be overwritten through a pointer.
//!
//! The variable of the thread that points to the second stack is lowered when the function begins, and set back where it returns.
//! Where control comes back by another way, at landing pads and after calls that return twice, it is set to what the function needs.

use std::collections::HashMap;

use gusset_abi::Role;

use crate::ir::{
    Function, InstData, MemFlags, Opcode, Slot, StackProtector, SymbolId, TailKind, Type, Value, ValueDef,
};

/// The alignment of the second stack.
const ALIGN: u32 = 16;

/// Moves the variables of `f`. `pointer` is the variable that points to the second stack. Returns whether there were any to be moved.
///
/// # Errors
/// The reason why it is not possible.
pub fn safe_stack(f: &mut Function, pointer: SymbolId, ptr: Type) -> Result<bool, &'static str> {
    let dynamic = f.layout.iter().any(|&b| f.block_insts(b).any(|i| f.inst(i).op == Opcode::StackAlloc));
    let by_copy = f.signature().source.params.iter().any(|p| matches!(p.attrs.role, Role::ByVal { .. }));
    let (slots, reached) = unsafe_slots(f);
    if slots.is_empty() && !dynamic && !(by_copy && reached) {
        return Ok(false);
    }
    let twice = f.calls.iter().any(|call| call.returns_twice);
    let comes_back = twice || f.layout.iter().any(|&b| f.is_pad(b));
    let what = match () {
        () if by_copy => "an argument that is passed by a copy (`byval`) in a function with `safestack`",
        () if f.attrs.stack_protector != StackProtector::None => "a stack guard in a function with `safestack`",
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
    let mut offsets = Vec::new();
    let (mut size, mut align) = (0u32, ALIGN);
    for &slot in &slots {
        let data = f.slots[slot.index()];
        let at = size.checked_next_multiple_of(data.align).ok_or(TOO_LARGE)?;
        offsets.push(at);
        size = at.checked_add(data.size).filter(|&size| size < i32::MAX as u32).ok_or(TOO_LARGE)?;
        align = align.max(data.align);
    }
    let size = size.next_multiple_of(align);
    let mut mover = Mover { ptr, flags: MemFlags::new(ptr.store_bytes(), false).0, dynamic, own: None };
    let mut moved = Some((slots, offsets, size, align));
    f.rewrite(|f, _, d, first| {
        if let Some(frame) = moved.take() {
            mover.begin(f, pointer, frame);
        }
        mover.rewrite(f, d, first);
    });
    f.resolve_operands();
    Ok(true)
}

const TOO_LARGE: &str = "variables of 2 GB and more on the stack of `safestack`";

/// The slots that something may reach which is no load or store within them; and whether an instruction but loads and stores uses a
/// parameter of the function.
fn unsafe_slots(f: &Function) -> (Vec<Slot>, bool) {
    // Addresses at constant distances.
    let mut derived: HashMap<Value, (Slot, i64)> = HashMap::new();
    let place = |derived: &HashMap<Value, (Slot, i64)>, v: Value| {
        let v = f.resolve(v);
        match f.value_def(v) {
            ValueDef::Slot(slot) => Some((slot, 0)),
            _ => derived.get(&v).copied(),
        }
    };
    let mut reached = vec![false; f.slots.len()];
    let mut parameter = false;
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
                        reached[slot.index()] = true;
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
                        reached[slot.index()] |= at < 0 || end > f.slots[slot.index()].size.into();
                    }
                    if let Some((slot, _)) = rest.and_then(|v| place(&derived, v)) {
                        reached[slot.index()] = true;
                    }
                    continue;
                }
                let mut used = |v: Value| match place(&derived, v) {
                    Some((slot, _)) => reached[slot.index()] = true,
                    None => parameter |= matches!(f.value_def(f.resolve(v)), ValueDef::Param(_)),
                };
                f.for_each_operand(d, &mut used);
                if d.op.is_terminator() {
                    f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| used(v)));
                }
            }
        }
    }
    let slots = (0..f.slots.len()).filter(|&k| reached[k]).map(|k| Slot(k as u32)).collect();
    (slots, parameter)
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
}

struct Mover {
    ptr: Type,
    flags: u8,
    dynamic: bool,
    own: Option<Own>,
}

impl Mover {
    /// Lowers the pointer, and gives the variables addresses.
    fn begin(
        &mut self,
        f: &mut Function,
        pointer: SymbolId,
        (slots, offsets, size, align): (Vec<Slot>, Vec<u32>, u32, u32),
    ) {
        let ptr = self.ptr;
        let data = InstData { op: Opcode::TlsAddr, flags: 0, ty: ptr, a: pointer.0, b: 0, c: 0 };
        let place = f.push_one(data);
        let found = f.push_load(self.flags, ptr, place, 0);
        let mut lowered = found;
        if size > 0 {
            lowered = self.down(f, found, size.into(), align);
            f.push_store(self.flags, lowered, place, 0);
        }
        self.own = Some(Own { place, found, lowered });
        for (slot, at) in slots.into_iter().zip(offsets) {
            let by = f.make_int(ptr, at.into());
            let new = f.push_op(Opcode::Iadd, 0, ptr, [lowered, by, Value(0)], ptr);
            let old = f.slot_addr(slot, ptr);
            f.alias(old, new);
            let data = &mut f.slots[slot.index()];
            (data.size, data.align) = (0, 1);
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
