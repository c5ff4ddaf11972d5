//! Debug information of a body, for sinks that make code: locations of instructions, and records about variables.
//!
//! A location follows its instruction, and then come the records that stand before the instruction. Records never change the code, so that
//! a value that is defined later is looked up at the end of the body instead of being used.

use gusset_codegen::debug::DiLabelId;
use gusset_codegen::ir::DebugRecordKind;
use gusset_lower::debug_info::LocationFields;
use gusset_program::{Refusal, Result, Sink, TypeId, VariableRecord};

use super::Reader;
use super::fields::Fields;
use super::tables::State;
use crate::codes::{function as code, metadata};
use crate::metadata::Nodes;

impl<E: Sink> Reader<'_, E> {
    /// The number among all nodes of one of the function's.
    pub(super) fn node_number(&self, number: u64) -> u32 {
        self.m.node_number(number, self.first_node)
    }

    /// An instruction begins. Records that stand before it follow it, so that only now the last one has done what it does.
    #[inline]
    pub(super) fn begin_located(&mut self) {
        self.end_located();
        let number = self.s.locations.count;
        self.s.locations.count += 1;
        if let (Some(own), Some(last)) = (self.own_nodes, number.checked_sub(1))
            && let Some(&node) = own.assignments.get(&last)
        {
            let node = self.node_number(node);
            self.s.records.assigned.insert(node);
        }
        self.l.begin_instruction();
        self.s.locations.open = true;
    }

    /// The instruction that was read last has no location, if none was read.
    #[inline]
    pub(super) fn end_located(&mut self) {
        if std::mem::take(&mut self.s.locations.open) {
            self.s.records.located(&mut self.l, None);
        }
    }

    /// Takes the location of the last instruction.
    pub(super) fn instruction_location(&mut self, number: u64, mut fields: Fields<'_>) -> Result<()> {
        if number == code::DEBUG_LOC {
            let (line, column) = (fields.next()?, fields.next()?);
            let (scope, call) = (fields.next()?, fields.next()?);
            self.s.locations.last = match self.location(line, column, scope, call)? {
                Some(location) => {
                    let m = self.m;
                    let own = call.checked_sub(1).map(|call| self.node_number(call));
                    Some(self.s.records.location(&mut self.l, location, |node| {
                        if node == location { (line as u32, own) } else { m.line_and_call(node) }
                    }))
                }
                None => None,
            };
        }
        self.s.locations.open = false;
        self.s.records.located(&mut self.l, self.s.locations.last);
        Ok(())
    }

    /// The number of a location; none if it has no scope.
    fn location(&mut self, line: u64, column: u64, scope: u64, call: u64) -> Result<Option<u32>> {
        let key = (line, column, scope, call);
        if let Some(&known) = self.s.locations.known.get(&key) {
            return Ok(Some(known));
        }
        let Some(scope) = scope.checked_sub(1) else { return Ok(None) };
        let fields = LocationFields {
            line: u32::try_from(line).map_err(|_| Refusal::new("the line is too large"))?,
            column: u16::try_from(column).unwrap_or(0),
            scope: self.node_number(scope),
            inlined_at: call.checked_sub(1).map(|call| self.node_number(call)),
        };
        let number = self.m.debug.add_location(fields);
        self.s.locations.known.insert(key, number);
        Ok(Some(number))
    }

    /// Takes a debug record.
    pub(super) fn debug_record(&mut self, number: u64, mut fields: Fields<'_>) -> Result<()> {
        let location = self.node_number(fields.next()?);
        if number == code::DEBUG_RECORD_LABEL {
            let label = DiLabelId(self.node_number(fields.next()?));
            self.label_record(label);
        } else {
            let variable = self.node_number(fields.next()?);
            let expression = fields.next()?;
            self.take_expression(expression, false)?;
            if number == code::DEBUG_RECORD_VALUE_SIMPLE {
                self.s.records.operands.clear();
                self.s.records.locals.clear();
                let (id, ty) = self.typed_id(&mut fields)?;
                self.operand(id, ty);
            } else {
                self.operands(fields.next()?);
            }
            match number {
                code::DEBUG_RECORD_DECLARE => self.hand_over(DebugRecordKind::Declare, variable, false),
                code::DEBUG_RECORD_ASSIGN => {
                    let (id, address, value) = (fields.next()?, fields.next()?, fields.next()?);
                    self.assignment(variable, id, (value, address))?;
                }
                _ => self.hand_over(DebugRecordKind::Value, variable, false),
            }
        }
        let m = self.m;
        let location = self.s.records.location(&mut self.l, location, |node| m.line_and_call(node));
        if let Some(call) = location.inlined_at {
            self.l.set_inlined_at(call);
        }
        Ok(())
    }

    fn label_record(&mut self, label: DiLabelId) {
        let kind = DebugRecordKind::Label(label);
        self.l.variable_record(&VariableRecord { kind, variable: 0, expression: &[], operands: &[] });
    }

    fn hand_over(&mut self, kind: DebugRecordKind, variable: u32, by_address: bool) {
        self.s.records.hand_over(&mut self.l, kind, variable, by_address);
    }

    /// Takes the rest of an assignment: its own node, its address and the expression of that. If its store has been read, the variable
    /// lies in memory from here on; if the store has been removed, the variable has the value.
    fn assignment(&mut self, variable: u32, id: u64, (address, expression): (u64, u64)) -> Result<()> {
        let stored = self.s.records.assigned.contains(&self.node_number(id));
        if !stored {
            self.hand_over(DebugRecordKind::Value, variable, false);
        }
        self.operands(address);
        self.take_expression(expression, true)?;
        if stored {
            self.hand_over(DebugRecordKind::Address, variable, true);
        }
        Ok(())
    }

    /// Takes an expression by the number of its node.
    fn take_expression(&mut self, number: u64, of_address: bool) -> Result<()> {
        let m = self.m;
        let words = m.expression(self.node_number(number));
        let words = words.ok_or_else(|| Refusal::new("a debug record has no expression of a known version"))?;
        let s = &mut self.s.records;
        let all = if of_address { &mut s.address_expression } else { &mut s.expression };
        all.clear();
        all.extend_from_slice(&words);
        Ok(())
    }

    /// Takes the operands of a record: a value, a list of values, or metadata that stand for no value.
    fn operands(&mut self, number: u64) {
        self.s.records.operands.clear();
        self.s.records.locals.clear();
        let nodes = Nodes { module: &self.m.metadata, own: Some(&self.s.metadata) };
        let list: Vec<u64> = match nodes.get(number) {
            Some((all, node)) if u64::from(node.code) == metadata::ARG_LIST => all.fields(node).to_vec(),
            _ => vec![number],
        };
        let alone = list.len() == 1 && list[0] == number;
        for number in list {
            let nodes = Nodes { module: &self.m.metadata, own: Some(&self.s.metadata) };
            let value = nodes.value(number).and_then(|(ty, value)| Some((self.m.table.get(ty).ok()?, value as u32)));
            match value {
                Some((ty, id)) => self.operand(id, ty),
                None if alone => {}
                None => {
                    self.s.records.operands.push(None);
                    self.s.records.locals.push(None);
                }
            }
        }
    }

    /// Takes an operand.
    fn operand(&mut self, id: u32, ty: TypeId) {
        let (mut operand, mut local) = (None, None);
        match self.s.locals.get(id.wrapping_sub(self.base) as usize).copied() {
            Some(known) if known.state == State::Defined => {
                operand = Some((ty, known.val)).filter(|_| known.ty == ty);
            }
            Some(known) if known.state == State::Constant => operand = self.debug_constant(id, ty),
            _ if id < self.base => operand = self.debug_constant(id, ty),
            _ => local = Some((id, ty)),
        }
        self.s.records.operands.push(operand);
        self.s.records.locals.push(local);
    }

    /// A constant, unless it takes instructions.
    fn debug_constant(&mut self, id: u32, ty: TypeId) -> Option<(TypeId, gusset_program::Val)> {
        self.l.set_frozen(true);
        self.l.set_debug_constants(true);
        let val = self.value(id, ty);
        self.l.set_debug_constants(false);
        let refused = self.l.set_frozen(false);
        if val.is_err() {
            self.depth = 0;
            self.s.members.clear();
            self.s.indices.clear();
        }
        val.ok().filter(|_| !refused).map(|val| (ty, val))
    }

    /// Takes the arguments of an intrinsic about debug information, by the numbers of their metadata; `kind` is the rest of its name.
    pub(super) fn debug_intrinsic(&mut self, kind: &[u8], args: &[u64]) -> Result<()> {
        let number = |index: usize| {
            let arg = args.get(index).ok_or_else(|| Refusal::new("the record has too few fields"))?;
            Ok::<u64, Refusal>(self.next.wrapping_sub(*arg as u32).into())
        };
        if kind == b"label" {
            let label = DiLabelId(self.node_number(number(0)?));
            self.label_record(label);
        } else {
            // Before LLVM 6 a value had an offset.
            let old = usize::from(kind == b"value" && args.len() == 4);
            let (operand, variable, expression) = (number(0)?, number(1 + old)?, number(2 + old)?);
            let rest = if kind == b"assign" { Some((number(3)?, number(4)?, number(5)?)) } else { None };
            let offset = args.get(1).map(|&arg| self.next.wrapping_sub(arg as u32));
            if old == 1 && !offset.and_then(|id| self.constant_of(id)).is_some_and(|(_, offset)| offset.is(0)) {
                // As LLVM's reader treats them (`UpgradeIntrinsicCall`).
                return Ok(());
            }
            self.take_expression(expression, false)?;
            self.operands(operand);
            let variable = self.node_number(variable);
            match (kind, rest) {
                (b"declare", _) => self.hand_over(DebugRecordKind::Declare, variable, false),
                (b"addr", _) => self.hand_over(DebugRecordKind::Address, variable, false),
                (_, Some((id, address, expression))) => self.assignment(variable, id, (address, expression))?,
                _ => self.hand_over(DebugRecordKind::Value, variable, false),
            }
        }
        self.s.records.waits_for_location = true;
        Ok(())
    }
}
