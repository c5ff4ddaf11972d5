// What becomes of newer.mlir, as the document has it.

!view1 = !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
!view2 = !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
!view4 = !llvm.struct<(ptr, ptr, i64, array<4 x i64>, array<4 x i64>)>
!any = !llvm.struct<(i64, ptr)>

llvm.func @seen_i32(i32)
llvm.func @seen_i64(i64)
llvm.func @seen_view(!llvm.ptr, !llvm.ptr, i64, i64, i64)
llvm.func @seen_any(i64, !llvm.ptr)
llvm.func @_mlir_ciface_made_view(!llvm.ptr)
llvm.func @_mlir_ciface_made_any(!llvm.ptr)

llvm.func @made_view() -> !view1 {
  %0 = llvm.mlir.constant(1 : index) : i64
  %1 = llvm.alloca %0 x !view1 : (i64) -> !llvm.ptr
  llvm.call @_mlir_ciface_made_view(%1) : (!llvm.ptr) -> ()
  %2 = llvm.load %1 : !llvm.ptr -> !view1
  llvm.return %2 : !view1
}
llvm.func @made_any() -> !any {
  %0 = llvm.mlir.constant(1 : index) : i64
  %1 = llvm.alloca %0 x !any : (i64) -> !llvm.ptr
  llvm.call @_mlir_ciface_made_any(%1) : (!llvm.ptr) -> ()
  %2 = llvm.load %1 : !llvm.ptr -> !any
  llvm.return %2 : !any
}

llvm.func @both(%a: i32, %b: i64) -> !llvm.struct<(i32, i64)> {
  %0 = llvm.mlir.undef : !llvm.struct<(i32, i64)>
  %1 = llvm.insertvalue %a, %0[0] : !llvm.struct<(i32, i64)>
  %2 = llvm.insertvalue %b, %1[1] : !llvm.struct<(i32, i64)>
  llvm.return %2 : !llvm.struct<(i32, i64)>
}
llvm.func @use_both() {
  %0 = llvm.mlir.constant(42 : i32) : i32
  %1 = llvm.mlir.constant(17 : i64) : i64
  %2 = llvm.call @both(%0, %1) : (i32, i64) -> !llvm.struct<(i32, i64)>
  %3 = llvm.extractvalue %2[0] : !llvm.struct<(i32, i64)>
  %4 = llvm.extractvalue %2[1] : !llvm.struct<(i32, i64)>
  llvm.call @seen_i32(%3) : (i32) -> ()
  llvm.call @seen_i64(%4) : (i64) -> ()
  llvm.return
}

llvm.func @take(%a: !llvm.ptr, %b: !llvm.ptr, %c: i64, %d: i64, %e: i64) {
  %0 = llvm.mlir.undef : !view1
  %1 = llvm.insertvalue %a, %0[0] : !view1
  %2 = llvm.insertvalue %b, %1[1] : !view1
  %3 = llvm.insertvalue %c, %2[2] : !view1
  %4 = llvm.insertvalue %d, %3[3, 0] : !view1
  %5 = llvm.insertvalue %e, %4[4, 0] : !view1
  %6 = llvm.extractvalue %5[0] : !view1
  %7 = llvm.extractvalue %5[1] : !view1
  %8 = llvm.extractvalue %5[2] : !view1
  %9 = llvm.extractvalue %5[3, 0] : !view1
  %10 = llvm.extractvalue %5[4, 0] : !view1
  llvm.call @seen_view(%6, %7, %8, %9, %10) : (!llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
  llvm.return
}
llvm.func @give() {
  %0 = llvm.call @made_view() : () -> !view1
  %1 = llvm.extractvalue %0[0] : !view1
  %2 = llvm.extractvalue %0[1] : !view1
  %3 = llvm.extractvalue %0[2] : !view1
  %4 = llvm.extractvalue %0[3, 0] : !view1
  %5 = llvm.extractvalue %0[4, 0] : !view1
  llvm.call @take(%1, %2, %3, %4, %5) : (!llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
  llvm.return
}

llvm.func @take_any(%r: i64, %p: !llvm.ptr) {
  %0 = llvm.mlir.undef : !any
  %1 = llvm.insertvalue %r, %0[0] : !any
  %2 = llvm.insertvalue %p, %1[1] : !any
  %3 = llvm.extractvalue %2[0] : !any
  %4 = llvm.extractvalue %2[1] : !any
  llvm.call @seen_any(%3, %4) : (i64, !llvm.ptr) -> ()
  llvm.return
}
llvm.func @give_any() {
  %0 = llvm.call @made_any() : () -> !any
  %1 = llvm.extractvalue %0[0] : !any
  %2 = llvm.extractvalue %0[1] : !any
  llvm.call @take_any(%1, %2) : (i64, !llvm.ptr) -> ()
  llvm.return
}

llvm.func @outside(%a: !llvm.ptr, %b: !llvm.ptr, %c: i64, %d: i64, %e: i64, %f: i64, %g: i64) {
  %0 = llvm.mlir.undef : !view2
  %1 = llvm.insertvalue %a, %0[0] : !view2
  %2 = llvm.insertvalue %b, %1[1] : !view2
  %3 = llvm.insertvalue %c, %2[2] : !view2
  %4 = llvm.insertvalue %d, %3[3, 0] : !view2
  %5 = llvm.insertvalue %f, %4[4, 0] : !view2
  %6 = llvm.insertvalue %e, %5[3, 1] : !view2
  %7 = llvm.insertvalue %g, %6[4, 1] : !view2
  %8 = llvm.mlir.constant(1 : index) : i64
  %9 = llvm.alloca %8 x !view2 : (i64) -> !llvm.ptr
  llvm.store %7, %9 : !view2, !llvm.ptr
  llvm.call @_mlir_ciface_outside(%9) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @_mlir_ciface_outside(!llvm.ptr)
llvm.func @reach(%a: !llvm.ptr, %b: !llvm.ptr, %c: i64, %d: i64, %e: i64, %f: i64, %g: i64) {
  llvm.call @outside(%a, %b, %c, %d, %e, %f, %g) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i64) -> ()
  llvm.return
}

llvm.func @nothing(%a: !llvm.ptr, %b: !llvm.ptr, %c: i64, %d: i64, %e: i64, %f: i64, %g: i64) {
  llvm.return
}
llvm.func @_mlir_ciface_nothing(%m: !llvm.ptr) {
  %0 = llvm.load %m : !llvm.ptr -> !view2
  %1 = llvm.extractvalue %0[0] : !view2
  %2 = llvm.extractvalue %0[1] : !view2
  %3 = llvm.extractvalue %0[2] : !view2
  %4 = llvm.extractvalue %0[3, 0] : !view2
  %5 = llvm.extractvalue %0[3, 1] : !view2
  %6 = llvm.extractvalue %0[4, 0] : !view2
  %7 = llvm.extractvalue %0[4, 1] : !view2
  llvm.call @nothing(%1, %2, %3, %4, %5, %6, %7) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i64) -> ()
  llvm.return
}

llvm.func @same(%a: !llvm.ptr, %b: !llvm.ptr, %c: i64, %d: i64, %e: i64, %f: i64, %g: i64) -> !view2 {
  %0 = llvm.mlir.undef : !view2
  %1 = llvm.insertvalue %a, %0[0] : !view2
  %2 = llvm.insertvalue %b, %1[1] : !view2
  %3 = llvm.insertvalue %c, %2[2] : !view2
  %4 = llvm.insertvalue %d, %3[3, 0] : !view2
  %5 = llvm.insertvalue %f, %4[4, 0] : !view2
  %6 = llvm.insertvalue %e, %5[3, 1] : !view2
  %7 = llvm.insertvalue %g, %6[4, 1] : !view2
  llvm.return %7 : !view2
}
llvm.func @_mlir_ciface_same(%out: !llvm.ptr, %m: !llvm.ptr) {
  %0 = llvm.load %m : !llvm.ptr -> !view2
  %1 = llvm.extractvalue %0[0] : !view2
  %2 = llvm.extractvalue %0[1] : !view2
  %3 = llvm.extractvalue %0[2] : !view2
  %4 = llvm.extractvalue %0[3, 0] : !view2
  %5 = llvm.extractvalue %0[3, 1] : !view2
  %6 = llvm.extractvalue %0[4, 0] : !view2
  %7 = llvm.extractvalue %0[4, 1] : !view2
  %8 = llvm.call @same(%1, %2, %3, %4, %5, %6, %7) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i64) -> !view2
  llvm.store %8, %out : !view2, !llvm.ptr
  llvm.return
}

llvm.func @element(%p: !llvm.ptr, %a: !llvm.ptr, %o: i64, %n0: i64, %n1: i64, %n2: i64, %n3: i64, %s0: i64, %s1: i64, %s2: i64, %s3: i64, %i: i64, %j: i64, %k: i64, %l: i64) -> f32 {
  %0 = llvm.mlir.undef : !view4
  %1 = llvm.insertvalue %a, %0[1] : !view4
  %2 = llvm.insertvalue %o, %1[2] : !view4
  %3 = llvm.insertvalue %s0, %2[4, 0] : !view4
  %stride1 = llvm.extractvalue %3[4, 0] : !view4
  %addr1 = arith.muli %stride1, %i : i64
  %stride2 = llvm.mlir.constant(32 : index) : i64
  %addr2 = arith.muli %stride2, %j : i64
  %addr3 = arith.addi %addr1, %addr2 : i64
  %stride3 = llvm.mlir.constant(8 : index) : i64
  %addr4 = arith.muli %stride3, %k : i64
  %addr5 = arith.addi %addr3, %addr4 : i64
  %addr6 = arith.addi %addr5, %l : i64
  %offset = llvm.extractvalue %3[2] : !view4
  %addr7 = arith.addi %addr6, %offset : i64
  %aligned = llvm.extractvalue %3[1] : !view4
  %ptr = llvm.getelementptr %aligned[%addr7] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %4 = llvm.load %ptr : !llvm.ptr -> f32
  llvm.return %4 : f32
}
