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
    command.args(["llc", "-mtriple", triple, "-basic-block-sections=all", "-filetype", form]).args(more);
    succeed(command.arg(input).arg("-o").arg(output)).map(drop)
}

/// What the program prints.
fn printed(mode: Mode, object: &Path, program: &Path, more: &[&str]) -> Result<String, Failure> {
    let mut command = limited(60, clang());
    command.args(mode.clang_flags()).args(["-fuse-ld=lld", "-w"]).args(more);
    if mode == Mode::Bits32 {
        // There is no shared library of C++ for 32 bits.
        command.args(["-static", "-no-pie"]);
    }
    command.arg(program.with_file_name("main.cpp")).arg(object).arg("-lstdc++").arg("-o").arg(program);
    succeed(&mut command)?;
    Ok(succeed(&mut mode.runner(20, program))?.text())
}

#[test]
fn every_block_alone() -> Result<(), Failure> {
    for mode in [Mode::Bits64, Mode::Bits32] {
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
            (&["-relocation-model=static"][..], "-no-pie"),
            (&["-relocation-model=pic", "-function-sections"], "-pie"),
            (&["-relocation-model=pic", "-unique-basic-block-section-names"], "-pie"),
        ] {
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
        ("aarch64-unknown-linux-gnu", "-O0", "basic blocks in sections of their own are not supported on aarch64"),
        (
            "x86_64-unknown-linux-gnu",
            "-basic-block-address-map",
            "a map of basic blocks that are in sections of their own",
        ),
        (
            "x86_64-unknown-linux-gnu",
            "-basic-block-sections=list.txt",
            "--basic-block-sections=list.txt is not supported",
        ),
    ] {
        let mut command = limited(20, gusset()?);
        command.args(["llc", "-mtriple", triple, "-basic-block-sections=all", more]).arg(&input);
        let outcome = run(command.arg("-o").arg(folder.join("output")))?;
        assert!(outcome.code == 1 && outcome.errors().contains(message), "{}", outcome.errors());
    }
    Ok(())
}
