//! The registers of AArch64 and their uses (Procedure Call Standard for the Arm 64-bit Architecture, section "Machine
//! registers"), and the order in which frames save them.

use gusset_codegen::machine::{
    FrameBase, FrameRules, FuncletPlaces, FuncletRules, PReg, RegisterFile, Signing, Unwinding, each_register,
};

use super::encode::TEMP;
use crate::shared::registers::{order, set};

/// The frame pointer.
pub(super) const FP: PReg = PReg::int(29);
/// The register in which calls leave the return address.
pub(super) const LINK: PReg = PReg::int(30);
/// The stack pointer, with the number that it has in addresses.
pub(super) const STACK: PReg = PReg::int(31);
/// Linkers' stubs change it, like the encoder's temporary. It holds the target of indirect calls, and is scratch on
/// edges.
pub(super) const CALLEE: PReg = PReg::int(16);
/// Passes the size of a large frame to the function that touches it on Windows.
pub(super) const PROBED: PReg = PReg::int(15);
/// Platforms may reserve it.
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

/// All general-purpose registers except the stack pointer, those of linkers, the platform's and the link register.
const GENERAL: u64 = 0x7fff_ffff & !(TEMP_MASK | CALLEE.mask() | PLATFORM.mask() | LINK.mask());
const TEMP_MASK: u64 = PReg::int(TEMP.0).mask();

/// The registers of Windows (Microsoft, "Overview of ARM64 ABI conventions", "Integer registers"): the frame pointer
/// always is one, and the platform's register is reserved.
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

/// The same for code without floating-point registers.
pub(super) const fn without_floats(file: RegisterFile) -> RegisterFile {
    RegisterFile { allocatable: file.allocatable & 0xffff_ffff, zeroable: file.zeroable & 0xffff_ffff, ..file }
}

/// Pairs of registers, first the frame record: frame pointer and link register. Callees preserve eight bytes of vector
/// registers.
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
    signing: Signing::InPlace,
    probe_changes: 0,
    unwinding: Unwinding::Dwarf(|r| Some(dwarf(r))),
    funclets: None,
};

/// The frame of Windows (Microsoft, "ARM64 exception handling", "Stack frame layout"): first all other registers, then
/// the frame record.
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

/// The registers that C functions preserve.
const DESCRIBED: u64 = 0x7ff8_0000 | 0xff00 << 32;

/// Two neighbours; the link register after the first, third and so on of those that callees preserve, unless these are
/// alone. There are no codes for other pairs.
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
pub(super) fn dwarf(r: PReg) -> u16 {
    u16::from(r.num()) + if r.is_float() { 64 } else { 0 }
}

/// CodeView's number of a register by DWARF's number, of the part that holds this many bytes (Microsoft, `cvconst.h`, `CV_ARM64_…`).
pub(super) fn codeview(dwarf: u16, bytes: u16) -> Option<u16> {
    Some(match (dwarf, bytes) {
        (0..31, 0..=4) => 10 + dwarf,
        (0..32, _) => 50 + dwarf,
        (64..96, 0..=4) => 100 + dwarf - 64,
        (64..96, 5..=8) => 140 + dwarf - 64,
        (64..96, _) => 180 + dwarf - 64,
        _ => return None,
    })
}
