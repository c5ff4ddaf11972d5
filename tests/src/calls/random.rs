//! Random batches of signatures.

use fastrand::Rng;

use super::model::{Aggregate, Batch, Field, Scalar, Signature, Type};

/// What to leave out: where the compilers compared do not agree, and what a target lacks.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most named parameters, and the most variable arguments.
    pub params: usize,
    /// The widest vector, in bytes, that is in an aggregate; 0 for none at all.
    pub vector: u32,
    /// The widest vector, in bytes, that is an argument as such.
    pub passed_vector: u32,
    /// The widest vector, in bytes, that is returned as such.
    pub returned_vector: u32,
    /// The narrowest vector, in bytes.
    pub least_vector: u32,
    /// The greatest alignment by attribute, in bytes.
    pub align: u32,
    /// Whether members of aggregates are vectors.
    pub vector_members: bool,
    /// Whether there are empty structs and unions.
    pub empty: bool,
    /// Attributes for conventions that half of the functions with a fixed number of arguments have one of.
    pub conventions: &'static [&'static str],
    /// Scalars that are not in use.
    pub without: &'static [Scalar],
}

const INTS: [Scalar; 9] = [
    Scalar::Int { bytes: 1, signed: true },
    Scalar::Int { bytes: 1, signed: false },
    Scalar::Int { bytes: 2, signed: true },
    Scalar::Int { bytes: 2, signed: false },
    Scalar::Int { bytes: 4, signed: true },
    Scalar::Int { bytes: 4, signed: false },
    Scalar::Int { bytes: 8, signed: true },
    Scalar::Int { bytes: 8, signed: false },
    Scalar::Bool,
];

/// A batch of `signatures` functions over `aggregates` types; the same for the same seed.
pub fn batch(seed: u64, aggregates: usize, signatures: usize, limits: &Limits) -> Batch {
    let mut maker =
        Maker { rng: Rng::with_seed(seed), limits, batch: Batch { aggregates: Vec::new(), signatures: Vec::new() } };
    for _ in 0..aggregates {
        let aggregate = maker.aggregate();
        maker.batch.aggregates.push(aggregate);
    }
    for _ in 0..signatures {
        let signature = maker.signature();
        maker.batch.signatures.push(signature);
    }
    maker.batch
}

struct Maker<'a> {
    rng: Rng,
    limits: &'a Limits,
    batch: Batch,
}

impl Maker<'_> {
    /// True once in `n` times.
    fn once_in(&mut self, n: u32) -> bool {
        self.rng.u32(0..n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.usize(0..from.len())]
    }

    fn scalar(&mut self) -> Scalar {
        loop {
            let scalar = self.any_scalar();
            if !self.limits.without.contains(&scalar) {
                return scalar;
            }
        }
    }

    fn any_scalar(&mut self) -> Scalar {
        match self.rng.u32(0..100) {
            0..50 => self.pick(&INTS),
            50..62 => Scalar::F64,
            62..74 => Scalar::F32,
            74..80 => Scalar::Pointer,
            80..86 => Scalar::Int { bytes: 16, signed: self.rng.bool() },
            86..91 => Scalar::F80,
            91..95 => Scalar::F128,
            _ => Scalar::F16,
        }
    }

    fn vector(&mut self) -> Type {
        let element = match self.rng.u32(0..10) {
            0..3 => Scalar::F32,
            3..5 => Scalar::F64,
            _ => INTS[self.rng.usize(0..8)],
        };
        let mut bytes = self.pick(&[8, 16, 16, 32]);
        while bytes > self.limits.vector || bytes < element.size() {
            bytes = self.pick(&[8, 16]);
        }
        bytes = bytes.max(self.limits.least_vector);
        // One 8-byte element in 8 bytes: the compilers have disagreed over the years; see `Limits`.
        Type::Vector(element, if bytes == element.size() { 16 } else { bytes })
    }

    /// A type of a parameter, result or member.
    fn ty(&mut self) -> Type {
        match self.rng.u32(0..100) {
            0..45 => Type::Scalar(self.scalar()),
            45..52 => loop {
                let kinds = [Scalar::F32, Scalar::F32, Scalar::F64, Scalar::F80, Scalar::F16, Scalar::F128];
                let part = self.pick(&kinds);
                if !self.limits.without.contains(&part) {
                    return Type::Complex(part);
                }
            },
            52..62 if self.limits.vector > 0 => self.vector(),
            _ if self.batch.aggregates.is_empty() => Type::Scalar(self.scalar()),
            _ => Type::Aggregate(self.rng.usize(0..self.batch.aggregates.len())),
        }
    }

    fn bit_field(&mut self, in_union: bool) -> Field {
        let ty = self.pick(&INTS);
        let most = if ty == Scalar::Bool { 1 } else { 8 * ty.size() };
        let named = in_union || !self.once_in(8);
        // Without a name only those of width zero, which close the unit before them: GCC counts others as integers,
        // clang does not. In a union the two differ even over those.
        let bits = if named { self.rng.u32(1..=most) } else { 0 };
        Field { ty: Type::Scalar(ty), bits: Some(bits), named, align: None }
    }

    fn field(&mut self, in_union: bool) -> Field {
        if self.once_in(6) {
            return self.bit_field(in_union);
        }
        let mut ty = self.ty();
        // Nested aggregates stay small, so that enough of them travel in registers.
        let is_vector = matches!(ty, Type::Vector(..));
        if self.batch.rough_size(&ty) > 32 || is_vector && !self.limits.vector_members {
            ty = Type::Scalar(self.scalar());
        }
        if self.once_in(6) {
            let count = match self.batch.rough_size(&ty) {
                0..=2 => self.rng.u32(1..9),
                3..=8 => self.rng.u32(1..4),
                _ => self.rng.u32(1..3),
            };
            ty = Type::Array(Box::new(ty), count);
        }
        let align = if self.once_in(40) { Some(self.pick(&[2, 4, 8, 16, 32]).min(self.limits.align)) } else { None };
        Field { ty, bits: None, named: true, align }
    }

    fn aggregate(&mut self) -> Aggregate {
        let is_union = self.once_in(5);
        let count = match self.rng.u32(0..20) {
            0 => 0,
            1..5 => 1,
            5..11 => 2,
            11..15 => 3,
            15..18 => 4,
            _ => self.rng.usize(5..12),
        };
        let mut fields: Vec<Field> = (0..count).map(|_| self.field(is_union)).collect();
        if is_union {
            fields.retain(|f| f.named && (f.bits.is_some() || self.batch.has_value(&f.ty)));
        }
        // Members, but none with a name: undefined in C (C17 6.7.2.1, paragraph 8), and the compilers do differ.
        if !fields.iter().any(|f| f.named) {
            fields.clear();
        }
        if fields.is_empty() && !self.limits.empty {
            fields.push(self.field(is_union));
            fields.retain(|f| f.named);
            if fields.is_empty() {
                fields.push(Field { ty: Type::Scalar(Scalar::F64), bits: None, named: true, align: None });
            }
        }
        let align =
            if self.once_in(20) { Some(self.pick(&[2, 4, 8, 16, 32, 64]).min(self.limits.align)) } else { None };
        Aggregate { is_union, packed: self.once_in(12), align, fields }
    }

    fn signature(&mut self) -> Signature {
        let most = self.limits.params;
        let count = match self.rng.u32(0..10) {
            0..5 => self.rng.usize(0..most.min(6)),
            5..8 => self.rng.usize(3..most.clamp(4, 11)),
            _ => self.rng.usize(0..=most),
        };
        // Some signatures are mostly of one kind: only so are registers of one class used up with the other's left.
        let flavour = self.rng.u32(0..10);
        let mut params: Vec<Type> = (0..count).map(|_| self.param(flavour)).collect();
        let variable = if self.once_in(5) {
            if params.is_empty() {
                params.push(Type::Scalar(Scalar::Int { bytes: 4, signed: true }));
            }
            // `va_start` names the last parameter, which must not be of a type that is promoted (C17 7.16.1.4).
            if params.last().is_some_and(|last| matches!(last, Type::Scalar(s) if s.is_promoted())) {
                params.push(Type::Scalar(Scalar::Int { bytes: 8, signed: false }));
            }
            let count = self.rng.usize(0..=most.min(12));
            Some((0..count).map(|_| self.variable_argument(flavour)).collect())
        } else {
            None
        };
        let result = self.result();
        let conventions = self.limits.conventions;
        let special = !conventions.is_empty() && variable.is_none() && self.rng.bool();
        let convention = if special { Some(self.pick(conventions)) } else { None };
        if convention == Some("thiscall") {
            // Its register is for `this` alone.
            params.insert(0, Type::Scalar(Scalar::Pointer));
        }
        Signature { result, params, convention, variable }
    }

    fn param(&mut self, flavour: u32) -> Type {
        loop {
            match self.any_param(flavour) {
                Type::Vector(_, bytes) if bytes > self.limits.passed_vector => {}
                ty => return ty,
            }
        }
    }

    fn any_param(&mut self, flavour: u32) -> Type {
        match flavour {
            0 if !self.once_in(4) => Type::Scalar(self.pick(&INTS)),
            1 if !self.once_in(4) => {
                let kinds = [Scalar::F64, Scalar::F32, Scalar::F16, Scalar::F128];
                let kind = self.pick(&kinds);
                Type::Scalar(if self.limits.without.contains(&kind) { Scalar::F64 } else { kind })
            }
            2 if !self.once_in(4) && !self.batch.aggregates.is_empty() => {
                Type::Aggregate(self.rng.usize(0..self.batch.aggregates.len()))
            }
            _ => self.ty(),
        }
    }

    fn variable_argument(&mut self, flavour: u32) -> Type {
        loop {
            match self.param(flavour) {
                Type::Scalar(s) if s.is_promoted() => {}
                ty => return ty,
            }
        }
    }

    fn result(&mut self) -> Option<Type> {
        if self.once_in(6) {
            return None;
        }
        loop {
            match self.ty() {
                Type::Vector(_, bytes) if bytes > self.limits.returned_vector => {}
                ty => return Some(ty),
            }
        }
    }
}
