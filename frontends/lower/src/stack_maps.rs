//! Stack maps: `llvm.experimental.gc.statepoint` with `gc.result` and `gc.relocate`, `llvm.experimental.stackmap`,
//! `llvm.experimental.patchpoint`.
//!
//! What a record of a call lists is in slots of the frame: a pointer that a collector may move is stored to its slot before
//! the call and loaded after it, so that `gc.relocate` only names what has been loaded. A `stackmap` lists integers wherever
//! they are.
//!
//! LLVM, "Garbage Collection Safepoints in LLVM"; "Stack maps and patch points in LLVM".

use std::collections::HashMap;
use std::ops::Range;

use gusset_abi::Convention;
use gusset_codegen::ir::{
    Block, Callee, ConstData, InstData, MemFlags, Opcode, Slot, StackMap, StackMapEntry, StackMapId, Type, Value,
    ValueDef,
};
use gusset_program::{
    CallEnd, CallSite, CallTarget, Called, Clause, PTR, ParamAttrs, Refusal, Result, StackMapIntrinsic, TOKEN, TypeId,
    VOID, Val, intrinsic_mismatch, mismatch_if, refuse_if,
};

use crate::function::FunctionLowering;

/// Set in tokens of statepoints, and not in those of pads and argument blocks.
const TOKEN_OF_STATEPOINT: u32 = 1 << 29;
/// What LLVM records of a value that is undefined; in other records than those of statepoints it has 32 bits.
const UNDEFINED: i64 = 0xfefe_fefe;

/// The state about stack maps of a function.
#[derive(Default)]
pub(crate) struct StackMaps {
    /// Statepoints, by their tokens. Those of landing pads follow those that they belong to.
    statepoints: Vec<Statepoint>,
    /// The landing pads of invoked statepoints: the block, and the number of the statepoint.
    pads: Vec<(Block, usize)>,
    /// Slots for values across calls.
    slots: Vec<Spill>,
    /// For each value that has been in a slot, that slot's number.
    homes: HashMap<Value, usize>,
    /// The slots by their size.
    pools: HashMap<u32, Pool>,
    /// The stack map of the call that is being made.
    pub of_next_call: Option<StackMapId>,
}

impl StackMaps {
    pub fn clear(&mut self) {
        self.statepoints.clear();
        self.pads.clear();
        self.slots.clear();
        self.homes.clear();
        self.pools.clear();
        self.of_next_call = None;
    }
}

/// A slot for values across calls, one after another.
struct Spill {
    slot: Slot,
    /// The value that it holds.
    value: Value,
    /// The block in which the value was stored or loaded: only there it is known that the slot holds it still.
    block: Option<Block>,
    /// The last stack map that lists it.
    taken: StackMapId,
}

/// Slots of one size.
#[derive(Default)]
struct Pool {
    slots: Vec<usize>,
    /// The stack map that took slots last, and how many of them have been looked at for it.
    map: StackMapId,
    next: usize,
}

/// A call that is a safepoint.
#[derive(Clone, Default)]
struct Statepoint {
    map: StackMapId,
    ret: TypeId,
    result: Val,
    /// The slots of the pointers that live across the call, and what was loaded from them. Null pointers and variables have
    /// no slot.
    live: Vec<(Option<Slot>, Value)>,
    /// Which of these have been recorded.
    recorded: Vec<bool>,
    /// Variables among them.
    variables: Vec<Slot>,
}

/// LLVM's number of a convention.
fn number(convention: Convention) -> i64 {
    match convention {
        Convention::Fast => 8,
        Convention::Cold => 9,
        Convention::Ghc => 10,
        Convention::PreserveMost => 14,
        Convention::PreserveAll => 15,
        Convention::Swift => 16,
        Convention::Tail => 18,
        Convention::SwiftTail => 20,
        Convention::PreserveNone => 21,
        _ => 0,
    }
}

impl FunctionLowering<'_> {
    /// An intrinsic for stack maps, whose arguments have been taken.
    pub(crate) fn stack_map_intrinsic(&mut self, intrinsic: StackMapIntrinsic, site: &CallSite<'_>) -> Result<Called> {
        let val = match intrinsic {
            StackMapIntrinsic::Statepoint => self.statepoint(site)?,
            StackMapIntrinsic::Result => self.statepoint_result()?,
            StackMapIntrinsic::Relocate => self.relocate()?,
            StackMapIntrinsic::StackMap => self.plain_stack_map()?,
            StackMapIntrinsic::Patchpoint => self.patchpoint(site)?,
        };
        Ok(Called { val, entry: None })
    }

    fn make_stack_map(&mut self, map: StackMap) -> StackMapId {
        self.b.func.stack_maps.push(map);
        StackMapId::new(self.b.func.stack_maps.len() - 1)
    }

    /// `statepoint(id, patch bytes, callee, argument count, flags, arguments..., 0, 0)`, then what its bundles list.
    fn statepoint(&mut self, site: &CallSite<'_>) -> Result<Val> {
        mismatch_if(self.s.call.ret() != TOKEN)?;
        let all = self.s.call.vals.len();
        let [deopt, live] = self.s.call.bundled;
        let (id, bytes) = (self.constant_operand(0)? as u64, self.constant_operand(1)?);
        let (count, flags) = (self.constant_operand(3)? as usize, self.constant_operand(4)?);
        let arguments = 5..5usize.saturating_add(count);
        mismatch_if(arguments.end.checked_add(2 + deopt + live) != Some(all))?;
        let inline = self.constant_operand(arguments.end)? + self.constant_operand(arguments.end + 1)?;
        refuse_if(inline != 0, "a statepoint lists its values in operand bundles")?;
        let attrs = self.s.call.request.params[2].1;
        refuse_if(attrs.variadic_element, "a statepoint that calls a variadic function is not supported")?;
        let callee = self.operand(2)?.1;
        let mut entries = vec![
            StackMapEntry::Constant(number(self.s.call.request.convention)),
            StackMapEntry::Constant(flags as i64),
            StackMapEntry::Constant(deopt as i64),
        ];
        let bytes = u32::try_from(bytes).map_err(|_| intrinsic_mismatch())?;
        let map = self.make_stack_map(StackMap { id, bytes, omits_call: bytes > 0, ..StackMap::default() });
        (all - deopt - live..all).for_each(|i| self.keep_slot(map, i));
        for i in all - deopt - live..all - live {
            entries.push(self.across_call(map, i, true)?);
        }
        self.b.func.stack_maps[map.index()].entries = entries;
        let mut point = Statepoint { map, ret: attrs.element_type, ..Statepoint::default() };
        for i in all - live..all {
            let (ty, v) = self.operand(i)?;
            let pointers = self.lane_type(ty) == PTR && !self.types.is_dissolved(ty);
            refuse_if(!pointers, "the bundle `gc-live` lists what is no pointer")?;
            let slot = match self.b.func.value_def(self.b.func.resolve(v)) {
                ValueDef::Slot(slot) => {
                    point.variables.push(slot);
                    None
                }
                _ if ty == PTR && self.b.func.constant(v).is_some() => None,
                _ => Some(self.spill(map, v)),
            };
            point.live.push((slot, v));
        }
        point.recorded = vec![false; point.live.len()];
        point.result = self.call_with_map(callee, (attrs.element_type, ParamAttrs::default()), arguments, map, site)?;
        self.reload(&mut point);
        if let CallEnd::Invoke(_, unwind) = site.end {
            let pad = self.b.func.edge_to(unwind);
            self.s.stack_maps.pads.push((pad, self.s.stack_maps.statepoints.len()));
        }
        Ok(self.token_of(point))
    }

    fn token_of(&mut self, point: Statepoint) -> Val {
        self.s.stack_maps.statepoints.push(point);
        Val(TOKEN_OF_STATEPOINT | (self.s.stack_maps.statepoints.len() as u32 - 1))
    }

    /// Loads the pointers after a statepoint. What is not used is removed again.
    fn reload(&mut self, point: &mut Statepoint) {
        let block = self.b.current_block();
        for (slot, v) in &mut point.live {
            let Some(slot) = *slot else { continue };
            let address = self.b.slot_addr(slot);
            let ty = self.b.func.value_type(*v);
            let loaded = self.b.load(ty, address, 0, MemFlags::new(self.ptr.store_bytes(), false));
            let before = std::mem::replace(v, loaded);
            if let Some(&n) = self.s.stack_maps.homes.get(&before) {
                (self.s.stack_maps.slots[n].value, self.s.stack_maps.slots[n].block) = (loaded, block);
                self.s.stack_maps.homes.insert(loaded, n);
            }
        }
    }

    /// A landing pad whose value is the token by which it names the pointers of its statepoint.
    pub(crate) fn landing_pad_of_statepoint(&mut self, cleanup: bool, clauses: &[Clause]) -> Result<Val> {
        let mut found = self.s.stack_maps.pads.iter().filter(|pad| pad.0 == self.block).map(|pad| pad.1);
        let (Some(number), None) = (found.next(), found.next()) else {
            return Err(Refusal::new("this landing pad must belong to one statepoint, which precedes it"));
        };
        self.enter_pad(cleanup, clauses)?;
        let mut point = self.s.stack_maps.statepoints[number].clone();
        self.reload(&mut point);
        // The variables are recorded once.
        point.variables.clear();
        Ok(self.token_of(point))
    }

    /// The statepoint of the current call's first argument.
    fn statepoint_of_token(&self) -> Result<usize> {
        let unknown = || Refusal::new("expected the token of a `llvm.experimental.gc.statepoint` that precedes this");
        let token = self.s.call.vals.first().ok_or_else(unknown)?.0;
        let number = (token & !TOKEN_OF_STATEPOINT) as usize;
        let known = token & TOKEN_OF_STATEPOINT != 0 && number < self.s.stack_maps.statepoints.len();
        if known { Ok(number) } else { Err(unknown()) }
    }

    fn statepoint_result(&mut self) -> Result<Val> {
        let point = &self.s.stack_maps.statepoints[self.statepoint_of_token()?];
        mismatch_if(point.ret != self.s.call.ret() || point.ret == VOID)?;
        Ok(point.result)
    }

    /// `gc.relocate(token, number of the base, number of the pointer)`.
    fn relocate(&mut self) -> Result<Val> {
        let ret = self.s.call.ret();
        mismatch_if(self.lane_type(ret) != PTR)?;
        let ret = self.types.ir(ret);
        let number = self.statepoint_of_token()?;
        let (base, derived) = (self.constant_operand(1)? as usize, self.constant_operand(2)? as usize);
        let point = &mut self.s.stack_maps.statepoints[number];
        let (Some(&(base, _)), Some(&(slot, v))) = (point.live.get(base), point.live.get(derived)) else {
            return Err(Refusal::new("the bundle `gc-live` does not have so many pointers"));
        };
        mismatch_if(self.b.func.value_type(v) != ret)?;
        if !std::mem::replace(&mut point.recorded[derived], true) {
            // Of a vector, all lanes.
            let size = ret.store_bytes() as u16;
            let entry = |slot: Option<Slot>| match slot {
                Some(slot) => StackMapEntry::Contents { slot, size },
                None => StackMapEntry::Constant(0),
            };
            self.b.func.stack_maps[point.map.index()].entries.extend([entry(base), entry(slot)]);
        }
        Ok(v.into())
    }

    /// At the end of the function: variables follow the pointers.
    pub(crate) fn finish_stack_maps(&mut self) {
        for point in &self.s.stack_maps.statepoints {
            let variables = point.variables.iter().map(|&slot| StackMapEntry::Address(slot));
            self.b.func.stack_maps[point.map.index()].entries.extend(variables);
        }
    }

    /// `stackmap(id, bytes, values...)`.
    fn plain_stack_map(&mut self) -> Result<Val> {
        mismatch_if(self.s.call.ret() != VOID)?;
        let map = self.map_with_bytes()?;
        let (mut entries, mut operands) = (Vec::new(), Vec::new());
        for i in 2..self.s.call.vals.len() {
            let v = self.operand(i)?.1;
            let ty = self.types.ir(self.s.call.request.params[i].0);
            let in_register = ty.is_int() && ty.bits().is_power_of_two() && ty.bits() <= self.ptr.bits();
            let computed = in_register
                && self.b.func.constant(v).is_none()
                && !matches!(self.b.func.value_def(self.b.func.resolve(v)), ValueDef::Slot(_));
            if computed {
                operands.push(v.0);
                entries.push(StackMapEntry::Operand);
            } else {
                entries.push(self.across_call(map, i, false)?);
            }
        }
        let (count, start) = (operands.len() as u32, self.b.func.push_words(operands));
        self.b.func.stack_maps[map.index()].entries = entries;
        let data = InstData { op: Opcode::StackMap, flags: 0, ty: Type::VOID, a: start, b: count, c: map.0 };
        self.b.push(data, &[]);
        Ok(Val::default())
    }

    /// `patchpoint(id, bytes, callee, argument count, arguments..., values...)`.
    fn patchpoint(&mut self, site: &CallSite<'_>) -> Result<Val> {
        let map = self.map_with_bytes()?;
        let callee = self.operand(2)?.1;
        let count = self.constant_operand(3)? as usize;
        let arguments = 4..4usize.saturating_add(count);
        mismatch_if(arguments.end > self.s.call.vals.len())?;
        let entries: Result<Vec<_>> =
            (arguments.end..self.s.call.vals.len()).map(|i| self.across_call(map, i, false)).collect();
        let none = matches!(self.b.func.constant(callee), Some(ConstData::Int(0) | ConstData::Poison));
        let data = &mut self.b.func.stack_maps[map.index()];
        (data.entries, data.at_start, data.omits_call) = (entries?, true, none);
        let ret = self.s.call.request.ret.unwrap_or_default();
        self.call_with_map(callee, ret, arguments, map, site)
    }

    /// A new stack map with the number and the bytes that the first arguments give.
    fn map_with_bytes(&mut self) -> Result<StackMapId> {
        let (id, bytes) = (self.constant_operand(0)? as u64, self.constant_operand(1)?);
        let bytes = u32::try_from(bytes).map_err(|_| intrinsic_mismatch())?;
        Ok(self.make_stack_map(StackMap { id, bytes, ..StackMap::default() }))
    }

    /// The entry for operand `i`, which a record of a call lists.
    fn across_call(&mut self, map: StackMapId, i: usize, of_statepoint: bool) -> Result<StackMapEntry> {
        let (ty, v) = self.operand(i)?;
        refuse_if(self.types.is_dissolved(ty), "a vector without a register in a stack map is not supported")?;
        let ty = self.b.func.value_type(v);
        if let ValueDef::Slot(slot) = self.b.func.value_def(self.b.func.resolve(v)) {
            return Ok(StackMapEntry::Address(slot));
        }
        match self.b.func.constant(v) {
            Some(ConstData::Poison) if of_statepoint => return Ok(StackMapEntry::Constant(UNDEFINED)),
            Some(ConstData::Poison) => return Ok(StackMapEntry::Constant((UNDEFINED as i32).into())),
            // LLVM widens truth values before it looks at them.
            Some(ConstData::Int(n)) if ty == Type::I1 && !of_statepoint => {
                return Ok(StackMapEntry::Constant(n as i64));
            }
            Some(ConstData::Float(bits)) if ty.bits() <= 64 => return Ok(StackMapEntry::Constant(bits as i64)),
            _ => {}
        }
        if let Some(n) = self.b.func.int_constant_signed(v) {
            return Ok(StackMapEntry::Constant(n));
        }
        let slot = self.spill(map, v);
        Ok(StackMapEntry::Contents { slot, size: ty.store_bytes() as u16 })
    }

    /// Keeps the slot that holds operand `i` for it: others that the stack map lists get other slots.
    fn keep_slot(&mut self, map: StackMapId, i: usize) {
        let maps = &mut self.s.stack_maps;
        if let Some(&n) = maps.homes.get(&self.s.call.vals[i].value())
            && maps.slots[n].value == self.s.call.vals[i].value()
        {
            maps.slots[n].taken = map;
        }
    }

    /// A slot that holds a value where the code of a stack map begins.
    fn spill(&mut self, map: StackMapId, v: Value) -> Slot {
        let size = self.b.func.value_type(v).store_bytes().max(1);
        let (block, align) = (self.b.current_block(), self.slot_align(size));
        let maps = &mut self.s.stack_maps;
        if let Some(&n) = maps.homes.get(&v)
            && maps.slots[n].value == v
        {
            let spill = &mut maps.slots[n];
            spill.taken = map;
            let slot = spill.slot;
            if spill.block != block {
                spill.block = block;
                self.store_to_slot(v, slot, size);
            }
            return slot;
        }
        let pool = maps.pools.entry(size).or_default();
        if pool.map != map {
            (pool.map, pool.next) = (map, 0);
        }
        let mut free = None;
        while free.is_none()
            && let Some(&n) = pool.slots.get(pool.next)
        {
            pool.next += 1;
            free = Some(n).filter(|&n| maps.slots[n].taken != map);
        }
        let n = free.unwrap_or(maps.slots.len());
        let slot = match free {
            Some(n) => maps.slots[n].slot,
            None => self.b.func.make_temporary(size, align),
        };
        let spill = Spill { slot, value: v, block, taken: map };
        match free {
            Some(n) => maps.slots[n] = spill,
            None => {
                pool.slots.push(n);
                pool.next = pool.slots.len();
                maps.slots.push(spill);
            }
        }
        maps.homes.insert(v, n);
        self.store_to_slot(v, slot, size);
        slot
    }

    fn store_to_slot(&mut self, v: Value, slot: Slot, size: u32) {
        let address = self.b.slot_addr(slot);
        self.b.store(v, address, 0, MemFlags::new(self.slot_align(size), false));
    }

    /// Every stack has this alignment.
    fn slot_align(&self, size: u32) -> u32 {
        size.next_power_of_two().min(self.ptr.store_bytes())
    }

    /// Calls with the arguments in a range of the current ones.
    fn call_with_map(
        &mut self,
        callee: Value,
        ret: (TypeId, ParamAttrs),
        arguments: Range<usize>,
        map: StackMapId,
        site: &CallSite<'_>,
    ) -> Result<Val> {
        let outer = std::mem::take(&mut self.s.call);
        self.s.call.begin(outer.request.convention, ret.0, ret.1);
        for i in arguments {
            let (ty, attrs) = outer.request.params[i];
            self.s.call.push(ty, attrs, outer.vals[i]);
        }
        let callee = match self.b.func.constant(callee) {
            Some(ConstData::Symbol(symbol, 0)) => Callee::Symbol(symbol),
            _ => Callee::Value(callee),
        };
        self.s.stack_maps.of_next_call = Some(map);
        let target = CallTarget::Function(callee);
        let inner = CallSite { attrs: site.attrs, within: site.within, end: site.end, ..CallSite::of(target) };
        let called = self.function_call(callee, &inner);
        self.s.stack_maps.of_next_call = None;
        self.s.call = outer;
        Ok(called?.val)
    }
}
