//! Nodes of debug information by their words in MLIR and their names in LLVM.
//!
//! MLIR, "'llvm' Dialect", "Debug Info"; LLVM LangRef, "Specialized Metadata Nodes".

/// How a parameter is said.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// A node, whose word in MLIR may be omitted.
    Node(&'static str),
    /// A list of nodes.
    List,
    /// A string.
    Text,
    /// A name of DWARF's.
    Word,
    /// A boolean, a number, or a word that is the same in both.
    Plain,
    /// A number, where 0 is omitted.
    Number,
    /// A number, or a node that computes one.
    Count,
    /// Names separated by bars, which in LLVM have this prefix.
    Flags(&'static str),
    /// A name that in LLVM has this suffix, except `None`, which is `No` with it.
    Kind,
}

/// A node: MLIR's word, LLVM's name, whether it is distinct; and its parameters by both names.
pub(crate) struct Form {
    pub word: &'static str,
    pub name: &'static str,
    pub distinct: bool,
    pub fields: &'static [(&'static str, &'static str, As)],
}

const FILE: (&str, &str, As) = ("file", "file", As::Node("di_file"));
const NAME: (&str, &str, As) = ("name", "name", As::Text);
const LINE: (&str, &str, As) = ("line", "line", As::Number);
const SCOPE: (&str, &str, As) = ("scope", "scope", As::Node(""));
const TAG: (&str, &str, As) = ("tag", "tag", As::Word);
const SIZE: (&str, &str, As) = ("sizeInBits", "size", As::Number);
const ALIGN: (&str, &str, As) = ("alignInBits", "align", As::Number);
const EXPRESSION: As = As::Node("di_expression");

#[rustfmt::skip]
pub(crate) const FORMS: &[Form] = &[
    Form { word: "di_compile_unit", name: "DICompileUnit", distinct: true, fields: &[
        ("sourceLanguage", "language", As::Word), FILE, ("producer", "producer", As::Text),
        ("isOptimized", "isOptimized", As::Plain), ("emissionKind", "emissionKind", As::Kind),
        ("nameTableKind", "nameTableKind", As::Plain)] },
    Form { word: "di_basic_type", name: "DIBasicType", distinct: false, fields: &[
        TAG, NAME, SIZE, ("encoding", "encoding", As::Word)] },
    Form { word: "di_derived_type", name: "DIDerivedType", distinct: false, fields: &[
        TAG, NAME, ("baseType", "baseType", As::Node("")), SIZE, ALIGN, ("offsetInBits", "offset", As::Number),
        ("dwarfAddressSpace", "dwarfAddressSpace", As::Plain), ("extraData", "extraData", As::Node(""))] },
    Form { word: "di_composite_type", name: "DICompositeType", distinct: false, fields: &[
        TAG, NAME, FILE, LINE, SCOPE, ("baseType", "baseType", As::Node("")), SIZE, ALIGN,
        ("flags", "flags", As::Flags("DIFlag")), ("elements", "elements", As::List),
        ("dataLocation", "dataLocation", EXPRESSION), ("rank", "rank", EXPRESSION),
        ("allocated", "allocated", EXPRESSION), ("associated", "associated", EXPRESSION)] },
    Form { word: "di_string_type", name: "DIStringType", distinct: false, fields: &[
        TAG, NAME, ("stringLength", "stringLength", As::Node("di_local_variable")),
        ("stringLengthExp", "stringLengthExpression", EXPRESSION),
        ("stringLocationExp", "stringLocationExpression", EXPRESSION), SIZE, ALIGN,
        ("encoding", "encoding", As::Word)] },
    Form { word: "di_subroutine_type", name: "DISubroutineType", distinct: false, fields: &[
        ("callingConvention", "cc", As::Word), ("types", "types", As::List)] },
    Form { word: "di_subprogram", name: "DISubprogram", distinct: false, fields: &[
        SCOPE, NAME, ("linkageName", "linkageName", As::Text), FILE, LINE, ("type", "type", As::Node("di_subroutine_type")),
        ("scopeLine", "scopeLine", As::Number), ("subprogramFlags", "spFlags", As::Flags("DISPFlag")),
        ("compileUnit", "unit", As::Node("di_compile_unit")), ("retainedNodes", "retainedNodes", As::List),
        ("annotations", "annotations", As::List)] },
    Form { word: "di_lexical_block", name: "DILexicalBlock", distinct: true, fields: &[
        SCOPE, FILE, LINE, ("column", "column", As::Number)] },
    Form { word: "di_lexical_block_file", name: "DILexicalBlockFile", distinct: true, fields: &[
        SCOPE, FILE, ("discriminator", "discriminator", As::Plain)] },
    Form { word: "di_local_variable", name: "DILocalVariable", distinct: false, fields: &[
        NAME, ("arg", "arg", As::Number), SCOPE, FILE, LINE, ("type", "type", As::Node("")),
        ("flags", "flags", As::Flags("DIFlag")), ALIGN] },
    Form { word: "di_label", name: "DILabel", distinct: false, fields: &[SCOPE, NAME, FILE, LINE] },
    Form { word: "di_global_variable", name: "DIGlobalVariable", distinct: true, fields: &[
        NAME, ("linkageName", "linkageName", As::Text), SCOPE, FILE, LINE, ("type", "type", As::Node("")),
        ("isLocalToUnit", "isLocal", As::Plain), ("isDefined", "isDefinition", As::Plain), ALIGN] },
    Form { word: "di_global_variable_expression", name: "DIGlobalVariableExpression", distinct: false, fields: &[
        ("var", "var", As::Node("di_global_variable")), ("expr", "expr", EXPRESSION)] },
    Form { word: "di_namespace", name: "DINamespace", distinct: false, fields: &[
        NAME, SCOPE, ("exportSymbols", "exportSymbols", As::Plain)] },
    Form { word: "di_common_block", name: "DICommonBlock", distinct: false, fields: &[
        SCOPE, ("decl", "declaration", As::Node("di_global_variable")), NAME, FILE, LINE] },
    Form { word: "di_module", name: "DIModule", distinct: false, fields: &[
        SCOPE, NAME, ("configMacros", "configMacros", As::Text), ("includePath", "includePath", As::Text),
        ("apinotes", "apinotes", As::Text), FILE, LINE, ("isDecl", "isDecl", As::Plain)] },
    Form { word: "di_subrange", name: "DISubrange", distinct: false, fields: &[
        ("count", "count", As::Count), ("lowerBound", "lowerBound", As::Count), ("upperBound", "upperBound", As::Count),
        ("stride", "stride", As::Count)] },
    Form { word: "di_generic_subrange", name: "DIGenericSubrange", distinct: false, fields: &[
        ("count", "count", EXPRESSION), ("lowerBound", "lowerBound", EXPRESSION), ("upperBound", "upperBound", EXPRESSION),
        ("stride", "stride", EXPRESSION)] },
    Form { word: "di_imported_entity", name: "DIImportedEntity", distinct: false, fields: &[
        TAG, NAME, SCOPE, ("entity", "entity", As::Node("")), FILE, LINE, ("elements", "elements", As::List)] },
];
