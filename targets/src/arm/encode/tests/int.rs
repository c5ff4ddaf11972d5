//! Integers.

use super::*;

#[test]
fn data_processing() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for &(words, name) in DATA.names {
            let op = Data(words);
            for (d, n, m) in triples() {
                let text = format!("{}, {}, {}", r(d), r(n), r(m));
                f.add(format!("{name} {text}"), |a| a.data(op, Flags::Keep, d, n, m));
                f.add(format!("{name}s {text}"), |a| a.data(op, Flags::Set, d, n, m));
                f.add(format!("it ne; {name}ne {text}").replace("it ne; ", it(isa)), |a| {
                    a.conditional(Cond::Ne, |a| a.data(op, Flags::Free, d, n, m));
                });
                f.add(
                    format!("it le; {name}sle {text}").replace("it le; ", if isa == Isa::T32 { "it le; " } else { "" }),
                    |a| {
                        a.conditional(Cond::Le, |a| a.data(op, Flags::Set, d, n, m));
                    },
                );
            }
            for (shift, by) in shifts() {
                let text = format!("r3, lr, r9, {} #{by}", name_of(shift));
                let m = Operand::Shifted(Gpr(9), shift, by);
                f.add(format!("{name} {text}"), |a| a.data(op, Flags::Free, Gpr(3), LR, m));
                f.add(format!("{name}s {text}"), |a| a.data(op, Flags::Set, Gpr(3), LR, m));
            }
            f.add(format!("{name} r3, r4, r5, rrx"), |a| {
                a.data(op, Flags::Keep, Gpr(3), Gpr(4), Operand::Shifted(Gpr(5), Shift::Ror, 0));
            });
            for shift in SHIFTS.into_iter().filter(|_| isa == Isa::A32) {
                f.add(format!("{name}s r3, r4, lr, {} r12", name_of(shift)), |a| {
                    a.data(op, Flags::Set, Gpr(3), Gpr(4), Operand::By(LR, shift, IP));
                });
            }
            for (k, number) in numbers(isa).into_iter().enumerate() {
                let m = isa.immediate(number).unwrap();
                let (d, n) = [(0, 0), (2, 3), (8, 8), (5, 10)].map(|(d, n)| (Gpr(d), Gpr(n)))[k % 4];
                for (d, n) in [(d, n), (Gpr(4), Gpr(4))] {
                    let text = format!("{}, {}, #{number}", r(d), r(n));
                    f.add(format!("{name} {text}"), |a| a.data(op, Flags::Keep, d, n, m));
                    f.add(format!("{name}s {text}"), |a| a.data(op, Flags::Set, d, n, m));
                }
            }
        }
        f.judge();
    }
}

fn it(isa: Isa) -> &'static str {
    if isa == Isa::T32 { "it ne; " } else { "" }
}

/// Every amount of every shift.
fn shifts() -> impl Iterator<Item = (Shift, u8)> {
    let amounts = |shift| match shift {
        Shift::Lsl | Shift::Ror => 1..32,
        Shift::Lsr | Shift::Asr => 1..33,
    };
    SHIFTS.into_iter().flat_map(move |shift| amounts(shift).map(move |by| (shift, by)))
}

/// Every number that data processing can have.
fn numbers(isa: Isa) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..256).collect();
    if isa == Isa::T32 {
        for n in [1, 0x12, 0x80, 0xab, 0xfe] {
            numbers.extend([n | n << 16, n << 8 | n << 24, n * 0x0101_0101]);
        }
        numbers.extend((1..25).flat_map(|by| [0x80, 0x81, 0xd5, 0xff].map(|n: u32| n << by)));
    } else {
        numbers.extend((1..16).flat_map(|by| [1, 2, 0x40, 0x81, 0xd5, 0xff].map(|n: u32| n.rotate_right(2 * by))));
    }
    numbers
}

#[test]
fn other_numbers_have_no_field() {
    for n in [0x101, 0x1_0100, 0xffff, 0x1234_5678, 0xff00_00fe, 0x00ff_00fe] {
        assert_eq!(ISAS.map(|isa| isa.immediate(n).is_some()), [false, false], "{n:#x}");
    }
    assert!(Isa::A32.immediate(0xf000_000f).is_some() && Isa::T32.immediate(0xf000_000f).is_none());
    assert!(Isa::T32.immediate(0x1fe).is_some() && Isa::A32.immediate(0x1fe).is_none());
}

/// Of the two instructions, with and without `s`, the encoder takes the shorter one.
#[test]
fn free_flags_make_short_instructions() {
    let (mut buf, mut texts, mut ends) =
        (CodeBuffer::new(Isa::T32.code(Default::default())), [String::new(), String::new()], vec![0]);
    let mut add = |name: &str, operands: String, encode: &dyn Fn(&mut Asm)| {
        ["", "s"].iter().zip(&mut texts).for_each(|(s, text)| *text += &format!("{name}{s} {operands}\n"));
        encode(&mut Asm::new(&mut buf, Isa::T32));
        ends.push(buf.offset() as usize);
    };
    let pairs = [(0, 0), (1, 2), (7, 7), (8, 8), (3, 9)].map(|(d, n)| (Gpr(d), Gpr(n)));
    for &(words, name) in DATA.names {
        for (d, n) in pairs {
            let to = |m: String| format!("{}, {}, {m}", r(d), r(n));
            for m in [Gpr(1), Gpr(2), Gpr(9), n, d] {
                add(name, to(r(m)), &|a| a.data(Data(words), Flags::Free, d, n, m));
            }
            for number in [0, 7, 8, 255, 256] {
                let m = Isa::T32.immediate(number).unwrap();
                add(name, to(format!("#{number}")), &|a| a.data(Data(words), Flags::Free, d, n, m));
            }
        }
    }
    for &(words, name) in UNARY.names {
        for (d, m) in pairs {
            add(name, format!("{}, {}", r(d), r(m)), &|a| a.unary(Unary(words), Flags::Free, d, m));
        }
        for number in [0, 255, 0x1_0000] {
            let m = Isa::T32.immediate(number).unwrap();
            add(name, format!("r4, #{number}"), &|a| a.unary(Unary(words), Flags::Free, Gpr(4), m));
        }
    }
    for (d, n) in pairs {
        if d.is_low() && n.is_low() {
            add("mul", format!("{0}, {1}, {0}", r(d), r(n)), &|a| a.mul(Flags::Free, d, n, d));
        }
        for shift in SHIFTS {
            let (name, by) = (name_of(shift), Operand::Shifted(n, shift, 5));
            add(&name, format!("{}, {}, #5", r(d), r(n)), &|a| a.unary(MOV, Flags::Free, d, by));
            add(&name, format!("{}, {}, r3", r(d), r(n)), &|a| a.shift_rr(shift, Flags::Free, d, n, Gpr(3)));
        }
    }
    let [plain, set] = texts.each_ref().map(|text| assemble(Isa::T32, "v8a", text));
    assert_eq!((plain.len(), set.len()), (ends.len() - 1, ends.len() - 1));
    let wrong: Vec<_> = (0..plain.len())
        .filter(|&k| {
            let ours = &buf.bytes()[ends[k]..ends[k + 1]];
            let both = [&plain[k], &set[k]];
            !both.iter().any(|b| *b == ours) || both.iter().any(|b| b.len() < ours.len())
        })
        .map(|k| (texts[0].lines().nth(k).unwrap(), &buf.bytes()[ends[k]..ends[k + 1]], &plain[k], &set[k]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:02x?}");
}

#[test]
fn comparisons_and_moves() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for &(words, name) in COMPARE.names {
            for (n, m, _) in triples() {
                f.add(format!("{name} {}, {}", r(n), r(m)), |a| a.compare(Compare(words), n, m));
            }
            for (shift, by) in shifts() {
                let m = Operand::Shifted(LR, shift, by);
                f.add(format!("{name} r3, lr, {} #{by}", name_of(shift)), |a| a.compare(Compare(words), Gpr(3), m));
            }
            for number in numbers(isa) {
                let (m, n) = (isa.immediate(number).unwrap(), Gpr((number % 13) as u8));
                f.add(format!("{name} {}, #{number}", r(n)), |a| a.compare(Compare(words), n, m));
            }
        }
        for &(words, name) in UNARY.names {
            let op = Unary(words);
            for (d, m, _) in triples() {
                f.add(format!("{name} {}, {}", r(d), r(m)), |a| a.unary(op, Flags::Keep, d, m));
                f.add(format!("{name}s {}, {}", r(d), r(m)), |a| a.unary(op, Flags::Set, d, m));
            }
            for number in numbers(isa) {
                let (m, d) = (isa.immediate(number).unwrap(), Gpr((number % 13) as u8));
                let wide = if isa == Isa::T32 { ".w" } else { "" };
                f.add(format!("{name}{wide} {}, #{number}", r(d)), |a| a.unary(op, Flags::Keep, d, m));
                f.add(format!("{name}s {}, #{number}", r(d)), |a| a.unary(op, Flags::Set, d, m));
            }
            for (shift, by) in shifts() {
                for (d, m) in [(Gpr(2), Gpr(3)), (Gpr(2), LR), (LR, LR)] {
                    let text = match op {
                        MOV => format!("{} {}, {}, #{by}", name_of(shift), r(d), r(m)),
                        _ => format!("mvn {}, {}, {} #{by}", r(d), r(m), name_of(shift)),
                    };
                    f.add(text, |a| a.unary(op, Flags::Keep, d, Operand::Shifted(m, shift, by)));
                }
                if op == MOV {
                    let text = format!("{}s r2, r3, #{by}", name_of(shift));
                    f.add(text, |a| a.unary(op, Flags::Set, Gpr(2), Operand::Shifted(Gpr(3), shift, by)));
                }
            }
        }
        for (d, n, m) in triples() {
            for shift in SHIFTS {
                let text = format!("{}, {}, {}", r(d), r(n), r(m));
                f.add(format!("{} {text}", name_of(shift)), |a| a.shift_rr(shift, Flags::Keep, d, n, m));
                f.add(format!("{}s {text}", name_of(shift)), |a| a.shift_rr(shift, Flags::Set, d, n, m));
            }
        }
        for n in [0, 1, 0x80, 0x700, 0x800, 0xf000, 0xffff, 0x1234] {
            f.add(format!("movw lr, #{n}; movt r3, #{n}"), |a| {
                a.wide(MOVW, LR, n);
                a.wide(MOVT, Gpr(3), n);
            });
        }
        f.judge();
    }
}

#[test]
fn registers() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        let list = |registers: &[Gpr]| registers.iter().map(|&g| r(g)).collect::<Vec<_>>().join(", ");
        for (d, n, m) in triples() {
            let text = list(&[d, n, m]);
            for &(words, name) in RRR.names {
                f.add(format!("{name} {text}"), |a| a.registers(Rrr(words), [d, n, m]));
            }
            for &(words, name) in EXTEND_BYTES.names {
                f.add(format!("{name} {}, {}", r(d), r(n)), |a| a.registers(ExtendBytes(words), [d, n]));
            }
            let kinds = KINDS.iter().filter(|kind| !kind.is_empty());
            let sums = kinds.flat_map(|kind| SUMS.names.iter().map(move |row| format!("{kind}{}", row.1)));
            for name in PARALLEL.names.iter().map(|row| row.1.to_string()).chain(sums) {
                let op = Parallel::named(&name).next().unwrap();
                f.add(format!("{name} {text}"), |a| a.registers(op, [d, n, m]));
            }
            for &(words, name) in SATURATING.names {
                f.add(format!("{name} {}, {}, {}", r(d), r(n), r(m)), |a| a.registers(Saturating(words), [d, n, m]));
            }
            for &(words, name) in RRRR.names {
                f.add(format!("{name} {text}, r5"), |a| a.registers(Rrrr(words), [d, n, m, Gpr(5)]));
            }
            for &(words, name) in LONG_PRODUCT.names.iter().filter(|_| d != n) {
                f.add(format!("{name} {text}, r5"), |a| a.registers(LongProduct(words), [d, n, m, Gpr(5)]));
            }
            for &(words, name) in RR.names {
                f.add(format!("{name} {}", list(&[d, m])), |a| a.rr(Rr(words), d, m));
            }
            for &(words, name) in EXTEND.names {
                f.add(format!("{name} {}", list(&[d, m])), |a| a.extend(Extend(words), d, m));
            }
        }
        f.judge();
    }
}

#[test]
fn fields_of_bits() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for lsb in 0..32u32 {
            for width in [1, 7, 32 - lsb].into_iter().filter(|w| w + lsb <= 32) {
                let (d, n) = (REGS[lsb as usize % 6], REGS[width as usize % 6]);
                let text = format!("{}, {}, #{lsb}, #{width}", r(d), r(n));
                f.add(format!("ubfx {text}"), |a| a.extract(UBFX, d, n, (lsb, width)));
                f.add(format!("sbfx {text}"), |a| a.extract(SBFX, d, n, (lsb, width)));
            }
            let by = if lsb == 0 { String::new() } else { format!(", lsl #{lsb}") };
            f.add(format!("ssat r8, #{}, r3{by}", lsb + 1), |a| a.saturate(SSAT, Gpr(8), lsb + 1, (Gpr(3), lsb)));
            f.add(format!("usat r3, #{lsb}, lr{by}"), |a| a.saturate(USAT, Gpr(3), lsb, (LR, lsb)));
            if lsb < 16 {
                f.add(format!("ssat16 r8, #{}, r3", lsb + 1), |a| a.saturate(SSAT16, Gpr(8), lsb + 1, (Gpr(3), 0)));
                f.add(format!("usat16 r3, #{lsb}, lr"), |a| a.saturate(USAT16, Gpr(3), lsb, (LR, 0)));
            }
        }
        f.judge();
    }
}

/// Numbers of any kind, moved and added.
#[test]
fn any_number() {
    let mut f = Forms::new(Isa::A32);
    f.add("mov r3, #0; mvn r3, #0; mov r3, #0xff00; movw r3, #0xff01", |a| {
        [0, !0, 0xff00, 0xff01].into_iter().for_each(|n| a.mov_number(Flags::Keep, Gpr(3), n));
    });
    f.add("movw r3, #0x5678; movt r3, #0x1234", |a| a.mov_number(Flags::Keep, Gpr(3), 0x1234_5678));
    f.add("add r3, r4, #0x1000; sub r3, r3, #0x1000", |a| {
        a.add_number(Flags::Free, Gpr(3), Gpr(4), 0x1000);
        a.add_number(Flags::Free, Gpr(3), Gpr(3), -0x1000);
        a.add_number(Flags::Free, Gpr(3), Gpr(3), 0);
    });
    f.add("movw lr, #0x1001; sub sp, sp, lr", |a| a.add_number(Flags::Free, SP, SP, -0x1001));
    f.judge();
    let mut f = Forms::new(Isa::T32);
    f.add("movs r3, #5; mov.w r3, #5; mov.w r3, #0xff00; movw r3, #0xff01", |a| {
        a.mov_number(Flags::Free, Gpr(3), 5);
        [5, 0xff00, 0xff01].into_iter().for_each(|n| a.mov_number(Flags::Keep, Gpr(3), n));
    });
    f.add("add.w r3, r4, #0x1000; subw r3, r3, #0xffe; sub sp, #8; add sp, #508", |a| {
        a.add_number(Flags::Free, Gpr(3), Gpr(4), 0x1000);
        a.add_number(Flags::Free, Gpr(3), Gpr(3), -0xffe);
        a.add_number(Flags::Keep, SP, SP, -8);
        a.add_number(Flags::Keep, SP, SP, 508);
    });
    f.add("sub.w sp, sp, #0x400; sub.w sp, sp, #0x3fc; add r3, sp, #1020; add.w r8, sp, #1020", |a| {
        a.add_number(Flags::Keep, SP, SP, -0x400);
        a.add_number(Flags::Keep, SP, SP, -0x3fc);
        a.add_number(Flags::Keep, Gpr(3), SP, 1020);
        a.add_number(Flags::Keep, Gpr(8), SP, 1020);
    });
    f.add("add.w r3, r4, #0x12000; addw r3, r3, #0x345", |a| a.add_number(Flags::Keep, Gpr(3), Gpr(4), 0x12345));
    f.add("sub.w r3, r4, #0x12000; subw r3, r3, #0x345", |a| a.add_number(Flags::Keep, Gpr(3), Gpr(4), -0x12345));
    f.add("movw lr, #0x2345; movt lr, #0x100; sub.w sp, sp, lr", |a| a.add_number(Flags::Keep, SP, SP, -0x100_2345));
    f.add("add r3, pc; add r3, sp; add sp, r3", |a| {
        a.data(ADD, Flags::Keep, Gpr(3), Gpr(3), PC);
        a.data(ADD, Flags::Keep, Gpr(3), SP, Gpr(3));
        a.data(ADD, Flags::Keep, SP, SP, Gpr(3));
    });
    f.judge();
}
