; A program whose objects move at every call of @allocate. An object is { a, b, key }.
declare ptr addrspace(1) @allocate(i32)
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg)
declare ptr addrspace(1) @llvm.experimental.gc.result.p1(token)
declare i32 @llvm.experimental.gc.result.i32(token)
@__LLVM_StackMaps = external global i8

define ptr @stack_maps() {
  ret ptr @__LLVM_StackMaps
}

; A tree of this depth; keys count down the nodes.
define ptr addrspace(1) @build(i32 %depth) FRAME gc "statepoint-example" {
entry:
  %leaf = icmp eq i32 %depth, 0
  br i1 %leaf, label %none, label %node
none:
  ret ptr addrspace(1) null
node:
  %less = sub i32 %depth, 1
  %t1 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 1, i32 0, ptr elementtype(ptr addrspace(1) (i32)) @build, i32 1, i32 0, i32 %less, i32 0, i32 0)
  %l1 = call ptr addrspace(1) @llvm.experimental.gc.result.p1(token %t1)
  %t2 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2, i32 0, ptr elementtype(ptr addrspace(1) (i32)) @build, i32 1, i32 0, i32 %less, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %l1) ]
  %r2 = call ptr addrspace(1) @llvm.experimental.gc.result.p1(token %t2)
  %l2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t2, i32 0, i32 0)
  %t3 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 3, i32 0, ptr elementtype(ptr addrspace(1) (i32)) @allocate, i32 1, i32 0, i32 %depth, i32 0, i32 0) [ "deopt"(i32 %depth, i64 -5), "gc-live"(ptr addrspace(1) %l2, ptr addrspace(1) %r2) ]
  %n = call ptr addrspace(1) @llvm.experimental.gc.result.p1(token %t3)
  %l3 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t3, i32 0, i32 0)
  %r3 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t3, i32 1, i32 1)
  store ptr addrspace(1) %l3, ptr addrspace(1) %n
  %b = getelementptr ptr, ptr addrspace(1) %n, i32 1
  store ptr addrspace(1) %r3, ptr addrspace(1) %b
  ret ptr addrspace(1) %n
}

; The sum of a tree's keys. Each node's key is read by an address within the node that lives across calls.
define i32 @sum(ptr addrspace(1) %tree) FRAME gc "statepoint-example" {
entry:
  %none = icmp eq ptr addrspace(1) %tree, null
  br i1 %none, label %zero, label %node
zero:
  ret i32 0
node:
  %key = getelementptr ptr, ptr addrspace(1) %tree, i32 2
  %a = load ptr addrspace(1), ptr addrspace(1) %tree
  %t1 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 4, i32 0, ptr elementtype(i32 (ptr addrspace(1))) @sum, i32 1, i32 0, ptr addrspace(1) %a, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %tree, ptr addrspace(1) %key) ]
  %s1 = call i32 @llvm.experimental.gc.result.i32(token %t1)
  %key1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t1, i32 0, i32 1)
  %tree1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t1, i32 0, i32 0)
  %t2 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 5, i32 0, ptr elementtype(ptr addrspace(1) (i32)) @allocate, i32 1, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %tree1, ptr addrspace(1) %key1) ]
  %key2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t2, i32 0, i32 1)
  %tree2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t2, i32 0, i32 0)
  %pb = getelementptr ptr, ptr addrspace(1) %tree2, i32 1
  %b = load ptr addrspace(1), ptr addrspace(1) %pb
  %t3 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 6, i32 0, ptr elementtype(i32 (ptr addrspace(1))) @sum, i32 1, i32 0, ptr addrspace(1) %b, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %tree2, ptr addrspace(1) %key2) ]
  %s2 = call i32 @llvm.experimental.gc.result.i32(token %t3)
  %key3 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t3, i32 0, i32 1)
  %k = load i32, ptr addrspace(1) %key3
  %s3 = add i32 %s1, %s2
  %s4 = add i32 %s3, %k
  ret i32 %s4
}

; A list of this length, made in a loop; the sum of the tree is added to the last key.
define ptr addrspace(1) @list(i32 %length, ptr addrspace(1) %tree, i32 %p2, i32 %p3, i32 %p4, i32 %p5, i32 %p6, i32 %p7, i32 %p8) FRAME gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %head = phi ptr addrspace(1) [ null, %entry ], [ %n, %loop ]
  %t = phi ptr addrspace(1) [ %tree, %entry ], [ %tree1, %loop ]
  %more = add i32 %p8, %i
  %key = add i32 %more, %p2
  %s = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(ptr addrspace(1) (i32)) @allocate, i32 1, i32 0, i32 %key, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %head, ptr addrspace(1) %t, ptr addrspace(1) null) ]
  %n = call ptr addrspace(1) @llvm.experimental.gc.result.p1(token %s)
  %head1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %s, i32 0, i32 0)
  %tree1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %s, i32 1, i32 1)
  store ptr addrspace(1) %head1, ptr addrspace(1) %n
  %pb = getelementptr ptr, ptr addrspace(1) %n, i32 1
  store ptr addrspace(1) null, ptr addrspace(1) %pb
  %i1 = add i32 %i, 1
  %done = icmp eq i32 %i1, %length
  br i1 %done, label %exit, label %loop
exit:
  %s2 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 8, i32 0, ptr elementtype(i32 (ptr addrspace(1))) @sum, i32 1, i32 0, ptr addrspace(1) %tree1, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %n) ]
  %v = call i32 @llvm.experimental.gc.result.i32(token %s2)
  %n2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %s2, i32 0, i32 0)
  %pk = getelementptr ptr, ptr addrspace(1) %n2, i32 2
  %old = load i32, ptr addrspace(1) %pk
  %w = add i32 %old, %v
  store i32 %w, ptr addrspace(1) %pk
  ret ptr addrspace(1) %n2
}

define i32 @run(i32 %depth, i32 %length) FRAME gc "statepoint-example" {
  %t1 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 9, i32 0, ptr elementtype(ptr addrspace(1) (i32)) @build, i32 1, i32 0, i32 %depth, i32 0, i32 0)
  %tree = call ptr addrspace(1) @llvm.experimental.gc.result.p1(token %t1)
  %t2 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 10, i32 0, ptr elementtype(ptr addrspace(1) (i32, ptr addrspace(1), i32, i32, i32, i32, i32, i32, i32)) @list, i32 9, i32 0, i32 %length, ptr addrspace(1) %tree, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %tree) ]
  %list = call ptr addrspace(1) @llvm.experimental.gc.result.p1(token %t2)
  %tree2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t2, i32 0, i32 0)
  %t3 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 11, i32 0, ptr elementtype(i32 (ptr addrspace(1))) @sum, i32 1, i32 0, ptr addrspace(1) %list, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %tree2) ]
  %s = call i32 @llvm.experimental.gc.result.i32(token %t3)
  %tree3 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t3, i32 0, i32 0)
  %t4 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 12, i32 0, ptr elementtype(i32 (ptr addrspace(1))) @sum, i32 1, i32 0, ptr addrspace(1) %tree3, i32 0, i32 0)
  %u = call i32 @llvm.experimental.gc.result.i32(token %t4)
  %v = mul i32 %u, 1000
  %w = add i32 %v, %s
  ret i32 %w
}
