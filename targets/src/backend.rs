//! The face of the back ends: a [`Backend`] is the table of a family, a [`TargetMachine`] what code is made for.
//!
//! Who knows targets by their triples sees only these two. A family fills in a [`Backend`] and says by [`Configure`] how one of its
//! machines differs from another; the rest is the same for all.

use std::fmt::Debug;
use std::sync::Arc;

use gusset_abi::features::CodeRequests;
use gusset_abi::{Arch, Isa, Os, Target};
use gusset_codegen::asm::Disassembler;
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::dump::Stage;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{CodeModel, Function, Module};
use gusset_codegen::object::{Attribute, ObjectFormat};
use gusset_codegen::select::Select;

use crate::features::Features;

/// A family of architectures: what it has, by name.
#[derive(Debug)]
pub struct Backend {
    /// Its targets: a triple for each kind of machine and system, what it is in words, and the architecture.
    pub targets: &'static [(&'static str, &'static str, Arch)],
    /// The names of an architecture's processors.
    pub processors: fn(Arch) -> Vec<&'static str>,
    /// Features that LLVM does not have.
    pub own_features: &'static [&'static str],
    /// Features that the machine which runs this has; none if it is of another family.
    pub native: fn() -> Vec<&'static str>,
    /// See [`Backend::machine`].
    pub(crate) machine: MachineOf,
}

type MachineOf = fn(&str, &mut Target, &Features) -> Result<Option<Arc<dyn TargetMachine>>, String>;

impl Backend {
    /// The machine of a triple with some features, of which the target learns what they say of calls; nothing if the family does not
    /// have that target.
    ///
    /// # Errors
    /// A processor or feature is unknown, or the target does without it.
    pub fn machine(
        &self,
        triple: &str,
        target: &mut Target,
        features: &Features,
    ) -> Result<Option<Arc<dyn TargetMachine>>, String> {
        (self.machine)(triple, target, features)
    }
}

/// A machine for which code is made, with its features: position-independent code or not, as is asked for each time.
pub trait TargetMachine: Debug + Send + Sync {
    /// A compiler for one thread. `pic`: for code that may be loaded anywhere; `pie`: but in executables only.
    fn compiler(&self, pic: bool, pie: bool) -> Box<dyn FunctionCompiler + '_>;

    /// What object files say of the machine.
    fn object_format(&self) -> &'static ObjectFormat;

    /// How its instructions are spelled.
    #[cfg(feature = "asm")]
    fn disassembler(&self) -> Box<dyn Disassembler>;

    /// What objects say of the processor and of how they call; the name of its floating-point unit.
    fn attributes(&self, module: &Module, pic: bool) -> (Vec<(u8, Attribute)>, Option<&'static str>);

    /// The instruction set of trampolines in place: that of the code.
    fn trampoline_isa(&self) -> Isa;

    /// The code models that there are, for messages.
    fn code_models(&self) -> &'static str;

    /// The same with a code model other than `small`, if there is such a one.
    fn with_code_model(&self, model: CodeModel) -> Option<Arc<dyn TargetMachine>>;

    /// The same with offsets from the thread pointer of so many bits, if that can be chosen.
    fn with_tls_size(&self, bits: u8) -> Option<Arc<dyn TargetMachine>>;

    /// The same with what a module and its functions ask of all its code. Features that were named stay.
    ///
    /// # Errors
    /// They ask for what the target does not have; the message goes on after the target's name.
    fn with_requests(
        &self,
        requests: &CodeRequests,
        module: &Module,
        target: &mut Target,
    ) -> Result<Arc<dyn TargetMachine>, String>;
}

/// Compiles functions one after another.
pub trait FunctionCompiler {
    /// Compiles a function, which may be rewritten on the way.
    ///
    /// # Errors
    /// The function asks for something that the target does not have.
    fn compile(&mut self, module: &Module, f: &mut Function, out: &mut CompiledFunction) -> Result<(), CompileError>;
    /// Whether the allocation of registers is checked.
    fn check_allocation(&mut self, on: bool);
    /// Has [`FunctionCompiler::dumped`] show every function at a stage.
    fn dump(&mut self, stage: Stage, disassembler: Option<Box<dyn Disassembler>>);
    /// The function that was compiled last.
    fn dumped(&self) -> Option<&str>;
}

impl<T: Select> FunctionCompiler for Compiler<'_, T> {
    fn compile(&mut self, module: &Module, f: &mut Function, out: &mut CompiledFunction) -> Result<(), CompileError> {
        Compiler::compile(self, module, f, out)
    }

    fn check_allocation(&mut self, on: bool) {
        Compiler::check_allocation(self, on);
    }

    fn dump(&mut self, stage: Stage, disassembler: Option<Box<dyn Disassembler>>) {
        Compiler::dump(self, stage, disassembler);
    }

    fn dumped(&self) -> Option<&str> {
        Compiler::dumped(self)
    }
}

/// What differs between the machines of a family, beside the code that they make.
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

    fn code_models(&self) -> &'static str {
        "`small`"
    }

    fn with_code_model(&self, _model: CodeModel) -> Option<Self> {
        None
    }

    fn with_tls_size(&self, _bits: u8) -> Option<Self> {
        None
    }

    fn with_requests(&self, requests: &CodeRequests, module: &Module, target: &Target) -> Result<Self, String>;

    /// What calling conventions learn of requests.
    fn change_target(_requests: &CodeRequests, _target: &mut Target) {}
}

/// The machines for each kind of code.
#[derive(Debug)]
pub(crate) struct Machines<T> {
    /// For code that runs anywhere.
    pic: T,
    /// For code that runs anywhere as a part of an executable.
    pie: T,
    /// For code that runs where it is linked.
    fixed: T,
}

impl<T: Configure> Machines<T> {
    /// Of a function that makes a machine, which is told `pic` and `pie`.
    pub(crate) fn each(machine: impl Fn(bool, bool) -> T) -> Arc<dyn TargetMachine> {
        Arc::new(Machines { pic: machine(true, false), pie: machine(true, true), fixed: machine(false, false) })
    }

    /// Of one machine for all kinds of code.
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
        target: &mut Target,
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
