//! Relocations: fields of the code that depend on addresses.

use std::fmt;

use super::constants::ConstantId;
use super::label::{JumpTableId, Label};
use crate::libcall::LibCall;

/// A field of the code that depends on an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reloc {
    /// Offset of the field in the code.
    pub offset: u32,
    /// How the value is computed and stored.
    pub kind: RelocKind,
    /// What the address is of.
    pub target: RelocTarget,
    /// Added to the value. For position-relative kinds it includes the distance from the field to the place that the
    /// machine counts from, as ELF's explicit addends do.
    pub addend: i64,
}

/// Whose address a relocation means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RelocTarget {
    /// A symbol of the module, by its number.
    Symbol(u32),
    /// A constant of this function.
    Constant(ConstantId),
    /// A jump table of this function.
    JumpTable(JumpTableId),
    /// A label of this function.
    Label(Label),
    /// A function of a run-time library, whether or not the module names it.
    LibCall(LibCall),
    /// The code itself, from its first byte on. In finished functions, labels whose addresses are left to the object
    /// have this target.
    Code,
    /// A place in the code of a function whose parts are in several sections, by its offset.
    Place(u32),
    /// What the registration record says of its function besides the personality routine (32-bit Windows): in C++ the
    /// code that calls the routine, else the table of scopes.
    SafeSehHandler,
    /// The tables of its handlers.
    HandlerTables,
}

/// What a relocated field holds: a referent that belongs to the target, minus an origin, written in the field's form.
/// All machines share the meanings of the first two; the form is the machine's own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RelocKind {
    /// What the value is.
    pub of: Referent,
    /// What it is counted from.
    pub from: Origin,
    /// How it is written.
    pub field: Field,
}

/// What a relocation refers to; "the address" is the target's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Referent {
    /// The target's address.
    Address,
    /// The address of the function, or of a stub that jumps to it.
    Stub,
    /// The entry of the global offset table that holds the address.
    GotEntry,
    /// The global offset table itself.
    Got,
    /// The two words of the global offset table that name a thread-local's module and its place there (general-dynamic TLS).
    TlsIndex,
    /// The two words of the global offset table that name the module alone (local-dynamic TLS).
    TlsModule,
    /// The entry of the global offset table that holds the distance from the thread pointer (initial-exec TLS).
    TlsEntry,
    /// The place in the module's own block of thread-local data.
    TlsModuleOffset,
    /// The distance from the thread pointer (local-exec TLS).
    TlsOffset,
}

/// Where a relocation counts from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// From zero: the value is absolute.
    Zero,
    /// From the field.
    Field,
    /// From the page that the field is in; of the target, its page counts. The value depends on where the program lies.
    Page,
    /// From the global offset table.
    Got,
    /// From the start of the image.
    Image,
    /// From the start of the target's section.
    Section,
}

/// The form of a field: a number that only the machine understands, except for those of data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field(pub u8);

impl Field {
    /// Four bytes of data.
    pub const WORD4: Field = Field(0);
    /// Eight bytes of data.
    pub const WORD8: Field = Field(1);
    /// Two bytes of data.
    pub const WORD2: Field = Field(2);
    /// Numbers from here on belong to the machine.
    pub const FIRST_OWN: u8 = 3;
}

impl RelocKind {
    /// The number of the target's section (COFF). Linkers fill it in; the addend does not count.
    pub const SECTION_NUMBER: RelocKind =
        RelocKind { of: Referent::Address, from: Origin::Section, field: Field::WORD2 };

    /// An address in data, of `size` bytes: 4 or 8.
    pub const fn word(size: u8, from: Origin) -> RelocKind {
        let field = if size == 8 { Field::WORD8 } else { Field::WORD4 };
        RelocKind { of: Referent::Address, from, field }
    }

    /// Does the value only depend on where the target lies, so that a nearby symbol with another addend will do?
    pub const fn is_place(self) -> bool {
        matches!(self.of, Referent::Address | Referent::Stub)
    }

    /// Is it the distance of the target from the field, which does not change when both move?
    pub const fn is_distance(self) -> bool {
        self.is_place() && matches!(self.from, Origin::Field)
    }
}

/// As messages tell of it.
impl fmt::Display for RelocKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.of {
            Referent::Address => "an address",
            Referent::Stub => "the address of a stub",
            Referent::GotEntry => "an entry of the global offset table",
            Referent::Got => "the global offset table",
            Referent::TlsIndex => "the index of a thread-local variable",
            Referent::TlsModule => "the module of thread-local variables",
            Referent::TlsEntry => "the entry of a thread-local variable",
            Referent::TlsModuleOffset => "a place in the module's thread-local data",
            Referent::TlsOffset => "a distance from the thread pointer",
        })?;
        f.write_str(match self.field {
            Field::WORD4 => " in four bytes",
            Field::WORD8 => " in eight bytes",
            Field::WORD2 => " in two bytes",
            _ => " in an instruction",
        })?;
        f.write_str(match self.from {
            Origin::Zero => "",
            Origin::Field => ", counted from there",
            Origin::Page => ", counted in pages from there",
            Origin::Got => ", counted from the global offset table",
            Origin::Image => ", counted from the start of the image",
            Origin::Section => ", counted from the start of its section",
        })
    }
}
