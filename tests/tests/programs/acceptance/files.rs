//! The files, and for which machine each is: its `RUN` lines say.

use std::path::{Path, PathBuf};

use gusset_tests::tools::files_below;

/// A file of LLVM IR with what it is compiled for.
#[derive(Clone, Debug)]
pub struct File {
    pub path: PathBuf,
    /// Its name in reports: folder and file name.
    pub name: String,
    pub triple: String,
    /// Machine extensions, each with its sign.
    pub features: Vec<String>,
}

impl File {
    /// Whether it is for 32-bit mode.
    pub fn is_32(&self) -> bool {
        !self.triple.starts_with("x86_64")
    }

    /// The features that Gusset knows; the others change nothing that it makes.
    pub fn known_features(&self) -> String {
        let known = |f: &&String| KNOWN.contains(&&f[1..]);
        self.features.iter().filter(known).cloned().collect::<Vec<_>>().join(",")
    }
}

/// The extensions that `gusset targets` lists.
const KNOWN: [&str; 18] = [
    "64bit", "bmi", "bmi2", "cmov", "cx16", "cx8", "fma", "fxsr", "lzcnt", "mmx", "popcnt", "sahf", "sse", "sse2",
    "sse3", "ssse3", "sse4.1", "sse4.2",
];
/// Parts of the names of extensions that Gusset does not have and files are compiled without: those of AVX and later.
const WITHOUT: [&str; 10] = ["avx", "xop", "fma4", "evex", "amx", "egpr", "ndd", "apx", "ccmp", "gfni"];

/// What a line with a command asks for.
struct Run {
    triple: String,
    features: Vec<String>,
    /// Whether it is for an extension that is left out.
    left_out: bool,
}

fn option<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let at = line.find(name)? + name.len();
    let value = line[at..].trim_start_matches(['=', ' ', '"']);
    value.split([' ', '"', '|', '\\']).next().filter(|v| !v.is_empty())
}

fn run(line: &str, of_module: Option<&str>) -> Run {
    let architecture = option(line, "-march").and_then(|march| match march {
        "x86" => Some("i686-unknown-linux-gnu"),
        "x86-64" => Some("x86_64-unknown-linux-gnu"),
        _ => None,
    });
    let triple = option(line, "-mtriple").or(architecture).or(of_module).unwrap_or_default().to_string();
    let asked: Vec<&str> = option(line, "-mattr").unwrap_or_default().split(',').filter(|f| !f.is_empty()).collect();
    let is_out = |f: &&str| WITHOUT.iter().any(|part| f.contains(part));
    let left_out = asked.iter().any(is_out);
    let signed = |f: &str| if f.starts_with(['+', '-']) { f.to_string() } else { format!("+{f}") };
    let features = asked.into_iter().filter(|f| !is_out(f)).map(signed).collect();
    Run { triple, features, left_out }
}

fn is_windows(triple: &str) -> bool {
    !triple.contains("darwin") && ["windows", "win32", "mingw", "cygwin"].iter().any(|os| triple.contains(os))
}

/// What a file is compiled for: by the command in it that comes closest to what Gusset is for.
pub fn describe(path: &Path, name: String, text: &str) -> File {
    let of_module = text.lines().find_map(|l| l.strip_prefix("target triple"));
    let of_module = of_module.and_then(|rest| rest.split('"').nth(1));
    let mut commands = vec![String::new()];
    for line in text.lines().filter_map(|l| l.split_once("RUN:")).map(|(_, command)| command) {
        let continued = commands.last().is_some_and(|last| last.ends_with('\\'));
        if continued { commands.last_mut().expect("there is one").push_str(line) } else { commands.push(line.into()) }
    }
    let runs = commands.iter().filter(|c| c.contains("llc")).map(|c| run(c, of_module));
    // Of several that are as good, the first.
    let score = |run: &Run| {
        let system =
            if is_windows(&run.triple) || run.triple.contains("linux") { 2 } else { run.triple.is_empty() as u32 };
        system * 2 + !run.left_out as u32
    };
    let mut best = runs.fold(None, |best: Option<Run>, run| match best {
        Some(best) if score(&best) >= score(&run) => Some(best),
        _ => Some(run),
    });
    let Run { mut triple, features, .. } = best.take().unwrap_or_else(|| run("", of_module));
    let narrow = triple.starts_with("x86-") || triple == "x86" || triple.as_bytes().get(2..4) == Some(b"86");
    // Other systems' files become Linux's, and so does what is not ELF there or COFF.
    let (windows, linux) = (is_windows(&triple), triple.contains("linux"));
    if !(windows || linux) || triple.contains("macho") || windows && triple.contains("elf") {
        triple = linux_triple(narrow).into();
    }
    File { path: path.into(), name, triple, features }
}

/// Linux on x86.
pub fn linux_triple(narrow: bool) -> &'static str {
    if narrow { "i686-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" }
}

/// Every `.ll` file below these folders of a folder, in the order of names.
pub fn all(root: &Path, folders: &[&str]) -> Vec<File> {
    let below = |folder: &&str| files_below(&root.join(folder), "ll").unwrap_or_else(|e| panic!("{e}"));
    let mut found: Vec<PathBuf> = folders.iter().flat_map(below).collect();
    found.sort();
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
            describe(&path, name, &text)
        })
        .collect()
}
