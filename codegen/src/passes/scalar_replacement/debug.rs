//! Debug records of slots that are replaced: a variable lies in several slots then, a word in each.

use super::ScalarReplacement;
use crate::debug::DiExpression;
use crate::ir::{DebugRecord, DebugRecordKind, Function, Slot, Type};

impl ScalarReplacement {
    /// Replaces the records that name slots which are replaced. `word` is the size of a word in bytes.
    pub(super) fn replace_records(&self, f: &mut Function, word: u32) {
        let ptr = if word == 8 { Type::I64 } else { Type::I32 };
        for record in std::mem::take(&mut f.debug.records) {
            let place = match *f.debug.operands_of(&record) {
                [Some(address)] if record.kind != DebugRecordKind::Value => self.place(f.resolve(address).0),
                _ => None,
            };
            let Some((slot, at)) = place else {
                f.debug.records.push(record);
                continue;
            };
            let expression = f.debug.expressions[record.expression as usize].clone();
            let count = self.replaced.binary_search_by_key(&slot, |replaced| replaced.0);
            let count = count.map_or(0, |at| self.replaced[at].1);
            for k in 0..count {
                let part = Slot(self.words[(self.first[slot as usize] + k) as usize].slot);
                let Some(offset) = (k * word).checked_sub(at) else { continue };
                let Some(of_part) = of_word(&expression, offset.into(), word.into()) else { continue };
                let address = f.slot_addr(part, ptr);
                let expression = f.debug.expression(&of_part.0);
                f.debug.push_record(DebugRecord { expression, ..record.clone() }, [Some(address)]);
            }
        }
    }
}

/// The expression for the word of `size` bytes at byte `offset` of what an expression without operations is about, cut to what that
/// is.
fn of_word(expression: &DiExpression, offset: u64, size: u64) -> Option<DiExpression> {
    let bits = match expression.fragment() {
        Some(part) => (8 * size).min(part.size.saturating_sub(8 * offset)),
        None => 8 * size,
    };
    (bits > 0).then(|| expression.part(8 * offset, bits)).flatten()
}
