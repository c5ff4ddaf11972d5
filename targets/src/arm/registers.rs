//! The registers of ARM and their uses (Procedure Call Standard for the Arm Architecture, section "Machine registers"),
//! and the order in which frames save them.

use gusset_codegen::machine::{FrameBase, FrameRules, PReg, RegisterFile, Signing, Unwinding};

use crate::shared::registers::{order, set};

/// The frame pointer of T32.
pub(super) const FP_T32: PReg = PReg::int(7);
/// The platform's register, where it has one.
pub(super) const PLATFORM: PReg = PReg::int(9);
/// The frame pointer of A32.
pub(super) const FP_A32: PReg = PReg::int(11);
/// Linkers' stubs change it. It holds the target of indirect calls, and is scratch on edges.
pub(super) const IP: PReg = PReg::int(12);
/// The stack pointer.
pub(super) const STACK: PReg = PReg::int(13);
/// The link register; once it is saved, it is the encoder's temporary.
pub(super) const LINK: PReg = PReg::int(14);
/// Holds the target of calls by thunks, in functions that have them; LLVM has a thunk for each register.
pub(super) const CALLED_BY_THUNK: PReg = PReg::int(10);
/// DWARF's number of the signature of a return address.
const SIGNATURE: u16 = 143;
/// Passes the size of the frame in words to the function that touches it on Windows.
pub(super) const PROBED: PReg = PReg::int(4);
/// Never allocated: the temporary of conversions and moves, `d7`.
pub(super) const VTEMP: PReg = PReg::float(14);
/// The same of vectors, `q15`.
pub(super) const QTEMP: PReg = PReg::float(31);

// A floating-point register has the number of its first half: `d1` that of `s2`. Vectors are only in `q8` to `q15`,
// which have no such halves; their number is twice the register's plus one.
static HOMES: [PReg; 26] =
    order([3, 4, 5, 6, 7, 8, 9, 10, 11], [4, 6, 8, 10, 12, 16, 18, 20, 22, 24, 26, 28, 30, 23, 25, 27, 29]);
static SAVED: [PReg; 16] = order([4, 5, 6, 7, 8, 9, 10, 11], [16, 18, 20, 22, 24, 26, 28, 30]);
static SAVED_WINDOWS: [PReg; 15] = order([4, 5, 6, 7, 8, 9, 10], [16, 18, 20, 22, 24, 26, 28, 30]);
static LOCALS: [PReg; 34] = order(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    [0, 2, 4, 6, 8, 10, 12, 16, 18, 20, 22, 24, 26, 28, 30, 17, 19, 21, 23, 25, 27, 29],
);

/// The registers of code with or without VFP, and with vectors.
pub(super) const fn file(vfp: bool, neon: bool) -> RegisterFile {
    let vectors = if neon { 0xaaaa_0000 << 32 } else { 0 };
    RegisterFile {
        allocatable: 0xfff | if vfp { 0x5555_1555 << 32 } else { 0 } | vectors & !QTEMP.mask(),
        scratch: set(&order::<4, 7, 11>([0, 1, 2, 12], [0, 2, 14, 17, 19, 21, 31])),
        preserved: set(&SAVED),
        home_order: &HOMES,
        saved_order: &SAVED,
        local_order: &LOCALS,
        edge_scratch: set(&[IP, VTEMP, QTEMP]),
        entry_scratch: IP,
        call_register: IP,
        landing: [PReg::int(0), PReg::int(1)],
        library_clobbers: !set(&SAVED),
        byte: 0x5fff,
        zeroable: 0x1fff | 0xffff_ffff << 32,
        noted: LINK.mask(),
        halves: 0xaaaa_aaaa << 32 & !vectors,
        vectors,
    }
}

/// The same on Windows, where the frame pointer always is one (Microsoft, "Overview of ARM32 ABI Conventions").
pub(super) const fn windows(file: RegisterFile) -> RegisterFile {
    RegisterFile { allocatable: file.allocatable & !FP_A32.mask(), saved_order: &SAVED_WINDOWS, ..file }
}

/// All general-purpose registers are saved in one instruction, then adjacent floating-point registers. Callees preserve
/// eight bytes of the latter.
pub(super) const A32_FRAME: FrameRules = FrameRules {
    stack_pointer: STACK,
    frame_pointer: FP_A32,
    link: 0,
    link_register: Some(LINK),
    pushed: !0,
    next_push: |set, _| next_push(set, 0xffff_ffff),
    push_unit: 4,
    word: 4,
    vector: 8,
    low_frame_pointer: None,
    reaches_up: true,
    leaf_frame_pointer: false,
    has_leave: false,
    probe_changes: 0,
    page: 4096,
    signing: Signing::None,
    unwinding: Unwinding::Index(|r| Some(dwarf(r))),
    funclets: None,
};

/// DWARF's number of a register (DWARF for the Arm Architecture, "DWARF register names").
pub(super) fn dwarf(r: PReg) -> u16 {
    if r.is_float() { 256 + u16::from(r.num() / 2) } else { r.num().into() }
}

/// CodeView's number of a register by DWARF's number, of the part that holds this many bytes (Microsoft, `cvconst.h`, `CV_ARM_…`).
pub(super) fn codeview(dwarf: u16, bytes: u16) -> Option<u16> {
    Some(match (dwarf, bytes) {
        (0..16, _) => 10 + dwarf,
        (256..272, 0..=4) => 50 + 2 * (dwarf - 256),
        (256..288, 0..=8) => 300 + dwarf - 256,
        (256..288, _) if dwarf.is_multiple_of(2) => 400 + (dwarf - 256) / 2,
        _ => return None,
    })
}

/// T32's frame pointer is below the link register: registers numbered between them are pushed separately.
pub(super) const T32_FRAME: FrameRules = FrameRules {
    frame_pointer: FP_T32,
    next_push: |set, base| next_push(set, if base.is_framed() { 0x40ff } else { 0xffff_ffff }),
    ..A32_FRAME
};

/// Microcontrollers can sign return addresses. Frames save the scratch register only as the signature, which has a number of
/// its own (DWARF for the Arm Architecture, `RA_AUTH_CODE`).
pub(super) const MICROCONTROLLER_FRAME: FrameRules = FrameRules {
    signing: Signing::Apart(IP),
    unwinding: Unwinding::Index(|r| Some(if r.0 == IP.0 { SIGNATURE } else { dwarf(r) })),
    ..T32_FRAME
};

/// Windows uses the frame pointer from which a frame is addressed: it is saved after all others (Microsoft, "ARM
/// exception handling", "ARM prologs").
pub(super) const WINDOWS_FRAME: FrameRules = FrameRules {
    next_push: |set, base| {
        let others = set & !(FP_A32.mask() | LINK.mask());
        next_push(if base == FrameBase::Fp && others != 0 { others } else { set }, 0xffff_ffff)
    },
    probe_changes: PROBED.mask() | LINK.mask(),
    unwinding: Unwinding::WindowsInstructions {
        length: |code| if code.get(1).is_some_and(|high| high >> 3 >= 0x1d) { 4 } else { 2 },
        leaves: true,
        next_store: |_, rest| rest,
        described: !0,
    },
    ..A32_FRAME
};

/// General-purpose registers, those in `first` before the others; then the highest floating-point registers without a
/// gap.
fn next_push(set: u64, first: u64) -> u64 {
    let ints = set & 0xffff_ffff;
    if ints != 0 {
        return if ints & first != 0 { ints & first } else { ints };
    }
    let top = PReg(63 - set.leading_zeros() as u8);
    let mut run = top.mask();
    while set & run >> 2 & !run != 0 {
        run |= run >> 2;
    }
    run & set
}
