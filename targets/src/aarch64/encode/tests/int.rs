//! Integers, branches to registers, system registers.

use super::*;

#[test]
fn registers() {
    let mut f = Forms::new();
    for (i, w) in WIDTHS.into_iter().enumerate() {
        for d in REGS {
            let (n, m) = (REGS[(i + 1) % 4], 31);
            for &(word, name) in RRR.names {
                f.add(format!("{name} {}, {}, {}", r(w, d), r(w, n), r(w, m)), |a| {
                    a.rrr(Rrr(word), w, Gpr(d), Gpr(n), Gpr(m));
                });
            }
            for &(word, name) in RR.names {
                if w == Width::W && name == "rev32" {
                    continue;
                }
                f.add(format!("{name} {}, {}", r(w, d), r(w, n)), |a| a.rr(Rr(word), w, Gpr(d), Gpr(n)));
            }
            for &(word, name) in RRRR.names {
                let text = format!("{name} {}, {}, {}, {}", r(w, d), r(w, n), r(w, m), r(w, 7));
                f.add(text, |a| a.rrrr(Rrrr(word), w, Gpr(d), (Gpr(n), Gpr(m)), Gpr(7)));
            }
            for (&(word, name), c) in CHOICE.names.iter().cycle().zip(Cond::ALL) {
                let text = format!("{name} {}, {}, {}, {}", r(w, d), r(w, n), r(w, m), cond(c));
                f.add(text, |a| a.choice(Choice(word), w, Gpr(d), (Gpr(n), Gpr(m)), c));
                f.add(format!("cset {}, {}", r(Width::W, d), cond(c)), |a| a.cset(Gpr(d), c));
            }
            for (&(word, name), c) in COND_COMPARE.names.iter().cycle().zip(Cond::ALL) {
                let text = format!("{name} {}, {}, #{}, {}", r(w, d), r(w, m), c as u8, cond(c));
                f.add(text, |a| a.cond_compare_rr(CondCompare(word), w, Gpr(d), Gpr(m), (c as u32, c)));
                let text = format!("{name} {}, #{}, #{}, {}", r(w, d), 31 - c as u32, 15 - c as u8, cond(c));
                f.add(text, |a| a.cond_compare_ri(CondCompare(word), w, Gpr(d), 31 - c as u32, (15 - c as u32, c)));
            }
        }
    }
    for &(word, name) in CRC.names {
        let w = if name.ends_with('x') { Width::X } else { Width::W };
        f.add(format!("{name} w1, w29, {}", r(w, 30)), |a| a.crc(Crc(word), Gpr(1), Gpr(29), Gpr(30)));
    }
    for &(word, name) in LONG_PRODUCT.names {
        f.add(format!("{name} x1, w29, w30, x5"), |a| {
            a.long_product(LongProduct(word), Gpr(1), (Gpr(29), Gpr(30)), Gpr(5))
        });
    }
    for &(word, name) in HIGH_PRODUCT.names {
        f.add(format!("{name} x1, x29, x30"), |a| a.high_product(HighProduct(word), Gpr(1), Gpr(29), Gpr(30)));
    }
    f.judge();
}

fn cond(c: Cond) -> String {
    format!("{c:?}").to_lowercase()
}

#[test]
fn shifted_and_extended() {
    let mut f = Forms::new();
    let shifts = [Shift::Lsl, Shift::Lsr, Shift::Asr, Shift::Ror];
    let extends = ["uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"];
    let kinds = [
        Extend::Uxtb,
        Extend::Uxth,
        Extend::Uxtw,
        Extend::Uxtx,
        Extend::Sxtb,
        Extend::Sxth,
        Extend::Sxtw,
        Extend::Sxtx,
    ];
    for w in WIDTHS {
        let most = w.bits() - 1;
        for by in [1, 7, most] {
            for shift in shifts {
                let name_of = format!("{shift:?}").to_lowercase();
                for &(word, name) in LOGIC.names {
                    let text = format!("{name} {}, {}, {}, {name_of} #{by}", r(w, 3), r(w, 30), r(w, 31));
                    f.add(text, |a| a.logic_shifted(Logic(word), w, Gpr(3), Gpr(30), (Gpr(31), shift, by)));
                }
                for &(word, name) in ADD_SUB.names.iter().filter(|_| shift != Shift::Ror) {
                    let text = format!("{name} {}, {}, {}, {name_of} #{by}", r(w, 3), r(w, 30), r(w, 31));
                    f.add(text, |a| a.add_shifted(AddSub(word), w, Gpr(3), Gpr(30), (Gpr(31), shift, by)));
                }
                let text = format!("{name_of} {}, {}, #{by}", r(w, 9), r(w, 30));
                f.add(text, |a| a.shift_ri(shift, w, Gpr(9), Gpr(30), by));
            }
            let text = format!("extr {}, {}, {}, #{by}", r(w, 9), r(w, 30), r(w, 2));
            f.add(text, |a| a.extr(w, Gpr(9), Gpr(30), Gpr(2), by));
        }
        for (extend, name_of) in kinds.into_iter().zip(extends) {
            let m = if w == Width::X && name_of.ends_with('x') { "x30" } else { "w30" };
            for by in 0..5 {
                for &(word, name) in ADD_SUB.names {
                    let d = if name.ends_with('s') { r(w, 3) } else { rsp(w, 31) };
                    let n = if d.ends_with("sp") { 31 } else { 3 };
                    let text = format!("{name} {d}, {}, {m}, {name_of} #{by}", rsp(w, 31));
                    f.add(text, |a| a.add_extended(AddSub(word), w, Gpr(n), SP, (Gpr(30), extend, by)));
                }
            }
        }
        for (signed, name) in [(false, "uxt"), (true, "sxt")] {
            for (bits, suffix) in [(8, 'b'), (16, 'h'), (32, 'w')] {
                if bits == 32 && (w == Width::W || !signed) {
                    continue;
                }
                let d = if signed { w } else { Width::W };
                f.add(format!("{name}{suffix} {}, w29", r(d, 1)), |a| a.extend(signed, w, Gpr(1), Gpr(29), bits));
            }
        }
        for (immr, imms) in [(0, 0), (1, 17), (most, 3), (17, most)] {
            for &(word, name) in BITFIELD.names {
                let text = format!("{name} {}, {}, #{immr}, #{imms}", r(w, 30), r(w, 1));
                f.add(text, |a| a.bitfield(Bitfield(word), w, Gpr(30), Gpr(1), (immr, imms)));
            }
        }
    }
    f.judge();
}

#[test]
fn immediates() {
    let mut f = Forms::new();
    for w in WIDTHS {
        for n in [0, 1, 0xfff, 0x1000, 0x7000, 0xfff_000] {
            let field = add_immediate(n).unwrap();
            for &(word, name) in ADD_SUB.names {
                let flags = name.ends_with('s');
                let d = if flags { r(w, 31) } else { rsp(w, 31) };
                f.add(format!("{name} {d}, {}, #{n}", rsp(w, 31)), |a| a.add_ri(AddSub(word), w, SP, SP, field));
                f.add(format!("{name} {}, {}, #{n}", r(w, 1), r(w, 30)), |a| {
                    a.add_ri(AddSub(word), w, Gpr(1), Gpr(30), field);
                });
            }
        }
        for place in 0..w.bits() / 16 {
            for &(word, name) in WIDE.names {
                for n in [0, 1, 0x8000, 0xffff] {
                    let text = format!("{name} {}, #{n}, lsl #{}", r(w, 30), place * 16);
                    f.add(text, |a| a.wide(Wide(word), w, Gpr(30), n, place));
                }
            }
        }
        // Every number that bitwise instructions can have.
        for size in [2, 4, 8, 16, 32, 64].into_iter().filter(|&size| size <= w.bits()) {
            for ones in 1..size {
                for rotation in 0..size {
                    let run = (1u64 << ones) - 1;
                    let mask = !0u64 >> (64 - size);
                    let element = if rotation == 0 { run } else { (run >> rotation | run << (size - rotation)) & mask };
                    let n = (0..w.bits() / size).fold(0, |n, k| n | element << (k * size));
                    let field = logical_immediate(w, n).unwrap_or_else(|| panic!("{n:#x}"));
                    let &(word, name) = [(AND.0, "and"), (ORR.0, "orr"), (EOR.0, "eor"), (ANDS.0, "ands")]
                        .get((ones + rotation) as usize % 4)
                        .unwrap();
                    let d = if name == "ands" { r(w, 31) } else { rsp(w, 31) };
                    f.add(format!("{name} {d}, {}, #{n:#x}", r(w, 30)), |a| {
                        a.logic_ri(Logic(word), w, Gpr(31), Gpr(30), field);
                    });
                }
            }
        }
    }
    for n in [0u64, !0, 5, 0x1234_5678_9abc_def0, 0x7fff_0000_ffff, 0xffff_ffff] {
        assert_eq!(logical_immediate(Width::X, n).is_some(), matches!(n, 0xffff_ffff), "{n:#x}");
    }
    f.judge();
}

/// Numbers of any kind: the instructions are read back by their meaning.
#[test]
fn numbers() {
    let mut numbers =
        vec![0, 1, 0xffff, 0x1_0000, 0x1234_5678, 0xffff_0000, 0xffff_ffff, !0, !1, 0xffff_1234_ffff_ffff];
    numbers.extend([
        0x1234_5678_9abc_def0,
        0x5555_5555_5555_5555,
        0xff00_ff00,
        0x1234_0000_0000_5678,
        1 << 63,
        !0 << 16,
    ]);
    for w in WIDTHS {
        for &n in &numbers {
            let mut buf = CodeBuffer::new(&CODE);
            Asm::new(&mut buf).mov_number(w, Gpr(3), n);
            let mut value = None;
            for word in buf.bytes().chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())) {
                let (piece, place) = (u64::from(word >> 5 & 0xffff), word >> 21 & 3);
                let wide = if word >> 31 != 0 { !0 } else { 0xffff_ffff };
                value = Some(match word & 0x7f80_0000 {
                    0x1280_0000 => !(piece << (16 * place)) & wide,
                    0x5280_0000 => piece << (16 * place),
                    0x7280_0000 => value.unwrap() & !(0xffff << (16 * place)) | piece << (16 * place),
                    _ if word & 0x7f80_0000 == 0x3200_0000 => {
                        let width = if word >> 31 != 0 { Width::X } else { Width::W };
                        assert_eq!(logical_immediate(width, n & wide), Some(word >> 10 & 0x1fff));
                        n & wide
                    }
                    _ => panic!("{word:#x}"),
                });
            }
            let wide = if w == Width::X { !0 } else { 0xffff_ffff };
            assert_eq!(value, Some(n & wide), "{n:#x}");
        }
    }
}

#[test]
fn control_and_system() {
    let mut f = Forms::new();
    for n in REGS {
        for &(word, name) in RBRANCH.names {
            f.add(format!("{name} x{n}"), |a| a.branch_r(Rbranch(word), Gpr(n)));
        }
        for &(word, name) in READ_SYSTEM.names {
            f.add(format!("mrs x{n}, {name}"), |a| a.read_system(ReadSystem(word), Gpr(n)));
        }
        for &(word, name) in WRITE_SYSTEM.names {
            f.add(format!("msr {name}, x{n}"), |a| a.write_system(WriteSystem(word), Gpr(n)));
        }
    }
    for &(word, name) in PLAIN.names {
        f.add(name, |a| a.plain(Plain(word)));
    }
    for n in [0, 1, 0xf000, 0xffff] {
        f.add(format!("brk #{n}"), |a| a.trap(BRK, n));
        f.add(format!("udf #{n}"), |a| a.put(n.into()));
    }
    f.judge();
}
