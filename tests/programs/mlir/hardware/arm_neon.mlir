// Intrinsics of AArch64, of one and of two dimensions.
func.func @smull(%a: memref<16xi8>, %to: memref<16xi8>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = vector.load %a[%c0] : memref<16xi8>, vector<8xi8>
  %w = vector.load %a[%c8] : memref<16xi8>, vector<8xi8>
  %0 = arm_neon.intr.smull %v, %w : vector<8xi8> to vector<8xi16>
  %1 = vector.extract_strided_slice %0 {offsets = [2], sizes = [4], strides = [1]} : vector<8xi16> to vector<4xi16>
  %2 = arm_neon.intr.smull %1, %1 : vector<4xi16> to vector<4xi32>
  %3 = vector.extract_strided_slice %2 {offsets = [1], sizes = [2], strides = [1]} : vector<4xi32> to vector<2xi32>
  %4 = "arm_neon.intr.smull"(%3, %3) : (vector<2xi32>, vector<2xi32>) -> vector<2xi64>
  %5 = vector.bitcast %4 : vector<2xi64> to vector<16xi8>
  %6 = vector.bitcast %0 : vector<8xi16> to vector<16xi8>
  %7 = arith.xori %5, %6 : vector<16xi8>
  vector.store %7, %to[%c0] : memref<16xi8>, vector<16xi8>
  return
}
func.func @sdot(%a: memref<16xi8>, %to: memref<16xi8>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = vector.load %a[%c0] : memref<16xi8>, vector<16xi8>
  %t = vector.load %to[%c0] : memref<16xi8>, vector<16xi8>
  %w = vector.bitcast %t : vector<16xi8> to vector<4xi32>
  %0 = arm_neon.intr.sdot %w, %v, %t : vector<16xi8>, vector<16xi8> to vector<4xi32>
  %r = vector.shape_cast %v : vector<16xi8> to vector<4x4xi8>
  %1 = arm_neon.2d.sdot %0, %r, %r : vector<4x4xi8>, vector<4x4xi8> to vector<4xi32>
  %2 = vector.load %a[%c0] : memref<16xi8>, vector<8xi8>
  %3 = vector.extract_strided_slice %1 {offsets = [2], sizes = [2], strides = [1]} : vector<4xi32> to vector<2xi32>
  %4 = arm_neon.intr.sdot %3, %2, %2 : vector<8xi8>, vector<8xi8> to vector<2xi32>
  %5 = vector.insert_strided_slice %4, %1 {offsets = [1], strides = [1]} : vector<2xi32> into vector<4xi32>
  %m0 = arm_neon.intr.smmla %5, %v, %t : vector<16xi8> to vector<4xi32>
  %m1 = arm_neon.intr.ummla %m0, %v, %t : vector<16xi8> to vector<4xi32>
  %m2 = arm_neon.intr.usmmla %m1, %v, %t : vector<16xi8> to vector<4xi32>
  %6 = vector.bitcast %m2 : vector<4xi32> to vector<16xi8>
  vector.store %6, %to[%c0] : memref<16xi8>, vector<16xi8>
  return
}
