//! Every form of every instruction against `llvm-mc-19`: the test writes the instruction as text of its own, the assembler encodes
//! it, and the bytes must be the same. The names of instructions are those of the opcodes' tables.

mod int;
mod memory;
mod simd;

use super::*;
use crate::aarch64::reg::*;
use std::fmt::Display;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Registers at both ends of their range and between.
const REGS: [u8; 4] = [0, 13, 21, 30];

/// Instructions encoded by us, and the text of each.
struct Forms {
    buf: CodeBuffer,
    text: String,
    lines: Vec<(String, usize)>,
}

impl Forms {
    fn new() -> Self {
        Self { buf: CodeBuffer::new(&CODE), text: String::new(), lines: Vec::new() }
    }

    /// One instruction, or several, separated by semicolons: text and encoding.
    fn add(&mut self, text: impl Display, encode: impl FnOnce(&mut Asm)) {
        let line = text.to_string();
        self.text.push_str(&line);
        self.text.push('\n');
        encode(&mut Asm::new(&mut self.buf));
        self.lines.push((line, self.buf.offset() as usize));
    }

    /// Asks the assembler and compares.
    fn judge(self) {
        let expected = assemble(&self.text);
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
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(expected.len(), start);
        #[cfg(feature = "asm")]
        self.judge_text();
    }

    /// Prints what was encoded and asks the assembler for the bytes of that text, none of which may be data.
    #[cfg(feature = "asm")]
    fn judge_text(&self) {
        use crate::aarch64::asm::Printer;
        use gusset_codegen::asm::{Disassembler, Operands};
        let (code, mut text) = (self.buf.bytes(), String::new());
        let mut lines = Vec::new();
        for at in (0..code.len()).step_by(4) {
            let start = text.len();
            Printer.print(code, at as u32, 4, Operands { fields: &[], label: None }, &mut text);
            lines.push(text[start..].to_string());
            text.push('\n');
        }
        let data: Vec<&String> = lines.iter().filter(|l| l.starts_with('.')).collect();
        assert!(data.is_empty(), "{:?}", &data[..data.len().min(10)]);
        let answer = assemble(&text);
        let differs = |k: &usize| answer.get(4 * k..4 * k + 4) != code.get(4 * k..4 * k + 4);
        let wrong: Vec<&String> = (0..lines.len()).filter(differs).map(|k| &lines[k]).collect();
        assert!(wrong.is_empty(), "{:?}", &wrong[..wrong.len().min(10)]);
    }
}

/// What the assembler makes of a text: the bytes of its instructions.
fn assemble(text: &str) -> Vec<u8> {
    let mut tool = Command::new("llvm-mc-19")
        .args(["--triple=aarch64-linux-gnu", "--show-encoding", "--mattr=+v8.5a,+fullfp16,+aes,+sha2,+crc,+lse,+rcpc"])
        .args(["-o", "-"])
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
    answer.lines().filter_map(encoding).flatten().collect()
}

/// A general-purpose register's name.
fn r(w: Width, n: u8) -> String {
    match (w, n) {
        (Width::W, 31) => "wzr".into(),
        (Width::X, 31) => "xzr".into(),
        (Width::W, n) => format!("w{n}"),
        (Width::X, n) => format!("x{n}"),
    }
}

/// The same where number 31 is the stack pointer.
fn rsp(w: Width, n: u8) -> String {
    match (w, n) {
        (Width::W, 31) => "wsp".into(),
        (Width::X, 31) => "sp".into(),
        (w, n) => r(w, n),
    }
}

const WIDTHS: [Width; 2] = [Width::W, Width::X];

#[test]
fn branches_take_their_forms() {
    let back = |far: bool| {
        let mut buf = CodeBuffer::new(&CODE);
        let mut a = Asm::new(&mut buf);
        let to = a.buf.new_label();
        a.buf.bind(to);
        a.b(to);
        a.b_if(Cond::Lt, to);
        a.cbz(Width::X, true, Gpr(3), to);
        a.cbz(Width::W, false, Gpr(4), to);
        a.tbz(true, Gpr(5), 3, to);
        a.tbz(false, Gpr(6), 40, to);
        if far {
            (0..0x40000).for_each(|_| a.plain(NOP));
            a.b(to);
            a.b_if(Cond::Hi, to);
            a.cbz(Width::W, true, Gpr(1), to);
            a.tbz(false, Gpr(6), 63, to);
            // Forward, beyond the reach of one bit's test and within.
            let ahead = a.buf.new_label();
            a.tbz(true, Gpr(7), 1, ahead);
            (0..0x2000).for_each(|_| a.plain(NOP));
            a.tbz(true, Gpr(7), 1, ahead);
            a.b_if(Cond::Eq, ahead);
            a.plain(NOP);
            a.buf.bind(ahead);
        }
        buf.finish().unwrap();
        buf.bytes().to_vec()
    };
    let near = "top: b top; b.lt top; cbz x3, top; cbnz w4, top; tbz w5, #3, top; tbnz x6, #40, top";
    let far = "\n.rept 0x40000\nnop\n.endr\nb top; b.ls 1f; b top; 1: cbnz w1, 1f; b top; 1: tbz x6, #63, 1f; b top\n\
               1: tbnz w7, #1, 1f; b 2f; 1:\n.rept 0x2000\nnop\n.endr\ntbz w7, #1, 2f; b.eq 2f; nop; 2: ret\n";
    assert_eq!(object_text(&format!("{near}\nret")), [&back(false)[..], &[0xc0, 3, 0x5f, 0xd6]].concat());
    assert!(object_text(&[near, far].concat()) == [&back(true)[..], &[0xc0, 3, 0x5f, 0xd6]].concat());
}

/// The section `.text` of the object that the assembler makes.
fn object_text(text: &str) -> Vec<u8> {
    use object::{Object as _, ObjectSection as _};
    let dir = std::env::temp_dir().join(format!("gusset-a64-{}-{}", std::process::id(), text.len()));
    std::fs::write(dir.with_extension("s"), text).unwrap();
    let out = Command::new("llvm-mc-19")
        .args(["--triple=aarch64-linux-gnu", "--filetype=obj", "-o"])
        .args([dir.with_extension("o"), dir.with_extension("s")])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let bytes = std::fs::read(dir.with_extension("o")).unwrap();
    ["o", "s"].iter().for_each(|e| std::fs::remove_file(dir.with_extension(e)).unwrap());
    let file = object::File::parse(&*bytes).unwrap();
    file.section_by_name(".text").unwrap().data().unwrap().to_vec()
}
