// Variables that other functions find by the frame, and frames that are asked for: intrinsics without declarations.

llvm.func @f() {
  %0 = llvm.mlir.constant(1 : i32) : i32
  %1 = llvm.alloca %0 x i32 : (i32) -> !llvm.ptr
  %2 = llvm.alloca %0 x !llvm.array<4 x i64> : (i32) -> !llvm.ptr
  llvm.call_intrinsic "llvm.localescape"(%1, %2) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}
llvm.func @g(%fp: !llvm.ptr) -> !llvm.ptr {
  %0 = llvm.mlir.addressof @f : !llvm.ptr
  %1 = llvm.mlir.constant(1 : i32) : i32
  %2 = llvm.call_intrinsic "llvm.localrecover"(%0, %fp, %1) : (!llvm.ptr, !llvm.ptr, i32) -> !llvm.ptr
  llvm.return %2 : !llvm.ptr
}
llvm.func @h() -> !llvm.ptr {
  %0 = llvm.call_intrinsic "llvm.localaddress"() : () -> !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.func @i() -> i32 {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
llvm.func @looks(%fp: !llvm.ptr) -> !llvm.ptr {
  %0 = llvm.mlir.addressof @i : !llvm.ptr
  %1 = llvm.call_intrinsic "llvm.eh.recoverfp"(%0, %fp) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  llvm.return %1 : !llvm.ptr
}
