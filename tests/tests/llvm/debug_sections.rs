//! Options about the sections of debug information: compression, and the table of addresses.

use std::path::Path;

use gusset_tests::build::{Level, Mode, ir};
use gusset_tests::corpus;
use gusset_tests::objects::differences;
use gusset_tests::tools::{Failure, gusset, limited, run, succeed, work_folder};

/// Compiles a text with these options.
fn compile(text: &Path, object: &Path, options: &[&str]) -> Result<(), Failure> {
    succeed(limited(120, gusset()?).arg("compile").args(options).arg(text).arg("-o").arg(object)).map(drop)
}

/// What a tool prints of an object.
fn printed(tool: &str, options: &[&str], object: &Path) -> Result<String, Failure> {
    Ok(succeed(limited(60, tool).args(options).arg(object))?.text())
}

/// LLVM's and GNU's tools read compressed sections, and what they expand is the object without compression. In 32-bit objects of x86 and ARM
/// the addends of relocations are among what is compressed.
#[test]
fn compressed_sections_expand_to_what_they_were() -> Result<(), Failure> {
    let (folder, program) = (work_folder("debug_sections/compressed"), corpus::zlib()?);
    let unit = &program.units[0];
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32] {
        let text = ir(unit, Level::O1, &[mode.clang_flags(), &["-g"]].concat())?;
        let file = |end: &str| folder.join(format!("{mode:?}.{end}.o"));
        let (whole, compressed, expanded) = (file("whole"), file("compressed"), file("expanded"));
        compile(&text, &whole, &[])?;
        compile(&text, &compressed, &["--compress-debug-sections"])?;
        let (before, after) = (std::fs::metadata(&whole)?.len(), std::fs::metadata(&compressed)?.len());
        assert!(after < before * 9 / 10, "{mode:?}: {after} of {before} bytes");
        succeed(limited(60, "llvm-dwarfdump-19").args(["--verify", "--quiet"]).arg(&compressed))
            .map_err(|failure| failure.at(format!("{mode:?}")))?;
        let expand = ["--decompress-debug-sections"];
        succeed(limited(60, "llvm-objcopy-19").args(expand).args([&compressed, &expanded]))?;
        let found = differences(&std::fs::read(&whole)?, &std::fs::read(&expanded)?)?;
        assert!(found.is_empty(), "{mode:?}: {}", found.join("\n"));
        let lines = |object: &Path| printed("llvm-objdump-19", &["-d", "--line-numbers", "--no-show-raw-insn"], object);
        let (expected, got) = (lines(&whole)?, lines(&compressed)?);
        assert_eq!(expected.lines().skip(2).collect::<Vec<_>>(), got.lines().skip(2).collect::<Vec<_>>(), "{mode:?}");
    }
    Ok(())
}

/// Sections are not compressed where no linker would expand them.
#[test]
fn compression_elsewhere_is_an_error() -> Result<(), Failure> {
    let folder = work_folder("debug_sections/refused");
    let text = folder.join("empty.ll");
    std::fs::write(&text, "define void @f() {\n  ret void\n}\n")?;
    let options: [(&[&str], &str); 2] = [
        (&["--target", "x86_64-pc-windows-gnu"], "sections are compressed in ELF objects only"),
        (&["--emit", "asm"], "assemblers compress sections themselves"),
    ];
    for (options, expected) in options {
        let mut command = limited(60, gusset()?);
        command.args(["compile", "--compress-debug-sections"]).args(options).arg(&text);
        let outcome = run(command.arg("-o").arg(folder.join("out")))?;
        assert!(outcome.code == 1 && outcome.errors().contains(expected), "{}", outcome.errors());
    }
    Ok(())
}

/// The table has one range, the code, for the object's only unit, if it is asked for.
#[test]
fn table_of_addresses() -> Result<(), Failure> {
    let (folder, program) = (work_folder("debug_sections/aranges"), corpus::zlib()?);
    for mode in [Mode::Bits64, Mode::A32] {
        let text = ir(&program.units[0], Level::O1, &[mode.clang_flags(), &["-g"]].concat())?;
        let (object, without) = (folder.join(format!("{mode:?}.o")), folder.join(format!("{mode:?}.no.o")));
        compile(&text, &object, &["--debug-aranges"])?;
        compile(&text, &without, &[])?;
        let table = printed("llvm-dwarfdump-19", &["--debug-aranges"], &object)?;
        let sizes = printed("llvm-size-19", &["-A"], &object)?;
        let code = sizes.lines().find_map(|line| line.strip_prefix(".text")?.split_whitespace().next());
        let code: u64 = code.and_then(|size| size.parse().ok()).ok_or_else(|| Failure::new(&sizes))?;
        let ranges: Vec<&str> = table.lines().filter(|line| line.starts_with('[')).collect();
        assert!(matches!(ranges[..], [range] if range.ends_with(&format!("{code:x})"))), "{code} {table}");
        let none = printed("llvm-dwarfdump-19", &["--debug-aranges"], &without)?;
        assert!(!none.contains("Address Range Header"), "{none}");
    }
    Ok(())
}
