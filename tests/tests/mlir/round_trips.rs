//! C programs go from LLVM IR to MLIR's dialect `llvm` and back: both what Gusset makes of the MLIR and what it makes of the IR that
//! comes of it do what the program does by clang. The objects of the latter are those of the program's own IR, byte for byte.
//!
//! MLIR 19 has no blocks' addresses, so that interpreters are built without branches by them.
//!
//! `GUSSET_ROUND_TRIPS=all`, or one's name, takes every program at every level.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, Unit, ir, judged};
use gusset_tests::corpus::{self, Program};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, Outcome, gusset, limited, run, succeed, work_folder};

/// Files with branches by blocks' addresses, and what turns these off.
const JUMPS: [(&str, &str, &str); 2] =
    [("lua", "lvm", "-DLUA_USE_JUMPTABLE=0"), ("quickjs", "quickjs", "-DEMSCRIPTEN")];

fn translate(input: &Path, output: &Path) -> Result<(), Failure> {
    succeed(limited(120, gusset()?).arg("translate").arg(input).arg("-o").arg(output)).map(drop)
}

fn object(input: &Path, output: PathBuf) -> Result<PathBuf, Failure> {
    succeed(limited(120, gusset()?).args(["compile", "--pic", "-o"]).arg(&output).arg(input))?;
    Ok(output)
}

fn execute(program: &Program, objects: &[PathBuf], binary: &Path) -> Result<Outcome, Failure> {
    Mode::Bits64.link(objects, program.link, binary)?;
    run(Mode::Bits64.runner(120, binary).args(program.arguments).current_dir(corpus::drivers()))
}

/// Objects of a unit, by clang, of MLIR, and of the LLVM IR that this becomes; the latter is that of the unit's own IR. Whether the
/// former is, too: functions of the run-time library stand in another order there, a constant is one value in MLIR, so that the same
/// from everywhere needs no register, and a constant vector with undefined lanes is put together by instructions.
fn objects(program: &Program, unit: &Unit, level: Level, folder: &Path) -> Result<([PathBuf; 3], bool), Failure> {
    let stem = unit.stem();
    let mut flags = if level == Level::O1 { vec!["-fno-discard-value-names"] } else { Vec::new() };
    let library = unit.source.parent() != Some(&corpus::drivers());
    flags.extend(JUMPS.iter().filter(|j| library && j.0 == program.name && j.1 == stem).map(|j| j.2));
    let source = ir(unit, level, &flags)?;
    let file = |ending: &str| folder.join(format!("{stem}{}.{ending}", if library { "" } else { "-driver" }));
    let (mlir, back) = (file("mlir"), file("ll"));
    translate(&source, &mlir)?;
    translate(&mlir, &back)?;
    let own = object(&source, file("0.o"))?;
    let all = [judged(unit)?, object(&mlir, file("1.o"))?, object(&back, file("2.o"))?];
    let [bytes, of_mlir, of_back] = [std::fs::read(&own)?, std::fs::read(&all[1])?, std::fs::read(&all[2])?];
    if bytes != of_back {
        return Err(Failure::new("the object of what comes back is another one").at(back.display()));
    }
    let same = bytes == of_mlir;
    Ok((all, same))
}

fn check(program: Program, level: Level) -> Result<(), Failure> {
    let folder = work_folder(&format!("round-trips/{}-{level:?}", program.name));
    let units = &program.units;
    let made = parallel::map(units.len(), |i| {
        objects(&program, &units[i], level, &folder).map_err(|f| f.at(units[i].source.display()))
    });
    let mut all: [Vec<PathBuf>; 3] = Default::default();
    let mut same = 0;
    for one in made {
        let (objects, equal) = one?;
        all.iter_mut().zip(objects).for_each(|(all, object)| all.push(object));
        same += usize::from(equal);
    }
    eprintln!("{} {level}: {same} of {} objects of MLIR are those of the LLVM IR", program.name, units.len());
    let done = parallel::map(3, |i| execute(&program, &all[i], &folder.join(format!("{i}"))));
    let [clangs, mlirs, backs] = <[_; 3]>::try_from(done).map_err(|_| Failure::new("three runs"))?;
    let clangs = clangs?;
    if clangs.stdout.len() < 100 {
        return Err(Failure::new(format!("{}: by clang too, it does not work: {}", program.name, clangs.text())));
    }
    for (way, got) in [("MLIR", mlirs?), ("the LLVM IR of MLIR", backs?)] {
        if got.code != clangs.code || got.stdout != clangs.stdout {
            let message = format!("{} {level} by {way}: code {}, {}", program.name, got.code, got.errors());
            return Err(Failure::new(message).at(folder.display()));
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

macro_rules! programs {
    ($($program:ident $level:ident,)*) => {$(
        #[test]
        fn $program() -> Result<(), Failure> {
            check(corpus::$program()?, Level::$level)
        }
    )*};
}

programs! { sqlite O0, lua O1, quickjs O0, zstd O1, zlib Opt, lz4 Opt, bzip2 O1, }

#[test]
fn all_of_them() -> Result<(), Failure> {
    let Ok(wanted) = std::env::var("GUSSET_ROUND_TRIPS") else { return Ok(()) };
    let programs =
        [corpus::zlib, corpus::lz4, corpus::bzip2, corpus::lua, corpus::zstd, corpus::quickjs, corpus::sqlite];
    let mut failures = Vec::new();
    for program in programs {
        for level in [Level::O0, Level::O1, Level::Opt] {
            let program = program()?;
            if wanted == "all" || program.name == wanted {
                failures.extend(check(program, level).err().map(|f| f.to_string()));
            }
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(Failure::new(failures.join("\n"))) }
}
