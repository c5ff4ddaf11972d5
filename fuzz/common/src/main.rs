//! `gusset-fuzz`: random modules by seed, and modules in files.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use gusset_fuzz::case::Check;
use gusset_fuzz::platform::{NATIVE, Platform};
use gusset_fuzz::{builder, case, generate, iree, minimize, source, supervise, text};

const USAGE: &str = "usage:
  gusset-fuzz show SEED                           the module of a seed, as text
  gusset-fuzz run FIRST COUNT                     checks modules in this process
  gusset-fuzz campaign FIRST COUNT SECONDS [DIR]  checks them in children; failing modules go to files in DIR
  gusset-fuzz check FILE                          checks a module in the text form
  gusset-fuzz texts llvm|mlir|ir|c|iree FIRST COUNT
                                                  reads damaged texts; prints the first that is not just refused
  gusset-fuzz input random|llvm|mlir|ir|c|iree FILE
                                                  the text that a fuzz target makes of a file of bytes,
                                                  and what it says about it
  gusset-fuzz iree FIRST COUNT                    calls by IREE's records, and modules of functions with such
  gusset-fuzz builder FIRST COUNT                 calls the builder in random order; prints what is not just refused,
                                                  and a checksum of what came of all
  gusset-fuzz code FILE OUT                       its object; prints what the passes make of it
  gusset-fuzz minimize FILE OUT                   makes a failing module smaller
all but `texts`, `input`, `iree` and `builder` take `--target TRIPLE` after their name, for another platform than x86-64 Linux;
after that, `run`, `campaign`, `check` and `minimize` take `--passes`, to check what passes make of modules and not their code";

/// Seconds that no damaged text takes.
const LONG: u64 = 20;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match command(&words) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn command(args: &[&str]) -> Result<ExitCode, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|e| format!("`{text}`: {e}"));
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let (args, platform) = match args {
        [name, "--target", triple, rest @ ..] => ([&[*name], rest].concat(), Platform::of(triple)?),
        _ => (args.to_vec(), Platform::usual()),
    };
    let (args, what) = match args.as_slice() {
        [name, "--passes", rest @ ..] => ([&[*name], rest].concat(), Check::Passes),
        _ => (args, Check::Code),
    };
    match args.as_slice() {
        ["show", seed] => {
            print!("{}", text_of(&platform, number(seed)?));
            Ok(ExitCode::SUCCESS)
        }
        ["run", first, count] => {
            supervise::run_seeds(&platform, what, number(first)?, number(count)?);
            Ok(ExitCode::SUCCESS)
        }
        ["campaign", first, count, seconds, dir @ ..] => {
            let time = Duration::from_secs(number(seconds)?);
            let dir = dir.first().map(|dir| Path::new(*dir));
            let news = |seed: u64, why: &str| {
                println!("{seed}: {why}");
                if let Some(dir) = dir {
                    let file = dir.join(format!("{seed}.gir"));
                    if let Err(e) = std::fs::write(&file, text_of(&platform, seed)) {
                        eprintln!("{}: {e}", file.display());
                    }
                }
            };
            if what == Check::Code {
                case::say_what_is_left_out(&platform);
            }
            let report = supervise::campaign(&program, &platform, what, (number(first)?, number(count)?), time, news);
            let report = report.map_err(|e| e.to_string())?;
            println!(
                "{} agreed ({} instructions, {} run), {} stopped, {} failed",
                report.agreed,
                report.instructions,
                report.steps,
                report.stopped,
                report.failures.len()
            );
            Ok(if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        ["check", file] => {
            let (message, bad) = supervise::check_text(&platform, what, &read(file)?);
            println!("{message}");
            Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
        ["texts", what @ ("llvm" | "mlir" | "ir" | "c" | "iree"), first, count] => {
            texts(what, number(first)?, number(count)?).map(|()| ExitCode::SUCCESS)
        }
        ["iree", first, count] => {
            let (mut made, mut refused) = (0, 0);
            let failed = each(number(first)?, number(count)?, |bytes| {
                iree::call(bytes)?;
                *(if iree::module(bytes)? { &mut made } else { &mut refused }) += 1;
                Ok(())
            });
            println!("{count} calls, {made} modules made, {refused} refused, {failed} failed");
            Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        ["input", what @ ("random" | "llvm" | "mlir" | "ir" | "c" | "iree"), file] => {
            let bytes = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
            input(what, &bytes).map(|()| ExitCode::SUCCESS)
        }
        ["builder", first, count] => {
            let (mut compiled, mut refused, mut sum) = (0, 0, 0u64);
            let failed = each(number(first)?, number(count)?, |bytes| {
                let outcome = builder::build(bytes)?;
                compiled += outcome.compiled;
                refused += outcome.refused;
                sum = sum.rotate_left(1) ^ outcome.sum;
                Ok(())
            });
            println!("{compiled} compiled, {refused} refused, {failed} failed, checksum {sum:016x}");
            Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        ["code", file, out] => {
            let (code, passed) = case::Judge::new(platform).code(&read(file)?)?;
            print!("{passed}");
            std::fs::write(out, code).map_err(|e| e.to_string())?;
            Ok(ExitCode::SUCCESS)
        }
        ["minimize", file, out] => {
            let work = format!("{out}.tmp");
            let failure = |text: &str| {
                std::fs::write(&work, text).ok()?;
                supervise::failure_of_file(&program, &platform, what, Path::new(&work)).ok().flatten()
            };
            let text = read(file)?;
            let wanted = failure(&text).ok_or("nothing is wrong with it")?;
            let small = minimize::minimize(&text, |text| failure(text).as_ref() == Some(&wanted));
            // What is left of the attempts.
            let _ = std::fs::remove_file(&work);
            std::fs::write(out, small).map_err(|e| e.to_string())?;
            println!("{wanted}");
            Ok(ExitCode::SUCCESS)
        }
        _ => Err(USAGE.into()),
    }
}

/// Does something with the bytes of so many seeds, prints for which of them it failed, and gives how many these are.
fn each(first: u64, count: u64, mut attempt: impl FnMut(&[u8]) -> Result<(), String>) -> u64 {
    let mut failed = 0;
    for seed in first..first.saturating_add(count) {
        let bytes = source::bytes_of_seed(seed);
        if let Err(why) = caught(|| attempt(&bytes)) {
            println!("seed {seed}: {why}");
            failed += 1;
        }
    }
    failed
}

/// A panic is a failure like any other; its message has been printed.
fn caught<T>(attempt: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(attempt)).unwrap_or_else(|_| Err("panic".into()))
}

/// Reads damaged texts of a kind.
fn texts(what: &str, first: u64, count: u64) -> Result<(), String> {
    type Make = fn(&[u8]) -> Vec<u8>;
    type Read = fn(&[u8]) -> Result<bool, String>;
    let (make, read): (Make, Read) = match what {
        "llvm" => (text::llvm, text::read_llvm),
        "mlir" => (text::mlir, text::read_mlir),
        "ir" => (text::ir, text::read_ir),
        "iree" => (iree::text, iree::read),
        _ => (text::c, text::read_c_in_all_ways),
    };
    let mut accepted = 0;
    for seed in first..first.saturating_add(count) {
        let text = make(&source::bytes_of_seed(seed));
        let start = Instant::now();
        let outcome = caught(|| read(&text)).and_then(|ok| {
            let seconds = start.elapsed().as_secs();
            if seconds < LONG { Ok(ok) } else { Err(format!("it takes {seconds} seconds")) }
        });
        match outcome {
            Ok(ok) => accepted += u64::from(ok),
            Err(why) => {
                said(&text);
                return Err(format!("seed {seed}: {why}"));
            }
        }
    }
    println!("{accepted} of {count} accepted");
    Ok(())
}

/// What a fuzz target does with bytes.
fn input(what: &str, bytes: &[u8]) -> Result<(), String> {
    match what {
        "llvm" => text::try_llvm(bytes, said),
        "mlir" => text::try_mlir(bytes, said),
        "ir" => text::try_ir(bytes, said),
        "iree" => iree::try_any(bytes, said),
        "c" => gusset_c::on_a_large_stack(|| text::try_c(bytes, said)).map_err(|e| e.to_string())?,
        _ => {
            let task = case::Task::of(bytes);
            let platform = Platform::of(NATIVE[task.platform])?;
            let (module, functions) = task.module(&platform);
            print!("; {}\n{}", platform.triple, gusset_codegen::ir::print(&module, &functions));
            task.check(&mut case::Judge::new(platform)).map_err(|failure| failure.to_string())
        }
    }
}

fn said(text: &[u8]) {
    println!("{}", String::from_utf8_lossy(text));
}

fn text_of(platform: &Platform, seed: u64) -> String {
    let (module, functions) = generate::module(&source::bytes_of_seed(seed), platform);
    gusset_codegen::ir::print(&module, &functions)
}

fn read(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))
}
