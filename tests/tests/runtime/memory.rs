//! Code in memory on other machines: the tests of `gusset-memory`, which `cargo test` runs on the machine that the tests run on. For
//! Windows they are built with all readers, which takes minutes: `GUSSET_MEMORY_HOSTS=all` asks for it.

use gusset_tests::runtime::{AARCH64, ARM, PLATFORMS, Platform};
use gusset_tests::tools::{self, Failure};

#[test]
fn linux32() -> Result<(), Failure> {
    PLATFORMS[1].test_memory()
}

#[test]
fn aarch64() -> Result<(), Failure> {
    AARCH64.test_memory()
}

#[test]
fn arm() -> Result<(), Failure> {
    ARM.test_memory()
}

/// Runs the tests by Wine.
fn run(platform: &Platform) -> Result<(), Failure> {
    if std::env::var_os("GUSSET_MEMORY_HOSTS").is_none() {
        return Ok(());
    }
    let mut test = platform.cargo_of("gusset-memory", 900, "test");
    platform.run_by_wine(&mut test)?;
    // What is built is run for a second.
    test.env("CARGO_PROFILE_TEST_OPT_LEVEL", "0").env("CARGO_PROFILE_TEST_DEBUG", "0");
    let outcome = tools::succeed(test.args(["--test", "native", "--", "--test-threads", "1"]))?;
    match outcome.text().matches("test result: ok").count() {
        1 => Ok(()),
        _ => Err(Failure::new(format!("ran something else: {}", outcome.text()))),
    }
}

#[test]
fn windows64() -> Result<(), Failure> {
    run(&PLATFORMS[2])
}

#[test]
fn windows32() -> Result<(), Failure> {
    run(&PLATFORMS[3])
}
