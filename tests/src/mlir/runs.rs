//! How MLIR's tests say that they are lowered and run: their `RUN` lines, and the upper part of the passes in them.

/// What is to be done for one line of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Arguments of each run of the optimizer, up to the first pass that converts to the `llvm` dialect.
    pub stages: Vec<Vec<String>>,
    /// The pipeline for sparse tensors, which ends in the `llvm` dialect and is stopped in its middle, as the last stage's
    /// last argument.
    pub sparse: bool,
    /// The function that is called.
    pub entry: String,
    /// The kind of its result, if the line tells it.
    pub result: Option<String>,
}

/// The plans of a test's text, without those that are equal to one before, that need MLIR's own library for sparse
/// tensors or an environment, or that do not run anything.
pub fn plans(text: &str) -> Vec<Plan> {
    let mut found: Vec<Plan> = Vec::new();
    let mut before = String::new();
    for line in lines(text) {
        // Some write a file in one line and run it in the next.
        let whole = if line.contains("mlir-cpu-runner %t") {
            format!("{} | {}", before.replace("-o %t", ""), line.replace("%t", ""))
        } else {
            line.clone()
        };
        before = line;
        if let Some(plan) = plan(&whole).filter(|p| !found.contains(p)) {
            found.push(plan);
        }
    }
    found
}

/// The `RUN` lines, with what they define replaced.
fn lines(text: &str) -> Vec<String> {
    let (mut definitions, mut lines) = (Vec::<(String, String)>::new(), Vec::new());
    let mut unfinished: Option<(bool, String)> = None;
    for line in text.lines() {
        // `REDEFINE:` contains `DEFINE:`.
        let (runs, rest) = match (line.split_once("RUN:"), line.split_once("DEFINE:")) {
            (Some((_, rest)), _) => (true, rest),
            (None, Some((_, rest))) => (false, rest),
            (None, None) => continue,
        };
        let (runs, mut whole) = unfinished.take().unwrap_or((runs, String::new()));
        whole.push(' ');
        whole.push_str(rest.trim());
        if let Some(open) = whole.strip_suffix('\\') {
            unfinished = Some((runs, open.to_string()));
        } else if runs {
            // Definitions may contain others.
            for _ in 0..8 {
                whole = definitions.iter().fold(whole, |line, (name, value)| line.replace(name, value));
            }
            lines.push(whole);
        } else if let Some((name, value)) = whole.split_once('=') {
            let name = name.trim().to_string();
            definitions.retain(|(n, _)| *n != name);
            definitions.push((name, value.trim().to_string()));
        }
    }
    lines
}

fn plan(line: &str) -> Option<Plan> {
    let mut plan = Plan { stages: Vec::new(), sparse: false, entry: "main".into(), result: None };
    let (mut lowered, mut runs) = (false, false);
    for command in line.split('|') {
        let words = words(command);
        let mut words = words.iter().map(String::as_str).filter(|w| !matches!(*w, "2>&1" | "<"));
        match words.next()? {
            "mlir-opt" => {
                let mut stage = Vec::new();
                for word in words.filter(|w| !matches!(*w, "%s" | "-")) {
                    if !lowered {
                        lowered = pass(word, &mut stage, &mut plan.sparse)?;
                    }
                }
                plan.stages.push(stage);
            }
            "mlir-cpu-runner" | "%lli" => {
                runs = true;
                let words: Vec<&str> = words.collect();
                for (i, word) in words.iter().enumerate() {
                    let (name, value) = word.split_once('=').unwrap_or((word, words.get(i + 1).copied().unwrap_or("")));
                    match name.trim_start_matches('-') {
                        "e" | "entry-function" => plan.entry = value.into(),
                        "entry-point-result" => plan.result = Some(value.into()),
                        // As the program is made for another machine, or has its flags printed.
                        "march" | "debug-only" | "dump-object-file" => return None,
                        // What `llvm.matrix` means is said in an option then.
                        "matrix-default-layout" if value == "row-major" => return None,
                        _ => {}
                    }
                }
            }
            "mlir-translate" | "FileCheck" => {}
            _ => return None,
        }
    }
    if plan.stages.is_empty() {
        plan.stages.push(Vec::new());
    }
    runs.then_some(plan)
}

/// Adds an argument of the optimizer to a stage, the passes in it that come before those to the `llvm` dialect; whether that
/// is reached.
fn pass(word: &str, stage: &mut Vec<String>, sparse: &mut bool) -> Option<bool> {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let name = name.trim_start_matches('-');
    if name == "pass-pipeline" {
        let packed: String = value.split_whitespace().collect();
        let inner = packed.strip_prefix("builtin.module(")?.strip_suffix(')')?;
        let (kept, lowered) = upper_passes(inner);
        if !kept.is_empty() {
            stage.push(format!("--pass-pipeline=builtin.module({kept})"));
        }
        return Some(lowered);
    }
    if name == "sparsifier" {
        stage.push(word.into());
        *sparse = true;
        // The library keeps sparse tensors in C++.
        return (value.contains("enable-runtime-library=false") && !value.contains("enable-arm")).then_some(true);
    }
    if name == "test-lower-to-llvm" {
        stage.push("--convert-linalg-to-loops".into());
    }
    let lowered = lowers(name);
    if !lowered {
        stage.push(word.into());
    }
    Some(lowered)
}

/// Whether a pass converts to the `llvm` dialect, or to calls.
fn lowers(pass: &str) -> bool {
    let upper = ["sparse-storage-specifier-to-llvm", "convert-async-to-llvm"];
    (pass.contains("to-llvm") && !upper.contains(&pass)) || pass == "convert-math-to-libm"
}

/// A pipeline up to the first pass that lowers, and whether there is one.
fn upper_passes(pipeline: &str) -> (String, bool) {
    let mut kept: Vec<String> = Vec::new();
    for part in split(pipeline) {
        match part.split_once('(') {
            Some((on, inner)) if !on.contains('{') => {
                let (inner, lowered) = upper_passes(inner.strip_suffix(')').unwrap_or(inner));
                if !inner.is_empty() {
                    kept.push(format!("{on}({inner})"));
                }
                if lowered {
                    return (kept.join(","), true);
                }
            }
            _ => {
                let name = part.split('{').next().unwrap_or(part);
                if lowers(name) {
                    return (kept.join(","), true);
                }
                kept.push(part.into());
            }
        }
    }
    (kept.join(","), false)
}

/// The parts of a list between its own commas, not those in parentheses or braces.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in list.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
}

/// A command's words, as a shell takes its quotation marks.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut inside) = (Vec::new(), String::new(), None, false);
    for c in command.chars() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (None, '"' | '\'') => (quote, inside) = (Some(c), true),
            (None, c) if c.is_whitespace() => {
                if inside {
                    words.push(std::mem::take(&mut word));
                }
                inside = false;
            }
            (_, c) => {
                word.push(c);
                inside = true;
            }
        }
    }
    if inside {
        words.push(word);
    }
    words
}
