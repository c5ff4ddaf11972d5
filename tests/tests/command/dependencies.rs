//! Licences, sources and names of all dependencies are those that `deny.toml` allows: what `cargo deny check` looks at
//! first, where it is not installed.

use std::process::Command;

use gusset_tests::tools;
use serde_json::Value;

/// The texts in a list of `deny.toml`.
fn list<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let start = text.find(&format!("\n{key} = [")).unwrap_or_else(|| panic!("deny.toml has no list `{key}`"));
    let rest = &text[start..];
    rest[..rest.find(']').unwrap()].split('"').skip(1).step_by(2).collect()
}

/// Does a choice among the allowed licences fulfil the expression? Parentheses are not needed to say no too often only:
/// each part between two `AND`s must have an allowed licence.
fn allows(allowed: &[&str], expression: &str) -> bool {
    let flat = expression.replace(['(', ')'], "").replace('/', " OR ");
    flat.split(" AND ").all(|part| part.split(" OR ").any(|licence| allowed.contains(&licence.trim())))
}

#[test]
fn deny_toml_allows_every_dependency() {
    let text = std::fs::read_to_string(tools::root().join("deny.toml")).unwrap();
    let (licences, banned) = (list(&text, "allow"), list(&text, "deny"));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--all-features", "--manifest-path"])
        .arg(tools::root().join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut bad = Vec::new();
    let mut foreign = 0;
    for package in metadata["packages"].as_array().unwrap() {
        let word = |key: &str| package[key].as_str().unwrap_or_default();
        let name = word("name");
        if !allows(&licences, word("license")) {
            bad.push(format!("{name}: licence `{}`", word("license")));
        }
        if banned.contains(&name) {
            bad.push(format!("{name}: banned"));
        }
        let source = word("source");
        foreign += usize::from(!source.is_empty());
        if !source.is_empty() && source != "registry+https://github.com/rust-lang/crates.io-index" {
            bad.push(format!("{name}: from {source}"));
        }
    }
    assert!(foreign > 10, "{foreign} dependencies");
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn expressions_of_licences() {
    let allowed = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
    for (expression, ok) in [
        ("MIT", true),
        ("MIT OR GPL-3.0", true),
        ("GPL-3.0/MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
        ("Apache-2.0", false),
        ("", false),
    ] {
        assert_eq!(allows(&allowed, expression), ok, "{expression}");
    }
}
