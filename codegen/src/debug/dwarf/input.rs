//! What the form of the output depends on besides the nodes.

use gusset_abi::Endian;

use crate::debug::DebugInfo;
use crate::debug::sections::DebugFixupKind;

/// What the form of the output depends on besides the nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DwarfFacts {
    /// The version of DWARF: 4 or 5.
    pub version: u16,
    /// Bytes of an address.
    pub address_bytes: u8,
    /// The order of the bytes of numbers.
    pub endian: Endian,
    /// Debuggers know the canonical frame address of every function.
    pub frame_by_cfa: bool,
    /// The bytes in which linkers can say where a thread-local variable is in its module's data, and how.
    pub thread_local: Option<(u8, DebugFixupKind)>,
    /// The table of addresses is wanted.
    pub aranges: bool,
    /// An assembler makes the lines, in one table for all units.
    pub lines_by_assembler: bool,
}

impl DwarfFacts {
    /// The version for what a module asks for.
    pub fn version_of(info: &DebugInfo) -> u16 {
        if info.dwarf_version >= 5 { 5 } else { 4 }
    }
}
