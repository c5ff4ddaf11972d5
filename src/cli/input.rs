//! Reading the input.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

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

/// Files below this are read: a mapping costs more than it saves.
const WORTH_MAPPING: u64 = 1 << 20;

/// So many bytes are given back at once.
const GIVEN_BACK: usize = 1 << 20;

impl Input {
    /// Gives the memory of a mapped file back to the system: all of it if `part` is 0, since the file is read from its begin again then,
    /// else as far as that part of the file goes, which has been read. `from` is how much of what has been read again has been given
    /// back before. Who reads there again finds the same bytes.
    pub fn give_back(&self, from: &mut usize, part: f64) {
        #[cfg(unix)]
        if let Input::Mapped(map) = self {
            let again = part <= 0.0;
            let read = if again { map.len() } else { (map.len() as f64 * part) as usize / GIVEN_BACK * GIVEN_BACK };
            if read > *from && read <= map.len() {
                // SAFETY: nothing was written to the mapping, which cannot be written to: the pages come from the file again.
                #[allow(unsafe_code)]
                let given =
                    unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, *from, read - *from) };
                // It is advice.
                let _ = given;
                *from = if again { 0 } else { read };
            }
        }
        #[cfg(not(unix))]
        let _ = (from, part);
    }

    /// Standard input.
    pub fn stdin() -> io::Result<Input> {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(Input::Read(bytes))
    }

    /// A file.
    pub fn file(path: &Path) -> io::Result<Input> {
        let mut file = File::open(path)?;
        let meta = file.metadata()?;
        if meta.is_file() && meta.len() >= WORTH_MAPPING {
            // SAFETY: the bytes must not change while they are mapped. That is up to whoever runs the command, as with every
            // compiler that maps its input; the text is read as untrusted bytes throughout. Reading sqlite's 14 MB instead
            // took 8 % of the whole run, for page faults of memory that is used once.
            #[allow(unsafe_code)]
            let map = unsafe { memmap2::MmapOptions::new().populate().map(&file) };
            if let Ok(map) = map {
                return Ok(Input::Mapped(map));
            }
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Input::Read(bytes))
    }
}
