//! Which registers machine code changes, by the groups of the encodings (Arm Architecture Reference Manual, ARMv7-A and
//! ARMv7-R edition, chapters A5 to A7), for the checker of register allocation.

use super::encode::custom::{CUSTOM, is_custom};
use super::encode::neon::{ROWS, as_a32};
use super::encode::ops::candidates;
use crate::shared::arm::template::fields;

/// The registers that a range of code may change, by the allocator's numbers; `custom` says which coprocessors have instructions of the
/// processor's maker, as bits.
pub(super) fn written(code: &[u8], thumb: bool, custom: u8) -> u64 {
    let mut halves =
        code.chunks_exact(2).filter_map(|bytes| bytes.first_chunk()).map(|&b| u16::from_le_bytes(b).into());
    let mut mask = 0;
    while let Some(first) = halves.next() {
        let mut other = || halves.next().unwrap_or(0);
        mask |= match first >> 11 {
            _ if !thumb => by(other() << 16 | first, false),
            29.. => match first << 16 | other() {
                word if is_custom(word, custom) => {
                    let names = CUSTOM.iter().flat_map(|names| names.find(word, true)).next();
                    names.map_or(!0, |(_, template)| by_template(template, word, true))
                }
                word => by(word, true),
            },
            _ => by(first, true),
        };
    }
    // The stack pointer and the program counter are never allocated; the number of the latter often means no register.
    mask & !0xa000
}

/// The registers that an instruction changes; an unknown instruction may change all.
fn by(word: u32, t32: bool) -> u64 {
    let (word, t32) = as_a32(word, t32);
    if let Some((_, template)) = candidates(word, t32).next() {
        return by_template(template, word, t32);
    }
    let Some(row) = ROWS.iter().find(|row| row.matches(word).is_some()) else { return !0 };
    // An exchange of lanes changes the other register, too.
    let other = if row.op.changes_both() { by_template("{=vm}", word, false) } else { 0 };
    other | by_template(row.op.form.template(), word, false)
}

fn by_template(template: &str, word: u32, t32: bool) -> u64 {
    let bit = |n: u32| word >> n & 1 != 0;
    fields(template, t32.into()).fold(0, |mask, field| {
        let (value, written) = (field.value(word), field.is_written(word));
        mask | match field.kind {
            b'r' if written => 1 << value,
            b'p' if written => 1 << (value + u32::from(!t32)),
            b'q' if written && field.place == b' ' => 2 << value,
            b'L' if written => value.into(),
            b'b' if bit(21) => 1 << value,
            b'A' | b'H' if if t32 { word & 0x0080_0900 == 0x900 } else { !bit(24) || bit(21) } => {
                1 << (word >> 16 & 15)
            }
            _ if written && field.place != b' ' => floats(field.vectors(word)),
            _ => 0,
        }
    })
}

/// `count` floating-point registers of a size, from one on. An upper half is only written alone as an argument, next to
/// another one in the lower half.
fn floats((size, first, count): (char, u32, u32)) -> u64 {
    let halves = match size {
        's' => 1,
        'd' => 2,
        _ => 4,
    };
    let (first, count) = (first * halves, count * halves);
    // Vector registers without such halves have odd numbers from 17 on. In the encoding, these numbers are the upper
    // halves of registers that are numbered by their lower halves.
    if first > 31 {
        return 1 << (32 + first / 4 * 2 + 1);
    }
    let halves = (((1u128 << count.min(32)) - 1) << first) as u64;
    (halves & 0xffff | (halves | halves >> 1) & 0x5555_0000) << 32
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
            let mut buf = CodeBuffer::new(isa.code(Default::default()));
            encode(&mut Asm::new(&mut buf, isa));
            written(buf.bytes(), isa == Isa::T32, 0)
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
        for op in [CMP, CMN, TST] {
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
        assert_eq!(of(|a| a.registers(Parallel::named("uhadd8").next().unwrap(), [Gpr(3), Gpr(4), Gpr(5)])), r(3));
        assert_eq!(of(|a| a.registers(SDIV, [Gpr(3), Gpr(4), Gpr(5)])), r(3));
        assert_eq!(of(|a| a.extract(UBFX, Gpr(3), Gpr(4), (3, 7))), r(3));
        assert_eq!(of(|a| a.extract(UBFX, Gpr(3), Gpr(4), (3, 24))), r(3));
        assert_eq!(of(|a| a.extend(SXTH, Gpr(3), Gpr(9))), r(3));
        assert_eq!(of(|a| [CLZ, RBIT, REV].into_iter().for_each(|op| a.rr(op, Gpr(3), Gpr(5)))), r(3));
        assert_eq!(of(|a| a.thread_pointer(Gpr(7), 3)), r(7));
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
        assert_eq!(of(|a| a.pop(0x330)), 0x330);
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
        assert_eq!(of(|a| a.vector(V_QMOVN_S, Lane::H, D(25), D(18), Vreg::Q(9))), q12);
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
        assert_eq!(of(|a| a.fmultiple(VLDMIA, D(8), 2)), d(8) | d(9));
        assert_eq!(of(|a| a.fmultiple(VSTMDB, D(8), 2)), 0);
    }
}
