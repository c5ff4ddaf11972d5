// What becomes of bare.mlir, as the document has it.

!descriptor = !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>

llvm.func @callee(!llvm.ptr)
llvm.func @caller(%m: !llvm.ptr) {
  %0 = llvm.mlir.undef : !descriptor
  %1 = llvm.insertvalue %m, %0[0] : !descriptor
  %2 = llvm.insertvalue %m, %1[1] : !descriptor
  %3 = llvm.mlir.constant(0 : index) : i64
  %4 = llvm.insertvalue %3, %2[2] : !descriptor
  %5 = llvm.mlir.constant(2 : index) : i64
  %6 = llvm.mlir.constant(4 : index) : i64
  %7 = llvm.insertvalue %5, %4[3, 0] : !descriptor
  %8 = llvm.insertvalue %6, %7[3, 1] : !descriptor
  %9 = llvm.mlir.constant(1 : index) : i64
  %10 = llvm.insertvalue %6, %8[4, 0] : !descriptor
  %11 = llvm.insertvalue %9, %10[4, 1] : !descriptor
  %12 = llvm.extractvalue %11[1] : !descriptor
  llvm.call @callee(%12) : (!llvm.ptr) -> ()
  llvm.return
}
