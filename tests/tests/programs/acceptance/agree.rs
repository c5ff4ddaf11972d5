//! What accepted files do: their functions by Gusset and by llc, with the same arguments.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::tools::{self, Failure, clang, gusset, limited, llc, root, run, succeed, work_folder};

use super::differs;
use super::files::File;
use super::meaning::Care;
use super::side::{Side, side};

/// What came of a file.
pub enum Verdict {
    /// There is nothing to call, or a judge fails on it: the reason.
    LeftOut(String),
    /// How much was compared.
    Agrees { functions: usize, calls: usize },
    /// The first differences.
    Differs(Vec<String>),
}

/// One line of a program's output: what came of a call.
#[derive(PartialEq)]
struct Call<'t> {
    status: &'t str,
    /// Result, registers, x87 stack, three hashes each of buffers and globals, log.
    fields: Vec<&'t str>,
}

fn call(line: &str) -> Option<((usize, usize), Call<'_>)> {
    let mut words = line.split(' ');
    let place = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let status = words.next()?;
    Some((place, Call { status, fields: words.collect() }))
}

fn calls(text: &str) -> HashMap<(usize, usize), Call<'_>> {
    text.lines().filter_map(call).collect()
}

/// Names of what is compared, with the fields that say the same in different ways.
const ASPECTS: [(&str, &[usize]); 6] = [
    ("result", &[0]),
    ("kept registers", &[1]),
    ("x87 stack", &[2]),
    ("memory", &[3, 4, 5]),
    ("globals", &[6, 7, 8]),
    ("calls outside", &[9]),
];

/// What is different between Gusset's call and those on which both judges agree.
fn difference(ours: Option<&Call<'_>>, judges: [&Call<'_>; 2], care: Care) -> Option<String> {
    let [theirs, other] = judges;
    if theirs.status != other.status || theirs.status.starts_with("time") {
        return None;
    }
    let Some(ours) = ours else { return Some(format!("no call, theirs {}", theirs.status)) };
    // Which of the signals that end a program a trap is, is the compiler's choice.
    let is_trap = |call: &Call<'_>| ["left4", "left5", "left8", "left11"].contains(&call.status);
    if ours.status != theirs.status && !(is_trap(ours) && is_trap(theirs)) {
        return Some(format!("ours {}, theirs {}", ours.status, theirs.status));
    }
    ASPECTS.iter().find_map(|(aspect, fields)| {
        let same = |a: &Call<'_>, b: &Call<'_>| fields.iter().any(|&k| a.fields.get(k) == b.fields.get(k));
        let mut differs = same(theirs, other) && !same(ours, theirs);
        if care == Care::Lanes && differs {
            let lanes = |call: &Call<'_>| call.fields[0].split([',', ':']).map(str::to_string).collect::<Vec<String>>();
            let equal = lanes(ours).iter().zip(&lanes(theirs)).skip(1).filter(|(a, b)| a == b).count();
            differs = *aspect == "result" && equal == 0;
        }
        differs.then(|| {
            let at = |call: &Call<'_>| {
                fields.iter().filter_map(|&k| call.fields.get(k).copied()).next().unwrap_or("").to_string()
            };
            format!("{aspect}: ours {}, theirs {}", at(ours), at(theirs))
        })
    })
}

/// Extensions with which llc has AVX, so that vectors travel in other registers, or instructions that this machine has not.
const WITH_AVX: [&str; 6] = ["+fma", "+f16c", "+vaes", "+vpclmulqdq", "+sha512", "+nf"];

/// After how many calls that end the program the driver leaves a function (`CRASHES` there).
const CRASHES: usize = 3;

/// Makes, runs and compares. `rounds` is the number of calls of each function.
pub fn check(file: &File, rounds: u32) -> Result<Verdict, Failure> {
    let mode = file.mode();
    let triple = mode.triple();
    let folder = work_folder(&format!("acceptance/{}", file.name.replace(['/', '.'], "_")));
    let at = |name: &str| folder.join(name);
    // The file's own words about the machine would be those of another.
    let text = String::from_utf8_lossy(&std::fs::read(&file.path)?).into_owned();
    let text: Vec<&str> =
        text.lines().filter(|l| !["target triple", "target datalayout"].iter().any(|t| l.starts_with(t))).collect();
    std::fs::write(at("input.ll"), format!("target triple = \"{triple}\"\n{}\n", text.join("\n")))?;
    let mut features = file.features.join(",");
    if mode == Mode::Bits32 && !features.contains("-sse") {
        features = format!("+sse2,{features}");
    }
    // Gusset's targets of version 7 have it, llc's have not.
    if mode.bits() == 32 && mode != Mode::Bits32 && !features.contains("neon") {
        features = format!("+neon,{features}");
    }
    let features: Vec<&str> = features.split(',').filter(|f| !f.is_empty() && !WITH_AVX.contains(f)).collect();
    let features = features.join(",");
    let made = make(file, mode, &folder, features.trim_end_matches(','));
    let side = match made {
        Ok(Ok(side)) => side,
        Ok(Err(reason)) => {
            std::fs::remove_dir_all(&folder)?;
            return Ok(Verdict::LeftOut(reason));
        }
        Err(f) => return Err(f.at(&file.name)),
    };
    let outputs = ["ours", "llc0", "llc2"].map(|which| {
        let mut command = mode.runner(120, &at(which));
        run(command.env("ROUNDS", rounds.to_string()))
    });
    let mut texts = Vec::new();
    // The judges come first: what they fail on is left out.
    for (outcome, which) in outputs.into_iter().zip(["ours", "llc0", "llc2"]).rev() {
        let outcome = outcome?;
        if outcome.timed_out() {
            std::fs::remove_dir_all(&folder)?;
            return Ok(Verdict::LeftOut("its many functions take too long here".into()));
        }
        if outcome.code != 0 && which == "ours" && differs::known(&file.name, "") {
            std::fs::remove_dir_all(&folder)?;
            return Ok(Verdict::LeftOut("it has no meaning as a program".into()));
        } else if outcome.code != 0 && which == "ours" {
            return Ok(Verdict::Differs(vec![format!("the whole program: exit code {}", outcome.code)]));
        } else if outcome.code != 0 {
            std::fs::remove_dir_all(&folder)?;
            return Ok(Verdict::LeftOut("llc's program does not run".into()));
        }
        texts.push(outcome.text());
    }
    let (ours, theirs, other) = (calls(&texts[2]), calls(&texts[1]), calls(&texts[0]));
    let gave_up =
        |function| ours.iter().filter(|(at, call)| at.0 == function && call.status != "ok").count() >= CRASHES;
    let mut compared = 0;
    let mut differences: HashMap<usize, (usize, String)> = HashMap::new();
    let mut places: Vec<_> = theirs.keys().copied().collect();
    places.sort_unstable();
    for place in places {
        let Some(judge) = other.get(&place) else { continue };
        let Some(&care) = side.care.get(place.0).filter(|care| care.compares(place.1)) else { continue };
        if !ours.contains_key(&place) && gave_up(place.0) {
            continue;
        }
        compared += 1;
        if let Some(what) = difference(ours.get(&place), [&theirs[&place], judge], care) {
            let name = side.functions.get(place.0).cloned().unwrap_or_default();
            if differs::known(&file.name, &name) {
                continue;
            }
            differences.entry(place.0).or_insert((0, format!("{name} (call {} {}): {what}", place.0, place.1))).0 += 1;
        }
    }
    if differences.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(Verdict::Agrees { functions: side.functions.len(), calls: compared });
    }
    let mut found: Vec<_> = differences.into_iter().collect();
    found.sort();
    Ok(Verdict::Differs(found.into_iter().map(|(_, (count, text))| format!("{count} of {rounds}: {text}")).collect()))
}

/// The three programs; or why there are none.
fn make(file: &File, mode: Mode, folder: &Path, features: &str) -> Result<Result<Side, String>, Failure> {
    let at = |name: &str| folder.join(name);
    let text = String::from_utf8_lossy(&std::fs::read(at("input.ll"))?).into_owned();
    let text: String = text.lines().filter(|l| !l.trim_start().starts_with(';')).collect();
    let plain = run(limited(60, tools::opt()).arg("-S").arg(at("input.ll")).arg("-o").arg(at("plain.ll")))?;
    if plain.code != 0 {
        return Ok(Err("opt does not read it".into()));
    }
    if ["soft-float", "+avx", "+f16c", "+fma"].iter().any(|word| text.contains(word)) {
        return Ok(Err("its functions have attributes for another machine".into()));
    }
    let Some(made) = side(&String::from_utf8_lossy(&std::fs::read(at("plain.ll"))?), mode.triple()) else {
        return Ok(Err("no function in it can be called".into()));
    };
    std::fs::write(at("side.ll"), &made.text)?;
    let mut ours = limited(60, gusset()?);
    ours.arg("compile").arg(at("input.ll")).arg("-o").arg(at("ours.o")).args(["--target", mode.triple()]);
    let known = file.known_features().replace("+fma", "");
    let known = known.trim_matches(',');
    if !known.is_empty() {
        ours.args(["--attr", known]);
    }
    if run(&mut ours)?.code != 0 {
        return Ok(Err("it is not accepted for Linux".into()));
    }
    let judges = [("input.ll", "llc0", "-O0"), ("input.ll", "llc2", "-O2"), ("side.ll", "side", "-O0")];
    for (input, output, level) in judges {
        let mut command = limited(60, llc());
        command.args([level, "-filetype=obj", "-relocation-model=pic", "-mtriple", mode.triple()]);
        if !features.is_empty() {
            command.arg(format!("-mattr={features}"));
        }
        let outcome = run(command.arg(at(input)).arg("-o").arg(at(&format!("{output}.o"))))?;
        if outcome.code != 0 {
            let first = outcome.errors().lines().next().unwrap_or_default().chars().take(200).collect::<String>();
            return Ok(Err(format!("llc fails on {output}: {first}")));
        }
    }
    let driver = driver(mode)?;
    // The judges come first: what no linker takes of theirs is left out.
    for (k, which) in ["ours", "llc0", "llc2"].into_iter().enumerate().rev() {
        let mut command = linker(mode, k);
        command.args(&driver).args([at("side.o"), at(&format!("{which}.o"))]).arg("-o").arg(at(which));
        if !mode.is_big_endian() {
            command.arg("-lm");
        }
        let outcome = run(&mut command)?;
        // llc may call helpers that the library of this machine's compiler does not have.
        let helper = outcome.errors().lines().find(|l| l.contains("undefined symbol: __")).map(str::to_string);
        if let Some(line) = helper.filter(|_| which != "ours") {
            return Ok(Err(format!(
                "llc's object wants what no library has: {}",
                line.rsplit(' ').next().unwrap_or("")
            )));
        }
        if outcome.code != 0 && which == "ours" {
            return Err(Failure::new(format!("Gusset's object does not link: {}", outcome.errors())));
        } else if outcome.code != 0 {
            let first = outcome.errors().lines().next().unwrap_or_default().chars().take(200).collect::<String>();
            return Ok(Err(format!("llc's objects do not link: {first}")));
        }
    }
    Ok(Ok(made))
}

/// The linker of the program with the number `k`: its addresses are not those of the others, so that what depends on them is not
/// compared.
fn linker(mode: Mode, k: usize) -> std::process::Command {
    let base = format!("--image-base={:#x}", 0x800_0000 + 0x123_0000 * k);
    let flags = ["--warn-unresolved-symbols", "-zmuldefs", "-znotext", &base];
    if mode.is_big_endian() {
        let mut command = limited(60, "ld.lld-19");
        command.arg("--no-warnings").args(mode.linker_flags()).args(flags);
        return command;
    }
    let mut command = limited(60, clang());
    command.args(target(mode)).args(["-w", "-fuse-ld=lld", "-no-pie"]);
    command.args(flags.map(|flag| format!("-Wl,{flag}")));
    if mode != Mode::Bits64 {
        command.arg("-static");
    }
    command
}

/// The option that says to clang for which machine it is; the driver is A32.
fn target(mode: Mode) -> &'static [&'static str] {
    match mode {
        Mode::Bits64 => &["--target=x86_64-unknown-linux-gnu"],
        Mode::T32 => Mode::A32.clang_flags(),
        Mode::T32Be => Mode::A32Be.clang_flags(),
        mode => mode.clang_flags(),
    }
}

/// The driver's objects, once for each mode. Where there is no C library, one of them is what the driver needs of it.
fn driver(mode: Mode) -> Result<Vec<PathBuf>, Failure> {
    use std::sync::OnceLock;
    static MADE: [OnceLock<Result<Vec<PathBuf>, String>>; 6] = [const { OnceLock::new() }; 6];
    // The same for both instruction sets of ARM.
    let known = [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::Aarch64Be];
    let k = known.iter().position(|&known| known == mode).unwrap_or(if mode.is_big_endian() { 5 } else { 4 });
    let make = |source: PathBuf, flags: &[String]| {
        let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let object = work_folder("acceptance").join(format!("{stem}-{k}.o"));
        let mut command = limited(60, clang());
        command.args(target(mode)).args(["-w", "-O1", "-fno-pic", "-c"]).args(flags);
        if k < 2 {
            command.arg("-msse2");
        }
        succeed(command.arg(source).arg("-o").arg(&object)).map(|_: tools::Outcome| object)
    };
    let all = || {
        let source = root().join("tests/tests/programs/acceptance/driver.c");
        if !mode.is_big_endian() {
            return Ok(vec![make(source, &[])?]);
        }
        Ok(vec![make(source, &mode.freestanding_flags())?, mode.freestanding()?])
    };
    MADE[k].get_or_init(|| all().map_err(|f: Failure| f.to_string())).clone().map_err(Failure::new)
}
