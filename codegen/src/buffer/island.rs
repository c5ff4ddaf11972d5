//! Constants in the code itself, for machines whose loads reach no farther than a few pages.
//!
//! A reference to a constant waits until the code has a place for constants: after a jump, or at the end. There all
//! constants that are waited for are written together as data, the largest first.

use std::cmp::Reverse;

use super::{AddressConstant, CodeBuffer, ConstantId, Gap, Reloc, RelocTarget};

/// The kind of the gap before an island: room for its alignment, as much as could ever be needed.
const PAD: u8 = u8::MAX;

impl Gap {
    /// Is it a branch?
    pub(super) fn is_branch(&self) -> bool {
        self.kind != PAD
    }
}

impl CodeBuffer {
    /// Are constants part of the code?
    pub fn has_islands(&self) -> bool {
        self.machine.island_reach.is_some()
    }

    /// Would the constants that are waited for be out of reach if they came after `bytes` more bytes of code?
    pub fn island_due(&self, bytes: u32) -> bool {
        let (Some(first), Some(reach)) = (self.waiting.first(), self.machine.island_reach) else { return false };
        // Constants that are waited for twice count twice, and the room for alignment counts as a large constant.
        let island = 16 * (self.waiting.len() as u32 + 1);
        (self.offset() - first.offset).saturating_add(bytes).saturating_add(island) > reach
    }

    /// Writes the constants that are waited for. Control does not come here.
    pub fn write_island(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        let constant = |r: &Reloc| if let RelocTarget::Constant(c) = r.target { c } else { ConstantId(0) };
        waiting.sort_by_key(|r| (Reverse(self.constants.get(constant(r)).0), constant(r)));
        let Some(largest) = waiting.first().map(|r| self.constants.get(constant(r)).0) else { return };
        self.pad(u32::from(largest).min(self.machine.align));
        let start = self.offset();
        let mut last = None;
        for mut reloc in waiting {
            let id = constant(&reloc);
            let label = match last {
                Some((known, label)) if known == id => label,
                _ => {
                    let label = self.new_label();
                    self.bind(label);
                    let (size, mut bytes) = self.constants.get(id);
                    self.machine.endian.order(&mut bytes[..size.into()]);
                    let known = self.addresses.binary_search_by_key(&id, |a| a.0);
                    if let Ok(at) = known {
                        let AddressConstant { kind, target, addend, place } = self.addresses[at].1;
                        self.placed.extend(place.map(|place| (label, place)));
                        self.relocs.push(Reloc { offset: self.offset(), kind, target, addend });
                    }
                    self.put_slice(&bytes[..size.into()]);
                    label
                }
            };
            last = Some((id, label));
            reloc.target = RelocTarget::Label(label);
            self.label_refs.push(reloc);
        }
        self.mark_data(start);
    }

    /// Makes distances count from their places, which are known now.
    pub(super) fn count_from_places(&mut self) {
        for (constant, place) in std::mem::take(&mut self.placed) {
            let [at, place] = [constant, place].map(|label| self.labels[label.0 as usize].offset);
            if let Ok(k) = self.relocs.binary_search_by_key(&at, |r| r.offset) {
                self.relocs[k].addend += i64::from(at) - i64::from(place);
            }
        }
    }

    /// Leaves room by which the end of the code can be aligned, at most to the alignment of functions.
    fn pad(&mut self, align: u32) {
        self.align(align, 0);
    }

    /// The same for the code that follows, with what fills the room.
    pub(crate) fn align(&mut self, align: u32, fill: u8) {
        let len = align - 1;
        self.padded = true;
        let here = self.new_label();
        self.bind(here);
        let offset = self.offset();
        self.bytes.extend_zero(len as usize);
        self.bytes[offset as usize..].fill(fill);
        self.gaps.push(Gap { offset, label: here.0, len, keep: len, kind: PAD, far: false });
    }

    /// Cuts that room to what is needed now that branches have their forms. What comes nearer by it stays within reach.
    pub(super) fn fix_padding(&mut self) {
        let mut total = 0;
        for (gap, saved) in self.gaps.iter_mut().zip(&mut self.saved) {
            *saved = total;
            if !gap.is_branch() {
                gap.keep = (gap.offset - total).wrapping_neg() & gap.len;
            }
            total += gap.len - gap.keep;
        }
        if let Some(last) = self.saved.last_mut() {
            *last = total;
        }
    }
}
