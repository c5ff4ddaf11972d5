//! The interface of the back ends: a [`Backend`] is the table of a family, a [`TargetMachine`] is what code is
//! generated for.
//!
//! Code that finds targets by their triples only sees these two. A family fills in a [`Backend`] and says by
//! [`Configure`] how its machines differ; the rest is the same for all.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use gusset_abi::features::{CodeRequests, Hardening};
use gusset_abi::{AbiTarget, Arch, Isa, Os};
use gusset_codegen::asm::Disassembler;
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::dump::{Dumped, Stage};
use gusset_codegen::error::Result;
use gusset_codegen::ir::{CodeModel, Function, Module, SymbolId};
use gusset_codegen::level::OptimizationLevel;
use gusset_codegen::object::{Attribute, ObjectFormat};
use gusset_codegen::passes::{Bodies, PassSet};
use gusset_codegen::select::Select;

use crate::features::Features;

/// A family of architectures: its targets, processors and features by name.
#[derive(Debug)]
pub struct Backend {
    /// Its targets: a triple for each kind of machine and system, a description, and the architecture.
    pub targets: &'static [(&'static str, &'static str, Arch)],
    /// The names of an architecture's processors.
    pub processors: fn(Arch) -> Vec<&'static str>,
    /// Features that LLVM does not have.
    pub own_features: &'static [&'static str],
    /// Features of the machine that runs this; empty if that belongs to another family.
    pub native: fn() -> Vec<&'static str>,
    /// See [`Backend::machine`].
    pub(crate) machine: MachineOf,
}

type MachineOf = fn(&str, &mut AbiTarget, &Features) -> Result<Option<Arc<dyn TargetMachine>>, String>;

impl Backend {
    /// The machine of a triple with some features; what the features mean for calls is set in the target. `None` if the
    /// family does not have that target.
    ///
    /// # Errors
    /// A processor or feature is unknown, or the target does not support it.
    pub fn machine(
        &self,
        triple: &str,
        target: &mut AbiTarget,
        features: &Features,
    ) -> Result<Option<Arc<dyn TargetMachine>>, String> {
        (self.machine)(triple, target, features)
    }
}

/// A machine for which code is generated, with its features. Whether the code is position-independent is asked for with
/// each compiler.
pub trait TargetMachine: Debug + Send + Sync {
    /// A compiler for one thread. `pic`: code that may be loaded anywhere; `pie`: but only as part of an executable.
    fn compiler(&self, pic: bool, pie: bool) -> Box<dyn FunctionCompiler + '_>;

    /// What object files say about the machine.
    fn object_format(&self) -> &'static ObjectFormat;

    /// How its instructions are spelled.
    #[cfg(feature = "asm")]
    fn disassembler(&self) -> Box<dyn Disassembler>;

    /// Attributes of objects that say which processor they are for and how they call; and the name of the
    /// floating-point unit.
    fn attributes(&self, module: &Module, pic: bool) -> (Vec<(u8, Attribute)>, Option<&'static str>);

    /// The instruction set of trampolines in place, which is that of the code.
    fn trampoline_isa(&self) -> Isa;

    /// What all functions do against speculative execution, by the machine's features.
    fn hardening(&self) -> Hardening;

    /// The name of the function by which code with these protections calls by address, if it is defined beside that code.
    fn call_thunk(&self, hardening: Hardening) -> Option<Cow<'static, str>>;

    /// The supported code models, for messages.
    fn code_models(&self) -> &'static str;

    /// The same machine with a code model other than `small`, if it supports that.
    fn with_code_model(&self, model: CodeModel) -> Option<Arc<dyn TargetMachine>>;

    /// The same machine with offsets from the thread pointer of this many bits, if they can be chosen.
    fn with_tls_size(&self, bits: u8) -> Option<Arc<dyn TargetMachine>>;

    /// The same machine with the requests of a module and its functions, which apply to all code. Features that were
    /// named are kept.
    ///
    /// # Errors
    /// They ask for something that the target does not have; the message is to be put after the target's name.
    fn with_requests(
        &self,
        requests: &CodeRequests,
        module: &Module,
        target: &mut AbiTarget,
    ) -> Result<Arc<dyn TargetMachine>, String>;
}

/// Compiles functions one after another.
pub trait FunctionCompiler: Send {
    /// Inlines what a function calls that is to be compiled, if its level has that.
    fn inline(&mut self, module: &Module, f: &mut Function, bodies: &mut dyn Bodies);
    /// Compiles a function, which may be rewritten on the way.
    ///
    /// # Errors
    /// The function needs something that the target does not have.
    fn compile(&mut self, module: &Module, f: &mut Function, out: &mut CompiledFunction) -> Result;
    /// Makes the thunk through which protected code makes indirect calls. `hardening` says which protections the code of the thunk has.
    ///
    /// # Errors
    /// Its code cannot be finished.
    fn call_thunk(&mut self, symbol: SymbolId, hardening: Hardening, out: &mut CompiledFunction) -> Result;
    /// Sets the level of optimization.
    fn optimize(&mut self, level: OptimizationLevel);
    /// Sets which passes run on optimized functions.
    fn choose_passes(&mut self, passes: PassSet);
    /// Sets whether the allocation of registers is checked.
    fn check_allocation(&mut self, on: bool);
    /// Makes [`FunctionCompiler::dumped`] show every function at a stage.
    fn dump(&mut self, stage: Stage, disassembler: Option<Box<dyn Disassembler>>);
    /// The function that was compiled last.
    fn dumped(&mut self) -> Option<Dumped>;
}

impl<T: Select> FunctionCompiler for Compiler<'_, T> {
    fn inline(&mut self, module: &Module, f: &mut Function, bodies: &mut dyn Bodies) {
        Compiler::inline(self, module, f, bodies);
    }

    fn compile(&mut self, module: &Module, f: &mut Function, out: &mut CompiledFunction) -> Result {
        Compiler::compile(self, module, f, out)
    }

    fn call_thunk(&mut self, symbol: SymbolId, hardening: Hardening, out: &mut CompiledFunction) -> Result {
        Compiler::call_thunk(self, symbol, hardening, out)
    }

    fn optimize(&mut self, level: OptimizationLevel) {
        Compiler::optimize(self, level);
    }

    fn choose_passes(&mut self, passes: PassSet) {
        Compiler::choose_passes(self, passes);
    }

    fn check_allocation(&mut self, on: bool) {
        Compiler::check_allocation(self, on);
    }

    fn dump(&mut self, stage: Stage, disassembler: Option<Box<dyn Disassembler>>) {
        Compiler::dump(self, stage, disassembler);
    }

    fn dumped(&mut self) -> Option<Dumped> {
        Compiler::dumped(self)
    }
}

/// What differs between the machines of a family, besides the code that they generate.
pub(crate) trait Configure: Select + Clone + Debug + Send + Sync + Sized + 'static {
    fn object_format(&self) -> &'static ObjectFormat;

    #[cfg(feature = "asm")]
    fn disassembler(&self) -> Box<dyn Disassembler>;

    fn attributes(&self, _module: &Module, _pic: bool) -> (Vec<(u8, Attribute)>, Option<&'static str>) {
        Default::default()
    }

    fn trampoline_isa(&self) -> Isa {
        Isa::Base
    }

    fn hardening(&self) -> Hardening {
        Hardening::default()
    }

    fn code_models(&self) -> &'static str {
        "`small`"
    }

    fn with_code_model(&self, _model: CodeModel) -> Option<Self> {
        None
    }

    fn with_tls_size(&self, _bits: u8) -> Option<Self> {
        None
    }

    fn with_requests(&self, requests: &CodeRequests, module: &Module, target: &AbiTarget) -> Result<Self, String>;

    /// Sets in the target what requests mean for calling conventions.
    fn change_target(_requests: &CodeRequests, _target: &mut AbiTarget) {}
}

/// The machines for each kind of code.
#[derive(Debug)]
pub(crate) struct Machines<T> {
    /// For code that runs anywhere.
    pic: T,
    /// For code that runs anywhere as part of an executable.
    pie: T,
    /// For code that runs where it is linked.
    fixed: T,
}

impl<T: Configure> Machines<T> {
    /// Made by a function that gets `pic` and `pie`.
    pub(crate) fn each(machine: impl Fn(bool, bool) -> T) -> Arc<dyn TargetMachine> {
        Arc::new(Machines { pic: machine(true, false), pie: machine(true, true), fixed: machine(false, false) })
    }

    /// One machine for all kinds of code.
    pub(crate) fn one(machine: T) -> Arc<dyn TargetMachine> {
        Arc::new(Machines { pic: machine.clone(), pie: machine.clone(), fixed: machine })
    }

    fn map<E>(&self, change: impl Fn(&T) -> Result<T, E>) -> Result<Arc<dyn TargetMachine>, E> {
        Ok(Arc::new(Machines { pic: change(&self.pic)?, pie: change(&self.pie)?, fixed: change(&self.fixed)? }))
    }
}

impl<T: Configure> TargetMachine for Machines<T> {
    fn compiler(&self, pic: bool, pie: bool) -> Box<dyn FunctionCompiler + '_> {
        Box::new(Compiler::new(match (pic, pie) {
            (true, false) => &self.pic,
            (true, true) => &self.pie,
            (false, _) => &self.fixed,
        }))
    }

    fn object_format(&self) -> &'static ObjectFormat {
        self.fixed.object_format()
    }

    #[cfg(feature = "asm")]
    fn disassembler(&self) -> Box<dyn Disassembler> {
        self.fixed.disassembler()
    }

    fn attributes(&self, module: &Module, pic: bool) -> (Vec<(u8, Attribute)>, Option<&'static str>) {
        if pic { self.pic.attributes(module, pic) } else { self.fixed.attributes(module, pic) }
    }

    fn trampoline_isa(&self) -> Isa {
        self.fixed.trampoline_isa()
    }

    fn hardening(&self) -> Hardening {
        self.fixed.hardening()
    }

    fn call_thunk(&self, hardening: Hardening) -> Option<Cow<'static, str>> {
        let thunk = self.fixed.call_thunk(hardening)?;
        Some(self.fixed.object_format().library_name(thunk))
    }

    fn code_models(&self) -> &'static str {
        self.fixed.code_models()
    }

    fn with_code_model(&self, model: CodeModel) -> Option<Arc<dyn TargetMachine>> {
        self.map(|machine| machine.with_code_model(model).ok_or(())).ok()
    }

    fn with_tls_size(&self, bits: u8) -> Option<Arc<dyn TargetMachine>> {
        self.map(|machine| machine.with_tls_size(bits).ok_or(())).ok()
    }

    fn with_requests(
        &self,
        requests: &CodeRequests,
        module: &Module,
        target: &mut AbiTarget,
    ) -> Result<Arc<dyn TargetMachine>, String> {
        let machines = self.map(|machine| machine.with_requests(requests, module, target))?;
        T::change_target(requests, target);
        Ok(machines)
    }
}

/// Does a system have ELF?
pub(crate) fn has_elf(os: Os) -> bool {
    matches!(os, Os::Linux | Os::Bsd | Os::NetBsd | Os::None)
}
