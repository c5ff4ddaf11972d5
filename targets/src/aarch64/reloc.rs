//! Relocations of AArch64 (ELF for the Arm 64-bit Architecture, section "Relocation types"; Microsoft, "PE Format", "Type Indicators").

use gusset_codegen::buffer::{Field, Origin, RelocKind};

use crate::shared::arm::reloc::relocations;

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
/// The same in loads and stores of 8 to 128 bits.
const LOW8: Field = own(6);
const LOW16: Field = own(7);
const LOW32: Field = own(8);
const LOW64: Field = own(9);
const LOW128: Field = own(10);
/// Bits 12 to 23 in an addition.
const HIGH12: Field = own(11);
/// Marks the call of a thread-local descriptor's function; there is no field.
const MARK: Field = own(12);
/// Twelve bits in an addition, which hold the whole value.
const ALL12: Field = own(13);
/// Bits 16 to 31 and 0 to 15 in moves.
const MOVE_HIGH: Field = own(14);
const MOVE_LOW: Field = own(15);
/// Sixteen bits of an address in a move: the lowest, and so on.
const MOVE_0: Field = own(16);
const MOVE_1: Field = own(17);
const MOVE_2: Field = own(18);
const MOVE_3: Field = own(19);

// The commonest first.
relocations! {
    /// The function or its stub, in a call.
    CALL Stub Field [CALL26] 283 3;
    /// The address's page.
    PAGE Address Page [PAGE21] 275 4;
    /// The rest of the address, to be added.
    LOW Address Zero [LOW12] 277 6 ":lo12:";
    /// The rest of the address in an access of 64 bits.
    LOW_ACCESS64 Address Zero [LOW64] 286 7 ":lo12:";
    /// The rest of the address in an access of 32 bits.
    LOW_ACCESS32 Address Zero [LOW32] 285 7 ":lo12:";
    /// The rest of the address in an access of 8 bits.
    LOW_ACCESS8 Address Zero [LOW8] 278 7 ":lo12:";
    /// The rest of the address in an access of 16 bits.
    LOW_ACCESS16 Address Zero [LOW16] 284 7 ":lo12:";
    /// The rest of the address in an access of 128 bits.
    LOW_ACCESS128 Address Zero [LOW128] 299 7 ":lo12:";
    /// The page of the entry of the global offset table.
    GOT_PAGE GotEntry Page [PAGE21] 311 0 ":got:";
    /// The rest of its address.
    GOT_LOW GotEntry Zero [LOW64] 312 0 ":got_lo12:";
    /// The same in a jump.
    JUMP Stub Field [JUMP26] 282 3;
    /// The address.
    ABS64 Address Zero [Field::WORD8] 257 14;
    /// The same in 32 bits.
    ABS32 Address Zero [Field::WORD4] 258 1;
    /// Its distance from the field.
    REL64 Address Field [Field::WORD8] 260 0;
    /// The same in 32 bits.
    REL32 Address Field [Field::WORD4] 261 17;
    /// That of the function or its stub.
    STUB32 Stub Field [Field::WORD4] 314 17;
    /// An address near the code.
    NEAR Address Field [NEAR21] 274 5;
    /// A literal near the code.
    LITERAL Address Field [LITERAL19] 273 0;
    /// The page of a thread-local variable's descriptor.
    DESCRIPTOR_PAGE TlsIndex Page [PAGE21] 562 0 ":tlsdesc:";
    /// The rest of its address in the load of its function.
    DESCRIPTOR_LOAD TlsIndex Zero [LOW64] 563 0 ":tlsdesc_lo12:";
    /// The same to be added.
    DESCRIPTOR_LOW TlsIndex Zero [LOW12] 564 0 ":tlsdesc_lo12:";
    /// The call of its function.
    DESCRIPTOR_CALL TlsIndex Zero [MARK] 569 0;
    /// The page of the entry that holds the distance from the thread pointer.
    ENTRY_PAGE TlsEntry Page [PAGE21] 541 0 ":gottprel:";
    /// The rest of its address.
    ENTRY_LOW TlsEntry Zero [LOW64] 542 0 ":gottprel_lo12:";
    /// The upper half of the distance from the thread pointer.
    OFFSET_HIGH TlsOffset Zero [HIGH12] 549 0 ":tprel_hi12:";
    /// The lower one.
    OFFSET_LOW TlsOffset Zero [LOW12] 551 0 ":tprel_lo12_nc:";
    /// The whole of a distance of twelve bits.
    OFFSET_ALL TlsOffset Zero [ALL12] 550 0 ":tprel_lo12:";
    /// The upper sixteen bits of the distance.
    OFFSET_MOVE_HIGH TlsOffset Zero [MOVE_HIGH] 545 0 ":tprel_g1:";
    /// The lower ones.
    OFFSET_MOVE_LOW TlsOffset Zero [MOVE_LOW] 548 0 ":tprel_g0_nc:";
    /// The upper sixteen of a distance of 48 bits.
    OFFSET_MOVE_2 TlsOffset Zero [MOVE_2] 544 0 ":tprel_g2:";
    /// The next ones.
    OFFSET_MOVE_1 TlsOffset Zero [MOVE_1] 546 0 ":tprel_g1_nc:";
    /// The lowest sixteen bits of an address.
    MOVE_ADDRESS_0 Address Zero [MOVE_0] 264 0 ":abs_g0_nc:";
    /// The next.
    MOVE_ADDRESS_1 Address Zero [MOVE_1] 266 0 ":abs_g1_nc:";
    /// The next.
    MOVE_ADDRESS_2 Address Zero [MOVE_2] 268 0 ":abs_g2_nc:";
    /// The highest.
    MOVE_ADDRESS_3 Address Zero [MOVE_3] 269 0 ":abs_g3:";
    /// That entry, near the code.
    GOT_LITERAL GotEntry Field [LITERAL19] 309 0 ":got:";
    /// That entry, near the code.
    ENTRY_LITERAL TlsEntry Field [LITERAL19] 543 0 ":gottprel:";
    /// The distance from the image's start (COFF).
    IMAGE32 Address Image [Field::WORD4] 0 2;
    /// The offset in the section (COFF).
    SECTION32 Address Section [Field::WORD4] 0 8;
    /// The section's number (COFF).
    SECTION_NUMBER Address Section [Field::WORD2] 0 13;
    /// The upper half of the offset in the section.
    SECTION_HIGH Address Section [HIGH12] 0 10 ":secrel_hi12:";
    /// The lower one.
    SECTION_LOW Address Section [LOW12] 0 9 ":secrel_lo12:";
}

/// Sixteen bits of the distance, the upper ones first.
pub const OFFSET_MOVES: [RelocKind; 2] = [OFFSET_MOVE_HIGH, OFFSET_MOVE_LOW];

/// The same of a distance of 48 bits.
pub const LONG_OFFSET_MOVES: [RelocKind; 3] = [OFFSET_MOVE_2, OFFSET_MOVE_1, OFFSET_MOVE_LOW];

/// Sixteen bits of an address, the lowest first.
pub const ADDRESS_MOVES: [RelocKind; 4] = [MOVE_ADDRESS_0, MOVE_ADDRESS_1, MOVE_ADDRESS_2, MOVE_ADDRESS_3];

/// The rest of an address in a load or store, by the logarithm of its size.
pub const fn low_access(size: u8) -> RelocKind {
    RelocKind { field: Field(LOW8.0 + size), ..LOW_ACCESS8 }
}

pub(super) fn elf(kind: RelocKind) -> Option<u32> {
    row(kind).filter(|row| row.elf != 0).map(|row| row.elf.into())
}

/// Distances in data are counted from the end of the field.
pub(super) fn coff(kind: RelocKind) -> Option<(u16, i64)> {
    let word = kind.from == Origin::Field && kind.field == Field::WORD4;
    row(kind).filter(|row| row.coff != 0).map(|row| (row.coff, if word { 4 } else { 0 }))
}

/// The largest addend that COFF linkers find in a field.
pub(super) fn coff_reach(kind: RelocKind) -> i64 {
    match kind.field {
        CALL26 | JUMP26 => 0,
        PAGE21 | NEAR21 => (1 << 20) - 1,
        _ => i64::MAX,
    }
}

/// The operator before the symbol in text.
#[cfg(feature = "asm")]
pub(super) fn operator(kind: RelocKind) -> &'static str {
    row(kind).and_then(|row| row.text.first()).copied().unwrap_or_default()
}

/// Writes a value into the field at the start of `bytes`, where no bit is set; `false` if it does not fit. For parts of an
/// address, the field holds the addend for COFF linkers.
pub fn patch(kind: RelocKind, bytes: &mut [u8], value: i64) -> bool {
    if kind.field == Field::WORD2 {
        return true;
    }
    let Some(first) = bytes.first_chunk_mut() else { return false };
    let word = u32::from_le_bytes(*first);
    let (fits, word) = match kind.field {
        Field::WORD8 => {
            bytes[..8].copy_from_slice(&value.to_le_bytes());
            return true;
        }
        Field::WORD4 => (i32::try_from(value).is_ok() || u32::try_from(value).is_ok(), value as u32),
        NEAR21 | PAGE21 => {
            let field = (value as u32 & 3) << 29 | (value as u32 >> 2 & 0x7_ffff) << 5;
            ((-1 << 20..1 << 20).contains(&value), word | field)
        }
        LITERAL19 => {
            ((-1 << 20..1 << 20).contains(&value) && value & 3 == 0, word | (value as u32 >> 2 & 0x7_ffff) << 5)
        }
        CALL26 | JUMP26 => {
            ((-1 << 27..1 << 27).contains(&value) && value & 3 == 0, word | value as u32 >> 2 & 0x3ff_ffff)
        }
        LOW12 => (true, word | (value as u32 & 0xfff) << 10),
        HIGH12 => (true, word | (value as u32 >> 12 & 0xfff) << 10),
        Field(n) if (LOW8.0..=LOW128.0).contains(&n) => {
            let (size, part) = (n - LOW8.0, value as u32 & 0xfff);
            (part & ((1 << size) - 1) == 0, word | part >> size << 10)
        }
        _ => (false, word),
    };
    if fits {
        *first = word.to_le_bytes();
    }
    fits
}

/// How many bytes a field of data has.
pub fn data_bytes(kind: RelocKind) -> usize {
    match kind.field {
        Field::WORD8 => 8,
        Field::WORD4 => 4,
        Field::WORD2 => 2,
        _ => 0,
    }
}

/// The bits of `adr` and `adrp`, and those of a twelve-bit number.
const NEAR_BITS: u32 = 3 << 29 | 0x7_ffff << 5;
const LOW_BITS: u32 = 0xfff << 10;

/// Writes the field's part of an address.
pub fn apply(kind: RelocKind, bytes: &mut [u8], value: i64) -> bool {
    let Some(first) = bytes.first_chunk_mut() else { return false };
    let word = u32::from_le_bytes(*first);
    let keep = match kind.field {
        PAGE21 | NEAR21 => !NEAR_BITS,
        LITERAL19 => !(0x7_ffff << 5),
        CALL26 | JUMP26 => !0x3ff_ffff,
        Field(n) if (LOW12.0..=HIGH12.0).contains(&n) => !LOW_BITS,
        ALL12 => !LOW_BITS,
        Field(n) if (MOVE_HIGH.0..=MOVE_3.0).contains(&n) => !(0xffff << 5),
        _ => !0,
    };
    *first = (word & keep).to_le_bytes();
    match kind.field {
        PAGE21 => patch(kind, bytes, value >> 12),
        MARK => true,
        ALL12 => (0..1 << 12).contains(&value) && patch(RelocKind { field: LOW12, ..kind }, bytes, value),
        MOVE_HIGH | MOVE_LOW => {
            let half = if kind.field == MOVE_HIGH { value >> 16 } else { value };
            bytes[..4].copy_from_slice(&(word & keep | (half as u32 & 0xffff) << 5).to_le_bytes());
            kind.field == MOVE_LOW || (0..1 << 32).contains(&value)
        }
        Field(n) if (MOVE_0.0..=MOVE_3.0).contains(&n) => {
            let part = (value >> (16 * (n - MOVE_0.0)) & 0xffff) as u32;
            bytes[..4].copy_from_slice(&(word & keep | part << 5).to_le_bytes());
            true
        }
        _ => patch(kind, bytes, value),
    }
}

/// The addend in a field, as COFF linkers find it.
pub fn addend(kind: RelocKind, bytes: &[u8]) -> i64 {
    let word = bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
    let signed = |value: u32, bits: u32| i64::from((value << (32 - bits)) as i32 >> (32 - bits));
    match kind.field {
        Field::WORD8 => bytes.first_chunk().map_or(0, |b| i64::from_le_bytes(*b)),
        Field::WORD4 => i64::from(word as i32),
        PAGE21 | NEAR21 => signed((word >> 5 & 0x7_ffff) << 2 | word >> 29 & 3, 21),
        LITERAL19 => signed(word >> 5 & 0x7_ffff, 19) << 2,
        CALL26 | JUMP26 => signed(word & 0x3ff_ffff, 26) << 2,
        LOW12 | ALL12 => i64::from(word >> 10 & 0xfff),
        HIGH12 => i64::from(word >> 10 & 0xfff) << 12,
        Field(n) if (LOW8.0..=LOW128.0).contains(&n) => i64::from(word >> 10 & 0xfff) << (n - LOW8.0),
        _ => 0,
    }
}

/// Whether the instruction accesses as much as the relocation says, if that says how much.
pub fn holds(kind: RelocKind, bytes: &[u8]) -> bool {
    let word = bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
    // `LDR` and `STR` with an unsigned offset: the size, and of vector registers a bit that makes it 128 bits.
    let size = if word & 0xff80_0000 == 0x3d80_0000 { 4 } else { word >> 30 };
    match kind.field {
        Field(n) if (LOW8.0..=LOW128.0).contains(&n) => size == u32::from(n - LOW8.0),
        _ => true,
    }
}
