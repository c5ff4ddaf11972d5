//! Argument blocks: C++ of 32-bit Windows whose classes are constructed in argument memory, some of its files by clang and some
//! by Gusset, and each object constructed and destroyed exactly once.

use std::path::{Path, PathBuf};

use gusset_tests::machine::I386_WINDOWS;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, root, succeed, work_folder};

/// Options for files without exceptions and without the C++ library.
const OPTIONS: [&str; 5] = ["-fno-exceptions", "-fno-rtti", "-ffreestanding", "-w", "-march=pentium4"];

fn source(file: &str) -> PathBuf {
    root().join("tests/data/blocks").join(file)
}

fn by_clang(source: &Path, options: &[&str], output: &Path) -> Result<(), Failure> {
    let mut command = limited(60, clang());
    command.arg(format!("--target={}", I386_WINDOWS.triple)).args(OPTIONS).args(options);
    succeed(command.arg(source).arg("-o").arg(output)).map(drop)
}

/// The objects of a C++ file: by clang, and by Gusset out of what clang makes of it, at two levels with and without frame
/// pointers.
fn variants(file: &str, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut objects = Vec::new();
    for (level, frames) in [("-O0", ""), ("-O2", ""), ("-O2", "-fomit-frame-pointer")] {
        let stem = folder.join(format!("{file}{level}{frames}"));
        let made = |ending: &str| stem.with_extension(ending);
        let mut options = vec![level];
        options.extend(Some(frames).filter(|f| !f.is_empty()));
        let source = source(&format!("{file}.cpp"));
        by_clang(&source, &[&options[..], &["-c"]].concat(), &made("clang.o"))?;
        by_clang(&source, &[&options[..], &["-S", "-emit-llvm"]].concat(), &made("ll"))?;
        let mut command = limited(60, gusset()?);
        command.args(["compile", "--verify", "--target", I386_WINDOWS.triple]).arg(made("ll"));
        command.arg("-o").arg(made("gusset.o"));
        succeed(&mut command)?;
        objects.extend([made("clang.o"), made("gusset.o")]);
    }
    Ok(objects)
}

#[test]
fn objects_in_argument_blocks_live_once() -> Result<(), Failure> {
    let folder = work_folder("blocks");
    let main = folder.join("main.o");
    by_clang(&source("main.cpp"), &["-O1", "-c"], &main)?;
    let (callers, callees) = (variants("caller", &folder)?, variants("callee", &folder)?);
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
        I386_WINDOWS.link(&[main.clone(), callers[caller].clone(), callees[callee].clone()], &program)?;
        let outcome = I386_WINDOWS.run(&program)?;
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
