//! The files, and for which machine each is: its `RUN` lines say.

use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::tools::files_below;

use super::runs::{self, Call, Content, Run, content};

/// Folders of LLVM's tests that are counted together.
#[derive(Debug)]
pub struct Group {
    pub name: &'static str,
    pub folders: &'static [&'static str],
    pub out: runs::Extensions,
    /// How many of a hundred files have to be accepted.
    pub least: f64,
}

/// What is counted.
pub static GROUPS: [Group; 3] = [
    Group { name: "x86", folders: &["X86", "Generic"], out: runs::AVX, least: 95.5 },
    Group { name: "AArch64", folders: &["AArch64"], out: runs::SCALABLE, least: 93.0 },
    Group { name: "ARM, 32 bits", folders: &["ARM", "Thumb2"], out: runs::SMALL_ARM, least: 88.0 },
];

/// The variable that makes big-endian code of all files for AArch64 and ARM.
const BIG_ENDIAN: &str = "GUSSET_ACCEPTANCE_BIG_ENDIAN";

/// A file of LLVM IR with what it is compiled for.
#[derive(Clone, Debug)]
pub struct File {
    pub path: PathBuf,
    /// Its name in reports: folder and file name.
    pub name: String,
    pub group: &'static Group,
    pub runs: Vec<Run>,
    pub content: Content,
    /// Where its functions are called: by the line in it that comes closest to what Gusset is for.
    pub triple: String,
    /// Machine extensions, each with its sign.
    pub features: Vec<String>,
}

impl File {
    /// The machine on which its functions are called.
    pub fn mode(&self) -> Mode {
        // The letters that say so are no part of other names.
        let big = ["aarch64_be", "armeb", "thumbeb"].iter().any(|arch| self.triple.starts_with(arch));
        match self.group.name {
            "AArch64" if big || std::env::var_os(BIG_ENDIAN).is_some() => Mode::Aarch64Be,
            "AArch64" => Mode::Aarch64,
            "x86" if self.triple.starts_with("x86_64") => Mode::Bits64,
            "x86" => Mode::Bits32,
            _ => match (self.triple.starts_with("thumb"), big || std::env::var_os(BIG_ENDIAN).is_some()) {
                (true, true) => Mode::T32Be,
                (false, true) => Mode::A32Be,
                (true, false) => Mode::T32,
                (false, false) => Mode::A32,
            },
        }
    }

    /// The features that Gusset knows; the others change nothing that it makes.
    pub fn known_features(&self) -> String {
        let x86 = matches!(self.mode(), Mode::Bits64 | Mode::Bits32);
        let known = |f: &&String| !x86 || KNOWN.contains(&&f[1..]);
        self.features.iter().filter(known).cloned().collect::<Vec<_>>().join(",")
    }
}

/// The extensions that `gusset targets` lists.
const KNOWN: [&str; 18] = [
    "64bit", "bmi", "bmi2", "cmov", "cx16", "cx8", "fma", "fxsr", "lzcnt", "mmx", "popcnt", "sahf", "sse", "sse2",
    "sse3", "ssse3", "sse4.1", "sse4.2",
];
fn is_windows(triple: &str) -> bool {
    !triple.contains("darwin") && ["windows", "win32", "mingw", "cygwin"].iter().any(|os| triple.contains(os))
}

/// What a file is compiled for.
fn describe(path: &Path, name: String, text: &str, group: &'static Group) -> File {
    let of_module = text.lines().find_map(|l| l.strip_prefix("target triple"));
    let of_module = of_module.and_then(|rest| rest.split('"').nth(1));
    let runs = runs::runs(path, text, of_module, &group.out);
    let best = runs.iter().filter_map(|run| match run {
        Run::Counts(call) => Some((0, call)),
        Run::LeftOut(call) => Some((1, call)),
        Run::OtherSystem(call) => Some((2, call)),
        Run::NotLlc => None,
    });
    // Of several that are as good, the first.
    let best = best.min_by_key(|(order, _)| *order).map(|(_, call)| call);
    let of_architecture = best.and_then(Call::architecture).and_then(|march| match march {
        "x86" => Some(linux_triple(true)),
        "x86-64" => Some(linux_triple(false)),
        _ => None,
    });
    let mut triple =
        best.map_or(of_module.unwrap_or_default(), |call| call.triple(of_architecture.or(of_module))).to_string();
    let mut features = best.map(Call::features).unwrap_or_default();
    features.retain(|f| !group.out.features.iter().any(|part| f.contains(part)));
    let narrow = triple.starts_with("x86-") || triple == "x86" || triple.as_bytes().get(2..4) == Some(b"86");
    // Other systems' files become Linux's, and so does what is not ELF there or COFF.
    let (windows, linux) = (is_windows(&triple), triple.contains("linux"));
    let x86 = group.folders.contains(&"X86");
    if x86 && !(windows || linux) || triple.contains("macho") || windows && triple.contains("elf") {
        triple = linux_triple(narrow).into();
    }
    File { path: path.into(), name, group, runs, content: content(text, &group.out), triple, features }
}

/// Linux on x86.
pub fn linux_triple(narrow: bool) -> &'static str {
    if narrow { "i686-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" }
}

/// Every `.ll` file below these folders of a folder, in the order of names.
pub fn all(root: &Path, folders: &[&str], group: &'static Group) -> Vec<File> {
    let below = |folder: &&str| files_below(&root.join(folder), "ll").unwrap_or_else(|e| panic!("{e}"));
    let mut found: Vec<PathBuf> = folders.iter().flat_map(below).collect();
    found.sort();
    let described = found.into_iter().map(|path| {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        describe(&path, name, &text, group)
    });
    described.collect()
}
