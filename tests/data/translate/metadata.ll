; Metadata of every shape, and what it is attached to.
source_filename = "metadata.c"
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.dbg.value(metadata, metadata, metadata)
declare i1 @llvm.type.test(ptr, metadata)

define i32 @f(i32 %x, ptr %p) !dbg !7 !prof !{!"function_entry_count", i64 10} {
entry:
  %a = alloca i32, align 4, !DIAssignID !20, !dbg !12
    #dbg_declare(ptr %a, !10, !DIExpression(), !12)
    #dbg_value(i32 %x, !11, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_LLVM_convert, 16, DW_ATE_signed, DW_OP_stack_value), !12)
    #dbg_value(!DIArgList(i32 %x, i32 %later, ptr @f), !11, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus), !12)
    #dbg_value(i32 poison, !11, !DIExpression(), !12)
    #dbg_assign(i32 undef, !10, !DIExpression(), !20, ptr %a, !DIExpression(), !12)
    #dbg_label(!13, !24)
  %later = add i32 %x, 1, !dbg !14
  %l = load i32, ptr %p, align 4, !tbaa !15, !range !{i32 0, i32 10}, !noundef !2, !alias.scope !18
  store i32 %later, ptr %p, align 4, !noalias !18, !tbaa !15, !dbg !DILocation(line: 9, column: 1, scope: !7)
  %t = call i1 @llvm.type.test(ptr %p, metadata !"typeid"), !srcloc !{i64 5}
  br i1 %t, label %loop, label %out, !prof !19

loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ], !dbg !14
  %n = add i32 %i, 1
  %c = icmp eq i32 %n, %l
  br i1 %c, label %out, label %loop, !llvm.loop !21

out:
  ret i32 0, !odd\20kind !2
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}
!llvm.ident = !{!34}
!34 = !{!"inline"}
!empty = !{}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "p \22q\22", isOptimized: true, flags: "-O1", runtimeVersion: 0, emissionKind: FullDebug, enums: !2, retainedTypes: !2, globals: !2, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "f.c", directory: "/d", source: "int\0A")
!2 = !{}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !DISubroutineType(cc: DW_CC_nocall, types: !37)
!7 = distinct !DISubprogram(name: "f", linkageName: "_f", scope: !1, file: !1, line: 1, type: !6, scopeLine: 2, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, templateParams: !35, retainedNodes: !36)
!8 = !DITemplateTypeParameter(name: "T", type: !5, defaulted: true)
!9 = !DITemplateValueParameter(name: "V", type: !5, value: i32 7)
!10 = !DILocalVariable(name: "a", scope: !7, file: !1, line: 3, type: !22)
!11 = !DILocalVariable(name: "x", arg: 1, scope: !7, file: !1, line: 1, type: !5, flags: DIFlagArtificial, align: 32)
!12 = !DILocation(line: 3, column: 7, scope: !7)
!13 = !DILabel(scope: !7, name: "here", file: !1, line: 4)
!14 = !DILocation(line: 4, scope: !23, inlinedAt: !24, isImplicitCode: true)
!15 = !{!16, !16, i64 0}
!16 = !{!"int", !17, i64 0}
!17 = !{!"char"}
!18 = !{!25}
!19 = !{!"branch_weights", i32 1, i32 2147483647}
!20 = distinct !DIAssignID()
!21 = distinct !{!21, !39, null}
!22 = !DICompositeType(tag: DW_TAG_array_type, baseType: !5, size: 64, elements: !38)
!23 = distinct !DILexicalBlock(scope: !7, file: !1, line: 4, column: 2)
!24 = distinct !DILocation(line: 8, column: 1, scope: !7)
!25 = distinct !{!25, !29, !"scope"}
!26 = !DISubrange(count: 2, lowerBound: -1)
!27 = !DISubrange(count: !11)
!28 = !DIEnumerator(name: "big", value: 18446744073709551615, isUnsigned: true)
!29 = distinct !{!29, !"domain"}
!30 = !GenericDINode(tag: DW_TAG_member, header: "h\00x", operands: {!2, null, !16})
!31 = !{float 1.0, ptr @f, <2 x i8> <i8 1, i8 2>, !"\00\FF", !DIExpression(), { i32, ptr } zeroinitializer, i1 true}
!32 = !DIDerivedType(tag: DW_TAG_member, name: "m", baseType: !5, flags: DIFlagStaticMember, extraData: i32 3)
!named = !{!30, !31, !32, !33}
!33 = !DIObjCProperty(name: "p", setter: "s", attributes: 12)
!35 = !{!8, !9}
!36 = !{!10, !11}
!37 = !{!5, null, !5}
!38 = !{!26, !27}
!39 = !{!"llvm.loop.mustprogress"}
