//! Types of SSA values: scalars and vectors, two bytes each.

use core::fmt;

/// The type of an SSA value. Pointers are integers of the target's pointer width.
///
/// Scalars: integers of 1 to [`MAX_INT_BITS`](Type::MAX_INT_BITS) bits and the six floating-point formats. Vectors: a lane scalar and a lane count of
/// 1 to 1023. Aggregates are not values: they are passed and returned by address, or dissolved into scalars.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Type(u16);

const VECTOR: u16 = 1 << 15;
const LANE_SHIFT: u16 = 10;
const FLOAT_BASE: u16 = Type::MAX_INT_BITS as u16 + 1;
/// Lane types in the order of their 5-bit codes.
const LANES: [Type; 12] = [
    Type::I1,
    Type::I8,
    Type::I16,
    Type::I32,
    Type::I64,
    Type::I128,
    Type::F16,
    Type::BF16,
    Type::F32,
    Type::F64,
    Type::F80,
    Type::F128,
];

impl Type {
    /// No value.
    pub const VOID: Type = Type(0);
    /// A truth value.
    pub const I1: Type = Type(1);
    /// 8-bit integer.
    pub const I8: Type = Type(8);
    /// 16-bit integer.
    pub const I16: Type = Type(16);
    /// 32-bit integer.
    pub const I32: Type = Type(32);
    /// 64-bit integer.
    pub const I64: Type = Type(64);
    /// 128-bit integer.
    pub const I128: Type = Type(128);
    /// IEEE 754 binary16.
    pub const F16: Type = Type(FLOAT_BASE);
    /// bfloat16.
    pub const BF16: Type = Type(FLOAT_BASE + 1);
    /// IEEE 754 binary32.
    pub const F32: Type = Type(FLOAT_BASE + 2);
    /// IEEE 754 binary64.
    pub const F64: Type = Type(FLOAT_BASE + 3);
    /// x87 double-extended.
    pub const F80: Type = Type(FLOAT_BASE + 4);
    /// IEEE 754 binary128.
    pub const F128: Type = Type(FLOAT_BASE + 5);

    /// Width of the widest integers.
    pub const MAX_INT_BITS: u32 = 4096;

    /// The integer type of `bits` width, 1 to [`MAX_INT_BITS`](Type::MAX_INT_BITS).
    #[inline]
    pub const fn int(bits: u32) -> Option<Type> {
        if bits >= 1 && bits <= Self::MAX_INT_BITS { Some(Type(bits as u16)) } else { None }
    }

    /// A vector of `lanes` (1 to 1023) scalars, if `lane` may be one: i1, i8, i16, i32, i64, i128 or a float.
    pub fn vector(lane: Type, lanes: u32) -> Option<Type> {
        let code = LANES.iter().position(|&l| l == lane)? as u16;
        if lanes == 0 || lanes > 1023 { None } else { Some(Type(VECTOR | code << LANE_SHIFT | lanes as u16)) }
    }

    /// The raw encoding.
    #[inline]
    pub const fn bits_repr(self) -> u16 {
        self.0
    }

    /// Is this a scalar integer?
    #[inline]
    pub const fn is_int(self) -> bool {
        self.0 >= 1 && self.0 < FLOAT_BASE
    }

    /// Is this a scalar float?
    #[inline]
    pub const fn is_float(self) -> bool {
        self.0 >= FLOAT_BASE && self.0 < VECTOR
    }

    /// Is this a vector?
    #[inline]
    pub const fn is_vector(self) -> bool {
        self.0 & VECTOR != 0
    }

    /// The scalar itself, or a vector's lane type.
    #[inline]
    pub fn lane(self) -> Type {
        if self.is_vector() { LANES[(self.0 >> LANE_SHIFT & 31) as usize] } else { self }
    }

    /// Number of lanes; 1 for a scalar.
    #[inline]
    pub const fn lanes(self) -> u32 {
        if self.is_vector() { (self.0 & 1023) as u32 } else { 1 }
    }

    /// Value bits of one lane: 80 for x87, whatever its size in memory.
    #[inline]
    pub fn lane_bits(self) -> u32 {
        match self.lane().0 {
            n if n < FLOAT_BASE => n as u32,
            n => [16, 16, 32, 64, 80, 128][(n - FLOAT_BASE) as usize],
        }
    }

    /// Value bits in all.
    #[inline]
    pub fn bits(self) -> u32 {
        // Most are integers.
        if self.0 < FLOAT_BASE { self.0.into() } else { self.lane_bits() * self.lanes() }
    }

    /// Bytes that a load or store of this type touches, like LLVM's store size: bits rounded up to bytes.
    #[inline]
    pub fn store_bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The type with another lane type, if that can be one.
    pub fn with_lane(self, lane: Type) -> Option<Type> {
        if self.is_vector() { Type::vector(lane, self.lanes()) } else { Some(lane) }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_vector() {
            return write!(f, "{}x{}", self.lane(), self.lanes());
        }
        match *self {
            Type::VOID => f.write_str("void"),
            Type::F16 => f.write_str("f16"),
            Type::BF16 => f.write_str("bf16"),
            Type::F32 => f.write_str("f32"),
            Type::F64 => f.write_str("f64"),
            Type::F80 => f.write_str("f80"),
            Type::F128 => f.write_str("f128"),
            Type(n) => write!(f, "i{n}"),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
