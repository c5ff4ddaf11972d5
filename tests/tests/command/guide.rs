//! The guide (`docs/guide`): a chapter's excerpts are in its program, and the program prints what the chapter shows.

use std::fmt::Write as _;
use std::path::Path;

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, limited, root, run};

use crate::example::built;

/// The blocks of a page that are in this language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("\n```{language}\n");
    page.split(&fence).skip(1).map(|rest| &rest[..rest.find("\n```").map_or(rest.len(), |end| end + 1)]).collect()
}

/// Lines without the indentation that they have in common.
fn outdented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let common = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    text.lines().map(|line| format!("{}\n", line.get(common..).unwrap_or("").trim_end())).collect()
}

/// Does a program have these lines one after another, at any indentation?
fn quotes(program: &str, excerpt: &str) -> bool {
    let (lines, wanted) = (program.lines().collect::<Vec<_>>(), outdented(excerpt));
    let count = wanted.lines().count();
    lines.windows(count).any(|window| outdented(&window.join("\n")) == wanted)
}

/// What is wrong with a chapter.
fn problems(program: &Path, chapter: &str, source: &Path, page: &Path) -> Result<String, Failure> {
    let (page, source) = (std::fs::read_to_string(page)?, std::fs::read_to_string(source)?);
    let mut problems = String::new();
    let excerpts = blocks(&page, "rust");
    if excerpts.is_empty() {
        let _ = writeln!(problems, "{chapter}: no excerpt of the program");
    }
    for excerpt in excerpts.into_iter().filter(|excerpt| !quotes(&source, excerpt)) {
        let _ = writeln!(problems, "{chapter}: the program does not have\n{excerpt}");
    }
    let outcome = run(limited(120, program).arg(chapter))?;
    let (shown, printed) = (blocks(&page, "text").concat(), outcome.text());
    if outcome.code != 0 || shown != printed {
        let errors = outcome.errors();
        let _ = writeln!(problems, "{chapter}: the program prints\n{printed}{errors}and the page shows\n{shown}");
    }
    Ok(problems)
}

#[test]
fn every_chapter_is_true() -> Result<(), Failure> {
    let program = built("guide")?;
    let (sources, pages) = (root().join("examples/guide"), root().join("docs/guide/src"));
    let summary = std::fs::read_to_string(pages.join("SUMMARY.md"))?;
    let mut chapters = Vec::new();
    for entry in std::fs::read_dir(&pages)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name} is not in the summary");
        chapters.extend(name.strip_suffix(".md").filter(|name| name.starts_with(char::is_numeric)).map(str::to_string));
    }
    assert_eq!(chapters.len(), 14);
    let found = parallel::map(chapters.len(), |i| {
        let chapter = &chapters[i];
        let (source, page) = (sources.join(format!("{chapter}.rs")), pages.join(format!("{chapter}.md")));
        let lines = std::fs::read_to_string(&source)?.lines().count();
        assert!(lines < 250, "{chapter} has {lines} lines");
        problems(&program, chapter, &source, &page)
    });
    let all = found.into_iter().collect::<Result<String, Failure>>()?;
    if all.is_empty() { Ok(()) } else { Err(Failure::new(all)) }
}
