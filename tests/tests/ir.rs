//! What the stages of the code generator make of small functions: `tests/ir/*.gir`, Gusset's IR with the expected text as comments
//! behind it.
//!
//! The head of a file says what is looked at: `; stages: promote final` and `; targets: x86_64-unknown-linux-gnu`. What is expected
//! stands behind a line `;; STAGE TARGET`, each line as a comment. `BLESS=1 cargo test -p gusset-tests --test ir` writes it anew;
//! the version control system then shows what changed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, root, succeed};

/// Between the input and what is expected.
const EXPECTED: &str = "\n;; ";

fn check(file: &Path, bless: bool) -> Result<(), Failure> {
    let text = std::fs::read_to_string(file)?;
    let input = text.split_once(EXPECTED).map_or(text.trim_end(), |(input, _)| input.trim_end());
    let head = |key: &str| {
        let line = input.lines().find_map(|l| l.strip_prefix("; ")?.strip_prefix(key)?.strip_prefix(':'));
        line.map(|words| words.split_whitespace()).ok_or_else(|| Failure::new(format!("{}: no {key}", file.display())))
    };
    let mut now = input.to_string();
    now.push('\n');
    for target in head("targets")? {
        for stage in head("stages")? {
            let arguments = ["compile", "--verify", "--dump", stage, "--target", target, "-o", "-"];
            let shown = succeed(limited(60, gusset()?).args(arguments).arg(file))?;
            let _ = writeln!(now, "{EXPECTED}{stage} {target}");
            for line in String::from_utf8_lossy(&shown.stdout).lines() {
                let _ = writeln!(now, "{}", format!("; {line}").trim_end());
            }
        }
    }
    if bless {
        std::fs::write(file, now)?;
        return Ok(());
    }
    match text.lines().zip(now.lines()).position(|(a, b)| a != b) {
        None if text.len() == now.len() => Ok(()),
        line => {
            let at = line.unwrap_or(text.lines().count().min(now.lines().count()));
            let show = |text: &str| text.lines().nth(at).unwrap_or("(end)").to_string();
            let (old, new) = (show(&text), show(&now));
            Err(Failure::new(format!("{}:{}:\n  recorded: {old}\n  now:      {new}", file.display(), at + 1)))
        }
    }
}

#[test]
fn stages_are_as_recorded() {
    let bless = std::env::var_os("BLESS").is_some();
    let entries = std::fs::read_dir(root().join("tests/ir")).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "gir")).collect();
    files.sort();
    assert!(!files.is_empty());
    let results = parallel::map(files.len(), |i| check(&files[i], bless));
    let failures: Vec<String> = results.into_iter().filter_map(|r| Some(r.err()?.to_string())).collect();
    assert!(failures.is_empty(), "BLESS=1 accepts what is right:\n{}", failures.join("\n"));
}
