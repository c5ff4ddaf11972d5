; What `typed.ll` says, as LLVM 15 and later write it.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.list = type { ptr, ptr, [2 x ptr] }
%row = type [4 x i32]
%class = type { i64, i64, i64 }
%unknown = type opaque

@text = private unnamed_addr constant [4 x i8] c"abc\00", align 1
@start = global ptr getelementptr inbounds ([4 x i8], ptr @text, i64 0, i64 1), align 8
@head = global %struct.list { ptr @head, ptr @printf, [2 x ptr] zeroinitializer }, align 8
@functions = constant [2 x ptr] [ptr @one, ptr null]
@elsewhere = external global ptr
@rows = global [2 x %row] zeroinitializer
@second = alias i8, getelementptr inbounds ([4 x i8], ptr @text, i32 0, i32 1)
@same = alias void (i32), ptr @one
@cast = alias i16, ptr @text
@chosen = ifunc void (i32), ptr @resolver
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @start_up, ptr null }]
@llvm.used = appending global [1 x ptr] [ptr @head], section "llvm.metadata"

define void @one(i32 %n) {
  ret void
}

define internal ptr @resolver() {
  ret ptr @one
}

define internal void @start_up() {
  %p = load ptr, ptr @start, align 8
  store i8 0, ptr %p, align 1
  %n = call i32 (ptr, ...) @printf(ptr %p, i32 1)
  %list = load ptr, ptr getelementptr inbounds (%struct.list, ptr @head, i32 0, i32 0), align 8
  %f = getelementptr inbounds %struct.list, ptr %list, i64 0, i32 1
  %fp = load ptr, ptr %f, align 8
  %m = call i32 (ptr, ...) %fp(ptr @head, ptr null)
  call void @one(i64 7)
  %row = getelementptr %row, ptr getelementptr ([2 x %row], ptr @rows, i64 0, i64 1), i64 0, i64 2
  store i32 %m, ptr %row
  ret void
}

define void @result(ptr noalias sret(%class) align 8 %r, ptr byval(%class) %c, ptr nocapture %p) {
  %raw = getelementptr i8, ptr %r, i64 0
  %from = getelementptr i8, ptr %c, i64 0
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %raw, ptr align 8 %from, i64 24, i1 false)
  ret void
}

define i32 @values(ptr %list, <2 x ptr> %pair, ptr %counter) personality ptr @__gxx_personality_v0 {
entry:
  %copy = alloca %class, align 8
  %own = alloca ptr, align 8
  store ptr %copy, ptr %own, align 8
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull null)
  %ap = getelementptr i8, ptr %list, i64 0
  %argument = va_arg ptr %list, i32
  %first = extractelement <2 x ptr> %pair, i32 0
  %null = icmp eq ptr %first, null
  %which = select i1 %null, ptr %counter, ptr %first
  %old = atomicrmw add ptr %which, i32 %argument seq_cst, align 4
  %swap = cmpxchg ptr %which, i32 0, i32 1 seq_cst seq_cst, align 4
  %number = ptrtoint ptr %which to i64
  %back = inttoptr i64 %number to ptr
  fence seq_cst
  invoke void @result(ptr sret(%class) %copy, ptr byval(%class) align 8 %copy, ptr null)
          to label %next unwind label %caught

next:
  %p = phi ptr [ %back, %entry ], [ null, %caught ]
  indirectbr ptr blockaddress(@values, %last), [label %last]

caught:
  %e = landingpad { ptr, i32 }
          catch ptr @type
          catch ptr null
  %x = extractvalue { ptr, i32 } %e, 0
  br label %next

last:
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

@type = external constant ptr
declare i32 @printf(ptr, ...)
declare i32 @__gxx_personality_v0(...)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
