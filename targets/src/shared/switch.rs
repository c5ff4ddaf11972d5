//! How a switch finds its case: by a bit set if many cases lead to few places, by tables if cases are dense, else by
//! binary search.

use gusset_codegen::buffer::{CodeBuffer, Label};
use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{Function, SwitchId, Type};

use super::Node;

/// What a machine does with the value that is searched for, which it holds as a signed number.
pub(crate) trait Decide {
    /// How many bits a register has.
    fn bits(&self) -> u32;
    fn buf(&mut self) -> &mut CodeBuffer;
    fn jump(&mut self, to: Label);
    fn jump_if_equal(&mut self, n: i64, to: Label);
    fn jump_unless_less(&mut self, n: i64, to: Label);
    /// Jumps to the label of the value, of which the first belongs to `low`, or to `default` for all other values.
    fn find_distance(&mut self, low: i32, span: u32, default: Label);
    /// Jumps if the bit at that distance is set.
    fn jump_by_bit(&mut self, bits: u64, span: u32, to: Label);
    fn jump_by_table(&mut self, low: i64, labels: &[Label], default: Label);
}

/// A table has at most this many entries for each case, plus eight.
const TABLE_SPARSENESS: u128 = 4;
/// A table has at least this many cases.
const TABLE_MIN: usize = 5;

/// A bit set is tested first if it covers at least one in this many cases; otherwise binary search comes first.
const MOST_SETS: usize = 4;

/// The cases with their labels, sorted. The last label is the default's.
pub(crate) fn cases(f: &Function, d: &Node, labels: &[Label]) -> Result<Vec<(i64, Label)>> {
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
        let is_dense = tables && part.len() >= TABLE_MIN && span <= part.len() as u128 * TABLE_SPARSENESS + 8;
        if let Some((set, count)) = set_of_bits(part, m.bits())
            && (count == part.len() || !is_dense && part.len() <= MOST_SETS * count)
        {
            if count < part.len() {
                let high = m.buf().new_label();
                m.jump_unless_less(part[count].0, high);
                stack.push((&part[count..], Some(high)));
            }
            let span = (part[count - 1].0 - part[0].0) as u32 + 1;
            m.find_distance(part[0].0 as i32, span, default);
            for &(bits, label) in set.iter().filter(|place| place.0 != 0) {
                if bits.count_ones() == span { m.jump(label) } else { m.jump_by_bit(bits, span, label) }
            }
            if more || count < part.len() {
                m.jump(default);
            }
        } else if is_dense {
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

/// The first cases, as far as they differ by less than a register has bits and lead to at most three places: for each
/// place the bits of its cases, those with most cases first. `None` if comparisons would be as good.
fn set_of_bits(cases: &[(i64, Label)], bits: u32) -> Option<([(u64, Label); 3], usize)> {
    let (low, first) = *cases.first()?;
    i32::try_from(low).ok().filter(|&low| low != i32::MIN)?;
    let mut set = [(0u64, first); 3];
    let mut count = 0;
    for &(n, label) in cases {
        let distance = n.abs_diff(low);
        let Some(place) = set.iter_mut().find(|place| place.0 == 0 || place.1 == label) else { break };
        if distance >= u64::from(bits) {
            break;
        }
        *place = (place.0 | 1 << distance, label);
        count += 1;
    }
    let places = set.iter().filter(|place| place.0 != 0).count();
    set.sort_unstable_by_key(|place| std::cmp::Reverse(place.0.count_ones()));
    (count >= [usize::MAX, 3, 5, 6][places]).then_some((set, count))
}
