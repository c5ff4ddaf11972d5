//! Targets by triple, from the back ends of this build.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use gusset_abi as abi;
#[cfg(feature = "llvm")]
use gusset_abi::features::CodeRequests;
use gusset_codegen::ir::CodeModel;
#[cfg(feature = "llvm")]
use gusset_codegen::ir::Module;
use gusset_codegen::object::ObjectFormat;
use gusset_targets::{BACKENDS, Features, TargetMachine};

use crate::Error;

/// A machine for which code can be generated.
///
/// ```
/// use gusset_compiler::{Features, Target};
///
/// let target = Target::from_triple("armv7-unknown-linux-gnueabihf", &Features::cpu("cortex-a9"))?;
/// assert_eq!(target.abi().pointer_bytes(), 4);
/// assert!(Target::from_triple("vax-dec-ultrix", &Features::default()).is_err());
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Target {
    pub(crate) triple: String,
    pub(crate) abi: abi::AbiTarget,
    /// A library provides thread-local data on its system.
    pub(crate) emulated_tls: bool,
    pub(crate) machine: Arc<dyn TargetMachine>,
}

/// The description of a target in the list of all.
///
/// ```
/// let all = gusset_compiler::targets();
/// assert!(all.iter().any(|target| target.triple == "x86_64-unknown-linux-gnu" && target.cpus.contains(&"znver4")));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetInfo {
    /// Its triple.
    pub triple: &'static str,
    /// In words.
    pub description: &'static str,
    /// Processors by name.
    pub cpus: Vec<&'static str>,
    /// Features by which code is chosen, by name. `docs/target-features.md` has all features.
    pub features: Vec<&'static str>,
}

/// The targets that this build has.
pub fn targets() -> &'static [TargetInfo] {
    static ALL: LazyLock<Vec<TargetInfo>> = LazyLock::new(|| {
        let all = BACKENDS.iter().flat_map(|backend| backend.targets.iter().map(move |target| (backend, target)));
        all.map(|(backend, &(triple, description, arch))| TargetInfo {
            triple,
            description,
            cpus: (backend.processors)(arch),
            features: [&abi::features::chosen(arch), backend.own_features].concat(),
        })
        .collect()
    });
    &ALL
}

/// The triple of the machine that runs this.
pub fn host_triple() -> String {
    target_lexicon::HOST.to_string()
}

impl Target {
    /// The target of a triple such as `x86_64-unknown-linux-gnu`.
    ///
    /// # Errors
    /// The triple is malformed or names a target that this build does not have; a processor or feature is unknown.
    pub fn from_triple(triple: &str, features: &Features) -> Result<Target, Error> {
        let mut abi = abi::AbiTarget::from_triple(triple, abi::AbiFeatures::default())
            .map_err(|error| Error::Target(error.to_string()))?;
        for backend in BACKENDS {
            if let Some(machine) = backend.machine(triple, &mut abi, features).map_err(Error::Target)? {
                return Ok(Target {
                    triple: triple.to_string(),
                    abi,
                    emulated_tls: abi::has_emulated_tls(triple).unwrap_or(false),
                    machine,
                });
            }
        }
        let known: Vec<&str> = targets().iter().map(|t| t.triple).collect();
        Err(Error::Target(format!("target `{triple}` is not supported (supported: {})", known.join(", "))))
    }

    /// The target of the machine that runs this, with baseline features.
    ///
    /// # Errors
    /// As [`Target::from_triple`].
    pub fn host() -> Result<Target, Error> {
        Target::from_triple(&host_triple(), &Features::default())
    }

    /// Has code in memory debug information? Debuggers are given ELF files, which those of Windows do not read.
    pub(crate) fn describes_images(&self) -> bool {
        !self.abi().is_windows()
    }

    /// The code model of programs of LLVM when this one is asked for. On 32-bit x86 an address reaches everything, and in images of Windows,
    /// which have at most 2 GiB, everything lies near: there all models but the tiny one, which x86 has not, are the small one.
    #[cfg(feature = "llvm")]
    pub(crate) fn chosen_code_model(&self, asked: Option<CodeModel>) -> Option<CodeModel> {
        match asked {
            Some(CodeModel::Tiny) => asked,
            _ if self.abi().arch == abi::Arch::X86 => Some(CodeModel::Small),
            _ if self.abi().arch == abi::Arch::X86_64 && self.abi().is_windows() => Some(CodeModel::Small),
            _ => asked,
        }
    }

    /// The same with another code model.
    ///
    /// # Errors
    /// The target has no such code model.
    pub(crate) fn with_code_model(&self, model: CodeModel) -> Result<Cow<'_, Target>, Error> {
        if model == CodeModel::Small {
            return Ok(Cow::Borrowed(self));
        }
        let machine = self.machine.with_code_model(model).ok_or_else(|| {
            let (name, there) = (format!("{model:?}").to_lowercase(), self.machine.code_models());
            Error::Target(format!("target `{}` has no code model `{name}`, but {there}", self.triple))
        })?;
        Ok(Cow::Owned(Target { machine, ..self.clone() }))
    }

    /// The same with offsets from the thread pointer of this many bits, like LLVM's `-tls-size`.
    ///
    /// # Errors
    /// The target has one size of offsets only, or not this one.
    #[cfg(feature = "llvm")]
    pub(crate) fn with_tls_size(&self, bits: Option<u8>) -> Result<Cow<'_, Target>, Error> {
        let Some(bits) = bits else { return Ok(Cow::Borrowed(self)) };
        let machine = self.machine.with_tls_size(bits).ok_or_else(|| {
            Error::Target(format!("target `{}` has no thread-local offsets of {bits} bits to choose", self.triple))
        })?;
        Ok(Cow::Owned(Target { machine, ..self.clone() }))
    }

    /// The same with the requests of a module and its functions about all code. The command line's features are kept.
    ///
    /// # Errors
    /// They ask for something that the target does not have.
    #[cfg(feature = "llvm")]
    pub(crate) fn with_requests(&self, requests: CodeRequests, module: &Module) -> Result<Cow<'_, Target>, Error> {
        let by_module = module.stack_guard.of_thread || module.library_by_table || module.library_registers != 0;
        if requests == CodeRequests::default() && !by_module {
            return Ok(Cow::Borrowed(self));
        }
        let mut abi = self.abi;
        let machine = self.machine.with_requests(&requests, module, &mut abi);
        let machine = machine.map_err(|what| Error::Target(format!("target `{}` {what}", self.triple)))?;
        Ok(Cow::Owned(Target { machine, abi, ..self.clone() }))
    }

    /// Its triple, as it was given.
    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// What its objects look like, for code in memory.
    pub fn object_format(&self) -> &'static ObjectFormat {
        self.machine.object_format()
    }

    /// The target as calling conventions see it.
    pub fn abi(&self) -> &abi::AbiTarget {
        &self.abi
    }
}
