//! Branches in all their forms, conditions, and what controls the processor.

use super::*;
use object::{Object as _, ObjectSection as _};

/// The section `.text` of the object that the assembler makes.
fn object_text(isa: Isa, text: &str) -> Vec<u8> {
    let file = std::env::temp_dir().join(format!("gusset-arm-{}-{isa:?}-{}", std::process::id(), text.len()));
    std::fs::write(file.with_extension("s"), text).unwrap();
    let triple = if isa == Isa::T32 { "--triple=thumbv8a-linux-gnueabihf" } else { "--triple=armv8a-linux-gnueabihf" };
    let out = Command::new("llvm-mc-19")
        .args([triple, "--filetype=obj", "-o"])
        .args([file.with_extension("o"), file.with_extension("s")])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let bytes = std::fs::read(file.with_extension("o")).unwrap();
    ["o", "s"].iter().for_each(|e| std::fs::remove_file(file.with_extension(e)).unwrap());
    let object = object::File::parse(&*bytes).unwrap();
    object.section_by_name(".text").unwrap().data().unwrap().to_vec()
}

/// Code that branches, back if `first` and forward over so many bytes, against the text of the same.
fn judge(isa: Isa, over: u32, first: bool, branch: impl Fn(&mut Asm, gusset_codegen::buffer::Label), text: &str) {
    let mut buf = CodeBuffer::new(isa.code(Default::default()));
    let mut a = Asm::new(&mut buf, isa);
    let to = a.buf.new_label();
    let filler = |a: &mut Asm| a.buf.put_slice(&vec![0; over as usize]);
    if first {
        a.buf.bind(to);
        filler(&mut a);
    }
    branch(&mut a, to);
    if !first {
        filler(&mut a);
        a.buf.bind(to);
    }
    a.hint(NOP);
    buf.finish().unwrap();
    let filler = format!(".zero {over}\n");
    let text = if first { format!("1:\n{filler}{text}\nnop\n") } else { format!("{text}\n{filler}1:\nnop\n") };
    let text = text.replace("TO", if first { "1b" } else { "1f" });
    let theirs = object_text(isa, &text);
    let at = if first { over as usize } else { 0 };
    let (ours, theirs) = (buf.bytes(), &theirs[..]);
    assert!(ours == theirs, "{over} {first} {text:?}: {:02x?} {:02x?}", &ours[at..][..8], &theirs[at..][..8]);
}

#[test]
fn branches_take_their_forms() {
    for (over, first, text) in [(0x100, true, "b TO; beq TO; b TO"), (0x1ff_0000, false, "b TO; beq TO; b TO")] {
        let branches = |a: &mut Asm, to| {
            a.b(to);
            a.b_if(Cond::Eq, to);
            a.b(to);
        };
        judge(Isa::A32, over, first, branches, text);
    }
    let jump = |a: &mut Asm, to| a.b(to);
    for (over, first, text) in [
        (2044, true, "b.n TO"),
        (2046, true, "b.w TO"),
        (2048, false, "b.n TO"),
        (2050, false, "b.w TO"),
        (0xff_ff00, false, "b.w TO"),
    ] {
        judge(Isa::T32, over, first, jump, text);
    }
    let condition = |a: &mut Asm, to| a.b_if(Cond::Hi, to);
    for (over, first, text) in [
        (252, true, "bhi.n TO"),
        (254, true, "bhi.w TO"),
        (256, false, "bhi.n TO"),
        (258, false, "bhi.w TO"),
        (0xf_fffc, true, "bhi.w TO"),
        (0xf_fffe, true, "bls 2f; b.w TO; 2:"),
        (0xf_fffe, false, "bhi.w TO"),
        (0x10_0000, false, "bls 2f; b.w TO; 2:"),
    ] {
        judge(Isa::T32, over, first, condition, text);
    }
    for (zero, names) in [(true, ["cbz", "cbnz"]), (false, ["cbnz", "cbz"])] {
        let low = |a: &mut Asm, to| a.b_zero(zero, Gpr(5), to);
        let [name, past] = names;
        judge(Isa::T32, 2, false, low, &format!("{name} r5, TO"));
        judge(Isa::T32, 128, false, low, &format!("{name} r5, TO"));
        judge(Isa::T32, 130, false, low, &format!("{past} r5, 2f; b.n TO; 2:"));
        judge(Isa::T32, 2048, false, low, &format!("{past} r5, 2f; b.n TO; 2:"));
        judge(Isa::T32, 2050, false, low, &format!("{past} r5, 2f; b.w TO; 2:"));
        judge(Isa::T32, 2, true, low, &format!("{past} r5, 2f; b.n TO; 2:"));
        judge(Isa::T32, 4096, true, low, &format!("{past} r5, 2f; b.w TO; 2:"));
        let c = if zero { "eq" } else { "ne" };
        let high = |a: &mut Asm, to| a.b_zero(zero, Gpr(9), to);
        judge(Isa::T32, 2, true, high, &format!("cmp.w r9, #0; b{c}.n TO"));
        judge(Isa::A32, 8, true, low, &format!("cmp r5, #0; b{c} TO"));
    }
}

/// A branch to what comes next is none, and a word is still loaded where it lies.
#[test]
fn literals() {
    for isa in ISAS {
        for short in [0, 1] {
            let mut buf = CodeBuffer::new(isa.code(Default::default()));
            let mut a = Asm::new(&mut buf, isa);
            let next = a.buf.new_label();
            a.b(next);
            a.buf.bind(next);
            (0..short).for_each(|_| a.hint(NOP));
            a.literal(Gpr(3), 0x1234_5678);
            a.literal(LR, 0x8765_4321);
            a.hint(NOP);
            buf.finish().unwrap();
            let nops = "nop; ".repeat(short);
            let wide = if isa == Isa::T32 { ".w" } else { "" };
            let text = format!(
                "{nops}ldr{wide} r3, 1f; ldr{wide} lr, 2f; nop\n.p2align 2\n1: .long 0x12345678; 2: .long 0x87654321\n"
            );
            let theirs = object_text(isa, &text);
            // The gap in front of the words is filled as it pleases.
            let code = buf.data()[0].start as usize - 2;
            assert_eq!(buf.bytes()[..code], theirs[..code], "{isa:?} {short}");
            let words = buf.data()[0].start as usize;
            assert_eq!(buf.bytes()[words..], theirs[words..], "{isa:?} {short}");
        }
    }
}

#[test]
fn coprocessors() {
    for isa in ISAS {
        let mut f = Forms::of_version(isa, "v7a");
        for n in [Gpr(0), Gpr(9)] {
            for (op, name) in [(MCR2, "mcr2"), (MRC2, "mrc2"), (MCR, "mcr"), (MRC, "mrc")] {
                f.add(format!("{name} p7, #1, {}, c7, c13, #5", r(n)), |a| a.coprocessor(op, (7, 1), n, (7, 13), 5));
            }
            for &(words, name) in CPAIR_TO.names.iter().chain(CPAIR_FROM.names) {
                let text = format!("{name} p7, #6, {}, r3, c9", r(n));
                f.add(text, |a| a.coprocessor_pair(CoprocessorPair(words), (7, 6), (n, Gpr(3)), 9));
            }
            for &(words, name) in CACCESS.names {
                let text = format!("{name} p7, c4, [{}]", r(n));
                f.add(text, |a| a.coprocessor_access(CoprocessorAccess(words), (7, 4), n));
            }
        }
        for &(words, name) in COPERATION.names {
            f.add(format!("{name} p7, #3, c2, c1, c4, #5"), |a| {
                a.coprocessor_operation(CoprocessorOperation(words), [7, 3, 2, 1, 4, 5]);
            });
        }
        f.judge();
    }
}

#[test]
fn control_and_system() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for n in [Gpr(0), Gpr(9), LR] {
            for &(words, name) in RBRANCH.names {
                f.add(format!("{name} {}", r(n)), |a| a.branch_r(Rbranch(words), n));
            }
            f.add(format!("mrc p15, #0, {}, c13, c0, #3", r(n)), |a| a.thread_pointer(n, 3));
            if isa == Isa::T32 {
                f.add(format!("tbh [pc, {}, lsl #1]", r(n)), |a| a.jump_by_halves(n));
            }
            f.add(format!("mcr p15, #1, {}, c7, c10, #5", r(n)), |a| a.coprocessor(MCR, (15, 1), n, (7, 10), 5));
        }
        for n in [Gpr(0), Gpr(9)] {
            f.add(format!("mrs {}, apsr", r(n)), |a| a.registers(MRS, [n]));
            f.add(format!("mrs {}, spsr", r(n)), |a| a.registers(MRS_SPSR, [n]));
            for (fields, text) in [(8, "apsr_nzcvq"), (4, "apsr_g"), (12, "apsr_nzcvqg"), (9, "cpsr_fc"), (2, "cpsr_x")]
            {
                f.add(format!("msr {text}, {}", r(n)), |a| a.write_status(MSR, n, fields));
            }
            f.add(format!("msr spsr_fsxc, {}", r(n)), |a| a.write_status(MSR_SPSR, n, 15));
            for (number, text) in [(0, "fpsid"), (1, "fpscr"), (7, "mvfr0"), (8, "fpexc")] {
                f.add(format!("vmrs {}, {text}", r(n)), |a| a.read_float_control(n, number));
            }
            f.add(format!("vmsr fpexc, {}", r(n)), |a| a.write_float_control(n, 8));
        }
        for &(words, name) in BARRIER.names {
            for (kind, text) in [(15, "sy"), (11, "ish"), (10, "ishst")] {
                // One for instructions is always for everything.
                if kind == 15 || name != "isb" {
                    f.add(format!("{name} {text}"), |a| a.barrier(Barrier(words), kind));
                }
            }
        }
        f.add("clrex", |a| a.barrier(Barrier(Words { a32: 0xf57f_f010, t32: 0xf3bf_8f20 }), 15));
        for &(words, name) in HINT.names {
            f.add(name, |a| a.hint(Hint(words)));
        }
        for n in if isa == Isa::T32 { [0, 1, 0xfe, 0xff] } else { [0, 1, 0xf000, 0xffff] } {
            f.add(format!("udf #{n}"), |a| a.trap(UDF, n));
            f.add(format!("bkpt #{n}"), |a| a.trap(BKPT, n));
        }
        for n in [0, 4, 0xff] {
            f.add(format!("subs pc, lr, #{n}"), |a| a.resume(n));
        }
        f.judge();
    }
}

/// Every pattern of conditions, and every condition.
#[test]
fn conditionals() {
    for isa in ISAS {
        let mut f = Forms::new(isa);
        for c in Cond::ALL {
            for length in 1..5 {
                for pattern in 0..1 << (length - 1) {
                    let holds: Vec<bool> = (0..length).map(|k| k == 0 || pattern >> (k - 1) & 1 != 0).collect();
                    let letters: String = holds.iter().skip(1).map(|&h| if h { 't' } else { 'e' }).collect();
                    let name = |h: bool| cond(if h { c } else { c.negate() });
                    let mut text = if isa == Isa::T32 { format!("it{letters} {}; ", cond(c)) } else { String::new() };
                    holds.iter().for_each(|&h| text += &format!("add{} r3, r4, #1; ", name(h)));
                    f.add(text, |a| {
                        a.conditionals(c, &holds, |a| {
                            let one = a.isa.immediate(1).unwrap();
                            holds.iter().for_each(|_| a.data(ADD, Flags::Free, Gpr(3), Gpr(4), one));
                        });
                    });
                }
            }
        }
        f.judge();
    }
}

/// Branches as text: their forms, where they go, and what relocations say.
#[cfg(feature = "asm")]
#[test]
fn text() {
    use crate::arm::asm::Printer;
    use gusset_codegen::asm::{Disassembler, Operands};
    use gusset_codegen::buffer::RelocTarget;
    for (isa, expected) in [
        (
            Isa::A32,
            "b\tL24; bhi\tL24; cmp\tr5, #0; beq\tL24; bl\tf; b\tf+8; movw\tr3, :lower16:f+4; movt\tr3, :upper16:f; bx\tlr",
        ),
        (
            Isa::T32,
            "b.n\tL14; bhi.n\tL14; cbz\tr5, L14; bl\tf; b.w\tf+8; movw\tr3, :lower16:f+4; movt\tr3, :upper16:f; bx\tlr",
        ),
    ] {
        let mut buf = CodeBuffer::new(isa.code(Default::default()));
        let mut a = Asm::new(&mut buf, isa);
        let (to, f) = (a.buf.new_label(), RelocTarget::Symbol(0));
        a.b(to);
        a.b_if(Cond::Hi, to);
        a.b_zero(true, Gpr(5), to);
        a.call(f);
        a.jump(f);
        a.buf.bind(to);
        a.wide_reloc(MOVW, Gpr(3), f, 4);
        a.wide_reloc(MOVT, Gpr(3), f, 0);
        a.branch_r(BX, LR);
        buf.finish().unwrap();
        let (mut printer, mut instructions, mut at, mut lines) = (Printer::new(isa, 0), Vec::new(), 0, Vec::new());
        printer.decode(buf.bytes(), &mut instructions);
        for insn in instructions {
            let (mut line, jump) = (String::new(), at == if isa == Isa::T32 { 10 } else { 20 });
            let reloc = buf.relocs().iter().find(|r| r.offset == at);
            let addend = |addend: i64| addend + if jump { 8 } else { 0 };
            let fields = reloc.map(|r| (0, printer.expression(r.kind, "f", addend(r.addend), 0, insn.len)));
            let label = insn.target.map(|to| format!("L{to}"));
            let fields: Vec<_> = fields.into_iter().collect();
            printer.print(buf.bytes(), at, insn.len, Operands { fields: &fields, label: label.as_deref() }, &mut line);
            lines.push(line);
            at += insn.len;
        }
        assert_eq!(lines.join("; "), expected);
    }
}
