//! Signed return addresses and marked targets of branches, registers of the system and coprocessors, on 32-bit ARM: as llc has them.

use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, clang, gusset, limited, run, same_lines, succeed, work_folder};

const PROTECTED: &str = r#"
declare i32 @g(i32)
declare i32 @setjmp(ptr) returns_twice
define i32 @calls(i32 %x) #0 {
  %a = call i32 @g(i32 %x)
  %b = add i32 %a, 1
  ret i32 %b
}
define i32 @leaf(i32 %x) #1 { ret i32 %x }
define i32 @framed(i32 %x) #1 "frame-pointer"="all" { ret i32 %x }
define i32 @marked(i32 %x) #2 { ret i32 %x }
define i32 @jumps(ptr %f, i32 %x, i32 %y, i32 %z) #1 {
  %r = call i32 @g(i32 1)
  %q = tail call i32 %f(i32 %r, i32 %y, i32 %z)
  ret i32 %q
}
define i32 @full(ptr %f, i32 %x, i32 %y, i32 %z) #1 {
  %r = call i32 @g(i32 1)
  %q = tail call i32 %f(i32 %r, i32 %x, i32 %y, i32 %z)
  ret i32 %q
}
define i32 @many(i32 %n, ...) #1 {
  %ap = alloca ptr
  call void @llvm.va_start(ptr %ap)
  %v = va_arg ptr %ap, i32
  ret i32 %v
}
define i32 @twice(ptr %f) #2 {
  %r = call i32 @setjmp(ptr %f)
  %s = add i32 %r, 1
  ret i32 %s
}
define i32 @indirect(ptr %f, ptr %to) #2 {
  store ptr blockaddress(@indirect, %b), ptr %f
  indirectbr ptr %to, [label %a, label %b]
a:
  ret i32 1
b:
  ret i32 2
}
declare void @llvm.va_start(ptr)
attributes #0 = { "sign-return-address"="non-leaf" "branch-target-enforcement" }
attributes #1 = { "sign-return-address"="all" }
attributes #2 = { "sign-return-address"="non-leaf" "branch-target-enforcement" }
!llvm.module.flags = !{!0, !1}
!0 = !{i32 8, !"branch-target-enforcement", i32 1}
!1 = !{i32 8, !"sign-return-address", i32 1}
"#;

/// Makes objects of a module by both compilers and reads them by a tool.
fn both(name: &str, module: &str, triple: &str, features: &str, tool: &[&str]) -> Result<[String; 2], Failure> {
    let folder = work_folder("arm_system");
    let source = folder.join(name).with_extension("ll");
    std::fs::write(&source, module)?;
    let read = |compiler: &Path, first: &[&str], object: &str| {
        let object = folder.join(format!("{name}-{object}.o"));
        let mut compile = limited(60, compiler);
        compile.args(first).arg("-filetype=obj").arg(format!("-mtriple={triple}")).arg(format!("-mattr={features}"));
        succeed(compile.arg(&source).arg("-o").arg(&object))?;
        succeed(limited(60, tool[0]).args(&tool[1..]).arg(&object)).map(|done| done.text())
    };
    Ok([read(Path::new("llc-19"), &[], "llc")?, read(gusset()?, &["llc"], "gusset")?])
}

/// The lines that contain one of these words, without what is before the first of them.
fn lines(text: &str, words: &[&str]) -> String {
    let line = |l: &str| words.iter().filter_map(|w| l.find(w)).min().map(|at| format!("{}\n", l[at..].trim_end()));
    text.lines().filter_map(line).collect()
}

#[test]
fn return_addresses_are_signed() -> Result<(), Failure> {
    for (triple, features) in
        [("thumbv8.1m.main-none-eabi", ""), ("thumbv8.1m.main-none-eabi", "+pacbti"), ("thumbv7m-none-eabi", "")]
    {
        let [llcs, ours] = both("signed", PROTECTED, triple, features, &["llvm-readelf-19", "-A"])?;
        let [llcs, ours] = [llcs, ours].map(|text| {
            let text = text.replace("\n        Value", " Value").replace("\n        TagName", " TagName");
            let mut rows: Vec<&str> = text.lines().filter(|l| ["PAC", "BTI"].iter().any(|w| l.contains(w))).collect();
            rows.sort_unstable();
            rows.join("\n")
        });
        assert!(llcs.contains("PACRET_use") && llcs.contains("BTI_extension"), "{llcs}");
        same_lines(&llcs, &ours)?;
        // Each function signs and checks as often; where both are marked, llc has one instruction for two of ours.
        let [llcs, ours] = both(
            "signed",
            PROTECTED,
            triple,
            features,
            &["llvm-objdump-19", "-d", "--no-show-raw-insn", "--mattr=+pacbti"],
        )?;
        let steps = |text: &str| {
            let text = text.replace("pacbti\t", "bti\n pac\t").replace("bti\t", "bti");
            lines(&text, &["<", "pac\t", "aut\t", "bti"])
                .lines()
                .filter(|l| !l.contains('+') && !l.contains("<.L"))
                .map(|l| format!("{l}\n"))
                .collect::<String>()
        };
        let (llcs, mut ours) = (steps(&llcs), steps(&ours));
        // After a call that returns twice there is a mark that llc omits before an ordinary return, and at functions that only
        // the module's flag concerns.
        for name in ["leaf", "framed", "jumps", "full", "many"] {
            ours = ours.replace(&format!("<{name}>:\nbti\n"), &format!("<{name}>:\n"));
        }
        assert_eq!(llcs.matches("pac\t").count(), 7, "{llcs}");
        assert_eq!(llcs.matches("pac\t").count(), ours.matches("pac\t").count(), "{ours}");
        assert!(
            ours.matches("aut\t").count() >= 7 && ours.contains("<twice>:\nbti\npac\tr12, lr, sp\nbti\naut"),
            "{ours}"
        );
        assert!(ours.contains("<indirect>:\nbti\nbti\n") && ours.contains("<calls>:\nbti\npac\t"), "{ours}");
    }
    let [llcs, ours] = both("unwound", PROTECTED, "thumbv8m.main-none-eabi", "", &["llvm-readelf-19", "--unwind"])?;
    let codes = |text: &str| lines(text, &["pop ra_auth_code"]);
    assert_eq!(codes(&llcs).lines().count(), 7, "{llcs}");
    same_lines(&codes(&llcs), &codes(&ours))
}

/// What is signed runs where the instructions have no effect, too.
#[test]
fn signed_functions_run() -> Result<(), Failure> {
    let folder = work_folder("arm_system/run");
    let (source, object, main, program) =
        (folder.join("p.ll"), folder.join("p.o"), folder.join("main.c"), folder.join("p"));
    std::fs::write(&source, PROTECTED)?;
    let mut compile = limited(60, gusset()?);
    compile.args(["llc", "-filetype=obj", "-mtriple=thumbv7m-none-eabi"]).arg(&source).arg("-o").arg(&object);
    succeed(&mut compile)?;
    std::fs::write(
        &main,
        "int calls(int), leaf(int), jumps(void *, int, int, int), full(void *, int, int, int), many(int, ...);\n\
         int framed(int), indirect(void **, void *);\n\
         int g(int x) { return 10 * x; }\n\
         static int three(int a, int b, int c) { return a + 2 * b + 3 * c; }\n\
         static int four(int a, int b, int c, int d) { return a + 2 * b + 3 * c + 5 * d; }\n\
         int main(void) { return calls(4) != 41 || leaf(7) != 7 || framed(8) != 8 || jumps(three, 1, 2, 3) != 23\n\
         || full(four, 1, 2, 3) != 33 || many(1, 5) != 5; }\n",
    )?;
    // Linkers refuse to mix profiles; the instructions are those of both.
    succeed(limited(60, "llvm-objcopy-19").arg("--remove-section=.ARM.attributes").arg(&object))?;
    let driver = folder.join("main.o");
    let mut compile = limited(60, clang());
    succeed(compile.args(["-w", "-O1", "-c"]).args(Mode::T32.clang_flags()).arg(&main).arg("-o").arg(&driver))?;
    Mode::T32.link(&[object, driver], &["-static"], &program)?;
    let outcome = run(&mut Mode::T32.runner(20, &program))?;
    assert_eq!(outcome.code, 0, "{}", outcome.errors());
    Ok(())
}

/// Lines without the numbers of registers, which are chosen otherwise.
fn without_registers(lines: &str) -> String {
    let name = |word: &str| {
        let bare = word.trim_matches(['[', ']', ',']);
        let number = bare.strip_prefix(['r', 's', 'd', 'w', 'x']).is_some_and(|n| n.parse::<u8>().is_ok());
        if number || bare == "lr" { "R".to_string() } else { word.to_string() }
    };
    lines.lines().map(|l| l.split_whitespace().map(name).collect::<Vec<_>>().join(" ") + "\n").collect()
}

const NAMED: &str = r#"
declare i32 @llvm.read_register.i32(metadata)
declare i64 @llvm.read_register.i64(metadata)
declare void @llvm.write_register.i32(metadata, i32)
declare i64 @llvm.readcyclecounter()
declare i32 @llvm.arm.mrc(i32, i32, i32, i32, i32)
declare {i32, i32} @llvm.arm.mrrc(i32, i32, i32)
declare void @llvm.arm.mcrr2(i32, i32, i32, i32, i32)
declare void @llvm.arm.cdp(i32, i32, i32, i32, i32, i32)
define i32 @flags(i32 %x) {
  call void @llvm.write_register.i32(metadata !0, i32 %x)
  %r = call i32 @llvm.read_register.i32(metadata !1)
  ret i32 %r
}
define i64 @timer() {
  %r = call i64 @llvm.read_register.i64(metadata !2)
  %c = call i64 @llvm.readcyclecounter()
  %s = add i64 %r, %c
  ret i64 %s
}
define i32 @coprocessor(i32 %x, i32 %y) {
  call void @llvm.arm.cdp(i32 7, i32 3, i32 2, i32 1, i32 4, i32 5)
  call void @llvm.arm.mcrr2(i32 7, i32 1, i32 %x, i32 %y, i32 4)
  %p = call {i32, i32} @llvm.arm.mrrc(i32 7, i32 2, i32 5)
  %l = extractvalue {i32, i32} %p, 0
  %h = extractvalue {i32, i32} %p, 1
  %r = call i32 @llvm.arm.mrc(i32 15, i32 0, i32 7, i32 5, i32 4)
  %a = sub i32 %l, %h
  %b = add i32 %a, %r
  ret i32 %b
}
!0 = !{!"apsr_nzcvq"}
!1 = !{!"apsr"}
!2 = !{!"cp15:1:c14"}
"#;

#[test]
fn registers_by_name() -> Result<(), Failure> {
    for triple in ["armv7a-none-eabi", "thumbv7a-none-eabi"] {
        let [llcs, ours] = both("named", NAMED, triple, "", &["llvm-objdump-19", "-d", "--no-show-raw-insn"])?;
        let names = ["<", "mrs\t", "msr\t", "mrrc\t", "mcrr2\t", "mrc\t", "cdp\t"];
        let system = |text: &str| without_registers(&lines(text, &names));
        // What reads may come in any order.
        let sorted = |text: String| {
            let mut lines: Vec<&str> = text.lines().filter(|l| !l.contains('<')).collect();
            lines.sort_unstable();
            lines.join("\n")
        };
        let (llcs, ours) = (sorted(system(&llcs)), sorted(system(&ours)));
        assert!(llcs.lines().count() > 7, "{llcs}");
        same_lines(&llcs, &ours).map_err(|f| f.at(triple))?;
    }
    Ok(())
}

/// Instructions of a processor's maker: on one and two registers, and on floating-point numbers.
fn custom_module() -> String {
    let mut module = String::new();
    for count in 1..=3 {
        for (kind, accumulates) in [("", false), ("a", true), ("d", false), ("da", true)] {
            let wide = kind.starts_with('d');
            let words = count - 1 + if accumulates { if wide { 2 } else { 1 } } else { 0 };
            let ret = if wide { "{ i32, i32 }" } else { "i32" };
            let name = format!("cx{count}{kind}");
            let of = |each: &dyn Fn(usize) -> String| (0..words).map(|k| each(k) + ", ").collect::<String>();
            let last = [8191, 511, 63][count - 1];
            module += &format!(
                "declare {ret} @llvm.arm.cde.{name}(i32, {}i32)\ndefine {ret} @{name}({}i32 %z) {{\n",
                of(&|_| "i32".into()),
                of(&|k| format!("i32 %{}", ["a", "b", "c", "d"][k]))
            );
            module += &format!(
                "  %r = call {ret} @llvm.arm.cde.{name}(i32 {count}, {}i32 {last})\n  ret {ret} %r\n}}\n",
                of(&|k| format!("i32 %{}", ["a", "b", "c", "d"][k]))
            );
        }
        for (ty, suffix) in [("float", "f32"), ("double", "f64")] {
            for (kind, words) in [("", count - 1), ("a", count)] {
                let name = format!("vcx{count}{kind}.{suffix}");
                let of = |each: &dyn Fn(usize) -> String| (0..words).map(|k| each(k) + ", ").collect::<String>();
                let last = [2047, 63, 7][count - 1];
                let values = of(&|k| format!("{ty} %{}", ["a", "b", "c"][k]));
                module += &format!(
                    "declare {ty} @llvm.arm.cde.{name}(i32, {}i32)\ndefine {ty} @\"{name}\"({values}i32 %z) {{\n",
                    of(&|_| ty.into())
                );
                module +=
                    &format!("  %r = call {ty} @llvm.arm.cde.{name}(i32 0, {values}i32 {last})\n  ret {ty} %r\n}}\n");
            }
        }
    }
    module
}

/// The same instructions as llc's, in hard and soft float; the text assembles to the object's bytes.
#[test]
fn custom_instructions() -> Result<(), Failure> {
    let module = custom_module();
    for (triple, features) in [
        ("thumbv8.1m.main-none-eabi", "+cdecp0,+cdecp1,+cdecp2,+cdecp3,+mve"),
        ("thumbv8m.main-none-eabihf", "+cdecp0,+cdecp1,+cdecp2,+cdecp3,+fp-armv8d16"),
        ("thumbebv8m.main-none-eabihf", "+cdecp0,+cdecp1,+cdecp2,+cdecp3,+fp-armv8d16"),
    ] {
        let attributes = format!("--mattr={features},+mve,+fp-armv8d16");
        let tool = ["llvm-objdump-19", "-d", "--no-show-raw-insn", &attributes];
        let [llcs, ours] = both("custom", &module, triple, features, &tool)?;
        let custom = |text: &str| without_registers(&lines(text, &[">:", "\tcx", "\tvcx"]));
        assert_eq!(custom(&llcs).matches("cx").count(), 24, "{llcs}");
        same_lines(&custom(&llcs), &custom(&ours)).map_err(|f| f.at(triple))?;
        let folder = work_folder("arm_system");
        let (source, text, object) = (folder.join("custom.ll"), folder.join("custom.s"), folder.join("custom.again.o"));
        let mut compile = limited(60, gusset()?);
        compile
            .args(["llc", &format!("-mtriple={triple}"), &format!("-mattr={features}")])
            .arg(&source)
            .arg("-o")
            .arg(&text);
        succeed(&mut compile)?;
        let mut assemble = limited(60, "llvm-mc-19");
        assemble.args(["--filetype=obj", &format!("--triple={triple}"), &attributes]).arg(&text).arg("-o").arg(&object);
        succeed(&mut assemble)?;
        let again = succeed(limited(60, tool[0]).args(&tool[1..]).arg(&object))?.text();
        same_lines(&lines(&ours, &["\t"]), &lines(&again, &["\t"])).map_err(|f| f.at(triple))?;
    }
    Ok(())
}

const EXCLUSIVE: &str = r#"
define { i32, i32 } @loads(ptr %p) {
  %a = call i32 @llvm.arm.ldrex.p0(ptr elementtype(i8) %p)
  %b = call i32 @llvm.arm.ldrex.p0(ptr elementtype(i16) %p)
  %c = call i32 @llvm.arm.ldrex.p0(ptr elementtype(i32) %p)
  %r = call { i32, i32 } @llvm.arm.ldrexd(ptr %p)
  ret { i32, i32 } %r
}
define i32 @stores(i32 %x, i32 %y, ptr %p) {
  %a = call i32 @llvm.arm.strex.p0(i32 %x, ptr elementtype(i8) %p)
  %b = call i32 @llvm.arm.strex.p0(i32 %x, ptr elementtype(i16) %p)
  %c = call i32 @llvm.arm.strex.p0(i32 %x, ptr elementtype(i32) %p)
  %r = call i32 @llvm.arm.strexd(i32 %y, i32 %x, ptr %p)
  ret i32 %r
}
define i32 @adds(ptr %p, i32 %x) {
b:
  br label %again
again:
  %old = call i32 @llvm.arm.ldrex.p0(ptr elementtype(i32) %p)
  %new = add i32 %old, %x
  %failed = call i32 @llvm.arm.strex.p0(i32 %new, ptr elementtype(i32) %p)
  %f = icmp ne i32 %failed, 0
  br i1 %f, label %again, label %end
end:
  ret i32 %old
}
declare i32 @llvm.arm.ldrex.p0(ptr)
declare {i32, i32} @llvm.arm.ldrexd(ptr)
declare i32 @llvm.arm.strex.p0(i32, ptr)
declare i32 @llvm.arm.strexd(i32, i32, ptr)
"#;

#[test]
fn exclusive_accesses() -> Result<(), Failure> {
    let ordered = EXCLUSIVE.replace("ldrex", "ldaex").replace("strex", "stlex");
    for (triple, module) in [
        ("armv7a-none-eabi", EXCLUSIVE),
        ("thumbv7a-none-eabi", EXCLUSIVE),
        ("armv8a-none-eabi", &ordered),
        ("thumbv8a-none-eabi", &ordered),
        ("armebv8a-none-eabi", &ordered),
    ] {
        let [llcs, ours] = both("exclusive", module, triple, "", &["llvm-objdump-19", "-d", "--no-show-raw-insn"])?;
        let accesses = |text: &str| without_registers(&lines(text, &[">:", "ldrex", "strex", "ldaex", "stlex"]));
        assert_eq!(accesses(&llcs).matches("ex").count(), 10, "{llcs}");
        same_lines(&accesses(&llcs), &accesses(&ours)).map_err(|f| f.at(triple))?;
    }
    let mut compile = limited(60, gusset()?);
    compile
        .args(["llc", "-mtriple=thumbv7m-none-eabi", "-o", "/dev/null"])
        .arg(work_folder("arm_system").join("exclusive.ll"));
    assert!(run(&mut compile)?.errors().contains("the processor has no such instruction"));
    Ok(())
}
