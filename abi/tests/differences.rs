//! `DIFFERENCES.md` is made of the tables at the heads of the conventions' sources, where they are kept: `BLESS=1` writes it anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The sources with tables, in the order of the document, under these headings.
const SOURCES: &[(&str, &str)] = &[
    ("families/x86_64/sysv.rs", "x86-64: System V"),
    ("families/x86_64/windows.rs", "x86-64: Windows, `__vectorcall`, `ms_abi`"),
    ("families/i386/sysv.rs", "32-bit x86: System V, the BSDs, Apple's systems, MinGW"),
    ("families/i386/windows.rs", "32-bit x86: Windows"),
    ("families/aarch64/common.rs", "AArch64: all conventions"),
    ("families/aarch64/aapcs64.rs", "AArch64: ELF systems, Apple's, Windows"),
    ("families/arm/aapcs32.rs", "32-bit ARM"),
    ("chain.rs", "Static chains"),
    ("layout/record.rs", "Layout of records"),
    ("to_llvm/mod.rs", "`to_llvm`: LLVM signatures of C signatures"),
    ("families/x86_64/llvm_windows.rs", "LLVM types: Windows x64"),
    ("families/i386/llvm.rs", "LLVM types: 32-bit x86"),
    ("families/aarch64/llvm.rs", "LLVM types: AArch64"),
    ("families/arm/llvm.rs", "LLVM types: 32-bit ARM"),
    ("memref/mod.rs", "MLIR: memrefs, complex numbers, vectors"),
];

/// The rows, without the `//!`, of the table of a source's head that begins with a column of cases.
fn table(source: &str) -> Vec<String> {
    let head = source.lines().take_while(|line| line.starts_with("//!"));
    let rows = head.map(|line| line[3..].trim()).skip_while(|line| !line.starts_with("| case |"));
    rows.take_while(|line| line.starts_with('|')).map(without_links).collect()
}

/// `` [`name`](place) `` as `` `name` ``.
fn without_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((name, (_, left))) = after.split_once("`](").and_then(|(n, r)| Some((n, r.split_once(')')?))) else {
            break;
        };
        let _ = write!(text, "{before}`{name}`");
        rest = left;
    }
    text + rest
}

fn sources(folder: &Path, found: &mut Vec<(String, String)>, below: &str) {
    let mut entries: Vec<_> = fs::read_dir(folder).expect("the sources").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = format!("{below}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            sources(&path, found, &format!("{name}/"));
        } else {
            found.push((name, fs::read_to_string(&path).expect("a source")));
        }
    }
}

#[test]
fn the_document_is_the_sum_of_the_tables() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    sources(&root.join("src"), &mut found, "");
    for (name, text) in &found {
        let listed = SOURCES.iter().any(|(source, _)| source == name);
        assert_eq!(table(text).len() > 2, listed, "{name} has a table and is not listed, or the other way round");
    }
    let mut document = String::from(
        "# Where compilers and documents part ways\n\nA row for each case in which GCC, clang or a platform's document say \
         different things about a call, and who is followed here. Compilers are GCC 12 and clang 19 unless a version is \
         named. This file is made of the heads of the sources.\n",
    );
    for (name, title) in SOURCES {
        let (_, text) = found.iter().find(|(source, _)| source == name).expect("a source that is there");
        let _ = write!(document, "\n## {title}\n\n{}\n", table(text).join("\n"));
    }
    let path = root.join("DIFFERENCES.md");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &document).expect("the document is writable");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == document, "DIFFERENCES.md is not what the sources say; BLESS=1 writes it anew");
}
