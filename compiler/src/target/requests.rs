//! A target as the functions of a module want its code.

use std::borrow::Cow;

use gusset_codegen::ir::Module;

use super::{Isa, Target};
use crate::Error;
use gusset_abi::features::CodeRequests;
#[cfg(feature = "arm")]
use gusset_abi::features::ThreadRegister;

impl Target {
    /// The same with what a module's functions ask of all its code, and the module itself. What the command line says stays.
    ///
    /// # Errors
    /// They ask for what the target has not.
    pub(crate) fn with_requests(&self, requests: CodeRequests, module: &Module) -> Result<Cow<'_, Target>, Error> {
        let guard = module.stack_guard.of_thread && self.abi.arch == gusset_abi::Arch::Arm;
        if requests == CodeRequests::default() && !guard && !module.library_by_table {
            return Ok(Cow::Borrowed(self));
        }
        #[cfg(feature = "arm")]
        let refuse = |what: &str| Err(Error::Target(format!("target `{}` {what}", self.triple)));
        let mut target = self.clone();
        match &mut target.isa {
            #[cfg(feature = "x86")]
            Isa::X86 { pic, pie, fixed } => {
                for machine in [pic, pie, fixed].into_iter().filter(|machine| !machine.windows) {
                    if module.library_by_table {
                        *machine = machine.clone().with_library_by_table();
                    }
                    if requests.tagged_globals && !machine.is_32() {
                        *machine = machine.clone().with_tagged_globals();
                    }
                }
            }
            #[cfg(feature = "arm")]
            Isa::Arm { pic, pie, fixed } => {
                if requests.soft_float && self.abi.features.hard_float {
                    return refuse("passes numbers in registers that its functions do without (`soft-float`)");
                }
                for machine in [pic, pie, fixed] {
                    let was = &machine.features;
                    let said = self.said_thread.filter(|_| machine.windows.is_none());
                    let asked = gusset_targets::arm::Features {
                        long_calls: was.long_calls || requests.long_calls,
                        no_movt: was.no_movt || requests.no_movt,
                        thread: said.or(requests.thread).or(was.thread),
                        ..*was
                    };
                    if guard && asked.thread == Some(ThreadRegister::Library) && machine.windows.is_none() {
                        return refuse(
                            "has stack guards in the thread's block, whose address is in no register that the functions name",
                        );
                    }
                    *machine = match requests.soft_float {
                        true => machine.with_features(super::arm::soft(asked), self.abi.features),
                        false => machine.with_features(asked, self.abi.features),
                    };
                }
                if requests.soft_float {
                    target.abi.features.vector_bytes = 0;
                }
            }
            #[cfg(feature = "aarch64")]
            Isa::Aarch64 { pic, pie, fixed } => {
                for machine in [pic, pie, fixed].into_iter().filter(|machine| machine.windows.is_none()) {
                    let flags = &mut machine.features;
                    flags.thread = flags.thread.or(requests.thread);
                    flags.tagged_globals |= requests.tagged_globals;
                    flags.separate_products |= requests.separate_products;
                }
            }
        }
        Ok(Cow::Owned(target))
    }
}
