//! The operations of expressions, by number: DWARF's (DWARF 5, section 7.7.1) and LLVM's own (LLVM LangRef, "DIExpression").

use std::sync::OnceLock;

use foldhash::HashMap;

use super::ids::DiExpression;

/// Operations that only LLVM knows.
pub mod llvm_operation {
    /// The variable's bits from an offset on: the offset and the number of bits. It comes last.
    pub const FRAGMENT: u64 = 0x1000;
    /// A conversion to a number of bits and an encoding.
    pub const CONVERT: u64 = 0x1001;
    /// The tag of an address.
    pub const TAG_OFFSET: u64 = 0x1002;
    /// The value at the function's entry, of the following number of operations.
    pub const ENTRY_VALUE: u64 = 0x1003;
    /// The value is a pointer to something that is not in memory.
    pub const IMPLICIT_POINTER: u64 = 0x1004;
    /// The operand with this number.
    pub const ARG: u64 = 0x1005;
    /// Bits of a value, the offset and their number, sign-extended.
    pub const EXTRACT_BITS_SIGNED: u64 = 0x1006;
    /// The same, zero-extended.
    pub const EXTRACT_BITS_UNSIGNED: u64 = 0x1007;
}

const LLVM: [(&str, u64); 8] = [
    ("DW_OP_LLVM_fragment", llvm_operation::FRAGMENT),
    ("DW_OP_LLVM_convert", llvm_operation::CONVERT),
    ("DW_OP_LLVM_tag_offset", llvm_operation::TAG_OFFSET),
    ("DW_OP_LLVM_entry_value", llvm_operation::ENTRY_VALUE),
    ("DW_OP_LLVM_implicit_pointer", llvm_operation::IMPLICIT_POINTER),
    ("DW_OP_LLVM_arg", llvm_operation::ARG),
    ("DW_OP_LLVM_extract_bits_sext", llvm_operation::EXTRACT_BITS_SIGNED),
    ("DW_OP_LLVM_extract_bits_zext", llvm_operation::EXTRACT_BITS_UNSIGNED),
];

/// The words of expressions by their names; made when first asked for.
static BY_NAME: OnceLock<HashMap<&'static str, u64>> = OnceLock::new();

/// The word of an expression by its name: an operation, `DW_OP_…`, or an encoding of numbers, `DW_ATE_…`.
pub fn expression_word(name: &str) -> Option<u64> {
    let by_name = BY_NAME.get_or_init(|| {
        let all = || 0..=u8::MAX;
        let operations = all().filter_map(|n| Some((gimli::DwOp(n).static_string()?, u64::from(n))));
        let encodings = all().filter_map(|n| Some((gimli::DwAte(n).static_string()?, u64::from(n))));
        operations.chain(encodings).chain(LLVM).collect()
    });
    by_name.get(name).copied()
}

/// The name of an operation; its number if it has none.
pub(crate) fn operation_name(operation: u64) -> String {
    let of_llvm = LLVM.iter().find(|known| known.1 == operation).map(|known| known.0);
    let of_dwarf = || gimli::DwOp(u8::try_from(operation).ok()?).static_string();
    of_llvm.or_else(of_dwarf).map_or_else(|| operation.to_string(), str::to_string)
}

/// The number of words that follow an operation.
pub fn operation_words(operation: u64) -> usize {
    use llvm_operation as llvm;
    match operation {
        llvm::FRAGMENT | llvm::CONVERT | llvm::EXTRACT_BITS_SIGNED | llvm::EXTRACT_BITS_UNSIGNED => 2,
        llvm::TAG_OFFSET | llvm::ENTRY_VALUE | llvm::ARG => 1,
        _ => match u8::try_from(operation).map(gimli::DwOp) {
            Ok(gimli::DW_OP_bregx) => 2,
            Ok(
                gimli::DW_OP_constu
                | gimli::DW_OP_consts
                | gimli::DW_OP_plus_uconst
                | gimli::DW_OP_deref_size
                | gimli::DW_OP_regx
                | gimli::DW_OP_pick
                | gimli::DW_OP_addr,
            ) => 1,
            Ok(op) => usize::from((gimli::DW_OP_breg0.0..=gimli::DW_OP_breg31.0).contains(&op.0)),
            Err(_) => 0,
        },
    }
}

/// A part of a variable, in bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fragment {
    /// The first bit.
    pub offset: u64,
    /// How many there are.
    pub size: u64,
}

impl Fragment {
    /// Do two parts of a variable, of which `None` is all of it, have bits in common?
    pub(crate) fn overlap(a: Option<Fragment>, b: Option<Fragment>) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return true };
        a.offset < b.offset.saturating_add(b.size) && b.offset < a.offset.saturating_add(a.size)
    }
}

/// The lower bits of a number as a signed one.
pub(crate) fn sign_extended(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    (bits << unused) as i64 >> unused
}

impl DiExpression {
    /// The operations, each with the words that follow it. An expression that ends within an operation ends before it.
    pub fn operations(&self) -> impl Iterator<Item = (u64, &[u64])> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || {
            let (&operation, after) = rest.split_first()?;
            let words = operation_words(operation);
            let taken = after.get(..words)?;
            rest = &after[words..];
            Some((operation, taken))
        })
    }

    /// The part of the variable that it is about. `None` if it is about all of it.
    pub fn fragment(&self) -> Option<Fragment> {
        let last = self.operations().find(|operation| operation.0 == llvm_operation::FRAGMENT)?;
        let &[offset, size] = last.1 else { return None };
        Some(Fragment { offset, size })
    }

    /// The words without the fragment.
    pub fn without_fragment(&self) -> &[u64] {
        match &*self.0 {
            [rest @ .., llvm_operation::FRAGMENT, _, _] if self.fragment().is_some() => rest,
            all => all,
        }
    }

    /// Is the result the operand as it is?
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.0[..], [] | [llvm_operation::FRAGMENT, ..])
    }

    /// The value of an expression that is one constant, and whether it is signed.
    pub(crate) fn constant_value(&self) -> Option<(u64, bool)> {
        let &[op, value, stack_value] = self.without_fragment() else { return None };
        if stack_value != u64::from(gimli::DW_OP_stack_value.0) {
            return None;
        }
        match gimli::DwOp(op.min(0xff) as u8) {
            gimli::DW_OP_constu => Some((value, false)),
            gimli::DW_OP_consts => Some((value, true)),
            _ => None,
        }
    }

    /// The same about `bits` bits from bit `offset` on of what it is about. `None` if its operations need the whole value.
    pub fn part(&self, offset: u64, bits: u64) -> Option<DiExpression> {
        let known = self.fragment();
        if !self.is_plain() {
            return None;
        }
        let start = known.map_or(0, |known| known.offset);
        if known.is_some_and(|known| offset.saturating_add(bits) > known.size) {
            return None;
        }
        Some(DiExpression(Box::new([llvm_operation::FRAGMENT, start + offset, bits])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_numbers_and_words() {
        assert_eq!(expression_word("DW_OP_deref"), Some(0x06));
        assert_eq!(expression_word("DW_ATE_unsigned_char"), Some(0x08));
        assert_eq!(expression_word("DW_OP_LLVM_fragment"), Some(0x1000));
        assert_eq!(expression_word("DW_OP_nothing"), None);
        let expression = DiExpression(Box::new([0x23, 8, 0x06, 0x1000, 32, 32]));
        let all: Vec<_> = expression.operations().map(|(operation, words)| (operation, words.len())).collect();
        assert_eq!(all, [(0x23, 1), (0x06, 0), (0x1000, 2)]);
        assert_eq!(expression.fragment(), Some(Fragment { offset: 32, size: 32 }));
        assert_eq!(expression.part(0, 8), None);
        let plain = DiExpression(Box::new([0x1000, 32, 32]));
        assert_eq!(plain.part(8, 8), Some(DiExpression(Box::new([0x1000, 40, 8]))));
        assert_eq!(plain.part(32, 8), None);
    }
}
