//! Bitcode: a module's object is that of the text that `llvm-dis` makes of it, byte by byte, for the programs of these tests and all
//! targets. Damaged files are errors that name their place.

use std::path::{Path, PathBuf};

use gusset::{Features, Options, Source, Target, compile_llvm};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, files_below, limited, llvm_as, root, run, succeed, work_folder};

/// The targets for programs that name none.
const TRIPLES: [&str; 5] = [
    "x86_64-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "armv7-unknown-linux-gnueabihf",
    "x86_64-pc-windows-msvc",
];

/// A program as bitcode, and the text that LLVM makes of it.
struct Program {
    bitcode: Vec<u8>,
    text: Vec<u8>,
}

/// Has LLVM make both of a text; `None` if it does not read the text.
fn program(file: &Path) -> Result<Option<Program>, Failure> {
    let name = file.strip_prefix(root()).unwrap_or(file).to_string_lossy().replace('/', "_");
    let path = |ending: &str| work_folder("bitcode").join(format!("{name}.{ending}"));
    let (bitcode, text) = (path("bc"), path("ll"));
    if run(limited(60, llvm_as()).arg(file).arg("-o").arg(&bitcode))?.code != 0 {
        return Ok(None);
    }
    succeed(limited(60, "llvm-dis-19").arg(&bitcode).arg("-o").arg(&text))?;
    let read = |path: &Path| std::fs::read(path).map_err(|error| Failure::new(error.to_string()));
    Ok(Some(Program { bitcode: read(&bitcode)?, text: read(&text)? }))
}

/// The object of a program, or the first line of the message without the place.
fn object(source: &[u8], triple: &str) -> Result<Vec<u8>, String> {
    let target = Target::from_triple(triple, &Features::default()).map_err(|error| error.to_string())?;
    let options = Options::new().strip_debug(true);
    let compiled = compile_llvm(Source { name: "program", text: source }, &target, &options, &mut |_| {});
    compiled.map(|done| done.bytes.to_vec().unwrap_or_default()).map_err(|error| error.to_string())
}

/// Compares the objects of both; returns how many were compared.
fn compare(file: &Path) -> Result<usize, Failure> {
    let Some(Program { bitcode, text }) = program(file)? else { return Ok(0) };
    let own = gusset::target_triple(&text);
    assert_eq!(own, gusset::target_triple(&bitcode), "{}", file.display());
    let triples: Vec<&str> = own.as_deref().map_or(TRIPLES.to_vec(), |own| vec![own]);
    let mut compared = 0;
    for triple in triples {
        let place = || format!("{} for {triple}", file.display());
        match (object(&bitcode, triple), object(&text, triple)) {
            (Ok(of_bitcode), Ok(of_text)) => {
                assert!(of_bitcode == of_text, "the objects differ: {}", place());
                compared += 1;
            }
            (Err(_), Err(_)) => {}
            (Err(error), Ok(_)) => panic!("{}: only bitcode is refused: {error}", place()),
            (Ok(_), Err(error)) => panic!("{}: only text is refused: {error}", place()),
        }
    }
    Ok(compared)
}

fn programs() -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for folder in ["tests", "frontends/llvm/tests", "memory/tests", "compiler/src/runtime"] {
        files.extend(files_below(&root().join(folder), "ll")?);
    }
    Ok(files)
}

#[test]
fn objects_are_those_of_text() {
    let files = programs().unwrap();
    let compared = parallel::map(files.len(), |i| compare(&files[i]));
    let compared: usize = compared.into_iter().map(Result::unwrap).sum();
    assert!(compared > 80, "{compared} objects were compared");
}

/// Files that end anywhere, and files in which a bit is another, are read or refused: there is no panic, and messages have places.
#[test]
fn damaged_files_are_errors() {
    let file = root().join("tests/data/environments.ll");
    let bitcode = program(&file).unwrap().unwrap().bitcode;
    let triple = gusset::target_triple(&bitcode).unwrap_or(TRIPLES[0].into());
    let refused = |source: &[u8]| object(source, &triple).err();
    for end in (4..bitcode.len()).step_by(37) {
        let error = refused(&bitcode[..end]).unwrap_or_else(|| panic!("a part of {end} bytes was read"));
        assert!(end < 8 || error.contains("bit ") || error.contains("no module"), "{end}: {error}");
    }
    let mut errors = 0;
    for at in (0..8 * bitcode.len()).step_by(101) {
        let mut damaged = bitcode.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        errors += usize::from(refused(&damaged).is_some());
    }
    assert!(errors > 50, "{errors} damaged files were refused");
}
