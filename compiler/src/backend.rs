//! The back ends behind one dynamic interface: one call for each function.

use gusset_codegen::asm::Disassembler;
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::dump::Stage;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Function, Module};
use gusset_codegen::select::Select as Machine;

use crate::target::Isa;
use crate::{Emit, Options, Target};

/// Compiles functions one after another.
pub(crate) trait FunctionCompiler {
    /// Compiles a function, which may be rewritten on the way.
    fn compile(&mut self, module: &Module, f: &mut Function, out: &mut CompiledFunction) -> Result<(), CompileError>;
    /// Whether the allocation of registers is checked.
    fn check_allocation(&mut self, on: bool);
    /// Has [`FunctionCompiler::dumped`] show every function at a stage.
    fn dump(&mut self, stage: Stage, disassembler: Option<Box<dyn Disassembler>>);
    /// The function that was compiled last.
    fn dumped(&self) -> Option<&str>;
}

impl Target {
    /// A compiler for one thread. `pic`: for code that may be loaded anywhere; `pie`: but in executables only.
    fn compiler(&self, pic: bool, pie: bool) -> Box<dyn FunctionCompiler + '_> {
        match &self.isa {
            #[cfg(feature = "x86")]
            Isa::X86 { pic: anywhere, pie: executable, fixed } => {
                let machine = match (pic, pie) {
                    (true, false) => anywhere,
                    (true, true) => executable,
                    (false, _) => fixed,
                };
                Box::new(Steps { compiler: Compiler::new(machine) })
            }
            #[cfg(feature = "arm")]
            Isa::Arm { pic: anywhere, pie: executable, fixed } => {
                let machine = match (pic, pie) {
                    (true, false) => anywhere,
                    (true, true) => executable,
                    (false, _) => fixed,
                };
                Box::new(Steps { compiler: Compiler::new(machine) })
            }
            #[cfg(feature = "aarch64")]
            Isa::Aarch64 { pic: anywhere, pie: executable, fixed } => {
                let machine = match (pic, pie) {
                    (true, false) => anywhere,
                    (true, true) => executable,
                    (false, _) => fixed,
                };
                Box::new(Steps { compiler: Compiler::new(machine) })
            }
        }
    }

    /// The same, which shows every function at a stage if one is asked for.
    pub(crate) fn compiler_with(&self, pic: bool, pie: bool, options: &Options) -> Box<dyn FunctionCompiler + '_> {
        let mut compiler = self.compiler(pic, pie);
        compiler.check_allocation(options.verify);
        if let Emit::Stage(stage) = options.emit {
            #[cfg(feature = "asm")]
            let disassembler = Some(self.disassembler());
            #[cfg(not(feature = "asm"))]
            let disassembler = None;
            compiler.dump(stage, disassembler);
        }
        compiler
    }

    #[cfg(feature = "asm")]
    pub(crate) fn disassembler(&self) -> Box<dyn Disassembler> {
        match self.isa {
            #[cfg(feature = "x86")]
            Isa::X86 { ref fixed, .. } => {
                let bits = if fixed.is_32() { 32 } else { 64 };
                Box::new(gusset_targets::x86::asm::AttPrinter::with_bits(bits))
            }
            #[cfg(feature = "aarch64")]
            Isa::Aarch64 { .. } => Box::new(gusset_targets::aarch64::asm::Printer),
            #[cfg(feature = "arm")]
            Isa::Arm { ref fixed, .. } => Box::new(gusset_targets::arm::asm::Printer::new(fixed.isa)),
        }
    }
}

/// The steps from a front end's IR to machine code.
struct Steps<'t, T: Machine> {
    compiler: Compiler<'t, T>,
}

impl<T: Machine> FunctionCompiler for Steps<'_, T> {
    fn compile(&mut self, module: &Module, f: &mut Function, out: &mut CompiledFunction) -> Result<(), CompileError> {
        self.compiler.compile(module, f, out)
    }

    fn check_allocation(&mut self, on: bool) {
        self.compiler.check_allocation(on);
    }

    fn dump(&mut self, stage: Stage, disassembler: Option<Box<dyn Disassembler>>) {
        self.compiler.dump(stage, disassembler);
    }

    fn dumped(&self) -> Option<&str> {
        self.compiler.dumped()
    }
}
