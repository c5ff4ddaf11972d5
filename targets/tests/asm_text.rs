//! Assembly text: what the assembler makes of it is what the object holds.

use gusset_codegen::asm::AsmWriter;
use gusset_codegen::object::{ObjectOptions, ObjectWriter};
use gusset_targets::x86::asm::AttPrinter;
use gusset_targets::x86::object::X86_64;
use gusset_tests::objects::{assemble, differences};

mod support;
use support::{Fixture, everything};

fn options() -> ObjectOptions {
    ObjectOptions { pic: true, ..ObjectOptions::default() }
}

fn object(f: &Fixture) -> Vec<u8> {
    let mut w = ObjectWriter::new(&X86_64, &f.module, options());
    f.functions.iter().for_each(|function| w.function(function).unwrap());
    w.finish().unwrap()
}

fn text(f: &Fixture) -> String {
    let mut w = AsmWriter::new(&X86_64, &f.module, options(), Box::new(AttPrinter::new()));
    f.functions.iter().for_each(|function| w.function(function).unwrap());
    w.finish().unwrap()
}

fn check(f: &Fixture) {
    let text = text(f);
    let judge = assemble("x86_64-unknown-linux-gnu", &text).unwrap_or_else(|e| panic!("{e}"));
    let found = differences(&object(f), &judge).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.is_empty(), "object against text: {}\n{text}", found.join("\n"));
}

#[test]
fn assembles_to_the_object() {
    check(&everything());
}
