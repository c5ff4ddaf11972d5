//! Writes the output so that it is there whole or not at all.

use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions};
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gusset::SparseBytes;

use super::streams;

/// The longest chain of links, as in systems.
const MAX_LINKS: usize = 40;

/// Writes a file. A regular file is replaced in one step once all of it is on disk next to it; until then an old file
/// stays. It is no error if the reader of a pipe stops reading.
///
/// # Errors
/// The message for the user.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    write_by(path, &|out| out.write_all(bytes))
}

/// The same for bytes with repetitions.
///
/// # Errors
/// The message for the user.
pub(crate) fn write_sparse(path: &Path, bytes: &SparseBytes) -> Result<(), String> {
    write_by(path, &|out| bytes.write_to(out))
}

/// Writes all of something.
type Contents<'c> = &'c dyn Fn(&mut dyn Write) -> io::Result<()>;

fn write_by(path: &Path, contents: Contents<'_>) -> Result<(), String> {
    try_write(path, contents).map_err(|e| format!("{}: error: cannot write: {}", name_of(path, "<stdout>"), reason(&e)))
}

/// A file's name in messages.
pub(crate) fn name_of(file: &Path, standard: &str) -> String {
    if file == Path::new("-") { standard.to_string() } else { file.display().to_string() }
}

fn try_write(path: &Path, contents: Contents<'_>) -> io::Result<()> {
    let written = if path == Path::new("-") {
        streams::write_stdout(contents)
    } else {
        match fs::metadata(path) {
            // Devices and pipes are written to, not replaced.
            Ok(meta) if !meta.is_file() => {
                OpenOptions::new().write(true).open(path).and_then(|mut file| contents(&mut file))
            }
            _ => return replace(&target_of(path)?, contents),
        }
    };
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Is this the same file as another, under whatever names?
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    if a == Path::new("-") || b == Path::new("-") {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        match (fs::metadata(a), fs::metadata(b)) {
            // Writing to a device does not change what is read from it.
            (Ok(a), Ok(b)) => a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// The file that a path names, which need not exist. A link stays a link.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            // Joining an absolute path gives that path.
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

fn replace(path: &Path, contents: Contents<'_>) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::ErrorKind::InvalidFilename.into());
    }
    // From here to its end, requests to end the process wait, so that nothing temporary is left.
    let _guard = streams::HoldSignals::new();
    let (temporary, mut file) = create_beside(path)?;
    let written = contents(&mut file);
    drop(file);
    let result = written.and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// A new file in a path's folder, under a name that nobody can have prepared for. (`tempfile` makes files that only their owner
/// may read, and brings more code than this.)
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let random = RandomState::new().hash_one(path);
        let temporary = path.with_file_name(format!(".gusset-{random:016x}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (temporary, file)),
        }
    }
}

/// The meaning of a system error, without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((reason, _)) => reason.to_string(),
        None => text,
    }
}
