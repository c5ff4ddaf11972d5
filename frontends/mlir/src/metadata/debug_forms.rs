//! Nodes of debug information: MLIR's words and parameters, LLVM's names and fields, and what both mean if they are left out.
//!
//! MLIR, "'llvm' Dialect", "Debug Info"; LLVM LangRef, "Specialized Metadata Nodes".

use gusset_codegen::debug::{di_flags, di_subprogram_flags};

/// The value of a parameter and of LLVM's field.
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
    /// A boolean or a number.
    Plain,
    /// A number, where 0 is omitted.
    Number,
    /// A number, or a node that computes one.
    Count,
    /// Names separated by bars, which in LLVM have this prefix; LLVM's bits of MLIR's names.
    Flags(&'static str, &'static [(&'static str, u32)]),
    /// One of these names, LLVM's and MLIR's, in the order of LLVM's numbers.
    Case(&'static [(&'static str, &'static str)]),
}

/// A parameter of an attribute.
#[derive(Clone, Copy)]
pub(crate) struct Parameter {
    /// Its name. It is empty for a field of LLVM's for which MLIR has no parameter, and whose content is known otherwise.
    pub key: &'static str,
    /// LLVM's name of the field.
    pub field: &'static str,
    pub value: As,
    /// The field's value if MLIR does not give it. It is empty if LLVM does not need the field.
    pub absent: &'static str,
    /// The parameter's value if LLVM does not give it. It is empty if the attribute does not exist without it, and `None`
    /// if MLIR does not need the parameter.
    pub always: Option<&'static str>,
    /// MLIR 19 does not have it.
    pub newer: bool,
}

impl Parameter {
    const fn absent(self, absent: &'static str) -> Parameter {
        Parameter { absent, ..self }
    }

    const fn always(self, value: &'static str) -> Parameter {
        Parameter { always: Some(value), ..self }
    }

    const fn newer(self) -> Parameter {
        Parameter { newer: true, ..self }
    }
}

/// A parameter that LLVM calls by the name `field`.
const fn renamed(key: &'static str, field: &'static str, value: As) -> Parameter {
    Parameter { key, field, value, absent: "", always: None, newer: false }
}

const fn parameter(key: &'static str, value: As) -> Parameter {
    renamed(key, key, value)
}

/// A field without a parameter.
const fn known(field: &'static str) -> Parameter {
    renamed("", field, As::Plain)
}

/// A node.
pub(crate) struct Form {
    /// MLIR's word.
    pub word: &'static str,
    /// LLVM's name.
    pub name: &'static str,
    pub distinct: bool,
    /// MLIR 19 does not have it.
    pub newer: bool,
    pub parameters: &'static [Parameter],
}

const FORM: Form = Form { word: "", name: "", distinct: false, newer: false, parameters: &[] };

const FILE: Parameter = parameter("file", As::Node("di_file"));
const NAME: Parameter = parameter("name", As::Text);
const LINKAGE_NAME: Parameter = parameter("linkageName", As::Text);
const LINE: Parameter = parameter("line", As::Number);
const SCOPE: Parameter = parameter("scope", As::Node(""));
const TAG: Parameter = parameter("tag", As::Word);
const TYPE: Parameter = parameter("type", As::Node(""));
const BASE_TYPE: Parameter = parameter("baseType", As::Node(""));
const ELEMENTS: Parameter = parameter("elements", As::List);
const SIZE: Parameter = renamed("sizeInBits", "size", As::Number);
const ALIGN: Parameter = renamed("alignInBits", "align", As::Number);
const ENCODING: Parameter = parameter("encoding", As::Word);
const FLAGS: Parameter = parameter("flags", As::Flags("DIFlag", di_flags::NAMES));
const EXPRESSION: As = As::Node("di_expression");

#[rustfmt::skip]
pub(crate) const FORMS: &[Form] = &[
    Form { word: "di_compile_unit", name: "DICompileUnit", distinct: true, parameters: &[
        renamed("sourceLanguage", "language", As::Word).always(""), FILE.always(""), parameter("producer", As::Text),
        parameter("isOptimized", As::Plain).always("false"),
        parameter("emissionKind", As::Case(&[("NoDebug", "None"), ("FullDebug", "Full"), ("LineTablesOnly", "LineTablesOnly"),
            ("DebugDirectivesOnly", "DebugDirectivesOnly")])).always("None"),
        parameter("nameTableKind", As::Case(&[("Default", "Default"), ("GNU", "GNU"), ("None", "None"), ("Apple", "Apple")])),
        known("runtimeVersion").absent("0"), known("globals")], ..FORM },
    Form { word: "di_basic_type", name: "DIBasicType", parameters: &[
        TAG.always("DW_TAG_base_type"), NAME.always("\"\""), SIZE, ENCODING], ..FORM },
    Form { word: "di_derived_type", name: "DIDerivedType", parameters: &[
        TAG.always(""), NAME, BASE_TYPE.absent("null"), SIZE, ALIGN, renamed("offsetInBits", "offset", As::Number),
        parameter("dwarfAddressSpace", As::Plain), parameter("extraData", As::Node(""))], ..FORM },
    Form { word: "di_composite_type", name: "DICompositeType", parameters: &[
        TAG.always(""), NAME, FILE, LINE, SCOPE, BASE_TYPE, SIZE, ALIGN, FLAGS, ELEMENTS.absent("!{}"),
        parameter("dataLocation", EXPRESSION), parameter("rank", EXPRESSION), parameter("allocated", EXPRESSION),
        parameter("associated", EXPRESSION)], ..FORM },
    Form { word: "di_string_type", name: "DIStringType", parameters: &[
        TAG.always("DW_TAG_string_type"), NAME.always("\"\""), parameter("stringLength", As::Node("di_local_variable")),
        renamed("stringLengthExp", "stringLengthExpression", EXPRESSION),
        renamed("stringLocationExp", "stringLocationExpression", EXPRESSION), SIZE, ALIGN, ENCODING], ..FORM },
    Form { word: "di_subroutine_type", name: "DISubroutineType", parameters: &[
        renamed("callingConvention", "cc", As::Word), parameter("types", As::List).absent("!{}")], ..FORM },
    Form { word: "di_subprogram", name: "DISubprogram", parameters: &[
        SCOPE.always(""), NAME, LINKAGE_NAME, FILE.always(""), LINE, parameter("type", As::Node("di_subroutine_type")),
        parameter("scopeLine", As::Number),
        renamed("subprogramFlags", "spFlags", As::Flags("DISPFlag", di_subprogram_flags::NAMES)).absent("0"),
        renamed("compileUnit", "unit", As::Node("di_compile_unit")), parameter("retainedNodes", As::List).newer(),
        parameter("annotations", As::List).newer(),
        known("isLocal"), known("isDefinition"), known("isOptimized"), known("virtuality")], ..FORM },
    Form { word: "di_lexical_block", name: "DILexicalBlock", distinct: true, parameters: &[
        SCOPE.absent("null").always(""), FILE, LINE, parameter("column", As::Number)], ..FORM },
    Form { word: "di_lexical_block_file", name: "DILexicalBlockFile", distinct: true, parameters: &[
        SCOPE.always(""), FILE, parameter("discriminator", As::Plain).always("0")], ..FORM },
    Form { word: "di_local_variable", name: "DILocalVariable", parameters: &[
        NAME, parameter("arg", As::Number), SCOPE.always(""), FILE, LINE, TYPE, FLAGS.newer(), ALIGN], ..FORM },
    Form { word: "di_label", name: "DILabel", parameters: &[
        SCOPE.always(""), NAME, FILE.absent("null"), LINE.absent("0")], ..FORM },
    Form { word: "di_global_variable", name: "DIGlobalVariable", distinct: true, parameters: &[
        NAME, LINKAGE_NAME, SCOPE.absent("null"), FILE.always(""), LINE.always("0"), TYPE.always(""),
        renamed("isLocalToUnit", "isLocal", As::Plain).absent("false"),
        renamed("isDefined", "isDefinition", As::Plain).absent("false"), ALIGN], ..FORM },
    Form { word: "di_global_variable_expression", name: "DIGlobalVariableExpression", parameters: &[
        parameter("var", As::Node("di_global_variable")).always(""), parameter("expr", EXPRESSION)], ..FORM },
    Form { word: "di_namespace", name: "DINamespace", parameters: &[
        NAME, SCOPE.absent("null"), parameter("exportSymbols", As::Plain).always("false")], ..FORM },
    Form { word: "di_common_block", name: "DICommonBlock", newer: true, parameters: &[
        SCOPE, renamed("decl", "declaration", As::Node("di_global_variable")), NAME, FILE, LINE], ..FORM },
    Form { word: "di_module", name: "DIModule", parameters: &[
        SCOPE.absent("null"), NAME, parameter("configMacros", As::Text), parameter("includePath", As::Text),
        parameter("apinotes", As::Text), FILE, LINE, parameter("isDecl", As::Plain)], ..FORM },
    Form { word: "di_subrange", name: "DISubrange", parameters: &[
        parameter("count", As::Count), parameter("lowerBound", As::Count), parameter("upperBound", As::Count),
        parameter("stride", As::Count)], ..FORM },
    Form { word: "di_generic_subrange", name: "DIGenericSubrange", newer: true, parameters: &[
        parameter("count", EXPRESSION), parameter("lowerBound", EXPRESSION), parameter("upperBound", EXPRESSION),
        parameter("stride", EXPRESSION)], ..FORM },
    Form { word: "di_imported_entity", name: "DIImportedEntity", newer: true, parameters: &[
        TAG, NAME, SCOPE, parameter("entity", As::Node("")), FILE, LINE, ELEMENTS], ..FORM },
];
