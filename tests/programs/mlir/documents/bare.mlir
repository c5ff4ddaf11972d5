// "Bare Pointer Calling Convention for Ranked MemRef" in "LLVM IR Target".

func.func private @callee(memref<2x4xf32>) attributes {llvm.bareptr}
func.func @caller(%m: memref<2x4xf32>) attributes {llvm.bareptr} {
  call @callee(%m) : (memref<2x4xf32>) -> ()
  return
}
