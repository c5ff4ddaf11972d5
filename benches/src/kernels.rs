//! Small programs that were slow once, against llc's code from the same IR: processor time, and executed instructions where an emulator
//! runs them.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, Unit, judged_in, link};
use gusset_tests::tools::{Failure, limited, root, succeed, work_folder};

use crate::inputs::{LEVELS, Maker, text, text_in};
use crate::measure::{Counter, least};
use crate::table::{Table, geometric_mean};

const KERNELS: [&str; 2] = ["records", "results"];

/// The battery: names of files, with the rounds that take llc's code at `-O0` about a tenth of a second.
pub const BATTERY: [(&str, u32); 22] = [
    ("bits", 440),
    ("bodies", 740),
    ("classes", 220),
    ("crc", 340),
    ("dates", 140),
    ("digits", 70),
    ("extended", 150),
    ("extremes", 90),
    ("fib", 1350),
    ("fill", 220),
    ("leaves", 380),
    ("pairs", 740),
    ("population", 900),
    ("powers", 100),
    ("quotients", 120),
    ("rotation", 500),
    ("swap", 1200),
    ("tails", 250),
    ("to_double", 280),
    ("window", 1900),
    ("words", 280),
    ("zeros", 390),
];

/// Who compiles the battery.
const MAKERS: [Maker; 3] = [Maker::Gusset, Maker::Llc, Maker::LlcO2];

/// Runs and prints.
pub fn kernels() -> Result<(), Failure> {
    let folder = work_folder("benches/kernels");
    let mut table = Table::new(
        "Kernels: processor time in ms, least of 7 runs in turn",
        &["kernel", "IR", "gusset", "llc -O0", "ratio"],
    );
    for kernel in KERNELS {
        let unit = Unit { source: root().join(format!("benches/kernels/{kernel}.c")), flags: Vec::new() };
        for level in LEVELS {
            let ir = text(&unit, level)?;
            let mut programs = Vec::new();
            for maker in [Maker::Gusset, Maker::Llc] {
                let program = folder.join(format!("{kernel}{level}-{maker:?}"));
                let object = program.with_extension("o");
                let words = maker.command(&ir, &object)?;
                succeed(limited(60, &words[0]).args(&words[1..]))?;
                link(&[object], &[], &program)?;
                programs.push(vec![program.display().to_string()]);
            }
            let [us, llc] = least(&folder, 7, &programs)?[..] else { unreachable!("two commands, two results") };
            table.row(vec![
                kernel.into(),
                level.to_string(),
                format!("{:.0}", us.cpu_ms),
                format!("{:.0}", llc.cpu_ms),
                format!("{:.2}", us.cpu_ms / llc.cpu_ms),
            ]);
        }
    }
    table.print();
    Ok(())
}

/// The battery's processor time.
pub fn battery() -> Result<(), Failure> {
    let folder = work_folder("benches/battery");
    compared("Battery: processor time in ms, least of 7 runs in turn", |name, rounds| {
        let mut programs = Vec::new();
        for maker in MAKERS {
            programs.push(vec![built(Mode::Bits64, name, maker, &folder)?.display().to_string(), rounds.to_string()]);
        }
        Ok(least(&folder, 7, &programs)?.iter().map(|usage| usage.cpu_ms).collect())
    })
}

/// The instructions that it executes in 32-bit mode.
pub fn battery_32() -> Result<(), Failure> {
    counted(Mode::Bits32, "in 32-bit mode")
}

/// The same on AArch64.
pub fn battery_aarch64() -> Result<(), Failure> {
    counted(Mode::Aarch64, "on AArch64")
}

/// The same on ARM, in A32.
pub fn battery_arm() -> Result<(), Failure> {
    counted(Mode::A32, "on ARM")
}

/// The same on ARM, in T32.
pub fn battery_thumb() -> Result<(), Failure> {
    counted(Mode::T32, "on ARM, in T32")
}

fn counted(mode: Mode, place: &str) -> Result<(), Failure> {
    let folder = work_folder(&format!("benches/battery/{mode:?}"));
    let counter = Counter::of(mode)?;
    let title = format!("Battery: millions of instructions executed {place} ({counter:?}; a tenth of the rounds)");
    compared(&title, |name, rounds| {
        let mut counts = Vec::new();
        let mut printed = Vec::new();
        for maker in MAKERS {
            let program = built(mode, name, maker, &folder)?;
            let (count, text) = counter.count(&folder, &program, &[(rounds / 10).max(1).to_string()])?;
            counts.push(count / 1e6);
            printed.push(text);
        }
        if printed.iter().any(|text| *text != printed[0]) {
            return Err(Failure::new(format!("{name}: {printed:?} are not the same")));
        }
        Ok(counts)
    })
}

/// Prints what `measure` says of each kernel and its rounds: of ours, and of llc's code at `-O0` and `-O2`.
fn compared(title: &str, mut measure: impl FnMut(&str, u32) -> Result<Vec<f64>, Failure>) -> Result<(), Failure> {
    let mut table = Table::new(title, &["kernel", "gusset", "llc -O0", "ratio", "llc -O2", "ratio"]);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (name, rounds) in BATTERY {
        let [us, llc, optimized] = measure(name, rounds)?[..] else { unreachable!("three makers, three numbers") };
        first.push(us / llc);
        second.push(us / optimized);
        let cells = [
            format!("{us:.1}"),
            format!("{llc:.1}"),
            format!("{:.2}", us / llc),
            format!("{optimized:.1}"),
            format!("{:.2}", us / optimized),
        ];
        table.row(std::iter::once(name.to_string()).chain(cells).collect());
    }
    let means = [geometric_mean(&first), geometric_mean(&second)].map(|mean| format!("{mean:.2}"));
    let [first, second] = means;
    table.row(vec!["geometric mean".into(), "".into(), "".into(), first, "".into(), second]);
    table.print();
    Ok(())
}

/// A file of the battery.
pub fn unit(name: &str) -> Unit {
    Unit { source: root().join(format!("benches/kernels/battery/{name}.c")), flags: vec!["-fno-math-errno".into()] }
}

/// A kernel from its IR at `-O2` by `maker`, with a `main` by clang.
fn built(mode: Mode, name: &str, maker: Maker, folder: &Path) -> Result<PathBuf, Failure> {
    let binary = folder.join(format!("{name}-{maker:?}"));
    let object = binary.with_extension("o");
    let words = maker.command(&text_in(mode, &unit(name), Level::O2)?, &object)?;
    succeed(limited(60, &words[0]).args(&words[1..]))?;
    mode.link(&[judged_in(mode, &unit("main"))?, object], &[], &binary)?;
    Ok(binary)
}
