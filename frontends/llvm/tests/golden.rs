//! A file with every construct in it, read, verified and printed: compared with the text beside it. `BLESS=1` writes it anew.

use gusset_abi::AbiTarget;
use gusset_codegen::ir::{Function, Printer, verify};
use gusset_llvm::{BodyReader, read_module, target_triple};

const SAMPLE: &str = include_str!("sample.ll");

#[test]
fn sample_is_read_as_printed() {
    let parsed =
        read_module(SAMPLE.as_bytes(), "sample.ll", &AbiTarget::X86_64_LINUX).unwrap_or_else(|e| panic!("{e}"));
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
    let parsed = read_module(SAMPLE.as_bytes(), "sample.ll", &AbiTarget::X86_64_LINUX).unwrap();
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
    let read = |text: &str| read_module(text.as_bytes(), "t.ll", &AbiTarget::X86_64_LINUX).unwrap().pic_level;
    assert_eq!(read(SAMPLE), 2);
    assert_eq!(read("!0 = !{i32 8, !\"PIC Level\", i32 2}"), 0);
}

#[test]
fn triple_of_a_module() {
    assert_eq!(target_triple(SAMPLE.as_bytes()).as_deref(), Some("x86_64-pc-linux-gnu"));
    assert_eq!(target_triple(b"define void @f() { ret void }"), None);
}

/// A call is read as it is spelled, whatever calls of the same symbol came before it.
#[test]
fn calls_do_not_depend_on_earlier_ones() {
    let calls = [
        "call void @f(i32 1, ptr %p)",
        "call void @f(i32 signext 1, ptr %p)",
        "call void @f(i32 7, ptr null)",
        "call void @f(i32 7, ptr byval(%struct.long.one) %p)",
        "call void @f(i64 7, ptr %p)",
        "call void @f(i32 7)",
        "call void @f(i32 7, ptr %p, i32 9)",
        "call fastcc void @f(i32 7, ptr %p)",
        "call i32 @f(i32 7, ptr %p)",
        "call void (i32, ...) @f(i32 7, ptr %p)",
        "call void @f(i32 -1, ptr @f)",
        "call void @f()",
    ];
    let head = "target triple = \"x86_64-unknown-linux-gnu\"\n%struct.long.one = type { i64, i64, i64 }\n\
                %struct.long.two = type { i32, i32 }\ndeclare void @f(i32, ptr)\n";
    let alone = |lines: &str, symbol: usize| {
        let text = format!("{head}define void @g(ptr %p) {{\n{lines}  ret void\n}}\n");
        let parsed = read_module(text.as_bytes(), "t.ll", &AbiTarget::X86_64_LINUX).unwrap_or_else(|e| panic!("{e}"));
        let mut func = Function::new();
        BodyReader::new(&parsed).read(&parsed.bodies[0], &mut func).unwrap_or_else(|e| panic!("{lines}{e}"));
        let call = func.calls[symbol];
        (format!("{:?}", func.sigs[call.sig.index()].abi), call.args_len)
    };
    for (first, second) in calls.iter().flat_map(|a| calls.iter().map(move |b| (a, b))) {
        let expected = alone(&format!("  {second}\n"), 0);
        assert_eq!(alone(&format!("  {first}\n  {second}\n"), 1), expected, "{second}, after {first}");
    }
}
