//! Makes a compiler for one thread with the options of a compilation.

use gusset_targets::FunctionCompiler;

use crate::Target;
use crate::options::CompilerOptions;

impl Target {
    /// A compiler for one thread, which shows every function at a stage if one is asked for. `pic`: code that may be
    /// loaded anywhere; `pie`: but only as part of an executable.
    pub(crate) fn compiler_with(
        &self,
        pic: bool,
        pie: bool,
        options: CompilerOptions,
    ) -> Box<dyn FunctionCompiler + '_> {
        let mut compiler = self.machine.compiler(pic, pie);
        compiler.optimize(options.level);
        compiler.choose_passes(options.passes);
        compiler.check_allocation(options.verify);
        if let Some(stage) = options.stage {
            #[cfg(feature = "asm")]
            let disassembler = Some(self.machine.disassembler());
            #[cfg(not(feature = "asm"))]
            let disassembler = None;
            compiler.dump(stage, disassembler);
        }
        compiler
    }
}
