//! Types. An entry is made when something refers to the type, and filled later from a list, so that no depth of types costs stack.

use gimli::DwTag;
use gimli::constants as dw;

use super::entries::Value;
use super::units::{Builder, Entry, IndexedName};
use crate::debug::{
    DiBound, DiComposite, DiConstant, DiDerived, DiElement, DiEnumerator, DiExpression, DiStringType, DiSubrange,
    DiType, DiTypeId, DiTypeKind, di_flags, sign_extended,
};

impl<'a> Builder<'a> {
    /// The entry of a type.
    pub fn type_entry(&mut self, unit: u32, id: DiTypeId) -> Entry {
        if let Some(known) = self.types.get(id.index()) {
            return known;
        }
        let around = self.context(unit, self.info.types[id.index()].scope);
        match self.types.get(id.index()) {
            Some(known) => known,
            None => self.new_type(around, id),
        }
    }

    /// Makes the entry of a type in `around`, to be filled later.
    pub fn new_type(&mut self, around: Entry, id: DiTypeId) -> Entry {
        let node = &self.info.types[id.index()];
        let tag = if node.tag == 0 { dw::DW_TAG_unspecified_type } else { DwTag(node.tag) };
        let entry = self.add(around, tag);
        self.types.set(id.index(), entry);
        self.pending.push(id);
        entry
    }

    /// Fills the entries of types and functions that are still empty.
    pub fn fill_entries(&mut self) {
        loop {
            if let Some(id) = self.pending.pop() {
                let node = &self.info.types[id.index()];
                if let Some(entry) = self.types.get(id.index()) {
                    self.fill(entry, node);
                }
            } else if let Some(function) = self.unfilled.pop() {
                self.fill_subprogram(function);
            } else {
                return;
            }
        }
    }

    fn fill(&mut self, entry: Entry, node: &'a DiType) {
        match &node.kind {
            DiTypeKind::Basic { encoding } => {
                self.string(entry, dw::DW_AT_name, node.name);
                if DwTag(node.tag) != dw::DW_TAG_unspecified_type {
                    self.number(entry, dw::DW_AT_encoding, (*encoding).into());
                    self.number(entry, dw::DW_AT_byte_size, node.size_bits / 8);
                    self.endianity(entry, node.flags);
                }
            }
            DiTypeKind::Derived(derived) => self.derived(entry, node, derived),
            DiTypeKind::Composite(composite) => self.composite(entry, node, composite),
            DiTypeKind::Subroutine(function) => {
                self.string(entry, dw::DW_AT_name, node.name);
                self.ty(entry, function.types.first().copied().flatten());
                self.signature_parameters(entry, &function.types);
                let prototyped = !matches!(function.types[..], [_, None]);
                self.flag(entry, dw::DW_AT_prototyped, prototyped && self.is_c(entry.unit));
                self.convention(entry, function.convention);
                self.flag(entry, dw::DW_AT_reference, node.flags & di_flags::LVALUE_REFERENCE != 0);
                self.flag(entry, dw::DW_AT_rvalue_reference, node.flags & di_flags::RVALUE_REFERENCE != 0);
            }
            DiTypeKind::String(string) => self.string_type(entry, node, string),
            DiTypeKind::Subrange(range) => {
                self.string(entry, dw::DW_AT_name, node.name);
                self.ty(entry, range.base);
                self.number(entry, dw::DW_AT_byte_size, node.size_bits / 8);
                self.bound(entry, dw::DW_AT_lower_bound, range.lower.as_ref());
                self.bound(entry, dw::DW_AT_upper_bound, range.upper.as_ref());
                self.bound(entry, dw::DW_AT_byte_stride, range.stride.as_ref());
                self.bound(entry, dw::DW_AT_GNU_bias, range.bias.as_ref());
            }
        }
        if node.flags & di_flags::FORWARD_DECLARATION == 0 && !is_part(node.tag) {
            self.index(entry, node.name, DwTag(node.tag));
        }
    }

    fn endianity(&mut self, entry: Entry, flags: u32) {
        if flags & di_flags::BIG_ENDIAN != 0 {
            self.number(entry, dw::DW_AT_endianity, dw::DW_END_big.0.into());
        } else if flags & di_flags::LITTLE_ENDIAN != 0 {
            self.number(entry, dw::DW_AT_endianity, dw::DW_END_little.0.into());
        }
    }

    fn derived(&mut self, entry: Entry, node: &DiType, derived: &DiDerived) {
        let tag = DwTag(node.tag);
        if is_part(node.tag) {
            return self.member(entry, node, derived);
        }
        self.ty(entry, derived.base);
        self.string(entry, dw::DW_AT_name, node.name);
        if tag == dw::DW_TAG_typedef && self.facts.version >= 5 {
            self.alignment(entry, node.align_bits);
        }
        let pointer = matches!(
            tag,
            dw::DW_TAG_pointer_type
                | dw::DW_TAG_ptr_to_member_type
                | dw::DW_TAG_reference_type
                | dw::DW_TAG_rvalue_reference_type
        );
        if node.size_bits >= 8 && !pointer {
            self.number(entry, dw::DW_AT_byte_size, node.size_bits / 8);
        }
        if tag == dw::DW_TAG_ptr_to_member_type {
            self.type_as(entry, dw::DW_AT_containing_type, derived.class);
        }
        self.access(entry, node.flags);
        if node.flags & di_flags::FORWARD_DECLARATION == 0 {
            self.position(entry, node.file, node.line);
        }
        if let Some(space) = derived.address_space {
            self.number(entry, dw::DW_AT_address_class, space.into());
        }
    }

    fn alignment(&mut self, entry: Entry, bits: u32) {
        if bits >= 8 {
            self.number(entry, dw::DW_AT_alignment, (bits / 8).into());
        }
    }

    /// A member of a class: a field, a base, a static member.
    fn member(&mut self, entry: Entry, node: &DiType, derived: &DiDerived) {
        self.string(entry, dw::DW_AT_name, node.name);
        self.ty(entry, derived.base);
        self.position(entry, node.file, node.line);
        if node.flags & di_flags::STATIC_MEMBER != 0 {
            self.flag(entry, dw::DW_AT_external, true);
            self.flag(entry, dw::DW_AT_declaration, true);
            self.access(entry, node.flags);
            if let Some(value) = &derived.extra {
                let value = self.constant(entry.unit, derived.base, value);
                self.set(entry, dw::DW_AT_const_value, value);
            }
            return self.alignment(entry, if self.facts.version >= 5 { node.align_bits } else { 0 });
        }
        let virtual_base = node.flags & di_flags::VIRTUAL != 0;
        if virtual_base && DwTag(node.tag) == dw::DW_TAG_inheritance {
            // The offset of a virtual base is in the table of virtual functions, before its start.
            let place = self.known_expression(entry.unit, |place| {
                place.op(dw::DW_OP_dup);
                place.op(dw::DW_OP_deref);
                place.op_constu(node.offset_bits);
                place.op(dw::DW_OP_minus);
                place.op(dw::DW_OP_deref);
                place.op(dw::DW_OP_plus);
            });
            self.set(entry, dw::DW_AT_data_member_location, place);
        } else if node.flags & di_flags::BIT_FIELD != 0 {
            self.number(entry, dw::DW_AT_bit_size, node.size_bits);
            self.number(entry, dw::DW_AT_data_bit_offset, node.offset_bits);
        } else {
            self.alignment(entry, if self.facts.version >= 5 { node.align_bits } else { 0 });
            self.number(entry, dw::DW_AT_data_member_location, node.offset_bits / 8);
        }
        self.access(entry, node.flags);
        if virtual_base {
            self.number(entry, dw::DW_AT_virtuality, dw::DW_VIRTUALITY_virtual.0.into());
        }
        self.flag(entry, dw::DW_AT_artificial, node.flags & di_flags::ARTIFICIAL != 0);
    }

    fn composite(&mut self, entry: Entry, node: &'a DiType, composite: &'a DiComposite) {
        let tag = DwTag(node.tag);
        match tag {
            dw::DW_TAG_array_type => self.array(entry, node, composite),
            dw::DW_TAG_enumeration_type => self.enumeration(entry, node, composite),
            _ => self.class(entry, node, composite),
        }
        self.string(entry, dw::DW_AT_name, node.name);
        if !matches!(
            tag,
            dw::DW_TAG_enumeration_type | dw::DW_TAG_class_type | dw::DW_TAG_structure_type | dw::DW_TAG_union_type
        ) {
            return;
        }
        let forward = node.flags & di_flags::FORWARD_DECLARATION != 0;
        if !forward || tag == dw::DW_TAG_enumeration_type && node.size_bits >= 8 {
            self.number(entry, dw::DW_AT_byte_size, node.size_bits / 8);
        }
        self.flag(entry, dw::DW_AT_declaration, forward);
        self.access(entry, node.flags);
        if !forward {
            self.position(entry, node.file, node.line);
        }
        if composite.runtime_language != 0 {
            self.number(entry, dw::DW_AT_APPLE_runtime_class, composite.runtime_language.into());
        }
        self.alignment(entry, if self.facts.version >= 5 { node.align_bits } else { 0 });
        self.type_as(entry, dw::DW_AT_specification, composite.specification);
    }

    fn class(&mut self, entry: Entry, node: &'a DiType, composite: &'a DiComposite) {
        if let Some(discriminator) = composite.discriminator {
            let member = self.element_entry(entry, discriminator);
            self.refer(entry, dw::DW_AT_discr, member);
        }
        self.template_parameters(entry, &composite.template_parameters);
        for element in &composite.elements {
            match element {
                DiElement::Subprogram(function) => {
                    if self.subprograms.get(function.index()).is_none() {
                        self.new_subprogram(entry, *function);
                    }
                }
                DiElement::Type(element) => self.element(entry, node, composite, *element),
                DiElement::Enumerator(_) | DiElement::Subrange(_) => {}
            }
        }
        self.flag(
            entry,
            dw::DW_AT_export_symbols,
            node.flags & di_flags::EXPORT_SYMBOLS != 0 && self.facts.version >= 5,
        );
        self.type_as(entry, dw::DW_AT_containing_type, composite.vtable_holder);
        let convention = match () {
            () if node.flags & di_flags::TYPE_PASS_BY_VALUE != 0 => dw::DW_CC_pass_by_value,
            () if node.flags & di_flags::TYPE_PASS_BY_REFERENCE != 0 => dw::DW_CC_pass_by_reference,
            () => return,
        };
        self.number(entry, dw::DW_AT_calling_convention, convention.0.into());
    }

    /// A member of a class, or a variant of a variant part.
    fn element(&mut self, class: Entry, node: &DiType, composite: &DiComposite, id: DiTypeId) {
        let element = &self.info.types[id.index()];
        match (&element.kind, DwTag(element.tag)) {
            (DiTypeKind::Derived(derived), dw::DW_TAG_friend) => {
                let friend = self.add(class, dw::DW_TAG_friend);
                self.type_as(friend, dw::DW_AT_friend, derived.base);
            }
            (DiTypeKind::Derived(derived), _) if DwTag(node.tag) == dw::DW_TAG_variant_part => {
                if self.types.get(id.index()).is_some() {
                    return;
                }
                let variant = self.add(class, dw::DW_TAG_variant);
                if let Some(value) = &derived.extra {
                    let discriminator = composite.discriminator.and_then(|member| self.base_of(member));
                    let value = self.constant(variant.unit, discriminator, value);
                    self.set(variant, dw::DW_AT_discr_value, value);
                }
                self.new_type(variant, id);
            }
            (DiTypeKind::Derived(_), _) if is_part(element.tag) => {
                self.element_entry(class, id);
            }
            (_, dw::DW_TAG_variant_part) => {
                self.element_entry(class, id);
            }
            // Types inside of the class are described if something refers to them.
            _ if matches!(element.kind, DiTypeKind::Derived(_)) => {
                self.type_entry(class.unit, id);
            }
            _ => {}
        }
    }

    /// The entry of a part of a class.
    fn element_entry(&mut self, class: Entry, id: DiTypeId) -> Entry {
        self.types.get(id.index()).unwrap_or_else(|| self.new_type(class, id))
    }

    fn base_of(&self, id: DiTypeId) -> Option<DiTypeId> {
        match &self.info.types[id.index()].kind {
            DiTypeKind::Derived(derived) => derived.base,
            _ => None,
        }
    }

    fn enumeration(&mut self, entry: Entry, node: &DiType, composite: &DiComposite) {
        self.ty(entry, composite.base);
        self.flag(entry, dw::DW_AT_enum_class, composite.base.is_some() && node.flags & di_flags::ENUM_CLASS != 0);
        let unsigned = composite.base.is_some_and(|base| self.info.is_unsigned(base));
        for element in &composite.elements {
            let DiElement::Enumerator(DiEnumerator { name, value, .. }) = element else { continue };
            let inner = self.add(entry, dw::DW_TAG_enumerator);
            self.string(inner, dw::DW_AT_name, *name);
            let value = match (unsigned, u64::try_from(*value), i64::try_from(*value)) {
                (true, Ok(value), _) => Value::Unsigned(value),
                (_, _, Ok(value)) => Value::Signed(value),
                _ => self.block(inner.unit, &self.facts.endian.number(*value as u128, 16)),
            };
            self.set(inner, dw::DW_AT_const_value, value);
        }
    }

    fn array(&mut self, entry: Entry, node: &DiType, composite: &DiComposite) {
        if node.flags & di_flags::VECTOR != 0 {
            self.flag(entry, dw::DW_AT_GNU_vector, true);
            if self.is_padded(node, composite) {
                self.number(entry, dw::DW_AT_byte_size, node.size_bits / 8);
            }
        }
        self.bound(entry, dw::DW_AT_data_location, composite.data_location.as_ref());
        self.bound(entry, dw::DW_AT_associated, composite.associated.as_ref());
        self.bound(entry, dw::DW_AT_allocated, composite.allocated.as_ref());
        self.bound(entry, dw::DW_AT_rank, composite.rank.as_ref());
        self.ty(entry, composite.base);
        for element in &composite.elements {
            match element {
                DiElement::Subrange(subrange) => self.subrange(entry, subrange),
                DiElement::Type(ty) => {
                    // A dimension with a type of its own.
                    self.type_entry(entry.unit, *ty);
                }
                _ => {}
            }
        }
    }

    /// Is a vector larger than its elements?
    fn is_padded(&self, node: &DiType, composite: &DiComposite) -> bool {
        let count = composite.elements.iter().find_map(|element| match element {
            DiElement::Subrange(subrange) => match subrange.count {
                Some(DiBound::Constant(count)) => u64::try_from(count).ok(),
                _ => None,
            },
            _ => None,
        });
        let element = composite.base.map_or(0, |base| self.info.types[self.info.look_through(base).index()].size_bits);
        count.is_some_and(|count| count.saturating_mul(element) != node.size_bits)
    }

    fn subrange(&mut self, array: Entry, subrange: &DiSubrange) {
        let tag = if subrange.generic { dw::DW_TAG_generic_subrange } else { dw::DW_TAG_subrange_type };
        let entry = self.add(array, tag);
        let index_type = self.index_type(array.unit);
        self.refer(entry, dw::DW_AT_type, index_type);
        let default = self.default_lower_bound(array.unit);
        if subrange.lower != default.map(DiBound::Constant) {
            self.bound(entry, dw::DW_AT_lower_bound, subrange.lower.as_ref());
        }
        match subrange.count {
            Some(DiBound::Constant(-1)) => {}
            Some(DiBound::Constant(count)) => self.number(entry, dw::DW_AT_count, count as u64),
            ref count => self.bound(entry, dw::DW_AT_count, count.as_ref()),
        }
        self.bound(entry, dw::DW_AT_upper_bound, subrange.upper.as_ref());
        self.bound(entry, dw::DW_AT_byte_stride, subrange.stride.as_ref());
    }

    fn bound(&mut self, entry: Entry, name: gimli::DwAt, bound: Option<&DiBound>) {
        let variable = match bound {
            None => return,
            Some(DiBound::Constant(value)) => return self.set(entry, name, Value::Signed(*value)),
            Some(DiBound::Expression(expression)) => {
                return self.bound_expression_attribute(entry, name, expression);
            }
            Some(DiBound::LocalVariable(variable)) => self.variable(*variable),
            Some(DiBound::GlobalVariable(variable)) => Some(self.global_entry(entry.unit, *variable)),
            Some(DiBound::Member(member)) => self.types.get(member.index()),
        };
        if let Some(variable) = variable {
            self.refer(entry, name, variable);
        }
    }

    fn bound_expression_attribute(&mut self, entry: Entry, name: gimli::DwAt, expression: &DiExpression) {
        if let Some(place) = self.expression(entry.unit, |all, out| all.bound_expression(out, expression)) {
            self.set(entry, name, place);
        }
    }

    /// The type of array indices, which no node describes.
    fn index_type(&mut self, unit: u32) -> Entry {
        if let Some(known) = self.units[unit as usize].index_type {
            return known;
        }
        let root = self.units[unit as usize].root;
        let entry = self.add(root, dw::DW_TAG_base_type);
        let name = self.strings.index_type();
        self.set(entry, dw::DW_AT_name, Value::String(name));
        self.number(entry, dw::DW_AT_byte_size, 8);
        self.number(entry, dw::DW_AT_encoding, dw::DW_ATE_unsigned.0.into());
        if self.wants_names(unit) {
            self.names.push(IndexedName { name, entry, tag: dw::DW_TAG_base_type });
        }
        self.units[unit as usize].index_type = Some(entry);
        entry
    }

    /// The first index of arrays in the language of a unit.
    fn default_lower_bound(&self, unit: u32) -> Option<i64> {
        let language = gimli::DwLang(self.info.units[self.units[unit as usize].node.index()].language);
        language.default_lower_bound().map(|bound| bound as i64)
    }

    fn string_type(&mut self, entry: Entry, node: &DiType, string: &DiStringType) {
        self.string(entry, dw::DW_AT_name, node.name);
        match &string.length {
            Some(length) => self.bound(entry, dw::DW_AT_string_length, Some(length)),
            None => self.number(entry, dw::DW_AT_byte_size, node.size_bits / 8),
        }
        if string.encoding != 0 {
            self.number(entry, dw::DW_AT_encoding, string.encoding.into());
        }
        if let Some(location) = &string.location {
            self.bound_expression_attribute(entry, dw::DW_AT_data_location, location);
        }
    }

    /// A constant as the value of an attribute in a unit.
    pub fn constant(&mut self, unit: u32, ty: Option<DiTypeId>, value: &DiConstant) -> Value {
        let bytes = usize::from(value.width.div_ceil(8)).min(16);
        if value.float || value.width > 64 {
            return self.block(unit, &self.facts.endian.number(value.bits, bytes)[..bytes]);
        }
        if ty.is_some_and(|ty| self.info.is_unsigned(ty)) {
            Value::Unsigned(value.bits as u64)
        } else {
            Value::Signed(sign_extended(value.bits as u64, value.width.into()))
        }
    }
}

/// Is a node with this tag a part of a class rather than a type?
fn is_part(tag: u16) -> bool {
    matches!(DwTag(tag), dw::DW_TAG_member | dw::DW_TAG_inheritance | dw::DW_TAG_variable)
}
