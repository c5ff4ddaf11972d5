//! Places of local variables (`S_DEFRANGE_…`).

use std::collections::HashMap;
use std::ops::Range;

use gimli::{DwOp, constants as dw};

use super::CodeViewInput;
use super::bytes::Output;
use super::records::symbol;
use crate::debug::sections::DebugTarget;
use crate::debug::{
    DebugFunction, DiExpression, Fragment, Place, VariableOperand, VariableRange, llvm_operation as llvm,
};

/// The most bytes of code that one record is about (LLVM, `MaxDefRange`).
const MAX_RANGE: u32 = 0xf000;
/// The most bytes by which a part of a variable may be away from its start.
const MAX_PART: u64 = 0xfff;
/// Bytes of a return address, where calls push it.
const RETURN_ADDRESS: i32 = 4;

/// How a variable is found: a register, to which offsets are added, and from where a value is loaded for each of these.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Chain {
    /// By DWARF's number.
    register: u16,
    /// Bytes of the part of the register.
    bytes: u16,
    loads: Vec<i64>,
}

/// Where a variable, or a part of it, is. Registers have CodeView's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Location {
    Register { register: u16, part: Option<u16> },
    Memory { register: u16, offset: i32, part: Option<u16> },
}

/// Where a variable is.
#[derive(Default)]
pub(super) struct VariableLocations {
    /// Each place with its stretches of code, in order.
    pub list: Vec<(Location, Vec<Range<u32>>)>,
    /// What is found is the variable's address.
    pub by_reference: bool,
    /// It is this constant somewhere, if it is nowhere else.
    pub constant: Option<(u128, u16)>,
    /// How many places could not be expressed.
    pub lost: u32,
}

/// What is known of a part of a variable through a stretch of code.
struct Known {
    code: Range<u32>,
    part: Option<Fragment>,
    chains: Vec<(Chain, u64)>,
}

/// The places of a variable of a function. What is in the frame all the time is only described in its scope, when the frame is made.
pub(super) fn locations(
    input: &CodeViewInput<'_>,
    function: &DebugFunction,
    ranges: &[VariableRange],
    scope: &[Range<u32>],
) -> VariableLocations {
    let start = function.debug.description.prologue_bytes;
    let (mut out, mut known) = (VariableLocations::default(), Vec::new());
    function.stretches(ranges, |code, parts| {
        for &(range, part) in parts {
            let debug = &function.debug;
            let operands = &debug.operands[range.operands.start as usize..range.operands.end as usize];
            let expression = &debug.expressions[range.expression as usize];
            if let (&[VariableOperand::Constant { bits, bytes }], false) = (operands, range.is_address)
                && expression.0.is_empty()
            {
                out.constant = Some((bits, bytes));
                continue;
            }
            match chains(operands, expression, range.is_address) {
                Some(chains) => known.push(Known { code: code.clone(), part, chains }),
                None => out.lost += 1,
            }
        }
    });
    let is_far = |known: &Known| known.chains.iter().any(|(chain, _)| chain.loads.len() == 2);
    out.by_reference = known.iter().any(is_far);
    let mut numbers = HashMap::new();
    for Known { code, part, mut chains } in known {
        if out.by_reference {
            chains.retain_mut(|(chain, _)| chain.loads.pop() == Some(0));
        }
        let found: Option<Vec<Location>> =
            chains.iter().map(|(chain, at)| location(input, function, chain, (part, *at, chains.len() > 1))).collect();
        let Some(found) = found.filter(|found| !found.is_empty()) else {
            out.lost += 1;
            continue;
        };
        let whole = code.start == 0 && code.end >= function.len;
        for location in found {
            let number = *numbers.entry(location).or_insert_with(|| {
                out.list.push((location, Vec::new()));
                out.list.len() - 1
            });
            match whole {
                true => scope.iter().for_each(|code| add(&mut out.list[number].1, code.start.max(start)..code.end)),
                false => add(&mut out.list[number].1, code.clone()),
            }
        }
    }
    out.list.retain(|(_, ranges)| !ranges.is_empty());
    out
}

fn add(ranges: &mut Vec<Range<u32>>, code: Range<u32>) {
    match ranges.last_mut() {
        Some(last) if last.end >= code.start => last.end = last.end.max(code.end),
        _ if code.is_empty() => {}
        _ => ranges.push(code),
    }
}

/// How a variable is found, each part with its first byte; `None` if it cannot be expressed.
fn chains(operands: &[VariableOperand], expression: &DiExpression, is_address: bool) -> Option<Vec<(Chain, u64)>> {
    let &[operand] = operands else { return None };
    let at_place = |place: Place, bytes: u16| match place {
        Place::Register(register) => Chain { register, bytes, loads: Vec::new() },
        Place::Memory { register, offset } => Chain { register, bytes, loads: vec![offset.into()] },
    };
    let (mut chain, mut offset, mut computed) = match operand {
        VariableOperand::Value { low, high: None, bytes } => (at_place(low, bytes), 0i64, false),
        VariableOperand::Value { low, high: Some(high), bytes } => {
            let plain = !is_address && expression.is_plain();
            return plain.then(|| vec![(at_place(low, bytes), 0), (at_place(high, bytes), bytes.into())]);
        }
        VariableOperand::FrameAddress { register, offset, align: 0 | 1 } => {
            (Chain { register, bytes: 8, loads: Vec::new() }, offset.into(), true)
        }
        _ => return None,
    };
    let mut constant = None;
    for (operation, words) in expression.operations() {
        match (operation, words, constant.take()) {
            (llvm::FRAGMENT, ..) => break,
            (llvm::TAG_OFFSET, ..) | (llvm::ARG, &[0], None) => {}
            (operation, words, taken) => match (DwOp(u8::try_from(operation).ok()?), words, taken) {
                (dw::DW_OP_plus_uconst, &[by], None) => offset = offset.checked_add(i64::try_from(by).ok()?)?,
                (dw::DW_OP_constu, &[value], None) => constant = Some(i64::try_from(value).ok()?),
                (dw::DW_OP_plus, _, Some(by)) => offset = offset.checked_add(by)?,
                (dw::DW_OP_minus, _, Some(by)) => offset = offset.checked_sub(by)?,
                (dw::DW_OP_deref, _, None) => {
                    chain.loads.push(std::mem::take(&mut offset));
                    computed = false;
                }
                (dw::DW_OP_stack_value, _, None) if chain.loads.is_empty() => {}
                _ => return None,
            },
        }
    }
    if is_address {
        chain.loads.push(offset);
    } else if offset != 0 || computed {
        return None;
    }
    let fits = constant.is_none() && chain.loads.iter().all(|&at| i32::try_from(at).is_ok());
    let far = chain.loads.len() > 2 || chain.loads.get(1).is_some_and(|&at| at != 0);
    (fits && !far).then(|| vec![(chain, 0)])
}

/// The place that a chain leads to, of the part of the variable that begins `at` bytes into what it is about.
fn location(
    input: &CodeViewInput<'_>,
    function: &DebugFunction,
    chain: &Chain,
    (part, at, split): (Option<Fragment>, u64, bool),
) -> Option<Location> {
    let part = match part {
        Some(part) if part.offset.is_multiple_of(8) => Some(part.offset / 8 + at),
        Some(_) => return None,
        None => split.then_some(at),
    };
    let part = match part {
        Some(part) if part > MAX_PART => return None,
        part => part.map(|part| part as u16),
    };
    let facts = input.facts;
    let Some(&offset) = chain.loads.first() else {
        return Some(Location::Register { register: (facts.register)(chain.register, chain.bytes)?, part });
    };
    let register = (facts.register)(chain.register, input.pointer_bytes.into())?;
    let offset = i32::try_from(offset).ok()?;
    Some(match &facts.moving_stack {
        // Calls move the stack pointer, but not the start of the frame.
        Some(moving) if register == moving.stack_pointer => {
            let offset = offset.checked_sub(function.debug.frame.to_cfa?)?.checked_add(RETURN_ADDRESS)?;
            Location::Memory { register: moving.frame, offset, part }
        }
        _ => Location::Memory { register, offset, part },
    })
}

/// Writes a place with its stretches of code. `frame` is the register that the function's description names for such variables.
pub(super) fn write(
    out: &mut Output,
    function: &DebugFunction,
    frame: Option<u16>,
    (location, ranges): &(Location, Vec<Range<u32>>),
) {
    let mut fixed = Output::default();
    let bytes = &mut fixed.bytes;
    match *location {
        Location::Register { register, part: None } => {
            bytes.u16(symbol::DEFRANGE_REGISTER);
            bytes.u16(register);
            bytes.u16(0);
        }
        Location::Register { register, part: Some(part) } => {
            bytes.u16(symbol::DEFRANGE_SUBFIELD_REGISTER);
            bytes.u16(register);
            bytes.u16(0);
            bytes.u32(part.into());
        }
        Location::Memory { register, offset, part: None } if frame == Some(register) => {
            bytes.u16(symbol::DEFRANGE_FRAMEPOINTER_REL);
            bytes.u32(offset as u32);
        }
        Location::Memory { register, offset, part } => {
            bytes.u16(symbol::DEFRANGE_REGISTER_REL);
            bytes.u16(register);
            bytes.u16(part.map_or(0, |part| 1 | part << 4));
            bytes.u32(offset as u32);
        }
    }
    let mut rest = &ranges[..];
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|range| range.end - first.start <= MAX_RANGE).count().max(1);
        let (these, others) = rest.split_at(count);
        rest = others;
        let gaps: Vec<(u32, u32)> =
            these.windows(2).map(|pair| (pair[0].end - first.start, pair[1].start - pair[0].end)).collect();
        let (mut start, end) = (first.start, these[count - 1].end);
        while start < end {
            // A single stretch may need several records.
            let len = (end - start).min(MAX_RANGE);
            out.bytes.u16((fixed.len() + 8 + 4 * gaps.len()) as u16);
            out.append(fixed.clone());
            out.place(DebugTarget::Section(function.section), function.offset as i64 + i64::from(start));
            out.bytes.u16(len as u16);
            start += len;
        }
        for &(at, len) in &gaps {
            out.bytes.u16(at as u16);
            out.bytes.u16(len as u16);
        }
    }
}
