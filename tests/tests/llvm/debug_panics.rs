//! The backtrace of a Rust panic has the lines of Gusset's frames, those of inlined functions among them.

use gusset_tests::build::Mode;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, run, succeed, work_folder};

const MIDDLE: &str = "\
void back(int);
static inline __attribute__((always_inline)) void inner(int n) {
  back(n);
}
int middle(int n) {
  for (int i = 0; i < n; i++)
    inner(i);
  return n;
}
";

const MAIN: &str = r#"
unsafe extern "C-unwind" {
    fn middle(n: i32) -> i32;
}
#[unsafe(no_mangle)]
extern "C-unwind" fn back(n: i32) {
    if n == 2 {
        panic!("called back");
    }
}
fn main() {
    let result = std::panic::catch_unwind(|| unsafe { middle(4) });
    assert!(result.is_err());
}
"#;

#[test]
fn backtraces_have_lines() -> Result<(), Failure> {
    let folder = work_folder("debug_panics");
    let (source, program) = (folder.join("middle.c"), folder.join("main.rs"));
    std::fs::write(&source, MIDDLE)?;
    std::fs::write(&program, MAIN)?;
    let cases = [("-gdwarf-4", "-O0"), ("-gdwarf-5", "-O0"), ("-gdwarf-4", "-O2"), ("-gdwarf-5", "-O2")];
    let check = |(version, level): (&str, &str)| -> Result<(), Failure> {
        let path = |ending: &str| folder.join(format!("middle{version}{level}.{ending}"));
        let mut by_clang = limited(60, clang());
        by_clang.args([version, level, "-fexceptions", "-S", "-emit-llvm"]).args(Mode::Bits64.clang_flags());
        succeed(by_clang.arg(&source).arg("-o").arg(path("ll")))?;
        succeed(limited(60, gusset()?).arg("compile").arg(path("ll")).arg("-o").arg(path("o")))?;
        let mut rustc = limited(120, "rustc");
        rustc.args(["--edition=2024", "-C"]).arg(format!("link-arg={}", path("o").display()));
        // A folder for each: temporary files of compilers of one name would meet.
        let own = folder.join(format!("rustc{version}{level}"));
        std::fs::create_dir_all(&own)?;
        succeed(rustc.arg(&program).arg("-o").arg(own.join("main")))?;
        let outcome = run(limited(20, own.join("main")).env("RUST_BACKTRACE", "1"))?;
        let (said, mut at) = (outcome.errors(), 0);
        for expected in [": inner\n", "middle.c:3:3\n", ": middle\n", "middle.c:7:5\n", ": main::main"] {
            let found = said[at..].find(expected);
            at += found.ok_or_else(|| Failure::new(format!("{version} {level}: no `{expected}`:\n{said}")))?;
        }
        assert_eq!(outcome.code, 0, "{said}");
        Ok(())
    };
    parallel::map(cases.len(), |i| check(cases[i])).into_iter().collect()
}
