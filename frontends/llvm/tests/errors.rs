//! What is wrong or not supported is an error that names the place; nothing in the input makes the reader panic.

use gusset_abi::AbiTarget;
use gusset_codegen::ir::{Function, verify};
use gusset_llvm::{BodyReader, ReadError, read_module};

/// Reads everything; verifies what was read if `check`.
fn read(source: &[u8], check: bool) -> Result<(), ReadError> {
    let parsed = read_module(source, "t.ll", &AbiTarget::X86_64_LINUX)?;
    let mut reader = BodyReader::new(&parsed);
    let mut func = Function::new();
    let mut result = Ok(());
    for body in &parsed.bodies {
        match reader.read(body, &mut func) {
            Ok(()) if check => verify(&parsed.module, &func).unwrap_or_else(|e| panic!("{e}")),
            Ok(()) => {}
            Err(e) => result = result.and(Err(e)),
        }
    }
    result
}

/// Reads `body` as that of a function of an `i32` and a pointer; the error's line is counted from the body's first.
fn body_error(body: &str) -> (usize, String) {
    body_error_with("", body)
}

fn body_error_with(attributes: &str, body: &str) -> (usize, String) {
    let declarations = "declare i32 @llvm.umax.i32(i32, i32) declare i256 @llvm.umax.i256(i256, i256) \
        declare ptr @llvm.frameaddress.p0(i32) declare ptr @llvm.returnaddress(i32) \
        @g = global i32 0";
    let source = format!("{declarations}\ndefine i32 @f(i32 %n, ptr %p){attributes} {{\n{body}\n}}\n");
    match read(source.as_bytes(), true) {
        Ok(()) => panic!("no error in:\n{body}"),
        Err(e) => (e.line() - 2, e.message().to_string()),
    }
}

#[test]
fn a_message_shows_the_place() {
    let e = read(b"define void @f() {\n  %1 = add i32 1, 2\n  %2 = frob i32 %1\n  ret void\n}\n", true).unwrap_err();
    assert_eq!((e.file(), e.line(), e.column()), ("t.ll", 3, 8));
    assert_eq!(e.message(), "expected an instruction, found `frob`");
    let want = "t.ll:3:8: error: expected an instruction, found `frob`\n 3 |   %2 = frob i32 %1\n   |        ^";
    assert_eq!(e.to_string(), want);
}

#[test]
fn binary_forms_are_named() {
    let cases: [(&[u8], &str); 3] =
        [(b"BC\xc0\xde\x35", "llvm-dis"), (b"\xde\xc0\x17\x0b\0\0", "llvm-dis"), (b"ML\xefR\x06", "mlir-opt")];
    for (source, tool) in cases {
        let message = read(source, false).unwrap_err().message().to_string();
        assert!(message.contains(tool), "{message}");
    }
}

#[test]
fn errors_in_bodies() {
    let cases = [
        ("ret i32 %x", 1, "`%x` is not defined"),
        ("%x = add i32 %n, %p\nret i32 %x", 1, "`%p` is a value of another type: of `ptr`, not `i32`, defined at 2:27"),
        ("%x = add i32 %n, 1\n%x = add i32 %n, 1\nret i32 0", 2, "defined twice"),
        ("%1 = add i32 %n, 1\n%0 = add i32 %n, 1\nret i32 0", 2, "out of order"),
        ("br label %nowhere", 1, "this block is not defined"),
        ("br label %n", 1, "is a value, not a block"),
        ("add i32 %n, 1", 2, "the last block has no terminator"),
        ("a:\n%x = add i32 %n, 1\nb:\nret i32 0", 3, "no terminator"),
        ("a:\nbr label %a", 0, "the entry block has a predecessor"),
        ("ret void", 1, "not of the function's result type"),
        ("ret i32 1.5", 1, "expected an integer"),
        ("%x = call ptr @llvm.frameaddress.p0(i32 65536)\nret i32 0", 1, "more than 65535 levels up"),
        ("%x = call ptr @llvm.returnaddress(i32 2147483648)\nret i32 0", 1, "more than 65535 levels up"),
        ("%x = load i32* %p\nret i32 0", 1, "the type that is accessed must stand before the pointer"),
        ("call void @f(ptr byval %p)\nret i32 0", 1, "`byval` needs a type in parentheses"),
        ("call void @f(i32* byval %n)\nret i32 0", 1, "of another type"),
        ("%x = load i32, i32 %n\nret i32 0", 1, "expected `ptr`"),
        (
            "%x = call i32 asm \"rdtsc\", \"=r\"()\nret i32 0",
            1,
            "inline assembly with instructions is not supported yet",
        ),
        (
            "call void asm \"brk #0xF003\", \"{w0}\"(i32 %n)\nret i32 0",
            1,
            "inline assembly with instructions is not supported yet",
        ),
        ("call void asm \"int $$0x29\", \"{dx}\"(i32 %n)\nret i32 0", 1, "is not what `__fastfail` asks for"),
        ("call void asm \"int $$0x29\", \"{cx}\"(ptr %p)\nret i32 0", 1, "is not what `__fastfail` asks for"),
        ("callbr i32 @f(i32 0, ptr null) to label %a []\na:\nret i32 0", 1, "of what is no inline assembly"),
        ("callbr void asm \"\", \"!i\"() to label %a []\na:\nret i32 0", 1, "do not match its constraints"),
        ("call void asm \"\", \"!i\"()\nret i32 0", 1, "only a `callbr` has labels"),
        ("callbr void asm \"jmp $0\", \"!i\"() to label %a [label %a]\na:\nret i32 0", 1, "assembly with instructions"),
        ("%x = cleanuppad within none []", 1, "with the personality routines `__CxxFrameHandler3`"),
        ("%x = load <vscale x 4 x i32>, ptr %p\nret i32 0", 1, "takes the feature `sve`"),
        ("%x = atomicrmw usub_cond ptr %p, i32 1 seq_cst\nret i32 0", 1, "`atomicrmw usub_cond`"),
        ("%x = load i32, ptr addrspace(270) %p\nret i32 0", 1, "of another type"),
        ("%x = load i32, ptr addrspace(256) %p\nret i32 0", 1, "of another type"),
        ("%x = load { i32, i32 }, ptr addrspace(256) null\nret i32 0", 1, "relative to a segment register"),
        ("%x = alloca i32, addrspace(258)\nret i32 0", 1, "no stack relative"),
        ("%x = getelementptr { i32 }, ptr %p, i32 0, i32 1\nret i32 0", 1, "no such member"),
        ("%x = getelementptr i32, ptr %p, i32 0, i32 1\nret i32 0", 1, "no elements"),
        ("%x = trunc i32 %n to i64\nret i32 0", 1, "a type that it does not work on"),
        ("%x = fadd i32 %n, %n\nret i32 0", 1, "a type that it does not work on"),
        ("switch i32 %n, label %a [ i32 1, label %a i32 1, label %a ]\na:\nret i32 0", 1, "two cases"),
        ("br label %a\na:\n%x = phi i32 [ 0, %b ]\nret i32 %x\nb:\nunreachable", 3, "does not match"),
        ("br label %a\na:\n%x = phi i32 [ 0, %0 ], [ 1, %0 ]\nret i32 %x", 3, "the phi has 2 values"),
        ("br label %a\na:\n%x = phi i32 [ %x, %0 ]\nret i32 %x", 3, "is used where its definition does not reach"),
        ("br label %a\na:\n%x = phi i32 [ 0, %0 ], [ %q, %a ]\nbr label %a", 3, "is not defined"),
        ("ret i32 trunc (i64 add (i64 1, i32 2) to i32)", 1, "of different types"),
        ("%x = call i32 @h()\nret i32 %x", 1, "`@h` is not defined"),
        ("%x = call i32 @f(i32 0, ptr null) [ \"deopt\"(i32 0) ]\nret i32 %x", 1, "operand bundle"),
        ("store { i32, [5000 x i32] } zeroinitializer, ptr %p\nret i32 0", 1, "4096 scalars"),
        ("store [2 x i32] [i32 1], ptr %p\nret i32 0", 1, "not a value of this type"),
        ("%x = shufflevector <2 x i32> poison, <2 x i32> poison, <2 x i32> <i32 0, i32 4>\nret i32 0", 1, "beyond"),
        ("%99999999 = add i32 %n, 1\nret i32 0", 1, "larger than the function"),
        ("store i32 123456789012345678901234567890123456789012345, ptr %p\nret i32 0", 1, "128 bits"),
        ("%x = bitcast <167 x i1> zeroinitializer to i168\nret i32 0", 1, "a type that it does not work on"),
        ("%x = add { i32 } zeroinitializer, zeroinitializer\nret i32 0", 1, "a type that it does not work on"),
        ("%x = icmp eq [2 x i8] zeroinitializer, zeroinitializer\nret i32 0", 1, "a type that it does not work on"),
        ("%x = fcmp oeq i168 0, 0\nret i32 0", 1, "a type that it does not work on"),
        ("%x = trunc i168 0 to i169\nret i32 0", 1, "a type that it does not work on"),
        ("%x = zext i168 0 to ptr\nret i32 0", 1, "a type that it does not work on"),
        ("%x = trunc void undef to i168\nret i32 0", 1, "not possible here"),
        (
            "store i130 6277101735386680763835789423207666416102355444464034512896, ptr %p\nret i32 0",
            1,
            "does not fit 130 bits",
        ),
        ("store i130 1.5, ptr %p\nret i32 0", 1, "expected an integer"),
        ("store i130 u0x, ptr %p\nret i32 0", 1, "expected a value of this type"),
        ("%x = atomicrmw add ptr %p, i200 1 seq_cst\nret i32 0", 1, "no atomic access"),
        ("%x = load atomic i200, ptr %p seq_cst, align 32\nret i32 0", 1, "no atomic access"),
        ("%x = call i256 @llvm.umax.i256(i256 0, i32 1)\nret i32 0", 1, "does not take or give"),
        ("%x = call { i32, i32 } @llvm.umax.i32(i32 0, i32 1)\nret i32 0", 1, "does not take or give"),
        ("%x = insertvalue i168 0, i64 0, 0\nret i32 0", 1, "no such member"),
        ("ret i32 0\n%", 2, "a name"),
        ("ret i32 0 %", 1, "a name"),
    ];
    for (body, line, part) in cases {
        let (at, message) = body_error(body);
        assert!(message.contains(part), "{message}\nexpected: {part}\n{body}");
        assert_eq!(at, line, "{message}\n{body}");
    }
}

#[test]
fn errors_about_exceptions() {
    let invoke = "%x = invoke i32 @f(i32 0, ptr null) to label %a unwind label %b\na:\nret i32 %x\nb:\n";
    let pad = "%e = landingpad { ptr, i32 } cleanup\n";
    let within = |tail: &str| format!("{invoke}{pad}{tail}");
    let cases = [
        (format!("{invoke}ret i32 0"), 0, "does not begin with `landing_pad`"),
        (format!("{invoke}%y = add i32 1, 2\n{pad}ret i32 0"), 0, "does not begin with `landing_pad`"),
        (within("br label %b"), 1, "where only exceptions come"),
        (format!("br label %b\nb:\n{pad}ret i32 0"), 0, "where only exceptions come"),
        (format!("{pad}ret i32 0"), 0, "exceptions come to the entry block"),
        (format!("br label %b\nb:\n%y = add i32 1, 2\n{pad}ret i32 0"), 1, "not the first of its block"),
        (within("resume { ptr, i32 } %q"), 6, "`%q` is not defined"),
        (within("resume i32 0"), 6, "what is resumed"),
        (within("resume { i32, i32 } poison"), 6, "what is resumed"),
        (format!("{invoke}%e = landingpad i32 cleanup\nret i32 0"), 5, "`{ ptr, i32 }`"),
        (format!("{invoke}%e = landingpad {{ i32, ptr }} cleanup\nret i32 0"), 5, "`{ ptr, i32 }`"),
        (format!("{invoke}%e = landingpad {{ ptr, i32 }} catch ptr %p\nret i32 0"), 5, "a symbol or `null`"),
        (format!("{invoke}%e = landingpad {{ ptr, i32 }} filter ptr null\nret i32 0"), 5, "an array"),
        (
            format!("{invoke}%e = landingpad {{ ptr, i32 }} filter [1 x i32] [i32 4]\nret i32 0"),
            5,
            "a symbol or `null`",
        ),
        ("%x = invoke i32 @f(i32 0, ptr null) to label %a\na:\nret i32 0".into(), 2, "expected `unwind`"),
        (
            "%x = catchswitch within none [label %a] unwind to caller".into(),
            1,
            "with the personality routines `__CxxFrameHandler3`",
        ),
    ];
    for (body, line, part) in cases {
        let (at, message) = body_error_with(" personality ptr @f", &body);
        assert!(message.contains(part), "{message}\nexpected: {part}\n{body}");
        assert_eq!(at, line, "{message}\n{body}");
    }
    let (_, message) = body_error(&within("ret i32 0"));
    assert!(message.contains("no personality routine"), "{message}");
    let (_, message) = body_error_with(" personality ptr inttoptr (i64 1 to ptr)", "ret i32 0");
    assert!(message.contains("must be a function's symbol"), "{message}");
}

#[test]
fn errors_at_module_level() {
    let cases: &[(&str, usize, &str)] = &[
        ("frob", 1, "expected a definition"),
        ("@x = global i32 1\n@x = global i32 2", 2, "defined twice"),
        ("@x = global i16 ptrtoint (ptr @x to i16)", 1, "not a number"),
        ("@x = global ptr @y", 1, "`@y` is not defined"),
        ("@x = global [2 x i32] [i32 1, i64 2]", 1, "not of the type"),
        ("@x = global i32 sub (i32 ptrtoint (ptr @x to i32), i32 1)", 1, "not a number"),
        ("@x = global [9223372036854775807 x i64] zeroinitializer", 1, "2^60"),
        ("@a = global i32 0\n@x = alias i32, ptr null", 2, "an alias must stand"),
        ("define void @f() gc \"x\" {\nret void\n}", 1, "garbage"),
        (
            "define void @f() #0 {\nret void\n}\nattributes #0 = { speculative_load_hardening }",
            4,
            "speculative_load_hardening",
        ),
        ("define void @f() {\nret void\n", 1, "not closed"),
        ("define void @f(", 1, "not closed"),
        ("target datalayout = \"E-p:64:64-x\"", 1, "`x` is not a part of a data layout"),
        ("!0 = !{!\"a\", !7}", 1, "the metadata `!7` is not defined"),
        ("!0 = !{!\"!8\",\n  !7}", 2, "the metadata `!7` is not defined"),
        ("!0 = !{}\n!5 = !{!3}", 2, "the metadata `!3` is not defined"),
        ("!x = !{!1}\n!0 = !{}", 1, "the metadata `!1` is not defined"),
        ("%a = type { %a }", 1, "contains itself"),
        ("@x = global %a zeroinitializer\n%a = type opaque", 1, "cannot have this type"),
        ("define cc 11 void @f() {\nret void\n}", 1, "calling convention 11"),
        ("source_filename = \"x", 1, "closing quote"),
        ("declare void @f(i32 %x", 1, "not closed"),
        (
            "define void @f(<8 x float> %x) #0 {\nret void\n}\nattributes #0 = { \"target-features\"=\"+sse,+avx,+avx2\" }",
            1,
            "AVX registers",
        ),
    ];
    for &(source, line, part) in cases {
        let e = read(source.as_bytes(), true).unwrap_err();
        assert!(e.message().contains(part), "{e}\nexpected: {part}\n{source}");
        assert_eq!(e.line(), line, "{e}\n{source}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let n = 100_000;
    let deep_type = format!("@x = global {}i8{} zeroinitializer", "[1 x ".repeat(n), "]".repeat(n));
    let deep_value = format!("@x = global i64 {}1{}", "add (i64 ".repeat(n), ", i64 1)".repeat(n));
    let deep_group = format!("define void @f({}", "(".repeat(n));
    let deep_struct = format!("@x = global {{i8}} {}", "{".repeat(n));
    let mut chain = String::from("%t0 = type { i8 }\n");
    for i in 1..2000 {
        chain.push_str(&format!("%t{i} = type {{ %t{} }}\n", i - 1));
    }
    for source in [deep_type, deep_value, deep_group, deep_struct, chain] {
        assert!(read(source.as_bytes(), true).is_err());
    }
}

/// Nodes and lists go over any number of lines, attached to instructions, too, and what they say is not cut off.
#[test]
fn metadata_over_several_lines() {
    let body = "define i32 @f(i32 %n) !a !{i32 1,\n  !\"}\"} {\n  %x = add i32 %n, 1, !b !{!\"a\",\n  !\"b\"}\n  ret i32 %x\n}\n";
    let lists = "!llvm.ident = !{!0,\n  !1}\n!0 = !{!\"one\"}\n!1 = !{\n  !\"two\"\n  }\n; !{!9}\n";
    let source = format!("{body}{lists}");
    read(source.as_bytes(), true).unwrap();
    let parsed = read_module(source.as_bytes(), "t.ll", &AbiTarget::X86_64_LINUX).unwrap();
    assert_eq!(parsed.module.idents, ["one", "two"]);
}

#[test]
fn a_long_line_costs_linear_time() {
    let n = 200_000;
    let list = vec!["i32 7"; n].join(", ");
    let source = format!("@x = global [{n} x i32] [{list}]\n!0 = !{{{}}}\n", "!0, ".repeat(n));
    read(source.as_bytes(), true).unwrap();
    let bad = format!("@x = global [{n} x i32] [{list}, float 0.0]\n");
    let e = read(bad.as_bytes(), true).unwrap_err();
    assert!(e.to_string().lines().all(|line| line.len() <= 130) && e.to_string().lines().count() == 3);
}

/// Every prefix of the sample, and many files that differ from it in a few places.
#[test]
fn damaged_files_do_not_panic() {
    let sample = include_bytes!("sample.ll");
    let step = 7;
    for end in (0..sample.len()).step_by(step) {
        let _ = read(&sample[..end], false);
    }
    let words: Vec<&[u8]> = sample.split(|b| b" ,()[]".contains(b)).filter(|w| !w.is_empty()).collect();
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut next = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % n
    };
    let rounds = std::env::var("GUSSET_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(3000);
    for _ in 0..rounds {
        let mut text = sample.to_vec();
        for _ in 0..1 + next(3) {
            let at = next(text.len());
            match next(6) {
                0 => text[at] = next(256) as u8,
                1 => drop(text.drain(at..(at + next(40)).min(text.len()))),
                2 => drop(text.splice(at..at, *b"99999999999999999999")),
                3 => {
                    // A whole word for another.
                    let end = text[at..].iter().position(|b| b" ,()[]".contains(b)).map_or(text.len(), |p| at + p);
                    let start = text[..at].iter().rposition(|b| b" ,()[]".contains(b)).map_or(0, |p| p + 1);
                    let word = words[next(words.len())];
                    drop(text.splice(start..end, word.iter().copied()));
                }
                4 => {
                    let word = words[next(words.len())];
                    drop(text.splice(at..at, word.iter().copied()));
                }
                _ => text[at] = b"()[]{}<>,%@!\"\\-0\n"[next(17)],
            }
        }
        let _ = read(&text, false);
    }
}

/// Reads `body` as a function's of 32-bit Windows that has an argument block; the error's line is counted from the body's first.
#[track_caller]
fn block_error(body: &str, line: usize, part: &str) {
    let head = "%F = type { i32, i32 } declare void @g(i32 inreg, ptr inalloca(<{ %F, i32 }>)) declare void @c(ptr) \
        declare ptr @llvm.stacksave.p0() declare void @llvm.stackrestore.p0(ptr) \
        declare token @llvm.call.preallocated.setup(i32) declare ptr @llvm.call.preallocated.arg(token, i32) \
        declare void @llvm.call.preallocated.teardown(token) declare void @p(ptr preallocated(%F), ptr preallocated(%F))";
    let win32 = AbiTarget::from_triple("i686-pc-windows-msvc", gusset_abi::AbiFeatures::default()).unwrap();
    let source = format!("{head}\ndefine void @f(i32 inreg %n, ptr inalloca(<{{ %F, i32 }}>) %own) {{\n{body}\n}}\n");
    let parsed = read_module(source.as_bytes(), "t.ll", &win32).unwrap();
    let mut func = Function::new();
    match BodyReader::new(&parsed).read(&parsed.bodies[0], &mut func) {
        Err(e) => {
            assert_eq!(e.line() - 2, line, "{e}");
            assert!(e.message().contains(part), "{e}");
        }
        // What is no matter of the text is the verifier's, which names the instruction.
        Ok(()) => match verify(&parsed.module, &func) {
            Err(e) => assert!(line == 0 && e.to_string().contains(part), "{e}"),
            Ok(()) => panic!("no error in:\n{body}"),
        },
    }
}

#[test]
fn argument_blocks() {
    let g = "call void @g(i32 inreg 1, ptr inalloca(<{ %F, i32 }>)";
    let open = "%m = alloca inalloca <{ %F, i32 }>";
    let two = "%s = call ptr @llvm.stacksave.p0()";
    let back = "call void @llvm.stackrestore.p0(ptr %s)";
    let cases = [
        // LangRef, "Parameter Attributes": the last, alone, of a sized type, and with nothing that contradicts it.
        ("call void @g(ptr inalloca(%F) %own, i32 1)\nret void".into(), 1, "must be the last"),
        ("call void (ptr, ...) @g(ptr inalloca(%F) %own, i32 1)\nret void".into(), 1, "must be the last"),
        ("call void @g(ptr inalloca(%F) byval(%F) %own)\nret void".into(), 1, "`inalloca` and `byval`"),
        ("call void @g(ptr sret(%F) inalloca(%F) %own)\nret void".into(), 1, "`sret` and `inalloca`"),
        ("call void @g(ptr inalloca(%F) nest %own)\nret void".into(), 1, "`inalloca` and `nest`"),
        ("call void @g(ptr inreg inalloca(%F) %own)\nret void".into(), 1, "`inalloca` and `inreg`"),
        ("call void @g(ptr inalloca(%F) readonly %own)\nret void".into(), 1, "`inalloca` and `readonly`"),
        ("call void @g(ptr inalloca(void) %own)\nret void".into(), 1, "has no size"),
        ("call void %own(i32 1, ptr inalloca(%F) %own)\nret void".into(), 1, "the only one in memory"),
        ("%m = alloca inalloca %F, i32 %n\nret void".into(), 1, "must be a constant"),
        ("%m = alloca inalloca [4294967296 x i8]\nret void".into(), 1, "2 GB"),
        // Where the memory comes from.
        (format!("%m = alloca <{{ %F, i32 }}>\n{g} %m)\nret void"), 2, "must come from an `alloca inalloca`"),
        (format!("{g} %own)\nret void"), 1, "can only be forwarded by a `musttail` call"),
        (format!("{open}\nmusttail {g} %m)\nret void"), 2, "forwards the caller's own"),
        (format!("{open}\n%q = getelementptr i8, ptr %m, i32 4\n{g} %q)\nret void"), 3, "not the start"),
        // Its life.
        (format!("%m = alloca inalloca %F\n{g} %m)\nret void"), 0, "has 8 bytes instead of 12"),
        (format!("{open}\n{g} %m)\n{g} %m)\nret void"), 0, "a call has taken an argument block since"),
        (format!("{two}\n{open}\n{back}\n{g} %m)\nret void"), 0, "which closed it"),
        (format!("{open}\n%x = alloca inalloca %F\n{g} %m)\nret void"), 0, "another argument block has been opened"),
        (format!("{open}\n%x = alloca i32, i32 %n\n{g} %m)\nret void"), 0, "the stack has grown since"),
        (format!("br label %b\nb:\n{open}\n%x = alloca i32\n{g} %m)\nret void"), 0, "the stack has grown since"),
        // Preallocated arguments.
        ("call void @p(ptr preallocated(%F) %own, ptr preallocated(%F) %own)\nret void".into(), 1, "needs the operand"),
        ("%t = call token @llvm.call.preallocated.setup(i32 %n)\nret void".into(), 1, "expected a value"),
        (
            "%t = call token @llvm.call.preallocated.setup(i32 1)\n\
             %a = call ptr @llvm.call.preallocated.arg(token %t, i32 1) preallocated(%F)\nret void"
                .into(),
            2,
            "no argument of this number",
        ),
        (
            "%t = call token @llvm.call.preallocated.setup(i32 1)\n\
             call void @p(ptr preallocated(%F) %own, ptr preallocated(%F) %own) [ \"preallocated\"(token %t) ]\nret void"
                .into(),
            2,
            "has 2 `preallocated` arguments instead of 1",
        ),
        (
            "%t = call token @llvm.call.preallocated.setup(i32 2)\n\
             %a = call ptr @llvm.call.preallocated.arg(token %t, i32 0) preallocated(%F)\n\
             call void @p(ptr preallocated(%F) %a, ptr preallocated(%F) %a) [ \"preallocated\"(token %t) ]\nret void"
                .into(),
            0,
            "argument 1 is at byte 0 of its block instead of byte 8",
        ),
        ("%t = call token @c(ptr null)\nret void".into(), 1, "cannot have a result of this type"),
        ("musttail call void @c(ptr null, ...)\nret void".into(), 1, "only a `musttail` call of a variadic function"),
    ];
    for (body, line, part) in &cases {
        let body: &String = body;
        block_error(body, *line, part);
    }
}

/// Operands that the constraints of x86 do not permit, and some that they do; llc-19 judged them.
#[test]
fn immediates_of_inline_assembly() {
    let call =
        |constraint: &str, operand: &str| format!(" call void asm \"\", \"{constraint}\"({operand})\n ret i32 0");
    let wrong = [
        ("e", "i64 12345678901234"),
        ("I", "i32 32"),
        ("K", "i32 128"),
        ("N", "i32 256"),
        ("Z", "i64 -1"),
        ("J", "i32 %n"),
    ];
    for (constraint, operand) in wrong {
        let (line, message) = body_error(&call(constraint, operand));
        assert!(line == 1 && message.contains("no constant that it permits"), "{constraint}: {message}");
    }
    for (constraint, operand) in [("e", "i64 -2147483648"), ("I", "i32 31"), ("K", "i32 -128"), ("Z", "i64 4294967295")]
    {
        let body = call(constraint, operand);
        let source = format!("@g = global i32 0\ndefine i32 @f(i32 %n) {{\n{body}\n}}\n");
        read(source.as_bytes(), true).unwrap_or_else(|error| panic!("{error}"));
    }
}
