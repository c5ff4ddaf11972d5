//! Debug information of code in memory: gdb stops at lines and shows variables.

use gusset_tests::tools::{Failure, clang, gusset, limited, succeed, work_folder};

const PROGRAM: &str = "\
int printf(const char *, ...);
struct point { int x, y; double d[2]; };
int counter = 7;
static int __attribute__((noinline)) sum(int n, struct point *p) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    s += i * p->x + counter;
    counter++;
  }
  return s;
}
int main(int argc, char **argv) {
  struct point p = {3, 4, {1.5, 2.5}};
  int r = sum(argc + 4, &p);
  return printf(\"%d\\n\", r) < 0;
}
";

/// What is done in gdb, and what it says.
const COMMANDS: &[(&str, &str)] = &[
    ("set debuginfod enabled off", ""),
    ("set startup-with-shell off", ""),
    ("set breakpoint pending on", ""),
    ("break program.c:7", "Breakpoint 1 (program.c:7) pending."),
    ("run", "7\t    s += i * p->x + counter;"),
    ("print i", "$1 = 0"),
    ("print *p", "$2 = {x = 3, y = 4, d = {1.5, 2.5}}"),
    ("print counter", "$3 = 7"),
    ("next", "8\t    counter++;"),
    ("print s", "$4 = 7"),
    ("next", "6\t  for (int i = 0; i < n; i++) {"),
    ("print counter", "$5 = 8"),
    ("backtrace 2", "in main (argc=1, argv=0x"),
    ("up", "14\t  int r = sum(argc + 4, &p);"),
    ("print p.d[1]", "$6 = 2.5"),
    ("delete", ""),
    ("continue", "exited normally"),
];

#[test]
fn gdb_stops_at_lines() -> Result<(), Failure> {
    let folder = work_folder("debug_memory/gdb");
    let (source, text) = (folder.join("program.c"), folder.join("program.ll"));
    std::fs::write(&source, PROGRAM)?;
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let mut by_clang = limited(60, clang());
        succeed(by_clang.args(["-O0", version, "-S", "-emit-llvm"]).arg(&source).arg("-o").arg(&text))?;
        let mut gdb = limited(120, "gdb");
        gdb.args(["-nx", "-batch"]).env("LC_ALL", "C").current_dir(&folder);
        COMMANDS.iter().for_each(|(command, _)| _ = gdb.args(["-ex", command]));
        gdb.arg("--args").arg(gusset()?).args(["run", "--gdb"]).arg(&text);
        let outcome = succeed(&mut gdb)?;
        let (said, mut at) = (outcome.text() + &outcome.errors(), 0);
        for (command, expected) in COMMANDS.iter().filter(|command| !command.0.starts_with("break")) {
            let found = said[at..].find(expected);
            at +=
                found.ok_or_else(|| Failure::new(format!("{version}: after `{command}` no `{expected}`:\n{said}")))?;
        }
        assert!(said.contains("Breakpoint 1, sum (n=5, p=0x"), "{said}");
    }
    Ok(())
}
