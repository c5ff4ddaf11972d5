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
    /// The calling convention by the attribute that asks for it; the system's if there is none.
    pub convention: Option<&'static str>,
    /// For a variadic function, the types of the further arguments of the one call that is made.
    pub variable: Option<Vec<Type>>,
}

/// Known reasons for which GCC 12 and clang 19 differ on a signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dispute {
    /// A 16-byte integer that finds one general register left: clang 19 loses the register, in calls but not in its own
    /// `va_arg`; GCC, and clang from release 20 on, give it to the next argument.
    WideInteger,
    /// Packed aggregates with members that are aggregates, arrays or bit-fields.
    Packed,
    /// Half-precision numbers in an aggregate: clang 19 loses bytes of a register with a gap before them. Complex ones as variable
    /// arguments on AArch64: GCC 12 fetches zeros through a copy of the list.
    Half,
    /// Aligned aggregates as variable arguments: `va_arg` of GCC 12 reads general registers' save area, and some of
    /// clang's the overflow area, as if it were aligned as much.
    VariableAligned,
    /// On Windows, whatever GCC and clang make of it: `abi/DIFFERENCES.md` lists what they differ in.
    Windows,
    /// The same on 32-bit x86.
    Narrow,
    /// On 32-bit x86 clang 19 takes back a multiple of 16 bytes from callees that pop their arguments, these pop what there
    /// are: with vectors on the stack its functions do not return.
    Pops,
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

    /// For what reason GCC and clang may differ on a signature, if there is any known; the first that applies.
    pub fn dispute(&self, signature: &Signature) -> Option<Dispute> {
        let variable = || signature.variable.iter().flatten();
        let all = || signature.params.iter().chain(variable()).chain(&signature.result);
        if all().any(|ty| self.any(ty, &|_, a| a.is_some_and(|a| a.packed))) {
            return Some(Dispute::Packed);
        }
        if all().any(|ty| {
            self.any(ty, &|_, a| a.is_some())
                && self.any(ty, &|ty, _| matches!(ty, Type::Scalar(Scalar::F16) | Type::Complex(Scalar::F16)))
        }) || variable().any(|ty| matches!(ty, Type::Complex(Scalar::F16)))
        {
            return Some(Dispute::Half);
        }
        let over_aligned = |ty: &Type| match ty {
            Type::Aggregate(_) => self.any(ty, &|ty, a| {
                let attribute = a.is_some_and(|a| a.align.or(a.fields.iter().filter_map(|f| f.align).max()) > Some(8));
                attribute || matches!(ty, Type::Vector(..)) || a.is_none() && self.rough_size(ty) >= 16
            }),
            _ => false,
        };
        if variable().any(over_aligned) {
            return Some(Dispute::VariableAligned);
        }
        let wide = |ty: &Type| matches!(ty, Type::Scalar(Scalar::Int { bytes: 16, .. }));
        signature.params.iter().chain(variable()).any(wide).then_some(Dispute::WideInteger)
    }

    /// Whether a signature has a bit-field somewhere.
    pub fn has_bit_field(&self, signature: &Signature) -> bool {
        let variable = signature.variable.iter().flatten();
        let mut all = signature.params.iter().chain(variable).chain(&signature.result);
        all.any(|ty| self.any(ty, &|_, a| a.is_some_and(|a| a.fields.iter().any(|f| f.bits.is_some()))))
    }

    /// Whether `test` holds for a type or for any that it is made of; it gets the aggregate, if it is one.
    fn any(&self, ty: &Type, test: &impl Fn(&Type, Option<&Aggregate>) -> bool) -> bool {
        match ty {
            Type::Array(element, _) => self.any(element, test),
            Type::Aggregate(i) => {
                let aggregate = &self.aggregates[*i];
                test(ty, Some(aggregate)) || aggregate.fields.iter().any(|f| self.any(&f.ty, test))
            }
            _ => test(ty, None),
        }
    }

    /// Is a parameter a packed record of floating-point numbers alone?
    pub fn passes_packed_floats(&self, signature: &Signature) -> bool {
        let packed = |ty: &Type| self.any(ty, &|_, a| a.is_some_and(|a| a.packed));
        let is_float = |s: &Scalar| matches!(s, Scalar::F32 | Scalar::F64);
        let other = |ty: &Type, a: Option<&Aggregate>| match ty {
            Type::Scalar(s) | Type::Complex(s) => !is_float(s),
            _ => a.is_none(),
        };
        signature.params.iter().any(|ty| packed(ty) && !self.any(ty, &other))
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
