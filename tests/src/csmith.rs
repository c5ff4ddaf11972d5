//! Random C programs by Csmith.

use std::path::Path;

use crate::tools::{Failure, limited, run};

/// Kinds of programs; a seed takes the one at its remainder. (Csmith's `--float` is left out: it converts out of range.)
const KINDS: [&[&str]; 6] = [
    &[],
    &["--max-funcs", "20", "--max-block-depth", "3"],
    &["--max-struct-fields", "20", "--max-union-fields", "10", "--max-array-dim", "2"],
    &["--builtins", "--disable-builtin-kinds", "x86", "--inline-function"],
    &["--no-volatiles", "--max-expr-complexity", "20", "--max-pointer-depth", "4"],
    &["--max-array-len-per-dim", "20", "--max-block-size", "6", "--no-packed-struct", "--max-funcs", "5"],
];

/// The largest C file to take: Csmith now and then writes megabytes.
const LARGEST: usize = 400_000;

/// Writes the program with this seed to a file, unless Csmith gives up on it.
///
/// # Errors
/// Csmith is not there, or fails.
pub fn generate(seed: usize, source: &Path) -> Result<bool, Failure> {
    let mut csmith = limited(10, "csmith");
    csmith.args(["--seed", &seed.to_string(), "--concise"]).args(KINDS[seed % KINDS.len()]);
    let program = run(&mut csmith)?;
    if program.code != 0 || program.stdout.len() > LARGEST {
        if program.stdout.is_empty() && !program.timed_out() {
            return Err(Failure::new(format!("csmith fails: {}", program.errors())));
        }
        return Ok(false);
    }
    std::fs::write(source, &program.stdout)?;
    Ok(true)
}

/// Adds calls of `probe` between the statements of a program by Csmith.
pub fn with_probes(program: &str) -> String {
    let (mut out, mut in_body) = (String::from("void probe(void);\n"), false);
    for line in program.lines() {
        match line.trim_end() {
            "{" => in_body = true,
            "}" => in_body = false,
            _ => {}
        }
        let statement = line.trim();
        let leaves = ["return", "goto", "break", "continue"].iter().any(|word| statement.starts_with(word));
        out.push_str(line);
        if in_body && line.starts_with("    ") && statement.ends_with(';') && !leaves {
            out.push_str(" probe();");
        }
        out.push('\n');
    }
    out
}

/// A number that a variable of the environment gives, or the usual one.
///
/// # Panics
/// It gives no number.
pub fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is to be a number, not {text}")))
}
