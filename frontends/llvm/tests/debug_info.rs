//! Debug information: metadata becomes nodes of the model; what cannot be is left out with a note, and what LLVM's parser refuses is an
//! error. The workspace's test `debug_info` reads what compilers write.

use gusset_abi::AbiTarget;
use gusset_codegen::debug::{
    ChecksumKind, DebugInfo, DiBound, DiComposite, DiConstant, DiElement, DiEntity, DiExpression, DiLexicalScopeKind,
    DiScope, DiString, DiTemplateParameter, DiType, DiTypeKind, EmissionKind, NameTableKind, di_flags,
    di_subprogram_flags,
};
use gusset_llvm::{ParsedModule, ReadError, read_module};
use gusset_lower::debug_info::{DebugInfoNotes, DebugInfoReader, IN_PLACE};

/// A unit that retains `!10`, which `nodes` defines.
fn module(nodes: &str) -> String {
    format!(
        "!llvm.dbg.cu = !{{!0}}\n!llvm.module.flags = !{{!1}}\n!1 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug, retainedTypes: !3)\n\
         !2 = !DIFile(filename: \"f.c\", directory: \"/d\")\n!3 = !{{!10}}\n{nodes}\n"
    )
}

fn parsed(text: &str) -> ParsedModule<'_> {
    read_module(text.as_bytes(), "t.ll", &AbiTarget::X86_64_LINUX).unwrap_or_else(|e| panic!("{e}"))
}

/// Reads the units of a text, and what `more` asks for.
fn read_with(
    text: &str,
    more: impl FnOnce(&mut DebugInfoReader<'_>),
) -> Result<(DebugInfo, DebugInfoNotes), ReadError> {
    let parsed = parsed(text);
    let mut reader = parsed.debug_info_reader()?;
    more(&mut reader);
    reader.finish().map_err(|error| parsed.debug_info_error(&error))
}

fn read(nodes: &str) -> Result<(DebugInfo, DebugInfoNotes), ReadError> {
    read_with(&module(nodes), |_| {})
}

/// The same of nodes of which nothing is left out.
fn info(nodes: &str) -> DebugInfo {
    let (info, notes) = read(nodes).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(notes, DebugInfoNotes::default(), "{nodes}");
    info
}

fn text(info: &DebugInfo, string: DiString) -> &str {
    std::str::from_utf8(info.strings.get(string)).unwrap()
}

fn named<'a>(info: &'a DebugInfo, name: &str) -> &'a DiType {
    info.types.iter().find(|ty| text(info, ty.name) == name).unwrap_or_else(|| panic!("no type `{name}`"))
}

fn composite(ty: &DiType) -> &DiComposite {
    match &ty.kind {
        DiTypeKind::Composite(composite) => composite,
        other => panic!("{other:?}"),
    }
}

#[test]
fn units_and_files() {
    let source = "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1, !2, !3}\n\
         !1 = !{i32 7, !\"Dwarf Version\", i32 4}\n!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
         !3 = !{i32 2, !\"CodeView\", i32 1}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !4, producer: \"clang \\22x\\22\", \
         isOptimized: true, flags: \"-O2\", runtimeVersion: 2, splitDebugFilename: \"a.dwo\", emissionKind: LineTablesOnly, \
         enums: !5, retainedTypes: !5, globals: !5, imports: !5, macros: !5, dwoId: 18446744073709551615, \
         splitDebugInlining: false, debugInfoForProfiling: true, nameTableKind: GNU, rangesBaseAddress: true, \
         sysroot: \"/s\", sdk: \"k\")\n\
         !4 = !DIFile(filename: \"a.cpp\", directory: \"/d\", checksumkind: CSK_MD5, \
         checksum: \"000102030405060708090a0b0c0d0eff\", source: \"int x;\\0A\")\n!5 = !{}\n";
    let (info, notes) = read_with(source, |_| {}).unwrap();
    // Nothing else is left out.
    let [split, macros] = &notes.notes[..] else { panic!("{notes:?}") };
    assert!(split.reason.contains("`splitDebugFilename`"), "{split:?}");
    assert_eq!((macros.reason, notes.more), ("macros are not described", 0));
    assert_eq!((info.dwarf_version, info.codeview), (4, true));
    let unit = &info.units[0];
    assert_eq!((unit.language, unit.optimized, unit.runtime_version, unit.dwo_id), (0x21, true, 2, u64::MAX));
    assert_eq!((unit.emission, unit.name_table), (EmissionKind::LineTablesOnly, NameTableKind::Gnu));
    assert_eq!((unit.split_debug_inlining, unit.profiling, unit.ranges_base_address), (false, true, true));
    assert!(unit.has_macros);
    let strings = [unit.producer, unit.flags, unit.split_name, unit.sysroot, unit.sdk].map(|s| text(&info, s));
    assert_eq!(strings, ["clang \"x\"", "-O2", "a.dwo", "/s", "k"]);
    let file = &info.files[unit.file.unwrap().index()];
    assert_eq!((text(&info, file.name), text(&info, file.directory)), ("a.cpp", "/d"));
    assert_eq!(file.source.map(|s| text(&info, s)), Some("int x;\n"));
    let checksum = file.checksum.as_ref().unwrap();
    assert_eq!((checksum.kind, checksum.bytes[1], checksum.bytes[15]), (ChecksumKind::Md5, 1, 255));

    // Of DWARF 6, which LLVM 22 has; numbers in place of names.
    let unit = |fields: &str| {
        let text = module("!10 = !DIBasicType()").replace("language: DW_LANG_C11", fields);
        read_with(&text, |_| {}).map(|(info, notes)| (info.units[0].language, notes.notes.len()))
    };
    assert_eq!(unit("sourceLanguageName: DW_LNAME_C, sourceLanguageVersion: 201112"), Ok((0x1d, 0)));
    assert_eq!(unit("sourceLanguageName: DW_LNAME_Nothing"), Ok((0, 1)));
    assert_eq!(unit("language: 12"), Ok((12, 0)));
    let error = unit("isOptimized: false").unwrap_err();
    assert!(error.message().contains("one of `language` and `sourceLanguageName`"), "{error}");
}

#[test]
fn other_versions_are_left_out() {
    for (flag, version) in [("!{i32 2, !\"Debug Info Version\", i32 2}", 2), ("!{i32 2, !\"Other\", i32 3}", 0)] {
        let text = module("!10 = !DIBasicType()").replace("!{i32 2, !\"Debug Info Version\", i32 3}", flag);
        let parsed = parsed(&text);
        assert_eq!(parsed.debug_info_uses().other_version, Some(version));
        assert!(parsed.debug_info_uses().units.is_empty());
    }
}

#[test]
fn subprograms_and_scopes() {
    let info = info(
        "!10 = distinct !DISubprogram(name: \"f\", linkageName: \"_Z1f\", scope: !11, file: !2, line: 7, type: !14, scopeLine: 8, \
         containingType: !15, virtualIndex: 3, thisAdjustment: -8, flags: DIFlagPrototyped | DIFlagPublic | 4096, \
         spFlags: DISPFlagVirtual | DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0, templateParams: !16, \
         declaration: !18, retainedNodes: !19, thrownTypes: !24, annotations: !24, targetFuncName: \"g\", keyInstructions: true)\n\
         !11 = !DINamespace(name: \"n\", scope: !12, exportSymbols: true)\n\
         !12 = !DIModule(scope: !13, name: \"m\", configMacros: \"-DX\", includePath: \"/i\", apinotes: \"a\", file: !2, line: 3, isDecl: true)\n\
         !13 = !DICommonBlock(scope: null, declaration: !26, name: \"c\", file: !2, line: 4)\n\
         !14 = !DISubroutineType(flags: DIFlagLValueReference, cc: DW_CC_BORLAND_thiscall, types: !{null, !15, null})\n\
         !15 = distinct !DICompositeType(tag: DW_TAG_class_type, name: \"C\", file: !2, line: 1, size: 64, elements: !{!18, !25})\n\
         !16 = !{!17}\n!17 = !DITemplateTypeParameter(name: \"T\", type: !15, defaulted: true)\n\
         !18 = !DISubprogram(name: \"f\", scope: !15, file: !2, line: 2, type: !14, isLocal: true, isDefinition: false, \
         virtuality: DW_VIRTUALITY_pure_virtual, isOptimized: true)\n\
         !19 = !{!20, !21}\n!20 = !DILocalVariable(name: \"v\", arg: 2, scope: !22, file: !2, line: 9, type: !15, flags: DIFlagArtificial, align: 64)\n\
         !21 = !DILabel(scope: !23, name: \"l\", file: !2, line: 10, column: 4, isArtificial: true, coroSuspendIdx: 1)\n\
         !22 = distinct !DILexicalBlock(scope: !10, file: !2, line: 9, column: 65535)\n\
         !23 = !DILexicalBlockFile(scope: !22, file: !2, discriminator: 4294967295)\n!24 = !{!15}\n\
         !25 = !DISubprogram(name: \"d\", scope: !15, type: !14, isDefinition: false, spFlags: 0)\n\
         !26 = !DIGlobalVariable(name: \"g\", scope: !13, file: !2)\n",
    );
    let f = &info.subprograms.iter().find(|f| f.line == 7).unwrap();
    assert_eq!((text(&info, f.name), text(&info, f.linkage_name), text(&info, f.target_name)), ("f", "_Z1f", "g"));
    assert_eq!((f.scope_line, f.virtual_index, f.this_adjustment), (8, 3, -8));
    assert_eq!(f.flags, di_flags::PROTOTYPED | 3 | di_flags::STATIC_MEMBER);
    let flags = di_subprogram_flags::LOCAL_TO_UNIT | di_subprogram_flags::DEFINITION | di_subprogram_flags::OPTIMIZED;
    assert_eq!(f.subprogram_flags, 1 | flags);
    assert!(f.unit.is_some() && f.containing_type.is_some() && f.thrown_types.len() == 1);
    assert!(matches!(f.template_parameters[..], [DiTemplateParameter::Type { ty: Some(_), default: true, .. }]));
    let declaration = &info.subprograms[f.declaration.unwrap().index()];
    let old = 2 | di_subprogram_flags::LOCAL_TO_UNIT | di_subprogram_flags::OPTIMIZED;
    assert_eq!((declaration.line, declaration.subprogram_flags), (2, old));
    assert_eq!(info.subprograms.iter().find(|f| text(&info, f.name) == "d").unwrap().subprogram_flags, 0);
    assert!(matches!(f.retained[..], [DiEntity::LocalVariable(_), DiEntity::Label(_)]));
    let ty = &info.types[f.ty.unwrap().index()];
    match &ty.kind {
        DiTypeKind::Subroutine(ty) => {
            assert!(matches!(ty.types[..], [None, Some(_), None]));
            assert_eq!(ty.convention, 0xb5);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(ty.flags, di_flags::LVALUE_REFERENCE);
    let scope = |scope: Option<DiScope>| match scope {
        Some(DiScope::Lexical(id)) => &info.scopes[id.index()],
        other => panic!("{other:?}"),
    };
    let namespace = scope(f.scope);
    assert_eq!(namespace.kind, DiLexicalScopeKind::Namespace { export_symbols: true });
    let module = scope(namespace.scope);
    assert!(matches!(module.kind, DiLexicalScopeKind::Module { declaration: true, .. }) && module.line == 3);
    let common = scope(module.scope);
    assert!(matches!(common.kind, DiLexicalScopeKind::CommonBlock { variable: Some(_) }) && common.line == 4);
    let v = &info.variables[0];
    assert_eq!((text(&info, v.name), v.argument, v.line, v.flags, v.align_bits), ("v", 2, 9, di_flags::ARTIFICIAL, 64));
    assert_eq!(scope(v.scope).kind, DiLexicalScopeKind::Block { column: 65535 });
    let l = &info.labels[0];
    assert_eq!((text(&info, l.name), l.line, l.column, l.artificial), ("l", 10, 4, true));
    assert_eq!(scope(l.scope).kind, DiLexicalScopeKind::BlockFile { discriminator: u32::MAX });
    // All that is reached is there, and nothing else.
    assert_eq!((info.subprograms.len(), info.types.len(), info.scopes.len()), (3, 2, 5));
}

#[test]
fn plain_and_derived_types() {
    let info = info(
        "!10 = !DICompositeType(tag: DW_TAG_structure_type, name: \"S\", scope: !2, elements: !{!11, !12, !13, !14, !15, !16, !17, !18, !19})\n\
         !11 = !DIBasicType(tag: DW_TAG_unspecified_type, name: \"nullptr\")\n\
         !12 = !DIBasicType(name: \"big\", size: 32, align: 16, encoding: DW_ATE_signed, num_extra_inhabitants: 3, dataSize: 8, flags: DIFlagBigEndian)\n\
         !13 = !DIDerivedType(tag: DW_TAG_member, name: \"bits\", scope: !10, file: !2, line: 3, baseType: !12, size: 3, align: 8, offset: 33, \
         flags: DIFlagBitField, extraData: i64 32)\n\
         !14 = !DIDerivedType(tag: DW_TAG_pointer_type, name: \"p\", baseType: null, size: 64, dwarfAddressSpace: 3)\n\
         !15 = !DIDerivedType(tag: DW_TAG_ptr_to_member_type, name: \"pm\", baseType: !12, size: 64, extraData: !10)\n\
         !16 = !DIDerivedType(tag: DW_TAG_template_alias, name: \"alias\", baseType: !12, extraData: !{!20})\n\
         !17 = !DIDerivedType(tag: DW_TAG_LLVM_ptrauth_type, baseType: !14, ptrAuthKey: 2, ptrAuthIsAddressDiscriminated: true, \
         ptrAuthExtraDiscriminator: 1234, ptrAuthIsaPointer: true, ptrAuthAuthenticatesNullValues: true)\n\
         !18 = !DIFixedPointType(name: \"fixed\", size: 16, encoding: DW_ATE_signed_fixed, kind: Rational, factor: 3, numerator: 1, denominator: 8)\n\
         !19 = !DISubrangeType(name: \"range\", file: !2, line: 5, baseType: !12, size: 32, align: 32, lowerBound: -3, upperBound: !21, stride: 2, bias: -4)\n\
         !20 = !DITemplateTypeParameter(name: \"T\", type: !12)\n!21 = !DIExpression(DW_OP_constu, 9)\n",
    );
    assert_eq!(named(&info, "nullptr").tag, 0x3b);
    let big = named(&info, "big");
    assert!(matches!(big.kind, DiTypeKind::Basic { encoding: 5 }));
    assert_eq!((big.tag, big.size_bits, big.align_bits, big.flags), (0x24, 32, 16, di_flags::BIG_ENDIAN));
    let derived = |name| match &named(&info, name).kind {
        DiTypeKind::Derived(derived) => derived,
        other => panic!("{other:?}"),
    };
    let bits = named(&info, "bits");
    assert_eq!((bits.size_bits, bits.offset_bits, bits.line, bits.flags), (3, 33, 3, di_flags::BIT_FIELD));
    assert_eq!(derived("bits").extra, Some(DiConstant { bits: 32, width: 64, float: false }));
    assert_eq!((derived("p").base, derived("p").address_space), (None, Some(3)));
    assert!(derived("pm").class.is_some());
    assert!(matches!(composite(named(&info, "alias")).template_parameters[..], [DiTemplateParameter::Type { .. }]));
    assert!(matches!(named(&info, "fixed").kind, DiTypeKind::Basic { encoding: 0x0d }));
    match &named(&info, "range").kind {
        DiTypeKind::Subrange(range) => {
            assert_eq!((&range.lower, &range.bias), (&Some(DiBound::Constant(-3)), &Some(DiBound::Constant(-4))));
            assert_eq!(range.upper, Some(DiBound::Expression(DiExpression([0x10, 9].into()))));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn composite_types() {
    let info = info(
        "!10 = !DICompositeType(tag: DW_TAG_structure_type, name: \"S\", elements: !{!11, !12, !13, !14, !15}, runtimeLang: DW_LANG_ObjC, \
         vtableHolder: !10, identifier: \"_ZTS1S\", flags: DIFlagTypePassByValue, num_extra_inhabitants: 1, annotations: !{})\n\
         !11 = !DICompositeType(tag: DW_TAG_enumeration_type, name: \"E\", baseType: !20, size: 128, flags: DIFlagEnumClass, \
         enumKind: DW_APPLE_ENUM_KIND_Closed, elements: !{!21, !22, !23})\n\
         !12 = !DICompositeType(tag: DW_TAG_array_type, name: \"A\", baseType: !20, size: 96, elements: !{!24, !25, !26}, bitStride: i64 3)\n\
         !13 = !DICompositeType(tag: DW_TAG_variant_part, name: \"V\", scope: !10, size: 96, elements: !{!27}, discriminator: !28)\n\
         !14 = !DICompositeType(tag: DW_TAG_array_type, name: \"F\", baseType: !20, elements: !{!29}, dataLocation: !DIExpression(DW_OP_push_object_address, DW_OP_deref), \
         associated: !30, allocated: !31, rank: 3, specification: !12)\n\
         !15 = !DIStringType(name: \"character\", stringLength: !30, stringLengthExpression: !DIExpression(), \
         stringLocationExpression: !DIExpression(DW_OP_deref), size: 32, encoding: DW_ATE_ASCII)\n\
         !20 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n\
         !21 = !DIEnumerator(name: \"least\", value: -170141183460469231731687303715884105728)\n\
         !22 = !DIEnumerator(name: \"most\", value: 340282366920938463463374607431768211455, isUnsigned: true)\n\
         !23 = !DIEnumerator(name: \"\", value: 0)\n\
         !24 = !DISubrange(count: -1)\n!25 = !DISubrange(count: !30, lowerBound: !31, upperBound: i64 -5, stride: !28)\n\
         !26 = !DISubrange(count: 3, lowerBound: 1)\n\
         !27 = !DIDerivedType(tag: DW_TAG_member, name: \"some\", scope: !13, baseType: !20, extraData: i128 1)\n\
         !28 = !DIDerivedType(tag: DW_TAG_member, name: \"which\", scope: !10, baseType: !20, flags: DIFlagArtificial)\n\
         !29 = !DIGenericSubrange(lowerBound: !DIExpression(DW_OP_push_object_address), upperBound: 4, stride: !31)\n\
         !30 = !DILocalVariable(name: \"n\", scope: !32, file: !2, flags: DIFlagArtificial)\n\
         !31 = !DIGlobalVariable(name: \"g\", scope: !0, file: !2, isLocal: true, isDefinition: true)\n\
         !32 = distinct !DISubprogram(name: \"f\", type: !33, unit: !0)\n!33 = !DISubroutineType(types: !{null})\n",
    );
    let s = composite(named(&info, "S"));
    assert_eq!((s.runtime_language, text(&info, s.identifier), s.elements.len()), (0x10, "_ZTS1S", 5));
    assert_eq!(s.vtable_holder.map(|id| text(&info, info.types[id.index()].name)), Some("S"));
    let e = &composite(named(&info, "E")).elements;
    let values = e.iter().map(|e| match e {
        DiElement::Enumerator(e) => (text(&info, e.name), e.value, e.unsigned),
        other => panic!("{other:?}"),
    });
    assert_eq!(values.collect::<Vec<_>>(), [("least", i128::MIN, false), ("most", -1, true), ("", 0, false)]);
    let subranges = |name| -> Vec<_> {
        let elements = composite(named(&info, name)).elements.iter();
        elements
            .map(|e| match e {
                DiElement::Subrange(subrange) => &**subrange,
                other => panic!("{other:?}"),
            })
            .collect()
    };
    let a = subranges("A");
    assert_eq!(a[0].count, Some(DiBound::Constant(-1)));
    assert!(matches!(a[1].count, Some(DiBound::LocalVariable(_))));
    assert!(matches!(a[1].lower, Some(DiBound::GlobalVariable(_))));
    assert!(matches!(a[1].stride, Some(DiBound::Member(_))));
    assert_eq!((&a[1].upper, &a[2].lower), (&Some(DiBound::Constant(-5)), &Some(DiBound::Constant(1))));
    assert_eq!(composite(named(&info, "A")).bit_stride, Some(DiBound::Constant(3)));
    let v = composite(named(&info, "V"));
    assert!(v.discriminator.is_some() && matches!(v.elements[..], [DiElement::Type(_)]));
    let f = composite(named(&info, "F"));
    assert_eq!(f.data_location, Some(DiBound::Expression(DiExpression([0x97, 6].into()))));
    assert!(matches!(f.associated, Some(DiBound::LocalVariable(_))) && f.specification.is_some());
    assert_eq!(f.rank, Some(DiBound::Constant(3)));
    assert!(subranges("F")[0].generic && subranges("F")[0].upper == Some(DiBound::Constant(4)));
    match &named(&info, "character").kind {
        DiTypeKind::String(string) => {
            assert!(matches!(string.length, Some(DiBound::LocalVariable(_))));
            assert_eq!((string.encoding, string.location.as_ref().unwrap().0.len()), (0x12, 1));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn template_arguments() {
    let info = info(
        "!10 = !DICompositeType(tag: DW_TAG_structure_type, name: \"S\", templateParams: !{!11, !12, !13, !14, !15, !16, !17, !18}, elements: !{})\n\
         !11 = !DITemplateTypeParameter(name: \"T\", type: null)\n\
         !12 = !DITemplateValueParameter(name: \"N\", type: !20, defaulted: true, value: i32 -3)\n\
         !13 = !DITemplateValueParameter(name: \"F\", type: !20, value: ptr @f)\n\
         !14 = !DITemplateValueParameter(name: \"D\", type: !20, value: double 1.500000e+00)\n\
         !15 = !DITemplateValueParameter(name: \"B\", type: !20, value: i1 true)\n\
         !16 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_template_param, name: \"TT\", value: !\"std::list\")\n\
         !17 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_parameter_pack, name: \"P\", value: !{!11, !12})\n\
         !18 = !DITemplateValueParameter(name: \"X\", value: ptr getelementptr (i8, ptr @f, i64 4))\n\
         !20 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n@f = external global i8\n",
    );
    let parameters = &composite(named(&info, "S")).template_parameters;
    let values: Vec<_> = parameters
        .iter()
        .map(|parameter| match parameter {
            DiTemplateParameter::Value { value, .. } => value.map(|value| (value.bits, value.width, value.float)),
            DiTemplateParameter::Pack { arguments, .. } => Some((arguments.len() as u128, 0, false)),
            DiTemplateParameter::Template { template, .. } => Some((text(&info, *template).len() as u128, 1, false)),
            DiTemplateParameter::Type { .. } => None,
        })
        .collect();
    let number = |bits, width| Some((bits, width, false));
    let float = Some((1.5f64.to_bits().into(), 64, true));
    assert_eq!(values, [None, number(0xffff_fffd, 32), None, float, number(1, 1), number(9, 1), number(2, 0), None]);
}

#[test]
fn globals_and_imports() {
    let source = "@a = global i32 0, !dbg !5\n@b.0 = internal global i32 0, align 4, !dbg !7, !dbg !8\n\
         @b.1 = external global i32, !dbg !9\n\
         define void @f() !dbg !20 {\n  ret void\n}\ndeclare !dbg !21 void @g()\n\
         !llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1}\n!1 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug, globals: !3, imports: !15, enums: !{!19})\n\
         !2 = !DIFile(filename: \"f.c\", directory: \"/d\")\n!3 = !{!5, !10, !11, !12}\n\
         !5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())\n\
         !6 = distinct !DIGlobalVariable(name: \"a\", linkageName: \"_a\", scope: !0, file: !2, line: 1, type: !19, isLocal: false, isDefinition: true, align: 32, templateParams: !{}, annotations: !{})\n\
         !7 = !DIGlobalVariableExpression(var: !13, expr: !DIExpression(DW_OP_LLVM_fragment, 0, 32))\n\
         !8 = !DIGlobalVariableExpression(var: !14, expr: !DIExpression(DW_OP_plus_uconst, 4))\n\
         !9 = !DIGlobalVariableExpression(var: !13, expr: !DIExpression(DW_OP_LLVM_fragment, 32, 32))\n\
         !10 = !DIGlobalVariableExpression(var: !13, expr: !DIExpression())\n\
         !11 = !DIGlobalVariableExpression(var: !14, expr: !DIExpression())\n\
         !12 = !DIGlobalVariableExpression(var: !18, expr: !DIExpression(DW_OP_constu, 42, DW_OP_stack_value))\n\
         !13 = distinct !DIGlobalVariable(name: \"b\", scope: !0, file: !2)\n\
         !14 = distinct !DIGlobalVariable(name: \"c\", scope: !0, file: !2, declaration: !17)\n\
         !15 = !{!16}\n\
         !16 = !DIImportedEntity(tag: DW_TAG_imported_module, scope: !0, entity: !22, file: !2, line: 4, name: \"as\", elements: !{!23})\n\
         !17 = !DIDerivedType(tag: DW_TAG_variable, name: \"c\", baseType: !19, flags: DIFlagStaticMember)\n\
         !18 = distinct !DIGlobalVariable(name: \"k\", scope: !0, file: !2)\n!19 = !DICompositeType(tag: DW_TAG_enumeration_type)\n\
         !20 = distinct !DISubprogram(name: \"f\", type: !25, unit: !0)\n!21 = !DISubprogram(name: \"g\", type: !25, spFlags: 0)\n\
         !22 = !DINamespace(name: \"n\", scope: null)\n\
         !23 = !DIImportedEntity(tag: DW_TAG_imported_declaration, scope: !22, entity: !6)\n!25 = !DISubroutineType(types: !{})\n";
    let parsed = parsed(source);
    let uses = &parsed.debug_info_uses();
    let symbol = |name: &str| parsed.module.symbols.iter().position(|s| s.name == name).unwrap() as u32;
    let variables: Vec<_> = uses.variables.iter().map(|v| (v.0.0, v.1)).collect();
    assert_eq!(variables, [(symbol("a"), 5), (symbol("b.0"), 7), (symbol("b.0"), 8), (symbol("b.1"), 9)]);
    let functions: Vec<_> = uses.functions.iter().map(|f| (f.0.0, f.1)).collect();
    assert_eq!(functions, [(symbol("f"), 20), (symbol("g"), 21)]);
    assert_eq!(uses.functions.iter().map(|f| uses.subprogram(f.0)).collect::<Vec<_>>(), [Some(20), Some(21)]);

    let mut reader = parsed.debug_info_reader().unwrap();
    assert!(reader.info().subprograms.is_empty());
    assert!(reader.subprogram(20).unwrap() < reader.subprogram(21).unwrap());
    let (info, notes) = reader.finish().unwrap();
    assert_eq!(notes, DebugInfoNotes::default());
    let unit = &info.units[0];
    let globals: Vec<_> = (unit.globals.iter())
        .map(|g| (text(&info, info.globals[g.variable.index()].name), g.symbol.map(|s| s.0), &g.expression.0[..]))
        .collect();
    let fragment = |offset| [0x1000, offset, 32];
    assert_eq!(
        globals,
        [
            ("a", Some(symbol("a")), &[][..]),
            ("b", Some(symbol("b.0")), &fragment(0)[..]),
            ("b", Some(symbol("b.1")), &fragment(32)[..]),
            ("c", Some(symbol("b.0")), &[0x23, 4][..]),
            ("k", None, &[0x10, 42, 0x9f][..]),
        ]
    );
    let a = &info.globals[unit.globals[0].variable.index()];
    assert_eq!((text(&info, a.linkage_name), a.line, a.align_bits, a.definition, a.local), ("_a", 1, 32, true, false));
    assert!(info.globals.iter().any(|g| g.declaration.is_some() && g.definition));
    let import = &info.imported[unit.imported[0].index()];
    assert_eq!((import.tag, import.line, text(&info, import.name), import.elements.len()), (0x3a, 4, "as", 1));
    assert!(matches!(import.entity, Some(DiEntity::Scope(DiScope::Lexical(_)))));
    assert!(matches!(info.imported[import.elements[0].index()].entity, Some(DiEntity::GlobalVariable(_))));
    assert_eq!(unit.enums.len(), 1);
}

#[test]
fn locations() {
    let source = module(
        "!10 = distinct !DISubprogram(name: \"f\", type: !11, unit: !0)\n!11 = !DISubroutineType(types: !{})\n\
         !12 = !DILocation(line: 1, column: 2, scope: !10)\n\
         !13 = distinct !DILocation(line: 3, scope: !14, inlinedAt: !12)\n\
         !14 = !DILexicalBlock(scope: !10)\n\
         !15 = !DILocation(scope: !14, column: 5, inlinedAt: !13, isImplicitCode: true, line: 4294967295, atomGroup: 1, atomRank: 2)\n\
         !16 = !DILocation ( line : 6 , column: 7,\n scope: !10 ; here\n )\n\
         !17 = !{!\"in place\", !DILocation(line: 8, scope: !DILexicalBlock(scope: !10), inlinedAt: !DILocation(line: 9, scope: !10))}\n",
    );
    let in_place = source.find("!DILocation(line: 8").unwrap() as u32 | IN_PLACE;
    let mut ids = Vec::new();
    let (info, notes) = read_with(&source, |reader| {
        for node in [15, 16, 13, 12, in_place, in_place] {
            ids.push(reader.location(node).unwrap().unwrap());
        }
    })
    .unwrap();
    assert_eq!(notes, DebugInfoNotes::default());
    assert_eq!(ids[4], ids[5]);
    let places: Vec<_> = ids.iter().map(|id| &info.locations[id.index()]).collect();
    assert_eq!(places.iter().map(|l| l.line).collect::<Vec<_>>(), [u32::MAX, 6, 3, 1, 8, 8]);
    assert_eq!(places.iter().map(|l| l.column).collect::<Vec<_>>(), [5, 7, 0, 2, 0, 0]);
    assert_eq!((places[0].inlined_at, places[2].inlined_at), (Some(ids[2]), Some(ids[3])));
    assert!(
        matches!(places[0].scope, Some(DiScope::Lexical(_))) && matches!(places[1].scope, Some(DiScope::Subprogram(_)))
    );
    assert_eq!(info.locations[places[4].inlined_at.unwrap().index()].line, 9);
    assert!(matches!(places[4].scope, Some(DiScope::Lexical(_))));
    assert_eq!(info.locations.len(), 6);
}

#[test]
fn expressions() {
    let source = module(
        "!10 = !DIBasicType()\n!11 = !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_convert, 32, DW_ATE_signed, DW_OP_LLVM_entry_value, 1, \
         DW_OP_LLVM_implicit_pointer, DW_OP_LLVM_extract_bits_sext, 1, 2, DW_OP_LLVM_extract_bits_zext, 3, 4, DW_OP_LLVM_tag_offset, 5, \
         DW_OP_consts, 18446744073709551615, DW_OP_breg7, 8, DW_OP_regx, 9, DW_OP_deref_size, 4, 34, DW_OP_stack_value, \
         DW_OP_LLVM_fragment, 0, 8)\n!12 = !DIExpression(DW_OP_deref, DW_OP_plus_uconst, 8)\n!13 = !DIExpression(DW_OP_addr, 0)\n\
         !14 = !DIExpression(DW_OP_plus_uconst)\n!15 = !DIExpression(DW_OP_LLVM_fragment, 0, 8, DW_OP_deref)\n",
    );
    let mut valid = Vec::new();
    let (_, notes) = read_with(&source, |reader| {
        valid.extend((11..16).map(|node| reader.expression(node).unwrap().map(|e| e.0.to_vec())));
    })
    .unwrap();
    #[rustfmt::skip]
    let long = vec![
        0x1005, 0, 0x1001, 32, 5, 0x1003, 1, 0x1004, 0x1006, 1, 2, 0x1007, 3, 4, 0x1002, 5, 0x11, u64::MAX, 0x77, 8, 0x90, 9, 0x94, 4,
        34, 0x9f, 0x1000, 0, 8,
    ];
    // LLVM's parser does not rewrite `DW_OP_deref` at the start.
    assert_eq!(valid, [Some(long), Some(vec![6, 0x23, 8]), None, None, None]);
    assert!(notes.notes.iter().all(|note| note.reason == "the expression is not valid"), "{notes:?}");
}

/// Nodes that do not exist: referenced by one that is read, in place in it, by a location, and by one that is not read.
#[test]
fn missing_nodes() {
    for (nodes, line) in [
        ("!10 = !DIBasicType(scope: !11)", 7),
        ("!10 = !DISubroutineType(types: !{null, !11})", 7),
        ("!10 = !DIBasicType()\n!11 = !DILocation(line: 1, scope: !12)", 8),
        ("!10 = !DIBasicType()\n!11 = !{!\"a\", !12}", 8),
        ("!10 = !DIBasicType()\n!20 = !{!10}\n!30 = !DILocation(line: 1, scope: !12)", 9),
        (
            "!10 = !DIBasicType(scope: !30)\n!20 = !{!10}\n!30 = !DIFile(filename: \"\", directory: \"\")\n!40 = !{!22}",
            10,
        ),
    ] {
        // Locations are checked before anything is read.
        let text = module(nodes);
        let error = match read_module(text.as_bytes(), "t.ll", &AbiTarget::X86_64_LINUX) {
            Ok(_) => read(nodes).unwrap_err(),
            Err(error) => error,
        };
        assert_eq!((error.line(), error.message().ends_with("is not defined")), (line, true), "{nodes}: {error}");
    }
}

/// Nodes that LLVM's parser refuses, with a part of the message.
#[test]
fn refused() {
    let mut wrong = Vec::new();
    for (node, part) in [
        ("!DIBasicType(nam: \"x\")", "`DIBasicType` has no field `nam`"),
        ("!DIBasicType(size: 1, size: 2)", "the field `size` is given twice"),
        ("!DIBasicType(name: 1)", "the field `name` must be a string"),
        ("!DIBasicType(size: \"x\")", "the field `size` must be a number of 64 bits"),
        ("!DIBasicType(size: -1)", "the field `size` must be a number of 64 bits"),
        ("!DIBasicType(size: 18446744073709551616)", "the field `size` must be a number of 64 bits"),
        ("!DIBasicType(size: 340282366920938463463374607431768211456)", "does not fit 128 bits"),
        ("!DIBasicType(line: 4294967296)", "the field `line` must be a number of 32 bits"),
        ("!DIBasicType(encoding: DW_ATE_nothing)", "the field `encoding` must be an encoding of DWARF"),
        ("!DIBasicType(tag: DW_TAG_nothing)", "the field `tag` must be a tag of DWARF"),
        ("!DIBasicType(flags: DIFlagNothing)", "the field `flags` must be flags of debug information"),
        ("!DIBasicType(flags: DIFlagPublic | )", "expected a name"),
        ("!DIBasicType(\"x\")", "a field has no name"),
        ("!DIBasicType(name: \"x\" size: 1)", "expected `)`"),
        ("!DIBasicType(name: )", "expected a field of metadata"),
        ("!DIBasicType(name: \"x\"", "expected `)`"),
        ("!DIDerivedType(tag: DW_TAG_member)", "`DIDerivedType` lacks the field `baseType`"),
        ("!DICompositeType(elements: !{})", "`DICompositeType` lacks the field `tag`"),
        ("!DICompositeType(tag: DW_TAG_array_type, elements: 3)", "the field `elements` must be metadata"),
        ("!DISubroutineType(flags: 0)", "`DISubroutineType` lacks the field `types`"),
        ("distinct !DISubprogram(isLocal: 1)", "the field `isLocal` must be `true` or `false`"),
        ("distinct !DISubprogram(thisAdjustment: 2147483648)", "must be a signed number of 32 bits"),
        ("distinct !DISubprogram(spFlags: DIFlagPublic)", "the field `spFlags` must be flags of a subprogram"),
        ("distinct !DISubprogram(virtuality: DW_VIRTUALITY_nothing)", "must be a virtuality of DWARF"),
    ] {
        match read(&format!("!10 = {node}")) {
            Ok(_) => wrong.push(format!("accepted: {node}")),
            Err(e) if !e.message().contains(part) => wrong.push(format!("`{}` lacks `{part}`: {node}", e.message())),
            Err(e) => assert!(matches!(e.line(), 7 | 8), "{node}"),
        }
    }
    for (node, part) in [
        ("!DIFile(filename: \"x\")", "`DIFile` lacks the field `directory`"),
        ("!DIFile(filename: \"x\", directory: \"\", checksum: \"00\")", "must be given together"),
        (
            "!DIFile(filename: \"x\", directory: \"\", checksumkind: CSK_X, checksum: \"0\")",
            "must be a kind of checksum",
        ),
        ("!DILexicalBlock(line: 1)", "`DILexicalBlock` lacks the field `scope`"),
        ("!DILexicalBlock(scope: !2, column: 65536)", "the field `column` must be a number of 16 bits"),
        ("!DINamespace(name: \"x\")", "`DINamespace` lacks the field `scope`"),
    ] {
        match read(&format!("!10 = !DIBasicType(scope: !11)\n!11 = {node}")) {
            Ok(_) => wrong.push(format!("accepted: {node}")),
            Err(e) if !e.message().contains(part) => wrong.push(format!("`{}` lacks `{part}`: {node}", e.message())),
            Err(_) => {}
        }
    }
    for (node, part) in [
        ("!DILocation(line: 1)", "`DILocation` lacks the field `scope`"),
        ("!DILocation(line: 1, scope: null)", "cannot be `null`"),
        ("!DILocation(line: 1, column: 65536, scope: !0)", "the field `column` must be a number of 16 bits"),
    ] {
        let text = module(&format!("!10 = !DIBasicType()\n!11 = {node}"));
        let parsed = parsed(&text);
        match parsed.debug_info_reader().unwrap().location(11) {
            Ok(_) => wrong.push(format!("accepted: {node}")),
            Err(e) if !e.reason().contains(part) => wrong.push(format!("`{}` lacks `{part}`: {node}", e.reason())),
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Nodes that LLVM's parser takes and its verifier does not: they are left out with a note.
#[test]
fn damaged() {
    let mut wrong = Vec::new();
    for (nodes, part) in [
        ("!10 = !{}", "what a unit retains"),
        ("!10 = !\"x\"", "what a unit retains"),
        ("!10 = !{i32 1}", "what a unit retains"),
        ("!10 = !DIBasicType(scope: !{})", "`scope` must refer to a scope"),
        ("!10 = !DIBasicType(scope: !\"x\")", "`scope` must refer to a scope"),
        ("!10 = !DIBasicType(file: !0)", "`file` must refer to a file"),
        ("!10 = !DIBasicType(size: !DIExpression())", "a size or place that the program computes"),
        ("!10 = !DIDerivedType(tag: DW_TAG_member, baseType: !2)", "this must refer to a type"),
        ("!10 = !DIDerivedType(tag: DW_TAG_member, baseType: null, extraData: !2)", "`extraData` does not fit"),
        ("!10 = !DICompositeType(tag: DW_TAG_array_type, elements: !10)", "this must refer to a list"),
        ("!10 = !DICompositeType(tag: DW_TAG_array_type, elements: !{!2})", "cannot be an element of a type"),
        ("!10 = !DICompositeType(tag: DW_TAG_array_type, elements: !{i32 1})", "elements of this list must be nodes"),
        ("!10 = !DICompositeType(tag: DW_TAG_array_type, dataLocation: !2)", "a variable, a member or an expression"),
        ("!10 = !DICompositeType(tag: DW_TAG_array_type, rank: !DIExpression(1))", "the expression is not valid"),
        ("!10 = !DICompositeType(tag: DW_TAG_union_type, templateParams: !{!10})", "must refer to a parameter"),
        (
            "!10 = !DICompositeType(tag: DW_TAG_union_type, templateParams: !11)\n\
             !11 = !{!12}\n!12 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_parameter_pack, value: !11)",
            "cannot be an argument of a template",
        ),
        ("!10 = distinct !DISubprogram(unit: !2)", "`unit` must refer to a compile unit"),
        ("!10 = distinct !DISubprogram(declaration: !2)", "`declaration` must refer to a subprogram"),
        ("!10 = distinct !DISubprogram(retainedNodes: !{!DIExpression()})", "what a function retains"),
        (
            "!10 = distinct !DISubprogram(file: !DIFile(filename: \"\", directory: \"\", checksumkind: CSK_MD5, checksum: \"00\"))",
            "the checksum",
        ),
        ("!10 = !DIBasicType(scope: !DICommonBlock(scope: null, declaration: !2))", "a common block"),
        ("!10 = !DIBasicType(scope: !DIUnknown(x: 1))", "`scope` must refer to a scope"),
        ("!10 = !DIBasicType(scope: !10)", "lead to themselves"),
        (
            "!10 = !DIDerivedType(tag: DW_TAG_typedef, baseType: !11)\n!11 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !10)",
            "lead to themselves",
        ),
    ] {
        match read(nodes) {
            Err(e) => wrong.push(format!("refused: {nodes}: {e}")),
            Ok((_, notes)) if !notes.notes.iter().any(|note| note.reason.contains(part)) => {
                wrong.push(format!("{notes:?} lacks `{part}`: {nodes}"));
            }
            Ok(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Only the first are kept.
    let bad = "!DIBasicType(file: !0), ".repeat(100);
    let (_, notes) = read(&format!("!10 = !DICompositeType(tag: DW_TAG_union_type, elements: !{{{bad} !0}})")).unwrap();
    assert_eq!((notes.notes.len(), notes.more), (20, 81));
    // What is not asked for is not read.
    assert_eq!(info("!10 = !DIBasicType()\n!11 = !DIDerivedType(nothing: 1)").types.len(), 1);
}

/// Wrong requests are notes, too.
#[test]
fn wrong_requests() {
    let source = module("!10 = !DIBasicType()\n!11 = !{}\n");
    let (_, notes) = read_with(&source, |reader| {
        for node in [0, 2, 10, 11, 12, 4_000_000, u32::MAX, IN_PLACE, IN_PLACE | 20] {
            if node != 0 {
                assert_eq!(reader.compile_unit(node).unwrap(), None);
            }
            assert_eq!(reader.location(node).unwrap(), None);
            assert_eq!(reader.subprogram(node).unwrap(), None);
            assert_eq!(reader.local_variable(node).unwrap(), None);
            assert_eq!(reader.label(node).unwrap(), None);
            assert_eq!(reader.expression(node).unwrap(), None);
        }
    })
    .unwrap();
    assert_eq!(notes.notes.len() + notes.more, 9 * 5 + 8);
}

/// Deep, cyclic and shared nodes take linear time and no stack.
#[test]
fn sizes() {
    const MANY: u32 = 20_000;
    // Each block is in the next, each location is inlined at the next, each pointer points to the next; the last lead to the first.
    let mut nodes = String::from(
        "!10 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13)\n!11 = !DILexicalBlock(scope: !14)\n",
    );
    nodes += "!12 = distinct !DILocation(line: 1, scope: !11, inlinedAt: !15)\n";
    for n in 1..MANY {
        let at = 10 + 3 * n;
        let [ty, scope, location] = [0, 1, 2].map(|k| if n + 1 == MANY { 10 + k } else { at + 3 + k });
        nodes += &format!(
            "!{at} = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !{ty}, scope: !{})\n!{} = !DILexicalBlock(scope: !{scope})\n\
             !{} = distinct !DILocation(line: 1, scope: !{}, inlinedAt: !{location})\n",
            at + 1,
            at + 1,
            at + 2,
            at + 1
        );
    }
    let source = module(&nodes);
    let (info, notes) = read_with(&source, |reader| assert!(reader.location(12).unwrap().is_some())).unwrap();
    assert_eq!((info.types.len(), info.scopes.len()), (MANY as usize, MANY as usize));
    assert_eq!(notes.notes.len(), 1);
    assert_eq!(info.locations.iter().filter(|location| location.inlined_at.is_none()).count(), 1);
    assert_eq!(info.scopes.iter().filter(|scope| scope.scope.is_none()).count(), 1);

    // Many functions share a list of many.
    let functions: Vec<_> = (0..1500).map(|n| format!("!{}", n + 20)).collect();
    let mut nodes =
        format!("!10 = !DICompositeType(tag: DW_TAG_union_type, elements: !11)\n!11 = !{{{}}}\n", functions.join(", "));
    for function in functions {
        nodes += &format!("{function} = !DISubprogram(retainedNodes: !11, spFlags: 0)\n");
    }
    let (info, notes) = read(&nodes).unwrap();
    assert!(info.subprograms.iter().map(|f| f.retained.len()).sum::<usize>() < 500_000);
    assert!(notes.notes.iter().any(|note| note.reason.contains("shared by too many")));

    // Numbers with gaps.
    let (info, notes) =
        read("!10 = !DIBasicType(scope: !1000000000)\n!1000000000 = !DINamespace(scope: null)").unwrap();
    assert_eq!((info.scopes.len(), notes.notes.len()), (1, 0));
}
