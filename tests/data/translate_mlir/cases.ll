; What MLIR 19 has words for: names, constants, types, attributes, instructions, metadata.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%node = type { ptr, i32, %"a \22name\22" }
%"a \22name\22" = type <{ i8, i16 }>
%opaque = type opaque
%wide = type { %node, %node, %node, [3 x %node], [4 x { i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }] }

$group = comdat any
$"odd name" = comdat largest

@i1 = global i1 true
@i7 = global i7 -3
@i128 = global i128 -170141183460469231731687303715884105728
@half = global half 0xH3C01
@bfloat = global bfloat 0xR3F81
@float = global float 0x3FD5555560000000
@nan = global float 0x7FF8000020000000
@double = global double 1.000000e-310
@inf = global double 0xFFF0000000000000
@x87 = global x86_fp80 0xK3FFF8000000000000001
@quad = global fp128 0xL00000000000000013FFF000000000000
@string = private unnamed_addr constant [6 x i8] c"a\22\\\00\FF\0A", align 1
@strings = global [2 x [2 x i8]] [[2 x i8] c"a\00", [2 x i8] c"\80\00"]
@numbers = global [2 x [3 x i16]] [[3 x i16] [i16 1, i16 -1, i16 0], [3 x i16] [i16 4, i16 5, i16 6]]
@bits = global [3 x i1] [i1 true, i1 false, i1 true]
@floats = global [2 x float] [float 1.000000e+00, float 0xFFF0000000000000]
@splat = global <8 x i8> splat (i8 7)
@struct = global %node { ptr @struct, i32 7, %"a \22name\22" <{ i8 1, i16 -2 }> }, section "some.data", align 16
@zeroes = internal global [100 x %node] zeroinitializer
@empty = global [0 x i32] zeroinitializer
@mixed = global { i32, [2 x ptr], float } { i32 undef, [2 x ptr] [ptr @mixed, ptr getelementptr inbounds (%node, ptr @zeroes, i64 3, i32 2, i32 1)], float poison }
@difference = global i64 sub (i64 ptrtoint (ptr @i128 to i64), i64 ptrtoint (ptr @i7 to i64))
@function = global ptr @variadic
@common = common global i64 0
@outside = external hidden global %opaque
@weak = extern_weak global i8
@space = addrspace(3) global i32 4
@hidden = weak_odr hidden local_unnamed_addr constant i32 3, comdat($group), align 4
@"odd name" = linkonce_odr global i32 3, comdat
@"\01exact$name.x" = global i8 1
@used = appending global [1 x ptr] [ptr @i7], section "llvm.metadata"
@large = external global %wide
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @start, ptr null }, { i32, ptr, ptr } { i32 1, ptr @start, ptr null }]

declare i32 @variadic(ptr nocapture noundef readonly, ...)
declare signext i16 @extended(i8 zeroext, i1 signext)
declare void @structs(ptr sret(%node) align 8, ptr byval(%node) align 8, ptr nest)
declare i32 @personality(...)
declare extern_weak void @maybe()
declare noalias ptr @allocate(i64 noundef) allocsize(0) allockind("alloc,zeroed") "alloc-family"="own" memory(inaccessiblemem: readwrite)

define internal void @start() nounwind willreturn memory(none) {
  ret void
}

define i32 @arithmetic(i32 %a, i32 %b, float %f, <4 x float> %v, i1 %c) #0 {
  %1 = add nuw nsw i32 %a, %b
  %2 = sdiv exact i32 %1, 3
  %3 = shl nsw i32 %2, 2
  %"odd \22name" = or disjoint i32 %3, 1
  %x-y$z = fadd nnan nsz float %f, 0x3FB99999A0000000
  %6 = fcmp fast ueq float %x-y$z, 0.000000e+00
  %7 = select i1 %6, i32 %"odd \22name", i32 undef
  %8 = fneg reassoc <4 x float> %v
  %9 = shufflevector <4 x float> %8, <4 x float> poison, <6 x i32> <i32 0, i32 poison, i32 3, i32 2, i32 1, i32 7>
  %10 = extractelement <6 x float> %9, i32 3
  %11 = insertelement <4 x float> %v, float %10, i64 2
  %12 = fptosi <4 x float> %11 to <4 x i8>
  %13 = bitcast <4 x i8> %12 to i32
  %14 = freeze i32 %13
  %15 = icmp ult i32 %14, %7
  %16 = zext nneg i1 %15 to i32
  %17 = fcmp true float %f, %10
  %18 = and i1 %17, %c
  %19 = zext i1 %18 to i32
  %20 = add i32 %16, %19
  ret i32 %20
}

define i32 @memory(ptr %p, i64 %i, <2 x i64> %is) {
  %big = alloca %wide, align 32
  %some = alloca i16, i64 %i
  %1 = load volatile i32, ptr %p, align 1, !tbaa !0, !nontemporal !5
  store i32 %1, ptr %big, align 4, !alias.scope !6, !noalias !9
  %2 = getelementptr inbounds %wide, ptr %big, i64 %i, i32 3, i64 1, i32 2, i32 1
  %3 = load i16, ptr %2, align 2, !invariant.load !5
  %4 = getelementptr i8, ptr %p, <2 x i64> %is
  %5 = extractelement <2 x ptr> %4, i32 1
  %6 = load atomic i32, ptr %5 syncscope("singlethread") acquire, align 4
  store atomic volatile i32 %6, ptr %p release, align 8
  %7 = cmpxchg weak volatile ptr %p, i32 %6, i32 1 acq_rel monotonic, align 4
  %8 = extractvalue { i32, i1 } %7, 0
  %9 = atomicrmw xor ptr %p, i32 %8 seq_cst, align 4
  %10 = atomicrmw umin ptr %p, i32 %9 syncscope("singlethread") monotonic, align 4
  fence seq_cst
  %11 = insertvalue { i32, { i8, i32 } } undef, i32 %10, 1, 1
  %12 = extractvalue { i32, { i8, i32 } } %11, 1, 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 2 %some, i64 4, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %p, i8 3, i64 4, i1 true)
  ret i32 %12
}

define i32 @control(i32 %n, i8 %s) {
entry:
  switch i8 %s, label %bb1 [
    i8 -1, label %merge
    i8 127, label %bb1
    i8 -128, label %merge
  ], !prof !15
bb1:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %merge, label %loop, !prof !14
loop:
  %i = phi i32 [ %n, %bb1 ], [ %next, %loop ]
  %other = phi i32 [ 7, %bb1 ], [ %i, %loop ]
  %next = sub i32 %i, 1
  %done = icmp sle i32 %next, 0
  br i1 %done, label %merge, label %loop, !llvm.loop !11
merge:
  %r = phi i32 [ 1, %entry ], [ 1, %entry ], [ 2, %bb1 ], [ %other, %loop ]
  ret i32 %r
}

define i32 @calls(ptr %p, ptr %f, i8 %c) personality ptr @personality {
  %1 = call i32 (ptr, ...) @variadic(ptr noundef @string, i32 1, double 2.000000e+00)
  %2 = call signext i16 @extended(i8 zeroext %c, i1 signext true)
  %3 = tail call fastcc signext i16 %f(i8 zeroext %c)
  %4 = notail call i32 (ptr, ...) %f(ptr %p, i64 4)
  %5 = call i64 @variadic(i64 3)
  call void @structs(ptr sret(%node) align 8 %p, ptr byval(%node) align 8 @struct, ptr nest null)
  %6 = call i32 asm sideeffect "", "=r,0,~{memory}"(i32 %1)
  %7 = invoke i32 @control(i32 %6, i8 %c)
          to label %8 unwind label %10
8:
  %9 = phi i32 [ %4, %0 ]
  %sum = add i32 %9, %7
  ret i32 %sum
10:
  %11 = phi i32 [ %1, %0 ]
  %12 = landingpad { ptr, i32 }
          cleanup
          catch ptr @string
          filter [1 x ptr] [ptr @double]
  store i32 %11, ptr %p
  resume { ptr, i32 } %12
}

define double @intrinsics(double %x, float %y, i32 %n, ptr %p, <4 x i32> %v, <4 x i1> %m) {
  %1 = call contract double @llvm.sqrt.f64(double %x)
  %2 = call double @llvm.fma.f64(double %x, double %1, double 3.000000e+00)
  %3 = call i32 @llvm.ctlz.i32(i32 %n, i1 true)
  %4 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %n, i32 %3)
  %5 = extractvalue { i32, i1 } %4, 0
  %6 = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
  %7 = call i32 @llvm.fshl.i32(i32 %5, i32 %6, i32 3)
  %8 = call i1 @llvm.is.fpclass.f32(float %y, i32 3)
  call void @llvm.assume(i1 %8)
  call void @llvm.lifetime.start.p0(i64 16, ptr %p)
  %9 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %m, <4 x i32> %v)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %9, ptr %p, i32 4, <4 x i1> %m)
  call void @llvm.lifetime.end.p0(i64 16, ptr %p)
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)
  %10 = call ptr @llvm.stacksave.p0()
  call void @llvm.stackrestore.p0(ptr %10)
  %11 = call i32 @llvm.smax.i32(i32 %7, i32 %n)
  %12 = call i32 @llvm.expect.i32(i32 %11, i32 1)
  %13 = sitofp i32 %12 to double
  %14 = fadd double %13, %2
  ret double %14
}

define void @arguments(i32 %n, ...) {
  %list = alloca [1 x { i32, i32, ptr, ptr }], align 16
  %copy = alloca [1 x { i32, i32, ptr, ptr }], align 16
  call void @llvm.va_start.p0(ptr %list)
  call void @llvm.va_copy.p0(ptr %copy, ptr %list)
  call void @llvm.va_end.p0(ptr %list)
  ret void
}

declare double @llvm.sqrt.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare i32 @llvm.ctlz.i32(i32, i1 immarg)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i1 @llvm.is.fpclass.f32(float, i32 immarg)
declare void @llvm.assume(i1 noundef)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32 immarg, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32 immarg, <4 x i1>)
declare void @llvm.prefetch.p0(ptr, i32 immarg, i32 immarg, i32 immarg)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.expect.i32(i32, i32)
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)

attributes #0 = { noinline nounwind uwtable(sync) vscale_range(1,16) "frame-pointer"="non-leaf" "target-cpu"="x86-64" "target-features"="+sse2,-avx" "unsafe-fp-math"="true" "own" "own-value"="a \22b\22" memory(read, argmem: readwrite) }

!0 = !{!1, !2, i64 8, i64 1}
!1 = !{!"record", !2, i64 0, !2, i64 8}
!2 = !{!"int", !3, i64 0}
!3 = !{!"char", !4, i64 0}
!4 = !{!"a \22root\22"}
!5 = !{i32 1}
!6 = !{!7}
!7 = distinct !{!7, !8, !"scope"}
!8 = distinct !{!8, !"domain"}
!9 = !{!10}
!10 = distinct !{!10, !8}
!11 = distinct !{!11, !12, !13}
!12 = !{!"llvm.loop.mustprogress"}
!13 = !{!"llvm.loop.unroll.count", i32 3}
!14 = !{!"branch_weights", i32 1, i32 9}
!15 = !{!"branch_weights", i32 1, i32 2, i32 3, i32 4}
