//! Addresses that accesses have computed in the encoder's temporary are not computed again, in optimized A32 code.

use gusset_codegen::buffer::CodeBuffer;

use super::effects::written;
use super::registers::LINK;

/// The most bytes of code between two sums.
const WINDOW: u32 = 256;

/// The stack pointer as a base.
const STACK: u32 = 13;

/// Removes sums whose result the temporary still has.
pub(super) fn remove_repeated(buf: &mut CodeBuffer, custom: u8) {
    let (sums, bound) = (buf.accesses(), buf.bound_offsets());
    let removed: Vec<u32> = sums
        .windows(2)
        .filter(|pair| is_repeated(buf.bytes(), (pair[0], pair[1]), &bound, custom))
        .map(|pair| pair[1])
        .collect();
    buf.remove(&removed, 4);
}

fn is_repeated(code: &[u8], (first, second): (u32, u32), bound: &[u32], custom: u8) -> bool {
    let word = |at: u32| code.get(at as usize..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes));
    let Some(sum) = word(first).filter(|&sum| Some(sum) == word(second)) else { return false };
    // The encoder's temporary.
    let (base, temp) = (sum >> 16 & 15, u32::from(LINK.num()));
    // Immediate sums and differences, under no condition, whose result is the temporary.
    let adds = matches!(sum >> 20, 0xe28 | 0xe24) && sum >> 12 & 15 == temp;
    let labelled = bound.partition_point(|&at| at <= first) < bound.partition_point(|&at| at <= second);
    if !adds || labelled || second - first > WINDOW {
        return false;
    }
    let kept = 1 << base | LINK.mask();
    (first + 4..second).step_by(4).filter_map(word).all(|word| {
        let calls = word >> 24 & 15 == 0xb || word >> 28 == 15 || word & 0x0fff_ffd0 == 0x012f_ff10;
        let moves = calls || base == STACK && moves_stack(word);
        !moves && written(&word.to_le_bytes(), false, custom) & kept == 0
    })
}

/// May it change the stack pointer?
fn moves_stack(word: u32) -> bool {
    let moving = word >> 16 & 15 == STACK && (word >> 21 & 1 != 0 || word >> 24 & 1 == 0);
    match word >> 25 & 7 {
        0 | 1 => word >> 12 & 15 == STACK || moving,
        2 | 3 | 4 | 6 => moving || word >> 12 & 15 == STACK,
        _ => false,
    }
}
