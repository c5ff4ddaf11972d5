//! The index of functions by which ARM's ABI unwinds (Exception Handling ABI for the Arm Architecture): `.ARM.exidx`.
//!
//! An entry says that nothing unwinds the function, or how it is unwound: opcodes that undo its frame, in the entry
//! itself if there are at most three, else in `.ARM.extab`, where the table of landing pads follows them if there is
//! one. Linkers sort the entries by the addresses of functions. The bytes are those that LLVM's assembler makes of the
//! same directives.

use std::borrow::Cow;

use gusset_abi::Endian;
use object::elf;

use crate::buffer::{CfiOp, Mark, RelocKind, SehOp};
use crate::compiled::CompiledFunction;
use crate::libcall::LibCall;
use crate::object::{A, Fixup, FixupTarget, IndexFacts, ObjectWriter, Result, SectionSpec, SectionType};
use crate::unwind::itanium::lsda::Lsda;

/// Stands for a description: exceptions that come here end the program.
const CANNOT_UNWIND: u32 = 1;
/// The opcode for the end.
const FINISH: u8 = 0xb0;

/// Alone, `r12` holds the signature of the return address.
pub(super) const SIGNATURE: u16 = 1 << 12;

impl ObjectWriter<'_> {
    /// Adds the entry of a function that was put at an offset of a section, and one for what precedes its prologue if
    /// that calls the handler of the stack limit.
    pub(crate) fn index_entry(&mut self, f: &CompiledFunction, facts: &IndexFacts, code: u32, offset: u64) -> Result {
        let (before, own) = f.cfi.split_at(f.cfi.partition_point(|mark| mark.offset <= f.limit_call.end));
        let table = if f.unwind { Lsda::of(f, true) } else { None };
        if f.limit_call.is_empty() {
            return self.range_entry(f, facts, (code, offset), opcodes(&f.cfi), table);
        }
        self.range_entry(f, facts, (code, offset), opcodes(before), None)?;
        self.range_entry(f, facts, (code, offset + u64::from(f.limit_call.end)), opcodes(own), table)
    }

    /// Adds the entry of the code from an offset of a section on.
    fn range_entry(
        &mut self,
        f: &CompiledFunction,
        facts: &IndexFacts,
        (code, offset): (u32, u64),
        opcodes: Vec<u8>,
        table: Option<Lsda>,
    ) -> Result {
        let routine = match opcodes.len() {
            _ if !f.unwind || table.is_some() => None,
            ..=3 => Some(LibCall::AeabiUnwindCppPr0),
            _ => Some(LibCall::AeabiUnwindCppPr1),
        };
        let mut second = ([0; 4], None);
        match routine {
            _ if !f.unwind => second.0 = self.format.endian().u32(CANNOT_UNWIND),
            Some(LibCall::AeabiUnwindCppPr0) => {
                second.0.copy_from_slice(&packed(&[0x80], &opcodes, self.format.endian()));
            }
            _ => second.1 = Some(self.description(f, facts, &opcodes, table.as_ref(), code)?),
        }
        let number = match self.index_sections.get(&code) {
            Some(&known) => known,
            None => {
                let spec = self.unwind_section(".ARM.exidx", code);
                let (ty, flags) = (SectionType::Index, A | elf::SHF_LINK_ORDER);
                let made = self.section(SectionSpec { ty, flags, linked: Some(f.symbol), ..spec });
                self.index_sections.insert(code, made);
                made
            }
        };
        let at = self.pad(number, 4, false)? as u32;
        let section = &mut self.sections[number as usize];
        section.bytes.tail().extend([0; 4]);
        section.bytes.tail().extend(second.0);
        if let Some(routine) = routine {
            section.fixups.push(fixup(at, FixupTarget::LibCall(routine), 0, facts.need));
        }
        section.fixups.push(fixup(at, FixupTarget::Section(code), offset, facts.place));
        if let Some((section_of, place)) = second.1 {
            section.fixups.push(fixup(at + 4, FixupTarget::Section(section_of), place, facts.place));
        }
        Ok(())
    }

    /// Puts a description that does not fit into the entry into its section. Returns its place.
    fn description(
        &mut self,
        f: &CompiledFunction,
        facts: &IndexFacts,
        opcodes: &[u8],
        table: Option<&Lsda>,
        code: u32,
    ) -> Result<(u32, u64)> {
        let number = self.section(self.unwind_section(".ARM.extab", code));
        let at = self.pad(number, 4, false)?;
        let endian = self.format.endian();
        let section = &mut self.sections[number as usize];
        let words = |fixed: usize| ((fixed + opcodes.len()).div_ceil(4) - 1) as u8;
        match (f.exceptions.personality, table) {
            (Some(routine), Some(table)) => {
                section.fixups.push(fixup(at as u32, FixupTarget::Symbol(routine), 0, facts.place));
                section.bytes.tail().extend([0; 4]);
                section.bytes.tail().extend(packed(&[words(1)], opcodes, endian));
                self.append_table(f, table, number)?;
            }
            _ => {
                section.bytes.tail().extend(packed(&[0x81, words(2)], opcodes, endian));
                // The routine has no scopes with handlers of its own.
                section.bytes.tail().extend([0; 4]);
            }
        }
        Ok((number, at))
    }

    /// The section for unwinding data of the functions in another section.
    fn unwind_section(&self, stem: &'static str, code: u32) -> SectionSpec {
        let of = &self.sections[code as usize].spec;
        let name = match of.name.as_ref() {
            ".text" => Cow::Borrowed(stem),
            other => Cow::Owned(format!("{stem}{other}")),
        };
        SectionSpec { name, group: of.group, ..SectionSpec::new("", SectionType::Bytes, A, 0) }
    }
}

fn fixup(offset: u32, target: FixupTarget, addend: u64, kind: RelocKind) -> Fixup {
    Fixup { offset, addend: addend as i64, target, kind, in_data: true }
}

/// Opcodes after the byte that says their kind, in words with the highest byte first.
fn packed(front: &[u8], opcodes: &[u8], endian: Endian) -> Vec<u8> {
    let mut bytes = [front, opcodes].concat();
    bytes.resize(bytes.len().next_multiple_of(4), FINISH);
    if !endian.is_big() {
        bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    }
    bytes
}

/// The opcodes that undo a frame, from its last step to the first.
fn opcodes(marks: &[Mark<CfiOp>]) -> Vec<u8> {
    let mut all = Vec::new();
    // The stack pointer relative to where it was, the part of that for which there is no opcode yet, and the frame
    // pointer with its place.
    let (mut stack, mut pending, mut frame) = (0, 0, None);
    let mut before = |opcodes: Vec<u8>| drop(all.splice(0..0, opcodes));
    for mark in marks {
        let CfiOp::Seh { op, .. } = mark.value else { continue };
        match op {
            SehOp::PushSet(set) => {
                before(raise(pending));
                pending = 0;
                stack -= (4 * (set as u16).count_ones() + 8 * (set >> 16).count_ones()) as i32;
                before(pop(set as u16));
                before(pop_floats(set >> 16));
            }
            SehOp::Allocate(bytes) => {
                stack -= bytes as i32;
                pending += bytes as i32;
            }
            SehOp::SetFrame { register, offset } => frame = Some((register, stack + offset as i32)),
            _ => {}
        }
    }
    match frame {
        // From here on the stack pointer may move.
        Some((register, at)) => {
            before(raise(stack + pending - at));
            before(vec![0x90 | register]);
        }
        None => before(raise(pending)),
    }
    all
}

/// Raises the stack pointer by this many bytes, or lowers it if the number is negative.
fn raise(bytes: i32) -> Vec<u8> {
    let mut opcodes = Vec::new();
    if bytes > 0x200 {
        let mut rest = (bytes as u32 - 0x204) >> 2;
        opcodes.push(0xb2);
        while rest > 0x7f {
            opcodes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        opcodes.push(rest as u8);
        return opcodes;
    }
    // Up to 64 words each.
    let (lower, words) = (if bytes < 0 { 0x40 } else { 0 }, bytes.unsigned_abs() / 4);
    if words > 0 {
        opcodes.push(lower | ((words - 1) % 64) as u8);
        opcodes.extend((0..(words - 1) / 64).map(|_| lower | 0x3f));
    }
    opcodes
}

/// Pops general-purpose registers.
fn pop(set: u16) -> Vec<u8> {
    if set == SIGNATURE {
        return vec![0xb4];
    }
    let mut opcodes = Vec::new();
    if set & 15 != 0 {
        opcodes.extend([0xb1, set as u8 & 15]);
    }
    // `r4` and the registers that follow it, with or without the link register, take one byte.
    let run = (set >> 5 & 0x7f).trailing_ones() as u8;
    let others = set & 0xfff0 & !((0x20 << run) - 0x10);
    match others {
        0 if set & 0xfff0 == 0 => {}
        0 | 0x4000 if set & 0x10 != 0 => opcodes.push(if others == 0 { 0xa0 } else { 0xa8 } | run),
        _ => opcodes.extend((0x8000 | set >> 4).to_be_bytes()),
    }
    opcodes
}

/// Pops floating-point registers of eight bytes; registers with consecutive numbers go together.
fn pop_floats(mut set: u32) -> Vec<u8> {
    let mut opcodes = Vec::new();
    while set != 0 {
        let first = set.trailing_zeros();
        let count = (set >> first).trailing_ones();
        opcodes.extend([0xc9, (first << 4 | (count - 1)) as u8]);
        set &= !0 << (first + count);
    }
    opcodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(steps: &[SehOp]) -> Vec<u8> {
        let marks: Vec<_> = steps.iter().map(|&op| Mark { offset: 0, value: CfiOp::Seh { op, bytes: 0 } }).collect();
        opcodes(&marks)
    }

    /// What llvm-mc-19 makes of the same directives.
    #[test]
    fn frames() {
        use SehOp::{Allocate, PushSet, SetFrame};
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[PushSet(0x4ff0)]), [0xaf]);
        assert_eq!(of(&[PushSet(0x4800)]), [0x84, 0x80]);
        assert_eq!(of(&[PushSet(0x4030), Allocate(8)]), [0x01, 0xa9]);
        assert_eq!(of(&[PushSet(0x10)]), [0xa0]);
        assert_eq!(of(&[PushSet(0x4080), PushSet(0x1000), Allocate(4)]), [0x00, 0xb4, 0x84, 0x08]);
        assert_eq!(of(&[Allocate(16), PushSet(0x4000), Allocate(0x204)]), [0xb2, 0x00, 0x84, 0x00, 0x03]);
        assert_eq!(of(&[PushSet(0x4000), Allocate(0x200)]), [0x3f, 0x3f, 0x84, 0x00]);
        assert_eq!(of(&[PushSet(0x0300_0000 | 0x1000_0000)]), [0xc9, 0x81, 0xc9, 0xc0]);
        assert_eq!(of(&[PushSet(0x100f)]), [0xb1, 0x0f, 0x81, 0x00]);
        // A frame pointer in the middle of what is saved.
        let framed = [PushSet(0x40f0), SetFrame { register: 7, offset: 12 }, PushSet(0xf00), Allocate(0x2000)];
        assert_eq!(of(&framed), [0x97, 0x46, 0x80, 0xf0, 0xab]);
    }
}
