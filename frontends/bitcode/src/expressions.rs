//! Expressions of debug information for translation.

use gusset_lower::debug_info::{spelled_encoding, spelled_operation};
use gusset_program::{Field, Refusal, Result, Special};

/// An expression by the fields of its record.
pub(crate) fn expression(fields: &[u64]) -> Result<Special> {
    const CONVERT: u64 = 0x1001;
    let Some((&flags, words)) = fields.split_first() else { return Err(Refusal::new("the record has too few fields")) };
    if flags >> 1 != 3 {
        return Err(Refusal::new("expressions from before LLVM 5 are not supported"));
    }
    let (mut all, mut rest) = (Vec::new(), words);
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
