//! Every form of every instruction against `llvm-mc-19`: the test writes the instruction as text of its own, the assembler encodes
//! it, and the bytes must be the same. The names of instructions are those of the opcodes' tables.

mod branch;
mod int;
mod memory;
mod neon;
mod vfp;

use super::*;
use crate::arm::reg::*;
use std::fmt::Display;
use std::io::Write as _;
use std::process::{Command, Stdio};

const ISAS: [Isa; 2] = [Isa::A32, Isa::T32];
const SHIFTS: [Shift; 4] = [Shift::Lsl, Shift::Lsr, Shift::Asr, Shift::Ror];

/// Registers that all instructions have, low and high ones.
const REGS: [Gpr; 6] = [Gpr(0), Gpr(1), Gpr(7), Gpr(8), Gpr(12), Gpr(14)];

/// Instructions encoded by us, and the text of each.
struct Forms {
    isa: Isa,
    /// The version whose assembler judges them.
    version: &'static str,
    buf: CodeBuffer,
    text: String,
    lines: Vec<(String, usize)>,
}

impl Forms {
    fn new(isa: Isa) -> Self {
        Self {
            isa,
            version: "v8a",
            buf: CodeBuffer::new(isa.code(Default::default())),
            text: String::new(),
            lines: Vec::new(),
        }
    }

    /// Forms that the newest version does not have any more.
    fn of_version(isa: Isa, version: &'static str) -> Self {
        Self { version, ..Self::new(isa) }
    }

    /// One instruction, or several, separated by semicolons: text and encoding.
    fn add(&mut self, text: impl Display, encode: impl FnOnce(&mut Asm)) {
        let line = text.to_string();
        self.text.push_str(&line);
        self.text.push('\n');
        encode(&mut Asm::new(&mut self.buf, self.isa));
        self.lines.push((line, self.buf.offset() as usize));
    }

    /// Asks the assembler and compares.
    fn judge(self) {
        let expected = assemble(self.isa, self.version, &self.text).concat();
        let mut wrong = Vec::new();
        let mut start = 0;
        for (line, end) in &self.lines {
            let (ours, theirs) = (&self.buf.bytes()[start..*end], expected.get(start..*end));
            if Some(ours) != theirs {
                wrong.push(format!("{line}: encoded {ours:02x?}, llvm-mc-19 says {theirs:02x?}"));
                if wrong.len() > 20 {
                    break;
                }
            }
            start = *end;
        }
        assert!(wrong.is_empty(), "{:?}\n{}", self.isa, wrong.join("\n"));
        assert_eq!(expected.len(), start);
        #[cfg(feature = "asm")]
        self.judge_text();
    }

    /// Prints what was encoded and asks the assembler for the bytes of that text, none of which may be data.
    #[cfg(feature = "asm")]
    fn judge_text(&self) {
        use crate::arm::asm::Printer;
        use gusset_codegen::asm::{Disassembler, Operands};
        let (code, mut printer, mut instructions) = (self.buf.bytes(), Printer::new(self.isa, 0), Vec::new());
        printer.decode(code, &mut instructions);
        let (mut at, mut lines, mut ours) = (0, Vec::new(), Vec::new());
        for insn in instructions {
            let mut line = String::new();
            printer.print(code, at, insn.len, Operands { fields: &[], label: None }, &mut line);
            lines.push(line);
            ours.push(&code[at as usize..][..insn.len as usize]);
            at += insn.len;
        }
        let data: Vec<String> =
            lines.iter().zip(&ours).filter(|(l, _)| l.starts_with('.')).map(|(l, _)| l.clone()).collect();
        assert!(data.is_empty(), "{:?} {} {:?}", self.isa, data.len(), &data[..data.len().min(20)]);
        let answer = assemble(self.isa, self.version, &lines.join("\n"));
        let differs = |k: &usize| answer.get(*k).map(Vec::as_slice) != Some(ours[*k]);
        let wrong: Vec<_> =
            (0..lines.len()).filter(differs).map(|k| (&lines[k], ours[k], answer.get(k))).take(20).collect();
        assert!(wrong.is_empty(), "{:?} {wrong:02x?}", self.isa);
    }
}

/// What the assembler makes of a text: the bytes of each of its instructions.
fn assemble(isa: Isa, version: &str, text: &str) -> Vec<Vec<u8>> {
    let name = if isa == Isa::T32 { "thumb" } else { "arm" };
    let features = match version {
        "v8a" => "+v8.3a,+crc,+neon,+fp-armv8,+dsp,+hwdiv,+hwdiv-arm,+aes,+sha2,+dotprod,+i8mm,+fullfp16,+bf16",
        _ => "+neon,+dsp",
    };
    let mut tool = Command::new("llvm-mc-19")
        .args([
            format!("--triple={name}{version}-linux-gnueabihf"),
            "--show-encoding".into(),
            format!("--mattr={features}"),
        ])
        .args(["--no-warn", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-mc-19 starts");
    let mut input = tool.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = tool.wait_with_output().unwrap();
    writer.join().unwrap().expect("llvm-mc-19 reads all");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", &errors[..errors.len().min(4000)]);
    let answer = String::from_utf8(output.stdout).unwrap();
    let encoding = |line: &str| -> Option<Vec<u8>> {
        let (_, rest) = line.split_once("encoding: [")?;
        let byte = |b: &str| u8::from_str_radix(b.trim().trim_start_matches("0x"), 16).unwrap_or(0);
        Some(rest.split(']').next()?.split(',').map(byte).collect())
    };
    answer.lines().filter_map(encoding).collect()
}

/// A general-purpose register's name.
fn r(r: Gpr) -> String {
    match r {
        SP => "sp".into(),
        LR => "lr".into(),
        PC => "pc".into(),
        Gpr(n) => format!("r{n}"),
    }
}

fn name_of(shift: Shift) -> String {
    format!("{shift:?}").to_lowercase()
}

fn cond(c: Cond) -> String {
    format!("{c:?}").to_lowercase()
}

/// Every third choice of three registers, and all where they coincide.
fn triples() -> impl Iterator<Item = (Gpr, Gpr, Gpr)> {
    let all = REGS.into_iter().flat_map(|d| REGS.into_iter().flat_map(move |n| REGS.map(|m| (d, n, m))));
    all.enumerate().filter(|&(k, (d, n, m))| k % 3 == 0 || d == n || d == m).map(|(_, triple)| triple)
}

/// A floating-point register's name.
fn v(r: Vreg) -> String {
    match r {
        Vreg::S(n) => format!("s{n}"),
        Vreg::D(n) => format!("d{n}"),
        Vreg::Q(n) => format!("q{n}"),
    }
}
