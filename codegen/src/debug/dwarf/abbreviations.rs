//! Abbreviations (DWARF 5, section 7.5.3): the tags of entries with the names and forms of their attributes.
//!
//! An entry's tag and attributes are a path in a tree, which most often is there when an attribute is added. So nothing is hashed or
//! compared when entries are written: the end of the path has the abbreviation's code.

use gimli::{DwAt, DwForm, DwTag, constants as dw};

use super::sections::DwarfWriter;

/// No step.
const NONE: u32 = u32::MAX;

/// The end of a path: a tag and attributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape(u32);

/// The last step of a path.
struct Step {
    /// The name of an attribute, or a tag, which comes first.
    name: u16,
    form: DwForm,
    before: u32,
    /// The steps after this one are in a list.
    first_after: u32,
    /// The next step of the list that this one is in.
    next: u32,
    /// The codes of the abbreviations without and with children; 0 if there is none yet.
    codes: [u32; 2],
}

/// The abbreviations of a unit.
pub(super) struct Abbreviations {
    steps: Vec<Step>,
    /// The steps of standard tags by number; 0 if there is none.
    tags: [u32; 0x80],
    /// The code that was given last.
    last_code: u32,
    bytes: DwarfWriter,
}

impl Abbreviations {
    pub fn new() -> Abbreviations {
        let empty = Step { name: 0, form: DwForm(0), before: NONE, first_after: NONE, next: NONE, codes: [0; 2] };
        Abbreviations { steps: vec![empty], tags: [0; 0x80], last_code: 0, bytes: DwarfWriter::default() }
    }

    /// An entry without attributes.
    pub fn tag(&mut self, tag: DwTag) -> Shape {
        match self.tags.get(usize::from(tag.0)) {
            Some(0) => {
                let new = self.add(0, tag.0, DwForm(0));
                self.tags[usize::from(tag.0)] = new.0;
                new
            }
            Some(&known) => Shape(known),
            None => self.known(0, tag.0, DwForm(0)).unwrap_or_else(|| self.add(0, tag.0, DwForm(0))),
        }
    }

    /// The same with another attribute. `None` if there is one with this name.
    #[inline]
    pub fn with(&mut self, shape: Shape, name: DwAt, form: DwForm) -> Option<Shape> {
        match self.known(shape.0, name.0, form) {
            Some(known) => Some(known),
            None if self.has(shape, name) => None,
            None => Some(self.add(shape.0, name.0, form)),
        }
    }

    /// Is there an attribute with this name?
    pub fn has(&self, shape: Shape, name: DwAt) -> bool {
        self.path(shape).any(|step| step.name == name.0)
    }

    /// The tag, and the names and forms of attributes in their order.
    pub fn list(&self, shape: Shape) -> (DwTag, Vec<(DwAt, DwForm)>) {
        let mut list: Vec<_> = self.path(shape).map(|step| (DwAt(step.name), step.form)).collect();
        list.reverse();
        (self.tag_of(shape), list)
    }

    pub fn tag_of(&self, shape: Shape) -> DwTag {
        let mut step = &self.steps[shape.0 as usize];
        while step.before != 0 {
            step = &self.steps[step.before as usize];
        }
        DwTag(step.name)
    }

    /// The attributes from the last to the first.
    fn path(&self, shape: Shape) -> impl Iterator<Item = &Step> {
        let steps =
            std::iter::successors(Some(&self.steps[shape.0 as usize]), |step| self.steps.get(step.before as usize));
        steps.take_while(|step| step.before != 0)
    }

    #[inline]
    fn known(&self, before: u32, name: u16, form: DwForm) -> Option<Shape> {
        let mut at = self.steps[before as usize].first_after;
        while let Some(step) = self.steps.get(at as usize) {
            if step.name == name && step.form == form {
                return Some(Shape(at));
            }
            at = step.next;
        }
        None
    }

    fn add(&mut self, before: u32, name: u16, form: DwForm) -> Shape {
        let number = self.steps.len() as u32;
        // At the end of the list: what comes first most often comes often.
        let mut link = &mut self.steps[before as usize].first_after;
        while *link != NONE {
            let at = *link as usize;
            link = &mut self.steps[at].next;
        }
        *link = number;
        self.steps.push(Step { name, form, before, first_after: NONE, next: NONE, codes: [0; 2] });
        Shape(number)
    }

    /// The code of an abbreviation, which is written on its first use.
    #[inline]
    pub fn code(&mut self, shape: Shape, children: bool) -> u32 {
        match self.steps[shape.0 as usize].codes[usize::from(children)] {
            0 => self.write(shape, children),
            code => code,
        }
    }

    fn write(&mut self, shape: Shape, children: bool) -> u32 {
        self.last_code += 1;
        let (tag, attributes) = self.list(shape);
        let out = &mut self.bytes;
        out.uleb128(self.last_code.into());
        out.uleb128(tag.0.into());
        out.u8(if children { dw::DW_CHILDREN_yes.0 } else { dw::DW_CHILDREN_no.0 });
        for (name, form) in attributes {
            out.uleb128(name.0.into());
            out.uleb128(form.0.into());
        }
        out.u16(0);
        self.steps[shape.0 as usize].codes[usize::from(children)] = self.last_code;
        self.last_code
    }

    /// Appends the table to its section.
    pub fn finish(&self, section: &mut DwarfWriter) {
        section.append(&self.bytes);
        section.u8(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_entries_have_one_abbreviation() {
        let mut all = Abbreviations::new();
        let variable = all.tag(dw::DW_TAG_variable);
        let named = all.with(variable, dw::DW_AT_name, dw::DW_FORM_strp).unwrap();
        let other = all.tag(dw::DW_TAG_member);
        let other = all.with(other, dw::DW_AT_name, dw::DW_FORM_strp).unwrap();
        assert_eq!([all.code(other, false), all.code(named, false), all.code(named, true)], [1, 2, 3]);
        let again = all.tag(dw::DW_TAG_variable);
        let again = all.with(again, dw::DW_AT_name, dw::DW_FORM_strp).unwrap();
        assert_eq!((again, all.code(again, false)), (named, 2));
        assert_eq!(all.with(named, dw::DW_AT_name, dw::DW_FORM_udata), None);
        let mut section = DwarfWriter::default();
        all.finish(&mut section);
        assert_eq!(section.bytes, [1, 0x0d, 0, 3, 14, 0, 0, 2, 0x34, 0, 3, 14, 0, 0, 3, 0x34, 1, 3, 14, 0, 0, 0]);
    }
}
