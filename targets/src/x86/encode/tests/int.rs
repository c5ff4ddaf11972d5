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
                f.add(format!("mov {}, {}", gpr(size, r), gpr(size, s)), |a| a.mov(size, r, s));
            }
        }
        for m in all_mems() {
            f.add(format!("mov {}, {}", gpr(size, R9), of(size, m)), |a| a.mov(size, R9, m));
            f.add(format!("mov {}, {}", of(size, m), gpr(size, RSI)), |a| a.mov_m(size, m, RSI));
        }
        for r in GPRS {
            for m in mems() {
                f.add(format!("mov {}, {}", gpr(size, r), of(size, m)), |a| a.mov(size, r, m));
                f.add(format!("mov {}, {}", of(size, m), gpr(size, r)), |a| a.mov_m(size, m, r));
            }
        }
        for m in mems() {
            for &imm in immediates(size) {
                f.add(format!("mov {}, {imm}", of(size, m)), |a| a.mov_m(size, m, imm));
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
                f.add(text, |a| a.movzx(from, r, s));
            }
            for m in mems() {
                let zero = if from == Size::B4 { "mov" } else { "movzx" };
                f.add(format!("{zero} {}, {}", gpr(Size::B4, r), of(from, m)), |a| a.movzx(from, r, m));
            }
        }
        for to in SIZES.into_iter().filter(|&to| to > from) {
            let name = if from == Size::B4 { "movsxd" } else { "movsx" };
            for r in GPRS {
                for s in GPRS {
                    let text = format!("{name} {}, {}", gpr(to, r), gpr(from, s));
                    f.add(text, |a| a.movsx(to, from, r, s));
                }
                for m in mems() {
                    f.add(format!("{name} {}, {}", gpr(to, r), of(from, m)), |a| a.movsx(to, from, r, m));
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
                    f.add(format!("{name} {}, {}", gpr(size, r), gpr(size, s)), |a| a.alu(op, size, r, s));
                }
                for &imm in immediates(size) {
                    f.add(format!("{name} {}, {imm}", gpr(size, r)), |a| a.alu(op, size, r, imm));
                }
            }
            for m in mems() {
                for r in FEW {
                    f.add(format!("{name} {}, {}", gpr(size, r), of(size, m)), |a| a.alu(op, size, r, m));
                    f.add(format!("{name} {}, {}", of(size, m), gpr(size, r)), |a| a.alu_m(op, size, m, r));
                }
                for &imm in immediates(size) {
                    f.add(format!("{name} {}, {imm}", of(size, m)), |a| a.alu_m(op, size, m, imm));
                }
            }
        }
    }
    // What does not fit as given may fit as the operand sees it.
    f.add("add bx, -1", |a| a.alu(AluOp::Add, Size::B2, RBX, 0xffff));
    f.add("add bl, -1", |a| a.alu(AluOp::Add, Size::B1, RBX, 0xff));
    f.judge();
}

#[test]
fn tests_products_and_quotients() {
    let mut f = Forms::new();
    for size in SIZES {
        for r in GPRS {
            for s in GPRS {
                f.add(format!("test {}, {}", gpr(size, r), gpr(size, s)), |a| a.test_rr(size, r, s));
            }
            for &imm in immediates(size) {
                f.add(format!("test {}, {imm}", gpr(size, r)), |a| a.test_ri(size, r, imm));
            }
            for &(name, op, _) in UNARY_OPS {
                f.add(format!("{name} {}", gpr(size, r)), |a| a.unary(op, size, r));
            }
        }
        for m in mems() {
            for &imm in immediates(size) {
                f.add(format!("test {}, {imm}", of(size, m)), |a| a.test_mi(size, m, imm));
            }
            for &(name, op, _) in UNARY_OPS {
                f.add(format!("{name} {}", of(size, m)), |a| a.unary(op, size, m));
            }
        }
    }
    for size in WORDS {
        for r in GPRS {
            for s in GPRS {
                f.add(format!("imul {}, {}", gpr(size, r), gpr(size, s)), |a| a.imul(size, r, s));
                for &imm in immediates(size) {
                    let text = format!("imul {}, {}, {imm}", gpr(size, r), gpr(size, s));
                    f.add(text, |a| a.imul_imm(size, r, s, imm));
                }
            }
            for m in mems() {
                f.add(format!("imul {}, {}", gpr(size, r), of(size, m)), |a| a.imul(size, r, m));
                for &imm in immediates(size) {
                    let text = format!("imul {}, {}, {imm}", gpr(size, r), of(size, m));
                    f.add(text, |a| a.imul_imm(size, r, m, imm));
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
        }
    }
    for size in WORDS {
        for r in GPRS {
            for s in GPRS {
                let pair = format!("{}, {}", gpr(size, r), gpr(size, s));
                f.add(format!("shld {pair}, 3"), |a| a.double_shift(true, size, r, s, Some(3)));
                f.add(format!("shrd {pair}, 13"), |a| a.double_shift(false, size, r, s, Some(13)));
                f.add(format!("shld {pair}, cl"), |a| a.double_shift(true, size, r, s, None));
                f.add(format!("shrd {pair}, cl"), |a| a.double_shift(false, size, r, s, None));
            }
        }
    }
    f.judge();
}

#[test]
fn bits() {
    let mut f = Forms::new();
    for size in WORDS {
        for r in GPRS {
            for s in GPRS {
                let pair = format!("{}, {}", gpr(size, r), gpr(size, s));
                for &(name, op, _) in GPR_OPS {
                    f.add(format!("{name} {pair}"), |a| a.gpr_op(op, size, r, s));
                }
            }
            f.add(format!("bt {}, 9", gpr(size, r)), |a| a.bt_ri(size, r, 9));
            f.add(format!("bt {}, {}", gpr(size, r), gpr(size, R9)), |a| a.bt_rr(size, r, R9));
            for m in mems() {
                for &(name, op, _) in GPR_OPS {
                    f.add(format!("{name} {}, {}", gpr(size, r), of(size, m)), |a| a.gpr_op(op, size, r, m));
                }
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
            f.add(format!("set{name} {}", gpr(Size::B1, r)), |a| a.setcc(cond, r));
            for size in WORDS {
                f.add(format!("cmov{name} {}, {}", gpr(size, r), gpr(size, R9)), |a| a.cmov(cond, size, r, R9));
            }
        }
        for m in mems() {
            f.add(format!("set{name} {}", mem(1, m)), |a| a.setcc(cond, m));
            for size in WORDS {
                f.add(format!("cmov{name} {}, {}", gpr(size, R9), of(size, m)), |a| a.cmov(cond, size, R9, m));
            }
        }
    }
    f.judge();
}

#[test]
fn negated_conditions() {
    for cond in Cond::ALL {
        assert_eq!(cond.negate().negate(), cond);
    }
    let pairs =
        [(Cond::E, Cond::NE), (Cond::B, Cond::AE), (Cond::A, Cond::BE), (Cond::L, Cond::GE), (Cond::G, Cond::LE)];
    assert!(pairs.into_iter().all(|(a, b)| a.negate() == b));
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
                    f.add(format!("lock {name} {mt}, {rt}"), |a| a.lock_alu_m(op, size, m, r));
                }
            }
            for s in GPRS {
                // Of the two orders of operands, ours encodes the second in ModRM's reg field.
                f.add(format!("xchg {}, {}", gpr(size, s), gpr(size, r)), |a| a.xchg_rr(size, r, s));
            }
        }
    }
    for m in mems() {
        f.add_apart((format!("lock cmpxchg16b {}", mem(16, m)), format!("lock cmpxchg8b {}", mem(8, m))), |a| {
            a.lock_cmpxchg_pair(m)
        });
        for size in SIZES {
            for &imm in immediates(size) {
                for (op, name) in ALU.into_iter().filter(|&(op, _)| op != AluOp::Cmp) {
                    f.add(format!("lock {name} {}, {imm}", of(size, m)), |a| a.lock_alu_m(op, size, m, imm));
                }
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
        f.add(format!("call {name}"), |a| a.call_to(r));
        f.add(format!("jmp {name}"), |a| a.jmp_to(r));
    }
    for m in mems() {
        f.add(format!("call {}", mem(8, m)), |a| a.call_to(m));
        f.add(format!("jmp {}", mem(8, m)), |a| a.jmp_to(m));
        let hints = [PrefetchHint::Nta, PrefetchHint::T0, PrefetchHint::T1, PrefetchHint::T2];
        for (hint, name) in hints.into_iter().zip(["nta", "t0", "t1", "t2"]) {
            f.add(format!("prefetch{name} {}", mem(1, m)), |a| a.prefetch(hint, m));
        }
    }
    f.add("int 41", |a| a.int(41));
    f.add("xabort 41", |a| a.xabort(41));
    f.add("ret", |a| a.ret());
    f.add_apart(("iretq".into(), "iretd".into()), |a| a.iret());
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
        for &(name, op, _) in WORD_OPS {
            f.add(format!("{name} {}", gpr(Size::B8, r)), |a| a.register(op, Size::B4, r));
        }
        for &(name, op, _) in SEND_OPS {
            f.long.add(format!("{name} {}", gpr(Size::B8, r)), |a| a.register(op, Size::B4, r));
        }
        for &(name, op, _) in WAIT_OPS {
            f.add(format!("{name} {}", gpr(Size::B4, r)), |a| a.register(op, Size::B4, r));
        }
        for &(name, op, _) in SHADOW_STACK_OPS {
            let size = if name.ends_with('Q') { Size::B8 } else { Size::B4 };
            f.add(format!("{name} {}", gpr(size, r)), |a| a.register(op, size, r));
        }
        for m in mems() {
            for &(name, op, bytes) in GPR_STORE_OPS {
                let size = if name.ends_with('Q') { Size::B8 } else { Size::B4 };
                f.add(format!("{name} {}, {}", mem(bytes, m), gpr(size, r)), |a| a.gpr_store(op, size, m, r));
                if bytes == 0 {
                    f.add(format!("{name} {}, {}", mem(0, m), gpr(Size::B8, r)), |a| a.gpr_store(op, Size::B8, m, r));
                }
            }
            for &(name, op, bytes) in GPR_MEMORY_OPS {
                f.long.add(format!("{name} {}, {}", gpr(Size::B8, r), mem(bytes, m)), |a| a.gpr_memory(op, r, m));
            }
        }
        f.add(format!("rdrand {}", gpr(Size::B2, r)), |a| a.register(RDRAND, Size::B2, r));
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
        for r in GPRS {
            for s in GPRS {
                for t in FEW {
                    let text = format!("{}, {}, {}", gpr(size, r), gpr(size, s), gpr(size, t));
                    for &(name, op) in BMI_OPS {
                        f.add(format!("{name} {text}"), |a| a.bmi(op, size, r, s, t));
                    }
                    for &(name, op) in BMI_SHIFT_OPS {
                        f.add(format!("{name} {text}"), |a| a.bmi(op, size, r, t, s));
                    }
                }
            }
        }
    }
    f.judge();
}
