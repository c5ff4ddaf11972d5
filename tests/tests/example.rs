//! The shipped example: a small language compiled through the library, linked and run.

use std::path::Path;

use gusset_tests::tools::{Failure, Outcome, limited, root, run, work_folder};

/// Runs the example's compiler on a program.
fn pebble(program: &Path) -> Result<Outcome, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = limited(1200, cargo);
    // Where the tests are built, so that little is left to build.
    let target = work_folder("example").join("../..");
    command.args(["run", "--quiet", "--example", "pebble", "--target-dir"]).arg(target);
    command.args(["--profile", if cfg!(debug_assertions) { "dev" } else { "release" }]);
    command.arg("--manifest-path").arg(root().join("Cargo.toml")).arg("--").arg(program);
    run(&mut command)
}

#[test]
fn pebble_compiles_and_runs() -> Result<(), Failure> {
    let outcome = pebble(&root().join("examples/shapes.pebble"))?;
    let lines = ["box 0: diagonal 5", "box 1: diagonal 6.40312", "box 2: diagonal 7.81025", "fibonacci(20) = 6765"];
    assert_eq!(outcome.text().lines().collect::<Vec<_>>(), lines, "{}", outcome.errors());

    let wrong = work_folder("example").join("wrong.pebble");
    std::fs::write(&wrong, "struct A(int x)\nfn f(A a) int { return a.y; }\n")?;
    let outcome = pebble(&wrong)?;
    assert!(outcome.errors().contains("line 2: there is no field `y`"), "{}", outcome.errors());
    Ok(())
}
