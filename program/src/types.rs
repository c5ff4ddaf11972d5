//! LLVM's types, interned and laid out.

use gusset_codegen::ir::Type;

use crate::foreign::{Carried, Foreign};
use crate::layout::DataLayout;
use crate::refusal::{Refusal, Result, refuse_if};
use crate::word_map::WordMap;

/// Types, constants and expressions nested deeper than this are refused.
pub const MAX_DEPTH: u32 = 256;
/// First-class aggregates of more scalars than this are refused.
pub const MAX_SCALARS: u32 = 4096;
/// Most bits of an integer in LLVM (`IntegerType::MAX_INT_BITS`).
const MAX_LLVM_BITS: u32 = 1 << 23;
/// Wider integers are in memory.
const MAX_BITS: u32 = Type::MAX_INT_BITS;

/// An interned type: equal types have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TypeId(pub u32);

macro_rules! fixed {
    ($($name:ident $text:literal = $n:expr),* $(,)?) => {
        $(#[doc = concat!("`", $text, "`.")] pub const $name: TypeId = TypeId($n);)*

        impl TypeId {
            /// The word in LLVM's text for a type with a fixed number.
            pub fn word(self) -> Option<&'static str> {
                match self {
                    $($name => Some($text),)*
                    _ => None,
                }
            }
        }
    };
}
/// `iN` is this number plus N.
const INT_BASE: u32 = 16;
fixed!(
    VOID "void" = 0,
    PTR "ptr" = 1,
    F16 "half" = 2,
    BF16 "bfloat" = 3,
    F32 "float" = 4,
    F64 "double" = 5,
    F80 "x86_fp80" = 6,
    F128 "fp128" = 7,
    LABEL "label" = 8,
    METADATA "metadata" = 9,
    TOKEN "token" = 10,
    // Pointers relative to a segment register.
    PTR_GS "ptr addrspace(256)" = 11,
    PTR_FS "ptr addrspace(257)" = 12,
    PTR_SS "ptr addrspace(258)" = 13,
    // Pointers of 32 bits, widened by their sign or by zeros, and of 64 bits.
    PTR_S32 "ptr addrspace(270)" = 14,
    PTR_U32 "ptr addrspace(271)" = 15,
    PTR_64 "ptr addrspace(272)" = 16,
    I1 "i1" = INT_BASE + 1,
    I8 "i8" = INT_BASE + 8,
    I32 "i32" = INT_BASE + 32,
    I64 "i64" = INT_BASE + 64,
);

/// The kind of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `void`.
    Void,
    /// An integer of a width that the IR has.
    Int,
    /// A wider integer. Its value is in memory; its only scalar is the address.
    WideInt {
        /// Its width.
        bits: u32,
    },
    /// A floating-point number.
    Float,
    /// A pointer.
    Ptr,
    /// A vector.
    Vector {
        /// The lanes' type: an integer, float or pointer.
        lane: TypeId,
        /// Number of lanes.
        len: u32,
    },
    /// A struct; its members are in the [table](TypeTable::members).
    Struct {
        /// The first member in the table.
        start: u32,
        /// Number of members.
        len: u32,
        /// The members have no padding.
        packed: bool,
    },
    /// An array.
    Array {
        /// The elements' type.
        element: TypeId,
        /// Number of elements.
        len: u64,
    },
    /// A named struct without a body (yet).
    Opaque,
    /// `label`, `metadata`, `token`.
    Special,
}

/// What is known about a type.
#[derive(Clone, Copy, Debug)]
pub struct TypeData {
    /// Its kind.
    pub kind: Kind,
    /// The IR type of its values; `void` unless they are scalars or vectors, for [vectors that are
    /// split](TypeTable::is_dissolved), and for [wide integers](Kind::WideInt).
    pub ir: Type,
    /// Distance of array elements, bytes.
    pub size: u64,
    /// The required alignment, in bytes.
    pub align: u32,
    /// Number of scalars and vectors of which a value consists.
    pub scalars: u32,
    depth: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unknown,
    Active,
    Done,
}

/// A member of a struct.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its type.
    pub ty: TypeId,
    /// Byte offset.
    pub offset: u64,
    /// Index of its first scalar among the struct's.
    pub scalar: u32,
}

/// A scalar of an aggregate.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Its type.
    pub ty: TypeId,
    /// Its IR type; for a [wide integer](Kind::WideInt), that of its address.
    pub ir: Type,
    /// Byte offset in the aggregate; for a lane that begins within a byte, that of its [vector](Leaf::lanes).
    pub offset: u64,
    /// For a lane of a split vector, the number of lanes from this one to the vector's end, this one included;
    /// otherwise 0.
    pub lanes: u32,
}

impl Leaf {
    /// Whether it is a lane that shares bytes of memory with others.
    pub fn shares_bytes(&self) -> bool {
        self.lanes > 0 && !self.ir.bits().is_multiple_of(8)
    }
}

/// Every type of a module.
#[derive(Clone)]
pub struct TypeTable {
    data: Vec<TypeData>,
    members: Vec<Member>,
    /// Types made of others, by those.
    structural: WordMap<TypeId>,
    /// Sizes and alignments of scalars.
    pub layout: DataLayout,
    /// All names have their types, so that new types are laid out at once.
    complete: bool,
    /// Some vector [dissolves](Self::is_dissolved), or some integer is a [wide](Kind::WideInt) one.
    dissolves: bool,
    /// What only translation needs.
    pub(crate) carried: Option<Box<Carried>>,
}

impl TypeTable {
    /// The types that have no parts.
    pub fn new(layout: DataLayout) -> TypeTable {
        let mut t = TypeTable {
            data: Vec::with_capacity(512),
            members: Vec::new(),
            structural: WordMap::default(),
            layout,
            complete: false,
            dissolves: false,
            carried: None,
        };
        t.add(Kind::Void);
        t.add(Kind::Ptr);
        for (kind, n) in [(Kind::Float, 6), (Kind::Special, 3), (Kind::Ptr, 6)] {
            (0..n).for_each(|_| {
                t.add(kind);
            });
        }
        for bits in 1..=128 {
            t.add_integer(bits);
        }
        t
    }

    fn add_integer(&mut self, bits: u32) -> TypeId {
        let id = self.add(Kind::Int);
        self.data[id.0 as usize].ir = Type::int(bits).unwrap_or(Type::VOID);
        id
    }

    pub(crate) fn add(&mut self, kind: Kind) -> TypeId {
        let id = TypeId(self.data.len() as u32);
        let state = State::Unknown;
        self.data.push(TypeData { kind, ir: Type::VOID, size: 0, align: 1, scalars: 0, depth: 0, state });
        id
    }

    /// What is known about a type.
    #[inline(always)]
    pub fn get(&self, id: TypeId) -> &TypeData {
        &self.data[id.0 as usize]
    }

    /// The IR type of a scalar or vector, otherwise `void`.
    #[inline(always)]
    pub fn ir(&self, id: TypeId) -> Type {
        self.data[id.0 as usize].ir
    }

    /// The members of a struct.
    #[inline]
    pub fn members(&self, start: u32, len: u32) -> &[Member] {
        &self.members[start as usize..(start + len) as usize]
    }

    /// Whether it is a vector for which the IR has no type. Such values consist of their lanes, as those of an
    /// aggregate consist of its scalars.
    pub fn is_dissolved(&self, id: TypeId) -> bool {
        let d = self.get(id);
        d.ir == Type::VOID && matches!(d.kind, Kind::Vector { .. })
    }

    /// Whether it is a [wide integer](Kind::WideInt).
    pub fn is_wide(&self, id: TypeId) -> bool {
        matches!(self.get(id).kind, Kind::WideInt { .. })
    }

    /// Whether it is a type of pointers, or of vectors of pointers.
    pub fn is_pointer_or_vector(&self, id: TypeId) -> bool {
        match self.get(id).kind {
            Kind::Vector { lane, .. } => self.get(lane).kind == Kind::Ptr,
            kind => kind == Kind::Ptr,
        }
    }

    /// Checks that it is a scalar or vector type, if code is made.
    #[inline]
    pub fn check_scalar(&self, id: TypeId) -> Result<()> {
        if self.ir(id) != Type::VOID || self.is_dissolved(id) || self.is_wide(id) || self.carried.is_some() {
            return Ok(());
        }
        Err(Refusal::new("a scalar or a vector must stand here"))
    }

    /// Whether some vector type of the module is split into lanes, or some integer is a wide one.
    #[inline]
    pub fn dissolves(&self) -> bool {
        self.dissolves
    }

    /// The IR's integer of pointer width.
    pub fn pointer(&self) -> Type {
        self.ir(PTR)
    }

    /// Whether it is a value type with a size.
    pub fn is_sized(&self, id: TypeId) -> bool {
        !matches!(self.get(id).kind, Kind::Void | Kind::Special | Kind::Opaque)
    }

    /// Whether operations with a result of this type may have fast-math flags: it consists of floating-point numbers
    /// (LLVM, `FPMathOperator::isSupportedFloatingPointType`).
    pub fn is_floating(&self, id: TypeId) -> bool {
        match self.get(id).kind {
            Kind::Float => true,
            Kind::Vector { lane, .. } => self.get(lane).kind == Kind::Float,
            Kind::Array { element, .. } => self.is_floating(element),
            Kind::Struct { start, len, .. } => {
                let members = self.members(start, len);
                members
                    .first()
                    .is_some_and(|first| self.is_floating(first.ty) && members.iter().all(|m| m.ty == first.ty))
            }
            _ => false,
        }
    }

    /// The integer type of `bits`, at most 128.
    pub fn int(bits: u32) -> TypeId {
        TypeId(INT_BASE + bits)
    }

    // Making types.

    /// The type of this kind, which is an existing one if there is one.
    fn intern(&mut self, key: &[u64], make: impl FnOnce(&mut Self) -> TypeId) -> TypeId {
        if let Some(&id) = self.structural.get(key) {
            return id;
        }
        let id = make(self);
        self.structural.insert(key.into(), id);
        id
    }

    pub(crate) fn finish(&mut self, id: TypeId) -> Result<TypeId> {
        if self.complete && self.get(id).state == State::Unknown {
            self.lay_out(id, 0)?;
        }
        Ok(id)
    }

    /// `[len x element]`.
    pub fn array(&mut self, element: TypeId, len: u64) -> Result<TypeId> {
        let id = self.intern(&[2, element.0 as u64, len], |t| t.add(Kind::Array { element, len }));
        self.finish(id)
    }

    /// The integer type of `bits`.
    pub fn integer(&mut self, bits: u32) -> Result<TypeId> {
        match bits {
            1..=128 => Ok(Self::int(bits)),
            129..=MAX_BITS => {
                let id = self.intern(&[5, bits as u64], |t| t.add_integer(bits));
                self.finish(id)
            }
            129..=MAX_LLVM_BITS if self.carries() => self.foreign_type(Foreign::Integer(bits)),
            _ if bits > MAX_BITS && bits <= MAX_LLVM_BITS => {
                let id = self.intern(&[5, bits as u64], |t| t.add(Kind::WideInt { bits }));
                self.finish(id)
            }
            _ => Err(Refusal::new(format!("integers have 1 to {MAX_LLVM_BITS} bits"))),
        }
    }

    /// `<len x lane>`.
    pub fn vector(&mut self, lane: TypeId, len: u32) -> Result<TypeId> {
        match self.get(lane).kind {
            Kind::Int | Kind::Float | Kind::Ptr if len != 0 => {}
            _ => return Err(Refusal::new("a vector has one or more integers, floats or pointers")),
        }
        let id = self.intern(&[1, lane.0 as u64, len as u64], |t| t.add(Kind::Vector { lane, len }));
        self.finish(id)
    }

    /// `{ members }`.
    pub fn structure(&mut self, members: &[TypeId], packed: bool) -> Result<TypeId> {
        let mut key = vec![3 + packed as u64];
        key.extend(members.iter().map(|m| m.0 as u64));
        let id = self.intern(&key, |t| {
            let kind = t.add_members(members, packed);
            t.add(kind)
        });
        self.finish(id)
    }

    fn add_members(&mut self, members: &[TypeId], packed: bool) -> Kind {
        let start = self.members.len() as u32;
        self.members.extend(members.iter().map(|&ty| Member { ty, offset: 0, scalar: 0 }));
        Kind::Struct { start, len: members.len() as u32, packed }
    }

    /// `ppc_fp128`, for which machines other than PowerPC have no arithmetic: two numbers, aligned like one of 128 bits.
    pub fn double_double(&mut self) -> Result<TypeId> {
        if self.carries() {
            return self.foreign_type(Foreign::Named("ppc_fp128"));
        }
        let aligned = self.array(F128, 0)?;
        self.structure(&[aligned, F64, F64], false)
    }

    /// Is it the type that stands for `ppc_fp128`?
    pub fn is_double_double(&self, id: TypeId) -> bool {
        let Kind::Struct { start, len: 3, packed: false } = self.get(id).kind else { return false };
        let [first, ..] = self.members(start, 3) else { return false };
        self.get(first.ty).kind == Kind::Array { element: F128, len: 0 }
    }

    /// A new named struct, without members so far.
    pub fn opaque(&mut self) -> TypeId {
        self.add(Kind::Opaque)
    }

    /// Sets the members of a named struct.
    pub fn define(&mut self, id: TypeId, members: &[TypeId], packed: bool) -> Result<()> {
        let kind = self.add_members(members, packed);
        self.data[id.0 as usize].kind = kind;
        self.data[id.0 as usize].state = State::Unknown;
        let laid_out = self.finish(id).map(drop);
        if laid_out.is_err() {
            self.data[id.0 as usize].kind = Kind::Opaque;
        }
        laid_out
    }

    /// The type of pointers into an address space.
    pub fn pointer_into(&mut self, space: u32) -> Result<TypeId> {
        if self.carries() {
            return self.pointer_in(space);
        }
        // Where they are as wide as others, those that are widened by zeros differ in that.
        let other = self.layout.is_other_space(space) || space == 271 && self.layout.has_mixed_pointers();
        if other && matches!(space, 270..=272) {
            return Ok(TypeId(PTR_S32.0 + space - 270));
        }
        if other {
            let m = format!("pointers of address space {space}, of another width, are not supported");
            return Err(Refusal::new(m));
        }
        // All address spaces that are no segments are the same memory.
        Ok(self.layout.segment(space).map_or(PTR, |segment| TypeId(PTR_GS.0 - 1 + segment)))
    }

    /// The address space of a pointer type, as accesses use it; none if it is no type of pointers.
    pub fn space(id: TypeId) -> Option<u8> {
        match id {
            PTR => Some(0),
            PTR_GS | PTR_FS | PTR_SS => Some((id.0 - PTR_GS.0 + 1) as u8),
            _ => None,
        }
    }

    /// Is it a type of pointers that are addresses only after a conversion to `ptr`?
    pub fn is_other_pointer(id: TypeId) -> bool {
        matches!(id, PTR_S32 | PTR_U32 | PTR_64)
    }

    /// Whether every named type is known.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    // Layout.

    /// Lays out every type; from now on all names are known.
    pub fn complete(&mut self) -> Result<()> {
        for i in 0..self.data.len() {
            self.lay_out(TypeId(i as u32), 0)?;
        }
        self.complete = true;
        Ok(())
    }

    /// Lays out a type. If it cannot be laid out, every use returns the refusal.
    fn lay_out(&mut self, id: TypeId, nested: u32) -> Result<()> {
        match self.get(id).state {
            State::Done => return Ok(()),
            State::Active => return Err(Refusal::new("a type contains itself")),
            State::Unknown if nested > MAX_DEPTH => {
                return Err(Refusal::new(format!("a type is nested deeper than {MAX_DEPTH}")));
            }
            State::Unknown => self.data[id.0 as usize].state = State::Active,
        }
        let laid_out = self.laid_out(id, nested);
        let data = &mut self.data[id.0 as usize];
        match laid_out {
            Ok(d) => *data = TypeData { state: State::Done, ..d },
            Err(why) => {
                data.state = State::Unknown;
                return Err(why);
            }
        }
        Ok(())
    }

    /// What is known about a type whose parts are laid out.
    fn laid_out(&mut self, id: TypeId, nested: u32) -> Result<TypeData> {
        let mut d = *self.get(id);
        let scalar = |d: &mut TypeData, ir: Type, align: u32| {
            d.ir = ir;
            d.align = align;
            d.size = (ir.bits() as u64).div_ceil(8).next_multiple_of(align as u64);
            d.scalars = 1;
        };
        match d.kind {
            Kind::Special if self.carries() => d.scalars = 1,
            Kind::Void | Kind::Special | Kind::Opaque => {}
            Kind::Ptr => {
                let (bytes, align) = match id {
                    PTR_S32 | PTR_U32 => (4, 4),
                    // As LLVM's data layouts have it.
                    PTR_64 => (8, 8),
                    _ => (self.layout.pointer_bytes, self.layout.pointer_align().abi),
                };
                scalar(&mut d, Type::int(bytes * 8).unwrap_or(Type::I64), align);
            }
            Kind::Int => {
                let ir = d.ir;
                scalar(&mut d, ir, self.layout.int_align(ir.bits()).abi);
            }
            Kind::WideInt { bits } => {
                d.align = self.layout.int_align(bits).abi;
                d.size = u64::from(bits).div_ceil(8).next_multiple_of(d.align.into());
                d.scalars = 1;
                self.dissolves = true;
            }
            Kind::Float => {
                let all = [Type::F16, Type::BF16, Type::F32, Type::F64, Type::F80, Type::F128];
                let ir = all[(id.0 - F16.0) as usize];
                scalar(&mut d, ir, self.layout.float_align(ir.bits()).abi);
            }
            Kind::Vector { lane, len } => {
                self.lay_out(lane, nested + 1)?;
                let bits = u64::from(self.ir(lane).bits()) * u64::from(len);
                match Type::vector(self.ir(lane), len) {
                    Some(ir) => scalar(&mut d, ir, self.layout.vector_align(ir.bits()).abi),
                    // It is split into its lanes.
                    None if !self.carries() && len <= 1 << 16 => {
                        d.align = self.layout.vector_align(bits as u32).abi;
                        d.size = bits.div_ceil(8).next_multiple_of(d.align.into());
                        d.scalars = len;
                        self.dissolves = true;
                    }
                    // Lists of lanes must fit memory.
                    None if self.carries() && len <= 1 << 16 => {
                        d.size = bits.div_ceil(8).next_power_of_two();
                        d.align = d.size.min(1 << 16) as u32;
                        d.scalars = 1;
                    }
                    None => return Err(Refusal::new("vectors of this lane type or length are not supported")),
                }
                d.depth = 1;
            }
            Kind::Array { element, len } => {
                self.lay_out(element, nested + 1)?;
                let e = *self.get(element);
                refuse_if(!self.is_sized(element) && !self.carries(), "the element type of an array has no size")?;
                d.size = e.size.saturating_mul(len);
                d.align = e.align;
                d.scalars = u32::try_from(len).unwrap_or(u32::MAX).saturating_mul(e.scalars);
                d.depth = e.depth + 1;
            }
            Kind::Struct { start, len, packed } => {
                let mut offset = 0u64;
                let mut scalars = 0u32;
                let mut align = if packed { 1 } else { self.layout.aggregate_align().abi };
                for k in start..start + len {
                    let ty = self.members[k as usize].ty;
                    self.lay_out(ty, nested + 1)?;
                    refuse_if(!self.is_sized(ty) && !self.carries(), "a member of a struct has no size")?;
                    let m = *self.get(ty);
                    if !packed {
                        offset = offset.checked_next_multiple_of(m.align as u64).unwrap_or(u64::MAX);
                        align = align.max(m.align);
                    }
                    self.members[k as usize].offset = offset;
                    self.members[k as usize].scalar = scalars;
                    offset = offset.saturating_add(m.size);
                    scalars = scalars.saturating_add(m.scalars);
                    d.depth = d.depth.max(m.depth + 1);
                }
                d.size = offset.checked_next_multiple_of(align as u64).unwrap_or(u64::MAX);
                d.align = align;
                d.scalars = scalars;
            }
        }
        refuse_if(d.size > 1 << 60, "a type is larger than 2^60 bytes")?;
        if d.depth > MAX_DEPTH {
            return Err(Refusal::new(format!("a type is nested deeper than {MAX_DEPTH}")));
        }
        Ok(d)
    }

    /// Width of a type in bits; for scalars and vectors without padding at the end.
    pub fn bits(&self, id: TypeId) -> u64 {
        let d = self.get(id);
        match d.kind {
            Kind::Vector { lane, len } => u64::from(self.ir(lane).bits()) * u64::from(len),
            Kind::Int | Kind::Float => d.ir.bits().into(),
            Kind::WideInt { bits } => bits.into(),
            _ => d.size.saturating_mul(8),
        }
    }

    /// The alignment that LLVM prefers for memory of this type (`DataLayout::getPrefTypeAlign`).
    pub fn preferred_align(&self, id: TypeId) -> u32 {
        let d = self.get(id);
        match d.kind {
            Kind::Void | Kind::Special | Kind::Opaque => d.align,
            Kind::Ptr if Self::is_other_pointer(id) => d.align,
            Kind::Ptr => self.layout.pointer_align().preferred,
            Kind::Int => self.layout.int_align(d.ir.bits()).preferred,
            Kind::WideInt { bits } => self.layout.int_align(bits).preferred,
            Kind::Float => self.layout.float_align(d.ir.bits()).preferred,
            Kind::Vector { .. } => self.layout.vector_align(self.bits(id) as u32).preferred,
            Kind::Array { element, .. } => self.preferred_align(element),
            // It does not depend on the members' preferences.
            Kind::Struct { .. } => self.layout.aggregate_align().preferred.max(d.align),
        }
    }

    /// Appends the scalars of a type in order; the caller sees to it that these are at most [`MAX_SCALARS`].
    pub fn flatten(&self, id: TypeId, offset: u64, out: &mut Vec<Leaf>) {
        let d = self.get(id);
        match d.kind {
            Kind::Struct { start, len, .. } => {
                for m in self.members(start, len) {
                    self.flatten(m.ty, offset + m.offset, out);
                }
            }
            Kind::Array { element, len } if d.scalars > 0 => {
                let size = self.get(element).size;
                for i in 0..len {
                    self.flatten(element, offset + i * size, out);
                }
            }
            Kind::Void | Kind::Special | Kind::Opaque | Kind::Array { .. } => {}
            Kind::Vector { lane: ty, len } if d.ir == Type::VOID => {
                let ir = self.ir(ty);
                let bytes = if ir.bits().is_multiple_of(8) { u64::from(ir.bits() / 8) } else { 0 };
                out.extend((0..len).map(|i| Leaf { ty, ir, offset: offset + u64::from(i) * bytes, lanes: len - i }));
            }
            Kind::WideInt { .. } => out.push(Leaf { ty: id, ir: self.pointer(), offset, lanes: 0 }),
            _ => out.push(Leaf { ty: id, ir: d.ir, offset, lanes: 0 }),
        }
    }

    /// The type at index `i` of an aggregate, with the index of its first scalar and its offset.
    pub fn element(&self, id: TypeId, i: u64) -> Option<(TypeId, u32, u64)> {
        match self.get(id).kind {
            Kind::Struct { start, len, .. } if i < len as u64 => {
                let m = self.members[start as usize + i as usize];
                Some((m.ty, m.scalar, m.offset))
            }
            Kind::Array { element, len } if i < len => {
                let e = self.get(element);
                let scalar = u32::try_from(i).unwrap_or(u32::MAX).saturating_mul(e.scalars);
                Some((element, scalar, i * e.size))
            }
            _ => None,
        }
    }
}
