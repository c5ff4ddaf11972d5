llvm.func @zext(i8 {llvm.zeroext}) -> (i8 {llvm.zeroext})
llvm.func @gep(%p: !llvm.ptr, %i: i64) -> i8 {
  %0 = llvm.getelementptr inbounds|nuw %p[%i, 1] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<(i8, i32)>
  %1 = llvm.getelementptr nusw|nuw %0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %2 = llvm.load %1 : !llvm.ptr -> i8
  %3 = llvm.call @zext(%2) : (i8 {llvm.zeroext}) -> (i8 {llvm.zeroext})
  llvm.return %3 : i8
}
llvm.mlir.global external @x(5 : i32) : i32
llvm.mlir.alias external @y : i32 { %0 = llvm.mlir.addressof @x : !llvm.ptr  llvm.return %0 : !llvm.ptr }
llvm.func @resolver() -> !llvm.ptr { %0 = llvm.mlir.addressof @gep : !llvm.ptr llvm.return %0 : !llvm.ptr }
llvm.mlir.ifunc external @ifn : !llvm.func<i8 (ptr, i64)>, !llvm.ptr @resolver
llvm.func @blocks(%c: i1) -> i32 {
  %a = llvm.blockaddress <function = @blocks, tag = <id = 1>> : !llvm.ptr
  %b = llvm.blockaddress <function = @blocks, tag = <id = 2>> : !llvm.ptr
  %t = llvm.select %c, %a, %b : i1, !llvm.ptr
  llvm.indirectbr %t : !llvm.ptr, [ ^bb1, ^bb2 ]
^bb1:
  llvm.blocktag <id = 1>
  %1 = llvm.mlir.constant(1 : i32) : i32
  llvm.return %1 : i32
^bb2:
  llvm.blocktag <id = 2>
  %2 = llvm.mlir.constant(2 : i32) : i32
  llvm.return %2 : i32
}
