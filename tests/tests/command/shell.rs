//! What the command prints for shells and readers: completions, manual pages, help, the list of targets.

use gusset_tests::tools::{Failure, gusset, limited, run, succeed, work_folder};

fn printed(arguments: &[&str]) -> Result<String, Failure> {
    Ok(succeed(limited(20, gusset()?).args(arguments))?.text())
}

/// Names of the command's commands.
const COMMANDS: [&str; 12] =
    ["compile", "translate", "llc", "cc", "c++", "fc", "abi", "layout", "runtime", "targets", "completions", "man"];

#[test]
fn completions_know_all_commands() -> Result<(), Failure> {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell])?;
        let missing: Vec<&str> = COMMANDS.into_iter().filter(|name| !script.contains(name)).collect();
        assert!(missing.is_empty() && script.contains("emulated-tls"), "{shell} does not complete {missing:?}");
    }
    // Bash is everywhere: it takes the script and completes a command's name.
    let file = work_folder("shell").join("gusset.bash");
    std::fs::write(&file, printed(&["completions", "bash"])?)?;
    let script = ". \"$1\"; COMP_WORDS=(gusset tra); COMP_CWORD=1; _gusset gusset tra gusset; echo \"${COMPREPLY[@]}\"";
    let completed = succeed(limited(20, "bash").args(["-c", script, "bash"]).arg(&file))?.text();
    assert_eq!(completed.trim(), "translate");
    assert_eq!(run(limited(20, gusset()?).args(["completions", "dos"]))?.code, 2);
    Ok(())
}

#[test]
fn manual_pages() -> Result<(), Failure> {
    let page = printed(&["man"])?;
    assert!(page.contains(".TH gusset 1") && COMMANDS.iter().all(|name| page.contains(name)), "{page}");
    for name in COMMANDS {
        let page = printed(&["man", name])?;
        assert!(page.contains(&format!(".TH gusset-{name} 1")) && page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
    let outcome = run(limited(20, gusset()?).args(["man", "compil"]))?;
    assert!(outcome.code == 2 && outcome.errors().contains("there is no command `compil`"), "{}", outcome.errors());
    Ok(())
}

/// Each target once, with a short name that `compile` takes, and no list of processors twice for one architecture.
#[test]
fn targets_without_repetition() -> Result<(), Failure> {
    let text = printed(&["targets"])?;
    let mut triples: Vec<&str> = text.lines().filter(|line| line.contains('-') && !line.starts_with(' ')).collect();
    let count = triples.len();
    assert!(count >= 18, "{text}");
    let mut lists: Vec<&str> =
        text.split("\n\n").filter_map(|machine| machine.split("    processors:").nth(1)).collect();
    let all = lists.len();
    lists.sort_unstable();
    lists.dedup();
    assert!(lists.len() == all && all <= 5, "{text}");
    let folder = work_folder("shell");
    std::fs::write(folder.join("empty.ll"), "define i32 @f() {\n  ret i32 1\n}\n")?;
    for line in &triples {
        let short = line.split_whitespace().nth(1).unwrap_or_default();
        let arguments = ["compile", "empty.ll", "--target", short, "-o", "empty.o"];
        succeed(limited(20, gusset()?).args(arguments).current_dir(&folder))?;
    }
    triples.dedup();
    assert_eq!(triples.len(), count);
    let arguments = ["compile", "empty.ll", "--target", "linx64", "-o", "empty.o"];
    let outcome = run(limited(20, gusset()?).args(arguments).current_dir(&folder))?;
    assert!(outcome.code == 1 && outcome.errors().contains("(did you mean `linux64`?)"), "{}", outcome.errors());
    Ok(())
}

#[test]
fn help_fits_into_a_page() -> Result<(), Failure> {
    for arguments in [&["--help"][..], &["compile", "--help"], &["translate", "--help"], &["abi", "--help"]] {
        let text = printed(arguments)?;
        assert!(text.contains("Examples:"), "{arguments:?}");
        let examples = text.find("Examples:").unwrap_or(0);
        let long: Vec<&str> = text[..examples].lines().filter(|line| line.chars().count() > 100).collect();
        assert!(long.is_empty(), "{arguments:?}: {long:?}");
    }
    Ok(())
}
