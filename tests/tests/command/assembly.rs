//! Assembly text of real programs: LLVM's assembler makes of it what Gusset writes into the object.

use std::path::Path;

use gusset_tests::build::{Level, Mode, Unit, ir};
use gusset_tests::corpus::{self, Program};
use gusset_tests::objects::differences;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, succeed, work_folder};

fn check(mode: Mode, unit: &Unit, level: Level, extra: &[&str], folder: &Path) -> Result<(), Failure> {
    let ir = ir(unit, level, &[mode.clang_flags(), extra].concat())?;
    let name = ir.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let path = |ending: &str| folder.join(format!("{name}.{ending}"));
    let emit = |form: &str, out: &Path| {
        succeed(limited(120, gusset()?).args(["compile", "--emit", form]).arg(&ir).arg("-o").arg(out))
    };
    emit("obj", &path("o"))?;
    emit("asm", &path("s"))?;
    let assembler = ["-triple", mode.triple(), "-filetype=obj", "-o"];
    succeed(limited(120, "llvm-mc-19").args(assembler).arg(path("s.o")).arg(path("s")))?;
    let found = differences(&std::fs::read(path("o"))?, &std::fs::read(path("s.o"))?)?;
    if found.is_empty() {
        for ending in ["o", "s", "s.o"] {
            std::fs::remove_file(path(ending))?;
        }
        return Ok(());
    }
    let found = found.join("\n  ");
    Err(Failure::new(format!("{} {level} ({}): object against text:\n  {found}", unit.stem(), path("s").display())))
}

fn check_all(mode: Mode, programs: &[Result<Program, Failure>], cases: &[(Level, &[&str])]) {
    let folder = work_folder(&format!("assembly/{mode:?}"));
    let mut jobs = Vec::new();
    for program in programs {
        let program = program.as_ref().unwrap_or_else(|e| panic!("{e}"));
        jobs.extend(program.units.iter().flat_map(|unit| cases.iter().map(move |case| (unit, *case))));
    }
    let results = parallel::map(jobs.len(), |i| {
        let (unit, (level, extra)) = jobs[i];
        check(mode, unit, level, extra, &folder)
    });
    let failures: Vec<String> = results.into_iter().filter_map(|r| Some(r.err()?.to_string())).collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), jobs.len(), failures.join("\n"));
}

/// COFF has no table of stubs, of which text could ask for an entry: functions of the library are called as others are.
#[test]
fn library_functions_of_windows() -> Result<(), Failure> {
    let folder = work_folder("assembly/windows");
    let (source, text) = (folder.join("m.ll"), folder.join("m.s"));
    std::fs::write(
        &source,
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndefine void @f(ptr %p, ptr %q, i64 %n) {\n  \
         call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)\n  ret void\n}\n",
    )?;
    for triple in ["x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "x86_64-w64-mingw32"] {
        let mut ours = limited(20, gusset()?);
        succeed(ours.args(["compile", "--emit", "asm", "--target", triple]).arg(&source).arg("-o").arg(&text))?;
        let mut judge = limited(20, "llvm-mc-19");
        succeed(
            judge.arg(format!("-triple={triple}")).args(["-filetype=obj", "-o"]).arg(folder.join("m.o")).arg(&text),
        )?;
    }
    Ok(())
}

#[test]
fn of_lua_and_zlib() {
    let cases: [(Level, &[&str]); 3] = [(Level::O0, &["-fPIC"]), (Level::O1, &["-fno-pic"]), (Level::O2, &[])];
    check_all(Mode::Bits64, &[corpus::lua(), corpus::zlib()], &cases);
}

#[test]
fn of_sqlite() {
    check_all(Mode::Bits64, &[corpus::sqlite()], &[(Level::O0, &[]), (Level::O1, &["-fPIC"])]);
}

#[test]
fn of_lua_and_zlib_in_32_bits() {
    let cases: [(Level, &[&str]); 3] = [(Level::O0, &["-fPIC"]), (Level::O1, &["-fno-pic"]), (Level::O2, &[])];
    check_all(Mode::Bits32, &[corpus::lua(), corpus::zlib()], &cases);
}

#[test]
fn of_lua_and_zlib_on_aarch64() {
    check_all(Mode::Aarch64, &[corpus::lua()], &[(Level::O1, &["-mbranch-protection=pac-ret+b-key+bti"])]);
    check_all(Mode::Aarch64, &[corpus::zlib()], &[(Level::O0, &["-fPIC"]), (Level::O2, &["-fno-pic"])]);
}

#[test]
fn of_lua_and_zlib_on_arm() {
    for mode in [Mode::A32, Mode::T32] {
        check_all(mode, &[corpus::lua()], &[(Level::O1, &[])]);
        check_all(mode, &[corpus::zlib()], &[(Level::O0, &["-fPIC"]), (Level::O2, &["-fno-pic"])]);
    }
}
