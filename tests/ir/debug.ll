; Places and variables of the source at the stages: a function that is inlined, variables that become values.
; stages: read final code
; targets: x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
;
; int use(int);
; static inline int inner(int a) {
;   int twice = a * 2;
;   return use(twice) + 1;
; }
; int outer(int a, int *p) {
;   int sum = 0;
;   for (int i = 0; i < a; i++)
;     sum += inner(p[i]);
;   return sum;
; }

define i32 @outer(i32 noundef %0, ptr nocapture noundef readonly %1) !dbg !10 {
    #dbg_value(i32 %0, !16, !DIExpression(), !21)
    #dbg_value(ptr %1, !17, !DIExpression(), !21)
    #dbg_value(i32 0, !18, !DIExpression(), !21)
    #dbg_value(i32 0, !19, !DIExpression(), !22)
  %3 = icmp sgt i32 %0, 0, !dbg !23
  br i1 %3, label %4, label %6, !dbg !25

4:                                                ; preds = %2
  %5 = zext nneg i32 %0 to i64, !dbg !23
  br label %8, !dbg !25

6:                                                ; preds = %8, %2
  %7 = phi i32 [ 0, %2 ], [ %16, %8 ], !dbg !21
  ret i32 %7, !dbg !26

8:                                                ; preds = %4, %8
  %9 = phi i64 [ 0, %4 ], [ %17, %8 ]
  %10 = phi i32 [ 0, %4 ], [ %16, %8 ]
    #dbg_value(i64 %9, !19, !DIExpression(), !22)
    #dbg_value(i32 %10, !18, !DIExpression(), !21)
  %11 = getelementptr inbounds i32, ptr %1, i64 %9, !dbg !27
  %12 = load i32, ptr %11, align 4, !dbg !27
    #dbg_value(i32 %12, !32, !DIExpression(), !38)
  %13 = shl nsw i32 %12, 1, !dbg !40
    #dbg_value(i32 %13, !37, !DIExpression(), !38)
  %14 = tail call i32 @use(i32 noundef %13), !dbg !41
  %15 = add i32 %10, 1, !dbg !42
  %16 = add i32 %15, %14, !dbg !43
    #dbg_value(i32 %16, !18, !DIExpression(), !21)
  %17 = add nuw nsw i64 %9, 1, !dbg !44
    #dbg_value(i64 %17, !19, !DIExpression(), !22)
  %18 = icmp eq i64 %17, %5, !dbg !23
  br i1 %18, label %6, label %8, !dbg !25
}

declare !dbg !49 i32 @use(i32 noundef)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7, !8}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "debug.c", directory: "/")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 2}
!8 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!10 = distinct !DISubprogram(name: "outer", scope: !1, file: !1, line: 6, type: !11, scopeLine: 6, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !15)
!11 = !DISubroutineType(types: !12)
!12 = !{!13, !13, !14}
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13, size: 64)
!15 = !{!16, !17, !18, !19}
!16 = !DILocalVariable(name: "a", arg: 1, scope: !10, file: !1, line: 6, type: !13)
!17 = !DILocalVariable(name: "p", arg: 2, scope: !10, file: !1, line: 6, type: !14)
!18 = !DILocalVariable(name: "sum", scope: !10, file: !1, line: 7, type: !13)
!19 = !DILocalVariable(name: "i", scope: !20, file: !1, line: 8, type: !13)
!20 = distinct !DILexicalBlock(scope: !10, file: !1, line: 8, column: 3)
!21 = !DILocation(line: 0, scope: !10)
!22 = !DILocation(line: 0, scope: !20)
!23 = !DILocation(line: 8, column: 21, scope: !24)
!24 = distinct !DILexicalBlock(scope: !20, file: !1, line: 8, column: 3)
!25 = !DILocation(line: 8, column: 3, scope: !20)
!26 = !DILocation(line: 10, column: 3, scope: !10)
!27 = !DILocation(line: 9, column: 18, scope: !24)
!32 = !DILocalVariable(name: "a", arg: 1, scope: !33, file: !1, line: 2, type: !13)
!33 = distinct !DISubprogram(name: "inner", scope: !1, file: !1, line: 2, type: !34, scopeLine: 2, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !36)
!34 = !DISubroutineType(types: !35)
!35 = !{!13, !13}
!36 = !{!32, !37}
!37 = !DILocalVariable(name: "twice", scope: !33, file: !1, line: 3, type: !13)
!38 = !DILocation(line: 0, scope: !33, inlinedAt: !39)
!39 = distinct !DILocation(line: 9, column: 12, scope: !24)
!40 = !DILocation(line: 3, column: 17, scope: !33, inlinedAt: !39)
!41 = !DILocation(line: 4, column: 10, scope: !33, inlinedAt: !39)
!42 = !DILocation(line: 4, column: 21, scope: !33, inlinedAt: !39)
!43 = !DILocation(line: 9, column: 9, scope: !24)
!44 = !DILocation(line: 8, column: 27, scope: !24)
!49 = !DISubprogram(name: "use", scope: !1, file: !1, line: 1, type: !34, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)

;; read x86_64-unknown-linux-gnu
; function @outer sig0 unwind_tables {
;   sig0 = (i32, i64) -> (i32) = c (i32, ptr) -> i32
;   sig1 = (i32) -> (i32) = c (i32) -> i32
; b0(v0: i32, v1: i64):
;     ; #dbg_value a = v0
;     ; #dbg_value p = v1
;     ; #dbg_value sum = 0:i32
;     ; #dbg_value i = 0:i32
;   v4: i1 = icmp sgt i32 v0, 0:i32  ; !dbg 8:21
;   br v4, b1, b2(0:i32)  ; !dbg 8:3
; b1:
;   v5: i64 = zext v0  ; !dbg 8:21
;   jump b3(0:i64, 0:i32)  ; !dbg 8:3
; b2(v6: i32):
;   return v6  ; !dbg 10:3
; b3(v8: i64, v9: i32):
;     ; #dbg_value i = v8
;     ; #dbg_value sum = v9
;   v10: i64 = index v1, v8, 4  ; !dbg 9:18
;   v11: i32 = load v10, 0, align 4  ; !dbg 9:18
;     ; #dbg_value a @[ 9:12 ] = v11
;   v13: i32 = shl v11, 1:i32  ; !dbg 3:17 @[ 9:12 ]
;     ; #dbg_value twice @[ 9:12 ] = v13
;   v14: i32 = call @use sig1 (v13) tail  ; !dbg 4:10 @[ 9:12 ]
;   v15: i32 = iadd v9, 1:i32  ; !dbg 4:21 @[ 9:12 ]
;   v16: i32 = iadd v15, v14  ; !dbg 9:9
;     ; #dbg_value sum = v16
;   v18: i64 = iadd v8, 1:i64  ; !dbg 8:27
;     ; #dbg_value i = v18
;   v19: i1 = icmp eq i64 v18, v5  ; !dbg 8:21
;   br v19, b2(v16), b3(v18, v16)  ; !dbg 8:3
; }

;; final x86_64-unknown-linux-gnu
; function @outer sig0 unwind_tables {
;   sig0 = (i32, i64) -> (i32) = c (i32, ptr) -> i32
;   sig1 = (i32) -> (i32) = c (i32) -> i32
; b0(v0: i32, v1: i64):
;     ; #dbg_value a = v0
;     ; #dbg_value p = v1
;     ; #dbg_value sum = 0:i32
;     ; #dbg_value i = 0:i32
;   v4: i1 = icmp sgt i32 v0, 0:i32  ; !dbg 8:21
;   br v4, b1, b2(0:i32)  ; !dbg 8:3
; b1:
;   v5: i64 = zext v0  ; !dbg 8:21
;   jump b3(0:i64, 0:i32)  ; !dbg 8:3
; b2(v6: i32):
;   return v6  ; !dbg 10:3
; b3(v8: i64, v9: i32):
;     ; #dbg_value i = v8
;     ; #dbg_value sum = v9
;   v10: i64 = index v1, v8, 4  ; !dbg 9:18
;   v11: i32 = load v10, 0, align 4  ; !dbg 9:18
;     ; #dbg_value a @[ 9:12 ] = v11
;   v13: i32 = shl v11, 1:i32  ; !dbg 3:17 @[ 9:12 ]
;     ; #dbg_value twice @[ 9:12 ] = v13
;   v14: i32 = call @use sig1 (v13) tail  ; !dbg 4:10 @[ 9:12 ]
;   v15: i32 = iadd v9, 1:i32  ; !dbg 4:21 @[ 9:12 ]
;   v16: i32 = iadd v15, v14  ; !dbg 9:9
;     ; #dbg_value sum = v16
;   v18: i64 = iadd v8, 1:i64  ; !dbg 8:27
;     ; #dbg_value i = v18
;   v19: i1 = icmp eq i64 v18, v5  ; !dbg 8:21
;   br v19, b2(v16), b3(v18, v16)  ; !dbg 8:3
; }

;; code x86_64-unknown-linux-gnu
; outer: 70 bytes
;      0  pushq %rbx
;      1  pushq %rbp
;      2  pushq %r12
;      4  pushq %r13
;      6  subq $8, %rsp
;     ; v0 to rdi
;     ; v1 to rsi
;     ; rbx := rsi
;      a  movq %rsi, %rbx
; b0:
;   br v4, b1, b2(0:i32)
;     ; v0 from rdi
;      d  testl %edi, %edi  ; !dbg 8:3
;      f  jg 0x15
;   to b2
;     ; rax := 0:i32
;     11  xorl %eax, %eax
;     13  jmp 0x3b
; b1:
;   v5: i64 = zext v0
;     ; v0 from rdi
;     15  movl %edi, %ebp  ; !dbg 8:21
;     ; v5 to rbp
;   jump b3(0:i64, 0:i32)
;   to b3
;     ; r12 := 0:i64
;     17  xorl %r12d, %r12d  ; !dbg 8:3
;     ; r13 := 0:i32
;     1a  xorl %r13d, %r13d
; b3:
;     ; v8 from r12
;     ; v9 from r13
;   v11: i32 = load v10, 0, align 4
;     ; v1 from rbx
;     ; v8 from r12
;     1d  movl (%rbx,%r12,4), %edi  ; !dbg 9:18
;     ; v11 to rdi
;   v13: i32 = shl v11, 1:i32
;     ; v11 from rdi
;     21  shll $1, %edi  ; !dbg 3:17 @[ 9:12 ]
;     ; v13 to rdi
;   v14: i32 = call @use sig1 (v13) tail
;     23  callq use-4  ; !dbg 4:10 @[ 9:12 ]
;     ; v14 to rax
;   v15: i32 = iadd v9, 1:i32
;     ; v9 from r13
;     28  addl $1, %r13d  ; !dbg 4:21 @[ 9:12 ]
;     ; v15 to r13
;   v16: i32 = iadd v15, v14
;     ; v14 from rax
;     ; v15 from r13
;     2c  addl %eax, %r13d  ; !dbg 9:9
;     ; v16 to r13
;   v18: i64 = iadd v8, 1:i64
;     ; v8 from r12
;     2f  addq $1, %r12  ; !dbg 8:27
;     ; v18 to r12
;   br v19, b2(v16), b3(v18, v16)
;     ; v5 from rbp
;     ; v18 from r12
;     33  cmpq %rbp, %r12  ; !dbg 8:3
;     36  jne 0x1d
;   to b2
;     ; rax := r13
;     38  movl %r13d, %eax
; b2:
;     ; v6 from rax
;   return v6
;     3b  addq $8, %rsp  ; !dbg 10:3
;     3f  popq %r13
;     41  popq %r12
;     43  popq %rbp
;     44  popq %rbx
;     45  retq
;      d to 1d: v0 in rdi
;      d to 1d: v1 in rsi
;      d to 3b: v1 in rbx
;     11 to 15: 0:i32 in rax
;     17 to 1d: 0:i64 in r12
;     17 to 3b: v5 in rbp
;     1a to 1d: 0:i32 in r13
;     1d to 28: v9 in r13
;     1d to 2f: v8 in r12
;     23 to 28: v13 in rdi
;     28 to 38: v14 in rax
;     2f to 3b: v16 in r13
;     33 to 3b: v18 in r12
;     38 to 3b: v16 in rax
;     3b to 46: v6 in rax
;      d to 1d: a in rdi
;     1d to 46: a in entry value of rdi
;      d to 3b: p in rbx
;     3b to 46: p in entry value of rsi
;      d to 1d: sum in 0
;     1d to 2c: sum in r13
;     2f to 3b: sum in r13
;      d to 1d: i in 0
;     1d to 33: i in r12
;     33 to 3b: i in r12
;     21 to 23: a @[ 9:12 ] in rdi
;          nowhere: twice @[ 9:12 ]

;; read aarch64-unknown-linux-gnu
; function @outer sig0 unwind_tables {
;   sig0 = (i32, i64) -> (i32) = c (i32, ptr) -> i32
;   sig1 = (i32) -> (i32) = c (i32) -> i32
; b0(v0: i32, v1: i64):
;     ; #dbg_value a = v0
;     ; #dbg_value p = v1
;     ; #dbg_value sum = 0:i32
;     ; #dbg_value i = 0:i32
;   v4: i1 = icmp sgt i32 v0, 0:i32  ; !dbg 8:21
;   br v4, b1, b2(0:i32)  ; !dbg 8:3
; b1:
;   v5: i64 = zext v0  ; !dbg 8:21
;   jump b3(0:i64, 0:i32)  ; !dbg 8:3
; b2(v6: i32):
;   return v6  ; !dbg 10:3
; b3(v8: i64, v9: i32):
;     ; #dbg_value i = v8
;     ; #dbg_value sum = v9
;   v10: i64 = index v1, v8, 4  ; !dbg 9:18
;   v11: i32 = load v10, 0, align 4  ; !dbg 9:18
;     ; #dbg_value a @[ 9:12 ] = v11
;   v13: i32 = shl v11, 1:i32  ; !dbg 3:17 @[ 9:12 ]
;     ; #dbg_value twice @[ 9:12 ] = v13
;   v14: i32 = call @use sig1 (v13) tail  ; !dbg 4:10 @[ 9:12 ]
;   v15: i32 = iadd v9, 1:i32  ; !dbg 4:21 @[ 9:12 ]
;   v16: i32 = iadd v15, v14  ; !dbg 9:9
;     ; #dbg_value sum = v16
;   v18: i64 = iadd v8, 1:i64  ; !dbg 8:27
;     ; #dbg_value i = v18
;   v19: i1 = icmp eq i64 v18, v5  ; !dbg 8:21
;   br v19, b2(v16), b3(v18, v16)  ; !dbg 8:3
; }

;; final aarch64-unknown-linux-gnu
; function @outer sig0 unwind_tables {
;   sig0 = (i32, i64) -> (i32) = c (i32, ptr) -> i32
;   sig1 = (i32) -> (i32) = c (i32) -> i32
; b0(v0: i32, v1: i64):
;     ; #dbg_value a = v0
;     ; #dbg_value p = v1
;     ; #dbg_value sum = 0:i32
;     ; #dbg_value i = 0:i32
;   v4: i1 = icmp sgt i32 v0, 0:i32  ; !dbg 8:21
;   br v4, b1, b2(0:i32)  ; !dbg 8:3
; b1:
;   v5: i64 = zext v0  ; !dbg 8:21
;   jump b3(0:i64, 0:i32)  ; !dbg 8:3
; b2(v6: i32):
;   return v6  ; !dbg 10:3
; b3(v8: i64, v9: i32):
;     ; #dbg_value i = v8
;     ; #dbg_value sum = v9
;   v10: i64 = index v1, v8, 4  ; !dbg 9:18
;   v11: i32 = load v10, 0, align 4  ; !dbg 9:18
;     ; #dbg_value a @[ 9:12 ] = v11
;   v13: i32 = shl v11, 1:i32  ; !dbg 3:17 @[ 9:12 ]
;     ; #dbg_value twice @[ 9:12 ] = v13
;   v14: i32 = call @use sig1 (v13) tail  ; !dbg 4:10 @[ 9:12 ]
;   v15: i32 = iadd v9, 1:i32  ; !dbg 4:21 @[ 9:12 ]
;   v16: i32 = iadd v15, v14  ; !dbg 9:9
;     ; #dbg_value sum = v16
;   v18: i64 = iadd v8, 1:i64  ; !dbg 8:27
;     ; #dbg_value i = v18
;   v19: i1 = icmp eq i64 v18, v5  ; !dbg 8:21
;   br v19, b2(v16), b3(v18, v16)  ; !dbg 8:3
; }

;; code aarch64-unknown-linux-gnu
; outer: 96 bytes
;      0  stp x19, x20, [sp, #-16]!
;      4  stp x21, x22, [sp, #-16]!
;      8  str x30, [sp, #-16]!
;     ; v0 to x0
;     ; v1 to x1
;     ; x19 := x1
;      c  mov x19, x1
; b0:
;   br v4, b1, b2(0:i32)
;     ; v0 from x0
;     10  subs wzr, w0, #0  ; !dbg 8:3
;     14  b.gt 0x20
;   to b2
;     ; x0 := 0:i32
;     18  movz w0, #0, lsl #0
;     1c  b 0x50
; b1:
;   v5: i64 = zext v0
;     ; v0 from x0
;     20  mov w20, w0  ; !dbg 8:21
;     ; v5 to x20
;   jump b3(0:i64, 0:i32)
;   to b3
;     ; x21 := 0:i64
;     24  movz w21, #0, lsl #0  ; !dbg 8:3
;     ; x22 := 0:i32
;     28  movz w22, #0, lsl #0
; b3:
;     ; v8 from x21
;     ; v9 from x22
;   v11: i32 = load v10, 0, align 4
;     ; v1 from x19
;     ; v8 from x21
;     2c  ldr w0, [x19, x21, lsl #2]  ; !dbg 9:18
;     ; v11 to x0
;   v13: i32 = shl v11, 1:i32
;     ; v11 from x0
;     30  ubfm w0, w0, #31, #30  ; !dbg 3:17 @[ 9:12 ]
;     ; v13 to x0
;   v14: i32 = call @use sig1 (v13) tail
;     34  bl use+0  ; !dbg 4:10 @[ 9:12 ]
;     ; v14 to x0
;   v15: i32 = iadd v9, 1:i32
;     ; v9 from x22
;     38  add w9, w22, #1  ; !dbg 4:21 @[ 9:12 ]
;     ; v15 to x9
;   v16: i32 = iadd v15, v14
;     ; v15 from x9
;     ; v14 from x0
;     3c  add w22, w9, w0  ; !dbg 9:9
;     ; v16 to x22
;   v18: i64 = iadd v8, 1:i64
;     ; v8 from x21
;     40  add x21, x21, #1  ; !dbg 8:27
;     ; v18 to x21
;   br v19, b2(v16), b3(v18, v16)
;     ; v18 from x21
;     ; v5 from x20
;     44  subs xzr, x21, x20  ; !dbg 8:3
;     48  b.ne 0x2c
;   to b2
;     ; x0 := x22
;     4c  mov w0, w22
; b2:
;     ; v6 from x0
;   return v6
;     50  ldr x30, [sp], #16  ; !dbg 10:3
;     54  ldp x21, x22, [sp], #16
;     58  ldp x19, x20, [sp], #16
;     5c  ret
;     10 to 18: v0 in x0
;     10 to 2c: v1 in x1
;     10 to 50: v1 in x19
;     18 to 20: 0:i32 in x0
;     20 to 2c: v0 in x0
;     24 to 2c: 0:i64 in x21
;     24 to 50: v5 in x20
;     28 to 2c: 0:i32 in x22
;     2c to 3c: v9 in x22
;     2c to 40: v8 in x21
;     34 to 38: v13 in x0
;     38 to 4c: v14 in x0
;     3c to 50: v15 in x9
;     40 to 50: v16 in x22
;     44 to 50: v18 in x21
;     4c to 50: v16 in x0
;     50 to 60: v6 in x0
;     20 to 2c: a in x0
;     2c to 60: a in entry value of x0
;     10 to 50: p in x19
;     50 to 60: p in entry value of x1
;     10 to 2c: sum in 0
;     2c to 40: sum in x22
;     40 to 50: sum in x22
;     10 to 2c: i in 0
;     2c to 44: i in x21
;     44 to 50: i in x21
;     30 to 34: a @[ 9:12 ] in x0
;          nowhere: twice @[ 9:12 ]
