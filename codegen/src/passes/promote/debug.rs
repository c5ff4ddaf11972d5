//! Debug records of variables that become values: where the variable was stored to, it now gets a value.

use crate::ir::{DebugRecord, DebugRecordKind, Function, Inst, Slot, Value, ValueDef};

/// A record that says which variable lies in a slot.
struct Declared {
    slot: Slot,
    record: DebugRecord,
}

/// What the pass does to the debug information of a function.
#[derive(Default)]
pub(super) struct PromotedVariables {
    /// The variables of slots that are promoted, by slot.
    declared: Vec<Declared>,
    /// Instructions that are removed, in no order.
    removed: Vec<Inst>,
    /// Values that slots get: the instruction before which that is, whether it is a block's start, the slot, the value.
    values: Vec<(Inst, bool, Slot, Value)>,
    active: bool,
}

impl PromotedVariables {
    /// Takes the declarations of promoted slots out of the function's records.
    #[inline(never)]
    pub fn begin(&mut self, f: &mut Function, promoted: impl Fn(Slot) -> bool) {
        self.declared.clear();
        self.removed.clear();
        self.values.clear();
        self.active = !f.debug.is_empty();
        if !self.active {
            return;
        }
        let mut records = std::mem::take(&mut f.debug.records);
        records.retain(|record| {
            let &[Some(address)] = f.debug.operands_of(record) else { return true };
            let declares = matches!(record.kind, DebugRecordKind::Declare | DebugRecordKind::Address);
            match f.value_def(f.resolve(address)) {
                ValueDef::Slot(slot) if promoted(slot) && declares => {
                    self.declared.push(Declared { slot, record: record.clone() });
                    false
                }
                _ => true,
            }
        });
        f.debug.records = records;
        self.declared.sort_by_key(|declared| declared.slot);
    }

    /// Has the function debug information?
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// Notes that an access to a slot is removed, and the value if it was a store.
    #[inline(never)]
    pub fn remove(&mut self, inst: Inst, slot: Slot, stored: Option<Value>) {
        self.removed.push(inst);
        self.values.extend(stored.map(|value| (inst, false, slot, value)));
    }

    /// Ends the pass: makes records of the values that variables get, by stores and, in `starts`, at the starts of blocks.
    #[inline(never)]
    pub fn finish(&mut self, f: &mut Function, starts: Vec<(Inst, Slot, Value)>) {
        self.values.extend(starts.into_iter().map(|(inst, slot, value)| (inst, true, slot, value)));
        // At a block's start comes what the block gets; what a store leaves comes after the records before the store.
        self.values.sort_by_key(|value| (value.0, !value.1));
        let old = std::mem::take(&mut f.debug.records);
        let mut old = old.into_iter().peekable();
        for &(inst, at_start, slot, value) in &self.values {
            let before = |record: &DebugRecord| if at_start { record.before < inst } else { record.before <= inst };
            while let Some(record) = old.next_if(before) {
                f.debug.records.push(record);
            }
            let first = self.declared.partition_point(|declared| declared.slot < slot);
            for declared in self.declared[first..].iter().take_while(|declared| declared.slot == slot) {
                let record = DebugRecord { before: inst, kind: DebugRecordKind::Value, ..declared.record.clone() };
                let operand = covers(f, slot, value, &declared.record).then_some(value);
                f.debug.push_record(record, [operand]);
            }
        }
        f.debug.records.extend(old);
        self.removed.sort_unstable();
        let mut firsts: Vec<Inst> = f.blocks.iter().filter(|b| b.first != u32::MAX).map(|b| Inst(b.first)).collect();
        firsts.sort_unstable();
        let mut numbers = Renumbering::new(&self.removed, &firsts);
        f.debug.renumber(|inst| numbers.number_of(inst));
    }
}

/// The numbers of instructions after some have been removed: those that are left in a block move to its start.
struct Renumbering<'a> {
    /// The instructions that are removed, and the first ones of blocks, in order.
    removed: &'a [Inst],
    firsts: &'a [Inst],
    /// The last one that was asked for.
    last: Inst,
    /// How many blocks begin at it or before, and how many instructions are removed before it and before its block.
    blocks: usize,
    before: usize,
    before_block: usize,
}

impl<'a> Renumbering<'a> {
    fn new(removed: &'a [Inst], firsts: &'a [Inst]) -> Renumbering<'a> {
        Renumbering { removed, firsts, last: Inst(0), blocks: 0, before: 0, before_block: 0 }
    }

    /// The number of an instruction, or of the next one in its block that is left. It is quick if instructions are asked for in order.
    fn number_of(&mut self, inst: Inst) -> Inst {
        if inst < self.last {
            *self = Renumbering::new(self.removed, self.firsts);
        }
        self.last = inst;
        while let Some(&first) = self.firsts.get(self.blocks).filter(|&&first| first <= inst) {
            self.blocks += 1;
            self.pass_removed(first);
            self.before_block = self.before;
        }
        self.pass_removed(inst);
        Inst(inst.0 - (self.before - self.before_block) as u32)
    }

    /// Counts the instructions that are removed before one.
    fn pass_removed(&mut self, inst: Inst) {
        while self.removed.get(self.before).is_some_and(|&removed| removed < inst) {
            self.before += 1;
        }
    }
}

/// Is a value that is stored to a slot the whole value of the variable, or of the part of it that lies there?
fn covers(f: &Function, slot: Slot, value: Value, record: &DebugRecord) -> bool {
    let bytes = f.value_type(value).store_bytes();
    let expression = &f.debug.expressions[record.expression as usize];
    match expression.fragment() {
        Some(part) => expression.0.len() == 3 && part.size <= u64::from(bytes) * 8,
        None => expression.0.is_empty() && bytes == f.slots[slot.index()].size,
    }
}
