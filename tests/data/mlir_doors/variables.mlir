// Where variables are, and what the address of one is: as of the LLVM IR that MLIR's translation makes of the module.

llvm.mlir.global internal thread_local @x(5 : i32) {addr_space = 0 : i32} : i32
llvm.func @switch()

// The thread may be another one after the call: the address is taken where it is used.
llvm.func @threads() -> i32 {
  %0 = llvm.mlir.addressof @x : !llvm.ptr
  %1 = "llvm.intr.threadlocal.address"(%0) : (!llvm.ptr) -> !llvm.ptr
  %2 = llvm.load %1 : !llvm.ptr -> i32
  llvm.call @switch() : () -> ()
  %3 = "llvm.intr.threadlocal.address"(%0) : (!llvm.ptr) -> !llvm.ptr
  %4 = llvm.load %3 : !llvm.ptr -> i32
  llvm.call @switch() : () -> ()
  llvm.store %2, %0 : i32, !llvm.ptr
  %5 = llvm.add %2, %4 : i32
  llvm.return %5 : i32
}

// No part of the program.
llvm.mlir.global private unnamed_addr constant @note("abc\00") {addr_space = 0 : i32, alignment = 1 : i64, section = "llvm.metadata"} : !llvm.array<4 x i8>
llvm.mlir.global appending @llvm.global.annotations() {addr_space = 0 : i32, section = "llvm.metadata"} : !llvm.array<1 x struct<(ptr, ptr, i32)>> {
  %0 = llvm.mlir.undef : !llvm.array<1 x struct<(ptr, ptr, i32)>>
  %1 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i32)>
  %2 = llvm.mlir.addressof @threads : !llvm.ptr
  %3 = llvm.insertvalue %2, %1[0] : !llvm.struct<(ptr, ptr, i32)>
  %4 = llvm.mlir.addressof @note : !llvm.ptr
  %5 = llvm.insertvalue %4, %3[1] : !llvm.struct<(ptr, ptr, i32)>
  %6 = llvm.mlir.constant(1 : i32) : i32
  %7 = llvm.insertvalue %6, %5[2] : !llvm.struct<(ptr, ptr, i32)>
  %8 = llvm.insertvalue %7, %0[0] : !llvm.array<1 x struct<(ptr, ptr, i32)>>
  llvm.return %8 : !llvm.array<1 x struct<(ptr, ptr, i32)>>
}

// Less than the type's own alignment counts in a section alone.
llvm.mlir.global external @number(5 : i32) {addr_space = 0 : i32, alignment = 1 : i64} : i32
llvm.mlir.global external @vector(dense<[1, 2]> : vector<2xi32>) {addr_space = 0 : i32, alignment = 2 : i64} : vector<2xi32>
llvm.mlir.global external @placed(5 : i32) {addr_space = 0 : i32, alignment = 1 : i64, section = "placed"} : i32
llvm.mlir.global external @wide(5 : i32) {addr_space = 0 : i32, alignment = 64 : i64} : i32
llvm.mlir.global common @shared(0 : i32) {addr_space = 0 : i32, section = "shared"} : i32

// A vector of which a lane is open is a constant.
llvm.func @lanes(%v: vector<4xi32>) -> vector<4xi32> {
  %0 = llvm.mlir.poison : vector<4xi32>
  %1 = llvm.mlir.constant(7 : i32) : i32
  %2 = llvm.mlir.constant(9 : i32) : i32
  %3 = llvm.mlir.constant(0 : i64) : i64
  %4 = llvm.mlir.constant(1 : i64) : i64
  %5 = llvm.mlir.constant(3 : i64) : i64
  %6 = llvm.insertelement %1, %0[%3 : i64] : vector<4xi32>
  %7 = llvm.insertelement %2, %6[%4 : i64] : vector<4xi32>
  %8 = llvm.insertelement %1, %7[%5 : i64] : vector<4xi32>
  %9 = llvm.add %v, %8 : vector<4xi32>
  llvm.return %9 : vector<4xi32>
}
