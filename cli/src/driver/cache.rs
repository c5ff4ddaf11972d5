//! Objects that were made of bitcode before, by what is in the bitcode and in the options.
//!
//! An entry is a file `FOLDER/xx/….o`, named by a hash, that holds the hash of an object and the object. It is written to a file
//! beside its place, which then gets its name, so that any number of processes can share a folder. A process that has added entries removes
//! the least recently used ones until the folder is within its limit.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gusset::Features;
use sha2::{Digest, Sha256};

use super::super::args::Compile;
use super::super::output;

/// What the folder holds at most if nothing else is said, in MB.
const LIMIT: u64 = 2_000;

/// After this time a file that is no entry was left by a process that ended.
const ABANDONED: Duration = Duration::from_secs(3600);

const HASH_BYTES: usize = 32;

/// The name of an object.
pub(super) struct Key([u8; HASH_BYTES]);

impl Key {
    /// That of the object that these choices make of bitcode.
    pub fn new(compile: &Compile, bitcode: &[u8]) -> Key {
        let Compile { target, cpu, attributes, options, .. } = compile;
        // Another executable may make another object; the number of threads makes none.
        let own = std::env::current_exe().and_then(fs::metadata).and_then(|own| Ok((own.len(), own.modified()?))).ok();
        let native = (cpu.as_deref() == Some("native")).then(Features::native);
        let options = options.clone().threads(1);
        let version = env!("CARGO_PKG_VERSION");
        let choices = format!("{version} {own:?} {target:?} {cpu:?} {native:?} {attributes:?} {options:?}\n");
        Key(sha256(&[choices.as_bytes(), bitcode]))
    }
}

/// The hash of pieces one after the other (SHA-256).
fn sha256(pieces: &[&[u8]]) -> [u8; HASH_BYTES] {
    pieces.iter().fold(Sha256::new(), |hash, piece| hash.chain_update(piece)).finalize().into()
}

/// A folder of objects.
pub(super) struct Cache {
    folder: PathBuf,
    /// How many bytes its files have together, at most.
    limit: u64,
}

impl Cache {
    /// The folder that is named, else that of the environment, else one for this user. `None`: nothing is kept.
    ///
    /// # Errors
    /// The environment gives no number as the limit, or the named folder cannot be made.
    pub fn open(named: Option<&Path>) -> Result<Option<Cache>, String> {
        let limit = match std::env::var("GUSSET_CACHE_SIZE") {
            Ok(text) => {
                text.parse().map_err(|_| format!("error: GUSSET_CACHE_SIZE is a number of MB, not `{text}`"))?
            }
            Err(_) => LIMIT,
        };
        let said = named.map(PathBuf::from).or_else(|| std::env::var_os("GUSSET_CACHE_DIR").map(PathBuf::from));
        let own = said.is_none();
        let Some(folder) = said.or_else(own_folder).filter(|folder| !folder.as_os_str().is_empty()) else {
            return Ok(None);
        };
        match fs::create_dir_all(&folder) {
            Ok(()) => Ok(Some(Cache { folder, limit: limit.saturating_mul(1_000_000) })),
            // Not every user has a home.
            Err(_) if own => Ok(None),
            Err(error) => Err(format!(
                "error: {}: cannot make the folder of the cache: {}",
                folder.display(),
                output::reason(&error)
            )),
        }
    }

    fn place(&self, key: &Key) -> PathBuf {
        let name: String = key.0.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(&name[..2]).join(format!("{}.o", &name[2..]))
    }

    /// The object of a name. A damaged one is none.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let mut file = OpenOptions::new().read(true).append(true).open(self.place(key)).ok()?;
        let mut entry = Vec::new();
        file.read_to_end(&mut entry).ok()?;
        let (hash, object) = entry.split_at_checked(HASH_BYTES)?;
        if hash != sha256(&[object]) {
            return None;
        }
        // If the time of use is not noted the entry goes earlier.
        let _ = file.set_modified(SystemTime::now());
        Some(entry.split_off(HASH_BYTES))
    }

    /// Keeps an object. One that cannot be kept is made again.
    pub fn put(&self, key: &Key, object: &[u8]) {
        let place = self.place(key);
        let entry = [&sha256(&[object])[..], object].concat();
        let _ = place.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok())
            && output::write(&place, &entry).is_ok();
    }

    /// Removes the entries that were used least recently, down to three quarters of the limit, if there is more than that.
    pub fn trim(&self) {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        let mut bytes = 0;
        for file in self.files() {
            let Ok(meta) = file.metadata() else { continue };
            let (path, used) = (file.path(), meta.modified().unwrap_or(now));
            let abandoned = now.duration_since(used).is_ok_and(|age| age > ABANDONED);
            if path.extension().is_some_and(|ending| ending == "tmp") && abandoned {
                // Another process may have done it.
                let _ = fs::remove_file(&path);
                continue;
            }
            bytes += meta.len();
            entries.push((used, path, meta.len()));
        }
        if bytes <= self.limit {
            return;
        }
        entries.sort();
        for (_, path, size) in entries {
            if bytes <= self.limit / 4 * 3 {
                break;
            }
            let _ = fs::remove_file(&path);
            bytes -= size;
        }
    }

    /// The files in the folders of entries; nothing else in the folder is touched.
    fn files(&self) -> impl Iterator<Item = fs::DirEntry> {
        let folders = (0..=0xff).filter_map(|byte: u8| fs::read_dir(self.folder.join(format!("{byte:02x}"))).ok());
        folders.flat_map(|folder| folder.flatten())
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Where systems keep what can be made again.
fn own_folder() -> Option<PathBuf> {
    let place = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = match () {
        () if cfg!(windows) => place("LOCALAPPDATA"),
        () if cfg!(target_os = "macos") => place("HOME").map(|home| home.join("Library/Caches")),
        () => place("XDG_CACHE_HOME").or_else(|| place("HOME").map(|home| home.join(".cache"))),
    };
    caches.map(|caches| caches.join("gusset").join("objects"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_folder_loses_what_was_used_least_recently() {
        let folder = std::env::temp_dir().join(format!("gusset-cache-{}", std::process::id()));
        let cache = Cache { folder: folder.clone(), limit: 4000 };
        let key = |n: u8| Key([n; HASH_BYTES]);
        for n in 0..4 {
            cache.put(&key(n), &[n; 900]);
            let file = fs::File::options().append(true).open(cache.place(&key(n))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(100 - u64::from(n))).unwrap();
        }
        cache.trim();
        assert_eq!(cache.get(&key(0)), Some(vec![0; 900]), "there was room");
        cache.put(&key(4), &[4; 900]);
        let abandoned = folder.join("00/.gusset-x.tmp");
        fs::write(&abandoned, [0; 50]).unwrap();
        cache.trim();
        assert!(abandoned.exists(), "another process may be writing it");
        fs::File::options().append(true).open(&abandoned).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        cache.trim();
        let left: Vec<bool> = (0..5).map(|n| cache.get(&key(n)).is_some()).collect();
        assert_eq!(left, [true, false, false, true, true]);
        assert!(!abandoned.exists());
        // A damaged entry is none.
        fs::write(cache.place(&key(3)), b"short").unwrap();
        fs::write(cache.place(&key(4)), [7; 900]).unwrap();
        assert!(cache.get(&key(3)).is_none() && cache.get(&key(4)).is_none());
        fs::remove_dir_all(&folder).unwrap();
    }
}
