; What LLVM 3.7 to 14 wrote. `opaque.ll` says the same with opaque pointers.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.list = type { %struct.list*, i32 (i8*, ...)*, [2 x i64*] }
%row = type [4 x i32]
%class = type { i64, i64, i64 }
%unknown = type opaque

@text = private unnamed_addr constant [4 x i8] c"abc\00", align 1
@start = global i8* getelementptr inbounds ([4 x i8], [4 x i8]* @text, i64 0, i64 1), align 8
@head = global %struct.list { %struct.list* @head, i32 (i8*, ...)* @printf, [2 x i64*] zeroinitializer }, align 8
@functions = constant [2 x void (i32)*] [void (i32)* @one, void (i32)* null]
@elsewhere = external global %unknown*
@rows = global [2 x %row] zeroinitializer
@second = alias i8, getelementptr inbounds ([4 x i8], [4 x i8]* @text, i32 0, i32 1)
@same = alias void (i32), void (i32)* @one
@cast = alias i16, bitcast ([4 x i8]* @text to i16*)
@chosen = ifunc void (i32), void (i32)* ()* @resolver
@llvm.global_ctors = appending global [1 x { i32, void ()*, i8* }] [{ i32, void ()*, i8* } { i32 65535, void ()* @start_up, i8* null }]
@llvm.used = appending global [1 x i8*] [i8* bitcast (%struct.list* @head to i8*)], section "llvm.metadata"

define void @one(i32 %n) {
  ret void
}

define internal void (i32)* @resolver() {
  ret void (i32)* @one
}

define internal void @start_up() {
  %p = load i8*, i8** @start, align 8
  store i8 0, i8* %p, align 1
  %n = call i32 (i8*, ...) @printf(i8* %p, i32 1)
  %list = load %struct.list*, %struct.list** getelementptr inbounds (%struct.list, %struct.list* @head, i32 0, i32 0), align 8
  %f = getelementptr inbounds %struct.list, %struct.list* %list, i64 0, i32 1
  %fp = load i32 (i8*, ...)*, i32 (i8*, ...)** %f, align 8
  %m = call i32 (i8*, ...) %fp(i8* bitcast (%struct.list* @head to i8*), i64* null)
  call void bitcast (void (i32)* @one to void (i64)*)(i64 7)
  %row = getelementptr %row, %row* getelementptr ([2 x %row], [2 x %row]* @rows, i64 0, i64 1), i64 0, i64 2
  store i32 %m, i32* %row
  ret void
}

define void @result(%class* noalias sret align 8 %r, %class* byval %c, i8 addrspace(0)* nocapture %p) {
  %raw = bitcast %class* %r to i8*
  %from = bitcast %class* %c to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %raw, i8* align 8 %from, i64 24, i1 false)
  ret void
}

define i32 @values(i8** %list, <2 x i32*> %pair, i32* %counter) personality i8* bitcast (i32 (...)* @__gxx_personality_v0 to i8*) {
entry:
  %copy = alloca %class, align 8
  %own = alloca %class*, align 8
  store %class* %copy, %class** %own, align 8
  call void @llvm.lifetime.start.p0i8(i64 8, i8* nonnull null)
  %ap = bitcast i8** %list to i8*
  %argument = va_arg i8** %list, i32
  %first = extractelement <2 x i32*> %pair, i32 0
  %null = icmp eq i32* %first, null
  %which = select i1 %null, i32* %counter, i32* %first
  %old = atomicrmw add i32* %which, i32 %argument seq_cst, align 4
  %swap = cmpxchg i32* %which, i32 0, i32 1 seq_cst seq_cst, align 4
  %number = ptrtoint i32* %which to i64
  %back = inttoptr i64 %number to i32*
  fence seq_cst
  invoke void @result(%class* sret %copy, %class* byval align 8 %copy, i8* null)
          to label %next unwind label %caught

next:
  %p = phi i32* [ %back, %entry ], [ null, %caught ]
  indirectbr i8* blockaddress(@values, %last), [label %last]

caught:
  %e = landingpad { i8*, i32 }
          catch i8* bitcast (i8** @type to i8*)
          catch i8* null
  %x = extractvalue { i8*, i32 } %e, 0
  br label %next

last:
  %v = load i32, i32* %p, align 4
  ret i32 %v
}

@type = external constant i8*
declare i32 @printf(i8*, ...)
declare i32 @__gxx_personality_v0(...)
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* noalias nocapture writeonly, i8* noalias nocapture readonly, i64, i1 immarg)
declare void @llvm.lifetime.start.p0i8(i64 immarg, i8* nocapture)
