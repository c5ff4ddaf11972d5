//! Scalar floating point.

use super::*;
use crate::shared::constants::float_immediate;

/// Three registers of each size, at the ends of their range and between.
const SIZES: [([Vreg; 3], &str); 6] = [
    ([Vreg::S(31), Vreg::S(0), Vreg::S(15)], "32"),
    ([Vreg::S(1), Vreg::S(30), Vreg::S(8)], "32"),
    ([Vreg::S(16), Vreg::S(17), Vreg::S(29)], "32"),
    ([Vreg::D(31), Vreg::D(0), Vreg::D(15)], "64"),
    ([Vreg::D(1), Vreg::D(16), Vreg::D(8)], "64"),
    ([Vreg::D(15), Vreg::D(29), Vreg::D(24)], "64"),
];

#[test]
fn arithmetic() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for ([d, n, m], bits) in SIZES {
            for &(words, name) in FRRR.names {
                f.add(format!("{name}{bits} {}, {}, {}", v(d), v(n), v(m)), |a| a.frrr(Frrr(words), d, n, m));
            }
            for &(words, name) in FRR.names.iter().chain(FCMP.names) {
                f.add(format!("{name}{bits} {}, {}", v(d), v(m)), |a| a.frr(Frr(words), d, m));
            }
            for &(words, name) in FZERO.names {
                f.add(format!("{name}{bits} {}, #0", v(d)), |a| a.fzero(Fzero(words), d));
            }
            for single in [Vreg::S(0), Vreg::S(17)] {
                for &(words, name) in TO_INT.names {
                    f.add(format!("{name}{bits} {}, {}", v(single), v(m)), |a| a.to_int(ToInt(words), single, m));
                }
                for &(words, name) in FROM_INT.names {
                    let text = format!("{} {}, {}", name.replace("{f}", bits), v(d), v(single));
                    f.add(text, |a| a.from_int(FromInt(words), d, single));
                }
            }
            let it = if isa == Isa::T32 { "it lt; " } else { "" };
            f.add(format!("{it}vaddlt.f{bits} {}, {}, {}", v(d), v(n), v(m)), |a| {
                a.conditional(Cond::Lt, |a| a.frrr(VADD, d, n, m));
            });
        }
        for &(words, name) in [FWIDEN, FNARROW, FHALF].iter().flat_map(|list| list.names) {
            let of = |wide: bool, k: u8| if wide { Vreg::D(k) } else { Vreg::S(k) };
            let formats: Vec<&str> = name.split('.').skip(1).collect();
            for (d, m) in [(0, 31), (31, 0), (17, 16), (16, 9)] {
                let (d, m) = (of(formats[0] == "f64", d), of(formats[1] == "f64", m));
                f.add(format!("{name} {}, {}", v(d), v(m)), |a| a.fconvert(Fconvert(words), d, m));
            }
        }
        for n in 0..=255u8 {
            let exponent = i32::from((n >> 4 & 7) ^ 4) - 3;
            let value = (1.0 + f64::from(n & 15) / 16.0) * 2f64.powi(exponent) * if n >> 7 != 0 { -1.0 } else { 1.0 };
            assert_eq!(float_immediate(value.to_bits(), 11, 52), Some(n));
            f.add(format!("vmov.f64 d{}, #{value:?}", n % 32), |a| a.fmov_number(Vreg::D(n % 32), n));
            f.add(format!("vmov.f32 s{}, #{value:?}", n % 32), |a| a.fmov_number(Vreg::S(n % 32), n));
        }
        f.judge();
    }
}

#[test]
fn moves() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        f.add("vmrs apsr_nzcv, fpscr", |a| a.compared());
        for (t, u) in [(Gpr(0), LR), (IP, Gpr(3))] {
            f.add(format!("vmrs {}, fpscr", r(t)), |a| a.read_fpscr(t));
            f.add(format!("vmsr fpscr, {}", r(t)), |a| a.write_fpscr(t));
            for k in [0, 1, 15, 16, 30] {
                f.add(format!("vmov s{k}, {}", r(t)), |a| a.from_gpr(Vreg::S(k), t));
                f.add(format!("vmov {}, s{k}", r(t)), |a| a.to_gpr(t, Vreg::S(k)));
                f.add(format!("vmov s{k}, s{}, {}, {}", k + 1, r(t), r(u)), |a| a.from_pair(Vreg::S(k), (t, u)));
                f.add(format!("vmov {}, {}, s{k}, s{}", r(t), r(u), k + 1), |a| a.to_pair((t, u), Vreg::S(k)));
                f.add(format!("vmov d{k}, {}, {}", r(t), r(u)), |a| a.from_pair(Vreg::D(k), (t, u)));
                f.add(format!("vmov {}, {}, d{k}", r(t), r(u)), |a| a.to_pair((t, u), Vreg::D(k)));
            }
        }
        f.judge();
    }
}

#[test]
fn memory() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for ([t, ..], _) in SIZES {
            for &(words, name) in FACCESS.names {
                for base in [Gpr(0), LR, SP] {
                    for disp in [-1020, -4, 0, 4, 1020] {
                        let text = format!("{name} {}, [{}, #{disp}]", v(t), r(base));
                        f.add(text, |a| a.faccess(Faccess(words), t, Mem::Base(base, disp)));
                    }
                }
                let add = if isa == Isa::T32 { "add.w" } else { "add" };
                f.add(format!("{add} lr, r3, #1024; {name} {}, [lr]", v(t)), |a| {
                    a.faccess(Faccess(words), t, Mem::Base(Gpr(3), 1024));
                });
                f.add(format!("{add} lr, r3, r4, lsl #3; {name} {}, [lr]", v(t)), |a| {
                    a.faccess(Faccess(words), t, Mem::Index(Gpr(3), Gpr(4), 3));
                });
            }
        }
        for (first, count) in [(0, 16), (8, 8), (31, 1)] {
            let list: Vec<String> = (0..count).map(|k| format!("d{}", first + k)).collect();
            let list = format!("{{{}}}", list.join(", "));
            for &(words, name) in FMULTIPLE.names {
                let first = Vreg::D(first as u8);
                f.add(format!("{name} sp!, {list}"), |a| a.fmultiple(Fmultiple(words), first, count));
            }
        }
        f.judge();
    }
}
