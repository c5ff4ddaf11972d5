//! Code in memory on other machines: the tests of `gusset-memory`, which `cargo test` runs on the machine that the tests run on. They are
//! built for each machine, which takes minutes: `GUSSET_MEMORY_HOSTS=all` asks for it.

use gusset_tests::runtime::{AARCH64, ARM, PLATFORMS, Platform};
use gusset_tests::tools::{self, Failure};

/// Runs the tests of a platform; `runner` is what runs programs that use the system's libraries.
fn run(platform: &Platform, runner: &str) -> Result<(), Failure> {
    if std::env::var_os("GUSSET_MEMORY_HOSTS").is_none() {
        return Ok(());
    }
    let mut test = platform.cargo_of("gusset-memory", 900, "test");
    let variable = format!("CARGO_TARGET_{}", platform.triple.to_uppercase().replace('-', "_"));
    if platform.windows {
        platform.run_by_wine(&mut test)?;
    } else {
        test.env_remove(format!("{variable}_RUSTFLAGS")).env(format!("{variable}_RUNNER"), runner);
    }
    // What is built is run for a second.
    test.env("CARGO_PROFILE_TEST_OPT_LEVEL", "0").env("CARGO_PROFILE_TEST_DEBUG", "0");
    let outcome = tools::succeed(test.args(["--test", "native", "--", "--test-threads", "1"]))?;
    match outcome.text().matches("test result: ok").count() {
        1 => Ok(()),
        _ => Err(Failure::new(format!("ran something else: {}", outcome.text()))),
    }
}

#[test]
fn aarch64() -> Result<(), Failure> {
    run(&AARCH64, "qemu-aarch64 -L /usr/aarch64-linux-gnu")
}

#[test]
fn windows64() -> Result<(), Failure> {
    run(&PLATFORMS[2], "")
}

#[test]
fn linux32() -> Result<(), Failure> {
    run(&PLATFORMS[1], "/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib")
}

#[test]
fn arm() -> Result<(), Failure> {
    run(&ARM, "qemu-arm -L /usr/arm-linux-gnueabihf")
}

#[test]
fn windows32() -> Result<(), Failure> {
    run(&PLATFORMS[3], "")
}
