//! Nested functions: static chains and trampolines, in the pool and in place, against flang, llc and GCC, on Linux and Windows
//! of both widths. What is made in the pool is freed at every end of its host, and programs that use the pool have no
//! executable stack.

use gusset_tests::parallel;
use gusset_tests::runtime::{AARCH64, ARM, PLATFORMS, Platform, THUMB};
use gusset_tests::tools::{self, Failure, clang, gusset, limited, succeed};
use std::path::{Path, PathBuf};

/// What hosts call for a trampoline in the pool.
const INIT: &str = "gusset_host_trampoline_init__link_with_libgusset_runtime";

fn folder() -> PathBuf {
    tools::root().join("tests/tests/runtime/nested")
}

/// `gusset compile` of a module for a platform; with trampolines of the pool, at `-O2`.
fn compile(ir: &Path, object: &Path, platform: &Platform, place: &str) -> Result<(), Failure> {
    let options: &[&str] = if place == "pool" { &["-O2"] } else { &[] };
    compile_with(options, ir, object, platform, place)
}

fn compile_with(options: &[&str], ir: &Path, object: &Path, platform: &Platform, place: &str) -> Result<(), Failure> {
    let mut command = limited(60, gusset()?);
    command.args(["compile", "--verify", "--pic", "--target", platform.triple, "--trampolines", place]);
    succeed(command.args(options).arg(ir).arg("-o").arg(object)).map(drop)
}

/// Links C and an object to a program, and runs it; what it prints.
fn program(
    name: &Path,
    platform: &Platform,
    source: &str,
    object: &Path,
    options: &[&str],
    pool: bool,
) -> Result<String, Failure> {
    let mut link = limited(120, platform.compiler());
    let (dialect, library): (_, &[&str]) =
        if source.ends_with(".cpp") { ("-std=c++17", &["-lstdc++"]) } else { ("-std=gnu17", &[]) };
    link.args([dialect, "-O1", "-o"]).arg(name).arg(folder().join(source)).arg(object).args(options);
    if pool {
        link.args(["-DCOUNT", &format!("-Wl,--wrap={INIT},--wrap=gusset_trampoline_free")]);
        link.arg(platform.library()?);
    } else if !platform.windows {
        link.args(["-z", "execstack"]);
    }
    link.args(library).args(platform.libraries());
    succeed(&mut link)?;
    let mut run = platform.run(60, name)?;
    let printed = succeed(&mut run).map_err(|f| f.at(name.display()))?.text().replace('\r', "");
    if pool && !platform.windows {
        plain_stack(name)?;
    }
    Ok(printed)
}

/// A program's stack is not executable.
fn plain_stack(program: &Path) -> Result<(), Failure> {
    let headers = succeed(limited(60, "readelf").arg("-lW").arg(program))?.text();
    let stack = headers.lines().find(|line| line.contains("GNU_STACK"));
    if stack.is_some_and(|line| line.contains(" RW ")) {
        return Ok(());
    }
    Err(Failure::new(format!("stack: {stack:?}")).at(program.display()))
}

fn same(expected: &str, got: &str, place: &Path) -> Result<(), Failure> {
    if expected.is_empty() {
        return Err(Failure::new("the judge prints nothing"));
    }
    tools::same_lines(expected, got).map_err(|f| f.at(place.display()))
}

/// Fortran's internal procedures, 5,000 of them alive at once, on one thread and on many.
fn fortran(platform: &Platform) -> Result<(), Failure> {
    let work = tools::work_folder("nested");
    let path = |end: &str| work.join(format!("procedures-{}-{end}", platform.triple));
    let flang = |level: &str, last: &[&str], output: &Path| -> Result<(), Failure> {
        let mut command = limited(120, "flang-new-19");
        command.current_dir(&work).arg(format!("--target={}", platform.triple)).args([level]).args(last);
        succeed(command.arg(folder().join("procedures.f90")).arg("-o").arg(output)).map(drop)
    };
    let object = path("flang.o");
    flang("-O1", &["-c"], &object)?;
    let expected = program(&path("flang.exe"), platform, "main.c", &object, &[], false)?;
    for level in ["-O0", "-O1", "-O2"] {
        let ir = path(&format!("{level}.ll"));
        flang(level, &["-S", "-emit-llvm"], &ir)?;
        for (place, pool) in [("pool", true), ("in-place", false)] {
            let name = path(&format!("{place}{level}.exe"));
            let object = name.with_extension("o");
            compile(&ir, &object, platform, place)?;
            same(&expected, &program(&name, platform, "main.c", &object, &[], pool)?, &name)?;
        }
    }
    Ok(())
}

/// A whole Fortran program with Fortran's library, on AArch64; the judge is the same program on this machine.
#[test]
fn fortran_program_aarch64() -> Result<(), Failure> {
    let work = tools::work_folder("nested");
    let source = folder().join("program.f90");
    let flang = |arguments: &[&str], output: &Path| -> Result<(), Failure> {
        let mut command = limited(120, "flang-new-19");
        succeed(command.current_dir(&work).args(arguments).arg(&source).arg("-o").arg(output)).map(drop)
    };
    let judge = work.join("program-flang.exe");
    flang(&["-O1"], &judge)?;
    let expected = succeed(&mut limited(60, &judge))?.text();
    let library = tools::unpacked("GUSSET_FORTRAN_ARM64", "fortran-arm64");
    for level in ["-O0", "-O1", "-O2"] {
        let name = work.join(format!("program-aarch64{level}.exe"));
        let (ir, object) = (name.with_extension("ll"), name.with_extension("o"));
        flang(&[&format!("--target={}", AARCH64.triple), level, "-S", "-emit-llvm"], &ir)?;
        compile(&ir, &object, &AARCH64, "pool")?;
        let mut link = limited(120, AARCH64.compiler());
        link.arg("-o").arg(&name).arg(&object).arg(AARCH64.library()?);
        link.args(["libFortranRuntime.a", "libFortranDecimal.a"].map(|file| library.join(file)));
        succeed(link.args(AARCH64.libraries()).arg("-lm"))?;
        same(&expected, &succeed(&mut AARCH64.run(60, &name)?)?.text(), &name)?;
        plain_stack(&name)?;
    }
    Ok(())
}

/// Has the driver call with chains in our register, which is not GCC's on AArch64.
const OWN_CHAINS: &str = "-DCHAIN_X15";

fn own_chains(platform: &Platform) -> &'static [&'static str] {
    if platform.triple == AARCH64.triple { &[OWN_CHAINS] } else { &[] }
}

/// Hosts with unusual ends, chains beside everything that may stand beside them, and nested functions of GCC.
fn hosts(platform: &Platform) -> Result<(), Failure> {
    let work = tools::work_folder("nested");
    let path = |end: &str| work.join(format!("hosts-{}-{end}", platform.triple));
    let ir = folder().join("hosts.ll");
    let object = path("llc.o");
    let mut llc = limited(60, tools::llc());
    llc.args(["-filetype=obj", "-relocation-model=pic"]).arg(format!("-mtriple={}", platform.triple));
    succeed(llc.arg(&ir).arg("-o").arg(&object))?;
    let with_gcc = program(&path("llc.exe"), platform, "driver.c", &object, &["-DNESTED", "-DLLC"], false)?;
    // On AArch64 GCC has its chains in another register.
    let chains: &[(&str, &[&str], &[&str])] = match platform.emulator {
        None => &[("in-place.exe", &[], &["-DNESTED"])],
        Some(_) => &[
            ("in-place.exe", &["--attr", "+static-chain-x18"], &["-DNESTED"]),
            ("in-place-x15.exe", &[], &["-DNESTED", OWN_CHAINS, "-DFLUSHES=0x5800008f", "-Wl,--wrap=__clear_cache"]),
        ],
    };
    for (end, how, defined) in chains {
        let in_place = path(end);
        let object = in_place.with_extension("o");
        compile_with(how, &ir, &object, platform, "in-place")?;
        same(&with_gcc, &program(&in_place, platform, "driver.c", &object, defined, false)?, &in_place)?;
    }
    let pool = path("pool.exe");
    let object = pool.with_extension("o");
    compile(&ir, &object, platform, "pool")?;
    // GCC's own trampolines need an executable stack, of which Linux programs say in their headers that they have none.
    if platform.windows {
        return same(&with_gcc, &program(&pool, platform, "driver.c", &object, &["-DNESTED"], true)?, &pool);
    }
    let judge = path("llc-alone.exe");
    let without = program(&judge, platform, "driver.c", &path("llc.o"), &["-DLLC"], false)?;
    same(&without, &program(&pool, platform, "driver.c", &object, own_chains(platform), true)?, &pool)
}

#[test]
fn fortran_linux64() -> Result<(), Failure> {
    fortran(&PLATFORMS[0])
}

#[test]
fn fortran_linux32() -> Result<(), Failure> {
    fortran(&PLATFORMS[1])
}

#[test]
fn fortran_aarch64() -> Result<(), Failure> {
    fortran(&AARCH64)
}

#[test]
fn hosts_aarch64() -> Result<(), Failure> {
    hosts(&AARCH64)
}

#[test]
fn hosts_linux64() -> Result<(), Failure> {
    hosts(&PLATFORMS[0])
}

#[test]
fn hosts_linux32() -> Result<(), Failure> {
    hosts(&PLATFORMS[1])
}

#[test]
fn hosts_windows64() -> Result<(), Failure> {
    hosts(&PLATFORMS[2])
}

#[test]
fn hosts_windows32() -> Result<(), Failure> {
    hosts(&PLATFORMS[3])
}

/// The same on 32-bit ARM, for which llc has no trampolines: the judge is its code for 32-bit x86. GCC's chains are in our register.
fn hosts_on_arm(platform: &Platform) -> Result<(), Failure> {
    let work = tools::work_folder("nested");
    let path = |end: &str| work.join(format!("hosts-{}-{end}", platform.triple));
    let ir = folder().join("hosts.ll");
    let (judge, object) = (path("llc.exe"), path("llc.o"));
    let mut llc = limited(60, tools::llc());
    llc.args(["-filetype=obj", "-relocation-model=pic"]).arg(format!("-mtriple={}", PLATFORMS[1].triple));
    succeed(llc.arg(&ir).arg("-o").arg(&object))?;
    let expected = program(&judge, &PLATFORMS[1], "driver.c", &object, &[], false)?;
    for (end, place) in [("pool.exe", "pool"), ("in-place.exe", "in-place")] {
        let name = path(end);
        let object = name.with_extension("o");
        compile(&ir, &object, platform, place)?;
        let pool = place == "pool";
        same(&expected, &program(&name, platform, "driver.c", &object, platform.options(), pool)?, &name)?;
        if !pool {
            let options: Vec<&str> = platform.options().iter().copied().chain(["-DNESTED"]).collect();
            let nested = program(&name, platform, "driver.c", &object, &options, false)?;
            if !["168 85\n", "170 83\n"].iter().any(|first| nested.starts_with(first)) {
                return Err(Failure::new(nested).at(name.display()));
            }
        }
    }
    Ok(())
}

#[test]
fn hosts_arm() -> Result<(), Failure> {
    hosts_on_arm(&ARM)
}

#[test]
fn hosts_thumb() -> Result<(), Failure> {
    hosts_on_arm(&THUMB)
}

/// Exceptions leave hosts: what these print is the same, and every trampoline of the pool is freed.
fn thrown(platform: &Platform) -> Result<(), Failure> {
    let work = tools::work_folder("nested");
    let path = |end: &str| work.join(format!("throws-{}-{end}", platform.triple));
    let text = std::fs::read_to_string(folder().join("throws.ll"))?;
    let ir = path("source.ll");
    // On 64-bit Windows the personality routine has another name.
    let seh = platform.windows && platform.pointer_bytes == 8;
    std::fs::write(&ir, if seh { text.replace("personality_v0", "personality_seh0") } else { text })?;
    // The judge is on Linux, where trampolines may be on the stack if the program says so.
    let (judge, object) = (path("llc.exe"), path("llc.o"));
    let linux = &PLATFORMS[usize::from(platform.pointer_bytes == 4)];
    let mut llc = limited(60, tools::llc());
    llc.args(["-filetype=obj", "-relocation-model=pic"]).arg(format!("-mtriple={}", linux.triple));
    succeed(llc.arg(folder().join("throws.ll")).arg("-o").arg(&object))?;
    let expected = program(&judge, linux, "throws.cpp", &object, &[], false)?;
    let pool = path("pool.exe");
    let object = pool.with_extension("o");
    compile(&ir, &object, platform, "pool")?;
    same(&expected, &program(&pool, platform, "throws.cpp", &object, &[], true)?, &pool)
}

#[test]
fn thrown_linux64() -> Result<(), Failure> {
    thrown(&PLATFORMS[0])
}

#[test]
fn thrown_linux32() -> Result<(), Failure> {
    thrown(&PLATFORMS[1])
}

#[test]
fn thrown_aarch64() -> Result<(), Failure> {
    thrown(&AARCH64)
}

#[test]
fn thrown_arm() -> Result<(), Failure> {
    thrown(&ARM)?;
    thrown(&THUMB)
}

#[test]
fn thrown_windows64() -> Result<(), Failure> {
    thrown(&PLATFORMS[2])
}

#[test]
fn thrown_windows32() -> Result<(), Failure> {
    thrown(&PLATFORMS[3])
}

/// A call of an internal procedure whose host has returned ends with a message, on every end of the host.
#[test]
fn calls_that_come_too_late() -> Result<(), Failure> {
    for platform in PLATFORMS.iter().chain([&AARCH64]) {
        let name = tools::work_folder("nested").join(format!("late-{}.exe", platform.triple));
        let object = name.with_extension("o");
        compile(&folder().join("hosts.ll"), &object, platform, "pool")?;
        program(&name, platform, "driver.c", &object, own_chains(platform), true)?;
        let outcome = tools::run(platform.run(60, &name)?.arg("late"))?;
        let expected = format!("call of the dead internal procedure 0x{}", outcome.text().trim_end());
        if outcome.code == 0 || outcome.timed_out() || !outcome.errors().contains(&expected) {
            let said = format!("exit code {}, without `{expected}`: {}", outcome.code, outcome.errors());
            return Err(Failure::new(said).at(platform.triple));
        }
    }
    Ok(())
}

/// Hosts that `longjmp` leaves: what they had in the pool is used again by later hosts of the thread, while hosts that
/// still exist keep theirs; threads that end give back all.
#[test]
fn hosts_left_by_longjmp() -> Result<(), Failure> {
    let platforms: Vec<&Platform> = PLATFORMS.iter().chain([&AARCH64, &ARM, &THUMB]).collect();
    let outcomes = parallel::map(platforms.len(), |index| {
        let platform = platforms[index];
        let name = tools::work_folder("nested").join(format!("left-{}.exe", platform.triple));
        let object = name.with_extension("o");
        compile(&folder().join("left.ll"), &object, platform, "pool")?;
        match program(&name, platform, "left.c", &object, platform.options(), true)?.as_str() {
            "done\n" => Ok(()),
            printed => Err(Failure::new(printed).at(platform.triple)),
        }
    });
    outcomes.into_iter().collect()
}

/// Conventions of 32-bit x86 whose functions have their static chain in eax, in the pool and in place.
#[test]
fn chains_in_eax() -> Result<(), Failure> {
    // Stacks on Windows are not executable.
    for (platform, places) in [(&PLATFORMS[1], &["pool", "in-place"][..]), (&PLATFORMS[3], &["pool"])] {
        for &place in places {
            let name = tools::work_folder("nested").join(format!("chains-{place}-{}.exe", platform.triple));
            let object = name.with_extension("o");
            compile(&folder().join("chains.ll"), &object, platform, place)?;
            let printed = program(&name, platform, "chains.c", &object, &[], place == "pool")?;
            same("1042 1142 1242\n", &printed, &name)?;
            if place == "pool" {
                let outcome = tools::run(platform.run(60, &name)?.arg("late"))?;
                if outcome.code == 0 || !outcome.errors().contains("call of the dead internal procedure 0x") {
                    return Err(Failure::new(outcome.errors()).at(name.display()));
                }
            }
        }
    }
    Ok(())
}

/// Without the library, the linker's message says what is missing.
#[test]
fn linked_without_the_library() -> Result<(), Failure> {
    let platform = &PLATFORMS[0];
    let object = tools::work_folder("nested").join("alone.o");
    compile(&folder().join("left.ll"), &object, platform, "pool")?;
    let mut link = limited(60, platform.compiler());
    link.arg(folder().join("left.c")).arg(&object).arg("-o").arg(object.with_extension("exe"));
    let outcome = tools::run(&mut link)?;
    if outcome.code != 0 && outcome.errors().contains("link_with_libgusset_runtime") {
        return Ok(());
    }
    Err(Failure::new(outcome.errors()))
}

/// Trampolines in place that begin with a landing pad.
#[test]
fn landing_pads() -> Result<(), Failure> {
    let text = std::fs::read_to_string(folder().join("hosts.ll"))?;
    let flag = "\n!llvm.module.flags = !{!0}\n!0 = !{i32 8, !\"cf-protection-branch\", i32 1}\n";
    for (platform, pad) in [(&PLATFORMS[0], 0xfa), (&PLATFORMS[1], 0xfb)] {
        let name = tools::work_folder("nested").join(format!("pads-{}.exe", platform.triple));
        let (ir, object) = (name.with_extension("ll"), name.with_extension("o"));
        std::fs::write(&ir, format!("{text}{flag}"))?;
        compile(&ir, &object, platform, "in-place")?;
        let printed = program(&name, platform, "driver.c", &object, &["-DNESTED"], false)?;
        if !printed.starts_with("170 83\n42 3021\n") {
            return Err(Failure::new(printed).at(platform.triple));
        }
        // `endbr64` or `endbr32` as a number that is stored, not as an instruction alone.
        let stored = [0xf3, 0x0f, 0x1e, pad];
        let code = std::fs::read(&object)?;
        let is_pad = |at: usize| code[at..].starts_with(&stored);
        let in_numbers = (1..code.len()).filter(|at| is_pad(*at) && at % 16 != 0).count();
        if in_numbers == 0 {
            return Err(Failure::new("no landing pad is stored").at(platform.triple));
        }
    }
    // `bti c`, on a processor that knows it.
    let flag = "\n!llvm.module.flags = !{!0}\n!0 = !{i32 8, !\"branch-target-enforcement\", i32 1}\n";
    let name = tools::work_folder("nested").join("pads-aarch64.exe");
    let (ir, object) = (name.with_extension("ll"), name.with_extension("o"));
    std::fs::write(&ir, format!("{text}{flag}"))?;
    compile(&ir, &object, &AARCH64, "in-place")?;
    let defined = ["-DNESTED", OWN_CHAINS, "-DFLUSHES=0xd503245f", "-Wl,--wrap=__clear_cache"];
    let printed = program(&name, &AARCH64, "driver.c", &object, &defined, false)?;
    if !printed.starts_with("168 85\n42 3021\n") || printed.contains("were flushed") {
        return Err(Failure::new(printed).at(AARCH64.triple));
    }
    Ok(())
}

/// The flag of the module alone makes the stack executable.
#[test]
fn executable_stack_by_flag() -> Result<(), Failure> {
    let work = tools::work_folder("nested");
    let text = std::fs::read_to_string(folder().join("hosts.ll"))?;
    let flag = "\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"executable-stack\", i32 1}\n";
    for (name, text, expected) in [("plain", text.clone(), false), ("flag", text + flag, true)] {
        let ir = work.join(format!("stack-{name}.ll"));
        std::fs::write(&ir, text)?;
        for (platform, assembly) in [(&PLATFORMS[0], false), (&PLATFORMS[0], true), (&AARCH64, false), (&AARCH64, true)]
        {
            let object = ir.with_extension("o");
            if assembly {
                let listing = ir.with_extension("s");
                compile_with(&["--emit", "asm"], &ir, &listing, platform, "in-place")?;
                let mut assemble = limited(60, clang());
                assemble.arg(format!("--target={}", platform.triple));
                succeed(assemble.arg("-c").arg(&listing).arg("-o").arg(&object))?;
            } else {
                compile(&ir, &object, platform, "in-place")?;
            }
            let sections = succeed(limited(60, "readelf").arg("-SW").arg(&object))?.text();
            let line = sections.lines().find(|line| line.contains(".note.GNU-stack"));
            let executable = line.is_some_and(|line| line.split_whitespace().any(|word| word == "X"));
            if line.is_none() || executable != expected {
                return Err(Failure::new(format!("{name}: {line:?}")).at(platform.triple));
            }
        }
    }
    Ok(())
}

/// What the pool cannot do is said.
#[test]
fn refusals() -> Result<(), Failure> {
    let work = tools::work_folder("nested");
    let declarations = "declare void @llvm.init.trampoline(ptr, ptr, ptr)\n";
    let elsewhere =
        "define void @f(ptr %m) {\n  call void @llvm.init.trampoline(ptr %m, ptr @f, ptr %m)\n  ret void\n}\n";
    let small = "define void @f() {\n  %m = alloca i64\n  call void @llvm.init.trampoline(ptr %m, ptr @f, ptr %m)\n  ret void\n}\n";
    let between = "define void @f() {\n  %m = alloca [40 x i8], align 8\n  %p = getelementptr i8, ptr %m, i64 4\n  \
                   call void @llvm.init.trampoline(ptr %p, ptr @f, ptr %m)\n  ret void\n}\n";
    let x18 = "+static-chain-x18";
    for (platform, place, attributes, text, expected) in [
        (&PLATFORMS[0], "pool", "", elsewhere, "not a variable of the function"),
        (&PLATFORMS[0], "in-place", "", small, "takes 23 bytes"),
        (&PLATFORMS[1], "in-place", "", small, "takes 10 bytes"),
        (&AARCH64, "in-place", "", small, "takes 32 bytes"),
        (&AARCH64, "in-place", "", between, "aligned to 8 bytes"),
        (&AARCH64, "pool", x18, between, "no trampolines for this target"),
        (&AARCH64, "in-place", "+reserve-x18,+static-chain-x18", between, "x18, which is reserved"),
    ] {
        let ir = work.join("refused.ll");
        std::fs::write(&ir, format!("{declarations}{text}"))?;
        let options: &[&str] = if attributes.is_empty() { &[] } else { &["--attr", attributes] };
        match compile_with(options, &ir, &work.join("refused.o"), platform, place) {
            Ok(()) => return Err(Failure::new(format!("{place}, {}: taken: {text}", platform.triple))),
            Err(f) if !f.to_string().contains(expected) => return Err(f),
            Err(_) => {}
        }
    }
    Ok(())
}
