//! Floating point and vectors.

use super::*;
use crate::shared::constants::float_immediate;

const FORMATS: [(Fp, &str); 3] = [(Fp::H, "h"), (Fp::S, "s"), (Fp::D, "d")];
const LANES: [(Lanes, &str); 8] = [
    (Lanes::B8, "8b"),
    (Lanes::B16, "16b"),
    (Lanes::H4, "4h"),
    (Lanes::H8, "8h"),
    (Lanes::S2, "2s"),
    (Lanes::S4, "4s"),
    (Lanes::D1, "1d"),
    (Lanes::D2, "2d"),
];

/// The letter of a lane's size.
fn letter(l: Lanes) -> &'static str {
    ["b", "h", "s", "d"][l.size() as usize]
}

fn lanes_of(name: &str) -> impl Iterator<Item = (Lanes, &'static str)> {
    let fits = match name {
        // Of double words.
        "add" | "sub" | "addp" | "neg" | "abs" | "sshl" | "ushl" | "sqshl" | "uqshl" | "srshl" | "urshl" => 3,
        "sqadd" | "uqadd" | "sqsub" | "uqsub" => 3,
        name if name.starts_with("cm") || name.starts_with("zip") || name.starts_with("uzp") => 3,
        name if name.starts_with("trn") => 3,
        "sqdmulh" | "sqrdmulh" => 4,
        "rev16" | "cnt" => 0,
        "rev32" => 1,
        _ => 2,
    };
    LANES.into_iter().filter(move |(l, _)| match fits {
        4 => matches!(l.size(), 1 | 2),
        fits => l.size() <= fits && *l != Lanes::D1,
    })
}

#[test]
fn scalars() {
    let mut f = Forms::new();
    for (i, (ty, t)) in FORMATS.into_iter().enumerate() {
        let (d, n, m) = (31, 7 * i as u8, 30);
        for &(word, name) in FRRR.names {
            f.add(format!("{name} {t}{d}, {t}{n}, {t}{m}"), |a| a.frrr(Frrr(word), ty, Vreg(d), Vreg(n), Vreg(m)));
        }
        for &(word, name) in FRR.names {
            f.add(format!("{name} {t}{d}, {t}{n}"), |a| a.frr(Frr(word), ty, Vreg(d), Vreg(n)));
        }
        for &(word, name) in FRRRR.names {
            let text = format!("{name} {t}{d}, {t}{n}, {t}{m}, {t}5");
            f.add(text, |a| a.frrrr(Frrrr(word), ty, Vreg(d), (Vreg(n), Vreg(m)), Vreg(5)));
        }
        for &(word, name) in FCOMPARE.names {
            f.add(format!("{name} {t}{d}, {t}{m}"), |a| a.fcompare(Fcompare(word), ty, Vreg(d), Vreg(m)));
            f.add(format!("{name} {t}{d}, #0.0"), |a| a.fcompare_zero(Fcompare(word), ty, Vreg(d)));
        }
        f.add(format!("fcsel {t}{d}, {t}{n}, {t}{m}, ge"), |a| {
            a.fchoice(ty, Vreg(d), (Vreg(n), Vreg(m)), Cond::Ge);
        });
        for (to, u) in FORMATS.into_iter().filter(|(to, _)| *to != ty) {
            f.add(format!("fcvt {u}{d}, {t}{n}"), |a| a.fconvert(to, ty, Vreg(d), Vreg(n)));
        }
        for w in WIDTHS {
            let same = |name: &str| name != "fmov" || (ty == Fp::H || (ty == Fp::D) == (w == Width::X));
            for &(word, name) in TO_INT.names.iter().filter(|(_, name)| same(name)) {
                f.add(format!("{name} {}, {t}{n}", r(w, 30)), |a| a.to_int(ToInt(word), w, ty, Gpr(30), Vreg(n)));
            }
            for &(word, name) in FROM_INT.names.iter().filter(|(_, name)| same(name)) {
                f.add(format!("{name} {t}{d}, {}", r(w, 30)), |a| a.from_int(FromInt(word), w, ty, Vreg(d), Gpr(30)));
            }
        }
        for n in 0..=255u8 {
            // A sign, three bits of exponent, four of fraction.
            let exponent = i32::from((n >> 4 & 7) ^ 4) - 3;
            let value = (1.0 + f64::from(n & 15) / 16.0) * 2f64.powi(exponent) * if n >> 7 != 0 { -1.0 } else { 1.0 };
            assert_eq!(float_immediate(value.to_bits(), 11, 52), Some(n));
            assert_eq!(float_immediate((value as f32).to_bits().into(), 8, 23), Some(n));
            f.add(format!("fmov {t}{d}, #{value}"), |a| a.fmov_number(ty, Vreg(d), n));
        }
    }
    for value in [0.0, 1.0 / 3.0, 32.0, 0.1, 1e300, f64::INFINITY] {
        assert_eq!(float_immediate(value.to_bits(), 11, 52), None);
    }
    f.add("fmov x3, v30.d[1]", |a| a.high_to_int(Gpr(3), Vreg(30)));
    f.add("fmov v30.d[1], x3", |a| a.high_from_int(Vreg(30), Gpr(3)));
    f.judge();
}

#[test]
fn vectors() {
    let mut f = Forms::new();
    let (d, n, m) = (31, 5, 30);
    for &(word, name) in VRRR.names {
        for (l, t) in lanes_of(name).filter(|(l, _)| !(l.size() == 3 && matches!(name, "mul" | "mla" | "mls"))) {
            let text = format!("{name} v{d}.{t}, v{n}.{t}, v{m}.{t}");
            f.add(text, |a| a.vrrr(Vrrr(word), l, Vreg(d), Vreg(n), Vreg(m)));
        }
    }
    for &(word, name) in VRR.names {
        for (l, t) in lanes_of(name) {
            f.add(format!("{name} v{d}.{t}, v{n}.{t}"), |a| a.vrr(Vrr(word), l, Vreg(d), Vreg(n)));
        }
    }
    for (whole, t) in [(false, "8b"), (true, "16b")] {
        for &(word, name) in VLOGIC.names {
            let text = format!("{name} v{d}.{t}, v{n}.{t}, v{m}.{t}");
            f.add(text, |a| a.vlogic(Vlogic(word), whole, Vreg(d), Vreg(n), Vreg(m)));
        }
        for &(word, name) in VBYTES.names {
            f.add(format!("{name} v{d}.{t}, v{n}.{t}"), |a| a.vbytes(Vbytes(word), whole, Vreg(d), Vreg(n)));
        }
        for from in [0, 3, 7] {
            let from = if whole { 2 * from + 1 } else { from };
            let text = format!("ext v{d}.{t}, v{n}.{t}, v{m}.{t}, #{from}");
            f.add(text, |a| a.ext(whole, Vreg(d), Vreg(n), Vreg(m), from));
        }
        for count in 1..5 {
            let list: Vec<String> = (0..count).map(|k| format!("v{}.16b", 3 + k)).collect();
            let text = format!("tbl v{d}.{t}, {{{}}}, v{m}.{t}", list.join(", "));
            f.add(text, |a| a.tbl(whole, Vreg(d), Vreg(3), count, Vreg(m)));
        }
    }
    for (l, t) in [(Lanes::S2, "2s"), (Lanes::S4, "4s"), (Lanes::D2, "2d")] {
        for &(word, name) in VFRRR.names {
            let text = format!("{name} v{d}.{t}, v{n}.{t}, v{m}.{t}");
            f.add(text, |a| a.vfrrr(Vfrrr(word), l, Vreg(d), Vreg(n), Vreg(m)));
        }
        for &(word, name) in VFRR.names {
            f.add(format!("{name} v{d}.{t}, v{n}.{t}"), |a| a.vfrr(Vfrr(word), l, Vreg(d), Vreg(n)));
        }
    }
    f.judge();
}

#[test]
fn widths_and_shifts() {
    let mut f = Forms::new();
    let (d, n, m) = (31, 5, 30);
    for (k, (l, t)) in LANES.into_iter().enumerate() {
        let whole = k % 2 == 1;
        let bits = 8 << l.size();
        let two = if whole { "2" } else { "" };
        let of_lanes = |l: Lanes| l.q() | l.size() << 22;
        if l.size() < 3 {
            let wide = LANES[k / 2 * 2 + 3].1;
            let long_pairs = LANES[k + 2].1;
            for &(word, name) in VLONG.names.iter().filter(|(_, name)| *name != "pmull" || l.size() == 0) {
                let text = format!("{name}{two} v{d}.{wide}, v{n}.{t}, v{m}.{t}");
                f.add(text, |a| a.put_3(word | of_lanes(l), Vreg(d), Vreg(n), Vreg(m)));
            }
            for &(word, name) in VNARROW.names {
                f.add(format!("{name}{two} v{d}.{t}, v{n}.{wide}"), |a| a.put_2(word | of_lanes(l), Vreg(d), Vreg(n)));
            }
            for &(word, name) in VADD_PAIRS.names {
                let text = format!("{name} v{d}.{long_pairs}, v{n}.{t}");
                f.add(text, |a| a.vadd_pairs(VaddPairs(word), l, Vreg(d), Vreg(n)));
            }
            for &(word, name) in VSHIFT_LONG.names {
                for by in [0, 1, bits - 1] {
                    let text = format!("{name}{two} v{d}.{wide}, v{n}.{t}, #{by}");
                    f.add(text, |a| a.vshift_long(VshiftLong(word), l, Vreg(d), Vreg(n), by));
                }
            }
            if l != Lanes::S2 {
                for &(word, name) in ACROSS.names {
                    let text = format!("{name} {}{d}, v{n}.{t}", letter(l));
                    f.add(text, |a| a.across(Across(word), l, Vreg(d), Vreg(n)));
                }
            }
        }
        if l != Lanes::D1 {
            for &(word, name) in VSHIFT.names {
                let left = matches!(name, "shl" | "sli");
                for by in if left { [0, 1, bits - 1] } else { [1, 2, bits] } {
                    let text = format!("{name} v{d}.{t}, v{n}.{t}, #{by}");
                    f.add(text, |a| a.vshift(Vshift(word), l, Vreg(d), Vreg(n), by));
                }
            }
            let w = if l.size() == 3 { Width::X } else { Width::W };
            f.add(format!("dup v{d}.{t}, {}", r(w, 30)), |a| a.dup(l, Vreg(d), Gpr(30)));
            for lane in 0..16 >> l.size() {
                let c = letter(l);
                f.add(format!("dup v{d}.{t}, v{n}.{c}[{lane}]"), |a| a.dup_lane(l, Vreg(d), Vreg(n), lane));
                f.add(format!("ins v{d}.{c}[{lane}], {}", r(w, 30)), |a| a.insert(l, Vreg(d), lane, Gpr(30)));
                f.add(format!("ins v{d}.{c}[0], v{n}.{c}[{lane}]"), |a| a.insert_lane(l, Vreg(d), 0, Vreg(n), lane));
                f.add(format!("umov {}, v{n}.{c}[{lane}]", r(w, 30)), |a| a.umov(l, Gpr(30), Vreg(n), lane));
                for w in WIDTHS.into_iter().filter(|w| w.bits() > bits) {
                    f.add(format!("smov {}, v{n}.{c}[{lane}]", r(w, 30)), |a| a.smov(w, l, Gpr(30), Vreg(n), lane));
                }
            }
        }
    }
    for n in [0, 1, 0x55, 0xaa, 0xff] {
        f.add(format!("movi v31.16b, #{n}"), |a| a.movi(true, 0b01110, n, Vreg(31)));
        f.add(format!("movi v31.8h, #{n}, lsl #8"), |a| a.movi(true, 0b01010, n, Vreg(31)));
        f.add(format!("movi v31.4s, #{n}, lsl #24"), |a| a.movi(true, 0b00110, n, Vreg(31)));
        f.add(format!("mvni v31.4s, #{n}"), |a| a.movi(true, 0b10000, n, Vreg(31)));
        f.add(format!("mvni v31.2s, #{n}, lsl #16"), |a| a.movi(false, 0b10100, n, Vreg(31)));
        let spread = (0..8).fold(0u64, |x, k| x | (u64::from((n >> k) & 1) * 0xff) << (8 * k));
        f.add(format!("movi v31.2d, #{spread:#x}"), |a| a.movi(true, 0b11110, n, Vreg(31)));
        f.add(format!("movi d31, #{spread:#x}"), |a| a.movi(false, 0b11110, n, Vreg(31)));
    }
    f.judge();
}
