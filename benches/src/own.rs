//! Instructions that some objects' functions execute in a program, counted by QEMU: what drivers and the C library do is left out.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gusset_tests::build::Mode;
use gusset_tests::corpus::drivers;
use gusset_tests::tools::{Failure, cc, limited, run, succeed, work_folder};

/// A program, and where the objects' code lies in it.
pub struct Linked {
    pub program: PathBuf,
    code: Vec<Range<u64>>,
}

/// What a run did.
#[derive(Clone, PartialEq, Eq)]
pub struct Counted {
    /// Instructions of the objects' functions.
    pub own: u64,
    /// What was printed, and the exit code.
    pub output: String,
}

/// QEMU's command for a mode; x86, too, is counted by it.
fn emulator(mode: Mode) -> &'static str {
    mode.emulator().unwrap_or(if mode.bits() == 64 { "qemu-x86_64" } else { "qemu-i386" })
}

/// The plug-in that counts by address, which a process builds once.
fn plugin() -> Result<&'static Path, Failure> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || {
        let plugin = work_folder("benches").join("count_addresses.so");
        let source = drivers().join("count_addresses.c");
        let mut compiler = limited(60, cc());
        succeed(compiler.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&plugin).arg(source))?;
        Ok(plugin)
    };
    let built = BUILT.get_or_init(|| build().map_err(|f: Failure| f.to_string()));
    built.as_deref().map_err(|message| Failure::new(message.as_str()))
}

/// The addresses of the code sections of `objects`, by the linker's map. The map breaks the line after a long section name.
fn code_of(objects: &[PathBuf], map: &str) -> Vec<Range<u64>> {
    let objects: Vec<String> = objects.iter().map(|object| object.display().to_string()).collect();
    let hex = |word: &str| word.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let (mut name, mut found) = ("", Vec::new());
    for line in map.lines() {
        let mut words = line.split_whitespace().peekable();
        name = words.next_if(|word| word.starts_with('.')).unwrap_or(name);
        let place = (words.next().and_then(hex), words.next().and_then(hex), words.next());
        if let (Some(start), Some(size), Some(file)) = place
            && name.starts_with(".text")
            && objects.iter().any(|object| object == file)
            && start != 0
        {
            found.push(start..start + size);
        }
    }
    found
}

impl Linked {
    /// Links statically.
    pub fn new(
        mode: Mode,
        own: &[PathBuf],
        others: &[PathBuf],
        flags: &[&str],
        program: &Path,
    ) -> Result<Linked, Failure> {
        let map = program.with_extension("map");
        let option = format!("-Wl,-Map={}", map.display());
        let flags: Vec<&str> = flags.iter().copied().chain(["-static", &option]).collect();
        mode.link(&[own, others].concat(), &flags, program)?;
        let code = code_of(own, &std::fs::read_to_string(&map)?);
        if code.is_empty() {
            return Err(Failure::new(format!("{} has no code of {own:?}", program.display())));
        }
        Ok(Linked { program: program.into(), code })
    }

    /// Bytes of the objects' code.
    pub fn bytes(&self) -> u64 {
        self.code.iter().map(|range| range.end - range.start).sum()
    }

    /// Runs it in `folder` and counts. It may end with any exit code, which belongs to the output.
    pub fn count(&self, mode: Mode, folder: &Path, arguments: &[String]) -> Result<Counted, Failure> {
        let counted = self.program.with_extension("counted");
        let mut command = limited(900, emulator(mode));
        command.arg("-plugin").arg(format!("{},to={}", plugin()?.display(), counted.display()));
        let outcome = run(command.arg(&self.program).args(arguments).current_dir(folder))?;
        if outcome.timed_out() {
            return Err(Failure::new(format!("{} took too long", self.program.display())));
        }
        let bytes = std::fs::read(&counted).map_err(|e| Failure::from(e).at(outcome.errors()))?;
        let number = |word: &[u8]| word.try_into().map_or(0, u64::from_ne_bytes);
        let pairs = bytes.chunks_exact(16).map(|pair| (number(&pair[..8]), number(&pair[8..])));
        let own = pairs.filter(|(at, _)| self.code.iter().any(|range| range.contains(at))).map(|pair| pair.1).sum();
        if own == 0 {
            return Err(Failure::new(format!("nothing of {} was executed", self.program.display())));
        }
        Ok(Counted { own, output: format!("{}exit code {}", outcome.text(), outcome.code) })
    }
}
