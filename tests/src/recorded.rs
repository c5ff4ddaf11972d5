//! Texts on record: what a test makes must be what a file says, and `BLESS=1` writes the file anew.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::parallel;
use crate::tools::{Failure, root, work_folder};

/// Checks every file of a folder (from the repository's root) whose name ends in one of `endings`; `check` gets the file and whether to
/// write anew.
#[track_caller]
pub fn each(folder: &str, endings: &[&str], check: impl Fn(&Path, bool) -> Result<(), Failure> + Sync) {
    let bless = std::env::var_os("BLESS").is_some();
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|e| e.unwrap().path());
    let ends = |p: &PathBuf| p.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending));
    let mut inputs: Vec<PathBuf> = entries.filter(ends).collect();
    inputs.sort();
    assert!(!inputs.is_empty());
    let results = parallel::map(inputs.len(), |i| check(&inputs[i], bless));
    let failures: Vec<String> = results.into_iter().filter_map(|r| Some(r.err()?.to_string())).collect();
    assert!(failures.is_empty(), "BLESS=1 accepts what is right:\n{}", failures.join("\n"));
}

/// The words of a line `; KEY: WORDS` in a file's head.
///
/// # Errors
/// There is no such line.
pub fn head<'a>(text: &'a str, key: &str) -> Result<Vec<&'a str>, Failure> {
    let line = text.lines().find_map(|l| l.strip_prefix("; ")?.strip_prefix(key)?.strip_prefix(':'));
    line.map(|words| words.split_whitespace().collect()).ok_or_else(|| Failure::new(format!("its head has no {key}")))
}

/// A file of LLVM IR for every target that its head names (`; targets: TRIPLE TRIPLE`): a copy that begins with the triple. Its name has the
/// triple's architecture after a point.
///
/// # Errors
/// The head names no targets.
pub fn for_targets(file: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let text = std::fs::read_to_string(file)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = work_folder("goldens");
    let copy = |triple: &str| {
        let architecture = triple.split('-').next().unwrap_or_default();
        let path = folder.join(format!("{stem}.{architecture}.ll"));
        write_whole(&path, &format!("target triple = \"{triple}\"\n{text}"))?;
        Ok((triple.to_string(), path))
    };
    head(&text, "targets").map_err(|f| f.at(file.display()))?.into_iter().map(copy).collect()
}

/// Writes a file that other tests write, too, with the same text.
fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let unfinished = path.with_extension(format!("{}-{number}", std::process::id()));
    std::fs::write(&unfinished, text)?;
    Ok(std::fs::rename(unfinished, path)?)
}

/// Compares what a file says with what was made now, or writes it anew.
///
/// # Errors
/// There is no such file; the first line that differs.
pub fn compare(file: &Path, now: &str, bless: bool) -> Result<(), Failure> {
    if bless {
        return Ok(std::fs::write(file, now)?);
    }
    let recorded = std::fs::read_to_string(file).map_err(|e| Failure::new(format!("{}: {e}", file.display())))?;
    match recorded.lines().zip(now.lines()).position(|(a, b)| a != b) {
        None if recorded.len() == now.len() => Ok(()),
        line => {
            let at = line.unwrap_or(recorded.lines().count().min(now.lines().count()));
            let show = |text: &str| text.lines().nth(at).unwrap_or("(end)").to_string();
            let (old, new) = (show(&recorded), show(now));
            Err(Failure::new(format!("{}:{}:\n  recorded: {old}\n  now:      {new}", file.display(), at + 1)))
        }
    }
}
