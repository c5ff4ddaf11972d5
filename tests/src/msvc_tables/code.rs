//! What the code that tables describe does: its calls, and the states that code of 32-bit x86 stores.

use std::collections::BTreeSet;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

use super::object::{Field, Object};
use super::{Call, Machine, Place};
use crate::tools::Failure;

/// The calls of a function or funclet, in order of address. Their states are not known yet.
pub(super) fn calls(object: &Object, region: usize) -> Result<Vec<Call>, Failure> {
    let mut calls = Vec::new();
    if object.machine == Machine::Arm64 {
        let r = &object.regions[region];
        for at in (r.begin..r.end).step_by(4) {
            let word = object.word(r.section, at)?;
            let next = at - r.begin + 4;
            if word & 0xfc00_0000 == 0x9400_0000 {
                // bl
                let bytes = ((word << 6).cast_signed() >> 6).wrapping_mul(4);
                let there = || named(object, r.section, at.wrapping_add_signed(bytes));
                let to = relocated(object, r.section, at, at + 4).or_else(there);
                calls.push(Call { returns_to: Some(next), to, states: BTreeSet::new() });
            } else if word & 0xfc00_0000 == 0x1400_0000 {
                // b
                calls.extend(jump(relocated(object, r.section, at, at + 4)));
            } else if word & 0xffff_fc1f == 0xd63f_0000 {
                // blr
                calls.push(Call { returns_to: Some(next), to: None, states: BTreeSet::new() });
            }
        }
        return Ok(calls);
    }
    for instruction in decode(object, region)? {
        calls.extend(call(object, region, &instruction));
    }
    Ok(calls)
}

/// The name of the symbol of the first relocation in a stretch of code.
fn relocated(object: &Object, section: usize, from: u32, to: u32) -> Option<String> {
    let (_, &symbol) = object.sections.get(section)?.relocations.range(from..to).next()?;
    let symbol = object.symbols.get(&symbol)?;
    match symbol.section {
        Some(s) if symbol.section_itself || is_private(object, &symbol.name) => local(object, s),
        _ => Some(symbol.name.clone()),
    }
}

/// The name of the code at a place.
fn named(object: &Object, section: usize, at: u32) -> Option<String> {
    let name = object.name(section, at);
    let without = is_private(object, &name) || name.contains("+0x");
    if without { local(object, section) } else { Some(name) }
}

/// Names that not all assemblers keep. Those of C begin with an underscore on 32-bit Windows.
fn is_private(object: &Object, name: &str) -> bool {
    name.starts_with(if object.machine == Machine::I686 { "L" } else { ".L" })
}

/// Of what has no such name.
fn local(object: &Object, section: usize) -> Option<String> {
    object.sections.get(section).map(|s| format!("something in {}", s.name))
}

/// The instructions of a function or funclet, whose addresses are those in the section.
fn decode(object: &Object, region: usize) -> Result<Vec<Instruction>, Failure> {
    let r = &object.regions[region];
    let code = object.section(r.section)?.data.get(r.begin as usize..r.end as usize);
    let outside = || Failure::new(format!("{} reaches beyond its section", r.name));
    let bits = if object.machine == Machine::I686 { 32 } else { 64 };
    let decoder = Decoder::with_ip(bits, code.ok_or_else(outside)?, u64::from(r.begin), DecoderOptions::NONE);
    Ok(decoder.into_iter().collect())
}

/// The call that an instruction is.
fn call(object: &Object, region: usize, instruction: &Instruction) -> Option<Call> {
    let r = &object.regions[region];
    let (from, next) = (u32::try_from(instruction.ip()).ok()?, u32::try_from(instruction.next_ip()).ok()?);
    let to = match instruction.flow_control() {
        FlowControl::Call => relocated(object, r.section, from, next)
            .or_else(|| named(object, r.section, u32::try_from(instruction.near_branch_target()).ok()?)),
        // By way of a pointer with a name, or of any.
        FlowControl::IndirectCall => relocated(object, r.section, from, next),
        FlowControl::UnconditionalBranch => return jump(relocated(object, r.section, from, next)),
        _ => return None,
    };
    Some(Call { returns_to: Some(next - r.begin), to, states: BTreeSet::new() })
}

/// A jump to a function, if it is one: a call that does not return here.
fn jump(to: Option<String>) -> Option<Call> {
    to.map(|to| Call { returns_to: None, to: Some(to), states: BTreeSet::new() })
}

/// Where a function of 32-bit x86 has its registration record: the memory that gets the handler's address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    base: Register,
    /// Of the state, from the base.
    state: i64,
    /// The instruction that pushes the first state.
    first: Option<u64>,
}

/// Finds the registration record by the store of the handler's address, or by its push, after those of what is above it. `after` is how many
/// bytes after that the state follows.
pub(super) fn record(object: &Object, region: usize, handler: &Place, after: i64) -> Result<Record, Failure> {
    let r = &object.regions[region];
    // What has been pushed since the frame pointer has been set.
    let mut pushed: Vec<u64> = Vec::new();
    for i in decode(object, region)? {
        let (from, next) = (u32::try_from(i.ip()).unwrap_or(0), u32::try_from(i.next_ip()).unwrap_or(0));
        let store =
            i.mnemonic() == Mnemonic::Mov && i.op0_kind() == OpKind::Memory && i.op1_kind() == OpKind::Immediate32;
        if store && reference(object, r.section, from, next).as_ref() == Some(handler) {
            return Ok(Record { base: i.memory_base(), state: displacement(&i) + after, first: None });
        }
        if i.mnemonic() == Mnemonic::Push {
            pushed.push(i.ip());
            let at = -4 * pushed.len() as i64;
            if i.op0_kind() == OpKind::Immediate32 && reference(object, r.section, from, next).as_ref() == Some(handler)
            {
                let first = pushed.len().checked_sub(1 + after as usize / 4).map(|k| pushed[k]);
                return Ok(Record { base: Register::EBP, state: at + after, first });
            }
        }
        if i.mnemonic() == Mnemonic::Mov && i.op0_register() == Register::EBP && i.op1_register() == Register::ESP {
            pushed.clear();
        }
    }
    Err(Failure::new(format!("{} stores the address of its handler nowhere", r.name)))
}

/// The displacement of an operand in memory of 32-bit code.
fn displacement(instruction: &Instruction) -> i64 {
    i64::from((instruction.memory_displacement64() & 0xffff_ffff) as u32 as i32)
}

/// The first address in a stretch of code: what is there.
fn reference(object: &Object, section: usize, from: u32, to: u32) -> Option<Place> {
    let (&at, _) = object.sections.get(section)?.relocations.range(from..to).next()?;
    // Code may have addresses outside of what they are counted from.
    object.place(section, at).ok()
}

/// The state that an instruction stores into a registration record: none within when it is a value that is not told by the instruction.
fn stored(instruction: &Instruction, record: Record) -> Option<Option<i32>> {
    if record.first == Some(instruction.ip()) {
        return Some(Some(instruction.immediate(0) as u32 as i32));
    }
    let here = instruction.op_count() > 0
        && instruction.op0_kind() == OpKind::Memory
        && instruction.memory_base() == record.base
        && instruction.memory_index() == Register::None
        && displacement(instruction) == record.state;
    let number = || match instruction.op1_kind() {
        OpKind::Immediate32 | OpKind::Immediate8to32 => Some(instruction.immediate(1) as u32 as i32),
        _ => None,
    };
    match instruction.mnemonic() {
        Mnemonic::Mov if here => Some(number()),
        Mnemonic::And if here && number() == Some(0) => Some(Some(0)),
        Mnemonic::Or if here && number() == Some(-1) => Some(Some(-1)),
        Mnemonic::And | Mnemonic::Or | Mnemonic::Inc | Mnemonic::Dec | Mnemonic::Add | Mnemonic::Sub if here => {
            Some(None)
        }
        _ => None,
    }
}

/// Is it a call that does not come back?
fn throws(object: &Object, region: usize, instruction: &Instruction) -> bool {
    call(object, region, instruction).and_then(|call| call.to).is_some_and(|to| to.contains("_CxxThrowException"))
}

/// The calls of a function or funclet of 32-bit x86 with the states that may be stored in the record when they are made, by following
/// the jumps. What is entered otherwise than by a jump starts with what `entries` says of it, by offset, or with an unknown state.
pub(super) fn calls_by_stores(
    object: &Object,
    region: usize,
    record: Record,
    entries: &[(u32, i32)],
) -> Result<Vec<Call>, Failure> {
    let code = decode(object, region)?;
    let begin = u64::from(object.regions[region].begin);
    let index = |ip: u64| code.binary_search_by_key(&ip, Instruction::ip).ok();
    let mut before: Vec<BTreeSet<Option<i32>>> = vec![BTreeSet::new(); code.len()];
    let mut work: Vec<(usize, BTreeSet<Option<i32>>)> = Vec::new();
    for &(offset, state) in entries {
        work.extend(index(begin + u64::from(offset)).map(|i| (i, BTreeSet::from([Some(state)]))));
    }
    let begins = !entries.iter().any(|entry| entry.0 == 0);
    work.extend((begins && !code.is_empty()).then(|| (0, BTreeSet::from([None]))));
    let mut scanned = 0;
    loop {
        while let Some((i, states)) = work.pop() {
            let known = before[i].len();
            before[i].extend(states);
            if before[i].len() == known {
                continue;
            }
            let instruction = &code[i];
            let after = stored(instruction, record).map_or_else(|| before[i].clone(), |state| BTreeSet::from([state]));
            let jump = |work: &mut Vec<_>| {
                work.extend(index(instruction.near_branch_target()).map(|to| (to, after.clone())));
            };
            match instruction.flow_control() {
                FlowControl::UnconditionalBranch => jump(&mut work),
                FlowControl::Return | FlowControl::IndirectBranch => {}
                FlowControl::Call if throws(object, region, instruction) => {}
                flow => {
                    if flow == FlowControl::ConditionalBranch {
                        jump(&mut work);
                    }
                    if i + 1 < code.len() {
                        work.push((i + 1, after.clone()));
                    }
                }
            }
        }
        // What no jump reaches.
        match before.iter().skip(scanned).position(BTreeSet::is_empty) {
            None => break,
            Some(more) => {
                scanned += more;
                work.push((scanned, BTreeSet::from([None])));
            }
        }
    }
    let with_states = |(i, states): (&Instruction, &BTreeSet<Option<i32>>)| {
        // What is after a call that does not come back is taken for code that others jump to.
        let known: BTreeSet<_> = states.iter().copied().filter(|state| states.len() == 1 || state.is_some()).collect();
        call(object, region, i).filter(|c| c.returns_to.is_some()).map(|c| Call { states: known, ..c })
    };
    Ok(code.iter().zip(&before).filter_map(with_states).collect())
}

/// The addresses in a function's code: where each stands, and the field.
pub(super) fn references(object: &Object, region: usize) -> Result<Vec<(u32, Field)>, Failure> {
    let r = &object.regions[region];
    let section = object.section(r.section)?;
    let field = |at: u32| Some((at, object.field(r.section, at).ok()?));
    Ok(section.relocations.range(r.begin..r.end).filter_map(|(&at, _)| field(at)).collect())
}
