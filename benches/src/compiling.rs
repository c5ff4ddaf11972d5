//! Compile time, reading speed, peak memory and the size of the code, against `llc-19 -O0`.

use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::machine::{AARCH64_WINDOWS, I386_WINDOWS, X86_64_LINUX, X86_64_WINDOWS};
use gusset_tests::msvc;
use gusset_tests::msvc_random::text::{Unit, text as text_of};
use gusset_tests::msvc_random::{Limits, program_of};
use gusset_tests::tools::{Failure, gusset, limited, succeed, work_folder};

use crate::inputs::{LEVELS, Maker, count_instructions, large_units, plain_sqlite, text, text_in};
use crate::measure::{Counter, least, measured};
use crate::table::{Table, geometric_mean};

/// From a file of IR to an object: processor time and peak memory of the whole process.
pub fn whole() -> Result<(), Failure> {
    whole_in(Mode::Bits64, "")
}

/// The same for AArch64.
pub fn whole_aarch64() -> Result<(), Failure> {
    whole_in(Mode::Aarch64, " for AArch64")
}

/// The same for ARM, in A32.
pub fn whole_arm() -> Result<(), Failure> {
    whole_in(Mode::A32, " for ARM")
}

fn whole_in(mode: Mode, place: &str) -> Result<(), Failure> {
    let folder = work_folder("benches");
    let mut time = Table::new(
        &format!("From .ll to .o{place}, one thread (processor time of the process, least of 5)"),
        &[
            "input",
            "IR",
            "instructions",
            "gusset ms",
            "llc -O0 ms",
            "times faster",
            "gusset MiB",
            "llc MiB",
            "memory ratio",
        ],
    );
    for unit in large_units()? {
        for level in LEVELS {
            let ir = text_in(mode, &unit, level)?;
            let object = |maker: &str| folder.join(format!("{}{level}-{maker}.o", unit.stem()));
            let commands = [Maker::Gusset.command(&ir, &object("gusset"))?, Maker::Llc.command(&ir, &object("llc"))?];
            let [us, llc] = least(&folder, 5, &commands)?[..] else { unreachable!("two commands, two results") };
            time.row(vec![
                unit.stem(),
                level.to_string(),
                count_instructions(&ir)?.to_string(),
                format!("{:.1}", us.cpu_ms),
                format!("{:.1}", llc.cpu_ms),
                format!("{:.2}", llc.cpu_ms / us.cpu_ms),
                format!("{:.0}", us.peak_mib),
                format!("{:.0}", llc.peak_mib),
                format!("{:.2}", us.peak_mib / llc.peak_mib),
            ]);
        }
    }
    time.print();
    Ok(())
}

/// Instructions that `gusset compile --threads 1` executes for sqlite, which other work on the machine does not change.
pub fn instructions() -> Result<(), Failure> {
    let (folder, counter) = (work_folder("benches"), Counter::find()?);
    let mut table = Table::new(
        &format!("Instructions of gusset compile --threads 1 ({counter:?})"),
        &["input", "IR", "millions", "for each LLVM instruction"],
    );
    let unit = plain_sqlite()?;
    for level in LEVELS {
        let ir = text(&unit, level)?;
        let words = Maker::Gusset.command(&ir, &folder.join("counted.o"))?;
        let (count, _) = counter.count(&folder, Path::new(&words[0]), &words[1..])?;
        let each = count / count_instructions(&ir)? as f64;
        table.row(vec![unit.stem(), level.to_string(), format!("{:.1}", count / 1e6), format!("{each:.0}")]);
    }
    table.print();
    Ok(())
}

/// The same for a generated C++ program of 5,000 lines whose every function has handlers and destructors: with landing pads on Linux,
/// with funclets on Windows.
pub fn exceptions() -> Result<(), Failure> {
    let (folder, counter) = (work_folder("benches"), Counter::find()?);
    let mut table = Table::new(
        &format!("Instructions of gusset compile --threads 1 for a C++ program that throws ({counter:?})"),
        &["target", "IR", "lines of C++", "LLVM instructions", "millions", "for each LLVM instruction"],
    );
    let program = program_of(76, 5000, Limits { tries_in_handlers: false });
    let text = text_of(&program, Unit::Whole, 1);
    let source = folder.join("exceptions.cpp");
    std::fs::write(&source, &text)?;
    for machine in [&X86_64_LINUX, &X86_64_WINDOWS, &I386_WINDOWS, &AARCH64_WINDOWS] {
        for level in LEVELS {
            let ir = folder.join(format!("exceptions-{}{level}.ll", machine.name));
            let level_option = level.to_string();
            let mut options = vec![level_option.as_str(), "-S", "-emit-llvm"];
            if *machine == X86_64_LINUX {
                // There are none of Microsoft's conventions.
                options.extend(["-D__stdcall=", "-D__fastcall=", "-D__vectorcall="]);
            }
            msvc::compile(machine, &source, &options, &ir)?;
            let words = Maker::Gusset.command(&ir, &folder.join("counted.o"))?;
            // Counting does not ask how the command ends.
            succeed(limited(60, &words[0]).args(&words[1..]))?;
            let (count, _) = counter.count(&folder, Path::new(&words[0]), &words[1..])?;
            let all = count_instructions(&ir)?;
            let (lines, each) = (text.lines().count(), count / all as f64);
            table.row(vec![
                machine.name.into(),
                level.to_string(),
                lines.to_string(),
                all.to_string(),
                format!("{:.1}", count / 1e6),
                format!("{each:.0}"),
            ]);
        }
    }
    table.print();
    Ok(())
}

/// Instructions that the command executes for each LLVM instruction: for AArch64 against those for x86-64.
pub fn effort_aarch64() -> Result<(), Failure> {
    effort_in(Mode::Aarch64, "AArch64")
}

/// The same for ARM, in A32.
pub fn effort_arm() -> Result<(), Failure> {
    effort_in(Mode::A32, "ARM")
}

fn effort_in(mode: Mode, name: &str) -> Result<(), Failure> {
    let (folder, counter) = (work_folder("benches"), Counter::find()?);
    let mut table = Table::new(
        &format!("Instructions of gusset compile --threads 1 for each LLVM instruction ({counter:?})"),
        &["input", "IR", "x86-64", name, "ratio"],
    );
    let mut ratios = Vec::new();
    for unit in large_units()? {
        for level in LEVELS {
            let each = |mode| -> Result<f64, Failure> {
                let ir = text_in(mode, &unit, level)?;
                let words = Maker::Gusset.command(&ir, &folder.join("counted.o"))?;
                let (count, _) = counter.count(&folder, Path::new(&words[0]), &words[1..])?;
                Ok(count / count_instructions(&ir)? as f64)
            };
            let (x86, other) = (each(Mode::Bits64)?, each(mode)?);
            ratios.push(other / x86);
            table.row(vec![
                unit.stem(),
                level.to_string(),
                format!("{x86:.0}"),
                format!("{other:.0}"),
                format!("{:.2}", other / x86),
            ]);
        }
    }
    let mean = format!("{:.2}", geometric_mean(&ratios));
    table.row(vec!["geometric mean".into(), "".into(), "".into(), "".into(), mean]);
    table.print();
    Ok(())
}

/// The first number of the first line that has all these words, whatever their case.
fn number_in(text: &str, words: &[&str]) -> Option<f64> {
    let line = text.lines().map(str::to_lowercase).find(|l| words.iter().all(|w| l.contains(w)))?;
    let number =
        |w: &str| w.replace([',', '_'], "").trim_end_matches(|c: char| c.is_alphabetic() || c == '/').parse().ok();
    line.split_whitespace().find_map(number)
}

/// What the compilers say of their phases: Gusset's `--time`, llc's `-time-passes`.
pub fn phases() -> Result<(), Failure> {
    phases_in(Mode::Bits64, "")
}

/// The same for 32-bit mode.
pub fn phases_32() -> Result<(), Failure> {
    phases_in(Mode::Bits32, " in 32-bit mode")
}

fn phases_in(mode: Mode, place: &str) -> Result<(), Failure> {
    let folder = work_folder("benches");
    let mut table = Table::new(
        &format!("Phases{place}, as the compilers tell them (gusset: the least disturbed of 5 runs; llc: the least)"),
        &[
            "input",
            "IR",
            "gusset reading MB/s",
            "gusset compiling ns/instruction",
            "llc passes ns/instruction",
            "times faster",
        ],
    );
    for unit in large_units()? {
        for level in LEVELS {
            let ir = text_in(mode, &unit, level)?;
            let (instructions, bytes) = (count_instructions(&ir)? as f64, std::fs::metadata(&ir)?.len() as f64);
            let (mut reading, mut compiling, mut passes, mut best) = (None, None, None, 0.0);
            let keep_least = |kept: &mut Option<f64>, new: Option<f64>| {
                if let Some(new) = new {
                    *kept = Some(kept.map_or(new, |k: f64| k.min(new)));
                }
            };
            for _ in 0..5 {
                let mut command = Maker::Gusset.command(&ir, &folder.join("phases.o"))?;
                command.push("--time".into());
                let (usage, out, errors) = measured(&folder, &command)?;
                let said = out + &errors;
                // The command tells wall time. The run that had the most of a processor counts, and its share of it makes
                // processor time of wall time, which llc tells.
                let share = number_in(&said, &["wall"]).map_or(1.0, |wall| (usage.cpu_ms / wall).min(1.0));
                if share > best {
                    best = share;
                    reading = number_in(&said, &["parse"]).map(|ms| ms * share);
                    compiling = number_in(&said, &["compile"]).map(|ms| ms * share);
                }
                let mut command = Maker::Llc.command(&ir, &folder.join("phases.o"))?;
                command.push("-time-passes".into());
                let (_, _, said) = measured(&folder, &command)?;
                keep_least(&mut passes, number_in(&said, &["total execution time"]).map(|s| s * 1000.0));
            }
            let each = |ms: Option<f64>| ms.map_or("not told".into(), |ms| format!("{:.0}", ms * 1e6 / instructions));
            table.row(vec![
                unit.stem(),
                level.to_string(),
                reading.map_or("not told".into(), |ms| format!("{:.0}", bytes / 1e3 / ms)),
                each(compiling),
                each(passes),
                passes.zip(compiling).map_or("-".into(), |(llc, us)| format!("{:.1}", llc / us)),
            ]);
        }
    }
    table.print();
    Ok(())
}

/// Bytes of all executable sections of an object.
pub fn code_size(object: &Path) -> Result<u64, Failure> {
    let said = succeed(limited(60, "llvm-size-19").arg("-A").arg(object))?.text();
    let lines = said.lines().filter(|l| l.starts_with(".text"));
    Ok(lines.filter_map(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok()).sum())
}

/// The size of the code made.
pub fn sizes() -> Result<(), Failure> {
    sizes_in(Mode::Bits64, "")
}

/// The same for AArch64.
pub fn sizes_aarch64() -> Result<(), Failure> {
    sizes_in(Mode::Aarch64, " for AArch64")
}

/// The same for ARM, in A32.
pub fn sizes_arm() -> Result<(), Failure> {
    sizes_in(Mode::A32, " for ARM")
}

fn sizes_in(mode: Mode, place: &str) -> Result<(), Failure> {
    let folder = work_folder("benches");
    let mut table =
        Table::new(&format!("Size of .text{place}"), &["input", "IR", "gusset bytes", "llc -O0 bytes", "ratio"]);
    for level in LEVELS {
        let mut ratios = Vec::new();
        for unit in large_units()? {
            let ir = text_in(mode, &unit, level)?;
            let size = |maker: Maker| {
                let object = folder.join("size.o");
                measured(&folder, &maker.command(&ir, &object)?)?;
                code_size(&object)
            };
            let (us, llc) = (size(Maker::Gusset)?, size(Maker::Llc)?);
            let ratio = us as f64 / llc as f64;
            ratios.push(ratio);
            table.row(vec![unit.stem(), level.to_string(), us.to_string(), llc.to_string(), format!("{ratio:.2}")]);
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

/// One line that says what was compared.
pub fn who() -> Result<(), Failure> {
    let version = succeed(limited(20, "llc-19").arg("--version"))?.text();
    let version = version.lines().find(|l| l.contains("version")).unwrap_or("").trim().to_string();
    println!(
        "Gusset: `{}`; llc: {version}; sqlite IR has {} instructions at -O0.",
        gusset()?.file_name().map_or("?".into(), |n| n.to_string_lossy()),
        { count_instructions(&text(&plain_sqlite()?, LEVELS[0])?)? }
    );
    Ok(())
}
