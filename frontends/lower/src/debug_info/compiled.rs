//! The numbers of nodes in the debug information of compiled functions.

use gusset_codegen::debug::{
    CompiledDebugInfo, DiLabelId, DiLocalVariableId, DiLocationId, DiSubprogramId, NodeNumbers,
};

use gusset_codegen::ir::SymbolId;

use super::nodes::DebugInfoError;
use super::reader::{DebugInfoReader, Result};

/// A front end's number is that of the metadata.
impl NodeNumbers for DebugInfoReader<'_> {
    type Error = DebugInfoError;

    fn subprogram(&mut self, DiSubprogramId(node): DiSubprogramId) -> Result<Option<DiSubprogramId>> {
        DebugInfoReader::subprogram(self, node)
    }

    fn location(&mut self, DiLocationId(node): DiLocationId) -> Result<Option<DiLocationId>> {
        DebugInfoReader::location(self, node)
    }

    fn local_variable(&mut self, DiLocalVariableId(node): DiLocalVariableId) -> Result<Option<DiLocalVariableId>> {
        DebugInfoReader::local_variable(self, node)
    }

    fn callee(&mut self, symbol: SymbolId) -> Result<Option<DiSubprogramId>> {
        DebugInfoReader::callee(self, symbol)
    }

    fn label(&mut self, DiLabelId(node): DiLabelId) -> Result<Option<DiLabelId>> {
        DebugInfoReader::label(self, node)
    }
}

impl DebugInfoReader<'_> {
    /// Replaces the front end's numbers of nodes in what a function has become by those of the model. What refers to no proper node is
    /// left out.
    ///
    /// # Errors
    /// LLVM's parser would refuse the text.
    pub fn renumber(&mut self, compiled: &mut CompiledDebugInfo) -> Result<()> {
        compiled.renumber(self)
    }
}
