//! The operations of location expressions as bytes (DWARF 5, section 7.7.1).

use gimli::leb128::write::uleb128_size;
use gimli::{DwOp, constants as dw};

use super::sections::DwarfWriter;
use crate::debug::sections::{DebugFixupKind, DebugTarget};
use crate::ir::SymbolId;

/// The location cannot be expressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lost;

impl DwarfWriter {
    /// Appends an operation without operands.
    #[inline]
    pub fn op(&mut self, code: DwOp) {
        self.u8(code.0);
    }

    /// The location is a register.
    pub fn op_reg(&mut self, register: u16) {
        match register {
            0..32 => self.u8(dw::DW_OP_reg0.0 + register as u8),
            _ => {
                self.op(dw::DW_OP_regx);
                self.uleb128(register.into());
            }
        }
    }

    /// Pushes what a register holds and a number.
    pub fn op_breg(&mut self, register: u16, offset: i64) {
        match register {
            0..32 => self.u8(dw::DW_OP_breg0.0 + register as u8),
            _ => {
                self.op(dw::DW_OP_bregx);
                self.uleb128(register.into());
            }
        }
        self.sleb128(offset);
    }

    /// Pushes an address relative to the frame base.
    pub fn op_fbreg(&mut self, offset: i64) {
        self.op(dw::DW_OP_fbreg);
        self.sleb128(offset);
    }

    pub fn op_constu(&mut self, value: u64) {
        match value {
            0..32 => self.u8(dw::DW_OP_lit0.0 + value as u8),
            _ => {
                self.op(dw::DW_OP_constu);
                self.uleb128(value);
            }
        }
    }

    pub fn op_consts(&mut self, value: i64) {
        self.op(dw::DW_OP_consts);
        self.sleb128(value);
    }

    pub fn op_plus_uconst(&mut self, value: u64) {
        self.op(dw::DW_OP_plus_uconst);
        self.uleb128(value);
    }

    pub fn op_deref_size(&mut self, size: u8) {
        self.op(dw::DW_OP_deref_size);
        self.u8(size);
    }

    /// Pushes the address of a symbol, in `size` bytes.
    pub fn op_addr(&mut self, symbol: SymbolId, addend: i64, size: u8) {
        self.op(dw::DW_OP_addr);
        self.fixup(size, DebugTarget::Symbol(symbol), DebugFixupKind::Address, addend);
    }

    /// Pushes the address of a thread-local variable, by its place in its module's data. The place has `size` bytes.
    pub fn op_tls_address(&mut self, symbol: SymbolId, (size, kind): (u8, DebugFixupKind)) {
        self.op(if size == 8 { dw::DW_OP_const8u } else { dw::DW_OP_const4u });
        self.fixup(size, DebugTarget::Symbol(symbol), kind, 0);
        self.op(dw::DW_OP_GNU_push_tls_address);
    }

    /// Pushes what a register held when the function was called.
    pub fn op_entry_value(&mut self, register: u16, version: u16) {
        self.op(if version >= 5 { dw::DW_OP_entry_value } else { dw::DW_OP_GNU_entry_value });
        let operands = if register < 32 { 0 } else { uleb128_size(register.into()) };
        self.uleb128(1 + operands as u64);
        self.op_reg(register);
    }

    /// The value is these bytes.
    pub fn op_implicit_value(&mut self, bytes: &[u8]) {
        self.op(dw::DW_OP_implicit_value);
        self.uleb128(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// Ends a piece of a location.
    pub fn op_piece(&mut self, bits: u64) {
        if bits.is_multiple_of(8) {
            self.op(dw::DW_OP_piece);
            self.uleb128(bits / 8);
        } else {
            self.op(dw::DW_OP_bit_piece);
            self.uleb128(bits);
            self.uleb128(0);
        }
    }
}
