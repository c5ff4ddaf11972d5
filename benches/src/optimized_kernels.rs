//! Small programs at work, compiled from clang's IR at `-O2` by `gusset -O2` and by `llc-19 -O2`: those of `kernels/programs/`, which check
//! themselves, and the battery.

use std::path::Path;

use gusset_tests::build::{Level, Mode, Unit, judged_in};
use gusset_tests::tools::{Failure, limited, root, succeed, work_folder};

use crate::inputs::{Maker, text_in};
use crate::kernels::{self, BATTERY};
use crate::measure::least;
use crate::own::Linked;
use crate::table::{Ratios, Table, geometric_mean};

const PROGRAMS: [&str; 18] = [
    "base64.c",
    "bodies.c",
    "crc.c",
    "fft.c",
    "hashes.c",
    "interpreter.c",
    "json.c",
    "mandelbrot.c",
    "matrix.c",
    "search.c",
    "sha256.c",
    "shapes.cpp",
    "sieve.c",
    "sorting.c",
    "sparse.c",
    "spectral.c",
    "stencil.c",
    "trees.c",
];

/// Instructions that a program executes where its time is measured, roughly.
const TIMED: u64 = 200_000_000;

/// A kernel: its file, what it is linked with, and the rounds in which its instructions are counted.
struct Kernel {
    name: String,
    unit: Unit,
    main: Option<Unit>,
    rounds: u32,
}

fn all() -> Vec<Kernel> {
    let programs = PROGRAMS.map(|file| {
        let flags: &[&str] = &["-fno-math-errno", "-ffp-contract=off"];
        // Exceptions and type information would need the run-time library of C++.
        let more: &[&str] = if file.ends_with(".cpp") { &["-fno-rtti", "-fno-exceptions"] } else { &[] };
        let unit = Unit {
            source: root().join("benches/kernels/programs").join(file),
            flags: flags.iter().chain(more).map(|flag| flag.to_string()).collect(),
        };
        Kernel { name: unit.stem(), unit, main: None, rounds: 1 }
    });
    let battery = BATTERY.map(|(name, rounds)| Kernel {
        name: format!("{name} (battery)"),
        unit: kernels::unit(name),
        main: Some(kernels::unit("main")),
        rounds: (rounds / 10).max(1),
    });
    programs.into_iter().chain(battery).collect()
}

/// The kernel's program by ours and by llc.
fn built(mode: Mode, kernel: &Kernel, folder: &Path) -> Result<[Linked; 2], Failure> {
    let ir = text_in(mode, &kernel.unit, Level::O2)?;
    let others = kernel.main.iter().map(|main| judged_in(mode, main)).collect::<Result<Vec<_>, _>>()?;
    let by = |maker: Maker| {
        let program = folder.join(format!("{}-{maker:?}", kernel.name.replace([' ', '(', ')'], "")));
        let object = program.with_extension("o");
        let words = maker.command(&ir, &object)?;
        succeed(limited(60, &words[0]).args(&words[1..]))?;
        Linked::new(mode, &[object], &others, &["-lm"], &program)
    };
    Ok([by(Maker::GussetO2)?, by(Maker::LlcO2)?])
}

/// What both execute; their outputs must be equal.
fn counted(mode: Mode, kernel: &Kernel, programs: &[Linked; 2], folder: &Path) -> Result<[u64; 2], Failure> {
    let arguments = [kernel.rounds.to_string()];
    let [ours, llc] = [programs[0].count(mode, folder, &arguments)?, programs[1].count(mode, folder, &arguments)?];
    if ours.output != llc.output || !ours.output.ends_with("exit code 0") {
        return Err(Failure::new(format!("{}: {:?} and {:?} by llc", kernel.name, ours.output, llc.output)));
    }
    Ok([ours.own, llc.own])
}

/// On x86-64: instructions, bytes and processor time.
pub fn kernels_optimized() -> Result<(), Failure> {
    let folder = work_folder("benches/optimized_kernels/Bits64");
    let mut table = Table::new(
        "Kernels by gusset -O2 against llc -O2: executed instructions of their own functions (QEMU), bytes of code, processor time in ms (least of 9 runs in turn)",
        &["kernel", "gusset: millions", "llc", "ratio", "gusset: bytes", "llc", "ratio", "gusset: ms", "llc", "ratio"],
    );
    let mut ratios = Ratios::new(&[2, 0, 1], [2, 3]);
    for kernel in all() {
        let programs = built(Mode::Bits64, &kernel, &folder)?;
        let executed = counted(Mode::Bits64, &kernel, &programs, &folder)?;
        let rounds = (u64::from(kernel.rounds) * TIMED / executed[1].max(1)).max(1);
        let commands = [0, 1].map(|n| vec![programs[n].program.display().to_string(), rounds.to_string()]);
        let [us, llc] = least(&folder, 9, &commands)?[..] else { unreachable!("two commands, two results") };
        let numbers =
            [executed.map(|n| n as f64 / 1e6), [0, 1].map(|n| programs[n].bytes() as f64), [us.cpu_ms, llc.cpu_ms]];
        ratios.add(&numbers);
        table.row(ratios.row(&kernel.name, &numbers));
    }
    table.row(ratios.last("geometric mean", geometric_mean));
    table.print();
    Ok(())
}

/// On the other machines: instructions alone, as ratios.
pub fn kernels_optimized_others() -> Result<(), Failure> {
    const MODES: [(Mode, &str); 3] = [(Mode::Bits32, "i686"), (Mode::Aarch64, "AArch64"), (Mode::A32, "ARM, A32")];
    let heads: Vec<&str> = std::iter::once("kernel").chain(MODES.map(|mode| mode.1)).collect();
    let title = "Kernels by gusset -O2 against llc -O2: executed instructions on other machines (QEMU), as ratios";
    let mut table = Table::new(title, &heads);
    let mut ratios = [const { Vec::new() }; 3];
    for kernel in all() {
        let mut row = vec![kernel.name.clone()];
        for ((mode, _), all) in MODES.iter().zip(&mut ratios) {
            let folder = work_folder(&format!("benches/optimized_kernels/{mode:?}"));
            let executed = counted(*mode, &kernel, &built(*mode, &kernel, &folder)?, &folder)?;
            all.push(executed[0] as f64 / executed[1] as f64);
            row.push(format!("{:.2}", executed[0] as f64 / executed[1] as f64));
        }
        table.row(row);
    }
    let means = ratios.iter().map(|all| format!("{:.3}", geometric_mean(all)));
    table.row(std::iter::once("geometric mean".to_string()).chain(means).collect());
    table.print();
    Ok(())
}
