//! LLVM IR whose debug information is made from bytes: nodes of all kinds that refer to each other in any way.

use std::fmt::Write;
use std::sync::OnceLock;

use gusset::{Features, Options, Source as LlvmSource, Target};

use crate::source::Source;

/// How many nodes there are beside the unit and the function's subprogram.
const NODES: u32 = 24;

/// The machines that it is compiled for: with DWARF and with CodeView.
const TRIPLES: [&str; 2] = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"];

/// Kinds of nodes: `@` stands for any node or none, `#` for a number, `$` for a node that must be there.
const FORMS: [&str; 27] = [
    "distinct !DISubprogram(name: \"f#\", scope: @, file: @, line: #, type: @, flags: DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, declaration: @, retainedNodes: @, templateParams: @, containingType: @)",
    "!DISubprogram(name: \"f#\", linkageName: \"g#\", scope: @, file: @, line: #, type: @, virtualIndex: #, flags: DIFlagPublic)",
    "distinct !DILexicalBlock(scope: $, file: @, line: #, column: 1)",
    "!DILexicalBlockFile(scope: $, file: @, discriminator: #)",
    "!DILocation(line: #, column: 3, scope: $, inlinedAt: @)",
    "distinct !DILocation(line: #, scope: $, inlinedAt: @)",
    "!DILocalVariable(name: \"v#\", scope: $, file: @, line: #, type: @)",
    "!DILocalVariable(name: \"p\", arg: #, scope: $, file: @, type: @, flags: DIFlagObjectPointer)",
    "!DIBasicType(name: \"t#\", size: #, encoding: DW_ATE_signed)",
    "!DIDerivedType(tag: DW_TAG_pointer_type, baseType: @, size: 64)",
    "!DIDerivedType(tag: DW_TAG_typedef, name: \"t#\", scope: @, file: @, line: #, baseType: @)",
    "!DIDerivedType(tag: DW_TAG_member, name: \"m#\", scope: @, baseType: @, size: #, offset: #, flags: DIFlagBitField, extraData: @)",
    "!DIDerivedType(tag: DW_TAG_inheritance, scope: @, baseType: @, offset: #, extraData: i32 0)",
    "!DIDerivedType(tag: DW_TAG_ptr_to_member_type, baseType: @, extraData: @)",
    "distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"s#\", scope: @, file: @, size: #, elements: @, vtableHolder: @, identifier: \"i#\")",
    "!DICompositeType(tag: DW_TAG_array_type, baseType: @, size: #, elements: @, dataLocation: @, rank: @)",
    "!DICompositeType(tag: DW_TAG_enumeration_type, name: \"e#\", baseType: @, elements: @)",
    "!DICompositeType(tag: DW_TAG_variant_part, discriminator: @, elements: @)",
    "!DISubroutineType(types: @)",
    "!DISubrange(count: @, lowerBound: #, stride: @)",
    "!DIEnumerator(name: \"E\", value: -#)",
    "!DINamespace(name: \"n#\", scope: @)",
    "!DIImportedEntity(tag: DW_TAG_imported_module, scope: @, entity: @, file: @, line: #, elements: @)",
    "!DITemplateTypeParameter(name: \"T\", type: @)",
    "!DIGlobalVariableExpression(var: $, expr: !DIExpression(DW_OP_plus_uconst, #))",
    "distinct !DIGlobalVariable(name: \"g#\", scope: @, file: @, type: @, isDefinition: true, declaration: @)",
    "!{@, @, @}",
];

/// Expressions of records; a number follows.
const EXPRESSIONS: [&str; 6] = [
    "",
    "DW_OP_deref",
    "DW_OP_plus_uconst, 8, DW_OP_stack_value",
    "DW_OP_LLVM_fragment, 0, 8",
    "DW_OP_LLVM_entry_value, 1",
    "DW_OP_constu, 3, DW_OP_mul, DW_OP_LLVM_convert, 32, DW_ATE_signed, DW_OP_stack_value",
];

/// A module whose nodes, and what its function refers to, are chosen by bytes.
pub fn metadata(bytes: &[u8]) -> Vec<u8> {
    let mut source = Source::new(bytes);
    let (mut nodes, mut kinds) = (String::new(), Vec::new());
    for number in 0..NODES {
        let form = source.below(FORMS.len() as u32) as usize;
        kinds.push(form);
        let _ = write!(nodes, "!{} = ", number + 4);
        for c in FORMS[form].chars() {
            let _ = match c {
                '@' if source.chance(4) => write!(nodes, "null"),
                '@' | '$' => write!(nodes, "!{}", source.between(1, NODES + 3)),
                '#' => write!(nodes, "{}", source.pick(&[0u32, 1, 2, 3, 8, 32, 64, 65_535, 4_294_967_295])),
                c => write!(nodes, "{c}"),
            };
        }
        nodes.push('\n');
    }
    let any = |of: &[usize], source: &mut Source<'_>| {
        let known: Vec<u32> = (0..NODES).filter(|&n| of.contains(&kinds[n as usize])).map(|n| n + 4).collect();
        if known.is_empty() { None } else { Some(source.pick(&known)) }
    };
    let mut body = String::new();
    for line in ["%x = add i32 %a, 1", "%y = call i32 @g(i32 %x)", "%z = mul i32 %y, %a"] {
        let value = source.pick(&["%a", "7", "poison"]);
        if let Some(variable) = any(&[6, 7], &mut source) {
            let (expression, at) = (source.pick(&EXPRESSIONS), any(&[4, 5], &mut source).unwrap_or(2));
            let _ = writeln!(body, "  #dbg_value(i32 {value}, !{variable}, !DIExpression({expression}), !{at})");
        }
        let _ = match any(&[4, 5], &mut source) {
            Some(at) => writeln!(body, "  {line}, !dbg !{at}"),
            None => writeln!(body, "  {line}"),
        };
    }
    let lists = ["enums", "retainedTypes", "globals", "imports"];
    let lists: String = lists.iter().map(|list| format!(", {list}: !{}", source.between(1, NODES + 3))).collect();
    let version = source.between(4, 5);
    let tail = format!(
        "define i32 @f(i32 %a) !dbg !3 {{\n{body}  ret i32 %z\n}}\n\
         declare !dbg !{} i32 @g(i32)\n\
         !llvm.dbg.cu = !{{!0}}\n!llvm.module.flags = !{{!100, !101, !102}}\n\
         !100 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n!101 = !{{i32 7, !\"Dwarf Version\", i32 {version}}}\n\
         !102 = !{{i32 2, !\"CodeView\", i32 1}}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug{lists})\n\
         !1 = !DIFile(filename: \"a.c\", directory: \"/\")\n!2 = !DILocation(line: 2, scope: !3)\n\
         !3 = distinct !DISubprogram(name: \"f\", scope: !{}, file: !1, line: 1, type: !{}, \
         flags: DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !{})\n",
        any(&[1], &mut source).unwrap_or(3),
        source.between(1, NODES + 3),
        source.between(1, NODES + 3),
        source.between(1, NODES + 3),
    );
    (tail + &nodes).into_bytes()
}

/// Compiles a module for machines with DWARF and with CodeView. True if both accept it.
///
/// # Errors
/// None: that nothing panics is all that is asked.
pub fn read_metadata(text: &[u8]) -> Result<bool, String> {
    static TARGETS: OnceLock<Vec<Target>> = OnceLock::new();
    let targets = TARGETS.get_or_init(|| {
        let target = |triple| Target::from_triple(triple, &Features::default()).expect("it is one of the targets");
        TRIPLES.map(target).into()
    });
    let compiled = |target| {
        let source = LlvmSource { name: "fuzz.ll", text };
        gusset::compile_llvm(source, target, &Options::new(), &mut |_| {}).is_ok()
    };
    Ok(targets.iter().filter(|target| compiled(target)).count() == TRIPLES.len())
}

/// What the target `metadata` does with bytes; `said` gets the text.
///
/// # Errors
/// As [`read_metadata`].
pub fn try_metadata(bytes: &[u8], said: impl FnOnce(&[u8])) -> Result<(), String> {
    let text = metadata(bytes);
    said(&text);
    read_metadata(&text).map(drop)
}
