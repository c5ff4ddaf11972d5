//! On Windows, the functions of memory that programs may define themselves become members of the static library of their own: see
//! `src/memory.rs`. Each is compiled by itself and put into an archive, which rustc adds to the library.

use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

const MEMBERS: [&str; 3] = ["alloc", "aligned_alloc", "free"];

fn main() -> Result<(), io::Error> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/members");
    let variable = |name| env::var(name).map_err(io::Error::other);
    if variable("CARGO_CFG_TARGET_OS")? != "windows" {
        return Ok(());
    }
    let (rustc, target, folder) = (variable("RUSTC")?, variable("TARGET")?, variable("OUT_DIR")?);
    let mut archive = b"!<arch>\n".to_vec();
    for name in MEMBERS {
        let object = Path::new(&folder).join(name).with_extension("o");
        let mut compile = Command::new(&rustc);
        compile.args(["--edition=2024", "--crate-type=lib", "--crate-name", name, "--target", &target]);
        compile.args(["-Copt-level=3", "-Cpanic=abort", "-Ccodegen-units=1"]);
        compile.arg(format!("--emit=obj={}", object.display())).arg(format!("src/members/{name}.rs"));
        if !compile.status()?.success() {
            return Err(io::Error::other(format!("src/members/{name}.rs does not compile")));
        }
        append(&mut archive, name, &fs::read(&object)?);
    }
    fs::write(Path::new(&folder).join("libgusset_members.a"), archive)?;
    println!("cargo::rustc-link-search=native={folder}");
    println!("cargo::rustc-link-lib=static=gusset_members");
    Ok(())
}

/// Adds a member, which begins at an even offset: name, times and owners, mode, size. rustc makes the index.
fn append(archive: &mut Vec<u8>, name: &str, contents: &[u8]) {
    let name = format!("{name}.o/");
    archive.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, contents.len()).bytes());
    archive.extend(contents);
    if contents.len() % 2 == 1 {
        archive.push(b'\n');
    }
}
