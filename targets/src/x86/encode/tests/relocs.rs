//! Branches, relocations and whole pieces of code against the object that `llvm-mc-19` makes of the same text.

use super::*;
use crate::x86::encode::ops::*;
use gusset_codegen::buffer::{Label, RelocTarget};
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget};

/// Compares code and relocations; symbol number `n` is `s<n>` in the text.
fn judge(text: &str, encode: impl FnOnce(&mut Asm)) {
    let mut buf = CodeBuffer::new(&CODE);
    encode(&mut Asm::new(&mut buf, CodeMode::BITS_64));
    buf.finish().unwrap();
    let object = llvm_mc(&["--filetype=obj"], &format!(".intel_syntax noprefix\n{text}\n"));
    let object: ElfFile64 = ElfFile64::parse(&*object).unwrap();
    let section = object.section_by_name(".text").unwrap();
    assert_eq!(format!("{:02x?}", buf.bytes()), format!("{:02x?}", section.data().unwrap()), "{text}");
    let expected: Vec<_> = section
        .relocations()
        .map(|(offset, reloc)| {
            let RelocationTarget::Symbol(symbol) = reloc.target() else { panic!("{reloc:?}") };
            let RelocationFlags::Elf { r_type } = reloc.flags() else { panic!("{reloc:?}") };
            let name = object.symbol_by_index(symbol).unwrap().name().unwrap().to_owned();
            (offset, r_type, name, reloc.addend())
        })
        .collect();
    let ours: Vec<_> = buf
        .relocs()
        .iter()
        .map(|reloc| {
            let RelocTarget::Symbol(symbol) = reloc.target else { panic!("{reloc:?}") };
            (u64::from(reloc.offset), reloc::elf(reloc.kind, true).unwrap(), format!("s{symbol}"), reloc.addend)
        })
        .collect();
    assert_eq!(ours, expected, "{text}");
}

const S0: RelocTarget = RelocTarget::Symbol(0);

#[test]
fn memory_by_symbol() {
    judge("lea rax, [rip + s0 + 5]", |a| a.lea(Size::B8, RAX, Mem::symbol(0, 5)));
    // The addend counts from the end of the instruction, whatever follows the displacement.
    judge("mov dword ptr [rip + s0 - 3], 7", |a| a.mov_m(Size::B4, Mem::symbol(0, -3), 7));
    judge("mov word ptr [rip + s0], 7", |a| a.mov_m(Size::B2, Mem::symbol(0, 0), 7));
    judge("add dword ptr [rip + s0], 7", |a| a.alu_m(AluOp::Add, Size::B4, Mem::symbol(0, 0), 7));
    judge("pshufd xmm9, [rip + s0], 7", |a| a.sse_imm(PSHUFD, XMM9, Mem::symbol(0, 0), 7));
    judge("imul r9, [rip + s0 + 4], 1000", |a| a.imul_imm(Size::B8, R9, Mem::symbol(0, 4), 1000));
    judge("mov eax, [rax + rcx*4 + s0 + 8]", |a| {
        a.mov(Size::B4, RAX, Mem::indexed(RAX, RCX, 4, 8).with_reloc(reloc::ABS32S, S0));
    });
    judge("mov eax, [rcx + s0]", |a| a.mov(Size::B4, RAX, Mem::at(RCX, 0).with_reloc(reloc::ABS32S, S0)));
}

#[test]
fn got_loads_that_the_linker_may_relax() {
    judge("mov rax, [rip + s0@GOTPCREL]", |a| a.mov(Size::B8, RAX, Mem::got(0)));
    judge("mov eax, [rip + s0@GOTPCREL]", |a| a.mov(Size::B4, RAX, Mem::got(0)));
    judge("mov r9d, [rip + s0@GOTPCREL]", |a| a.mov(Size::B4, R9, Mem::got(0)));
    judge("mov ax, [rip + s0@GOTPCREL]", |a| a.mov(Size::B2, RAX, Mem::got(0)));
    judge("add rax, [rip + s0@GOTPCREL]", |a| a.alu(AluOp::Add, Size::B8, RAX, Mem::got(0)));
    judge("cmp eax, [rip + s0@GOTPCREL]", |a| a.alu(AluOp::Cmp, Size::B4, RAX, Mem::got(0)));
    judge("cmp [rip + s0@GOTPCREL], rax", |a| a.alu_m(AluOp::Cmp, Size::B8, Mem::got(0), RAX));
    judge("cmp qword ptr [rip + s0@GOTPCREL], 0", |a| a.alu_m(AluOp::Cmp, Size::B8, Mem::got(0), 0));
    judge("cmovne rax, [rip + s0@GOTPCREL]", |a| a.cmov(Cond::NE, Size::B8, RAX, Mem::got(0)));
    judge("call [rip + s0@GOTPCREL]", |a| a.call_to(Mem::got(0)));
    judge("jmp [rip + s0@GOTPCREL]", |a| a.jmp_to(Mem::got(0)));
}

#[test]
fn immediates_by_symbol() {
    judge("mov ebx, offset s0+3", |a| a.mov_ri_reloc(RBX, reloc::ABS32, S0, 3));
    judge("movabs r9, offset s0+3", |a| a.mov_ri_reloc(R9, reloc::ABS64, S0, 3));
    judge("cmp rax, offset s0", |a| a.alu_ri_reloc(AluOp::Cmp, Size::B8, RAX, reloc::ABS32S, S0, 0));
    judge("cmp rcx, offset s0", |a| a.alu_ri_reloc(AluOp::Cmp, Size::B8, RCX, reloc::ABS32S, S0, 0));
}

#[test]
fn calls_and_jumps_by_symbol() {
    judge("call s0@PLT\njmp s1@PLT", |a| {
        a.call_symbol(reloc::PLT32, 0);
        a.jmp_symbol(reloc::PLT32, 1);
    });
}

#[test]
fn thread_locals() {
    let tls = ".type s0, @object\n";
    let local_exec = |rest| format!("{tls}{rest}");
    judge(&local_exec("mov eax, fs:[s0@TPOFF + 4]"), |a| {
        let m = Mem::absolute(4).in_segment(Segment::Fs).with_reloc(reloc::TPOFF32, S0);
        a.mov(Size::B4, RAX, m);
    });
    judge("lea rax, [rbx + s0@TPOFF + 4]", |a| {
        a.lea(Size::B8, RAX, Mem::at(RBX, 4).with_reloc(reloc::TPOFF32, S0));
    });
    judge("add rbx, offset s0@TPOFF", |a| a.alu_ri_reloc(AluOp::Add, Size::B8, RBX, reloc::TPOFF32, S0, 0));
    judge("mov rbx, [rip + s0@GOTTPOFF]", |a| a.mov(Size::B8, RBX, Mem::got_tpoff(0)));
    judge("add r9, [rip + s0@GOTTPOFF]", |a| a.alu(AluOp::Add, Size::B8, R9, Mem::got_tpoff(0)));
    judge("lea rcx, [rax + s0@DTPOFF + 8]", |a| {
        a.lea(Size::B8, RCX, Mem::at(RAX, 8).with_reloc(reloc::DTPOFF32, S0));
    });
    judge("data16\nlea rdi, [rip + s0@TLSGD]\ndata16\ndata16\nrex64\ncall s1@PLT", |a| {
        a.tls_general_dynamic(0, RelocTarget::Symbol(1), false)
    });
    judge("lea rdi, [rip + s0@TLSLD]\ncall s1@PLT", |a| a.tls_local_dynamic(0, RelocTarget::Symbol(1), false));
    judge(".byte 0x66\nlea rdi, [rip + s0@TLSGD]\n.byte 0x66\nrex64\ncall [rip + s1@GOTPCREL]", |a| {
        a.tls_general_dynamic(0, RelocTarget::Symbol(1), true)
    });
}

/// Branches of both kinds in both directions around the borders of the short form.
#[test]
fn branches_are_as_short_as_the_assembler_makes_them() {
    for distance in [0, 1, 2, 60, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 200, 300] {
        // The trailing instruction keeps the last branch from going to the very next one.
        let text = format!(
            "A: jmp C\n jne B\n lea rax, [rip + A]\n.zero {distance}, 0x90\n B: jb A\n js D\n.zero {distance}, 0x90\n \
             C: jmp B\n jg A\n D: nop\n jmp C\n lea rax, [rip + A]\n lea rax, [rip + D + 3]"
        );
        judge(&text, |asm| {
            let [a, b, c, d] = [(); 4].map(|()| asm.buf.new_label());
            let fill = |asm: &mut Asm| (0..distance).for_each(|_| asm.nop(1));
            let at = |label, addend| Mem::rip(reloc::PC32, RelocTarget::Label(label), addend);
            let address = |asm: &mut Asm, label: Label| asm.lea(Size::B8, RAX, at(label, 0));
            asm.buf.bind(a);
            asm.jmp(c);
            asm.jcc(Cond::NE, b);
            address(asm, a);
            fill(asm);
            asm.buf.bind(b);
            asm.jcc(Cond::B, a);
            asm.jcc(Cond::S, d);
            fill(asm);
            asm.buf.bind(c);
            asm.jmp(b);
            asm.jcc(Cond::G, a);
            asm.buf.bind(d);
            asm.nop(1);
            asm.jmp(c);
            address(asm, a);
            asm.lea(Size::B8, RAX, at(d, 3));
        });
    }
}
