//! The fields of each kind of node, those of LLVM 13 to 22. The needed ones are those that each of these versions needs.

use gusset_codegen::debug::{ChecksumKind, DiString, EmissionKind, NameTableKind};

use super::fields::{
    AnyValue, Bytes, CallingConvention, Encoding, Flags, Language, LanguageName, Node, NumberOrNode, SizeOrNode,
    SubprogramFlags, Tag, Unused, Virtuality, WideNumber, forms,
};
use super::nodes::LexicalBlockFields;

forms! {
    Location "DILocation" {
        line "line": u32, column "column": u16, scope "scope": Node, inlined_at "inlinedAt": Node,
        implicit "isImplicitCode": Unused, atom_group "atomGroup": Unused, atom_rank "atomRank": Unused,
    } needs [scope]

    File "DIFile" {
        name "filename": DiString, directory "directory": DiString, checksum_kind "checksumkind": Option<ChecksumKind>,
        checksum "checksum": Option<Bytes>, source "source": Option<DiString>,
    } needs [name, directory]

    CompileUnit "DICompileUnit" {
        language "language": Option<Language>, language_name "sourceLanguageName": Option<LanguageName>,
        language_version "sourceLanguageVersion": u32, dialect "dialect": Unused, file "file": Node,
        producer "producer": DiString, optimized "isOptimized": bool, flags "flags": DiString,
        runtime_version "runtimeVersion": u32, split_name "splitDebugFilename": DiString,
        emission "emissionKind": Option<EmissionKind>, enums "enums": Node, retained "retainedTypes": Node,
        globals "globals": Node, imports "imports": Node, macros "macros": Node, dwo_id "dwoId": u64,
        split_inlining "splitDebugInlining": Option<bool>, profiling "debugInfoForProfiling": bool,
        name_table "nameTableKind": NameTableKind, ranges_base_address "rangesBaseAddress": bool,
        sysroot "sysroot": DiString, sdk "sdk": DiString,
    } needs [file]

    Subprogram "DISubprogram" {
        scope "scope": Node, name "name": DiString, linkage_name "linkageName": DiString, file "file": Node,
        line "line": u32, ty "type": Node, local "isLocal": bool, definition "isDefinition": Option<bool>,
        scope_line "scopeLine": u32, containing_type "containingType": Node, virtuality "virtuality": Virtuality,
        virtual_index "virtualIndex": u32, this_adjustment "thisAdjustment": i32, flags "flags": Flags,
        subprogram_flags "spFlags": Option<SubprogramFlags>, optimized "isOptimized": bool, unit "unit": Node,
        template_parameters "templateParams": Node, declaration "declaration": Node, retained "retainedNodes": Node,
        thrown_types "thrownTypes": Node, annotations "annotations": Unused, target_name "targetFuncName": DiString,
        key_instructions "keyInstructions": Unused,
    } needs []

    LexicalBlock "DILexicalBlock" {
        scope "scope": Node, file "file": Node, line "line": u32, column "column": u16,
    } needs [scope]

    LexicalBlockFile "DILexicalBlockFile" {
        scope "scope": Node, file "file": Node, discriminator "discriminator": u32,
    } needs [scope, discriminator]

    Namespace "DINamespace" {
        scope "scope": Node, name "name": DiString, export_symbols "exportSymbols": bool,
    } needs [scope]

    Module "DIModule" {
        scope "scope": Node, name "name": DiString, configuration_macros "configMacros": DiString,
        include_path "includePath": DiString, api_notes "apinotes": DiString, file "file": Node, line "line": u32,
        declaration "isDecl": bool,
    } needs [scope, name]

    CommonBlock "DICommonBlock" {
        scope "scope": Node, declaration "declaration": Node, name "name": DiString, file "file": Node,
        line "line": u32,
    } needs [scope]

    BasicType "DIBasicType" {
        tag "tag": Option<Tag>, name "name": DiString, file "file": Node, line "line": u32, scope "scope": Node,
        size "size": SizeOrNode, align "align": u32, data_size "dataSize": Unused, encoding "encoding": Encoding,
        extra_inhabitants "num_extra_inhabitants": Unused, flags "flags": Flags,
    } needs []

    FixedPointType "DIFixedPointType" {
        tag "tag": Option<Tag>, name "name": DiString, file "file": Node, line "line": u32, scope "scope": Node,
        size "size": SizeOrNode, align "align": u32, encoding "encoding": Encoding, flags "flags": Flags,
        kind "kind": Unused, factor "factor": Unused, numerator "numerator": Unused, denominator "denominator": Unused,
    } needs []

    DerivedType "DIDerivedType" {
        tag "tag": Tag, name "name": DiString, base "baseType": Node, size "size": SizeOrNode, file "file": Node,
        line "line": u32, scope "scope": Node, offset "offset": SizeOrNode, align "align": u32, flags "flags": Flags,
        extra "extraData": AnyValue, address_space "dwarfAddressSpace": Option<u32>, annotations "annotations": Unused,
        key "ptrAuthKey": Unused, discriminated "ptrAuthIsAddressDiscriminated": Unused,
        discriminator "ptrAuthExtraDiscriminator": Unused, isa "ptrAuthIsaPointer": Unused,
        null "ptrAuthAuthenticatesNullValues": Unused,
    } needs [tag, base]

    CompositeType "DICompositeType" {
        tag "tag": Tag, name "name": DiString, file "file": Node, line "line": u32, scope "scope": Node,
        base "baseType": Node, size "size": SizeOrNode, align "align": u32, offset "offset": SizeOrNode,
        flags "flags": Flags, elements "elements": Node, runtime_language "runtimeLang": Language,
        enum_kind "enumKind": Unused, vtable_holder "vtableHolder": Node, template_parameters "templateParams": Node,
        identifier "identifier": DiString, discriminator "discriminator": Node, data_location "dataLocation": Node,
        associated "associated": Node, allocated "allocated": Node, rank "rank": NumberOrNode,
        annotations "annotations": Unused, extra_inhabitants "num_extra_inhabitants": Unused,
        specification "specification": Node, bit_stride "bitStride": NumberOrNode,
    } needs [tag]

    SubroutineType "DISubroutineType" {
        flags "flags": Flags, convention "cc": CallingConvention, types "types": Node,
    } needs [types]

    StringType "DIStringType" {
        tag "tag": Option<Tag>, name "name": DiString, length "stringLength": Node,
        length_expression "stringLengthExpression": Node, location "stringLocationExpression": Node,
        size "size": SizeOrNode, align "align": u32, encoding "encoding": Encoding,
    } needs []

    SubrangeType "DISubrangeType" {
        name "name": DiString, file "file": Node, line "line": u32, scope "scope": Node, base "baseType": Node,
        size "size": SizeOrNode, align "align": u32, flags "flags": Flags, lower "lowerBound": NumberOrNode,
        upper "upperBound": NumberOrNode, stride "stride": NumberOrNode, bias "bias": NumberOrNode,
    } needs []

    Subrange "DISubrange" {
        count "count": NumberOrNode, lower "lowerBound": NumberOrNode, upper "upperBound": NumberOrNode,
        stride "stride": NumberOrNode,
    } needs []

    GenericSubrange "DIGenericSubrange" {
        count "count": NumberOrNode, lower "lowerBound": NumberOrNode, upper "upperBound": NumberOrNode,
        stride "stride": NumberOrNode,
    } needs []

    Enumerator "DIEnumerator" {
        name "name": DiString, value "value": WideNumber, unsigned "isUnsigned": bool,
    } needs [name, value]

    TemplateTypeParameter "DITemplateTypeParameter" {
        name "name": DiString, ty "type": Node, default "defaulted": bool,
    } needs [ty]

    TemplateValueParameter "DITemplateValueParameter" {
        tag "tag": Option<Tag>, name "name": DiString, ty "type": Node, default "defaulted": bool,
        value "value": AnyValue,
    } needs [value]

    GlobalVariable "DIGlobalVariable" {
        name "name": DiString, scope "scope": Node, linkage_name "linkageName": DiString, file "file": Node,
        line "line": u32, ty "type": Node, local "isLocal": bool, definition "isDefinition": Option<bool>,
        template_parameters "templateParams": Node, declaration "declaration": Node, align "align": u32,
        annotations "annotations": Unused,
    } needs []

    GlobalVariableExpression "DIGlobalVariableExpression" {
        variable "var": Node, expression "expr": Node,
    } needs [variable, expression]

    LocalVariable "DILocalVariable" {
        name "name": DiString, argument "arg": u16, scope "scope": Node, file "file": Node, line "line": u32,
        ty "type": Node, flags "flags": Flags, align "align": u32, annotations "annotations": Unused,
    } needs [scope]

    Label "DILabel" {
        scope "scope": Node, name "name": DiString, file "file": Node, line "line": u32, column "column": u16,
        artificial "isArtificial": bool, suspend_index "coroSuspendIdx": Unused,
    } needs [scope, name, file, line]

    ImportedEntity "DIImportedEntity" {
        tag "tag": Tag, scope "scope": Node, entity "entity": Node, file "file": Node, line "line": u32,
        name "name": DiString, elements "elements": Node,
    } needs [tag, scope]
}

impl From<LexicalBlockFields> for LexicalBlock {
    fn from(fields: LexicalBlockFields) -> LexicalBlock {
        let LexicalBlockFields { scope, file, line, column } = fields;
        LexicalBlock { scope: Node::Number(scope), file: file.map_or(Node::None, Node::Number), line, column }
    }
}
