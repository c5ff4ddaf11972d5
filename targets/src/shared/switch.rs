//! How a switch finds its case: by tables where cases are dense, else by comparisons that halve them.

use gusset_codegen::buffer::{CodeBuffer, Label};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Function, SwitchId, Type};

use super::Node;

/// What a machine does with the value that is looked for, which it holds as a signed number.
pub(crate) trait Decide {
    fn buf(&mut self) -> &mut CodeBuffer;
    fn jump(&mut self, to: Label);
    fn jump_if_equal(&mut self, n: i64, to: Label);
    fn jump_unless_less(&mut self, n: i64, to: Label);
    /// To the label of the value, the first being `low`'s; to `default` from all other values.
    fn jump_by_table(&mut self, low: i64, labels: &[Label], default: Label);
}

/// A table has at most this many entries for each case, and eight more.
const TABLE_SPARSENESS: u128 = 4;
/// A table has at least this many cases.
const TABLE_MIN: usize = 5;

/// The cases with their labels, sorted. The last label is the default's.
pub(crate) fn cases(f: &Function, d: &Node, labels: &[Label]) -> Result<Vec<(i64, Label)>, CompileError> {
    let mut cases = Vec::with_capacity(labels.len());
    for ((c, _), &label) in f.switch_cases(SwitchId(d.b.0)).zip(labels) {
        let Some(n) = f.int_constant_signed(c) else {
            return Err(CompileError::at(f, d.inst, "a switch case that is not a number"));
        };
        // Truth values are 0 and 1 in the register, not 0 and -1.
        cases.push((if d.ty == Type::I1 { n & 1 } else { n }, label));
    }
    cases.sort_unstable_by_key(|c| c.0);
    Ok(cases)
}

/// Emits the decision among sorted cases.
pub(crate) fn decide(m: &mut impl Decide, cases: &[(i64, Label)], default: Label, tables: bool) {
    // Cases, and the label at which their decision starts.
    let mut stack = vec![(cases, None)];
    while let Some((part, start)) = stack.pop() {
        if let Some(label) = start {
            m.buf().bind(label);
        }
        let more = !stack.is_empty();
        let span = match part {
            [first, .., last] => (last.0 as i128 - first.0 as i128) as u128 + 1,
            _ => 1,
        };
        if tables && part.len() >= TABLE_MIN && span <= part.len() as u128 * TABLE_SPARSENESS + 8 {
            let mut labels = vec![default; span as usize];
            for &(n, label) in part {
                labels[(n - part[0].0) as usize] = label;
            }
            m.jump_by_table(part[0].0, &labels, default);
        } else if part.len() <= 4 {
            for &(n, label) in part {
                m.jump_if_equal(n, label);
            }
            if more {
                m.jump(default);
            }
        } else {
            let middle = part.len() / 2;
            let high = m.buf().new_label();
            m.jump_unless_less(part[middle].0, high);
            stack.push((&part[middle..], Some(high)));
            stack.push((&part[..middle], None));
        }
    }
    m.jump(default);
}
