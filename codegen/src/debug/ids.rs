//! The numbers of nodes, and what stands for a node of several kinds.

use crate::entity;

entity!(
    /// A string of debug information; the number 0 is the empty one.
    DiString, "str"
);
entity!(
    /// A file.
    DiFileId, "file"
);
entity!(
    /// A compile unit.
    DiCompileUnitId, "unit"
);
entity!(
    /// A scope that is neither a file, a unit, a type nor a function.
    DiLexicalScopeId, "scope"
);
entity!(
    /// A function.
    DiSubprogramId, "subprogram"
);
entity!(
    /// A local variable or parameter.
    DiLocalVariableId, "variable"
);
entity!(
    /// A label of the source program.
    DiLabelId, "label"
);
entity!(
    /// A global variable.
    DiGlobalVariableId, "global"
);
entity!(
    /// A name that one scope takes from another.
    DiImportedEntityId, "import"
);
entity!(
    /// A location of the source program.
    DiLocationId, "loc"
);

entity!(
    /// A type, or a member of one.
    DiTypeId, "type"
);

/// A scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DiScope {
    /// A whole unit.
    CompileUnit(DiCompileUnitId),
    /// A file.
    File(DiFileId),
    /// A type.
    Type(DiTypeId),
    /// A function.
    Subprogram(DiSubprogramId),
    /// Any other.
    Lexical(DiLexicalScopeId),
}

/// Anything that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DiEntity {
    /// A scope.
    Scope(DiScope),
    /// A global variable.
    GlobalVariable(DiGlobalVariableId),
    /// A local variable.
    LocalVariable(DiLocalVariableId),
    /// A label.
    Label(DiLabelId),
    /// A name that was taken from elsewhere.
    ImportedEntity(DiImportedEntityId),
}

/// An expression: DWARF's operations and LLVM's own, each followed by its operands, as in LLVM's memory (LangRef, "DIExpression").
/// Signed operands are in two's complement.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DiExpression(pub Box<[u64]>);
