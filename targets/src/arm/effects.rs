//! What machine code does to registers, by the groups of the encodings (Arm Architecture Reference Manual, ARMv7-A and ARMv7-R edition,
//! chapters A5 to A7): for the checker of register allocation.

use super::encode::neon::{ROWS, as_a32};

/// Registers that a stretch of code may change, as the allocator numbers them.
pub(super) fn written(code: &[u8], thumb: bool) -> u64 {
    let mut halves =
        code.chunks_exact(2).filter_map(|bytes| bytes.first_chunk()).map(|&b| u16::from_le_bytes(b).into());
    let mut mask = 0;
    while let Some(first) = halves.next() {
        let mut other = || halves.next().unwrap_or(0);
        mask |= match first >> 11 {
            _ if !thumb => by_a32(other() << 16 | first),
            29.. => by_t32(first << 16 | other()),
            _ => by_short(first),
        };
    }
    // Nobody allocates the stack pointer and the program counter; the number of the latter often means no register.
    mask & !0xa000
}

/// The general-purpose register in the field that begins at a bit.
fn field(word: u32, from: u32) -> u64 {
    1 << (word >> from & 15)
}

fn when(holds: bool, mask: u64) -> u64 {
    if holds { mask } else { 0 }
}

fn by_a32(word: u32) -> u64 {
    let bit = |n: u32| word >> n & 1 != 0;
    let (n, t) = (field(word, 16), field(word, 12));
    match word >> 25 & 7 {
        6 | 7 => by_coprocessor(word),
        _ if word >> 28 == 15 => by_vector(word),
        0 if word & 0x90 == 0x90 => by_product(word),
        // Counts of zeros, sums that saturate, reads of the status; branches.
        0 if word & 0x0190_0000 == 0x0100_0000 => match (word >> 4 & 15, word >> 21 & 3) {
            (0, 0 | 2) | (1, 3) | (4 | 5, _) => t,
            (8.., _) => n,
            _ => 0,
        },
        // Comparisons; numbers of sixteen bits, and hints.
        0 | 1 if word >> 23 & 3 == 2 => when(!bit(20) && !bit(21), t),
        0 | 1 => t,
        3 if bit(4) => match word >> 20 & 31 {
            // Products and quotients.
            20 => n | t,
            16..=24 => n,
            31 => 0,
            _ => t,
        },
        2 | 3 => when(bit(20), t) | when(!bit(24) || bit(21), n),
        4 => when(bit(20), (word & 0xffff).into()) | when(bit(21), n),
        _ => 0,
    }
}

/// A32's products, exclusive accesses, and accesses of other than words and bytes.
fn by_product(word: u32) -> u64 {
    let bit = |n: u32| word >> n & 1 != 0;
    let (n, t) = (field(word, 16), field(word, 12));
    match (word >> 5 & 3, bit(24)) {
        (0, false) => n | when(bit(23), t),
        (0, true) => t | when(word >> 20 & 7 == 3, t << 1),
        (kind, before) => {
            let loaded = if bit(20) { t } else { when(kind == 2, t | t << 1) };
            loaded | when(!before || bit(21), n)
        }
    }
}

/// T32's instructions of 32 bits.
fn by_t32(word: u32) -> u64 {
    let bit = |n: u32| word >> n & 1 != 0;
    let (n, t, d, m) = (field(word, 16), field(word, 12), field(word, 8), field(word, 0));
    match word >> 25 & 15 {
        4 if !bit(22) => when(bit(20), (word & 0xffff).into()) | when(bit(21), n),
        // Exclusive accesses; jumps through tables.
        4 if !bit(24) && !bit(21) => match (bit(23), bit(20)) {
            (false, load) => {
                if load {
                    t
                } else {
                    d
                }
            }
            (true, load) => {
                if load {
                    when(word >> 5 & 7 != 0, t | d)
                } else {
                    m
                }
            }
        },
        4 => when(bit(20), t | d) | when(bit(21), n),
        5 => d,
        // Branches have the bit, and barriers.
        8..=11 => when(!bit(15), d),
        7 | 15 if bit(24) => by_vector(as_a32(word)),
        12 if bit(24) && !bit(20) => by_vector(as_a32(word)),
        12 => when(bit(20), t) | when(word & 0x0080_0900 == 0x900, n),
        13 => d | when(bit(24) && bit(23), t),
        6 | 7 | 14 | 15 => by_coprocessor(word),
        _ => 0,
    }
}

/// T32's instructions of 16 bits.
fn by_short(half: u32) -> u64 {
    let low = |from: u32| 1 << (half >> from & 7);
    let loads = half >> 11 & 1 != 0;
    match half >> 10 {
        0..8 => low(0),
        10 | 11 => 0,
        8..16 | 18 | 19 | 40..44 => low(8),
        16 => when(!matches!(half >> 6 & 15, 8 | 10 | 11), low(0)),
        17 => when(matches!(half >> 8 & 3, 0 | 2), 1 << (half >> 4 & 8 | half & 7)),
        20..24 => when(half >> 9 & 7 > 2, low(0)),
        24..36 => when(loads, low(0)),
        36..40 => when(loads, low(8)),
        44..48 => match half >> 8 & 15 {
            2 | 10 => low(0),
            12 | 13 => (half & 0xff).into(),
            _ => 0,
        },
        48..52 => low(8) | when(loads, (half & 0xff).into()),
        _ => 0,
    }
}

/// So many floating-point registers from one on, whose number is in four bits and one elsewhere. An upper half alone is written only
/// as an argument, beside another in the lower half.
fn floats(word: u32, (four, one): (u32, u32), double: bool, count: u32) -> u64 {
    let (number, bit) = (word >> four & 15, word >> one & 1);
    let (first, size) = if double { (2 * (number | bit << 4), 2 * count) } else { ((2 * number) | bit, count) };
    // Those that have no halves are numbered by the vector that they are a part of, as odd numbers from 17 on. What has such a number in
    // the encoding is the upper half of a register that goes by the lower one's.
    if first > 31 {
        return 1 << (32 + first / 4 * 2 + 1);
    }
    let halves = (((1u128 << size.min(32)) - 1) << first) as u64;
    (halves & 0xffff | (halves | halves >> 1) & 0x5555_0000) << 32
}

/// Vector instructions, as A32 has them.
fn by_vector(word: u32) -> u64 {
    let bit = |n: u32| word >> n & 1 != 0;
    let d = |count| floats(word, (12, 22), true, count);
    match word >> 24 {
        0xf4 if bit(21) => d(2),
        0xf2 | 0xf3 => {
            let Some(row) = ROWS.iter().find(|row| row.matches(word).is_some()) else { return d(1 + (word >> 6 & 1)) };
            // Exchanges of lanes change the other one, too.
            let count = 1 + (word >> 6 & 1);
            let other = if row.op.changes_both() { floats(word, (0, 5), true, count) } else { 0 };
            let whole = if row.op.form.is_sized() { bit(6) } else { row.op.form.sizes()[0] == 'q' };
            other | d(1 + u32::from(whole))
        }
        _ => 0,
    }
}

/// Instructions of coprocessors, which both sets have: VFP's and reads of system registers.
fn by_coprocessor(word: u32) -> u64 {
    let bit = |n: u32| word >> n & 1 != 0;
    let (n, t) = (field(word, 16), field(word, 12));
    let double = bit(8);
    let d = |count| floats(word, (12, 22), double, count);
    match word >> 24 & 15 {
        14 if word & 0xe00 != 0xa00 => when(bit(4) && bit(20), t),
        14 if bit(4) && bit(20) => t,
        14 if bit(4) => when(double || word >> 21 & 7 == 0, floats(word, (16, 7), double, 1)),
        14 => {
            let compared = word & 0x0fbe_0040 == 0x0eb4_0040;
            // Of another size than what is converted: integers, halves, and numbers made wider or narrower.
            let rounded = word & 0x0fbe_0040 == 0x0ebc_0040 || word & 0xffbc_0040 == 0xfebc_0040;
            let single = rounded || word & 0x0fbf_0040 == 0x0eb3_0040;
            let resized = word & 0x0fbf_00c0 == 0x0eb7_00c0;
            when(!compared, floats(word, (12, 22), double != resized && !single, 1))
        }
        12 | 13 if word & 0xe00 != 0xa00 => 0,
        12 if word & 0x00e0_0000 == 0x0040_0000 => {
            if bit(20) {
                t | n
            } else {
                floats(word, (0, 5), double, if double { 1 } else { 2 })
            }
        }
        12 | 13 => {
            let count = if bit(24) && !bit(21) { 1 } else { (word & 0xff) >> u32::from(double) };
            when(bit(20), d(count)) | when(bit(21), n)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::written;
    use crate::arm::encode::neon::*;
    use crate::arm::encode::ops::*;
    use crate::arm::encode::{Asm, Isa};
    use crate::arm::reg::*;
    use gusset_codegen::buffer::CodeBuffer;

    /// What an instruction changes, which is the same in both sets.
    fn of(encode: impl Fn(&mut Asm)) -> u64 {
        let [a32, t32] = [Isa::A32, Isa::T32].map(|isa| {
            let mut buf = CodeBuffer::new(isa.code());
            encode(&mut Asm::new(&mut buf, isa));
            written(buf.bytes(), isa == Isa::T32)
        });
        assert_eq!(a32, t32);
        a32
    }

    const KEEP: Flags = Flags::Keep;
    const FREE: Flags = Flags::Free;
    const M: Mem = Mem::Base(Gpr(1), 16);
    const fn r(n: u32) -> u64 {
        1 << n
    }
    const fn s(n: u32) -> u64 {
        1 << (32 + n)
    }
    const fn d(n: u32) -> u64 {
        (if n < 8 { 3 } else { 1 }) << (32 + 2 * n)
    }

    #[test]
    fn integers() {
        for flags in [KEEP, FREE, Flags::Set] {
            assert_eq!(of(|a| a.data(ADD, flags, Gpr(3), Gpr(4), Gpr(5))), r(3));
            assert_eq!(of(|a| a.data(EOR, flags, Gpr(3), Gpr(3), Gpr(5))), r(3));
            assert_eq!(of(|a| a.data(SBC, flags, Gpr(9), Gpr(4), by(5))), r(9));
            assert_eq!(of(|a| a.unary(MVN, flags, Gpr(7), Gpr(2))), r(7));
            assert_eq!(of(|a| a.unary(MOV, flags, Gpr(7), by(2))), r(7));
        }
        assert_eq!(of(|a| a.mov(Gpr(9), Gpr(2))), r(9));
        for op in [CMP, CMN, TST, TEQ] {
            assert_eq!(of(|a| a.compare(op, Gpr(4), Gpr(5))), 0);
            assert_eq!(of(|a| a.compare(op, Gpr(4), by(9))), 0);
            assert_eq!(of(|a| a.compare(op, Gpr(4), a.isa.immediate(200).unwrap())), 0);
        }
        assert_eq!(of(|a| a.mov_number(FREE, Gpr(6), 0x1234_5678)), r(6));
        assert_eq!(of(|a| a.add_number(FREE, Gpr(6), Gpr(5), 4)), r(6));
        assert_eq!(of(|a| a.add_number(KEEP, SP, SP, -64)), 0);
        assert_eq!(of(|a| a.shift_rr(Shift::Lsl, FREE, Gpr(6), Gpr(6), Gpr(2))), r(6));
        assert_eq!(of(|a| a.mul(FREE, Gpr(3), Gpr(3), Gpr(5))), r(3));
        assert_eq!(of(|a| a.registers(MLA, [Gpr(3), Gpr(4), Gpr(5), Gpr(6)])), r(3));
        assert_eq!(of(|a| a.registers(UMULL, [Gpr(3), Gpr(4), Gpr(5), Gpr(6)])), r(3) | r(4));
        assert_eq!(of(|a| a.registers(SMLALD, [Gpr(3), Gpr(4), Gpr(5), Gpr(6)])), r(3) | r(4));
        assert_eq!(of(|a| a.registers(SMLABB, [Gpr(3), Gpr(4), Gpr(5), Gpr(6)])), r(3));
        assert_eq!(of(|a| a.registers(CRC32B, [Gpr(3), Gpr(4), Gpr(5)])), r(3));
        assert_eq!(of(|a| a.registers(UHADD8, [Gpr(3), Gpr(4), Gpr(5)])), r(3));
        assert_eq!(of(|a| a.registers(SDIV, [Gpr(3), Gpr(4), Gpr(5)])), r(3));
        assert_eq!(of(|a| a.extract(UBFX, Gpr(3), Gpr(4), (3, 7))), r(3));
        assert_eq!(of(|a| a.extend(SXTH, Gpr(3), Gpr(9))), r(3));
        assert_eq!(of(|a| [CLZ, RBIT, REV].into_iter().for_each(|op| a.rr(op, Gpr(3), Gpr(5)))), r(3));
        assert_eq!(of(|a| a.thread_pointer(Gpr(7))), r(7));
        assert_eq!(of(|a| a.branch_r(BX, LR)), 0);
        assert_eq!(of(|a| a.conditional(Cond::Eq, |a| a.mov(Gpr(2), Gpr(1)))), r(2));
        assert_eq!(
            of(|a| {
                a.hint(NOP);
                a.barrier(DMB, 11);
                a.trap(UDF, 1);
            }),
            0
        );
    }

    fn by(n: u8) -> Operand {
        Operand::Shifted(Gpr(n), Shift::Lsl, 3)
    }

    #[test]
    fn memory() {
        for op in [LDR, LDRB, LDRH, LDRSB, LDRSH] {
            assert_eq!(of(|a| a.access(op, Gpr(3), M)), r(3));
            assert_eq!(of(|a| a.access(op, Gpr(9), Mem::Index(Gpr(4), Gpr(5), 0))), r(9));
            assert_eq!(of(|a| a.access(op, Gpr(9), Mem::Base(Gpr(4), -8))), r(9));
            assert_eq!(of(|a| a.access(op, Gpr(3), Mem::Post(Gpr(4), 4))), r(3) | r(4));
        }
        for op in [STR, STRB, STRH] {
            assert_eq!(of(|a| a.access(op, Gpr(3), M)), 0);
            assert_eq!(of(|a| a.access(op, Gpr(9), Mem::Index(Gpr(4), Gpr(5), 0))), 0);
            assert_eq!(of(|a| a.access(op, Gpr(3), Mem::Pre(Gpr(4), -4))), r(4));
        }
        assert_eq!(of(|a| a.access(LDR, Gpr(3), Mem::Base(SP, 8))), r(3));
        assert_eq!(of(|a| a.pop(0x00f0)), 0xf0);
        assert_eq!(of(|a| a.push(0x40f0)), 0);
        assert_eq!(of(|a| a.multiple(LDMIA, Gpr(2), true, 0x330)), 0x330 | r(2));
        assert_eq!(of(|a| a.registers(LDREXB, [Gpr(3), Gpr(4)])), r(3));
        assert_eq!(of(|a| a.registers(LDREX, [Gpr(3), Gpr(4)])), r(3));
        assert_eq!(of(|a| a.registers(STREXH, [Gpr(3), Gpr(4), Gpr(5)])), r(3));
        assert_eq!(of(|a| a.registers(STREX, [Gpr(3), Gpr(4), Gpr(5)])), r(3));
        assert_eq!(of(|a| a.ordered_pair(LDREXD, (Gpr(4), Gpr(5)), Gpr(6))), r(4) | r(5));
        assert_eq!(of(|a| a.conditional_pair(STREXD, Gpr(3), (Gpr(4), Gpr(5)), Gpr(6))), r(3));
    }

    #[test]
    fn floating_point() {
        use Vreg::{D, S};
        assert_eq!(of(|a| a.frrr(VADD, D(3), D(4), D(5))), d(3));
        assert_eq!(of(|a| a.frrr(VADD, S(6), S(4), S(5))), s(6));
        assert_eq!(of(|a| a.frr(VSQRT, S(7), S(5))), s(7));
        assert_eq!(of(|a| a.frr(VCMP, D(3), D(4))), 0);
        assert_eq!(
            of(|a| {
                a.fzero(VCMP_ZERO, S(3));
                a.compared();
            }),
            0
        );
        assert_eq!(of(|a| a.to_int(VCVT_S32, S(8), D(1))), s(8));
        assert_eq!(of(|a| a.from_int(VCVT_FROM_U32, D(8), S(2))), d(8));
        assert_eq!(of(|a| a.fconvert(VCVT_F64_F32, D(8), S(2))), d(8));
        assert_eq!(of(|a| a.fconvert(VCVT_F32_F64, S(8), D(2))), s(8));
        assert_eq!(of(|a| a.fmov_number(D(9), 0x70)), d(9));
        assert_eq!(of(|a| a.from_gpr(S(8), Gpr(3))), s(8));
        assert_eq!(of(|a| a.to_gpr(Gpr(3), S(8))), r(3));
        assert_eq!(of(|a| a.from_pair(D(8), (Gpr(3), Gpr(4)))), d(8));
        assert_eq!(of(|a| a.to_pair((Gpr(3), Gpr(4)), D(8))), r(3) | r(4));
        assert_eq!(of(|a| a.faccess(VLDR, D(8), M)), d(8));
        assert_eq!(of(|a| a.faccess(VSTR, D(8), M)), 0);
        let (q9, q12) = (s(19), s(25));
        assert_eq!(of(|a| a.vector(V_ADD, Lane::S, Vreg::Q(9), Vreg::Q(12), Vreg::Q(12))), q9);
        assert_eq!(of(|a| a.vector(V_ZIP, Lane::H, Vreg::Q(9), Vreg::Q(12), Vreg::Q(12))), q9 | q12);
        assert_eq!(of(|a| a.vector(V_MOVN, Lane::H, D(25), D(18), Vreg::Q(9))), q12);
        assert_eq!(of(|a| a.vector(V_MULL, Lane::H, Vreg::Q(9), D(18), D(25))), q9);
        assert_eq!(of(|a| a.vshift(V_SLI, Lane::D, D(18), D(6), 32)), q9);
        assert_eq!(of(|a| a.dup_lane(Lane::S, D(6), D(18), 1)), d(6));
        assert_eq!(of(|a| a.vmov_number(Vreg::Q(9), 14, false, 1)), q9);
        assert_eq!(of(|a| a.vext(Vreg::Q(9), Vreg::Q(12), Vreg::Q(12), 3)), q9);
        assert_eq!(of(|a| a.set_lane(Lane::B, D(18), 3, Gpr(3))), q9);
        assert_eq!(of(|a| a.get_lane(Lane::B, true, Gpr(3), D(18), 3)), r(3));
        assert_eq!(of(|a| a.dup(Lane::H, Vreg::Q(12), Gpr(3))), q12);
        assert_eq!(of(|a| a.vaccess(true, Vreg::Q(9), Gpr(3))), q9);
        assert_eq!(of(|a| a.vaccess(false, Vreg::Q(9), Gpr(3))), 0);
        assert_eq!(of(|a| a.frr(VMOV, D(25), D(4))), q12);
        assert_eq!(of(|a| a.fmultiple(VLDMIA, SP, true, D(8), 2)), d(8) | d(9));
        assert_eq!(of(|a| a.fmultiple(VSTMDB, Gpr(4), true, D(8), 2)), r(4));
    }
}
