//! Itanium C++ ABI, section 2.4, "Non-POD Class Types", as clang 19 has it.
//!
//! Where clang differs from the document, it is followed: `#pragma pack` lowers the alignment of bases, `packed` only
//! that of the pointer to virtual functions; a virtual base is placed where the class that takes it as its primary base is.

use super::class::{Base, ClassLayout, Classes, Facts, Id, VirtualBase, class_of};
use super::empty::{Empties, Step};
use super::record::{Placer, is_plain_data};
use crate::FieldRole;
use crate::error::AbiError;
use crate::measure::MAX_SIZE;
use crate::types::{Field, Language, Record};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A base in the hierarchy of the class: one for each path to it, except that virtual bases have one in all.
struct Part<'a> {
    id: Id,
    record: &'a Arc<Record>,
    is_virtual: bool,
    /// The direct bases, with their indexes among the fields.
    bases: Vec<(usize, PartId)>,
    /// The virtual base that is the primary one of this part, if no other part has claimed it before.
    primary: Option<PartId>,
}

type PartId = usize;

struct Builder<'c, 'a> {
    classes: &'c mut Classes<'a>,
    placer: Placer<'a>,
    bit_offsets: Vec<u64>,
    empties: Empties,
    /// Alignment that bases and the pointer to virtual functions ask for, in bytes. It does not count as natural.
    align: u32,
    /// The end of the members with their padding, in bytes.
    padded: u64,
    parts: Vec<Part<'a>>,
    /// The parts that are virtual bases.
    virtual_parts: BTreeMap<Id, PartId>,
    /// The virtual bases that are the primary ones of parts, with the part.
    claimed: BTreeMap<PartId, PartId>,
    /// The virtual bases that are placed, in order, and those that were considered.
    virtual_bases: Vec<(Id, &'a Arc<Record>, u64)>,
    visited: BTreeSet<Id>,
}

/// Lays out a class.
pub(super) fn lay_out<'a>(classes: &mut Classes<'a>, record: &'a Record) -> Result<ClassLayout, AbiError> {
    let layout = classes.layout;
    let is_empty = classes.is_empty(record)?;
    let largest_empty = classes.largest_empty(record)?;
    let bases = classes.bases(record);
    let polymorphic = classes.is_polymorphic(record)?;
    let dynamic = polymorphic || has_virtual_bases(classes, &bases)?;
    let mut b = Builder {
        classes,
        placer: Placer::new(layout.target(), record)?,
        bit_offsets: alloc::vec![0; record.fields().len()],
        empties: Empties::new(largest_empty),
        align: record.min_align().unwrap_or(1),
        padded: 0,
        parts: Vec::new(),
        virtual_parts: BTreeMap::new(),
        claimed: BTreeMap::new(),
        virtual_bases: Vec::new(),
        visited: BTreeSet::new(),
    };
    let primary = if dynamic { b.primary(&bases)? } else { None };
    let vptr = b.non_virtual_bases(&bases, primary, dynamic)?;
    for (i, field) in record.fields().iter().enumerate().filter(|(_, field)| !field.is_base()) {
        b.bit_offsets[i] = b.member(field)?;
    }
    let non_virtual_size = b.size();
    let non_virtual_align = b.whole_align();
    let mut indirect = b.indirect_primaries(&bases)?;
    indirect.extend(primary.filter(|(_, is_virtual)| *is_virtual).map(|(id, _)| id));
    b.place_virtual_bases(&bases, &indirect)?;
    for base in bases.iter().filter(|base| base.is_virtual) {
        let offset = b.virtual_bases.iter().find(|(id, ..)| *id == base.id).map_or(0, |(.., offset)| *offset);
        b.bit_offsets[base.field] = 8 * offset;
    }
    let align = b.whole_align();
    let natural = (b.placer.align / 8) as u32;
    let mut size = b.size().max(b.padded);
    if size == 0 && is_empty && record.language() == Language::Cxx {
        size = 1;
    }
    let size = size.next_multiple_of(align.into());
    let plain = is_plain_data(record);
    b.virtual_bases.sort_by_key(|(.., offset)| *offset);
    let virtual_ids = b.virtual_bases.iter().map(|(id, ..)| *id).collect();
    let base = |(_, class, offset): &(Id, &Arc<Record>, u64)| VirtualBase {
        class: Arc::clone(class),
        offset: *offset,
        vtordisp: false,
    };
    Ok(ClassLayout {
        size,
        align,
        data_size: if plain { size } else { b.data_size() },
        non_virtual_size: if plain { size } else { non_virtual_size },
        non_virtual_align,
        virtual_bases: b.virtual_bases.iter().map(base).collect(),
        bit_offsets: b.bit_offsets,
        vptr,
        vbptr: None,
        is_empty,
        required: align,
        natural,
        facts: Facts { polymorphic, primary, largest_empty, virtual_ids, ..Facts::default() },
    })
}

fn has_virtual_bases(classes: &mut Classes<'_>, bases: &[Base<'_>]) -> Result<bool, AbiError> {
    let mut found = false;
    for base in bases {
        found |= base.is_virtual || classes.of(base.id)?.has_virtual_bases();
    }
    Ok(found)
}

impl<'a> Builder<'_, 'a> {
    /// The end of data so far, in bytes.
    fn data_size(&self) -> u64 {
        self.placer.end.div_ceil(8)
    }

    /// The size so far in bytes.
    fn size(&self) -> u64 {
        self.placer.end.max(self.placer.reached).div_ceil(8)
    }

    fn whole_align(&self) -> u32 {
        self.align.max((self.placer.align / 8) as u32)
    }

    /// Makes the size at least this many bytes.
    fn reach(&mut self, size: u64) -> Result<(), AbiError> {
        self.placer.reached = self.placer.reached.max(8 * size);
        if size > MAX_SIZE {
            return Err(AbiError::ty("the type is larger than 2^31 bytes"));
        }
        Ok(())
    }

    /// An alignment in bytes under `#pragma pack`.
    fn packed(&self, align: u32) -> u32 {
        self.placer.pack.map_or(align, |bits| align.min((bits / 8) as u32))
    }

    /// The primary base: the first dynamic base that is not virtual, or else a virtual one that has nothing but a
    /// pointer to its virtual functions, if possible one that is not the primary base of another base.
    fn primary(&mut self, bases: &[Base<'a>]) -> Result<Option<(Id, bool)>, AbiError> {
        for base in bases.iter().filter(|base| !base.is_virtual) {
            if self.classes.of(base.id)?.is_dynamic() {
                return Ok(Some((base.id, false)));
            }
        }
        let taken = self.indirect_primaries(bases)?;
        let mut first = None;
        let found = self.nearly_empty(bases, &taken, &mut first)?;
        Ok(found.or(first).map(|id| (id, true)))
    }

    /// The first nearly empty virtual base that is not in `taken`; `first` becomes the first of all.
    fn nearly_empty(
        &mut self,
        bases: &[Base<'a>],
        taken: &BTreeSet<Id>,
        first: &mut Option<Id>,
    ) -> Result<Option<Id>, AbiError> {
        let pointer = self.classes.layout.target().pointer_bytes();
        for base in bases {
            let layout = self.classes.of(base.id)?;
            if base.is_virtual && layout.is_dynamic() && layout.non_virtual_size == u64::from(pointer) {
                if !taken.contains(&base.id) {
                    return Ok(Some(base.id));
                }
                first.get_or_insert(base.id);
            }
            let inner = self.classes.bases(base.record);
            if let Some(found) = self.nearly_empty(&inner, taken, first)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The virtual bases that are primary bases of bases.
    fn indirect_primaries(&mut self, bases: &[Base<'a>]) -> Result<BTreeSet<Id>, AbiError> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut rest: Vec<Base<'a>> = bases.to_vec();
        while let Some(base) = rest.pop() {
            let layout = self.classes.of(base.id)?;
            if layout.has_virtual_bases() && seen.insert(base.id) {
                found.extend(layout.facts.primary.filter(|(_, is_virtual)| *is_virtual).map(|(id, _)| id));
                rest.extend(self.classes.bases(base.record));
            }
        }
        Ok(found)
    }

    /// Makes the part of a base, with the parts of its own bases.
    fn part(&mut self, base: &Base<'a>) -> Result<PartId, AbiError> {
        if let (true, Some(known)) = (base.is_virtual, self.virtual_parts.get(&base.id)) {
            return Ok(*known);
        }
        let this = self.parts.len();
        self.parts.push(Part {
            id: base.id,
            record: base.record,
            is_virtual: base.is_virtual,
            bases: Vec::new(),
            primary: None,
        });
        if base.is_virtual {
            self.virtual_parts.insert(base.id, this);
        }
        // A virtual primary base belongs to the first part that claims it, or to one that has that part as a base.
        let layout = self.classes.of(base.id)?;
        let mut wanted = layout.facts.primary.filter(|(_, is_virtual)| *is_virtual).map(|(id, _)| id);
        if let Some(known) = wanted.and_then(|id| self.virtual_parts.get(&id)).copied() {
            if !self.claimed.contains_key(&known) {
                self.claim(known, this);
            }
            wanted = None;
        }
        for inner in self.classes.bases(base.record) {
            let part = self.part(&inner)?;
            self.parts[this].bases.push((inner.field, part));
        }
        if let Some(known) = wanted.and_then(|id| self.virtual_parts.get(&id)).copied() {
            self.claim(known, this);
        }
        Ok(this)
    }

    /// Makes a virtual base the primary one of a part, and of no other.
    fn claim(&mut self, primary: PartId, part: PartId) {
        if let Some(before) = self.claimed.insert(primary, part) {
            self.parts[before].primary = None;
        }
        self.parts[part].primary = Some(primary);
    }

    /// Places the bases that are not virtual, or the class's own pointer to virtual functions, whose offset it returns.
    fn non_virtual_bases(
        &mut self,
        bases: &[Base<'a>],
        primary: Option<(Id, bool)>,
        dynamic: bool,
    ) -> Result<Option<u64>, AbiError> {
        let parts = bases.iter().map(|base| self.part(base)).collect::<Result<Vec<_>, _>>()?;
        let mut vptr = None;
        match primary {
            Some((id, true)) => {
                let part = self.virtual_parts.get(&id).copied();
                let part = part.ok_or_else(|| AbiError::ty("a virtual base is missing"))?;
                // It is the class's own now.
                if let Some(before) = self.claimed.remove(&part) {
                    self.parts[before].primary = None;
                }
                self.visited.insert(id);
                self.virtual_base(part)?;
            }
            Some((id, false)) => {
                let first = bases.iter().zip(&parts).find(|(base, _)| base.id == id && !base.is_virtual);
                if let Some((base, part)) = first {
                    self.non_virtual_base(base, *part)?;
                }
            }
            None if dynamic => {
                let pointer = self.classes.layout.target().pointer_bytes();
                let align = if self.placer.is_packed() { 1 } else { self.packed(pointer) };
                self.align = self.align.max(align);
                self.placer.end = 8 * u64::from(pointer);
                vptr = Some(0);
            }
            None => {}
        }
        for (base, part) in bases.iter().zip(parts) {
            if !base.is_virtual && primary != Some((base.id, false)) {
                self.non_virtual_base(base, part)?;
            }
        }
        Ok(vptr)
    }

    fn non_virtual_base(&mut self, base: &Base<'a>, part: PartId) -> Result<(), AbiError> {
        let offset = self.place_base(part)?;
        self.bit_offsets[base.field] = 8 * offset;
        self.note_primaries(part, offset)
    }

    fn virtual_base(&mut self, part: PartId) -> Result<(), AbiError> {
        let offset = self.place_base(part)?;
        let Part { id, record, .. } = self.parts[part];
        self.virtual_bases.push((id, record, offset));
        self.note_primaries(part, offset)
    }

    /// Notes where the virtual bases are that parts of a placed base have as their primary ones.
    fn note_primaries(&mut self, part: PartId, offset: u64) -> Result<(), AbiError> {
        let layout = self.classes.of(self.parts[part].id)?;
        if !layout.has_virtual_bases() {
            return Ok(());
        }
        if let Some(primary) = self.parts[part].primary {
            let Part { id, record, .. } = self.parts[primary];
            self.virtual_bases.push((id, record, offset));
            self.note_primaries(primary, offset)?;
        }
        for (field, inner) in self.parts[part].bases.clone() {
            if !self.parts[inner].is_virtual {
                self.note_primaries(inner, offset + layout.bit_offsets[field] / 8)?;
            }
        }
        Ok(())
    }

    /// Places a base; returns its offset in bytes.
    fn place_base(&mut self, part: PartId) -> Result<u64, AbiError> {
        let layout = self.classes.of(self.parts[part].id)?;
        let align = layout.non_virtual_align;
        if layout.is_empty && self.base_fits(part, 0)? {
            self.reach(layout.size)?;
            self.align = self.align.max(align);
            return Ok(0);
        }
        let align = self.packed(align);
        let mut offset = self.data_size().next_multiple_of(align.into());
        while !self.base_fits(part, offset)? {
            offset += u64::from(align);
        }
        if layout.is_empty {
            self.reach(offset + layout.size)?;
        } else {
            self.placer.end = 8 * (offset + layout.non_virtual_size);
            self.reach(offset + layout.non_virtual_size)?;
        }
        self.align = self.align.max(align);
        Ok(offset)
    }

    /// Whether a base can be at `offset`; notes it if so.
    fn base_fits(&mut self, part: PartId, offset: u64) -> Result<bool, AbiError> {
        if self.empties.is_idle() {
            return Ok(true);
        }
        let shares = self.classes.of(self.parts[part].id)?.is_empty;
        let fits = self.visit_base(part, offset, Step::Check)?;
        if fits {
            self.visit_base(part, offset, Step::Note { shares })?;
        }
        Ok(fits)
    }

    fn visit_base(&mut self, part: PartId, offset: u64, step: Step) -> Result<bool, AbiError> {
        if self.empties.is_beyond(offset, step) {
            return Ok(true);
        }
        let Part { id, record, primary, .. } = self.parts[part];
        let layout = self.classes.of(id)?;
        if !self.empties.visit(id, layout.is_empty, offset, step)? {
            return Ok(false);
        }
        for (field, inner) in self.parts[part].bases.clone() {
            let at = offset + layout.bit_offsets[field] / 8;
            if !self.parts[inner].is_virtual && !self.visit_base(inner, at, step)? {
                return Ok(false);
            }
        }
        if let Some(primary) = primary
            && !self.visit_base(primary, offset, step)?
        {
            return Ok(false);
        }
        self.empties.visit_members(self.classes, record, &layout.bit_offsets, offset, step)
    }

    /// Places the virtual bases that are not part of others.
    fn place_virtual_bases(&mut self, bases: &[Base<'a>], indirect: &BTreeSet<Id>) -> Result<(), AbiError> {
        for base in bases {
            if base.is_virtual && !indirect.contains(&base.id) && self.visited.insert(base.id) {
                let part = self.virtual_parts.get(&base.id).copied();
                self.virtual_base(part.ok_or_else(|| AbiError::ty("a virtual base is missing"))?)?;
            }
            let layout = self.classes.of(base.id)?;
            if layout.has_virtual_bases() {
                let inner = self.classes.bases(base.record);
                self.place_virtual_bases(&inner, indirect)?;
            }
        }
        Ok(())
    }

    /// Places a member; returns its offset in bits.
    fn member(&mut self, field: &'a Field) -> Result<u64, AbiError> {
        let measure = self.classes.layout.measure(&field.ty)?;
        let Some(class) = class_of(field) else { return self.placer.place(field, measure) };
        super::record::check_align("aligned", field.align)?;
        let id = self.classes.id(class);
        let class = self.classes.of(id)?;
        let align = self.placer.whole_align(field, measure.layout) / 8;
        let shares = field.role == FieldRole::NoUniqueAddress;
        let shares_empty = shares && class.is_empty;
        let is_union = self.placer.is_union();
        let start = if is_union || shares_empty { 0 } else { self.data_size() };
        let mut offset = start.next_multiple_of(align);
        while !is_union && !self.empties.place_type(self.classes, &field.ty, offset, shares_empty)? {
            offset = if offset == 0 && self.data_size() != 0 {
                self.data_size().next_multiple_of(align)
            } else {
                offset + align
            };
        }
        let size = measure.layout.size;
        if shares_empty {
            self.placer.end = 8 * self.data_size();
            self.reach(offset + size)?;
        } else {
            let used = if shares { class.non_virtual_size.max(class.data_size) } else { size };
            let end = 8 * (offset + used);
            self.placer.end = if is_union { self.placer.end.max(end) } else { end };
            self.padded = self.padded.max(offset + size);
            self.reach(offset + used)?;
        }
        self.placer.align = self.placer.align.max(8 * align);
        self.placer.forget_unit();
        Ok(8 * offset)
    }
}
