//! Unwind tables: `.eh_frame` (Linux Standard Base, "Exception Frames"; DWARF 5, section 6.4).
//!
//! A common entry serves all functions with the same personality routine. A function's entry holds its extent, how its
//! frame changes, and the address of its table of landing pads. The bytes are those that LLVM's assembler makes of the
//! same `.cfi_` directives.
//!
//! `.debug_frame` has the same for debuggers, with plain addresses and without what exceptions need.

use gimli::constants as dw;
use gimli::write::{EndianVec, Writer};
use gimli::{RunTimeEndian, write};
use gusset_abi::Endian;

use crate::buffer::{CfiOp, Mark};
use crate::ir::{Module, SymbolId};
use crate::object::{AddressForm, Fixup, FixupTarget, ObjectFormat};

/// The table under construction.
pub(crate) struct EhFrame {
    style: Style,
    /// Groups by personality routine and key; functions without a routine come first.
    groups: Vec<Group>,
}

/// How a table is written.
#[derive(Clone, Copy)]
struct Style {
    format: &'static ObjectFormat,
    /// The form of addresses that exceptions need.
    form: AddressForm,
    /// The section, for a table for debuggers.
    debug: Option<u32>,
}

/// A common entry and its functions.
struct Group {
    personality: Option<SymbolId>,
    /// Its functions sign their return addresses, if at all, with the second key.
    second_key: bool,
    bytes: EndianVec<RunTimeEndian>,
    fixups: Vec<Fixup>,
    /// Start of the last function entry, which is padded at the end.
    last: Option<usize>,
}

/// The entry of a function.
pub(crate) struct Entry<'a> {
    /// Where its code is.
    pub code: (u32, u64),
    /// Bytes of code.
    pub len: u32,
    pub ops: &'a [Mark<CfiOp>],
    /// The personality routine, and the place of the table that it reads.
    pub handler: Option<(SymbolId, (u32, u64))>,
}

impl EhFrame {
    /// A table with addresses in the form `form`; for debuggers, in the section with the number `debug`.
    pub fn new(format: &'static ObjectFormat, form: AddressForm, debug: Option<u32>) -> EhFrame {
        EhFrame { style: Style { format, form, debug }, groups: vec![Group::new(format.endian(), None, false)] }
    }

    /// Adds a function.
    pub fn function(&mut self, entry: &Entry<'_>) -> write::Result<()> {
        let personality = entry.handler.map(|(routine, _)| routine);
        let second_key = entry.ops.iter().any(|mark| mark.value == CfiOp::NegateReturn { second_key: true });
        let own = |g: &Group| g.personality == personality && g.second_key == second_key;
        let group = match self.groups.iter().position(own) {
            Some(group) => group,
            None => {
                self.groups.push(Group::new(self.style.format.endian(), personality, second_key));
                self.groups.len() - 1
            }
        };
        self.groups[group].function(self.style, entry)
    }

    /// The finished table and its fixups. Its length is a multiple of its alignment, the pointer size: linkers put
    /// tables end to end, and zeros between them would be read as an end mark.
    pub fn finish(mut self, module: &Module) -> write::Result<(Vec<u8>, Vec<Fixup>)> {
        self.groups.sort_by_key(|g| (g.personality.map_or("", |p| module.symbol(p).name.as_str()), g.second_key));
        let last = self.groups.iter().rposition(|g| g.last.is_some());
        let (mut bytes, mut fixups) = (Vec::new(), Vec::new());
        if self.style.debug.is_some() && last.is_some() {
            // One common entry for all functions.
            let mut common = Group::new(self.style.format.endian(), None, false);
            common.common(self.style)?;
            bytes = common.bytes.into_vec();
        }
        for (i, mut group) in self.groups.into_iter().enumerate() {
            if let Some(start) = group.last
                && last == Some(i)
            {
                group.align(bytes.len(), self.style.format.pointer_bytes.into())?;
                group.close(start, 4)?;
            }
            let base = bytes.len() as u32;
            fixups.extend(group.fixups.into_iter().map(|f| Fixup { offset: f.offset + base, ..f }));
            bytes.extend(group.bytes.into_vec());
        }
        Ok((bytes, fixups))
    }
}

impl Style {
    /// Of an entry.
    fn alignment(self) -> usize {
        if self.debug.is_some() { self.format.pointer_bytes.into() } else { 4 }
    }
}

impl Group {
    fn new(endian: Endian, personality: Option<SymbolId>, second_key: bool) -> Group {
        let endian = if endian.is_big() { RunTimeEndian::Big } else { RunTimeEndian::Little };
        Group { personality, second_key, bytes: EndianVec::new(endian), fixups: Vec::new(), last: None }
    }

    fn function(&mut self, style: Style, entry: &Entry<'_>) -> write::Result<()> {
        let Style { format, form, debug } = style;
        if self.last.is_none() && debug.is_none() {
            self.common(style)?;
        }
        let start = self.bytes.len();
        self.bytes.write_u32(0)?;
        let (section, offset) = entry.code;
        if let Some(own) = debug {
            self.address(AddressForm::Short, format, FixupTarget::Section(own), 0)?;
            self.address(AddressForm::Pointer, format, FixupTarget::Section(section), offset)?;
            let size = AddressForm::Pointer.size(format);
            self.bytes.write(&format.endian().number(entry.len.into(), size)[..size])?;
        } else {
            // Distance from this field to the common entry, which is at the start.
            self.bytes.write_u32(start as u32 + 4)?;
            self.address(AddressForm::Relative, format, FixupTarget::Section(section), offset)?;
            self.bytes.write_u32(entry.len)?;
        }
        match entry.handler {
            _ if debug.is_some() => {}
            Some((_, (section, offset))) => {
                self.bytes.write_uleb128(form.size(format) as u64)?;
                self.address(form, format, FixupTarget::Section(section), offset)?;
            }
            // Length of the augmentation data, which is empty.
            None => self.bytes.write_uleb128(0)?,
        }
        let mut at = 0;
        for mark in entry.ops {
            self.advance(format, mark.offset - at)?;
            at = mark.offset;
            self.op(format, mark.value)?;
        }
        self.close(start, style.alignment())?;
        self.last = Some(start);
        Ok(())
    }

    /// The common entry.
    fn common(&mut self, style: Style) -> write::Result<()> {
        let Style { format, form, debug } = style;
        let facts = &format.unwind;
        self.bytes.write_u32(0)?;
        if debug.is_some() {
            // No distance, no augmentation, no segments.
            self.bytes.write_u32(!0)?;
            self.bytes.write(&[4, 0, format.pointer_bytes, 0])?;
            self.bytes.write_uleb128(facts.code_align.into())?;
            self.bytes.write_sleb128(facts.data_align.into())?;
            self.bytes.write_u8(facts.return_address)?;
            return self.initial(style);
        }
        self.bytes.write_u32(0)?;
        self.bytes.write_u8(1)?;
        // Augmentation: a personality routine; how addresses of its tables, and of code, are encoded; the key.
        self.bytes.write(if self.personality.is_some() { b"zPLR" } else { b"zR" })?;
        self.bytes.write(if self.second_key { b"B\0" } else { b"\0" })?;
        self.bytes.write_uleb128(facts.code_align.into())?;
        self.bytes.write_sleb128(facts.data_align.into())?;
        self.bytes.write_u8(facts.return_address)?;
        match self.personality {
            Some(routine) => {
                self.bytes.write_uleb128(3 + form.size(format) as u64)?;
                self.bytes.write_u8(form.indirect_encoding())?;
                let target = if form == AddressForm::Relative {
                    FixupTarget::Cell(routine)
                } else {
                    FixupTarget::Symbol(routine)
                };
                self.address(form, format, target, 0)?;
                self.bytes.write_u8(form.encoding())?;
            }
            None => self.bytes.write_uleb128(1)?,
        }
        self.bytes.write_u8(AddressForm::Relative.encoding())?;
        self.initial(style)
    }

    /// The rules at the first instruction of functions, at the end of the common entry.
    fn initial(&mut self, style: Style) -> write::Result<()> {
        for &op in style.format.unwind.initial {
            self.op(style.format, op)?;
        }
        self.close(0, style.alignment())
    }

    /// A field for an address.
    fn address(
        &mut self,
        form: AddressForm,
        format: &ObjectFormat,
        target: FixupTarget,
        addend: u64,
    ) -> write::Result<()> {
        let offset = self.bytes.len() as u32;
        self.fixups.push(Fixup { offset, addend: addend as i64, target, kind: form.kind(format), in_data: true });
        self.bytes.write(&[0; 8][..form.size(format)])
    }

    /// Pads the end to an alignment in the section, where this table begins at `base`.
    fn align(&mut self, base: usize, align: usize) -> write::Result<()> {
        while !(base + self.bytes.len()).is_multiple_of(align) {
            self.bytes.write_u8(dw::DW_CFA_nop.0)?;
        }
        Ok(())
    }

    /// Pads an entry and writes its length.
    fn close(&mut self, start: usize, align: usize) -> write::Result<()> {
        self.align(0, align)?;
        let len = self.bytes.len() - start - 4;
        self.bytes.write_u32_at(start, len as u32)
    }

    fn advance(&mut self, format: &ObjectFormat, bytes: u32) -> write::Result<()> {
        match bytes / u32::from(format.unwind.code_align) {
            0 => Ok(()),
            delta @ 1..0x40 => self.bytes.write_u8(dw::DW_CFA_advance_loc.0 | delta as u8),
            delta @ 0x40..0x100 => {
                self.bytes.write_u8(dw::DW_CFA_advance_loc1.0)?;
                self.bytes.write_u8(delta as u8)
            }
            delta @ 0x100..0x1_0000 => {
                self.bytes.write_u8(dw::DW_CFA_advance_loc2.0)?;
                self.bytes.write_u16(delta as u16)
            }
            delta => {
                self.bytes.write_u8(dw::DW_CFA_advance_loc4.0)?;
                self.bytes.write_u32(delta)
            }
        }
    }

    fn op(&mut self, format: &ObjectFormat, op: CfiOp) -> write::Result<()> {
        let register = |register: u16| [Some(u64::from(register)), None];
        let (code, numbers) = match op {
            CfiOp::DefCfa { register, offset } => (dw::DW_CFA_def_cfa.0, [Some(register.into()), Some(offset as u64)]),
            CfiOp::DefCfaRegister(r) => (dw::DW_CFA_def_cfa_register.0, register(r)),
            CfiOp::DefCfaOffset(offset) => (dw::DW_CFA_def_cfa_offset.0, [Some(offset as u64), None]),
            CfiOp::Offset { register: r, offset } => match i64::from(offset / i32::from(format.unwind.data_align)) {
                factored @ 0.. if r < 0x40 => (dw::DW_CFA_offset.0 | r as u8, [Some(factored as u64), None]),
                factored @ 0.. => (dw::DW_CFA_offset_extended.0, [Some(r.into()), Some(factored as u64)]),
                factored => {
                    self.bytes.write_u8(dw::DW_CFA_offset_extended_sf.0)?;
                    self.bytes.write_uleb128(r.into())?;
                    return self.bytes.write_sleb128(factored);
                }
            },
            CfiOp::ReturnAt(offset) => {
                return self.op(format, CfiOp::Offset { register: format.unwind.return_address.into(), offset });
            }
            CfiOp::Moved { register, by } => {
                return moved(register, by).into_iter().try_for_each(|byte| self.bytes.write_u8(byte));
            }
            CfiOp::Restored(register) => (dw::DW_CFA_restore.0 | register as u8, [None; 2]),
            // The opcode's number is that of Sun's register windows.
            CfiOp::NegateReturn { .. } => (dw::DW_CFA_GNU_window_save.0, [None; 2]),
            CfiOp::RememberState => (dw::DW_CFA_remember_state.0, [None; 2]),
            // Not of this table.
            CfiOp::Seh { .. } => return Ok(()),
            CfiOp::RestoreState => (dw::DW_CFA_restore_state.0, [None; 2]),
        };
        self.bytes.write_u8(code)?;
        numbers.into_iter().flatten().try_for_each(|number| self.bytes.write_uleb128(number))
    }
}

/// The instruction that says: the caller's value of a register is its present value plus `by`. `register` is below 32, and `by` from -64 to
/// 63.
pub(crate) fn moved(register: u16, by: i32) -> [u8; 5] {
    [dw::DW_CFA_val_expression.0, register as u8, 2, dw::DW_OP_breg0.0 + register as u8, by as u8 & 0x7f]
}
