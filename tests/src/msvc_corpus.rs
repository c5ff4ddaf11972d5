//! Sources for Microsoft's compilers that need no headers of theirs: those of `programs/msvc_corpus`, each of which is the sections of a
//! file there, and the programs that run.
//!
//! In a file of the corpus a line `//// NAME` begins a section, which is compiled by itself after `corpus.h`. `// flags: OPTIONS` as its
//! first line are clang's options for it, `// flags of all: OPTIONS` in front of the first section those of all of the file.

use crate::corpus::drivers;
use crate::tools::{Failure, work_folder};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A source with clang's options for it.
pub struct Source {
    /// The file's name and the section's.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Beside those of [`crate::msvc::EXCEPTIONS`].
    pub flags: Vec<String>,
}

/// All sources, in an order of their own. Sections are written to files of the work folder.
///
/// # Errors
/// A file cannot be read or written.
pub fn sources() -> Result<Vec<Source>, Failure> {
    static WRITING: Mutex<()> = Mutex::new(());
    let _one_by_one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = Vec::new();
    for path in files(&drivers().join("msvc_corpus"))? {
        all.extend(sections(&path)?);
    }
    for path in files(&drivers().join("msvc_eh"))? {
        let name = format!("program-{}", stem(&path));
        all.push(Source { name, path, flags: Vec::new() });
    }
    for name in ["coff_classes", "coff_landing"] {
        let path = drivers().join(format!("{name}.cpp"));
        all.push(Source { name: name.into(), path, flags: Vec::new() });
    }
    Ok(all)
}

/// A folder's C and C++ files.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for file in std::fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_some_and(|end| end == "c" || end == "cpp") {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Options after these words, if they are in a line of the text.
fn flags(text: &str, words: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(words));
    line.unwrap_or_default().split_whitespace().map(str::to_string).collect()
}

fn sections(file: &Path) -> Result<Vec<Source>, Failure> {
    let text = std::fs::read_to_string(file)?;
    let (head, rest) = match text.split_once("//// ") {
        Some(("", rest)) => ("", rest),
        Some((head, rest)) if head.ends_with('\n') => (head, rest),
        _ => return Err(Failure::new("no section").at(file.display())),
    };
    let end = file.extension().unwrap_or_default().to_string_lossy().into_owned();
    let folder = work_folder("msvc_corpus/sources");
    let header = drivers().join("msvc_corpus/corpus.h");
    let mut all = Vec::new();
    for section in rest.split("\n//// ") {
        let (name, body) = section.split_once('\n').unwrap_or((section, ""));
        let name = format!("{}-{}", stem(file), name.trim());
        let path = folder.join(format!("{name}.{end}"));
        let text = format!("#include \"{}\"\n{body}\n", header.display());
        // Other processes may read it.
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            let own = folder.join(format!("{name}-{}.tmp", std::process::id()));
            std::fs::write(&own, &text)?;
            std::fs::rename(&own, &path)?;
        }
        let flags = [flags(head, "// flags of all: "), flags(body, "// flags: ")].concat();
        all.push(Source { name, path, flags });
    }
    Ok(all)
}
