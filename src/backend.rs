//! The back ends behind one dynamic interface: one call for each function.

#[cfg(all(feature = "asm", feature = "llvm"))]
use gusset_codegen::asm::Disassembler;
use gusset_codegen::compile::{CompileError, Compiler};
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{Function, Module};
use gusset_codegen::target::Target as Machine;

use crate::Target;
use crate::target::Isa;

/// Compiles functions one after another.
pub(crate) trait FunctionCompiler {
    /// Compiles a function, which may be rewritten on the way.
    fn compile(&mut self, module: &Module, f: &mut Function, out: &mut CompiledFunction) -> Result<(), CompileError>;
    /// Whether the allocation of registers is checked.
    fn check_allocation(&mut self, on: bool);
}

impl Target {
    /// A compiler for one thread. `pic`: for code that may be loaded anywhere; `pie`: but in executables only.
    pub(crate) fn compiler(&self, pic: bool, pie: bool) -> Box<dyn FunctionCompiler + '_> {
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
        }
    }

    #[cfg(all(feature = "asm", feature = "llvm"))]
    pub(crate) fn disassembler(&self) -> Box<dyn Disassembler> {
        match self.isa {
            #[cfg(feature = "x86")]
            Isa::X86 { ref fixed, .. } => {
                let bits = if fixed.is_32() { 32 } else { 64 };
                Box::new(gusset_targets::x86::asm::AttPrinter::with_bits(bits))
            }
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
}
