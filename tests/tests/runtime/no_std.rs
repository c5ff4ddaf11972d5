//! The ABI layer does without the standard library.

use gusset_tests::tools::{self, Failure};

#[test]
fn a_library_without_std_builds() -> Result<(), Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = tools::limited(600, cargo);
    build.args(["build", "--quiet", "--locked", "--manifest-path"]).arg(tools::root().join("tests/no_std/Cargo.toml"));
    build.arg("--target-dir").arg(tools::work_folder("no-std"));
    tools::succeed(&mut build)?;
    Ok(())
}
