//! Structures that are shared with IREE's runtime, with the offsets that a target's C gives them.

use gusset_abi::{AbiError, AbiTarget, CType, DataLayout};

/// Declares structures: their C types, and their offsets on a target. A field has a function of the target for its type.
/// `struct S;` before them declares a structure of all of them, in fields with the names after `as`.
macro_rules! structure {
    ($(#[$doc:meta])* struct $all:ident; $($(#[$own_doc:meta])* $name:ident as $field:ident $body:tt)+) => {
        $crate::structure::structure! { $($(#[$own_doc])* $name $body)+ }

        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs)] // The structures say what they are.
        pub struct $all {
            $(pub $field: $name,)+
        }

        impl $all {
            /// The structures on a target.
            ///
            /// # Errors
            /// The target has no such layouts.
            pub fn new(target: &gusset_abi::AbiTarget) -> Result<$all, gusset_abi::AbiError> {
                Ok($all { $($field: $name::new(target)?),+ })
            }
        }
    };
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:expr,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name {
            /// Its size in bytes.
            pub size: u32,
            $($(#[$field_doc])* pub $field: i32,)+
        }

        impl $name {
            /// Its C type.
            pub fn c_type(target: &gusset_abi::AbiTarget) -> gusset_abi::CType {
                gusset_abi::CType::structure([$($ty(target)),+])
            }

            /// Its fields with their offsets in bytes, in order.
            pub fn fields(&self) -> Vec<(&'static str, i32)> {
                vec![$((stringify!($field), self.$field)),+]
            }

            /// Its offsets on a target.
            ///
            /// # Errors
            /// The target has no such layout.
            pub fn new(target: &gusset_abi::AbiTarget) -> Result<$name, gusset_abi::AbiError> {
                let (offsets, size) = $crate::structure::offsets(&Self::c_type(target), target)?;
                let mut offsets = offsets.into_iter();
                // One offset for each field of the type above.
                $(let $field = offsets.next().unwrap_or_default();)+
                Ok($name { size, $($field),+ })
            }
        }
    )+};
}
pub(crate) use structure;

/// Offsets of a structure's members and its size, in bytes.
pub(crate) fn offsets(ty: &CType, target: &AbiTarget) -> Result<(Vec<i32>, u32), AbiError> {
    let layout = DataLayout::new(target);
    let CType::Record(record) = ty else { return Ok((Vec::new(), layout.layout(ty)?.size as u32)) };
    let placed = layout.record(record)?;
    Ok((placed.bit_offsets.iter().map(|&bits| (bits / 8) as i32).collect(), placed.size as u32))
}

// The C types of fields on a target.

pub(crate) fn ptr(_: &AbiTarget) -> CType {
    CType::PTR
}

/// A count or a word, as wide as a pointer.
pub(crate) fn word(target: &AbiTarget) -> CType {
    CType::int(8 * target.pointer_bytes() as u16, false)
}

pub(crate) fn u8(_: &AbiTarget) -> CType {
    CType::U8
}

pub(crate) fn u16(_: &AbiTarget) -> CType {
    CType::U16
}

pub(crate) fn u32(_: &AbiTarget) -> CType {
    CType::U32
}

pub(crate) fn u64(_: &AbiTarget) -> CType {
    CType::U64
}
