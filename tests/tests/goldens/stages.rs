//! What the stages of the code generator make of small functions: `tests/ir/*.gir`, Gusset's IR, and `*.ll`, LLVM's, with the expected text
//! as comments after it.
//!
//! The head of a file says what is looked at: `; stages: promote final` and `; targets: x86_64-unknown-linux-gnu`, and the command's other
//! options, `; options: -O0`. What is expected
//! stands after a line `;; STAGE TARGET`, each line as a comment. `BLESS=1 cargo test -p gusset-tests --test goldens stages` writes it anew;
//! the version control system then shows what changed.

use std::fmt::Write;
use std::path::Path;

use gusset_tests::recorded;
use gusset_tests::tools::{Failure, gusset, limited, succeed};

/// Between the input and what is expected.
const EXPECTED: &str = "\n;; ";

fn check(file: &Path, bless: bool) -> Result<(), Failure> {
    let text = std::fs::read_to_string(file)?;
    let input = text.split_once(EXPECTED).map_or(text.trim_end(), |(input, _)| input.trim_end());
    let head = |key| recorded::head(input, key).map_err(|f| f.at(file.display()));
    let mut now = input.to_string();
    now.push('\n');
    for target in head("targets")? {
        for stage in head("stages")? {
            let arguments = ["compile", "--verify", "--dump", stage, "--target", target, "-o", "-"];
            let shown =
                succeed(limited(60, gusset()?).args(arguments).args(head("options").unwrap_or_default()).arg(file))?;
            let _ = writeln!(now, "{EXPECTED}{stage} {target}");
            for line in String::from_utf8_lossy(&shown.stdout).lines() {
                let _ = writeln!(now, "{}", format!("; {line}").trim_end());
            }
        }
    }
    recorded::compare(file, &now, bless)
}

#[test]
fn stages_are_as_recorded() {
    recorded::each("tests/ir", &["gir", "ll"], check);
}
