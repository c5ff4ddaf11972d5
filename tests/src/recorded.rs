//! Texts on record: what a test makes must be what a file says, and `BLESS=1` writes the file anew.

use std::path::{Path, PathBuf};

use crate::parallel;
use crate::tools::{Failure, root};

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
