//! Debug information in objects: it changes no code, `llvm-dwarfdump` finds nothing wrong, and gdb shows what it does for clang's.

use std::path::Path;

use gusset_tests::build::{Level, Mode, Unit, ir};
use gusset_tests::objects::code_sections;
use gusset_tests::tools::{self, Failure, clang, files_below, gusset, limited, root, succeed, work_folder};
use gusset_tests::{corpus, debuggers, parallel};

/// Compiles a text with these options.
fn compile(text: &Path, object: &Path, options: &[&str]) -> Result<(), Failure> {
    succeed(limited(120, gusset()?).arg("compile").args(options).arg(text).arg("-o").arg(object)).map(drop)
}

/// The programs, each with the levels at which their functions keep no variables in memory for debuggers. One in `SHARE`
/// of the tests' own programs is among them. `GUSSET_DEBUG_OBJECTS=all` adds the others and large programs.
fn units() -> Result<Vec<(Unit, Level)>, Failure> {
    const SHARE: usize = 12;
    let all = std::env::var("GUSSET_DEBUG_OBJECTS").is_ok_and(|value| value == "all");
    let mut programs = vec![corpus::lua()?, corpus::zlib()?, corpus::bzip2()?];
    if all {
        programs.extend([corpus::sqlite()?, corpus::quickjs()?, corpus::zstd()?, corpus::lz4()?]);
    }
    let mut units: Vec<Unit> = programs.into_iter().flat_map(|program| program.units).collect();
    let mut own = Vec::new();
    for folder in ["tests/programs", "tests/tests/runtime"] {
        for extension in ["c", "cpp"] {
            own.extend(files_below(&root().join(folder), extension)?);
        }
    }
    own.sort();
    let sources = own.into_iter().step_by(if all { 1 } else { SHARE });
    units.extend(sources.map(|source| Unit { source, flags: Vec::new() }));
    Ok(units.iter().flat_map(|unit| [Level::O0, Level::O1, Level::O2].map(|level| (unit.clone(), level))).collect())
}

#[test]
fn code_is_that_of_stripped_modules() -> Result<(), Failure> {
    let (folder, all) = (work_folder("debug_objects/same"), units()?);
    let modes = [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::T32];
    let done = parallel::map(all.len(), |i| -> Result<Option<usize>, Failure> {
        let (unit, level) = &all[i];
        // One machine for each file in turn.
        let mode = modes[i % modes.len()];
        // Some of the tests' own programs are for other systems, need a flag, or have assembly.
        let is_own = unit.flags.is_empty();
        let text = match ir(unit, *level, &[mode.clang_flags(), &["-g"]].concat()) {
            Err(_) if is_own => return Ok(None),
            text => text?,
        };
        let name = format!("{}{level}{i}", unit.stem());
        let (with, without) = (folder.join(format!("{name}.g.o")), folder.join(format!("{name}.o")));
        let mut described = 0;
        // One of the levels that optimize for each file in turn, too.
        for own_level in ["-O0", ["-O1", "-O2", "-Os"][i / 3 % 3]] {
            let at = || format!("{name} for {mode:?}, {own_level}");
            match compile(&text, &without, &[own_level, "--strip-debug"]) {
                Err(_) if is_own => return Ok(None),
                done => done?,
            }
            compile(&text, &with, &[own_level, "--verify"])?;
            // Of inline functions nothing is left at `-O2`.
            if is_own && !std::fs::read_to_string(&text)?.lines().any(|line| line.starts_with("define ")) {
                return Ok(None);
            }
            if code_sections(&with)? != code_sections(&without)? {
                return Err(Failure::new(format!("{}: the code depends on debug information", at())));
            }
            let verified = succeed(limited(120, "llvm-dwarfdump-19").args(["--verify", "--quiet"]).arg(&with));
            verified.map_err(|failure| failure.at(at()))?;
            described = std::fs::metadata(&with)?.len() - std::fs::metadata(&without)?.len();
        }
        for file in [with, without] {
            std::fs::remove_file(file)?;
        }
        Ok(Some(described as usize))
    });
    let sizes: Vec<Option<usize>> = done.into_iter().collect::<Result<_, _>>()?;
    eprintln!("{} of {} files", sizes.iter().flatten().count(), sizes.len());
    assert!(sizes.iter().flatten().all(|&bytes| bytes > 500), "{sizes:?}");
    assert!(sizes.iter().flatten().count() * 4 > sizes.len() * 3, "too many are refused: {sizes:?}");
    Ok(())
}

/// What gdb shows of the variables and lines of a function that keeps its variables in memory is the same for clang's object, on every machine.
#[test]
fn gdb_shows_what_it_does_for_clang() -> Result<(), Failure> {
    let programs = debuggers::programs();
    let modes = [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::T32];
    let done = parallel::map(modes.len() * 2, |i| -> Result<(), Failure> {
        let (mode, version) = (modes[i / 2], ["-gdwarf-4", "-gdwarf-5"][i % 2]);
        let folder = work_folder(&format!("debug_objects/gdb/{mode:?}{version}"));
        let mut said = Vec::new();
        for program in debuggers::programs_of(&folder, mode, &["-O0", version], &programs.join("kinds.c"))? {
            // Addresses differ.
            said.push(debuggers::gdb_says(mode, &program, &programs.join("kinds.gdb"), &["0x", "Thread", "process"])?);
        }
        let at = |failure: Failure| failure.at(format!("{mode:?} {version}"));
        for expected in ["c = GREEN", "lengths = {0, 4, 8, 12, 16}", "bits = 5", "z = 1 + 2i"] {
            if !said[0].contains(expected) {
                return Err(at(Failure::new(format!("no {expected}: {}", said[0]))));
            }
        }
        tools::same_lines(&said[0], &said[1]).map_err(at)
    });
    done.into_iter().collect()
}

/// The lines of inlined calls, by `addr2line` of LLVM.
#[test]
fn inlined_calls_have_lines() -> Result<(), Failure> {
    let folder = work_folder("debug_objects/inlined");
    let (source, text, own) = (folder.join("inlined.c"), folder.join("inlined.ll"), folder.join("inlined.o"));
    std::fs::write(
        &source,
        "int use(int);\nstatic inline int inner(int a) {\n  return use(a) + 1;\n}\nint outer(int a) {\n  return inner(a + 2) * 3;\n}\n",
    )?;
    succeed(limited(60, clang()).args(["-O2", "-g", "-S", "-emit-llvm"]).arg(&source).arg("-o").arg(&text))?;
    compile(&text, &own, &[])?;
    let dump = succeed(limited(60, "llvm-objdump-19").args(["-d", "--no-show-raw-insn"]).arg(&own))?.text();
    let call = dump.lines().find(|line| line.contains("call")).and_then(|line| line.trim().split(':').next());
    let address = format!("0x{}", call.ok_or_else(|| Failure::new("there is no call"))?);
    let mut symbolizer = limited(60, "llvm-symbolizer-19");
    symbolizer.args(["--inlines", "--basenames", "--obj"]).arg(&own).arg(&address);
    let lines = succeed(&mut symbolizer)?.text();
    let expected = "inner\ninlined.c:3:10\nouter\ninlined.c:6:10\n";
    assert_eq!(lines.trim(), expected.trim(), "at {address} of {}", root().display());
    Ok(())
}

/// The intrinsics of LLVM 4, which had an offset, and of LLVM 7, which had one for addresses.
#[test]
fn intrinsics_of_older_versions_are_read() -> Result<(), Failure> {
    const TEXT: &str = "\
define i32 @f(i32 %a) !dbg !4 {
entry:
  %x = alloca i32, align 4
  call void @llvm.dbg.value(metadata i32 %a, i64 0, metadata !9, metadata !11), !dbg !12
  call void @llvm.dbg.addr(metadata i32* %x, metadata !10, metadata !DIExpression()), !dbg !12
  store volatile i32 %a, i32* %x, align 4, !dbg !12
  ret i32 %a, !dbg !13
}
declare void @llvm.dbg.value(metadata, i64, metadata, metadata)
declare void @llvm.dbg.addr(metadata, metadata, metadata)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: \"old\", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: \"t.c\", directory: \"/d\")
!2 = !{i32 2, !\"Dwarf Version\", i32 4}
!3 = !{i32 2, !\"Debug Info Version\", i32 3}
!4 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !5, isLocal: false, isDefinition: true, scopeLine: 1, flags: DIFlagPrototyped, isOptimized: true, unit: !0, variables: !8)
!5 = !DISubroutineType(types: !6)
!6 = !{!7, !7}
!7 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)
!8 = !{!9, !10}
!9 = !DILocalVariable(name: \"a\", arg: 1, scope: !4, file: !1, line: 1, type: !7)
!10 = !DILocalVariable(name: \"x\", scope: !4, file: !1, line: 1, type: !7)
!11 = !DIExpression()
!12 = !DILocation(line: 1, column: 3, scope: !4)
!13 = !DILocation(line: 2, column: 3, scope: !4)
";
    let folder = work_folder("debug_objects/old");
    let (text, own) = (folder.join("old.ll"), folder.join("old.o"));
    std::fs::write(&text, TEXT)?;
    let target = ["--target", "x86_64-unknown-linux-gnu"];
    // A field that newer versions do not have: the code is compiled, and a note says why debug information is missing.
    let outcome = tools::run(limited(60, gusset()?).arg("compile").args(target).arg(&text).arg("-o").arg(&own))?;
    assert_eq!(outcome.code, 0, "{}", outcome.errors());
    assert!(outcome.errors().contains("no field `variables`"), "{}", outcome.errors());
    std::fs::write(&text, TEXT.replace("variables:", "retainedNodes:"))?;
    compile(&text, &own, &target)?;
    let dump = succeed(limited(60, "llvm-dwarfdump-19").args(["--debug-info", "--verify"]).arg(&own))?.text();
    assert!(dump.contains("No errors."), "{dump}");
    let dump = succeed(limited(60, "llvm-dwarfdump-19").arg("--debug-info").arg(&own))?.text();
    let located = dump.matches("DW_AT_location").count();
    assert_eq!(located, 2, "{dump}");
    Ok(())
}
