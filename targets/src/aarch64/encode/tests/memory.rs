//! Loads and stores in every form of address.

use super::*;

/// The name of the register that an access is of.
fn name_of(word: u32, n: u8) -> String {
    if word >> 26 & 1 != 0 {
        let size = Access(word).size();
        return format!("{}{n}", ["b", "h", "s", "d", "q"][size as usize]);
    }
    // Of signed loads the bit is set where the result is a word.
    let wide = if word >> 23 & 1 != 0 { word >> 22 & 1 == 0 } else { word >> 30 == 3 };
    r(if wide { Width::X } else { Width::W }, n)
}

#[test]
fn single() {
    let mut f = Forms::new();
    for &(word, name) in ACCESS.names {
        let op = Access(word);
        let size = op.size();
        let t = |n: u8| if name == "prfm" { format!("#{n}") } else { name_of(word, n) };
        for reg in [0, 17, 30] {
            for disp in [0, 1, 2, 0xfff] {
                let bytes = disp << size;
                f.add(format!("{name} {}, [sp, #{bytes}]", t(reg)), |a| a.access(op, Gpr(reg), Mem::Base(SP, bytes)));
            }
            let unscaled = if name == "prfm" { "prfum".into() } else { name.replace("ld", "ldu").replace("st", "stu") };
            for disp in [-256, -255, -1, 255] {
                let name = if disp == 255 && size == 0 { name } else { &unscaled };
                f.add(format!("{name} {}, [x29, #{disp}]", t(reg)), |a| {
                    a.access(op, Gpr(reg), Mem::Base(Gpr(29), disp))
                });
            }
            for (extend, text, m) in
                [(Extend::Uxtw, "uxtw", "w9"), (Extend::Sxtw, "sxtw", "w9"), (Extend::Uxtx, "lsl", "x9")]
            {
                let by = if size == 0 && text != "lsl" { " #0".to_string() } else { format!(" #{size}") };
                f.add(format!("{name} {}, [sp, {m}, {text}{by}]", t(reg)), |a| {
                    a.access(op, Gpr(reg), Mem::Index(SP, Gpr(9), extend, true));
                });
                let plain = if text == "lsl" { String::new() } else { format!(", {text}") };
                f.add(format!("{name} {}, [x29, {m}{plain}]", t(reg)), |a| {
                    a.access(op, Gpr(reg), Mem::Index(Gpr(29), Gpr(9), extend, false));
                });
            }
            if name == "prfm" {
                continue;
            }
            for disp in [-256, -1, 0, 255] {
                f.add(format!("{name} {}, [x1, #{disp}]!", t(reg)), |a| a.access(op, Gpr(reg), Mem::Pre(Gpr(1), disp)));
                f.add(format!("{name} {}, [sp], #{disp}", t(reg)), |a| a.access(op, Gpr(reg), Mem::Post(SP, disp)));
            }
        }
    }
    // Displacements that take more instructions.
    f.add("add x17, x3, #1048576; str x5, [x17, #8]", |a| a.access(STR_X, Gpr(5), Mem::Base(Gpr(3), 0x10_0008)));
    f.add("sub x17, x3, #4096; ldr w5, [x17, #4]", |a| a.access(LDR_W, Gpr(5), Mem::Base(Gpr(3), -4092)));
    f.add("mov x17, #-4097; ldr w5, [x3, x17]", |a| a.access(LDR_W, Gpr(5), Mem::Base(Gpr(3), -4097)));
    f.add("mov w17, #50331648; ldr q5, [sp, x17]", |a| a.access(LDR_Q, Vreg(5), Mem::Base(SP, 3 << 24)));
    f.add("add x17, sp, #512; ldp x1, x2, [x17]", |a| a.access_pair(LDP_X, Gpr(1), Gpr(2), Mem::Base(SP, 512)));
    f.add("add x1, x2, #1, lsl #12; add x1, x1, #1", |a| a.add_number(Width::X, Gpr(1), Gpr(2), 4097));
    f.add("sub sp, sp, #1, lsl #12; sub sp, sp, #16", |a| a.add_number(Width::X, SP, SP, -4112));
    f.judge();
}

#[test]
fn pairs() {
    let mut f = Forms::new();
    for &(word, name) in PAIR_ACCESS.names {
        let op = PairAccess(word);
        let vector = word >> 26 & 1 != 0;
        let size = if vector { 2 + (word >> 30) } else { 2 + (word >> 31) };
        let t = |n: u8| match (vector, name) {
            (true, _) => format!("{}{n}", ["s", "d", "q"][size as usize - 2]),
            (false, "ldpsw") => format!("x{n}"),
            _ => r(if size == 3 { Width::X } else { Width::W }, n),
        };
        let size = if name == "ldpsw" { 2 } else { size };
        for disp in [-64, -1, 0, 1, 63] {
            let bytes = disp << size;
            let (x, y) = (t(30), t(5));
            f.add(format!("{name} {x}, {y}, [sp, #{bytes}]"), |a| {
                a.access_pair(op, Gpr(30), Gpr(5), Mem::Base(SP, bytes));
            });
            f.add(format!("{name} {x}, {y}, [sp, #{bytes}]!"), |a| {
                a.access_pair(op, Gpr(30), Gpr(5), Mem::Pre(SP, bytes))
            });
            f.add(format!("{name} {x}, {y}, [x0], #{bytes}"), |a| {
                a.access_pair(op, Gpr(30), Gpr(5), Mem::Post(Gpr(0), bytes));
            });
        }
    }
    f.judge();
}

#[test]
fn ordered() {
    let mut f = Forms::new();
    for size in 0..4 {
        let suffix = ["b", "h", "", ""][size as usize];
        let w = if size == 3 { Width::X } else { Width::W };
        for &(word, name) in ORDERED.names {
            let text = format!("{name}{suffix} {}, [sp]", r(w, 30));
            f.add(text, |a| a.ordered(Ordered(word), size, Gpr(30), SP));
        }
        for &(word, name) in CONDITIONAL.names {
            let text = format!("{name}{suffix} w3, {}, [x29]", r(w, 30));
            f.add(text, |a| a.conditional(Conditional(word), size, Gpr(3), Gpr(30), Gpr(29)));
        }
        for (order, letters) in [((false, false), ""), ((true, false), "a"), ((false, true), "l"), ((true, true), "al")]
        {
            for &(word, name) in UPDATE.names {
                let text = format!("{name}{letters}{suffix} {}, {}, [sp]", r(w, 3), r(w, 30));
                f.add(text, |a| a.update(Update(word), size, order, Gpr(3), Gpr(30), SP));
            }
            let text = format!("cas{letters}{suffix} {}, {}, [x1]", r(w, 3), r(w, 30));
            f.add(text, |a| a.compare_and_swap(size, order, Gpr(3), Gpr(30), Gpr(1)));
        }
    }
    for (order, letters) in [((false, false), ""), ((true, false), "a"), ((false, true), "l"), ((true, true), "al")] {
        let text = format!("casp{letters} x2, x3, x28, x29, [sp]");
        f.add(text, |a| a.compare_and_swap_pair(order, Gpr(2), Gpr(28), SP));
    }
    for w in WIDTHS {
        for &(word, name) in ORDERED_PAIR.names {
            let text = format!("{name} {}, {}, [sp]", r(w, 3), r(w, 30));
            f.add(text, |a| a.ordered_pair(OrderedPair(word), w, (Gpr(3), Gpr(30)), SP));
        }
        for &(word, name) in CONDITIONAL_PAIR.names {
            let text = format!("{name} w1, {}, {}, [sp]", r(w, 3), r(w, 30));
            f.add(text, |a| a.conditional_pair(ConditionalPair(word), w, Gpr(1), (Gpr(3), Gpr(30)), SP));
        }
    }
    f.judge();
}
