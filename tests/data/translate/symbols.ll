; Everything that symbols have.
source_filename = "a \22source\22"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl fromasm"
module asm "fromasm: .byte 0 # \22quoted\22 \\ "

%rec = type { ptr, %rec.2 }
%rec.2 = type { i64, ptr }
%rec.3 = type opaque
%unused = type { i8 }
%0 = type { i32, i32 }
$any = comdat any
$exact = comdat exactmatch
$"odd\01name" = comdat largest
$nod = comdat nodeduplicate
$size = comdat samesize

@plain = global i32 1
@0 = private unnamed_addr constant [5 x i8] c"\00\22\\\FFa", align 1
@1 = internal global ptr @0
@"odd name\09" = linkonce_odr hidden local_unnamed_addr global i8 0, comdat($any), align 4
@any = weak_odr global i16 -1, comdat
@exact = linkonce constant i1 true, section ".rodata.x", comdat($exact)
@weak = weak protected global float 0x3FB99999A0000000, partition "part"
@nod = dso_local global double 0.1, comdat($nod)
@"odd\01name" = global i64 5, comdat
@size = global i128 -170141183460469231731687303715884105728, comdat
@wide = global i200 -3
@tls = thread_local(initialexec) global i32 0
@tls2 = external thread_local local_unnamed_addr global i32
@tls3 = thread_local(localdynamic) global i32 7, align 8
@outside = external dso_local global [4 x i32], align 16
@maybe = extern_weak global i32
@com = common global i32 0, align 4
@avail = available_externally global i32 3
@model = global i32 0, code_model "large", no_sanitize_address, sanitize_address_dyninit
@attrs = global i32 0, align 4 "bss-section"="x" #0
@meta = global i32 0, !associated !0, !dbg !2
@nested = global { i8, [2 x <2 x i16>], <{ i32, ptr }>, %0 } { i8 1, [2 x <2 x i16>] [<2 x i16> <i16 1, i16 -2>, <2 x i16> zeroinitializer], <{ i32, ptr }> <{ i32 7, ptr @f }>, %0 { i32 undef, i32 poison } }
@empty = global { {}, [0 x i8], <{}> } zeroinitializer
@aliasarray = global [3 x i32] zeroinitializer
@folded = global i64 sub (i64 ptrtoint (ptr @aliasarray to i64), i64 ptrtoint (ptr @plain to i64))
@rel = global i32 trunc (i64 sub (i64 ptrtoint (ptr getelementptr inbounds ([3 x i32], ptr @aliasarray, i64 0, i64 2) to i64), i64 ptrtoint (ptr @rel to i64)) to i32)
@vt = constant ptr getelementptr inbounds inrange(-16, 8) ({ [3 x ptr] }, ptr @vtable, i32 0, i32 0, i32 2)
@vtable = internal constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @f, ptr dso_local_equivalent @f] }
@cfi = global ptr no_cfi @f
@signed = global ptr ptrauth (ptr @f, i32 0, i64 42)
@llvm.used = appending global [2 x ptr] [ptr @plain, ptr @f], section "llvm.metadata"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @f, ptr @plain }]
@spaced = addrspace(3) externally_initialized global i32 undef
@pspaced = global ptr addrspace(3) @spaced
@cast = global ptr addrspacecast (ptr addrspace(3) @spaced to ptr)

@al = alias i32, ptr @plain
@al2 = weak hidden unnamed_addr alias [2 x i32], getelementptr inbounds ([3 x i32], ptr @aliasarray, i64 0, i64 1)
@alf = dso_local alias void (i32, ...), ptr @f
@altls = thread_local(initialexec) alias i32, ptr @tls
@ifn = ifunc i32 (ptr), ptr @resolve

declare void @decl(ptr noundef %named, i64) local_unnamed_addr #0
declare extern_weak x86_stdcallcc signext i8 @conv(i32 inreg, ...)
declare cc 11 void @hipe()
declare x86_intrcc void @irq(ptr byval(i64))

define ptr @resolve() {
  ret ptr null
}

define void @f(i32 %x, ...) #1 section ".text.hot" comdat($any) align 32 gc "statepoint-example" prefix i32 5 prologue i8 -112 {
  ret void
}

define internal preserve_mostcc noalias nonnull align 16 dereferenceable_or_null(32) ptr @g(ptr noalias nocapture nofree noundef nonnull returned writable align 8 dead_on_unwind initializes((0, 8)) %a, ptr nest %b, i32 allocalign zeroext %c, float nofpclass(nan inf) %d, ptr byref(%0) %e, ptr swiftself %s, ptr preallocated(i32) %z) unnamed_addr alwaysinline nounwind uwtable(async) memory(argmem: readwrite) allockind("alloc,zeroed") allocsize(2) vscale_range(1,16) "target-cpu"="x86-64" {
  ret ptr %a
}

attributes #0 = { nounwind willreturn allocsize(1) "s"="\22" }
attributes #1 = { noinline optnone sspstrong "frame-pointer"="all" "odd \09key" "target-features"="+sse2,-avx" }

!llvm.dbg.cu = !{!3}
!llvm.module.flags = !{!5}
!odd\20name = !{!0, !0}
!0 = !{ptr @plain}
!2 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression(DW_OP_deref))
!1 = distinct !DIGlobalVariable(name: "x", scope: !3, file: !4, line: 1, type: !6, isLocal: false, isDefinition: true)
!3 = distinct !DICompileUnit(language: DW_LANG_C99, file: !4, producer: "p", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false)
!4 = !DIFile(filename: "x\22.c", directory: "/", checksumkind: CSK_MD5, checksum: "00000000000000000000000000000000")
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
