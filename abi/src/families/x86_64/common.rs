//! What the conventions of x86-64 and what LLVM makes of them share.

use crate::prelude::*;
use crate::reg::x86::*;

/// The registers of `preserve_none` that integers of up to 16 bits use: those of the C convention.
pub(crate) const PRESERVE_NONE_C: core::ops::Range<usize> = 4..10;
/// psABI, section 3.5.7: the register save area.
pub(crate) const SAVE_INT_BYTES: u32 = 48;
pub(crate) const SAVE_BYTES: u32 = 176;

/// The register of a parameter with a role of its own.
pub(crate) fn role_register(role: Role) -> Option<Reg> {
    match role {
        Role::Nest => Some(R10),
        Role::SwiftSelf => Some(R13),
        Role::SwiftError => Some(R12),
        Role::SwiftAsync => Some(R14),
        _ => None,
    }
}

/// Do functions return the address of a result in memory? Swift's conventions do not, and `preserve_most` and
/// `preserve_all` restore rax instead.
pub(crate) fn returns_address(convention: Convention) -> bool {
    !convention.is_swift() && !matches!(convention, Convention::PreserveMost | Convention::PreserveAll)
}

/// The registers of a result, with rax if the address of a result in memory is returned there.
pub(crate) fn results(ret: &PassMode, rax: bool) -> RegSet {
    let start = if rax { RegSet::of(&[RAX]) } else { RegSet::EMPTY };
    ret.pieces().iter().filter_map(Piece::reg).fold(start, RegSet::with)
}

/// The registers that a callee preserves; the C convention preserves `c`. LLVM's variations follow LangRef, "Calling
/// Conventions", and what llc 19 saves.
pub(crate) fn preserved(target: &AbiTarget, signature: &Signature, c: RegSet) -> RegSet {
    let every = all(target);
    let every = RegSet { float: if target.features.vector_bytes > 0 { every.float } else { 0 }, x87: 0, ..every };
    match signature.modifiers.preserves {
        Preserves::Usual => {}
        Preserves::All => return every,
        Preserves::Nothing => return RegSet::EMPTY,
    }
    let most = c.union(RegSet::of(&[RAX, RCX, RDX, RSI, RDI, R8, R9, R10]));
    let kept = match signature.convention {
        Convention::Ghc => RegSet::EMPTY,
        Convention::Interrupt => every,
        Convention::RegCall => {
            let more = if target.is_windows() { RegSet::of(&[R10, R11]) } else { RegSet::EMPTY };
            RegSet { float: every.float & 0xff00, ..c.union(more) }
        }
        Convention::SwiftTail => c.without(R13).without(R14),
        Convention::PreserveNone => RegSet::of(&[RBP]),
        Convention::PreserveMost => most,
        Convention::PreserveAll => RegSet { float: 0xffff, ..most },
        Convention::Cold => RegSet { float: 0xffff, ..most.without(RAX).with(R11) },
        _ => c,
    };
    // The error comes back in the register.
    if signature.takes_error() { kept.without(R12) } else { kept }
}

/// The step that fetches these pieces from the save area, or `size` bytes aligned to `align` from the stack.
pub(crate) fn va_plan(pieces: &Pieces, size: u64, align: u32) -> VaArg {
    let count = |class| pieces.iter().filter(|p| p.reg().is_some_and(|r| r.class == class)).count() as u32;
    let (ints, floats) = (count(RegClass::Int), count(RegClass::Float));
    let regs = (ints + floats > 0).then(|| {
        let mut counters = InlineVec::new();
        let mut counter = |field, step, limit| {
            counters.push(VaCounter { field, step, limit, align: 1, base: 16 });
            counters.len() as u8 - 1
        };
        let gp = if ints > 0 { counter(0, 8 * ints, SAVE_INT_BYTES as i32) } else { 0 };
        let fp = if floats > 0 { counter(4, 16 * floats, SAVE_BYTES as i32) } else { 0 };
        let (mut next_gp, mut next_fp) = (0, 0);
        let place = |p: &Piece| {
            let float = p.reg().is_some_and(|r| r.class == RegClass::Float);
            let (counter, next, width) = if float { (fp, &mut next_fp, 16) } else { (gp, &mut next_gp, 8) };
            let at = *next;
            *next += width;
            VaPiece { offset: p.offset, size: p.size, counter, at }
        };
        let pieces: InlineVec<VaPiece, 4> = pieces.iter().map(place).collect();
        let contiguous = pieces.iter().all(|p| p.counter == pieces[0].counter && p.at == p.offset);
        VaRegs { counters, pieces, contiguous, exhausts: false }
    });
    let on_stack = VaArg::in_slots(size, 8, align.max(8), size.next_multiple_of(8), false);
    VaArg { regs, overflow_field: 8, ..on_stack }
}

/// All registers that a call may change.
pub(crate) fn all(target: &AbiTarget) -> RegSet {
    let vectors = if target.features.vector_bytes >= 64 { 32 } else { 16 };
    RegSet { int: 0xffff, x87: 0xff, float: (1 << vectors) - 1 }.without(RSP)
}
