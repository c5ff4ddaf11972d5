//! Classes, unions and enumerations with their members.

use std::collections::HashMap;

use gimli::{DwTag, constants as dw};

use super::bytes::{Bytes, Number};
use super::names::{full_path, is_composite, string, type_name};
use super::records::{leaf, pointer, property, simple};
use super::simple_types::VTABLE;
use super::type_table::{FieldList, Record};
use super::types::{Key, Types, method_key};
use crate::debug::{
    DiComposite, DiDerived, DiElement, DiScope, DiString, DiSubprogramId, DiType, DiTypeId, DiTypeKind, di_flags,
    di_subprogram_flags,
};

/// How deep members of unnamed members count as the class's own. Deeper ones are members of an unnamed member.
const MAX_UNNAMED: usize = 64;
/// The most methods of a list, each of which takes at most twelve bytes.
const MAX_METHODS: usize = 5000;
/// A method that the compiler made (`CV_fldattr_t`).
const COMPILER_GENERATED: u16 = 1 << 8;

/// What a class consists of, by kind.
#[derive(Default)]
struct Members {
    bases: Vec<DiTypeId>,
    /// Members with what is added to their places, in bits.
    data: Vec<(DiTypeId, u64)>,
    /// Methods by name, in the order of the names' first appearance.
    methods: Vec<(DiString, Vec<DiSubprogramId>)>,
    nested: Vec<DiTypeId>,
    vtable: Option<DiTypeId>,
}

/// The list of a class's members.
struct Fields {
    list: FieldList,
    /// How many there are; each method of one name counts.
    count: u16,
    shape: u32,
    has_nested: bool,
    /// Static members that are constants.
    constants: Vec<DiTypeId>,
}

impl Types<'_> {
    /// What a declaration and the definition of a class say.
    fn common_properties(&self, node: &DiType, composite: &DiComposite) -> u16 {
        let mut properties = 0;
        if !string(self.info, composite.identifier).is_empty() {
            properties |= property::UNIQUE_NAME;
        }
        if let Some(DiScope::Type(around)) = node.scope
            && is_composite(&self.info.types[around.index()])
        {
            properties |= property::NESTED;
        }
        // Of an enumeration only what is right in a function.
        let scoped = match DwTag(node.tag) {
            dw::DW_TAG_enumeration_type => matches!(node.scope, Some(DiScope::Subprogram(_))),
            _ => self.is_in_function(node.scope),
        };
        properties | if scoped { property::SCOPED } else { 0 }
    }

    /// The declaration of a class or union; one without any name is defined at once.
    pub fn class_declaration(&mut self, id: DiTypeId, node: &DiType, composite: &DiComposite) -> Option<u32> {
        let is_declared = node.flags & di_flags::FORWARD_DECLARATION != 0;
        if !is_declared && is_nameless(node, composite) {
            let number = self.need(Key::Complete(id));
            return self.has_all().then_some(number);
        }
        let properties = property::FORWARD_REFERENCE | self.common_properties(node, composite);
        let name = self.qualified(node.scope, type_name(self.info, node));
        let unique = string(self.info, composite.identifier);
        let record = class_record(node, [0, properties], [simple::NONE; 2], 0).names(&name, unique);
        let number = self.table.add(record);
        if !is_declared {
            self.defer(id);
        }
        Some(number)
    }

    /// A class or union with its members.
    pub fn complete_class(&mut self, id: DiTypeId) -> Option<u32> {
        let node = &self.info.types[id.index()];
        let DiTypeKind::Composite(composite) = &node.kind else { return Some(simple::NONE) };
        if !is_nameless(node, composite) {
            // The declaration comes first.
            self.need(Key::Type(id));
        }
        let fields = self.fields(id, node, composite)?;
        let list = self.table.add_list(fields.list);
        let mut properties = self.common_properties(node, composite);
        if DwTag(node.tag) == dw::DW_TAG_union_type {
            properties |= property::SEALED;
        } else if node.flags & di_flags::NON_TRIVIAL != 0 {
            properties |= property::CONSTRUCTOR;
        }
        if fields.has_nested {
            properties |= property::CONTAINS_NESTED;
        }
        let name = self.qualified(node.scope, type_name(self.info, node));
        let unique = string(self.info, composite.identifier);
        let record = class_record(node, [fields.count, properties], [list, fields.shape], node.size_bits / 8);
        let number = self.table.add(record.names(&name, unique));
        self.source_line(node, number);
        self.list_name(id);
        self.constants.extend(fields.constants);
        Some(number)
    }

    /// Says where a class or an enumeration is declared.
    fn source_line(&mut self, node: &DiType, number: u32) {
        if let Some(file) = node.file {
            let file = self.table.string(&full_path(self.info, file));
            self.table.add(Record::new(leaf::UDT_SRC_LINE).u32(number).u32(file).u32(node.line));
        }
    }

    pub fn enumeration(&mut self, node: &DiType, composite: &DiComposite) -> Option<u32> {
        let base = self.need_type(composite.base);
        if !self.has_all() {
            return None;
        }
        let mut properties = self.common_properties(node, composite);
        let (mut list, mut count) = (simple::NONE, 0u16);
        if node.flags & di_flags::FORWARD_DECLARATION != 0 {
            properties |= property::FORWARD_REFERENCE;
        } else {
            // Numbers are written without sign, in the width of the enumeration.
            let width = composite
                .base
                .map_or(node.size_bits, |base| self.info.types[self.info.look_through(base).index()].size_bits);
            let mask = match width {
                1..=127 => (1 << width) - 1,
                128 => u128::MAX,
                _ => u64::MAX.into(),
            };
            let mut fields = FieldList::new();
            for element in &composite.elements {
                let DiElement::Enumerator(enumerator) = element else { continue };
                fields.member(leaf::ENUMERATE, Some(string(self.info, enumerator.name)), |out| {
                    out.u16(PUBLIC);
                    out.number(Number::Unsigned(enumerator.value as u128 & mask));
                });
                count = count.wrapping_add(1);
            }
            list = self.table.add_list(fields);
        }
        let name = self.qualified(node.scope, type_name(self.info, node));
        let record = Record::new(leaf::ENUM).u16(count).u16(properties).u32(base).u32(list);
        let number = self.table.add(record.names(&name, string(self.info, composite.identifier)));
        self.source_line(node, number);
        Some(number)
    }

    /// Takes the members of a class apart by kind.
    fn members(&self, composite: &DiComposite) -> Members {
        let mut all = Members::default();
        let mut methods: HashMap<DiString, usize> = HashMap::new();
        for element in &composite.elements {
            match element {
                DiElement::Subprogram(id) => {
                    let name = self.info.subprograms[id.index()].name;
                    let at = *methods.entry(name).or_insert_with(|| {
                        all.methods.push((name, Vec::new()));
                        all.methods.len() - 1
                    });
                    all.methods[at].1.push(*id);
                }
                &DiElement::Type(id) => {
                    let node = &self.info.types[id.index()];
                    match (&node.kind, DwTag(node.tag)) {
                        (DiTypeKind::Derived(_), dw::DW_TAG_member | dw::DW_TAG_variable) => {
                            self.data_members(id, &mut all.data);
                        }
                        (DiTypeKind::Derived(_), dw::DW_TAG_inheritance) => all.bases.push(id),
                        (DiTypeKind::Derived(_), dw::DW_TAG_pointer_type) if string(self.info, node.name) == VTABLE => {
                            all.vtable = Some(id);
                        }
                        (DiTypeKind::Derived(_), dw::DW_TAG_typedef) | (DiTypeKind::Composite(_), _) => {
                            all.nested.push(id);
                        }
                        // Friends are not described, as with Microsoft's compiler.
                        _ => {}
                    }
                }
                DiElement::Enumerator(_) | DiElement::Subrange(_) => {}
            }
        }
        all
    }

    /// A member, or for one without a name, which is a class or union, the members of that.
    fn data_members(&self, id: DiTypeId, out: &mut Vec<(DiTypeId, u64)>) {
        let mut open = vec![(id, 0, 0)];
        while let Some((id, offset, depth)) = open.pop() {
            let node = &self.info.types[id.index()];
            let DiTypeKind::Derived(derived) = &node.kind else { continue };
            if !string(self.info, node.name).is_empty() || depth == MAX_UNNAMED {
                out.push((id, offset));
                continue;
            }
            let Some(inner) = derived.base.map(|base| &self.info.types[self.info.look_through(base).index()]) else {
                continue;
            };
            let DiTypeKind::Composite(inner) = &inner.kind else { continue };
            let offset = offset.wrapping_add(node.offset_bits);
            let members = inner.elements.iter().filter_map(|element| match element {
                &DiElement::Type(member) if is_member(&self.info.types[member.index()]) => Some(member),
                _ => None,
            });
            let first = open.len();
            open.extend(members.map(|member| (member, offset, depth + 1)));
            open[first..].reverse();
        }
    }

    /// The list of a class's members, unless something is missing.
    fn fields(&mut self, class: DiTypeId, node: &DiType, composite: &DiComposite) -> Option<Fields> {
        let members = self.members(composite);
        let shape = members.vtable.map_or(simple::NONE, |vtable| self.need(Key::Type(vtable)));
        let has_nested = !members.nested.is_empty();
        let mut fields = Fields { list: FieldList::new(), count: 0, shape, has_nested, constants: Vec::new() };
        for &base in &members.bases {
            self.base_class(&mut fields, node, base);
        }
        for &(member, offset) in &members.data {
            self.data_member(&mut fields, node, member, offset);
        }
        for (name, methods) in &members.methods {
            self.methods(&mut fields, (class, node), *name, methods);
        }
        for &nested in &members.nested {
            let ty = self.need(Key::Type(nested));
            let name = string(self.info, self.info.types[nested.index()].name);
            fields.add(leaf::NESTTYPE, Some(name), |out| {
                out.u16(0);
                out.u32(ty);
            });
        }
        self.has_all().then_some(fields)
    }

    fn base_class(&mut self, fields: &mut Fields, class: &DiType, id: DiTypeId) {
        let node = &self.info.types[id.index()];
        let DiTypeKind::Derived(derived) = &node.kind else { return };
        let (ty, access) = (self.need_type(derived.base), access(class, node.flags));
        if node.flags & di_flags::VIRTUAL == 0 {
            return fields.add(leaf::BCLASS, None, |out| {
                out.u16(access);
                out.u32(ty);
                out.size(node.offset_bits / 8);
            });
        }
        // LLVM marks indirect bases by a flag that means something else alone.
        let indirect = node.flags & di_flags::FORWARD_DECLARATION != 0;
        let table = self.vbase_pointer();
        fields.add(if indirect { leaf::IVBCLASS } else { leaf::VBCLASS }, None, |out| {
            out.u16(access);
            out.u32(ty);
            out.u32(table);
            out.size(derived.extra.map_or(0, |extra| extra.bits as u64));
            // The place of the base's entry, in bytes.
            out.size(node.offset_bits / 4);
        });
    }

    /// The type of the pointer to a table of virtual bases: `const int *`.
    fn vbase_pointer(&mut self) -> u32 {
        let number = self.table.add(Record::new(leaf::MODIFIER).u32(simple::INT).u16(1));
        let kind = if self.pointer_bytes == 8 { pointer::NEAR64 } else { pointer::NEAR32 };
        let attributes = kind | u32::from(self.pointer_bytes) << pointer::SIZE;
        self.table.add(Record::new(leaf::POINTER).u32(number).u32(attributes))
    }

    fn data_member(&mut self, fields: &mut Fields, class: &DiType, id: DiTypeId, offset: u64) {
        let node = &self.info.types[id.index()];
        let DiTypeKind::Derived(derived) = &node.kind else { return };
        let (name, mut ty) = (string(self.info, node.name), self.need_type(derived.base));
        let access = access(class, node.flags);
        if node.flags & di_flags::STATIC_MEMBER != 0 {
            if derived.extra.is_some() {
                fields.constants.push(id);
            }
            return fields.add(leaf::STMEMBER, Some(name), |out| {
                out.u16(access);
                out.u32(ty);
            });
        }
        if node.flags & di_flags::ARTIFICIAL != 0 && name.starts_with(b"_vptr$") {
            return fields.add(leaf::VFUNCTAB, None, |out| {
                out.u16(0);
                out.u32(ty);
            });
        }
        let mut place = node.offset_bits.wrapping_add(offset);
        if node.flags & di_flags::BIT_FIELD != 0 {
            let (first, storage) = (place, self.storage(derived).map(|storage| storage.wrapping_add(offset)));
            place = storage.unwrap_or(place);
            if self.has_all() {
                let record = Record::new(leaf::BITFIELD).u32(ty);
                ty = self.table.add(record.u8(node.size_bits as u8).u8(first.wrapping_sub(place) as u8));
            }
        }
        fields.add(leaf::MEMBER, Some(name), |out| {
            out.u16(access);
            out.u32(ty);
            out.size(place / 8);
        });
    }

    /// Where the storage of a bit-field is, in bits.
    fn storage(&self, derived: &DiDerived) -> Option<u64> {
        derived.extra.map(|extra| extra.bits as u64)
    }

    /// The methods of one name.
    fn methods(
        &mut self,
        fields: &mut Fields,
        (class, owner): (DiTypeId, &DiType),
        name: DiString,
        methods: &[DiSubprogramId],
    ) {
        let name = string(self.info, name);
        let mut all = Vec::with_capacity(methods.len());
        for &id in methods {
            let node = &self.info.subprograms[id.index()];
            let ty = self.need(Key::Method(method_key(self.info, id), class));
            let introduced = node.flags & di_flags::INTRODUCED_VIRTUAL != 0;
            let kind = method_kind(node.flags, node.subprogram_flags & di_subprogram_flags::VIRTUALITY, introduced);
            let made = if node.flags & di_flags::ARTIFICIAL != 0 { COMPILER_GENERATED } else { 0 };
            let attributes = access(owner, node.flags) | kind << 2 | made;
            let slot = node.virtual_index.wrapping_mul(self.pointer_bytes.into());
            all.push((attributes, ty, matches!(kind, 4 | 6).then_some(slot)));
        }
        if let [(attributes, ty, slot)] = all[..] {
            return fields.add(leaf::ONEMETHOD, Some(name), |out| {
                out.u16(attributes);
                out.u32(ty);
                slot.into_iter().for_each(|slot| out.u32(slot));
            });
        }
        if !self.has_all() {
            return;
        }
        // What does not fit a list gets another one.
        for part in all.chunks(MAX_METHODS) {
            let record = part.iter().fold(Record::new(leaf::METHODLIST), |record, &(attributes, ty, slot)| {
                slot.into_iter().fold(record.u16(attributes).u16(0).u32(ty), Record::u32)
            });
            let list = self.table.add(record);
            fields.count = fields.count.wrapping_add(part.len() as u16 - 1);
            fields.add(leaf::METHOD, Some(name), |out| {
                out.u16(part.len() as u16);
                out.u32(list);
            });
        }
    }
}

impl Fields {
    fn add(&mut self, kind: u16, name: Option<&[u8]>, fill: impl FnOnce(&mut Bytes)) {
        self.list.member(kind, name, fill);
        self.count = self.count.wrapping_add(1);
    }
}

const PUBLIC: u16 = 3;

/// Who may access a member.
fn access(class: &DiType, flags: u32) -> u16 {
    match flags & di_flags::ACCESSIBILITY {
        0 if DwTag(class.tag) == dw::DW_TAG_class_type => 1,
        0 => PUBLIC,
        known => [1, 2, 3][known as usize - 1],
    }
}

/// The kind of a method (`CV_methodprop_e`).
fn method_kind(flags: u32, virtuality: u32, introduced: bool) -> u16 {
    match (virtuality, introduced) {
        _ if flags & di_flags::STATIC_MEMBER != 0 => 2,
        (1, false) => 1,
        (1, true) => 4,
        (2, false) => 5,
        (2, true) => 6,
        _ => 0,
    }
}

fn class_record(node: &DiType, [count, properties]: [u16; 2], [list, shape]: [u32; 2], bytes: u64) -> Record {
    let kind = match DwTag(node.tag) {
        dw::DW_TAG_union_type => leaf::UNION,
        dw::DW_TAG_class_type => leaf::CLASS,
        _ => leaf::STRUCTURE,
    };
    let record = Record::new(kind).u16(count).u16(properties).u32(list);
    // A union has neither a list of derived classes, which is never there, nor a table.
    let record = if kind == leaf::UNION { record } else { record.u32(simple::NONE).u32(shape) };
    record.size(bytes)
}

fn is_member(node: &DiType) -> bool {
    DwTag(node.tag) == dw::DW_TAG_member
}

/// Has a class neither a name nor one for linkers?
fn is_nameless(node: &DiType, composite: &DiComposite) -> bool {
    node.name == DiString(0) && composite.identifier == DiString(0)
}
