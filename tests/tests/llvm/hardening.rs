//! Protection against speculation: thunks of calls and returns, jumps that look like returns, barriers. llc says where they are, and
//! programs run with them.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::objects;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, llc, same_lines, succeed, work_folder};

use crate::forms::object_of_all_forms;

/// Calls and jumps by address, direct calls, returns, a switch.
const FUNCTIONS: &str = "
declare i32 @g(i32)
declare i32 @eager(i32) nonlazybind
define i32 @call(ptr %f, i32 %x) #0 {
  %r = call i32 %f(i32 %x)
  %s = add i32 %r, 1
  ret i32 %s
}
define i32 @tail(ptr %f, i32 %x) #0 {
  %r = tail call i32 %f(i32 %x)
  ret i32 %r
}
define i32 @named(i32 %x) #0 {
  %a = call i32 @eager(i32 %x)
  %b = call i32 @g(i32 %a)
  ret i32 %b
}
define void @nothing() #0 {
  ret void
}
";

const JUMPS: &str = "
define i32 @jump(i32 %i, i32 %x, i32 %y) #0 {
  %at = getelementptr ptr, ptr @targets, i32 %i
  %to = load ptr, ptr %at
  indirectbr ptr %to, [label %a, label %b]
a:
  ret i32 %x
b:
  ret i32 %y
}
@targets = internal constant [2 x ptr] [ptr blockaddress(@jump, %a), ptr blockaddress(@jump, %b)]
define i32 @choose(i32 %x) #0 {
  switch i32 %x, label %d [i32 0, label %a
    i32 1, label %b
    i32 2, label %c
    i32 3, label %e
    i32 4, label %f]
a:
  ret i32 7
b:
  ret i32 99
c:
  ret i32 8
e:
  ret i32 1
f:
  ret i32 33
d:
  ret i32 2
}
";

const MAIN: &str = "
define internal i32 @twice(i32 %x) {
  %r = add i32 %x, %x
  ret i32 %r
}
define i32 @main() {
  %a = call i32 @call(ptr @twice, i32 4)
  %b = call i32 @tail(ptr @twice, i32 %a)
  %c = call i32 @jump(i32 0, i32 %b, i32 0)
  %d = call i32 @jump(i32 1, i32 0, i32 %c)
  %e = call i32 @choose(i32 3)
  %f = call i32 @choose(i32 9)
  %g = mul i32 %d, %e
  %h = add i32 %g, %f
  %right = icmp ne i32 %h, 20
  call void @nothing()
  %r = zext i1 %right to i32
  ret i32 %r
}
";

/// A module with what asks for protection in its functions' attributes, and a module flag.
fn module(functions: &[&str], features: &str, words: &str, flag: Option<&str>) -> String {
    let mut text = functions.concat();
    let _ = writeln!(text, "attributes #0 = {{ nounwind {words} \"target-features\"=\"{features}\" }}");
    if let Some(flag) = flag {
        let _ = writeln!(text, "!llvm.module.flags = !{{!0}}\n!0 = !{{i32 4, !\"{flag}\", i32 1}}");
    }
    text
}

/// The branches out of functions, the barriers and the code of thunks, with what they refer to.
fn branches(object: &Path, with_prefixes: bool) -> Result<String, Failure> {
    let mut dump = limited(20, "llvm-objdump-19");
    dump.args(["-dr", "--no-show-raw-insn", "--no-leading-addr"]).arg(object);
    let (text, mut used, mut thunk) = (succeed(&mut dump)?.text(), HashSet::new(), false);
    let mut functions: Vec<(String, String)> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('<').and_then(|line| line.strip_suffix(">:")) {
            // The thunk's register is what the compiler prefers.
            thunk = name.contains("retpoline") || name.contains("thunk");
            functions.push((name.to_string(), String::new()));
            continue;
        }
        let Some((_, body)) = functions.last_mut() else { continue };
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or_default();
        let operand = words.next().unwrap_or_default();
        let is_padding = word.starts_with("nop") || operand.starts_with("nop");
        match word {
            _ if is_padding || word.is_empty() || word == "Disassembly" => {}
            "call" | "callq" | "calll" | "jmp" | "jmpq" | "jmpl" | "bl" | "b" if !operand.starts_with('*') => {
                body.push_str(&format!("{}\n", word.trim_end_matches(['q', 'l'])));
            }
            "cs" if with_prefixes => body.push_str("cs\n"),
            _ if word.starts_with("R_") || word.starts_with("IMAGE_REL") => {
                let of_branch =
                    word.contains("PLT") || word.contains("CALL") || word.contains("JUMP") || word.contains("REL32");
                if of_branch || word.contains("PC32") {
                    let name = operand.trim_end_matches("-0x4");
                    used.insert(name.to_string());
                    body.push_str(&format!("{}\n", unnumbered(name)));
                }
            }
            // ARM's returns and jumps by address.
            "bx" | "pop" | "pop.w" | "mov" | "ldr" | "ldm" | "ldm.w"
                if word == "bx" || line.contains("pc}") || operand == "pc," =>
            {
                body.push_str("leave\n");
            }
            "ret" | "retq" | "retl" | "int3" | "dsb" | "isb" | "br" | "blr" => body.push_str(&format!("{word}\n")),
            _ if thunk => body.push_str(&format!("{}\n", line.replace("x9", "x8").replace('\t', " "))),
            _ => {}
        }
    }
    // llc defines thunks for registers that it does not use, too.
    functions.retain(|(name, _)| !(name.contains("_thunk_") || name.contains("retpoline")) || used.contains(name));
    functions.sort();
    let mut bodies: Vec<String> =
        functions.iter().map(|(name, body)| format!("{}:\n{body}", unnumbered(name))).collect();
    bodies.dedup();
    Ok(bodies.concat())
}

/// The name of a thunk without its register.
fn unnumbered(name: &str) -> String {
    match name.contains("slsblr") {
        true => format!("{}N", name.trim_end_matches(|c: char| c.is_ascii_digit())),
        false => name.to_string(),
    }
}

fn objects_of(folder: &Path, name: &str, triple: &str, text: &str, options: &[&str]) -> Result<[PathBuf; 2], Failure> {
    let path = |end: &str| folder.join(format!("{name}.{end}"));
    std::fs::write(path("ll"), text)?;
    let [by_llc, by_gusset] = ["llc.o", "o"].map(path);
    let triple = format!("-mtriple={triple}");
    let made = |mut command: std::process::Command, out: &Path| {
        succeed(command.args(["-filetype=obj", "-O0", &triple]).args(options).arg(path("ll")).arg("-o").arg(out))
    };
    made(limited(20, llc()), &by_llc)?;
    let mut command = limited(20, gusset()?);
    command.arg("llc");
    made(command, &by_gusset)?;
    Ok([by_llc, by_gusset])
}

/// Triple, features, attributes, module flag.
const CASES: &[(&str, &str, &str, Option<&str>)] = &[
    ("x86_64-linux-gnu", "+retpoline", "", None),
    ("x86_64-linux-gnu", "+retpoline-external-thunk", "", Some("indirect_branch_cs_prefix")),
    ("x86_64-linux-gnu", "+harden-sls-ijmp,+harden-sls-ret", "", None),
    ("x86_64-linux-gnu", "+harden-sls-ret", "fn_ret_thunk_extern", Some("indirect_branch_cs_prefix")),
    ("x86_64-linux-gnu", "+retpoline-external-thunk,-retpoline-external-thunk", "fn_ret_thunk_extern", None),
    ("x86_64-pc-windows-msvc", "+retpoline-indirect-calls,+harden-sls-ret", "", None),
    ("i686-pc-windows-msvc", "+retpoline-indirect-calls", "", None),
    ("i686-linux-gnu", "+retpoline-external-thunk,+harden-sls-ret", "", None),
    ("i686-linux-gnu", "+harden-sls-ijmp", "fn_ret_thunk_extern", Some("indirect_branch_cs_prefix")),
    ("aarch64-linux-gnu", "+harden-sls-blr", "", None),
    ("aarch64-linux-gnu", "+harden-sls-retbr", "", None),
    ("armv7a-linux-gnueabihf", "+harden-sls-retbr,+harden-sls-blr", "", None),
    ("thumbv7a-linux-gnueabihf", "+harden-sls-retbr,+harden-sls-blr", "", None),
];

#[test]
fn branches_are_those_of_llc() -> Result<(), Failure> {
    let folder = work_folder("hardening");
    let results = parallel::map(CASES.len(), |i| {
        let (triple, features, words, flag) = CASES[i];
        let mut text = module(&[FUNCTIONS], features, words, flag);
        if triple.starts_with("i686") {
            // There llc calls such functions like others, unless code may be loaded anywhere.
            text = text.replace(" nonlazybind", "");
        }
        let [by_llc, by_gusset] = objects_of(&folder, &format!("{i}"), triple, &text, &["-relocation-model=static"])?;
        let prefixed = flag.is_some();
        let (expected, got) = (branches(&by_llc, prefixed)?, branches(&by_gusset, prefixed)?);
        same_lines(&expected, &got).map_err(|f| f.at(format!("{triple} {features} {words}")))?;
        // The text says the same.
        let mut compile = limited(20, gusset()?);
        compile.args(["compile", "--emit", "asm", "--target", triple, "-o", "-"]).arg(folder.join(format!("{i}.ll")));
        let assembled = objects::assemble(triple, &succeed(&mut compile)?.text())?;
        let mut compile = limited(20, gusset()?);
        compile.args(["compile", "--target", triple, "-o", "-"]).arg(folder.join(format!("{i}.ll")));
        let object = succeed(&mut compile)?.stdout;
        let found = match triple.contains("windows") {
            true => gusset_tests::coff::differences(&object, &assembled)?,
            false => objects::differences(&object, &assembled)?,
        };
        if found.is_empty() { Ok(()) } else { Err(Failure::new(found.join("\n")).at(triple)) }
    });
    results.into_iter().collect()
}

/// The options of llc are obeyed in functions that say nothing, too.
#[test]
fn options_of_llc() -> Result<(), Failure> {
    let folder = work_folder("hardening");
    let text = FUNCTIONS.replace("#0", "nounwind");
    for (i, (triple, features)) in [
        ("x86_64-linux-gnu", "-mattr=+retpoline-indirect-calls,+harden-sls-ret"),
        ("aarch64-linux-gnu", "-mattr=+harden-sls-retbr"),
        ("armv7a-linux-gnueabihf", "-mattr=+harden-sls-retbr"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("option{i}");
        let [by_llc, by_gusset] = objects_of(&folder, &name, triple, &text, &["-relocation-model=static", features])?;
        same_lines(&branches(&by_llc, false)?, &branches(&by_gusset, false)?)?;
    }
    Ok(())
}

#[test]
fn programs_run() -> Result<(), Failure> {
    let folder = work_folder("hardening");
    let cases = [
        (Mode::Bits64, "+retpoline,+harden-sls-ret", "fn_ret_thunk_extern"),
        (Mode::Bits64, "+harden-sls-ret,+harden-sls-ijmp", ""),
        (Mode::Bits32, "+retpoline", "fn_ret_thunk_extern"),
        (Mode::Aarch64, "+harden-sls-blr,+harden-sls-retbr", ""),
        (Mode::A32, "+harden-sls-blr,+harden-sls-retbr", ""),
        (Mode::T32, "+harden-sls-blr,+harden-sls-retbr", ""),
    ];
    for (i, (mode, features, words)) in cases.into_iter().enumerate() {
        let text = module(&[FUNCTIONS, JUMPS, MAIN], features, words, None);
        let (ir, object, program) =
            (folder.join(format!("run{i}.ll")), folder.join(format!("run{i}.o")), folder.join(format!("run{i}")));
        let others = "define i32 @g(i32 %x) {\n  ret i32 %x\n}\ndefine i32 @eager(i32 %x) {\n  ret i32 %x\n}\n";
        let text = text.replace("declare i32 @g(i32)\ndeclare i32 @eager(i32) nonlazybind\n", others);
        std::fs::write(&ir, text)?;
        let rest = folder.join(format!("rest{i}.s"));
        std::fs::write(
            &rest,
            if words.is_empty() { "" } else { ".globl __x86_return_thunk\n__x86_return_thunk: ret\n" },
        )?;
        let mut compile = limited(20, gusset()?);
        compile.args(["compile", "--verify", "--target", mode.triple()]).args(mode.gusset_flags());
        succeed(compile.arg(&ir).arg("-o").arg(&object))?;
        mode.link(&[object, rest], &["-no-pie"], &program)?;
        succeed(&mut mode.runner(20, &program)).map_err(|f| f.at(format!("{features} {words}")))?;
    }
    Ok(())
}

/// Functions with a shadow call stack: leaves, tail calls, saved registers, exits in several places.
const SHADOWED: &str = "
declare i32 @depth()
define i32 @leaf(i32 %x) shadowcallstack uwtable {
  ret i32 %x
}
define i32 @jump() shadowcallstack uwtable {
  %r = tail call i32 @depth()
  ret i32 %r
}
define i32 @down(i32 %n) shadowcallstack uwtable {
  %end = icmp eq i32 %n, 0
  br i1 %end, label %yes, label %no
yes:
  %d = call i32 @depth()
  ret i32 %d
no:
  %m = sub i32 %n, 1
  %a = call i32 @down(i32 %m)
  %b = call i32 @leaf(i32 %a)
  %c = call i32 @leaf(i32 %n)
  %e = sub i32 %c, %n
  %r = add i32 %b, %e
  ret i32 %r
}
";

/// Lines about the shadow call stack, each once: there may be several exits.
fn shadow_lines(text: &str) -> String {
    let of_stack = |line: &&str| {
        let is_file = line.starts_with(".cfi_restore ") && line.ends_with("18");
        line.contains("x18") || line.contains(".cfi_escape") || is_file || line.ends_with(':') && !line.contains('.')
    };
    let plain = |line: &str| format!("{}\n", line.replace('\t', " ").replace(" w18", " 18"));
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or("").trim()).filter(of_stack).map(plain);
    let mut seen = HashSet::new();
    lines.filter(|line| seen.insert(line.clone())).collect()
}

#[test]
fn shadow_call_stacks() -> Result<(), Failure> {
    let folder = work_folder("hardening");
    let (ir, triple) = (folder.join("shadow.ll"), "aarch64-linux-android");
    std::fs::write(&ir, SHADOWED)?;
    let judge = succeed(limited(20, llc()).args(["-o", "-", &format!("-mtriple={triple}")]).arg(&ir))?;
    let compile = |triple: &str, options: &[&str]| {
        let mut command = limited(20, gusset()?);
        command.args(["compile", "--verify", "--target", triple]).args(options).arg(&ir);
        succeed(&mut command)
    };
    let text = compile(triple, &["--emit", "asm", "-o", "-"])?.text();
    same_lines(&shadow_lines(&judge.text()), &shadow_lines(&text))?;
    let object = compile(triple, &["-o", "-"])?.stdout;
    let found = objects::differences(&object, &objects::assemble(triple, &text)?)?;
    assert!(found.is_empty(), "{}", found.join("\n"));

    // The return address is on that stack once for each call.
    let (object, stub, program) = (folder.join("shadow.o"), folder.join("shadow.s"), folder.join("shadow"));
    let main = ".globl main, depth\nmain: stp x29, x30, [sp, #-16]!\nadr x18, stack\nmov w0, #5\nbl down\nldp x29, x30, [sp], #16\n\
                adr x1, stack\ncmp x1, x18\nb.ne 1f\ncmp w0, #48\nb.ne 1f\nmov w0, #0\nret\n1: mov w0, #1\nret\n\
                depth: adr x0, stack\nsub x0, x18, x0\nret\n.data\n.p2align 3\nstack: .zero 256\n";
    std::fs::write(&stub, main.replace("adr x", "ldr x").replace(", stack", ", =stack"))?;
    std::fs::write(&ir, SHADOWED.replace("uwtable", "uwtable \"target-features\"=\"+reserve-x18\""))?;
    compile(Mode::Aarch64.triple(), &["-o", &object.to_string_lossy()])?;
    Mode::Aarch64.link(&[object, stub], &[], &program)?;
    succeed(&mut Mode::Aarch64.runner(20, &program))?;

    // Elsewhere, and where the register is in use, it is refused by name.
    std::fs::write(&ir, SHADOWED)?;
    for triple in ["x86_64-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf", "aarch64-pc-windows-msvc"] {
        let said = compile(triple, &["-o", "/dev/null"]).err().map_or_else(String::new, |f| f.to_string());
        assert_eq!(said.matches("the attribute `shadowcallstack` is not supported").count(), 3, "{triple}: {said}");
    }
    Ok(())
}

/// Room for patches is a number of instructions, whatever their length.
#[test]
fn room_for_patches() -> Result<(), Failure> {
    let folder = work_folder("hardening");
    let text = "define i32 @f(i32 %n) nounwind \"patchable-function-entry\"=\"2\" \"patchable-function-prefix\"=\"3\" {\n  ret i32 %n\n}\n\
                define i32 @g(i32 %n) nounwind \"patchable-function-entry\"=\"4\" \"branch-target-enforcement\" {\n  ret i32 %n\n}\n";
    let dump = |object: &Path, what: &str| {
        let mut dump = limited(20, "llvm-objdump-19");
        dump.args([what, "-r", "-j", ".text", "-j", "__patchable_function_entries"]).arg(object);
        let text = succeed(&mut dump)?.text();
        // The file and labels of its own have other names.
        let of_interest = |line: &&str| !line.ends_with("<.text>:") && !line.contains("<.L");
        let lines = text.lines().skip(2).filter(of_interest);
        Ok::<_, Failure>(lines.map(|line| format!("{line}\n")).collect::<String>())
    };
    let [by_llc, by_gusset] = objects_of(&folder, "room", "aarch64-linux-gnu", text, &[])?;
    same_lines(&dump(&by_llc, "-s")?, &dump(&by_gusset, "-s")?)?;
    // llc makes room for another tool on ARM.
    let text = text.replace("\"branch-target-enforcement\"", "");
    for (triple, bytes) in [("armv7-linux-gnueabihf", 4), ("thumbv7-linux-gnueabihf", 2)] {
        std::fs::write(folder.join("room.ll"), &text)?;
        let object = folder.join(format!("room-{triple}.o"));
        let mut compile = limited(20, gusset()?);
        compile.args(["compile", "--target", triple, "-o"]).arg(&object).arg(folder.join("room.ll"));
        succeed(&mut compile)?;
        let text = dump(&object, "-d")?;
        let nops = text.lines().filter(|line| line.trim_end().ends_with("nop")).count();
        let place = |name: &str| {
            let line = text.lines().find(|line| line.ends_with(&format!("<{name}>:"))).unwrap_or_default();
            u64::from_str_radix(line.split(' ').next().unwrap_or_default(), 16).unwrap_or(u64::MAX)
        };
        assert!(nops == 6 && place("f") == 3 * bytes, "{triple}: {text}");
    }
    Ok(())
}

/// Calls whose functions must have a type by number (kernel control-flow integrity), beside functions with and without numbers.
const TYPED: &str = "
define i32 @double(i32 %x) PREFIX !kcfi_type !1 {
  %r = add i32 %x, %x
  ret i32 %r
}
define internal i32 @other(i32 %x) PREFIX !kcfi_type !2 {
  ret i32 %x
}
define i32 @untyped(i32 %x) PREFIX {
  ret i32 %x
}
define i32 @call(ptr %f, i32 %x) PREFIX !kcfi_type !3 {
  %r = call i32 %f(i32 %x) [ \"kcfi\"(i32 305419896) ]
  %s = add i32 %r, 1
  ret i32 %s
}
define i32 @tail(ptr %f, i32 %x) PREFIX {
  %r = tail call i32 %f(i32 %x) [ \"kcfi\"(i32 -19088744) ]
  ret i32 %r
}
define i32 @direct(i32 %x) PREFIX {
  %r = call i32 @other(i32 %x) [ \"kcfi\"(i32 305419896) ]
  ret i32 %r
}
define i32 @main(i32 %count) PREFIX {
  %right = icmp eq i32 %count, 1
  %f = select i1 %right, ptr @double, ptr @other
  %a = call i32 @call(ptr %f, i32 4)
  %b = call i32 @tail(ptr @other, i32 %a)
  %c = call i32 @direct(i32 %b)
  %d = sub i32 %c, 9
  ret i32 %d
}
!llvm.module.flags = !{!0}
!0 = !{i32 4, !\"kcfi\", i32 1}
!1 = !{i32 305419896}
!2 = !{i32 -19088744}
!3 = !{i32 7}
";

/// What is about types, without the registers that a compiler chooses, and the bytes of the list of traps.
fn type_lines(object: &Path) -> Result<String, Failure> {
    let mut dump = limited(20, "llvm-objdump-19");
    dump.args(["-d", "-z", "--no-show-raw-insn", "--no-leading-addr"]).arg(object);
    let (mut found, mut function) = (Vec::new(), String::new());
    for line in succeed(&mut dump)?.text().lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('<').and_then(|line| line.strip_suffix(">:")) {
            function = name.to_string();
            continue;
        }
        let line = line.split(['/', '#']).next().unwrap_or("").trim().replace('\t', " ");
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let operand = rest.trim();
        let said = match word {
            "nop" if function.starts_with("__cfi_") => word.to_string(),
            "movl" if operand.starts_with('$') && (operand.ends_with("%eax") || operand.ends_with("%r10d")) => {
                line.clone()
            }
            "addl" if operand.starts_with("-0x") => format!("addl {}", operand.split('(').next().unwrap_or("")),
            "movk" => format!("movk {}", operand.split_once(',').map_or("", |(_, number)| number)),
            "ldur" => format!("ldur {}", operand.rsplit(',').next().unwrap_or("")),
            ".word" if operand.len() > 3 => line.clone(),
            "ud2" | "brk" => word.to_string(),
            _ => continue,
        };
        if word != "movl" || function != "main" && function != "direct" {
            found.push(format!("{function}: {said}\n"));
        }
        // Room for patches follows.
        if word == "movl" && function.starts_with("__cfi_") {
            function.clear();
        }
    }
    found.sort();
    let mut list = limited(20, "llvm-readobj-19");
    let text = succeed(list.args(["--section-relocations", "-r"]).arg(object))?.text();
    let lists = text.split("Section (").filter(|section| section.contains(".kcfi_traps"));
    let traps: usize = lists.map(|list| list.matches(" R_X86_64_PC32 .text").count()).sum();
    found.push(format!("{traps} traps\n"));
    Ok(found.concat())
}

#[test]
fn types_by_number() -> Result<(), Failure> {
    let folder = work_folder("hardening");
    for triple in ["x86_64-linux-gnu", "aarch64-linux-gnu"] {
        for (name, prefix) in [("plain", ""), ("patched", "\"patchable-function-prefix\"=\"3\"")] {
            let (text, name) = (TYPED.replace("PREFIX", prefix), format!("types-{name}-{triple}"));
            let [by_llc, by_gusset] = objects_of(&folder, &name, triple, &text, &[])?;
            let (expected, got) = (type_lines(&by_llc)?, type_lines(&by_gusset)?);
            assert!(expected.lines().count() > 8, "{expected}");
            assert_eq!(got, expected, "{name}");
            object_of_all_forms(&folder.join(format!("{name}.ll")), triple)?;
        }
    }
    for mode in [Mode::Bits64, Mode::Aarch64] {
        let path = |end: &str| folder.join(format!("types{mode:?}.{end}"));
        std::fs::write(path("ll"), TYPED.replace("PREFIX", ""))?;
        let mut compile = limited(20, gusset()?);
        compile.args(["compile", "--verify", "--target", mode.triple()]).arg(path("ll")).arg("-o").arg(path("o"));
        succeed(&mut compile)?;
        mode.link(&[path("o")], &["-no-pie"], &path("exe"))?;
        succeed(&mut mode.runner(20, &path("exe")))?;
        // A function of another type.
        let trapped = gusset_tests::tools::run(mode.runner(20, &path("exe")).arg("wrong"))?;
        assert!(trapped.code > 128, "{mode:?}: {}", trapped.code);
    }
    Ok(())
}

/// Before version 7, ARM has no such barriers; each reader says so.
#[test]
fn protection_that_is_missing_is_refused() -> Result<(), Failure> {
    let folder = work_folder("hardening");
    let (ir, bitcode, mlir) = (folder.join("missing.ll"), folder.join("missing.bc"), folder.join("missing.mlir"));
    let cases = [
        ("target-features", "+harden-sls-retbr", "`harden-sls-retbr`"),
        ("target-features", "+harden-sls-blr", "`harden-sls-blr`"),
    ];
    for (name, value, message) in cases {
        std::fs::write(&ir, format!("define void @f() \"{name}\"=\"{value}\" {{\n  ret void\n}}\n"))?;
        succeed(limited(20, "llvm-as-19").arg(&ir).arg("-o").arg(&bitcode))?;
        let attribute = format!("passthrough = [[\"{name}\", \"{value}\"]]");
        std::fs::write(&mlir, format!("llvm.func @f() attributes {{{attribute}}} {{\n  llvm.return\n}}\n"))?;
        for triple in ["armv6-linux-gnueabihf", "armv5te-none-eabi"] {
            for input in [&ir, &bitcode, &mlir] {
                let mut compile = limited(20, gusset()?);
                compile.args(["compile", "--target", triple]).arg(input).arg("-o").arg(folder.join("missing.o"));
                let outcome = gusset_tests::tools::run(&mut compile)?;
                let named = outcome.errors().contains(message) && outcome.errors().contains("version 7");
                assert!(outcome.code == 1 && named, "{triple} {name}: {}", outcome.errors());
            }
        }
    }
    Ok(())
}
