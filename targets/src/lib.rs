//! Gusset's machine back ends, one cargo feature per architecture family.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(feature = "aarch64")]
pub mod aarch64;
#[cfg(feature = "arm")]
pub mod arm;
mod backend;
mod features;
mod shared;
#[cfg(feature = "x86")]
pub mod x86;

pub use backend::{Backend, FunctionCompiler, TargetMachine};
pub use features::Features;

/// The back ends of this build.
pub const BACKENDS: &[&Backend] = &[
    #[cfg(feature = "x86")]
    &x86::BACKEND,
    #[cfg(feature = "aarch64")]
    &aarch64::BACKEND,
    #[cfg(feature = "arm")]
    &arm::BACKEND,
];

impl Features {
    /// The features of the machine that runs this, as far as code is chosen by them.
    pub fn native() -> Features {
        let names = BACKENDS.iter().flat_map(|backend| (backend.native)());
        Features { cpu: None, attributes: names.map(|name| format!("+{name}")).collect() }
    }
}
