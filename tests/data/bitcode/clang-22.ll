; ModuleID = 'clang-22.bc'
source_filename = "versions.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.big = type { [20 x i32] }

@__const.chosen.where = private unnamed_addr constant [2 x ptr] [ptr blockaddress(@chosen, %6), ptr blockaddress(@chosen, %9)], align 16
@.str = private unnamed_addr constant [4 x i8] c"%d\0A\00", align 1, !dbg !0
@nodes = internal global [3 x { ptr, i32, [3 x i8], i8 }] [{ ptr, i32, [3 x i8], i8 } { ptr getelementptr (i8, ptr @nodes, i64 16), i32 1, [3 x i8] c"a\00\00", i8 0 }, { ptr, i32, [3 x i8], i8 } { ptr getelementptr (i8, ptr @nodes, i64 32), i32 2, [3 x i8] c"b\00\00", i8 0 }, { ptr, i32, [3 x i8], i8 } { ptr null, i32 3, [3 x i8] c"c\00\00", i8 0 }], align 16, !dbg !7

; Function Attrs: nofree norecurse nosync nounwind memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define dso_local i32 @sum(ptr noundef readonly captures(address_is_null) %0) local_unnamed_addr #0 !dbg !47 {
    #dbg_value(ptr %0, !51, !DIExpression(), !53)
    #dbg_value(i32 0, !52, !DIExpression(), !53)
  %2 = icmp eq ptr %0, null, !dbg !54
  br i1 %2, label %15, label %3, !dbg !56

3:                                                ; preds = %1, %3
  %4 = phi i32 [ %12, %3 ], [ 0, %1 ]
  %5 = phi ptr [ %13, %3 ], [ %0, %1 ]
    #dbg_value(i32 %4, !52, !DIExpression(), !53)
    #dbg_value(ptr %5, !51, !DIExpression(), !53)
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 8, !dbg !57
  %7 = load i32, ptr %6, align 8, !dbg !57, !tbaa !59
  %8 = getelementptr inbounds nuw i8, ptr %5, i64 12, !dbg !63
  %9 = load i8, ptr %8, align 4, !dbg !64, !tbaa !65
  %10 = sext i8 %9 to i32, !dbg !64
  %11 = add i32 %7, %4, !dbg !66
  %12 = add i32 %11, %10, !dbg !67
    #dbg_value(i32 %12, !52, !DIExpression(), !53)
  %13 = load ptr, ptr %5, align 8, !dbg !68, !tbaa !69
    #dbg_value(ptr %13, !51, !DIExpression(), !53)
  %14 = icmp eq ptr %13, null, !dbg !70
  br i1 %14, label %15, label %3, !dbg !71, !llvm.loop !72

15:                                               ; preds = %3, %1
  %16 = phi i32 [ 0, %1 ], [ %12, %3 ], !dbg !53
  ret i32 %16, !dbg !77
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local { i64, i64 } @twice(i64 %0, i64 %1) local_unnamed_addr #1 !dbg !78 {
    #dbg_value(i64 %0, !87, !DIExpression(DW_OP_LLVM_fragment, 0, 64), !89)
    #dbg_value(i64 %1, !87, !DIExpression(DW_OP_LLVM_fragment, 64, 64), !89)
  %3 = shl nsw i64 %0, 1, !dbg !90
    #dbg_value(i64 %3, !88, !DIExpression(DW_OP_LLVM_fragment, 0, 64), !89)
  %4 = add nsw i64 %1, 1, !dbg !91
    #dbg_value(i64 %4, !88, !DIExpression(DW_OP_LLVM_fragment, 64, 64), !89)
  %5 = insertvalue { i64, i64 } poison, i64 %3, 0, !dbg !92
  %6 = insertvalue { i64, i64 } %5, i64 %4, 1, !dbg !92
  ret { i64, i64 } %6, !dbg !93
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @filled(ptr dead_on_unwind noalias writable writeonly sret(%struct.big) align 4 captures(none) %0, ptr noundef byval(%struct.big) align 8 captures(none) %1, i32 noundef %2) local_unnamed_addr #2 !dbg !94 {
    #dbg_declare(ptr %1, !104, !DIExpression(), !108)
    #dbg_value(i32 %2, !105, !DIExpression(), !109)
    #dbg_value(i32 0, !106, !DIExpression(), !110)
  %4 = icmp sgt i32 %2, 0, !dbg !111
  br i1 %4, label %5, label %7, !dbg !113

5:                                                ; preds = %3
  %6 = zext nneg i32 %2 to i64, !dbg !114
  br label %8, !dbg !115

7:                                                ; preds = %8, %3
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(80) %0, ptr noundef nonnull align 8 dereferenceable(80) %1, i64 80, i1 false), !dbg !116, !tbaa.struct !117
  ret void, !dbg !118

8:                                                ; preds = %5, %8
  %9 = phi i64 [ 0, %5 ], [ %12, %8 ]
    #dbg_value(i64 %9, !106, !DIExpression(), !110)
  %10 = getelementptr inbounds nuw i32, ptr %1, i64 %9, !dbg !119
  %11 = trunc nuw nsw i64 %9 to i32, !dbg !120
  store i32 %11, ptr %10, align 4, !dbg !120, !tbaa !43
  %12 = add nuw nsw i64 %9, 1, !dbg !121
    #dbg_value(i64 %12, !106, !DIExpression(), !110)
  %13 = icmp eq i64 %12, %6, !dbg !114
  br i1 %13, label %7, label %8, !dbg !122, !llvm.loop !123
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #3

; Function Attrs: mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) uwtable
define dso_local i32 @counted(ptr noundef captures(none) %0, ptr noundef captures(none) %1) local_unnamed_addr #4 !dbg !125 {
    #dbg_value(ptr %0, !131, !DIExpression(), !134)
    #dbg_value(ptr %1, !132, !DIExpression(), !134)
    #dbg_value(i64 3, !133, !DIExpression(), !134)
  %3 = cmpxchg ptr %1, i64 3, i64 7 seq_cst monotonic, align 8, !dbg !135
  %4 = extractvalue { i64, i1 } %3, 1, !dbg !136
  %5 = extractvalue { i64, i1 } %3, 0, !dbg !135
  %6 = trunc i64 %5 to i32, !dbg !135
  %7 = select i1 %4, i32 3, i32 %6, !dbg !135
    #dbg_value(i32 %7, !133, !DIExpression(DW_OP_LLVM_convert, 32, DW_ATE_signed, DW_OP_LLVM_convert, 64, DW_ATE_signed, DW_OP_stack_value), !134)
  %8 = atomicrmw add ptr %0, i32 1 acq_rel, align 4, !dbg !137
  %9 = add nsw i32 %7, %8, !dbg !138
  ret i32 %9, !dbg !139
}

; Function Attrs: nounwind uwtable
define dso_local void @stored(ptr noundef %0, i32 noundef %1) local_unnamed_addr #5 !dbg !140 {
    #dbg_value(ptr %0, !144, !DIExpression(), !146)
    #dbg_value(i32 %1, !145, !DIExpression(), !146)
  tail call void asm sideeffect "", "=*m,r,~{memory},~{dirflag},~{fpsr},~{flags}"(ptr elementtype(i32) %0, i32 %1) #9, !dbg !147, !srcloc !148
  ret void, !dbg !149
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local noundef double @rounded(double noundef %0, float noundef %1) local_unnamed_addr #1 !dbg !150 {
    #dbg_value(double %0, !155, !DIExpression(), !157)
    #dbg_value(float %1, !156, !DIExpression(), !157)
  %3 = tail call double @llvm.fabs.f64(double %0), !dbg !158
  %4 = fpext float %1 to double, !dbg !159
  %5 = tail call double @llvm.floor.f64(double %0), !dbg !160
  %6 = tail call double @llvm.fmuladd.f64(double %4, double %5, double %3), !dbg !161
  %7 = fcmp ogt double %0, 1.000000e+10, !dbg !162
  %8 = select i1 %7, double -0.000000e+00, double 4.940660e-324, !dbg !163
  %9 = fadd double %8, %6, !dbg !164
  ret double %9, !dbg !165
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.floor.f64(double) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fmuladd.f64(double, double, double) #6

; Function Attrs: nofree nounwind uwtable
define dso_local i32 @chosen(i32 noundef %0) local_unnamed_addr #7 !dbg !166 {
    #dbg_assign(i1 poison, !171, !DIExpression(), !176, ptr @__const.chosen.where, !DIExpression(), !177)
    #dbg_value(i32 %0, !170, !DIExpression(), !177)
    #dbg_assign(i1 poison, !171, !DIExpression(), !178, ptr @__const.chosen.where, !DIExpression(), !177)
  %2 = and i32 %0, 1, !dbg !179
  %3 = zext nneg i32 %2 to i64, !dbg !180
  %4 = getelementptr inbounds nuw ptr, ptr @__const.chosen.where, i64 %3, !dbg !180
  %5 = load ptr, ptr %4, align 8, !dbg !180, !tbaa !181
  indirectbr ptr %5, [label %6, label %9]

6:                                                ; preds = %1
    #dbg_label(!174, !182)
  switch i32 %0, label %9 [
    i32 2, label %24
    i32 4, label %7
    i32 6, label %8
  ], !dbg !183

7:                                                ; preds = %6
  br label %24, !dbg !184

8:                                                ; preds = %6
  br label %24, !dbg !186

9:                                                ; preds = %1, %6, %9
  %10 = phi i32 [ %18, %9 ], [ 0, %6 ], [ 0, %1 ]
  %11 = phi ptr [ %19, %9 ], [ @nodes, %6 ], [ @nodes, %1 ]
    #dbg_value(i32 %10, !52, !DIExpression(), !187)
    #dbg_value(ptr %11, !51, !DIExpression(), !187)
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 8, !dbg !189
  %13 = load i32, ptr %12, align 8, !dbg !189, !tbaa !59
  %14 = getelementptr inbounds nuw i8, ptr %11, i64 12, !dbg !190
  %15 = load i8, ptr %14, align 4, !dbg !191, !tbaa !65
  %16 = sext i8 %15 to i32, !dbg !191
  %17 = add i32 %13, %10, !dbg !192
  %18 = add i32 %17, %16, !dbg !193
    #dbg_value(i32 %18, !52, !DIExpression(), !187)
  %19 = load ptr, ptr %11, align 8, !dbg !194, !tbaa !69
    #dbg_value(ptr %19, !51, !DIExpression(), !187)
  %20 = icmp eq ptr %19, null, !dbg !195
  br i1 %20, label %21, label %9, !dbg !196, !llvm.loop !197

21:                                               ; preds = %9
  %22 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str, i32 noundef %0), !dbg !200
  %23 = add nsw i32 %22, %18, !dbg !201
  br label %24, !dbg !202

24:                                               ; preds = %6, %21, %8, %7
  %25 = phi i32 [ %23, %21 ], [ 1, %8 ], [ 44, %7 ], [ 20, %6 ], !dbg !177
  ret i32 %25, !dbg !203
}

; Function Attrs: nofree nounwind
declare noundef i32 @printf(ptr noundef readonly captures(none), ...) local_unnamed_addr #8

attributes #0 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { nofree nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { nofree nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #9 = { nounwind }

!llvm.dbg.cu = !{!9}
!llvm.module.flags = !{!35, !36, !37, !38, !39, !40, !41}
!llvm.ident = !{!42}
!llvm.errno.tbaa = !{!43}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(scope: null, file: !2, line: 47, type: !3, isLocal: true, isDefinition: true)
!2 = !DIFile(filename: "versions.c", directory: "/", checksumkind: CSK_MD5, checksum: "6ca1e525037bf51238d151ccc3308449")
!3 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, size: 32, elements: !5)
!4 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!5 = !{!6}
!6 = !DISubrange(count: 4)
!7 = !DIGlobalVariableExpression(var: !8, expr: !DIExpression())
!8 = distinct !DIGlobalVariable(name: "nodes", scope: !9, file: !2, line: 8, type: !25, isLocal: true, isDefinition: true)
!9 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !10, globals: !13, splitDebugInlining: false, nameTableKind: None)
!10 = !{!11, !12}
!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!12 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!13 = !{!0, !7, !14}
!14 = !DIGlobalVariableExpression(var: !15, expr: !DIExpression())
!15 = distinct !DIGlobalVariable(name: "table", scope: !9, file: !2, line: 9, type: !16, isLocal: true, isDefinition: true)
!16 = !DICompositeType(tag: DW_TAG_array_type, baseType: !17, size: 128, elements: !23)
!17 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !18)
!18 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !19, size: 64)
!19 = !DISubroutineType(types: !20)
!20 = !{!11, !21, null}
!21 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !22, size: 64)
!22 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !4)
!23 = !{!24}
!24 = !DISubrange(count: 2)
!25 = !DICompositeType(tag: DW_TAG_array_type, baseType: !26, size: 384, elements: !33)
!26 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "node", file: !2, line: 4, size: 128, elements: !27)
!27 = !{!28, !30, !31}
!28 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !26, file: !2, line: 4, baseType: !29, size: 64)
!29 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !26, size: 64)
!30 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !26, file: !2, line: 4, baseType: !11, size: 32, offset: 64)
!31 = !DIDerivedType(tag: DW_TAG_member, name: "name", scope: !26, file: !2, line: 4, baseType: !32, size: 24, offset: 96)
!32 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, size: 24, elements: !33)
!33 = !{!34}
!34 = !DISubrange(count: 3)
!35 = !{i32 7, !"Dwarf Version", i32 5}
!36 = !{i32 2, !"Debug Info Version", i32 3}
!37 = !{i32 1, !"wchar_size", i32 4}
!38 = !{i32 8, !"PIC Level", i32 2}
!39 = !{i32 7, !"PIE Level", i32 2}
!40 = !{i32 7, !"uwtable", i32 2}
!41 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!42 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!43 = !{!44, !44, i64 0}
!44 = !{!"int", !45, i64 0}
!45 = !{!"omnipotent char", !46, i64 0}
!46 = !{!"Simple C/C++ TBAA"}
!47 = distinct !DISubprogram(name: "sum", scope: !2, file: !2, line: 11, type: !48, scopeLine: 11, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !9, retainedNodes: !50, keyInstructions: true)
!48 = !DISubroutineType(types: !49)
!49 = !{!11, !29}
!50 = !{!51, !52}
!51 = !DILocalVariable(name: "n", arg: 1, scope: !47, file: !2, line: 11, type: !29)
!52 = !DILocalVariable(name: "total", scope: !47, file: !2, line: 12, type: !11)
!53 = !DILocation(line: 0, scope: !47)
!54 = !DILocation(line: 13, column: 5, scope: !55, atomGroup: 10, atomRank: 1)
!55 = distinct !DILexicalBlock(scope: !47, file: !2, line: 13, column: 5)
!56 = !DILocation(line: 13, column: 5, scope: !55, atomGroup: 11, atomRank: 1)
!57 = !DILocation(line: 13, column: 40, scope: !58)
!58 = distinct !DILexicalBlock(scope: !55, file: !2, line: 13, column: 5)
!59 = !{!60, !44, i64 8}
!60 = !{!"node", !61, i64 0, !44, i64 8, !45, i64 12}
!61 = !{!"p1 _ZTS4node", !62, i64 0}
!62 = !{!"any pointer", !45, i64 0}
!63 = !DILocation(line: 13, column: 51, scope: !58)
!64 = !DILocation(line: 13, column: 48, scope: !58)
!65 = !{!45, !45, i64 0}
!66 = !DILocation(line: 13, column: 46, scope: !58)
!67 = !DILocation(line: 13, column: 34, scope: !58, atomGroup: 4, atomRank: 2)
!68 = !DILocation(line: 13, column: 22, scope: !58, atomGroup: 5, atomRank: 2)
!69 = !{!60, !61, i64 0}
!70 = !DILocation(line: 13, column: 5, scope: !55, atomGroup: 2, atomRank: 1)
!71 = !DILocation(line: 13, column: 5, scope: !55, atomGroup: 3, atomRank: 1)
!72 = distinct !{!72, !73, !74, !75, !76}
!73 = !DILocation(line: 13, column: 5, scope: !55)
!74 = !DILocation(line: 13, column: 57, scope: !55)
!75 = !{!"llvm.loop.mustprogress"}
!76 = !{!"llvm.loop.unroll.disable"}
!77 = !DILocation(line: 14, column: 5, scope: !47, atomGroup: 8, atomRank: 1)
!78 = distinct !DISubprogram(name: "twice", scope: !2, file: !2, line: 17, type: !79, scopeLine: 17, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !9, retainedNodes: !86, keyInstructions: true)
!79 = !DISubroutineType(types: !80)
!80 = !{!81, !81}
!81 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "pair", file: !2, line: 3, size: 128, elements: !82)
!82 = !{!83, !85}
!83 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !81, file: !2, line: 3, baseType: !84, size: 64)
!84 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!85 = !DIDerivedType(tag: DW_TAG_member, name: "b", scope: !81, file: !2, line: 3, baseType: !84, size: 64, offset: 64)
!86 = !{!87, !88}
!87 = !DILocalVariable(name: "p", arg: 1, scope: !78, file: !2, line: 17, type: !81)
!88 = !DILocalVariable(name: "q", scope: !78, file: !2, line: 18, type: !81)
!89 = !DILocation(line: 0, scope: !78)
!90 = !DILocation(line: 18, column: 26, scope: !78, atomGroup: 1, atomRank: 2)
!91 = !DILocation(line: 18, column: 35, scope: !78, atomGroup: 1, atomRank: 2)
!92 = !DILocation(line: 19, column: 5, scope: !78, atomGroup: 2, atomRank: 2)
!93 = !DILocation(line: 19, column: 5, scope: !78, atomGroup: 2, atomRank: 1)
!94 = distinct !DISubprogram(name: "filled", scope: !2, file: !2, line: 22, type: !95, scopeLine: 22, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !9, retainedNodes: !103, keyInstructions: true)
!95 = !DISubroutineType(types: !96)
!96 = !{!97, !97, !11}
!97 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "big", file: !2, line: 5, size: 640, elements: !98)
!98 = !{!99}
!99 = !DIDerivedType(tag: DW_TAG_member, name: "all", scope: !97, file: !2, line: 5, baseType: !100, size: 640)
!100 = !DICompositeType(tag: DW_TAG_array_type, baseType: !11, size: 640, elements: !101)
!101 = !{!102}
!102 = !DISubrange(count: 20)
!103 = !{!104, !105, !106}
!104 = !DILocalVariable(name: "b", arg: 1, scope: !94, file: !2, line: 22, type: !97)
!105 = !DILocalVariable(name: "n", arg: 2, scope: !94, file: !2, line: 22, type: !11)
!106 = !DILocalVariable(name: "i", scope: !107, file: !2, line: 23, type: !11)
!107 = distinct !DILexicalBlock(scope: !94, file: !2, line: 23, column: 5)
!108 = !DILocation(line: 22, column: 30, scope: !94)
!109 = !DILocation(line: 0, scope: !94)
!110 = !DILocation(line: 0, scope: !107)
!111 = !DILocation(line: 23, column: 23, scope: !112, atomGroup: 12, atomRank: 1)
!112 = distinct !DILexicalBlock(scope: !107, file: !2, line: 23, column: 5)
!113 = !DILocation(line: 23, column: 5, scope: !107, atomGroup: 13, atomRank: 1)
!114 = !DILocation(line: 23, column: 23, scope: !112, atomGroup: 2, atomRank: 1)
!115 = !DILocation(line: 23, column: 5, scope: !107)
!116 = !DILocation(line: 24, column: 12, scope: !94, atomGroup: 7, atomRank: 1)
!117 = !{i64 0, i64 80, !65}
!118 = !DILocation(line: 24, column: 5, scope: !94, atomGroup: 7, atomRank: 1)
!119 = !DILocation(line: 23, column: 33, scope: !112)
!120 = !DILocation(line: 23, column: 42, scope: !112, atomGroup: 4, atomRank: 1)
!121 = !DILocation(line: 23, column: 29, scope: !112, atomGroup: 5, atomRank: 2)
!122 = !DILocation(line: 23, column: 5, scope: !107, atomGroup: 3, atomRank: 1)
!123 = distinct !{!123, !115, !124, !75, !76}
!124 = !DILocation(line: 23, column: 44, scope: !107)
!125 = distinct !DISubprogram(name: "counted", scope: !2, file: !2, line: 27, type: !126, scopeLine: 27, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !9, retainedNodes: !130, keyInstructions: true)
!126 = !DISubroutineType(types: !127)
!127 = !{!11, !128, !129}
!128 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !11, size: 64)
!129 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !84, size: 64)
!130 = !{!131, !132, !133}
!131 = !DILocalVariable(name: "counter", arg: 1, scope: !125, file: !2, line: 27, type: !128)
!132 = !DILocalVariable(name: "wide", arg: 2, scope: !125, file: !2, line: 27, type: !129)
!133 = !DILocalVariable(name: "old", scope: !125, file: !2, line: 28, type: !84)
!134 = !DILocation(line: 0, scope: !125)
!135 = !DILocation(line: 29, column: 5, scope: !125)
!136 = !DILocation(line: 29, column: 5, scope: !125, atomGroup: 2, atomRank: 3)
!137 = !DILocation(line: 30, column: 12, scope: !125, atomGroup: 4, atomRank: 2)
!138 = !DILocation(line: 30, column: 61, scope: !125, atomGroup: 5, atomRank: 2)
!139 = !DILocation(line: 30, column: 5, scope: !125, atomGroup: 5, atomRank: 1)
!140 = distinct !DISubprogram(name: "stored", scope: !2, file: !2, line: 33, type: !141, scopeLine: 33, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !9, retainedNodes: !143, keyInstructions: true)
!141 = !DISubroutineType(types: !142)
!142 = !{null, !128, !11}
!143 = !{!144, !145}
!144 = !DILocalVariable(name: "p", arg: 1, scope: !140, file: !2, line: 33, type: !128)
!145 = !DILocalVariable(name: "n", arg: 2, scope: !140, file: !2, line: 33, type: !11)
!146 = !DILocation(line: 0, scope: !140)
!147 = !DILocation(line: 33, column: 30, scope: !140, atomGroup: 1, atomRank: 1)
!148 = !{i64 1147}
!149 = !DILocation(line: 33, column: 83, scope: !140, atomGroup: 2, atomRank: 1)
!150 = distinct !DISubprogram(name: "rounded", scope: !2, file: !2, line: 35, type: !151, scopeLine: 35, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !9, retainedNodes: !154, keyInstructions: true)
!151 = !DISubroutineType(types: !152)
!152 = !{!12, !12, !153}
!153 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!154 = !{!155, !156}
!155 = !DILocalVariable(name: "x", arg: 1, scope: !150, file: !2, line: 35, type: !12)
!156 = !DILocalVariable(name: "y", arg: 2, scope: !150, file: !2, line: 35, type: !153)
!157 = !DILocation(line: 0, scope: !150)
!158 = !DILocation(line: 35, column: 44, scope: !150)
!159 = !DILocation(line: 35, column: 64, scope: !150)
!160 = !DILocation(line: 35, column: 76, scope: !150)
!161 = !DILocation(line: 35, column: 62, scope: !150)
!162 = !DILocation(line: 35, column: 100, scope: !150)
!163 = !DILocation(line: 35, column: 98, scope: !150)
!164 = !DILocation(line: 35, column: 95, scope: !150, atomGroup: 1, atomRank: 2)
!165 = !DILocation(line: 35, column: 37, scope: !150, atomGroup: 1, atomRank: 1)
!166 = distinct !DISubprogram(name: "chosen", scope: !2, file: !2, line: 37, type: !167, scopeLine: 37, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !9, retainedNodes: !169, keyInstructions: true)
!167 = !DISubroutineType(types: !168)
!168 = !{!11, !11}
!169 = !{!170, !171, !174, !175}
!170 = !DILocalVariable(name: "n", arg: 1, scope: !166, file: !2, line: 37, type: !11)
!171 = !DILocalVariable(name: "where", scope: !166, file: !2, line: 38, type: !172)
!172 = !DICompositeType(tag: DW_TAG_array_type, baseType: !173, size: 128, elements: !23)
!173 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!174 = !DILabel(scope: !166, name: "one", file: !2, line: 40, column: 1)
!175 = !DILabel(scope: !166, name: "two", file: !2, line: 46, column: 1)
!176 = distinct !DIAssignID()
!177 = !DILocation(line: 0, scope: !166)
!178 = distinct !DIAssignID()
!179 = !DILocation(line: 39, column: 19, scope: !166)
!180 = !DILocation(line: 39, column: 11, scope: !166)
!181 = !{!62, !62, i64 0}
!182 = !DILocation(line: 40, column: 1, scope: !166)
!183 = !DILocation(line: 41, column: 5, scope: !166, atomGroup: 3, atomRank: 1)
!184 = !DILocation(line: 43, column: 13, scope: !185, atomGroup: 5, atomRank: 1)
!185 = distinct !DILexicalBlock(scope: !166, file: !2, line: 41, column: 16)
!186 = !DILocation(line: 44, column: 13, scope: !185, atomGroup: 6, atomRank: 1)
!187 = !DILocation(line: 0, scope: !47, inlinedAt: !188)
!188 = distinct !DILocation(line: 47, column: 12, scope: !166)
!189 = !DILocation(line: 13, column: 40, scope: !58, inlinedAt: !188)
!190 = !DILocation(line: 13, column: 51, scope: !58, inlinedAt: !188)
!191 = !DILocation(line: 13, column: 48, scope: !58, inlinedAt: !188)
!192 = !DILocation(line: 13, column: 46, scope: !58, inlinedAt: !188)
!193 = !DILocation(line: 13, column: 34, scope: !58, inlinedAt: !188, atomGroup: 4, atomRank: 2)
!194 = !DILocation(line: 13, column: 22, scope: !58, inlinedAt: !188, atomGroup: 5, atomRank: 2)
!195 = !DILocation(line: 13, column: 5, scope: !55, inlinedAt: !188, atomGroup: 2, atomRank: 1)
!196 = !DILocation(line: 13, column: 5, scope: !55, inlinedAt: !188, atomGroup: 3, atomRank: 1)
!197 = distinct !{!197, !198, !199, !75, !76}
!198 = !DILocation(line: 13, column: 5, scope: !55, inlinedAt: !188)
!199 = !DILocation(line: 13, column: 57, scope: !55, inlinedAt: !188)
!200 = !DILocation(line: 47, column: 37, scope: !166)
!201 = !DILocation(line: 47, column: 23, scope: !166, atomGroup: 7, atomRank: 2)
!202 = !DILocation(line: 47, column: 5, scope: !166, atomGroup: 7, atomRank: 1)
!203 = !DILocation(line: 48, column: 1, scope: !166, atomGroup: 9, atomRank: 1)
