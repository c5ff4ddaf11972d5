//! Real programs. Their C sources come with crates, which `tests/corpus` names and nothing builds; drivers and scripts
//! that give them work lie in `tests/programs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::build::Unit;
use crate::tools::{Failure, limited, root, succeed};

/// A program to build and run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name in messages.
    pub name: &'static str,
    /// Its C files, the driver first.
    pub units: Vec<Unit>,
    /// What the linker needs beside the objects.
    pub link: &'static [&'static str],
    /// Arguments of the run. It is run in `tests/programs`.
    pub arguments: &'static [&'static str],
}

/// The folder of drivers and scripts.
pub fn drivers() -> PathBuf {
    root().join("tests/programs")
}

/// The folder of the sources of a crate that `tests/corpus` names.
pub fn crate_folder(name: &str) -> Result<PathBuf, Failure> {
    static FOLDERS: OnceLock<Result<BTreeMap<String, PathBuf>, String>> = OnceLock::new();
    let folders = FOLDERS.get_or_init(|| folders().map_err(|f| f.to_string()));
    let folders = folders.as_ref().map_err(|message| Failure::new(message.clone()))?;
    folders.get(name).cloned().ok_or_else(|| Failure::new(format!("tests/corpus does not name a crate {name}")))
}

fn folders() -> Result<BTreeMap<String, PathBuf>, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = limited(600, cargo);
    command
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(root().join("tests/corpus/Cargo.toml"));
    let text = succeed(&mut command)?.stdout;
    let metadata: serde_json::Value =
        serde_json::from_slice(&text).map_err(|e| Failure::new(format!("cargo metadata: {e}")))?;
    let packages = metadata["packages"].as_array().ok_or_else(|| Failure::new("cargo metadata lists no packages"))?;
    let entry = |p: &serde_json::Value| {
        let folder = Path::new(p["manifest_path"].as_str()?).parent()?.to_path_buf();
        Some((p["name"].as_str()?.to_string(), folder))
    };
    Ok(packages.iter().filter_map(entry).collect())
}

/// All C files of a folder, in the order of their names.
fn c_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|e| Failure::new(format!("{}: {e}", folder.display())))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "c") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Units of a driver and the files of a library.
fn units(driver: &str, library: Vec<PathBuf>, include: &Path, flags: &[&str]) -> Vec<Unit> {
    let mut flags: Vec<String> = flags.iter().map(|f| f.to_string()).collect();
    flags.push(format!("-I{}", include.display()));
    let driver = drivers().join(driver);
    std::iter::once(driver).chain(library).map(|source| Unit { source, flags: flags.clone() }).collect()
}

/// sqlite, with full-text search, R-trees and the mathematical functions.
pub fn sqlite() -> Result<Program, Failure> {
    let folder = crate_folder("libsqlite3-sys")?.join("sqlite3");
    let flags = [
        "-DSQLITE_ENABLE_FTS5",
        "-DSQLITE_ENABLE_RTREE",
        "-DSQLITE_ENABLE_MATH_FUNCTIONS",
        "-DSQLITE_ENABLE_STAT4",
        "-DSQLITE_OMIT_LOAD_EXTENSION",
    ];
    let units = units("sqlite.c", vec![folder.join("sqlite3.c")], &folder, &flags);
    Ok(Program { name: "sqlite", units, link: &["-lm", "-lpthread"], arguments: &[] })
}

/// The Lua 5.4 interpreter.
pub fn lua() -> Result<Program, Failure> {
    let folder = crate_folder("lua-src")?;
    let version = std::fs::read_dir(&folder)?.filter_map(|e| Some(e.ok()?.path()));
    let folder = version.filter(|p| p.to_string_lossy().contains("/lua-5.4")).max();
    let folder = folder.ok_or_else(|| Failure::new("the crate lua-src has no Lua 5.4"))?;
    let units = units("lua.c", c_files(&folder)?, &folder, &["-DLUA_USE_POSIX"]);
    Ok(Program { name: "lua", units, link: &["-lm"], arguments: &["work.lua"] })
}

/// The QuickJS engine, without its inline assembly.
pub fn quickjs() -> Result<Program, Failure> {
    let folder = crate_folder("rquickjs-sys")?.join("quickjs");
    let library = ["quickjs.c", "libregexp.c", "libunicode.c", "dtoa.c"].map(|f| folder.join(f)).into();
    let plain = drivers().join("quickjs_plain.h").display().to_string();
    let units = units("quickjs.c", library, &folder, &["-D_GNU_SOURCE", "-include", &plain]);
    Ok(Program { name: "quickjs", units, link: &["-lm", "-lpthread"], arguments: &["work.js"] })
}

/// The zstd compressor, without its inline assembly.
pub fn zstd() -> Result<Program, Failure> {
    let folder = crate_folder("zstd-sys")?.join("zstd/lib");
    let mut library = Vec::new();
    for part in ["common", "compress", "decompress", "dictBuilder"] {
        library.extend(c_files(&folder.join(part))?);
    }
    let plain = drivers().join("zstd_plain.h").display().to_string();
    let units = units("zstd.c", library, &folder, &["-D_GNU_SOURCE", "-include", &plain]);
    Ok(Program { name: "zstd", units, link: &["-lpthread"], arguments: &[] })
}

/// The zlib compressor.
pub fn zlib() -> Result<Program, Failure> {
    let folder = crate_folder("libz-sys")?.join("src/zlib");
    let units = units("zlib.c", c_files(&folder)?, &folder, &["-DHAVE_UNISTD_H"]);
    Ok(Program { name: "zlib", units, link: &[], arguments: &[] })
}

/// The lz4 compressor.
pub fn lz4() -> Result<Program, Failure> {
    let folder = crate_folder("lz4-sys")?.join("liblz4/lib");
    let library = ["lz4.c", "lz4frame.c", "lz4hc.c", "xxhash.c"].map(|f| folder.join(f)).into();
    Ok(Program { name: "lz4", units: units("lz4.c", library, &folder, &[]), link: &[], arguments: &[] })
}

/// The bzip2 compressor.
pub fn bzip2() -> Result<Program, Failure> {
    let folder = crate_folder("bzip2-sys")?;
    let version = std::fs::read_dir(&folder)?.filter_map(|e| Some(e.ok()?.path()));
    let folder = version.filter(|p| p.to_string_lossy().contains("/bzip2-1.")).max();
    let folder = folder.ok_or_else(|| Failure::new("the crate bzip2-sys has no bzip2"))?;
    let names = ["blocksort.c", "huffman.c", "crctable.c", "randtable.c", "compress.c", "decompress.c", "bzlib.c"];
    let library = names.map(|f| folder.join(f)).into();
    Ok(Program {
        name: "bzip2",
        units: units("bzip2.c", library, &folder, &["-DBZ_NO_STDIO"]),
        link: &[],
        arguments: &[],
    })
}

/// The compressor of xz, liblzma, with one thread.
pub fn xz() -> Result<Program, Failure> {
    let root = crate_folder("lzma-sys")?;
    let source = root.join("xz-5.2/src");
    let parts = ["api", "common", "check", "delta", "lz", "lzma", "rangecoder", "simple"];
    let mut library = Vec::new();
    for part in &parts[1..] {
        library.extend(c_files(&source.join("liblzma").join(part))?);
    }
    // The table generators are separate programs, and the small variants define the same functions as the fast ones.
    library.retain(|file| {
        let name = file.file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
        !name.ends_with("tablegen") && !name.ends_with("_small")
    });
    library.extend(["tuklib_cpucores.c", "tuklib_physmem.c"].map(|file| source.join("common").join(file)));
    let folders = parts.map(|part| format!("-I{}", source.join("liblzma").join(part).display()));
    let common = format!("-I{}", source.join("common").display());
    let flags: Vec<&str> = folders.iter().chain([&common]).map(String::as_str).chain(["-DHAVE_CONFIG_H=1"]).collect();
    Ok(Program { name: "xz", units: units("xz.c", library, &root, &flags), link: &["-lpthread"], arguments: &[] })
}

/// A program of what 32-bit ARM has and other machines have not.
pub fn arm() -> Result<Program, Failure> {
    let units = vec![Unit { source: drivers().join("arm.c"), flags: Vec::new() }];
    Ok(Program { name: "arm", units, link: &["-lm"], arguments: &[] })
}

/// What AArch64 has and other machines have not, or not so.
pub fn aarch64() -> Result<Program, Failure> {
    let units = vec![Unit { source: drivers().join("aarch64.c"), flags: Vec::new() }];
    Ok(Program { name: "aarch64", units, link: &["-lm"], arguments: &[] })
}
