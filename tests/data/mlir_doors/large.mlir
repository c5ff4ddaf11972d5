// Values of more scalars than functions take apart, which MLIR's import leaves after, are nothing as long as nobody uses them.

llvm.mlir.global external @table() {addr_space = 0 : i32} : !llvm.array<5000 x i32> {
  %0 = llvm.mlir.zero : !llvm.array<5000 x i32>
  %1 = llvm.mlir.constant(7 : i32) : i32
  %2 = llvm.insertvalue %1, %0[3] : !llvm.array<5000 x i32>
  llvm.return %2 : !llvm.array<5000 x i32>
}
llvm.func @load(%i: i64) -> i32 {
  %0 = llvm.mlir.undef : !llvm.array<5000 x i32>
  %1 = llvm.mlir.constant(7 : i32) : i32
  %2 = llvm.insertvalue %1, %0[3] : !llvm.array<5000 x i32>
  %3 = llvm.mlir.undef : !llvm.array<2 x array<5000 x i32>>
  %4 = llvm.insertvalue %2, %3[1] : !llvm.array<2 x array<5000 x i32>>
  %5 = llvm.mlir.addressof @table : !llvm.ptr
  %6 = llvm.getelementptr %5[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %7 = llvm.load %6 : !llvm.ptr -> i32
  llvm.return %7 : i32
}
