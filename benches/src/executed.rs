//! Instructions executed by programs at work, against the same programs by `llc-19 -O0` from the same IR.

use std::path::PathBuf;

use gusset_tests::build::{Mode, judged_in};
use gusset_tests::corpus::{self, Program};
use gusset_tests::tools::{Failure, limited, succeed, work_folder};

use crate::inputs::{LEVELS, Maker, text_in};
use crate::measure::Counter;
use crate::table::{Table, geometric_mean};

/// The last of the programs, which has no part in the mean: Lua whose interpreter's loop is a `switch`, hundreds of edges that
/// pass many values on.
pub const SWITCHING: &str = "lua, switch";

/// Lua whose loop is a `switch`.
pub fn switching_lua() -> Result<Program, Failure> {
    let mut switching = corpus::lua()?;
    switching.name = SWITCHING;
    switching.units.iter_mut().for_each(|unit| unit.flags.push("-DLUA_USE_JUMPTABLE=0".into()));
    Ok(switching)
}

/// The programs with arguments that give them enough to do; `bytes` is how much the compressors get.
fn programs(bytes: u64) -> Result<Vec<(Program, Vec<String>)>, Failure> {
    let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect::<Vec<_>>();
    let bytes = bytes.to_string();
    Ok(vec![
        (corpus::sqlite()?, words(&[":memory:", "2"])),
        (corpus::lua()?, words(&["work.lua", "2"])),
        (corpus::quickjs()?, words(&["work.js", "1"])),
        (corpus::zstd()?, words(&[&bytes, "3"])),
        (corpus::zlib()?, words(&[&bytes, "6"])),
        (switching_lua()?, words(&["work.lua", "2"])),
    ])
}

/// Builds a program: its driver by clang, the rest from IR by `maker`.
fn built(mode: Mode, program: &Program, level: gusset_tests::build::Level, maker: Maker) -> Result<PathBuf, Failure> {
    let folder = work_folder(&format!("benches/programs/{mode:?}"));
    let mut objects = vec![judged_in(mode, &program.units[0])?];
    for unit in &program.units[1..] {
        let object = folder.join(format!("{}{level}-{maker:?}-{}.o", program.name, unit.stem()));
        let words = maker.command(&text_in(mode, unit, level)?, &object)?;
        succeed(limited(300, &words[0]).args(&words[1..]))?;
        objects.push(object);
    }
    let binary = folder.join(format!("{}{level}-{maker:?}", program.name));
    mode.link(&objects, program.link, &binary)?;
    Ok(binary)
}

/// Counts and prints.
pub fn instructions() -> Result<(), Failure> {
    instructions_in(Mode::Bits64, "")
}

/// The same for 32-bit mode.
pub fn instructions_32() -> Result<(), Failure> {
    instructions_in(Mode::Bits32, " in 32-bit mode")
}

/// The same on AArch64.
pub fn instructions_aarch64() -> Result<(), Failure> {
    instructions_in(Mode::Aarch64, " on AArch64")
}

/// The same on ARM, in A32.
pub fn instructions_arm() -> Result<(), Failure> {
    instructions_in(Mode::A32, " on ARM")
}

fn instructions_in(mode: Mode, place: &str) -> Result<(), Failure> {
    let counter = Counter::of(mode)?;
    // Under simulation, 50 MB would take an hour.
    let bytes = if counter == Counter::Perf { 50_000_000 } else { 3_000_000 };
    let mut table = Table::new(
        &format!(
            "Instructions executed{place}, in millions ({counter:?}; compressors get {} MB; driver and C library included)",
            bytes / 1_000_000
        ),
        &["program", "IR", "gusset", "llc -O0", "ratio"],
    );
    for level in LEVELS {
        let mut ratios = Vec::new();
        for (program, arguments) in programs(bytes)? {
            let count = |maker| counter.count(&corpus::drivers(), &built(mode, &program, level, maker)?, &arguments);
            let ((us, our_text), (llc, llc_text)) = (count(Maker::Gusset)?, count(Maker::Llc)?);
            if our_text != llc_text {
                return Err(Failure::new(format!("{} {level}: wrong output", program.name)));
            }
            if program.name != SWITCHING {
                ratios.push(us / llc);
            }
            let millions = |n: f64| format!("{:.0}", n / 1e6);
            table.row(vec![
                program.name.into(),
                level.to_string(),
                millions(us),
                millions(llc),
                format!("{:.2}", us / llc),
            ]);
        }
        table.row(vec![
            "geometric mean".into(),
            level.to_string(),
            "".into(),
            "".into(),
            format!("{:.2}", geometric_mean(&ratios)),
        ]);
    }
    table.print();
    Ok(())
}
