//! What becomes of variables where loads have been moved.

use std::ops::Range;

use super::{CodeBuffer, Mark, VariableEvent};

/// How far a load is moved, in bytes.
const FARTHEST: u32 = 256;

impl CodeBuffer {
    /// Says that loads have been moved: in each stretch of code it is not known what is in these registers. Stretches are shorter than
    /// 256 bytes.
    pub fn displace(&mut self, mut stretches: Vec<(Range<u32>, u64)>) {
        if self.variables.is_empty() || stretches.is_empty() {
            return;
        }
        stretches.sort_by_key(|stretch| stretch.0.start);
        let mut order: Vec<u32> = (0..self.variables.len() as u32).collect();
        order.sort_by_key(|&event| self.variables[event as usize].value.key);
        let mut cuts = Vec::new();
        for (at, &event) in order.iter().enumerate() {
            let Mark { offset, value } = &self.variables[event as usize];
            if value.record.is_none() || value.registers == 0 {
                continue;
            }
            let next = order.get(at + 1).map(|&next| &self.variables[next as usize]);
            let end = next.filter(|next| next.value.key == value.key).map_or(u32::MAX, |next| next.offset);
            let first = stretches.partition_point(|(code, _)| code.start + FARTHEST <= *offset);
            let near = stretches[first..].iter().take_while(|(code, _)| code.start < end);
            let lost = near.filter(|(code, registers)| code.end > *offset && registers & value.registers != 0);
            let mut gaps: Vec<Range<u32>> = Vec::new();
            for (code, _) in lost {
                match gaps.last_mut() {
                    Some(gap) if code.start <= gap.end => gap.end = gap.end.max(code.end),
                    _ => gaps.push(code.start.max(*offset)..code.end),
                }
            }
            for gap in gaps {
                let nowhere = VariableEvent { record: None, operands: 0..0, registers: 0, ..*value };
                cuts.push(Mark { offset: gap.start, value: nowhere });
                if gap.end < end {
                    cuts.push(Mark { offset: gap.end, value: value.clone() });
                }
            }
        }
        if !cuts.is_empty() {
            self.variables.extend(cuts);
            self.variables.sort_by_key(|mark| mark.offset);
        }
    }
}
