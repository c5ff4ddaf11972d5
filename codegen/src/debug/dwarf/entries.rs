//! The entries of a unit (DWARF 5, section 2.1 to 2.3): a tree under construction, and how it becomes bytes.
//!
//! Entries and attributes are elements of two lists, and are written in one walk. References to what comes later are filled in at its end.

use gimli::{DwAt, DwForm, DwTag, constants as dw};

use super::abbreviations::{Abbreviations, Shape};
use super::sections::{CodeAddress, DwarfWriter};
use crate::debug::sections::DebugSectionId;

/// No entry, or no attribute.
const NONE: u32 = u32::MAX;

/// The number of an entry in its unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct EntryId(u32);

impl EntryId {
    /// The unit's own entry.
    pub const ROOT: EntryId = EntryId(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The value of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// An address in a section.
    Address {
        section: u32,
        offset: u64,
    },
    /// The address 0, from which lists with whole addresses count.
    Zero,
    Unsigned(u64),
    Signed(i64),
    /// A flag that is set.
    Flag,
    /// Bytes, by their offset in [`EntryTree::blocks`] and their number.
    Block(u32, u32),
    /// An expression there, and whether it has fields that linkers fill in.
    Expression(u32, u32, bool),
    /// The offset of a string in `.debug_str`.
    String(u32),
    /// An entry of the same unit.
    Entry(EntryId),
    /// An entry of another unit.
    EntryOf(u32, EntryId),
    /// The unit's line program.
    Lines,
    /// The offset of a location list among the unit's.
    Locations(u32),
    /// The number of a location list.
    LocationsNumber(u32),
    /// The offset of a range list among the unit's.
    Ranges(u32),
}

impl Value {
    fn form(self) -> DwForm {
        match self {
            Value::Address { .. } | Value::Zero => dw::DW_FORM_addr,
            Value::Unsigned(_) => dw::DW_FORM_udata,
            Value::Signed(_) => dw::DW_FORM_sdata,
            Value::Flag => dw::DW_FORM_flag_present,
            Value::Block(..) => dw::DW_FORM_block,
            Value::Expression(..) => dw::DW_FORM_exprloc,
            Value::String(_) => dw::DW_FORM_strp,
            Value::Entry(_) => dw::DW_FORM_ref4,
            Value::EntryOf(..) => dw::DW_FORM_ref_addr,
            Value::Lines | Value::Locations(_) | Value::Ranges(_) => dw::DW_FORM_sec_offset,
            Value::LocationsNumber(_) => dw::DW_FORM_loclistx,
        }
    }
}

/// An attribute, whose name and form are in the entry's shape.
struct Attribute {
    value: Value,
    /// The next one of the entry.
    next: u32,
}

struct Node {
    shape: Shape,
    parent: u32,
    first_child: u32,
    last_child: u32,
    /// The next child of the same parent.
    next: u32,
    first_attribute: u32,
    last_attribute: u32,
}

/// The entries of a unit.
pub(super) struct EntryTree {
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    pub blocks: DwarfWriter,
    abbreviations: Abbreviations,
}

/// What entries of a unit refer to in other sections, and what is known when all are written.
pub(super) struct UnitPlaces {
    pub address_bytes: u8,
    /// Where the unit is in `.debug_info`.
    pub unit: usize,
    /// Where the unit's line program is.
    pub lines: usize,
    /// Where its location lists and range lists are.
    pub locations: (DebugSectionId, usize),
    pub ranges: (DebugSectionId, usize),
    /// By entry, its offset in the unit; 0 until it is written.
    pub entries: Vec<u32>,
    /// Fields that refer to entries of other units: where they are, and to what.
    pub to_others: Vec<(usize, u32, EntryId)>,
    /// Fields that refer to entries of the unit that are not written yet.
    to_later: Vec<(usize, EntryId)>,
}

impl UnitPlaces {
    pub fn new(address_bytes: u8, locations: DebugSectionId, ranges: DebugSectionId) -> UnitPlaces {
        UnitPlaces {
            address_bytes,
            unit: 0,
            lines: 0,
            locations: (locations, 0),
            ranges: (ranges, 0),
            entries: Vec::new(),
            to_others: Vec::new(),
            to_later: Vec::new(),
        }
    }
}

impl EntryTree {
    pub fn new(tag: DwTag) -> EntryTree {
        let mut abbreviations = Abbreviations::new();
        let root = Node::new(abbreviations.tag(tag), NONE);
        EntryTree { nodes: vec![root], attributes: Vec::new(), blocks: DwarfWriter::default(), abbreviations }
    }

    /// Makes room for entries, with as many attributes as those of variables and inlined calls have.
    pub fn reserve(&mut self, entries: usize) {
        self.nodes.reserve(entries);
        self.attributes.reserve(4 * entries);
    }

    /// Adds an entry to those in another.
    pub fn add(&mut self, parent: EntryId, tag: DwTag) -> EntryId {
        let number = self.nodes.len() as u32;
        let node = Node::new(self.abbreviations.tag(tag), parent.0);
        self.nodes.push(node);
        let before = std::mem::replace(&mut self.nodes[parent.index()].last_child, number);
        match before {
            NONE => self.nodes[parent.index()].first_child = number,
            before => self.nodes[before as usize].next = number,
        }
        EntryId(number)
    }

    pub fn parent(&self, entry: EntryId) -> Option<EntryId> {
        let parent = self.nodes[entry.index()].parent;
        (parent != NONE).then_some(EntryId(parent))
    }

    pub fn has(&self, entry: EntryId, name: DwAt) -> bool {
        self.abbreviations.has(self.nodes[entry.index()].shape, name)
    }

    /// Sets an attribute. It takes the place of one with the same name.
    #[inline]
    pub fn set(&mut self, entry: EntryId, name: DwAt, value: Value) {
        let node = &mut self.nodes[entry.index()];
        let Some(shape) = self.abbreviations.with(node.shape, name, value.form()) else {
            return self.replace(entry, name, value);
        };
        node.shape = shape;
        let number = self.attributes.len() as u32;
        match std::mem::replace(&mut node.last_attribute, number) {
            NONE => node.first_attribute = number,
            before => self.attributes[before as usize].next = number,
        }
        self.attributes.push(Attribute { value, next: NONE });
    }

    #[cold]
    fn replace(&mut self, entry: EntryId, name: DwAt, value: Value) {
        let node = &mut self.nodes[entry.index()];
        let (tag, attributes) = self.abbreviations.list(node.shape);
        let (mut shape, mut at) = (self.abbreviations.tag(tag), node.first_attribute);
        for (known, form) in attributes {
            let attribute = &mut self.attributes[at as usize];
            let form = if known == name { value.form() } else { form };
            if known == name {
                attribute.value = value;
            }
            shape = self.abbreviations.with(shape, known, form).unwrap_or(shape);
            at = attribute.next;
        }
        node.shape = shape;
    }

    /// Writes the tree. Entries' offsets count from the unit's start.
    pub fn write(&mut self, info: &mut DwarfWriter, abbreviations: &mut DwarfWriter, places: &mut UnitPlaces) {
        self.base_types_first();
        places.entries = vec![0; self.nodes.len()];
        // Typical numbers: growing the lists would copy them again and again.
        info.bytes.reserve(4 * self.attributes.len());
        info.fixups.reserve(self.attributes.len() / 3);
        let mut at = EntryId::ROOT;
        'entries: loop {
            self.write_entry(at, info, places);
            let first = self.nodes[at.index()].first_child;
            if first != NONE {
                at = EntryId(first);
                continue;
            }
            while at != EntryId::ROOT {
                let node = &self.nodes[at.index()];
                if node.next != NONE {
                    at = EntryId(node.next);
                    continue 'entries;
                }
                // The children of the entry around it end here.
                info.u8(0);
                at = EntryId(node.parent);
            }
            break;
        }
        for (field, entry) in places.to_later.drain(..) {
            info.set_u32(field, places.entries[entry.index()]);
        }
        self.abbreviations.finish(abbreviations);
    }

    fn write_entry(&mut self, entry: EntryId, info: &mut DwarfWriter, places: &mut UnitPlaces) {
        let node = &self.nodes[entry.index()];
        places.entries[entry.index()] = (info.len() - places.unit) as u32;
        info.uleb128(self.abbreviations.code(node.shape, node.first_child != NONE).into());
        let mut at = node.first_attribute;
        while let Some(attribute) = self.attributes.get(at as usize) {
            at = attribute.next;
            match attribute.value {
                Value::Address { section, offset } => {
                    info.address(CodeAddress { section, offset }, places.address_bytes);
                }
                Value::Zero => info.number(0, places.address_bytes),
                Value::Unsigned(value) => info.uleb128(value),
                Value::LocationsNumber(number) => info.uleb128(number.into()),
                Value::Signed(value) => info.sleb128(value),
                Value::Flag => {}
                Value::Block(start, len) | Value::Expression(start, len, false) => {
                    info.uleb128(len.into());
                    info.bytes.extend_from_slice(&self.blocks.bytes[start as usize..][..len as usize]);
                }
                Value::Expression(start, len, true) => {
                    info.uleb128(len.into());
                    info.append_part(&self.blocks, start as usize, (start + len) as usize);
                }
                Value::String(offset) => info.offset_in(DebugSectionId::Str, offset as usize),
                Value::Entry(to) => match places.entries[to.index()] {
                    0 => {
                        places.to_later.push((info.len(), to));
                        info.u32(0);
                    }
                    offset => info.u32(offset),
                },
                Value::EntryOf(unit, to) => {
                    places.to_others.push((info.len(), unit, to));
                    info.u32(0);
                }
                Value::Lines => info.offset_in(DebugSectionId::Line, places.lines),
                Value::Locations(offset) => info.offset_in(places.locations.0, places.locations.1 + offset as usize),
                Value::Ranges(offset) => info.offset_in(places.ranges.0, places.ranges.1 + offset as usize),
            }
        }
    }

    /// Puts base types before the unit's other entries: many refer to them, and are complete when they are written.
    fn base_types_first(&mut self) {
        let mut children = Vec::new();
        let mut at = self.nodes[0].first_child;
        while at != NONE {
            children.push(at);
            at = self.nodes[at as usize].next;
        }
        let is_base =
            |&child: &u32| self.abbreviations.tag_of(self.nodes[child as usize].shape) == dw::DW_TAG_base_type;
        let (base, others): (Vec<u32>, Vec<u32>) = children.into_iter().partition(is_base);
        let mut next = NONE;
        for child in base.into_iter().chain(others).rev() {
            self.nodes[child as usize].next = next;
            next = child;
        }
        self.nodes[0].first_child = next;
    }
}

impl Node {
    fn new(shape: Shape, parent: u32) -> Node {
        let (first_child, last_child, next) = (NONE, NONE, NONE);
        Node { shape, parent, first_child, last_child, next, first_attribute: NONE, last_attribute: NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_refer_to_those_before_and_after_them() {
        let mut tree = EntryTree::new(dw::DW_TAG_compile_unit);
        let first = tree.add(EntryId::ROOT, dw::DW_TAG_variable);
        let second = tree.add(EntryId::ROOT, dw::DW_TAG_variable);
        let inner = tree.add(first, dw::DW_TAG_member);
        tree.set(first, dw::DW_AT_type, Value::Entry(second));
        tree.set(second, dw::DW_AT_type, Value::Entry(first));
        // The value and form of an attribute that is set again are the last ones.
        tree.set(inner, dw::DW_AT_byte_size, Value::Signed(-1));
        tree.set(inner, dw::DW_AT_artificial, Value::Flag);
        tree.set(inner, dw::DW_AT_byte_size, Value::Unsigned(7));
        assert!(tree.has(inner, dw::DW_AT_artificial) && !tree.has(inner, dw::DW_AT_type));
        let (mut info, mut abbreviations) = (DwarfWriter::default(), DwarfWriter::default());
        let mut places = UnitPlaces::new(8, DebugSectionId::Loc, DebugSectionId::Ranges);
        tree.write(&mut info, &mut abbreviations, &mut places);
        assert_eq!(places.entries, [0, 1, 9, 6]);
        assert_eq!(info.bytes, [1, 2, 9, 0, 0, 0, 3, 7, 0, 4, 1, 0, 0, 0, 0]);
        let variable = |code: u8, children: u8| [code, 0x34, children, 0x49, 0x13, 0, 0];
        let all = [
            &[1, 0x11, 1, 0, 0][..],
            &variable(2, 1),
            &[3, 0x0d, 0, 0x0b, 0x0f, 0x34, 0x19, 0, 0],
            &variable(4, 0),
            &[0],
        ];
        assert_eq!(abbreviations.bytes, all.concat());
    }
}
