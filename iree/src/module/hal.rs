//! The module of the host that has the arrays.

/// Where arrays are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Hal {
    /// In buffers of a device, by the module `hal`. Devices are `local-sync` and `local-task`: the data is read and written in place.
    #[default]
    Device,
    /// In memory of the virtual machine's, by the module `hal_inline`, which has no devices.
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
