//! Basic blocks in sections of their own: programs do what llc's do without, exceptions included, when linkers put the sections in any
//! order; text and object are the same.

use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::objects::{assemble, differences};
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, run, succeed, work_folder};

const MODULE: &str = r#"
define i32 @f(i32 %n, i32 %k) personality ptr @__gxx_personality_v0 {
entry:
  %c = icmp sgt i32 %n, 10
  br i1 %c, label %big, label %small
big:
  %r = invoke i32 @thrower(i32 %n) to label %ok unwind label %pad
ok:
  switch i32 %k, label %small [ i32 0, label %s0
    i32 1, label %s1
    i32 2, label %s2
    i32 3, label %s3
    i32 4, label %s0
    i32 5, label %s2 ]
s0:
  ret i32 %r
s1:
  %q = mul i32 %r, 3
  br label %join
s2:
  %t = call i32 @plain(i32 5)
  br label %join
s3:
  %u = add i32 %r, 100
  br label %join
join:
  %v = phi i32 [ %q, %s1 ], [ %t, %s2 ], [ %u, %s3 ]
  %w = add i32 %v, %k
  ret i32 %w
small:
  %x = phi i32 [ %n, %entry ], [ %k, %ok ]
  %y = add i32 %x, 7
  %z = icmp eq i32 %y, 12
  br i1 %z, label %loop, label %out
loop:
  %i = phi i32 [ 0, %small ], [ %j, %loop ]
  %s = phi i32 [ 0, %small ], [ %ss, %loop ]
  %p = call i32 @plain(i32 %i)
  %ss = add i32 %s, %p
  %j = add i32 %i, 1
  %e = icmp ult i32 %j, 10
  br i1 %e, label %loop, label %out
out:
  %o = phi i32 [ %y, %small ], [ %ss, %loop ]
  ret i32 %o
pad:
  %lp = landingpad { ptr, i32 } catch ptr @_ZTIi
  %ex = extractvalue { ptr, i32 } %lp, 0
  %sel = extractvalue { ptr, i32 } %lp, 1
  %b = call ptr @__cxa_begin_catch(ptr %ex)
  %val = load i32, ptr %b
  call void @__cxa_end_catch()
  %res = add i32 %val, 1000
  ret i32 %res
}
declare i32 @thrower(i32)
declare i32 @plain(i32)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
@_ZTIi = external constant ptr
declare i32 @__gxx_personality_v0(...)
"#;

const MAIN: &str = r#"
#include <cstdio>
extern "C" int f(int,int);
extern "C" int thrower(int n) { if (n % 3 == 0) throw n; return n * 2; }
extern "C" int plain(int n) { return n * 5 + 1; }
int main() { for (int n = 0; n < 24; n++) for (int k = -1; k < 8; k++) printf("%d ", f(n, k)); puts(""); }
"#;

/// Compiles the module; `more` are options.
fn compile(triple: &str, form: &str, more: &[&str], input: &Path, output: &Path) -> Result<(), Failure> {
    let mut command = limited(20, gusset()?);
    command.args(["llc", "-mtriple", triple, "-filetype", form]).args(more);
    succeed(command.arg(input).arg("-o").arg(output)).map(drop)
}

/// What the program prints.
fn printed(mode: Mode, object: &Path, program: &Path, more: &[&str]) -> Result<String, Failure> {
    let mut command = limited(60, clang());
    command.args(mode.clang_flags()).args(["-fuse-ld=lld", "-w"]).args(more);
    if mode != Mode::Bits64 {
        // There is no shared library of C++ for others.
        command.args(["-static", "-no-pie"]);
    }
    command.arg(program.with_file_name("main.cpp")).arg(object).arg("-lstdc++").arg("-o").arg(program);
    succeed(&mut command)?;
    Ok(succeed(&mut mode.runner(20, program))?.text())
}

#[test]
fn every_block_alone() -> Result<(), Failure> {
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64] {
        let folder = work_folder(&format!("block_sections/{mode:?}"));
        let at = |name: &str| folder.join(name);
        std::fs::write(at("module.ll"), MODULE)?;
        std::fs::write(at("main.cpp"), MAIN)?;
        let mut judge = limited(20, llc());
        judge.args(["-mtriple", mode.triple(), "-filetype=obj", "-relocation-model=pic"]).arg(at("module.ll"));
        succeed(judge.arg("-o").arg(at("theirs.o")))?;
        let expected = printed(mode, &at("theirs.o"), &at("theirs"), &["-pie"])?;
        assert!(expected.split(' ').count() > 200, "{expected}");
        for (options, link) in [
            (&["-basic-block-sections=all", "-relocation-model=static"][..], "-no-pie"),
            (&["-basic-block-sections=all", "-relocation-model=pic", "-function-sections"], "-pie"),
            (&["-basic-block-sections=all", "-relocation-model=pic", "-unique-basic-block-section-names"], "-pie"),
        ] {
            if mode == Mode::Aarch64 && options.contains(&"-function-sections") {
                continue;
            }
            compile(mode.triple(), "obj", options, &at("module.ll"), &at("ours.o"))?;
            compile(mode.triple(), "asm", options, &at("module.ll"), &at("ours.s"))?;
            for order in
                ["-Wl,--shuffle-sections=*=0", "-Wl,--shuffle-sections=*=-1", "-Wl,--shuffle-sections=.text*=3"]
            {
                assert_eq!(
                    printed(mode, &at("ours.o"), &at("ours"), &[link, order])?,
                    expected,
                    "{mode:?} {options:?}"
                );
            }
            let ours = std::fs::read(at("ours.o"))?;
            let assembled = assemble(mode.triple(), &std::fs::read_to_string(at("ours.s"))?)?;
            let found = differences(&ours, &assembled)?;
            assert!(found.is_empty(), "{mode:?} {options:?}, object against text:\n{}", found.join("\n"));
        }
        // Sections and symbols have llc's names; blocks differ in number.
        let mut judge = limited(20, llc());
        judge.args(["-mtriple", mode.triple(), "-filetype=obj", "-basic-block-sections=all"]).arg(at("module.ll"));
        succeed(judge.args(["-unique-basic-block-section-names", "-o"]).arg(at("theirs.o")))?;
        let shown = |object: &Path| -> Result<String, Failure> {
            Ok(succeed(limited(20, "llvm-readelf-19").args(["-S", "-s", "-W"]).arg(object))?.text())
        };
        let (ours, theirs) = (shown(&at("ours.o"))?, shown(&at("theirs.o"))?);
        for name in [" .text.f.f.__part.1 ", " f.__part.1"] {
            assert!(ours.contains(name) && theirs.contains(name), "{name}:\n{ours}\n{theirs}");
        }
    }
    Ok(())
}

/// Lists, and the sections and symbols that they make: first those of the function, then those of its parts.
const LISTS: [(&str, &[&str]); 6] = [
    (
        "v1\nf f\nc 0 5 3\nc 8 7 6\nc 9 1\n",
        &[".text.hot.f f", ".text.hot.f f.__part.1", ".text.hot.f f.__part.2", ".text.split.f f.cold"],
    ),
    ("v1\nf f\nc 3 2 1 0\n", &[".text.f f", ".text.split.f f.cold"]),
    (
        "# a comment\n!other\n!!0 0\n!f\n!!0 11 4 2\n!!1 3\n",
        &[".text.hot.f f", ".text.hot.f f.__part.1", ".text.split.f f.cold"],
    ),
    ("v1\nf nobody f\nc 11 9 8 7 6 5 4 3 2 1 99\n", &[".text.f f", ".text.f f.__part.0"]),
    ("v1\nf other\nc 0\n", &[".text f"]),
    ("!g/f\n", &[".text.f f", ".text.f f.__part.1"]),
];

/// The sections of symbols of a function and of its parts, sorted by the symbols' names.
fn places(object: &Path) -> Result<Vec<String>, Failure> {
    let text = succeed(limited(20, "llvm-objdump-19").arg("-t").arg(object))?.text();
    let lines = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [.., section, _, name] = words[..] else { return None };
        (name == "f" || name.starts_with("f.")).then(|| format!("{section} {name}"))
    });
    let mut all: Vec<String> = lines.collect();
    all.sort_by(|a, b| a.split(' ').nth(1).cmp(&b.split(' ').nth(1)));
    Ok(all)
}

#[test]
fn blocks_of_lists() -> Result<(), Failure> {
    all_lists(Mode::Bits64, 1)?;
    all_lists(Mode::Aarch64, 3)
}

/// Tries every list with a number that this one divides.
fn all_lists(mode: Mode, of: usize) -> Result<(), Failure> {
    let folder = work_folder(&format!("block_sections/lists-{mode:?}"));
    let at = |name: &str| folder.join(name);
    std::fs::write(at("module.ll"), MODULE)?;
    std::fs::write(at("main.cpp"), MAIN)?;
    let plain = ["-relocation-model=pic"];
    compile(mode.triple(), "obj", &plain, &at("module.ll"), &at("plain.o"))?;
    let expected = printed(mode, &at("plain.o"), &at("plain"), &["-pie"])?;
    for (number, (list, wanted)) in LISTS.iter().enumerate().step_by(of) {
        std::fs::write(at("list"), list)?;
        let list = format!("-basic-block-sections={}", at("list").display());
        let level = ["-O2", "-O0"][number % 2];
        let options = [level, "-relocation-model=pic", "-verify-machineinstrs", &list];
        compile(mode.triple(), "obj", &options, &at("module.ll"), &at("ours.o"))?;
        compile(mode.triple(), "asm", &options, &at("module.ll"), &at("ours.s"))?;
        let order = ["-Wl,--shuffle-sections=*=-1", "-Wl,--shuffle-sections=.text*=3"][number / 2 % 2];
        assert_eq!(printed(mode, &at("ours.o"), &at("ours"), &["-pie", order])?, expected, "list {number}");
        let (ours, text) = (std::fs::read(at("ours.o"))?, std::fs::read_to_string(at("ours.s"))?);
        let found = differences(&ours, &assemble(mode.triple(), &text)?)?;
        assert!(found.is_empty(), "list {number}, object against text:\n{}", found.join("\n"));
        let mut judge = limited(20, llc());
        judge.args(["-mtriple", mode.triple(), "-filetype=obj", level, &list]).arg(at("module.ll")).arg("-o");
        succeed(judge.arg(at("theirs.o")))?;
        let (ours, theirs) = (places(&at("ours.o"))?, places(&at("theirs.o"))?);
        for place in *wanted {
            assert!(ours.iter().any(|own| own == place), "list {number}: no {place} in {ours:?}");
            // Blocks differ in number. On AArch64 llc moves those that jump tables reach.
            let known = mode == Mode::Aarch64 || theirs.iter().any(|own| own == place) || place.contains(".cold");
            assert!(known, "list {number}: llc has no {place} but {theirs:?}");
        }
    }
    Ok(())
}

/// Faults of lists, with llc's messages.
#[test]
fn faults_of_lists() -> Result<(), Failure> {
    let folder = work_folder("block_sections/faults");
    let at = |name: &str| folder.join(name);
    std::fs::write(at("module.ll"), MODULE)?;
    for list in [
        "!f\n!!1 4\n!!1\n",
        "v1\nf f\nc 0 x\n",
        "!f\n!!-1\n",
        "!f /path/to/file\n",
        "v2\nf f\n",
        "v1\nf f\nf f\n",
        "v1\nq f\n",
    ] {
        std::fs::write(at("list"), list)?;
        let option = format!("-basic-block-sections={}", at("list").display());
        let theirs =
            run(limited(20, llc()).args(["-mtriple=x86_64-linux-gnu", "-o", "-", &option]).arg(at("module.ll")))?;
        let told = theirs.errors();
        let told = told.lines().find_map(|line| line.strip_prefix("LLVM ERROR: ")).ok_or_else(|| theirs.errors());
        let told = told.map_err(|all| Failure::new(format!("{list}: {all}")))?;
        let ours = run(limited(20, gusset()?)
            .args(["llc", "-mtriple=x86_64-linux-gnu", "-o", "-", &option])
            .arg(at("module.ll")))?;
        assert!(ours.code == 1 && ours.errors().contains(told), "{list}: {} without: {told}", ours.errors());
    }
    for (list, what) in [("v1\nf f\np 0 1 2\n", "copies of basic blocks"), ("v1\nm x.c\nf f\n", "names of modules")] {
        std::fs::write(at("list"), list)?;
        let option = format!("-basic-block-sections={}", at("list").display());
        let ours = run(limited(20, gusset()?)
            .args(["llc", "-mtriple=x86_64-linux-gnu", "-o", "-", &option])
            .arg(at("module.ll")))?;
        assert!(ours.code == 1 && ours.errors().contains(what), "{list}: {}", ours.errors());
    }
    Ok(())
}

#[test]
fn what_has_no_such_sections() -> Result<(), Failure> {
    let folder = work_folder("block_sections/refused");
    let input = folder.join("input.ll");
    std::fs::write(
        &input,
        "define i32 @f(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n  ret i32 1\nb:\n  ret i32 2\n}\n",
    )?;
    for (triple, more, message) in [
        (
            "x86_64-pc-windows-msvc",
            "-O0",
            "basic blocks in sections of their own are not supported on x86_64-pc-windows-msvc",
        ),
        ("armv7-unknown-linux-gnueabihf", "-O0", "basic blocks in sections of their own are not supported on armv7"),
        (
            "x86_64-unknown-linux-gnu",
            "-basic-block-address-map",
            "a map of basic blocks that are in sections of their own",
        ),
        ("x86_64-unknown-linux-gnu", "-basic-block-sections=list.txt", "list.txt: cannot read"),
    ] {
        let mut command = limited(20, gusset()?);
        command.args(["llc", "-mtriple", triple, "-basic-block-sections=all", more]).arg(&input);
        let outcome = run(command.arg("-o").arg(folder.join("output")))?;
        assert!(outcome.code == 1 && outcome.errors().contains(message), "{}", outcome.errors());
    }
    Ok(())
}
