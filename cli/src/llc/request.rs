//! What the options of llc ask for.

use std::path::{Path, PathBuf};

use gusset::abi::{AbiTarget, Arch, Env, Os};
use gusset::{Emit, OptimizationLevel, Options};

use super::super::args::Compile;

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Assembly,
    Object,
    Nothing,
}

/// LLVM's relocation models.
#[derive(Clone, Copy)]
pub(super) enum Relocation {
    Static,
    Pic,
    DynamicNoPic,
}

/// What is shown instead of compiling.
#[derive(Clone, Copy)]
pub(super) enum Show {
    Help,
    Version,
}

/// A command line's request.
pub(super) struct Request {
    /// The input; `-` is standard input.
    pub file: PathBuf,
    pub output: Option<PathBuf>,
    pub form: Form,
    pub triple: Option<String>,
    /// The name of a target of LLVM's.
    pub architecture: Option<String>,
    pub cpu: Option<String>,
    pub attributes: Vec<String>,
    pub relocation: Option<Relocation>,
    /// The exception model, if it is not the default.
    pub exceptions: Option<String>,
    pub hard_float: Option<bool>,
    /// The level of optimization, if it is said.
    pub level: Option<OptimizationLevel>,
    pub options: Options,
    pub time: bool,
    /// Where remarks of passes go. There are none.
    pub remarks: Option<PathBuf>,
    pub show: Option<Show>,
}

impl Request {
    /// What is asked for without options.
    pub fn new() -> Request {
        Request {
            file: "-".into(),
            output: None,
            form: Form::Assembly,
            triple: None,
            architecture: None,
            cpu: None,
            attributes: Vec::new(),
            relocation: None,
            exceptions: None,
            hard_float: None,
            level: None,
            options: Options::new(),
            time: false,
            remarks: None,
            show: None,
        }
    }

    /// Is nothing asked for but other choices for the code?
    pub fn is_about_options_alone(&self) -> bool {
        let Request { file, output, form, triple, architecture, cpu, attributes, relocation, .. } = self;
        let Request { exceptions, hard_float, level, time, remarks, show, .. } = self;
        file == Path::new("-")
            && *form == Form::Assembly
            && [output.is_none(), triple.is_none(), architecture.is_none(), cpu.is_none()] == [true; 4]
            && [attributes.is_empty(), relocation.is_none(), exceptions.is_none(), hard_float.is_none()] == [true; 4]
            && level.is_none()
            && !time
            && remarks.is_none()
            && show.is_none()
    }

    /// The triple, given that of the module.
    ///
    /// # Errors
    /// An option names an architecture or convention that the target does not have.
    pub fn triple(&self, of_module: Option<String>) -> Result<String, String> {
        let mut triple = self.triple.clone().or(of_module).unwrap_or_else(gusset::host_triple);
        if let Some(without) = without_system(&triple) {
            triple = without;
        }
        if let Some(name) = &self.architecture {
            let first = match &name[..] {
                "x86" => "i386",
                "x86-64" => "x86_64",
                "aarch64" | "arm64" => "aarch64",
                "arm" | "thumb" => name,
                _ => return Err(format!("error: invalid target '{name}'.")),
            };
            let rest = triple.split_once('-').map_or("", |(_, rest)| rest);
            triple = format!("{first}-{rest}");
        }
        let Ok(target) = AbiTarget::from_triple(&triple, Default::default()) else { return Ok(triple) };
        if let Some(hard) =
            self.hard_float.filter(|hard| target.arch == Arch::Arm && target.features.hard_float != *hard)
        {
            let other = match hard {
                // Without an environment, it is one.
                true => Some(match triple.strip_suffix("eabi") {
                    Some(stem) => format!("{stem}eabihf"),
                    None => format!("{triple}-eabihf"),
                }),
                false => triple.strip_suffix("eabihf").map(|stem| format!("{stem}eabi")),
            };
            triple = other.ok_or_else(|| format!("error: the target '{triple}' has one float ABI only"))?;
        }
        Ok(triple)
    }

    /// The command that compiles for this triple, with an output for the input of this name.
    ///
    /// # Errors
    /// An option asks for what the target does not have.
    pub fn compile(&self, triple: String) -> Result<Compile, String> {
        let target = AbiTarget::from_triple(&triple, Default::default()).ok();
        if let (Some(asked), Some(target)) = (&self.exceptions, &target) {
            let own = exception_model(target);
            if asked != own {
                return Err(format!(
                    "error: the exception model '{asked}' is not supported: that of '{triple}' is '{own}'"
                ));
            }
        }
        let windows = target.as_ref().is_some_and(|target| target.os == Os::Windows);
        let wide = target.as_ref().is_none_or(|target| matches!(target.arch, Arch::X86_64 | Arch::Aarch64));
        let of_x86_64 = target.as_ref().is_some_and(|target| target.arch == Arch::X86_64);
        // As LLVM's targets choose (`getEffectiveRelocModel`).
        let relocation = match self.relocation {
            Some(Relocation::Pic) => gusset::Relocation::PicOrPie,
            None if windows && wide => gusset::Relocation::PicOrPie,
            Some(Relocation::DynamicNoPic) if of_x86_64 => gusset::Relocation::PicOrPie,
            _ => gusset::Relocation::Static,
        };
        let emit = if self.form == Form::Assembly { Emit::Assembly } else { Emit::Object };
        let output = match &self.output {
            Some(output) => Some(output.clone()),
            None if self.form == Form::Nothing => None,
            None => Some(self.own_output(windows)),
        };
        Ok(Compile {
            files: vec![self.file.clone()],
            output,
            target: Some(triple),
            cpu: self.cpu.clone(),
            attributes: self.attributes.clone(),
            // What the module's flags say about that counts with other tools alone.
            options: self
                .options
                .clone()
                .emit(emit)
                .level(self.level.unwrap_or(OptimizationLevel::O2))
                .relocation(relocation)
                .large_data_threshold(Some(self.options.large_data_threshold.unwrap_or(0))),
            time: self.time,
            remarks: false,
            note_c_signatures: false,
            module: None,
            iree: None,
        })
    }

    /// The output for the input's name: beside it, with another ending.
    fn own_output(&self, windows: bool) -> PathBuf {
        if self.file == Path::new("-") {
            return self.file.clone();
        }
        let ending = match self.form {
            Form::Object if windows => ".obj",
            Form::Object => ".o",
            _ => ".s",
        };
        let known = self.file.extension().is_some_and(|known| known == "ll" || known == "bc");
        let mut name = if known { self.file.with_extension("") } else { self.file.clone() }.into_os_string();
        name.push(ending);
        name.into()
    }
}

/// LLVM's name of how exceptions are found on a target.
fn exception_model(target: &AbiTarget) -> &'static str {
    match (target.os, target.arch) {
        (Os::Windows, Arch::X86) if matches!(target.env, Env::Gnu | Env::Cygnus) => "dwarf",
        (Os::Windows, _) => "wineh",
        (Os::Linux | Os::None, Arch::Arm) => "arm",
        _ => "dwarf",
    }
}

/// How the names of systems and environments begin that LLVM 19 knows (`Triple.cpp`).
const NAMES: [&str; 54] = [
    "darwin",
    "dragonfly",
    "freebsd",
    "fuchsia",
    "ios",
    "kfreebsd",
    "linux",
    "lv2",
    "macos",
    "netbsd",
    "openbsd",
    "solaris",
    "uefi",
    "win32",
    "windows",
    "zos",
    "haiku",
    "rtems",
    "nacl",
    "aix",
    "cuda",
    "nvcl",
    "amdhsa",
    "ps4",
    "ps5",
    "elfiamcu",
    "tvos",
    "watchos",
    "bridgeos",
    "driverkit",
    "xros",
    "visionos",
    "mesa3d",
    "amdpal",
    "hermit",
    "hurd",
    "wasi",
    "emscripten",
    "shadermodel",
    "liteos",
    "serenity",
    "vulkan",
    "mingw",
    "cygwin",
    "gnu",
    "musl",
    "eabi",
    "android",
    "msvc",
    "itanium",
    "cygnus",
    "coreclr",
    "code16",
    "ohos",
];

/// The triple without its system, if the system is none that LLVM knows: code is for none then, as LLVM's is.
fn without_system(triple: &str) -> Option<String> {
    AbiTarget::from_triple(triple, Default::default()).err()?;
    let mut parts: Vec<&str> = triple.split('-').collect();
    let at = (parts.len() - 1).min(2);
    if at == 0 || NAMES.iter().any(|name| parts[at].starts_with(name)) {
        return None;
    }
    parts[at] = "unknown";
    let without = parts.join("-");
    AbiTarget::from_triple(&without, Default::default()).ok().map(|_| without)
}
