//! A folder for objects on their way to the linker.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};

use super::super::output;

/// A folder that nobody else can write to. It goes with this value.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Makes one among the system's temporary files.
    ///
    /// # Errors
    /// The message for the user.
    pub fn new() -> Result<Folder, String> {
        let place = std::env::temp_dir();
        loop {
            let random = RandomState::new().hash_one(std::process::id());
            let path = place.join(format!("gusset-{random:016x}"));
            match create(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(format!(
                        "error: {}: cannot make a folder: {}",
                        place.display(),
                        output::reason(&error)
                    ));
                }
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays among the temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn create(path: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "folders have no modes"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
