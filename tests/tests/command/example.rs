//! The shipped examples, each compiled and run: a small language on top of the library, and a dialect of MLIR of one's own.

use std::path::{Path, PathBuf};

use gusset_tests::tools::{Failure, Outcome, limited, root, run, same_lines, succeed, work_folder};

/// Builds an example.
pub(crate) fn built(name: &str) -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = limited(1200, cargo);
    // Where the tests are built and with all of the workspace, so that little is left to build.
    let target = work_folder("example").join("../..");
    let (profile, folder) = if cfg!(debug_assertions) { ("dev", "debug") } else { ("release", "release") };
    command.args(["build", "--workspace", "--quiet", "--example", name, "--profile", profile]);
    command.arg("--target-dir").arg(&target).arg("--manifest-path").arg(root().join("Cargo.toml"));
    succeed(&mut command)?;
    Ok(target.join(folder).join("examples").join(name))
}

/// Runs an example with arguments.
fn example(name: &str, args: &[&Path]) -> Result<Outcome, Failure> {
    run(limited(120, built(name)?).args(args))
}

#[test]
fn pebble_compiles_and_runs() -> Result<(), Failure> {
    let outcome = example("pebble", &[&root().join("examples/shapes.pebble")])?;
    let lines = ["box 0: diagonal 5", "box 1: diagonal 6.40312", "box 2: diagonal 7.81025", "fibonacci(20) = 6765"];
    assert_eq!(outcome.text().lines().collect::<Vec<_>>(), lines, "{}", outcome.errors());

    let wrong = work_folder("example").join("wrong.pebble");
    std::fs::write(&wrong, "struct A(int x)\nfn f(A a) int { return a.y; }\n")?;
    let outcome = example("pebble", &[&wrong])?;
    assert!(outcome.errors().contains("line 2: there is no field `y`"), "{}", outcome.errors());
    Ok(())
}

/// gdb knows a program that was compiled with `-g`: its lines, functions, variables and types.
#[test]
fn gdb_steps_through_pebble() -> Result<(), Failure> {
    const COMMANDS: &str = "
set pagination off
set confirm off
set debuginfod enabled off
set startup-with-shell off
break shapes.pebble:28
run
info locals
next
next
print n
print box.high
delete
break grown
continue
info args
next
print low
backtrace
delete
break fibonacci if n == 18
continue
print n + 1
backtrace
delete
finish
ptype struct Box
whatis distance
";
    const EXPECTED: &str = "
Breakpoint 1, main () at examples/shapes.pebble:28
28	        box = grown(box, 0.5);
box = {low = {x = 1, y = 2}, high = {x = 4, y = 6}, name = ADDRESS \"box\"}
n = 0
29	        n = n + 1;
26	    while n < 3 {
$1 = 1
$2 = {x = 4.5, y = 6.5}
Breakpoint 2, grown (box=..., by=0.5) at examples/shapes.pebble:14
14	    let low = add(box.low, Point(0.0 - by, 0.0 - by));
box = {low = {x = 0.5, y = 1.5}, high = {x = 4.5, y = 6.5}, name = ADDRESS \"box\"}
by = 0.5
15	    return Box(low, add(box.high, Point(by, by)), box.name);
$3 = {x = 0, y = 1}
#0  grown (box=..., by=0.5) at examples/shapes.pebble:15
#1  ADDRESS in main () at examples/shapes.pebble:28
Breakpoint 3, fibonacci (n=18) at examples/shapes.pebble:19
19	    if n < 2 { return n; }
$4 = 19
#0  fibonacci (n=18) at examples/shapes.pebble:19
#1  ADDRESS in fibonacci (n=19) at examples/shapes.pebble:20
#2  ADDRESS in fibonacci (n=20) at examples/shapes.pebble:20
#3  ADDRESS in main () at examples/shapes.pebble:31
ADDRESS in fibonacci (n=19) at examples/shapes.pebble:20
20	    return fibonacci(n - 1) + fibonacci(n - 2);
Value returned is $5 = 2584
type = struct Box {
    struct Point low;
    struct Point high;
    text name;
}
type = float (struct Point, struct Point)
";
    let folder = work_folder("example-gdb");
    let mut compile = limited(120, built("pebble")?);
    succeed(compile.args(["-g", "examples/shapes.pebble"]).current_dir(root()).env("TMPDIR", &folder))?;
    let script = folder.join("commands");
    std::fs::write(&script, COMMANDS)?;
    let mut gdb = limited(60, "gdb");
    gdb.args(["-nx", "-batch", "-x"]).arg(&script).arg(folder.join("pebble")).env("LC_ALL", "C").current_dir(root());
    let said = succeed(&mut gdb)?.text();
    // Addresses differ.
    let word = |word: &str| if word.starts_with("0x") { "ADDRESS".into() } else { word.to_string() };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let kept = |line: &&str| !line.is_empty() && !["libthread", " at 0x"].iter().any(|other| line.contains(other));
    let said: Vec<String> = said.lines().filter(kept).map(line).collect();
    same_lines(EXPECTED.trim(), &said.join("\n"))
}

#[test]
fn lines_are_calculated_in_memory() -> Result<(), Failure> {
    let folder = work_folder("example-calculator");
    let input = folder.join("lines");
    let lines = "r = 2\narea(x) = 3 * x ^ 2\narea(r) + sqrt(16)\n\nr = r + 1\narea(r) - -1\nboth(a, b) = area(a) / b + r\n\
                 both(2, 4)\nmissing + 1\nnothing(2)\n2 +\n(1\n1 2\ncos(0)\n";
    std::fs::write(&input, lines)?;
    let mut command = limited(60, built("calculator")?);
    let outcome = run(command.stdin(std::fs::File::open(&input)?))?;
    let expected = [
        "16",
        "28",
        "6",
        "error: `missing` is not known",
        "error: undefined symbols: `nothing`",
        "error: a number or a name is expected before ``",
        "error: a bracket is not closed",
        "error: `2` is not expected",
        "1",
    ];
    assert_eq!(outcome.text().lines().collect::<Vec<_>>(), expected, "{}", outcome.errors());
    Ok(())
}

#[test]
fn a_plugin_is_replaced_while_its_host_runs() -> Result<(), Failure> {
    let folder = work_folder("example-plugin");
    let plugin = |n: u32| format!("define i64 @step(i64 %x) {{ %y = mul i64 %x, {n}\n ret i64 %y }}\n");
    for n in [3, 5] {
        std::fs::write(folder.join(format!("{n}.ll")), plugin(n))?;
    }
    std::fs::write(folder.join("wrong.ll"), "define i64 @other() { ret i64 1 }")?;
    let mut lines = String::from("call 7\nload 3.ll\ncall 7\nload wrong.ll\nload none.ll\ncall 7\nload 5.ll\ncall 7\n");
    lines += &"load 3.ll\nload 5.ll\n".repeat(50);
    lines += "call 8\n";
    std::fs::write(folder.join("lines"), lines)?;
    let mut command = limited(60, built("plugin")?);
    let outcome = run(command.current_dir(&folder).stdin(std::fs::File::open(folder.join("lines"))?))?;
    let text = outcome.text();
    let said: Vec<&str> = text.lines().collect();
    let [first, third, wrong, none, again, fifth, last, thread] = said[..] else {
        panic!("{text}{}", outcome.errors())
    };
    assert_eq!([first, third, again, fifth, last], ["7", "21", "21", "35", "40"]);
    assert!(wrong.contains("defines no `step`") && none.starts_with("none.ll: ") && thread.contains("second thread"));
    Ok(())
}

#[test]
fn a_dialect_of_ones_own_compiles_and_runs() -> Result<(), Failure> {
    let outcome = example("dialect", &[])?;
    assert_eq!(outcome.text(), "99 50 -128; 500; 7 7 1\n", "{}", outcome.errors());
    let lines = std::fs::read_to_string(root().join("examples/dialect.rs"))?.lines().count();
    assert!(lines < 150, "the example shows that a small dialect is small");
    Ok(())
}
