//! Classes by the rules of Microsoft's compiler, which are not published: clang 19 is followed.
//!
//! Bases with a pointer to virtual functions that the class can extend stand first, then the other bases, then members,
//! then virtual bases. The class's own pointers are inserted at the end of the work: the one to the table of virtual
//! bases behind the bases, the one to virtual functions before everything.

use super::class::{Base, ClassLayout, Classes, Facts, Id, VirtualBase, class_of};
use super::empty::Empties;
use super::record::{Placer, check_align};
use crate::FieldRole;
use crate::error::AbiError;
use crate::measure::MAX_SIZE;
use crate::types::{Field, Language, Record};
use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::sync::Arc;
use alloc::vec::Vec;

struct Builder<'c, 'a> {
    classes: &'c mut Classes<'a>,
    record: &'a Record,
    /// Its `end` is the size so far; `align` and `required` are those of the class.
    placer: Placer<'a>,
    /// Offsets of members and bases in bits.
    bit_offsets: Vec<u64>,
    empties: Empties,
    /// The end of data, in bytes: before the end of objects that share their places.
    data_size: u64,
    pointer: Pointer,
    primary: Option<Id>,
    own_vptr: bool,
    has_vbptr: bool,
    /// The base whose pointer to virtual bases the class uses.
    shared_vbptr: bool,
    vbptr: u64,
    leads_empty: bool,
    ends_empty: bool,
}

/// Size and alignment of a pointer in bytes.
#[derive(Clone, Copy)]
struct Pointer {
    size: u64,
    align: u64,
}

/// Lays out a class.
pub(super) fn lay_out<'a>(classes: &mut Classes<'a>, record: &'a Record) -> Result<ClassLayout, AbiError> {
    let is_empty = classes.is_empty(record)?;
    let largest_empty = classes.largest_empty(record)?;
    let polymorphic = classes.is_polymorphic(record)?;
    let bases = classes.bases(record);
    let placer = Placer::new(classes.layout.target(), record)?;
    let size = u64::from(classes.layout.target().pointer_bytes());
    let pointer = Pointer { size, align: placer.pack.map_or(size, |bits| size.min(bits / 8)) };
    let mut b = Builder {
        classes,
        record,
        placer,
        bit_offsets: alloc::vec![0; record.fields().len()],
        empties: Empties::new(largest_empty),
        data_size: 0,
        pointer,
        primary: None,
        own_vptr: false,
        has_vbptr: false,
        shared_vbptr: false,
        vbptr: 0,
        leads_empty: false,
        ends_empty: false,
    };
    b.non_virtual_bases(&bases, polymorphic)?;
    for (i, field) in record.fields().iter().enumerate().filter(|(_, field)| !field.is_base()) {
        b.bit_offsets[i] = b.member(field)?;
    }
    b.insert_vbptr();
    b.insert_vptr();
    if b.own_vptr || b.has_vbptr && !b.shared_vbptr {
        b.placer.align = b.placer.align.max(8 * b.pointer.align);
    }
    b.set_size(b.size().next_multiple_of(b.packed(b.align())))?;
    let non_virtual_size = b.size();
    b.placer.required = b.placer.required.max(record.min_align().unwrap_or(0));
    let virtual_bases = b.virtual_bases(&bases)?;
    for base in bases.iter().filter(|base| base.is_virtual) {
        let found = virtual_bases.iter().find(|(id, _)| *id == base.id);
        b.bit_offsets[base.field] = found.map_or(0, |(_, base)| 8 * base.offset);
    }
    let data_size = b.size();
    b.finish()?;
    Ok(ClassLayout {
        size: b.size(),
        align: b.align() as u32,
        data_size,
        non_virtual_size,
        non_virtual_align: b.align() as u32,
        vptr: b.own_vptr.then_some(0),
        vbptr: (b.has_vbptr && !b.shared_vbptr).then_some(b.vbptr),
        is_empty,
        required: b.placer.required,
        natural: b.align() as u32,
        facts: Facts {
            polymorphic,
            primary: b.primary.map(|id| (id, false)),
            largest_empty: 0,
            virtual_ids: virtual_bases.iter().map(|(id, _)| *id).collect(),
            any_vbptr: b.has_vbptr.then_some(b.vbptr),
            leads_empty: b.leads_empty,
            ends_empty: b.ends_empty,
        },
        bit_offsets: b.bit_offsets,
        virtual_bases: virtual_bases.into_iter().map(|(_, base)| base).collect(),
    })
}

impl ClassLayout {
    /// Whether a derived class can use the pointer to virtual functions at the start.
    fn has_extendable_vptr(&self) -> bool {
        self.vptr.is_some() || self.facts.primary.is_some()
    }
}

impl<'a> Builder<'_, 'a> {
    fn size(&self) -> u64 {
        self.placer.end / 8
    }

    fn set_size(&mut self, bytes: u64) -> Result<(), AbiError> {
        self.placer.end = 8 * bytes;
        if bytes > MAX_SIZE {
            return Err(AbiError::ty("the type is larger than 2^31 bytes"));
        }
        Ok(())
    }

    fn align(&self) -> u64 {
        self.placer.align / 8
    }

    fn required(&self) -> u64 {
        self.placer.required.into()
    }

    /// An alignment in bytes under `#pragma pack`.
    fn packed(&self, align: u64) -> u64 {
        self.placer.pack.map_or(align, |bits| align.min(bits / 8))
    }

    fn non_virtual_bases(&mut self, bases: &[Base<'a>], polymorphic: bool) -> Result<(), AbiError> {
        let mut previous = None;
        let mut polymorphic_base = false;
        let mut shared = None;
        for base in bases {
            let layout = self.classes.of(base.id)?;
            polymorphic_base |= layout.facts.polymorphic;
            if base.is_virtual {
                self.has_vbptr = true;
                continue;
            }
            if shared.is_none() && layout.facts.any_vbptr.is_some() {
                shared = Some((base.field, layout.facts.any_vbptr.unwrap_or(0)));
                self.has_vbptr = true;
            }
            if layout.has_extendable_vptr() {
                if self.primary.is_none() {
                    self.primary = Some(base.id);
                    self.leads_empty = layout.facts.leads_empty;
                }
                self.non_virtual_base(base, layout, &mut previous)?;
            }
        }
        let introduces = self.record.virtuals().is_some_and(|virtuals| virtuals.introduces);
        self.own_vptr = polymorphic && (!polymorphic_base || self.primary.is_none() && introduces);
        let mut first = self.primary.is_none();
        for base in bases.iter().filter(|base| !base.is_virtual) {
            let layout = self.classes.of(base.id)?;
            let size = layout.non_virtual_size;
            if !layout.has_extendable_vptr() {
                if core::mem::take(&mut first) {
                    self.leads_empty = layout.facts.leads_empty;
                }
                self.non_virtual_base(base, layout, &mut previous)?;
            }
            self.vbptr = self.bit_offsets[base.field] / 8 + size;
        }
        if let Some((field, offset)) = shared {
            self.shared_vbptr = true;
            self.vbptr = self.bit_offsets[field] / 8 + offset;
        }
        Ok(())
    }

    /// The alignment of a base; notes what it asks of the class.
    fn base_align(&mut self, layout: &ClassLayout) -> u64 {
        let align = self.packed(layout.align.into());
        self.ends_empty = layout.facts.ends_empty;
        self.placer.align = self.placer.align.max(8 * align);
        self.placer.required = self.placer.required.max(layout.required);
        align.max(layout.required.into())
    }

    fn non_virtual_base(
        &mut self,
        base: &Base<'a>,
        layout: Rc<ClassLayout>,
        previous: &mut Option<Rc<ClassLayout>>,
    ) -> Result<(), AbiError> {
        let mut size = self.size();
        // Two objects of no size are kept apart.
        if previous.as_ref().is_some_and(|previous| previous.facts.ends_empty) && layout.facts.leads_empty {
            size += 1;
        }
        let offset = size.next_multiple_of(self.base_align(&layout));
        self.bit_offsets[base.field] = 8 * offset;
        self.set_size(offset + layout.non_virtual_size)?;
        self.data_size = self.size();
        *previous = Some(layout);
        Ok(())
    }

    /// Places a member; returns its offset in bits.
    fn member(&mut self, field: &'a Field) -> Result<u64, AbiError> {
        let measure = self.classes.layout.measure(&field.ty)?;
        if field.bits.is_some() {
            let offset = self.placer.place(field, measure)?;
            self.data_size = self.size();
            return Ok(offset);
        }
        check_align("aligned", field.align)?;
        self.placer.forget_unit();
        let align = self.placer.microsoft_align(field, measure) / 8;
        self.placer.align = self.placer.align.max(8 * align);
        let mut shares_empty = false;
        if let Some(class) = class_of(field) {
            let id = self.classes.id(class);
            let class = self.classes.of(id)?;
            self.ends_empty = class.facts.ends_empty;
            shares_empty = field.role == FieldRole::NoUniqueAddress && self.classes.shares_empty(id)?;
        }
        let mut offset = 0;
        if !self.placer.is_union() {
            let behind = self.data_size.next_multiple_of(align);
            offset = if shares_empty { 0 } else { behind };
            let has_bases = self.record.fields().iter().any(Field::is_base);
            while !self.empties.place_type(self.classes, &field.ty, offset, shares_empty)? {
                offset = if offset == 0 && self.data_size != 0 && has_bases { behind } else { offset + align };
            }
        }
        let end = offset + measure.layout.size;
        if !shares_empty {
            self.data_size = self.data_size.max(end);
        }
        self.set_size(self.size().max(end))?;
        Ok(8 * offset)
    }

    /// Moves members, and the bases from an offset on, by some bytes.
    fn move_behind(&mut self, from: u64, bytes: u64) {
        self.placer.end += 8 * bytes;
        for (field, offset) in self.record.fields().iter().zip(&mut self.bit_offsets) {
            if field.role != FieldRole::VirtualBase && (!field.is_base() || *offset >= 8 * from) {
                *offset += 8 * bytes;
            }
        }
    }

    fn insert_vbptr(&mut self) {
        if !self.has_vbptr || self.shared_vbptr {
            return;
        }
        let site = self.vbptr;
        self.vbptr = site.next_multiple_of(self.pointer.align);
        let needed = self.vbptr + self.pointer.size - site;
        self.move_behind(site, needed.next_multiple_of(self.required().max(self.align())));
    }

    fn insert_vptr(&mut self) {
        if !self.own_vptr {
            return;
        }
        let bytes = self.pointer.size.next_multiple_of(self.required().max(self.align()));
        self.vbptr += bytes;
        self.move_behind(0, bytes);
    }

    fn virtual_bases(&mut self, bases: &[Base<'a>]) -> Result<Vec<(Id, VirtualBase)>, AbiError> {
        let mut placed = Vec::new();
        if !self.has_vbptr {
            return Ok(placed);
        }
        // All virtual bases, each behind those of its own bases.
        let mut all: Vec<(Id, Arc<Record>)> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut displaced = BTreeSet::new();
        for base in bases {
            let layout = self.classes.of(base.id)?;
            let inner = layout.facts.virtual_ids.iter().zip(&layout.virtual_bases);
            for (id, inner) in inner {
                if inner.vtordisp {
                    displaced.insert(*id);
                }
                if seen.insert(*id) {
                    all.push((*id, inner.class.clone()));
                }
            }
            if base.is_virtual && seen.insert(base.id) {
                all.push((base.id, Arc::clone(base.record)));
            }
        }
        for (id, _) in &all {
            self.placer.required = self.placer.required.max(self.classes.of(*id)?.required);
        }
        self.add_displaced(&all, &mut displaced);
        let align = self.packed(4).max(self.required());
        let mut previous: Option<Rc<ClassLayout>> = None;
        for (id, class) in all {
            let layout = self.classes.of(id)?;
            let vtordisp = displaced.contains(&id);
            let both_empty = previous.is_some_and(|layout| layout.facts.ends_empty) && layout.facts.leads_empty;
            if both_empty || vtordisp {
                self.set_size(self.size().next_multiple_of(align) + 4)?;
                self.placer.align = self.placer.align.max(8 * align);
            }
            let offset = self.size().next_multiple_of(self.base_align(&layout));
            placed.push((id, VirtualBase { class, offset, vtordisp }));
            self.set_size(offset + layout.non_virtual_size)?;
            previous = Some(layout);
        }
        Ok(placed)
    }

    /// Adds the virtual bases whose functions this class overrides, if it has constructors or a destructor: an object
    /// could be used while it is constructed, when the place of the base differs.
    fn add_displaced(&self, all: &[(Id, Arc<Record>)], displaced: &mut BTreeSet<Id>) {
        let Some(virtuals) = self.record.virtuals().filter(|virtuals| virtuals.constructed) else { return };
        for (id, class) in all {
            if holds(class, &virtuals.overridden) {
                displaced.insert(*id);
            }
        }
    }

    /// Size and alignment of complete objects.
    fn finish(&mut self) -> Result<(), AbiError> {
        let required = self.required();
        if required != 0 {
            self.placer.align = self.placer.align.max(8 * required);
            let rounding = self.packed(self.align()).max(required);
            self.set_size(self.size().next_multiple_of(rounding))?;
        }
        if self.size() == 0 {
            (self.leads_empty, self.ends_empty) = (true, true);
            let least = if self.record.language() == Language::Cxx { 1 } else { 4 };
            self.set_size(if required >= least { self.align() } else { least })?;
        }
        Ok(())
    }
}

/// Whether a class, or a base of it that is not virtual, is one of these.
fn holds(class: &Record, numbers: &[u32]) -> bool {
    numbers.contains(&class.number()) || class.bases().any(|(base, is_virtual)| !is_virtual && holds(base, numbers))
}
