//! Vectors.

use super::*;

const SIZES: [[Vreg; 3]; 4] = [
    [Vreg::D(31), Vreg::D(0), Vreg::D(15)],
    [Vreg::D(1), Vreg::D(16), Vreg::D(30)],
    [Vreg::Q(15), Vreg::Q(0), Vreg::Q(7)],
    [Vreg::Q(1), Vreg::Q(8), Vreg::Q(14)],
];

/// The lanes that an instruction has.
fn lanes_of(name: &str) -> impl Iterator<Item = Lane> {
    let (least, most) = match name.trim_end_matches(['.', 'i', 's', 'u', 'p', 'f']) {
        "vqadd" | "vqsub" | "vshl" | "vqshl" | "vrshl" | "vqrshl" => (0, 3),
        "vadd" | "vsub" => (0, 3),
        "vmul" | "vmull" if name.ends_with('p') => (0, 0),
        "vqdmulh" | "vqrdmulh" | "vqdmull" | "vqdmlal" => (1, 2),
        "vrev16" | "vcnt" => (0, 0),
        "vrev32" => (0, 1),
        "vcvt.f16" => (1, 1),
        _ if name.ends_with('f') => (2, 2),
        _ => (0, 2),
    };
    LANES.into_iter().filter(move |&l| (least..=most).contains(&(l as u32)))
}

#[test]
fn vectors() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for [d, n, m] in SIZES {
            let whole = matches!(d, Vreg::Q(_));
            let three = format!("{}, {}, {}", v(d), v(n), v(m));
            let two = format!("{}, {}", v(d), v(m));
            let pairs = |name: &str| name.starts_with("vp") && !name.starts_with("vpa") || name.starts_with("vpadd.");
            for &(words, name) in VRRR.names.iter().filter(|(_, name)| !whole || !pairs(name)) {
                for lane in lanes_of(name) {
                    f.add(format!("{name}{} {three}", lane.bits()), |a| a.vrrr(Vrrr(words), lane, d, n, m));
                }
            }
            for &(words, name) in VSHIFT_BY.names {
                for lane in lanes_of(name) {
                    f.add(format!("{name}{} {three}", lane.bits()), |a| a.vshift_by(VshiftBy(words), lane, d, n, m));
                }
            }
            for &(words, name) in VLOGIC.names {
                f.add(format!("{name} {three}"), |a| a.vlogic(Vlogic(words), d, n, m));
            }
            for &(words, name) in VFRRR.names {
                if if name.starts_with("sha") { whole } else { !whole || !pairs(name) } {
                    f.add(format!("{name} {three}"), |a| a.vfrrr(Vfrrr(words), d, n, m));
                }
            }
            for &(words, name) in VRR.names {
                for lane in lanes_of(name) {
                    // Of two double words in 64 bits there is one exchange, that of the other name.
                    if !whole && lane == Lane::S && matches!(name, "vuzp." | "vzip.") {
                        continue;
                    }
                    f.add(format!("{name}{} {two}", lane.bits()), |a| a.vrr(Vrr(words), lane, d, m));
                }
            }
            for &(words, name) in VZERO.names {
                for lane in lanes_of(name) {
                    f.add(format!("{name}{} {two}, #0", lane.bits()), |a| a.vzero(Vzero(words), lane, d, m));
                }
            }
            for &(words, name) in VFRR.names {
                f.add(format!("{name} {two}"), |a| a.vfrr(Vfrr(words), d, m));
            }
            for &(words, name) in CIPHER.names.iter().filter(|_| whole) {
                f.add(format!("{name} {two}"), |a| a.cipher(Cipher(words), d, m));
            }
            f.add(format!("vmov {two}"), |a| a.vmov(d, m));
            for from in 0..if whole { 16 } else { 8 } {
                f.add(format!("vext.8 {three}, #{from}"), |a| a.vext(d, n, m, from));
            }
            for &(words, name) in VSHIFT.names {
                for (lane, by) in LANES.into_iter().flat_map(|l| (0..=l.bits()).map(move |by| (l, by))) {
                    let left = matches!(name.split('.').next(), Some("vshl" | "vsli" | "vqshl" | "vqshlu"));
                    if if left { by < lane.bits() } else { by > 0 } {
                        let text = format!("{name}{} {two}, #{by}", lane.bits());
                        f.add(text, |a| a.vshift(Vshift(words), lane, d, m, by));
                    }
                }
            }
        }
        f.judge();
    }
}

#[test]
fn widths() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for (k, [d, n, m]) in [[31, 0, 15], [1, 16, 30], [16, 7, 9]].into_iter().enumerate() {
            let (d, n, m) = (Vreg::D(d), Vreg::D(n), Vreg::D(m));
            let (qd, qn, qm) = (Vreg::Q([15, 0, 7][k]), Vreg::Q([0, 8, 14][k]), Vreg::Q([7, 15, 1][k]));
            for &(words, name) in VLONG.names {
                for lane in lanes_of(name) {
                    let n = if name.contains('w') { qn } else { n };
                    let text = format!("{name}{} {}, {}, {}", lane.bits(), v(qd), v(n), v(m));
                    f.add(text, |a| a.vlong(Vlong(words), lane, qd, n, m));
                }
            }
            for &(words, name) in VNARROW.names {
                for lane in lanes_of(name.trim_end_matches(".f")) {
                    let text = format!("{name}{} {}, {}", 2 * lane.bits(), v(d), v(qm));
                    f.add(text, |a| a.vnarrow(Vnarrow(words), lane, d, qm));
                }
            }
            f.add(format!("vcvt.f32.f16 {}, {}", v(qd), v(m)), |a| a.vwiden_half(qd, m));
            for (lane, by) in LANES.into_iter().take(3).flat_map(|l| (0..=l.bits()).map(move |by| (l, by))) {
                for &(words, name) in VSHIFT_NARROW.names.iter().filter(|_| by > 0) {
                    let text = format!("{name}{} {}, {}, #{by}", 2 * lane.bits(), v(d), v(qm));
                    f.add(text, |a| a.vshift_narrow(VshiftNarrow(words), lane, d, qm, by));
                }
                for &(words, name) in VSHIFT_LONG.names.iter().filter(|_| by < lane.bits()) {
                    let text = match by {
                        0 => format!("{}{} {}, {}", name.replace("shl", "mov"), lane.bits(), v(qd), v(m)),
                        _ => format!("{name}{} {}, {}, #{by}", lane.bits(), v(qd), v(m)),
                    };
                    f.add(text, |a| a.vshift_long(VshiftLong(words), lane, qd, m, by));
                }
            }
            for (count, table) in [(1, 31), (2, 14), (3, 0), (4, 28)] {
                for &(words, name) in VTABLE.names {
                    let list = registers(table, count);
                    f.add(format!("{name} {}, {list}, {}", v(d), v(m)), |a| {
                        a.vtable(Vtable(words), d, Vreg::D(table), count.into(), m);
                    });
                }
            }
        }
        f.judge();
    }
}

/// A list of registers of 64 bits.
fn registers(first: u8, count: u8) -> String {
    let names: Vec<String> = (0..count).map(|k| format!("d{}", first + k)).collect();
    format!("{{{}}}", names.join(", "))
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

#[test]
fn memory() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for (first, n) in [(0, Gpr(0)), (13, SP), (25, LR)] {
            let base = format!("[{}]", r(n));
            for lane in LANES {
                let bits = lane.bits();
                for &(words, name) in VMULTIPLE.names {
                    let op = Vmultiple(words);
                    for count in 1..5 {
                        let text = format!("{name}.{bits} {}, {base}", registers(first, count));
                        f.add(text, |a| a.vmultiple(op, lane, Vreg::D(first), count.into(), n));
                    }
                }
                for k in 0..64 / bits {
                    for &(words, name) in VSINGLE.names.iter().filter(|_| lane != Lane::D) {
                        let text = format!("{name}.{bits} {{d{first}[{k}]}}, {base}");
                        f.add(text, |a| a.vsingle(Vsingle(words), lane, Vreg::D(first), k, n));
                    }
                }
                if lane != Lane::D {
                    f.add(format!("vld1.{bits} {{d{first}[]}}, {base}"), |a| {
                        a.vload_all(lane, Vreg::D(first), false, n);
                    });
                    f.add(format!("vld1.{bits} {{d{first}[], d{}[]}}, {base}", first + 1), |a| {
                        a.vload_all(lane, Vreg::D(first), true, n);
                    });
                }
            }
        }
        f.judge();
    }
}
