//! The registers of AArch64: who may hold what (Procedure Call Standard for the Arm 64-bit Architecture, section "Machine registers"),
//! and in which order frames keep them.

use gusset_codegen::machine::{
    FrameBase, FrameRules, FuncletPlaces, FuncletRules, PReg, RegisterFile, Unwinding, each_register,
};

use super::encode::TEMP;
use crate::shared::registers::{order, set};

/// The frame pointer.
pub(super) const FP: PReg = PReg::int(29);
/// The register in which calls leave the return address.
pub(super) const LINK: PReg = PReg::int(30);
/// The stack pointer, by the number that it has in addresses.
pub(super) const STACK: PReg = PReg::int(31);
/// Linkers' stubs change it, as they do the encoder's temporary: it holds what indirect calls go to, and is scratch on edges.
pub(super) const CALLEE: PReg = PReg::int(16);
/// Tells the function that touches a large frame on Windows how large it is.
pub(super) const PROBED: PReg = PReg::int(15);
/// Platforms may have a use for it.
pub(super) const PLATFORM: PReg = PReg::int(18);
/// Never allocated: the encoder's temporary for vectors.
pub(super) const VTEMP: PReg = PReg::float(31);

static HOMES: [PReg; 52] = order(
    [2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 1, 0, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
    [2, 3, 4, 5, 6, 7, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
);
static SAVED: [PReg; 19] = order([19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29], [8, 9, 10, 11, 12, 13, 14, 15]);
static SAVED_WINDOWS: [PReg; 18] = order([19, 20, 21, 22, 23, 24, 25, 26, 27, 28], [8, 9, 10, 11, 12, 13, 14, 15]);
static LOCALS: [PReg; 57] = order(
    [9, 10, 11, 8, 0, 1, 12, 13, 14, 15, 7, 6, 5, 4, 3, 2, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28],
    [16, 17, 0, 1, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 7, 6, 5, 4, 3, 2, 8, 9, 10, 11, 12, 13, 14, 15],
);

/// Of general-purpose registers all but the stack pointer, those of linkers, the platform's and the link register.
const GENERAL: u64 = 0x7fff_ffff & !(TEMP_MASK | CALLEE.mask() | PLATFORM.mask() | LINK.mask());
const TEMP_MASK: u64 = PReg::int(TEMP.0).mask();

/// The registers of Windows (Microsoft, "Overview of ARM64 ABI conventions", "Integer registers"): the frame pointer is that at all times,
/// and the platform's register is everybody's.
pub(super) const WINDOWS: RegisterFile = RegisterFile {
    allocatable: AAPCS64.allocatable & !FP.mask(),
    preserved: AAPCS64.preserved | PLATFORM.mask(),
    saved_order: &SAVED_WINDOWS,
    library_clobbers: AAPCS64.library_clobbers & !PLATFORM.mask(),
    ..AAPCS64
};

/// AAPCS64.
pub(super) const AAPCS64: RegisterFile = RegisterFile {
    allocatable: GENERAL | 0x7fff_ffff << 32,
    scratch: set(&order::<4, 4, 8>([8, 9, 10, 11], [0, 1, 16, 17])),
    preserved: set(&SAVED),
    home_order: &HOMES,
    saved_order: &SAVED,
    local_order: &LOCALS,
    edge_scratch: set(&[CALLEE, VTEMP]),
    entry_scratch: PReg::int(9),
    call_register: CALLEE,
    landing: [PReg::int(0), PReg::int(1)],
    library_clobbers: !set(&SAVED),
    byte: 0x7fff_ffff,
    zeroable: GENERAL | 0xffff_ffff << 32,
    noted: 0,
    halves: 0,
    vectors: 0,
};

/// Pairs of registers, first the frame record: the frame pointer and the link register. Of vector registers callees keep eight bytes.
pub(super) const ELF_FRAME: FrameRules = FrameRules {
    stack_pointer: STACK,
    frame_pointer: FP,
    link: 0,
    link_register: Some(LINK),
    pushed: !0,
    next_push,
    push_unit: 16,
    word: 8,
    vector: 8,
    low_frame_pointer: None,
    reaches_up: true,
    leaf_frame_pointer: true,
    has_leave: false,
    page: 4096,
    probe_changes: 0,
    unwinding: Unwinding::Dwarf(dwarf),
    funclets: None,
};

/// The frame of Windows (Microsoft, "ARM64 exception handling", "Stack frame layout"): first all other registers, then the record.
pub(super) const WINDOWS_FRAME: FrameRules = FrameRules {
    next_push: |set, base| {
        let others = set & !(FP.mask() | LINK.mask());
        if base.is_framed() && others != 0 { others } else { set }
    },
    probe_changes: LINK.mask(),
    unwinding: Unwinding::WindowsInstructions { length: |_| 4, leaves: false, next_store, described: DESCRIBED },
    funclets: Some(FuncletRules { places: FuncletPlaces::Cfa, stack_align: 16 }),
    ..ELF_FRAME
};

/// What callees of C functions keep.
const DESCRIBED: u64 = 0x7ff8_0000 | 0xff00 << 32;

/// Two neighbours; the link register behind the first, third and so on of those that callees keep, unless these are alone: for pairs
/// without such order there are no codes.
fn next_store(set: u64, rest: u64) -> u64 {
    let mut regs = each_register(rest);
    let (Some(first), second) = (regs.next(), regs.next()) else { return rest };
    let described = |r: PReg| DESCRIBED & r.mask() != 0;
    let is_pair = |second: &PReg| match *second {
        LINK => described(first) && first.num() % 2 == 1 && (rest != set || first == FP),
        _ => second.0 == first.0 + 1 && described(first) == described(*second),
    };
    first.mask() | second.filter(is_pair).map_or(0, PReg::mask)
}

fn next_push(set: u64, base: FrameBase) -> u64 {
    let record = FP.mask() | LINK.mask();
    let ints = set & 0xffff_ffff;
    let rest = match ints {
        _ if base.is_framed() && set & record == record => return record,
        0 => set,
        _ => ints,
    };
    each_register(rest).take(2).fold(0, |pair, r| pair | r.mask())
}

/// DWARF number (DWARF for the Arm 64-bit Architecture, section "DWARF register names").
fn dwarf(r: PReg) -> Option<u16> {
    Some(u16::from(r.num()) + if r.is_float() { 64 } else { 0 })
}
