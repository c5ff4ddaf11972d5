//! Choosing branch forms and closing the gaps.

use super::{BufferError, CodeBuffer, Label, Reloc, RelocTarget, UNBOUND};

/// Passes over the branches. Each pass leaves a valid program, so stopping early costs bytes, never correctness.
const MAX_PASSES: usize = 8;

impl CodeBuffer {
    /// Shrinks branches from the longest form. Positions only ever come nearer to each other, so a branch once found to fit
    /// keeps fitting, and every pass is linear.
    pub(super) fn relax(&mut self) {
        self.saved.clear();
        self.saved.resize(self.gaps.len() + 1, 0);

        // A branch of this length can only go altogether: no form is shorter.
        let least = self.machine.branches.iter().filter_map(|forms| forms.first()).map(|form| form.len).min();
        let least = least.map_or(0, u32::from);
        for _ in 0..MAX_PASSES {
            let mut changed = false;
            // What is removed before gap `i`; `saved[i]` still holds the value of the last pass.
            let mut total = 0;
            for (i, gap) in self.gaps.iter_mut().enumerate() {
                let newly = total - self.saved[i];
                self.saved[i] = total;
                if gap.keep != 0 && !gap.far {
                    let place = self.labels[gap.label as usize];
                    let forward = place.gaps as usize > i;
                    let start = i64::from(gap.offset) - i64::from(total);
                    let mut target = i64::from(place.offset) - i64::from(self.saved[place.gaps as usize]);
                    if forward {
                        // What this pass has gained so far lies before the target too.
                        target -= i64::from(newly);
                    }
                    let old = gap.keep;
                    if target - start == i64::from(old) {
                        gap.keep = 0;
                    } else if old > least {
                        let forms = self.machine.forms(gap.kind);
                        for form in forms.iter().take_while(|form| u32::from(form.len) < old) {
                            let len = u32::from(form.len);
                            let gain = if forward { i64::from(old - len) } else { 0 };
                            let displacement = target - start - gain;
                            if displacement >= i64::from(form.min) && displacement <= i64::from(form.max) {
                                gap.keep = len;
                                break;
                            }
                        }
                    }
                    changed |= gap.keep != old;
                }
                total += gap.len - gap.keep;
            }
            let last = self.gaps.len();
            self.saved[last] = total;
            if !changed {
                break;
            }
        }
    }

    /// Moves the code together, writes the displacements of branches, and moves all records along.
    pub(super) fn compact(&mut self) {
        for place in &mut self.labels {
            if place.offset != UNBOUND {
                place.offset -= self.saved[place.gaps as usize];
            }
        }
        // The code that makes relocations says where they are, not always in order.
        if !self.relocs.is_sorted_by_key(|r| r.offset) {
            self.relocs.sort_by_key(|r| r.offset);
        }
        if !self.label_refs.is_sorted_by_key(|r| r.offset) {
            self.label_refs.sort_by_key(|r| r.offset);
        }
        let ends = || self.gaps.iter().zip(&self.saved[1..]).map(|(gap, &saved)| (gap.offset + gap.len, saved));
        shift(self.relocs.iter_mut().map(|r| &mut r.offset), ends());
        shift(self.label_refs.iter_mut().map(|r| &mut r.offset), ends());
        shift(self.cfi.iter_mut().map(|m| &mut m.offset), ends());
        match self.arranged {
            false => shift(self.watched.iter_mut(), ends()),
            // They are in the order in which the code was made.
            true => self.watched.iter_mut().for_each(|offset| shift(std::iter::once(offset), ends())),
        }
        shift(self.calls.iter_mut().map(|c| &mut c.offset), ends());
        shift(self.stack_maps.records.iter_mut().map(|r| &mut r.offset), ends());
        shift(self.lines.iter_mut().map(|m| &mut m.offset), ends());
        shift(self.variables.iter_mut().map(|m| &mut m.offset), ends());
        shift(self.source_labels.iter_mut().map(|m| &mut m.offset), ends());
        shift(self.debug_calls.iter_mut().map(|m| &mut m.offset), ends());
        shift(self.data.iter_mut().map(|d| &mut d.start), ends());
        shift(self.data.iter_mut().map(|d| &mut d.end), ends());

        let (mut from, mut to) = (0, 0);
        let near = self.relocs.len();
        for gap in &mut self.gaps {
            let (start, len, keep) = (gap.offset as usize, gap.len as usize, gap.keep as usize);
            self.bytes.copy_within(from..start + len, to);
            to += start - from;
            from = start + len;
            gap.offset = to as u32;
            if gap.far {
                if let Some((kind, addend)) = self.machine.far_branch {
                    let target = RelocTarget::Label(Label(gap.label));
                    self.relocs.push(Reloc { offset: (to + keep - 4) as u32, kind, target, addend });
                }
            } else if keep != 0 {
                let forms = self.machine.forms(gap.kind);
                let insn = &mut self.bytes[to..to + len];
                let displacement = (i64::from(self.labels[gap.label as usize].offset) - to as i64) as i32;
                if let Some(form) = forms.iter().find(|form| usize::from(form.len) == keep) {
                    if keep < len {
                        (form.shorten)(insn);
                    }
                    (form.patch)(insn, displacement);
                }
            }
            to += keep;
        }
        self.bytes.copy_within(from.., to);
        self.bytes.truncate(self.bytes.len() - from + to);
        if self.relocs.len() > near {
            self.relocs.sort_by_key(|r| r.offset);
        }
    }

    pub(super) fn resolve_label_refs(&mut self) -> Result<(), BufferError> {
        let label_refs = std::mem::take(&mut self.label_refs);
        let near = self.relocs.len();
        for reloc in &label_refs {
            if let RelocTarget::Label(label) = reloc.target {
                let place = self.labels[label.0 as usize];
                if !self.parts.is_empty() && self.part_of(reloc.offset) != self.part_of(place.offset) {
                    self.relocs.push(*reloc);
                    continue;
                }
                let value = i64::from(place.offset) + reloc.addend - i64::from(reloc.offset);
                if !self.machine.write(reloc.kind, &mut self.bytes[reloc.offset as usize..], value) {
                    return Err(BufferError::OutOfReach { offset: reloc.offset });
                }
            }
        }
        self.label_refs = label_refs;
        if self.relocs.len() > near {
            self.relocs.sort_by_key(|r| r.offset);
        }
        Ok(())
    }
}

/// Moves sorted offsets back by what is removed in the gaps that end at or before them. `ends` gives for each gap its
/// end and the total removed up to there.
fn shift<'a>(offsets: impl Iterator<Item = &'a mut u32>, ends: impl Iterator<Item = (u32, u32)>) {
    let mut ends = ends.peekable();
    let mut back = 0;
    for offset in offsets {
        while let Some((_, saved)) = ends.next_if(|(end, _)| *end <= *offset) {
            back = saved;
        }
        *offset -= back;
    }
}
