//! Debug information of any size and shape is written or left out, on a small stack.

use std::fmt::Write;

use gusset::{Features, Options, Source, Target};
use gusset_tests::tools::{limited, succeed, work_folder};

/// Bytes of the stack. Without optimization, what compiles any function needs some.
const STACK: usize = 1 << 20;

/// Compiles a function with a variable and these nodes, of which !20 is the scope of its instruction, !21 the type of the variable, !22 a call that
/// was inlined or nothing. Gives the bytes of the objects for Linux and for Windows.
fn compile(expression: &str, inlined_at: &str, nodes: &str) -> Vec<u64> {
    let text = format!(
        "define i32 @f(i32 %a) !dbg !3 {{\n  #dbg_value(i32 %a, !4, !DIExpression({expression}), !6)\n  \
         %b = mul i32 %a, %a, !dbg !5\n  ret i32 %b, !dbg !6\n}}\n\
         !llvm.dbg.cu = !{{!0}}\n!llvm.module.flags = !{{!7, !8}}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug, splitDebugFilename: \"a.dwo\")\n\
         !1 = !DIFile(filename: \"a.c\", directory: \"/\")\n!2 = !DISubroutineType(types: !{{null}})\n\
         !3 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !2, spFlags: DISPFlagDefinition, unit: !0)\n\
         !4 = !DILocalVariable(name: \"v\", scope: !3, file: !1, line: 1, type: !21)\n\
         !5 = !DILocation(line: 2, scope: !20{inlined_at})\n!6 = !DILocation(line: 3, scope: !3)\n\
         !7 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n!8 = !{{i32 2, !\"CodeView\", i32 1}}\n{nodes}"
    );
    let in_thread = move || {
        let compiled = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"].map(|triple| {
            let target = Target::from_triple(triple, &Features::default()).map_err(|e| e.to_string())?;
            let source = Source { name: "limits.ll", text: text.as_bytes() };
            let object =
                gusset::compile_llvm(source, &target, &Options::new(), &mut |_| {}).map_err(|e| e.to_string())?;
            Ok::<u64, String>(object.bytes.len() as u64)
        });
        compiled.into_iter().collect::<Result<Vec<_>, _>>()
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(in_thread).expect("there is a thread");
    thread.join().expect("nothing panics").expect("it compiles")
}

const INT: &str = "!DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)";
const SCOPE: &str = "!20 = distinct !DILexicalBlock(scope: !3, file: !1, line: 2)\n";

#[test]
fn deep_scopes_and_types() {
    const DEPTH: usize = 100_000;
    let (mut scopes, mut types, mut calls) = (String::new(), String::from(SCOPE), String::from(SCOPE));
    let _ = writeln!(scopes, "!21 = {INT}");
    let _ = writeln!(calls, "!21 = {INT}");
    for depth in 0..DEPTH {
        let (own, next) = (if depth == 0 { 20 } else { 100 + depth }, 101 + depth);
        let last = depth + 1 == DEPTH;
        let scope = if last { 3 } else { next };
        let _ = writeln!(scopes, "!{own} = distinct !DILexicalBlock(scope: !{scope}, file: !1, line: 2)");
        let base = if last { String::from("null") } else { format!("!{next}") };
        let ty = if depth == 0 { 21 } else { own };
        let _ = writeln!(types, "!{ty} = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: {base}, size: 64)");
        let call = if depth == 0 { 22 } else { own };
        let at = if last { String::new() } else { format!(", inlinedAt: !{next}") };
        let _ = writeln!(calls, "!{call} = distinct !DILocation(line: 2, scope: !3{at})");
    }
    for (nodes, at) in [(&scopes, ""), (&types, ""), (&calls, ", inlinedAt: !22")] {
        assert!(compile("", at, nodes).iter().all(|&bytes| bytes > 500));
    }
}

#[test]
fn cycles() {
    let int = format!("!21 = {INT}\n");
    let block =
        |own: u32, scope: u32| format!("!{own} = distinct !DILexicalBlock(scope: !{scope}, file: !1, line: 2)\n");
    let call = |own: u32, at: u32| format!("!{own} = distinct !DILocation(line: 2, scope: !3, inlinedAt: !{at})\n");
    let pointer = |own: u32, to: u32| format!("!{own} = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !{to})\n");
    compile("", "", &(int.clone() + &block(20, 23) + &block(23, 20)));
    compile("", ", inlinedAt: !22", &(int.clone() + SCOPE + &call(22, 23) + &call(23, 22)));
    compile("", "", &(String::from(SCOPE) + &pointer(21, 23) + &pointer(23, 21)));
}

#[test]
fn long_expressions() {
    // DWARF 4 has 16 bits for the length of a location in a list.
    let long = |count: usize| vec!["DW_OP_plus_uconst, 1000000"; count].join(", ") + ", DW_OP_stack_value";
    let nodes = format!("{SCOPE}!21 = {INT}\n");
    let [short, middle, longest] = [10, 1000, 100_000].map(|count| compile(&long(count), "", &nodes)[0]);
    assert!(middle > short + 900 * 4, "{short} {middle}");
    // It is left out.
    assert!(longest < middle, "{middle} {longest}");
}

/// Twice as many types make twice as many bytes.
#[test]
fn many_types() {
    let bytes = [50_000, 100_000].map(|count: usize| {
        let mut nodes =
            format!("{SCOPE}!21 = !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", elements: !22)\n!22 = !{{");
        (0..count).for_each(|n| _ = write!(nodes, "{}!{}", if n == 0 { "" } else { ", " }, 100 + 2 * n));
        nodes.push_str("}\n");
        for n in 0..count {
            let (member, ty) = (100 + 2 * n, 101 + 2 * n);
            let _ = writeln!(
                nodes,
                "!{member} = !DIDerivedType(tag: DW_TAG_member, name: \"m\", baseType: !{ty}, size: 32)"
            );
            let _ = writeln!(nodes, "!{ty} = !DIBasicType(name: \"t{n}\", size: 32, encoding: DW_ATE_signed)");
        }
        compile("", "", &nodes)
    });
    for (half, all) in bytes[0].iter().zip(&bytes[1]) {
        assert!(*all > half * 19 / 10 && *all < half * 22 / 10, "{half} {all}");
    }
}

/// What is left out is said: the first with its place, the others by their number.
#[test]
fn losses_are_said() {
    let text = "define void @f() {\n  ret void\n}\n!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n\
                !0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, macros: !3, splitDebugFilename: \"a.dwo\")\n\
                !1 = !DIFile(filename: \"a.c\", directory: \"/\")\n!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n!3 = !{}\n";
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).expect("it is known");
    let source = Source { name: "losses.ll", text: text.as_bytes() };
    let compiled = gusset::compile_llvm(source, &target, &Options::new(), &mut |_| {}).expect("it compiles");
    let loss = compiled.debug_info_loss.expect("something is left out");
    assert!(loss.first.message().contains("`splitDebugFilename`"), "{}", loss.first);
    assert_eq!((loss.first.line(), loss.more, loss.is_all), (6, 1, false));
}

/// Variables that live through thousands of blocks are known in all of them.
#[test]
fn many_variables_in_many_blocks() {
    const COUNT: usize = 1200;
    let mut text = String::from("@g = global i32 0\ndefine void @f() !dbg !3 {\n");
    for n in 0..COUNT {
        let _ = writeln!(text, "  %v{n} = load volatile i32, ptr @g, !dbg !6");
        let _ = writeln!(text, "  #dbg_value(i32 %v{n}, !{}, !DIExpression(), !6)", 100 + n);
    }
    text.push_str("  br label %head0, !dbg !6\n");
    for n in 0..COUNT {
        let _ = writeln!(
            text,
            "head{n}:\n  %c{n} = load volatile i32, ptr @g, !dbg !6\n  %is{n} = icmp eq i32 %c{n}, 0, !dbg !6"
        );
        let _ = writeln!(text, "  br i1 %is{n}, label %head{}, label %body{n}, !dbg !6", n + 1);
        let _ = writeln!(text, "body{n}:\n  store volatile i32 {n}, ptr @g, !dbg !6\n  br label %head{n}, !dbg !6");
    }
    let _ = writeln!(text, "head{COUNT}:");
    (0..COUNT).for_each(|n| _ = writeln!(text, "  store volatile i32 %v{n}, ptr @g, !dbg !6"));
    text.push_str(
        "  ret void, !dbg !6\n}\n!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!7}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)\n\
         !1 = !DIFile(filename: \"a.c\", directory: \"/\")\n!2 = !DISubroutineType(types: !{null})\n\
         !3 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !2, spFlags: DISPFlagDefinition, unit: !0)\n\
         !6 = !DILocation(line: 2, scope: !3)\n!7 = !{i32 2, !\"Debug Info Version\", i32 3}\n",
    );
    let _ = writeln!(text, "!21 = {INT}");
    for n in 0..COUNT {
        let _ =
            writeln!(text, "!{} = !DILocalVariable(name: \"v{n}\", scope: !3, file: !1, line: 1, type: !21)", 100 + n);
    }
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).expect("it is known");
    let source = Source { name: "many.ll", text: text.as_bytes() };
    let compiled = gusset::compile_llvm(source, &target, &Options::new(), &mut |_| {}).expect("it compiles");
    let file = work_folder("debug_limits").join("many.o");
    std::fs::write(&file, compiled.bytes.into_vec().expect("it fits in memory")).expect("it is written");
    let statistics =
        succeed(limited(60, "llvm-dwarfdump-19").arg("--statistics").arg(&file)).expect("it is read").text();
    let statistics: serde_json::Value = serde_json::from_str(&statistics).expect("it is JSON");
    let bytes =
        |what: &str| statistics[format!("sum_all_variables(#bytes in parent scope{what})")].as_u64().expect(what);
    let (known, all) = (bytes(" covered by DW_AT_location"), bytes(""));
    // From its record, on average in the middle of the loads, to its store a variable is known.
    assert!(known > all * 2 / 3, "{known} of {all}");
}
