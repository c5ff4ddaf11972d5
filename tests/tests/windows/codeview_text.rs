//! CodeView in assembly text: LLVM's assembler makes of it what Gusset writes into the object.

use std::path::Path;

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, root, succeed, work_folder};
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget};

const TRIPLES: [&str; 4] =
    ["x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "aarch64-pc-windows-msvc", "thumbv7-pc-windows-msvc"];

/// A section of CodeView: its bytes, and what its fields refer to.
type Section = (String, Vec<u8>, Vec<String>);

/// The sections in an order that does not depend on that of the file.
fn sections(file: &Path) -> Result<Vec<Section>, Failure> {
    let bytes = std::fs::read(file)?;
    let wrong = |error: object::Error| Failure::new(format!("{}: {error}", file.display()));
    let parsed = object::File::parse(&*bytes).map_err(wrong)?;
    let mut all = Vec::new();
    for section in parsed.sections() {
        let name = section.name().map_err(wrong)?;
        if !name.starts_with(".debug$") {
            continue;
        }
        let mut fields = Vec::new();
        for (offset, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let symbol = parsed.symbol_by_index(symbol).map_err(wrong)?;
            let RelocationFlags::Coff { typ } = relocation.flags() else { continue };
            fields.push(format!("{offset:#x}: type {typ} {}", symbol.name().map_err(wrong)?));
        }
        all.push((name.to_string(), section.data().map_err(wrong)?.to_vec(), fields));
    }
    all.sort();
    Ok(all)
}

#[test]
fn assemblers_make_the_object_of_it() -> Result<(), Failure> {
    let folder = work_folder("codeview_text");
    let cases = [("classes.cpp", "-O0"), ("functions.c", "-O0"), ("functions.c", "-O2")];
    let done = parallel::map(TRIPLES.len() * cases.len(), |i| -> Result<(), Failure> {
        let (triple, (name, level)) = (TRIPLES[i / cases.len()], cases[i % cases.len()]);
        let path = |ending: &str| folder.join(format!("{triple}-{name}{level}.{ending}"));
        let mut by_clang = limited(60, clang());
        by_clang.arg(format!("--target={triple}")).args(["-g", "-gcodeview", "-w", level, "-S", "-emit-llvm"]);
        if name.ends_with("cpp") {
            by_clang.arg("-std=c++20");
        }
        succeed(by_clang.arg(root().join("tests/programs/codeview").join(name)).arg("-o").arg(path("ll")))?;
        for (form, out) in [("obj", path("o")), ("asm", path("s"))] {
            succeed(limited(60, gusset()?).args(["compile", "--emit", form]).arg(path("ll")).arg("-o").arg(out))?;
        }
        let mut assembler = limited(60, "llvm-mc-19");
        assembler.arg(format!("--triple={triple}")).args(["--filetype=obj", "-o"]);
        assembler.arg(path("s.o")).arg(path("s"));
        if triple.starts_with("thumb") {
            assembler.arg("--mattr=+neon");
        }
        succeed(&mut assembler)?;
        let (expected, got) = (sections(&path("o"))?, sections(&path("s.o"))?);
        assert!(expected.len() >= 2 && expected.iter().all(|section| section.1.len() > 16), "{}", path("o").display());
        if expected != got {
            let names = |list: &[Section]| list.iter().map(|s| (s.1.len(), s.2.clone())).collect::<Vec<_>>();
            let (expected, got) = (names(&expected), names(&got));
            return Err(Failure::new(format!("{}: {expected:?} against {got:?}", path("s.o").display())));
        }
        Ok(())
    });
    done.into_iter().collect()
}
