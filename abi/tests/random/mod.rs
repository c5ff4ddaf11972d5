//! Random types and signatures.

use gusset_abi::*;

/// Marsaglia's xorshift, with a fixed seed: the same signatures on every run.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % n
    }

    fn scalar(&mut self) -> Scalar {
        const FLOATS: [FloatKind; 6] =
            [FloatKind::F16, FloatKind::BF16, FloatKind::F32, FloatKind::F64, FloatKind::Long, FloatKind::F128];
        match self.below(8) {
            0 => Scalar::Bool,
            1 => Scalar::Pointer,
            2..5 => Scalar::Int { bits: 8 << self.below(5), signed: self.below(2) == 0 },
            _ => Scalar::Float(FLOATS[self.below(6) as usize]),
        }
    }

    fn ty(&mut self, depth: u64) -> CType {
        match self.below(if depth == 0 { 9 } else { 16 }) {
            0..6 => self.scalar().into(),
            6 => CType::Complex(self.scalar_of(&[FloatKind::F32, FloatKind::F64, FloatKind::Long])),
            7 => CType::Vector { lane: Scalar::Int { bits: 32, signed: true }, lanes: 2 << self.below(4) },
            8 => CType::BitInt { bits: 2 + self.below(200) as u32, signed: self.below(2) == 0 },
            _ => {
                let fields = (0..self.below(5)).map(|_| self.field(depth - 1)).collect();
                let mut record = if self.below(5) == 0 { Record::union(fields) } else { Record::structure(fields) };
                if self.below(6) == 0 {
                    record = record.packed();
                }
                if self.below(6) == 0 {
                    record = record.aligned(1 << self.below(7));
                }
                if self.below(6) == 0 {
                    record = record.pragma_pack(1 << self.below(4));
                }
                if self.below(8) == 0 {
                    record = record.cxx(Class {
                        non_trivial: self.below(3) == 0,
                        aggregate: self.below(2) == 0,
                        ..Class::PLAIN
                    });
                }
                CType::record(record)
            }
        }
    }

    fn scalar_of(&mut self, kinds: &[FloatKind]) -> Scalar {
        Scalar::Float(kinds[self.below(kinds.len() as u64) as usize])
    }

    fn field(&mut self, depth: u64) -> Field {
        match self.below(6) {
            0 => {
                let bits = 8 << self.below(4);
                Field::bit_field(CType::int(bits, true), 1 + self.below(bits.into()) as u32)
            }
            1 => Field::unnamed_bit_field(CType::I32, self.below(33) as u32),
            2 => Field::new(CType::array(self.ty(depth), self.below(4))),
            _ => Field::new(self.ty(depth)),
        }
    }

    /// A signature in the C convention.
    pub fn signature(&mut self) -> Signature {
        let ret = if self.below(5) == 0 { CType::Void } else { self.ty(3) };
        let mut signature = Signature::c(ret);
        let count = self.below(14);
        let named = if self.below(3) == 0 { self.below(count + 1) } else { u64::MAX };
        for i in 0..count {
            if i == named {
                signature = signature.ellipsis();
            }
            signature = signature.param(self.ty(3));
        }
        signature
    }
}
