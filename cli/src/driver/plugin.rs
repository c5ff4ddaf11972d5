//! The options of LLVM's plugin for linkers (`-plugin-opt=…`; gold-plugin.cpp's `process_plugin_option`, and lld's `plugin_opt_*`), each
//! with what it means here.

use std::path::PathBuf;

use gusset::{OptimizationLevel, Options, Relocation};

use super::super::llc;
use super::options::{is_in, level};

/// How bitcode among the inputs of a link is compiled.
#[derive(Debug)]
pub(super) struct Plugin {
    /// An option of the plugin was given.
    pub given: bool,
    pub options: Options,
    /// The level, if no option of the driver's says it, for what LLVM's code generator is asked to compile.
    pub level: Option<String>,
    pub cpu: Option<String>,
    pub triple: Option<String>,
    /// How many threads compile, if that is said.
    pub jobs: Option<usize>,
    /// The folder of the cache, if that is said.
    pub cache: Option<PathBuf>,
    /// Objects that have bitcode beside their machine code are compiled, too.
    pub fat: bool,
    /// The first option that cannot be obeyed.
    pub refused: Option<String>,
}

/// Options without effect, since they allow something, or choose among LLVM's passes or its ways of working.
const IGNORED: &str = "debug-pass-manager disable-verify legacy-pass-manager new-pass-manager no-debug-pass-manager no-new-pass-manager \
    thinlto time-passes whole-program-visibility";

/// Beginnings of such options. Profiles let passes optimize, which have run; the last two are about libraries of GCC's plugin.
const IGNORED_BEGINS: &str = "cache-policy= cs-profile-path= lto-partitions= opt-remarks-format= opt-remarks-hotness-threshold= \
    opt-remarks-passes= sample-profile= -fresolution= -pass-through= pass-through= extra-library-path=";

impl Plugin {
    /// Without options: as LLVM's linkers compile, at `-O2` unless the driver's options say it otherwise; functions and variables have
    /// sections of their own.
    pub fn new(options: Options, level: Option<OptimizationLevel>) -> Plugin {
        let chosen = level.unwrap_or(OptimizationLevel::O2);
        Plugin {
            given: false,
            options: options.level(chosen).function_sections(true).data_sections(true),
            level: level.is_none().then(|| "O2".to_string()),
            cpu: None,
            triple: None,
            jobs: None,
            cache: None,
            fat: false,
            refused: None,
        }
    }

    /// Takes an option. Those that ask for another output, or that nobody knows, are noted as refused.
    pub fn take(&mut self, word: &str) {
        self.given = true;
        if self.try_take(word).is_none() {
            self.refused.get_or_insert_with(|| format!("-plugin-opt={word}"));
        }
    }

    fn try_take(&mut self, word: &str) -> Option<()> {
        let ignored =
            is_in(IGNORED, word) || IGNORED_BEGINS.split_ascii_whitespace().any(|begin| word.starts_with(begin));
        match word.split_once('=') {
            None if matches!(word, "O0" | "O1" | "O2" | "O3") => {
                self.options.level = level(&format!("-{word}"))?;
                self.level = Some(word.to_string());
            }
            Some(("mcpu", cpu)) => self.cpu = Some(cpu.to_string()).filter(|cpu| !cpu.is_empty()),
            Some(("mtriple", triple)) => self.triple = Some(triple.to_string()),
            Some(("cache-dir", folder)) => self.cache = Some(folder.into()),
            Some(("jobs", "all")) => self.jobs = None,
            Some(("jobs", number)) => self.jobs = Some(number.parse().ok().filter(|jobs| *jobs > 0)?),
            _ if ignored => {}
            // LLVM's own options mean what they mean for llc.
            _ if word.starts_with('-') => llc::take(word, &mut self.options).ok()?,
            _ => return None,
        }
        Some(())
    }

    /// The program can be loaded anywhere.
    pub fn position_independent(&mut self) {
        self.options.relocation = Relocation::PicOrPie;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_obeyed_ignored_or_refused() {
        let mut plugin = Plugin::new(Options::new(), None);
        assert_eq!(plugin.options.level, OptimizationLevel::O2);
        plugin.take("O1");
        assert_eq!(plugin.options.level, OptimizationLevel::O1);
        assert_eq!(Plugin::new(Options::new(), Some(OptimizationLevel::O0)).options.level, OptimizationLevel::O0);
        for word in ["O3", "mcpu=x86-64", "jobs=3", "thinlto", "sample-profile=x", "-function-sections=0", "-fast-isel"]
        {
            plugin.take(word);
        }
        assert_eq!((plugin.refused.as_deref(), plugin.jobs, plugin.cpu.as_deref()), (None, Some(3), Some("x86-64")));
        assert_eq!(plugin.options.level, OptimizationLevel::O2);
        assert!(!plugin.options.function_sections && plugin.options.data_sections);
        for word in ["O4", "jobs=0", "emit-llvm", "save-temps", "thinlto-index-only", "no-such", "-stop-after=x", "-O2"]
        {
            let mut plugin = Plugin::new(Options::new(), None);
            plugin.take(word);
            assert_eq!(plugin.refused, Some(format!("-plugin-opt={word}")));
        }
    }
}
