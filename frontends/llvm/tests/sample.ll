; ModuleID = 'sample.c'
source_filename = "sample.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

module asm ".globl nothing"

%struct.point = type { i32, double, [3 x i8] }
%struct.list = type { ptr, %struct.point }
%"name with spaces" = type opaque
%0 = type { i64, i64 }

$group = comdat any

@text = private unnamed_addr constant [6 x i8] c"a\22\\b\0A\00", align 1
@zeros = dso_local global [1000 x %struct.list] zeroinitializer, align 16
@numbers = internal constant [4 x i32] [i32 1, i32 -2, i32 2147483647, i32 -2147483648], align 16
@record = global { i8, i16, ptr, double, [2 x i8] } { i8 1, i16 515, ptr getelementptr inbounds (i8, ptr @numbers, i64 8), double 1.5, [2 x i8] c"xy" }, align 8
@packed = global <{ i8, i32 }> <{ i8 -1, i32 u0x12345678 }>, align 1
@broken = global [2 x ptr] [ptr @record,
    ptr @zeros
  ], align 8
    @indented = global i32 6
@external = external global i32, align 4
@maybe = extern_weak global i32
@tentative = common dso_local global i64 0, align 8
@thread = thread_local global i32 7, align 4
@fast = internal thread_local(localexec) unnamed_addr global i32 0
@relative = hidden constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @text to i64), i64 ptrtoint (ptr @relative to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @relative to i64)) to i32)], align 4
@targets = internal constant [2 x ptr] [ptr blockaddress(@jumps, %one), ptr blockaddress(@jumps, %"two words")]
@floats = constant { half, bfloat, float, x86_fp80, fp128 } { half 0xH3C00, bfloat 0xR3F80, float 0x3FB99999A0000000, x86_fp80 0xK3FFF8000000000000000, fp128 0xL00000000000000003FFF000000000000 }
@vectors = constant { <4 x i32>, <8 x i1> } { <4 x i32> <i32 1, i32 2, i32 undef, i32 poison>, <8 x i1> <i1 true, i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 true> }
@"quoted name" = weak_odr global i8 3, section "mine", comdat($group), align 1, !type !2
@0 = private constant i16 9
@other = alias i32, ptr getelementptr inbounds ([4 x i32], ptr @numbers, i64 0, i64 1)
@indirect = ifunc i32 (i32), ptr @resolver
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 101, ptr @nothing, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @"other one", ptr null }]
@llvm.used = appending global [1 x ptr] [ptr @record], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @packed], section "llvm.metadata"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @f(i32 noundef %0, ptr nocapture noundef readonly captures(none) %1) #0 !custom !2 {
  %3 = alloca i32, align 4
  %4 = alloca %struct.list, align 8
  store i32 %0, ptr %3, align 4
  %5 = load i32, ptr %3, align 4
  %6 = getelementptr inbounds nuw %struct.list, ptr %4, i32 0, i32 1, i32 2
  %7 = sext i32 %5 to i64
  %8 = getelementptr inbounds [3 x i8], ptr %6, i64 0, i64 %7, !noundef !2
    #dbg_declare(ptr %3, !2, !DIExpression(DW_OP_deref), !2)
  %9 = load i8, ptr %8, align 1, !range !{i8 0, i8 2}
  %10 = zext nneg i8 %9 to i32
  %11 = add nuw nsw i32 %10, 1
  %12 = icmp samesign ult i32 %11, 256
  br i1 %12, label %13, label %17

13:                                               ; preds = %2
  %14 = phi i32 [ %11, %2 ]
  %15 = or disjoint i32 %14, 4096
  %16 = call i32 (ptr, ...) @printf(ptr noundef nonnull @text, i32 noundef %15, double 1.000000e+00) #1
  br label %17

17:                                               ; preds = %13, %2
  %18 = phi i32 [ %16, %13 ], [ ptrtoint (ptr null to i32), %2 ]
  switch i32 %18, label %19 [
    i32 0, label %19
    i32 -5, label %20
  ]

19:                                               ; preds = %17, %17
  ret i32 %18

20:                                               ; preds = %17
  unreachable
}

define void @nothing() {
  ret void
}

define internal void @"other one"() unnamed_addr #2 comdat($group) align 32 { ret void }

define available_externally i32 @elsewhere() {
  ret i32 0
}

define ptr @resolver() {
entry:
  ret ptr @f
}

define i32 @jumps(i32 %n, ptr %where) {
entry:
  %slot = getelementptr [2 x ptr], ptr @targets, i64 0, i32 %n
  %to = load ptr, ptr %slot
  indirectbr ptr %to, [label %one, label %"two words"]

one:
  br label %"two words"

"two words":
  %"a \22value\22" = phi i32 [ 1, %entry ], [ 2, %one ]
  ret i32 %"a \22value\22"
}

define i64 @loop(i64 %n) local_unnamed_addr #0 {
entry:
  br label %test

body:
  %sum.next = add i64 %sum, %i
  %i.next = add i64 %i, 1
  br label %test

test:
  %i = phi i64 [ 0, %entry ], [ %i.next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done

later:
  ret i64 %twice

done:
  %twice = shl i64 %sum, 1
  br label %later
}

define { i64, double } @pair(i64 %a, double %b) {
  %1 = insertvalue { i64, double } poison, i64 %a, 0
  %2 = insertvalue { i64, double } %1, double %b, 1
  %3 = extractvalue { i64, double } %2, 1
  %4 = fadd fast double %3, 1.0
  %5 = insertvalue { i64, double } %2, double %4, 1
  ret { i64, double } %5
}

define { i64, i64, i64, i64, i64 } @large(i64 %a) {
  %1 = call { i64, i64, i64, i64, i64 } @large(i64 0)
  %2 = insertvalue { i64, i64, i64, i64, i64 } %1, i64 %a, 4
  %3 = freeze { i64, i64, i64, i64, i64 } %2
  ret { i64, i64, i64, i64, i64 } %3
}

define void @aggregates(ptr sret(%0) %s, ptr %p, [2 x i32] %q, ptr byval(%struct.point) align 8 %r) {
  %1 = load %0, ptr %p, align 8
  store %0 %1, ptr %s, align 16
  %2 = select i1 true, [2 x i32] %q, [2 x i32] [i32 3, i32 4]
  store [2 x i32] %2, ptr %p
  call void @aggregates(ptr sret(%0) %s, ptr %p, [2 x i32] zeroinitializer, ptr byval(%struct.point) align 8 %r)
  ret void
}

define <4 x i32> @lanes(<4 x i32> %a, <4 x ptr> %p, i32 %i) {
  %1 = getelementptr i32, <4 x ptr> %p, <4 x i64> <i64 1, i64 2, i64 3, i64 4>
  %2 = getelementptr i32, ptr @numbers, <4 x i32> %a
  %3 = icmp eq <4 x ptr> %1, %2
  %4 = select <4 x i1> %3, <4 x i32> %a, <4 x i32> splat (i32 7)
  %5 = shufflevector <4 x i32> %4, <4 x i32> poison, <4 x i32> <i32 3, i32 poison, i32 1, i32 0>
  %6 = extractelement <4 x i32> %5, i32 %i
  %7 = insertelement <4 x i32> zeroinitializer, i32 %6, i64 2
  %8 = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %7)
  %9 = insertelement <4 x i32> undef, i32 %8, i32 0
  %10 = shufflevector <4 x i32> %9, <4 x i32> %9, <4 x i32> zeroinitializer
  %11 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr @numbers, i32 4, <4 x i1> %3, <4 x i32> %10)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %11, ptr @numbers, i32 4, <4 x i1> %3)
  %12 = call <4 x float> @llvm.sin.v4f32(<4 x float> zeroinitializer)
  %13 = bitcast <4 x float> %12 to <4 x i32>
  %14 = add <4 x i32> %11, %13
  %15 = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %1, i32 4, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, <4 x i32> %14)
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %15, <4 x ptr> %1, i32 4, <4 x i1> %3)
  ret <4 x i32> %15
}

define i32 @memory(ptr %p, i64 %n) #0 {
  %1 = alloca i8, i64 %n, align 16
  %2 = call ptr @llvm.stacksave.p0()
  call void @llvm.lifetime.start.p0(i64 8, ptr %1)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %1, ptr align 4 %p, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %1, i8 0, i64 16, i1 true), !noundef !2
  call void @llvm.stackrestore.p0(ptr %2)
  %3 = load atomic i32, ptr %p seq_cst, align 4
  store atomic volatile i32 %3, ptr %p syncscope("singlethread") release, align 4
  %4 = cmpxchg weak ptr %p, i32 %3, i32 5 acq_rel monotonic, align 4
  %5 = extractvalue { i32, i1 } %4, 0
  %6 = atomicrmw volatile add ptr %p, i32 %5 seq_cst
  %7 = atomicrmw xchg ptr %p, float 1.0 monotonic, align 4
  fence syncscope("singlethread") seq_cst
  %8 = call ptr @llvm.threadlocal.address.p0(ptr @thread)
  store i32 %6, ptr %8
  store i32 1, ptr @fast
  %9 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %6, i32 1)
  %10 = extractvalue { i32, i1 } %9, 1
  %11 = call i1 @llvm.is.fpclass.f64(double 0.0, i32 519)
  %12 = xor i1 %10, %11
  %13 = call i32 @llvm.fshl.i32(i32 %3, i32 %5, i32 7)
  %14 = call i32 asm sideeffect "", "=r,0,~{memory},~{dirflag},~{fpsr},~{flags}"(i32 %13) #3, !srcloc !2
  call void asm sideeffect "", "*m,~{memory}"(ptr elementtype(i32) %p)
  %15 = call i32 @llvm.objectsize.i32.p0(ptr %p, i1 false, i1 true, i1 false)
  %16 = call double @llvm.pow.f64(double 2.0, double 3.0)
  %17 = fptosi double %16 to i32
  %18 = call i32 @setjmp(ptr %p) #4
  %19 = tail call fastcc i32 %p(i8 signext 1, i1 zeroext true)
  %20 = call ptr @llvm.load.relative.i64(ptr @relative, i64 4)
  ret i32 %14
}

define i64 @sizes(ptr %p) {
  %buffer = alloca [40 x i8]
  %at = getelementptr i8, ptr %buffer, i64 8
  %1 = call i64 @llvm.objectsize.i64.p0(ptr %at, i1 true, i1 true, i1 false)
  %2 = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 true, i1 true, i1 false)
  call void @llvm.x86.sse2.mfence()
  call void @llvm.x86.sse2.pause()
  %3 = add i64 %1, %2
  ret i64 %3
}

define void @lists(i32 %n, ...) {
  %1 = alloca [1 x { i32, i32, ptr, ptr }], align 16
  call void @llvm.va_start.p0(ptr %1)
  %2 = va_arg ptr %1, i32
  call void @llvm.va_end.p0(ptr %1)
  ret void
}

define ptr @joins(i32 %n) {
  switch i32 %n, label %many [
    i32 0, label %one
    i32 1, label %two
  ]

one:
  br label %join

two:
  br label %join

many:
  %alone = phi ptr [ @thread, %0 ]
  br label %join

join:
  %where = phi ptr [ @thread, %one ], [ getelementptr (i8, ptr @numbers, i64 4), %two ], [ %alone, %many ]
  %part = phi i32 [ ptrtoint (ptr @numbers to i32), %one ], [ 3, %two ], [ xor (i32 ptrtoint (ptr @zeros to i32), i32 7), %many ]
  %sum = getelementptr i8, ptr %where, i32 %part
  ret ptr %sum
}

@wide = global [2 x i168] [i168 -5, i168 374144419156711147060143317175368453031918731001855], align 16
@wide_address = global { i8, i192 } { i8 1, i192 ptrtoint (ptr @wide to i192) }
@wide_digits = global i200 s0x80000000000000000000000000000000000000000000000001

define i168 @wide_integers(i168 %a, ptr %p, i129 %b, i64 %n) {
entry:
  %old = load volatile i168, ptr %p, align 1
  %kept = and i168 %old, -38685626227668133590597632
  %z = zext i64 %n to i168
  %moved = shl nuw i168 %z, 85
  %new = or disjoint i168 %kept, %moved
  store i168 %new, ptr %p, align 1
  %up = shl i168 %new, 60
  %down = ashr exact i168 %up, 130
  %narrow = trunc i168 %down to i65
  %back = sext i65 %narrow to i168
  %less = icmp slt i168 %back, %a
  %same = icmp eq i168 %back, %a
  br i1 %less, label %loop, label %out
loop:
  %i = phi i168 [ %a, %entry ], [ %next, %loop ]
  %next = sub nsw i168 %i, 1
  %count = trunc i168 %i to i8
  %pair = call { i129, i1 } @llvm.smul.with.overflow.i129(i129 %b, i129 -3)
  %low = extractvalue { i129, i1 } %pair, 0
  %over = extractvalue { i129, i1 } %pair, 1
  %by = zext i8 %count to i129
  %shifted = lshr i129 %low, %by
  store i129 %shifted, ptr %p, align 16
  br i1 %over, label %loop, label %out
out:
  %r = phi i168 [ poison, %entry ], [ %next, %loop ]
  %s = select i1 %same, i168 %r, i168 zeroinitializer
  %f = freeze i168 %s
  %v = bitcast <8 x i32> zeroinitializer to i256
  %element = getelementptr i8, ptr %p, i256 %v
  %max = call i256 @llvm.umax.i256(i256 %v, i256 77)
  store { i8, i256 } { i8 0, i256 undef }, ptr %element
  %sum = call i168 @wide_integers(i168 %f, ptr %element, i129 1, i64 2)
  %product = mul i168 %sum, %a
  ret i168 %product
}

declare { i129, i1 } @llvm.smul.with.overflow.i129(i129, i129)
declare i256 @llvm.umax.i256(i256, i256)
declare i32 @printf(ptr noundef, ...) #1
declare i32 @setjmp(ptr) #4
declare !custom !2 void @unused(ptr dead_on_unwind noalias writable sret(%struct.point) align 8, i32 range(i32 0, 10), float nofpclass(nan inf)) local_unnamed_addr
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg)
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg)
declare ptr @llvm.threadlocal.address.p0(ptr nonnull)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare i1 @llvm.is.fpclass.f64(double, i32 immarg)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.objectsize.i32.p0(ptr, i1 immarg, i1 immarg, i1 immarg)
declare i64 @llvm.objectsize.i64.p0(ptr, i1 immarg, i1 immarg, i1 immarg)
declare void @llvm.x86.sse2.mfence()
declare void @llvm.x86.sse2.pause()
declare double @llvm.pow.f64(double, double)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, i32, <4 x i1>)
declare <4 x float> @llvm.sin.v4f32(<4 x float>)
declare ptr @llvm.load.relative.i64(ptr, i64)
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)

define i32 @catching(ptr %p, i32 %n) uwtable personality ptr @__gxx_personality_v0 {
entry:
  %a = invoke i32 @f(i32 %n, ptr %p)
          to label %next unwind label %pad
next:
  %b = invoke { i64, i32 } @two_parts(i32 %a) #3 to label %done unwind label %pad, !dbg !2
done:
  %m = extractvalue { i64, i32 } %b, 1
  ret i32 %m
pad:
  %state = phi i32 [ 1, %entry ], [ %a, %next ]
  %e = landingpad { ptr, i32 }
          cleanup
          catch ptr @record
          catch ptr null
          filter [2 x ptr] [ptr @record, ptr @packed]
          filter [0 x ptr] zeroinitializer
  %x = extractvalue { ptr, i32 } %e, 0
  %k = extractvalue { ptr, i32 } %e, 1
  %t = call i32 @llvm.eh.typeid.for.p0(ptr @packed)
  %c = icmp eq i32 %k, %t
  br i1 %c, label %caught, label %on
caught:
  ret i32 %state
on:
  %again = insertvalue { ptr, i32 } poison, ptr %x, 0
  %all = insertvalue { ptr, i32 } %again, i32 %k, 1
  resume { ptr, i32 } %all
}

define void @unused_personality() personality ptr @__gxx_personality_v0 {
  call void @nothing()
  ret void
}

; Labels that begin with the words of instructions, as optimizers and other producers than clang make them; an attribute group
; and an intrinsic that nothing declares.
define i32 @labels(i32 %n) #77 {
entry.block:
  br label %for.body
for.body:                                         ; preds = %br-2, %entry.block
  %i = phi i32 [ %n, %entry.block ], [ %call.i, %br-2 ]
  %call.i = call i32 @llvm.ctpop.i32(i32 %i) #78
  %cond = icmp eq i32 %call.i, 7
  br i1 %cond, label %ret.x, label %bb2.i
bb2.i:
  br label %add$3.i
add$3.i:
  br label %br-2
br-2:
  br label %for.body
ret.x:
  ret i32 %i
}

; What neither throws nor jumps: intrinsics and assembly without instructions.
define i32 @quiet(i32 %n) personality ptr @__gxx_personality_v0 {
  %c = invoke i32 @llvm.ctpop.i32(i32 %n) to label %next unwind label %pad
next:
  invoke void asm sideeffect "# nothing; ${0:c}", "r,~{memory}"(i32 %c) to label %go unwind label %pad
go:
  %v = callbr i32 asm sideeffect "nop; nop # ${1:l}", "=r,0,!i,!i"(i32 %c) to label %on [label %first, label %on]
first:
  br label %on
on:
  %r = phi i32 [ %v, %go ], [ %v, %go ], [ 5, %first ], [ %m, %pad ]
  ret i32 %r
pad:
  %m = phi i32 [ 1, %0 ], [ 2, %next ]
  %e = landingpad { ptr, i32 } cleanup
  br label %on
}

; Without a personality routine nothing is caught.
define i32 @passing() personality ptr null {
  invoke void @nothing() to label %next unwind label %pad
next:
  ret i32 1
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  %k = extractvalue { ptr, i32 } %e, 1
  ret i32 %k
}

%named_pair = type { i32, i1 }
%function_type = type i32 (i32)
@named_alias = alias %function_type, ptr @quiet
@thread_alias = thread_local alias i32, ptr @thread
@common_in_a_section = common global i32 0, section ".mine"
@llvm.embedded.module = private constant [2 x i8] c"BC", section ".llvmbc"
define i32 @named_pairs(i32 %n) {
  %p = call %named_pair @llvm.uadd.with.overflow.i32(i32 %n, i32 5)
  %s = extractvalue %named_pair %p, 0
  ret i32 %s
}

declare i32 @__gxx_personality_v0(...)
declare { i64, i32 } @two_parts(i32)
declare i32 @llvm.eh.typeid.for.p0(ptr)

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "stack-protector-buffer-size"="8" }
attributes #1 = { nonlazybind memory(argmem: readwrite) }
attributes #2 = { noredzone optsize noreturn }
attributes #3 = { nounwind }
attributes #4 = { nounwind returns_twice }

!llvm.module.flags = !{!0, !3}
!llvm.ident = !{!1}
!0 = !{i32 8, !"cf-protection-branch", i32 1}
!1 = !{!"a compiler of \22ours\22"}
!2 = !{}
!3 = !{i32 8, !"PIC Level", i32 2}

define void @guarded(i32 %n) sspstrong "frame-pointer"="non-leaf" "stack-protector-buffer-size"="32" {
  %a = alloca [20 x i16]
  %b = alloca { i32, [3 x i8] }
  %c = alloca i32
  store i32 %n, ptr %c
  ret void
}

define void @patched() "fentry-call"="true" "patchable-function"="prologue-short-redirect" "patchable-function-entry"="3" "patchable-function-prefix"="2" prefix { i32, ptr } { i32 7, ptr @zeros } prologue <4 x i8> <i8 1, i8 2, i8 3, i8 4> {
  ret void
}

define i32 @profiled(i32 %n) "instrument-function-entry-inlined"="mcount" "instrument-function-exit-inlined"="__cyg_profile_func_exit" {
  ret i32 %n
}

define void @guarded_always() sspreq "zero-call-used-regs"="used-gpr" {
  ret void
}
