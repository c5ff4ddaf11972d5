//! Values of variables at the ends of blocks.

use crate::ir::Value;

/// Stands for no value, block or variable.
pub(super) const NONE: u32 = u32::MAX;
/// The largest table that has an entry for every pair.
const DENSE: usize = 1 << 14;

/// A map from block and variable to a value: an array if that is small, else open addressing.
#[derive(Default)]
pub(super) struct Ends {
    /// Number of variables, if the table is an array; otherwise 0.
    width: u32,
    keys: Vec<u64>,
    values: Vec<u32>,
    filled: usize,
}

impl Ends {
    /// Empties the table, for this many blocks and variables.
    pub fn begin(&mut self, blocks: usize, variables: usize) {
        self.values.clear();
        self.keys.clear();
        self.filled = 0;
        match blocks.checked_mul(variables) {
            Some(n) if n <= DENSE => {
                self.width = variables as u32;
                self.values.resize(n, NONE);
            }
            _ => {
                self.width = 0;
                self.keys.resize(256, u64::MAX);
                self.values.resize(256, NONE);
            }
        }
    }

    fn place(&self, key: u64) -> usize {
        let mask = self.keys.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.keys[at] != u64::MAX && self.keys[at] != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// The value, if it is known.
    #[inline]
    pub fn get(&self, block: u32, variable: u32) -> Option<Value> {
        let v = if self.width != 0 {
            self.values[(block * self.width + variable) as usize]
        } else {
            self.values[self.place((block as u64) << 32 | variable as u64)]
        };
        if v == NONE { None } else { Some(Value(v)) }
    }

    /// Sets the value.
    #[inline]
    pub fn set(&mut self, block: u32, variable: u32, v: Value) {
        if self.width != 0 {
            self.values[(block * self.width + variable) as usize] = v.0;
        } else {
            self.set_sparse((block as u64) << 32 | variable as u64, v);
        }
    }

    fn set_sparse(&mut self, key: u64, v: Value) {
        let at = self.place(key);
        if self.keys[at] == u64::MAX {
            self.keys[at] = key;
            self.filled += 1;
        }
        self.values[at] = v.0;
        if self.filled * 2 > self.keys.len() {
            let keys = std::mem::take(&mut self.keys);
            let values = std::mem::take(&mut self.values);
            self.keys.resize(keys.len() * 4, u64::MAX);
            self.values.resize(values.len() * 4, NONE);
            for (k, v) in keys.into_iter().zip(values) {
                if k != u64::MAX {
                    let at = self.place(k);
                    self.keys[at] = k;
                    self.values[at] = v;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_tables_agree() {
        let mut ends = Ends::default();
        for (blocks, variables) in [(100u32, 100u32), (1000, 100), (3, 4)] {
            ends.begin(blocks as usize, variables as usize);
            let chosen = |b: u32, v: u32| (b * 7 + v * 3).is_multiple_of(5);
            for b in 0..blocks {
                for v in 0..variables {
                    assert_eq!(ends.get(b, v), None);
                    if chosen(b, v) {
                        ends.set(b, v, Value(b * variables));
                        ends.set(b, v, Value(b * variables + v));
                    }
                }
            }
            for b in 0..blocks {
                for v in 0..variables {
                    assert_eq!(ends.get(b, v), chosen(b, v).then_some(Value(b * variables + v)));
                }
            }
        }
    }
}
