//! Relocations of AArch64 (ELF for the Arm 64-bit Architecture, section "Relocation types"; Microsoft, "PE Format", "Type Indicators").

use gusset_codegen::buffer::{Field, Origin, Referent, RelocKind};

const fn own(n: u8) -> Field {
    Field(Field::FIRST_OWN + n)
}

/// The 26 bits of `bl`.
const CALL26: Field = own(0);
/// The same of `b`.
const JUMP26: Field = own(1);
/// The 21 bits of `adrp`, which counts in pages.
pub const PAGE21: Field = own(2);
/// The 21 bits of `adr`.
const NEAR21: Field = own(3);
/// The 19 bits of a load of a literal.
const LITERAL19: Field = own(4);
/// The low 12 bits of an address in an addition.
pub const LOW12: Field = own(5);
/// The same in a load or store of 1 to 16 bytes: this plus the logarithm of the size.
const LOW12_ACCESS: u8 = Field::FIRST_OWN + 6;
/// Bits 12 to 23 in an addition.
const HIGH12: Field = own(11);
/// What marks the call of a thread-local descriptor's function: no field at all.
const MARK: Field = own(12);
/// Twelve bits in an addition, which are all that the value has.
const ALL12: Field = own(13);
/// Bits 16 to 31 and 0 to 15 in moves.
const MOVE_HIGH: Field = own(14);
const MOVE_LOW: Field = own(15);

const fn kind(of: Referent, from: Origin, field: Field) -> RelocKind {
    RelocKind { of, from, field }
}

/// The function or its stub, in a call.
pub const CALL: RelocKind = kind(Referent::Stub, Origin::Field, CALL26);
/// The same in a jump.
pub const JUMP: RelocKind = kind(Referent::Stub, Origin::Field, JUMP26);
/// The address's page.
pub const PAGE: RelocKind = kind(Referent::Address, Origin::Page, PAGE21);
/// The rest of the address, to be added.
pub const LOW: RelocKind = kind(Referent::Address, Origin::Zero, LOW12);
/// An address near the code.
pub const NEAR: RelocKind = kind(Referent::Address, Origin::Field, NEAR21);
/// A literal near the code.
pub const LITERAL: RelocKind = kind(Referent::Address, Origin::Field, LITERAL19);
/// The page of the entry of the global offset table.
pub const GOT_PAGE: RelocKind = kind(Referent::GotEntry, Origin::Page, PAGE21);
/// The rest of its address.
pub const GOT_LOW: RelocKind = low(Referent::GotEntry, 3);
/// That entry, near the code.
pub const GOT_LITERAL: RelocKind = kind(Referent::GotEntry, Origin::Field, LITERAL19);
/// The page of a thread-local variable's descriptor.
pub const DESCRIPTOR_PAGE: RelocKind = kind(Referent::TlsIndex, Origin::Page, PAGE21);
/// The rest of its address in the load of its function.
pub const DESCRIPTOR_LOAD: RelocKind = low(Referent::TlsIndex, 3);
/// The same to be added.
pub const DESCRIPTOR_LOW: RelocKind = kind(Referent::TlsIndex, Origin::Zero, LOW12);
/// The call of its function.
pub const DESCRIPTOR_CALL: RelocKind = kind(Referent::TlsIndex, Origin::Zero, MARK);
/// The page of the entry that holds the distance from the thread pointer.
pub const ENTRY_PAGE: RelocKind = kind(Referent::TlsEntry, Origin::Page, PAGE21);
/// The rest of its address.
pub const ENTRY_LOW: RelocKind = low(Referent::TlsEntry, 3);
/// That entry, near the code.
pub const ENTRY_LITERAL: RelocKind = kind(Referent::TlsEntry, Origin::Field, LITERAL19);
/// The upper half of the distance from the thread pointer.
pub const OFFSET_HIGH: RelocKind = kind(Referent::TlsOffset, Origin::Zero, HIGH12);
/// The lower one.
pub const OFFSET_LOW: RelocKind = kind(Referent::TlsOffset, Origin::Zero, LOW12);
/// The whole of a distance of twelve bits.
pub const OFFSET_ALL: RelocKind = kind(Referent::TlsOffset, Origin::Zero, ALL12);
/// Sixteen bits of the distance, the upper ones first.
pub const OFFSET_MOVES: [RelocKind; 2] =
    [kind(Referent::TlsOffset, Origin::Zero, MOVE_HIGH), kind(Referent::TlsOffset, Origin::Zero, MOVE_LOW)];

/// The upper half of the offset in the section.
pub const SECTION_HIGH: RelocKind = kind(Referent::Address, Origin::Section, HIGH12);
/// The lower one.
pub const SECTION_LOW: RelocKind = kind(Referent::Address, Origin::Section, LOW12);

const fn low(of: Referent, size: u8) -> RelocKind {
    kind(of, Origin::Zero, Field(LOW12_ACCESS + size))
}

/// The rest of an address in a load or store, by the logarithm of its size.
pub const fn low_access(size: u8) -> RelocKind {
    low(Referent::Address, size)
}

/// A relocation: the operator in front of the symbol in text, and its numbers in ELF and COFF; 0 where there is none.
type Row = (RelocKind, &'static str, [u16; 2]);

/// All of them, the commonest first.
const ROWS: &[Row] = &[
    (CALL, "", [283, 3]),
    (PAGE, "", [275, 4]),
    (LOW, ":lo12:", [277, 6]),
    (low_access(3), ":lo12:", [286, 7]),
    (low_access(2), ":lo12:", [285, 7]),
    (low_access(0), ":lo12:", [278, 7]),
    (low_access(1), ":lo12:", [284, 7]),
    (low_access(4), ":lo12:", [299, 7]),
    (GOT_PAGE, ":got:", [311, 0]),
    (GOT_LOW, ":got_lo12:", [312, 0]),
    (JUMP, "", [282, 3]),
    (RelocKind::word(8, Origin::Zero), "", [257, 14]),
    (RelocKind::word(4, Origin::Zero), "", [258, 1]),
    (RelocKind::word(8, Origin::Field), "", [260, 0]),
    (RelocKind::word(4, Origin::Field), "", [261, 17]),
    (kind(Referent::Stub, Origin::Field, Field::WORD4), "", [314, 17]),
    (NEAR, "", [274, 5]),
    (LITERAL, "", [273, 0]),
    (DESCRIPTOR_PAGE, ":tlsdesc:", [562, 0]),
    (DESCRIPTOR_LOAD, ":tlsdesc_lo12:", [563, 0]),
    (DESCRIPTOR_LOW, ":tlsdesc_lo12:", [564, 0]),
    (DESCRIPTOR_CALL, "", [569, 0]),
    (ENTRY_PAGE, ":gottprel:", [541, 0]),
    (ENTRY_LOW, ":gottprel_lo12:", [542, 0]),
    (OFFSET_HIGH, ":tprel_hi12:", [549, 0]),
    (OFFSET_LOW, ":tprel_lo12_nc:", [551, 0]),
    (OFFSET_ALL, ":tprel_lo12:", [550, 0]),
    (OFFSET_MOVES[0], ":tprel_g1:", [545, 0]),
    (OFFSET_MOVES[1], ":tprel_g0_nc:", [548, 0]),
    (GOT_LITERAL, ":got:", [309, 0]),
    (ENTRY_LITERAL, ":gottprel:", [543, 0]),
    (RelocKind::word(4, Origin::Image), "", [0, 2]),
    (RelocKind::word(4, Origin::Section), "", [0, 8]),
    (SECTION_HIGH, ":secrel_hi12:", [0, 10]),
    (SECTION_LOW, ":secrel_lo12:", [0, 9]),
];

fn row(kind: RelocKind) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.0 == kind)
}

fn number(kind: RelocKind, column: usize) -> Option<u16> {
    row(kind).map(|row| row.2[column]).filter(|&n| n != 0)
}

pub(super) fn elf(kind: RelocKind) -> Option<u32> {
    number(kind, 0).map(u32::from)
}

/// Distances in data count from the end of the field.
pub(super) fn coff(kind: RelocKind) -> Option<(u16, i64)> {
    let word = kind.from == Origin::Field && kind.field == Field::WORD4;
    Some((number(kind, 1)?, if word { 4 } else { 0 }))
}

/// How much linkers of COFF find in a field and add.
pub(super) fn coff_reach(kind: RelocKind) -> i64 {
    match kind.field {
        CALL26 | JUMP26 => 0,
        PAGE21 | NEAR21 => (1 << 20) - 1,
        _ => i64::MAX,
    }
}

/// What stands in front of the symbol in text.
#[cfg(feature = "asm")]
pub(super) fn operator(kind: RelocKind) -> &'static str {
    row(kind).map_or("", |row| row.1)
}

/// Writes a value into the field that `bytes` begins with; `false` if it does not fit. Fields of parts of an address take what linkers
/// of COFF then add to it.
pub fn patch(kind: RelocKind, bytes: &mut [u8], value: i64) -> bool {
    let Some(first) = bytes.first_chunk_mut() else { return false };
    let word = u32::from_le_bytes(*first);
    let (fits, word) = match kind.field {
        Field::WORD8 => {
            bytes[..8].copy_from_slice(&value.to_le_bytes());
            return true;
        }
        Field::WORD4 => (i32::try_from(value).is_ok() || u32::try_from(value).is_ok(), value as u32),
        NEAR21 | PAGE21 => ((-1 << 20..1 << 20).contains(&value), word | near_field(value)),
        LITERAL19 => {
            ((-1 << 20..1 << 20).contains(&value) && value & 3 == 0, word | (value as u32 >> 2 & 0x7_ffff) << 5)
        }
        CALL26 | JUMP26 => {
            ((-1 << 27..1 << 27).contains(&value) && value & 3 == 0, word | value as u32 >> 2 & 0x3ff_ffff)
        }
        LOW12 => (true, word | (value as u32 & 0xfff) << 10),
        HIGH12 => (true, word | (value as u32 >> 12 & 0xfff) << 10),
        Field(n) if (LOW12_ACCESS..LOW12_ACCESS + 5).contains(&n) => {
            let (size, part) = (n - LOW12_ACCESS, value as u32 & 0xfff);
            (part & ((1 << size) - 1) == 0, word | part >> size << 10)
        }
        _ => (false, word),
    };
    if fits {
        *first = word.to_le_bytes();
    }
    fits
}

/// The field of `adr`.
pub(super) fn near_field(value: i64) -> u32 {
    (value as u32 & 3) << 29 | (value as u32 >> 2 & 0x7_ffff) << 5
}
