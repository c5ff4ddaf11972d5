//! Compiles one input: by the front end to LLVM IR, and by Gusset to an object or text.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use gusset::{Emit, Relocation};

use super::super::args::Compile;
use super::super::compile::{Noted, Unit};
use super::super::input::Input;
use super::super::messages::{Failure, Messages};
use super::super::output;
use super::inputs::Module;
use super::line::{Language, Line, Mode, Part, SaveTemps};
use super::plugin::Plugin;
use super::temporary::Folder;
use super::tools::{self, Compiler};

/// The compilers that do the work, and what has happened so far.
pub(super) struct Driver<'d> {
    pub kind: Compiler,
    pub compiler: &'d Path,
    pub line: &'d Line,
    pub messages: Messages,
    /// What Gusset refuses is compiled by the compiler's own back end.
    pub fallback: bool,
    /// What was so, with the reasons.
    pub fallen_back: Vec<String>,
}

/// An input that is compiled.
pub(super) struct Job<'j> {
    pub input: &'j Path,
    /// The language that `-x` says.
    pub language: Option<&'j str>,
    pub kind: Language,
    /// The object or text.
    pub output: PathBuf,
}

impl Driver<'_> {
    /// Carries out a job; gives its exit code.
    ///
    /// # Errors
    /// A compiler cannot be started.
    pub fn carry_out(&mut self, job: &Job<'_>) -> Result<u8, String> {
        if job.kind == Language::Assembler {
            return self.by_the_compiler(job);
        }
        if let Some(option) = &self.line.refused {
            let why = format!("the option `{option}` is not supported");
            if self.fallback {
                self.fallen_back.push(format!("{}: {why}", job.input.display()));
                return self.by_the_compiler(job);
            }
            self.messages.error(&Failure::from(format!("{}: error: {why}", self.kind.driver_name())));
            return Ok(1);
        }
        let mut arguments = self.common(job);
        // What is kept is for people to read; clang keeps bitcode, too.
        let form = if self.line.save_temps.is_some() { "-S" } else { "-c" };
        arguments.extend([form, "-emit-llvm"].map(OsString::from));
        self.add_dependencies(job, &mut arguments);
        self.add_coverage(job, &mut arguments);
        let kept = self.line.save_temps.map(|place| self.beside(job, place, "ll"));
        arguments.extend(["-o".into(), kept.as_deref().unwrap_or(Path::new("-")).into()]);
        add_input(job, &mut arguments);
        let (code, ir) = tools::output_of(self.compiler, &arguments)?;
        if code != 0 {
            self.forget(job);
            return Ok(code);
        }
        let ir = match kept {
            None => Input::Read(ir),
            Some(file) => Input::open(&file)?.1,
        };
        self.generate(job, &ir)
    }

    /// Makes code of the IR.
    fn generate(&mut self, job: &Job<'_>, ir: &Input) -> Result<u8, String> {
        // Positions in messages are those of the IR.
        let name = format!("{} (LLVM IR)", job.input.display());
        let unit =
            |out| Unit { file: Path::new("input.ll"), name: &name, text: ir, out: Some(out), read: Duration::ZERO };
        let text = self.line.mode == Mode::Assembly;
        let mut done = unit(&job.output).compile(&self.choices(text), &mut Noted::new(self.messages));
        if let (true, Some(place), false) = (done.is_ok(), self.line.save_temps, text) {
            let kept = self.beside(job, place, "s");
            done = unit(&kept).compile(&self.choices(true), &mut Noted::new(self.messages));
        }
        match done {
            Ok(()) => Ok(0),
            Err(failure) if self.fallback => {
                self.fallen_back.push(failure.first_line());
                self.by_the_back_end(job, ir)
            }
            Err(failure) => {
                self.messages.error(&failure);
                self.forget(job);
                Ok(1)
            }
        }
    }

    fn choices(&self, text: bool) -> Compile {
        let emit = if text { Emit::Assembly } else { Emit::Object };
        Compile {
            files: Vec::new(),
            output: None,
            target: None,
            cpu: None,
            attributes: Vec::new(),
            options: self.line.options.clone().emit(emit).level(self.line.level.unwrap_or_default()),
            time: false,
            remarks: false,
            note_c_signatures: false,
            module: None,
            iree: None,
        }
    }

    /// Compiles or assembles by the compiler alone.
    fn by_the_compiler(&self, job: &Job<'_>) -> Result<u8, String> {
        let mut arguments = self.common(job);
        for part in &self.line.parts {
            if let Part::Assembler(words) = part {
                arguments.extend(words.iter().cloned());
            }
        }
        self.add_dependencies(job, &mut arguments);
        self.add_output(job, &mut arguments);
        add_input(job, &mut arguments);
        tools::run(self.compiler, &arguments)
    }

    /// Compiles IR by the compiler's code generator, without its passes, which have run already.
    fn by_the_back_end(&self, job: &Job<'_>, ir: &[u8]) -> Result<u8, String> {
        if self.kind == Compiler::Fortran {
            // Flang takes no IR from standard input.
            return self.by_the_compiler(job);
        }
        let mut arguments = self.common(job);
        self.add_output(job, &mut arguments);
        arguments.extend(
            ["-Xclang", "-disable-llvm-passes", "-Wno-unused-command-line-argument", "-x", "ir", "-"]
                .map(OsString::from),
        );
        tools::fed(self.compiler, &arguments, ir)
    }

    /// Compiles bitcode of a link by the compiler's code generator. `None`: it failed, and has said so.
    ///
    /// # Errors
    /// A file cannot be written or read, or the compiler cannot be started.
    pub fn code_of(&self, module: &Module<'_>, plugin: &Plugin, folder: &Folder) -> Result<Option<Vec<u8>>, String> {
        let (input, output) = (folder.path().join("refused.bc"), folder.path().join("refused.o"));
        output::write(&input, module.bitcode)?;
        let job = Job { input: &input, language: Some("ir"), kind: Language::Source, output };
        let mut arguments = self.common(&job);
        if let Some(level) = &plugin.level {
            arguments.push(format!("-{level}").into());
        }
        if plugin.options.relocation == Relocation::PicOrPie {
            arguments.push("-fPIC".into());
        }
        if self.kind != Compiler::Fortran {
            arguments.extend(["-Xclang", "-disable-llvm-passes"].map(OsString::from));
        }
        arguments.extend(["-c".into(), "-o".into(), job.output.clone().into()]);
        add_input(&job, &mut arguments);
        if tools::run(self.compiler, &arguments)? != 0 {
            return Ok(None);
        }
        let object = std::fs::read(&job.output);
        object.map(Some).map_err(|error| format!("error: {}: {}", job.output.display(), output::reason(&error)))
    }

    fn add_output(&self, job: &Job<'_>, arguments: &mut Vec<OsString>) {
        let mode = if self.line.mode == Mode::Assembly { "-S" } else { "-c" };
        arguments.extend([mode.into(), "-o".into(), job.output.clone().into()]);
    }

    /// The options that every run gets.
    fn common(&self, job: &Job<'_>) -> Vec<OsString> {
        let mut arguments = Vec::new();
        for part in &self.line.parts {
            if let Part::Option(words) = part {
                arguments.extend(words.iter().cloned());
            }
        }
        // Options for the linker, or for what is not made of this input, are no mistake.
        if self.line.mode == Mode::Link || job.kind == Language::Assembler {
            arguments.extend(self.kind.unused_is_right().map(OsString::from));
        }
        arguments
    }

    /// The options about dependency files, with the names that the compiler would choose.
    fn add_dependencies(&self, job: &Job<'_>, arguments: &mut Vec<OsString>) {
        for part in &self.line.parts {
            if let Part::Dependencies(words) = part {
                arguments.extend(words.iter().cloned());
            }
        }
        let said = self.line.dependencies;
        if !said.made {
            return;
        }
        let named = self.line.output.as_deref().filter(|output| *output != Path::new("-"));
        if !said.named {
            let file = match named {
                Some(output) => output.with_extension("d"),
                None => PathBuf::from(job.input.file_name().unwrap_or_default()).with_extension("d"),
            };
            arguments.extend(["-MF".into(), file.into()]);
        }
        if !said.targeted {
            let target = match &self.line.output {
                Some(output) => output.clone(),
                None => PathBuf::from(job.input.file_name().unwrap_or_default()).with_extension("o"),
            };
            arguments.extend(["-MQ".into(), target.into()]);
        }
    }

    /// Where notes and data of coverage go, which the compiler derives from its output.
    fn add_coverage(&self, job: &Job<'_>, arguments: &mut Vec<OsString>) {
        if !self.line.coverage {
            return;
        }
        let place = match self.line.mode {
            Mode::Link => Path::new(job.input.file_name().unwrap_or_default()),
            _ => &job.output,
        };
        let place = std::env::current_dir().unwrap_or_default().join(place);
        for (option, ending) in [("-coverage-notes-file=", "gcno"), ("-coverage-data-file=", "gcda")] {
            let mut word = OsString::from(option);
            word.push(place.with_extension(ending));
            arguments.extend(["-Xclang".into(), word]);
        }
    }

    /// The file of an intermediate result that is kept.
    fn beside(&self, job: &Job<'_>, place: SaveTemps, ending: &str) -> PathBuf {
        let name = PathBuf::from(job.input.file_name().unwrap_or_default()).with_extension(ending);
        match place {
            SaveTemps::Here => name,
            SaveTemps::BesideOutput => job.output.with_file_name(name),
        }
    }

    /// Removes an output that an earlier run has left, as compilers do when they fail.
    fn forget(&self, job: &Job<'_>) {
        if job.output.is_file() {
            // If it stays it is the old one.
            let _ = std::fs::remove_file(&job.output);
        }
    }
}

fn add_input(job: &Job<'_>, arguments: &mut Vec<OsString>) {
    if let Some(language) = job.language {
        arguments.extend(["-x".into(), OsStr::new(language).into()]);
    }
    // A name that begins with a dash comes after `--` alone.
    let dash = job.input.as_os_str().as_encoded_bytes().starts_with(b"-") && job.input != Path::new("-");
    arguments.extend(dash.then(|| "--".into()));
    arguments.push(job.input.into());
}
