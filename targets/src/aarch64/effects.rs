//! Which registers machine code changes, by the groups of A64's encoding (Arm Architecture Reference Manual, chapter
//! C4), for the checker of register allocation.

/// The general-purpose and vector registers that a range of code may change, by the allocator's numbers.
pub(super) fn written(code: &[u8]) -> u64 {
    let words = code.chunks_exact(4).filter_map(|bytes| bytes.first_chunk());
    let written = words.fold(0, |mask, bytes| mask | written_by(u32::from_le_bytes(*bytes)));
    // Number 31 is the stack pointer, which is never allocated, or no register.
    written & !(1 << 31)
}

/// The register in the field that begins at a bit: general-purpose or vector.
fn field(word: u32, from: u32, vector: bool) -> u64 {
    1 << ((word >> from & 31) + if vector { 32 } else { 0 })
}

fn written_by(word: u32) -> u64 {
    match word >> 25 & 15 {
        8 | 9 => field(word, 0, false),
        // A move from a system register. What calls change is known elsewhere.
        10 | 11 if word >> 20 == 0xd53 => field(word, 0, false),
        4 | 6 | 12 | 14 => by_access(word),
        // Conditional comparisons only change flags.
        5 | 13 if word & 0x1fe0_0000 == 0x1a40_0000 => 0,
        5 | 13 => field(word, 0, false),
        7 | 15 => by_vector(word),
        _ => 0,
    }
}

/// Loads and stores.
fn by_access(word: u32) -> u64 {
    let bit = |n: u32| word >> n & 1 != 0;
    let (first, vector) = (word >> 27 & 7, bit(26));
    let if_set = |set: bool, mask: u64| if set { mask } else { 0 };
    let (t, base) = (field(word, 0, vector), field(word, 5, false));
    match first {
        // Exclusive and ordered accesses, and compare-and-swap.
        1 if !bit(31) && !bit(23) && bit(21) => 3 << (word >> 16 & 31),
        1 => match (bit(23), bit(22), bit(21)) {
            (true, _, true) => field(word, 16, false),
            (_, true, pair) => t | if_set(pair && !bit(23), field(word, 10, false)),
            (false, false, _) => field(word, 16, false),
            (true, false, false) => 0,
        },
        // Of tags of memory, only loads change a register.
        3 if word >> 24 == 0xd9 => if_set(word & 0xffe0_0c00 == 0xd960_0000, t),
        3 => t,
        5 => if_set(bit(22), t | field(word, 10, vector)) | if_set(bit(23), base),
        _ => {
            let indexed = !bit(24) && !bit(21) && bit(10);
            let operation = !bit(24) && bit(21) && word >> 10 & 3 == 0;
            let prefetch = word >> 22 == 0x3e6 || word >> 22 == 0x3e2;
            let loads = bit(22) || !vector && bit(23);
            if_set(!prefetch && (loads || operation), t) | if_set(indexed, base)
        }
    }
}

/// Floating-point and vector instructions.
fn by_vector(word: u32) -> u64 {
    // Moves between the two kinds of registers; the operation says in which direction.
    let to_int = word & 0x5f20_fc00 == 0x1e20_0000 && matches!(word >> 16 & 7, 0 | 1 | 4 | 5 | 6);
    let lane = matches!(word & 0xbfe0_fc00, 0x0e00_2c00 | 0x0e00_3c00);
    let compares = word & 0xff20_fc07 == 0x1e20_2000 || word & 0xff20_0c00 == 0x1e20_0400;
    if compares { 0 } else { field(word, 0, !(to_int || lane)) }
}

#[cfg(test)]
mod tests {
    use super::written;
    use crate::aarch64::encode::ops::*;
    use crate::aarch64::encode::{Asm, CODE};
    use crate::aarch64::reg::*;
    use gusset_codegen::buffer::CodeBuffer;

    fn of(encode: impl FnOnce(&mut Asm)) -> u64 {
        let mut buf = CodeBuffer::new(&CODE);
        encode(&mut Asm::new(&mut buf));
        written(buf.bytes())
    }

    const X: Width = Width::X;
    const fn x(n: u32) -> u64 {
        1 << n
    }
    const fn v(n: u32) -> u64 {
        1 << (32 + n)
    }

    #[test]
    fn integers() {
        assert_eq!(of(|a| a.add_rr(ADD, X, Gpr(3), Gpr(4), Gpr(5))), x(3));
        assert_eq!(of(|a| a.add_ri(SUBS, X, ZR, Gpr(4), 1)), 0);
        assert_eq!(of(|a| a.mov_number(X, Gpr(9), 0x1234_5678_9abc)), x(9));
        assert_eq!(of(|a| a.cond_compare_rr(CCMP, X, Gpr(1), Gpr(2), (0, Cond::Eq))), 0);
        assert_eq!(of(|a| a.cset(Gpr(6), Cond::Eq)), x(6));
        assert_eq!(of(|a| a.read_system(READ_TPIDR, Gpr(7))), x(7));
        assert_eq!(of(|a| a.branch_r(RET, Gpr(30))), 0);
    }

    #[test]
    fn memory() {
        let m = Mem::Base(Gpr(1), 16);
        assert_eq!(of(|a| a.access(LDR_X, Gpr(3), m)), x(3));
        assert_eq!(of(|a| a.access(LDRSW, Gpr(3), m)), x(3));
        assert_eq!(of(|a| a.access(STR_X, Gpr(3), m)), 0);
        assert_eq!(of(|a| a.access(LDR_Q, Vreg(3), m)), v(3));
        assert_eq!(of(|a| a.access(STR_Q, Vreg(3), m)), 0);
        assert_eq!(of(|a| a.access(PRFM, Gpr(3), m)), 0);
        assert_eq!(of(|a| a.access(LDR_D, Vreg(3), Mem::Post(Gpr(1), 8))), v(3) | x(1));
        assert_eq!(of(|a| a.access_pair(LDP_X, Gpr(3), Gpr(4), m)), x(3) | x(4));
        assert_eq!(of(|a| a.access_pair(STP_X, Gpr(3), Gpr(4), Mem::Pre(Gpr(2), -16))), x(2));
        assert_eq!(of(|a| a.ordered(LDAXR, 3, Gpr(3), Gpr(1))), x(3));
        assert_eq!(of(|a| a.ordered(STLR, 3, Gpr(3), Gpr(1))), 0);
        assert_eq!(of(|a| a.conditional(STXR, 2, Gpr(8), Gpr(3), Gpr(1))), x(8));
        assert_eq!(of(|a| a.ordered_pair(LDXP, X, (Gpr(3), Gpr(4)), Gpr(1))), x(3) | x(4));
        assert_eq!(of(|a| a.compare_and_swap(3, (true, true), Gpr(8), Gpr(3), Gpr(1))), x(8));
        assert_eq!(of(|a| a.compare_and_swap_pair((true, true), Gpr(8), Gpr(2), Gpr(1))), x(8) | x(9));
        assert_eq!(of(|a| a.update(LDADD, 3, (true, true), Gpr(8), Gpr(3), Gpr(1))), x(3));
    }

    #[test]
    fn vectors() {
        assert_eq!(of(|a| a.frrr(FADD, Fp::D, Vreg(3), Vreg(4), Vreg(5))), v(3));
        assert_eq!(of(|a| a.fcompare(FCMP, Fp::D, Vreg(3), Vreg(4))), 0);
        assert_eq!(of(|a| a.fcompare_zero(FCMP, Fp::S, Vreg(3))), 0);
        assert_eq!(of(|a| a.to_int(FCVTZS, X, Fp::D, Gpr(3), Vreg(4))), x(3));
        assert_eq!(of(|a| a.to_int(FMOV_TO_INT, X, Fp::D, Gpr(3), Vreg(4))), x(3));
        assert_eq!(of(|a| a.from_int(SCVTF, X, Fp::D, Vreg(3), Gpr(4))), v(3));
        assert_eq!(of(|a| a.high_to_int(Gpr(3), Vreg(4))), x(3));
        assert_eq!(of(|a| a.umov(Lanes::S4, Gpr(3), Vreg(4), 1)), x(3));
        assert_eq!(of(|a| a.insert(Lanes::S4, Vreg(3), 1, Gpr(4))), v(3));
        assert_eq!(of(|a| a.vrrr(V_ADD, Lanes::S4, Vreg(3), Vreg(4), Vreg(5))), v(3));
    }
}
