//! Expressions of debug information for translation.

use std::borrow::Cow;

use gusset_codegen::debug::llvm_operation::FRAGMENT;
use gusset_lower::debug_info::{spelled_encoding, spelled_operation};
use gusset_program::{Field, Refusal, Result, Special};

/// The words of an expression by the fields of its record, as LLVM 5 and later have them (`BitcodeReader`, `upgradeDIExpression`).
pub(crate) fn upgraded(fields: &[u64]) -> Option<Cow<'_, [u64]>> {
    const BIT_PIECE: u64 = 0x9d;
    const DEREF: u64 = 0x06;
    const CONSTU: u64 = 0x10;
    const MINUS: u64 = 0x1c;
    const PLUS: u64 = 0x22;
    const PLUS_UCONST: u64 = 0x23;
    let (&flags, words) = fields.split_first()?;
    let version = flags >> 1;
    if version >= 3 {
        return Some(Cow::Borrowed(words));
    }
    let mut words = words.to_vec();
    let part = words.len().checked_sub(3);
    if version == 0
        && let Some(at) = part.filter(|&at| words[at] == BIT_PIECE)
    {
        words[at] = FRAGMENT;
    }
    if version < 2 && words.first() == Some(&DEREF) {
        let end = part.filter(|&at| words[at] == FRAGMENT).unwrap_or(words.len());
        words[..end].rotate_left(1);
    }
    let (mut all, mut rest) = (Vec::new(), &words[..]);
    while let Some(&operation) = rest.first() {
        let size = match operation {
            CONSTU | MINUS | PLUS => 2,
            FRAGMENT => 3,
            _ => 1,
        };
        let (this, after) = rest.split_at(size.min(rest.len()));
        match operation {
            PLUS => {
                all.push(PLUS_UCONST);
                all.extend_from_slice(&this[1..]);
            }
            MINUS => {
                all.push(CONSTU);
                all.extend_from_slice(&this[1..]);
                all.push(MINUS);
            }
            _ => all.extend_from_slice(this),
        }
        rest = after;
    }
    Some(Cow::Owned(all))
}

/// An expression by the fields of its record.
pub(crate) fn expression(fields: &[u64]) -> Result<Special> {
    const CONVERT: u64 = 0x1001;
    let words = upgraded(fields).ok_or_else(|| Refusal::new("the record has too few fields"))?;
    let (mut all, mut rest) = (Vec::new(), &words[..]);
    let mut push = |text: String| all.push((Vec::new(), Field::Words(text.into_bytes())));
    while let Some((&operation, after)) = rest.split_first() {
        let count = gusset_codegen::debug::operation_words(operation).min(after.len());
        push(spelled_operation(operation).map_or_else(|| operation.to_string(), str::to_string));
        for (i, &word) in after[..count].iter().enumerate() {
            let encoding = if (operation, i) == (CONVERT, 1) { spelled_encoding(word) } else { None };
            push(encoding.map_or_else(|| word.to_string(), str::to_string));
        }
        rest = &after[count..];
    }
    Ok(Special { name: b"DIExpression".to_vec(), fields: all })
}
