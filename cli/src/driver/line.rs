//! Understands a command line of clang's or flang's, as far as the driver has to.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use gusset::{OptimizationLevel, Options};

use super::options::{is_in, is_other_work, level, take, takes_next};

/// What is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Assembly,
    Object,
    Link,
}

/// What an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    /// The front end makes LLVM IR of it.
    Source,
    Assembler,
    /// Something for the linker.
    Linked,
}

/// A part of the command line.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// An input; the second is its language as `-x` says it.
    Input(PathBuf, Option<String>, Language),
    /// An option with its value.
    Option(Vec<OsString>),
    /// The same about dependency files.
    Dependencies(Vec<OsString>),
    /// The same, for the assembler or LLVM.
    Assembler(Vec<OsString>),
}

/// Where intermediate results are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SaveTemps {
    Here,
    BesideOutput,
}

/// What is said about dependency files.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Dependencies {
    /// One is made.
    pub made: bool,
    /// Its name is said.
    pub named: bool,
    /// Its target is said.
    pub targeted: bool,
}

/// A command line.
#[derive(Debug)]
pub(super) struct Line {
    pub parts: Vec<Part>,
    pub mode: Mode,
    pub output: Option<PathBuf>,
    /// The level of optimization, if it is said.
    pub level: Option<OptimizationLevel>,
    /// The other choices that the options mean.
    pub options: Options,
    /// The first option that Gusset cannot obey.
    pub refused: Option<String>,
    pub dependencies: Dependencies,
    /// Where intermediate results are kept, if they are.
    pub save_temps: Option<SaveTemps>,
    /// Notes and data of coverage are made.
    pub coverage: bool,
    /// Whether messages have colours, if that is said.
    pub color: Option<bool>,
    /// What is done is said.
    pub verbose: bool,
}

/// The languages that `-x` names.
const SOURCES: &str = "c c++ cpp-output c++-cpp-output objective-c objective-c++ objective-c-cpp-output \
    objective-c++-cpp-output ir f77 f95 f77-cpp-input f95-cpp-input";

/// Endings of files in them.
const ENDINGS: &str = "c i ii m mi mm M mii C cc CC cp cpp CPP c++ C++ cxx CXX ll bc f for ftn f77 f90 f95 f03 f08 f18 F \
    FOR FTN F77 F90 F95 F03 F08 F18 fpp FPP cuf";

/// Endings of headers and modules, which the compiler compiles in its own way.
const OWN_WORK: &str = "h H hh hpp hp hxx h++ tcc cppm ccm cxxm c++m pcm cu cl clcpp hip cui";

impl Line {
    /// Reads a command line. `None`: it is the compiler's to carry out.
    pub fn read(arguments: &[OsString]) -> Option<Line> {
        let mut line = Line {
            parts: Vec::new(),
            mode: Mode::Link,
            output: None,
            level: None,
            options: Options::new(),
            refused: None,
            dependencies: Dependencies::default(),
            save_temps: None,
            coverage: false,
            color: None,
            verbose: false,
        };
        let mut language = None;
        let mut lto = false;
        let mut ended = false;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if ended || argument == "-" || !argument.as_encoded_bytes().starts_with(b"-") {
                line.input(argument, &language)?;
                continue;
            }
            let word = argument.to_str()?;
            if is_other_work(word) {
                return None;
            }
            let mut words = vec![argument.clone()];
            if takes_next(word) {
                words.push(rest.next()?.clone());
            }
            let output = word.strip_prefix("-o").filter(|name| !name.starts_with("bj") && !name.is_empty());
            let attached = word.strip_prefix("-x").filter(|name| is_in(SOURCES, name));
            match word {
                "--" => ended = true,
                "-c" | "--compile" => line.mode = if line.mode == Mode::Link { Mode::Object } else { line.mode },
                "-S" | "--assemble" => line.mode = Mode::Assembly,
                "-x" => language = Some(words[1].to_string_lossy().into_owned()).filter(|name| name != "none"),
                "-o" | "--output" => line.output = Some(words[1].clone().into()),
                "-fno-lto" => lto = false,
                _ if word == "-flto" || word.starts_with("-flto=") => lto = true,
                _ => match (output, attached) {
                    (Some(name), _) => line.output = Some(name.into()),
                    (_, Some(name)) => language = Some(name.to_string()),
                    _ => line.option(word, words),
                },
            }
        }
        if line.mode == Mode::Link {
            // What `-flto` would have the linker do is the driver's work.
            return Some(line);
        }
        let compiled = line.sources();
        let several = line.output.is_some() && compiled > 1;
        (compiled > 0 && !lto && !several).then_some(line)
    }

    /// The number of inputs that are compiled.
    pub fn sources(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, Part::Input(_, _, Language::Source))).count()
    }

    fn input(&mut self, argument: &OsStr, language: &Option<String>) -> Option<()> {
        let path = PathBuf::from(argument);
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let kind = match language.as_deref() {
            Some(name) if is_in(SOURCES, name) => Language::Source,
            Some("assembler" | "assembler-with-cpp") => Language::Assembler,
            Some(_) => return None,
            // Clang refuses it without a language.
            None if path == Path::new("-") => return None,
            None if is_in(ENDINGS, ending) => Language::Source,
            None if matches!(ending, "s" | "S" | "sx" | "asm") => Language::Assembler,
            None if is_in(OWN_WORK, ending) => return None,
            None => Language::Linked,
        };
        self.parts.push(Part::Input(path, language.clone(), kind));
        Some(())
    }

    /// Takes an option with its value.
    fn option(&mut self, word: &str, words: Vec<OsString>) {
        self.level = level(word).or(self.level);
        let value = words.get(1).map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
        if take(word, &value, &mut self.options).is_err() {
            self.refused.get_or_insert_with(|| format!("{word} {value}").trim_end().to_string());
        }
        match word {
            "-v" => self.verbose = true,
            "--coverage" | "-coverage" | "-ftest-coverage" | "-fprofile-arcs" => self.coverage = true,
            "-save-temps" | "--save-temps" | "-save-temps=cwd" => self.save_temps = Some(SaveTemps::Here),
            "-save-temps=obj" | "--save-temps=obj" => self.save_temps = Some(SaveTemps::BesideOutput),
            "-fcolor-diagnostics" | "-fdiagnostics-color" | "-fdiagnostics-color=always" => self.color = Some(true),
            "-fno-color-diagnostics" | "-fno-diagnostics-color" | "-fdiagnostics-color=never" => {
                self.color = Some(false)
            }
            _ => {}
        }
        let about_dependencies = self.dependency_option(word);
        self.parts.push(match word {
            _ if about_dependencies => Part::Dependencies(words),
            "-mllvm" | "-Xassembler" => Part::Assembler(words),
            _ if word.starts_with("-Wa,") => Part::Assembler(words),
            _ => Part::Option(words),
        });
    }

    /// Notes what an option says about dependency files. Is it about them?
    fn dependency_option(&mut self, word: &str) -> bool {
        if matches!(word, "-MG" | "-MP" | "-MV") {
            return true;
        }
        let all = &mut self.dependencies;
        match word {
            "-MD" | "-MMD" | "--write-dependencies" | "--write-user-dependencies" => all.made = true,
            _ if word.starts_with("-Wp,-MD,") || word.starts_with("-Wp,-MMD,") => (all.made, all.named) = (true, true),
            _ if word.starts_with("-MF") || word == "--dependency-file" => all.named = true,
            _ if word.starts_with("-MT") || word.starts_with("-MQ") => all.targeted = true,
            _ => return false,
        }
        true
    }
}
