//! Tables by which Windows unwinds functions: `.pdata` and `.xdata`; what the latter says on x86-64 (Microsoft, "x64 exception handling").

use super::coff_section::{FUNCTION_TABLE, UNWIND_INFO, associated};
use super::seh_arm::{Description, describe};
use super::{Fixup, FixupTarget, FunctionTables, ObjectError, ObjectWriter};
use super::{seh_arm64, seh_thumb};
use crate::buffer::{CfiOp, Origin, RelocKind, SehOp};
use crate::compiled::CompiledFunction;
use crate::lsda::Lsda;

/// How all addresses are stored.
const IMAGE_RELATIVE: RelocKind = RelocKind::word(4, Origin::Image);
/// The flags of handlers that are asked who catches an exception, and called while the stack is unwound.
const HANDLERS: u8 = 3;
const PUSH_NONVOL: u8 = 0;
const ALLOC_LARGE: u8 = 1;
const ALLOC_SMALL: u8 = 2;
const SET_FPREG: u8 = 3;
const SAVE_XMM128: u8 = 8;
const SAVE_XMM128_FAR: u8 = 9;

impl ObjectWriter<'_> {
    /// Describes the frame of a function that was put at an offset of a section.
    pub(super) fn function_table(
        &mut self,
        f: &CompiledFunction,
        tables: FunctionTables,
        code: u32,
        offset: u64,
    ) -> Result<(), ObjectError> {
        let missing = || ObjectError::Prologue { function: self.module.symbol(f.symbol).name.clone() };
        let table = Lsda::of(f, false);
        match tables {
            FunctionTables::X64 => {
                let flags = if table.is_some() { HANDLERS } else { 0 };
                let info = unwind_info(f, flags).ok_or_else(missing)?;
                let info = self.put_info(f, &info, table.as_ref())?;
                let end = offset + f.code.len() as u64;
                self.put_entry(f, &[(code, offset), (code, end), info], None)
            }
            FunctionTables::Arm64 | FunctionTables::Thumb => {
                let form = if tables == FunctionTables::Thumb { &seh_thumb::FORM } else { &seh_arm64::FORM };
                for (start, description) in describe(f, form, table.is_some()).ok_or_else(missing)? {
                    let start = (code, offset + u64::from(start));
                    match description {
                        Description::Packed(word) => self.put_entry(f, &[start], Some(word))?,
                        Description::Info(info) => {
                            let info = self.put_info(f, &info, table.as_ref())?;
                            self.put_entry(f, &[start, info], None)?;
                        }
                    }
                }
                Ok(())
            }
        }
    }

    /// Puts a description where such are, with what belongs to it; where it is.
    fn put_info(&mut self, f: &CompiledFunction, info: &[u8], table: Option<&Lsda>) -> Result<(u32, u64), ObjectError> {
        let number = self.section(associated(self.module, f.symbol, UNWIND_INFO));
        let at = self.pad(number, 4, false)?;
        let section = &mut self.sections[number as usize];
        section.bytes.extend_from_slice(info);
        if let (Some(routine), Some(table)) = (f.exceptions.personality, table) {
            // The routine, and behind it its table.
            section.fixups.push(Fixup {
                offset: section.bytes.len() as u32,
                addend: 0,
                target: FixupTarget::Symbol(routine),
                kind: IMAGE_RELATIVE,
                in_data: true,
            });
            section.bytes.extend_from_slice(&[0; 4]);
            self.append_table(f, table, number)?;
        }
        Ok((number, at))
    }

    /// Adds an entry to the table of functions: addresses, and a word behind them.
    fn put_entry(&mut self, f: &CompiledFunction, at: &[(u32, u64)], word: Option<u32>) -> Result<(), ObjectError> {
        let table = self.section(associated(self.module, f.symbol, FUNCTION_TABLE));
        let entry = self.pad(table, 4, false)? as u32;
        let section = &mut self.sections[table as usize];
        section.bytes.resize(section.bytes.len() + 4 * at.len(), 0);
        section.bytes.extend(word.into_iter().flat_map(u32::to_le_bytes));
        for (i, &(target, addend)) in at.iter().enumerate() {
            section.fixups.push(Fixup {
                offset: entry + 4 * i as u32,
                addend: addend as i64,
                target: FixupTarget::Section(target),
                kind: IMAGE_RELATIVE,
                in_data: true,
            });
        }
        Ok(())
    }
}

/// The description of a frame; `None` where it has no room for a prologue so long.
fn unwind_info(f: &CompiledFunction, flags: u8) -> Option<Vec<u8>> {
    let (mut size, mut frame, mut codes) = (0, 0, Vec::new());
    for mark in &f.cfi {
        let CfiOp::Seh { op, .. } = mark.value else { continue };
        let at = u8::try_from(mark.offset).ok()?;
        let code = |op: u8, info: u8| u16::from_le_bytes([at, op | info << 4]);
        // From the last step to the first, each with what belongs to it behind it.
        let (first, rest) = match op {
            SehOp::EndPrologue => {
                size = at;
                continue;
            }
            SehOp::Push(register) => (code(PUSH_NONVOL, register), vec![]),
            SehOp::Allocate(bytes @ 8..=128) => (code(ALLOC_SMALL, (bytes / 8 - 1) as u8), vec![]),
            SehOp::Allocate(bytes) if bytes / 8 <= 0xffff => (code(ALLOC_LARGE, 0), vec![(bytes / 8) as u16]),
            SehOp::Allocate(bytes) => (code(ALLOC_LARGE, 1), vec![bytes as u16, (bytes >> 16) as u16]),
            SehOp::SetFrame { register, offset } => {
                frame = register | ((offset / 16) as u8) << 4;
                (code(SET_FPREG, 0), vec![])
            }
            SehOp::SaveVector { register, offset } if offset / 16 <= 0xffff => {
                (code(SAVE_XMM128, register), vec![(offset / 16) as u16])
            }
            SehOp::SaveVector { register, offset } => {
                (code(SAVE_XMM128_FAR, register), vec![offset as u16, (offset >> 16) as u16])
            }
            _ => return None,
        };
        codes.splice(0..0, std::iter::once(first).chain(rest));
    }
    let count = u8::try_from(codes.len()).ok()?;
    // Version 1.
    let mut info = vec![1 | flags << 3, size, count, frame];
    info.extend(codes.iter().flat_map(|c| c.to_le_bytes()));
    // An even number of codes.
    info.resize(info.len().next_multiple_of(4), 0);
    Some(info)
}
