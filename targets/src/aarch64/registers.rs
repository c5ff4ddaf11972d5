//! The registers of AArch64: who may hold what (Procedure Call Standard for the Arm 64-bit Architecture, section "Machine registers").

use gusset_codegen::machine::{PReg, RegisterFile};

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

static HOMES: [PReg; 50] = order(
    [2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
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
    scratch: set(&order::<6, 4, 10>([0, 1, 8, 9, 10, 11], [0, 1, 16, 17])),
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
};
