//! Integer instructions.

use super::*;
use crate::x86::encode::ops::*;
use crate::x86::encode::vex::*;

const ALU: [(AluOp, &str); 8] = [
    (AluOp::Add, "add"),
    (AluOp::Or, "or"),
    (AluOp::Adc, "adc"),
    (AluOp::Sbb, "sbb"),
    (AluOp::And, "and"),
    (AluOp::Sub, "sub"),
    (AluOp::Xor, "xor"),
    (AluOp::Cmp, "cmp"),
];

/// Immediates at the borders of the encodings.
fn immediates(size: Size) -> &'static [i32] {
    match size {
        Size::B1 => &[0, 1, 127, -128, -1],
        Size::B2 => &[0, 1, 127, 128, -128, -129, 0x7fff, -0x8000],
        Size::B4 | Size::B8 => &[0, 1, 127, 128, -128, -129, 0x12345, i32::MAX, i32::MIN],
    }
}

#[test]
fn moves() {
    let mut f = Forms::new();
    for size in SIZES {
        for r in GPRS {
            for s in GPRS {
                f.add(format!("mov {}, {}", gpr(size, r), gpr(size, s)), |a| a.mov_rr(size, r, s));
            }
        }
        for m in all_mems() {
            f.add(format!("mov {}, {}", gpr(size, R9), of(size, m)), |a| a.mov_rm(size, R9, m));
            f.add(format!("mov {}, {}", of(size, m), gpr(size, RSI)), |a| a.mov_mr(size, m, RSI));
        }
        for r in GPRS {
            for m in mems() {
                f.add(format!("mov {}, {}", gpr(size, r), of(size, m)), |a| a.mov_rm(size, r, m));
                f.add(format!("mov {}, {}", of(size, m), gpr(size, r)), |a| a.mov_mr(size, m, r));
            }
        }
        for m in mems() {
            for &imm in immediates(size) {
                f.add(format!("mov {}, {imm}", of(size, m)), |a| a.mov_mi(size, m, imm));
            }
        }
        for r in GPRS {
            for &imm in immediates(size) {
                // Four bytes clear the upper half: shorter where the value is the same.
                let shown = if size == Size::B8 && imm >= 0 { Size::B4 } else { size };
                f.add(format!("mov {}, {imm}", gpr(shown, r)), |a| a.mov_ri(size, r, i64::from(imm)));
            }
        }
    }
    for r in GPRS {
        for imm in [u32::MAX, 0x8000_0000] {
            let text = format!("mov {}, {imm}", gpr(Size::B4, r));
            f.add(&text, |a| a.mov_ri(Size::B8, r, i64::from(imm)));
            f.add(&text, |a| a.mov_ri(Size::B4, r, i64::from(imm)));
        }
        for imm in [1 << 32, i64::MAX, i64::MIN, -0x8000_0001] {
            f.add(format!("movabs {}, {imm}", gpr(Size::B8, r)), |a| a.mov_ri(Size::B8, r, imm));
        }
    }
    for m in all_mems() {
        for size in WIDE {
            f.add(format!("lea {}, {}", gpr(size, RDX), mem(0, m.in_segment(Segment::Flat))), |a| {
                a.lea(size, RDX, m.in_segment(Segment::Flat));
            });
        }
    }
    f.judge();
}

#[test]
fn extensions() {
    let mut f = Forms::new();
    for from in [Size::B1, Size::B2, Size::B4] {
        for r in GPRS {
            for s in GPRS {
                let zero = if from == Size::B4 { "mov" } else { "movzx" };
                let text = format!("{zero} {}, {}", gpr(Size::B4, r), gpr(from, s));
                f.add(text, |a| a.movzx_rr(from, r, s));
            }
            for m in mems() {
                let zero = if from == Size::B4 { "mov" } else { "movzx" };
                f.add(format!("{zero} {}, {}", gpr(Size::B4, r), of(from, m)), |a| a.movzx_rm(from, r, m));
            }
        }
        for to in SIZES.into_iter().filter(|&to| to > from) {
            let name = if from == Size::B4 { "movsxd" } else { "movsx" };
            for r in GPRS {
                for s in GPRS {
                    let text = format!("{name} {}, {}", gpr(to, r), gpr(from, s));
                    f.add(text, |a| a.movsx_rr(to, from, r, s));
                }
                for m in mems() {
                    f.add(format!("{name} {}, {}", gpr(to, r), of(from, m)), |a| a.movsx_rm(to, from, r, m));
                }
            }
        }
    }
    for (size, name) in SIZES.into_iter().zip(["cbw", "cwd", "cdq", "cqo"]) {
        f.add(name, |a| a.sign_to_dx(size));
    }
    f.judge();
}

#[test]
fn arithmetic() {
    let mut f = Forms::new();
    for (op, name) in ALU {
        for size in SIZES {
            for r in GPRS {
                for s in GPRS {
                    f.add(format!("{name} {}, {}", gpr(size, r), gpr(size, s)), |a| a.alu_rr(op, size, r, s));
                }
                for &imm in immediates(size) {
                    f.add(format!("{name} {}, {imm}", gpr(size, r)), |a| a.alu_ri(op, size, r, imm));
                }
            }
            for m in mems() {
                for r in FEW {
                    f.add(format!("{name} {}, {}", gpr(size, r), of(size, m)), |a| a.alu_rm(op, size, r, m));
                    f.add(format!("{name} {}, {}", of(size, m), gpr(size, r)), |a| a.alu_mr(op, size, m, r));
                }
                for &imm in immediates(size) {
                    f.add(format!("{name} {}, {imm}", of(size, m)), |a| a.alu_mi(op, size, m, imm));
                }
            }
        }
    }
    // What does not fit as given may fit as the operand sees it.
    f.add("add bx, -1", |a| a.alu_ri(AluOp::Add, Size::B2, RBX, 0xffff));
    f.add("add bl, -1", |a| a.alu_ri(AluOp::Add, Size::B1, RBX, 0xff));
    f.judge();
}

#[test]
fn tests_products_and_quotients() {
    let mut f = Forms::new();
    let unary = [
        (UnaryOp::Inc, "inc"),
        (UnaryOp::Dec, "dec"),
        (UnaryOp::Not, "not"),
        (UnaryOp::Neg, "neg"),
        (UnaryOp::Mul, "mul"),
        (UnaryOp::Imul, "imul"),
        (UnaryOp::Div, "div"),
        (UnaryOp::Idiv, "idiv"),
    ];
    for size in SIZES {
        for r in GPRS {
            for s in GPRS {
                f.add(format!("test {}, {}", gpr(size, r), gpr(size, s)), |a| a.test_rr(size, r, s));
            }
            for &imm in immediates(size) {
                f.add(format!("test {}, {imm}", gpr(size, r)), |a| a.test_ri(size, r, imm));
            }
            for (op, name) in unary {
                f.add(format!("{name} {}", gpr(size, r)), |a| a.unary_r(op, size, r));
            }
        }
        for m in mems() {
            for r in FEW {
                f.add(format!("test {}, {}", of(size, m), gpr(size, r)), |a| a.test_mr(size, m, r));
            }
            for &imm in immediates(size) {
                f.add(format!("test {}, {imm}", of(size, m)), |a| a.test_mi(size, m, imm));
            }
            for (op, name) in unary {
                f.add(format!("{name} {}", of(size, m)), |a| a.unary_m(op, size, m));
            }
        }
    }
    for size in WORDS {
        for r in GPRS {
            for s in GPRS {
                f.add(format!("imul {}, {}", gpr(size, r), gpr(size, s)), |a| a.imul_rr(size, r, s));
                for &imm in immediates(size) {
                    let text = format!("imul {}, {}, {imm}", gpr(size, r), gpr(size, s));
                    f.add(text, |a| a.imul_rri(size, r, s, imm));
                }
            }
            for m in mems() {
                f.add(format!("imul {}, {}", gpr(size, r), of(size, m)), |a| a.imul_rm(size, r, m));
                for &imm in immediates(size) {
                    let text = format!("imul {}, {}, {imm}", gpr(size, r), of(size, m));
                    f.add(text, |a| a.imul_rmi(size, r, m, imm));
                }
            }
        }
    }
    f.judge();
}

#[test]
fn shifts() {
    let mut f = Forms::new();
    let shifts = [
        (ShiftOp::Rol, "rol"),
        (ShiftOp::Ror, "ror"),
        (ShiftOp::Rcl, "rcl"),
        (ShiftOp::Rcr, "rcr"),
        (ShiftOp::Shl, "shl"),
        (ShiftOp::Shr, "shr"),
        (ShiftOp::Sar, "sar"),
    ];
    for (op, name) in shifts {
        for size in SIZES {
            for r in GPRS {
                f.add(format!("{name} {}, cl", gpr(size, r)), |a| a.shift_rc(op, size, r));
                for count in [1, 2, 7] {
                    f.add(format!("{name} {}, {count}", gpr(size, r)), |a| a.shift_ri(op, size, r, count));
                }
            }
            for m in mems() {
                f.add(format!("{name} {}, cl", of(size, m)), |a| a.shift_mc(op, size, m));
                for count in [1, 5] {
                    f.add(format!("{name} {}, {count}", of(size, m)), |a| a.shift_mi(op, size, m, count));
                }
            }
        }
    }
    for size in WORDS {
        for r in GPRS {
            for s in GPRS {
                let pair = format!("{}, {}", gpr(size, r), gpr(size, s));
                f.add(format!("shld {pair}, 3"), |a| a.shld_rri(size, r, s, 3));
                f.add(format!("shrd {pair}, 13"), |a| a.shrd_rri(size, r, s, 13));
                f.add(format!("shld {pair}, cl"), |a| a.shld_rrc(size, r, s));
                f.add(format!("shrd {pair}, cl"), |a| a.shrd_rrc(size, r, s));
            }
        }
    }
    f.judge();
}

#[test]
fn bits() {
    let mut f = Forms::new();
    let ops = [(BitOp::Bt, "bt"), (BitOp::Bts, "bts"), (BitOp::Btr, "btr"), (BitOp::Btc, "btc")];
    for size in WORDS {
        for r in GPRS {
            for s in GPRS {
                let pair = format!("{}, {}", gpr(size, r), gpr(size, s));
                for (op, name) in ops {
                    f.add(format!("{name} {pair}"), |a| a.bit_rr(op, size, r, s));
                }
                for &(name, op, _) in GPR_OPS {
                    f.add(format!("{name} {pair}"), |a| a.gpr_rr(op, size, r, s));
                }
            }
            for (op, name) in ops {
                f.add(format!("{name} {}, 9", gpr(size, r)), |a| a.bit_ri(op, size, r, 9));
            }
            for m in mems() {
                for &(name, op, _) in GPR_OPS {
                    f.add(format!("{name} {}, {}", gpr(size, r), of(size, m)), |a| a.gpr_rm(op, size, r, m));
                }
            }
        }
        for m in mems() {
            for (op, name) in ops {
                f.add(format!("{name} {}, 9", of(size, m)), |a| a.bit_mi(op, size, m, 9));
                f.add(format!("{name} {}, {}", of(size, m), gpr(size, R11)), |a| a.bit_mr(op, size, m, R11));
            }
        }
    }
    for r in GPRS {
        for size in WIDE {
            f.add(format!("bswap {}", gpr(size, r)), |a| a.bswap(size, r));
        }
        for s in GPRS {
            for size in SIZES {
                let d = gpr(if size == Size::B8 { Size::B8 } else { Size::B4 }, r);
                f.add(format!("crc32 {d}, {}", gpr(size, s)), |a| a.crc32_rr(size, r, s));
            }
        }
    }
    f.judge();
}

#[test]
fn conditions() {
    const NAMES: [&str; 16] = ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"];
    let mut f = Forms::new();
    for (cond, name) in Cond::ALL.into_iter().zip(NAMES) {
        for r in GPRS {
            f.add(format!("set{name} {}", gpr(Size::B1, r)), |a| a.setcc_r(cond, r));
            for size in WORDS {
                f.add(format!("cmov{name} {}, {}", gpr(size, r), gpr(size, R9)), |a| a.cmov_rr(cond, size, r, R9));
            }
        }
        for m in mems() {
            f.add(format!("set{name} {}", mem(1, m)), |a| a.setcc_m(cond, m));
            for size in WORDS {
                f.add(format!("cmov{name} {}, {}", gpr(size, R9), of(size, m)), |a| a.cmov_rm(cond, size, R9, m));
            }
        }
    }
    f.judge();
}

#[test]
fn negated_and_swapped_conditions() {
    for cond in Cond::ALL {
        assert_eq!(cond.negate().negate(), cond);
        assert_eq!(cond.swap().swap(), cond);
    }
    let pairs =
        [(Cond::E, Cond::NE), (Cond::B, Cond::AE), (Cond::A, Cond::BE), (Cond::L, Cond::GE), (Cond::G, Cond::LE)];
    assert!(pairs.into_iter().all(|(a, b)| a.negate() == b));
    let pairs =
        [(Cond::B, Cond::A), (Cond::AE, Cond::BE), (Cond::L, Cond::G), (Cond::GE, Cond::LE), (Cond::E, Cond::E)];
    assert!(pairs.into_iter().all(|(a, b)| a.swap() == b));
}

#[test]
fn atomics_and_exchanges() {
    let mut f = Forms::new();
    for size in SIZES {
        for r in GPRS {
            for m in mems() {
                let (mt, rt) = (of(size, m), gpr(size, r));
                f.add(format!("xchg {mt}, {rt}"), |a| a.xchg_mr(size, m, r));
                f.add(format!("lock cmpxchg {mt}, {rt}"), |a| a.lock_cmpxchg_mr(size, m, r));
                f.add(format!("lock xadd {mt}, {rt}"), |a| a.lock_xadd_mr(size, m, r));
                for (op, name) in ALU.into_iter().filter(|&(op, _)| op != AluOp::Cmp) {
                    f.add(format!("lock {name} {mt}, {rt}"), |a| a.lock_alu_mr(op, size, m, r));
                }
            }
            for s in GPRS {
                // Of the two orders of operands, ours encodes the second in ModRM's reg field.
                f.add(format!("xchg {}, {}", gpr(size, s), gpr(size, r)), |a| a.xchg_rr(size, r, s));
            }
        }
    }
    for m in mems() {
        f.add(format!("lock cmpxchg8b {}", mem(8, m)), |a| a.lock_cmpxchg8b(m));
        f.add(format!("lock cmpxchg16b {}", mem(16, m)), |a| a.lock_cmpxchg16b(m));
        for size in SIZES {
            for &imm in immediates(size) {
                for (op, name) in ALU.into_iter().filter(|&(op, _)| op != AluOp::Cmp) {
                    f.add(format!("lock {name} {}, {imm}", of(size, m)), |a| a.lock_alu_mi(op, size, m, imm));
                }
            }
            let unary = [(UnaryOp::Inc, "inc"), (UnaryOp::Dec, "dec"), (UnaryOp::Not, "not"), (UnaryOp::Neg, "neg")];
            for (op, name) in unary {
                f.add(format!("lock {name} {}", of(size, m)), |a| a.lock_unary_m(op, size, m));
            }
        }
        for size in WORDS {
            for (op, name) in [(BitOp::Bts, "bts"), (BitOp::Btr, "btr"), (BitOp::Btc, "btc")] {
                f.add(format!("lock {name} {}, 9", of(size, m)), |a| a.lock_bit_mi(op, size, m, 9));
            }
        }
    }
    f.judge();
}

#[test]
fn stack_and_control() {
    let mut f = Forms::new();
    for r in GPRS {
        let name = gpr(Size::B8, r);
        f.add(format!("push {name}"), |a| a.push_r(r));
        f.add(format!("pop {name}"), |a| a.pop_r(r));
        f.add(format!("call {name}"), |a| a.call_r(r));
        f.add(format!("jmp {name}"), |a| a.jmp_r(r));
    }
    for m in mems() {
        f.add(format!("push {}", mem(8, m)), |a| a.push_m(m));
        f.add(format!("pop {}", mem(8, m)), |a| a.pop_m(m));
        f.add(format!("call {}", mem(8, m)), |a| a.call_m(m));
        f.add(format!("jmp {}", mem(8, m)), |a| a.jmp_m(m));
        let hints = [PrefetchHint::Nta, PrefetchHint::T0, PrefetchHint::T1, PrefetchHint::T2, PrefetchHint::W];
        for (hint, name) in hints.into_iter().zip(["nta", "t0", "t1", "t2", "w"]) {
            f.add(format!("prefetch{name} {}", mem(1, m)), |a| a.prefetch(hint, m));
        }
    }
    for &imm in immediates(Size::B8) {
        f.add(format!("push {imm}"), |a| a.push_i(imm));
    }
    f.add("ret", |a| a.ret());
    f.add("ret 12", |a| a.ret_pop(12));
    f.add("ret 65535", |a| a.ret_pop(65535));
    for &(name, op, _) in PLAIN_OPS {
        f.add(name, |a| a.plain(op));
    }
    for r in GPRS {
        for size in WIDE {
            for &(name, op, _) in REG_OPS {
                f.add(format!("{name} {}", gpr(size, r)), |a| a.register(op, size, r));
            }
        }
        f.add(format!("rdpid {}", gpr(Size::B8, r)), |a| a.register(RDPID, Size::B4, r));
        f.add(format!("rdrand {}", gpr(Size::B2, r)), |a| a.register(RDRAND, Size::B2, r));
    }
    for (size, letter) in SIZES.into_iter().zip(["b", "w", "d", "q"]) {
        for (op, name) in [(StringOp::Movs, "movs"), (StringOp::Stos, "stos")] {
            f.add(format!("{name}{letter}"), |a| a.string(op, size, false));
            f.add(format!("rep {name}{letter}"), |a| a.string(op, size, true));
        }
    }
    f.judge();
}

/// Padding must run as the fewest instructions, each known to the assembler by its length.
#[test]
fn padding_has_the_length_asked_for() {
    for len in 0..40 {
        let mut buf = CodeBuffer::new(&CODE);
        Asm::new(&mut buf, CodeMode::BITS_64).nop(len);
        assert_eq!(buf.bytes().len() as u32, len);
        let text: String = buf.bytes().iter().map(|byte| format!("0x{byte:02x} ")).collect();
        let listing = String::from_utf8(llvm_mc(&["--disassemble"], &text)).unwrap();
        let instructions: Vec<_> = listing.lines().map(str::trim).filter(|l| !l.is_empty() && *l != ".text").collect();
        assert!(instructions.iter().all(|line| line.starts_with("nop")), "{listing}");
        assert_eq!(instructions.len() as u32, len.div_ceil(9));
    }
}

/// How far the library is says nothing of the machine's mode.
#[test]
fn bytes_are_extended_alike_in_the_large_code_model() {
    let code = |mode: CodeMode| {
        let mut buf = CodeBuffer::new(&CODE);
        Asm::new(&mut buf, mode).extend_byte(Size::B4, RAX, RDI, false);
        buf.bytes().to_vec()
    };
    assert_eq!(code(CodeMode::BITS_64.with_far_library()), code(CodeMode::BITS_64));
    assert_ne!(code(CodeMode::BITS_64), code(CodeMode::BITS_32));
}

#[test]
fn bit_manipulation_with_three_operands() {
    let mut f = Forms::new();
    for size in WIDE {
        let name_of = |r| gpr(size, r);
        for r in GPRS {
            for s in GPRS {
                for t in FEW {
                    let text = format!("{}, {}, {}", name_of(r), name_of(s), name_of(t));
                    for &(name, op) in BMI_OPS {
                        f.add(format!("{name} {text}"), |a| a.bmi_rrr(op, size, r, s, t));
                    }
                    for &(name, op) in BMI_SHIFT_OPS {
                        f.add(format!("{name} {text}"), |a| a.bmi_shift_rrr(op, size, r, s, t));
                    }
                }
                f.add(format!("rorx {}, {}, 7", name_of(r), name_of(s)), |a| a.rorx_rri(size, r, s, 7));
                for &(name, op) in BLS_OPS {
                    f.add(format!("{name} {}, {}", name_of(r), name_of(s)), |a| a.bls_rr(op, size, r, s));
                }
            }
            for m in mems() {
                for &(name, op) in BMI_OPS {
                    let text = format!("{name} {}, {}, {}", name_of(r), name_of(R10), of(size, m));
                    f.add(text, |a| a.bmi_rrm(op, size, r, R10, m));
                }
                for &(name, op) in BMI_SHIFT_OPS {
                    let text = format!("{name} {}, {}, {}", name_of(r), of(size, m), name_of(R10));
                    f.add(text, |a| a.bmi_shift_rmr(op, size, r, m, R10));
                }
                f.add(format!("rorx {}, {}, 7", name_of(r), of(size, m)), |a| a.rorx_rmi(size, r, m, 7));
                for &(name, op) in BLS_OPS {
                    f.add(format!("{name} {}, {}", name_of(r), of(size, m)), |a| a.bls_rm(op, size, r, m));
                }
            }
        }
    }
    f.judge();
}
