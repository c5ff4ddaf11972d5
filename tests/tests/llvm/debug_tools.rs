//! Tools that read lines as judges: `addr2line` knows every call of a large program, valgrind and perf name the right lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use gimli::{EndianSlice, LittleEndian};
use gusset_tests::build::{Level, Mode, ir};
use gusset_tests::csmith::number;
use gusset_tests::tools::{self, Failure, gusset, limited, run, succeed, work_folder};
use gusset_tests::{corpus, debuggers};
use object::{Object, ObjectSection};

/// How often there is a call of a function at a stack of inlined calls, the innermost first: name, line, column.
type Calls = BTreeMap<(String, Vec<(String, u32, u32)>), usize>;

/// A field of a node, without quotation marks.
fn field<'a>(node: &'a str, key: &str) -> Option<&'a str> {
    let at = node.match_indices(key).find(|(at, _)| matches!(node.as_bytes()[at - 1], b'(' | b' '))?.0;
    let value = node[at + key.len()..].strip_prefix(": ")?;
    Some(match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([',', ')']).next()?,
    })
}

/// Metadata by their names, such as `!7`.
type Nodes<'a> = BTreeMap<&'a str, &'a str>;

/// The name of the function that a scope is in.
fn function_of<'a>(nodes: &Nodes<'a>, mut scope: &'a str) -> Option<&'a str> {
    loop {
        let node = nodes.get(scope)?;
        if node.contains("!DISubprogram(") {
            return field(node, "name");
        }
        scope = field(node, "scope")?;
    }
}

/// The direct calls in LLVM IR, by their `!dbg`. Intrinsics are no calls.
fn calls_of_ir(text: &str) -> Option<Calls> {
    let nodes: Nodes<'_> =
        text.lines().filter(|line| line.starts_with('!')).filter_map(|line| line.split_once(" = ")).collect();
    let mut calls = Calls::new();
    for line in text.lines().filter(|line| line.starts_with("  ")) {
        let Some((before, after)) = line.split_once(" @") else { continue };
        let is_call = before.split_whitespace().take(4).any(|word| word == "call");
        let (Some((callee, _)), Some((_, at))) = (after.split_once('('), line.split_once("!dbg ")) else { continue };
        // What is called by an address may have symbols among its arguments.
        let is_direct = before.matches('(').count() == before.matches(')').count();
        if !is_call || !is_direct || callee.starts_with("llvm.") {
            continue;
        }
        let (mut stack, mut next) = (Vec::new(), at.split(',').next());
        while let Some(location) = next {
            let text = nodes.get(location)?;
            let number = |key| field(text, key).map_or(Some(0), |number| number.parse().ok());
            stack.push((function_of(&nodes, field(text, "scope")?)?.to_string(), number("line")?, number("column")?));
            next = field(text, "inlinedAt");
        }
        *calls.entry((callee.to_string(), stack)).or_default() += 1;
    }
    Some(calls)
}

/// The direct calls of an object for x86-64: what is called, and an address within the call's instruction as the linked program has it.
fn calls_of_object(object: &Path, program: &Path) -> Result<Vec<(String, u64)>, Failure> {
    let linked = std::fs::read(program)?;
    let linked = object::File::parse(&*linked).map_err(|e| Failure::new(format!("{}: {e}", program.display())))?;
    let start = linked.section_by_name(".text").map_or(0, |text| text.address());
    let dump = succeed(limited(120, "llvm-objdump-19").args(["-d", "-r", "--no-show-raw-insn"]).arg(object))?.text();
    let lines: Vec<&str> = dump.lines().collect();
    let (mut calls, mut function) = (Vec::new(), "");
    for pair in lines.windows(2) {
        if let Some(name) = pair[0].strip_suffix(">:") {
            function = name.split_once('<').map_or("", |(_, name)| name);
        }
        let [instruction, relocation] = [pair[0].split_whitespace(), pair[1].split_whitespace()].map(Vec::from_iter);
        let [address, kind @ ("callq" | "jmp"), _, target, ..] = instruction[..] else { continue };
        // `<f>`, and from a relocation `f-0x4`.
        let named = match relocation[..] {
            [_, "R_X86_64_PLT32" | "R_X86_64_PC32", name] => name.split(['-', '+']).next(),
            // A jump within a function goes to a distance from its begin, or there.
            _ => target
                .strip_prefix('<')
                .and_then(|name| name.strip_suffix('>'))
                .filter(|name| !name.contains('+') && (*name != function || kind == "callq")),
        };
        let address = u64::from_str_radix(address.trim_end_matches(':'), 16);
        if let (Some(name), Ok(address)) = (named, address) {
            calls.push((name.to_string(), start + address + 1));
        }
    }
    Ok(calls)
}

/// What a tool says of addresses.
fn symbolized(tool: &str, options: &[&str], program: &Path, addresses: &str) -> Result<String, Failure> {
    let list = program.with_extension("addresses");
    std::fs::write(&list, addresses)?;
    let mut command = limited(120, tool);
    command.args(options).arg("-e").arg(program).arg(format!("@{}", list.display()));
    Ok(succeed(&mut command)?.text())
}

/// What the crate `addr2line` says of addresses: functions and lines, those of inlined code first.
fn symbolized_by_crate(program: &Path, addresses: impl Iterator<Item = u64>) -> Result<Vec<String>, Failure> {
    let wrong = |e: &dyn Display| Failure::new(format!("{}: {e}", program.display()));
    let bytes = std::fs::read(program)?;
    let file = object::File::parse(&*bytes).map_err(|e| wrong(&e))?;
    let section = |id: gimli::SectionId| {
        let section = file.section_by_name(id.name());
        section.map_or(Ok(&[][..]), |section| section.data()).map(|data| EndianSlice::new(data, LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(section).map_err(|e| wrong(&e))?;
    let context = addr2line::Context::from_dwarf(dwarf).map_err(|e| wrong(&e))?;
    let mut found = Vec::new();
    for address in addresses {
        let mut frames = context.find_frames(address).skip_all_loads().map_err(|e| wrong(&e))?;
        while let Some(frame) = frames.next().map_err(|e| wrong(&e))? {
            let name = frame.function.as_ref().map(|function| function.raw_name());
            let name = name.transpose().map_err(|e| wrong(&e))?.unwrap_or("?".into());
            found.push(format!("{name} {}", frame.location.and_then(|location| location.line).unwrap_or(0)));
        }
    }
    Ok(found)
}

/// Every direct call of sqlite, after inlining, has the stack of functions, lines and columns that the IR says, by LLVM's tool; GNU's and the
/// crate `addr2line` say the same functions and lines.
#[test]
fn addr2line_knows_all_calls() -> Result<(), Failure> {
    let folder = work_folder("debug_tools/calls");
    let unit = &corpus::sqlite()?.units[1];
    let text = ir(unit, Level::O1, &["-g"])?;
    let (object, program) = (folder.join("sqlite.o"), folder.join("sqlite"));
    succeed(limited(120, gusset()?).arg("compile").arg(&text).arg("-o").arg(&object))?;
    // A program that need not run: with addresses, of which an object has several that are equal.
    let options = ["--unresolved-symbols=ignore-all", "--noinhibit-exec", "-e", "0", "-o"];
    succeed(limited(60, "ld.lld-19").args(options).arg(&program).arg(&object))?;
    let calls = calls_of_object(&object, &program)?;
    let addresses: String = calls.iter().map(|call| format!("{:#x}\n", call.1)).collect();
    let llvm = symbolized("llvm-symbolizer-19", &["--basenames"], &program, &addresses)?;
    let mut found = Calls::new();
    let mut lines = Vec::new();
    for ((callee, _), said) in calls.iter().zip(llvm.split("\n\n")) {
        let said: Vec<&str> = said.lines().collect();
        let place = |pair: &[&str]| {
            let (place, column) = pair[1].rsplit_once(':')?;
            let (_, line) = place.rsplit_once(':')?;
            Some((pair[0].to_string(), line.parse().ok()?, column.parse().ok()?))
        };
        let stack: Option<Vec<_>> = said.chunks(2).map(place).collect();
        let stack = stack.ok_or_else(|| Failure::new(format!("the symbolizer says {said:?}")))?;
        lines.extend(stack.iter().map(|(name, line, _)| format!("{name} {line}")));
        *found.entry((callee.clone(), stack)).or_default() += 1;
    }
    let mut expected =
        calls_of_ir(&std::fs::read_to_string(&text)?).ok_or_else(|| Failure::new("the IR is not read"))?;
    assert!(expected.values().sum::<usize>() > 10_000, "{} calls", expected.len());
    // The others are of functions that instructions become.
    let known: BTreeSet<String> = expected.keys().map(|call| call.0.clone()).collect();
    let more = |a: &Calls, b: &Calls| -> Vec<String> {
        let lacks = |(call, count): &(&_, &usize)| b.get(*call).unwrap_or(&0) < *count;
        a.iter().filter(lacks).map(|((callee, stack), count)| format!("{count} × {callee} at {stack:?}")).collect()
    };
    let library = ["memcpy", "memset", "memmove"];
    found.retain(|(callee, _), _| known.contains(callee) && !library.contains(&callee.as_str()));
    expected.retain(|(callee, _), _| !library.contains(&callee.as_str()));
    let (lacking, surplus) = (more(&expected, &found), more(&found, &expected));
    if let [first, ..] = &[&lacking[..], &surplus[..]].concat()[..] {
        return Err(Failure::new(format!("{} are missing, {} too many: {first}", lacking.len(), surplus.len())));
    }
    let gnu = symbolized("addr2line", &["-i", "-f", "-s"], &program, &addresses)?;
    let gnu: Vec<&str> = gnu.lines().collect();
    let same = gnu.chunks(2).zip(&lines).filter(|(pair, expected)| {
        let line = pair[1].rsplit_once(':').map_or("", |(_, line)| line.split(' ').next().unwrap_or_default());
        **expected == format!("{} {}", pair[0], if line == "?" { "0" } else { line })
    });
    assert_eq!((same.count(), gnu.len() / 2), (lines.len(), lines.len()), "GNU's addr2line and LLVM's");
    let by_crate = symbolized_by_crate(&program, calls.iter().map(|call| call.1))?;
    let same = by_crate.iter().zip(&lines).filter(|(said, expected)| said == expected);
    assert_eq!((same.count(), by_crate.len()), (lines.len(), lines.len()), "the crate addr2line and LLVM's");
    Ok(())
}

/// A module with a struct of so many members, each of a type of its own that leads to another.
fn many_types(count: usize) -> String {
    let mut text = String::from(
        "define i32 @f(i32 %a) !dbg !3 {\n  #dbg_value(i32 %a, !4, !DIExpression(), !5)\n  ret i32 %a, !dbg !5\n}\n\
         !llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!6}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)\n\
         !1 = !DIFile(filename: \"a.c\", directory: \"/\")\n!2 = !DISubroutineType(types: !{null})\n\
         !3 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !2, spFlags: DISPFlagDefinition, unit: !0)\n\
         !4 = !DILocalVariable(name: \"v\", scope: !3, file: !1, line: 1, type: !8)\n!5 = !DILocation(line: 2, scope: !3)\n\
         !6 = !{i32 2, !\"Debug Info Version\", i32 3}\n!7 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n\
         !8 = !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", elements: !9)\n!9 = !{",
    );
    (0..count).for_each(|n| text += &format!("{}!{}", if n == 0 { "" } else { ", " }, 10 + 3 * n));
    text += "}\n";
    for n in 0..count {
        let [member, pointer, named] = [10, 11, 12].map(|first| first + 3 * n);
        text += &format!(
            "!{member} = !DIDerivedType(tag: DW_TAG_member, name: \"m{n}\", baseType: !{pointer}, size: 64)\n"
        );
        text += &format!("!{pointer} = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !{named}, size: 64)\n");
        text += &format!(
            "!{named} = !DIDerivedType(tag: DW_TAG_typedef, name: \"t{n}\", file: !1, line: {n}, baseType: !7)\n"
        );
    }
    text
}

/// Ten times as many types cost ten times as many instructions. `GUSSET_DEBUG_TYPES=1000000` has so many.
#[test]
fn cost_of_types_is_linear() -> Result<(), Failure> {
    let folder = work_folder("debug_tools/types");
    let most = number("GUSSET_DEBUG_TYPES", 1000);
    let instructions = |count: usize| -> Result<u64, Failure> {
        let (text, object) = (folder.join(format!("{count}.ll")), folder.join(format!("{count}.o")));
        std::fs::write(&text, many_types(count))?;
        let mut counted = limited(3000, "valgrind");
        counted.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(gusset()?);
        let said = succeed(counted.args(["compile", "--threads", "1"]).arg(&text).arg("-o").arg(&object))?.errors();
        succeed(limited(3000, "llvm-dwarfdump-19").args(["--verify", "--quiet"]).arg(&object))?;
        let number = said.split("Collected : ").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| Failure::new(said))
    };
    let [none, few, many] = [0, most / 10, most].map(instructions);
    let none = none?;
    let (few, many) = (few? - none, many? - none);
    eprintln!("{few} instructions for {} types, {many} for {most}", most / 10);
    assert!(many > few * 8 && many < few * 12, "{few} {many}");
    Ok(())
}

/// Reads behind the end of an array in a function that is inlined, and spends its time in a loop of one line.
const PROGRAM: &str = "\
#include <stdlib.h>
static inline __attribute__((always_inline)) int get(int *p, int i) {
  return p[i];
}
__attribute__((noinline)) int sum(int *p, int n) {
  int s = 0;
  for (int i = 0; i <= n; i++)
    s += get(p, i);
  return s;
}
__attribute__((noinline)) void work(volatile int *x, int n) {
  for (int i = 0; i < n; i++) *x += i;
}
int main(int argc, char **argv) {
  volatile int x = 0;
  if (argc > 1)
    work(&x, atoi(argv[1]));
  int *p = calloc(argc + 9, sizeof *p);
  int s = sum(p, argc + 9);
  return s == 12345;
}
";

/// The program by clang, and from its IR.
fn program(level: &str) -> Result<[PathBuf; 2], Failure> {
    let folder = work_folder(&format!("debug_tools/program{level}"));
    std::fs::write(folder.join("program.c"), PROGRAM)?;
    // valgrind understands only some of DWARF 5.
    debuggers::programs_of(&folder, Mode::Bits64, &[level, "-gdwarf-4"], Path::new("program.c"))
}

/// The lines that valgrind says have to do with a read behind the end of memory are those that it says of clang's program.
#[test]
fn valgrind_names_lines() -> Result<(), Failure> {
    for (level, expected) in [("-O0", ": get (program.c:3)"), ("-O1", ": main (program.c:19)")] {
        let mut all = Vec::new();
        for program in program(level)? {
            let said = run(limited(60, "valgrind").arg("--error-exitcode=7").arg(program))?;
            assert!(said.code == 7 && said.errors().contains("Invalid read of size 4"), "{}", said.errors());
            let lines = said.errors();
            // Behind the process's number and the address.
            let lines = lines.lines().filter(|line| line.contains("program.c")).map(|line| line.rsplit(": ").next());
            all.push(lines.map(|line| format!(": {}\n", line.unwrap_or_default())).collect::<String>());
        }
        assert!(all[0].contains(expected), "{}", all[0]);
        tools::same_lines(&all[0], &all[1]).map_err(|failure| failure.at(level))?;
    }
    Ok(())
}

/// perf finds the line in which a program spends its time. Not all systems have it, or let it measure.
#[test]
fn perf_names_lines() -> Result<(), Failure> {
    let [_, program] = program("-O1")?;
    let data = program.with_extension("data");
    let mut record = limited(60, "perf");
    record.args(["record", "-q", "-e", "cpu-clock", "-o"]).arg(&data).arg(&program).arg("300000000");
    let recorded = run(&mut record)?;
    if recorded.code != 0 {
        // Past the test harness, which hides what passing tests print.
        writeln!(std::io::stderr(), "perf is not there, or may not measure: {}", recorded.errors())?;
        return Ok(());
    }
    let mut report = limited(60, "perf");
    report.args(["report", "--stdio", "-F", "overhead,sym,srcline", "-i"]).arg(&data);
    let text = succeed(&mut report)?.text();
    let first = text.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty()).unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    assert!(matches!(words[..], [_, "[.]", "work", "program.c:12"]), "{text}");
    Ok(())
}
