//! Where empty classes are in an object: two objects of one class have different addresses (C++, [intro.object]), so a
//! base or member cannot begin where that would put two empty objects of one class at the same place.

use super::class::{Classes, Id};
use crate::error::AbiError;
use crate::types::{CType, Record};
use alloc::collections::BTreeSet;

/// The most places of empty objects in one object.
const MOST: usize = 1 << 12;

/// The empty objects in an object that is laid out, with their offsets in bytes.
pub(super) struct Empties {
    places: BTreeSet<(u64, Id)>,
    /// The largest offset among them.
    furthest: Option<u64>,
    /// The size of the largest empty class that the object can contain. Empty classes are placed at 0 if they can be,
    /// and otherwise behind all data, so those further away matter only if they share their place.
    largest: u64,
}

/// Whether an object is asked about, or noted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Check,
    /// Notes the object. Those that share their places count wherever they are.
    Note {
        shares: bool,
    },
}

impl Empties {
    pub fn new(largest: u64) -> Empties {
        Empties { places: BTreeSet::new(), furthest: None, largest }
    }

    /// Whether there is nothing to look at.
    pub fn is_idle(&self) -> bool {
        self.largest == 0
    }

    /// Whether an object at `offset`, and all that follow, need no visit.
    pub fn is_beyond(&self, offset: u64, step: Step) -> bool {
        match step {
            Step::Check => self.furthest.is_none_or(|furthest| offset > furthest),
            Step::Note { shares } => !shares && offset >= self.largest,
        }
    }

    /// Visits an object without its parts; false if it cannot be there.
    pub fn visit(&mut self, id: Id, is_empty: bool, offset: u64, step: Step) -> Result<bool, AbiError> {
        if !is_empty {
            return Ok(true);
        }
        if step == Step::Check {
            return Ok(!self.places.contains(&(offset, id)));
        }
        if self.places.len() >= MOST {
            return Err(AbiError::ty("there are too many empty objects in the class"));
        }
        self.places.insert((offset, id));
        self.furthest = self.furthest.max(Some(offset));
        Ok(true)
    }

    /// Visits a class with all its parts at `offset`; false if it cannot be there. `complete` says whether it is a
    /// complete object, with its virtual bases.
    pub fn visit_class<'a>(
        &mut self,
        classes: &mut Classes<'a>,
        record: &'a Record,
        offset: u64,
        step: Step,
        complete: bool,
    ) -> Result<bool, AbiError> {
        if self.is_beyond(offset, step) {
            return Ok(true);
        }
        let id = classes.id(record);
        let layout = classes.of(id)?;
        if !self.visit(id, layout.is_empty, offset, step)? {
            return Ok(false);
        }
        for base in classes.bases(record).into_iter().filter(|base| !base.is_virtual) {
            let at = offset + layout.bit_offsets[base.field] / 8;
            if !self.visit_class(classes, base.record, at, step, false)? {
                return Ok(false);
            }
        }
        if complete {
            for (id, base) in layout.facts.virtual_ids.iter().zip(&layout.virtual_bases) {
                let record = classes.record(*id);
                if !self.visit_class(classes, record, offset + base.offset, step, false)? {
                    return Ok(false);
                }
            }
        }
        self.visit_members(classes, record, &layout.bit_offsets, offset, step)
    }

    /// Visits the members of a class at `offset`.
    pub fn visit_members<'a>(
        &mut self,
        classes: &mut Classes<'a>,
        record: &'a Record,
        bit_offsets: &[u64],
        offset: u64,
        step: Step,
    ) -> Result<bool, AbiError> {
        for (field, at) in record.fields().iter().zip(bit_offsets) {
            if field.bits.is_none()
                && !field.is_base()
                && !self.visit_type(classes, &field.ty, offset + at / 8, step)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a member can be at `offset`; if so, it is noted there.
    pub fn place_type<'a>(
        &mut self,
        classes: &mut Classes<'a>,
        ty: &'a CType,
        offset: u64,
        shares: bool,
    ) -> Result<bool, AbiError> {
        let fits = self.visit_type(classes, ty, offset, Step::Check)?;
        if fits {
            self.visit_type(classes, ty, offset, Step::Note { shares })?;
        }
        Ok(fits)
    }

    /// Visits a member of any type.
    fn visit_type<'a>(
        &mut self,
        classes: &mut Classes<'a>,
        ty: &'a CType,
        offset: u64,
        step: Step,
    ) -> Result<bool, AbiError> {
        match ty {
            CType::Record(record) => self.visit_class(classes, record, offset, step, true),
            CType::Array(array) => {
                let size = classes.layout.measure(array.element())?.layout.size;
                for i in 0..if size == 0 { array.len().min(1) } else { array.len() } {
                    let at = offset + i * size;
                    if self.is_beyond(at, step) {
                        break;
                    }
                    if !self.visit_type(classes, array.element(), at, step)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(true),
        }
    }
}
