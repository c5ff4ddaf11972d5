//! The numbers of nodes in the debug information of compiled functions.

use gusset_codegen::debug::{CompiledDebugInfo, DiLabelId, DiLocalVariableId, DiLocationId, DiSubprogramId};

use super::reader::{DebugInfoReader, Result};

impl DebugInfoReader<'_> {
    /// Replaces the front end's numbers of nodes in what a function has become by those of the model. What refers to no proper node is
    /// left out.
    ///
    /// # Errors
    /// LLVM's parser would refuse the text.
    pub fn renumber(&mut self, compiled: &mut CompiledDebugInfo) -> Result<()> {
        if let Some(DiSubprogramId(node)) = compiled.subprogram {
            compiled.subprogram = self.subprogram(node)?;
        }
        for line in &mut compiled.lines {
            self.renumber_location(&mut line.value.location)?;
        }
        let mut last = None;
        for range in &mut compiled.variables {
            let DiLocalVariableId(node) = range.variable;
            let known = match last {
                Some((of, known)) if of == node => known,
                _ => self.local_variable(node)?,
            };
            last = Some((node, known));
            // An empty stretch is one that nobody describes.
            match known {
                Some(variable) => range.variable = variable,
                None => range.code = 0..0,
            }
            self.renumber_location(&mut range.inlined_at)?;
        }
        compiled.variables.retain(|range| !range.code.is_empty());
        let mut labels = Vec::with_capacity(compiled.labels.len());
        for mut label in std::mem::take(&mut compiled.labels) {
            let DiLabelId(node) = label.value.label;
            if let Some(known) = self.label(node)? {
                label.value.label = known;
                self.renumber_location(&mut label.value.inlined_at)?;
                labels.push(label);
            }
        }
        compiled.labels = labels;
        let mut lost = Vec::with_capacity(compiled.lost.len());
        for (DiLocalVariableId(node), mut inlined_at) in std::mem::take(&mut compiled.lost) {
            if let Some(variable) = self.local_variable(node)? {
                self.renumber_location(&mut inlined_at)?;
                lost.push((variable, inlined_at));
            }
        }
        compiled.lost = lost;
        Ok(())
    }

    fn renumber_location(&mut self, location: &mut Option<DiLocationId>) -> Result<()> {
        if let Some(DiLocationId(node)) = *location {
            *location = self.location(node)?;
        }
        Ok(())
    }
}
