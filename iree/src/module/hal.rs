//! The host's module for arrays.

/// Where arrays are. An example is at [the crate's page](crate).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Hal {
    /// In buffers of a device, through the module `hal`. The devices are `local-sync` and `local-task`: the data is
    /// read and written in place.
    #[default]
    Device,
    /// In memory of the virtual machine, through the module `hal_inline`, which has no devices.
    Inline,
}

impl Hal {
    /// The module of the host's.
    pub fn module(self) -> &'static str {
        match self {
            Hal::Device => "hal",
            Hal::Inline => "hal_inline",
        }
    }
}
