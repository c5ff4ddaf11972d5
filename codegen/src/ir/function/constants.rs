//! Constants: values that no instruction defines.

use super::{ConstData, Function, TAG_CONST, TAG_INT};
use crate::ir::{Type, Value};

/// Entries of the cache by which equal recent constants share a value.
const CONST_CACHE: usize = 256;

/// The index of a constant in the cache.
#[inline]
fn const_place(key: u64, ty: Type) -> usize {
    (key.wrapping_add(ty.bits_repr() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

impl Function {
    /// All constants that values are or were.
    pub fn constants(&self) -> &[ConstData] {
        &self.consts
    }

    /// The constant that a value is, if it is one.
    #[inline]
    pub fn constant(&self, v: Value) -> Option<ConstData> {
        let d = self.values[v.index()];
        match d.tag {
            TAG_INT => Some(ConstData::Int(d.payload as u128)),
            TAG_CONST => Some(self.consts[d.payload as usize]),
            _ => None,
        }
    }

    /// The integer constant that a value is, zero-extended.
    #[inline]
    pub fn int_constant(&self, v: Value) -> Option<u128> {
        match self.constant(v) {
            Some(ConstData::Int(n)) => Some(n),
            _ => None,
        }
    }

    /// The integer constant that a value is, if it has at most 64 bits, sign-extended from its width.
    #[inline]
    pub fn int_constant_signed(&self, v: Value) -> Option<i64> {
        let d = self.values[v.index()];
        let n = match d.tag {
            TAG_INT => i64::from(d.payload),
            TAG_CONST => self.int_constant(v)? as i64,
            _ => return None,
        };
        let bits = d.ty.bits();
        (bits <= 64).then(|| n << (64 - bits) >> (64 - bits))
    }

    /// A constant of type `ty`; equal recent ones share a value.
    pub fn make_const(&mut self, ty: Type, data: ConstData) -> Value {
        let key = match data {
            ConstData::Int(n) if n >> 64 == 0 => n as u64,
            ConstData::Float(n) if n >> 64 == 0 => (n as u64).rotate_left(17) ^ 0x5151,
            ConstData::Symbol(s, off) => (s.0 as u64) << 32 ^ off as u64 ^ 0x9e37_79b9 << 13,
            _ => u64::MAX,
        };
        if key == u64::MAX {
            return self.push_const(ty, data);
        }
        if self.const_cache.is_empty() {
            self.const_cache.resize(CONST_CACHE, (u64::MAX, 0));
        }
        let place = const_place(key, ty);
        let (k, v) = self.const_cache[place];
        if k == key && self.values[v as usize].ty == ty && self.constant(Value(v)) == Some(data) {
            return Value(v);
        }
        let v = self.push_const(ty, data);
        self.const_cache[place] = (key, v.0);
        v
    }

    /// Sets whether constants that are made from now on are operands of debug records only. Those have values of their own: code gets the
    /// same values as without records, and records of equal constants get the same value whatever is in the code.
    pub fn set_debug_constants(&mut self, on: bool) {
        if self.debug.makes_constants != on {
            self.debug.makes_constants = on;
            std::mem::swap(&mut self.const_cache, &mut self.other_const_cache);
        }
    }

    fn push_const(&mut self, ty: Type, data: ConstData) -> Value {
        if let ConstData::Int(n) = data
            && n >> 32 == 0
        {
            return self.push_value(ty, TAG_INT, n as u32);
        }
        let c = self.consts.len() as u32;
        self.consts.push(data);
        self.push_value(ty, TAG_CONST, c)
    }

    /// An integer constant, cut to the width of `ty`.
    pub fn make_int(&mut self, ty: Type, n: i128) -> Value {
        let bits = ty.bits();
        if (1..=64).contains(&bits) {
            // Most are small and were made recently.
            let cut = n as u64 & (u64::MAX >> (64 - bits));
            if let Some(&(_, v)) = self.const_cache.get(const_place(cut, ty))
                && let Some(d) = self.values.get(v as usize)
                && (d.ty, d.tag, u64::from(d.payload)) == (ty, TAG_INT, cut)
            {
                return Value(v);
            }
            return self.make_const(ty, ConstData::Int(cut.into()));
        }
        if bits > 128 && n < 0 {
            return self.make_wide(ty, &[n as u64, (n >> 64) as u64], true);
        }
        let mask = if bits >= 128 { u128::MAX } else { (1u128 << bits) - 1 };
        self.make_const(ty, ConstData::Int(n as u128 & mask))
    }

    /// An integer constant of any width, from words of 64 bits, the lowest first. Bits beyond the words are ones if
    /// `ones` is set, else zeros.
    pub fn make_wide(&mut self, ty: Type, words: &[u64], ones: bool) -> Value {
        let bits = ty.bits() as usize;
        let word = |k: usize| {
            let n = words.get(k).copied().unwrap_or(if ones { u64::MAX } else { 0 });
            if bits / 64 > k { n } else { n & !(u64::MAX << (bits % 64)) }
        };
        let count = bits.div_ceil(64);
        if (2..count).all(|k| word(k) == 0) {
            let high = if count > 1 { word(1) } else { 0 };
            return self.make_const(ty, ConstData::Int(u128::from(high) << 64 | u128::from(word(0))));
        }
        let words: Vec<Value> =
            (0..count).map(|k| self.make_const(Type::I64, ConstData::Int(word(k).into()))).collect();
        self.make_vector(ty, &words)
    }

    /// Word `k` of 64 bits of an integer constant of any width.
    pub fn constant_word(&self, v: Value, k: u32) -> Option<u64> {
        match self.constant(v)? {
            ConstData::Int(n) => Some(if k < 2 { (n >> (64 * k)) as u64 } else { 0 }),
            ConstData::Vector { start, len } if self.value_type(v).is_int() => {
                let word = self.pool_values(start, len).get(k as usize);
                word.map_or(Some(0), |&w| self.int_constant(w).map(|n| n as u64))
            }
            _ => None,
        }
    }

    /// A vector constant from lane constants.
    pub fn make_vector(&mut self, ty: Type, lanes: &[Value]) -> Value {
        let start = self.push_words(lanes.iter().map(|v| v.0));
        self.push_const(ty, ConstData::Vector { start, len: lanes.len() as u32 })
    }

    /// The lanes of a vector constant.
    pub fn vector_lanes(&self, start: u32, len: u32) -> impl ExactSizeIterator<Item = Value> + '_ {
        self.pool[start as usize..(start + len) as usize].iter().map(|&v| Value(v))
    }
}
