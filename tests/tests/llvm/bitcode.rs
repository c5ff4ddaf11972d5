//! Bitcode: a module's object is that of the text that `llvm-dis` makes of it, byte by byte, for the programs of these tests and all
//! targets. Damaged files are errors that name their place.

mod old;
mod old_debug;

use std::path::{Path, PathBuf};

use gusset::{Features, Options, Source, Target, TranslateOptions, compile_llvm};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, files_below, limited, llvm_as, root, run, succeed, work_folder};

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
    let bitcode = work_folder("bitcode").join(format!("{name}.bc"));
    if run(limited(60, llvm_as()).arg(file).arg("-o").arg(&bitcode))?.code != 0 {
        return Ok(None);
    }
    printed(&bitcode).map(Some)
}

/// A file of bitcode with the text that LLVM makes of it.
fn printed(bitcode: &Path) -> Result<Program, Failure> {
    let text = bitcode.with_extension("ll");
    succeed(limited(60, "llvm-dis-19").arg(bitcode).arg("-o").arg(&text))?;
    let read = |path: &Path| std::fs::read(path).map_err(|error| Failure::new(error.to_string()));
    Ok(Program { bitcode: read(bitcode)?, text: read(&text)? })
}

/// The object of a program, with the reason why its debug information was left out, if it was; or the message.
fn object(source: &[u8], triple: &str, strip: bool) -> Result<(Vec<u8>, bool), String> {
    let target = Target::from_triple(triple, &Features::default()).map_err(|error| error.to_string())?;
    let options = Options::new().strip_debug(strip);
    let compiled = compile_llvm(Source { name: "program", text: source }, &target, &options, &mut |_| {});
    let done = compiled.map_err(|error| error.to_string())?;
    Ok((done.bytes.to_vec().unwrap_or_default(), done.debug_info_loss.is_some()))
}

/// Compares the objects of both, with debug information and without; returns how many were compared.
fn compare(Program { bitcode, text }: &Program, name: &str) -> usize {
    let own = gusset::target_triple(text);
    assert_eq!(own, gusset::target_triple(bitcode), "{name}");
    let triples: Vec<&str> = own.as_deref().map_or(TRIPLES.to_vec(), |own| vec![own]);
    let described = text.windows(12).any(|part| part == b"!llvm.dbg.cu");
    let mut compared = 0;
    for triple in triples {
        for strip in [false, true].into_iter().take(if described { 2 } else { 1 }) {
            let place = format!("{name} for {triple}, strip: {strip}");
            match (object(bitcode, triple, strip), object(text, triple, strip)) {
                (Ok(of_bitcode), Ok(of_text)) => {
                    assert!(of_bitcode == of_text, "the objects differ: {place}");
                    compared += 1;
                }
                (Err(_), Err(_)) => {}
                (Err(error), Ok(_)) => panic!("{place}: only bitcode is refused: {error}"),
                (Ok(_), Err(error)) => panic!("{place}: only text is refused: {error}"),
            }
        }
    }
    compared
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
    let compared = parallel::map(files.len(), |i| {
        let made = program(&files[i])?;
        Ok::<_, Failure>(made.map_or(0, |made| compare(&made, &files[i].to_string_lossy())))
    });
    let compared: usize = compared.into_iter().map(Result::unwrap).sum();
    assert!(compared > 80, "{compared} objects were compared");
}

/// What clang makes of C and C++ with debug information, for each target: bitcode that it writes itself.
#[test]
fn objects_of_clangs_bitcode_are_those_of_text() {
    let files = ["unwind_outer.cpp", "bit_fields.cpp", "floats.c", "features.c", "seh_walked.c", "calls.c"];
    let mut jobs = Vec::new();
    for (file, triple, level) in files.into_iter().flat_map(|file| {
        TRIPLES.into_iter().flat_map(move |triple| ["-O0", "-O1"].into_iter().map(move |level| (file, triple, level)))
    }) {
        jobs.push((file, triple, level));
    }
    let compared = parallel::map(jobs.len(), |i| {
        let (file, triple, level) = jobs[i];
        let bitcode = work_folder("bitcode").join(format!("{file}.{triple}{level}.bc"));
        let source = root().join("tests/programs").join(file);
        let mut command = limited(60, clang());
        command.args(["-w", "-g", "-emit-llvm", "-c", level, "-ffreestanding"]).arg(format!("--target={triple}"));
        // Headers of the system are not there for each target.
        if run(command.arg(source).arg("-o").arg(&bitcode))?.code != 0 {
            return Ok(0);
        }
        Ok::<_, Failure>(compare(&printed(&bitcode)?, &format!("{file} {level}")))
    });
    let compared: usize = compared.into_iter().map(Result::unwrap).sum();
    assert!(compared > 30, "{compared} objects were compared");
}

/// Files of older versions, which `data/bitcode/versions.c` says how to make: those up to LLVM 14 have typed pointers.
#[test]
fn older_versions_are_read() {
    for version in 13..=16 {
        let name = format!("clang-{version}.bc");
        let file = work_folder("bitcode").join(&name);
        std::fs::copy(root().join("tests/data/bitcode").join(&name), &file).unwrap();
        let program = printed(&file).unwrap();
        assert_eq!(compare(&program, &name), 2, "with debug information and without");
    }
}

/// A file of a newer version than these tests have, with the text that `llvm-dis-22` makes of it.
#[test]
fn newer_versions_are_read() {
    let [bitcode, text] = ["clang-22.bc", "clang-22.ll"].map(|name| root().join("tests/data/bitcode").join(name));
    let program = Program { bitcode: std::fs::read(bitcode).unwrap(), text: std::fs::read(text).unwrap() };
    assert_eq!(compare(&program, "clang-22"), 2, "with debug information and without");
}

/// Objects with bitcode are compiled from that: those that clang makes for link-time optimization, fat ones, and those with a section.
#[test]
fn bitcode_is_found_in_objects() {
    let source = work_folder("bitcode").join("found.c");
    std::fs::write(&source, "extern int g(int); int f(int x) { return g(x) * 3; }\n").unwrap();
    let lto = ["-flto", "-flto=thin"].map(|flag| ("x86_64-unknown-linux-gnu", vec![flag], None));
    let fat = ("x86_64-unknown-linux-gnu", vec!["-flto", "-ffat-lto-objects"], Some(".llvm.lto"));
    let mac = ("x86_64-apple-macos", vec!["-fembed-bitcode=all"], Some("__LLVM,__bitcode"));
    let embedded = TRIPLES.map(|triple| (triple, vec!["-fembed-bitcode=all"], Some(".llvmbc")));
    for (i, (triple, flags, section)) in lto.into_iter().chain([fat, mac]).chain(embedded).enumerate() {
        let [object_file, inner] = ["o", "bc"].map(|ending| work_folder("bitcode").join(format!("found-{i}.{ending}")));
        let mut command = limited(60, clang());
        command
            .args(["-c", "-O1", "-g"])
            .arg(format!("--target={triple}"))
            .args(&flags)
            .arg(&source)
            .arg("-o")
            .arg(&object_file);
        succeed(&mut command).unwrap();
        if let Some(section) = section {
            let dump = format!("--dump-section={section}={}", inner.display());
            succeed(limited(60, "llvm-objcopy-19").arg(dump).arg(&object_file).arg("/dev/null")).unwrap();
        } else {
            std::fs::copy(&object_file, &inner).unwrap();
        }
        let Program { bitcode: _, text } = printed(&inner).unwrap();
        let found = std::fs::read(&object_file).unwrap();
        let target = if triple.contains("apple") { TRIPLES[0] } else { triple };
        assert_eq!(object(&found, target, false), object(&text, target, false), "{triple} {flags:?}");
        let (translated, options) = (|text| Source { name: "found", text }, TranslateOptions::new());
        assert!(gusset::translate(translated(&found), &options).is_ok(), "{triple} {flags:?}");
        // A section that is cut off is an error.
        for end in (0..found.len()).step_by(found.len() / 97) {
            let _ = object(&found[..end], target, false);
        }
    }
}

/// A file with several modules says so, and each of them is that of its own file.
#[test]
fn files_have_several_modules() {
    let files = ["tests/data/environments.ll", "tests/ir/debug.ll"];
    let programs = files.map(|file| program(&root().join(file)).unwrap().unwrap());
    let names = files.map(|file| work_folder("bitcode").join(format!("{}.bc", file.replace('/', "_"))));
    for binary in [true, false] {
        let both = work_folder("bitcode").join(format!("both-{binary}.bc"));
        let mut command = limited(60, "llvm-cat-19");
        succeed(command.args(binary.then_some("-b")).args(&names).arg("-o").arg(&both)).unwrap();
        let both = std::fs::read(&both).unwrap();
        assert!(object(&both, TRIPLES[0], true).unwrap_err().contains("the file has 2 modules"));
        let modules = gusset::bitcode_modules(&both).unwrap();
        assert_eq!(modules.len(), 2);
        for (module, Program { text, .. }) in modules.iter().zip(&programs) {
            let triple = gusset::target_triple(text).unwrap_or(TRIPLES[0].into());
            assert_eq!(object(module, &triple, false), object(text, &triple, false));
        }
    }
}

/// Files that end anywhere, and files in which a bit is another, are read or refused: there is no panic, and messages have places.
#[test]
fn damaged_files_are_errors() {
    let mut errors = 0;
    for (file, step) in
        [("tests/data/environments.ll", 101), ("tests/data/translate/metadata.ll", 211), ("tests/ir/debug.ll", 307)]
    {
        let bitcode = program(&root().join(file)).unwrap().unwrap().bitcode;
        let triple = gusset::target_triple(&bitcode).unwrap_or(TRIPLES[0].into());
        let refused = |source: &[u8]| {
            // Translation reads more, and refuses other things.
            let _ = gusset::translate(Source { name: "program", text: source }, &TranslateOptions::new());
            object(source, &triple, false).err()
        };
        for end in (4..bitcode.len()).step_by(step / 3) {
            let error = refused(&bitcode[..end]).unwrap_or_else(|| panic!("a part of {end} bytes was read"));
            assert!(end < 8 || error.contains("bit ") || error.contains("no module"), "{end}: {error}");
        }
        for at in (0..8 * bitcode.len()).step_by(step) {
            let mut damaged = bitcode.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            errors += usize::from(refused(&damaged).is_some());
        }
    }
    assert!(errors > 80, "{errors} damaged files were refused");
}
