//! `docs/passes.md` shows functions after each pass, in the command's own words.
//!
//! The page has its sources in blocks ```` ```llvm ```` whose first line is a comment with the file's name. A block that begins with
//! `$ gusset …` has what this command prints after it; in blocks ```` ```diff ```` that is what has changed since the last block about the same
//! function, by the function's blocks. `BLESS=1 cargo test -p gusset-tests --test goldens passes` writes these blocks anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use gusset_codegen::passes::Pass;
use gusset_tests::recorded;
use gusset_tests::tools::{Failure, gusset, limited, root, succeed, work_folder};

const FENCE: &str = "```";
const COMMAND: &str = "$ gusset ";

/// Lines of two texts in one order, each with what it is: of both (` `), of the first one (`-`), or of the second one (`+`).
fn compared<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    // For each pair of positions, how many lines the texts have in common from there on.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] =
                if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', new[j]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
    lines
}

/// The name of the block or the function that a line is the head of.
fn head(line: &str) -> Option<&str> {
    let is_head = line.ends_with(':') || line.starts_with("function ");
    is_head.then(|| line.split(['(', ':']).next().unwrap_or_default())
}

/// What has changed: the function's blocks with changes, as a text.
fn changes(old: &str, new: &str) -> String {
    let lines = compared(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
    let mut blocks: Vec<Vec<(char, &str)>> = Vec::new();
    let mut name = None;
    for line in lines {
        let of = head(line.1);
        if blocks.is_empty() || of.is_some() && of != name {
            blocks.push(Vec::new());
            name = of;
        }
        blocks.last_mut().into_iter().for_each(|block| block.push(line));
    }
    let changed = blocks.iter().filter(|block| block.iter().any(|line| line.0 != ' '));
    let text: String = changed.flatten().map(|(kind, line)| format!("{kind}{line}\n")).collect();
    if text.is_empty() { "(no change)\n".into() } else { text }
}

/// A page as its commands make it.
struct Page<'p> {
    folder: &'p Path,
    text: String,
    /// The last text of each function.
    last: BTreeMap<String, String>,
    /// The passes after which `score` is shown.
    shown: Vec<String>,
}

impl Page<'_> {
    /// Appends what a command prints, in a block of this language.
    fn run(&mut self, command: &str, language: &str) -> Result<(), Failure> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let mut process = limited(60, gusset()?);
        let printed = succeed(process.args(&words).current_dir(self.folder)).map_err(|f| f.at(command))?.text();
        let dumped = words.windows(2).find(|pair| pair[0] == "--dump").and_then(|pair| pair[1].split_once(':'));
        if let Some((stage, function)) = dumped {
            if function == "score" {
                self.shown.push(stage.into());
            }
            let before = self.last.insert(function.into(), printed.clone());
            if language == "diff" {
                let before = before.ok_or_else(|| Failure::new(format!("{command}: nothing to compare with")))?;
                self.text.push_str(&changes(&before, &printed));
                return Ok(());
            }
        }
        self.text.push_str(&printed);
        Ok(())
    }
}

#[test]
fn passes_are_as_the_page_shows_them() -> Result<(), Failure> {
    let (path, folder) = (root().join("docs/passes.md"), work_folder("goldens/passes"));
    let text = std::fs::read_to_string(&path)?;
    let mut page = Page { folder: &folder, text: String::new(), last: BTreeMap::new(), shown: Vec::new() };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(page.text, "{line}");
        let Some(language) = line.strip_prefix(FENCE) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != FENCE).collect();
        let first = block.first().copied().unwrap_or_default();
        if let Some(command) = first.strip_prefix(COMMAND) {
            let _ = writeln!(page.text, "{first}");
            page.run(command, language)?;
        } else {
            let name = first.strip_prefix("; ").ok_or_else(|| Failure::new(format!("{first}: no name of a file")))?;
            std::fs::write(folder.join(name), block.join("\n"))?;
            block.iter().for_each(|line| page.text.extend([line, "\n"]));
        }
        let _ = writeln!(page.text, "{FENCE}");
    }
    let passes: Vec<&str> = Pass::all().map(Pass::name).collect();
    page.shown.retain(|stage| passes.contains(&stage.as_str()));
    assert_eq!(page.shown, passes, "the page leaves a pass out");
    recorded::compare(&path, &page.text, std::env::var_os("BLESS").is_some())
}
