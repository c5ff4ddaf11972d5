//! Unwind tables: `.eh_frame` (Linux Standard Base, "Exception Frames"; DWARF 5, section 6.4).
//!
//! One common entry serves all functions; a function's entry holds its extent and how its frame changes. The bytes are
//! those that assemblers make of the same `.cfi_` directives.

use gimli::constants as dw;
use gimli::write::{EndianVec, Writer};
use gimli::{LittleEndian, write};

use crate::buffer::{CfiOp, Mark};
use crate::object::Machine;

/// The table under construction.
pub(crate) struct EhFrame {
    bytes: EndianVec<LittleEndian>,
    machine: &'static Machine,
    /// Start of the latest function entry, to lengthen it at the end.
    last: Option<usize>,
}

impl EhFrame {
    pub fn new(machine: &'static Machine) -> EhFrame {
        EhFrame { bytes: EndianVec::new(LittleEndian), machine, last: None }
    }

    /// Adds a function of `len` bytes of code. The result is the offset of the four-byte field that takes the address of
    /// the code relative to the field.
    pub fn function(&mut self, len: u32, ops: &[Mark<CfiOp>]) -> write::Result<u64> {
        if self.last.is_none() {
            self.common()?;
        }
        let start = self.bytes.len();
        self.bytes.write_u32(0)?;
        // Distance from this field to the common entry, which is at the start.
        self.bytes.write_u32(start as u32 + 4)?;
        let field = self.bytes.len() as u64;
        self.bytes.write_u32(0)?;
        self.bytes.write_u32(len)?;
        // Length of the augmentation data: there are none.
        self.bytes.write_uleb128(0)?;
        let mut at = 0;
        for mark in ops {
            self.advance(mark.offset - at)?;
            at = mark.offset;
            self.op(mark.value)?;
        }
        self.close(start, 4)?;
        self.last = Some(start);
        Ok(field)
    }

    /// The finished table. Its length is a multiple of its alignment, the pointer size: linkers lay tables end to end, and
    /// zeros between them would read as an end mark.
    pub fn finish(mut self) -> write::Result<Vec<u8>> {
        if let Some(start) = self.last {
            self.close(start, self.machine.pointer_bytes.into())?;
        }
        Ok(self.bytes.into_vec())
    }

    /// The common entry.
    fn common(&mut self) -> write::Result<()> {
        let facts = &self.machine.unwind;
        self.bytes.write_u32(0)?;
        self.bytes.write_u32(0)?;
        self.bytes.write_u8(1)?;
        // Augmentation: `R` says how addresses are encoded.
        self.bytes.write(b"zR\0")?;
        self.bytes.write_uleb128(facts.code_align.into())?;
        self.bytes.write_sleb128(facts.data_align.into())?;
        self.bytes.write_u8(facts.return_address)?;
        self.bytes.write_uleb128(1)?;
        self.bytes.write_u8(dw::DW_EH_PE_pcrel.0 | dw::DW_EH_PE_sdata4.0)?;
        for &op in facts.initial {
            self.op(op)?;
        }
        self.close(0, self.machine.pointer_bytes.into())
    }

    /// Pads an entry and writes its length.
    fn close(&mut self, start: usize, align: usize) -> write::Result<()> {
        while !self.bytes.len().is_multiple_of(align) {
            self.bytes.write_u8(dw::DW_CFA_nop.0)?;
        }
        let len = self.bytes.len() - start - 4;
        self.bytes.write_u32_at(start, len as u32)
    }

    fn advance(&mut self, bytes: u32) -> write::Result<()> {
        match bytes / u32::from(self.machine.unwind.code_align) {
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

    fn op(&mut self, op: CfiOp) -> write::Result<()> {
        let data_align = i32::from(self.machine.unwind.data_align);
        match op {
            CfiOp::DefCfa { register, offset } => {
                self.bytes.write_u8(dw::DW_CFA_def_cfa.0)?;
                self.bytes.write_uleb128(register.into())?;
                self.bytes.write_uleb128(offset as u64)
            }
            CfiOp::DefCfaRegister(register) => {
                self.bytes.write_u8(dw::DW_CFA_def_cfa_register.0)?;
                self.bytes.write_uleb128(register.into())
            }
            CfiOp::DefCfaOffset(offset) => {
                self.bytes.write_u8(dw::DW_CFA_def_cfa_offset.0)?;
                self.bytes.write_uleb128(offset as u64)
            }
            CfiOp::Offset { register, offset } => {
                let factored = i64::from(offset / data_align);
                match (register, factored) {
                    (0..0x40, 0..) => {
                        self.bytes.write_u8(dw::DW_CFA_offset.0 | register as u8)?;
                        self.bytes.write_uleb128(factored as u64)
                    }
                    (_, 0..) => {
                        self.bytes.write_u8(dw::DW_CFA_offset_extended.0)?;
                        self.bytes.write_uleb128(register.into())?;
                        self.bytes.write_uleb128(factored as u64)
                    }
                    _ => {
                        self.bytes.write_u8(dw::DW_CFA_offset_extended_sf.0)?;
                        self.bytes.write_uleb128(register.into())?;
                        self.bytes.write_sleb128(factored)
                    }
                }
            }
            CfiOp::Restore(register @ 0..0x40) => self.bytes.write_u8(dw::DW_CFA_restore.0 | register as u8),
            CfiOp::Restore(register) => {
                self.bytes.write_u8(dw::DW_CFA_restore_extended.0)?;
                self.bytes.write_uleb128(register.into())
            }
            CfiOp::RememberState => self.bytes.write_u8(dw::DW_CFA_remember_state.0),
            // Not of this table.
            CfiOp::Seh(_) => Ok(()),
            CfiOp::RestoreState => self.bytes.write_u8(dw::DW_CFA_restore_state.0),
        }
    }
}
