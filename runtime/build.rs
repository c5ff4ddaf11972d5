//! On Windows, the functions of memory that programs may define themselves become members of the static library of their own: see
//! `src/memory.rs`. Each is compiled by itself and put into an archive. Rustc puts that into the static
//! library; linkers read it where they link Rust's own, as its tests do.

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
    let mut objects = Vec::new();
    for name in MEMBERS {
        let object = Path::new(&folder).join(name).with_extension("o");
        let mut compile = Command::new(&rustc);
        compile.args(["--edition=2024", "--crate-type=lib", "--crate-name", name, "--target", &target]);
        compile.args(["-Copt-level=3", "-Cpanic=abort", "-Ccodegen-units=1"]);
        compile.arg(format!("--emit=obj={}", object.display())).arg(format!("src/members/{name}.rs"));
        if !compile.status()?.success() {
            return Err(io::Error::other(format!("src/members/{name}.rs does not compile")));
        }
        objects.push((name, fs::read(&object)?));
    }
    // C's names have an underscore in front on 32-bit Windows.
    let prefix = if variable("CARGO_CFG_TARGET_ARCH")? == "x86" { "_" } else { "" };
    fs::write(Path::new(&folder).join("libgusset_members.a"), archive(&objects, prefix))?;
    println!("cargo::rustc-link-search=native={folder}");
    println!("cargo::rustc-link-lib=static=gusset_members");
    Ok(())
}

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER_BYTES: usize = 60;

/// An archive of objects that define one function each, as GNU's tools write it. Its index comes first, with numbers whose highest byte
/// comes first: how many names there are, for each the place of the member that defines it, then the names.
fn archive(objects: &[(&str, Vec<u8>)], prefix: &str) -> Vec<u8> {
    let names: String = objects.iter().map(|(name, _)| format!("{prefix}_mlir_memref_to_llvm_{name}\0")).collect();
    let index_bytes = 4 + 4 * objects.len() + names.len();
    let mut at = MAGIC.len() + HEADER_BYTES + index_bytes.next_multiple_of(2);
    let mut index = (objects.len() as u32).to_be_bytes().to_vec();
    for (_, contents) in objects {
        index.extend((at as u32).to_be_bytes());
        at += HEADER_BYTES + contents.len().next_multiple_of(2);
    }
    index.extend(names.bytes());
    let mut archive = MAGIC.to_vec();
    append(&mut archive, "/", &index);
    for (name, contents) in objects {
        append(&mut archive, &format!("{name}.o/"), contents);
    }
    archive
}

/// Adds a member, which begins at an even offset: name, times and owners, mode, size.
fn append(archive: &mut Vec<u8>, name: &str, contents: &[u8]) {
    archive.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, contents.len()).bytes());
    archive.extend(contents);
    if contents.len() % 2 == 1 {
        archive.push(b'\n');
    }
}
