//! Relocations of x86 (psABIs for AMD64, table 4.9, and Intel386, table 4.9; ELF Handling For Thread-Local Storage; Microsoft, "PE
//! Format", "Type Indicators").

use gusset_codegen::buffer::{Field, Origin, Referent, RelocKind};

/// Four bytes in an instruction, sign-extended.
pub const SIGNED4: Field = Field(Field::FIRST_OWN);
/// The four-byte displacement of an instruction that loads from the global offset table, which linkers may rewrite.
pub const RELAXABLE: Field = Field(Field::FIRST_OWN + 1);
/// The same in an instruction with a REX prefix.
pub const RELAXABLE_REX: Field = Field(Field::FIRST_OWN + 2);
/// The same in an instruction that linkers must not change.
pub const FIXED: Field = Field(Field::FIRST_OWN + 3);

const fn kind(of: Referent, from: Origin, field: Field) -> RelocKind {
    RelocKind { of, from, field }
}

/// The address in eight bytes.
pub const ABS64: RelocKind = RelocKind::word(8, Origin::Zero);
/// The address in four bytes, zero-extended.
pub const ABS32: RelocKind = RelocKind::word(4, Origin::Zero);
/// The address in four bytes, sign-extended.
pub const ABS32S: RelocKind = kind(Referent::Address, Origin::Zero, SIGNED4);
/// The address relative to the field.
pub const PC32: RelocKind = RelocKind::word(4, Origin::Field);
/// The same in eight bytes.
pub const PC64: RelocKind = RelocKind::word(8, Origin::Field);
/// The function or its stub in the procedure linkage table, relative to the field.
pub const PLT32: RelocKind = kind(Referent::Stub, Origin::Field, Field::WORD4);
/// The entry of the global offset table, relative to the field.
pub const GOTPCREL: RelocKind = kind(Referent::GotEntry, Origin::Field, Field::WORD4);
/// The same in a call that the linker may relax.
pub const GOTPCREL_CALL: RelocKind = kind(Referent::GotEntry, Origin::Field, RELAXABLE);
/// The global offset table, relative to the field: its target is
/// [`LibCall::GlobalOffsetTable`](gusset_codegen::libcall::LibCall::GlobalOffsetTable).
pub const GOTPC: RelocKind = kind(Referent::Got, Origin::Field, Field::WORD4);
/// The offset in the section.
pub const SECREL32: RelocKind = RelocKind::word(4, Origin::Section);
/// General-dynamic TLS, relative to the field.
pub const TLSGD: RelocKind = kind(Referent::TlsIndex, Origin::Field, Field::WORD4);
/// Local-dynamic TLS, relative to the field.
pub const TLSLD: RelocKind = kind(Referent::TlsModule, Origin::Field, Field::WORD4);
/// General-dynamic TLS in 32-bit mode, relative to the global offset table.
pub const TLSGD_GOT: RelocKind = kind(Referent::TlsIndex, Origin::Got, Field::WORD4);
/// Local-dynamic TLS in 32-bit mode, relative to the global offset table.
pub const TLSLDM_GOT: RelocKind = kind(Referent::TlsModule, Origin::Got, Field::WORD4);
/// The offset in the module's block of thread-local data, in four bytes.
pub const DTPOFF32: RelocKind = kind(Referent::TlsModuleOffset, Origin::Zero, SIGNED4);
/// The same in eight bytes.
pub const DTPOFF64: RelocKind = kind(Referent::TlsModuleOffset, Origin::Zero, Field::WORD8);
/// Initial-exec TLS, relative to the field.
pub const GOTTPOFF: RelocKind = kind(Referent::TlsEntry, Origin::Field, Field::WORD4);
/// Local-exec TLS in four bytes, sign-extended.
pub const TPOFF32: RelocKind = kind(Referent::TlsOffset, Origin::Zero, SIGNED4);
/// The same in eight bytes.
pub const TPOFF64: RelocKind = kind(Referent::TlsOffset, Origin::Zero, Field::WORD8);
/// Local-exec TLS in 32-bit mode.
pub const NTPOFF: RelocKind = kind(Referent::TlsOffset, Origin::Zero, Field::WORD4);

/// The replacement for a position-relative operand in 32-bit mode, which has none: an address, or a distance from the
/// global offset table (psABI i386, section 4.3.1, "Relocation Types").
pub(super) fn near_in_32_bits(kind: RelocKind, relax: bool, pic: bool) -> RelocKind {
    let from = if pic { Origin::Got } else { Origin::Zero };
    let field = if relax && kind.of == Referent::GotEntry { RELAXABLE } else { Field::WORD4 };
    RelocKind { from, field, ..kind }
}

/// A relocation: the text after the symbol, and its number in ELF for x86-64 and for i386, and in COFF for the same; 0
/// if there is none.
type Row = (RelocKind, &'static str, [u8; 4]);

/// All relocations, the most common first.
#[rustfmt::skip]
const ROWS: &[Row] = {
    use Origin::{Got, Image, Zero};
    use Referent::{Address, GotEntry, TlsEntry, TlsModuleOffset};
    &[
        (PC32, "", [2, 2, 4, 0x14]),
        (PLT32, "@PLT", [4, 4, 4, 0x14]),
        (kind(GotEntry, Origin::Field, RELAXABLE_REX), "@GOTPCREL", [42, 0, 0, 0]),
        (ABS64, "", [1, 0, 1, 0]),
        (ABS32, "", [10, 1, 2, 6]),
        (ABS32S, "", [11, 1, 2, 6]),
        (kind(Address, Got, Field::WORD4), "@GOTOFF", [0, 9, 0, 0]),
        (kind(GotEntry, Got, RELAXABLE), "@GOT", [0, 43, 0, 0]),
        (kind(GotEntry, Zero, RELAXABLE), "@GOT", [0, 43, 0, 0]),
        (kind(GotEntry, Origin::Field, RELAXABLE), "@GOTPCREL", [41, 0, 0, 0]),
        (GOTPCREL, "@GOTPCREL", [9, 0, 0, 0]),
        (kind(GotEntry, Origin::Field, FIXED), "@GOTPCREL_NORELAX", [9, 0, 0, 0]),
        (kind(GotEntry, Got, Field::WORD4), "@GOT", [0, 3, 0, 0]),
        (kind(GotEntry, Zero, Field::WORD4), "@GOT", [0, 3, 0, 0]),
        // The name of the table is enough.
        (GOTPC, "", [0, 10, 0, 0]),
        (RelocKind::word(4, Image), "@IMGREL", [0, 0, 3, 7]),
        (SECREL32, "@SECREL32", [0, 0, 0xb, 0xb]),
        (RelocKind::SECTION_NUMBER, "", [0, 0, 0xa, 0xa]),
        (PC64, "", [24, 0, 0, 0]),
        (TPOFF32, "@TPOFF", [23, 0, 0, 0]),
        (TPOFF64, "@TPOFF", [18, 0, 0, 0]),
        (NTPOFF, "@NTPOFF", [0, 17, 0, 0]),
        (GOTTPOFF, "@GOTTPOFF", [22, 0, 0, 0]),
        (kind(TlsEntry, Got, Field::WORD4), "@GOTNTPOFF", [0, 16, 0, 0]),
        (kind(TlsEntry, Zero, Field::WORD4), "@INDNTPOFF", [0, 15, 0, 0]),
        (TLSGD, "@TLSGD", [19, 0, 0, 0]),
        (TLSGD_GOT, "@TLSGD", [0, 18, 0, 0]),
        (TLSLD, "@TLSLD", [20, 0, 0, 0]),
        (TLSLDM_GOT, "@TLSLDM", [0, 19, 0, 0]),
        (DTPOFF32, "@DTPOFF", [21, 32, 0, 0]),
        (DTPOFF64, "@DTPOFF", [17, 0, 0, 0]),
        (kind(TlsModuleOffset, Zero, Field::WORD4), "@DTPOFF", [0, 32, 0, 0]),
        // Loads from the table in COFF, which has none, are loads from a cell with a symbol of its own.
        (kind(Address, Origin::Field, RELAXABLE_REX), "", [0, 0, 4, 0]),
        (kind(Address, Origin::Field, RELAXABLE), "", [0, 0, 4, 0]),
        (kind(Address, Zero, RELAXABLE), "", [0, 0, 0, 6]),
    ]
};

/// The kinds of relocations, the most common first.
pub(super) static KINDS: [RelocKind; ROWS.len()] = {
    let mut kinds = [PC32; ROWS.len()];
    let mut i = 0;
    while i < kinds.len() {
        kinds[i] = ROWS[i].0;
        i += 1;
    }
    kinds
};

fn row(kind: RelocKind) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.0 == kind)
}

fn number(kind: RelocKind, column: usize) -> Option<u8> {
    row(kind).map(|row| row.2[column]).filter(|&n| n != 0)
}

/// The number of a relocation in ELF, for x86-64 or for i386.
pub(super) fn elf(kind: RelocKind, is_64: bool) -> Option<u32> {
    number(kind, if is_64 { 0 } else { 1 }).map(u32::from)
}

/// The same in COFF, where distances count from the end of the field.
pub(super) fn coff(kind: RelocKind, is_64: bool) -> Option<(u16, i64)> {
    let number = number(kind, if is_64 { 2 } else { 3 })?;
    Some((number.into(), if kind.from == Origin::Field { 4 } else { 0 }))
}

/// The text after the symbol.
#[cfg(feature = "asm")]
pub(super) fn operator(kind: RelocKind) -> &'static str {
    row(kind).map_or("", |row| row.1)
}

/// Writes a value into the field at the start of `bytes`; `false` if it does not fit.
pub fn patch(kind: RelocKind, bytes: &mut [u8], value: i64) -> bool {
    if kind.field == Field::WORD2 {
        return true;
    }
    if kind.field == Field::WORD8 {
        bytes[..8].copy_from_slice(&value.to_le_bytes());
        return true;
    }
    let unsigned = kind.from == Origin::Zero && kind.field == Field::WORD4;
    let fits = i32::try_from(value).is_ok() || unsigned && u32::try_from(value).is_ok();
    if fits {
        bytes[..4].copy_from_slice(&(value as i32).to_le_bytes());
    }
    fits
}

/// The addend in a field.
pub fn addend(kind: RelocKind, bytes: &[u8]) -> i64 {
    match kind.field {
        Field::WORD2 => 0,
        Field::WORD8 => bytes.first_chunk().map_or(0, |b| i64::from_le_bytes(*b)),
        _ => bytes.first_chunk().map_or(0, |b| i32::from_le_bytes(*b).into()),
    }
}
