//! Assembly text: what the assembler makes of it is what the object holds.

use std::io::Write;
use std::process::{Command, Stdio};

use gusset_codegen::asm::AsmWriter;
use gusset_codegen::object::{ObjectOptions, ObjectWriter};
use gusset_targets::x86::asm::AttPrinter;
use gusset_targets::x86::object::X86_64;
use gusset_tests::objects::differences;

mod support;
use support::{Fixture, everything};

const OPTIONS: ObjectOptions = ObjectOptions { pic: true };

fn object(f: &Fixture) -> Vec<u8> {
    let mut w = ObjectWriter::new(&X86_64, &f.module, OPTIONS);
    f.functions.iter().for_each(|function| w.function(function).unwrap());
    w.finish().unwrap()
}

fn text(f: &Fixture) -> String {
    let mut w = AsmWriter::new(&X86_64, &f.module, OPTIONS, Box::new(AttPrinter::new()));
    f.functions.iter().for_each(|function| w.function(function).unwrap());
    w.finish().unwrap()
}

fn assemble(text: &str) -> Vec<u8> {
    let mut child = Command::new("llvm-mc-19")
        .args(["-triple", "x86_64-unknown-linux-gnu", "-filetype=obj", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test needs the program llvm-mc-19 (Debian and Ubuntu: package llvm-19)");
    let mut input = child.stdin.take().unwrap();
    let owned = text.to_string();
    let writer = std::thread::spawn(move || input.write_all(owned.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "llvm-mc-19 refuses:\n{text}");
    output.stdout
}

fn check(f: &Fixture) {
    let text = text(f);
    let found = differences(&object(f), &assemble(&text)).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.is_empty(), "object against text: {}\n{text}", found.join("\n"));
}

#[test]
fn assembles_to_the_object() {
    check(&everything());
}
