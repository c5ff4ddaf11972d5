//! Relocations of ARM (ELF for the Arm Architecture, section "Relocation types"; Microsoft, "PE Format", "Type Indicators"). ELF has
//! no explicit addends: fields hold them.

use gusset_codegen::buffer::{Field, Origin, RelocKind};

use crate::shared::arm::reloc::relocations;

const fn own(n: u8) -> Field {
    Field(Field::FIRST_OWN + n)
}

/// The 24 bits of `bl` in A32.
const A32_BL: Field = own(0);
/// The same of `b`, and of `bl` under a condition.
const A32_B: Field = own(1);
/// The 24 bits of `bl` in T32.
const T32_BL: Field = own(2);
/// The same of `b`.
const T32_B: Field = own(3);
/// Sixteen bits of `movw` in A32.
const A32_MOVW: Field = own(5);
/// The same of `movt`.
const A32_MOVT: Field = own(6);
/// Sixteen bits of `movw` in T32.
const T32_MOVW: Field = own(7);
/// The same of `movt`.
const T32_MOVT: Field = own(8);
/// Both, in adjacent instructions, which COFF relocates as one.
const T32_MOV: Field = own(9);
/// The displacement of a load in A32: twelve bits and a sign.
const A32_DISP12: Field = own(10);
/// The same in T32.
const T32_DISP12: Field = own(11);
/// Eight bits of words, and a sign, in A32's loads of floating-point registers.
const A32_DISP8: Field = own(12);
/// The same in T32.
const T32_DISP8: Field = own(19);
/// A word of 31 bits, the highest of which stays.
const WORD31: Field = own(14);
/// A word that counts from the static base, which only linkers know.
const BASED_WORD: Field = own(4);
/// A word in the lists of constructors, whose meaning the platform chooses.
const TARGET1_WORD: Field = own(15);
/// The same in tables for exceptions.
const TARGET2_WORD: Field = own(16);
/// No field: the relocation only refers to the symbol.
const MARK: Field = own(17);
/// The distance of a jump in a table of T32: sixteen bits, in half words.
const TABLE16: Field = own(20);

// The commonest first.
relocations! {
    /// The function or its stub, in a call of A32.
    A32_CALL Stub Field [A32_BL] 28 0;
    /// The function or its stub, in a call of T32.
    T32_CALL Stub Field [T32_BL] 10 0x14;
    /// The lower half of an address in A32.
    A32_LOW Address Zero [A32_MOVW] 43 0 ":lower16:";
    /// The upper one.
    A32_HIGH Address Zero [A32_MOVT] 44 0 ":upper16:";
    /// The lower half of an address in T32.
    T32_LOW Address Zero [T32_MOVW] 47 0 ":lower16:";
    /// The upper one.
    T32_HIGH Address Zero [T32_MOVT] 48 0 ":upper16:";
    /// The address.
    ABS32 Address Zero [Field::WORD4] 2 1;
    /// Its distance from the field.
    REL32 Address Field [Field::WORD4] 3 0xa;
    /// The same in a jump, or in a call under a condition.
    A32_JUMP Stub Field [A32_B] 29 0;
    /// The same in a jump.
    T32_JUMP Stub Field [T32_B] 30 0x14;
    /// Both halves, in adjacent instructions (COFF).
    T32_HALVES Address Zero [T32_MOV] 0 0x11 ":lower16:";
    /// The same in 31 bits, in tables for exceptions.
    PREL31 Address Field [WORD31] 42 0 "" "(PREL31)";
    /// The address of a constructor.
    TARGET1 Address Zero [TARGET1_WORD] 38 0 "" "(TARGET1)";
    /// A type in tables for exceptions.
    TARGET2 Address Zero [TARGET2_WORD] 41 0 "" "(TARGET2)";
    /// The entry of the global offset table, from the field.
    GOT_PREL GotEntry Field [Field::WORD4] 96 0 "" "(GOT_PREL)";
    /// The same, from the table.
    GOT_BREL GotEntry Got [Field::WORD4] 26 0 "" "(GOT)";
    /// The distance from the static base, the section of what can be written.
    SBREL32 Address Zero [BASED_WORD] 9 0 "" "(SBREL)";
    /// The distance from the global offset table.
    GOTOFF Address Got [Field::WORD4] 24 0 "" "(GOTOFF)";
    /// The global offset table, from the field.
    BASE_PREL Got Field [Field::WORD4] 25 0;
    /// General-dynamic TLS.
    TLS_GD32 TlsIndex Field [Field::WORD4] 104 0 "" "(TLSGD)";
    /// Local-dynamic TLS.
    TLS_LDM32 TlsModule Field [Field::WORD4] 105 0 "" "(TLSLDM)";
    /// The place in the module's block of thread-local data.
    TLS_LDO32 TlsModuleOffset Zero [Field::WORD4] 106 0 "" "(TLSLDO)";
    /// Initial-exec TLS.
    TLS_IE32 TlsEntry Field [Field::WORD4] 107 0 "" "(GOTTPOFF)";
    /// Local-exec TLS.
    TLS_LE32 TlsOffset Zero [Field::WORD4] 108 0 "" "(TPOFF)";
    /// That the symbol is needed.
    NONE Address Zero [MARK] 0 0 "" "(NONE)";
    /// The distance from the image's start (COFF).
    IMAGE Address Image [Field::WORD4] 0 2 "" "(IMGREL)";
    /// The offset in the section (COFF).
    SECREL Address Section [Field::WORD4] 0 0xf "" "(SECREL32)";
    /// The section's number (COFF).
    SECTION Address Section [Field::WORD2] 0 0xe;
    /// A place in the same function, in a jump.
    A32_NEAR Address Field [A32_B] 0 0;
    /// The cell with the address of such a place.
    T32_CELL GotEntry Zero [T32_MOV] 0 0;
    /// A literal near the code in A32.
    A32_LITERAL Address Field [A32_DISP12] 0 0;
    /// The same in T32.
    T32_LITERAL Address Field [T32_DISP12] 0 0;
    /// A literal of floating-point registers in A32.
    A32_FLOAT_LITERAL Address Field [A32_DISP8] 0 0;
    /// The same in T32.
    T32_FLOAT_LITERAL Address Field [T32_DISP8] 0 0;
    /// A label from the start of its jump table in T32.
    T32_TABLE Address Field [TABLE16] 0 0;
}

/// ELF's number.
pub fn elf(kind: RelocKind) -> Option<u32> {
    row(kind).filter(|row| row.elf != 0 || row.kind == NONE).map(|row| row.elf.into())
}

/// COFF's number. Distances count from the program counter of T32, or from the end of a word.
pub fn coff(kind: RelocKind) -> Option<(u16, i64)> {
    let place = if kind.from == Origin::Field { 4 } else { 0 };
    row(kind).filter(|row| row.coff != 0).map(|row| (row.coff, place))
}

/// The largest addend that COFF linkers find in a field.
pub(super) fn coff_reach(kind: RelocKind) -> i64 {
    if matches!(kind.field, T32_BL | T32_B) { 0 } else { i64::MAX }
}

/// The operators around the symbol in text.
#[cfg(feature = "asm")]
pub(super) fn operators(kind: RelocKind) -> [&'static str; 2] {
    [0, 1].map(|k| row(kind).and_then(|row| row.text.get(k)).copied().unwrap_or_default())
}

/// Is it the relocation of a branch?
#[cfg(feature = "asm")]
pub(super) fn is_branch(kind: RelocKind) -> bool {
    matches!(kind.field, A32_BL | A32_B | T32_BL | T32_B)
}

/// Writes a value into the field at the start of `bytes`; `false` if it does not fit. Both halves of an address hold
/// the addend.
pub fn patch(kind: RelocKind, bytes: &mut [u8], value: i64) -> bool {
    if kind.field == Field::WORD2 {
        return true;
    }
    if kind.field == MARK {
        return value == 0;
    }
    if kind.field == TABLE16 {
        let halves = u16::try_from(value / 2).ok().filter(|_| value & 1 == 0);
        bytes[..2].copy_from_slice(&halves.unwrap_or_default().to_le_bytes());
        return halves.is_some();
    }
    let Some(first) = bytes.first_chunk() else { return false };
    let word = u32::from_le_bytes(*first);
    // T32's instructions are two half words; the opcode is in the first.
    let insn = word.rotate_left(16);
    let v = value as u32;
    let within = |bits: u32, scale: i64| (-1i64 << bits..1 << bits).contains(&value) && value & (scale - 1) == 0;
    let addend = within(15, 1);
    let (fits, word) = match kind.field {
        Field::WORD4 | TARGET1_WORD | TARGET2_WORD | BASED_WORD => {
            (i32::try_from(value).is_ok() || u32::try_from(value).is_ok(), v)
        }
        WORD31 => (within(30, 1), word & 1 << 31 | v & !(1 << 31)),
        A32_BL | A32_B => (within(25, 4), word & !0xff_ffff | a32_branch(value as i32)),
        T32_BL | T32_B => (within(24, 2), (insn & !T32_BRANCH | t32_branch(value as i32)).rotate_left(16)),
        A32_MOVW | A32_MOVT => (addend, word & !a32_half(0xffff) | a32_half(v & 0xffff)),
        T32_MOVW | T32_MOVT => (addend, (insn & !t32_half(0xffff) | t32_half(v & 0xffff)).rotate_left(16)),
        T32_MOV => {
            let halves = |n: u32, insn: u32| (insn & !t32_half(0xffff) | t32_half(n)).rotate_left(16).to_le_bytes();
            let Some(second) = bytes.get(4..8).and_then(|b| b.first_chunk()) else { return false };
            let high = halves(v >> 16, u32::from_le_bytes(*second).rotate_left(16));
            bytes[4..8].copy_from_slice(&high);
            (i32::try_from(value).is_ok(), u32::from_le_bytes(halves(v & 0xffff, insn)))
        }
        A32_DISP12 => (value.abs() < 4096, word & !(SIGN | 0xfff) | signed(value, 0)),
        // Literals are words, counted from the word that contains the program counter.
        T32_DISP12 => {
            let value = (value + 3) & !3;
            (value.abs() < 4096, (insn & !(SIGN | 0xfff) | signed(value, 0)).rotate_left(16))
        }
        A32_DISP8 => (value.abs() < 1024 && value & 3 == 0, word & !(SIGN | 0xff) | signed(value, 2)),
        T32_DISP8 => {
            let value = (value + 3) & !3;
            (value.abs() < 1024, (insn & !(SIGN | 0xff) | signed(value, 2)).rotate_left(16))
        }
        _ => (false, word),
    };
    if fits {
        bytes[..4].copy_from_slice(&word.to_le_bytes());
    }
    fits
}

/// How many bytes a field of data has.
pub fn data_bytes(kind: RelocKind) -> usize {
    match kind.field {
        Field::WORD4 | TARGET1_WORD | TARGET2_WORD | WORD31 => 4,
        Field::WORD2 | TABLE16 => 2,
        _ => 0,
    }
}

/// Writes the field's part of an address.
pub fn apply(kind: RelocKind, bytes: &mut [u8], value: i64) -> bool {
    let half = |half: i64| i64::from(half as i16);
    match kind.field {
        MARK => true,
        BASED_WORD => false,
        A32_MOVW | T32_MOVW => patch(kind, bytes, half(value)),
        A32_MOVT | T32_MOVT => patch(kind, bytes, half(value >> 16)),
        T32_MOV => patch(kind, bytes, i64::from(value as i32)),
        _ => patch(kind, bytes, value),
    }
}

/// The addend in a field.
pub fn addend(kind: RelocKind, bytes: &[u8]) -> i64 {
    let word = |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
    let signed = |value: u32, bits: u32| i64::from((value << (32 - bits)) as i32 >> (32 - bits));
    let t32_half = |insn: u32| (insn >> 16 & 15) << 12 | (insn >> 26 & 1) << 11 | (insn >> 12 & 7) << 8 | insn & 0xff;
    let (word, insn) = (word(0), [word(0), word(4)].map(|w| w.rotate_left(16)));
    match kind.field {
        MARK | Field::WORD2 => 0,
        A32_BL | A32_B => signed(word, 24) << 2,
        T32_BL | T32_B => {
            let sign = insn[0] >> 26 & 1;
            let bit = |at: u32| insn[0] >> at & 1 ^ sign ^ 1;
            let high = sign << 23 | bit(13) << 22 | bit(11) << 21;
            signed(high | (insn[0] >> 16 & 0x3ff) << 11 | insn[0] & 0x7ff, 24) << 1
        }
        A32_MOVW | A32_MOVT => signed(word >> 4 & 0xf000 | word & 0xfff, 16),
        T32_MOVW | T32_MOVT => signed(t32_half(insn[0]), 16),
        T32_MOV => signed(t32_half(insn[1]) << 16 | t32_half(insn[0]), 32),
        WORD31 => signed(word, 31),
        _ => i64::from(word as i32),
    }
}

/// The bit of an added displacement.
const SIGN: u32 = 1 << 23;

fn signed(value: i64, scale: u32) -> u32 {
    value.unsigned_abs() as u32 >> scale | if value < 0 { 0 } else { SIGN }
}

/// The field of an A32 branch, for a distance from the program counter.
pub(super) fn a32_branch(distance: i32) -> u32 {
    distance as u32 >> 2 & 0xff_ffff
}

/// The bits of the next.
const T32_BRANCH: u32 = 0x07ff_2fff;

/// The same in T32: the sign, two bits that are combined with it, and the rest.
pub(super) fn t32_branch(distance: i32) -> u32 {
    let d = distance as u32;
    let sign = d >> 24 & 1;
    let bit = |n: u32| (d >> n & 1) ^ sign ^ 1;
    sign << 26 | (d >> 12 & 0x3ff) << 16 | bit(23) << 13 | bit(22) << 11 | d >> 1 & 0x7ff
}

/// The field of a conditional branch.
pub(super) fn t32_near(distance: i32) -> u32 {
    let d = distance as u32;
    (d >> 20 & 1) << 26 | (d >> 12 & 0x3f) << 16 | (d >> 18 & 1) << 13 | (d >> 19 & 1) << 11 | d >> 1 & 0x7ff
}

/// The positions of a number's twelve bits in T32.
pub(super) fn t32_number(field: u32) -> u32 {
    (field >> 11 & 1) << 26 | (field >> 8 & 7) << 12 | field & 0xff
}

/// Sixteen bits in `movw` of A32.
pub(super) fn a32_half(n: u32) -> u32 {
    (n >> 12 & 15) << 16 | n & 0xfff
}

/// The same in T32.
pub(super) fn t32_half(n: u32) -> u32 {
    (n >> 12 & 15) << 16 | t32_number(n & 0xfff)
}
