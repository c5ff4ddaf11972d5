//! Loads and stores in every form of address.

use super::*;

#[test]
fn single() {
    for isa in ISAS {
        let t32 = isa == Isa::T32;
        let mut f = Forms::new(isa);
        for &(words, name) in ACCESS.names.iter().chain(EXTRA_ACCESS.names) {
            let op = Access(words);
            let extra = !t32 && (name.contains("rs") || name.ends_with('h'));
            let most = if extra { 255 } else { 4095 };
            let least = if t32 { -255 } else { -most };
            for t in [Gpr(0), Gpr(7), Gpr(8), LR] {
                for base in [Gpr(1), Gpr(7), IP, SP] {
                    let mut displacements = vec![least, -1, most, 1021, 1024];
                    displacements.extend([0, 1, 2, 4, 30, 31, 32, 62, 64, 124, 128, 252]);
                    for disp in displacements.into_iter().filter(|d| (least..=most).contains(d)) {
                        let text = format!("{name} {}, [{}, #{disp}]", r(t), r(base));
                        f.add(text, |a| a.access(op, t, Mem::Base(base, disp)));
                    }
                    let moving = if t32 || extra { 255 } else { 4095 };
                    for disp in [-moving, -4, 0, 4, moving].into_iter().filter(|_| t != base) {
                        let (t_, b) = (r(t), r(base));
                        if disp != 0 {
                            f.add(format!("{name} {t_}, [{b}, #{disp}]!"), |a| a.access(op, t, Mem::Pre(base, disp)));
                        }
                        f.add(format!("{name} {t_}, [{b}], #{disp}"), |a| a.access(op, t, Mem::Post(base, disp)));
                    }
                    for (by, index) in [(0, Gpr(2)), (0, LR), (1, Gpr(3)), (2, IP), (3, Gpr(4))] {
                        if extra && by != 0 {
                            continue;
                        }
                        let shift = if by == 0 { String::new() } else { format!(", lsl #{by}") };
                        let text = format!("{name} {}, [{}, {}{shift}]", r(t), r(base), r(index));
                        f.add(text, |a| a.access(op, t, Mem::Index(base, index, by)));
                    }
                }
            }
        }
        f.judge();
    }
}

/// Displacements that take more instructions.
#[test]
fn far() {
    let mut f = Forms::new(Isa::A32);
    f.add("add lr, r3, #0x100000; str r5, [lr, #8]", |a| a.access(STR, Gpr(5), Mem::Base(Gpr(3), 0x10_0008)));
    f.add("sub lr, r3, #0x2000; ldr r5, [lr, #0xffc]", |a| a.access(LDR, Gpr(5), Mem::Base(Gpr(3), -0x1004)));
    f.add("add lr, r3, #0x100; ldrh r5, [lr, #2]", |a| a.access(LDRH, Gpr(5), Mem::Base(Gpr(3), 0x102)));
    f.add("movw lr, #0x3402; movt lr, #0x12; ldrsh r5, [r3, lr]", |a| {
        a.access(LDRSH, Gpr(5), Mem::Base(Gpr(3), 0x12_3402));
    });
    f.add("add lr, r3, r4, lsl #1; ldrh r5, [lr]", |a| a.access(LDRH, Gpr(5), Mem::Index(Gpr(3), Gpr(4), 1)));
    f.judge();
    let mut f = Forms::new(Isa::T32);
    f.add("add.w lr, r3, #0x100000; str.w r5, [lr, #8]", |a| a.access(STR, Gpr(5), Mem::Base(Gpr(3), 0x10_0008)));
    f.add("sub.w lr, r3, #0x1000; ldr.w r5, [lr, #0xf00]", |a| a.access(LDR, Gpr(5), Mem::Base(Gpr(3), -0x100)));
    f.add("movw lr, #0x2345; movt lr, #0x101; ldr.w r5, [r3, lr]", |a| {
        a.access(LDR, Gpr(5), Mem::Base(Gpr(3), 0x101_2345));
    });
    f.judge();
}

/// The text of a set of registers.
fn list(set: u16) -> String {
    let names: Vec<String> = (0..16).filter(|n| set >> n & 1 != 0).map(|n| r(Gpr(n))).collect();
    format!("{{{}}}", names.join(", "))
}

#[test]
fn sets() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for set in [3, 0xff, 0x100f, 0x4ff0, 0x40f0] {
            f.add(format!("push {}", list(set)), |a| a.push(set));
            let set = set & !0x4000 | 0x8000;
            f.add(format!("pop {}", list(set)), |a| a.pop(set));
        }
        for n in [0, 7, 8, 12, 14] {
            f.add(format!("push {{{}}}", r(Gpr(n))), |a| a.push(1 << n));
            f.add(format!("pop {{{}}}", r(Gpr(n))), |a| a.pop(1 << n));
        }
        f.add("pop {pc}", |a| a.pop(1 << 15));
        f.judge();
    }
}

#[test]
fn exclusive_and_ordered() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for (t, d, n) in [(0, 1, 2), (14, 8, 12), (6, 0, 13)].map(|(t, d, n)| (Gpr(t), Gpr(d), Gpr(n))) {
            let base = if n == SP { IP } else { n };
            for &(words, name) in ORDERED.names {
                f.add(format!("{name} {}, [{}]", r(t), r(base)), |a| a.registers(Ordered(words), [t, base]));
            }
            let text = format!("{}, {}, [{}]", r(d), r(t), r(base));
            for &(words, name) in CONDITIONAL.names {
                f.add(format!("{name} {text}"), |a| a.registers(Conditional(words), [d, t, base]));
            }
            f.add(format!("strex {text}"), |a| a.registers(STREX, [d, t, base]));
        }
        for (t, n) in [(0, 12), (6, 1)] {
            let pair = (Gpr(t), Gpr(t + 1));
            let text = format!("{}, {}, [{}]", r(pair.0), r(pair.1), r(Gpr(n)));
            for &(words, name) in ORDERED_PAIR.names {
                f.add(format!("{name} {text}"), |a| a.ordered_pair(OrderedPair(words), pair, Gpr(n)));
            }
            for &(words, name) in CONDITIONAL_PAIR.names {
                f.add(format!("{name} lr, {text}"), |a| a.conditional_pair(ConditionalPair(words), LR, pair, Gpr(n)));
            }
        }
        for &(words, name) in BARRIER.names {
            // One of them has no name for less than everything.
            let kinds = [(15, "sy"), (11, "ish"), (10, "ishst")];
            for &(kind, text) in if name == "isb" { &kinds[..1] } else { &kinds } {
                f.add(format!("{name} {text}"), |a| a.barrier(Barrier(words), kind));
            }
        }
        f.add("pld [r3, #4095]", |a| a.prefetch(Gpr(3), 4095));
        f.judge();
    }
}
