// Forms of the dialect `llvm` that few producers print.

llvm.func @printI64(i64)
llvm.func @printF32(f32)
llvm.func @printNewline()

llvm.mlir.global internal constant @truths(dense<[true, false, true, true, false, false, false, true, true]> : vector<9xi1>) : vector<9xi1>
llvm.mlir.global internal constant @few(sparse<[[1], [3]], [3, 4]> : vector<4xi32>) : vector<4xi32>
llvm.mlir.global internal @started(0 : i64) : i64
llvm.mlir.global_ctors {ctors = [@start, @first], priorities = [200 : i32, 101 : i32]}
llvm.mlir.global_dtors {dtors = [@end], priorities = [65535 : i32]}
llvm.comdat @__llvm_comdat {
  llvm.comdat_selector @shared any
}
llvm.linker_options ["-l", "m"]

llvm.func @shared(%a: i64) -> i64 comdat(@__llvm_comdat::@shared) {
  llvm.return %a : i64
}

llvm.func internal @first() {
  %p = llvm.mlir.addressof @started : !llvm.ptr
  %0 = llvm.mlir.constant(5 : i64) : i64
  llvm.store %0, %p : i64, !llvm.ptr
  llvm.return
}

llvm.func internal @start() {
  %p = llvm.mlir.addressof @started : !llvm.ptr
  %0 = llvm.load %p : !llvm.ptr -> i64
  %1 = llvm.add %0, %0 : i64
  llvm.store %1, %p : i64, !llvm.ptr
  llvm.return
}

llvm.func internal @end() {
  %0 = llvm.mlir.constant(99 : i64) : i64
  llvm.call @shown(%0) : (i64) -> ()
  llvm.return
}

llvm.func internal @shown(%n: i64) {
  llvm.call @printI64(%n) : (i64) -> ()
  llvm.call @printNewline() : () -> ()
  llvm.return
}

// A sum in which each lane counts by its place.
llvm.func internal @weighed(%v: vector<4xi32>) {
  %w = llvm.mlir.constant(dense<[1, 10, 100, 1000]> : vector<4xindex>) : vector<4xi32>
  %0 = llvm.mul %v, %w : vector<4xi32>
  %1 = "llvm.intr.vector.reduce.add"(%0) : (vector<4xi32>) -> i32
  %2 = llvm.sext %1 : i32 to i64
  llvm.call @shown(%2) : (i64) -> ()
  llvm.return
}

#domain = #llvm.alias_scope_domain<id = distinct[0]<>, description = "d">
#scope = #llvm.alias_scope<id = distinct[1]<>, domain = #domain>

llvm.func @entry() {
  %p = llvm.mlir.addressof @started : !llvm.ptr
  %0 = llvm.load %p : !llvm.ptr -> i64
  llvm.call @shown(%0) : (i64) -> ()
  %1 = llvm.intr.invariant.start 8, %p : !llvm.ptr
  // Notes and what follows them may stand in one line.
  llvm.intr.experimental.noalias.scope.decl #scope %2 = llvm.load %p {alias_scopes = [#scope]} : !llvm.ptr -> i64
  llvm.intr.invariant.end %1, 8, %p : !llvm.ptr
  %3 = llvm.call @shared(%2) : (i64) -> i64
  llvm.call @shown(%3) : (i64) -> ()
  %t = llvm.mlir.addressof @truths : !llvm.ptr
  %4 = llvm.load %t : !llvm.ptr -> vector<9xi1>
  %5 = llvm.bitcast %4 : vector<9xi1> to i9
  %6 = llvm.zext %5 : i9 to i64
  llvm.call @shown(%6) : (i64) -> ()
  %f = llvm.mlir.addressof @few : !llvm.ptr
  %7 = llvm.load %f : !llvm.ptr -> vector<4xi32>
  llvm.call @weighed(%7) : (vector<4xi32>) -> ()
  %8 = llvm.mlir.constant(sparse<[[0], [2]], [7, 8]> : vector<4xi32>) : vector<4xi32>
  llvm.call @weighed(%8) : (vector<4xi32>) -> ()
  %9 = llvm.mlir.constant(sparse<1, 7> : vector<4xi32>) : vector<4xi32>
  llvm.call @weighed(%9) : (vector<4xi32>) -> ()
  %10 = llvm.mlir.constant(sparse<[[0, 1], [1, 2]], [1.5, 2.5]> : tensor<2x3xf32>) : !llvm.array<2 x array<3 x f32>>
  %11 = llvm.extractvalue %10[1, 2] : !llvm.array<2 x array<3 x f32>>
  llvm.call @printF32(%11) : (f32) -> ()
  %12 = llvm.extractvalue %10[1, 1] : !llvm.array<2 x array<3 x f32>>
  llvm.call @printF32(%12) : (f32) -> ()
  llvm.call @printNewline() : () -> ()
  %13 = llvm.mlir.constant(dense<3> : vector<4xindex>) : vector<4xi32>
  llvm.call @weighed(%13) : (vector<4xi32>) -> ()
  llvm.return
}
