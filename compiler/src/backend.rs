//! A compiler for one thread, as options want it.

use gusset_targets::FunctionCompiler;

use crate::{Emit, Options, Target};

impl Target {
    /// A compiler for one thread, which shows every function at a stage if one is asked for. `pic`: for code that may be loaded
    /// anywhere; `pie`: but in executables only.
    pub(crate) fn compiler_with(&self, pic: bool, pie: bool, options: &Options) -> Box<dyn FunctionCompiler + '_> {
        let mut compiler = self.machine.compiler(pic, pie);
        compiler.check_allocation(options.verify);
        if let Emit::Stage(stage) = options.emit {
            #[cfg(feature = "asm")]
            let disassembler = Some(self.machine.disassembler());
            #[cfg(not(feature = "asm"))]
            let disassembler = None;
            compiler.dump(stage, disassembler);
        }
        compiler
    }
}
