//! Relocations of ARM (ELF for the Arm Architecture, section "Relocation types"; Microsoft, "PE Format", "Type Indicators"). ELF has
//! no explicit addends: fields hold them.

use gusset_codegen::buffer::{Field, Origin, Referent, RelocKind};

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
/// Both, one behind the other: what COFF relocates as one.
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
/// A word in the lists of constructors, whose meaning the platform chooses.
const TARGET1_WORD: Field = own(15);
/// The same in tables for exceptions.
const TARGET2_WORD: Field = own(16);
/// No field: the symbol is named.
const MARK: Field = own(17);
/// The number of a section, of 16 bits.
const SECTION16: Field = own(18);

/// The distance of a jump in a table of T32: sixteen bits of half words.
const TABLE16: Field = own(20);

const fn kind(of: Referent, from: Origin, field: Field) -> RelocKind {
    RelocKind { of, from, field }
}

/// The function or its stub, in a call of A32.
pub const A32_CALL: RelocKind = kind(Referent::Stub, Origin::Field, A32_BL);
/// The same in a jump, or in a call under a condition.
pub const A32_JUMP: RelocKind = kind(Referent::Stub, Origin::Field, A32_B);
/// A place of the same function, in a jump.
pub const A32_NEAR: RelocKind = kind(Referent::Address, Origin::Field, A32_B);
/// The function or its stub, in a call of T32.
pub const T32_CALL: RelocKind = kind(Referent::Stub, Origin::Field, T32_BL);
/// The same in a jump.
pub const T32_JUMP: RelocKind = kind(Referent::Stub, Origin::Field, T32_B);
/// The lower half of an address in A32.
pub const A32_LOW: RelocKind = kind(Referent::Address, Origin::Zero, A32_MOVW);
/// The upper one.
pub const A32_HIGH: RelocKind = kind(Referent::Address, Origin::Zero, A32_MOVT);
/// The lower half of an address in T32.
pub const T32_LOW: RelocKind = kind(Referent::Address, Origin::Zero, T32_MOVW);
/// The upper one.
pub const T32_HIGH: RelocKind = kind(Referent::Address, Origin::Zero, T32_MOVT);
/// Both halves, in adjacent instructions (COFF).
pub const T32_HALVES: RelocKind = kind(Referent::Address, Origin::Zero, T32_MOV);
/// The same of the cell that has the address.
pub const T32_CELL: RelocKind = kind(Referent::GotEntry, Origin::Zero, T32_MOV);
/// A literal near the code in A32.
pub const A32_LITERAL: RelocKind = kind(Referent::Address, Origin::Field, A32_DISP12);
/// The same in T32.
pub const T32_LITERAL: RelocKind = kind(Referent::Address, Origin::Field, T32_DISP12);
/// A literal of floating-point registers in A32.
pub const A32_FLOAT_LITERAL: RelocKind = kind(Referent::Address, Origin::Field, A32_DISP8);
/// The same in T32.
pub const T32_FLOAT_LITERAL: RelocKind = kind(Referent::Address, Origin::Field, T32_DISP8);
/// A label from the start of its jump table in T32.
pub const T32_TABLE: RelocKind = kind(Referent::Address, Origin::Field, TABLE16);
/// The address.
pub const ABS32: RelocKind = RelocKind::word(4, Origin::Zero);
/// Its distance from the field.
pub const REL32: RelocKind = RelocKind::word(4, Origin::Field);
/// The same in 31 bits, in tables for exceptions.
pub const PREL31: RelocKind = kind(Referent::Address, Origin::Field, WORD31);
/// The address of a constructor.
pub const TARGET1: RelocKind = kind(Referent::Address, Origin::Zero, TARGET1_WORD);
/// A type in tables for exceptions.
pub const TARGET2: RelocKind = kind(Referent::Address, Origin::Zero, TARGET2_WORD);
/// That the symbol is needed.
pub const NONE: RelocKind = kind(Referent::Address, Origin::Zero, MARK);
/// The entry of the global offset table, from the field.
pub const GOT_PREL: RelocKind = kind(Referent::GotEntry, Origin::Field, Field::WORD4);
/// The same, from the table.
pub const GOT_BREL: RelocKind = kind(Referent::GotEntry, Origin::Got, Field::WORD4);
/// The distance from the global offset table.
pub const GOTOFF: RelocKind = kind(Referent::Address, Origin::Got, Field::WORD4);
/// The global offset table, from the field.
pub const BASE_PREL: RelocKind = kind(Referent::Got, Origin::Field, Field::WORD4);
/// General-dynamic TLS.
pub const TLS_GD32: RelocKind = kind(Referent::TlsIndex, Origin::Field, Field::WORD4);
/// Local-dynamic TLS.
pub const TLS_LDM32: RelocKind = kind(Referent::TlsModule, Origin::Field, Field::WORD4);
/// The place in the module's block of thread-local data.
pub const TLS_LDO32: RelocKind = kind(Referent::TlsModuleOffset, Origin::Zero, Field::WORD4);
/// Initial-exec TLS.
pub const TLS_IE32: RelocKind = kind(Referent::TlsEntry, Origin::Field, Field::WORD4);
/// Local-exec TLS.
pub const TLS_LE32: RelocKind = kind(Referent::TlsOffset, Origin::Zero, Field::WORD4);
/// The offset in the section (COFF).
pub const SECREL: RelocKind = RelocKind::word(4, Origin::Section);
/// The section's number (COFF).
pub const SECTION: RelocKind = kind(Referent::Address, Origin::Section, SECTION16);

/// A relocation: what stands in front of the symbol in text and what behind, and its numbers in ELF and, if not 0, in COFF.
type Row = (RelocKind, [&'static str; 2], u8, u8);

/// All of them, the commonest first.
const ROWS: &[Row] = &[
    (A32_CALL, ["", ""], 28, 0),
    (T32_CALL, ["", ""], 10, 0x14),
    (A32_LOW, [":lower16:", ""], 43, 0),
    (A32_HIGH, [":upper16:", ""], 44, 0),
    (T32_LOW, [":lower16:", ""], 47, 0),
    (T32_HIGH, [":upper16:", ""], 48, 0),
    (ABS32, ["", ""], 2, 1),
    (REL32, ["", ""], 3, 0xa),
    (A32_JUMP, ["", ""], 29, 0),
    (T32_JUMP, ["", ""], 30, 0x14),
    (T32_HALVES, [":lower16:", ""], 0, 0x11),
    (PREL31, ["", "(PREL31)"], 42, 0),
    (TARGET1, ["", "(TARGET1)"], 38, 0),
    (TARGET2, ["", "(TARGET2)"], 41, 0),
    (GOT_PREL, ["", "(GOT_PREL)"], 96, 0),
    (GOT_BREL, ["", "(GOT)"], 26, 0),
    (GOTOFF, ["", "(GOTOFF)"], 24, 0),
    (BASE_PREL, ["", ""], 25, 0),
    (TLS_GD32, ["", "(TLSGD)"], 104, 0),
    (TLS_LDM32, ["", "(TLSLDM)"], 105, 0),
    (TLS_LDO32, ["", "(TLSLDO)"], 106, 0),
    (TLS_IE32, ["", "(GOTTPOFF)"], 107, 0),
    (TLS_LE32, ["", "(TPOFF)"], 108, 0),
    (NONE, ["", "(NONE)"], 0, 0),
    (RelocKind::word(4, Origin::Image), ["", "(IMGREL)"], 0, 2),
    (SECREL, ["", "(SECREL32)"], 0, 0xf),
    (SECTION, ["", ""], 0, 0xe),
];

fn row(kind: RelocKind) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.0 == kind)
}

/// ELF's number.
pub fn elf(kind: RelocKind) -> Option<u32> {
    row(kind).filter(|row| row.2 != 0 || row.0 == NONE).map(|row| row.2.into())
}

/// COFF's number. Distances count from the program counter of T32, or the end of a word.
pub fn coff(kind: RelocKind) -> Option<(u16, i64)> {
    let place = if kind.from == Origin::Field { 4 } else { 0 };
    row(kind).filter(|row| row.3 != 0).map(|row| (row.3.into(), place))
}

/// How much linkers of COFF find in a field and add.
pub(super) fn coff_reach(kind: RelocKind) -> i64 {
    if matches!(kind.field, T32_BL | T32_B) { 0 } else { i64::MAX }
}

/// What stands around the symbol in text.
#[cfg(feature = "asm")]
pub(super) fn operators(kind: RelocKind) -> [&'static str; 2] {
    row(kind).map_or(["", ""], |row| row.1)
}

/// Is it of a branch?
#[cfg(feature = "asm")]
pub(super) fn is_branch(kind: RelocKind) -> bool {
    matches!(kind.field, A32_BL | A32_B | T32_BL | T32_B)
}

/// Writes a value into the field that `bytes` begins with; `false` if it does not fit. Of an address in halves it is what is added to
/// it, which each half holds.
pub fn patch(kind: RelocKind, bytes: &mut [u8], value: i64) -> bool {
    if kind.field == SECTION16 || kind.field == MARK {
        return value == 0;
    }
    if kind.field == TABLE16 {
        let halves = u16::try_from(value / 2).ok().filter(|_| value & 1 == 0);
        bytes[..2].copy_from_slice(&halves.unwrap_or_default().to_le_bytes());
        return halves.is_some();
    }
    let Some(first) = bytes.first_chunk() else { return false };
    let word = u32::from_le_bytes(*first);
    // T32's instructions are two half words, the first with the opcode.
    let insn = word.rotate_left(16);
    let v = value as u32;
    let within = |bits: u32, scale: i64| (-1i64 << bits..1 << bits).contains(&value) && value & (scale - 1) == 0;
    let addend = within(15, 1);
    let (fits, word) = match kind.field {
        Field::WORD4 | TARGET1_WORD | TARGET2_WORD => (i32::try_from(value).is_ok() || u32::try_from(value).is_ok(), v),
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
        // Literals are words, counted from the word that the program counter is in.
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

/// The bit for a displacement that is added.
const SIGN: u32 = 1 << 23;

fn signed(value: i64, scale: u32) -> u32 {
    value.unsigned_abs() as u32 >> scale | if value < 0 { 0 } else { SIGN }
}

/// The field of a branch of A32, of a distance from the program counter.
pub(super) fn a32_branch(distance: i32) -> u32 {
    distance as u32 >> 2 & 0xff_ffff
}

/// The bits of the next.
const T32_BRANCH: u32 = 0x07ff_2fff;

/// The same of T32: the sign, two bits that are combined with it, and the rest.
pub(super) fn t32_branch(distance: i32) -> u32 {
    let d = distance as u32;
    let sign = d >> 24 & 1;
    let bit = |n: u32| (d >> n & 1) ^ sign ^ 1;
    sign << 26 | (d >> 12 & 0x3ff) << 16 | bit(23) << 13 | bit(22) << 11 | d >> 1 & 0x7ff
}

/// That of a branch under a condition.
pub(super) fn t32_near(distance: i32) -> u32 {
    let d = distance as u32;
    (d >> 20 & 1) << 26 | (d >> 12 & 0x3f) << 16 | (d >> 18 & 1) << 13 | (d >> 19 & 1) << 11 | d >> 1 & 0x7ff
}

/// The places of a number's twelve bits in T32.
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
