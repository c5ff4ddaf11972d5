//! Location expressions: `DIExpression`s over the operands of a variable.

use gimli::{DwOp, constants as dw};

use super::operations::Lost;
use super::sections::DwarfWriter;
use super::units::Builder;
use crate::debug::{
    DiExpression, DiTypeId, FrameRegister, Place, VariableOperand, llvm_operation as llvm, operation_words,
    sign_extended,
};

/// How the locations of a function name its frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameBase {
    pub register: u16,
    /// The frame base is the canonical frame address, at this distance from what the register holds; else it is the register.
    pub to_cfa: Option<i32>,
}

impl FrameBase {
    pub fn new(frame: FrameRegister, cfa: bool) -> FrameBase {
        FrameBase { register: frame.register, to_cfa: frame.to_cfa.filter(|_| cfa) }
    }

    /// Appends the value of `DW_AT_frame_base`.
    pub fn expression(self, out: &mut DwarfWriter) {
        match self.to_cfa {
            Some(_) => out.op(dw::DW_OP_call_frame_cfa),
            None => out.op_reg(self.register),
        }
    }

    /// Pushes `register + offset`.
    fn push(self, out: &mut DwarfWriter, register: u16, offset: i32) {
        let offset = i64::from(offset);
        if register == self.register {
            out.op_fbreg(offset - self.to_cfa.map_or(0, i64::from));
        } else {
            out.op_breg(register, offset);
        }
    }
}

/// What an expression is computed from, and for what.
#[derive(Clone, Copy)]
pub(super) struct Described<'a> {
    pub operands: &'a [VariableOperand],
    pub expression: &'a DiExpression,
    /// The result is the variable's address.
    pub is_address: bool,
    /// The type of the variable.
    pub ty: Option<DiTypeId>,
    pub frame: FrameBase,
}

impl Builder<'_> {
    /// Appends the location of a variable or of a fragment of it, without the piece that a fragment needs after it. After an error
    /// the expression is of no use.
    pub fn describe(&self, out: &mut DwarfWriter, of: Described<'_>) -> Result<(), Lost> {
        match (of.operands, of.expression.is_plain()) {
            (&[operand], true) => self.describe_operand(out, &of, operand),
            ([], true) => Err(Lost),
            _ => self.compute(out, &of),
        }
    }

    /// An operand as it is.
    fn describe_operand(
        &self,
        out: &mut DwarfWriter,
        of: &Described<'_>,
        operand: VariableOperand,
    ) -> Result<(), Lost> {
        if of.is_address {
            // A location in memory is an address.
            return self.push(out, of, operand);
        }
        match operand {
            VariableOperand::Value { low, high, bytes } => {
                // Pieces are in the order of memory.
                let (first, second) = match high {
                    Some(high) if self.facts.endian.is_big() => (high, Some(low)),
                    high => (low, high),
                };
                describe_place(out, of.frame, first);
                if let Some(second) = second {
                    out.op_piece(8 * u64::from(bytes));
                    describe_place(out, of.frame, second);
                    out.op_piece(8 * u64::from(bytes));
                }
            }
            VariableOperand::Constant { bits, bytes } if bytes > self.facts.address_bytes.into() => {
                let bytes = usize::from(bytes.min(16));
                out.op_implicit_value(&self.facts.endian.number(bits, bytes)[..bytes]);
            }
            // Of an array that is filled with one byte, LLVM's records say the byte alone.
            VariableOperand::Constant { bytes, .. } if of.expression.0.is_empty() && self.is_larger(of.ty, bytes) => {
                return Err(Lost);
            }
            _ => {
                self.push(out, of, operand)?;
                out.op(dw::DW_OP_stack_value);
            }
        }
        Ok(())
    }

    /// Has a variable of the type more bytes than a constant and than an address?
    pub fn is_larger(&self, ty: Option<DiTypeId>, bytes: u16) -> bool {
        let size = |ty| self.info.types[self.info.look_through(ty).index()].size_bits;
        ty.map_or(0, size) > 8 * u64::from(bytes.max(self.facts.address_bytes.into()))
    }

    /// Pushes the value of an operand.
    pub fn push(&self, out: &mut DwarfWriter, of: &Described<'_>, operand: VariableOperand) -> Result<(), Lost> {
        let address = u16::from(self.facts.address_bytes);
        match operand {
            VariableOperand::Value { high: Some(_), .. } => return Err(Lost),
            VariableOperand::Value { bytes, .. } if bytes > address => return Err(Lost),
            VariableOperand::Value { low: Place::Register(register), bytes, .. } => {
                out.op_breg(register, 0);
                if bytes < address && needs_whole_words(of.expression) {
                    // What is above the value in the register is undefined.
                    out.op_constu((1 << (8 * bytes)) - 1);
                    out.op(dw::DW_OP_and);
                }
            }
            VariableOperand::Value { low: Place::Memory { register, offset }, bytes, .. } => {
                of.frame.push(out, register, offset);
                if bytes == address { out.op(dw::DW_OP_deref) } else { out.op_deref_size(bytes as u8) }
            }
            VariableOperand::FrameAddress { register, offset, align } => {
                of.frame.push(out, register, offset);
                if align > 1 {
                    out.op_plus_uconst(u64::from(align) - 1);
                    out.op_consts(-i64::from(align));
                    out.op(dw::DW_OP_and);
                }
            }
            VariableOperand::Constant { bits, bytes } if bytes <= address => {
                let signed = sign_extended(bits as u64, 8 * u32::from(bytes));
                let is_signed = of.ty.is_some_and(|ty| !self.info.is_unsigned(ty));
                if is_signed { out.op_consts(signed) } else { out.op_constu(bits as u64) }
            }
            VariableOperand::Constant { .. } => return Err(Lost),
            VariableOperand::Symbol(symbol, addend) => {
                if self.module.symbol(symbol).is_tls() {
                    return Err(Lost);
                }
                out.op_addr(symbol, addend, self.facts.address_bytes);
            }
            VariableOperand::EntryValue(register) => out.op_entry_value(register, self.facts.version),
        }
        Ok(())
    }

    /// An expression with operations.
    fn compute(&self, out: &mut DwarfWriter, of: &Described<'_>) -> Result<(), Lost> {
        let words = &of.expression.0[..];
        let mut at = 0;
        if !words.contains(&llvm::ARG) {
            match (of.operands, words) {
                // The value of a register at the entry, which only registers have.
                (
                    &[VariableOperand::Value { low: Place::Register(register), high: None, .. }],
                    &[llvm::ENTRY_VALUE, 1, ..],
                ) => {
                    out.op_entry_value(register, self.facts.version);
                    at = 2;
                    if matches!(words.get(2), None | Some(&llvm::FRAGMENT)) && !of.is_address {
                        out.op(dw::DW_OP_stack_value);
                    }
                }
                (&[operand], _) => self.push(out, of, operand)?,
                ([], _) => {}
                _ => return Err(Lost),
            }
        }
        while let Some(&op) = words.get(at) {
            let count = operation_words(op);
            let operands = words.get(at + 1..at + 1 + count).ok_or(Lost)?;
            at += 1 + count;
            let last = matches!(words.get(at), None | Some(&llvm::FRAGMENT));
            match (op, operands) {
                (llvm::FRAGMENT, _) => break,
                (llvm::TAG_OFFSET, _) => {}
                (llvm::ARG, &[number]) => {
                    let operand = usize::try_from(number).ok().and_then(|number| of.operands.get(number));
                    self.push(out, of, *operand.ok_or(Lost)?)?;
                }
                (llvm::CONVERT, &[size, encoding]) => self.convert(out, size, encoding)?,
                (llvm::EXTRACT_BITS_SIGNED | llvm::EXTRACT_BITS_UNSIGNED, &[offset, size]) => {
                    self.extract(out, offset, size, op == llvm::EXTRACT_BITS_SIGNED)?;
                }
                // The value is what is in memory there: that is what a location says anyway.
                (op, _) if op == u64::from(dw::DW_OP_deref.0) && last && !of.is_address => {}
                _ => operation(out, op, operands)?,
            }
        }
        Ok(())
    }

    fn address_bits(&self) -> u64 {
        8 * u64::from(self.facts.address_bytes)
    }

    /// Makes a number of that many bits of what is on the stack, which is as wide as an address.
    fn convert(&self, out: &mut DwarfWriter, size: u64, encoding: u64) -> Result<(), Lost> {
        let signed = match gimli::DwAte(encoding.min(0xff) as u8) {
            dw::DW_ATE_signed | dw::DW_ATE_signed_char => true,
            dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char | dw::DW_ATE_boolean => false,
            _ => return Err(Lost),
        };
        match size {
            _ if size == self.address_bits() => Ok(()),
            _ => self.extract(out, 0, size, signed),
        }
    }

    /// Extracts bits of what is on the stack.
    fn extract(&self, out: &mut DwarfWriter, offset: u64, size: u64, signed: bool) -> Result<(), Lost> {
        let width = self.address_bits();
        let above = width.checked_sub(offset.checked_add(size).ok_or(Lost)?).ok_or(Lost)?;
        if size == 0 {
            return Err(Lost);
        }
        if above != 0 {
            out.op_constu(above);
            out.op(dw::DW_OP_shl);
        }
        if size != width {
            out.op_constu(width - size);
            out.op(if signed { dw::DW_OP_shra } else { dw::DW_OP_shr });
        }
        Ok(())
    }

    /// Appends the expression of a bound or of a place relative to an object.
    pub fn bound_expression(&self, out: &mut DwarfWriter, expression: &DiExpression) -> Result<(), Lost> {
        let frame = FrameBase { register: u16::MAX, to_cfa: None };
        self.compute(out, &Described { operands: &[], expression, is_address: true, ty: None, frame })
    }
}

/// Do the bits above a narrow operand show in the result?
fn needs_whole_words(expression: &DiExpression) -> bool {
    expression.operations().any(|(op, _)| match op {
        llvm::FRAGMENT | llvm::CONVERT | llvm::TAG_OFFSET | llvm::ARG => false,
        _ => !matches!(
            DwOp(op.min(0xff) as u8),
            dw::DW_OP_constu
                | dw::DW_OP_consts
                | dw::DW_OP_plus_uconst
                | dw::DW_OP_plus
                | dw::DW_OP_minus
                | dw::DW_OP_mul
                | dw::DW_OP_and
                | dw::DW_OP_or
                | dw::DW_OP_xor
                | dw::DW_OP_not
                | dw::DW_OP_neg
                | dw::DW_OP_stack_value
        ),
    })
}

/// The location of what is in a place.
fn describe_place(out: &mut DwarfWriter, frame: FrameBase, place: Place) {
    match place {
        Place::Register(register) => out.op_reg(register),
        Place::Memory { register, offset } => frame.push(out, register, offset),
    }
}

/// An operation of DWARF.
fn operation(out: &mut DwarfWriter, op: u64, operands: &[u64]) -> Result<(), Lost> {
    let code = DwOp(u8::try_from(op).map_err(|_| Lost)?);
    match (code, operands) {
        (dw::DW_OP_constu, &[value]) => out.op_constu(value),
        (dw::DW_OP_consts, &[value]) => out.op_consts(value as i64),
        (dw::DW_OP_plus_uconst, &[value]) => out.op_plus_uconst(value),
        (dw::DW_OP_deref_size, &[size]) => out.op_deref_size(u8::try_from(size).map_err(|_| Lost)?),
        (dw::DW_OP_bregx, &[register, offset]) => {
            out.op_breg(u16::try_from(register).map_err(|_| Lost)?, offset as i64);
        }
        _ if (dw::DW_OP_breg0.0..=dw::DW_OP_breg31.0).contains(&code.0) => {
            out.op_breg(u16::from(code.0 - dw::DW_OP_breg0.0), operands.first().copied().unwrap_or(0) as i64);
        }
        _ if (dw::DW_OP_lit0.0..=dw::DW_OP_lit31.0).contains(&code.0) => out.op(code),
        (
            dw::DW_OP_dup
            | dw::DW_OP_drop
            | dw::DW_OP_deref
            | dw::DW_OP_over
            | dw::DW_OP_swap
            | dw::DW_OP_rot
            | dw::DW_OP_xderef
            | dw::DW_OP_abs
            | dw::DW_OP_and
            | dw::DW_OP_div
            | dw::DW_OP_minus
            | dw::DW_OP_mod
            | dw::DW_OP_mul
            | dw::DW_OP_neg
            | dw::DW_OP_not
            | dw::DW_OP_or
            | dw::DW_OP_plus
            | dw::DW_OP_shl
            | dw::DW_OP_shr
            | dw::DW_OP_shra
            | dw::DW_OP_xor
            | dw::DW_OP_eq
            | dw::DW_OP_ge
            | dw::DW_OP_gt
            | dw::DW_OP_le
            | dw::DW_OP_lt
            | dw::DW_OP_ne
            | dw::DW_OP_nop
            | dw::DW_OP_push_object_address
            | dw::DW_OP_stack_value,
            _,
        ) => out.op(code),
        _ => return Err(Lost),
    }
    Ok(())
}
