//! C's types, as far as they matter to an ABI, and LLVM's.

use crate::class::{Class, FieldRole, Virtuals};
use crate::measure::Memo;
use crate::mixer::Mixer;
use crate::target::Arch;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Floating-point formats. An example is at [`CType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    /// IEEE binary16 (`_Float16`).
    F16,
    /// Brain float (`__bf16`).
    BF16,
    /// IEEE binary32 (`float`).
    F32,
    /// IEEE binary64 (`double`).
    F64,
    /// `long double`, in the target's format.
    Long,
    /// IEEE binary128 (`__float128`, `_Float128`).
    F128,
}

/// A C scalar type. An example is at [`CType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// `_Bool`.
    Bool,
    /// An integer of 8, 16, 32, 64 or 128 bits (enumerations are their underlying type).
    Int {
        /// Width in bits.
        bits: u16,
        /// Whether it has a sign.
        signed: bool,
    },
    /// A floating-point number.
    Float(FloatKind),
    /// A pointer or reference.
    Pointer,
}

/// A C type.
///
/// A type is a tree with shared children: cloning is cheap, and equality is structural.
///
/// ```
/// use gusset_abi::{CType, Class, Field, Record};
///
/// let flags = Field::bit_field(CType::U32, 3);
/// let class = Record::structure(vec![Field::new(CType::PTR), flags]).cxx(Class::NON_TRIVIAL);
/// assert!(class.is_non_trivial());
/// let ty = CType::array(CType::record(class), 4);
/// assert_ne!(ty, CType::PTR);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CType {
    /// `void`: only as a result.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// `_BitInt(bits)`.
    BitInt {
        /// Width in bits, at least 1 (2 when signed).
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
    },
    /// `_Complex` of a floating-point or (GNU) integer type.
    Complex(Scalar),
    /// A GNU vector (`vector_size`), of `lanes` lanes.
    Vector {
        /// Type of a lane.
        lane: Scalar,
        /// Number of lanes, a power of two.
        lanes: u32,
    },
    /// An array: only inside records, since C passes no arrays by value.
    Array(ArrayType),
    /// A struct, union or C++ class.
    Record(Arc<Record>),
}

impl CType {
    /// `_Bool`.
    pub const BOOL: CType = CType::Scalar(Scalar::Bool);
    /// `signed char`.
    pub const I8: CType = CType::int(8, true);
    /// `unsigned char`.
    pub const U8: CType = CType::int(8, false);
    /// `short`.
    pub const I16: CType = CType::int(16, true);
    /// `unsigned short`.
    pub const U16: CType = CType::int(16, false);
    /// `int`.
    pub const I32: CType = CType::int(32, true);
    /// `unsigned int`.
    pub const U32: CType = CType::int(32, false);
    /// `long long`.
    pub const I64: CType = CType::int(64, true);
    /// `unsigned long long`.
    pub const U64: CType = CType::int(64, false);
    /// `__int128`.
    pub const I128: CType = CType::int(128, true);
    /// `unsigned __int128`.
    pub const U128: CType = CType::int(128, false);
    /// `_Float16`.
    pub const F16: CType = CType::float(FloatKind::F16);
    /// `__bf16`.
    pub const BF16: CType = CType::float(FloatKind::BF16);
    /// `float`.
    pub const F32: CType = CType::float(FloatKind::F32);
    /// `double`.
    pub const F64: CType = CType::float(FloatKind::F64);
    /// `long double`.
    pub const LONG_DOUBLE: CType = CType::float(FloatKind::Long);
    /// `__float128`.
    pub const F128: CType = CType::float(FloatKind::F128);
    /// Any pointer.
    pub const PTR: CType = CType::Scalar(Scalar::Pointer);

    /// An integer of 8, 16, 32, 64 or 128 bits.
    pub const fn int(bits: u16, signed: bool) -> CType {
        CType::Scalar(Scalar::Int { bits, signed })
    }

    /// A floating-point type.
    pub const fn float(kind: FloatKind) -> CType {
        CType::Scalar(Scalar::Float(kind))
    }

    /// `_Complex` of a floating-point type.
    pub const fn complex(kind: FloatKind) -> CType {
        CType::Complex(Scalar::Float(kind))
    }

    /// An array of `len` elements; 0 is a zero-length array (GNU extension).
    pub fn array(element: CType, len: u64) -> CType {
        Self::any_array(element, len, false)
    }

    /// A flexible array, as a struct's last member: laid out as one of no elements.
    pub fn flexible_array(element: CType) -> CType {
        Self::any_array(element, 0, true)
    }

    fn any_array(element: CType, len: u64, flexible: bool) -> CType {
        let weight = element.weight().above();
        if weight.is_excessive() {
            return CType::record(Record::excessive());
        }
        CType::Array(ArrayType { element: Arc::new(element), len, flexible, weight })
    }

    /// A plain struct of these member types.
    pub fn structure(members: impl IntoIterator<Item = CType>) -> CType {
        CType::record(Record::structure(members.into_iter().map(Field::new).collect()))
    }

    /// A plain union of these member types.
    pub fn union(members: impl IntoIterator<Item = CType>) -> CType {
        CType::record(Record::union(members.into_iter().map(Field::new).collect()))
    }

    /// A struct, union or class type.
    pub fn record(record: Record) -> CType {
        CType::Record(Arc::new(record))
    }

    /// Are values of the type passed to and from calls by address in the IR: records, arrays, complex numbers and
    /// `_BitInt` of more than 128 bits? All other types are single values of the IR.
    pub fn is_by_address(&self) -> bool {
        match self {
            CType::Record(_) | CType::Array(_) | CType::Complex(_) => true,
            CType::BitInt { bits, .. } => *bits > 128,
            CType::Void | CType::Scalar(_) | CType::Vector { .. } => false,
        }
    }

    /// Is it a class whose values cannot be copied bitwise ([`Class::non_trivial`])?
    pub(crate) fn is_non_trivial(&self) -> bool {
        matches!(self, CType::Record(record) if record.is_non_trivial())
    }

    /// Is the type a record with a flexible array, of its own or of a member record? clang marks such records.
    pub(crate) fn has_flexible_array(&self) -> bool {
        let CType::Record(record) = self else { return false };
        record.fields().iter().any(|field| match &field.ty {
            CType::Array(array) => array.is_flexible(),
            inner => inner.has_flexible_array(),
        })
    }

    /// Is there a flexible array anywhere in the type, including elements of arrays?
    pub(crate) fn holds_flexible_array(&self) -> bool {
        match self {
            CType::Array(array) => array.is_flexible() || array.element().holds_flexible_array(),
            CType::Record(record) => record.fields().iter().any(|field| field.ty.holds_flexible_array()),
            _ => false,
        }
    }

    /// Sign and width of an integer type that is promoted to `int`.
    pub(crate) fn small_int(&self) -> Option<(bool, u16)> {
        match *self {
            CType::Scalar(Scalar::Bool) => Some((false, 1)),
            CType::Scalar(Scalar::Int { bits: bits @ (8 | 16), signed }) => Some((signed, bits)),
            CType::BitInt { bits: bits @ 1..=31, signed } => Some((signed, bits as u16)),
            _ => None,
        }
    }

    fn weight(&self) -> Weight {
        match self {
            CType::Array(array) => array.weight,
            CType::Record(record) => record.weight,
            _ => Weight { depth: 0, nodes: 1 },
        }
    }
}

/// An array type. An example is at [`CType`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayType {
    element: Arc<CType>,
    len: u64,
    flexible: bool,
    weight: Weight,
}

impl ArrayType {
    /// Type of an element.
    pub fn element(&self) -> &CType {
        &self.element
    }

    /// Number of elements.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the array is a flexible one, `T x[]`.
    pub fn is_flexible(&self) -> bool {
        self.flexible
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The size of a type's tree, to bound walks over types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Weight {
    depth: u16,
    nodes: u32,
}

impl Weight {
    const MAX: Weight = Weight { depth: 200, nodes: 1 << 20 };

    fn above(self) -> Weight {
        Weight { depth: self.depth.saturating_add(1), nodes: self.nodes.saturating_add(1) }
    }

    fn beside(self, other: Weight) -> Weight {
        Weight { depth: self.depth.max(other.depth), nodes: self.nodes.saturating_add(other.nodes) }
    }

    fn is_excessive(self) -> bool {
        self.depth > Weight::MAX.depth || self.nodes > Weight::MAX.nodes
    }
}

impl From<Scalar> for CType {
    fn from(scalar: Scalar) -> CType {
        CType::Scalar(scalar)
    }
}

/// Whether a record's members follow each other or overlap. An example is at [`CType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordKind {
    /// A struct or class.
    Struct,
    /// A union.
    Union,
}

/// The language that a record type belongs to, where layouts and conventions differ. An example is at [`CType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Language {
    /// C: an empty struct has size 0 (GNU extension).
    #[default]
    C,
    /// C++: an empty class has size 1.
    Cxx,
}

/// A struct, union or C++ class.
///
/// A record nested more than 200 levels deep, or with more than a million members in all, has no layout.
///
/// An example is at [`CType`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    kind: RecordKind,
    fields: Vec<Field>,
    packed: bool,
    max_field_align: Option<u32>,
    align: Option<u32>,
    pub(crate) language: Language,
    pub(crate) class: Class,
    pub(crate) never_homogeneous: bool,
    /// See [`Record::numbered`].
    pub(crate) number: u32,
    pub(crate) virtuals: Option<Arc<Virtuals>>,
    excessive: bool,
    weight: Weight,
    /// Hash of the members, so that hashing a type does not walk through it.
    members_hash: u64,
    /// See [`Flexible::is_empty`].
    empty: bool,
    /// The layout follows the rules of classes: there are bases, virtual functions or members that share addresses.
    pub(crate) has_class_layout: bool,
    pub(crate) memo: Memo,
}

impl Hash for Record {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.members_hash);
        (self.kind, self.packed, self.class, self.never_homogeneous, self.excessive).hash(state);
        (self.max_field_align, self.align, self.language, self.number).hash(state);
        self.virtuals.hash(state);
    }
}

impl Record {
    /// A struct without packing, extra alignment or C++ properties. The bases of a class stand before its members, in
    /// the order of their declaration ([`Field::base`]).
    pub fn structure(fields: Vec<Field>) -> Record {
        Self::new(RecordKind::Struct, fields)
    }

    /// A union without packing, extra alignment or C++ properties.
    pub fn union(fields: Vec<Field>) -> Record {
        Self::new(RecordKind::Union, fields)
    }

    fn new(kind: RecordKind, fields: Vec<Field>) -> Record {
        let start = Weight { depth: 0, nodes: 1 };
        let weight = fields.iter().fold(start, |sum, field| sum.beside(field.ty.weight())).above();
        if weight.is_excessive() {
            return Self::excessive();
        }
        let mut hasher = Mixer::default();
        fields.hash(&mut hasher);
        Record {
            members_hash: hasher.finish(),
            empty: Flexible::Empty.are_empty(&fields),
            has_class_layout: fields.iter().any(|field| field.role != FieldRole::Member),
            kind,
            fields,
            packed: false,
            max_field_align: None,
            align: None,
            language: Language::C,
            class: Class::PLAIN,
            never_homogeneous: false,
            number: 0,
            virtuals: None,
            excessive: false,
            weight,
            memo: Memo::default(),
        }
    }

    /// The substitute for a record beyond the limits, so that walking, comparing and dropping it stays bounded.
    fn excessive() -> Record {
        Record { excessive: true, ..Record::structure(Vec::new()) }
    }

    /// The record with `__attribute__((packed))`: no member is aligned unless it has an alignment attribute itself.
    pub fn packed(mut self) -> Record {
        self.memo = Memo::default();
        self.packed = true;
        self
    }

    /// The record under `#pragma pack(bytes)`: no member is aligned to more, whatever its attributes say.
    pub fn pragma_pack(mut self, bytes: u32) -> Record {
        self.memo = Memo::default();
        self.max_field_align = Some(bytes);
        self
    }

    /// The record with `aligned(bytes)`, a power of two: it is aligned to at least this.
    pub fn aligned(mut self, bytes: u32) -> Record {
        self.memo = Memo::default();
        self.align = Some(bytes);
        self
    }

    /// Struct or union.
    pub fn kind(&self) -> RecordKind {
        self.kind
    }

    /// The members in declaration order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Whether `__attribute__((packed))` is set.
    pub fn is_packed(&self) -> bool {
        self.packed
    }

    /// The limit of `#pragma pack`, in bytes.
    pub fn max_field_align(&self) -> Option<u32> {
        self.max_field_align
    }

    /// The least alignment by attribute, in bytes.
    pub fn min_align(&self) -> Option<u32> {
        self.align
    }

    /// Are there no members but those that count for nothing ([`Flexible::Empty`])?
    pub(crate) fn is_empty(&self) -> bool {
        self.empty && self.virtuals.is_none()
    }

    /// A hash of the members alone.
    pub(crate) fn members_hash(&self) -> u64 {
        self.members_hash
    }

    pub(crate) fn memo(&self) -> &Memo {
        &self.memo
    }

    /// Did the declaration exceed the limits of nesting or size?
    pub(crate) fn is_excessive(&self) -> bool {
        self.excessive
    }
}

/// A member of a record. An example is at [`CType`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// The member's type; of a bit-field, its declared type.
    pub ty: CType,
    /// Width in bits, if the member is a bit-field.
    pub bits: Option<u32>,
    /// Whether the member has a name: unnamed bit-fields hold no value. Anonymous structs and unions count as named.
    pub named: bool,
    /// `__attribute__((packed))` on the member alone.
    pub packed: bool,
    /// `aligned(n)` on the member, in bytes, a power of two.
    pub align: Option<u32>,
    /// Whether it is a member or a base class.
    pub role: FieldRole,
}

impl Field {
    /// A plain member.
    pub fn new(ty: CType) -> Field {
        Field { ty, bits: None, named: true, packed: false, align: None, role: FieldRole::Member }
    }

    /// A named bit-field.
    pub fn bit_field(ty: CType, bits: u32) -> Field {
        Field { bits: Some(bits), ..Field::new(ty) }
    }

    /// An unnamed bit-field; one of width 0 ends the current storage unit.
    pub fn unnamed_bit_field(ty: CType, bits: u32) -> Field {
        Field { named: false, ..Field::bit_field(ty, bits) }
    }

    /// The member with `aligned(bytes)`.
    pub fn aligned(mut self, bytes: u32) -> Field {
        self.align = Some(bytes);
        self
    }
}

/// A type of LLVM IR.
///
/// Children are shared: cloning is cheap. `Display` spells structs in full.
///
/// ```
/// use gusset_abi::{AbiTarget, Attrs, LlvmType, Param, Signature, classify};
///
/// let param = Param::llvm(LlvmType::int(32), Attrs::default());
/// let abi = classify(&AbiTarget::X86_64_LINUX, &Signature::c(LlvmType::Void).param(param))?;
/// assert_eq!(abi.args[0].mode.pieces().len(), 1);
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LlvmType {
    /// `void`: only as a result.
    Void,
    /// A scalar: `iN`, a floating-point type or `ptr`.
    Scalar(LlvmScalar),
    /// A fixed vector of scalars.
    Vector {
        /// Type of a lane.
        lane: LlvmScalar,
        /// Number of lanes.
        lanes: u32,
    },
    /// An array.
    Array {
        /// Type of an element.
        element: Arc<LlvmType>,
        /// Number of elements.
        len: u64,
    },
    /// A struct.
    Struct(Arc<LlvmStruct>),
}

/// A struct type of LLVM IR. An example is at [`LlvmType`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LlvmStruct {
    /// The fields in order, each with its offset in bytes.
    pub fields: Vec<(u64, LlvmType)>,
    /// No field is aligned (`<{…}>`).
    pub packed: bool,
    /// Allocation size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// The C record whose body it is: clang spells such a type by name. `None` for other structs.
    pub record: Option<Arc<Record>>,
}

/// A scalar or vector of a type, with its offset.
#[derive(Clone, Copy)]
pub(crate) struct Leaf {
    /// Type of the scalar, or of a lane.
    pub(crate) lane: LlvmScalar,
    /// Number of lanes if it is a vector.
    pub(crate) lanes: Option<u32>,
    /// Offset in bytes.
    pub(crate) offset: u64,
}

/// A scalar type of LLVM IR. An example is at [`LlvmType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LlvmScalar {
    /// `iN`, with the width in bits.
    Int(u32),
    /// `half`.
    Half,
    /// `bfloat`.
    BFloat,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `x86_fp80`.
    X86Fp80,
    /// `fp128`.
    Fp128,
    /// `ptr`.
    Ptr,
}

impl LlvmScalar {
    /// The format of a `long double` of this many bytes: `double`'s, x87's, or IEEE's of 128 bits.
    pub const fn long_double(arch: Arch, bytes: u64) -> LlvmScalar {
        match (bytes, arch) {
            (8, _) => LlvmScalar::Double,
            (_, Arch::X86 | Arch::X86_64) => LlvmScalar::X86Fp80,
            (_, Arch::Aarch64 | Arch::Arm) => LlvmScalar::Fp128,
        }
    }

    /// Width in bits as a lane of a vector; pointers have `pointer` bits.
    pub(crate) const fn bits(self, pointer: u32) -> u32 {
        match self {
            LlvmScalar::Int(bits) => bits,
            LlvmScalar::Half | LlvmScalar::BFloat => 16,
            LlvmScalar::Float => 32,
            LlvmScalar::Double => 64,
            LlvmScalar::X86Fp80 => 80,
            LlvmScalar::Fp128 => 128,
            LlvmScalar::Ptr => pointer,
        }
    }
}

impl LlvmType {
    /// `iN`.
    pub const fn int(bits: u32) -> LlvmType {
        LlvmType::Scalar(LlvmScalar::Int(bits))
    }

    /// `ptr`.
    pub const PTR: LlvmType = LlvmType::Scalar(LlvmScalar::Ptr);

    /// `[len x element]`.
    pub fn array(element: LlvmType, len: u64) -> LlvmType {
        LlvmType::Array { element: Arc::new(element), len }
    }

    /// `[len x i8]`, or `i8` if it is one byte.
    pub(crate) fn bytes(len: u64) -> LlvmType {
        if len == 1 { LlvmType::int(8) } else { LlvmType::array(LlvmType::int(8), len) }
    }

    /// The struct of these fields.
    pub fn structure(fields: LlvmStruct) -> LlvmType {
        LlvmType::Struct(Arc::new(fields))
    }

    /// Whether it is an array or a struct.
    pub(crate) fn is_aggregate(&self) -> bool {
        matches!(self, LlvmType::Array { .. } | LlvmType::Struct(_))
    }

    /// Whether it is or holds a struct.
    pub(crate) fn holds_struct(&self) -> bool {
        match self {
            LlvmType::Array { element, .. } => element.holds_struct(),
            other => matches!(other, LlvmType::Struct(_)),
        }
    }

    /// Is there an aggregate without members anywhere in it?
    pub(crate) fn is_hollow(&self) -> bool {
        match self {
            LlvmType::Array { element, len } => *len == 0 || element.is_hollow(),
            LlvmType::Struct(body) => body.fields.is_empty() || body.fields.iter().any(|(_, ty)| ty.is_hollow()),
            _ => false,
        }
    }

    /// Number of scalars and vectors in it.
    pub(crate) fn count(&self) -> u64 {
        match self {
            LlvmType::Void => 0,
            LlvmType::Scalar(_) | LlvmType::Vector { .. } => 1,
            LlvmType::Array { element, len } => element.count().saturating_mul(*len),
            LlvmType::Struct(body) => body.fields.iter().fold(0, |sum, (_, ty)| ty.count().saturating_add(sum)),
        }
    }
}

impl LlvmStruct {
    /// The last field that starts at or before `offset`, and its offset.
    pub(crate) fn at(&self, offset: u64) -> Option<&(u64, LlvmType)> {
        let after = self.fields.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).map(|i| &self.fields[i])
    }
}

impl From<LlvmScalar> for LlvmType {
    fn from(scalar: LlvmScalar) -> LlvmType {
        LlvmType::Scalar(scalar)
    }
}

/// Who is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flexible {
    /// Flexible arrays are arrays without elements.
    Empty,
    /// They count as members (clang).
    Counts,
}

impl Flexible {
    /// Has a record no members but unnamed bit-fields, arrays without elements and empty C records?
    pub(crate) fn is_empty(self, record: &Record) -> bool {
        match self {
            Flexible::Empty => record.is_empty(),
            Flexible::Counts => record.virtuals.is_none() && self.are_empty(record.fields()),
        }
    }

    pub(crate) fn are_empty(self, fields: &[Field]) -> bool {
        fields.iter().all(|field| self.is_empty_field(field))
    }

    /// Is a member an unnamed bit-field, an array without elements, an empty C record, or one that may share its address
    /// and is an empty class, as bases may be?
    pub(crate) fn is_empty_field(self, field: &Field) -> bool {
        match (field.role, &field.ty) {
            (FieldRole::VirtualBase, _) => false,
            (FieldRole::Base | FieldRole::NoUniqueAddress, CType::Record(record)) => self.is_empty(record),
            _ => field.bits.is_some() && !field.named || field.bits.is_none() && self.is_empty_member(&field.ty),
        }
    }

    fn is_empty_member(self, ty: &CType) -> bool {
        match ty {
            CType::Array(array) if array.is_empty() => self == Flexible::Empty || !array.is_flexible(),
            CType::Array(array) => self.is_empty_member(array.element()),
            // Two C++ objects have different addresses, so a member of an empty class does count.
            CType::Record(record) => record.language() == Language::C && self.is_empty(record),
            _ => false,
        }
    }
}
