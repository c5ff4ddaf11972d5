//! Argument blocks: C++ of 32-bit Windows whose classes are constructed in argument memory, some of its files by clang and some
//! by Gusset, and each object constructed and destroyed exactly once; the same on the other targets of Windows, where objects travel
//! by address; and random calls against llc's.

mod builder;
mod random;

use std::path::{Path, PathBuf};

use gusset_tests::machine::{I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::tools::{Failure, cc_32, clang, gusset, limited, llc, root, same_lines, succeed, work_folder};
use gusset_tests::{microsoft, parallel};

/// Options for files without exceptions and without the C++ library.
const OPTIONS: [&str; 5] = ["-fno-exceptions", "-fno-rtti", "-ffreestanding", "-fms-extensions", "-w"];

/// A target of Windows.
#[derive(Clone, Copy)]
struct Target {
    triple: &'static str,
    options: &'static [&'static str],
    /// GNU's compiler that links for it, if Microsoft's linker does not.
    gcc: Option<&'static str>,
    machine: &'static Machine,
}

const I386: Target =
    Target { triple: I386_WINDOWS.triple, options: &["-march=pentium4"], gcc: None, machine: &I386_WINDOWS };
const X86_64: Target = Target { triple: X86_64_WINDOWS.triple, options: &[], gcc: None, machine: &X86_64_WINDOWS };
const I386_GNU: Target = Target { triple: "i686-w64-mingw32", gcc: Some("i686-w64-mingw32-gcc"), ..I386 };
const X86_64_GNU: Target = Target { triple: "x86_64-w64-mingw32", gcc: Some("x86_64-w64-mingw32-gcc"), ..X86_64 };

impl Target {
    /// Links a program that begins at `start`.
    fn link(&self, objects: &[PathBuf], program: &Path) -> Result<(), Failure> {
        let Some(gcc) = self.gcc else {
            let mut objects = objects.to_vec();
            // The 32-bit one is in the file itself.
            objects.extend(if self.triple.starts_with("i686") {
                None
            } else {
                Some(microsoft::support(self.machine)?)
            });
            return self.machine.link(&objects, program);
        };
        let entry = format!("-Wl,--entry={}start", self.machine.prefix);
        let mut command = limited(60, gcc);
        command.arg("-nostdlib").arg(entry).args(objects).args(["-lgcc", "-lkernel32", "-o"]).arg(program);
        let said = succeed(&mut command)?.errors();
        if said.trim().is_empty() { Ok(()) } else { Err(Failure::new(format!("the linker says: {said}"))) }
    }
}

fn source(file: &str) -> PathBuf {
    root().join("tests/data/blocks").join(file)
}

fn by_clang(source: &Path, options: &[&str], output: &Path) -> Result<(), Failure> {
    by_clang_for(&I386, source, options, output)
}

fn by_clang_for(target: &Target, source: &Path, options: &[&str], output: &Path) -> Result<(), Failure> {
    let mut command = limited(60, clang());
    command.arg(format!("--target={}", target.triple)).args(OPTIONS).args(target.options).args(options);
    succeed(command.arg(source).arg("-o").arg(output)).map(drop)
}

/// The objects of a C++ file: by clang, and by Gusset out of what clang makes of it, at two levels with and without frame
/// pointers.
fn variants(target: &Target, file: &str, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut objects = Vec::new();
    for (level, frames) in [("-O0", ""), ("-O2", ""), ("-O2", "-fomit-frame-pointer")] {
        let stem = folder.join(format!("{file}{level}{frames}"));
        let made = |ending: &str| stem.with_extension(ending);
        let mut options = vec![level];
        options.extend(Some(frames).filter(|f| !f.is_empty()));
        let source = source(&format!("{file}.cpp"));
        by_clang_for(target, &source, &[&options[..], &["-c"]].concat(), &made("clang.o"))?;
        by_clang_for(target, &source, &[&options[..], &["-S", "-emit-llvm"]].concat(), &made("ll"))?;
        let mut command = limited(60, gusset()?);
        // One of these objects is optimized code.
        let own = if frames.is_empty() { "-O0" } else { "-O2" };
        command.args(["compile", "--verify", own, "--target", target.triple]).arg(made("ll"));
        command.arg("-o").arg(made("gusset.o"));
        succeed(&mut command)?;
        objects.extend([made("clang.o"), made("gusset.o")]);
    }
    Ok(objects)
}

#[test]
fn objects_in_argument_blocks_live_once() -> Result<(), Failure> {
    objects_live_once(&I386)
}

#[test]
fn objects_by_address_live_once() -> Result<(), Failure> {
    [X86_64, I386_GNU, X86_64_GNU]
        .iter()
        .try_for_each(|target| objects_live_once(target).map_err(|f| f.at(target.triple)))
}

fn objects_live_once(target: &Target) -> Result<(), Failure> {
    let folder = work_folder(&format!("blocks/{}", target.triple));
    let main = folder.join("main.o");
    by_clang_for(target, &source("main.cpp"), &["-O1", "-c"], &main)?;
    let (callers, callees) = (variants(target, "caller", &folder)?, variants(target, "callee", &folder)?);
    // Each by clang is the other side of each by Gusset; those by Gusset meet each other at the same levels.
    let mut pairs = vec![(0, 0)];
    for caller in 0..callers.len() {
        for callee in 0..callees.len() {
            let gusset = caller % 2 + callee % 2;
            if gusset == 1 && callee / 2 == (caller / 2 + 1) % 3 || gusset == 2 && caller == callee {
                pairs.push((caller, callee));
            }
        }
    }
    let outputs = parallel::map(pairs.len(), |k| {
        let (caller, callee) = pairs[k];
        let program = folder.join(format!("{caller}-{callee}.exe"));
        target.link(&[main.clone(), callers[caller].clone(), callees[callee].clone()], &program)?;
        let outcome = target.machine.run(&program)?;
        match outcome.code {
            0 => Ok(outcome.text()),
            code => Err(Failure::new(format!("exit code {code}: {}", outcome.text()))),
        }
    });
    let outputs: Vec<String> = outputs.into_iter().collect::<Result<_, Failure>>()?;
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    let expected = lines(&outputs[0]);
    assert!(expected.contains(&"left 0".into()) && expected.contains(&"wrong 0".into()), "{}", outputs[0]);
    for (pair, output) in pairs.iter().zip(&outputs) {
        assert_eq!(lines(output), expected, "caller and callee {pair:?}");
    }
    Ok(())
}

/// Functions in a random program.
const FUNCTIONS: usize = 12;

/// What accompanies random functions: what they call beside each other, and the calls of them. On Windows there is no C
/// library, and the numbers go into the exit code's message.
fn driver() -> String {
    let mut text = String::from(
        "#include <stdio.h>\nstatic unsigned state = 1;\n\
         int coin(void) { state = state * 1103515245 + 12345; return (state >> 16) % 3; }\n\
         int spill(long long a, long long b, long long c, long long d, long long e, long long f, long long g, long long h,\n\
         int i) { return (int)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h) ^ i; }\n",
    );
    for k in 0..FUNCTIONS {
        text += &format!("int f{k}(int);\n");
    }
    text += "int main(void) { for (int i = -2; i < 6; i++) { state = i + 9;\n";
    for k in 0..FUNCTIONS {
        text += &format!("printf(\"%d f{k} %d\\n\", i, f{k}(i * 77));\n");
    }
    text + "} return 0; }\n"
}

/// The object of LLVM IR, by Gusset at a level and by llc.
fn both(ir: &Path, machine: &Machine, level: &str) -> Result<[PathBuf; 2], Failure> {
    let (ours, theirs) = (ir.with_extension("gusset.o"), ir.with_extension("llc.o"));
    let mut command = limited(60, gusset()?);
    command.args(["compile", "--verify", level, "--target", machine.triple]).arg(ir).arg("-o").arg(&ours);
    succeed(&mut command)?;
    let mut command = limited(60, llc());
    command.args(["-filetype=obj", "-relocation-model=pic", "-mtriple", machine.triple]).arg(ir).arg("-o").arg(&theirs);
    succeed(&mut command)?;
    Ok([ours, theirs])
}

/// Random functions on a machine, with the callees by either compiler, against llc's of everything.
fn random(machine: &Machine, cc: &[&str], seeds: std::ops::Range<u64>) -> Result<(), Failure> {
    let folder = work_folder(&format!("blocks-{}", machine.name));
    let narrow = machine.pointer_bytes == 4;
    let (callees, main) = (folder.join("callees.ll"), folder.join("main.c"));
    std::fs::write(&callees, random::callees(narrow))?;
    std::fs::write(&main, driver())?;
    let main_object = folder.join("main.o");
    succeed(limited(60, cc[0]).args(&cc[1..]).args(["-O1", "-c"]).arg(&main).arg("-o").arg(&main_object))?;
    let callees = both(&callees, machine, "-O0")?;
    let seeds: Vec<u64> = seeds.collect();
    let done = parallel::map(seeds.len(), |k| -> Result<(), Failure> {
        let ir = folder.join(format!("{}.ll", seeds[k]));
        std::fs::write(&ir, random::callers(seeds[k], FUNCTIONS, narrow))?;
        let callers = both(&ir, machine, if seeds[k].is_multiple_of(2) { "-O2" } else { "-O0" })?;
        let mut outputs = Vec::new();
        for (caller, callee) in [(1, 1), (0, 1), (1, 0), (0, 0)] {
            let program = ir.with_extension(format!("{caller}{callee}.elf"));
            let mut command = limited(60, cc[0]);
            command.args(&cc[1..]).args([&main_object, &callers[caller], &callees[callee]]).arg("-o").arg(&program);
            succeed(&mut command)?;
            outputs.push(succeed(&mut limited(10, &program))?.text());
        }
        for output in &outputs[1..] {
            same_lines(&outputs[0], output).map_err(|f| f.at(ir.display()))?;
        }
        Ok(())
    });
    done.into_iter().collect()
}

#[test]
fn random_calls_on_x86_64() -> Result<(), Failure> {
    random(&gusset_tests::machine::X86_64_LINUX, &["clang-19"], 0..16)
}

#[test]
fn random_calls_on_i386() -> Result<(), Failure> {
    random(&gusset_tests::machine::I386_LINUX, &[&cc_32()], 0..16)
}

/// The blocks of code in the page about argument blocks, by what they are written in.
fn page() -> Result<Vec<(String, String)>, Failure> {
    let text = std::fs::read_to_string(root().join("docs/argument-blocks.md"))?;
    let parts: Vec<&str> = text.split("```").collect();
    let part = |p: &&str| p.split_once('\n').map(|(kind, code)| (kind.to_string(), code.to_string()));
    Ok(parts.iter().skip(1).step_by(2).filter_map(part).collect())
}

/// The instructions of an assembly text's only function.
fn instructions(text: &str) -> Vec<String> {
    let function = text.lines().skip_while(|l| !l.starts_with("_f:")).skip(1);
    let code = function.filter(|l| l.starts_with('\t') && !l.starts_with("\t."));
    let code = code.take_while(|l| !l.starts_with("\t#"));
    code.map(|l| l.split('#').next().unwrap_or(l).trim().to_string()).collect()
}

#[test]
fn the_documents_example_has_fewer_instructions_and_no_frame_pointer() -> Result<(), Failure> {
    let input = source("document.ll");
    let mut command = limited(60, gusset()?);
    let ours = instructions(&succeed(command.args(["compile", "--emit", "asm"]).arg(&input).args(["-o", "-"]))?.text());
    let theirs = instructions(&succeed(limited(60, llc()).arg("-O2").arg(&input).args(["-o", "-"]))?.text());
    let page = page()?;
    let shown: Vec<Vec<String>> =
        page[1..].iter().map(|(_, code)| code.lines().map(|l| l.trim().to_string()).collect()).collect();
    assert_eq!(shown, [ours.clone(), theirs.clone()], "docs/argument-blocks.md");
    assert!(std::fs::read_to_string(&input)?.contains(&page[0].1), "docs/argument-blocks.md");
    assert_eq!((ours.len(), theirs.len()), (8, 20));
    assert!(!ours.iter().any(|i| i.contains("ebp")));
    Ok(())
}

#[test]
fn the_builder_constructs_in_argument_blocks() -> Result<(), Failure> {
    let folder = work_folder("blocks-builder");
    let object = |name: &str| folder.join(format!("{name}.o"));
    by_clang(&source("main.cpp"), &["-O1", "-c"], &object("main"))?;
    by_clang(&source("builder.cpp"), &["-O1", "-c"], &object("cxx"))?;
    by_clang(&source("builder.cpp"), &["-O1", "-c", "-DALL"], &object("all"))?;
    std::fs::write(object("ours"), builder::object().map_err(|e| Failure::new(e.to_string()))?)?;
    let run = |name: &str, parts: &[&str]| -> Result<String, Failure> {
        let program = folder.join(name);
        I386_WINDOWS.link(&parts.iter().map(|p| object(p)).collect::<Vec<_>>(), &program)?;
        let outcome = I386_WINDOWS.run(&program)?;
        if outcome.code == 0 { Ok(outcome.text()) } else { Err(Failure::new(format!("exit code {}", outcome.code))) }
    };
    let (expected, got) = (run("clang.exe", &["main", "all"])?, run("gusset.exe", &["main", "cxx", "ours"])?);
    assert!(expected.contains("left 0") && expected.contains("wrong 0"), "{expected}");
    same_lines(&expected, &got)
}

#[test]
fn what_llvm_has_got_wrong() -> Result<(), Failure> {
    let folder = work_folder("blocks-llvm");
    let (object, main, program) = (folder.join("llvm.o"), folder.join("main.c"), folder.join("program"));
    let mut command = limited(60, gusset()?);
    succeed(command.args(["compile", "--verify"]).arg(source("llvm.ll")).arg("-o").arg(&object))?;
    std::fs::write(
        &main,
        "#include <stdio.h>\nint inlined(int), torn(int);\n\
         int main(void) { for (int i = 0; i < 4; i++) printf(\"%d %d\\n\", inlined(i), torn(100 * i)); return 0; }\n",
    )?;
    succeed(limited(60, cc_32()).args(["-w", "-O1"]).arg(&main).arg(&object).arg("-o").arg(&program))?;
    let torn = |n: i64| (0..n).filter(|i| i % 2 == 1).map(|i| (1000 + i - 5) * 1000 + i - 7).sum::<i64>() as i32;
    let expected: String = (0..4).map(|i| format!("{} {}\n", i * 100 + 4, torn(100 * i64::from(i)))).collect();
    assert_eq!(succeed(&mut limited(10, &program))?.text(), expected);
    Ok(())
}

#[test]
fn exceptions_leave_argument_blocks_as_they_were_found() -> Result<(), Failure> {
    let folder = work_folder("blocks-unwind");
    let driver = folder.join("driver.o");
    let mut command = limited(60, clang());
    command.args(["--target=i686-linux-gnu", "-w", "-O1", "-c"]).arg(source("unwind.cpp")).arg("-o").arg(&driver);
    succeed(&mut command)?;
    let ir = folder.join("unwind.ll");
    std::fs::copy(source("unwind.ll"), &ir).map_err(|e| Failure::new(e.to_string()))?;
    let mut outputs = Vec::new();
    for (k, object) in both(&ir, &gusset_tests::machine::I386_LINUX, "-O2")?.iter().enumerate() {
        let program = folder.join(format!("{k}.elf"));
        let mut command = limited(60, cc_32());
        succeed(command.args(["-static"]).args([&driver, object]).arg("-lstdc++").arg("-o").arg(&program))?;
        outputs.push(succeed(&mut limited(10, &program))?.text());
    }
    assert_eq!(outputs[1].lines().filter(|l| l.ends_with("left 0, wrong 0")).count(), 21, "{}", outputs[1]);
    assert!(outputs[1].lines().filter(|l| l.contains("threw")).count() >= 9);
    same_lines(&outputs[1], &outputs[0])
}
