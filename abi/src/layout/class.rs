//! The layout of C++ classes: bases, pointers to tables of virtual functions and bases, members that share addresses.
//!
//! `itanium.rs` has the rules of the Itanium C++ ABI, section 2.4, and `microsoft.rs` those of Microsoft's compiler,
//! which are not published: both follow clang 19. The layout of a class depends on those of its bases and members, which
//! [`Classes`] computes once each. It numbers the classes, so that they can be compared.

use crate::FieldRole;
use crate::error::AbiError;
use crate::measure::{Layout, Measure};
use crate::target::{AbiTarget, Env};
use crate::types::{CType, Field, Record, RecordKind};
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A virtual base of a class at its place in complete objects of the class. An example is at [`ClassLayout`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct VirtualBase {
    /// The base.
    pub class: Arc<Record>,
    /// Its offset in bytes.
    pub offset: u64,
    /// Whether Microsoft's `vtordisp`, four bytes with an adjustment of `this`, stands before it.
    pub vtordisp: bool,
}

/// The layout of a class.
///
/// ```
/// use gusset_abi::{AbiTarget, CType, Class, DataLayout, Field, Record, Virtuals};
/// use std::sync::Arc;
///
/// let members = vec![Field::new(CType::I64), Field::new(CType::I8)];
/// let base = Arc::new(Record::structure(members).cxx(Class::NON_TRIVIAL).numbered(1));
/// let fields = vec![Field::virtual_base(base), Field::new(CType::I32)];
/// let class = Record::structure(fields).cxx(Class::NON_TRIVIAL).numbered(2);
/// let class = class.virtual_functions(Virtuals::introduced());
/// let layout = DataLayout::new(&AbiTarget::X86_64_LINUX).class(&class)?;
/// assert_eq!((layout.vptr, layout.virtual_bases[0].offset, layout.size), (Some(0), 16, 32));
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ClassLayout {
    /// Size of complete objects in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Size in bytes without the padding at the end that other classes may use.
    pub data_size: u64,
    /// Size in bytes as a base, without virtual bases.
    pub non_virtual_size: u64,
    /// Alignment in bytes as a base.
    pub non_virtual_align: u32,
    /// For each field, members and direct bases, its offset in bits in complete objects of the class.
    pub bit_offsets: Vec<u64>,
    /// Offset in bytes of a pointer to the table of virtual functions that is not part of a base.
    pub vptr: Option<u64>,
    /// Offset in bytes of a pointer to Microsoft's table of virtual bases that is not part of a base.
    pub vbptr: Option<u64>,
    /// All virtual bases, direct and indirect, in the order of their places.
    pub virtual_bases: Vec<VirtualBase>,
    /// The class has no data: `std::is_empty`, except that unions count.
    pub is_empty: bool,
    pub(super) required: u32,
    pub(super) natural: u32,
    pub(super) facts: Facts,
}

/// What the layout of other classes has to know about a class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Facts {
    /// There are virtual functions, of the class or inherited.
    pub polymorphic: bool,
    /// The primary base, which has the class's pointer to virtual functions, and whether it is virtual.
    pub primary: Option<(Id, bool)>,
    /// The size of the largest empty class in it.
    pub largest_empty: u64,
    /// The numbers of `virtual_bases`.
    pub virtual_ids: Vec<Id>,
    /// Microsoft: where the pointer to virtual bases is, be it of the class or of a base.
    pub any_vbptr: Option<u64>,
    /// Microsoft: objects begin or end with something of no size.
    pub leads_empty: bool,
    pub ends_empty: bool,
}

impl ClassLayout {
    pub(super) fn measure(&self) -> Measure {
        Measure { layout: Layout::new(self.size, self.align), required: self.required, natural: self.natural }
    }

    /// The virtual base that has the class's pointer to virtual functions.
    pub(crate) fn primary_virtual_base(&self) -> Option<&VirtualBase> {
        let (primary, _) = self.facts.primary.filter(|(_, is_virtual)| *is_virtual)?;
        let found = self.facts.virtual_ids.iter().position(|id| *id == primary)?;
        self.virtual_bases.get(found)
    }

    pub(super) fn has_virtual_bases(&self) -> bool {
        !self.virtual_bases.is_empty()
    }

    /// Whether objects have a pointer to a table.
    pub(super) fn is_dynamic(&self) -> bool {
        self.facts.polymorphic || self.has_virtual_bases()
    }
}

/// The number of a class among [`Classes`].
pub(super) type Id = usize;

/// What the layout of classes asks of the layout of types.
pub(super) trait Layouts {
    fn target(&self) -> &AbiTarget;

    fn measure(&self, ty: &CType) -> Result<Measure, AbiError>;

    /// Lays a class out by the target's rules.
    fn lay_out<'a>(&self, classes: &mut Classes<'a>, record: &'a Record) -> Result<ClassLayout, AbiError>;
}

/// Classes whose layouts are needed for the layout of one class.
pub(super) struct Classes<'a> {
    pub layout: &'a dyn Layouts,
    /// The classes by number.
    records: Vec<&'a Record>,
    layouts: Vec<Option<Rc<ClassLayout>>>,
    /// The numbers of records at these addresses, and of records with these numbers and hashes of their members.
    addresses: BTreeMap<*const Record, Id>,
    hashes: BTreeMap<(u32, u64), Vec<Id>>,
}

/// A direct base.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    /// Its index among the fields.
    pub field: usize,
    pub id: Id,
    pub record: &'a Arc<Record>,
    pub is_virtual: bool,
}

impl<'a> Classes<'a> {
    pub fn new(layout: &'a dyn Layouts) -> Classes<'a> {
        let (addresses, hashes) = Default::default();
        Classes { layout, records: Vec::new(), layouts: Vec::new(), addresses, hashes }
    }

    /// The number of a class.
    pub fn id(&mut self, record: &'a Record) -> Id {
        if let Some(id) = self.addresses.get(&core::ptr::from_ref(record)) {
            return *id;
        }
        let alike = self.hashes.entry((record.number(), record.members_hash())).or_default();
        let known = alike.iter().copied().find(|id| self.records[*id] == record);
        let id = known.unwrap_or_else(|| {
            alike.push(self.records.len());
            self.records.push(record);
            self.layouts.push(None);
            self.records.len() - 1
        });
        self.addresses.insert(core::ptr::from_ref(record), id);
        id
    }

    pub fn record(&self, id: Id) -> &'a Record {
        self.records[id]
    }

    /// The layout of a class.
    pub fn of(&mut self, id: Id) -> Result<Rc<ClassLayout>, AbiError> {
        if let Some(known) = &self.layouts[id] {
            return Ok(known.clone());
        }
        let record = self.records[id];
        let layouts = self.layout;
        let layout = Rc::new(layouts.lay_out(self, record)?);
        self.layouts[id] = Some(layout.clone());
        Ok(layout)
    }

    /// The layout of the class that was asked for.
    pub fn whole(&mut self, record: &'a Record) -> Result<ClassLayout, AbiError> {
        let id = self.id(record);
        Ok(ClassLayout::clone(&*self.of(id)?))
    }

    /// The direct bases of a class.
    pub fn bases(&mut self, record: &'a Record) -> Vec<Base<'a>> {
        let fields = record.fields().iter().enumerate();
        let bases = fields.filter_map(|(i, field)| match (&field.ty, field.role) {
            (CType::Record(base), FieldRole::Base) => Some((i, base, false)),
            (CType::Record(base), FieldRole::VirtualBase) => Some((i, base, true)),
            _ => None,
        });
        let bases: Vec<_> = bases.collect();
        let base = |(field, record, is_virtual): (usize, &'a Arc<Record>, bool)| Base {
            field,
            id: self.id(record),
            record,
            is_virtual,
        };
        bases.into_iter().map(base).collect()
    }

    /// Whether a class or a base of it declares virtual functions.
    pub fn is_polymorphic(&mut self, record: &'a Record) -> Result<bool, AbiError> {
        let mut found = record.virtuals().is_some();
        for base in self.bases(record) {
            found |= self.of(base.id)?.facts.polymorphic;
        }
        Ok(found)
    }

    /// Whether a class has no data.
    pub fn is_empty(&mut self, record: &'a Record) -> Result<bool, AbiError> {
        if record.virtuals().is_some() {
            return Ok(false);
        }
        for field in record.fields() {
            let shares = record.kind() == RecordKind::Struct && field.role != FieldRole::Member;
            let empty = match &field.ty {
                CType::Record(inner) if shares && field.role == FieldRole::NoUniqueAddress => {
                    let id = self.id(inner);
                    self.shares_empty(id)?
                }
                CType::Record(inner) if shares && field.role == FieldRole::Base => {
                    let id = self.id(inner);
                    self.of(id)?.is_empty
                }
                _ => field.bits == Some(0),
            };
            if !empty {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a member of this class with `[[no_unique_address]]` takes no space. With Microsoft's compiler it does so
    /// if the class has members that are classes themselves.
    pub fn shares_empty(&mut self, id: Id) -> Result<bool, AbiError> {
        let microsoft = self.layout.target().env == Env::Msvc;
        let holds_class =
            self.records[id].fields().iter().any(|field| !field.is_base() && matches!(field.ty, CType::Record(_)));
        Ok(self.of(id)?.is_empty && !(microsoft && holds_class))
    }

    /// The size of the largest empty class among the bases and members of a class.
    pub fn largest_empty(&mut self, record: &'a Record) -> Result<u64, AbiError> {
        let mut largest = 0;
        for field in record.fields() {
            if let Some(inner) = class_of(field) {
                let id = self.id(inner);
                let layout = self.of(id)?;
                largest = largest.max(if layout.is_empty { layout.size } else { layout.facts.largest_empty });
            }
        }
        Ok(largest)
    }
}

/// The class of a field, or of the elements of its array; none if it is a bit-field or of another type.
pub(super) fn class_of(field: &Field) -> Option<&Record> {
    let mut ty = &field.ty;
    while let CType::Array(array) = ty {
        ty = array.element();
    }
    match ty {
        CType::Record(record) if field.bits.is_none() => Some(record),
        _ => None,
    }
}
