// Operations of AVX that are two of SSE.
func.func @rsqrt(%a: memref<8xf32>, %to: memref<8xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
  %0 = x86vector.avx.rsqrt %v : vector<8xf32>
  vector.store %0, %to[%c0] : memref<8xf32>, vector<8xf32>
  return
}
func.func @dot(%a: memref<8xf32>, %to: memref<8xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
  %w = vector.load %to[%c0] : memref<8xf32>, vector<8xf32>
  %0 = x86vector.avx.intr.dot %v, %w : vector<8xf32>
  %1 = "x86vector.avx.intr.dot"(%0, %w) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  %2 = arith.addf %0, %1 : vector<8xf32>
  vector.store %2, %to[%c0] : memref<8xf32>, vector<8xf32>
  return
}
