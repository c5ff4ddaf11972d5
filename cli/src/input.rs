//! Reading the input.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use gusset::Progress;

use super::messages::Failure;
use super::output;

/// The bytes of an input file.
pub(crate) enum Input {
    Mapped(memmap2::Mmap),
    Read(Vec<u8>),
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Input::Mapped(map) => map,
            Input::Read(bytes) => bytes,
        }
    }
}

/// Smaller files are read: mapping them costs more than it saves.
const WORTH_MAPPING: u64 = 1 << 20;

/// How many bytes are given back at once.
#[cfg(unix)]
const GIVEN_BACK: usize = 256 << 10;

/// How far the memory of a file has been given back in the current pass over it.
#[derive(Default)]
#[cfg_attr(not(unix), expect(dead_code, reason = "nothing is given back"))]
pub(crate) struct GivenBack {
    to: usize,
    compiling: bool,
}

impl Input {
    /// Gives the memory of a mapped file back to the system as far as it has been read. Reading there again finds the
    /// same bytes.
    pub fn give_back(&self, given: &mut GivenBack, progress: Progress) {
        #[cfg(unix)]
        if let Input::Mapped(map) = self {
            let (compiling, read) = match progress {
                Progress::LookedOver(read) => (false, read.min(map.len())),
                Progress::Compiled(read) => (true, read.min(map.len())),
                _ => return,
            };
            let whole = read == map.len();
            // Every pass begins again; at the end of the first, some pieces have been read once more.
            if compiling != given.compiling || read < given.to || whole && !compiling {
                *given = GivenBack { to: 0, compiling };
            }
            let read = if whole { read } else { read / GIVEN_BACK * GIVEN_BACK };
            if read > given.to {
                // SAFETY: nothing was written to the mapping, which is read-only: the pages come from the file again.
                #[allow(unsafe_code)]
                let advised = unsafe {
                    map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, given.to, read - given.to)
                };
                // This is only advice to the system.
                let _ = advised;
                given.to = read;
            }
        }
        #[cfg(not(unix))]
        let _ = (given, progress);
    }

    /// The name in messages and the bytes of a file, or of standard input if the path is `-`.
    ///
    /// # Errors
    /// The message for the user.
    pub fn open(path: &Path) -> Result<(String, Input), String> {
        let name = output::name_of(path, "<stdin>");
        let input = match path == Path::new("-") {
            true => Input::rest(&mut io::stdin().lock()),
            false => Input::file(path),
        };
        Ok((name.clone(), input.map_err(|e| format!("{name}: error: cannot read: {}", output::reason(&e)))?))
    }

    /// [`open`](Self::open), and of a bitcode file with several modules the one with a number from 1 on, if one is given.
    ///
    /// # Errors
    /// The message for the user.
    pub fn open_module(path: &Path, number: Option<usize>) -> Result<(String, Input), Failure> {
        let (name, input) = Input::open(path)?;
        let Some(number) = number else { return Ok((name, input)) };
        let mut modules = gusset::bitcode_modules(&input)?;
        match number.checked_sub(1).filter(|&at| at < modules.len()) {
            Some(at) => Ok((name, Input::Read(modules.swap_remove(at).into_owned()))),
            None => Err(format!("{name}: error: the file has no module {number}: it has {}", modules.len()).into()),
        }
    }

    /// All that is left to read.
    fn rest(from: &mut dyn Read) -> io::Result<Input> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes)?;
        Ok(Input::Read(bytes))
    }

    /// A file.
    pub fn file(path: &Path) -> io::Result<Input> {
        let mut file = File::open(path)?;
        let meta = file.metadata()?;
        if meta.is_file() && meta.len() >= WORTH_MAPPING {
            // SAFETY: the bytes must not change while they are mapped. That is up to whoever runs the command, as with
            // every compiler that maps its input; the text is treated as untrusted bytes throughout. Reading sqlite's
            // 14 MB instead took 8 % of the whole run, for page faults of memory that is used once. For a mapping, the
            // system loads many pages at once, and need not hold all of them at any time.
            #[allow(unsafe_code)]
            let map = unsafe { memmap2::Mmap::map(&file) };
            if let Ok(map) = map {
                return Ok(Input::Mapped(map));
            }
        }
        Input::rest(&mut file)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// KiB of a file that this process has in memory.
    fn resident(path: &Path) -> usize {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        let of_file = maps.lines().skip_while(|line| !line.ends_with(&*path.to_string_lossy()));
        let sizes = of_file.filter_map(|line| line.strip_prefix("Rss:")?.strip_suffix("kB")?.trim().parse().ok());
        sizes.take(1).next().unwrap_or(0)
    }

    #[test]
    fn memory_of_what_was_read_goes_back_in_every_walk() {
        let path = std::env::temp_dir().join(format!("gusset-input-{}", std::process::id()));
        std::fs::write(&path, vec![b'\n'; 4 << 20]).unwrap();
        let input = Input::file(&path).unwrap();
        let mut given = GivenBack::default();
        let read = || assert!(input.iter().step_by(4096).all(|&b| b == b'\n'));
        // Pages that the system maps together stay together.
        let mut left = |progress| {
            input.give_back(&mut given, progress);
            resident(&path)
        };
        read();
        assert!(left(Progress::LookedOver(1)) >= 4096);
        assert!(left(Progress::LookedOver(3 << 20)) <= 1024);
        read();
        assert!(left(Progress::LookedOver(1 << 20)) <= 3072);
        assert!(left(Progress::LookedOver(4 << 20)) == 0);
        read();
        assert!(left(Progress::Compiled(2 << 20)) <= 2048);
        assert!(left(Progress::Compiled(4 << 20)) == 0);
        std::fs::remove_file(&path).unwrap();
    }
}
