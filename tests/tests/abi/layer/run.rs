//! Builds and runs a row's programs, and explains what they say.

use super::llvm;
use super::rows::{Compiler, Row, feature};
use super::rows_llc::LlcRow;
use super::script::{TRACE_OFF, TRACE_ON, VECTOR_COUNT};
use super::source::{Program, program};
use gusset_abi::{AbiTarget, Arch};
use gusset_tests::host;
use gusset_tests::machine::Machine;
use gusset_tests::tools::{self, Failure, limited, succeed, work_folder};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Options for every judge: freestanding code that is never unwound.
const JUDGE: [&str; 8] = [
    "-w",
    "-c",
    "-ffreestanding",
    "-fno-strict-aliasing",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-pic",
    "-fno-unwind-tables",
];

/// The files of a program.
struct Files {
    source: PathBuf,
    tables: PathBuf,
    object: PathBuf,
    program: PathBuf,
}

impl Files {
    fn new(row: &str, seed: u64, extension: &str, machine: &Machine) -> Files {
        let name = format!("{}-{seed}-{}", row.replace('/', "_"), std::process::id());
        let stem = work_folder("abi-layer").join(name);
        let file = |extension| stem.with_extension(extension);
        Files { source: file(extension), tables: file("tables"), object: file("o"), program: machine.program(&stem) }
    }

    fn write(&self, made: &Program) {
        std::fs::write(&self.source, &made.text).expect("the work folder is writable");
        std::fs::write(&self.tables, &made.tables).expect("the work folder is writable");
    }

    fn remove(self) {
        for file in [self.source, self.tables, self.object, self.program] {
            let _ = std::fs::remove_file(file);
        }
    }
}

fn level(seed: u64) -> &'static str {
    if seed.is_multiple_of(2) { "-O1" } else { "-O0" }
}

/// Makes and runs the program of `count` C signatures with this seed.
///
/// # Errors
/// The program cannot be made, or finds differences: the message says which.
pub fn check(row: &Row, seed: u64, count: usize) -> Result<(), String> {
    let (target, option) = feature(&row.target, row.wide_vectors, seed);
    let files = Files::new(row.name, seed, if row.palette.cxx { "cc" } else { "c" }, row.machine);
    let made = program(row, &target, seed, count, &files.tables).map_err(|e| format!("{}: {e}\n", row.name))?;
    files.write(&made);
    let optimize = if row.optimized { "-O1" } else { level(seed) };
    // GCC 12 -O1 does not survive every va_arg of a union with a complex member.
    let judged = compile(row, &files, optimize, option).or_else(|f| {
        let crashed = f.to_string().contains("internal compiler error");
        if crashed { compile(row, &files, "-O0", option) } else { Err(f) }
    });
    let place = format!("{} ({}, {optimize} {option})", row.name, files.source.display());
    judged.map_err(|f| format!("{place}: {f}\n"))?;
    run(row.machine, &target, option, &files, &made).map_err(|text| format!("{place}:\n{text}"))?;
    files.remove();
    Ok(())
}

/// The same of LLVM signatures.
///
/// # Errors
/// As [`check`].
pub fn check_llc(row: &LlcRow, seed: u64, count: usize) -> Result<(), String> {
    let (target, option) = feature(&row.target, row.wide_vectors, seed);
    let files = Files::new(row.name, seed, "ll", row.machine);
    let made = llvm::program(row, &target, seed, count, &files.tables);
    files.write(&made);
    let optimize = if row.optimized { "-O1" } else { level(seed) };
    let mut command = limited(300, tools::llc());
    command.args(row.options).args([optimize, "-relocation-model=static", "-filetype=obj"]);
    if !option.is_empty() {
        command.arg(format!("-mattr=+{option}"));
    }
    let place = format!("{} ({}, {optimize} {option})", row.name, files.source.display());
    succeed(command.arg(&files.source).arg("-o").arg(&files.object)).map_err(|f| format!("{place}: {f}\n"))?;
    run(row.machine, &target, option, &files, &made).map_err(|text| format!("{place}:\n{text}"))?;
    files.remove();
    Ok(())
}

fn compile(row: &Row, files: &Files, optimize: &str, option: &str) -> Result<(), Failure> {
    let (source, object) = (&files.source, &files.object);
    let mut command = limited(300, row.compiler.program(row.palette.cxx));
    let standard = if row.palette.cxx { "-std=gnu++17" } else { "-std=gnu11" };
    command.args(JUDGE).args([standard, optimize]).args(row.options);
    if row.palette.cxx {
        command.args(["-fno-exceptions", "-fno-rtti"]);
    }
    if !option.is_empty() {
        command.arg(format!("-m{option}"));
    }
    match row.compiler {
        Compiler::Gcc | Compiler::CrossGcc(_) => {}
        Compiler::Clang(triple) => drop(command.arg(format!("--target={triple}"))),
        Compiler::ClangToElf(triple) => return through_ir(command, triple, source, object, optimize),
    }
    succeed(command.arg(source).arg("-o").arg(object)).map(drop)
}

/// clang writes IR for Windows; with names and sections as in ELF, llc makes an object that runs on Linux.
fn through_ir(
    mut command: std::process::Command,
    triple: &str,
    source: &Path,
    object: &Path,
    optimize: &str,
) -> Result<(), Failure> {
    let ir = object.with_extension("ll");
    command.arg(format!("--target={triple}")).args(["-S", "-emit-llvm"]).arg(source).arg("-o").arg(&ir);
    succeed(&mut command)?;
    let text = std::fs::read_to_string(&ir)?;
    let text = text.replace("target datalayout = \"e-m:w", "target datalayout = \"e-m:e");
    let text: Vec<String> = text
        .lines()
        // Without the sections that linkers merge, of which some do not survive the change.
        .filter(|line| !(line.starts_with('$') && line.ends_with("= comdat any")))
        .map(|line| match line.starts_with("target triple") {
            true => format!("target triple = \"{triple}-elf\""),
            false => line.replace(" linkonce_odr dso_local", " internal").replace(" comdat ", " "),
        })
        .collect();
    std::fs::write(&ir, text.join("\n"))?;
    let mut compile = limited(300, tools::llc());
    // The quick selectors of instructions forget to return the address of a C++ result.
    succeed(compile.args([optimize, "-global-isel=0", "-fast-isel=0", "-filetype=obj", "-o"]).arg(object).arg(&ir))?;
    std::fs::remove_file(&ir)?;
    Ok(())
}

/// Links a judge's object with the stubs and the runtime, and runs it: the error is what the program found, explained.
/// Without the extension `option` it is linked only.
fn run(machine: &Machine, target: &AbiTarget, option: &str, files: &Files, made: &Program) -> Result<(), String> {
    let program = &files.program;
    let folder = tools::root().join("tests/tests/abi/layer/runtime");
    let vector = match target.arch {
        Arch::X86 | Arch::X86_64 => vec![format!("-DWIDTH={}", target.features.vector_bytes)],
        _ => Vec::new(),
    };
    let mut objects = vec![files.object.clone()];
    for (file, flags) in [(machine.stubs, &vector), ("runtime.c", &Vec::new())] {
        objects.push(machine.support(&folder.join(file), flags).map_err(|f| f.to_string())?);
    }
    machine.link(&objects, program).map_err(|f| f.to_string())?;
    if !option.is_empty() && !host::runs(&[option]) {
        host::left_out(&format!("signatures with vectors of {} bytes", target.features.vector_bytes));
        return Ok(());
    }
    let outcome = machine.run(program).map_err(|f| f.to_string())?;
    match outcome.code {
        0 if outcome.stdout.is_empty() => Ok(()),
        0 | 1 => Err(explain(&outcome.text(), made)),
        code => {
            let mut text = format!("  exit code {code} {}\n", outcome.errors());
            let _ = write!(text, "{}", explain(&trace(machine, program)?, made));
            Err(text)
        }
    }
}

/// Runs the program with tracing turned on; returns the last step begun, and what was found before.
fn trace(machine: &Machine, program: &Path) -> Result<String, String> {
    let mut bytes = std::fs::read(program).map_err(|e| e.to_string())?;
    let at = bytes.windows(8).position(|w| w == TRACE_OFF).ok_or("the program has no tables")?;
    bytes[at..at + 8].copy_from_slice(TRACE_ON);
    let traced: PathBuf = program.with_extension(format!(
        "trace.{}",
        machine.program(program).extension().unwrap_or_default().to_string_lossy()
    ));
    std::fs::copy(program, &traced).and_then(|_| std::fs::write(&traced, &bytes)).map_err(|e| e.to_string())?;
    let outcome = machine.run(&traced).map_err(|f| f.to_string())?;
    let _ = std::fs::remove_file(&traced);
    let text = outcome.text();
    let is_step = |line: &&str| line.starts_with(['<', '>']);
    let last = text.lines().rfind(is_step).unwrap_or("? 0").to_string();
    let found: Vec<&str> = text.lines().filter(|line| !is_step(line)).collect();
    Ok(format!("{}\n{last}\n", found.join("\n")))
}

/// Turns the runtime's lines of numbers into sentences, each signature shown once.
fn explain(lines: &str, made: &Program) -> String {
    let mut text = String::new();
    let mut shown = usize::MAX;
    for line in lines.lines() {
        let mut words = line.split_whitespace();
        let phase = words.next().unwrap_or_default();
        let numbers: Vec<u64> = words.filter_map(|w| w.parse().ok()).collect();
        let number = |i: usize| numbers.get(i).copied().unwrap_or(0);
        if numbers.is_empty() {
            continue;
        }
        let test = number(0) as usize;
        if test != shown {
            shown = test;
            let about = made.about.get(test).map_or("", String::as_str);
            let _ = writeln!(text, "  signature {test}: {about}");
        }
        let item = match number(1) {
            0 => "the result".into(),
            n if n == VECTOR_COUNT as u64 => "the number of vector registers".into(),
            n => format!("argument {n}"),
        };
        let bytes = format!("byte {} is {:#04x} instead of {:#04x}", number(2), number(3), number(4));
        let sentence = match phase {
            "a" => format!("the judge calls with a stack off by {}", number(3)),
            "c" => format!("the judge calls: {item}, {bytes} where the layer looks"),
            "P" => format!("the judge calls: {item}, no address aligned to {} but {:#x}", number(4), number(3)),
            "n" => "the judge's caller did not call".into(),
            "r" => format!("the judge calls: it gets another result, {bytes}"),
            "f" => {
                let at = number(2) as usize;
                let which = made.images[test].iter().take_while(|start| **start <= at).count();
                format!("the judge is called: it gets another argument {which}, {bytes} of all")
            }
            "s" => format!("the judge is called: the stack pointer moves by {} instead of {}", number(3), number(4)),
            "p" => format!("the judge is called: it does not keep byte {} of the registers", number(2)),
            "R" => format!("the judge is called: {item}, {bytes} where the layer looks"),
            "t" => "the judge is called: it does not return the address of the result".into(),
            "g" => "the judge is called: it writes after the result".into(),
            "l" => format!("the judge lays out a record otherwise: {bytes}"),
            "<" => "crashed when the judge called".into(),
            ">" => "crashed when the judge was called".into(),
            other => format!("unknown line {other}"),
        };
        let _ = writeln!(text, "    {sentence}");
    }
    text
}
