//! A file with every construct in it, read, verified and printed: compared with the text beside it. `BLESS=1` writes it anew.

use gusset_abi::Target;
use gusset_codegen::ir::{Function, Printer, verify};
use gusset_llvm::{BodyReader, read_module, target_triple};

const SAMPLE: &str = include_str!("sample.ll");

#[test]
fn sample_is_read_as_printed() {
    let parsed = read_module(SAMPLE.as_bytes(), "sample.ll", &Target::X86_64_LINUX).unwrap_or_else(|e| panic!("{e}"));
    let printer = Printer::new(&parsed.module);
    let mut text = printer.module();
    let mut reader = BodyReader::new(&parsed);
    let mut func = Function::new();
    for body in &parsed.bodies {
        reader.read(body, &mut func).unwrap_or_else(|e| panic!("{e}"));
        verify(&parsed.module, &func).unwrap_or_else(|e| panic!("{e}"));
        text.push('\n');
        text.push_str(&printer.function(&func));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sample.gir");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let known = std::fs::read_to_string(path).unwrap();
    for (i, (got, want)) in text.lines().zip(known.lines()).enumerate() {
        assert_eq!(got, want, "line {} of sample.gir", i + 1);
    }
    assert_eq!(text.len(), known.len());
}

/// Bodies come out the same in any order and by any reader.
#[test]
fn bodies_do_not_depend_on_each_other() {
    let parsed = read_module(SAMPLE.as_bytes(), "sample.ll", &Target::X86_64_LINUX).unwrap();
    let printer = Printer::new(&parsed.module);
    let mut func = Function::new();
    let mut print = |reader: &mut BodyReader, i: usize| {
        reader.read(&parsed.bodies[i], &mut func).unwrap();
        printer.function(&func)
    };
    let mut shared = BodyReader::new(&parsed);
    let n = parsed.bodies.len();
    let backwards: Vec<String> = (0..n).rev().map(|i| print(&mut shared, i)).collect();
    for i in 0..n {
        assert_eq!(print(&mut BodyReader::new(&parsed), i), backwards[n - 1 - i]);
    }
}

#[test]
fn module_flags() {
    let read = |text: &str| read_module(text.as_bytes(), "t.ll", &Target::X86_64_LINUX).unwrap().pic_level;
    assert_eq!(read(SAMPLE), 2);
    assert_eq!(read("!0 = !{i32 8, !\"PIC Level\", i32 2}"), 0);
}

#[test]
fn triple_of_a_module() {
    assert_eq!(target_triple(SAMPLE.as_bytes()).as_deref(), Some("x86_64-pc-linux-gnu"));
    assert_eq!(target_triple(b"define void @f() { ret void }"), None);
}
