//! Vectors.

use super::super::neon::*;
use super::*;

const NUMBERS: [[u8; 3]; 3] = [[31, 0, 15], [1, 16, 30], [16, 7, 9]];

/// Registers of a size by the numbers of their first halves.
fn of(size: char, numbers: [u8; 3]) -> [Vreg; 3] {
    numbers.map(|n| if size == 'q' { Vreg::Q(n / 2) } else { Vreg::D(n) })
}

/// A list of registers of 64 bits.
fn registers(first: u8, count: u8) -> String {
    let names: Vec<String> = (0..count).map(|k| format!("d{}", first + k)).collect();
    format!("{{{}}}", names.join(", "))
}

/// Is there the instruction on vectors of this size?
fn exists(name: &str, whole: bool, lane: Lane) -> bool {
    let pairs = ["vpmax", "vpmin", "vpadd."].iter().any(|p| name.starts_with(p));
    // Of two double words in 64 bits there is one exchange, that of the other name.
    let exchange = matches!(name, "vuzp." | "vzip.") && lane == Lane::S;
    if whole { !pairs } else { !name.starts_with("sha") && !name.contains("mmla") && !exchange }
}

#[test]
fn vectors() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for (row, numbers) in ROWS.iter().flat_map(|row| NUMBERS.map(|n| (row, n))) {
            let form = row.op.form;
            let sizes = if form.is_sized() { vec![['d', 'd'], ['q', 'q']] } else { vec![form.sizes()] };
            let lanes = Lane::ALL.into_iter().filter(|&l| row.lanes >> l as u32 & 1 != 0);
            for (([to, from], lane), sign) in
                sizes.iter().flat_map(|s| lanes.clone().map(move |l| (s, l))).flat_map(|x| {
                    let signs: &[_] = if row.name.contains('*') { &["s", "u"] } else { &[""] };
                    signs.iter().map(move |&s| (x, s))
                })
            {
                let ([d, ..], [_, n, m], bits) = (of(*to, numbers), of(*from, numbers), lane.bits());
                let op = row.op.sign(sign == "u");
                let width = form.width().map(|twice| (bits << u32::from(twice)).to_string());
                let name = format!("{}{}", row.name, width.unwrap_or_default());
                let name = name.replace('*', sign);
                if !exists(row.name, *to == 'q', lane) {
                    continue;
                }
                let (d_name, n_name, m_name) = (v(d), v(n), v(m));
                match form {
                    Form::By => f.add(format!("{name} {d_name}, {n_name}, {m_name}"), |a| a.vector(op, lane, d, n, m)),
                    Form::Table => {
                        for count in 1..5 {
                            let text = format!("{name} {d_name}, {}, {m_name}", registers(numbers[1], count));
                            f.add(text, |a| a.vtable(op, d, n, count.into(), m));
                        }
                    }
                    _ if form.is_shift() => {
                        let bits = if form == Form::Fraction { 16 } else { bits };
                        for by in if form == Form::Left { 0..bits } else { 1..bits + 1 } {
                            let text = format!("{name} {d_name}, {m_name}, #{by}");
                            f.add(text, |a| a.vshift(op, lane, d, m, by));
                        }
                    }
                    _ if form.has_two() => {
                        let turn = match form {
                            Form::Turned => ", #90",
                            Form::TurnedBack => ", #270",
                            _ => "",
                        };
                        f.add(format!("{name} {d_name}, {n_name}, {m_name}{turn}"), |a| a.vector(op, lane, d, n, m));
                    }
                    _ => f.add(format!("{name} {d_name}, {m_name}"), |a| a.vector(op, lane, d, n, m)),
                }
            }
        }
        f.judge();
    }
}

#[test]
fn lanes() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for numbers in NUMBERS {
            for size in ['d', 'q'] {
                let [d, n, m] = of(size, numbers);
                f.add(format!("vmov {}, {}", v(d), v(m)), |a| a.vmov(d, m));
                for from in 0..if size == 'q' { 16 } else { 8 } {
                    f.add(format!("vext.8 {}, {}, {}, #{from}", v(d), v(n), v(m)), |a| a.vext(d, n, m, from));
                }
                for lane in &Lane::ALL[..3] {
                    let (bits, half) = (lane.bits(), m.halves()[1]);
                    f.add(format!("vdup.{bits} {}, r3", v(d)), |a| a.dup(*lane, d, Gpr(3)));
                    for k in 0..64 / bits {
                        let text = format!("vdup.{bits} {}, {}[{k}]", v(d), v(half));
                        f.add(text, |a| a.dup_lane(*lane, d, half, k));
                        f.add(format!("vmov.{bits} {}[{k}], r12", v(half)), |a| a.set_lane(*lane, half, k, IP));
                        for (signed, s) in [(true, "s"), (false, "u")] {
                            if *lane != Lane::S || signed {
                                let s = if *lane == Lane::S { "" } else { s };
                                f.add(format!("vmov.{s}{bits} r9, {}[{k}]", v(half)), |a| {
                                    a.get_lane(*lane, signed, Gpr(9), half, k);
                                });
                            }
                        }
                    }
                }
                for (base, load) in [(Gpr(0), true), (SP, false), (LR, true)] {
                    let name = if load { "vld1.8" } else { "vst1.8" };
                    if let Vreg::Q(n) = d {
                        let text = format!("{name} {}, [{}]", registers(2 * n, 2), r(base));
                        f.add(text, |a| a.vaccess(load, d, base));
                    }
                }
            }
        }
        f.judge();
    }
}

#[test]
fn numbers() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for n in [0, 1, 0x70, 0x80, 0xab, 0xff] {
            for (d, t) in [(Vreg::D(17), "d17"), (Vreg::Q(15), "q15")] {
                let wide = u32::from(n);
                f.add(format!("vmov.i8 {t}, #{n}"), |a| a.vmov_number(d, 14, false, n));
                let spread = (0..8).fold(0u64, |x, k| x | (u64::from(n >> k & 1) * 0xff) << (8 * k));
                // What is a byte repeated is printed so.
                if n != 0 && n != 0xff {
                    f.add(format!("vmov.i64 {t}, #{spread:#x}"), |a| a.vmov_number(d, 14, true, n));
                }
                let exponent = i32::from((n >> 4 & 7) ^ 4) - 3;
                let value = (1.0 + f64::from(n & 15) / 16.0) * 2f64.powi(exponent) * if n > 127 { -1.0 } else { 1.0 };
                f.add(format!("vmov.f32 {t}, #{value:?}"), |a| a.vmov_number(d, 15, false, n));
                for (not, name) in [(false, "vmov"), (true, "vmvn")] {
                    for mode in [0, 2, 4, 6].into_iter().filter(|&m| m == 0 || n != 0) {
                        let number = wide << (4 * mode);
                        f.add(format!("{name}.i32 {t}, #{number:#x}"), |a| a.vmov_number(d, mode, not, n));
                    }
                    for mode in [8, 10].into_iter().filter(|&m| m == 8 || n != 0) {
                        let number = wide << (4 * (mode - 8));
                        f.add(format!("{name}.i16 {t}, #{number:#x}"), |a| a.vmov_number(d, mode, not, n));
                    }
                    for mode in [12, 13].into_iter().filter(|_| n != 0) {
                        let number = if mode == 12 { wide << 8 | 0xff } else { wide << 16 | 0xffff };
                        f.add(format!("{name}.i32 {t}, #{number:#x}"), |a| a.vmov_number(d, mode, not, n));
                    }
                }
            }
        }
        f.judge();
    }
}
