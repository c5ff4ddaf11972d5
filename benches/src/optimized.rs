//! Whole programs at work, each linked to one module of IR, against LLVM: what they execute, what they weigh, how long they take, and what
//! their compilation takes. Only the programs' own functions count, without drivers and the C library.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, by_clang, ir, judged_in};
use gusset_tests::corpus::{self, Program};
use gusset_tests::tools::{Failure, limited, succeed, work_folder};

use crate::executed::{SWITCHING, switching_lua};
use crate::inputs::Maker;
use crate::measure::{Counter, least_ended, measured};
use crate::own::{Counted, Linked};
use crate::table::{Ratios, Table, geometric_mean};

/// Digits after the point of ratios.
const PLACES: [usize; 2] = [3; 2];
/// Bytes that the compressors get.
const BYTES: &str = "300000";

fn programs() -> Result<Vec<(Program, &'static [&'static str])>, Failure> {
    Ok(vec![
        (corpus::sqlite()?, &[]),
        (corpus::lua()?, &["work.lua"]),
        (switching_lua()?, &["work.lua"]),
        (corpus::quickjs()?, &["work.js"]),
        (corpus::zstd()?, &[BYTES]),
        (corpus::zlib()?, &[BYTES]),
        (corpus::bzip2()?, &[BYTES]),
        (corpus::lz4()?, &[BYTES]),
        (corpus::xz()?, &[BYTES]),
    ])
}

/// How clang makes the IR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// By `-O2`.
    Optimized,
    /// By `-Os`.
    Small,
    /// As for `-O1`, before any pass.
    Plain,
}

/// A program, its arguments, and its IR in one file.
struct Input {
    program: Program,
    arguments: Vec<String>,
    ir: PathBuf,
    mode: Mode,
    folder: PathBuf,
}

fn input(mode: Mode, source: Source, program: Program, arguments: &[&str]) -> Result<Input, Failure> {
    let folder = work_folder(&format!("benches/optimized/{mode:?}-{source:?}"));
    let (level, more): (Level, &[&str]) = match source {
        Source::Optimized => (Level::O2, &[]),
        Source::Small => (Level::Os, &[]),
        Source::Plain => (Level::O1, &["-Xclang", "-disable-llvm-passes"]),
    };
    let flags = [mode.clang_flags(), more].concat();
    let files = program.units[1..].iter().map(|unit| ir(unit, level, &flags)).collect::<Result<Vec<_>, _>>()?;
    let linked = folder.join(format!("{}.bc", stem(&program)));
    succeed(limited(300, "llvm-link-19").args(files).arg("-o").arg(&linked))?;
    let arguments = arguments.iter().map(|word| word.to_string()).collect();
    Ok(Input { program, arguments, ir: linked, mode, folder })
}

fn stem(program: &Program) -> String {
    program.name.replace(", ", "-")
}

impl Input {
    fn path(&self, by: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{}-{by}{extension}", stem(&self.program)))
    }

    /// The command that compiles the IR, and the object.
    fn command(&self, maker: Maker) -> Result<(Vec<String>, PathBuf), Failure> {
        let object = self.path(&format!("{maker:?}"), ".o");
        Ok((maker.command(&self.ir, &object)?, object))
    }

    fn linked(&self, objects: &[PathBuf], by: &str) -> Result<Linked, Failure> {
        let driver = judged_in(self.mode, &self.program.units[0])?;
        Linked::new(self.mode, objects, &[driver], self.program.link, &self.path(by, ""))
    }

    fn built(&self, maker: Maker) -> Result<Linked, Failure> {
        let (words, object) = self.command(maker)?;
        succeed(limited(600, &words[0]).args(&words[1..]))?;
        self.linked(&[object], &format!("{maker:?}"))
    }

    /// The program by clang alone, with these options.
    fn by_clang(&self, name: &str, options: &[&str]) -> Result<Linked, Failure> {
        let options = [self.mode.clang_flags(), options].concat();
        let units = self.program.units[1..].iter();
        let objects = units.map(|unit| by_clang(unit, &options)).collect::<Result<Vec<_>, _>>()?;
        self.linked(&objects, name)
    }

    fn count(&self, of: &Linked) -> Result<Counted, Failure> {
        of.count(self.mode, &corpus::drivers(), &self.arguments)
    }

    /// What ours and a peer's execute, whose outputs must be equal.
    fn compared(&self, ours: &Counted, peer: &Linked) -> Result<f64, Failure> {
        let theirs = self.count(peer)?;
        if ours.output == theirs.output {
            return Ok(theirs.own as f64);
        }
        Err(Failure::new(format!("{}: the output is not the same as of {}", self.program.name, peer.program.display())))
    }

    /// The least processor time in ms of several runs of each in turn.
    fn times(&self, programs: [&Linked; 2]) -> Result<[f64; 2], Failure> {
        let command = |of: &Linked| {
            std::iter::once(of.program.display().to_string()).chain(self.arguments.iter().cloned()).collect()
        };
        let commands: Vec<Vec<String>> = programs.iter().map(|of| command(of)).collect();
        let [ours, theirs] = least_ended(&corpus::drivers(), 9, &commands)?[..] else { unreachable!("two commands") };
        Ok([ours.cpu_ms, theirs.cpu_ms])
    }
}

/// A row; Lua whose loop is a `switch` has no part in the mean.
fn row(ratios: &mut Ratios, program: &Program, pairs: &[[f64; 2]]) -> Vec<String> {
    if program.name != SWITCHING {
        ratios.add(pairs);
    }
    ratios.row(program.name, pairs)
}

/// Adds the last rows, and prints.
fn print(ratios: &Ratios, mut table: Table) {
    table.row(ratios.last("geometric mean", geometric_mean));
    table.row(ratios.last("worst", |all| all.iter().copied().fold(0.0, f64::max)));
    table.print();
}

/// Executed instructions and bytes in a mode, with the least processor time where the machine runs the programs itself.
fn executed(mode: Mode, place: &str) -> Result<(), Failure> {
    let title = format!(
        "Programs{place} from clang -O2's IR, gusset -O2 against llc -O2: millions of instructions of their own functions (QEMU), bytes of code"
    );
    let mut heads = vec!["program", "gusset", "llc", "ratio", "gusset: bytes", "llc", "ratio"];
    let is_timed = mode == Mode::Bits64;
    if is_timed {
        heads.extend(["gusset: ms (least of 9 runs in turn)", "llc", "ratio"]);
    }
    let (mut table, mut ratios) = (Table::new(&title, &heads), Ratios::new(&[1, 0, 1][..heads.len() / 3], PLACES));
    for (program, arguments) in programs()? {
        let input = input(mode, Source::Optimized, program, arguments)?;
        let (ours, llc) = (input.built(Maker::GussetO2)?, input.built(Maker::LlcO2)?);
        let counted = input.count(&ours)?;
        let theirs = input.compared(&counted, &llc)?;
        let mut pairs = vec![[counted.own as f64 / 1e6, theirs / 1e6], [ours.bytes() as f64, llc.bytes() as f64]];
        if is_timed {
            pairs.push(input.times([&ours, &llc])?);
        }
        table.row(row(&mut ratios, &input.program, &pairs));
    }
    print(&ratios, table);
    Ok(())
}

/// On x86-64.
pub fn optimized() -> Result<(), Failure> {
    executed(Mode::Bits64, " on x86-64")
}

/// What compiling for x86-64 takes.
pub fn optimized_effort() -> Result<(), Failure> {
    let mut table = Table::new(
        "Compiling programs from clang -O2's IR to objects for x86-64: millions of instructions (QEMU), peak memory",
        &["program", "gusset -O2", "llc -O2", "ratio", "gusset: MiB", "llc", "ratio"],
    );
    let mut ratios = Ratios::new(&[0, 0], PLACES);
    for (program, arguments) in programs()? {
        let input = input(Mode::Bits64, Source::Optimized, program, arguments)?;
        let (mut effort, mut memory) = ([0.0; 2], [0.0; 2]);
        for (n, maker) in [Maker::GussetO2, Maker::LlcO2].into_iter().enumerate() {
            let (words, _) = input.command(maker)?;
            let program = found(&words[0])?;
            effort[n] = Counter::Qemu("qemu-x86_64").count(&input.folder, &program, &words[1..])?.0 / 1e6;
            memory[n] = measured(&input.folder, &words)?.0.peak_mib;
        }
        table.row(row(&mut ratios, &input.program, &[effort, memory]));
    }
    print(&ratios, table);
    Ok(())
}

/// Where a command is, which QEMU does not look for.
fn found(command: &str) -> Result<PathBuf, Failure> {
    let path = Path::new(command);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let candidates = std::env::split_paths(&folders).map(|folder| folder.join(command));
    let mut all = std::iter::once(path.to_path_buf()).chain(candidates);
    all.find(|p| p.is_file()).ok_or_else(|| Failure::new(format!("there is no command {command}")))
}

/// On AArch64.
pub fn optimized_aarch64() -> Result<(), Failure> {
    executed(Mode::Aarch64, " on AArch64")
}

/// On ARM, in A32.
pub fn optimized_arm() -> Result<(), Failure> {
    executed(Mode::A32, " on ARM")
}

/// In 32-bit mode.
pub fn optimized_32() -> Result<(), Failure> {
    executed(Mode::Bits32, " on i686")
}

/// From IR that no pass has been over, against clang's own work.
pub fn optimized_plain() -> Result<(), Failure> {
    let mut table = Table::new(
        "Programs from clang's IR before any pass, gusset -O2 against clang: millions of instructions of their own functions (QEMU)",
        &["program", "gusset", "clang -O1", "ratio", "gusset", "clang -O2, not vectorized", "ratio"],
    );
    let mut ratios = Ratios::new(&[1, 1], PLACES);
    for (program, arguments) in programs()? {
        let input = input(Mode::Bits64, Source::Plain, program, arguments)?;
        let counted = input.count(&input.built(Maker::GussetO2)?)?;
        let ours = counted.own as f64 / 1e6;
        let first = input.compared(&counted, &input.by_clang("clang1", &["-O1"])?)?;
        let second = input.by_clang("clang2", &["-O2", "-fno-vectorize", "-fno-slp-vectorize"])?;
        let pairs = [[ours, first / 1e6], [ours, input.compared(&counted, &second)? / 1e6]];
        table.row(row(&mut ratios, &input.program, &pairs));
    }
    print(&ratios, table);
    Ok(())
}

/// Bytes of code from IR that asks for little of it.
pub fn optimized_small() -> Result<(), Failure> {
    let mut table = Table::new(
        "Programs from clang -Os's IR, gusset -Os against llc -O2: bytes of code, millions of instructions of their own functions (QEMU)",
        &["program", "gusset: bytes", "llc", "ratio", "gusset", "llc", "ratio"],
    );
    let mut ratios = Ratios::new(&[0, 1], PLACES);
    for (program, arguments) in programs()? {
        let input = input(Mode::Bits64, Source::Small, program, arguments)?;
        let (ours, llc) = (input.built(Maker::GussetOs)?, input.built(Maker::LlcO2)?);
        let counted = input.count(&ours)?;
        let executed = [counted.own as f64 / 1e6, input.compared(&counted, &llc)? / 1e6];
        table.row(row(&mut ratios, &input.program, &[[ours.bytes() as f64, llc.bytes() as f64], executed]));
    }
    print(&ratios, table);
    Ok(())
}
