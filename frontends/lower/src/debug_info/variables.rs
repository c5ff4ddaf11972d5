//! Variables, labels, and names that scopes take from others.

use gusset_codegen::debug::{
    DiExpression, DiGlobalVariable, DiGlobalVariableExpression, DiGlobalVariableId, DiImportedEntity, DiLabel,
    DiLocalVariable,
};

use super::expressions::is_constant;
use super::fields::Node;
use super::forms;
use super::reader::{DebugInfoReader, Kind, Known, Result};

impl DebugInfoReader<'_> {
    pub(super) fn local_variable_of(&mut self, node: u32) -> Result<DiLocalVariable> {
        let form = match self.source.local_variable(node) {
            Some(fields) => forms::LocalVariable {
                name: self.info.strings.intern(fields.name),
                argument: fields.argument,
                scope: Node::Number(fields.scope),
                file: Node::Number(fields.file),
                line: fields.line,
                ty: Node::Number(fields.ty),
                ..forms::LocalVariable::default()
            },
            None => self.form(node)?,
        };
        Ok(DiLocalVariable {
            name: form.name,
            argument: form.argument,
            scope: self.scope(form.scope),
            file: self.file(form.file),
            line: form.line,
            ty: self.ty(form.ty),
            flags: form.flags.0,
            align_bits: form.align,
        })
    }

    pub(super) fn label_of(&mut self, node: u32) -> Result<DiLabel> {
        let form: forms::Label = self.form(node)?;
        Ok(DiLabel {
            name: form.name,
            scope: self.scope(form.scope),
            file: self.file(form.file),
            line: form.line,
            column: form.column.into(),
            artificial: form.artificial,
        })
    }

    pub(super) fn global_variable_of(&mut self, node: u32) -> Result<DiGlobalVariable> {
        let form: forms::GlobalVariable = self.form(node)?;
        Ok(DiGlobalVariable {
            name: form.name,
            linkage_name: form.linkage_name,
            scope: self.scope(form.scope),
            file: self.file(form.file),
            line: form.line,
            ty: self.ty(form.ty),
            local: form.local,
            definition: form.definition.unwrap_or(true),
            declaration: self.ty(form.declaration),
            template_parameters: self.template_parameters(form.template_parameters, 0)?,
            align_bits: form.align,
        })
    }

    pub(super) fn imported_entity_of(&mut self, node: u32) -> Result<DiImportedEntity> {
        let form: forms::ImportedEntity = self.form(node)?;
        let elements = "an element of an imported entity must be one, too";
        Ok(DiImportedEntity {
            tag: form.tag.0,
            scope: self.scope(form.scope),
            entity: self.reference(form.entity, "what is imported must have a name", Known::entity),
            name: form.name,
            file: self.file(form.file),
            line: form.line,
            elements: self.list_of(form.elements, elements, Known::imported_entity)?,
        })
    }

    /// A global variable with the way to it.
    pub(super) fn global_variable_expression(
        &mut self,
        node: u32,
    ) -> Result<Option<(DiGlobalVariableId, DiExpression)>> {
        if self.node(node) != Known::Value(Kind::GlobalVariableExpression) {
            return Ok(self.wrong("this must refer to a global variable with its expression"));
        }
        let form: forms::GlobalVariableExpression = self.form(node)?;
        let variable = self.reference(form.variable, "`var` must refer to a global variable", Known::global_variable);
        let expression = match form.expression {
            Node::None => Some(DiExpression::default()),
            Node::Number(expression) => self.expression(expression)?,
            Node::Other => self.wrong("`expr` must refer to an expression"),
        };
        Ok(variable.zip(expression))
    }

    /// The variables of a unit: with the symbols that have their parts, or, if there are none, with the expression that gives
    /// their value, as LLVM combines them (`DwarfDebug::beginModule`).
    pub(super) fn globals_of_unit(&mut self, list: Node) -> Result<Vec<DiGlobalVariableExpression>> {
        self.attached.sort_by_key(|attached| attached.0);
        let mut globals = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for node in self.list(list)?.into_iter().flatten() {
            let Some((variable, expression)) = self.global_variable_expression(node)? else { continue };
            let first = self.attached.partition_point(|attached| attached.0 < variable);
            let parts = || self.attached[first..].iter().take_while(|attached| attached.0 == variable);
            let new = seen.insert(variable);
            if new {
                globals.extend(parts().map(|(_, symbol, expression)| DiGlobalVariableExpression {
                    variable,
                    expression: expression.clone(),
                    symbol: Some(*symbol),
                }));
            }
            if is_constant(&expression) || new && parts().next().is_none() {
                globals.push(DiGlobalVariableExpression { variable, expression, symbol: None });
            }
        }
        Ok(globals)
    }
}
