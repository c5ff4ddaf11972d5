; Forms of debug information that clang does not write by itself any more, or seldom.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@two = global i32 1, !dbg !30, !dbg !32

declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.label(metadata)
declare !dbg !40 void @outside(i32)

; Calls in place of records, a fragment, a constant, an undefined value, what was inlined twice.
define i32 @calls(i32 %x, ptr %p) !dbg !5 {
  call void @llvm.dbg.declare(metadata ptr %p, metadata !10, metadata !DIExpression(DW_OP_deref)), !dbg !15
  call void @llvm.dbg.value(metadata i32 %x, metadata !11, metadata !DIExpression(DW_OP_LLVM_fragment, 0, 16)), !dbg !15
  call void @llvm.dbg.value(metadata i32 7, metadata !11, metadata !DIExpression(DW_OP_plus_uconst, 3, DW_OP_stack_value)), !dbg !16
  call void @llvm.dbg.value(metadata i32 undef, metadata !11, metadata !DIExpression()), !dbg !16
  call void @llvm.dbg.label(metadata !13), !dbg !15
  %y = add i32 %x, 1, !dbg !18
  call void @llvm.dbg.value(metadata i32 %y, metadata !11, metadata !DIExpression(DW_OP_LLVM_convert, 32, DW_ATE_signed, DW_OP_LLVM_convert, 64, DW_ATE_signed, DW_OP_stack_value)), !dbg !15
  %z = mul i32 %y, %y
  ret i32 %z, !dbg !15
}

; Loops, the second of which was inlined.
define void @loops(i1 %c) !dbg !85 {
  br label %a, !dbg !86
a:
  br i1 %c, label %a, label %b, !dbg !86, !llvm.loop !80
b:
  br i1 %c, label %b, label %e, !dbg !86, !llvm.loop !81
e:
  ret void, !dbg !86
}

; Without a subprogram of its own.
define i32 @bare(i32 %x) {
  %y = add i32 %x, 1, !dbg !18
  %z = mul i32 %y, 3
  ret i32 %z
}

; Records whose values are not defined on every way to them, and those of which MLIR 19 has no operation.
define i32 @ways(i1 %c, i32 %x) !dbg !50 {
  br i1 %c, label %a, label %b, !dbg !52
a:
  %y = add i32 %x, 1, !dbg !52
  br label %b, !dbg !52
b:
  %v = phi i32 [ 0, %0 ], [ 5, %a ], !dbg !52
  call void @llvm.dbg.value(metadata i32 %y, metadata !51, metadata !DIExpression()), !dbg !52
  call void @llvm.dbg.value(metadata i32 %v, metadata !51, metadata !DIExpression()), !dbg !52
  ret i32 %v, !dbg !52
}

define i32 @dropped(i32 %x, ptr %p) !dbg !60 {
  call void @llvm.dbg.value(metadata !DIArgList(i32 %x, ptr %p), metadata !61, metadata !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus)), !dbg !62
  call void @llvm.dbg.value(metadata !{}, metadata !61, metadata !DIExpression()), !dbg !62
  ret i32 %x, !dbg !62
}

!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!llvm.ident = !{!9}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, producer: "hand \22quoted\22", emissionKind: LineTablesOnly, nameTableKind: GNU, globals: !{!30, !32, !70})
!2 = !DIFile(filename: "forms \C3\A9.c", directory: "/source")
!3 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!4 = !DISubroutineType(types: !{null, !3, null})
!5 = distinct !DISubprogram(name: "calls", scope: !2, file: !2, line: 3, type: !4, isLocal: true, isDefinition: true, isOptimized: true, unit: !1)
!6 = !DIBasicType(tag: DW_TAG_unspecified_type, name: "decltype(nullptr)")
!7 = !DINamespace(name: "space", scope: !8, exportSymbols: true)
!8 = !DIModule(scope: null, name: "module", configMacros: "-D", includePath: "/include")
!9 = !{!"producer"}
!10 = !DILocalVariable(name: "p", arg: 2, scope: !5, file: !2, line: 4, type: !20, align: 64)
!11 = !DILocalVariable(name: "x", arg: 1, scope: !12, type: !23)
!12 = distinct !DILexicalBlock(scope: !14, file: !2, line: 5, column: 9)
!13 = !DILabel(scope: !5, name: "there", file: !2, line: 8)
!14 = !DILexicalBlockFile(scope: !5, file: !2, discriminator: 2)
!15 = !DILocation(line: 4, column: 3, scope: !5)
!16 = !DILocation(line: 5, column: 3, scope: !12)
!17 = distinct !DISubprogram(name: "inner", linkageName: "_inner", scope: !7, file: !2, line: 9, type: !4, spFlags: DISPFlagDefinition | DISPFlagPure, unit: !1)
!18 = !DILocation(line: 10, column: 3, scope: !17, inlinedAt: !19)
!19 = distinct !DILocation(line: 11, column: 3, scope: !17, inlinedAt: !16)
!20 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !21, size: 64, dwarfAddressSpace: 1)
; Types that lead to each other through a subprogram and a member's type.
!21 = distinct !DICompositeType(tag: DW_TAG_class_type, name: "A", scope: !22, file: !2, line: 1, size: 64, align: 32, flags: DIFlagTypePassByReference | DIFlagNonTrivial, elements: !{!24, !25})
!22 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "B", scope: !7, file: !2, line: 1, size: 64, elements: !{!26})
!23 = !DIDerivedType(tag: DW_TAG_typedef, name: "t", baseType: !6)
!24 = !DIDerivedType(tag: DW_TAG_member, name: "b", scope: !21, baseType: !27, size: 64, offset: 8)
!25 = !DISubprogram(name: "f", linkageName: "_f", scope: !21, file: !2, line: 2, type: !28, scopeLine: 2, spFlags: DISPFlagPureVirtual)
!26 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !22, baseType: !20, size: 64)
!27 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !22, size: 64)
!28 = !DISubroutineType(types: !{!27, !20})
!30 = !DIGlobalVariableExpression(var: !31, expr: !DIExpression(DW_OP_plus_uconst, 4, DW_OP_deref))
!31 = distinct !DIGlobalVariable(name: "two", scope: !1, file: !2, line: 12, type: !34, isLocal: false, isDefinition: true, align: 32)
!32 = !DIGlobalVariableExpression(var: !33, expr: !DIExpression())
!33 = distinct !DIGlobalVariable(name: "other", scope: !1, file: !2, type: !3, isLocal: true, isDefinition: false)
!34 = !DICompositeType(tag: DW_TAG_array_type, baseType: !3, size: 640, elements: !{!35, !36})
!35 = !DISubrange(count: 5, lowerBound: -2)
!36 = !DISubrange(lowerBound: 1, upperBound: !DIExpression(DW_OP_push_object_address, DW_OP_plus_uconst, 8, DW_OP_deref), stride: 4)
!40 = !DISubprogram(name: "outside", scope: !2, file: !2, line: 20, type: !4, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!50 = distinct !DISubprogram(name: "ways", scope: !2, file: !2, line: 21, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!51 = !DILocalVariable(name: "v", scope: !50, file: !2, line: 22, type: !3)
!52 = !DILocation(line: 22, column: 1, scope: !50)
!60 = distinct !DISubprogram(name: "dropped", scope: !2, file: !2, line: 31, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!61 = !DILocalVariable(name: "v", scope: !60, file: !2, line: 32, type: !3)
!62 = !DILocation(line: 32, column: 1, scope: !60)
; A variable that is a constant alone.
!70 = !DIGlobalVariableExpression(var: !71, expr: !DIExpression(DW_OP_constu, 3, DW_OP_stack_value))
!71 = distinct !DIGlobalVariable(name: "three", scope: !1, file: !2, type: !3, isLocal: true, isDefinition: true)
!80 = distinct !{!80, !86, !87, !82}
!81 = distinct !{!81, !88, !88, !82}
!82 = !{!"llvm.loop.mustprogress"}
!85 = distinct !DISubprogram(name: "loops", scope: !2, file: !2, line: 40, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!86 = !DILocation(line: 41, column: 1, scope: !85)
!87 = !DILocation(line: 43, column: 1, scope: !85)
!88 = !DILocation(line: 10, column: 5, scope: !17, inlinedAt: !86)
