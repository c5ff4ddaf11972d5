//! Relocations as tables.

use gusset_codegen::buffer::RelocKind;

/// A relocation: the text before and after the symbol, and its numbers in ELF and COFF, 0 if there is none.
pub(crate) struct Row {
    pub(crate) kind: RelocKind,
    #[cfg_attr(not(feature = "asm"), allow(dead_code))]
    pub(crate) text: &'static [&'static str],
    pub(crate) elf: u16,
    pub(crate) coff: u16,
}

/// Declares relocations by referent, origin and field, and makes the table of them.
macro_rules! relocations {
    ($($(#[$doc:meta])* $name:ident $of:ident $from:ident [$field:expr] $elf:literal $coff:literal $($text:literal)*;)*) => {
        $($(#[$doc])* pub const $name: RelocKind = RelocKind {
            of: gusset_codegen::buffer::Referent::$of,
            from: gusset_codegen::buffer::Origin::$from,
            field: $field,
        };)*

        /// All of them, in this order.
        pub(super) static KINDS: &[RelocKind] = &[$($name),*];

        fn row(kind: RelocKind) -> Option<&'static crate::shared::arm::reloc::Row> {
            const ROWS: &[crate::shared::arm::reloc::Row] = &[$(crate::shared::arm::reloc::Row {
                kind: $name,
                text: &[$($text),*],
                elf: $elf,
                coff: $coff,
            }),*];
            ROWS.iter().find(|row| row.kind == kind)
        }
    };
}

pub(crate) use relocations;
