//! Types of the source program: C's from their layouts, and a front end's own.

use std::collections::HashMap;
use std::sync::Arc;

use gimli::constants as dw;
use gimli::{DwAte, DwTag};
use gusset_abi::{AbiTarget, CType, CTypes, DataLayout, Field, FieldRole, FloatKind, Record, RecordKind, Scalar};
use gusset_codegen::debug::{
    DebugInfo, DiBound, DiComposite, DiConstant, DiDerived, DiElement, DiEnumerator, DiScope, DiString, DiSubprogramId,
    DiSubrange, DiSubroutine, DiTemplateParameter, DiType, DiTypeId, DiTypeKind, di_flags,
};

use super::description::{DebugType, DebugTypeRef, SourceFile};
use super::{ObjectDebug, foreign};
use crate::Error;
use crate::builder::items::ObjectId;
use crate::builder::lock;
use crate::error::BuildErrorKind::{Contents, Type};

/// The nodes that types have.
#[derive(Default)]
pub(super) struct TypeNodes {
    scalars: HashMap<CType, DiTypeId>,
    /// Numbers with names that are not C's.
    renamed: HashMap<(String, CType), DiTypeId>,
    arrays: HashMap<(Option<DiTypeId>, Option<u64>), DiTypeId>,
    derived: HashMap<(DwTag, Option<DiTypeId>), DiTypeId>,
    /// Records without names, by their shape and the nodes of their members.
    unnamed: HashMap<(CType, Vec<Option<DiTypeId>>), DiTypeId>,
    /// Records with names, by their address: equal records may have different names. The address stays theirs as they are kept here.
    named: HashMap<usize, (Arc<Record>, DiTypeId)>,
}

impl TypeNodes {
    /// The node of a struct or union with names.
    pub fn named(&self, record: &Arc<Record>) -> Option<DiTypeId> {
        self.named.get(&Arc::as_ptr(record).addr()).map(|named| named.1)
    }
}

/// What types are made with.
pub(super) struct TypeMaker<'m> {
    pub info: &'m mut DebugInfo,
    pub nodes: &'m mut TypeNodes,
    pub target: &'m AbiTarget,
}

fn push(info: &mut DebugInfo, node: DiType) -> DiTypeId {
    info.types.push(node);
    DiTypeId::new(info.types.len() - 1)
}

impl TypeMaker<'_> {
    fn layout(&self) -> DataLayout {
        DataLayout::new(self.target)
    }

    fn basic(&mut self, name: &str, bytes: u64, encoding: DwAte) -> DiTypeId {
        let name = self.info.strings.intern(name.as_bytes());
        let kind = DiTypeKind::Basic { encoding: encoding.0 };
        push(self.info, DiType { tag: dw::DW_TAG_base_type.0, name, size_bits: 8 * bytes, kind, ..DiType::default() })
    }

    /// The node of a type; `None` is `void`.
    pub fn of(&mut self, ty: &DebugTypeRef) -> Result<Option<DiTypeId>, Error> {
        match ty {
            DebugTypeRef::Named(ty) => Ok(ty.ty),
            DebugTypeRef::C(ty) => self.c(ty),
        }
    }

    /// The node of a type of C's.
    pub fn c(&mut self, ty: &CType) -> Result<Option<DiTypeId>, Error> {
        Ok(Some(match ty {
            CType::Void => return Ok(None),
            CType::Scalar(Scalar::Pointer) => self.pointer(None),
            CType::Array(array) => {
                let element = self.c(array.element())?;
                let len = (!array.is_flexible()).then_some(array.len());
                self.array(element, len)?
            }
            CType::Vector { lane, lanes } => self.vector(ty, *lane, *lanes)?,
            CType::Record(record) => self.record(ty, record)?,
            CType::Scalar(_) | CType::BitInt { .. } | CType::Complex(_) => match self.nodes.scalars.get(ty) {
                Some(&known) => known,
                None => {
                    let (name, encoding) = self.number(ty);
                    let bytes = self.layout().layout(ty)?.size;
                    let made = self.basic(&name, bytes, encoding);
                    self.nodes.scalars.insert(ty.clone(), made);
                    made
                }
            },
        }))
    }

    /// C's name of a type of numbers, and its encoding.
    fn number(&self, ty: &CType) -> (String, DwAte) {
        let c = CTypes::of(self.target);
        let word = |signed: bool, name: &str| if signed { name.to_string() } else { format!("unsigned {name}") };
        let integer = |signed: bool| if signed { dw::DW_ATE_signed } else { dw::DW_ATE_unsigned };
        match *ty {
            CType::Scalar(Scalar::Bool) => ("_Bool".into(), dw::DW_ATE_boolean),
            CType::Scalar(Scalar::Int { bits, signed }) => match bits {
                8 => {
                    let encoding = if signed { dw::DW_ATE_signed_char } else { dw::DW_ATE_unsigned_char };
                    let name = if *ty == c.char { "char".into() } else { word(signed, "char") };
                    (if name == "char" && *ty != c.char { "signed char".into() } else { name }, encoding)
                }
                16 => (word(signed, "short"), integer(signed)),
                32 => (word(signed, "int"), integer(signed)),
                64 if c.long == CType::I64 => (word(signed, "long"), integer(signed)),
                64 => (word(signed, "long long"), integer(signed)),
                _ => (word(signed, &format!("__int{bits}")), integer(signed)),
            },
            CType::BitInt { bits, signed } => (word(signed, &format!("_BitInt({bits})")), integer(signed)),
            CType::Scalar(Scalar::Float(kind)) => (float_name(kind).into(), dw::DW_ATE_float),
            CType::Complex(Scalar::Float(kind)) => (format!("_Complex {}", float_name(kind)), dw::DW_ATE_complex_float),
            CType::Complex(part) => {
                let (name, _) = self.number(&CType::Scalar(part));
                // DWARF has no complex integers; GNU's number is that of GCC.
                (format!("_Complex {name}"), dw::DW_ATE_lo_user)
            }
            _ => ("void *".into(), dw::DW_ATE_address),
        }
    }

    pub fn pointer(&mut self, to: Option<DiTypeId>) -> DiTypeId {
        self.derived(dw::DW_TAG_pointer_type, to)
    }

    /// A pointer, reference or qualified type.
    pub fn derived(&mut self, tag: DwTag, base: Option<DiTypeId>) -> DiTypeId {
        let points = matches!(tag, dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type);
        let size_bits = if points { 8 * u64::from(self.target.pointer_bytes()) } else { 0 };
        let info = &mut *self.info;
        *self.nodes.derived.entry((tag, base)).or_insert_with(|| {
            let kind = DiTypeKind::Derived(DiDerived { base, ..DiDerived::default() });
            push(info, DiType { tag: tag.0, size_bits, kind, ..DiType::default() })
        })
    }

    /// Bits of a type, through names and qualifiers.
    fn bits(&self, ty: Option<DiTypeId>) -> u64 {
        let mut at = ty;
        // A chain of an expert's nodes might be a cycle.
        for _ in 0..=self.info.types.len() {
            let Some(node) = at.map(|ty| &self.info.types[ty.index()]) else { return 0 };
            match &node.kind {
                DiTypeKind::Derived(derived) if node.size_bits == 0 => at = derived.base,
                _ => return node.size_bits,
            }
        }
        0
    }

    /// An array; without a length it is of unknown length.
    pub fn array(&mut self, element: Option<DiTypeId>, len: Option<u64>) -> Result<DiTypeId, Error> {
        if let Some(&known) = self.nodes.arrays.get(&(element, len)) {
            return Ok(known);
        }
        let made = self.new_array(element, len, 0)?;
        self.nodes.arrays.insert((element, len), made);
        Ok(made)
    }

    fn new_array(&mut self, base: Option<DiTypeId>, len: Option<u64>, flags: u32) -> Result<DiTypeId, Error> {
        let bits = self.bits(base).checked_mul(len.unwrap_or(0));
        let count = len.map_or(Some(-1), |len| i64::try_from(len).ok());
        let (Some(size_bits), Some(count)) = (bits, count) else {
            return Err(Error::build(Type, "", "an array is too large to be described"));
        };
        let range = DiSubrange { count: Some(DiBound::Constant(count)), ..DiSubrange::default() };
        let elements = vec![DiElement::Subrange(Box::new(range))];
        let kind = DiTypeKind::Composite(Box::new(DiComposite { base, elements, ..DiComposite::default() }));
        Ok(push(self.info, DiType { tag: dw::DW_TAG_array_type.0, size_bits, flags, kind, ..DiType::default() }))
    }

    fn vector(&mut self, ty: &CType, lane: Scalar, lanes: u32) -> Result<DiTypeId, Error> {
        if let Some(&known) = self.nodes.scalars.get(ty) {
            return Ok(known);
        }
        let lane = self.c(&CType::Scalar(lane))?;
        let made = self.new_array(lane, Some(lanes.into()), di_flags::VECTOR)?;
        self.nodes.scalars.insert(ty.clone(), made);
        Ok(made)
    }

    /// A struct or union: with the names that it was given, or numbers as names of its members.
    fn record(&mut self, ty: &CType, record: &Arc<Record>) -> Result<DiTypeId, Error> {
        if let Some(known) = self.nodes.named(record) {
            return Ok(known);
        }
        let members = record.fields().iter().map(|field| self.c(&field.ty)).collect::<Result<Vec<_>, _>>()?;
        let key = (ty.clone(), members);
        if let Some(&known) = self.nodes.unnamed.get(&key) {
            return Ok(known);
        }
        let made = self.declare_record("", record.kind(), None);
        let names: Vec<String> = (0..key.1.len()).map(|n| format!("_{n}")).collect();
        self.fill_record(made, ty, record, |n| (&names[n], key.1[n]))?;
        self.nodes.unnamed.insert(key, made);
        Ok(made)
    }

    /// A struct or union of which nothing but the name is known yet.
    pub fn declare_record(&mut self, name: &str, kind: RecordKind, place: Option<(SourceFile, u32)>) -> DiTypeId {
        let tag = match kind {
            RecordKind::Struct => dw::DW_TAG_structure_type,
            RecordKind::Union => dw::DW_TAG_union_type,
        };
        self.declare(name, tag, place)
    }

    /// A type with parts of which nothing but the name is known yet.
    pub fn declare(&mut self, name: &str, tag: DwTag, place: Option<(SourceFile, u32)>) -> DiTypeId {
        let name = self.info.strings.intern(name.as_bytes());
        let (file, line) = place.map_or((None, 0), |(file, line)| (Some(file.file), line));
        let kind = DiTypeKind::Composite(Box::default());
        let flags = di_flags::FORWARD_DECLARATION;
        push(self.info, DiType { tag: tag.0, name, file, line, flags, kind, ..DiType::default() })
    }

    /// Gives a declared struct or union its members: `member` has name and type of each field by number.
    pub fn fill_record<'n>(
        &mut self,
        id: DiTypeId,
        ty: &CType,
        record: &Record,
        member: impl Fn(usize) -> (&'n str, Option<DiTypeId>),
    ) -> Result<(), Error> {
        let (whole, places) = (self.layout().layout(ty)?, self.layout().record(record)?);
        let mut elements = Vec::with_capacity(record.fields().len());
        for (n, (field, &offset_bits)) in record.fields().iter().zip(&places.bit_offsets).enumerate() {
            if field.bits.is_some() && !field.named {
                continue;
            }
            let (name, base) = member(n);
            elements.push(DiElement::Type(self.member(id, name, base, field, offset_bits)?));
        }
        let node = &mut self.info.types[id.index()];
        node.size_bits = 8 * whole.size;
        node.align_bits = record.min_align().map_or(0, |align| align.saturating_mul(8));
        node.flags &= !di_flags::FORWARD_DECLARATION;
        node.kind = DiTypeKind::Composite(Box::new(DiComposite { elements, ..DiComposite::default() }));
        Ok(())
    }

    fn member(
        &mut self,
        of: DiTypeId,
        name: &str,
        base: Option<DiTypeId>,
        field: &Field,
        offset_bits: u64,
    ) -> Result<DiTypeId, Error> {
        let tag = match field.role {
            FieldRole::Member | FieldRole::NoUniqueAddress => dw::DW_TAG_member,
            FieldRole::Base => dw::DW_TAG_inheritance,
            _ => {
                let message = "a class with virtual bases is described by a node of the front end's own";
                return Err(Error::unsupported("", message));
            }
        };
        let unit = self.layout().layout(&field.ty)?;
        let (size_bits, flags, extra) = match field.bits {
            // The offset of the storage, which is as large and aligned as the declared type.
            Some(bits) => {
                let storage = offset_bits - offset_bits % (8 * unit.size.max(1));
                let extra = DiConstant { bits: storage.into(), width: 64, float: false };
                (bits.into(), di_flags::BIT_FIELD, Some(extra))
            }
            None => (8 * unit.size, 0, None),
        };
        let named = tag == dw::DW_TAG_member;
        let name = self.info.strings.intern(if named { name.as_bytes() } else { b"" });
        let kind = DiTypeKind::Derived(DiDerived { base, extra, ..DiDerived::default() });
        let scope = Some(DiScope::Type(of));
        let align_bits = field.align.map_or(0, |align| align.saturating_mul(8));
        let node =
            DiType { tag: tag.0, name, scope, size_bits, align_bits, offset_bits, flags, kind, ..DiType::default() };
        Ok(push(self.info, node))
    }

    pub fn typedef(&mut self, name: &str, base: Option<DiTypeId>, place: Option<(SourceFile, u32)>) -> DiTypeId {
        let name = self.info.strings.intern(name.as_bytes());
        let (file, line) = place.map_or((None, 0), |(file, line)| (Some(file.file), line));
        let kind = DiTypeKind::Derived(DiDerived { base, ..DiDerived::default() });
        push(self.info, DiType { tag: dw::DW_TAG_typedef.0, name, file, line, kind, ..DiType::default() })
    }

    /// An enumeration of numbers that C has as a type, which has a sign or not.
    pub fn enumeration<'n>(
        &mut self,
        name: &str,
        (ty, signed): (&CType, bool),
        values: impl Iterator<Item = (&'n str, i128)>,
        place: Option<(SourceFile, u32)>,
    ) -> Result<DiTypeId, Error> {
        let (base, size_bits) = (self.c(ty)?, 8 * self.layout().layout(ty)?.size);
        let strings = &mut self.info.strings;
        let (file, line) = place.map_or((None, 0), |(file, line)| (Some(file.file), line));
        let enumerator = |(name, value): (&str, i128)| {
            let name = strings.intern(name.as_bytes());
            DiElement::Enumerator(DiEnumerator { name, value, unsigned: !signed })
        };
        let elements = values.map(enumerator).collect();
        let name = self.info.strings.intern(name.as_bytes());
        let kind = DiTypeKind::Composite(Box::new(DiComposite { base, elements, ..DiComposite::default() }));
        let tag = dw::DW_TAG_enumeration_type.0;
        Ok(push(self.info, DiType { tag, name, file, line, size_bits, kind, ..DiType::default() }))
    }

    /// A type of numbers by a name, which is C's or another.
    pub fn named_number(&mut self, name: &str, ty: &CType) -> Result<DiTypeId, Error> {
        let (own, encoding) = self.number(ty);
        if own == name
            && let Some(known) = self.c(ty)?
        {
            return Ok(known);
        }
        let key = (name.to_string(), ty.clone());
        if let Some(&known) = self.nodes.renamed.get(&key) {
            return Ok(known);
        }
        let bytes = self.layout().layout(ty)?.size;
        let made = self.basic(name, bytes, encoding);
        self.nodes.renamed.insert(key, made);
        Ok(made)
    }

    /// The type of a function: its result and parameters.
    pub fn function(&mut self, mut types: Vec<Option<DiTypeId>>, variadic: bool) -> DiTypeId {
        types.extend(variadic.then_some(None));
        let kind = DiTypeKind::Subroutine(DiSubroutine { types, convention: 0 });
        push(self.info, DiType { tag: dw::DW_TAG_subroutine_type.0, kind, ..DiType::default() })
    }

    /// Names a struct or union: later uses of `record`, and of what was cloned of it, have these names.
    pub fn name_record(&mut self, record: &Arc<Record>, id: DiTypeId) {
        self.nodes.named.insert(Arc::as_ptr(record).addr(), (Arc::clone(record), id));
    }
}

fn float_name(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::F16 => "_Float16",
        FloatKind::BF16 => "__bf16",
        FloatKind::F32 => "float",
        FloatKind::F64 => "double",
        FloatKind::Long => "long double",
        FloatKind::F128 => "__float128",
    }
}

/// Makes types of an object's source program ([`ObjectBuilder::debug_types`](crate::ObjectBuilder::debug_types)). Equal types of C are one
/// type, and so are equal numbers of one name; what else has a name is a new type each time.
///
/// ```
/// # use gusset_abi::{CType, RecordKind, Signature};
/// # use gusset_compiler::{BuilderOptions, DebugFunction, DebugOptions, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// object.debug_info(&DebugOptions::new("list.tern"))?;
/// // struct node { int value; struct node *next; }
/// let c = CType::structure([CType::I64, CType::PTR]);
/// let types = object.debug_types();
/// let int = types.base("int", &CType::I64)?;
/// let node = types.declare_record("node", RecordKind::Struct);
/// let next = types.pointer(node)?;
/// types.define_record(node, &c, &[("value", Some(int)), ("next", Some(next))])?;
/// // int first(struct node *list)
/// let first = object.declare("first", Signature::c(CType::I64).param(CType::PTR), Linkage::Export)?;
/// object.describe(first, DebugFunction::new().result(int).typed_param("list", next))?;
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
pub struct DebugTypes<'o> {
    /// `None`: there is no debug information.
    debug: Option<&'o ObjectDebug>,
    target: &'o AbiTarget,
    object: ObjectId,
    place: Option<(SourceFile, u32)>,
}

impl<'o> DebugTypes<'o> {
    pub(super) fn new(debug: Option<&'o ObjectDebug>, target: &'o AbiTarget, object: ObjectId) -> DebugTypes<'o> {
        DebugTypes { debug, target, object, place: None }
    }

    /// The target.
    #[cfg(feature = "c")]
    pub(super) fn target(&self) -> &'o AbiTarget {
        self.target
    }

    pub(super) fn of_node(&self, ty: Option<DiTypeId>) -> DebugType {
        DebugType { ty, object: self.object }
    }

    /// Makes something; without debug information there is none.
    pub(super) fn with<R>(&self, make: impl FnOnce(&mut TypeMaker<'_>) -> R) -> Option<R> {
        Some(make(&mut lock(&self.debug?.nodes).type_maker(self.target)))
    }

    /// Makes a type; without debug information there is none.
    fn make(
        &self,
        make: impl FnOnce(&mut TypeMaker<'_>) -> Result<Option<DiTypeId>, Error>,
    ) -> Result<DebugType, Error> {
        Ok(self.of_node(self.with(make).transpose()?.flatten()))
    }

    fn own(&self, ty: DebugType) -> Result<Option<DiTypeId>, Error> {
        if ty.object == self.object { Ok(ty.ty) } else { Err(foreign("a debug type")) }
    }

    fn own_all(&self, types: impl Iterator<Item = DebugType>) -> Result<Vec<Option<DiTypeId>>, Error> {
        types.map(|ty| self.own(ty)).collect()
    }

    /// The same for types with names that are declared at a place.
    ///
    /// # Errors
    /// The file belongs to another object.
    pub fn at(self, file: SourceFile, line: u32) -> Result<Self, Error> {
        file.own(self.object)?;
        Ok(DebugTypes { place: Some((file, line)), ..self })
    }

    /// No type: of functions without a result, and to point to.
    pub fn void(&self) -> DebugType {
        self.of_node(None)
    }

    /// A type of C's, by C's name for it: pointers are `void *`, members of structs without names are `_0`, `_1` and so on.
    ///
    /// # Errors
    /// The type has no layout on the target.
    pub fn c(&self, ty: &CType) -> Result<DebugType, Error> {
        self.make(|maker| maker.c(ty))
    }

    /// A type of numbers with a name of its own, which C has as `ty`.
    ///
    /// # Errors
    /// C's type is no number, or has no layout on the target.
    pub fn base(&self, name: &str, ty: &CType) -> Result<DebugType, Error> {
        if !matches!(ty, CType::Scalar(_) | CType::BitInt { .. } | CType::Complex(_)) {
            return Err(Error::build(Type, name, "a base type is a number"));
        }
        self.make(|maker| maker.named_number(name, ty).map(Some))
    }

    /// A base type of any encoding (DWARF 5, section 7.8: `DW_ATE_…`), such as 0x10 for a character of Unicode.
    pub fn encoded(&self, name: &str, bytes: u64, encoding: u8) -> DebugType {
        self.of_node(self.with(|maker| maker.basic(name, bytes, DwAte(encoding))))
    }

    /// A pointer.
    ///
    /// # Errors
    /// The type belongs to another object; the same for the others that take types.
    pub fn pointer(&self, to: DebugType) -> Result<DebugType, Error> {
        self.derived(dw::DW_TAG_pointer_type, to)
    }

    /// A reference (C++).
    ///
    /// # Errors
    /// As for [`pointer`](Self::pointer).
    pub fn reference(&self, to: DebugType) -> Result<DebugType, Error> {
        self.derived(dw::DW_TAG_reference_type, to)
    }

    /// The type with `const`.
    ///
    /// # Errors
    /// As for [`pointer`](Self::pointer).
    pub fn constant(&self, of: DebugType) -> Result<DebugType, Error> {
        self.derived(dw::DW_TAG_const_type, of)
    }

    /// The type with `volatile`.
    ///
    /// # Errors
    /// As for [`pointer`](Self::pointer).
    pub fn volatile(&self, of: DebugType) -> Result<DebugType, Error> {
        self.derived(dw::DW_TAG_volatile_type, of)
    }

    fn derived(&self, tag: DwTag, of: DebugType) -> Result<DebugType, Error> {
        let base = self.own(of)?;
        self.make(|maker| Ok(Some(maker.derived(tag, base))))
    }

    /// An array; without a length it is of unknown length.
    ///
    /// # Errors
    /// As for [`pointer`](Self::pointer); it is too large.
    pub fn array(&self, of: DebugType, len: Option<u64>) -> Result<DebugType, Error> {
        let element = self.own(of)?;
        self.make(|maker| maker.array(element, len).map(Some))
    }

    /// Another name for a type.
    ///
    /// # Errors
    /// As for [`pointer`](Self::pointer).
    pub fn typedef(&self, name: &str, of: DebugType) -> Result<DebugType, Error> {
        let (base, place) = (self.own(of)?, self.place);
        self.make(|maker| Ok(Some(maker.typedef(name, base, place))))
    }

    /// The type of a function.
    ///
    /// # Errors
    /// As for [`pointer`](Self::pointer).
    pub fn function(&self, result: DebugType, params: &[DebugType], variadic: bool) -> Result<DebugType, Error> {
        let types = self.own_all(std::iter::once(result).chain(params.iter().copied()))?;
        self.make(|maker| Ok(Some(maker.function(types, variadic))))
    }

    /// An enumeration of numbers that C has as `ty`.
    ///
    /// # Errors
    /// C's type is no integer.
    pub fn enumeration(&self, name: &str, ty: &CType, values: &[(&str, i128)]) -> Result<DebugType, Error> {
        let CType::Scalar(Scalar::Int { signed, .. }) = *ty else {
            return Err(Error::build(Type, name, "the numbers of an enumeration are integers"));
        };
        let place = self.place;
        self.make(|maker| Ok(Some(maker.enumeration(name, (ty, signed), values.iter().copied(), place)?)))
    }

    /// A struct or union with the layout of C's type. Its members have these names, and C's types where no others are given. From now on
    /// `ty`, and what was cloned of it, means this type in signatures and of variables; an equal type that was made anew does not.
    ///
    /// # Errors
    /// C's type is no record or has no layout on the target; there is not one name for each member; as for [`pointer`](Self::pointer).
    pub fn record(&self, name: &str, ty: &CType, members: &[(&str, Option<DebugType>)]) -> Result<DebugType, Error> {
        let kind = if let CType::Record(record) = ty { record.kind() } else { RecordKind::Struct };
        let declared = self.declare_record(name, kind);
        self.define_record(declared, ty, members)?;
        Ok(declared)
    }

    /// A struct or union of which nothing but the name is known, for good or until [`define_record`](Self::define_record).
    pub fn declare_record(&self, name: &str, kind: RecordKind) -> DebugType {
        let place = self.place;
        self.of_node(self.with(|maker| maker.declare_record(name, kind, place)))
    }

    /// Gives a declared struct or union its members, as [`record`](Self::record) does.
    ///
    /// # Errors
    /// As for [`record`](Self::record); the type is none that [`declare_record`](Self::declare_record) has made, or has its members.
    pub fn define_record(
        &self,
        declared: DebugType,
        ty: &CType,
        members: &[(&str, Option<DebugType>)],
    ) -> Result<(), Error> {
        let id = self.own(declared)?;
        let given = self.own_all(members.iter().filter_map(|member| member.1))?;
        let CType::Record(record) = ty else {
            return Err(Error::build(Type, "", "a type that is no record has no members"));
        };
        let fields = record.fields();
        if fields.len() != members.len() {
            let message = format!("{} names of members are given, and the record has {}", members.len(), fields.len());
            return Err(Error::build(Contents, "", message));
        }
        let Some(id) = id else { return Ok(()) };
        let define = |maker: &mut TypeMaker<'_>| {
            if maker.info.types[id.index()].flags & di_flags::FORWARD_DECLARATION == 0 {
                let message = "the members of a type are given once, if it was declared without";
                return Err(Error::build(Contents, "", message));
            }
            let mut given = given.into_iter();
            let mut types = Vec::with_capacity(members.len());
            for (field, member) in fields.iter().zip(members) {
                let own = member.1.and_then(|_| given.next());
                types.push(match own {
                    Some(own) => own,
                    None => maker.c(&field.ty)?,
                });
            }
            maker.fill_record(id, ty, record, |n| (members[n].0, types[n]))?;
            maker.name_record(record, id);
            Ok(())
        };
        self.with(define).unwrap_or(Ok(()))
    }

    /// A type of any kind that DWARF has, as a node of the front end's own. It refers to earlier nodes.
    ///
    /// # Errors
    /// It refers to a node that there is not.
    pub fn node(&self, node: DiType) -> Result<DebugType, Error> {
        self.make(|maker| match refers_to_known(&node, maker.info) {
            true => Ok(Some(push(maker.info, node))),
            false => Err(Error::build(Contents, "", "the node of a type refers to a node that there is not")),
        })
    }

    /// The number of a string, for [`node`](Self::node).
    pub fn string(&self, text: &str) -> DiString {
        self.with(|maker| maker.info.strings.intern(text.as_bytes())).unwrap_or(DiString(0))
    }

    /// Looks at all nodes of the object so far. A type's is [`DebugType::node`]. `None`: there is no debug information.
    pub fn nodes<R>(&self, look: impl FnOnce(&DebugInfo) -> R) -> Option<R> {
        self.with(|maker| look(maker.info))
    }
}

/// Are all nodes there that a type refers to?
fn refers_to_known(node: &DiType, info: &DebugInfo) -> bool {
    let ty = |id: &DiTypeId| id.index() < info.types.len();
    let types = |list: &[Option<DiTypeId>]| list.iter().flatten().all(ty);
    let string = |string: DiString| string.index() < info.strings.count();
    let subprogram = |id: &DiSubprogramId| id.index() < info.subprograms.len();
    let scope = |scope: &DiScope| match scope {
        DiScope::CompileUnit(id) => id.index() < info.units.len(),
        DiScope::File(id) => id.index() < info.files.len(),
        DiScope::Type(id) => ty(id),
        DiScope::Subprogram(id) => subprogram(id),
        DiScope::Lexical(id) => id.index() < info.scopes.len(),
    };
    let bound = |bound: &DiBound| match bound {
        DiBound::Constant(_) | DiBound::Expression(_) => true,
        DiBound::LocalVariable(id) => id.index() < info.variables.len(),
        DiBound::GlobalVariable(id) => id.index() < info.globals.len(),
        DiBound::Member(id) => ty(id),
    };
    let bounds = |list: &[&Option<DiBound>]| list.iter().copied().flatten().all(bound);
    let element = |element: &DiElement| match element {
        DiElement::Type(id) => ty(id),
        DiElement::Subprogram(id) => subprogram(id),
        DiElement::Enumerator(number) => string(number.name),
        DiElement::Subrange(range) => bounds(&[&range.count, &range.lower, &range.upper, &range.stride]),
    };
    let kind = match &node.kind {
        DiTypeKind::Basic { .. } => true,
        DiTypeKind::Derived(derived) => types(&[derived.base, derived.class]),
        DiTypeKind::Composite(composite) => {
            let DiComposite { data_location, associated, allocated, rank, bit_stride, .. } = &**composite;
            types(&[composite.base, composite.vtable_holder, composite.discriminator, composite.specification])
                && composite.elements.iter().all(element)
                && composite.template_parameters.iter().all(|parameter| template_is_known(parameter, &ty, &string))
                && string(composite.identifier)
                && bounds(&[data_location, associated, allocated, rank, bit_stride])
        }
        DiTypeKind::Subroutine(function) => types(&function.types),
        DiTypeKind::String(text) => bounds(&[&text.length]),
        DiTypeKind::Subrange(range) => {
            types(&[range.base]) && bounds(&[&range.lower, &range.upper, &range.stride, &range.bias])
        }
    };
    let file = node.file.is_none_or(|file| file.index() < info.files.len());
    kind && file && string(node.name) && node.scope.as_ref().is_none_or(scope)
}

/// The same for the argument of a template.
fn template_is_known(
    parameter: &DiTemplateParameter,
    ty: &dyn Fn(&DiTypeId) -> bool,
    string: &dyn Fn(DiString) -> bool,
) -> bool {
    match parameter {
        DiTemplateParameter::Type { name, ty: of, .. } | DiTemplateParameter::Value { name, ty: of, .. } => {
            string(*name) && of.as_ref().is_none_or(ty)
        }
        DiTemplateParameter::Template { name, template } => string(*name) && string(*template),
        DiTemplateParameter::Pack { name, arguments } => {
            string(*name) && arguments.iter().all(|inner| template_is_known(inner, ty, string))
        }
    }
}
