//! The registers of x86 and their uses in three register files (x86-64, Windows x64, i386), and how frames save them.

use gusset_codegen::machine::{
    FrameBase, FrameRules, FuncletPlaces, FuncletRules, PReg, RegisterFile, Signing, Unwinding,
};

use crate::shared::registers::{order, set};

pub(super) const RAX: PReg = PReg::int(0);
pub(super) const RCX: PReg = PReg::int(1);
pub(super) const RDX: PReg = PReg::int(2);
pub(super) const RBX: PReg = PReg::int(3);
pub(super) const RSP: PReg = PReg::int(4);
pub(super) const RBP: PReg = PReg::int(5);
pub(super) const RSI: PReg = PReg::int(6);
pub(super) const RDI: PReg = PReg::int(7);
pub(super) const R8: PReg = PReg::int(8);
pub(super) const R9: PReg = PReg::int(9);
pub(super) const R10: PReg = PReg::int(10);
pub(super) const R11: PReg = PReg::int(11);
/// Never allocated: a temporary for moves. In 32-bit mode this number stands for register 7 (see `encode`).
pub(super) const XMM15: PReg = PReg::float(15);

/// Vector registers as a set.
const fn floats<const N: usize>(numbers: [u8; N]) -> u64 {
    let regs: [PReg; N] = order([], numbers);
    set(&regs)
}

static HOMES: [PReg; 26] =
    order([7, 8, 9, 10, 11, 3, 5, 12, 13, 14, 15], [7, 6, 5, 4, 3, 2, 8, 9, 10, 11, 12, 13, 14, 1, 0]);
static SAVED: [PReg; 6] = order([3, 5, 12, 13, 14, 15], []);
static LOCALS: [PReg; 30] =
    order([0, 1, 2, 6, 7, 8, 9, 10, 11, 3, 5, 12, 13, 14, 15], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);

/// x86-64 System V (psABI, figure 3.4).
pub(super) const SYSTEM_V: RegisterFile = RegisterFile {
    allocatable: 0xffff & !RSP.mask() | 0x7fff << 32,
    // Three floating-point registers are never homes either: enough for any instruction's operands.
    scratch: set(&[RAX, RCX, RDX, RSI]) | floats([0, 1, 14]),
    preserved: set(&SAVED),
    home_order: &HOMES,
    saved_order: &SAVED,
    local_order: &LOCALS,
    edge_scratch: set(&[RAX, RCX, RDX, RSI, XMM15]),
    entry_scratch: RAX,
    call_register: R11,
    landing: [RAX, RDX],
    library_clobbers: !set(&SAVED),
    byte: 0xffff,
    zeroable: 0xffff & !RSP.mask() | 0xffff << 32,
    noted: XMM15.mask(),
    halves: 0,
    vectors: 0,
};

static HOMES_X87: [PReg; 11] = order([7, 8, 9, 10, 11, 3, 5, 12, 13, 14, 15], []);
static LOCALS_64_X87: [PReg; 15] = order([0, 1, 2, 6, 7, 8, 9, 10, 11, 3, 5, 12, 13, 14, 15], []);

/// The same without SSE, as [`I386_X87`].
pub(super) const SYSTEM_V_X87: RegisterFile = RegisterFile {
    allocatable: 0xffff & !RSP.mask(),
    scratch: set(&[RAX, RCX, RDX, RSI]),
    home_order: &HOMES_X87,
    local_order: &LOCALS_64_X87,
    zeroable: 0xffff & !RSP.mask(),
    ..SYSTEM_V
};

static HOMES_WINDOWS: [PReg; 23] =
    order([9, 10, 11, 3, 6, 7, 5, 14, 15, 12, 13], [2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
static SAVED_WINDOWS: [PReg; 17] = order([3, 6, 7, 5, 14, 15, 12, 13], [6, 7, 8, 9, 10, 11, 12, 13, 14]);
static LOCALS_WINDOWS: [PReg; 30] =
    order([0, 1, 2, 8, 9, 10, 11, 3, 6, 7, 5, 14, 15, 12, 13], [0, 1, 4, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);

/// Registers of the Windows x64 convention (Microsoft, "x64 ABI conventions", "Register usage"). The spare vector
/// register 15 is preserved too, but never a home: a function that changes it saves it.
pub(super) const WINDOWS: RegisterFile = RegisterFile {
    scratch: set(&[RAX, RCX, RDX, R8]) | floats([0, 1, 4]),
    preserved: set(&SAVED_WINDOWS),
    home_order: &HOMES_WINDOWS,
    saved_order: &SAVED_WINDOWS,
    local_order: &LOCALS_WINDOWS,
    edge_scratch: set(&[RAX, RCX, RDX, R8, XMM15]),
    library_clobbers: !(set(&SAVED_WINDOWS) | XMM15.mask()),
    ..SYSTEM_V
};

static HOMES_32: [PReg; 11] = order([3, 6, 7, 5], [6, 5, 4, 3, 2, 1, 0]);
static SAVED_32: [PReg; 4] = order([3, 6, 7, 5], []);
static LOCALS_X87: [PReg; 7] = order([0, 1, 2, 3, 6, 7, 5], []);
static LOCALS_32: [PReg; 14] = order([0, 1, 2, 3, 6, 7, 5], [0, 1, 2, 3, 4, 5, 6]);

/// i386 on all systems (psABI i386, table 2.3): calls only preserve general-purpose registers.
pub(super) const I386: RegisterFile = RegisterFile {
    allocatable: 0xff & !RSP.mask() | 0x7f << 32,
    scratch: set(&[RAX, RCX, RDX]) | floats([0, 1, 2]),
    preserved: set(&SAVED_32),
    home_order: &HOMES_32,
    saved_order: &SAVED_32,
    local_order: &LOCALS_32,
    edge_scratch: set(&[RAX, RCX, RDX, XMM15]),
    call_register: RAX,
    library_clobbers: !set(&SAVED_32),
    byte: 0xf,
    zeroable: 0xff & !RSP.mask() | 0x7f << 32 | XMM15.mask(),
    ..SYSTEM_V
};

/// i386 without SSE: floating-point numbers are in memory, and the number of the spare vector register stands for the top of the
/// x87 stack.
pub(super) const I386_X87: RegisterFile = RegisterFile {
    allocatable: 0xff & !RSP.mask(),
    scratch: set(&[RAX, RCX, RDX]),
    home_order: &SAVED_32,
    local_order: &LOCALS_X87,
    zeroable: 0xff & !RSP.mask(),
    ..I386
};

/// Bytes that callees own at the start of their stack arguments.
pub(super) const HOME_SPACE: u32 = 32;

/// Pushes, starting with the frame pointer, which points to its own saved value if there is one; then the fixed part.
pub(super) const FRAME_SYSTEM_V: FrameRules = FrameRules {
    stack_pointer: RSP,
    frame_pointer: RBP,
    link: 8,
    link_register: None,
    pushed: 0xffff_ffff,
    next_push,
    push_unit: 8,
    word: 8,
    vector: 16,
    low_frame_pointer: None,
    reaches_up: false,
    leaf_frame_pointer: true,
    has_leave: true,
    page: 4096,
    signing: Signing::None,
    probe_changes: 0,
    // Vector registers are never restored.
    unwinding: Unwinding::Dwarf(|r| (!r.is_float()).then(|| dwarf_64(r))),
    funclets: None,
};

/// The same of i386.
pub(super) const FRAME_I386: FrameRules = FrameRules {
    link: 4,
    push_unit: 4,
    word: 4,
    unwinding: Unwinding::Dwarf(|r| (!r.is_float()).then(|| dwarf_32(r))),
    ..FRAME_SYSTEM_V
};

/// The same of 32-bit Windows.
pub(super) const FRAME_WINDOWS_32: FrameRules =
    FrameRules { funclets: Some(FuncletRules { places: FuncletPlaces::Record, stack_align: 4 }), ..FRAME_I386 };

/// The prologue and the epilogue that Windows' unwinder recognizes (Microsoft, "x64 prolog and epilog").
pub(super) const FRAME_WINDOWS: FrameRules = FrameRules {
    low_frame_pointer: Some(128),
    has_leave: false,
    unwinding: Unwinding::WindowsSteps,
    funclets: Some(FuncletRules { places: FuncletPlaces::StackPointer, stack_align: 16 }),
    ..FRAME_SYSTEM_V
};

/// DWARF's number of a register (psABI x86-64, figure 3.36).
pub(super) fn dwarf_64(r: PReg) -> u16 {
    if r.is_float() {
        return u16::from(r.num()) + 17;
    }
    [0, 2, 1, 3, 7, 6, 4, 5].get(r.num() as usize).copied().unwrap_or(r.num().into())
}

/// The same (psABI i386, table 2.14).
pub(super) fn dwarf_32(r: PReg) -> u16 {
    u16::from(r.num()) + if r.is_float() { 21 } else { 0 }
}

/// CodeView's number of a register by DWARF's number, of the part that holds this many bytes (Microsoft, `cvconst.h`, `CV_AMD64_…`).
pub(super) fn codeview_64(dwarf: u16, bytes: u16) -> Option<u16> {
    // In DWARF's order: the wide registers, and their parts of one, two and four bytes.
    const WIDE: [u16; 8] = [328, 331, 330, 329, 332, 333, 334, 335];
    const PARTS: [[u16; 3]; 8] =
        [[1, 9, 17], [3, 11, 19], [2, 10, 18], [4, 12, 20], [324, 15, 23], [325, 16, 24], [326, 14, 22], [327, 13, 21]];
    let part = match bytes {
        1 => 0,
        2 => 1,
        3 | 4 => 2,
        _ => 3,
    };
    Some(match dwarf {
        0..8 => PARTS[usize::from(dwarf)].get(part).copied().unwrap_or(WIDE[usize::from(dwarf)]),
        8..=15 => [344, 352, 360, 336][part] + dwarf - 8,
        17..=24 => 154 + dwarf - 17,
        25..=32 => 252 + dwarf - 25,
        67..83 => 694 + dwarf - 67,
        _ => return None,
    })
}

/// The same for 32-bit code (`CV_REG_…`).
pub(super) fn codeview_32(dwarf: u16, bytes: u16) -> Option<u16> {
    Some(match (dwarf, bytes) {
        (0..4, 1) => 1 + dwarf,
        (0..8, 2) => 9 + dwarf,
        (0..8, _) => 17 + dwarf,
        (11..19, _) => 128 + dwarf - 11,
        (21..29, _) => 154 + dwarf - 21,
        _ => return None,
    })
}

/// The names of registers in programs that find frames of 32-bit code, by DWARF's numbers.
pub(super) fn frame_data_name(dwarf: u16) -> Option<&'static str> {
    const NAMES: [&str; 9] = ["$eax", "$ecx", "$edx", "$ebx", "$esp", "$ebp", "$esi", "$edi", "$eip"];
    NAMES.get(usize::from(dwarf)).copied()
}

fn next_push(set: u64, base: FrameBase) -> u64 {
    if base.is_framed() && set & RBP.mask() != 0 { RBP.mask() } else { set & set.wrapping_neg() }
}
