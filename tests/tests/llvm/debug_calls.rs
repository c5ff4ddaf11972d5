//! Calls in debug information: which there are is as in llc's, and gdb shows the callers of functions with their parameters.

use std::path::Path;

use gusset_tests::tools::{Failure, cc, clang, gusset, limited, same_lines, succeed, work_folder};

/// Functions that call others directly, by address and in place of themselves.
const PROGRAM: &str = "\
#define OWN __attribute__((noinline))
volatile int seen;
OWN void stop(int *p, int n) { seen = *p + n; }
OWN int twice(int v) { int l = v; stop(&l, 2); return 2 + seen; }
OWN int helper(int a, int b, const char *s) { seen = a + b + s[1]; seen = 0; stop((int *)&seen, 9); return seen + 5; }
OWN void leaf(int a, int *p) { *p = a; stop(p, 3); }
OWN int middle(int x, int y, int (*f)(int)) {
  int local = 4;
  leaf(x, &local);
  int r = f(7) + local;
  return r + helper(77, 1234567, \"abc\") + y;
}
OWN int top(int n, int (*f)(int)) { return middle(n, 5, f); }
int main(int argc, char **argv) { return top(argc + 41, twice) & 1; }
";

/// The calls that an object describes, sorted, and the functions of which they are all.
fn calls(object: &Path) -> Result<String, Failure> {
    let text = succeed(limited(60, "llvm-dwarfdump-19").arg("--debug-info").arg(object))?.text();
    let (mut all, mut in_call) = (Vec::new(), false);
    for line in text.lines() {
        let name = line.split('"').nth(1).unwrap_or_default();
        if line.contains("DW_TAG_") {
            in_call = line.ends_with("call_site");
        } else if in_call && line.contains("_origin") {
            all.push(format!("call of {name}"));
        } else if in_call && line.contains("_target") {
            all.push("call by address".to_string());
        } else if line.contains("all_call") {
            all.push("all calls of a function".to_string());
        }
    }
    all.sort();
    Ok(all.join("\n"))
}

#[test]
fn calls_are_those_of_llc() -> Result<(), Failure> {
    let folder = work_folder("debug_calls/llc");
    let source = folder.join("program.c");
    std::fs::write(&source, PROGRAM)?;
    let machines = ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf"];
    for triple in machines.into_iter().chain(["thumbv7-linux-gnueabihf", "x86_64-w64-mingw32"]) {
        for version in ["-gdwarf-4", "-gdwarf-5"] {
            let (text, own, judge) = (folder.join("a.ll"), folder.join("own.o"), folder.join("judge.o"));
            let target = format!("--target={triple}");
            succeed(
                limited(60, clang()).args([&target, "-O2", version, "-S", "-emit-llvm", "-o"]).arg(&text).arg(&source),
            )?;
            succeed(limited(60, gusset()?).arg("compile").arg(&text).arg("-o").arg(&own))?;
            succeed(limited(60, "llc-19").args(["-filetype=obj", "-O2", "-o"]).arg(&judge).arg(&text))?;
            let at = |failure: Failure| failure.at(format!("{triple} {version}"));
            succeed(limited(60, "llvm-dwarfdump-19").args(["--verify", "--quiet"]).arg(&own)).map_err(at)?;
            let expected = calls(&judge)?;
            assert_eq!(
                (expected.matches("call of").count(), expected.matches("by address").count()),
                (7, 1),
                "{expected}"
            );
            same_lines(&expected, &calls(&own)?).map_err(at)?;
        }
    }
    Ok(())
}

/// Parameters are what the callers passed, although their registers have been changed; jumps to functions have frames.
#[test]
fn gdb_shows_callers() -> Result<(), Failure> {
    let folder = work_folder("debug_calls/gdb");
    let (source, text, object) = (folder.join("program.c"), folder.join("program.ll"), folder.join("program.o"));
    std::fs::write(&source, PROGRAM)?;
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        succeed(limited(60, clang()).args(["-O2", version, "-S", "-emit-llvm", "-o"]).arg(&text).arg(&source))?;
        succeed(limited(60, gusset()?).arg("compile").arg(&text).arg("-o").arg(&object))?;
        let program = folder.join("program");
        succeed(limited(60, cc()).arg(&object).arg("-o").arg(&program))?;
        let mut gdb = limited(120, "gdb");
        gdb.args(["-nx", "-batch"]);
        let commands =
            ["set debuginfod enabled off", "set startup-with-shell off", "set print address off", "break stop", "run"];
        let frames = ["backtrace", "continue", "backtrace", "continue", "backtrace"];
        for command in commands.into_iter().chain(frames) {
            gdb.args(["-ex", command]);
        }
        let said = succeed(gdb.arg(&program).env("LC_ALL", "C").current_dir(&folder))?.text();
        let stacks = [
            [
                "stop (p=p@entry=",
                "leaf (a=<optimized out>, p=<optimized out>, p@entry=",
                "middle (x=<optimized out>, y=5, f=",
            ],
            ["stop (p=p@entry=", "twice (v=7)", "middle (x=<optimized out>, y=5, f="],
            ["stop (p=p@entry=", "helper (a=77, b=1234567, s=\"abc\")", "middle (x=<optimized out>, y=5, f="],
        ];
        let mut rest = &said[..];
        for frame in stacks.as_flattened() {
            let Some(at) = rest.find(frame) else { panic!("{version}: no {frame} in {rest}") };
            rest = &rest[at + frame.len()..];
        }
        assert_eq!(said.matches(" top (n=<optimized out>, f=<optimized out>, f@entry=").count(), 3, "{said}");
        assert!(["n=n@entry=3)", "n=n@entry=2)", "n=n@entry=9)"].iter().all(|n| said.contains(n)), "{said}");
    }
    Ok(())
}
