//! Attributes of older versions that lack types, as LLVM's reader of bitcode completes them (`BitcodeReader.cpp`,
//! `propagateAttributeTypes`). What became of attributes of functions is in `program`.

use gusset_program::{Attribute, AttributeValue, Kind, TypeId, TypeTable, VOID};

use crate::types::Types;

/// Attributes that have a type.
const TYPED: [&[u8]; 5] = [b"sret", b"byval", b"byref", b"inalloca", b"preallocated"];

/// Whether one of these has no type.
pub(super) fn lacks_type(list: &[Attribute]) -> bool {
    list.iter().any(|attribute| attribute.value == AttributeValue::Flag && TYPED.contains(&&attribute.name[..]))
}

/// Attributes that need a type and have none get the type that their pointer points to; those that a type cannot have are left out.
pub fn of_value(list: &mut Vec<Attribute>, (number, ty): (u32, TypeId), (types, table): (&Types, &TypeTable)) {
    const OF_POINTERS: [&[u8]; 18] = [
        b"align",
        b"allocptr",
        b"byref",
        b"byval",
        b"dereferenceable",
        b"dereferenceable_or_null",
        b"inalloca",
        b"nest",
        b"noalias",
        b"nocapture",
        b"nonnull",
        b"preallocated",
        b"readnone",
        b"readonly",
        b"sret",
        b"swifterror",
        b"writable",
        b"writeonly",
    ];
    for attribute in list.iter_mut() {
        if let (AttributeValue::Flag, true) = (&attribute.value, TYPED.contains(&&attribute.name[..]))
            && let Ok(pointee) = types.pointed(number.into()).and_then(|pointee| types.get(pointee.0))
        {
            attribute.value = AttributeValue::Type(pointee);
        }
    }
    let pointer = table.is_pointer_or_vector(ty);
    let integer = matches!(table.get(ty).kind, Kind::Int | Kind::Vector { .. });
    list.retain(|Attribute { name, .. }| match &name[..] {
        b"signext" | b"zeroext" | b"range" => integer,
        b"noundef" | b"nofpclass" => ty != VOID,
        name => pointer || !OF_POINTERS.contains(&name),
    });
}

/// The attribute that tells the type that a pointer of a type points to, if the file says it.
pub fn element_type(number: u32, types: &Types) -> Option<Attribute> {
    let pointee = types.pointed(number.into()).and_then(|pointee| types.function_id(pointee.0)).ok()?;
    Some(Attribute { name: b"elementtype".to_vec(), value: AttributeValue::Type(pointee) })
}
