//! Calls of a function: where they return to, what they call, and what their arguments are (DWARF 5 section 3.4; before, the extension
//! of GNU that "DWARF Extensions for call sites" in GCC's wiki describes). Debuggers find with them what parameters were on entry,
//! and functions whose frames tail calls have replaced.

use gimli::constants as dw;
use gimli::{DwAt, DwTag};

use super::entries::Value;
use super::expression::{Described, FrameBase};
use super::operations::Lost;
use super::sections::DwarfWriter;
use super::units::{Builder, Entry};
use super::variables::DescribedFunction;
use crate::debug::{CallArgument, DebugCall, DebugCallee, DiExpression, DiSubprogramId, VariableOperand, di_flags};

/// The names of what says something of calls.
struct CallNames {
    all_calls: DwAt,
    call: DwTag,
    argument: DwTag,
    origin: DwAt,
    target: DwAt,
    target_clobbered: DwAt,
    tail_call: DwAt,
    return_pc: DwAt,
    /// Where the instruction is.
    pc: Option<DwAt>,
    value: DwAt,
}

const DWARF_5: CallNames = CallNames {
    all_calls: dw::DW_AT_call_all_calls,
    call: dw::DW_TAG_call_site,
    argument: dw::DW_TAG_call_site_parameter,
    origin: dw::DW_AT_call_origin,
    target: dw::DW_AT_call_target,
    target_clobbered: dw::DW_AT_call_target_clobbered,
    tail_call: dw::DW_AT_call_tail_call,
    return_pc: dw::DW_AT_call_return_pc,
    pc: Some(dw::DW_AT_call_pc),
    value: dw::DW_AT_call_value,
};

const GNU: CallNames = CallNames {
    all_calls: dw::DW_AT_GNU_all_call_sites,
    call: dw::DW_TAG_GNU_call_site,
    argument: dw::DW_TAG_GNU_call_site_parameter,
    origin: dw::DW_AT_abstract_origin,
    target: dw::DW_AT_GNU_call_site_target,
    target_clobbered: dw::DW_AT_GNU_call_site_target_clobbered,
    tail_call: dw::DW_AT_GNU_tail_call,
    return_pc: dw::DW_AT_low_pc,
    pc: None,
    value: dw::DW_AT_GNU_call_site_value,
};

impl Builder<'_> {
    /// Describes the calls of a function, if its front end says that it has described all that it calls.
    pub fn calls(&mut self, entry: Entry, of: &DescribedFunction<'_>, function: DiSubprogramId) {
        if self.info.subprograms[function.index()].flags & di_flags::ALL_CALLS_DESCRIBED == 0 {
            return;
        }
        let names = if self.facts.version >= 5 { &DWARF_5 } else { &GNU };
        self.flag(entry, names.all_calls, true);
        for mark in &of.function.debug.calls {
            self.call(entry, of, names, (mark.offset, &mark.value));
        }
    }

    /// A call that ends at an offset. One of a function that is not described has no entry, as in LLVM.
    fn call(&mut self, around: Entry, of: &DescribedFunction<'_>, names: &CallNames, (end, call): (u32, &DebugCall)) {
        let (name, callee) = match call.callee {
            DebugCallee::Symbol(_, None) => return,
            DebugCallee::Symbol(_, Some(function)) => {
                let unit = self.info.subprograms[function.index()].unit.and_then(|unit| self.unit(unit));
                let callee = self.subprogram_entry(unit.unwrap_or(of.unit), function);
                let entry = self.add(around, names.call);
                self.refer(entry, names.origin, callee);
                return self.call_place(entry, of, names, (end, call));
            }
            DebugCallee::Value(value) => {
                let target = self.expression(around.unit, |all, out| all.call_value(out, of.frame, value));
                (names.target, target)
            }
            DebugCallee::Clobbered(register) => {
                let target = self.known_expression(around.unit, |out| out.op_breg(register, 0));
                (names.target_clobbered, Some(target))
            }
        };
        let Some(callee) = callee else { return };
        let entry = self.add(around, names.call);
        self.set(entry, name, callee);
        self.call_place(entry, of, names, (end, call));
    }

    /// Says where a call is, and what its arguments are.
    fn call_place(
        &mut self,
        entry: Entry,
        of: &DescribedFunction<'_>,
        names: &CallNames,
        (end, call): (u32, &DebugCall),
    ) {
        let function = of.function;
        let address = |at: u32| Value::Address { section: function.section, offset: function.offset + u64::from(at) };
        self.flag(entry, names.tail_call, call.tail);
        if let Some(pc) = names.pc.filter(|_| call.tail) {
            self.set(entry, pc, address(end - call.bytes));
        }
        // A jump returns to nowhere, but gdb finds it by what follows it, and so LLVM writes that, too.
        self.set(entry, names.return_pc, address(end));
        let arguments = call.arguments.start as usize..call.arguments.end as usize;
        for &CallArgument { register, value } in &function.debug.call_arguments[arguments] {
            // A debugger does without an argument that it cannot be told.
            let Some(value) = self.expression(entry.unit, |all, out| all.call_value(out, of.frame, value)) else {
                continue;
            };
            let argument = self.add(entry, names.argument);
            let place = self.known_expression(entry.unit, |out| out.op_reg(register));
            self.set(argument, dw::DW_AT_location, place);
            self.set(argument, names.value, value);
        }
    }

    /// Appends the value of something that the caller has while the callee runs.
    fn call_value(&self, out: &mut DwarfWriter, frame: FrameBase, value: VariableOperand) -> Result<(), Lost> {
        let expression = &DiExpression::default();
        let of = Described { operands: &[], expression, is_address: false, ty: None, frame };
        self.push(out, &of, value)
    }
}
