//! Types and signatures as C knows them.

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// `_Bool`.
    Bool,
    /// An integer of this many bytes (1, 2, 4, 8 or 16).
    Int {
        /// Size in bytes.
        bytes: u8,
        /// Whether it has a sign.
        signed: bool,
    },
    /// `void *`.
    Pointer,
    /// `_Float16`.
    F16,
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `long double`, x87's 80 bits.
    F80,
    /// `__float128`.
    F128,
}

impl Scalar {
    /// Bytes that a value takes in memory, padding included.
    pub fn size(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int { bytes, .. } => bytes.into(),
            Scalar::F16 => 2,
            Scalar::F32 => 4,
            Scalar::F64 | Scalar::Pointer => 8,
            Scalar::F80 | Scalar::F128 => 16,
        }
    }

    /// Whether C passes a variable argument of this type as another one (C17 6.5.2.2, default argument promotions).
    pub fn is_promoted(self) -> bool {
        match self {
            Scalar::Bool | Scalar::F32 => true,
            Scalar::Int { bytes, .. } => bytes < 4,
            _ => false,
        }
    }
}

/// Any type.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// A complex number of two scalars.
    Complex(Scalar),
    /// A vector (`vector_size`) of scalars, of this many bytes.
    Vector(Scalar, u32),
    /// A struct or union: its number in [`Batch::aggregates`].
    Aggregate(usize),
    /// An array; only inside aggregates.
    Array(Box<Type>, u32),
}

/// A member of a struct or union.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its type; a scalar for bit-fields.
    pub ty: Type,
    /// The width of a bit-field.
    pub bits: Option<u32>,
    /// Only a bit-field may lack a name; then it has no value.
    pub named: bool,
    /// `aligned(n)` on the member.
    pub align: Option<u32>,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// Whether it is a union.
    pub is_union: bool,
    /// `packed`.
    pub packed: bool,
    /// `aligned(n)` on the whole.
    pub align: Option<u32>,
    /// The members in order. A union's value is one of them, as the seed says.
    pub fields: Vec<Field>,
}

/// A function's type.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The result, if any.
    pub result: Option<Type>,
    /// The named parameters.
    pub params: Vec<Type>,
    /// For a variadic function, the types of the further arguments of the one call that is made.
    pub variable: Option<Vec<Type>>,
}

/// Signatures and the aggregates they use.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The aggregates; one uses only those before it.
    pub aggregates: Vec<Aggregate>,
    /// The signatures.
    pub signatures: Vec<Signature>,
}

impl Batch {
    /// Roughly how many bytes a value takes: enough to keep types small, but blind to bit-fields that share a unit.
    pub fn rough_size(&self, ty: &Type) -> u32 {
        match ty {
            Type::Scalar(s) => s.size(),
            Type::Complex(s) => 2 * s.size(),
            Type::Vector(_, bytes) => *bytes,
            Type::Array(element, count) => self.rough_size(element) * count,
            Type::Aggregate(i) => {
                let aggregate = &self.aggregates[*i];
                let sizes = aggregate.fields.iter().map(|f| self.rough_size(&f.ty));
                let size: u32 = if aggregate.is_union { sizes.max().unwrap_or(0) } else { sizes.sum() };
                size.max(aggregate.align.unwrap_or(0))
            }
        }
    }

    /// Whether a signature passes an integer of 16 bytes as an argument by itself.
    pub fn passes_wide_integer(signature: &Signature) -> bool {
        let wide = |ty: &Type| matches!(ty, Type::Scalar(Scalar::Int { bytes: 16, .. }));
        signature.params.iter().chain(signature.variable.iter().flatten()).any(wide)
    }

    /// Whether a value has any leaf at all.
    pub fn has_value(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(element, count) => *count > 0 && self.has_value(element),
            Type::Aggregate(i) => {
                let mut named = self.aggregates[*i].fields.iter().filter(|f| f.named);
                // A union's seed may choose any member, so all of them have to have a value.
                if self.aggregates[*i].is_union {
                    !self.aggregates[*i].fields.is_empty() && named.all(|f| self.has_value(&f.ty))
                } else {
                    named.any(|f| self.has_value(&f.ty))
                }
            }
            _ => true,
        }
    }
}
