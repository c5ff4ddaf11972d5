//! Blocks of memory of known sizes.

/// Splits a block into pieces of 1 to `most` bytes (offset and size), few rather than disjoint: the last may overlap
/// the one before, unless it is a power of two and `exact`.
pub(crate) fn pieces(size: u32, most: u32, exact: bool, mut f: impl FnMut(u32, u32)) {
    let mut at = 0;
    while size - at >= most {
        f(at, most);
        at += most;
    }
    match size - at {
        0 => {}
        rest if rest.is_power_of_two() && (exact || size < most) => f(at, rest),
        _ if size > most => f(size - most, most),
        3 => {
            f(0, 2);
            f(2, 1);
        }
        rest => {
            let half = if rest < 8 { 4 } else { 8 };
            f(0, half);
            f(size - half, half);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_cover_the_block_and_no_more() {
        for (most, exact) in [(16, true), (8, false), (4, false)] {
            for size in 0..=130 {
                let mut covered = vec![false; size as usize];
                pieces(size, most, exact, |at, step| {
                    assert!(step.is_power_of_two() && step <= most);
                    covered[at as usize..(at + step) as usize].fill(true);
                });
                assert!(covered.iter().all(|&c| c), "{size} bytes by {most}");
            }
        }
    }
}
