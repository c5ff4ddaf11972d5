//! `DIExpression`: operations by name and number, as LLVM has them in memory.

use gusset_codegen::debug::{DiExpression, llvm_operation, operation_words};

use super::names::Names;
use super::nodes::{DebugField, DebugInfoError, FieldValue};
use super::reader::{DebugInfoReader, Kind, Known, Result};

// Operations of DWARF that are needed here.
const CONST_UNSIGNED: u64 = 0x10;
const CONST_SIGNED: u64 = 0x11;
const STACK_VALUE: u64 = 0x9f;

/// Reads an expression's operations. `None` if LLVM's verifier would not take it.
///
/// # Errors
/// There is something else than operations and numbers.
pub fn expression_of(operations: &[DebugField<'_>]) -> std::result::Result<Option<DiExpression>, DebugInfoError> {
    let elements: std::result::Result<Box<[u64]>, DebugInfoError> = operations.iter().map(element).collect();
    Ok(Some(elements?).filter(|elements| is_valid(elements)).map(DiExpression))
}

fn element(field: &DebugField<'_>) -> std::result::Result<u64, DebugInfoError> {
    let number = match field.value {
        FieldValue::Integer { magnitude, negative: false } => magnitude.try_into().ok(),
        FieldValue::Words(words) if words.starts_with(b"DW_OP_") => Names::Operation.number(words).map(u64::from),
        FieldValue::Words(words) => Names::Encoding.number(words).map(u64::from),
        _ => None,
    };
    number.filter(|_| field.name.is_empty()).ok_or_else(|| {
        DebugInfoError::new(field.place, "an expression consists of operations of DWARF and unsigned numbers")
    })
}

/// Do LLVM's expressions contain the operation (LLVM, `DIExpression::isValid`)?
fn is_known(operation: u64) -> bool {
    match operation {
        // Registers.
        0x50..=0x90 | 0x92 => true,
        // `constu`, `consts`, `plus_uconst`, `deref_size`.
        CONST_UNSIGNED | CONST_SIGNED | 0x23 | 0x94 => true,
        // `deref`, `dup` to `over`, `swap`, `xderef` to `mod`, `mul` to `or`, `plus`, `shl` to `xor`, comparisons, `lit0`.
        0x06 | 0x12 | 0x14 | 0x16 | 0x18..=0x22 | 0x24..=0x27 | 0x29..=0x2e | 0x30 => true,
        // `push_object_address`, `stack_value`.
        0x97 | STACK_VALUE => true,
        _ => (llvm_operation::FRAGMENT..=llvm_operation::EXTRACT_BITS_UNSIGNED).contains(&operation),
    }
}

fn is_valid(mut rest: &[u64]) -> bool {
    while let [operation, more @ ..] = rest {
        let Some(next) = more.get(operation_words(*operation)..).filter(|_| is_known(*operation)) else { return false };
        if *operation == llvm_operation::FRAGMENT && !next.is_empty() {
            return false;
        }
        rest = next;
    }
    true
}

/// Is this a constant, which needs no place (LLVM, `DIExpression::isConstant`)?
pub(super) fn is_constant(expression: &DiExpression) -> bool {
    matches!(
        expression.0[..],
        [CONST_UNSIGNED | CONST_SIGNED, _, STACK_VALUE]
            | [CONST_UNSIGNED | CONST_SIGNED, _, STACK_VALUE, llvm_operation::FRAGMENT, _, _]
    )
}

impl DebugInfoReader<'_> {
    /// Reads an expression. `None`, with a note, if the node is none, or if LLVM's verifier would not take it.
    ///
    /// # Errors
    /// LLVM's parser would refuse the text.
    pub fn expression(&mut self, node: u32) -> Result<Option<DiExpression>> {
        if !matches!(self.node(node), Known::Value(Kind::Expression)) {
            self.note("this must refer to an expression");
            return Ok(None);
        }
        let fields = self.fields(node)?;
        let expression = expression_of(&fields)?;
        self.recycle(fields);
        if expression.is_none() {
            self.note("the expression is not valid");
        }
        Ok(expression)
    }
}
