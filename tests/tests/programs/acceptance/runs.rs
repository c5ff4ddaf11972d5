//! The `RUN` lines of LLVM's tests: how they call llc, and which of them count.

use std::path::Path;

/// A line's call of llc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// llc's arguments, without those that name the output.
    pub words: Vec<String>,
    /// What writes llc's standard input, a command for the shell.
    pub feeder: Option<String>,
}

/// What a `RUN` line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    Counts(Call),
    /// It is for a system that is neither Linux nor Windows.
    OtherSystem(Call),
    /// It is for an extension that is left out.
    LeftOut(Call),
    /// llc is not called, or reads what another tool of LLVM's wrote.
    NotLlc,
}

/// Systems whose lines are left out, as parts of triples. macOS and iOS occur as `darwin`, `macosx10`, `ios`.
const OTHER_SYSTEMS: [&str; 24] = [
    "apple",
    "darwin",
    "macho",
    "macos",
    "ios",
    "watchos",
    "tvos",
    "xros",
    "driverkit",
    "freebsd",
    "netbsd",
    "openbsd",
    "dragonfly",
    "solaris",
    "fuchsia",
    "nacl",
    "ps4",
    "ps5",
    "scei",
    "haiku",
    "uefi",
    "rtems",
    "hermit",
    "iamcu",
];

/// What is left out of the count of a group, as parts of names.
#[derive(Debug)]
pub struct Extensions {
    /// Of features.
    pub features: &'static [&'static str],
    /// How options of llc begin.
    pub options: &'static [&'static str],
    /// How processors' names begin.
    pub processors: &'static [&'static str],
    pub triples: &'static [&'static str],
    /// Of the module's text.
    pub text: &'static [&'static str],
}

/// AVX and what came later, and x32.
pub const AVX: Extensions = Extensions {
    features: &[
        "avx",
        "xop",
        "fma",
        "f16c",
        "evex",
        "amx",
        "egpr",
        "ndd",
        "apx",
        "ccmp",
        "gfni",
        "vaes",
        "vpclmul",
        "sha512",
        "sm3",
        "sm4",
        "push2",
        "ppx",
        "+nf",
        "+cf",
        "+zu",
        "+kl",
        "widekl",
        "usermsr",
        "cmpccxadd",
        "raoint",
        "movrs",
    ],
    options: &[],
    processors: &[
        "core-avx",
        "corei7-avx",
        "sandybridge",
        "ivybridge",
        "haswell",
        "broadwell",
        "skylake",
        "skx",
        "cascadelake",
        "cooperlake",
        "cannonlake",
        "icelake",
        "tigerlake",
        "rocketlake",
        "alderlake",
        "raptorlake",
        "meteorlake",
        "arrowlake",
        "lunarlake",
        "pantherlake",
        "gracemont",
        "sierraforest",
        "grandridge",
        "clearwaterforest",
        "sapphirerapids",
        "emeraldrapids",
        "graniterapids",
        "diamondrapids",
        "knl",
        "knm",
        "bdver",
        "btver2",
        "znver",
        "x86-64-v3",
        "x86-64-v4",
    ],
    triples: &["x32"],
    text: &["@llvm.x86.avx", "@llvm.x86.xop", "@llvm.x86.fma"],
};

/// Scalable vectors and matrices.
pub const SCALABLE: Extensions = Extensions {
    features: &["+sve", "+sme", "+ssve"],
    options: &["-force-streaming"],
    processors: &[],
    triples: &[],
    text: &[
        "vscale",
        "@llvm.aarch64.sve.",
        "@llvm.aarch64.sme.",
        "aarch64_sve",
        "aarch64_sme",
        "aarch64_pstate",
        "aarch64_za",
    ],
};

/// MVE, and version 6-M.
pub const SMALL_ARM: Extensions = Extensions {
    features: &["+mve", "+v6m", "+v6-m", "+armv6-m", "+armv6s-m"],
    options: &[],
    processors: &["cortex-m0", "cortex-m1", "sc000", "cortex-m52", "cortex-m55", "cortex-m85"],
    triples: &["v6m", "v6sm", "v6-m"],
    text: &["@llvm.arm.mve."],
};

/// The value of an option with one or two dashes; the last one counts.
fn value<'t>(words: &'t [String], name: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    for (k, word) in words.iter().enumerate() {
        let Some(rest) = word.strip_prefix('-').map(|w| w.strip_prefix('-').unwrap_or(w)) else { continue };
        let Some(rest) = rest.strip_prefix(name) else { continue };
        match rest.strip_prefix('=') {
            Some(value) => found.push(value),
            None if rest.is_empty() => found.extend(words.get(k + 1).map(String::as_str)),
            None => {}
        }
    }
    found
}

impl Call {
    /// The triple that it names, or that of the module.
    pub fn triple<'t>(&'t self, of_module: Option<&'t str>) -> &'t str {
        value(&self.words, "mtriple").pop().or(of_module).unwrap_or_default()
    }

    /// The name of a target of LLVM's.
    pub fn architecture(&self) -> Option<&str> {
        value(&self.words, "march").pop()
    }

    /// The features that it names, each with its sign.
    pub fn features(&self) -> Vec<String> {
        let all = value(&self.words, "mattr").into_iter().flat_map(|f| f.split(',')).filter(|f| !f.is_empty());
        all.map(|f| if f.starts_with(['+', '-']) { f.to_string() } else { format!("+{f}") }).collect()
    }

    /// Does it name an extension that is left out?
    fn is_left_out(&self, out: &Extensions, of_module: Option<&str>) -> bool {
        let processor = value(&self.words, "mcpu").pop().unwrap_or_default();
        self.features().iter().any(|f| f.starts_with('+') && out.features.iter().any(|part| f.contains(part)))
            || out.options.iter().any(|start| self.words.iter().any(|word| word.starts_with(start)))
            || out.processors.iter().any(|start| processor.starts_with(start))
            || out.triples.iter().any(|part| self.triple(of_module).contains(part))
    }
}

/// The words of a command as the shell splits them; `None` if a quote is open.
fn split(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ' | '\t', None) => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The commands of a line: what `|`, `&&` and `;` outside of quotes separate, with what follows each.
fn commands(line: &str) -> Vec<(&str, &str)> {
    let (mut all, mut start, mut quote, mut at) = (Vec::new(), 0, None, 0);
    while let Some(c) = line[at..].chars().next() {
        let mut next = at + c.len_utf8();
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            ('|' | ';', None) => {
                next += line[next..].starts_with('|') as usize;
                all.push((&line[start..at], &line[at..next]));
                start = next;
            }
            ('&', None) if line[next..].starts_with('&') => {
                next += 1;
                all.push((&line[start..at], "&&"));
                start = next;
            }
            _ => {}
        }
        at = next;
    }
    all.push((&line[start..], ""));
    all
}

/// The llc of a `RUN` line of this file.
fn call(line: &str, path: &Path) -> Option<Call> {
    let commands = commands(line);
    let is_llc = |command: &str| command.split_whitespace().find(|w| !["not", "--crash"].contains(w)) == Some("llc");
    let at = commands.iter().position(|(command, _)| is_llc(command))?;
    let substitute = |text: &str| {
        let folder = path.parent().unwrap_or(Path::new("."));
        text.replace("%s", &path.to_string_lossy()).replace("%S", &folder.to_string_lossy())
    };
    let mut words = split(&substitute(commands[at].0))?.into_iter().skip_while(|w| w != "llc").skip(1);
    let (mut kept, mut feeder) = (Vec::new(), None);
    if at > 0 && commands[at - 1].1 == "|" {
        // What came before writes its input.
        let first = commands[..at].iter().rposition(|(_, after)| *after != "|").map_or(0, |k| k + 1);
        let feeds = |command: &str| ["sed", "cat"].contains(&command.split_whitespace().next().unwrap_or_default());
        if !commands[first..at].iter().all(|(command, _)| feeds(command)) {
            return None;
        }
        let all: Vec<String> = commands[first..at].iter().map(|(command, _)| substitute(command)).collect();
        feeder = Some(all.join("|"));
    }
    while let Some(word) = words.next() {
        match &word[..] {
            "<" => feeder = Some(format!("cat '{}'", words.next()?)),
            "-o" | "--o" | ">" | "2>" | "&>" | ">>" => drop(words.next()),
            "2>&1" => {}
            _ if ["-o=", "--o=", ">", "2>", "&>"].iter().any(|start| word.starts_with(start)) => {}
            _ if word.starts_with('<') => feeder = Some(format!("cat '{}'", &word[1..])),
            _ => kept.push(word),
        }
    }
    // What other lines made is not there, and what comes of `lit`'s own variables is not known.
    let unknown = kept.iter().chain(&feeder).any(|w| w.contains('%') && !w.contains("sed "));
    let is_fed = feeder.is_some() || kept.iter().any(|w| path == Path::new(w));
    let starts_later = ["run-pass", "start-after", "start-before", "x"];
    let of_passes = starts_later.iter().any(|name| !value(&kept, name).is_empty());
    if unknown || !is_fed || of_passes {
        return None;
    }
    kept.retain(|word| !shows(word));
    Some(Call { words: kept, feeder })
}

/// Is it an option that shows LLVM's own stages in place of code, or beside it? Both compile without it.
fn shows(word: &str) -> bool {
    let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
    let shown = [
        "stop-after",
        "stop-before",
        "print-after",
        "print-before",
        "print-after-isel",
        "filter-print-funcs",
        "print-regusage",
    ];
    let also = ["debug", "debug-only", "debug-pass", "stats", "print-after-all", "simplify-mir", "view-isel-dags"];
    word.starts_with('-') && (shown.contains(&name) || also.contains(&name))
}

/// The `RUN` lines of a file, whose module is for this triple.
pub fn runs(path: &Path, text: &str, of_module: Option<&str>, out: &Extensions) -> Vec<Run> {
    let mut lines: Vec<String> = Vec::new();
    let mut continued = false;
    for line in text.lines().filter_map(|l| l.split_once("RUN:")).map(|(_, command)| command.trim()) {
        let (line, more) = line.strip_suffix('\\').map_or((line, false), |rest| (rest, true));
        match lines.last_mut().filter(|_| continued) {
            Some(last) => *last += &format!(" {line}"),
            None => lines.push(line.to_string()),
        }
        continued = more;
    }
    let lines = lines.iter().filter(|line| line.split_whitespace().any(|word| word == "llc"));
    let run = |line: &String| {
        let Some(call) = call(line, path) else { return Run::NotLlc };
        if call.is_left_out(out, of_module) {
            return Run::LeftOut(call);
        }
        let other = OTHER_SYSTEMS.iter().any(|system| call.triple(of_module).contains(system));
        if other { Run::OtherSystem(call) } else { Run::Counts(call) }
    };
    lines.map(run).collect()
}

/// What the text of a file, without its comments, has that the count leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    Plain,
    /// Instructions of an assembler.
    Assembly,
    /// Extensions that are left out: in functions' attributes, or as scalable vectors.
    Extension,
}

/// What a file holds.
pub fn content(text: &str, out: &Extensions) -> Content {
    let mut content = Content::Plain;
    for code in text.lines().map(str::trim_start).filter(|line| !line.starts_with(';')) {
        // What follows a semicolon is a comment, unless it is in a name or a string.
        let code = if code.contains('"') { code } else { code.split(';').next().unwrap_or_default() };
        let named = |parts: &[&str]| parts.iter().any(|part| code.contains(part));
        let calls = named(&["call ", "invoke ", "callbr "]);
        if code.starts_with("module asm") || calls && code.contains(" asm ") {
            return Content::Assembly;
        }
        let string =
            |name: &str| code.split_once(name).and_then(|(_, rest)| rest.split('"').nth(1)).unwrap_or_default();
        let (features, processor) = (string("\"target-features\"="), string("\"target-cpu\"="));
        let asked = features.split(',').any(|f| f.starts_with('+') && out.features.iter().any(|part| f.contains(part)));
        if asked || named(out.text) || out.processors.iter().any(|start| processor.starts_with(start)) {
            content = Content::Extension;
        }
    }
    content
}
