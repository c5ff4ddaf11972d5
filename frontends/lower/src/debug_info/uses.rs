//! Where a module refers to its debug information, besides the instructions of its functions.

use gusset_codegen::ir::SymbolId;

use super::nodes::DebugNodes;
use super::reader::{DebugInfoReader, Result};
use crate::module_flags::ModuleFlags;

/// The version of the metadata's form that LLVM has had since version 3.5.
const VERSION: i64 = 3;

/// Where a module refers to its debug information, by numbers of nodes that have not been read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugInfoUses {
    /// The compile units (`!llvm.dbg.cu`).
    pub units: Vec<u32>,
    /// Functions with their subprograms; also functions that are only declared.
    pub functions: Vec<(SymbolId, u32)>,
    /// Variables with their nodes (`DIGlobalVariableExpression`), of which each may have several.
    pub variables: Vec<(SymbolId, u32)>,
    /// The version of DWARF that is asked for; 0 for the default.
    pub dwarf_version: u16,
    /// CodeView is asked for.
    pub codeview: bool,
    /// The debug information is left out, because its form has this version, which is not the one that LLVM reads. There are no
    /// units, functions and variables then, and locations of instructions are to be ignored.
    pub other_version: Option<i64>,
}

impl DebugInfoUses {
    /// Takes the flags of the module, when everything else is known.
    pub fn take_flags(&mut self, flags: &ModuleFlags) {
        (self.dwarf_version, self.codeview) = (flags.dwarf_version, flags.codeview);
        if !self.units.is_empty() && flags.debug_info_version != VERSION {
            *self = DebugInfoUses { other_version: Some(flags.debug_info_version), ..DebugInfoUses::default() };
        }
        self.functions.sort_unstable_by_key(|function| function.0);
    }

    /// The node of a function's subprogram.
    pub fn subprogram(&self, function: SymbolId) -> Option<u32> {
        let at = self.functions.binary_search_by_key(&function, |function| function.0).ok()?;
        Some(self.functions[at].1)
    }

    /// A reader that has read the units with all that they list. `count` is as in [`DebugInfoReader::new`].
    ///
    /// # Errors
    /// LLVM's parser would refuse the text.
    pub fn reader<'a>(&self, source: impl DebugNodes<'a> + 'a, count: u32) -> Result<DebugInfoReader<'a>> {
        let mut reader = DebugInfoReader::new(source, count);
        (reader.info().dwarf_version, reader.info().codeview) = (self.dwarf_version, self.codeview);
        reader.set_functions(&self.functions);
        for &(symbol, node) in &self.variables {
            reader.attach_variable(symbol, node)?;
        }
        for &unit in &self.units {
            reader.compile_unit(unit)?;
        }
        Ok(reader)
    }
}
