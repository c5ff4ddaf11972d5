//! Every form of every instruction against `llvm-mc-19`: the test writes the instruction as text of its own, the
//! assembler encodes it, and the bytes must be the same, as must be those of the text that we print. What 32-bit mode has as well is
//! tried in that mode, too.

mod int;
mod relocs;
mod sse;
mod x87;

use super::{Asm, CodeMode};
use crate::x86::code::CODE;
use crate::x86::decode::written;
use crate::x86::reg::*;
use crate::x86::reloc;
use gusset_codegen::buffer::CodeBuffer;
use iced_x86::OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, Register};
use std::fmt::{Display, Write as _};
use std::io::Write as _;
use std::process::{Command, Stdio};

const RCX: Gpr = Gpr(1);
const RDX: Gpr = Gpr(2);
const RBX: Gpr = Gpr(3);
const RSP: Gpr = Gpr(4);
const RBP: Gpr = Gpr(5);
const RSI: Gpr = Gpr(6);
const R8: Gpr = Gpr(8);
const R9: Gpr = Gpr(9);
const R10: Gpr = Gpr(10);
const R12: Gpr = Gpr(12);
const R13: Gpr = Gpr(13);
const XMM0: Xmm = Xmm(0);
const XMM3: Xmm = Xmm(3);
const XMM5: Xmm = Xmm(5);
const XMM8: Xmm = Xmm(8);
const XMM9: Xmm = Xmm(9);
const XMM15: Xmm = Xmm(15);

/// Instructions encoded by us, and the text of each.
struct Forms {
    long: InMode,
    narrow: InMode,
}

/// The same in one mode.
struct InMode {
    bits: u32,
    buf: CodeBuffer,
    text: String,
    lines: Vec<String>,
    ends: Vec<usize>,
}

impl Forms {
    fn new() -> Self {
        Self { long: InMode::new(64), narrow: InMode::new(32) }
    }

    /// One instruction: its text and its encoding.
    fn add(&mut self, text: impl Display, encode: impl Fn(&mut Asm)) {
        let text = text.to_string();
        if let Some(narrow) = in_32_bits(&text) {
            self.narrow.add(narrow, &encode);
        }
        self.long.add(text, encode);
    }

    /// The same of one that has another name in 32-bit mode.
    fn add_apart(&mut self, (text, narrow): (String, String), encode: impl Fn(&mut Asm)) {
        if let Some(narrow) = in_32_bits(&narrow) {
            self.narrow.add(narrow, &encode);
        }
        self.long.add(text, encode);
    }

    /// Asks the assembler and compares.
    fn judge(self) {
        self.long.judge();
        if !self.narrow.lines.is_empty() {
            self.narrow.judge();
        }
    }
}

/// The text of the same instruction in 32-bit mode, where addresses are half as wide; nothing if there is none.
fn in_32_bits(text: &str) -> Option<String> {
    const OLD: [&str; 8] = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"];
    const LONG: [&str; 20] = [
        "clui",
        "stui",
        "testui",
        "cqo",
        "movsxd",
        "movabs",
        "pushfq",
        "popfq",
        "cmpxchg16b",
        "spl",
        "bpl",
        "sil",
        "dil",
        "pinsrq",
        "pextrq",
        "endbr64",
        "rdfsbase",
        "rdgsbase",
        "wrfsbase",
        "wrgsbase",
    ];
    let (mnemonic, _) = text.split_once(' ').unwrap_or((text, ""));
    // The operand of these is as wide as the mode is.
    let word = matches!(mnemonic, "push" | "pop" | "call" | "jmp");
    let whole = text.contains("qword ptr") && !text.starts_with(['f', 'v']) && !text.contains("cmpxchg8b");
    if mnemonic.starts_with(['F', 'X']) && mnemonic.ends_with("64") {
        return None;
    }
    if whole && (!text.contains("xmm") || text.starts_with("CVTSI")) {
        return None;
    }
    let mut out = String::new();
    let mut inside = false;
    for piece in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let end = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).len();
        let name = &piece[..end];
        let number =
            |prefix| name.strip_prefix(prefix).and_then(|n: &str| n.trim_end_matches(['b', 'w', 'd']).parse().ok());
        if LONG.contains(&name.to_ascii_lowercase().as_str())
            || [number("r"), number("xmm"), number("ymm")].into_iter().flatten().any(|n: u32| n > 7)
        {
            return None;
        }
        match OLD.contains(&name) {
            true if inside || word => out.push_str(&format!("e{}", &name[1..])),
            true => return None,
            false => out.push_str(name),
        }
        out.push_str(&piece[end..]);
        inside = if piece.contains('[') { true } else { inside && !piece.contains(']') };
    }
    Some(out)
}

impl InMode {
    fn new(bits: u32) -> Self {
        let text = ".intel_syntax noprefix\n".to_owned();
        let buf = CodeBuffer::new(&CODE);
        Self { bits, buf, text, lines: Vec::new(), ends: Vec::new() }
    }

    fn add(&mut self, text: String, encode: impl Fn(&mut Asm)) {
        // The labels keep the answers apart.
        writeln!(self.text, "L{}: {text}", self.lines.len()).unwrap();
        self.lines.push(text);
        let mode = if self.bits == 32 { CodeMode::BITS_32 } else { CodeMode::BITS_64 };
        encode(&mut Asm::new(&mut self.buf, mode));
        self.ends.push(self.buf.offset() as usize);
    }

    fn judge(self) {
        let triple = if self.bits == 32 { "--triple=i386-linux-gnu" } else { "--triple=x86_64-linux-gnu" };
        let options = [triple, "--show-encoding", "--mattr=+bmi,+bmi2,+lzcnt,+fma,+sse4.2,+sse4a"];
        let expected = encodings(&options, &self.text);
        assert_eq!(expected.len(), self.lines.len());
        let mut wrong = String::new();
        let mut start = 0;
        for ((line, expected), &end) in self.lines.iter().zip(&expected).zip(&self.ends) {
            let ours = &self.buf.bytes()[start..end];
            if ours != expected && wrong.len() < 4000 {
                writeln!(wrong, "{line}: encoded {ours:02x?}, llvm-mc-19 says {expected:02x?}").unwrap();
            }
            start = end;
        }
        assert!(wrong.is_empty(), "{wrong}");
        self.judge_effects();
        self.judge_text(&options);
    }

    /// What our forms say of changed registers must be what another decoder says.
    fn judge_effects(&self) {
        let mut infos = InstructionInfoFactory::new();
        let mut start = 0;
        for (line, &end) in self.lines.iter().zip(&self.ends) {
            let code = &self.buf.bytes()[start..end];
            let mut expected = 0;
            for instruction in Decoder::new(self.bits, code, DecoderOptions::NONE).iter() {
                for used in infos.info(&instruction).used_registers() {
                    let register = used.register().full_register();
                    let writes = matches!(used.access(), Write | CondWrite | ReadWrite | ReadCondWrite)
                        && register != Register::RSP;
                    if writes && register.is_gpr() {
                        expected |= 1 << register.number();
                    } else if writes && register.is_vector_register() && register.number() < 16 {
                        expected |= 1 << (32 + register.number());
                    }
                }
            }
            let ours = written(code, self.bits) & !(1 << RSP.0);
            assert_eq!(ours, expected, "{line}: {ours:#x} is changed, not {expected:#x}");
            start = end;
        }
    }

    /// Prints what was encoded and asks the assembler for the bytes of that text.
    #[cfg(feature = "asm")]
    fn judge_text(&self, options: &[&str]) {
        use crate::x86::asm::AttPrinter;
        use gusset_codegen::asm::{Disassembler, Operands};
        let (mut printer, mut text) = (AttPrinter::with_bits(self.bits), String::new());
        let operands = Operands { fields: &[], label: None };
        let mut start = 0;
        for (i, &end) in self.ends.iter().enumerate() {
            // Some entries are two instructions: a prefix such as `lock` stands alone in the text.
            let code = &self.buf.bytes()[start..end];
            let mut decoded = Vec::new();
            printer.decode(code, &mut decoded);
            writeln!(text, "L{i}:").unwrap();
            let mut at = 0;
            for d in decoded {
                printer.print(code, at, d.len, operands, &mut text);
                text.push('\n');
                at += d.len;
            }
            start = end;
        }
        let mut wrong = String::new();
        let answers = encodings(options, &text);
        assert_eq!(answers.len(), self.ends.len());
        let mut start = 0;
        for ((line, answer), &end) in self.lines.iter().zip(&answers).zip(&self.ends) {
            let ours = &self.buf.bytes()[start..end];
            if ours != answer && wrong.len() < 4000 {
                writeln!(wrong, "{line}: encoded {ours:02x?}, the text as {answer:02x?}").unwrap();
            }
            start = end;
        }
        assert!(wrong.is_empty(), "{wrong}");
    }

    #[cfg(not(feature = "asm"))]
    fn judge_text(&self, _options: &[&str]) {}
}

/// What the assembler makes of each label's instructions.
fn encodings(options: &[&str], text: &str) -> Vec<Vec<u8>> {
    let answer = String::from_utf8(llvm_mc(options, text)).expect("llvm-mc-19 prints text");
    let mut encodings: Vec<Vec<u8>> = Vec::new();
    for line in answer.lines() {
        if line.starts_with('L') && line.contains(':') {
            encodings.push(Vec::new());
        }
        let bytes = match (line.split_once("# encoding: ["), line.trim().strip_prefix(".byte\t")) {
            (Some((_, bytes)), _) => bytes.split(']').next().unwrap_or(""),
            (None, Some(byte)) => {
                encodings.last_mut().expect("a label stands first").push(byte.parse().unwrap());
                continue;
            }
            _ => continue,
        };
        let bytes = bytes.split(',').map(|byte| u8::from_str_radix(byte.trim_start_matches("0x"), 16).unwrap_or(0));
        encodings.last_mut().expect("a label stands first").extend(bytes);
    }
    encodings
}

/// Runs the assembler on a text and returns what it prints.
fn llvm_mc(options: &[&str], text: &str) -> Vec<u8> {
    let mut child = Command::new("llvm-mc-19")
        .args((!options.iter().any(|o| o.starts_with("--triple"))).then_some("--triple=x86_64-linux-gnu"))
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this test needs the program llvm-mc-19 (Debian and Ubuntu: package llvm-19)");
    let mut stdin = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "llvm-mc-19: {}", &complaint[..complaint.len().min(4000)]);
    output.stdout
}

const SIZES: [Size; 4] = [Size::B1, Size::B2, Size::B4, Size::B8];
const WORDS: [Size; 3] = [Size::B2, Size::B4, Size::B8];
const WIDE: [Size; 2] = [Size::B4, Size::B8];

/// Registers that differ in what they need: plain, `spl` to `dil`, extended, and those special in ModRM and SIB.
const GPRS: [Gpr; 7] = [RAX, RBX, RSP, RBP, RDI, R8, R13];
const FEW: [Gpr; 3] = [RAX, RSI, R12];
const XMMS: [Xmm; 4] = [XMM0, XMM5, XMM8, XMM15];

fn gpr(size: Size, r: Gpr) -> String {
    const OLD: [&str; 8] = ["a", "c", "d", "b", "sp", "bp", "si", "di"];
    let n = r.0 as usize;
    match (size, n) {
        (Size::B1, 0..4) => format!("{}l", OLD[n]),
        (Size::B1, 4..8) => format!("{}l", OLD[n]),
        (Size::B1, _) => format!("r{n}b"),
        (Size::B2, 8..) => format!("r{n}w"),
        (Size::B4, 8..) => format!("r{n}d"),
        (Size::B8, 8..) => format!("r{n}"),
        _ => {
            let prefix = ["", "", "e", "r"][size as usize];
            format!("{prefix}{}{}", OLD[n], if n < 4 { "x" } else { "" })
        }
    }
}

fn xmm(x: Xmm) -> String {
    format!("xmm{}", x.0)
}

/// A memory operand of that many bytes.
fn mem(bytes: u32, m: Mem) -> String {
    let size = match bytes {
        0 => "",
        1 => "byte ptr ",
        2 => "word ptr ",
        4 => "dword ptr ",
        8 => "qword ptr ",
        10 => "tbyte ptr ",
        16 => "xmmword ptr ",
        32 => "ymmword ptr ",
        _ => unreachable!(),
    };
    let mut terms = Vec::new();
    if let Some(base) = m.base() {
        terms.push(gpr(Size::B8, base));
    }
    if let Some(index) = m.index() {
        terms.push(format!("{}*{}", gpr(Size::B8, index), 1 << m.scale_log2()));
    }
    if m.disp() != 0 || terms.is_empty() {
        terms.push(m.disp().to_string());
    }
    let segment = match m.segment() {
        Segment::Flat => "",
        Segment::Fs => "fs:",
        Segment::Gs => "gs:",
        Segment::Ss => "ss:",
    };
    format!("{size}{segment}[{}]", terms.join(" + "))
}

fn of(size: Size, m: Mem) -> String {
    mem(size.bytes(), m)
}

/// A few operands, for each instruction.
fn mems() -> Vec<Mem> {
    vec![
        Mem::at(RAX, 0),
        Mem::at(RSP, 8),
        Mem::at(R13, 0),
        Mem::at(RBP, -1000),
        Mem::indexed(R12, R9, 4, 127),
        Mem::indexed(RBX, RSI, 1, 0),
        Mem::at(RDI, 16).in_segment(Segment::Fs),
    ]
}

/// Every shape of operand, for some instructions.
fn all_mems() -> Vec<Mem> {
    let mut all = Vec::new();
    let disps = [0, 1, -1, 127, -128, 128, -129, i32::MAX, i32::MIN];
    for base in 0..16 {
        all.extend(disps.map(|disp| Mem::at(Gpr(base), disp)));
        for index in (0..16).filter(|&index| index != RSP.0) {
            let scale = 1 << (index & 3);
            all.extend([0, 100, 1000].map(|disp| Mem::indexed(Gpr(base), Gpr(index), scale, disp)));
        }
    }
    // With scale 1 the stack pointer and the other register change places.
    all.push(Mem::indexed(RBX, RSP, 1, 4));
    for disp in [0, 8, 40, 0x1234_5678, -8] {
        all.push(Mem::absolute(disp));
        all.push(Mem::absolute(disp).in_segment(Segment::Fs));
        all.push(Mem::at(R10, disp).in_segment(Segment::Gs));
    }
    all
}
