//! `docs/target-features.md` says what becomes of each of LLVM's features: it is made of the tables that compilation decides by
//! (`BLESS=1` writes it anew), has what `llc` has, and is true of `.ll`, of MLIR and of the command line.

use std::fmt::Write;

use gusset::{Features, Form, Options, Source, Target, TranslateOptions};
use gusset_abi::Arch;
use gusset_abi::features::{Meaning, Request, meaning, names};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, llc, root, run, succeed, work_folder};

/// Architectures with their titles, and triples on which every feature may be asked for.
const MACHINES: &[(Arch, &str, &str)] = &[
    (Arch::X86_64, "x86 and x86-64", "x86_64-linux-gnu"),
    (Arch::Aarch64, "AArch64", "aarch64-linux-gnu"),
    (Arch::Arm, "ARM", "armv7-linux-gnueabi"),
];

/// Names that LLVM 19 does not have.
const LATER: &[(Arch, &str)] = &[(Arch::Aarch64, "execute-only")];

fn said(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Refused => "refused",
        Meaning::Chooses => "chooses",
        Meaning::Allows => "allows",
        Meaning::Tunes => "tunes",
        Meaning::Done(request) => match request {
            Request::HalfVectors => "done: vectors of `half` are passed whole",
            Request::BrainVectors => "done: vectors of `bfloat` are passed whole",
            Request::WideVectors => "done: vectors that travel in wider registers are errors",
            Request::NoFloats => "done, as `noimplicitfloat`; values that travel in such registers are errors",
            Request::ScalarFloats => "done, as `noimplicitfloat`; vectors as arguments and results are errors",
            Request::NoVectors => "done: no vectors in registers",
            Request::SoftFloat => "done; on ARM of all the module's functions",
            Request::StrictAlignment => "done: accesses are aligned",
            Request::ReservePlatformRegister => "done: the register is the platform's",
            Request::OutlineAtomics => "done: functions of the library",
            Request::TaggedGlobals => "done, of all: addresses of variables from the global offset table",
            Request::SeparateProducts => "done, of all: `nop` before products with sums",
            Request::LongCalls => "done, of all: calls by registers",
            Request::NoMovt => "done, of all: addresses are constants near the code",
            Request::ExecuteOnly => "done: if one function asks for it, no code has data beside it",
            Request::Harden(_) => "done",
            Request::Thread(_) => "done, of all: where the thread's data is",
        },
    }
}

const HEAD: &str = "# Target features

LLVM's features of processors (`llc -mattr=help`) and what becomes of each, in the attribute `\"target-features\"` of a function in `.ll`
and MLIR (`target_features`, `passthrough`) and in `--attr`. What changes code is done or refused:

| word | means |
|---|---|
| done | code is made so. *Of all*: the functions of a module that say their features must agree in it, and those that say none go along |
| refused | an error, since the code that it asks for is not made |
| chooses | `--attr` and `--cpu` have instructions chosen by it; a function that says it allows them, and does not get them |
| allows | it allows instructions that are not made of anything, but may be named by intrinsics |
| tunes | it says what is fast, or something that nobody sees who runs the code; the triple says which instruction set code is in |

What is switched off is not used unless the command line has switched it on, or is what the third column says. Names that LLVM does not
know are passed over in functions, as LLVM does, and errors in `--attr`. On ARM, functions that say their features, and not where the
thread pointer is (`read-tp-…`), have the library find it, as LLVM does. Code for ARM is for one floating-point unit, which the command
line decides, but for `soft-float`. In A32 `--attr` takes `aapcs-frame-chain`: frame pointers point to such records in any case.
";

fn document() -> String {
    let mut text = HEAD.to_string();
    for &(arch, title, _) in MACHINES {
        let _ = write!(text, "\n## {title}\n\n| feature | on | off |\n|---|---|---|\n");
        for name in names(arch) {
            let [on, off] = [true, false].map(|on| meaning(arch, name, on));
            let off = off.filter(|off| matches!(off, Meaning::Done(_))).map_or("", said);
            let _ = writeln!(text, "| `{name}` | {} | {off} |", on.map_or("", said));
        }
    }
    text
}

#[test]
fn the_document_is_made_of_the_tables() -> Result<(), Failure> {
    let path = root().join("docs/target-features.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, document())?;
    }
    assert!(std::fs::read_to_string(&path)? == document(), "BLESS=1 writes docs/target-features.md anew");
    Ok(())
}

#[test]
fn the_tables_have_what_llc_has() -> Result<(), Failure> {
    for &(arch, _, triple) in MACHINES {
        let mut judge = limited(20, llc());
        judge.args([&format!("-mtriple={triple}"), "-mattr=help", "-o", "-", "/dev/null"]);
        let help = run(&mut judge)?.errors();
        let (_, list) = help.split_once("Available features").ok_or_else(|| Failure::new(&help))?;
        let theirs: Vec<&str> =
            list.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
        assert!(theirs.len() > 150, "{triple}: {}", theirs.len());
        let mut ours = names(arch);
        ours.retain(|name| !LATER.contains(&(arch, name)));
        assert_eq!(ours, theirs, "{triple}");
    }
    Ok(())
}

fn target_of(triple: &str, features: &Features) -> Result<Target, Failure> {
    Target::from_triple(triple, features).map_err(|error| Failure::new(error.to_string()))
}

/// What comes of a module, as an object.
fn compiled(text: &str, mlir: bool, target: &Target) -> Result<Vec<u8>, String> {
    let source = Source { name: "x", text: text.as_bytes() };
    let options = Options::new();
    let made = match mlir {
        true => gusset::compile_mlir(source, target, &options, &mut |_| ()),
        false => gusset::compile_llvm(source, target, &options, &mut |_| ()),
    };
    made.map_err(|error| error.to_string())?.bytes.into_vec().map_err(|error| error.to_string())
}

/// Modules with a function that has a feature.
fn modules(feature: &str) -> [(String, bool); 3] {
    let list = format!("#llvm.target_features<[\"{feature}\"]>");
    [
        (format!("define void @f() \"target-features\"=\"{feature}\" {{\n  ret void\n}}\n"), false),
        (format!("llvm.func @f() attributes {{target_features = {list}}} {{\n  llvm.return\n}}\n"), true),
        (
            format!(
                "llvm.func @f() attributes {{passthrough = [[\"target-features\", \"{feature}\"]]}} {{\n  llvm.return\n}}\n"
            ),
            true,
        ),
    ]
}

#[test]
fn every_feature_gets_what_the_document_says() -> Result<(), Failure> {
    let mut problems = String::new();
    for &(arch, _, triple) in MACHINES {
        let target = target_of(triple, &Features::default())?;
        for name in names(arch).into_iter().chain(["no-such-feature"]) {
            for on in [true, false] {
                let feature = format!("{}{name}", if on { '+' } else { '-' });
                let refused = meaning(arch, name, on) == Some(Meaning::Refused);
                let mut check = |door: &str, outcome: Result<(), String>, refused: bool| {
                    let as_said = match &outcome {
                        Ok(()) => !refused,
                        Err(message) => refused && message.contains(&format!("`{name}`")),
                    };
                    if !as_said {
                        let _ = writeln!(problems, "{triple} {feature} {door}: {outcome:?}");
                    }
                };
                for (text, mlir) in modules(&feature) {
                    check(if mlir { "MLIR" } else { ".ll" }, compiled(&text, mlir, &target).map(drop), refused);
                }
                let by_line = Target::from_triple(triple, &Features::default().with(&feature)).map(drop);
                let by_line = by_line.map_err(|error| error.to_string());
                // What all code is made of cannot be switched off.
                let needed = by_line.as_ref().is_err_and(|m| m.contains("cannot be switched off"));
                let kept_in_a32 = name == "aapcs-frame-chain";
                check("--attr", by_line, refused && !kept_in_a32 || needed || meaning(arch, name, on).is_none());
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
    Ok(())
}

/// Code by which a feature is seen: triple, feature, the module's text before and after the attribute's group, and what the text of
/// `llc` and of Gusset has with the feature, and neither without.
const SEEN: &[(&str, &str, &str, &str)] = &[
    ("aarch64-linux-gnu", "+tpidr-el1", TLS, "tpidr_el1"),
    ("aarch64-linux-gnu", "+tpidr-el2", TLS, "tpidr_el2"),
    ("aarch64-linux-gnu", "+tpidr-el3", TLS, "tpidr_el3"),
    ("aarch64-linux-gnu", "+tpidrro-el0", TLS, "tpidrro_el0"),
    ("aarch64-linux-gnu", "+tpidr-el1", POINTER, "tpidr_el1"),
    ("aarch64-linux-android", "+tpidr-el1", GUARD, "tpidr_el1"),
    ("aarch64-linux-gnu", "+fix-cortex-a53-835769", PRODUCT, "nop"),
    ("armv7-linux-gnueabihf", "+read-tp-tpidrprw", TLS, "c13, c0, #4"),
    ("armv7-linux-gnueabihf", "+read-tp-tpidruro", TLS, "c13, c0, #3"),
    ("armv7-linux-gnueabihf", "+read-tp-tpidrurw", TLS, "c13, c0, #2"),
    ("thumbv7-linux-gnueabihf", "+read-tp-tpidrurw", TLS, "c13, c0, #2"),
    ("thumbv7em-none-eabihf", "+read-tp-tpidruro", TLS, "c13, c0, #3"),
    ("armv7-linux-gnueabihf", "+long-calls", CALL, "blx"),
    ("thumbv7-linux-gnueabihf", "+long-calls", CALL, "blx"),
    ("armv7-linux-gnueabi", "+soft-float", SUM, "__aeabi_dadd"),
    ("thumbv7-linux-gnueabi", "+soft-float", SUM, "__aeabi_dadd"),
    ("armv7-linux-gnueabi", "-fpregs", SUM, "__aeabi_dadd"),
    ("x86_64-linux-gnu", "+tagged-globals", CELL, "x@gotpcrel_norelax"),
];

const TLS: &str = "@x = thread_local(localexec) global i32 5
define i32 @f() #0 {
  %p = call ptr @llvm.threadlocal.address(ptr @x)
  %v = load i32, ptr %p
  ret i32 %v
}
";
const POINTER: &str = "define ptr @f() #0 {\n  %p = call ptr @llvm.thread.pointer()\n  ret ptr %p\n}\n";
const GUARD: &str = "declare void @g(ptr)\ndefine void @f() #0 sspreq {\n  %a = alloca [64 x i8]\n  call void @g(ptr %a)\n  ret void\n}\n";
const PRODUCT: &str = "define i64 @f(ptr %p, i64 %a, i64 %b) #0 {
  %x = load i64, ptr %p
  %m = mul i64 %a, %b
  %s = add i64 %m, %x
  ret i64 %s
}
";
const CALL: &str = "declare i32 @g(i32)\ndefine i32 @f(i32 %a) #0 {\n  %r = call i32 @g(i32 %a)\n  %s = add i32 %r, 1\n  ret i32 %s\n}\n";
const SUM: &str = "define double @f(double %a, double %b) #0 {\n  %r = fadd double %a, %b\n  ret double %r\n}\n";
const CELL: &str = "@x = internal global i32 5\ndefine i32 @f() #0 {\n  %v = load i32, ptr @x\n  store i32 7, ptr @x\n  ret i32 %v\n}\n";

#[test]
fn features_are_seen_in_code() -> Result<(), Failure> {
    let folder = work_folder("attributes/features");
    let results = parallel::map(SEEN.len(), |i| {
        let (triple, feature, text, sign) = SEEN[i];
        let mut problems = String::new();
        for (with, list) in [(true, feature), (false, "+no-such-feature")] {
            let path = folder.join(format!("{i}-{with}.ll"));
            std::fs::write(&path, format!("{text}attributes #0 = {{ \"target-features\"=\"{list}\" }}\n"))?;
            let mut judge = limited(20, llc());
            judge.args([&format!("-mtriple={triple}"), "-relocation-model=static", "-o", "-"]).arg(&path);
            let mut ours = limited(20, gusset()?);
            ours.args(["compile", "--no-pic", "--emit", "asm", "--target", triple, "-o", "-"]).arg(&path);
            for (who, command) in [("llc", judge), ("gusset", ours)] {
                let mut command = command;
                let text = succeed(&mut command)?.text().to_lowercase();
                if text.contains(sign) != with {
                    let _ = writeln!(problems, "{triple} {list}: {who} has not what is expected of `{sign}`\n{text}");
                }
            }
        }
        Ok(problems)
    });
    let problems = results.into_iter().collect::<Result<String, Failure>>()?;
    assert!(problems.is_empty(), "{problems}");
    Ok(())
}

/// Flags of modules that are seen in code: triple, flag, the module's text, and what the text of `llc` and of Gusset has with it, and
/// neither without.
const FLAGS: &[(&str, &str, &str, &str)] = &[
    ("x86_64-linux-gnu", USE_GOT, DYNAMIC, "*__tls_get_addr@gotpcrel(%rip)"),
    ("x86_64-linux-gnu", USE_GOT, LOCAL_DYNAMIC, "*__tls_get_addr@gotpcrel(%rip)"),
    ("x86_64-linux-gnu", USE_GOT, LIBRARY, "*fmod@gotpcrel(%rip)"),
    ("i686-linux-gnu", USE_GOT, DYNAMIC, "*___tls_get_addr@got(%ebx)"),
    ("i686-linux-gnu", USE_GOT, LOCAL_DYNAMIC, "*___tls_get_addr@got(%ebx)"),
    ("armv7-linux-gnueabihf", OF_THREAD, GUARD, "c13, c0, #3"),
    ("thumbv7-linux-gnueabihf", OF_THREAD, GUARD, "c13, c0, #3"),
    ("armv7-linux-gnueabihf", OF_THREAD, GUARD, ", #1296]"),
];

const USE_GOT: &str = "!llvm.module.flags = !{!0}\n!0 = !{i32 7, !\"RtLibUseGOT\", i32 1}\n";
const OF_THREAD: &str = "!llvm.module.flags = !{!0, !1}\n!0 = !{i32 1, !\"stack-protector-guard\", !\"tls\"}
!1 = !{i32 1, !\"stack-protector-guard-offset\", i32 1296}\n";
const DYNAMIC: &str = "@x = thread_local global i32 5\ndefine ptr @f() {
  %p = call ptr @llvm.threadlocal.address(ptr @x)
  ret ptr %p
}\n";
const LOCAL_DYNAMIC: &str = "@x = internal thread_local(localdynamic) global i32 5\ndefine ptr @f() {
  %p = call ptr @llvm.threadlocal.address(ptr @x)
  ret ptr %p
}\n";
const LIBRARY: &str = "define double @f(double %a, double %b) {\n  %r = frem double %a, %b\n  ret double %r\n}\n";

#[test]
fn flags_are_seen_in_code() -> Result<(), Failure> {
    let folder = work_folder("attributes/flags");
    let results = parallel::map(FLAGS.len(), |i| {
        let (triple, flag, text, sign) = FLAGS[i];
        let mut problems = String::new();
        for with in [true, false] {
            let path = folder.join(format!("{i}-{with}.ll"));
            let reads = "attributes #0 = { \"target-features\"=\"+read-tp-tpidruro\" }\n";
            let reads = if text == GUARD { reads } else { "" };
            std::fs::write(&path, format!("{text}{reads}{}", if with { flag } else { "" }))?;
            let mut judge = limited(20, llc());
            judge.args([&format!("-mtriple={triple}"), "-relocation-model=pic", "-o", "-"]).arg(&path);
            let mut ours = limited(20, gusset()?);
            ours.args(["compile", "--pic", "--emit", "asm", "--target", triple, "-o", "-"]).arg(&path);
            for (who, mut command) in [("llc", judge), ("gusset", ours)] {
                let text = succeed(&mut command)?.text().to_lowercase();
                if text.contains(sign) != with {
                    let _ = writeln!(problems, "{triple} {with}: {who} has not what is expected of `{sign}`\n{text}");
                }
            }
        }
        Ok(problems)
    });
    let problems = results.into_iter().collect::<Result<String, Failure>>()?;
    assert!(problems.is_empty(), "{problems}");
    Ok(())
}

/// Functions that say nothing go along with the others; those that say different things are an error.
#[test]
fn functions_of_a_module_agree() -> Result<(), Failure> {
    let target = target_of("aarch64-linux-gnu", &Features::default())?;
    let module = |second: &str| {
        format!(
            "{TLS}define void @g() {second} {{\n  ret void\n}}\nattributes #0 = {{ \"target-features\"=\"+tpidr-el1\" }}\n"
        )
    };
    for second in ["", "#0", "\"target-features\"=\"+neon,+tpidr-el1\""] {
        assert_eq!(compiled(&module(second), false, &target).map(drop), Ok(()), "{second}");
    }
    let error = compiled(&module("\"target-features\"=\"+neon\""), false, &target).unwrap_err();
    assert!(error.contains("x:7:") && error.contains("the features of this function"), "{error}");
    // What `--attr` says holds for all.
    let told = target_of("aarch64-linux-gnu", &Features::default().with("+tpidr-el2"))?;
    let text = compiled(&module("#0"), false, &told).map_err(Failure::new)?;
    let other = compiled(&module("#0"), false, &target).map_err(Failure::new)?;
    assert!(text != other, "tpidr_el2");
    Ok(())
}

/// Values of signatures whose registers a function's features switch off, which LLVM then passes elsewhere: a triple, features and
/// types that are refused, and types that are not.
const SWITCHED_OFF: &[(&str, &str, &[&str], &[&str])] = &[
    ("i686-linux-gnu", "-sse,-sse2", &["<4 x float>"], &["double", "i64", "float", "<2 x i64>"]),
    ("x86_64-linux-gnu", "-sse", &["<4 x float>", "double", "float"], &["i64", "x86_fp80", "i128", "<2 x i64>"]),
    ("x86_64-windows-msvc", "-sse", &["double", "float"], &["i64", "ptr"]),
    ("aarch64-linux-gnu", "-neon", &["<4 x float>", "<2 x i32>"], &["double", "i64", "i128"]),
];

/// They are one error, from either reader, of functions and of calls.
#[test]
fn values_without_registers_are_refused() -> Result<(), Failure> {
    for &(triple, features, refused, accepted) in SWITCHED_OFF {
        let target = target_of(triple, &Features::default())?;
        let types = refused.iter().map(|ty| (ty, true)).chain(accepted.iter().map(|ty| (ty, false)));
        for (ty, refused) in types {
            let text = format!(
                "declare void @g({ty})\ndefine {ty} @f({ty} %a) #0 {{\n  ret {ty} %a\n}}\n\
                 define void @h(ptr %p) #0 {{\n  %a = load {ty}, ptr %p\n  call void @g({ty} %a)\n  ret void\n}}\n\
                 attributes #0 = {{ \"target-features\"=\"{features}\" }}\n"
            );
            let source = Source { name: "x", text: text.as_bytes() };
            let mlir = gusset::translate(source, &TranslateOptions::new().form(Form::Mlir));
            let mlir = mlir.map_err(|error| Failure::new(error.to_string()))?;
            let mlir = String::from_utf8_lossy(&mlir.text).into_owned();
            for (text, mlir) in [(text, false), (mlir, true)] {
                let said = compiled(&text, mlir, &target).err().unwrap_or_default();
                let errors =
                    said.matches("have no registers for it").count() + said.matches("and the target has none").count();
                // One in each of two functions.
                let expected = if refused { 2 } else { 0 };
                assert!(errors == expected && said.matches("error: ").count() == expected, "{triple} {ty}: {said}");
            }
        }
    }
    Ok(())
}

/// Memory tags are not made: functions and variables that ask for them are errors, where LLVM makes them.
#[test]
fn memory_tags_are_refused() -> Result<(), Failure> {
    let triples = [("aarch64-linux-gnu", true), ("x86_64-linux-gnu", false)];
    for (triple, refused) in triples {
        let target = target_of(triple, &Features::default())?;
        let function = "define void @f() sanitize_memtag {\n  ret void\n}\n";
        let mlir = "llvm.func @f() attributes {passthrough = [\"sanitize_memtag\"]} {\n  llvm.return\n}\n";
        for (text, mlir) in [(function, false), (mlir, true)] {
            let outcome = compiled(text, mlir, &target);
            let as_said = match &outcome {
                Ok(_) => !refused,
                Err(message) => refused && message.contains("`sanitize_memtag`"),
            };
            assert!(as_said, "{triple}: {outcome:?}");
        }
        let variable = compiled("@x = global i32 5, sanitize_memtag\n", false, &target);
        assert!(variable.is_err_and(|message| message.contains("`sanitize_memtag`")), "{triple}");
    }
    Ok(())
}

/// The note says of AArch64's objects what their module says (`BTI`, `PAC`, `GCS`), as llc's does.
#[test]
fn notes_tell_of_protection() -> Result<(), Failure> {
    let folder = work_folder("attributes/notes");
    let flags = ["branch-target-enforcement", "sign-return-address", "guarded-control-stack"];
    for bits in 0..8 {
        let chosen = (0..3).filter(|bit| bits >> bit & 1 != 0).map(|bit| flags[bit]);
        let nodes: Vec<String> =
            chosen.enumerate().map(|(n, flag)| format!("!{n} = !{{i32 8, !\"{flag}\", i32 1}}\n")).collect();
        let path = folder.join(format!("{bits}.ll"));
        let named: Vec<String> = (0..nodes.len()).map(|n| format!("!{n}")).collect();
        let list = match nodes.is_empty() {
            true => String::new(),
            false => format!("!llvm.module.flags = !{{{}}}\n{}", named.join(", "), nodes.concat()),
        };
        std::fs::write(&path, format!("define void @f() {{\n  ret void\n}}\n{list}"))?;
        let note = |object: Vec<u8>| {
            // After the name of the note: a header's numbers may be like the property's.
            let at = object.windows(8).position(|bytes| bytes == b"GNU\0\0\0\0\xc0");
            at.map(|at| object[at..at + 16].to_vec())
        };
        let out = |who: &str| folder.join(format!("{bits}.{who}.o"));
        succeed(
            limited(20, llc()).args(["-mtriple=aarch64-linux-gnu", "-filetype=obj", "-o"]).arg(out("llc")).arg(&path),
        )?;
        succeed(
            limited(20, gusset()?).args(["compile", "--target", "aarch64-linux-gnu", "-o"]).arg(out("us")).arg(&path),
        )?;
        let [theirs, ours] = [out("llc"), out("us")].map(|path| std::fs::read(path).map(note));
        assert_eq!(ours?, theirs?, "{bits}");
    }
    Ok(())
}
