//! `gusset layout`: text and JSON are as recorded, and sizes and offsets are clang's; `gusset abi --diff`.
//!
//! A golden begins with the options after `//`; `+json` asks for that form beside the text.

use std::path::Path;

use gusset_tests::recorded;
use gusset_tests::tools::{Failure, clang, gusset, limited, root, run, succeed, work_folder};
use serde_json::Value;

fn layout(options: &[&str], form: &str, file: &Path) -> Result<String, Failure> {
    let mut command = limited(20, gusset()?);
    command.arg("layout").args(options).args(["--emit", form, "--file"]).arg(file);
    Ok(succeed(&mut command)?.text())
}

fn check(input: &Path, bless: bool) -> Result<(), Failure> {
    let source = std::fs::read_to_string(input)?;
    let head = source.lines().next().and_then(|line| line.strip_prefix("//")).unwrap_or_default();
    let (extra, options): (Vec<&str>, Vec<&str>) = head.split_whitespace().partition(|word| word.starts_with('+'));
    recorded::compare(&input.with_extension("txt"), &layout(&options, "table", input)?, bless)?;
    if extra.contains(&"+json") {
        recorded::compare(&input.with_extension("json"), &layout(&options, "json", input)?, bless)?;
    }
    Ok(())
}

#[test]
fn layouts_are_as_recorded() {
    recorded::each("tests/goldens/layout", &["c", "cc"], check);
}

/// clang takes the sizes and offsets of the JSON for its own.
#[test]
fn layouts_are_clangs() -> Result<(), Failure> {
    let file = root().join("tests/goldens/layout/nested.c");
    let json: Value = serde_json::from_str(&layout(&["--target", "linux64,win32,armhf"], "json", &file)?)
        .map_err(|error| Failure::new(error.to_string()))?;
    for target in json["targets"].as_array().into_iter().flatten() {
        let mut text = std::fs::read_to_string(&file)?;
        text += &format!("_Static_assert(sizeof(struct P) == {}, \"\");\n", target["size"]);
        text += &format!("_Static_assert(_Alignof(struct P) == {}, \"\");\n", target["align"]);
        for member in target["members"].as_array().into_iter().flatten() {
            let declaration = member["declaration"].as_str().unwrap_or_default();
            let name = declaration.split(['[', '(', ')']).find(|part| part.trim_start_matches('*') != *part);
            let name = name.map(|name| name.trim_start_matches('*')).or_else(|| {
                let plain = declaration.split('[').next()?;
                plain.rsplit_once(' ').map(|(_, name)| name).filter(|name| !name.ends_with('}'))
            });
            if let Some(name) = name {
                let offset = member["bit_offset"].as_u64().unwrap_or(u64::MAX) / 8;
                text += &format!("_Static_assert(__builtin_offsetof(struct P, {name}) == {offset}, \"{name}\");\n");
            }
        }
        assert!(text.matches("offsetof").count() >= 8, "{text}");
        let path = work_folder("layout_command").join("check.c");
        std::fs::write(&path, text)?;
        let triple = target["target"].as_str().unwrap_or_default();
        succeed(limited(60, clang()).args(["-w", "-fsyntax-only", "-target", triple]).arg(&path))?;
    }
    Ok(())
}

#[test]
fn what_differs_between_targets() -> Result<(), Failure> {
    let source = "struct P { float x, y; }; struct P f(char a, struct P b);";
    let mut command = limited(20, gusset()?);
    command.args(["abi", "--diff", "linux64,win64", source]);
    let text = succeed(&mut command)?.text();
    for part in [
        "- x86_64-unknown-linux-gnu  System V x86-64\n+ x86_64-pc-windows-msvc  Windows x64\n",
        "- b        struct P  8/4  0..8  xmm0  .x .y\n+ b        struct P  8/4  0..8  rdx   .x .y\n",
        "  the same: chain, symbol\n",
    ] {
        assert!(text.contains(part), "{text}");
    }
    for (arguments, reason) in [
        (["abi", "--diff", "linux64", source], "a difference is one of two targets"),
        (["abi", "--diff", "linux64,linux64", source], "a difference is one of two targets"),
        (["abi", "--target", "linx64", source], "(did you mean `linux64`?)"),
        (["abi", "--target", "linux64", "int f(uint32 x)"], "(did you mean `uint32_t`?)"),
        (["abi", "--target", "linux64", "int f(int) __attribute__((pakced))"], "(did you mean `packed`?)"),
        (["layout", "--type", "Pairs", "struct Pair { int x; }"], "there is no type `Pairs` (did you mean `Pair`?)"),
        (["layout", "--target", "linux64", "void f(int)"], "there is no type, such as"),
    ] {
        let outcome = run(limited(20, gusset()?).args(arguments))?;
        let errors = outcome.errors();
        assert!(outcome.code == 1 && errors.contains(reason), "{arguments:?}: {errors}");
    }
    Ok(())
}
