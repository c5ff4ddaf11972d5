//! Lists and sets of registers.

use gusset_codegen::machine::PReg;

/// General-purpose registers in this order, then vector registers.
pub(crate) const fn order<const I: usize, const F: usize, const N: usize>(ints: [u8; I], floats: [u8; F]) -> [PReg; N] {
    let mut regs = [PReg::int(0); N];
    let mut i = 0;
    while i < N {
        regs[i] = if i < I { PReg::int(ints[i]) } else { PReg::float(floats[i - I]) };
        i += 1;
    }
    regs
}

pub(crate) const fn set(regs: &[PReg]) -> u64 {
    let (mut mask, mut i) = (0, 0);
    while i < regs.len() {
        mask |= regs[i].mask();
        i += 1;
    }
    mask
}
