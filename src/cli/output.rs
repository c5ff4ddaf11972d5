//! Writing the output so that it is there whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file. A regular file is replaced in one step once all of it is on disk beside it; until then an old one stays.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path == Path::new("-") {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        return out.flush();
    }
    // Devices and pipes are written to, not replaced; a link keeps pointing where it does.
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => return OpenOptions::new().write(true).open(path)?.write_all(bytes),
        _ => {}
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let result = fill(&temporary, bytes).and_then(|()| fs::rename(&temporary, &path));
    if result.is_err() {
        // It may not exist; the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path)?.write_all(bytes)
}

/// What an error of the system means, without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((reason, _)) => reason.to_string(),
        None => text,
    }
}
