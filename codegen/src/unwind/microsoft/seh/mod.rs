//! Tables by which Windows unwinds functions: `.pdata` and `.xdata`, and the contents of the latter on x86-64
//! (Microsoft, "x64 exception handling").

mod arm;
mod arm64;
mod asm;
mod thumb;

use self::arm::{Description, describe};
use crate::buffer::{CfiOp, Origin, RelocKind, SehOp};
use crate::compiled::CompiledFunction;
use crate::object::{
    FUNCTION_TABLE, Fixup, FixupTarget, FunctionTables, ObjectError, ObjectWriter, Result, UNWIND_INFO, associated,
};
use crate::unwind::itanium::lsda::Lsda;
use crate::unwind::microsoft::tables::{HandlerData, Stretch, Word, funclet_name, host, stretches};

/// How all addresses are stored.
const IMAGE_RELATIVE: RelocKind = RelocKind::word(4, Origin::Image);
/// The flags of handlers that are asked who catches an exception, and that are called during unwinding.
const HANDLERS: u8 = 3;
const PUSH_NONVOL: u8 = 0;
const ALLOC_LARGE: u8 = 1;
const ALLOC_SMALL: u8 = 2;
const SET_FPREG: u8 = 3;
const SAVE_XMM128: u8 = 8;
const SAVE_XMM128_FAR: u8 = 9;

/// What follows a description.
#[derive(Clone, Copy)]
enum Trailer<'a> {
    Nothing,
    /// The personality routine, and the table of landing pads.
    Landing(&'a Lsda),
    /// The personality routine and its tables.
    Handlers(&'a HandlerData),
}

impl ObjectWriter<'_> {
    /// Describes the frames of a function and its funclets; the function is at this section and offset.
    pub(crate) fn function_table(
        &mut self,
        f: &CompiledFunction,
        tables: FunctionTables,
        handlers: Option<&HandlerData>,
        code: (u32, u64),
    ) -> Result {
        let missing = || ObjectError::Prologue { function: self.module.symbol(f.symbol).name.clone() };
        let table = Lsda::of(f, false);
        // Where the parts of the handlers' tables are: after the description of the function itself.
        let mut parts = Vec::new();
        self.name_funclets(f, code);
        for stretch in stretches(f) {
            let trailer = match (&table, handlers) {
                (Some(table), _) if stretch == host(f) => Trailer::Landing(table),
                (None, Some(data)) if stretch.handled => Trailer::Handlers(data),
                _ => Trailer::Nothing,
            };
            let handled = !matches!(trailer, Trailer::Nothing);
            let place = |at: u32| (code.0, code.1 + u64::from(at));
            match tables {
                FunctionTables::X64 => {
                    let info = unwind_info(f, stretch, if handled { HANDLERS } else { 0 }).ok_or_else(missing)?;
                    let info = self.put_info(f, &info, trailer, (code, &mut parts))?;
                    self.put_entry(f, &[place(stretch.start), place(stretch.end), info], None)?;
                }
                FunctionTables::Arm64 | FunctionTables::Thumb => {
                    let form = if tables == FunctionTables::Thumb { &thumb::FORM } else { &arm64::FORM };
                    for (start, description) in describe(f, stretch, form, handled).ok_or_else(missing)? {
                        match description {
                            Description::Packed(word) => self.put_entry(f, &[place(start)], Some(word))?,
                            Description::Info(info) => {
                                let info = self.put_info(f, &info, trailer, (code, &mut parts))?;
                                self.put_entry(f, &[place(start), info], None)?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives the funclets of a function symbols.
    pub(crate) fn name_funclets(&mut self, f: &CompiledFunction, code: (u32, u64)) {
        for funclet in &f.funclets.list {
            let name = funclet_name(self.module, f, funclet.pad);
            self.funclets.push((name, code.0, code.1 + u64::from(funclet.start)));
        }
    }

    /// Puts a description into its section, with what belongs to it. Returns its place.
    fn put_info(
        &mut self,
        f: &CompiledFunction,
        info: &[u8],
        trailer: Trailer<'_>,
        (code, parts): ((u32, u64), &mut Vec<u64>),
    ) -> Result<(u32, u64)> {
        let number = self.section(associated(self.module, f.symbol, UNWIND_INFO));
        let at = self.pad(number, 4, false)?;
        self.sections[number as usize].bytes.tail().extend_from_slice(info);
        let routine = f.exceptions.personality.map(Word::Symbol);
        match (trailer, routine) {
            (Trailer::Landing(table), Some(routine)) => {
                self.put_words(number, &[routine], &[], code);
                self.append_table(f, table, number)?;
            }
            (Trailer::Handlers(data), Some(routine)) => {
                self.put_words(number, &[routine], &[], code);
                if data.inline {
                    data.parts.iter().for_each(|part| self.put_words(number, part, &[], code));
                } else if let Some(&first) = parts.first() {
                    self.put_words(number, &[Word::Part(0)], &[first], code);
                } else {
                    let first = self.sections[number as usize].bytes.len() + 4;
                    self.put_words(number, &[Word::Part(0)], &[first], code);
                    *parts = self.put_parts(number, data, code);
                }
            }
            _ => {}
        }
        Ok((number, at))
    }

    /// Puts the tables of a personality routine at the end of a section. Returns the offsets of the parts.
    pub(crate) fn put_parts(&mut self, number: u32, data: &HandlerData, code: (u32, u64)) -> Vec<u64> {
        let (mut parts, mut at) = (Vec::new(), self.sections[number as usize].bytes.len());
        for part in &data.parts {
            parts.push(at);
            at += 4 * part.len() as u64;
        }
        data.parts.iter().for_each(|part| self.put_words(number, part, &parts, code));
        parts
    }

    /// Appends words to the section of descriptions, where the parts are at these offsets.
    fn put_words(&mut self, number: u32, words: &[Word], parts: &[u64], code: (u32, u64)) {
        let kind = RelocKind::word(4, if self.format.is_64 { Origin::Image } else { Origin::Zero });
        let section = &mut self.sections[number as usize];
        for &word in words {
            let (target, addend) = match word {
                Word::Number(n) => {
                    section.bytes.tail().extend_from_slice(&n.to_le_bytes());
                    continue;
                }
                Word::Code { at, addend } => {
                    (FixupTarget::Section(code.0), code.1 as i64 + i64::from(at) + i64::from(addend))
                }
                Word::Symbol(symbol) => (FixupTarget::Symbol(symbol), 0),
                Word::Part(part) => (FixupTarget::Section(number), parts[part as usize] as i64),
            };
            section.fixups.push(Fixup { offset: section.bytes.len() as u32, addend, target, kind, in_data: true });
            section.bytes.tail().extend_from_slice(&[0; 4]);
        }
    }

    /// Adds an entry to the table of functions: addresses, and a word after them.
    fn put_entry(&mut self, f: &CompiledFunction, at: &[(u32, u64)], word: Option<u32>) -> Result {
        let table = self.section(associated(self.module, f.symbol, FUNCTION_TABLE));
        let entry = self.pad(table, 4, false)? as u32;
        let section = &mut self.sections[table as usize];
        section.bytes.add_fields(4 * at.len());
        section.bytes.tail().extend(word.into_iter().flat_map(u32::to_le_bytes));
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

/// The description of a frame; `None` if the prologue is too long for it.
fn unwind_info(f: &CompiledFunction, stretch: Stretch, flags: u8) -> Option<Vec<u8>> {
    let (mut size, mut frame, mut codes) = (0, 0, Vec::new());
    for mark in stretch.marks(f) {
        let CfiOp::Seh { op, .. } = mark.value else { continue };
        let at = u8::try_from(mark.offset - stretch.start).ok()?;
        let code = |op: u8, info: u8| u16::from_le_bytes([at, op | info << 4]);
        // From the last step to the first, each followed by its operands.
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
