//! What is measured: the IR of real programs, and who compiles it.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, Unit, ir};
use gusset_tests::corpus::{self, Program, crate_folder};
use gusset_tests::tools::{Failure, gusset};

/// The levels of the IR that the tables have columns for.
pub const LEVELS: [Level; 2] = [Level::O0, Level::O1];

/// sqlite's amalgamation with no options: the input by which compile speed is usually told.
pub fn plain_sqlite() -> Result<Unit, Failure> {
    let folder = crate_folder("libsqlite3-sys")?.join("sqlite3");
    Ok(Unit { source: folder.join("sqlite3.c"), flags: vec![format!("-I{}", folder.display())] })
}

/// The largest files of the corpus, one of each program.
pub fn large_units() -> Result<Vec<Unit>, Failure> {
    let named = |program: Program, stem: &str| {
        let found = program.units.into_iter().skip(1).find(|u| u.stem() == stem);
        found.ok_or_else(|| Failure::new(format!("{} has no file {stem}.c", program.name)))
    };
    Ok(vec![
        plain_sqlite()?,
        named(corpus::quickjs()?, "quickjs")?,
        named(corpus::lua()?, "lvm")?,
        named(corpus::zstd()?, "zstd_compress")?,
        named(corpus::zlib()?, "deflate")?,
    ])
}

/// A file's IR at a level.
pub fn text(unit: &Unit, level: Level) -> Result<PathBuf, Failure> {
    text_in(Mode::Bits64, unit, level)
}

/// The same for a mode of the processor.
pub fn text_in(mode: Mode, unit: &Unit, level: Level) -> Result<PathBuf, Failure> {
    ir(unit, level, mode.clang_flags())
}

/// Who compiles IR to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    /// Gusset, with one thread.
    Gusset,
    /// The same at `-O2`, for any address.
    GussetO2,
    /// The same at `-Os`.
    GussetOs,
    /// `llc-19 -O0`.
    Llc,
    /// `llc-19 -O2`.
    LlcO2,
}

impl Maker {
    /// The command line.
    pub fn command(self, ir: &Path, object: &Path) -> Result<Vec<String>, Failure> {
        let (ir, object) = (ir.display().to_string(), object.display().to_string());
        let words: Vec<String> = match self {
            Maker::Gusset | Maker::GussetO2 | Maker::GussetOs => {
                let gusset = gusset()?.display().to_string();
                let options: &[&str] = match self {
                    Maker::GussetO2 => &["-O2", "--pic"],
                    Maker::GussetOs => &["-Os", "--pic"],
                    _ => &[],
                };
                let words = [gusset.as_str(), "compile", &ir, "-o", &object, "--threads", "1"];
                words.iter().chain(options).map(|word| word.to_string()).collect()
            }
            Maker::Llc | Maker::LlcO2 => {
                let level = if self == Maker::Llc { "-O0" } else { "-O2" };
                ["llc-19", level, "-filetype=obj", "-relocation-model=pic", &ir, "-o", &object].map(String::from).into()
            }
        };
        Ok(words)
    }
}

/// How many instructions the functions of a file of IR have, debug records left out.
pub fn count_instructions(ir: &Path) -> Result<u64, Failure> {
    let text = std::fs::read_to_string(ir)?;
    let (mut inside, mut count) = (false, 0);
    for line in text.lines() {
        if line.starts_with("define ") {
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if inside {
            // Instructions are indented by two blanks; the cases of a switch by more, and `]` ends them.
            let instruction = line.strip_prefix("  ").and_then(|l| l.chars().next());
            count += u64::from(instruction.is_some_and(|c| !matches!(c, ' ' | ']' | '#' | ';')));
        }
    }
    Ok(count)
}
